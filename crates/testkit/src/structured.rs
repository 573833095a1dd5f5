//! Random structured programs: what they are, and how they are made.
//!
//! A program works on scalars, the alpha channels of temporaries. Every lane has a chain of pseudo-random numbers that
//! starts from its position and decides its conditions, and a trace, into which every executed statement mixes its
//! number, so that lanes that went different ways end with different traces.

use crate::random::Random;
use ctm_x1k::{BOOL_CONSTANTS, FLOAT_CONSTANTS, INT_CONSTANTS, IntConstant, ZeroTest};

/// A condition of a lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Condition {
    /// The next number of the lane's chain, less a constant, compares with zero (through the ALU result).
    Chain(ZeroTest, u8),
    /// A predicate bit, possibly inverted.
    Predicate {
        /// 0 to 3: R, G, B, A.
        channel: usize,
        /// The condition holds when the bit is 0.
        inverted: bool,
    },
    /// A boolean constant.
    Boolean(u8),
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// trace = trace * 3/4 + constant; with a predicate (channel, inverted) only where that holds.
    Mark(u8, Option<(usize, bool)>),
    /// temp[[`INDEXED`] + aL] = trace
    StoreIndexed,
    /// trace = trace * 3/4 + temp[[`INDEXED`] + aL]
    LoadIndexed,
    /// trace = trace * 3/4 + const[[`INDEXED_CONST`] + aL]
    LoadIndexedConst,
    /// Sets a predicate bit to the comparison of the next number of the chain, less a constant, with zero.
    SetPredicate(usize, ZeroTest, u8),
    /// Mixes an element of input 0, chosen by the chain, into the trace; the fetch is gated by a predicate.
    Fetch(Option<(usize, bool)>),
    /// Kills the lane if the next number of the chain is less than a constant.
    Kill(u8),
    /// Writes the trace to an output register.
    Output(u8),
    /// A difference of the chain's number across the quad, mixed into the trace. Not for the oracle.
    Derivative {
        /// Downwards (MDV) instead of to the right (MDH).
        vertical: bool,
    },
    /// Runs the first block where the condition holds, else the second if there is one.
    If(Condition, Vec<Statement>, Option<Vec<Statement>>),
    /// These conditions guard these blocks, each inside the one before, and all end together.
    MergedIfs(Vec<(Condition, Vec<Statement>)>),
    /// Runs the block as often as an integer constant says.
    Loop {
        /// The integer constant.
        constant: u8,
        /// LOOP, which sets aL, instead of REP.
        sets_al: bool,
        /// The block.
        body: Vec<Statement>,
    },
    /// Leaves the innermost loop, where the condition holds or always.
    Break(Option<Condition>),
    /// Begins the next pass of the innermost loop, where the condition holds or always.
    Continue(Option<Condition>),
    /// Runs a subroutine, where the condition holds or always.
    Call(usize, Option<Condition>),
    /// Leaves the subroutine where the condition holds; only directly in its body.
    Return(Condition),
}

/// A subroutine. All calls of one are of the same kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Subroutine {
    /// Calls have conditions.
    pub conditional: bool,
    /// What it does.
    pub body: Vec<Statement>,
}

/// A program.
#[derive(Clone, Debug, PartialEq)]
pub struct Structured {
    /// What it does.
    pub main: Vec<Statement>,
    /// Subroutines; each calls only those after it.
    pub subroutines: Vec<Subroutine>,
    /// Integer constants.
    pub ints: [IntConstant; INT_CONSTANTS],
    /// Boolean constants.
    pub bools: [bool; BOOL_CONSTANTS],
}

/// The first temporary that is reached with aL.
pub const INDEXED: u8 = 64;
/// aL stays this close to 0.
pub const AL_RANGE: u8 = 16;
/// The first constant that is reached with aL.
pub const INDEXED_CONST: u8 = 100;
/// Number of elements of input 0, in one row; element x has (x + 1) / 16 in its alpha channel.
pub const INPUT_WIDTH: u32 = 16;

/// The alpha channel of a float constant.
pub fn constant(index: u8) -> f32 {
    match index {
        CONST_COLUMN => 0.37,
        CONST_ROW => 0.61,
        CONST_FACTOR => 7.31,
        CONST_STEP => 0.377,
        CONST_FADE => 0.75,
        _ => f32::from(index) / 16.0,
    }
}

/// Constants that start and continue the chain, and the factor of the trace.
pub const CONST_COLUMN: u8 = 240;
/// See [`CONST_COLUMN`].
pub const CONST_ROW: u8 = 241;
/// See [`CONST_COLUMN`].
pub const CONST_FACTOR: u8 = 242;
/// See [`CONST_COLUMN`].
pub const CONST_STEP: u8 = 243;
/// See [`CONST_COLUMN`].
pub const CONST_FADE: u8 = 244;
const _: () = assert!((CONST_FADE as usize) < FLOAT_CONSTANTS);

/// The integer constant with this number counts 255 passes; loops that use it have a break.
const LONG_LOOP: u8 = 31;

/// What a random program may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Loops and subroutines; otherwise only what partial flow control has.
    pub full_flow_control: bool,
    /// Derivatives.
    pub derivatives: bool,
}

impl Structured {
    /// A random program.
    pub fn random(random: &mut Random, options: Options) -> Self {
        let mut ints = std::array::from_fn(|_| IntConstant {
            count: random.pick(&[0, 1, 1, 2, 2, 3, 5]),
            init: random.pick(&[0, 0, 1, 3]),
            step: random.pick(&[0, 1, 1, 2, 3, -1]),
        });
        ints[usize::from(LONG_LOOP)] = IntConstant { count: 255, init: 2, step: 0 };
        let bools = std::array::from_fn(|_| random.one_in(2));

        let mut subroutines = Vec::new();
        let count = if options.full_flow_control { random.below(4) } else { 0 };
        let mut loops_needed = 0;
        for _ in 0..count {
            // The last one is made first, as the others may call it.
            let loop_levels = usize::from(loops_needed < 2);
            let mut maker =
                Maker { random, options, callable: &subroutines, first: count - subroutines.len(), size: 25 };
            let mut body = maker.block(Place { ifs: 3, loops: loop_levels, calls: true, in_loop: false });
            let early = maker.random.below(3);
            for _ in 0..early {
                let place = maker.random.below(body.len() + 1);
                body.insert(place, Statement::Return(maker.condition()));
            }
            loops_needed += loop_levels;
            subroutines.insert(0, Subroutine { conditional: random.one_in(2), body });
        }
        let mut maker = Maker { random, options, callable: &subroutines, first: 0, size: 70 };
        let loops = if options.full_flow_control { 4 - loops_needed } else { 0 };
        let main = maker.block(Place { ifs: 5, loops, calls: true, in_loop: false });
        Structured { main, subroutines, ints, bools }
    }
}

/// What a block may still contain.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// Levels of IF.
    ifs: usize,
    /// Levels of loops.
    loops: usize,
    calls: bool,
    in_loop: bool,
}

struct Maker<'a> {
    random: &'a mut Random,
    options: Options,
    /// Subroutines from number `first` on.
    callable: &'a [Subroutine],
    first: usize,
    /// Statements that may still be made.
    size: usize,
}

impl Maker<'_> {
    fn threshold(&mut self) -> u8 {
        1 + self.random.below(15) as u8
    }

    fn channel(&mut self) -> (usize, bool) {
        (self.random.below(4), self.random.one_in(2))
    }

    fn condition(&mut self) -> Condition {
        match self.random.below(6) {
            0 => Condition::Boolean(self.random.below(BOOL_CONSTANTS) as u8),
            1 => {
                let (channel, inverted) = self.channel();
                Condition::Predicate { channel, inverted }
            }
            _ => Condition::Chain(self.random.pick(&ZeroTest::ALL), self.threshold()),
        }
    }

    fn block(&mut self, place: Place) -> Vec<Statement> {
        let mut block = vec![self.simple()];
        for _ in 0..1 + self.random.below(5) {
            if self.size == 0 {
                break;
            }
            self.size -= 1;
            let statement = self.statement(place);
            block.push(statement);
        }
        block
    }

    fn statement(&mut self, place: Place) -> Statement {
        match self.random.below(10) {
            0..=2 if place.ifs > 0 => {
                let condition = self.condition();
                let inside = Place { ifs: place.ifs - 1, ..place };
                let then = self.block(inside);
                let otherwise = self.random.one_in(2).then(|| self.block(inside));
                Statement::If(condition, then, otherwise)
            }
            3 if place.ifs >= 2 => {
                let levels = 2 + self.random.below(place.ifs - 1);
                let inside = Place { ifs: place.ifs - levels, ..place };
                Statement::MergedIfs((0..levels).map(|_| (self.condition(), self.block(inside))).collect())
            }
            4 | 5 if place.loops > 0 => {
                let inside = Place { loops: place.loops - 1, in_loop: true, ..place };
                let sets_al = self.random.one_in(2);
                if self.random.one_in(6) {
                    let leave = Statement::Break(Some(Condition::Chain(ZeroTest::Less, 5)));
                    let body = vec![self.simple(), leave, self.simple()];
                    return Statement::Loop { constant: LONG_LOOP, sets_al, body };
                }
                let constant = self.random.below(usize::from(LONG_LOOP)) as u8;
                Statement::Loop { constant, sets_al, body: self.block(inside) }
            }
            6 if place.in_loop => {
                let condition = (!self.random.one_in(3)).then(|| self.condition());
                if self.random.one_in(2) { Statement::Break(condition) } else { Statement::Continue(condition) }
            }
            7 if place.calls && !self.callable.is_empty() => {
                let number = self.random.below(self.callable.len());
                let condition = self.callable[number].conditional.then(|| self.condition());
                Statement::Call(self.first + number, condition)
            }
            _ => self.simple(),
        }
    }

    fn simple(&mut self) -> Statement {
        match self.random.below(12) {
            0 => Statement::StoreIndexed,
            1 => Statement::LoadIndexed,
            2 => Statement::LoadIndexedConst,
            3 | 4 => Statement::SetPredicate(self.random.below(4), self.random.pick(&ZeroTest::ALL), self.threshold()),
            5 => {
                let gate = self.channel();
                Statement::Fetch(self.random.one_in(2).then_some(gate))
            }
            6 if self.random.one_in(6) => Statement::Kill(1),
            7 => Statement::Output(self.random.below(4) as u8),
            8 if self.options.derivatives => Statement::Derivative { vertical: self.random.one_in(2) },
            _ => {
                let gate = self.channel();
                Statement::Mark(1 + self.random.below(64) as u8, self.random.one_in(2).then_some(gate))
            }
        }
    }
}
