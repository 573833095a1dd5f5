//! Branches, loops and calls: one control-flow instruction after the other (R700 guide 3-15 to 3-18, 9-22).
//!
//! The guide's pages leave open when `POP_COUNT` pops. Decision R7: JUMP, ELSE, PUSH and the loop starts pop only where they
//! jump, as the code of Mesa, LLVM and AMD's own compiler needs it; POP and what is named after it pop always, first.

use super::control::{CodeAddress, Control, Frame, Loop, LoopKind, Pixel, Test};
use crate::cf::{CfAluOp, CfFields, CfOp, CfPlain};
use crate::codes::Condition;
use crate::job::{LoopConstant, TrapKind};

/// Deepest nesting of calls, in units of CALL_COUNT.
const CALL_LIMIT: u32 = 32;

/// Where the wavefront goes after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// To the following instruction.
    Following,
    /// To this address of the same image.
    Goto(u32),
    /// To the start of the fetch program.
    EnterFetchProgram,
    /// Back from a call.
    Return(CodeAddress),
}

/// Executes a branch, loop or call at `here`. Clauses, and instructions that do not touch the control state, are the
/// caller's.
pub(super) fn execute(
    control: &mut Control,
    CfPlain { op, fields }: &CfPlain,
    test: &Test,
    loop_constant: LoopConstant,
    has_fetch_program: bool,
    here: CodeAddress,
) -> Result<Next, TrapKind> {
    match op {
        CfOp::Push => {
            if jumps(control, test) {
                return leave(control, fields);
            }
            control.push_mask(test.whole_quad)?;
            control.set_failing(test);
        }
        CfOp::PushElse => {
            control.push_mask(test.whole_quad)?;
            deactivate_passing(control, test);
            if !control.any_active() {
                return leave(control, fields);
            }
        }
        CfOp::Pop => {
            control.pop_masks(fields.pop_count)?;
            control.set_failing(test);
        }
        CfOp::Else => {
            invert(control, test)?;
            if !control.any_active() {
                return leave(control, fields);
            }
        }
        CfOp::Jump if jumps(control, test) => return leave(control, fields),
        CfOp::PopJump => {
            control.pop_masks(fields.pop_count)?;
            if jumps(control, test) {
                return Ok(Next::Goto(fields.addr));
            }
        }
        CfOp::PopPush => {
            control.pop_masks(fields.pop_count)?;
            if jumps(control, test) {
                return Ok(Next::Goto(fields.addr));
            }
            control.push_mask(test.whole_quad)?;
            control.set_failing(test);
        }
        CfOp::PopPushElse => {
            control.pop_masks(fields.pop_count)?;
            control.push_mask(test.whole_quad)?;
            deactivate_passing(control, test);
            if !control.any_active() {
                return Ok(Next::Goto(fields.addr));
            }
        }
        CfOp::Call => return call(control, fields, test, here, Next::Goto(fields.addr)),
        CfOp::CallFs if has_fetch_program => return call(control, fields, test, here, Next::EnterFetchProgram),
        CfOp::Return => {
            let passing = control.passing(test);
            if control.pixels().all(|pixel| !control.is_active(pixel) || passing[pixel]) {
                return end_call(control);
            }
        }
        CfOp::LoopStart => return begin_loop(control, fields, test, LoopKind::Dx9, loop_constant),
        CfOp::LoopStartNoAl => return begin_loop(control, fields, test, LoopKind::NoAl, loop_constant),
        CfOp::LoopStartDx10 => return begin_loop(control, fields, test, LoopKind::Dx10, loop_constant),
        CfOp::LoopEnd => return end_pass(control, fields, test),
        CfOp::LoopContinue => return leave_pass(control, fields, test, Pixel::Continue),
        CfOp::LoopBreak => return leave_pass(control, fields, test, Pixel::Break),
        CfOp::Kill => {
            let passing = control.passing(test);
            control.pixels().filter(|&pixel| passing[pixel]).for_each(|pixel| control.kill(pixel));
            if !control.valid.contains(&true) {
                return Ok(Next::Goto(fields.addr));
            }
        }
        CfOp::Nop
        | CfOp::Tex
        | CfOp::Vtx
        | CfOp::VtxTc
        | CfOp::Jump
        | CfOp::CallFs
        | CfOp::EmitVertex
        | CfOp::EmitCutVertex
        | CfOp::CutVertex
        | CfOp::EndProgram
        | CfOp::WaitAck
        | CfOp::TexAck
        | CfOp::VtxAck
        | CfOp::VtxTcAck => {}
    }
    Ok(Next::Following)
}

/// True if no pixel passes.
fn jumps(control: &Control, test: &Test) -> bool {
    !control.passing(test).contains(&true)
}

/// A jump that pops.
fn leave(control: &mut Control, fields: &CfFields) -> Result<Next, TrapKind> {
    control.pop_masks(fields.pop_count)?;
    Ok(Next::Goto(fields.addr))
}

/// The ELSE half of PUSH_ELSE: the pixels that pass leave.
fn deactivate_passing(control: &mut Control, test: &Test) {
    let passing = control.passing(test);
    for (state, _) in control.state.iter_mut().zip(passing).filter(|(_, passes)| *passes) {
        *state = Pixel::Branch;
    }
}

/// ELSE: of the pixels that were active at the last push, those that took the first arm and those that did not change
/// places. (Decision R11: the "active" of its test is that of the push, since a pixel that waits could never come back
/// otherwise.)
fn invert(control: &mut Control, test: &Test) -> Result<(), TrapKind> {
    let Frame::Mask { active, .. } = control.top()? else { return Err(TrapKind::StackMismatch) };
    let active = active.clone();
    for pixel in control.pixels() {
        let state = &mut control.state[pixel];
        if active[pixel] && test.lets_any_pass() {
            *state = match *state {
                Pixel::Active => Pixel::Branch,
                Pixel::Branch => Pixel::Active,
                other @ (Pixel::Continue | Pixel::Break) => other,
            };
        }
        if test.valid_only && *state == Pixel::Active && !control.valid[pixel] {
            *state = Pixel::Branch;
        }
    }
    Ok(())
}

fn call(
    control: &mut Control,
    fields: &CfFields,
    test: &Test,
    here: CodeAddress,
    target: Next,
) -> Result<Next, TrapKind> {
    let call_count = u32::from(fields.call_count);
    if jumps(control, test) || control.call_depth + call_count > CALL_LIMIT {
        return Ok(Next::Following);
    }
    control.push(Frame::Return { to: CodeAddress { pc: here.pc + 1, ..here }, call_count })?;
    control.call_depth += call_count;
    Ok(target)
}

/// Goes back to where the innermost call came from.
pub(super) fn end_call(control: &mut Control) -> Result<Next, TrapKind> {
    let Frame::Return { to, call_count } = control.pop()? else { return Err(TrapKind::StackMismatch) };
    control.call_depth -= call_count;
    Ok(Next::Return(to))
}

fn begin_loop(
    control: &mut Control,
    fields: &CfFields,
    test: &Test,
    kind: LoopKind,
    constant: LoopConstant,
) -> Result<Next, TrapKind> {
    let passing = control.passing(test);
    let no_pass = kind != LoopKind::Dx10 && constant.count == 0;
    if no_pass || !passing.contains(&true) {
        return leave(control, fields);
    }
    let al = if kind == LoopKind::Dx9 { constant.init.into() } else { control.al() };
    let count = constant.count.into();
    let passes = (kind != LoopKind::Dx10).then_some(count);
    let registers = Loop { kind, count, pass: 1, passes, al, step: constant.step.into() };
    control.push(Frame::Loop { outside: control.state.clone(), registers })?;
    for (state, passes) in control.state.iter_mut().zip(passing) {
        // Who is not in the loop waits as one that has left it, or the loop's end would bring it in.
        *state = match *state {
            _ if !passes => Pixel::Break,
            Pixel::Branch if test.whole_quad => Pixel::Active,
            state @ (Pixel::Active | Pixel::Branch | Pixel::Continue | Pixel::Break) => state,
        };
    }
    Ok(Next::Following)
}

/// LOOP_END. Pixels that wait for the end of the pass come back before the test.
fn end_pass(control: &mut Control, fields: &CfFields, test: &Test) -> Result<Next, TrapKind> {
    control.innermost_loop().ok_or(TrapKind::NoLoop)?;
    let Frame::Loop { .. } = control.top()? else { return Err(TrapKind::StackMismatch) };
    for state in control.state.iter_mut().filter(|state| **state != Pixel::Break) {
        *state = Pixel::Active;
    }
    let mut again = control.passing(test).contains(&true);
    let Frame::Loop { registers, .. } = control.top()? else { return Err(TrapKind::StackMismatch) };
    if registers.kind != LoopKind::Dx10 {
        registers.count -= 1;
        again &= registers.count > 0;
    }
    if registers.kind == LoopKind::Dx9 {
        registers.al += registers.step;
    }
    if again {
        registers.pass = registers.pass.wrapping_add(1);
        return Ok(Next::Goto(fields.addr));
    }
    if let Frame::Loop { outside, .. } = control.pop()? {
        control.state = outside;
    }
    Ok(Next::Following)
}

/// LOOP_BREAK, LOOP_CONTINUE. They jump, past open branches, when nobody is left in the pass; pixels that wait for a
/// branch are, as they have code to run.
fn leave_pass(control: &mut Control, fields: &CfFields, test: &Test, left: Pixel) -> Result<Next, TrapKind> {
    control.innermost_loop().ok_or(TrapKind::NoLoop)?;
    let passing = control.passing(test);
    for (state, _) in control.state.iter_mut().zip(passing).filter(|(_, passes)| *passes) {
        *state = left;
    }
    if control.state.iter().all(|state| matches!(state, Pixel::Continue | Pixel::Break)) {
        control.unwind_to_loop()?;
        return Ok(Next::Goto(fields.addr));
    }
    Ok(Next::Following)
}

/// What an ALU clause is run with: the test that its format implies.
pub(super) fn alu_test(whole_quad: bool) -> Test {
    Test { condition: Condition::Active, boolean: false, valid_only: false, whole_quad }
}

/// What comes before an ALU clause. Gives the pixels that were active then.
pub(super) fn before_clause(control: &mut Control, op: CfAluOp, whole_quad: bool) -> Result<Vec<Pixel>, TrapKind> {
    if op.properties().pushes {
        control.push_mask(whole_quad)?;
    }
    Ok(control.state.clone())
}

/// What comes after an ALU clause, whether any pixel ran it or not. No ALU instruction jumps.
pub(super) fn after_clause(control: &mut Control, op: CfAluOp, before: &[Pixel]) -> Result<(), TrapKind> {
    match op {
        CfAluOp::ElseAfter => invert(control, &alu_test(false)),
        CfAluOp::Continue => mark_failed(control, before, Pixel::Continue),
        CfAluOp::Break => mark_failed(control, before, Pixel::Break),
        CfAluOp::Alu | CfAluOp::PushBefore | CfAluOp::PopAfter | CfAluOp::Pop2After => {
            control.pop_masks(op.properties().pops)
        }
    }
}

/// Pixels that the clause made inactive leave the pass.
fn mark_failed(control: &mut Control, before: &[Pixel], left: Pixel) -> Result<(), TrapKind> {
    control.innermost_loop().ok_or(TrapKind::NoLoop)?;
    for (state, before) in control.state.iter_mut().zip(before) {
        if *before == Pixel::Active && *state == Pixel::Branch {
            *state = left;
        }
    }
    Ok(())
}
