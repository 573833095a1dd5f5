//! The conditional operation unit: one test per lane, before it runs or before its outputs are written.

use ctm_memory::{Bounds, Space, Surface, View};
use ctm_num::flushed;
use std::cmp::Ordering;

/// The test, in the code's order: "Less" means that the client's value is less than the buffer's (CTM Guide p.22).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CondTest {
    /// Fails always.
    Never,
    /// value < buffer
    Less,
    /// value <= buffer
    LessEqual,
    /// value == buffer
    Equal,
    /// value >= buffer
    GreaterEqual,
    /// value > buffer
    Greater,
    /// value != buffer
    NotEqual,
    /// Passes always.
    #[default]
    Always,
}

impl CondTest {
    /// Every test, in the order of its code.
    pub const ALL: [CondTest; 8] = [
        CondTest::Never,
        CondTest::Less,
        CondTest::LessEqual,
        CondTest::Equal,
        CondTest::GreaterEqual,
        CondTest::Greater,
        CondTest::NotEqual,
        CondTest::Always,
    ];

    /// Whether it passes, where the value compares so with the buffer's; none if one is a NaN.
    fn passes(self, order: Option<Ordering>) -> bool {
        match self {
            CondTest::Never => false,
            CondTest::Less => order.is_some_and(Ordering::is_lt),
            CondTest::LessEqual => order.is_some_and(Ordering::is_le),
            CondTest::Equal => order.is_some_and(Ordering::is_eq),
            CondTest::GreaterEqual => order.is_some_and(Ordering::is_ge),
            CondTest::Greater => order.is_some_and(Ordering::is_gt),
            CondTest::NotEqual => order.is_none_or(Ordering::is_ne),
            CondTest::Always => true,
        }
    }

    /// True if the test looks at the buffer.
    pub const fn reads_buffer(self) -> bool {
        !matches!(self, CondTest::Never | CondTest::Always)
    }
}

/// The two clients of the unit; the one that is selected is tested, the other always passes (CTM Guide p.22).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CondLocation {
    /// Conditional output: the lane's value is tested at its end and gates its outputs.
    #[default]
    Dpp,
    /// Conditional execution: the constant value is tested before the lane starts, and gates whether it runs.
    Pe,
}

/// Settings of the conditional unit. The default passes everything and needs no buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conditional {
    /// The test.
    pub test: CondTest,
    /// Which client is tested.
    pub location: CondLocation,
    /// A value that passes is written to the buffer.
    pub write: bool,
    /// The conditional output buffer: FLOAT32_1, UINT16_1 or UINT8_4.
    pub surface: Option<Surface>,
    /// The value of conditional execution, and of lanes that make none themselves, as binary32 bits.
    pub pe_value: u32,
}

impl Conditional {
    /// True if a run with these settings reads or writes the buffer.
    pub const fn needs_buffer(&self) -> bool {
        self.test.reads_buffer() || self.write
    }
}

/// The conditional unit at work on its buffer.
pub struct ConditionalUnit<'a> {
    test: CondTest,
    location: CondLocation,
    write: bool,
    buffer: Option<View<'a>>,
}

impl<'a> ConditionalUnit<'a> {
    /// Binds the settings to memory. Without a surface the buffer reads 0 and drops writes.
    pub fn new(settings: &Conditional, memory: &'a Space) -> Self {
        ConditionalUnit {
            test: settings.test,
            location: settings.location,
            write: settings.write,
            buffer: settings.surface.map(|surface| View::new(memory, surface, Bounds::Drop)),
        }
    }

    /// One request: tests `value` (binary32 bits) against element (i, j) of the buffer, writes it there if it passes and
    /// writing is on, and says whether it passed. The client that is not selected passes without touching the buffer.
    pub fn request(&self, client: CondLocation, i: u32, j: u32, value: u32) -> bool {
        if client != self.location {
            return true;
        }
        let (x, y) = (i.into(), j.into());
        let passes = match self.test.reads_buffer() {
            true => self.test.passes(self.compare(x, y, value)),
            false => self.test == CondTest::Always,
        };
        if let Some(view) = self.buffer.as_ref().filter(|_| passes && self.write) {
            view.replace(x, y, value);
        }
        passes
    }

    fn compare(&self, x: i64, y: i64, value: u32) -> Option<Ordering> {
        self.buffer.as_ref().map_or(flushed::compare(value, 0), |view| view.compare(x, y, value))
    }

    /// True if some access left the mapped memory.
    pub fn out_of_range(&self) -> bool {
        self.buffer.as_ref().is_some_and(View::out_of_range)
    }
}
