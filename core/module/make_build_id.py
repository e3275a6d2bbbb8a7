#!/usr/bin/env python3
"""Writes build_id.hpp: a digest of everything that two objects must agree on to share inlined code and structures.

That is the text of the headers which a worker instantiates (or reaches a structure through), the compiler, and the options that change
layout. The readable front of the id is for people; only equality counts. The file is left alone when nothing changed, so that
touching a header without changing it rebuilds nothing.

usage: make_build_id.py --template IN --output OUT --depfile D --root DIR --label TEXT [--option NAME=VALUE]... FOLDER...
"""
import argparse
import hashlib
import pathlib


def headers_of(root, folders):
    for folder in sorted(folders):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".hpp") and path.is_file():
                yield path


def digest(root, headers, options):
    state = hashlib.sha256()
    for option in options:
        state.update(b"option\0" + option.encode() + b"\0")
    for path in headers:
        state.update(b"file\0" + path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return state.hexdigest()[:16]


def main():
    parser = argparse.ArgumentParser()
    for name in ("--template", "--output", "--depfile", "--root", "--label"):
        parser.add_argument(name, required=True)
    parser.add_argument("--option", action="append", default=[])
    parser.add_argument("folders", nargs="+")
    args = parser.parse_args()
    root = pathlib.Path(args.root).resolve()
    headers = list(headers_of(root, args.folders))
    build_id = f"{args.label} {digest(root, headers, args.option)}"
    text = pathlib.Path(args.template).read_text().replace("@BUILD_ID@", build_id)
    output = pathlib.Path(args.output)
    if not output.exists() or output.read_text() != text:
        output.write_text(text)
    # The folders are listed as well: a header that is added or removed changes the time of its folder.
    watched = [path.as_posix() for path in headers] + [(root / folder).as_posix() for folder in args.folders]
    pathlib.Path(args.depfile).write_text(args.output + ": " + " ".join(p.replace(" ", "\\ ") for p in watched) + "\n")


if __name__ == "__main__":
    main()
