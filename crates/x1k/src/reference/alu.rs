//! Arithmetic: one ALU or OUT instruction over the lanes of a group (CTM Guide p.25-32, 40-43).
//!
//! All operands of all lanes are read before anything is written, as in the machine. Lanes that do not execute the
//! instruction are computed along, and their results dropped.

use super::operands::{ALPHA, OPERANDS, Read, Scalar, Term};
use super::prepare::{AluKind, AluStep, Gate, UnitResult};
use super::registers::{Registers, temp_index};
use crate::codes::*;
use crate::job::{Constants, MAX_GROUP_WIDTH};
use crate::program::FLOAT_CONSTANTS;
use ctm_num::x1k::{self, MadRules};

const ONE: u32 = 0x3F80_0000;
const SIGN: u32 = 0x8000_0000;

/// A value per lane; the first lanes are used.
type Row = [u32; MAX_GROUP_WIDTH];

/// The intermediate values of an instruction.
pub(super) struct Scratch {
    /// Operands, channels R, G, B, A.
    operands: [[Row; 4]; OPERANDS],
    /// A second value that a term is made from.
    second: Row,
    /// The RGB unit's dot product.
    dot: Row,
    /// Results, channels R, G, B, A.
    results: [Row; 4],
    /// Which lanes write, channels R, G, B, A.
    writes: [[bool; MAX_GROUP_WIDTH]; 4],
}

impl Scratch {
    pub fn new() -> Self {
        Scratch {
            operands: [[[0; MAX_GROUP_WIDTH]; 4]; OPERANDS],
            second: [0; MAX_GROUP_WIDTH],
            dot: [0; MAX_GROUP_WIDTH],
            results: [[0; MAX_GROUP_WIDTH]; 4],
            writes: [[false; MAX_GROUP_WIDTH]; 4],
        }
    }

    /// The result of one lane.
    pub fn result_of(&self, lane: usize) -> [u32; 4] {
        std::array::from_fn(|channel| self.results[channel][lane])
    }

    /// True if the lane executed the last instruction and no predicate held a channel back.
    pub fn wrote_all_channels(&self, lane: usize) -> bool {
        self.writes.iter().all(|writes| writes[lane])
    }
}

/// Executes the instruction for the lanes that `executing` names. (The memory write of a UMRT instruction is the caller's.)
pub(super) fn execute(
    step: &AluStep,
    rules: MadRules,
    constants: &Constants,
    al: i32,
    executing: &[bool],
    registers: &mut Registers,
    scratch: &mut Scratch,
) {
    let width = registers.width();
    for term in &step.terms {
        let row = &mut scratch.operands[term.operand][term.channel];
        fetch(term, rules, constants, al, registers, &mut scratch.second[..width], &mut row[..width]);
    }
    compute(step, rules, width, scratch);
    let is_sum = |op| match op {
        ChannelOp::Mad | ChannelOp::Mdh | ChannelOp::Mdv => true,
        ChannelOp::Min | ChannelOp::Max | ChannelOp::Cnd | ChannelOp::Cmp | ChannelOp::Frc => false,
    };
    let rgb_sums = match step.rgb_class {
        Some(RgbClass::PerChannel(op)) => is_sum(op),
        Some(RgbClass::Dot(_)) => true,
        Some(RgbClass::CopyAlpha | RgbClass::Reserved) | None => false,
    };
    if !(rgb_sums && changes_no_sum(&step.rgb)) {
        step.rgb_channels.iter().for_each(|&channel| modify(&step.rgb, &mut scratch.results[channel][..width]));
    }
    let alpha_sums = match step.alpha_class {
        Some(AlphaClass::PerChannel(op)) => is_sum(op),
        Some(AlphaClass::CopyDot) => true,
        Some(AlphaClass::Transcendental(_) | AlphaClass::Reserved) | None => false,
    };
    if step.alpha_class.is_some() && !(alpha_sums && changes_no_sum(&step.alpha)) {
        modify(&step.alpha, &mut scratch.results[ALPHA][..width]);
    }
    write(step, al, executing, registers, scratch);
}

/// Reads one operand channel.
fn fetch(
    term: &Term,
    rules: MadRules,
    constants: &Constants,
    al: i32,
    registers: &Registers,
    second: &mut [u32],
    row: &mut [u32],
) {
    let scalar = |scalar: Scalar, row: &mut [u32]| match scalar {
        Scalar::Value(value) => row.fill(value),
        Scalar::Temp { index, channel } => row.copy_from_slice(registers.temp(usize::from(index), channel)),
        Scalar::RelativeTemp { index, channel } => {
            row.copy_from_slice(registers.temp(temp_index(index, true, al), channel));
        }
        Scalar::RelativeConst { index, channel } => {
            let index = i32::from(index).wrapping_add(al).rem_euclid(FLOAT_CONSTANTS as i32);
            row.fill(constants.floats[index as usize][channel]);
        }
    };
    match term.read {
        Read::Scalar(source) => scalar(source, row),
        Read::Presubtract(op, source0, source1) => {
            scalar(source0, row);
            scalar(source1, second);
            for (value, &second) in row.iter_mut().zip(&*second) {
                *value = match op {
                    Presubtract::Bias => x1k::bias(rules, *value),
                    Presubtract::Sub => x1k::sub(second, *value),
                    Presubtract::Add => x1k::add(second, *value),
                    Presubtract::Inv => x1k::sub(ONE, *value),
                };
            }
        }
        Read::OfQuadLane(lane, source) => {
            scalar(source, second);
            for (quad, values) in row.chunks_exact_mut(4).zip(second.chunks_exact(4)) {
                quad.fill(values[lane]);
            }
        }
    }
    match term.modifier {
        InputModifier::None => {}
        InputModifier::Negate => row.iter_mut().for_each(|value| *value ^= SIGN),
        InputModifier::Absolute => row.iter_mut().for_each(|value| *value &= !SIGN),
        InputModifier::NegateAbsolute => row.iter_mut().for_each(|value| *value |= SIGN),
    }
}

/// The operations of both units. SOP and DP copy the other unit's result before its output modifier.
fn compute(step: &AluStep, rules: MadRules, width: usize, scratch: &mut Scratch) {
    let Scratch { operands, dot, results, .. } = scratch;
    let [a, b, c, ..] = &*operands;
    if let Some(RgbClass::Dot(op)) = step.rgb_class {
        for (lane, dot) in dot[..width].iter_mut().enumerate() {
            *dot = match op {
                DotOp::Dp3 => x1k::dp3(rules, at(a, lane), at(b, lane)),
                DotOp::Dp4 => x1k::dp4(rules, at(a, lane), at(b, lane)),
                DotOp::D2a => x1k::d2a(rules, at(a, lane), at(b, lane), c[2][lane]),
            };
        }
    }
    match step.alpha_class {
        Some(AlphaClass::PerChannel(op)) => per_channel(op, rules, operands, ALPHA, &mut results[ALPHA][..width]),
        Some(AlphaClass::CopyDot) => results[ALPHA][..width].copy_from_slice(&dot[..width]),
        Some(AlphaClass::Transcendental(op)) => {
            let function = transcendental(op);
            for (result, &a) in results[ALPHA][..width].iter_mut().zip(&a[ALPHA]) {
                *result = function(a);
            }
        }
        Some(AlphaClass::Reserved) | None => {}
    }
    let [rgb @ .., alpha] = results;
    for &channel in &step.rgb_channels {
        let result = &mut rgb[channel][..width];
        match step.rgb_class {
            Some(RgbClass::PerChannel(op)) => per_channel(op, rules, operands, channel, result),
            Some(RgbClass::Dot(_)) => result.copy_from_slice(&dot[..width]),
            Some(RgbClass::CopyAlpha) => result.copy_from_slice(&alpha[..width]),
            Some(RgbClass::Reserved) | None => {}
        }
    }
}

/// A function of the alpha unit.
fn transcendental(op: TranscendentalOp) -> fn(u32) -> u32 {
    match op {
        TranscendentalOp::Ex2 => x1k::ex2,
        TranscendentalOp::Ln2 => x1k::ln2,
        TranscendentalOp::Rcp => x1k::rcp,
        TranscendentalOp::Rsq => x1k::rsq,
        TranscendentalOp::Sin => x1k::sin,
        TranscendentalOp::Cos => x1k::cos,
    }
}

/// An operation that takes each channel on its own.
fn per_channel(op: ChannelOp, rules: MadRules, operands: &[[Row; 4]; OPERANDS], channel: usize, result: &mut [u32]) {
    let [a, b, c, quad_a, quad_c] = operands.each_ref().map(|operand| &operand[channel]);
    match op {
        ChannelOp::Mad => map(result, a, b, c, |a, b, c| x1k::mad(rules, a, b, c)),
        ChannelOp::Min => map(result, a, b, c, |a, b, _| x1k::min(a, b)),
        ChannelOp::Max => map(result, a, b, c, |a, b, _| x1k::max(a, b)),
        ChannelOp::Cnd => map(result, a, b, c, x1k::cnd),
        ChannelOp::Cmp => map(result, a, b, c, x1k::cmp),
        ChannelOp::Frc => map(result, a, b, c, |a, _, _| x1k::frc(a)),
        // A multiply-add of A of the quad, of B, and of C of the quad.
        ChannelOp::Mdh | ChannelOp::Mdv => map(result, quad_a, b, quad_c, |a, b, c| x1k::mad(rules, a, b, c)),
    }
}

fn map(result: &mut [u32], a: &Row, b: &Row, c: &Row, operation: impl Fn(u32, u32, u32) -> u32) {
    for (((result, &a), &b), &c) in result.iter_mut().zip(a).zip(b).zip(c) {
        *result = operation(a, b, c);
    }
}

/// The first channels of an operand of one lane.
fn at<const N: usize>(operand: &[Row; 4], lane: usize) -> [u32; N] {
    std::array::from_fn(|channel| operand[channel][lane])
}

/// True if the output modifier and the clamp change no result of a multiply-add: such results are flushed already, and
/// have the standard NaN.
fn changes_no_sum(result: &UnitResult) -> bool {
    result.omod == OutputModifier::X1 && !result.clamp
}

/// Output modifier, then clamp.
fn modify(result: &UnitResult, row: &mut [u32]) {
    let exponent = match result.omod {
        OutputModifier::X1 => 0,
        OutputModifier::X2 => 1,
        OutputModifier::X4 => 2,
        OutputModifier::X8 => 3,
        OutputModifier::Half => -1,
        OutputModifier::Quarter => -2,
        OutputModifier::Eighth => -3,
        OutputModifier::Disabled => return,
    };
    for value in row {
        *value = x1k::scale(exponent, *value);
        if result.clamp {
            *value = x1k::clamp(*value);
        }
    }
}

/// The writes of the instruction. Predicate bits are written last, as the old ones gate the other writes.
fn write(step: &AluStep, al: i32, executing: &[bool], registers: &mut Registers, scratch: &mut Scratch) {
    let Scratch { results, writes, .. } = scratch;
    for channel in 0..4 {
        let (result, writes) = (&results[channel], &mut writes[channel][..executing.len()]);
        gate(step.gates[channel], executing, registers, writes);
        let unit = step.unit(channel);
        if step.wmask[channel] {
            let dest = temp_index(unit.dest, unit.dest_relative, al);
            write_row(registers.temp_mut(dest, channel), result, writes);
        }
        if step.omask[channel] && step.kind == AluKind::Out {
            write_row(registers.output_mut(unit.target, channel), result, writes);
        }
    }
    if step.writes_cond_value {
        write_row(&mut registers.cond_value, &results[ALPHA], &writes[ALPHA]);
    }
    if step.kind == AluKind::Alu {
        for channel in (0..4).filter(|&channel| step.omask[channel]) {
            test_row(
                &mut registers.predicates[channel],
                step.unit(channel).predicate_test,
                &results[channel],
                executing,
            );
        }
    }
    if let Some((test, channel)) = step.alu_result {
        test_row(&mut registers.alu_result, test, &results[channel], executing);
    }
}

/// Which lanes write a channel: those that execute and whose predicate lets them.
pub(super) fn gate(gate: Gate, executing: &[bool], registers: &Registers, writes: &mut [bool]) {
    match gate {
        None => writes.copy_from_slice(executing),
        Some((channel, inverted)) => {
            for ((write, &executes), &bit) in writes.iter_mut().zip(executing).zip(&registers.predicates[channel]) {
                *write = executes && bit != inverted;
            }
        }
    }
}

/// Writes the values of the lanes that `writes` names.
pub(super) fn write_row(row: &mut [u32], values: &[u32], writes: &[bool]) {
    for ((old, &value), &write) in row.iter_mut().zip(values).zip(writes) {
        *old = if write { value } else { *old };
    }
}

fn test_row(bits: &mut [bool], test: ZeroTest, values: &[u32], executing: &[bool]) {
    for ((bit, &value), &executes) in bits.iter_mut().zip(values).zip(executing) {
        *bit = if executes { holds(test, value) } else { *bit };
    }
}

/// A comparison with zero (CTM Guide p.41).
fn holds(test: ZeroTest, value: u32) -> bool {
    match test {
        ZeroTest::Equal => x1k::is_zero(value),
        ZeroTest::Less => x1k::is_less_zero(value),
        ZeroTest::GreaterEqual => x1k::is_greater_equal_zero(value),
        ZeroTest::NotEqual => x1k::is_not_zero(value),
    }
}
