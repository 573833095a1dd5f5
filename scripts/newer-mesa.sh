#!/usr/bin/env bash
# A newer Mesa than this machine's: a root folder of a newer Debian, in which programs draw on the cards.
#
#   scripts/newer-mesa.sh make FOLDER [SUITE]       makes it: SUITE is trixie (Mesa 25.0) or sid (the newest, the default); 1 GB, some minutes
#   scripts/newer-mesa.sh run FOLDER COMMAND...     runs a command in it; the project is at /srv/ctm there, which is where the command starts
#   scripts/newer-mesa.sh check FOLDER              draws tests/card/scenes.c, samples of piglit and glmark2's own checks on the cards
#
# `check` compares the scenes with what this machine's Mesa draws on the same card, bit for bit, and piglit's results with its lists.
#
# Needs to be root, and Debian's packages debootstrap, gcc, libegl-dev and libgl-dev. Exit code 3: something of these is not here.
set -euo pipefail
project=$(cd "$(dirname "$0")/.." && pwd)

# What programs, piglit and glmark2 need in the root folder.
packages=libgl1-mesa-dri,libegl1,libegl-mesa0,libgbm1,libgl1,libglx-mesa0,piglit,glmark2-x11,glmark2-es2-x11,xvfb,xauth,python3-minimal
cards=(rv515 rv530 r580 rv770 gm107)

usage() {
    sed -n '2,10p' "$0" | cut -c3-
    exit 2
}

missing() {
    echo "$1" >&2
    exit 3
}

make_root() {
    local folder=$1 suite=${2:-sid} mirror
    [ "$(id -u)" = 0 ] || missing "root folders are made by root: use sudo"
    command -v debootstrap >/dev/null || missing "there is no debootstrap: apt-get install debootstrap"
    mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | grep -oE 'https?://[^ ]+/debian/?( |$)' | head -1 | tr -d ' ' || true)
    debootstrap --variant=minbase --include="$packages" "$suite" "$folder" "${mirror:-https://deb.debian.org/debian}"
    mkdir -p "$folder/srv/ctm"
}

# Runs a command in the folder; its mounts are gone with it.
run_in() {
    local folder=$1
    shift
    [ -d "$folder/srv/ctm" ] || missing "there is no root folder at $folder: make it with '$0 make $folder'"
    unshare --mount bash -c '
        mount -t proc proc "$1/proc"
        mount --rbind /dev "$1/dev"
        mount --bind "$2" "$1/srv/ctm"
        folder=$1
        shift 2
        exec chroot "$folder" /usr/bin/env -i -C /srv/ctm PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 "$@"
    ' run "$folder" "$project" "$@"
}

check() {
    local folder=$1 work=target/newer-mesa wrong=0 names half
    [ -x target/release/ctm ] && [ -e target/release/libctm_drm.so ] || missing "build first: cargo build --release -p ctm-cli -p ctm-drm"
    mkdir -p "$work"
    cc -O1 tests/card/scenes.c -o "$work/scenes" -lEGL -lGL -lm
    run_in "$folder" dpkg-query -W libgl1-mesa-dri
    names=$(grep -oE '\{"[a-z]+", [a-z]+, [0-9]+\}' tests/card/scenes.c | cut -d'"' -f2)
    for card in "${cards[@]}"; do
        for scene in $names; do
            # The first cards have no geometry shaders.
            [[ $scene = grass && $card =~ ^(rv515|rv530|r580)$ ]] && continue
            target/release/ctm card run --card "$card" -- "$work/scenes" "$scene" "$work/here.pam"
            run_in "$folder" target/release/ctm card run --card "$card" -- "$work/scenes" "$scene" "$work/newer.pam"
            if ! cmp -s "$work/here.pam" "$work/newer.pam"; then
                echo "$scene on $card: another picture"
                wrong=1
            fi
        done
    done
    # Tests that need what a version does not offer are skipped.
    half=$((($(nproc) + 1) / 2))
    { run_in "$folder" scripts/piglit.py --jobs "$half" || true; } >"$work/rv515.txt" &
    { run_in "$folder" scripts/piglit.py --jobs "$half" --card rv770 || true; } >"$work/rv770.txt"
    wait
    { run_in "$folder" scripts/piglit.py --card gm107 || true; } >"$work/gm107.txt"
    for card in rv515 rv770 gm107; do
        cat "$work/$card.txt"
        grep -q '^piglit on' "$work/$card.txt" || wrong=1
        ! grep -qvE '^(skip:|piglit on)' "$work/$card.txt" || wrong=1
    done
    # Windows, by GLX and by EGL.
    for card in r580 rv770 gm107; do
        for program in glmark2 glmark2-es2; do
            run_in "$folder" xvfb-run -a target/release/ctm card run --require --card "$card" -- "$program" --validate \
                >"$work/glmark2.txt" 2>&1 || wrong=1
            echo "$program on $card: $(grep -c 'Validation: Success' "$work/glmark2.txt" || true) checks passed"
            # Mesa encodes 2^-7 wrongly for the first card: docs/mesa-bugs.md.
            local known=none
            [ "$card" != r580 ] || known='[conditionals] fragment-steps=5:vertex-steps=0: Validation: Failure'
            ! grep -E 'Validation: Failure|MESA: error' "$work/glmark2.txt" | grep -vF "$known" || wrong=1
            grep -q 'Validation: Success' "$work/glmark2.txt" || wrong=1
        done
    done
    return "$wrong"
}

[ $# -ge 2 ] || usage
cd "$project"
command=$1 folder=$(realpath -m "$2")
shift 2
case $command in
make) make_root "$folder" "$@" ;;
run) run_in "$folder" "$@" ;;
check) check "$folder" ;;
*) usage ;;
esac
