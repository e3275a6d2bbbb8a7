#!/usr/bin/env python3
"""The bundled target as a judge of clients: how it reads requests, and what it says it received."""

import socket
import threading
import time
import unittest
import zlib

from target import WRAPPER, Target, until

PLAIN = b'GET / HTTP/1.1\r\nHost: t\r\n\r\n'


class Requests(unittest.TestCase):
    def setUp(self):
        self.target = self.enterContext(Target())

    def exchange(self, octets, count=1, method='GET'):
        with self.target.connect() as wire:
            wire.send(octets)
            return [wire.read_response(method) for _ in range(count)]

    def assert_left_alone(self, wire):
        """The connection is still good for a request."""
        wire.send(PLAIN)
        self.assertEqual(wire.read_response().status, 200)

    def test_pipelined_requests_are_all_answered(self):
        with self.target.connect() as wire:
            for count in (1, 2, 16, 1000, 1, 3):
                wire.send(PLAIN * count)
                self.assertEqual([wire.read_response().body for _ in range(count)], [b'ok'] * count)
            self.assert_left_alone(wire)
        self.assertEqual(self.target.stats()['responses_sent'], 1024)

    def test_requests_may_arrive_octet_by_octet(self):
        with self.target.connect() as wire:
            for _ in range(3):
                for octet in PLAIN:
                    wire.send(bytes([octet]))
                self.assertEqual(wire.read_response().body, b'ok')
            for at in range(1, len(PLAIN)):
                wire.send(PLAIN + PLAIN[:at])
                self.assertEqual(wire.read_response().status, 200)
                wire.send(PLAIN[at:])
                self.assertEqual(wire.read_response().status, 200)

    def test_equal_and_unequal_requests_may_alternate(self):
        sizes = [4, 4, 4, 9, 4, 4, 9, 9, 9, 0, 4]
        with self.target.connect() as wire:
            wire.send(b''.join(b'GET /?size=%d HTTP/1.1\r\nHost: t\r\n\r\n' % size for size in sizes))
            self.assertEqual([len(wire.read_response().body) for _ in sizes], sizes)
        self.assertEqual(self.target.stats()['requests_received'], len(sizes))

    def test_a_client_that_reads_late_loses_nothing(self):
        """More answers than any buffer holds: the target must stop reading, and go on later."""
        for count, size in ((6000, 4096), (400, 60_000)):
            request = b'GET /?size=%d HTTP/1.1\r\nHost: t\r\n\r\n' % size
            self.target.reset_stats()
            with self.target.connect() as wire:
                wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 50_000)
                wire.send(request)
                whole = (first := wire.read_response()).head + first.body
                writer = threading.Thread(target=wire.send, args=(request * (count - 1),))
                writer.start()
                self.assertTrue(until(lambda: self.target.stats()['requests_received'] > 15))
                for _ in range(count - 1):
                    self.assertEqual(wire.take(len(whole)), whole)
                writer.join()
            self.assertTrue(until(lambda: self.target.stats()['responses_sent'] == count))

    def test_a_queue_of_delayed_answers_is_bounded_and_complete(self):
        count = 5000
        with self.target.connect() as wire:
            wire.send(b'GET /?delay=30ms HTTP/1.1\r\nHost: t\r\n\r\n' * count)
            for _ in range(count):
                self.assertEqual(wire.read_response().body, b'ok')
            self.assert_left_alone(wire)

    def test_bodies_are_skipped_by_length_and_by_chunks(self):
        bodies = [
            b'POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n\r\nhello',
            b'PUT / HTTP/1.1\r\nHost: t\r\nContent-Length: 0\r\n\r\n',
            b'POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
            b'POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: Chunked\r\n\r\n2;x=y\r\nhe\r\n0003\r\nllo\r\n0\r\nTrailer: 1\r\n\r\n',
        ]
        for request in bodies:
            with self.subTest(request=request), self.target.connect() as wire:
                wire.send(request * 3)
                self.assertEqual([wire.read_response().status for _ in range(3)], [200] * 3)
                for octet in request:
                    wire.send(bytes([octet]))
                self.assertEqual(wire.read_response().status, 200)
                self.assert_left_alone(wire)
        self.assertEqual(self.target.stats()['bad_requests'], 0)

    def test_expect_continue(self):
        with self.target.connect() as wire:
            for length in (b'Content-Length: 4', b'Transfer-Encoding: chunked'):
                wire.send(b'POST / HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\n' + length + b'\r\n\r\n')
                self.assertEqual(wire.take_until(b'\r\n\r\n'), b'HTTP/1.1 100 Continue\r\n\r\n')
                wire.send(b'body' if b'4' in length else b'4\r\nbody\r\n0\r\n\r\n')
                self.assertEqual(wire.read_response().status, 200)
            # A client that did not wait needs no leave.
            wire.send(b'POST / HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\nbody')
            self.assertEqual(wire.read_response().status, 200)

    def test_head_has_no_body(self):
        with self.target.connect() as wire:
            for target in ('/?size=4096', '/?size=4096&chunked=1'):
                wire.send_request(target, 'HEAD')
                self.assertEqual(wire.read_response('HEAD').status, 200)
            wire.send_request('/?size=7', 'HEAD')
            self.assertEqual(wire.read_response('HEAD').fields['content-length'], '7')
            self.assert_left_alone(wire)

    def test_http_1_0(self):
        with self.target.connect() as wire:
            wire.send(b'GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n' * 2)
            answers = [wire.read_response() for _ in range(2)]
            self.assertEqual([a.fields.get('connection') for a in answers], ['keep-alive'] * 2)
            wire.send(b'GET /?size=5&chunked=1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n')
            answer = wire.read_response()
            self.assertEqual((answer.fields.get('transfer-encoding'), answer.fields['connection'], len(answer.body)), (None, 'close', 5))
        with self.target.connect() as wire:
            wire.send(b'GET / HTTP/1.0\r\n\r\n')
            self.assertEqual(wire.read_response().fields['connection'], 'close')
            self.assertEqual(wire.read_to_end(), b'')

    def test_connection_close_is_obeyed(self):
        for value in (b'close', b'Close', b'x, close', b'close,keep-alive'):
            with self.target.connect() as wire:
                wire.send(b'GET / HTTP/1.1\r\nHost: t\r\nConnection: ' + value + b'\r\n\r\n')
                self.assertEqual(wire.read_response().fields['connection'], 'close')
                self.assertEqual(wire.read_to_end(), b'')

    def test_a_client_that_shuts_its_side_is_still_answered(self):
        with self.target.connect() as wire:
            wire.send(b'GET /?delay=50ms HTTP/1.1\r\nHost: t\r\n\r\n' * 2)
            wire.socket.shutdown(socket.SHUT_WR)
            self.assertEqual([wire.read_response().status for _ in range(2)], [200, 200])
            self.assertEqual(wire.read_to_end(), b'')
        with self.target.connect() as wire:
            wire.send(b'GET /?delay=50ms HTTP/1.1\r\nHost: t\r\n\r\n' + b'GET /?fault=never HTTP/1.1\r\nHost: t\r\n\r\n')
            wire.socket.shutdown(socket.SHUT_WR)
            self.assertEqual(wire.read_response().status, 200)
            self.assertEqual(wire.read_to_end(), b'')

    def test_targets_in_all_forms(self):
        for line in (b'GET http://h:1/a?b=c HTTP/1.1', b'GET http://h HTTP/1.1', b'OPTIONS * HTTP/1.1', b'GET /%20?size=2 HTTP/1.1',
                     b'GET http://h?size=2 HTTP/1.1', b'PURGE / HTTP/1.1'):
            with self.subTest(line=line):
                self.assertEqual(self.exchange(line + b'\r\nHost: h\r\n\r\n')[0].status, 200)
        self.assertEqual(self.target.stats()['paths'], {'/a': 1, '/': 3, '*': 1, '/%20': 1})
        self.assertEqual(self.exchange(b'\r\n' + PLAIN)[0].status, 200)

    def test_bad_requests_are_told_why_and_cut_off(self):
        field = lambda line: b'GET / HTTP/1.1\r\nHost: t\r\n' + line + b'\r\n\r\n'
        cases = [
            (b'GET /\r\nHost: t\r\n\r\n', 400),
            (b'GET  / HTTP/1.1\r\nHost: t\r\n\r\n', 400),
            (b'GET / x HTTP/1.1\r\nHost: t\r\n\r\n', 400),
            (b'GET /\x7f HTTP/1.1\r\nHost: t\r\n\r\n', 400),
            (b'GET /\xc3\xa4 HTTP/1.1\r\nHost: t\r\n\r\n', 400),
            (b'GET /#f HTTP/1.1\r\nHost: t\r\n\r\n', 400),
            (b'GET ?a HTTP/1.1\r\nHost: t\r\n\r\n', 400),
            (b'G(T / HTTP/1.1\r\nHost: t\r\n\r\n', 400),
            (b'GET / http/1.1\r\nHost: t\r\n\r\n', 400),
            (b'GET / HTTP/2.0\r\nHost: t\r\n\r\n', 505),
            (b'CONNECT h:1 HTTP/1.1\r\nHost: t\r\n\r\n', 501),
            (b'GET / HTTP/1.1\r\n\r\n', 400),
            (b'GET / HTTP/1.1\nHost: t\n\n', 400),
            (field(b'Host: u'), 400),
            (field(b'Bad name: x'), 400),
            (field(b'Name : x'), 400),
            (field(b' folded'), 400),
            (field(b'no-colon'), 400),
            (field(b'A: b\x00c'), 400),
            (field(b'A: b\rc'), 400),
            (field(b'Content-Length: x'), 400),
            (field(b'Content-Length: +5'), 400),
            (field(b'Content-Length: -5'), 400),
            (field(b'Content-Length: 5, 5'), 400),
            (field(b'Content-Length: 99999999999999999999'), 400),
            (field(b'Content-Length: 5\r\nContent-Length: 5'), 400),
            (field(b'Content-Length: 5\r\nTransfer-Encoding: chunked'), 400),
            (field(b'Transfer-Encoding: gzip'), 501),
            (field(b'Transfer-Encoding: chunked, gzip'), 501),
            (field(b'Expect: miracles'), 417),
            (b'GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n', 400),
            (field(b'Transfer-Encoding: chunked') + b'x\r\n', 400),
            (field(b'Transfer-Encoding: chunked') + b'-1\r\n', 400),
            (field(b'Transfer-Encoding: chunked') + b'2\r\nabc\r\n', 400),
            (field(b'Transfer-Encoding: chunked') + b'2\nab\n', 400),
            (field(b'X: ' + b'y' * 70000), 431),
        ]
        for octets, status in cases:
            with self.subTest(octets=octets[:80]), self.target.connect() as wire:
                wire.send(PLAIN + octets)
                self.assertEqual(wire.read_response().status, 200)
                answer = wire.read_response()
                self.assertEqual((answer.status, answer.fields['connection']), (status, 'close'))
                self.assertGreater(len(answer.body), 10)
                self.assertEqual(wire.read_to_end(), b'')
        self.assertEqual(self.target.stats()['bad_requests'], len(cases))

    def test_a_refused_upload_is_heard_out(self):
        """Closing at once would reset a client that is still sending, and could cost it the answer."""
        with self.target.connect() as wire:
            wire.send(b'POST / HTTP/1.1\r\nHost: t\r\nExpect: miracles\r\nContent-Length: 1048576\r\n\r\n')
            for _ in range(16):
                wire.send(bytes(1 << 16))
            self.assertEqual(wire.read_response().status, 417)
            self.assertEqual(wire.read_to_end(), b'')

    def test_large_uploads_are_counted_not_kept(self):
        body = bytes(range(256)) * (32 << 12)
        self.assertEqual(self.target.get('/up', 'POST', body=body).status, 200)
        with self.target.connect() as wire:
            wire.send(b'POST /up HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n')
            for at in range(0, len(body), 1 << 20):
                wire.send(b'%x\r\n' % (1 << 20) + body[at:at + (1 << 20)] + b'\r\n')
            wire.send(b'0\r\n\r\n')
            self.assertEqual(wire.read_response().status, 200)
        last = self.target.stats('last=1')['last']
        self.assertEqual((last['body_bytes'], last['body_crc32']), (len(body), zlib.crc32(body)))
        with open(f'/proc/{self.target.process.pid}/status', encoding='ascii') as status:
            peak_kb = int(status.read().split('VmHWM:')[1].split()[0])
        self.assertLess(peak_kb, 32 << 10)


class Statistics(unittest.TestCase):
    def test_everything_is_counted_but_the_asking(self):
        with Target() as target:
            asker = target.connect()
            self.addCleanup(asker.socket.close)
            request = b'GET /a?q=1 HTTP/1.1\r\nHost: t\r\n\r\n'
            post = b'POST /b HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\n\r\nabc'
            out = 0
            for _ in range(3):
                with target.connect() as wire:
                    wire.send(request * 5 + post)
                    for _ in range(6):
                        answer = wire.read_response()
                        out += len(answer.head + answer.body)
                    asker.send_request('/stats')
                    asker.read_response()
            self.assertTrue(until(lambda: target.stats()['connections_open'] == 0))
            stats = target.stats()
            self.assertEqual(stats['requests_received'], 18)
            self.assertEqual(stats['responses_sent'], 18)
            self.assertEqual(stats['connections_accepted'], 3)
            self.assertEqual(stats['bytes_in'], 3 * (5 * len(request) + len(post)))
            self.assertEqual(stats['bytes_out'], out)
            self.assertEqual(stats['methods'], {'GET': 15, 'POST': 3})
            self.assertEqual(stats['paths'], {'/a': 15, '/b': 3})
            self.assertEqual(stats['statuses'], {'200': 18})

    def test_open_connections_and_their_peak(self):
        with Target('--threads', 2) as target:
            wires = [target.connect() for _ in range(12)]
            self.assertTrue(until(lambda: target.stats()['connections_open'] == 12))
            for wire in wires[:9]:
                wire.socket.close()
            self.assertTrue(until(lambda: target.stats()['connections_open'] == 3))
            # One that asks for figures counts until its request has been read, and a close may come just then.
            self.assertIn(target.stats()['connections_open_max'], (12, 13))
            target.reset_stats()
            stats = target.stats()
            self.assertEqual((stats['connections_open'], stats['connections_open_max'], stats['connections_accepted']), (3, 3, 0))
            for wire in wires:
                wire.socket.close()

    def test_zeroing(self):
        with Target('--record-arrivals', 10) as target:
            for path in ('/a', '/b', '/b'):
                target.get(path)
            target.reset_stats()
            zero = target.stats('arrivals=1&last=1')
            self.assertEqual((zero['requests_received'], zero['bytes_in'], zero['bytes_out'], zero['methods'], zero['paths']), (0, 0, 0, {}, {}))
            self.assertEqual((zero['arrivals'], zero['last']), ([], None))
            target.get('/b')
            stats = target.stats('arrivals=1')
            self.assertEqual((stats['paths'], len(stats['arrivals'])), ({'/b': 1}, 1))

    def test_paths_are_bounded(self):
        with Target() as target, target.connect() as wire:
            wire.send(b''.join(b'GET /%d HTTP/1.1\r\nHost: t\r\n\r\n' % n for n in range(400)))
            for _ in range(400):
                wire.read_response()
            stats = target.stats()
            self.assertEqual((len(stats['paths']), sum(stats['paths'].values()), stats['paths_other']), (256, 256, 144))

    @unittest.skipIf(WRAPPER, 'the clock of wine begins elsewhere')
    def test_arrival_times(self):
        with Target('--record-arrivals', 8) as target, target.connect() as wire:
            before = time.monotonic_ns()
            for _ in range(5):
                wire.send(PLAIN)
                wire.read_response()
            after = time.monotonic_ns()
            stats = target.stats('arrivals=1')
            times = stats['arrivals']
            self.assertEqual((len(times), stats['arrivals_lost']), (5, 0))
            self.assertEqual([before, *times, after], sorted([before, *times, after]))
            wire.send(PLAIN * 10)
            for _ in range(10):
                wire.read_response()
            stats = target.stats('arrivals=1')
            self.assertEqual((len(stats['arrivals']), stats['arrivals_lost']), (8, 7))
            self.assertGreater(stats['arrivals'][0], after)
        with Target() as target:
            target.get()
            self.assertEqual(target.stats('arrivals=1')['arrivals'], [])

    def test_the_last_request_octet_by_octet(self):
        with Target('--threads', 2) as target, target.connect() as one, target.connect() as two:
            odd = b'POST /x?y="\\ HTTP/1.1\r\nHost: t\r\nX-Odd: \xff\x80 \t"\\\r\nContent-Length: 4\r\n\r\n'
            for wire, head, body in ((one, PLAIN, b''), (two, odd, b'\x00\x01\x02\xff'), (one, PLAIN, b''), (one, PLAIN, b''), (two, odd, b'abcd')):
                wire.send(head + body)
                wire.read_response()
                self.assertTrue(until(lambda: target.stats('last=1')['last']['head'].encode('latin-1') == head))
                last = target.stats('last=1')['last']
                self.assertEqual((last['body_bytes'], last['body_crc32']), (len(body), zlib.crc32(body)))


if __name__ == '__main__':
    unittest.main(verbosity=1)
