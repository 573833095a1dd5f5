//! X1K code for [structured programs](crate::structured), with the field values that the guide gives for each statement
//! (CTM Guide p.39-40).

use crate::random::Random;
use crate::structured::{
    CONST_COLUMN, CONST_FACTOR, CONST_FADE, CONST_ROW, CONST_STEP, Condition, INDEXED, INDEXED_CONST, Options,
    Statement, Structured, constant,
};
use ctm_x1k::{
    AddressOp, AlphaOp, Alu, Arg, Body, BranchOp, Common, Flow, FlowOp, InputModifier, Instruction, OutputModifier,
    PredicateSelect, Program, ProgramInfo, References, ResultChannel, RgbOp, Select, Source, Swizzle, Tex, TexOp,
    TexRegister, TexSwizzle, Unit, UnitControl, Words,
};

/// Temporaries whose alpha channels hold the scalars.
const CHAIN: u8 = 1;
const TRACE: u8 = 2;
const SCRATCH: u8 = 3;
const FETCHED: u8 = 4;

/// The integer inline constant 1.
const ONE: Source = Source { addr: 0x80 | 0x38, constant: false, relative: false };

fn temp(index: u8) -> Source {
    Source { addr: index, constant: false, relative: false }
}

fn float_constant(index: u8) -> Source {
    Source { addr: index, constant: true, relative: false }
}

fn relative(source: Source) -> Source {
    Source { relative: true, ..source }
}

fn minus(source: Source) -> (Source, InputModifier) {
    (source, InputModifier::Negate)
}

fn plus(source: Source) -> (Source, InputModifier) {
    (source, InputModifier::None)
}

/// An alpha operation on the alpha channels of its sources.
fn scalar(op: AlphaOp, operands: [(Source, InputModifier); 3]) -> (Common, Alu) {
    let selects = [Select::Src0, Select::Src1, Select::Src2];
    let mut unit = Unit { op, src: operands.map(|(source, _)| source), ..Unit::default() };
    for ((arg, sel), (_, modifier)) in unit.arg.iter_mut().zip(selects).zip(operands) {
        *arg = Arg { sel, swizzle: [Swizzle::A], modifier };
    }
    let rgb = Unit { src: [Source::UNUSED; 3], ..Unit::default() };
    (Common::default(), Alu { rgb, alpha: unit, ..Alu::default() })
}

fn instruction(common: Common, body: Body) -> Instruction {
    Instruction { common, body, reserved: Words::default() }
}

/// The select of one predicate bit.
fn select(channel: usize) -> PredicateSelect {
    [PredicateSelect::Red, PredicateSelect::Green, PredicateSelect::Blue, PredicateSelect::Alpha][channel]
}

/// A list of places that have to jump to an address that is not known yet.
type Open = Vec<usize>;

#[derive(Default)]
struct Emitter {
    code: Vec<Instruction>,
    /// Per open loop: its breaks, its continues, and the IFs open inside.
    loops: Vec<(Open, Open, u8)>,
    /// Per subroutine, the calls.
    calls: Vec<(usize, usize)>,
    /// Inside a subroutine: whether calls are conditional, and the early returns so far.
    returns: u8,
}

/// The program that does what `structured` says.
pub fn emit(structured: &Structured) -> Program {
    let mut emitter = Emitter::default();
    emitter.start_chain();
    emitter.block(&structured.main);
    emitter.end();
    let end = emitter.code.len() - 1;
    let mut starts = Vec::new();
    for subroutine in &structured.subroutines {
        starts.push(emitter.code.len());
        emitter.returns = u8::from(subroutine.conditional);
        emitter.block(&subroutine.body);
        emitter.flow(Flow {
            a_op: AddressOp::Pop,
            jump_func: 0xFF,
            b_op1: if emitter.returns == 0 { BranchOp::None } else { BranchOp::Decr },
            b_pop_cnt: emitter.returns,
            ..Flow::default()
        });
    }
    for (at, subroutine) in std::mem::take(&mut emitter.calls) {
        emitter.jump_to(at, starts[subroutine]);
    }
    let code = emitter.code;
    let info = ProgramInfo { end: end as u16, full_flow_control: true, ..ProgramInfo::default() };
    let mut program = Program { references: References::of(&code, &info), code, info, ..Program::default() };
    program.constants.floats.extend((0..=255).map(|index| (index, [0, 0, 0, constant(index).to_bits()])));
    program.constants.ints.extend((0..).zip(structured.ints));
    program.constants.bools.extend((0..).zip(structured.bools));
    program
}

/// A random program whose code has so many instructions: its statements repeat until the number is reached.
pub fn full(random: &mut Random, options: Options, slots: usize) -> Structured {
    let length = |program: &Structured| emit(program).code.len();
    let mut program = Structured::random(random, options);
    while length(&program) > slots {
        program = Structured::random(random, options);
    }
    let statements = program.main.clone();
    let mut missed = 0;
    for statement in statements.iter().cycle() {
        program.main.push(statement.clone());
        missed += 1;
        if length(&program) <= slots {
            missed = 0;
        } else {
            program.main.pop();
        }
        if missed == statements.len() {
            break;
        }
    }
    // A mark is one instruction.
    let rest = slots - length(&program);
    program.main.extend((0..rest).map(|number| Statement::Mark(1 + (number % 64) as u8, None)));
    program
}

impl Emitter {
    fn push(&mut self, common: Common, body: Body) -> usize {
        self.code.push(instruction(common, body));
        self.code.len() - 1
    }

    /// temp[dest].a = op(operands)
    fn assign(&mut self, dest: u8, op: AlphaOp, operands: [(Source, InputModifier); 3]) {
        self.assign_with(dest, op, operands, |_, _| {});
    }

    fn assign_with(
        &mut self,
        dest: u8,
        op: AlphaOp,
        operands: [(Source, InputModifier); 3],
        change: impl FnOnce(&mut Common, &mut Alu),
    ) {
        let (mut common, mut alu) = scalar(op, operands);
        common.alpha.wmask = 1;
        alu.alpha.dest = dest;
        change(&mut common, &mut alu);
        self.push(common, Body::Alu(alu));
    }

    fn flow(&mut self, flow: Flow) -> usize {
        self.push(Common::default(), Body::Flow(flow))
    }

    fn jump_to(&mut self, at: usize, target: usize) {
        if let Body::Flow(flow) = &mut self.code[at].body {
            flow.jump_addr = target as u16;
        }
    }

    fn here(&self) -> usize {
        self.code.len()
    }

    /// chain = frc(column * a + (row * b + c))
    fn start_chain(&mut self) {
        for (swizzle, factor, addend) in
            [(Swizzle::R, CONST_COLUMN, float_constant(CONST_STEP)), (Swizzle::G, CONST_ROW, temp(CHAIN))]
        {
            let operands = [plus(temp(0)), plus(float_constant(factor)), plus(addend)];
            self.assign_with(CHAIN, AlphaOp::Mad, operands, |_, alu| {
                alu.rgb.src[0] = temp(0);
                alu.alpha.arg[0].swizzle = [swizzle];
            });
        }
        self.assign(CHAIN, AlphaOp::Frc, [plus(temp(CHAIN)), plus(ONE), plus(ONE)]);
    }

    fn advance_chain(&mut self) {
        let next = [plus(temp(CHAIN)), plus(float_constant(CONST_FACTOR)), plus(float_constant(CONST_STEP))];
        self.assign(CHAIN, AlphaOp::Mad, next);
        self.assign(CHAIN, AlphaOp::Frc, [plus(temp(CHAIN)), plus(ONE), plus(ONE)]);
    }

    /// The operands of: the chain's number, less a constant.
    fn chain_less(threshold: u8) -> [(Source, InputModifier); 3] {
        [plus(temp(CHAIN)), plus(ONE), minus(float_constant(threshold))]
    }

    /// trace = trace * 3/4 + source
    fn mix(&mut self, source: Source, gate: Option<(usize, bool)>) {
        let operands = [plus(temp(TRACE)), plus(float_constant(CONST_FADE)), plus(source)];
        self.assign_with(TRACE, AlphaOp::Mad, operands, |common, _| {
            if let Some((channel, inverted)) = gate {
                common.alpha.pred_sel = select(channel);
                common.alpha.pred_inv = inverted;
            }
        });
    }

    /// A flow-control instruction whose lanes want to jump where the condition is `on`. Without one they all do.
    fn conditional(&mut self, condition: Option<Condition>, on: bool, flow: Flow) -> usize {
        let mut common = Common::default();
        let mut flow = flow;
        let truth = match condition {
            None => 0xFF,
            Some(Condition::Chain(test, threshold)) => {
                self.advance_chain();
                let (mut common, mut alu) = scalar(AlphaOp::Mad, Self::chain_less(threshold));
                common.result_sel = ResultChannel::Alpha;
                common.result_op = test;
                alu.alu_wmask = true;
                self.push(common, Body::Alu(alu));
                0xF0
            }
            Some(Condition::Predicate { channel, inverted }) => {
                common.rgb = UnitControl { pred_sel: select(channel), pred_inv: inverted, ..UnitControl::default() };
                0xCC
            }
            Some(Condition::Boolean(index)) => {
                flow.bool_addr = index;
                0xAA
            }
        };
        flow.jump_func = if on { truth } else { !truth };
        self.push(common, Body::Flow(flow))
    }

    fn open_ifs(&mut self, change: i8) {
        if let Some((_, _, ifs)) = self.loops.last_mut() {
            *ifs = ifs.wrapping_add_signed(change);
        }
    }

    fn end_if(&mut self, levels: u8) {
        let next = self.here() + 1;
        let at = self.flow(Flow { jump_any: true, b_op0: BranchOp::Decr, b_pop_cnt: levels, ..Flow::default() });
        self.jump_to(at, next);
    }

    fn block(&mut self, block: &[Statement]) {
        for statement in block {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Mark(constant, gate) => self.mix(float_constant(*constant), *gate),
            Statement::StoreIndexed => {
                let operands = [plus(temp(TRACE)), plus(temp(TRACE)), plus(ONE)];
                self.assign_with(INDEXED, AlphaOp::Max, operands, |_, alu| alu.alpha.dest_relative = true);
            }
            Statement::LoadIndexed => {
                self.mix(relative(temp(INDEXED)), None);
                // What was loaded may be 0, and a trace that only fades would end up denormal.
                self.mix(ONE, None);
            }
            Statement::LoadIndexedConst => self.mix(relative(float_constant(INDEXED_CONST)), None),
            Statement::SetPredicate(channel, test, threshold) => self.set_predicate(*channel, *test as u8, *threshold),
            Statement::Fetch(gate) => self.fetch(*gate),
            Statement::Kill(threshold) => {
                self.advance_chain();
                self.assign(SCRATCH, AlphaOp::Mad, Self::chain_less(*threshold));
                let register = TexRegister { addr: SCRATCH, swizzle: [TexSwizzle::A; 4], ..TexRegister::default() };
                let tex = Tex { op: TexOp::Texkill, unscaled: true, src: register, ..Tex::default() };
                self.push(Common::default(), Body::Tex(tex));
            }
            Statement::Output(target) => self.output(*target),
            Statement::Derivative { vertical } => {
                let op = if *vertical { AlphaOp::Mdv } else { AlphaOp::Mdh };
                // Source 0 of the quad, times -1, plus source 0 of another lane.
                let operands = [plus(temp(CHAIN)), minus(ONE), plus(temp(CHAIN))];
                self.assign(SCRATCH, op, operands);
                self.mix(temp(SCRATCH), None);
                self.mix(ONE, None);
            }
            Statement::If(condition, then, otherwise) => self.if_else(*condition, then, otherwise.as_deref()),
            Statement::MergedIfs(levels) => {
                let mut ifs = Vec::new();
                for (level, (condition, block)) in (0..).zip(levels) {
                    let b_op1 = if level == 0 { BranchOp::None } else { BranchOp::Decr };
                    let flow = Flow { b_op0: BranchOp::Incr, b_op1, b_pop_cnt: level, ..Flow::default() };
                    ifs.push(self.conditional(Some(*condition), false, flow));
                    self.open_ifs(1);
                    self.block(block);
                }
                self.open_ifs(-(levels.len() as i8));
                self.end_if(levels.len() as u8);
                let after = self.here();
                ifs.into_iter().for_each(|at| self.jump_to(at, after));
            }
            Statement::Loop { constant, sets_al, body } => self.repeat(*constant, *sets_al, body),
            Statement::Break(condition) => self.leave(*condition, true),
            Statement::Continue(condition) => self.leave(*condition, false),
            Statement::Call(subroutine, condition) => {
                let at = match condition {
                    None => self.flow(Flow { a_op: AddressOp::Push, jump_func: 0xFF, ..Flow::default() }),
                    Some(condition) => {
                        let (jump_any, a_op, b_op1) = (true, AddressOp::Push, BranchOp::Incr);
                        self.conditional(Some(*condition), true, Flow { jump_any, a_op, b_op1, ..Flow::default() })
                    }
                };
                self.calls.push((at, *subroutine));
            }
            Statement::Return(condition) => {
                let b_op1 = if self.returns == 0 { BranchOp::None } else { BranchOp::Decr };
                let (a_op, b_op0, b_pop_cnt) = (AddressOp::Pop, BranchOp::Incr, self.returns);
                self.conditional(Some(*condition), true, Flow { a_op, b_op0, b_op1, b_pop_cnt, ..Flow::default() });
                self.returns += 1;
            }
        }
    }

    fn set_predicate(&mut self, channel: usize, test: u8, threshold: u8) {
        self.advance_chain();
        let (mut common, mut alu) = scalar(AlphaOp::Mad, Self::chain_less(threshold));
        if channel == 3 {
            common.alpha.omask = 1;
            alu.alpha.target = test;
        } else {
            // The RGB unit does the same with the alpha channels of the alpha sources.
            common.rgb.omask = 1 << channel;
            alu.rgb.op = RgbOp::Mad;
            alu.rgb.arg =
                alu.alpha.arg.map(|arg| Arg { sel: arg.sel, swizzle: [Swizzle::A; 3], modifier: arg.modifier });
            alu.rgb.target = test;
        }
        self.push(common, Body::Alu(alu));
    }

    fn fetch(&mut self, gate: Option<(usize, bool)>) {
        self.advance_chain();
        self.assign(SCRATCH, AlphaOp::Mad, [plus(temp(CHAIN)), plus(float_constant(255)), minus(ONE)]);
        let register = |addr, swizzle| TexRegister { addr, swizzle, relative: false };
        let rgba = [TexSwizzle::R, TexSwizzle::G, TexSwizzle::B, TexSwizzle::A];
        let tex = Tex {
            op: TexOp::Ld,
            unscaled: true,
            src: register(SCRATCH, [TexSwizzle::A; 4]),
            dst: register(FETCHED, rgba),
            ..Tex::default()
        };
        let mut common = Common::default();
        common.alpha.wmask = 1;
        if let Some((channel, inverted)) = gate {
            common.alpha.pred_sel = select(channel);
            common.alpha.pred_inv = inverted;
        }
        self.push(common, Body::Tex(tex));
        self.mix(temp(FETCHED), None);
        self.mix(ONE, None);
    }

    /// OUT: all channels of an output register take the trace.
    fn output(&mut self, target: u8) {
        let (mut common, mut alu) = scalar(AlphaOp::Max, [plus(temp(TRACE)), plus(temp(TRACE)), plus(ONE)]);
        common.rgb.omask = 7;
        common.alpha.omask = 1;
        common.tex_sem_wait = true;
        alu.alpha.target = target;
        alu.alpha.omod = OutputModifier::Disabled;
        alu.rgb = Unit { op: RgbOp::Max, omod: OutputModifier::Disabled, target, ..alu.rgb };
        for arg in &mut alu.rgb.arg {
            arg.swizzle = [Swizzle::A; 3];
        }
        self.push(common, Body::Out(alu));
    }

    fn if_else(&mut self, condition: Condition, then: &[Statement], otherwise: Option<&[Statement]>) {
        let b_op1 = if otherwise.is_some() { BranchOp::Incr } else { BranchOp::None };
        let head = self.conditional(Some(condition), false, Flow { b_op0: BranchOp::Incr, b_op1, ..Flow::default() });
        self.open_ifs(1);
        self.block(then);
        let mut to_end = head;
        if let Some(otherwise) = otherwise {
            to_end = self.flow(Flow { b_else: true, b_op1: BranchOp::Decr, b_pop_cnt: 1, ..Flow::default() });
            let after = self.here();
            self.jump_to(head, after);
            self.block(otherwise);
        }
        self.open_ifs(-1);
        self.end_if(1);
        let after = self.here();
        self.jump_to(to_end, after);
    }

    fn repeat(&mut self, constant: u8, sets_al: bool, body: &[Statement]) {
        let (op, end_op) = if sets_al { (FlowOp::Loop, FlowOp::EndLoop) } else { (FlowOp::Rep, FlowOp::EndRep) };
        let head = self.flow(Flow { op, int_addr: constant, ..Flow::default() });
        self.loops.push((Open::new(), Open::new(), 0));
        self.block(body);
        let end =
            self.flow(Flow { op: end_op, jump_any: true, jump_func: 0xFF, int_addr: constant, ..Flow::default() });
        self.jump_to(end, head + 1);
        let (breaks, continues, _) = self.loops.pop().unwrap_or_default();
        self.jump_to(head, end + 1);
        for at in breaks {
            self.jump_to(at, end + 1);
            if let (Body::Flow(flow), FlowOp::Rep) = (&mut self.code[at].body, op) {
                flow.op = FlowOp::BreakRep;
            }
        }
        continues.into_iter().for_each(|at| self.jump_to(at, end));
    }

    fn leave(&mut self, condition: Option<Condition>, breaks: bool) {
        let (op, b_pop_cnt) = match (self.loops.last(), breaks) {
            (Some(&(_, _, ifs)), true) => (FlowOp::BreakLoop, ifs),
            (Some(&(_, _, ifs)), false) => (FlowOp::Continue, ifs),
            (None, _) => panic!("a break or continue outside any loop"),
        };
        let at = self.conditional(condition, true, Flow { op, b_op1: BranchOp::Decr, b_pop_cnt, ..Flow::default() });
        if let Some((open_breaks, open_continues, _)) = self.loops.last_mut() {
            if breaks { open_breaks.push(at) } else { open_continues.push(at) }
        }
    }

    /// The end of the program: predicates and indexed registers go into the trace, the trace into output 0.
    fn end(&mut self) {
        for channel in 0..4 {
            self.mix(float_constant(70 + channel as u8), Some((channel, false)));
        }
        for index in crate::oracle::indexed_temps() {
            self.mix(temp(index), None);
            self.mix(ONE, None);
        }
        self.output(0);
    }
}
