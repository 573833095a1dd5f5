"""What lanes go through, and where runs diverge."""

import ctm
import numpy as np
import pytest

ONES = np.ones((4, 4, 4), np.float32)


def test_steps(copy):
    trace = copy.trace((1, 2), inputs={0: ONES * 3}, constants={0: 2})
    assert len(trace) == 2 and [step.number for step in trace] == [1, 2] and trace.lane == (1, 2)
    assert trace[0].text.startswith("TEX") and trace[0].executes and trace[0].trap is None
    assert {change.register: change.value for change in trace[0].changes} == {f"temp[1].{channel}": 3.0 for channel in "rgba"}
    assert (trace.end["temp[0].r"], trace.end["temp[0].g"], trace.end["out[0].a"]) == (1.0, 2.0, 6.0)
    assert (trace.result[0] == 6).all()
    assert [step.address for step in trace[:]] == [0, 1]
    assert str(trace).count("\n") >= 2 and repr(trace) == "<ctm.Trace of lane (1, 2): 2 steps>"


def test_last_writes(copy):
    trace = copy.trace(inputs={0: ONES}, constants={0: 2})
    assert trace.last_write("temp[1]") == trace.last_write("temp[1].g") == trace[0]
    assert trace.last_write("out[0]", before=2) is None and trace.last_write("temp[9]") is None


def test_no_more_steps_than_wanted(copy):
    assert len(copy.trace(inputs={0: ONES}, constants={0: 2}, most=1)) == 1


@pytest.mark.parametrize("lane", [(4, 0), (0, 4)])
def test_lanes_outside(copy, lane):
    with pytest.raises(ValueError, match="4 x 4 lanes"):
        copy.trace(lane, inputs={0: ONES}, constants={0: 2})


def test_threads(add):
    bank = np.zeros(81, np.uint32)
    bank[80] = 7
    trace = add.trace_thread(1, 1, 3, memory={0x10000: np.arange(4, dtype=np.int32)}, banks={0: bank})
    assert trace.last_write("R2").text.startswith("IADD") and trace.end["R2"] == 8 and trace.lane == 1


def test_equal_results_have_no_difference(copy):
    result = copy.run(inputs={0: ONES}, constants={0: 2})
    assert ctm.diff(result, copy.run(like=result, engine="reference")) is None


def test_the_first_difference_and_its_instruction(copy):
    other = ctm.assemble(copy.text.replace("out[0].rgb = MAD", "out[0].rgb = 2.0 * MAD"), "x1k")
    picture = ONES.copy()
    picture[0] = 0
    result = copy.run(inputs={0: picture}, constants={0: 2})
    found = ctm.diff(result, other.run(like=result))
    assert (found.output, found.lane, found.channel, found.values, found.count) == (0, (0, 1), 0, (2.0, 4.0), 12)
    first, second = found.steps
    assert first.address == second.address == 1 and "2.0 *" in second.text
    assert "12 lanes differ" in str(found) and "out[0].r = 4" in str(found)


def test_inputs_that_differ(copy):
    result = copy.run(inputs={0: ONES}, constants={0: 2})
    found = ctm.diff(result, copy.run(like=result, inputs={0: ONES * 2}))
    assert found.steps[0].address == 0 and found.count == 16


def test_zeros_of_either_sign_differ(copy):
    result = copy.run(inputs={0: ONES * 0}, constants={0: 1})
    other = result.job.run()
    other[0][2, 3, 1] = -0.0
    found = ctm.diff(result, other)
    assert (found.lane, found.channel, found.steps) == ((3, 2), 1, (None, None))


def test_what_cannot_be_compared(copy):
    result = copy.run(inputs={0: ONES}, constants={0: 2})
    with pytest.raises(ValueError, match="domains"):
        ctm.diff(result, copy.run(like=result, domain=(2, 2)))
    with pytest.raises(ValueError, match="outputs"):
        ctm.diff(result, copy.run(like=result, outputs={1: "FLOAT32_4"}))
    with pytest.raises(ValueError, match="float32"):
        ctm.diff(result, copy.run(like=result, outputs={0: "UINT8_4"}))
