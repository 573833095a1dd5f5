//! The alpha test.

use ctm_num::convert::{f16_to_f32, f32_to_f16, f32_to_unorm};
use ctm_raster::depth::CompareFunction;

/// An alpha test, by what is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlphaTest {
    /// Alpha, with a reference (bits of binary32).
    Float {
        /// The comparison.
        function: CompareFunction,
        /// The reference.
        reference: u32,
    },
    /// Alpha as a number from 0 to 1, with a reference (bits of binary32).
    Clamped {
        /// The comparison.
        function: CompareFunction,
        /// The reference.
        reference: u32,
    },
    /// Alpha as binary16, with a reference (bits of binary32).
    Half {
        /// The comparison.
        function: CompareFunction,
        /// The reference.
        reference: u32,
    },
    /// Alpha as an integer from 0 to `max`.
    Code {
        /// The comparison.
        function: CompareFunction,
        /// The code of 1.
        max: u32,
        /// The reference.
        reference: u32,
    },
}

impl AlphaTest {
    /// Alpha (bits) and the reference, in the same units.
    pub fn compared(&self, alpha: u32) -> (f32, f32) {
        match *self {
            AlphaTest::Float { reference, .. } => (f32::from_bits(alpha), f32::from_bits(reference)),
            // What is not a number is 0.
            AlphaTest::Clamped { reference, .. } => {
                let alpha = f32::from_bits(alpha);
                (if alpha > 0.0 { alpha.min(1.0) } else { 0.0 }, f32::from_bits(reference))
            }
            AlphaTest::Half { reference, .. } => {
                (f32::from_bits(f16_to_f32(f32_to_f16(alpha))), f32::from_bits(reference))
            }
            AlphaTest::Code { max, reference, .. } => (f32_to_unorm(alpha, max) as f32, reference as f32),
        }
    }

    /// Whether a fragment with this alpha (bits) passes.
    pub fn passes(&self, alpha: u32) -> bool {
        let (alpha, reference) = self.compared(alpha);
        match self {
            AlphaTest::Float { function, .. }
            | AlphaTest::Clamped { function, .. }
            | AlphaTest::Half { function, .. }
            | AlphaTest::Code { function, .. } => function.holds(alpha, reference),
        }
    }
}
