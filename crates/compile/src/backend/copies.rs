//! Moves that bring scalars together: who else reads them, and what they may be part of.

use super::coalesce::{change_blocks, drop_unread, for_ops};
use super::machine::{Code, Op, Operand, Scalars, Source};
use super::place::{Places, Vector};

/// Lets operations read what was moved where others like them read that register already, and notes which moves may be sums.
pub(super) fn use_copies(scalars: &mut Scalars, places: &Places) {
    let mut writers = vec![0; scalars.webs];
    for_ops(&scalars.items, &mut |op| op.writes().for_each(|web| writers[web] += 1));
    change_blocks(&mut scalars.items, &mut |ops| block(ops, &writers, places));
    drop_unread(scalars);
    mark(scalars);
}

/// A constant's copy lies in a register: operations that are one instruction with others that read this register read the copy.
fn block(ops: &mut Vec<Op>, writers: &[u32], places: &Places) {
    for at in 0..ops.len() {
        let Some((from, to, vector)) = copy(&ops[at], writers, places) else { continue };
        let mut readers = Vec::new();
        // Not the copy itself, although another move into its register may read that register.
        for (k, op) in ops.iter().enumerate().filter(|&(k, _)| k != at) {
            let reads = |position: &usize| op.args[*position].source == from;
            let positions = (0..op.args.len()).filter(reads);
            readers
                .extend(positions.filter(|&position| reads_beside(ops, k, position, vector, places)).map(|p| (k, p)));
        }
        if readers.is_empty() {
            continue;
        }
        readers.iter().for_each(|&(k, position)| ops[k].args[position].source = to);
        // The copy is made once, and a constant is there from the start.
        let copy = ops.remove(at);
        ops.insert(0, copy);
    }
}

/// What a plain move of a constant copies, the copy, and the register of that.
fn copy(op: &Op, writers: &[u32], places: &Places) -> Option<(Source, Source, Vector)> {
    let from = op.args.first().filter(|from| op.code == Code::Move && from.is_plain())?.source;
    let constant = matches!(from, Source::Uniform { .. });
    let web = op.result().filter(|_| constant && op.targets.is_empty() && op.test.is_none() && !op.clamp)?;
    (writers[web] == 1).then_some((from, Source::Web(web), places.get(web)?.vector))
}

/// Whether an operation of the same kind for the same place reads a register at the same position.
fn reads_beside(ops: &[Op], k: usize, position: usize, vector: Vector, places: &Places) -> bool {
    let of = |operand: &Operand| operand.as_web().and_then(|web| places.get(web)).map(|place| place.vector);
    let result = |op: &Op| op.result().and_then(|web| places.get(web)).map(|place| place.vector);
    let op = &ops[k];
    // Operands of dot products and fetches lie as they must already.
    if op.code.is_dot() || op.code.is_texture() {
        return false;
    }
    ops.iter().any(|other| {
        let same_place = match (result(op), result(other)) {
            (Some(one), Some(two)) => one == two,
            _ => op.result().is_none() && other.result().is_none(),
        };
        same_place
            && other.code == op.code
            && (other.clamp, other.scale) == (op.clamp, op.scale)
            && other.args.get(position).is_some_and(|arg| of(arg) == Some(vector))
    })
}

/// Notes which moves only sums read.
fn mark(scalars: &mut Scalars) {
    let mut seen_otherwise = vec![false; scalars.webs];
    for_ops(&scalars.items, &mut |op| {
        let sum = matches!(op.code, Code::Mad | Code::Dot2Add | Code::Dot3 | Code::Dot4);
        if !sum {
            op.reads().for_each(|web| seen_otherwise[web] = true);
        }
    });
    change_blocks(&mut scalars.items, &mut |ops| {
        for op in ops {
            op.only_for_sums = op.result().is_some_and(|web| !seen_otherwise[web]);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::super::machine::Item;
    use super::super::place::{Place, place};
    use super::*;

    /// A copy into a register, beside a move from this register into itself, still reads the constant.
    #[test]
    fn a_copy_is_not_its_own_reader() {
        let constant = Operand { source: Source::Uniform { register: 0, channel: 1 }, abs: false, neg: false };
        let ops = vec![
            Op::new(Code::Move, vec![constant], 1, 0),
            Op::new(Code::Move, vec![Operand::web(0)], 2, 0),
            Op::new(Code::Kill, (0..3).map(Operand::web).collect(), 3, 0),
        ];
        let mut scalars = Scalars {
            items: vec![Item::Block(ops)],
            webs: 4,
            inputs: vec![(0, 0, 0)],
            reads_position: false,
            names: Vec::new(),
        };
        let mut places = place(&Scalars { items: Vec::new(), ..scalars.clone() });
        let vector = places.get(0).expect("inputs have places").vector;
        places.put(1, Place { vector, channel: 1 });
        places.put(2, Place { vector, channel: 2 });
        use_copies(&mut scalars, &places);
        let Item::Block(ops) = &scalars.items[0] else { panic!("{:?}", scalars.items) };
        assert!(ops.iter().any(|op| op.result() == Some(1) && op.args == [constant]), "{ops:?}");
    }
}
