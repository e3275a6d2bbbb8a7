#!/usr/bin/env python3
"""What README.md tells a newcomer to type is understood, complete, and in an order that works.

RINGLOAD is the program; the commands are resolved with --dump-config, which sends nothing.
"""
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = (ROOT / 'README.md').read_text()
PROGRAM = os.environ['RINGLOAD']


def section(title):
    return re.search(rf'(?ms)^## {re.escape(title)}\n(.*?)(?=^## |\Z)', README)[1]


def commands(title):
    return [line.strip() for line in section(title).splitlines() if line.startswith('    ')]


def run(words, **options):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL, **options)


class Readme(unittest.TestCase):
    def test_packages_are_those_of_the_list(self):
        line = next(command for command in commands('Build and install') if command.startswith('apt-get install '))
        listed = re.findall(r'(?m)^build +(\S+)$', (ROOT / 'tools/packages.txt').read_text())
        self.assertEqual(sorted(line.split()[2:]), sorted(listed))

    def test_the_build_needs_no_package_of_the_tests(self):
        line = next(command for command in commands('Build and install') if command.startswith('meson setup '))
        self.assertIn('-Dtests=false', line)

    def test_there_is_a_target_before_there_is_load(self):
        self.assertRegex(commands('Use')[0], r'\Aringload serve [^#]*&')

    def test_every_command_is_understood(self):
        lines = commands('Use')
        self.assertGreater(len(lines), 5)
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, 'order.json').write_text('{}')
            for line in lines:
                words = shlex.split(line, comments=True)[1:]
                if words[-1:] == ['&']:
                    words.pop()
                if words[0] == 'serve':
                    words += ['--port', '0', '--for', '1ms']
                elif words[0] != 'list':
                    words += ['--dump-config']
                done = run(words, cwd=folder)
                self.assertEqual((done.returncode, '' if words[0] == 'serve' else done.stderr), (0, ''), (line, done.stderr))

    def test_exit_statuses_are_those_of_the_help(self):
        listed = re.findall(r'(?m)^\| ([0-9, ]+) \|', section('Use'))
        helped = re.findall(r'(?m)^  (\d+) ', run(['--help=all']).stdout.split('Exit status:')[1])
        self.assertEqual(', '.join(listed).split(', '), helped)


if __name__ == '__main__':
    unittest.main()
