//! Textures that programs sample: what the headers of textures and samplers say on the machine, and their texels.
//!
//! A handle names a texture by its lower twenty bits, and a sampler by its upper twelve; numbered textures have samplers of their own. Where an
//! instruction has no handle in a register, it names the word of a constant bank that holds one: of bank 15 in the stages of pipelines, of
//! bank 7 in compute code, as Mesa's nouveau has it.

use crate::attributes::Words;
use crate::codes::TextureDim;
use ctm_raster::depth::CompareFunction;
use ctm_raster::sampler::{Sampler, Scale, TextureKind, TextureShape, Wrap};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::sync::{Arc, OnceLock};

/// The bank of handles in the stages of pipelines.
pub const HANDLE_BANK: u8 = 15;
/// The bank of handles in compute code.
pub const COMPUTE_HANDLE_BANK: u8 = 7;
/// The word of the handle of texture unit 0 in those banks.
pub const FIRST_HANDLE: u32 = 8;
/// The faces of a cube.
const FACES: u32 = 6;

/// A texture with its sampler.
#[derive(Clone, Debug)]
pub struct Texture {
    /// Its dimensions.
    pub dim: TextureDim,
    /// Texels of level 0 across, down and deep; layers of arrays are apart.
    pub size: [u32; 3],
    /// Layers; 1 of textures that are no arrays.
    pub layers: u32,
    /// Filters and wraps.
    pub sampler: Sampler,
    /// What else there is to looking it up.
    pub look_up: LookUp,
    /// The texels.
    pub texels: TextureTexels,
}

/// The texels of a texture.
#[derive(Clone, Debug)]
pub enum TextureTexels {
    /// Those of each level, finest first: layer by layer (of cubes face by face, of volumes slice by slice), row by row.
    Levels(Vec<Vec<[u32; 4]>>),
    /// Found when they are asked for, of so many levels.
    Stored {
        /// Where they come from.
        texels: Arc<dyn StoredTexels>,
        /// Levels.
        levels: u32,
    },
}

/// Texels that are found when they are asked for. Places are inside of the texture.
pub trait StoredTexels: Debug + Send + Sync {
    /// A texel of a level; a layer of a cube is a face, one of a volume a slice.
    fn texel(&self, level: u32, layer: u32, x: u32, y: u32) -> [u32; 4];

    /// A sample of a texel of a texture with several of them.
    fn sample(&self, layer: u32, x: u32, y: u32, sample: u32) -> [u32; 4];

    /// Hands on the words of all texels of a layer of a level that has this size, row by row.
    fn slice(&self, level: u32, layer: u32, [width, height]: [u32; 2], row: &mut dyn FnMut(&[u32])) {
        let mut words = Vec::with_capacity(4 * width as usize);
        for y in 0..height {
            words.clear();
            (0..width).for_each(|x| words.extend(self.texel(level, layer, x, y)));
            row(&words);
        }
    }
}

/// How a texture is looked up, besides filters and wraps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LookUp {
    /// What coordinates are counted in.
    pub scale: Scale,
    /// How texels are compared with references.
    pub comparison: Comparison,
    /// The most probes of a filter along the longer way to the next pixel.
    pub anisotropy: u32,
    /// Samples of a texel.
    pub samples: u32,
}

impl Default for LookUp {
    fn default() -> Self {
        LookUp { scale: Scale::Texture, comparison: Comparison::default(), anisotropy: 1, samples: 1 }
    }
}

/// How texels are compared with a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Comparison {
    /// True if "reference OP texel".
    pub function: CompareFunction,
    /// The component of texels that is compared.
    pub component: u8,
    /// What the components of the result are, where they are not the result itself (bits).
    pub results: [Option<u32>; 4],
    /// References are clamped to numbers from 0 to 1.
    pub clamps: bool,
}

impl Default for Comparison {
    /// Less or equal, what shadows take (decision S60).
    fn default() -> Self {
        Comparison { function: CompareFunction::LessOrEqual, component: 0, results: [None; 4], clamps: false }
    }
}

impl Comparison {
    /// The reference that is compared (bits).
    pub fn reference(&self, bits: u32) -> u32 {
        let number = f32::from_bits(bits);
        match self.clamps {
            false => bits,
            true if number > 0.0 => number.min(1.0).to_bits(),
            // What is not a number becomes 0 as well.
            true => 0,
        }
    }

    /// The components of a result (bits).
    pub fn spread(&self, result: [u32; 4]) -> [u32; 4] {
        std::array::from_fn(|n| self.results[n].unwrap_or(result[n]))
    }
}

impl Texture {
    /// A texture with these texels, level by level, finest first.
    pub fn of_levels(
        dim: TextureDim,
        (size, layers): ([u32; 3], u32),
        sampler: Sampler,
        levels: Vec<Vec<[u32; 4]>>,
    ) -> Self {
        let texels = TextureTexels::Levels(levels);
        Texture { dim, size, layers, sampler, look_up: LookUp::default(), texels }
    }

    /// How raster's sampler sees a layer. Textures of one dimension are one row.
    pub fn shape(&self) -> TextureShape {
        let kind = match self.dim {
            TextureDim::D1 | TextureDim::Array1 | TextureDim::D2 | TextureDim::Array2 => TextureKind::Flat,
            TextureDim::D3 | TextureDim::Array3 => TextureKind::Volume,
            TextureDim::Cube | TextureDim::ArrayCube => TextureKind::Cube,
        };
        TextureShape { kind, size: self.size, last_level: self.levels().saturating_sub(1) }
    }

    /// How many levels it has.
    pub fn levels(&self) -> u32 {
        match &self.texels {
            TextureTexels::Levels(levels) => levels.len() as u32,
            TextureTexels::Stored { levels, .. } => *levels,
        }
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
        (level < self.levels()).then(|| self.shape().level_size(level))
    }

    /// A texel of a layer: of cubes a face, of volumes a slice. What is not there is zeros.
    pub fn texel(&self, level: u32, layer: u32, x: u32, y: u32) -> [u32; 4] {
        let Some([width, height, _]) = self.level_size(level) else { return [0; 4] };
        match &self.texels {
            TextureTexels::Levels(levels) => {
                let number = (layer as usize * height as usize + y as usize) * width as usize + x as usize;
                levels.get(level as usize).and_then(|texels| texels.get(number)).copied().unwrap_or_default()
            }
            TextureTexels::Stored { texels, .. } => texels.texel(level, layer, x, y),
        }
    }

    /// A sample of a texel of level 0; zeros if there is no such sample.
    pub fn sample(&self, layer: u32, x: u32, y: u32, sample: u32) -> [u32; 4] {
        match &self.texels {
            TextureTexels::Stored { texels, .. } if sample < self.look_up.samples => texels.sample(layer, x, y, sample),
            TextureTexels::Stored { .. } | TextureTexels::Levels(_) => [0; 4],
        }
    }

    /// The texture as an instruction for these dimensions sees it; `None` if what the machine makes of that is not known. (Decision S61: flat
    /// textures have the coordinates of the instruction, and cubes are their faces.)
    pub fn seen_as(&self, dim: TextureDim) -> Option<Texture> {
        let TextureTexels::Stored { .. } = self.texels else { return None };
        let layers = match (Faces::of(self.dim)?, Faces::of(dim)?) {
            (Faces::Flat, Faces::Flat) | (Faces::Cube, Faces::Cube) => self.layers,
            (Faces::Cube, Faces::Flat) => FACES.saturating_mul(self.layers),
            (Faces::Flat, Faces::Cube) if self.layers >= FACES => self.layers / FACES,
            (Faces::Flat, Faces::Cube) => return None,
        };
        Some(Texture { dim, layers, ..self.clone() })
    }
}

/// What the layers of a texture are made of.
enum Faces {
    Flat,
    Cube,
}

impl Faces {
    /// Of textures with these dimensions; `None` for volumes.
    fn of(dim: TextureDim) -> Option<Self> {
        match dim {
            TextureDim::D1 | TextureDim::D2 | TextureDim::Array1 | TextureDim::Array2 => Some(Faces::Flat),
            TextureDim::Cube | TextureDim::ArrayCube => Some(Faces::Cube),
            TextureDim::D3 | TextureDim::Array3 => None,
        }
    }
}

/// A texture that launches share, with its texels as machine code reads them.
#[derive(Clone, Debug)]
pub struct SharedTexture(Arc<Entry>);

#[derive(Debug)]
struct Entry {
    texture: Texture,
    /// The texels as machine code reads them, made when it first does.
    words: OnceLock<Words>,
}

impl SharedTexture {
    /// Shares a texture, whose texels stay what they are.
    pub fn new(texture: Texture) -> Self {
        SharedTexture(Arc::new(Entry { texture, words: OnceLock::new() }))
    }

    /// The texture.
    pub fn texture(&self) -> &Texture {
        &self.0.texture
    }

    /// Bytes that it takes besides its texture.
    pub fn bytes(&self) -> u64 {
        self.0.words.get().map_or(0, |words| 4 * u64::from(words.len()))
    }
}

/// The headers of textures and samplers that handles name: a card finds them in its memory when programs ask for them.
pub trait TextureHeaders: Debug + Send + Sync {
    /// The texture with the sampler that a handle names; `None` if it names nothing.
    fn texture(&self, handle: u32) -> Option<SharedTexture>;
}

/// The textures of a launch.
#[derive(Clone, Debug, Default)]
pub struct Textures {
    /// By the number that handles have in their lower bits.
    numbered: BTreeMap<u32, SharedTexture>,
    /// By handle; `None` for those that name nothing.
    bound: BTreeMap<u32, Option<SharedTexture>>,
    /// The others.
    headers: Option<Arc<dyn TextureHeaders>>,
}

impl Textures {
    /// Textures that are found as they are asked for, but for those with these handles, which machine code can sample.
    pub fn of_headers(headers: Arc<dyn TextureHeaders>, handles: impl IntoIterator<Item = u32>) -> Self {
        let handles: BTreeSet<u32> = handles.into_iter().collect();
        let bound = handles.into_iter().map(|handle| (handle, headers.texture(handle))).collect();
        Textures { numbered: BTreeMap::new(), bound, headers: Some(headers) }
    }

    /// Puts a texture in.
    pub fn insert(&mut self, number: u32, texture: Texture) {
        self.numbered.insert(number, SharedTexture::new(texture));
    }

    /// The texture that a handle names.
    pub fn of_handle(&self, handle: u32) -> Option<SharedTexture> {
        match self.known(handle) {
            Some(known) => known.cloned(),
            None => self.headers.as_ref()?.texture(handle),
        }
    }

    /// What a handle names, if that is known before a program asks for it.
    pub(crate) fn known(&self, handle: u32) -> Option<Option<&SharedTexture>> {
        match self.bound.get(&handle) {
            Some(known) => Some(known.as_ref()),
            None if self.headers.is_some() => None,
            None => Some(self.numbered.get(&(handle & 0xf_ffff))),
        }
    }

    /// The texels of the texture that a handle names, as they were made first.
    pub(crate) fn words(&self, handle: u32, make: impl FnOnce(&Texture) -> Option<Words>) -> Option<&Words> {
        let SharedTexture(entry) = self.known(handle)??;
        if entry.words.get().is_none() {
            // Somebody else may be faster; both made the same.
            _ = entry.words.set(make(&entry.texture)?);
        }
        entry.words.get()
    }

    /// The handle of a texture, with the sampler of the same number.
    pub const fn handle(number: u32) -> u32 {
        number & 0xf_ffff | number << 20
    }

    /// The numbers of the textures.
    pub fn numbers(&self) -> impl Iterator<Item = u32> + '_ {
        self.numbered.keys().copied()
    }
}
