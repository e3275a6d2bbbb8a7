"""What a duel cannot show: how fast each starts, what ten thousand connections cost in memory, and tails."""
import select
import socket
import statistics
import time

from duel import Settings, relay, summarise
from matrix_tools import Case
from process import BenchError, Pool
from report import latency_text
from targets import Answer

START_UPS = 15
MANY = 10_000


class _Listener:
    """Stands in for a target where only the arrival of the first octets matters."""

    def __init__(self):
        self.socket = socket.create_server(('127.0.0.1', 0), backlog=64)
        self.port = self.socket.getsockname()[1]
        self.url = f'http://127.0.0.1:{self.port}/'
        self.answer = Answer(200, 150, 2)  # never given; the bare loops want to know its size

    def first_octet_ns(self, seconds=5.0):
        """When the first octets came on any connection (wrk opens one just to see whether it can), or None."""
        connections = [self.socket]
        limit = time.monotonic() + seconds
        try:
            while (left := limit - time.monotonic()) > 0:
                ready, _, _ = select.select(connections, [], [], left)
                now = time.monotonic_ns()
                for one in ready:
                    if one is self.socket:
                        connections.append(self.socket.accept()[0])
                    elif one.recv(4096):
                        return now
                    else:
                        connections.remove(one)
                        one.close()
            return None
        finally:
            for one in connections[1:]:
                one.close()

    def close(self):
        self.socket.close()


def _start_once(matrix, name):
    """Milliseconds from exec to the first octets, or None if this contestant does not take part."""
    listener = _Listener()
    try:
        for contestant in matrix.tools.contestants(Case('start-up', 1, 2, 1), listener, [name]):
            command = [word.replace('{seconds}', '5') for word in contestant.command]
            with Pool() as pool:
                process = pool.start(command, matrix.settings.cpu, matrix.settings.priority, stamp_exec=True)
                came = listener.first_octet_ns()
                if came is None:
                    raise BenchError(f'{name} sent nothing within 5 s: {process.last_words()}')
                return (came - process.exec_ns) / 1e6
    finally:
        listener.close()
    return None


def start_up(matrix):
    """From exec to the first octets of the first request at the target: 1 connection, the same command as in the duels."""
    names = [name for name in matrix.tools.makers if not matrix.args.only or name in matrix.args.only]
    data = {name: [] for name in names}
    for _ in range(START_UPS):
        for name in names:
            data[name].append(_start_once(matrix, name))
    lines = ['| contestant | median ms | least ms |', '|---|--:|--:|']
    lines += [f'| {name} | {statistics.median(times):.2f} | {min(times):.2f} |' for name, times in data.items()]
    return f'Start-up to first request ({START_UPS} starts)', '\n'.join(lines), data


def _names(matrix, without):
    """Those that take part: all asked for, but for those whose names begin with a word of `without`."""
    names = [name for name in matrix.tools.makers
             if not name.startswith(without) and (not matrix.args.only or name in matrix.args.only)]
    if not names:
        raise BenchError('none of the contestants asked for takes part in this row')
    return names


def _relay(matrix, case, names, seconds, reps):
    with Pool() as pool:
        target = matrix.start(pool, case.target, case.body)
        contestants = matrix.tools.contestants(case, target, names)
        settings = Settings(reps=reps, warm_s=matrix.settings.warm_s, ready_s=60, cpu=matrix.settings.cpu,
                            priority=matrix.settings.priority)
        return relay(contestants, settings, seconds, target.watch)


def memory(matrix):
    """Peak resident memory under load. Each alone and with a fresh target, which has room for one such crowd at a time."""
    case = Case(matrix.target_names()[0], MANY, 2, 1)
    lines = ['| contestant | peak RSS MiB | octets/connection | requests/s |', '|---|--:|--:|--:|']
    data = {}
    for name in _names(matrix, ('hey', 'ab', 'bare', 'ringload batch')):
        try:
            run = _relay(matrix, case, [name], 3.0, 1)[0][name]
        except BenchError as error:
            matrix.failed = True
            data[name] = {'failed': str(error)}
            lines.append(f'| {name} | FAILED: {error} | - | - |')
            continue
        data[name] = {'rss_kib': run.rss_kib, 'requests_per_second': run.rate, 'errors': run.errors}
        errors = f' ({run.errors} errors)' if run.errors else ''
        lines.append(f'| {name}{errors} | {run.rss_kib / 1024:.1f} | {run.rss_kib * 1024 / MANY:,.0f} | {run.rate:,.0f} |')
    return f'Memory at {MANY:,} connections ({case.target})', '\n'.join(lines), data


def tail(matrix):
    """Percentiles of runs that nobody stopped, from each tool's own output; those that print none are left out."""
    case = Case(matrix.target_names()[0], 100, 2, 1)
    results = _relay(matrix, case, _names(matrix, ('ab', 'h2load', 'bare')), 2.0, max(3, matrix.settings.reps))
    lines = ['| contestant | p50 | p99 | p99.9 | requests/s |', '|---|--:|--:|--:|--:|']
    rows = summarise(results, next(iter(results[0])))
    for row in rows:
        figures = ' | '.join(latency_text(row['latency_us'], key) for key in ('p50', 'p99', 'p99.9'))
        lines.append(f'| {row["name"]} | {figures} | {row["requests_per_second"]:,.0f} |')
    lines += [f'\n{row["name"]} says of itself: {note}' for row in rows for note in row['notes']]
    return f'Latency at 100 connections ({case.target}, each alone, medians)', '\n'.join(lines), rows
