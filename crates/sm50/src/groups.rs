//! Operands that are groups of registers, without alignment: those of texture and image instructions.

use crate::codes::{FetchLod, GatherOffset, LodMode, TextureDim, TldsKind};
use crate::field::{FieldId, key};
use crate::instruction::Instruction;
use crate::operand::Reg;
use crate::table::{Class, SurfaceOp, TextureOp};

impl TextureDim {
    /// Coordinates, without the layer.
    pub const fn axes(self) -> u8 {
        match self {
            TextureDim::D1 | TextureDim::Array1 => 1,
            TextureDim::D2 | TextureDim::Array2 => 2,
            TextureDim::D3 | TextureDim::Array3 | TextureDim::Cube | TextureDim::ArrayCube => 3,
        }
    }

    /// Whether there are layers.
    pub const fn is_array(self) -> bool {
        matches!(self, TextureDim::Array1 | TextureDim::Array2 | TextureDim::Array3 | TextureDim::ArrayCube)
    }
}

/// What a texture instruction has beside coordinates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextureOperands {
    pub dim: TextureDim,
    pub has_handle: bool,
    pub has_sample: bool,
    pub has_level: bool,
    pub has_offsets: bool,
    pub has_four_offsets: bool,
    pub compares: bool,
}

impl TextureOperands {
    /// Those of an instruction.
    pub fn of(op: TextureOp, instruction: &Instruction) -> Self {
        use TextureOp::*;
        let lod = instruction.get(key::LOD_MODE);
        let plain = TextureOperands {
            dim: instruction.get(key::TEXTURE_DIM),
            has_handle: !instruction.has(FieldId::HANDLE),
            has_sample: instruction.get(key::MS),
            has_level: false,
            has_offsets: instruction.get(key::AOFFI),
            has_four_offsets: false,
            compares: instruction.get(key::DC),
        };
        match op {
            Tex | TexB => TextureOperands { has_level: !matches!(lod, LodMode::Implicit | LodMode::Zero), ..plain },
            Tld | TldB => TextureOperands { has_level: instruction.get(key::FETCH_LOD) == FetchLod::Level, ..plain },
            Tld4 | Tld4B => TextureOperands {
                has_offsets: instruction.get(key::GATHER_OFFSET) == GatherOffset::Aoffi,
                has_four_offsets: instruction.get(key::GATHER_OFFSET) == GatherOffset::Ptp,
                ..plain
            },
            Tld4s => TextureOperands { dim: TextureDim::D2, ..plain },
            Texs => {
                let kind = instruction.get(key::TEXS_KIND);
                let has_level = kind.lod_mode() == LodMode::Level;
                TextureOperands { dim: kind.dim(), has_level, compares: kind.compares(), ..plain }
            }
            Tlds => {
                let kind = instruction.get(key::TLDS_KIND);
                use TldsKind::{D1Ll, D2Ll, D2LlAoffi, D2LzAoffi, D2LzMs};
                TextureOperands {
                    dim: kind.dim(),
                    has_level: matches!(kind, D1Ll | D2Ll | D2LlAoffi),
                    has_offsets: matches!(kind, D2LzAoffi | D2LlAoffi),
                    has_sample: kind == D2LzMs,
                    ..plain
                }
            }
            Txd | TxdB | Txq | TxqB | Tmml | TmmlB | Txa => plain,
        }
    }

    /// Registers of coordinates and layer.
    pub fn place(&self) -> u8 {
        self.dim.axes() + u8::from(self.dim.is_array())
    }

    /// Registers of the scalar forms: in A, and in B.
    pub fn scalar(&self, op: TextureOp) -> [u8; 2] {
        if op == TextureOp::Tlds && self.dim == TextureDim::Array2 {
            return [1, 2];
        }
        let more = [self.has_level, self.has_sample, self.has_offsets, self.compares];
        let count = self.place() + more.into_iter().map(u8::from).sum::<u8>();
        let of_a = if count > 2 { 2 } else { 1 };
        [of_a, count - of_a]
    }
}

impl Instruction {
    /// The registers from which groups begin, with how many they are: destinations and sources of texture and image instructions.
    pub fn register_groups(&self) -> Vec<(Reg, u8)> {
        let (rd, ra, rb) = (self.reg(key::RD), self.reg(key::RA), self.reg(key::RB));
        match self.op().class() {
            Class::Texture(op) => {
                use TextureOp::*;
                let operands = TextureOperands::of(op, self);
                let handle = u8::from(operands.has_handle);
                let place = operands.place();
                let more = [
                    operands.has_handle,
                    operands.has_sample,
                    operands.has_level,
                    operands.has_offsets,
                    operands.compares,
                ];
                let more = more.into_iter().map(u8::from).sum::<u8>() + if operands.has_four_offsets { 2 } else { 0 };
                let kept = self.value(FieldId::TEXTURE_MASK).count_ones() as u8;
                let [a, b] = match op {
                    Tex | TexB | Tld | TldB | Tld4 | Tld4B | Tmml | TmmlB | Txa => [place, more],
                    Texs | Tlds | Tld4s => operands.scalar(op),
                    Txd | TxdB => {
                        let word = u8::from(operands.dim.is_array() || operands.has_offsets);
                        [handle + operands.dim.axes() + word, 2 * operands.dim.axes()]
                    }
                    Txq | TxqB => [handle + 1, 0],
                };
                let second = self.reg(key::RD2);
                let long = !second.is_zero();
                let scalar = match op {
                    Texs | Tlds => Some(self.get(key::SCALAR_MASK).components(long).count_ones() as u8),
                    Tld4s => Some(if long { 4 } else { 2 }),
                    Tex | TexB | Tld | TldB | Tld4 | Tld4B | Txd | TxdB | Txq | TxqB | Tmml | TmmlB | Txa => None,
                };
                let kept = scalar.map_or(kept, |kept| kept.min(2));
                vec![(rd, kept), (second, scalar.map_or(0, |all| all.saturating_sub(2))), (ra, a), (rb, b)]
            }
            Class::Surface(op) => {
                let place = self.get(key::SURFACE_DIM).coordinates();
                let is_raw = self.has(FieldId::MEMORY_SIZE);
                let raw = self.get(key::MEMORY_SIZE).bytes().div_ceil(4) as u8;
                let data = match op {
                    SurfaceOp::Suld | SurfaceOp::Sust if is_raw => raw,
                    SurfaceOp::Suld => self.value(FieldId::SURFACE_MASK).count_ones() as u8,
                    SurfaceOp::Sust => 4,
                    SurfaceOp::Sured | SurfaceOp::Suatom | SurfaceOp::SuatomCas => 1,
                };
                vec![(rd, data), (ra, place), (rb, if op == SurfaceOp::SuatomCas { 2 } else { 1 })]
            }
            _ => Vec::new(),
        }
    }
}
