"""Halts: the target's are charged to the corrected latency, the client's own to the send delay too, and the audit names the culprit."""
import signal
import time

import experiments
from lab import Experiment, Target, finish, main, start


class Halts(Experiment):
    def each_frozen_target(self, backend):
        def experiment():
            rows, run, arrivals = experiments.frozen_target(backend)
            self.check(run)
            self.assertEqual(len(arrivals), run.schedule['issued'])
            self.judge(rows)
            self.assertEqual(run.report['audit']['verdict'], 'valid', run.report['audit']['reason'])
            self.assertIn('target was the bottleneck', run.report['audit']['reason'])
        self.tries(experiment)

    def each_frozen_to_the_end(self, backend):
        """A target that stops and never goes on: what waited for it is skipped, and it is the target's doing, not the client's."""
        def experiment(model):
            with Target() as target:
                process = start('--backend', backend, '-t1', '-c40', '-R', 500, '-d2s', '-T9s', '--load-model', model, target.url)
                time.sleep(1.2)
                target.send_signal(signal.SIGSTOP)
                run = finish(process)
                target.send_signal(signal.SIGCONT)
            self.check(run)
            self.assertEqual(run.summary['abandoned'], 40)
            self.assertEqual(run.report['send_delay_ms']['count'], run.schedule['issued'])
            self.assertGreater(run.schedule['skipped'] + (run.schedule['dropped'] or 0), 100)
            self.assertEqual(run.report['audit']['verdict'], 'valid', run.report['audit']['reason'])
            self.assertIn('target was the bottleneck', run.report['audit']['reason'])
        for model in ('scheduled', 'open'):
            with self.subTest(model=model):
                self.tries(experiment, model)

    def each_own_stall(self, backend):
        for threads in (1, 2):
            with self.subTest(threads=threads):
                self.tries(self.stalled, backend, threads)

    def stalled(self, backend, threads):
        rows, run, arrivals = experiments.own_stall(backend, threads)
        self.check(run)
        self.assertEqual(len(arrivals), run.schedule['issued'])
        self.judge(rows)
        audit = run.report['audit']
        self.assertEqual(audit['verdict'], 'client_saturated')
        self.assertIn('stood still', audit['reason'])
        self.assertGreaterEqual(max(worker['worst_stall_ms'] for worker in audit['workers']), 149)

    def test_a_stall_that_is_not_too_long_but_makes_requests_late(self):
        def experiment():
            _, run, _ = experiments.own_stall('epoll', stall_ms=90)
            self.check(run)
            self.assertGreater(run.report['send_delay_ms']['p99'], 10)
            self.assertEqual(run.report['audit']['verdict'], 'client_saturated')
            self.assertIn('stood still', run.report['audit']['reason'])
        self.tries(experiment)

    def test_a_short_run_beside_it_is_not_blamed(self):
        """The same source without its stall: so it was the stall that the audit saw."""
        def experiment():
            rows, run, _ = experiments.own_stall('epoll', stall_ms=1)
            self.check(run)
            self.assertEqual(run.report['audit']['verdict'], 'valid', run.report['audit']['reason'])
            self.assertLess(run.report['send_delay_ms']['p99'], 10)
            self.assertTrue(rows)
        self.tries(experiment)


if __name__ == '__main__':
    main()
