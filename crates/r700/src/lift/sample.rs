//! Texture look-ups: levels, coordinates, filters and comparisons (R700 guide chapter 6), by the decisions of the
//! reference.

use super::axis::{Axis, Linear};
use super::level::{Change, Levels};
use super::machine::LiftState;
use super::specialisation::{
    BORDER, BufferBinding, FLOAT_SIZES, LEVELS, OFFSETS, SIZES, SamplerLayout, SurfaceBinding, TEXTURE_ENTRIES,
    TableBinding, TexelLayout, TextureLayout,
};
use crate::codes::{LevelSource, SampleOp, Select};
use crate::fetch::TexFields;
use crate::resource::{Compare, Dimension, Filter, MipFilter, TexelNumbers, VectorForm};
use ctm_lane::{Bits, Denorm, FloatTest, IntTest, Round, Value, Zero};
use ctm_num::r700 as num;

const ONE: u32 = 0x3F80_0000;

/// A look-up.
pub(super) struct Request<'a> {
    pub fields: &'a TexFields,
    /// x, y, z, w after the source selectors.
    pub coordinates: [Value; 4],
    /// How they change from pixel to pixel, if the level depends on that.
    pub change: Option<Change>,
    pub sampler: SamplerLayout,
    /// The pixels that execute it.
    pub lanes: Value,
}

/// A level of a texture.
pub(super) struct Level<'a> {
    pub texture: &'a TextureLayout,
    pub size: [Value; 3],
    /// The sizes of sampled axes as floats.
    pub width: [Value; 3],
    store: Store,
}

/// Where texels are.
#[derive(Clone, Copy)]
enum Store {
    Surface(ctm_lane::Surface),
    /// Vectors from this one on.
    Vectors {
        buffer: ctm_lane::Buffer,
        form: VectorForm,
        first: Value,
        samples: u32,
    },
}

/// What the taps of a sample share.
struct Sample<'a> {
    request: &'a Request<'a>,
    level: &'a Level<'a>,
    axes: Vec<Axis>,
    slice: Value,
    reference: Option<Value>,
    /// The pixels that take the nearest texel, or the first one of a filter.
    lanes: Value,
    /// Those that take the other texels of a filter.
    filtering: Value,
}

impl Sample<'_> {
    /// Whether the border's colour may be in it: the resource's selectors do not affect that.
    fn meets_border(&self) -> bool {
        self.reference.is_none() && self.axes.iter().any(|axis| axis.inside.iter().any(Option::is_some))
    }
}

/// What a sample is in every level.
struct Plan {
    op: SampleOp,
    reference: Option<Value>,
    linear: Linear,
}

impl<'a> LiftState<'a> {
    /// GET_TEXTURE_INFO: the size of level x, and the number of levels. Levels that there are not have size 0, and a texture that is not there
    /// reads as 0. Layers of one dimension are in y.
    pub fn texture_info(&mut self, request: &Request) -> [Value; 4] {
        let zero = self.b.constant(0);
        let Some(texture) = self.texture(request) else { return [zero; 4] };
        let level = request.coordinates[0];
        let (size, levels) = match &texture.texels {
            TexelLayout::Surfaces { sizes, .. } => {
                let mut size = [zero; 3];
                for (k, of_level) in sizes.iter().enumerate() {
                    let k = self.b.constant(k as u32);
                    let these = self.b.icmp(IntTest::Eq, level, k);
                    for (size, &of_level) in size.iter_mut().zip(of_level) {
                        let of_level = self.b.constant(of_level);
                        *size = self.b.select(these, of_level, *size);
                    }
                }
                (size, self.b.constant(sizes.len() as u32))
            }
            TexelLayout::Vectors { .. } => {
                let levels = self.texture_entry(request, LEVELS);
                let there = self.b.icmp(IntTest::Ult, level, levels);
                let size = self.size_of_level(request, texture, level);
                (size.map(|size| self.b.select(there, size, zero)), levels)
            }
        };
        let [x, y, z] = match texture.dimension {
            Dimension::D1Array => [size[0], size[2], size[1]],
            Dimension::D1 | Dimension::D2 | Dimension::D3 | Dimension::D2Array | Dimension::Cube => size,
        };
        [x, y, z, levels]
    }

    /// GET_SAMPLE_INFO: the number of samples, in w; of a texture that is not there 0.
    pub fn texture_samples(&mut self, request: &Request) -> [Value; 4] {
        let samples = match self.texture(request).map(|texture| &texture.texels) {
            None => 0,
            Some(TexelLayout::Surfaces { .. }) => 1,
            Some(TexelLayout::Vectors { samples, .. }) => *samples,
        };
        [0, 0, 0, samples].map(|value| self.b.constant(value))
    }

    /// LD, of the level in w, or the sample in w of textures that have several. A texture that is not there reads as 0.
    pub fn load_texel(&mut self, request: &Request) -> [Value; 4] {
        let zero = self.b.constant(0);
        let Some(texture) = self.texture(request) else { return [zero; 4] };
        let w = request.coordinates[3];
        let value = match &texture.texels {
            TexelLayout::Surfaces { .. } => {
                self.by_level(request, texture, Some(w), |m, level, lanes| m.load_from(request, level, zero, lanes))
            }
            TexelLayout::Vectors { samples, .. } if *samples > 1 => {
                let samples = self.b.constant(*samples);
                let there = self.b.icmp(IntTest::Ult, w, samples);
                let lanes = self.b.mask_and(request.lanes, there);
                self.by_level(request, texture, None, |m, level, _| m.load_from(request, level, w, lanes))
            }
            TexelLayout::Vectors { .. } => {
                let levels = self.texture_entry(request, LEVELS);
                let there = self.b.icmp(IntTest::Ult, w, levels);
                let lanes = self.b.mask_and(request.lanes, there);
                self.by_level(request, texture, Some(w), |m, level, _| m.load_from(request, level, zero, lanes))
            }
        };
        self.swizzle(texture, value)
    }

    /// A sample. A texture that is not there reads as 0.
    pub fn sample(&mut self, op: SampleOp, request: &Request) -> [Value; 4] {
        let Some(texture) = self.texture(request) else { return [self.b.constant(0); 4] };
        let [_, _, z, w] = request.coordinates;
        let is_cube = texture.dimension == Dimension::Cube;
        let reference = op.compares.then_some(if op.has_level_in_w() && !is_cube { z } else { w });
        let reference = reference.map(|reference| self.compared(texture, reference));
        let is_integer = texture.numbers == TexelNumbers::Integer;
        let [magnification, minification] = [request.sampler.magnification, request.sampler.minification]
            .map(|filter| if is_integer { Filter::Nearest } else { filter });
        let has_levels = texture.has_levels() && request.sampler.mip != MipFilter::None;
        let levels = (has_levels || magnification != minification).then(|| {
            let level = self.level_of_detail(op.level, request, texture);
            self.levels(level, request, texture)
        });
        let linear = match (magnification, minification, &levels) {
            (Filter::Linear, Filter::Nearest, Some(levels)) => Linear::Lanes(levels.magnified),
            (Filter::Nearest, Filter::Linear, Some(levels)) => Linear::Lanes(self.b.mask_not(levels.magnified)),
            (Filter::Linear, ..) => Linear::Always,
            (Filter::Nearest, ..) => Linear::Never,
        };
        let plan = Plan { op, reference, linear };
        let (fine, weight) = match levels {
            Some(Levels { fine, weight, .. }) => (fine, weight),
            None => (None, None),
        };
        let look_up = |m: &mut Self, level: &Level, lanes: Value| m.sample_from(request, level, &plan, lanes);
        let mut value = self.by_level(request, texture, fine, look_up);
        if let (Some(fine), Some(weight)) = (fine, weight.filter(|_| !is_integer)) {
            let (one, zero) = (self.b.constant(1), self.b.constant(0));
            let coarse = self.b.iadd(fine, one);
            let between = self.b.icmp(IntTest::Ne, weight, zero);
            let lanes = self.b.mask_and(request.lanes, between);
            let behind = self.by_level(request, texture, Some(coarse), |m, level, of_level| {
                let lanes = m.b.mask_and(lanes, of_level);
                m.sample_from(request, level, &plan, lanes)
            });
            let mixed = self.mixed(value, behind, weight);
            value = std::array::from_fn(|channel| {
                let mixed = self.b.canon_nan(Bits(num::R700_NAN), mixed[channel]);
                self.b.select(between, mixed, value[channel])
            });
        }
        value
    }

    /// FETCH4: one channel of the four texels that a linear filter takes. A texture that is not there reads as 0.
    pub fn gather(&mut self, request: &Request) -> [Value; 4] {
        let Some(texture) = self.texture(request) else { return [self.b.constant(0); 4] };
        self.by_level(request, texture, None, |m, level, lanes| m.gather_from(request, level, lanes))
    }

    fn gather_from(&mut self, request: &Request, level: &Level, lanes: Value) -> [Value; 4] {
        let axis = |m: &mut Self, axis| {
            let linear = if axis < 2 { Linear::Always } else { Linear::Never };
            m.axis(request, level, axis, linear)
        };
        let axes = (0..level.texture.dimension.axes()).map(|number| axis(self, number)).collect();
        let slice = self.slice(request, level, SampleOp::of(LevelSource::Zero, false));
        let sample = Sample { request, level, axes, slice, reference: None, lanes, filtering: lanes };
        [[1, 1], [1, 0], [0, 1], [0, 0]].map(|[x, y]| {
            let value = self.tap(&sample, [x, y, 0]);
            let value = if sample.meets_border() { value } else { self.swizzle(level.texture, value) };
            value[0]
        })
    }

    /// What takes part in a comparison: of fractions, from 0 to 1.
    fn compared(&mut self, texture: &TextureLayout, value: Value) -> Value {
        match texture.numbers {
            TexelNumbers::Fraction => self.b.clamp01(Denorm::Flush, value),
            TexelNumbers::Float | TexelNumbers::Integer => value,
        }
    }

    pub(super) fn texture(&self, request: &Request) -> Option<&'a TextureLayout> {
        let bindings = &self.specialisation.bindings[usize::from(request.fields.alt_const)];
        bindings.textures.get(&request.fields.resource_id)
    }

    /// The size of a level whose vectors are in a table.
    fn size_of_level(&mut self, request: &Request, texture: &TextureLayout, level: Value) -> [Value; 3] {
        let one = self.b.constant(1);
        [0, 1, 2].map(|axis| {
            let size = self.texture_entry(request, SIZES + axis);
            if axis as usize >= texture.dimension.axes() {
                return size;
            }
            let halved = self.b.shr(size, level);
            self.b.umax(halved, one)
        })
    }

    /// What is looked up in the level of each lane; in the first one without levels.
    fn by_level(
        &mut self,
        request: &Request,
        texture: &'a TextureLayout,
        level: Option<Value>,
        look_up: impl Fn(&mut Self, &Level, Value) -> [Value; 4],
    ) -> [Value; 4] {
        let (alternate, number) = (request.fields.alt_const, request.fields.resource_id);
        let (sizes, levels) = match &texture.texels {
            TexelLayout::Surfaces { sizes, levels } => (sizes, levels),
            &TexelLayout::Vectors { form, samples, .. } => {
                let buffer = self.buffer(BufferBinding::Texture { alternate, number });
                let (size, width, first) = match level {
                    None => {
                        let size = [0, 1, 2].map(|axis| self.texture_entry(request, SIZES + axis));
                        let width = [0, 1, 2].map(|axis| self.texture_entry(request, FLOAT_SIZES + axis));
                        (size, width, self.b.constant(0))
                    }
                    Some(level) => {
                        let size = self.size_of_level(request, texture, level);
                        let table = TableBinding::Texture { alternate, number };
                        let table = self.table(table, TEXTURE_ENTRIES, false);
                        let offsets = self.b.constant(OFFSETS);
                        let entry = self.b.iadd(level, offsets);
                        let first = self.b.table_gather(table, entry);
                        (size, size.map(|size| self.b.utof(size)), first)
                    }
                };
                let level = Level { texture, size, width, store: Store::Vectors { buffer, form, first, samples } };
                return look_up(self, &level, request.lanes);
            }
        };
        let mut value = [self.b.constant(0); 4];
        for (k, (size, layout)) in sizes.iter().zip(levels).enumerate() {
            let lanes = match level {
                Some(level) => {
                    let k = self.b.constant(k as u32);
                    let these = self.b.icmp(IntTest::Eq, level, k);
                    self.b.mask_and(request.lanes, these)
                }
                None => request.lanes,
            };
            let surface = self.surface(SurfaceBinding::Texture { alternate, number, level: k }, layout);
            let width = size.map(|size| self.b.constant(num::uint_to_float(size)));
            let size = size.map(|size| self.b.constant(size));
            let level_of = Level { texture, size, width, store: Store::Surface(surface) };
            let of_level = look_up(self, &level_of, lanes);
            if level.is_none() {
                return of_level;
            }
            value = std::array::from_fn(|channel| self.b.select(lanes, of_level[channel], value[channel]));
        }
        value
    }

    /// What the resource's own selectors make of a texel.
    fn swizzle(&mut self, texture: &TextureLayout, texel: [Value; 4]) -> [Value; 4] {
        let one = if texture.numbers == TexelNumbers::Integer { 1 } else { ONE };
        texture.swizzle.map(|sel| match (sel.channel(), sel) {
            (Some(channel), _) => texel[channel as usize],
            (None, Select::One) => self.b.constant(one),
            (None, _) => self.b.constant(0),
        })
    }

    /// A sample of the texel at (x, y) of slice z.
    fn texel(&mut self, level: &Level, [x, y, z]: [Value; 3], sample: Value, lanes: Value) -> [Value; 4] {
        let row = match self.b.function.lane_constant(z) {
            Some(0) => y,
            _ => {
                let first = self.b.imul(z, level.size[1]);
                self.b.iadd(first, y)
            }
        };
        match level.store {
            Store::Surface(surface) => self.b.surface_load(surface, x, row, lanes),
            Store::Vectors { buffer, form, first, samples } => {
                let before = self.b.imul(row, level.size[0]);
                let mut vector = self.b.iadd(before, x);
                if samples > 1 {
                    let samples = self.b.constant(samples);
                    vector = self.b.imul(vector, samples);
                    vector = self.b.iadd(vector, sample);
                }
                let vector = self.b.iadd(vector, first);
                let shift = self.b.constant(form.bytes().ilog2());
                let address = self.b.shl(vector, shift);
                match form {
                    VectorForm::Dwords => std::array::from_fn(|channel| {
                        let offset = self.b.constant(4 * channel as u32);
                        let address = self.b.iadd(address, offset);
                        self.b.buffer_load(buffer, address, lanes)
                    }),
                    VectorForm::Bytes => {
                        let word = self.b.buffer_load(buffer, address, lanes);
                        [0, 8, 16, 24].map(|shift| self.byte_fraction(word, shift))
                    }
                    VectorForm::Scalar => {
                        let zero = self.b.constant(0);
                        [self.b.buffer_load(buffer, address, lanes), zero, zero, zero]
                    }
                }
            }
        }
    }

    /// The byte of a word from this bit on, divided by 255 and rounded once.
    fn byte_fraction(&mut self, word: Value, shift: u32) -> Value {
        // 1/255 in two parts: for all 256 bytes the sum of both products is the rounded quotient.
        let high = 1.0f32 / 255.0;
        let low = (1.0 / 255.0 - f64::from(high)) as f32;
        let (mask, shift) = (self.b.constant(0xFF), self.b.constant(shift));
        let byte = self.b.shr(word, shift);
        let byte = self.b.and(byte, mask);
        let byte = self.b.utof(byte);
        let (high, low) = (self.b.float_constant(high), self.b.float_constant(low));
        let rest = self.product(byte, low);
        self.b.fma(Denorm::Flush, Zero::Ieee, byte, high, rest)
    }

    /// LD: integer coordinates; 0 outside.
    fn load_from(&mut self, request: &Request, level: &Level, sample: Value, lanes: Value) -> [Value; 4] {
        let used = used_axes(level.texture.dimension);
        let zero = self.b.constant(0);
        let (mut place, mut lanes) = ([zero; 3], lanes);
        for axis in (0..3).filter(|&axis| used[axis]) {
            let at = request.coordinates[axis];
            let offset = i32::from(request.fields.offset_halves(axis) >> 1);
            place[axis] = at;
            if offset != 0 {
                let offset_value = self.b.constant(offset.cast_unsigned());
                place[axis] = self.b.iadd(at, offset_value);
                // Sums do not wrap: what overflows is outside.
                let edge = if offset > 0 { i32::MAX - offset } else { i32::MIN - offset };
                let edge = self.b.constant(edge.cast_unsigned());
                let test = if offset > 0 { IntTest::Sle } else { IntTest::Sge };
                let fits = self.b.icmp(test, at, edge);
                lanes = self.b.mask_and(lanes, fits);
            }
            let inside = self.b.icmp(IntTest::Ult, place[axis], level.size[axis]);
            lanes = self.b.mask_and(lanes, inside);
        }
        self.texel(level, place, sample, lanes)
    }

    fn slice(&mut self, request: &Request, level: &Level, op: SampleOp) -> Value {
        let axis = match level.texture.dimension {
            Dimension::D1 | Dimension::D2 | Dimension::D3 => return self.b.constant(0),
            Dimension::Cube => return self.face(request),
            // z is the reference there.
            Dimension::D1Array if op.compares && op.has_level_in_w() => 1,
            Dimension::D1Array | Dimension::D2Array => 2,
        };
        let nearest = self.b.fround(Round::Even, Denorm::Flush, request.coordinates[axis]);
        match self.b.function.lane_constant(level.size[2]) {
            Some(slices) => self.b.float_to_index(slices, nearest),
            None => {
                let slice = self.coordinate(nearest);
                self.clamped(slice, level.size[2])
            }
        }
    }

    fn sample_from(&mut self, request: &Request, level: &Level, plan: &Plan, lanes: Value) -> [Value; 4] {
        let axes =
            (0..level.texture.dimension.axes()).map(|axis| self.axis(request, level, axis, plan.linear)).collect();
        let slice = self.slice(request, level, plan.op);
        let filtering = match plan.linear {
            Linear::Never | Linear::Always => lanes,
            // Of the others, those texels may not be mapped.
            Linear::Lanes(linear) => self.b.mask_and(lanes, linear),
        };
        let sample = Sample { request, level, axes, slice, reference: plan.reference, lanes, filtering };
        let value = self.filtered_from(&sample, plan.linear);
        if sample.meets_border() { value } else { self.swizzle(level.texture, value) }
    }

    fn filtered_from(&mut self, sample: &Sample, linear: Linear) -> [Value; 4] {
        let nearest = self.tap(sample, [0; 3]);
        let filtered = match linear {
            Linear::Never => return nearest,
            Linear::Always | Linear::Lanes(_) => self.filtered(sample, nearest, [0; 3], sample.axes.len()),
        };
        let filtered = filtered.map(|value| self.b.canon_nan(Bits(num::R700_NAN), value));
        match linear {
            Linear::Never | Linear::Always => filtered,
            Linear::Lanes(lanes) => {
                std::array::from_fn(|channel| self.b.select(lanes, filtered[channel], nearest[channel]))
            }
        }
    }

    /// The filtered value over the first `count` axes, the others fixed; `nearest` is that of the first taps.
    fn filtered(&mut self, sample: &Sample, nearest: [Value; 4], taps: [usize; 3], count: usize) -> [Value; 4] {
        let Some(axis) = count.checked_sub(1) else {
            return if taps == [0; 3] { nearest } else { self.tap(sample, taps) };
        };
        let first = self.filtered(sample, nearest, taps, axis);
        let Some(weight) = sample.axes[axis].weight else { return first };
        let mut taps = taps;
        taps[axis] = 1;
        let second = self.filtered(sample, nearest, taps, axis);
        self.mixed(first, second, weight)
    }

    /// (1 - weight) * a + weight * b.
    fn mixed(&mut self, a: [Value; 4], b: [Value; 4], weight: Value) -> [Value; 4] {
        let one = self.b.constant(ONE);
        let rest = self.b.fsub(Denorm::Flush, one, weight);
        std::array::from_fn(|k| {
            let (a, b) = (self.product(a[k], rest), self.product(b[k], weight));
            self.b.fadd(Denorm::Flush, a, b)
        })
    }

    /// The texel, or its comparison, that these taps name.
    fn tap(&mut self, sample: &Sample, taps: [usize; 3]) -> [Value; 4] {
        let Sample { request, level, reference, .. } = *sample;
        let lanes = if taps == [0; 3] { sample.lanes } else { sample.filtering };
        let zero = self.b.constant(0);
        let mut place = [zero, zero, sample.slice];
        let mut inside: Option<Value> = None;
        for (k, (axis, tap)) in sample.axes.iter().zip(taps).enumerate() {
            place[k] = axis.at[tap];
            inside = match (inside, axis.inside[tap]) {
                (Some(a), Some(b)) => Some(self.b.mask_and(a, b)),
                (a, b) => a.or(b),
            };
        }
        if level.texture.dimension == Dimension::Cube && sample.axes.iter().any(|axis| axis.crosses_edges) {
            let [x, y, face] = place;
            place = self.across_edge(face, [x, y], level.size[0]);
        }
        let loaded = inside.map_or(lanes, |inside| self.b.mask_and(lanes, inside));
        let texel = self.texel(level, place, zero, loaded);
        let texel = if sample.meets_border() { self.swizzle(level.texture, texel) } else { texel };
        let value = match inside {
            None => texel,
            Some(inside) => {
                let border = [0, 1, 2, 3].map(|channel| self.sampler_entry(request, BORDER + channel));
                std::array::from_fn(|channel| self.b.select(inside, texel[channel], border[channel]))
            }
        };
        match reference {
            None => value,
            Some(reference) => {
                let texel = self.compared(level.texture, value[0]);
                let holds = self.holds(request.sampler.compare, reference, texel);
                [self.float_of_mask(holds); 4]
            }
        }
    }

    /// The comparison of the reference (left) with a texel.
    fn holds(&mut self, compare: Compare, reference: Value, texel: Value) -> Value {
        let test = match compare {
            Compare::Never => return self.b.mask_constant(false),
            Compare::Always => return self.b.mask_constant(true),
            Compare::Less => FloatTest::Olt,
            Compare::Equal => FloatTest::Oeq,
            Compare::LessEqual => FloatTest::Ole,
            Compare::Greater => FloatTest::Ogt,
            Compare::NotEqual => FloatTest::Une,
            Compare::GreaterEqual => FloatTest::Oge,
        };
        self.b.fcmp(test, Denorm::Flush, reference, texel)
    }
}

/// The axes that a coordinate belongs to; slices count.
fn used_axes(dimension: Dimension) -> [bool; 3] {
    match dimension {
        Dimension::D1 => [true, false, false],
        Dimension::D2 => [true, true, false],
        Dimension::D1Array => [true, false, true],
        Dimension::D3 | Dimension::D2Array | Dimension::Cube => [true, true, true],
    }
}
