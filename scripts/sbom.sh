#!/usr/bin/env bash
# Writes a software bill of materials (CycloneDX, JSON) of what is handed out into target/package. Exit code 3: cargo-cyclonedx is
# not here.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! cargo cyclonedx --version >/dev/null 2>&1; then
    echo "there is no cargo-cyclonedx: cargo install cargo-cyclonedx --locked" >&2
    exit 3
fi
mkdir -p target/package
for package in cli capi drm; do
    cargo cyclonedx --manifest-path "crates/$package/Cargo.toml" --format json --override-filename bom
    # It writes one beside the manifest of every member.
    mv "crates/$package/bom.json" "target/package/ctm-$package.cdx.json"
    find crates -name bom.json -delete
done
ls target/package/*.cdx.json
