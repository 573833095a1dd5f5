"""Draws with the programs of pipelines."""

import json
import pathlib
import pickle

import ctm
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).parents[3]
CORPUS = ROOT / "tests/corpus/sm50"
STAGES = {"vert": "vs", "tesc": "tcs", "tese": "tes", "geom": "gs"}


def corpus(name):
    """The programs of a draw, how it is drawn, and the records that another implementation has of it."""
    place = CORPUS / name
    about = json.loads((place / "meta.json").read_text())
    stages = {STAGES[stage]: ctm.load(place / f"{stage}.sph.u32") for stage in about["stages"]}
    draw = about["draw"]
    how = {"primitive": draw["primitive"], "vertices": draw["vertices"], "instances": draw["instances"], "first": draw["first"]}
    if draw["patch_vertices"]:
        how["patch_vertices"] = draw["patch_vertices"]
    layout = about.get("glsl_layouts", {}).get("tese", {}).get("in", "")
    if "quads" in layout:
        how["tess_domain"] = "quads"
    how["point_mode"] = "point_mode" in layout
    feedback = about["transform_feedback"]
    places = {each["name"]: (int(each["address"], 0), each["offset"], each["components"]) for each in feedback["layout"]}
    expected = np.fromfile(place / "expected.f32", np.float32).reshape(feedback["records"], -1)
    return stages, how, places, expected, about["tolerance"]


@pytest.mark.parametrize("engine", ctm.engines())
@pytest.mark.parametrize("name", ["v_basic", "v_loop", "g_strip2", "t_quads"])
def test_records_are_those_of_another_implementation(name, engine):
    stages, how, places, expected, tolerance = corpus(name)
    names = {0x70: "POSITION", 0x80: "GENERIC0", 0x90: "GENERIC1"}
    capture = {own: f"{names[address]}.{'xyzw'[:components]}" for own, (address, _, components) in places.items()}
    drawn = ctm.draw(**stages, **how, capture=capture, engine=engine)
    assert drawn.records == len(expected) and list(drawn) == list(places)
    for own, (_, offset, components) in places.items():
        np.testing.assert_allclose(drawn[own], expected[:, offset : offset + components], tolerance["rel"], tolerance["abs"])


@pytest.fixture(scope="module")
def ripple():
    """A sheet of triangles out of four corners."""
    programs = {
        stage: ctm.load(ROOT / f"examples/ripple/{name}.sm50")
        for stage, name in (("vs", "vertex"), ("tcs", "control"), ("tes", "evaluation"), ("gs", "geometry"))
    }
    return ctm.draw(**programs, vertices=4, patch_vertices=4, tess_domain="quads")


def test_triangles(ripple):
    assert ripple.vertices == 3 and ripple.records % 3 == 0
    assert ripple.primitives().shape == (ripple.records // 3, 3, 4)
    assert ripple["POSITION"].shape == (ripple.records, 4) and ripple["POSITION"].flags.writeable
    assert ripple.stats.lanes > 0 and ripple.stats.instructions > 0 and ripple.stats.run_seconds > 0
    assert ripple.warnings == ()


def test_all_that_the_last_program_writes_is_captured(ripple):
    assert "POSITION" in ripple
    vertex = ripple.draw.vs
    assert list(ctm.draw(vertex, vertices=4)) == ["POSITION"]


def test_engines_agree(ripple):
    records = [ctm.draw(**parts(ripple.draw), engine=engine)["POSITION"] for engine in ctm.engines()]
    for other in records[1:]:
        np.testing.assert_array_equal(records[0].view(np.uint32), other.view(np.uint32))


def parts(draw):
    return {
        "vs": draw.vs, "tcs": draw.tcs, "tes": draw.tes, "gs": draw.gs, "vertices": 4, "patch_vertices": 4, "tess_domain": "quads",
        "capture": ["POSITION"],
    }


def test_components(ripple):
    found = ctm.draw(**{**parts(ripple.draw), "capture": ["POSITION.yz", "POSITION.x"]})
    np.testing.assert_array_equal(found["POSITION.yz"], ripple["POSITION"][:, 1:3])
    np.testing.assert_array_equal(found["POSITION.x"], ripple["POSITION"][:, :1])


def test_draws_and_records_pickle(ripple):
    draw, again = pickle.loads(pickle.dumps((ripple.draw, ripple)))
    np.testing.assert_array_equal(draw.run()["POSITION"], ripple["POSITION"])
    np.testing.assert_array_equal(again["POSITION"], ripple["POSITION"])


def test_notebooks_show_a_wireframe(ripple):
    assert "<svg" in ripple._repr_html_() and "triangles" in repr(ripple)
    with pytest.raises(KeyError, match="'GENERIC5' was not captured"):
        ripple["GENERIC5"]


def test_vertices_have_attributes(ripple):
    vertex = ripple.draw.vs
    rows = np.arange(8, dtype=np.float32).reshape(4, 2)
    assert ctm.draw(vertex, attributes={"GENERIC0": rows}).records == 4
    assert ctm.draw(vertex, attributes={"GENERIC0": rows}, first=1).records == 3


@pytest.mark.parametrize("options, error, words", [
    ({}, ValueError, "how many vertices"),
    ({"vertices": 4, "primitive": "hexagons"}, ValueError, "points, lines"),
    ({"vertices": 4, "primitive": "patches"}, ctm.Error, "patches"),
    ({"vertices": 4, "capture": ["COLOUR"]}, ValueError, "GENERIC0 to GENERIC31"),
    ({"vertices": 4, "capture": ["POSITION.xz"]}, ValueError, "neighbouring"),
    ({"vertices": 4, "levels": (1, 2)}, ValueError, "four outer and two inner"),
    ({"vertices": 4, "tess_domain": "hexagons"}, ValueError, "triangles, quads, isolines"),
    ({"vertices": 4, "tess_spacing": "odd"}, ValueError, "equal, fractional-odd"),
    ({"vertices": 4, "attributes": {"GENERIC0": np.zeros((3, 4), np.float32)}}, ValueError, "give each a row"),
    ({"attributes": {"GENERIC0": np.zeros((3, 5), np.float32)}}, ValueError, "1 to 4 components"),
    ({"attributes": {"GENERIC0": np.zeros((3, 4))}}, TypeError, "float64"),
    ({"vertices": 4, "stream": 5}, ctm.Error, "streams are 0 to 3"),
    ({"vertices": 4, "engine": "gpu"}, ValueError, "engines are"),
    ({"vertices": 4, "colour": 1}, TypeError, "colour"),
])
def test_what_does_not_fit_is_refused(ripple, options, error, words):
    with pytest.raises(error, match=words):
        ctm.draw(ripple.draw.vs, **options)


def test_other_programs_are_refused(copy, ripple):
    with pytest.raises(TypeError, match="x1k|X1K"):
        ctm.draw(copy, vertices=4)
    with pytest.raises(ctm.Error, match="stage"):
        ctm.draw(ripple.draw.gs, vertices=4)
