//! Scalar operations put together into one instruction: up to three in the colour unit, one in the alpha unit, with six source addresses in all.

use super::machine::{Code, Op, Operand, Source, Target};
use super::operand::{Address, Arg, Literals, Need, arg};
use super::place::{ALPHA, Places, Vector, dot_vectors};
use ctm_x1k::{AlphaOp, InputModifier, OutputModifier, Presubtract, ResultChannel, RgbOp, Swizzle, ZeroTest};

/// Source vectors that an instruction has.
const SOURCES: usize = 3;
/// The number of what presubtract makes of them.
const PRESUBTRACTED: usize = 3;
const ONE: u32 = 0x3F80_0000;

/// The operations of an instruction by channel, with the place of each operation's result if it has one.
pub(super) type Lanes = [Option<usize>; 4];

/// What one of the units does.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct UnitUse<O, const N: usize> {
    pub op: O,
    /// Source vector, swizzle and modifier of A, B and C.
    pub args: [(usize, [Swizzle; N], InputModifier); 3],
    pub scale: OutputModifier,
    pub clamp: bool,
    /// The vector whose channels are written, and which (bit k: channel k of the unit).
    pub dest: Option<(Vector, u8)>,
    /// The output register whose channels are written, and which.
    pub output: Option<(u8, u8)>,
}

/// An arithmetic instruction before registers are chosen.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bundle {
    pub colours: Option<UnitUse<RgbOp, 3>>,
    pub alpha: Option<UnitUse<AlphaOp, 1>>,
    /// Addresses of colours and of alpha, per source vector.
    pub sources: [[Option<Address>; SOURCES]; 2],
    /// The presubtract operations of colours and of alpha.
    pub presubtract: [Option<Presubtract>; 2],
    pub test: Option<(ZeroTest, ResultChannel)>,
    /// A test that goes to a predicate, by its channel.
    pub predicate: Option<(ZeroTest, usize)>,
    pub depth: bool,
    pub line: u32,
    /// The highest number of a value that it gives.
    pub order: u32,
}

/// The machine's operation in the colour unit.
fn rgb_op(code: Code) -> RgbOp {
    match code {
        Code::Move | Code::Max => RgbOp::Max,
        Code::Mad => RgbOp::Mad,
        Code::Min => RgbOp::Min,
        Code::Cmp => RgbOp::Cmp,
        Code::Cnd => RgbOp::Cnd,
        Code::Frc => RgbOp::Frc,
        Code::Dot2Add => RgbOp::D2a,
        Code::Dot3 => RgbOp::Dp3,
        Code::Dot4 => RgbOp::Dp4,
        Code::Exp2 | Code::Log2 | Code::Rcp | Code::Rsq | Code::Sin | Code::Cos => RgbOp::Sop,
        Code::Ddx => RgbOp::Mdh,
        Code::Ddy => RgbOp::Mdv,
        Code::Fetch(_) | Code::Kill => unreachable!("texture instructions stand alone"),
    }
}

/// The machine's operation in the alpha unit.
fn alpha_op(code: Code) -> AlphaOp {
    match code {
        Code::Move | Code::Max => AlphaOp::Max,
        Code::Mad => AlphaOp::Mad,
        Code::Min => AlphaOp::Min,
        Code::Cmp => AlphaOp::Cmp,
        Code::Cnd => AlphaOp::Cnd,
        Code::Frc => AlphaOp::Frc,
        Code::Dot2Add | Code::Dot3 | Code::Dot4 => AlphaOp::Dp,
        Code::Exp2 => AlphaOp::Ex2,
        Code::Log2 => AlphaOp::Ln2,
        Code::Rcp => AlphaOp::Rcp,
        Code::Rsq => AlphaOp::Rsq,
        Code::Sin => AlphaOp::Sin,
        Code::Cos => AlphaOp::Cos,
        Code::Ddx => AlphaOp::Mdh,
        Code::Ddy => AlphaOp::Mdv,
        Code::Fetch(_) | Code::Kill => unreachable!("texture instructions stand alone"),
    }
}

/// The output modifier: what chooses among its operands leaves bits as they are, unless something is to be changed.
fn scale(op: &Op) -> OutputModifier {
    let as_it_is = op.code.is_choice() && op.scale == OutputModifier::X1 && !op.clamp;
    if as_it_is { OutputModifier::Disabled } else { op.scale }
}

/// Whether a move can be one of the operations `code` of an instruction, of its operand and neutral ones.
fn move_as(op: &Op, code: Code) -> bool {
    if op.code != Code::Move {
        return false;
    }
    match code {
        Code::Min | Code::Max | Code::Cmp | Code::Cnd => true,
        // Sums have no denormals, and no zero that is negative: outputs may lose these, sums read them alike, and most numbers are neither.
        Code::Mad => match op.args[0].source {
            Source::Number(bits) => bits == 0 || f32::from_bits(bits).is_normal(),
            Source::Web(_) | Source::Uniform { .. } | Source::Relative { .. } | Source::Presubtract(..) => {
                (op.result().is_none() || op.only_for_sums) && op.test.is_none()
            }
        },
        _ => false,
    }
}

/// Where moves have their operand that are part of a multiply-add.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MoveForm {
    /// a * 1 + 0
    Factor,
    /// 0 * 0 + a
    Addend,
}

/// The operand of an operation at A, B or C, if the instruction's operation is `code`.
fn operand(op: &Op, code: Code, form: MoveForm, k: usize) -> Option<Operand> {
    match op.code {
        Code::Move if code == Code::Mad => {
            let (own, zero) = (op.args[0], Operand::number(0));
            Some(match form {
                MoveForm::Factor => [own, Operand::number(ONE), zero][k],
                MoveForm::Addend => [zero, zero, own][k],
            })
        }
        Code::Move if matches!(code, Code::Cmp | Code::Cnd) => Some([op.args[0], op.args[0], Operand::number(0)][k]),
        // A move is the larger of the operand and itself.
        Code::Move => (k < 2).then(|| op.args[0]),
        // A derivative is the difference of what lies in the first source: A * -1 + C.
        Code::Ddx | Code::Ddy => match k {
            1 => Some(Operand::number(ONE | 0x8000_0000)),
            _ => Some(op.args[0]),
        },
        _ => op.args.get(k).copied(),
    }
}

/// Operations by channel as one instruction, if the machine has it. `vectors`: where each operation's result is to lie, by channel, if
/// that is in a register; an operation may stand in several channels.
pub(super) fn compose(
    ops: &[Op],
    lanes: &Lanes,
    dest: &[Option<Vector>; 4],
    places: &Places,
    literals: &mut Literals,
) -> Option<Bundle> {
    let before = literals.clone();
    compose_with(ops, lanes, dest, places, literals, MoveForm::Factor).or_else(|| {
        *literals = before;
        let code = |index: &usize| ops[*index].code;
        let colours = || lanes[..ALPHA].iter().flatten();
        let both = colours().any(|k| code(k) == Code::Move) && colours().any(|k| code(k) == Code::Mad);
        both.then(|| compose_with(ops, lanes, dest, places, literals, MoveForm::Addend)).flatten()
    })
}

fn compose_with(
    ops: &[Op],
    lanes: &Lanes,
    dest: &[Option<Vector>; 4],
    places: &Places,
    literals: &mut Literals,
    form: MoveForm,
) -> Option<Bundle> {
    let place = |web| places.get(web).map(|place| (place.vector, place.channel));
    let colour_ops: Vec<&Op> = lanes[..ALPHA].iter().flatten().map(|&k| &ops[k]).collect();
    let alpha = lanes[ALPHA].map(|k| &ops[k]);
    // What the instruction does: a move can be part of something else.
    let first = colour_ops.iter().find(|op| op.code != Code::Move).or(colour_ops.first()).copied();
    let same = |a: &Op, b: &Op| (a.code == b.code || move_as(a, b.code)) && a.clamp == b.clamp && a.scale == b.scale;
    if let Some(first) = first
        && !colour_ops.iter().all(|op| same(op, first))
    {
        return None;
    }
    // Whole-unit operations have one scalar operation in all of their channels, and bind the other unit.
    if let Some(first) = first
        && (first.code.is_dot() || first.code.is_transcendental())
    {
        if !colour_ops.iter().all(|op| std::ptr::eq(*op, first)) {
            return None;
        }
        let alpha_is_same = alpha.is_some_and(|op| std::ptr::eq(op, first));
        let alpha_is_free = first.code == Code::Dot2Add || first.code == Code::Dot3;
        if !(alpha_is_same || alpha.is_none() || alpha_is_free)
            || alpha.is_some_and(|op| op.code.is_dot() && !alpha_is_same)
        {
            return None;
        }
    } else if alpha.is_some_and(|op| op.code.is_dot()) && first.is_some() {
        return None;
    }
    // Operands, colours first.
    let mut colour_args: [Option<Arg<3>>; 3] = [None; 3];
    let mut alpha_args: [Option<Arg<1>>; 3] = [None; 3];
    let dot = first.or(alpha).filter(|op| op.code.is_dot());
    if let Some(op) = dot {
        let (a, b) = dot_vectors(op);
        for (k, vector) in [a, b].iter().enumerate() {
            let lanes: [Option<Operand>; 3] = std::array::from_fn(|lane| vector.get(lane).copied());
            colour_args[k] = Some(arg(&lanes, true, &place, literals)?);
            if let Some(&fourth) = vector.get(3) {
                alpha_args[k] = Some(arg(&[Some(fourth)], true, &place, literals)?);
            }
        }
        if op.code == Code::Dot2Add {
            colour_args[2] = Some(arg(&[None, None, Some(op.args[4])], true, &place, literals)?);
        }
    } else if let Some(first) = first.filter(|op| !op.code.is_transcendental()) {
        for (k, slot) in colour_args.iter_mut().enumerate() {
            let operands: [Option<Operand>; 3] =
                std::array::from_fn(|lane| lanes[lane].and_then(|index| operand(&ops[index], first.code, form, k)));
            if operands.iter().any(Option::is_some) {
                *slot = Some(arg(&operands, first.code == Code::Mad, &place, literals)?);
            }
        }
    }
    // The alpha unit calculates what the colour unit copies.
    let alpha_code = match (alpha, first) {
        (Some(op), _) => Some(op),
        (None, Some(op)) if op.code.is_transcendental() => Some(op),
        _ => None,
    };
    if let Some(op) = alpha_code
        && !op.code.is_dot()
    {
        for (k, slot) in alpha_args.iter_mut().enumerate() {
            if let Some(operand) = operand(op, op.code, form, k) {
                *slot = Some(arg(&[Some(operand)], op.code == Code::Mad, &place, literals)?);
            }
        }
    }
    // Derivatives read their register as it lies, from the first source.
    let pinned = |op: Option<&Op>| op.is_some_and(|op| op.code.is_derivative());
    for (lane, index) in lanes.iter().enumerate() {
        if let Some(op) = index.map(|k| &ops[k])
            && op.code.is_derivative()
        {
            let (_, channel) = place(op.args[0].as_web()?)?;
            if channel != lane {
                return None;
            }
        }
    }
    let mut needs: Vec<(Need, bool)> = Vec::new();
    for (k, arg) in colour_args.iter().enumerate() {
        needs.push((arg.map(|arg| arg.need).unwrap_or_default(), pinned(first) && k != 1));
    }
    for (k, arg) in alpha_args.iter().enumerate() {
        needs.push((arg.map(|arg| arg.need).unwrap_or_default(), pinned(alpha_code) && k != 1));
    }
    let mut sources = [[None; SOURCES]; 2];
    let mut presubtract = [None; 2];
    for (need, _) in &needs {
        for (unit, wanted) in need.presubtract.iter().enumerate() {
            let Some((kind, first, second)) = *wanted else { continue };
            if *presubtract[unit].get_or_insert(kind) != kind
                || *sources[unit][0].get_or_insert(first) != first
                || second.is_some_and(|second| *sources[unit][1].get_or_insert(second) != second)
            {
                return None;
            }
        }
    }
    let mut chosen = [0; 2 * SOURCES];
    if !assign(&needs, 0, &mut sources, &mut chosen) {
        return None;
    }
    // Where results go.
    let mut colour_dest: Option<(Vector, u8)> = None;
    for (channel, vector) in dest[..ALPHA].iter().enumerate() {
        let Some(vector) = *vector else { continue };
        let (known, mask) = colour_dest.get_or_insert((vector, 0));
        if *known != vector {
            return None;
        }
        *mask |= 1 << channel;
    }
    let mut outputs: [Option<(u8, u8)>; 2] = [None; 2];
    for (channel, index) in lanes.iter().enumerate() {
        let Some(op) = index.map(|k| &ops[k]) else { continue };
        for target in &op.targets {
            if let Target::Colour { slot, channel: wanted } = *target
                && wanted == channel
            {
                let unit = usize::from(channel == ALPHA);
                let (known, mask) = outputs[unit].get_or_insert((slot, 0));
                if *known != slot {
                    return None;
                }
                *mask |= if unit == 1 { 1 } else { 1 << channel };
            }
        }
    }
    let depth = alpha.is_some_and(|op| op.targets.contains(&Target::Depth));
    let tested = |lane: usize| lanes[lane].and_then(|k| ops[k].test.filter(|_| ops[k].predicate.is_none()));
    let to_predicate = |(lane, index): (usize, &Option<usize>)| {
        let op = &ops[(*index)?];
        Some((op.test?, op.predicate.filter(|&channel| channel == lane)?))
    };
    let predicate = lanes.iter().enumerate().find_map(to_predicate);
    // Outputs and predicates are written by the same masks.
    if predicate.is_some() && (outputs != [None; 2] || lanes.iter().flatten().any(|&k| !ops[k].targets.is_empty())) {
        return None;
    }
    let test = match (tested(0), tested(ALPHA)) {
        (Some(test), _) => Some((test, ResultChannel::Red)),
        (None, Some(test)) => Some((test, ResultChannel::Alpha)),
        (None, None) => None,
    };
    let part = |k: usize| if needs[k].0.presubtract == [None; 2] { chosen[k] } else { PRESUBTRACTED };
    let colours = match (first, dot) {
        (Some(op), _) | (None, Some(op)) => Some(UnitUse {
            op: rgb_op(op.code),
            args: std::array::from_fn(|k| match colour_args[k] {
                Some(arg) => (part(k), arg.swizzle, arg.modifier),
                None => (0, [Swizzle::Unused; 3], InputModifier::None),
            }),
            scale: scale(op),
            clamp: op.clamp,
            dest: colour_dest,
            output: outputs[0],
        }),
        (None, None) => None,
    };
    let dot4 = dot.filter(|op| op.code == Code::Dot4);
    let alpha_unit = alpha_code.or(dot4).map(|op| {
        // A transcendental that only the colour unit writes is calculated here all the same.
        let own = alpha.is_some();
        UnitUse {
            op: if own || !op.code.is_dot() { alpha_op(op.code) } else { AlphaOp::Dp },
            args: std::array::from_fn(|k| match alpha_args[k] {
                Some(arg) => (part(SOURCES + k), arg.swizzle, arg.modifier),
                None => (0, [Swizzle::Unused; 1], InputModifier::None),
            }),
            scale: if own { scale(op) } else { OutputModifier::X1 },
            clamp: own && op.clamp,
            dest: dest[ALPHA].map(|vector| (vector, 1)),
            output: outputs[1],
        }
    });
    let line = lanes.iter().flatten().map(|&k| ops[k].line).find(|&line| line != 0).unwrap_or(0);
    let order = lanes.iter().flatten().map(|&k| ops[k].order).max().unwrap_or(0);
    Some(Bundle { colours, alpha: alpha_unit, sources, presubtract, test, predicate, depth, line, order })
}

/// Gives each need a source vector: one that has its addresses already, or has space for them.
fn assign(
    needs: &[(Need, bool)],
    k: usize,
    sources: &mut [[Option<Address>; SOURCES]; 2],
    chosen: &mut [usize; 2 * SOURCES],
) -> bool {
    let Some(&(need, first_only)) = needs.get(k) else { return true };
    let wanted = [need.colour, need.alpha];
    if wanted == [None, None] {
        return assign(needs, k + 1, sources, chosen);
    }
    let fits = |have: Option<Address>, want: Option<Address>| want.is_none() || have.is_none() || have == want;
    let candidates = if first_only { 1 } else { SOURCES };
    for source in 0..candidates {
        if !fits(sources[0][source], wanted[0]) || !fits(sources[1][source], wanted[1]) {
            continue;
        }
        let before = *sources;
        for unit in 0..2 {
            if wanted[unit].is_some() {
                sources[unit][source] = wanted[unit];
            }
        }
        chosen[k] = source;
        if assign(needs, k + 1, sources, chosen) {
            return true;
        }
        *sources = before;
    }
    false
}
