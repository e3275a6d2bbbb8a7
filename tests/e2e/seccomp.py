"""System call filters for a process that is about to start: raw BPF made of a list of refusals, or of a profile as containers take it.

A filter is a callable for Popen's preexec_fn. It covers the names, numbers and comparisons that profiles of this project use, and stops
at any others.
"""

import ctypes
import errno
import glob
import json
import platform
import re
import struct

# linux/audit.h
ARCHITECTURES = {'x86_64': ('SCMP_ARCH_X86_64', 0xc000003e), 'aarch64': ('SCMP_ARCH_AARCH64', 0xc00000b7)}
ALLOW, ERRNO, KILL = 0x7fff0000, 0x00050000, 0x80000000


class Filter:
    """Installs a program of (code, jump if true, jump if false, operand)."""

    PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, MODE_FILTER = 22, 38, 2
    LOAD, AND, JUMP_EQUAL, RETURN = 0x20, 0x54, 0x15, 0x06
    NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data

    class Program(ctypes.Structure):
        _fields_ = [('length', ctypes.c_ushort), ('code', ctypes.c_void_p)]

    def __init__(self, code):
        self.octets = ctypes.create_string_buffer(b''.join(struct.pack('HBBI', *one) for one in code))
        self.program = self.Program(len(code), ctypes.addressof(self.octets))
        self.prctl = ctypes.CDLL(None, use_errno=True).prctl
        self.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4

    def __call__(self):
        if self.prctl(self.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), 'no_new_privs')
        if self.prctl(self.PR_SET_SECCOMP, self.MODE_FILTER, ctypes.addressof(self.program), 0, 0) != 0:
            raise OSError(ctypes.get_errno(), 'seccomp')


def refusing(numbers, error):
    """All system calls pass but these."""
    code = [(Filter.LOAD, 0, 0, Filter.NUMBER)]
    for number in numbers:
        code += [(Filter.JUMP_EQUAL, 0, 1, number), (Filter.RETURN, 0, 0, ERRNO | error)]
    return Filter(code + [(Filter.RETURN, 0, 0, ALLOW)])


def numbers_here():
    """Name to number of every system call, from the headers of this machine; {} where there are none."""
    machine = platform.machine()
    if machine == 'x86_64':
        candidates = ['/usr/include/x86_64-linux-gnu/asm/unistd_64.h', '/usr/include/asm/unistd_64.h']
    else:
        candidates = ['/usr/include/asm-generic/unistd.h']
    for path in [match for candidate in candidates for match in glob.glob(candidate)]:
        with open(path, encoding='utf-8') as header:
            found = dict(re.findall(r'^#define __NR(?:3264)?_(\w+) (\d+)', header.read(), re.MULTILINE))
        return {name: int(number) for name, number in found.items()}
    return {}


def rules_of(profile, numbers):
    """(number, comparisons) of each call that the profile allows and this architecture has."""
    for group in profile['syscalls']:
        if group['action'] != 'SCMP_ACT_ALLOW' or set(group) - {'comment', 'names', 'action', 'args'}:
            raise ValueError(f'a group of another kind: {group}')
        for name in group['names']:
            if name in numbers:
                yield numbers[name], group.get('args', [])


def comparison(argument):
    """Leaves the rule, by a jump over the return behind it, if the lower half of the argument differs under the mask."""
    if argument['op'] != 'SCMP_CMP_MASKED_EQ' or argument['value'] >> 32 or argument['valueTwo'] >> 32:
        raise ValueError(f'a comparison of another kind: {argument}')
    return [(Filter.LOAD, 0, 0, Filter.ARGUMENTS + 8 * argument['index']), (Filter.AND, 0, 0, argument['value']),
            (Filter.JUMP_EQUAL, 0, 1, argument['valueTwo'])]


def profile_filter(profile, numbers):
    """What libseccomp would make of it, slower."""
    token, audit = ARCHITECTURES[platform.machine()]
    if token not in profile['architectures'] or profile['defaultAction'] != 'SCMP_ACT_ERRNO':
        raise ValueError('the profile is not for this architecture, or does not refuse by default')
    code = [(Filter.LOAD, 0, 0, Filter.ARCHITECTURE), (Filter.JUMP_EQUAL, 1, 0, audit), (Filter.RETURN, 0, 0, KILL)]
    for number, arguments in rules_of(profile, numbers):
        rule = [step for argument in arguments for step in comparison(argument)]
        if len(arguments) > 1:
            raise ValueError('two comparisons in one rule')
        rule.append((Filter.RETURN, 0, 0, ALLOW))
        code += [(Filter.LOAD, 0, 0, Filter.NUMBER), (Filter.JUMP_EQUAL, 0, len(rule), number), *rule]
    return Filter(code + [(Filter.RETURN, 0, 0, ERRNO | profile.get('defaultErrnoRet', errno.EPERM))])


def load_profile(path, without=()):
    with open(path, encoding='utf-8') as file:
        profile = json.load(file)
    for group in profile['syscalls']:
        group['names'] = [name for name in group['names'] if name not in without]
    return profile
