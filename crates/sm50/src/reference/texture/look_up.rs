//! Textures: what a lane of a quad gets.

use super::{QUAD, Request};
use crate::codes::{Component, TextureDim, TextureQuery};
use crate::groups::TextureOperands;
use crate::textures::{LookUp, Texture};
use ctm_raster::sampler::{
    CubeFace, DetailRange, Filter, LevelOfDetail, MipFilter, Sampler, Scale, Texels, TextureKind, TextureShape,
    beyond_edge, levels_of_quad, sample_quad,
};

const ONE: u32 = 0x3f80_0000;

/// Where the level of detail of a quad comes from.
#[derive(Clone, Copy, Debug)]
pub enum Detail {
    /// It is the finest one that there may be.
    Finest,
    /// It is given for each lane.
    Explicit([u32; QUAD]),
    /// From the differences in the quad, plus a bias of each lane.
    Differences([u32; QUAD]),
    /// From the changes that lanes give.
    Derivatives,
}

/// A layer of a texture, whose texels are compared with a reference if there is one.
struct Layer<'t> {
    texture: &'t Texture,
    first: u32,
    reference: Option<u32>,
}

impl Texels for Layer<'_> {
    fn texel(&self, level: u32, layer: u32, x: u32, y: u32) -> [u32; 4] {
        let texel = self.texture.texel(level, self.first + layer, x, y);
        match self.reference {
            Some(_) => [self.compared(texel[usize::from(self.texture.look_up.comparison.component & 3)]); 4],
            None => texel,
        }
    }
}

impl<'t> Layer<'t> {
    fn of(texture: &'t Texture, request: &Request) -> Self {
        let layer = (request.layer & 0xffff).min(texture.layers.saturating_sub(1));
        let faces = if texture.shape().kind == TextureKind::Cube { 6 } else { 1 };
        let first = if texture.dim.is_array() { faces * layer } else { 0 };
        let reference = request.reference.map(|bits| texture.look_up.comparison.reference(bits));
        Layer { texture, first, reference }
    }

    /// What the comparison of the reference with a texel gives.
    fn compared(&self, texel: u32) -> u32 {
        let reference = f32::from_bits(self.reference.unwrap_or(0));
        if self.texture.look_up.comparison.function.holds(reference, f32::from_bits(texel)) { ONE } else { 0 }
    }

    /// The sampler of the texture, whose border is compared as well.
    fn sampler(&self) -> Sampler {
        let sampler = self.texture.sampling();
        match self.reference {
            Some(_) => Sampler { border: [self.compared(sampler.border[0]); 4], ..sampler },
            None => sampler,
        }
    }
}

/// Coordinates of a quad.
fn coordinates(texture: &Texture, requests: &[Request; QUAD]) -> [[u32; 4]; QUAD] {
    let axes = usize::from(texture.dim.axes());
    // Textures of one dimension are one row.
    requests.map(|request| std::array::from_fn(|axis| if axis < axes { request.place[axis] } else { 0 }))
}

/// TEX and TXD.
pub fn sample(texture: &Texture, requests: &[Request; QUAD], n: usize, detail: Detail) -> [u32; 4] {
    let layer = Layer::of(texture, &requests[n]);
    let (shape, LookUp { scale, anisotropy, comparison, .. }) = (texture.shape(), texture.look_up);
    let sampler = match detail {
        Detail::Finest => Sampler { bias: 0, ..layer.sampler() },
        Detail::Explicit(_) | Detail::Differences(_) | Detail::Derivatives => layer.sampler(),
    };
    let changes = |which: usize| {
        requests.map(|request| std::array::from_fn(|axis| request.derivatives.get(axis).map_or(0, |both| both[which])))
    };
    let (dx, dy) = (changes(0), changes(1));
    let lod = match detail {
        Detail::Finest => LevelOfDetail::Explicit([0; 4]),
        Detail::Explicit(levels) => LevelOfDetail::Explicit(levels),
        Detail::Differences(bias) => LevelOfDetail::Differences { bias },
        Detail::Derivatives => LevelOfDetail::Derivatives { dx: &dx, dy: &dy },
    };
    let places = coordinates(texture, requests);
    let probes = (anisotropy > 1).then(|| Probes::of(&sampler, &shape, &places, n, (scale, anisotropy), lod)).flatten();
    let moves = requests[n].offset != [0; 3] && shape.kind != TextureKind::Cube;
    let result = match probes {
        None if !moves => sample_quad(&sampler, &shape, &layer, &places, scale, lod)[n],
        None => {
            let level = levels_of_quad(&sampler, &shape, &places, scale, lod)[n];
            let probe = Probe { sampler: &sampler, shape: &shape, layer: &layer, scale, offset: requests[n].offset };
            probe.look_up(places[n], level)
        }
        Some(probes) => {
            let probe = Probe { sampler: &sampler, shape: &shape, layer: &layer, scale, offset: requests[n].offset };
            probes.mean(&probe, places[n])
        }
    };
    if requests[n].reference.is_some() { comparison.spread(result) } else { result }
}

/// A look-up with a level of detail that is known.
struct Probe<'a> {
    sampler: &'a Sampler,
    shape: &'a TextureShape,
    layer: &'a Layer<'a>,
    scale: Scale,
    /// In texels of the levels that are read.
    offset: [i32; 3],
}

impl Probe<'_> {
    /// The value at a place.
    fn look_up(&self, place: [u32; 4], level: f32) -> [u32; 4] {
        let Sampler { magnification, minification, mip, detail, .. } = *self.sampler;
        let last = self.shape.last_level;
        if level.is_nan() || level <= 0.0 {
            return self.of_level(magnification, 0, place);
        }
        let level = level.min(last as f32);
        match mip {
            MipFilter::None => self.of_level(minification, 0, place),
            MipFilter::Point => self.of_level(minification, (level + detail.to_nearest()) as u32, place),
            MipFilter::Linear => {
                let (fine, weight) = (level as u32, level.fract());
                let near = self.of_level(minification, fine, place);
                if weight == 0.0 {
                    return near;
                }
                let far = self.of_level(minification, fine + 1, place);
                let mixed = |n: usize| (1.0 - weight) * f32::from_bits(near[n]) + weight * f32::from_bits(far[n]);
                std::array::from_fn(|n| mixed(n).to_bits())
            }
        }
    }

    /// The value of one level.
    fn of_level(&self, filter: Filter, level: u32, place: [u32; 4]) -> [u32; 4] {
        let size = match self.scale {
            Scale::Texture => self.shape.level_size(level).map(|size| size as f32),
            Scale::Texels => [1.0; 3],
        };
        let moved = |axis: usize| match self.offset.get(axis) {
            None | Some(0) => place[axis],
            Some(&offset) => (f32::from_bits(place[axis]) + offset as f32 / size[axis]).to_bits(),
        };
        let sampler = Sampler {
            magnification: filter,
            minification: filter,
            mip: MipFilter::None,
            finest: level,
            bias: 0,
            detail: DetailRange::UNBOUNDED,
            ..*self.sampler
        };
        let places = [std::array::from_fn(moved); 4];
        sample_quad(&sampler, self.shape, self.layer, &places, self.scale, LevelOfDetail::Explicit([0; 4]))[0]
    }
}

/// The probes of an anisotropic filter (decision D331 of the card): along the longer of both ways to the next pixel.
struct Probes {
    count: u32,
    /// From one pixel to the next, in the units of coordinates.
    way: [f32; 3],
    level: f32,
}

impl Probes {
    /// Those of a lane; `None` if one does.
    fn of(
        sampler: &Sampler,
        shape: &TextureShape,
        places: &[[u32; 4]; QUAD],
        n: usize,
        (scale, most): (Scale, u32),
        lod: LevelOfDetail,
    ) -> Option<Self> {
        let has_linear = sampler.magnification == Filter::Linear || sampler.minification == Filter::Linear;
        if shape.kind != TextureKind::Flat || !has_linear {
            return None;
        }
        let number = |place: &[u32; 4]| -> [f32; 3] { std::array::from_fn(|axis| f32::from_bits(place[axis])) };
        let difference = |to: usize| -> [f32; 3] {
            let (to, from) = (number(&places[to]), number(&places[0]));
            std::array::from_fn(|axis| to[axis] - from[axis])
        };
        let ([dx, dy], bias) = match lod {
            LevelOfDetail::Explicit(_) => return None,
            LevelOfDetail::Differences { bias } => ([difference(1), difference(2)], f32::from_bits(bias[n])),
            LevelOfDetail::Derivatives { dx, dy } => ([number(&dx[n]), number(&dy[n])], 0.0),
        };
        let factors = match scale {
            Scale::Texture => shape.size.map(|size| size as f32),
            Scale::Texels => [1.0; 3],
        };
        let length = |way: [f32; 3]| (0..2).map(|axis| (way[axis] * factors[axis]).powi(2)).sum::<f32>().sqrt();
        let (of_x, of_y) = (length(dx), length(dy));
        let (long, short, way) = if of_x >= of_y { (of_x, of_y, dx) } else { (of_y, of_x, dy) };
        let ratio = (long / short).ceil();
        // Ways without length, and what is not a number, take one probe.
        let count = if ratio > 1.0 && long > 0.0 { ratio.min(most as f32) as u32 } else { 1 };
        if count <= 1 {
            return None;
        }
        let level = (long / count as f32).log2() + bias;
        let levels = LevelOfDetail::Explicit([level.to_bits(); 4]);
        let level = levels_of_quad(sampler, shape, places, scale, levels)[n];
        Some(Probes { count, way, level })
    }

    /// The mean of all probes around a place.
    fn mean(&self, probe: &Probe, place: [u32; 4]) -> [u32; 4] {
        let count = self.count as f32;
        let mut sum = [0.0; 4];
        for number in 0..self.count {
            let part = (number as f32 + 0.5) / count - 0.5;
            let at = |axis: usize| match self.way.get(axis) {
                Some(way) => (f32::from_bits(place[axis]) + way * part).to_bits(),
                None => 0,
            };
            let value = probe.look_up(std::array::from_fn(at), self.level);
            sum.iter_mut().zip(value).for_each(|(sum, bits)| *sum += f32::from_bits(bits));
        }
        sum.map(|sum| (sum / count).to_bits())
    }
}

/// TLD: whole coordinates, and zeros outside.
pub fn fetch(texture: &Texture, request: &Request, has_sample: bool) -> [u32; 4] {
    let Some(size) = texture.level_size(request.level) else { return [0; 4] };
    let axes = usize::from(texture.dim.axes());
    let place: [i64; 3] = std::array::from_fn(|axis| match axis < axes {
        true => i64::from(request.place[axis].cast_signed()) + i64::from(request.offset[axis]),
        false => 0,
    });
    let is_volume = texture.shape().kind == TextureKind::Volume;
    let inside = place.iter().zip(size).take(axes).all(|(&at, size)| (0..i64::from(size)).contains(&at));
    if !inside {
        return [0; 4];
    }
    let layer = Layer::of(texture, request).first + if is_volume { place[2] as u32 } else { 0 };
    let (x, y) = (place[0] as u32, place[1] as u32);
    match request.sample {
        sample if has_sample && texture.look_up.samples > 1 => texture.sample(layer, x, y, sample),
        0 => texture.texel(request.level, layer, x, y),
        _ => [0; 4],
    }
}

/// TLD4: a component of the four texels that a linear filter would weight, counterclockwise from the lower left one.
pub fn gather(texture: &Texture, request: &Request, shape: &TextureOperands, component: Component) -> [u32; 4] {
    let sizes = texture.shape();
    let layer = Layer::of(texture, request);
    let sampler = layer.sampler();
    let component = if request.reference.is_some() { 0 } else { component as usize };
    let corners = [[0, 1], [1, 1], [1, 0], [0, 0]];
    let moved = |n: usize| {
        let [x, y] = if shape.has_four_offsets { [0, 0] } else { corners[n] };
        let offset = if shape.has_four_offsets { request.offsets[n] } else { [request.offset[0], request.offset[1]] };
        [x + offset[0], y + offset[1]]
    };
    if sizes.kind == TextureKind::Cube {
        let direction = request.place.map(|bits| f32::from_bits(ctm_num::flush(bits)));
        let face = CubeFace::of(direction);
        let [s, t, _] = face.place(direction);
        let size = sizes.size[0];
        let first = [s, t].map(|at| (if at > 0.0 { at.min(1.0) } else { 0.0 } * size as f32 - 0.5).floor() as i32);
        return std::array::from_fn(|n| {
            let [right, down] = moved(n);
            let place = [first[0] + right, first[1] + down];
            let last = size.saturating_sub(1) as i32;
            let (face, [x, y]) = match sampler.seamless {
                true => beyond_edge(face.layer(), place, size),
                false => (face.layer(), place.map(|at| at.clamp(0, last) as u32)),
            };
            layer.texel(0, face, x, y)[component]
        });
    }
    let axes = usize::from(texture.dim.axes()).min(2);
    let scale = texture.look_up.scale;
    // The texel at an index, which may be outside.
    let index = |axis: usize, further: i32| {
        if axis >= axes {
            return Some(0);
        }
        let size = match scale {
            Scale::Texture => sizes.size[axis] as f32,
            Scale::Texels => 1.0,
        };
        let place = f32::from_bits(ctm_num::flush(request.place[axis])) * size - 0.5;
        let at = place.floor() + further as f32;
        sampler.nearest(&sizes, 0, axis, ((at + 0.5) / size).to_bits(), scale)
    };
    std::array::from_fn(|n| {
        let [x, y] = moved(n);
        match (index(0, x), index(1, y)) {
            (Some(x), Some(y)) => layer.texel(0, 0, x, y)[component],
            _ => sampler.border[component],
        }
    })
}

/// TXQ: the size of a level, or the number of samples; what else can be asked is 0 here.
pub fn answer(query: TextureQuery, dimensions: [u32; 4], samples: u32) -> [u32; 4] {
    if query == TextureQuery::TextureType {
        return [0, 0, samples, 0];
    }
    if query == TextureQuery::Dimension { dimensions } else { [0; 4] }
}

/// What TXQ says of the dimensions of a level.
pub fn dimensions(texture: &Texture, level: u32) -> [u32; 4] {
    let [width, height, depth] = texture.level_size(level).unwrap_or_default();
    let levels = texture.levels();
    let layers = if width == 0 { 0 } else { texture.layers };
    match texture.dim {
        TextureDim::D1 => [width, 0, 0, levels],
        TextureDim::Array1 => [width, layers, 0, levels],
        TextureDim::D2 | TextureDim::Cube => [width, height, 0, levels],
        TextureDim::Array2 | TextureDim::ArrayCube => [width, height, layers, levels],
        TextureDim::D3 | TextureDim::Array3 => [width, height, depth, levels],
    }
}

/// TMML: the level of detail before it is clamped, and the level that is read, in units of 1/256.
pub fn level_of_detail(texture: &Texture, requests: &[Request; QUAD], n: usize) -> [u32; 4] {
    let (mut shape, mut sampler) = (texture.shape(), texture.sampling());
    let (last, range) = (shape.last_level as f32, sampler.detail);
    // Levels count whether the texture has them or not.
    (shape.last_level, sampler.mip, sampler.finest) = (shape.last_level.max(1), MipFilter::Linear, 0);
    sampler.detail = DetailRange { steps: 256, ..DetailRange::UNBOUNDED };
    let places = coordinates(texture, requests);
    let lod = LevelOfDetail::Differences { bias: [0; 4] };
    let level = levels_of_quad(&sampler, &shape, &places, texture.look_up.scale, lod)[n];
    let bounded = level.max(f32::from_bits(range.least)).min(f32::from_bits(range.greatest));
    let units = |level: f32| (level * 256.0).round_ties_even() as i32;
    let raw = units(level).clamp(i16::MIN.into(), i16::MAX.into()).cast_unsigned();
    [raw, units(bounded.clamp(0.0, last)).cast_unsigned(), 0, 0]
}
