//! Moves between webs that never live at the same time are left out: the webs become one.

use super::live::{self, Range};
use super::machine::{Code, Item, Op, Scalars, Source, Web};

/// Webs that are others by now.
struct Union(Vec<Web>);

impl Union {
    fn find(&mut self, web: Web) -> Web {
        let mut root = web;
        while self.0[root] != root {
            root = self.0[root];
        }
        self.0[web] = root;
        root
    }
}

/// Visits all operations.
pub(super) fn for_ops<'a, T>(items: &'a [Item<T>], visit: &mut impl FnMut(&'a T)) {
    for item in items {
        match item {
            Item::Block(ops) => ops.iter().for_each(&mut *visit),
            Item::If { then, otherwise, .. } => {
                for_ops(then, visit);
                for_ops(otherwise, visit);
            }
            Item::Loop { body, .. } => for_ops(body, visit),
            Item::Break | Item::Continue => {}
        }
    }
}

pub(super) fn change_blocks(items: &mut [Item<Op>], change: &mut impl FnMut(&mut Vec<Op>)) {
    for item in items {
        match item {
            Item::Block(ops) => change(ops),
            Item::If { then, otherwise, .. } => {
                change_blocks(then, change);
                change_blocks(otherwise, change);
            }
            Item::Loop { body, .. } => change_blocks(body, change),
            Item::Break | Item::Continue => {}
        }
    }
}

/// A move that changes nothing: source and destination.
fn plain_move(op: &Op) -> Option<(Web, Web)> {
    let plain = op.code == Code::Move
        && op.scale == ctm_x1k::OutputModifier::X1
        && !op.clamp
        && op.test.is_none()
        && op.targets.is_empty()
        && op.args[0].is_plain();
    Some((op.args[0].as_web().filter(|_| plain)?, op.result()?))
}

/// Makes one web of those that moves connect, where nothing speaks against it.
pub(super) fn coalesce(scalars: &mut Scalars) {
    let inputs: Vec<Web> = scalars.inputs.iter().map(|&(web, ..)| web).collect();
    let mut ranges: Vec<Range> = live::ranges(&scalars.items, scalars.webs, &inputs);
    let mut union = Union((0..scalars.webs).collect());
    let mut fixed = vec![false; scalars.webs];
    inputs.iter().for_each(|&web| fixed[web] = true);
    // What derivatives read and give is bound to channels in its own way.
    let mut bound = vec![false; scalars.webs];
    let mut moves = Vec::new();
    for_ops(&scalars.items, &mut |op| {
        if op.code.is_derivative() {
            op.reads().chain(op.writes()).for_each(|web| bound[web] = true);
        }
        moves.extend(plain_move(op));
    });
    for (from, to) in moves {
        let (a, b) = (union.find(from), union.find(to));
        if a == b || (fixed[a] && fixed[b]) || bound[a] || bound[b] || ranges[a].overlaps(&ranges[b]) {
            continue;
        }
        let merged = ranges[b].clone();
        ranges[a].merge(&merged);
        union.0[b] = a;
        fixed[a] |= fixed[b];
    }
    let mut find = |web: Web| union.find(web);
    for (web, ..) in &mut scalars.inputs {
        *web = find(*web);
    }
    for operand in scalars.names.iter_mut().filter_map(|named| named.operand.as_mut()) {
        if let Source::Web(web) = &mut operand.source {
            *web = find(*web);
        }
    }
    change_blocks(&mut scalars.items, &mut |ops| {
        for op in ops.iter_mut() {
            for arg in &mut op.args {
                if let Source::Web(web) = &mut arg.source {
                    *web = find(*web);
                }
            }
            for result in op.results.iter_mut().flatten() {
                *result = find(*result);
            }
        }
        ops.retain(|op| plain_move(op).is_none_or(|(from, to)| from != to));
    });
    drop_unread(scalars);
}

/// Leaves out results that nobody reads, and operations that do nothing then.
pub(super) fn drop_unread(scalars: &mut Scalars) {
    loop {
        let mut read = vec![false; scalars.webs];
        for_ops(&scalars.items, &mut |op| {
            // A counter that only counts is not read.
            let only_for = op.result().filter(|_| op.targets.is_empty() && op.test.is_none() && op.results.len() == 1);
            op.reads().filter(|&web| Some(web) != only_for).for_each(|web| read[web] = true);
        });
        let mut changed = false;
        change_blocks(&mut scalars.items, &mut |ops| {
            for op in ops.iter_mut() {
                for result in &mut op.results {
                    if result.is_some_and(|web| !read[web]) {
                        (*result, changed) = (None, true);
                    }
                }
            }
            ops.retain(Op::has_effect);
        });
        if !changed {
            break;
        }
    }
    drop_empty(&mut scalars.items);
}

/// Leaves out blocks without operations.
fn drop_empty(items: &mut Vec<Item<Op>>) {
    items.retain(|item| !matches!(item, Item::Block(ops) if ops.is_empty()));
    for item in items {
        match item {
            Item::If { then, otherwise, .. } => {
                drop_empty(then);
                drop_empty(otherwise);
            }
            Item::Loop { body, .. } => drop_empty(body),
            Item::Block(_) | Item::Break | Item::Continue => {}
        }
    }
}
