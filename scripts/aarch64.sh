#!/usr/bin/env bash
# Runs the tests of number rules, lane IR, interpreter and references as aarch64 programs, under qemu's emulation of a process.
# Debian's packages: qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross. Exit code 3: they are not here.
set -euo pipefail
cd "$(dirname "$0")/.."

target=aarch64-unknown-linux-gnu
sysroot=/usr/aarch64-linux-gnu
for program in qemu-aarch64 aarch64-linux-gnu-gcc; do
    if ! command -v "$program" >/dev/null; then
        echo "there is no $program: apt-get install qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross" >&2
        exit 3
    fi
done
rustup target add "$target" || exit 3

export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
# qemu keeps a note of each page, also of those in guard regions. With fewer addresses these are a page wide.
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="prlimit --as=$((12 << 30)) qemu-aarch64 -L $sysroot"
cargo test --target "$target" -p ctm-num -p ctm-lane -p ctm-engine --lib --tests
cargo test --target "$target" -p ctm-gpu --lib --examples
# The same programs and results on each machine, by reference and interpreter.
cargo test --target "$target" -p ctm-testkit --test all filetests::
