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
    /// Where in a point the fragment is, along an axis; perhaps divided by w.
    PointCoordinate { axis: usize, is_divided: bool },
    /// All bits of front faces, none of back faces.
    FrontFace,
}

/// The inputs that a program reads.
#[derive(Clone, Debug)]
pub struct Inputs(Vec<(u32, Source)>);

impl Inputs {
    /// Those of a program. What stands in its header by one bit is divided by w if the program multiplies it with w (decision S75).
    pub fn of(shader: &Shader) -> Self {
        let maps: PixelMaps = shader.header.map(|header| header.pixel).unwrap_or_default();
        let multiplied = multiplied(shader);
        let source = |address: u32, interpolation: Interpolation| {
            let is_divided = multiplied.contains(address);
            Some(match address {
                PRIMITIVE_ID => Source::PrimitiveId,
                // Pixels know their place themselves.
                X | Y => return None,
                DEPTH => Source::Depth,
                RECIPROCAL => Source::Reciprocal,
                0..GENERIC | TESS_COORD_U..0x300 => Source::Provoking,
                POINT_S => Source::PointCoordinate { axis: 0, is_divided },
                POINT_T => Source::PointCoordinate { axis: 1, is_divided },
                SYSTEM_VALUES..0x300 if is_divided => Source::Perspective,
                _ => match interpolation {
                    Interpolation::Unused => return None,
                    Interpolation::Constant => Source::Provoking,
                    Interpolation::Perspective => Source::Perspective,
                    Interpolation::Linear => Source::Linear,
                },
            })
        };
        let read =
            maps.inputs().filter_map(|(address, interpolation)| Some((address, source(address, interpolation)?)));
        Inputs(read.chain([(FRONT_FACE, Source::FrontFace)]).collect())
    }

    /// Their addresses.
    pub fn addresses(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.0.iter().map(|(address, _)| *address)
    }

    /// What they are over a primitive, in their order.
    pub fn over<'a>(&'a self, primitive: &'a Covering) -> impl Iterator<Item = InputPlane> + 'a {
        self.0.iter().map(|&(address, source)| primitive.input(address, source))
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
}

/// An input over a primitive.
#[derive(Clone, Copy, Debug)]
pub struct InputPlane {
    /// Its value over the pixels.
    pub plane: AttributePlane,
    /// Its value at the provoking vertex.
    pub provoking: u32,
    /// Its values are from 0 to 1.
    is_clamped: bool,
}

impl Covering<'_> {
    fn input(&self, address: u32, source: Source) -> InputPlane {
        let of_provoking = self.records.get(self.provoking, address);
        let input = |plane, provoking| InputPlane { plane, provoking, is_clamped: false };
        let constant = |bits: u32| input(AttributePlane::Constant(bits), bits);
        let varying = |plane: Plane| input(AttributePlane::Varying(plane), of_provoking);
        let values = || self.vertices.map(|record| f64::from(f32::from_bits(self.records.get(record, address))));
        match source {
            Source::Provoking => constant(of_provoking),
            Source::PrimitiveId if self.records.has(address) => constant(of_provoking),
            Source::PrimitiveId => constant(self.id),
            Source::Depth => InputPlane { is_clamped: true, ..varying(self.depth) },
            Source::Reciprocal => varying(self.setup.plane(self.reciprocals)),
            Source::FrontFace => constant(if self.is_front { u32::MAX } else { 0 }),
            Source::Perspective => {
                let values = values();
                let at = |n: usize| self.corners[n].of(values) * self.reciprocals[n];
                varying(self.setup.plane([at(0), at(1), at(2)]))
            }
            Source::Linear => {
                let bits = self.vertices.map(|record| self.records.get(record, address));
                // What all vertices have is everywhere (decision S71).
                if bits[0] == bits[1] && bits[1] == bits[2] {
                    return constant(bits[0]);
                }
                let values = values();
                varying(self.setup.plane(self.corners.map(|corner| corner.in_window(values))))
            }
            Source::PointCoordinate { axis, is_divided } => {
                let Some(size) = self.point_size else { return constant(of_provoking) };
                let factor = if is_divided { self.reciprocals[0] } else { 1.0 };
                let mut values = [0.5 * factor; 3];
                values[axis + 1] += factor / size;
                varying(self.setup.plane(values))
            }
        }
    }
}

impl InputPlane {
    /// Its bits at a place.
    pub fn at(&self, offset: PlaneOffset) -> u32 {
        match self.plane {
            AttributePlane::Constant(bits) => bits,
            AttributePlane::Varying(plane) if self.is_clamped => AttributePlane::bits(plane.at(offset).clamp(0.0, 1.0)),
            AttributePlane::Varying(plane) => AttributePlane::bits(plane.at(offset)),
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
