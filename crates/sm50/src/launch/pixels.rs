//! What a launch of a fragment program is given: a window of pixels, all of which one primitive covers, and its inputs.
//!
//! Invocations come in quads of two by two pixels, quad by quad and row by row: lane 0 of a quad is the upper left pixel, lane 1 is right
//! of it, lane 2 below. Pixels of a quad that are outside of the window are helpers.

use crate::attributes::{NoMemory, Words};
use crate::header::PixelMaps;
use std::collections::BTreeMap;

/// Address of the window position, x, y, z and 1/w.
pub const FRAGMENT_POSITION: u32 = 0x70;
/// Address of what tells front faces.
pub const FRONT_FACE: u32 = 0x3fc;

/// What an input is over the window. Inputs with perspective are given divided by w.
#[derive(Clone, Debug, PartialEq)]
pub enum PixelInput {
    /// The same everywhere: bits, which no arithmetic touches.
    Constant(u32),
    /// A plane: its value at the window's upper left corner, and how it changes from pixel to pixel.
    Plane {
        /// At the corner.
        origin: f32,
        /// One pixel to the right.
        dx: f32,
        /// One pixel down.
        dy: f32,
    },
    /// A value for each pixel, row by row: as many as the window has pixels.
    Values(Vec<u32>),
}

/// The pixels of a launch, and what their fragments leave.
#[derive(Clone, Debug)]
pub struct Pixels {
    width: u32,
    height: u32,
    registers: u32,
    inputs: BTreeMap<u32, PixelInput>,
    results: Words,
}

impl Pixels {
    /// A window for a program with these outputs. The position is the pixel's, at depth 0, with w 1; faces are front ones, unless the inputs
    /// say otherwise. Inputs that are not given are 0.
    ///
    /// # Errors
    /// There is no memory for what the fragments leave.
    pub fn new(
        (width, height): (u32, u32),
        maps: &PixelMaps,
        given: impl IntoIterator<Item = (u32, PixelInput)>,
    ) -> Result<Self, NoMemory> {
        let plane = |dx, dy| PixelInput::Plane { origin: 0.0, dx, dy };
        let mut inputs = BTreeMap::from([
            (FRAGMENT_POSITION, plane(1.0, 0.0)),
            (FRAGMENT_POSITION + 4, plane(0.0, 1.0)),
            (FRAGMENT_POSITION + 12, PixelInput::Constant(1.0f32.to_bits())),
            (FRONT_FACE, PixelInput::Constant(u32::MAX)),
        ]);
        inputs.extend(given);
        let registers = maps.output_registers();
        let quads = u64::from(width.div_ceil(2)) * u64::from(height.div_ceil(2));
        let results = Words::new(4 * quads * u64::from(registers + 1))?;
        Ok(Pixels { width, height, registers, inputs, results })
    }

    /// Columns and rows.
    pub fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// Invocations, helpers among them.
    pub fn invocations(&self) -> u32 {
        4 * self.width.div_ceil(2) * self.height.div_ceil(2)
    }

    /// The pixel of an invocation.
    pub fn pixel(&self, invocation: u32) -> (u32, u32) {
        let (quad, lane, across) = (invocation / 4, invocation % 4, self.width.div_ceil(2).max(1));
        (2 * (quad % across) + lane % 2, 2 * (quad / across) + lane / 2)
    }

    /// The invocation of a pixel.
    pub fn invocation(&self, (x, y): (u32, u32)) -> u32 {
        4 * (y / 2 * self.width.div_ceil(2) + x / 2) + y % 2 * 2 + x % 2
    }

    /// Whether an invocation's pixel is in the window. Others are helpers.
    pub fn covers(&self, invocation: u32) -> bool {
        let (x, y) = self.pixel(invocation);
        x < self.width && y < self.height
    }

    /// An input at a place of the window, in pixels from its upper left corner.
    pub fn plane(&self, address: u32, (x, y): (f32, f32)) -> u32 {
        match self.inputs.get(&address) {
            None => 0,
            Some(PixelInput::Constant(bits)) => *bits,
            Some(PixelInput::Plane { origin, dx, dy }) => (origin + (x * dx + y * dy)).to_bits(),
            Some(PixelInput::Values(values)) => {
                let last = (self.width.saturating_sub(1), self.height.saturating_sub(1));
                // Outside, the values of the border go on.
                let (x, y) = ((x.max(0.0) as u32).min(last.0), (y.max(0.0) as u32).min(last.1));
                values.get(y as usize * self.width as usize + x as usize).copied().unwrap_or(0)
            }
        }
    }

    /// The provoking vertex' value of an input: that of a plane at the window's corner, or the pixel's where each has its own.
    pub fn provoking(&self, address: u32, (x, y): (u32, u32)) -> u32 {
        match self.inputs.get(&address) {
            Some(PixelInput::Plane { origin, .. }) => origin.to_bits(),
            _ => self.plane(address, (x as f32, y as f32)),
        }
    }

    /// The registers of a fragment's outputs, in their order; `None` if the pixel keeps what it had.
    pub fn result(&self, pixel: (u32, u32)) -> Option<Vec<u32>> {
        let invocation = self.invocation(pixel);
        let word = |column: u32| self.results.buffer().load(self.place(column, invocation));
        (word(0) != 0).then(|| (1..=self.registers).map(word).collect())
    }

    /// Keeps the outputs of a fragment, by number of the register.
    pub(crate) fn keep(&self, invocation: u32, register: impl Fn(u32) -> u32) {
        let buffer = self.results.buffer();
        (0..self.registers).for_each(|n| buffer.store(self.place(n + 1, invocation), register(n)));
        buffer.store(self.place(0, invocation), 1);
    }

    fn place(&self, column: u32, invocation: u32) -> u32 {
        4 * (column * self.invocations() + invocation)
    }
}
