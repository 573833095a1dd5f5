//! Textures: what instructions ask for. Levels of detail come from quads, whose lanes have coordinates whether they are active or not.

mod look_up;

use super::warp::{LANES, Warp, lanes};
use crate::codes::LodMode;
use crate::field::{FieldId, key};
use crate::groups::TextureOperands;
use crate::header::Stage;
use crate::instruction::Instruction;
use crate::launch::TrapKind;
use crate::operand::Reg;
use crate::table::TextureOp;
use crate::textures::{COMPUTE_HANDLE_BANK, HANDLE_BANK, TextureTexels};
use look_up::{Detail, answer, dimensions, fetch, gather, level_of_detail, sample};

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
        if let Some(image) = environment.images.numbered(request.handle)
            && matches!(op, Txq | TxqB)
        {
            return Ok(answer(instruction.get(key::QUERY), image.dimensions(), 1));
        }
        // (Decision S61: a handle of nothing gives zeros.)
        let Some(shared) = environment.textures.of_handle(request.handle) else { return Ok([0; 4]) };
        let texture = shared.texture();
        if matches!(op, Txq | TxqB) {
            let dimensions = dimensions(texture, request.level);
            return Ok(answer(instruction.get(key::QUERY), dimensions, texture.look_up.samples));
        }
        let shape = TextureOperands::of(op, instruction);
        let seen;
        let texture = if shape.dim == texture.dim {
            texture
        } else {
            seen = match (texture.seen_as(shape.dim), &texture.texels) {
                (Some(seen), _) => seen,
                // What the machine makes of others is not known: on a card, nothing.
                (None, TextureTexels::Stored { .. }) => return Ok([0; 4]),
                (None, TextureTexels::Levels(_)) => return Err(TrapKind::Unsupported),
            };
            &seen
        };
        match op {
            Txa | Txq | TxqB => Err(TrapKind::Unsupported),
            Tld | TldB | Tlds => Ok(fetch(texture, request, shape.has_sample)),
            Tld4 | Tld4B | Tld4s => Ok(gather(texture, request, &shape, instruction.get(key::GATHER))),
            Tmml | TmmlB => Ok(level_of_detail(texture, requests, n)),
            Tex | TexB | Texs | Txd | TxdB => {
                let lod = if op == Texs {
                    instruction.get(key::TEXS_KIND).lod_mode()
                } else {
                    instruction.get(key::LOD_MODE)
                };
                let is_base = !matches!(op, Txd | TxdB) && self.stage != Stage::Pixel;
                let levels = requests.map(|request| request.level);
                let detail = match lod {
                    _ if matches!(op, Txd | TxdB) => Detail::Derivatives,
                    LodMode::Zero => Detail::Finest,
                    LodMode::Level | LodMode::LevelA => Detail::Explicit(levels),
                    // (Decision S62: where there are no quads, the finest level.)
                    _ if is_base => Detail::Finest,
                    LodMode::Bias | LodMode::BiasA => Detail::Differences(levels),
                    LodMode::Implicit | LodMode::Invalid4 | LodMode::Invalid5 => Detail::Differences([0; 4]),
                };
                Ok(sample(texture, requests, n, detail))
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
