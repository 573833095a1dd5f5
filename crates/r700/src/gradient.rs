//! What a register gets over the pixels of a primitive: components that are linear in the place of the lane.
//!
//! Arithmetic is that of binary64, each operation rounded once, in the order in which [`Gradient::at`] has it.

use ctm_num::flush;

/// A NaN that interpolation gives.
pub(crate) const NAN: u32 = ctm_num::transcendental::NAN;

/// The components of a register over the lanes of an area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gradient {
    /// Added to the lane's column and row: the lanes are a part of a larger area. The sums have at most 31 bits.
    pub first: [u32; 2],
    /// Added to that column and row, as binary64 numbers (bits): the place at which planes are taken.
    pub offset: [u64; 2],
    /// The plane that those of components are divided by, if any.
    pub divisor: Option<LinearPlane>,
    /// The components.
    pub components: [Component; 4],
}

/// A component over the lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Component {
    /// The same bits in all lanes.
    Value(u32),
    /// The column as a float, plus this number (bits).
    Column(u32),
    /// The row as a float, plus this number (bits).
    Row(u32),
    /// By a plane: rounded to binary32; denormals are zeros of their sign.
    Plane(LinearPlane),
}

/// A linear function of places: bits of binary64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinearPlane {
    /// The value at place (0, 0).
    pub value: u64,
    /// What a column adds.
    pub dx: u64,
    /// What a row adds.
    pub dy: u64,
}

impl LinearPlane {
    fn at(&self, [x, y]: [f64; 2]) -> f64 {
        let LinearPlane { value, dx, dy } = *self;
        f64::from_bits(value) + f64::from_bits(dx) * x + f64::from_bits(dy) * y
    }
}

impl Gradient {
    /// What the register holds in the lane of this column and row.
    pub fn at(&self, column: u32, row: u32) -> [u32; 4] {
        let lane = [column.wrapping_add(self.first[0]), row.wrapping_add(self.first[1])];
        let place = [0, 1].map(|axis| f64::from(lane[axis].cast_signed()) + f64::from_bits(self.offset[axis]));
        let moved = |lane: u32, number: u32| {
            let sum = flush((lane as f32 + f32::from_bits(flush(number))).to_bits());
            if f32::from_bits(sum).is_nan() { NAN } else { sum }
        };
        self.components.map(|component| match component {
            Component::Value(bits) => bits,
            Component::Column(number) => moved(lane[0], number),
            Component::Row(number) => moved(lane[1], number),
            Component::Plane(plane) => {
                let value = match &self.divisor {
                    Some(divisor) => plane.at(place) / divisor.at(place),
                    None => plane.at(place),
                };
                let value = value as f32;
                if value.is_nan() { NAN } else { flush(value.to_bits()) }
            }
        })
    }
}
