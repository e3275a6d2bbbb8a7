"""Every request has one outcome, and the target agrees: never, late, half, refused, reset, garbage, and answers of every class."""
import json
import socket
import threading
import time

from lab import Experiment, Target, load, main, program


class OneEach(Experiment):
    """Each kind by itself: one counter holds all of them."""

    def counted(self, backend, options, word, count=30, method='POST', timeout='200ms'):
        with Target(*options) as target:
            run = load('--backend', backend, '-t1', '-c3', '-n', count, '-T', timeout, '-X', method, target.url)
            stats = target.stats()
        self.check(run, code=3)
        self.assertEqual(run.errors(), {word: count})
        self.assertEqual(stats['requests_received'], count + run.summary['retries'])
        self.assertEqual(run.summary['responses'], 0)
        self.assertIsNone(run.report['latency_ms']['max'])
        self.assertEqual(run.summary['requests_per_second'], 0)
        return run, stats

    def each_kind(self, backend):
        for options, word, key in ((('--never', '1'), 'request_timeout', 'nevers'), (('--half', '1'), 'connection_closed', 'halves'),
                                   (('--reset', '1'), 'connection_reset', 'resets'), (('--garbage', '1'), 'protocol_error', 'garbage')):
            with self.subTest(word):
                _, stats = self.counted(backend, options, word)
                self.assertEqual(stats[key], 30)

    def each_late_answer_is_no_answer(self, backend):
        """Answers after 600 ms where 150 ms are allowed; a tenth of them."""
        def experiment():
            with Target('--every', '10:600ms') as target:
                run = load('--backend', backend, '-t1', '-c2', '-n100', '-T150ms', target.url)
                received = target.stats()['requests_received']
            self.check(run)
            self.assertEqual(received, 100)
            self.assertEqual(run.errors(), {'request_timeout': 10})
            self.assertEqual(run.summary['ok'], 90)
            self.assertLess(run.report['latency_ms']['max'], 600)
        self.tries(experiment)

    def each_refused(self, backend):
        with socket.socket() as closed:
            closed.bind(('127.0.0.1', 0))
            run = load('--backend', backend, '-t1', '-c2', '-n10', f'http://127.0.0.1:{closed.getsockname()[1]}/')
        self.check(run, code=3)
        self.assertEqual(set(run.errors()), {'connect_refused'})
        self.assertEqual(run.summary['requests'], 10)
        self.assertEqual(run.report['socket_errors']['connect'], run.summary['transport_errors'])

    def each_silent_target_ends_in_time(self, backend):
        """Nothing is ever answered: the run takes its time and no longer, its rate is 0, all are time-outs or under way."""
        begin = time.monotonic()
        with Target('--never', '1') as target:
            run = load('--backend', backend, '-t2', '-c4', '-d1500ms', '-T500ms', target.url)
            received = target.stats()['requests_received']
        self.check(run, code=3)
        self.assertLess(time.monotonic() - begin, 20)
        self.assertAlmostEqual(run.summary['elapsed_seconds'], 1.5, delta=0.01)
        self.assertEqual(run.summary['requests_per_second'], 0)
        self.assertEqual(run.summary['requests'], received)
        self.assertEqual(set(run.errors()), {'request_timeout'})


class Mixtures(Experiment):
    OPTIONS = ('--reset', '0.04', '--garbage', '0.04', '--half', '0.04', '--never', '0.04', '--status', '200=0.8,404=0.1,503=0.1')

    def each_mixture_closed(self, backend):
        self.mixed(backend, '-X', 'POST', '-n', 600)

    def each_mixture_on_a_schedule(self, backend):
        self.mixed(backend, '-X', 'POST', '-n', 600, '-R', 600)

    def each_mixture_with_retries(self, backend):
        self.mixed(backend, '-n', 600, '-R', 600)

    def mixed(self, backend, *arguments):
        with Target(*self.OPTIONS) as target:
            run = load('--backend', backend, '-t2', '-c40', '-T400ms', *arguments, target.url)
            stats = target.stats()
        self.check(run)
        s, errors = run.summary, run.errors()
        self.assertEqual(s['requests'], 600)
        self.assertEqual(stats['requests_received'], 600 + s['retries'])
        seen = {'protocol_error': stats['garbage'], 'connection_closed': stats['halves'], 'request_timeout': stats['nevers'],
                'connection_reset': stats['resets'] - s['retries']}
        self.assertEqual(errors, {word: n for word, n in seen.items() if n})
        self.assertEqual(s['responses'], stats['responses_sent'])
        self.assertEqual(run.statuses(), {int(code): n for code, n in stats['statuses'].items()})
        self.assertEqual(s['ok'], stats['statuses']['200'])
        self.assertGreater(min(seen['protocol_error'], seen['connection_closed'], seen['request_timeout']), 5)
        if run.schedule:
            self.assertEqual(run.schedule['issued'], 600)
            self.assertEqual(run.report['corrected_latency_ms']['count'], 600)
            self.assertEqual(run.report['send_delay_ms']['count'], 600)

    def each_bytes_are_those_of_the_target(self, backend):
        with Target('--size', '3000') as target:
            run = load('--backend', backend, '-t2', '-c4', '-n200', target.url)
            stats = target.stats()
        self.check(run)
        transfer = run.report['transfer']
        self.assertEqual((transfer['sent_bytes'], transfer['received_bytes']), (stats['bytes_in'], stats['bytes_out']))
        self.assertEqual(transfer['total_bytes'], 200 * 3000)

    def each_fast_errors_do_not_hide_slow_answers(self, backend):
        """Seven refusals at once, three answers after 80 ms: each status has its own latency."""
        numbers, lock = iter(range(10**6)), threading.Lock()

        def script(connection, *_):
            with lock:
                slow = next(numbers) % 10 in (2, 5, 8)
            if slow:
                time.sleep(0.08)
            line = b'200 OK' if slow else b'429 Too Many Requests'
            connection.sendall(b'HTTP/1.1 ' + line + b'\r\nContent-Length: 0\r\n\r\n')

        with program.ScriptedServer(script) as server:
            run = load('--backend', backend, '-t1', '-c4', '-n200', f'http://127.0.0.1:{server.port}/')
        self.check(run)
        rows = {row['code']: row for row in run.report['statuses']}
        self.assertEqual((rows[200]['count'], rows[429]['count']), (60, 140))
        self.assertGreaterEqual(rows[200]['p50_ms'], 80)
        self.assertLess(rows[429]['p50_ms'], 40)

    def each_connections_that_are_never_served(self, backend):
        """Ten of forty connections get answers; the others show up as time-outs."""
        with Target('--max-connections', 10) as target:
            run = load('--backend', backend, '-t2', '-c40', '-d1200ms', '-T400ms', target.url)
            stats = target.stats()
        self.check(run)
        self.assertGreaterEqual(stats['connections_ignored'], 30)
        self.assertGreaterEqual(run.errors()['request_timeout'], 30)
        self.assertEqual(run.summary['responses'], stats['responses_sent'])


class Words(Experiment):
    """Times on the command line, as --dump-config understood them."""

    def test_times(self):
        for option, key, given in (('-T', 'timeout_seconds', {'1.5s': 1.5, '500ms': 0.5, '0.5': 0.5, '0': None}),
                                   ('-d', 'duration_seconds', {'1h30m': 5400, '90s': 90, '0.5s': 0.5, '500ms': 0.5, '30': 30})):
            for text, seconds in given.items():
                with self.subTest(option + text):
                    outcome = program.run(f'{option}{text}', '--dump-config', 'http://127.0.0.1:9/')
                    self.assertEqual(outcome.code, 0, outcome.err)
                    self.assertEqual(json.loads(outcome.out)[key] or None, seconds)


if __name__ == '__main__':
    main()
