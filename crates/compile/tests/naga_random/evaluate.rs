//! What a fragment shader means: naga's module, walked as it stands, four invocations side by side, in double precision.
//!
//! Nothing here is shared with the compiler. Results that are not exact may be disturbed a little, so that whoever runs a
//! module several times sees how much of its outcome is a matter of rounding.

use super::functions;
use super::world::{self, Lanes, QUAD};
use ctm_compile::front::{Role, Roles};
use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{
    AddressSpace, ArraySize, BinaryOperator, Binding, Block, BuiltIn, DerivativeAxis, Expression, GlobalVariable,
    Handle, Literal, Module, RelationalFunction, SampleLevel, ScalarKind, Statement, SwitchValue, Type, TypeInner,
    UnaryOperator,
};
use std::collections::HashMap;

pub type Mask = [bool; QUAD];
const NOBODY: Mask = [false; QUAD];

/// Numbers beyond are not compared: floats no longer hold all whole numbers.
const MOST_WHOLE: f64 = 16_777_216.0;

/// What an expression stands for.
#[derive(Clone)]
enum Item {
    Values(Vec<Lanes>),
    /// A variable, and where in it, per lane.
    Pointer(usize, [usize; QUAD]),
    Resource(Handle<GlobalVariable>),
}

/// What became of a quad.
pub struct Outcome {
    /// By location and channel.
    pub outputs: HashMap<(u32, u32), Lanes>,
    pub killed: Mask,
    /// Invocations that met what no implementation has to agree on.
    pub strange: Mask,
}

pub struct Evaluator<'m> {
    module: &'m Module,
    info: &'m ModuleInfo,
    roles: &'m Roles,
    /// State of the generator of disturbances; none if there are none.
    noise: Option<u64>,
    memory: Vec<Vec<Lanes>>,
    globals: HashMap<Handle<GlobalVariable>, usize>,
    strange: Mask,
    killed: Mask,
    steps: u32,
    breaks: Vec<Mask>,
    continues: Vec<Mask>,
}

struct Frame<'m> {
    function: &'m naga::Function,
    info: &'m FunctionInfo,
    arguments: Vec<Item>,
    locals: Vec<usize>,
    values: HashMap<Handle<Expression>, Item>,
    result: Vec<Lanes>,
}

/// Each lane's value of a function of one value.
fn each(a: Lanes, f: impl Fn(f64) -> f64) -> Lanes {
    a.map(f)
}

fn and(a: Mask, b: Mask) -> Mask {
    std::array::from_fn(|lane| a[lane] && b[lane])
}

fn or(a: Mask, b: Mask) -> Mask {
    std::array::from_fn(|lane| a[lane] || b[lane])
}

fn not(a: Mask) -> Mask {
    a.map(|a| !a)
}

fn truth(a: Lanes) -> Mask {
    a.map(|a| a != 0.0)
}

fn number(truth: bool) -> f64 {
    f64::from(u8::from(truth))
}

/// How many numbers a type has.
fn size(module: &Module, inner: &TypeInner) -> usize {
    match inner {
        TypeInner::Vector { size, .. } => *size as usize,
        TypeInner::Matrix { columns, rows, .. } => *columns as usize * *rows as usize,
        TypeInner::Array { base, size: ArraySize::Constant(count), .. } => {
            count.get() as usize * size(module, &module.types[*base].inner)
        }
        TypeInner::Struct { members, .. } => {
            members.iter().map(|member| size(module, &module.types[member.ty].inner)).sum()
        }
        _ => 1,
    }
}

/// The size of one part of a type, and where part `index` begins.
fn part(module: &Module, inner: &TypeInner, index: usize) -> (usize, usize) {
    match inner {
        TypeInner::Matrix { rows, .. } => (*rows as usize, index * *rows as usize),
        TypeInner::Array { base, .. } => {
            let size = size(module, &module.types[*base].inner);
            (size, index * size)
        }
        TypeInner::Struct { members, .. } => {
            let of = |member: &naga::StructMember| size(module, &module.types[member.ty].inner);
            (of(&members[index]), members[..index].iter().map(of).sum())
        }
        _ => (1, index),
    }
}

/// How many parts an index chooses from.
fn parts(inner: &TypeInner) -> usize {
    match inner {
        TypeInner::Vector { size, .. } => *size as usize,
        TypeInner::Matrix { columns, .. } => *columns as usize,
        TypeInner::Array { size: ArraySize::Constant(count), .. } => count.get() as usize,
        _ => panic!("an index into {inner:?}"),
    }
}

impl<'m> Evaluator<'m> {
    pub fn new(module: &'m Module, info: &'m ModuleInfo, roles: &'m Roles, noise: Option<u64>) -> Self {
        Evaluator {
            module,
            info,
            roles,
            noise,
            memory: Vec::new(),
            globals: HashMap::new(),
            strange: NOBODY,
            killed: NOBODY,
            steps: 200_000,
            breaks: Vec::new(),
            continues: Vec::new(),
        }
    }

    /// Runs the fragment entry point; none if it takes too long.
    pub fn run(mut self) -> Option<Outcome> {
        let module = self.module;
        for (handle, variable) in module.global_variables.iter() {
            let values = self.initial(variable);
            self.memory.push(values);
            self.globals.insert(handle, self.memory.len() - 1);
        }
        let entry = &module.entry_points[0];
        let arguments = entry.function.arguments.iter().map(|argument| {
            let mut values = Vec::new();
            self.input(
                argument.name.as_deref().unwrap_or_default(),
                argument.ty,
                argument.binding.as_ref(),
                &mut values,
            );
            Item::Values(values)
        });
        let arguments = arguments.collect();
        let result = self.call(&entry.function, self.info.get_entry_point(0), arguments, [true; QUAD])?;
        let mut outputs = HashMap::new();
        if let Some(declared) = &entry.function.result {
            self.collect(declared.ty, declared.binding.as_ref(), &result, &mut outputs);
        }
        for (handle, variable) in module.global_variables.iter() {
            if let Some(Role::Output(location)) = self.roles.get(variable.name.as_deref().unwrap_or_default()) {
                let values = &self.memory[self.globals[&handle]];
                let channels = match &module.types[variable.ty].inner {
                    TypeInner::Array { base, .. } => size(module, &module.types[*base].inner),
                    _ => values.len(),
                };
                for (i, &value) in values.iter().enumerate() {
                    outputs.insert((location + (i / channels) as u32, (i % channels) as u32), value);
                }
            }
        }
        Some(Outcome { outputs, killed: self.killed, strange: self.strange })
    }

    fn collect(
        &self,
        ty: Handle<Type>,
        binding: Option<&Binding>,
        values: &[Lanes],
        outputs: &mut HashMap<(u32, u32), Lanes>,
    ) {
        match (binding, &self.module.types[ty].inner) {
            (Some(Binding::Location { location, .. }), _) => {
                outputs.extend(values.iter().enumerate().map(|(i, &value)| ((*location, i as u32), value)));
            }
            (None, TypeInner::Struct { members, .. }) => {
                let mut at = 0;
                for member in members {
                    let count = size(self.module, &self.module.types[member.ty].inner);
                    self.collect(member.ty, member.binding.as_ref(), &values[at..at + count], outputs);
                    at += count;
                }
            }
            _ => {}
        }
    }

    fn input(&mut self, name: &str, ty: Handle<Type>, binding: Option<&Binding>, values: &mut Vec<Lanes>) {
        let inner = &self.module.types[ty].inner;
        match binding {
            Some(Binding::BuiltIn(BuiltIn::Position { .. })) => {
                let position = |axis: usize| std::array::from_fn(|lane| f64::from(world::position(lane)[axis]) + 0.5);
                values.extend([position(0), position(1), [0.5; QUAD], [1.0; QUAD]]);
            }
            Some(Binding::BuiltIn(BuiltIn::FrontFacing)) => values.push([1.0; QUAD]),
            Some(Binding::Location { .. }) => {
                values.extend(
                    (0..size(self.module, inner)).map(|i| std::array::from_fn(|lane| world::varying(name, i, lane))),
                );
            }
            None => {
                let TypeInner::Struct { members, .. } = inner else { panic!("an input without a location") };
                for member in members {
                    self.input(member.name.as_deref().unwrap_or_default(), member.ty, member.binding.as_ref(), values);
                }
            }
            Some(Binding::BuiltIn(other)) => panic!("the generator does not use {other:?}"),
        }
    }

    /// What a global variable holds at the start.
    fn initial(&mut self, variable: &GlobalVariable) -> Vec<Lanes> {
        let name = variable.name.as_deref().unwrap_or_default();
        let inner = &self.module.types[variable.ty].inner;
        let role = self.roles.get(name);
        if variable.space == AddressSpace::Uniform || matches!(role, Some(Role::Uniform { .. })) {
            let mut values = Vec::new();
            self.uniform(name, inner, &mut values);
            return values;
        }
        match (role, variable.init) {
            (Some(Role::Varying), _) => (0..size(self.module, inner))
                .map(|i| std::array::from_fn(|lane| world::varying(name, i, lane)))
                .collect(),
            (_, Some(init)) => self.constant(init),
            _ => vec![[0.0; QUAD]; size(self.module, inner)],
        }
    }

    fn uniform(&self, name: &str, inner: &TypeInner, values: &mut Vec<Lanes>) {
        let module = self.module;
        match inner {
            TypeInner::Struct { members, .. } => {
                for member in members {
                    let name = format!("{name}.{}", member.name.as_deref().unwrap_or_default());
                    self.uniform(&name, &module.types[member.ty].inner, values);
                }
            }
            TypeInner::Array { base, .. }
                if matches!(module.types[*base].inner, TypeInner::Struct { .. } | TypeInner::Array { .. }) =>
            {
                for i in 0..parts(inner) {
                    self.uniform(&format!("{name}[{i}]"), &module.types[*base].inner, values);
                }
            }
            _ => {
                let scalar = match inner {
                    TypeInner::Array { base, .. } => module.types[*base].inner.scalar(),
                    other => other.scalar(),
                };
                let kind = scalar.expect("uniforms have numbers").kind;
                values.extend((0..size(module, inner)).map(|i| [world::uniform(name, i, world::Kind::of(kind)); QUAD]));
            }
        }
    }

    fn literal(literal: Literal) -> f64 {
        match literal {
            Literal::F32(value) => value.into(),
            Literal::I32(value) => value.into(),
            Literal::U32(value) => value.into(),
            Literal::Bool(value) => number(value),
            other => panic!("the generator does not use {other:?}"),
        }
    }

    fn constant(&self, handle: Handle<Expression>) -> Vec<Lanes> {
        match &self.module.global_expressions[handle] {
            Expression::Literal(literal) => vec![[Self::literal(*literal); QUAD]],
            Expression::Constant(constant) => self.constant(self.module.constants[*constant].init),
            Expression::ZeroValue(ty) => vec![[0.0; QUAD]; size(self.module, &self.module.types[*ty].inner)],
            Expression::Compose { components, .. } => {
                components.iter().flat_map(|component| self.constant(*component)).collect()
            }
            Expression::Splat { size, value } => vec![self.constant(*value)[0]; *size as usize],
            other => panic!("a constant that is {other:?}"),
        }
    }

    // Rounding.

    fn random(&mut self) -> Option<f64> {
        let state = self.noise.as_mut()?;
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Some((*state >> 33) as f64 / f64::from(1u32 << 30) - 1.0)
    }

    /// A result that is rounded, with an error of the unit in the last place and an absolute one.
    fn fuzzy(&mut self, a: f64, absolute: f64) -> f64 {
        match self.random() {
            Some(random) => a + random * (a.abs() / 4_194_304.0 + absolute),
            None => a,
        }
    }

    /// Results of arithmetic: exact ones stay.
    fn rounded(&mut self, a: Lanes) -> Lanes {
        a.map(|a| if f64::from(a as f32) == a { a } else { self.fuzzy(a, 0.0) })
    }

    fn note(&mut self, active: Mask, strange: impl Fn(usize) -> bool) {
        for (lane, noted) in self.strange.iter_mut().enumerate() {
            *noted |= active[lane] && strange(lane);
        }
    }

    fn checked(&mut self, active: Mask, values: &[Lanes]) {
        self.note(active, |lane| values.iter().any(|value| value[lane].is_nan() || value[lane].abs() >= 1e15));
    }

    // Statements.

    fn call(
        &mut self,
        function: &'m naga::Function,
        info: &'m FunctionInfo,
        arguments: Vec<Item>,
        active: Mask,
    ) -> Option<Vec<Lanes>> {
        let mut frame =
            Frame { function, info, arguments, locals: Vec::new(), values: HashMap::new(), result: Vec::new() };
        if let Some(result) = &function.result {
            frame.result = vec![[0.0; QUAD]; size(self.module, &self.module.types[result.ty].inner)];
        }
        let base = self.memory.len();
        for (_, local) in function.local_variables.iter() {
            let values = match local.init {
                Some(init) => self.values(&mut frame, init, active),
                None => vec![[0.0; QUAD]; size(self.module, &self.module.types[local.ty].inner)],
            };
            self.memory.push(values);
            frame.locals.push(self.memory.len() - 1);
        }
        self.block(&mut frame, &function.body, active)?;
        self.memory.truncate(base);
        Some(frame.result)
    }

    /// Runs a block, and says who comes to its end; none if it takes too long.
    fn block(&mut self, frame: &mut Frame<'m>, block: &'m Block, active: Mask) -> Option<Mask> {
        let mut active = active;
        for statement in block.iter() {
            if active == NOBODY {
                break;
            }
            self.steps = self.steps.checked_sub(1)?;
            active = self.statement(frame, statement, active)?;
        }
        Some(active)
    }

    fn statement(&mut self, frame: &mut Frame<'m>, statement: &'m Statement, active: Mask) -> Option<Mask> {
        match statement {
            Statement::Emit(range) => {
                for handle in range.clone() {
                    let item = self.evaluate(frame, handle, active);
                    frame.values.insert(handle, item);
                }
            }
            Statement::Block(block) => return self.block(frame, block, active),
            Statement::If { condition, accept, reject } => {
                let condition = truth(self.values(frame, *condition, active)[0]);
                let accepted = self.block(frame, accept, and(active, condition))?;
                let rejected = self.block(frame, reject, and(active, not(condition)))?;
                return Some(or(accepted, rejected));
            }
            Statement::Switch { selector, cases } => {
                let selector = self.values(frame, *selector, active)[0];
                let entry = selector.map(|selector| {
                    let is = |value: &SwitchValue| match value {
                        SwitchValue::I32(value) => f64::from(*value) == selector,
                        SwitchValue::U32(value) => f64::from(*value) == selector,
                        SwitchValue::Default => false,
                    };
                    let default = cases.iter().position(|case| case.value == SwitchValue::Default);
                    cases.iter().position(|case| is(&case.value)).or(default).unwrap_or(usize::MAX)
                });
                self.breaks.push(NOBODY);
                let mut here = NOBODY;
                let mut left = std::array::from_fn(|lane| active[lane] && entry[lane] == usize::MAX);
                for (i, case) in cases.iter().enumerate() {
                    let enter = std::array::from_fn(|lane| active[lane] && entry[lane] == i);
                    here = self.block(frame, &case.body, or(here, enter))?;
                    if !case.fall_through {
                        left = or(left, std::mem::replace(&mut here, NOBODY));
                    }
                }
                let broken = self.breaks.pop().expect("it was pushed");
                return Some(or(or(left, here), broken));
            }
            Statement::Loop { body, continuing, break_if } => {
                let (mut live, mut left) = (active, NOBODY);
                while live != NOBODY {
                    self.breaks.push(NOBODY);
                    self.continues.push(NOBODY);
                    let through = self.block(frame, body, live)?;
                    let continued = self.continues.pop().expect("it was pushed");
                    live = self.block(frame, continuing, or(through, continued))?;
                    if let Some(condition) = break_if {
                        let condition = truth(self.values(frame, *condition, live)[0]);
                        left = or(left, and(live, condition));
                        live = and(live, not(condition));
                    }
                    left = or(left, self.breaks.pop().expect("it was pushed"));
                    self.steps = self.steps.checked_sub(1)?;
                }
                return Some(and(left, not(self.killed)));
            }
            Statement::Break => {
                let last = self.breaks.last_mut().expect("a break is inside of something");
                *last = or(*last, active);
                return Some(NOBODY);
            }
            Statement::Continue => {
                let last = self.continues.last_mut().expect("a continue is inside of a loop");
                *last = or(*last, active);
                return Some(NOBODY);
            }
            Statement::Return { value } => {
                if let Some(value) = value {
                    let values = self.values(frame, *value, active);
                    for (result, value) in frame.result.iter_mut().zip(values) {
                        for lane in (0..QUAD).filter(|&lane| active[lane]) {
                            result[lane] = value[lane];
                        }
                    }
                }
                return Some(NOBODY);
            }
            Statement::Kill => {
                self.killed = or(self.killed, active);
                return Some(NOBODY);
            }
            Statement::Store { pointer, value } => {
                let values = self.values(frame, *value, active);
                let Item::Pointer(variable, offset) = self.item(frame, *pointer, active) else {
                    panic!("a store to a value")
                };
                for (i, value) in values.iter().enumerate() {
                    for lane in (0..QUAD).filter(|&lane| active[lane]) {
                        self.memory[variable][offset[lane] + i][lane] = value[lane];
                    }
                }
            }
            Statement::Call { function, arguments, result } => {
                let arguments = arguments.iter().map(|argument| self.item(frame, *argument, active)).collect();
                let values = self.call(&self.module.functions[*function], &self.info[*function], arguments, active)?;
                if let Some(result) = result {
                    frame.values.insert(*result, Item::Values(values));
                }
                return Some(and(active, not(self.killed)));
            }
            other => panic!("the generator does not use {other:?}"),
        }
        Some(active)
    }

    // Expressions.

    fn inner(&self, frame: &Frame<'m>, handle: Handle<Expression>) -> TypeInner {
        frame.info[handle].ty.inner_with(&self.module.types).clone()
    }

    fn item(&mut self, frame: &mut Frame<'m>, handle: Handle<Expression>, active: Mask) -> Item {
        match frame.values.get(&handle) {
            Some(item) => item.clone(),
            None => self.evaluate(frame, handle, active),
        }
    }

    fn values(&mut self, frame: &mut Frame<'m>, handle: Handle<Expression>, active: Mask) -> Vec<Lanes> {
        match self.item(frame, handle, active) {
            Item::Values(values) => values,
            _ => panic!("a pointer or texture among values"),
        }
    }

    fn pointee(&self, frame: &Frame<'m>, pointer: Handle<Expression>) -> TypeInner {
        match self.inner(frame, pointer) {
            TypeInner::Pointer { base, .. } => self.module.types[base].inner.clone(),
            TypeInner::ValuePointer { size: Some(size), scalar, .. } => TypeInner::Vector { size, scalar },
            TypeInner::ValuePointer { size: None, scalar, .. } => TypeInner::Scalar(scalar),
            other => panic!("a pointer that is {other:?}"),
        }
    }

    fn evaluate(&mut self, frame: &mut Frame<'m>, handle: Handle<Expression>, active: Mask) -> Item {
        let values = match &frame.function.expressions[handle] {
            Expression::Literal(literal) => vec![[Self::literal(*literal); QUAD]],
            Expression::Constant(constant) => self.constant(self.module.constants[*constant].init),
            Expression::ZeroValue(ty) => vec![[0.0; QUAD]; size(self.module, &self.module.types[*ty].inner)],
            Expression::Compose { components, .. } => {
                components.iter().flat_map(|component| self.values(frame, *component, active)).collect()
            }
            Expression::Access { base, index } => return self.access(frame, *base, *index, active),
            Expression::AccessIndex { base, index } => match self.item(frame, *base, active) {
                Item::Pointer(variable, offset) => {
                    let (_, at) = part(self.module, &self.pointee(frame, *base), *index as usize);
                    return Item::Pointer(variable, offset.map(|offset| offset + at));
                }
                Item::Values(values) => {
                    let (size, at) = part(self.module, &self.inner(frame, *base), *index as usize);
                    values[at..at + size].to_vec()
                }
                Item::Resource(_) => panic!("an array of textures"),
            },
            Expression::Splat { size, value } => vec![self.values(frame, *value, active)[0]; *size as usize],
            Expression::Swizzle { size, vector, pattern } => {
                let values = self.values(frame, *vector, active);
                pattern[..*size as usize].iter().map(|component| values[component.index() as usize]).collect()
            }
            Expression::FunctionArgument(index) => return frame.arguments[*index as usize].clone(),
            Expression::GlobalVariable(global) => {
                return match self.module.types[self.module.global_variables[*global].ty].inner {
                    TypeInner::Image { .. } | TypeInner::Sampler { .. } => Item::Resource(*global),
                    _ => Item::Pointer(self.globals[global], [0; QUAD]),
                };
            }
            Expression::LocalVariable(local) => return Item::Pointer(frame.locals[local.index()], [0; QUAD]),
            Expression::Load { pointer } => {
                let count = size(self.module, &self.pointee(frame, *pointer));
                let Item::Pointer(variable, offset) = self.item(frame, *pointer, active) else {
                    panic!("a load from a value")
                };
                let memory = &self.memory[variable];
                (0..count).map(|i| std::array::from_fn(|lane| memory[offset[lane] + i][lane])).collect()
            }
            Expression::ImageSample { image, coordinate, level, offset: None, .. } => {
                let coordinates = self.values(frame, *coordinate, active);
                let level = match level {
                    SampleLevel::Auto | SampleLevel::Zero | SampleLevel::Gradient { .. } => [0.0; QUAD],
                    SampleLevel::Exact(level) | SampleLevel::Bias(level) => self.values(frame, *level, active)[0],
                };
                self.texel(frame, *image, &coordinates, level, false, active)
            }
            Expression::ImageLoad { image, coordinate, .. } => {
                let corners = self.values(frame, *coordinate, active);
                let centres: Vec<Lanes> = corners.iter().map(|corner| corner.map(|whole| whole + 0.5)).collect();
                self.texel(frame, *image, &centres, [0.0; QUAD], true, active)
            }
            Expression::Unary { op, expr } => {
                let bits = |a: f64| -1.0 - a;
                let values = self.values(frame, *expr, active);
                values
                    .into_iter()
                    .map(|value| match op {
                        UnaryOperator::Negate => each(value, |a| -a),
                        UnaryOperator::LogicalNot => each(value, |a| 1.0 - a),
                        UnaryOperator::BitwiseNot => each(value, bits),
                    })
                    .collect()
            }
            Expression::Binary { op, left, right } => self.binary(frame, *op, *left, *right, active),
            Expression::Select { condition, accept, reject } => {
                let condition = self.values(frame, *condition, active);
                let (accept, reject) = (self.values(frame, *accept, active), self.values(frame, *reject, active));
                let pick = |i: usize, lane: usize| {
                    let condition = condition.get(i).unwrap_or(&condition[0]);
                    if condition[lane] != 0.0 { accept[i][lane] } else { reject[i][lane] }
                };
                (0..accept.len()).map(|i| std::array::from_fn(|lane| pick(i, lane))).collect()
            }
            Expression::Derivative { axis, expr, .. } => {
                let values = self.values(frame, *expr, active);
                // A killed neighbour no longer computes what it was asked for: GLSL leaves the difference open.
                if self.killed != NOBODY {
                    self.note(active, |_| true);
                }
                let (x, y) = (|a: Lanes| [a[1] - a[0]; QUAD], |a: Lanes| [a[2] - a[0]; QUAD]);
                let values: Vec<_> = values
                    .into_iter()
                    .map(|a| match axis {
                        DerivativeAxis::X => x(a),
                        DerivativeAxis::Y => y(a),
                        DerivativeAxis::Width => [x(a)[0].abs() + y(a)[0].abs(); QUAD],
                    })
                    .collect();
                values.into_iter().map(|a| self.rounded(a)).collect()
            }
            Expression::Relational { fun, argument } => {
                let values = self.values(frame, *argument, active);
                match fun {
                    RelationalFunction::All => {
                        vec![std::array::from_fn(|lane| number(values.iter().all(|value| value[lane] != 0.0)))]
                    }
                    RelationalFunction::Any => {
                        vec![std::array::from_fn(|lane| number(values.iter().any(|value| value[lane] != 0.0)))]
                    }
                    RelationalFunction::IsNan | RelationalFunction::IsInf => vec![[0.0; QUAD]; values.len()],
                }
            }
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                let handles = [Some(*arg), *arg1, *arg2, *arg3];
                let inner = self.inner(frame, *arg);
                let args: Vec<_> =
                    handles.into_iter().flatten().map(|handle| self.values(frame, handle, active)).collect();
                let mut strange = NOBODY;
                let rows = if let TypeInner::Matrix { rows, .. } = inner { rows as usize } else { 0 };
                let results = functions::math(*fun, &args, rows, &mut strange);
                self.note(active, |lane| strange[lane]);
                let whole = inner.scalar_kind() != Some(ScalarKind::Float);
                results
                    .into_iter()
                    .map(|(value, absolute)| {
                        if whole {
                            value
                        } else {
                            value.map(|a| {
                                if absolute == 0.0 && f64::from(a as f32) == a { a } else { self.fuzzy(a, absolute) }
                            })
                        }
                    })
                    .collect()
            }
            Expression::As { expr, kind, .. } => {
                let from = self.inner(frame, *expr).scalar_kind();
                let values = self.values(frame, *expr, active);
                values
                    .into_iter()
                    .map(|value| match (from, kind) {
                        (_, ScalarKind::Bool) => each(value, |a| number(a != 0.0)),
                        (Some(ScalarKind::Float), ScalarKind::Sint) => each(value, f64::trunc),
                        (Some(ScalarKind::Float), ScalarKind::Uint) => each(value, |a| a.trunc().max(0.0)),
                        _ => value,
                    })
                    .collect()
            }
            other => panic!("the generator does not use {other:?}"),
        };
        self.checked(active, &values);
        if matches!(self.inner(frame, handle).scalar_kind(), Some(ScalarKind::Sint | ScalarKind::Uint)) {
            self.note(active, |lane| values.iter().any(|value| value[lane].abs() > MOST_WHOLE));
        }
        Item::Values(values)
    }

    fn access(
        &mut self,
        frame: &mut Frame<'m>,
        base: Handle<Expression>,
        index: Handle<Expression>,
        active: Mask,
    ) -> Item {
        let index = self.values(frame, index, active)[0];
        let item = self.item(frame, base, active);
        let whole = if let Item::Pointer(..) = item { self.pointee(frame, base) } else { self.inner(frame, base) };
        let count = parts(&whole);
        self.note(active, |lane| index[lane] < 0.0 || index[lane] >= count as f64);
        let index = index.map(|index| (index.max(0.0) as usize).min(count - 1));
        let size = part(self.module, &whole, 0).0;
        match item {
            Item::Pointer(variable, offset) => {
                Item::Pointer(variable, std::array::from_fn(|lane| offset[lane] + index[lane] * size))
            }
            Item::Values(values) => Item::Values(
                (0..size).map(|i| std::array::from_fn(|lane| values[index[lane] * size + i][lane])).collect(),
            ),
            Item::Resource(_) => panic!("an array of textures"),
        }
    }

    fn texel(
        &mut self,
        frame: &mut Frame<'m>,
        image: Handle<Expression>,
        coordinates: &[Lanes],
        level: Lanes,
        texels: bool,
        active: Mask,
    ) -> Vec<Lanes> {
        let Item::Resource(global) = self.item(frame, image, active) else { panic!("a texture that is none") };
        let name = self.module.global_variables[global].name.as_deref().unwrap_or_default();
        let texels = texels || self.roles.get(name) == Some(Role::Rectangle);
        let at = |lane: usize| coordinates.iter().map(|coordinate| coordinate[lane]).collect::<Vec<_>>();
        let lanes: [[f64; 4]; QUAD] = std::array::from_fn(|lane| world::texel(name, &at(lane), level[lane], texels));
        (0..4).map(|channel| std::array::from_fn(|lane| self.fuzzy(lanes[lane][channel], 1e-6))).collect()
    }

    fn binary(
        &mut self,
        frame: &mut Frame<'m>,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
        active: Mask,
    ) -> Vec<Lanes> {
        let (left_type, right_type) = (self.inner(frame, left), self.inner(frame, right));
        let (a, b) = (self.values(frame, left, active), self.values(frame, right, active));
        let is_matrix = |inner: &TypeInner| matches!(inner, TypeInner::Matrix { .. });
        if op == BinaryOperator::Multiply && (is_matrix(&left_type) || is_matrix(&right_type)) {
            let products = functions::matrix_product(&left_type, &right_type, &a, &b);
            return products.into_iter().map(|value| self.rounded(value)).collect();
        }
        let kind = left_type.scalar_kind().expect("operands are numbers");
        let whole = kind != ScalarKind::Float;
        let mut out = Vec::new();
        for i in 0..a.len().max(b.len()) {
            let (a, b) = (*a.get(i).unwrap_or(&a[0]), *b.get(i).unwrap_or(&b[0]));
            let divides = matches!(op, BinaryOperator::Divide | BinaryOperator::Modulo);
            if divides {
                self.note(active, |lane| b[lane] == 0.0);
            }
            let lanes = std::array::from_fn(|lane| functions::binary(op, whole, a[lane], b[lane]));
            let power = |a: f64| a != 0.0 && (a as f32).to_bits().trailing_zeros() >= 23;
            out.push(match op {
                _ if whole => lanes,
                BinaryOperator::Divide => {
                    std::array::from_fn(|lane| if power(b[lane]) { lanes[lane] } else { self.fuzzy(lanes[lane], 0.0) })
                }
                // Where the quotient is rounded to a whole number, the remainder is near nothing or the divisor.
                BinaryOperator::Modulo => std::array::from_fn(|lane| {
                    let quotient = if power(b[lane]) { a[lane] / b[lane] } else { self.fuzzy(a[lane] / b[lane], 0.0) };
                    a[lane] - b[lane] * quotient.trunc()
                }),
                _ => self.rounded(lanes),
            });
        }
        out
    }
}
