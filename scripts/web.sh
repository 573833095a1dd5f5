#!/usr/bin/env bash
# Builds the browser page, and tests it: its engine against the native one, and the page in headless Chromium. Exit code 3: the target of
# WebAssembly, Node.js 20 or Chromium cannot be had here.
set -euo pipefail
cd "$(dirname "$0")/.."

rustup target add wasm32-unknown-unknown || exit 3
is_new_node() { node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 20 ? 0 : 1)' 2>/dev/null; }
if ! is_new_node; then
    apt-get update -qq && apt-get install -y -qq --no-install-recommends nodejs npm || exit 3
    is_new_node || exit 3
fi
if ! command -v chromium >/dev/null 2>&1; then
    apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium || exit 3
fi
(cd web && npm ci --no-audit --no-fund) || exit 3

# One command, with the profile of the tests and all packages: what the parts share is what `cargo test --workspace` has compiled.
cargo build --workspace --profile test --bin xtask --example pictures --example device_trace
built=${CARGO_TARGET_DIR:-target}/debug
"$built/xtask" web
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
"$built/examples/pictures" > "$made/native.json"
"$built/examples/device_trace" > "$made/device.ctmtrace"
(cd web && NATIVE=$made/native.json DEVICE_TRACE=$made/device.ctmtrace CHROMIUM=$(command -v chromium) npm test)
