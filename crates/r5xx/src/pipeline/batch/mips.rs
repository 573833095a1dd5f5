//! Fetches from several levels of a texture as lane IR, where levels of detail are known. Arithmetic is that of the scalar sampler.

use crate::pipeline::area::{Image, Texels, mix, selected};
use crate::tx::MipTexture;
use ctm_lane::{Buffer, Builder, Denorm, FloatTest, IntTest, Type, Value};
use ctm_raster::sampler::{Filter, MipFilter};

/// What is fetched from.
pub struct MipFetch<'a> {
    /// The texture.
    pub texture: &'a MipTexture,
    /// Its words.
    pub buffer: Buffer,
    /// Coordinates are in texels.
    pub unscaled: bool,
    /// S and T.
    pub coordinates: [Value; 2],
}

impl MipFetch<'_> {
    /// Red, green, blue and alpha with this level of detail, in these lanes.
    pub fn fetch(&self, b: &mut Builder, level_of_detail: Value, lanes: Value) -> [Value; 4] {
        let MipTexture { finest, magnification, minification, mip, ref levels, .. } = *self.texture;
        let last = finest + levels.len() as u32 - 1;
        let (zero, half, first) = (b.constant(0), b.float_constant(0.5), b.constant(finest));
        let (low, high) = (b.float_constant(finest as f32), b.float_constant(last as f32));
        let is_minified = b.fcmp(FloatTest::Ogt, Denorm::Flush, level_of_detail, zero);
        let clamped = b.fmax(Denorm::Flush, level_of_detail, low);
        let clamped = b.fmin(Denorm::Flush, clamped, high);
        let (level, weight) = match mip {
            MipFilter::None => (first, zero),
            MipFilter::Point => {
                let nearest = b.fadd(Denorm::Flush, clamped, half);
                (b.ftou(nearest), zero)
            }
            MipFilter::Linear => {
                let level = b.ftou(clamped);
                let floor = b.utof(level);
                (level, b.fsub(Denorm::Flush, clamped, floor))
            }
        };
        let (level, weight) = (b.select(is_minified, level, first), b.select(is_minified, weight, zero));
        let components = if magnification == minification {
            self.levels(b, minification, (level, weight), lanes)
        } else {
            let minified = b.mask_and(lanes, is_minified);
            let small = self.levels(b, minification, (level, weight), minified);
            let large = self.image(0).components(b, magnification, self.coordinates, lanes);
            std::array::from_fn(|n| b.select(is_minified, small[n], large[n]))
        };
        selected(b, &self.texture.selects, components)
    }

    fn image(&self, level: usize) -> Image<'_> {
        let level = &self.texture.levels[level];
        Image {
            size: level.size,
            wrap: self.texture.wrap,
            texels: Texels::Words { buffer: self.buffer, begin: level.begin, layout: &level.layout },
            unscaled: self.unscaled,
        }
    }

    /// The components of a level's filtered texel, and as much as the weight says of those of the next level.
    fn levels(&self, b: &mut Builder, filter: Filter, (level, weight): (Value, Value), lanes: Value) -> [Value; 4] {
        let is_linear = self.texture.mip == MipFilter::Linear;
        let [fine, coarse] = [(); 2].map(|()| [(); 4].map(|()| b.variable(Type::Lane)));
        let zero = b.constant(0);
        let has_weight = b.icmp(IntTest::Ne, weight, zero);
        for place in 0..self.texture.levels.len() {
            let number = b.constant(self.texture.finest + place as u32);
            let is_fine = b.icmp(IntTest::Eq, level, number);
            let is_coarse = if is_linear && place > 0 {
                let before = b.constant(self.texture.finest + place as u32 - 1);
                let is_next = b.icmp(IntTest::Eq, level, before);
                b.mask_and(is_next, has_weight)
            } else {
                b.mask_constant(false)
            };
            let used = b.mask_or(is_fine, is_coarse);
            let used = b.mask_and(lanes, used);
            let (sample, next) = (b.new_block(), b.new_block());
            b.branch_any(used, (sample, &[]), (next, &[]));
            b.seal(sample);
            b.switch_to(sample);
            let components = self.image(place).components(b, filter, self.coordinates, used);
            for (variables, lanes) in [(fine, is_fine), (coarse, is_coarse)] {
                for (variable, component) in variables.into_iter().zip(components) {
                    let other = b.get(variable);
                    let value = b.select(lanes, component, other);
                    b.set(variable, value);
                }
            }
            b.jump(next, &[]);
            b.seal(next);
            b.switch_to(next);
        }
        let [fine, coarse] = [fine, coarse].map(|variables| variables.map(|variable| b.get(variable)));
        if !is_linear {
            return fine;
        }
        let one = b.float_constant(1.0);
        let rest = b.fsub(Denorm::Flush, one, weight);
        mix(b, [fine, coarse], [rest, weight])
    }
}
