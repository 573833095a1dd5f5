//! What is known about an instruction before it runs: each unit reduced to the channels that have an effect, gates,
//! targets and constants looked up.

use super::flow::FlowStep;
use super::operands::{ALPHA, Read, Sources, Term};
use crate::codes::*;
use crate::instruction::{Alu, Body, Common, Flow, Operand, Tex, Unit};
use crate::job::{Constants, Job};
use crate::program::{INT_CONSTANTS, Program, TEMPS, WriteMode};

/// What gates the writes of a channel: the predicate bit of this channel, inverted or not.
pub(super) type Gate = Option<(usize, bool)>;

/// What the OMASK of an instruction means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum AluKind {
    /// Predicate bits written.
    Alu,
    /// Channels of output registers written.
    Out,
    /// One immediate memory write, if all channels are set.
    UmrtWrite,
}

/// What becomes of one unit's result.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnitResult {
    pub clamp: bool,
    pub omod: OutputModifier,
    pub dest: u8,
    pub dest_relative: bool,
    pub target: usize,
    pub predicate_test: ZeroTest,
}

/// An ALU or OUT instruction.
#[derive(Clone, Debug)]
pub(super) struct AluStep {
    /// The operand channels that are needed.
    pub terms: Vec<Term>,
    /// `None` if nothing that the RGB unit computes is used.
    pub rgb_class: Option<RgbClass>,
    /// The channels of R, G, B that are used.
    pub rgb_channels: Vec<usize>,
    /// `None` if nothing that the alpha unit computes is used.
    pub alpha_class: Option<AlphaClass>,
    pub rgb: UnitResult,
    pub alpha: UnitResult,
    /// Per channel, what gates its writes.
    pub gates: [Gate; 4],
    /// Channels written to the temporaries.
    pub wmask: [bool; 4],
    /// OUT: channels written to output registers. ALU: predicate bits written.
    pub omask: [bool; 4],
    pub kind: AluKind,
    /// The test and the channel that make the ALU result, if it is written.
    pub alu_result: Option<(ZeroTest, usize)>,
    pub writes_cond_value: bool,
}

impl AluStep {
    /// What becomes of a channel's result.
    pub fn unit(&self, channel: usize) -> &UnitResult {
        if channel == ALPHA { &self.alpha } else { &self.rgb }
    }

    /// True if predicates gate what the channel writes to an output, to memory or to the conditional value.
    pub fn gates_output(&self, channel: usize) -> bool {
        self.omask[channel] && self.kind != AluKind::Alu || self.writes_cond_value && channel == ALPHA
    }
}

/// A texture instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct TexStep {
    pub tex: Tex,
    pub gates: [Gate; 4],
    pub wmask: [bool; 4],
}

/// What an instruction does, by type.
#[derive(Clone, Debug)]
pub(super) enum Action {
    Alu(AluStep),
    Tex(TexStep),
    Flow {
        step: FlowStep,
        /// The predicate that takes part in JUMP_FUNC.
        predicate: Gate,
        /// The boolean constant that takes part in JUMP_FUNC.
        boolean: bool,
    },
    /// A code that the guide reserves, or SOP or DP without an operation to copy from.
    Reserved,
}

/// One instruction, prepared for execution.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub action: Action,
    pub write_inactive: bool,
    /// LAST counts: the early-exit note is set.
    pub last: bool,
}

/// A program, prepared for execution.
#[derive(Clone, Debug)]
pub(super) struct Prepared {
    pub steps: Vec<Step>,
    pub start: usize,
    pub end: usize,
    /// Number of temporaries that the program can reach.
    pub temps: usize,
    /// Some instruction reads other lanes of its quad.
    pub uses_quads: bool,
}

impl Prepared {
    /// The program of a job.
    pub fn of(job: &Job) -> Self {
        let prepared = Prepared::new(job.program, &job.constants);
        Prepared { uses_quads: prepared.uses_quads || job.samples_quads(), ..prepared }
    }

    pub fn new(program: &Program, constants: &Constants) -> Self {
        let info = &program.info;
        let steps: Vec<Step> = (0..program.code.len()).map(|pc| Step::new(pc, program, constants)).collect();
        Prepared {
            uses_quads: steps.iter().any(uses_quads),
            steps,
            start: info.first_address(),
            end: info.last_address(),
            temps: reachable_temps(program),
        }
    }
}

fn uses_quads(step: &Step) -> bool {
    matches!(&step.action, Action::Alu(alu) if alu.terms.iter().any(|term| matches!(term.read, Read::OfQuadLane(..))))
}

/// One more than the highest temporary that the program can name; all of them if it adds aL to some.
fn reachable_temps(program: &Program) -> usize {
    let mut count = program.info.position.map_or(0, |position| usize::from(position) + 1);
    for (_, register) in program.info.interpolant_registers() {
        count = count.max(usize::from(register) + 1);
    }
    let mut reach = |index: u8, relative: bool| {
        count = if relative { TEMPS } else { count.max(usize::from(index) + 1) };
    };
    for instruction in &program.code {
        match &instruction.body {
            Body::Alu(alu) | Body::Out(alu) => {
                for source in alu.rgb.src.into_iter().chain(alu.alpha.src) {
                    if let Operand::Temp { index, relative } = source.operand() {
                        reach(index, relative);
                    }
                }
                reach(alu.rgb.dest, alu.rgb.dest_relative);
                reach(alu.alpha.dest, alu.alpha.dest_relative);
            }
            Body::Tex(tex) => {
                reach(tex.src.addr, tex.src.relative);
                reach(tex.dst.addr, tex.dst.relative);
                if tex.op == TexOp::Dxdy {
                    reach(tex.dx.addr, tex.dx.relative);
                    reach(tex.dy.addr, tex.dy.relative);
                }
            }
            Body::Flow(_) => {}
        }
    }
    count.min(TEMPS)
}

impl Step {
    fn new(pc: usize, program: &Program, constants: &Constants) -> Self {
        let instruction = &program.code[pc];
        let common = &instruction.common;
        let action = match &instruction.body {
            Body::Alu(alu) => alu_action(common, alu, AluKind::Alu, constants),
            Body::Out(alu) => match program.info.write_mode {
                WriteMode::Cached => alu_action(common, alu, AluKind::Out, constants),
                WriteMode::Umrt => alu_action(common, alu, AluKind::UmrtWrite, constants),
            },
            Body::Flow(flow) => flow_action(common, pc, flow, program, constants),
            Body::Tex(tex) if tex.op == TexOp::Reserved7 => Action::Reserved,
            Body::Tex(tex) => Action::Tex(TexStep { tex: *tex, gates: gates(common), wmask: wmask(common) }),
        };
        Step { action, write_inactive: common.write_inactive, last: common.last && program.info.early_exit }
    }
}

fn channels(rgb: u8, alpha: u8) -> [bool; 4] {
    [rgb & 1 != 0, rgb & 2 != 0, rgb & 4 != 0, alpha & 1 != 0]
}

fn wmask(common: &Common) -> [bool; 4] {
    channels(common.rgb.wmask, common.alpha.wmask)
}

/// The predicate of `channel` under a select; `None` stands for "always".
fn gate(select: PredicateSelect, inverted: bool, channel: usize) -> Gate {
    let channel = match select {
        PredicateSelect::None | PredicateSelect::Reserved6 | PredicateSelect::Reserved7 => return None,
        PredicateSelect::PerChannel => channel,
        PredicateSelect::Red => 0,
        PredicateSelect::Green => 1,
        PredicateSelect::Blue => 2,
        PredicateSelect::Alpha => 3,
    };
    Some((channel, inverted))
}

fn gates(common: &Common) -> [Gate; 4] {
    std::array::from_fn(|channel| {
        let unit = if channel == ALPHA { &common.alpha } else { &common.rgb };
        gate(unit.pred_sel, unit.pred_inv, channel)
    })
}

fn flow_action(common: &Common, pc: usize, flow: &Flow, program: &Program, constants: &Constants) -> Action {
    if common.rgb.pred_sel == PredicateSelect::PerChannel {
        return Action::Reserved;
    }
    let step = FlowStep {
        flow: *flow,
        target: program.info.jump_address(&program.code, pc, flow),
        int: constants.ints[usize::from(flow.int_addr) % INT_CONSTANTS],
    };
    Action::Flow {
        step,
        predicate: gate(common.rgb.pred_sel, common.rgb.pred_inv, 0),
        boolean: constants.bools[usize::from(flow.bool_addr) % constants.bools.len()],
    }
}

fn alu_action(common: &Common, alu: &Alu, kind: AluKind, constants: &Constants) -> Action {
    let (wmask, omask) = (wmask(common), channels(common.rgb.omask, common.alpha.omask));
    let alu_result = alu.alu_wmask.then_some((
        common.result_op,
        match common.result_sel {
            ResultChannel::Red => 0,
            ResultChannel::Alpha => ALPHA,
        },
    ));
    let mut used: [bool; 4] = std::array::from_fn(|c| wmask[c] || omask[c] || alu_result.is_some_and(|(_, r)| r == c));
    used[ALPHA] |= alu.w_omask;

    let rgb_used = used[..3].contains(&true);
    let copies_dot = used[ALPHA] && alu.alpha.op == AlphaOp::Dp;
    let copies_alpha = rgb_used && alu.rgb.op == RgbOp::Sop;
    if (copies_dot && !alu.rgb.op.is_dot_product()) || (copies_alpha && !alu.alpha.op.is_transcendental()) {
        return Action::Reserved;
    }
    let rgb_class = (rgb_used || copies_dot).then(|| alu.rgb.op.class());
    let alpha_class = (used[ALPHA] || copies_alpha).then(|| alu.alpha.op.class());
    if rgb_class == Some(RgbClass::Reserved) || alpha_class == Some(AlphaClass::Reserved) {
        return Action::Reserved;
    }

    let sources = Sources { alu, constants };
    let rgb_channels: Vec<usize> = (0..3).filter(|&channel| used[channel]).collect();
    let mut terms = match rgb_class {
        Some(RgbClass::Dot(op)) => sources.dot_terms(op),
        Some(RgbClass::PerChannel(_) | RgbClass::CopyAlpha | RgbClass::Reserved) => {
            rgb_channels.iter().flat_map(|&channel| sources.rgb_terms(channel)).collect()
        }
        None => Vec::new(),
    };
    // DP4 reads operands of alpha as well.
    let alpha_terms = alpha_class.is_some().then(|| sources.alpha_terms());
    let is_known = |term: &Term| terms.iter().any(|t: &Term| (t.operand, t.channel) == (term.operand, term.channel));
    let new_terms: Vec<Term> = alpha_terms.into_iter().flatten().filter(|term| !is_known(term)).collect();
    terms.extend(new_terms);
    let step = AluStep {
        terms,
        rgb_class,
        rgb_channels,
        alpha_class,
        rgb: result(&alu.rgb, common.rgb.clamp),
        alpha: result(&alu.alpha, common.alpha.clamp),
        gates: gates(common),
        wmask,
        omask,
        kind,
        alu_result,
        writes_cond_value: alu.w_omask,
    };
    match (kind, omask) {
        (AluKind::UmrtWrite, [true, true, true, true] | [false, false, false, false]) => Action::Alu(step),
        (AluKind::UmrtWrite, _) => Action::Reserved,
        (AluKind::Alu | AluKind::Out, _) => Action::Alu(step),
    }
}

fn result<Op, const N: usize>(unit: &Unit<Op, N>, clamp: bool) -> UnitResult {
    UnitResult {
        clamp,
        omod: unit.omod,
        dest: unit.dest,
        dest_relative: unit.dest_relative,
        target: usize::from(unit.target & 3),
        predicate_test: unit.predicate_test(),
    }
}
