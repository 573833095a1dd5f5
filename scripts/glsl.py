#!/usr/bin/env python3
"""Draws with the shaders of tests/card/glsl on a card, compiled by Mesa's driver, and compares with llvmpipe's pictures.

  scripts/glsl.py [--card CARD] [--ctm PROGRAM] [--keep FOLDER] [NAME ...]

A file says by how much pixels may differ, and how many may by more (`//// tolerance 2 16`); words of compute shaders may not differ at all. With
`--keep`, pictures and words of both are left in a folder.

Debian's packages: gcc libegl-dev libgl-dev libgl1-mesa-dri libegl1. Exit code 3: there is no compiler, no library, or no driver for the card.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "tests/card/glsl"
TIMEOUT = 300


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--card", default="gm107")
    parser.add_argument("--ctm", default=ROOT / "target/release/ctm")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder) if options.keep is None else options.keep
        folder.mkdir(parents=True, exist_ok=True)
        program = build(folder)
        if program is None:
            return 3
        card = [str(options.ctm), "card", "run", "--card", options.card, "--", str(program)]
        first = sorted(SOURCES.glob("*.glsl"))[0]
        if "NV117" not in run(card, first, folder / "first", {}) and options.card == "gm107":
            print("the driver for the card is not here", file=sys.stderr)
            return 3
        sources = [SOURCES / f"{name}.glsl" for name in options.names] or sorted(SOURCES.glob("*.glsl"))
        wrong = sum(not check(source, program, card, folder) for source in sources)
    print(f"{len(sources)} sources, {wrong} wrong")
    return 1 if wrong else 0


def build(folder):
    """The program that draws; None if it cannot be built here."""
    program = folder / "glsl"
    if shutil.which("cc") is None:
        print("there is no C compiler", file=sys.stderr)
        return None
    command = ["cc", "-O1", ROOT / "tests/card/glsl.c", "-o", program, "-lEGL", "-lGL", "-lm"]
    built = subprocess.run(command, capture_output=True, text=True)
    if built.returncode:
        print(built.stderr, file=sys.stderr)
        return None
    return program.resolve()


def run(command, source, result, variables):
    """Runs the program on a source; gives what it says."""
    try:
        ran = subprocess.run(
            [*command, source, result], env={**os.environ, **variables}, capture_output=True, text=True, timeout=TIMEOUT
        )
        return ran.stdout + ran.stderr
    except subprocess.TimeoutExpired:
        return "it takes too long"


def check(source, program, card, folder):
    """Whether both results are alike; says what is not."""
    both = [folder / f"{source.stem}.{which}" for which in ["llvmpipe", "card"]]
    said = [run([program], source, both[0], {"LIBGL_ALWAYS_SOFTWARE": "1"}), run(card, source, both[1], {})]
    for which, result, words in zip(["llvmpipe", "the card"], both, said):
        if not result.exists():
            print(f"{source.stem}: nothing from {which}: {words.strip()}")
            return False
    difference = words_differ(both) if source.stem.startswith("compute-") else pixels_differ(both, source)
    if difference:
        print(f"{source.stem}: {difference}")
    return not difference


def words_differ(files):
    """What is different about words; nothing if they are equal."""
    words = [file.read_text().split() for file in files]
    if len(set(words[0])) < 2:
        return "the words are all the same"
    wrong = [n for n, (a, b) in enumerate(zip(*words)) if a != b]
    return wrong and f"{len(wrong)} words differ, the first is {wrong[0]}: {words[1][wrong[0]]} instead of {words[0][wrong[0]]}"


def pixels_differ(files, source):
    """What is different about pictures; nothing if they are as alike as the source says."""
    line = next(line for line in source.read_text().splitlines() if line.startswith("//// tolerance"))
    tolerance, most = map(int, line.split()[2:])
    pictures = [file.read_bytes().split(b"ENDHDR\n", 1)[1] for file in files]
    pixels = [[data[n : n + 4] for n in range(0, len(data), 4)] for data in pictures]
    if len(set(pixels[0])) < 2:
        return "the picture has one colour"
    off = [max(abs(a - b) for a, b in zip(*both)) for both in zip(*pixels)]
    wrong = sum(difference > tolerance for difference in off)
    return wrong > most and f"{wrong} pixels are off by more than {tolerance}, of {most} that may; the most is {max(off)}"


if __name__ == "__main__":
    sys.exit(main())
