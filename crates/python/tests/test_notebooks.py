"""The notebooks run from their first cell to their last, and show what they are kept with.

CTM_BLESS=1 keeps what they show now.
"""

import itertools
import os
import pathlib
import re

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")

NOTEBOOKS = pathlib.Path(__file__).parents[3] / "examples/python/notebooks"
# What differs from machine to machine: engines, and times.
HOST = re.compile(r"jit-\w+|\binterp\b|[\d.]+ [mµ]?s\b|seconds=[\d.e-]+")


def everywhere(text):
    """A text without what differs from machine to machine."""
    return HOST.sub("", text)


def shown(notebook):
    """What each cell shows, without how its streams were cut into pieces."""
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        pieces = [
            (output.output_type, output.get("text") or {kind: everywhere(text) for kind, text in output.get("data", {}).items()})
            for output in cell.outputs
        ]
        yield [
            (kind, "".join(text for _, text in group) if kind == "stream" else [data for _, data in group])
            for kind, group in itertools.groupby(pieces, key=lambda piece: piece[0])
        ]


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_show_what_they_are_kept_with(path):
    notebook = nbformat.read(path, as_version=4)
    kept = list(shown(notebook))
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": NOTEBOOKS}}).execute()
    for cell in notebook.cells:
        # The times at which cells ran, which differ from run to run.
        cell.metadata.pop("execution", None)
    notebook.metadata.language_info = {"name": "python"}
    if os.environ.get("CTM_BLESS"):
        path.write_text(nbformat.writes(notebook, indent=1) + "\n")
        return
    assert any(cell for cell in kept)
    assert kept == list(shown(notebook))
