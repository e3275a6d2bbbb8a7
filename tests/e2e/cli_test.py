#!/usr/bin/env python3
"""The command line from outside: pages, refusals before any traffic, where reports go, exit codes, signals.

RINGLOAD is the program; RINGLOAD_PLUGIN_PATH and RINGLOAD_BACKEND_PATH say where its parts lie. Nothing here judges how long a run took.
"""

import fcntl
import json
import os
import pathlib
import pty
import re
import resource
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import unittest

from target import PATIENCE_S, WRAPPER, Target, until

PROGRAM = [*WRAPPER, os.environ['RINGLOAD']]
BACKEND = ['--backend', os.environ.get('RINGLOAD_TEST_BACKEND', 'epoll')]


def run(*words, **options):
    given = dict(stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=PATIENCE_S * 2)
    given.update(options)
    done = subprocess.run([*PROGRAM, *map(str, words)], **given)
    return done.returncode, (done.stdout or b'').decode(), (done.stderr or b'').decode()


def free_port():
    """A port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


class Pages(unittest.TestCase):
    def page(self, *words):
        code, out, err = run(*words)
        self.assertEqual((code, err), (0, ''), words)
        return out

    def test_help_fits_two_screens_and_needs_no_url(self):
        page = self.page('--help')
        self.assertEqual(page, self.page('-h'))
        self.assertLessEqual(len(page.splitlines()), 50)
        self.assertLessEqual(max(map(len, page.splitlines())), 100)
        for word in ('Usage:', 'Examples:', '--connections', '--rate', 'ringload list'):
            self.assertIn(word, page)

    def test_help_of_everything_a_group_a_plugin_a_backend(self):
        self.assertIn('--requests-per-connection', self.page('--help=all'))
        self.assertIn('--pin', self.page('--help=engine'))
        self.assertIn('static_url (source)', self.page('--help=static_url'))
        self.assertIn(f'{BACKEND[1]} (backend)', self.page(f'--help={BACKEND[1]}'))

    def test_help_is_a_command_too(self):
        self.assertEqual(self.page('help'), self.page('--help'))
        self.assertEqual(self.page('help', 'run'), self.page('--help'))
        self.assertEqual(self.page('help', 'all'), self.page('--help=all'))
        self.assertEqual(self.page('help', BACKEND[1]), self.page(f'--help={BACKEND[1]}'))
        self.assertEqual(self.page('help', 'serve'), self.page('serve', '--help'))
        self.assertEqual(self.page('help', 'list'), self.page('list', '--help'))

    def test_version(self):
        for word in ('--version', '-V', '-v'):
            self.assertRegex(self.page(word), r'\Aringload \d+\.\d+\.\d+\n\Z')

    def test_list_shows_what_there_is_and_where(self):
        everything = self.page('list')
        for word in (BACKEND[1], 'static_url', 'constant', 'unlimited', 'text', 'json'):
            self.assertIn(word, everything)
        self.assertIn(BACKEND[1], self.page('list', 'backends'))
        self.assertNotIn('static_url', self.page('list', 'backends'))
        self.assertNotIn(f'\n  {BACKEND[1]} ', self.page('list', 'plugins'))
        self.assertIn(os.environ['RINGLOAD_PLUGIN_PATH'].split(':')[0], self.page('list', 'plugins'))

    def test_dump_config_is_json_and_sends_nothing(self):
        with Target() as target:
            page = self.page('--dump-config', target.url + 'x?y=1', '-c', '7', '-R', '30/m', '--data', 'a=1')
            self.assertEqual(target.stats()['connections_accepted'], 0)
        config = json.loads(page)
        self.assertEqual((config['connections'], config['rate'], config['load_model']), (7, 0.5, 'scheduled'))
        self.assertEqual((config['method'], config['target'], config['body']), ('POST', '/x?y=1', 'a=1'))
        self.assertEqual((config['source'], config['pacer']), ('static_url', 'constant'))


class Refusals(unittest.TestCase):
    """Exit 2, one line that begins like every line of ours, nothing on stdout, whatever the format."""

    CASES = [
        ([], 'no URL given'),
        (['http://a/', 'http://b/'], 'two URLs given'),
        (['--insecure', 'http://a/'], 'is for https'),
        (['-t', '30s', 'http://a/'], '-t 30s: a thread count is a whole number; for a run time use -d 30s'),
        (['--thread', '3', 'http://a/'], 'did you mean --threads?'),
        (['--no-such-thing', 'http://a/'], '--help=all lists them'),
        (['-c'], '-c: needs a value'),
        (['-n', '0', 'http://a/'], 'too small'),
        (['--latency=1', 'http://a/'], 'takes no value'),
        (['-s', 'x.lua', 'http://a/'], 'Lua'),
        (['-H', 'A: b\r\nC: d', 'http://a/'], 'line end'),
        (['-H', 'Content-Length: 3', 'http://a/'], 'set by ringload itself'),
        (['--body-file', '/no/such/file', 'http://a/'], 'cannot open /no/such/file: No such file or directory'),
        (['-X', 'GET', '-b', 'x', 'http://a/'], 'has no body'),
        (['--source', 'static_ulr', 'http://a/'], 'did you mean static_url?'),
        (['-o', 'jsn', 'http://a/'], 'did you mean json?'),
        (['--backend', 'no_such', 'http://a/'], 'no_such'),
        (['--backend', 'epol', 'http://a/'], '--backend epol: there is no backend of that name; did you mean epoll?'),
        (['--backend', 'autp', 'http://a/'], 'did you mean auto?'),
        (['--statik_url.x=1', 'http://a/'], 'did you mean static_url?'),
        (['--static_url.x=1', 'http://a/'], '--static_url.x: unknown option; static_url has no options'),
        (['--json.nonsense=1', 'http://a/'], '--json.nonsense: unknown option; see ringload --help=json'),
        (['--backend=epoll', '--io_uring.x=1', 'http://a/'], 'io_uring'),
        (['-R', '5', '--pacer', 'unlimited', 'http://a/'], '-R 5 and --pacer unlimited'),
        (['-O', '/no/such/folder/f', 'http://a/'], '-O /no/such/folder/f: cannot create a file in /no/such/folder'),
        (['-O', '/', 'http://a/'], 'is a folder'),
        (['--save', '/no/such/folder/f', 'http://a/'], '--save /no/such/folder/f'),
        (['--plugin-path', '/no/such', 'http://a/'], '--plugin-path /no/such: is not a folder that can be looked into; name the one that'),
        (['--plugin-path', '/dev/null', '--help'], '--plugin-path /dev/null: is not a folder'),
        (['--help=no_such'], '--help=no_such'),
        (['list', 'nonsense'], 'list nonsense'),
        (['list', '--plugin-path', '/no/such'], '--plugin-path /no/such: is not a folder'),
        (['list', '-c', '5'], 'takes no option'),
    ]

    def test_each(self):
        for words, expected in self.CASES:
            for extra in ([], ['-o', 'json']):
                if extra and (words[:1] == ['list'] or '-o' in words):
                    continue
                command = words if words[:1] == ['list'] else [*BACKEND, *words]
                code, out, err = run(*command, *extra)
                self.assertEqual((code, out), (2, ''), words)
                self.assertRegex(err, r'\Aringload: [^\n]+\n\Z', words)
                self.assertIn(expected, err, words)

    def test_a_closed_standard_output_is_found_before_traffic(self):
        with Target() as target:
            done = subprocess.run(['sh', '-c', 'exec "$@" >&-', 'sh', *PROGRAM, *BACKEND, '-n', '5', target.url], stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 2)
            self.assertIn(b'standard output is closed', done.stderr)
            self.assertEqual(target.stats()['requests_received'], 0)

    def test_a_program_in_its_build_tree_says_how_its_parts_are_found(self):
        tree = next((str(f) for f in pathlib.Path(PROGRAM[-1]).parents if (f / 'meson-private').is_dir()), None)
        if tree is None:
            self.skipTest('the program lies in no build tree')
        for missing in ('RINGLOAD_PLUGIN_PATH', 'RINGLOAD_BACKEND_PATH'):
            if missing == 'RINGLOAD_BACKEND_PATH' and 'linked in' in run('list', 'backends')[1]:
                continue
            bare = {name: value for name, value in os.environ.items() if name != missing}
            code, out, err = run('-n', '1', 'http://127.0.0.1:1/', env=bare)
            if 'meson devenv' not in err and 'there is no' not in err:
                self.skipTest('the parts are installed as well')
            self.assertEqual((code, out), (2, ''))
            self.assertRegex(err, r'\Aringload: [^\n]+; as this program lies in a build tree, run it in the shell of meson devenv -C '
                             + re.escape(tree) + r', or set RINGLOAD_PLUGIN_PATH and RINGLOAD_BACKEND_PATH\n\Z')

    def test_two_names_of_one_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            (path / 'link').symlink_to(path / 'file')
            (path / 'file').touch()
            code, out, err = run(*BACKEND, '-O', path / 'file', '--save', path / 'link', 'http://127.0.0.1/')
            self.assertEqual((code, out), (2, ''))
            self.assertIn('both are the same file', err)


class Runs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.target = Target()

    @classmethod
    def tearDownClass(cls):
        cls.target.stop()

    def setUp(self):
        self.target.reset_stats()

    def load(self, *words, **options):
        return run(*BACKEND, '--no-progress', *words, self.target.url, **options)

    def test_a_count_is_exact_and_the_report_is_json(self):
        code, out, err = self.load('-n', '501', '-c', '7', '-t', '2', '--json')
        self.assertEqual((code, err), (0, ''))
        summary = json.loads(out)['summary']
        self.assertEqual(summary['requests'], 501)
        self.assertEqual(self.target.stats()['requests_received'], 501)

    def test_lowered_threads_are_said_in_the_report(self):
        code, out, _ = self.load('-n', '10', '-c', '2', '-t', '8', '--json')
        self.assertEqual(code, 0)
        self.assertIn('Threads were lowered from 8 to 2: each needs a connection of its own; raise -c.', json.loads(out)['warnings'])
        out = self.load('-n', '10', '-c', '2', '-t', '4')[1]
        self.assertIn('Warning Threads were lowered from 4 to 2: each needs a connection of its own; raise -c.', ' '.join(out.split()))

    def test_an_unreachable_target_is_exit_3_with_a_report(self):
        code, out, _ = run(*BACKEND, '-d', '200ms', '-c', '1', '--json', f'http://127.0.0.1:{free_port()}/')
        self.assertEqual(code, 3)
        report = json.loads(out)
        self.assertEqual(report['verdict'], {'exit_code': 3, 'reason': 'target_unreachable'})
        self.assertEqual([row['category'] for row in report['transport_errors']], ['connect_refused'])
        self.assertRegex(report['transport_errors'][0]['message'], '^the target refused the connection')

    def test_a_host_without_an_address_is_one_line(self):
        code, _, err = run(*BACKEND, '-n', '1', 'http://no-such-host.invalid/')
        self.assertIn(code, (2, 3))
        self.assertIn('no-such-host.invalid', err)

    def test_a_word_that_is_nearly_a_command_is_taken_for_one(self):
        code, _, err = run(*BACKEND, '-n', '1', 'serv')
        if code != 2:
            self.skipTest('there is a host called serv here')
        self.assertRegex(err, r'\Aringload: cannot resolve "serv": [^\n]*, or did you mean the command serve\?\n\Z')

    def test_a_broken_backend_that_nobody_named_is_passed_over(self):
        if 'linked in' in run('list', 'backends')[1]:
            self.skipTest('backends are linked in: no file is searched for')
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, 'librl_backend_broken.so').write_text('no object')
            env = {**os.environ, 'RINGLOAD_BACKEND_PATH': folder + ':' + os.environ['RINGLOAD_BACKEND_PATH']}
            words = ('-n', '5', '--no-progress', '--json', self.target.url)
            code, out, err = run('--backend', 'auto', *words, env=env)
            self.assertEqual(code, 0)
            self.assertRegex(err, r'(?m)^ringload: backend broken was passed over: [^\n]+$')
            self.assertEqual(json.loads(out)['summary']['requests'], 5)
            code, out, err = run('--backend', 'broken', *words, env=env)
            self.assertEqual((code, out), (2, ''))
            self.assertIn('cannot load backend', err)

    def test_quiet_says_nothing(self):
        self.assertEqual(self.load('-n', '5', '-o', 'quiet'), (0, '', ''))
        self.assertEqual(self.load('-n', '5', '--quiet'), (0, '', ''))

    def test_files_beside_standard_output(self):
        with tempfile.TemporaryDirectory() as folder:
            saved, main = pathlib.Path(folder, 'saved'), pathlib.Path(folder, 'main')
            code, out, err = self.load('-n', '5', '--save', saved)
            self.assertEqual((code, err), (0, ''))
            self.assertNotEqual(out, '')
            self.assertEqual(json.loads(saved.read_text())['summary']['requests'], 5)
            self.assertEqual(self.load('-n', '5', '-O', main), (0, '', ''))
            self.assertIn('Requests', main.read_text())
            self.assertEqual(sorted(os.listdir(folder)), ['main', 'saved'])

    def test_a_file_keeps_its_mode_and_a_link_its_place(self):
        with tempfile.TemporaryDirectory() as folder:
            real, link = pathlib.Path(folder, 'real'), pathlib.Path(folder, 'link')
            real.write_text('before')
            real.chmod(0o640)
            link.symlink_to(real)
            self.assertEqual(self.load('-n', '5', '--json', '-O', link)[0], 0)
            self.assertTrue(link.is_symlink())
            self.assertEqual(json.loads(real.read_text())['summary']['requests'], 5)
            self.assertEqual(stat.S_IMODE(real.stat().st_mode), 0o640)

    def test_a_device_is_written_and_stays_a_device(self):
        self.assertEqual(self.load('-n', '5', '-O', '/dev/null'), (0, '', ''))
        self.assertTrue(stat.S_ISCHR(os.stat('/dev/null').st_mode))

    def test_a_full_disk_is_an_error_and_the_report_goes_to_standard_output(self):
        code, out, err = self.load('-n', '5', '--json', '-O', '/dev/full')
        self.assertEqual(code, 2)
        self.assertIn('No space left on device', err)
        self.assertEqual(json.loads(out)['summary']['requests'], 5)

    def test_a_limit_on_file_sizes_is_an_error_and_the_report_goes_to_standard_output(self):
        with tempfile.TemporaryDirectory() as folder:
            def small():
                resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

            code, out, err = self.load('-n', '5', '--json', '-O', pathlib.Path(folder, 'f'), preexec_fn=small)
            self.assertEqual(code, 2)
            self.assertRegex(err, r'\Aringload: [^\n]*File too large\n\Z')
            self.assertEqual(json.loads(out)['summary']['requests'], 5)
            self.assertEqual(os.listdir(folder), [])

    def test_a_pipe_that_does_not_block_gets_the_whole_report(self):
        reader, writer = os.pipe()
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
        os.set_blocking(writer, False)
        os.write(writer, b' ' * 4096)
        process = subprocess.Popen([*PROGRAM, *BACKEND, '--no-progress', '--json', '-n', '5', self.target.url], stdout=writer,
                                   stderr=subprocess.PIPE)
        os.close(writer)
        self.assertTrue(until(lambda: self.target.stats()['requests_received'] == 5))
        with os.fdopen(reader, 'rb') as pipe:
            report = json.loads(pipe.read())
        self.assertEqual((process.communicate(timeout=PATIENCE_S)[1], process.returncode), (b'', 0))
        self.assertEqual(report['summary']['requests'], 5)

    def test_a_fifo_is_no_place_for_a_report(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkfifo(folder + '/fifo')
            code, out, err = self.load('-n', '5', '-O', folder + '/fifo')
            self.assertEqual((code, out), (2, ''))
            self.assertIn('is a FIFO and no regular file', err)
        code, out, _ = self.load('-n', '5', '--json', '-O', '/dev/stdout')
        self.assertEqual((code, json.loads(out)['summary']['requests']), (0, 5))

    def test_a_full_standard_output_is_an_error(self):
        with open('/dev/full', 'wb') as full:
            code, _, err = self.load('-n', '5', stdout=full)
        self.assertEqual(code, 2)
        self.assertEqual(err, 'ringload: cannot write to standard output: No space left on device\n')

    def test_a_reader_that_left_is_an_error_and_no_signal(self):
        reader, writer = os.pipe()
        os.close(reader)
        code, _, err = self.load('-n', '5', stdout=writer)
        os.close(writer)
        self.assertEqual(code, 2)
        self.assertIn('Broken pipe', err)

    def test_the_soft_limit_on_files_is_raised(self):
        def few():
            hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
            resource.setrlimit(resource.RLIMIT_NOFILE, (40, hard))

        code, out, err = self.load('-n', '300', '-c', '100', '--json', preexec_fn=few)
        self.assertEqual((code, err), (0, ''))
        self.assertEqual(json.loads(out)['summary']['responses'], 300)

    def test_the_hard_limit_on_files_is_named(self):
        def few():
            resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
            if os.getuid() == 0:
                os.setuid(65534)  # nobody: root may raise any limit

        try:
            code, out, err = self.load('-n', '300', '-c', '200', preexec_fn=few)
        except PermissionError:
            self.skipTest('the program cannot be reached by another user')
        if 'open files' not in err and 'plug-in' in err + out:
            self.skipTest('the plug-ins cannot be reached by another user')
        self.assertEqual((code, out), (2, ''))
        self.assertIn('200 connections need', err)
        self.assertIn('the limit is 100', err)

    def test_a_locale_without_utf8_gets_ascii_and_columns_are_kept(self):
        plain = {name: value for name, value in os.environ.items() if not name.startswith('LC_') and name not in ('LANG', 'COLUMNS')}
        for locale, is_ascii in (({'LC_ALL': 'C'}, True), ({'LC_ALL': 'C.UTF-8'}, False), ({'LANG': 'POSIX'}, True), ({}, False)):
            code, out, _ = self.load('-n', '100', env={**plain, **locale, 'COLUMNS': '60'})
            self.assertEqual((code, out.isascii()), (0, is_ascii), locale)
            self.assertLessEqual(max(map(len, out.splitlines())), 60, out)
        out = self.load('-n', '100', '--text.charset=utf-8', env={**plain, 'LC_ALL': 'C'})[1]
        self.assertFalse(out.isascii())
        self.assertGreater(max(map(len, out.splitlines())), 60)

    def test_progress_is_plain_lines_where_asked_for(self):
        code, out, err = run(*BACKEND, '-d', '1500ms', '--progress', '-o', 'quiet', self.target.url)  # one sample a second
        self.assertEqual((code, out), (0, ''))
        self.assertNotIn('\x1b', err)
        self.assertIn('failed 0', err)

    def test_progress_on_a_terminal_is_erased(self):
        ours, theirs = pty.openpty()
        code, _, _ = run(*BACKEND, '-d', '300ms', '-o', 'quiet', self.target.url, stderr=theirs)
        os.close(theirs)
        shown = os.read(ours, 65536).decode()
        os.close(ours)
        self.assertEqual(code, 0)
        self.assertIn('0s / 300ms', shown)
        self.assertTrue(shown.endswith('\r\x1b[K'), shown)

    def test_progress_on_a_dumb_terminal_is_plain_lines(self):
        ours, theirs = pty.openpty()
        code, _, _ = run(*BACKEND, '-d', '1500ms', '-o', 'quiet', self.target.url, stderr=theirs, env={**os.environ, 'TERM': 'dumb'})
        os.close(theirs)
        shown = os.read(ours, 65536).decode()
        os.close(ours)
        self.assertEqual(code, 0)
        self.assertNotIn('\x1b', shown)
        self.assertRegex(shown, r'\A(  [^\r\n]* failed 0\r\n)+\Z')

    def interrupted(self, number):
        self.target.reset_stats()
        process = subprocess.Popen([*PROGRAM, *BACKEND, '-d', '60s', '--json', self.target.url],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertTrue(until(lambda: self.target.stats()['requests_received'] > 0))
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(err, b'')
        report = json.loads(out)
        self.assertGreater(report['summary']['requests'], 0)
        return process.returncode, report['verdict']['reason']

    def test_a_signal_before_traffic_quits_at_once(self):
        # A name server that never answers, seen by the program alone.
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent, tempfile.NamedTemporaryFile('w') as config:
            try:
                silent.bind(('127.0.0.1', 53))
            except OSError:
                self.skipTest('port 53 cannot be had')
            config.write('nameserver 127.0.0.1\noptions timeout:30\n')
            config.flush()
            bind = 'mount --bind "$1" /etc/resolv.conf || exit 77; shift; exec "$@"'
            words = ['unshare', '-m', 'sh', '-c', bind, 'sh', config.name, *PROGRAM, *BACKEND, '-n', '5', 'http://slow.example/']
            for number in (signal.SIGINT, signal.SIGTERM):
                process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                silent.settimeout(PATIENCE_S)
                try:
                    silent.recv(512)
                except TimeoutError:
                    process.kill()
                    self.skipTest(f'no look-up was seen: {process.communicate()}')
                process.send_signal(number)
                self.assertEqual(process.communicate(timeout=PATIENCE_S), (b'', b''))
                self.assertEqual(process.returncode, -number)

    def test_signals_end_the_run_with_a_report(self):
        self.assertEqual(self.interrupted(signal.SIGINT), (130, 'interrupted'))
        self.assertEqual(self.interrupted(signal.SIGTERM), (143, 'terminated'))


    def begun(self, *words, **options):
        self.target.reset_stats()
        process = subprocess.Popen([*PROGRAM, *BACKEND, '-d', '60s', '--no-progress', '--json', *words, self.target.url], **options)
        self.assertTrue(until(lambda: self.target.stats()['requests_received'] > 0))
        return process

    def test_two_signals_of_one_moment_are_one_wish(self):
        process = self.begun(stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.send_signal(signal.SIGSTOP)  # so that the program finds both at once
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGCONT)
        out, err = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(err, b'')
        self.assertEqual(process.returncode, json.loads(out)['verdict']['exit_code'])
        self.assertIn(process.returncode, (130, 143))

    def test_timeout_of_coreutils_gets_a_report(self):
        if shutil.which('timeout') is None:
            self.skipTest('there is no timeout')
        done = subprocess.run(['timeout', '2', *PROGRAM, *BACKEND, '-d', '20s', '--json', self.target.url], capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (124, b''))
        self.assertEqual(json.loads(done.stdout)['verdict'], {'exit_code': 143, 'reason': 'terminated'})


class Completion(unittest.TestCase):
    def complete(self, *words):
        script = os.environ['RINGLOAD_BASH_COMPLETION']
        body = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _ringload; printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(['bash', '-c', body, 'bash', script, *PROGRAM, *words], capture_output=True, text=True, check=True)
        return done.stdout.split()

    def test_bash(self):
        self.assertEqual(self.complete('--dura'), ['--duration'])
        self.assertEqual(self.complete('se'), ['serve'])
        self.assertEqual(self.complete('--wait', 's'), ['sleep', 'spin'])
        self.assertEqual(self.complete('--wait', '=', 'sp'), ['spin'])
        self.assertIn('-t', self.complete('-'))

    def test_bash_knows_the_command(self):
        self.assertEqual(self.complete('serve', '--si'), ['--size'])
        self.assertEqual(self.complete('serve', '--size', ''), [])
        self.assertEqual(self.complete('list', 'b'), ['backends'])
        self.assertEqual(self.complete('list', '--dura'), [])
        self.assertEqual(self.complete('help', 'stat'), ['static_url'])

    def test_bash_asks_for_names(self):
        self.assertEqual(self.complete('--source', 'sta'), ['static_url'])
        self.assertEqual(self.complete('--pacer', 'const'), ['constant'])
        self.assertIn('hgrm', self.complete('--reporter', ''))
        self.assertIn('epoll', self.complete('--backend', '=', 'e'))
        self.assertEqual(self.complete('--help', '=', 'plug'), ['plugins'])
        self.assertIn('json', self.complete('--help', '=', 'j'))
        self.assertEqual(self.complete('--help', 'j'), [])


if __name__ == '__main__':
    unittest.main()
