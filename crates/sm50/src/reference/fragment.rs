//! Fragments: inputs, pixels, quads, and lanes that only help.

use super::arithmetic::rounding;
use super::warp::{LANES, Warp, lanes};
use crate::codes::{IpaMode, IpaPlace, PixelQuery};
use crate::field::{FieldId, key};
use crate::header::{Interpolation, Stage};
use crate::instruction::Instruction;
use crate::launch::{FRONT_FACE, PixelPlace, TrapKind, WARP, sample_offset};
use crate::operand::Reg;
use crate::table::FragmentOp;
use ctm_num::ieee::BINARY32;
use ctm_num::sm50::{self, Denormals, Flags, FloatRules};

/// Units of a pixel that offsets count.
const OFFSET_UNIT: f32 = 4096.0;

impl Warp<'_> {
    pub fn fragment(&mut self, op: FragmentOp, instruction: &Instruction) -> Result<(), TrapKind> {
        match op {
            FragmentOp::Ipa => self.input(instruction),
            FragmentOp::Pixld => self.pixel(instruction),
            FragmentOp::Fswzadd => {
                self.swizzled_sum(instruction);
                Ok(())
            }
        }
    }

    /// IPA. (Decision S59: what the shade model says is smooth, unless pixels say otherwise.)
    fn input(&mut self, instruction: &Instruction) -> Result<(), TrapKind> {
        let Some(pixels) = self.launch.pixels else {
            self.violation(TrapKind::IllegalSphInstrCombo)?;
            self.set_reg(instruction.dst(), 0);
            return Ok(());
        };
        let indexed = instruction.get(key::IDX);
        let address = if indexed { self.reg(instruction.reg(key::RA)) } else { instruction.get(key::OFFSET) } & 0x3fc;
        let maps = &self.header.pixel;
        let is_read = address == FRONT_FACE || maps.interpolation(address) != Interpolation::Unused;
        let place = match instruction.get(key::IPA_PLACE) {
            IpaPlace::Offset => {
                let offset = self.reg(instruction.reg(key::RC));
                let part = |bits: u32| f32::from(bits as u16 as i16) / OFFSET_UNIT;
                PixelPlace::Offset(part(offset), part(offset >> 16))
            }
            IpaPlace::Centroid => PixelPlace::Centroid,
            IpaPlace::Pixel | IpaPlace::Invalid => PixelPlace::Centre,
        };
        let mode = match instruction.get(key::IPA_MODE) {
            IpaMode::Sc if pixels.has_flat_colours() => IpaMode::Constant,
            mode @ (IpaMode::Pass | IpaMode::Multiply | IpaMode::Constant | IpaMode::Sc) => mode,
        };
        let value = match mode {
            _ if !is_read => 0,
            IpaMode::Constant => pixels.provoking(address, self.number()),
            IpaMode::Pass | IpaMode::Multiply | IpaMode::Sc => pixels.input(address, self.number(), place),
        };
        let rules =
            FloatRules { denormals: Denormals::Flush, saturate: instruction.get(key::SAT), ..FloatRules::default() };
        let factor = instruction.reg(key::RB);
        let result = match mode {
            IpaMode::Constant => value,
            IpaMode::Multiply => sm50::fmul(rules, value, self.reg(factor), 0),
            IpaMode::Sc if !factor.is_zero() => sm50::fmul(rules, value, self.reg(factor), 0),
            IpaMode::Pass | IpaMode::Sc if instruction.get(key::SAT) => sm50::saturate(value),
            IpaMode::Pass | IpaMode::Sc => value,
        };
        self.set_reg(instruction.dst(), result);
        Ok(())
    }

    /// PIXLD. (Decision S59: helpers cover no sample; the sample of the centroid is the lowest one that is covered, unless all are.)
    fn pixel(&mut self, instruction: &Instruction) -> Result<(), TrapKind> {
        if self.stage != Stage::Pixel {
            self.violation(TrapKind::IllegalSphInstrCombo)?;
        }
        let index = self.reg(instruction.reg(key::RA)).wrapping_add_signed(instruction.signed(FieldId::OFFSET));
        let (samples, coverage, sample) = match self.launch.pixels {
            Some(pixels) if self.is_helper() => (pixels.samples(), 0, pixels.sample(self.number())),
            Some(pixels) => (pixels.samples(), pixels.coverage(self.number()), pixels.sample(self.number())),
            None => (1, 0, 0),
        };
        let result = match instruction.get(key::PIXEL_QUERY) {
            PixelQuery::Count => samples,
            PixelQuery::CovMask => coverage,
            PixelQuery::Covered => coverage.checked_shr(index).unwrap_or(0) & 1,
            PixelQuery::Offset => sample_offset(samples, index),
            PixelQuery::CentroidOffset if coverage.count_ones() == samples => 0,
            PixelQuery::CentroidOffset => sample_offset(samples, coverage.trailing_zeros()),
            PixelQuery::MyIndex => sample,
            PixelQuery::Invalid6 | PixelQuery::Invalid7 => return Err(TrapKind::IllegalInstrEncoding),
        };
        self.set_reg(instruction.dst(), result);
        self.set_pred(instruction.pred(key::PD), index < samples);
        Ok(())
    }

    /// FSWZADD: each lane of a quad adds with signs of its own. Lane 0 has the upper bits.
    fn swizzled_sum(&mut self, instruction: &Instruction) {
        let (a, b) = (self.reg(instruction.reg(key::RA)), self.reg(instruction.reg(key::RB)));
        let code = instruction.get(key::SWIZZLE) >> (6 - 2 * (self.lane % 4)) & 3;
        let denormals = if instruction.get(key::FTZ) { Denormals::Flush } else { Denormals::Keep };
        let rules = FloatRules { rounding: rounding(instruction.get(key::ROUND)), denormals, saturate: false };
        const SIGN: u32 = 1 << 31;
        let result = match code {
            0 => sm50::fadd(rules, a, b),
            1 => sm50::fadd(rules, a ^ SIGN, b),
            2 => sm50::fadd(rules, a, b ^ SIGN),
            _ => b,
        };
        self.set_reg(instruction.dst(), result);
        self.set_flags(instruction, Flags::of_float(BINARY32, result.into()));
    }

    /// The number of the invocation that executes.
    fn number(&self) -> u32 {
        self.state.number * WARP + self.lane as u32
    }

    /// Whether the lane that executes only helps: it is outside of the primitive, or killed.
    pub fn is_helper(&self) -> bool {
        self.state.helpers >> self.lane & 1 != 0
    }

    /// Marks the lanes whose pixels are outside of the window.
    pub fn place_helpers(&mut self) {
        self.state.helpers = match self.launch.pixels {
            Some(pixels) => {
                let outside = |lane: &usize| !pixels.covers(self.state.number * WARP + *lane as u32);
                (0..LANES).filter(outside).fold(0, |mask, lane| mask | 1 << lane) & self.state.live
            }
            None => 0,
        };
    }

    /// KIL: lanes become helpers, which go on as long as a lane of their quad has something to put out. Gives the lanes that end, of quads
    /// with active lanes (Decision S65).
    pub fn kill(&mut self, taken: u32, active: u32) -> u32 {
        self.state.helpers |= taken;
        let alive = self.state.live & !self.state.helpers & !self.state.control.exited();
        self.state.live & quads_of(active) & !quads_of(alive)
    }

    /// EXIT of a fragment: its outputs are in registers from R0 on.
    pub fn put_out(&mut self) {
        if let Some(pixels) = self.launch.pixels.filter(|_| !self.is_helper()) {
            pixels.keep(self.number(), |n| self.reg(Reg(n.min(254) as u8)));
        }
    }
}

/// All lanes of the quads that have one of these.
pub(super) fn quads_of(mask: u32) -> u32 {
    lanes(mask).fold(0, |all, lane| all | 0xf << (lane & !3))
}
