//! What becomes of fragments after their program: the depth test (decision S74), blending, and what is stored.

use super::{Fragment, Fragments, from_0_to_1};
use ctm_memory::{Format, View};
use ctm_raster::blend::{BlendInputs, BlendState, blend_float};
use ctm_raster::depth::CompareFunction;

/// The surfaces that a draw writes to, all of them as large as the window.
pub struct Targets<'a> {
    /// The colours, in the order in which a program puts them out. What has no target here is dropped.
    pub colours: Vec<ColourTarget<'a>>,
    /// The first colour of the program goes to all targets.
    pub broadcast: bool,
    /// The depth; without, all fragments are stored.
    pub depth: Option<DepthTarget<'a>>,
    /// How many fragments there were so far.
    pub counts: FragmentCounts,
}

/// Numbers of fragments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FragmentCounts {
    /// Those that programs have left.
    pub taken: u64,
    /// Those of them that passed the depth test.
    pub stored: u64,
}

/// A surface of colours.
pub struct ColourTarget<'a> {
    /// Its pixels.
    pub view: View<'a>,
    /// How colours and what is there become one; without, colours replace it.
    pub blend: Option<BlendState>,
    /// The constant that blending may use.
    pub constant: [f32; 4],
}

/// A surface of depths, one binary32 number for each pixel.
pub struct DepthTarget<'a> {
    /// Its pixels.
    pub view: View<'a>,
    /// What has to hold between the depth of a fragment and the one that is there.
    pub function: CompareFunction,
}

impl Fragments for Targets<'_> {
    fn take(&mut self, fragment: &Fragment) {
        let (x, y) = (i64::from(fragment.pixel.0), i64::from(fragment.pixel.1));
        self.counts.taken += 1;
        if let Some(DepthTarget { view, function }) = &self.depth {
            let [stored, ..] = view.load(x, y);
            if !function.holds(fragment.depth, f32::from_bits(stored)) {
                return;
            }
            view.store(x, y, [fragment.depth.to_bits(); 4], 1);
        }
        self.counts.stored += 1;
        let colours = fragment.colours.as_chunks::<4>().0;
        for (n, target) in self.colours.iter().enumerate() {
            if let Some(&colour) = colours.get(if self.broadcast { 0 } else { n }) {
                target.store((x, y), colour);
            }
        }
    }
}

impl ColourTarget<'_> {
    fn store(&self, (x, y): (i64, i64), colour: [u32; 4]) {
        let Some(blend) = &self.blend else { return self.view.store(x, y, colour, 0xf) };
        let format = self.view.surface().format;
        let destination = self.view.load(x, y).map(f32::from_bits);
        let inputs = BlendInputs {
            source: colour.map(|bits| blended(format, f32::from_bits(bits))),
            destination,
            destination_alpha: destination[3],
            constant: self.constant.map(|channel| blended(format, channel)),
        };
        self.view.store(x, y, blend_float(blend, &inputs).map(f32::to_bits), 0xf);
    }
}

/// A number as it is blended: formats of fractions have none below 0 or above 1 (OpenGL 4.6, section 17.3.6).
fn blended(format: Format, number: f32) -> f32 {
    match format {
        Format::Float32_1 | Format::Float32_2 | Format::Float32_4 => number,
        Format::Uint8_4 | Format::Uint16_1 => from_0_to_1(number),
    }
}
