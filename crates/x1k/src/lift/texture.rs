//! Texture instructions: fetches and TEXKILL (CTM Guide p.32-33).

use super::SampledInput;
use super::fragments::FetchValues;
use super::machine::{ALPHA, LiftState, gate};
use crate::codes::TexOp;
use crate::instruction::{Common, Tex, TexRegister};
use ctm_lane::{Builder, Denorm, FloatTest, Value, Zero};
use ctm_memory::Format;
use ctm_raster::sampler::{Scale, TextureShape};
use ctm_sampling::{LiftTexels, LiftedDetail, Sampling, TexelPlace};

impl LiftState<'_> {
    /// A fetch, in the lanes that execute; `writes` is `None` where nobody looks at the other lanes of a register.
    pub fn fetch(&mut self, common: &Common, tex: &Tex, executing: Value, writes: Option<Value>) {
        if matches!(tex.op, TexOp::Nop | TexOp::Texkill | TexOp::Reserved7) {
            return;
        }
        let element = match self.environment {
            Some(environment) => {
                let [coordinates, dx, dy] = [&tex.src, &tex.dx, &tex.dy].map(|source| self.coordinates(source));
                let Tex { id: unit, op, unscaled, .. } = *tex;
                let fetch = FetchValues { unit, op, unscaled, coordinates, dx, dy };
                environment.texture(&mut self.b, &fetch, executing)
            }
            None if self.specialisation.samplers.contains_key(&tex.id) => self.sample(tex, executing),
            None => {
                let [mut s, mut t, _, q] = self.coordinates(&tex.src);
                if tex.op == TexOp::Proj {
                    [s, t] = [s, t].map(|coordinate| self.b.fdiv(Denorm::Flush, coordinate, q));
                }
                self.element(tex, s, t, executing)
            }
        };
        let wmask = common.rgb.wmask | common.alpha.wmask << 3;
        let mut written = Vec::new();
        for channel in (0..4).filter(|channel| wmask >> channel & 1 != 0) {
            let lanes = self.channel_lanes(common, channel, writes);
            written.push((channel, element[tex.dst.swizzle[channel] as usize], lanes));
        }
        for (channel, value, lanes) in written {
            self.write_temp(tex.dst.addr, tex.dst.relative, channel, value, lanes);
        }
    }

    /// The lanes that TEXKILL kills, out of the active ones.
    pub fn killed(&mut self, common: &Common, tex: &Tex, active: Value) -> Value {
        let mut killed = self.b.mask_constant(false);
        let zero = self.b.constant(0);
        for channel in 0..4 {
            let coordinate = self.coordinate(&tex.src, channel);
            let negative = self.b.fcmp(FloatTest::Olt, Denorm::Flush, coordinate, zero);
            let lanes = self.channel_lanes(common, channel, Some(active)).unwrap_or(active);
            let negative = self.b.mask_and(lanes, negative);
            killed = self.b.mask_or(killed, negative);
        }
        killed
    }

    /// The lanes in which an instruction writes a channel.
    fn channel_lanes(&mut self, common: &Common, channel: usize, executing: Option<Value>) -> Option<Value> {
        let unit = if channel == ALPHA { &common.alpha } else { &common.rgb };
        self.gated(gate(unit.pred_sel, unit.pred_inv, channel), executing)
    }

    fn coordinates(&mut self, source: &TexRegister) -> [Value; 4] {
        [0, 1, 2, 3].map(|at| self.coordinate(source, at))
    }

    fn coordinate(&mut self, source: &TexRegister, at: usize) -> Value {
        self.temp(source.addr, source.relative, source.swizzle[at] as usize)
    }

    /// What an input that is sampled gives.
    fn sample(&mut self, tex: &Tex, lanes: Value) -> [Value; 4] {
        let (specialisation, number) = (self.specialisation, usize::from(tex.id));
        let zero = self.b.constant(0);
        let (Some(first), Some((surface, _)), Some(input)) =
            (self.input(number), specialisation.inputs[number], specialisation.samplers.get(&tex.id))
        else {
            return [zero; 4];
        };
        let SampledInput { sampler, shape, levels } = input;
        let mut surfaces = vec![first];
        surfaces.extend(self.levels(number, levels));
        let [mut s, mut t, mut r, q] = self.coordinates(&tex.src);
        let detail = match tex.op {
            TexOp::Nop | TexOp::Texkill | TexOp::Reserved7 | TexOp::Ld => LiftedDetail::Differences { bias: None },
            TexOp::Proj => {
                [s, t, r] = [s, t, r].map(|coordinate| self.b.fdiv(Denorm::Flush, coordinate, q));
                LiftedDetail::Differences { bias: None }
            }
            TexOp::Lodbias => LiftedDetail::Differences { bias: Some(q) },
            TexOp::Lod => LiftedDetail::Explicit(q),
            TexOp::Dxdy => {
                let ways = [&tex.dx, &tex.dy].map(|way| self.coordinates(way));
                LiftedDetail::Derivatives(ways.map(|[s, t, r, _]| [s, t, r]))
            }
        };
        let is_fraction = |format: Format| matches!(format, Format::Uint8_4 | Format::Uint16_1);
        let mut formats = std::iter::once(surface.format).chain(levels.iter().map(|(level, _)| level.format));
        let has_fractions = formats.all(is_fraction);
        let texels = Surfaces { surfaces, shape };
        let scale = if tex.unscaled { Scale::Texels } else { Scale::Texture };
        let sampling = Sampling { sampler, shape, scale, has_fractions, texels: &texels };
        sampling.sample(&mut self.b, [s, t, r], &detail, lanes)
    }

    /// The element at (s, t): the nearest one below or at the coordinates, clamped to the edges.
    fn element(&mut self, tex: &Tex, s: Value, t: Value, lanes: Value) -> [Value; 4] {
        let number = usize::from(tex.id);
        let (Some(input), Some((surface, _))) = (self.input(number), self.specialisation.inputs[number]) else {
            return [self.b.constant(0); 4];
        };
        let [x, y] = [(s, surface.pitch), (t, surface.height)].map(|(coordinate, size)| {
            let coordinate = if tex.unscaled {
                coordinate
            } else {
                let size = self.b.float_constant(size as f32);
                self.b.fmul(Denorm::Flush, Zero::Ieee, coordinate, size)
            };
            self.b.float_to_index(size, coordinate)
        });
        if surface.superfine && surface.format.channels() == 1 {
            self.b.surface_load_2x2(input, x, y, lanes)
        } else {
            self.b.surface_load(input, x, y, lanes)
        }
    }
}

/// The levels of an input, the slices or faces of each one below the other.
struct Surfaces<'a> {
    surfaces: Vec<ctm_lane::Surface>,
    shape: &'a TextureShape,
}

impl LiftTexels for Surfaces<'_> {
    fn load(&self, b: &mut Builder, place: &TexelPlace, lanes: Value) -> [Value; 4] {
        let surface = self.surfaces[place.level as usize];
        let row = match place.layer {
            None => place.y,
            Some(layer) => {
                let height = b.constant(self.shape.level_size(place.level)[1]);
                let first = b.imul(layer, height);
                b.iadd(first, place.y)
            }
        };
        b.surface_load(surface, place.x, row, lanes)
    }
}
