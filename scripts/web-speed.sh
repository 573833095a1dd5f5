#!/usr/bin/env bash
# How fast the engine of the browser page is in Chromium beside the interpreter of this host. Needs what scripts/web.sh needs; run nothing else
# meanwhile.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo run -p xtask -- web --engine-only
cargo build --release -q -p ctm-web --example speed
native=$(realpath "${CARGO_TARGET_DIR:-target}/release/examples/speed")
cd web
[ -d node_modules ] || npm ci --no-audit --no-fund
NATIVE=$native CHROMIUM=$(command -v chromium) node bench/speed.mjs
