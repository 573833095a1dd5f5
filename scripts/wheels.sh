#!/usr/bin/env bash
# Builds the wheels of the Python package for Linux on x86-64 and aarch64, for every Python from 3.10 on, and for systems with glibc 2.17 and later. Exit code 3:
# Python or its packages cannot be had here.
#
#   scripts/wheels.sh [FOLDER]
#
# Wheels of macOS and Windows are built there: pip wheel ./crates/python
set -euo pipefail
folder=$(realpath -m "${1:-target/wheels}")
cd "$(dirname "$0")/.."

targets=(x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu)
rustup target add "${targets[@]}" || exit 3
environment=$(mktemp -d)
trap 'rm -rf "$environment"' EXIT
python3 -m venv "$environment" || exit 3
# Zig brings a linker and the C libraries of all targets.
"$environment/bin/python" -m pip --quiet --disable-pip-version-check install "maturin[zig]>=1.9,<2" || exit 3

for target in "${targets[@]}"; do
    PATH="$environment/bin:$PATH" maturin build --release --zig --target "$target" --compatibility manylinux2014 \
        --manifest-path crates/python/Cargo.toml --out "$folder"
done
for machine in x86_64 aarch64; do
    compgen -G "$folder/ctm_gpu-*-cp310-abi3-manylinux*_$machine.whl" >/dev/null
done
ls -l "$folder"
