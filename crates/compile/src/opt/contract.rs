//! Products whose sums are all that is wanted of them become multiply-adds; factors and selections of signs go into them.

use crate::ir::{End, Function, Node, Op, Region, Value};

struct Contract {
    /// How often each value is used.
    uses: Vec<u32>,
    /// The factors of products, by the product.
    products: Vec<Option<(Value, Value)>>,
    /// What values are the negatives of.
    negatives: Vec<Option<Value>>,
}

/// The function with multiply-adds.
pub(super) fn contract(function: &Function) -> Function {
    let mut contract = Contract {
        uses: vec![0; function.values()],
        products: vec![None; function.values()],
        negatives: vec![None; function.values()],
    };
    contract.count(&function.body);
    let mut function = function.clone();
    let mut body = std::mem::replace(&mut function.body, Region { nodes: Vec::new(), end: End::Yield(Vec::new()) });
    contract.region(&mut body, &mut function);
    function.body = body;
    function
}

impl Contract {
    fn count(&mut self, region: &Region) {
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
                Node::Inst(inst) => match (inst.op, inst.args.as_slice(), inst.results.as_slice()) {
                    (Op::Mul, &[a, b], &[result]) => self.products[result.index()] = Some((a, b)),
                    (Op::Neg, &[a], &[result]) => self.negatives[result.index()] = Some(a),
                    _ => {}
                },
                Node::If(choice) => {
                    self.count(&choice.then);
                    self.count(&choice.otherwise);
                }
                Node::Loop(repeat) => self.count(&repeat.body),
            }
        }
    }

    /// The factors of a term that is a product, or the negative of one, that nobody else uses.
    fn term(&self, value: Value) -> Option<(Value, Value, bool)> {
        if self.uses[value.index()] != 1 {
            return None;
        }
        if let Some((a, b)) = self.products[value.index()] {
            return Some((a, b, false));
        }
        let inner = self.negatives[value.index()]?;
        if self.uses[inner.index()] != 1 {
            return None;
        }
        let (a, b) = self.products[inner.index()]?;
        Some((a, b, true))
    }

    fn region(&self, region: &mut Region, function: &mut Function) {
        let mut nodes = Vec::with_capacity(region.nodes.len());
        for mut node in std::mem::take(&mut region.nodes) {
            match &mut node {
                Node::Inst(inst) if inst.op == Op::Add => {
                    let (x, y) = (inst.args[0], inst.args[1]);
                    let found = self.term(x).map(|term| (term, y)).or_else(|| self.term(y).map(|term| (term, x)));
                    if let Some(((mut a, b, negative), c)) = found {
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
                Node::Inst(_) => {}
                Node::If(choice) => {
                    self.region(&mut choice.then, function);
                    self.region(&mut choice.otherwise, function);
                }
                Node::Loop(repeat) => self.region(&mut repeat.body, function),
            }
            nodes.push(node);
        }
        region.nodes = nodes;
    }
}
