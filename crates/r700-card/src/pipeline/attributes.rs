//! What pixel programs get: parameters of vertices over a primitive, and what the pixel itself gives.

use super::DrawError;
use super::clip::WindowVertex;
use super::pixels::GRID;
use super::primitives::are_points;
use super::samples::Samples;
use super::vertices::{Parameters, Vertex};
use crate::registers::{
    RegisterFile, RegisterType, SpiInterpControl0, SpiPsInControl0, SpiPsInControl1, SpiPsInputCntl, SpiVsOutConfig,
    SpiVsOutId,
};
use ctm_pipeline::{AtPixels, Attribute, ComponentSource, PixelPlace, Values};
use ctm_raster::grid::{Point, Rect};
use ctm_raster::plane::{AttributePlane, Perspective, Plane, PrimitiveSetup};
use ctm_raster::simd::Simd;

const ONE: u32 = 0x3F80_0000;
const MINUS_ONE: u32 = 0xBF80_0000;

/// Where in a pixel a value is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleLocation {
    /// At the centre.
    Centre,
    /// Inside of the primitive.
    Centroid,
    /// At the sample.
    Sample,
}

impl SampleLocation {
    /// The same as tiles see it.
    fn of_pixel(self) -> PixelPlace {
        match self {
            SampleLocation::Centroid => PixelPlace::Centroid,
            SampleLocation::Centre | SampleLocation::Sample => PixelPlace::Centre,
        }
    }
}

/// Where a register of the pixel program comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum InputSource {
    /// A parameter of the vertices.
    Parameter { number: usize, flat: bool, linear: bool, place: SampleLocation },
    /// No vertex has it.
    Default([u32; 4]),
    /// Place, depth and w of the pixel.
    Position { place: SampleLocation },
    /// Which face it is, in this component; the samples that are covered, and the number of the sample.
    Face { component: usize },
    /// The number of the sample.
    Sample,
    /// The place in a point; `flipped`: from the bottom on.
    Sprite { selects: [u8; 4], flipped: bool },
}

/// A primitive whose pixels are drawn.
pub struct PrimitiveContext<'v> {
    /// The vertices that attributes come from.
    pub vertices: &'v [&'v Vertex],
    /// Parameters of all vertices.
    pub parameters: &'v Parameters,
    /// The one of flat attributes.
    pub provoking: &'v Vertex,
    /// Whether it is a front face.
    pub front: bool,
    /// How far it is moved in depth.
    pub offset: f64,
    /// The upper left and the lower right corner of a point.
    pub sprite: Option<[Point; 2]>,
    /// Where it may be drawn: the scissor of its viewport, of which stipple leaves parts.
    pub clip: Rect,
    /// That scissor.
    pub scissor: Rect,
    /// Its depth is clamped to this range.
    pub depths: [f32; 2],
    /// The layer of targets that it is drawn to, counted from the first one that registers name.
    pub layer: u32,
}

impl PrimitiveContext<'_> {
    /// A parameter of one of its vertices.
    fn parameter(&self, vertex: &Vertex, number: usize) -> Option<&[u32; 4]> {
        self.parameters.get(number)?.get(vertex.number)
    }
}

/// A corner of what is drawn of it.
#[derive(Clone, Copy, Debug)]
pub struct SetupVertex {
    /// Where it is.
    pub window: WindowVertex,
    /// How much of each vertex it is.
    pub weights: [f64; 3],
    /// The same on the screen: for attributes without perspective.
    pub linear: [f64; 3],
    /// Where it is on the grid.
    pub point: Point,
}

/// The registers of a pixel program that get something.
pub struct Inputs {
    sources: Vec<(u8, InputSource)>,
}

/// Four pixels that the program runs for.
#[derive(Clone, Copy, Debug)]
pub struct Pixels4 {
    /// Column and row of the upper left one.
    pub corner: (u32, u32),
    /// The samples of each that are covered.
    pub covered: [u8; 4],
    /// The sample that it runs for, if it runs for each.
    pub sample: Option<u32>,
}

impl Inputs {
    /// As the registers say.
    ///
    /// # Errors
    /// At inputs that no driver uses.
    pub fn of(registers: &RegisterFile) -> Result<Self, DrawError> {
        let (control, more) = (registers.get::<SpiPsInControl0>(), registers.get::<SpiPsInControl1>());
        let interpolation = registers.get::<SpiInterpControl0>();
        let config = registers.get::<SpiVsOutConfig>();
        let not_yet = [
            (control.param_gen != 0, "a generated coordinate"),
            (more.gen_index_pix, "the number of a pixel"),
            (more.front_face_ena && more.front_face_all_bits, "a face that fills a word"),
            (config.vs_exports_fog, "fog"),
        ];
        if let Some(&(_, what)) = not_yet.iter().find(|(found, _)| *found) {
            return Err(DrawError::NotYet { what });
        }
        let has_sprites = interpolation.pnt_sprite_ena && are_points(registers);
        let exports = u32::from(config.vs_export_count) + 1;
        let semantic =
            |number: u32| registers.value(SpiVsOutId::ADDRESS + 4 * (number / 4)) >> (8 * (number % 4)) & 0xFF;
        let mut sources = Vec::new();
        for number in 0..u32::from(control.num_interp).min(SpiPsInputCntl::COUNT) {
            let input = registers.at::<SpiPsInputCntl>(number);
            if input.cyl_wrap != 0 {
                return Err(DrawError::NotYet { what: "a parameter that wraps" });
            }
            let found = (0..exports).find(|&export| input.semantic != 0 && semantic(export) == input.semantic.into());
            let sprite = InputSource::Sprite {
                selects: [
                    interpolation.pnt_sprite_ovrd_x,
                    interpolation.pnt_sprite_ovrd_y,
                    interpolation.pnt_sprite_ovrd_z,
                    interpolation.pnt_sprite_ovrd_w,
                ],
                flipped: interpolation.pnt_sprite_top_1,
            };
            let source = match (found, input.default_val) {
                _ if has_sprites && input.pt_sprite_tex => sprite,
                (Some(export), _) => InputSource::Parameter {
                    number: export as usize,
                    flat: input.flat_shade && interpolation.flat_shade_ena,
                    linear: input.sel_linear,
                    place: place(input.sel_centroid, input.sel_sample),
                },
                (None, 0) => InputSource::Default([0; 4]),
                (None, 1) => InputSource::Default([0, 0, 0, ONE]),
                (None, 2) => InputSource::Default([ONE, ONE, ONE, 0]),
                (None, _) => InputSource::Default([ONE; 4]),
            };
            sources.push((number as u8, source));
        }
        if control.position_ena {
            let place = place(control.position_centroid, control.position_sample);
            sources.push((control.position_addr, InputSource::Position { place }));
        }
        if more.fixed_pt_position_ena {
            sources.push((more.fixed_pt_position_addr, InputSource::Sample));
        }
        // Where both have one register, this has the number of the sample, too.
        if more.front_face_ena {
            sources.retain(|&(register, source)| source != InputSource::Sample || register != more.front_face_addr);
            sources.push((more.front_face_addr, InputSource::Face { component: more.front_face_chan.into() }));
        }
        Ok(Inputs { sources })
    }

    /// Whether one of them gets something that depends on which samples of a pixel are covered.
    pub fn depend_on_coverage(&self) -> bool {
        self.sources.iter().any(|(_, source)| match source {
            InputSource::Parameter { place, .. } | InputSource::Position { place } => {
                *place == SampleLocation::Centroid
            }
            InputSource::Face { .. } => true,
            InputSource::Default(_) | InputSource::Sample | InputSource::Sprite { .. } => false,
        })
    }

    /// The registers, in the order of what [`Gradients::at`] gives.
    pub fn registers(&self) -> impl ExactSizeIterator<Item = u8> + '_ {
        self.sources.iter().map(|&(register, _)| register)
    }

    /// What the registers get over a primitive, with planes through three places, of which `setup` is.
    pub fn over(&self, face: &PrimitiveContext, setup: PrimitiveSetup, corners: [&SetupVertex; 3]) -> Gradients {
        let reciprocals = corners.map(|corner| corner.window.reciprocal.to_bits());
        let (perspective, linear) = (Perspective::new(setup, reciprocals), Perspective::new(setup, [ONE; 3]));
        let depth = depth_over(face, &setup, corners);
        let inverse = inverse_over(&setup, corners);
        let value = |&(_, source): &(u8, InputSource)| match source {
            InputSource::Parameter { number, flat: true, .. } => {
                Value::Constant(face.parameter(face.provoking, number).copied().unwrap_or_default())
            }
            InputSource::Parameter { number, linear: is_linear, place, .. } => {
                let kind = if is_linear { &linear } else { &perspective };
                let values = corners.map(|corner| attribute(face, corner, is_linear, number));
                Value::Varying { planes: kind.attributes(values), linear: is_linear, place }
            }
            InputSource::Default(value) => Value::Constant(value),
            InputSource::Position { place } => Value::Position { place },
            InputSource::Face { component } => {
                Value::Face { component, face: if face.front { ONE } else { MINUS_ONE } }
            }
            InputSource::Sample => Value::Sample,
            InputSource::Sprite { selects, flipped } => {
                Value::Sprite { selects, flipped, corners: face.sprite.unwrap_or_default() }
            }
        };
        let values = self.sources.iter().map(value).collect();
        Gradients { perspective, linear, depth, inverse, values }
    }
}

/// What gives components over a primitive: four for each register.
pub struct PrimitiveSource<'s, 'v> {
    /// The registers.
    pub inputs: &'s Inputs,
    /// Centroids of pixels may be elsewhere than their centres.
    pub has_centroids: bool,
    /// The primitive.
    pub face: &'s PrimitiveContext<'v>,
    /// What planes through the corners have in common.
    pub setup: PrimitiveSetup,
    /// Three places of it.
    pub corners: [&'s SetupVertex; 3],
}

impl PrimitiveSource<'_, '_> {
    /// 1/w of the corners.
    fn reciprocals(&self) -> [u32; 3] {
        self.corners.map(|corner| corner.window.reciprocal.to_bits())
    }

    /// Whether something is taken elsewhere than where the program runs.
    fn has_other_places(&self) -> bool {
        let is_centroid = |source: &InputSource| match source {
            InputSource::Parameter { flat, place, .. } => !flat && *place == SampleLocation::Centroid,
            InputSource::Position { place } => *place == SampleLocation::Centroid,
            InputSource::Default(_) | InputSource::Face { .. } | InputSource::Sample | InputSource::Sprite { .. } => {
                false
            }
        };
        self.has_centroids && self.inputs.sources.iter().any(|(_, source)| is_centroid(source))
    }

    /// A parameter that is the same everywhere.
    fn flat(&self, number: usize) -> [u32; 4] {
        self.face.parameter(self.face.provoking, number).copied().unwrap_or_default()
    }
}

impl ComponentSource for PrimitiveSource<'_, '_> {
    type Values = Gradients;

    fn add_planes(&self, planes: &mut Vec<Plane>) -> bool {
        if self.has_other_places() {
            return false;
        }
        let [first, second, third] = self.reciprocals();
        let is_affine = first == second && second == third;
        let linear = Perspective::new(self.setup, [ONE; 3]);
        let constant = |value: [u32; 4], planes: &mut Vec<Plane>| {
            let found = value.map(|bits| AttributePlane::Constant(bits).normal());
            planes.extend(found.iter().flatten());
            found.iter().all(Option::is_some)
        };
        self.inputs.sources.iter().all(|&(_, source)| match source {
            InputSource::Parameter { number, flat: true, .. } => constant(self.flat(number), planes),
            InputSource::Parameter { number, linear: is_linear, .. } if is_linear || is_affine => {
                let values = self.corners.map(|corner| attribute(self.face, corner, is_linear, number));
                let found = linear.normal_planes(values, 0xF);
                planes.extend(found.iter().flatten());
                found.is_some()
            }
            InputSource::Default(value) => constant(value, planes),
            InputSource::Parameter { .. }
            | InputSource::Position { .. }
            | InputSource::Face { .. }
            | InputSource::Sample
            | InputSource::Sprite { .. } => false,
        })
    }

    fn add_attributes(&self, attributes: &mut Vec<Attribute>) -> Option<Plane> {
        if self.has_other_places() {
            return None;
        }
        let perspective = Perspective::new(self.setup, self.reciprocals());
        let linear = Perspective::new(self.setup, [ONE; 3]);
        for &(_, source) in &self.inputs.sources {
            attributes.extend(match source {
                InputSource::Parameter { number, flat: true, .. } => self.flat(number).map(Attribute::Constant),
                InputSource::Parameter { number, linear: is_linear, .. } => {
                    let kind = if is_linear { &linear } else { &perspective };
                    let values = self.corners.map(|corner| attribute(self.face, corner, is_linear, number));
                    let is_divided = kind.divisor().is_some();
                    kind.attributes(values).map(|plane| match plane {
                        AttributePlane::Varying(plane) if !is_divided => Attribute::Numbers(plane),
                        AttributePlane::Varying(_) | AttributePlane::Constant(_) => plane.into(),
                    })
                }
                InputSource::Default(value) => value.map(Attribute::Constant),
                InputSource::Position { .. } => [
                    Attribute::Numbers(axis(&self.setup, Axis::Column)),
                    Attribute::Numbers(axis(&self.setup, Axis::Row)),
                    Attribute::Numbers(depth_over(self.face, &self.setup, self.corners)),
                    Attribute::Reciprocals(inverse_over(&self.setup, self.corners)),
                ],
                InputSource::Face { .. } | InputSource::Sample | InputSource::Sprite { .. } => return None,
            });
        }
        // Without perspective nothing is divided.
        Some(perspective.divisor().unwrap_or(Plane { value: 1.0, dx: 0.0, dy: 0.0 }))
    }

    fn values(&self) -> Gradients {
        self.inputs.over(self.face, self.setup, self.corners)
    }
}

/// The plane of depths.
pub fn depth_over(face: &PrimitiveContext, setup: &PrimitiveSetup, corners: [&SetupVertex; 3]) -> Plane {
    let mut depth = setup.plane(corners.map(|corner| corner.window.place[2].into()));
    depth.value += face.offset;
    depth
}

/// The plane of 1/w.
fn inverse_over(setup: &PrimitiveSetup, corners: [&SetupVertex; 3]) -> Plane {
    setup.plane(corners.map(|corner| corner.window.reciprocal.into()))
}

/// The plane of columns, or that of rows.
fn axis(setup: &PrimitiveSetup, axis: Axis) -> Plane {
    let (origin, per_pixel) = (setup.origin(), GRID.per_pixel as f64);
    match axis {
        Axis::Column => Plane { value: origin.x as f64 / per_pixel, dx: 1.0, dy: 0.0 },
        Axis::Row => Plane { value: origin.y as f64 / per_pixel, dx: 0.0, dy: 1.0 },
    }
}

fn place(centroid: bool, sample: bool) -> SampleLocation {
    match (sample, centroid) {
        (true, _) => SampleLocation::Sample,
        (false, true) => SampleLocation::Centroid,
        (false, false) => SampleLocation::Centre,
    }
}

/// What a register gets over a primitive.
pub enum Value {
    Constant([u32; 4]),
    Varying { planes: [AttributePlane; 4], linear: bool, place: SampleLocation },
    Position { place: SampleLocation },
    Face { component: usize, face: u32 },
    Sample,
    Sprite { selects: [u8; 4], flipped: bool, corners: [Point; 2] },
}

/// A direction on the screen.
#[derive(Clone, Copy, Debug)]
pub enum Axis {
    /// To the right.
    Column,
    /// Downwards.
    Row,
}

/// What registers get over a primitive.
pub struct Gradients {
    /// How what has perspective runs.
    pub perspective: Perspective,
    linear: Perspective,
    /// Depth.
    pub depth: Plane,
    inverse: Plane,
    /// What each register gets.
    pub values: Vec<Value>,
}

impl Gradients {
    /// How parameters run, with perspective or without.
    pub fn kind(&self, is_linear: bool) -> &Perspective {
        if is_linear { &self.linear } else { &self.perspective }
    }

    /// The plane of 1/w.
    pub fn inverse(&self) -> &Plane {
        &self.inverse
    }

    /// Whether depth, and what each register gets, are the same everywhere.
    pub fn are_constant(&self) -> bool {
        let is_constant = |value: &Value| match value {
            Value::Constant(_) | Value::Sample => true,
            Value::Varying { planes, .. } => planes.iter().all(|plane| matches!(plane, AttributePlane::Constant(_))),
            Value::Position { .. } | Value::Face { .. } | Value::Sprite { .. } => false,
        };
        self.depth.dx == 0.0 && self.depth.dy == 0.0 && self.values.iter().all(is_constant)
    }

    /// Depth at a place.
    pub fn depth_at(&self, point: Point) -> f32 {
        self.depth.at(self.perspective.setup().offset(point)) as f32
    }

    /// Column, row, depth and w of a place.
    pub fn position(&self, point: Point) -> [u32; 4] {
        let offset = self.perspective.setup().offset(point);
        let across = |place: i64| place as f64 / GRID.per_pixel as f64;
        let values = [across(point.x), across(point.y), self.depth.at(offset), 1.0 / self.inverse.at(offset)];
        values.map(AttributePlane::bits)
    }

    /// The plane of columns, or that of rows.
    pub fn axis(&self, axis: Axis) -> Plane {
        self::axis(self.perspective.setup(), axis)
    }

    /// What each register gets in four pixels: `put` takes the number of the register and the four vectors.
    pub fn at(&self, pixels: &Pixels4, samples: &Samples, mut put: impl FnMut(usize, [[u32; 4]; 4])) {
        self.values.iter().enumerate().for_each(|(number, value)| put(number, self.vectors(value, pixels, samples)));
    }

    /// What a register gets in four pixels.
    pub fn vectors(&self, value: &Value, pixels: &Pixels4, samples: &Samples) -> [[u32; 4]; 4] {
        let place = |n: usize| (pixels.corner.0 + n as u32 % 2, pixels.corner.1 + n as u32 / 2);
        let point = |at: SampleLocation, n: usize| {
            let (x, y) = place(n);
            match (pixels.sample, at) {
                (Some(sample), _) => samples.point(x, y, sample),
                (None, SampleLocation::Centroid) => samples.centroid(x, y, pixels.covered[n]),
                (None, SampleLocation::Centre | SampleLocation::Sample) => GRID.pixel_centre(x, y),
            }
        };
        match *value {
            Value::Constant(value) => [value; 4],
            Value::Varying { ref planes, linear, place } => [0, 1, 2, 3].map(|n| {
                let place = self.kind(linear).place(point(place, n));
                planes.each_ref().map(|plane| plane.at(&place))
            }),
            Value::Position { place } => [0, 1, 2, 3].map(|n| self.position(point(place, n))),
            Value::Face { component, face } => [0, 1, 2, 3].map(|n| {
                let mut value = [0, 0, pixels.covered[n].into(), pixels.sample.unwrap_or_default()];
                value[component & 3] = face;
                value
            }),
            Value::Sample => [[0, 0, 0, pixels.sample.unwrap_or_default()]; 4],
            Value::Sprite { selects, flipped, corners: [low, high] } => [0, 1, 2, 3].map(|n| {
                let point = point(SampleLocation::Centre, n);
                let part = |at: i64, low: i64, high: i64| (at - low) as f32 / (high - low).max(1) as f32;
                let (s, t) = (part(point.x, low.x, high.x), part(point.y, low.y, high.y));
                let t = if flipped { 1.0 - t } else { t };
                let selected = selects.map(|select| match select {
                    0 => 0.0f32,
                    1 => 1.0,
                    2 => s,
                    _ => t,
                });
                selected.map(f32::to_bits)
            }),
        }
    }
}

impl Values for Gradients {
    fn divisor(&self) -> Option<Plane> {
        self.perspective.divisor()
    }

    /// Component n % 4 of the register with number n / 4, as [`vectors`](Self::vectors) gives it.
    #[inline(always)]
    fn component<S: Simd>(&self, simd: S, number: usize, covered: S::Words, at: &impl AtPixels<S>) -> S::Words {
        let Some(value) = self.values.get(number / 4) else { return simd.splat(0) };
        let component = number % 4;
        match value {
            Value::Constant(value) => simd.splat(value[component]),
            Value::Varying { planes, linear, place } => match &planes[component] {
                AttributePlane::Constant(bits) => simd.splat(*bits),
                AttributePlane::Varying(plane) => at.attribute(plane, *linear, place.of_pixel()),
            },
            Value::Position { place } => {
                let numbers = |plane: &Plane| at.numbers(plane, place.of_pixel());
                simd.binary32(match component {
                    0 => numbers(&self.axis(Axis::Column)),
                    1 => numbers(&self.axis(Axis::Row)),
                    2 => numbers(&self.depth),
                    _ => simd.div(simd.number(1.0), numbers(self.inverse())),
                })
            }
            Value::Face { component: at, face } if component == at % 4 => simd.splat(*face),
            Value::Face { .. } if component == 2 => covered,
            Value::Face { .. } | Value::Sample => simd.splat(if component == 3 { at.sample() } else { 0 }),
            Value::Sprite { selects, flipped, corners: [low, high] } => {
                let (axis, low, high) = match selects[component] {
                    0 => return simd.splat(0),
                    1 => return simd.splat(1f32.to_bits()),
                    2 => (Axis::Column, low.x, high.x),
                    _ => (Axis::Row, low.y, high.y),
                };
                // The numbers are exact, and are divided as binary32 numbers: the quotient is rounded once.
                let Plane { value, dx, dy } = self.axis(axis);
                let per_pixel = GRID.per_pixel as f64;
                let (dx, dy) = (dx * per_pixel, dy * per_pixel);
                let from_low = at.numbers(&Plane { value: value * per_pixel - low as f64, dx, dy }, PixelPlace::Centre);
                let part = simd.rounded(simd.div(from_low, simd.number((high - low).max(1) as f64)));
                match (axis, flipped) {
                    (Axis::Row, true) => simd.binary32(simd.add(simd.number(1.0), simd.mul(simd.number(-1.0), part))),
                    (Axis::Column | Axis::Row, _) => simd.binary32(part),
                }
            }
        }
    }
}

/// A parameter at a corner: bits. `linear`: one without perspective.
#[inline]
fn attribute(face: &PrimitiveContext, corner: &SetupVertex, linear: bool, number: usize) -> [u32; 4] {
    let value = |n: usize| {
        let parameter = face.vertices.get(n).and_then(|vertex| face.parameter(vertex, number));
        parameter.copied().unwrap_or_default()
    };
    let weights = if linear { corner.linear } else { corner.weights };
    match weights.iter().position(|&weight| weight == 1.0) {
        Some(vertex) => value(vertex),
        None => {
            let values = [value(0), value(1), value(2)];
            let part = |n: usize, component: usize| weights[n] * f64::from(f32::from_bits(values[n][component]));
            std::array::from_fn(|component| {
                ((part(0, component) + part(1, component) + part(2, component)) as f32).to_bits()
            })
        }
    }
}
