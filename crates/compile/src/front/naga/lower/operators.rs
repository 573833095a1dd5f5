//! Operators of one and two operands, and conversions.

use super::{Frame, LowerError, Lowering, Result, types};
use crate::ir::Value;
use naga::{BinaryOperator, Expression, Handle, ScalarKind, TypeInner, UnaryOperator};

impl<'m> Lowering<'m> {
    pub(super) fn unary(&mut self, op: UnaryOperator, kind: ScalarKind, value: Value) -> Result<Value> {
        match (op, kind) {
            (UnaryOperator::LogicalNot, _) => Ok(self.builder.not(value)),
            (UnaryOperator::Negate, _) => Ok(self.builder.neg(value)),
            (UnaryOperator::BitwiseNot, ScalarKind::Bool) => Ok(self.builder.not(value)),
            (UnaryOperator::BitwiseNot, ScalarKind::Sint | ScalarKind::AbstractInt) => {
                let minus = self.builder.float(-1.0);
                Ok(self.builder.sub(minus, value))
            }
            (UnaryOperator::BitwiseNot, _) => Err(LowerError::Bits("`~` of an unsigned number")),
        }
    }

    pub(super) fn binary(
        &mut self,
        frame: &mut Frame<'m>,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Result<Vec<Value>> {
        let (left_type, right_type) = (self.inner(frame, left), self.inner(frame, right));
        let kind = types::scalar(&left_type)?.kind;
        types::scalar(&right_type)?;
        let (a, b) = (self.values(frame, left)?, self.values(frame, right)?);
        let matrices = matches!(left_type, TypeInner::Matrix { .. }) || matches!(right_type, TypeInner::Matrix { .. });
        if op == BinaryOperator::Multiply && matrices {
            return self.matrix_product(&left_type, &right_type, &a, &b);
        }
        let count = a.len().max(b.len());
        let mut out = Vec::with_capacity(count);
        for i in 0..count {
            let pick = |values: &[Value]| values.get(i).or(values.first()).copied();
            let (Some(a), Some(b)) = (pick(&a), pick(&b)) else {
                return Err(LowerError::Malformed("an operand without numbers"));
            };
            out.push(self.binary_scalar(op, kind, a, b)?);
        }
        Ok(out)
    }

    fn binary_scalar(&mut self, op: BinaryOperator, kind: ScalarKind, a: Value, b: Value) -> Result<Value> {
        match kind {
            ScalarKind::Bool => self.binary_bool(op, a, b),
            ScalarKind::Float | ScalarKind::AbstractFloat => self.binary_float(op, a, b),
            ScalarKind::Sint | ScalarKind::Uint | ScalarKind::AbstractInt => {
                self.binary_whole(op, kind == ScalarKind::Uint, a, b)
            }
        }
    }

    fn binary_bool(&mut self, op: BinaryOperator, a: Value, b: Value) -> Result<Value> {
        let builder = &mut self.builder;
        match op {
            BinaryOperator::LogicalAnd | BinaryOperator::And => Ok(builder.and(a, b)),
            BinaryOperator::LogicalOr | BinaryOperator::InclusiveOr => Ok(builder.or(a, b)),
            BinaryOperator::NotEqual | BinaryOperator::ExclusiveOr => Ok(builder.differ(a, b)),
            BinaryOperator::Equal => {
                let differ = builder.differ(a, b);
                Ok(builder.not(differ))
            }
            BinaryOperator::Add
            | BinaryOperator::Subtract
            | BinaryOperator::Multiply
            | BinaryOperator::Divide
            | BinaryOperator::Modulo
            | BinaryOperator::Less
            | BinaryOperator::LessEqual
            | BinaryOperator::Greater
            | BinaryOperator::GreaterEqual
            | BinaryOperator::ShiftLeft
            | BinaryOperator::ShiftRight => Err(LowerError::Malformed("arithmetic on booleans")),
        }
    }

    fn binary_float(&mut self, op: BinaryOperator, a: Value, b: Value) -> Result<Value> {
        match op {
            BinaryOperator::Add => Ok(self.builder.add(a, b)),
            BinaryOperator::Subtract => Ok(self.builder.sub(a, b)),
            BinaryOperator::Multiply => Ok(self.builder.mul(a, b)),
            BinaryOperator::Divide => Ok(self.divide(a, b)),
            BinaryOperator::Modulo => {
                let quotient = self.divide(a, b);
                let whole = self.truncate(quotient);
                let minus = self.builder.neg(whole);
                Ok(self.builder.mad(minus, b, a))
            }
            BinaryOperator::Equal
            | BinaryOperator::NotEqual
            | BinaryOperator::Less
            | BinaryOperator::LessEqual
            | BinaryOperator::Greater
            | BinaryOperator::GreaterEqual => Ok(self.compare(op, a, b)),
            BinaryOperator::And
            | BinaryOperator::ExclusiveOr
            | BinaryOperator::InclusiveOr
            | BinaryOperator::LogicalAnd
            | BinaryOperator::LogicalOr
            | BinaryOperator::ShiftLeft
            | BinaryOperator::ShiftRight => Err(LowerError::Malformed("operations on a float's bits")),
        }
    }

    /// A comparison of two numbers.
    pub(super) fn compare(&mut self, op: BinaryOperator, a: Value, b: Value) -> Value {
        let builder = &mut self.builder;
        match op {
            BinaryOperator::Less => builder.less(a, b),
            BinaryOperator::Greater => builder.less(b, a),
            BinaryOperator::LessEqual => builder.at_least(b, a),
            BinaryOperator::GreaterEqual => builder.at_least(a, b),
            BinaryOperator::NotEqual => {
                let equal = builder.equal(a, b);
                builder.not(equal)
            }
            _ => builder.equal(a, b),
        }
    }

    /// a / b
    pub(super) fn divide(&mut self, a: Value, b: Value) -> Value {
        let inverse = self.builder.rcp(b);
        self.builder.mul(a, inverse)
    }

    /// The whole number next to zero.
    pub(super) fn truncate(&mut self, a: Value) -> Value {
        let size = self.builder.abs(a);
        let floor = self.builder.floor(size);
        let minus = self.builder.neg(floor);
        self.builder.cmp(a, floor, minus)
    }

    /// A scalar as one of another kind.
    pub(super) fn convert(&mut self, from: ScalarKind, to: ScalarKind, value: Value) -> Result<Value> {
        let is_float = |kind| matches!(kind, ScalarKind::Float | ScalarKind::AbstractFloat);
        Ok(match (from, to) {
            (ScalarKind::Bool, ScalarKind::Bool) => value,
            (ScalarKind::Bool, _) => self.builder.number(value),
            (_, ScalarKind::Bool) => self.is_not_zero(value),
            (from, ScalarKind::Uint) if is_float(from) => {
                let zero = self.builder.float(0.0);
                let value = self.builder.max(value, zero);
                self.builder.floor(value)
            }
            (from, to) if is_float(from) && !is_float(to) => self.truncate(value),
            _ => value,
        })
    }
}
