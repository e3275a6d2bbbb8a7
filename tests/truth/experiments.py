"""Experiments whose outcome is known beforehand. Each returns rows of what was expected and what was measured, for tests to judge and
for the bench to print, and the runs behind them."""
import os
import signal
import time
from dataclasses import dataclass

import theory
from lab import Target, finish, load, start

MS = 1e6
PLUGINS = os.environ.get('RINGLOAD_TRUTH_PLUGINS', '')


@dataclass
class Row:
    name: str
    expected: float
    measured: float
    share: float = 0.0  # how far off a test allows it to be: a share of what is expected,
    plus: float = 0.0  # and an allowance
    unit: str = 'ms'

    @property
    def off(self):
        return abs(self.measured - self.expected)

    @property
    def bound(self):
        return abs(self.expected) * self.share + self.plus

    @property
    def holds(self):
        return self.off <= self.bound


def percentile_rows(what, values_ns, latency, share, plus, keys=('p50', 'p90', 'p99', 'max')):
    """Rows for a latency object of the report against the values that it should be made of."""
    percents = {'p50': 50, 'p75': 75, 'p90': 90, 'p95': 95, 'p99': 99, 'p999': 99.9, 'max': 100}
    return [Row(f'{what} {key}', theory.rank(values_ns, percents[key]) / MS, latency[key], share, plus) for key in keys]


def frozen_target(backend, rate=4000, seconds=4.5, after=0.8, length=2.6, connections=100):
    """The target is stopped for a known time. What was due meanwhile has waited for it, sent or not."""
    with Target() as target:
        process = start('--backend', backend, '-t1', '-c', connections, '-R', rate, '-d', seconds, '-T', '20s', target.url)
        time.sleep(after)
        target.send_signal(signal.SIGSTOP)
        stopped = time.monotonic_ns()
        time.sleep(length)
        thawed = time.monotonic_ns()
        target.send_signal(signal.SIGCONT)
        run = finish(process)
        arrivals = target.arrivals()
    due = theory.constant(rate, seconds)
    begin = theory.start_of(arrivals, due)
    # How fast it worked off what had piled up is the target's own affair, so it is taken from its own record.
    first = theory.count_between(arrivals, 0, thawed)
    last = next((k for k in range(first, len(arrivals)) if arrivals[k] - begin - due[k] < 2 * MS), len(arrivals) - 1)
    capacity = (last - first) / max(1, arrivals[last] - thawed)
    service = run.report['latency_ms']
    expected = [held + service['p50'] * MS for held in theory.frozen(due, stopped - begin, thawed - begin, capacity)]
    rows = percentile_rows('corrected', expected, run.report['corrected_latency_ms'], 0.05, 3)
    halt = (thawed - stopped) / MS
    rows.append(Row('service p99', service['p50'], service['p99'], 0, 0.05 * halt))
    rows.append(Row('service max', halt, service['max'], 0.05, 3))
    held = run.histogram().counts
    slow = sum(count for index, count in held.items() if run.histogram().low(index) > halt * MS / 2)
    rows.append(Row('requests that were out when it stopped', connections, slow, 0, 0, ''))
    return rows, run, arrivals


def own_stall(backend, threads=1, rate=1000, seconds=2.5, stall_ms=150):
    """One fill() of the source sleeps, and with it the worker's loop. The client is late, and must say so."""
    with Target() as target:
        run = load('--backend', backend, '--plugin-path', PLUGINS, '--source', 'truth_stall', f'--truth_stall.stall={stall_ms}ms',
                   '-t', threads, '-c', 50 * threads, '-R', rate, '-d', seconds, target.url)
        arrivals = target.arrivals()
    words = run.err.split()
    if 'stalled' not in words:
        raise AssertionError(f'the source did not stall: exit {run.code}, {run.err}')
    stalled, woke = (int(word) for word in words[words.index('stalled') + 1:][:2])
    due = theory.constant(rate, seconds)
    begin = theory.start_of(arrivals, due)
    # Worker 0 owns every threads-th slot from the first one on.
    late = [max(0, woke - begin - when) if k % threads == 0 and when >= stalled - begin else 0 for k, when in enumerate(due)]
    report = run.report
    service = report['latency_ms']
    keys = ('p50', 'p95', 'p99', 'max') if threads == 1 else ('p50', 'p99', 'max')
    rows = percentile_rows('send delay', late, report['send_delay_ms'], 0.02, 3, keys)
    rows += percentile_rows('corrected', [one + service['p50'] * MS for one in late], report['corrected_latency_ms'], 0.02, 3, keys)
    rows.append(Row('service p99', service['p50'], service['p99'], 0, 15))
    rows.append(Row('worst stall in the audit', (woke - stalled) / MS, report['audit']['worst_stall_ms'], 0.02, 2))
    # The slots after the stall are where they were: the least late of the last 200 is as late as the least late of the first.
    late = theory.lateness(arrivals, due)
    rows.append(Row('shift of the timeline behind it', 0, (min(late[-200:]) - min(late[:200])) / MS, 0, 0.3))
    silent = theory.count_between(arrivals, stalled + 5 * MS, woke)
    own = sum(1 for k, when in enumerate(due) if k % threads and stalled - begin + 5 * MS <= when < woke - begin)
    rows.append(Row('arrivals while it stood', own, silent, 0.05, 1, ''))
    return rows, run, arrivals


def mixture(backend, every=5, fast_ms=5, slow_ms=40, count=1000, connections=4):
    """The target answers in a short time, every n-th time in a long one."""
    with Target('--delay', f'{fast_ms}ms', '--every', f'{every}:{slow_ms}ms') as target:
        run = load('--backend', backend, '-t1', '-c', connections, '-n', count, target.url)
        received = target.stats()['requests_received']
    histogram = run.histogram()
    rows = []
    edge = 100 - 100 / every  # where the one passes into the other
    for percent in range(10, 100, 10):
        if percent == edge:
            continue
        known = fast_ms if percent < edge else slow_ms
        rows.append(Row(f'service p{percent}', known, histogram.value_at(percent) / MS, 0.02, 0.2))
    limit = (fast_ms + slow_ms) / 2 * MS
    slow = sum(n for index, n in histogram.counts.items() if histogram.low(index) > limit)
    rows.append(Row('slow answers', count // every, slow, 0, 0, ''))
    mean = fast_ms + (slow_ms - fast_ms) / every
    rows.append(Row('service mean', mean, run.report['latency_ms']['avg'], 0.02, 0.2))
    rows.append(Row('requests', count, received, 0, 0, ''))
    return rows, run


def pipelined(backend, depth=16, delay_ms=20, rounds=30):
    """Requests that go out together and are answered together each take the target's time, not the batch's."""
    with Target('--delay', f'{delay_ms}ms') as target:
        run = load('--backend', backend, '-t1', '-c1', '--pipeline', depth, '-n', depth * rounds, target.url)
        received = target.stats()['requests_received']
    latency = run.report['latency_ms']
    rows = [Row(f'service {key}', delay_ms, latency[key], 0.02, 0.5) for key in ('min', 'p50', 'p90')]
    rows.append(Row('latencies', depth * rounds, latency['count'], 0, 0, ''))
    rows.append(Row('requests', depth * rounds, received, 0, 0, ''))
    rows.append(Row('run time', rounds * delay_ms, run.summary['elapsed_seconds'] * 1e3, 0.1, 5))
    return rows, run


def constant_rate(backend, rate=500, seconds=4, threads=2, connections=8):
    """Arrivals against the plan: each on time, the last ones as well as the first."""
    with Target() as target:
        run = load('--backend', backend, '-t', threads, '-c', connections, '-R', rate, '-d', seconds, target.url)
        arrivals = target.arrivals()
    due = theory.constant(rate, seconds)
    rows = [Row('arrivals', len(due), len(arrivals), 0, 0, '')]
    late = theory.lateness(arrivals, due)
    tenth = max(1, len(late) // 10)
    least = [min(late[k:k + tenth]) for k in range(0, len(late) - tenth + 1, tenth)]
    rows.append(Row('drift over the run (least late of each tenth)', 0, (max(least) - min(least)) / MS, 0, 0.3))
    rows.append(Row('late, p50', 0, theory.rank(late, 50) / MS, 0, 0.5))
    rows.append(Row('late, p90', 0, theory.rank(late, 90) / MS, 0, 5))
    seen = (len(arrivals) - 1) / (arrivals[-1] - arrivals[0]) * theory.SECOND
    rows.append(Row('rate seen by the target', rate, seen, 0.01, 0, '/s'))
    rows.append(Row('rate in the report', rate, run.schedule['attained_per_second'], 0.001, 0, '/s'))
    return rows, run, late


def overload(backend, delay_ms=10, connections=4, factor=2, seconds=2.0):
    """More than the target can answer: what was attained is shown as it was, and the lag grows along a known line."""
    capacity = connections / (delay_ms / 1e3)
    rate = capacity * factor
    with Target('--delay', f'{delay_ms}ms') as target:
        run = load('--backend', backend, '-t1', '-c', connections, '-R', rate, '-d', seconds, target.url)
        received = target.stats()['requests_received']
    slots = run.schedule
    service = run.report['latency_ms']
    rows = [Row('scheduled', rate * seconds, slots['scheduled'], 0, 0, ''),
            Row('issued, of what arrived', received, slots['issued'], 0, 0, ''),
            Row('scheduled, of its parts', slots['issued'] + slots['skipped'] + slots['shed'], slots['scheduled'], 0, 0, ''),
            Row('attained', received / seconds, slots['attained_per_second'], 0.001, 0, '/s'),
            Row('attainment', 100 / factor * delay_ms / service['avg'], slots['attainment_percent'], 0.03, 0, '%')]
    # Each connection sends again as soon as it has its answer; an answer takes what the target's delay and the way there and back take.
    round_ns = service['avg'] * MS
    lag = [max(0.0, k // connections * round_ns - k * 1e9 / rate) for k in range(slots['issued'])]
    rows += percentile_rows('send delay', lag, run.report['send_delay_ms'], 0.03, 10)
    rows += percentile_rows('corrected', [one + round_ns for one in lag], run.report['corrected_latency_ms'], 0.03, 10)
    rows.append(Row('service p50', delay_ms, service['p50'], 0.02, 0.3))
    return rows, run
