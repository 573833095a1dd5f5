//! Linear functions along a row of pixels: the same numbers as place by place, computed together.

use crate::bits;
use crate::plane::{DepthPlane, Perspective, Plane, Setup};

/// The places of a row of pixels, seen from vertex 0 of a primitive.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// To the right, of each.
    across: Vec<f64>,
    /// Downwards.
    down: f64,
    /// The plane of 1/w at each; empty if attributes are linear on the screen.
    divisors: Vec<f64>,
}

impl Row {
    /// So many columns from this place on, each a pixel to the right of the one before it. A line comes next.
    pub fn set_columns(&mut self, setup: &Setup, x: i64, count: usize) {
        let step = setup.per_pixel() as i64;
        self.across.clear();
        self.across.extend((0..count as i64).map(|n| setup.across(x + n * step)));
    }

    /// The line in which the columns are.
    pub fn set_line(&mut self, setup: &Setup, perspective: Option<&Perspective>, y: i64) {
        self.down = setup.down(y);
        self.divisors.clear();
        if let Some(plane) = perspective.and_then(Perspective::divisor) {
            let down = plane.dy * self.down;
            self.divisors.extend(self.across.iter().map(|across| plane.value + plane.dx * across + down));
        }
    }

    /// The bits of an attribute at each place, as [`AttributePlane::at`](crate::plane::AttributePlane::at) gives them.
    pub fn attribute(&self, plane: &Plane, values: &mut [u32]) {
        let down = plane.dy * self.down;
        let result = |value: f64| ctm_num::flush(bits(value as f32));
        if self.divisors.is_empty() {
            for (value, across) in values.iter_mut().zip(&self.across) {
                *value = result(plane.value + plane.dx * across + down);
            }
        } else {
            for (value, (across, divisor)) in values.iter_mut().zip(self.across.iter().zip(&self.divisors)) {
                *value = result((plane.value + plane.dx * across + down) / divisor);
            }
        }
    }

    /// The depth at each place, as [`DepthPlane::at`] gives it.
    pub fn depth(&self, depth: &DepthPlane, max: u32, values: &mut [u32]) {
        let plane = depth.plane();
        let down = plane.dy * self.down;
        for (value, across) in values.iter_mut().zip(&self.across) {
            *value = DepthPlane::nearest(plane.value + plane.dx * across + down, max);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Grid, Point};
    use crate::plane::AttributePlane;

    #[test]
    fn rows_are_their_places() {
        let grid = Grid { per_pixel: 12 };
        arbtest::arbtest(|u| {
            let mut point = || Ok(Point { x: u.int_in_range(-500..=500)?, y: u.int_in_range(-500..=500)? });
            let Some(setup) = Setup::triangle(grid, [point()?, point()?, point()?]) else { return Ok(()) };
            let first = point()?;
            let mut value = || Ok(u.int_in_range(-40..=40)? as f32 / *u.choose(&[16.0f32, 0.0, 1e38, 1e-38])?);
            let mut values = || Ok([value()?, value()?, value()?]);
            let (depths, attribute) = (values()?, values()?);
            let w = if u.arbitrary()? { [1.0, 0.5, 2.0] } else { [0.25; 3] };
            let perspective = Perspective::new(setup, w.map(f32::to_bits));
            let mut row = Row::default();
            let count = u.int_in_range(0..=9)?;
            row.set_columns(&setup, first.x, count);
            row.set_line(&setup, Some(&perspective), first.y);
            let place = |n: usize| Point { x: first.x + 12 * n as i64, y: first.y };
            let depth = DepthPlane::new(&setup, depths);
            let mut found = vec![7; count];
            row.depth(&depth, 0xFFFF, &mut found);
            let expected: Vec<u32> = (0..count).map(|n| depth.at(setup.offset(place(n)), 0xFFFF)).collect();
            assert_eq!(found, expected);
            if let plane @ AttributePlane::Varying(numbers) = perspective.attribute(attribute.map(f32::to_bits)) {
                row.attribute(&numbers, &mut found);
                let expected: Vec<u32> = (0..count).map(|n| plane.at(&perspective.place(place(n)))).collect();
                assert_eq!(found, expected);
            }
            Ok(())
        });
    }
}
