#!/usr/bin/env bash
# Checks that what is handed out compiles for other hosts: Windows, macOS, and Linux on aarch64. Exit code 3: no standard library
# of them can be had here.
#
#   scripts/targets.sh [TARGET...]
set -euo pipefail
cd "$(dirname "$0")/.."

targets=("$@")
if [ ${#targets[@]} = 0 ]; then
    targets=(x86_64-pc-windows-gnu aarch64-apple-darwin aarch64-unknown-linux-gnu)
fi
rustup target add "${targets[@]}" || exit 3
# One command, so that build scripts and macros are compiled once.
options=()
for target in "${targets[@]}"; do options+=(--target "$target"); done
# The Python package needs no Python of the target: it uses the interface that all versions from 3.10 on have.
RUSTFLAGS="-D warnings" PYO3_NO_PYTHON=1 cargo check "${options[@]}" -p ctm-cli -p ctm-capi -p ctm-gpu -p ctm-python
