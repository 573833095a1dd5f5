//! Operations that X1K does not have.

use ctm_text::Substitute;

/// Names of other languages, and what to write.
pub const SUBSTITUTES: &[Substitute] = &[
    Substitute { names: &["MUL", "FMUL"], help: "`MAD src0.rgb src1.rgb src0.000` multiplies: its third operand is 0" },
    Substitute { names: &["ADD", "FADD"], help: "`MAD src0.rgb src0.111 src1.rgb` adds: its second operand is 1" },
    Substitute { names: &["SUB"], help: "`MAD src0.rgb src0.111 -src1.rgb` subtracts" },
    Substitute { names: &["MOV", "MOVE"], help: "`exact * MAX src0.rgb src0.rgb` copies, bit for bit" },
    Substitute {
        names: &["FMA", "FFMA", "FMAD", "MULADD"],
        help: "`MAD src0.rgb src1.rgb src2.rgb` multiplies and adds",
    },
    Substitute { names: &["NEG"], help: "`MAX -src0.rgb -src0.rgb`: an operand takes a sign" },
    Substitute { names: &["ABS"], help: "`MAX |src0.rgb| |src0.rgb|`: bars around an operand take its magnitude" },
    Substitute { names: &["SAT", "SATURATE"], help: "did you mean `clamp`?" },
    Substitute { names: &["DP2"], help: "`DP3 src0.rg0 src1.rg0`: the third channel is 0" },
    Substitute {
        names: &["SQRT"],
        help: "take the reciprocal of the reciprocal root: `RSQ src0.a`, and `RCP` of that",
    },
    Substitute { names: &["DIV"], help: "multiply by the reciprocal: `RCP src0.a`, and `MAD` with it" },
    Substitute { names: &["RECIP", "RCP_IEEE"], help: "did you mean `RCP`?" },
    Substitute { names: &["RSQRT", "INVERSESQRT"], help: "did you mean `RSQ`?" },
    Substitute { names: &["LOG2", "LG2", "LOG"], help: "`LN2 src0.a` is the logarithm to the base 2" },
    Substitute { names: &["EXP2", "EXP"], help: "`EX2 src0.a` is the power of 2" },
    Substitute { names: &["POW"], help: "`LN2 src0.a`, times the exponent by `MAD`, then `EX2` of that" },
    Substitute { names: &["FRACT"], help: "did you mean `FRC`?" },
    Substitute {
        names: &["FLR", "FLOOR"],
        help: "subtract the fraction: `FRC src0.rgb`, and `MAD src0.rgb src0.111 -src1.rgb` with it",
    },
    Substitute {
        names: &["LRP", "LERP", "MIX"],
        help: "two MADs: `MAD src0.rgb src1.rgb src2.rgb` with the difference of the values",
    },
    Substitute {
        names: &["SLT", "SGE", "SGT", "SLE", "SELECT", "CMOV"],
        help: "`CMP src0.rgb src1.rgb src2.rgb` takes its first operand where the third is not negative, else the second",
    },
    Substitute { names: &["DDX", "DFDX"], help: "did you mean `MDH`?" },
    Substitute { names: &["DDY", "DFDY"], help: "did you mean `MDV`?" },
    Substitute {
        names: &["KIL", "KILL", "DISCARD"],
        help: "`TEX TEXKILL tex[0].rrrr temp[0].rgba ;` is an instruction of its own",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes::{AlphaOp, RgbOp};

    #[test]
    fn what_is_named_exists() {
        let names: Vec<&str> = RgbOp::ALL.map(RgbOp::name).into_iter().chain(AlphaOp::ALL.map(AlphaOp::name)).collect();
        for Substitute { names: elsewhere, help } in SUBSTITUTES {
            assert!(elsewhere.iter().all(|name| !names.contains(name)), "{elsewhere:?} is there");
            let code = help.split('`').skip(1).step_by(2);
            for code in code.filter(|code| code.starts_with(|c: char| c.is_ascii_alphabetic())) {
                let first = code.split([' ', '.']).next().unwrap_or_default();
                assert!(names.contains(&first) || ["clamp", "exact", "TEX"].contains(&first), "{first} in: {help}");
            }
        }
    }
}
