//! Computes what a [structured program](crate::structured) does to one lane: its statements carried out one after the other, as
//! any structured language would. No groups, no masks, no counters.

use crate::structured::{
    AL_RANGE, CONST_COLUMN, CONST_FACTOR, CONST_FADE, CONST_ROW, CONST_STEP, Condition, INDEXED, INDEXED_CONST,
    INPUT_WIDTH, Statement, Structured, constant,
};
use ctm_x1k::{OUTPUTS, ZeroTest};

/// The temporaries that a program can reach with aL.
pub fn indexed_temps() -> std::ops::Range<u8> {
    INDEXED - AL_RANGE..INDEXED + AL_RANGE
}

/// The alpha channel of element x of input 0.
pub fn input(x: u32) -> f32 {
    (x + 1) as f32 / 16.0
}

/// How a statement ended.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Completion {
    Next,
    Break,
    Continue,
    Return,
    Killed,
}

struct Lane<'a> {
    program: &'a Structured,
    chain: f32,
    trace: f32,
    fetched: f32,
    indexed: [f32; 256],
    predicates: [bool; 4],
    al: i32,
    outputs: [f32; OUTPUTS],
}

/// What every channel of the output registers holds after lane (i, j) has run, or `None` if it was killed.
pub fn run(program: &Structured, i: u32, j: u32) -> Option<[f32; OUTPUTS]> {
    let chain = (i as f32).mul_add(constant(CONST_COLUMN), constant(CONST_STEP));
    let chain = (j as f32).mul_add(constant(CONST_ROW), chain);
    let mut lane = Lane {
        program,
        chain: chain - chain.floor(),
        trace: 0.0,
        fetched: 0.0,
        indexed: [0.0; 256],
        predicates: [false; 4],
        al: 0,
        outputs: [0.0; OUTPUTS],
    };
    if lane.block(&program.main) == Completion::Killed {
        return None;
    }
    for channel in 0..4 {
        if lane.predicates[channel] {
            lane.mix(constant(70 + channel as u8));
        }
    }
    for index in indexed_temps() {
        lane.mix(lane.indexed[usize::from(index)]);
        lane.mix(1.0);
    }
    lane.outputs[0] = lane.trace;
    Some(lane.outputs)
}

impl Lane<'_> {
    fn mix(&mut self, value: f32) {
        self.trace = self.trace.mul_add(constant(CONST_FADE), value);
    }

    fn next_of_chain(&mut self) -> f32 {
        let next = self.chain.mul_add(constant(CONST_FACTOR), constant(CONST_STEP));
        self.chain = next - next.floor();
        self.chain
    }

    fn compare(&mut self, test: ZeroTest, threshold: u8) -> bool {
        let (value, threshold) = (self.next_of_chain(), constant(threshold));
        match test {
            ZeroTest::Equal => value == threshold,
            ZeroTest::Less => value < threshold,
            ZeroTest::GreaterEqual => value >= threshold,
            ZeroTest::NotEqual => value != threshold,
        }
    }

    fn holds(&mut self, condition: Condition) -> bool {
        match condition {
            Condition::Chain(test, threshold) => self.compare(test, threshold),
            Condition::Predicate { channel, inverted } => self.predicates[channel] != inverted,
            Condition::Boolean(index) => self.program.bools[usize::from(index)],
        }
    }

    fn passes(&self, gate: Option<(usize, bool)>) -> bool {
        gate.is_none_or(|(channel, inverted)| self.predicates[channel] != inverted)
    }

    fn with_al(&self, base: u8) -> usize {
        usize::try_from(i32::from(base) + self.al).expect("aL stays in its range")
    }

    fn block(&mut self, block: &[Statement]) -> Completion {
        for statement in block {
            let outcome = self.statement(statement);
            if outcome != Completion::Next {
                return outcome;
            }
        }
        Completion::Next
    }

    fn statement(&mut self, statement: &Statement) -> Completion {
        match statement {
            Statement::Mark(index, gate) => {
                if self.passes(*gate) {
                    self.mix(constant(*index));
                }
            }
            Statement::StoreIndexed => self.indexed[self.with_al(INDEXED)] = self.trace,
            Statement::LoadIndexed => {
                self.mix(self.indexed[self.with_al(INDEXED)]);
                self.mix(1.0);
            }
            Statement::LoadIndexedConst => self.mix(constant(self.with_al(INDEXED_CONST) as u8)),
            Statement::SetPredicate(channel, test, threshold) => {
                self.predicates[*channel] = self.compare(*test, *threshold);
            }
            Statement::Fetch(gate) => {
                let coordinate = self.next_of_chain().mul_add(constant(255), -1.0);
                if self.passes(*gate) {
                    self.fetched = input((coordinate.floor().max(0.0) as u32).min(INPUT_WIDTH - 1));
                }
                self.mix(self.fetched);
                self.mix(1.0);
            }
            Statement::Kill(threshold) => {
                if self.next_of_chain() < constant(*threshold) {
                    return Completion::Killed;
                }
            }
            Statement::Output(target) => self.outputs[usize::from(*target)] = self.trace,
            Statement::Derivative { .. } => panic!("a derivative depends on other lanes"),
            Statement::If(condition, then, otherwise) => {
                if self.holds(*condition) {
                    return self.block(then);
                }
                return self.block(otherwise.as_deref().unwrap_or_default());
            }
            Statement::MergedIfs(levels) => {
                for (condition, block) in levels {
                    if !self.holds(*condition) {
                        break;
                    }
                    let outcome = self.block(block);
                    if outcome != Completion::Next {
                        return outcome;
                    }
                }
            }
            Statement::Loop { constant, sets_al, body } => return self.repeat(*constant, *sets_al, body),
            Statement::Break(condition) => {
                if condition.is_none_or(|condition| self.holds(condition)) {
                    return Completion::Break;
                }
            }
            Statement::Continue(condition) => {
                if condition.is_none_or(|condition| self.holds(condition)) {
                    return Completion::Continue;
                }
            }
            Statement::Call(subroutine, condition) => {
                if condition.is_none_or(|condition| self.holds(condition)) {
                    let program = self.program;
                    if self.block(&program.subroutines[*subroutine].body) == Completion::Killed {
                        return Completion::Killed;
                    }
                }
            }
            Statement::Return(condition) => {
                if self.holds(*condition) {
                    return Completion::Return;
                }
            }
        }
        Completion::Next
    }

    fn repeat(&mut self, constant: u8, sets_al: bool, body: &[Statement]) -> Completion {
        let counter = self.program.ints[usize::from(constant)];
        let outer_al = self.al;
        for pass in 0..i32::from(counter.count) {
            if sets_al {
                self.al = i32::from(counter.init) + pass * i32::from(counter.step);
            }
            match self.block(body) {
                Completion::Next | Completion::Continue => {}
                Completion::Break => break,
                outcome => return outcome,
            }
        }
        self.al = outer_al;
        Completion::Next
    }
}
