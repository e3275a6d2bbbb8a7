#!/usr/bin/env python3
"""Kernels and containers that allow less: io_uring barred by a seccomp filter, whole or in parts, and every mask of its abilities."""

import ctypes
import errno
import itertools
import os
import re
import struct
import sys
import unittest

from program import finish, run, run_json, start
from target import Target

# One number on every architecture (asm-generic).
IO_URING = {'setup': 425, 'enter': 426, 'register': 427}


class Filter:
    """A seccomp filter that answers some system calls with an error, for Popen's preexec_fn."""

    PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, MODE_FILTER = 22, 38, 2
    LOAD_NUMBER, JUMP_EQUAL, RETURN = 0x20, 0x15, 0x06
    ALLOW, ERRNO = 0x7fff0000, 0x00050000

    class Program(ctypes.Structure):
        _fields_ = [('length', ctypes.c_ushort), ('code', ctypes.c_void_p)]

    def __init__(self, numbers, error):
        # Each comparison that holds jumps to the last instruction; the one before it lets the call pass.
        code = [struct.pack('HBBI', self.LOAD_NUMBER, 0, 0, 0)]
        for i, number in enumerate(numbers):
            code.append(struct.pack('HBBI', self.JUMP_EQUAL, len(numbers) - i, 0, number))
        code.append(struct.pack('HBBI', self.RETURN, 0, 0, self.ALLOW))
        code.append(struct.pack('HBBI', self.RETURN, 0, 0, self.ERRNO | error))
        self.octets = ctypes.create_string_buffer(b''.join(code))
        self.program = self.Program(len(code), ctypes.addressof(self.octets))
        self.prctl = ctypes.CDLL(None, use_errno=True).prctl
        self.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4

    def __call__(self):
        if self.prctl(self.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), 'no_new_privs')
        if self.prctl(self.PR_SET_SECCOMP, self.MODE_FILTER, ctypes.addressof(self.program), 0, 0) != 0:
            raise OSError(ctypes.get_errno(), 'seccomp')


def barred(*calls, error=errno.EPERM):
    return {'preexec_fn': Filter([IO_URING[name] for name in calls], error)}


def io_uring_works():
    return re.search(r'^  io_uring +available', run('list', 'backends').out, re.MULTILINE) is not None


WORKS = io_uring_works()
REFUSALS = [(('setup', 'enter', 'register'), errno.EPERM), (('setup', 'enter', 'register'), errno.ENOSYS), (('setup',), errno.EACCES),
            (('register',), errno.EPERM), (('enter',), errno.EPERM), (('enter',), errno.ENOSYS)]


class Barred(unittest.TestCase):
    def test_the_filter_itself(self):
        for error in (errno.EPERM, errno.ENOSYS):
            outcome = finish(start('list', 'backends', **barred('setup', error=error)))
            self.assertEqual(outcome.code, 0, outcome.err)
            self.assertIsNone(re.search(r'^  io_uring +available', outcome.out, re.MULTILINE), outcome.out)
            self.assertIsNotNone(re.search(r'^  epoll +available', outcome.out, re.MULTILINE), outcome.out)

    def test_auto_steps_down_and_says_why(self):
        for calls, error in REFUSALS:
            with self.subTest(calls=calls, error=errno.errorcode[error]), Target() as target:
                outcome = run_json('-t2', '-c5', '-n200', target.url, **barred(*calls, error=error))
                self.assertEqual(outcome.code, 0, outcome.err)
                self.assertEqual((outcome.summary['responses'], outcome.summary['transport_errors']), (200, 0))
                self.assertEqual(target.stats()['requests_received'], 200)
                self.assertRegex(outcome.err, r'\Aringload: backend io_uring was passed over: [^\n]+\n\Z')
                self.assertIn(os.strerror(error), outcome.err)
                notes = [note for note in outcome.report['warnings'] if 'io_uring was passed over' in note]
                self.assertEqual(len(notes), 1, outcome.report['warnings'])
                self.assertIn(os.strerror(error), notes[0])
                self.assertNotIn('"io_uring"', outcome.out)

    def test_by_name_it_is_an_error_before_traffic(self):
        for calls, error in REFUSALS:
            with self.subTest(calls=calls, error=errno.errorcode[error]), Target() as target:
                outcome = run_json('--backend', 'io_uring', '-n10', target.url, **barred(*calls, error=error))
                self.assertEqual((outcome.code, outcome.out), (2, ''), outcome.err)
                self.assertRegex(outcome.err, r'\Aringload: [^\n]+\n\Z')
                for words in ('io_uring', os.strerror(error), '--backend epoll'):
                    self.assertIn(words, outcome.err)
                self.assertEqual(target.stats()['connections_accepted'], 0)

    def test_an_option_that_asks_by_name_is_no_other_answer(self):
        # What is barred is not called missing from the kernel.
        for option in ('--io_uring.buffers=incremental', '--io_uring.buffers=fixed', '--io_uring.receive=multishot', '--io_uring.receive=single'):
            for call in ('register', 'enter'):
                with self.subTest(option=option, call=call):
                    outcome = run_json('--backend', 'io_uring', option, '-n10', 'http://127.0.0.1:9/', **barred(call))
                    self.assertEqual((outcome.code, outcome.out), (2, ''), outcome.err)
                    self.assertIn(os.strerror(errno.EPERM), outcome.err)
                    self.assertNotIn('it came with Linux', outcome.err)


class Masks(unittest.TestCase):
    """Older kernels, by option: each mask does the same work."""

    def test_every_mask(self):
        masks = itertools.product(('auto', 'coop', 'none'), ('auto', 'single'), ('auto', 'fixed'), ('true', 'false'))
        with Target('--threads', '2') as target:
            for taskrun, receive, buffers, rest in masks:
                with self.subTest(taskrun=taskrun, receive=receive, buffers=buffers, rest=rest):
                    target.reset_stats()
                    options = [f'--io_uring.{name}={value}' for name, value in (
                        ('taskrun', taskrun), ('receive', receive), ('buffers', buffers), ('poll_first', rest), ('skip_success', rest),
                        ('registered_ring', rest), ('discard', rest))]
                    outcome = run_json('--backend', 'io_uring', *options, '-t2', '-c5', '-n200', target.url + '?size=30000')
                    self.assertEqual(outcome.code, 0, outcome.err)
                    self.assertEqual((outcome.summary['responses'], outcome.errors()), (200, {}))
                    self.assertEqual(outcome.report['transfer']['total_bytes'], 200 * 30000)
                    self.assertEqual(target.stats()['requests_received'], 200)
                    self.assertEqual('COOP_TASKRUN' in outcome.out, taskrun == 'coop')
                    if receive == 'single':
                        self.assertIn('single receives', outcome.out)
                    if buffers == 'fixed':
                        self.assertIn('fixed buffers', outcome.out)
                    if taskrun != 'auto':
                        self.assertNotIn('DEFER_TASKRUN', outcome.out)

    def test_small_and_few_buffers(self):
        with Target() as target:
            for kind in ('incremental', 'fixed'):
                options = [f'--io_uring.buffers={kind}', '--io_uring.buffer_size=1KiB', '--io_uring.buffer_count=2']
                outcome = run_json('--backend', 'io_uring', *options, '-t1', '-c20', '-n400', target.url + '?size=5000')
                if 'it came with Linux' in outcome.err:
                    self.assertEqual(outcome.code, 2)
                    continue
                self.assertEqual((outcome.code, outcome.summary['responses'], outcome.errors()), (0, 400, {}), outcome.err)
                self.assertEqual(outcome.report['transfer']['total_bytes'], 400 * 5000)


if __name__ == '__main__':
    if not WORKS:
        print('io_uring does not work here at all, so that nothing can be taken away from it')
        sys.exit(77)
    unittest.main()
