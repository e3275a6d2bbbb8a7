#!/usr/bin/env python3
"""Every plug-in in bad/ is refused with its exact sentence and exit code: by rl-plugin-check, and by ringload where it loads plug-ins.

usage: bad_test.py DIRECTORY RL_PLUGIN_CHECK. Where RINGLOAD names the program, each object that cannot be loaded is also asked for by
its name on a command line, whose only target is a port of this machine on which nobody listens.
"""
import os
import pathlib
import shlex
import subprocess
import sys

AUTHOR = "; report it to the author of the plug-in"
LOAD = "cannot load plug-in {file}: "
FILL = "{file}: {name}: fill() "
RENAME = "; rename the file, or the plug-in in it"

# name: (exit code of rl-plugin-check, what it says after its own name). A refusal at load time, code 2, is also ringload's.
SOURCES = {
    "bad_default": (2, LOAD + 'option "wait" has an impossible default: "soon" is neither true nor false' + AUTHOR),
    "crash": (1, "{file}: the process died in fill(): Illegal instruction"),
    "deaf": (2, LOAD + "it sets RL_SOURCE_WANTS_RESPONSES and has NULL for responses()" + AUTHOR),
    "dotted_option": (2, LOAD + 'option "a.b" is not named with a-z 0-9 _ - alone' + AUTHOR),
    "duplicate_option": (2, LOAD + 'option "size" is declared twice' + AUTHOR),
    "endless": (2, LOAD + "its enumeration of plug-ins does not end" + AUTHOR),
    "greedy_fill": (1, FILL + "was asked for at most 64 requests and returned 65"),
    "headless": (1, FILL + "gave a head without the empty line at its end"),
    "leaky": (1, "{file}: {name}: close() returned and 4 blocks of host->alloc() had not been given to host->free()"),
    "lineless": (1, FILL + "gave a head whose first line is not METHOD SP TARGET SP HTTP/1.1"),
    "newer_minor": (2, LOAD + "it needs plug-in ABI 1.7 and this ringload offers 1.0; use a newer ringload, or rebuild it with the "
                              "ringload/plugin.h of ABI 1.0"),
    "no_entry": (2, LOAD + "it does not export ringload_plugin_v1(); it is no plug-in for ringload of plug-in ABI 1"),
    "none": (2, LOAD + "it holds no plug-in" + AUTHOR),
    "not_an_object": (2, LOAD + "file too short"),
    "null_op": (2, LOAD + "its table of source functions has NULL for fill()" + AUTHOR),
    "null_ops": (2, LOAD + "its descriptor has NULL for ops" + AUTHOR),
    "null_text": (2, LOAD + "its descriptor has NULL for name, version, summary, license or build" + AUTHOR),
    "odd_name": (2, LOAD + 'its name "Odd Name" is not made of a-z 0-9 _ alone' + AUTHOR),
    "open_fails": (1, "{file}: {name}: source {name}: cannot read list.txt: no such file; give another"),
    "overrun": (1, FILL + "wrote past the requests that it returned"),
    "short_descriptor": (2, LOAD + "its descriptor has 72 bytes, ABI 1.0 has 80 bytes" + AUTHOR),
    "short_ops": (2, LOAD + "its table of source functions has 56 bytes, ABI 1.0 has 64 bytes" + AUTHOR),
    "short_stride": (2, LOAD + "its option table has a stride of 32 bytes; an option has at least 64" + AUTHOR),
    "sudden_end": (1, FILL + "returned RL_END and the source does not set RL_SOURCE_FINITE"),
    "throws": (1, "{file}: {name}: source throws: open() let an exception escape, which the plug-in ABI forbids; report it to the author "
                  "of {file}"),
    "throws_in_fill": (1, FILL + "returned RL_FAIL"),
    "throws_in_wrapper": (1, "{file}: {name}: source {name}: cannot read list.txt: no such file; give another"),
    "tiny_descriptor": (2, LOAD + "its descriptor has 4 bytes and no room for a version" + AUTHOR),
    "twice": (2, LOAD + 'it holds source "twice" twice' + AUTHOR),
    "unknown_flag": (2, LOAD + "its table of source functions has flags that ABI 1.0 does not know" + AUTHOR),
    "unknown_kind": (2, LOAD + "its descriptor has the unknown kind 9" + AUTHOR),
    "wrong_kind": (1, '{file}: its name promises source "wrong_kind" and it holds pacer "wrong_kind"' + RENAME),
    "wrong_major": (2, LOAD + "it speaks plug-in ABI 2.0 and this ringload speaks 1.0; rebuild it with the ringload/plugin.h of ABI 1.0, or "
                              "use a ringload of ABI 2"),
    "wrong_name": (1, '{file}: its name promises source "wrong_name" and it holds source "quite_other"' + RENAME),
}
PACERS = {
    "early_pacer": (1, "{file}: {name}: grant() handed out a slot that is not due yet"),
    "miscounting_pacer": (1, "{file}: {name}: scheduled() says 1 slots before the end and grant() handed out 0"),
}
# What the system says is its own.
if os.environ.get("RINGLOAD_TEST_MODULE_SUFFIX") == ".dll":
    SOURCES["crash"] = (1, "{file}: the process died in fill(): illegal instruction")
    SOURCES["not_an_object"] = (2, LOAD + "the file is no module for 64-bit Windows, or it is cut short; copy or install it again")
    SUFFIX = ".dll"
else:
    SUFFIX = ".so"
# What only a search by name can find wrong, and what an instance says when ringload opens it.
BY_NAME = {
    "wrong_kind": LOAD + 'its name promises source "wrong_kind" and it holds pacer "wrong_kind"; rename the file, or ask for it by its path',
    "wrong_name": LOAD + 'its name promises source "wrong_name" and it holds source "quite_other"; rename the file, or ask for it by its path',
    "open_fails": "source {name}: cannot read list.txt: no such file; give another",
    "throws_in_wrapper": "source {name}: cannot read list.txt: no such file; give another",
}


WRAPPER = shlex.split(os.environ.get("RINGLOAD_TEST_WRAPPER", ""))


def run(command):
    done = subprocess.run(WRAPPER + command, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    own = [line for line in done.stderr.splitlines(True) if not line.startswith("wine: ")]  # it announces every death itself
    return done.returncode, done.stdout, "".join(own)


class Judge:
    def __init__(self):
        self.failed = 0

    def expect(self, what, got, wanted):
        if got != wanted:
            self.failed += 1
            print(f"FAILED {what}\n  wanted {wanted!r}\n  got    {got!r}")


def check_by_path(judge, checker, kind, table, directory):
    for name, (code, sentence) in table.items():
        file = str(directory / f"librl_{kind}_{name}{SUFFIX}")
        wanted = f"rl-plugin-check: {sentence.format(file=file, name=name)}\n" if sentence else ""
        got, _, complaint = run([checker, file])
        judge.expect(f"rl-plugin-check {name}", (got, complaint), (code, wanted))


def check_by_name(judge, program, directory):
    for name in sorted(SOURCES):
        code, sentence = SOURCES[name]
        sentence = BY_NAME.get(name, sentence if code == 2 else "")
        if not sentence:
            continue
        file = str(directory / f"librl_source_{name}{SUFFIX}")
        got = run([program, "--plugin-path", str(directory), "--backend", "null" if SUFFIX == ".dll" else "epoll", "--source", name, "-n", "1",
                   "http://127.0.0.1:1/"])
        judge.expect(f"ringload --source {name}", got, (2, "", f"ringload: {sentence.format(file=file, name=name)}\n"))


def main():
    directory, checker = pathlib.Path(sys.argv[1]), sys.argv[2]
    judge = Judge()
    known = {f"librl_source_{name}{SUFFIX}" for name in SOURCES} | {f"librl_pacer_{name}{SUFFIX}" for name in PACERS}
    judge.expect("every object has its line in the table", {path.name for path in directory.glob(f"librl_*{SUFFIX}")}, known)
    check_by_path(judge, checker, "source", SOURCES, directory)
    check_by_path(judge, checker, "pacer", PACERS, directory)
    program = os.environ.get("RINGLOAD")
    if program:
        check_by_name(judge, program, directory)
    print(f"{len(known)} objects, {judge.failed} failures" + ("" if program else "; ringload itself was not asked"))
    return 1 if judge.failed else 0


if __name__ == "__main__":
    sys.exit(main())
