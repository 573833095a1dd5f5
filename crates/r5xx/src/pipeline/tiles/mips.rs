//! Fetches from several levels of a texture as lane IR, where levels of detail are known.

use crate::pipeline::rectangles::{load_bytes, selected};
use crate::tx::MipTexture;
use ctm_lane::{Buffer, Builder, Value};
use ctm_raster::sampler::Scale;
use ctm_x1k::lift::sampling::{LiftTexels, LiftedDetail, Sampling, TexelPlace};

/// What is fetched from.
pub struct MipFetch<'a> {
    /// The texture.
    pub texture: &'a MipTexture,
    /// Its words.
    pub buffer: Buffer,
    /// What coordinates are counted in.
    pub scale: Scale,
    /// S and T.
    pub coordinates: [Value; 2],
}

impl MipFetch<'_> {
    /// Red, green, blue and alpha with this level of detail, in these lanes.
    pub fn fetch(&self, b: &mut Builder, level_of_detail: Value, lanes: Value) -> [Value; 4] {
        let MipTexture { sampler, shape, .. } = self.texture;
        let sampling = Sampling { sampler, shape, scale: self.scale, has_fractions: true, texels: self };
        let ([s, t], zero) = (self.coordinates, b.constant(0));
        let components = sampling.sample(b, [s, t, zero], &LiftedDetail::Rounded(level_of_detail), lanes);
        selected(b, &self.texture.selects, components)
    }
}

impl LiftTexels for MipFetch<'_> {
    fn load(&self, b: &mut Builder, place: &TexelPlace, lanes: Value) -> [Value; 4] {
        let level = &self.texture.levels[(place.level - self.texture.finest()) as usize];
        load_bytes(b, (self.buffer, level.begin), &level.layout, [place.x, place.y], lanes)
    }
}
