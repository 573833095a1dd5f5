//! Elements in memory: from bytes to the four channels of a register (R700 guide chapter 5).

use crate::codes::{DataFormat, EndianSwap, FormatLayout, NumberFormat};
use crate::fetch::ElementFormat;
use crate::job::TrapKind;
use crate::uses::BufferElement;
use ctm_num::r700::{self as num, NormMode};

const ONE: u32 = 0x3F80_0000;
/// Bytes of the largest element.
pub(super) const MAX_ELEMENT: usize = 16;

/// What a number of bits of an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ComponentEncoding {
    /// NUM_FORMAT_ALL says what it stands for.
    Integer(u8),
    /// A float of this width.
    Float(u8),
    /// Nothing.
    Unused(u8),
}

impl ComponentEncoding {
    pub(crate) fn width(self) -> u8 {
        match self {
            ComponentEncoding::Integer(width) | ComponentEncoding::Float(width) | ComponentEncoding::Unused(width) => {
                width
            }
        }
    }
}

/// The parts of an element from the least significant bit on. `None` if it has no such parts.
pub(crate) fn parts(format: DataFormat) -> Option<Vec<ComponentEncoding>> {
    let parts = match (format.properties(), format) {
        (FormatLayout::Integer(widths), _) => widths.iter().map(|&width| ComponentEncoding::Integer(width)).collect(),
        (FormatLayout::Float(widths), _) => widths.iter().map(|&width| ComponentEncoding::Float(width)).collect(),
        (_, DataFormat::F8_24Float) => vec![ComponentEncoding::Float(24), ComponentEncoding::Integer(8)],
        (_, DataFormat::F24_8Float) => vec![ComponentEncoding::Integer(8), ComponentEncoding::Float(24)],
        (_, DataFormat::FX24_8_32Float) => {
            vec![ComponentEncoding::Float(32), ComponentEncoding::Integer(8), ComponentEncoding::Unused(24)]
        }
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

impl BufferElement {
    /// The byte after the last of these that begins in front of byte `size` of a buffer, where elements are `stride` bytes from each other and
    /// the resource has this format; none if none does, or the format has no elements.
    pub fn end(&self, size: u64, stride: u32, format: ElementFormat) -> Option<u64> {
        let bytes = element_bytes(&self.format.unwrap_or(format)).ok()? as u64;
        let first = u64::from(self.offset);
        let before = size.checked_sub(first + 1)?;
        let stride = if self.indexed { u64::from(stride) } else { 0 };
        let last = before.checked_div(stride).map_or(first, |index| first + index * stride);
        Some(last + bytes)
    }
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
    match ElementDecoder::new(*format) {
        Ok(decoder) => {
            let word = |n: usize| [0, 1, 2, 3].map(|byte| bytes[4 * n + byte]);
            decoder.decode(&[0, 1, 2, 3].map(|n| u32::from_le_bytes(word(n))))
        }
        Err(_) => [0, 0, 0, one(format)],
    }
}

/// Decodes elements of one format: from their bits to the four channels of a register.
#[derive(Clone, Debug)]
pub struct ElementDecoder {
    format: ElementFormat,
    bytes: u32,
    parts: Vec<PlacedPart>,
}

/// A part of an element that becomes a channel: the first one x.
#[derive(Clone, Copy, Debug)]
struct PlacedPart {
    at: u32,
    part: ComponentEncoding,
    /// Another part, at bit 27, is its exponent.
    shares_exponent: bool,
}

impl ElementDecoder {
    /// For elements in this format.
    ///
    /// # Errors
    /// If fetches of the format are not executed: compressed and packed textures, and formats whose layout is not published.
    pub fn new(format: ElementFormat) -> Result<Self, TrapKind> {
        let bytes = element_bytes(&format)? as u32;
        let (parts, shares_exponent) = match format.format() {
            Some(DataFormat::F5_9_9_9SharedExp) => (vec![ComponentEncoding::Float(9); 3], true),
            Some(data_format) => (parts(data_format).unwrap_or_default(), false),
            None => (Vec::new(), false),
        };
        let mut at = 0;
        let place = |part: ComponentEncoding| {
            let placed = PlacedPart { at, part, shares_exponent };
            at += u32::from(part.width());
            placed
        };
        Ok(ElementDecoder { format, bytes, parts: parts.into_iter().map(place).collect() })
    }

    /// Bytes of an element.
    pub fn bytes(&self) -> u32 {
        self.bytes
    }

    /// First bit and width of the part that becomes a channel by itself, from 0 for x; none if the format lacks the channel, or its value
    /// depends on other bits as well.
    pub fn field(&self, channel: usize) -> Option<(u32, u32)> {
        let placed = self.parts.get(channel).filter(|placed| !placed.shares_exponent)?;
        match placed.part {
            ComponentEncoding::Integer(width) | ComponentEncoding::Float(width) => Some((placed.at, width.into())),
            ComponentEncoding::Unused(_) => None,
        }
    }

    /// Number of the 32-bit word of an element that a channel is as it stands, from 0 for x; none if it is not such a word.
    pub fn word(&self, channel: usize) -> Option<usize> {
        let placed = self.parts.get(channel)?;
        let is_word = match placed.part {
            ComponentEncoding::Float(width) => width == 32,
            ComponentEncoding::Integer(width) => width == 32 && self.format.number == NumberFormat::Int,
            ComponentEncoding::Unused(_) => false,
        };
        is_word.then_some((placed.at / 32) as usize)
    }

    /// Whether a channel is a part of an element as a fraction of the greatest one, without a sign.
    pub fn is_fraction(&self, channel: usize) -> bool {
        let is_integer =
            matches!(self.parts.get(channel), Some(PlacedPart { part: ComponentEncoding::Integer(_), .. }));
        is_integer && self.format.number == NumberFormat::Norm && !self.format.signed
    }

    /// The channels of an element. Missing ones are 0, but w, which is 1.
    pub fn decode(&self, words: &[u32; 4]) -> [u32; 4] {
        [0, 1, 2, 3].map(|channel| self.channel(channel, words))
    }

    /// A channel of an element, from 0 for x.
    #[inline]
    pub fn channel(&self, channel: usize, words: &[u32; 4]) -> u32 {
        let field = |at: u32, width: u32| words[(at / 32) as usize & 3] >> (at % 32) & (u32::MAX >> (32 - width));
        let missing = || if channel == 3 { one(&self.format) } else { 0 };
        let Some(placed) = self.parts.get(channel) else { return missing() };
        // No part of a format lies in two words.
        let width = u32::from(placed.part.width());
        let value = field(placed.at, width);
        match placed.part {
            ComponentEncoding::Float(_) if placed.shares_exponent => num::shared_exponent(value, field(27, 5)),
            ComponentEncoding::Integer(_) => integer(&self.format, value, width),
            ComponentEncoding::Float(_) => float(value, width),
            ComponentEncoding::Unused(_) => missing(),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_end_behind_the_last_one_that_begins() {
        let format = |format: DataFormat| ElementFormat { data_format: format.code(), ..ElementFormat::default() };
        let [vector, bytes] = [DataFormat::F32_32_32Float, DataFormat::F8_8_8_8].map(format);
        let element = BufferElement { buffer: 3, offset: 4, format: Some(vector), indexed: true };
        let end = |size| element.end(size, 20, bytes);
        let ends = [end(4), end(5), end(24), end(25), end(64), end(65)];
        assert_eq!(ends, [None, Some(16), Some(16), Some(36), Some(56), Some(76)]);
        assert_eq!(BufferElement { indexed: false, ..element }.end(64, 20, bytes), Some(16));
        assert_eq!(element.end(64, 0, bytes), Some(16));
        assert_eq!(BufferElement { format: None, ..element }.end(64, 20, bytes), Some(48));
    }
}
