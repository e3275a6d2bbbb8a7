#!/usr/bin/env python3
"""Released headers stay: the header of the current version is word for word its released copy, and each version's sample still runs.

usage: released_test.py CURRENT_HEADER RELEASED_FOLDER RL_PLUGIN_CHECK SAMPLE_OBJECT...

Comments and blanks may change within a version; anything else is a change of the ABI and needs a new minor version, a new folder
beside the old ones, and an entry in core/sdk/CHANGES.md.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys


def code_of(path):
    text = re.sub(r"/\*.*?\*/", " ", pathlib.Path(path).read_text(), flags=re.S)
    return text.split()


def version_of(words):
    joined = " ".join(words)
    return tuple(int(re.search(rf"#define RL_ABI_{part} (\d+)", joined)[1]) for part in ("MAJOR", "MINOR"))


def main():
    current, released, checker, samples = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4:]
    failures = []
    words = code_of(current)
    version = "{}.{}".format(*version_of(words))
    copy = released / version / "plugin.h"
    if not copy.exists():
        failures.append(f"{copy} is missing: keep a copy of the header of ABI {version}, with a sample.c beside it")
    elif code_of(copy) != words:
        failures.append(f"{current} and {copy} differ in more than comments: a change of the ABI needs a new version")
    changes = (pathlib.Path(current).parents[2] / "CHANGES.md").read_text()
    for folder in sorted(path for path in released.iterdir() if path.is_dir()):
        if "{}.{}".format(*version_of(code_of(folder / "plugin.h"))) != folder.name:
            failures.append(f"{folder} holds the header of another version")
        if f"## {folder.name}\n" not in changes:
            failures.append(f"core/sdk/CHANGES.md has no entry for {folder.name}")
    for sample in samples:
        done = subprocess.run([*shlex.split(os.environ.get("RINGLOAD_TEST_WRAPPER", "")), checker, sample], capture_output=True, text=True, timeout=60)
        if done.returncode != 0 or done.stdout.count("\n  fit: ") != 3:
            failures.append(f"{sample}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    print("\n".join(failures) if failures else f"{len(samples)} samples of released versions run")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
