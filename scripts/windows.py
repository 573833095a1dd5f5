#!/usr/bin/env python3
"""Draws in windows of X and Wayland on the cards, and compares what the server shows with what Mesa's software renderer shows.

  scripts/windows.py [--ctm PROGRAM] [--timeout SECONDS]

Programs of piglit draw one picture each, through GLX and through EGL, on a server with shared memory (MIT-SHM) and on one without, as do
tests/card/windows.c, which has several windows, one of them resized and one without a back buffer, and tests/card/pixmap.c, which draws a
pixmap of X (GLX_EXT_texture_from_pixmap); then through Wayland, on a compositor (weston) that draws on a card itself, in a window of the
server, and through an X server that the compositor has for its clients (Xwayland), which draws on the card, too. tests/card/gbm.c draws to a surface of GBM.
A program that draws without the card has to be an error under `ctm card run --require`, and one that draws to a pixmap of X, which the server
does not get (tests/card/drawn.c), has to be told.

Debian's packages: xvfb weston xwayland piglit gcc libx11-dev libgl-dev libegl-dev libgbm-dev libgl1-mesa-dri libegl1 libglx-mesa0. Exit code 3: the server, the compositor or piglit is
not here.
"""

import argparse
import contextlib
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
CARDS = ["r580", "rv770", "gm107"]
# How programs ask for a window.
PLATFORMS = ["glx", "x11_egl"]
PROGRAMS = ["fp-lit-mask", "blendsquare"]
# Programs of tests/card, which use GLX.
CLIENTS = ["windows", "pixmap"]
# Steps of a channel by which the same colours may differ.
TOLERANCE = 2
# Looks at the screen, one every half second, after which a picture that does not change is the whole one: as nobody knows better, or though
# another is expected.
UNCHANGED, UNEXPECTED = 4, 30


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ctm", type=pathlib.Path, default=ROOT / "target/release/ctm")
    parser.add_argument("--timeout", type=float, default=60)
    options = parser.parse_args()

    home = next(pathlib.Path("/usr/lib").glob("*/piglit/bin"), None)
    if home is None or any(shutil.which(server) is None for server in ["Xvfb", "weston", "Xwayland"]):
        print("piglit, Xvfb, weston or Xwayland is missing: apt-get install piglit xvfb weston xwayland", file=sys.stderr)
        return 3
    folder = pathlib.Path(tempfile.mkdtemp())
    clients = [built(folder, name, ["X11", "GL"]) for name in CLIENTS]
    wrong = count = 0
    for extensions in [[], ["-extension", "MIT-SHM"]]:
        with server(extensions) as (display, screen):
            for program in [*(home / program for program in PROGRAMS), *clients]:
                software = {"LIBGL_ALWAYS_SOFTWARE": "1"}
                expected = picture([program], {**display, "PIGLIT_PLATFORM": "glx", **software}, screen, options)
                for platform in PLATFORMS if program not in clients else ["glx"]:
                    for card in CARDS:
                        command = [options.ctm, "card", "run", "--require", "--card", card, "--", program]
                        found = picture(command, {**display, "PIGLIT_PLATFORM": platform}, screen, options, expected)
                        count += 1
                        if not is_like(found, expected):
                            wrong += 1
                            print(f"another picture: {program.name} on {card} by {platform}, server options {extensions}")
            if not extensions:
                count += 1
                wrong += 0 if refuses_software(home, display, options) else 1
                drawn = built(folder, "drawn", ["X11", "GL"])
                for card in CARDS:
                    count += 1
                    wrong += 0 if says_what_is_lost(drawn, card, display, options) else 1
                    with compositor(display, card, options) as (wayland, _):
                        for program in PROGRAMS:
                            variables = {**wayland, "PIGLIT_PLATFORM": "wayland"}
                            software = {**variables, "LIBGL_ALWAYS_SOFTWARE": "1"}
                            expected = picture([home / program], software, screen, options)
                            command = [options.ctm, "card", "run", "--require", "--card", card, "--", home / program]
                            count += 1
                            if not is_like(picture(command, variables, screen, options, expected), expected):
                                wrong += 1
                                print(f"another picture: {program} on {card} by Wayland")
                    count += 1
                    expected = through_xwayland(home, display, screen, card, options)
                    if not is_like(through_xwayland(home, display, screen, card, options, expected), expected):
                        wrong += 1
                        print(f"another picture: {PROGRAMS[0]} on {card} by Xwayland")
    for card in CARDS:
        count += 1
        if not draws_by_gbm(folder, card, options):
            wrong += 1
            print(f"another picture: a surface of GBM on {card}")
    shutil.rmtree(folder)
    print(f"windows: {count - wrong} of {count} as they have to be")
    return 1 if wrong else 0


def built(folder, name, libraries):
    """A program of tests/card."""
    program = folder / name
    options = [f"-l{library}" for library in libraries]
    subprocess.run(["cc", "-O1", ROOT / f"tests/card/{name}.c", "-o", program, *options], check=True)
    return program


def draws_by_gbm(folder, card, options):
    """Whether a surface of GBM has the picture that Mesa's software renderer draws."""
    program = built(folder, "gbm", ["gbm", "EGL", "GL"])
    pictures = [folder / name for name in ["card.pam", "software.pam"]]
    command = [options.ctm, "card", "run", "--require", "--card", card, "--", program, pictures[0]]
    runs = [subprocess.run(words, timeout=options.timeout).returncode for words in [command, [program, pictures[1], "software"]]]
    return runs == [0, 0] and is_like(*(picture.read_bytes() for picture in pictures))


@contextlib.contextmanager
def server(extensions):
    """An X server: the environment of its clients, and the file with its screen."""
    with tempfile.TemporaryDirectory() as folder:
        read, write = os.pipe()
        size = ["-screen", "0", "640x480x24", "-fbdir", folder]
        command = ["Xvfb", "-displayfd", str(write), *size, *extensions]
        process = subprocess.Popen(command, pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        try:
            with os.fdopen(read) as numbers:
                display = numbers.readline().strip()
            yield {"DISPLAY": f":{display}"}, pathlib.Path(folder) / "Xvfb_screen0"
        finally:
            process.terminate()
            process.wait()


@contextlib.contextmanager
def compositor(display, card, options):
    """A Wayland compositor on a card, whose screen is a window of an X server, and which starts an X server of its own: the environments of both's clients."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o700)
        variables = {**display, "XDG_RUNTIME_DIR": folder}
        backend = ["--backend=x11-backend.so", "--shell=kiosk-shell.so", "--width=640", "--height=480"]
        weston = ["weston", "--no-config", *backend, "--xwayland", "--socket=wayland-ctm"]
        command = [options.ctm, "card", "run", "--require", "--card", card, "--", *weston]
        messages = pathlib.Path(folder) / "messages"
        with messages.open("w") as log:
            process = subprocess.Popen(command, env={**os.environ, **variables}, stdout=subprocess.DEVNULL, stderr=log)
        try:
            socket = pathlib.Path(folder) / "wayland-ctm"
            end = time.monotonic() + options.timeout
            listens = None
            while (not socket.exists() or listens is None) and process.poll() is None and time.monotonic() < end:
                time.sleep(0.1)
                listens = re.search(r"xserver listening on display (:\d+)", messages.read_text())
            xwayland = {"DISPLAY": listens.group(1) if listens else "none"}
            yield {"XDG_RUNTIME_DIR": folder, "WAYLAND_DISPLAY": socket.name}, xwayland
            if "Failed to initialize glamor" in messages.read_text():
                raise RuntimeError(f"Xwayland does not draw on {card}")
        finally:
            process.terminate()
            process.wait()


def through_xwayland(home, display, screen, card, options, expected=None):
    """What a program shows in an X server that draws on the card: drawn by the card if a picture is expected, and by software otherwise. The first window of a compositor has always the same place."""
    program = home / PROGRAMS[0]
    with compositor(display, card, options) as (_, xwayland):
        variables = {**xwayland, "PIGLIT_PLATFORM": "glx"}
        if expected is None:
            return picture([program], {**variables, "LIBGL_ALWAYS_SOFTWARE": "1"}, screen, options)
        command = [options.ctm, "card", "run", "--require", "--card", card, "--", program]
        return picture(command, variables, screen, options, expected)


def environment(home, variables):
    """Of a program of piglit, which looks for its files."""
    return {**os.environ, "PIGLIT_SOURCE_DIR": str(home), **variables}


def picture(command, variables, screen, options, expected=None):
    """What the screen shows when a program has drawn, and draws no more, or as soon as it is what is expected; `None` if it draws nothing. On a
    busy machine a window stands there for a while before it is drawn to."""
    home = pathlib.Path(command[-1]).parent.parent
    process = subprocess.Popen(command, env=environment(home, variables), stdout=subprocess.DEVNULL)
    try:
        end = time.monotonic() + options.timeout
        before, same = None, 0
        while time.monotonic() < end and process.poll() is None:
            time.sleep(0.5)
            found = pixels(screen)
            if expected is not None and is_like(found, expected):
                return found
            same = same + 1 if found == before else 0
            if any(found) and same == (UNCHANGED if expected is None else UNEXPECTED):
                return found
            before = found
        return None
    finally:
        process.kill()
        process.wait()
        wait_until_black(screen)


def wait_until_black(screen):
    """The server removes the windows of a client that has ended."""
    for _ in range(50):
        if not any(pixels(screen)):
            return
        time.sleep(0.1)


def pixels(screen):
    """The colours of the screen, three bytes each: a file of X's window dumps, version 7."""
    dump = screen.read_bytes()
    header = struct.unpack(">25I", dump[:100])
    size, (width, height), stride, colours = header[0], header[4:6], header[12], header[19]
    first = size + 12 * colours
    rows = [dump[first + y * stride : first + y * stride + 4 * width] for y in range(height)]
    whole = b"".join(rows)
    channels = bytearray(3 * width * height)
    for channel in range(3):
        channels[channel::3] = whole[channel::4]
    return bytes(channels)


def is_like(found, expected):
    """Whether two pictures are the same but for rounding."""
    if found is None or expected is None:
        return False
    return all(abs(one - other) <= TOLERANCE for one, other in zip(found, expected) if one != other)


def says_what_is_lost(program, card, display, options):
    """Whether a program that draws to a pixmap of X, which does not reach the server, is told so."""
    command = [options.ctm, "card", "run", "--require", "--card", card, "--", program]
    done = subprocess.run(command, env={**os.environ, **display}, capture_output=True, text=True, timeout=options.timeout)
    if done.returncode == 0 and "draws to a pixmap of X" in done.stderr:
        return True
    print(f"a pixmap of X on {card}: exit code {done.returncode}, {done.stderr!r}")
    return False


def refuses_software(home, display, options):
    """Whether a program that draws without the card is an error, with a sentence."""
    command = [options.ctm, "card", "run", "--require", "--", home / PROGRAMS[0], "-auto"]
    variables = {**display, "PIGLIT_PLATFORM": "glx", "LIBGL_ALWAYS_SOFTWARE": "1"}
    run = subprocess.run(command, env=environment(home.parent, variables), capture_output=True, text=True)
    said = "LIBGL_ALWAYS_SOFTWARE is set" in run.stderr
    if run.returncode != 1 or not said:
        print(f"a program without the card: exit code {run.returncode}, {run.stderr!r}")
    return run.returncode == 1 and said


if __name__ == "__main__":
    sys.exit(main())
