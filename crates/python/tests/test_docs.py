"""The examples of the documentation."""

import doctest
import pathlib

import ctm
import ctm.card
import pytest

ROOT = pathlib.Path(__file__).parents[3]


def test_the_page(monkeypatch):
    monkeypatch.chdir(ROOT)
    failed, tried = doctest.testfile(str(ROOT / "docs/python.md"), module_relative=False)
    assert failed == 0 and tried > 15


def test_the_package(monkeypatch):
    monkeypatch.chdir(ROOT)
    for module, least in ((ctm, 2), (ctm.card, 3)):
        failed, tried = doctest.testmod(module)
        assert failed == 0 and tried > least


@pytest.mark.parametrize("page, last", [("README.md", ")\n"), ("docs/tour.md", "None\n")])
def test_first_example(page, last, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    text = (ROOT / page).read_text()
    code = text.split("```python\n")[1].split("```")[0]
    exec(code, {})
    out = capsys.readouterr().out
    assert out.startswith("(64, 64, 4) Stats(") and out.endswith(last)


@pytest.mark.parametrize("name", [name for name in ctm.__all__ if name != "__version__"])
def test_everything_has_documentation(name):
    item = getattr(ctm, name)
    assert item.__doc__ and len(item.__doc__) > 10
