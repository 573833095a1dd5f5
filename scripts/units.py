#!/usr/bin/env python3
"""Checks that packages share what they have compiled: that no dependency has other features when one package is built than when all are.

Cargo compiles a package once for each set of its features, and again whatever depends on it. crates/features asks for all features of what would
differ, so every package depends on it. This builds nothing.
"""

import json
import re
import subprocess
import sys

# What is handed out. It is built without the dependencies of tests.
PRODUCTS = ["ctm-cli", "ctm-capi", "ctm-drm", "ctm-python"]
# Their benchmarks and tools bring dependencies that nothing else has; the page leaves out what is too large for it, and is built for another target.
OTHERS = {"ctm-device", "ctm-web", "xtask"}


def cargo(*arguments):
    done = subprocess.run(["cargo", *arguments], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"units.py: cargo {arguments[0]} failed (above)")
    return done.stdout


def units(edges, selection):
    """The packages that this selection builds, each with its features."""
    lines = cargo("tree", "--locked", "-e", edges, "--prefix", "none", "--no-dedupe", "-f", "{p} [{f}]", *selection)
    return {re.sub(r" \(.*?\)", "", line) for line in lines.splitlines() if " [" in line}


def selected(packages):
    return [argument for package in packages for argument in ("-p", package)]


def main():
    members = [package["name"] for package in json.loads(cargo("metadata", "--no-deps", "--format-version", "1"))["packages"]]
    comparisons = [
        ("normal,build", PRODUCTS, selected(PRODUCTS), "cargo build -p {}"),
        ("normal,build,dev", [name for name in members if name not in OTHERS], ["--workspace"], "cargo test -p {}"),
    ]
    failed = False
    for edges, packages, everything, command in comparisons:
        shared = units(edges, everything)
        for package in packages:
            for unit in sorted(units(edges, ["-p", package]) - shared):
                failed = True
                wanted = sorted(other for other in shared if other.split(" [")[0] == unit.split(" [")[0])
                print(f"{command.format(package)} compiles {unit}; all packages together: {', '.join(wanted)}")
    if failed:
        sys.exit("units.py: name the missing features in crates/features/Cargo.toml, and let the package depend on ctm-features")
    print("units.py: every package shares what all have compiled")


if __name__ == "__main__":
    main()
