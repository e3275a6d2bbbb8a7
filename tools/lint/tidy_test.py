#!/usr/bin/env python3
"""Tests of tidy.py from outside: small trees with one fault each, and the offence that must be named."""

import os
import subprocess
import sys
import tempfile
import unittest

from tidy import check_tree

TIDY = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'tidy.py')
HEAD = '// Says what this file is for.\n'
README = {'README.md': 'Top folders: core.\n'}


def tidy(files, as_program=False):
    with tempfile.TemporaryDirectory() as root:
        for path, text in {**README, **files}.items():
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, 'w', encoding='utf-8') as file:
                file.write(text)
        if as_program:
            done = subprocess.run([sys.executable, TIDY, '--root', root], capture_output=True, text=True, check=False)
            return done.returncode, done.stdout + done.stderr
        offences = check_tree(root).offences
        return int(bool(offences)), '\n'.join(offences)


def tree(path, body):
    """One file, with a README in its top folder that explains the folders below."""
    parts = path.split('/')
    return {path: HEAD + body, parts[0] + '/README.md': ' '.join(parts[1:-1]) + '\n'}


class Tidy(unittest.TestCase):
    def assert_offence(self, files, words):
        code, output = tidy(files)
        self.assertIn(words, output)
        self.assertEqual(code, 1, output)

    def assert_clean(self, files):
        code, output = tidy(files)
        self.assertEqual(code, 0, output)

    def test_clean_tree(self):
        self.assert_clean(tree('core/base/a.hpp', '#include <vector>\nint f();\n'))

    def test_exit_status(self):
        self.assertEqual(tidy(tree('core/base/a.hpp', ''), as_program=True), (0, 'tidy: 0 offences, 0 warnings\n'))
        code, output = tidy(tree('core/base/a.hpp', 'int a; \n'), as_program=True)
        self.assertEqual((code, output), (1, 'core/base/a.hpp:2: blanks at the end of the line\ntidy: 1 offences, 0 warnings\n'))

    def test_file_lengths(self):
        self.assert_clean(tree('core/base/a.hpp', 'int f();\n' * 400))
        self.assert_offence(tree('core/base/a.hpp', 'int f();\n' * 500), 'core/base/a.hpp:501: 501 lines; at most 500')
        self.assert_clean(tree('tests/a.cpp', 'int f();\n' * 700))

    def test_function_lengths(self):
        body = '    g();\n'
        self.assert_clean(tree('core/base/a.cpp', 'int f() {\n' + body * 68 + '}\n'))
        self.assert_offence(tree('core/base/a.cpp', 'int f() {\n' + body * 69 + '}\n'), 'core/base/a.cpp:2: f has 71 lines')
        self.assert_offence(tree('core/base/a.cpp', 'namespace rl {\nA::A(int x) noexcept\n    : x_(x) {\n' + body * 69 + '}\n}\n'),
                            'A::A has 72 lines')
        self.assert_clean(tree('core/base/a.hpp', 'class A {\n' + '    int f() { return 1; }\n' * 90 + '};\n'))
        self.assert_clean(tree('core/base/a.cpp', 'int f() {\n    g("{");  // {\n' + body * 10 + '}\n' + 'int h();\n' * 80))
        self.assert_offence({**tree('tools/README.md', ''), 'tools/a.py': 'def f():\n' + '    g()\n' * 70}, 'f has 71 lines')

    def test_layers(self):
        def edge(path, name):
            return {**tree(path, f'#include "{name}"\n'), name: HEAD, name.split('/')[0] + '/README.md': path + name}

        self.assert_clean(edge('core/engine/a.hpp', 'core/http/b.hpp'))
        self.assert_clean(edge('backends/epoll/a.hpp', 'backends/common/b.hpp'))
        self.assert_clean(edge('backends/epoll/a.hpp', 'core/module/backend_abi.h'))
        self.assert_clean(edge('tools/ringload/a.hpp', 'backends/linked.hpp'))
        self.assert_clean(edge('tests/unit/a.cpp', 'backends/epoll/b.hpp'))
        within = 'plugins/pacers/x/b.hpp'
        self.assert_clean({**tree('plugins/pacers/x/a.cpp', '#include "pacers/x/b.hpp"\n#include "common/c.hpp"\n'), within: HEAD,
                           'plugins/common/c.hpp': HEAD, 'plugins/README.md': 'pacers common'})
        for path, name in [('core/base/a.hpp', 'core/stats/b.hpp'), ('core/http/a.hpp', 'core/stats/b.hpp'),
                           ('core/http/a.hpp', 'core/engine/b.hpp'), ('core/engine/a.hpp', 'core/module/b.hpp'),
                           ('core/engine/a.hpp', 'backends/epoll/b.hpp'), ('backends/epoll/a.hpp', 'backends/io_uring/b.hpp'),
                           ('backends/epoll/a.hpp', 'core/module/registry.hpp'), ('plugins/pacers/x/a.hpp', 'core/base/b.hpp'),
                           ('plugins/pacers/x/a.hpp', 'plugins/pacers/y/b.hpp'), ('tools/ringload/a.hpp', 'backends/epoll/b.hpp'),
                           ('tools/serve/a.hpp', 'core/base/b.hpp'), ('core/base/a.hpp', 'tests/b.hpp')]:
            self.assert_offence(edge(path, name), f'{path}:2: ')

    def test_libraries(self):
        self.assert_clean(tree('tools/ringload/a.cpp', '#include <boost/program_options.hpp>\n'))
        self.assert_offence(tree('core/base/a.cpp', '#include <boost/program_options.hpp>\n'), 'may be included only from tools/')

    def test_includes_from_the_root(self):
        files = {**tree('core/base/a.cpp', '#include "b.hpp"\n'), 'core/base/b.hpp': HEAD}
        self.assert_offence(files, '"b.hpp" is no file from the root of the tree')

    def test_cycles(self):
        a, b = 'core/base/a.hpp', 'core/base/b.hpp'
        files = {**tree(a, f'#include "{b}"\n'), b: HEAD + f'#include "{a}"\n'}
        self.assert_offence(files, 'includes itself: core/base/a.hpp -> core/base/b.hpp -> core/base/a.hpp')
        files[b] = f'// The other half. Included by a.hpp alone.\n#include "{a}"\n'
        self.assert_clean(files)

    def test_banned_calls(self):
        for call in ['strcpy(a, b)', 'std::rand()', '::system("x")', 'std::stoi(s)', 'std::regex r("x")', 'std::cout << 1']:
            self.assert_offence(tree('core/base/a.cpp', f'int f() {{ {call}; }}\n'), 'core/base/a.cpp:2: ')
        self.assert_clean(tree('tests/a.cpp', 'int f() { strtol(s, 0, 10); }\n'))
        self.assert_offence(tree('tests/a.cpp', 'int f() { strcpy(a, b); }\n'), 'tests/a.cpp:2: ')
        self.assert_offence(tree('core/base/a.cpp', 'int f() { word.notify_all(); }\n'), 'core/base/futex.hpp')
        self.assert_clean(tree('tests/a.cpp', 'int f() { word.notify_all(); }\n'))
        for call in ['g.rand()', 'p->system()', 'my_strcpy(a)', 'g("strcpy(a)")']:
            self.assert_clean(tree('core/base/a.cpp', f'int f() {{ {call}; }}  // strcpy(a)\n'))

    def test_names_of_one_system(self):
        line = {'#include <sys/mman.h>': '<sys/mman.h> is a header of one system', '#include <unistd.h>': '<unistd.h>',
                '#include <windows.h>': '<windows.h>', '#include <WinSock2.h>': '<WinSock2.h>',
                'int f() { return ::close(1); }': '::close is a name of one system', 'int f() { return fork(); }': 'fork',
                'ssize_t n = 0;': 'ssize_t', 'int f() { return ::open("x", O_RDONLY); }': 'O_RDONLY', 'HANDLE h;': 'HANDLE',
                'int f() { return WSAGetLastError(); }': 'WSAGetLastError',
                '#if defined(_WIN32)\n#endif': '_WIN32 is asked for', '#ifdef __linux__\n#endif': '__linux__ is asked for'}
        for text, words in line.items():
            self.assert_offence(tree('core/engine/a.cpp', text + '\n'), words)
            self.assert_offence(tree('tools/ringload/a.cpp', text + '\n'), words)
            for place in ['core/base/a.cpp', 'backends/epoll/a.cpp', 'tests/a.cpp', 'tools/serve/a.cpp']:
                self.assert_clean(tree(place, text + '\n'))
            for system in ['posix', 'linux', 'windows']:
                marked = tree(f'tools/ringload/a_{system}.cpp', text + '\n')
                marked[f'tools/ringload/a_{system}.cpp'] = f'// SYSTEM: {system}\n' + marked[f'tools/ringload/a_{system}.cpp']
                self.assert_clean(marked)
        for text in ['int f() { return file.close(); }', 'int f() { close(1); }', 'int f() { x->fork(); }', 'int f() { return g("fork()"); }',
                     'int f();  // fork() and HANDLE', '#include <signal_of_ours.h>', '#if defined(__x86_64__)\n#endif']:
            self.assert_clean(tree('core/engine/a.cpp', text + '\n'))

    def test_marks_of_a_system(self):
        def marked(path, mark):
            return {**tree(path, ''), path: mark + HEAD}
        self.assert_clean(marked('tools/ringload/a_posix.cpp', '// SYSTEM: posix\n'))
        self.assert_offence(marked('tools/ringload/a.cpp', '// SYSTEM: posix\n'), 'is called NAME_posix')
        self.assert_offence(marked('tools/ringload/a_linux.cpp', '// SYSTEM: posix\n'), 'is called NAME_posix')
        self.assert_offence(marked('tools/ringload/a_posix.cpp', ''), 'begins with "// SYSTEM: posix"')
        self.assert_offence(marked('tools/ringload/a_posix.cpp', '// SYSTEM: beos\n'), 'there is no system beos')
        self.assert_offence(marked('tools/ringload/a_posix.cpp', '// First.\n// SYSTEM: posix\n'), 'at the very top')
        self.assert_clean(marked('core/base/a_posix.cpp', ''))

    def test_unfinished_work(self):
        for word in ['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X']:
            self.assert_offence(tree('core/base/a.cpp', f'// {word}: later\n'), f'core/base/a.cpp:2: {word}')

    def test_blanks(self):
        self.assert_offence(tree('core/base/a.cpp', 'int a;\t\n'), 'a tab')
        self.assert_offence(tree('core/base/a.cpp', 'int a; \n'), 'blanks at the end')

    def test_ascii_comments(self):
        self.assert_offence(tree('core/base/a.cpp', '// caf\u00e9\n'), 'a comment is ASCII')
        self.assert_clean(tree('core/base/a.cpp', 'const char* a = "caf\u00e9";\n'))

    def test_head_comment(self):
        files = {'core/base/a.hpp': 'int f();\n', 'core/README.md': 'base\n'}
        self.assert_offence(files, 'core/base/a.hpp:1: no head comment')
        self.assert_clean({**tree('core/base/a.hpp', 'int f();\n'), 'core/base/a.cpp': 'int f() { return 1; }\n'})

    def test_memory_order(self):
        use = 'int f() { return a.load(std::memory_order_relaxed); }'
        self.assert_offence(tree('core/base/a.cpp', use + '\n'), 'an atomic without a word on its memory order')
        self.assert_clean(tree('core/base/a.cpp', use + '  // ORDER: a count, nothing depends on it\n'))
        self.assert_clean(tree('core/base/a.hpp', 'void f(const std::atomic<int>& stop);\n'))
        self.assert_clean(tree('core/base/a.cpp', '// ORDER: all of these are counts.\n' + use + '\n'))
        self.assert_offence(tree('core/base/a.cpp', 'int g();\n// ORDER: far away.\n' + 'int g();\n' * 9 + use + '\n'), 'a.cpp:13: ')

    def test_folders(self):
        files = tree('core/base/a.hpp', 'int f();\n')
        files['core/README.md'] = 'says nothing\n'
        self.assert_offence(files, 'does not say what base/ is')
        self.assert_clean({'core/base/a.hpp': HEAD})
        self.assert_offence({'stray/base/a.hpp': HEAD}, 'does not say what stray/ is')


if __name__ == '__main__':
    unittest.main()
