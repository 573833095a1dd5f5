//! Arrays in the memory of the device, and back.

use super::{Array, ContentError, Data, Shape};
use ctm_memory::{Bounds, Format, ONE, RangeError, Space, Surface, Tiling, View, linear_address};
use ctm_num::convert::unorm16_to_f32;

/// Greatest width and height of a surface that all coordinates reach (CTM Guide p.10-11: 12 bits).
pub const MAX_SIDE: usize = 4096;

/// A surface for `width` x `height` elements, at base address 0. Its pitch is the width rounded up so that rows do not
/// overlap.
pub fn surface(width: usize, height: usize, format: Format, tiling: Tiling) -> Result<Surface, ContentError> {
    if width == 0 || height == 0 {
        return Err(ContentError::Empty);
    }
    if width.max(height) > MAX_SIDE {
        return Err(ContentError::TooLarge { width: width as u64, height: height as u64 });
    }
    // A format word counts pitches in fours.
    let granule = Surface::pitch_granule(tiling, format).max(4);
    let pitch = (width as u32).next_multiple_of(granule);
    Ok(Surface { base: 0, pitch, height: height as u32, tiling, superfine: false, format })
}

/// The surface that an array fills, at base address 0.
pub fn surface_for(array: &Array, tiling: Tiling) -> Result<Surface, ContentError> {
    let Shape { width, height, channels } = array.shape;
    let format = match (&array.data, channels) {
        (Data::U8(_), 1 | 3 | 4) => Format::Uint8_4,
        (Data::U16(_), 1) => Format::Uint16_1,
        (Data::F32(_), 1) => Format::Float32_1,
        (Data::U16(_) | Data::F32(_), 2) => Format::Float32_2,
        (Data::U16(_) | Data::F32(_), 3 | 4) => Format::Float32_4,
        (data, _) => return Err(ContentError::Channels { channels, values: data.type_name(), target: "surface" }),
    };
    surface(width, height, format, tiling)
}

/// Writes an array into the surface that [`surface_for`] gave for it. The columns between width and pitch repeat the
/// last one, so that a lookup right of the array sees its edge.
///
/// # Errors
///
/// If the surface is not inside of one mapped arena.
pub fn upload(array: &Array, space: &Space, surface: Surface) -> Result<(), RangeError> {
    let view = mapped(space, surface)?;
    let Shape { width, height, channels } = array.shape;
    let is_written = upload_rows(array, space, surface);
    for y in 0..height {
        // Whole rows leave what is right of them.
        for x in if is_written { width } else { 0 }..surface.pitch as usize {
            let first = (y * width + x.min(width - 1)) * channels;
            view.store_raw(x as i64, y as i64, stored(&array.data, first, channels));
        }
    }
    Ok(())
}

/// Reads the left `width` elements of the first `height` rows of a surface: UINT8_4 as uint8 with 4 channels, UINT16_1
/// as uint16, floats as float32 with the channels of the format.
///
/// # Errors
///
/// If the surface is not inside of one mapped arena.
pub fn download(space: &Space, surface: Surface, width: usize, height: usize) -> Result<Array, RangeError> {
    let view = mapped(space, surface)?;
    let channels = surface.format.channels();
    let shape = Shape { width, height, channels };
    if let Some(data) = rows_of_words(space, surface, shape) {
        return Ok(Array { shape, data });
    }
    let elements = (0..height).flat_map(|y| (0..width).map(move |x| (x as i64, y as i64)));
    let elements = elements.map(|(x, y)| view.load_raw(x, y));
    let data = match surface.format {
        Format::Uint16_1 => Data::U16(elements.map(|raw| raw[0] as u16).collect()),
        Format::Uint8_4 => Data::U8(elements.flat_map(|raw| raw[0].to_le_bytes()).collect()),
        _ => Data::F32(elements.flat_map(|raw| raw.into_iter().take(channels)).collect()),
    };
    Ok(Array { shape, data })
}

/// The values of a surface of floats whose rows lie in memory one after the other.
fn rows_of_words(space: &Space, surface: Surface, Shape { width, height, channels }: Shape) -> Option<Data> {
    let Surface { base, pitch, height: rows, tiling, superfine, format } = surface;
    let is_float = matches!(format, Format::Float32_1 | Format::Float32_2 | Format::Float32_4);
    let inside = (1..=pitch as usize).contains(&width) && height <= rows as usize;
    if tiling != Tiling::Linear || superfine || !is_float || !inside {
        return None;
    }
    let arena = space.arena_of(base, u32::try_from(surface.bytes()).ok()?)?;
    let mut values = vec![0; width * height * channels];
    for (row, y) in values.chunks_exact_mut(width * channels).zip(0..) {
        let address = linear_address(0, y, pitch, base, format.bytes_per_element());
        arena.read_words(address, row).then_some(())?;
    }
    Some(Data::F32(values))
}

/// Writes an array whose values are the words of the surface row by row, and says whether it is one.
fn upload_rows(array: &Array, space: &Space, surface: Surface) -> bool {
    let Shape { width, channels, .. } = array.shape;
    let Surface { base, pitch, tiling, superfine, format, .. } = surface;
    let Data::F32(values) = &array.data else { return false };
    let Some(arena) = space.arena_of(base, 1) else { return false };
    let is_float = format.bytes_per_element() as usize == 4 * channels && format.channels() == channels;
    if tiling != Tiling::Linear || superfine || !is_float {
        return false;
    }
    values.chunks_exact(width * channels).zip(0..).all(|(row, y)| {
        let address = linear_address(0, y, pitch, base, format.bytes_per_element());
        arena.write_words(address, row)
    })
}

/// A view of a surface whose memory is there.
fn mapped(space: &Space, surface: Surface) -> Result<View<'_>, RangeError> {
    let inside = u32::try_from(surface.bytes()).ok().and_then(|bytes| space.arena_of(surface.base, bytes));
    match inside {
        Some(_) => Ok(View::new(space, surface, Bounds::Clamp)),
        None => Err(RangeError { address: surface.base, length: surface.bytes() as usize }),
    }
}

/// The stored words of the element whose values begin at `first`.
fn stored(data: &Data, first: usize, channels: usize) -> [u32; 4] {
    match data {
        Data::U8(values) => {
            let bytes = match values[first..first + channels] {
                [gray] => [gray, gray, gray, u8::MAX],
                [r, g, b] => [r, g, b, u8::MAX],
                ref bytes => std::array::from_fn(|channel| bytes[channel]),
            };
            [u32::from_le_bytes(bytes), 0, 0, 0]
        }
        Data::U16(values) if channels == 1 => [values[first].into(), 0, 0, 0],
        Data::U16(values) => floats(values[first..first + channels].iter().map(|value| unorm16_to_f32(*value))),
        Data::F32(values) => floats(values[first..first + channels].iter().copied()),
    }
}

/// Up to four values as an element, with 1.0 in the channels that are missing.
fn floats(values: impl Iterator<Item = u32>) -> [u32; 4] {
    let mut element = [ONE; 4];
    element.iter_mut().zip(values).for_each(|(channel, value)| *channel = value);
    element
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctm_memory::Arena;

    const BASE: u32 = 0x1000_0000;

    fn space() -> Space {
        let mut space = Space::default();
        space.map(Arena::new(BASE, 0x10_0000).unwrap()).unwrap();
        space
    }

    fn array(width: usize, height: usize, channels: usize, data: Data) -> Array {
        Array { shape: Shape { width, height, channels }, data }
    }

    /// Uploads, and gives the surface.
    fn uploaded(array: &Array, tiling: Tiling, space: &Space) -> Surface {
        let surface = Surface { base: BASE, ..surface_for(array, tiling).unwrap() };
        upload(array, space, surface).unwrap();
        surface
    }

    #[test]
    fn native_arrays_come_back() {
        let floats = |count: u32| Data::F32((0..count).map(|n| 0x7F80_0000 + n).collect());
        for tiling in [Tiling::Linear, Tiling::Tiled] {
            for original in [
                array(37, 5, 1, floats(37 * 5)),
                array(5, 37, 2, floats(5 * 37 * 2)),
                array(19, 33, 4, floats(19 * 33 * 4)),
                array(3, 2, 4, Data::U8((0..24).collect())),
                array(300, 2, 1, Data::U16((0..600).collect())),
                array(1, 1, 1, Data::U16(vec![7])),
            ] {
                let space = space();
                let surface = uploaded(&original, tiling, &space);
                let Shape { width, height, .. } = original.shape;
                assert_eq!(download(&space, surface, width, height), Ok(original), "{tiling:?}");
            }
        }
    }

    #[test]
    fn channels_are_completed() {
        let f = |values: &[f32]| Data::F32(values.iter().map(|value| value.to_bits()).collect());
        for (given, expected) in [
            (array(1, 1, 3, f(&[0.5, 2.0, 3.0])), array(1, 1, 4, f(&[0.5, 2.0, 3.0, 1.0]))),
            (array(1, 1, 1, Data::U8(vec![9])), array(1, 1, 4, Data::U8(vec![9, 9, 9, 255]))),
            (array(1, 1, 3, Data::U8(vec![9, 8, 7])), array(1, 1, 4, Data::U8(vec![9, 8, 7, 255]))),
            (array(1, 1, 2, Data::U16(vec![0, 13107])), array(1, 1, 2, f(&[0.0, 0.2]))),
            (array(1, 1, 3, Data::U16(vec![0, 13107, 65535])), array(1, 1, 4, f(&[0.0, 0.2, 1.0, 1.0]))),
        ] {
            let space = space();
            let surface = uploaded(&given, Tiling::Linear, &space);
            assert_eq!(download(&space, surface, 1, 1), Ok(expected));
        }
        for (channels, data) in [(2, Data::U8(vec![0; 2])), (5, Data::F32(vec![0; 5])), (5, Data::U16(vec![0; 5]))] {
            let error = surface_for(&array(1, 1, channels, data), Tiling::Linear).unwrap_err();
            assert!(matches!(error, ContentError::Channels { target: "surface", .. }) && error.help().is_some());
        }
    }

    #[test]
    fn right_of_an_array_is_its_edge() {
        let space = space();
        for tiling in [Tiling::Linear, Tiling::Tiled] {
            let surface = uploaded(&array(3, 2, 1, Data::F32(vec![1, 2, 3, 4, 5, 6])), tiling, &space);
            let view = View::new(&space, surface, Bounds::Clamp);
            for x in 2..40 {
                assert_eq!([view.load(x, 0)[0], view.load(x, 1)[0], view.load(x, 2)[0]], [3, 6, 6], "{tiling:?} {x}");
            }
        }
    }

    /// Whether rows are read as words in memory or by elements, the same comes of them, beside the surface too.
    #[test]
    fn all_that_is_downloaded_is_the_same_in_both_tilings() {
        for (data, channels) in [
            (Data::F32((0..128).collect()), 1),
            (Data::F32((0..256).collect()), 2),
            (Data::F32((0..512).collect()), 4),
            (Data::U8((0..=255).cycle().take(512).collect()), 4),
            (Data::U16((0..128).collect()), 1),
        ] {
            // A width that is the pitch in both.
            let original = array(64, 2, channels, data);
            let read = |tiling, width, height| {
                let space = space();
                let surface = Surface { height: 2, ..uploaded(&original, tiling, &space) };
                assert_eq!(surface.pitch, 64);
                download(&space, surface, width, height).unwrap()
            };
            for (width, height) in [(63, 2), (64, 2), (65, 2), (64, 3), (70, 3)] {
                let [linear, tiled] = [Tiling::Linear, Tiling::Tiled].map(|tiling| read(tiling, width, height));
                assert_eq!(linear, tiled, "{width}x{height}");
            }
        }
    }

    #[test]
    fn pitches_keep_rows_apart() {
        for (format, linear, tiled) in [
            (Format::Uint16_1, 16, 32),
            (Format::Uint8_4, 8, 32),
            (Format::Float32_1, 8, 32),
            (Format::Float32_2, 4, 16),
            (Format::Float32_4, 4, 16),
        ] {
            for (tiling, granule) in [(Tiling::Linear, linear), (Tiling::Tiled, tiled)] {
                let pitch = |width| surface(width, 1, format, tiling).unwrap().pitch;
                assert_eq!(
                    [pitch(1), pitch(granule), pitch(granule + 1)].map(|pitch| pitch as usize),
                    [granule, granule, 2 * granule]
                );
            }
        }
    }

    #[test]
    fn limits() {
        let sized = |width, height| surface(width, height, Format::Float32_4, Tiling::Linear);
        assert!(sized(4096, 4096).is_ok());
        assert_eq!(sized(4097, 1), Err(ContentError::TooLarge { width: 4097, height: 1 }));
        assert_eq!(sized(1, 4097), Err(ContentError::TooLarge { width: 1, height: 4097 }));
        assert_eq!(sized(0, 1), Err(ContentError::Empty));
        let space = space();
        let outside = Surface { base: BASE, ..sized(4096, 4096).unwrap() };
        assert_eq!(download(&space, outside, 1, 1), Err(RangeError { address: BASE, length: 1 << 28 }));
    }
}
