//! What is known of values beyond their types: side tables for simplifications and engines.

mod range;
mod shape;

pub use range::{ValueRange, ValueRanges};
pub use shape::{Axis, LaneShape, LaneShapes};
