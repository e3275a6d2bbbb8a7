#!/usr/bin/env python3
"""https against a scripted server with OpenSSL's record layer: what arrives, whom it trusts, what it says when it does not."""

import hashlib
import pathlib
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import unittest

from program import EveryBackend, ScriptedServer, answers, run, run_json

OK = b'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'


class Certificates:
    """An authority, one below it, and what they signed. Made once for all tests."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.authority('root', None)
        self.authority('middle', 'root')
        self.authority('stranger', None)
        self.leaf('good', 'root', 'DNS:localhost,IP:127.0.0.1')
        self.leaf('chained', 'middle', 'DNS:localhost,IP:127.0.0.1')
        (self.path / 'chained.pem').write_text((self.path / 'chained.pem').read_text() + (self.path / 'middle.pem').read_text())
        self.leaf('other', 'root', 'DNS:other.test')
        self.leaf('wild', 'root', 'DNS:*.example.test')
        self.leaf('rsa', 'root', 'DNS:localhost,IP:127.0.0.1', kind='rsa')
        self.leaf('strange', 'stranger', 'DNS:localhost,IP:127.0.0.1')
        self.leaf('expired', 'root', 'DNS:localhost,IP:127.0.0.1', days=('20200101000000Z', '20200201000000Z'))
        self.leaf('user', 'root', 'DNS:user')
        (self.path / 'empty.pem').write_text('')
        (self.path / 'text.pem').write_text('this is no certificate\n')

    def file(self, name):
        return str(self.path / name)

    def openssl(self, *arguments):
        subprocess.run(['openssl', *arguments], cwd=self.path, check=True, capture_output=True)

    def key(self, name, kind):
        if kind == 'rsa':
            self.openssl('genrsa', '-out', f'{name}.key', '2048')
        else:
            self.openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', f'{name}.key')

    def authority(self, name, by):
        self.key(name, 'ec')
        (self.path / f'{name}.ext').write_text('basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign,cRLSign\n')
        self.openssl('req', '-new', '-key', f'{name}.key', '-subj', f'/CN={name} authority', '-out', f'{name}.csr')
        signer = ['-signkey', f'{name}.key'] if by is None else ['-CA', f'{by}.pem', '-CAkey', f'{by}.key', '-CAcreateserial']
        self.openssl('x509', '-req', '-in', f'{name}.csr', *signer, '-days', '30', '-extfile', f'{name}.ext', '-out', f'{name}.pem')

    def leaf(self, name, by, names, kind='ec', days=None):
        self.key(name, kind)
        (self.path / f'{name}.ext').write_text(f'subjectAltName={names}\n')
        self.openssl('req', '-new', '-key', f'{name}.key', '-subj', f'/O=tests/CN={name}', '-out', f'{name}.csr')
        if days is None:
            self.openssl('x509', '-req', '-in', f'{name}.csr', '-CA', f'{by}.pem', '-CAkey', f'{by}.key', '-CAcreateserial', '-days', '30',
                         '-extfile', f'{name}.ext', '-out', f'{name}.pem')
            return
        # x509 knows only how long a certificate lasts from now on; ca also knows dates.
        (self.path / 'index.txt').write_text('')
        (self.path / 'serial').write_text('1000\n')
        (self.path / 'ca.conf').write_text(f'[ca]\ndefault_ca=d\n[d]\ndatabase={self.path}/index.txt\nserial={self.path}/serial\n'
                                           f'new_certs_dir={self.path}\ndefault_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n')
        self.openssl('ca', '-batch', '-notext', '-config', 'ca.conf', '-in', f'{name}.csr', '-cert', f'{by}.pem', '-keyfile', f'{by}.key',
                     '-startdate', days[0], '-enddate', days[1], '-extfile', f'{name}.ext', '-out', f'{name}.pem')


class TlsServer(ScriptedServer):
    """The scripted server behind TLS. Remembers the names asked for, sessions that were resumed, and handshakes that failed."""

    def __init__(self, script, certificate='good', version=None, client_ca=None):
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(CERTIFICATES.file(f'{certificate}.pem'), CERTIFICATES.file(f'{certificate}.key'))
        self.context.set_alpn_protocols(['http/1.1'])
        self.context.sni_callback = lambda connection, name, context: self.names.append(name)
        if version is not None:
            self.context.minimum_version = self.context.maximum_version = version
        if client_ca is not None:
            self.context.verify_mode = ssl.CERT_REQUIRED
            self.context.load_verify_locations(CERTIFICATES.file(f'{client_ca}.pem'))
        self.names, self.resumed, self.handshakes, self.failures, self.seen = [], 0, 0, [], []
        super().__init__(script)

    def serve(self, connection):
        connection.settimeout(30)
        try:
            connection = self.context.wrap_socket(connection, server_side=True)
        except (ssl.SSLError, OSError) as error:
            with self.lock:
                self.failures.append(str(error))
            connection.close()
            return
        with self.lock:
            self.handshakes += 1
            self.resumed += bool(connection.session_reused)
            self.seen.append((connection.version(), connection.selected_alpn_protocol(), connection.cipher()[0],
                              (connection.getpeercert() or {}).get('subject')))
            self.open.append(connection)
        super().serve(connection)

    def url(self, path='/', host='localhost'):
        return f'https://{host}:{self.port}{path}'


def echo_hash(connection, *unused):
    connection.sendall(OK)


CERTIFICATES = None


def setUpModule():
    global CERTIFICATES  # pylint: disable=global-statement
    CERTIFICATES = Certificates()


def tearDownModule():
    CERTIFICATES.folder.cleanup()


def trusted(*more):
    return ['--cacert', CERTIFICATES.file('root.pem'), '-t1', *more]


class Exchange(EveryBackend):
    def each_version_counts_exactly(self, backend):
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            with TlsServer(answers(OK), version=version) as server:
                outcome = run_json('--backend', backend, '-n', 300, '-c', 7, *trusted(server.url()))
                self.assertEqual(outcome.code, 0, outcome.err)
                self.check_sums(outcome)
                self.assertEqual((outcome.summary['ok'], len(server.requests)), (300, 300))
                self.assertEqual(outcome.report['phases_ms']['tls']['count'], server.handshakes)
                self.assertEqual({(seen[0], seen[1]) for seen in server.seen}, {(version.name.replace('_', '.'), 'http/1.1')})

    def each_size_of_answer(self, backend):
        for size in (0, 1, 16383, 16384, 16385, 1 << 20):
            body = bytes(i * 7 % 256 for i in range(min(size, 4096))) * (size // 4096 + 1)
            octets = b'HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n' % size + body[:size]
            with TlsServer(answers(octets)) as server:
                outcome = run_json('--backend', backend, '-n', 20, '-c', 3, '-T', '30s', *trusted(server.url()))
                self.assertEqual((outcome.code, outcome.summary['ok']), (0, 20), (size, outcome.err))
                self.assertEqual(outcome.report['transfer']['total_bytes'], 20 * size)

    def each_request_body_arrives_whole(self, backend):
        for size in (1, 16000, 16384, 40000, 3_000_000):
            with tempfile.NamedTemporaryFile() as body:
                octets = bytes((i * 31 + i // 256) % 256 for i in range(65536)) * (size // 65536 + 1)
                body.write(octets[:size])
                body.flush()
                with TlsServer(echo_hash) as server:
                    outcome = run_json('--backend', backend, '-n', 6, '-c', 2, '-T', '30s', '--body-file', body.name, *trusted(server.url()))
                    self.assertEqual((outcome.code, outcome.summary['ok']), (0, 6), (size, outcome.err, outcome.errors()))
                    expected = hashlib.sha256(octets[:size]).digest()
                    self.assertEqual([hashlib.sha256(sent).digest() for _, sent in server.requests], [expected] * 6, size)

    def each_pipeline_keeps_its_order(self, backend):
        with TlsServer(answers(OK)) as server:
            outcome = run_json('--backend', backend, '-n', 500, '-c', 3, '--pipeline', 16, *trusted(server.url()))
            self.assertEqual((outcome.code, outcome.summary['ok'], len(server.requests)), (0, 500, 500), outcome.err)

    def each_connection_resumes_unless_told_not_to(self, backend):
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            for more, least, most in (([], 15, 19), (['--no-session-reuse'], 0, 0)):
                with TlsServer(answers(OK, then='fin'), version=version) as server:
                    outcome = run_json('--backend', backend, '-n', 20, '-c', 1, '--disable-keepalive', *more, *trusted(server.url()))
                    self.assertEqual((outcome.code, outcome.summary['ok'], server.handshakes), (0, 20, 20), (outcome.err, server.failures))
                    self.assertTrue(least <= server.resumed <= most, (version, more, server.resumed))

    def each_end_of_stream_must_be_meant(self, backend):
        endless = b'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nno length'

        def orderly(connection, *unused):
            connection.sendall(endless)
            connection.unwrap()
            return False

        def cut_off(connection, *unused):
            connection.sendall(endless)
            socket.socket(fileno=connection.detach()).close()
            return False

        for script, ok in ((orderly, 3), (cut_off, 0)):
            with TlsServer(script) as server:
                outcome = run_json('--backend', backend, '-n', 3, '-c', 1, *trusted(server.url()))
                self.check_sums(outcome)
                self.assertEqual(outcome.summary['ok'], ok, (script.__name__, outcome.errors()))
                if not ok:
                    self.assertEqual(outcome.errors(), {'connection_closed': 3})

    def each_handshake_that_never_ends_is_a_connect_timeout(self, backend):
        with socket.socket() as silent:
            silent.bind(('127.0.0.1', 0))
            silent.listen(64)
            outcome = run_json('--backend', backend, '-n', 2, '-c', 2, '-T', '300ms',
                               *trusted(f'https://127.0.0.1:{silent.getsockname()[1]}/'))
            self.assertEqual(outcome.code, 3)
            self.assertEqual(outcome.errors(), {'connect_timeout': 2})
            # On a schedule each attempt is the end of one slot, not of two.
            outcome = run_json('--backend', backend, '-R', 50, '-d', 1, '-c', 2, '-T', '300ms',
                               *trusted(f'https://127.0.0.1:{silent.getsockname()[1]}/'))
            self.assertEqual(set(outcome.errors()), {'connect_timeout'})
            schedule = outcome.report['schedule']
            self.assertEqual(schedule['issued'], outcome.summary['requests'])
            self.assertEqual(schedule['scheduled'], schedule['issued'] + schedule['skipped'])
            # A run that ends in the midst of a handshake has nothing to say about it.
            outcome = run_json('--backend', backend, '-d', '300ms', '-c', 2, '-T', 5,
                               *trusted(f'https://127.0.0.1:{silent.getsockname()[1]}/'))
            self.assertEqual((outcome.errors(), outcome.report['warnings']), ({}, []))

    def each_warm_up_and_schedule_work_over_tls(self, backend):
        with TlsServer(answers(OK)) as server:
            outcome = run_json('--backend', backend, '-R', 200, '-d', 1, '-c', 4, '--warmup', '300ms', *trusted(server.url()))
            self.assertEqual(outcome.report['schedule']['scheduled'], 200)
            self.assertEqual(outcome.summary['ok'] + outcome.summary['abandoned'] + outcome.report['schedule']['skipped'], 200)
            self.assertEqual(server.handshakes, 4, 'connections of the warm-up stay')


class Trust(EveryBackend):
    def refusal(self, server, *arguments):
        before = len(server.requests)
        outcome = run_json('-n', 2, '-c', 1, '-t1', *arguments)
        self.assertEqual(outcome.code, 3, outcome.err)
        self.assertEqual(outcome.errors(), {'tls_error': 2})
        self.assertIn(outcome.report['transport_errors'][0]['message'], ' '.join(outcome.report['warnings']))
        self.assertEqual(len(server.requests), before, 'nothing is said to whom is not trusted')
        return ' '.join(outcome.report['warnings'])

    def test_who_signed(self):
        root = ['--cacert', CERTIFICATES.file('root.pem')]
        with TlsServer(answers(OK), 'chained') as server:
            self.assertEqual(run_json('-n', 5, *root, server.url()).summary['ok'], 5)
        with TlsServer(answers(OK), 'rsa') as server:
            self.assertEqual(run_json('-n', 5, *root, server.url()).summary['ok'], 5)
        with TlsServer(answers(OK), 'strange') as server:
            text = self.refusal(server, *root, server.url())
            self.assertIn('no trusted authority has signed the certificate', text)
            self.assertIn('CN=strange', text)
            self.assertIn('--cacert', text)
            self.assertIn('no trusted authority', self.refusal(server, server.url()), 'the roots of the system do not know it either')

    def test_when_it_was_valid(self):
        with TlsServer(answers(OK), 'expired') as server:
            text = self.refusal(server, '--cacert', CERTIFICATES.file('root.pem'), server.url())
            self.assertIn('has expired', text)
            self.assertIn('CN=expired', text)

    def test_for_whom_it_is(self):
        root = ['--cacert', CERTIFICATES.file('root.pem')]
        with TlsServer(answers(OK), 'other') as server:
            self.assertIn('another name than localhost', self.refusal(server, *root, server.url()))
            self.assertEqual(run_json('-n', 3, *root, '--sni', 'other.test', server.url()).summary['ok'], 3)
            self.assertIn('other.test', server.names)
        with TlsServer(answers(OK), 'wild') as server:
            self.assertEqual(run_json('-n', 3, *root, '--sni', 'www.example.test', server.url()).summary['ok'], 3)
            self.refusal(server, *root, '--sni', 'localhost', server.url())

    def test_an_address_is_verified_and_never_named(self):
        with TlsServer(answers(OK)) as server:
            self.assertEqual(run_json('-n', 3, *trusted(server.url(host='127.0.0.1'))).summary['ok'], 3)
            self.assertEqual(set(server.names), {None})
        with TlsServer(answers(OK), 'other') as server:
            self.refusal(server, '--cacert', CERTIFICATES.file('root.pem'), server.url(host='127.0.0.1'))

    def test_insecure_goes_on_and_says_so(self):
        for certificate in ('strange', 'expired', 'other'):
            with TlsServer(answers(OK), certificate) as server:
                outcome = run_json('-n', 3, '--insecure', server.url())
                self.assertEqual((outcome.code, outcome.summary['ok']), (0, 3), certificate)
                self.assertIn('not verified', ' '.join(outcome.report['warnings']))
                self.assertIn('localhost', server.names)
                self.assertIn('not verified', run('-n', 3, '--insecure', server.url()).out)

    def test_client_certificates(self):
        user = ['--cert', CERTIFICATES.file('user.pem'), '--key', CERTIFICATES.file('user.key')]
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            with TlsServer(answers(OK), client_ca='root', version=version) as server:
                self.assertEqual(run_json('-n', 3, *user, *trusted(server.url())).summary['ok'], 3)
                self.assertIn((('commonName', 'user'),), server.seen[0][3])
                outcome = run_json('-n', 2, '-c', 1, *trusted(server.url()))
                self.assertEqual((outcome.code, outcome.errors()), (3, {'tls_error': 2}), version)

    def test_versions_and_ciphers(self):
        with TlsServer(answers(OK)) as server:
            run_json('-n', 2, '--tls-max', '1.2', '--ciphers', 'ECDHE-ECDSA-AES256-GCM-SHA384', *trusted(server.url()))
            self.assertEqual({seen[0] for seen in server.seen}, {'TLSv1.2'})
            self.assertEqual({seen[2] for seen in server.seen}, {'ECDHE-ECDSA-AES256-GCM-SHA384'})
            server.seen.clear()
            run_json('-n', 2, '--ciphers', 'TLS13-CHACHA20-POLY1305-SHA256', *trusted(server.url()))
            self.assertEqual({seen[2] for seen in server.seen}, {'TLS_CHACHA20_POLY1305_SHA256'})
        with TlsServer(answers(OK), version=ssl.TLSVersion.TLSv1_2) as server:
            self.refusal(server, '--tls-min', '1.3', *trusted(server.url()))

    def test_a_port_without_tls(self):
        with socket.socket() as listener:
            listener.bind(('127.0.0.1', 0))
            listener.listen(16)

            def answer():
                while True:
                    try:
                        connection, _ = listener.accept()
                    except OSError:
                        return
                    connection.recv(65536)
                    connection.sendall(b'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n')
                    connection.close()
            threading.Thread(target=answer, daemon=True).start()
            outcome = run_json('-n', 2, '-c', 1, *trusted(f'https://127.0.0.1:{listener.getsockname()[1]}/'))
            self.assertEqual((outcome.code, outcome.errors()), (3, {'tls_error': 2}))
            self.assertIn('not TLS', ' '.join(outcome.report['warnings']))


class BadInput(unittest.TestCase):
    def refused(self, *arguments):
        outcome = run(*arguments)
        self.assertEqual((outcome.code, outcome.out), (2, ''), outcome.err)
        self.assertEqual(outcome.err.count('\n'), 1)
        return outcome.err

    def test_files(self):
        url = 'https://127.0.0.1:1/'
        files = CERTIFICATES.file
        self.assertIn('--cacert /nowhere: cannot be read', self.refused('--cacert', '/nowhere', url))
        self.assertIn('--cacert', self.refused('--cacert', files('empty.pem'), url))
        self.assertIn('nothing in PEM form', self.refused('--cacert', files('text.pem'), url))
        self.assertIn('nothing in PEM form', self.refused('--cacert', files('root.key'), url))
        self.assertIn('add --key FILE', self.refused('--cert', files('user.pem'), url))
        self.assertIn('add --cert FILE', self.refused('--key', files('user.key'), url))
        self.assertIn('is not the key to', self.refused('--cert', files('user.pem'), '--key', files('good.key'), url))
        self.assertIn('--cert', self.refused('--cert', files('text.pem'), '--key', files('user.key'), url))
        self.assertIn('--key', self.refused('--cert', files('user.pem'), '--key', files('text.pem'), url))
        self.assertIn('is a folder', self.refused('--cert', str(CERTIFICATES.path), '--key', files('user.key'), url))
        self.assertIn('--cert /nowhere: cannot be read', self.refused('--cert', '/nowhere', '--key', files('user.key'), url))
        self.assertIn('--key /nowhere: cannot be read', self.refused('--cert', files('user.pem'), '--key', '/nowhere', url))
        self.assertIn('nothing in PEM form', self.refused('--cert', files('user.key'), '--key', files('user.key'), url))

    def test_words(self):
        url = 'https://127.0.0.1:1/'
        self.assertIn('none of 1.2, 1.3', self.refused('--tls-min', '1.1', url))
        self.assertIn('the least version is above the greatest', self.refused('--tls-min', '1.3', '--tls-max', '1.2', url))
        for name in ('a b', 'a..b', '.a', 'x' * 64, 'a.' * 127 + 'a'):
            self.assertIn('a server name is', self.refused('--sni', name, url))
        self.assertIn('names no cipher suite', self.refused('--ciphers', 'NONE-OF-THESE', url))
        self.assertIn('leave one out', self.refused('--insecure', '--cacert', CERTIFICATES.file('root.pem'), url))
        for option in (['--insecure'], ['--cacert', 'x'], ['--sni', 'x'], ['--no-session-reuse'], ['--tls-max', '1.2']):
            self.assertIn('is for https, and the URL is http', self.refused(*option, 'http://127.0.0.1:1/'))


if __name__ == '__main__':
    if shutil.which('openssl') is None:
        print('skipped: there is no openssl here to make certificates')
        raise SystemExit(77)
    unittest.main(verbosity=1)
