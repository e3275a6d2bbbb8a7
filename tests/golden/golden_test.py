#!/usr/bin/python3
"""Reports of fixed runs: the same octets as the files beside this one, the schema, the locale, the width, the histograms.

`golden_test.py --update` writes the files anew; read the difference before it is committed."""

import functools
import json
import math
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

import hdr_decode

try:
    import jsonschema
except ImportError:
    jsonschema = None

HERE = pathlib.Path(__file__).resolve().parent
WRAPPER = shlex.split(os.environ.get('RINGLOAD_TEST_WRAPPER', ''))
TEXT, JSON, HGRM = (os.environ[name] for name in ('TEXT_REPORTER', 'JSON_REPORTER', 'HGRM_REPORTER'))
SAMPLES = ['closed', 'overload', 'mixed', 'unreachable', 'empty', 'one', 'eight', 'foreign', 'hostile']
GOLDEN = ([(f'{name}.txt', [TEXT, name, 'end', 'plain']) for name in SAMPLES]
          + [(f'{name}.json', [JSON, name, 'end', 'plain']) for name in SAMPLES]
          + [('overload.hgrm', [HGRM, 'overload', 'end', 'plain']),
             ('overload_service.hgrm', [HGRM, 'overload', 'end', 'plain', '0', 'of=service']),
             ('empty.hgrm', [HGRM, 'empty', 'end', 'plain']),
             ('mixed_color.txt', [TEXT, 'mixed', 'end', 'color', '80']),
             ('closed_ascii.txt', [TEXT, 'closed', 'end', 'plain', '0', 'charset=ascii']),
             ('begin.json', [JSON, 'overload', 'begin', 'plain']),
             ('sample.json', [JSON, 'closed', 'sample', 'plain', '0', 'indent=0']),
             ('effective.json', [JSON, 'mixed', 'effective', 'plain'])])


def run(arguments, locale=None):
    return run_once(tuple(arguments), tuple((locale or {}).items()))


@functools.cache  # the same report always, and many tests look at it
def run_once(arguments, locale):
    environment = {**os.environ, 'LC_ALL': 'C', **dict(locale)}
    done = subprocess.run([*WRAPPER, os.environ['PRINT_REPORT'], *arguments], env=environment, capture_output=True, check=True)
    point, writes = done.stderr.decode().split()
    if (point == ',') != bool(locale):
        raise RuntimeError(f'the decimal point is {point!r} with {locale}')
    return done.stdout, int(writes)


def printed(arguments):
    """What is compared. Encoded histograms depend on the release of zlib; they are decoded by a test of their own."""
    return re.sub(rb'"HIST[A-Za-z0-9+/=]+"', b'"(encoded)"', run(arguments)[0])


def document(sample):
    return json.loads(run([JSON, sample, 'end'])[0])


def comma_locale(folder):
    """The environment of a locale that writes 0,5, made in folder; None if this machine cannot make one."""
    made = subprocess.run(['localedef', '-i', 'de_DE', '-f', 'UTF-8', folder + '/de_DE.UTF-8'], capture_output=True, check=False) \
        if shutil.which('localedef') else None
    return {'LC_ALL': 'de_DE.UTF-8', 'LOCPATH': folder} if made and made.returncode == 0 else None


def numbers(node):
    if isinstance(node, dict):
        node = list(node.values())
    if isinstance(node, list):
        for member in node:
            yield from numbers(member)
    elif isinstance(node, (int, float)) and not isinstance(node, bool):
        yield node


class Golden(unittest.TestCase):
    def test_octets(self):
        for name, arguments in GOLDEN:
            with self.subTest(name):
                self.assertEqual((HERE / 'expected' / name).read_text(), printed(arguments).decode())


class Text(unittest.TestCase):
    def test_width_and_octets(self):
        for name in SAMPLES:
            for width in ('0', '80', '200'):
                with self.subTest(name, width=width):
                    text = run([TEXT, name, 'end', 'plain', width])[0].decode()
                    self.assertLessEqual(max(map(len, text.splitlines())), 80 if width == '80' else 100)
                    self.assertFalse([c for c in text if c != '\n' and (ord(c) < 32 or 127 <= ord(c) < 160)])
                    self.assertEqual(text, '\n'.join(line.rstrip() for line in text.split('\n')), 'blanks at the end of a line')

    def test_ascii_keeps_every_column(self):
        for name in SAMPLES:
            page = run([TEXT, name, 'end'])[0].decode().splitlines()
            ascii_page = run([TEXT, name, 'end', 'plain', '0', 'charset=ascii'])[0].decode('ascii').splitlines()
            self.assertEqual(list(map(len, page)), list(map(len, ascii_page)))

    def test_color_marks_but_adds_no_words(self):
        colored = run([TEXT, 'mixed', 'end', 'color'])[0].decode()
        self.assertIn('\033[31m', colored)
        bare = colored
        for code in ('\033[31m', '\033[32m', '\033[33m', '\033[0m'):
            bare = bare.replace(code, '')
        self.assertEqual(bare, run([TEXT, 'mixed', 'end', 'plain'])[0].decode())
        self.assertNotIn('\033', run([TEXT, 'closed', 'end', 'color'])[0].decode(), 'nothing in a good run needs the eye')

    def test_a_picture_is_drawn_of_ten_answers_or_more(self):
        for name, drawn in (('one', False), ('eight', False), ('closed', True)):
            self.assertEqual('<= ' in run([TEXT, name, 'end'])[0].decode(), drawn, name)

    def test_a_run_without_an_answer_is_not_called_valid(self):
        self.assertRegex(run([TEXT, 'empty', 'end'])[0].decode(), r'(?m)^  Audit +nothing measured \u00b7 no answer came$')
        self.assertEqual(document('empty')['audit']['verdict'], 'valid')

    def test_secrets_stay_out(self):
        for arguments in ([TEXT, 'hostile', 'end'], [JSON, 'hostile', 'end'], [JSON, 'hostile', 'effective']):
            self.assertNotIn('secret', run(arguments)[0].decode())

    def test_locale(self):
        with tempfile.TemporaryDirectory() as folder:
            locale = comma_locale(folder)
            if locale is None:
                self.skipTest('localedef and the source of de_DE are needed')
            for arguments in ([TEXT, 'overload', 'end'], [JSON, 'overload', 'end']):
                self.assertEqual(run(arguments, locale), run(arguments))


class Json(unittest.TestCase):
    def test_one_document_in_few_calls(self):
        for name in SAMPLES:
            text, writes = run([JSON, name, 'end', 'plain', '0', 'indent=0'])
            self.assertEqual(text.count(b'\n'), 1)
            self.assertTrue(text.endswith(b'}\n'))
            self.assertEqual(json.loads(text), document(name))
            self.assertLessEqual(writes, 2)

    def test_schema(self):
        if jsonschema is None:
            self.skipTest('python3-jsonschema is not installed')
        schema = json.loads(pathlib.Path(os.environ['REPORT_SCHEMA']).read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        for name in SAMPLES:
            with self.subTest(name):
                found = document(name)
                self.assertEqual([], [e.message for e in validator.iter_errors(found)])
                del found['summary']['retries']
                self.assertFalse(validator.is_valid(found), 'the schema must notice a missing key')
        effective = json.loads(run([JSON, 'mixed', 'effective'])[0])
        self.assertEqual(effective, document('mixed')['config']['effective'])
        row = json.loads(run([JSON, 'closed', 'sample'])[0])
        self.assertEqual(row, document('closed')['series'][0])

    def test_keys_keep_the_order_of_the_schema(self):
        schema = json.loads(pathlib.Path(os.environ['REPORT_SCHEMA']).read_text())
        self.assertEqual(list(schema['properties']), list(document('closed')))

    def test_figures(self):
        for name in SAMPLES:
            with self.subTest(name):
                found = document(name)
                self.assertTrue(all(math.isfinite(n) for n in numbers(found)))
                summary = found['summary']
                self.assertEqual(summary['requests'], summary['responses'] + summary['transport_errors'] + summary['abandoned'])
                self.assertEqual(summary['responses'], summary['ok'] + summary['failed'])
                self.assertEqual(sum(bar['count'] for bar in found['histogram']), summary['responses'])
                self.assertEqual(sum(row['count'] for row in found['statuses']), summary['responses'])
                self.assertEqual(found['socket_errors']['total'], summary['transport_errors'])

    def test_histograms_are_read_by_a_foreign_decoder(self):
        for name in SAMPLES:
            found = document(name)
            for key, place in (('latency_ms', 'service'), ('corrected_latency_ms', 'corrected'), ('send_delay_ms', 'send_delay')):
                with self.subTest(name, histogram=place):
                    if found[key] is None:
                        self.assertIsNone(found['histograms'][place])
                        continue
                    decoded = hdr_decode.Decoded(found['histograms'][place])
                    self.assertEqual((decoded.digits, decoded.lowest, decoded.highest), (3, 1, 2 ** 42 - 1))
                    self.assertEqual(decoded.total(), found[key]['count'])
                    if not found[key]['count']:
                        continue
                    top = round(found[key]['max'] * 1e6)
                    for figure, rank in (('p50', (50,)), ('p90', (90,)), ('p99', (99,)), ('p999', (999, 1000)), ('max', (100,))):
                        self.assertEqual(min(top, decoded.value_at(*rank)), round(found[key][figure] * 1e6), figure)


def update():
    (HERE / 'expected').mkdir(exist_ok=True)
    for name, arguments in GOLDEN:
        (HERE / 'expected' / name).write_bytes(printed(arguments))


if __name__ == '__main__':
    if sys.argv[1:] == ['--update']:
        update()
    else:
        unittest.main()
