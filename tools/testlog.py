#!/usr/bin/env python3
"""Counts the results of one `meson test` run from its testlog.json.

    tools/testlog.py TESTLOG_JSON NAME

Prints one line for every test that failed or was skipped (with its reason), prefixed by NAME, and then, alone on the last line,
three numbers: passed, failed, skipped. A test is a program; where one passed but left out cases of its own, their reasons are
printed too. tools/test.sh adds the numbers up.
"""

import json
import re
import sys

PASSED = {'OK', 'EXPECTEDFAIL'}
SKIPPED = {'SKIP'}


def reason(entry):
    """The last line that the test printed; a test that skips says why there."""
    lines = [line.strip() for key in ('stdout', 'stderr') for line in (entry.get(key) or '').splitlines() if line.strip()]
    return lines[-1] if lines else 'it gave no reason'


def reasons_of_cases(entry):
    """Why GoogleTest programs left cases out, each reason once."""
    found = re.findall(r'^\S+:\d+: Skipped\n(.+)$', entry.get('stdout') or '', re.MULTILINE)
    return list(dict.fromkeys(line.strip() for line in found))


def main():
    path, name = sys.argv[1:]
    passed = failed = skipped = 0
    try:
        with open(path, encoding='utf-8') as log:
            entries = [json.loads(line) for line in log if line.strip()]
    except FileNotFoundError:
        entries = []
    for entry in entries:
        test = entry['name'].split(':', 1)[-1]
        if entry['result'] in PASSED:
            passed += 1
            for why in reasons_of_cases(entry):
                print(f'  left out {name}: {test}: {why}')
        elif entry['result'] in SKIPPED:
            skipped += 1
            print(f'  skipped  {name}: {test}: {reason(entry)}')
        else:
            failed += 1
            print(f'  FAILED   {name}: {test}: {entry["result"].lower()} after {entry["duration"]:.1f} s')
    print(passed, failed, skipped)


if __name__ == '__main__':
    main()
