//! From texels to a value.

use super::cube::beyond_edge;
use super::{Filter, MipFilter, Sampler, Scale, Texels, TextureKind, TextureShape};
use crate::bits;

/// What a sample is taken from.
pub(super) struct Source<'a, T> {
    pub(super) sampler: &'a Sampler,
    pub(super) shape: &'a TextureShape,
    pub(super) texels: &'a T,
}

/// A texel as numbers. (Arrays are written out here: mapped ones become calls, and loops over memory.)
type Numbers = [f32; 4];

#[inline]
fn numbers([red, green, blue, alpha]: [u32; 4]) -> Numbers {
    [f32::from_bits(red), f32::from_bits(green), f32::from_bits(blue), f32::from_bits(alpha)]
}

#[inline]
fn to_bits([red, green, blue, alpha]: Numbers) -> [u32; 4] {
    [bits(red), bits(green), bits(blue), bits(alpha)]
}

/// (1 - weight) * a + weight * b.
#[inline]
fn mix(a: Numbers, b: Numbers, weight: f32) -> Numbers {
    let rest = 1.0 - weight;
    let one = |n: usize| rest * a[n] + weight * b[n];
    [one(0), one(1), one(2), one(3)]
}

/// The first of the two texels around a place from 0 to 1, perhaps beyond the edge, and the weight of the second.
#[inline]
fn seamless(place: f32, size: u32) -> [f32; 2] {
    // What is not a number is at the edge.
    let place = if place > 0.0 { place.min(1.0) } else { 0.0 } * size as f32 - 0.5;
    let first = place.floor();
    [first, ((place - first) * 256.0).floor() / 256.0]
}

impl<T: Texels> Source<'_, T> {
    /// The value at a place, with a level of detail that is a multiple of a step. `layer` is that of textures that are not volumes.
    pub(super) fn sample(&self, place: [f32; 3], scale: Scale, layer: u32, lod: f32) -> [u32; 4] {
        let last = self.shape.last_level;
        let finest = self.sampler.finest.min(last);
        let at = |filter, level| self.level(filter, level, place, scale, layer);
        if lod.is_nan() || lod <= 0.0 {
            return at(self.sampler.magnification, finest);
        }
        let filter = self.sampler.minification;
        let lod = lod.clamp(finest as f32, last as f32);
        match self.sampler.mip {
            MipFilter::None => at(filter, finest),
            MipFilter::Point => at(filter, (lod + self.sampler.detail.to_nearest()) as u32),
            MipFilter::Linear => {
                let level = lod as u32;
                let weight = lod - level as f32;
                let fine = at(filter, level);
                if weight == 0.0 { fine } else { to_bits(mix(numbers(fine), numbers(at(filter, level + 1)), weight)) }
            }
        }
    }

    fn level(&self, filter: Filter, level: u32, place: [f32; 3], scale: Scale, layer: u32) -> [u32; 4] {
        let [width, height, depth] = self.shape.level_size(level);
        let [across, down, deep] = self.sampler.wrap;
        let is_volume = self.shape.kind == TextureKind::Volume;
        let texel = |x: Option<u32>, y: Option<u32>, layer: Option<u32>| match (x, y, layer) {
            (Some(x), Some(y), Some(layer)) => self.texels.texel(level, layer, x, y),
            _ => self.sampler.border,
        };
        match filter {
            Filter::Point => {
                let layer = if is_volume { deep.point(place[2], scale, depth) } else { Some(layer) };
                texel(across.point(place[0], scale, width), down.point(place[1], scale, height), layer)
            }
            Filter::Linear if self.sampler.seamless && self.shape.kind == TextureKind::Cube => {
                let ([x, right], [y, below]) = (seamless(place[0], width), seamless(place[1], width));
                let number = |x: f32, y: f32| {
                    let (face, [x, y]) = beyond_edge(layer, [x as i32, y as i32], width);
                    numbers(self.texels.texel(level, face, x, y))
                };
                let row = |y| mix(number(x, y), number(x + 1.0, y), right);
                to_bits(mix(row(y), row(y + 1.0), below))
            }
            Filter::Linear => {
                let (x, right) = across.linear(place[0], scale, width);
                let (y, below) = down.linear(place[1], scale, height);
                let slice = |layer| {
                    let number = |x, y| numbers(texel(x, y, layer));
                    let row = |y| mix(number(x[0], y), number(x[1], y), right);
                    mix(row(y[0]), row(y[1]), below)
                };
                to_bits(if is_volume {
                    let (layers, behind) = deep.linear(place[2], scale, depth);
                    mix(slice(layers[0]), slice(layers[1]), behind)
                } else {
                    slice(Some(layer))
                })
            }
        }
    }
}
