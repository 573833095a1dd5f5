//! Elements in memory: from bytes to the four channels of a register (R700 guide chapter 5).

use crate::codes::{DataFormat, EndianSwap, FormatLayout, NumberFormat};
use crate::fetch::ElementFormat;
use crate::job::TrapKind;
use ctm_num::r700::{self as num, NormMode};

const ONE: u32 = 0x3F80_0000;
/// Bytes of the largest element.
pub(super) const MAX_ELEMENT: usize = 16;

/// What a number of bits of an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// NUM_FORMAT_ALL says what it stands for.
    Integer(u8),
    /// A float of this width.
    Float(u8),
    /// Nothing.
    Unused(u8),
}

impl Part {
    pub(crate) fn width(self) -> u8 {
        match self {
            Part::Integer(width) | Part::Float(width) | Part::Unused(width) => width,
        }
    }
}

/// The parts of an element from the least significant bit on. `None` if it has no such parts.
pub(crate) fn parts(format: DataFormat) -> Option<Vec<Part>> {
    let parts = match (format.properties(), format) {
        (FormatLayout::Integer(widths), _) => widths.iter().map(|&width| Part::Integer(width)).collect(),
        (FormatLayout::Float(widths), _) => widths.iter().map(|&width| Part::Float(width)).collect(),
        (_, DataFormat::F8_24Float) => vec![Part::Float(24), Part::Integer(8)],
        (_, DataFormat::F24_8Float) => vec![Part::Integer(8), Part::Float(24)],
        (_, DataFormat::FX24_8_32Float) => vec![Part::Float(32), Part::Integer(8), Part::Unused(24)],
        _ => return None,
    };
    Some(parts)
}

/// Bytes of an element in this format.
///
/// # Errors
/// If fetches of the format are not executed: compressed and packed textures, and formats whose layout is not published.
pub(crate) fn element_bytes(format: &ElementFormat) -> Result<usize, TrapKind> {
    let data_format = format.format().ok_or(TrapKind::Unsupported("a reserved DATA_FORMAT"))?;
    if format.number == NumberFormat::Reserved3 {
        return Err(TrapKind::Unsupported("the reserved NUM_FORMAT_ALL"));
    }
    if data_format == DataFormat::F5_9_9_9SharedExp {
        return Ok(4);
    }
    let parts = parts(data_format).ok_or(TrapKind::Unsupported(data_format.name()))?;
    Ok(parts.iter().map(|part| usize::from(part.width())).sum::<usize>().div_ceil(8))
}

/// The bits that 1 has in this format: an integer's, or a float's.
pub(crate) fn one(format: &ElementFormat) -> u32 {
    let integer = matches!(format.format().map(DataFormat::properties), Some(FormatLayout::Integer(_)));
    if integer && format.number == NumberFormat::Int { 1 } else { ONE }
}

/// Exchanges the bytes of an element as the instruction or resource says.
pub(super) fn swap(endian_swap: EndianSwap, bytes: &mut [u8]) {
    let unit = match endian_swap {
        EndianSwap::None | EndianSwap::Reserved3 => 1,
        EndianSwap::In16 => 2,
        EndianSwap::In32 => 4,
    };
    bytes.chunks_exact_mut(unit).for_each(<[u8]>::reverse);
}

/// The channels of an element. Missing ones are 0, but w, which is 1.
pub(super) fn channels(format: &ElementFormat, bytes: &[u8; MAX_ELEMENT]) -> [u32; 4] {
    let bits = u128::from_le_bytes(*bytes);
    let field = |at: u32, width: u32| (bits >> at) as u32 & (u32::MAX >> (32 - width));
    let mut channels = [0, 0, 0, one(format)];
    let Some(data_format) = format.format() else { return channels };
    if data_format == DataFormat::F5_9_9_9SharedExp {
        for (k, channel) in channels[..3].iter_mut().enumerate() {
            *channel = num::shared_exponent(field(9 * k as u32, 9), field(27, 5));
        }
        return channels;
    }
    let mut at = 0;
    for (part, channel) in parts(data_format).unwrap_or_default().into_iter().zip(&mut channels) {
        let width = u32::from(part.width());
        let value = field(at, width);
        match part {
            Part::Integer(_) => *channel = integer(format, value, width),
            Part::Float(_) => *channel = float(value, width),
            Part::Unused(_) => {}
        }
        at += width;
    }
    channels
}

fn integer(format: &ElementFormat, value: u32, width: u32) -> u32 {
    let extended = (value << (32 - width)).cast_signed() >> (32 - width);
    let mode = if format.no_zero { NormMode::NoZero } else { NormMode::ZeroClampMinusOne };
    match (format.number, format.signed) {
        (NumberFormat::Norm, false) => num::unorm(value, width),
        (NumberFormat::Norm, true) => num::snorm(extended, width, mode),
        (NumberFormat::Scaled, false) => num::uint_to_float(value),
        (NumberFormat::Scaled, true) => num::int_to_float(extended.cast_unsigned()),
        (NumberFormat::Int | NumberFormat::Reserved3, false) => value,
        (NumberFormat::Int | NumberFormat::Reserved3, true) => extended.cast_unsigned(),
    }
}

fn float(value: u32, width: u32) -> u32 {
    match width {
        10 => num::float_10(value),
        11 => num::float_11(value),
        16 => num::float_16(value),
        24 => num::float_24(value),
        _ => value,
    }
}
