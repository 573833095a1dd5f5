//! Booleans become numbers: where one holds, a number is not negative, or is zero, or is not.
//!
//! Afterwards the only booleans left are the conditions of `If`s, each a test of a number (or a boolean constant of the user), perhaps inverted, in front of
//! its `If`. Constants that are chosen by numbers become choices, too.

use crate::ir::{End, Function, If, Inst, Loop, Naming, Node, Op, Reading, Region, Type, Value, named_at};
use std::collections::BTreeMap;

/// A boolean as a test of a number.
#[derive(Clone, Copy)]
struct Test {
    number: Value,
    /// It is whether the number is zero; else whether it is not negative.
    zero: bool,
    /// It holds where the test does not.
    inverted: bool,
}

struct Lower<'a> {
    old: &'a Function,
    types: Vec<Type>,
    /// The numbers of the old function's numbers, and of its booleans that are carried.
    map: Vec<Option<Value>>,
    tests: Vec<Option<Test>>,
    /// Booleans that are constants of the user.
    constants: Vec<Option<u8>>,
    /// Those that are numbers by now, and how they become it, in front of everything else.
    numbers: BTreeMap<u8, Value>,
    entry: Vec<Node>,
    nodes: Vec<Vec<Node>>,
    /// What variables of the source hold.
    names: Vec<Naming>,
    line: u32,
}

/// The function without booleans but in front of `If`s.
pub(super) fn lower(function: &Function) -> Function {
    let mut lower = Lower {
        old: function,
        types: Vec::new(),
        map: vec![None; function.values()],
        tests: vec![None; function.values()],
        constants: vec![None; function.values()],
        numbers: BTreeMap::new(),
        entry: Vec::new(),
        nodes: Vec::new(),
        names: Vec::new(),
        line: 0,
    };
    let mut body = lower.region(&function.body);
    body.nodes.splice(0..0, std::mem::take(&mut lower.entry));
    lower.name(function.values());
    Function::new(lower.types, body, function.outputs.clone()).named(lower.names)
}

impl Lower<'_> {
    fn value(&mut self, ty: Type) -> Value {
        self.types.push(ty);
        Value(self.types.len() as u32 - 1)
    }

    fn push(&mut self, node: Node) {
        self.nodes.last_mut().expect("a region is open").push(node);
    }

    fn add(&mut self, op: Op, args: Vec<Value>) -> Value {
        let result = self.value(op.results()[0]);
        let line = self.line;
        self.push(Node::Inst(Inst { op, args, results: vec![result], line }));
        result
    }

    fn float(&mut self, value: f32) -> Value {
        self.add(Op::Const { bits: value.to_bits() }, Vec::new())
    }

    /// Names what is named in front of a value of the old function.
    fn name(&mut self, number: usize) {
        let at = self.types.len() as u32;
        for naming in named_at(&self.old.names, number as u32) {
            let read =
                naming.value.map(|value| (self.tests[value.index()], self.map[value.index()], self.old.type_of(value)));
            let turned = naming.reading.is_inverted();
            let (value, reading) = match read {
                Some((Some(Test { number, zero, inverted }), ..)) => {
                    let inverted = inverted != turned;
                    (Some(number), if zero { Reading::Zero { inverted } } else { Reading::NonNegative { inverted } })
                }
                Some((None, value, Type::Bool)) => (value, Reading::NonNegative { inverted: turned }),
                Some((None, value, Type::Float)) => (value, naming.reading),
                None => (None, naming.reading),
            };
            self.names.push(Naming { at, value, reading, ..*naming });
        }
    }

    fn get(&self, value: Value) -> Value {
        self.map[value.index()].expect("a valid function defines values before their use")
    }

    /// A boolean of the old function as a test.
    fn test(&mut self, value: Value) -> Test {
        if let Some(test) = self.tests[value.index()] {
            return test;
        }
        if let Some(index) = self.constants[value.index()] {
            let number = match self.numbers.get(&index) {
                Some(&number) => number,
                None => self.constant_as_number(index),
            };
            return Test { number, zero: false, inverted: false };
        }
        Test { number: self.get(value), zero: false, inverted: false }
    }

    /// A boolean constant is only known to the flow of control: a choice makes a number of it.
    fn constant_as_number(&mut self, index: u8) -> Value {
        let outer = std::mem::take(&mut self.nodes);
        self.nodes.push(std::mem::take(&mut self.entry));
        let condition = self.add(Op::BoolConstant { index }, Vec::new());
        let side = |this: &mut Self, number: f32| {
            this.nodes.push(Vec::new());
            let value = this.float(number);
            Region { nodes: this.nodes.pop().unwrap_or_default(), end: End::Yield(vec![value]) }
        };
        let (then, otherwise) = (side(self, 0.0), side(self, -1.0));
        let number = self.value(Type::Float);
        let line = self.line;
        self.push(Node::If(If { condition, then, otherwise, results: vec![number], line }));
        self.entry = self.nodes.pop().unwrap_or_default();
        self.nodes = outer;
        self.numbers.insert(index, number);
        number
    }

    /// The same as a test for a number that is not negative.
    fn sign(&mut self, test: Test) -> Test {
        if !test.zero {
            return test;
        }
        let magnitude = self.add(Op::Abs, vec![test.number]);
        let number = self.add(Op::Neg, vec![magnitude]);
        Test { number, zero: false, inverted: test.inverted }
    }

    /// A number that is not negative where a boolean holds.
    fn carried(&mut self, value: Value) -> Value {
        let test = self.test(value);
        let test = self.sign(test);
        if !test.inverted {
            return test.number;
        }
        let (minus, zero) = (self.float(-1.0), self.float(0.0));
        self.add(Op::Cmp, vec![test.number, minus, zero])
    }

    /// Both tests hold.
    fn and(&mut self, a: Test, b: Test) -> Test {
        let (a, b) = (self.sign(a), self.sign(b));
        let number = match (a.inverted, b.inverted) {
            (true, true) => {
                let zero = self.float(0.0);
                let number = self.add(Op::Cmp, vec![a.number, zero, b.number]);
                return Test { number, zero: false, inverted: true };
            }
            (first, _) => {
                let (first, second) = if first { (a, b) } else { (b, a) };
                let minus = self.float(-1.0);
                // The second is not inverted: where the first holds, it is what counts.
                let (yes, no) = if first.inverted { (minus, second.number) } else { (second.number, minus) };
                self.add(Op::Cmp, vec![first.number, yes, no])
            }
        };
        Test { number, zero: false, inverted: false }
    }

    fn region(&mut self, region: &Region) -> Region {
        self.nodes.push(Vec::new());
        for node in &region.nodes {
            match node {
                Node::Inst(inst) => self.instruction(inst),
                Node::If(choice) => self.choice(choice),
                Node::Loop(repeat) => self.repeat(repeat),
            }
        }
        let mut end = region.end.clone();
        *end.values_mut() = self.passed(region.end.values());
        Region { nodes: self.nodes.pop().unwrap_or_default(), end }
    }

    /// Values that are passed on: booleans as numbers.
    fn passed(&mut self, values: &[Value]) -> Vec<Value> {
        let one = |this: &mut Self, value: Value| match this.old.type_of(value) {
            Type::Float => this.get(value),
            Type::Bool => this.carried(value),
        };
        values.iter().map(|&value| one(self, value)).collect()
    }

    fn numbers(&mut self, values: &[Value]) -> Vec<Value> {
        values
            .iter()
            .map(|old| {
                self.name(old.index());
                let new = self.value(Type::Float);
                self.map[old.index()] = Some(new);
                new
            })
            .collect()
    }

    fn choice(&mut self, choice: &If) {
        self.line = choice.line;
        let condition = match self.constants[choice.condition.index()] {
            Some(index) => self.add(Op::BoolConstant { index }, Vec::new()),
            None => {
                let test = self.test(choice.condition);
                let holds = self.add(if test.zero { Op::IsZero } else { Op::IsNonNegative }, vec![test.number]);
                if test.inverted { self.add(Op::Not, vec![holds]) } else { holds }
            }
        };
        let (then, otherwise) = (self.region(&choice.then), self.region(&choice.otherwise));
        let results = self.numbers(&choice.results);
        self.push(Node::If(If { condition, then, otherwise, results, line: choice.line }));
    }

    fn repeat(&mut self, repeat: &Loop) {
        let init = self.passed(&repeat.init);
        let params = self.numbers(&repeat.params);
        let body = self.region(&repeat.body);
        let results = self.numbers(&repeat.results);
        self.push(Node::Loop(Loop { passes: repeat.passes, params, init, body, results, line: repeat.line }));
    }

    /// One of several constants by a whole number: a choice after the other.
    fn indexed(&mut self, register: u8, channel: u8, count: u8, index: Value) -> Value {
        let index = self.get(index);
        let mut value = self.add(Op::Uniform { register, channel }, Vec::new());
        for k in 1..count {
            let next = self.add(Op::Uniform { register: register + k, channel }, Vec::new());
            // Halfway to the number before: what is not quite whole counts as the nearest.
            let offset = self.float(0.5 - f32::from(k));
            let reached = self.add(Op::Add, vec![index, offset]);
            value = self.add(Op::Cmp, vec![reached, next, value]);
        }
        value
    }

    fn instruction(&mut self, inst: &Inst) {
        self.line = inst.line;
        inst.results.iter().for_each(|result| self.name(result.index()));
        let test = match inst.op {
            Op::Bool { value } => {
                let number = self.float(if value { 0.0 } else { -1.0 });
                Test { number, zero: false, inverted: false }
            }
            Op::BoolConstant { index } => {
                self.constants[inst.results[0].index()] = Some(index);
                return;
            }
            Op::IsNonNegative => Test { number: self.get(inst.args[0]), zero: false, inverted: false },
            Op::IsZero => Test { number: self.get(inst.args[0]), zero: true, inverted: false },
            Op::Not => {
                let test = self.test(inst.args[0]);
                Test { inverted: !test.inverted, ..test }
            }
            Op::And => {
                let (a, b) = (self.test(inst.args[0]), self.test(inst.args[1]));
                self.and(a, b)
            }
            Op::Or => {
                let (a, b) = (self.test(inst.args[0]), self.test(inst.args[1]));
                let neither = self.and(Test { inverted: !a.inverted, ..a }, Test { inverted: !b.inverted, ..b });
                Test { inverted: !neither.inverted, ..neither }
            }
            Op::Select => {
                let test = self.test(inst.args[0]);
                let test = self.sign(test);
                let (mut a, mut b) = (self.get(inst.args[1]), self.get(inst.args[2]));
                if test.inverted {
                    std::mem::swap(&mut a, &mut b);
                }
                let value = self.add(Op::Cmp, vec![test.number, a, b]);
                self.map[inst.results[0].index()] = Some(value);
                return;
            }
            Op::UniformAt { register, channel, count } => {
                let value = self.indexed(register, channel, count, inst.args[0]);
                self.map[inst.results[0].index()] = Some(value);
                return;
            }
            op => {
                let args = inst.args.iter().map(|&arg| self.get(arg)).collect();
                let results: Vec<Value> = op.results().iter().map(|_| self.value(Type::Float)).collect();
                for (old, &new) in inst.results.iter().zip(&results) {
                    self.map[old.index()] = Some(new);
                }
                let line = self.line;
                self.push(Node::Inst(Inst { op, args, results, line }));
                return;
            }
        };
        self.tests[inst.results[0].index()] = Some(test);
    }
}
