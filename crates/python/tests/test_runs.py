"""Runs."""

import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import time

import ctm
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).parents[3]
PICTURE = np.random.default_rng(4).random((16, 24, 4), np.float32)


@pytest.mark.parametrize("name", ["examples/mandelbrot.x1k", "examples/julia.x1k", "examples/newton.r700"])
def test_engines_agree(name):
    program = ctm.load(ROOT / name)
    results = [program.run((48, 32), engine=engine) for engine in ctm.engines()]
    for result in results[1:]:
        assert ctm.diff(results[0], result) is None
    assert {result.stats.engine for result in results} == set(ctm.engines())


def test_the_domain_is_that_of_the_first_input(copy):
    assert copy.run(inputs={0: PICTURE}, constants={0: 1})[0].shape == (16, 24, 4)
    assert copy.run((3, 5), inputs={0: PICTURE}, constants={0: 1})[0].shape == (5, 3, 4)


def test_jobs_like_others(copy):
    first = copy.run(inputs={0: PICTURE}, constants={0: 1})
    doubled = copy.run(like=first, constants={0: 2})
    np.testing.assert_array_equal(doubled[0], 2 * first[0])
    assert copy.run(like=doubled.job, domain=(2, 2))[0].shape == (2, 2, 4)
    assert ctm.run(copy, like=first, engine="interp").stats.engine == "interp"


def test_results_are_mappings(copy):
    result = copy.run(inputs={0: PICTURE}, constants={0: 1})
    assert list(result) == [0] and len(result) == 1 and 1 not in result
    with pytest.raises(KeyError, match="there is no output 1: the program writes 0"):
        result[1]
    assert "float32[16, 24, 4]" in repr(result) and "data:image/png;base64," in result._repr_html_()


def test_counts(copy):
    stats = copy.run(inputs={0: PICTURE}, constants={0: 1}).stats
    assert (stats.lanes, stats.instructions, stats.out_of_range) == (384, 768, False)
    assert stats.groups > 0 and stats.run_seconds > 0 and stats.compile_seconds > 0
    assert copy.run((64, 64), inputs={0: PICTURE}, constants={0: 1}).stats.out_of_range in (False, True)


def test_jobs_and_results_pickle(copy):
    result = copy.run(inputs={0: PICTURE}, constants={0: 1})
    job, again = pickle.loads(pickle.dumps((result.job, result)))
    np.testing.assert_array_equal(job.run()[0], result[0])
    np.testing.assert_array_equal(again[0], result[0])
    assert again.stats == result.stats and again.job.program == copy


@pytest.mark.parametrize("options, error, words", [
    ({}, ValueError, "there is no domain"),
    ({"domain": (0, 4)}, ValueError, "at least 1"),
    ({"domain": (4, 4, 4)}, ValueError, "width and a height"),
    ({"domain": (5000, 1)}, ValueError, "5000"),
    ({"domain": (2, 2)}, ctm.Error, "input 0"),
    ({"inputs": {16: PICTURE}}, ValueError, "input 16 is out of range"),
    ({"inputs": {-1: PICTURE}}, TypeError, "give its number"),
    ({"inputs": {"tex": PICTURE}}, ValueError, "unknown input 'tex'"),
    ({"inputs": {None: PICTURE}}, TypeError, "None is not an input"),
    ({"inputs": PICTURE}, TypeError, r"inputs is an array of float32\[16, 24, 4\]: give a dict"),
    ({"domain": PICTURE}, TypeError, r"the domain is an array of float32\[16, 24, 4\]: .*inputs=\{0: array\}"),
    ({"inputs": {0: PICTURE}, "uniforms": {"level": 1}}, ValueError, "was not compiled from a shader"),
    ({"inputs": {0: PICTURE}, "varyings": {0: (0, 0)}}, ValueError, "interpolated input 0 is given, but the program takes none"),
    ({"inputs": {0: PICTURE}, "origin": (-1, 0)}, (TypeError, ValueError), "a column and a row"),
    ({"inputs": {0: PICTURE}, "outputs": {9: "FLOAT32_4"}}, ValueError, "output 9 is out of range"),
    ({"inputs": {0: PICTURE}, "outputs": {0: "FLOAT64"}}, ValueError, "formats are"),
    ({"inputs": {0: PICTURE}, "engine": "gpu"}, ValueError, "engines are reference, interp"),
    ({"inputs": {0: PICTURE}, "seconds": -1.0}, ValueError, "expected a number from 0 on"),
    ({"inputs": {0: PICTURE}, "colour": 1}, TypeError, "colour"),
])
def test_what_does_not_fit_is_refused(copy, options, error, words):
    with pytest.raises(error, match=words):
        copy.run(**options)


def test_programs_of_other_kinds_are_refused(copy, add):
    with pytest.raises(TypeError, match="this is one of sm50: compute code has launch"):
        add.run((2, 2))
    with pytest.raises(TypeError, match="launch is for compute code of sm50"):
        copy.launch()
    with pytest.raises(TypeError, match="transform is for vertex programs of pvs"):
        copy.transform(vertices=1)
    with pytest.raises(TypeError, match="ctm.draw takes programs of sm50"):
        ctm.draw(copy, vertices=3, capture=["POSITION"])


def test_messages_name_nothing_of_the_library(copy, add):
    """Types and modules of Rust are no names of this package."""
    calls = [
        lambda: add.run((2, 2)),
        lambda: copy.launch(),
        lambda: copy.run((2, 2)),
        lambda: ctm.load(b"\0\1\2\3"),
        lambda: ctm.load(ROOT / "tests/corpus/sm50/v_basic/vert.sph.u32").launch(),
        lambda: ctm.assemble(".stage vs\nEXP_DONE: POS0, R1\nEND_OF_PROGRAM", "r700").run((2, 2)),
    ]
    for call in calls:
        with pytest.raises((ctm.Error, TypeError)) as raised:
            call()
        assert "`" not in str(raised.value) and "::" not in str(raised.value), raised.value


LOOP = "again: BRA again;"


def test_limits_end_runs():
    program = ctm.assemble(LOOP, "sm50")
    with pytest.raises(ctm.Error):
        program.launch(seconds=0.05)
    with pytest.raises(ctm.Error):
        program.launch(instructions=1000)


def test_other_threads_run_meanwhile():
    program = ctm.load(ROOT / "examples/mandelbrot.x1k")
    ticks = 0
    done = threading.Event()

    def work():
        for _ in range(3):
            program.run((512, 512), engine="interp")
        done.set()

    worker = threading.Thread(target=work)
    worker.start()
    while not done.wait(0.001):
        ticks += 1
    worker.join()
    assert ticks > 3


def test_threads_share_programs_and_engines(copy):
    results = {}

    def work(n):
        for _ in range(10):
            results[n] = copy.run(inputs={0: PICTURE}, constants={0: n})[0]

    workers = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    [worker.start() for worker in workers]
    [worker.join() for worker in workers]
    for n in range(8):
        np.testing.assert_array_equal(results[n], PICTURE * np.float32(n))


# Where tests run in the background, children ignore the signal unless they say otherwise.
INTERRUPTED = """
import signal
import ctm
signal.signal(signal.SIGINT, signal.default_int_handler)
print("running", flush=True)
try:
    {}
except KeyboardInterrupt:
    print("interrupted")
"""
LONG = {
    "a launch": f"ctm.assemble({LOOP!r}, 'sm50').launch(seconds=60)",
    "a run": f"ctm.load({str(ROOT / 'examples/mandelbrot.x1k')!r}).run((4096, 4096), engine='reference', seconds=60)",
    "a run in one thread": f"ctm.load({str(ROOT / 'examples/newton.r700')!r}).run((4096, 4096), engine='interp', threads=1, seconds=60)",
    "a trace": f"ctm.load({str(ROOT / 'examples/mandelbrot.x1k')!r}).trace((4000, 4000), (4096, 4096), seconds=60)",
}


@pytest.mark.parametrize("what", LONG)
def test_interrupts_end_runs(what):
    child = subprocess.Popen([sys.executable, "-c", INTERRUPTED.format(LONG[what])], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "running\n"
    time.sleep(0.3)
    start = time.monotonic()
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=20)
    assert out == "interrupted\n" and time.monotonic() - start < 3


def test_handlers_of_signals_run_meanwhile():
    seen = []
    before = signal.signal(signal.SIGUSR1, lambda *_: seen.append(time.monotonic()))
    try:
        timer = threading.Timer(0.1, signal.raise_signal, (signal.SIGUSR1,))
        timer.start()
        with pytest.raises(ctm.Error, match="deadline"):
            ctm.assemble(LOOP, "sm50").launch(seconds=0.5)
        assert len(seen) == 1 and time.monotonic() - seen[0] > 0.2
    finally:
        signal.signal(signal.SIGUSR1, before)


class TestThreads:
    BANK = np.zeros(81, np.uint32)
    BANK[80] = 7

    def launch(self, add, **options):
        memory = {0x10000: np.arange(6, dtype=np.int32)}
        return add.launch(1, 4, memory=memory, banks={0: self.BANK}, **options)

    @pytest.mark.parametrize("engine", ctm.engines())
    def test_memory_is_what_threads_make_of_it(self, add, engine):
        launch = self.launch(add, engine=engine)
        assert launch.memory[0x10000].tolist() == [7, 8, 9, 10, 4, 5]
        assert launch.stats.lanes == 4 and launch.stats.instructions == 24

    def test_floats_are_their_bits(self, add):
        launch = add.launch(1, 1, memory={0x10000: np.ones(1, np.float32)})
        assert launch.memory[0x10000].view(np.float32)[0] == 1

    def test_memory_that_is_not_there(self, add):
        assert add.launch(1, 1).memory == {}

    @pytest.mark.parametrize("options, error, words", [
        ({"threads": 1025}, ValueError, "1 to 1024 threads"),
        ({"threads": 0}, ValueError, "at least 1"),
        ({"threads": (1, 1, 1, 1)}, ValueError, "one to three"),
        ({"memory": {0x10004: np.zeros(1, np.uint32)}}, ctm.Error, "10004"),
        ({"memory": {0x10000: np.zeros(1)}}, TypeError, "float64"),
        ({"banks": {0: np.full(9, 9, np.uint32)}}, ValueError, "constant bank 0"),
        ({"engine": "gpu"}, ValueError, "unknown engine 'gpu'"),
    ])
    def test_what_does_not_fit_is_refused(self, add, options, error, words):
        with pytest.raises(error, match=words):
            add.launch(**options)


LOOKUP = """
.const c0 = 0.3, 0.9, 0.6, 0
{}
src0.rgb = const[0] : temp[1].rgb = MAX src0.rgb src0.rgb, temp[1].a = MAX src0.1 src0.1 ;
TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE temp[2].rgba = LOD tex[0].rgba temp[1].rgba ;
OUT TEX_SEM_WAIT src0.rgb = temp[2] : out[0].rgb = MAX src0.rgb src0.rgb ;
"""


def numbers(*shape):
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


@pytest.mark.parametrize(
    ("kind", "texture", "expected"),
    [
        ("flat", ctm.Texture(numbers(4, 2)), 6),
        ("volume", ctm.Texture(numbers(2, 2, 2), "3d"), 6),
        ("volume", ctm.Texture(numbers(2, 2, 2, 1), "3d", levels=[numbers(1, 1, 1)]), 0),
        ("cube", ctm.Texture(numbers(6, 2, 2), "cube", wrap="repeat"), 11),
        ("cube", ctm.Texture(numbers(6, 2, 2), "cube", "linear", ("clamp", "clamp"), [numbers(6, 1, 1)]), 2),
    ],
)
def test_textures(kind, texture, expected):
    program = ctm.assemble(LOOKUP.format(f".texture 0 = {kind}"), isa="x1k")
    for engine in ctm.engines():
        result = program.run((3, 2), textures={0: texture}, outputs={0: "FLOAT32_1"}, engine=engine)
        assert (result[0] == expected).all(), engine
    job = pickle.loads(pickle.dumps(result.job))
    np.testing.assert_array_equal(job.run()[0], result[0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"inputs": {0: numbers(12, 2)}}, "samples input 0 as a cube texture"),
        ({"textures": {0: ctm.Texture(numbers(2, 2, 2), "3d")}}, "is a volume one"),
        ({"textures": {0: ctm.Texture(numbers(5, 2, 2), "cube")}}, "has 5 faces, and a cube has 6"),
        ({"textures": {0: ctm.Texture(numbers(6, 2, 3), "cube")}}, "six square faces"),
        ({"textures": {0: ctm.Texture(numbers(6, 2, 2), "cube", levels=[numbers(6, 2, 2)])}}, "level 1 of the texture is 2x12"),
        ({"textures": {0: ctm.Texture(numbers(6, 2, 2), "sphere")}}, "unknown kind of texture 'sphere'"),
        ({"textures": {0: ctm.Texture(numbers(6, 2, 2), "cube", "cubic")}}, "unknown filter"),
        ({"textures": {0: ctm.Texture(numbers(6, 2, 2), "cube", wrap="none")}}, "unknown wrap"),
        ({"textures": {0: ctm.Texture(numbers(2, 2))}}, "is a flat one"),
    ],
)
def test_textures_that_do_not_fit(options, message):
    program = ctm.assemble(LOOKUP.format(".texture 0 = cube"), isa="x1k")
    with pytest.raises((ctm.Error, ValueError), match=message):
        program.run((2, 2), **options)
