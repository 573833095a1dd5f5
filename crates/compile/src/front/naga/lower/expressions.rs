//! Expressions: what each stands for.

use super::{Frame, LowerError, Lowering, Operand, Result, types};
use crate::ir::Value;
use naga::{DerivativeAxis, Expression, Handle, Literal, RelationalFunction, ScalarKind, TypeInner};
use std::rc::Rc;

impl<'m> Lowering<'m> {
    /// What an expression stands for, evaluated before or, if it needs no place of its own, now.
    pub(super) fn operand(&mut self, frame: &mut Frame<'m>, expression: Handle<Expression>) -> Result<Operand> {
        match frame.values.get(&expression) {
            Some(operand) => Ok(operand.clone()),
            None => self.evaluate(frame, expression),
        }
    }

    /// The scalars of an expression.
    pub(super) fn values(&mut self, frame: &mut Frame<'m>, expression: Handle<Expression>) -> Result<Rc<[Value]>> {
        match self.operand(frame, expression)? {
            Operand::Values(values) => Ok(values),
            Operand::Place(_) | Operand::Resource(_) => Err(LowerError::Malformed("a value that is none")),
        }
    }

    /// Calculates an expression where the builder stands.
    pub(super) fn evaluate(&mut self, frame: &mut Frame<'m>, handle: Handle<Expression>) -> Result<Operand> {
        let function = frame.function;
        Ok(match &function.expressions[handle] {
            Expression::Literal(literal) => vec![self.literal(*literal)?].into(),
            Expression::Constant(constant) => self.global_value(self.module.constants[*constant].init, 0)?.into(),
            Expression::Override(handle) => match self.module.overrides[*handle].init {
                Some(init) => self.global_value(init, 0)?.into(),
                None => return Err(LowerError::Unsupported("overrides without a value; give it one in the source")),
            },
            Expression::ZeroValue(ty) => self.zeros(*ty)?.into(),
            Expression::Compose { ty, components } => {
                let mut parts = Vec::with_capacity(components.len());
                for component in components {
                    parts.extend_from_slice(&self.values(frame, *component)?);
                }
                self.composed(&self.module.types[*ty].inner, parts)?.into()
            }
            Expression::Access { base, index } => self.access(frame, *base, *index)?,
            Expression::AccessIndex { base, index } => self.access_index(frame, *base, *index as usize)?,
            Expression::Splat { size, value } => vec![self.values(frame, *value)?[0]; *size as usize].into(),
            Expression::Swizzle { size, vector, pattern } => {
                let values = self.values(frame, *vector)?;
                let mut picked = Vec::new();
                for component in &pattern[..*size as usize] {
                    let index = component.index() as usize;
                    picked.push(*values.get(index).ok_or(LowerError::Malformed("a swizzle out of bounds"))?);
                }
                picked.into()
            }
            Expression::FunctionArgument(index) => frame
                .arguments
                .get(*index as usize)
                .ok_or(LowerError::Malformed("an argument that there is not"))?
                .clone(),
            Expression::GlobalVariable(global) => self.global(*global)?,
            Expression::LocalVariable(local) => Operand::Place(
                frame.locals.get(local.index()).ok_or(LowerError::Malformed("a variable too early"))?.clone(),
            ),
            Expression::Load { pointer } => {
                let inner = self.pointee(frame, *pointer)?;
                let count = types::slots(self.module, &inner)?;
                match self.operand(frame, *pointer)? {
                    Operand::Place(place) => self.load(&place, count)?.into(),
                    _ => return Err(LowerError::Malformed("a load from a value")),
                }
            }
            Expression::ImageSample { .. } => self.sample(frame, handle)?.into(),
            Expression::ImageLoad { .. } => self.fetch(frame, handle)?.into(),
            Expression::ImageQuery { image, query } => self.query(frame, *image, *query)?.into(),
            Expression::Unary { op, expr } => {
                let scalar = types::scalar(self.type_of(frame, *expr))?;
                let values = self.values(frame, *expr)?;
                let mut out = Vec::with_capacity(values.len());
                for &value in values.iter() {
                    out.push(self.unary(*op, scalar.kind, value)?);
                }
                out.into()
            }
            Expression::Binary { op, left, right } => self.binary(frame, *op, *left, *right)?.into(),
            Expression::Select { condition, accept, reject } => {
                let condition = self.values(frame, *condition)?;
                let (accept, reject) = (self.values(frame, *accept)?, self.values(frame, *reject)?);
                let mut out = Vec::with_capacity(accept.len());
                for (i, (&accept, &reject)) in accept.iter().zip(reject.iter()).enumerate() {
                    let condition = if condition.len() == 1 { condition[0] } else { condition[i] };
                    out.push(self.builder.choose(condition, accept, reject));
                }
                out.into()
            }
            Expression::Derivative { axis, ctrl: _, expr } => {
                let values = self.values(frame, *expr)?;
                values.iter().map(|&value| self.derivative(*axis, value)).collect::<Vec<_>>().into()
            }
            Expression::Relational { fun, argument } => self.relational(frame, *fun, *argument)?.into(),
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                self.math(frame, *fun, [Some(*arg), *arg1, *arg2, *arg3])?.into()
            }
            Expression::As { expr, kind, convert } => {
                let from = types::scalar(self.type_of(frame, *expr))?;
                if convert.is_some_and(|width| width != 4 && *kind != ScalarKind::Bool) {
                    types::checked(naga::Scalar { kind: *kind, width: convert.unwrap_or(4) })?;
                }
                if convert.is_none() && (from.kind == ScalarKind::Float) != (*kind == ScalarKind::Float) {
                    return Err(LowerError::Bits("taking a number's bits as another type"));
                }
                let values = self.values(frame, *expr)?;
                let mut out = Vec::with_capacity(values.len());
                for &value in values.iter() {
                    out.push(self.convert(from.kind, *kind, value)?);
                }
                out.into()
            }
            Expression::CallResult(_) => return Err(LowerError::Malformed("the result of a call before the call")),
            Expression::AtomicResult { .. } => return Err(LowerError::Unsupported("atomics")),
            Expression::WorkGroupUniformLoadResult { .. } => {
                return Err(LowerError::Unsupported("memory of work groups"));
            }
            Expression::ArrayLength(_) => return Err(LowerError::Type("arrays without a size")),
            Expression::RayQueryVertexPositions { .. }
            | Expression::RayQueryProceedResult
            | Expression::RayQueryGetIntersection { .. } => return Err(LowerError::Unsupported("ray queries")),
            Expression::SubgroupBallotResult | Expression::SubgroupOperationResult { .. } => {
                return Err(LowerError::Unsupported("operations of subgroups"));
            }
            Expression::CooperativeLoad { .. } | Expression::CooperativeMultiplyAdd { .. } => {
                return Err(LowerError::Unsupported("cooperative matrices"));
            }
        })
    }

    /// Scalars of a constructor, as many as its type has.
    fn composed(&self, inner: &TypeInner, parts: Vec<Value>) -> Result<Vec<Value>> {
        if parts.len() == types::slots(self.module, inner)? {
            Ok(parts)
        } else {
            Err(LowerError::Malformed("a constructor with a wrong number of parts"))
        }
    }

    /// The value of an expression outside of functions.
    pub(super) fn global_value(&mut self, handle: Handle<Expression>, depth: u32) -> Result<Vec<Value>> {
        if depth > 64 {
            return Err(LowerError::Limit { what: "levels of constants that name each other", limit: 64 });
        }
        let depth = depth + 1;
        match &self.module.global_expressions[handle] {
            Expression::Literal(literal) => Ok(vec![self.literal(*literal)?]),
            Expression::Constant(constant) => self.global_value(self.module.constants[*constant].init, depth),
            Expression::Override(handle) => match self.module.overrides[*handle].init {
                Some(init) => self.global_value(init, depth),
                None => Err(LowerError::Unsupported("overrides without a value; give it one in the source")),
            },
            Expression::ZeroValue(ty) => self.zeros(*ty),
            Expression::Compose { ty, components } => {
                let mut parts = Vec::new();
                for component in components {
                    parts.extend(self.global_value(*component, depth)?);
                }
                self.composed(&self.module.types[*ty].inner, parts)
            }
            Expression::Splat { size, value } => Ok(vec![self.global_value(*value, depth)?[0]; *size as usize]),
            Expression::Swizzle { size, vector, pattern } => {
                let values = self.global_value(*vector, depth)?;
                Ok(pattern[..*size as usize]
                    .iter()
                    .filter_map(|component| values.get(component.index() as usize).copied())
                    .collect())
            }
            _ => Err(LowerError::Unsupported(
                "this expression in a constant outside of functions; use a literal or move it into a function",
            )),
        }
    }

    fn literal(&mut self, literal: Literal) -> Result<Value> {
        match literal {
            Literal::F32(value) => Ok(self.builder.float(value)),
            Literal::Bool(value) => Ok(self.builder.boolean(value)),
            Literal::I32(value) => self.whole(i128::from(value)),
            Literal::U32(value) => self.whole(i128::from(value)),
            Literal::I64(value) | Literal::AbstractInt(value) => self.whole(i128::from(value)),
            Literal::U64(value) => self.whole(i128::from(value)),
            Literal::AbstractFloat(value) => Ok(self.builder.float(value as f32)),
            Literal::F64(_) => Err(LowerError::Type("double precision")),
            Literal::F16(_) => Err(LowerError::Type("half precision")),
            Literal::U16(_) | Literal::I16(_) => Err(LowerError::Type("whole numbers of that width")),
        }
    }

    /// A whole number, if a float holds it.
    pub(super) fn whole(&mut self, value: i128) -> Result<Value> {
        let float = value as f32;
        if float as i128 == value { Ok(self.builder.float(float)) } else { Err(LowerError::WholeNumber(value)) }
    }

    fn derivative(&mut self, axis: DerivativeAxis, value: Value) -> Value {
        match axis {
            DerivativeAxis::X => self.builder.ddx(value),
            DerivativeAxis::Y => self.builder.ddy(value),
            DerivativeAxis::Width => {
                let (x, y) = (self.builder.ddx(value), self.builder.ddy(value));
                let (x, y) = (self.builder.abs(x), self.builder.abs(y));
                self.builder.add(x, y)
            }
        }
    }

    fn relational(
        &mut self,
        frame: &mut Frame<'m>,
        fun: RelationalFunction,
        argument: Handle<Expression>,
    ) -> Result<Vec<Value>> {
        let values = self.values(frame, argument)?;
        let builder = &mut self.builder;
        Ok(match fun {
            RelationalFunction::All => vec![values[1..].iter().fold(values[0], |all, &value| builder.and(all, value))],
            RelationalFunction::Any => vec![values[1..].iter().fold(values[0], |any, &value| builder.or(any, value))],
            RelationalFunction::IsNan => values.iter().map(|&value| self.is_nan(value)).collect(),
            RelationalFunction::IsInf => values.iter().map(|&value| self.is_infinite(value)).collect(),
        })
    }
}
