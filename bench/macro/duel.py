#!/usr/bin/env python3
"""A fair fight between load generators on a machine that is not quiet.

    duel.py --base wrk [--target-pid PID] 'wrk=wrk -t1 -c100 -d90s --timeout 900s http://127.0.0.1:8080/' \\
            'ringload=ringload -t1 -c100 -d90s -T0 -o json http://127.0.0.1:8080/'

The speed of a shared or virtual machine moves by tens of per cent within seconds, so runs made one after another cannot be compared.
Here all contestants are started against one running target and stopped; then each in turn runs for a slice of some 25 ms while the
others stay stopped, and the order is reversed every round. A drift hits all of them alike, and ratios spread by a few per cent.

Every contestant must outlast the duel and print its result when it is interrupted; one that cannot (h2load) takes {seconds} in its
command and is read after its own timer has run out. A client stopped for seconds sees its time-outs fire and its tails grow: switch
time-outs off, and take tails from relay(), where each runs alone and unstopped.
"""
import argparse
import json
import os
import re
import shlex
import signal
import statistics
import sys
import time
from dataclasses import dataclass, field

import outputs
import queues
from process import BenchError, OutOfTime, Pool, bound_run, cpu_clock_ns, peak_rss_kib, queued_ns, raise_priority, two_cpus


@dataclass
class Contestant:
    name: str
    command: list
    read: object = outputs.read_any
    ready: object = None  # ready(process, its ports towards the target): may its slices begin? None: when it has run for warm_s


@dataclass
class Settings:
    slices: int = 36
    slice_s: float = 0.025
    reps: int = 3
    warm_s: float = 0.15
    ready_s: float = 20  # longest wait for a contestant to be connected
    cpu: int = 0
    priority: bool = True

    def seconds(self, contestants):
        """How long one repetition takes at most, start-up and ends included; what timers of contestants are set to."""
        return 2 + contestants * (self.warm_s + 0.1 + 1.5 * self.slices * (self.slice_s + 0.001) + 4 * queues.PROBES * 0.02)


@dataclass
class Watch:
    """The target as a duel sees it: its processes, for their CPU time, and its port, for what waits in its sockets."""
    pids: list
    port: int

    def cpu_ns(self):
        return sum(cpu_clock_ns(pid) for pid in self.pids)

    def queued_ns(self):
        return sum(queued_ns(pid) for pid in self.pids)

    def cpu(self):
        return min(os.sched_getaffinity(self.pids[0]))

    def signal(self, number):
        for pid in self.pids:
            os.kill(pid, number)


@dataclass
class Run:
    """What one contestant did in one repetition. CPU and answers are those of its whole life, connecting included."""
    answers: int
    active_s: float
    user_s: float
    system_s: float
    client_share: float  # of its core, in its own slices
    client_queued: float  # share of these slices in which it was ready but had to wait for its core
    target_share: float  # of the target's core, in the same slices
    target_queued: float
    rss_kib: int
    errors: int
    at_client: int = 0  # connections whose octets waited at that side when both were frozen
    at_target: int = 0
    latency_us: dict = field(default_factory=dict)
    note: str = ''

    @property
    def rate(self):
        return self.answers / self.active_s

    @property
    def cpu_us(self):
        return (self.user_s + self.system_s) * 1e6 / self.answers


class Racer:
    """A started contestant and the sums over its slices."""

    def __init__(self, pool, contestant, settings, watch, seconds, others=()):
        self.contestant, self.watch = contestant, watch
        self.active_s = 0.0
        self.sums_ns = [0, 0, 0, 0]  # client: ran, waited for its core; target: likewise
        self.sliced_ns = 0
        self.at_client = self.at_target = 0
        self.timer_s = seconds
        self.has_timer = any('{seconds}' in word for word in contestant.command)
        command = [word.replace('{seconds}', str(seconds)) for word in contestant.command]
        # Not "all that was there before": a port of the last repetition may be one of these again.
        theirs = set().union(*(racer.ports for racer in others))
        self.process = pool.start(command, settings.cpu, settings.priority)
        self.ports = set()
        time.sleep(settings.warm_s)
        while True:
            looked = time.monotonic()
            if watch:
                self.ports = queues.client_ports(watch.port) - theirs
            if self.process.ended() or contestant.ready is None or contestant.ready(self.process, self.ports):
                break
            if time.monotonic() > self.process.started + settings.ready_s:
                raise BenchError(f'{contestant.name} was not ready within {settings.ready_s} s: {self.process.last_words()}')
            time.sleep(max(0.01, 5 * (time.monotonic() - looked)))  # reading the table of sockets is no small thing
        self.process.signal(signal.SIGSTOP)
        self.active_s += time.monotonic() - self.process.started
        if self.process.ended():
            raise BenchError(f'{contestant.name} ended at once: {self.process.last_words()}')

    def _clocks(self):
        pid, watch = self.process.pid, self.watch
        return (cpu_clock_ns(pid), queued_ns(pid), *((watch.cpu_ns(), watch.queued_ns()) if watch else (0, 0)))

    def run_slice(self, seconds):
        before = self._clocks()
        begin = time.perf_counter_ns()
        self.process.signal(signal.SIGCONT)
        time.sleep(seconds)
        self.process.signal(signal.SIGSTOP)
        length = time.perf_counter_ns() - begin
        self.active_s += length / 1e9
        self.sliced_ns += length
        self.sums_ns = [total + now - then for total, now, then in zip(self.sums_ns, self._clocks(), before)]

    def probe(self, cpu):
        """Lets it run for a moment, freezes it and the target together and looks on whose side the octets wait.

        The driver wakes up on `cpu` and takes that side's time away for some tens of microseconds, so half of the probes are made from
        either side."""
        allowed = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {cpu})
        try:
            begin = time.monotonic()
            self.process.signal(signal.SIGCONT)
            time.sleep(0.02)
            self.process.signal(signal.SIGSTOP)
            self.watch.signal(signal.SIGSTOP)
            self.active_s += time.monotonic() - begin
            at_client, at_target = queues.waiting(self.watch.port, self.ports)
        finally:
            self.watch.signal(signal.SIGCONT)
            os.sched_setaffinity(0, allowed)
        self.at_client += at_client
        self.at_target += at_target

    def finish(self):
        name, process = self.contestant.name, self.process
        if process.ended():
            raise BenchError(f'{name} ended before the duel was over: {process.last_words()}; give it a longer run time')
        rss = peak_rss_kib(process.pid)
        if self.has_timer:
            time.sleep(max(0.0, process.started + self.timer_s + 0.05 - time.monotonic()))
        process.signal(signal.SIGCONT)
        if not self.has_timer:
            time.sleep(0.005)  # a program that is still stopped would take the signal before it is back in its loop
            process.interrupt()
        if not process.wait(15):
            raise BenchError(f'{name} did not end when it was interrupted; it needs to print its result on SIGINT')
        reading = self.contestant.read(process.text())
        if reading is None or reading.answers == 0:
            raise BenchError(f'{name} counted no answers (exit {process.exit_code}): {process.last_words()}')
        shares = [total / max(1, self.sliced_ns) for total in self.sums_ns]
        return Run(reading.answers, self.active_s, process.usage.ru_utime, process.usage.ru_stime, *shares, rss, reading.errors,
                   self.at_client, self.at_target, reading.latency_us, reading.note)


def repetition(contestants, settings, watch=None):
    """One duel: {name: Run}."""
    if settings.priority:
        raise_priority()  # of this driver too: slices must end when they should
    with Pool() as pool:
        seconds = int(settings.seconds(len(contestants))) + 1
        racers = []
        for contestant in contestants:
            racers.append(Racer(pool, contestant, settings, watch, seconds, racers))
        for number in range(settings.slices):
            for racer in racers if number % 2 == 0 else reversed(racers):
                racer.run_slice(settings.slice_s)
        for racer in racers if watch else []:
            for cpu in [settings.cpu, watch.cpu()] * (queues.PROBES // 2):
                racer.probe(cpu)
        return {racer.contestant.name: racer.finish() for racer in racers}


def duel(contestants, settings, watch=None):
    return [repetition(contestants, settings, watch) for _ in range(settings.reps)]


def relay(contestants, settings, seconds, watch=None):
    """Each runs alone and unstopped for so many seconds, in turn, order reversed each time: for tails and peaks, not for rates."""
    results = []
    for number in range(settings.reps):
        runs = {}
        for contestant in contestants if number % 2 == 0 else reversed(contestants):
            with Pool() as pool:
                racer = Racer(pool, contestant, settings, watch, int(seconds + settings.warm_s) + 1)
                racer.run_slice(seconds)
                runs[contestant.name] = racer.finish()
        results.append(runs)
    return results


def median_and_mad(values):
    """The median, and the median distance from it: a spread that a single bad repetition does not move."""
    middle = statistics.median(values)
    return middle, statistics.median(abs(value - middle) for value in values)


BUSY = 0.9  # share of its core from which a side counts as busy: the driver and the kernel take the rest


def bottleneck(runs):
    """'client', 'target' or 'neither'; 'unknown' where nobody watched the target.

    A side that had idle time cannot be the bottleneck; waiting for its core is not idleness. Where both were busy (one of them may be
    spinning), it is the side on which octets waited in clearly more connections."""
    median = statistics.median
    if median(run.target_share for run in runs) == 0:
        return 'unknown'
    client_busy = median(run.client_share + run.client_queued for run in runs) >= BUSY
    target_busy = median(run.target_share + run.target_queued for run in runs) >= BUSY
    if not client_busy or not target_busy:
        return 'client' if client_busy else 'target' if target_busy else 'neither'
    at_client, at_target = sum(run.at_client for run in runs), sum(run.at_target for run in runs)
    if max(at_client, at_target) < 1.5 * min(at_client, at_target) or at_client == at_target:
        return 'neither'
    return 'client' if at_client > at_target else 'target'


def summarise(repetitions, base):
    """Medians over the repetitions, one row for each contestant; ratios are made within a repetition, higher is better."""
    rows = []
    for name in repetitions[0]:
        runs = [repetition[name] for repetition in repetitions]
        bases = [repetition[base] for repetition in repetitions]
        rates = [run.rate / other.rate for run, other in zip(runs, bases)]
        costs = [other.cpu_us / run.cpu_us for run, other in zip(runs, bases)]
        row = {'name': name, 'requests_per_second': statistics.median(run.rate for run in runs),
               'cpu_us': statistics.median(run.cpu_us for run in runs),
               'user_us': statistics.median(run.user_s * 1e6 / run.answers for run in runs),
               'system_us': statistics.median(run.system_s * 1e6 / run.answers for run in runs)}
        row['rate_ratio'], row['rate_ratio_mad'] = median_and_mad(rates)
        row['cpu_ratio'], row['cpu_ratio_mad'] = median_and_mad(costs)
        row['cpu_ratio_min'], row['cpu_ratio_max'] = min(costs), max(costs)
        row['rss_mib'] = max(run.rss_kib for run in runs) / 1024
        row['client_share'] = statistics.median(run.client_share for run in runs)
        row['target_share'] = statistics.median(run.target_share for run in runs)
        row['target_queued'] = statistics.median(run.target_queued for run in runs)
        row['bottleneck'] = bottleneck(runs)
        row['errors'] = sum(run.errors for run in runs)
        row['latency_us'] = {key: statistics.median(run.latency_us[key] for run in runs) for key in runs[0].latency_us}
        row['notes'] = sorted({run.note for run in runs if run.note})
        rows.append(row)
    return rows


def only_loopback(commands):
    """Refuses a command that names a URL beyond this machine."""
    for host in re.findall(r'https?://(\[[^\]]*\]|[^/:\s\'"]+)', ' '.join(' '.join(command) for command in commands)):
        if not (re.fullmatch(r'127\.\d+\.\d+\.\d+', host) or host in ('localhost', '[::1]')):
            raise BenchError(f'{host} is not on this machine: a duel loads loopback only; use http://127.0.0.1:PORT/')


def parse_contestants(specs, counts):
    patterns = dict(spec.split('=', 1) for spec in counts)
    contestants = []
    for spec in specs:
        name, equals, command = spec.partition('=')
        if not equals or not command:
            raise BenchError(f'{spec!r} is no contestant; write NAME=COMMAND')
        read = outputs.read_pattern(patterns[name]) if name in patterns else outputs.read_any
        contestants.append(Contestant(name, shlex.split(command), read))
    only_loopback([contestant.command for contestant in contestants])
    return contestants


def add_settings(parser):
    parser.add_argument('--slices', type=int, default=36, help='slices of each contestant in a repetition (36)')
    parser.add_argument('--slice-ms', type=float, default=25, help='length of a slice (25)')
    parser.add_argument('--reps', type=int, default=3, help='repetitions, each with fresh processes (3)')
    parser.add_argument('--no-priority', action='store_true', help='do not raise the priority of the contestants')
    parser.add_argument('--json', metavar='FILE', help='write everything there as JSON')


def settings_of(args, cpu):
    return Settings(args.slices, args.slice_ms / 1000, args.reps, cpu=cpu, priority=not args.no_priority)


def main(argv=None):
    import report
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('contestants', nargs='+', metavar='NAME=COMMAND')
    parser.add_argument('--base', required=True, metavar='NAME', help='whom the ratios compare with')
    parser.add_argument('--count', action='append', default=[], metavar='NAME=REGEX', help='group 1 is its number of answers')
    parser.add_argument('--cpu', type=int, default=two_cpus()[0], help='where the contestants run')
    parser.add_argument('--target-pid', type=int, action='append', default=[], help='process of the target, to find the bottleneck')
    parser.add_argument('--target-port', type=int, default=0, help='port of the target; needed with --target-pid')
    add_settings(parser)
    args = parser.parse_args(argv)
    contestants = parse_contestants(args.contestants, args.count)
    if args.base not in [contestant.name for contestant in contestants]:
        raise BenchError(f'--base {args.base}: no contestant of that name')
    settings = settings_of(args, args.cpu)
    bound_run(60 + 2 * settings.reps * settings.seconds(len(contestants)))
    rows = summarise(duel(contestants, settings, Watch(args.target_pid, args.target_port) if args.target_pid else None), args.base)
    print(report.table(rows, args.base))
    if args.json:
        with open(args.json, 'w') as file:
            json.dump(rows, file, indent=1)


if __name__ == '__main__':
    try:
        main()
    except (BenchError, OutOfTime) as error:
        print(f'duel: {error}', file=sys.stderr)
        sys.exit(2)
