#!/usr/bin/env python3
"""Where things end: open files, connections, modules that are broken, targets that refuse, hang or freeze, and people who interrupt."""

import ctypes
import fcntl
import os
import pathlib
import re
import resource
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from program import BACKENDS, EveryBackend, ScriptedServer, command, finish, run_json, start
from target import PATIENCE_S, Target, until

BACKEND_PATH = os.environ['RINGLOAD_BACKEND_PATH']
PLUGIN_PATH = os.environ['RINGLOAD_PLUGIN_PATH']


def with_files(soft, hard):
    """For Popen: limits on open files that even a privileged program cannot lift."""
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    PR_CAPBSET_DROP, CAP_SYS_RESOURCE = 24, 24

    def limit():
        if os.geteuid() == 0 and prctl(PR_CAPBSET_DROP, CAP_SYS_RESOURCE, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), 'cannot drop CAP_SYS_RESOURCE')
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return {'preexec_fn': limit}


class OneLine(unittest.TestCase):
    def check_refused(self, outcome, *words):
        self.assertEqual((outcome.code, outcome.out), (2, ''), outcome.err)
        self.assertRegex(outcome.err, r'\Aringload: [^\n]+\n\Z')
        for word in words:
            self.assertIn(word, outcome.err)


class OpenFiles(OneLine, EveryBackend):
    def each_too_few_are_refused_before_traffic(self, backend):
        with Target() as target:
            outcome = run_json('--backend', backend, '-c100', '-n1000', target.url, **with_files(64, 64))
            self.check_refused(outcome, '100 connections', 'RLIMIT_NOFILE', 'ulimit -n', ' 64 ')
            self.assertEqual(target.stats()['connections_accepted'], 0)

    def each_a_soft_limit_is_raised(self, backend):
        with Target() as target:
            outcome = run_json('--backend', backend, '-c100', '-n1000', target.url, **with_files(64, 4096))
            self.assertEqual((outcome.code, outcome.summary['responses'], outcome.errors()), (0, 1000, {}), outcome.err)
            self.assertEqual(target.stats()['connections_accepted'], 100)

    def each_just_enough_is_enough(self, backend):
        with Target() as target:
            for threads in (1, 4):
                words = ('--backend', backend, '-t', threads, '-c100', '-n1000', target.url)
                needed = int(re.search(r'need (\d+) open files', run_json(*words, **with_files(64, 64)).err)[1])
                self.check_refused(run_json(*words, **with_files(needed - 1, needed - 1)), str(needed))
                outcome = run_json(*words, **with_files(needed, needed))
                self.assertEqual((outcome.code, outcome.summary['responses'], outcome.errors()), (0, 1000, {}), outcome.err)
                self.assertEqual(outcome.summary['connections_live'], 100)

    @unittest.skipIf(resource.getrlimit(resource.RLIMIT_NOFILE)[1] < 5000, 'the limit on open files is below 5000 here')
    def each_two_thousand_connections(self, backend):
        with Target('--threads', '2') as target:
            outcome = run_json('--backend', backend, '-t2', '-c2000', '-n10000', '-T30s', target.url)
            self.assertEqual(outcome.code, 0, outcome.err)
            self.check_sums(outcome)
            seen = target.stats()
            self.assertEqual((outcome.summary['responses'], outcome.errors()), (10000, {}))
            self.assertEqual((seen['requests_received'], seen['connections_accepted']), (10000, 2000))
            self.assertEqual(outcome.summary['connections_live'], 2000)


class Outputs(OneLine):
    def test_a_file_that_cannot_be_made_is_found_before_traffic(self):
        with Target() as target:
            for words in (('-O', '/proc/ringload-report'), ('--save', '/proc/ringload-report'), ('-O', '/no/such/folder/file')):
                self.check_refused(run_json('-n5', *words, target.url), *words)
            self.assertEqual(target.stats()['connections_accepted'], 0)

    def test_a_full_disk_loses_no_verdict_in_silence(self):
        with Target() as target:
            outcome = run_json('-n5', '-O', '/dev/full', target.url)
            self.assertEqual(outcome.code, 2)
            self.assertRegex(outcome.err, r'\Aringload: -O /dev/full: [^\n]*No space left on device[^\n]*\n\Z')
            self.assertEqual(outcome.summary['responses'], 5)  # what was measured comes out somewhere


def built(folder):
    return sorted(pathlib.Path(folder).glob('librl_*.so'))


@unittest.skipUnless(built(BACKEND_PATH), 'the backends are linked into this program')
class Modules(OneLine):
    """Copies of the built modules, one of them broken in each case."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.backends, self.plugins = (pathlib.Path(folder.name) / name for name in ('backends', 'plugins'))
        for source, copy in ((BACKEND_PATH, self.backends), (PLUGIN_PATH, self.plugins)):
            copy.mkdir()
            for module in built(source):
                shutil.copy(module, copy)
        self.target = Target()
        self.addCleanup(self.target.stop)

    def run_copies(self, *words):
        environment = os.environ | {'RINGLOAD_BACKEND_PATH': str(self.backends), 'RINGLOAD_PLUGIN_PATH': str(self.plugins)}
        return run_json('-t1', '-c2', '-n20', *words, self.target.url, env=environment)

    def check_untouched(self):
        self.assertEqual(self.target.stats()['connections_accepted'], 0)

    def backend(self, name):
        return self.backends / f'librl_backend_{name}.so'

    def test_the_copies_work(self):
        for backend in BACKENDS:
            outcome = self.run_copies('--backend', backend)
            self.assertEqual((outcome.code, outcome.summary['responses']), (0, 20), outcome.err)

    def test_what_is_no_object(self):
        whole = self.backend('epoll').read_bytes()
        for octets in (b'not an object\n', b'', whole[:4096], whole[:8192], whole[:64] + b'\0' * 4096):
            self.backend('epoll').write_bytes(octets)
            self.check_refused(self.run_copies('--backend', 'epoll'), 'cannot load backend', str(self.backend('epoll')))
        self.check_untouched()

    def test_auto_passes_over_what_cannot_be_loaded_and_says_so(self):
        self.backend('io_uring').write_text('not an object\n')
        outcome = self.run_copies()
        self.assertEqual((outcome.code, outcome.summary['responses']), (0, 20), outcome.err)
        self.assertIn('io_uring', outcome.err)
        self.assertTrue(any('io_uring' in note for note in outcome.report['warnings']), outcome.report['warnings'])

    def test_another_build_is_refused_and_both_are_named(self):
        pattern = re.compile(rb'\d+\.\d+\.\d+ (?:gcc|clang)\S* [^\0]* [0-9a-f]{16}\0')
        octets = self.backend('epoll').read_bytes()
        ours = pattern.search(octets)
        self.assertIsNotNone(ours, 'the module does not hold its build')
        theirs = ours[0][:-2] + (b'1' if ours[0][-2:-1] == b'0' else b'0') + b'\0'
        self.backend('epoll').write_bytes(octets.replace(ours[0], theirs))
        named = (ours[0][:-1].decode(), theirs[:-1].decode(), 'rebuild')
        self.check_refused(self.run_copies('--backend', 'epoll'), str(self.backend('epoll')), *named)
        self.check_untouched()
        if len(BACKENDS) > 1:  # another is left, so the stale one is no reason to stop
            outcome = self.run_copies('--backend', 'auto')
            self.assertEqual((outcome.code, outcome.summary['responses']), (0, 20), outcome.err)
            for words in (str(self.backend('epoll')), *named):
                self.assertIn(words, outcome.err)

    def test_a_plugin_is_no_backend(self):
        shutil.copy(self.plugins / 'librl_source_static_url.so', self.backend('epoll'))
        self.check_refused(self.run_copies('--backend', 'epoll'), str(self.backend('epoll')), 'rl_backend_entry')

    def test_a_backend_under_another_name(self):
        shutil.copy(self.backend('epoll'), self.backend('other'))
        self.check_refused(self.run_copies('--backend', 'other'), 'other', 'epoll', 'rename')

    def test_no_backend_at_all(self):
        for module in built(self.backends):
            module.unlink()
        self.check_refused(self.run_copies('--backend', 'auto'), str(self.backends))
        self.check_refused(self.run_copies('--backend', 'epoll'), 'librl_backend_epoll.so', str(self.backends))
        self.check_untouched()

    def test_a_backend_that_is_missing(self):
        self.backend('io_uring').unlink(missing_ok=True)
        outcome = self.run_copies('--backend', 'auto')  # who asked for none in particular need not hear of it
        self.assertEqual((outcome.code, outcome.err, outcome.report['audit']['backend']), (0, '', 'epoll'))
        self.target.reset_stats()
        self.check_refused(self.run_copies('--backend', 'io_uring'), '"io_uring"', 'librl_backend_io_uring.so', str(self.backends))
        self.check_refused(self.run_copies('--backend', 'io_urin'), 'io_urin')

    def test_broken_and_missing_plugins(self):
        for name in ('source_static_url', 'pacer_unlimited', 'reporter_json'):
            with self.subTest(name):
                module = self.plugins / f'librl_{name}.so'
                whole = module.read_bytes()
                for octets in (b'not an object\n', whole[:4096], whole[:8192]):
                    module.write_bytes(octets)
                    self.check_refused(self.run_copies(), str(module))
                module.unlink()
                self.check_refused(self.run_copies(), name.split('_', 1)[1])
                module.write_bytes(whole)
        self.check_untouched()

    def test_a_plugin_under_another_name(self):
        shutil.copy(self.plugins / 'librl_pacer_constant.so', self.plugins / 'librl_pacer_other.so')
        self.check_refused(self.run_copies('--pacer', 'other'), 'other', 'constant')
        self.check_untouched()


class Deaf:
    """Listens, never accepts, and has its backlog full: further connects get no answer at all."""

    def __init__(self):
        self.listener = socket.socket()
        self.listener.bind(('127.0.0.1', 0))
        self.listener.listen(0)
        self.port = self.listener.getsockname()[1]
        self.url = f'http://127.0.0.1:{self.port}/'
        self.waiting = []
        while len(self.waiting) < 10:
            connection = socket.socket()
            self.waiting.append(connection)
            connection.settimeout(0.3)
            try:
                connection.connect(('127.0.0.1', self.port))
            except TimeoutError:
                break

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        for connection in [*self.waiting, self.listener]:
            connection.close()

    def connecting(self):
        """Connections of others that wait for an answer (state 02 is SYN_SENT)."""
        own = {connection.getsockname()[1] for connection in self.waiting}
        lines = [line.split() for line in pathlib.Path('/proc/net/tcp').read_text().splitlines()[1:]]
        return sum(1 for line in lines if line[3] == '02' and int(line[2].split(':')[1], 16) == self.port
                   and int(line[1].split(':')[1], 16) not in own)


class Halves(EveryBackend):
    """Peers that end one direction and keep the other one open."""

    def each_closing_after_every_answer(self, backend):
        def script(connection, *unused):
            connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
            connection.shutdown(socket.SHUT_WR)

        with ScriptedServer(script) as server:
            outcome = run_json('--backend', backend, '-t2', '-c4', '-n40', f'http://127.0.0.1:{server.port}/')
            self.check_sums(outcome)
            self.assertEqual((outcome.code, outcome.summary['responses'], outcome.errors()), (0, 40, {}), outcome.err)
            self.assertGreaterEqual(server.connections, 40)

    def each_closing_within_an_answer_and_at_the_end_of_the_run(self, backend):
        def script(connection, *unused):
            connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nhalf of it')
            connection.shutdown(socket.SHUT_WR)

        with ScriptedServer(script) as server:
            outcome = run_json('--backend', backend, '-t1', '-c4', '-d400ms', f'http://127.0.0.1:{server.port}/')
            self.check_sums(outcome)
            self.assertEqual((outcome.code, outcome.summary['responses']), (3, 0), outcome.err)
            self.assertEqual(len(outcome.errors()), 1, outcome.errors())
            self.assertAlmostEqual(outcome.summary['elapsed_seconds'], 0.4, places=6)

    def each_that_never_read(self, backend):
        # Requests that fill every buffer on the way: sends are under way when the connections are closed.
        with tempfile.NamedTemporaryFile() as body, socket.socket() as listener:
            body.write(b'x' * (16 << 20))
            body.flush()
            listener.bind(('127.0.0.1', 0))
            listener.listen(16)
            outcome = run_json('--backend', backend, '-t2', '-c4', '-d400ms', '-T0', '--body-file', body.name,
                               f'http://127.0.0.1:{listener.getsockname()[1]}/')
            self.check_sums(outcome)
            self.assertEqual((outcome.summary['responses'], outcome.summary['abandoned'], outcome.errors()), (0, 4, {}), outcome.err)
            self.assertAlmostEqual(outcome.summary['elapsed_seconds'], 0.4, places=6)


class Silence(EveryBackend):
    def each_a_target_that_never_accepts(self, backend):
        with Deaf() as deaf:
            outcome = run_json('--backend', backend, '-t2', '-c6', '-d1s', '-T200ms', deaf.url)
        self.assertEqual(outcome.code, 3, outcome.err)
        self.check_sums(outcome)
        self.assertEqual(outcome.summary['responses'], 0)
        self.assertGreater(outcome.errors()['connect_timeout'], 0)
        self.assertLessEqual(set(outcome.errors()), {'connect_timeout', 'request_timeout'})
        self.assertLessEqual(outcome.summary['elapsed_seconds'], 1.0)

    def each_refusals_do_not_end_a_timed_run(self, backend):
        with socket.socket() as closed:
            closed.bind(('127.0.0.1', 0))
            outcome = run_json('--backend', backend, '-t1', '-c4', '-d300ms', f'http://127.0.0.1:{closed.getsockname()[1]}/')
        self.assertEqual(outcome.code, 3, outcome.err)
        self.check_sums(outcome)
        self.assertEqual(set(outcome.errors()), {'connect_refused'})
        self.assertAlmostEqual(outcome.summary['elapsed_seconds'], 0.3, places=6)

    def each_a_frozen_target_does_not_hold_up_the_end(self, backend):
        for timeout, words in (('0', set()), ('300ms', {'request_timeout'})):
            with self.subTest(timeout=timeout), Target() as target:
                process = start('--backend', backend, '-o', 'json', '-t2', '-c6', '-d2s', '-T', timeout, target.url)
                self.assertTrue(until(lambda: target.stats()['requests_received'] > 20))
                target.send_signal(signal.SIGUSR1)
                outcome = finish(process)
                target.send_signal(signal.SIGUSR2)
                self.assertEqual(outcome.code, 0, outcome.err)
                self.check_sums(outcome)
                self.assertGreater(outcome.summary['responses'], 0)
                self.assertEqual(set(outcome.errors()), words)
                if timeout == '0':  # else all of them may be waiting to try again when the time is up
                    self.assertGreater(outcome.summary['abandoned'], 0)
                self.assertAlmostEqual(outcome.summary['elapsed_seconds'], 2.0, places=6)

    def each_a_thaw_brings_the_answers(self, backend):
        with Target('--freeze') as target:
            process = start('--backend', backend, '-o', 'json', '-t1', '-c3', '-n50', '-T0', target.url)
            self.assertTrue(until(lambda: connections_to(target.port) == 3))
            target.send_signal(signal.SIGUSR2)
            outcome = finish(process)
            self.assertEqual((outcome.code, outcome.summary['responses'], outcome.errors()), (0, 50, {}), outcome.err)


def connections_to(port):
    """Established connections whose far end is this port of this machine."""
    lines = [line.split() for line in pathlib.Path('/proc/net/tcp').read_text().splitlines()[1:]]
    return sum(1 for line in lines if line[3] == '01' and int(line[2].split(':')[1], 16) == port)


class Interrupts(EveryBackend):
    def each_while_connecting(self, backend):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            with self.subTest(code=code), Deaf() as deaf:
                process = start('--backend', backend, '-o', 'json', '-t2', '-c6', '-d60s', '-T0', deaf.url)
                self.assertTrue(until(lambda: deaf.connecting() > 0))
                process.send_signal(number)
                outcome = finish(process)
                self.assertEqual(outcome.code, code, outcome.err)
                self.check_sums(outcome)
                self.assertEqual((outcome.summary['responses'], outcome.errors()), (0, {}))

    def each_a_later_one_quits_at_once(self, backend):
        # After the first the report is written: into a pipe that nobody reads and that is too small for it.
        reading, writing = os.pipe()
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
        try:
            with Target('--never', '1') as target:
                process = subprocess.Popen(command() + ['--backend', backend, '-o', 'json', '-t1', '-c2', '-d60s', '-T0', target.url],
                                           stdout=writing, stderr=subprocess.DEVNULL)
                self.assertTrue(until(lambda: connections_to(target.port) == 2))
                process.send_signal(signal.SIGINT)
                self.assertTrue(select.select([reading], [], [], PATIENCE_S)[0], 'no report after the first')
                time.sleep(0.6)  # a sooner one is the same wish
                self.assertIsNone(process.poll())
                process.send_signal(signal.SIGINT)
                self.assertEqual(process.wait(PATIENCE_S), -signal.SIGINT)
        finally:
            os.close(reading)
            os.close(writing)


if __name__ == '__main__':
    unittest.main()
