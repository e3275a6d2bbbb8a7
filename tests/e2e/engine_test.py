#!/usr/bin/env python3
"""Counts: what the program says it did is what the target received, over threads, connections, limits and faults, on every backend."""

import signal
import time
import unittest

from program import WRAPPER, EveryBackend, finish, needs_signals, run_json, start
from target import Target, until


class Counts(EveryBackend):
    def run_counted(self, target, backend, *arguments, path='', code=0):
        target.reset_stats()
        outcome = run_json('--backend', backend, *arguments, target.url + path)
        self.assertEqual(outcome.code, code, outcome.err)
        self.check_sums(outcome)
        return outcome, target.stats()

    def each_exact_number_of_requests(self, backend):
        with Target('--threads', '2') as target:
            for threads, connections, number in ((1, 1, 1), (1, 10, 3), (4, 1, 5), (8, 15, 1000), (3, 50, 49), (2, 7, 777)):
                with self.subTest(threads=threads, connections=connections, number=number):
                    outcome, seen = self.run_counted(target, backend, '-t', threads, '-c', connections, '-n', number)
                    self.assertEqual(outcome.summary['responses'], number)
                    self.assertEqual(seen['requests_received'], number)
                    self.assertLessEqual(seen['connections_accepted'], min(connections, number))

    def each_duration_ends_and_totals_agree(self, backend):
        with Target() as target:
            outcome, seen = self.run_counted(target, backend, '-t2', '-c9', '-d300ms')
            self.assertEqual(outcome.summary['responses'], seen['requests_received'])
            self.assertEqual(outcome.summary['connections_live'], 9)
            self.assertAlmostEqual(outcome.summary['elapsed_seconds'], 0.3, places=6)

    def each_count_and_duration_first_wins(self, backend):
        with Target() as target:
            outcome, _ = self.run_counted(target, backend, '-n5', '-c2', '-d30s')
            self.assertEqual(outcome.summary['responses'], 5)

    def each_all_connections_are_opened(self, backend):
        with Target() as target:
            _, seen = self.run_counted(target, backend, '-t8', '-c15', '-d200ms')
            self.assertEqual(seen['connections_open_max'], 15)

    def each_pipelining_counts_each_request(self, backend):
        with Target() as target:
            outcome, seen = self.run_counted(target, backend, '-t2', '-c4', '-n', 1000, '--pipeline', 16)
            self.assertEqual((outcome.summary['responses'], seen['requests_received']), (1000, 1000))
            self.assertLessEqual(seen['connections_accepted'], 4)

    def each_connection_per_request(self, backend):
        with Target() as target:
            outcome, seen = self.run_counted(target, backend, '-t1', '-c3', '-n30', '--disable-keepalive')
            self.assertEqual(outcome.summary['responses'], 30)
            self.assertEqual(seen['connections_accepted'], 30)

    def each_requests_per_connection(self, backend):
        with Target() as target:
            _, seen = self.run_counted(target, backend, '-t1', '-c1', '-n30', '--requests-per-connection', 10)
            self.assertEqual(seen['connections_accepted'], 3)
            _, seen = self.run_counted(target, backend, '-t1', '-c1', '-n100', '--requests-per-connection', '2:5')
            self.assertTrue(20 <= seen['connections_accepted'] <= 50, seen)

    def each_large_bodies_are_counted(self, backend):
        with Target() as target:
            for size in (65536, 1 << 20, 100 << 20):
                with self.subTest(size=size):
                    outcome, _ = self.run_counted(target, backend, '-t1', '-c2', '-n4', '-T30s', path=f'?size={size}')
                    self.assertEqual(outcome.report['transfer']['total_bytes'], 4 * size)

    def each_large_uploads_arrive_whole(self, backend):
        import binascii
        import os
        import tempfile
        body = os.urandom(3_000_000)
        with tempfile.NamedTemporaryFile() as file, Target() as target:
            file.write(body)
            file.flush()
            outcome, seen = self.run_counted(target, backend, '-t1', '-c3', '-n9', '-T30s', '--data-binary', '@' + file.name)
            self.assertEqual(outcome.summary['responses'], 9)
            self.assertEqual(seen['methods'], {'POST': 9})
            last = target.stats('last=1')['last']
            self.assertEqual(last['body_bytes'], len(body))
            self.assertEqual(int(last['body_crc32'], 16) if isinstance(last['body_crc32'], str) else last['body_crc32'], binascii.crc32(body))


class Faults(EveryBackend):
    def run_against(self, backend, options, *arguments, code=0):
        with Target(*options) as target:
            outcome = run_json('--backend', backend, *arguments, target.url)
            self.assertEqual(outcome.code, code, outcome.err)
            self.check_sums(outcome)
            return outcome, target.stats()

    def each_fault_has_its_own_word(self, backend):
        for options, word in ((('--garbage', '1'), 'protocol_error'), (('--half', '1'), 'connection_closed'),
                              (('--reset', '1'), 'connection_reset'), (('--never', '1'), 'request_timeout')):
            with self.subTest(word):
                outcome, _ = self.run_against(backend, options, '-t1', '-c2', '-n6', '-T200ms', code=3)
                self.assertEqual(outcome.errors(), {word: 6})
                self.assertEqual(outcome.report['verdict']['exit_code'], 3)
                self.assertIsNone(outcome.report['latency_ms']['p50'])

    def each_mixture_adds_up(self, backend):
        options = ('--reset', '0.1', '--garbage', '0.1', '--half', '0.1')
        outcome, seen = self.run_against(backend, options, '-t2', '-c8', '-n400', '-T500ms')
        self.assertEqual(outcome.summary['requests'], 400)
        self.assertEqual(seen['requests_received'], 400 + outcome.summary['retries'])

    def each_statuses_are_not_transport_errors(self, backend):
        outcome, _ = self.run_against(backend, ('--status', '200=0.5,503=0.5'), '-t1', '-c4', '-n200')
        self.assertEqual(set(outcome.statuses()), {200, 503})
        self.assertEqual(outcome.summary['transport_errors'], 0)

    def each_server_that_closes_costs_nothing_but_connections(self, backend):
        outcome, seen = self.run_against(backend, ('--requests-per-connection', '10'), '-t1', '-c2', '-n100')
        self.assertEqual((outcome.summary['responses'], outcome.summary['transport_errors']), (100, 0))
        self.assertGreaterEqual(seen['connections_accepted'], 10)

    def each_refused(self, backend):
        import socket
        with socket.socket() as closed:
            closed.bind(('127.0.0.1', 0))
            url = f'http://127.0.0.1:{closed.getsockname()[1]}/'
            outcome = run_json('--backend', backend, '-t2', '-c4', '-n1000', url)
        self.assertEqual(outcome.code, 3)
        self.check_sums(outcome)
        self.assertEqual(outcome.summary['requests'], 1000)
        self.assertEqual(set(outcome.errors()), {'connect_refused'})
        self.assertGreater(outcome.summary['abandoned'], 0)  # it gave up after a bounded number of attempts

    def each_timeout_zero_is_no_limit(self, backend):
        outcome, _ = self.run_against(backend, ('--delay', '300ms'), '-t1', '-c1', '-n1', '-T0')
        self.assertEqual(outcome.summary['responses'], 1)

    def each_killed_target_costs_little(self, backend):
        if WRAPPER:
            self.skipTest('wine takes longer to start than the target lives')
        target = Target()
        process = start('--backend', backend, '-o', 'json', '-t1', '-c50', '-d1500ms', target.url)
        time.sleep(0.5)
        target.process.kill()
        target.process.wait()
        outcome = finish(process)
        self.assertEqual(outcome.code, 0, outcome.err)
        self.check_sums(outcome)
        self.assertIn('connect_refused', outcome.errors())
        self.assertEqual(outcome.summary['connections_live'], 0)


@needs_signals
class Signals(EveryBackend):
    def each_signal_reports_what_was_measured(self, backend):
        for number, code, reason in ((signal.SIGINT, 130, 'interrupted'), (signal.SIGTERM, 143, 'terminated')):
            with self.subTest(reason), Target() as target:
                process = start('--backend', backend, '-o', 'json', '-t2', '-c4', '-d60s', target.url)
                self.assertTrue(until(lambda: target.stats()['requests_received'] > 20))
                process.send_signal(number)
                outcome = finish(process)
                self.assertEqual(outcome.code, code, outcome.err)
                self.check_sums(outcome)
                self.assertEqual(outcome.report['verdict']['reason'], reason)
                self.assertGreater(outcome.summary['responses'], 0)
                self.assertLess(outcome.summary['elapsed_seconds'], 30)

    def each_signal_ends_a_silent_run(self, backend):
        with Target('--never', '1') as target:
            process = start('--backend', backend, '-o', 'json', '-t1', '-c4', '-d60s', '-T0', target.url)
            self.assertTrue(until(lambda: target.stats()['requests_received'] == 4))
            process.send_signal(signal.SIGINT)
            outcome = finish(process)
            self.assertEqual(outcome.code, 130, outcome.err)
            self.assertEqual(outcome.summary['abandoned'], 4)


class Schedule(EveryBackend):
    def run_at(self, backend, *arguments, options=()):
        with Target(*options) as target:
            outcome = run_json('--backend', backend, *arguments, target.url)
            self.assertEqual(outcome.code, 0, outcome.err)
            self.check_sums(outcome)
            return outcome, target.stats()

    def each_number_of_slots_is_exact(self, backend):
        for threads, connections, rate, seconds, slots in ((2, 8, 30, 3, 90), (8, 8, 4, 2, 8), (12, 12, 10, 1, 10), (1, 1, '0.5', 3, 2),
                                                           (2, 10, '1k', 1, 1000), (3, 5, '120/m', 1, 2)):
            with self.subTest(threads=threads, rate=rate):
                outcome, seen = self.run_at(backend, '-t', threads, '-c', connections, '-R', rate, '-d', seconds)
                schedule = outcome.report['schedule']
                self.assertEqual(schedule['scheduled'], slots)
                self.assertEqual(schedule['scheduled'], schedule['issued'] + schedule['skipped'])
                self.assertEqual(seen['requests_received'], schedule['issued'])

    def each_late_slots_are_charged(self, backend):
        outcome, _ = self.run_at(backend, '-t1', '-c1', '-R', 100, '-d1s', options=('--delay', '50ms'))
        report = outcome.report
        self.assertEqual(report['schedule']['scheduled'], 100)
        self.assertGreater(report['schedule']['skipped'], 60)
        self.assertGreater(report['corrected_latency_ms']['p50'], 3 * report['latency_ms']['p50'])
        self.assertGreater(report['send_delay_ms']['p99'], 100)

    def each_closed_model_is_a_cap(self, backend):
        outcome, seen = self.run_at(backend, '-t2', '-c8', '-R', 200, '-d1s', '--load-model', 'closed')
        self.assertLessEqual(seen['requests_received'], 200)
        self.assertEqual(outcome.report['corrected_latency_ms'], outcome.report['latency_ms'] | {'count': outcome.report['corrected_latency_ms']['count']})


if __name__ == '__main__':
    unittest.main()
