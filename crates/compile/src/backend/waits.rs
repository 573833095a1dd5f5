//! The texture semaphore, and idle slots: who waits for what (CTM Guide p.25, 32).

use ctm_x1k::{AlphaOp, Body, Effects, Instruction, Operand, RgbOp, Select, TexOp, WriteMode};
use std::collections::BTreeSet;

fn fetches(instruction: &Instruction) -> bool {
    matches!(&instruction.body, Body::Tex(tex) if tex.op != TexOp::Texkill && tex.op != TexOp::Nop)
}

/// Sets TEX_SEM_ACQUIRE on the last fetch of each row of fetches, and TEX_SEM_WAIT on the first instruction that needs what was fetched, or that
/// could lead to one, and on what acquires: only one acquisition may be outstanding.
pub(super) fn insert(code: &mut [Instruction]) {
    // Registers that fetches write which have not been waited for: those of rows that have acquired the semaphore, and those of the row so far.
    let (mut acquired, mut row): (BTreeSet<u8>, BTreeSet<u8>) = Default::default();
    for k in 0..code.len() {
        let touches = touched(&code[k]).iter().any(|register| acquired.contains(register));
        let flow = matches!(code[k].body, Body::Flow(_));
        let last = k + 1 == code.len();
        let acquires = fetches(&code[k])
            && !follows_in_row(code, k, |register| acquired.contains(&register) || row.contains(&register));
        if last || acquires || !acquired.is_empty() && (touches || flow) {
            code[k].common.tex_sem_wait = true;
            acquired.clear();
        }
        if k + 1 < code.len() && needs_idle_slot(&code[k], &code[k + 1]) {
            code[k].common.nop = true;
        }
        if fetches(&code[k]) {
            row.insert(destination(&code[k]));
        }
        if acquires && let Body::Tex(tex) = &mut code[k].body {
            tex.sem_acquire = true;
            acquired = std::mem::take(&mut row);
        }
    }
}

/// Whether arithmetic writes a register that the presubtract operation, or a derivative, of the next instruction reads.
fn needs_idle_slot(instruction: &Instruction, next: &Instruction) -> bool {
    let (Some(_), Some(alu)) = (instruction.alu(), next.alu()) else { return false };
    let presubtract = |select: Select| select == Select::Srcp;
    let derivative =
        matches!(alu.rgb.op, RgbOp::Mdh | RgbOp::Mdv) || matches!(alu.alpha.op, AlphaOp::Mdh | AlphaOp::Mdv);
    if !derivative
        && !alu.rgb.arg.iter().any(|arg| presubtract(arg.sel))
        && !alu.alpha.arg.iter().any(|arg| presubtract(arg.sel))
    {
        return false;
    }
    let written = Effects::of(instruction, WriteMode::Cached).temps;
    let first_two = alu.rgb.src[..2].iter().chain(&alu.alpha.src[..2]);
    first_two
        .filter_map(|source| match source.operand() {
            Operand::Temp { index, .. } => Some(index),
            Operand::Const { .. } | Operand::Inline(_) => None,
        })
        .any(|register| written.iter().any(|write| write.index == register))
}

fn destination(instruction: &Instruction) -> u8 {
    match &instruction.body {
        Body::Tex(tex) => tex.dst.addr,
        _ => 0,
    }
}

/// Whether the next instruction is a fetch, too, that needs nothing of what is pending or this gives.
fn follows_in_row(code: &[Instruction], k: usize, is_pending: impl Fn(u8) -> bool) -> bool {
    let Some(next) = code.get(k + 1) else { return false };
    let own = destination(&code[k]);
    fetches(next) && !touched(next).iter().any(|register| *register == own || is_pending(*register))
}

/// Temporaries that an instruction reads or writes.
fn touched(instruction: &Instruction) -> Vec<u8> {
    let effects = Effects::of(instruction, WriteMode::Cached);
    let read = effects.reads.iter().filter_map(|read| match read.operand {
        Operand::Temp { index, .. } => Some(index),
        Operand::Const { .. } | Operand::Inline(_) => None,
    });
    read.chain(effects.temps.iter().map(|write| write.index)).collect()
}
