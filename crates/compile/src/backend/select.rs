//! From functions to scalar operations: modifiers go into operands and results, conditions into tests, carried values into shared webs.

use super::machine::{Code, Condition, Item, Named, Op, Operand, Scalars, Source, Target, Web};
use crate::ir::{Axis, End, Function, If, Inst, Loop, Naming, Node, Output, Region, Value};
use ctm_x1k::{OutputModifier, ZeroTest};
use std::collections::{BTreeMap, HashMap, HashSet};

const ZERO: u32 = 0;
const ONE: u32 = 0x3F80_0000;

/// What an `If` may decide by.
#[derive(Clone, Copy)]
enum Decision {
    Test { number: Value, zero: bool, inverted: bool },
    Constant { index: u8 },
}

struct Select<'a> {
    function: &'a Function,
    operands: Vec<Option<Operand>>,
    decisions: Vec<Option<Decision>>,
    uses: Vec<u32>,
    webs: usize,
    /// The blocks that are open, from the outermost; the operations of the current one last.
    blocks: Vec<Vec<Item<Op>>>,
    current: Vec<Op>,
    /// The operation of the current block that gives a web.
    defined: BTreeMap<Web, usize>,
    position: [Option<Web>; 2],
    varyings: BTreeMap<(u8, u8), Web>,
    /// Webs of the parameters of the loops that are open.
    carried: Vec<Vec<Web>>,
    /// How aL counts in them.
    steps: Vec<Option<i8>>,
    /// The number of the value that is calculated now.
    order: u32,
    /// Values that became something else on their way out.
    changed: HashSet<Value>,
    /// Loops that count in aL are inside of others: what the outer ones choose is read where it is chosen.
    nested: bool,
}

/// Where interpolated inputs are at the start: slot and channel to register and channel.
pub(super) type Varyings<'a> = &'a dyn Fn(u8, u8) -> (u8, usize);

/// The operations of a function that [`optimise`](crate::opt::optimise) made. `position`: the register that holds it.
pub(super) fn select(function: &Function, position: u8, varyings: Varyings<'_>) -> Scalars {
    let mut select = Select {
        function,
        operands: vec![None; function.values()],
        decisions: vec![None; function.values()],
        uses: vec![0; function.values()],
        webs: 0,
        blocks: vec![Vec::new()],
        current: Vec::new(),
        defined: BTreeMap::new(),
        position: [None; 2],
        varyings: BTreeMap::new(),
        carried: Vec::new(),
        steps: Vec::new(),
        order: 0,
        changed: HashSet::new(),
        nested: nested(&function.body, false),
    };
    select.count(&function.body);
    select.nodes(&function.body.nodes);
    select.outputs();
    select.close();
    let mut inputs: Vec<(Web, u8, usize)> = Vec::new();
    for (channel, web) in select.position.iter().enumerate() {
        inputs.extend(web.map(|web| (web, position, channel)));
    }
    for (&(slot, channel), &web) in &select.varyings {
        let (register, channel) = varyings(slot, channel);
        inputs.push((web, register, channel));
    }
    let reads_position = select.position.iter().any(Option::is_some);
    let names = select.names();
    Scalars { items: select.blocks.pop().unwrap_or_default(), webs: select.webs, inputs, reads_position, names }
}

impl Select<'_> {
    fn count(&mut self, region: &Region) {
        for node in &region.nodes {
            match node {
                Node::Inst(inst) => inst.args.iter().for_each(|arg| self.uses[arg.index()] += 1),
                Node::If(choice) => {
                    self.uses[choice.condition.index()] += 1;
                    self.count(&choice.then);
                    self.count(&choice.otherwise);
                }
                Node::Loop(repeat) => {
                    repeat.init.iter().for_each(|init| self.uses[init.index()] += 1);
                    self.count(&repeat.body);
                }
            }
        }
        region.end.values().iter().for_each(|value| self.uses[value.index()] += 1);
    }

    fn web(&mut self) -> Web {
        self.webs += 1;
        self.webs - 1
    }

    /// Ends the current block.
    fn close(&mut self) {
        self.defined.clear();
        let ops = std::mem::take(&mut self.current);
        if !ops.is_empty() {
            self.push(Item::Block(ops));
        }
    }

    fn push(&mut self, item: Item<Op>) {
        self.blocks.last_mut().expect("a list of items is open").push(item);
    }

    /// What variables of the source hold.
    fn names(&self) -> Vec<Named> {
        let operand = |value: Value| self.operands[value.index()].filter(|_| !self.changed.contains(&value));
        let named = |naming: &Naming| Named {
            at: naming.at,
            part: naming.part,
            operand: naming.value.and_then(operand),
            reading: naming.reading,
        };
        self.function.names.iter().map(named).collect()
    }

    fn op(&mut self, mut op: Op) {
        op.order = self.order;
        for web in op.writes().collect::<Vec<_>>() {
            self.defined.insert(web, self.current.len());
        }
        self.current.push(op);
    }

    fn operand(&self, value: Value) -> Operand {
        self.operands[value.index()].expect("a valid function defines values before their use")
    }

    fn set(&mut self, value: Value, operand: Operand) {
        self.operands[value.index()] = Some(operand);
    }

    fn nodes(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Inst(inst) => self.instruction(inst),
                Node::If(choice) => self.choice(choice),
                Node::Loop(repeat) => self.repeat(repeat),
            }
        }
    }

    /// A region inside of the current one: its items. `end` writes what it passes on.
    fn region(&mut self, region: &Region, results: &[Web]) -> Vec<Item<Op>> {
        self.blocks.push(Vec::new());
        self.nodes(&region.nodes);
        let line = self.current.last().map_or(0, |op| op.line);
        let places = match &region.end {
            End::Yield(_) => results.to_vec(),
            End::Break(_) | End::Continue(_) => self.carried.last().cloned().unwrap_or_default(),
        };
        let values: Vec<Operand> = region.end.values().iter().map(|&value| self.operand(value)).collect();
        self.copies(&places, &values, line);
        self.close();
        match &region.end {
            End::Yield(_) => {}
            End::Break(_) => self.push(Item::Break),
            End::Continue(_) => self.push(Item::Continue),
        }
        self.blocks.pop().unwrap_or_default()
    }

    /// Moves values to places as if all at once.
    fn copies(&mut self, places: &[Web], values: &[Operand], line: u32) {
        let mut left: Vec<(Web, Operand)> = places.iter().copied().zip(values.iter().copied()).collect();
        left.retain(|&(place, value)| value != Operand::web(place));
        // How many of what is left read each web.
        let mut readers: HashMap<Web, usize> = HashMap::new();
        for web in left.iter().filter_map(|(_, value)| value.as_web()) {
            *readers.entry(web).or_default() += 1;
        }
        while !left.is_empty() {
            // What reads its own place does not stand in its own way.
            let others = |&(place, value): &(Web, Operand)| {
                readers.get(&place).map_or(0, |count| count - usize::from(value.as_web() == Some(place)))
            };
            if let Some(k) = left.iter().position(|copy| others(copy) == 0) {
                let (place, value) = left.swap_remove(k);
                if let Some(count) = value.as_web().and_then(|web| readers.get_mut(&web)) {
                    *count -= 1;
                }
                self.op(Op::new(Code::Move, vec![value], place, line));
            } else {
                // All places are read: one of them steps aside.
                let (place, aside) = (left[0].0, self.web());
                self.op(Op::new(Code::Move, vec![Operand::web(place)], aside, line));
                for (_, value) in left.iter_mut().filter(|(_, value)| value.as_web() == Some(place)) {
                    value.source = Source::Web(aside);
                }
                if let Some(count) = readers.remove(&place) {
                    readers.insert(aside, count);
                }
            }
        }
    }

    fn choice(&mut self, choice: &If) {
        let condition = match self.decisions[choice.condition.index()].expect("an If decides by a test") {
            Decision::Constant { index } => Condition::Constant { index },
            Decision::Test { number, zero, inverted } => {
                self.test(
                    self.operand(number),
                    if zero { ZeroTest::Equal } else { ZeroTest::GreaterEqual },
                    choice.line,
                );
                Condition::Test { inverted }
            }
        };
        self.close();
        let results: Vec<Web> = choice.results.iter().map(|_| self.web()).collect();
        let (then, otherwise) = (self.region(&choice.then, &results), self.region(&choice.otherwise, &results));
        for (&result, &web) in choice.results.iter().zip(&results) {
            self.set(result, Operand::web(web));
        }
        self.push(Item::If { condition, then, otherwise, line: choice.line });
    }

    /// The current block tests a number.
    fn test(&mut self, number: Operand, test: ZeroTest, line: u32) {
        let by = number.as_web().filter(|_| number.is_plain()).and_then(|web| self.defined.get(&web).copied());
        if let Some(k) = by
            && !self.current[k].code.is_texture()
            && !self.current[k].code.is_derivative()
        {
            self.current[k].test = Some(test);
        } else {
            let mut op = Op::new(Code::Move, vec![number], 0, line);
            (op.results, op.test) = (vec![None], Some(test));
            self.op(op);
        }
    }

    fn repeat(&mut self, repeat: &Loop) {
        let webs: Vec<Web> = repeat.params.iter().map(|_| self.web()).collect();
        let init: Vec<Operand> = repeat.init.iter().map(|&value| self.operand(value)).collect();
        self.copies(&webs, &init, repeat.line);
        self.close();
        for (&param, &web) in repeat.params.iter().zip(&webs) {
            self.set(param, Operand::web(web));
        }
        self.carried.push(webs);
        self.steps.push(None);
        let body = self.region(&repeat.body, &[]);
        let (webs, step) = (self.carried.pop().unwrap_or_default(), self.steps.pop().flatten());
        for (&result, &web) in repeat.results.iter().zip(&webs) {
            self.set(result, Operand::web(web));
        }
        self.push(Item::Loop { passes: repeat.passes, step, body, line: repeat.line });
    }

    /// The operation of the current block whose result is a value that is used only once: what follows may become its modifier.
    fn only_use(&self, value: Value) -> Option<usize> {
        let operand = self.operand(value);
        let k = *self.defined.get(&operand.as_web()?)?;
        let op = &self.current[k];
        let free = self.uses[value.index()] == 1
            && !operand.abs
            && !op.clamp
            && op.test.is_none()
            && !op.code.is_texture()
            && !op.code.is_derivative();
        free.then_some(k)
    }

    fn instruction(&mut self, inst: &Inst) {
        use crate::ir::Op as Ir;
        self.order = inst.results.first().map_or(self.order, |result| result.0);
        let args: Vec<Operand> = match inst.op {
            Ir::Not => Vec::new(),
            _ => inst.args.iter().map(|&arg| self.operand(arg)).collect(),
        };
        let (code, args) = match inst.op {
            Ir::Const { bits } => return self.set(inst.results[0], Operand::number(bits)),
            Ir::Uniform { register, channel } => {
                let operand = Operand { source: Source::Uniform { register, channel }, abs: false, neg: false };
                return self.set(inst.results[0], operand);
            }
            Ir::UniformInLoop { register, channel, step } => {
                let counter = args[0].as_web();
                let depth = self.carried.iter().rposition(|webs| webs.iter().any(|&web| Some(web) == counter));
                self.steps[depth.expect("a loop around has this parameter")] = Some(step);
                let operand = Operand { source: Source::Relative { register, channel }, abs: false, neg: false };
                if !self.nested {
                    return self.set(inst.results[0], operand);
                }
                (Code::Move, vec![operand])
            }
            Ir::Neg => return self.set(inst.results[0], args[0].negated()),
            Ir::Abs => return self.set(inst.results[0], args[0].absolute()),
            Ir::Position { axis } => {
                let k = usize::from(axis == Axis::Y);
                let web = match self.position[k] {
                    Some(web) => web,
                    None => self.web(),
                };
                self.position[k] = Some(web);
                return self.set(inst.results[0], Operand::web(web));
            }
            Ir::Varying { slot, channel } => {
                let web = match self.varyings.get(&(slot, channel)) {
                    Some(&web) => web,
                    None => self.web(),
                };
                self.varyings.insert((slot, channel), web);
                return self.set(inst.results[0], Operand::web(web));
            }
            Ir::IsNonNegative | Ir::IsZero => {
                let decision = Decision::Test { number: inst.args[0], zero: inst.op == Ir::IsZero, inverted: false };
                self.decisions[inst.results[0].index()] = Some(decision);
                return;
            }
            Ir::Not => {
                let inner = self.decisions[inst.args[0].index()];
                self.decisions[inst.results[0].index()] = inner.map(|decision| match decision {
                    Decision::Test { number, zero, inverted } => Decision::Test { number, zero, inverted: !inverted },
                    constant @ Decision::Constant { .. } => constant,
                });
                return;
            }
            Ir::BoolConstant { index } => {
                self.decisions[inst.results[0].index()] = Some(Decision::Constant { index });
                return;
            }
            Ir::Saturate => {
                if let Some(k) = self.only_use(inst.args[0])
                    && args[0].is_plain()
                {
                    self.current[k].clamp = true;
                    self.changed.insert(inst.args[0]);
                    return self.set(inst.results[0], args[0]);
                }
                let web = self.web();
                let mut op = Op::new(Code::Move, args, web, inst.line);
                op.clamp = true;
                self.op(op);
                return self.set(inst.results[0], Operand::web(web));
            }
            Ir::Mul => (Code::Mad, vec![args[0], args[1], Operand::number(ZERO)]),
            Ir::Scale { exponent } => {
                let operand = self.scaled(inst, exponent, args[0]);
                return self.set(inst.results[0], operand);
            }
            Ir::Add => (Code::Mad, vec![args[0], Operand::number(ONE), args[1]]),
            Ir::Mad => (Code::Mad, args),
            Ir::Dot2Add => (Code::Dot2Add, args),
            Ir::Dot3 => (Code::Dot3, args),
            Ir::Dot4 => (Code::Dot4, args),
            Ir::Min => (Code::Min, args),
            Ir::Max => (Code::Max, args),
            Ir::Cmp => (Code::Cmp, vec![args[1], args[2], args[0]]),
            Ir::Cnd => (Code::Cnd, vec![args[1], args[2], args[0]]),
            Ir::Frc => (Code::Frc, args),
            Ir::Exp2 => (Code::Exp2, args),
            Ir::Log2 => (Code::Log2, args),
            Ir::Rcp => (Code::Rcp, args),
            Ir::Rsq => (Code::Rsq, args),
            Ir::Sin => (Code::Sin, args),
            Ir::Cos => (Code::Cos, args),
            Ir::Ddx => (Code::Ddx, args),
            Ir::Ddy => (Code::Ddy, args),
            Ir::Fetch(fetch) => {
                let webs: Vec<Web> = inst.results.iter().map(|_| self.web()).collect();
                for (&result, &web) in inst.results.iter().zip(&webs) {
                    self.set(result, Operand::web(web));
                }
                let used =
                    inst.results.iter().zip(&webs).map(|(result, &web)| (self.uses[result.index()] > 0).then_some(web));
                let results = used.collect();
                let mut op = Op::new(Code::Fetch(fetch), args, 0, inst.line);
                op.results = results;
                return self.op(op);
            }
            Ir::Kill(_) => {
                let mut op = Op::new(Code::Kill, args, 0, inst.line);
                op.results.clear();
                return self.op(op);
            }
            Ir::Bool { .. } | Ir::And | Ir::Or | Ir::Select | Ir::UniformAt { .. } => {
                unreachable!("{} is none of the back end's operations", inst.op.name())
            }
        };
        let web = self.web();
        if code.is_derivative() {
            return self.derivative(code, args[0], inst, web);
        }
        self.op(Op::new(code, args, web, inst.line));
        self.set(inst.results[0], Operand::web(web));
    }

    /// A derivative reads a register as it lies, and gives the channel that it lies in.
    fn derivative(&mut self, code: Code, of: Operand, inst: &Inst, web: Web) {
        let register = self.web();
        self.op(Op::new(Code::Move, vec![of], register, inst.line));
        self.op(Op::new(code, vec![Operand::web(register)], web, inst.line));
        self.set(inst.results[0], Operand::web(web));
    }

    /// A multiple that the output modifier makes: of the operation that gives the number, or of a move.
    fn scaled(&mut self, inst: &Inst, exponent: i8, of: Operand) -> Operand {
        let scale = match exponent {
            1 => OutputModifier::X2,
            2 => OutputModifier::X4,
            3 => OutputModifier::X8,
            -1 => OutputModifier::Half,
            -2 => OutputModifier::Quarter,
            -3 => OutputModifier::Eighth,
            _ => OutputModifier::X1,
        };
        if let Some(at) = self.only_use(inst.args[0])
            && self.current[at].scale == OutputModifier::X1
        {
            self.current[at].scale = scale;
            return of;
        }
        let web = self.web();
        let mut op = Op::new(Code::Move, vec![of], web, inst.line);
        op.scale = scale;
        self.op(op);
        Operand::web(web)
    }

    /// Writes the outputs, where possible by the operations that calculate them.
    fn outputs(&mut self) {
        let values = self.function.body.end.values();
        let mut left: Vec<(Operand, Target)> = Vec::new();
        for (&output, &value) in self.function.outputs.iter().zip(values) {
            let operand = self.operand(value);
            let target = match output {
                Output::Colour { slot, channel } => Target::Colour { slot, channel: channel.into() },
                Output::Depth => Target::Depth,
            };
            let by = operand.as_web().filter(|_| operand.is_plain()).and_then(|web| self.defined.get(&web).copied());
            match by {
                Some(k) if fits(&self.current[k], target) => self.current[k].targets.push(target),
                _ => left.push((operand, target)),
            }
        }
        let mut moves: Vec<Op> = Vec::new();
        for (operand, target) in left {
            let same = moves.iter_mut().find(|op| op.args == [operand] && fits(op, target));
            match same {
                Some(op) => op.targets.push(target),
                None => {
                    let mut op = Op::new(Code::Move, vec![operand], 0, 0);
                    (op.results, op.targets) = (vec![None], vec![target]);
                    moves.push(op);
                }
            }
        }
        self.current.extend(moves);
    }
}

/// Whether an operation can write a target beside those that it has.
fn fits(op: &Op, target: Target) -> bool {
    let same = op.targets.iter().all(|&other| match (other, target) {
        (Target::Colour { slot: a, .. }, Target::Colour { slot: b, .. }) => a == b,
        _ => false,
    });
    same && !op.code.is_texture() && !op.code.is_derivative() && op.test.is_none()
}

/// Whether a loop that reads constants by its variable is inside of another one that does.
fn nested(region: &Region, inside: bool) -> bool {
    region.nodes.iter().any(|node| match node {
        Node::Inst(_) => false,
        Node::If(choice) => nested(&choice.then, inside) || nested(&choice.otherwise, inside),
        Node::Loop(repeat) => {
            let reads = reads_by_variable(&repeat.body);
            inside && reads || nested(&repeat.body, inside || reads)
        }
    })
}

/// Whether a region reads constants by the variable of a loop, apart from the loops in it.
fn reads_by_variable(region: &Region) -> bool {
    region.nodes.iter().any(|node| match node {
        Node::Inst(inst) => matches!(inst.op, crate::ir::Op::UniformInLoop { .. }),
        Node::If(choice) => reads_by_variable(&choice.then) || reads_by_variable(&choice.otherwise),
        Node::Loop(_) => false,
    })
}
