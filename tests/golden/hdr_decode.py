"""Reads an HdrHistogram from its V2 compressed base64 form. Written from the format's description, for tests only."""

import base64
import struct
import zlib

COOKIE_V2 = 0x1c849303
COOKIE_V2_COMPRESSED = 0x1c849304


def _family(cookie):
    return cookie & ~0xf0


def _zig_zag_words(payload):
    at = 0
    while at < len(payload):
        value = shift = 0
        for octet_index in range(9):
            octet = payload[at]
            at += 1
            if octet_index == 8:
                value |= octet << shift
                break
            value |= (octet & 0x7f) << shift
            shift += 7
            if octet < 0x80:
                break
        yield (value >> 1) ^ -(value & 1)


class Decoded:
    """counts: {index: count}; figures follow HdrHistogram's own definitions."""

    def __init__(self, text):
        packed = base64.b64decode(text, validate=True)
        cookie, length = struct.unpack_from('>II', packed)
        if _family(cookie) != COOKIE_V2_COMPRESSED:
            raise ValueError(f'compressed cookie {cookie:#x}')
        if length != len(packed) - 8:
            raise ValueError(f'{length} compressed octets announced, {len(packed) - 8} there')
        plain = zlib.decompress(packed[8:])
        cookie, length, offset, digits, lowest, highest, ratio = struct.unpack_from('>IIIIqqd', plain)
        if _family(cookie) != COOKIE_V2 or cookie & 0xf0 != 0x10:
            raise ValueError(f'cookie {cookie:#x}')
        if length != len(plain) - 40 or offset != 0 or ratio != 1.0:
            raise ValueError('header')
        self.digits, self.lowest, self.highest = digits, lowest, highest
        largest = 2 * 10 ** digits
        self.sub_bits = (largest - 1).bit_length() - 1  # half of the sub-bucket count, as a power of two
        self.counts = {}
        index = 0
        for word in _zig_zag_words(plain[40:]):
            if word < 0:
                index += -word
            else:
                if word:
                    self.counts[index] = word
                index += 1
        if index and self.low(index - 1) > highest:
            raise ValueError('a value past the highest trackable one')

    def _shift(self, index):
        return max(0, (index >> self.sub_bits) - 1)

    def low(self, index):
        shift = self._shift(index)
        return (index - (shift << self.sub_bits)) << shift

    def high(self, index):
        """The largest value that falls into this place."""
        return self.low(index) + (1 << self._shift(index)) - 1

    def total(self):
        return sum(self.counts.values())

    def value_at(self, numerator, denominator=100):
        rank = max(1, -(-self.total() * numerator // denominator))
        seen = 0
        for index in sorted(self.counts):
            seen += self.counts[index]
            if seen >= rank:
                return self.high(index)
        return 0
