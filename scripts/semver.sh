#!/usr/bin/env bash
# Compares the public interface of the library for users, ctm-gpu, with that of the last release, a tag v*. Exit code 3:
# cargo-semver-checks is not here.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! cargo semver-checks --version >/dev/null 2>&1; then
    echo "there is no cargo-semver-checks: cargo install cargo-semver-checks --locked" >&2
    exit 3
fi
baseline=$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null || true)
if [ -z "$baseline" ]; then
    echo "SKIPPED: no release to compare with: there is no tag v*"
    exit 0
fi
cargo semver-checks --package ctm-gpu --baseline-rev "$baseline"
