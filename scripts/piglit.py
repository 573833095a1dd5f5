#!/usr/bin/env python3
"""Runs tests of piglit on the card, and compares with what they give on hardware.

  scripts/piglit.py [--card CARD] [--ctm PROGRAM] [--mesa FOLDER] [--jobs N] [--timeout SECONDS] [--minutes N] [LIST]

A line of LIST (that of the card below tests/card if left out) is what hardware gives, and the name of a test: `pass NAME`, or `fail NAME`
for one that real cards fail too, which may pass or fail here, and must end by itself. `--mesa` takes your own build of Mesa. With `--minutes`, tests are chosen at random, again
and again for so long, and it is said how much memory of the host they leave in use.

Debian's packages: piglit libgl1-mesa-dri libegl1 libgbm1. Exit code 3: piglit is not here.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
NODE = "/dev/dri/renderD128"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list", nargs="?", type=pathlib.Path)
    parser.add_argument("--card", default="rv515")
    parser.add_argument("--ctm", default=ROOT / "target/release/ctm")
    parser.add_argument("--mesa", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--minutes", type=float)
    options = parser.parse_args()

    home = next(pathlib.Path("/usr/lib").glob("*/piglit/bin"), None)
    if home is None:
        print("there is no piglit: apt-get install piglit", file=sys.stderr)
        return 3
    own = ROOT / "tests/card" / options.card / "piglit.txt"
    expected = read_list(options.list or (own if own.exists() else ROOT / "tests/card/piglit.txt"))
    commands = read_commands()
    unknown = [name for name in expected if name not in commands]
    for name in unknown:
        print(f"unknown: {name}")

    def run(name):
        return name, run_test(home.parent, commands[name], options)

    known = [name for name in expected if name in commands]
    names = known if options.minutes is None else random_names(known, options.minutes)
    before = memory_in_use()
    count, wrong = len(unknown), len(unknown)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for name, found in run_all(pool, run, names, options.jobs):
            count += 1
            good = found == "pass" or (found == "fail" and expected[name] == "fail")
            if not good:
                wrong += 1
                print(f"{found}: {name}")
    print(f"piglit on {options.card}: {count - wrong} of {count} tests as on hardware")
    if options.minutes is not None:
        after = memory_in_use()
        print(f"memory in use: {before[0]} KiB before, {after[0]} after; shared memory: {before[1]} before, {after[1]} after")
    return 1 if wrong else 0


def random_names(names, minutes):
    """Names chosen at random, until the time is up."""
    end = time.monotonic() + 60 * minutes
    while time.monotonic() < end:
        yield random.choice(names)


def run_all(pool, run, names, jobs):
    """The results of tests as they end, a few of which are on their way at a time."""
    waiting = set()
    for name in names:
        waiting.add(pool.submit(run, name))
        if len(waiting) >= 2 * jobs:
            done, waiting = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
            yield from (test.result() for test in done)
    yield from (test.result() for test in concurrent.futures.as_completed(waiting))


def memory_in_use():
    """KiB of the host's memory that are in use, and those of them that are shared memory."""
    fields = dict(line.split(":") for line in open("/proc/meminfo"))
    kib = {name: int(value.split()[0]) for name, value in fields.items()}
    return kib["MemTotal"] - kib["MemAvailable"], kib["Shmem"]


def read_list(path):
    """What hardware gives, by names of tests."""
    lines = [line.rstrip("\n") for line in open(path) if line.strip() and not line.startswith("#")]
    expected = {}
    for line in lines:
        result, _, name = line.partition(" ")
        if result not in ("pass", "fail") or not name:
            sys.exit(f"{path}: neither `pass NAME` nor `fail NAME`: {line}")
        expected[name] = result
    return expected


def read_commands():
    """The command of each test, by name."""
    commands = {}
    for profile in ("quick_gl", "quick_shader"):
        arguments = ["piglit", "print-cmd", "--format", "{name}\t{command}", profile]
        printed = subprocess.run(arguments, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for line in printed.stdout.splitlines():
            name, _, command = line.partition("\t")
            commands[name] = shlex.split(command)
    return commands


def run_test(home, command, options):
    """What a test gives: pass, fail, skip, crash or timeout."""
    test = [home / "bin" / os.path.basename(command[0]), *command[1:]]
    environment = dict(
        os.environ,
        LD_LIBRARY_PATH=os.pathsep.join(filter(None, [os.environ.get("LD_LIBRARY_PATH"), str(home / "lib")])),
        MESA_SHADER_CACHE_DISABLE="true",
        PIGLIT_PLATFORM="gbm",
        PIGLIT_SOURCE_DIR=str(home),
        WAFFLE_GBM_DEVICE=NODE,
    )
    mesa = ["--mesa", options.mesa] if options.mesa else []
    card = [options.ctm, "card", "run", "--card", options.card, *mesa, "--", *test]
    try:
        done = subprocess.run(
            card, cwd=home, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=options.timeout
        )
    except subprocess.TimeoutExpired:
        return "timeout"
    result, parts = "crash", []
    for line in done.stdout.decode(errors="replace").splitlines():
        if line.startswith("PIGLIT: {"):
            reported = json.loads(line.removeprefix("PIGLIT: "))
            result = reported.get("result", result)
            parts += reported.get("subtest", {}).values()
    if done.returncode not in (0, 1):
        return "crash"
    if result in ("pass", "warn") and "fail" not in parts:
        return "pass"
    return "fail" if result == "warn" else result


if __name__ == "__main__":
    sys.exit(main())
