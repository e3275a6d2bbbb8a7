#!/usr/bin/env python3
"""Tests of tools/testlog.py from outside: what it counts, and what it says about tests that did not pass."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

TESTLOG = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'testlog.py')


def entry(name, result, stdout=''):
    return {'name': 'ringload:' + name, 'result': result, 'duration': 1.25, 'stdout': stdout}


def count(entries):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'testlog.json')
        if entries is not None:
            with open(path, 'w', encoding='utf-8') as file:
                file.write('\n'.join(json.dumps(e) for e in entries) + '\n')
        done = subprocess.run([sys.executable, TESTLOG, path, 'asan'], capture_output=True, text=True, check=True)
        return done.stdout.splitlines()


class Testlog(unittest.TestCase):
    def test_every_result_is_counted_once(self):
        results = ['OK', 'OK', 'EXPECTEDFAIL', 'FAIL', 'TIMEOUT', 'ERROR', 'UNEXPECTEDPASS', 'INTERRUPT', 'SKIP']
        self.assertEqual(count([entry('unit / a', r) for r in results])[-1], '3 5 1')

    def test_failures_are_named(self):
        lines = count([entry('unit / a', 'OK'), entry('sim / b', 'TIMEOUT')])
        self.assertEqual(lines, ['  FAILED   asan: sim / b: timeout after 1.2 s', '1 1 0'])

    def test_a_skip_gives_its_reason(self):
        lines = count([entry('e2e / a', 'SKIP', 'looking\nio_uring is not permitted here\n\n'), entry('e2e / b', 'SKIP')])
        self.assertEqual(lines, ['  skipped  asan: e2e / a: io_uring is not permitted here',
                                 '  skipped  asan: e2e / b: it gave no reason', '0 0 2'])

    def test_cases_left_out_are_told(self):
        out = '[ RUN      ] A.b\n../tests/a_test.cpp:12: Skipped\nno IPv6 here\n\n[  SKIPPED ] A.b (0 ms)\n'
        self.assertEqual(count([entry('unit / a', 'OK', out + out)]), ['  left out asan: unit / a: no IPv6 here', '1 0 0'])

    def test_no_log_is_no_test(self):
        self.assertEqual(count(None), ['0 0 0'])
        self.assertEqual(count([]), ['0 0 0'])


if __name__ == '__main__':
    unittest.main()
