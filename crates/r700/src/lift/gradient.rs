//! Gradients: interpolation in front of the program.

use super::machine::LiftState;
use super::specialisation::{ComponentLayout, TableBinding};
use crate::gradient::{Component, Gradient, LinearPlane, NAN};
use ctm_lane::{Bits, Denorm, IntTest, Rounding, Table, Value};

/// Entries of the table of a gradient: see [`gradient_words`].
const ENTRIES: u32 = 64;
/// Where its entries are: the first column and row, what is added to both, the divisor, and six for each component.
const FIRST: u32 = 0;
const OFFSET: u32 = 2;
const DIVISOR: u32 = 6;
const COMPONENTS: u32 = 12;
/// Entries of a plane.
const PLANE: u32 = 6;

const SIGN: u32 = 0x8000_0000;
const EXPONENT: u32 = 0x7F80_0000;

/// A number of binary64: its low and its high word.
type Double = [Value; 2];

/// The entries of [`TableBinding::Gradient`].
pub fn gradient_words(gradient: &Gradient) -> Vec<u32> {
    let mut words = vec![0; ENTRIES as usize];
    let mut put = |first: u32, values: &[u32]| {
        words.iter_mut().skip(first as usize).zip(values).for_each(|(word, &value)| *word = value);
    };
    let halves = |number: u64| [number as u32, (number >> 32) as u32];
    let of_plane = |plane: &LinearPlane| [plane.value, plane.dx, plane.dy].map(halves);
    put(FIRST, &gradient.first);
    put(OFFSET, gradient.offset.map(halves).as_flattened());
    if let Some(divisor) = &gradient.divisor {
        put(DIVISOR, of_plane(divisor).as_flattened());
    }
    for (number, component) in (0..).zip(&gradient.components) {
        let first = COMPONENTS + PLANE * number;
        match component {
            Component::Value(bits) | Component::Column(bits) | Component::Row(bits) => put(first, &[*bits]),
            Component::Plane(plane) => put(first, of_plane(plane).as_flattened()),
        }
    }
    words
}

impl LiftState<'_> {
    /// What a register gets.
    pub(super) fn gradient(&mut self, register: u8, is_divided: bool, components: &[ComponentLayout; 4]) -> [Value; 4] {
        let table = self.table(TableBinding::Gradient(register), ENTRIES, false);
        let lane = [self.b.pos_x(), self.b.pos_y()];
        let lane = [0, 1].map(|axis| {
            let first = self.b.table_splat(table, FIRST + axis as u32);
            self.b.iadd(lane[axis], first)
        });
        let place = components.contains(&ComponentLayout::Plane).then(|| {
            [0, 1].map(|axis| {
                let (low, high) = (OFFSET + 2 * axis as u32, OFFSET + 2 * axis as u32 + 1);
                let offset = [self.b.table_splat(table, low), self.b.table_splat(table, high)];
                let number = self.b.itod(lane[axis]);
                self.b.dadd(Rounding::Even, number[0], number[1], offset[0], offset[1])
            })
        });
        let divisor = place.filter(|_| is_divided).map(|place| self.plane(table, DIVISOR, place));
        [0, 1, 2, 3].map(|number| {
            let first = COMPONENTS + PLANE * number;
            match (components[number as usize], place) {
                (ComponentLayout::Plane, Some(place)) => {
                    let value = self.plane(table, first, place);
                    let value = match divisor {
                        Some(divisor) => self.b.ddiv(value[0], value[1], divisor[0], divisor[1]),
                        None => value,
                    };
                    self.rounded(value)
                }
                (kind @ (ComponentLayout::Column | ComponentLayout::Row), _) => {
                    let number = self.b.table_splat(table, first);
                    let lane = self.b.utof(lane[usize::from(kind == ComponentLayout::Row)]);
                    let moved = self.b.fadd(Denorm::Flush, lane, number);
                    self.b.canon_nan(Bits(NAN), moved)
                }
                (ComponentLayout::Value | ComponentLayout::Plane, _) => self.b.table_splat(table, first),
            }
        })
    }

    /// A plane whose numbers begin at this entry, at a place.
    fn plane(&mut self, table: Table, entry: u32, place: [Double; 2]) -> Double {
        let b = &mut self.b;
        let [value, dx, dy] =
            [0, 2, 4].map(|at| [b.table_splat(table, entry + at), b.table_splat(table, entry + at + 1)]);
        let [across, down] = [(dx, place[0]), (dy, place[1])]
            .map(|(slope, place)| b.dmul(Rounding::Even, slope[0], slope[1], place[0], place[1]));
        let sum = b.dadd(Rounding::Even, value[0], value[1], across[0], across[1]);
        b.dadd(Rounding::Even, sum[0], sum[1], down[0], down[1])
    }

    /// As binary32, where denormals are zeros of their sign.
    fn rounded(&mut self, value: Double) -> Value {
        let b = &mut self.b;
        let value = b.dtof(Rounding::Even, value[0], value[1]);
        let (sign, exponent, zero) = (b.constant(SIGN), b.constant(EXPONENT), b.constant(0));
        let (signed_zero, size) = (b.and(value, sign), b.and(value, exponent));
        let is_small = b.icmp(IntTest::Eq, size, zero);
        let value = b.select(is_small, signed_zero, value);
        b.canon_nan(Bits(NAN), value)
    }
}
