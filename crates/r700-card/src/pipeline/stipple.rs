//! Which pixels of lines are left out.

use super::pixels::GRID;
use crate::registers::codes::StippleReset;
use crate::registers::{PaScLineStipple, RegisterFile};
use ctm_raster::grid::{Point, Rect};
use ctm_raster::outline::LineDirection;

/// The pattern of lines, and how far it is.
#[derive(Clone, Debug)]
pub struct Stipple {
    pattern: u16,
    /// Pixels for each of its bits.
    repeat: i64,
    reset: StippleReset,
    /// Pixels of lines so far.
    passed: i64,
}

impl Stipple {
    /// As the registers say, at the beginning of a draw.
    pub fn of(registers: &RegisterFile) -> Self {
        let fields = registers.get::<PaScLineStipple>();
        let pattern = match fields.pattern_bit_order {
            true => fields.line_pattern.reverse_bits(),
            false => fields.line_pattern,
        };
        Stipple { pattern, repeat: i64::from(fields.repeat_count) + 1, reset: fields.auto_reset_cntl, passed: 0 }
    }

    /// A primitive begins.
    pub fn begin_primitive(&mut self) {
        if self.reset == StippleReset::Primitive {
            self.passed = 0;
        }
    }

    /// Of a line between two points, that has this shape: the parts of `clip` where the pattern lets it be drawn. The pattern goes on with the
    /// next line.
    pub fn parts(&mut self, [from, to]: [Point; 2], shape: &[Point], clip: Rect) -> Vec<Rect> {
        let direction = LineDirection::of(from, to);
        let along = |point: &Point| if direction.is_x_major() { point.x } else { point.y };
        let (start, end) = (along(&from), along(&to));
        let first = start.div_euclid(GRID.per_pixel);
        let low = shape.iter().map(along).fold(i64::MAX, i64::min).div_euclid(GRID.per_pixel);
        let high = shape.iter().map(along).fold(i64::MIN, i64::max).div_euclid(GRID.per_pixel);
        let (clip_low, clip_high) =
            if direction.is_x_major() { (clip.left, clip.right) } else { (clip.top, clip.bottom) };
        let pixels = low.max(clip_low.into())..(high + 1).min(clip_high.into());
        let passed = self.passed;
        let is_drawn = |pixel: i64| {
            let step = (passed + (pixel - first).abs()) / self.repeat % 16;
            self.pattern >> step & 1 != 0
        };
        let mut parts: Vec<Rect> = Vec::new();
        let mut run: Option<u32> = None;
        for pixel in pixels.start..pixels.end.max(pixels.start) + 1 {
            let drawn = pixel < pixels.end && is_drawn(pixel);
            match (run, drawn) {
                (None, true) => run = Some(pixel as u32),
                (Some(first), false) => {
                    let part = match direction.is_x_major() {
                        true => Rect { left: first, right: pixel as u32, ..clip },
                        false => Rect { top: first, bottom: pixel as u32, ..clip },
                    };
                    parts.push(part);
                    run = None;
                }
                (Some(_), true) | (None, false) => {}
            }
        }
        self.passed += ((end - start).abs() + GRID.per_pixel / 2) / GRID.per_pixel;
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registers::{RegisterType, after_reset};
    use ctm_raster::outline::{LineEnds, line};

    fn at(x: i64, y: i64) -> Point {
        Point { x: x * 256 + 128, y: y * 256 + 128 }
    }

    fn of(value: u32) -> Stipple {
        let mut registers = after_reset();
        registers.write(PaScLineStipple::ADDRESS, value);
        Stipple::of(&registers)
    }

    fn columns(stipple: &mut Stipple, from: Point, to: Point) -> Vec<(u32, u32)> {
        let shape = line(from, to, 128, LineEnds::AcrossMajor);
        let clip = Rect { left: 0, top: 0, right: 64, bottom: 64 };
        let parts = stipple.parts([from, to], &shape, clip);
        parts.iter().map(|part| (part.left, part.right)).collect()
    }

    #[test]
    fn patterns_run_along_lines() {
        // Bits 0, 1 and 3, two pixels each.
        let mut stipple = of(1 << 16 | 0b1011);
        assert_eq!(columns(&mut stipple, at(10, 5), at(30, 5)), [(10, 14), (16, 18)]);
        // It goes on: 20 pixels have passed, so bit 10 is next, and bit 16 is bit 0.
        assert_eq!(columns(&mut stipple, at(30, 5), at(50, 5)), [(42, 46), (48, 50)]);
        stipple.begin_primitive();
        assert_eq!(stipple.passed, 40);
        let mut each = of(1 << 29 | 0b0001);
        columns(&mut each, at(0, 0), at(7, 0));
        each.begin_primitive();
        assert_eq!(columns(&mut each, at(9, 0), at(12, 0)), [(9, 10)]);
    }

    #[test]
    fn patterns_follow_the_direction() {
        // Leftwards, the pixel of the start counts, but the line covers it not.
        assert_eq!(columns(&mut of(0b11), at(20, 5), at(10, 5)), [(19, 21)]);
        let mut downwards = of(0b1);
        let (from, to) = (at(5, 7), at(5, 20));
        let shape = line(from, to, 128, LineEnds::AcrossMajor);
        let clip = Rect { left: 0, top: 0, right: 64, bottom: 64 };
        assert_eq!(downwards.parts([from, to], &shape, clip), [Rect { top: 7, bottom: 8, ..clip }]);
        assert_eq!(downwards.parts([from, to], &shape, Rect { top: 30, ..clip }), []);
    }
}
