//! Straight-line execution of one quad, word for word as the guide describes it: every source is fetched, every operand
//! selected, every result computed for every lane of its own, nothing worked out beforehand.

use ctm_num::x1k::{self, MadRules};
use ctm_x1k::{
    AlphaOp, Alu, Arg, Body, Common, InputModifier, Instruction, Operand, OutputModifier, PredicateSelect, Presubtract,
    RgbOp, Select, Source, Swizzle, Tex, TexOp, Unit, UnitControl, ZeroTest, inline_constant,
};

/// An input: FLOAT32_4 elements in rows.
#[derive(Clone, Debug)]
pub struct Input {
    /// Elements in a row.
    pub width: usize,
    /// Rows of elements.
    pub elements: Vec<[u32; 4]>,
}

/// What all lanes see.
#[derive(Clone, Debug)]
pub struct Environment {
    /// Float constants.
    pub floats: Vec<[u32; 4]>,
    /// The loop variable.
    pub al: i32,
    /// Inputs.
    pub inputs: Vec<Input>,
    /// Rules of the multiply-adds.
    pub rules: MadRules,
}

/// The state of a lane. Values are binary32 bits.
#[derive(Clone, Debug, PartialEq)]
pub struct Lane {
    /// Temporaries.
    pub temps: [[u32; 4]; 128],
    /// Output registers.
    pub outputs: [[u32; 4]; 4],
    /// Predicate bits.
    pub predicates: [bool; 4],
    /// The conditional value.
    pub cond_value: u32,
    /// The lane was killed.
    pub killed: bool,
}

/// Executes an instruction in the four lanes of a quad: top left, top right, bottom left, bottom right.
///
/// # Panics
/// For flow control, which this does not do.
pub fn execute(instruction: &Instruction, lanes: &mut [Lane; 4], environment: &Environment) {
    let before = lanes.clone();
    for lane in lanes.iter_mut().filter(|lane| !lane.killed) {
        match &instruction.body {
            Body::Alu(alu) => arithmetic(&instruction.common, alu, false, lane, &before, environment),
            Body::Out(alu) => arithmetic(&instruction.common, alu, true, lane, &before, environment),
            Body::Tex(tex) => texture(&instruction.common, tex, lane, environment),
            Body::Flow(_) => panic!("flow control in a straight-line program"),
        }
    }
}

fn temp_number(index: u8, relative: bool, al: i32) -> usize {
    ((i32::from(index) + if relative { al } else { 0 }) & 127) as usize
}

/// The four channels that an address names; an inline constant is the same in all.
fn fetch(source: Source, lane: &Lane, environment: &Environment) -> [u32; 4] {
    match source.operand() {
        Operand::Temp { index, relative } => lane.temps[temp_number(index, relative, environment.al)],
        Operand::Const { index, relative: false } => environment.floats[usize::from(index)],
        Operand::Const { index, relative: true } => {
            environment.floats[((i32::from(index) + environment.al) & 255) as usize]
        }
        Operand::Inline(code) => [inline_constant(code).to_bits(); 4],
    }
}

fn presubtract(op: Presubtract, src0: u32, src1: u32, rules: MadRules) -> u32 {
    match op {
        Presubtract::Bias => x1k::bias(rules, src0),
        Presubtract::Sub => x1k::sub(src1, src0),
        Presubtract::Add => x1k::add(src1, src0),
        Presubtract::Inv => x1k::sub(1.0f32.to_bits(), src0),
    }
}

fn modify(modifier: InputModifier, value: u32) -> u32 {
    match modifier {
        InputModifier::None => value,
        InputModifier::Negate => value ^ 1 << 31,
        InputModifier::Absolute => value & !(1 << 31),
        InputModifier::NegateAbsolute => value | 1 << 31,
    }
}

/// The source vectors 0, 1, 2 and the presubtract result, each with its RGB from the one side and its alpha from the
/// other.
fn source_vectors(alu: &Alu, lane: &Lane, environment: &Environment) -> [[u32; 4]; 4] {
    let [v0, v1, v2] = std::array::from_fn(|number| {
        let rgb = fetch(alu.rgb.src[number], lane, environment);
        let alpha = fetch(alu.alpha.src[number], lane, environment);
        [rgb[0], rgb[1], rgb[2], alpha[3]]
    });
    let presubtracted = std::array::from_fn(|channel| {
        let op = if channel == 3 { alu.alpha.srcp } else { alu.rgb.srcp };
        presubtract(op, v0[channel], v1[channel], environment.rules)
    });
    [v0, v1, v2, presubtracted]
}

fn select<const N: usize>(arg: &Arg<N>, channel: usize, vectors: &[[u32; 4]; 4]) -> u32 {
    let vector = match arg.sel {
        Select::Src0 => vectors[0],
        Select::Src1 => vectors[1],
        Select::Src2 => vectors[2],
        Select::Srcp => vectors[3],
    };
    let value = match arg.swizzle[channel] {
        Swizzle::R => vector[0],
        Swizzle::G => vector[1],
        Swizzle::B => vector[2],
        Swizzle::A => vector[3],
        Swizzle::Zero | Swizzle::Unused => 0,
        Swizzle::Half => 0.5f32.to_bits(),
        Swizzle::One => 1.0f32.to_bits(),
    };
    modify(arg.modifier, value)
}

/// The output modifier and the clamp of a unit.
fn finish<Op, const N: usize>(unit: &Unit<Op, N>, control: &UnitControl, value: u32) -> u32 {
    let scaled = match unit.omod {
        OutputModifier::X1 => x1k::scale(0, value),
        OutputModifier::X2 => x1k::scale(1, value),
        OutputModifier::X4 => x1k::scale(2, value),
        OutputModifier::X8 => x1k::scale(3, value),
        OutputModifier::Half => x1k::scale(-1, value),
        OutputModifier::Quarter => x1k::scale(-2, value),
        OutputModifier::Eighth => x1k::scale(-3, value),
        OutputModifier::Disabled => return value,
    };
    if control.clamp { x1k::clamp(scaled) } else { scaled }
}

fn test(test: ZeroTest, value: u32) -> bool {
    match test {
        ZeroTest::Equal => x1k::is_zero(value),
        ZeroTest::Less => x1k::is_less_zero(value),
        ZeroTest::GreaterEqual => x1k::is_greater_equal_zero(value),
        ZeroTest::NotEqual => x1k::is_not_zero(value),
    }
}

fn passes(control: &UnitControl, channel: usize, predicates: &[bool; 4]) -> bool {
    let bit = match control.pred_sel {
        PredicateSelect::None | PredicateSelect::Reserved6 | PredicateSelect::Reserved7 => return true,
        PredicateSelect::PerChannel => predicates[channel],
        PredicateSelect::Red => predicates[0],
        PredicateSelect::Green => predicates[1],
        PredicateSelect::Blue => predicates[2],
        PredicateSelect::Alpha => predicates[3],
    };
    bit != control.pred_inv
}

fn arithmetic(common: &Common, alu: &Alu, out: bool, lane: &mut Lane, quad: &[Lane; 4], environment: &Environment) {
    let rules = environment.rules;
    let vectors = source_vectors(alu, lane, environment);
    // Operands A, B, C: red, green, blue, alpha.
    let operands: [[u32; 4]; 3] = std::array::from_fn(|operand| {
        std::array::from_fn(|channel| match channel {
            3 => select(&alu.alpha.arg[operand], 0, &vectors),
            _ => select(&alu.rgb.arg[operand], channel, &vectors),
        })
    });
    let [a, b, c] = operands;
    // Source 0 of another lane of the quad, with the input modifier of an operand.
    let across = |other: usize, operand: usize, channel: usize| {
        let vectors = source_vectors(alu, &quad[other], environment);
        let modifier = if channel == 3 { alu.alpha.arg[operand].modifier } else { alu.rgb.arg[operand].modifier };
        modify(modifier, vectors[0][channel])
    };
    let derivative =
        |other: usize, channel: usize| x1k::mad(rules, across(0, 0, channel), b[channel], across(other, 2, channel));

    let dot = match alu.rgb.op {
        RgbOp::Dp3 => x1k::dp3(rules, [a[0], a[1], a[2]], [b[0], b[1], b[2]]),
        RgbOp::Dp4 => x1k::dp4(rules, a, b),
        RgbOp::D2a => x1k::d2a(rules, [a[0], a[1]], [b[0], b[1]], c[2]),
        _ => 0,
    };
    let alpha = match alu.alpha.op {
        AlphaOp::Mad => x1k::mad(rules, a[3], b[3], c[3]),
        AlphaOp::Dp => dot,
        AlphaOp::Min => x1k::min(a[3], b[3]),
        AlphaOp::Max => x1k::max(a[3], b[3]),
        AlphaOp::Reserved4 => 0,
        AlphaOp::Cnd => x1k::cnd(a[3], b[3], c[3]),
        AlphaOp::Cmp => x1k::cmp(a[3], b[3], c[3]),
        AlphaOp::Frc => x1k::frc(a[3]),
        AlphaOp::Ex2 => x1k::ex2(a[3]),
        AlphaOp::Ln2 => x1k::ln2(a[3]),
        AlphaOp::Rcp => x1k::rcp(a[3]),
        AlphaOp::Rsq => x1k::rsq(a[3]),
        AlphaOp::Sin => x1k::sin(a[3]),
        AlphaOp::Cos => x1k::cos(a[3]),
        AlphaOp::Mdh => derivative(1, 3),
        AlphaOp::Mdv => derivative(2, 3),
    };
    let mut result: [u32; 4] = std::array::from_fn(|channel| match alu.rgb.op {
        _ if channel == 3 => alpha,
        RgbOp::Mad => x1k::mad(rules, a[channel], b[channel], c[channel]),
        RgbOp::Dp3 | RgbOp::Dp4 | RgbOp::D2a => dot,
        RgbOp::Min => x1k::min(a[channel], b[channel]),
        RgbOp::Max => x1k::max(a[channel], b[channel]),
        RgbOp::Cnd => x1k::cnd(a[channel], b[channel], c[channel]),
        RgbOp::Cmp => x1k::cmp(a[channel], b[channel], c[channel]),
        RgbOp::Frc => x1k::frc(a[channel]),
        RgbOp::Sop => alpha,
        RgbOp::Mdh => derivative(1, channel),
        RgbOp::Mdv => derivative(2, channel),
        RgbOp::Reserved6 | RgbOp::Reserved13 | RgbOp::Reserved14 | RgbOp::Reserved15 => 0,
    });
    for (channel, value) in result.iter_mut().enumerate() {
        *value = match channel {
            3 => finish(&alu.alpha, &common.alpha, *value),
            _ => finish(&alu.rgb, &common.rgb, *value),
        };
    }

    let old = lane.predicates;
    for channel in 0..4 {
        let (control, bit) = if channel == 3 { (&common.alpha, 0) } else { (&common.rgb, channel) };
        let (dest, relative, target) = match channel {
            3 => (alu.alpha.dest, alu.alpha.dest_relative, alu.alpha.target),
            _ => (alu.rgb.dest, alu.rgb.dest_relative, alu.rgb.target),
        };
        let gate = passes(control, channel, &old);
        if control.wmask >> bit & 1 == 1 && gate {
            lane.temps[temp_number(dest, relative, environment.al)][channel] = result[channel];
        }
        if control.omask >> bit & 1 == 1 {
            if out && gate {
                lane.outputs[usize::from(target)][channel] = result[channel];
            } else if !out {
                lane.predicates[channel] = test(ZeroTest::ALL[usize::from(target)], result[channel]);
            }
        }
        if channel == 3 && alu.w_omask && gate {
            lane.cond_value = result[3];
        }
    }
}

fn texture(common: &Common, tex: &Tex, lane: &mut Lane, environment: &Environment) {
    let source = lane.temps[temp_number(tex.src.addr, tex.src.relative, environment.al)];
    let [s, t, r, q] = tex.src.swizzle.map(|channel| source[channel as usize]);
    let gates: [bool; 4] = std::array::from_fn(|channel| {
        passes(if channel == 3 { &common.alpha } else { &common.rgb }, channel, &lane.predicates)
    });
    match tex.op {
        TexOp::Nop | TexOp::Reserved7 => return,
        TexOp::Texkill => {
            lane.killed = [s, t, r, q].into_iter().zip(gates).any(|(value, gate)| gate && x1k::is_less_zero(value));
            return;
        }
        TexOp::Ld | TexOp::Proj | TexOp::Lodbias | TexOp::Lod | TexOp::Dxdy => {}
    }
    let input = &environment.inputs[usize::from(tex.id)];
    let height = input.elements.len() / input.width;
    let index = |mut coordinate: u32, size: usize| {
        if tex.op == TexOp::Proj {
            coordinate = x1k::div(coordinate, q);
        }
        if !tex.unscaled {
            coordinate = x1k::mul(coordinate, (size as f32).to_bits());
        }
        let floor = f32::from_bits(coordinate).floor();
        if floor.is_nan() || floor < 0.0 { 0 } else { (floor as f64).min((size - 1) as f64) as usize }
    };
    let element = input.elements[index(t, height) * input.width + index(s, input.width)];
    let dest = temp_number(tex.dst.addr, tex.dst.relative, environment.al);
    for channel in 0..4 {
        let masked = if channel == 3 { common.alpha.wmask } else { common.rgb.wmask >> channel & 1 };
        if masked == 1 && gates[channel] {
            lane.temps[dest][channel] = element[tex.dst.swizzle[channel] as usize];
        }
    }
}
