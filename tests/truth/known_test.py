"""Distributions known in closed form: a mixture of two times, a pipeline, an overload; and the examples that other tools publish."""
import time

import experiments
import theory
from lab import Experiment, Target, finish, load, main, start


class Known(Experiment):
    def each_mixture(self, backend):
        for every, fast, slow in ((5, 5, 40), (2, 4, 24)):
            with self.subTest(every=every):
                self.tries(self.holds, experiments.mixture, backend, every, fast, slow)

    def each_pipelining_times_each_request(self, backend):
        self.tries(self.holds, experiments.pipelined, backend)

    def each_overload(self, backend):
        self.tries(self.holds, experiments.overload, backend)

    def holds(self, experiment, *arguments):
        rows, run = experiment(*arguments)
        self.check(run)
        self.judge([row for row in rows if row.bound == 0])
        self.judge(rows)

    def each_requests_that_failed_are_in_the_corrected_latency(self, backend):
        """A target that never answers cannot look fast: 20 requests, none answered, each as old as the time-out when it failed."""
        with Target('--never', '1') as target:
            run = load('--backend', backend, '-t1', '-c20', '-n20', '-R', 100, '-T', '300ms', target.url)
        self.check(run, code=3)
        self.assertEqual(run.errors(), {'request_timeout': 20})
        self.assertEqual(run.report['latency_ms']['count'], 0)
        self.assertEqual(run.report['corrected_latency_ms']['count'], 20)
        self.assertGreaterEqual(run.report['corrected_latency_ms']['min'], 299)

    def each_closed_loop_has_one_latency(self, backend):
        with Target('--jitter', '3ms') as target:
            run = load('--backend', backend, '-t2', '-c4', '-n400', target.url)
        self.check(run)
        service, corrected = run.report['latency_ms'], run.report['corrected_latency_ms']
        for key in ('avg', 'min', 'max', 'p50', 'p75', 'p90', 'p95', 'p99', 'p999'):
            self.assertEqual(service[key], corrected[key], key)
        self.assertIsNone(run.report['send_delay_ms'])
        self.assertIsNone(run.schedule)

    def each_correction_off_shows_service(self, backend):
        with Target('--delay', '20ms') as target:
            run = load('--backend', backend, '-t1', '-c1', '-R', 200, '-d1s', '--latency-correction', 'off', target.url)
            on = load('--backend', backend, '-t1', '-c1', '-R', 200, '-d1s', target.url)
        self.check(run)
        self.check(on)
        self.assertEqual(run.report['corrected_latency_ms']['p99'], run.report['latency_ms']['p99'])
        self.assertGreater(on.report['corrected_latency_ms']['p99'], 10 * on.report['latency_ms']['p50'])

    def each_memory_does_not_grow_with_the_backlog(self, backend):
        """Two connections, a slow target, and a million requests a second asked for."""
        peaks = []
        for rate in ('10', '1M'):
            with Target('--delay', '20ms') as target:
                process = start('--backend', backend, '-t1', '-c2', '-R', rate, '-d1s', target.url)
                time.sleep(0.8)
                with open(f'/proc/{process.pid}/status') as status:
                    peaks.append(next(int(line.split()[1]) for line in status if line.startswith('VmHWM')))
                self.check(finish(process))
        self.assertLess(peaks[1] - peaks[0], 2048, peaks)


class Published(Experiment):
    """What the tools that ringload replaces print in their own pages, as far as it can be true."""

    def each_fifty_a_second_on_one_slow_connection(self, backend):
        """200 ms a request, 50 requests a second, one connection, 3 s: 150 due, one in ten sent, each 180 ms later than the one before."""
        def experiment():
            with Target('--delay', '200ms') as target:
                run = load('--backend', backend, '-t1', '-c1', '-R', 50, '-d3s', target.url)
                received = target.stats()['requests_received']
            self.check(run)
            slots, report = run.schedule, run.report
            self.assertEqual((slots['scheduled'], slots['issued']), (150, received))
            self.assertIn(received, (14, 15))
            lag = [k * (200 - 20) for k in range(received)]
            row = experiments.Row
            self.judge([row('service p50', 200, report['latency_ms']['p50'], 0.02), row('service avg', 200, report['latency_ms']['avg'], 0.02),
                        row('send delay avg', sum(lag) / len(lag), report['send_delay_ms']['avg'], 0.03),
                        row('send delay max', max(lag), slots['max_send_delay_ms'], 0.03),
                        row('corrected avg', sum(lag) / len(lag) + 200, report['corrected_latency_ms']['avg'], 0.03),
                        row('corrected p99', max(lag) + 200, report['corrected_latency_ms']['p99'], 0.03),
                        row('attainment', received / 1.5, slots['attainment_percent'], 0.001, unit='%')])
        self.tries(experiment)

    def each_open_model_offers_what_is_due(self, backend):
        """10/s for 10 s offers exactly 100; here ten times as fast, to save time."""
        with Target() as target:
            run = load('--backend', backend, '-t2', '-c50', '-R', 100, '-d1s', '--load-model', 'open', target.url)
            received = target.stats()['requests_received']
        self.check(run)
        self.assertEqual((run.schedule['offered'], run.schedule['dropped'] + received), (100, 100))

    def each_open_model_with_a_stalled_consumer(self, backend):
        """One connection, no answer: one is sent, the rest is dropped, at the end all is accounted for."""
        with Target('--never', '1') as target:
            run = load('--backend', backend, '-t1', '-c1', '-R', 100, '-d1s', '-T0', '--load-model', 'open', target.url)
            received = target.stats()['requests_received']
        self.check(run, code=0 if run.code == 0 else 3)
        slots = run.schedule
        self.assertEqual((slots['offered'], slots['issued'], slots['dropped'], slots['skipped'], received), (100, 1, 99, 0, 1), slots)
        self.assertEqual(run.summary['abandoned'], 1)

    def each_open_model_at_five_thousand(self, backend):
        with Target() as target:
            run = load('--backend', backend, '-t1', '-c50', '-R', 5000, '-d2s', '--load-model', 'open', target.url)
            received = target.stats()['requests_received']
        self.check(run)
        slots = run.schedule
        self.assertEqual(slots['offered'], 10_000)
        self.assertEqual(slots['issued'], received)

    def each_open_model_with_a_count(self, backend):
        with Target() as target:
            run = load('--backend', backend, '-t1', '-c4', '-R', 100, '-n25', '--load-model', 'open', target.url)
        self.check(run)
        self.assertEqual(run.schedule['offered'], 25)

    def each_open_and_closed_at_a_target_of_eighty_a_second(self, backend):
        """The published pair: 200/s asked, 80/s possible. Closed: about 80/s served, nothing dropped. Open: the same, the rest dropped."""
        def experiment(model):
            with Target('--delay', '100ms') as target:
                run = load('--backend', backend, '-t1', '-c8', '-R', 200, '-d4s', '--load-model', model, target.url)
                received = target.stats()['requests_received']
            self.check(run)
            self.judge([experiments.Row('served', 320, received, 0.05, unit='')])
            return run
        self.assertIsNone(self.tries(experiment, 'closed').schedule)
        run = self.tries(experiment, 'open')
        slots = run.schedule
        self.assertEqual(slots['offered'], 800)
        self.assertEqual(slots['dropped'] + slots['issued'] + slots['skipped'], 800)
        # What was sent was sent when it was due: a dropped slot is not a late one.
        self.assertLess(run.report['send_delay_ms']['p50'], 100 / 8)

    def each_stages_of_two_and_four(self, backend):
        """1 s at 2/s, then 4/s: requests at 0, 0.5, 1, 1.25, 1.5, 1.75, 2 s."""
        def experiment():
            with Target() as target:
                run = load('--backend', backend, '-t2', '-c4', '--stages', '1s:2,1s:4', '-d2100ms', target.url)
                arrivals = target.arrivals()
            self.check(run)
            due = [at * 1e9 for at in (0, 0.5, 1, 1.25, 1.5, 1.75, 2)]
            self.assertEqual(len(arrivals), len(due))
            self.assertLess(max(theory.lateness(arrivals, due)), 20e6)
        self.tries(experiment)


if __name__ == '__main__':
    main()
