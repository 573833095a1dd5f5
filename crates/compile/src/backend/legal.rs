//! What has to lie together, and does not, is moved: coordinates of fetches, what fetches give, operands of dot products.

use super::bundle::compose;
use super::coalesce::{change_blocks, drop_unread};
use super::machine::{Code, Op, Operand, Scalars, Source, Web};
use super::operand::{self, Literals};
use super::place::{ALPHA, Place, Places, Vector, dot_vectors};
use std::collections::HashSet;

/// Whether operands can be read as one by the colour unit, or, with `whole`, are channels of one register as they are.
fn readable(operands: &[Operand], whole: bool, places: &Places) -> bool {
    if whole {
        let place = |operand: &Operand| places.get(operand.as_web()?);
        let vectors: HashSet<Option<Vector>> =
            operands.iter().map(|operand| place(operand).map(|place| place.vector)).collect();
        return operands.iter().all(|operand| operand.is_plain()) && vectors.len() == 1 && !vectors.contains(&None);
    }
    operand::readable(operands, places)
}

/// Adds moves in front of operations that read vectors, and after fetches, where scalars do not lie as they must.
pub(super) fn legalise(scalars: &mut Scalars, places: &mut Places) {
    change_blocks(&mut scalars.items, &mut |ops| block(ops, places));
    scalars.webs = places.webs();
    drop_unread(scalars);
}

fn block(ops: &mut Vec<Op>, places: &mut Places) {
    let mut legal: Vec<Op> = Vec::with_capacity(ops.len());
    for mut op in std::mem::take(ops) {
        match op.code {
            Code::Fetch(fetch) => {
                let coordinates = usize::from(fetch.coordinates);
                if fetch.kind == crate::ir::FetchKind::Gradient {
                    for part in 0..3 {
                        let range = part * coordinates..(part + 1) * coordinates;
                        gather(&mut op.args[range], true, op.line, places, &mut legal);
                    }
                } else {
                    gather(&mut op.args, true, op.line, places, &mut legal);
                }
                let after = scatter(&mut op, places);
                legal.push(op);
                legal.extend(after);
                continue;
            }
            Code::Kill => gather(&mut op.args, true, op.line, places, &mut legal),
            Code::Dot2Add | Code::Dot3 | Code::Dot4 => {
                let (first, second) = dot_vectors(&op);
                let length = first.len();
                for start in [0, length] {
                    if start > 0 && first == second {
                        let (ready, rest) = op.args.split_at_mut(length);
                        rest[..length].copy_from_slice(ready);
                        continue;
                    }
                    gather(&mut op.args[start..start + length.min(3)], false, op.line, places, &mut legal);
                    if op.code == Code::Dot4 {
                        fourth(&mut op.args[start..start + length], op.line, places, &mut legal);
                    }
                }
                // Four channels can take more source addresses than there are.
                for start in [0, length] {
                    if op.code == Code::Dot4 && !fits_alone(&op, places) {
                        move_together(&mut op.args[start..start + length], false, op.line, places, &mut legal);
                    }
                }
            }
            Code::Ddx | Code::Ddy => {
                if let Some(web) = op.args[0].as_web() {
                    places.pin(web, 0);
                }
                if let (Some(place), Some(result)) = (op.args[0].as_web().and_then(|web| places.get(web)), op.result())
                {
                    derive(&mut op, place, result, places, &mut legal);
                    continue;
                }
            }
            Code::Move
            | Code::Mad
            | Code::Min
            | Code::Max
            | Code::Cmp
            | Code::Cnd
            | Code::Frc
            | Code::Exp2
            | Code::Log2
            | Code::Rcp
            | Code::Rsq
            | Code::Sin
            | Code::Cos => {}
        }
        legal.push(op);
    }
    *ops = legal;
}

/// A derivative's result lies in its operand's channel; if it is wanted elsewhere it is moved.
fn derive(op: &mut Op, operand: Place, result: Web, places: &mut Places, legal: &mut Vec<Op>) {
    match places.get(result) {
        None => places.pin(result, operand.channel),
        Some(place) if place.channel == operand.channel => {}
        Some(_) => {
            let own = places.add_web();
            places.pin(own, operand.channel);
            let mut derivative = op.clone();
            derivative.results = vec![Some(own)];
            legal.push(derivative);
            legal.push(Op::new(Code::Move, vec![Operand::web(own)], result, op.line));
            return;
        }
    }
    legal.push(op.clone());
}

/// Moves operands into a vector if they cannot be read together as they lie.
fn gather(operands: &mut [Operand], whole: bool, line: u32, places: &mut Places, legal: &mut Vec<Op>) {
    if operands.is_empty() {
        return;
    }
    if readable(operands, whole, places) {
        // What lies nowhere yet was taken to lie in a colour.
        operands.iter().filter_map(|operand| operand.as_web()).for_each(|web| places.pin(web, 0));
        return;
    }
    // A single scalar that lies nowhere yet.
    if let [operand] = operands
        && let Some(web) = operand.as_web()
        && operand.is_plain()
    {
        places.pin(web, 0);
        return;
    }
    let all: Vec<(Operand, Web)> = operands.iter().map(|&operand| (operand, 0)).collect();
    if again(&all, legal).is_some() || !join_vector(operands, whole, line, places, legal) {
        move_together(operands, whole, line, places, legal);
    }
}

/// Moves only those operands that do not lie in the vector of most of them, if it has space for these.
fn join_vector(operands: &mut [Operand], whole: bool, line: u32, places: &mut Places, legal: &mut Vec<Op>) -> bool {
    let vector = |operand: &Operand, places: &Places| {
        let place = places.get(operand.as_web().filter(|_| operand.is_plain())?)?;
        (whole || place.channel != ALPHA).then_some(place.vector)
    };
    let vectors: Vec<Option<Vector>> = operands.iter().map(|operand| vector(operand, places)).collect();
    let count = |wanted: Vector| vectors.iter().filter(|&&vector| vector == Some(wanted)).count();
    let Some(most) = vectors.iter().flatten().copied().max_by_key(|&vector| count(vector)) else { return false };
    let stays = |k: usize| vectors[k] == Some(most);
    let mut moved: Vec<(Operand, Web)> = Vec::new();
    for (k, operand) in operands.iter().enumerate() {
        if !stays(k) && !moved.iter().any(|(from, _)| from == operand) {
            moved.push((*operand, places.add_web()));
        }
    }
    let kept = operands.iter().enumerate().filter(|(k, _)| stays(*k)).filter_map(|(_, operand)| operand.as_web());
    let webs: Vec<Web> = kept.chain(moved.iter().map(|(_, web)| *web)).collect();
    if !places.together(&webs, whole) {
        return false;
    }
    for (k, operand) in operands.iter_mut().enumerate() {
        if let Some((_, web)) = moved.iter().find(|(from, _)| !stays(k) && from == operand) {
            *operand = Operand::web(*web);
        }
    }
    legal.extend(moved.into_iter().map(|(from, web)| Op::new(Code::Move, vec![from], web, line)));
    true
}

/// Whether an operation of the whole colour unit is an instruction.
pub(super) fn fits_alone(op: &Op, places: &Places) -> bool {
    compose(std::slice::from_ref(op), &[Some(0), Some(0), Some(0), None], &[None; 4], places, &mut Literals::distinct())
        .is_some()
}

/// Operations that calculate operands once more, in one instruction where moves from different registers take several: if operations of one kind
/// gave them in this block, from what is still there.
fn again(moved: &[(Operand, Web)], legal: &[Op]) -> Option<Vec<Op>> {
    let repeated = |(from, to): &(Operand, Web)| {
        let web = from.as_web().filter(|_| from.is_plain())?;
        let mut by = legal.iter().enumerate().filter(|(_, op)| op.writes().any(|written| written == web));
        let (at, op) = by.next()?;
        let one_result = by.next().is_none() && op.results.len() == 1;
        let simple = matches!(op.code, Code::Mad | Code::Min | Code::Max | Code::Cmp | Code::Cnd | Code::Frc);
        let unchanged =
            op.reads().all(|read| !legal[at..].iter().any(|later| later.writes().any(|written| written == read)));
        (one_result && simple && unchanged).then(|| Op {
            results: vec![Some(*to)],
            targets: Vec::new(),
            test: None,
            predicate: None,
            ..op.clone()
        })
    };
    let ops: Vec<Op> = moved.iter().map(repeated).collect::<Option<_>>()?;
    let alike = |op: &Op| op.code == ops[0].code && op.clamp == ops[0].clamp && op.scale == ops[0].scale;
    (moved.len() > 1 && ops.iter().all(alike)).then_some(ops)
}

/// Moves operands into a new vector.
fn move_together(operands: &mut [Operand], whole: bool, line: u32, places: &mut Places, legal: &mut Vec<Op>) {
    let mut moved: Vec<(Operand, Web)> = Vec::new();
    for operand in operands.iter_mut() {
        let known = moved.iter().find(|(from, _)| from == operand).map(|(_, web)| *web);
        let web = known.unwrap_or_else(|| {
            let web = places.add_web();
            moved.push((*operand, web));
            web
        });
        *operand = Operand::web(web);
    }
    let copies = again(&moved, legal)
        .unwrap_or_else(|| moved.iter().map(|&(from, web)| Op::new(Code::Move, vec![from], web, line)).collect());
    legal.extend(copies);
    let webs: Vec<Web> = moved.iter().map(|(_, web)| *web).collect();
    let together = places.together(&webs, whole);
    debug_assert!(together, "new webs go where they are wanted");
    if let [web] = webs.as_slice() {
        places.pin(*web, 0);
    }
}

/// The fourth channel of a dot product's operand comes from an alpha channel, or from where the others do: there are three source addresses.
fn fourth(operands: &mut [Operand], line: u32, places: &mut Places, legal: &mut Vec<Op>) {
    let at = |operand: &Operand, places: &Places| match operand.source {
        Source::Web(web) => places.get(web).map(|place| (false, place.vector, place.channel)),
        Source::Uniform { .. } | Source::Relative { .. } => {
            operand.source.constant().map(|(register, channel)| (true, register, channel))
        }
        Source::Number(_) => Some((true, Vector::MAX, ALPHA)),
        Source::Presubtract(..) => None,
    };
    let Some((last, others)) = operands.split_last_mut() else { return };
    let own = at(last, places);
    if let (None, Some(web), true) = (own, last.as_web(), last.is_plain()) {
        places.pin(web, ALPHA);
        return;
    }
    let beside = |operand: &Operand| {
        let other = at(operand, places);
        own.zip(other).is_some_and(|(own, other)| (own.0, own.1) == (other.0, other.1) && other.2 != ALPHA)
    };
    if own.is_some_and(|(_, _, channel)| channel == ALPHA) || others.iter().any(beside) {
        return;
    }
    let web = places.add_web();
    places.pin(web, ALPHA);
    legal.push(Op::new(Code::Move, vec![*last], web, line));
    *last = Operand::web(web);
}

/// What a fetch gives lies in one register; what is wanted elsewhere is moved there.
fn scatter(op: &mut Op, places: &mut Places) -> Vec<Op> {
    let results: Vec<Web> = op.writes().collect();
    if let [web] = results.as_slice() {
        places.pin(*web, 0);
    }
    let first = results.first().and_then(|&web| places.get(web)).map(|place| place.vector);
    let mut distinct = results.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let all = results.iter().all(|&web| places.get(web).map(|place| place.vector) == first && first.is_some());
    if all && distinct.len() == results.len() {
        return Vec::new();
    }
    let mut moves = Vec::new();
    for result in op.results.iter_mut().flatten() {
        let own = places.add_web();
        moves.push(Op::new(
            Code::Move,
            vec![Operand { source: Source::Web(own), abs: false, neg: false }],
            *result,
            op.line,
        ));
        *result = own;
    }
    let own: Vec<Web> = op.writes().collect();
    let together = places.together(&own, true);
    debug_assert!(together, "new webs go where they are wanted");
    moves
}
