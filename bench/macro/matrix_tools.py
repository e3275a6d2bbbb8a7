"""The contestants of the matrix: how each is called for a case, and which version it is.

A tool that cannot do a case (ab and hey do not pipeline) says None and is left out of it.
"""
import os
import shlex
import shutil
from dataclasses import dataclass

import outputs
import report
from duel import Contestant

FOREVER = '90s'  # longer than any duel
BARE_BODY = 4096  # largest body for which the bare loops are a floor

# A static request would do for pipeline 1; only the script can send several at once, and only it can print the 99.9th percentile.
WRK_SCRIPT = '''{pipeline}
done = function(summary, latency, requests)
    io.write(string.format("p99.9 %.1f us\\n", latency:percentile(99.9)))
end
'''
WRK_PIPELINE = '''local batch
init = function(args)
    local one = wrk.format("GET")
    local list = {{}}
    for i = 1, {depth} do list[i] = one end
    batch = table.concat(list)
end
request = function() return batch end
'''


@dataclass(frozen=True)
class Case:
    target: str  # 'bundled', 'nginx' or 'other'
    connections: int
    body: int
    pipeline: int

    @property
    def name(self):
        size = {2: '2B', 4096: '4KiB', 65536: '64KiB', 1 << 20: '1MiB'}.get(self.body, f'{self.body}B')
        return f'{self.target}/c{self.connections}/{size}/p{self.pipeline}'


def ringload_of_build(folder):
    """The command of a program that is not installed: its modules lie in other folders than it expects."""
    folder = os.path.abspath(folder)
    return ['env', f'RINGLOAD_BACKEND_PATH={folder}/backends', f'RINGLOAD_PLUGIN_PATH={folder}/plugins',
            f'{folder}/tools/ringload/ringload']


def connected(connections):
    """Slices begin when all connections are there: setting them up is not what a duel is about."""
    return lambda process, ports: len(ports) >= connections


class Tools:
    """Finds the contestants once and makes their commands. `folder` keeps the scripts of wrk and belongs to the caller."""

    def __init__(self, ringload, bare, folder, extra=(), counts=()):
        self.ringload = shlex.split(ringload) if ringload else []  # the program is its last word
        self.bare = bare
        self.folder = folder
        self.extra = [spec.split('=', 1) for spec in extra]
        self.patterns = dict(spec.split('=', 1) for spec in counts)
        self.makers = {'wrk': self._wrk, 'h2load': self._h2load, 'hey': self._hey, 'ab': self._ab}
        self.missing = [name for name in self.makers if shutil.which(name) is None]
        for name in self.missing:
            del self.makers[name]
        self.ringload_names = []
        if self.ringload and shutil.which(self.ringload[-1]):
            for name, words in (('ringload io_uring', ['--backend', 'io_uring']), ('ringload epoll', ['--backend', 'epoll']),
                                ('ringload batch', ['--backend', 'io_uring', '--wait', 'batch'])):
                self.makers[name] = self._ringload_maker(words)
                self.ringload_names.append(name)
        else:
            self.missing.append('ringload')
        if bare and shutil.which(bare):
            for engine in ('io_uring', 'epoll'):
                self.makers[f'bare {engine}'] = self._bare_maker(engine)
        else:
            self.missing.append('bare_loop')
        for name, command in self.extra:
            self.makers[name] = self._extra_maker(command)

    def contestants(self, case, target, only):
        """Those of `only` (all if empty) that can do this case."""
        chosen = []
        for name, maker in self.makers.items():
            if only and name not in only:
                continue
            command = maker(case, target)
            if command is not None:
                chosen.append(Contestant(name, command, self._reader(name), connected(case.connections)))
        return chosen

    def _reader(self, name):
        if name in self.patterns:
            return outputs.read_pattern(self.patterns[name])
        return {'wrk': outputs.read_wrk, 'h2load': outputs.read_h2load, 'hey': outputs.read_hey, 'ab': outputs.read_ab}.get(
            name, outputs.read_ringload if name.startswith('ringload ') else outputs.read_any)

    def _wrk(self, case, target):
        path = os.path.join(self.folder, f'wrk-{case.pipeline}.lua')
        if not os.path.exists(path):
            with open(path, 'w') as file:
                file.write(WRK_SCRIPT.format(pipeline=WRK_PIPELINE.format(depth=case.pipeline) if case.pipeline > 1 else ''))
        return ['wrk', '-t1', f'-c{case.connections}', f'-d{FOREVER}', '--timeout', '900s', '--latency', '-s', path, target.url]

    def _h2load(self, case, target):
        return ['h2load', '--h1', '-t1', f'-c{case.connections}', f'-m{case.pipeline}', '-D', '{seconds}', target.url]

    def _hey(self, case, target):
        if case.pipeline > 1:
            return None
        return ['hey', '-cpus', '1', '-c', str(case.connections), '-z', FOREVER, '-t', '0', target.url]

    def _ab(self, case, target):
        """Its -n sizes an array of results, of which only the part in use becomes resident."""
        if case.pipeline > 1:
            return None
        return ['ab', '-q', '-k', '-c', str(case.connections), '-s', '900', '-t', FOREVER[:-1], '-n', '20000000', target.url]

    def _ringload_maker(self, words):
        def command(case, target):
            return [*self.ringload, '-t1', f'-c{case.connections}', f'-d{FOREVER}', '-T0', '--pipeline', str(case.pipeline), *words, '-o',
                    'json', target.url]
        return command

    def _bare_maker(self, engine):
        """The floor of small answers only: the loops copy every octet, which a client that drops bodies unread does not."""
        def command(case, target):
            return None if case.body > BARE_BODY else [self.bare, '--engine', engine, '--connections', str(case.connections), '--pipeline', str(case.pipeline), '--port',
                    str(target.port), '--answer-octets', str(target.answer.octets), '--duration', FOREVER[:-1]]
        return command

    def _extra_maker(self, template):
        def command(case, target):
            filled = template.format(url=target.url, port=target.port, connections=case.connections, pipeline=case.pipeline,
                                     seconds='{seconds}')
            return shlex.split(filled)
        return command

    def versions(self):
        found = {'wrk': (['wrk', '-v'], 'wrk'), 'h2load': (['h2load', '--version'], None), 'ab': (['ab', '-V'], 'Version'),
                 'nginx': (['nginx', '-v'], 'version')}
        lines = {name: report.first_line(*question) for name, question in found.items()}
        if self.ringload_names:
            lines['ringload'] = report.first_line([*self.ringload, '--version'])
        if 'hey' in self.makers:
            lines['hey'] = 'installed (prints no version)'
        return {name: text for name, text in lines.items() if text}
