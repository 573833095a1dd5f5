//! Rules of tables, surfaces, buffers and arrays.

use super::constant;
use crate::entity::{Type, Value};
use crate::op::{Effect, Op};
use crate::simplify::value_numbering::{Rewrite, Rewriter};

pub(super) fn apply(rewriter: &Rewriter<'_>, op: &Op, args: &[Value]) -> Option<Rewrite> {
    let becomes = |op, args: &[Value]| Some(Rewrite::Becomes(op, args.to_vec()));
    let splat = |at: usize| match rewriter.definition(args[at]) {
        Some((Op::Splat {}, &[uniform])) => Some(uniform),
        _ => None,
    };
    if has_no_lanes(rewriter, op, args) {
        return match (op.info().results, op) {
            ([], _) => Some(Rewrite::IsNothing),
            (_, Op::SurfaceTest { .. }) => Some(Rewrite::IsConstant(Op::Mask { value: false })),
            _ => Some(Rewrite::IsZero),
        };
    }
    match *op {
        Op::TableAt { table } | Op::TableGather { table } => {
            let entries = rewriter.function.tables[table.index()].entries;
            match (constant(rewriter, args[0]), splat(0)) {
                (Some(index), _) => becomes(Op::TableSplat { table, index: index & (entries - 1) }, &[]),
                (None, Some(uniform)) if matches!(op, Op::TableGather { .. }) => {
                    becomes(Op::TableAt { table }, &[uniform])
                }
                _ => None,
            }
        }
        Op::ArrayGather { array } => splat(0).and_then(|uniform| becomes(Op::ArrayRead { array }, &[uniform])),
        Op::ArrayScatter { array } => {
            splat(0).and_then(|uniform| becomes(Op::ArrayWrite { array }, &[uniform, args[1], args[2]]))
        }
        Op::SurfaceStore { channels, .. } => unwritten_channels(op, channels.0, args),
        _ => None,
    }
}

/// Whether the operation accesses memory or an array for the lanes of a mask that has none.
fn has_no_lanes(rewriter: &Rewriter<'_>, op: &Op, args: &[Value]) -> bool {
    let accesses = !matches!(op.effect(), Effect::Pure | Effect::Counts);
    let is_masked = op.info().operands.last().is_some_and(|&(name, ty)| name == "m" && ty == Type::Mask);
    accesses && is_masked && args.last().and_then(|&mask| rewriter.function.mask_constant(mask)) == Some(false)
}

/// A store's operands for channels that it does not write are forgotten: any other operand will do.
fn unwritten_channels(op: &Op, channels: u8, args: &[Value]) -> Option<Rewrite> {
    const FIRST: usize = 2;
    let written = (0..4).find(|channel| channels >> channel & 1 != 0)?;
    let stand_in = args[FIRST + written];
    let mut new = args.to_vec();
    for channel in (0..4).filter(|channel| channels >> channel & 1 == 0) {
        new[FIRST + channel] = stand_in;
    }
    (new != args).then_some(Rewrite::Becomes(*op, new))
}
