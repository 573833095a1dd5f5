#!/usr/bin/env bash
# Miri over the crates at the bottom and the reference engines: undefined behaviour, under stacked or tree borrows. docs/security.md says what that covers and
# how long it takes.
#
#   scripts/miri.sh            all of it
#   scripts/miri.sh bits       one part, by its name in the table
#
# X1K's reference runs on several threads in its tests, which are rayon's. Their queues come from crossbeam-epoch, which breaks
# the rules of stacked borrows (as is known there) and keeps memory to the end: that part runs under tree borrows, and its leaks
# are not reported.
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

# Name, model of aliasing, arguments for `cargo miri test`.
parts=(
    "num|stacked|-p ctm-num"
    "memory|stacked|-p ctm-memory"
    "memory-tree|tree|-p ctm-memory"
    "bits|stacked|-p ctm-bits"
    "text|stacked|-p ctm-text"
    "lane|stacked|-p ctm-lane"
    "object|stacked|-p ctm-object"
    "x1k|threads|-p ctm-x1k --test all -- reference_run:: reference_conditional::"
    "r700|stacked|-p ctm-r700 --test all -- reference_"
    "sm50|stacked|-p ctm-sm50 --test all -- semantics:: attributes:: pipeline::"
)
declare -A flags=([stacked]="" [tree]="-Zmiri-tree-borrows" [threads]="-Zmiri-tree-borrows -Zmiri-ignore-leaks")

TIMEFORMAT='%0R s, of that %0U s of processor time'
exec 3>&1
summary=() failed=0 found=0
for part in "${parts[@]}"; do
    IFS='|' read -r name model arguments <<<"$part"
    if [ $# -gt 0 ] && [ "$1" != "$name" ]; then continue; fi
    found=1
    printf '\n== %s\n' "$name"
    # What cargo prints goes to the terminal, and what `time` prints is kept.
    # shellcheck disable=SC2086 # the arguments are words
    if taken=$({ time MIRIFLAGS="-Zmiri-disable-isolation ${flags[$model]}" cargo +nightly miri test $arguments >&3 2>&3; } 2>&1); then
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
