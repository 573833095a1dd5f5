//! The instructions of pixel shaders 2.0 to 3.0, one row each: parsing, checks, the page about the language and generated programs come from here.
//!
//! Source: "Asm Shader Reference" of Direct3D 9, pages "ps_2_0 Instructions", "ps_2_x Instructions" and "ps_3_0 Instructions".

use super::version::{SINCE_2_0, SINCE_2_X, SINCE_3_0, Versions};

/// What stands at one place of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandKind {
    /// A register that gets the result: a temporary, or an output.
    Result,
    /// The predicate register, which gets the result.
    Predicate,
    /// A register of numbers, with any swizzle.
    Vector,
    /// One channel of a register of numbers.
    Scalar,
    /// Consecutive registers, so many, of which the first is named: rows of a matrix.
    Rows(u8),
    /// A sampler.
    Sampler,
    /// The register whose channels are looked at by `texkill`.
    Kill,
    /// A boolean constant or a channel of the predicate register, inverted or not.
    Condition,
    /// A channel of the predicate register, inverted or not.
    PredicateChannel,
    /// An integer constant.
    Passes,
    /// The loop counter.
    Counter,
    /// A label.
    Label,
}

macro_rules! instructions {
    ($($variant:ident $name:literal $versions:ident [$($place:expr),*] $slots:literal $compares:literal $meaning:literal;)*) => {
        /// An instruction, without its modifiers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Op {
            $(#[doc = $meaning] $variant,)*
        }

        /// The table.
        pub static TABLE: &[Row] = &[$(Row {
            op: Op::$variant,
            name: $name,
            versions: $versions,
            places: &[$($place),*],
            slots: $slots,
            compares: $compares,
            meaning: $meaning,
        },)*];
    };
}

/// What is known of an instruction.
#[derive(Debug)]
pub struct Row {
    /// The instruction.
    pub op: Op,
    /// Its name, without modifiers.
    pub name: &'static str,
    /// The versions that have it.
    pub versions: Versions,
    /// What it takes, in order.
    pub places: &'static [OperandKind],
    /// Instruction slots that it takes in version 3.0.
    pub slots: u8,
    /// A comparison follows the name: `_gt`, `_lt`, `_ge`, `_le`, `_eq` or `_ne`.
    pub compares: bool,
    /// What it does.
    pub meaning: &'static str,
}

use OperandKind::{
    Condition, Counter, Kill, Label, Passes, Predicate, PredicateChannel, Result, Rows, Sampler, Scalar, Vector,
};

instructions! {
    Abs "abs" SINCE_2_0 [Result, Vector] 1 false "|a|, per channel";
    Add "add" SINCE_2_0 [Result, Vector, Vector] 1 false "a + b, per channel";
    Break "break" SINCE_2_X [] 1 false "leaves the innermost loop";
    BreakCompare "break" SINCE_2_X [Scalar, Scalar] 3 true "leaves the innermost loop where the comparison holds";
    BreakPredicate "breakp" SINCE_2_X [PredicateChannel] 3 false "leaves the innermost loop where the predicate holds";
    Call "call" SINCE_2_X [Label] 2 false "runs a subroutine";
    CallIf "callnz" SINCE_2_X [Label, Condition] 3 false "runs a subroutine where the condition holds";
    Cmp "cmp" SINCE_2_0 [Result, Vector, Vector, Vector] 1 false "a >= 0 ? b : c, per channel";
    Crs "crs" SINCE_2_0 [Result, Vector, Vector] 2 false "the cross product of a and b, in x, y and z";
    Dp2Add "dp2add" SINCE_2_0 [Result, Vector, Vector, Scalar] 2 false "a.x * b.x + a.y * b.y + c, in all channels";
    Dp3 "dp3" SINCE_2_0 [Result, Vector, Vector] 1 false "the dot product of three channels of a and b, in all channels";
    Dp4 "dp4" SINCE_2_0 [Result, Vector, Vector] 1 false "the dot product of a and b, in all channels";
    Dsx "dsx" SINCE_2_X [Result, Vector] 2 false "how a changes to the next column, per channel";
    Dsy "dsy" SINCE_2_X [Result, Vector] 2 false "how a changes to the next row, per channel";
    Else "else" SINCE_2_X [] 1 false "begins what runs where the condition does not hold";
    EndIf "endif" SINCE_2_X [] 1 false "ends an `if`";
    EndLoop "endloop" SINCE_3_0 [] 2 false "ends a `loop`";
    EndRep "endrep" SINCE_2_X [] 2 false "ends a `rep`";
    Exp "exp" SINCE_2_0 [Result, Scalar] 1 false "2 to the power of a, in all channels";
    Frc "frc" SINCE_2_0 [Result, Vector] 1 false "a - floor(a), per channel";
    If "if" SINCE_2_X [Condition] 3 false "begins what runs where the condition holds";
    IfCompare "if" SINCE_2_X [Scalar, Scalar] 3 true "begins what runs where the comparison holds";
    LabelOf "label" SINCE_2_X [Label] 0 false "begins a subroutine";
    Log "log" SINCE_2_0 [Result, Scalar] 1 false "the logarithm of |a| to base 2, in all channels";
    Loop "loop" SINCE_3_0 [Counter, Passes] 3 false "begins a loop that counts in aL: passes, first value and step are those of the integer constant";
    Lrp "lrp" SINCE_2_0 [Result, Vector, Vector, Vector] 2 false "a * (b - c) + c, per channel";
    M3x2 "m3x2" SINCE_2_0 [Result, Vector, Rows(2)] 2 false "the dot products of three channels of a and 2 rows, in x and y";
    M3x3 "m3x3" SINCE_2_0 [Result, Vector, Rows(3)] 3 false "the dot products of three channels of a and 3 rows, in x, y and z";
    M3x4 "m3x4" SINCE_2_0 [Result, Vector, Rows(4)] 4 false "the dot products of three channels of a and 4 rows";
    M4x3 "m4x3" SINCE_2_0 [Result, Vector, Rows(3)] 3 false "the dot products of a and 3 rows, in x, y and z";
    M4x4 "m4x4" SINCE_2_0 [Result, Vector, Rows(4)] 4 false "the dot products of a and 4 rows";
    Mad "mad" SINCE_2_0 [Result, Vector, Vector, Vector] 1 false "a * b + c, per channel";
    Max "max" SINCE_2_0 [Result, Vector, Vector] 1 false "the larger of a and b, per channel";
    Min "min" SINCE_2_0 [Result, Vector, Vector] 1 false "the smaller of a and b, per channel";
    Mov "mov" SINCE_2_0 [Result, Vector] 1 false "a";
    Mul "mul" SINCE_2_0 [Result, Vector, Vector] 1 false "a * b, per channel";
    Nop "nop" SINCE_2_0 [] 1 false "nothing";
    Nrm "nrm" SINCE_2_0 [Result, Vector] 3 false "a divided by the length of its x, y and z";
    Pow "pow" SINCE_2_0 [Result, Scalar, Scalar] 3 false "|a| to the power of b, in all channels";
    Rcp "rcp" SINCE_2_0 [Result, Scalar] 1 false "1 / a, in all channels";
    Rep "rep" SINCE_2_X [Passes] 3 false "begins a loop of as many passes as the integer constant says";
    Ret "ret" SINCE_2_X [] 1 false "ends the program or a subroutine";
    Rsq "rsq" SINCE_2_0 [Result, Scalar] 1 false "1 / square root of |a|, in all channels";
    SetP "setp" SINCE_2_X [Predicate, Vector, Vector] 1 true "sets the predicate register to the comparison of a and b, per channel";
    SinCos "sincos" SINCE_2_0 [Result, Scalar] 8 false "the cosine of a in x, its sine in y; before version 3.0 two constants follow, which are not needed here";
    Sub "sub" SINCE_2_0 [Result, Vector, Vector] 1 false "a - b, per channel";
    TexKill "texkill" SINCE_2_0 [Kill] 2 false "ends the invocation without output if a channel is less than zero";
    TexLd "texld" SINCE_2_0 [Result, Vector, Sampler] 1 false "an element of a texture";
    TexLdB "texldb" SINCE_2_0 [Result, Vector, Sampler] 6 false "an element of a texture, of which a.w biases the level of detail";
    TexLdD "texldd" SINCE_2_X [Result, Vector, Sampler, Vector, Vector] 3 false "an element of a texture, whose level of detail follows from the derivatives b and c";
    TexLdL "texldl" SINCE_3_0 [Result, Vector, Sampler] 2 false "an element of a texture, of the level of detail a.w";
    TexLdP "texldp" SINCE_2_0 [Result, Vector, Sampler] 3 false "an element of a texture at a divided by a.w";
}

/// What an instruction of vertex shaders or of version 1 is here.
pub static ELSEWHERE: &[ctm_text::Substitute] = &[
    ctm_text::Substitute { names: &["cnd"], help: "`cnd` is of version 1: subtract 0.5 and use `cmp`" },
    ctm_text::Substitute { names: &["bem", "texbem", "texbeml"], help: "write the sums of products with `mad`" },
    ctm_text::Substitute {
        names: &["tex", "texcoord", "texcrd", "texreg2ar", "texreg2gb", "texreg2rgb", "texdepth", "phase"],
        help: "this is of version 1: declare inputs with `dcl` and fetch with `texld`",
    },
    ctm_text::Substitute { names: &["expp"], help: "`expp` is of vertex shaders: use `exp`" },
    ctm_text::Substitute { names: &["logp"], help: "`logp` is of vertex shaders: use `log`" },
    ctm_text::Substitute { names: &["slt"], help: "`slt` is of vertex shaders: use `sub` and `cmp`" },
    ctm_text::Substitute { names: &["sge"], help: "`sge` is of vertex shaders: use `sub` and `cmp`" },
    ctm_text::Substitute { names: &["sgn"], help: "`sgn` is of vertex shaders: use `cmp`" },
    ctm_text::Substitute { names: &["dst", "lit"], help: "this is of vertex shaders: write its products with `mul`" },
    ctm_text::Substitute {
        names: &["mova"],
        help: "`mova` is of vertex shaders: inputs are indexed with aL, in a `loop`",
    },
];

impl Op {
    /// Its row.
    pub fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_operations() {
        for (place, row) in TABLE.iter().enumerate() {
            assert_eq!(row.op as usize, place, "{}", row.name);
        }
    }
}
