//! What is known of a function's values as it stands: how often each is used, and what gives it.

use crate::ir::{Function, Inst, Node, Op, Region, Value};

pub(super) struct Known<'a> {
    uses: Vec<u32>,
    /// Uses as one of the two arguments of a sum, directly or by its negative.
    added: Vec<u32>,
    by: Vec<Option<&'a Inst>>,
}

impl<'a> Known<'a> {
    pub fn of(function: &'a Function) -> Self {
        let count = function.values();
        let mut known = Known { uses: vec![0; count], added: vec![0; count], by: vec![None; count] };
        known.region(&function.body);
        let negatives: Vec<(Value, Value)> = known.by.iter().flatten().filter_map(|inst| negative(inst)).collect();
        for (of, negative) in negatives {
            if known.added[negative.index()] == known.uses[negative.index()] {
                known.added[of.index()] += 1;
            }
        }
        known
    }

    fn region(&mut self, region: &'a Region) {
        let mut all = |values: &[Value]| values.iter().for_each(|value| self.uses[value.index()] += 1);
        all(region.end.values());
        for node in &region.nodes {
            match node {
                Node::Inst(inst) => all(&inst.args),
                Node::If(choice) => all(&[choice.condition]),
                Node::Loop(repeat) => all(&repeat.init),
            }
        }
        for node in &region.nodes {
            match node {
                Node::Inst(inst) => {
                    inst.results.iter().for_each(|result| self.by[result.index()] = Some(inst));
                    if inst.op == Op::Add {
                        inst.args.iter().for_each(|arg| self.added[arg.index()] += 1);
                    }
                }
                Node::If(choice) => {
                    self.region(&choice.then);
                    self.region(&choice.otherwise);
                }
                Node::Loop(repeat) => self.region(&repeat.body),
            }
        }
    }

    /// How often a value is used.
    pub fn uses(&self, value: Value) -> u32 {
        self.uses[value.index()]
    }

    /// The instruction that gives a value.
    pub fn by(&self, value: Value) -> Option<&'a Inst> {
        self.by[value.index()]
    }

    /// The bits of a constant.
    pub fn constant(&self, value: Value) -> Option<u32> {
        match self.by(value)?.op {
            Op::Const { bits } => Some(bits),
            _ => None,
        }
    }

    /// The factors of a value that is a product, or the negative of one, of which only sums are wanted.
    pub fn product(&self, value: Value) -> Option<Product> {
        let inst = self.by(value)?;
        if self.added[value.index()] != self.uses(value) {
            return None;
        }
        match (inst.op, inst.args.as_slice()) {
            (Op::Mul, &[a, b]) => Some(Product { a, b, negative: false }),
            (Op::Neg, &[of]) => {
                let product = self.product(of)?;
                Some(Product { negative: !product.negative, ..product })
            }
            _ => None,
        }
    }
}

/// Two factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Product {
    pub a: Value,
    pub b: Value,
    /// The product's negative is meant.
    pub negative: bool,
}

fn negative(inst: &Inst) -> Option<(Value, Value)> {
    match (inst.op, inst.args.as_slice(), inst.results.as_slice()) {
        (Op::Neg, &[of], &[result]) => Some((of, result)),
        _ => None,
    }
}
