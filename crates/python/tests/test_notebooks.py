"""The notebooks run from their first cell to their last, and are kept without outputs."""

import json
import pathlib

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")

NOTEBOOKS = pathlib.Path(__file__).parents[3] / "examples/python/notebooks"


@pytest.mark.parametrize("name", ["bisecting", "divergence", "pipeline"])
def test_notebooks_run(name):
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": NOTEBOOKS}}).execute()
    shown = json.dumps([cell.outputs for cell in notebook.cells if cell.cell_type == "code"])
    assert "text/html" in shown or name == "bisecting"


def test_they_are_kept_without_outputs():
    found = list(NOTEBOOKS.glob("*.ipynb"))
    assert len(found) == 3
    for path in found:
        cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
        assert cells and all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
