//! From the events of a geometry lane to primitives.

use super::primitive::Shape;
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

/// Appends the vertices of the primitives that a lane's events make in one stream. `first` is the record of its vertex 0.
/// Strips that are too short make nothing; in strips of triangles every second one has its first two vertices swapped.
pub(super) fn assemble(
    shape: Shape,
    stream: u8,
    events: impl Iterator<Item = Event>,
    first: u32,
    strip: &mut Vec<u32>,
    records: &mut Vec<u32>,
) {
    let mut end = |strip: &mut Vec<u32>| {
        match shape {
            Shape::Point => records.extend(&*strip),
            Shape::Line => strip.windows(2).for_each(|line| records.extend(line)),
            Shape::Triangle => {
                for (k, triangle) in strip.windows(3).enumerate() {
                    let odd = k % 2;
                    records.extend([triangle[odd], triangle[1 - odd], triangle[2]]);
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

    fn primitives(shape: Shape, stream: u8, events: &str) -> Vec<u32> {
        let mut vertex = 0;
        let events = events.chars().map(|event| match event {
            '|' => Event::Cut { stream: 0 },
            stream => {
                vertex += 1;
                Event::Emit { stream: stream as u8 - b'0', vertex: vertex - 1 }
            }
        });
        let mut records = Vec::new();
        assemble(shape, stream, events, 10, &mut Vec::new(), &mut records);
        records
    }

    #[test]
    fn strips_end_at_cuts_and_swap_every_second_triangle() {
        assert_eq!(primitives(Shape::Triangle, 0, "00000"), [10, 11, 12, 12, 11, 13, 12, 13, 14]);
        assert_eq!(primitives(Shape::Triangle, 0, "000|0000|00"), [10, 11, 12, 13, 14, 15, 15, 14, 16]);
        assert_eq!(primitives(Shape::Line, 0, "000|0|00"), [10, 11, 11, 12, 14, 15]);
        assert_eq!(primitives(Shape::Point, 0, "00|0"), [10, 11, 12]);
    }

    #[test]
    fn streams_are_apart() {
        assert_eq!(primitives(Shape::Point, 1, "0120113"), [11, 14, 15]);
        assert_eq!(primitives(Shape::Line, 0, "0100"), [10, 12, 12, 13]);
        assert!(primitives(Shape::Point, 2, "0|1").is_empty());
    }
}
