//! Values that others take the place of.

use crate::entity::Value;
use crate::function::Function;

/// For each value, what takes its place.
pub(crate) struct Replacement {
    by: Vec<Value>,
}

impl Replacement {
    /// Every value stays.
    pub(crate) fn new(function: &Function) -> Self {
        Self { by: (0..function.value_count()).map(Value::new).collect() }
    }

    /// Notes values that were made meanwhile: they stay.
    pub(crate) fn extend(&mut self, function: &Function) {
        self.by.extend((self.by.len()..function.value_count()).map(Value::new));
    }

    /// From now on `by` takes the place of `value`.
    pub(crate) fn set(&mut self, value: Value, by: Value) {
        self.by[value.index()] = by;
    }

    /// What stands for the value in the end.
    pub(crate) fn get(&self, mut value: Value) -> Value {
        while self.by[value.index()] != value {
            value = self.by[value.index()];
        }
        value
    }

    /// Whether another value stands for this one.
    pub(crate) fn has(&self, value: Value) -> bool {
        self.by[value.index()] != value
    }

    /// Rewrites every operand.
    pub(crate) fn apply(&self, function: &mut Function) {
        function.map_operands(|value| self.get(value));
    }
}
