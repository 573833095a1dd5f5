//! From the events of a geometry lane to primitives.

use super::assembled::Outline;
use super::primitive::{Provoking, Shape};
use crate::attributes::Event;
use crate::header::Topology;

/// What a header's output topology makes.
pub(super) const fn topology(topology: Topology) -> Option<Shape> {
    match topology {
        Topology::Points => Some(Shape::Point),
        Topology::LineStrip => Some(Shape::Line),
        Topology::TriangleStrip => Some(Shape::Triangle),
        _ => None,
    }
}

/// What strips make.
#[derive(Default)]
pub(super) struct Strips {
    /// The records of the vertices, primitive by primitive.
    pub records: Vec<u32>,
    /// What of the outline of each primitive there is, of lines.
    pub outlines: Vec<Outline>,
}

/// Appends the vertices of the primitives that a lane's events make in one stream. `first` is the record of its vertex 0.
/// Strips that are too short make nothing; in strips of triangles every second one has its first two vertices swapped, or its last two where
/// the first one provokes.
pub(super) fn assemble(
    (shape, provoking): (Shape, Provoking),
    stream: u8,
    events: impl Iterator<Item = Event>,
    first: u32,
    strip: &mut Vec<u32>,
    made: &mut Strips,
) {
    let mut end = |strip: &mut Vec<u32>| {
        match shape {
            Shape::Point => made.records.extend(&*strip),
            Shape::Line => {
                for (k, line) in strip.windows(2).enumerate() {
                    made.records.extend(line);
                    made.outlines.push(if k == 0 { Outline::WHOLE } else { Outline::continued() });
                }
            }
            Shape::Triangle => {
                for (k, triangle) in strip.windows(3).enumerate() {
                    let odd = k % 2;
                    let places = match provoking {
                        Provoking::Last => [odd, 1 - odd, 2],
                        Provoking::First => [0, 1 + odd, 2 - odd],
                    };
                    made.records.extend(places.map(|place| triangle[place]));
                }
            }
        }
        strip.clear();
    };
    strip.clear();
    for event in events {
        match event {
            Event::Emit { stream: to, vertex } if to == stream => strip.push(first + u32::from(vertex)),
            Event::Cut { stream: of } if of == stream => end(strip),
            Event::Emit { .. } | Event::Cut { .. } => {}
        }
    }
    end(strip);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(shape: (Shape, Provoking), stream: u8, events: &str) -> Strips {
        let mut vertex = 0;
        let events = events.chars().map(|event| match event {
            '|' => Event::Cut { stream: 0 },
            stream => {
                vertex += 1;
                Event::Emit { stream: stream as u8 - b'0', vertex: vertex - 1 }
            }
        });
        let mut made = Strips::default();
        assemble(shape, stream, events, 10, &mut Vec::new(), &mut made);
        made
    }

    fn primitives(shape: Shape, stream: u8, events: &str) -> Vec<u32> {
        made((shape, Provoking::Last), stream, events).records
    }

    #[test]
    fn strips_end_at_cuts_and_swap_every_second_triangle() {
        assert_eq!(primitives(Shape::Triangle, 0, "00000"), [10, 11, 12, 12, 11, 13, 12, 13, 14]);
        assert_eq!(primitives(Shape::Triangle, 0, "000|0000|00"), [10, 11, 12, 13, 14, 15, 15, 14, 16]);
        assert_eq!(primitives(Shape::Line, 0, "000|0|00"), [10, 11, 11, 12, 14, 15]);
        assert_eq!(primitives(Shape::Point, 0, "00|0"), [10, 11, 12]);
    }

    #[test]
    fn the_first_vertex_can_provoke() {
        let made = made((Shape::Triangle, Provoking::First), 0, "00000");
        assert_eq!(made.records, [10, 11, 12, 11, 13, 12, 12, 13, 14]);
    }

    #[test]
    fn lines_of_a_strip_follow_each_other() {
        let made = made((Shape::Line, Provoking::Last), 0, "000|0|00");
        let continues: Vec<bool> = made.outlines.iter().map(|outline| outline.continues()).collect();
        assert_eq!(continues, [false, true, false]);
    }

    #[test]
    fn streams_are_apart() {
        assert_eq!(primitives(Shape::Point, 1, "0120113"), [11, 14, 15]);
        assert_eq!(primitives(Shape::Line, 0, "0100"), [10, 12, 12, 13]);
        assert!(primitives(Shape::Point, 2, "0|1").is_empty());
    }
}
