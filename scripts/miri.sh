#!/usr/bin/env bash
# Miri over the crates at the bottom: undefined behaviour, under stacked borrows. docs/security.md says what that covers and
# how long it takes.
#
#   scripts/miri.sh            all of it
#   scripts/miri.sh bits       one part, by its name in the table
#
# Not among the parts, since their tests have not been run under Miri to the end: `lane`, `object`, the reference engines
# (`x1k`, `r700`, `sm50`), and `memory` under tree borrows.
#
# What Miri does not see: machine code and the handler of faults; guard regions, since arenas and pages are plain mappings
# under it; files of the host are read as they are (isolation is off, since tests read the corpus).
set -uo pipefail
cd "$(dirname "$0")/.."

if ! rustup component add --toolchain nightly miri rust-src >/dev/null 2>&1 &&
    ! rustup toolchain install nightly --profile minimal --component miri --component rust-src; then
    echo "scripts/miri.sh: rustup cannot install a nightly toolchain with miri" >&2
    exit 2
fi

# Name, arguments for `cargo miri test`.
parts=(
    "num|-p ctm-num"
    "memory|-p ctm-memory"
    "bits|-p ctm-bits"
    "text|-p ctm-text"
)

TIMEFORMAT='%0R s, of that %0U s of processor time'
exec 3>&1
summary=() failed=0 found=0
for part in "${parts[@]}"; do
    IFS='|' read -r name arguments <<<"$part"
    if [ $# -gt 0 ] && [ "$1" != "$name" ]; then continue; fi
    found=1
    printf '\n== %s\n' "$name"
    # What cargo prints goes to the terminal, and what `time` prints is kept.
    # shellcheck disable=SC2086 # the arguments are words
    if taken=$({ time MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test $arguments >&3 2>&3; } 2>&1); then
        verdict=passed
    else
        verdict=FAILED failed=1
    fi
    summary+=("$(printf '%-12s %-7s %s' "$name" "$verdict" "$taken")")
done
if [ $found = 0 ]; then
    echo "scripts/miri.sh: there is no part '$1'" >&2
    exit 2
fi

printf '\n== Miri: %s\n' "$([ $failed = 0 ] && echo "no undefined behaviour" || echo "FAILED")"
printf '%s\n' "${summary[@]}"
exit $failed
