//! Texture sampling as lane IR: what [`ctm_raster::sampler`] does with numbers, done with values, to the same bits.
//!
//! Who has textures says where their texels are ([`LiftTexels`]); inputs of programs and the textures of a card are sampled by the same
//! code. Denormals are flushed wherever that gives the same texels: coordinates count as zeros if they are denormals, and what filters do
//! with fractions never makes one. Texels that are any floats are mixed with denormals.

#![forbid(unsafe_code)]

mod axis;
mod cube;
mod detail;

pub use axis::Tap;

use axis::{Axis, Pair};
use ctm_lane::{Bits, Builder, Denorm, FloatTest, IntTest, Type, Value, Zero};
use ctm_raster::sampler::{Filter, MipFilter, Sampler, Scale, TextureKind, TextureShape};
use cube::Face;

/// A texel of a level.
pub struct TexelPlace {
    /// The level.
    pub level: u32,
    /// Its face or slice; none of textures that have one.
    pub layer: Option<Value>,
    /// Its column.
    pub x: Value,
    /// Its row, in the face or slice.
    pub y: Value,
}

/// Where texels are.
pub trait LiftTexels {
    /// The components of a texel in these lanes. The others name one, too, but it may lie outside.
    fn load(&self, b: &mut Builder, place: &TexelPlace, lanes: Value) -> [Value; 4];

    /// What lies outside, if that is not the border of the sampler.
    fn border(&self) -> Option<[Value; 4]> {
        None
    }
}

/// Where a level of detail comes from.
pub enum LiftedDetail {
    /// From the differences of the quad's coordinates, perhaps plus a bias.
    Differences {
        /// In levels.
        bias: Option<Value>,
    },
    /// This one, without the sampler's bias.
    Explicit(Value),
    /// From these changes of the coordinates to the next pixel, to the right and down.
    Derivatives([[Value; 3]; 2]),
    /// This one, which has all biases, is a multiple of the sampler's step and between its bounds.
    Rounded(Value),
}

/// A texture and how it is sampled.
pub struct Sampling<'a> {
    /// How.
    pub sampler: &'a Sampler,
    /// Its sizes.
    pub shape: &'a TextureShape,
    /// What coordinates are counted in.
    pub scale: Scale,
    /// Texels are fractions of integers without a sign: there are no denormals, infinities, NaNs and negative zeros among them.
    pub has_fractions: bool,
    /// Its texels.
    pub texels: &'a dyn LiftTexels,
}

/// Where a level is looked at.
struct Place {
    coordinates: [Value; 3],
    scale: Scale,
    /// The face of a cube.
    face: Option<Value>,
}

/// The product of two numbers.
fn multiply(b: &mut Builder, a: Value, c: Value) -> Value {
    b.fmul(Denorm::Flush, Zero::Ieee, a, c)
}

impl Sampling<'_> {
    /// The sampled components, in these lanes.
    pub fn sample(&self, b: &mut Builder, coordinates: [Value; 3], detail: &LiftedDetail, lanes: Value) -> [Value; 4] {
        let face = (self.shape.kind == TextureKind::Cube).then(|| Face::of(b, coordinates));
        let place = match &face {
            Some(face) => {
                let [s, t] = face.place(b, coordinates);
                let layer = face.layer(b);
                Place { coordinates: [s, t, coordinates[2]], scale: Scale::Texture, face: Some(layer) }
            }
            None => Place { coordinates, scale: self.scale, face: None },
        };
        let finest = self.sampler.finest.min(self.shape.last_level);
        if !self.sampler.needs_level(self.shape) {
            return self.level(b, self.sampler.magnification, finest, &place, lanes);
        }
        let level = detail::level_of_detail(b, self, coordinates, face.as_ref(), detail);
        self.levels(b, level, &place, lanes)
    }

    /// The texel that a point filter takes of a level in a direction at a coordinate.
    pub fn nearest(&self, b: &mut Builder, (level, direction): (u32, usize), coordinate: Value) -> Tap {
        let (wrap, size) = (self.sampler.wrap[direction], self.shape.level_size(level)[direction]);
        Axis { wrap, scale: self.scale, size }.nearest(b, coordinate)
    }

    /// The components with a level of detail that is a multiple of the sampler's step.
    fn levels(&self, b: &mut Builder, level_of_detail: Value, place: &Place, lanes: Value) -> [Value; 4] {
        let Sampler { magnification, minification, .. } = *self.sampler;
        let finest = self.sampler.finest.min(self.shape.last_level);
        let zero = b.constant(0);
        let is_minified = b.fcmp(FloatTest::Ogt, Denorm::Flush, level_of_detail, zero);
        if magnification == minification {
            return self.minified(b, (level_of_detail, is_minified), place, lanes);
        }
        let (small, large) = (b.mask_and(lanes, is_minified), b.mask_andnot(lanes, is_minified));
        let small = self.minified(b, (level_of_detail, is_minified), place, small);
        let large = self.level(b, magnification, finest, place, large);
        std::array::from_fn(|n| b.select(is_minified, small[n], large[n]))
    }

    /// The components that the minification filter gives, of the finest level where nothing is minified.
    fn minified(
        &self,
        b: &mut Builder,
        (level_of_detail, is_minified): (Value, Value),
        place: &Place,
        lanes: Value,
    ) -> [Value; 4] {
        let filter = self.sampler.minification;
        let last = self.shape.last_level;
        let finest = self.sampler.finest.min(last);
        let (low, high) = (b.float_constant(finest as f32), b.float_constant(last as f32));
        let clamped = b.fmax(Denorm::Flush, level_of_detail, low);
        let clamped = b.fmin(Denorm::Flush, clamped, high);
        let (first, zero) = (b.constant(finest), b.constant(0));
        let (level, weight) = match self.sampler.mip {
            MipFilter::None => return self.level(b, filter, finest, place, lanes),
            MipFilter::Point => {
                let half = b.float_constant(self.sampler.detail.to_nearest());
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
        self.between(b, filter, (level, weight), place, lanes)
    }

    /// The components of a level, and as much as the weight says of those of the next level.
    fn between(
        &self,
        b: &mut Builder,
        filter: Filter,
        (level, weight): (Value, Value),
        place: &Place,
        lanes: Value,
    ) -> [Value; 4] {
        let finest = self.sampler.finest.min(self.shape.last_level);
        let is_linear = self.sampler.mip == MipFilter::Linear;
        let [fine, coarse] = [(); 2].map(|()| [(); 4].map(|()| b.variable(Type::Lane)));
        let zero = b.constant(0);
        fine.into_iter().chain(coarse).for_each(|variable| b.set(variable, zero));
        let has_weight = b.icmp(IntTest::Ne, weight, zero);
        for here in finest..=self.shape.last_level {
            let number = b.constant(here);
            let is_fine = b.icmp(IntTest::Eq, level, number);
            let is_coarse = if is_linear && here > finest {
                let before = b.constant(here - 1);
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
            let components = self.level(b, filter, here, place, used);
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
        let mixed = self.mix(b, [fine, coarse], [rest, weight]);
        if self.has_fractions() {
            return mixed;
        }
        let mixed = computed(b, mixed);
        std::array::from_fn(|n| b.select(has_weight, mixed[n], fine[n]))
    }

    /// The components of one level.
    fn level(&self, b: &mut Builder, filter: Filter, level: u32, place: &Place, lanes: Value) -> [Value; 4] {
        let size = self.shape.level_size(level);
        let axis = |axis: usize| Axis { wrap: self.sampler.wrap[axis], scale: place.scale, size: size[axis] };
        let is_volume = self.shape.kind == TextureKind::Volume;
        match filter {
            Filter::Point => {
                let [x, y] = [0, 1].map(|n| axis(n).nearest(b, place.coordinates[n]));
                let layer = is_volume.then(|| axis(2).nearest(b, place.coordinates[2]));
                self.texel(b, level, [&x, &y], layer.as_ref().or(face(&place.face).as_ref()), lanes)
            }
            Filter::Linear => {
                let [across, down] = [0, 1].map(|n| axis(n).pair(b, place.coordinates[n]));
                let slice = |b: &mut Builder, layer: Option<&Tap>| {
                    let rows = [0, 1].map(|y| {
                        let texel = |x: usize| self.texel(b, level, [&across.taps[x], &down.taps[y]], layer, lanes);
                        let texels = [0, 1].map(texel);
                        self.mix(b, texels, across.weights)
                    });
                    self.mix(b, rows, down.weights)
                };
                let filtered = if is_volume {
                    let Pair { taps, weights } = axis(2).pair(b, place.coordinates[2]);
                    let slices = [0, 1].map(|z| slice(b, Some(&taps[z])));
                    self.mix(b, slices, weights)
                } else {
                    slice(b, face(&place.face).as_ref())
                };
                if self.has_fractions() { filtered } else { computed(b, filtered) }
            }
        }
    }

    /// The texel that taps name, or the border.
    fn texel(&self, b: &mut Builder, level: u32, [x, y]: [&Tap; 2], layer: Option<&Tap>, lanes: Value) -> [Value; 4] {
        let taps = [Some(x), Some(y), layer];
        let inside =
            taps.into_iter().flatten().filter_map(|tap| tap.inside).reduce(|one, other| b.mask_and(one, other));
        let loaded = inside.map_or(lanes, |inside| b.mask_and(lanes, inside));
        let place = TexelPlace { level, layer: layer.map(|tap| tap.index), x: x.index, y: y.index };
        let texel = self.texels.load(b, &place, loaded);
        let Some(inside) = inside else { return texel };
        let border = self.texels.border().unwrap_or_else(|| self.sampler.border.map(|bits| b.constant(bits)));
        std::array::from_fn(|n| b.select(inside, texel[n], border[n]))
    }

    /// The weighted sum of two texels.
    fn mix(&self, b: &mut Builder, [one, two]: [[Value; 4]; 2], [first, second]: [Value; 2]) -> [Value; 4] {
        let denorm = if self.has_fractions() { Denorm::Flush } else { Denorm::Keep };
        std::array::from_fn(|n| {
            let one = b.fmul(denorm, Zero::Ieee, first, one[n]);
            let two = b.fmul(denorm, Zero::Ieee, second, two[n]);
            b.fadd(denorm, one, two)
        })
    }

    /// Whether nothing but fractions can come into a filter.
    fn has_fractions(&self) -> bool {
        self.has_fractions && self.sampler.border.iter().all(|&bits| bits == 0 || f32::from_bits(bits).is_normal())
    }
}

/// The face as a layer.
fn face(face: &Option<Value>) -> Option<Tap> {
    face.map(|index| Tap { index, inside: None })
}

/// Numbers that filters computed: a NaN has one form.
fn computed(b: &mut Builder, components: [Value; 4]) -> [Value; 4] {
    components.map(|component| b.canon_nan(Bits(ctm_raster::NAN), component))
}
