#!/usr/bin/env bash
# Brings the sources of the bundled libraries into the tree, out of the distribution's own source packages.
#
#   tools/fetch-subprojects.sh [NAME ...]       without a name: every wrap in subprojects/
#
# A wrap tells in comments (meson does not read those) where its source lies:
#   debian_source:   the source package
#   debian_file:     its tarball; the version is part of the name
#   debian_members:  only these paths of the tarball are wanted (optional)
#   debian_fixes:    the corrections of the distribution whose names begin so become packagefiles/NAME/debian-fixes.diff (optional)
#   debian_includes: Boost only: the headers of these of its libraries (optional, with debian_members)
# The result must have the wrap's source_hash. It goes where meson looks: packagecache/ if the wrap has a source_url, else packagefiles/.
#
# Works without root. The machine's own apt sources are read with another type, into lists and caches of our own, so the machine's
# apt is left as it is; apt checks the signatures as ever.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
logs=$top/build-logs
# shellcheck source=tools/lib.sh
. "$top/tools/lib.sh"
subprojects=$top/subprojects
own=$subprojects/.apt
trap 'rm -rf "$own"' EXIT

key()      { sed -n "s/^$2[[:space:]]*=[[:space:]]*//p" "$1" | head -n 1; }
remark()   { sed -n "s/^# $2:[[:space:]]*//p" "$1" | head -n 1; }
hash_of()  { sha256sum "$1" | cut -d' ' -f1; }
is_there() { [ -f "$1" ] && [ "$(hash_of "$1")" = "$2" ]; }

# An apt of our own, for source packages.
prepare_apt() {
    local file
    rm -rf "$own"
    mkdir -p "$own/sources" "$own/lists/partial" "$own/archives/partial" "$own/files"
    for file in /etc/apt/sources.list.d/*.sources; do
        [ ! -f "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$own/sources/${file##*/}"
    done
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ ! -f "$file" ] || sed -n 's/^deb\(-src\)\{0,1\}[[:space:]]\{1,\}/deb-src /p' "$file" | sort -u >"$own/sources/$(basename "$file" .list).list"
    done
    cat >"$own/apt.conf" <<CONF
Dir::Etc::SourceList "/dev/null";
Dir::Etc::SourceParts "$own/sources";
Dir::State::Lists "$own/lists";
Dir::Cache "$own";
Acquire::Languages "none";
APT::Sandbox::User "";
CONF
    export APT_CONFIG="$own/apt.conf"
    three_times apt-get -qq update
}

# cut_out TARBALL OUTPUT DIRECTORY MEMBERS INCLUDES: a part of a tarball, laid out flat, with the same octets on every machine.
cut_out() {
    local tarball=$1 output=$2 directory=$3 members includes library
    read -r -a members <<<"$4"
    read -r -a includes <<<"$5"
    for library in "${includes[@]}"; do members+=("boost/libs/$library/include"); done
    rm -rf "$own/part"
    mkdir -p "$own/part/$directory"
    tar -C "$own/part/$directory" -xf "$tarball" --transform 's,^boost/libs/.*/include/boost/,include/boost/,' \
        --transform 's,^boost/libs/[^/]*/src/,src/,' --transform 's,^boost/,,' "${members[@]}"
    find "$own/part" -depth -type d -empty -delete
    tar -C "$own/part" --format=ustar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
        -cf "$output" "$directory"
}

# fixes NAME PACKAGE VERSION PREFIX: what the distribution corrected in this very release, as one patch that the wrap's diff_files names.
fixes() {
    local name=$1 archive patch patches
    (cd "$own/files" && three_times apt-get -qq source --download-only "$2=$3")
    archive=$(find "$own/files" -maxdepth 1 -name "$2_*.debian.tar.*" | head -n 1)
    rm -rf "$own/debian"
    tar -C "$own" -xf "$archive" debian/patches
    mapfile -t patches < <(grep -i "^$4" "$own/debian/patches/series")
    for patch in "${patches[@]}"; do cat "$own/debian/patches/${patch%% *}"; done >"$subprojects/packagefiles/$name/debian-fixes.diff"
    say "$name: ${#patches[@]} corrections of $2 $3 stored"
}

fetch() {
    local name=$1 wrap=$subprojects/$1.wrap file hash place package tarball version fixed
    [ -f "$wrap" ] || die "$name: there is no subprojects/$name.wrap"
    file=$(key "$wrap" source_filename)
    hash=$(key "$wrap" source_hash)
    place=$subprojects/packagefiles
    [ -z "$(key "$wrap" source_url)" ] || place=$subprojects/packagecache
    fixed=$(remark "$wrap" debian_fixes)
    if is_there "$place/$file" "$hash" && { [ -z "$fixed" ] || [ -s "$subprojects/packagefiles/$name/debian-fixes.diff" ]; }; then
        say "$name: $file is there"
        return 0
    fi
    [ -d "$own/files" ] || prepare_apt
    package=$(remark "$wrap" debian_source)
    tarball=$(remark "$wrap" debian_file)
    # Of several revisions on offer, the newest that has this very tarball.
    version=$(apt-cache showsrc "$package" | awk -v file="$tarball" '/^Version:/ { v = $2 } $3 == file { print v }' | sort -Vu | tail -n 1)
    [ -n "$version" ] || die "$name: the distribution's source packages have no $tarball; install the library instead"
    (cd "$own/files" && three_times apt-get -qq source --download-only --tar-only "$package=$version")
    mkdir -p "$place"
    if [ -n "$(remark "$wrap" debian_members)" ]; then
        cut_out "$own/files/$tarball" "$own/$file" "$(key "$wrap" directory)" "$(remark "$wrap" debian_members)" "$(remark "$wrap" debian_includes)"
    else
        cp "$own/files/$tarball" "$own/$file"
    fi
    is_there "$own/$file" "$hash" || die "$name: $tarball is not the source that the wrap names (its hash is $(hash_of "$own/$file"))"
    mv "$own/$file" "$place/$file"
    [ -z "$fixed" ] || fixes "$name" "$package" "$version" "$fixed"
    say "$name: $file stored"
}

[ $# -gt 0 ] || mapfile -t names < <(cd "$subprojects" && grep -l '^# debian_source:' ./*.wrap | sed 's,^\./,,; s,\.wrap$,,')
[ $# = 0 ] || names=("$@")
for name in "${names[@]}"; do
    fetch "$name"
done
