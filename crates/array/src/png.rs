//! Pictures in PNG files.

use super::{Array, ContentError, Data, MAX_SIDE, Shape};
use ::png::{BitDepth, ColorType, Decoder, Encoder, EncodingError, Transformations};
use ctm_num::convert::f32_to_unorm8;
use std::io::Cursor;

/// The values that a picture shows from black to white.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tonemap {
    /// Becomes black.
    pub min: f32,
    /// Becomes white; not equal to `min`.
    pub max: f32,
}

impl Tonemap {
    /// Where a value lies between `min` (0) and `max` (1).
    fn apply(self, value: u32) -> u32 {
        let [value, min, max] = [f32::from_bits(value), self.min, self.max].map(f64::from);
        (((value - min) / (max - min)) as f32).to_bits()
    }
}

/// How many values of an array a picture does not show as they are. Alpha does not count.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClampedValues {
    /// Shown as black, but below that.
    pub below: usize,
    /// Shown as white, but above that.
    pub above: usize,
    /// No numbers, shown as black.
    pub nan: usize,
    /// All values.
    pub of: usize,
    /// The least and the greatest finite value, if they differ.
    pub range: Option<[f32; 2]>,
}

impl ClampedValues {
    /// Counts the float values that lie outside of 0 to 1, or are not numbers; with a tonemap, whose range somebody chose, only
    /// the latter. `None` if all values are shown.
    pub fn of(array: &Array, tonemap: Option<Tonemap>) -> Option<Self> {
        let Data::F32(values) = &array.data else { return None };
        let mut hidden = ClampedValues { of: values.len(), ..ClampedValues::default() };
        let mut range: Option<[f32; 2]> = None;
        for (n, &bits) in values.iter().enumerate() {
            let value = f32::from_bits(bits);
            match () {
                () if n % array.shape.channels.max(1) == 3 => continue,
                () if value.is_nan() => hidden.nan += 1,
                () if tonemap.is_some() => {}
                () if value < 0.0 => hidden.below += 1,
                () if value > 1.0 => hidden.above += 1,
                () => {}
            }
            if value.is_finite() {
                let [min, max] = range.unwrap_or([value; 2]);
                range = Some([min.min(value), max.max(value)]);
            }
        }
        hidden.range = range.filter(|[min, max]| min < max);
        (hidden.below + hidden.above + hidden.nan > 0).then_some(hidden)
    }

    /// The counts of two arrays together.
    pub fn merged(self, other: ClampedValues) -> ClampedValues {
        let range = match (self.range, other.range) {
            (Some([min, max]), Some([other_min, other_max])) => Some([min.min(other_min), max.max(other_max)]),
            (one, other) => one.or(other),
        };
        ClampedValues {
            below: self.below + other.below,
            above: self.above + other.above,
            nan: self.nan + other.nan,
            of: self.of + other.of,
            range,
        }
    }
}

/// Reads the bytes of a PNG file: uint8 for up to 8 bits per channel, uint16 for 16 bits.
///
/// Gray has 1 channel, RGB 3; pictures with alpha, or with a transparent color, have 4.
pub fn read_png(bytes: &[u8]) -> Result<Array, ContentError> {
    // What follows is for those who know the decoder's source.
    let cause = |text: String| text.split(": ChunkType").next().unwrap_or_default().to_owned();
    let damaged = |error: ::png::DecodingError| ContentError::Png { cause: cause(error.to_string()) };
    let mut decoder = Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(Transformations::EXPAND);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let info = decoder.read_header_info().map_err(damaged)?;
    let (width, height) = (info.width, info.height);
    if width.max(height) as usize > MAX_SIDE {
        return Err(ContentError::TooLarge { width: width.into(), height: height.into() });
    }
    let mut reader = decoder.read_info().map_err(damaged)?;
    let (color, depth) = reader.output_color_type();
    let gray_alpha = color == ColorType::GrayscaleAlpha;
    let channels = if gray_alpha { 4 } else { color.samples() };
    let shape = Shape { width: width as usize, height: height as usize, channels };
    let bytes = reader.output_buffer_size().ok_or(ContentError::Huge { shape })?;
    // What follows has no error for a host without memory: the bytes, their values, and those with gray as three colors.
    Vec::<u8>::new().try_reserve_exact(bytes.saturating_mul(4)).map_err(|_| ContentError::Huge { shape })?;
    // The system gives zeroed memory page by page, so a picture that is cut off takes what it has, not what it claims.
    let mut values = vec![0; bytes];
    let frame = reader.next_frame(&mut values).map_err(damaged)?;
    values.truncate(frame.buffer_size());

    let data = if depth == BitDepth::Sixteen {
        let values = values.as_chunks().0.iter().map(|value| u16::from_be_bytes(*value)).collect();
        Data::U16(if gray_alpha { to_rgba(values) } else { values })
    } else {
        Data::U8(if gray_alpha { to_rgba(values) } else { values })
    };
    Ok(Array { shape, data })
}

fn to_rgba<T: Copy>(values: Vec<T>) -> Vec<T> {
    values.as_chunks().0.iter().flat_map(|&[gray, alpha]| [gray, gray, gray, alpha]).collect()
}

/// The bytes of a PNG file: 16 bits per channel for uint16, else 8. Float values are clamped to 0..1 after the tonemap,
/// which leaves alpha alone; NaN is black.
///
/// 1 channel becomes gray, 2 become red and green, 3 RGB, 4 RGBA. An alpha that is 0 everywhere is left out: it comes
/// from programs that do not write it, and would hide the whole picture.
pub(super) fn encode(array: &Array, tonemap: Option<Tonemap>) -> Result<Vec<u8>, ContentError> {
    Pixels::of(array, tonemap)?.encode(array.shape, |_| Ok(()))
}

/// What pictures show of arrays.
#[derive(Debug)]
pub(super) enum Pixels {
    /// 8 bits per channel.
    Eight(Vec<u8>),
    /// 16 bits per channel.
    Sixteen(Vec<u16>),
}

impl Pixels {
    /// What a picture shows of an array: integers as they are, floats as 8 bits.
    ///
    /// # Errors
    /// A picture cannot have so many channels.
    pub fn of(array: &Array, tonemap: Option<Tonemap>) -> Result<Self, ContentError> {
        let channels = array.shape.channels;
        if !(1..=4).contains(&channels) {
            return Err(ContentError::Channels { channels, values: array.data.type_name(), target: "picture" });
        }
        let shown = |(n, &value): (usize, &u32)| match tonemap {
            Some(tonemap) if n % channels < 3 => f32_to_unorm8(tonemap.apply(value)),
            _ => f32_to_unorm8(value),
        };
        Ok(match &array.data {
            Data::U8(values) => Pixels::Eight(values.clone()),
            Data::U16(values) => Pixels::Sixteen(values.clone()),
            Data::F32(values) => Pixels::Eight(values.iter().enumerate().map(shown).collect()),
        })
    }

    /// The bytes of a PNG file with these values: one frame of this shape after the other, as `animate` says.
    pub fn encode(
        &self,
        shape: Shape,
        animate: impl FnOnce(&mut Encoder<&mut Vec<u8>>) -> Result<(), EncodingError>,
    ) -> Result<Vec<u8>, ContentError> {
        let Shape { width, height, channels } = shape;
        let too_large = ContentError::TooLarge { width: width as u64, height: height as u64 };
        let (Ok(columns), Ok(rows)) = (u32::try_from(width), u32::try_from(height)) else { return Err(too_large) };
        let (color, depth, sample, bytes) = match self {
            Pixels::Eight(values) => {
                let (color, values) = picture(values, channels);
                (color, BitDepth::Eight, size_of::<u8>(), values)
            }
            Pixels::Sixteen(values) => {
                let (color, values) = picture(values, channels);
                let values = values.iter().flat_map(|value| value.to_be_bytes()).collect();
                (color, BitDepth::Sixteen, size_of::<u16>(), values)
            }
        };
        let mut file = Vec::new();
        let mut encoder = Encoder::new(&mut file, columns, rows);
        encoder.set_color(color);
        encoder.set_depth(depth);
        let written = animate(&mut encoder).and_then(|()| encoder.write_header()).and_then(|mut writer| {
            bytes
                .chunks(width * height * color.samples() * sample)
                .try_for_each(|frame| writer.write_image_data(frame))?;
            writer.finish()
        });
        written.map_err(|error| ContentError::Png { cause: error.to_string() })?;
        Ok(file)
    }
}

/// Arranges values in the channels of a picture.
fn picture<T: Copy + Default + PartialEq>(values: &[T], channels: usize) -> (ColorType, Vec<T>) {
    match channels {
        1 => (ColorType::Grayscale, values.to_vec()),
        2 => (ColorType::Rgb, values.as_chunks().0.iter().flat_map(|&[r, g]| [r, g, T::default()]).collect()),
        3 => (ColorType::Rgb, values.to_vec()),
        _ => match values.as_chunks::<4>().0 {
            pixels if pixels.iter().all(|[.., alpha]| *alpha == T::default()) => {
                (ColorType::Rgb, pixels.iter().flat_map(|&[r, g, b, _]| [r, g, b]).collect())
            }
            _ => (ColorType::Rgba, values.to_vec()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(width: usize, channels: usize, data: Data) -> Array {
        Array { shape: Shape { width, height: 1, channels }, data }
    }

    fn floats(values: &[f32]) -> Data {
        Data::F32(values.iter().map(|value| value.to_bits()).collect())
    }

    #[test]
    fn values_that_a_picture_does_not_show_are_counted() {
        let of = |channels, values: &[f32], tonemap| {
            let width = values.len() / channels;
            ClampedValues::of(&array(width, channels, floats(values)), tonemap)
        };
        assert_eq!(of(1, &[0.0, -0.0, 1.0, 0.5], None), None);
        let values = [-2.0, 0.5, f32::NAN, 3.0, 1.5, 0.0, 0.0, f32::INFINITY];
        let hidden = ClampedValues { below: 1, above: 1, nan: 1, of: 8, range: Some([-2.0, 1.5]) };
        assert_eq!(of(4, &values, None), Some(hidden), "alpha does not count");
        let hidden = ClampedValues { below: 1, above: 3, nan: 1, of: 8, range: Some([-2.0, 3.0]) };
        assert_eq!(of(1, &values, None), Some(hidden));
        let tonemap = Some(Tonemap { min: 0.0, max: 0.25 });
        assert_eq!(of(1, &values, tonemap).map(|hidden| [hidden.below, hidden.above, hidden.nan]), Some([0, 0, 1]));
        assert_eq!(of(1, &[5.0; 3], tonemap), None);
        assert_eq!(of(1, &[5.0; 3], None).map(|hidden| hidden.range), Some(None));
        assert_eq!(ClampedValues::of(&array(1, 1, Data::U8(vec![255])), None), None);
    }

    #[test]
    fn counts_of_several_arrays_add_up() {
        let one = ClampedValues { below: 1, above: 2, nan: 3, of: 10, range: Some([-1.0, 4.0]) };
        let other = ClampedValues { below: 10, above: 20, nan: 30, of: 100, range: Some([-3.0, 2.0]) };
        let both = ClampedValues { below: 11, above: 22, nan: 33, of: 110, range: Some([-3.0, 4.0]) };
        assert_eq!([one.merged(other), other.merged(one)], [both; 2]);
        let flat = ClampedValues { range: None, ..other };
        assert_eq!([one.merged(flat).range, flat.merged(one).range], [one.range; 2]);
        assert_eq!(flat.merged(flat).range, None);
    }

    /// A file made by the encoder of the library, with what ours never writes.
    fn file(
        color: ColorType,
        depth: BitDepth,
        palette: Option<(&'static [u8], &'static [u8])>,
        data: &[u8],
    ) -> Vec<u8> {
        let mut file = Vec::new();
        let mut encoder = Encoder::new(&mut file, 2, 1);
        encoder.set_color(color);
        encoder.set_depth(depth);
        if let Some((colors, alphas)) = palette {
            encoder.set_palette(colors);
            encoder.set_trns(alphas);
        }
        encoder.write_header().unwrap().write_image_data(data).unwrap();
        file
    }

    fn round_trip(array: &Array) -> Array {
        read_png(&encode(array, None).unwrap()).unwrap()
    }

    #[test]
    fn integers_come_back() {
        for channels in [1, 3, 4] {
            let eight = array(2, channels, Data::U8((1..=2 * channels as u8).collect()));
            assert_eq!(round_trip(&eight), eight);
            let sixteen = array(2, channels, Data::U16((1..=2 * channels as u16).map(|n| n * 0x1234).collect()));
            assert_eq!(round_trip(&sixteen), sixteen);
        }
    }

    #[test]
    fn every_kind_of_picture_is_read() {
        let read = |color, depth, palette, data: &[u8]| read_png(&file(color, depth, palette, data)).unwrap();
        let gray_alpha = read(ColorType::GrayscaleAlpha, BitDepth::Eight, None, &[10, 20, 30, 40]);
        assert_eq!(gray_alpha, array(2, 4, Data::U8(vec![10, 10, 10, 20, 30, 30, 30, 40])));
        let gray_alpha = read(ColorType::GrayscaleAlpha, BitDepth::Sixteen, None, &[1, 2, 3, 4, 5, 6, 7, 8]);
        let expected = vec![0x0102, 0x0102, 0x0102, 0x0304, 0x0506, 0x0506, 0x0506, 0x0708];
        assert_eq!(gray_alpha, array(2, 4, Data::U16(expected)));
        assert_eq!(
            read(ColorType::Grayscale, BitDepth::One, None, &[0b0100_0000]),
            array(2, 1, Data::U8(vec![0, 255]))
        );
        let palette = (&[1, 2, 3, 4, 5, 6][..], &[200, 100][..]);
        let indexed = read(ColorType::Indexed, BitDepth::Eight, Some(palette), &[1, 0]);
        assert_eq!(indexed, array(2, 4, Data::U8(vec![4, 5, 6, 100, 1, 2, 3, 200])));
    }

    #[test]
    fn floats_are_clamped() {
        let values = [-1.0, 0.0, 0.5, 1.0, f32::INFINITY, f32::NAN, f32::NEG_INFINITY];
        let picture = round_trip(&array(7, 1, floats(&values)));
        assert_eq!(picture.data, Data::U8(vec![0, 0, 128, 255, 255, 0, 0]));
    }

    #[test]
    fn tonemap_spares_alpha() {
        let tonemap = Some(Tonemap { min: -2.0, max: 2.0 });
        let pixels = array(2, 4, floats(&[-2.0, 0.0, 2.0, 1.0, -3.0, 3.0, f32::NAN, 0.2]));
        let picture = read_png(&encode(&pixels, tonemap).unwrap()).unwrap();
        assert_eq!(picture.data, Data::U8(vec![0, 128, 255, 255, 0, 255, 0, 51]));
        let backwards = Some(Tonemap { min: 1.0, max: 0.0 });
        let picture = encode(&array(2, 1, floats(&[0.0, 1.0])), backwards).unwrap();
        assert_eq!(read_png(&picture).unwrap().data, Data::U8(vec![255, 0]));
        let huge = Some(Tonemap { min: f32::MIN, max: f32::MAX });
        let picture = encode(&array(2, 1, floats(&[f32::MIN, f32::MAX])), huge).unwrap();
        assert_eq!(read_png(&picture).unwrap().data, Data::U8(vec![0, 255]));
    }

    #[test]
    fn channels_of_pictures() {
        let two = round_trip(&array(1, 2, Data::U8(vec![9, 8])));
        assert_eq!(two, array(1, 3, Data::U8(vec![9, 8, 0])));
        let hidden = round_trip(&array(2, 4, floats(&[1.0, 0.2, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0])));
        assert_eq!(hidden, array(2, 3, Data::U8(vec![255, 51, 0, 0, 0, 255])));
        let partly_hidden = array(2, 4, Data::U8(vec![1, 2, 3, 0, 4, 5, 6, 1]));
        assert_eq!(round_trip(&partly_hidden), partly_hidden);
        let five = encode(&array(1, 5, Data::U8(vec![0; 5])), None).unwrap_err();
        assert_eq!(five, ContentError::Channels { channels: 5, values: "uint8", target: "picture" });
    }

    #[test]
    fn damaged_and_oversized_files() {
        let good = encode(&array(2, 4, Data::U8((1..9).collect())), None).unwrap();
        // Only what follows the values may be missing.
        for length in 0..good.len() - 12 {
            assert!(matches!(read_png(&good[..length]), Err(ContentError::Png { .. })), "{length} bytes");
        }
        let mut wide = Vec::new();
        let mut encoder = Encoder::new(&mut wide, 4097, 1);
        encoder.set_color(ColorType::Grayscale);
        encoder.write_header().unwrap().write_image_data(&[0; 4097]).unwrap();
        assert_eq!(read_png(&wide), Err(ContentError::TooLarge { width: 4097, height: 1 }));
    }
}
