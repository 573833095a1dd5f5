//! Which pixels of lines are left out.

use crate::registers::{GaLineStippleConfig, GaLineStippleValue, RegisterFile};
use ctm_raster::outline::LineDirection;

/// The pattern of lines.
#[derive(Clone, Copy, Debug)]
pub struct Stipple {
    pattern: u32,
    /// Pixels for each of its bits.
    factor: f64,
}

impl Stipple {
    /// As the registers say; `None` if no pixels are left out.
    pub fn of(registers: &RegisterFile) -> Option<Self> {
        let config = registers.get::<GaLineStippleConfig>();
        let factor = f64::from(f32::from_bits(config.scale << 2));
        (config.reset != 0).then(|| Stipple {
            pattern: registers.get::<GaLineStippleValue>().value,
            factor: if factor > 0.0 { factor } else { 1.0 },
        })
    }

    /// The pattern along a line in this direction, whose first pixel has this column or row, after so many pixels of lines that it continues.
    pub fn along(self, direction: LineDirection, first: i64, before: i64) -> LineStipple {
        LineStipple { stipple: self, is_x_major: direction.is_x_major(), first, before }
    }
}

/// The pattern along a line.
#[derive(Clone, Copy, Debug)]
pub struct LineStipple {
    stipple: Stipple,
    is_x_major: bool,
    first: i64,
    before: i64,
}

impl LineStipple {
    /// Whether a pixel is drawn.
    pub fn draws(&self, x: u32, y: u32) -> bool {
        let at = i64::from(if self.is_x_major { x } else { y });
        let Stipple { pattern, factor } = self.stipple;
        let bit = ((self.before + (at - self.first).abs()) as f64 / factor).floor() as i64 & 15;
        pattern >> bit & 1 != 0
    }
}
