//! The rules of functions.

use super::{End, Function, Inst, Node, Op, Output, Region, Type, Value};
use ctm_x1k::{BOOL_CONSTANTS, FLOAT_CONSTANTS, INPUTS, INT_CONSTANTS, OUTPUTS};
use std::collections::HashSet;
use thiserror::Error;

/// A rule that a function breaks: a mistake of what made it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Invalid {
    /// A value is used where it is not there.
    #[error("{0} is used where it is not defined")]
    NotDefined(Value),
    /// A value has two definitions.
    #[error("{0} is defined twice")]
    DefinedTwice(Value),
    /// A value's number is beyond the function's.
    #[error("{0} has no type")]
    NoType(Value),
    /// A value is of another type than is wanted.
    #[error("{0} is not a {1:?}")]
    WrongType(Value, Type),
    /// An instruction has another number of arguments or results.
    #[error("{0} has another number of arguments or results than it takes")]
    Arity(&'static str),
    /// Something is numbered beyond what the machine has.
    #[error("{0} names something that the machine does not have")]
    Range(&'static str),
    /// A list of values has another length than the place that it goes to.
    #[error("{0} passes another number of values than there are places")]
    Length(&'static str),
    /// A region ends in a way that its place does not allow.
    #[error("a region ends by {0}, which it cannot here")]
    WrongEnd(&'static str),
    /// The outputs are not those that the function yields.
    #[error("the function yields another number of values than it has outputs")]
    Outputs,
}

struct Verifier<'a> {
    function: &'a Function,
    defined: HashSet<Value>,
    /// Values that are in reach, in order of definition.
    scope: Vec<Value>,
    reachable: HashSet<Value>,
}

/// What a region may end with, apart from what loops around it take.
struct Ends<'a> {
    /// Where what it yields goes; `None`: it may not yield.
    results: Option<&'a [Value]>,
    /// The parameters of the innermost loop.
    carried: Option<&'a [Value]>,
}

/// Checks that every value is defined once, before it is used and in reach, that types and lengths fit, and that numbers of constants, inputs
/// and outputs exist.
pub fn verify(function: &Function) -> Result<(), Invalid> {
    let mut verifier = Verifier { function, defined: HashSet::new(), scope: Vec::new(), reachable: HashSet::new() };
    for output in &function.outputs {
        if let Output::Colour { slot, channel } = *output
            && (usize::from(slot) >= OUTPUTS || channel > 3)
        {
            return Err(Invalid::Range("an output"));
        }
    }
    let End::Yield(values) = &function.body.end else { return Err(Invalid::WrongEnd("break or continue")) };
    if values.len() != function.outputs.len() {
        return Err(Invalid::Outputs);
    }
    verifier.nodes(&function.body, None)?;
    values.iter().try_for_each(|&value| verifier.used(value, Type::Float))
}

impl Verifier<'_> {
    fn define(&mut self, value: Value, ty: Type) -> Result<(), Invalid> {
        match self.function.types.get(value.index()) {
            None => return Err(Invalid::NoType(value)),
            Some(&found) if found != ty => return Err(Invalid::WrongType(value, ty)),
            Some(_) => {}
        }
        if !self.defined.insert(value) {
            return Err(Invalid::DefinedTwice(value));
        }
        self.scope.push(value);
        self.reachable.insert(value);
        Ok(())
    }

    fn used(&self, value: Value, ty: Type) -> Result<(), Invalid> {
        if !self.reachable.contains(&value) {
            return Err(Invalid::NotDefined(value));
        }
        if self.function.type_of(value) != ty { Err(Invalid::WrongType(value, ty)) } else { Ok(()) }
    }

    /// Forgets what was defined since the scope had this size.
    fn leave(&mut self, size: usize) {
        for value in self.scope.drain(size..) {
            self.reachable.remove(&value);
        }
    }

    /// `values` go to `places`.
    fn passed(&self, values: &[Value], places: &[Value], what: &'static str) -> Result<(), Invalid> {
        if values.len() != places.len() {
            return Err(Invalid::Length(what));
        }
        values.iter().zip(places).try_for_each(|(&value, &place)| {
            let ty = *self.function.types.get(place.index()).ok_or(Invalid::NoType(place))?;
            self.used(value, ty)
        })
    }

    fn region(&mut self, region: &Region, ends: &Ends<'_>) -> Result<(), Invalid> {
        let size = self.scope.len();
        self.nodes(region, ends.carried)?;
        match (&region.end, ends.results, ends.carried) {
            (End::Yield(values), Some(results), _) => self.passed(values, results, "yield")?,
            (End::Break(values), _, Some(carried)) => self.passed(values, carried, "break")?,
            (End::Continue(values), _, Some(carried)) => self.passed(values, carried, "continue")?,
            (End::Yield(_), None, _) => return Err(Invalid::WrongEnd("yield")),
            (End::Break(_), _, None) => return Err(Invalid::WrongEnd("break")),
            (End::Continue(_), _, None) => return Err(Invalid::WrongEnd("continue")),
        }
        self.leave(size);
        Ok(())
    }

    fn nodes(&mut self, region: &Region, carried: Option<&[Value]>) -> Result<(), Invalid> {
        for node in &region.nodes {
            match node {
                Node::Inst(inst) => self.instruction(inst)?,
                Node::If(choice) => {
                    self.used(choice.condition, Type::Bool)?;
                    for side in [&choice.then, &choice.otherwise] {
                        self.region(side, &Ends { results: Some(&choice.results), carried })?;
                    }
                    for &result in &choice.results {
                        let ty = *self.function.types.get(result.index()).ok_or(Invalid::NoType(result))?;
                        self.define(result, ty)?;
                    }
                }
                Node::Loop(repeat) => {
                    if let super::Passes::Constant(index) = repeat.passes
                        && usize::from(index) >= INT_CONSTANTS
                    {
                        return Err(Invalid::Range("a loop"));
                    }
                    self.passed(&repeat.init, &repeat.params, "loop")?;
                    if repeat.results.len() != repeat.params.len() {
                        return Err(Invalid::Length("loop"));
                    }
                    let size = self.scope.len();
                    for &param in &repeat.params {
                        let ty = *self.function.types.get(param.index()).ok_or(Invalid::NoType(param))?;
                        self.define(param, ty)?;
                    }
                    self.region(&repeat.body, &Ends { results: None, carried: Some(&repeat.params) })?;
                    self.leave(size);
                    for (&result, &param) in repeat.results.iter().zip(&repeat.params) {
                        self.define(result, self.function.type_of(param))?;
                    }
                }
            }
        }
        Ok(())
    }

    fn instruction(&mut self, inst: &Inst) -> Result<(), Invalid> {
        let (parameters, results) = (inst.op.parameters(), inst.op.results());
        if parameters.len() != inst.args.len() || results.len() != inst.results.len() {
            return Err(Invalid::Arity(inst.op.name()));
        }
        let in_range = match inst.op {
            Op::Uniform { channel, .. } | Op::UniformInLoop { channel, .. } | Op::Varying { channel, .. }
                if channel > 3 =>
            {
                false
            }
            Op::UniformAt { register, channel, count } => {
                channel <= 3 && count > 0 && usize::from(register) + usize::from(count) <= FLOAT_CONSTANTS
            }
            Op::Scale { exponent } => (-3..=3).contains(&exponent),
            Op::BoolConstant { index } => usize::from(index) < BOOL_CONSTANTS,
            Op::Fetch(fetch) => usize::from(fetch.unit) < INPUTS && (1..=3).contains(&fetch.coordinates),
            Op::Kill(count) => (1..=4).contains(&count),
            _ => true,
        };
        if !in_range {
            return Err(Invalid::Range(inst.op.name()));
        }
        inst.args.iter().zip(&parameters).try_for_each(|(&arg, &ty)| self.used(arg, ty))?;
        inst.results.iter().zip(results).try_for_each(|(&result, &ty)| self.define(result, ty))
    }
}
