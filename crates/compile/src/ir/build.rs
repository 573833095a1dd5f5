//! Making functions: instructions one after the other, variables, and statements that nest.

use super::op::{Axis, Fetch, Op, Type};
use super::{End, Function, If, Inst, Loop, Naming, Node, Output, Passes, Reading, Region, Value};
use std::collections::BTreeMap;

/// A variable: a place that statements change, until [`Builder::finish`] has made values of all of its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Variable(usize);

/// Statements that can be left from inside, through any `If`s and loops in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// How many frames were open when it was.
    depth: usize,
    /// True where it has been left.
    left: Variable,
}

/// What is being built.
#[derive(Debug)]
enum Kind {
    Function,
    Block(Block),
    /// What follows an `If` or a loop from inside of which `Block`s were left, for those who did not leave.
    Guard,
    Then,
    /// The nodes, the end and the variables of the other region.
    Else {
        then: Region,
        after: Vec<Value>,
        dead: bool,
    },
    Loop {
        params: Vec<Value>,
    },
}

#[derive(Debug)]
struct Frame {
    kind: Kind,
    nodes: Vec<Node>,
    /// How the region ends, if it ended already: what follows is never reached, and dropped.
    end: Option<End>,
    /// Whether the statement after this frame is reached by nobody, if the region ended.
    dead: bool,
    /// The variables as they were when the frame was opened.
    before: Vec<Value>,
    condition: Value,
    passes: Passes,
    line: u32,
    /// Blocks that are left from inside of this frame.
    left: Vec<Block>,
}

/// Makes a function.
///
/// Instructions go where the builder stands. Statements open with `begin_...` and close with `end_...`. What follows a statement that does not go
/// on (`break_loop`, `continue_loop`, `leave`) up to the end of its region is dropped.
///
/// ```
/// use ctm_compile::ir::{Axis, Builder, Output, Passes};
/// let mut b = Builder::new();
/// let sum = b.float(0.0);
/// let sum = b.variable(sum);
/// b.begin_loop(Passes::Times(10));
/// let (old, x) = (b.load(sum), b.position(Axis::X));
/// let new = b.add(old, x);
/// b.store(sum, new);
/// b.end_loop();
/// let sum = b.load(sum);
/// let function = b.finish(vec![(Output::Colour { slot: 0, channel: 0 }, sum)]);
/// assert!(ctm_compile::ir::verify(&function).is_ok());
/// ```
#[derive(Debug)]
pub struct Builder {
    types: Vec<Type>,
    frames: Vec<Frame>,
    variables: Vec<Value>,
    /// Values that are known: bits of numbers and booleans.
    known: BTreeMap<Value, u32>,
    /// Variables with names, the parts that they are, and what was said last of each.
    named: Vec<(Variable, u32, Option<Value>)>,
    names: Vec<Naming>,
    line: u32,
}

impl Default for Builder {
    fn default() -> Self {
        Builder::new()
    }
}

impl Builder {
    /// An empty function.
    pub fn new() -> Self {
        let mut builder = Builder {
            types: Vec::new(),
            frames: Vec::new(),
            variables: Vec::new(),
            known: BTreeMap::new(),
            named: Vec::new(),
            names: Vec::new(),
            line: 0,
        };
        builder.open(Kind::Function, Value(0), Passes::Endless);
        builder
    }

    /// The line of the source that what follows comes from.
    pub fn set_line(&mut self, line: u32) {
        self.line = line;
    }

    /// How many instructions and values there are so far: for limits.
    pub fn size(&self) -> usize {
        self.types.len()
    }

    /// How many statements are open inside of each other: for limits.
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    /// The bits of a value that is known: a number, or 0 or 1 for a boolean.
    pub fn known(&self, value: Value) -> Option<u32> {
        self.known.get(&value).copied()
    }

    /// What a value is.
    pub fn type_of(&self, value: Value) -> Type {
        self.types[value.index()]
    }

    /// Whether what would be added now is never reached.
    pub fn is_dead(&self) -> bool {
        self.frame().end.is_some()
    }

    fn frame(&self) -> &Frame {
        self.frames.last().expect("a builder has a frame until it is finished")
    }

    fn frame_mut(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a builder has a frame until it is finished")
    }

    fn value(&mut self, ty: Type) -> Value {
        self.types.push(ty);
        Value(self.types.len() as u32 - 1)
    }

    fn push(&mut self, node: Node) {
        let frame = self.frame_mut();
        if frame.end.is_none() {
            frame.nodes.push(node);
        }
    }

    /// Adds an instruction, and gives its results. What has only known arguments is calculated.
    ///
    /// # Panics
    /// If the arguments are not those that the operation takes.
    pub fn instruction(&mut self, op: Op, args: &[Value]) -> Vec<Value> {
        let types: Vec<Type> = args.iter().map(|&arg| self.type_of(arg)).collect();
        assert_eq!(types, op.parameters(), "{} does not take these arguments", op.name());
        let known: Option<Vec<u32>> = args.iter().map(|&arg| self.known(arg)).collect();
        let bits = known.and_then(|known| op.calculate(&known));
        let (op, args) = match (bits, op.results()) {
            (Some(bits), [Type::Float]) => (Op::Const { bits }, Vec::new()),
            (Some(bits), [Type::Bool]) => (Op::Bool { value: bits != 0 }, Vec::new()),
            _ => (op, args.to_vec()),
        };
        let results: Vec<Value> = op.results().iter().map(|&ty| self.value(ty)).collect();
        if let (Some(bits), [result]) = (bits, results.as_slice()) {
            self.known.insert(*result, bits);
        }
        let line = self.line;
        self.push(Node::Inst(Inst { op, args, results: results.clone(), line }));
        results
    }

    /// An instruction with one result.
    fn one(&mut self, op: Op, args: &[Value]) -> Value {
        self.instruction(op, args)[0]
    }

    // Variables.

    /// A new variable, for the rest of the statement that is open.
    pub fn variable(&mut self, value: Value) -> Variable {
        self.variables.push(value);
        Variable(self.variables.len() - 1)
    }

    /// What is in a variable.
    pub fn load(&self, variable: Variable) -> Value {
        self.variables[variable.0]
    }

    /// Sets a variable.
    pub fn store(&mut self, variable: Variable, value: Value) {
        debug_assert_eq!(self.type_of(self.variables[variable.0]), self.type_of(value));
        if !self.is_dead() {
            self.variables[variable.0] = value;
            if let Some(at) = self.named.iter().rposition(|(named, ..)| *named == variable) {
                self.tell(at);
            }
        }
    }

    /// From now on the variable is this part of a variable of the source, whose values [`Function::names`] has.
    pub fn name(&mut self, variable: Variable, part: u32) {
        self.named.push((variable, part, None));
        self.tell(self.named.len() - 1);
    }

    /// How many variables have names.
    pub fn named(&self) -> usize {
        self.named.len()
    }

    /// Variables that got names after there were so many have none any more: the function that they belong to has ended.
    pub fn forget_names(&mut self, count: usize) {
        self.named.truncate(count);
    }

    /// Says of a value that it is this part of something that the source names.
    pub fn name_value(&mut self, value: Value, part: u32) {
        if !self.is_dead() {
            self.names.push(Naming { at: self.types.len() as u32, part, value: Some(value), reading: Reading::Plain });
        }
    }

    /// Says what a variable with a name holds, if that is new.
    fn tell(&mut self, at: usize) {
        let (variable, part, told) = self.named[at];
        let value = self.variables[variable.0];
        if told != Some(value) && !self.is_dead() {
            self.name_value(value, part);
            self.named[at].2 = Some(value);
        }
    }

    /// The same for all variables: a statement has begun or ended.
    fn tell_all(&mut self) {
        self.named.retain(|(variable, ..)| variable.0 < self.variables.len());
        (0..self.named.len()).for_each(|at| self.tell(at));
    }

    // Statements.

    fn open(&mut self, kind: Kind, condition: Value, passes: Passes) {
        // What is opened where nobody gets is dropped as a whole.
        let dead = !self.frames.is_empty() && self.is_dead();
        let end = dead.then(|| End::Yield(Vec::new()));
        let (before, line) = (self.variables.clone(), self.line);
        self.frames.push(Frame {
            kind,
            nodes: Vec::new(),
            end,
            dead,
            before,
            condition,
            passes,
            line,
            left: Vec::new(),
        });
    }

    /// Opens the region that runs where a boolean holds.
    pub fn begin_if(&mut self, condition: Value) {
        self.open(Kind::Then, condition, Passes::Endless);
    }

    /// Goes to the region that runs elsewhere.
    ///
    /// # Panics
    /// If no `If` is open, or its other region is already.
    pub fn begin_else(&mut self) {
        self.close_guards();
        let frame = self.frames.pop().expect("begin_else follows begin_if");
        assert!(matches!(frame.kind, Kind::Then), "begin_else follows begin_if");
        let after = std::mem::replace(&mut self.variables, frame.before.clone());
        let then = Region { nodes: frame.nodes, end: frame.end.unwrap_or(End::Yield(Vec::new())) };
        let dead = frame.dead;
        let outer_dead = self.is_dead();
        self.frames.push(Frame {
            kind: Kind::Else { then, after, dead },
            nodes: Vec::new(),
            end: outer_dead.then(|| End::Yield(Vec::new())),
            dead: outer_dead,
            ..frame
        });
        self.tell_all();
    }

    /// Closes an `If`: variables have what the region that ran left in them.
    ///
    /// # Panics
    /// If no `If` is open.
    pub fn end_if(&mut self) {
        self.close_guards();
        if matches!(self.frame().kind, Kind::Then) {
            self.begin_else();
        }
        let frame = self.frames.pop().expect("end_if follows begin_if");
        let Kind::Else { mut then, after: then_after, dead: then_dead } = frame.kind else {
            panic!("end_if follows begin_if")
        };
        let mut otherwise = Region { nodes: frame.nodes, end: frame.end.unwrap_or(End::Yield(Vec::new())) };
        let scope = frame.before.len();
        let otherwise_after = std::mem::take(&mut self.variables);
        if self.is_dead() {
            self.variables = frame.before;
            return;
        }
        // A region that ended another way than by going on says nothing of what comes after.
        let mut results = Vec::new();
        let mut after = match (then_dead, frame.dead) {
            (true, true) => frame.before.clone(),
            (true, false) => otherwise_after,
            (false, true) => then_after,
            (false, false) => {
                let mut after = then_after;
                for (mine, &other) in after.iter_mut().zip(&otherwise_after).take(scope) {
                    if *mine != other {
                        let result = self.value(self.types[other.index()]);
                        then.end.values_mut().push(*mine);
                        otherwise.end.values_mut().push(other);
                        results.push(result);
                        *mine = result;
                    }
                }
                after
            }
        };
        after.truncate(scope);
        // One region goes on: what it made is used after the `If`, so it has to yield it.
        if then_dead != frame.dead {
            let region = if then_dead { &mut otherwise } else { &mut then };
            for (mine, &old) in after.iter_mut().zip(&frame.before) {
                if *mine != old {
                    let result = self.value(self.types[old.index()]);
                    region.end.values_mut().push(*mine);
                    results.push(result);
                    *mine = result;
                }
            }
        }
        self.variables = after;
        let line = frame.line;
        if then_dead && frame.dead {
            // Nobody comes after it: the region ends as its other part does.
            let nobody = Region { nodes: Vec::new(), end: End::Yield(Vec::new()) };
            let rest = std::mem::replace(&mut otherwise, nobody);
            self.push(Node::If(If { condition: frame.condition, then, otherwise, results, line }));
            let outer = self.frame_mut();
            outer.nodes.extend(rest.nodes);
            (outer.end, outer.dead) = (Some(rest.end), true);
        } else {
            self.push(Node::If(If { condition: frame.condition, then, otherwise, results, line }));
        }
        self.tell_all();
        self.guard(frame.left);
    }

    /// Opens a loop.
    pub fn begin_loop(&mut self, passes: Passes) {
        let params: Vec<Value> =
            (0..self.variables.len()).map(|k| self.value(self.types[self.variables[k].index()])).collect();
        self.open(Kind::Loop { params: params.clone() }, Value(0), passes);
        self.variables = params;
        self.tell_all();
    }

    /// The variables that the innermost loop carries, and where its frame is.
    fn carried(&self) -> Option<(usize, Vec<Value>)> {
        let at = self.frames.iter().rposition(|frame| matches!(frame.kind, Kind::Loop { .. }))?;
        Some((at, self.variables[..self.frames[at].before.len()].to_vec()))
    }

    fn finish_region(&mut self, end: End) {
        let frame = self.frame_mut();
        if frame.end.is_none() {
            (frame.end, frame.dead) = (Some(end), true);
        }
    }

    /// Leaves the innermost loop.
    ///
    /// # Panics
    /// If no loop is open.
    pub fn break_loop(&mut self) {
        let (_, values) = self.carried().expect("break_loop stands in a loop");
        self.finish_region(End::Break(values));
    }

    /// Goes to the next pass of the innermost loop.
    ///
    /// # Panics
    /// If no loop is open.
    pub fn continue_loop(&mut self) {
        let (_, values) = self.carried().expect("continue_loop stands in a loop");
        self.finish_region(End::Continue(values));
    }

    /// Closes a loop.
    ///
    /// # Panics
    /// If no loop is open.
    pub fn end_loop(&mut self) {
        self.close_guards();
        self.continue_loop();
        let frame = self.frames.pop().expect("end_loop follows begin_loop");
        let Kind::Loop { params } = frame.kind else { panic!("end_loop follows begin_loop") };
        self.variables = frame.before.clone();
        if self.is_dead() {
            return;
        }
        let results: Vec<Value> = params.iter().map(|&param| self.value(self.types[param.index()])).collect();
        let body = Region { nodes: frame.nodes, end: frame.end.expect("a loop's body ends in continue") };
        self.variables.clone_from(&results);
        let line = frame.line;
        self.push(Node::Loop(Loop { passes: frame.passes, params, init: frame.before, body, results, line }));
        self.tell_all();
        self.guard(frame.left);
    }

    /// Opens statements that [`leave`](Self::leave) can end early.
    pub fn begin_block(&mut self) -> Block {
        let not = self.boolean(false);
        let left = self.variable(not);
        let block = Block { depth: self.frames.len(), left };
        self.open(Kind::Block(block), Value(0), Passes::Endless);
        block
    }

    /// Goes after the end of a block that is open.
    ///
    /// # Panics
    /// If the block is not open.
    pub fn leave(&mut self, block: Block) {
        assert!(
            matches!(self.frames.get(block.depth), Some(Frame { kind: Kind::Block(open), .. }) if *open == block),
            "leave names an open block"
        );
        if self.is_dead() {
            return;
        }
        let yes = self.boolean(true);
        self.store(block.left, yes);
        for frame in &mut self.frames[block.depth + 1..] {
            if !frame.left.contains(&block) {
                frame.left.push(block);
            }
        }
        match self.carried() {
            Some((at, values)) if at > block.depth => self.finish_region(End::Break(values)),
            // The rest of the region is skipped; what follows the statements around it is guarded.
            _ => {
                let frame = self.frame_mut();
                frame.end = Some(End::Yield(Vec::new()));
            }
        }
    }

    /// After a statement from inside of which blocks were left: what follows is for those who are still in all of them.
    fn guard(&mut self, blocks: Vec<Block>) {
        let depth = self.frames.len();
        let mut inside: Option<Value> = None;
        for block in blocks.into_iter().filter(|block| block.depth < depth) {
            let left = self.load(block.left);
            if self.known(left) == Some(0) {
                continue;
            }
            // Out of a loop that stands inside of the block, the way goes on by breaking it.
            match self.carried() {
                Some((at, _)) if at > block.depth => {
                    self.begin_if(left);
                    self.break_loop();
                    self.end_if();
                }
                _ => {
                    let not = self.not(left);
                    inside = Some(inside.map_or(not, |inside| self.and(inside, not)));
                }
            }
        }
        if let Some(inside) = inside {
            self.open(Kind::Guard, inside, Passes::Endless);
        }
    }

    /// Closes what `guard` opened in the statement that ends now.
    fn close_guards(&mut self) {
        while matches!(self.frame().kind, Kind::Guard) {
            self.frame_mut().kind = Kind::Then;
            self.begin_else();
            // Frames of guards are closed here only, so that the guards after them belong to the same statement.
            self.end_if();
        }
    }

    /// Closes a block.
    ///
    /// # Panics
    /// If no block is open.
    pub fn end_block(&mut self) {
        self.close_guards();
        let frame = self.frames.pop().expect("end_block follows begin_block");
        let Kind::Block(block) = frame.kind else { panic!("end_block follows begin_block") };
        // Who left the block is here again.
        let not = self.boolean(false);
        let outer = self.frame_mut();
        if outer.end.is_none() {
            outer.nodes.extend(frame.nodes);
            if frame.dead {
                (outer.end, outer.dead) = (frame.end, true);
            }
        }
        self.variables.truncate(frame.before.len());
        self.store(block.left, not);
        self.guard(frame.left);
    }

    /// The function, with what it writes.
    ///
    /// # Panics
    /// If a statement is open.
    pub fn finish(mut self, outputs: Vec<(Output, Value)>) -> Function {
        self.close_guards();
        assert_eq!(self.frames.len(), 1, "all statements are closed");
        let frame = self.frames.remove(0);
        let (outputs, values) = outputs.into_iter().unzip();
        Function::new(self.types, Region { nodes: frame.nodes, end: End::Yield(values) }, outputs).named(self.names)
    }
}

macro_rules! instructions {
    ($($(#[$doc:meta])* $name:ident($($arg:ident),*) $op:ident;)*) => {
        impl Builder {
            $($(#[$doc])* pub fn $name(&mut self, $($arg: Value),*) -> Value {
                self.one(Op::$op, &[$($arg),*])
            })*
        }
    };
}

instructions! {
    /// -a
    neg(a) Neg;
    /// |a|
    abs(a) Abs;
    /// a between 0 and 1.
    saturate(a) Saturate;
    /// a + b
    add(a, b) Add;
    /// a * b
    mul(a, b) Mul;
    /// a * b + c
    mad(a, b, c) Mad;
    /// The smaller.
    min(a, b) Min;
    /// The larger.
    max(a, b) Max;
    /// a >= 0 ? b : c
    cmp(a, b, c) Cmp;
    /// a > 0.5 ? b : c
    cnd(a, b, c) Cnd;
    /// a - floor(a)
    frc(a) Frc;
    /// 2 to the power of a.
    exp2(a) Exp2;
    /// Logarithm to base 2.
    log2(a) Log2;
    /// 1 / a
    rcp(a) Rcp;
    /// 1 / square root of a
    rsq(a) Rsq;
    /// Sine of a turns.
    sin_turns(a) Sin;
    /// Cosine of a turns.
    cos_turns(a) Cos;
    /// Change to the next column.
    ddx(a) Ddx;
    /// Change to the next row.
    ddy(a) Ddy;
    /// a >= 0
    is_non_negative(a) IsNonNegative;
    /// a == 0
    is_zero(a) IsZero;
    /// Not a.
    not(a) Not;
    /// a and b.
    and(a, b) And;
    /// a or b.
    or(a, b) Or;
    /// a ? b : c
    select(a, b, c) Select;
}

impl Builder {
    /// A number.
    pub fn float(&mut self, value: f32) -> Value {
        self.one(Op::Const { bits: value.to_bits() }, &[])
    }

    /// A boolean.
    pub fn boolean(&mut self, value: bool) -> Value {
        self.one(Op::Bool { value }, &[])
    }

    /// A channel of a float constant.
    pub fn uniform(&mut self, register: u8, channel: u8) -> Value {
        self.one(Op::Uniform { register, channel }, &[])
    }

    /// A channel of one of `count` float constants from `register` on.
    pub fn uniform_at(&mut self, register: u8, channel: u8, count: u8, index: Value) -> Value {
        self.one(Op::UniformAt { register, channel, count }, &[index])
    }

    /// A boolean constant.
    pub fn boolean_constant(&mut self, index: u8) -> Value {
        self.one(Op::BoolConstant { index }, &[])
    }

    /// The invocation's column or row.
    pub fn position(&mut self, axis: Axis) -> Value {
        self.one(Op::Position { axis }, &[])
    }

    /// A channel of an interpolated input.
    pub fn varying(&mut self, slot: u8, channel: u8) -> Value {
        self.one(Op::Varying { slot, channel }, &[])
    }

    /// a - b
    pub fn sub(&mut self, a: Value, b: Value) -> Value {
        let b = self.neg(b);
        self.add(a, b)
    }

    /// The largest whole number that is not larger than a.
    pub fn floor(&mut self, a: Value) -> Value {
        let fraction = self.frc(a);
        self.sub(a, fraction)
    }

    /// a < b
    pub fn less(&mut self, a: Value, b: Value) -> Value {
        let at_least = self.at_least(a, b);
        self.not(at_least)
    }

    /// a >= b
    pub fn at_least(&mut self, a: Value, b: Value) -> Value {
        let difference = if self.known(b) == Some(0) { a } else { self.sub(a, b) };
        self.is_non_negative(difference)
    }

    /// a == b
    pub fn equal(&mut self, a: Value, b: Value) -> Value {
        let difference = if self.known(b) == Some(0) { a } else { self.sub(a, b) };
        self.is_zero(difference)
    }

    /// Either a or b, but not both.
    pub fn differ(&mut self, a: Value, b: Value) -> Value {
        let (not_a, not_b) = (self.not(a), self.not(b));
        let (first, second) = (self.and(a, not_b), self.and(not_a, b));
        self.or(first, second)
    }

    /// 1 where a boolean holds, else 0.
    pub fn number(&mut self, condition: Value) -> Value {
        let (one, zero) = (self.float(1.0), self.float(0.0));
        self.select(condition, one, zero)
    }

    /// One of two values of either type.
    pub fn choose(&mut self, condition: Value, a: Value, b: Value) -> Value {
        match self.type_of(a) {
            Type::Float => self.select(condition, a, b),
            Type::Bool => {
                let not = self.not(condition);
                let (first, second) = (self.and(condition, a), self.and(not, b));
                self.or(first, second)
            }
        }
    }

    /// The dot product of two vectors of one to four channels.
    ///
    /// # Panics
    /// If they have other lengths.
    pub fn dot(&mut self, a: &[Value], b: &[Value]) -> Value {
        match (a, b) {
            ([a], [b]) => self.mul(*a, *b),
            ([a0, a1], [b0, b1]) => {
                let zero = self.float(0.0);
                self.one(Op::Dot2Add, &[*a0, *a1, *b0, *b1, zero])
            }
            ([a0, a1, a2], [b0, b1, b2]) => self.one(Op::Dot3, &[*a0, *a1, *a2, *b0, *b1, *b2]),
            ([a0, a1, a2, a3], [b0, b1, b2, b3]) => self.one(Op::Dot4, &[*a0, *a1, *a2, *a3, *b0, *b1, *b2, *b3]),
            _ => panic!("vectors of a dot product have the same length, 1 to 4"),
        }
    }

    /// a0 * b0 + a1 * b1 + c
    pub fn dot2_add(&mut self, a: [Value; 2], b: [Value; 2], c: Value) -> Value {
        self.one(Op::Dot2Add, &[a[0], a[1], b[0], b[1], c])
    }

    /// A fetch: four channels.
    ///
    /// # Panics
    /// If there are not as many arguments as the fetch takes.
    pub fn fetch(&mut self, fetch: Fetch, args: &[Value]) -> [Value; 4] {
        self.instruction(Op::Fetch(fetch), args).try_into().expect("a fetch has four results")
    }

    /// Ends invocations in which any of one to four numbers is less than zero.
    ///
    /// # Panics
    /// If there are not one to four.
    pub fn kill_negative(&mut self, args: &[Value]) {
        assert!((1..=4).contains(&args.len()), "a kill takes one to four numbers");
        self.instruction(Op::Kill(args.len() as u8), args);
    }

    /// Ends invocations where a boolean holds.
    pub fn kill_if(&mut self, condition: Value) {
        let (minus, zero) = (self.float(-1.0), self.float(0.0));
        let sign = self.select(condition, minus, zero);
        self.kill_negative(&[sign]);
    }
}
