"""The program under test as a process, and a scripted server that answers by the letter and remembers what it was sent.

The command comes from the environment: RINGLOAD="build/tools/ringload/ringload", with the module folders beside it. RINGLOAD_TEST_WRAPPER
stands in front of it where the program is one for Windows ("wine").
"""

import json
import os
import shlex
import signal
import socket
import struct
import subprocess
import threading
import time
import unittest

WRAPPER = shlex.split(os.environ.get('RINGLOAD_TEST_WRAPPER', ''))
PATIENCE_S = 60
BACKENDS = os.environ.get('RINGLOAD_TEST_BACKENDS', 'io_uring epoll').split()


def command():
    given = os.environ.get('RINGLOAD')
    if not given:
        raise RuntimeError('RINGLOAD is not set: give the command that starts the program')
    return WRAPPER + shlex.split(given)


class Outcome:
    """How one run of the program ended."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def report(self):
        return json.loads(self.out)

    @property
    def summary(self):
        return self.report['summary']

    def errors(self):
        return {entry['category']: entry['count'] for entry in self.report['transport_errors']}

    def statuses(self):
        return {entry['code']: entry['count'] for entry in self.report['statuses']}


# Wine hands the signals of POSIX on to nobody; platform_test.py ends a run by Ctrl-C on a terminal.
needs_signals = unittest.skipIf(WRAPPER, 'a program under wine gets no signals of POSIX')


def start(*arguments, **popen):
    return subprocess.Popen(command() + [str(a) for a in arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **popen)


def finish(process):
    out, err = process.communicate(timeout=PATIENCE_S)
    return Outcome(process.returncode, out, err)


def run(*arguments, **popen):
    return finish(start(*arguments, **popen))


def run_json(*arguments, **popen):
    return run('-o', 'json', *arguments, **popen)


class EveryBackend(unittest.TestCase):
    """Tests whose each_* methods run once for every backend."""

    def test_every_backend(self):
        for name in sorted(n for n in dir(self) if n.startswith('each_')):
            for backend in BACKENDS:
                with self.subTest(name, backend=backend):
                    getattr(self, name)(backend)

    def check_sums(self, outcome):
        s = outcome.summary
        self.assertEqual(s['requests'], s['responses'] + s['transport_errors'] + s['abandoned'], s)
        self.assertEqual(s['responses'], s['ok'] + s['failed'], s)
        self.assertEqual(s['responses'], sum(outcome.statuses().values()))
        self.assertEqual(s['transport_errors'], sum(outcome.errors().values()))


def reset(connection):
    """Closes with RST."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
    connection.close()


class ScriptedServer:
    """Calls script(connection, request_number_on_it, request) for each request read; script sends what it likes. Returning False
    ends the connection. `requests` holds every request in order of arrival, `connections` counts accepts."""

    def __init__(self, script, family=socket.AF_INET, host='127.0.0.1'):
        self.script, self.requests, self.connections = script, [], 0
        self.lock = threading.Lock()
        self.listener = socket.socket(family, socket.SOCK_STREAM)
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind((host, 0))
        self.listener.listen(256)
        self.port = self.listener.getsockname()[1]
        self.open = []
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        with self.lock:
            for connection in self.open:
                connection.close()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self.lock:
                self.connections += 1
                self.open.append(connection)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        buffer, number = b'', 0
        try:
            while True:
                while b'\r\n\r\n' not in buffer:
                    octets = connection.recv(65536)
                    if not octets:
                        connection.close()
                        return
                    buffer += octets
                head, _, buffer = buffer.partition(b'\r\n\r\n')
                length = next((int(line.split(b':')[1]) for line in head.split(b'\r\n') if line.lower().startswith(b'content-length:')), 0)
                while len(buffer) < length:
                    octets = connection.recv(65536)
                    if not octets:
                        break
                    buffer += octets
                body, buffer = buffer[:length], buffer[length:]
                with self.lock:
                    self.requests.append((head, body))
                if self.script(connection, number, head) is False:
                    connection.close()
                    return
                number += 1
        except OSError:
            pass


def answers(octets, then=None):
    """A script: always these octets; then 'fin', 'rst', or nothing."""
    def script(connection, *unused):
        connection.sendall(octets)
        if then == 'fin':
            return False
        if then == 'rst':
            time.sleep(0.05)
            reset(connection)
            return None
        return None
    return script


__all__ = ['BACKENDS', 'WRAPPER', 'EveryBackend', 'Outcome', 'ScriptedServer', 'answers', 'command', 'finish', 'needs_signals', 'reset', 'run', 'run_json', 'signal', 'start']
