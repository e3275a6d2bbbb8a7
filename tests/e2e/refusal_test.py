#!/usr/bin/env python3
"""Kernels and containers that allow less: io_uring barred by a seccomp filter, whole or in parts, and every mask of its abilities."""

import errno
import itertools
import os
import re
import sys
import unittest

from program import finish, run, run_json, start
from seccomp import refusing
from target import Target

# One number on every architecture (asm-generic).
IO_URING = {'setup': 425, 'enter': 426, 'register': 427}


def barred(*calls, error=errno.EPERM):
    return {'preexec_fn': refusing([IO_URING[name] for name in calls], error)}


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

    RUNGS = {'5.15': ('single receives', 'own buffers'), '6.0': ('multishot', 'fixed buffers', 'COOP_TASKRUN'),
             '6.1': ('multishot', 'fixed buffers', 'DEFER_TASKRUN'), '6.6': ('multishot', 'fixed buffers', 'DEFER_TASKRUN')}

    def test_every_rung(self):
        with Target('--threads', '2') as target:
            for kernel, words in self.RUNGS.items():
                for size in (0, 3000, 300000):
                    with self.subTest(kernel=kernel, size=size):
                        target.reset_stats()
                        outcome = run_json('--backend', 'io_uring', f'--io_uring.kernel={kernel}', '-t2', '-c25', '-n500', '--pipeline', '4',
                                           f'{target.url}?size={size}')
                        self.assertEqual((outcome.code, outcome.summary['responses'], outcome.errors()), (0, 500, {}), outcome.err)
                        self.assertEqual(outcome.report['transfer']['total_bytes'], 500 * size)
                        self.assertEqual(target.stats()['requests_received'], 500)
                        for word in words:
                            self.assertIn(word, outcome.out)

    def test_a_rung_is_listed_feature_by_feature(self):
        pages = {kernel: run('list', 'backends', f'--io_uring.kernel={kernel}').out for kernel in ('auto', *self.RUNGS)}
        features = re.findall(r'([^:\n]+) \(Linux (\d+)\.(\d+)\): (used|not used|not there)\n', pages['auto'])
        self.assertGreaterEqual(len(features), 14)
        for kernel in self.RUNGS:
            pretended = tuple(map(int, kernel.split('.')))
            for name, major, minor, _ in features:
                hidden = f'{name.strip()} (Linux {major}.{minor}): hidden by --io_uring.kernel\n' in pages[kernel]
                self.assertEqual(hidden, (int(major), int(minor)) > pretended, (kernel, name))
            taken, passed = ('epoll', 'COOP_TASKRUN (Linux 5.19)') if kernel == '5.15' else ('io_uring', '')
            self.assertIn(f'--backend auto takes {taken}', pages[kernel])
            self.assertIn(passed, pages[kernel])
        self.assertIn('--backend auto takes io_uring', pages['auto'])

    def test_an_option_that_a_rung_cannot_fulfil_is_refused(self):
        for option, since in (('taskrun=coop', '5.19'), ('taskrun=defer', '6.1'), ('receive=multishot', '6.0'), ('buffers=incremental', '6.12')):
            outcome = run_json('--backend', 'io_uring', '--io_uring.kernel=5.15', f'--io_uring.{option}', '-n1', 'http://127.0.0.1:9/')
            self.assertEqual((outcome.code, outcome.out), (2, ''))
            self.assertIn(f'it came with Linux {since}', outcome.err)
        outcome = run_json('--backend', 'io_uring', '--io_uring.kernel=5.14', '-n1', 'http://127.0.0.1:9/')
        self.assertEqual(outcome.code, 2)
        self.assertIn('5.15', outcome.err)

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
