"""Draws: vertices through the programs of a pipeline."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ctm import _arrays, _native, _run
from ctm._options import EngineOptions, takes
from ctm._progress import Progress, reporting
from ctm._result import Stats

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ctm._program import Program


@dataclass(frozen=True)
class DrawWarning:
    """What a program should not have done."""

    stage: str
    """The stage of the program."""
    address: int
    """The address of the instruction."""
    message: str
    """What it was."""
    count: int
    """How often."""


class Drawn(Mapping[str, NDArray[np.float32]]):
    """The records of a draw, as transform feedback captures them: by the names of attributes arrays (records, components). Integers are
    floats of the same bits: `.view(np.int32)` shows them."""

    def __init__(
        self, draw: Draw, records: NDArray[np.float32], vertices: int, stats: Stats, warnings: tuple[DrawWarning, ...]
    ) -> None:
        self.draw = draw
        """What was drawn."""
        self.records = len(records)
        """Vertices that came out."""
        self.vertices = vertices
        """Records of a primitive: 1 for points, 2 for lines, 3 for triangles."""
        self.stats = stats
        """What the draw did."""
        self.warnings = warnings
        """What the programs should not have done."""
        self._columns = {}
        first = 0
        for name, (_, words) in draw.capture.items():
            self._columns[name] = records[:, first : first + words]
            first += words

    def __getitem__(self, name: str) -> NDArray[np.float32]:
        try:
            return self._columns[name]
        except KeyError:
            found = ", ".join(self._columns) or "none"
            raise KeyError(f"{name!r} was not captured: captured are {found}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def primitives(self, name: str = "POSITION") -> NDArray[np.float32]:
        """An attribute by primitives: (primitives, vertices, components)."""
        array = self[name]
        return array.reshape(-1, self.vertices, array.shape[1])

    def __repr__(self) -> str:
        shape = {1: "points", 2: "lines", 3: "triangles"}[self.vertices]
        return f"<ctm.Drawn: {self.records // self.vertices} {shape} with {', '.join(self) or 'nothing captured'}>"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(repr(self))}</p>" + (_svg(self.primitives()) if "POSITION" in self and self.records else "")


def _svg(positions: NDArray[np.float32], size: int = 400) -> str:
    """A wireframe of primitives, seen along z; of very many, the first ones."""
    with np.errstate(all="ignore"):
        points = positions[:20000, :, :2] / positions[:20000, :, 3:4]
    points = points[np.isfinite(points).all(axis=(1, 2))]
    if not len(points):
        return ""
    low, extent = points.min(axis=(0, 1)), max(float(np.ptp(points, axis=(0, 1)).max()), 1e-30)
    points = (points - low) / extent * (size - 8) + 4
    points[:, :, 1] = size - points[:, :, 1]
    lines = "".join("M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in corners) + "z" for corners in points)
    style = 'fill="none" stroke="currentColor" stroke-width="0.5" stroke-linecap="round"'
    return f'<svg width="{size}" height="{size}"><path {style} d="{lines}"/></svg>'


@dataclass(frozen=True)
class Draw:
    """A draw: the programs of a pipeline, what they are given, and what is captured. Draws pickle."""

    vs: Program
    """The vertex program."""
    tcs: Program | None
    """The tessellation initialisation program (OpenGL: tessellation control)."""
    tes: Program | None
    """The tessellation program (OpenGL: tessellation evaluation)."""
    gs: Program | None
    """The geometry program."""
    primitive: str
    """What the vertices are drawn as."""
    vertices: int
    """How many are drawn."""
    capture: dict[str, tuple[int, int]]
    """What is captured, by name: the address of the attribute, and its words."""
    attributes: dict[int, NDArray[np.uint32]] = field(default_factory=dict)
    """Words (vertices, components) by address of the attribute."""
    banks: dict[int, NDArray[np.uint32]] = field(default_factory=dict)
    """Words of constant banks."""
    first: int = 0
    """Number of the first vertex."""
    instances: int = 1
    """How often they are drawn."""
    patch_vertices: int = 3
    """Vertices of a patch."""
    tess_domain: str = "triangles"
    """What a patch is cut into."""
    tess_spacing: str = "equal"
    """How edges are subdivided."""
    point_mode: bool = False
    """Points instead of lines or triangles."""
    clockwise: bool = False
    """Triangles go clockwise."""
    levels: tuple[float, ...] = (1.0,) * 6
    """Four outer and two inner levels where no program sets them."""
    stream: int = 0
    """Output stream of the geometry program that is captured."""
    how: dict[str, Any] = field(default_factory=dict)
    """Engine, threads and limits."""

    def run(self, progress: Progress = None) -> Drawn:
        """Draws; `progress` is as in `ctm.run`, and counts primitives."""
        engine = _run.engine_of(**self.how)
        items: _native.DrawItems = {
            "vs": self.vs._native,
            "tcs": self.tcs._native if self.tcs else None,
            "tes": self.tes._native if self.tes else None,
            "gs": self.gs._native if self.gs else None,
            "primitive": self.primitive,
            "vertices": self.vertices,
            "first": self.first,
            "instances": self.instances,
            "patch_vertices": self.patch_vertices,
            "tess_domain": self.tess_domain,
            "tess_spacing": self.tess_spacing,
            "point_mode": self.point_mode,
            "clockwise": self.clockwise,
            "levels": self.levels,
            "stream": self.stream,
            "attributes": self.attributes,
            "banks": self.banks,
            "capture": list(self.capture.values()),
        }
        with reporting(progress) as report:
            records, vertices, stats, warnings, seconds = _native.draw(engine, items, report)
        did = Stats(*stats, engine.name, run_seconds=seconds, seconds=seconds)
        return Drawn(self, records, vertices, did, tuple(DrawWarning(*each) for each in warnings))


def _named() -> dict[str, tuple[int, str]]:
    """Attributes by name: the address of the first component, and the letters of the components."""
    found: dict[str, tuple[int, str]] = {}
    for address, name in _native.attributes():
        base, _, component = name.partition(".")
        first, letters = found.get(base, (address, ""))
        found[base] = (first, letters + (component or "x"))
    return found


_ATTRIBUTES = _named()


def _place(name: str) -> tuple[int, int]:
    """Address and words of an attribute, or of some of its components: "POSITION", "GENERIC0.xy"."""
    base, _, wanted = name.partition(".")
    address, letters = _ATTRIBUTES.get(base, (0, ""))
    at = letters.find(wanted)
    if not letters or at < 0:
        known = ", ".join(base for base in _ATTRIBUTES if not base[-1].isdigit())
        raise ValueError(
            f"unknown attribute {name!r}: attributes are {known}, GENERIC0 to GENERIC31, TEXCOORD0 to TEXCOORD9, CLIP_DISTANCE0 to "
            "CLIP_DISTANCE7, or neighbouring components as in POSITION.xy"
        )
    return address + 4 * at, len(wanted) or len(letters)


def _stored(program: Program) -> dict[str, tuple[int, int]]:
    """What a program's header says that it writes for vertices."""
    stored = set(program._native.stores)
    found = {}
    for name, (address, letters) in _ATTRIBUTES.items():
        there = [letter for n, letter in enumerate(letters) if address + 4 * n in stored]
        for run in "".join(letter if letter in there else " " for letter in letters).split():
            key = name if run == letters else f"{name}.{run}"
            found[key] = _place(key)
    return found


def _attribute(name: str, value: ArrayLike) -> tuple[int, NDArray[np.uint32]]:
    address, words = _place(name)
    array = np.asarray(value)
    if array.ndim == 1:
        array = array[:, np.newaxis]
    if array.ndim != 2 or not 1 <= array.shape[1] <= words:
        raise ValueError(f"attribute {name} has shape {array.shape}: give a row for each vertex, of 1 to {words} components")
    return address, _arrays.words(array, f"attribute {name}").reshape(array.shape)


@takes(EngineOptions)
def draw(
    vs: Program,
    tcs: Program | None = None,
    tes: Program | None = None,
    gs: Program | None = None,
    *,
    primitive: str | None = None,
    vertices: int | None = None,
    attributes: Mapping[str, ArrayLike] | None = None,
    banks: Mapping[int, ArrayLike] | None = None,
    capture: Sequence[str] | Mapping[str, str] | None = None,
    levels: Sequence[float] = (1.0,) * 6,
    first: int = 0,
    instances: int = 1,
    patch_vertices: int = 3,
    tess_domain: str = "triangles",
    tess_spacing: str = "equal",
    point_mode: bool = False,
    clockwise: bool = False,
    stream: int = 0,
    progress: Progress = None,
    **options: Unpack[EngineOptions],
) -> Drawn:
    """Draws vertices with the programs of an "sm50" pipeline, and returns what transform feedback captures: a record for each vertex that
    comes out. Strips and fans are taken apart.

    - `vs`, `tcs`, `tes`, `gs`: vertex, tessellation initialisation (OpenGL: control), tessellation (OpenGL: evaluation), geometry program.
    - `primitive`: "points", "lines", "line_strip", "line_loop", "triangles", "triangle_strip", "triangle_fan", those with "_adjacency",
      "patches". Without one, patches if there is a `tes`, else points.
    - `vertices`: how many are drawn, from number `first` on, `instances` times; the rows of the attributes if not given.
    - `attributes`: arrays (vertices, components) of values of 4 bytes by name, as "GENERIC0"; those without one are (0, 0, 0, 1).
    - `banks`: words of constant banks.
    - `capture`: names of attributes, as "POSITION" or "GENERIC0.xy", or names of your own with those that they stand for. Without, all that the
      last program's header says that it writes.
    - `patch_vertices`, `tess_domain` ("triangles", "quads", "isolines"), `tess_spacing` ("equal", "fractional-odd", "fractional-even"),
      `point_mode`, `clockwise`: state of the tessellator; `levels`: four outer and two inner ones where no `tcs` sets them.
    - `stream`: output stream of the geometry program.
    - `progress`, `engine`, `threads`, `seconds`, `instructions`, `memory`: as in `ctm.run`; progress counts primitives.

    Raises `Error` if the programs do not fit together, one traps, or a limit is reached, TypeError and ValueError if something does not fit.
    """
    arrays = dict(_attribute(name, value) for name, value in (attributes or {}).items())
    rows = min((len(array) for array in arrays.values()), default=None)
    if vertices is None:
        if rows is None:
            raise ValueError("how many vertices are drawn is not known: give vertices, or attributes that have a row for each")
        vertices = max(0, rows - first)
    if rows is not None and rows < first + vertices:
        raise ValueError(f"attributes have {rows} rows, but vertices 0 to {first + vertices - 1} are drawn: give each a row")
    if len(levels) != 6:
        raise ValueError(f"levels are {_arrays.shown(levels)}: give four outer and two inner ones")
    if capture is None:
        captured = _stored(gs or tes or vs)
    else:
        named = capture if isinstance(capture, Mapping) else {name: name for name in capture}
        captured = {name: _place(attribute) for name, attribute in named.items()}
    return Draw(
        vs, tcs, tes, gs, primitive or ("patches" if tes else "points"), vertices, captured, arrays, _run.words_of_banks(banks), first, instances,
        patch_vertices, tess_domain, tess_spacing, point_mode, clockwise, tuple(map(float, levels)), stream, {**options},
    ).run(progress)
