#!/usr/bin/env python3
"""Two builds of ringload beside each other: is the change faster, slower, or can this machine not tell?

    compare.py --base HEAD~1 --change HEAD                        revisions: built here, in a folder which goes away
    compare.py --base build-a --change build-b -- -c100 --pipeline 16      build folders; what follows -- is given to both programs
    compare.py --base old/bin/ringload --change new/bin/ringload           commands
    compare.py --micro bench/micro/parser_bench --base HEAD~1 --change HEAD    a Google Benchmark program, likewise

Everything is interleaved: whole programs in a duel (macro/duel.py) against the target of the base, spinning on the other core;
Google Benchmark programs run after run. The base takes part twice. Where it differs from itself by more than --limit the machine is
not fit to judge, and compare.py says so instead of judging.

Exit: 0 no slow-down seen, 1 slower, 2 it could not be done, 3 no judgement possible.
"""
import argparse
import json
import math
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'macro'))
import outputs  # noqa: E402
import targets  # noqa: E402
from duel import Contestant, Settings, duel, median_and_mad  # noqa: E402
from matrix_tools import connected, ringload_of_build  # noqa: E402
from process import BenchError, OutOfTime, Pool, bound_run, two_cpus  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LEAST = 0.01  # no difference below this is called one
AGAIN = 'base again'


def judge(change, again, limit):
    """(verdict, median, MAD) of ratios to the base, higher is better; `again` are those of the base to itself.

    A difference counts when it is larger than four fifths of those that the base showed against itself, and than the spread of the
    repetitions."""
    middle, spread = median_and_mad(change)
    base_middle, base_spread = median_and_mad(again)
    if abs(base_middle - 1) > limit or base_spread > limit:
        return 'no judgement', middle, spread
    noise = sorted(abs(ratio - 1) for ratio in again)[math.ceil(0.8 * len(again)) - 1]
    if abs(middle - 1) <= max(LEAST, noise, 1.5 * spread):
        return 'no difference', middle, spread
    return ('faster' if middle > 1 else 'slower'), middle, spread


def run_tool(command, folder=None, stdin=None):
    done = subprocess.run(command, cwd=folder, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        raise BenchError(f'{" ".join(command[:4])} failed: {done.stdout.decode(errors="replace").strip()[-400:]}')
    return done.stdout.decode(errors='replace')


def is_revision(text):
    done = subprocess.run(['git', '-C', ROOT, 'rev-parse', '--verify', '--quiet', f'{text}^{{commit}}'], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL)
    return done.returncode == 0


def build(revision, folder, micro):
    """Builds a revision from an export of its tree; the repository and its work tree are left alone. Returns a command."""
    source, made, prefix = (os.path.join(folder, name) for name in ('source', 'build', 'prefix'))
    os.makedirs(source)
    archive = os.path.join(folder, 'source.tar')
    run_tool(['git', '-C', ROOT, 'archive', '--output', archive, revision])
    run_tool(['tar', '-xf', archive, '-C', source])
    run_tool(['meson', 'setup', made, source, '--buildtype=release', f'--prefix={prefix}', '-Dtests=false',
              f'-Dbench={"true" if micro else "false"}'])
    run_tool(['ninja', '-C', made, *([micro] if micro else [])])
    if micro:
        return [os.path.join(made, micro)]
    run_tool(['meson', 'install', '-C', made, '--no-rebuild'])
    return [os.path.join(prefix, 'bin', 'ringload')]


def command_of(text, name, folder, micro):
    """What stands behind --base or --change: a build folder, a command that can be started, or a revision."""
    if os.path.isfile(os.path.join(text, 'build.ninja')):
        return [os.path.join(text, micro)] if micro else ringload_of_build(text)
    words = shlex.split(text)
    if words and shutil.which(words[0]) is not None:
        return words
    if is_revision(text):
        print(f'building {name} {text} ...', flush=True)
        return build(text, os.path.join(folder, name), micro)
    raise BenchError(f'--{name} {text}: neither a build folder, nor a program, nor a revision of this repository')


def compare_whole(base, change, args, cpus):
    """{metric: (ratios of the change, ratios of the base to itself)} from one duel."""
    client_cpu, target_cpu = cpus
    settings = Settings(args.slices, 0.025, args.reps, cpu=client_cpu, priority=not args.no_priority)
    with Pool() as pool:
        target = targets.start_bundled(pool, shlex.join(base), args.body, target_cpu, settings.priority)
        options = ['-t1', '-c100', *args.options, '-d90s', '-T0', '-o', 'json', target.url]
        contestants = [Contestant(name, [*command, *options], outputs.read_ringload, connected(1))
                       for name, command in (('base', base), ('change', change), (AGAIN, base))]
        repetitions = duel(contestants, settings, target.watch)
    for runs in repetitions:
        for name, run in runs.items():
            if run.errors:
                raise BenchError(f'{name} had {run.errors} requests that failed; figures of such a run mean nothing')

    def ratios(name):
        return {'requests/s': [runs[name].rate / runs['base'].rate for runs in repetitions],
                'CPU per request': [runs['base'].cpu_us / runs[name].cpu_us for runs in repetitions]}

    mine, base_itself = ratios('change'), ratios(AGAIN)
    return {metric: (mine[metric], base_itself[metric]) for metric in mine}


def run_micro(command, args, cpu):
    """{benchmark: time} of one run: CPU time, or what the bench itself says that its time is."""
    words = ['taskset', '-c', str(cpu), *command, '--benchmark_format=json', f'--benchmark_min_time={args.min_time}']
    if args.filter:
        words.append(f'--benchmark_filter={args.filter}')
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        rows = json.loads(done.stdout)['benchmarks']
    except (ValueError, KeyError) as error:
        raise BenchError(f'{command[0]} printed no result: {done.stderr.decode(errors="replace").strip()[-300:]}') from error
    return {row['name']: row['real_time' if row['name'].endswith(('/manual_time', '/real_time')) else 'cpu_time']
            for row in rows if row.get('run_type') != 'aggregate' and not row.get('error_occurred')}


def compare_micro(base, change, args, cpus):
    contestants = [('base', base), ('change', change), (AGAIN, base)]
    rounds = []
    for number in range(args.reps):
        order = contestants if number % 2 == 0 else contestants[::-1]
        rounds.append({name: run_micro(command, args, cpus[0]) for name, command in order})
    names = [name for name in rounds[0]['base'] if all(name in times for one in rounds for times in one.values())]
    if not names:
        raise BenchError('the two programs have no benchmark in common')
    return {name: tuple([one['base'][name] / one[who][name] for one in rounds] for who in ('change', AGAIN)) for name in names}


def table(results, limit):
    """(lines, exit code)"""
    lines = ['| what | change / base | MAD | base / base | verdict |', '|---|--:|--:|--:|---|']
    verdicts = []
    for what, (change, again) in results.items():
        verdict, middle, spread = judge(change, again, limit)
        verdicts.append(verdict)
        lines.append(f'| {what} | {middle:.3f} | {spread:.3f} | {median_and_mad(again)[0]:.3f} | {verdict} |')
    if 'no judgement' in verdicts:
        lines.append(f'\nThe base differs from itself by more than {limit:.1%}: this machine cannot judge now. Quiet it, or raise --reps.')
    code = 1 if 'slower' in verdicts else 3 if 'no judgement' in verdicts else 0
    return '\n'.join(lines), code


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--base', required=True, metavar='WHAT', help='revision or command')
    parser.add_argument('--change', required=True, metavar='WHAT', help='revision or command')
    parser.add_argument('--micro', metavar='TARGET', help='compare a Google Benchmark program: its path in the build folder')
    parser.add_argument('--filter', default='', help='with --micro: which benchmarks')
    parser.add_argument('--min-time', type=float, default=0.1, help='with --micro: seconds for each (0.1)')
    parser.add_argument('--body', type=int, default=2, help='octets of an answer (2)')
    parser.add_argument('--reps', type=int, default=7)
    parser.add_argument('--slices', type=int, default=30)
    parser.add_argument('--limit', type=float, default=0.02, help='by how much the base may differ from itself (0.02)')
    parser.add_argument('--no-priority', action='store_true', help='do not raise the priority of the contestants')
    parser.add_argument('options', nargs='*', help='after --: options given to both, such as -c100 --pipeline 16')
    return parser.parse_args(argv)


def main(argv=None):
    args = parse(argv)
    with tempfile.TemporaryDirectory(prefix='ringload-compare-') as folder:
        base = command_of(args.base, 'base', folder, args.micro)
        change = command_of(args.change, 'change', folder, args.micro)
        bound_run(3600)
        results = (compare_micro if args.micro else compare_whole)(base, change, args, two_cpus())
    text, code = table(results, args.limit)
    print(text)
    return code


if __name__ == '__main__':
    try:
        sys.exit(main())
    except (BenchError, OutOfTime) as error:
        print(f'compare: {error}', file=sys.stderr)
        sys.exit(2)
