//! Textures that programs sample: what the headers of textures and samplers say on the machine, and their texels.
//!
//! A handle names a texture by its lower twenty bits, and a sampler by its upper twelve; here samplers belong to textures. Where an
//! instruction has no handle in a register, it names the word of a constant bank that holds one: of bank 15 in the stages of pipelines, of
//! bank 7 in compute code, as Mesa's nouveau has it.

use crate::attributes::Words;
use crate::codes::TextureDim;
use ctm_raster::sampler::{Sampler, TextureKind, TextureShape, Wrap};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// The bank of handles in the stages of pipelines.
pub const HANDLE_BANK: u8 = 15;
/// The bank of handles in compute code.
pub const COMPUTE_HANDLE_BANK: u8 = 7;
/// The word of the handle of texture unit 0 in those banks.
pub const FIRST_HANDLE: u32 = 8;

/// A texture with its sampler.
#[derive(Clone, Debug, PartialEq)]
pub struct Texture {
    /// Its dimensions.
    pub dim: TextureDim,
    /// Texels of level 0 across, down and deep; layers of arrays are apart.
    pub size: [u32; 3],
    /// Layers; 1 of textures that are no arrays.
    pub layers: u32,
    /// Filters and wraps.
    pub sampler: Sampler,
    /// The texels of each level, finest first: layer by layer (of cubes face by face, of volumes slice by slice), row by row.
    pub levels: Vec<Vec<[u32; 4]>>,
}

impl Texture {
    /// How raster's sampler sees a layer. Textures of one dimension are one row.
    pub fn shape(&self) -> TextureShape {
        let kind = match self.dim {
            TextureDim::D1 | TextureDim::Array1 | TextureDim::D2 | TextureDim::Array2 => TextureKind::Flat,
            TextureDim::D3 | TextureDim::Array3 => TextureKind::Volume,
            TextureDim::Cube | TextureDim::ArrayCube => TextureKind::Cube,
        };
        TextureShape { kind, size: self.size, last_level: (self.levels.len() as u32).saturating_sub(1) }
    }

    /// The sampler, with the direction that textures of one dimension lack out of the way.
    pub fn sampling(&self) -> Sampler {
        let mut sampler = self.sampler;
        if matches!(self.dim, TextureDim::D1 | TextureDim::Array1) {
            sampler.wrap[1] = Wrap::ClampToEdge;
        }
        sampler
    }

    /// The size of a level; `None` if there is no such level.
    pub fn level_size(&self, level: u32) -> Option<[u32; 3]> {
        ((level as usize) < self.levels.len()).then(|| self.shape().level_size(level))
    }

    /// A texel of a layer: of cubes a face, of volumes a slice. What is not there is zeros.
    pub fn texel(&self, level: u32, layer: u32, x: u32, y: u32) -> [u32; 4] {
        let Some([width, height, _]) = self.level_size(level) else { return [0; 4] };
        let number = (layer as usize * height as usize + y as usize) * width as usize + x as usize;
        self.levels.get(level as usize).and_then(|texels| texels.get(number)).copied().unwrap_or_default()
    }
}

/// The textures of a launch by the number that handles have in their lower bits.
#[derive(Clone, Debug, Default)]
pub struct Textures(BTreeMap<u32, Arc<Entry>>);

#[derive(Debug)]
struct Entry {
    texture: Texture,
    /// The texels as machine code reads them, made when it first does.
    words: OnceLock<Words>,
}

impl Textures {
    /// Puts a texture in.
    pub fn insert(&mut self, number: u32, texture: Texture) {
        self.0.insert(number, Arc::new(Entry { texture, words: OnceLock::new() }));
    }

    /// The texture that a handle names.
    pub fn of_handle(&self, handle: u32) -> Option<&Texture> {
        self.entry(handle).map(|entry| &entry.texture)
    }

    /// The texels of the texture that a handle names, as they were made first.
    pub(crate) fn words(&self, handle: u32, make: impl FnOnce(&Texture) -> Option<Words>) -> Option<&Words> {
        let Entry { texture, words } = self.entry(handle)?;
        if words.get().is_none() {
            // Somebody else may be faster; both made the same.
            _ = words.set(make(texture)?);
        }
        words.get()
    }

    fn entry(&self, handle: u32) -> Option<&Entry> {
        self.0.get(&(handle & 0xf_ffff)).map(|entry| &**entry)
    }

    /// The handle of a texture, with the sampler of the same number.
    pub const fn handle(number: u32) -> u32 {
        number & 0xf_ffff | number << 20
    }

    /// The numbers of the textures.
    pub fn numbers(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.keys().copied()
    }
}
