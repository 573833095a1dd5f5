//! Wireframes as SVG pictures.

use ctm_sm50::pipeline::{Shape, Wireframe};
use std::fmt::Write;

/// Length of the picture's longer side without its margins.
const SIDE: f64 = 720.0;
/// Margin on each side.
const MARGIN: f64 = 12.0;
/// A colour that stands out from white and from black.
const COLOUR: &str = "#4d86c4";
/// How visible the farthest and the nearest lines are.
const OPACITY: (f64, f64) = (0.35, 1.0);
/// Steps between them.
const BANDS: usize = 8;

/// From the smallest to the largest value.
struct Range {
    min: f64,
    max: f64,
}

impl Range {
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let all = values.fold(None, |range, value| match range {
            None => Some((value, value)),
            Some((min, max)) => Some((value.min(min), value.max(max))),
        });
        let (min, max) = all.unwrap_or((0.0, 0.0));
        Range { min, max }
    }

    fn length(&self) -> f64 {
        self.max - self.min
    }
}

/// Draws all lines, or all points if there are no lines, seen along z with y upwards, and fitted into the picture. What is
/// near (small z) is drawn over what is far, and stronger.
pub fn svg(frame: &Wireframe) -> String {
    let axis = |axis: usize| Range::of(frame.points.iter().map(move |point| point[axis]));
    let (x, y, z) = (axis(0), axis(1), axis(2));
    let longer = x.length().max(y.length());
    let scale = if longer > 0.0 { SIDE / longer } else { 1.0 };
    let (width, height) = (x.length() * scale + 2.0 * MARGIN, y.length() * scale + 2.0 * MARGIN);
    let coordinates = |point: u32| {
        let [px, py, _] = frame.points[point as usize];
        format!("{} {}", shown(MARGIN + (px - x.min) * scale), shown(MARGIN + (y.max - py) * scale))
    };
    let band = |depth: f64| {
        let nearness = if z.length() > 0.0 { (z.max - depth) / z.length() } else { 1.0 };
        ((nearness * BANDS as f64) as usize).min(BANDS - 1)
    };

    let mut bands: [String; BANDS] = Default::default();
    let (stroke, cap) = if frame.shape == Shape::Point {
        for (&[_, _, depth], number) in frame.points.iter().zip(0..) {
            write!(bands[band(depth)], "M{}h0", coordinates(number)).expect("writing to a string");
        }
        (5.0, "round")
    } else {
        for (a, b) in frame.edges() {
            let depth = (frame.points[a as usize][2] + frame.points[b as usize][2]) / 2.0;
            write!(bands[band(depth)], "M{}L{}", coordinates(a), coordinates(b)).expect("writing to a string");
        }
        (1.25, "round")
    };

    let (width, height) = (shown(width), shown(height));
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <g fill=\"none\" stroke=\"{COLOUR}\" stroke-width=\"{stroke}\" stroke-linecap=\"{cap}\">\n"
    );
    for (number, lines) in bands.iter().enumerate().filter(|(_, lines)| !lines.is_empty()) {
        let nearness = number as f64 / (BANDS - 1) as f64;
        let opacity = shown(OPACITY.0 + (OPACITY.1 - OPACITY.0) * nearness);
        writeln!(text, "<path opacity=\"{opacity}\" d=\"{lines}\"/>").expect("writing to a string");
    }
    text + "</g>\n</svg>\n"
}

/// A number with two digits after the point at most.
fn shown(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_view_fits_and_y_goes_up() {
        let triangle = [[-1.0, -1.0, 0.0, 1.0], [3.0, -1.0, 0.0, 1.0], [-1.0, 1.0, 0.0, 1.0]];
        let picture = svg(&Wireframe::new(Shape::Triangle, &triangle));
        assert!(picture.contains("viewBox=\"0 0 744 384\""), "{picture}");
        assert!(picture.contains("d=\"M12 372L732 372M12 372L12 12M732 372L12 12\""), "{picture}");
        let nothing = svg(&Wireframe::new(Shape::Line, &[]));
        assert!(nothing.contains("viewBox=\"0 0 24 24\""), "{nothing}");
    }

    #[test]
    fn what_is_near_is_drawn_last_and_strongest() {
        let lines = [[0.0, 0.0, -1.0, 1.0], [1.0, 0.0, -1.0, 1.0], [0.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]];
        let picture = svg(&Wireframe::new(Shape::Line, &lines));
        let (far, near) =
            (picture.find("0.35").expect("a far line"), picture.find("opacity=\"1\"").expect("a near one"));
        assert!(far < near);
    }
}
