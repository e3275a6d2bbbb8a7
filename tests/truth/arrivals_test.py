"""Arrivals as the target wrote them down against the plan: constant, random, staged, spread, with a ramp, and those of a source."""
import math

import experiments
import theory
from experiments import MS, PLUGINS, Row
from lab import Experiment, Target, load, main


def seen_by_target(*arguments, options=()):
    with Target(*options) as target:
        run = load(*arguments, target.url)
        return run, target.arrivals()


class Arrivals(Experiment):
    def each_constant(self, backend):
        for rate, seconds, threads, connections in ((500, 2, 2, 8), (40, 2, 3, 7)):
            with self.subTest(rate=rate):
                self.tries(self.constant, backend, rate, seconds, threads, connections)

    def constant(self, *shape):
        rows, run, _ = experiments.constant_rate(*shape)
        self.check(run)
        self.judge(rows)

    def each_poisson(self, backend):
        """Gaps are exponential and instants evenly spread, at a level of 1 %. The seed alone decides, so three runs see the same."""
        rate, seconds = 200, 2
        runs = []
        for threads in (1, 2, 3):
            run, arrivals = seen_by_target('--backend', backend, '-t', threads, '-c50', '-R', rate, '-d', seconds, '--arrival', 'poisson',
                                           '--seed', 7)
            self.check(run)
            self.assertEqual(len(arrivals), run.schedule['issued'])
            runs.append((run.schedule['scheduled'], arrivals))
        n = runs[0][0]
        self.assertEqual([slots for slots, _ in runs], [n] * 3, 'the seed does not decide alone')
        self.assertLess(abs(n - rate * seconds), 4 * math.sqrt(rate * seconds))
        # A slot due just before the end may be skipped on a busy machine; it is the last one then.
        arrivals = theory.cleanest([arrivals for _, arrivals in runs])
        gaps = [b - a for a, b in zip(arrivals, arrivals[1:])]
        limit = theory.kolmogorov_smirnov_limit(len(gaps))
        self.assertLess(theory.kolmogorov_smirnov(gaps, lambda gap: 1 - math.exp(-gap * rate / 1e9)), limit, 'gaps are not exponential')
        length = arrivals[-1] - arrivals[0]
        spread = theory.kolmogorov_smirnov([(at - arrivals[0]) / length for at in arrivals], lambda share: share)
        self.assertLess(spread, limit, 'arrivals are not spread evenly')
        for _, own in runs:
            shifts = [there - here for here, there in zip(arrivals, own)]
            self.assertLess((theory.rank(shifts, 50) - min(shifts)) / MS, 10, 'the seed does not decide alone')

    def each_seed_has_its_own_arrivals(self, backend):
        runs = [seen_by_target('--backend', backend, '-t1', '-c50', '-R', 100, '-d1s', '--arrival', 'poisson', '--seed', seed)[1]
                for seed in (1, 2)]
        differences = [b - a for a, b in zip(*runs)]
        self.assertGreater(max(differences) - min(differences), 50 * MS)

    def each_stages(self, backend):
        """Each stage of two seconds has its own rate, not the mean of the run."""
        self.tries(self.staged, backend, [(2, 100), (2, 400), (2, 50)], '2s:100,2s:400,2s:50')

    def staged(self, backend, stages, text):
        run, arrivals = seen_by_target('--backend', backend, '-t2', '-c8', '--stages', text)
        self.check(run)
        due = theory.staged(stages)
        self.assertEqual(run.schedule['scheduled'], len(due))
        begin = theory.start_of(arrivals, due)
        at, rows = begin, []
        for seconds, rate in stages:
            seen = theory.count_between(arrivals, at - MS, at + seconds * theory.SECOND - MS)
            rows.append(Row(f'stage at {rate}/s', seconds * rate, seen, 0.02, unit=''))
            at += seconds * theory.SECOND
        rows.append(Row('late, p50', 0, theory.rank(theory.lateness(arrivals, due), 50) / MS, plus=0.5))
        self.judge(rows)

    def each_ramp_of_a_rate(self, backend):
        """From 0 to 400/s in 2 s: slot k is due at sqrt(k/100) s, 400 in all."""
        def experiment():
            run, arrivals = seen_by_target('--backend', backend, '-t2', '-c8', '--stages', '2s:0..400')
            self.check(run)
            due = [math.sqrt(k / 100) * theory.SECOND for k in range(400)]
            self.assertEqual(len(arrivals), 400)
            late = theory.lateness(arrivals, due)
            self.judge([Row('late, p50', 0, theory.rank(late, 50) / MS, plus=0.5), Row('late, p90', 0, theory.rank(late, 90) / MS, plus=5),
                        Row('drift', 0, (min(late[-40:]) - min(late[:40])) / MS, plus=0.5)])
        self.tries(experiment)

    def each_timed_source(self, backend):
        """The source's own times: bursts, short and long gaps. 200 requests, whatever the number of workers."""
        gaps = (0, 3000, 7000, 0, 20000)
        for threads in (1, 2):
            with self.subTest(threads=threads):
                self.tries(self.timed, backend, gaps, threads)

    def timed(self, backend, gaps, threads):
        run, arrivals = seen_by_target('--backend', backend, '--plugin-path', PLUGINS, '--source', 'truth_times', '--pacer', 'truth_follow',
                                       '--truth_times.gaps', ','.join(map(str, gaps)), '--truth_times.limit', 200, '-t', threads, '-c20')
        self.check(run)
        self.assertEqual(run.report['audit']['stop'], 'source_ended')
        due, at = [], 0
        for k in range(200):
            due.append(at)
            at += gaps[k % len(gaps)] * 1000
        self.assertEqual(len(arrivals), 200)
        late = theory.lateness(arrivals, due)
        self.judge([Row('late, p50', 0, theory.rank(late, 50) / MS, plus=0.5), Row('late, p90', 0, theory.rank(late, 90) / MS, plus=5),
                    Row('drift', 0, (min(late[-50:]) - min(late[:50])) / MS, plus=0.3)])

    def each_spread(self, backend):
        """-n over -d: 100 requests, one each 20 ms, the last one at 1.98 s."""
        def experiment():
            run, arrivals = seen_by_target('--backend', backend, '-t3', '-c7', '-n100', '-d2s', '--spread')
            self.check(run)
            self.assertEqual(len(arrivals), 100)
            late = theory.lateness(arrivals, theory.constant(50, 2))
            self.judge([Row('late, p90', 0, theory.rank(late, 90) / MS, plus=5), Row('drift', 0, (min(late[-20:]) - min(late[:20])) / MS, plus=0.3)])
        self.tries(experiment)

    def each_connections_do_not_shape_the_load(self, backend):
        """50 connections that are all opened at the start: 99 of 100 gaps are within 3 ms of 10 ms. What one run had late by the machine's
        doing, another had not."""
        runs = []
        for _ in range(3):
            run, arrivals = seen_by_target('--backend', backend, '-t2', '-c50', '-R', 100, '-d2s')
            self.check(run)
            runs.append(arrivals)
        arrivals = theory.cleanest(runs)
        gaps = [abs(b - a - 10 * MS) / MS for a, b in zip(arrivals, arrivals[1:])]
        self.assertLess(theory.rank(gaps, 99), 3)

    def each_slow_answers_do_not_slow_the_rate(self, backend):
        """50 ms answers, 40/s on 40 connections: 80 in 2 s, none of them late."""
        def experiment():
            run, arrivals = seen_by_target('--backend', backend, '-t2', '-c40', '-R', 40, '-d2s', options=('--delay', '50ms'))
            self.check(run)
            self.assertEqual(len(arrivals), 80)
            self.judge([Row('late, p90', 0, theory.rank(theory.lateness(arrivals, theory.constant(40, 2)), 90) / MS, plus=5)])
        self.tries(experiment)

    def each_ramp_of_connections(self, backend):
        """Ten connections over one second in a closed loop whose answers never come: each connection's one request is its start."""
        def experiment():
            run, arrivals = seen_by_target('--backend', backend, '-t2', '-c10', '-d1500ms', '-T0', '--ramp-up', '1s', options=('--never', '1'))
            self.check(run, code=run.code)
            self.assertEqual(len(arrivals), 10)
            self.assertEqual(run.summary['abandoned'], 10)
            late = theory.lateness(arrivals, [k * 100 * MS for k in range(10)])
            self.assertLess(max(late) / MS, 20)
        self.tries(experiment)


if __name__ == '__main__':
    main()
