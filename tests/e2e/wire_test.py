#!/usr/bin/env python3
"""What goes over the wire, seen from a server that answers by script: request heads, framing, retries, surplus, addresses."""

import socket
import time
import unittest

from program import EveryBackend, ScriptedServer, answers, reset, run, run_json

OK = b'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'


class RequestHeads(unittest.TestCase):
    def head_of(self, *arguments, path='/', host='127.0.0.1', family=socket.AF_INET, bind='127.0.0.1'):
        with ScriptedServer(answers(OK), family, bind) as server:
            outcome = run_json('-t1', '-c1', '-n1', *arguments, f'http://{host}:{server.port}{path}')
            self.assertEqual(outcome.code, 0, outcome.err)
            head, self.body = server.requests[0]
            self.port = server.port
        first, *lines = head.decode('latin-1').split('\r\n')
        names = [line.split(':', 1)[0].lower() for line in lines]
        self.assertEqual(names.count('host'), 1, lines)
        return first, {name: line.split(':', 1)[1].strip() for name, line in zip(names, lines)}

    def test_plain(self):
        first, fields = self.head_of()
        self.assertEqual(first, 'GET / HTTP/1.1')
        self.assertEqual(fields['host'], f'127.0.0.1:{self.port}')

    def test_targets(self):
        for path, target in (('', '/'), ('?s=64', '/?s=64'), ('/p#f?x=1', '/p'), ('/u/P%2BX%2Fy', '/u/P%2BX%2Fy'), ('/a?b=c#d', '/a?b=c')):
            with self.subTest(path):
                self.assertEqual(self.head_of(path=path)[0], f'GET {target} HTTP/1.1')

    def test_ipv6_host_has_brackets(self):
        first, fields = self.head_of(host='[::1]', family=socket.AF_INET6, bind='::1')
        self.assertEqual(fields['host'], f'[::1]:{self.port}')

    def test_own_host_replaces_the_default(self):
        self.assertEqual(self.head_of('-H', 'Host: a.example')[1]['host'], 'a.example')

    def test_name_with_dots_arrives_whole(self):
        self.assertEqual(self.head_of(host='aaa.bbb.localhost')[1]['host'], f'aaa.bbb.localhost:{self.port}')

    def test_headers_keep_commas_and_order(self):
        _, fields = self.head_of('-H', 'Accept: text/a, text/b', '-H', 'X-Two: 2')
        self.assertEqual((fields['accept'], fields['x-two']), ('text/a, text/b', '2'))

    def test_data_is_joined_and_makes_a_form(self):
        first, fields = self.head_of('--data', 'a=1', '--data', 'b=2')
        self.assertEqual((first, self.body), ('POST / HTTP/1.1', b'a=1&b=2'))
        self.assertEqual(fields['content-type'], 'application/x-www-form-urlencoded')
        self.assertEqual(fields['content-length'], '7')

    def test_method_and_body(self):
        first, _ = self.head_of('-X', 'PUT', '-b', 'text')
        self.assertEqual((first, self.body), ('PUT / HTTP/1.1', b'text'))

    def test_close_is_asked_for(self):
        self.assertEqual(self.head_of('--disable-keepalive')[1]['connection'], 'close')


class Addresses(unittest.TestCase):
    def test_localhost_on_one_family_only(self):
        for family, bind, used in ((socket.AF_INET6, '::1', '[::1]'), (socket.AF_INET, '127.0.0.1', '127.0.0.1')):
            with self.subTest(bind), ScriptedServer(answers(OK), family, bind) as server:
                outcome = run_json('-t1', '-c4', '-n20', f'http://localhost:{server.port}/')
                self.assertEqual(outcome.code, 0, outcome.err)
                self.assertEqual(outcome.summary['transport_errors'], 0)
                self.assertIn(f'{used}:{server.port}', outcome.out)  # the report names the address that was used

    def test_unknown_name(self):
        outcome = run('-n1', 'http://no.such.name.invalid/')
        self.assertEqual((outcome.code, outcome.out), (2, ''))
        self.assertIn('no.such.name.invalid', outcome.err)


class Framing(EveryBackend):
    def exchange(self, backend, script, number=1, *arguments):
        with ScriptedServer(script) as server:
            outcome = run_json('--backend', backend, '-t1', '-c1', '-n', number, '-T1s', *arguments, f'http://127.0.0.1:{server.port}/')
            self.check_sums(outcome)
            return outcome, server

    def each_body_to_the_end_of_the_stream(self, backend):
        outcome, _ = self.exchange(backend, answers(b'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nHello World!', 'fin'), 3)
        self.assertEqual((outcome.summary['responses'], outcome.errors()), (3, {}))
        self.assertEqual(outcome.report['transfer']['total_bytes'], 36)

    def each_late_end_of_an_idle_connection_is_no_error(self, backend):
        def script(connection, *unused):
            connection.sendall(OK)
            time.sleep(0.02)
            return False
        outcome, server = self.exchange(backend, script, 5)
        self.assertEqual((outcome.summary['responses'], outcome.errors()), (5, {}))

    def each_head_needs_no_body(self, backend):
        outcome, server = self.exchange(backend, answers(b'HTTP/1.1 200 OK\r\nContent-Length: 219\r\n\r\n'), 10, '-X', 'HEAD')
        self.assertEqual((outcome.summary['responses'], server.connections), (10, 1))

    def each_no_content_keeps_the_connection(self, backend):
        outcome, server = self.exchange(backend, answers(b'HTTP/1.1 204 No Content\r\n\r\n'), 10)
        self.assertEqual((outcome.statuses(), server.connections), ({204: 10}, 1))

    def each_surplus_costs_the_connection_and_no_answer(self, backend):
        outcome, server = self.exchange(backend, answers(b'HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\noops'), 3)
        self.assertEqual((outcome.statuses(), outcome.errors(), server.connections), ({204: 3}, {}, 3))

    def each_interim_answers_are_passed_over(self, backend):
        for interim in (b'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n', b'HTTP/1.1 100 Continue\r\n\r\n'):
            outcome, _ = self.exchange(backend, answers(interim + OK), 3)
            self.assertEqual(outcome.statuses(), {200: 3})

    def each_octet_by_itself(self, backend):
        def script(connection, *unused):
            for octet in b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nA: b\r\n\r\n':
                connection.sendall(bytes([octet]))
        outcome, server = self.exchange(backend, script, 2)
        self.assertEqual((outcome.statuses(), server.connections, outcome.report['transfer']['total_bytes']), ({200: 2}, 1, 6))

    def each_invalid_framing_is_a_protocol_error(self, backend):
        for octets in (b'HTTP/1.1 200 OK\r\nContent-Length: 10\r\nContent-Length: 20\r\n\r\n0123456789', b'HTTP/1.1 2000\r\n\r\n',
                       b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1X\r\na\r\n0\r\n\r\n',
                       b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nab'):
            with self.subTest(octets):
                outcome, _ = self.exchange(backend, answers(octets), 1)
                self.assertEqual((outcome.code, outcome.errors()), (3, {'protocol_error': 1}))

    def each_cut_body_is_no_answer(self, backend):
        outcome, _ = self.exchange(backend, answers(b'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc', 'fin'), 1)
        self.assertEqual((outcome.statuses(), outcome.errors()), ({}, {'connection_closed': 1}))

    def each_reset_after_the_last_octet_is_no_error(self, backend):
        outcome, _ = self.exchange(backend, answers(OK, 'rst'), 1)
        self.assertEqual((outcome.statuses(), outcome.errors()), ({200: 1}, {}))

    def each_announced_close_is_kept(self, backend):
        def script(connection, number, head):
            self.assertEqual(number, 0)  # no second request arrives on this connection
            connection.sendall(b'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok')
        outcome, server = self.exchange(backend, script, 4)
        self.assertEqual((outcome.summary['responses'], server.connections), (4, 4))

    def each_idempotent_request_is_retried_once(self, backend):
        def dies_on_second(connection, number, head):
            if number == 0:
                connection.sendall(OK)
                return None
            return False
        outcome, server = self.exchange(backend, dies_on_second, 4)
        self.assertEqual((outcome.summary['responses'], outcome.summary['retries'], outcome.errors()), (4, 3, {}))
        self.assertEqual(len(server.requests), 7)
        outcome, server = self.exchange(backend, dies_on_second, 4, '-X', 'POST', '-b', 'x')
        self.assertEqual((outcome.summary['retries'], outcome.errors()), (0, {'connection_closed': 2}))

    def each_reset_on_the_first_request_is_an_error(self, backend):
        def script(connection, *unused):
            reset(connection)
        outcome, _ = self.exchange(backend, script, 3)
        self.assertEqual((outcome.summary['retries'], outcome.errors()), (0, {'connection_reset': 3}))

    def each_early_answer_while_the_body_is_sent(self, backend):
        import tempfile
        with tempfile.NamedTemporaryFile() as file:
            file.write(b'x' * (8 << 20))
            file.flush()
            with socket.create_server(('127.0.0.1', 0)) as listener:
                import threading

                def serve():
                    connection, _ = listener.accept()
                    connection.recv(1000)
                    connection.sendall(b'HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
                    connection.shutdown(socket.SHUT_WR)
                    while connection.recv(1 << 20):
                        pass
                threading.Thread(target=serve, daemon=True).start()
                url = f'http://127.0.0.1:{listener.getsockname()[1]}/'
                outcome = run_json('--backend', backend, '-t1', '-c1', '-n1', '-T5s', '--data-binary', '@' + file.name, url)
        self.check_sums(outcome)
        self.assertEqual((outcome.statuses(), outcome.errors()), ({400: 1}, {}))


if __name__ == '__main__':
    unittest.main()
