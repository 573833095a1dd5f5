//! The inputs of fragments: which the program reads, and what they are over a primitive.

use super::clip::Corner;
use crate::attributes::{GENERIC, PRIMITIVE_ID, TESS_COORD_U, View};
use crate::codes::IpaMode;
use crate::field::key;
use crate::header::{AttributeMap, Interpolation, PixelMaps};
use crate::launch::{FRAGMENT_POSITION, FRONT_FACE, Shader};
use crate::table::Op;
use ctm_raster::plane::{AttributePlane, Plane, PlaneOffset, PrimitiveSetup};

/// First address of what the header has one bit for, between colours and texture coordinates: clip distances, point coordinate, fog.
const SYSTEM_VALUES: u32 = 0x2c0;
/// Coordinates in a point, to the right and downwards.
const POINT_S: u32 = 0x2e0;
const POINT_T: u32 = 0x2e4;
/// The place in the window.
const X: u32 = FRAGMENT_POSITION;
const Y: u32 = FRAGMENT_POSITION + 4;
const DEPTH: u32 = FRAGMENT_POSITION + 8;
const RECIPROCAL: u32 = FRAGMENT_POSITION + 12;

/// Colours of vertices, and how much further those of back faces are.
const COLOURS: std::ops::Range<u32> = 0x280..0x2a0;
const BACK: u32 = 0x20;
/// Texture coordinates, four words each.
const TEXTURES: std::ops::Range<u32> = 0x300..0x3a0;

/// What state says about inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InputRules {
    /// Back faces have colours of their own.
    pub two_sided: bool,
    /// Texture coordinates that are places in points, bit n for number n.
    pub replaced: u16,
    /// Places in points are counted from below.
    pub upwards: bool,
}

/// Where the value of an input comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// The provoking vertex.
    Provoking,
    /// A plane through the vertices' values divided by w.
    Perspective,
    /// A plane through the vertices' values.
    Linear,
    /// The number of the primitive, unless vertices have one.
    PrimitiveId,
    /// The depth.
    Depth,
    /// 1/w.
    Reciprocal,
    /// Where in a point the fragment is, along an axis, or 0 or 1 along further ones; perhaps divided by w. What other primitives have there.
    PointCoordinate { axis: usize, is_divided: bool, others: Other },
    /// All bits of front faces, none of back faces.
    FrontFace,
}

/// What primitives that are not points have where points have places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Other {
    Provoking,
    Perspective,
    Linear,
}

/// The inputs that a program reads.
#[derive(Clone, Debug)]
pub struct Inputs {
    read: Vec<(u32, Source)>,
    rules: InputRules,
}

/// What the header and the code of a program say about its inputs: of each that it reads its address, how it is interpolated, and whether the program
/// multiplies it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputList(Vec<(u32, Interpolation, bool)>);

impl InputList {
    /// Of a program.
    pub fn of(shader: &Shader) -> Self {
        let maps: PixelMaps = shader.header.map(|header| header.pixel).unwrap_or_default();
        let multiplied = multiplied(shader);
        let input = |(address, interpolation)| (address, interpolation, multiplied.contains(address));
        InputList(maps.inputs().map(input).collect())
    }
}

impl Inputs {
    /// Those of a program. What stands in its header by one bit is divided by w if the program multiplies it with w (decision S75).
    pub fn of(shader: &Shader, rules: InputRules) -> Self {
        Self::of_list(&InputList::of(shader), rules)
    }

    /// The same of a program of which that is known.
    pub fn of_list(InputList(list): &InputList, rules: InputRules) -> Self {
        let source = |&(address, interpolation, is_divided): &(u32, Interpolation, bool)| {
            Some(match address {
                PRIMITIVE_ID => Source::PrimitiveId,
                // Pixels know their place themselves.
                X | Y => return None,
                DEPTH => Source::Depth,
                RECIPROCAL => Source::Reciprocal,
                0..GENERIC | TESS_COORD_U..0x300 => Source::Provoking,
                POINT_S => Source::PointCoordinate { axis: 0, is_divided, others: Other::Provoking },
                POINT_T => Source::PointCoordinate { axis: 1, is_divided, others: Other::Provoking },
                SYSTEM_VALUES..0x300 if is_divided => Source::Perspective,
                _ if TEXTURES.contains(&address) && rules.replaced >> ((address - TEXTURES.start) / 16) & 1 != 0 => {
                    let others = match interpolation {
                        Interpolation::Unused => return None,
                        Interpolation::Constant => Other::Provoking,
                        Interpolation::Perspective => Other::Perspective,
                        Interpolation::Linear => Other::Linear,
                    };
                    Source::PointCoordinate { axis: (address / 4 % 4) as usize, is_divided, others }
                }
                _ => match interpolation {
                    Interpolation::Unused => return None,
                    Interpolation::Constant => Source::Provoking,
                    Interpolation::Perspective => Source::Perspective,
                    Interpolation::Linear => Source::Linear,
                },
            })
        };
        let read = list.iter().filter_map(|input| Some((input.0, source(input)?)));
        Inputs { read: read.chain([(FRONT_FACE, Source::FrontFace)]).collect(), rules }
    }

    /// Those of no program.
    pub fn none() -> Self {
        Inputs { read: Vec::new(), rules: InputRules::default() }
    }

    /// Their addresses.
    pub fn addresses(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.read.iter().map(|(address, _)| *address)
    }

    /// What they are over a primitive, in their order.
    pub fn over<'a>(&'a self, primitive: &'a Covering) -> impl Iterator<Item = InputPlane> + 'a {
        (0..self.read.len()).map(|number| {
            let (plane, range) = self.plane(number, primitive);
            InputPlane { plane, provoking: self.provoking(number, primitive), range }
        })
    }

    /// The values of one of them over the pixels of a primitive, by its number, with the least and the greatest, if they have bounds.
    #[inline]
    pub fn plane(&self, number: usize, primitive: &Covering) -> (AttributePlane, Option<[f64; 2]>) {
        match self.read.get(number) {
            Some(&(address, source)) => primitive.plane(self.address(address, primitive), source, self.rules),
            None => (AttributePlane::Constant(0), None),
        }
    }

    /// Its value at the provoking vertex.
    #[inline]
    pub fn provoking(&self, number: usize, primitive: &Covering) -> u32 {
        let Some(&(address, source)) = self.read.get(number) else { return 0 };
        primitive.provoking_value(self.address(address, primitive), source)
    }

    /// Where a primitive has an input.
    #[inline]
    fn address(&self, address: u32, primitive: &Covering) -> u32 {
        let has_other_colours = self.rules.two_sided && !primitive.is_front && COLOURS.contains(&address);
        if has_other_colours { address + BACK } else { address }
    }
}

/// The addresses that a program reads by IPA with a factor.
fn multiplied(shader: &Shader) -> AttributeMap {
    let instructions = shader.code.instructions().iter();
    let reads = instructions.filter(|instruction| instruction.op() == Op::Ipa && !instruction.get(key::IDX));
    let with_factor = reads.filter(|instruction| match instruction.get(key::IPA_MODE) {
        IpaMode::Multiply => true,
        IpaMode::Sc => !instruction.reg(key::RB).is_zero(),
        IpaMode::Pass | IpaMode::Constant => false,
    });
    with_factor.map(|instruction| instruction.get(key::OFFSET) & !3).collect()
}

/// A primitive in the window, whose vertex 2 repeats vertex 0 if it is a line.
pub struct Covering<'a> {
    /// The vertices before clipping: their attributes.
    pub records: View<'a>,
    /// Their records.
    pub vertices: [u32; 3],
    /// The record of the provoking one.
    pub provoking: u32,
    /// The number of the primitive in the draw.
    pub id: u32,
    /// The corners in the window.
    pub corners: [Corner; 3],
    /// They are the vertices, in their order.
    pub is_whole: bool,
    /// Their places.
    pub setup: PrimitiveSetup,
    /// 1/w of each.
    pub reciprocals: [f64; 3],
    /// The depth.
    pub depth: Plane,
    /// Whether it is seen from the front.
    pub is_front: bool,
    /// Where points are: sub-pixels of a side.
    pub point_size: Option<f64>,
    /// The least and the greatest depth.
    pub depth_range: [f64; 2],
}

/// An input over a primitive.
#[derive(Clone, Copy, Debug)]
pub struct InputPlane {
    /// Its value over the pixels.
    pub plane: AttributePlane,
    /// Its value at the provoking vertex.
    pub provoking: u32,
    /// The least and the greatest of its values.
    range: Option<[f64; 2]>,
}

impl Covering<'_> {
    fn provoking_value(&self, address: u32, source: Source) -> u32 {
        match source {
            Source::PrimitiveId if !self.records.has(address) => self.id,
            Source::FrontFace => self.face(),
            Source::PrimitiveId
            | Source::Provoking
            | Source::Perspective
            | Source::Linear
            | Source::Depth
            | Source::Reciprocal
            | Source::PointCoordinate { .. } => self.records.get(self.provoking, address),
        }
    }

    fn face(&self) -> u32 {
        if self.is_front { u32::MAX } else { 0 }
    }

    fn plane(&self, address: u32, source: Source, rules: InputRules) -> (AttributePlane, Option<[f64; 2]>) {
        let plane = match source {
            Source::Provoking | Source::PrimitiveId | Source::FrontFace => {
                AttributePlane::Constant(self.provoking_value(address, source))
            }
            Source::Depth => return (AttributePlane::Varying(self.depth), Some(self.depth_range)),
            Source::Reciprocal => AttributePlane::Varying(self.setup.plane(self.reciprocals)),
            Source::Perspective => self.perspective(address),
            Source::Linear => self.linear(address),
            Source::PointCoordinate { axis, is_divided, others } => match (self.point_size, others) {
                (Some(size), _) => {
                    let factor = if is_divided { self.reciprocals[0] } else { 1.0 };
                    let mut values = match axis {
                        0 | 1 => [0.5 * factor; 3],
                        2 => [0.0; 3],
                        _ => [factor; 3],
                    };
                    match axis {
                        0 => values[1] += factor / size,
                        1 if rules.upwards => values[2] -= factor / size,
                        1 => values[2] += factor / size,
                        _ => {}
                    }
                    AttributePlane::Varying(self.setup.plane(values))
                }
                (None, Other::Provoking) => AttributePlane::Constant(self.provoking_value(address, source)),
                (None, Other::Perspective) => self.perspective(address),
                (None, Other::Linear) => self.linear(address),
            },
        };
        (plane, None)
    }

    fn values(&self, address: u32) -> [f64; 3] {
        self.vertices.map(|record| f64::from(f32::from_bits(self.records.get(record, address))))
    }

    /// A plane through the values divided by w.
    fn perspective(&self, address: u32) -> AttributePlane {
        let values = self.values(address);
        let at = |n: usize| if self.is_whole { values[n] } else { self.corners[n].of(values) };
        let divided = |n: usize| at(n) * self.reciprocals[n];
        AttributePlane::Varying(self.setup.plane([divided(0), divided(1), divided(2)]))
    }

    /// A plane through the values.
    fn linear(&self, address: u32) -> AttributePlane {
        let bits = self.vertices.map(|record| self.records.get(record, address));
        // What all vertices have is everywhere (decision S71).
        if bits[0] == bits[1] && bits[1] == bits[2] {
            return AttributePlane::Constant(bits[0]);
        }
        let values = bits.map(|bits| f64::from(f32::from_bits(bits)));
        let at = |n: usize| if self.is_whole { values[n] } else { self.corners[n].in_window(values) };
        AttributePlane::Varying(self.setup.plane([at(0), at(1), at(2)]))
    }
}

impl InputPlane {
    /// Its bits at a place.
    pub fn at(&self, offset: PlaneOffset) -> u32 {
        match self.plane {
            AttributePlane::Constant(bits) => bits,
            AttributePlane::Varying(plane) => {
                let value = plane.at(offset);
                AttributePlane::bits(self.range.map_or(value, |[least, greatest]| value.max(least).min(greatest)))
            }
        }
    }

    /// How much it changes one pixel to the right, and one pixel down.
    pub fn slopes(&self) -> [f32; 2] {
        match self.plane {
            AttributePlane::Constant(_) => [0.0; 2],
            AttributePlane::Varying(plane) => [plane.dx as f32, plane.dy as f32],
        }
    }
}
