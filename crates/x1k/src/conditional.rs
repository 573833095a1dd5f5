//! The conditional operation unit: one test per lane, before it runs or before its outputs are written.

use ctm_memory::{Bounds, Format, Space, Surface, View};
use ctm_num::{convert, x1k};

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
    buffer: Option<(View<'a>, Format)>,
}

/// A value as the buffer stores it: what the unit compares.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stored {
    /// FLOAT32_1: binary32 bits, compared as numbers.
    Float(u32),
    /// UINT16_1 and UINT8_4: an unsigned fraction of 16 or 24 bits.
    Fraction(u32),
}

impl Stored {
    fn of(value: u32, format: Format) -> Stored {
        match format {
            Format::Uint16_1 => Stored::Fraction(convert::f32_to_unorm16(value).into()),
            Format::Uint8_4 => Stored::Fraction(convert::f32_to_unorm24(value)),
            Format::Float32_1 | Format::Float32_2 | Format::Float32_4 => Stored::Float(value),
        }
    }

    fn is_less(self, other: Stored) -> bool {
        match (self, other) {
            (Stored::Float(a), Stored::Float(b)) => x1k::less(a, b),
            (Stored::Fraction(a), Stored::Fraction(b)) => a < b,
            _ => false,
        }
    }

    fn is_equal(self, other: Stored) -> bool {
        match (self, other) {
            (Stored::Float(a), Stored::Float(b)) => x1k::equal(a, b),
            (Stored::Fraction(a), Stored::Fraction(b)) => a == b,
            _ => false,
        }
    }
}

impl<'a> ConditionalUnit<'a> {
    /// Binds the settings to memory. Without a surface the buffer reads 0 and drops writes.
    pub fn new(settings: &Conditional, memory: &'a Space) -> Self {
        ConditionalUnit {
            test: settings.test,
            location: settings.location,
            write: settings.write,
            buffer: settings.surface.map(|surface| (View::new(memory, surface, Bounds::Drop), surface.format)),
        }
    }

    /// One request: tests `value` (binary32 bits) against element (i, j) of the buffer, writes it there if it passes and
    /// writing is on, and says whether it passed. The client that is not selected passes without touching the buffer.
    pub fn request(&self, client: CondLocation, i: u32, j: u32, value: u32) -> bool {
        if client != self.location {
            return true;
        }
        let passes = self.passes(i, j, value);
        if passes
            && self.write
            && let Some((view, format)) = &self.buffer
        {
            let (Stored::Float(bits) | Stored::Fraction(bits)) = Stored::of(value, *format);
            view.store_raw(i.into(), j.into(), [bits, 0, 0, 0]);
        }
        passes
    }

    fn passes(&self, i: u32, j: u32, value: u32) -> bool {
        if !self.test.reads_buffer() {
            return self.test == CondTest::Always;
        }
        let format = self.buffer.as_ref().map_or(Format::Float32_1, |(_, format)| *format);
        let (value, stored) = (Stored::of(value, format), self.stored(i, j));
        match self.test {
            CondTest::Never => false,
            CondTest::Less => value.is_less(stored),
            CondTest::LessEqual => value.is_less(stored) || value.is_equal(stored),
            CondTest::Equal => value.is_equal(stored),
            CondTest::GreaterEqual => stored.is_less(value) || value.is_equal(stored),
            CondTest::Greater => stored.is_less(value),
            CondTest::NotEqual => !value.is_equal(stored),
            CondTest::Always => true,
        }
    }

    /// What the buffer holds at (i, j).
    fn stored(&self, i: u32, j: u32) -> Stored {
        let Some((view, format)) = &self.buffer else { return Stored::Float(0) };
        let bits = view.load_raw(i.into(), j.into())[0];
        match format {
            Format::Uint16_1 => Stored::Fraction(bits),
            // The top byte takes no part.
            Format::Uint8_4 => Stored::Fraction(bits & 0xFF_FFFF),
            Format::Float32_1 | Format::Float32_2 | Format::Float32_4 => Stored::Float(bits),
        }
    }

    /// True if some access left the mapped memory.
    pub fn out_of_range(&self) -> bool {
        self.buffer.as_ref().is_some_and(|(view, _)| view.out_of_range())
    }
}
