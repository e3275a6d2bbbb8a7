#!/usr/bin/env python3
"""Plug-ins built outside the tree, from a staged install of the SDK alone, are fit and run.

usage: oot_test.py BUILD_DIRECTORY RL_PLUGIN_CHECK RINGLOAD

Stages the SDK, builds the three plug-ins here (a) by one line of the compiler each, (b) by their own meson.build, checks each with
rl-plugin-check, and runs all three together in ringload against a small server in this process. The request source in the SDK's
README and the skeleton are built and checked as well.
"""
import http.server
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
SDK = HERE.parents[1] / "core/sdk"
PLUGINS = {"rl_source_oot_numbers": "numbers.c", "rl_pacer_oot_bursts": "bursts.cpp", "rl_reporter_oot_line": "line.c"}
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def run(command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120, **more)
    if done.returncode != 0:
        sys.exit(f"FAILED ({done.returncode}): {shlex.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def stage_sdk(build, stage):
    """Installs the SDK below stage and returns an environment whose pkg-config sees only that."""
    run(["meson", "install", "-C", build, "--no-rebuild", "--tags", "devel", "--destdir", stage])
    found = list(stage.rglob("ringload-plugin.pc"))
    assert len(found) == 1, found
    headers = sorted(path.name for path in stage.rglob("*") if path.is_file() and path.suffix in (".h", ".hpp"))
    assert headers == ["plugin.h", "plugin.hpp"], f"the SDK offers more than its two headers: {headers}"
    return dict(os.environ, PKG_CONFIG_LIBDIR=str(found[0].parent), PKG_CONFIG_SYSROOT_DIR=str(stage), PKG_CONFIG_PATH="")


def check_licences(build):
    """What may be done with the program is installed with it."""
    installed = json.loads(run(["meson", "introspect", "--installed", build]))
    for name in ("LICENSE", "LICENSE-APACHE", "LICENSE-MIT", "NOTICE"):
        assert any(place.endswith(f"/share/doc/ringload/{name}") for place in installed.values()), f"{name} is not installed"


def compile_line(environment, source, output):
    """One line: compiler, flags of pkg-config, source, output."""
    flags = run(["pkg-config", "--cflags", "--libs", "ringload-plugin"], env=environment).split()
    assert not any(flag.startswith(("-l", "-L")) for flag in flags), f"a plug-in links against nothing of ringload: {flags}"
    if source.suffix == ".c":
        compiler = shlex.split(os.environ.get("CC", "cc")) + ["-std=c11"]
    else:
        compiler = shlex.split(os.environ.get("CXX", "c++")) + ["-std=c++20"]
    run([*compiler, "-O2", *WARNINGS, "-fPIC", "-fvisibility=hidden", "-shared", *flags, source, "-o", output])


def check_variables(environment):
    header = (SDK / "include/ringload/plugin.h").read_text()
    for variable, macro in (("abi_major", "RL_ABI_MAJOR"), ("abi_minor", "RL_ABI_MINOR")):
        said = run(["pkg-config", f"--variable={variable}", "ringload-plugin"], env=environment).strip()
        assert said == re.search(rf"#define {macro} (\d+)", header)[1], f"{variable} is {said}"
    moved = run(["pkg-config", "--define-variable=prefix=/elsewhere", "--variable=plugindir", "ringload-plugin"], env=environment).strip()
    assert moved.endswith("/ringload/plugins") and "/elsewhere/" in moved, f"plugindir does not move with the prefix: {moved}"


class Target(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    paths = []
    requests = []  # method, path, header fields, body

    def do_GET(self):
        Target.paths.append(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        Target.requests.append((self.command, self.path, self.headers, body))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    do_PUT = do_GET

    def log_message(self, *unused):
        pass


def check_together(program, folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Target)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    Target.paths.clear()
    output = run([program, "--plugin-path", folder, "--source", "oot_numbers", "--oot_numbers.prefix=/n/", "--oot_numbers.limit=20",
                  "--pacer", "oot_bursts", "--oot_bursts.gap=20ms", "--reporter", "oot_line", "-t", "2", "-c", "4", "-d", "10s",
                  f"http://127.0.0.1:{server.server_port}/"])
    server.shutdown()
    assert output == "out of tree: 20 requests, 20 ok\n", repr(output)
    assert sorted(Target.paths) == sorted(f"/n/{i}" for i in range(20)), Target.paths


def check_skeleton(program, folder, name):
    """It sends what the command line says."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Target)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    Target.requests.clear()
    place = f"127.0.0.1:{server.server_port}"
    page = run([program, "--plugin-path", folder, "--source", name, "-n", "3", "-c", "1", "-X", "PUT", "--data", "a=1", "-H", "X-One: 1",
                "-H", "X-Two: two, 2", f"http://{place}/path?q=1"])
    server.shutdown()
    assert f"source {name} -> {place}" in page.replace("\n  ", " "), page
    assert len(Target.requests) == 3, Target.requests
    for method, path, fields, body in Target.requests:
        assert (method, path, body) == ("PUT", "/path?q=1", b"a=1"), (method, path, body)
        assert (fields["Host"], fields["X-One"], fields["X-Two"], fields["Content-Length"]) == (place, "1", "two, 2", "3"), fields


def check_documents(environment, checker, program, folder):
    """What the SDK's documents tell people to copy."""
    example = re.search(r"```cpp\n(.*?)```", (SDK / "README.md").read_text(), re.S)[1]
    source = folder / "cache_buster.cpp"
    source.write_text(example)
    mine = folder / "mine.c"
    mine.write_text((SDK / "skeleton.c").read_text().replace("skeleton", "mine"))
    for path, name in ((source, "cache_buster"), (SDK / "skeleton.c", "skeleton"), (mine, "mine")):
        output = folder / f"librl_source_{name}.so"
        compile_line(environment, path, output)
        said = run([checker, output])
        assert said.endswith("not checked: system calls, locks\n"), said
    check_skeleton(program, folder, "mine")


def main():
    build, checker, program = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    with tempfile.TemporaryDirectory(prefix="ringload-oot-") as scratch:
        root = pathlib.Path(scratch)
        environment = stage_sdk(build, root / "stage")
        check_variables(environment)
        check_licences(build)
        lines, meson = root / "lines", root / "meson"
        lines.mkdir()
        for name, source in PLUGINS.items():
            compile_line(environment, HERE / source, lines / f"lib{name}.so")
        run(["meson", "setup", "--wrap-mode=nofallback", meson, HERE], env=environment)
        run(["meson", "compile", "-C", meson], env=environment)
        for folder in (lines, meson):
            for name in PLUGINS:
                run([checker, folder / f"lib{name}.so"])
            check_together(program, folder)
        check_documents(environment, checker, program, root)
    print("three plug-ins, built in two ways, run together; the documents' examples are fit")


if __name__ == "__main__":
    main()
