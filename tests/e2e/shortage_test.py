#!/usr/bin/env python3
"""io_uring that runs out of something: while workers make their rings, and in the midst of a run, where submissions are refused."""

import errno
import os
import sys
import unittest

from program import finish, run, run_json, start
from target import Target

LIBRARY = os.environ['RINGLOAD_FAULTY_URING']


def faulty(**faults):
    """For Popen: the library in front of liburing, told what is to fail."""
    return {'env': os.environ | {'LD_PRELOAD': LIBRARY} | faults}


class Rings(unittest.TestCase):
    def test_a_worker_without_a_ring_ends_the_run_before_traffic(self):
        for error, words in ((errno.ENOMEM, 'ulimit -l'), (errno.EMFILE, 'ulimit -n'), (errno.ENFILE, 'ulimit -n')):
            for first in (1, 3):
                with self.subTest(error=errno.errorcode[error], first=first), Target() as target:
                    outcome = run_json('--backend', 'io_uring', '-t3', '-c9', '-n900', target.url, **faulty(RL_FAULT_RING=f'{first}:{error}'))
                    self.assertEqual(outcome.code, 2)
                    self.assertRegex(outcome.err, r'\Aringload: [^\n]+\n\Z')
                    for expected in (os.strerror(error), words, '--backend epoll'):
                        self.assertIn(expected, outcome.err)
                    self.assertEqual(target.stats()['connections_accepted'], 0)


class Submissions(unittest.TestCase):
    SHORTAGES = (errno.EAGAIN, errno.EBUSY, errno.ENOMEM, errno.ENOBUFS)

    def test_what_is_refused_now_and_then_goes_out_later(self):
        for error in self.SHORTAGES:
            for kernel in ('auto', '5.15'):
                with self.subTest(error=errno.errorcode[error], kernel=kernel), Target() as target:
                    words = ('--backend', 'io_uring', f'--io_uring.kernel={kernel}', '-T0', '-t2', '-c20', '-n2000', target.url + '?size=500')
                    outcome = run_json(*words, **faulty(RL_FAULT_ENTER=f'3:2:{error}'))
                    self.assertEqual((outcome.code, outcome.summary['responses'], outcome.errors()), (0, 2000, {}), outcome.err)
                    self.assertEqual(target.stats()['requests_received'], 2000)

    def test_a_full_queue_outlasts_refusals(self):
        with Target() as target:
            words = ('--backend', 'io_uring', '--io_uring.submission_entries=8', '-T0', '-t1', '-c200', '-n4000', target.url)
            outcome = run_json(*words, **faulty(RL_FAULT_ENTER=f'3:2:{errno.EBUSY}'))
            self.assertEqual((outcome.code, outcome.summary['responses'], outcome.errors()), (0, 4000, {}), outcome.err)

    def test_what_is_refused_for_good_ends_the_run_with_what_was_measured(self):
        for error in (errno.ENOMEM, errno.EBADF):
            with self.subTest(error=errno.errorcode[error]), Target() as target:
                outcome = run_json('--backend', 'io_uring', '-T0', '-t1', '-c5', '-d10m', target.url, **faulty(RL_FAULT_ENTER=f'200:1:{error}'))
                self.assertEqual(outcome.code, 2, outcome.err)
                self.assertRegex(outcome.err, rf'(?m)^ringload: [^\n]*io_uring_enter failed[^\n]*{os.strerror(error)}')
                self.assertGreater(outcome.summary['responses'], 0)
                self.assertLess(outcome.summary['elapsed_seconds'], 600)


if __name__ == '__main__':
    if ' io_uring ' not in run('list', 'backends').out or finish(start('list', 'backends', **faulty())).code != 0:
        print('io_uring does not work here, or nothing can be loaded in front of it')
        sys.exit(77)
    unittest.main()
