#!/usr/bin/env python3
"""The bundled target seen from outside: its options, its answers, its faults.

Delays are only checked from below: an answer may come late on a busy machine, but never early.
"""

import contextlib
import os
import pathlib
import signal
import subprocess
import time
import unittest

from target import PATIENCE_S, WRAPPER, Target, serve_command, until

PLAIN = b'GET / HTTP/1.1\r\nHost: t\r\n\r\n'


def run(*options):
    done = subprocess.run(serve_command() + [str(o) for o in options], capture_output=True, text=True, timeout=PATIENCE_S)
    return done.returncode, done.stdout, done.stderr


class CommandLine(unittest.TestCase):
    def test_help_names_every_group_and_exits_well(self):
        code, out, err = run('--help')
        self.assertEqual((code, err), (0, ''))
        for word in ('Usage:', '--listen ADDR', '--chunked[=SIZE]', '--every N:TIME', '--record-arrivals', '/stats', 'SIGUSR1'):
            self.assertIn(word, out)
        self.assertLessEqual(max(map(len, out.split('\n'))), 120)

    def test_each_mistake_is_one_line_and_exit_2(self):
        cases = [
            (['--sise', '5'], 'did you mean --size?'),
            (['--max-conections=3'], 'did you mean --max-connections?'),
            (['--quux-zork', '5'], '--help lists them'),
            (['8080'], 'the port is --port N'),
            (['-p', '80'], 'only options'),
            (['--port'], 'a value is missing'),
            (['--port', '65536'], 'from 0 to 65535'),
            (['--port', '80x'], '"80x"'),
            (['--listen', ''], 'is not an address'),
            (['--listen', 'no.such.host.invalid'], 'names no address'),
            (['--threads', '0'], 'thread count'),
            (['--threads', '-1'], 'thread count'),
            (['--cpu', '1-'], 'list of CPUs'),
            (['--cpu', '3-1'], 'list of CPUs'),
            (['--spin=yes'], 'takes no value'),
            (['--for', '0'], 'a time'),
            (['--for', '5 s'], 'a time'),
            (['--delay', '-1ms'], 'a time'),
            (['--delay', 'inf'], 'a time'),
            (['--delay', '1e3'], 'a time'),
            (['--delay', ''], 'a time'),
            (['--jitter', '10q'], 'a time'),
            (['--size', '12x'], 'a size'),
            (['--size', '64kib'], 'a size'),
            (['--size', '99999999999999999999'], 'a size'),
            (['--head', '20'], 'takes at least'),
            (['--head', '0'], 'head size'),
            (['--status', '99'], 'a status mix'),
            (['--status', '200=0.5,503=0.4'], 'add up to 1'),
            (['--status', '200,503'], 'a status mix'),
            (['--chunked=0'], 'a chunk size'),
            (['--chunked='], 'a chunk size'),
            (['--every', '10'], 'a mixture'),
            (['--every', '0:1s'], 'a mixture'),
            (['--slow', '0/1ms'], 'a dribble'),
            (['--requests-per-connection', '0'], 'whole number'),
            (['--max-connections', '0'], 'whole number'),
            (['--seed', '1.5'], 'whole number'),
            (['--reset', '1.01'], 'a probability'),
            (['--never', '101%'], 'a probability'),
            (['--half', 'x'], 'a probability'),
            (['--garbage', '0.6', '--half', '0.6'], 'together exceed 1'),
            (['--freeze-for', '0'], 'a time'),
            (['--record-arrivals', '0'], 'whole number'),
            (['--cpu', '1000', '--port', '0'], 'cannot pin'),
        ]
        for options, words in cases:
            with self.subTest(options=options):
                code, out, err = run(*options)
                self.assertEqual((code, out), (2, ''))
                self.assertIn(words, err)
                self.assertTrue(err.startswith('ringload serve: ') and err.endswith('\n') and err.count('\n') == 1, err)

    @unittest.skipIf(WRAPPER, 'a target on Windows has one worker')
    def test_a_taken_port_is_refused_also_with_several_threads(self):
        with Target('--threads', 2) as target:
            for threads in (1, 2):
                code, out, err = run('--port', target.port, '--threads', threads)
                self.assertEqual((code, out), (2, ''))
                self.assertIn(f'--port {target.port}', err)
                self.assertIn('in use', err)

    def test_listens_on_ipv6(self):
        with Target('--listen', '[::1]') as target:
            self.assertEqual(target.url, f'http://[::1]:{target.port}/')
            self.assertEqual(target.get().body, b'ok')

    def test_ends_on_signals_with_a_summary(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            target = Target()
            target.get()
            code, said = target.stop(number)
            self.assertEqual(code, 0)
            self.assertEqual(said.count('\n'), 1)
            self.assertIn('1 requests received, 1 answered', said)

    def test_ends_by_itself(self):
        before = time.monotonic()
        self.assertEqual(Target('--for', '300ms').wait()[0], 0)
        self.assertGreaterEqual(time.monotonic() - before, 0.3)

    @unittest.skipIf(WRAPPER, 'a target on Windows has one worker')
    def test_threads_are_made_and_pinned(self):
        cpu = min(os.sched_getaffinity(0))
        with Target('--threads', 3, '--cpu', cpu) as target:
            tasks = f'/proc/{target.process.pid}/task'
            allowed = [pathlib.Path(tasks, task, 'status').read_text().split('Cpus_allowed_list:')[1].split()[0] for task in os.listdir(tasks)]
            self.assertGreaterEqual(len(allowed), 4)
            self.assertGreaterEqual(allowed.count(str(cpu)), 3)
            for _ in range(30):
                self.assertEqual(target.get().status, 200)
            self.assertTrue(until(lambda: target.stats()['responses_sent'] == 30))
            self.assertEqual(target.stats()['connections_accepted'], 30)

    def test_spin_burns_its_core_while_idle(self):
        def used(target):
            return sum(map(int, pathlib.Path(f'/proc/{target.process.pid}/stat').read_text().rsplit(')', 1)[1].split()[11:13]))

        with Target('--spin') as target:
            start = used(target)
            self.assertTrue(until(lambda: used(target) - start >= 5))
            self.assertEqual(target.get().body, b'ok')


class Answers(unittest.TestCase):
    def test_sizes(self):
        for option, size in (('0', 0), ('1', 1), ('4096', 4096), ('64KiB', 65536), ('3MiB', 3 << 20), ('10kB', 10000)):
            with self.subTest(size=option), Target('--size', option) as target:
                answer = target.get()
                self.assertEqual((len(answer.body), answer.fields['content-length']), (size, str(size)))
                self.assertEqual(answer.body[:2], b'ok'[:size])

    def test_a_huge_answer_is_announced_and_flows(self):
        with Target('--size', '1GiB') as target, target.connect() as wire:
            self.assertEqual(target.get(method='HEAD').fields['content-length'], str(1 << 30))
            wire.send_request()
            wire.take_until(b'\r\n\r\n')
            # Lines of 64 octets that count themselves, modulo the pattern of 256 KiB.
            for _ in range(3):
                lines = wire.take(1 << 18)
                self.assertEqual(lines[:10], b'ok 000000 ')
                self.assertEqual(lines[-64:-53], b'ok 262080 .')

    def test_heads_of_exact_size(self):
        for size in (120, 121, 150, 183, 184, 185, 573, 4096, 65536):
            with self.subTest(size=size), Target('--head', size) as target, target.connect() as wire:
                for headers in ((), ('Connection: close',)):
                    wire.send_request(headers=headers)
                    self.assertEqual(len(wire.read_response().head), size)

    def test_chunks(self):
        with Target('--chunked=1000', '--size', '2500') as target, target.connect() as wire:
            wire.send_request()
            octets = wire.take_until(b'\r\n0\r\n\r\n')
            body = octets.split(b'\r\n\r\n', 1)[1]
            self.assertEqual(body[:5] + body[1005:1012] + body[2012:2019], b'3e8\r\n' + b'\r\n3e8\r\n' + b'\r\n1f4\r\n')
        with Target('--size', 100_000) as target:
            plain = target.get().body
            for chunked in ('1', '7', '16KiB', '100000', '1MiB'):
                answer = target.get(f'/?chunked={chunked}')
                self.assertEqual(answer.fields.get('transfer-encoding'), 'chunked')
                self.assertEqual(answer.body, plain)
            self.assertEqual(target.get('/?chunked=1&size=0').body, b'')

    def test_statuses_are_mixed_as_asked_and_repeatable(self):
        def sequence(seed):
            with Target('--status', '200=0.7,503=0.2,404=0.1', '--seed', seed) as target, target.connect() as wire:
                wire.send(PLAIN * 400)
                statuses = [wire.read_response().status for _ in range(400)]
                self.assertEqual(target.stats()['statuses'], {str(s): statuses.count(s) for s in set(statuses)})
                return statuses

        first = sequence(7)
        self.assertEqual(first, sequence(7))
        self.assertNotEqual(first, sequence(8))
        self.assertTrue(230 < first.count(200) < 330 and 40 < first.count(503) < 130 and 10 < first.count(404) < 80)

    def test_statuses_without_a_body(self):
        with Target('--size', 10) as target, target.connect() as wire:
            for status in (204, 304, 404, 599):
                wire.send_request(f'/?status={status}')
                answer = wire.read_response()
                self.assertEqual((answer.status, len(answer.body)), (status, 0 if status in (204, 304) else 10))
            self.assertEqual(target.get('/?status=204').fields.get('content-length'), None)
        with Target('--status', '404') as target:
            self.assertEqual(target.get().status, 404)

    def test_closing(self):
        with Target('--close-per-request') as target, target.connect() as wire:
            wire.send(PLAIN * 2)
            self.assertEqual(wire.read_response().fields['connection'], 'close')
            self.assertEqual(wire.read_to_end(), b'')
        with Target('--requests-per-connection', 3) as target, target.connect() as wire:
            wire.send(PLAIN * 5)
            answers = [wire.read_response() for _ in range(3)]
            self.assertEqual([a.fields.get('connection') for a in answers], [None, None, 'close'])
            self.assertEqual(wire.read_to_end(), b'')
            self.assertEqual(target.stats()['responses_sent'], 3)

    def test_the_url_overrides_the_options(self):
        with Target('--size', 5, '--delay', '50ms', '--chunked') as target:
            before = time.monotonic()
            answer = target.get('/any/path?x=1&size=4096&head=573&delay=0&status=404&chunked=0&close=1')
            self.assertEqual((answer.status, len(answer.head), len(answer.body)), (404, 573, 4096))
            self.assertEqual(answer.fields['connection'], 'close')
            target.get('/?delay=120ms')
            self.assertGreaterEqual(time.monotonic() - before, 0.12)

    def test_the_url_is_checked(self):
        with Target() as target:
            for query in ('size=x', 'head=10', 'delay=5q', 'status=99', 'chunked=x', 'close=2', 'fault=x', 'slow=5', 'jitter=-1'):
                with self.subTest(query=query):
                    answer = target.get('/?' + query)
                    self.assertEqual(answer.status, 400)
                    self.assertIn(query.split('=')[0].encode(), answer.body)
            self.assertEqual(target.get('/?id=5&sizes=x').status, 200)


class Time(unittest.TestCase):
    def elapsed(self, wire, target='/'):
        before = time.monotonic()
        wire.send_request(target)
        wire.read_response()
        return time.monotonic() - before

    def test_delay_and_jitter(self):
        with Target('--delay', '30ms', '--jitter', '40ms', '--seed', 3) as target, target.connect() as wire:
            times = [self.elapsed(wire) for _ in range(8)]
            self.assertGreaterEqual(min(times), 0.03)
            self.assertGreaterEqual(max(times), 0.05)

    def test_the_known_mixture(self):
        with Target('--every', '3:100ms') as target, target.connect() as wire:
            times = [self.elapsed(wire) for _ in range(6)]
            self.assertGreaterEqual(min(times[2], times[5]), 0.1)
        with Target('--delay', '10s', '--every', '1:1ms') as target:
            self.assertEqual(target.get().status, 200)  # the mixture's time stands instead of the delay

    def test_a_dribbled_body(self):
        with Target('--size', 350, '--slow', '100/30ms') as target, target.connect() as wire:
            before = time.monotonic()
            wire.send_request()
            head = wire.take_until(b'\r\n\r\n')
            self.assertIn(b'Content-Length: 350', head)
            self.assertEqual(len(wire.take(100)), 100)
            wire.take(250)
            self.assertGreaterEqual(time.monotonic() - before, 0.09)
            self.assertGreaterEqual(self.elapsed(wire, '/?slow=10/20ms&size=25'), 0.04)

    def test_answers_keep_their_order(self):
        with Target() as target, target.connect() as wire:
            wire.send(b''.join(b'GET /?size=%d&delay=%dms HTTP/1.1\r\nHost: t\r\n\r\n' % (n, 60 - 20 * n) for n in range(4)))
            self.assertEqual([len(wire.read_response().body) for _ in range(4)], [0, 1, 2, 3])

    def test_freeze_and_thaw(self):
        with Target() as target, target.connect() as wire, target.connect() as late:
            wire.send(PLAIN)
            wire.read_response()
            target.send_signal(signal.SIGUSR1)
            frozen = lambda: (wire.send(PLAIN), target.stats()['requests_received'] > target.stats()['responses_sent'])[1]
            self.assertTrue(until(frozen))
            late.send(PLAIN)
            self.assertTrue(until(lambda: target.stats()['connections_accepted'] == 2))
            stats = target.stats()
            self.assertGreater(stats['requests_received'], stats['responses_sent'])
            target.send_signal(signal.SIGUSR2)
            self.assertEqual(late.read_response().status, 200)
            self.assertTrue(until(lambda: target.stats()['requests_received'] == target.stats()['responses_sent']))

    def test_a_freeze_that_ends_by_itself(self):
        before = time.monotonic()
        with Target('--freeze', '--freeze-for', '250ms') as target:
            self.assertEqual(target.get().status, 200)
            self.assertGreaterEqual(time.monotonic() - before, 0.25)
            target.send_signal(signal.SIGUSR1)
            with target.connect() as wire:
                wire.send(PLAIN * 50)
                self.assertEqual([wire.read_response().status for _ in range(50)], [200] * 50)


class Faults(unittest.TestCase):
    def test_reset(self):
        for options, path in ((('--reset', '1'), '/'), ((), '/?fault=reset')):
            with Target(*options) as target, target.connect() as wire:
                wire.send_request(path)
                with self.assertRaises(ConnectionResetError):
                    wire.read_to_end()
                stats = target.stats()
                self.assertEqual((stats['resets'], stats['requests_received'], stats['responses_sent']), (1, 1, 0))

    def test_garbage(self):
        for options, path in ((('--garbage', '100%'), '/'), ((), '/?fault=garbage')):
            with Target(*options) as target, target.connect() as wire:
                wire.send_request(path)
                octets = wire.read_to_end()
                self.assertTrue(octets and not octets.startswith(b'HTTP'))
                self.assertTrue(until(lambda: target.stats()['garbage'] == 1))

    def test_half(self):
        for options, path in ((('--half', '1', '--size', 1000), '/'), ((), '/?fault=half&size=1000')):
            with Target(*options) as target, target.connect() as wire:
                wire.send_request(path)
                octets = wire.read_to_end()
                head = octets.index(b'\r\n\r\n') + 4
                self.assertEqual(len(octets), (head + 1000) // 2)
                self.assertTrue(until(lambda: target.stats()['halves'] == 1))
                self.assertEqual(target.stats()['responses_sent'], 0)

    def test_never(self):
        for options, path in ((('--never', '1'), '/'), ((), '/?fault=never')):
            with Target(*options) as target, target.connect() as wire:
                wire.send_request(path)
                wire.send_request(path)
                self.assertTrue(until(lambda: target.stats()['nevers'] == 2))
                wire.socket.settimeout(0.05)
                with self.assertRaises(TimeoutError):
                    wire.fill()
                wire.socket.close()
                self.assertTrue(until(lambda: target.stats()['connections_open'] == 0))

    def test_faults_come_in_their_shares(self):
        with Target('--reset', '0.2', '--half', '0.2', '--garbage', '20%') as target:
            for _ in range(200):
                with target.connect() as wire:
                    wire.send(PLAIN)
                    with contextlib.suppress(ConnectionResetError):
                        wire.fill()
            self.assertTrue(until(lambda: target.stats()['requests_received'] == 200))
            stats = target.stats()
            kinds = [stats[key] for key in ('responses_sent', 'resets', 'halves', 'garbage')]
            self.assertEqual(sum(kinds), 200)
            self.assertTrue(min(kinds) > 15 and kinds[0] > 50, kinds)

    def test_connections_beyond_the_limit_are_ignored(self):
        with Target('--max-connections', 2) as target, target.connect() as one, target.connect() as two, target.connect() as three:
            for wire in (one, two):
                wire.send(PLAIN)
                self.assertEqual(wire.read_response().status, 200)
            three.send(PLAIN)
            self.assertTrue(until(lambda: target.stats()['connections_ignored'] == 1))
            three.socket.settimeout(0.05)
            with self.assertRaises(TimeoutError):
                three.fill()
            stats = target.stats()
            self.assertEqual((stats['requests_received'], stats['connections_open']), (2, 3))
            one.socket.close()
            self.assertTrue(until(lambda: target.stats()['connections_open'] == 2))
            self.assertEqual(target.get().status, 200)


if __name__ == '__main__':
    unittest.main(verbosity=1)
