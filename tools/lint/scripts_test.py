#!/usr/bin/env python3
"""The scripts that a newcomer runs say what they are, and refuse words that they do not know before they do anything."""
import pathlib
import subprocess
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[1]


def run(script, *words):
    done = subprocess.run(['bash', str(TOOLS / script), *words], capture_output=True, text=True, timeout=20, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


class Scripts(unittest.TestCase):
    def test_help(self):
        for script in ('demo.sh', 'test.sh'):
            code, out, err = run(script, '--help')
            self.assertEqual((code, err), (0, ''))
            self.assertIn(f'tools/{script} [', out)
            self.assertNotIn('pipefail', out)

    def test_unknown_words_are_refused_in_one_sentence(self):
        suites = 'unit conformance sim http abi golden e2e truth fuzz-smoke bench-smoke'
        for script, words, sentence in (
                ('demo.sh', ['fast'], 'fast: not understood; the options are --no-install and --help'),
                ('demo.sh', ['--no-install', 'fast'], 'fast: not understood; the options are --no-install and --help'),
                ('test.sh', ['--no-install', '--suite', 'unti'], f'unti: unknown suite; they are {suites}'),
                ('test.sh', ['--no-install', '--suite', 'conformance sim'], f'conformance sim: unknown suite; they are {suites}'),
                ('test.sh', ['--no-install', '--only', 'lint,asna'], 'asna: unknown stage; they are lint release asan tsan fuzz windows'),
                ('test.sh', ['--suite'], '--suite takes the name of a suite'),
                ('test.sh', ['--only'], '--only takes a stage, or several with commas')):
            with self.subTest(script, words=words):
                self.assertEqual(run(script, *words), (2, '', f'{script}: {sentence}\n'))

    def test_the_demo_ends_with_what_to_try_next(self):
        last = (TOOLS / 'demo.sh').read_text().rstrip().splitlines()[-6:]
        self.assertTrue(all(line.startswith('say ') for line in last), last)
        for word in ('$ringload', 'PATH', 'serve', '--help'):
            self.assertIn(word, '\n'.join(last))


if __name__ == '__main__':
    unittest.main()
