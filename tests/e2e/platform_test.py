"""What differs from system to system and must come out the same: names of files, the terminal, the end by Ctrl-C, the words of the command
line. Only the backend null is used, so that no target is needed. On Windows everything runs through RINGLOAD_TEST_WRAPPER (wine)."""

import json
import os
import pathlib
import pty
import select
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

WRAPPER = shlex.split(os.environ.get('RINGLOAD_TEST_WRAPPER', ''))
COMMAND = WRAPPER + shlex.split(os.environ['RINGLOAD'])
WINDOWS = os.environ['RINGLOAD'].endswith('.exe')
SUFFIX = '.dll' if WINDOWS else '.so'
ENVIRONMENT = {**os.environ, 'LC_ALL': 'C.UTF-8', 'TERM': 'xterm'}
URL = 'http://127.0.0.1:9/'
ODD = 'caf\u00e9 \u4e2d \u00df'
PATIENCE_S = 60


def run(*arguments, **options):
    done = subprocess.run(COMMAND + [str(a) for a in arguments], capture_output=True, env=ENVIRONMENT, timeout=PATIENCE_S, check=False,
                          **{'stdin': subprocess.DEVNULL, **options})
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def run_null(*arguments):
    return run('--backend', 'null', '-n', '100', *arguments, URL)


def on_terminal(arguments, when, keys):
    """Runs on a terminal of its own and types `keys` as soon as `when` has been shown. (exit status, what was shown)"""
    process, terminal = pty.fork()
    if process == 0:
        os.execvpe(COMMAND[0], COMMAND + arguments, ENVIRONMENT)
    shown, typed, ended, end = b'', False, 0, time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        if not select.select([terminal], [], [], 0.1)[0]:
            ended, status = os.waitpid(process, os.WNOHANG)
            if ended:
                break  # what wine leaves running keeps the terminal open
            continue
        try:
            octets = os.read(terminal, 65536)
        except OSError:
            break
        if not octets:
            break
        shown += octets
        if not typed and when in shown:
            os.write(terminal, keys)
            typed = True
    else:
        os.kill(process, signal.SIGKILL)
    os.close(terminal)
    if not ended:
        status = os.waitpid(process, 0)[1]
    return os.waitstatus_to_exitcode(status), shown.decode(errors='replace')


class Platform(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='rl platform '))
        self.addCleanup(shutil.rmtree, self.folder, True)

    def test_pages(self):
        code, out, err = run('--version')
        self.assertEqual((code, err), (0, ''))
        self.assertRegex(out, r'^ringload \d+\.\d+\.\d+.*\n$')
        code, out, err = run('--help')
        self.assertEqual((code, err), (0, ''))
        self.assertNotIn('\r', out)
        code, out, err = run('list')
        self.assertEqual((code, err), (0, ''))
        self.assertIn('answers from memory', out)
        self.assertIn('librl_source_static_url' + SUFFIX, out)

    def test_words_arrive_as_they_were_typed(self):
        words = ['a b', '', 'quote " inside', 'back\\slash\\', '*', '%PATH%', "it's", ODD]
        for word in words:
            code, out, err = run('--dump-config', '--data', word, URL)
            self.assertEqual((code, err), (0, ''), word)
            self.assertEqual(json.loads(out)['body'], word)

    def test_names_of_files_hold_blanks_and_any_letter(self):
        report = self.folder / ODD / (ODD + '.json')
        report.parent.mkdir()
        body = self.folder / (ODD + ' body')
        body.write_bytes(bytes(range(256)) * 300)
        code, out, err = run_null('-o', 'json', '-O', report, '--data-binary', f'@{body}', '-X', 'PUT')
        self.assertEqual((code, out, err), (0, '', ''))
        self.assertEqual(json.loads(report.read_text(encoding='utf-8'))['summary']['requests'], 100)
        self.assertEqual(os.listdir(report.parent), [report.name], 'no temporary file is left')
        self.assertEqual(run_null('-o', 'json', '-O', report)[0], 0, 'it is replaced')

    def test_what_is_wrong_with_a_file_is_said_with_its_name(self):
        missing = self.folder / ODD / 'x'
        code, _, err = run_null('-O', missing)
        self.assertEqual(code, 2)
        self.assertIn(ODD, err)
        self.assertIn('name a folder that exists and can be written', err)
        code, _, err = run_null('--data-binary', f'@{missing}')
        self.assertEqual(code, 2)
        self.assertRegex(err, r'^ringload: .*cannot open .*\n$')
        self.assertIn('is a folder; name a file in it', run_null('-O', self.folder)[2])

    def test_a_device_is_written_in_place(self):
        self.assertEqual(run_null('-o', 'json', '-O', 'NUL' if WINDOWS else '/dev/null'), (0, '', ''))

    def test_a_body_comes_from_standard_input(self):
        octets = bytes(range(256)) + b'\r\n\x1a\n'
        code, out, err = run('--dump-config', '--body-stdin', URL, stdin=None, input=octets)
        self.assertEqual((code, err), (0, ''))
        self.assertEqual(json.loads(out)['body_bytes'], len(octets))

    def test_plugins_are_found_in_any_folder(self):
        folder = self.folder / ODD
        folder.mkdir()
        for plugin in pathlib.Path(os.environ['RINGLOAD_PLUGIN_PATH']).glob('librl_*' + SUFFIX):
            shutil.copy(plugin, folder)
        os.rename(folder / ('librl_pacer_constant' + SUFFIX), folder / ('librl_pacer_other' + SUFFIX))
        code, _, err = run_null('--plugin-path', folder)
        self.assertEqual((code, err), (0, ''))
        code, _, err = run_null('--plugin-path', folder, '--pacer', folder / ('librl_pacer_other' + SUFFIX), '-R', '10k')
        self.assertEqual((code, err), (0, ''))

    def test_ctrl_c_ends_a_run_with_its_report(self):
        report = self.folder / 'report.json'
        arguments = ['--backend', 'null', '-d', f'{PATIENCE_S}s', '-R', '100', '-o', 'json', '-O', str(report), URL]
        code, shown = on_terminal(arguments, b'req/s', b'\x03')
        self.assertEqual(code, 130, shown)
        self.assertIn(f' / {PATIENCE_S}s', shown)
        self.assertEqual(json.loads(report.read_text(encoding='utf-8'))['verdict'], {'exit_code': 130, 'reason': 'interrupted'})


if __name__ == '__main__':
    unittest.main()
