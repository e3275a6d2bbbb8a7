"""Reads C and C++ text just well enough for the lint: parts code from comments, and finds functions by their braces.

Not a parser. It knows comments, string and character literals, raw strings, preprocessor lines and braces; that is enough
for code that clang-format has laid out.
"""

import re

_TOKEN = re.compile(
    r'//[^\n]*'
    r'|/\*.*?\*/'
    r'|R"(?P<raw>[^()\s\\]{0,16})\(.*?\)(?P=raw)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'",
    re.DOTALL)
_BLANK = re.compile(r'[^\n]')
_NOT_A_FUNCTION = re.compile(r'\b(namespace|class|struct|enum|union|concept|requires|extern\s*"?)\b[^()]*$|=\s*$|\breturn\b')
_ATTRIBUTE = re.compile(r'__attribute__\s*\(\(.*?\)\)(?=[^)])|\balignas\s*\([^()]*(?:\([^()]*\))?[^()]*\)', re.DOTALL)
_CONTROL = re.compile(r'^\s*(if|for|while|switch|catch|do|else|try)\b')


def split(text):
    """(code, comments): two texts with the line structure of the given one, the rest of each blanked out. String contents
    are blanked in both; include lines keep their names in the code."""
    code, comments, at = [], [], 0
    for match in _TOKEN.finditer(text):
        between, token = text[at:match.start()], match.group()
        code.append(between)
        comments.append(_BLANK.sub(' ', between))
        if token.startswith(('//', '/*')):
            code.append(_BLANK.sub(' ', token))
            comments.append(token)
        else:
            line = text.rfind('\n', 0, match.start()) + 1
            keep = text[line:match.start()].lstrip().startswith('#')
            code.append(token if keep else token[0] + _BLANK.sub(' ', token[1:-1]) + token[-1])
            comments.append(_BLANK.sub(' ', token))
        at = match.end()
    code.append(text[at:])
    comments.append(_BLANK.sub(' ', text[at:]))
    return ''.join(code), ''.join(comments)


def _without_preprocessor(code):
    lines, continued = [], False
    for line in code.split('\n'):
        is_directive = continued or line.lstrip().startswith('#')
        continued = is_directive and line.rstrip().endswith('\\')
        lines.append('' if is_directive else line)
    return '\n'.join(lines)


def functions(code):
    """(name, first line, last line) of every function body in a text from which comments are blanked out; lambdas and
    local classes belong to the function around them. Lines count from 1."""
    code = _without_preprocessor(code)
    found, depth, inside, since, line = [], 0, None, 0, 1
    for at, char in enumerate(code):
        if char == '\n':
            line += 1
        elif char == ';' and inside is None:
            since = at + 1
        elif char == '{':
            head = _ATTRIBUTE.sub('', code[since:at])
            if inside is None and ')' in head and not _NOT_A_FUNCTION.search(head) and not _CONTROL.match(head):
                name = re.search(r'([~\w:]+|operator\s*\S+)\s*\(', head)
                first = line - head.lstrip().count('\n')
                inside = (depth, name.group(1) if name else '?', first)
            depth += 1
            if inside is None:
                since = at + 1
        elif char == '}':
            depth -= 1
            if inside is not None and depth == inside[0]:
                found.append((inside[1], inside[2], line))
                inside = None
            if inside is None:
                since = at + 1
    return found
