"""Programs: where they come from, and what is known of them."""

import pathlib
import pickle

import ctm
import pytest

ROOT = pathlib.Path(__file__).parents[3]


@pytest.mark.parametrize("name, isa, stage", [
    ("examples/mandelbrot.x1k", "x1k", "pixel"),
    ("examples/newton.r700", "r700", "ps"),
    ("examples/collatz.sm50", "sm50", "compute"),
    ("tests/corpus/sm50/v_basic/vert.sph.u32", "sm50", "vertex"),
    ("tests/corpus/x1k/cf_nest3/dump.txt", "x1k", "pixel"),
])
def test_files(name, isa, stage):
    program = ctm.load(ROOT / name)
    assert (program.isa, program.stage) == (isa, stage)
    assert ctm.assemble(program.text, isa) == program


def test_words_are_given_an_instruction_set():
    words = (ROOT / "tests/corpus/x1k/pre_sub/program.u32").read_bytes()
    with pytest.raises(ctm.Error, match="does not say what machine"):
        ctm.load(words)
    program = ctm.load(words, isa="x1k")
    assert ctm.load(bytearray(words), isa="x1k") == ctm.load(memoryview(words), isa="x1k") == program
    assert ctm.load_all(words, "x1k") == [program]


def test_what_is_no_program():
    with pytest.raises(FileNotFoundError, match="'no such file.x1k'"):
        ctm.load("no such file.x1k")
    with pytest.raises(FileNotFoundError):
        ctm.load_all("no such file.x1k")
    with pytest.raises(ctm.Error):
        ctm.load(b"CTMTRACE", isa="x1k")
    with pytest.raises(ValueError, match="x1k, r700, sm50"):
        ctm.load(b"EXIT;", isa="sm30")
    with pytest.raises(ValueError, match="x1k, r700, sm50"):
        ctm.assemble("EXIT;", isa="")


def test_errors_of_texts_say_where():
    with pytest.raises(ctm.AssemblyError, match=r"<text>:2:1.*and 1 more") as raised:
        ctm.assemble("EXIT;\nMUVE R0, R1;\nMUVE R0, R1;", isa="sm50")
    message, diagnostics = raised.value.args
    assert [(code, severity, line, column) for code, severity, _, line, column, _, _ in diagnostics] == [
        ("unknown-word", "error", 2, 1),
        ("unknown-word", "error", 3, 1),
    ]
    assert issubclass(ctm.AssemblyError, ctm.Error)


def test_programs_are_values(copy, add):
    same = ctm.assemble(copy.text, "x1k")
    assert same == copy and hash(same) == hash(copy) and same != add and copy != 1
    assert {copy: 1}[same] == 1


@pytest.mark.parametrize("name", ["examples/mandelbrot.x1k", "examples/newton.r700", "examples/collatz.sm50"])
def test_programs_pickle(name):
    program = ctm.load(ROOT / name)
    assert pickle.loads(pickle.dumps(program)) == program


def test_what_is_known_of_a_program(copy, add):
    assert (copy.inputs, copy.outputs, add.inputs, add.outputs) == ([0], [0], [], [])
    assert repr(copy) == "<ctm.Program: x1k pixel, inputs [0], outputs [0]>"
    assert "<pre>" in copy._repr_html_() and "&lt;ctm.Program" in copy._repr_html_()


def test_findings():
    findings = ctm.assemble("OUT src0.rgb = temp[5] : out[0].rgb = MAX src0.rgb src0.rgb ;", "x1k").check()
    assert [found.code for found in findings] == ["X1K101", "X1K105"] and all(isinstance(found, ctm.Finding) for found in findings)
    for found in findings:
        assert found.severity in ("error", "warning", "note") and found.message and found.code in str(found)
        assert found.place == "the program" or found.place == f"instruction {found.address}"
