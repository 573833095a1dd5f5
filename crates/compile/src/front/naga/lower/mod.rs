//! From a module to the compiler's form: functions are inlined, aggregates are scalars, statements keep their structure.

mod expressions;
mod globals;
mod integers;
mod math;
mod matrices;
mod names;
mod operators;
mod places;
mod statements;
mod textures;

use super::allotment::Allotment;
use super::error::LowerError;
use super::slots::Slots;
use super::types;
use crate::front::Warning;
use crate::front::glsl::user_name;
use crate::front::{Interface, Roles, SourcePart};
use crate::ir::{Block, Builder, Function, Output, Value, Variable};
use crate::limits::Poll;
use ctm_lane::budget::Meter;
use globals::Global;
use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{Expression, GlobalVariable, Handle, Module, ShaderStage, Span, TypeInner};
use names::{Named, Names};
use places::Place;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// Most instructions and values that a program may have before it is simplified.
const MAX_SIZE: usize = 400_000;
/// Bytes that a value takes in the function, its copy in a pass, and what passes know of it.
const VALUE_BYTES: usize = 512;
/// Values for which memory is taken at a time.
const VALUES: usize = 4096;
/// Statements inside of each other: passes recurse over them.
const MAX_DEPTH: usize = 200;
/// How deep functions may call each other.
const MAX_CALLS: usize = 64;

/// A module with what its reader knows of it.
pub(crate) struct Source<'m> {
    /// The module.
    pub(crate) module: &'m Module,
    /// What validation found out.
    pub(crate) info: &'m ModuleInfo,
    /// What its globals stand for.
    pub(crate) roles: &'m Roles,
    /// What it may use of time and memory.
    pub(crate) meter: &'m Meter<'m>,
    /// Whether debuggers are told of variables.
    pub(crate) names: bool,
    /// Whether what calls write is copied to them and back, as in GLSL, rather than pointed to.
    pub(crate) copies: bool,
    /// The line of the user's text for a place in the text that was read; 0 for what the user did not write.
    pub(crate) line: &'m dyn Fn(Span) -> u32,
}

/// An error and the line of the source that it belongs to; 0 if it belongs to all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AtLine {
    pub(crate) error: LowerError,
    pub(crate) line: u32,
}

type Result<T> = std::result::Result<T, LowerError>;

/// Makes a function of a fragment entry point: the one of a name, or the only one.
///
/// # Errors
///
/// What the hardware cannot do, with its line.
pub(crate) fn lower(source: &Source<'_>, entry: Option<&str>) -> std::result::Result<Lowered, AtLine> {
    match lower_with(source, entry, Slots::new(false)) {
        Err(AtLine { error: LowerError::Inputs, .. }) => lower_with(source, entry, Slots::new(true)),
        other => other,
    }
}

fn lower_with(source: &Source<'_>, entry: Option<&str>, slots: Slots) -> std::result::Result<Lowered, AtLine> {
    let mut lowering = Lowering {
        source,
        module: source.module,
        builder: Builder::new(),
        allotment: Allotment::default(),
        interface: Interface::default(),
        globals: HashMap::new(),
        slots,
        written: BTreeSet::new(),
        calls: 0,
        inlined: BTreeMap::new(),
        warnings: Vec::new(),
        names: Names::new(source.names),
        poll: Poll::new(source.meter),
        values: 0,
        line: 0,
    };
    match lowering.entry(entry) {
        Ok(outputs) => {
            lowering.interface.float_constants = lowering.allotment.used();
            Ok(Lowered {
                function: lowering.builder.finish(outputs),
                interface: lowering.interface,
                inlined: lowering.inlined.into_values().collect(),
                warnings: lowering.warnings,
                parts: lowering.names.finish(),
            })
        }
        Err(error) => Err(AtLine { error, line: lowering.line }),
    }
}

/// What a module becomes.
pub(crate) struct Lowered {
    pub(crate) function: Function,
    pub(crate) interface: Interface,
    pub(crate) inlined: Vec<Inlined>,
    pub(crate) warnings: Vec<Warning>,
    /// What `Function::names` is about.
    pub(crate) parts: Vec<SourcePart>,
}

/// A function of a text that stands in a program, in the places of its calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inlined {
    /// Its name.
    pub name: String,
    /// In how many places it stands.
    pub times: usize,
    /// Values that all of them calculate, with those of functions that they call, before anything is simplified.
    pub operations: usize,
}

/// What an expression stands for.
#[derive(Clone)]
enum Operand {
    /// Its scalars.
    Values(Rc<[Value]>),
    /// A place that can be loaded from and, mostly, stored to.
    Place(Place),
    /// A texture or a sampler.
    Resource(Handle<GlobalVariable>),
}

impl From<Vec<Value>> for Operand {
    fn from(values: Vec<Value>) -> Operand {
        Operand::Values(values.into())
    }
}

/// What `break` leaves, innermost last.
enum Breakable<'m> {
    Loop { continuing: &'m naga::Block, break_if: Option<Handle<Expression>>, rest: Option<Block> },
    Switch(Block),
}

/// A function that is being inlined.
struct Frame<'m> {
    function: &'m naga::Function,
    info: &'m FunctionInfo,
    arguments: Vec<Operand>,
    locals: Vec<Place>,
    values: HashMap<Handle<Expression>, Operand>,
    /// What it returns.
    result: Vec<Variable>,
    /// What `return` leaves, if it stands inside of something.
    exit: Option<Block>,
    breakable: Vec<Breakable<'m>>,
}

struct Lowering<'m> {
    source: &'m Source<'m>,
    module: &'m Module,
    builder: Builder,
    allotment: Allotment,
    interface: Interface,
    globals: HashMap<Handle<GlobalVariable>, Global>,
    slots: Slots,
    /// Variables that some statement stores to.
    written: BTreeSet<Variable>,
    calls: usize,
    /// Functions of the text that are inlined, by name.
    inlined: BTreeMap<&'m str, Inlined>,
    warnings: Vec<Warning>,
    names: Names,
    poll: Poll<'m>,
    /// Values for which memory was taken.
    values: usize,
    line: u32,
}

impl<'m> Lowering<'m> {
    /// The type of an expression.
    fn type_of<'f>(&'f self, frame: &Frame<'f>, expression: Handle<Expression>) -> &'f TypeInner
    where
        'm: 'f,
    {
        frame.info[expression].ty.inner_with(&self.module.types)
    }

    fn inner(&self, frame: &Frame<'m>, expression: Handle<Expression>) -> TypeInner {
        frame.info[expression].ty.inner_with(&self.module.types).clone()
    }

    /// Notes where what follows comes from.
    fn at(&mut self, span: Span) {
        let line = (self.source.line)(span);
        if line != 0 {
            self.line = line;
            self.names.line(line);
            self.builder.set_line(line);
        }
    }

    fn check_size(&mut self) -> Result<()> {
        self.poll.look()?;
        while self.builder.size() > self.values {
            self.poll.meter().reserve((VALUES * VALUE_BYTES) as u64)?;
            self.values += VALUES;
        }
        if self.builder.size() > MAX_SIZE {
            return Err(LowerError::Limit {
                what: "values before it is simplified; shorten loops over arrays and calls",
                limit: MAX_SIZE,
            });
        }
        if self.builder.depth() > MAX_DEPTH {
            return Err(LowerError::Limit {
                what: "choices inside of each other, with cases and what follows a `return`, `break` or `continue`; leave some out",
                limit: MAX_DEPTH,
            });
        }
        Ok(())
    }

    fn entry(&mut self, name: Option<&str>) -> Result<Vec<(Output, Value)>> {
        let points = &self.module.entry_points;
        let fragment = |index: &usize| points[*index].stage == ShaderStage::Fragment;
        let mut found =
            (0..points.len()).filter(fragment).filter(|index| name.is_none_or(|name| points[*index].name == name));
        let (Some(index), None) = (found.next(), found.next()) else {
            let found = (0..points.len()).filter(fragment).map(|index| points[index].name.clone()).collect();
            let others = points.iter().filter_map(|point| match point.stage {
                ShaderStage::Fragment => None,
                ShaderStage::Vertex => Some((point.name.clone(), "vertex")),
                ShaderStage::Compute => Some((point.name.clone(), "compute")),
                _ => Some((point.name.clone(), "mesh or ray tracing")),
            });
            let (wanted, others) = (name.map(str::to_owned), others.collect());
            return Err(LowerError::EntryPoint { wanted, found, others });
        };
        let function = &points[index].function;
        let info = self.source.info.get_entry_point(index);
        self.declare_globals(function, info)?;
        let mut arguments = Vec::new();
        for argument in &function.arguments {
            let name = argument.name.as_deref().unwrap_or("input");
            let values = self.input(name, argument.ty, argument.binding.as_ref())?;
            arguments.push(Operand::from(values));
        }
        let result = self.inline(function, info, arguments)?;
        self.outputs(function, &result)
    }

    /// Runs a function in place of a call of it.
    fn inline(
        &mut self,
        function: &'m naga::Function,
        info: &'m FunctionInfo,
        arguments: Vec<Operand>,
    ) -> Result<Vec<Value>> {
        if self.calls >= MAX_CALLS {
            return Err(LowerError::Limit { what: "functions that call each other", limit: MAX_CALLS });
        }
        self.calls += 1;
        let (size, named) = (self.builder.size(), self.builder.named());
        self.names.enter(function.name.as_deref().unwrap_or("main"));
        if !self.source.copies {
            for (index, (argument, operand)) in function.arguments.iter().zip(&arguments).enumerate() {
                let inner = &self.module.types[argument.ty].inner;
                let name = argument.name.as_deref();
                let first = self.parts_of(function, Named::Argument(index), name, inner);
                if let Operand::Values(values) = operand {
                    self.name_values(first, values);
                }
            }
        }
        let mut frame = Frame {
            function,
            info,
            arguments,
            locals: Vec::new(),
            values: HashMap::new(),
            result: Vec::new(),
            exit: None,
            breakable: Vec::new(),
        };
        if let Some(result) = &function.result {
            frame.result = self.zeros(result.ty)?.into_iter().map(|value| self.builder.variable(value)).collect();
        }
        for (handle, local) in function.local_variables.iter() {
            self.at(function.local_variables.get_span(handle));
            let values = match local.init {
                Some(init) => self.values(&mut frame, init)?.to_vec(),
                None => self.zeros(local.ty)?,
            };
            let place = self.variable(&values);
            let inner = &self.module.types[local.ty].inner;
            let name = local.name.as_deref();
            if let Some(first) = self.parts_of(function, Named::Local(handle.index()), name, inner) {
                place.all().iter().zip(first..).for_each(|(&variable, part)| self.builder.name(variable, part));
            }
            frame.locals.push(place);
        }
        if statements::returns_early(&function.body) {
            let exit = self.builder.begin_block();
            frame.exit = Some(exit);
            self.block(&mut frame, &function.body)?;
            self.builder.end_block();
        } else {
            self.block(&mut frame, &function.body)?;
        }
        self.calls -= 1;
        self.builder.forget_names(named);
        self.names.leave();
        let name = function.name.as_deref().unwrap_or("main");
        let operations = self.builder.size() - size;
        let inlined =
            self.inlined.entry(name).or_insert_with(|| Inlined { name: user_name(name), times: 0, operations: 0 });
        inlined.times += 1;
        inlined.operations += operations;
        Ok(frame.result.iter().map(|&variable| self.builder.load(variable)).collect())
    }

    /// Zeros and falses for all scalars of a type.
    fn zeros(&mut self, ty: Handle<naga::Type>) -> Result<Vec<Value>> {
        let inner = &self.module.types[ty].inner;
        types::slots(self.module, inner)?;
        let mut kinds = Vec::new();
        types::kinds(self.module, inner, &mut kinds)?;
        let (zero, no) = (self.builder.float(0.0), self.builder.boolean(false));
        Ok(kinds.into_iter().map(|kind| if kind == naga::ScalarKind::Bool { no } else { zero }).collect())
    }

    /// A variable with initial values.
    fn variable(&mut self, values: &[Value]) -> Place {
        Place::variables(values.iter().map(|&value| self.builder.variable(value)).collect())
    }
}
