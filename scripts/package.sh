#!/usr/bin/env bash
# Builds what is handed out for this host, in target/package: an archive with the program, its manual pages and completions, libctm with its headers,
# on Linux the library with the card, and the licences, laid out as below /usr/local. CARGO_PROFILE chooses another profile than `dist`. On Windows it
# runs in Git's bash, and the archive is a zip.
#
#   scripts/package.sh
#   scripts/started.sh target/package/ctm-*.tar.gz       starts what is in it
set -euo pipefail
cd "$(dirname "$0")/.."

profile=${CARGO_PROFILE:-dist}
id=$(cargo pkgid -p ctm-cli)
host=$(rustc --print host-tuple)
name=ctm-${id##*[@#]}-$host
built=${CARGO_TARGET_DIR:-target}/$profile
folder=target/package/$name

packages=(-p ctm-cli -p ctm-capi)
program=ctm
case "$host" in
    *-linux-*)
        packages+=(-p ctm-drm)
        libraries=(libctm.so libctm_drm.so libctm.a)
        ;;
    *-apple-*) libraries=(libctm.dylib libctm.a) ;;
    *-windows-msvc)
        program=ctm.exe
        libraries=(ctm.dll ctm.dll.lib ctm.lib)
        ;;
    *)
        echo "package.sh: nothing is handed out for $host: its libraries have no names here" >&2
        exit 1
        ;;
esac

# Together, so that what they share is built once.
cargo build --locked --profile "$profile" "${packages[@]}"

# Not all hosts have an `install` that makes folders.
put() {
    local to=$folder/$1
    shift
    mkdir -p "$to"
    cp "$@" "$to"
}
rm -rf "$folder"
put bin "$built/$program"
put include/ctm crates/capi/include/*.h
put lib "${libraries[@]/#/$built/}"
mkdir -p "$folder/lib/pkgconfig"
# The archive may be unpacked anywhere.
sed "s|@PREFIX@|\${pcfiledir}/../..|; s|@VERSION@|${id##*[@#]}|" crates/capi/ctm.pc.in > "$folder/lib/pkgconfig/ctm.pc"

ctm=$folder/bin/$program
man=$folder/share/man/man1
mkdir -p "$man"
# A page for each command, and for each command of that.
pages() {
    local page
    page=$man/$(IFS=-; echo "ctm${*:+-$*}").1
    "$ctm" man "$@" > "$page"
    sed -n 's/^ctm\\-\(.*\)(1)$/\1/p' "$page" | while read -r command; do
        # shellcheck disable=SC2086
        pages ${command//\\-/ }
    done
}
pages
bash=$folder/share/bash-completion/completions
zsh=$folder/share/zsh/site-functions
fish=$folder/share/fish/vendor_completions.d
mkdir -p "$bash" "$zsh" "$fish"
"$ctm" completions bash > "$bash/ctm"
"$ctm" completions zsh > "$zsh/_ctm"
"$ctm" completions fish > "$fish/ctm.fish"

put share/doc/ctm README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE
python=$(command -v python3 || command -v python)
"$python" scripts/licences.py > "$folder/share/doc/ctm/THIRD-PARTY"

case "$host" in
    *-windows-*)
        archive=$name.zip
        (cd target/package && 7z a -bso0 "$archive" "$name")
        ;;
    *)
        archive=$name.tar.gz
        tar -C target/package -czf "target/package/$archive" "$name"
        ;;
esac
echo "target/package/$archive"
