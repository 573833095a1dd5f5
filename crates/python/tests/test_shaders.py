"""Shaders in GLSL, WGSL and Direct3D 9 text."""

import pathlib
import pickle

import ctm
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).parents[3]

GLSL = """
uniform float level;
uniform mat2 turn;
uniform sampler2D image;
uniform vec2 u_resolution;
uniform float iTime;
varying vec2 place;
void main() {
    vec2 at = turn * place;
    gl_FragColor = vec4(level * at.x, at.y, u_resolution.x + iTime, texture2D(image, place).r);
}
"""


@pytest.fixture(scope="module")
def shader():
    return ctm.compile(GLSL)


IMAGE = np.full((2, 2), 0.25, np.float32)


def test_names(shader):
    assert shader.is_shader and list(shader.uniforms) == ["level", "turn", "u_resolution", "iTime"]
    assert (shader.uniforms["turn"].size, shader.uniforms["iTime"].is_known, shader.uniforms["level"].is_known) == (4, True, False)
    assert (shader.textures["image"].kind, shader.varyings["place"].channels) == ("2d", 2)
    assert repr(shader) == (
        "<ctm.Program: x1k pixel shader, uniforms level, turn, u_resolution, iTime, textures image, varyings place>"
    )
    assert len(shader.lines) == len(shader.instructions) and max(shader.lines) == 10
    assert not ctm.assemble(shader.text, "x1k").is_shader


@pytest.mark.parametrize("engine", ctm.engines())
def test_runs_by_names(shader, engine):
    uniforms = {"level": 2, "turn": [[0, 1], [1, 0]]}
    result = shader.run((4, 2), inputs={"image": IMAGE}, uniforms=uniforms, time=1.5, engine=engine)
    # The matrix exchanges the coordinates, which go from 0 to 1.
    expected = [[[2 * (y + 0.5) / 2, (x + 0.5) / 4, 5.5, 0.25] for x in range(4)] for y in range(2)]
    np.testing.assert_array_equal(result[0], np.array(expected, np.float32))
    again = pickle.loads(pickle.dumps(result.job)).run()
    np.testing.assert_array_equal(again[0], result[0])
    assert again.job.program.is_shader


def test_corners_of_varyings(shader):
    def places(value):
        uniforms = {"level": 1, "turn": [1, 0, 0, 1]}
        found = shader.run((2, 2), textures={"image": ctm.Texture(IMAGE)}, uniforms=uniforms, varyings={"place": value})[0]
        return found[:, :, :2].tolist()

    assert places((3, 4)) == [[[3, 4]] * 2] * 2
    assert places([(0, 0), (4, 8)]) == [[[1, 2], [3, 2]], [[1, 6], [3, 6]]]
    assert places([(0, 0), (0, 4), (4, 0)]) == [[[1, 1], [1, 3]], [[3, 1], [3, 3]]]


def test_examples_run():
    for name in ("plasma.frag", "raymarch.wgsl"):
        program = ctm.load(ROOT / "examples" / name)
        assert program.is_shader and program.run((16, 12), time=1.0)[0].std() > 0, name


def test_other_languages():
    wgsl = "@fragment fn main(@builtin(position) at: vec4f) -> @location(0) vec4f { return at; }"
    assert ctm.compile(wgsl, "wgsl").run((1, 1))[0].tolist() == [[[0.5, 0.5, 0.5, 1]]]
    ps = ctm.compile("ps_2_0\nmov oC0, c3\n", "ps")
    assert ps.run((1, 1), uniforms={"c3": [1, 2, 3, 4]})[0].tolist() == [[[1, 2, 3, 4]]]
    toy = ctm.load(b"#define A 1.0\nvoid mainImage(out vec4 c, in vec2 p) { c = vec4(p, iResolution.y, A); }")
    assert toy.is_shader and toy.bottom_up
    assert ctm.compile("void main() { gl_FragColor = vec4(A); }", defines={"A": 2.0}).run((1, 1))[0][0, 0, 0] == 2


def test_shadertoy_is_found_in_bytes():
    toy = ctm.load(b"void mainImage(out vec4 c, in vec2 p) { c = vec4(p, iResolution.y, 1.0); }")
    assert toy.run((2, 2))[0][1, 0].tolist() == [0.5, 1.5, 2, 1]


@pytest.mark.parametrize("options, words", [
    ({"uniforms": {"levl": 1}}, "no uniform 'levl': it has 'level'"),
    ({"uniforms": {"turn": [1, 2, 3]}}, "takes 4 numbers, or one for all, found 3"),
    ({"varyings": {"uv": (0, 0)}}, "unknown varying 'uv': it has place"),
    ({"inputs": {"picture": IMAGE}}, "unknown input 'picture': it has image"),
    ({"varyings": {"place": np.zeros((4, 4))}}, "one to three corners"),
])
def test_what_does_not_fit(shader, options, words):
    with pytest.raises(ValueError, match=words):
        shader.run((2, 2), **{"inputs": {"image": IMAGE}, **options})


def test_errors_have_their_place(tmp_path):
    with pytest.raises(ctm.CompileError, match="<text>:2:") as raised:
        ctm.compile("void main() {\n  gl_FragColor = vec4(colour, 1.0);\n}")
    assert raised.value.line == 2 and issubclass(ctm.CompileError, ctm.Error)
    (tmp_path / "wrong.frag").write_text("void main() { gl_FragColor = 1.0; }")
    with pytest.raises(ctm.CompileError, match=r"wrong\.frag:1"):
        ctm.load(tmp_path / "wrong.frag")
    with pytest.raises(ctm.AssemblyError, match=":2:1"):
        ctm.compile("ps_2_0\nmuv oC0, c0\n", "ps")
    with pytest.raises(ValueError, match="languages are glsl, wgsl, ps"):
        ctm.compile("", "hlsl")


def test_vertex_programs_transform():
    program = ctm.load(ROOT / "examples/transform.pvs")
    corners = np.array([(0, 0, -1), (1, 0, -1)], np.float32)
    found = program.transform({0: corners, 1: [(0, 0, 1)] * 2, 2: np.ones((2, 3))})
    assert list(found) == program.outputs and found[0].shape == (2, 4) and found.stats.lanes == 2
    assert found[0][1, 0] == 1.5
    moved = program.transform({0: corners}, constants={"c0": (0, 0, 0, 7)})
    assert moved[0][0, 0] == 7
    with pytest.raises(ValueError, match="how many vertices"):
        program.transform()
    with pytest.raises(ValueError, match="input 1 has 1 vectors, expected 2"):
        program.transform({0: corners, 1: corners[:1]})


def test_sources_are_linked():
    main = "float twice(float); uniform float level; void main() { gl_FragColor = vec4(twice(level)); }"
    other = "#define TWO 2.0\nfloat twice(float x) { return TWO * x; }"
    program = ctm.compile(main, linked=[other])
    assert (program.run((1, 1), uniforms={"level": 4})[0] == 8).all()
    again = pickle.loads(pickle.dumps(program))
    assert again == program and (again.run((1, 1), uniforms={"level": 4})[0] == 8).all()
    with pytest.raises(ctm.CompileError, match="<linked 0>:1:"):
        ctm.compile(main, linked=["float twice(float x) { return y; }"])
    with pytest.raises(ValueError, match="further sources"):
        ctm.compile("@fragment fn main() -> @location(0) vec4f { return vec4f(1.0); }", "wgsl", linked=[other])


def test_traces_have_the_variables_of_the_source():
    text = """uniform float level;
void main() {
    vec2 p = gl_FragCoord.xy;
    float sum = 0.0;
    bool more = true;
    for (int i = 0; i < 50; i++) {
        sum = sum * 0.5 + p.x;
        if (sum > level * p.x) break;
    }
    gl_FragColor = vec4(sum, p, 1.0);
}"""
    program = ctm.compile(text)
    trace = program.trace((5, 3), (8, 8), uniforms={"level": 1.9})
    held = [trace.variables(step) for step in trace]
    sums = list(dict.fromkeys(variables["sum"] for variables in held if "sum" in variables))
    # What the text says, calculated here.
    assert sums == [5.5 * share for share in (0, 1, 1.5, 1.75, 1.875, 1.9375)]
    assert all(abs(variables["level"] - 1.9) < 1e-6 for variables in held)
    assert held[len(held) // 2] == trace.variables(len(held) // 2 + 1)
    assert (trace.result[0] == program.run((8, 8), uniforms={"level": 1.9})[0]).all()
    with pytest.raises(ValueError, match="there is no step 0"):
        trace.variables(0)
    assert ctm.assemble(program.text, "x1k").trace((0, 0), (8, 8)).variables(1) == {}
