#!/usr/bin/env python3
"""Each module shows the dynamic linker exactly one symbol of its own, and needs no library that it may not need.

usage: check_exports.py --symbol NAME [--may-need LIBRARY]... OBJECT...

Reads the objects with nm and readelf; never loads them. Undefined symbols need no check here: the link itself fails on them.
"""
import argparse
import re
import subprocess
import sys

# The C library in all its parts, and what the compilers bring.
ALWAYS = r"lib(c|m|dl|pthread|rt|gcc_s|stdc\+\+)\.so\.\d+|ld-linux.*"


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def exported(path):
    names = set()
    for line in output_of("nm", "--dynamic", "--defined-only", "--no-demangle", path).splitlines():
        name = line.split()[-1].split("@")[0]
        if name not in ("_init", "_fini"):
            names.add(name)
    return names


def needed(path):
    return re.findall(r"\(NEEDED\).*\[(.+)\]", output_of("readelf", "--dynamic", "--wide", path))


def faults(path, symbol, may_need):
    names = exported(path)
    if symbol not in names:
        yield f"{path}: does not export {symbol}"
    for name in sorted(names - {symbol}):
        yield f"{path}: exports {name}; give it internal linkage or hidden visibility"
    for library in needed(path):
        if not re.fullmatch(ALWAYS, library) and not any(library.startswith(f"lib{allowed}.so") for allowed in may_need):
            yield f"{path}: needs {library}, which it does not declare"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--symbol", required=True)
    parser.add_argument("--may-need", action="append", default=[])
    parser.add_argument("objects", nargs="+")
    args = parser.parse_args()
    found = [fault for path in args.objects for fault in faults(path, args.symbol, args.may_need)]
    print("\n".join(found) if found else f"{len(args.objects)} objects export {args.symbol} alone")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
