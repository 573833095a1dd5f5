#!/usr/bin/env bash
# Checks the workspace with the oldest compiler that Cargo.toml names. Exit code 3: it cannot be had here.
set -euo pipefail
cd "$(dirname "$0")/.."

version=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
rustup toolchain install "$version" --profile minimal || exit 3
cargo "+$version" check --locked --workspace
