//! Makes a wireframe of the primitives of a draw.

use super::primitive::Shape;
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

/// Points, lines or triangles in space. Vertices of the same position are one point.
pub struct Wireframe {
    /// What is there.
    pub shape: Shape,
    /// Positions divided by w.
    pub points: Vec<[f64; 3]>,
    /// The points of each primitive, one after the other.
    pub indices: Vec<u32>,
    /// Primitives that have no position, because a coordinate is infinite or no number, or w is 0.
    pub left_out: usize,
}

impl Wireframe {
    /// Takes the positions (x, y, z, w) of primitives of this shape.
    pub fn new(shape: Shape, positions: &[[f32; 4]]) -> Self {
        let mut frame = Wireframe { shape, points: Vec::new(), indices: Vec::new(), left_out: 0 };
        let mut known: HashMap<[u64; 3], u32> = HashMap::new();
        for primitive in positions.chunks_exact(shape.vertices() as usize) {
            let positions: Vec<[f64; 3]> = primitive.iter().map(divided).collect();
            if !positions.as_flattened().iter().all(|coordinate| coordinate.is_finite()) {
                frame.left_out += 1;
                continue;
            }
            for position in positions {
                let index = *known.entry(position.map(f64::to_bits)).or_insert(frame.points.len() as u32);
                if index as usize == frame.points.len() {
                    frame.points.push(position);
                }
                frame.indices.push(index);
            }
        }
        frame
    }

    /// The lines between points, each once.
    pub fn edges(&self) -> BTreeSet<(u32, u32)> {
        let size = self.shape.vertices() as usize;
        let primitives = self.indices.chunks_exact(size);
        let pairs = primitives.flat_map(|primitive| (0..size).map(|n| (primitive[n], primitive[(n + 1) % size])));
        pairs.filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b))).collect()
    }

    /// The mesh as a Wavefront OBJ file.
    pub fn obj(&self) -> String {
        let mut text = String::new();
        for [x, y, z] in &self.points {
            writeln!(text, "v {x} {y} {z}").expect("writing to a string");
        }
        let letter = match self.shape {
            Shape::Point => 'p',
            Shape::Line => 'l',
            Shape::Triangle => 'f',
        };
        for primitive in self.indices.chunks_exact(self.shape.vertices() as usize) {
            text.push(letter);
            primitive.iter().for_each(|index| write!(text, " {}", index + 1).expect("writing to a string"));
            text.push('\n');
        }
        text
    }
}

/// A position divided by w. 0.0 stands for both zeros.
fn divided(&[x, y, z, w]: &[f32; 4]) -> [f64; 3] {
    [x, y, z].map(|coordinate| f64::from(coordinate) / f64::from(w) + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_share_points_and_edges() {
        let corner = |x: f32, y: f32| [2.0 * x, 2.0 * y, 0.0, 2.0];
        let (a, b, c, d) = (corner(0.0, 0.0), corner(1.0, 0.0), corner(0.0, 1.0), corner(1.0, 1.0));
        let infinite = [1.0, 1.0, 1.0, 0.0];
        let frame = Wireframe::new(Shape::Triangle, &[a, b, c, c, b, d, a, b, infinite]);
        assert_eq!(frame.points, [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]]);
        assert_eq!((&frame.indices[..], frame.left_out), (&[0, 1, 2, 2, 1, 3][..], 1));
        assert_eq!(Vec::from_iter(frame.edges()), [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]);
        assert!(frame.obj().ends_with("v 1 1 0\nf 1 2 3\nf 3 2 4\n"));
    }
}
