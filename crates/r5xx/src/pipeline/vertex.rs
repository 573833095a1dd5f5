//! Vertices after the vertex program, and which of their vectors there are.

use crate::registers::{RegisterFile, VapOutputVtxFmt0, VapOutputVtxFmt1};
use ctm_card::history::Vector;

/// Colours of a vertex: front 0 and 1, back 0 and 1.
pub const COLOURS: usize = 4;
/// Texture coordinates of a vertex.
pub const TEXTURES: usize = 8;

/// A vertex in clip coordinates, or in window coordinates where nothing transforms it. All values are bits of binary32.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vertex {
    /// x, y, z, w.
    pub position: [u32; 4],
    /// The size of a point, if vertices have one.
    pub point_size: u32,
    /// Colours.
    pub colours: [[u32; 4]; COLOURS],
    /// Texture coordinates.
    pub textures: [[u32; 4]; TEXTURES],
}

/// Which vectors vertices have: `VAP_OUTPUT_VTX_FMT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexFormat {
    /// A position.
    pub position: bool,
    /// A point size.
    pub point_size: bool,
    /// Colours.
    pub colours: [bool; COLOURS],
    /// Components of texture coordinates.
    pub textures: [u8; TEXTURES],
}

impl VertexFormat {
    /// As the registers say.
    pub fn of(registers: &RegisterFile) -> Self {
        let first = registers.get::<VapOutputVtxFmt0>();
        let second = registers.get::<VapOutputVtxFmt1>();
        VertexFormat {
            position: first.position,
            point_size: first.point_size,
            colours: [first.colour_0, first.colour_1, first.colour_2, first.colour_3],
            textures: [
                second.texture_0,
                second.texture_1,
                second.texture_2,
                second.texture_3,
                second.texture_4,
                second.texture_5,
                second.texture_6,
                second.texture_7,
            ],
        }
    }

    /// The vectors of a vertex, with their names.
    pub fn vectors(&self, vertex: &Vertex) -> Vec<Vector> {
        let mut vectors = Vec::new();
        if self.position {
            vectors.push(Vector::new("position", vertex.position));
        }
        if self.point_size {
            vectors.push(Vector::new("point size", [vertex.point_size, 0, 0, 0]));
        }
        let colours = self.colours.iter().zip(vertex.colours).enumerate().filter(|(_, (present, _))| **present);
        vectors.extend(colours.map(|(n, (_, value))| Vector::new(format!("colour {n}"), value)));
        let textures = self.textures.iter().zip(vertex.textures).enumerate().filter(|(_, (count, _))| **count != 0);
        vectors.extend(textures.map(|(n, (_, value))| Vector::new(format!("texture {n}"), value)));
        vectors
    }

    /// What the vectors of vertices are, in their order: position, point size, colours, texture coordinates, without those that there are not.
    pub fn parts(&self) -> impl Iterator<Item = VertexPart> {
        let single = [(VertexPart::Position, self.position), (VertexPart::PointSize, self.point_size)];
        let colours = self.colours.into_iter().enumerate().map(|(n, present)| (VertexPart::Colour(n), present));
        let textures =
            self.textures.into_iter().enumerate().map(|(n, components)| (VertexPart::Texture(n), components != 0));
        single.into_iter().chain(colours).chain(textures).filter(|&(_, present)| present).map(|(part, _)| part)
    }

    /// The vertex whose vectors these are, in the order of [`parts`](Self::parts).
    pub fn vertex(&self, vectors: impl Iterator<Item = [u32; 4]>) -> Vertex {
        let mut vertex = Vertex::NONE;
        self.parts().zip(vectors).for_each(|(part, vector)| vertex.set(part, vector));
        vertex
    }
}

/// What a vector of a vertex is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VertexPart {
    /// x, y, z, w.
    Position,
    /// The size of a point.
    PointSize,
    /// A colour.
    Colour(usize),
    /// A texture coordinate.
    Texture(usize),
}

impl Vertex {
    /// One without vectors.
    pub const NONE: Vertex =
        Vertex { position: [0; 4], point_size: 0, colours: [[0; 4]; COLOURS], textures: [[0; 4]; TEXTURES] };

    /// Sets one of its vectors.
    #[inline(always)]
    pub fn set(&mut self, part: VertexPart, vector: [u32; 4]) {
        match part {
            VertexPart::Position => self.position = vector,
            VertexPart::PointSize => self.point_size = vector[0],
            VertexPart::Colour(number) => self.colours[number] = vector,
            VertexPart::Texture(number) => self.textures[number] = vector,
        }
    }

    /// One of its vectors.
    #[inline(always)]
    pub fn get(&self, part: VertexPart) -> [u32; 4] {
        match part {
            VertexPart::Position => self.position,
            VertexPart::PointSize => [self.point_size, 0, 0, 0],
            VertexPart::Colour(number) => self.colours[number],
            VertexPart::Texture(number) => self.textures[number],
        }
    }

    /// The vertex `t` of the way from this one to another.
    pub fn towards(&self, other: &Vertex, t: f32) -> Vertex {
        let between = |a: u32, b: u32| {
            let (a, b) = (f32::from_bits(a), f32::from_bits(b));
            ctm_num::flush((a + t * (b - a)).to_bits())
        };
        let vector = |a: [u32; 4], b: [u32; 4]| std::array::from_fn(|n| between(a[n], b[n]));
        Vertex {
            position: vector(self.position, other.position),
            point_size: between(self.point_size, other.point_size),
            colours: std::array::from_fn(|n| vector(self.colours[n], other.colours[n])),
            textures: std::array::from_fn(|n| vector(self.textures[n], other.textures[n])),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_those_that_are_present() {
        let mut registers = crate::registers::after_reset();
        // Position, point size, texture coordinate 1.
        registers.write(0x2090, 0x1_0001);
        registers.write(0x2094, 4 << 3);
        let vertex = VertexFormat::of(&registers).vertex([[1; 4], [2; 4], [3; 4], [9; 4]].into_iter());
        assert_eq!((vertex.position, vertex.point_size, vertex.textures[1]), ([1; 4], 2, [3; 4]));
        assert_eq!((vertex.textures[0], vertex.colours), ([0; 4], [[0; 4]; 4]));
    }
}
