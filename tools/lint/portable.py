"""Where the names of one system may stand: in the backends, in core/base, and in files that say so in their head comment.

Such a file begins with the line "// SYSTEM: posix", "// SYSTEM: linux" or "// SYSTEM: windows" and is named for it (NAME_posix.cpp).
Everything else compiles on every system: it may include no system header, call no function of one system, and ask for no system in a
preprocessor line. What is looked for is lists of names, so what they do not hold is found by the build for the other system.
"""

import re

SYSTEMS = ('posix', 'linux', 'windows')
# The target stands here because it may use nothing of core, not even core/base: its system calls are its own. The ABI's header must
# spell an export on every system by itself.
FREE = ('backends/', 'core/base/', 'core/sdk/', 'tools/serve/', 'tests/', 'bench/')

HEADER = re.compile(
    r'^(?:sys|netinet|arpa|net|linux|asm|mach|bits)/'
    r'|^(?:unistd|netdb|poll|signal|fcntl|dlfcn|pthread|sched|termios|dirent|pwd|grp|strings|syslog|elf|link|err|glob|ftw|libgen|spawn'
    r'|semaphore|ucontext|execinfo|getopt|langinfo|time'
    r'|windows|winsock2?|ws2tcpip|mswsock|ws2def|shellapi|io|direct|process|conio|malloc|synchapi|winternl|ntstatus)\.h$', re.IGNORECASE)

POSIX_CALLS = '''access alarm chmod clock_getres clock_gettime close connect dup dup2 eventfd execv execve execvp fchmod fcntl fork fstat
    fsync ftruncate getpid getrlimit getrusage gmtime_r ioctl isatty kill localtime_r lseek lstat madvise mkdtemp mkostemp mkstemp mmap
    mprotect munmap nanosleep open pipe pipe2 poll posix_memalign pread prlimit pwrite read readlink realpath recv select send sendmsg
    setenv setrlimit setsockopt sigaction sigaddset sigemptyset sigfillset sigprocmask sleep socket stat strcasecmp strerror_r
    strerrordesc_np strncasecmp strsignal sysconf syscall umask unlink unsetenv usleep waitpid write _exit'''.split()
# With :: in front, or where no member and no function of ours has the name: these words are too common to be looked for everywhere.
QUALIFIED = {'access', 'close', 'connect', 'dup', 'kill', 'open', 'pipe', 'poll', 'read', 'recv', 'select', 'send', 'sleep', 'socket', 'stat',
             'unlink', 'write'}
CALLS = re.compile(r'(?<![\w.>:])(?:(?:::)(?:' + '|'.join(POSIX_CALLS) + r')|(?:' + '|'.join(n for n in POSIX_CALLS if n not in QUALIFIED)
                   + r'))\s*\(')
WORDS = re.compile(
    r'\b(?:ssize_t|pid_t|uid_t|off_t|mode_t|sigset_t|pollfd|winsize|rlimit|timespec|STD(?:IN|OUT|ERR)_FILENO|O_[A-Z]{4,}|CLOCK_[A-Z_]+'
    r'|SIG(?:PIPE|ALRM|XFSZ|HUP|USR1|USR2|CHLD|KILL|WINCH)|MAP_[A-Z]+|PROT_[A-Z]+|RLIMIT_[A-Z]+|RTLD_[A-Z]+'
    r'|(?:pthread|sched|epoll|io_uring|dl(?:open|sym|error))_\w+|dl(?:open|sym|error)'
    r'|HANDLE|DWORD|HMODULE|WINAPI|BOOL|LPC?W?STR|GetLastError|WSA\w+|INVALID_HANDLE_VALUE|SOCKET|__declspec)\b')
CONDITION = re.compile(r'^\s*#\s*(?:if|ifdef|ifndef|elif)\b.*\b(_WIN32|_WIN64|__MINGW\w+|__linux__|__unix__|__APPLE__|__FreeBSD__|__GLIBC__)\b',
                       re.MULTILINE)
MARK = re.compile(r'^// SYSTEM: (\w+)\s*$', re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s*<([^>]+)>', re.MULTILINE)


def system_of(path, comments):
    """(the system that a file says it is written for, or None; an offence in saying so, or None)"""
    head = MARK.match(comments)
    named = re.search(r'_(posix|linux|windows)\.[ch]pp$', path)
    anywhere = MARK.search(comments)
    if anywhere and not head:
        return None, 'the line "SYSTEM: ..." stands at the very top or nowhere'
    if head and head.group(1) not in SYSTEMS:
        return None, f'there is no system {head.group(1)}; they are {", ".join(SYSTEMS)}'
    if head and (named is None or named.group(1) != head.group(1)):
        return None, f'a file for {head.group(1)} alone is called NAME_{head.group(1)}'
    if named and not head and not path.startswith(FREE):
        return None, f'a file of this name begins with "// SYSTEM: {named.group(1)}"'
    return (head.group(1) if head else None), None


def offences(path, code, comments):
    """(line, text) of everything in the file that belongs to one system and may not stand there."""
    system, wrong = system_of(path, comments)
    if wrong:
        yield 1, wrong
    if system is None and not path.startswith(FREE):
        for match in CONDITION.finditer(code):
            yield line_of(code, match.start(1)), f'{match.group(1)} is asked for: let the build choose a file for each system, behind one header'
    if system is not None or path.startswith(FREE):
        return
    where = 'core/base has the interface, or a file NAME_SYSTEM.cpp that begins with "// SYSTEM: ..."'
    for match in INCLUDE.finditer(code):
        if HEADER.search(match.group(1)):
            yield line_of(code, match.start(1)), f'<{match.group(1)}> is a header of one system: {where}'
    for pattern in (CALLS, WORDS):
        for match in pattern.finditer(code):
            yield line_of(code, match.start()), f'{match.group().rstrip("( ")} is a name of one system: {where}'


def line_of(code, at):
    return code.count('\n', 0, at) + 1
