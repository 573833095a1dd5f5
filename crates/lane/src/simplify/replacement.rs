//! Values that others take the place of.

use crate::entity::Value;
use crate::function::Function;
use std::cell::Cell;

/// For each value, what takes its place.
pub(crate) struct ValueReplacement {
    by: Vec<Cell<Value>>,
}

impl ValueReplacement {
    /// Every value stays.
    pub(crate) fn new(function: &Function) -> Self {
        Self { by: (0..function.value_count()).map(|value| Cell::new(Value::new(value))).collect() }
    }

    /// Notes values that were made meanwhile: they stay.
    pub(crate) fn extend(&mut self, function: &Function) {
        self.by.extend((self.by.len()..function.value_count()).map(|value| Cell::new(Value::new(value))));
    }

    /// From now on `by` takes the place of `value`.
    pub(crate) fn set(&mut self, value: Value, by: Value) {
        self.by[value.index()].set(by);
    }

    /// What stands for the value in the end.
    pub(crate) fn get(&self, value: Value) -> Value {
        let first = self.next(value);
        // Most values stay, or have one in their place that does.
        if first == value || self.next(first) == first { first } else { self.end_of_way(value) }
    }

    fn next(&self, value: Value) -> Value {
        self.by[value.index()].get()
    }

    /// The same of a long way, which is gone once.
    #[inline(never)]
    fn end_of_way(&self, value: Value) -> Value {
        let next = |value| self.next(value);
        let mut end = next(value);
        while next(end) != end {
            end = next(end);
        }
        let mut at = value;
        while next(at) != end {
            at = self.by[at.index()].replace(end);
        }
        end
    }

    /// Whether another value stands for this one.
    pub(crate) fn has(&self, value: Value) -> bool {
        self.by[value.index()].get() != value
    }

    /// Rewrites every operand.
    pub(crate) fn apply(&self, function: &mut Function) {
        function.map_operands(|value| self.get(value));
    }
}
