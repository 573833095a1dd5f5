//! The interpolator (RS): which values of vertices go to which temporaries of the fragment program, and what they are at a pixel.

use super::vertex::{Vertex, VertexFormat};
use super::window::GRID;
use crate::registers::codes::{Shading, TextureSource};
use crate::registers::{
    GaColorControl, GaPointS0, GaPointS1, GaPointT0, GaPointT1, GbEnable, RegisterFile, RsInst, RsInstCount, RsIp,
};
use ctm_pipeline::{AtPixels, PixelPlace, Values};
use ctm_raster::coverage::QUAD_PIXELS;
use ctm_raster::grid::Point;
use ctm_raster::plane::{AttributePlane, EvaluationPoint, Perspective, Plane};
use ctm_raster::simd::Simd;
use ctm_x1k::fragments::QuadVector;
use std::cell::OnceCell;

const ONE: u32 = 0x3F80_0000;

/// Where a component of a temporary comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InputSource {
    Constant(u32),
    /// Component of a texture coordinate.
    Texture(usize, usize),
    /// Channel of a colour.
    Colour(usize, usize),
    /// S or T of a point.
    Generated(u8),
    /// The pixel's column or row.
    Position(u8),
    /// 1 for back faces.
    Face,
}

/// A vector of vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Vector {
    Texture(usize),
    Colour(usize),
}

/// What the interpolator's registers say, for primitives of one kind.
#[derive(Clone, Debug)]
pub struct Routing {
    /// The temporaries that are written.
    pub presets: Vec<u8>,
    sources: Vec<[InputSource; 4]>,
    /// Of each of these temporaries: the vector of vertices whose components are its channels, but for constant ones. Bit n: channel n is not constant.
    vectors: Vec<(Option<Vector>, u8)>,
    /// For each colour: whether red, green and blue, and whether alpha are those of the provoking vertex.
    flat: [[bool; 2]; 4],
    /// S and T from 0 at the left side and the top to 1.
    corners: [(f32, f32); 2],
    two_sided: bool,
}

impl Routing {
    /// For points (whose texture coordinates may be generated), lines or triangles.
    pub fn of(registers: &RegisterFile, format: &VertexFormat, kind: PrimitiveKind) -> Self {
        let enable = registers.get::<GbEnable>();
        let generates = match kind {
            PrimitiveKind::Point => enable.points,
            PrimitiveKind::Line => enable.lines,
            PrimitiveKind::Triangle => enable.triangles,
        };
        let sources = [
            enable.texture_0,
            enable.texture_1,
            enable.texture_2,
            enable.texture_3,
            enable.texture_4,
            enable.texture_5,
            enable.texture_6,
            enable.texture_7,
        ];
        let mut components = Vec::new();
        for (texture, (source, &count)) in sources.into_iter().zip(&format.textures).enumerate() {
            match source {
                TextureSource::StuffedSt | TextureSource::StuffedStr if generates => {
                    components.extend([InputSource::Generated(0), InputSource::Generated(1)]);
                }
                TextureSource::Vertex
                | TextureSource::StuffedSt
                | TextureSource::StuffedStr
                | TextureSource::Reserved3 => {
                    components
                        .extend((0..usize::from(count)).map(|component| InputSource::Texture(texture, component)));
                }
            }
        }
        let mut routing = Routing {
            presets: Vec::new(),
            sources: Vec::new(),
            vectors: Vec::new(),
            flat: flat(registers),
            corners: [
                (registers.float::<GaPointS0>(), registers.float::<GaPointS1>()),
                (registers.float::<GaPointT1>(), registers.float::<GaPointT0>()),
            ],
            two_sided: format.colours[2],
        };
        for number in 0..=u32::from(registers.get::<RsInstCount>().last) {
            let instruction = registers.at::<RsInst>(number);
            if instruction.writes_texture {
                let pointers = registers.at::<RsIp>(u32::from(instruction.texture) & 7);
                let pick = |pointer: u8| match pointer {
                    62 => InputSource::Constant(0),
                    63 => InputSource::Constant(ONE),
                    _ => components.get(usize::from(pointer)).copied().unwrap_or(InputSource::Constant(0)),
                };
                routing.add(instruction.texture_address, [pointers.s, pointers.t, pointers.r, pointers.q].map(pick));
            }
            let zero = InputSource::Constant(0);
            match instruction.writes_colour {
                1 => {
                    let pointers = registers.at::<RsIp>(u32::from(instruction.colour) & 7);
                    routing.add(instruction.colour_address, colour(pointers.colour, pointers.format));
                }
                2 => routing
                    .add(instruction.colour_address, [InputSource::Position(0), InputSource::Position(1), zero, zero]),
                3 => routing.add(instruction.colour_address, [InputSource::Face, zero, zero, zero]),
                _ => {}
            }
        }
        routing
    }

    /// The bits of a component that is the same in all primitives.
    pub fn constant(&self, input: usize, channel: usize) -> Option<u32> {
        match self.sources.get(input)?[channel] {
            InputSource::Constant(bits) => Some(bits),
            InputSource::Texture(..)
            | InputSource::Colour(..)
            | InputSource::Generated(_)
            | InputSource::Position(_)
            | InputSource::Face => None,
        }
    }

    fn add(&mut self, temporary: u8, sources: [InputSource; 4]) {
        let vector = |channel: usize, source: InputSource| match source {
            InputSource::Texture(number, component) if component == channel => Some(Vector::Texture(number)),
            InputSource::Colour(number, component) if component == channel && self.flat[number & 3] == [false; 2] => {
                Some(Vector::Colour(number))
            }
            InputSource::Texture(..)
            | InputSource::Colour(..)
            | InputSource::Generated(_)
            | InputSource::Position(_)
            | InputSource::Face => None,
            InputSource::Constant(_) => None,
        };
        let others = sources.iter().enumerate().filter(|(_, source)| !matches!(source, InputSource::Constant(_)));
        let mut found = others.map(|(channel, &source)| vector(channel, source));
        let first = found.next().flatten();
        let varying = (0..4).filter(|&n| !matches!(sources[n], InputSource::Constant(_)));
        let varying = varying.fold(0, |channels, n| channels | 1 << n);
        self.vectors.push((first.filter(|_| found.all(|vector| vector == first)), varying));
        self.presets.push(temporary);
        self.sources.push(sources);
    }

    /// The values over a primitive.
    pub fn inputs<'p>(&'p self, primitive: &'p Attributes<'p>) -> Inputs<'p> {
        let perspective = match &primitive.shape {
            AttributeShape::Constant { .. } => None,
            AttributeShape::Plane { perspective, .. } => Some(*perspective),
        };
        Inputs { origin: Some((self, primitive)), values: OnceCell::new(), perspective }
    }

    /// The number of a colour of the side of a primitive that is seen.
    fn side(&self, primitive: &Attributes, number: usize) -> usize {
        if primitive.back_facing && self.two_sided { number + 2 } else { number }
    }

    /// The values of a component over a primitive.
    fn value(&self, primitive: &Attributes, source: InputSource) -> Value {
        match source {
            InputSource::Constant(bits) => Value::Plane(AttributePlane::Constant(bits)),
            InputSource::Face => Value::Plane(AttributePlane::Constant(if primitive.back_facing { ONE } else { 0 })),
            InputSource::Position(axis) => Value::Position(axis),
            InputSource::Texture(texture, component) => primitive.value(|vertex| vertex.textures[texture][component]),
            InputSource::Colour(number, channel) => {
                let side = self.side(primitive, number);
                let of = |vertex: &Vertex| vertex.colours.get(side).map_or(0, |colour| colour[channel]);
                match self.flat[number & 3][usize::from(channel == 3)] {
                    true => Value::Plane(AttributePlane::Constant(of(primitive.provoking))),
                    false => primitive.value(of),
                }
            }
            InputSource::Generated(axis) => match &primitive.shape {
                AttributeShape::Constant { centre, half, .. } => {
                    let (first, last) = self.corners[usize::from(axis)];
                    let (centre, half) = if axis == 0 { (centre.x, half.0) } else { (centre.y, half.1) };
                    Value::Generated(axis, Ramp { first, last, start: centre - half, length: 2 * half })
                }
                AttributeShape::Plane { .. } => Value::Plane(AttributePlane::Constant(0)),
            },
        }
    }
}

/// Which colours are flat.
fn flat(registers: &RegisterFile) -> [[bool; 2]; 4] {
    let control = registers.get::<GaColorControl>();
    let pairs = [
        [control.rgb_0, control.alpha_0],
        [control.rgb_1, control.alpha_1],
        [control.rgb_2, control.alpha_2],
        [control.rgb_3, control.alpha_3],
    ];
    pairs.map(|pair| pair.map(|shading| matches!(shading, Shading::Solid | Shading::Flat)))
}

/// `COL_FMT`: which channels of a colour are constant.
fn colour(number: u8, format: u8) -> [InputSource; 4] {
    let number = usize::from(number);
    let [zero, one] = [InputSource::Constant(0), InputSource::Constant(ONE)];
    let rgb = match format & 0xC {
        0 => [InputSource::Colour(number, 0), InputSource::Colour(number, 1), InputSource::Colour(number, 2)],
        4 => [zero; 3],
        _ => [one; 3],
    };
    let alpha = match format & 3 {
        0 => InputSource::Colour(number, 3),
        1 => zero,
        _ => one,
    };
    [rgb[0], rgb[1], rgb[2], alpha]
}

/// What a primitive is drawn as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrimitiveKind {
    /// A rectangle around a vertex.
    Point,
    /// A line.
    Line,
    /// A triangle.
    Triangle,
}

/// What decides the values over a primitive.
pub struct Attributes<'a> {
    /// Whose flat colours it has.
    pub provoking: &'a Vertex,
    /// It is seen from behind.
    pub back_facing: bool,
    /// How values run over it.
    pub shape: AttributeShape<'a>,
}

/// How values run over a primitive.
pub enum AttributeShape<'a> {
    /// They are those of one vertex, but generated ones.
    Constant {
        /// The vertex.
        vertex: &'a Vertex,
        /// Its place.
        centre: Point,
        /// Half of the point's width and height, in sub-pixels.
        half: (i64, i64),
    },
    /// They are linear between these vertices.
    Plane {
        /// The vertices. A line repeats its start.
        vertices: [&'a Vertex; 3],
        /// Their places.
        perspective: Perspective,
    },
}

impl Attributes<'_> {
    fn value(&self, of: impl Fn(&Vertex) -> u32) -> Value {
        Value::Plane(match &self.shape {
            AttributeShape::Constant { vertex, .. } => AttributePlane::Constant(of(vertex)),
            AttributeShape::Plane { vertices, perspective } => perspective.attribute(vertices.map(of)),
        })
    }
}

/// The values of a primitive at every pixel.
#[derive(Clone)]
pub struct Inputs<'p> {
    /// What they are worked out of, when they are wanted.
    origin: Option<(&'p Routing, &'p Attributes<'p>)>,
    /// All of them, if they were wanted.
    values: OnceCell<Vec<[Value; 4]>>,
    perspective: Option<Perspective>,
}

/// A component of a temporary at every pixel of a primitive.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// Linear on the screen, or with perspective.
    Plane(AttributePlane),
    /// The pixel's column (0) or row.
    Position(u8),
    /// Along x (0) or y.
    Generated(u8, Ramp),
}

/// A component of a temporary over a primitive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Component {
    /// The same bits everywhere.
    Constant(u32),
    /// The plane through the values at the vertices, times 1/w where that differs.
    Varying(Plane),
    /// Anything else, which is the same along each column or each row.
    Other,
}

/// From `first` to `last` over `length` sub-pixels.
#[derive(Clone, Copy, Debug)]
pub struct Ramp {
    first: f32,
    last: f32,
    start: i64,
    length: i64,
}

impl Ramp {
    /// The value at the centre of a pixel.
    fn at(&self, pixel: u32) -> u32 {
        let (first, last) = (f64::from(self.first), f64::from(self.last));
        let way = (last - first) * (GRID.centre(pixel) - self.start) as f64;
        ctm_num::flush(((first + way / self.length as f64) as f32).to_bits())
    }
}

impl Inputs<'_> {
    /// The same, for as long as wanted.
    pub fn to_owned(&self) -> Inputs<'static> {
        Inputs { origin: None, values: self.values().to_vec().into(), perspective: self.perspective }
    }

    fn values(&self) -> &[[Value; 4]] {
        self.values.get_or_init(|| {
            let Some((routing, primitive)) = self.origin else { return Vec::new() };
            routing.sources.iter().map(|sources| sources.map(|source| routing.value(primitive, source))).collect()
        })
    }

    /// A component of a temporary.
    pub fn component(&self, input: usize, channel: usize) -> Component {
        match self.values()[input][channel] {
            Value::Plane(AttributePlane::Constant(bits)) => Component::Constant(bits),
            Value::Plane(AttributePlane::Varying(plane)) => Component::Varying(plane),
            Value::Position(_) | Value::Generated(..) => Component::Other,
        }
    }

    /// Temporaries that are filled.
    pub fn count(&self) -> usize {
        self.values().len()
    }

    /// Where planes begin.
    pub fn origin(&self) -> Point {
        self.perspective.as_ref().map_or(Point::default(), |perspective| perspective.setup().origin())
    }

    /// The plane of 1/w, by which planes are divided; `None` if attributes are linear on the screen.
    pub fn divisor(&self) -> Option<Plane> {
        self.perspective.and_then(|perspective| perspective.divisor())
    }

    /// A value at the pixels of a column, if it is the same in all rows.
    pub fn of_column(&self, input: usize, channel: usize, x: u32) -> Option<u32> {
        match self.values()[input][channel] {
            Value::Plane(AttributePlane::Constant(bits)) => Some(bits),
            Value::Plane(plane @ AttributePlane::Varying(Plane { dy: 0.0, .. })) => self.affine_at(plane, x, 0),
            Value::Plane(AttributePlane::Varying(_)) => None,
            Value::Position(axis) => (axis == 0).then(|| (x as f32).to_bits()),
            Value::Generated(axis, way) => (axis == 0).then(|| way.at(x)),
        }
    }

    /// A value at the pixels of a row, if it is the same in all columns.
    pub fn of_row(&self, input: usize, channel: usize, y: u32) -> Option<u32> {
        match self.values()[input][channel] {
            Value::Plane(AttributePlane::Constant(bits)) => Some(bits),
            Value::Plane(plane @ AttributePlane::Varying(Plane { dx: 0.0, .. })) => self.affine_at(plane, 0, y),
            Value::Plane(AttributePlane::Varying(_)) => None,
            Value::Position(axis) => (axis != 0).then(|| (y as f32).to_bits()),
            Value::Generated(axis, way) => (axis != 0).then(|| way.at(y)),
        }
    }

    /// [`Plane::pixel_offset`] of a value.
    pub fn pixel_offset(&self, input: usize, channel: usize, axis: usize) -> Option<f32> {
        let Component::Varying(plane) = self.component(input, channel) else { return None };
        let perspective = self.perspective.filter(Perspective::is_affine)?;
        plane.pixel_offset(GRID, perspective.setup().origin(), axis)
    }

    fn affine_at(&self, plane: AttributePlane, x: u32, y: u32) -> Option<u32> {
        let perspective = self.perspective.filter(Perspective::is_affine)?;
        Some(plane.at(&perspective.place(GRID.pixel_centre(x, y))))
    }

    /// The values at the pixels of the quad whose upper left one this is.
    pub fn at(&self, x: u32, y: u32, inputs: &mut Vec<QuadVector>) {
        let places = self.places(x, y);
        inputs.resize(self.values().len(), [[0; 4]; 4]);
        for (input, values) in inputs.iter_mut().zip(self.values()) {
            for (channel, value) in values.iter().enumerate() {
                for (vector, value) in input.iter_mut().zip(value.at(&places, x, y)) {
                    vector[channel] = value;
                }
            }
        }
    }

    /// The planes of the channels of a temporary, if those that are chosen (bit n) are components of one vector, and have
    /// [normal](AttributePlane::normal) ones.
    pub fn normal_planes(&self, input: usize, chosen: u8) -> Option<[Plane; 4]> {
        let (values, perspective) = self.vectors(input, chosen)?;
        perspective.normal_planes(values, chosen)
    }

    /// The channels of a temporary, if those that are chosen (bit n) are components of one vector.
    pub fn attributes(&self, input: usize, chosen: u8) -> Option<[AttributePlane; 4]> {
        let (values, perspective) = self.vectors(input, chosen)?;
        Some(perspective.attributes(values))
    }

    /// The vector at the vertices whose components are these channels of a temporary.
    fn vectors(&self, input: usize, chosen: u8) -> Option<([[u32; 4]; 3], &Perspective)> {
        let (None, Some((routing, primitive))) = (self.values.get(), self.origin) else { return None };
        let AttributeShape::Plane { vertices: [first, second, third], perspective } = &primitive.shape else {
            return None;
        };
        let (vector, varying) = routing.vectors[input];
        let values = match vector.filter(|_| chosen & !varying == 0)? {
            Vector::Texture(number) => [first.textures[number], second.textures[number], third.textures[number]],
            Vector::Colour(number) => {
                let side = routing.side(primitive, number);
                [*first.colours.get(side)?, *second.colours.get(side)?, *third.colours.get(side)?]
            }
        };
        Some((values, perspective))
    }

    /// The values of a component of a temporary.
    pub fn value(&self, (input, channel): (usize, usize)) -> Value {
        match (self.values.get(), self.origin) {
            (None, Some((routing, primitive))) => routing.value(primitive, routing.sources[input][channel]),
            _ => self.values()[input][channel],
        }
    }

    /// The places of the pixels of a quad. Points have none.
    #[inline]
    fn places(&self, x: u32, y: u32) -> Option<[EvaluationPoint; 4]> {
        self.perspective
            .map(|perspective| QUAD_PIXELS.map(|(dx, dy)| perspective.place(GRID.pixel_centre(x + dx, y + dy))))
    }
}

impl Value {
    /// The plane of a value that is linear on the screen as [`AttributePlane::normal`] says, where attributes are.
    pub fn normal_plane(&self) -> Option<Plane> {
        match self {
            Value::Plane(plane) => plane.normal(),
            Value::Position(_) | Value::Generated(..) => None,
        }
    }

    /// At the pixels of a quad.
    #[inline]
    fn at(&self, places: &Option<[EvaluationPoint; 4]>, x: u32, y: u32) -> [u32; 4] {
        match *self {
            Value::Plane(AttributePlane::Constant(bits)) => [bits; 4],
            // Points have no planes.
            Value::Plane(plane) => places.map_or([0; 4], |places| places.map(|place| plane.at(&place))),
            Value::Position(0) => across([x, x + 1].map(|x| (x as f32).to_bits())),
            Value::Position(_) => down([y, y + 1].map(|y| (y as f32).to_bits())),
            Value::Generated(0, way) => across([x, x + 1].map(|x| way.at(x))),
            Value::Generated(_, way) => down([y, y + 1].map(|y| way.at(y))),
        }
    }
}

/// What kernels get over a primitive: some components of temporaries.
pub struct PrimitiveValues {
    /// What values are divided by, if they are not linear on the screen.
    pub divisor: Option<Plane>,
    /// The components.
    pub values: Vec<Value>,
}

impl Values for PrimitiveValues {
    fn divisor(&self) -> Option<Plane> {
        self.divisor
    }

    #[inline(always)]
    fn component<S: Simd>(&self, simd: S, number: usize, _: S::Words, at: &impl AtPixels<S>) -> S::Words {
        match self.values.get(number) {
            None => simd.splat(0),
            Some(Value::Plane(AttributePlane::Constant(bits))) => simd.splat(*bits),
            Some(Value::Plane(AttributePlane::Varying(plane))) => at.attribute(plane, false, PixelPlace::Centre),
            Some(Value::Position(axis)) => {
                simd.words(&at.places()[usize::from(*axis != 0)].map(|pixel| (pixel as f32).to_bits()))
            }
            Some(Value::Generated(axis, way)) => {
                simd.words(&at.places()[usize::from(*axis != 0)].map(|pixel| way.at(pixel)))
            }
        }
    }
}

/// The left and the right value of a quad, for each pixel.
fn across([left, right]: [u32; 2]) -> [u32; 4] {
    [left, right, left, right]
}

/// The upper and the lower value of a quad, for each pixel.
fn down([upper, lower]: [u32; 2]) -> [u32; 4] {
    [upper, upper, lower, lower]
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctm_raster::plane::PrimitiveSetup;

    #[test]
    fn planes_of_vectors_are_those_of_their_components() {
        let mut found = 0;
        ctm_cases::check(7000, |u| {
            let mut routing = Routing {
                presets: Vec::new(),
                sources: Vec::new(),
                vectors: Vec::new(),
                flat: [0; 4].map(|_| [0; 2]).map(|pair| pair.map(|_| u.arbitrary().unwrap_or_default())),
                corners: [(0.0, 1.0); 2],
                two_sided: u.arbitrary()?,
            };
            let (number, kind) = (u.int_in_range(0..=1)?, u.int_in_range(0..=2)?);
            let mut sources = [InputSource::Constant(ONE); 4];
            for (channel, source) in sources.iter_mut().enumerate() {
                let component = if u.ratio(1, 8)? { 0 } else { channel };
                match kind {
                    _ if u.ratio(1, 8)? => *source = InputSource::Constant(7),
                    0 => *source = InputSource::Texture(number, component),
                    1 => *source = InputSource::Colour(number, component),
                    _ => {
                        *source =
                            if u.arbitrary()? { InputSource::Face } else { InputSource::Colour(number, component) }
                    }
                }
            }
            routing.add(0, sources);
            let mut corners = [Vertex::NONE; 3];
            for vector in corners.iter_mut().flat_map(|vertex| vertex.colours.iter_mut().chain(&mut vertex.textures)) {
                *vector = [(); 4].map(|()| u.int_in_range(0..=9).map_or(0, |value: u8| f32::from(value).to_bits()));
            }
            let setup = PrimitiveSetup::triangle(GRID, [(0, 0), (70, 10), (30, 110)].map(|(x, y)| Point { x, y }));
            let shape = AttributeShape::Plane {
                vertices: corners.each_ref(),
                perspective: Perspective::new(setup.expect("an area"), [ONE; 3]),
            };
            let attributes = Attributes { provoking: &corners[1], back_facing: u.arbitrary()?, shape };
            let inputs = routing.inputs(&attributes);
            let chosen = u.int_in_range(1..=15)?;
            let Some(attributes) = inputs.attributes(0, chosen) else { return Ok(()) };
            let planes = inputs.normal_planes(0, chosen);
            found += 1;
            for channel in (0..4).filter(|channel| chosen >> channel & 1 != 0) {
                let expected = inputs.value((0, channel));
                let Value::Plane(attribute) = expected else { panic!("{sources:?} {channel}") };
                assert_eq!(format!("{:?}", attributes[channel]), format!("{attribute:?}"), "{sources:?} {channel}");
                if let Some(planes) = &planes {
                    assert_eq!(Some(planes[channel]), expected.normal_plane(), "{sources:?} {channel}");
                }
            }
            Ok(())
        });
        assert!(found > 20, "{found}");
    }
}
