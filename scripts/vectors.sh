#!/usr/bin/env bash
# Vector code is compiled with the host's vectors: no operation of AVX, AVX2 or AVX-512 is a function that is called.
# scripts/vectors.sh [LIBRARY ..]; otherwise libctm_drm.so of target/release. Exits with 3 where that cannot be told.
#
# An operation is only inlined into functions that have its target feature. A closure that the compiler does not inline has none, and then calls a
# function for each operation, with operands in memory: all is right, and several times slower.
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$#" -gt 0 ] || set -- "${CARGO_TARGET_DIR:-target}/release/libctm_drm.so"
[ "$(uname -m)" = x86_64 ] || { echo "vectors.sh: only of x86-64 is it known which functions these are"; exit 3; }
for library in "$@"; do
    symbols=$(nm --demangle "$library") || { echo "vectors.sh: $library has no symbols that nm reads: build it with --release"; exit 3; }
    if called=$(grep -E 'core_arch::x86::.*::_mm(256|512)_' <<<"$symbols"); then
        echo "vectors.sh: $library calls functions for operations on vectors; who calls them is a closure, or not inline(always):" >&2
        sed 's/^[0-9a-f]* . /    /' <<<"$called" | sort | uniq -c | sort -rn | head -20 >&2
        exit 1
    fi
done
