//! Products whose sums are all that is wanted of them become multiply-adds; factors and selections of signs go into them.

use super::known::{Known, Product};
use crate::ir::{End, Function, Inst, Node, Op, Region, Value};
use std::collections::HashSet;

struct Contract<'a> {
    known: Known<'a>,
    /// Products are rounded before they are added.
    is_exact: bool,
}

/// The function with multiply-adds, unless it is exact.
pub(super) fn contract(function: &Function, is_exact: bool) -> Function {
    let contract = Contract { known: Known::of(function), is_exact };
    let mut contracted = function.clone();
    let none = Region { nodes: Vec::new(), end: End::Yield(Vec::new()) };
    let mut body = std::mem::replace(&mut contracted.body, none);
    contract.region(&mut body, &mut contracted);
    contracted.body = body;
    contracted
}

/// What an instruction gives.
fn results(node: &Node) -> Vec<Value> {
    match node {
        Node::Inst(inst) => inst.results.clone(),
        Node::If(_) | Node::Loop(_) => Vec::new(),
    }
}

/// Whether an operation's result can be multiplied on its way out.
fn has_output_modifier(op: Op) -> bool {
    match op {
        Op::Add
        | Op::Mul
        | Op::Mad
        | Op::Dot2Add
        | Op::Dot3
        | Op::Dot4
        | Op::Min
        | Op::Max
        | Op::Cmp
        | Op::Cnd
        | Op::Frc
        | Op::Exp2
        | Op::Log2
        | Op::Rcp
        | Op::Rsq
        | Op::Sin
        | Op::Cos => true,
        Op::Const { .. }
        | Op::Uniform { .. }
        | Op::UniformAt { .. }
        | Op::UniformInLoop { .. }
        | Op::BoolConstant { .. }
        | Op::Bool { .. }
        | Op::Position { .. }
        | Op::Varying { .. }
        | Op::Neg
        | Op::Abs
        | Op::Saturate
        | Op::Scale { .. }
        | Op::Ddx
        | Op::Ddy
        | Op::IsNonNegative
        | Op::IsZero
        | Op::Not
        | Op::And
        | Op::Or
        | Op::Select
        | Op::Fetch(_)
        | Op::Kill(_) => false,
    }
}

/// Arguments of a kill at most.
const KILL: usize = 4;

/// Kills of the same stretch of instructions become one, where the last of them stands.
fn merge_kills(nodes: &mut Vec<Node>) {
    let mut last: Option<usize> = None;
    let mut merged = Vec::new();
    for k in (0..nodes.len()).rev() {
        let (before, behind) = nodes.split_at_mut(k + 1);
        match &before[k] {
            Node::Inst(Inst { op: Op::Kill(_), args, .. }) => {
                let into = last.and_then(|last| match &mut behind[last - k - 1] {
                    Node::Inst(inst) if inst.args.len() + args.len() <= KILL => Some(inst),
                    _ => None,
                });
                match into {
                    Some(inst) => {
                        inst.args.extend(args);
                        inst.op = Op::Kill(inst.args.len() as u8);
                        merged.push(k);
                    }
                    None => last = Some(k),
                }
            }
            Node::Inst(_) => {}
            Node::If(_) | Node::Loop(_) => last = None,
        }
    }
    for k in merged {
        nodes.remove(k);
    }
}

impl Contract<'_> {
    /// A product with a power of two, from 1/8 to 8, of something that nobody else uses: the other factor, the exponent, whether it is negative.
    fn multiple(&self, inst: &Inst, own: &HashSet<Value>) -> Option<(Value, i8, bool)> {
        let constant = |k: usize| self.known.constant(inst.args[k]);
        let (of, bits) = match (constant(0), constant(1)) {
            (_, Some(bits)) => (inst.args[0], bits),
            (Some(bits), _) => (inst.args[1], bits),
            _ => return None,
        };
        let arithmetic = self.known.by(of).is_some_and(|inst| has_output_modifier(inst.op));
        let alone = self.known.uses(of) == 1 && arithmetic && own.contains(&of);
        let magnitude = f32::from_bits(bits & 0x7FFF_FFFF);
        let exponent = (-3..=3).find(|&exponent| exponent != 0 && magnitude == f32::from(exponent).exp2())?;
        alone.then_some((of, exponent, bits >> 31 != 0))
    }

    /// Whether values are a product of the same factors.
    fn cancels(&self, x: Value, y: Value) -> bool {
        let factors = |value| self.known.product(value).map(|product| (product.a, product.b));
        factors(x).is_some_and(|own| factors(y) == Some(own))
    }

    fn region(&self, region: &mut Region, function: &mut Function) {
        let mut nodes = Vec::with_capacity(region.nodes.len());
        // What the region's own instructions give: others stand in other blocks.
        let own: HashSet<Value> = region.nodes.iter().flat_map(results).collect();
        for mut node in std::mem::take(&mut region.nodes) {
            match &mut node {
                Node::Inst(inst) if inst.op == Op::Add && !self.is_exact => {
                    let (x, y) = (inst.args[0], inst.args[1]);
                    let found = self.known.product(x).map(|product| (product, y));
                    let found = found.or_else(|| self.known.product(y).map(|product| (product, x)));
                    // The difference of a product and itself is zero, which it would not be if one of them were not rounded.
                    let found = found.filter(|_| !self.cancels(x, y));
                    if let Some((Product { mut a, b, negative }, c)) = found {
                        if negative {
                            let minus = function.add_value(crate::ir::Type::Float);
                            let mut negation = inst.clone();
                            (negation.op, negation.args, negation.results) = (Op::Neg, vec![a], vec![minus]);
                            nodes.push(Node::Inst(negation));
                            a = minus;
                        }
                        (inst.op, inst.args) = (Op::Mad, vec![a, b, c]);
                    }
                }
                Node::Inst(inst) if inst.op == Op::Mul => {
                    if let Some((of, exponent, negative)) = self.multiple(inst, &own) {
                        let minus = negative.then(|| {
                            let scaled = function.add_value(crate::ir::Type::Float);
                            std::mem::replace(&mut inst.results[0], scaled)
                        });
                        (inst.op, inst.args) = (Op::Scale { exponent }, vec![of]);
                        if let Some(minus) = minus {
                            let mut negation = inst.clone();
                            (negation.op, negation.args, negation.results) =
                                (Op::Neg, inst.results.clone(), vec![minus]);
                            nodes.push(node);
                            node = Node::Inst(negation);
                        }
                    }
                }
                Node::Inst(_) => {}
                Node::If(choice) => {
                    self.region(&mut choice.then, function);
                    self.region(&mut choice.otherwise, function);
                }
                Node::Loop(repeat) => self.region(&mut repeat.body, function),
            }
            nodes.push(node);
        }
        merge_kills(&mut nodes);
        region.nodes = nodes;
    }
}
