"""The parts of run_truth: each takes the settings and returns rows. What is measured stands in tests/truth/experiments.py."""
import math
from dataclasses import dataclass

import experiments
import reference
import theory
from experiments import MS, Row
from lab import Target, load


@dataclass
class Cell(Row):
    """A figure of which nothing is expected, for a table of its own: a line and a column there."""
    line: str = ''
    column: str = ''
    plus: float = math.inf


@dataclass
class Settings:
    backends: list
    quick: bool
    pairs: int

    def each(self, experiment, **shape):
        """The experiment's rows for every backend, named after it."""
        rows = []
        for backend in self.backends:
            for row in experiment(backend, **shape)[0]:
                row.name = f'{backend}: {row.name}'
                rows.append(row)
        return rows


def frozen(s):
    return s.each(experiments.frozen_target, **({'seconds': 1.2, 'after': 0.2, 'length': 0.6} if s.quick else {}))


def stall(s):
    return s.each(experiments.own_stall, **({'seconds': 1.5} if s.quick else {}))


def mixture(s):
    return s.each(experiments.mixture, **({'count': 100} if s.quick else {}))


def pipelining(s):
    return s.each(experiments.pipelined, **({'rounds': 5} if s.quick else {}))


def overload(s):
    return s.each(experiments.overload, **({'seconds': 0.5} if s.quick else {}))


def rate(s):
    """1000/s for 10 s: the number to the request, the rate to a thousandth."""
    return s.each(experiments.constant_rate, rate=1000, seconds=1 if s.quick else 10, threads=1)


def arrivals_of(s, arguments, due, what):
    rows = []
    for backend in s.backends:
        with Target() as target:
            load('--backend', backend, '-t1', '-c50', *arguments, target.url)
            seen = target.arrivals()
        late = theory.lateness(seen, due)
        rows.append(Row(f'{backend}: {what}: arrivals', len(due), len(seen), unit=''))
        rows += [Row(f'{backend}: {what}: late, p{percent}', 0, theory.rank(late, percent) / MS, plus=5) for percent in (50, 90, 99, 100)]
    return rows


def poisson(s, rate_asked, seconds):
    """Three runs with one seed have the same plan; what one had late by the machine's doing, another had not."""
    rows = []
    for backend in s.backends:
        runs = []
        for _ in range(3):
            with Target() as target:
                load('--backend', backend, '-t1', '-c50', '-R', rate_asked, '-d', seconds, '--arrival', 'poisson', target.url)
                runs.append(target.arrivals())
        seen = theory.cleanest(runs)
        gaps = [b - a for a, b in zip(seen, seen[1:])]
        rows.append(Row(f'{backend}: Poisson: arrivals', rate_asked * seconds, max(map(len, runs)), plus=4 * math.sqrt(rate_asked * seconds), unit=''))
        distance = theory.kolmogorov_smirnov(gaps, lambda gap: 1 - math.exp(-gap * rate_asked / theory.SECOND))
        rows.append(Row(f'{backend}: Poisson: Kolmogorov-Smirnov', 0, distance, plus=theory.kolmogorov_smirnov_limit(len(gaps)), unit=''))
    return rows


def arrivals(s):
    scale = 0.25 if s.quick else 2
    stages = [(scale, 100), (scale, 400), (scale, 50)]
    text = ','.join(f'{seconds}s:{rate_there}' for seconds, rate_there in stages)
    return (arrivals_of(s, ('-R', 500, '-d', scale), theory.constant(500, scale), 'constant') +
            arrivals_of(s, ('--stages', text), theory.staged(stages), 'stages') +
            poisson(s, 200, 2 * scale))


def send_delay(s):
    """What the tool itself adds: how late it sends, per rate, way of waiting and backend."""
    rows = []
    for asked in (1000,) if s.quick else (1000, 10_000, 50_000):
        for backend in [*s.backends, 'null']:
            for wait in ('spin', 'auto', 'sleep'):
                with Target(record=1) as target:
                    run = load('--backend', backend, '-t1', '-c64', '-R', asked, '-d', 0.2 if s.quick else 1.5, '--wait', wait, target.url)
                delay, shape = run.report['send_delay_ms'], f'{asked // 1000} k/s {backend} {wait}'
                cells = {'p50 us': delay['p50'] * 1e3, 'p99 us': delay['p99'] * 1e3, 'p99.9 us': delay['p999'] * 1e3,
                         'response p50 us': run.report['corrected_latency_ms']['p50'] * 1e3,
                         'CPU %': run.report['audit']['client_cpu_percent'], 'attained %': run.schedule['attainment_percent']}
                rows += [Cell(f'{shape}: {column}', 0, value, unit='', line=shape, column=column) for column, value in cells.items()]
    return rows


def against_the_target(s):
    """Lateness in the report beside lateness at the target, which has the way there in it as well and knows nothing of ringload."""
    rows = []
    for backend in s.backends:
        with Target() as target:
            run = load('--backend', backend, '-t1', '-c10', '-R', 1000, '-d', 0.3 if s.quick else 4, target.url)
            arrivals_seen = target.arrivals()
        late = theory.lateness(arrivals_seen, theory.constant(1000, 0.3 if s.quick else 4))
        for key, percent in (('p50', 50), ('p90', 90), ('p99', 99), ('max', 100)):
            there = theory.rank(late, percent) / 1e3
            ours = run.report['send_delay_ms'][key] if key != 'p90' else run.decile_ms(90, 'send_delay')
            rows.append(Row(f'{backend}: late, {key}: at the target, in the report', there, ours * 1e3, share=0.1, plus=200, unit='us'))
        rows.append(Row(f'{backend}: response time p50', 0, run.report['corrected_latency_ms']['p50'] * 1e3, plus=math.inf, unit='us'))
    return rows


def beside_wrk(s):
    if not reference.installed('wrk'):
        print('\nbeside wrk: left out, wrk is not installed')
        return []
    rows = []
    for backend in s.backends:
        ratios = reference.pairs(backend, count=2 if s.quick else s.pairs, seconds=1 if s.quick else 2)
        for row in reference.bias_rows(ratios):
            row.name = f'{backend}: {row.name}'
            rows.append(row)
    return rows


def beside_wrk2(s):
    """Response time from the schedule at 1 k/s; wrk2's own timer has a resolution of a millisecond, so that its figure is no reference."""
    if not reference.installed('wrk2'):
        print('\nbeside wrk2: left out, wrk2 is not installed')
        return []
    rows = []
    for backend in s.backends:
        with Target() as target:
            other = reference.run_wrk('wrk2', target.url, 10, 2, '-R1000')
            own = reference.figures_of(load('--backend', backend, '-t1', '-c10', '-R1000', '-d2s', target.url).report, 'corrected_latency_ms')
        rows += [Row(f'{backend}: {key}: wrk2, ringload', other[key], own[key], plus=math.inf) for key in ('p50', 'p90', 'p99')]
    return rows


PARTS = {'frozen target': frozen, 'own stall': stall, 'known mixture': mixture, 'pipelining': pipelining, 'overload': overload,
         'rate': rate, 'arrivals': arrivals, 'send delay': send_delay, 'against the target': against_the_target, 'beside wrk': beside_wrk,
         'beside wrk2': beside_wrk2}
