//! The pixels of a draw: the surfaces that receive the fragments of its primitives.

use super::options::DrawArgs;
use super::values::{Blending, DrawOutput};
use crate::Failure;
use crate::host::Host;
use crate::options::DEFAULT_DOMAIN;
use crate::options::values::{Extent, Vector};
use crate::report::Message;
use crate::run::{Memory, once_each};
use ctm_array::FileSpec;
use ctm_memory::{Bounds, Format, Space, Surface, View};
use ctm_raster::depth::CompareFunction;
use ctm_sm50::Header;
use ctm_sm50::pipeline::{ColourTarget, DepthTarget, FragmentCounts, RasterState, Targets};
use std::collections::BTreeMap;

/// Colours that a program can put out.
pub const COLOURS: usize = 8;

/// The surfaces that a draw writes to.
pub struct Surfaces {
    /// Those of colours, in the order in which the program puts them out.
    colours: Vec<Surface>,
    depth: Option<Surface>,
    /// All of them get the first colour.
    broadcast: bool,
}

/// How the primitives of a draw become pixels.
pub fn state(args: &DrawArgs) -> RasterState {
    let Extent { width, height } = size(args);
    let pixels = &args.pixels;
    RasterState {
        cull: pixels.cull_face,
        front: pixels.front_face,
        line_width: pixels.line_width,
        point_size: pixels.point_size,
        ..RasterState::new(width, height)
    }
}

fn size(args: &DrawArgs) -> Extent {
    args.pixels.size.unwrap_or(DEFAULT_DOMAIN)
}

impl Surfaces {
    /// Those of a draw by a fragment program with this header. Opens the files that receive them.
    ///
    /// # Errors
    /// A file cannot be written, or is for a colour that the program does not put out.
    pub fn prepare(args: &DrawArgs, header: &Header, memory: &mut Memory, host: &dyn Host) -> Result<Self, Failure> {
        let mut files = files(args)?;
        let formats = once_each("output", &args.pixels.output_formats, COLOURS)?;
        let broadcast = !header.mrt_enable;
        let numbers: Vec<u8> = match broadcast {
            true if files.is_empty() => vec![0],
            true => files.keys().copied().collect(),
            false => header.pixel.colours().map(|number| number as u8).collect(),
        };
        let mut colours = Vec::new();
        for number in numbers {
            let (file, format) = (files.remove(&number), formats.get(&number).map(|name| name.0));
            let name = format!("output {number}");
            colours.push(memory.add_surface(host, name, file.as_ref(), size(args), format, Format::Float32_4)?);
        }
        if let Some(number) = files.into_keys().next() {
            let message = format!("the fragment program does not put out colour {number}");
            return Err(Failure::Usage(Message::error(message).help("'ctm info' says what it puts out")));
        }
        let file = args.pixels.depth_output.as_ref();
        let surface = args
            .pixels
            .depth
            .map(|_| memory.add_surface(host, "depth".into(), file, size(args), None, Format::Float32_1));
        Ok(Surfaces { colours, depth: surface.transpose()?, broadcast })
    }

    /// Gives depths what they are before the draw.
    pub fn clear_depth(&self, args: &DrawArgs, space: &Space) {
        let Some(depth) = self.depth else { return };
        let Extent { width, height } = size(args);
        let view = View::new(space, depth, Bounds::Drop);
        for (x, y) in (0..height.into()).flat_map(|y| (0..width.into()).map(move |x| (x, y))) {
            view.store(x, y, [args.pixels.clear_depth.to_bits(); 4], 1);
        }
    }

    /// What fragments are tested with and stored to.
    pub fn targets<'a>(&self, args: &DrawArgs, space: &'a Space) -> Targets<'a> {
        let view = |surface: Surface| View::new(space, surface, Bounds::Drop);
        let Vector(constant) = args.pixels.blend_color;
        let colour = |&surface: &Surface| ColourTarget {
            view: view(surface),
            blend: args.pixels.blend.map(|Blending(state)| state),
            constant: constant.map(f32::from_bits),
        };
        let depth = |(surface, function): (Surface, CompareFunction)| DepthTarget { view: view(surface), function };
        Targets {
            colours: self.colours.iter().map(colour).collect(),
            broadcast: self.broadcast,
            depth: self.depth.zip(args.pixels.depth).map(depth),
            counts: FragmentCounts::default(),
        }
    }
}

/// The files of colours, by number.
fn files(args: &DrawArgs) -> Result<BTreeMap<u8, FileSpec>, Failure> {
    let mut files = BTreeMap::new();
    for DrawOutput { number, text } in &args.outputs {
        if usize::from(*number) >= COLOURS {
            let message = format!("output {number} is out of range (0 to {})", COLOURS - 1);
            return Err(Failure::Usage(Message::error(message)));
        }
        let file = FileSpec::parse(text).map_err(|error| Failure::Usage(Message::error(error.to_string())))?;
        if files.insert(*number, file).is_some() {
            return Err(Failure::Usage(Message::error(format!("output {number} is given twice"))));
        }
    }
    Ok(files)
}
