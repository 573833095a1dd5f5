//! Random structured R700 programs: what they are, what they do to one lane, and how compilers write them.
//!
//! Every lane has a chain of pseudo-random numbers that starts from its position and decides its conditions, and a trace,
//! into which every executed statement mixes its number, so that lanes that went different ways end with different
//! traces.

use crate::random::Random;
use ctm_r700::{FLOW_CONSTANTS, LoopConstant, Program, text};
use std::fmt::Write;

/// The next number of the chain is above a threshold, in sixteenths.
pub type Condition = u8;

/// How a compiler writes a branch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Style {
    /// ALU_PUSH_BEFORE, JUMP, ELSE, POP (Mesa, LLVM).
    PushBefore,
    /// PUSH before the clause that tests, without a jump.
    Push,
    /// ALU_PUSH_BEFORE, and ALU_POP_AFTER with the last clause.
    PopAfter,
    /// ALU_PUSH_BEFORE, ALU_ELSE_AFTER with the last clause of the first arm, and POP.
    ElseAfter,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// trace = trace * 3/4 + number
    Mark(u8),
    /// Marks with one number where the condition holds and with another where not, by predicated instructions.
    Predicated(Condition, u8, u8),
    /// trace = trace * 3/4 + constant at the loop index.
    Index,
    /// Runs the first block where the condition holds, else the second if there is one.
    If(Condition, Style, Vec<Statement>, Option<Vec<Statement>>),
    /// Runs the block as often as a loop constant says.
    Count {
        /// The loop constant.
        constant: u8,
        /// The loop has an index of its own.
        index: bool,
        /// The block.
        body: Vec<Statement>,
    },
    /// Runs the block until it is left.
    Forever(Vec<Statement>),
    /// Leaves the innermost loop where the condition holds.
    Break {
        /// Who does.
        condition: Condition,
        /// By ALU_BREAK.
        in_clause: bool,
    },
    /// Begins the next pass of the innermost loop where the condition holds.
    Continue {
        /// Who does.
        condition: Condition,
        /// By ALU_CONTINUE.
        in_clause: bool,
    },
    /// Runs the subroutine.
    Call,
    /// Kills the lane where the condition holds. It goes on, but its results are dropped.
    Kill(Condition),
    /// A NOP, for something else to be put there.
    Gap,
}

/// A program.
#[derive(Clone, Debug, PartialEq)]
pub struct Structured {
    /// What it does.
    pub main: Vec<Statement>,
    /// What calls run.
    pub subroutine: Vec<Statement>,
    /// Loop constants.
    pub loops: [LoopConstant; FLOW_CONSTANTS],
}

/// Constant n of the constant file, in every channel; loop indices stay below this many.
pub const CONSTANTS: u8 = 64;

/// The value of a constant.
pub fn constant(n: u8) -> f32 {
    f32::from(n) / 8.0 + 0.5
}

const FADE: f32 = 0.75;
const FACTOR: f32 = 7.3125;
const STEP: f32 = 0.375;

fn number(n: u8) -> f32 {
    f32::from(n) / 16.0
}

impl Structured {
    /// A random program.
    pub fn random(random: &mut Random) -> Self {
        Self::make(random, false)
    }

    /// A random program with gaps.
    pub fn with_gaps(random: &mut Random) -> Self {
        Self::make(random, true)
    }

    fn make(random: &mut Random, gaps: bool) -> Self {
        let loops = std::array::from_fn(|_| LoopConstant {
            count: random.pick(&[0, 1, 2, 2, 3, 5]),
            init: random.pick(&[0, 1, 4]),
            step: random.pick(&[0, 1, 1, 2, 3]),
        });
        let subroutine = Maker { random, size: 12, calls: false, gaps }.block(2, 1, false);
        let main = Maker { random, size: 60, calls: true, gaps }.block(4, 3, false);
        Structured { main, subroutine, loops }
    }
}

struct Maker<'a> {
    random: &'a mut Random,
    /// Statements that may still be made.
    size: usize,
    calls: bool,
    gaps: bool,
}

impl Maker<'_> {
    fn condition(&mut self) -> Condition {
        3 + self.random.below(10) as u8
    }

    fn block(&mut self, ifs: usize, loops: usize, in_loop: bool) -> Vec<Statement> {
        let mut block = vec![self.simple()];
        for _ in 0..1 + self.random.below(5) {
            if self.size == 0 {
                break;
            }
            self.size -= 1;
            let statement = self.statement(ifs, loops, in_loop);
            block.push(statement);
        }
        block
    }

    fn statement(&mut self, ifs: usize, loops: usize, in_loop: bool) -> Statement {
        match self.random.below(10) {
            0..=2 if ifs > 0 => {
                let style = self.random.pick(&[Style::PushBefore, Style::Push, Style::PopAfter, Style::ElseAfter]);
                let then = self.block(ifs - 1, loops, in_loop);
                let otherwise = self.random.one_in(2).then(|| self.block(ifs - 1, loops, in_loop));
                Statement::If(self.condition(), style, then, otherwise)
            }
            3 | 4 if loops > 0 => {
                let constant = self.random.below(FLOW_CONSTANTS) as u8;
                let index = self.random.one_in(2);
                Statement::Count { constant, index, body: self.block(ifs, loops - 1, true) }
            }
            5 if loops > 0 => {
                let mut body = self.block(ifs, loops - 1, true);
                // The condition holds often enough to come to an end.
                let place = self.random.below(body.len() + 1);
                body.insert(place, Statement::Break { condition: 6, in_clause: self.random.one_in(2) });
                Statement::Forever(body.into_iter().filter(|s| !matches!(s, Statement::Continue { .. })).collect())
            }
            6 | 7 if in_loop => {
                let (condition, in_clause) = (self.condition(), self.random.one_in(2));
                match self.random.one_in(2) {
                    true => Statement::Break { condition, in_clause },
                    false => Statement::Continue { condition, in_clause },
                }
            }
            8 if self.calls => Statement::Call,
            _ => self.simple(),
        }
    }

    fn simple(&mut self) -> Statement {
        match self.random.below(8) {
            0 => Statement::Predicated(self.condition(), self.random.below(99) as u8, self.random.below(99) as u8),
            1 => Statement::Index,
            2 if self.random.one_in(8) => Statement::Kill(14),
            3..6 if self.gaps => Statement::Gap,
            _ => Statement::Mark(1 + self.random.below(99) as u8),
        }
    }
}

/// How a statement ended.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Completion {
    Next,
    Break,
    Continue,
}

struct Lane<'a> {
    program: &'a Structured,
    chain: f32,
    trace: f32,
    al: i32,
    alive: bool,
}

/// The trace of lane (i, j) at the end, or `None` if it was killed: statements carried out one after the other, as any
/// structured language would.
pub fn oracle(program: &Structured, i: u32, j: u32) -> Option<f32> {
    let mut lane = Lane { program, chain: i as f32 * 0.37 + j as f32 * 0.61, trace: 0.0, al: 0, alive: true };
    lane.block(&program.main);
    lane.alive.then_some(lane.trace)
}

impl Lane<'_> {
    fn mix(&mut self, value: f32) {
        self.trace = self.trace * FADE + value;
    }

    fn holds(&mut self, condition: Condition) -> bool {
        let next = self.chain * FACTOR + STEP;
        self.chain = next - next.floor();
        self.chain > number(condition)
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
            Statement::Mark(n) => self.mix(number(*n)),
            Statement::Predicated(condition, yes, no) => {
                let n = if self.holds(*condition) { yes } else { no };
                self.mix(number(*n));
            }
            Statement::Index => self.mix(constant(self.al as u8)),
            Statement::If(condition, _, then, otherwise) => {
                if self.holds(*condition) {
                    return self.block(then);
                }
                return self.block(otherwise.as_deref().unwrap_or_default());
            }
            Statement::Count { constant, index, body } => {
                let counter = self.program.loops[usize::from(*constant)];
                let outer = self.al;
                for pass in 0..i32::from(counter.count) {
                    if *index {
                        self.al = i32::from(counter.init) + pass * i32::from(counter.step);
                    }
                    if self.block(body) == Completion::Break {
                        break;
                    }
                }
                self.al = outer;
            }
            Statement::Forever(body) => while self.block(body) != Completion::Break {},
            Statement::Break { condition, .. } => {
                if self.holds(*condition) {
                    return Completion::Break;
                }
            }
            Statement::Continue { condition, .. } => {
                if self.holds(*condition) {
                    return Completion::Continue;
                }
            }
            Statement::Call => {
                let program = self.program;
                self.block(&program.subroutine);
            }
            Statement::Kill(condition) => self.alive &= !self.holds(*condition),
            Statement::Gap => {}
        }
        Completion::Next
    }
}

/// The program as a compiler would write it: R0.xy is the position, R9.x the trace, R10.x the chain.
pub fn compile(program: &Structured) -> Program {
    let mut writer = Writer::default();
    writer.alu("ALU", &["x: MUL_IEEE R10.x, R0.x, 0.37f\n y: MUL_IEEE R10.y, R0.y, 0.61f", "x: ADD R10.x, PV.x, PV.y"]);
    let subroutine = writer.label();
    writer.block(&program.main, subroutine, None);
    writer.line("EXP_DONE: PIX0, R9.xxxx EOP");
    writer.place(subroutine);
    writer.block(&program.subroutine, subroutine, None);
    writer.line("RETURN");
    let source = writer.finish();
    text::parse(&source).unwrap_or_else(|problems| panic!("{source}\n{problems:#?}")).program
}

#[derive(Default)]
struct Writer {
    text: String,
    /// Control-flow instructions so far.
    address: usize,
    /// Address of each label.
    labels: Vec<Option<usize>>,
}

/// Where an address is to stand.
type Label = usize;

impl Writer {
    fn label(&mut self) -> Label {
        self.labels.push(None);
        self.labels.len() - 1
    }

    fn place(&mut self, label: Label) {
        self.labels[label] = Some(self.address);
    }

    fn line(&mut self, line: &str) {
        writeln!(self.text, "{line}").expect("a string takes all");
        self.address += 1;
    }

    fn jump(&mut self, op: &str, label: Label) {
        self.line(&format!("{op} ADDR(@{label}@)"));
    }

    fn alu(&mut self, op: &str, groups: &[&str]) {
        self.line(&format!("{op}:"));
        for (n, group) in groups.iter().enumerate() {
            writeln!(self.text, " {n} {group}").expect("a string takes all");
        }
    }

    fn finish(self) -> String {
        let mut text = self.text;
        for (label, address) in self.labels.iter().enumerate() {
            text = text.replace(&format!("@{label}@"), &address.expect("a placed label").to_string());
        }
        text
    }

    /// A clause that computes the next number of the chain, and then does this.
    fn test(&mut self, op: &str, last: &[String]) {
        let mut groups =
            vec![format!("x: MULADD_IEEE R10.x, R10.x, {FACTOR}f, {STEP}f"), "x: FRACT R10.x, PV.x".into()];
        groups.extend_from_slice(last);
        self.alu(op, &groups.iter().map(String::as_str).collect::<Vec<_>>());
    }

    /// A clause whose failing lanes become inactive; they are those whose number is not above the threshold, or with
    /// `inverted` the others.
    fn branch(&mut self, op: &str, condition: Condition, inverted: bool) {
        let threshold = number(condition);
        let test = match inverted {
            false => format!("x: PRED_SETGT ____.x, R10.x, {threshold}f UPDATE_EXEC_MASK"),
            true => format!("x: PRED_SETGE ____.x, {threshold}f, R10.x UPDATE_EXEC_MASK"),
        };
        self.test(op, &[test]);
    }

    fn mark(&mut self, value: f32) {
        self.alu("ALU", &[&format!("x: MULADD_IEEE R9.x, R9.x, {FADE}f, {value:?}f")]);
    }

    fn block(&mut self, block: &[Statement], subroutine: Label, end: Option<Label>) {
        for statement in block {
            self.statement(statement, subroutine, end);
        }
    }

    /// `end` is the LOOP_END of the innermost loop.
    fn statement(&mut self, statement: &Statement, subroutine: Label, end: Option<Label>) {
        match statement {
            Statement::Mark(n) => self.mark(number(*n)),
            Statement::Predicated(condition, yes, no) => {
                let mark = |n: u8, predicate: &str| {
                    format!("x: MULADD_IEEE R9.x, R9.x, {FADE}f, {:?}f {predicate}", number(n))
                };
                let test = format!("x: PRED_SETGT ____.x, R10.x, {}f UPDATE_PRED", number(*condition));
                self.test("ALU", &[test, mark(*yes, "PRED_SEL_ONE"), mark(*no, "PRED_SEL_ZERO")]);
            }
            Statement::Index => self.alu("ALU", &[&format!("x: MULADD_IEEE R9.x, R9.x, {FADE}f, C0[AL].x")]),
            Statement::If(condition, style, then, otherwise) => {
                self.branch_statement(*condition, *style, then, otherwise.as_deref(), subroutine, end);
            }
            Statement::Count { constant, index, body } => {
                let op = if *index { "LOOP_START" } else { "LOOP_START_NO_AL" };
                self.repeat(&format!("{op} CF_CONST({constant})"), *constant, body, subroutine);
            }
            Statement::Forever(body) => self.repeat("LOOP_START_DX10", 0, body, subroutine),
            Statement::Break { condition, in_clause } => self.leave("BREAK", *condition, *in_clause, end),
            Statement::Continue { condition, in_clause } => self.leave("CONTINUE", *condition, *in_clause, end),
            Statement::Call => self.jump("CALL CALL_COUNT(1)", subroutine),
            Statement::Kill(condition) => {
                self.test("ALU", &[format!("x: KILLGT ____.x, R10.x, {}f", number(*condition))]);
            }
            Statement::Gap => self.line("NOP"),
        }
    }

    fn branch_statement(
        &mut self,
        condition: Condition,
        style: Style,
        then: &[Statement],
        otherwise: Option<&[Statement]>,
        subroutine: Label,
        end: Option<Label>,
    ) {
        let (middle, after) = (self.label(), self.label());
        match style {
            Style::Push => {
                // Its jump is taken where nobody is there at all.
                self.jump("PUSH", after);
                self.branch("ALU", condition, false);
            }
            Style::ElseAfter => {
                self.branch("ALU_PUSH_BEFORE", condition, false);
                self.jump("JUMP", middle);
            }
            Style::PushBefore | Style::PopAfter => {
                self.branch("ALU_PUSH_BEFORE", condition, false);
                match otherwise {
                    Some(_) => self.jump("JUMP", middle),
                    None => self.jump("JUMP POP_CNT(1)", after),
                }
            }
        }
        self.block(then, subroutine, end);
        self.place(middle);
        if style == Style::ElseAfter {
            self.alu("ALU_ELSE_AFTER", &["x: MOV R11.x, R9.x"]);
        }
        if let Some(otherwise) = otherwise {
            if style != Style::ElseAfter {
                self.jump("ELSE POP_CNT(1)", after);
            }
            self.block(otherwise, subroutine, end);
        }
        match style {
            Style::PopAfter => self.alu("ALU_POP_AFTER", &["x: MOV R11.x, R9.x"]),
            Style::PushBefore | Style::Push | Style::ElseAfter => self.line("POP POP_CNT(1)"),
        }
        self.place(after);
    }

    fn repeat(&mut self, start: &str, constant: u8, body: &[Statement], subroutine: Label) {
        let (first, end, after) = (self.label(), self.label(), self.label());
        self.jump(start, after);
        self.place(first);
        self.block(body, subroutine, Some(end));
        self.place(end);
        self.jump(&format!("LOOP_END CF_CONST({constant})"), first);
        self.place(after);
    }

    fn leave(&mut self, what: &str, condition: Condition, in_clause: bool, end: Option<Label>) {
        if in_clause {
            return self.branch(&format!("ALU_{what}"), condition, true);
        }
        let (join, end) = (self.label(), end.expect("statements that leave a loop stand in one"));
        self.branch("ALU_PUSH_BEFORE", condition, false);
        self.jump("JUMP POP_CNT(1)", join);
        self.jump(&format!("LOOP_{what}"), end);
        self.line("POP POP_CNT(1)");
        self.place(join);
    }
}
