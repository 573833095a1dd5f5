#!/usr/bin/env bash
# How fast the engine of the browser page is beside the interpreter of this host. Needs what scripts/web.sh needs; run nothing else meanwhile.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo run -p xtask -- web --engine-only
native=$(mktemp)
trap 'rm -f "$native"' EXIT
cargo run --release -q -p ctm-web --example speed > "$native"
NATIVE=$native node web/bench/speed.mjs
