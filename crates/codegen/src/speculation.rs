//! Speculation on NaNs: rules about them cost nothing while nobody looks at a NaN.
//!
//! Three kinds of rules go beyond what the processor does: zero times infinity or NaN may be zero; NaN results may have
//! bits of their own (`canon_nan`); and the first NaN operand may come through (`pass_nan`). Code that speculates leaves all of
//! them out, and a NaN stands for "not known" in it:
//!
//! > In every lane, a value is that of exact code, or a NaN.
//!
//! A rule left out keeps to that: where it would have changed anything, the processor's own result is a NaN. So does
//! arithmetic: a NaN operand makes the result a NaN, whatever the exact operand may be. Choices, signs, exchanges between
//! lanes and arrays pass their operands on as they are.
//!
//! All else *looks* at its operands: comparisons, conversions, integer operations, stores. Those among them that the
//! processor calculates by instructions that take a NaN operand for invalid raise the sticky flag themselves: minima and
//! maxima, conversions to integers, and comparisons in their signalling form. For the others a comparison raises it. While
//! the flag is down, nobody has looked at a NaN; so all that was seen, and hence all that was done, is what exact code does.
//! When it is up, the caller runs the groups again with exact code.
//!
//! Running them again has to make good what was stored. What was stored while the flag was down is stored again as it is,
//! since nothing that is read is written. What was stored later may be wrong, but is written over, if neither the address nor
//! the lanes depend on any number. In front of a store where they do, code leaves if the flag is up.
//!
//! Only values that a rule may have touched (*tainted* values) need to be looked at. Flags of lanes that nobody looks at, such as
//! those that have left a loop and compute on to infinity minus infinity, would be false deoptimisations: arithmetic raises none
//! where an instruction can say so, and comparisons know their lanes.

use ctm_lane::{Array, Function, Graph, Op, Value, ValueRanges};
use std::collections::HashSet;

/// What becomes of NaNs among the operands in code that speculates on them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum NanUse {
    /// The result is a NaN, or they come through as they are.
    Passed,
    /// The same, but instructions on the way may raise the invalid flag for infinities and NaNs.
    PassedRaising,
    /// The same, once the operation's rule about NaNs is left out.
    PassedByRule,
    /// They raise the invalid flag.
    Raise,
    /// They are looked at, without raising the flag.
    Seen,
    /// Those of the first operand are looked at; the others go to an array, and come out of it again.
    Stored,
}

/// The values of a function that may be NaNs where exact code has something else.
#[derive(Default)]
pub struct Tainted(Vec<bool>);

impl Tainted {
    /// The tainted values of code that speculates, where a target does this with the NaNs of each operation; `None` if so few
    /// rules are left out that looking at NaNs would cost more.
    pub fn find(function: &Function, graph: &Graph, ranges: &ValueRanges, nans: fn(&Op) -> NanUse) -> Option<Self> {
        let tainted = Self(find(function, graph, ranges, nans));
        let (mut rules, mut looks) = (0, 0);
        for &block in &graph.order {
            for &inst in function.insts(block) {
                let nans = nans(function.op(inst));
                rules += usize::from(nans == NanUse::PassedByRule);
                let seen = nans.looked_at(function.args(inst));
                looks += seen.iter().filter(|&&arg| tainted.has(arg)).count();
            }
        }
        (rules > looks / 2).then_some(tainted)
    }

    /// Whether a value is one of them.
    pub fn has(&self, value: Value) -> bool {
        self.0.get(value.index()).copied().unwrap_or(false)
    }
}

impl NanUse {
    /// The operands that an operation looks at without raising the flag itself.
    pub fn looked_at(self, args: &[Value]) -> &[Value] {
        match self {
            NanUse::Passed | NanUse::PassedRaising | NanUse::PassedByRule | NanUse::Raise => &[],
            NanUse::Stored => &args[..1],
            NanUse::Seen => args,
        }
    }
}

fn find(function: &Function, graph: &Graph, ranges: &ValueRanges, nans: fn(&Op) -> NanUse) -> Vec<bool> {
    let mut tainted = vec![false; function.value_count()];
    let mut arrays: HashSet<Array> = HashSet::new();
    let mut changed = true;
    while changed {
        changed = false;
        for &block in &graph.order {
            for (number, &param) in function.params(block).iter().enumerate() {
                let sources = graph
                    .predecessors(block)
                    .iter()
                    .flat_map(|&from| function.terminator(from).targets().filter(move |target| target.block == block));
                let is = sources.into_iter().any(|target| tainted[target.args[number].index()]);
                changed |= is && !std::mem::replace(&mut tainted[param.index()], true);
            }
            for &inst in function.insts(block) {
                let (op, args) = (function.op(inst), function.args(inst));
                let array = op.array().map(|(array, _)| array);
                if let (Op::ArrayWrite { .. } | Op::ArrayScatter { .. }, Some(array)) = (op, array) {
                    changed |= tainted[args[1].index()] && arrays.insert(array);
                    continue;
                }
                let is = match (op, nans(op)) {
                    (Op::ArrayRead { .. } | Op::ArrayGather { .. }, _) => array.is_some_and(|at| arrays.contains(&at)),
                    // Of a number, no rule makes another one.
                    (Op::CanonNan { .. } | Op::PassNan {}, _) => ranges.get(args[0]).nan || tainted[args[0].index()],
                    (_, NanUse::PassedByRule) => true,
                    (_, NanUse::Passed | NanUse::PassedRaising) => args.iter().any(|arg| tainted[arg.index()]),
                    (_, NanUse::Raise | NanUse::Seen | NanUse::Stored) => false,
                };
                if is {
                    for result in function.results(inst) {
                        changed |= !std::mem::replace(&mut tainted[result.index()], true);
                    }
                }
            }
        }
    }
    tainted
}
