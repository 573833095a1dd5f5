//! What a launch of a fragment program is given: pixels, and the inputs there. They are those of a window that one primitive covers, or the
//! quads of any primitives.
//!
//! Invocations come in quads of two by two pixels: lane 0 of a quad is the upper left pixel, lane 1 is right of it, lane 2 below. A window has
//! them row by row. Pixels of a quad that are outside of the window, or that the primitive does not cover, are helpers.

use crate::attributes::{NoMemory, Words};
use crate::header::PixelMaps;
use ctm_memory::Buffer;
use ctm_num::sm50::NAN;
use std::collections::BTreeMap;

/// Address of the window position, x, y, z and 1/w.
pub const FRAGMENT_POSITION: u32 = 0x70;
/// Address of what tells front faces.
pub const FRONT_FACE: u32 = 0x3fc;

/// What an input is over the pixels. Inputs with perspective are given divided by w.
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
    /// A value for each pixel of a window, row by row.
    Values(Vec<u32>),
    /// What primitives have over their quads.
    Primitives(PrimitiveValues),
}

/// An input over the quads of primitives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PrimitiveValues {
    /// At the centre of each invocation's pixel, or at the sample that it runs for.
    pub centres: Vec<u32>,
    /// At a place of each invocation's pixel that the primitive covers; none if the centres do for that.
    pub centroids: Vec<u32>,
    /// How much it changes one pixel to the right, and one pixel down: for each primitive.
    pub slopes: Vec<[f32; 2]>,
    /// The value at the provoking vertex of each primitive.
    pub provoking: Vec<u32>,
}

/// Two by two pixels of a primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PixelQuad {
    /// Column of the left pixels.
    pub x: u32,
    /// Row of the upper pixels.
    pub y: u32,
    /// Bit n: the primitive covers the pixel of lane n.
    pub covered: u8,
    /// The primitive, by its number among those of the launch.
    pub primitive: u32,
    /// Bit s of entry n: the primitive covers sample s of the pixel of lane n.
    pub samples: [u8; 4],
    /// The sample that the invocations run for; 0 of those that run for all samples of their pixels.
    pub sample: u8,
}

impl PixelQuad {
    /// Pixels of one sample, of which these lanes are covered.
    pub fn of_one_sample((x, y): (u32, u32), covered: u8, primitive: u32) -> Self {
        PixelQuad { x, y, covered, primitive, samples: [0, 1, 2, 3].map(|lane| covered >> lane & 1), sample: 0 }
    }
}

/// Where in its pixel an invocation looks at an input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PixelPlace {
    /// At the centre, or at the sample that it runs for.
    Centre,
    /// Where the primitive covers the pixel.
    Centroid,
    /// So far from the centre to the right and down, in pixels.
    Offset(f32, f32),
}

/// Which pixels a launch has.
#[derive(Clone, Debug)]
enum Places {
    Window { width: u32, height: u32 },
    Quads(Vec<PixelQuad>),
}

/// The pixels of a launch, and what their fragments leave.
#[derive(Clone, Debug)]
pub struct Pixels {
    places: Places,
    registers: u32,
    inputs: BTreeMap<u32, PixelInput>,
    results: Words,
    samples: u32,
    is_flat: bool,
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
        let quads = u64::from(width.div_ceil(2)) * u64::from(height.div_ceil(2));
        Self::of_places(Places::Window { width, height }, quads, maps, given)
    }

    /// Quads of primitives, in their order. Inputs are as in [`new`](Self::new).
    ///
    /// # Errors
    /// As there.
    pub fn of_quads(
        quads: Vec<PixelQuad>,
        maps: &PixelMaps,
        given: impl IntoIterator<Item = (u32, PixelInput)>,
    ) -> Result<Self, NoMemory> {
        let count = quads.len() as u64;
        Self::of_places(Places::Quads(quads), count, maps, given)
    }

    fn of_places(
        places: Places,
        quads: u64,
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
        let results = Words::new(4 * quads * u64::from(registers + 1))?;
        Ok(Pixels { places, registers, inputs, results, samples: 1, is_flat: false })
    }

    /// The same whose pixels have so many samples.
    pub fn with_samples(self, samples: u32) -> Self {
        Pixels { samples, ..self }
    }

    /// The same with a shade model: colours that are read by it (`IPA.SC`) are those of the provoking vertices.
    pub fn with_flat_colours(self, is_flat: bool) -> Self {
        Pixels { is_flat, ..self }
    }

    /// Samples of a pixel.
    pub fn samples(&self) -> u32 {
        self.samples
    }

    /// Whether the shade model is flat.
    pub fn has_flat_colours(&self) -> bool {
        self.is_flat
    }

    /// The samples of an invocation's pixel that its primitive covers: bit s for sample s.
    pub fn coverage(&self, invocation: u32) -> u32 {
        match &self.places {
            Places::Window { .. } => self.covers(invocation).into(),
            Places::Quads(quads) => {
                quads.get(invocation as usize / 4).map_or(0, |quad| quad.samples[invocation as usize % 4].into())
            }
        }
    }

    /// The sample that an invocation runs for; 0 if it runs for all of its pixel.
    pub fn sample(&self, invocation: u32) -> u32 {
        self.quads().get(invocation as usize / 4).map_or(0, |quad| quad.sample.into())
    }

    /// The same with what the fragments leave in other words.
    pub(crate) fn with_results(self, results: Words) -> Self {
        Pixels { results, ..self }
    }

    /// The words of what the fragments leave.
    pub(crate) fn result_words(&self) -> &Words {
        &self.results
    }

    /// Registers that a fragment leaves.
    pub(crate) fn registers(&self) -> u32 {
        self.registers
    }

    /// Columns and rows of a window; `None` if the pixels are quads of primitives.
    pub fn size(&self) -> Option<(u32, u32)> {
        match self.places {
            Places::Window { width, height } => Some((width, height)),
            Places::Quads(_) => None,
        }
    }

    /// The quads of primitives; none of a window.
    pub(crate) fn quads(&self) -> &[PixelQuad] {
        match &self.places {
            Places::Window { .. } => &[],
            Places::Quads(quads) => quads,
        }
    }

    /// What the inputs are, by address.
    pub(crate) fn inputs(&self) -> &BTreeMap<u32, PixelInput> {
        &self.inputs
    }

    /// What the fragments leave: column by column a word for each invocation. The first one says whether the others hold something.
    pub fn results(&self) -> Buffer<'_> {
        self.results.buffer()
    }

    /// Invocations, helpers among them.
    pub fn invocations(&self) -> u32 {
        match &self.places {
            Places::Window { width, height } => 4 * width.div_ceil(2) * height.div_ceil(2),
            Places::Quads(quads) => 4 * quads.len() as u32,
        }
    }

    /// The pixel of an invocation.
    pub fn pixel(&self, invocation: u32) -> (u32, u32) {
        let (quad, lane) = (invocation / 4, invocation % 4);
        let (x, y) = match &self.places {
            Places::Window { width, .. } => {
                let across = width.div_ceil(2).max(1);
                (2 * (quad % across), 2 * (quad / across))
            }
            Places::Quads(quads) => quads.get(quad as usize).map_or((0, 0), |quad| (quad.x, quad.y)),
        };
        (x + lane % 2, y + lane / 2)
    }

    /// Whether an invocation has something to put out. Others are helpers.
    pub fn covers(&self, invocation: u32) -> bool {
        match &self.places {
            Places::Window { width, height } => {
                let (x, y) = self.pixel(invocation);
                x < *width && y < *height
            }
            Places::Quads(quads) => {
                quads.get(invocation as usize / 4).is_some_and(|quad| quad.covered >> (invocation % 4) & 1 != 0)
            }
        }
    }

    /// The primitive of an invocation: a window has one.
    fn primitive(&self, invocation: u32) -> usize {
        match &self.places {
            Places::Window { .. } => 0,
            Places::Quads(quads) => quads.get(invocation as usize / 4).map_or(0, |quad| quad.primitive as usize),
        }
    }

    /// The invocation of a pixel of a window; `None` if there is none.
    pub fn invocation(&self, (x, y): (u32, u32)) -> Option<u32> {
        let (width, height) = self.size()?;
        (x < width && y < height).then(|| 4 * (y / 2 * width.div_ceil(2) + x / 2) + y % 2 * 2 + x % 2)
    }

    /// An input at a place of an invocation's pixel.
    pub fn input(&self, address: u32, invocation: u32, place: PixelPlace) -> u32 {
        let (right, down) = match place {
            PixelPlace::Centre | PixelPlace::Centroid => (0.0, 0.0),
            PixelPlace::Offset(right, down) => (right, down),
        };
        let (x, y) = self.pixel(invocation);
        let (x, y) = (x as f32 + 0.5 + right, y as f32 + 0.5 + down);
        match self.inputs.get(&address) {
            None => 0,
            Some(PixelInput::Constant(bits)) => *bits,
            Some(PixelInput::Plane { origin, dx, dy }) => computed(origin + (x * dx + y * dy)),
            // Outside, the values of the border go on.
            Some(PixelInput::Values(values)) => self.value(values, (x.max(0.0) as u32, y.max(0.0) as u32)),
            Some(PixelInput::Primitives(PrimitiveValues { centres, centroids, slopes, .. })) => {
                let is_centroid = place == PixelPlace::Centroid && !centroids.is_empty();
                let values = if is_centroid { centroids } else { centres };
                let centre = values.get(invocation as usize).copied().unwrap_or(0);
                match slopes.get(self.primitive(invocation)) {
                    Some([dx, dy]) if (right, down) != (0.0, 0.0) => {
                        computed(f32::from_bits(centre) + (right * dx + down * dy))
                    }
                    _ => centre,
                }
            }
        }
    }

    /// The provoking vertex' value of an input: that of a plane at the window's corner, or the pixel's where each has its own.
    pub fn provoking(&self, address: u32, invocation: u32) -> u32 {
        match self.inputs.get(&address) {
            None => 0,
            Some(PixelInput::Constant(bits)) => *bits,
            Some(PixelInput::Plane { origin, .. }) => origin.to_bits(),
            Some(PixelInput::Values(values)) => self.value(values, self.pixel(invocation)),
            Some(PixelInput::Primitives(PrimitiveValues { provoking, .. })) => {
                provoking.get(self.primitive(invocation)).copied().unwrap_or(0)
            }
        }
    }

    /// The value of a window's pixel, or of the one next to it in the window.
    fn value(&self, values: &[u32], (x, y): (u32, u32)) -> u32 {
        let Some((width, height)) = self.size() else { return 0 };
        let (x, y) = (x.min(width.saturating_sub(1)), y.min(height.saturating_sub(1)));
        values.get(y as usize * width as usize + x as usize).copied().unwrap_or(0)
    }

    /// What all fragments leave, read at once.
    pub fn result_columns(&self) -> ResultColumns {
        let mut words = vec![0; self.results.len() as usize];
        self.results.read(0, &mut words);
        ResultColumns { words, invocations: self.invocations() as usize }
    }

    /// What the fragment of a window's pixel leaves, as [`result_of`](Self::result_of) gives it.
    pub fn result(&self, pixel: (u32, u32)) -> Option<Vec<u32>> {
        self.result_of(self.invocation(pixel)?)
    }

    /// The registers of a fragment's outputs, in their order; `None` if the pixel keeps what it had.
    pub fn result_of(&self, invocation: u32) -> Option<Vec<u32>> {
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

/// What the fragments of a launch leave.
#[derive(Clone, Debug)]
pub struct ResultColumns {
    words: Vec<u32>,
    invocations: usize,
}

impl ResultColumns {
    /// Whether an invocation leaves something; otherwise its pixel keeps what it had.
    #[inline]
    pub fn has(&self, invocation: u32) -> bool {
        self.words.get(invocation as usize).is_some_and(|&word| word != 0)
    }

    /// A register of its outputs, by number.
    #[inline]
    pub fn register(&self, invocation: u32, register: u32) -> u32 {
        let column = (register as usize + 1) * self.invocations;
        self.words.get(column + invocation as usize).copied().unwrap_or(0)
    }
}

/// A number that was computed: a NaN has one form.
fn computed(value: f32) -> u32 {
    if value.is_nan() { NAN } else { value.to_bits() }
}
