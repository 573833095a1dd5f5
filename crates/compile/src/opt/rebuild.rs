//! Makes a function anew: every instruction is simplified as it is added, what is known is taken instead of calculated, choices that are known are
//! made, and short choices and loops become straight code.

use super::counting;
use super::rules::{self, Defined};
use crate::ir::{End, Function, If, Inst, Loop, Naming, Node, Op, Passes, Region, Type, Value, named_at};
use crate::limits::Poll;
use ctm_lane::budget::Meter;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

/// Scalar instructions of both sides of a choice up to which it becomes selections: a branch takes three instructions, and those hold three or four
/// scalars each.
const FLATTENED: usize = 24;
/// Passes up to which a loop is unrolled.
const UNROLLED_PASSES: u32 = 32;
/// Scalar instructions up to which it usually is, when they are simplified.
pub(super) const UNROLLED: usize = 384;
/// Scalar instructions up to which that is tried, if loops inside are not unrolled.
const TRIED: usize = 8192;
/// Values that a try may make, with those of tries inside of it.
const TRIED_VALUES: usize = 4 * TRIED;
/// Values of a function up to which loops are tried at all: what is tried inside of tries would have no end.
const VALUES: usize = 250_000;
/// Work up to which they are, and up to which their passes are counted: tries may make no values, as where all is known. One is an
/// instruction that is added or followed.
const WORK: usize = 4_000_000;

type Key = (Op, Vec<Value>);

struct Rebuild<'a> {
    old: &'a Function,
    map: Vec<Option<Value>>,
    types: Vec<Type>,
    /// What calculates a value of the new function, if an instruction with one result does.
    defined: Vec<Option<Key>>,
    available: HashMap<Key, Vec<Value>>,
    /// Keys that became available in each open region.
    scopes: Vec<Vec<Key>>,
    nodes: Vec<Vec<Node>>,
    /// Conditions that hold, or do not, where the builder stands.
    assumed: Vec<(Value, bool)>,
    /// Conditions of the old function on which loops would break, had the numbers of their passes not been taken from them.
    guards: Vec<Value>,
    /// Whether choices may become selections.
    selections: bool,
    /// Scalar instructions up to which loops of several passes are unrolled.
    unrolled: usize,
    /// Sums and products stay as they are.
    is_exact: bool,
    /// What variables of the source hold.
    names: Vec<Naming>,
    /// Loops of several passes that became straight code: their lines and passes, one for each place.
    straightened: Vec<(u32, u32)>,
    work: usize,
    poll: Poll<'a>,
    line: u32,
}

/// The function with all of that done once. It is done quickly once the meter says that there is no time. Without `selections`, choices stay
/// choices, as selections by a boolean are none of the back end's operations. Loops of several passes are unrolled up to `unrolled` instructions;
/// `straightened` gets the line and the passes of each, once for each place.
pub(super) fn rebuild(
    function: &Function,
    selections: bool,
    unrolled: usize,
    is_exact: bool,
    straightened: &RefCell<Vec<(u32, u32)>>,
    meter: &Meter<'_>,
) -> Function {
    let mut rebuild = Rebuild {
        old: function,
        map: vec![None; function.values()],
        types: Vec::new(),
        defined: Vec::new(),
        available: HashMap::new(),
        scopes: Vec::new(),
        nodes: Vec::new(),
        assumed: Vec::new(),
        guards: Vec::new(),
        selections,
        unrolled,
        is_exact,
        names: Vec::new(),
        straightened: Vec::new(),
        work: 0,
        poll: Poll::new(meter),
        line: 0,
    };
    let body = rebuild.region(&function.body);
    rebuild.name(&[Value(function.values() as u32)]);
    straightened.borrow_mut().append(&mut rebuild.straightened);
    Function::new(rebuild.types, body, function.outputs.clone()).named(rebuild.names)
}

impl Defined for Rebuild<'_> {
    fn definition(&self, value: Value) -> Option<(Op, &[Value])> {
        self.defined[value.index()].as_ref().map(|(op, args)| (*op, args.as_slice()))
    }

    fn assumed(&self, value: Value) -> Option<bool> {
        self.assumed.iter().rev().find(|(known, _)| *known == value).map(|(_, holds)| *holds)
    }

    fn emit(&mut self, op: Op, args: &[Value]) -> Value {
        self.add(op, args)[0]
    }

    fn is_exact(&self) -> bool {
        self.is_exact
    }
}

impl Rebuild<'_> {
    fn new_value(&mut self, ty: Type) -> Value {
        self.types.push(ty);
        self.defined.push(None);
        Value(self.types.len() as u32 - 1)
    }

    fn get(&self, value: Value) -> Value {
        self.map[value.index()].expect("a valid function defines values before their use")
    }

    fn all(&self, values: &[Value]) -> Vec<Value> {
        values.iter().map(|&value| self.get(value)).collect()
    }

    fn bits(&self, value: Value) -> Option<u32> {
        rules::bits(self, value)
    }

    /// Adds an instruction, or finds what it would give.
    fn add(&mut self, op: Op, args: &[Value]) -> Vec<Value> {
        if let Some(value) = rules::simplify(self, op, args) {
            return vec![value];
        }
        let mut args = if op.has_effect() { rules::kill(self, args) } else { args.to_vec() };
        if matches!(op, Op::Add | Op::Mul | Op::Mad | Op::And | Op::Or) {
            args[..2].sort();
        }
        let key = (op, args);
        if let Some(values) = self.available.get(&key) {
            return values.clone();
        }
        let results: Vec<Value> = op.results().iter().map(|&ty| self.new_value(ty)).collect();
        if let [result] = results.as_slice() {
            self.defined[result.index()] = Some(key.clone());
        }
        let inst = Inst { op, args: key.1.clone(), results: results.clone(), line: self.line };
        self.nodes.last_mut().expect("a region is open").push(Node::Inst(inst));
        if !op.has_effect() {
            self.available.insert(key.clone(), results.clone());
            self.scopes.last_mut().expect("a region is open").push(key);
        }
        results
    }

    /// Rebuilds a region on its own.
    fn region(&mut self, region: &Region) -> Region {
        self.nodes.push(Vec::new());
        self.scopes.push(Vec::new());
        let end = self.inline(region);
        for key in self.scopes.pop().unwrap_or_default() {
            self.available.remove(&key);
        }
        Region { nodes: self.nodes.pop().unwrap_or_default(), end }
    }

    /// Rebuilds a region's nodes where the builder stands, and gives its end.
    fn inline(&mut self, region: &Region) -> End {
        for node in &region.nodes {
            self.work += 1;
            // What it says is asked for where there is a choice.
            _ = self.poll.look();
            let end = match node {
                Node::Inst(inst) => {
                    self.line = inst.line;
                    let args = self.all(&inst.args);
                    self.name(&inst.results);
                    let results = self.add(inst.op, &args);
                    self.bind(&inst.results, results);
                    None
                }
                Node::If(choice) => self.choice(choice),
                Node::Loop(repeat) => self.repeat(repeat),
            };
            if let Some(end) = end {
                return end;
            }
        }
        let mut end = region.end.clone();
        *end.values_mut() = self.all(region.end.values());
        end
    }

    fn bind(&mut self, old: &[Value], new: Vec<Value>) {
        for (old, new) in old.iter().zip(new) {
            self.map[old.index()] = Some(new);
        }
    }

    /// Names what is named in front of values of the old function, before there are new ones for these.
    fn name(&mut self, values: &[Value]) {
        let at = self.types.len() as u32;
        for value in values {
            for naming in named_at(&self.old.names, value.0) {
                let mut named = Naming { at, value: naming.value.and_then(|value| self.map[value.index()]), ..*naming };
                // Choices take what is inverted rather than what inverts it.
                while let Some((Op::Not, &[inner])) = named.value.and_then(|value| self.definition(value)) {
                    named = Naming { value: Some(inner), reading: named.reading.inverted(), ..named };
                }
                self.names.push(named);
            }
        }
    }

    /// A choice; `Some`: the region ends here in this way.
    fn choice(&mut self, choice: &If) -> Option<End> {
        let condition = self.get(choice.condition);
        let is_break = |side: &Region| side.nodes.is_empty() && matches!(side.end, End::Break(_));
        let holds = match self.guards.contains(&choice.condition) {
            true if is_break(&choice.then) => Some(false),
            true if is_break(&choice.otherwise) => Some(true),
            _ => self.bits(condition).map(|bits| bits != 0),
        };
        if let Some(holds) = holds {
            return match self.inline(if holds { &choice.then } else { &choice.otherwise }) {
                End::Yield(values) => {
                    self.name(&choice.results);
                    self.bind(&choice.results, values);
                    None
                }
                end => Some(end),
            };
        }
        // Not c: the sides trade places.
        if let Some((Op::Not, &[inner])) = self.definition(condition) {
            self.branch(choice, inner, &choice.otherwise, &choice.then)
        } else {
            self.branch(choice, condition, &choice.then, &choice.otherwise)
        }
    }

    /// A choice that is not known, by this condition of the new function.
    fn branch(&mut self, choice: &If, condition: Value, then: &Region, otherwise: &Region) -> Option<End> {
        let side = |this: &mut Self, side: &Region, holds: bool| {
            this.assumed.push((condition, holds));
            let region = this.region(side);
            this.assumed.pop();
            region
        };
        let (mut then, mut otherwise) = (side(self, then, true), side(self, otherwise, false));
        // What both sides give need not go through the choice.
        let mut results: Vec<Value> = Vec::new();
        if let (End::Yield(mine), End::Yield(other)) = (&then.end, &otherwise.end) {
            let pairs: Vec<(Value, Value)> = mine.iter().copied().zip(other.iter().copied()).collect();
            if self.selections && flattens(&then) + flattens(&otherwise) + pairs.len() <= FLATTENED {
                let (then, otherwise) = (std::mem::take(&mut then.nodes), std::mem::take(&mut otherwise.nodes));
                self.extend_for(condition, true, then);
                self.extend_for(condition, false, otherwise);
                self.name(&choice.results);
                for (&result, (a, b)) in choice.results.iter().zip(pairs) {
                    let value = self.select(condition, a, b);
                    self.map[result.index()] = Some(value);
                }
                return None;
            }
            self.name(&choice.results);
            let (mut kept_a, mut kept_b) = (Vec::new(), Vec::new());
            for (&result, (a, b)) in choice.results.iter().zip(pairs) {
                if a == b {
                    self.map[result.index()] = Some(a);
                } else {
                    let value = self.new_value(self.types[a.index()]);
                    self.map[result.index()] = Some(value);
                    results.push(value);
                    kept_a.push(a);
                    kept_b.push(b);
                }
            }
            (then.end, otherwise.end) = (End::Yield(kept_a), End::Yield(kept_b));
        } else {
            let ended = |region: &Region| !matches!(region.end, End::Yield(_));
            if ended(&then) && ended(&otherwise) {
                let rest = std::mem::replace(&mut otherwise, Region { nodes: Vec::new(), end: End::Yield(Vec::new()) });
                let nodes = self.nodes.last_mut().expect("a region is open");
                nodes.push(Node::If(If { condition, then, otherwise, results: Vec::new(), line: choice.line }));
                nodes.extend(rest.nodes);
                return Some(rest.end);
            }
            // The side that goes on runs for all who are left: it can follow the choice.
            let nobody = || Region { nodes: Vec::new(), end: End::Yield(Vec::new()) };
            let (then, otherwise, rest) =
                if ended(&then) { (then, nobody(), otherwise) } else { (nobody(), otherwise, then) };
            let nodes = self.nodes.last_mut().expect("a region is open");
            nodes.push(Node::If(If { condition, then, otherwise, results: Vec::new(), line: choice.line }));
            nodes.extend(rest.nodes);
            self.name(&choice.results);
            self.bind(&choice.results, rest.end.values().to_vec());
            return None;
        }
        if !(then.nodes.is_empty() && otherwise.nodes.is_empty() && results.is_empty()) {
            let node = Node::If(If { condition, then, otherwise, results, line: choice.line });
            self.nodes.last_mut().expect("a region is open").push(node);
        }
        None
    }

    /// Adds what a side of a choice did, for everybody: it kills only those who would have come there.
    fn extend_for(&mut self, condition: Value, holds: bool, nodes: Vec<Node>) {
        for mut node in nodes {
            if let Node::Inst(inst) = &mut node
                && inst.op.has_effect()
            {
                let zero = self.emit(Op::Const { bits: 0 }, &[]);
                for arg in &mut inst.args {
                    let (a, b) = if holds { (*arg, zero) } else { (zero, *arg) };
                    *arg = self.emit(Op::Select, &[condition, a, b]);
                }
            }
            self.nodes.last_mut().expect("a region is open").push(node);
        }
    }

    /// `condition ? a : b`, of either type.
    fn select(&mut self, condition: Value, a: Value, b: Value) -> Value {
        match self.types[a.index()] {
            Type::Float => self.emit(Op::Select, &[condition, a, b]),
            Type::Bool => {
                let not = self.emit(Op::Not, &[condition]);
                let (first, second) = (self.emit(Op::And, &[condition, a]), self.emit(Op::And, &[not, b]));
                self.emit(Op::Or, &[first, second])
            }
        }
    }

    fn repeat(&mut self, repeat: &Loop) -> Option<End> {
        let init = self.all(&repeat.init);
        let initial: HashMap<Value, Value> = repeat.init.iter().copied().zip(init.iter().copied()).collect();
        let has_time = self.has_time();
        let known = |value: Value| {
            let new = initial.get(&value).copied().or(self.map[value.index()])?;
            self.bits(new)
        };
        let mut work = 0;
        let count = if has_time { counting::count(repeat, &known, &mut work) } else { None };
        let size = size(&repeat.body);
        self.work += work + size;
        if let Some(count) = count
            && count.exact
            && count.passes <= UNROLLED_PASSES
            && (count.passes as usize + 1).saturating_mul(size) <= TRIED
            && self.types.len() <= VALUES
            && self.has_time()
            && self.unroll(repeat, init.clone(), count.passes)
        {
            return None;
        }
        let (passes, guard) = match count {
            Some(count) if count.guard.is_some() && count.passes <= u32::from(u8::MAX) => {
                (Passes::Times(count.passes as u8), count.guard)
            }
            _ => (repeat.passes, None),
        };
        if passes == Passes::Times(0) {
            self.name(&repeat.results);
            self.bind(&repeat.results, init);
            return None;
        }
        // What every pass hands on as it got it is the same in all of them.
        let same = unchanged(repeat);
        let mut params = Vec::new();
        self.name(&repeat.params);
        for (k, &param) in repeat.params.iter().enumerate() {
            let value = self.new_value(self.old.type_of(param));
            self.map[param.index()] = Some(if same[k] { init[k] } else { value });
            params.push(value);
        }
        // The number of passes says what the guard said: no pass begins in which it would break the loop.
        let guards = self.guards.len();
        self.guards.extend(guard);
        let mut body = self.region(&repeat.body);
        self.guards.truncate(guards);
        // What stays is handed on as the parameter that it is in already, or each pass would write it anew.
        change_ends(&mut body, &mut |end| {
            for (k, value) in end.values_mut().iter_mut().enumerate() {
                if same[k] && *value == init[k] {
                    *value = params[k];
                }
            }
        });
        self.name(&repeat.results);
        let results: Vec<Value> = params.iter().map(|&param| self.new_value(self.types[param.index()])).collect();
        let broken = breaks(&repeat.body);
        for (k, &result) in repeat.results.iter().enumerate() {
            let stays =
                same[k] && broken.iter().all(|values| values[k] == repeat.params[k] || values[k] == repeat.init[k]);
            self.map[result.index()] = Some(if stays { init[k] } else { results[k] });
        }
        let node = Node::Loop(Loop { passes, params, init, body, results, line: repeat.line });
        self.nodes.last_mut().expect("a region is open").push(node);
        None
    }

    /// Whether more may be tried.
    fn has_time(&mut self) -> bool {
        self.work <= WORK && self.poll.look().is_ok()
    }

    /// Every pass of a loop, one after the other; false, and nothing is added, if it does not end after `passes` of them, or if they are long.
    fn unroll(&mut self, repeat: &Loop, init: Vec<Value>, passes: u32) -> bool {
        self.nodes.push(Vec::new());
        self.scopes.push(Vec::new());
        let (mut params, mut ended) = (init, repeat.passes == Passes::Times(0));
        let (values, names, straightened) = (self.types.len(), self.names.len(), self.straightened.len());
        for pass in 0..=passes {
            if ended || self.types.len() - values > TRIED_VALUES || !self.has_time() {
                break;
            }
            self.name(&repeat.params);
            self.bind(&repeat.params, params.clone());
            match self.inline(&repeat.body) {
                End::Continue(next) => (params, ended) = (next, repeat.passes == Passes::Times((pass + 1) as u8)),
                End::Break(results) | End::Yield(results) => (params, ended) = (results, true),
            }
        }
        let (nodes, keys) = (self.nodes.pop().unwrap_or_default(), self.scopes.pop().unwrap_or_default());
        let ended = ended && (passes <= 1 || live_size(&nodes, &params) <= self.unrolled);
        if ended {
            self.nodes.last_mut().expect("a region is open").extend(nodes);
            self.scopes.last_mut().expect("a region is open").extend(keys);
            self.name(&repeat.results);
            self.bind(&repeat.results, params);
            if passes > 1 {
                self.straightened.push((repeat.line, passes));
            }
        } else {
            self.straightened.truncate(straightened);
            self.names.truncate(names);
            for key in keys {
                self.available.remove(&key);
            }
        }
        ended
    }
}

/// What it costs to run a region always: `usize::MAX` / 4 if that is not possible.
fn flattens(region: &Region) -> usize {
    const NEVER: usize = usize::MAX / 4;
    let node = |node: &Node| match node {
        Node::Inst(inst) => match inst.op {
            Op::Const { .. } | Op::Bool { .. } | Op::Uniform { .. } | Op::Position { .. } | Op::Varying { .. } => 0,
            Op::Neg | Op::Abs | Op::Not => 0,
            Op::Kill(count) => 2 * usize::from(count),
            Op::Fetch(_) => 6,
            _ => 1,
        },
        Node::If(_) | Node::Loop(_) => NEVER,
    };
    region.nodes.iter().fold(0, |sum: usize, each| sum.saturating_add(node(each)).min(NEVER))
}

/// Instructions of a list of nodes that something depends on: effects, choices, loops, or these values.
fn live_size(nodes: &[Node], values: &[Value]) -> usize {
    let mut needed: HashSet<Value> = values.iter().copied().collect();
    let mut total = 0;
    for node in nodes.iter().rev() {
        if let Node::Inst(inst) = node {
            if !inst.op.has_effect() && !inst.results.iter().any(|result| needed.contains(result)) {
                continue;
            }
            needed.extend(&inst.args);
        } else {
            uses(node, &mut needed);
        }
        total += node_size(node);
    }
    total
}

/// Everything that a node uses.
fn uses(node: &Node, all: &mut HashSet<Value>) {
    let region = |region: &Region, all: &mut HashSet<Value>| {
        all.extend(region.end.values());
        region.nodes.iter().for_each(|node| uses(node, all));
    };
    match node {
        Node::Inst(inst) => all.extend(&inst.args),
        Node::If(choice) => {
            all.insert(choice.condition);
            region(&choice.then, all);
            region(&choice.otherwise, all);
        }
        Node::Loop(repeat) => {
            all.extend(&repeat.init);
            region(&repeat.body, all);
        }
    }
}

/// Instructions of a region, loops as often as they stand there.
fn size(region: &Region) -> usize {
    region.nodes.iter().map(node_size).sum::<usize>().max(1)
}

fn node_size(node: &Node) -> usize {
    match node {
        Node::Inst(inst) => match inst.op {
            Op::Const { .. } | Op::Bool { .. } | Op::Uniform { .. } | Op::Neg | Op::Abs | Op::Not => 0,
            Op::Fetch(_) => 4,
            _ => 1,
        },
        Node::If(choice) => 2 + size(&choice.then) + size(&choice.otherwise),
        Node::Loop(repeat) => 2 + size(&repeat.body),
    }
}

fn for_ends<'r>(region: &'r Region, visit: &mut impl FnMut(&'r End)) {
    for node in &region.nodes {
        if let Node::If(choice) = node {
            for_ends(&choice.then, visit);
            for_ends(&choice.otherwise, visit);
        }
    }
    visit(&region.end);
}

/// Changes the ends of a loop's passes, by the loop's body.
pub(super) fn change_ends(body: &mut Region, change: &mut dyn FnMut(&mut End)) {
    for node in &mut body.nodes {
        if let Node::If(choice) = node {
            change_ends(&mut choice.then, change);
            change_ends(&mut choice.otherwise, change);
        }
    }
    if !matches!(body.end, End::Yield(_)) {
        change(&mut body.end);
    }
}

/// Per parameter: whether all passes hand it on as they got it.
fn unchanged(repeat: &Loop) -> Vec<bool> {
    let mut same = vec![true; repeat.params.len()];
    for_ends(&repeat.body, &mut |end| {
        if let End::Continue(values) = end {
            for (k, same) in same.iter_mut().enumerate() {
                *same &= values[k] == repeat.params[k] || values[k] == repeat.init[k];
            }
        }
    });
    same
}

/// What each break of a loop passes on.
fn breaks(body: &Region) -> Vec<&[Value]> {
    let mut all = Vec::new();
    for_ends(body, &mut |end| {
        if let End::Break(values) = end {
            all.push(values.as_slice());
        }
    });
    all
}
