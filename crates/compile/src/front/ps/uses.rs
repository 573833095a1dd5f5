//! Which channels of their operands instructions read.

use super::ast::{Dimension, File, Instruction, Source};
use super::table::{Op, OperandKind};
use std::collections::BTreeMap;

/// What is read: the source, and the places of its swizzle that matter, a bit each.
pub struct Read<'a> {
    /// The source.
    pub source: &'a Source,
    /// Bit k: what the swizzle has at place k is read.
    pub places: u8,
    /// How many consecutive registers are read.
    pub rows: u16,
}

impl Read<'_> {
    /// The channels of the register that are read, a bit each.
    pub fn channels(&self) -> u8 {
        let swizzle = self.source.swizzle;
        (0..4).filter(|place| self.places >> place & 1 != 0).fold(0, |mask, place| mask | 1 << swizzle[place])
    }
}

const X: u8 = 0b0001;
const XY: u8 = 0b0011;
const XYZ: u8 = 0b0111;
const W: u8 = 0b1000;
const XYZW: u8 = 0b1111;

/// What an instruction reads, where samplers are declared so.
pub fn reads<'i>(instruction: &'i Instruction, samplers: &BTreeMap<u16, Dimension>) -> Vec<Read<'i>> {
    let sampler = instruction.sources.iter().find(|source| source.register.file == File::Sampler);
    let dimension = sampler.and_then(|sampler| samplers.get(&sampler.register.index)).copied();
    let coordinates = dimension.unwrap_or(Dimension::Plane).coordinates();
    let places = instruction.op.row().places;
    let is_source = |place: &&OperandKind| !matches!(place, OperandKind::Result | OperandKind::Predicate);
    let written = instruction.dest.map_or(XYZW, |dest| dest.mask);
    let mut reads = Vec::new();
    for (source, place) in instruction.sources.iter().zip(places.iter().filter(is_source)) {
        let (places, rows) = match place {
            OperandKind::Scalar | OperandKind::Condition | OperandKind::PredicateChannel => (X, 1),
            OperandKind::Rows(rows) => (row_length(instruction.op), u16::from(*rows)),
            OperandKind::Kill => (XYZW, 1),
            OperandKind::Vector => (vector(instruction.op, written, (1 << coordinates) - 1), 1),
            OperandKind::Sampler
            | OperandKind::Passes
            | OperandKind::Counter
            | OperandKind::Label
            | OperandKind::Result
            | OperandKind::Predicate => {
                continue;
            }
        };
        reads.push(Read { source, places, rows });
    }
    reads
}

fn row_length(op: Op) -> u8 {
    if matches!(op, Op::M4x3 | Op::M4x4) { XYZW } else { XYZ }
}

/// The places that matter of a vector, if these channels are written and coordinates have these.
fn vector(op: Op, written: u8, coordinates: u8) -> u8 {
    match op {
        Op::Dp2Add => XY,
        Op::TexLd | Op::TexLdD => coordinates,
        Op::Dp3 | Op::M3x2 | Op::M3x3 | Op::M3x4 => XYZ,
        Op::Dp4 | Op::M4x3 | Op::M4x4 => XYZW,
        Op::Nrm => XYZ | written,
        // A channel of a cross product is made of the two others.
        Op::Crs => {
            (0..3).filter(|channel| written >> channel & 1 != 0).fold(0, |mask, channel| mask | XYZ & !(1 << channel))
        }
        Op::TexLdB | Op::TexLdL | Op::TexLdP => coordinates | W,
        _ => written,
    }
}
