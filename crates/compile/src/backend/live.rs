//! Where webs live: positions of a program in order, and the stretches of them in which a web's content is still wanted.

use super::machine::{Access, Item, Web};
use crate::ir::Passes;
use std::collections::HashMap;

/// Stretches of positions, each from its first up to but not including its last, in ascending order.
///
/// Element k of a program reads at position 2k and writes at 2k + 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Range(Vec<(u32, u32)>);

impl Range {
    /// Whether both have a position in common.
    pub fn overlaps(&self, other: &Range) -> bool {
        let (mut a, mut b) = (self.0.iter().peekable(), other.0.iter().peekable());
        while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
            if x.1 <= y.0 {
                a.next();
            } else if y.1 <= x.0 {
                b.next();
            } else {
                return true;
            }
        }
        false
    }

    /// Takes in what another has.
    pub fn merge(&mut self, other: &Range) {
        self.0.extend(&other.0);
        self.0.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::with_capacity(self.0.len());
        for &(start, end) in &self.0 {
            match merged.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => merged.push((start, end)),
            }
        }
        self.0 = merged;
    }

    /// The first position, if there is any.
    pub fn start(&self) -> Option<u32> {
        self.0.first().map(|stretch| stretch.0)
    }
}

/// A set of webs.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Set(Vec<u64>);

impl Set {
    fn new(webs: usize) -> Self {
        Set(vec![0; webs.div_ceil(64)])
    }

    fn insert(&mut self, web: Web) {
        self.0[web / 64] |= 1 << (web % 64);
    }

    fn remove(&mut self, web: Web) {
        self.0[web / 64] &= !(1 << (web % 64));
    }

    fn join(&mut self, other: &Set) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, other)| *mine |= other);
    }

    fn iter(&self) -> impl Iterator<Item = Web> + '_ {
        self.0
            .iter()
            .enumerate()
            .flat_map(|(k, &word)| (0..64).filter(move |bit| word >> bit & 1 != 0).map(move |bit| k * 64 + bit))
    }
}

/// Where the innermost loop's breaks and continues lead.
#[derive(Clone)]
struct Around {
    behind: Set,
    next: Set,
}

struct Walk {
    webs: usize,
    /// While ranges are made: the end of the stretch that each web is in, and the stretches.
    ranges: Option<(Vec<Option<u32>>, Vec<Range>)>,
    position: u32,
    /// Loops around.
    depth: u32,
    /// What is live where passes of a loop begin, as far as it is known, by the loop's depth and the position after it: loops around it come
    /// back with more, and would find this again.
    heads: HashMap<(u32, u32), Set>,
}

/// How many positions items take: two for each element, two for where an `If` or a loop begins.
fn length<T>(items: &[Item<T>]) -> u32 {
    let one = |item: &Item<T>| match item {
        Item::Block(elements) => 2 * elements.len() as u32,
        Item::If { then, otherwise, .. } => 2 + length(then) + length(otherwise),
        Item::Loop { body, .. } => 2 + length(body),
        Item::Break | Item::Continue => 0,
    };
    items.iter().map(one).sum()
}

/// Where each web lives. `inputs` are there from the start.
pub(super) fn ranges<T: Access>(items: &[Item<T>], webs: usize, inputs: &[Web]) -> Vec<Range> {
    let start = 2;
    let end = start + length(items);
    let mut walk = Walk {
        webs,
        ranges: Some((vec![None; webs], vec![Range::default(); webs])),
        position: end,
        depth: 0,
        heads: HashMap::new(),
    };
    let nothing = Set::new(webs);
    let live = walk.items(items, nothing.clone(), &Around { behind: nothing.clone(), next: nothing });
    debug_assert!(live.iter().all(|web| inputs.contains(&web)), "webs are written before they are read");
    let (_, mut ranges) = walk.ranges.unwrap_or_default();
    for web in inputs.iter().copied().filter(|&web| live.iter().any(|live| live == web)) {
        ranges[web].0.push((0, start));
    }
    for range in &mut ranges {
        range.merge(&Range::default());
    }
    ranges
}

impl Walk {
    /// Opens stretches that end here for what is live.
    fn open(&mut self, live: &Set) {
        let position = self.position;
        if let Some((ends, _)) = &mut self.ranges {
            for web in live.iter() {
                ends[web] = Some(position);
            }
        }
    }

    /// Closes all stretches: they begin here.
    fn close(&mut self, live: &Set) {
        let position = self.position;
        if let Some((ends, ranges)) = &mut self.ranges {
            for web in live.iter() {
                if let Some(end) = ends[web].take()
                    && end > position
                {
                    ranges[web].0.push((position, end));
                }
            }
        }
    }

    /// What is live in front of items, from what is after them.
    fn items<T: Access>(&mut self, items: &[Item<T>], behind: Set, around: &Around) -> Set {
        let mut live = behind;
        self.open(&live);
        for item in items.iter().rev() {
            match item {
                Item::Block(elements) => elements.iter().rev().for_each(|element| self.element(element, &mut live)),
                Item::Break => self.restart(&mut live, around.behind.clone()),
                Item::Continue => self.restart(&mut live, around.next.clone()),
                Item::If { then, otherwise, .. } => {
                    self.close(&live);
                    let mut before = self.items(otherwise, live.clone(), around);
                    before.join(&self.items(then, live, around));
                    live = before;
                    self.open(&live);
                    self.position -= 2;
                }
                Item::Loop { passes, body, .. } => {
                    self.close(&live);
                    live = self.repeat(*passes, body, live);
                    self.open(&live);
                    self.position -= 2;
                }
            }
        }
        self.close(&live);
        live
    }

    /// Nothing after this place is reached from it: what is live is what is live elsewhere.
    fn restart(&mut self, live: &mut Set, elsewhere: Set) {
        self.close(live);
        *live = elsewhere;
        self.open(live);
    }

    fn repeat<T: Access>(&mut self, passes: Passes, body: &[Item<T>], behind: Set) -> Set {
        let ends = passes != Passes::Endless;
        let (depth, position) = (self.depth, self.position);
        let mut head = self.heads.remove(&(depth, position)).unwrap_or_else(|| Set::new(self.webs));
        self.depth += 1;
        let next = |head: &Set| {
            let mut next = head.clone();
            if ends {
                next.join(&behind);
            }
            next
        };
        // First until nothing changes, without making ranges.
        let ranges = self.ranges.take();
        loop {
            let next = next(&head);
            let mut found = self.items(body, next.clone(), &Around { behind: behind.clone(), next });
            self.position = position;
            found.join(&head);
            if found == head {
                break;
            }
            head = found;
        }
        self.ranges = ranges;
        let next = next(&head);
        self.items(body, next.clone(), &Around { behind: behind.clone(), next });
        self.depth = depth;
        self.heads.insert((depth, position), head.clone());
        if matches!(passes, Passes::Constant(_) | Passes::Times(0)) {
            head.join(&behind);
        }
        head
    }

    fn element(&mut self, element: &impl Access, live: &mut Set) {
        let position = self.position - 2;
        for web in element.writes() {
            live.remove(web);
            if let Some((ends, ranges)) = &mut self.ranges {
                // What nobody reads is written all the same.
                let end = ends[web].take().unwrap_or(position + 2);
                ranges[web].0.push((position + 1, end));
            }
        }
        for web in element.reads() {
            live.insert(web);
            if let Some((ends, _)) = &mut self.ranges {
                ends[web].get_or_insert(position + 1);
            }
        }
        self.position = position;
    }
}
