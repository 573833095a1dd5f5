//! Textures. Levels of detail come from quads, whose lanes have coordinates whether they are active or not.

use super::warp::{LANES, Warp, lanes};
use crate::codes::{Component, LodMode, TextureDim, TextureQuery};
use crate::field::{FieldId, key};
use crate::groups::TextureOperands;
use crate::header::Stage;
use crate::instruction::Instruction;
use crate::launch::TrapKind;
use crate::operand::Reg;
use crate::table::TextureOp;
use crate::textures::{COMPUTE_HANDLE_BANK, HANDLE_BANK, Texture};
use ctm_raster::sampler::{LevelOfDetail, MipFilter, Scale, Texels, TextureKind, levels_of_quad, sample_quad};

const ONE: u32 = 0x3f80_0000;
/// Lanes of a quad.
const QUAD: usize = 4;

/// What a lane asks of a texture.
#[derive(Clone, Copy, Debug, Default)]
struct Request {
    handle: u32,
    layer: u32,
    place: [u32; 3],
    /// Level or bias.
    level: u32,
    /// Offsets in texels.
    offset: [i32; 3],
    /// Offsets of the texels of a gather.
    offsets: [[i32; 2]; 4],
    reference: Option<u32>,
    sample: u32,
    derivatives: [[u32; 2]; 3],
}

/// Registers of an instruction's sources, one after the other.
struct Sources {
    registers: Vec<Reg>,
    next: usize,
}

impl Sources {
    /// So many registers from one on; past R254 they read 0.
    fn from(first: Reg, count: u8) -> impl Iterator<Item = Reg> {
        (0..count).map(move |k| if first.is_zero() { Reg::RZ } else { Reg(first.0.saturating_add(k)) })
    }

    fn of(registers: impl IntoIterator<Item = Reg>) -> Self {
        Sources { registers: registers.into_iter().collect(), next: 0 }
    }

    fn take(&mut self) -> Reg {
        let register = self.registers.get(self.next).copied().unwrap_or(Reg::RZ);
        self.next += 1;
        register
    }
}

/// A number of so many bits from one on, with its sign.
fn signed(word: u32, from: u32, bits: u32) -> i32 {
    (word << (32 - bits - from)).cast_signed() >> (32 - bits)
}

/// Offsets of all texels: four bits for each direction.
fn texel_offsets(word: u32) -> [i32; 3] {
    [signed(word, 0, 4), signed(word, 4, 4), signed(word, 8, 4)]
}

/// A layer of a texture, whose texels are compared with a reference if there is one.
struct Layer<'t> {
    texture: &'t Texture,
    first: u32,
    reference: Option<u32>,
}

impl Texels for Layer<'_> {
    fn texel(&self, level: u32, layer: u32, x: u32, y: u32) -> [u32; 4] {
        let texel = self.texture.texel(level, self.first + layer, x, y);
        match self.reference {
            // (Decision S60: less or equal, what shadows take.)
            Some(reference) => [if f32::from_bits(reference) <= f32::from_bits(texel[0]) { ONE } else { 0 }; 4],
            None => texel,
        }
    }
}

impl<'t> Layer<'t> {
    fn of(texture: &'t Texture, request: &Request) -> Self {
        let layer = (request.layer & 0xffff).min(texture.layers.saturating_sub(1));
        let faces = if texture.shape().kind == TextureKind::Cube { 6 } else { 1 };
        let first = if texture.dim.is_array() { faces * layer } else { 0 };
        Layer { texture, first, reference: request.reference }
    }
}

impl Warp<'_> {
    /// Executes a texture instruction in these lanes.
    pub fn texture(&mut self, op: TextureOp, instruction: &Instruction, taken: u32) -> Result<(), TrapKind> {
        for first in (0..LANES).step_by(QUAD) {
            let quad = taken >> first & 0xf;
            if quad == 0 {
                continue;
            }
            let mut requests = [Request::default(); QUAD];
            for (n, request) in requests.iter_mut().enumerate() {
                self.lane = first + n;
                *request = self.request(op, instruction)?;
            }
            for n in lanes(quad) {
                self.lane = first + n;
                let result = self.look_up(op, instruction, &requests, n)?;
                self.deliver_texel(op, instruction, result);
            }
        }
        Ok(())
    }

    /// The operands of the lane.
    fn request(&mut self, op: TextureOp, instruction: &Instruction) -> Result<Request, TrapKind> {
        use TextureOp::*;
        let shape = TextureOperands::of(op, instruction);
        let (axes, array) = (usize::from(shape.dim.axes()), shape.dim.is_array());
        let (ra, rb) = (instruction.reg(key::RA), instruction.reg(key::RB));
        let own = shape.place();
        let mut sources = match op {
            Txd | TxdB => Sources::of(
                Sources::from(ra, u8::from(shape.has_handle) + axes as u8 + u8::from(array || shape.has_offsets))
                    .chain(Sources::from(rb, 2 * axes as u8)),
            ),
            Texs | Tlds | Tld4s => scalar_sources(op, instruction, &shape),
            Txq | TxqB => Sources::of(Sources::from(ra, 2)),
            Tex | TexB | Tld | TldB | Tld4 | Tld4B | Tmml | TmmlB | Txa => {
                Sources::of(Sources::from(ra, own).chain(Sources::from(rb, 8)))
            }
        };
        let mut request = Request::default();
        let take = |warp: &Self, sources: &mut Sources| warp.reg(sources.take());
        let bound = instruction.has(FieldId::HANDLE);
        match op {
            Txq | TxqB => {
                request.handle = if bound { 0 } else { take(self, &mut sources) };
                request.level = take(self, &mut sources);
            }
            Txd | TxdB => {
                request.handle = if bound { 0 } else { take(self, &mut sources) };
                (0..axes).for_each(|axis| request.place[axis] = take(self, &mut sources));
                if array || shape.has_offsets {
                    let word = take(self, &mut sources);
                    request.layer = word & 0xffff;
                    request.offset = if shape.has_offsets { texel_offsets(word >> 16) } else { [0; 3] };
                }
                for axis in 0..axes {
                    request.derivatives[axis] = [take(self, &mut sources), take(self, &mut sources)];
                }
            }
            Tex | TexB | Texs | Tld | TldB | Tlds | Tld4 | Tld4B | Tld4s | Tmml | TmmlB | Txa => {
                request.layer = if array { take(self, &mut sources) } else { 0 };
                (0..axes).for_each(|axis| request.place[axis] = take(self, &mut sources));
                request.handle = if shape.has_handle { take(self, &mut sources) } else { 0 };
                let of_vectors = !matches!(op, Texs | Tlds | Tld4s);
                // The vector forms have the sample before the level.
                if shape.has_sample && of_vectors {
                    request.sample = take(self, &mut sources);
                }
                request.level = if shape.has_level { take(self, &mut sources) } else { 0 };
                if shape.has_sample && !of_vectors {
                    request.sample = take(self, &mut sources);
                }
                if shape.has_four_offsets {
                    let words = [take(self, &mut sources), take(self, &mut sources)];
                    request.offsets = std::array::from_fn(|texel| {
                        let word = words[texel / 2];
                        let from = 16 * (texel as u32 % 2);
                        [signed(word, from, 8), signed(word, from + 8, 8)]
                    });
                } else if shape.has_offsets {
                    let word = take(self, &mut sources);
                    let gathers = matches!(op, Tld4 | Tld4B | Tld4s);
                    request.offset =
                        if gathers { [signed(word, 0, 8), signed(word, 8, 8), 0] } else { texel_offsets(word) };
                }
                request.reference = shape.compares.then(|| take(self, &mut sources));
            }
        }
        if bound {
            let bank = if self.stage == Stage::None { COMPUTE_HANDLE_BANK } else { HANDLE_BANK };
            request.handle = self.constant(bank.into(), 4 * u32::from(instruction.get(key::HANDLE)))?;
        }
        Ok(request)
    }

    /// The four values that a lane of a quad gets.
    fn look_up(
        &mut self,
        op: TextureOp,
        instruction: &Instruction,
        requests: &[Request; QUAD],
        n: usize,
    ) -> Result<[u32; 4], TrapKind> {
        use TextureOp::*;
        let request = &requests[n];
        let environment = self.launch.environment;
        if let Some(image) = environment.images.of_handle(request.handle)
            && matches!(op, Txq | TxqB)
        {
            return Ok(answer(instruction.get(key::QUERY), image.dimensions()));
        }
        // (Decision S61: a handle of nothing gives zeros.)
        let Some(texture) = environment.textures.of_handle(request.handle) else { return Ok([0; 4]) };
        let shape = TextureOperands::of(op, instruction);
        if !matches!(op, Txq | TxqB) && shape.dim != texture.dim {
            // What the machine makes of that is not known.
            return Err(TrapKind::Unsupported);
        }
        match op {
            Txa => Err(TrapKind::Unsupported),
            Txq | TxqB => Ok(answer(instruction.get(key::QUERY), dimensions(texture, request.level))),
            Tld | TldB | Tlds => Ok(fetch(texture, request)),
            Tld4 | Tld4B | Tld4s => gather(texture, request, &shape, instruction.get(key::GATHER)),
            Tmml | TmmlB => Ok(level_of_detail(texture, requests, n)),
            Tex | TexB | Texs | Txd | TxdB => {
                let lod = if op == Texs {
                    instruction.get(key::TEXS_KIND).lod_mode()
                } else {
                    instruction.get(key::LOD_MODE)
                };
                let is_explicit = !matches!(op, Txd | TxdB) && self.stage != Stage::Pixel;
                sample(texture, requests, n, lod, matches!(op, Txd | TxdB), is_explicit)
            }
        }
    }

    /// Writes the components that the instruction keeps.
    fn deliver_texel(&mut self, op: TextureOp, instruction: &Instruction, texel: [u32; 4]) {
        use TextureOp::*;
        let (first, second) = (instruction.dst(), instruction.reg(key::RD2));
        let long = !second.is_zero();
        let (mask, is_scalar) = match op {
            Texs | Tlds => (instruction.get(key::SCALAR_MASK).components(long), true),
            Tld4s => (if long { 0xf } else { 0x3 }, true),
            Tex | TexB | Tld | TldB | Tld4 | Tld4B | Txd | TxdB | Txq | TxqB | Tmml | TmmlB | Txa => {
                (instruction.get(key::TEXTURE_MASK), false)
            }
        };
        let kept = (0..4).filter(|component| mask >> component & 1 != 0);
        for (k, component) in kept.enumerate() {
            let (base, at) = if is_scalar && k >= 2 { (second, k - 2) } else { (first, k) };
            if !base.is_zero() && usize::from(base.0) + at < 255 {
                self.set_reg(Reg(base.0 + at as u8), texel[component]);
            }
        }
    }
}

/// The registers of a scalar form: the sources one after the other, two and two of them in neighbours.
fn scalar_sources(op: TextureOp, instruction: &Instruction, operands: &TextureOperands) -> Sources {
    let [a, b] = operands.scalar(op);
    Sources::of(Sources::from(instruction.reg(key::RA), a).chain(Sources::from(instruction.reg(key::RB), b)))
}

/// Coordinates of a quad, moved by offsets in texels of a level.
fn coordinates(texture: &Texture, requests: &[Request; QUAD], size: [u32; 3]) -> [[u32; 4]; QUAD] {
    let axes = usize::from(texture.dim.axes());
    requests.map(|request| {
        let moved = |axis: usize| {
            let (place, offset) = (f32::from_bits(request.place[axis]), request.offset[axis]);
            if offset == 0 { place } else { place + offset as f32 / size[axis] as f32 }
        };
        // Textures of one dimension are one row.
        std::array::from_fn(|axis| if axis < axes { moved(axis).to_bits() } else { 0 })
    })
}

fn sample(
    texture: &Texture,
    requests: &[Request; QUAD],
    n: usize,
    mode: LodMode,
    by_derivatives: bool,
    is_base: bool,
) -> Result<[u32; 4], TrapKind> {
    let (shape, sampler) = (texture.shape(), texture.sampling());
    let moves = requests[n].offset != [0; 3];
    // An offset counts texels of the level that is read: of two levels they differ.
    if moves && sampler.mip == MipFilter::Linear && shape.last_level > 0 {
        return Err(TrapKind::Unsupported);
    }
    let changes = |which: usize| {
        requests.map(|request| std::array::from_fn(|axis| request.derivatives.get(axis).map_or(0, |both| both[which])))
    };
    let (dx, dy) = (changes(0), changes(1));
    let levels = requests.map(|request| request.level);
    let lod = match mode {
        _ if by_derivatives => LevelOfDetail::Derivatives { dx: &dx, dy: &dy },
        LodMode::Zero => LevelOfDetail::Explicit([0; 4]),
        LodMode::Level | LodMode::LevelA => LevelOfDetail::Explicit(levels),
        // (Decision S62: where there are no quads, the finest level.)
        _ if is_base => LevelOfDetail::Explicit([0; 4]),
        LodMode::Bias | LodMode::BiasA => LevelOfDetail::Differences { bias: levels },
        LodMode::Implicit | LodMode::Invalid4 | LodMode::Invalid5 => LevelOfDetail::Differences { bias: [0; 4] },
    };
    let plain = coordinates(texture, requests, shape.size);
    let level = if moves && shape.kind != TextureKind::Cube {
        let level = levels_of_quad(
            &sampler,
            &shape,
            &coordinates(texture, &without_offsets(requests), shape.size),
            Scale::Texture,
            lod,
        )[n];
        (level.max(0.0) + 0.5) as u32
    } else {
        0
    };
    let places = if level == 0 { plain } else { coordinates(texture, requests, shape.level_size(level)) };
    let layer = Layer::of(texture, &requests[n]);
    Ok(sample_quad(&sampler, &shape, &layer, &places, Scale::Texture, lod)[n])
}

fn without_offsets(requests: &[Request; QUAD]) -> [Request; QUAD] {
    requests.map(|request| Request { offset: [0; 3], ..request })
}

/// TLD: whole coordinates, and zeros outside.
fn fetch(texture: &Texture, request: &Request) -> [u32; 4] {
    let Some(size) = texture.level_size(request.level) else { return [0; 4] };
    let axes = usize::from(texture.dim.axes());
    let place: [i64; 3] = std::array::from_fn(|axis| match axis < axes {
        true => i64::from(request.place[axis].cast_signed()) + i64::from(request.offset[axis]),
        false => 0,
    });
    let is_volume = texture.shape().kind == TextureKind::Volume;
    let inside = place.iter().zip(size).take(axes).all(|(&at, size)| (0..i64::from(size)).contains(&at));
    if !inside || request.sample > 0 {
        return [0; 4];
    }
    let layer = Layer::of(texture, request).first + if is_volume { place[2] as u32 } else { 0 };
    texture.texel(request.level, layer, place[0] as u32, place[1] as u32)
}

/// TLD4: a component of the four texels that a linear filter would weight, counterclockwise from the lower left one.
fn gather(
    texture: &Texture,
    request: &Request,
    shape: &TextureOperands,
    component: Component,
) -> Result<[u32; 4], TrapKind> {
    let sizes = texture.shape();
    if sizes.kind != TextureKind::Flat {
        return Err(TrapKind::Unsupported);
    }
    let sampler = texture.sampling();
    let axes = usize::from(texture.dim.axes());
    // The texel at an index, which may be outside.
    let index = |axis: usize, further: i32| {
        if axis >= axes {
            return Some(0);
        }
        let size = sizes.size[axis] as f32;
        let place = f32::from_bits(ctm_num::flush(request.place[axis])) * size - 0.5;
        let at = place.floor() + further as f32;
        sampler.nearest(&sizes, 0, axis, ((at + 0.5) / size).to_bits(), Scale::Texture)
    };
    let layer = Layer::of(texture, request);
    let texel = |[x, y]: [i32; 2]| match (index(0, x), index(1, y)) {
        (Some(x), Some(y)) => layer.texel(0, 0, x, y)[component as usize],
        _ => sampler.border[component as usize],
    };
    let corners = [[0, 1], [1, 1], [1, 0], [0, 0]];
    Ok(std::array::from_fn(|n| {
        let [x, y] = if shape.has_four_offsets { [0, 0] } else { corners[n] };
        let moved = if shape.has_four_offsets { request.offsets[n] } else { [request.offset[0], request.offset[1]] };
        texel([x + moved[0], y + moved[1]])
    }))
}

/// TXQ: the size of a level, or the number of samples; what else can be asked is 0 here.
fn answer(query: TextureQuery, dimensions: [u32; 4]) -> [u32; 4] {
    if query == TextureQuery::TextureType {
        return [0, 0, 1, 0];
    }
    if query == TextureQuery::Dimension { dimensions } else { [0; 4] }
}

/// What TXQ says of the dimensions of a level.
fn dimensions(texture: &Texture, level: u32) -> [u32; 4] {
    let [width, height, depth] = texture.level_size(level).unwrap_or_default();
    let levels = texture.levels.len() as u32;
    let layers = if width == 0 { 0 } else { texture.layers };
    match texture.dim {
        TextureDim::D1 => [width, 0, 0, levels],
        TextureDim::Array1 => [width, layers, 0, levels],
        TextureDim::D2 | TextureDim::Cube => [width, height, 0, levels],
        TextureDim::Array2 | TextureDim::ArrayCube => [width, height, layers, levels],
        TextureDim::D3 | TextureDim::Array3 => [width, height, depth, levels],
    }
}

/// TMML: the level of detail before it is clamped, and the level that is read, in units of 1/256.
fn level_of_detail(texture: &Texture, requests: &[Request; QUAD], n: usize) -> [u32; 4] {
    let (mut shape, mut sampler) = (texture.shape(), texture.sampling());
    let last = shape.last_level as f32;
    // Levels count whether the texture has them or not.
    (shape.last_level, sampler.mip, sampler.finest) = (shape.last_level.max(1), MipFilter::Linear, 0);
    let places = coordinates(texture, requests, shape.size);
    let lod = LevelOfDetail::Differences { bias: [0; 4] };
    let level = match shape.kind {
        TextureKind::Cube => 0.0,
        TextureKind::Flat | TextureKind::Volume => levels_of_quad(&sampler, &shape, &places, Scale::Texture, lod)[n],
    };
    let units = |level: f32| (level * 256.0).round_ties_even() as i32;
    let raw = units(level).clamp(i16::MIN.into(), i16::MAX.into()).cast_unsigned();
    [raw, units(level.clamp(0.0, last)).cast_unsigned(), 0, 0]
}
