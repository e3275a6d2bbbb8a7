"""Processes of a bench: started pinned, stopped and continued at will, measured, and never left behind.

A Pool owns everything it started and kills it when the `with` block ends, however it ends; a child also dies with the driver. Output
goes to unnamed files, so that a stopped process never blocks on a full pipe. CPU time is read from the CPU clock of the process, which
the kernel keeps to the nanosecond; the peak of resident memory comes from VmHWM, because the one in rusage also counts what the
driver had before it became the contestant.
"""
import atexit
import ctypes
import os
import resource
import signal
import subprocess
import tempfile
import time

PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


class BenchError(Exception):
    """What cannot go on; the text is one line for a person."""


class OutOfTime(Exception):
    """The bound of the whole run was reached."""


def cpu_clock_ns(pid):
    """CPU time of all threads of a process, dead ones included; 0 once the process is gone."""
    try:
        return time.clock_gettime_ns((~pid << 3) | 2)
    except OSError:
        return 0


def queued_ns(pid):
    """How long the threads of a process were ready to run but had to wait for their core, added up."""
    total = 0
    try:
        for thread in os.listdir(f'/proc/{pid}/task'):
            with open(f'/proc/{pid}/task/{thread}/schedstat') as file:
                total += int(file.read().split()[1])
    except (OSError, IndexError):
        pass  # the thread ended, or this kernel keeps no such figures
    return total


def peak_rss_kib(pid):
    try:
        with open(f'/proc/{pid}/status') as status:
            for line in status:
                if line.startswith('VmHWM:'):
                    return int(line.split()[1])
    except OSError:
        pass
    return 0


def children_of(pid):
    try:
        with open(f'/proc/{pid}/task/{pid}/children') as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def _whole(file):
    """All that is in the file. Its position is shared with the process that writes to it, so it is left where it is."""
    return os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0).decode(errors='replace')


class Process:
    """One program in a process group of its own."""

    def __init__(self, command, cpu, priority=False, stamp_exec=False):
        self.command = command
        self.output = tempfile.TemporaryFile()
        self.errors = tempfile.TemporaryFile()
        self.usage = None
        self.exit_code = None
        read_end, write_end = os.pipe() if stamp_exec else (None, None)

        def prepare():
            _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
            if cpu is not None:
                os.sched_setaffinity(0, {cpu})
            if priority:
                raise_priority()
            if stamp_exec:
                os.write(write_end, str(time.monotonic_ns()).encode())

        # Debugging aids of the allocator, as test runners set them, have no place in a measurement; wrk with a script even hangs.
        environment = {name: value for name, value in os.environ.items() if not name.startswith('MALLOC_')}
        try:
            self.child = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=self.output, stderr=self.errors,
                                          start_new_session=True, preexec_fn=prepare)
        except OSError as error:
            self.output.close()
            self.errors.close()
            if stamp_exec:
                os.close(read_end)
            raise BenchError(f'cannot start {command[0]}: {error.strerror}; install it or give its path') from error
        finally:
            if stamp_exec:
                os.close(write_end)
        self.pid = self.child.pid
        self.started = time.monotonic()
        self.exec_ns = int(os.read(read_end, 64)) if stamp_exec else 0
        if stamp_exec:
            os.close(read_end)

    def signal(self, number):
        try:
            os.killpg(self.pid, number)
        except ProcessLookupError:
            pass

    def interrupt(self):
        """SIGINT to the first thread, which is the one that wrk needs it in; a signal to the process may reach any thread."""
        if _libc.tgkill(self.pid, self.pid, signal.SIGINT) != 0:
            self.signal(signal.SIGINT)

    def ended(self):
        """True once the process is over; takes its exit code and resource usage when it first sees that."""
        if self.exit_code is not None:
            return True
        pid, status, usage = os.wait4(self.pid, os.WNOHANG)
        if pid == 0:
            return False
        self.exit_code = self.child.returncode = os.waitstatus_to_exitcode(status)
        self.usage = usage
        return True

    def wait(self, seconds):
        """True if the process was over within so many seconds."""
        limit = time.monotonic() + seconds
        while not self.ended():
            if time.monotonic() > limit:
                return False
            time.sleep(0.002)
        return True

    def kill(self):
        if not self.ended():
            self.signal(signal.SIGKILL)
            self.wait(10)

    def text(self):
        return _whole(self.output)

    def error_text(self):
        return _whole(self.errors)

    def last_words(self):
        """The end of what it printed, in one line, for messages."""
        lines = (self.text() + '\n' + self.error_text()).strip().splitlines()
        return ' / '.join(lines[-3:])[-300:] or 'it printed nothing'

    def close(self):
        self.kill()
        self.output.close()
        self.errors.close()


def raise_priority():
    """Puts this process before all others where the user may do that. With autogroups, nice alone means nothing between sessions."""
    try:
        with open('/proc/self/autogroup', 'w') as autogroup:
            autogroup.write('-20')
    except OSError:
        pass
    try:
        os.setpriority(os.PRIO_PROCESS, 0, -20)
    except OSError:
        pass


class Pool:
    """Owns processes; none of them survives the `with` block."""

    def __init__(self):
        self.processes = []

    def __enter__(self):
        atexit.register(self.close)
        return self

    def __exit__(self, *_):
        self.close()
        atexit.unregister(self.close)

    def start(self, command, cpu=None, priority=False, stamp_exec=False):
        process = Process(command, cpu, priority, stamp_exec)
        self.processes.append(process)
        return process

    def close(self):
        while self.processes:
            self.processes.pop().close()


def bound_run(seconds):
    """Ends this program, and with it all it started, after so many seconds or when it is terminated."""

    def too_long(*_):
        raise OutOfTime(f'gave up after {seconds:.0f} s: the machine is too busy or a contestant hangs')

    def terminated(*_):
        raise SystemExit(143)

    signal.signal(signal.SIGALRM, too_long)
    signal.signal(signal.SIGTERM, terminated)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def two_cpus():
    """(client, target): the first two CPUs this process may use; one CPU has to do for both where there is no other."""
    allowed = sorted(os.sched_getaffinity(0))
    return allowed[0], allowed[1 if len(allowed) > 1 else 0]
