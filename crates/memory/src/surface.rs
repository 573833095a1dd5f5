//! Surfaces: how a client of the memory controller sees a piece of memory.

use crate::{Format, Layout, LinearLayout, TiledLayout};

/// Base addresses are multiples of this many bytes (CTM Guide p.13).
pub const BASE_ALIGNMENT: u32 = 2048;

/// Pitch bits of a format word.
const PITCH_BITS: u32 = 0x1FFC;
/// Height bits of a height word.
const HEIGHT_BITS: u32 = 0x1FFF;

/// The order in which the elements of a surface lie in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tiling {
    /// Row after row.
    #[default]
    Linear,
    /// In tiles of 2048 bytes.
    Tiled,
}

/// A two-dimensional piece of memory (CTM Guide p.13, 16).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Surface {
    /// Address of element (0, 0): a multiple of [`BASE_ALIGNMENT`].
    pub base: u32,
    /// Elements from one row to the next: a multiple of 4, at most 8188. Anything but a multiple of 32 bytes (linear)
    /// or of the tile width (tiled) makes rows overlap.
    pub pitch: u32,
    /// Rows, at most 8191. 0 means 1 for an input and "no bound" for an output.
    pub height: u32,
    /// Order of the elements in memory.
    pub tiling: Tiling,
    /// Whether a lookup of an input returns four neighbouring elements. Only inputs with one channel heed it.
    pub superfine: bool,
    /// What an element is.
    pub format: Format,
}

/// A format word holds one of the reserved format codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("element format {code} is reserved; formats are 0 (UINT16_1) to 4 (FLOAT32_4)")]
pub struct ReservedFormat {
    /// The code: 5 to 7.
    pub code: u32,
}

impl Surface {
    /// Takes a surface from the parameters of a `set_*_fmt` command: base address, format word, height word. Reserved
    /// bits are ignored.
    pub fn from_words(base: u32, format: u32, height: u32) -> Result<Self, ReservedFormat> {
        let code = format >> 24 & 7;
        Ok(Surface {
            base: base & !(BASE_ALIGNMENT - 1),
            pitch: format & PITCH_BITS,
            height: height & HEIGHT_BITS,
            tiling: if format >> 16 & 1 == 0 { Tiling::Linear } else { Tiling::Tiled },
            superfine: format >> 17 & 1 != 0,
            format: Format::from_code(code).ok_or(ReservedFormat { code })?,
        })
    }

    /// The format word of the surface.
    pub fn format_word(&self) -> u32 {
        let tiling = (self.tiling == Tiling::Tiled) as u32;
        self.pitch & PITCH_BITS | tiling << 16 | (self.superfine as u32) << 17 | self.format.code() << 24
    }

    /// The facts of the surface's address map.
    pub fn layout(&self) -> Layout {
        let bytes_per_element = self.format.bytes_per_element();
        match self.tiling {
            Tiling::Linear => Layout::Linear(LinearLayout::new(self.pitch, self.base, bytes_per_element)),
            Tiling::Tiled => Layout::Tiled(TiledLayout::new(self.pitch, self.base, bytes_per_element)),
        }
    }

    /// Address of element (`x`, `y`), in bytes; no bounds are checked.
    pub fn address(&self, x: u32, y: u32) -> u32 {
        self.layout().address(x, y)
    }

    /// Bytes to allocate for the surface: its rows, or its rows of tiles.
    ///
    /// A pitch that is not a multiple of the granule (see [`pitch`](Self::pitch)) leaves the end of the last row outside.
    pub fn bytes(&self) -> u64 {
        let height = u64::from(self.height);
        match self.layout() {
            Layout::Linear(layout) => height * u64::from(layout.row_bytes),
            Layout::Tiled(layout) => height.div_ceil(1 << layout.tile_height_log2) * u64::from(layout.tile_row_bytes),
        }
    }

    /// Elements that a pitch must be a multiple of so that rows do not overlap: 32 bytes, or a tile.
    pub fn pitch_granule(tiling: Tiling, format: Format) -> u32 {
        let bytes_per_element = format.bytes_per_element();
        match tiling {
            Tiling::Linear => 32 / bytes_per_element,
            Tiling::Tiled => 1 << TiledLayout::new(0, 0, bytes_per_element).tile_width_log2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SURFACE: Surface = Surface {
        base: 0x1000_0800,
        pitch: 64,
        height: 100,
        tiling: Tiling::Tiled,
        superfine: true,
        format: Format::Float32_1,
    };

    #[test]
    fn format_words() {
        assert_eq!(SURFACE.format_word(), 0x0203_0040);
        assert_eq!(Surface::from_words(SURFACE.base, 0x0203_0040, 100), Ok(SURFACE));
        let reserved_bits = Surface::from_words(SURFACE.base | 0x7FF, 0x0203_0040 | 0xF8FC_E003, 100 | !HEIGHT_BITS);
        assert_eq!(reserved_bits, Ok(SURFACE), "reserved bits are ignored");
        for code in 0..8u32 {
            for tiling in 0..4 {
                let word = 0x1FFC | tiling << 16 | code << 24;
                match Surface::from_words(0, word, 8191) {
                    Ok(surface) => assert_eq!((surface.format_word(), surface.height), (word, 8191)),
                    Err(ReservedFormat { code: found }) => assert!(code == found && code > 4),
                }
            }
        }
    }

    #[test]
    fn allocation_sizes() {
        assert_eq!(Surface { tiling: Tiling::Linear, ..SURFACE }.bytes(), 100 * 256);
        assert_eq!(Surface { tiling: Tiling::Linear, pitch: 12, ..SURFACE }.bytes(), 100 * 32, "pitch rounded down");
        assert_eq!(SURFACE.bytes(), 7 * 2 * 2048, "100 rows are 7 rows of tiles");
        let largest = Surface { pitch: 8188, height: 8191, format: Format::Float32_4, ..SURFACE };
        assert_eq!(largest.bytes(), 1024 * 511 * 2048);
    }

    /// 32 bytes, and the widths of tiles (CTM Guide p.6, table 2).
    #[test]
    fn granules_of_pitches() {
        for (tiling, granules) in [(Tiling::Linear, [16, 8, 8, 4, 2]), (Tiling::Tiled, [32, 32, 32, 16, 16])] {
            assert_eq!(Format::ALL.map(|format| Surface::pitch_granule(tiling, format)), granules, "{tiling:?}");
        }
    }

    #[test]
    fn a_pitch_of_whole_granules_is_kept() {
        for format in Format::ALL {
            for tiling in [Tiling::Linear, Tiling::Tiled] {
                let pitch = 3 * Surface::pitch_granule(tiling, format);
                let rows = if tiling == Tiling::Linear { 1 } else { 32 };
                let surface = Surface { pitch, height: rows, tiling, format, ..SURFACE };
                assert_eq!(
                    surface.bytes(),
                    u64::from(pitch * rows * format.bytes_per_element()),
                    "{format} {tiling:?}"
                );
            }
        }
    }
}
