"""What arrays programs read, and what they give."""

import ctm
import numpy as np
import pytest

ONE = {0: 1.0}


@pytest.mark.parametrize("engine", ctm.engines())
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_floats_come_back(copy, engine, channels):
    values = np.random.default_rng(1).normal(size=(5, 7, channels)).astype(np.float32)
    result = copy.run(inputs={0: values}, constants=ONE, engine=engine)
    assert result[0].shape == (5, 7, 4) and result[0].dtype == np.float32
    np.testing.assert_array_equal(result[0][:, :, :channels], values)
    if channels == 3:
        assert (result[0][:, :, 3] == 1).all()


def test_words_of_memory_may_lie_anywhere(add):
    words = unaligned(np.arange(4, dtype=np.uint32))
    assert add.launch(1, 4, memory={0x10000: words}).memory[0x10000].tolist() == [0, 1, 2, 3]
    assert add.launch(1, 2, memory={0x10000: words[::-2]}).memory[0x10000].tolist() == [3, 1]


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_integers_are_fractions(copy, dtype):
    channels = 4 if dtype == np.uint8 else 1
    values = np.random.default_rng(2).integers(0, np.iinfo(dtype).max, size=(4, 6, channels), dtype=dtype, endpoint=True)
    found = copy.run(inputs={0: values}, constants=ONE)[0][:, :, :channels]
    np.testing.assert_allclose(found, values / np.iinfo(dtype).max, rtol=1e-6)


def test_half_floats_are_floats(copy):
    values = np.linspace(-4, 4, 24, dtype=np.float16).reshape(2, 3, 4)
    np.testing.assert_array_equal(copy.run(inputs={0: values}, constants=ONE)[0], values.astype(np.float32))


def test_an_array_without_channels_has_one(copy):
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    np.testing.assert_array_equal(copy.run(inputs={0: values}, constants=ONE)[0][:, :, 0], values)


def unaligned(array):
    return np.frombuffer(b"x" + array.tobytes(), np.uint8)[1:].view(array.dtype).reshape(array.shape)


LAYOUTS = {
    "unaligned": unaligned,
    "fortran": np.asfortranarray,
    "reversed": lambda array: array[::-1, ::-1],
    "every second": lambda array: np.repeat(array, 2, axis=1)[:, ::2],
    "transposed": lambda array: array.transpose(1, 0, 2),
    "big-endian": lambda array: array.astype(">f4"),
    "read-only": lambda array: np.frombuffer(array.tobytes(), np.float32).reshape(array.shape),
    "broadcast": lambda array: np.broadcast_to(array[:1], array.shape),
    "a list": lambda array: [[[np.float32(c) for c in element] for element in row] for row in array],
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_is_read_as_numpy_reads_it(copy, layout):
    values = LAYOUTS[layout](np.random.default_rng(3).normal(size=(4, 6, 4)).astype(np.float32))
    np.testing.assert_array_equal(copy.run(inputs={0: values}, constants=ONE)[0], np.asarray(values, np.float32))


@pytest.mark.parametrize(
    "values, error, words",
    [
        (np.ones((2, 2)), TypeError, "float64"),
        (np.ones((2, 2), np.int32), TypeError, "int32"),
        (np.ones((2, 2), np.int64), TypeError, "int64"),
        (np.ones((2, 2), np.int8), TypeError, "int8"),
        (np.ones((2, 2), np.uint32), TypeError, r"\.view\(np\.float32\)"),
        (np.ones((2, 2), np.complex64), TypeError, "complex64"),
        (np.ones((2, 2), bool), TypeError, "truth"),
        (np.array([["a"]]), TypeError, "<U1"),
        (np.array([[None]]), TypeError, "object"),
        (np.ones((2, 2), "M8[s]"), TypeError, "datetime64"),
        (np.ones(3, np.float32), ValueError, "1 dimensions"),
        (np.float32(1), ValueError, "0 dimensions"),
        (np.ones((1, 2, 3, 4), np.float32), ValueError, "4 dimensions"),
        (np.ones((2, 2, 5), np.float32), ValueError, "5 channels"),
        (np.ones((0, 2), np.float32), ValueError, "empty"),
        (np.ones((2, 2, 0), np.float32), ValueError, "empty"),
        (np.ones((5000, 2), np.float32), ValueError, "5000"),
    ],
)
def test_what_would_lose_something_is_refused(copy, values, error, words):
    with pytest.raises(error, match=words) as raised:
        copy.run(inputs={0: values}, constants=ONE, domain=(2, 2))
    assert isinstance(raised.value, error)


def test_outputs_belong_to_the_result(copy):
    result = copy.run(inputs={0: np.ones((2, 2, 4), np.float32)}, constants=ONE)
    assert result[0].flags.writeable and result[0].flags.c_contiguous
    result[0][:] = 5
    again = result.job.run()
    assert (again[0] == 1).all() and (result[0] == 5).all()


@pytest.mark.parametrize("name, dtype, channels", [
    ("FLOAT32_1", np.float32, 1),
    ("FLOAT32_2", np.float32, 2),
    ("FLOAT32_4", np.float32, 4),
    ("UINT8_4", np.uint8, 4),
    ("UINT16_1", np.uint16, 1),
])
def test_outputs_have_the_format_that_is_wanted(copy, name, dtype, channels):
    result = copy.run(inputs={0: np.ones((2, 3, 4), np.float32)}, constants=ONE, outputs={0: name})
    assert result[0].dtype == dtype and result[0].shape == (2, 3, channels)
    assert (result[0] == (1 if dtype == np.float32 else np.iinfo(dtype).max)).all()


def test_nan_keeps_its_bits_through_memory(copy):
    values = np.full((1, 1, 4), 0x7FC00000, np.uint32).view(np.float32)
    kept = copy.run(inputs={0: values}, constants={0: 1.0})[0]
    assert np.isnan(kept).all()


@pytest.mark.parametrize("value, expected", [
    (2, [2, 2, 2, 2]), ([1, 2], [1, 2, 0, 0]), ((1, 2, 3, 4), [1, 2, 3, 4]), (np.float64(0.5), [0.5] * 4), ([3], [3, 0, 0, 0]),
])
def test_constants(copy, value, expected):
    result = copy.run(inputs={0: np.ones((1, 1, 4), np.float32)}, constants={0: value})
    assert result[0][0, 0].tolist() == expected


@pytest.mark.parametrize("value", [[1, 2, 3, 4, 5], [], [[1, 2]], "one"])
def test_constants_that_are_none(copy, value):
    with pytest.raises(ValueError):
        copy.run(inputs={0: np.ones((1, 1, 4), np.float32)}, constants={0: value})
