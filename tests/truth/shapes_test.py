"""Odd shapes of runs: no figure that is none, no count that is off by one, no rate error from the start-up time."""
import theory
from experiments import Row
from lab import Experiment, Target, load, main


class Shapes(Experiment):
    def shaped(self, backend, *arguments, options=()):
        with Target(*options) as target:
            run = load('--backend', backend, *arguments, target.url)
            stats = target.stats()
        self.check(run)
        self.assertEqual(stats['requests_received'], run.summary['requests'])
        return run, stats

    def each_short_run(self, backend):
        for rate in ((), ('-R', 1000), ('-R', 1), ('-R', '1M'), ('-R', 1000, '--load-model', 'open'), ('--arrival', 'poisson', '-R', 500)):
            with self.subTest(rate=rate):
                run, _ = self.shaped(backend, '-d50ms', '-t2', '-c4', *rate)
                self.assertAlmostEqual(run.summary['elapsed_seconds'], 0.05, delta=0.001)

    def each_slots_of_a_short_run(self, backend):
        for rate, seconds in ((1000, 0.05), (30, 0.05), (20, 0.05), (21, 0.05), (1, 0.05)):
            run, _ = self.shaped(backend, '-R', rate, '-d', f'{seconds}s', '-t2', '-c4')
            self.assertEqual(run.schedule['scheduled'], len(theory.constant(rate, seconds)), rate)

    def each_rate_below_the_threads(self, backend):
        for threads, rate, seconds, slots in ((8, 4, 2, 8), (12, 10, 2, 20), (4, '0.5', 3, 2), (3, '90/m', 2, 3)):
            run, _ = self.shaped(backend, '-t', threads, '-c', threads, '-R', rate, '-d', seconds)
            self.assertEqual((run.schedule['scheduled'], run.schedule['issued']), (slots, slots))

    def each_low_rates_end_on_time(self, backend):
        for rate, seconds, slots in ((10, 2, 20), (1, 2, 2), ('0.5', 3, 2)):
            run, _ = self.shaped(backend, '-R', rate, '-d', seconds)
            self.assertEqual(run.schedule['issued'], slots)
            self.assertAlmostEqual(run.summary['elapsed_seconds'], seconds, delta=0.001)

    def each_same_number_each_time(self, backend):
        for _ in range(4):
            run, _ = self.shaped(backend, '-R', 60, '-d1s', '-t2', '-c4')
            self.assertEqual(run.schedule['scheduled'], 60)
            self.assertEqual(run.schedule['issued'] + run.schedule['skipped'], 60)

    def each_one_schedule_without_a_slow_tail(self, backend):
        """17 times 5 a second over 10 connections, 170 requests: over after 2 s less one gap."""
        def experiment():
            run, _ = self.shaped(backend, '-R', 85, '-c10', '-n170', '-t3')
            self.judge([Row('run time', 2 - 1 / 85, run.summary['elapsed_seconds'], plus=0.05, unit='s'),
                        Row('attained', 85, run.schedule['attained_per_second'], share=0.01, unit='/s')])
        self.tries(experiment)

    def each_one_connection_for_four_threads(self, backend):
        run, stats = self.shaped(backend, '-t4', '-c1', '-n50')
        self.assertEqual((run.summary['requests'], stats['connections_accepted']), (50, 1))
        run, stats = self.shaped(backend, '-t4', '-c1', '-R', 100, '-d500ms')
        self.assertEqual((run.schedule['scheduled'], stats['connections_accepted']), (50, 1))

    def each_count_below_the_connections(self, backend):
        for count, connections, threads in ((49, 50, 2), (3, 10, 4), (1, 10, 2), (1, 1, 1), (7, 8, 8)):
            for rate in ((), ('-R', 500)):
                run, _ = self.shaped(backend, '-n', count, '-c', connections, '-t', threads, *rate)
                self.assertEqual(run.summary['ok'], count)

    def each_connections_are_all_opened(self, backend):
        _, stats = self.shaped(backend, '-t8', '-c15', '-d300ms')
        self.assertEqual(stats['connections_accepted'], 15)

    def each_few_answers(self, backend):
        """Nearest rank: with 8 answers p95 and p99 are the largest, with one all are the same."""
        run, _ = self.shaped(backend, '-n8', '-c2', '-t1', options=('--jitter', '5ms'))
        latency = run.report['latency_ms']
        self.assertEqual((latency['p95'], latency['p99'], latency['p999']), (latency['max'],) * 3)
        run, _ = self.shaped(backend, '-n1', '-c1', '-t1')
        latency = run.report['latency_ms']
        self.assertEqual(len({latency[key] for key in ('min', 'p50', 'p99', 'max')}), 1)
        self.shaped(backend, '-n50', '-c5', '-t2', options=('--jitter', '20ms'))

    def each_thousand_connections(self, backend):
        run, stats = self.shaped(backend, '-t2', '-c1000', '-n4000', '-T30s')
        self.assertEqual(run.summary['ok'], 4000)
        self.assertLessEqual(stats['connections_accepted'], 1000)
        run, stats = self.shaped(backend, '-t2', '-c1000', '-R', 2000, '-d1s', '-T30s')
        self.assertEqual(run.schedule['scheduled'], 2000)
        self.assertEqual(stats['connections_accepted'], 1000)

    def each_workers_add_up(self, backend):
        run, stats = self.shaped(backend, '-t4', '-c8', '-n1003')
        self.assertEqual(run.histogram().total(), 1003)
        self.assertEqual(sum(worker['connections'] for worker in run.report['audit']['workers']), 8)
        self.assertEqual(sum(row['responses'] for row in run.report['series']), 1003)
        self.assertEqual(stats['responses_sent'], 1003)

    def each_series_adds_up_on_a_schedule(self, backend):
        run, _ = self.shaped(backend, '-t2', '-c8', '-R', 300, '-d2500ms')
        series = run.report['series']
        self.assertEqual(sum(row['responses'] for row in series), run.summary['responses'])
        self.assertAlmostEqual(sum(row['length_seconds'] for row in series), 2.5, delta=0.01)


if __name__ == '__main__':
    main()
