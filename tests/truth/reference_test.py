"""wrk and ringload in alternating pairs: they agree about one target. Loose bounds; bench/truth prints the bias itself."""
import statistics
import sys
import unittest

import reference
from lab import Experiment


class BesideWrk(Experiment):
    def each_pairs(self, backend):
        def experiment():
            ratios = reference.pairs(backend, count=4, seconds=1)
            for name, values in ratios.items():
                self.assertLess(abs(statistics.median(values) - 1), 0.3 if name == 'p99' else 0.1, (name, values))
        self.tries(experiment)


class Reader(unittest.TestCase):
    def test_what_wrk_prints(self):
        text = ('  Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Latency     1.71ms  350.00us   5.12ms   70.00%\n'
                '  Latency Distribution\n     50%    1.70ms\n     75%  990.00us\n     90%    2.10ms\n     99%    1.02s \n'
                '  18000 requests in 2.00s, 1.00MB read\nRequests/sec:   9000.10\n')
        self.assertEqual(reference.read_wrk(text), {'requests/s': 9000.1, 'mean': 1.71, 'p50': 1.7, 'p75': 0.99, 'p90': 2.1, 'p99': 1020.0})


if __name__ == '__main__':
    if not reference.installed('wrk'):
        print('skipped: wrk is not installed')
        sys.exit(77)
    unittest.main()
