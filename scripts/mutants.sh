#!/usr/bin/env bash
# Changes code in small ways, one at a time, and lists the changes that no test of the crate notices (cargo-mutants). Exit code 2: there are such;
# 3: cargo-mutants is not here.
#
#   scripts/mutants.sh                          the crates below, hours on few cores
#   scripts/mutants.sh text follow              crates by their folders
#   scripts/mutants.sh lane -- --shard 1/20     with options of cargo-mutants: a twentieth; --file and --re choose places
#
# Each mutant that is listed gets a test, or a line with the reason why none can notice it in .cargo/mutants.toml.
set -uo pipefail
cd "$(dirname "$0")/.."

if ! cargo mutants --version >/dev/null 2>&1; then
    echo "there is no cargo-mutants: cargo install cargo-mutants --locked" >&2
    exit 3
fi

crates=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    crates+=("$1")
    shift
done
if [ $# -gt 0 ]; then shift; fi
if [ ${#crates[@]} = 0 ]; then crates=(bits text follow card array object debug memory num lane); fi

failed=0
for crate in "${crates[@]}"; do
    printf '\n== %s\n' "$crate"
    cargo mutants --package "ctm-$crate" --output "target/mutants/$crate" "$@" || failed=$?
done
exit $failed
