# shellcheck shell=bash
# Shared by the scripts in this folder, which source it: messages, and the packages that a step needs.
#
# Nothing is downloaded but Debian packages, through the machine's own apt. A machine without apt, or without the right to
# use it, gets one sentence that names what to install.

: "${top:?the sourcing script sets it to the root of the tree}" "${logs:?the sourcing script sets it to the folder for logs}"

say()  { printf '%s\n' "$*"; }
warn() { printf '%s\n' "$*" >&2; }
die()  { warn "$(basename "$0"): $*"; exit 2; }

# The packages of the groups named, one a line.
packages_of() {
    local group
    for group; do
        sed -n "s/^${group}[[:space:]]\{1,\}//p" "$top/tools/packages.txt"
    done | sort -u
}

# Those of the packages named that are not installed.
missing_of() {
    local package
    for package; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)" = installed ] || say "$package"
    done
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

# Tries a command three times, since mirrors and other users of apt come and go.
three_times() {
    local try
    for try in 1 2 3; do
        "$@" && return 0
        [ "$try" = 3 ] || { warn "  failed, trying again: $*"; sleep $((try * 5)); }
    done
    return 1
}

# install_groups GROUP...: installs what is missing of these groups, and says what it installs. Asks nothing.
install_groups() {
    local wanted missing apt
    mapfile -t wanted < <(packages_of "$@")
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        warn "$(basename "$0"): this machine has no apt, so nothing was installed; the build needs the equivalents of: ${wanted[*]}"
        return 0
    fi
    mapfile -t missing < <(missing_of "${wanted[@]}")
    [ "${#missing[@]}" -gt 0 ] || return 0
    if [ "$(id -u)" != 0 ] && ! sudo -n true 2>/dev/null; then
        die "packages are missing and neither root nor sudo without a password is at hand; run: apt-get install ${missing[*]}"
    fi
    say "installing: ${missing[*]}"
    apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
    mkdir -p "$logs"
    three_times as_root "${apt[@]}" update >"$logs/apt.log" 2>&1 ||
        { tail -n 20 "$logs/apt.log" >&2; die "apt-get update failed three times; see the lines above and $logs/apt.log"; }
    three_times as_root "${apt[@]}" install --no-install-recommends "${missing[@]}" >>"$logs/apt.log" 2>&1 ||
        { tail -n 20 "$logs/apt.log" >&2; die "apt-get install ${missing[*]} failed three times; see the lines above and $logs/apt.log"; }
}

# configure DIR OPTION...: a build directory with exactly these options; an older one with others is made anew.
configure() {
    local dir=$1 stamp
    shift
    stamp="$*"
    if [ -f "$dir/build.ninja" ] && [ "$(cat "$dir/options.stamp" 2>/dev/null)" = "$stamp" ]; then
        return 0
    fi
    rm -rf "$dir"
    meson setup --wrap-mode=nodownload "$dir" "$top" "$@" && printf '%s' "$stamp" >"$dir/options.stamp"
}
