#!/usr/bin/env python3
"""Are ringload's figures true? All experiments of tests/truth with their exact figures, in one table: expected, measured, off by.

    run_truth.py --build build                         # everything, about three minutes
    run_truth.py --build build --only 'frozen*' --only 'send delay'
    run_truth.py --build build --json truth.json

README.md says what each part shows and how to read it.
"""
import argparse
import fnmatch
import json
import math
import os
import pathlib
import platform
import signal
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Given(Exception):
    """A mistake in the command line, in one line."""


def use_build(build):
    """The programs and modules of a build tree, as the tests find them."""
    build = pathlib.Path(build).resolve()
    program = build / 'tools/ringload/ringload'
    if not program.exists():
        raise Given(f'{program} does not exist; build first: ninja -C {build}')
    os.environ.update({'RINGLOAD': str(program), 'RINGLOAD_SERVE': f'{program} serve', 'RINGLOAD_BACKEND_PATH': str(build / 'backends'),
                       'RINGLOAD_PLUGIN_PATH': str(build / 'plugins'), 'RINGLOAD_TRUTH_PLUGINS': str(build / 'tests/truth')})
    if not (build / 'tests/truth/librl_source_truth_stall.so').exists():
        raise Given(f'the test plug-ins are missing in {build}; configure it with -Dtests=true')
    sys.path.insert(0, str(ROOT / 'tests/truth'))


def arguments(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', required=True, metavar='DIR', help='the build tree to judge')
    parser.add_argument('--backend', action='append', metavar='NAME', help='io_uring and epoll unless given; repeatable')
    parser.add_argument('--only', action='append', metavar='PATTERN', help='parts whose name matches; repeatable')
    parser.add_argument('--list', action='store_true', help='name the parts and end')
    parser.add_argument('--quick', action='store_true', help='shows that everything works; its figures mean nothing')
    parser.add_argument('--pairs', type=int, default=5, help='pairs with wrk (5)')
    parser.add_argument('--json', metavar='FILE', help='write all rows there')
    return parser.parse_args(argv)


def print_rows(part, rows):
    print(f'\n{part}')
    lines = {}
    for row in rows:
        if getattr(row, 'line', ''):
            lines.setdefault(row.line, {})[row.column] = row.measured
            continue
        interval = getattr(row, 'interval', None)
        tail = f'  +-{interval:.2f}' if interval is not None else ''
        mark = '' if row.holds else '  *'
        expected, measured, off = (f'{value:.4f}' if math.isfinite(value) else '' for value in
                                   (row.expected, row.measured, row.off if math.isfinite(row.bound) else math.nan))
        print(f'  {row.name:<58} {expected:>11} {measured:>11} {off:>10} {row.unit:<3}{tail}{mark}')
    if lines:
        columns = next(iter(lines.values()))
        print(f'  {"":<24}' + ''.join(f'{column:>17}' for column in columns))
        for line, cells in lines.items():
            print(f'  {line:<24}' + ''.join(f'{cells[column]:>17.2f}' for column in columns))


def as_json(row):
    limit = row.bound if math.isfinite(row.bound) else None
    return {'name': row.name, 'unit': row.unit, 'expected': row.expected, 'measured': row.measured, 'off': row.off, 'limit': limit,
            'interval': getattr(row, 'interval', None)}


def main(argv=None):
    args = arguments(argv)
    use_build(args.build)
    import parts  # after the environment is set: it reads it
    backends = args.backend or ['io_uring', 'epoll']
    chosen = {name: part for name, part in parts.PARTS.items()
              if not args.only or any(fnmatch.fnmatch(name, pattern) for pattern in args.only)}
    if args.list or not chosen:
        print('\n'.join(parts.PARTS))
        if args.list:
            return 0
        raise Given('no part has such a name; above are all there are')
    signal.signal(signal.SIGALRM, lambda *_: sys.exit('run_truth: gave up after ten minutes'))
    signal.alarm(600)
    print(f'{platform.machine()}, {os.cpu_count()} CPUs, kernel {platform.release()}; load average {os.getloadavg()[0]:.1f}')
    print(f'  {"":<58} {"expected":>11} {"measured":>11} {"off by":>10}      (* beyond what the tests allow)')
    results = {}
    for name, part in chosen.items():
        rows = part(parts.Settings(backends, args.quick, args.pairs))
        if rows:
            print_rows(name, rows)
        results[name] = [as_json(row) for row in rows]
        sys.stdout.flush()
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps({'kernel': platform.release(), 'cpus': os.cpu_count(), 'parts': results}, indent=1) + '\n')
    return 0


if __name__ == '__main__':
    try:
        sys.exit(main())
    except Given as mistake:
        sys.exit(f'run_truth: {mistake}')
