#!/usr/bin/env bash
# Unpacks an archive of scripts/package.sh into an empty folder, and starts what is in it there: the program, and with a C compiler a client of each libctm.
#
#   scripts/started.sh ARCHIVE
set -euo pipefail
archive=$(realpath "${1:?an archive of scripts/package.sh}")
root=$(realpath "$(dirname "$0")/..")

empty=$(mktemp -d)
trap 'rm -rf "$empty"' EXIT
cd "$empty"
case "$archive" in
    *.zip) unzip -q "$archive" ;;
    *) tar -xzf "$archive" ;;
esac
folder=$(echo ctm-*)
cp "$root/examples/mandelbrot.x1k" .

ctm=$folder/bin/ctm
"$ctm" --version
"$ctm" run mandelbrot.x1k --domain 64x64 -o picture.png
[ "$(head -c 4 picture.png | tail -c 3)" = PNG ]
for page in ctm ctm-run ctm-card-run; do
    grep -q '^\.TH' "$folder/share/man/man1/$page.1"
done
for file in share/bash-completion/completions/ctm share/zsh/site-functions/_ctm share/fish/vendor_completions.d/ctm.fish share/doc/ctm/THIRD-PARTY; do
    [ -s "$folder/$file" ]
done

if command -v cc >/dev/null 2>&1 && [ -e "$folder/lib/libctm.a" ]; then
    for static in "" 1; do
        make --silent -C "$root/examples/c" ROOT="$root" LIBDIR="$empty/$folder/lib" INCLUDE="$empty/$folder/include/ctm" OUT="$empty/clients$static" STATIC="$static" run
    done
fi
echo "started: $(basename "$archive")"
