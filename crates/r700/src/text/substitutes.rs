//! Operations that R700 has under other names, or not at all.

use ctm_text::Substitute;

/// Names of other languages, and what to write.
pub const SUBSTITUTES: &[Substitute] = &[
    Substitute { names: &["MAD", "FMA", "FFMA", "FMAD", "MUL_ADD"], help: "did you mean `MULADD`?" },
    Substitute { names: &["FADD"], help: "did you mean `ADD`?" },
    Substitute { names: &["SUB"], help: "`ADD` with a sign before the second operand subtracts" },
    Substitute { names: &["FMUL", "MULL"], help: "did you mean `MUL`?" },
    Substitute { names: &["RCP", "RECIP"], help: "did you mean `RECIP_IEEE`?" },
    Substitute { names: &["RSQ", "RSQRT", "RECIPSQRT", "INVERSESQRT"], help: "did you mean `RECIPSQRT_IEEE`?" },
    Substitute { names: &["SQRT"], help: "did you mean `SQRT_IEEE`?" },
    Substitute { names: &["DIV"], help: "multiply by the reciprocal: `RECIP_IEEE`, and `MUL` with it" },
    Substitute { names: &["EX2", "EXP", "EXP2"], help: "`EXP_IEEE` is the power of 2" },
    Substitute { names: &["LG2", "LN2", "LOG", "LOG2"], help: "`LOG_IEEE` is the logarithm to the base 2" },
    Substitute { names: &["DP4", "DOT"], help: "did you mean `DOT4`?" },
    Substitute { names: &["DP3", "DOT3", "DP2"], help: "`DOT4` with 0 in the other channels" },
    Substitute { names: &["FRC"], help: "did you mean `FRACT`?" },
    Substitute { names: &["FLR"], help: "did you mean `FLOOR`?" },
    Substitute { names: &["ROUND"], help: "did you mean `RNDNE`?" },
    Substitute {
        names: &["CMP", "SELECT", "CMOV"],
        help: "`CNDGE` takes its second operand where the first is not negative, else the third",
    },
    Substitute { names: &["SETLT", "SLT"], help: "`SETGT` with the operands swapped" },
    Substitute { names: &["SETLE", "SLE"], help: "`SETGE` with the operands swapped" },
    Substitute { names: &["ABS"], help: "`MOV` with bars around the operand" },
    Substitute { names: &["NEG"], help: "`MOV` with a sign before the operand" },
    Substitute { names: &["LRP", "LERP", "MIX"], help: "`ADD` for the difference of the values, then `MULADD`" },
    Substitute { names: &["IADD"], help: "did you mean `ADD_INT`?" },
    Substitute { names: &["ISUB"], help: "did you mean `SUB_INT`?" },
    Substitute { names: &["IMUL", "MUL_INT", "MUL_UINT"], help: "did you mean `MULLO_INT`?" },
    Substitute { names: &["SHL"], help: "did you mean `LSHL_INT`?" },
    Substitute { names: &["SHR"], help: "`LSHR_INT` fills with zeros, `ASHR_INT` with the sign" },
    Substitute { names: &["AND"], help: "did you mean `AND_INT`?" },
    Substitute { names: &["OR"], help: "did you mean `OR_INT`?" },
    Substitute { names: &["XOR"], help: "did you mean `XOR_INT`?" },
    Substitute { names: &["NOT"], help: "did you mean `NOT_INT`?" },
    Substitute { names: &["F2I"], help: "did you mean `FLT_TO_INT`?" },
    Substitute { names: &["I2F"], help: "did you mean `INT_TO_FLT`?" },
    Substitute { names: &["U2F"], help: "did you mean `UINT_TO_FLT`?" },
    Substitute { names: &["KILL", "KIL", "DISCARD"], help: "`KILLGT` and its relatives kill where a comparison holds" },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alu::{Op2, Op3};

    #[test]
    fn what_is_named_exists() {
        let names: Vec<&str> = Op2::ALL.iter().map(|op| op.name()).chain(Op3::ALL.iter().map(|op| op.name())).collect();
        for Substitute { names: elsewhere, help } in SUBSTITUTES {
            assert!(elsewhere.iter().all(|name| !names.contains(name)), "{elsewhere:?} is there");
            let code = help.split('`').skip(1).step_by(2);
            for code in code.filter(|code| code.starts_with(|c: char| c.is_ascii_alphabetic())) {
                let first = code.split([' ', '.']).next().unwrap_or_default();
                assert!(names.contains(&first), "{first} in: {help}");
            }
        }
    }
}
