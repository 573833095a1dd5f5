//! The operations, one row each.

use ctm_num::x1k::{self, MadRules};

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// A binary32 number.
    Float,
    /// True or false.
    Bool,
}

/// A direction of the domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Axis {
    /// Along a row.
    X,
    /// From row to row.
    Y,
}

/// What a fetch does with its coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FetchKind {
    /// Arguments: the coordinates.
    Plain,
    /// The coordinates, then the divisor of all of them.
    Project,
    /// The coordinates, then what is added to the level of detail.
    Bias,
    /// The coordinates, then the level of detail.
    Level,
    /// The coordinates, then their derivatives along x, then those along y.
    Gradient,
}

/// A fetch from an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fetch {
    /// Number of the input, 0 to 15.
    pub unit: u8,
    /// What its arguments are.
    pub kind: FetchKind,
    /// How many coordinates there are, 1 to 3.
    pub coordinates: u8,
    /// Coordinates are multiplied by the input's size; else they are in elements.
    pub scaled: bool,
}

impl Fetch {
    /// How many arguments it takes.
    pub const fn arguments(self) -> usize {
        let coordinates = self.coordinates as usize;
        match self.kind {
            FetchKind::Plain => coordinates,
            FetchKind::Project | FetchKind::Bias | FetchKind::Level => coordinates + 1,
            FetchKind::Gradient => 3 * coordinates,
        }
    }
}

macro_rules! ops {
    ($($(#[$doc:meta])* $name:ident $({ $($field:ident: $of:ty),* })? = $text:literal ($($arg:ident)*) -> $result:ident, $calculate:expr;)*) => {
        /// What an instruction does. Numbers are calculated by the rules of the X1K: denormals count as zeros, NaNs are one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Op {
            $($(#[$doc])* $name $({ $(#[allow(missing_docs)] $field: $of),* })?,)*
            /// Four channels of an element of an input.
            Fetch(Fetch),
            /// Ends the invocation without output if any of the arguments, one to four numbers, is less than zero.
            Kill(u8),
        }

        impl Op {
            /// Its name in text.
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Op::$name $({ $($field: _),* })? => $text,)*
                    Op::Fetch(_) => "fetch",
                    Op::Kill(_) => "kill",
                }
            }

            /// The types of its arguments.
            pub fn parameters(&self) -> Vec<Type> {
                match self {
                    $(Op::$name $({ $($field: _),* })? => vec![$(Type::$arg),*],)*
                    Op::Fetch(fetch) => vec![Type::Float; fetch.arguments()],
                    Op::Kill(count) => vec![Type::Float; usize::from(*count)],
                }
            }

            /// The types of its results.
            pub const fn results(&self) -> &'static [Type] {
                match self {
                    $(Op::$name $({ $($field: _),* })? => &[Type::$result],)*
                    Op::Fetch(_) => &[Type::Float; 4],
                    Op::Kill(_) => &[],
                }
            }

            /// What it makes of the bits of its arguments; booleans are 0 and 1. `None` if the result depends on more than these.
            pub fn calculate(&self, a: &[u32]) -> Option<u32> {
                match *self {
                    $(Op::$name $({ $($field),* })? => {
                        let calculate: Option<fn(&[u32] $($(, $of)*)?) -> u32> = $calculate;
                        calculate.map(|calculate| calculate(a $($(, $field)*)?))
                    })*
                    Op::Fetch(_) | Op::Kill(_) => None,
                }
            }
        }
    };
}

const FALSE_IS_ZERO: u32 = 0;

ops! {
    /// A number, by its bits.
    Const { bits: u32 } = "const" () -> Float, Some(|_, bits| bits);
    /// A boolean.
    Bool { value: bool } = "bool" () -> Bool, Some(|_, value| value.into());
    /// A channel of a float constant that the program's user sets.
    Uniform { register: u8, channel: u8 } = "uniform" () -> Float, None;
    /// A channel of one of `count` float constants from `register` on, chosen by a whole number; numbers beyond them choose the nearest.
    UniformAt { register: u8, channel: u8, count: u8 } = "uniform_at" (Float) -> Float, None;
    /// A channel of a float constant that a loop around chooses: number `register` + `step` times the argument, which is the loop's parameter that
    /// counts its passes from 0. All in one loop have the same step, and those of loops inside of it have none.
    UniformInLoop { register: u8, channel: u8, step: i8 } = "uniform_in_loop" (Float) -> Float, None;
    /// A boolean constant that the program's user sets.
    BoolConstant { index: u8 } = "bool_constant" () -> Bool, None;
    /// The whole number of the invocation's column or row.
    Position { axis: Axis } = "position" () -> Float, None;
    /// A channel of an interpolated input.
    Varying { slot: u8, channel: u8 } = "varying" () -> Float, None;
    /// -a
    Neg = "neg" (Float) -> Float, Some(|a| a[0] ^ 0x8000_0000);
    /// |a|
    Abs = "abs" (Float) -> Float, Some(|a| a[0] & 0x7FFF_FFFF);
    /// a between 0 and 1; a NaN is 0.
    Saturate = "saturate" (Float) -> Float, Some(|a| x1k::clamp(x1k::mad(RULES, a[0], ONE, 0)));
    /// a + b
    Add = "add" (Float Float) -> Float, Some(|a| x1k::mad(RULES, a[0], ONE, a[1]));
    /// a * b
    Mul = "mul" (Float Float) -> Float, Some(|a| x1k::mad(RULES, a[0], a[1], 0));
    /// a times two to the power of `exponent`, -3 to 3: the sign of a zero stays.
    Scale { exponent: i8 } = "scale" (Float) -> Float, Some(|a, exponent| x1k::scale(exponent.into(), a[0]));
    /// a * b + c, rounded once.
    Mad = "mad" (Float Float Float) -> Float, Some(|a| x1k::mad(RULES, a[0], a[1], a[2]));
    /// a0 * b0 + a1 * b1 + c; arguments a0, a1, b0, b1, c.
    Dot2Add = "dot2add" (Float Float Float Float Float) -> Float, Some(|a| x1k::d2a(RULES, [a[0], a[1]], [a[2], a[3]], a[4]));
    /// Dot product of three channels; arguments a0, a1, a2, b0, b1, b2.
    Dot3 = "dot3" (Float Float Float Float Float Float) -> Float, Some(|a| x1k::dp3(RULES, [a[0], a[1], a[2]], [a[3], a[4], a[5]]));
    /// Dot product of four channels; arguments a0 to a3, b0 to b3.
    Dot4 = "dot4" (Float Float Float Float Float Float Float Float) -> Float,
        Some(|a| x1k::dp4(RULES, [a[0], a[1], a[2], a[3]], [a[4], a[5], a[6], a[7]]));
    /// a < b ? a : b
    Min = "min" (Float Float) -> Float, Some(|a| x1k::min(a[0], a[1]));
    /// a > b ? a : b
    Max = "max" (Float Float) -> Float, Some(|a| x1k::max(a[0], a[1]));
    /// a >= 0 ? b : c
    Cmp = "cmp" (Float Float Float) -> Float, Some(|a| x1k::cmp(a[1], a[2], a[0]));
    /// a > 0.5 ? b : c
    Cnd = "cnd" (Float Float Float) -> Float, Some(|a| x1k::cnd(a[1], a[2], a[0]));
    /// a - floor(a)
    Frc = "frc" (Float) -> Float, Some(|a| x1k::frc(a[0]));
    /// 2 to the power of a.
    Exp2 = "exp2" (Float) -> Float, Some(|a| x1k::ex2(a[0]));
    /// Logarithm of a to base 2.
    Log2 = "log2" (Float) -> Float, Some(|a| x1k::ln2(a[0]));
    /// 1 / a
    Rcp = "rcp" (Float) -> Float, Some(|a| x1k::rcp(a[0]));
    /// 1 / square root of a
    Rsq = "rsq" (Float) -> Float, Some(|a| x1k::rsq(a[0]));
    /// Sine of a turns.
    Sin = "sin" (Float) -> Float, Some(|a| x1k::sin(a[0]));
    /// Cosine of a turns.
    Cos = "cos" (Float) -> Float, Some(|a| x1k::cos(a[0]));
    /// Change of a to the next column, over the quad.
    Ddx = "ddx" (Float) -> Float, None;
    /// Change of a to the next row, over the quad.
    Ddy = "ddy" (Float) -> Float, None;
    /// a >= 0; false for a NaN.
    IsNonNegative = "is_non_negative" (Float) -> Bool, Some(|a| x1k::is_greater_equal_zero(a[0]).into());
    /// a == 0; false for a NaN.
    IsZero = "is_zero" (Float) -> Bool, Some(|a| x1k::is_zero(a[0]).into());
    /// Not a.
    Not = "not" (Bool) -> Bool, Some(|a| a[0] ^ 1);
    /// a and b.
    And = "and" (Bool Bool) -> Bool, Some(|a| a[0] & a[1]);
    /// a or b.
    Or = "or" (Bool Bool) -> Bool, Some(|a| a[0] | a[1]);
    /// a ? b : c
    Select = "select" (Bool Float Float) -> Float, Some(|a| if a[0] != FALSE_IS_ZERO { a[1] } else { a[2] });
}

/// Products round once with their sums, and a zero times anything is zero, as compilers for these cards have always set it.
pub(super) const RULES: MadRules = MadRules { unfused: false, zero_times_anything: true };
const ONE: u32 = 0x3F80_0000;

impl Op {
    /// Whether it does something beside giving results, so that it may not be left out.
    pub const fn has_effect(&self) -> bool {
        matches!(self, Op::Kill(_))
    }

    /// Whether it sees other lanes of its quad, directly or as the level of detail of a fetch: where it stands decides which lanes run it.
    pub const fn sees_quad(&self) -> bool {
        match self {
            Op::Ddx | Op::Ddy => true,
            Op::Fetch(fetch) => matches!(fetch.kind, FetchKind::Plain | FetchKind::Project | FetchKind::Bias),
            _ => false,
        }
    }
}
