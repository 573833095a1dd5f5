//! What code may reach, and what it relies on: the sizes of the objects behind its context, and the positions that it is
//! called for.

use crate::context;
use crate::resources::{BUFFER_MIDDLE, Resource, operations, written_by};
use ctm_engine::SurfaceLayout;
use ctm_lane::{Buffer, Function, Surface};
use std::collections::HashSet;
use std::fmt;

/// A piece of memory that code may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    /// The constants in front of the code.
    Pool,
    /// The context of the call.
    Context,
    /// The context's pointers.
    Pointers,
    /// The counts of the words of buffers.
    Words,
    Table(usize),
    Surface(usize),
    Buffer(usize),
    Array(usize),
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Pool => write!(f, "the constants"),
            Self::Context => write!(f, "the context"),
            Self::Pointers => write!(f, "the context's pointers"),
            Self::Words => write!(f, "the buffers' counts of words"),
            Self::Table(number) => write!(f, "table {number}"),
            Self::Surface(number) => write!(f, "surface {number}"),
            Self::Buffer(number) => write!(f, "buffer {number}"),
            Self::Array(number) => write!(f, "array {number}"),
        }
    }
}

/// Positions are integers of 16 bits; groups at the end of a row go beyond.
const POSITIONS: i64 = 1 << 16;

/// What code is called for. Whoever calls it answers for this, with [`Calls::allows`]; nothing else is assumed of
/// positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calls {
    /// Bounds of the first position of a group, inclusive.
    pub x: (i64, i64),
    /// Bounds of the row of a group, inclusive.
    pub y: (i64, i64),
    /// Positions from one round of the code to the next: it goes from `x` to `x_end` in such steps.
    pub step: u32,
}

impl Calls {
    /// For positions in a window that take so many columns and rows a round.
    pub fn new(x: (i64, i64), y: (i64, i64), (step, rows): (u32, u32)) -> Self {
        let columns = (x.0.max(0), x.1.min(POSITIONS + i64::from(step)) - i64::from(step) + 1);
        Self { x: columns, y: (y.0.max(0), y.1.min(POSITIONS) - i64::from(rows) + 1), step }
    }

    /// Whether there is no position to call code for.
    pub fn is_empty(&self) -> bool {
        self.x.0 > self.x.1 || self.y.0 > self.y.1
    }

    /// Whether code may be called for the groups that start at `x`, and before `end`, in row `y`.
    pub fn allows(&self, (x, end): (u32, u32), y: u32) -> bool {
        let last = i64::from(end) - i64::from(self.step);
        x < end
            && (end - x).is_multiple_of(self.step)
            && self.x.0 <= i64::from(x)
            && last <= self.x.1
            && (self.y.0..=self.y.1).contains(&i64::from(y))
    }
}

/// The objects of code for a function, with their sizes, and what it is called for.
#[derive(Clone, Debug)]
pub struct Objects {
    pub entry: Calls,
    /// Bytes of each.
    tables: Vec<u64>,
    surfaces: Vec<u64>,
    arrays: Vec<u64>,
    buffers: usize,
    /// What the function writes.
    written: HashSet<Resource>,
}

impl Objects {
    /// What [`Code::run`](ctm_engine::Code::run) gives to code for this function, with vectors of so many bytes.
    pub fn new(function: &Function, layouts: &[SurfaceLayout], vector: i32, entry: Calls) -> Self {
        // The space of an entry, whatever it holds.
        let entry_bytes = vector.unsigned_abs();
        Self {
            entry,
            tables: function.tables.iter().map(|table| u64::from(table.entries) * 4).collect(),
            surfaces: layouts.iter().map(|layout| if layout.whole { layout.bytes() } else { 0 }).collect(),
            arrays: function.arrays.iter().map(|array| u64::from(array.entries) * u64::from(entry_bytes)).collect(),
            buffers: function.buffers.into(),
            written: operations(function).filter_map(|(_, op)| written_by(op)).collect(),
        }
    }

    /// What the pointer with this number points to, and at which of its bytes.
    pub fn pointer(&self, number: usize) -> Option<(Object, i64)> {
        let [tables, surfaces] = [self.tables.len(), self.surfaces.len()];
        let buffers = tables + surfaces;
        let arrays = buffers + self.buffers;
        match number {
            _ if number < tables => Some((Object::Table(number), 0)),
            _ if number < buffers => Some((Object::Surface(number - tables), 0)),
            _ if number < arrays => Some((Object::Buffer(number - buffers), BUFFER_MIDDLE as i64)),
            _ if number < arrays + self.arrays.len() => Some((Object::Array(number - arrays), 0)),
            _ => None,
        }
    }

    /// Bytes of an object; those of a buffer are known only when code runs.
    pub fn bytes(&self, object: Object, pool_words: usize) -> u64 {
        let of = |sizes: &[u64], number: usize| sizes.get(number).copied().unwrap_or(0);
        let pointers = self.tables.len() + self.surfaces.len() + self.buffers + self.arrays.len();
        match object {
            Object::Pool => pool_words as u64 * 4,
            Object::Context => size_of::<context::Context>() as u64,
            Object::Pointers => pointers as u64 * 8,
            Object::Words => self.buffers as u64 * 4,
            Object::Table(number) => of(&self.tables, number),
            Object::Surface(number) => of(&self.surfaces, number),
            Object::Array(number) => of(&self.arrays, number),
            Object::Buffer(_) => 0,
        }
    }

    /// Whether code may write these bytes of an object, from the first one on; of the context, that is fields of four bytes.
    pub fn is_writable(&self, object: Object, first: i64, bytes: u64) -> bool {
        match object {
            Object::Context => bytes <= 4 && [context::FLAGS, context::STOPPED].map(i64::from).contains(&first),
            Object::Array(_) => true,
            Object::Surface(number) => self.written.contains(&Resource::Surface(Surface::new(number))),
            Object::Buffer(number) => self.written.contains(&Resource::Buffer(Buffer::new(number))),
            Object::Pool | Object::Pointers | Object::Words | Object::Table(_) => false,
        }
    }
}
