//! Textures whose handles are in constant banks: what is known of them is a part of the function, and their texels are buffers.
//!
//! For textures whose handles are in registers, and for questions about levels, lanes call ([`super::calls`]).

use super::machine::LiftState;
use super::specialisation::{BufferBinding, Specialisation};
use super::{NotLifted, Walked};
use crate::attributes::Words;
use crate::codes::{LodMode, TextureDim, TextureQuery};
use crate::field::{FieldId, key};
use crate::groups::TextureOperands;
use crate::header::Stage;
use crate::instruction::Instruction;
use crate::launch::StageLaunch;
use crate::operand::Reg;
use crate::table::TextureOp;
use crate::textures::{COMPUTE_HANDLE_BANK, Comparison, HANDLE_BANK, LookUp, Texture, TextureTexels};
use ctm_lane::{Buffer, Builder, Denorm, FloatTest, IntTest, Round, Value};
use ctm_raster::depth::CompareFunction;
use ctm_raster::sampler::{Filter, Sampler, Scale, TextureKind, TextureShape};
use ctm_sampling::{LiftTexels, LiftedDetail, Sampling, TexelPlace};
use std::collections::BTreeMap;

const ONE: u32 = 0x3F80_0000;
/// Bytes of a texel.
const TEXEL: u32 = 16;

/// What a handle in a constant bank is.
#[derive(Clone, Copy, Debug, PartialEq, Hash)]
pub enum BoundTexture {
    /// It names nothing.
    Nothing,
    /// A texture.
    Texture(TextureLayout),
    /// An image, or a texture that functions do not sample.
    Other,
}

/// What is known of a texture when its function is made: everything but its texels.
#[derive(Clone, Copy, Debug, PartialEq, Hash)]
pub struct TextureLayout {
    dim: TextureDim,
    shape: TextureShape,
    sampler: Sampler,
    look_up: LookUp,
    levels: u32,
    layers: u32,
}

impl TextureLayout {
    /// Of a texture; `None` if its sizes are those of none, its texels are too many for a buffer, or it is looked up in ways that are for the
    /// reference.
    fn of(texture: &Texture) -> Option<Self> {
        let levels = texture.levels();
        let Texture { dim, layers, look_up, .. } = *texture;
        let (shape, sampler) = (texture.shape(), texture.sampling());
        let has_linear = [sampler.magnification, sampler.minification].contains(&Filter::Linear);
        if look_up.samples > 1 || has_linear && (look_up.anisotropy > 1 || sampler.seamless && dim.axes() == 3) {
            return None;
        }
        let layout = TextureLayout { dim, shape, sampler, look_up, levels, layers };
        let is_sound = texture.size.iter().all(|size| (1..=1 << 20).contains(size)) && levels <= 21 && layers > 0;
        (is_sound && layout.texels(levels) * u64::from(TEXEL) <= u64::from(u32::MAX)).then_some(layout)
    }

    /// Texels of the levels before this one.
    fn texels(&self, level: u32) -> u64 {
        let of_level = |level| {
            let [width, height, _] = self.shape.level_size(level);
            let slices = u64::from(self.shape.layers(level)) * u64::from(self.layers);
            (u64::from(width) * u64::from(height)).saturating_mul(slices)
        };
        (0..level).map(of_level).fold(0, u64::saturating_add)
    }

    /// The words of a texture: level by level, texel by texel.
    fn words(&self, texture: &Texture) -> Option<Words> {
        let words = Words::new(4 * self.texels(self.levels)).ok()?;
        match &texture.texels {
            TextureTexels::Levels(levels) => {
                for (level, texels) in (0..).zip(levels) {
                    let [first, end] = [level, level + 1].map(|level| 4 * self.texels(level) as usize);
                    let all = texels.as_flattened();
                    words.write(first as u32, &all[..all.len().min(end - first)]);
                }
            }
            TextureTexels::Stored { texels, levels } => {
                let mut next = 0;
                for level in 0..*levels {
                    let [width, height, _] = self.shape.level_size(level);
                    for slice in 0..self.shape.layers(level) * self.layers {
                        texels.slice(level, slice, [width, height], &mut |row| {
                            words.write(next, row);
                            next += row.len() as u32;
                        });
                    }
                }
            }
        }
        Some(words)
    }
}

/// The texels of a texture, for functions; `None` if they do not sample it, or the host has no memory for them.
pub(crate) fn texel_words(texture: &Texture) -> Option<Words> {
    TextureLayout::of(texture)?.words(texture)
}

/// The bank of the handles of a stage.
pub(crate) fn handle_bank(stage: Stage) -> u8 {
    if stage == Stage::None { COMPUTE_HANDLE_BANK } else { HANDLE_BANK }
}

/// The handles in constant banks that a launch's program names, with what they are. Those that have no word are missing.
pub(super) fn bound_textures(launch: &StageLaunch) -> BTreeMap<u16, BoundTexture> {
    let bank = handle_bank(launch.shader.stage());
    let mut bound = BTreeMap::new();
    if launch.bank(bank).is_none() {
        return bound;
    }
    for &number in launch.shader.code.handles() {
        let Some(handle) = launch.constant(bank, 4 * u32::from(number)) else { continue };
        let environment = launch.environment;
        let texture = match environment.textures.known(handle) {
            _ if environment.images.numbered(handle).is_some() => BoundTexture::Other,
            None => BoundTexture::Other,
            Some(None) => BoundTexture::Nothing,
            Some(Some(shared)) => {
                TextureLayout::of(shared.texture()).map_or(BoundTexture::Other, BoundTexture::Texture)
            }
        };
        bound.insert(number, texture);
    }
    bound
}

/// A texture of a function.
struct Sampled {
    layout: TextureLayout,
    buffer: Buffer,
    /// Face or slice 0 of the lanes' layers.
    first: Option<Value>,
    /// What texels are compared with.
    reference: Option<Value>,
    /// What lies outside, if it is compared as well.
    border: Option<Value>,
}

/// Whether a reference passes, as 1.0 or 0.0.
fn compared(b: &mut Builder, function: CompareFunction, reference: Value, texel: Value) -> Value {
    let (one, zero) = (b.constant(ONE), b.constant(0));
    let test = match function {
        CompareFunction::Never => return zero,
        CompareFunction::Less => FloatTest::Olt,
        CompareFunction::LessOrEqual => FloatTest::Ole,
        CompareFunction::Equal => FloatTest::Oeq,
        CompareFunction::GreaterOrEqual => FloatTest::Oge,
        CompareFunction::Greater => FloatTest::Ogt,
        CompareFunction::NotEqual => FloatTest::Une,
        CompareFunction::Always => return one,
    };
    let passes = b.fcmp(test, Denorm::Keep, reference, texel);
    b.select(passes, one, zero)
}

impl Sampled {
    /// The components of the texel with this number, counted from the first one of the texture.
    fn texel(&self, b: &mut Builder, number: Value, lanes: Value) -> [Value; 4] {
        let four = b.constant(TEXEL.ilog2());
        let address = b.shl(number, four);
        [0, 4, 8, 12].map(|offset| {
            let offset = b.constant(offset);
            let address = b.iadd(address, offset);
            b.buffer_load(self.buffer, address, lanes)
        })
    }

    fn sampling(&self) -> Sampling<'_> {
        Sampling {
            sampler: &self.layout.sampler,
            shape: &self.layout.shape,
            scale: self.layout.look_up.scale,
            has_fractions: false,
            texels: self,
        }
    }
}

impl LiftTexels for Sampled {
    fn load(&self, b: &mut Builder, place: &TexelPlace, lanes: Value) -> [Value; 4] {
        let [width, height, _] = self.layout.shape.level_size(place.level);
        let slice = match (place.layer, self.first) {
            (Some(layer), Some(first)) => Some(b.iadd(first, layer)),
            (layer, first) => layer.or(first),
        };
        let mut row = place.y;
        if let Some(slice) = slice {
            let height = b.constant(height);
            let rows = b.imul(slice, height);
            row = b.iadd(rows, row);
        }
        let width = b.constant(width);
        let before = b.imul(row, width);
        let number = b.iadd(before, place.x);
        let first = b.constant(self.layout.texels(place.level) as u32);
        let number = b.iadd(first, number);
        let texel = self.texel(b, number, lanes);
        let Some(reference) = self.reference else { return texel };
        let Comparison { function, component, .. } = self.layout.look_up.comparison;
        [compared(b, function, reference, texel[usize::from(component & 3)]); 4]
    }

    fn border(&self) -> Option<[Value; 4]> {
        self.border.map(|border| [border; 4])
    }
}

/// What lanes ask of a texture.
struct Request {
    layer: Option<Value>,
    place: [Value; 3],
    level: Value,
    sample: Option<Value>,
    /// The word of offsets in texels.
    offset: Option<Value>,
    /// The words of the offsets of the four texels of a gather.
    offsets: Option<[Value; 2]>,
    reference: Option<Value>,
    /// To the right, and down.
    derivatives: [[Value; 3]; 2],
}

/// So many registers from one on; past R254 they read 0.
fn registers(first: Reg, count: u8) -> impl Iterator<Item = Reg> {
    (0..count).map(move |k| if first.is_zero() { Reg::RZ } else { Reg(first.0.saturating_add(k)) })
}

/// Whether functions do what a texture instruction asks for; otherwise their lanes call for it.
pub(super) fn is_sampled(op: TextureOp, instruction: &Instruction, specialisation: &Specialisation) -> bool {
    use TextureOp::*;
    if !instruction.has(FieldId::HANDLE) {
        return false;
    }
    let layout = match specialisation.textures.get(&instruction.get(key::HANDLE)) {
        None | Some(BoundTexture::Nothing) => return true,
        Some(BoundTexture::Other) => return false,
        Some(BoundTexture::Texture(layout)) => layout,
    };
    let operands = TextureOperands::of(op, instruction);
    // What offsets count depends on the level.
    let may_move = !layout.sampler.needs_level(&layout.shape)
        && layout.sampler.finest == 0
        && layout.shape.kind != TextureKind::Cube;
    match op {
        Txq | TxqB => true,
        _ if operands.dim != layout.dim => false,
        Tld | TldB | Tlds => true,
        Tld4 | Tld4B | Tld4s => layout.shape.kind == TextureKind::Flat && layout.look_up.scale == Scale::Texture,
        Tex | TexB | Texs | Txd | TxdB => may_move || !operands.has_offsets,
        Tmml | TmmlB | Txa => false,
    }
}

impl LiftState<'_> {
    pub fn texture(&mut self, op: TextureOp, instruction: &Instruction) -> Walked<()> {
        if !instruction.has(FieldId::HANDLE) {
            return Err(NotLifted::Texture);
        }
        let handle = instruction.get(key::HANDLE);
        let texel = match self.specialisation.textures.get(&handle).copied() {
            // There is no such constant.
            None => {
                self.trap();
                return Ok(());
            }
            Some(BoundTexture::Other) => return Err(NotLifted::Texture),
            Some(BoundTexture::Nothing) => [self.b.constant(0); 4],
            Some(BoundTexture::Texture(layout)) => self.look_up(op, instruction, layout)?,
        };
        self.deliver_texel(op, instruction, texel);
        Ok(())
    }

    fn request(&mut self, op: TextureOp, instruction: &Instruction, operands: &TextureOperands) -> Request {
        use TextureOp::*;
        let (ra, rb) = (instruction.reg(key::RA), instruction.reg(key::RB));
        let (axes, is_array) = (operands.dim.axes(), operands.dim.is_array());
        let is_scalar = matches!(op, Texs | Tlds | Tld4s);
        let (of_a, of_b) = match op {
            Txd | TxdB => (axes + u8::from(is_array || operands.has_offsets), 2 * axes),
            Texs | Tlds | Tld4s => operands.scalar(op).into(),
            Txq | TxqB => (1, 0),
            Tex | TexB | Tld | TldB | Tld4 | Tld4B | Tmml | TmmlB | Txa => (operands.place(), 8),
        };
        let mut sources = registers(ra, of_a).chain(registers(rb, of_b));
        let mut take = |m: &mut Self| {
            let register = sources.next().unwrap_or(Reg::RZ);
            m.reg(register)
        };
        let zero = self.b.constant(0);
        let mut request = Request {
            layer: None,
            place: [zero; 3],
            level: zero,
            sample: None,
            offset: None,
            offsets: None,
            reference: None,
            derivatives: [[zero; 3]; 2],
        };
        match op {
            Txq | TxqB => request.level = take(self),
            Txd | TxdB => {
                (0..usize::from(axes)).for_each(|axis| request.place[axis] = take(self));
                if is_array || operands.has_offsets {
                    let word = take(self);
                    request.layer = Some(word);
                    request.offset = operands.has_offsets.then(|| self.shifted_right(word, 16));
                }
                for axis in 0..usize::from(axes) {
                    (0..2).for_each(|way| request.derivatives[way][axis] = take(self));
                }
            }
            Tex | TexB | Texs | Tld | TldB | Tlds | Tld4 | Tld4B | Tld4s | Tmml | TmmlB | Txa => {
                request.layer = is_array.then(|| take(self));
                (0..usize::from(axes)).for_each(|axis| request.place[axis] = take(self));
                // The vector forms have the sample before the level.
                if operands.has_sample && !is_scalar {
                    request.sample = Some(take(self));
                }
                if operands.has_level {
                    request.level = take(self);
                }
                if operands.has_sample && is_scalar {
                    request.sample = Some(take(self));
                }
                request.offsets = operands.has_four_offsets.then(|| [take(self), take(self)]);
                request.offset = operands.has_offsets.then(|| take(self));
                request.reference = operands.compares.then(|| take(self));
            }
        }
        request
    }

    /// The four values that the lanes get.
    fn look_up(&mut self, op: TextureOp, instruction: &Instruction, layout: TextureLayout) -> Walked<[Value; 4]> {
        use TextureOp::*;
        let operands = TextureOperands::of(op, instruction);
        let request = self.request(op, instruction, &operands);
        if matches!(op, Txq | TxqB) {
            return Ok(self.answer(instruction.get(key::QUERY), layout, request.level));
        }
        if operands.dim != layout.dim {
            self.trap();
            return Ok([self.b.constant(0); 4]);
        }
        let buffer = self.buffer(BufferBinding::Texture(instruction.get(key::HANDLE)));
        let first = self.first_slice(layout, request.layer);
        let comparison = layout.look_up.comparison;
        let reference = request.reference.map(|reference| match comparison.clamps {
            true => {
                let (zero, one) = (self.b.constant(0), self.b.constant(ONE));
                let above = self.b.fmax(Denorm::Keep, reference, zero);
                self.b.fmin(Denorm::Keep, above, one)
            }
            false => reference,
        });
        let border = reference.map(|reference| {
            let border = self.b.constant(layout.sampler.border[0]);
            compared(&mut self.b, comparison.function, reference, border)
        });
        let sampled = Sampled { layout, buffer, first, reference, border };
        if !is_sampled(op, instruction, self.specialisation) {
            return Err(NotLifted::Texture);
        }
        match op {
            Tld | TldB | Tlds => Ok(self.fetch(&sampled, &request)),
            Tld4 | Tld4B | Tld4s => Ok(self.gather(&sampled, &request, instruction.get(key::GATHER) as usize)),
            Tex | TexB | Texs | Txd | TxdB => {
                let mode = if op == Texs {
                    instruction.get(key::TEXS_KIND).lod_mode()
                } else {
                    instruction.get(key::LOD_MODE)
                };
                let (detail, has_bias) = self.detail(op, mode, &request);
                if matches!(detail, LiftedDetail::Differences { .. }) && layout.sampler.needs_level(&layout.shape) {
                    self.uses_quads = true;
                }
                let sampler = match has_bias {
                    true => layout.sampler,
                    false => Sampler { bias: 0, ..layout.sampler },
                };
                let sampling = Sampling { sampler: &sampler, ..sampled.sampling() };
                let place = match request.offset {
                    Some(word) => self.moved(layout, request.place, word),
                    None => request.place,
                };
                let result = sampling.sample(&mut self.b, place, &detail, self.taken);
                Ok(if operands.compares { self.spread(comparison, result) } else { result })
            }
            Txq | TxqB | Tmml | TmmlB | Txa => Err(NotLifted::Texture),
        }
    }

    /// A number of so many bits from one on, with its sign.
    fn signed(&mut self, word: Value, from: u32, bits: u32) -> Value {
        let (up, down) = (self.b.constant(32 - bits - from), self.b.constant(32 - bits));
        let number = self.b.shl(word, up);
        self.b.sar(number, down)
    }

    /// Coordinates with offsets in texels of the finest level.
    fn moved(&mut self, layout: TextureLayout, place: [Value; 3], word: Value) -> [Value; 3] {
        let sizes = match layout.look_up.scale {
            Scale::Texture => layout.shape.level_size(0).map(|size| size as f32),
            Scale::Texels => [1.0; 3],
        };
        [0, 1, 2].map(|axis| {
            let (offset, size) = (self.signed(word, 4 * axis as u32, 4), self.b.float_constant(sizes[axis]));
            let texels = self.b.itof(offset);
            let further = self.b.fdiv(Denorm::Keep, texels, size);
            let moved = self.b.fadd(Denorm::Keep, place[axis], further);
            let stays = self.is_zero(offset);
            self.b.select(stays, place[axis], moved)
        })
    }

    /// The components of what a comparison gives.
    fn spread(&mut self, comparison: Comparison, result: [Value; 4]) -> [Value; 4] {
        std::array::from_fn(|n| comparison.results[n].map_or(result[n], |bits| self.b.constant(bits)))
    }

    /// Where the level of detail comes from, and whether the sampler's bias counts.
    fn detail(&mut self, op: TextureOp, mode: LodMode, request: &Request) -> (LiftedDetail, bool) {
        let is_pixel = self.specialisation.stage == Stage::Pixel;
        let detail = match mode {
            _ if matches!(op, TextureOp::Txd | TextureOp::TxdB) => LiftedDetail::Derivatives(request.derivatives),
            LodMode::Level | LodMode::LevelA => LiftedDetail::Explicit(request.level),
            LodMode::Bias | LodMode::BiasA if is_pixel => LiftedDetail::Differences { bias: Some(request.level) },
            LodMode::Implicit | LodMode::Invalid4 | LodMode::Invalid5 if is_pixel => {
                LiftedDetail::Differences { bias: None }
            }
            LodMode::Zero
            | LodMode::Bias
            | LodMode::BiasA
            | LodMode::Implicit
            | LodMode::Invalid4
            | LodMode::Invalid5 => return (LiftedDetail::Explicit(self.b.constant(0)), false),
        };
        (detail, true)
    }

    /// The first face or slice of the lanes' layers; none of textures without layers.
    fn first_slice(&mut self, layout: TextureLayout, layer: Option<Value>) -> Option<Value> {
        let layer = layer.filter(|_| layout.dim.is_array())?;
        let (layer, last) = (self.only(layer, 0xffff), self.b.constant(layout.layers - 1));
        let layer = self.b.umin(layer, last);
        if layout.shape.kind != TextureKind::Cube {
            return Some(layer);
        }
        let faces = self.b.constant(6);
        Some(self.b.imul(layer, faces))
    }

    /// A number of each level, in the lanes that name the level; 0 in others.
    fn of_level(&mut self, layout: TextureLayout, level: Value, number: impl Fn(u32) -> u32) -> Value {
        let zero = self.b.constant(0);
        (0..layout.levels).fold(zero, |value, known| {
            let (number, known) = (self.b.constant(number(known)), self.b.constant(known));
            let is_level = self.b.icmp(IntTest::Eq, level, known);
            self.b.select(is_level, number, value)
        })
    }

    /// TLD: whole coordinates, and zeros outside.
    fn fetch(&mut self, sampled: &Sampled, request: &Request) -> [Value; 4] {
        let layout = sampled.layout;
        let sizes =
            [0, 1, 2].map(|axis| self.of_level(layout, request.level, |level| layout.shape.level_size(level)[axis]));
        let mut inside = self.taken;
        let mut place = request.place;
        for axis in 0..usize::from(layout.dim.axes()) {
            if let Some(word) = request.offset {
                let offset = self.signed(word, 4 * axis as u32, 4);
                place[axis] = self.b.iadd(place[axis], offset);
            }
            let is_inside = self.b.icmp(IntTest::Ult, place[axis], sizes[axis]);
            inside = self.b.mask_and(inside, is_inside);
        }
        if let Some(sample) = request.sample {
            let is_first = self.is_zero(sample);
            inside = self.b.mask_and(inside, is_first);
        }
        let zero = self.b.constant(0);
        let mut slice = sampled.first.unwrap_or(zero);
        if layout.shape.kind == TextureKind::Volume {
            slice = self.b.iadd(slice, place[2]);
        }
        let rows = self.b.imul(slice, sizes[1]);
        let row = self.b.iadd(rows, place[1]);
        let before = self.b.imul(row, sizes[0]);
        let number = self.b.iadd(before, place[0]);
        let first = self.of_level(layout, request.level, |level| layout.texels(level) as u32);
        let number = self.b.iadd(first, number);
        sampled.texel(&mut self.b, number, inside)
    }

    /// TLD4: a component of the four texels that a linear filter would weight, counterclockwise from the lower left one.
    fn gather(&mut self, sampled: &Sampled, request: &Request, component: usize) -> [Value; 4] {
        let (layout, sampling) = (sampled.layout, sampled.sampling());
        let axes = usize::from(layout.dim.axes());
        let half = self.b.float_constant(0.5);
        // The corner of the texels, and the sizes, along each axis.
        let corners = [0, 1].map(|axis| {
            let size = self.b.float_constant(layout.shape.size[axis] as f32);
            let place = self.b.fmul(Denorm::Flush, ctm_lane::Zero::Ieee, request.place[axis], size);
            let place = self.b.fsub(Denorm::Keep, place, half);
            (self.b.fround(Round::Floor, Denorm::Keep, place), size)
        });
        let border = sampled.border.unwrap_or_else(|| self.b.constant(layout.sampler.border[component]));
        [0, 1, 2, 3].map(|texel| {
            let further = self.further(request, texel);
            let mut inside = self.taken;
            let mut place = [self.b.constant(0); 2];
            for axis in 0..axes {
                let ((corner, size), further) = (corners[axis], self.b.itof(further[axis]));
                let at = self.b.fadd(Denorm::Keep, corner, further);
                let at = self.b.fadd(Denorm::Keep, at, half);
                let at = self.b.fdiv(Denorm::Keep, at, size);
                let tap = sampling.nearest(&mut self.b, (0, axis), at);
                inside = tap.inside.map_or(inside, |lanes| self.b.mask_and(inside, lanes));
                place[axis] = tap.index;
            }
            let place = TexelPlace { level: 0, layer: None, x: place[0], y: place[1] };
            let texel = sampled.load(&mut self.b, &place, inside);
            self.b.select(inside, texel[component], border)
        })
    }

    /// How far a texel of a gather is from the one with the least coordinates, with the offsets that instructions give.
    fn further(&mut self, request: &Request, texel: usize) -> [Value; 2] {
        if let Some(words) = request.offsets {
            let from = 16 * (texel as u32 % 2);
            return [from, from + 8].map(|from| self.signed(words[texel / 2], from, 8));
        }
        let corner = [[0, 1], [1, 1], [1, 0], [0, 0]][texel];
        [0, 1].map(|axis| match request.offset {
            Some(word) => {
                let offset = self.signed(word, 8 * axis as u32, 8);
                self.plus(offset, corner[axis])
            }
            None => self.b.constant(corner[axis]),
        })
    }

    /// TXQ.
    fn answer(&mut self, query: TextureQuery, layout: TextureLayout, level: Value) -> [Value; 4] {
        let zero = self.b.constant(0);
        if query == TextureQuery::TextureType {
            return [zero, zero, self.b.constant(1), zero];
        }
        if query != TextureQuery::Dimension {
            return [zero; 4];
        }
        let [width, height, depth] =
            [0, 1, 2].map(|axis| self.of_level(layout, level, |level| layout.shape.level_size(level)[axis]));
        let layers = self.of_level(layout, level, |_| layout.layers);
        let levels = self.b.constant(layout.levels);
        let [height, depth] = match layout.dim {
            TextureDim::D1 => [zero, zero],
            TextureDim::Array1 => [layers, zero],
            TextureDim::D2 | TextureDim::Cube => [height, zero],
            TextureDim::Array2 | TextureDim::ArrayCube => [height, layers],
            TextureDim::D3 | TextureDim::Array3 => [height, depth],
        };
        [width, height, depth, levels]
    }

    /// Writes the components that the instruction keeps.
    fn deliver_texel(&mut self, op: TextureOp, instruction: &Instruction, texel: [Value; 4]) {
        use TextureOp::*;
        let (first, second) = (instruction.dst(), instruction.reg(key::RD2));
        let is_long = !second.is_zero();
        let (mask, is_scalar) = match op {
            Texs | Tlds => (instruction.get(key::SCALAR_MASK).components(is_long), true),
            Tld4s => (if is_long { 0xf } else { 0x3 }, true),
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
