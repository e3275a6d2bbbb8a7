"""The bundled target as a process, and a raw HTTP/1.1 client that hides nothing. For every test in this folder.

The command comes from the environment: RINGLOAD_SERVE="build/tools/serve/ringload-serve", or "ringload serve". RINGLOAD_TEST_WRAPPER stands
in front of it where the program is one for Windows ("wine"): such a target has one worker, and takes words instead of signals.
"""

import json
import os
import shlex
import signal
import socket
import subprocess
import time
from dataclasses import dataclass, field
from urllib.parse import urlsplit

WRAPPER = shlex.split(os.environ.get('RINGLOAD_TEST_WRAPPER', ''))
WORDS = {signal.SIGUSR1: 'freeze', signal.SIGUSR2: 'thaw', signal.SIGINT: 'end', signal.SIGTERM: 'end'}
PATIENCE_S = 20  # long enough for any busy machine; no test waits for it to pass


def serve_command():
    command = os.environ.get('RINGLOAD_SERVE')
    if not command:
        raise RuntimeError('RINGLOAD_SERVE is not set: give the command that starts the target')
    return WRAPPER + shlex.split(command)


def until(condition):
    """Waits for what another process does in its own time. False if it never came; a test asserts on that."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.005)
    return False


class Target:
    """A running target. Use it in a with statement; it listens on a free port unless told otherwise."""

    def __init__(self, *options, popen=None):
        given = [str(option) for option in options]
        port = [] if '--port' in given else ['--port', '0']
        if WRAPPER and '--threads' in given:
            given[given.index('--threads') + 1] = '1'
        self.process = subprocess.Popen(serve_command() + port + given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        **{'stdin': subprocess.PIPE if WRAPPER else None, **(popen or {})})
        line = self.process.stdout.readline()
        if not line.startswith('listening on http://'):
            raise RuntimeError(f'the target did not start: {line}{self.process.communicate()}')
        self.url = line.split()[-1]
        parts = urlsplit(self.url)
        self.host, self.port = parts.hostname, parts.port

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        code, said = self.stop()
        if code != 0:
            raise AssertionError(f'the target ended with {code}: {said}')

    def connect(self):
        return Wire(self.host, self.port)

    def get(self, target='/', method='GET', headers=(), body=b''):
        """One request on a connection of its own."""
        with self.connect() as wire:
            wire.send_request(target, method, headers, body)
            return wire.read_response(method)

    def stats(self, query=''):
        return json.loads(self.get('/stats' + (f'?{query}' if query else '')).body)

    def reset_stats(self):
        self.get('/stats/reset')

    def send_signal(self, number):
        if WRAPPER:
            self.process.stdin.write(WORDS[number] + '\n')
            self.process.stdin.flush()
        else:
            self.process.send_signal(number)

    def stop(self, number=signal.SIGTERM):
        """Ends the target; returns its exit code and what it said on stderr."""
        if self.process.poll() is None:
            self.send_signal(number)
        return self.wait()

    def wait(self):
        if not self.process.stdout.closed:
            _, self.said = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, self.said


@dataclass
class Response:
    status: int = 0
    head: bytes = b''
    body: bytes = b''
    fields: dict = field(default_factory=dict)  # names in small letters


class Wire:
    """One connection: octets go out as given, answers are read by the letter of RFC 9112."""

    def __init__(self, host, port):
        self.socket = socket.create_connection((host, port), timeout=PATIENCE_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b''

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.socket.close()

    def send(self, octets):
        self.socket.sendall(octets)

    def send_request(self, target='/', method='GET', headers=(), body=b''):
        lines = [f'{method} {target} HTTP/1.1', 'Host: target', *headers]
        if body:
            lines.append(f'Content-Length: {len(body)}')
        self.send('\r\n'.join(lines).encode('latin-1') + b'\r\n\r\n' + body)

    def fill(self):
        octets = self.socket.recv(1 << 18)
        self.buffer += octets
        return len(octets)

    def take(self, count):
        while len(self.buffer) < count:
            if not self.fill():
                raise EOFError(f'closed after {len(self.buffer)} of {count} octets')
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def take_until(self, mark):
        while mark not in self.buffer:
            if not self.fill():
                raise EOFError(f'closed before {mark}: {self.buffer[:80]}')
        return self.take(self.buffer.index(mark) + len(mark))

    def read_to_end(self):
        while self.fill():
            pass
        return self.take(len(self.buffer))

    def read_response(self, method='GET'):
        answer = Response(head=self.take_until(b'\r\n\r\n'))
        first, *lines = answer.head.decode('latin-1').split('\r\n')[:-2]
        version, status, _ = first.split(' ', 2)
        if version != 'HTTP/1.1':
            raise ValueError(f'a strange version: {first}')
        answer.status = int(status)
        answer.fields = {name.lower(): value.strip() for name, value in (line.split(':', 1) for line in lines)}
        if method == 'HEAD' or answer.status in (204, 304) or answer.status < 200:
            return answer
        if answer.fields.get('transfer-encoding') == 'chunked':
            while size := int(self.take_until(b'\r\n'), 16):
                answer.body += self.take(size)
                if self.take(2) != b'\r\n':
                    raise ValueError('a chunk does not end in CR LF')
            if self.take(2) != b'\r\n':
                raise ValueError('trailers, or no end')
        elif 'content-length' in answer.fields:
            answer.body = self.take(int(answer.fields['content-length']))
        else:
            answer.body = self.read_to_end()
        return answer
