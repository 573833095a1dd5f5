//! Sums and differences that the presubtract operation makes on the way to the operation that wants them: 1 - a, 1 - 2 a, b - a and b + a, of operands in
//! the same channel.

use super::coalesce::{change_blocks, drop_unread};
use super::legal::fits_alone;
use super::machine::{Code, Op, Operand, Scalars, Source, Term, Web};
use super::place::{Place, Places, Vector};
use ctm_x1k::{OutputModifier, Presubtract};
use std::collections::BTreeMap;

const HALF: u32 = 0x3F00_0000;
const ONE: u32 = 0x3F80_0000;
const MINUS_TWO: u32 = 0xC000_0000;

/// Lets presubtract make what it can, where nothing else is wanted of a sum.
pub(super) fn presubtract(scalars: &mut Scalars, places: &Places) {
    change_blocks(&mut scalars.items, &mut |ops| block(ops, places));
    drop_unread(scalars);
}

/// What a sum is for presubtract.
fn form(op: &Op, places: &Places) -> Option<Source> {
    let plain = op.code == Code::Mad
        && op.scale == OutputModifier::X1
        && !op.clamp
        && op.targets.is_empty()
        && op.test.is_none()
        && op.args.iter().all(|arg| !arg.abs);
    if !plain {
        return None;
    }
    let term = |operand: Operand| match operand.source {
        Source::Web(web) => Some(Term::Web(web)),
        Source::Uniform { register, channel } => Some(Term::Uniform { register, channel }),
        Source::Number(_) | Source::Relative { .. } | Source::Presubtract(..) => None,
    };
    let is = |operand: Operand, bits: u32| operand.source == Source::Number(bits);
    let [a, b, c] = *op.args else { return None };
    // A product with one is an addend.
    let product = match () {
        () if is(b, ONE) => Some(a),
        () if is(a, ONE) => Some(b),
        () => None,
    };
    if let Some(first) = product {
        // 1 - x
        for (one, x) in [(first, c), (c, first)] {
            if is(one, ONE) && x.neg {
                let x = term(x)?;
                return Some(Source::Presubtract(Presubtract::Inv, x, x));
            }
        }
        let (x, y) = (term(first)?, term(c)?);
        let channel = |term: Term| match term {
            Term::Web(web) => places.get(web).map(|place| place.channel),
            Term::Uniform { channel, .. } => Some(channel.into()),
        };
        if channel(x)? != channel(y)? {
            return None;
        }
        return match (first.neg, c.neg) {
            (false, false) => Some(Source::Presubtract(Presubtract::Add, x, y)),
            (true, false) => Some(Source::Presubtract(Presubtract::Sub, x, y)),
            (false, true) => Some(Source::Presubtract(Presubtract::Sub, y, x)),
            (true, true) => None,
        };
    }
    // 1 - 2 x
    for (factor, x) in [(a, b), (b, a)] {
        let minus_two = is(factor, MINUS_TWO) && !x.neg || is(factor, MINUS_TWO ^ 0x8000_0000) && x.neg;
        if minus_two && is(c, ONE) {
            let x = term(x)?;
            return Some(Source::Presubtract(Presubtract::Bias, x, x));
        }
    }
    None
}

fn block(ops: &mut [Op], places: &Places) {
    // The only operation that gives a web, by the web; its readers.
    let mut by: BTreeMap<Web, Vec<usize>> = BTreeMap::new();
    let mut readers: BTreeMap<Web, Vec<usize>> = BTreeMap::new();
    for (k, op) in ops.iter().enumerate() {
        op.writes().for_each(|web| by.entry(web).or_default().push(k));
        for web in op.reads() {
            let known = readers.entry(web).or_default();
            if known.last() != Some(&k) {
                known.push(k);
            }
        }
    }
    let candidate = |web: Web| -> Option<(usize, Source)> {
        let &[at] = by.get(&web)?.as_slice() else { return None };
        let source = form(&ops[at], places)?;
        let reads = readers.get(&web)?;
        let last = *reads.last()?;
        let allowed = reads.iter().all(|&k| k > at && takes(&ops[k], web));
        // What it is made of is still there where it is wanted.
        let kept = ops[at].reads().all(|read| {
            by.get(&read).is_none_or(|writers| writers.iter().all(|&writer| writer <= at || writer >= last))
        });
        (allowed && kept && reads.len() <= 2).then_some((at, source))
    };
    let mut sources: BTreeMap<Web, Source> = BTreeMap::new();
    for &web in by.keys() {
        let Some((_, source)) = candidate(web) else { continue };
        // The channels of a vector go together, or operations on them would part.
        let together = places.get(web).is_none_or(|Place { vector, .. }| {
            places.channels(vector).iter().flatten().all(|&other| {
                other == web
                    || !by.contains_key(&other)
                    || candidate(other).is_some_and(|(_, of)| same_kind(of, source))
            })
        });
        if together {
            sources.insert(web, source);
        }
    }
    // A sum of sums would need presubtract twice.
    let all = sources.clone();
    sources.retain(|_, source| match *source {
        Source::Presubtract(_, first, second) => {
            [first, second].iter().filter_map(|term| term.as_web()).all(|web| !all.contains_key(&web))
        }
        _ => false,
    });
    // An instruction has one presubtract operation, and what it is made of leaves one source for the rest.
    while let Some(op) = ops.iter().find(|op| !possible(op, &sources, places)) {
        let vectors: Vec<Vector> = op.reads().filter_map(|web| places.get(web)).map(|place| place.vector).collect();
        let reads: Vec<Web> = op.reads().collect();
        let size = sources.len();
        sources.retain(|web, _| {
            !reads.contains(web) && places.get(*web).is_none_or(|place| !vectors.contains(&place.vector))
        });
        debug_assert!(sources.len() < size, "an operation is possible without presubtract");
    }
    ops.iter_mut().for_each(|op| substitute(op, &sources));
}

fn substitute(op: &mut Op, sources: &BTreeMap<Web, Source>) {
    for arg in &mut op.args {
        if let Some(source) = arg.as_web().and_then(|web| sources.get(&web)) {
            arg.source = *source;
        }
    }
}

/// Whether an operation is an instruction with what presubtract would make for it.
fn possible(op: &Op, sources: &BTreeMap<Web, Source>, places: &Places) -> bool {
    let mut made: Vec<Source> = op.reads().filter_map(|web| sources.get(&web)).copied().collect();
    if made.is_empty() {
        return true;
    }
    made.dedup();
    let mut op = op.clone();
    substitute(&mut op, sources);
    (op.code.is_dot() || made.len() == 1) && fits_alone(&op, places)
}

fn same_kind(a: Source, b: Source) -> bool {
    match (a, b) {
        (Source::Presubtract(a, ..), Source::Presubtract(b, ..)) => a == b,
        _ => false,
    }
}

/// Whether an operation can take what presubtract makes for a web: one operand of it, beside one or two others at most.
fn takes(op: &Op, web: Web) -> bool {
    let simple = match op.code {
        Code::Mad | Code::Min | Code::Max | Code::Cmp | Code::Cnd | Code::Frc => true,
        Code::Exp2 | Code::Log2 | Code::Rcp | Code::Rsq | Code::Sin | Code::Cos => true,
        Code::Dot2Add | Code::Dot3 | Code::Dot4 => return true,
        Code::Move | Code::Ddx | Code::Ddy | Code::Fetch(_) | Code::Kill => false,
    };
    // Zero, one half and one take no source.
    let free =
        |source: Source| matches!(source, Source::Number(bits) if [0, HALF, ONE].contains(&(bits & 0x7FFF_FFFF)));
    let others = op.args.iter().filter(|arg| arg.as_web() != Some(web) && !free(arg.source));
    simple && others.count() <= 1
}
