"""Who may include whom: the table of core/README.md as data, and the check of one include against it."""

import re

SDK = ('ringload/',)
ENGINE_AND_BELOW = ('core/base/', 'core/http/', 'core/stats/', 'core/tls/', 'core/engine/')
BACKEND = ENGINE_AND_BELOW + SDK + ('core/module/backend_abi.h', 'core/module/build_id.hpp', 'backends/common/')

# Folder -> what its files may include, beside the files of the folder itself. The longest folder that fits counts.
ALLOWED = {
    'core/sdk/': SDK,
    'core/base/': (),
    'core/http/': ('core/base/',),
    'core/stats/': ('core/base/',),
    'core/tls/': ('core/base/',),
    'core/engine/': ENGINE_AND_BELOW + SDK,
    'core/module/': ('core/base/', 'core/stats/', 'core/engine/') + SDK,
    'core/report/': ('core/base/', 'core/stats/', 'core/engine/') + SDK,
    'core/verdict/': ('core/base/', 'core/stats/', 'core/engine/', 'core/report/'),
    'backends/common/': BACKEND,
    'backends/': BACKEND,
    'plugins/common/': SDK,
    'plugins/': SDK + ('plugins/common/',),
    'tools/serve/': (),
    'tools/': ('core/', 'tools/', 'backends/linked.hpp') + SDK,
}
# Plug-ins are given plugins/ as an include directory and spell their own headers from there.
PLUGIN_FOLDERS = ('common', 'sources', 'pacers', 'reporters')
# These include whatever they like, and nobody else includes them.
FREE = ('tests/', 'bench/')

# Libraries of others -> the folders that may use them.
LIBRARIES = {
    'boost/': ('tools/',),
    'liburing': ('backends/', 'bench/'),
    'simdjson': ('plugins/', 'tests/', 'bench/'),
    'gtest/': ('tests/',),
    'gmock/': ('tests/',),
    'benchmark/': ('bench/',),
    'wolfssl/': ('core/tls/', 'tests/', 'bench/'),
}

_INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def includes(code):
    """(line, quoted, name) of each include."""
    return [(code.count('\n', 0, m.start(2)) + 1, m.group(1) == '"', m.group(2)) for m in _INCLUDE.finditer(code)]


def _room(path):
    """The folder whose files see each other: one backend, one plug-in, or the row of the table."""
    parts = path.split('/')
    if parts[0] == 'backends':
        return '/'.join(parts[:2]) + '/'
    if parts[0] == 'plugins':
        return '/'.join(parts[:-1]) + '/'
    rows = [row for row in ALLOWED if path.startswith(row)]
    return max(rows, key=len) if rows else parts[0] + '/'


def refusal(path, name, quoted):
    """Why the file at path may not include name; None if it may."""
    if path.startswith(FREE):
        return None
    for library, homes in LIBRARIES.items():
        if name.startswith(library) and not path.startswith(homes):
            return f'{name} may be included only from {", ".join(homes)}'
    if not quoted:
        return None
    if path.startswith('plugins/') and name.split('/')[0] in PLUGIN_FOLDERS:
        name = 'plugins/' + name
    rows = [row for row in ALLOWED if path.startswith(row)]
    if not rows:
        return None
    allowed = ALLOWED[max(rows, key=len)]
    if name.startswith(_room(path)) or name.startswith(allowed):
        return None
    return f'{_room(path)} may not use {name}; it may use {", ".join(allowed) or "nothing of ours"} (core/README.md, dependencies)'
