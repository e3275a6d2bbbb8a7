#!/usr/bin/env python3
"""The house rules that no compiler checks. Prints one line per offence and exits 1 if there is any.

    tools/lint/tidy.py                  check the tree
    tools/lint/tidy.py --root DIR       check another tree (the test of this program does)
    tools/lint/tidy.py --list-sources   print the C and C++ files that are formatted, for clang-format

Rules: lengths of files and functions; include edges (layers.py) and include cycles; names of one system (portable.py); calls with a
better replacement; marks of unfinished work; tabs and trailing blanks; ASCII comments; a head comment in every source file (x.cpp may
leave it to x.hpp); a word on memory order beside every atomic; a README for every folder, or a line in that of a folder above.
"""

import argparse
import ast
import itertools
import os
import re
import sys

import cpp_text
import layers
import portable

FILE_WARN, FILE_MAX, TEST_FILE_MAX, FUNCTION_MAX = 400, 500, 800, 70
# Functions that are longer and were let in: "path:name" -> lines. They may shrink, never grow. Empty is best.
RATCHET = {}

CPP = ('.hpp', '.cpp', '.h', '.c')
SCRIPTS = ('.py', '.sh', '.build', '.txt', '.in', '.yml', '.lua')
# Text which is data: bytes under test, copies that are frozen, outputs that are compared.
DATA = re.compile(r'(^|/)(corpus|corpora|cases|golden|released|packagefiles)/|^LICENSE|\.(wrap|diff|patch)$|seeds\.txt$')
FROZEN = re.compile(r'(^|/)(released|packagefiles)/')
# Folders that are not part of the source.
SKIP = re.compile(r'^(\.git|build.*|__pycache__|\.cache|\.apt|packagecache)$')
UNFINISHED = re.compile(r'\b(' + '|'.join(('TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X', 'HA' + 'CK')) + r')\b')

BANNED = {
    'strcpy strcat stpcpy': 'std::string, or memcpy with a checked size',
    'strncpy strncat': 'memcpy with a checked size: these do not always terminate',
    'sprintf vsprintf': 'fmt::format_to_n or snprintf',
    'gets strtok': 'std::string_view',
    'atoi atol atoll atof strtol strtoul strtoll strtoull strtod strtof sscanf': 'core/base/units.hpp or std::from_chars: no locale, no silent garbage',
    'stoi stol stoul stoll stoull stod stof': 'core/base/units.hpp or std::from_chars: no exception, no trailing garbage',
    'rand srand': 'a seeded generator: a run must be repeatable',
    'system popen': 'fork and execve without a shell',
    'gmtime localtime asctime ctime': 'gmtime_r and strftime: these share one buffer between threads',
    'alloca': 'a fixed array',
    'setlocale': 'nothing: numbers look the same everywhere',
    'signal': 'sigaction',
}
# Fine where only a developer's own input is read.
PARSING = re.compile(r'^(ato|sto|strto|sscanf|setlocale)')
BANNED_CALL = {name: instead for names, instead in BANNED.items() for name in names.split()}
CALL = re.compile(r'(?<![\w.>])(?:std::|::)?(' + '|'.join(BANNED_CALL) + r')\s*\(')
BANNED_WORD = {
    'std::regex': 'a hand-written scan: it recurses on its input',
    'std::cout': 'fmt::print, or the output that was handed over',
    'std::cerr': 'core/base/log.hpp',
    'std::endl': "'\\n'",
    'using namespace std;': 'the names, spelled out',
}
# Only in what is linked into program and modules alike.
BANNED_IN_MODULES = {
    '.notify_one()': 'core/base/futex.hpp: each module has a table of waiters of its own, so a wake can be lost between two',
    '.notify_all()': 'core/base/futex.hpp: each module has a table of waiters of its own, so a wake can be lost between two',
}
# A reference to an atomic is not a use of it.
ATOMIC = re.compile(r'\bstd::atomic\w*\b(?!<[\w:]+>[&*])|\bmemory_order\w*\b|\b__atomic_\w+|\b(?:io_uring_)?smp_(?:load|store)\w+')


class Report:
    def __init__(self):
        self.offences, self.warnings = [], []

    def offence(self, path, line, text):
        self.offences.append(f'{path}:{line}: {text}')

    def warning(self, path, line, text):
        self.warnings.append(f'{path}:{line}: warning: {text}')


def files_of(root):
    """Paths of all files of the source, from the root, with / in them."""
    for folder, subfolders, names in os.walk(root):
        relative = os.path.relpath(folder, root).replace(os.sep, '/')
        prefix = '' if relative == '.' else relative + '/'
        subfolders[:] = sorted(s for s in subfolders if not SKIP.match(s) and not (prefix == 'subprojects/' and s != 'packagefiles'))
        for name in sorted(names):
            yield prefix + name


def is_test(path):
    return path.startswith(('tests/', 'bench/'))


def check_lengths(path, lines, report):
    limit = TEST_FILE_MAX if is_test(path) else FILE_MAX
    if len(lines) > limit:
        report.offence(path, len(lines), f'{len(lines)} lines; at most {limit}: part it by idea')
    elif len(lines) > FILE_WARN and not is_test(path):
        report.warning(path, len(lines), f'{len(lines)} lines; {FILE_WARN} is the aim')


def check_function(path, name, first, last, report):
    length = last - first + 1
    allowed = max(FUNCTION_MAX, RATCHET.get(f'{path}:{name}', 0))
    if length > allowed:
        report.offence(path, first, f'{name} has {length} lines; at most {allowed}: name its steps')


def check_blanks(path, lines, report):
    for number, line in enumerate(lines, 1):
        if '\t' in line:
            report.offence(path, number, 'a tab; indent with blanks')
        if line != line.rstrip():
            report.offence(path, number, 'blanks at the end of the line')
        mark = UNFINISHED.search(line)
        if mark:
            report.offence(path, number, f'{mark.group()}: finish it, or write down elsewhere what is left')


def check_comments(path, comments, report):
    for number, line in enumerate(comments.split('\n'), 1):
        if not line.isascii():
            report.offence(path, number, 'a comment is ASCII')


def check_calls(path, code, report):
    words = BANNED_WORD | (BANNED_IN_MODULES if path.startswith(('core/', 'backends/')) else {})
    for number, line in enumerate(code.split('\n'), 1):
        for match in CALL.finditer(line):
            if is_test(path) and PARSING.match(match.group(1)):
                continue
            report.offence(path, number, f'{match.group(1)}(): use {BANNED_CALL[match.group(1)]}')
        for word, instead in words.items():
            if word in line:
                report.offence(path, number, f'{word}: use {instead}')


def check_atomics(path, code, comments, report):
    said = comments.split('\n')
    if any('ORDER:' in line for line in itertools.takewhile(str.strip, said)):
        return  # the head comment has one reason for all of the file
    for number, line in enumerate(code.split('\n'), 1):
        if ATOMIC.search(line) and not line.lstrip().startswith('#'):
            near = said[max(0, number - 5):number + 2]
            if not any('ORDER:' in text for text in near):
                report.offence(path, number, 'an atomic without a word on its memory order: say why it suffices, "ORDER: ..."')


def check_includes(path, code, known, report):
    for number, quoted, name in layers.includes(code):
        why = layers.refusal(path, name, quoted)
        if why:
            report.offence(path, number, why)
        if quoted and not is_test(path) and not resolves(path, name, known):
            report.offence(path, number, f'"{name}" is no file from the root of the tree; spell includes from there')


def resolves(path, name, known):
    roots = ['', 'core/sdk/include/'] + (['plugins/'] if path.startswith('plugins/') else [])
    return any(root + name + ending in known for root in roots for ending in ('', '.in'))


def part_of(path, comments):
    """The header that this one is a part of: its head comment says "Included by NAME alone." """
    named = re.search(r'Included by (\S+\.hpp) alone', comments)
    return os.path.join(os.path.dirname(path), named.group(1)) if named else None


def check_cycles(graph, report):
    """graph: header -> headers it includes. Reports the first cycle through each header that closes one."""
    done = set()
    for start in sorted(graph):
        stack = [(start, iter(graph[start]))]
        on_path = [start]
        while stack:
            name, rest = stack[-1]
            following = next(rest, None)
            if following is None:
                stack.pop()
                done.add(on_path.pop())
            elif following in on_path:
                report.offence(name, 1, 'includes itself: ' + ' -> '.join(on_path[on_path.index(following):] + [following]))
            elif following not in done and following in graph:
                stack.append((following, iter(graph[following])))
                on_path.append(following)


def check_cpp(path, text, known, graph, report):
    code, comments = cpp_text.split(text)
    has_header = os.path.splitext(path)[0] + '.hpp' in known and not path.endswith('.hpp')
    if not has_header and not comments[:4].startswith(('//', '/*')):
        report.offence(path, 1, 'no head comment: say what the file is for, what it is not, which thread, who owns what')
    check_comments(path, comments, report)
    check_calls(path, code, report)
    check_includes(path, code, known, report)
    for number, text in portable.offences(path, code, comments):
        report.offence(path, number, text)
    whole = part_of(path, comments)
    graph[path] = [name for _, quoted, name in layers.includes(code) if quoted and name != whole]
    if not is_test(path):
        check_atomics(path, code, comments, report)
    for name, first, last in cpp_text.functions(code):
        check_function(path, name, first, last, report)


def check_python(path, text, report):
    try:
        tree = ast.parse(text, path)
    except SyntaxError as error:
        report.offence(path, error.lineno or 1, f'not Python: {error.msg}')
        return
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            check_function(path, node.name, node.lineno, node.end_lineno, report)


def check_folders(root, paths, report):
    folders = {os.path.dirname(path) for path in paths} - {''}
    for folder in sorted(folders):
        parts = folder.split('/')
        if parts[0].startswith('.') or FROZEN.search(folder + '/'):
            continue
        for depth in range(len(parts), -1, -1):
            readme = '/'.join(parts[:depth] + ['README.md'])
            if readme in paths:
                below = parts[depth] if depth < len(parts) else None
                with open(os.path.join(root, readme), encoding='utf-8') as file:
                    if below and not re.search(r'\b' + re.escape(below) + r'\b', file.read()):
                        report.offence(readme, 1, f'does not say what {below}/ is, and {folder}/ has no README.md of its own')
                break
        else:
            report.offence(folder, 1, 'has no README.md, nor has a folder above')


def check_tree(root):
    report, graph = Report(), {}
    paths = list(files_of(root))
    known = set(paths)
    for path in paths:
        ending = os.path.splitext(path)[1]
        if DATA.search(path) or ending not in CPP + SCRIPTS + ('.md',):
            continue
        with open(os.path.join(root, path), encoding='utf-8') as file:
            text = file.read()
        lines = text.split('\n')[:-1] if text.endswith('\n') else text.split('\n')
        check_blanks(path, lines, report)
        if ending in CPP + ('.py', '.sh'):
            check_lengths(path, lines, report)
        if ending in CPP:
            check_cpp(path, text, known, graph, report)
        elif ending == '.py':
            check_python(path, text, report)
    check_cycles({name: [i for i in names if i in graph] for name, names in graph.items()}, report)
    check_folders(root, known, report)
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--root', default=os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
    parser.add_argument('--list-sources', action='store_true')
    args = parser.parse_args()
    root = os.path.realpath(args.root)
    if args.list_sources:
        print('\n'.join(p for p in files_of(root) if p.endswith(CPP) and not FROZEN.search(p)))
        return 0
    report = check_tree(root)
    print('\n'.join(report.warnings + report.offences + [f'tidy: {len(report.offences)} offences, {len(report.warnings)} warnings']))
    return 1 if report.offences else 0


if __name__ == '__main__':
    sys.exit(main())
