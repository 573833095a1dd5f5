//! Pointers: variables and uniforms, and parts of them that numbers choose.

use super::{Frame, LowerError, Lowering, Operand, Result, types};
use crate::ir::{Type, Value, Variable};
use naga::{Expression, Handle, TypeInner};
use std::rc::Rc;

/// Where a scalar of a uniform is: a channel of a float constant; a boolean is true if it is not zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Constant {
    pub(super) register: u8,
    pub(super) channel: u8,
    pub(super) boolean: bool,
}

/// What a place is part of.
#[derive(Debug, Clone)]
pub(super) enum Root {
    /// A variable's scalars.
    Variables(Rc<[Variable]>),
    /// A uniform's scalars, and its name.
    Uniform(Rc<[Constant]>, Rc<str>),
}

/// An index that is not known: which, how many elements there are, and how many scalars each has.
#[derive(Debug, Clone, Copy)]
struct Index {
    value: Value,
    count: usize,
    stride: usize,
}

/// A place: scalars of a variable from an offset on, which indices add to.
#[derive(Debug, Clone)]
pub(super) struct Place {
    root: Root,
    offset: usize,
    indices: Vec<Index>,
}

impl Place {
    /// All of a variable.
    pub(super) fn variables(variables: Vec<Variable>) -> Place {
        Place { root: Root::Variables(variables.into()), offset: 0, indices: Vec::new() }
    }

    /// All of a uniform.
    pub(super) fn uniform(constants: Vec<Constant>, name: &str) -> Place {
        Place { root: Root::Uniform(constants.into(), name.into()), offset: 0, indices: Vec::new() }
    }

    /// The scalars, if it is a whole variable.
    pub(super) fn all(&self) -> &[Variable] {
        match &self.root {
            Root::Variables(variables) => variables,
            Root::Uniform(..) => &[],
        }
    }

    /// Scalars from `offset` on.
    pub(super) fn at(&self, offset: usize) -> Place {
        Place { offset: self.offset + offset, ..self.clone() }
    }

    fn indexed(&self, index: Index) -> Place {
        let mut place = self.clone();
        place.indices.push(index);
        place
    }
}

impl<'m> Lowering<'m> {
    /// A part of a place or of values, by a number that is known.
    pub(super) fn access_index(
        &mut self,
        frame: &mut Frame<'m>,
        base: Handle<Expression>,
        index: usize,
    ) -> Result<Operand> {
        let inner = self.inner(frame, base);
        match self.operand(frame, base)? {
            Operand::Place(place) => {
                let part = types::part(self.module, &types::pointee(self.module, &inner)?, index)?;
                Ok(Operand::Place(place.at(part.offset)))
            }
            Operand::Values(values) => {
                let part = types::part(self.module, &inner, index)?;
                let count = types::slots(self.module, &part.inner)?;
                Ok(values[part.offset..part.offset + count].to_vec().into())
            }
            Operand::Resource(_) => Err(LowerError::Type("arrays of textures")),
        }
    }

    /// A part of a place or of values, by a number that is calculated.
    pub(super) fn access(
        &mut self,
        frame: &mut Frame<'m>,
        base: Handle<Expression>,
        index: Handle<Expression>,
    ) -> Result<Operand> {
        let value = self.values(frame, index)?[0];
        let inner = self.inner(frame, base);
        let operand = self.operand(frame, base)?;
        let whole = if let Operand::Place(_) = operand { types::pointee(self.module, &inner)? } else { inner };
        let count = types::parts(&whole)?;
        if let Some(bits) = self.builder.known(value) {
            // Beyond the ends, the nearest element is taken, as for numbers that are calculated.
            let index = (f32::from_bits(bits).max(0.0) as usize).min(count.saturating_sub(1));
            return self.access_index(frame, base, index);
        }
        let stride = types::slots(self.module, &types::part(self.module, &whole, 0)?.inner)?;
        let index = Index { value, count, stride };
        match operand {
            Operand::Place(place) => Ok(Operand::Place(place.indexed(index))),
            Operand::Values(values) => {
                let elements: Vec<_> = values.chunks(stride).map(<[Value]>::to_vec).collect();
                Ok(self.pick(value, elements).into())
            }
            Operand::Resource(_) => Err(LowerError::Type("arrays of textures")),
        }
    }

    /// The element with a number; numbers beyond the ends choose the nearest.
    fn pick(&mut self, index: Value, elements: Vec<Vec<Value>>) -> Vec<Value> {
        let mut elements = elements.into_iter();
        let mut picked = elements.next().unwrap_or_default();
        for (i, element) in elements.enumerate() {
            let number = self.builder.float(i as f32 + 1.0);
            let reached = self.builder.at_least(index, number);
            for (picked, value) in picked.iter_mut().zip(element) {
                if *picked != value {
                    *picked = self.builder.choose(reached, value, *picked);
                }
            }
        }
        picked
    }

    /// The scalars at a place.
    pub(super) fn load(&mut self, place: &Place, count: usize) -> Result<Vec<Value>> {
        self.check_size()?;
        if let Root::Uniform(constants, _) = &place.root
            && !place.indices.is_empty()
            && let Some(values) = self.load_uniform(constants, place, count)
        {
            return Ok(values);
        }
        self.load_part(place, place.offset, 0, count)
    }

    fn load_part(&mut self, place: &Place, offset: usize, level: usize, count: usize) -> Result<Vec<Value>> {
        if let Some(index) = place.indices.get(level) {
            let mut elements = Vec::with_capacity(index.count);
            for i in 0..index.count {
                elements.push(self.load_part(place, offset + i * index.stride, level + 1, count)?);
                self.check_size()?;
            }
            return Ok(self.pick(index.value, elements));
        }
        match &place.root {
            Root::Variables(variables) => {
                let part =
                    variables.get(offset..offset + count).ok_or(LowerError::Malformed("a load out of bounds"))?;
                Ok(part.iter().map(|&variable| self.builder.load(variable)).collect())
            }
            Root::Uniform(constants, _) => {
                let part =
                    constants.get(offset..offset + count).ok_or(LowerError::Malformed("a load out of bounds"))?;
                Ok(part.iter().map(|&constant| self.constant(constant)).collect())
            }
        }
    }

    fn constant(&mut self, constant: Constant) -> Value {
        let value = self.builder.uniform(constant.register, constant.channel);
        if constant.boolean { self.is_not_zero(value) } else { value }
    }

    /// Scalars of a uniform by relative addressing, if its elements are one after the other in whole registers.
    fn load_uniform(&mut self, constants: &[Constant], place: &Place, count: usize) -> Option<Vec<Value>> {
        let float = |offset: usize| {
            let Constant { register, channel, boolean } = *constants.get(offset)?;
            Some((usize::from(register), channel, boolean))
        };
        let first = float(place.offset)?;
        let mut strides = Vec::new();
        let mut span = 1;
        for index in &place.indices {
            let stride = if index.count < 2 {
                0
            } else {
                let next = float(place.offset + index.stride)?;
                if next.1 != first.1 {
                    return None;
                }
                next.0 - first.0
            };
            span += stride * (index.count - 1);
            strides.push(stride);
        }
        let mut sum = None;
        for (index, stride) in place.indices.iter().zip(&strides) {
            // An index beyond its own array must not reach into the next element of an outer one.
            let mut value = index.value;
            if place.indices.len() > 1 {
                let (zero, last) = (self.builder.float(0.0), self.builder.float(index.count as f32 - 1.0));
                value = self.builder.max(value, zero);
                value = self.builder.min(value, last);
            }
            let stride = self.builder.float(*stride as f32);
            sum = Some(match sum {
                None => self.builder.mul(value, stride),
                Some(sum) => self.builder.mad(value, stride, sum),
            });
        }
        let sum = sum?;
        let count_of_registers = u8::try_from(span).ok()?;
        let mut values = Vec::new();
        for i in 0..count {
            let (register, channel, boolean) = float(place.offset + i)?;
            let value = self.builder.uniform_at(register as u8, channel, count_of_registers, sum);
            values.push(if boolean { self.is_not_zero(value) } else { value });
        }
        Some(values)
    }

    /// Writes scalars to a place.
    pub(super) fn store(&mut self, place: &Place, values: &[Value]) -> Result<()> {
        let variables = match &place.root {
            Root::Uniform(_, name) => return Err(LowerError::UniformWrite(name.to_string())),
            Root::Variables(variables) => variables.clone(),
        };
        self.store_part(&variables, place, place.offset, 0, values, None)
    }

    fn store_part(
        &mut self,
        variables: &[Variable],
        place: &Place,
        offset: usize,
        level: usize,
        values: &[Value],
        condition: Option<Value>,
    ) -> Result<()> {
        self.check_size()?;
        if let Some(index) = place.indices.get(level) {
            for i in 0..index.count {
                let number = self.builder.float(i as f32);
                let mut here = self.builder.equal(index.value, number);
                if let Some(condition) = condition {
                    here = self.builder.and(condition, here);
                }
                self.store_part(variables, place, offset + i * index.stride, level + 1, values, Some(here))?;
            }
            return Ok(());
        }
        let part =
            variables.get(offset..offset + values.len()).ok_or(LowerError::Malformed("a store out of bounds"))?;
        for (&variable, &value) in part.iter().zip(values) {
            let value = match condition {
                Some(condition) => {
                    let old = self.builder.load(variable);
                    self.builder.choose(condition, value, old)
                }
                None => value,
            };
            self.builder.store(variable, value);
            self.written.insert(variable);
        }
        Ok(())
    }

    /// Whether a number is not zero.
    pub(super) fn is_not_zero(&mut self, value: Value) -> Value {
        debug_assert_eq!(self.builder.type_of(value), Type::Float);
        let zero = self.builder.float(0.0);
        let is_zero = self.builder.equal(value, zero);
        self.builder.not(is_zero)
    }

    /// What a pointer expression points to, as a type.
    pub(super) fn pointee(&self, frame: &Frame<'m>, pointer: Handle<Expression>) -> Result<TypeInner> {
        types::pointee(self.module, &self.inner(frame, pointer))
    }
}
