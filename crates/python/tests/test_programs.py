"""Programs: where they come from, and what is known of them."""

import errno
import inspect
import pathlib
import pickle
import pydoc
import warnings

import ctm
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).parents[3]


@pytest.mark.parametrize("name, isa, stage", [
    ("examples/mandelbrot.x1k", "x1k", "pixel"),
    ("examples/newton.r700", "r700", "ps"),
    ("examples/collatz.sm50", "sm50", "compute"),
    ("tests/corpus/sm50/v_basic/vert.sph.u32", "sm50", "vertex"),
    ("tests/corpus/x1k/cf_nest3/dump.txt", "x1k", "pixel"),
    ("examples/transform.pvs", "pvs", "vertex"),
])
def test_files(name, isa, stage):
    program = ctm.load(ROOT / name)
    assert (program.isa, program.stage) == (isa, stage)
    assert ctm.assemble(program.text, isa) == program


def test_words_are_given_an_instruction_set():
    words = (ROOT / "tests/corpus/x1k/pre_sub/program.u32").read_bytes()
    with pytest.raises(ctm.Error, match='does not say what it is for: give isa=, as in isa="x1k"'):
        ctm.load(words)
    program = ctm.load(words, isa="x1k")
    assert ctm.load(bytearray(words), isa="x1k") == ctm.load(memoryview(words), isa="x1k") == program
    assert ctm.load_all(words, "x1k") == [program]


def test_what_is_no_program():
    with pytest.raises(FileNotFoundError, match="No such file or directory: 'no such file.x1k'") as raised:
        ctm.load("no such file.x1k")
    assert raised.value.errno == errno.ENOENT and str(raised.value.filename) == "no such file.x1k"
    with pytest.raises(IsADirectoryError):
        ctm.load(ROOT)
    with pytest.raises(FileNotFoundError):
        ctm.load_all("no such file.x1k")
    with pytest.raises(ctm.Error):
        ctm.load(b"CTMTRACE", isa="x1k")
    with pytest.raises(ValueError, match="x1k, r700, sm50, pvs"):
        ctm.load(b"EXIT;", isa="sm30")
    with pytest.raises(ValueError, match="x1k, r700, sm50, pvs"):
        ctm.assemble("EXIT;", isa="")


def test_errors_of_texts_say_where():
    with pytest.raises(ctm.AssemblyError, match=r"<text>:2:1.*and 1 more") as raised:
        ctm.assemble("EXIT;\nMUVE R0, R1;\nMUVE R0, R1;", isa="sm50")
    message, diagnostics = raised.value.args
    assert [(code, severity, line, column) for code, severity, _, line, column, _, _ in diagnostics] == [
        ("unknown-word", "error", 2, 1),
        ("unknown-word", "error", 3, 1),
    ]
    assert issubclass(ctm.AssemblyError, ctm.Error) and raised.value.code == "unknown-word"
    assert ctm.explain(raised.value.code).startswith("# unknown-word")


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


def test_files_of_texts_are_named(tmp_path):
    path = tmp_path / "wrong.sm50"
    path.write_text("EXIT;\nMUVE R0, R1;\n")
    with pytest.raises(ctm.AssemblyError, match=r"wrong\.sm50:2:1"):
        ctm.load(path)


def test_invalid_programs_have_a_code():
    careless = ctm.assemble("BRA 0x4000;", "sm50")
    with pytest.raises(ctm.Error) as raised:
        careless.launch()
    assert raised.value.code in str(raised.value) and ctm.explain(raised.value.code)
    with pytest.raises(ctm.Error) as raised:
        ctm.load(b"CTMTRACE", isa="x1k")
    assert raised.value.code is None


@pytest.mark.parametrize("name, ending", [
    ("examples/mandelbrot.x1k", ".elf"),
    ("examples/mandelbrot.x1k", ".x1k"),
    ("examples/newton.r700", ".elf"),
    ("examples/ripple/vertex.sm50", ".sph"),
    ("examples/transform.pvs", ".pvs"),
])
def test_save(name, ending, tmp_path):
    program = ctm.load(ROOT / name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        program.save(tmp_path / f"saved{ending}")
    assert ctm.load(tmp_path / f"saved{ending}") == program


def test_save_says_what_is_lost(tmp_path):
    program = ctm.load(ROOT / "examples/mandelbrot.x1k")
    with pytest.warns(UserWarning, match="keeps the instructions alone"):
        program.save(tmp_path / "saved.u32")
    assert [one.words for one in ctm.load(tmp_path / "saved.u32", "x1k").instructions] == [one.words for one in program.instructions]
    with pytest.raises(ValueError, match=r"\.x1k, \.elf or \.u32"):
        program.save(tmp_path / "saved.exe")
    with pytest.raises(FileNotFoundError):
        program.save(tmp_path / "none" / "saved.x1k")


def test_instructions_are_taken_apart(copy, add):
    load, out = copy.instructions
    assert (load.address, load.mnemonic, load.operands) == (0, "LD", ("temp[1].rgba", "tex[0].rgba", "temp[0].rgrg"))
    assert load.reads == ("temp[0].r", "temp[0].g", "tex[0]") and load.writes[0] == "temp[1].r"
    assert [operation.name for operation in out.operations] == ["MAD", "MAD"] and len(out.words) == 6
    assert "const[0].a" in out.reads and out.writes == ("out[0].r", "out[0].g", "out[0].b", "out[0].a")
    assert load.explain().startswith("# LD: texture operation of x1k") and str(load).endswith(";")
    iadd = add.instructions[3]
    assert (iadd.mnemonic, iadd.reads, iadd.writes) == ("IADD", ("R2", "c[0x0][0x140]"), ("R2",))
    # What a trace shows as changed is what the instruction says that it writes.
    for step in copy.trace((1, 1), inputs={0: np.ones((2, 2, 4), np.float32)}, constants={0: 2}):
        changed = {change.register for change in step.changes}
        assert changed <= set(copy.instructions[step.address].writes)
    with pytest.raises(KeyError, match="no page about 'nothing'"):
        ctm.explain("nothing")


def test_signatures_are_complete():
    for method in (ctm.run, ctm.Program.run, ctm.Program.count, ctm.Program.trace, ctm.Program.launch, ctm.draw, ctm.Program.transform):
        kinds = {parameter.kind for parameter in inspect.signature(method).parameters.values()}
        assert inspect.Parameter.VAR_KEYWORD not in kinds, method
    assert list(inspect.signature(ctm.Program.run).parameters)[1:] == list(inspect.signature(ctm.run).parameters)[1:]
    for method, name, kind in ((ctm.run, "uniforms", "Mapping[str, ArrayLike] | None"), (ctm.Program.launch, "threads_of_host", "int | None")):
        assert inspect.signature(method).parameters[name].annotation == kind and name in pydoc.render_doc(method)


def test_options_that_there_are_not(copy, add):
    calls = [
        (lambda: ctm.run(copy, (1, 1), threeds=1), "run"),
        (lambda: copy.trace(domain=(1, 1), threeds=1), "trace"),
        (lambda: add.launch(threeds=1), "launch"),
        (lambda: ctm.draw(add, threeds=1), "draw"),
    ]
    for call, name in calls:
        with pytest.raises(TypeError, match=rf"^{name}\(\) got an unexpected keyword argument 'threeds'$"):
            call()


def test_version():
    import importlib.metadata

    assert ctm.__version__ == importlib.metadata.version("ctm-gpu")
