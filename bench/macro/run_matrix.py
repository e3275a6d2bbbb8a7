#!/usr/bin/env python3
"""ringload beside wrk, h2load, hey, ab and its own floor: connections, body sizes, pipelining, targets.

    run_matrix.py --build build [--cases 'bundled/*'] [--only NAME] [--json FILE]      a build folder with -Dbench=true
    run_matrix.py --ringload ringload --bare bare_loop                                 an installed program

Clients share one core, the target has another. Each case is a duel (duel.py), so what counts are the ratios to --base. A case whose
target had idle time although it never sleeps is not called valid: then other programs took its core. Tools that are not installed
are left out with a line. Ends by itself; loads loopback only.
"""
import argparse
import fnmatch
import json
import os
import shlex
import shutil
import sys
import tempfile

import matrix_rows
import report
import targets
from duel import BUSY, add_settings, duel, only_loopback, settings_of, summarise
from matrix_tools import Case, Tools, ringload_of_build
from process import BenchError, OutOfTime, Pool, bound_run, two_cpus

CONNECTIONS = (1, 10, 100, 1000)
BODIES = (2, 4096, 65536, 1 << 20)
PIPELINES = (1, 16)


def all_cases(names):
    return [Case(name, connections, body, pipeline)
            for name in names for pipeline in PIPELINES for body in BODIES for connections in CONNECTIONS]


def usual(case):
    """The cases of a plain run: every connection count with small answers, every body at 10 connections, pipelining at 10 and 100."""
    if case.pipeline > 1:
        return case.body == 2 and case.connections in (10, 100)
    return case.body == 2 or case.connections == 10


def choose_cases(names, patterns, quick):
    cases = all_cases(names)
    if patterns:
        chosen = [case for case in cases if any(fnmatch.fnmatchcase(case.name, pattern) for pattern in patterns)]
        if not chosen:
            raise BenchError(f'--cases {" ".join(patterns)}: no such case; names look like {cases[0].name}, with * and ?')
        return chosen
    if quick:
        return [Case(names[0], 10, 2, 1)]
    return [case for case in cases if usual(case)]


DISTURBED = 0.05  # share of the time for which the target may have to wait for its core


def judge(case, target, rows):
    """'valid', or why the ratios of this case should not be believed."""
    robbed = [row['name'] for row in rows if row['target_queued'] > DISTURBED]
    if robbed:
        return f'NOT VALID: other programs took the core of the target during the slices of {", ".join(robbed)}; quiet the machine'
    idle = [row['name'] for row in rows if row['target_share'] < BUSY] if target.spins else []
    if idle:
        return f'NOT VALID: the target never sleeps, yet it was idle during the slices of {", ".join(idle)}'
    wrong = [row['name'] for row in rows if row['errors']]
    if wrong:
        return f'NOT VALID: not every answer was good for {", ".join(wrong)}'
    slow = [row['name'] for row in rows if row['bottleneck'] == 'target']
    if target.spins and slow and case.connections > 1:
        return f'valid, but the target was the bottleneck of {", ".join(slow)}: what they could do beyond it does not show'
    return 'valid'


class Matrix:
    """One invocation: the tools found, the targets that can be had, and what came out."""

    def __init__(self, args, tools, settings, target_cpu):
        self.args, self.tools, self.settings, self.target_cpu = args, tools, settings, target_cpu
        self.failed = False
        self.results = {'machine': report.machine(), 'versions': tools.versions(), 'missing': tools.missing, 'cases': [], 'rows': []}

    def target_names(self):
        names = []
        if self.tools.ringload_names:
            names.append('bundled')
        if targets.nginx_installed():
            names.append('nginx')
        if self.args.target_command:
            names.append('other')
        if not names:
            raise BenchError('no target: give --ringload, install nginx or give --target-command')
        return names

    def start(self, pool, name, body):
        if name == 'bundled':
            return targets.start_bundled(pool, self.args.ringload, body, self.target_cpu, self.settings.priority)
        if name == 'nginx':
            return targets.start_nginx(pool, body, self.target_cpu, self.settings.priority)
        return targets.start_command(pool, self.args.target_command, body, self.target_cpu, self.settings.priority,
                                     self.args.target_spins)

    def run_case(self, case):
        try:
            self.fight(case)
        except BenchError as error:
            self.failed = True
            self.results['cases'].append({'case': case.name, 'verdict': f'FAILED: {error}', 'rows': []})
            print(f'\n### {case.name}\n\nFAILED: {error}', flush=True)

    def fight(self, case):
        with Pool() as pool:
            target = self.start(pool, case.target, case.body)
            contestants = self.tools.contestants(case, target, self.args.only)
            names = [contestant.name for contestant in contestants]
            if not names:
                print(f'\n### {case.name}\n\nskipped: no contestant can do it', flush=True)
                return
            only_loopback([contestant.command for contestant in contestants])
            base = self.args.base if self.args.base in names else names[0]
            rows = summarise(duel(contestants, self.settings, target.watch), base)
            verdict = judge(case, target, rows)
        self.results['cases'].append({'case': case.name, 'base': base, 'verdict': verdict, 'answer_octets': target.answer.octets,
                                      'rows': rows})
        print(f'\n### {case.name}\n\n{report.table(rows, base)}\n\n{verdict}', flush=True)

    def run_rows(self):
        for name, make in (('start-up', matrix_rows.start_up), ('memory', matrix_rows.memory), ('tail', matrix_rows.tail)):
            if self.args.rows and name not in self.args.rows:
                continue
            try:
                title, text, data = make(self)
            except BenchError as error:
                self.failed = True
                title, text, data = name, f'FAILED: {error}', None
            self.results['rows'].append({'row': name, 'data': data})
            print(f'\n### {title}\n\n{text}', flush=True)

    def run(self):
        print(report.machine_lines(self.results['machine'], self.results['versions']))
        for name in self.tools.missing:
            print(f'- {name}: skipped, not found')
        for case in choose_cases(self.target_names(), self.args.cases, self.args.quick):
            self.run_case(case)
        if not self.args.quick and not self.args.no_rows:
            self.run_rows()


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', metavar='FOLDER', help='build folder that has ringload and the bare loop')
    parser.add_argument('--ringload', default=shutil.which('ringload') or '', metavar='PROGRAM')
    parser.add_argument('--bare', default='', metavar='PROGRAM', help='the bare loop (bench/backend/bare_loop)')
    parser.add_argument('--base', default='wrk', metavar='NAME', help='whom the ratios compare with (wrk, else the first)')
    parser.add_argument('--quick', action='store_true', help='one short duel, to see that everything works')
    parser.add_argument('--cases', action='append', default=[], metavar='PATTERN',
                        help="cases to run, such as 'nginx/c100/2B/*'; repeatable")
    parser.add_argument('--only', action='append', default=[], metavar='NAME', help='contestants to run; repeatable')
    parser.add_argument('--rows', action='append', default=[], choices=['start-up', 'memory', 'tail'],
                        help='special rows to run; repeatable')
    parser.add_argument('--no-rows', action='store_true', help='only the cases')
    parser.add_argument('--contestant', action='append', default=[], metavar='NAME=COMMAND',
                        help='one more, with {url} {port} {connections} {pipeline} in its command')
    parser.add_argument('--count', action='append', default=[], metavar='NAME=REGEX', help='group 1 is its number of answers')
    parser.add_argument('--target-command', default='', metavar='COMMAND', help='one more target, with {port} {body} {cpu}')
    parser.add_argument('--target-spins', action='store_true', help='that target never sleeps')
    add_settings(parser)
    args = parser.parse_args(argv)
    if args.build:
        args.ringload = shlex.join(ringload_of_build(args.build))
        args.bare = args.bare or os.path.join(args.build, 'bench/backend/bare_loop')
    return args


def main(argv=None):
    args = parse(argv)
    if args.quick:
        args.slices, args.reps = min(args.slices, 4), 1
    client_cpu, target_cpu = two_cpus()
    settings = settings_of(args, client_cpu)
    bound_run(60 if args.quick else 4 * 3600)
    with tempfile.TemporaryDirectory(prefix='ringload-bench-') as folder:
        matrix = Matrix(args, Tools(args.ringload, args.bare, folder, args.contestant, args.count), settings, target_cpu)
        try:
            matrix.run()
        finally:
            if args.json:
                with open(args.json + '.part', 'w') as file:
                    json.dump(matrix.results, file, indent=1)
                os.replace(args.json + '.part', args.json)
    return 1 if matrix.failed else 0


if __name__ == '__main__':
    try:
        sys.exit(main())
    except (BenchError, OutOfTime) as error:
        print(f'run_matrix: {error}', file=sys.stderr)
        sys.exit(2)
