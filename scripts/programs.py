#!/usr/bin/env python3
"""Runs programs of Debian on the cards and on Mesa's software renderer, and compares what they draw.

  scripts/programs.py [--ctm PROGRAM] [--card CARD]... [--timeout SECONDS] [NAME]...

Each program runs under `ctm card run --card CARD --require` in an X server of its own (Xvfb), with nothing else set. What the server shows is compared once
it no longer changes, while the programs' clock stands still (faketime), so that animations show the same moment; or the program writes a
picture, or checks itself. Programs that need a newer OpenGL than the card has run with Mesa told to offer it (MESA_GL_VERSION_OVERRIDE). The
results are the table of docs/programs.md. With NAME, only these programs run.

Debian's packages: xvfb faketime mesa-utils glmark2-x11 libsdl2-tests qtbase5-examples gtk-3-examples mpv ffmpeg python3-vtk9 python3-moderngl
libgl1-mesa-dri libegl1 libglx-mesa0. Exit code 3: one of them is not here.
"""

import argparse
import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

import windows

# Which OpenGL the cards have.
CARDS = {"r580": "2.1", "rv530": "2.1", "rv770": "3.3", "gm107": "4.3"}
# What has Mesa offer OpenGL 3.3 on cards that do not have all of it.
NEWER = {"MESA_GL_VERSION_OVERRIDE": "3.3", "MESA_GLSL_VERSION_OVERRIDE": "330"}
# Steps of a channel from which on a pixel counts as another one.
STEPS = 8
FAKETIME = pathlib.Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1")
QT = "/usr/lib/x86_64-linux-gnu/qt5/examples/opengl"
SDL = "/usr/libexec/installed-tests/SDL2"
CLIP = "clip.mkv"
PICTURE = "picture.ppm"

CONE = f"""
import vtk
source, mapper, actor, renderer, window = vtk.vtkConeSource(), vtk.vtkPolyDataMapper(), vtk.vtkActor(), vtk.vtkRenderer(), vtk.vtkRenderWindow()
source.SetResolution(40)
mapper.SetInputConnection(source.GetOutputPort())
actor.SetMapper(mapper)
renderer.AddActor(actor)
renderer.SetBackground(0.1, 0.2, 0.4)
window.SetMultiSamples(0)
window.SetSize(320, 240)
window.AddRenderer(renderer)
window.Render()
shot, writer = vtk.vtkWindowToImageFilter(), vtk.vtkPNMWriter()
shot.SetInput(window)
writer.SetFileName("{PICTURE}")
writer.SetInputConnection(shot.GetOutputPort())
writer.Write()
"""

QUAD = f"""
import moderngl, struct
context = moderngl.create_standalone_context(require=330)
program = context.program(
    vertex_shader="#version 330\\nin vec2 at; in vec3 colour; out vec3 c; void main() {{ gl_Position = vec4(at, 0, 1); c = colour; }}",
    fragment_shader="#version 330\\nin vec3 c; out vec4 f; void main() {{ f = vec4(c, 1); }}")
data = struct.pack("20f", -0.5, -0.5, 1, 0, 0, 0.5, -0.5, 0, 1, 0, -0.5, 0.5, 0, 0, 1, 0.5, 0.5, 1, 1, 0)
array = context.simple_vertex_array(program, context.buffer(data), "at", "colour")
frame = context.simple_framebuffer((320, 240), 3)
frame.use()
frame.clear(0.1, 0.2, 0.4)
array.render(moderngl.TRIANGLE_STRIP)
open("{PICTURE}", "wb").write(b"P6 320 240 255\\n" + frame.read())
"""


class Program(NamedTuple):
    """A program, and how it is judged."""

    name: str
    package: str
    command: list[str]
    # What is compared: `screen`, `file` (PICTURE), or `output`: the words that it must print, and those that it must not.
    judged: str
    # Hundredths of a percent of the pixels that may differ by more than STEPS.
    tolerance: int = 5
    wanted: str = ""
    unwanted: str = ""
    # The OpenGL that it needs.
    needs: str = "2.1"
    clock_runs: bool = False


PROGRAMS = [
    Program("glxinfo", "mesa-utils-bin", ["glxinfo", "-B"], "output", wanted="Accelerated: yes", unwanted="llvmpipe"),
    Program("glxgears", "mesa-utils-bin", ["glxgears"], "screen"),
    Program("es2gears", "mesa-utils-bin", ["es2gears_x11"], "screen"),
    Program("es2tri", "mesa-utils-bin", ["es2tri"], "screen"),
    Program("glmark2 --validate", "glmark2-x11", ["glmark2", "--validate"], "output", wanted="Validation: Success", unwanted="Validation: Failure"),
    Program("SDL testgeometry", "libsdl2-tests", [f"{SDL}/testgeometry"], "screen"),
    Program("SDL testyuv", "libsdl2-tests", [f"{SDL}/testyuv", f"{SDL}/testyuv.bmp"], "screen"),
    Program("Qt cube", "qtbase5-examples", [f"{QT}/cube/cube"], "screen"),
    Program("Qt hellogl2", "qtbase5-examples", [f"{QT}/hellogl2/hellogl2"], "screen"),
    Program("Qt textures", "qtbase5-examples", [f"{QT}/textures/textures"], "screen", tolerance=10),
    Program("GTK glarea", "gtk-3-examples", ["gtk3-demo", "--run=glarea"], "screen", needs="3.3"),
    Program(
        "mpv --vo=gpu",
        "mpv",
        ["mpv", "--no-config", "--vo=gpu", "--gpu-context=x11egl", "--pause", "--start=2", "--no-osc", "--osd-level=0", "--geometry=480x360+0+0", CLIP],
        "screen",
        clock_runs=True,
    ),
    Program("VTK cone", "python3-vtk9", ["/usr/bin/python3", "-c", CONE], "file", needs="3.2"),
    Program("moderngl", "python3-moderngl", ["/usr/bin/python3", "-c", QUAD], "file", needs="3.3"),
]

# What is known to be wrong, and why.
KNOWN = {
    ("glxgears", "rv770"): "[a bug of Mesa](mesa-bugs.md#changes-of-glshademodel-have-no-effect)",
    ("glmark2 --validate", "r580"): "[gl_FragCoord](card.md#gl_fragcoord-on-the-r580)",
    ("glmark2 --validate", "rv530"): "[gl_FragCoord](card.md#gl_fragcoord-on-the-r580)",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--ctm", type=pathlib.Path, default=windows.ROOT / "target/release/ctm")
    parser.add_argument("--card", action="append", choices=CARDS, dest="cards")
    parser.add_argument("--timeout", type=float, default=60)
    options = parser.parse_args()
    options.ctm = options.ctm.resolve()

    programs = [program for program in PROGRAMS if program.name in options.names or not options.names]
    missing = {program.package for program in programs if shutil.which(program.command[0]) is None or version(program) is None}
    missing |= {package for package, found in [("xvfb", shutil.which("Xvfb")), ("faketime", FAKETIME.exists()), ("ffmpeg", shutil.which("ffmpeg"))] if not found}
    if missing:
        print(f"packages are missing: apt-get install {' '.join(sorted(missing))}", file=sys.stderr)
        return 3
    wrong, cards = 0, options.cards or list(CARDS)
    print(f"| program | package | OpenGL | compared | {' | '.join(cards)} |\n|---|---|---|---|{'---|' * len(cards)}")
    for program in programs:
        expected = run(program, None, options) if program.judged != "output" else None
        results = []
        for card in cards:
            result = judge(program, card, expected, options)
            good = result in ["the same", "passes"]
            known = None if good else KNOWN.get((program.name, card))
            wrong += not good and known is None
            result += f": {known}" if known else ""
            results.append(f"{result}, overridden" if is_too_new(program, card) else result)
        compared = {"screen": "the window", "file": "a file", "output": "its own checks"}[program.judged]
        row = [program.name, f"{program.package} {version(program)}", program.needs, compared, *results]
        print(f"| {' | '.join(row)} |", flush=True)
    return 1 if wrong else 0


def version(program):
    """Of the package that a program is from; `None` if it is not installed."""
    query = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Abbrev}${Version}", program.package], capture_output=True, text=True)
    return query.stdout[3:].strip() if query.stdout.startswith("ii") else None


def is_too_new(program, card):
    """Whether the program needs a newer OpenGL than the card has."""
    return [int(part) for part in program.needs.split(".")] > [int(part) for part in CARDS[card].split(".")]


def judge(program, card, expected, options):
    """What the program does on a card, in some words."""
    found = run(program, card, options)
    if found is None or (expected is None and program.judged != "output"):
        return "nothing is drawn" if found is None else "llvmpipe draws nothing"
    if program.judged == "output":
        failures = len(re.findall(program.unwanted, found))
        return "passes" if re.search(program.wanted, found) and failures == 0 else f"{failures} of its checks failed"
    if len(found) != len(expected):
        return "another size"
    count = sum(pixel != other and max(map(abs, (a - b for a, b in zip(pixel, other)))) > STEPS for pixel, other in zip(pixels(found), pixels(expected)))
    return "the same" if count * 10000 <= program.tolerance * (len(found) // 3) else f"{count} pixels differ"


def pixels(picture):
    """Three bytes each."""
    return zip(picture[0::3], picture[1::3], picture[2::3])


def run(program, card, options):
    """What a program draws or prints, on a card or by the software renderer; `None` if that is nothing, or if something else drew it."""
    with tempfile.TemporaryDirectory() as name, windows.server([]) as (display, screen):
        folder = pathlib.Path(name)
        if CLIP in program.command:
            source = ["-f", "lavfi", "-i", "testsrc=size=320x240:rate=5:duration=4"]
            subprocess.run(["ffmpeg", "-loglevel", "error", *source, "-pix_fmt", "yuv420p", folder / CLIP], check=True)
        environment = {**{key: value for key, value in os.environ.items() if key != "WAYLAND_DISPLAY"}, **display, "HOME": name}
        shot = folder / "frame.png"
        if card is None:
            command = program.command
            environment["LIBGL_ALWAYS_SOFTWARE"] = "1"
        else:
            environment |= NEWER if is_too_new(program, card) else {}
            screenshot = ["--screenshot", shot] if program.judged == "screen" else []
            command = [options.ctm, "card", "run", "--require", "--card", card, *screenshot, "--", *program.command]
        if program.judged != "screen":
            return made(program, command, folder, environment, options)
        if not program.clock_runs:
            environment |= {"LD_PRELOAD": str(FAKETIME), "FAKETIME": "2020-01-01 00:00:00"}
        found = shown(command, folder, environment, screen, options)
        # Programs are killed, so it is a frame of the card that says that the card drew.
        return found if card is None or shot.exists() else None


def made(program, command, folder, environment, options):
    """What a program prints, or the picture that it writes, when it has ended; `None` if that is nothing."""
    try:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=10 * options.timeout)
    except subprocess.TimeoutExpired:
        return None
    if program.judged == "output":
        return done.stdout
    picture = folder / PICTURE
    return picture.read_bytes() if done.returncode == 0 and picture.exists() else None


def shown(command, folder, environment, screen, options):
    """What the server shows of a program when it no longer changes; `None` if that is nothing."""
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        end, before, same = time.monotonic() + options.timeout, None, 0
        while time.monotonic() < end and process.poll() is None:
            time.sleep(0.5)
            found = windows.pixels(screen)
            same = same + 1 if any(found) and found == before else 0
            if same == 3:
                return found
            before = found
        return None
    finally:
        # Its children, too.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


if __name__ == "__main__":
    sys.exit(main())
