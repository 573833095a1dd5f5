//! What the card does with a fragment after its program, as lane IR: alpha, stencil and depth tests, blending, the bits that are stored.
//! Fractions are counted in floats, in which all these integers are exact.

use crate::pipeline::fragment::AlphaTest;
use ctm_lane::{Builder, Denorm, FloatTest, IntTest, Round, Rounding, Value, Zero};
use ctm_raster::blend::{BlendEquation, BlendFactor, BlendFunction, BlendState, LogicOp};
use ctm_raster::channel::{Channel, ChannelKind};
use ctm_raster::colour::{ColourOperation, ColourState};
use ctm_raster::depth::{CompareFunction, DepthStencilState, StencilOperation, StencilState};

/// Fractions of so many bits are stored at most: half a step more is still exact in a float.
const MOST_BITS: u32 = 16;

const FLUSH: Denorm = Denorm::Flush;

fn product(b: &mut Builder, a: Value, c: Value) -> Value {
    b.fmul(FLUSH, Zero::Ieee, a, c)
}

/// a * c + d with one rounding.
fn sum(b: &mut Builder, a: Value, c: Value, d: Value) -> Value {
    b.fma(FLUSH, Zero::Ieee, a, c, d)
}

/// The nearest integer to `max` times a value that is clamped to [0, 1], halves up, as a float. NaN gives 0.
fn code(b: &mut Builder, value: Value, max: u32) -> Value {
    let inside = b.clamp01(FLUSH, value);
    let (scale, half) = (b.float_constant(max as f32), b.float_constant(0.5));
    let rounded = sum(b, inside, scale, half);
    let floor = b.fround(Round::Floor, FLUSH, rounded);
    // If the sum was rounded up to an integer, the exact one is below it.
    let rest = b.fsub(FLUSH, half, floor);
    let above = sum(b, inside, scale, rest);
    let (zero, one) = (b.constant(0), b.float_constant(1.0));
    let is_below = b.fcmp(FloatTest::Olt, FLUSH, above, zero);
    let less = b.fsub(FLUSH, floor, one);
    b.select(is_below, less, floor)
}

/// The nearest integer to `to / from` times an integer. No quotient of the formats that are supported lies nearer to the middle between
/// two integers than 1/2046.
fn rescaled(b: &mut Builder, value: Value, from: u32, to: u32) -> Value {
    if from == to {
        return value;
    }
    let (factor, half) = (b.float_constant((f64::from(to) / f64::from(from)) as f32), b.float_constant(0.5));
    let rounded = sum(b, value, factor, half);
    b.fround(Round::Floor, FLUSH, rounded)
}

fn shifted_right(b: &mut Builder, value: Value, bits: u32) -> Value {
    if bits == 0 {
        return value;
    }
    let bits = b.constant(bits);
    b.shr(value, bits)
}

fn masked(b: &mut Builder, value: Value, mask: u32) -> Value {
    if mask == u32::MAX {
        return value;
    }
    let mask = b.constant(mask);
    b.and(value, mask)
}

fn holds(b: &mut Builder, function: CompareFunction, incoming: Value, stored: Value) -> Value {
    let test = match function {
        CompareFunction::Never => return b.mask_constant(false),
        CompareFunction::Always => return b.mask_constant(true),
        CompareFunction::Less => IntTest::Ult,
        CompareFunction::LessOrEqual => IntTest::Ule,
        CompareFunction::Equal => IntTest::Eq,
        CompareFunction::GreaterOrEqual => IntTest::Uge,
        CompareFunction::Greater => IntTest::Ugt,
        CompareFunction::NotEqual => IntTest::Ne,
    };
    b.icmp(test, incoming, stored)
}

/// The lanes that pass the alpha test.
pub fn alpha_test(b: &mut Builder, test: &AlphaTest, alpha: Value) -> Value {
    let (function, alpha, reference) = match *test {
        AlphaTest::Half { function, reference } => {
            let half = b.ftoh(Rounding::Even, alpha);
            (function, b.htof(half), f32::from_bits(reference))
        }
        AlphaTest::Code { function, max, reference } => (function, code(b, alpha, max), reference as f32),
    };
    let reference = b.float_constant(reference);
    let test = match function {
        CompareFunction::Never => return b.mask_constant(false),
        CompareFunction::Always => return b.mask_constant(true),
        CompareFunction::Less => FloatTest::Olt,
        CompareFunction::LessOrEqual => FloatTest::Ole,
        CompareFunction::Equal => FloatTest::Oeq,
        CompareFunction::GreaterOrEqual => FloatTest::Oge,
        CompareFunction::Greater => FloatTest::Ogt,
        CompareFunction::NotEqual => FloatTest::Une,
    };
    b.fcmp(test, FLUSH, alpha, reference)
}

/// What is stored of a fragment in a depth buffer.
#[derive(Clone, Copy)]
pub struct LaneDepthStencil {
    /// Depth, in units of the buffer.
    pub depth: Value,
    /// Stencil.
    pub stencil: Value,
}

/// The lanes that pass stencil and depth tests, and what is to be stored. `is_back` are those whose primitive shows its back.
pub fn depth_test(
    b: &mut Builder,
    state: &DepthStencilState,
    stored: LaneDepthStencil,
    incoming: Value,
    is_back: Value,
) -> (Value, LaneDepthStencil) {
    let depth_passes = match &state.depth {
        Some(depth) => holds(b, depth.function, incoming, stored.depth),
        None => b.mask_constant(true),
    };
    let (stencil_passes, stencil) = match &state.stencil {
        None => (b.mask_constant(true), stored.stencil),
        Some([front, back]) if front == back => stencil_test(b, front, stored.stencil, depth_passes),
        Some(sides) => {
            let [front, back] = sides.each_ref().map(|side| stencil_test(b, side, stored.stencil, depth_passes));
            (b.mask_select(is_back, back.0, front.0), b.select(is_back, back.1, front.1))
        }
    };
    let passed = b.mask_and(stencil_passes, depth_passes);
    let depth = match state.depth {
        Some(depth) if depth.write => b.select(passed, incoming, stored.depth),
        Some(_) | None => stored.depth,
    };
    (passed, LaneDepthStencil { depth, stencil })
}

fn stencil_test(b: &mut Builder, side: &StencilState, stored: Value, depth_passes: Value) -> (Value, Value) {
    let reference = b.constant((side.reference & side.mask).into());
    let compared = masked(b, stored, side.mask.into());
    let passes = holds(b, side.function, reference, compared);
    let [fail, depth_fail, pass] =
        [side.fail, side.depth_fail, side.pass].map(|operation| operated(b, operation, stored, side.reference));
    let passed = b.select(depth_passes, pass, depth_fail);
    let new = b.select(passes, passed, fail);
    let new = masked(b, new, side.write_mask.into());
    let kept = masked(b, stored, (!side.write_mask).into());
    (passes, b.or(new, kept))
}

fn operated(b: &mut Builder, operation: StencilOperation, stored: Value, reference: u8) -> Value {
    let (zero, one, all) = (b.constant(0), b.constant(1), b.constant(0xFF));
    match operation {
        StencilOperation::Keep => stored,
        StencilOperation::Zero => zero,
        StencilOperation::Replace => b.constant(reference.into()),
        StencilOperation::IncrementClamp => {
            let more = b.iadd(stored, one);
            b.umin(more, all)
        }
        StencilOperation::DecrementClamp => {
            let more = b.umax(stored, one);
            b.isub(more, one)
        }
        StencilOperation::Invert => b.xor(stored, all),
        StencilOperation::IncrementWrap => {
            let more = b.iadd(stored, one);
            b.and(more, all)
        }
        StencilOperation::DecrementWrap => {
            let less = b.isub(stored, one);
            b.and(less, all)
        }
    }
}

/// Whether [`stored_words`] knows how colours are written so.
pub fn is_supported(state: &ColourState) -> bool {
    state.format().channels.iter().flatten().all(|channel| match (channel.kind(), state.operation()) {
        (ChannelKind::Unorm, ColourOperation::Copy) => channel.width() <= MOST_BITS,
        (ChannelKind::Unorm, ColourOperation::BlendInteger { bits, .. } | ColourOperation::Logic { bits, .. }) => {
            channel.width() <= *bits
        }
        (ChannelKind::Float32, ColourOperation::Copy) => true,
        (_, ColourOperation::BlendFloat(_)) | (ChannelKind::Float32 | ChannelKind::Float16 | ChannelKind::Snorm, _) => {
            false
        }
    })
}

/// The words that are stored for the channels of a colour, by those that are there. The latter are asked for where they matter.
pub fn stored_words(b: &mut Builder, state: &ColourState, source: [Value; 4], memory: &[Value]) -> Vec<Value> {
    let zero = b.constant(0);
    let format = state.format();
    let mut words = vec![zero; format.bytes.div_ceil(4) as usize];
    let blended = match state.operation() {
        ColourOperation::BlendInteger { state: equations, bits } => {
            Some(Blending::new(b, state, *bits, source, memory).result(b, equations))
        }
        ColourOperation::Copy | ColourOperation::BlendFloat(_) | ColourOperation::Logic { .. } => None,
    };
    for (n, channel) in format.channels.iter().enumerate() {
        let Some(channel) = channel else { continue };
        let bits = match (state.operation(), &blended) {
            (ColourOperation::BlendInteger { bits, .. }, Some(result)) => {
                let result = b.ftou(result[n]);
                shifted_right(b, result, bits - channel.width())
            }
            (ColourOperation::Logic { bits, .. }, _) => {
                let result = code(b, source[n], (1 << bits) - 1);
                let result = b.ftou(result);
                shifted_right(b, result, bits - channel.width())
            }
            _ => encoded(b, *channel, source[n]),
        };
        let shift = b.constant(channel.shift());
        let bits = if channel.shift() == 0 { bits } else { b.shl(bits, shift) };
        let word = &mut words[channel.word()];
        *word = b.or(*word, bits);
    }
    if let ColourOperation::Logic { operation, .. } = state.operation() {
        for (word, &memory) in words.iter_mut().zip(memory) {
            *word = combined(b, *operation, *word, memory);
        }
    }
    if state.reads_memory() {
        for (word, (&memory, written)) in words.iter_mut().zip(memory.iter().zip(state.written())) {
            let (new, kept) = (masked(b, *word, written), masked(b, memory, !written));
            *word = b.or(new, kept);
        }
    }
    words
}

/// The bits of a channel for a number.
fn encoded(b: &mut Builder, channel: Channel, value: Value) -> Value {
    match channel.kind() {
        ChannelKind::Unorm => {
            let code = code(b, value, channel.max());
            b.ftou(code)
        }
        // The others are not supported.
        ChannelKind::Float32 | ChannelKind::Float16 | ChannelKind::Snorm => value,
    }
}

/// The bits of a logic operation.
fn combined(b: &mut Builder, LogicOp(table): LogicOp, source: Value, destination: Value) -> Value {
    let all = b.constant(u32::MAX);
    let (no_source, no_destination) = (b.xor(source, all), b.xor(destination, all));
    let rows = [(no_source, no_destination), (no_source, destination), (source, no_destination), (source, destination)];
    let mut result = b.constant(0);
    for (row, (source, destination)) in rows.into_iter().enumerate() {
        if table >> row & 1 != 0 {
            let bits = b.and(source, destination);
            result = b.or(result, bits);
        }
    }
    result
}

/// What takes part in blending: integers from 0 to `one`, as floats.
struct Blending {
    one: u32,
    source: [Value; 4],
    destination: [Value; 4],
    destination_alpha: Value,
    constant: [Value; 4],
}

impl Blending {
    fn new(b: &mut Builder, state: &ColourState, bits: u32, source: [Value; 4], memory: &[Value]) -> Self {
        let one = (1u32 << bits) - 1;
        let zero = b.constant(0);
        let destination = state.format().channels.map(|channel| {
            let Some(channel) = channel else { return zero };
            let bits = shifted_right(b, memory[channel.word()], channel.shift());
            let bits = masked(b, bits, channel.max());
            let value = b.utof(bits);
            rescaled(b, value, channel.max(), one)
        });
        Blending {
            one,
            source: source.map(|value| code(b, value, one)),
            destination,
            destination_alpha: match state.destination_alpha() {
                Some(channel) => destination[channel],
                None => b.float_constant(one as f32),
            },
            constant: state.constant().map(|value| b.float_constant(value.min(one) as f32)),
        }
    }

    fn result(&self, b: &mut Builder, state: &BlendState) -> [Value; 4] {
        [0, 1, 2, 3].map(|channel| self.channel(b, state.equation(channel), channel))
    }

    fn channel(&self, b: &mut Builder, equation: &BlendEquation, channel: usize) -> Value {
        let (source, destination) = (self.source[channel], self.destination[channel]);
        let mut weighted = |value: Value, factor| {
            let factor = self.factor(b, factor, channel);
            product(b, value, factor)
        };
        let source_part = weighted(source, equation.source);
        let destination_part = weighted(destination, equation.destination);
        let total = match equation.function {
            BlendFunction::Min => return b.fmin(FLUSH, source, destination),
            BlendFunction::Max => return b.fmax(FLUSH, source, destination),
            BlendFunction::Add => b.fadd(FLUSH, source_part, destination_part),
            BlendFunction::Subtract => b.fsub(FLUSH, source_part, destination_part),
            BlendFunction::ReverseSubtract => b.fsub(FLUSH, destination_part, source_part),
        };
        let (zero, most) = (b.constant(0), b.float_constant((self.one * self.one) as f32));
        let total = b.fmax(FLUSH, total, zero);
        let total = b.fmin(FLUSH, total, most);
        rescaled(b, total, self.one, 1)
    }

    fn factor(&self, b: &mut Builder, factor: BlendFactor, channel: usize) -> Value {
        const ALPHA: usize = 3;
        let one = b.float_constant(self.one as f32);
        let mut one_minus = |value| b.fsub(FLUSH, one, value);
        match factor {
            BlendFactor::Zero => b.constant(0),
            BlendFactor::One => one,
            BlendFactor::SourceColour => self.source[channel],
            BlendFactor::OneMinusSourceColour => one_minus(self.source[channel]),
            BlendFactor::DestinationColour => self.destination[channel],
            BlendFactor::OneMinusDestinationColour => one_minus(self.destination[channel]),
            BlendFactor::SourceAlpha => self.source[ALPHA],
            BlendFactor::OneMinusSourceAlpha => one_minus(self.source[ALPHA]),
            BlendFactor::DestinationAlpha => self.destination_alpha,
            BlendFactor::OneMinusDestinationAlpha => one_minus(self.destination_alpha),
            BlendFactor::SourceAlphaSaturate if channel == ALPHA => one,
            BlendFactor::SourceAlphaSaturate => {
                let unused = one_minus(self.destination_alpha);
                b.fmin(FLUSH, self.source[ALPHA], unused)
            }
            BlendFactor::ConstantColour => self.constant[channel],
            BlendFactor::OneMinusConstantColour => one_minus(self.constant[channel]),
            BlendFactor::ConstantAlpha => self.constant[ALPHA],
            BlendFactor::OneMinusConstantAlpha => one_minus(self.constant[ALPHA]),
        }
    }
}
