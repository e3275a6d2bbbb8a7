#!/usr/bin/env python3
"""Each module shows the dynamic linker exactly one symbol of its own, and needs no library that it may not need.

usage: check_exports.py --symbol NAME [--may-need LIBRARY]... [--objdump PROGRAM] OBJECT...

Reads the objects with nm and readelf, DLLs with objdump; never loads them. Undefined symbols need no check here: the link itself fails on them.
"""
import argparse
import re
import subprocess
import sys

# The C library in all its parts, and what the compilers bring.
ALWAYS = r"lib(c|m|dl|pthread|rt|gcc_s|stdc\+\+)\.so\.\d+|ld-linux.*"
# What every Windows has. The compiler's own libraries are linked in, so that a module is one file.
ALWAYS_DLL = r"(?i)(kernel32|msvcrt|ws2_32|shell32|api-ms-win-[\w-]+)\.dll"


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


def facts_of_dll(objdump, path):
    """(names exported, libraries needed)"""
    text = output_of(objdump, "--private-headers", path)
    table = text.partition("[Ordinal/Name Pointer] Table")[2].partition("\n\n")[0]
    return set(re.findall(r"^\s*\[ *\d+\].*?(\S+)$", table, flags=re.M)), re.findall(r"DLL Name: (\S+)", text)


def faults(path, args):
    dll = path.endswith(".dll")
    names, libraries = facts_of_dll(args.objdump, path) if dll else (exported(path), needed(path))
    if args.symbol not in names:
        yield f"{path}: does not export {args.symbol}"
    for name in sorted(names - {args.symbol}):
        yield f"{path}: exports {name}; give it internal linkage or hidden visibility"
    for library in libraries:
        if not re.fullmatch(ALWAYS_DLL if dll else ALWAYS, library) and not any(library.startswith(f"lib{allowed}.so") for allowed in args.may_need):
            yield f"{path}: needs {library}, which it does not declare"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--symbol", required=True)
    parser.add_argument("--may-need", action="append", default=[])
    parser.add_argument("--objdump", default="objdump")
    parser.add_argument("objects", nargs="+")
    args = parser.parse_args()
    found = [fault for path in args.objects for fault in faults(path, args)]
    print("\n".join(found) if found else f"{len(args.objects)} objects export {args.symbol} alone")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
