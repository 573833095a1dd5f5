//! Operations that SM50 has under other names, or not at all.

use ctm_text::Substitute;

/// Names of other languages, and what to write.
pub const SUBSTITUTES: &[Substitute] = &[
    Substitute { names: &["FMADD", "FMA", "MAD", "FMAD", "MULADD"], help: "did you mean `FFMA`?" },
    Substitute { names: &["ADD"], help: "`FADD` adds floats, `IADD` integers" },
    Substitute { names: &["SUB"], help: "`FADD` or `IADD` with a sign before the second operand subtracts" },
    Substitute { names: &["FSUB"], help: "`FADD` with a sign before the second operand subtracts" },
    Substitute { names: &["ISUB"], help: "`IADD` with a sign before the second operand subtracts" },
    Substitute { names: &["MUL"], help: "`FMUL` multiplies floats, `IMUL` integers" },
    Substitute { names: &["DIV", "FDIV"], help: "multiply by the reciprocal: `MUFU.RCP`, and `FMUL` with it" },
    Substitute { names: &["RCP"], help: "did you mean `MUFU.RCP`?" },
    Substitute { names: &["RSQ", "RSQRT"], help: "did you mean `MUFU.RSQ`?" },
    Substitute { names: &["SQRT"], help: "multiply the value by its reciprocal root: `MUFU.RSQ`, and `FMUL` with it" },
    Substitute { names: &["SIN"], help: "`RRO.SINCOS`, then `MUFU.SIN`" },
    Substitute { names: &["COS"], help: "`RRO.SINCOS`, then `MUFU.COS`" },
    Substitute { names: &["EX2", "EXP", "EXP2"], help: "`RRO.EX2`, then `MUFU.EX2`" },
    Substitute { names: &["LG2", "LN2", "LOG", "LOG2"], help: "did you mean `MUFU.LG2`?" },
    Substitute { names: &["MIN", "FMIN"], help: "`FMNMX` with `PT` is the minimum" },
    Substitute { names: &["MAX", "FMAX"], help: "`FMNMX` with `!PT` is the maximum" },
    Substitute { names: &["IMIN"], help: "`IMNMX` with `PT` is the minimum" },
    Substitute { names: &["IMAX"], help: "`IMNMX` with `!PT` is the maximum" },
    Substitute {
        names: &["FLR", "FLOOR", "FRC", "FRACT", "TRUNC", "CEIL"],
        help: "`F2F` with a rounding, as in `F2F.F32.F32.FLOOR`, makes whole numbers",
    },
    Substitute { names: &["ABS", "FABS"], help: "bars around an operand, as in `FADD` of `|R1|` and `RZ`" },
    Substitute { names: &["NEG", "FNEG"], help: "a sign before an operand, as in `FADD` of `-R1` and `RZ`" },
    Substitute { names: &["AND"], help: "did you mean `LOP.AND`?" },
    Substitute { names: &["OR"], help: "did you mean `LOP.OR`?" },
    Substitute { names: &["XOR"], help: "did you mean `LOP.XOR`?" },
    Substitute { names: &["NOT"], help: "did you mean `LOP.PASS_B`, with `~` before the operand?" },
    Substitute { names: &["LOP3"], help: "`LOP` twice" },
    Substitute { names: &["SETP", "CMP"], help: "`FSETP` compares floats, `ISETP` integers" },
    Substitute { names: &["SELECT", "CMOV"], help: "did you mean `SEL`?" },
    Substitute { names: &["CVT"], help: "`I2F`, `F2I`, `F2F` or `I2I` converts" },
    Substitute {
        names: &["LOAD"],
        help: "`LDG` loads from global memory, `ALD` attributes, `LDC` constants, `LDS` shared memory, `LDL` local memory",
    },
    Substitute {
        names: &["STORE"],
        help: "`STG` stores to global memory, `AST` attributes, `STS` to shared memory, `STL` to local memory",
    },
    Substitute { names: &["SAMPLE", "TEXLD", "TXP"], help: "`TEX` samples, `TLD` fetches a texel" },
    Substitute { names: &["DDX", "DDY"], help: "`SHFL.BFLY` with the other lane, then `FSWZADD`" },
    Substitute { names: &["JUMP", "BR"], help: "did you mean `BRA`?" },
    Substitute { names: &["CALL"], help: "did you mean `CAL`?" },
    Substitute { names: &["RETURN"], help: "did you mean `RET`?" },
    Substitute { names: &["END", "HALT"], help: "did you mean `EXIT`?" },
    Substitute { names: &["KILL", "DISCARD"], help: "did you mean `KIL`?" },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::ROWS;

    #[test]
    fn what_is_named_exists() {
        let names: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
        for Substitute { names: elsewhere, help } in SUBSTITUTES {
            assert!(elsewhere.iter().all(|name| !names.contains(name)), "{elsewhere:?} is there");
            let code = help.split('`').skip(1).step_by(2);
            for code in code.filter(|code| code.starts_with(|c: char| c.is_ascii_alphabetic())) {
                let first = code.split([' ', '.']).next().unwrap_or_default();
                assert!(names.contains(&first) || ["RZ", "PT"].contains(&first), "{first} in: {help}");
            }
        }
    }
}
