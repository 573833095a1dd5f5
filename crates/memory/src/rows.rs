//! Surfaces in tiles, copied row by row.

use crate::{Layout, Space, Surface, Tiling, Words};

/// Bytes that lie together in tiles of elements of 4 bytes and more, from multiples of so many bytes of a row on.
const CONTIGUOUS_BYTES: u32 = 16;
/// Columns and rows at most: coordinates beyond wrap.
const SIDE: u32 = 4096;

/// The words of a surface, if all of them are in one arena.
fn words_of<'s>(space: &'s Space, surface: &Surface) -> Option<Words<'s>> {
    let bytes = u32::try_from(surface.bytes()).ok()?;
    space.arena_of(surface.base, bytes)?.shared_words(surface.base, bytes as usize / 4)
}

/// Copies a surface in tiles of another space to where its rows lie one after the other from an address on, and gives what is there: a surface with the
/// same elements, pitch and height. `None`, and it may be that a part is copied, if it does not lie in tiles, elements have less than 4 bytes, not all of
/// it is in one arena, or there is no place for it.
pub fn copy_rows(from: &Space, surface: &Surface, to: &Space, base: u32) -> Option<Surface> {
    let Layout::Tiled(layout) = surface.layout() else { return None };
    let (pitch, height) = (surface.pitch, surface.height);
    let bytes = surface.format.bytes_per_element();
    let is_whole = pitch.is_multiple_of(1 << layout.tile_width_log2) && pitch <= SIDE && (1..=SIDE).contains(&height);
    if bytes < 4 || !is_whole {
        return None;
    }
    let copy = Surface { base, tiling: Tiling::Linear, ..*surface };
    let source = words_of(from, surface)?;
    let target = words_of(to, &copy)?;
    let step = (CONTIGUOUS_BYTES / bytes) as usize;
    let columns: Vec<[u32; 2]> = (0..pitch)
        .step_by(step)
        .map(|x| [layout.address(x, 0) - layout.base - layout.column(x), layout.column(x)])
        .collect();
    let words = |elements: u32| (elements * bytes / 4) as usize;
    let (tile_width, tile_height) = (1 << layout.tile_width_log2, 1 << layout.tile_height_log2);
    // Tile after tile, in the order of their addresses, which is what processors load ahead of.
    for top in (0..height).step_by(tile_height) {
        let tiles = (top >> layout.tile_height_log2) * layout.tile_row_bytes;
        for (left, columns) in (0..pitch).step_by(tile_width).zip(columns.chunks_exact(tile_width / step)) {
            for y in top..height.min(top + tile_height as u32) {
                let inside = layout.row(y);
                let mut place = words(y * pitch + left);
                for &[tile, column] in columns {
                    let address = tiles + tile + (column ^ inside);
                    target.four(place)?.set(source.four(address as usize / 4)?.get());
                    place += (CONTIGUOUS_BYTES / 4) as usize;
                }
            }
        }
    }
    Some(copy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arena, Bounds, Format, View};

    const SURFACE: Surface = Surface {
        base: 0x1000_0800,
        pitch: 96,
        height: 37,
        tiling: Tiling::Tiled,
        superfine: false,
        format: Format::Float32_1,
    };

    fn space(base: u32) -> Space {
        let mut space = Space::default();
        space.map(Arena::new(base, 0x1_8000).unwrap()).unwrap();
        space
    }

    #[test]
    fn copies_have_the_elements() {
        let from = space(0x1000_0000);
        for n in 0..0x1_8000 / 4 {
            from.store(0x1000_0000 + 4 * n, n.wrapping_mul(0x9E37_79B9), 4);
        }
        for format in [Format::Uint8_4, Format::Float32_1, Format::Float32_2, Format::Float32_4] {
            let to = space(0x2000_0000);
            let surface = Surface { format, ..SURFACE };
            let copy = copy_rows(&from, &surface, &to, 0x2000_1000).unwrap();
            assert_eq!(copy, Surface { base: 0x2000_1000, tiling: Tiling::Linear, ..surface });
            let (own, copied) = (View::new(&from, surface, Bounds::Clamp), View::new(&to, copy, Bounds::Clamp));
            for (x, y) in (0..39).flat_map(|y| (0..98).map(move |x| (x, y))) {
                assert_eq!(copied.load(x, y), own.load(x, y), "{format:?} {x} {y}");
            }
            assert_eq!(View::new(&to, copy, Bounds::Drop).load_raw(0, 37), [0; 4], "nothing else is written");
        }
    }

    /// Coordinates beyond wrap: there are no such elements, and a copy would have others.
    #[test]
    fn sides_end_where_coordinates_do() {
        let space = |base| {
            let mut space = Space::default();
            space.map(Arena::new(base, 0x10_0000).unwrap()).unwrap();
            space
        };
        let (from, to) = (space(0x1000_0000), space(0x2000_0000));
        for (pitch, height, is_copied) in [(4096, 8, true), (4128, 8, false), (32, 4096, true), (32, 4097, false)] {
            let surface = Surface { base: 0x1000_0000, pitch, height, ..SURFACE };
            assert!(words_of(&from, &surface).is_some(), "there is memory for it");
            assert_eq!(copy_rows(&from, &surface, &to, 0x2000_0000).is_some(), is_copied, "{pitch} {height}");
        }
    }

    #[test]
    fn what_cannot_be_copied_is_not() {
        let (from, to) = (space(0x1000_0000), space(0x2000_0000));
        let copy = |surface: Surface, base| copy_rows(&from, &surface, &to, base);
        assert!(copy(SURFACE, 0x2000_0000).is_some());
        for other in [
            Surface { tiling: Tiling::Linear, ..SURFACE },
            Surface { format: Format::Uint16_1, ..SURFACE },
            Surface { pitch: 100, ..SURFACE },
            Surface { height: 0, ..SURFACE },
            Surface { height: 4097, ..SURFACE },
            Surface { height: 300, ..SURFACE },
        ] {
            assert_eq!(copy(other, 0x2000_0000), None, "{other:?}");
        }
        assert_eq!((copy(SURFACE, 0x2001_7000), copy(SURFACE, 0x3000_0000)), (None, None), "no place");
    }
}
