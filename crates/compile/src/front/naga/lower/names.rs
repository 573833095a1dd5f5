//! What debuggers are told of the variables of a text.

use super::{Frame, Lowering, types};
use crate::front::glsl::user_name;
use crate::front::{SourcePart, UniformKind};
use crate::ir::Value;
use naga::{Expression, Handle, ScalarKind, Type, TypeInner};
use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;

/// Most parts of a variable that are told.
const MOST_PARTS: usize = 64;

/// The variables that are known so far.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Nobody asks for them.
    is_off: bool,
    parts: Vec<SourcePart>,
    /// The first part of what stands somewhere in a function, by the function's address and its own kind and number.
    known: HashMap<(usize, Named), u32>,
    /// The function that is lowered now, from the outermost caller.
    functions: Vec<String>,
    /// The lines that each function consists of.
    lines: BTreeMap<String, RangeInclusive<u32>>,
}

/// Something with a name in a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Named {
    Local(usize),
    Argument(usize),
    Expression(usize),
    Global(usize),
}

impl Names {
    pub(super) fn new(is_on: bool) -> Names {
        Names { is_off: !is_on, ..Names::default() }
    }

    /// A function begins.
    pub(super) fn enter(&mut self, function: &str) {
        self.functions.push(user_name(function));
    }

    /// It ends.
    pub(super) fn leave(&mut self) {
        self.functions.pop();
    }

    /// A line of the function is lowered.
    pub(super) fn line(&mut self, line: u32) {
        let Some(function) = self.functions.last().filter(|_| !self.is_off) else { return };
        match self.lines.get_mut(function) {
            Some(lines) => *lines = line.min(*lines.start())..=line.max(*lines.end()),
            None => _ = self.lines.insert(function.clone(), line..=line),
        }
    }

    /// All parts, with the lines in which they mean something.
    pub(super) fn finish(mut self) -> Vec<SourcePart> {
        for part in &mut self.parts {
            if let Some(lines) = part.function.as_ref().and_then(|function| self.lines.get(function)) {
                part.lines = part.lines.start().max(lines.start()).to_owned()..=*lines.end();
            }
        }
        self.parts
    }
}

impl<'m> Lowering<'m> {
    /// The first part of something with a name and a type, and how many it has; none if it is not told.
    pub(super) fn parts_of(
        &mut self,
        function: &naga::Function,
        named: Named,
        name: Option<&str>,
        inner: &TypeInner,
    ) -> Option<u32> {
        if self.names.is_off {
            return None;
        }
        let name = user_name(name?);
        if name.is_empty() || name.starts_with("ctm_") {
            return None;
        }
        let key = (std::ptr::from_ref(function).addr(), named);
        if let Some(&first) = self.names.known.get(&key) {
            return Some(first);
        }
        let mut parts = Vec::new();
        self.collect(&name, inner, &mut parts)?;
        if parts.len() > MOST_PARTS {
            return None;
        }
        let is_global = matches!(named, Named::Global(_));
        let function = self.names.functions.last().filter(|_| !is_global).cloned();
        let first_line = if is_global { 0 } else { self.line };
        let first = self.names.parts.len() as u32;
        self.names.parts.extend(parts.into_iter().map(|(name, channel, kind)| SourcePart {
            name,
            channel,
            kind,
            function: function.clone(),
            lines: first_line..=u32::MAX,
        }));
        self.names.known.insert(key, first);
        Some(first)
    }

    fn collect(
        &self,
        name: &str,
        inner: &TypeInner,
        parts: &mut Vec<(String, Option<char>, UniformKind)>,
    ) -> Option<()> {
        if parts.len() > MOST_PARTS {
            return None;
        }
        let kind = |scalar: naga::Scalar| match scalar.kind {
            ScalarKind::Float | ScalarKind::AbstractFloat => UniformKind::Float,
            ScalarKind::Sint | ScalarKind::AbstractInt => UniformKind::Int,
            ScalarKind::Uint => UniformKind::Uint,
            ScalarKind::Bool => UniformKind::Bool,
        };
        let vector = |name: &str, size: naga::VectorSize, scalar: naga::Scalar, parts: &mut Vec<_>| {
            let channels = "xyzw".chars().take(size as usize);
            parts.extend(channels.map(|channel| (name.to_owned(), Some(channel), kind(scalar))));
        };
        match inner {
            TypeInner::Scalar(scalar) => parts.push((name.to_owned(), None, kind(*scalar))),
            TypeInner::Vector { size, scalar } => vector(name, *size, *scalar, parts),
            TypeInner::Matrix { columns, rows, scalar } => {
                (0..*columns as usize).for_each(|column| vector(&format!("{name}[{column}]"), *rows, *scalar, parts));
            }
            TypeInner::Array { base, size, .. } => {
                for index in 0..types::elements(*size).ok()? {
                    self.collect(&format!("{name}[{index}]"), self.inner_of(*base), parts)?;
                }
            }
            TypeInner::Struct { members, .. } => {
                for (index, member) in members.iter().enumerate() {
                    let member_name = member.name.clone().unwrap_or_else(|| index.to_string());
                    self.collect(&format!("{name}.{member_name}"), self.inner_of(member.ty), parts)?;
                }
            }
            _ => return None,
        }
        Some(())
    }

    fn inner_of(&self, ty: Handle<Type>) -> &TypeInner {
        &self.module.types[ty].inner
    }

    /// Says of values that they are something with a name.
    pub(super) fn name_values(&mut self, first: Option<u32>, values: &[Value]) {
        let Some(first) = first else { return };
        for (&value, part) in values.iter().zip(first..) {
            self.builder.name_value(value, part);
        }
    }

    /// Says of the values of an expression that they have its name, if it has one.
    pub(super) fn name_expression(&mut self, frame: &Frame<'m>, handle: Handle<Expression>, values: &[Value]) {
        if self.names.is_off {
            return;
        }
        let Some(name) = frame.function.named_expressions.get(&handle) else { return };
        let inner = self.inner(frame, handle);
        let first = self.parts_of(frame.function, Named::Expression(handle.index()), Some(name), &inner);
        self.name_values(first, values);
    }
}
