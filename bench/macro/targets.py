"""The servers a bench loads: each on loopback, pinned to one CPU, ended with its Pool.

bundled  ringload's own target, spinning: it never sleeps, so waking it up costs the clients nothing
nginx    one worker, what people run
other    any command, with {port}, {body} and {cpu} in it
"""
import os
import shlex
import shutil
import socket
import tempfile
import time
from dataclasses import dataclass

from duel import Watch
from process import BenchError, children_of

ANSWER_OCTETS = 150  # of the bundled target's smallest answer, which is what nginx sends for two octets


@dataclass
class Answer:
    status: int
    octets: int  # head and body
    body: int


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


def ask(port, seconds=2.0):
    """One request; the size of the answer is what the bare loops count by. None if nobody answers."""
    try:
        with socket.create_connection(('127.0.0.1', port), timeout=seconds) as connection:
            connection.sendall(f'GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n'.encode())
            got = b''
            while b'\r\n\r\n' not in got:
                chunk = connection.recv(65536)
                if not chunk:
                    return None
                got += chunk
            head, _, rest = got.partition(b'\r\n\r\n')
            length = next((int(line.split(b':')[1]) for line in head.split(b'\r\n') if line.lower().startswith(b'content-length:')), 0)
            left = length - len(rest)
            while left > 0:
                chunk = connection.recv(min(left, 1 << 20))
                if not chunk:
                    return None
                left -= len(chunk)
            return Answer(int(head.split(b' ')[1]), len(head) + 4 + length, length)
    except (OSError, ValueError, IndexError):
        return None


class Target:
    """A running server. `spins` says that it keeps its core busy also when there is nothing to do."""

    def __init__(self, name, process, port, body, spins, forks=False):
        self.name, self.process, self.port, self.spins = name, process, port, spins
        self.url = f'http://127.0.0.1:{port}/'
        limit = time.monotonic() + 10
        while (answer := ask(port)) is None:
            if process.ended() or time.monotonic() > limit:
                raise BenchError(f'target {name} does not answer on port {port}: {process.last_words()}')
            time.sleep(0.02)
        if answer.status != 200 or answer.body != body:
            raise BenchError(f'target {name} answered {answer.status} with {answer.body} octets instead of 200 with {body}')
        self.answer = answer
        self.watch = Watch(children_of(process.pid) if forks else [process.pid], port)


def start_bundled(pool, ringload, body, cpu, priority):
    port = free_port()
    command = [*shlex.split(ringload), 'serve', '--spin', '--port', str(port), '--size', str(body), '--cpu', str(cpu), '--for', '1h']
    if body < ANSWER_OCTETS:
        command += ['--head', str(ANSWER_OCTETS - body)]
    return Target('bundled', pool.start(command, cpu, priority), port, body, spins=True)


NGINX_CONF = '''daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 16384; accept_mutex off; }}
http {{
    access_log off;
    keepalive_requests 4000000000;
    keepalive_timeout 900s;
    client_header_timeout 900s;
    send_timeout 900s;
    reset_timedout_connection off;
    sendfile on;
    tcp_nopush on;
    open_file_cache max=16 inactive=1h;
    open_file_cache_valid 1h;
    default_type text/plain;
    client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder}; uwsgi_temp_path {folder};
    scgi_temp_path {folder};
    server {{
        listen 127.0.0.1:{port} backlog=8192;
        location / {{ {location} }}
    }}
}}
'''


def start_nginx(pool, body, cpu, priority):
    """One worker; small answers from memory, others from a file in a folder which goes away with the driver."""
    folder = tempfile.TemporaryDirectory(prefix='ringload-bench-')
    os.chmod(folder.name, 0o755)  # the worker runs as another user
    port = free_port()
    location = 'return 200 "ok";'
    if body != 2:
        with open(os.path.join(folder.name, 'index.html'), 'wb') as file:
            file.write(b'o' * body)
        location = f'root {folder.name};'
    path = os.path.join(folder.name, 'nginx.conf')
    with open(path, 'w') as file:
        file.write(NGINX_CONF.format(folder=folder.name, port=port, location=location))
    process = pool.start(['nginx', '-p', folder.name, '-c', path], cpu, priority)
    process.folder = folder
    return Target('nginx', process, port, body, spins=False, forks=True)


def start_command(pool, template, body, cpu, priority, spins):
    port = free_port()
    command = shlex.split(template.format(port=port, body=body, cpu=cpu))
    return Target('other', pool.start(command, cpu, priority), port, body, spins)


def nginx_installed():
    return shutil.which('nginx') is not None
