//! Operations as the machine has them, one scalar at a time, before they are put together into instructions.

use crate::ir::{Fetch, Passes, Reading};
use ctm_x1k::{OutputModifier, Presubtract, ZeroTest};

/// A place that holds a scalar: values that never live at the same time for other ends share one.
pub(super) type Web = usize;

/// What a source address of the machine can name, before registers are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Term {
    Web(Web),
    /// A channel of a float constant of the program's user.
    Uniform {
        register: u8,
        channel: u8,
    },
}

impl Term {
    pub const fn as_web(self) -> Option<Web> {
        match self {
            Term::Web(web) => Some(web),
            Term::Uniform { .. } => None,
        }
    }
}

/// Where an operand comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Source {
    /// What the presubtract operation makes of source 0, and of source 1 if it takes two.
    Presubtract(Presubtract, Term, Term),
    Web(Web),
    /// A number, by its bits.
    Number(u32),
    /// A channel of a float constant of the program's user.
    Uniform {
        register: u8,
        channel: u8,
    },
    /// A channel of the float constant with the number `register` + aL.
    Relative {
        register: u8,
        channel: u8,
    },
}

/// An operand: the absolute value is taken before the negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Operand {
    pub source: Source,
    pub abs: bool,
    pub neg: bool,
}

impl Source {
    /// A number of the constant register that it reads, which others have not; those that aL chooses come after the others.
    pub fn constant(self) -> Option<(usize, usize)> {
        match self {
            Source::Uniform { register, channel } => Some((register.into(), channel.into())),
            Source::Relative { register, channel } => {
                Some((usize::from(register) + ctm_x1k::FLOAT_CONSTANTS, channel.into()))
            }
            Source::Web(_) | Source::Number(_) | Source::Presubtract(..) => None,
        }
    }
}

impl Operand {
    pub const fn web(web: Web) -> Self {
        Operand { source: Source::Web(web), abs: false, neg: false }
    }

    pub const fn number(bits: u32) -> Self {
        Operand { source: Source::Number(bits), abs: false, neg: false }
    }

    /// -a; numbers have no modifiers.
    pub const fn negated(self) -> Self {
        match self.source {
            Source::Number(bits) => Operand::number(bits ^ 0x8000_0000),
            _ => Operand { neg: !self.neg, ..self },
        }
    }

    /// |a|
    pub const fn absolute(self) -> Self {
        match self.source {
            Source::Number(bits) => Operand::number(bits & 0x7FFF_FFFF),
            _ => Operand { abs: true, neg: false, ..self },
        }
    }

    pub const fn is_plain(self) -> bool {
        !self.abs && !self.neg
    }

    pub const fn as_web(self) -> Option<Web> {
        match self.source {
            Source::Web(web) => Some(web),
            Source::Number(_) | Source::Uniform { .. } | Source::Relative { .. } | Source::Presubtract(..) => None,
        }
    }

    /// The webs that it reads.
    pub fn webs(self) -> impl Iterator<Item = Web> {
        let terms = match self.source {
            Source::Web(web) => [Some(web), None],
            Source::Presubtract(_, first, second) if first == second => [first.as_web(), None],
            Source::Presubtract(_, first, second) => [first.as_web(), second.as_web()],
            Source::Number(_) | Source::Uniform { .. } | Source::Relative { .. } => [None, None],
        };
        terms.into_iter().flatten()
    }
}

/// What an operation does; operands are in the order of the machine's A, B and C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Code {
    /// A as it is: the larger of A and A.
    Move,
    Mad,
    Min,
    Max,
    /// C >= 0 ? A : B
    Cmp,
    /// C > 0.5 ? A : B
    Cnd,
    Frc,
    /// Operands a0, a1, b0, b1, c.
    Dot2Add,
    /// Operands a0 to a2, b0 to b2.
    Dot3,
    /// Operands a0 to a3, b0 to b3.
    Dot4,
    Exp2,
    Log2,
    Rcp,
    Rsq,
    Sin,
    Cos,
    /// The operand's change to the next column: reads the register where it lies, so that its channel is that of the result.
    Ddx,
    /// To the next row.
    Ddy,
    Fetch(Fetch),
    Kill,
}

impl Code {
    /// The alpha unit's alone.
    pub const fn is_transcendental(self) -> bool {
        matches!(self, Code::Exp2 | Code::Log2 | Code::Rcp | Code::Rsq | Code::Sin | Code::Cos)
    }

    /// The whole RGB unit's.
    pub const fn is_dot(self) -> bool {
        matches!(self, Code::Dot2Add | Code::Dot3 | Code::Dot4)
    }

    /// A texture instruction.
    pub const fn is_texture(self) -> bool {
        matches!(self, Code::Fetch(_) | Code::Kill)
    }

    /// Gives one of its operands, bit by bit, if no output modifier is on.
    pub const fn is_choice(self) -> bool {
        matches!(self, Code::Move | Code::Min | Code::Max | Code::Cmp | Code::Cnd)
    }

    /// Whether lanes of a quad see each other in it.
    pub const fn is_derivative(self) -> bool {
        matches!(self, Code::Ddx | Code::Ddy)
    }
}

/// A place outside of the registers that an operation writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Target {
    /// A channel of an output register.
    Colour { slot: u8, channel: usize },
    /// The conditional value, which the alpha unit writes.
    Depth,
}

/// A scalar operation.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Op {
    pub code: Code,
    pub args: Vec<Operand>,
    /// Where the results go: one, or four of a fetch.
    pub results: Vec<Option<Web>>,
    pub scale: OutputModifier,
    pub clamp: bool,
    /// Outputs that get the result, too. All channels are of one output register.
    pub targets: Vec<Target>,
    /// The result decides the branch after the block, by this test.
    pub test: Option<ZeroTest>,
    /// The test goes to this predicate, which is the channel that the operation has to stand in; else to the ALU result.
    pub predicate: Option<usize>,
    /// Only sums read the result, which see neither denormals nor the signs of zeros.
    pub only_for_sums: bool,
    pub line: u32,
    /// The number of the function's value that it gives, or of one in front of it: where it stands among names.
    pub order: u32,
}

impl Op {
    pub fn new(code: Code, args: Vec<Operand>, result: Web, line: u32) -> Self {
        Op {
            code,
            args,
            results: vec![Some(result)],
            scale: OutputModifier::X1,
            clamp: false,
            targets: Vec::new(),
            test: None,
            predicate: None,
            only_for_sums: false,
            line,
            order: 0,
        }
    }

    /// The webs that it reads.
    pub fn reads(&self) -> impl Iterator<Item = Web> + '_ {
        self.args.iter().flat_map(|arg| arg.webs())
    }

    /// The webs that it writes.
    pub fn writes(&self) -> impl Iterator<Item = Web> + '_ {
        self.results.iter().copied().flatten()
    }

    /// Whether anything sees that it runs.
    pub fn has_effect(&self) -> bool {
        self.code == Code::Kill
            || self.test.is_some()
            || !self.targets.is_empty()
            || self.results.iter().any(Option::is_some)
    }

    /// The web of its only result.
    pub fn result(&self) -> Option<Web> {
        self.results.first().copied().flatten()
    }
}

/// What an `If` decides by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    /// The test of the block in front of it.
    Test { inverted: bool },
    /// A predicate, which is the one that says which lanes have left the innermost loop.
    Left,
    /// A boolean constant of the user.
    Constant { index: u8 },
}

/// A tree of blocks; `T` is what blocks consist of.
#[derive(Clone, Debug)]
pub(super) enum Item<T> {
    Block(Vec<T>),
    If {
        condition: Condition,
        then: Vec<Item<T>>,
        otherwise: Vec<Item<T>>,
        line: u32,
    },
    /// `step`: how the loop variable aL counts, if addresses go by it.
    Loop {
        passes: Passes,
        step: Option<i8>,
        body: Vec<Item<T>>,
        line: u32,
    },
    Break,
    Continue,
}

/// What reads and writes webs.
pub(super) trait Access {
    fn reads(&self) -> Vec<Web>;
    fn writes(&self) -> Vec<Web>;
}

impl Access for Op {
    fn reads(&self) -> Vec<Web> {
        Op::reads(self).collect()
    }

    fn writes(&self) -> Vec<Web> {
        Op::writes(self).collect()
    }
}

/// A program of scalar operations.
#[derive(Clone, Debug)]
pub(super) struct Scalars {
    pub items: Vec<Item<Op>>,
    /// How many webs there are.
    pub webs: usize,
    /// What registers hold at the start: the web, register and channel.
    pub inputs: Vec<(Web, u8, usize)>,
    /// Whether the position is among them.
    pub reads_position: bool,
    /// What variables of the source hold, in the order of the places.
    pub names: Vec<Named>,
}

/// From a place on, a part of a variable of the source is this.
#[derive(Clone, Copy, Debug)]
pub(super) struct Named {
    pub at: u32,
    pub part: u32,
    /// None if nothing has it.
    pub operand: Option<Operand>,
    pub reading: Reading,
}

/// How many operations there are.
pub(super) fn count(items: &[Item<Op>]) -> usize {
    let one = |item: &Item<Op>| match item {
        Item::Block(ops) => ops.len(),
        Item::If { then, otherwise, .. } => count(then) + count(otherwise),
        Item::Loop { body, .. } => count(body),
        Item::Break | Item::Continue => 0,
    };
    items.iter().map(one).sum()
}

/// The source line of the first operation that has one.
pub(super) fn first_line(items: &[Item<Op>]) -> u32 {
    let one = |item: &Item<Op>| match item {
        Item::Block(ops) => ops.iter().map(|op| op.line).find(|&line| line != 0),
        Item::If { line, .. } | Item::Loop { line, .. } => Some(*line),
        Item::Break | Item::Continue => None,
    };
    items.iter().find_map(one).unwrap_or(0)
}

/// The source line of a loop inside of more loops than there may be, if there is one: the walks over what lives in loops take a multiple
/// of their time for each loop around.
pub(super) fn too_deep(items: &[Item<Op>], most: usize) -> Option<u32> {
    items.iter().find_map(|item| match item {
        Item::Block(_) | Item::Break | Item::Continue => None,
        Item::If { then, otherwise, .. } => too_deep(then, most).or_else(|| too_deep(otherwise, most)),
        Item::Loop { body, line, .. } => most.checked_sub(1).map_or(Some(*line), |most| too_deep(body, most)),
    })
}
