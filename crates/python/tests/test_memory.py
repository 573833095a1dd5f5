"""Arrays that are not copied."""

import gc
import pickle

import ctm
import numpy as np
import pytest

ONE = {0: 1.0}


def address(array):
    return array.__array_interface__["data"][0]


def memory(array):
    """What the array is a view of."""
    while isinstance(array, np.ndarray):
        array = array.base
    return array if type(array).__name__ == "Memory" else None


def test_large_outputs_lie_where_the_program_wrote_them(copy):
    picture = np.random.default_rng(5).random((512, 512, 4), np.float32)
    result = copy.run(inputs={0: picture}, constants=ONE)
    output = result[0]
    assert address(output) == memory(output).__array_interface__["data"][0]
    assert output.flags.writeable and output.flags.c_contiguous and result[0] is output
    output[3, 4] = 7
    assert (result[0][3, 4] == 7).all() and (result.job.run()[0][3, 4] == picture[3, 4]).all()


def test_they_outlive_their_result(copy):
    output = copy.run(inputs={0: np.ones((512, 512, 4), np.float32)}, constants={0: 3.0})[0]
    gc.collect()
    others = [copy.run(inputs={0: np.ones((512, 512, 4), np.float32)}, constants=ONE) for _ in range(3)]
    assert (output == 3).all() and len(others) == 3


def test_small_outputs_are_copied(copy):
    assert memory(copy.run(inputs={0: np.ones((8, 8, 4), np.float32)}, constants=ONE)[0]) is None


@pytest.mark.parametrize("width", [511, 512, 1001])
@pytest.mark.parametrize("format, dtype", [("FLOAT32_4", np.float32), ("FLOAT32_1", np.float32), ("UINT8_4", np.uint8), ("UINT16_1", np.uint16)])
def test_every_width_and_format(copy, width, format, dtype):
    values = np.random.default_rng(6).random((1200, width, 4), np.float32)
    large = copy.run(inputs={0: values}, constants=ONE, outputs={0: format})[0]
    assert large.dtype == dtype and large.shape[:2] == (1200, width) and memory(large) is not None
    for rows in (slice(0, 16), slice(1184, 1200)):
        small = copy.run(inputs={0: values[rows]}, constants=ONE, outputs={0: format})[0]
        assert memory(small) is None
        np.testing.assert_array_equal(large[rows], small)


@pytest.mark.parametrize("engine", ctm.engines())
def test_outputs_become_inputs_where_they_lie(copy, engine):
    values = np.random.default_rng(7).random((256, 512, 4), np.float32)
    first = copy.run(inputs={0: values}, constants={0: 2.0}, engine=engine)
    items = ctm.Job(copy, (512, 256), {0: first[0]})._items()
    assert items["inputs"][0] is memory(first[0])
    second = copy.run(inputs={0: first[0]}, constants={0: 2.0}, engine=engine)
    np.testing.assert_array_equal(second[0], 4 * values)
    first[0][:] = 1
    np.testing.assert_array_equal(second.job.run()[0], np.full_like(values, 2))


@pytest.mark.parametrize("dtype, channels", [(np.float32, 1), (np.float32, 2), (np.float32, 4), (np.uint8, 4), (np.uint16, 1)])
def test_zeros_are_read_where_they_lie(copy, dtype, channels):
    array = ctm.zeros((32, 64, channels), dtype)
    assert array.shape == (32, 64, channels) and array.dtype == dtype and not array.any()
    assert ctm.Job(copy, (64, 32), {0: array})._items()["inputs"][0] is memory(array)
    before = copy.run(inputs={0: array}, constants=ONE)[0][:, :, 0]
    array[:] = np.iinfo(dtype).max if dtype != np.float32 else 1
    after = copy.run(inputs={0: array}, constants=ONE)[0][:, :, 0]
    assert (before == 0).all() and (after == 1).all()


def test_zeros_without_channels(copy):
    array = ctm.zeros((16, 32))
    array[3, 5] = 4
    assert array.shape == (16, 32) and copy.run(inputs={0: array}, constants=ONE)[0][3, 5, 0] == 4
    assert ctm.Job(copy, (32, 16), {0: array})._items()["inputs"][0] is memory(array)


@pytest.mark.parametrize("part", [np.s_[:16], np.s_[:, :32], np.s_[::-1], np.s_[::2, ::2], np.s_[..., :1]])
def test_parts_are_copied(copy, part):
    array = ctm.zeros((32, 64, 4))
    array[:] = np.random.default_rng(8).random(array.shape)
    np.testing.assert_array_equal(copy.run(inputs={0: array[part]}, constants=ONE)[0][..., : array[part].shape[2]], array[part])


def test_rows_with_gaps_are_copied(copy):
    array = ctm.zeros((8, 5, 4))
    array[:] = 2
    assert not array.flags.c_contiguous
    assert (copy.run((9, 8), inputs={0: array}, constants=ONE)[0] == 2).all(), "right of the array is its edge"


def test_they_pickle(copy):
    result = copy.run(inputs={0: np.ones((512, 512, 4), np.float32)}, constants=ONE)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(result))[0], result[0])


@pytest.mark.parametrize("shape, dtype, error, words", [
    ((4, 4, 3), np.float32, TypeError, "3 channels"),
    ((4, 4), np.float64, TypeError, "float64"),
    ((4, 4), np.uint8, TypeError, "uint8 has 4"),
    ((4,), np.float32, ValueError, "height, width"),
    ((5000, 4), np.float32, ValueError, "5000"),
    ((0, 4), np.float32, ValueError, "empty|0"),
])
def test_what_there_is_no_memory_of(shape, dtype, error, words):
    with pytest.raises(error, match=words):
        ctm.zeros(shape, dtype)


def test_parts_have_edges_of_their_own(copy):
    array = ctm.zeros((32, 64, 4))
    array[:] = np.random.default_rng(11).random(array.shape)
    found = copy.run((64, 32), inputs={0: array[:16]}, constants=ONE)[0]
    np.testing.assert_array_equal(found[16:], np.broadcast_to(array[15], (16, 64, 4)))
