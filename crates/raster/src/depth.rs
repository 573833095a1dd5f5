//! The depth and the stencil test of one sample.

/// A comparison; true if "incoming OP stored".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareFunction {
    /// Never true.
    Never,
    /// Incoming is less.
    Less,
    /// Incoming is not greater.
    LessOrEqual,
    /// Both are equal.
    Equal,
    /// Incoming is not less.
    GreaterOrEqual,
    /// Incoming is greater.
    Greater,
    /// They differ.
    NotEqual,
    /// Always true.
    Always,
}

impl CompareFunction {
    /// Every function.
    pub const ALL: [CompareFunction; 8] = [
        CompareFunction::Never,
        CompareFunction::Less,
        CompareFunction::LessOrEqual,
        CompareFunction::Equal,
        CompareFunction::GreaterOrEqual,
        CompareFunction::Greater,
        CompareFunction::NotEqual,
        CompareFunction::Always,
    ];

    /// The comparison in words.
    pub const fn name(self) -> &'static str {
        match self {
            CompareFunction::Never => "never",
            CompareFunction::Less => "less",
            CompareFunction::LessOrEqual => "less or equal",
            CompareFunction::Equal => "equal",
            CompareFunction::GreaterOrEqual => "greater or equal",
            CompareFunction::Greater => "greater",
            CompareFunction::NotEqual => "not equal",
            CompareFunction::Always => "always",
        }
    }

    /// Whether the comparison holds.
    #[inline]
    pub fn holds<T: PartialOrd>(self, incoming: T, stored: T) -> bool {
        match self {
            CompareFunction::Never => false,
            CompareFunction::Less => incoming < stored,
            CompareFunction::LessOrEqual => incoming <= stored,
            CompareFunction::Equal => incoming == stored,
            CompareFunction::GreaterOrEqual => incoming >= stored,
            CompareFunction::Greater => incoming > stored,
            CompareFunction::NotEqual => incoming != stored,
            CompareFunction::Always => true,
        }
    }
}

/// What the integers are that depths are compared as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DepthNumbers {
    /// Fractions of so many bits, from 0 to 1.
    Fraction(u32),
    /// Bits of binary32 numbers, as integers of the same order: [`key_of_float`].
    OrderedFloat,
}

impl DepthNumbers {
    /// The number that a depth means.
    pub fn value(self, depth: u32) -> f64 {
        match self {
            DepthNumbers::Fraction(bits) => f64::from(depth) / f64::from((1u32 << bits) - 1),
            DepthNumbers::OrderedFloat => f32::from_bits(float_of_key(depth)).into(),
        }
    }

    /// Bits of a depth.
    pub fn bits(self) -> u32 {
        match self {
            DepthNumbers::Fraction(bits) => bits,
            DepthNumbers::OrderedFloat => 32,
        }
    }
}

/// Bits of a binary32 number as an integer; these are in the order of the numbers.
#[inline]
pub fn key_of_float(bits: u32) -> u32 {
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

/// The bits whose [`key_of_float`] it is.
#[inline]
pub fn float_of_key(key: u32) -> u32 {
    if key >> 31 == 0 { !key } else { key & !(1 << 31) }
}

/// What becomes of the stencil value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StencilOperation {
    /// It stays.
    Keep,
    /// 0.
    Zero,
    /// The reference.
    Replace,
    /// One more, at most 255.
    IncrementClamp,
    /// One less, at least 0.
    DecrementClamp,
    /// Its complement.
    Invert,
    /// One more, modulo 256.
    IncrementWrap,
    /// One less, modulo 256.
    DecrementWrap,
}

impl StencilOperation {
    /// The new value.
    #[inline]
    pub fn apply(self, stored: u8, reference: u8) -> u8 {
        match self {
            StencilOperation::Keep => stored,
            StencilOperation::Zero => 0,
            StencilOperation::Replace => reference,
            StencilOperation::IncrementClamp => stored.saturating_add(1),
            StencilOperation::DecrementClamp => stored.saturating_sub(1),
            StencilOperation::Invert => !stored,
            StencilOperation::IncrementWrap => stored.wrapping_add(1),
            StencilOperation::DecrementWrap => stored.wrapping_sub(1),
        }
    }
}

/// The side of a primitive that is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Facing {
    /// The front. Points and lines have no other side.
    Front,
    /// The back.
    Back,
}

impl Facing {
    /// Which of both states counts.
    #[inline]
    fn of(self, [front, back]: &[StencilState; 2]) -> &StencilState {
        match self {
            Facing::Front => front,
            Facing::Back => back,
        }
    }
}

/// The stencil test for primitives of one facing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StencilState {
    /// Compares the reference with the stored value, both masked.
    pub function: CompareFunction,
    /// The reference.
    pub reference: u8,
    /// Bits that are compared.
    pub mask: u8,
    /// Bits that are written.
    pub write_mask: u8,
    /// If the stencil test fails.
    pub fail: StencilOperation,
    /// If the stencil test passes and the depth test fails.
    pub depth_fail: StencilOperation,
    /// If both pass.
    pub pass: StencilOperation,
}

/// The depth test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DepthState {
    /// Compares the incoming depth with the stored one.
    pub function: CompareFunction,
    /// Whether depths that pass are stored.
    pub write: bool,
}

/// Both tests. A test that is `None` passes, and writes nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct DepthStencilState {
    /// The depth test.
    pub depth: Option<DepthState>,
    /// The stencil tests of front and back faces.
    pub stencil: Option<[StencilState; 2]>,
}

impl DepthStencilState {
    /// What tests that every sample passes store for this depth; `None` if a sample may fail, or if that depends on what is stored.
    pub fn fill(&self, incoming: u32, facing: Facing) -> Option<DepthStencilFill> {
        let depth = match self.depth {
            Some(DepthState { function: CompareFunction::Always, write }) => write.then_some(incoming),
            Some(_) => return None,
            None => None,
        };
        let Some(states) = &self.stencil else { return Some(DepthStencilFill { depth, stencil: 0, stencil_bits: 0 }) };
        let side = facing.of(states);
        let (stencil, stencil_bits) = match side.pass {
            StencilOperation::Keep => (0, 0),
            StencilOperation::Zero => (0, side.write_mask),
            StencilOperation::Replace => (side.reference, side.write_mask),
            StencilOperation::IncrementClamp
            | StencilOperation::DecrementClamp
            | StencilOperation::Invert
            | StencilOperation::IncrementWrap
            | StencilOperation::DecrementWrap => return None,
        };
        (side.function == CompareFunction::Always).then_some(DepthStencilFill { depth, stencil, stencil_bits })
    }
}

/// What is stored for all samples alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DepthStencilFill {
    /// Depth, if it is stored.
    pub depth: Option<u32>,
    /// Stencil.
    pub stencil: u8,
    /// The bits of the stencil value that are stored.
    pub stencil_bits: u8,
}

/// What is stored of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DepthStencilValue {
    /// Depth, in units of the buffer.
    pub depth: u32,
    /// Stencil.
    pub stencil: u8,
}

/// What the tests say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DepthStencilResult {
    /// Whether the sample passes both tests.
    pub passed: bool,
    /// What is to be stored.
    pub stored: DepthStencilValue,
}

/// Tests a sample: stencil, then depth; then the stencil value is updated, and the depth if the sample passes.
#[inline]
pub fn test(state: &DepthStencilState, stored: DepthStencilValue, incoming: u32, facing: Facing) -> DepthStencilResult {
    let depth_passes = state.depth.is_none_or(|depth| depth.function.holds(incoming, stored.depth));
    let (stencil_passes, stencil) = match &state.stencil {
        None => (true, stored.stencil),
        Some(states) => {
            let side = facing.of(states);
            let passes = side.function.holds(side.reference & side.mask, stored.stencil & side.mask);
            let operation = match (passes, depth_passes) {
                (false, _) => side.fail,
                (true, false) => side.depth_fail,
                (true, true) => side.pass,
            };
            let new = operation.apply(stored.stencil, side.reference);
            (passes, stored.stencil & !side.write_mask | new & side.write_mask)
        }
    };
    let passed = stencil_passes && depth_passes;
    let writes = passed && state.depth.is_some_and(|depth| depth.write);
    DepthStencilResult {
        passed,
        stored: DepthStencilValue { depth: if writes { incoming } else { stored.depth }, stencil },
    }
}

#[cfg(test)]
mod tests {
    use super::StencilOperation::*;
    use super::*;
    use std::cmp::Ordering;

    #[test]
    fn functions_hold_for_the_orders_of_their_names() {
        let table = [(0, "none"), (1, "<"), (3, "<="), (2, "="), (6, ">="), (4, ">"), (5, "<>"), (7, "all")];
        for (function, (orders, name)) in CompareFunction::ALL.into_iter().zip(table) {
            for (incoming, stored) in [(1u32, 2u32), (2, 2), (0xFFFF_FFFF, 2)] {
                let bit = match incoming.cmp(&stored) {
                    Ordering::Less => 1,
                    Ordering::Equal => 2,
                    Ordering::Greater => 4,
                };
                assert_eq!(function.holds(incoming, stored), orders & bit != 0, "{incoming} {name} {stored}");
            }
        }
    }

    #[test]
    fn operations() {
        let table = [
            (Keep, [0, 255, 7]),
            (Zero, [0, 0, 0]),
            (Replace, [9, 9, 9]),
            (IncrementClamp, [1, 255, 8]),
            (DecrementClamp, [0, 254, 6]),
            (Invert, [255, 0, 248]),
            (IncrementWrap, [1, 0, 8]),
            (DecrementWrap, [255, 254, 6]),
        ];
        for (operation, expected) in table {
            assert_eq!([0, 255, 7].map(|stored| operation.apply(stored, 9)), expected, "{operation:?}");
        }
    }

    const SIDE: StencilState = StencilState {
        function: CompareFunction::Equal,
        reference: 0x35,
        mask: 0x0F,
        write_mask: 0xF0,
        fail: StencilOperation::Zero,
        depth_fail: StencilOperation::Invert,
        pass: StencilOperation::Replace,
    };

    #[test]
    fn order_of_tests_and_updates() {
        let back = StencilState { function: CompareFunction::Never, ..SIDE };
        let depth = DepthState { function: CompareFunction::Less, write: true };
        let state = DepthStencilState { depth: Some(depth), stencil: Some([SIDE, back]) };
        let run = |state, stencil, incoming, facing| {
            let outcome = test(&state, DepthStencilValue { depth: 100, stencil }, incoming, facing);
            (outcome.passed, outcome.stored.depth, outcome.stored.stencil)
        };
        assert_eq!(run(state, 0xC5, 99, Facing::Front), (true, 99, 0x35));
        assert_eq!(run(state, 0xC5, 100, Facing::Front), (false, 100, 0x35), "inverted under the write mask");
        assert_eq!(run(state, 0xC4, 99, Facing::Front), (false, 100, 0x04));
        assert_eq!(run(state, 0xC5, 99, Facing::Back), (false, 100, 0x05));
        let no_write = DepthStencilState { depth: Some(DepthState { write: false, ..depth }), ..state };
        assert_eq!(run(no_write, 0xC5, 99, Facing::Front), (true, 100, 0x35));
        let no_depth = DepthStencilState { depth: None, ..state };
        assert_eq!(run(no_depth, 0xC5, 200, Facing::Front), (true, 100, 0x35), "without a depth test depths pass");
        assert_eq!(run(DepthStencilState::default(), 0xC5, 200, Facing::Back), (true, 100, 0xC5));
    }

    /// Of every state without differences between faces: where there is a fill, tests store it, whatever is stored.
    #[test]
    fn fills_are_what_tests_store() {
        let operations = [Keep, Zero, Replace, IncrementClamp, DecrementClamp, Invert, IncrementWrap, DecrementWrap];
        let mut fills = 0;
        for (function, stencil_function) in
            CompareFunction::ALL.into_iter().flat_map(|function| CompareFunction::ALL.map(|other| (function, other)))
        {
            for (pass, write_mask, write) in
                operations.into_iter().flat_map(|pass| [(pass, 0, true), (pass, 0xFF, false), (pass, 0xA5, true)])
            {
                let side = StencilState { function: stencil_function, pass, write_mask, mask: 0xFF, ..SIDE };
                let depth = Some(DepthState { function, write });
                for (depth, stencil) in [(depth, Some([side; 2])), (None, Some([side; 2])), (depth, None)] {
                    let state = DepthStencilState { depth, stencil };
                    let Some(fill) = state.fill(50, Facing::Back) else { continue };
                    fills += 1;
                    for stored in [0, 49, 50, 51].into_iter().flat_map(|depth| {
                        [0, 0x34, 0x35, 0x36, 0xFF].map(|stencil| DepthStencilValue { depth, stencil })
                    }) {
                        let outcome = test(&state, stored, 50, Facing::Back);
                        let kept = stored.stencil & !fill.stencil_bits;
                        assert!(outcome.passed, "{state:?}");
                        assert_eq!(outcome.stored.depth, fill.depth.unwrap_or(stored.depth), "{state:?}");
                        assert_eq!(outcome.stored.stencil, fill.stencil & fill.stencil_bits | kept, "{state:?}");
                    }
                }
            }
        }
        // Of both tests, of stencil tests with any depth function, and of depth tests with anything.
        assert_eq!(fills, 9 + 8 * 9 + 8 * 8 * 3);
    }
}
