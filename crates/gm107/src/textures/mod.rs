//! What programs read and write by handles: textures with their samplers, and images.
//!
//! A handle names a header of a texture by its lower twenty bits, and one of a sampler by its upper twelve; both are in tables in memory. What the words of
//! the handle bank name that a program reads is known before it runs; other handles are looked at when the program asks for them.

mod format;
pub mod header;
mod kept;
mod levels;
mod sampler;
mod texels;

pub use format::Format;
pub use kept::TextureCache;
pub use texels::{sample_grid, sample_place};

use crate::methods::{
    ComputeTicAddressHigh, ComputeTicLimit, ComputeTscAddressHigh, ComputeTscLimit, RegisterType, TicAddressHigh,
    TicLimit, TscAddressHigh, TscLimit,
};
use crate::objects::Objects;
use crate::state::Methods;
use ctm_sm50::Stage;
use ctm_sm50::codes::{SurfaceDim, TextureDim};
use ctm_sm50::images::{Image, ImageFormat, ImageHeaders, ImageLayout, ImageNumbers, Images};
use ctm_sm50::launch::Shader;
use ctm_sm50::textures::{
    COMPUTE_HANDLE_BANK, HANDLE_BANK, SharedTexture, Texture, TextureHeaders, TextureTexels, Textures,
};
use header::{BYTES, ComponentSource, ComponentType, HeaderType, SamplerHeader, TextureHeader, WORDS};
use levels::Storage;
use std::sync::Arc;
use texels::{MemoryTexels, Samples};

/// The faces of a cube.
const FACES: u32 = 6;

/// The tables of headers of a class, at a time.
#[derive(Clone, Debug)]
pub struct HeaderTables {
    objects: Objects,
    cache: TextureCache,
    /// Address, and number of the last header, of textures and of samplers.
    textures: (u64, u32),
    samplers: (u64, u32),
}

impl HeaderTables {
    /// Those of the 3D class.
    pub fn of_draws(methods: &Methods, objects: &Objects, cache: &TextureCache) -> Self {
        let textures = (methods.address(TicAddressHigh::ADDRESS), methods.word(TicLimit::ADDRESS));
        let samplers = (methods.address(TscAddressHigh::ADDRESS), methods.word(TscLimit::ADDRESS));
        HeaderTables { objects: objects.clone(), cache: cache.clone(), textures, samplers }
    }

    /// Those of the compute class.
    pub fn of_launches(methods: &Methods, objects: &Objects, cache: &TextureCache) -> Self {
        let textures = (methods.address(ComputeTicAddressHigh::ADDRESS), methods.word(ComputeTicLimit::ADDRESS));
        let samplers = (methods.address(ComputeTscAddressHigh::ADDRESS), methods.word(ComputeTscLimit::ADDRESS));
        HeaderTables { objects: objects.clone(), cache: cache.clone(), textures, samplers }
    }

    /// The textures and images of programs, of which these handles are known before they run.
    pub fn environment(self, handles: impl IntoIterator<Item = u32>) -> (Textures, Images) {
        let headers = Arc::new(self);
        (Textures::of_headers(Arc::<Self>::clone(&headers), handles), Images::of_headers(headers))
    }

    fn words(&self, (address, limit): (u64, u32), number: u32) -> Option<[u32; WORDS]> {
        if number > limit {
            return None;
        }
        let mut bytes = [0; BYTES as usize];
        self.objects.read(address.wrapping_add(BYTES * u64::from(number)), &mut bytes);
        let mut words = [0; WORDS];
        words.iter_mut().zip(bytes.as_chunks::<4>().0).for_each(|(word, bytes)| *word = u32::from_le_bytes(*bytes));
        Some(words)
    }
}

impl TextureHeaders for HeaderTables {
    fn texture(&self, handle: u32) -> Option<SharedTexture> {
        let texture = self.words(self.textures, handle & 0xF_FFFF)?;
        let sampler = self.words(self.samplers, handle >> 20).unwrap_or_default();
        self.cache.get(&self.objects, &texture, &sampler)
    }
}

impl ImageHeaders for HeaderTables {
    fn image(&self, handle: u32) -> Option<Image> {
        image(&TextureHeader::read(&self.words(self.textures, handle & 0xF_FFFF)?))
    }
}

/// The handles that a program names by words of its bank of handles.
pub fn bound_handles(shader: &Shader) -> Vec<u32> {
    let bank = if shader.stage() == Stage::None { COMPUTE_HANDLE_BANK } else { HANDLE_BANK };
    let Some(words) = shader.banks.and_then(|banks| banks.bank(bank)) else { return Vec::new() };
    shader.code.handles().iter().filter_map(|&word| words.get(usize::from(word)).copied()).collect()
}

/// The texture of a header, with the sampler of another one.
fn texture(objects: &Objects, header: &TextureHeader, sampler: &SamplerHeader) -> Option<Texture> {
    let format = Format::of(header, sampler.srgb)?;
    let storage = Storage::of(header, format.block(), [0, 0])?;
    let [width, height, depth] = header.size();
    let (dim, size, layers) = match header.kind {
        HeaderType::D1 => (TextureDim::D1, [width, 1, 1], 1),
        HeaderType::D2 | HeaderType::D2NoMipmap => (TextureDim::D2, [width, height, 1], 1),
        HeaderType::D3 => (TextureDim::D3, [width, height, depth], 1),
        HeaderType::Cube => (TextureDim::Cube, [width, height, 1], 1),
        HeaderType::Array1 => (TextureDim::Array1, [width, 1, 1], depth),
        HeaderType::Array2 => (TextureDim::Array2, [width, height, 1], depth),
        HeaderType::Buffer => (TextureDim::D1, [width, 1, 1], 1),
        HeaderType::CubeArray => (TextureDim::ArrayCube, [width, height, 1], depth),
        HeaderType::Invalid9
        | HeaderType::Invalid10
        | HeaderType::Invalid11
        | HeaderType::Invalid12
        | HeaderType::Invalid13
        | HeaderType::Invalid14
        | HeaderType::Invalid15 => return None,
    };
    let first = u32::from(header.first_level);
    let size = size.map(|size| (size >> first).max(1));
    let address = header.address();
    let object = objects.range(address).unwrap_or(0..0);
    let grid = sample_grid(header.samples());
    let samples = match header.samples() {
        1 => None,
        _ => Some(Samples { grid, storage: Storage::of(header, format.block(), grid)? }),
    };
    let levels = storage.levels();
    let memory = Arc::clone(objects.memory());
    let texels = Arc::new(MemoryTexels { memory, object, address, format, storage, samples });
    Some(Texture {
        dim,
        size,
        layers,
        sampler: sampler.sampler(header, &format),
        look_up: sampler.look_up(header, &format),
        texels: TextureTexels::Stored { texels, levels },
    })
}

/// The image of a header: its first level.
fn image(header: &TextureHeader) -> Option<Image> {
    let format = Format::of(header, false)?;
    let numbers = match header.types[0] {
        ComponentType::Unorm | ComponentType::UnormForced => ImageNumbers::Unorm,
        ComponentType::Snorm | ComponentType::SnormForced => ImageNumbers::Snorm,
        ComponentType::Sint => ImageNumbers::Sint,
        ComponentType::Uint => ImageNumbers::Uint,
        ComponentType::Float => ImageNumbers::Float,
        ComponentType::Invalid0 => return None,
    };
    let image_format = ImageFormat::of_components(format.widths()?, numbers)?;
    let [width, height, depth] = header.size();
    let (dim, layers) = match header.kind {
        HeaderType::D1 => (SurfaceDim::D1, 1),
        HeaderType::D2 | HeaderType::D2NoMipmap => (SurfaceDim::D2, 1),
        HeaderType::D3 => (SurfaceDim::D3, 1),
        HeaderType::Cube => (SurfaceDim::Array2, FACES),
        HeaderType::Array1 => (SurfaceDim::Array1, depth),
        HeaderType::Array2 => (SurfaceDim::Array2, depth),
        HeaderType::Buffer => (SurfaceDim::Buffer, 1),
        HeaderType::CubeArray => (SurfaceDim::Array2, FACES.saturating_mul(depth)),
        HeaderType::Invalid9
        | HeaderType::Invalid10
        | HeaderType::Invalid11
        | HeaderType::Invalid12
        | HeaderType::Invalid13
        | HeaderType::Invalid14
        | HeaderType::Invalid15 => return None,
    };
    let first = header.first_level;
    let of_level = |size: u32| (size >> first).max(1);
    let deep = if header.kind == HeaderType::D3 { of_level(depth) } else { layers };
    let (begin, layout) = match Storage::of(header, format.block(), [0, 0])? {
        Storage::Rows(0) => (0, ImageLayout::Packed),
        Storage::Rows(pitch) => (0, ImageLayout::Rows(pitch as u32)),
        Storage::Blocks { levels, layer_stride } => {
            let level = levels.first()?;
            let layer_stride = u32::try_from(layer_stride).ok()?;
            (level.begin, ImageLayout::Blocks { blocks: level.blocks, layer_stride })
        }
    };
    let swizzle = header.sources.map(|source| match source {
        ComponentSource::R => 0,
        ComponentSource::G => 1,
        ComponentSource::B => 2,
        ComponentSource::A => 3,
        ComponentSource::Zero | ComponentSource::Invalid1 => 4,
        ComponentSource::IntegerOne => 5,
        ComponentSource::FloatOne => 6,
    });
    Some(Image {
        address: u32::try_from(header.address().checked_add(begin)?).ok()?,
        dim,
        size: [of_level(width), of_level(height), deep],
        format: image_format,
        layout,
        swizzle,
    })
}

/// Bytes that the texels of a texture may be in, from its address on; `None` if it is none.
fn source_bytes(header: &TextureHeader) -> Option<u64> {
    let format = Format::of(header, false)?;
    let [columns, rows, bytes] = format.block();
    let storage = Storage::of(header, format.block(), sample_grid(header.samples()))?;
    let [width, height, depth] = header.size();
    let layers = match header.kind {
        HeaderType::Cube => FACES,
        HeaderType::CubeArray => FACES.saturating_mul(depth),
        HeaderType::D3 | HeaderType::Array1 | HeaderType::Array2 => depth,
        HeaderType::D1 | HeaderType::D2 | HeaderType::D2NoMipmap | HeaderType::Buffer => 1,
        HeaderType::Invalid9
        | HeaderType::Invalid10
        | HeaderType::Invalid11
        | HeaderType::Invalid12
        | HeaderType::Invalid13
        | HeaderType::Invalid14
        | HeaderType::Invalid15 => return None,
    };
    let row = u64::from(width.div_ceil(columns)) * u64::from(bytes);
    Some(storage.bytes(layers, [row, height.div_ceil(rows).into()]))
}
