//! What functions know of the pixels of a launch, and what they are given of them.
//!
//! Lanes stand at the places of an area, in quads: the pixels of a window at their own, the quads of primitives in rows of [`QUADS_OF_ROW`].

use crate::launch::{PixelInput, PixelLines, PixelQuad, Pixels, PrimitiveValues};
use ctm_lane::domain::{AXIS, Domain, Lanes};

/// Quads of primitives that lie side by side.
const QUADS_OF_ROW: u32 = 1 << 12;

/// What functions know of pixels.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PixelLayout {
    /// Where they are.
    pub area: PixelArea,
    /// The inputs, each with its address.
    pub inputs: Vec<(u32, InputKind)>,
    /// Samples of a pixel.
    pub samples: u32,
    /// The shade model is flat.
    pub is_flat: bool,
}

/// Where pixels are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PixelArea {
    /// In a window, at the places of lanes.
    Window,
    /// In quads of primitives, in rows.
    Quads,
    /// In lines: lanes do not know where they are.
    Lines {
        /// Words of a row.
        pitch: u32,
        /// Of each register that is put out, whether somebody wants it.
        outputs: Vec<bool>,
        /// Lanes that are killed are told from others.
        has_valid: bool,
    },
}

/// What an input is over the pixels. Lists are counted over the inputs of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InputKind {
    /// The same everywhere.
    Constant,
    /// A plane.
    Plane,
    /// A list with a value for each pixel of a window.
    Values(u32),
    /// A list with a value for each invocation, and one with what each primitive has; and a list with a value for each invocation where the
    /// primitive covers its pixel.
    Primitives {
        /// The list of the values at centres, and of what primitives have.
        list: u32,
        /// The list of the others, if they are others.
        centroids: Option<u32>,
    },
    /// Words of lines, by their numbers.
    Lines {
        /// What the lane's pixel has.
        value: Option<u32>,
        /// What the provoking vertex of its primitive has.
        provoking: Option<u32>,
    },
}

impl PixelLayout {
    /// Of pixels; `None` if functions do not reach them all, or inputs lack values.
    pub fn of(pixels: &Pixels) -> Option<Self> {
        let (window, quads, all) = (pixels.size(), pixels.quads(), primitives(pixels) as usize);
        let invocations = u64::from(pixels.invocations());
        let (mut lists, mut words) = (0, 0);
        let mut inputs = Vec::new();
        for (&address, input) in pixels.inputs() {
            let kind = match input {
                PixelInput::Constant(_) => InputKind::Constant,
                PixelInput::Plane { .. } => InputKind::Plane,
                PixelInput::Values(_) => InputKind::Values(lists),
                PixelInput::Primitives(PrimitiveValues { centres, centroids, slopes, provoking }) => {
                    let has_values = |values: &[u32]| values.len() as u64 >= invocations;
                    let has_centroids = !centroids.is_empty();
                    let has_all = has_values(centres) && slopes.len() >= all && provoking.len() >= all;
                    if !has_all || has_centroids && !has_values(centroids) {
                        return None;
                    }
                    InputKind::Primitives { list: lists, centroids: has_centroids.then_some(lists + 1) }
                }
            };
            let own = match kind {
                InputKind::Constant | InputKind::Plane | InputKind::Lines { .. } => 0,
                InputKind::Values(_) | InputKind::Primitives { centroids: None, .. } => 1,
                InputKind::Primitives { centroids: Some(_), .. } => 2,
            };
            lists += own;
            words += u64::from(own) * invocations.max(u64::from(PRIMITIVE_WORDS) * all as u64);
            inputs.push((address, kind));
        }
        let (width, height) = window.unwrap_or_default();
        let is_reached = width.max(height) < AXIS && quads.len() as u64 / u64::from(QUADS_OF_ROW) < u64::from(AXIS / 2);
        let layout = PixelLayout {
            area: if window.is_some() { PixelArea::Window } else { PixelArea::Quads },
            inputs,
            samples: pixels.samples(),
            is_flat: pixels.has_flat_colours(),
        };
        (is_reached && u32::try_from(4 * words).is_ok()).then_some(layout)
    }

    /// Of lines.
    pub fn of_lines(lines: &PixelLines) -> Self {
        let outputs = lines.outputs.iter().map(Option::is_some).collect();
        PixelLayout {
            area: PixelArea::Lines { pitch: lines.pitch, outputs, has_valid: lines.valid.is_some() },
            inputs: input_kinds(lines),
            samples: 1,
            is_flat: lines.is_flat,
        }
    }

    /// Entries of the table of inputs.
    pub fn entries(&self) -> u32 {
        (self.inputs.len() as u32 * INPUT_ENTRIES).next_power_of_two()
    }
}

/// The inputs of a launch over lines, by address, each with the lines of its values.
fn input_kinds(lines: &PixelLines) -> Vec<(u32, InputKind)> {
    let mut kinds: Vec<(u32, [Option<u32>; 2])> = Vec::new();
    for (number, (input, _)) in (0..).zip(lines.inputs) {
        let at = kinds.iter().position(|(address, _)| *address == input.address).unwrap_or_else(|| {
            kinds.push((input.address, [None; 2]));
            kinds.len() - 1
        });
        kinds[at].1[usize::from(input.is_provoking)] = Some(number);
    }
    kinds.into_iter().map(|(address, [value, provoking])| (address, InputKind::Lines { value, provoking })).collect()
}

/// Where the lanes of pixels are.
pub(crate) fn lanes(pixels: &Pixels) -> Lanes {
    let across = quads_across(pixels);
    let quads = pixels.invocations() / 4;
    let rows = quads.div_ceil(across.max(1));
    Domain::of_size(2 * across, 2 * rows).map_or(Lanes::Line(0), Lanes::Area)
}

/// Quads that lie side by side.
pub(crate) fn quads_across(pixels: &Pixels) -> u32 {
    match pixels.size() {
        Some((width, _)) => width.div_ceil(2),
        None => QUADS_OF_ROW.min(pixels.quads().len() as u32),
    }
}

/// Primitives that have quads.
pub(super) fn primitives(pixels: &Pixels) -> u32 {
    pixels.quads().iter().map(|quad| quad.primitive.saturating_add(1)).max().unwrap_or(0)
}

/// Entries that an input has in a table.
pub(super) const INPUT_ENTRIES: u32 = 4;

/// The words of the table of inputs: those of each are its value at the corner, and how much it changes to the right and down.
pub(super) fn input_words(pixels: &Pixels) -> Vec<u32> {
    let words = |input: &PixelInput| match *input {
        PixelInput::Constant(bits) => [bits, 0, 0, 0],
        PixelInput::Plane { origin, dx, dy } => [origin.to_bits(), dx.to_bits(), dy.to_bits(), 0],
        PixelInput::Values(_) | PixelInput::Primitives(_) => [0; 4],
    };
    let mut all: Vec<u32> = pixels.inputs().values().flat_map(words).collect();
    all.resize(all.len().next_power_of_two(), 0);
    all
}

/// Words of a quad.
pub(super) const QUAD_WORDS: u32 = 8;

/// The words of quads: column and row of each, the pixels that are covered, the primitive, the samples of each pixel that are covered, a byte each, and
/// the sample that the invocations run for.
pub(crate) fn quad_words(pixels: &Pixels) -> Vec<u32> {
    let words = |&PixelQuad { x, y, covered, primitive, samples, sample }: &PixelQuad| {
        [x, y, covered.into(), primitive, u32::from_le_bytes(samples), sample.into(), 0, 0]
    };
    pixels.quads().iter().flat_map(words).collect()
}

/// The words of the inputs that have a value for each pixel of a window, or for each invocation, one input after the other.
pub(crate) fn pixel_values(pixels: &Pixels) -> Vec<u32> {
    let count = pixels.size().map_or(pixels.invocations(), |(width, height)| width * height) as usize;
    let mut words = Vec::new();
    for input in pixels.inputs().values() {
        let lists: [&[u32]; 2] = match input {
            PixelInput::Constant(_) | PixelInput::Plane { .. } => continue,
            PixelInput::Values(values) => [values, &[]],
            PixelInput::Primitives(PrimitiveValues { centres, centroids, .. }) => [centres, centroids],
        };
        for (number, values) in lists.into_iter().enumerate() {
            if number > 0 && values.is_empty() {
                continue;
            }
            let end = words.len() + count;
            words.extend(values.iter().take(count));
            words.resize(end, 0);
        }
    }
    words
}

/// Words of a primitive.
pub(super) const PRIMITIVE_WORDS: u32 = 4;

/// The words of the inputs that have something for each primitive, one input after the other: how much they change to the right and down, and
/// the value of the provoking vertex.
pub(crate) fn primitive_values(pixels: &Pixels) -> Vec<u32> {
    let count = primitives(pixels) as usize;
    let mut words = Vec::new();
    for input in pixels.inputs().values() {
        match input {
            PixelInput::Constant(_) | PixelInput::Plane { .. } => {}
            PixelInput::Values(_) => words.resize(words.len() + PRIMITIVE_WORDS as usize * count, 0),
            PixelInput::Primitives(PrimitiveValues { slopes, provoking, centroids, .. }) => {
                let both = slopes.iter().zip(provoking).take(count);
                words.extend(both.flat_map(|([dx, dy], &provoking)| [dx.to_bits(), dy.to_bits(), provoking, 0]));
                if !centroids.is_empty() {
                    // Lists have the same numbers here.
                    words.resize(words.len() + PRIMITIVE_WORDS as usize * count, 0);
                }
            }
        }
    }
    words
}
