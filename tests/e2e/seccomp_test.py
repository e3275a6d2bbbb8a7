#!/usr/bin/env python3
"""The seccomp profile that is shipped for containers: everything runs under it, over io_uring; without the three calls of io_uring,
over epoll; and what a load generator has no business with stays shut."""

import errno
import os
import subprocess
import sys
import unittest

from program import BACKENDS, finish, run, run_json, start
from seccomp import load_profile, numbers_here, profile_filter
from target import Target

PROFILE = os.environ['RINGLOAD_SECCOMP_PROFILE']
IO_URING = ('io_uring_setup', 'io_uring_enter', 'io_uring_register')
NUMBERS = numbers_here()
# Ways out of a container, into its kernel, or to other processes.
FORBIDDEN = '''acct add_key bpf chroot clone3 delete_module finit_module fsopen init_module ioperm iopl kcmp kexec_file_load kexec_load keyctl
mount move_mount name_to_handle_at open_by_handle_at open_tree perf_event_open personality pivot_root process_vm_readv process_vm_writev
ptrace quotactl reboot request_key setdomainname sethostname setns settimeofday swapoff swapon umount2 unshare userfaultfd'''.split()


def under_profile(without=()):
    # The leak detector attaches to the process, which the profile forbids.
    asan = ':'.join(filter(None, [os.environ.get('ASAN_OPTIONS'), 'detect_leaks=0']))
    return {'preexec_fn': profile_filter(load_profile(PROFILE, without), NUMBERS), 'env': {**os.environ, 'ASAN_OPTIONS': asan}}


class TheFile(unittest.TestCase):
    def test_it_refuses_by_default_and_names_nothing_dangerous(self):
        profile = load_profile(PROFILE)
        self.assertEqual(profile['defaultAction'], 'SCMP_ACT_ERRNO')
        names = [name for group in profile['syscalls'] for name in group['names']]
        self.assertEqual(len(names), len(set(names)), 'a name stands there twice')
        self.assertEqual(set(names) & set(FORBIDDEN), set())
        self.assertLessEqual(set(IO_URING), set(names))

    def test_the_filter_shuts_what_it_should(self):
        refused = subprocess.run(['unshare', '--net', 'true'], capture_output=True, text=True, check=False, **under_profile())
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn(os.strerror(errno.ENOSYS), refused.stderr)


class UnderIt(unittest.TestCase):
    """The load generator and its target, both under the profile."""

    def target(self, without=()):
        return Target('--threads', '2', popen=under_profile(without))

    def check(self, outcome, backend, responses):
        self.assertEqual(outcome.code, 0, outcome.err)
        self.assertEqual((outcome.summary['responses'], outcome.errors()), (responses, {}))
        self.assertEqual(outcome.report['audit']['backend'], backend)

    def test_each_backend_carries_a_load(self):
        for backend in BACKENDS:
            with self.subTest(backend=backend), self.target() as target:
                for size in (0, 300000):
                    outcome = run_json('--backend', backend, '-t2', '-c20', '-n1000', f'{target.url}?size={size}', **under_profile())
                    self.check(outcome, backend, 1000)
                    self.assertEqual(outcome.report['transfer']['total_bytes'], 1000 * size)

    def test_auto_takes_io_uring_without_a_word(self):
        with self.target() as target:
            outcome = run_json('-t2', '-c5', '-d300ms', '-R', '500', target.url, **under_profile())
            self.assertEqual((outcome.code, outcome.err), (0, ''))
            self.assertEqual(outcome.report['audit']['backend'], 'io_uring')

    def test_without_the_three_calls_it_is_epoll(self):
        with self.target(IO_URING) as target:
            outcome = run_json('-t2', '-c20', '-n1000', target.url, **under_profile(IO_URING))
            self.check(outcome, 'epoll', 1000)
            self.assertRegex(outcome.err, r'\Aringload: backend io_uring was passed over: [^\n]*seccomp[^\n]*\n\Z')
            refused = run_json('--backend', 'io_uring', '-n10', target.url, **under_profile(IO_URING))
            self.assertEqual((refused.code, refused.out), (2, ''))
            self.assertIn('--backend epoll', refused.err)

    def test_names_files_and_lists(self):
        outcome = run('list', **under_profile())
        self.assertRegex(outcome.out, r'(?m)^  io_uring +available')
        outcome = run('-n1', 'http://no-such-host.invalid/', **under_profile())
        self.assertIn('no-such-host.invalid', outcome.err)
        with self.target() as target:
            saved = finish(start('-n20', '-O', '/dev/null', target.url.replace('127.0.0.1', 'localhost'), **under_profile()))
            self.assertEqual((saved.code, saved.err), (0, ''))


if __name__ == '__main__':
    if not NUMBERS or 'io_uring' not in BACKENDS or ' io_uring ' not in run('list', 'backends').out:
        print('no io_uring in this build, or no system call numbers to be found')
        sys.exit(77)
    unittest.main()
