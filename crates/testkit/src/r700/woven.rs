//! Random R700 programs that keep the stack in order: control-flow instructions of every kind, each where its pops find
//! what they need, and jumps to places with the stack that they leave. No compiler writes such code, and much of it is
//! lifted.

use crate::r700::jobs::{Image, colour, conditions, info, part};
use crate::random::Random;
use ctm_r700::{Cf, CfAlu, CfAluFields, CfAluOp, CfFields, CfOp, CfPlain, FLOW_CONSTANTS, Program, Qword, text};

/// Deepest stack.
const DEEPEST: usize = 7;
/// Nested loops.
const LOOPS: usize = 3;

/// A frame of the stack, named by the instruction that pushed it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Frame {
    Mask(usize),
    Loop(usize),
    /// The call that the code belongs to.
    Call(usize),
}

/// A jump whose target is not known yet.
struct Jump {
    at: usize,
    /// The stack that it leaves.
    stack: Vec<Frame>,
    /// It goes to the last place with that stack, or to the first; else to some.
    to: Where,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    First,
    Last,
    Some,
}

struct Weaver<'a> {
    random: &'a mut Random,
    image: Image,
    stack: Vec<Frame>,
    /// The stack before each instruction.
    stacks: Vec<Vec<Frame>>,
    jumps: Vec<Jump>,
    /// Instructions that call the subroutine.
    calls: Vec<usize>,
}

/// A random program.
pub(super) fn woven(random: &mut Random) -> Program {
    let mut weaver = Weaver {
        random,
        image: Image::default(),
        stack: Vec::new(),
        stacks: Vec::new(),
        jumps: Vec::new(),
        calls: Vec::new(),
    };
    weaver.clause(CfAluOp::Alu, "0 x: MULADD_IEEE R10.x, R0.y, 0.61f, R0.x\n 1 x: MUL_IEEE R10.x, PV.x, 0.37f");
    let length = 6 + weaver.random.below(28);
    weaver.block(length);
    for target in 0..3 {
        let register = if target == 0 { 9 } else { weaver.random.below(8) as u8 };
        weaver.image.cf.push((Cf::Export(colour(register, target)), Vec::new()));
        weaver.stacks.push(Vec::new());
    }
    weaver.plain(CfOp::Nop, CfFields { end_of_program: true, ..CfFields::default() });
    if !weaver.calls.is_empty() {
        let start = weaver.at();
        weaver.stack.push(Frame::Call(start));
        let length = 1 + weaver.random.below(8);
        weaver.block(length);
        weaver.plain(CfOp::Return, CfFields::default());
        for call in std::mem::take(&mut weaver.calls) {
            weaver.aim(call, start);
        }
    }
    weaver.aim_jumps();
    let code = weaver.image.finish();
    Program { code, info: info(random) }
}

impl Weaver<'_> {
    /// The address of the next instruction.
    fn at(&self) -> usize {
        self.image.cf.len()
    }

    fn plain(&mut self, op: CfOp, fields: CfFields) {
        self.stacks.push(self.stack.clone());
        self.image.plain(op, fields);
    }

    /// An ALU clause with this text.
    fn clause(&mut self, op: CfAluOp, groups: &str) {
        self.stacks.push(self.stack.clone());
        let whole_quad_mode = self.random.one_in(32);
        self.image.clause(op, CfAluFields { whole_quad_mode, ..CfAluFields::default() }, assemble(groups));
    }

    /// Masks on top of the stack.
    fn masks(&self) -> usize {
        self.stack.iter().rev().take_while(|frame| matches!(frame, Frame::Mask(_))).count()
    }

    /// Where on the stack the innermost loop of this code is.
    fn innermost_loop(&self) -> Option<usize> {
        let at = self.stack.iter().rposition(|frame| !matches!(frame, Frame::Mask(_)))?;
        matches!(self.stack[at], Frame::Loop(_)).then_some(at)
    }

    /// So many instructions, and what closes what they open.
    fn block(&mut self, length: usize) {
        let bottom = self.stack.len();
        for _ in 0..length {
            match self.random.below(9) {
                0..=2 => self.test(),
                3 => {
                    let number = self.random.below(99);
                    let text = format!("0 x: MULADD_IEEE R9.x, R9.x, 0.75f, {}.5f", number);
                    self.clause(CfAluOp::Alu, &text);
                }
                4 => {
                    self.stacks.push(self.stack.clone());
                    part(self.random, &mut self.image, CfAluOp::Alu);
                }
                _ => self.flow(),
            }
        }
        while self.stack.len() > bottom {
            match self.stack.last() {
                Some(Frame::Mask(_)) => {
                    let most = self.masks().min(self.stack.len() - bottom).min(3);
                    let pop_count = 1 + self.random.below(most) as u8;
                    self.pop(CfOp::Pop, pop_count);
                }
                _ => self.end_loop(),
            }
        }
    }

    /// A clause that decides by the lane's chain of numbers.
    fn test(&mut self) {
        let (masks, in_loop) = (self.masks(), self.innermost_loop().is_some());
        let op = loop {
            let op = self.random.pick(CfAluOp::ALL);
            let fits = match op {
                CfAluOp::ElseAfter => masks > 0,
                CfAluOp::Continue | CfAluOp::Break => in_loop,
                CfAluOp::PushBefore => self.stack.len() < DEEPEST,
                op => usize::from(op.properties().pops) <= masks,
            };
            if fits {
                break op;
            }
        };
        let compare = self.random.pick(&["PRED_SETGT", "PRED_SETGE"]);
        let threshold = (3 + self.random.below(10)) as f32 / 16.0;
        let [a, b] = match self.random.one_in(2) {
            true => ["R10.x".to_owned(), format!("{threshold}f")],
            false => [format!("{threshold}f"), "R10.x".to_owned()],
        };
        let result = match self.random.below(8) {
            0 => format!("2 x: {compare} ____.x, {a}, {b} UPDATE_PRED"),
            1 => format!("2 x: {compare} ____.x, {a}, {b} UPDATE_EXEC_MASK UPDATE_PRED"),
            2 => "2 x: KILLGT ____.x, R10.x, 0.875f".to_owned(),
            _ => format!("2 x: {compare} ____.x, {a}, {b} UPDATE_EXEC_MASK"),
        };
        let at = self.at();
        let chain = "0 x: MULADD_IEEE R10.x, R10.x, 7.3125f, 0.375f\n 1 x: FRACT R10.x, PV.x";
        self.clause(op, &format!("{chain}\n {result}"));
        let pops = usize::from(op.properties().pops);
        self.stack.truncate(self.stack.len() - pops);
        if op.properties().pushes {
            self.stack.push(Frame::Mask(at));
        }
    }

    /// Fields of a test, mostly of the one for active pixels.
    fn fields(&mut self) -> CfFields {
        match self.random.one_in(8) {
            true => conditions(self.random),
            false => CfFields { cf_const: self.random.below(FLOW_CONSTANTS) as u8, ..CfFields::default() },
        }
    }

    /// An instruction that takes masks off first.
    fn pop(&mut self, op: CfOp, pop_count: u8) {
        let fields = CfFields { pop_count, ..self.fields() };
        self.plain(op, fields);
        self.stack.truncate(self.stack.len() - usize::from(pop_count));
    }

    /// Notes a jump of the instruction that comes next, which leaves so many frames.
    fn jump(&mut self, frames: usize, to: Where) {
        let stack = self.stack[..frames].to_vec();
        self.jumps.push(Jump { at: self.at(), stack, to });
    }

    fn flow(&mut self) {
        const OPS: [CfOp; 20] = [
            CfOp::Push,
            CfOp::Push,
            CfOp::PushElse,
            CfOp::Pop,
            CfOp::Else,
            CfOp::Else,
            CfOp::Jump,
            CfOp::Jump,
            CfOp::PopJump,
            CfOp::PopPush,
            CfOp::PopPushElse,
            CfOp::LoopStart,
            CfOp::LoopStartNoAl,
            CfOp::LoopStartDx10,
            CfOp::LoopEnd,
            CfOp::LoopBreak,
            CfOp::LoopContinue,
            CfOp::Kill,
            CfOp::Call,
            CfOp::CallFs,
        ];
        let (at, depth, masks) = (self.at(), self.stack.len(), self.masks());
        let op = self.random.pick(&OPS);
        let pop_count = self.random.below(masks.min(2) + 1) as u8;
        let left = depth - usize::from(pop_count);
        let fields = CfFields { pop_count, ..self.fields() };
        match op {
            CfOp::Push if depth < DEEPEST => {
                self.jump(left, Where::Some);
                self.plain(op, fields);
                self.stack.push(Frame::Mask(at));
            }
            CfOp::PushElse if depth < DEEPEST => {
                // The mask that it pushes is the first that a jump pops.
                let pop_count = self.random.below(masks.min(1) + 2) as u8;
                let mut stack = [&self.stack[..], &[Frame::Mask(at)]].concat();
                stack.truncate(depth + 1 - usize::from(pop_count));
                self.jumps.push(Jump { at, stack, to: Where::Some });
                self.plain(op, CfFields { pop_count, ..fields });
                self.stack.push(Frame::Mask(at));
            }
            CfOp::Pop => self.pop(op, pop_count),
            CfOp::Else if masks > 0 => {
                self.jump(left, Where::Some);
                self.plain(op, fields);
            }
            CfOp::Jump => {
                self.jump(left, Where::Some);
                self.plain(op, fields);
            }
            CfOp::PopJump | CfOp::PopPush | CfOp::PopPushElse => {
                self.jump(left, Where::Some);
                self.pop(op, pop_count);
                if op != CfOp::PopJump {
                    self.stack.push(Frame::Mask(at));
                }
                if let (CfOp::PopPushElse, Some(jump)) = (op, self.jumps.last_mut()) {
                    jump.stack.push(Frame::Mask(at));
                }
            }
            op if op.is_loop_start() => {
                let loops = self.stack.iter().filter(|frame| matches!(frame, Frame::Loop(_))).count();
                if loops < LOOPS && depth < DEEPEST {
                    let pop_count = if self.random.one_in(8) { pop_count } else { 0 };
                    self.jump(depth - usize::from(pop_count), Where::First);
                    self.plain(op, CfFields { pop_count, ..fields });
                    self.stack.push(Frame::Loop(at));
                }
            }
            CfOp::LoopEnd if matches!(self.stack.last(), Some(Frame::Loop(_))) => self.end_loop(),
            CfOp::LoopBreak | CfOp::LoopContinue => {
                if let Some(innermost) = self.innermost_loop() {
                    let to = if self.random.one_in(8) { Where::Some } else { Where::Last };
                    self.jump(innermost + 1, to);
                    self.plain(op, fields);
                }
            }
            CfOp::Kill => self.plain(op, CfFields { addr: at as u32 + 1, ..fields }),
            CfOp::Call if !self.stack.iter().any(|frame| matches!(frame, Frame::Call(_))) => {
                self.calls.push(at);
                self.plain(op, CfFields { call_count: 1, pop_count: 0, ..fields });
            }
            CfOp::CallFs => self.plain(op, CfFields { call_count: 1, pop_count: 0, ..fields }),
            _ => {}
        }
    }

    /// Ends the loop on top of the stack. Those that nothing counts have a way out.
    fn end_loop(&mut self) {
        let Some(&Frame::Loop(start)) = self.stack.last() else { unreachable!("a loop is on top") };
        let counts = !matches!(&self.image.cf[start].0, Cf::Plain(plain) if plain.op == CfOp::LoopStartDx10);
        if !counts && !self.random.one_in(4) {
            let chain = "0 x: MULADD_IEEE R10.x, R10.x, 7.3125f, 0.375f\n 1 x: FRACT R10.x, PV.x";
            self.clause(CfAluOp::Break, &format!("{chain}\n 2 x: PRED_SETGT ____.x, R10.x, 0.625f UPDATE_EXEC_MASK"));
        }
        let fields = self.fields();
        self.plain(CfOp::LoopEnd, CfFields { addr: start as u32 + 1, ..fields });
        self.stack.pop();
    }

    /// Sets the target of an instruction.
    fn aim(&mut self, at: usize, target: usize) {
        if let Cf::Plain(CfPlain { fields, .. }) = &mut self.image.cf[at].0 {
            fields.addr = target as u32;
        }
    }

    fn aim_jumps(&mut self) {
        for Jump { at, stack, to } in std::mem::take(&mut self.jumps) {
            let places: Vec<usize> = (at + 1..self.stacks.len()).filter(|&place| self.stacks[place] == stack).collect();
            // Frames that end with their loop have no place after it.
            let target = match to {
                Where::First => places.first().copied(),
                Where::Last => places.last().copied(),
                Where::Some => (!places.is_empty()).then(|| places[self.random.below(places.len().min(6))]),
            };
            self.aim(at, target.unwrap_or(at + 1));
        }
    }
}

/// The qwords of a clause with this text.
pub(super) fn assemble(groups: &str) -> Vec<Qword> {
    let source = format!("ALU:\n {groups}\nNOP EOP");
    let code = text::parse(&source).unwrap_or_else(|problems| panic!("{source}\n{problems:#?}")).program.code;
    let Cf::Alu(CfAlu { fields, .. }) = Cf::decode(&code[0]) else { unreachable!("it is a clause") };
    let start = fields.addr as usize;
    code[start..start + usize::from(fields.count) + 1].to_vec()
}
