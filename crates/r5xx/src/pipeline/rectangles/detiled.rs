//! When a draw copies the textures in tiles that its kernels fetch from row by row: where so many pixels fetch that it pays.

use super::RectangleState;
use crate::pipeline::detiled::{DetiledTextures, DetilingMemory, bound};
use crate::tx::KernelTexture;
use ctm_memory::Space;
use ctm_raster::sampler::Filter;
use ctm_x1k::{Body, Constants, FlowOp, INPUTS, Program, TexOp};

/// Texels that pixels fetch for each texel of a texture from which on it is copied: with five, which is what a program with the four neighbours
/// fetches, a copy costs as much as it saves.
const FETCHES_PER_TEXEL: u64 = 8;
/// Passes of a loop that are counted at most: programs leave loops whose constants say more passes than they need.
const PASSES: u64 = 8;

/// Memory for copies, which outlives draws.
pub struct RectangleMemory {
    pub(super) copies: DetilingMemory,
    /// Texels that pixels fetch for each texel of a texture from which on it is copied.
    pub(super) fetches_per_texel: u64,
}

impl Default for RectangleMemory {
    fn default() -> Self {
        RectangleMemory { copies: DetilingMemory::default(), fetches_per_texel: FETCHES_PER_TEXEL }
    }
}

/// How many texels a pixel fetches from each unit, where filters are nearest: about, as it is not known how often loops are left.
fn fetches_by_unit(program: &Program, constants: &Constants) -> [u64; INPUTS] {
    let mut fetches = [0u64; INPUTS];
    let mut loops: Vec<u64> = Vec::new();
    for instruction in &program.code {
        match &instruction.body {
            Body::Tex(tex) => match tex.op {
                TexOp::Nop | TexOp::Texkill => {}
                TexOp::Ld | TexOp::Proj | TexOp::Lodbias | TexOp::Lod | TexOp::Dxdy | TexOp::Reserved7 => {
                    let unit = &mut fetches[usize::from(tex.id) % INPUTS];
                    *unit = loops.iter().fold(1u64, |all, &passes| all.saturating_mul(passes)).saturating_add(*unit);
                }
            },
            Body::Flow(flow) => match flow.op {
                FlowOp::Loop | FlowOp::Rep => {
                    let count = constants.ints.get(usize::from(flow.int_addr)).map_or(0, |int| int.count);
                    loops.push(u64::from(count).min(PASSES));
                }
                FlowOp::EndLoop | FlowOp::EndRep => _ = loops.pop(),
                FlowOp::Jump | FlowOp::BreakLoop | FlowOp::BreakRep | FlowOp::Continue => {}
            },
            Body::Alu(_) | Body::Out(_) => {}
        }
    }
    fetches
}

impl RectangleState<'_> {
    /// What kernels fetch from, by unit: textures or their copies, and the memory that each lies in.
    pub(super) fn bound(&self) -> impl Iterator<Item = Option<(KernelTexture, &Space)>> {
        bound(&self.textures, self.space, self.copies.get().and_then(Option::as_ref))
    }

    /// Copies textures in tiles, if so many pixels are worth it. Kernels write to no texture, so copies are good for the rest of the draw.
    pub(super) fn copy_textures(&self, pixels: u64) {
        let Some(Ok(mut memory)) = self.memory.map(|memory| memory.try_borrow_mut()) else { return };
        let RectangleMemory { copies, fetches_per_texel } = &mut *memory;
        if self.copies.get().is_some() || DetiledTextures::texels(&self.textures) == 0 {
            return;
        }
        let fetches = fetches_by_unit(&self.program.program, self.constants);
        let pays = |(unit, texture): (usize, &Option<KernelTexture>)| {
            let texels = match texture.as_ref()?.filter {
                Filter::Point => 1,
                Filter::Linear => 4,
            };
            let fetched = pixels.saturating_mul(fetches[unit]).saturating_mul(texels);
            texture.filter(|_| fetched >= DetiledTextures::texels(&[*texture]).saturating_mul(*fetches_per_texel))
        };
        let chosen: Vec<Option<KernelTexture>> = self.textures.iter().enumerate().map(pays).collect();
        if DetiledTextures::texels(&chosen) > 0 {
            self.copies.get_or_init(|| DetiledTextures::of(&chosen, self.space, copies));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctm_x1k::IntConstant;

    #[test]
    fn fetches_are_counted() {
        const FETCH: &str = "TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE temp[1].rgba = LD tex[N].rgba temp[0].rgrg ;\n";
        let fetch = |unit: u32| FETCH.replace('N', &unit.to_string());
        let kill = "TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE TEXKILL tex[1].rgba temp[0].rgba ;\n";
        let inner = "LOOP i[1];\n".to_owned() + &fetch(1) + "ENDLOOP;\n";
        let text = fetch(0) + kill + &fetch(0) + "LOOP i[0];\n" + &fetch(2) + &inner + "ENDLOOP;\n" + &fetch(15);
        let program = ctm_x1k::text::parse(&text).unwrap_or_else(|errors| panic!("{text}: {errors:?}")).program;
        let mut constants = Constants::default();
        constants.ints[0] = IntConstant { count: 3, ..IntConstant::default() };
        constants.ints[1] = IntConstant { count: 255, ..IntConstant::default() };
        let mut expected = [0; INPUTS];
        (expected[0], expected[1], expected[2], expected[15]) = (2, 3 * PASSES, 3, 1);
        assert_eq!(fetches_by_unit(&program, &constants), expected);
    }
}
