//! Texture fetches as lane IR: where the texels of this card's textures are.

use crate::tx::{KernelTexture, Select};
use ctm_lane::{Builder, Denorm, Surface, Value};
use ctm_raster::sampler::{Sampler, Scale, TextureShape, Wrap};
use ctm_sampling::{LiftTexels, LiftedDetail, Sampling, TexelPlace};
use ctm_x1k::TexOp;
use ctm_x1k::lift::FetchValues;

/// What a texture instruction fetches in these lanes: red, green, blue and alpha. The textures of units are the function's first surfaces.
pub fn fetch_texture(
    b: &mut Builder,
    textures: &[Option<KernelTexture>],
    fetch: &FetchValues,
    lanes: Value,
) -> [Value; 4] {
    let unit = usize::from(fetch.unit);
    let zero = b.constant(0);
    let Some(Some(texture)) = textures.get(unit) else { return [zero; 4] };
    let surface = textures[..unit].iter().flatten().count();
    let coordinates = coordinates(b, fetch);
    let [wrap_s, wrap_t] = texture.wrap;
    let sampling = Sampling {
        sampler: &Sampler::new(texture.filter, [wrap_s, wrap_t, Wrap::ClampToEdge]),
        shape: &TextureShape::flat(texture.width, texture.surface.height),
        scale: scale(fetch),
        // Other texels are not filtered.
        has_fractions: true,
        texels: &TexelSurface(Surface::new(surface)),
    };
    let components = sampling.sample(b, coordinates, &LiftedDetail::Differences { bias: None }, lanes);
    selected(b, &texture.selects, components)
}

/// Red, green, blue and alpha of these components.
fn selected(b: &mut Builder, selects: &[Select; 4], components: [Value; 4]) -> [Value; 4] {
    selects.map(|select| match select {
        Select::Component(number) => components[number],
        Select::Bits(bits) => b.constant(bits),
    })
}

/// What the coordinates of a fetch are counted in.
pub fn scale(fetch: &FetchValues) -> Scale {
    if fetch.unscaled { Scale::Texels } else { Scale::Texture }
}

/// S, T and R of a fetch, divided where it says so.
pub fn coordinates(b: &mut Builder, fetch: &FetchValues) -> [Value; 3] {
    let [s, t, r, q] = fetch.coordinates;
    match fetch.op {
        TexOp::Proj => [s, t, r].map(|coordinate| b.fdiv(Denorm::Flush, coordinate, q)),
        TexOp::Nop | TexOp::Ld | TexOp::Texkill | TexOp::Lodbias | TexOp::Lod | TexOp::Dxdy | TexOp::Reserved7 => {
            [s, t, r]
        }
    }
}

/// One level, as a surface of the function.
struct TexelSurface(Surface);

impl LiftTexels for TexelSurface {
    fn load(&self, b: &mut Builder, place: &TexelPlace, lanes: Value) -> [Value; 4] {
        b.surface_load(self.0, place.x, place.y, lanes)
    }
}
