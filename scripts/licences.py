#!/usr/bin/env python3
"""Prints the licences of the libraries that are linked into what is handed out, and each text of them once."""

import json
import pathlib
import subprocess

SHIPPED = ["ctm-cli", "ctm-capi", "ctm-drm"]
# Files with the texts of licences.
PATTERNS = ["LICEN[CS]E*", "COPYING*", "NOTICE*", "UNLICENSE*"]


def cargo(*arguments):
    return subprocess.run(["cargo", *arguments], check=True, capture_output=True, text=True).stdout


def main():
    host = subprocess.run(["rustc", "--print", "host-tuple"], check=True, capture_output=True, text=True).stdout.strip()
    metadata = json.loads(cargo("metadata", "--locked", "--format-version", "1", "--filter-platform", host))
    packages = {(package["name"], package["version"]): package for package in metadata["packages"]}
    options = [option for name in SHIPPED for option in ("-p", name)]
    tree = cargo("tree", "--locked", "--target", host, "--edges", "normal", "--prefix", "none", "--format", "{p}", *options)
    linked = sorted({tuple(line.split()[:2]) for line in tree.splitlines() if line})
    users = {}
    for name, version in linked:
        package = packages[name, version.removeprefix("v")]
        if package["source"] is None:
            continue
        print(f"{name} {version}: {package['license']}; {package['repository'] or ''}")
        folder = pathlib.Path(package["manifest_path"]).parent
        paths = [path for pattern in PATTERNS for path in sorted(folder.glob(pattern)) if path.is_file()]
        for path in paths:
            users.setdefault(path.read_text(errors="replace").strip(), set()).add(name)
        if not paths:
            print(f"    (no text in its package; by {', '.join(package['authors']) or 'its authors'})")
    for text, names in users.items():
        print(f"\n{'=' * 80}\n{', '.join(sorted(names))}\n{'=' * 80}\n\n{text}")


main()
