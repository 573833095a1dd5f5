#!/usr/bin/env bash
# Builds what is handed out, in target/package: an archive with the program, its manual pages and completions, the library with
# the card, libctm with its headers, and the licences, laid out as below /usr/local. CARGO_PROFILE chooses another profile than `dist`.
set -euo pipefail
cd "$(dirname "$0")/.."

profile=${CARGO_PROFILE:-dist}
id=$(cargo pkgid -p ctm-cli)
name=ctm-${id##*[@#]}-$(rustc --print host-tuple)
built=${CARGO_TARGET_DIR:-target}/$profile
folder=target/package/$name

# Together, so that what both use is built once.
cargo build --locked --profile "$profile" -p ctm-cli -p ctm-capi -p ctm-drm

rm -rf "$folder"
install -Dm755 -t "$folder/bin" "$built/ctm"
install -Dm644 -t "$folder/include/ctm" crates/capi/include/*.h
install -Dm755 -t "$folder/lib" "$built/libctm.so" "$built/libctm_drm.so"
install -Dm644 -t "$folder/lib" "$built/libctm.a"
mkdir -p "$folder/lib/pkgconfig"
# The archive may be unpacked anywhere.
sed "s|@PREFIX@|\${pcfiledir}/../..|; s|@VERSION@|${id##*[@#]}|" crates/capi/ctm.pc.in > "$folder/lib/pkgconfig/ctm.pc"

ctm=$folder/bin/ctm
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

install -Dm644 -t "$folder/share/doc/ctm" README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE
scripts/licences.py > "$folder/share/doc/ctm/THIRD-PARTY"

tar -C target/package -czf "target/package/$name.tar.gz" "$name"
echo "target/package/$name.tar.gz"
