#!/usr/bin/env python3
"""The core archive holds no data that can be written: core is linked into every module, so that state in it would exist many times.

usage: check_core_state.py ARCHIVE...

Reads the archive with readelf: an object or thread-local symbol in a writable section is a fault. So is the guard of a function-local
static: a static in a function is state, too. Tables that are read-only once they are relocated are not.
"""
import re
import subprocess
import sys

# Read-only once the loader has relocated them, whatever their section is called: tables of types and functions.
CONSTANT_AFTER_RELOCATION = re.compile(r"^(vtable for|typeinfo for|typeinfo name for|VTT for|DW\.ref\.)")


def writable_sections(archive):
    """member -> numbers of sections that are writable and not made read-only after relocation."""
    text = subprocess.run(["readelf", "--sections", "--wide", archive], capture_output=True, text=True, check=True).stdout
    sections, member = {}, archive
    for line in text.splitlines():
        if line.startswith("File: "):
            member = line[6:].strip()
        match = re.match(r"\s*\[\s*(\d+)\]\s+(\S+)\s+\S+\s+[0-9a-f]+\s+[0-9a-f]+\s+[0-9a-f]+\s+\S+\s+([A-Zx]*)\s", line)
        if match and "W" in match[3] and not match[2].startswith(".data.rel.ro"):
            sections.setdefault(member, {})[int(match[1])] = match[2]
    return sections


def writable_symbols(archive):
    sections = writable_sections(archive)
    text = subprocess.run(["readelf", "--symbols", "--wide", "--demangle", archive], capture_output=True, text=True, check=True).stdout
    member = archive
    for line in text.splitlines():
        if line.startswith("File: "):
            member = line[6:].strip()
        fields = line.split(None, 7)
        if len(fields) < 8 or fields[3] not in ("OBJECT", "TLS", "COMMON"):
            continue
        section, name = fields[6], fields[7]
        if section == "COM" or (section.isdigit() and int(section) in sections.get(member, {})):
            if not CONSTANT_AFTER_RELOCATION.match(name):
                yield f"{member}: {name}: writable data; core keeps no state of its own"


def main():
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    found = [fault for archive in sys.argv[1:] for fault in writable_symbols(archive)]
    print("\n".join(found) if found else "no writable data in " + " ".join(sys.argv[1:]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
