//! The operations: one table, from which the text form, the verifier, the builder and the reference come.

use crate::attribute::{
    Attribute, Bits, Channels, Denorm, ElementTest, ElementWrite, FloatTest, IntTest, QuadOrder, Round, Rounding, Zero,
};
use crate::cursor::{Cursor, ParseCause};
use crate::entity::{Array, Buffer, Surface, Table, Type};

/// What an operation touches besides its operands and results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing: equal operands give equal results, and an unused one can go.
    Pure,
    /// Reads surfaces or buffers.
    ReadsMemory,
    /// Writes surfaces or buffers.
    WritesMemory,
    /// Reads an array of the group.
    ReadsArray,
    /// Writes an array of the group.
    WritesArray,
    /// Counts executed guest instructions.
    Counts,
}

/// How an operation treats the bits of a NaN (sign and payload), in its lane operands and in its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NanBits {
    /// A NaN result has bits that are not fixed; of an operand it matters only whether it is a NaN.
    Loose,
    /// Of an operand it matters only whether it is a NaN; the result is fixed.
    Ignored,
    /// Operands go to the result as they are, but for the sign.
    Passed,
    /// Every bit of every operand counts; the result is fixed.
    Observed,
    /// A value written to an array comes out of its reads.
    Stored,
}

/// One row of the table of operations.
#[derive(Clone, Copy, Debug)]
pub struct OpInfo {
    /// The heading under which the reference lists the operation.
    pub section: &'static str,
    /// The operation's name in text.
    pub name: &'static str,
    /// Names and kinds of the attributes, in the order of the text form.
    pub attributes: &'static [(&'static str, &'static str)],
    /// Names and types of the operands.
    pub operands: &'static [(&'static str, Type)],
    /// Types of the results.
    pub results: &'static [Type],
    /// What the operation touches.
    pub effect: Effect,
    /// What it does with the bits of NaNs.
    pub nan_bits: NanBits,
    /// The exact rule.
    pub doc: &'static str,
}

macro_rules! operations {
    ($($section:literal {
        $($(#[doc = $doc:literal])+
        $variant:ident $name:ident { $($attribute:ident: $attribute_ty:ident),* }
        ($($operand:ident: $operand_ty:ident),*) -> $results:tt $effect:ident $nan:ident;)+
    })+) => {
        /// An operation with its attributes. Operands are listed in the order of the table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the attributes are named by their types")]
        pub enum Op {
            $($($(#[doc = $doc])+ $variant { $($attribute: $attribute_ty),* },)+)+
        }

        /// Numbers the operations, so that [`Op::info`] is one table look-up.
        #[repr(usize)]
        enum Row { $($($variant),+),+ }

        static TABLE: &[OpInfo] = &[$($(OpInfo {
            section: $section,
            name: stringify!($name),
            attributes: &[$((stringify!($attribute), stringify!($attribute_ty))),*],
            operands: &[$((stringify!($operand), Type::$operand_ty)),*],
            results: operations!(@types $results),
            effect: Effect::$effect,
            nan_bits: NanBits::$nan,
            doc: concat!($($doc, "\n"),+),
        }),+),+];

        /// Two columns for themselves: all passes ask for them all the time, and rows are large.
        static EFFECTS: &[Effect] = &[$($(Effect::$effect),+),+];
        static NAN_BITS: &[NanBits] = &[$($(NanBits::$nan),+),+];

        impl Op {
            /// Every row of the table, in order.
            pub fn table() -> &'static [OpInfo] {
                TABLE
            }

            #[inline]
            fn row(&self) -> usize {
                match self { $($(Self::$variant { .. } => Row::$variant as usize),+),+ }
            }

            /// The operation's row.
            pub fn info(&self) -> &'static OpInfo {
                &TABLE[self.row()]
            }

            /// What the operation touches.
            #[inline]
            pub fn effect(&self) -> Effect {
                EFFECTS[self.row()]
            }

            /// What the operation does with the bits of NaNs.
            #[inline]
            pub fn nan_bits(&self) -> NanBits {
                NAN_BITS[self.row()]
            }

            /// Calls `suffix` and `operand` with the text of each attribute.
            pub(crate) fn print_attributes(&self, mut suffix: impl FnMut(String), mut operand: impl FnMut(String)) {
                match *self { $($(Self::$variant { $($attribute),* } => {
                    $(suffix(Attribute::suffix($attribute)); operand(Attribute::operand($attribute));)*
                }),+),+ }
            }

            /// The operation with this name and the attributes at the cursor; `None` if there is no such name.
            pub(crate) fn parse(name: &str, cursor: &mut Cursor<'_>) -> Option<Result<Self, ParseCause>> {
                match name {
                    $($(stringify!($name) => {
                        let parse = |#[allow(unused_variables)] cursor: &mut Cursor<'_>| Ok(Self::$variant {
                            $($attribute: <$attribute_ty as Attribute>::parse(cursor)?),*
                        });
                        Some(parse(cursor))
                    })+)+
                    _ => None,
                }
            }
        }
    };
    (@types ($($ty:ident),*)) => { &[$(Type::$ty),*] };
}

/// Calls a macro with the table of operations.
macro_rules! for_each_operation {
($then:ident) => { $then! {
"Constants and position" {
    /// The constant `bits` in every lane.
    Lane lane { bits: Bits } () -> (Lane) Pure Observed;
    /// A mask of all lanes (`true`) or of none (`false`). All means every lane of the group, covered or not.
    Mask mask { value: bool } () -> (Mask) Pure Observed;
    /// The constant `value`.
    Uniform uniform { value: i32 } () -> (Uniform) Pure Observed;
    /// The first coordinate of the lane's position in the domain, an integer in 0..=65535. Lanes that are not covered have
    /// the position that they would have.
    PosX pos_x {} () -> (Lane) Pure Observed;
    /// The second coordinate of the lane's position in the domain, an integer in 0..=65535.
    PosY pos_y {} () -> (Lane) Pure Observed;
    /// The lanes that belong to the domain. Groups at its edge may have others, which compute like all lanes (so that
    /// quads are whole) but are in no mask that comes from here.
    Covered covered {} () -> (Mask) Pure Observed;
    /// The uniform's 32 bits in every lane.
    Splat splat {} (a: Uniform) -> (Lane) Pure Observed;
}
"Tables of constants" {
    /// Entry `index` of the table in every lane.
    TableSplat table_splat { table: Table, index: u32 } () -> (Lane) Pure Observed;
    /// The entry at `index`, modulo the table's size, in every lane.
    TableAt table_at { table: Table } (index: Uniform) -> (Lane) Pure Observed;
    /// In each lane the entry at the lane's `index`, modulo the table's size.
    TableGather table_gather { table: Table } (index: Lane) -> (Lane) Pure Observed;
    /// Entry `index` of the table as a uniform.
    TableUniform table_uniform { table: Table, index: u32 } () -> (Uniform) Pure Observed;
}
"Float arithmetic" {
    /// a + b, rounded to nearest even.
    Fadd fadd { denorm: Denorm } (a: Lane, b: Lane) -> (Lane) Pure Loose;
    /// a - b, rounded to nearest even.
    Fsub fsub { denorm: Denorm } (a: Lane, b: Lane) -> (Lane) Pure Loose;
    /// a * b, rounded to nearest even, with the zero rule. Operands are flushed, where the denormal rule says so, before
    /// the zero rule looks at them.
    Fmul fmul { denorm: Denorm, zero: Zero } (a: Lane, b: Lane) -> (Lane) Pure Loose;
    /// a * b + c with one rounding, to nearest even. Where the zero rule replaces the product by +0, the result is +0 + c,
    /// by the rule of `fadd`.
    Fma fma { denorm: Denorm, zero: Zero } (a: Lane, b: Lane, c: Lane) -> (Lane) Pure Loose;
    /// a / b, rounded to nearest even.
    Fdiv fdiv { denorm: Denorm } (a: Lane, b: Lane) -> (Lane) Pure Loose;
    /// The square root of a, rounded to nearest even; a NaN below zero; -0 of -0.
    Fsqrt fsqrt { denorm: Denorm } (a: Lane) -> (Lane) Pure Loose;
    /// a rounded to an integral value in the given direction. Zeros, and results that are zero, keep the sign of a.
    Fround fround { round: Round, denorm: Denorm } (a: Lane) -> (Lane) Pure Loose;
    /// a - floor(a) with flushed operand, in [0, 1): what would round up to 1 is the largest number below 1; zeros give
    /// +0; infinities give a NaN. (`ctm_num::flushed::fraction`)
    Frc frc {} (a: Lane) -> (Lane) Pure Loose;
    /// 2 to the power a, flushed. (`ctm_num::transcendental::ex2`, which fixes every bit)
    Ex2 ex2 {} (a: Lane) -> (Lane) Pure Loose;
    /// The binary logarithm of a, flushed. (`ctm_num::transcendental::ln2`, which fixes every bit)
    Ln2 ln2 {} (a: Lane) -> (Lane) Pure Loose;
    /// The sine of a turns, flushed. (`ctm_num::transcendental::sin`, which fixes every bit)
    Sin sin {} (a: Lane) -> (Lane) Pure Loose;
    /// The cosine of a turns, flushed. (`ctm_num::transcendental::cos`, which fixes every bit)
    Cos cos {} (a: Lane) -> (Lane) Pure Loose;
}
"Float arithmetic in all directions of rounding" {
    /// a + b, rounded once. Denormals are ordinary numbers. (`ctm_num::ieee`)
    FaddRounded fadd_rounded { rounding: Rounding } (a: Lane, b: Lane) -> (Lane) Pure Loose;
    /// a * b, rounded once. Denormals are ordinary numbers. (`ctm_num::ieee`)
    FmulRounded fmul_rounded { rounding: Rounding } (a: Lane, b: Lane) -> (Lane) Pure Loose;
    /// a * b + c, rounded once. Denormals are ordinary numbers. (`ctm_num::ieee`)
    FmaRounded fma_rounded { rounding: Rounding } (a: Lane, b: Lane, c: Lane) -> (Lane) Pure Loose;
}
"Double precision" {
    /// The float a, exactly, as binary64: low word, high word. Here and below, a NaN result is 0x7ff80000_00000000, and
    /// denormals are ordinary numbers.
    Ftod ftod {} (a: Lane) -> (Lane, Lane) Pure Ignored;
    /// The binary64 number as a float, rounded once; 0x7fc00000 for NaN.
    Dtof dtof { rounding: Rounding } (low: Lane, high: Lane) -> (Lane) Pure Observed;
    /// The signed integer a, exactly, as binary64.
    Itod itod {} (a: Lane) -> (Lane, Lane) Pure Observed;
    /// The unsigned integer a, exactly, as binary64.
    Utod utod {} (a: Lane) -> (Lane, Lane) Pure Observed;
    /// The binary64 number truncated to a signed integer, saturated; 0 for NaN.
    Dtoi dtoi {} (low: Lane, high: Lane) -> (Lane) Pure Observed;
    /// The binary64 number truncated to an unsigned integer, saturated; 0 for NaN.
    Dtou dtou {} (low: Lane, high: Lane) -> (Lane) Pure Observed;
    /// a + b in binary64, rounded once.
    Dadd dadd { rounding: Rounding } (a_low: Lane, a_high: Lane, b_low: Lane, b_high: Lane) -> (Lane, Lane) Pure Observed;
    /// a * b in binary64, rounded once.
    Dmul dmul { rounding: Rounding } (a_low: Lane, a_high: Lane, b_low: Lane, b_high: Lane) -> (Lane, Lane) Pure Observed;
    /// a * b + c in binary64, rounded once.
    Dfma dfma { rounding: Rounding }
        (a_low: Lane, a_high: Lane, b_low: Lane, b_high: Lane, c_low: Lane, c_high: Lane) -> (Lane, Lane) Pure Observed;
    /// a / b in binary64, rounded to nearest even.
    Ddiv ddiv {} (a_low: Lane, a_high: Lane, b_low: Lane, b_high: Lane) -> (Lane, Lane) Pure Observed;
    /// The square root in binary64, rounded to nearest even; a NaN below zero; -0 of -0.
    Dsqrt dsqrt {} (low: Lane, high: Lane) -> (Lane, Lane) Pure Observed;
    /// The binary64 number rounded to an integral value in the given direction. Zeros, and results that are zero, keep the
    /// sign.
    Dround dround { round: Round } (low: Lane, high: Lane) -> (Lane, Lane) Pure Observed;
    /// The lanes where the binary64 numbers a and b pass the test; zeros of either sign are equal.
    Dcmp dcmp { test: FloatTest } (a_low: Lane, a_high: Lane, b_low: Lane, b_high: Lane) -> (Mask) Pure Observed;
}
"Half precision" {
    /// The binary16 number in the low 16 bits, exactly, as a float; 0x7fc00000 for NaN.
    Htof htof {} (a: Lane) -> (Lane) Pure Observed;
    /// The float a as a binary16 number, rounded once, in the low 16 bits, the others being 0; 0x7e00 for NaN. Denormals of
    /// both formats are ordinary numbers.
    Ftoh ftoh { rounding: Rounding } (a: Lane) -> (Lane) Pure Ignored;
}
"NaN bits" {
    /// `nan` where a is a NaN, else a.
    CanonNan canon_nan { nan: Bits } (a: Lane) -> (Lane) Pure Ignored;
    /// a's NaN quieted (bit 22 set) where both r and a are NaNs, else r. Applied to the result r of an operation, last
    /// operand first, it gives the first NaN operand its way.
    PassNan pass_nan {} (r: Lane, a: Lane) -> (Lane) Pure Passed;
}
"Choice and sign" {
    /// a < b ? a : b, bit by bit; b when unordered or equal. The comparison flushes where the denormal rule says so; the
    /// value chosen is not flushed.
    Fmin fmin { denorm: Denorm } (a: Lane, b: Lane) -> (Lane) Pure Passed;
    /// a > b ? a : b, bit by bit; b when unordered or equal. The comparison flushes where the denormal rule says so; the
    /// value chosen is not flushed.
    Fmax fmax { denorm: Denorm } (a: Lane, b: Lane) -> (Lane) Pure Passed;
    /// a in the lanes of m, b in the others.
    Select select {} (m: Mask, a: Lane, b: Lane) -> (Lane) Pure Passed;
    /// a > 0 ? (a < 1 ? a : 1) : +0. NaN and -0 give +0; with flushing, so do denormals.
    Clamp01 clamp01 { denorm: Denorm } (a: Lane) -> (Lane) Pure Ignored;
    /// The sign bit flipped.
    Neg neg {} (a: Lane) -> (Lane) Pure Passed;
    /// The sign bit cleared.
    Abs abs {} (a: Lane) -> (Lane) Pure Passed;
    /// The sign bit set.
    Nabs nabs {} (a: Lane) -> (Lane) Pure Passed;
}
"Conversion" {
    /// The signed integer a as a float, rounded to nearest even.
    Itof itof {} (a: Lane) -> (Lane) Pure Observed;
    /// The unsigned integer a as a float, rounded to nearest even.
    Utof utof {} (a: Lane) -> (Lane) Pure Observed;
    /// The float a truncated to a signed integer, saturated; 0 for NaN.
    Ftoi ftoi {} (a: Lane) -> (Lane) Pure Ignored;
    /// The float a truncated to an unsigned integer, saturated; 0 for NaN.
    Ftou ftou {} (a: Lane) -> (Lane) Pure Ignored;
    /// The element that coordinate a names in a dimension of `limit` elements: floor(a) clamped to 0..=limit-1; 0 for NaN;
    /// a limit of 0 counts as 1. (`ctm_num::convert::float_to_index`)
    FloatToIndex float_to_index { limit: u32 } (a: Lane) -> (Lane) Pure Ignored;
    /// floor(a) with flushed operand as a signed integer, saturated; the smallest integer for NaN. (The coordinate of a
    /// scattered write: what is out of range is outside every surface.)
    FloatToCoordinate float_to_coordinate {} (a: Lane) -> (Lane) Pure Ignored;
}
"Comparison" {
    /// The lanes where the floats a and b pass the test; zeros of either sign are equal.
    Fcmp fcmp { test: FloatTest, denorm: Denorm } (a: Lane, b: Lane) -> (Mask) Pure Ignored;
    /// The lanes where the integers a and b pass the test.
    Icmp icmp { test: IntTest } (a: Lane, b: Lane) -> (Mask) Pure Observed;
}
"Mask logic" {
    /// The lanes in both.
    MaskAnd mask_and {} (a: Mask, b: Mask) -> (Mask) Pure Observed;
    /// The lanes in either.
    MaskOr mask_or {} (a: Mask, b: Mask) -> (Mask) Pure Observed;
    /// The lanes in exactly one.
    MaskXor mask_xor {} (a: Mask, b: Mask) -> (Mask) Pure Observed;
    /// The lanes in a that are not in b.
    MaskAndnot mask_andnot {} (a: Mask, b: Mask) -> (Mask) Pure Observed;
    /// The lanes of the group that are not in a.
    MaskNot mask_not {} (a: Mask) -> (Mask) Pure Observed;
    /// The lanes of m that are in a, and the other lanes that are in b.
    MaskSelect mask_select {} (m: Mask, a: Mask, b: Mask) -> (Mask) Pure Observed;
}
"Integers and bits of lanes" {
    /// a + b, wrapping.
    Iadd iadd {} (a: Lane, b: Lane) -> (Lane) Pure Observed;
    /// a - b, wrapping.
    Isub isub {} (a: Lane, b: Lane) -> (Lane) Pure Observed;
    /// The low 32 bits of a * b.
    Imul imul {} (a: Lane, b: Lane) -> (Lane) Pure Observed;
    /// The high 32 bits of the signed product.
    SmulHigh smul_high {} (a: Lane, b: Lane) -> (Lane) Pure Observed;
    /// The high 32 bits of the unsigned product.
    UmulHigh umul_high {} (a: Lane, b: Lane) -> (Lane) Pure Observed;
    /// The smaller signed integer.
    Smin smin {} (a: Lane, b: Lane) -> (Lane) Pure Observed;
    /// The larger signed integer.
    Smax smax {} (a: Lane, b: Lane) -> (Lane) Pure Observed;
    /// The smaller unsigned integer.
    Umin umin {} (a: Lane, b: Lane) -> (Lane) Pure Observed;
    /// The larger unsigned integer.
    Umax umax {} (a: Lane, b: Lane) -> (Lane) Pure Observed;
    /// Bitwise and.
    And and {} (a: Lane, b: Lane) -> (Lane) Pure Observed;
    /// Bitwise or.
    Or or {} (a: Lane, b: Lane) -> (Lane) Pure Observed;
    /// Bitwise exclusive or.
    Xor xor {} (a: Lane, b: Lane) -> (Lane) Pure Observed;
    /// a shifted left by the unsigned count n; 0 from 32 on.
    Shl shl {} (a: Lane, n: Lane) -> (Lane) Pure Observed;
    /// a shifted right by the unsigned count n, zeros coming in; 0 from 32 on.
    Shr shr {} (a: Lane, n: Lane) -> (Lane) Pure Observed;
    /// a shifted right by the unsigned count n, copies of the sign coming in; all sign from 32 on.
    Sar sar {} (a: Lane, n: Lane) -> (Lane) Pure Observed;
    /// The unsigned quotient, rounded down; all ones where b is 0.
    Udiv udiv {} (a: Lane, b: Lane) -> (Lane) Pure Observed;
    /// The number of bits that are set.
    Popcount popcount {} (a: Lane) -> (Lane) Pure Observed;
    /// The number of bits above the highest that is set; 32 for 0.
    Clz clz {} (a: Lane) -> (Lane) Pure Observed;
    /// Bit k of a as bit 31 - k.
    BitReverse bit_reverse {} (a: Lane) -> (Lane) Pure Observed;
}
"Uniform integers" {
    /// a + b, wrapping.
    UniformAdd uniform_add {} (a: Uniform, b: Uniform) -> (Uniform) Pure Observed;
    /// a - b, wrapping.
    UniformSub uniform_sub {} (a: Uniform, b: Uniform) -> (Uniform) Pure Observed;
    /// The low 32 bits of a * b.
    UniformMul uniform_mul {} (a: Uniform, b: Uniform) -> (Uniform) Pure Observed;
    /// Bitwise and.
    UniformAnd uniform_and {} (a: Uniform, b: Uniform) -> (Uniform) Pure Observed;
}
"Across the lanes of a quad" {
    /// For each lane the value of the lane of its quad that the order names.
    Quad quad { order: QuadOrder } (a: Lane) -> (Lane) Pure Passed;
}
"Across the lanes of a warp" {
    /// In every lane the lanes of its warp that are in m, lane k as bit k. A warp is 32 lanes of a group, the first of them a
    /// multiple of 32; lanes that a group lacks are in no mask. What is done with the result may depend on the group, so this
    /// is for functions that run in lockstep.
    Ballot ballot {} (m: Mask) -> (Lane) Pure Observed;
    /// In each lane the value of the lane of its warp that `index`, modulo 32, numbers; 0 if the group lacks that lane. For
    /// functions that run in lockstep.
    Shuffle shuffle {} (a: Lane, index: Lane) -> (Lane) Pure Observed;
}
"Surfaces and buffers" {
    /// The four channels, R G B A, of element (x, y) in the lanes of m, and 0 in the others, which access nothing. x and y
    /// are signed integers; what is outside the surface follows the surface's bounds rule.
    SurfaceLoad surface_load { surface: Surface } (x: Lane, y: Lane, m: Mask) -> (Lane, Lane, Lane, Lane) ReadsMemory Observed;
    /// The four one-channel elements (x+1, y), (x, y+1), (x+1, y+1), (x, y), each by the bounds rule, in the lanes of m, and
    /// 0 in the others, which access nothing.
    SurfaceLoad2x2 surface_load_2x2 { surface: Surface } (x: Lane, y: Lane, m: Mask) -> (Lane, Lane, Lane, Lane) ReadsMemory Observed;
    /// Writes the named channels of element (x, y) in the lanes of m, in ascending order of lanes, so that the highest of
    /// several lanes with one element wins. What is outside the surface follows the bounds rule.
    SurfaceStore surface_store { surface: Surface, channels: Channels }
        (x: Lane, y: Lane, r: Lane, g: Lane, b: Lane, a: Lane, m: Mask) -> () WritesMemory Observed;
    /// One request to a conditional unit for each lane of m: the new value v is converted to the surface's type and compared
    /// with element (x, y); where the test passes, and the write rule says so, it replaces the element. The result is the
    /// lanes of m that passed.
    SurfaceTest surface_test { surface: Surface, test: ElementTest, write: ElementWrite }
        (x: Lane, y: Lane, v: Lane, m: Mask) -> (Mask) WritesMemory Observed;
    /// The little-endian word at the unsigned byte address in the lanes of m, 0 in the others. Words that are not wholly
    /// inside the buffer read as 0.
    BufferLoad buffer_load { buffer: Buffer } (address: Lane, m: Mask) -> (Lane) ReadsMemory Observed;
    /// Writes v as a little-endian word to the unsigned byte address, in the lanes of m, in ascending order of lanes. Words
    /// that are not wholly inside the buffer are dropped.
    BufferStore buffer_store { buffer: Buffer } (address: Lane, v: Lane, m: Mask) -> () WritesMemory Observed;
}
"Arrays of the group" {
    /// Entry `index`, modulo the array's size.
    ArrayRead array_read { array: Array } (index: Uniform) -> (Lane) ReadsArray Stored;
    /// Writes v to entry `index`, modulo the array's size, in the lanes of m.
    ArrayWrite array_write { array: Array } (index: Uniform, v: Lane, m: Mask) -> () WritesArray Stored;
    /// In each lane that lane's part of the entry at the lane's `index`, modulo the array's size.
    ArrayGather array_gather { array: Array } (index: Lane) -> (Lane) ReadsArray Stored;
    /// Writes v to each lane's part of the entry at the lane's `index`, modulo the array's size, in the lanes of m.
    ArrayScatter array_scatter { array: Array } (index: Lane, v: Lane, m: Mask) -> () WritesArray Stored;
    /// Entry `index` of an array of masks, modulo the array's size.
    MaskArrayRead mask_array_read { array: Array } (index: Uniform) -> (Mask) ReadsArray Observed;
    /// Writes entry `index` of an array of masks, modulo the array's size.
    MaskArrayWrite mask_array_write { array: Array } (index: Uniform, v: Mask) -> () WritesArray Observed;
    /// Entry `index` of an array of uniforms, modulo the array's size.
    UniformArrayRead uniform_array_read { array: Array } (index: Uniform) -> (Uniform) ReadsArray Observed;
    /// Writes entry `index` of an array of uniforms, modulo the array's size.
    UniformArrayWrite uniform_array_write { array: Array } (index: Uniform, v: Uniform) -> () WritesArray Observed;
}
"Accounting" {
    /// Stands for `count` guest instructions in a row, the first numbered `pc`, that the lanes of m execute from here. Adds
    /// count times the number of lanes to the instructions executed, and count to the steps of the group. When that exceeds
    /// the run's limit, the group traps at instruction pc + (limit - steps before).
    Steps steps { count: u32, pc: u32 } (m: Mask) -> () Counts Observed;
}
} };
}
pub(crate) use for_each_operation;

for_each_operation!(operations);

impl Op {
    /// Whether the operation takes many instructions of every host.
    pub fn is_long(&self) -> bool {
        let functions = matches!(self, Op::Ex2 {} | Op::Ln2 {} | Op::Sin {} | Op::Cos {});
        let quotients = matches!(self, Op::Fdiv { .. } | Op::Ddiv {} | Op::Udiv {});
        functions || quotients || matches!(self, Op::Fsqrt { .. } | Op::Dsqrt {})
    }

    /// The operation's name in text, without suffixes.
    pub fn name(&self) -> &'static str {
        self.info().name
    }

    /// The surface that the operation names.
    pub fn surface(&self) -> Option<Surface> {
        match *self {
            Self::SurfaceLoad { surface }
            | Self::SurfaceLoad2x2 { surface }
            | Self::SurfaceStore { surface, .. }
            | Self::SurfaceTest { surface, .. } => Some(surface),
            _ => None,
        }
    }

    /// The table that the operation names, with the entry if that is fixed.
    pub fn table_entry(&self) -> Option<(Table, Option<u32>)> {
        match *self {
            Self::TableSplat { table, index } | Self::TableUniform { table, index } => Some((table, Some(index))),
            Self::TableAt { table } | Self::TableGather { table } => Some((table, None)),
            _ => None,
        }
    }

    /// The buffer that the operation names.
    pub fn buffer(&self) -> Option<Buffer> {
        match *self {
            Self::BufferLoad { buffer } | Self::BufferStore { buffer } => Some(buffer),
            _ => None,
        }
    }

    /// The array that the operation names, with the type of its entries.
    pub fn array(&self) -> Option<(Array, Type)> {
        match *self {
            Self::ArrayRead { array }
            | Self::ArrayWrite { array }
            | Self::ArrayGather { array }
            | Self::ArrayScatter { array } => Some((array, Type::Lane)),
            Self::MaskArrayRead { array } | Self::MaskArrayWrite { array } => Some((array, Type::Mask)),
            Self::UniformArrayRead { array } | Self::UniformArrayWrite { array } => Some((array, Type::Uniform)),
            _ => None,
        }
    }
}
