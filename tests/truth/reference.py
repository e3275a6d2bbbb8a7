"""ringload beside the clients that people know, in alternating pairs on one target: what one says more than the other, and how surely."""
import re
import shutil
import subprocess

import theory
from experiments import Row
from lab import AHEAD, Target, load

_MS = {'us': 1e-3, 'ms': 1.0, 's': 1e3}
FIGURES = ('requests/s', 'mean', 'p50', 'p75', 'p90', 'p99')


def installed(tool):
    return shutil.which(tool) is not None


def _ms(text):
    number, unit = re.fullmatch(r'([\d.]+)(us|ms|s)', text).groups()
    return float(number) * _MS[unit]


def read_wrk(text):
    """Figures in milliseconds; wrk prints three digits of each."""
    figures = {'requests/s': float(re.search(r'Requests/sec:\s+([\d.]+)', text)[1]),
               'mean': _ms(re.search(r'Latency\s+([\d.]+[a-z]+)', text)[1])}
    for percent in (50, 75, 90, 99):
        figures[f'p{percent}'] = _ms(re.search(rf'^\s+{percent}(?:\.000)?%\s+([\d.]+[a-z]+)', text, re.M)[1])
    return figures


def run_wrk(tool, url, connections, seconds, *options):
    done = subprocess.run([tool, '-t1', f'-c{connections}', f'-d{seconds}', '--latency', *options, url], capture_output=True, text=True,
                          timeout=60, check=True, **AHEAD)
    return read_wrk(done.stdout)


def figures_of(report, key='latency_ms'):
    latency = report[key]
    return {'requests/s': report['summary']['requests_per_second'], 'mean': latency['avg'], 'p50': latency['p50'], 'p75': latency['p75'],
            'p90': latency['p90'], 'p99': latency['p99']}


def pairs(backend, count=5, seconds=2, connections=16, options=('--delay', '1ms', '--jitter', '1ms')):
    """Ratios of ringload's figures to wrk's, one list for each figure; the order is reversed every time."""
    ratios = {name: [] for name in FIGURES}
    with Target(*options) as target:
        for number in range(count):
            both = {}
            for who in ('wrk', 'ringload') if number % 2 == 0 else ('ringload', 'wrk'):
                if who == 'wrk':
                    both[who] = run_wrk('wrk', target.url, connections, seconds)
                else:
                    both[who] = figures_of(load('--backend', backend, '-t1', '-c', connections, '-d', seconds, target.url).report)
            for name in FIGURES:
                ratios[name].append(both['ringload'][name] / both['wrk'][name])
    return ratios


def bias_rows(ratios, share=0.03, tail=0.05):
    """The bias in per cent with its interval of confidence; a bias within the interval is none that was shown."""
    rows = []
    for name, values in ratios.items():
        mean, half = theory.mean_and_interval(values)
        row = Row(f'{name}, ringload to wrk', 0, (mean - 1) * 100, plus=100 * (tail if name == 'p99' else share), unit='%')
        row.interval = half * 100
        rows.append(row)
    return rows
