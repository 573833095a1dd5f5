//! Control flow: every path through the program with the stack that it has, without looking at conditions.

use super::{FindingCode, Findings, Subject};
use crate::cf::{Cf, CfAluOp, CfFields, CfOp, CfPlain};
use crate::codes::Condition;
use crate::outline::Outline;
use crate::program::{Program, Stage};
use crate::stack::{FrameKind, StackUse, Wavefront};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;

/// Combinations of address and stack that are looked at; programs of compilers have fewer than instructions times calls.
const MAX_STATES: usize = 1 << 16;
/// Frames in all these stacks together.
const MAX_FRAMES: usize = 1 << 20;

/// A frame as far as it is known beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Frame {
    Mask { whole_quad: bool },
    Loop { has_index: bool },
    Return { to: u32 },
}

impl Frame {
    const fn kind(self) -> FrameKind {
        match self {
            Frame::Mask { whole_quad: false } => FrameKind::Mask,
            Frame::Mask { whole_quad: true } => FrameKind::QuadMask,
            Frame::Loop { .. } => FrameKind::Loop,
            Frame::Return { .. } => FrameKind::Return,
        }
    }
}

/// What is on the stack, the innermost frame last.
type Stack = Vec<Frame>;

/// Where a path goes wrong.
type Wrong = (FindingCode, &'static str, &'static str);

const UNDERFLOW: Wrong = (
    FindingCode::StackUnderflow,
    "the stack is empty here on some path",
    "let every pop, ELSE and RETURN have its push or call on every path that leads to it",
);
const NO_LOOP: Wrong =
    (FindingCode::NoLoop, "no loop is open here on some path", "put it between a LOOP_START and its LOOP_END");

fn mismatch(what: &'static str) -> Wrong {
    (
        FindingCode::StackMismatch,
        what,
        "close branches, loops and calls in the order in which they were opened, the last first",
    )
}

/// What all paths together do.
#[derive(Default)]
pub(super) struct Walk {
    reachable: BTreeSet<u32>,
    /// Addresses that some path reaches where no open loop has an index.
    without_index: BTreeSet<u32>,
    /// Addresses that paths reach with different frames since the last call.
    uneven: BTreeSet<u32>,
    /// Every combination of open frames that occurs.
    uses: HashSet<StackUse>,
    /// Some path went wrong, or there are too many, and was not followed further.
    incomplete: bool,
}

/// The stack entries that a program needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StackNeed {
    /// By the guide's table 3.5.
    pub entries: u32,
    /// As hardware reads STACK_SIZE.
    pub stack_size: u32,
}

/// The largest need of all paths through the program. A vertex shader counts its CALL_FS, which may be given a fetch
/// program.
pub fn stack_need(program: &Program, wavefront: Wavefront) -> StackNeed {
    let outline = Outline::of(&program.code, program.info.family);
    Walk::of(program, &outline, &mut Findings::default()).need(wavefront)
}

impl Walk {
    /// Follows every path, and reports where one goes wrong.
    pub fn of(program: &Program, outline: &Outline, findings: &mut Findings) -> Walk {
        let mut walk = Walk::default();
        let mut local_stacks: BTreeMap<u32, Stack> = BTreeMap::new();
        let mut seen: HashSet<(u32, Stack)> = HashSet::new();
        let mut frames = 0;
        let clauses = covered(outline);
        let mut open = vec![(0, Stack::new())];
        while let Some((pc, stack)) = open.pop() {
            if !seen.insert((pc, stack.clone())) {
                continue;
            }
            frames += stack.len();
            if seen.len() > MAX_STATES || frames > MAX_FRAMES {
                walk.incomplete = true;
                break;
            }
            walk.note(pc, &stack, &mut local_stacks);
            let Some(qword) = program.code.get(pc as usize) else { continue };
            let cf = Cf::decode(qword);
            let ends = cf.ends_program() || matches!(cf, Cf::Plain(CfPlain { op: CfOp::EndProgram, .. }));
            let next = successors(&cf, pc, &stack, program.info.stage, &mut walk);
            let next = match next {
                Ok(next) => next,
                Err((code, message, help)) => {
                    findings.at(code, pc, message, help);
                    walk.incomplete = true;
                    continue;
                }
            };
            for (to, stack) in next.into_iter().filter(|_| !ends) {
                if to as usize >= program.code.len() {
                    findings.at(
                        FindingCode::AddressOutside,
                        pc,
                        format!("goes on at address {to}, but the code has {} qwords", program.code.len()),
                        "end the program with EOP, and let jumps and calls name addresses in the code",
                    );
                } else if is_in(&clauses, to) {
                    findings.at(
                        FindingCode::IntoClause,
                        pc,
                        format!("goes on at address {to}, which is in a clause"),
                        "clauses are run by the instructions that name them: end the program (END_OF_PROGRAM), or jump to a control-flow instruction",
                    );
                } else {
                    open.push((to, stack));
                }
            }
        }
        walk
    }

    fn note(&mut self, pc: u32, stack: &Stack, local_stacks: &mut BTreeMap<u32, Stack>) {
        self.reachable.insert(pc);
        if !stack.iter().any(|frame| matches!(frame, Frame::Loop { has_index: true })) {
            self.without_index.insert(pc);
        }
        let since_call = stack.iter().rposition(|frame| matches!(frame, Frame::Return { .. })).map_or(0, |at| at + 1);
        let local = &stack[since_call..];
        if local_stacks.entry(pc).or_insert_with(|| local.to_vec()) != local {
            self.uneven.insert(pc);
        }
        self.count(stack);
    }

    fn count(&mut self, stack: &[Frame]) {
        let mut open = StackUse::default();
        stack.iter().for_each(|frame| open.push(frame.kind()));
        self.uses.insert(open);
    }

    /// True if some path leads here.
    pub fn is_reachable(&self, pc: u32) -> bool {
        self.reachable.contains(&pc)
    }

    /// True if on some path no open loop has an index.
    pub fn may_lack_index(&self, pc: u32) -> bool {
        self.without_index.contains(&pc)
    }

    fn need(&self, wavefront: Wavefront) -> StackNeed {
        StackNeed {
            entries: self.uses.iter().map(|open| open.entries(wavefront)).max().unwrap_or(0),
            stack_size: self.uses.iter().map(|open| open.stack_size(wavefront)).max().unwrap_or(0),
        }
    }
}

/// The qwords that clauses cover, in ranges that do not touch.
fn covered(outline: &Outline) -> Vec<Range<u32>> {
    let mut ranges: Vec<Range<u32>> = Vec::new();
    for clause in outline.clauses.keys() {
        let end = clause.address + clause.length;
        match ranges.last_mut() {
            Some(last) if clause.address <= last.end => last.end = last.end.max(end),
            _ => ranges.push(clause.address..end),
        }
    }
    ranges
}

fn is_in(ranges: &[Range<u32>], address: u32) -> bool {
    let after = ranges.partition_point(|range| range.start <= address);
    ranges[..after].last().is_some_and(|range| range.contains(&address))
}

/// Pops masks.
fn pop_masks(stack: &[Frame], count: u8) -> Result<Stack, Wrong> {
    let mut stack = stack.to_vec();
    for _ in 0..count {
        match stack.pop() {
            Some(Frame::Mask { .. }) => {}
            Some(_) => return Err(mismatch("pops a loop or call as if it were a branch")),
            None => return Err(UNDERFLOW),
        }
    }
    Ok(stack)
}

/// Pushes a frame.
fn with(stack: &[Frame], frame: Frame) -> Stack {
    let mut stack = stack.to_vec();
    stack.push(frame);
    stack
}

fn needs_mask(stack: &[Frame]) -> Result<(), Wrong> {
    match stack.last() {
        Some(Frame::Mask { .. }) => Ok(()),
        Some(_) => Err(mismatch("ELSE inside a loop or subroutine that began after the branch")),
        None => Err(UNDERFLOW),
    }
}

fn needs_loop(stack: &[Frame]) -> Result<usize, Wrong> {
    stack.iter().rposition(|frame| matches!(frame, Frame::Loop { .. })).ok_or(NO_LOOP)
}

/// Where an instruction may lead, with the stacks that paths have then.
fn successors(cf: &Cf, pc: u32, stack: &Stack, stage: Stage, walk: &mut Walk) -> Result<Vec<(u32, Stack)>, Wrong> {
    let here = || stack.clone();
    match cf {
        Cf::Export(_) | Cf::Reserved(_) => Ok(vec![(pc + 1, here())]),
        Cf::Alu(alu) => {
            let mut stack = here();
            if alu.op.properties().pushes {
                stack.push(Frame::Mask { whole_quad: alu.fields.whole_quad_mode });
                walk.count(&stack);
            }
            match alu.op {
                CfAluOp::ElseAfter => needs_mask(&stack)?,
                CfAluOp::Continue | CfAluOp::Break => {
                    needs_loop(&stack)?;
                }
                CfAluOp::Alu | CfAluOp::PushBefore | CfAluOp::PopAfter | CfAluOp::Pop2After => {}
            }
            Ok(vec![(pc + 1, pop_masks(&stack, alu.op.properties().pops)?)])
        }
        Cf::Plain(CfPlain { op, fields }) => {
            if *op == CfOp::CallFs {
                walk.count(&with(stack, Frame::Return { to: pc + 1 }));
            }
            plain(*op, fields, pc, stack, stage)
        }
    }
}

fn plain(op: CfOp, fields: &CfFields, pc: u32, stack: &Stack, stage: Stage) -> Result<Vec<(u32, Stack)>, Wrong> {
    let (following, target, pops) = (pc + 1, fields.addr, fields.pop_count);
    let mask = Frame::Mask { whole_quad: fields.whole_quad_mode };
    let here = || stack.clone();
    let left = || pop_masks(stack, pops);
    Ok(match op {
        CfOp::Push => vec![(target, left()?), (following, with(stack, mask))],
        CfOp::PushElse => {
            let pushed = with(stack, mask);
            vec![(target, pop_masks(&pushed, pops)?), (following, pushed)]
        }
        CfOp::Else => {
            needs_mask(stack)?;
            vec![(target, left()?), (following, here())]
        }
        CfOp::Jump if fields.cond == Condition::False => vec![(target, left()?)],
        CfOp::Jump => vec![(target, left()?), (following, here())],
        CfOp::Pop => vec![(following, left()?)],
        CfOp::PopJump => vec![(target, left()?), (following, left()?)],
        CfOp::PopPush => vec![(target, left()?), (following, with(&left()?, mask))],
        CfOp::PopPushElse => vec![(target, with(&left()?, mask)), (following, with(&left()?, mask))],
        CfOp::LoopStart | CfOp::LoopStartNoAl | CfOp::LoopStartDx10 => {
            let frame = Frame::Loop { has_index: op == CfOp::LoopStart };
            vec![(target, left()?), (following, with(stack, frame))]
        }
        CfOp::LoopEnd => {
            let innermost = needs_loop(stack)?;
            if innermost + 1 != stack.len() {
                return Err(mismatch("a branch or call that began in the loop is still open at its end"));
            }
            vec![(target, here()), (following, stack[..innermost].to_vec())]
        }
        CfOp::LoopContinue | CfOp::LoopBreak => {
            let innermost = needs_loop(stack)?;
            if stack[innermost..].iter().any(|frame| matches!(frame, Frame::Return { .. })) {
                return Err(mismatch("leaves a loop from inside a subroutine that was called in it"));
            }
            vec![(target, stack[..=innermost].to_vec()), (following, here())]
        }
        CfOp::Call => vec![(target, with(stack, Frame::Return { to: following })), (following, here())],
        CfOp::CallFs => vec![(following, here())],
        CfOp::Return => {
            let may_stay = fields.cond != Condition::Active || fields.valid_pixel_mode;
            let mut next = if may_stay { vec![(following, here())] } else { Vec::new() };
            match stack.last() {
                Some(&Frame::Return { to }) => next.push((to, stack[..stack.len() - 1].to_vec())),
                // What called a fetch program is another image.
                None if stage == Stage::Fetch => {}
                Some(_) => return Err(mismatch("returns from inside a branch or loop of the subroutine")),
                None => return Err(UNDERFLOW),
            }
            next
        }
        CfOp::Kill => vec![(target, here()), (following, here())],
        CfOp::Nop
        | CfOp::Tex
        | CfOp::Vtx
        | CfOp::VtxTc
        | CfOp::EmitVertex
        | CfOp::EmitCutVertex
        | CfOp::CutVertex
        | CfOp::EndProgram
        | CfOp::WaitAck
        | CfOp::TexAck
        | CfOp::VtxAck
        | CfOp::VtxTcAck => vec![(following, here())],
    })
}

/// Reports what the walk saw: unreachable instructions, uneven joins, the size of the stack.
pub(super) fn check(subject: &Subject, wavefront: Wavefront, findings: &mut Findings) {
    let walk = &subject.walk;
    for &pc in &walk.uneven {
        findings.at(
            FindingCode::UnevenJoin,
            pc,
            "paths that meet here have pushed and popped differently",
            "let the jump pop what the other path pops; a missing POP_CNT is the usual reason",
        );
    }
    let instructions = if walk.incomplete { 0 } else { subject.outline.cf.len() as u32 };
    let mut unreachable = (0..instructions).filter(|pc| !walk.is_reachable(*pc)).peekable();
    while let Some(first) = unreachable.next() {
        let mut last = first;
        while unreachable.next_if_eq(&(last + 1)).is_some() {
            last += 1;
        }
        let what = if first == last { format!("address {first}") } else { format!("addresses {first} to {last}") };
        findings.at(FindingCode::Unreachable, first, format!("nothing leads to {what}"), "remove it, or jump there");
    }
    let need = walk.need(wavefront);
    let Some(size) = subject.program.info.stack_size.map(u32::from) else { return };
    let help = format!("set STACK_SIZE to {}", need.stack_size);
    if size < need.entries {
        let message =
            format!("the program's branches, loops and calls take {} entries, STACK_SIZE is {size}", need.entries);
        findings.program(FindingCode::StackSize, message, help);
    } else if size < need.stack_size {
        let message = format!(
            "with four sub-entries to the entry the program takes {} entries, STACK_SIZE is {size}",
            need.stack_size
        );
        findings.program(FindingCode::StackSizeOfHardware, message, help);
    }
}
