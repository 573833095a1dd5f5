#!/usr/bin/env bash
# AddressSanitizer over the tests of the engine (interpreter) and of machine code, those of the C interface, and its example
# clients, which are compiled with it too. docs/security.md says what that covers and how long it takes.
#
# Exit code 3: there is no nightly toolchain, and rustup cannot install one. Sanitizers are not in stable toolchains.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! cargo +nightly --version >/dev/null 2>&1 && ! rustup toolchain install nightly --profile minimal; then
    echo "scripts/asan.sh: rustup cannot install a nightly toolchain, which AddressSanitizer needs; NOTHING WAS TESTED" >&2
    exit 3
fi

# Naming the target keeps build scripts and procedural macros without the sanitizer.
target=x86_64-unknown-linux-gnu
export CARGO_TARGET_DIR=target/asan
export RUSTFLAGS=-Zsanitizer=address
# The tests of faults want SIGSEGV as the system sends it.
export ASAN_OPTIONS=handle_segv=0
sanitized() { cargo +nightly test --target "$target" "$@"; }

# One command: what the packages share has the same features then, and is compiled once. Of the C interface, other tests than
# `calls` want libraries without the sanitizer.
sanitized -p ctm-engine -p ctm-codegen -p ctm-capi --lib --test launch --test all --test calls
# The libraries that the clients are linked with are made for these tests, and lie beside them.
libraries=$PWD/$CARGO_TARGET_DIR/$target/debug/deps
clients=$(mktemp -d)
trap 'rm -r "$clients"' EXIT
make -C examples/c OUT="$clients" LIBDIR="$libraries" CFLAGS="-g -O1 -fsanitize=address" CXXFLAGS="-g -O1 -fsanitize=address"

printf '\n== AddressSanitizer: nothing found\n'
