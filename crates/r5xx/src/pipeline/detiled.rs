//! Textures in tiles that are copied row by row, where so many pixels may fetch from them that it pays: kernels find texels there with fewer
//! instructions. No texture of a draw is written by it, so copies are good until its end.

use crate::tx::KernelTexture;
use ctm_memory::{BASE_ALIGNMENT, Space, Surface, Tiling, copy_rows};

/// Bytes of all copies of a draw at most.
const MOST: u64 = 1 << 26;

/// Memory for copies.
#[derive(Default)]
pub struct DetilingMemory {
    space: Space,
    base: u32,
    bytes: u64,
}

impl DetilingMemory {
    /// A space with so many bytes from this address on; `None` if the host has none.
    fn reserve(&mut self, bytes: u64) -> Option<(Space, u32)> {
        if bytes > self.bytes {
            let bytes = bytes.next_power_of_two();
            let mut space = Space::default();
            let base = space.append(bytes).ok()?;
            *self = DetilingMemory { space, base, bytes };
        }
        Some((self.space.clone(), self.base))
    }

    /// Whether something was copied to it.
    #[cfg(test)]
    pub fn is_used(&self) -> bool {
        self.bytes > 0
    }
}

/// Copies of a draw's textures.
pub struct DetiledTextures {
    space: Space,
    /// By unit, of those that lie in tiles.
    textures: Vec<Option<KernelTexture>>,
}

/// Those of textures by unit that lie in tiles.
fn in_tiles(textures: &[Option<KernelTexture>]) -> impl Iterator<Item = (usize, &KernelTexture)> {
    let flat = textures.iter().enumerate().filter_map(|(unit, texture)| Some((unit, texture.as_ref()?)));
    flat.filter(|(_, texture)| texture.surface.tiling == Tiling::Tiled)
}

/// What kernels fetch from, by unit: textures of this space, or their copies, and the memory that each lies in.
pub fn bound<'b>(
    textures: &'b [Option<KernelTexture>],
    space: &'b Space,
    copies: Option<&'b DetiledTextures>,
) -> impl Iterator<Item = Option<(KernelTexture, &'b Space)>> {
    textures.iter().enumerate().map(move |(unit, texture)| {
        let copy = copies.and_then(|copies| copies.get(unit));
        copy.or(texture.map(|texture| (texture, space)))
    })
}

impl DetiledTextures {
    /// How many texels of textures by unit are to be copied.
    pub fn texels(textures: &[Option<KernelTexture>]) -> u64 {
        let texels = |surface: &Surface| u64::from(surface.pitch) * u64::from(surface.height);
        in_tiles(textures).map(|(_, texture)| texels(&texture.surface)).sum()
    }

    /// Of textures by unit that lie in this space; `None` if they are too large, or cannot be copied.
    pub fn of(textures: &[Option<KernelTexture>], space: &Space, memory: &mut DetilingMemory) -> Option<Self> {
        // No copy takes more than what it is of.
        let bytes = |surface: &Surface| surface.bytes().next_multiple_of(BASE_ALIGNMENT.into());
        let all = in_tiles(textures).map(|(_, texture)| bytes(&texture.surface)).sum();
        let (own, mut base) = (all <= MOST).then(|| memory.reserve(all)).flatten()?;
        let mut copies = vec![None; textures.len()];
        for (unit, texture) in in_tiles(textures) {
            let surface = copy_rows(space, &texture.surface, &own, base)?;
            copies[unit] = Some(KernelTexture { surface, ..*texture });
            base += bytes(&texture.surface) as u32;
        }
        Some(DetiledTextures { space: own, textures: copies })
    }

    /// The copy of a unit's texture, and the memory that it lies in.
    pub fn get(&self, unit: usize) -> Option<(KernelTexture, &Space)> {
        self.textures.get(unit).copied().flatten().map(|texture| (texture, &self.space))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tx::Select;
    use ctm_memory::{Arena, Bounds, Format, View};
    use ctm_raster::sampler::{Filter, Wrap};

    const BASE: u32 = 0x10_0000;

    fn texture(base: u32, tiling: Tiling, height: u32) -> Option<KernelTexture> {
        let surface = Surface { base, pitch: 64, height, tiling, superfine: false, format: Format::Uint8_4 };
        let selects = [0, 1, 2, 3].map(Select::Component);
        Some(KernelTexture { surface, width: 60, filter: Filter::Point, wrap: [Wrap::Repeat; 2], selects })
    }

    #[test]
    fn textures_in_tiles_have_copies() {
        let arena = Arena::new(BASE, 0x1_0000).unwrap();
        (0..0x4000).for_each(|n: u32| assert!(arena.write_u32(BASE + 4 * n, n.wrapping_mul(0x9E37_79B9))));
        let mut space = Space::default();
        space.map(arena).unwrap();
        let textures = [
            texture(BASE, Tiling::Tiled, 20),
            texture(BASE + 0x3000, Tiling::Linear, 16),
            None,
            texture(BASE + 0x4000, Tiling::Tiled, 100),
        ];
        assert_eq!(DetiledTextures::texels(&textures), 64 * 120);
        let mut memory = DetilingMemory::default();
        let copies = DetiledTextures::of(&textures, &space, &mut memory).unwrap();
        for (unit, texture) in textures.into_iter().enumerate() {
            let texture = texture.filter(|texture| texture.surface.tiling == Tiling::Tiled);
            let copy = copies.get(unit);
            assert_eq!(copy.is_some(), texture.is_some(), "{unit}");
            let Some((own, (copy, of_copy))) = texture.zip(copy) else { continue };
            assert_eq!(copy, KernelTexture { surface: copy.surface, ..own });
            let (own, copy) =
                (View::new(&space, own.surface, Bounds::Clamp), View::new(of_copy, copy.surface, Bounds::Clamp));
            let mut places = (0..own.surface().height.into()).flat_map(|y| (0..64).map(move |x| (x, y)));
            assert!(places.all(|(x, y)| own.load(x, y) == copy.load(x, y)), "{unit}");
        }
        let outside = texture(BASE + 0xF000, Tiling::Tiled, 17);
        assert!(DetiledTextures::of(&[outside], &space, &mut memory).is_none());
    }
}
