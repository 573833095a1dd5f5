//! How often a loop repeats, if constants alone decide it.

use crate::ir::{End, If, Loop, Node, Region, Value};
use std::collections::{HashMap, HashSet};

/// Passes that are followed, and instructions of all of them.
const MAX_PASSES: u32 = 1024;
const MAX_STEPS: u32 = 100_000;

/// What is known of a loop's passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Count {
    /// Passes that reach their end, if nothing else breaks the loop before.
    pub passes: u32,
    /// Whether nothing else can break it, or continue it early.
    pub exact: bool,
    /// The condition on which the loop is broken after these passes, where it is the first thing that a pass does and the loop's results are then
    /// the parameters of the pass: without it, a loop of so many passes does the same.
    pub guard: Option<Value>,
}

struct Walk<'a> {
    known: &'a dyn Fn(Value) -> Option<u32>,
    /// What the loop defines: it is known only as far as this walk knows it.
    own: HashSet<Value>,
    values: HashMap<Value, u32>,
    steps: u32,
    exact: bool,
    /// Whether only instructions without effects came before, in this pass.
    at_start: bool,
}

enum Continuation {
    /// After the region.
    On,
    Next(Vec<Option<u32>>),
    /// Broken on this condition; if it was the first thing that the pass did.
    Broken(Option<Value>),
    Unknown,
}

/// Follows a loop as far as constants decide where it goes. `known`: bits of values from outside. What it takes is added to `work`.
pub(super) fn count(repeat: &Loop, known: &dyn Fn(Value) -> Option<u32>, work: &mut usize) -> Option<Count> {
    let mut walk = Walk { known, own: HashSet::new(), values: HashMap::new(), steps: 0, exact: true, at_start: true };
    let count = follow(&mut walk, repeat);
    *work += walk.own.len() + walk.steps as usize;
    count
}

fn follow(walk: &mut Walk<'_>, repeat: &Loop) -> Option<Count> {
    let known = walk.known;
    let mut params: Vec<Option<u32>> = repeat.init.iter().map(|&init| known(init)).collect();
    if let crate::ir::Passes::Times(passes) = repeat.passes {
        return Some(Count { passes: passes.into(), exact: !has_ends(&repeat.body), guard: None });
    }
    if repeat.passes != crate::ir::Passes::Endless || params.iter().all(Option::is_none) {
        return None;
    }
    walk.own.extend(&repeat.params);
    definitions(&repeat.body, &mut walk.own);
    for pass in 0..MAX_PASSES {
        walk.values.clear();
        walk.at_start = true;
        for (&param, bits) in repeat.params.iter().zip(&params) {
            if let Some(bits) = bits {
                walk.values.insert(param, *bits);
            }
        }
        match walk.region(&repeat.body, repeat) {
            Continuation::Next(next) if next.iter().any(Option::is_some) => params = next,
            Continuation::Broken(guard) => return Some(Count { passes: pass, exact: walk.exact, guard }),
            Continuation::Next(_) | Continuation::On | Continuation::Unknown => return None,
        }
    }
    None
}

/// Whether a pass can end before the end of its body.
fn has_ends(region: &Region) -> bool {
    region.nodes.iter().any(|node| match node {
        Node::If(If { then, otherwise, .. }) => {
            [then, otherwise].iter().any(|side| !matches!(side.end, End::Yield(_)) || has_ends(side))
        }
        Node::Inst(_) | Node::Loop(_) => false,
    })
}

/// What a region defines.
fn definitions(region: &Region, all: &mut HashSet<Value>) {
    for node in &region.nodes {
        match node {
            Node::Inst(inst) => all.extend(&inst.results),
            Node::If(choice) => {
                all.extend(&choice.results);
                definitions(&choice.then, all);
                definitions(&choice.otherwise, all);
            }
            Node::Loop(repeat) => {
                all.extend(repeat.params.iter().chain(&repeat.results));
                definitions(&repeat.body, all);
            }
        }
    }
}

impl Walk<'_> {
    fn get(&self, value: Value) -> Option<u32> {
        if self.own.contains(&value) { self.values.get(&value).copied() } else { (self.known)(value) }
    }

    fn region(&mut self, region: &Region, repeat: &Loop) -> Continuation {
        for node in &region.nodes {
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return Continuation::Unknown;
            }
            match node {
                Node::Inst(inst) => {
                    self.at_start &= !inst.op.has_effect();
                    let args: Option<Vec<u32>> = inst.args.iter().map(|&arg| self.get(arg)).collect();
                    if let (Some(bits), [result]) =
                        (args.and_then(|args| inst.op.calculate(&args)), inst.results.as_slice())
                    {
                        self.values.insert(*result, bits);
                    }
                }
                Node::Loop(_) => self.at_start = false,
                Node::If(choice) => match self.choice(choice, repeat) {
                    Continuation::On => {}
                    way => return way,
                },
            }
        }
        match &region.end {
            End::Yield(_) => Continuation::On,
            End::Break(_) => Continuation::Broken(None),
            End::Continue(values) => Continuation::Next(values.iter().map(|&value| self.get(value)).collect()),
        }
    }

    fn choice(&mut self, choice: &If, repeat: &Loop) -> Continuation {
        let Some(condition) = self.get(choice.condition) else {
            // What is not known is taken not to break the loop.
            self.at_start = false;
            for side in [&choice.then, &choice.otherwise] {
                if continues(side) {
                    return Continuation::Unknown;
                }
            }
            let ends =
                [&choice.then, &choice.otherwise].map(|side| !matches!(side.end, End::Yield(_)) || has_ends(side));
            self.exact &= ends == [false, false];
            let goes_on = match ends {
                [true, true] => return Continuation::Unknown,
                [true, false] => Some(&choice.otherwise),
                [false, true] => Some(&choice.then),
                [false, false] => None,
            };
            // Where one side breaks, the other's results are those that count.
            let Some(side) = goes_on else { return Continuation::On };
            return match self.region(side, repeat) {
                Continuation::On => {
                    self.results(choice, side);
                    Continuation::On
                }
                way => way,
            };
        };
        let (at_start, side) = (self.at_start, if condition != 0 { &choice.then } else { &choice.otherwise });
        if let (true, true, End::Break(values)) = (at_start, side.nodes.is_empty(), &side.end) {
            return Continuation::Broken((*values == repeat.params).then_some(choice.condition));
        }
        match self.region(side, repeat) {
            Continuation::On => {
                self.results(choice, side);
                Continuation::On
            }
            way => way,
        }
    }

    fn results(&mut self, choice: &If, side: &Region) {
        for (&result, &value) in choice.results.iter().zip(side.end.values()) {
            if let Some(bits) = self.get(value) {
                self.values.insert(result, bits);
            }
        }
    }
}

/// Whether a region goes to the next pass from inside.
fn continues(region: &Region) -> bool {
    matches!(region.end, End::Continue(_))
        || region.nodes.iter().any(|node| match node {
            Node::If(choice) => continues(&choice.then) || continues(&choice.otherwise),
            Node::Inst(_) | Node::Loop(_) => false,
        })
}
