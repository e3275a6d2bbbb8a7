#!/usr/bin/env python3
"""Against nginx: a server of other hands, which keeps its own books. Its access log and counters must agree with the report."""

import collections
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

from program import EveryBackend, run_json
from target import PATIENCE_S, until

NGINX = shutil.which('nginx') or shutil.which('nginx', path='/usr/sbin:/usr/local/sbin')

CONFIG = """
daemon off;
master_process off;
worker_processes 1;
pid {folder}/pid;
error_log {folder}/error.log warn;
events {{ worker_connections 1024; }}
http {{
    log_format counted '$connection $connection_requests $request_method $status $body_bytes_sent';
    access_log {folder}/access.log counted;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    keepalive_requests {keepalive};
    sendfile on;
    server {{
        listen 127.0.0.1:{port};
        root {folder}/www;
        location = /status {{ access_log off; stub_status; }}
        location = /empty {{ return 204; }}
        location = /moved {{ return 302 /; }}
    }}
}}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


class Nginx:
    """One nginx in a folder of its own. Use it in a with statement."""

    def __init__(self, keepalive=100):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        www = self.path / 'www'
        www.mkdir()
        self.path.chmod(0o755)
        (www / 'index.html').write_bytes(b'x' * 612)
        (www / 'mebi').write_bytes(os.urandom(1 << 20))
        self.port = free_port()
        self.url = f'http://127.0.0.1:{self.port}'
        (self.path / 'conf').write_text(CONFIG.format(folder=self.path, port=self.port, keepalive=keepalive))
        self.process = subprocess.Popen([NGINX, '-p', str(self.path), '-e', str(self.path / 'error.log'), '-c', str(self.path / 'conf')],
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if not until(lambda: self.process.poll() is not None or self.answers()) or self.process.poll() is not None:
            self.process.kill()
            raise RuntimeError(f'nginx did not start: {self.process.communicate()[0]}')

    def answers(self):
        try:
            return self.status()[1] > 0
        except OSError:
            return False

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.process.terminate()
        self.process.communicate(timeout=PATIENCE_S)
        self.folder.cleanup()

    def status(self):
        """accepted connections and requests so far, this one included."""
        with urllib.request.urlopen(self.url + '/status', timeout=PATIENCE_S) as answer:
            accepts, _, requests = map(int, re.search(r'^ (\d+) (\d+) (\d+)', answer.read().decode(), re.MULTILINE).groups())
        return accepts, requests

    def log(self, expected):
        """The access log's lines as tuples; nginx writes a line after the answer, so the last ones are waited for."""
        path = self.path / 'access.log'
        until(lambda: path.read_bytes().count(b'\n') >= expected)
        time.sleep(0.05)  # one line too many would be a fault, too
        return [line.split() for line in path.read_text().splitlines()]


class AgainstNginx(EveryBackend):
    def run_counted(self, nginx, backend, *arguments, path='/', code=0):
        before = nginx.status()
        outcome = run_json('--backend', backend, *arguments, nginx.url + path)
        after = nginx.status()
        self.assertEqual(outcome.code, code, outcome.err)
        self.check_sums(outcome)
        # The later status call is counted as well, on a connection of its own.
        return outcome, after[0] - before[0] - 1, after[1] - before[1] - 1

    def each_twenty_thousand_requests_over_connections_that_close(self, backend):
        with Nginx(keepalive=100) as nginx:
            outcome, connections, requests = self.run_counted(nginx, backend, '-t2', '-c20', '-n20000', '-T20s')
            summary = outcome.summary
            self.assertEqual((summary['responses'], summary['failed'], summary['retries']), (20000, 0, 0))
            self.assertEqual(outcome.errors(), {})
            self.assertEqual(requests, 20000)
            self.assertEqual(outcome.report['transfer']['total_bytes'], 20000 * 612)
            log = nginx.log(20000)
            self.assertEqual(len(log), 20000)
            self.assertEqual({(line[2], line[3], line[4]) for line in log}, {('GET', '200', '612')})
            per_connection = collections.Counter(line[0] for line in log)
            self.assertLessEqual(max(per_connection.values()), 100)
            self.assertEqual(len(per_connection), connections)
            self.assertEqual(summary['reconnects'], connections - 20)

    def each_pipelining(self, backend):
        with Nginx(keepalive=1000000) as nginx:
            outcome, connections, requests = self.run_counted(nginx, backend, '-t2', '-c5', '-n20000', '--pipeline', 4, '-T20s')
            self.assertEqual((outcome.summary['responses'], outcome.errors(), requests), (20000, {}, 20000))
            self.assertEqual(connections, 5)
            self.assertEqual(len(nginx.log(20000)), 20000)

    def each_duration(self, backend):
        with Nginx() as nginx:
            outcome, _, requests = self.run_counted(nginx, backend, '-t2', '-c10', '-d500ms')
            self.assertEqual((outcome.errors(), outcome.summary['failed'], outcome.summary['abandoned']), ({}, 0, 0))
            self.assertEqual(requests, outcome.summary['responses'])
            self.assertEqual(len(nginx.log(requests)), requests)

    def each_large_files(self, backend):
        with Nginx() as nginx:
            outcome, _, requests = self.run_counted(nginx, backend, '-t2', '-c6', '-n250', '-T30s', path='/mebi')
            self.assertEqual((outcome.summary['responses'], outcome.errors(), requests), (250, {}, 250))
            self.assertEqual(outcome.report['transfer']['total_bytes'], 250 << 20)
            self.assertEqual(sum(int(line[4]) for line in nginx.log(250)), 250 << 20)

    def each_head_has_a_length_and_no_body(self, backend):
        with Nginx() as nginx:
            outcome, connections, requests = self.run_counted(nginx, backend, '-t1', '-c2', '-n150', '-X', 'HEAD', path='/mebi')
            self.assertEqual((outcome.statuses(), outcome.errors(), requests), ({200: 150}, {}, 150))
            self.assertEqual(outcome.report['transfer']['total_bytes'], 0)
            self.assertEqual(connections, 2)
            self.assertEqual({(line[2], line[4]) for line in nginx.log(150)}, {('HEAD', '0')})

    def each_status_is_no_transport_error(self, backend):
        with Nginx() as nginx:
            for path, words, status, failed in (('/no-such-file', (), 404, 100), ('/', ('--data', 'a=1'), 405, 100), ('/moved', (), 302, 100),
                                                ('/empty', (), 204, 0), ('/', ('--data', 'x' * 100000), 405, 100)):
                with self.subTest(status=status):
                    outcome, _, requests = self.run_counted(nginx, backend, '-t1', '-c4', '-n100', *words, path=path)
                    self.assertEqual((outcome.statuses(), outcome.errors(), requests), ({status: 100}, {}, 100))
                    self.assertEqual(outcome.summary['failed'], failed)

    def each_connection_per_request(self, backend):
        with Nginx() as nginx:
            outcome, connections, requests = self.run_counted(nginx, backend, '-t2', '-c8', '-n400', '--disable-keepalive')
            self.assertEqual((outcome.summary['responses'], outcome.errors()), (400, {}))
            self.assertEqual((connections, requests), (400, 400))

    def each_rate(self, backend):
        with Nginx(keepalive=50) as nginx:
            outcome, _, requests = self.run_counted(nginx, backend, '-t2', '-c10', '-R', 500, '-d1s')
            schedule = outcome.report['schedule']
            self.assertEqual((schedule['scheduled'], outcome.errors()), (500, {}))
            self.assertEqual(schedule['issued'], requests)


if __name__ == '__main__':
    if NGINX is None:
        print('nginx is not installed here')
        sys.exit(77)
    unittest.main()
