//! Leaves out instructions, choices, loops and carried values that nobody uses.

use crate::ir::{End, Function, If, Inst, Loop, Node, Region, Value, definitions, renumbered};

/// What defines a value.
#[derive(Clone, Copy)]
enum Definition<'a> {
    None,
    Inst(&'a Inst),
    /// The k-th result.
    If(&'a If, usize),
    /// The k-th parameter or result of the loop of this number.
    Loop(usize, usize),
}

/// A loop.
struct Repeated<'a> {
    repeat: &'a Loop,
    /// The conditions that decide how often it runs.
    conditions: Vec<Value>,
    /// What its passes end with, each with a value per parameter.
    ends: Vec<&'a [Value]>,
    /// Whether its conditions are needed already.
    is_needed: bool,
}

struct Marker<'a> {
    definitions: Vec<Definition<'a>>,
    needed: Vec<bool>,
    work: Vec<Value>,
    /// Loops in the order of their beginnings.
    loops: Vec<Repeated<'a>>,
}

/// The function without what has no effect on its outputs. Values keep their numbers.
pub(super) fn eliminate(function: &Function) -> Function {
    let mut marker = Marker {
        definitions: vec![Definition::None; function.values()],
        needed: vec![false; function.values()],
        work: Vec::new(),
        loops: Vec::new(),
    };
    marker.define(&function.body);
    for &value in function.body.end.values() {
        marker.need(value);
    }
    marker.effects(&function.body, &mut 0);
    marker.run();
    let body = strip(&function.body, &marker.needed, None);
    let stripped = Function::new(function.types().to_vec(), body, function.outputs.clone());
    renumber(function, stripped)
}

/// Whether a region has effects that are seen outside of it: kills, or ends of a loop around it.
fn has_effect(region: &Region) -> bool {
    !matches!(region.end, End::Yield(_))
        || region.nodes.iter().any(|node| match node {
            Node::Inst(inst) => inst.op.has_effect(),
            Node::If(choice) => has_effect(&choice.then) || has_effect(&choice.otherwise),
            Node::Loop(repeat) => kills(&repeat.body),
        })
}

/// Whether invocations can end in a region.
fn kills(region: &Region) -> bool {
    region.nodes.iter().any(|node| match node {
        Node::Inst(inst) => inst.op.has_effect(),
        Node::If(choice) => kills(&choice.then) || kills(&choice.otherwise),
        Node::Loop(repeat) => kills(&repeat.body),
    })
}

/// What the passes of a loop end with, and the conditions of choices that hold such ends.
fn ends_of_loop<'a>(body: &'a Region, ends: &mut Vec<&'a [Value]>, conditions: &mut Vec<Value>) {
    for node in &body.nodes {
        if let Node::If(choice) = node {
            if has_effect(&choice.then) || has_effect(&choice.otherwise) {
                conditions.push(choice.condition);
            }
            ends_of_loop(&choice.then, ends, conditions);
            ends_of_loop(&choice.otherwise, ends, conditions);
        }
    }
    match &body.end {
        End::Break(values) | End::Continue(values) => ends.push(values),
        End::Yield(_) => {}
    }
}

impl<'a> Marker<'a> {
    fn need(&mut self, value: Value) {
        if !self.needed[value.index()] {
            self.needed[value.index()] = true;
            self.work.push(value);
        }
    }

    fn define(&mut self, region: &'a Region) {
        for node in &region.nodes {
            match node {
                Node::Inst(inst) => {
                    for result in &inst.results {
                        self.definitions[result.index()] = Definition::Inst(inst);
                    }
                }
                Node::If(choice) => {
                    for (k, result) in choice.results.iter().enumerate() {
                        self.definitions[result.index()] = Definition::If(choice, k);
                    }
                    self.define(&choice.then);
                    self.define(&choice.otherwise);
                }
                Node::Loop(repeat) => {
                    let number = self.loops.len();
                    for (k, (param, result)) in repeat.params.iter().zip(&repeat.results).enumerate() {
                        self.definitions[param.index()] = Definition::Loop(number, k);
                        self.definitions[result.index()] = Definition::Loop(number, k);
                    }
                    let (mut ends, mut conditions) = (Vec::new(), Vec::new());
                    ends_of_loop(&repeat.body, &mut ends, &mut conditions);
                    self.loops.push(Repeated { repeat, conditions, ends, is_needed: false });
                    self.define(&repeat.body);
                }
            }
        }
    }

    /// Needs what effects of a region depend on. `next`: the number of its first loop.
    fn effects(&mut self, region: &Region, next: &mut usize) {
        for node in &region.nodes {
            match node {
                Node::Inst(inst) if inst.op.has_effect() => inst.args.iter().for_each(|&arg| self.need(arg)),
                Node::Inst(_) => {}
                Node::If(choice) => {
                    if kills(&choice.then) || kills(&choice.otherwise) {
                        self.need(choice.condition);
                    }
                    self.effects(&choice.then, next);
                    self.effects(&choice.otherwise, next);
                }
                Node::Loop(repeat) => {
                    let number = *next;
                    *next += 1;
                    if kills(&repeat.body) {
                        self.need_loop(number);
                    }
                    self.effects(&repeat.body, next);
                }
            }
        }
    }

    /// Needs what decides how often a loop runs.
    fn need_loop(&mut self, number: usize) {
        if !std::mem::replace(&mut self.loops[number].is_needed, true) {
            let conditions = std::mem::take(&mut self.loops[number].conditions);
            conditions.into_iter().for_each(|condition| self.need(condition));
        }
    }

    fn run(&mut self) {
        while let Some(value) = self.work.pop() {
            match self.definitions[value.index()] {
                Definition::None => {}
                Definition::Inst(inst) => inst.args.iter().for_each(|&arg| self.need(arg)),
                Definition::If(choice, k) => {
                    self.need(choice.condition);
                    for side in [&choice.then, &choice.otherwise] {
                        if let End::Yield(values) = &side.end {
                            self.need(values[k]);
                        }
                    }
                }
                Definition::Loop(number, k) => {
                    let repeat = self.loops[number].repeat;
                    self.need(repeat.init[k]);
                    // A parameter and its result are one place.
                    self.need(repeat.params[k]);
                    self.need(repeat.results[k]);
                    self.need_loop(number);
                    for end in 0..self.loops[number].ends.len() {
                        self.need(self.loops[number].ends[end][k]);
                    }
                }
            }
        }
    }
}

fn keep(values: &[Value], places: &[Value], needed: &[bool]) -> Vec<Value> {
    values.iter().zip(places).filter(|(_, place)| needed[place.index()]).map(|(&value, _)| value).collect()
}

/// The region without what is not needed. `carried`: the parameters of the loop around it.
fn strip(region: &Region, needed: &[bool], carried: Option<&[Value]>) -> Region {
    let mut nodes = Vec::new();
    for node in &region.nodes {
        match node {
            Node::Inst(inst) => {
                if inst.op.has_effect() || inst.results.iter().any(|result| needed[result.index()]) {
                    nodes.push(node.clone());
                }
            }
            Node::If(choice) => {
                let wanted = choice.results.iter().any(|result| needed[result.index()]);
                if wanted || has_effect(&choice.then) || has_effect(&choice.otherwise) {
                    let side = |side: &Region| {
                        let mut stripped = strip(side, needed, carried);
                        if let End::Yield(values) = &side.end {
                            stripped.end = End::Yield(keep(values, &choice.results, needed));
                        }
                        stripped
                    };
                    let (then, otherwise) = (side(&choice.then), side(&choice.otherwise));
                    let results = keep(&choice.results, &choice.results, needed);
                    let empty = then.nodes.is_empty() && otherwise.nodes.is_empty() && results.is_empty();
                    if !empty || has_effect(&then) || has_effect(&otherwise) {
                        nodes.push(Node::If(If {
                            condition: choice.condition,
                            then,
                            otherwise,
                            results,
                            line: choice.line,
                        }));
                    }
                }
            }
            Node::Loop(repeat) => {
                let wanted = repeat.results.iter().any(|result| needed[result.index()]);
                if wanted || kills(&repeat.body) {
                    nodes.push(Node::Loop(Loop {
                        passes: repeat.passes,
                        params: keep(&repeat.params, &repeat.params, needed),
                        init: keep(&repeat.init, &repeat.params, needed),
                        body: strip(&repeat.body, needed, Some(&repeat.params)),
                        results: keep(&repeat.results, &repeat.params, needed),
                        line: repeat.line,
                    }));
                }
            }
        }
    }
    let end = match (&region.end, carried) {
        (End::Break(values), Some(params)) => End::Break(keep(values, params, needed)),
        (End::Continue(values), Some(params)) => End::Continue(keep(values, params, needed)),
        (end, _) => end.clone(),
    };
    Region { nodes, end }
}

/// Gives values the numbers of their order, so that equal functions are equal. Places of names are those of the function before.
fn renumber(before: &Function, function: Function) -> Function {
    let mut numbers = vec![None; function.values()];
    let mut types = Vec::new();
    let mut body = function.body.clone();
    definitions(&body, &mut |value: Value| {
        numbers[value.index()] = Some(Value(types.len() as u32));
        types.push(function.type_of(value));
    });
    replace_all(&mut body, &|value: Value| numbers[value.index()].expect("what is used is defined"));
    let names = renumbered(&before.names, &before.body, before.values(), &|value| numbers[value.index()]);
    Function::new(types, body, function.outputs).named(names)
}

fn replace_all(region: &mut Region, new: &impl Fn(Value) -> Value) {
    let all = |values: &mut Vec<Value>| values.iter_mut().for_each(|value| *value = new(*value));
    for node in &mut region.nodes {
        match node {
            Node::Inst(inst) => {
                all(&mut inst.args);
                all(&mut inst.results);
            }
            Node::If(choice) => {
                choice.condition = new(choice.condition);
                replace_all(&mut choice.then, new);
                replace_all(&mut choice.otherwise, new);
                all(&mut choice.results);
            }
            Node::Loop(repeat) => {
                all(&mut repeat.params);
                all(&mut repeat.init);
                replace_all(&mut repeat.body, new);
                all(&mut repeat.results);
            }
        }
    }
    all(region.end.values_mut());
}
