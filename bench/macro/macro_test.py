#!/usr/bin/env python3
"""The judgement of the benches, on made-up figures and recorded outputs; and that nothing they start survives them."""
import json
import os
import signal
import socket
import subprocess
import sys
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import compare  # noqa: E402
import duel  # noqa: E402
import outputs  # noqa: E402
import queues  # noqa: E402
import run_matrix  # noqa: E402
from matrix_tools import Case, Tools  # noqa: E402
from process import BenchError, Pool, peak_rss_kib  # noqa: E402

WRK = '''Running 2m test @ http://127.0.0.1:18080/
  1 threads and 10 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency    82.73us  153.95us   4.15ms   99.17%
    Req/Sec   111.59k     2.85k  117.37k    80.00%
  Latency Distribution
     50%   77.00us
     75%   83.00us
     90%   91.00us
     99%    1.65ms
  110689 requests in 1.00s, 15.73MB read
  Socket errors: connect 1, read 2, write 3, timeout 4
  Non-2xx or 3xx responses: 7
Requests/sec: 110664.54
p99.9 2104.0 us
'''
H2LOAD = '''finished in 1.00s, 91875.39 req/s, 13.06MB/s
requests: 82687 total, 82697 started, 82687 done, 82680 succeeded, 3 failed, 4 errored, 0 timeout
status codes: 82680 2xx, 0 3xx, 7 4xx, 0 5xx
'''
HEY = '''Summary:
  Total:\t0.9788 secs
  Requests/sec:\t16968.1298

Latency distribution:
  50% in 0.0004 secs
  99% in 0.0047 secs

Status code distribution:
  [200]\t16608 responses
  [503]\t12 responses

Error distribution:
  [5]\tGet "http://127.0.0.1:18080/": EOF
'''
AB = '''Concurrency Level:      10
Complete requests:      55555
Failed requests:        2
   (Connect: 0, Receive: 0, Length: 2, Exceptions: 0)
Non-2xx responses:      3
'''


def ringload_json(**summary):
    return 'ringload\n' + json.dumps({
        'schema_version': 1, 'summary': {'requests': 110, 'responses': 100, 'failed': 0, 'transport_errors': 0, 'abandoned': 10, **summary},
        'latency_ms': {'p50': 0.5, 'p99': 1.25, 'p999': None}, 'audit': {'verdict': 'client_saturated', 'reason': 'busy'}}) + '\n'


class Outputs(unittest.TestCase):
    def test_wrk(self):
        reading = outputs.read_any(WRK)
        self.assertEqual((reading.answers, reading.errors), (110689, 17))
        self.assertEqual(reading.latency_us, {'p50': 77.0, 'p99': 1650.0, 'p99.9': 2104.0})

    def test_h2load(self):
        reading = outputs.read_any(H2LOAD)
        self.assertEqual((reading.answers, reading.errors), (82680, 7))

    def test_hey(self):
        reading = outputs.read_any(HEY)
        self.assertEqual((reading.answers, reading.errors), (16620, 17))
        self.assertEqual(reading.latency_us, {'p50': 400.0, 'p99': 4700.0})

    def test_ab(self):
        reading = outputs.read_any(AB)
        self.assertEqual((reading.answers, reading.errors), (55555, 5))

    def test_ringload(self):
        reading = outputs.read_any(ringload_json(failed=2, transport_errors=3))
        self.assertEqual((reading.answers, reading.errors), (100, 5))
        self.assertEqual(reading.latency_us, {'p50': 500.0, 'p99': 1250.0})
        self.assertEqual(reading.note, 'client_saturated: busy')

    def test_what_was_cut_off_is_no_error(self):
        self.assertEqual(outputs.read_ringload(ringload_json()).errors, 0)

    def test_nonsense_is_no_result(self):
        for text in ('', 'requests', '{', '{"summary": null}', 'unable to connect to 127.0.0.1:1 Connection refused\n'):
            self.assertIsNone(outputs.read_any(text), text)

    def test_pattern(self):
        self.assertEqual(outputs.read_pattern(r'n=(\d+) ')('n=12 x').answers, 12)
        self.assertIsNone(outputs.read_pattern(r'n=(\d+) ')('m=12 x'))


def run_of(answers, cpu_s, client=1.0, target=1.0, at_client=0, at_target=0, errors=0, queued=0.0, client_queued=0.0):
    return duel.Run(answers, 1.0, cpu_s, 0.0, client, client_queued, target, queued, 1024, errors, at_client, at_target)


class Summaries(unittest.TestCase):
    def test_ratios_are_made_within_a_repetition(self):
        # The machine is twice as fast in the second repetition; the ratio between the contestants is 2 in all.
        repetitions = [{'a': run_of(n, 1.0), 'b': run_of(2 * n, 1.0)} for n in (100, 200, 100)]
        row = duel.summarise(repetitions, 'a')[1]
        self.assertEqual((row['rate_ratio'], row['rate_ratio_mad'], row['cpu_ratio']), (2.0, 0.0, 2.0))
        self.assertEqual(row['requests_per_second'], 200)

    def test_bottleneck(self):
        for expected, run in (('client', run_of(1, 1, client=1.0, target=0.5)), ('target', run_of(1, 1, client=0.5, target=1.0)),
                              ('neither', run_of(1, 1, client=0.5, target=0.5)), ('unknown', run_of(1, 1, target=0)),
                              ('client', run_of(1, 1, at_client=90, at_target=9)), ('target', run_of(1, 1, at_client=9, at_target=90)),
                              ('neither', run_of(1, 1, at_client=50, at_target=49)),
                              ('client', run_of(1, 1, client=0.5, client_queued=0.5, at_client=90)),
                              ('target', run_of(1, 1, target=0.5, queued=0.5, at_target=90))):
            self.assertEqual(duel.bottleneck([run]), expected, run)

    def judged(self, run, spins=True):
        class Target:
            pass
        Target.spins = spins
        rows = duel.summarise([{'wrk': run}], 'wrk')
        return run_matrix.judge(Case('bundled', 100, 2, 1), Target, rows)

    def test_a_spinning_target_that_was_idle_makes_a_case_invalid(self):
        self.assertEqual(self.judged(run_of(1, 1, at_client=90)), 'valid')
        self.assertIn('NOT VALID', self.judged(run_of(1, 1, target=0.5)))
        self.assertEqual(self.judged(run_of(1, 1, target=0.5), spins=False), 'valid')

    def test_a_robbed_target_makes_a_case_invalid(self):
        self.assertIn('NOT VALID', self.judged(run_of(1, 1, queued=0.2), spins=False))

    def test_errors_make_a_case_invalid(self):
        self.assertIn('NOT VALID', self.judged(run_of(1, 1, errors=1)))

    def test_a_slow_target_is_named(self):
        self.assertIn('bottleneck of wrk', self.judged(run_of(1, 1, at_target=90)))


class Cases(unittest.TestCase):
    def test_patterns_choose(self):
        names = [case.name for case in run_matrix.choose_cases(['bundled', 'nginx'], ['nginx/c100/*/p1'], False)]
        self.assertEqual(names, ['nginx/c100/2B/p1', 'nginx/c100/4KiB/p1', 'nginx/c100/64KiB/p1', 'nginx/c100/1MiB/p1'])

    def test_a_pattern_without_a_case_is_refused(self):
        with self.assertRaises(BenchError):
            run_matrix.choose_cases(['bundled'], ['nginx/*'], False)

    def test_only_loopback(self):
        duel.only_loopback([['wrk', 'http://127.0.0.1:80/'], ['x', 'http://[::1]/'], ['y', 'http://localhost:1/']])
        for url in ('http://example.org/', 'http://127.0.0.1.example.org/', 'https://10.0.0.1:80/', 'http://[fe80::1]/'):
            with self.assertRaises(BenchError, msg=url):
                duel.only_loopback([['wrk', url]])

    def test_missing_tools_are_named(self):
        tools = Tools('/nowhere/ringload', '/nowhere/bare', '/tmp')
        self.assertTrue({'ringload', 'bare_loop'} <= set(tools.missing))


class Verdicts(unittest.TestCase):
    def test_judge(self):
        steady = [1.0, 1.001, 0.999]
        self.assertEqual(compare.judge([1.1, 1.11, 1.09], steady, 0.02)[0], 'faster')
        self.assertEqual(compare.judge([0.9, 0.91, 0.89], steady, 0.02)[0], 'slower')
        self.assertEqual(compare.judge([1.004, 1.0, 1.008], steady, 0.02)[0], 'no difference')

    def test_a_difference_within_the_spread_is_none(self):
        self.assertEqual(compare.judge([1.05, 0.98, 1.1], [1.0, 1.0, 1.0], 0.02)[0], 'no difference')

    def test_a_difference_that_the_base_shows_against_itself_is_none(self):
        self.assertEqual(compare.judge([0.97, 0.97, 0.97], [1.0, 0.96, 1.01], 0.02)[0], 'no difference')

    def test_no_judgement_when_the_base_moved(self):
        self.assertEqual(compare.judge([0.5, 0.5, 0.5], [1.04, 1.05, 1.03], 0.02)[0], 'no judgement')
        self.assertEqual(compare.judge([0.5, 0.5, 0.5], [1.0, 1.1, 0.9], 0.02)[0], 'no judgement')

    def test_exit_codes(self):
        steady = [1.0] * 3
        self.assertEqual(compare.table({'x': ([1.2] * 3, steady)}, 0.02)[1], 0)
        self.assertEqual(compare.table({'x': ([0.8] * 3, steady)}, 0.02)[1], 1)
        self.assertEqual(compare.table({'x': ([1.2] * 3, [1.1] * 3)}, 0.02)[1], 3)


COUNTER = '''
import signal, sys
n = 0
def end(*_):
    print(f'{n} requests in 1.00s', flush=True)
    sys.exit(0)
signal.signal(signal.SIGINT, end)
print('ready', flush=True)
while True:
    n += 1
'''
ALIVE = {'R', 'S', 'D', 'T', 't'}


def state_of(pid):
    try:
        with open(f'/proc/{pid}/stat') as file:
            return file.read().rpartition(')')[2].split()[0]
    except OSError:
        return 'gone'


class Processes(unittest.TestCase):
    SETTINGS = duel.Settings(slices=2, slice_s=0.005, reps=1, warm_s=0, cpu=min(os.sched_getaffinity(0)), priority=False)

    def test_a_duel_counts_both(self):
        contestants = [duel.Contestant(name, [sys.executable, '-c', COUNTER], ready=lambda process, _: 'ready' in process.text())
                       for name in ('a', 'b')]
        runs = duel.repetition(contestants, self.SETTINGS)
        for run in runs.values():
            self.assertGreater(run.answers, 0)
            self.assertGreater(run.cpu_us, 0)
            self.assertGreater(run.rss_kib, 0)

    def test_early_ends_are_refused_with_their_last_words(self):
        contestants = [duel.Contestant('x', [sys.executable, '-c', 'print("no such option")'], ready=lambda *_: False)]
        with self.assertRaisesRegex(BenchError, 'no such option'):
            duel.repetition(contestants, self.SETTINGS)

    def test_a_program_that_is_not_there(self):
        with self.assertRaisesRegex(BenchError, 'cannot start'), Pool() as pool:
            pool.start(['/nowhere/tool'])

    def test_nothing_survives_the_pool(self):
        with Pool() as pool:
            process = pool.start(['sleep', '600'])
            process.signal(signal.SIGSTOP)
            self.assertIn(state_of(process.pid), ALIVE)
        self.assertNotIn(state_of(process.pid), ALIVE)

    def test_nothing_survives_a_killed_driver(self):
        script = ('import sys, time; sys.path.insert(0, sys.argv[1]); from process import Pool; pool = Pool(); '
                  'print(pool.start(["sleep", "600"]).pid, flush=True); time.sleep(600)')
        driver = subprocess.Popen([sys.executable, '-c', script, HERE], stdout=subprocess.PIPE)
        child = int(driver.stdout.readline())
        driver.kill()
        driver.wait()
        driver.stdout.close()
        for _ in range(500):
            if state_of(child) not in ALIVE:
                break
            time.sleep(0.01)
        self.assertNotIn(state_of(child), ALIVE)

    def test_memory_is_that_of_the_contestant(self):
        with Pool() as pool:
            process = pool.start(['sleep', '600'])
            for _ in range(500):
                with open(f'/proc/{process.pid}/comm') as comm:
                    if 'sleep' in comm.read():
                        break
                time.sleep(0.01)
            self.assertLess(peak_rss_kib(process.pid), peak_rss_kib(os.getpid()))


class Queues(unittest.TestCase):
    def test_unread_octets_are_found_on_the_side_that_does_not_read(self):
        with socket.create_server(('127.0.0.1', 0)) as listener:
            port = listener.getsockname()[1]
            with socket.create_connection(('127.0.0.1', port)) as client, listener.accept()[0] as server:
                ports = queues.client_ports(port)
                self.assertEqual(ports, {client.getsockname()[1]})
                self.assertEqual(queues.waiting(port, ports), (0, 0))
                client.sendall(b'x')
                self.assertEqual(queues.waiting(port, ports), (0, 1))
                server.recv(1)
                server.sendall(b'y')
                self.assertEqual(queues.waiting(port, ports), (1, 0))


if __name__ == '__main__':
    unittest.main()
