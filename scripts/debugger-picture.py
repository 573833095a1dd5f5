#!/usr/bin/env python3
"""Makes docs/images/debugger.svg: the screen of `ctm debug` in a terminal. Takes the program `ctm`; needs tmux."""

import re
import subprocess
import sys
import time
from pathlib import Path
from xml.sax.saxutils import escape

COLUMNS, ROWS = 112, 30
COMMAND = ["debug", "examples/mandelbrot.x1k", "--lane", "256,200"]
# What is pressed: some passes of the loop, steps forward, and one back.
KEYS = ["p"] * 11 + ["Right"] * 4 + ["Left"]
CELL, LINE, MARGIN = 7.8, 17, 12
PALETTE = ["#1d2329", "#d0574c", "#4f9d5d", "#b58a2b", "#4a7fb5", "#9a6fb0", "#3f9aa8", "#c9d1d9"]
BRIGHT = ["#66717c", "#ff8a80", "#7ee0a0", "#e3b341", "#8cc4ff", "#d2a8ff", "#6ab8d2", "#ffffff"]
TEXT, PAPER = "#dfe4e8", "#16191d"


def screen(ctm, root):
    """The lines of the screen, with the escapes of their colours."""
    session = f"ctm-picture-{time.time_ns()}"
    tmux = ["tmux", "-L", session, "-f", "/dev/null"]
    size = ["-x", str(COLUMNS), "-y", str(ROWS)]
    subprocess.run([*tmux, "new-session", "-d", *size, "-s", session, ctm, *COMMAND], cwd=root, check=True)
    try:
        time.sleep(2)
        for key in KEYS:
            subprocess.run([*tmux, "send-keys", "-t", session, key], check=True)
            time.sleep(0.1)
        time.sleep(1)
        shot = [*tmux, "capture-pane", "-t", session, "-e", "-p"]
        return subprocess.run(shot, check=True, capture_output=True, text=True).stdout.splitlines()
    finally:
        subprocess.run([*tmux, "kill-server"], check=False)


def colour(codes, at):
    """The colour of an extended code (`5;n` or `2;r;g;b`), and where the next code is."""
    if codes[at + 1] == 2:
        return "#{:02x}{:02x}{:02x}".format(*codes[at + 2 : at + 5]), at + 5
    number = codes[at + 2]
    if number < 16:
        return (PALETTE + BRIGHT)[number], at + 3
    if number >= 232:
        level = 8 + 10 * (number - 232)
        return f"#{level:02x}{level:02x}{level:02x}", at + 3
    number -= 16
    levels = [0, 95, 135, 175, 215, 255]
    return "#{:02x}{:02x}{:02x}".format(*(levels[n] for n in (number // 36, number // 6 % 6, number % 6))), at + 3


def restyle(style, codes):
    """A style after a sequence of codes."""
    style, at = dict(style), 0
    while at < len(codes):
        code = codes[at]
        if code in (38, 48):
            style["fg" if code == 38 else "bg"], at = colour(codes, at)
            continue
        at += 1
        if code == 0:
            style = {}
        elif code in (1, 2, 7):
            style[{1: "bold", 2: "dim", 7: "swap"}[code]] = True
        elif code == 22:
            style.pop("bold", None), style.pop("dim", None)
        elif code == 27:
            style.pop("swap", None)
        elif code in (39, 49):
            style.pop("fg" if code == 39 else "bg", None)
        elif 30 <= code < 38 or 90 <= code < 98:
            style["fg"] = PALETTE[code - 30] if code < 38 else BRIGHT[code - 90]
        elif 40 <= code < 48 or 100 <= code < 108:
            style["bg"] = PALETTE[code - 40] if code < 48 else BRIGHT[code - 100]
    return style


def runs(lines):
    """Row, column, text and style of each run of characters of one style."""
    style = {}
    for row, line in enumerate(lines):
        column = 0
        for escape_codes, text in re.findall(r"\x1b\[([\d;]*)m|([^\x1b]+)", line):
            if text:
                yield row, column, text, style
                column += len(text)
            else:
                style = restyle(style, [int(code or 0) for code in escape_codes.split(";")])


def svg(lines):
    width, height = 2 * MARGIN + COLUMNS * CELL, 2 * MARGIN + ROWS * LINE
    boxes, texts = [], []
    for row, column, text, style in runs(lines):
        fg, bg = style.get("fg", TEXT), style.get("bg")
        if style.get("swap"):
            fg, bg = bg or PAPER, fg
        x, y = MARGIN + column * CELL, MARGIN + row * LINE
        if bg:
            boxes.append(f'<rect x="{x:g}" y="{y}" width="{len(text) * CELL:g}" height="{LINE}" fill="{bg}"/>')
        if text.strip():
            skip = len(text) - len(text.lstrip())
            # Blanks would be drawn together.
            shown = text.strip().replace(" ", "\u00a0")
            more = ' font-weight="bold"' if style.get("bold") else ""
            more += ' opacity="0.6"' if style.get("dim") else ""
            place = f'x="{x + skip * CELL:g}" y="{y + 13}" textLength="{len(shown) * CELL:g}"'
            texts.append(f'<text {place} fill="{fg}"{more}>{escape(shown)}</text>')
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height}" role="img" '
            'font-family="ui-monospace, DejaVu Sans Mono, monospace" font-size="13">',
            "<title>ctm debug examples/mandelbrot.x1k in a terminal</title>",
            f'<rect width="{width:g}" height="{height}" rx="8" fill="{PAPER}"/>',
            *boxes,
            *texts,
            "</svg>\n",
        ]
    )


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: scripts/debugger-picture.py CTM")
    root = Path(__file__).resolve().parent.parent
    lines = screen(str(Path(sys.argv[1]).resolve()), root)
    (root / "docs/images/debugger.svg").write_text(svg(lines))


main()
