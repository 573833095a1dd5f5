//! The maps of headers of type 2: what a fragment program reads of its primitives, and where its outputs go.
//!
//! Source: NVIDIA's open document "Shader Program Header".

use super::Words;
use ctm_bits::{codes, field_table};

codes! {
    /// How the plane of an input comes from its values at the vertices.
    pub enum Interpolation: 2 {
        /// It is not read.
        0 Unused "none",
        /// The provoking vertex' value.
        1 Constant "constant",
        /// With perspective.
        2 Perspective "perspective",
        /// Linear in the window.
        3 Linear "linear",
    }
}

/// The maps of a fragment program's header. The dwords from bit 160 on are theirs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PixelMaps {
    /// Dwords 5 to 16, and the lower half of dword 17.
    inputs: [u32; 13],
    /// Reserved bits 575:560.
    pub reserved_inputs: u16,
    /// Components that the targets get, four bits for each target.
    pub targets: u32,
    /// The sample mask is put out.
    pub sample_mask: bool,
    /// The depth is put out.
    pub depth: bool,
    /// Reserved bits 639:610.
    pub reserved_outputs: u32,
}

field_table! { PixelMaps, words 20;
    RESERVED_INPUTS,  17 [31:16], {reserved_inputs},  u16,  "fragment programs: reserved";
    OMAP_TARGETS,     18 [31:0],  {targets},          u32,  "fragment programs: components of the targets";
    OMAP_SAMPLE_MASK, 19 [0:0],   {sample_mask},      bool, "fragment programs: the sample mask is put out";
    OMAP_DEPTH,       19 [1:1],   {depth},            bool, "fragment programs: the depth is put out";
    RESERVED_OUTPUTS, 19 [31:2],  {reserved_outputs}, u32,  "fragment programs: reserved";
}

/// The dword of the header that the maps begin with.
const FIRST: usize = 5;

/// Where the code of an input is, counted from the first bit of the maps, and how many bits it has.
const fn place(address: u32) -> Option<(u32, u32)> {
    let word = address / 4;
    Some(match address {
        0x000..0x080 => (word, 1),
        0x080..0x2a0 => (0x20 + 2 * (word - 0x20), 2),
        0x2c0..0x300 => (0x130 + word - 0xb0, 1),
        0x300..0x3a0 => (0x140 + 2 * (word - 0xc0), 2),
        _ => return None,
    })
}

impl PixelMaps {
    /// Takes the maps out of a header.
    pub(super) fn of(words: &Words) -> Self {
        let mut maps = PixelMaps::read(words);
        maps.inputs.copy_from_slice(&words[FIRST..FIRST + 13]);
        maps.inputs[12] &= 0xffff;
        maps
    }

    /// Puts the maps into a header.
    pub(super) fn put(&self, words: &mut Words) {
        words[FIRST..FIRST + 13].copy_from_slice(&self.inputs);
        self.write(words);
    }

    /// How the input at this byte address is interpolated. Inputs that only can be read or not are linear if they are read.
    pub fn interpolation(&self, address: u32) -> Interpolation {
        let Some((bit, width)) = place(address) else { return Interpolation::Unused };
        let code = self.inputs[(bit / 32) as usize] >> (bit % 32) & ((1 << width) - 1);
        match (width, code) {
            (1, 1) => Interpolation::Linear,
            _ => Interpolation::ALL[code as usize],
        }
    }

    /// Whether the way in which an input is interpolated has a code.
    pub fn has_code(address: u32) -> bool {
        place(address).is_some_and(|(_, width)| width == 2)
    }

    /// Says how an input is interpolated; gives whether it has a place in the header.
    pub fn set(&mut self, address: u32, interpolation: Interpolation) -> bool {
        let Some((bit, width)) = place(address) else { return false };
        let code = if width == 1 { u32::from(interpolation != Interpolation::Unused) } else { interpolation as u32 };
        let word = &mut self.inputs[(bit / 32) as usize];
        *word = *word & !(((1 << width) - 1) << (bit % 32)) | code << (bit % 32);
        true
    }

    /// The addresses of the inputs that are read, each with how it is interpolated.
    pub fn inputs(&self) -> impl Iterator<Item = (u32, Interpolation)> + '_ {
        let all = (0..0x400).step_by(4).map(|address| (address, self.interpolation(address)));
        all.filter(|(_, interpolation)| *interpolation != Interpolation::Unused)
    }

    /// The targets that get a colour, ascending. Each has four registers.
    pub fn colours(&self) -> impl Iterator<Item = u32> + use<> {
        let targets = self.targets;
        (0..8).filter(move |target| targets >> (4 * target) & 15 != 0)
    }

    /// Registers of all outputs: those of colours, then one for the sample mask and one for the depth, if there is one of them.
    pub fn output_registers(&self) -> u32 {
        self.colour_registers() + if self.sample_mask || self.depth { 2 } else { 0 }
    }

    /// The register of the sample mask, if it is put out.
    pub fn sample_mask_register(&self) -> Option<u32> {
        self.sample_mask.then(|| self.colour_registers())
    }

    /// The register of the depth, if it is put out.
    pub fn depth_register(&self) -> Option<u32> {
        self.depth.then(|| self.colour_registers() + 1)
    }

    /// Registers of all colours, which are the first ones.
    pub fn colour_registers(&self) -> u32 {
        4 * self.colours().count() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_have_the_bits_of_the_document() {
        let bit = |address| place(address).map(|(bit, width)| (160 + bit, width));
        assert_eq!(bit(0x60), Some((184, 1)));
        assert_eq!(bit(0x7c), Some((191, 1)));
        assert_eq!(bit(0x80), Some((192, 2)));
        assert_eq!(bit(0x27c), Some((446, 2)));
        assert_eq!(bit(0x280), Some((448, 2)));
        assert_eq!(bit(0x2c0), Some((464, 1)));
        assert_eq!(bit(0x300), Some((480, 2)));
        assert_eq!(bit(0x39c), Some((558, 2)));
        assert_eq!([0x2a0, 0x2bc, 0x3a0, 0x3fc].map(bit), [None; 4]);
    }

    #[test]
    fn any_maps_come_back() {
        let mut words = [0; 20];
        (0..).zip(&mut words[FIRST..]).for_each(|(n, word): (u32, _)| *word = (n + 1).wrapping_mul(0x9e37_79b9));
        let mut back = [0; 20];
        PixelMaps::of(&words).put(&mut back);
        assert_eq!(back, words);
    }
}
