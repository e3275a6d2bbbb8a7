#!/usr/bin/env bash
# Installs what is missing, builds ringload, and shows it at work: three seconds of load on its own target, over loopback.
#
#   tools/demo.sh [--no-install] [--help]
#
# Everything it makes lies in build-demo/; the program is installed into build-demo/installed, and nowhere else.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
build=$top/build-demo
logs=$top/build-logs
# shellcheck source=tools/lib.sh
. "$top/tools/lib.sh"

target=
work=
# Runs on every way out, so that neither the target nor its output file stays behind.
clean_up() {
    [ -z "$target" ] || kill "$target" 2>/dev/null || true
    [ -z "$work" ] || rm -rf "$work"
}
trap clean_up EXIT

# The target prints the address that it listens on, once it does.
wait_for_address() {
    local try
    for try in $(seq 100); do
        address=$(sed -n 's/^listening on //p' "$work/target.out")
        [ -z "$address" ] || return 0
        kill -0 "$target" 2>/dev/null || break
        sleep 0.05
    done
    cat "$work/target.err" >&2
    die "the target did not start listening within ${try} looks at its output"
}

usage() { sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0"; }

install=yes
for word; do
    case "$word" in
        --no-install) install=no ;;
        -h | --help) usage; exit 0 ;;
        *) die "$word: not understood; the options are --no-install and --help" ;;
    esac
done
[ "$install" = no ] || install_groups build

mkdir -p "$logs"
say "building in build-demo (the first time takes a few minutes) ..."
# Without it there is a build without https, which says so.
"$top/tools/fetch-subprojects.sh" wolfssl >"$logs/demo-fetch.log" 2>&1 ||
    warn "the sources of wolfSSL could not be fetched, so https is left out; see $logs/demo-fetch.log"
{
    configure "$build" --buildtype=release --prefix="$build/installed" --libdir=lib -Dtests=false &&
        ninja -C "$build" && meson install -C "$build" --no-rebuild --quiet
} >"$logs/demo.log" 2>&1 ||
    { tail -n 30 "$logs/demo.log" >&2; die "the build failed; the whole log is $logs/demo.log"; }

ringload=$build/installed/bin/ringload
work=$(mktemp -d)
"$ringload" serve --port 0 --for 60s >"$work/target.out" 2>"$work/target.err" &
target=$!
wait_for_address

say "\$ ringload -t1 -c50 -d3s $address"
"$ringload" -t1 -c50 -d3s "$address"

say ""
say "The program is $ringload. To go on:"
say "  export PATH=$build/installed/bin:\$PATH"
say "  ringload serve --delay 2ms &                         # a target that takes its time"
say "  ringload -c50 -R 5k -d10s http://127.0.0.1:8080/     # 5,000 requests a second, on time"
say "  ringload --help"
