"""What every experiment of this folder needs: client and target with priority, the target's own record, and figures that cannot lie.

An experiment compares what ringload reports with what can be computed beforehand, or with what the target itself wrote down. A busy
machine makes every figure late, never early, and does so anew each time; so what is judged by time may be tried again (`tries`), while
counts must be exact at once. A fault of ringload does not go away by trying again.
"""
import contextlib
import ctypes
import math
import os
import pathlib
import signal
import sys
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / 'tests/e2e'), str(ROOT / 'tests/golden')]

import program  # noqa: E402
import target  # noqa: E402
from hdr_decode import Decoded  # noqa: E402

BACKENDS = program.BACKENDS
TRIES = 5
_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


def _ahead():
    """In the child: ends with its parent, and goes before all others where the user may do that."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    with contextlib.suppress(OSError):
        pathlib.Path('/proc/self/autogroup').write_text('-20')
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, -20)


AHEAD = {'preexec_fn': _ahead, 'start_new_session': True}


class Target(target.Target):
    """The bundled target with priority; keeps its arrivals."""

    def __init__(self, *options, record=200_000):
        super().__init__('--record-arrivals', record, *options, popen=AHEAD)

    def arrivals(self):
        """CLOCK_MONOTONIC in nanoseconds, ascending; all of them."""
        stats = self.stats('arrivals=1')
        if stats['arrivals_lost']:
            raise AssertionError(f"{stats['arrivals_lost']} arrivals were not kept: give the target more room")
        return stats['arrivals']


class Load(program.Outcome):
    """A finished run, and what each report must hold whatever happened."""

    @property
    def schedule(self):
        return self.report['schedule']

    def histogram(self, name='service'):
        return Decoded(self.report['histograms'][name])

    def decile_ms(self, percent, name='service'):
        return self.histogram(name).value_at(percent) / 1e6


def start(*arguments):
    return program.start('-o', 'json', *arguments, **AHEAD)


def finish(process):
    outcome = program.finish(process)
    if outcome.code == 2:
        raise AssertionError(f'the run was refused: {outcome.err}')
    return Load(outcome.code, outcome.out, outcome.err)


def load(*arguments):
    return finish(start(*arguments))


def leaves(node, path=''):
    """All numbers of a report with their places."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield from leaves(value, f'{path}.{key}')
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from leaves(value, f'{path}[{index}]')
    elif isinstance(node, (int, float)) and not isinstance(node, bool):
        yield path, node


class Experiment(unittest.TestCase):
    """each_* methods run once for every backend, test_* once."""

    def test_every_backend(self):
        for name in sorted(n for n in dir(self) if n.startswith('each_')):
            for backend in BACKENDS:
                with self.subTest(name, backend=backend):
                    getattr(self, name)(backend)

    def tries(self, experiment, *arguments):
        """Until one try holds; the last one's words if none does."""
        for left in reversed(range(TRIES)):
            try:
                return experiment(*arguments)
            except AssertionError as failure:
                if left == 0:
                    raise
                print(f'once more, since {failure}'[:400], file=sys.stderr)
                time.sleep(0.2)
        return None

    def judge(self, rows):
        off = [f'{row.name}: {row.measured:.4f} {row.unit}, not {row.expected:.4f} +-{row.bound:.4f}' for row in rows if not row.holds]
        self.assertFalse(off, off)

    def check(self, run, code=0):
        """Sums that hold exactly, percentiles in order, no figure that is none."""
        self.assertEqual(run.code, code, run.err)
        report, s = run.report, run.summary
        self.assertEqual(s['requests'], s['responses'] + s['transport_errors'] + s['abandoned'], s)
        self.assertEqual(s['responses'], s['ok'] + s['failed'], s)
        self.assertEqual(s['responses'], sum(run.statuses().values()))
        self.assertEqual(s['transport_errors'], sum(run.errors().values()))
        self.assertEqual(report['latency_ms']['count'], s['responses'])
        if run.schedule:
            slots = run.schedule
            self.assertEqual(slots['scheduled'], slots['issued'] + slots['skipped'] + (slots['dropped'] or 0) + slots['shed'], slots)
            self.assertEqual(slots['issued'], s['requests'])
        for name in ('latency_ms', 'corrected_latency_ms', 'send_delay_ms'):
            self.check_order(report[name])
        for place, value in leaves(report):
            self.assertTrue(math.isfinite(value), place)
            self.assertGreaterEqual(value, 0, place)
        self.assertTrue(all(row['passed'] in (True, None) for row in report['audit']['checks']), report['audit']['checks'])
        return run

    def check_order(self, latency):
        if latency is None or latency['count'] == 0:
            return
        ranks = [latency[key] for key in ('min', 'p50', 'p75', 'p90', 'p95', 'p99', 'p999', 'max')]
        self.assertEqual(ranks, sorted(ranks))
        self.assertTrue(latency['min'] <= latency['avg'] <= latency['max'], latency)


def main():
    unittest.main()
