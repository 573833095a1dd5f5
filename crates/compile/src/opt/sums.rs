//! The order of sums: a product that is added where it is calculated takes no operation of its own. `x + (a b + c d)` takes a product, a multiply-add and
//! a sum; `(x + a b) + c d` takes two multiply-adds.

use super::known::Known;
use crate::ir::{End, Function, Inst, Node, Op, Region, Type, Value};
use std::collections::HashSet;

/// Terms of a sum that is looked at: longer ones would keep too many values for the sum's end.
const MOST_TERMS: usize = 64;

/// The function with sums in the order that takes the fewest operations.
pub(super) fn order(function: &Function) -> Function {
    let known = Known::of(function);
    let mut ordered = function.clone();
    let none = Region { nodes: Vec::new(), end: End::Yield(Vec::new()) };
    let mut body = std::mem::replace(&mut ordered.body, none);
    in_region(&mut body, &known, &mut ordered);
    ordered.body = body;
    ordered
}

fn in_region(region: &mut Region, known: &Known<'_>, function: &mut Function) {
    let mut nodes = Vec::with_capacity(region.nodes.len());
    let mut own: HashSet<Value> = HashSet::new();
    for mut node in std::mem::take(&mut region.nodes) {
        match &mut node {
            Node::Inst(inst) => {
                own.extend(&inst.results);
                if inst.op == Op::Add {
                    let mut sum = Sum::default();
                    sum.collect(inst, known, &own);
                    if sum.is_cheaper_in_order() {
                        sum.in_order(inst, function, &mut nodes);
                    }
                }
            }
            Node::If(choice) => {
                in_region(&mut choice.then, known, function);
                in_region(&mut choice.otherwise, known, function);
            }
            Node::Loop(repeat) => in_region(&mut repeat.body, known, function),
        }
        nodes.push(node);
    }
    region.nodes = nodes;
}

/// What a tree of sums of one region adds.
#[derive(Default)]
struct Sum {
    products: Vec<Value>,
    others: Vec<Value>,
    /// Products that the tree adds where they are calculated: each of its sums can take one.
    taken: usize,
}

impl Sum {
    fn collect(&mut self, sum: &Inst, known: &Known<'_>, own: &HashSet<Value>) {
        let mut takes = false;
        for &arg in &sum.args {
            let inner = known.by(arg).filter(|inst| inst.op == Op::Add && known.uses(arg) == 1 && own.contains(&arg));
            if let Some(inner) = inner.filter(|_| self.products.len() + self.others.len() < MOST_TERMS) {
                self.collect(inner, known, own);
            } else if known.product(arg).is_some() {
                self.products.push(arg);
                takes = true;
            } else {
                self.others.push(arg);
            }
        }
        self.taken += usize::from(takes);
    }

    /// Whether a chain that begins with what is not a product takes fewer operations.
    fn is_cheaper_in_order(&self) -> bool {
        self.products.len() - self.taken > usize::from(self.others.is_empty())
    }

    /// Makes a chain of the sum that `last` ends.
    fn in_order(&self, last: &mut Inst, function: &mut Function, nodes: &mut Vec<Node>) {
        let mut terms = self.others.iter().chain(&self.products).copied();
        let Some(mut sum) = terms.next() else { return };
        let mut terms = terms.peekable();
        while let Some(term) = terms.next() {
            if terms.peek().is_none() {
                last.args = vec![sum, term];
            } else {
                let result = function.add_value(Type::Float);
                nodes.push(Node::Inst(Inst { args: vec![sum, term], results: vec![result], ..last.clone() }));
                sum = result;
            }
        }
    }
}
