//! One invocation of a program: scalars in single assignment, structured control flow.
//!
//! A value is a binary32 number or a boolean. The X1K has no integers, so languages' integers are numbers here, and no vectors, since the
//! back end finds those by itself: front ends hand over vectors channel by channel.
//!
//! Control flow is a tree. A [`Region`] is a list of nodes that ends in one way; an [`If`] chooses one of two regions, a [`Loop`] repeats one. What
//! regions change is carried by values: an `If` has results, which its regions yield, and a `Loop` has parameters, which every
//! pass gets anew, and results, one for each parameter. A value may be used by what follows it in its region, and by regions inside of that.
//!
//! - [`Builder`]: makes functions, with variables that become values;
//! - [`verify`]: whether a function keeps the rules above;
//! - [`eval`]: what a function computes, by the number rules of the X1K;
//! - `Display` of [`Function`]: its text.

mod build;
mod eval;
mod names;
mod op;
mod print;
mod verify;

pub use build::{Block, Builder, Variable};
pub use eval::{Environment, Outcome, QUAD, Stop, eval};
pub use names::{Naming, Reading};
pub(crate) use names::{at as named_at, renumbered};
pub use op::{Axis, Fetch, FetchKind, Op, Type};
pub use verify::{Invalid, verify};

/// A value of a function: the result of an instruction, of an `If` or of a `Loop`, or a parameter of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value(pub u32);

impl Value {
    /// Its number.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A place that a program writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Output {
    /// A channel (0 to 3: red, green, blue, alpha) of an output register (0 to 3).
    Colour {
        /// Output register.
        slot: u8,
        /// Channel.
        channel: u8,
    },
    /// The conditional value: the depth of a fragment.
    Depth,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Inst {
    /// What it does.
    pub op: Op,
    /// What it takes.
    pub args: Vec<Value>,
    /// What it gives: one value, four of a fetch, none of a kill.
    pub results: Vec<Value>,
    /// Line of the source that it comes from, from 1; 0 if there is none.
    pub line: u32,
}

/// One of two regions.
#[derive(Clone, Debug, PartialEq)]
pub struct If {
    /// A boolean.
    pub condition: Value,
    /// What runs where it holds.
    pub then: Region,
    /// What runs elsewhere.
    pub otherwise: Region,
    /// What the region that ran yielded.
    pub results: Vec<Value>,
    /// Line of the source.
    pub line: u32,
}

/// How often a loop repeats, if nothing breaks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Passes {
    /// Until it is broken.
    Endless,
    /// So many times.
    Times(u8),
    /// As many times as an integer constant of the program's user says.
    Constant(u8),
}

/// A region that repeats.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// How often.
    pub passes: Passes,
    /// The values that a pass begins with.
    pub params: Vec<Value>,
    /// Those of the first pass.
    pub init: Vec<Value>,
    /// A pass: ends in [`End::Continue`] with the parameters of the next pass, or in [`End::Break`] with the results, as regions of `If`s in it may.
    pub body: Region,
    /// What the loop ended with, one for each parameter: what broke it gave them, or what would be the next pass's.
    pub results: Vec<Value>,
    /// Line of the source.
    pub line: u32,
}

/// How a region ends.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// Goes on after the `If`, or ends the function, with these results.
    Yield(Vec<Value>),
    /// Leaves the innermost loop with these results.
    Break(Vec<Value>),
    /// Begins the next pass of the innermost loop with these parameters.
    Continue(Vec<Value>),
}

impl End {
    /// The values that it passes on.
    pub fn values(&self) -> &[Value] {
        match self {
            End::Yield(values) | End::Break(values) | End::Continue(values) => values,
        }
    }

    /// The same, to be changed.
    pub fn values_mut(&mut self) -> &mut Vec<Value> {
        match self {
            End::Yield(values) | End::Break(values) | End::Continue(values) => values,
        }
    }
}

/// A list of nodes with an end.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// What happens, in order.
    pub nodes: Vec<Node>,
    /// How it ends.
    pub end: End,
}

/// A part of a region.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// An instruction.
    Inst(Inst),
    /// A choice.
    If(If),
    /// A repetition.
    Loop(Loop),
}

/// A program for one invocation.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    types: Vec<Type>,
    /// Whether numbers are calculated as they stand here, each rounded as its operation says. Else passes may write sums and products in
    /// other ways, which round otherwise.
    pub is_exact: bool,
    /// What it does; yields one value for each of the outputs.
    pub body: Region,
    /// What it writes. An output that is not here stays as it was.
    pub outputs: Vec<Output>,
    /// What the variables of its source hold, in the order of the places; empty unless somebody asked for it.
    pub names: Vec<Naming>,
}

impl Function {
    /// A function of these parts, with the types of all values by number. It is not exact.
    pub fn new(types: Vec<Type>, body: Region, outputs: Vec<Output>) -> Self {
        Function { types, is_exact: false, body, outputs, names: Vec::new() }
    }

    /// The same function with names.
    pub fn named(self, names: Vec<Naming>) -> Self {
        Function { names, ..self }
    }

    /// The same function, exact or not.
    pub fn exactly(self, is_exact: bool) -> Self {
        Function { is_exact, ..self }
    }

    /// How many values there are.
    pub fn values(&self) -> usize {
        self.types.len()
    }

    /// The types of all values.
    pub fn types(&self) -> &[Type] {
        &self.types
    }

    /// What a value is.
    pub fn type_of(&self, value: Value) -> Type {
        self.types[value.index()]
    }

    /// A new value.
    pub fn add_value(&mut self, ty: Type) -> Value {
        self.types.push(ty);
        Value(self.types.len() as u32 - 1)
    }
}

/// Visits the values that a region defines, in order.
pub(crate) fn definitions(region: &Region, visit: &mut impl FnMut(Value)) {
    for node in &region.nodes {
        match node {
            Node::Inst(inst) => inst.results.iter().copied().for_each(&mut *visit),
            Node::If(choice) => {
                definitions(&choice.then, visit);
                definitions(&choice.otherwise, visit);
                choice.results.iter().copied().for_each(&mut *visit);
            }
            Node::Loop(repeat) => {
                repeat.params.iter().copied().for_each(&mut *visit);
                definitions(&repeat.body, visit);
                repeat.results.iter().copied().for_each(&mut *visit);
            }
        }
    }
}
