#!/usr/bin/env bash
# Checks licences, sources and advisories of all dependencies, as deny.toml says. Exit code 3: cargo-deny is not here. Without a
# connection to the advisories' database: scripts/dependencies.sh bans licenses sources
set -euo pipefail
cd "$(dirname "$0")/.."

if ! cargo deny --version >/dev/null 2>&1; then
    echo "there is no cargo-deny: cargo install cargo-deny --locked" >&2
    exit 3
fi
cargo deny --locked check "$@"
