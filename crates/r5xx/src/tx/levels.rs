//! Where the levels of a texture lie. The card is given the place of the first level only.

use crate::layout::{Layout, MicroTile};
use crate::registers::{TxFormat0, TxFormat2, TxOffset};
use ctm_memory::Tiling;
use ctm_raster::sampler::{TextureKind, TextureShape};
use ctm_raster::texel::TexelFormat;

/// Rows of compressed blocks begin at multiples of this many bytes.
const ROW_BYTES: u32 = 32;

/// One level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    layout: Layout,
    /// Bytes from the beginning of the texture.
    begin: u64,
    /// Bytes of a face or slice.
    layer: u64,
}

impl Level {
    /// The tiling and pitch of surfaces with this layout, if they can have it.
    pub fn surface(&self) -> Option<(Tiling, u32)> {
        self.layout.surface()
    }

    /// Bytes from the texture's beginning to a block of texels.
    #[inline]
    pub fn offset(&self, layer: u32, block_x: u32, block_y: u32) -> u64 {
        self.layer_offset(layer) + u64::from(self.layout.offset(block_x, block_y))
    }

    /// Bytes from the texture's beginning to a face or slice.
    #[inline]
    pub fn layer_offset(&self, layer: u32) -> u64 {
        self.begin + u64::from(layer) * self.layer
    }

    /// How blocks of texels lie in a face or slice.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }
}

/// The levels of a texture, finest first.
///
/// Source: what Mesa's r300 driver allocates.
pub fn levels(
    texel: &TexelFormat,
    shape: &TextureShape,
    format: &TxFormat0,
    more: &TxFormat2,
    offset: &TxOffset,
) -> Vec<Level> {
    let (block_width, block_height, bytes) = texel.block();
    let is_plain = matches!(texel, TexelFormat::Plain { .. } | TexelFormat::Normals { .. });
    let micro = MicroTile::of(offset.micro_tile);
    let has_even_rows = shape.last_level != 0 || shape.kind != TextureKind::Flat;
    let mut begin = 0;
    let level = |number: u32| {
        let [width, height, _] = shape.level_size(number);
        let fits = |tile: [u32; 2]| width >= tile[0] && height >= tile[1];
        let macro_tile = offset.macro_tile && fits(micro.tile(bytes, true));
        let [tile_width, tile_height] = micro.tile(bytes, macro_tile);
        let stride = if format.has_pitch && number == 0 {
            (u32::from(more.pitch) + 1) / block_width * bytes
        } else if is_plain {
            width.next_multiple_of(tile_width) * bytes
        } else {
            (width.div_ceil(block_width) * bytes).next_multiple_of(ROW_BYTES)
        };
        let height = if has_even_rows { height.next_power_of_two() } else { height };
        let rows = if is_plain { height.next_multiple_of(tile_height) } else { height.div_ceil(block_height) };
        let layer = u64::from(stride) * u64::from(rows);
        let level = Level { layout: Layout::new(bytes, stride, macro_tile, micro), begin, layer };
        begin += layer * u64::from(shape.layers(number));
        level
    };
    (0..=shape.last_level).map(level).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registers::RegisterType;
    use ctm_raster::blocks::BlockFormat;
    use ctm_raster::channel::{Channel, ChannelKind};

    const RGBA8: TexelFormat =
        TexelFormat::Plain { bytes: 4, components: [Some(Channel::new(0, 8, ChannelKind::Unorm)); 4] };

    fn places(texel: TexelFormat, kind: TextureKind, size: [u32; 3], last_level: u32, offset: u32) -> Vec<(u64, u64)> {
        let shape = TextureShape { kind, size, last_level };
        let (format, more, offset) = (TxFormat0::decode(0), TxFormat2::decode(0), TxOffset::decode(offset));
        levels(&texel, &shape, &format, &more, &offset).iter().map(|level| (level.begin, level.layer)).collect()
    }

    #[test]
    fn levels_follow_one_another() {
        let linear = places(RGBA8, TextureKind::Flat, [64, 16, 1], 6, 0);
        let expected = [(0, 4096), (4096, 1024), (5120, 256), (5376, 64), (5440, 32), (5472, 32), (5504, 32)];
        assert_eq!(linear, expected, "rows have 32 bytes at least");
        // 32 x 16 texels are a tile of 2 KiB; levels that are smaller have micro tiles of 4 x 2 only.
        let tiled = places(RGBA8, TextureKind::Flat, [64, 32, 1], 3, 1 << 2 | 1 << 3);
        assert_eq!(tiled, [(0, 8192), (8192, 2048), (10240, 512), (10752, 128)]);
        let cube = places(RGBA8, TextureKind::Cube, [16, 16, 1], 1, 0);
        assert_eq!(cube, [(0, 1024), (6 * 1024, 256)]);
        let volume = places(RGBA8, TextureKind::Volume, [8, 8, 4], 2, 0);
        assert_eq!(volume, [(0, 256), (1024, 128), (1280, 64)]);
    }

    #[test]
    fn heights_are_rounded_up_where_there_are_more_layers_or_levels() {
        assert_eq!(places(RGBA8, TextureKind::Flat, [8, 5, 1], 0, 0), [(0, 160)]);
        assert_eq!(places(RGBA8, TextureKind::Cube, [8, 5, 1], 0, 0), [(0, 256)]);
        assert_eq!(places(RGBA8, TextureKind::Flat, [8, 5, 1], 1, 0), [(0, 256), (256, 64)]);
    }

    #[test]
    fn blocks_are_counted_in_rows_of_blocks() {
        let dxt1 = TexelFormat::Blocks(BlockFormat::Dxt1);
        let found = places(dxt1, TextureKind::Flat, [32, 16, 1], 5, 0);
        assert_eq!(found, [(0, 256), (256, 64), (320, 32), (352, 32), (384, 32), (416, 32)]);
    }

    #[test]
    fn a_pitch_may_be_given() {
        let shape = TextureShape { kind: TextureKind::Flat, size: [100, 2, 1], last_level: 0 };
        let (format, more, offset) = (TxFormat0::decode(1 << 31), TxFormat2::decode(127), TxOffset::decode(0));
        let levels = levels(&RGBA8, &shape, &format, &more, &offset);
        assert_eq!(levels[0].offset(0, 3, 1), 128 * 4 + 12);
    }
}
