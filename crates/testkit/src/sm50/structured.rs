//! Random structured programs for the vertices of a warp, their machine code, and what they must do.
//!
//! A program works on a chain of random numbers that every vertex starts elsewhere, decides by it, and keeps a trace of where
//! it has been, which it stores as attribute 0x80. The oracle carries the statements out for one vertex, as any structured
//! language would: no warps, no tokens.

use crate::random::Random;
use ctm_sm50::launch::{Environment, Mode, Shader, StageRunner};
use ctm_sm50::pipeline::{Capture, Draw, DrawError};
use ctm_sm50::{Program, text};
use std::fmt::Write;

/// Attribute address of the trace.
const TRACE: u32 = 0x80;
/// Functions of a program, besides the main one.
const FUNCTIONS: usize = 2;
/// How deep statements nest.
const DEPTH: u32 = 4;

/// A decision: some bits of the next number of the chain are below a threshold, out of 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chance(u32);

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// Goes into the trace.
    Mark(u32),
    /// Goes into the trace in lanes that the guard lets.
    Guarded(Chance, u32),
    /// One or the other block.
    If(Chance, Vec<Statement>, Vec<Statement>),
    /// A block so many times.
    Loop(u32, Vec<Statement>),
    /// Leaves the innermost loop.
    Break(Chance),
    /// Goes on with the next pass of the innermost loop.
    Continue(Chance),
    /// Calls a function.
    Call(usize),
    /// Returns from a function.
    Return(Chance),
    /// Ends the lane.
    Exit(Chance),
}

/// A program: the main block, and the functions. A function calls only those after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Structured {
    main: Vec<Statement>,
    functions: Vec<Vec<Statement>>,
}

/// Where a statement may stand.
#[derive(Clone, Copy)]
struct Scope {
    depth: u32,
    in_loop: bool,
    /// The function, counted from 1; 0 is the main block.
    function: usize,
}

/// Makes a program.
pub fn generate(random: &mut Random) -> Structured {
    let scope = |function| Scope { depth: 0, in_loop: false, function };
    Structured {
        main: block(random, scope(0)),
        functions: (1..=FUNCTIONS).map(|function| block(random, scope(function))).collect(),
    }
}

fn block(random: &mut Random, scope: Scope) -> Vec<Statement> {
    (0..1 + random.below(4)).map(|_| statement(random, scope)).collect()
}

fn statement(random: &mut Random, scope: Scope) -> Statement {
    let chance = Chance(1 + random.below(7) as u32);
    let inner = Scope { depth: scope.depth + 1, ..scope };
    let deeper = scope.depth < DEPTH;
    match random.below(12) {
        0 | 1 if deeper => Statement::If(chance, block(random, inner), block(random, inner)),
        2 if deeper => Statement::If(chance, block(random, inner), Vec::new()),
        3 | 4 if deeper => Statement::Loop(1 + random.below(4) as u32, block(random, Scope { in_loop: true, ..inner })),
        5 if scope.in_loop => Statement::Break(chance),
        6 if scope.in_loop => Statement::Continue(chance),
        7 if scope.function < FUNCTIONS => {
            let behind = FUNCTIONS - scope.function;
            Statement::Call(scope.function + 1 + random.below(behind))
        }
        8 if scope.function > 0 => Statement::Return(chance),
        9 if random.one_in(4) => Statement::Exit(Chance(1)),
        10 => Statement::Guarded(chance, 1 + random.below(1000) as u32),
        _ => Statement::Mark(1 + random.below(1000) as u32),
    }
}

/// Writes the machine code: R4 is the trace, R5 the chain, R6 and R7 are scratch, the counters of loops come from R10 on.
struct Emitter {
    text: String,
    labels: u32,
}

const MULTIPLIER: u32 = 1_664_525;
const INCREMENT: u32 = 1_013_904_223;

impl Emitter {
    fn line(&mut self, line: &str) {
        writeln!(self.text, "{line}").expect("a string takes everything");
    }

    fn label(&mut self, what: &str) -> String {
        self.labels += 1;
        format!("{what}_{}", self.labels)
    }

    /// P0 becomes whether the chance comes true.
    fn decide(&mut self, Chance(threshold): Chance) {
        self.line(&format!("IMUL32I.U32.U32 R5, R5, {MULTIPLIER:#x};"));
        self.line(&format!("IADD32I R5, R5, {INCREMENT:#x};"));
        self.line("SHR.U32 R6, R5, 0x1d;");
        self.line(&format!("ISETP.LT.U32.AND P0, PT, R6, {threshold:#x}, PT;"));
    }

    fn mark(&mut self, guard: &str, number: u32) {
        self.line(&format!("{guard}SHL R7, R4, 0x5;"));
        self.line(&format!("{guard}IADD R4, R7, -R4;"));
        self.line(&format!("{guard}IADD32I R4, R4, {number:#x};"));
    }

    fn block(&mut self, block: &[Statement], scope: Scope) {
        let inner = Scope { depth: scope.depth + 1, ..scope };
        for statement in block {
            match statement {
                Statement::Mark(number) => self.mark("", *number),
                Statement::Guarded(chance, number) => {
                    self.decide(*chance);
                    self.mark("@P0 ", *number);
                }
                Statement::If(chance, yes, no) => {
                    let (then, end) = (self.label("then"), self.label("end"));
                    self.line(&format!("SSY {end};"));
                    self.decide(*chance);
                    self.line(&format!("@P0 BRA {then};"));
                    self.block(no, inner);
                    self.line(&format!("SYNC;\n{then}:"));
                    self.block(yes, inner);
                    self.line(&format!("SYNC;\n{end}:"));
                }
                Statement::Loop(passes, body) => {
                    let (head, end) = (self.label("head"), self.label("end"));
                    let counter = 10 + 10 * scope.function as u32 + scope.depth;
                    self.line(&format!("PBK {end};\nMOV R{counter}, RZ;\n{head}:\nPCNT {head};"));
                    self.line(&format!("ISETP.GE.AND P1, PT, R{counter}, {passes:#x}, PT;\n@P1 BRK;"));
                    self.line(&format!("IADD R{counter}, R{counter}, 0x1;"));
                    self.block(body, Scope { in_loop: true, ..inner });
                    self.line(&format!("CONT;\n{end}:"));
                }
                Statement::Call(function) => self.line(&format!("CAL function_{function};")),
                Statement::Break(chance) => self.leave(*chance, "BRK"),
                Statement::Continue(chance) => self.leave(*chance, "CONT"),
                Statement::Return(chance) => self.leave(*chance, "RET"),
                Statement::Exit(chance) => {
                    self.decide(*chance);
                    self.line(&format!("@P0 AST a[{TRACE:#x}], R4;\n@P0 EXIT;"));
                }
            }
        }
    }

    fn leave(&mut self, chance: Chance, how: &str) {
        self.decide(chance);
        self.line(&format!("@P0 {how};"));
    }
}

fn statements(block: &[Statement]) -> usize {
    let of = |statement: &Statement| match statement {
        Statement::If(_, yes, no) => 1 + statements(yes) + statements(no),
        Statement::Loop(_, body) => 1 + statements(body),
        Statement::Mark(_)
        | Statement::Guarded(..)
        | Statement::Break(_)
        | Statement::Continue(_)
        | Statement::Call(_)
        | Statement::Return(_)
        | Statement::Exit(_) => 1,
    };
    block.iter().map(of).sum()
}

impl Structured {
    /// How many statements it has.
    pub fn statements(&self) -> usize {
        statements(&self.main) + self.functions.iter().map(|function| statements(function)).sum::<usize>()
    }

    /// The machine code.
    pub fn program(&self) -> Program {
        let mut emitter = Emitter { text: String::new(), labels: 0 };
        emitter.line(".stage vertex\nALD R5, a[0x2fc];\nIMUL32I.U32.U32 R5, R5, 0x9e3779b1;\nMOV R4, RZ;");
        emitter.block(&self.main, Scope { depth: 0, in_loop: false, function: 0 });
        emitter.line(&format!("AST a[{TRACE:#x}], R4;\nEXIT;"));
        for (function, block) in (1..).zip(&self.functions) {
            emitter.line(&format!("function_{function}:"));
            emitter.block(block, Scope { depth: 0, in_loop: false, function });
            emitter.line("RET;");
        }
        text::parse(&emitter.text).unwrap_or_else(|errors| panic!("{}\n{errors:?}", emitter.text)).program
    }

    /// The trace of a vertex.
    pub fn expect(&self, vertex: u32) -> u32 {
        let mut lane = Lane { program: self, chain: vertex.wrapping_mul(0x9E37_79B1), trace: 0 };
        lane.block(&self.main);
        lane.trace
    }

    /// Runs the program for vertices 0 and on; gives their traces.
    ///
    /// # Errors
    /// If the executor stops.
    pub fn run(&self, executor: &dyn StageRunner, vertices: u32) -> Result<Vec<u32>, DrawError> {
        let program = self.program();
        let environment = Environment { mode: Mode::Strict, ..Environment::default() };
        let capture = [Capture { address: TRACE, words: 1 }];
        let draw = Draw { capture: &capture, environment, ..Draw::new(Shader::from(&program), vertices) };
        draw.run(executor, &Draw::options()).map(|drawn| drawn.words)
    }
}

/// How a statement ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Completion {
    Next,
    Break,
    Continue,
    Return,
    Exit,
}

/// A vertex on its way through a program.
struct Lane<'a> {
    program: &'a Structured,
    chain: u32,
    trace: u32,
}

impl Lane<'_> {
    fn decide(&mut self, Chance(threshold): Chance) -> bool {
        self.chain = self.chain.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT);
        self.chain >> 29 < threshold
    }

    fn mark(&mut self, number: u32) {
        self.trace = self.trace.wrapping_mul(31).wrapping_add(number);
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

    fn leave(&mut self, chance: Chance, how: Completion) -> Completion {
        if self.decide(chance) { how } else { Completion::Next }
    }

    fn statement(&mut self, statement: &Statement) -> Completion {
        match statement {
            Statement::Mark(number) => self.mark(*number),
            Statement::Guarded(chance, number) => {
                if self.decide(*chance) {
                    self.mark(*number);
                }
            }
            Statement::If(chance, yes, no) => {
                return if self.decide(*chance) { self.block(yes) } else { self.block(no) };
            }
            Statement::Loop(passes, body) => {
                for _ in 0..*passes {
                    match self.block(body) {
                        Completion::Next | Completion::Continue => {}
                        Completion::Break => break,
                        outcome => return outcome,
                    }
                }
            }
            Statement::Call(function) => {
                let program = self.program;
                if self.block(&program.functions[function - 1]) == Completion::Exit {
                    return Completion::Exit;
                }
            }
            Statement::Break(chance) => return self.leave(*chance, Completion::Break),
            Statement::Continue(chance) => return self.leave(*chance, Completion::Continue),
            Statement::Return(chance) => return self.leave(*chance, Completion::Return),
            Statement::Exit(chance) => return self.leave(*chance, Completion::Exit),
        }
        Completion::Next
    }
}
