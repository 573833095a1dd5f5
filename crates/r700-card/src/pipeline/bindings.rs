//! What programs name by number: constant buffers, fetch buffers, textures, copied into the memory of the draw.

use super::DrawError;
use super::workspace::Plan;
use crate::format;
use crate::layout::Layout;
use crate::registers::codes::Wrap as WrapCode;
use crate::registers::{
    RegisterFile, RegisterType, SqAluConstBufferSizePs, SqAluConstBufferSizeVs, SqAluConstCachePs, SqAluConstCacheVs,
    SqTexSamplerWord0,
};
use crate::resources::{self, BufferResource, Dimensions, Kind, NumberFormat, TextureResource};
use ctm_card::ObjectBytes;
use ctm_memory::{Arena, Format, Surface, Tiling};
use ctm_r700::{
    Bindings, ElementFormat, EndianSwap, Filter, NumberFormat as ElementNumbers, Program, Sampler, Select, Texture,
    Uses, VertexBuffer, Wrap,
};

/// Texels of a texture at most: all of them are copied for each draw.
const MAX_TEXELS: u64 = 1 << 24;

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
}

/// Those of pixel programs.
pub const PIXEL: StageBindings = StageBindings {
    resources: 0,
    samplers: 0,
    constants: SqAluConstCachePs::ADDRESS,
    constant_sizes: SqAluConstBufferSizePs::ADDRESS,
};
/// Those of vertex programs.
pub const VERTEX: StageBindings = StageBindings {
    resources: 160,
    samplers: 18,
    constants: SqAluConstCacheVs::ADDRESS,
    constant_sizes: SqAluConstBufferSizeVs::ADDRESS,
};

/// What these programs of a stage use.
pub fn bindings(
    stage: StageBindings,
    registers: &RegisterFile,
    memory: &Arena,
    programs: &[&Program],
    plan: &mut Plan,
) -> Result<Bindings, DrawError> {
    let mut bindings = Bindings::default();
    for program in programs {
        let used = Uses::of(program).of_stage;
        for number in used.banks {
            bindings.kcache[usize::from(number & 15)] = Some(plan.with(constants(stage, registers, memory, number))?);
        }
        for number in used.buffers {
            bindings.buffers.insert(number, buffer(stage, registers, memory, number, plan)?);
        }
        for number in used.textures {
            bindings.textures.insert(number, texture(stage, registers, memory, number, plan)?);
        }
        for number in used.samplers {
            bindings.samplers.insert(number, sampler(stage, registers, number)?);
        }
    }
    Ok(bindings)
}

/// The bytes of a constant buffer; none if there is none.
fn constants(stage: StageBindings, registers: &RegisterFile, memory: &Arena, number: u8) -> Vec<u8> {
    let offset = 4 * u32::from(number);
    let size = u64::from(registers.value(stage.constant_sizes + offset)) * 256;
    let Some(binding) = registers.binding_at(stage.constants + offset) else { return Vec::new() };
    copy(&ObjectBytes::new(memory, binding.object, 0), u64::from(binding.value) << 8, size)
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

fn buffer(
    stage: StageBindings,
    registers: &RegisterFile,
    memory: &Arena,
    number: u8,
    plan: &mut Plan,
) -> Result<VertexBuffer, DrawError> {
    let slot = stage.resources + u32::from(number);
    let words = words(registers, slot);
    let binding = registers.binding_at(resources::ADDRESS + slot * resources::STRIDE);
    let (Some(binding), Kind::Buffer) = (binding, resources::kind(&words)) else {
        return Ok(VertexBuffer { region: plan.with(Vec::new())?, ..VertexBuffer::default() });
    };
    let fields = BufferResource::read(&words);
    let offset = u64::from(fields.base) | u64::from(fields.base_high) << 32;
    let bytes = copy(&ObjectBytes::new(memory, binding.object, 0), offset, u64::from(fields.last) + 1);
    Ok(VertexBuffer {
        region: plan.with(bytes)?,
        stride: fields.stride.into(),
        format: ElementFormat {
            data_format: fields.format,
            number: match fields.numbers {
                NumberFormat::Int => ElementNumbers::Int,
                NumberFormat::Scaled => ElementNumbers::Scaled,
                NumberFormat::Norm | NumberFormat::Reserved3 => ElementNumbers::Norm,
            },
            signed: fields.signed,
            no_zero: fields.surface_mode,
        },
        endian_swap: EndianSwap::None,
    })
}

/// A texture as vectors of four numbers.
fn texture(
    stage: StageBindings,
    registers: &RegisterFile,
    memory: &Arena,
    number: u8,
    plan: &mut Plan,
) -> Result<Texture, DrawError> {
    let slot = stage.resources + u32::from(number);
    let words = words(registers, slot);
    let first = resources::ADDRESS + slot * resources::STRIDE;
    let what = |what: &'static str| DrawError::Texture { number, what };
    let (Some(binding), Kind::Texture) = (registers.binding_at(first + 8), resources::kind(&words)) else {
        return Err(what("is none"));
    };
    let fields = TextureResource::read(&words);
    if fields.dimensions != Dimensions::Two || fields.last_level != 0 {
        return Err(what("has levels or other dimensions than two"));
    }
    if fields.numbers != NumberFormat::Norm || fields.degamma {
        return Err(what("has integers or sRGB"));
    }
    let signed = fields.signs.contains(&1);
    let texel = format::texel(fields.format, signed).ok_or(what("has a format that is not known"))?;
    let (width, height) = (u32::from(fields.width) + 1, u32::from(fields.height) + 1);
    let pitch = (u32::from(fields.pitch) + 1) * 8;
    let layout = Layout::new(fields.tile_mode, pitch, height.next_multiple_of(8), texel.bytes)
        .ok_or(what("has an order of texels that is not known"))?;
    let object = ObjectBytes::new(memory, binding.object, 0);
    let base = u64::from(binding.value) << 8;
    // Surfaces have pitches of whole vectors.
    let columns = width.next_multiple_of(8);
    if u64::from(columns) * u64::from(height) > MAX_TEXELS {
        return Err(what("is large"));
    }
    let mut texels = Vec::with_capacity(16 * (columns * height) as usize);
    for (x, y) in (0..height).flat_map(|y| (0..columns).map(move |x| (x, y))) {
        let value = texel.decode(&object.read(base + layout.offset(x, y, 0), texel.bytes));
        texels.extend(value.into_iter().flat_map(u32::to_le_bytes));
    }
    let base = plan.with(texels)?.base;
    let surface =
        Surface { base, pitch: columns, height, tiling: Tiling::Linear, superfine: false, format: Format::Float32_4 };
    let select = |code: u8| match code {
        0 => Select::X,
        1 => Select::Y,
        2 => Select::Z,
        3 => Select::W,
        5 => Select::One,
        _ => Select::Zero,
    };
    Ok(Texture { swizzle: fields.selects.map(select), ..Texture::flat(width, height, surface) })
}

fn sampler(stage: StageBindings, registers: &RegisterFile, number: u8) -> Result<Sampler, DrawError> {
    let fields = registers.at::<SqTexSamplerWord0>(stage.samplers + u32::from(number));
    if fields.xy_mag_filter != 0 || fields.xy_min_filter != 0 || fields.mip_filter > 1 {
        return Err(DrawError::Sampler { number });
    }
    let wrap = |code: WrapCode| match code {
        WrapCode::Repeat => Ok(Wrap::Repeat),
        WrapCode::Mirror => Ok(Wrap::Mirror),
        WrapCode::ClampToEdge => Ok(Wrap::Clamp),
        WrapCode::MirrorClampToEdge
        | WrapCode::HalfBorder
        | WrapCode::MirrorHalfBorder
        | WrapCode::Border
        | WrapCode::MirrorBorder => Err(DrawError::Sampler { number }),
    };
    let wrap = [wrap(fields.clamp_x)?, wrap(fields.clamp_y)?, wrap(fields.clamp_z)?];
    Ok(Sampler { filter: Filter::Nearest, wrap, ..Sampler::default() })
}
