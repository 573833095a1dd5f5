//! What programs name by number: constant and fetch buffers, which are read where they are, textures, and samplers.

use super::DrawError;
use super::draw_memory::DrawMemoryBuilder;
use super::targets::vector_surface;
use crate::programs::StageProgram;
use crate::registers::codes::{Function, Wrap as WrapCode};
use crate::registers::{
    PIXEL_RESOURCES, RegisterFile, RegisterType, SqAluConstBufferSizeGs, SqAluConstBufferSizePs,
    SqAluConstBufferSizeVs, SqAluConstCacheGs, SqAluConstCachePs, SqAluConstCacheVs, SqTexSamplerWord0,
    SqTexSamplerWord1, TaCntlAux, TdGsSamplerBorderRed, TdPsSamplerBorderRed, TdVsSamplerBorderRed, VERTEX_RESOURCES,
};
use crate::resources::{self, BufferResource, NumberFormat, ResourceType, TextureResource};
use crate::state::State;
use crate::textures::{Shape, TextureError, VECTOR_BYTES, in_place};
use ctm_card::{Object, ObjectBytes};
use ctm_memory::Arena;
use ctm_r700::{
    Bindings, BufferElement, Compare, ElementFormat, EndianSwap, Filter, KCACHE_BANKS, MipFilter,
    NumberFormat as ElementNumbers, Region, Sampler, Texels, Texture, Uses, VertexBuffer, Wrap,
};
use std::ops::Range;

/// Bytes from the border colour of a sampler to that of the next.
const BORDER_BYTES: u32 = 16;
/// Bytes that an element can have after its first one.
const ELEMENT_TAIL: u32 = 15;
const ONE: u32 = 0x3F80_0000;
/// What selects zero.
const SELECT_ZERO: u8 = 4;

/// Where the resources of a stage are.
#[derive(Clone, Copy, Debug)]
pub struct StageBindings {
    /// Number of its first resource.
    resources: u32,
    /// Number of its first sampler.
    samplers: u32,
    /// Byte offset of the register that says where constant buffer 0 lies.
    constants: u32,
    /// Of that with its size.
    constant_sizes: u32,
    /// Byte offset of the register with the first sampler's border colour.
    border_colours: u32,
}

/// Those of pixel programs.
pub const PIXEL: StageBindings = StageBindings {
    resources: PIXEL_RESOURCES.start,
    samplers: 0,
    constants: SqAluConstCachePs::ADDRESS,
    constant_sizes: SqAluConstBufferSizePs::ADDRESS,
    border_colours: TdPsSamplerBorderRed::ADDRESS,
};
/// Those of vertex programs.
pub const VERTEX: StageBindings = StageBindings {
    resources: VERTEX_RESOURCES.start,
    samplers: 18,
    constants: SqAluConstCacheVs::ADDRESS,
    constant_sizes: SqAluConstBufferSizeVs::ADDRESS,
    border_colours: TdVsSamplerBorderRed::ADDRESS,
};
/// Those of geometry programs.
pub const GEOMETRY: StageBindings = StageBindings {
    resources: 336,
    samplers: 36,
    constants: SqAluConstCacheGs::ADDRESS,
    constant_sizes: SqAluConstBufferSizeGs::ADDRESS,
    border_colours: TdGsSamplerBorderRed::ADDRESS,
};

/// Whether a pixel program names nothing but resources of its own stage.
pub fn has_own_alone(program: &StageProgram) -> bool {
    let used = &program.uses().of_stage;
    let mut resources = used.buffers.iter().chain(&used.textures).copied();
    resources.all(|number| PIXEL_RESOURCES.contains(&number.into()))
        && used.banks.iter().all(|&bank| usize::from(bank) < KCACHE_BANKS)
}

/// What these programs of a stage use. Textures are read where they are if they can be, unless they share memory with what is `written` meanwhile.
pub fn bindings(
    stage: StageBindings,
    state: &State,
    (memory, written): (&Arena, &[Range<u64>]),
    programs: &[&Uses],
    builder: &mut DrawMemoryBuilder,
) -> Result<Bindings, DrawError> {
    let registers = &state.registers;
    let mut bindings = Bindings::default();
    for used in programs.iter().map(|uses| &uses.of_stage) {
        for &number in &used.banks {
            bindings.kcache[usize::from(number & 15)] = Some(constants(stage, registers, number));
        }
        for &number in &used.buffers {
            let elements = programs.iter().flat_map(|uses| &uses.of_stage.elements);
            let elements = elements.filter(|element| element.buffer == number);
            bindings.buffers.insert(number, buffer(stage, registers, memory, number, elements, builder)?);
        }
        for &number in &used.textures {
            bindings.textures.insert(number, texture(stage, state, (memory, written), number, builder)?);
        }
        for &number in &used.samplers {
            bindings.samplers.insert(number, sampler(stage, registers, number));
        }
    }
    Ok(bindings)
}

/// Makes surfaces of textures whose vectors are one: programs load rows of these together. Gives which textures these are, with their sizes.
pub fn make_surfaces(bindings: &mut Bindings) -> Vec<(u8, [u32; 3])> {
    let mut made = Vec::new();
    for (&number, texture) in &mut bindings.textures {
        let [width, height, slices] = texture.size;
        if let Texels::Vectors { region, form, levels: 1, samples: 1 } = texture.texels
            && let Some(rows) = height.checked_mul(slices)
            && let Some(surface) = vector_surface(region.base, form, [width, rows])
            && surface.bytes() <= region.length.into()
        {
            texture.texels = Texels::Surfaces(vec![surface]);
            made.push((number, texture.size));
        }
    }
    made
}

/// A constant buffer; empty if there is none.
fn constants(stage: StageBindings, registers: &RegisterFile, number: u8) -> Region {
    let offset = 4 * u32::from(number);
    let size = u64::from(registers.value(stage.constant_sizes + offset)) * 256;
    let binding = registers.binding_at(stage.constants + offset);
    binding.map_or(Region::default(), |binding| {
        DrawMemoryBuilder::part(binding.object, u64::from(binding.value) << 8, size)
    })
}

/// As many of these bytes as there are.
fn copy(object: &ObjectBytes, offset: u64, size: u64) -> Vec<u8> {
    let mut bytes = vec![0; object.size().saturating_sub(offset).min(size) as usize];
    object.read_bytes(offset, &mut bytes);
    bytes
}

/// The words of a resource.
fn words(registers: &RegisterFile, number: u32) -> [u32; resources::WORDS] {
    let first = resources::ADDRESS + number * resources::STRIDE;
    std::array::from_fn(|word| registers.value(first + 4 * word as u32))
}

/// A fetch buffer of which these elements are fetched.
fn buffer<'e>(
    stage: StageBindings,
    registers: &RegisterFile,
    memory: &Arena,
    number: u8,
    mut elements: impl Iterator<Item = &'e BufferElement>,
    builder: &mut DrawMemoryBuilder,
) -> Result<VertexBuffer, DrawError> {
    let slot = stage.resources + u32::from(number);
    let words = words(registers, slot);
    let binding = registers.binding_at(resources::ADDRESS + slot * resources::STRIDE);
    let (Some(binding), ResourceType::Buffer) = (binding, resources::kind(&words)) else {
        return Ok(VertexBuffer { region: builder.with(Vec::new())?, ..VertexBuffer::default() });
    };
    let fields = BufferResource::read(&words);
    let offset = u64::from(fields.base) | u64::from(fields.base_high) << 32;
    let size = u64::from(fields.last) + 1;
    let (stride, format) = (u32::from(fields.stride), element_format(&fields));
    // Elements that begin inside are read; what they have beyond the object is 0.
    let whole = size + u64::from(ELEMENT_TAIL);
    let part = DrawMemoryBuilder::part(binding.object, offset, whole);
    let there = u64::from(part.length);
    let begin = size.min(there);
    let is_cut = |element: &BufferElement| element.end(begin, stride, format).is_some_and(|end| end > there);
    let behind = (there - begin) as u32;
    let (region, tail, beyond) = match there {
        0..4 => {
            let mut bytes = copy(&ObjectBytes::new(memory, binding.object, 0), offset, begin);
            bytes.resize((begin + u64::from(ELEMENT_TAIL)) as usize, 0);
            (builder.with(bytes)?, ELEMENT_TAIL, 0)
        }
        _ if elements.any(is_cut) => (part, ELEMENT_TAIL, ELEMENT_TAIL - behind),
        _ => (part, behind, 0),
    };
    Ok(VertexBuffer { region, tail, beyond, stride, format, endian_swap: EndianSwap::None })
}

/// What the elements of a buffer are.
fn element_format(fields: &BufferResource) -> ElementFormat {
    ElementFormat {
        data_format: fields.format,
        number: match fields.numbers {
            NumberFormat::Int => ElementNumbers::Int,
            NumberFormat::Scaled => ElementNumbers::Scaled,
            NumberFormat::Norm | NumberFormat::Reserved3 => ElementNumbers::Norm,
        },
        signed: fields.signed,
        no_zero: fields.surface_mode,
    }
}

/// All addresses: what is written is not known.
#[expect(clippy::single_range_in_vec_init, reason = "it is one range of addresses")]
pub const ANYTHING: [Range<u64>; 1] = [0..u64::MAX];

/// Whether no address is one of these.
pub fn is_apart(one: &Range<u64>, others: &[Range<u64>]) -> bool {
    others.iter().all(|other| one.start.max(other.start) >= one.end.min(other.end))
}

/// The addresses of a region.
pub fn addresses(region: &Region) -> Range<u64> {
    let base = u64::from(region.base);
    base..base + u64::from(region.length)
}

/// The addresses of an object.
pub fn addresses_of(object: Object) -> Range<u64> {
    addresses(&Region { base: object.address, length: object.size })
}

/// A texture as vectors of four numbers.
fn texture(
    stage: StageBindings,
    state: &State,
    (memory, written): (&Arena, &[Range<u64>]),
    number: u8,
    builder: &mut DrawMemoryBuilder,
) -> Result<Texture, DrawError> {
    let slot = stage.resources + u32::from(number);
    let words = words(&state.registers, slot);
    let first = resources::ADDRESS + slot * resources::STRIDE;
    let places = [2, 3].map(|word| state.registers.binding_at(first + 4 * word));
    match (resources::kind(&words), places) {
        (ResourceType::Texture, [Some(base), mips]) => {
            let places = [base, mips.unwrap_or(base)].map(|place| (place.object, u64::from(place.value) << 8));
            let selects = TextureResource::read(&words).selects;
            let in_place = in_place(memory, &words, places[0]);
            if let Some((shape, region)) = in_place.filter(|(_, region)| is_apart(&addresses(region), written)) {
                return Ok(shape.with_texels(region, selects));
            }
            let (shape, vectors) = state.textures.get(memory, words, places).map_err(|error| match error {
                TextureError::Unknown(what) => DrawError::Texture { number, what },
                TextureError::Memory => DrawError::Memory,
            })?;
            Ok(shape.with_texels(builder.share(&vectors)?, selects))
        }
        (ResourceType::Texture | ResourceType::Buffer | ResourceType::Invalid | ResourceType::InvalidBuffer, _) => {
            let region = builder.with(vec![0; VECTOR_BYTES as usize])?;
            Ok(Shape::nothing().with_texels(region, [SELECT_ZERO; 4]))
        }
    }
}

fn sampler(stage: StageBindings, registers: &RegisterFile, number: u8) -> Sampler {
    let slot = stage.samplers + u32::from(number);
    let fields = registers.at::<SqTexSamplerWord0>(slot);
    let levels = registers.at::<SqTexSamplerWord1>(slot);
    let filter = |code: u8| match code & 1 {
        0 => Filter::Nearest,
        // Anisotropic filters are linear ones.
        _ => Filter::Linear,
    };
    let wrap = |code: WrapCode| match code {
        WrapCode::Repeat => Wrap::Repeat,
        WrapCode::Mirror => Wrap::Mirror,
        WrapCode::ClampToEdge => Wrap::Clamp,
        WrapCode::MirrorClampToEdge => Wrap::MirrorOnce,
        WrapCode::HalfBorder => Wrap::HalfBorder,
        WrapCode::MirrorHalfBorder => Wrap::MirrorOnceHalfBorder,
        WrapCode::Border => Wrap::Border,
        WrapCode::MirrorBorder => Wrap::MirrorOnceBorder,
    };
    let registered = stage.border_colours + BORDER_BYTES * u32::from(number);
    Sampler {
        magnification: filter(fields.xy_mag_filter),
        minification: filter(fields.xy_min_filter),
        mip: match fields.mip_filter {
            0 => MipFilter::None,
            1 => MipFilter::Nearest,
            _ => MipFilter::Linear,
        },
        wrap: [fields.clamp_x, fields.clamp_y, fields.clamp_z].map(wrap),
        border: match fields.border_color_type {
            0 => [0; 4],
            1 => [0, 0, 0, ONE],
            2 => [ONE; 4],
            _ => [0, 1, 2, 3].map(|channel| registers.value(registered + 4 * channel)),
        },
        compare: match fields.depth_compare_function {
            Function::Never => Compare::Never,
            Function::Less => Compare::Less,
            Function::Equal => Compare::Equal,
            Function::LessEqual => Compare::LessEqual,
            Function::Greater => Compare::Greater,
            Function::NotEqual => Compare::NotEqual,
            Function::GreaterEqual => Compare::GreaterEqual,
            Function::Always => Compare::Always,
        },
        // Limits have 6 fraction bits, too.
        least_level: levels.min_lod,
        greatest_level: levels.max_lod,
        bias: ((levels.lod_bias << 4) as i16) >> 4,
        seamless: !registers.get::<TaCntlAux>().disable_cube_wrap,
    }
}

#[cfg(test)]
mod tests {
    use super::super::draw_memory::DrawCache;
    use super::*;
    use crate::registers::after_reset;
    use std::sync::Arc;

    const NUMBER: u8 = 3;
    /// Four floats.
    const FORMAT: u8 = 35;

    /// The buffer of an object of 64 bytes in memory, whose elements lie this far from each other and are read from this byte on.
    fn bound(stride: u16, offset: u16) -> (VertexBuffer, u32) {
        let (cache, card) = (DrawCache::default(), Arc::new(Arena::new(0x1000, 0x1000).unwrap()));
        let mut registers = after_reset();
        let first = resources::ADDRESS + (VERTEX.resources + u32::from(NUMBER)) * resources::STRIDE;
        registers.bind(first, 0, Object { address: 0x1100, size: 64 });
        let mut words = [0; resources::WORDS];
        [words[1], words[2], words[6]] = [63, u32::from(stride) << 8, (ResourceType::Buffer as u32) << 30];
        words.iter().enumerate().skip(1).for_each(|(n, &word)| registers.write(first + 4 * n as u32, word));
        let format = ElementFormat { data_format: FORMAT, ..ElementFormat::default() };
        let element = BufferElement { buffer: NUMBER, offset, format: Some(format), indexed: true };
        let mut builder = DrawMemoryBuilder::new(&cache, &card);
        let found = buffer(VERTEX, &registers, &card, NUMBER, std::iter::once(&element), &mut builder).unwrap();
        (found, found.region.base)
    }

    /// What elements have beyond the object is 0, and nothing is copied for that.
    #[test]
    fn buffers_lie_where_they_are() {
        assert_eq!(bound(16, 0).0, VertexBuffer { tail: 0, beyond: 0, ..bound(16, 8).0 });
        let (cut, base) = bound(16, 8);
        assert_eq!((base, cut.region.length, cut.tail, cut.beyond), (0x1100, 64, 15, 15));
        let (cut, base) = bound(24, 0);
        assert_eq!((base, cut.region.length, cut.tail, cut.beyond), (0x1100, 64, 0, 0), "the third one ends with it");
    }
}
