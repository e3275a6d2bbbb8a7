"""The histograms of a report as an HdrHistogram library of others reads them (npm's hdr-histogram-js): the same figures as in the report.

The library is installed beside this test's results, by its lock file, without running anything of it. Without npm, or where it cannot be
fetched, the test says so and is skipped.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from lab import BACKENDS, Experiment, Target, load

HERE = pathlib.Path(__file__).resolve().parent / 'oracle'
FOLDER = pathlib.Path(os.environ.get('RINGLOAD_TRUTH_PLUGINS', '.')) / 'oracle'
MODULE = FOLDER / 'node_modules/hdr-histogram-js'
PERCENTS = {'min': '0', 'p50': '50', 'p75': '75', 'p90': '90', 'p95': '95', 'p99': '99', 'p999': '99.9', 'max': '100'}


def install():
    """None, or why there is no oracle."""
    if not shutil.which('npm') or not shutil.which('node'):
        return 'npm and node are not installed'
    if (MODULE / 'package.json').exists():
        return None
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in ('package.json', 'package-lock.json'):
        shutil.copy(HERE / name, FOLDER / name)
    try:
        done = subprocess.run(['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'], cwd=FOLDER, capture_output=True, text=True,
                              timeout=180)
    except subprocess.TimeoutExpired:
        return 'npm did not get hdr-histogram-js within three minutes'
    words = (done.stderr.strip().splitlines() or ['no reason given'])[0]
    return None if done.returncode == 0 else f'npm could not get hdr-histogram-js: {words}'


def read_by_oracle(texts):
    done = subprocess.run(['node', HERE / 'decode.js', MODULE], input='\n'.join(texts), capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


class Histograms(Experiment):
    def compare(self, report):
        pairs = [(name, key) for name, key in (('service', 'latency_ms'), ('corrected', 'corrected_latency_ms'), ('send_delay', 'send_delay_ms'))
                 if report['histograms'][name]]
        for (name, key), read in zip(pairs, read_by_oracle([report['histograms'][name] for name, _ in pairs])):
            with self.subTest(name):
                self.agree(report[key], read)
        return len(pairs)

    def agree(self, latency, read):
        self.assertEqual(read['count'], latency['count'])
        for key, percent in PERCENTS.items():
            # The report keeps its extremes exactly; elsewhere both name the same bucket, which is a thousandth wide.
            ours, theirs = latency[key] * 1e6, read['at'][percent]
            self.assertLessEqual(abs(ours - theirs), max(1, 0.001 * ours), (key, ours, theirs))
        # The library takes the middle of each bucket.
        self.assertLessEqual(abs(latency['avg'] * 1e6 - read['mean']), max(1, 0.001 * latency['avg'] * 1e6))

    def each_on_a_schedule(self, backend):
        with Target('--jitter', '20ms', '--every', '50:200ms') as target:
            run = load('--backend', backend, '-t2', '-c20', '-R', 1500, '-n', 2000, '-T10s', target.url)
        self.check(run)
        self.assertEqual(self.compare(run.report), 3)

    def each_closed(self, backend):
        for count in (1, 8, 2000):
            with Target('--jitter', '3ms') as target:
                run = load('--backend', backend, '-t2', '-c8', '-n', count, target.url)
            self.check(run)
            self.assertGreaterEqual(self.compare(run.report), 1)


if __name__ == '__main__':
    missing = install()
    if missing:
        print(f'skipped: {missing}; the decoder of tests/golden reads the same histograms')
        sys.exit(77)
    assert BACKENDS
    unittest.main()
