#!/usr/bin/env bash
# Builds ringload every way that matters and runs every suite. Installs what is missing first.
#
#   tools/test.sh [--only STAGE[,STAGE...]] [--suite NAME] [--no-install]
#
# Stages: lint     lengths, include edges, banned calls; format; shell scripts
#         release  gcc, optimized, backends as modules: all suites and the smoke runs of the benches
#         asan     gcc with address and undefined-behaviour sanitizers, backends linked in
#         tsan     gcc with the thread sanitizer, backends as modules
#         fuzz     clang: everything is compiled by the second compiler, then each fuzzer runs for a few seconds
#         windows  mingw-w64: everything is compiled for Windows, and its suites run under wine
# Suites: unit conformance sim http abi golden e2e truth fuzz-smoke bench-smoke
#
# Each stage has its build directory build-test-STAGE and its logs in build-logs/. The last line is the sum over all stages,
# "N passed, N failed, N skipped"; the exit status is 1 if anything failed.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
logs=$top/build-logs
# shellcheck source=tools/lib.sh
. "$top/tools/lib.sh"

fuzz_seconds=15
jobs=$(nproc)
passed=0 failed=0 skipped=0
details=()

tally() {  # tally PASSED FAILED SKIPPED
    passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
}

# One check that is a command of its own: counts as one test.
check() {  # check STAGE NAME COMMAND...
    local stage=$1 name=$2 log
    shift 2
    log=$logs/$stage-$name.log
    if "$@" >"$log" 2>&1 </dev/null; then
        tally 1 0 0
    else
        tally 0 1 0
        tail -n 40 "$log"
        details+=("  FAILED   $stage: $name: see build-logs/$stage-$name.log")
    fi
}

# Configures and compiles a stage; a failure is counted as one failed test and its end is shown.
build() {  # build STAGE OPTION...
    local stage=$1 dir=$top/build-test-$1 log=$logs/$1-build.log
    shift
    if { configure "$dir" "$@" && ninja -C "$dir" -j "$jobs"; } >"$log" 2>&1 </dev/null; then
        return 0
    fi
    tail -n 60 "$log"
    tally 0 1 0
    details+=("  FAILED   $stage: build: see build-logs/$stage-build.log")
    return 1
}

# Runs the suites of a built stage without address randomisation, which sanitizers of this age cannot live with everywhere.
run_suites() {  # run_suites STAGE SUITE_OPTION...
    local stage=$1 dir=$top/build-test-$1 log=$logs/$1-test.log runner=() multiplier=3 lines numbers before
    shift
    if [ "$stage" = windows ]; then
        multiplier=4
    elif setarch --addr-no-randomize true 2>/dev/null; then
        runner=(setarch --addr-no-randomize)
    fi
    rm -f "$dir/meson-logs/testlog.json"
    before=$failed
    "${runner[@]}" meson test -C "$dir" --no-rebuild --timeout-multiplier "$multiplier" --num-processes "$jobs" --print-errorlogs "$@" \
        >"$log" 2>&1 </dev/null || true
    mapfile -t lines < <(python3 "$top/tools/testlog.py" "$dir/meson-logs/testlog.json" "$stage")
    numbers=${lines[-1]}
    unset 'lines[-1]'
    details+=("${lines[@]}")
    # shellcheck disable=SC2086  # three numbers, to be split
    tally $numbers
    if [ "$numbers" = "0 0 0" ] && [ -z "$suite" ]; then
        tally 0 1 0
        details+=("  FAILED   $stage: no test ran: see build-logs/$stage-test.log")
    fi
    [ "$failed" = "$before" ] || tail -n 150 "$log"
}

stage_lint() {
    [ -z "$suite" ] || return 0
    local sources scripts
    # C is laid out by hand: its tables are read by people who have only the header.
    mapfile -t sources < <(python3 "$top/tools/lint/tidy.py" --list-sources | grep -E '\.(cpp|hpp)$')
    mapfile -t scripts < <(cd "$top" && find tools tests bench .ci -type f \( -name '*.sh' -o -path .ci/run \) | sort)
    cd "$top"
    check lint tidy python3 tools/lint/tidy.py
    check lint clang-format clang-format --dry-run -Werror "${sources[@]}"
    check lint shellcheck shellcheck -x "${scripts[@]}"
}

# https is part of every stage. Without its sources the rest is still worth testing, and the sum says what is missing.
tls_option=(-Dtls=enabled)
fetch_tls() {
    "$top/tools/fetch-subprojects.sh" wolfssl >"$logs/fetch.log" 2>&1 && return 0
    tls_option=(-Dtls=disabled)
    tally 0 0 1
    details+=("  skipped  https in all stages: the sources of wolfSSL could not be fetched: see build-logs/fetch.log")
}

stage_release() {
    build release "${tls_option[@]}" --buildtype=release -Dbench=true && run_suites release "${suite_option[@]}"
}

# The benches answer questions about time, which a sanitizer would answer wrongly: they are left out here. Warnings are errors in the
# other stages; instrumented code makes gcc see some that are not there. Line numbers are all that a stack trace needs (-g1).
stage_asan() {
    build asan "${tls_option[@]}" -Dwerror=false --buildtype=debugoptimized -Doptimization=1 -Dcpp_args=-g1 -Db_sanitize=address,undefined -Db_lundef=false \
        -Dbackends_linkage=static && run_suites asan "${untimed_option[@]}"
}

stage_tsan() {
    build tsan "${tls_option[@]}" -Dwerror=false --buildtype=debugoptimized -Doptimization=1 -Dcpp_args=-g1 -Db_sanitize=thread -Db_lundef=false &&
        run_suites tsan "${untimed_option[@]}"
}

stage_fuzz() {
    case "$suite" in '' | fuzz-smoke) ;; *) return 0 ;; esac
    if ! command -v clang++ >/dev/null; then
        tally 0 0 1
        details+=("  skipped  fuzz: there is no clang++ here")
        return 0
    fi
    CC=clang CXX=clang++ build fuzz "${tls_option[@]}" --buildtype=debugoptimized -Doptimization=1 -Dcpp_args=-g1 -Db_sanitize=address,undefined \
        -Db_lundef=false -Dfuzz=true || return 0
    local fuzzers fuzzer name seeds
    mapfile -t fuzzers < <(find "$top/build-test-fuzz/tests/fuzz" -maxdepth 1 -type f -name '*_libfuzzer' -perm -u+x | sort)
    if [ "${#fuzzers[@]}" = 0 ]; then
        tally 0 1 0
        details+=("  FAILED   fuzz: no fuzzer was built")
    fi
    for fuzzer in "${fuzzers[@]}"; do
        name=$(basename "$fuzzer")
        seeds=$top/tests/fuzz/corpus/${name%_libfuzzer}
        mkdir -p "$fuzzer.p/found"
        [ -d "$seeds" ] || seeds=
        check fuzz "$name" env UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 "$fuzzer" \
            -max_total_time="$fuzz_seconds" -rss_limit_mb=2048 -artifact_prefix="$logs/$name-" "$fuzzer.p/found" ${seeds:+"$seeds"}
    done
}

skip_windows() {
    tally 0 0 1
    details+=("  skipped  windows: $1")
}

# meson puts ccache in front of compilers that it finds, not of those that a cross file names: links with their names do it here.
cache_cross_compiler() {  # cache_cross_compiler DIRECTORY
    local ccache
    ccache=$(command -v ccache) || return 0
    mkdir -p "$1"
    ln -sf "$ccache" "$1/x86_64-w64-mingw32-gcc-posix"
    ln -sf "$ccache" "$1/x86_64-w64-mingw32-g++-posix"
    export PATH=$1:$PATH
}

# Optimized a little, since nothing is measured there. wine keeps its C: drive in the build directory.
stage_windows() {
    case "$suite" in bench-smoke) return 0 ;; esac
    local dir=$top/build-test-windows
    if [ "$install" = yes ]; then
        (install_groups windows) || { skip_windows "the packages of group windows in tools/packages.txt could not be installed"; return 0; }
    fi
    for program in x86_64-w64-mingw32-g++-posix wine; do
        command -v "$program" >/dev/null || { skip_windows "there is no $program here"; return 0; }
    done
    if ! "$top/tools/fetch-subprojects.sh" fmt boost-program-options simdjson >"$logs/windows-fetch.log" 2>&1; then
        skip_windows "sources of subprojects could not be fetched: see build-logs/windows-fetch.log"
        return 0
    fi
    export WINEPREFIX=$dir/wineprefix WINEARCH=win64 WINEDEBUG=-all
    unset DISPLAY
    cache_cross_compiler "$logs/cross-ccache"
    build windows --cross-file "$top/tools/cross/mingw64.ini" "${tls_option[@]}" --buildtype=release -Doptimization=1 || return 0
    if ! timeout 300 wine wineboot -i >"$logs/windows-wineboot.log" 2>&1; then
        skip_windows "wine does not start here: see build-logs/windows-wineboot.log"
        return 0
    fi
    # A program that waits for words keeps wine's services running: without one, each of hundreds of programs would start them anew.
    local session
    exec {session}> >(exec timeout 3600 wine cmd >"$logs/windows-session.log" 2>&1)
    run_suites windows "${suite_option[@]}"
    exec {session}>&-
    timeout 60 wineserver -k || true
}

usage() { sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0"; }

stages=(lint release asan tsan fuzz windows)
suites='unit conformance sim http abi golden e2e truth fuzz-smoke bench-smoke'
suite=
install=yes
while [ $# -gt 0 ]; do
    case "$1" in
        --only) [ -n "${2:-}" ] || die '--only takes a stage, or several with commas'; IFS=, read -r -a stages <<<"$2"; shift ;;
        --suite) [ -n "${2:-}" ] || die '--suite takes the name of a suite'; suite=$2; shift ;;
        --no-install) install=no ;;
        -h | --help) usage; exit 0 ;;
        *) die "$1: unknown option; try --help" ;;
    esac
    shift
done
for stage in "${stages[@]}"; do
    case "$stage" in lint | release | asan | tsan | fuzz | windows) ;;
        *) die "$stage: unknown stage; they are lint release asan tsan fuzz windows" ;;
    esac
done
[[ " $suites " == *" ${suite:-unit} "* && $suite != *' '* ]] || die "$suite: unknown suite; they are $suites"
suite_option=()
[ -z "$suite" ] || suite_option=(--suite "$suite")
# Under a sanitizer no figure is true.
untimed_option=(--no-suite truth "${suite_option[@]}")

mkdir -p "$logs"
[ "$install" = no ] || install_groups build test
fetch_tls
export ASAN_OPTIONS=${ASAN_OPTIONS-detect_stack_use_after_return=1:strict_string_checks=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS-halt_on_error=1:print_stacktrace=1}
export TSAN_OPTIONS=${TSAN_OPTIONS-halt_on_error=1:second_deadlock_stack=1}

for stage in "${stages[@]}"; do
    start=$SECONDS p=$passed f=$failed s=$skipped
    say "== $stage"
    "stage_$stage" || true
    say "== $stage: $((passed - p)) passed, $((failed - f)) failed, $((skipped - s)) skipped in $((SECONDS - start)) s"
done

[ "${#details[@]}" = 0 ] || printf '%s\n' "${details[@]}"
say "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
