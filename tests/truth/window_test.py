"""What belongs to the measured window: warm-ups leave nothing in it, limits end it, and exit codes judge it."""
import signal
import time

import theory
from experiments import MS, PLUGINS
from lab import Experiment, Target, finish, load, main, start


class WarmUp(Experiment):
    def each_by_time(self, backend):
        """Warm-up and window hit the target alike; the report holds the window alone, on the same connections."""
        with Target() as target:
            run = load('--backend', backend, '-t2', '-c6', '-R', 200, '-d1s', '--warmup', '1s', target.url)
            arrivals, stats = target.arrivals(), target.stats()
        self.check(run)
        self.assertEqual(stats['connections_accepted'], 6)
        self.assertEqual(run.schedule['scheduled'], 200)
        before = stats['requests_received'] - run.summary['requests']
        self.assertGreater(before, 100)
        self.assertLessEqual(before, 200)
        self.assertLessEqual(run.summary['elapsed_seconds'], 1.01)
        # The window's own requests are the last ones, on a timeline of their own.
        own = arrivals[before:]
        self.assertLess(theory.rank(theory.lateness(own, theory.constant(200, 1)[:len(own)]), 50) / MS, 5)

    def each_by_number(self, backend):
        for limit in (('-n', 90), ('-d', '500ms')):
            with Target('--delay', '2ms') as target:
                run = load('--backend', backend, '-t2', '-c5', *limit, '--warmup-requests', 37, target.url)
                stats = target.stats()
            self.check(run)
            self.assertEqual(stats['requests_received'], run.summary['requests'] + 37)
            self.assertEqual(stats['connections_accepted'], 5)
            if limit[0] == '-n':
                self.assertEqual(run.summary['requests'], 90)

    def each_slow_start_is_not_in_the_figures(self, backend):
        """The target begins frozen; the warm-up takes all of it."""
        def experiment():
            with Target('--freeze-for', '400ms') as target:
                run = load('--backend', backend, '-t1', '-c4', '-d300ms', '--warmup', '800ms', target.url)
                stats = target.stats()
            self.check(run)
            self.assertGreater(stats['requests_received'], run.summary['requests'])
            self.assertLess(run.report['latency_ms']['max'], 200)
            self.assertLess(run.report['corrected_latency_ms']['max'], 200)
        self.tries(experiment)

    def each_warm_up_of_a_timed_source(self, backend):
        """A timeline of the source goes on where the warm-up left it: each of its requests is sent once."""
        with Target() as target:
            run = load('--backend', backend, '--plugin-path', PLUGINS, '--source', 'truth_times', '--pacer', 'truth_follow',
                       '--truth_times.gaps', '5000', '--truth_times.limit', 100, '-t2', '-c4', '--warmup-requests', 40, target.url)
            arrivals = target.arrivals()
        self.check(run)
        self.assertEqual((run.summary['requests'], len(arrivals)), (60, 100))

    def each_interrupted_in_the_warm_up(self, backend):
        with Target() as target:
            process = start('--backend', backend, '-t1', '-c2', '-R', 50, '-d9s', '--warmup', '9s', target.url)
            time.sleep(0.7)
            process.send_signal(signal.SIGINT)
            run = finish(process)
        self.check(run, code=130)
        self.assertEqual(run.summary['requests'], 0)


class Limits(Experiment):
    def each_whichever_comes_first(self, backend):
        with Target('--delay', '20ms') as target:
            by_count = load('--backend', backend, '-t2', '-c5', '-n', 20, '-d30s', target.url)
            by_time = load('--backend', backend, '-t2', '-c5', '-n', 100_000, '-d400ms', target.url)
        self.assertEqual(self.check(by_count).summary['requests'], 20)
        self.assertEqual(by_count.report['audit']['stop'], 'requests')
        self.check(by_time)
        self.assertEqual(by_time.report['audit']['stop'], 'duration')
        self.assertLess(by_time.summary['requests'], 200)
        self.assertAlmostEqual(by_time.summary['elapsed_seconds'], 0.4, delta=0.001)

    def each_started_is_done_and_under_way(self, backend):
        """100 ms answers cut off at 1.95 s: done and abandoned are all that arrived."""
        with Target('--delay', '900ms') as target:
            run = load('--backend', backend, '-t2', '-c10', '-d1s', target.url)
            received = target.stats()['requests_received']
        self.check(run)
        self.assertEqual(run.summary['requests'], received)
        self.assertEqual(run.summary['responses'] + run.summary['abandoned'], received)

    def each_one_request_never_answered(self, backend):
        """It is listed as abandoned, not as a latency of the run's length."""
        with Target('--delay', '1ms', '--every', '10:60s') as target:
            run = load('--backend', backend, '-t1', '-c2', '-d1s', '-T60s', target.url)
        self.check(run)
        self.assertEqual(run.summary['abandoned'], 2)
        self.assertLess(run.report['latency_ms']['max'], 900)

    def each_late_slots_beyond_the_deadline_are_shed(self, backend):
        """One connection, 50 ms answers, 200/s: all that is sent is at most 30 ms late, the rest is shed."""
        for model in ('scheduled', 'open'):
            with Target('--delay', '50ms') as target:
                run = load('--backend', backend, '-t1', '-c1', '-R', 200, '-d1s', '--deadline', '30ms', '--load-model', model, target.url)
                received = target.stats()['requests_received']
            self.check(run)
            slots = run.schedule
            self.assertEqual(slots['scheduled'], 200)
            self.assertEqual(slots['issued'], received)
            self.assertLessEqual(slots['max_send_delay_ms'], 30)
            self.assertGreater(slots['shed'] + (slots['dropped'] or 0), 150)
            if model == 'open':
                self.assertGreater(slots['dropped'], 0)

    def each_deadline_without_need_sheds_nothing(self, backend):
        def experiment():
            with Target() as target:
                run = load('--backend', backend, '-t1', '-c10', '-R', 100, '-d1s', '--deadline', '500ms', target.url)
            self.check(run)
            self.assertEqual((run.schedule['issued'], run.schedule['shed']), (100, 0))
        self.tries(experiment)


class ExitCodes(Experiment):
    def each_invalid_only_where_asked_for(self, backend):
        stall = ('--backend', backend, '--plugin-path', PLUGINS, '--source', 'truth_stall', '--truth_stall.after=100ms', '-t1', '-c5', '-R', 200,
                 '-d600ms')
        with Target() as target:
            self.check(load(*stall, target.url), code=0)
            run = self.check(load(*stall, '--fail-on-invalid', target.url), code=4)
            self.assertEqual(run.report['verdict']['exit_code'], 4)
            self.assertEqual(run.report['audit']['verdict'], 'client_saturated')

            def valid():
                good = self.check(load('--backend', backend, '-t1', '-c5', '-R', 50, '-d500ms', '--fail-on-invalid', target.url), code=0)
                self.assertEqual(good.report['audit']['verdict'], 'valid')
            self.tries(valid)

    def each_overload_by_the_target_is_valid(self, backend):
        """Requests were late because of the target: the figures are true."""
        def experiment():
            with Target('--delay', '20ms') as target:
                run = load('--backend', backend, '-t1', '-c2', '-R', 1000, '-d1s', '--fail-on-invalid', target.url)
            self.check(run)
        self.tries(experiment)


if __name__ == '__main__':
    main()
