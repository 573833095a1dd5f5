//! The reference of the language: every operation, register and field, with its meaning, rules, encoding and source. The words
//! stand here by the tables' enumerations, without wildcards, so that a new row does not build until it has some; encodings,
//! units, values and the meanings of fields come from the tables.

mod syntax;

use crate::alu::{AluFields, AluProperties, Op2, Op2Fields, Op3, Op3Fields, Special, SpecialValue, Units};
use crate::cf::{CfAluFields, CfAluOp, CfExportFields, CfExportOp, CfFields, CfOp, ExportBuffer, ExportSwizzle};
use crate::codes::{DataFormat, Families, Family, FetchOp, FormatLayout, MemOp};
use crate::fetch::{MemRead, TexFields, Vtx};
use crate::program::Stage;
use crate::text::aliases;
use ctm_bits::{Field, FieldValue};
use ctm_text::topic::{NamedValue, Topic};

const CONDITION_NAN: &str = "comparisons with a NaN are false, `!=` is true; denormals compare as zeros";
const ROUNDED: &str =
    "each step rounds to the nearest, ties to even; denormal operands and results are zeros of their sign";
const ZERO: &str = "zero times anything is +0, infinities and NaN too";
const FUNCTION: &str = "a fixed sequence of rounded steps, the same on every engine; errors are in docs/accuracy.md";
const PASSED: &str = "UPDATE_PRED and UPDATE_EXEC_MASK say whether predicate and execute mask take it; D is 0.0 where it holds, else 1.0";
const COUNTED: &str =
    "S0 is a counter of nested conditions that do not hold: it goes up by one where this one does not";
const SHIFTED: &str = "only the five low bits of the count matter";
const ABSENT: &str = "it has an encoding, but is not executed here";

/// Formula, and what has to be known beside it.
type Words = (&'static str, &'static [&'static str]);

fn op2(op: Op2) -> Words {
    match op {
        Op2::Add => ("D = S0 + S1", &[ROUNDED]),
        Op2::Mul => ("D = S0 * S1", &[ROUNDED, ZERO]),
        Op2::MulIeee => ("D = S0 * S1", &[ROUNDED, "zero times infinity is NaN"]),
        Op2::Max => ("D = S0 >= S1 ? S0 : S1", &["a NaN gives S1"]),
        Op2::Min => ("D = S0 < S1 ? S0 : S1", &["a NaN gives S1"]),
        Op2::MaxDx10 => ("D = S0 >= S1 ? S0 : S1", &["one NaN gives the other operand, two give S0"]),
        Op2::MinDx10 => ("D = S0 < S1 ? S0 : S1", &["one NaN gives the other operand, two give S0"]),
        Op2::SetE => ("D = S0 == S1 ? 1.0 : 0.0", &[CONDITION_NAN]),
        Op2::SetGt => ("D = S0 > S1 ? 1.0 : 0.0", &[CONDITION_NAN]),
        Op2::SetGe => ("D = S0 >= S1 ? 1.0 : 0.0", &[CONDITION_NAN]),
        Op2::SetNe => ("D = S0 != S1 ? 1.0 : 0.0", &[CONDITION_NAN]),
        Op2::SetEDx10 => ("D = S0 == S1 ? -1 : 0", &[CONDITION_NAN]),
        Op2::SetGtDx10 => ("D = S0 > S1 ? -1 : 0", &[CONDITION_NAN]),
        Op2::SetGeDx10 => ("D = S0 >= S1 ? -1 : 0", &[CONDITION_NAN]),
        Op2::SetNeDx10 => ("D = S0 != S1 ? -1 : 0", &[CONDITION_NAN]),
        Op2::Fract => ("D = S0 - floor(S0)", &["rounding makes it 1 for tiny negative numbers; infinities give NaN"]),
        Op2::Trunc => ("D = S0 rounded towards 0", &["zeros keep their sign"]),
        Op2::Ceil => ("D = S0 rounded up", &["zeros keep their sign"]),
        Op2::RndNe => ("D = S0 rounded to the nearest whole number", &["ties to even; zeros keep their sign"]),
        Op2::Floor => ("D = S0 rounded down", &["zeros keep their sign"]),
        Op2::MovA => ("AR.chan = floor(S0 + 1/2)", &["between -256 and 255; 0 for NaN; no register is written"]),
        Op2::MovAFloor => ("AR.chan = floor(S0)", &["between -256 and 255; 0 for NaN; no register is written"]),
        Op2::MovAInt => ("AR.chan = S0", &["between -256 and 255; no register is written"]),
        Op2::Mov => ("D = S0", &["all bits stay, unless there is an output modifier or a clamp"]),
        Op2::Nop => ("", &["it does nothing"]),
        Op2::PredSetGtUint => ("predicate = S0 > S1", &["as numbers without sign", PASSED]),
        Op2::PredSetGeUint => ("predicate = S0 >= S1", &["as numbers without sign", PASSED]),
        Op2::PredSetE => ("predicate = S0 == S1", &[CONDITION_NAN, PASSED]),
        Op2::PredSetGt => ("predicate = S0 > S1", &[CONDITION_NAN, PASSED]),
        Op2::PredSetGe => ("predicate = S0 >= S1", &[CONDITION_NAN, PASSED]),
        Op2::PredSetNe => ("predicate = S0 != S1", &[CONDITION_NAN, PASSED]),
        Op2::PredSetInv => (
            "predicate = S0 == 1.0; D = 0.0 if so, 1.0 if S0 is 0.0, else S0",
            &["turns a counter of 0.0 or 1.0 around: the else of a condition"],
        ),
        Op2::PredSetPop => {
            ("predicate = S0 <= S1; D = 0.0 if so, else S0 - S1", &["pops S1 levels off the counter S0"])
        }
        Op2::PredSetClr => ("predicate = false; D = the largest number", &["no level passes until PRED_SET_RESTORE"]),
        Op2::PredSetRestore => ("predicate = S0 == 0.0; D = S0", &["takes a counter back"]),
        Op2::PredSetEPush => ("predicate = S0 == 0.0 and S1 == 0; D = 0.0 if so, else S0 + 1.0", &[COUNTED]),
        Op2::PredSetGtPush => ("predicate = S0 == 0.0 and S1 > 0; D = 0.0 if so, else S0 + 1.0", &[COUNTED]),
        Op2::PredSetGePush => ("predicate = S0 == 0.0 and S1 >= 0; D = 0.0 if so, else S0 + 1.0", &[COUNTED]),
        Op2::PredSetNePush => ("predicate = S0 == 0.0 and S1 != 0; D = 0.0 if so, else S0 + 1.0", &[COUNTED]),
        Op2::KillE => ("kill the pixel if S0 == S1", &[CONDITION_NAN]),
        Op2::KillGt => ("kill the pixel if S0 > S1", &[CONDITION_NAN]),
        Op2::KillGe => ("kill the pixel if S0 >= S1", &[CONDITION_NAN]),
        Op2::KillNe => ("kill the pixel if S0 != S1", &[CONDITION_NAN]),
        Op2::AndInt => ("D = S0 & S1", &[]),
        Op2::OrInt => ("D = S0 | S1", &[]),
        Op2::XorInt => ("D = S0 ^ S1", &[]),
        Op2::NotInt => ("D = ~S0", &[]),
        Op2::AddInt => ("D = S0 + S1", &["modulo 2^32"]),
        Op2::SubInt => ("D = S0 - S1", &["modulo 2^32"]),
        Op2::MaxInt => ("D = max(S0, S1)", &["with sign"]),
        Op2::MinInt => ("D = min(S0, S1)", &["with sign"]),
        Op2::MaxUint => ("D = max(S0, S1)", &["without sign"]),
        Op2::MinUint => ("D = min(S0, S1)", &["without sign"]),
        Op2::SetEInt => ("D = S0 == S1 ? -1 : 0", &[]),
        Op2::SetGtInt => ("D = S0 > S1 ? -1 : 0", &["with sign"]),
        Op2::SetGeInt => ("D = S0 >= S1 ? -1 : 0", &["with sign"]),
        Op2::SetNeInt => ("D = S0 != S1 ? -1 : 0", &[]),
        Op2::SetGtUint => ("D = S0 > S1 ? -1 : 0", &["without sign"]),
        Op2::SetGeUint => ("D = S0 >= S1 ? -1 : 0", &["without sign"]),
        Op2::KillGtUint => ("kill the pixel if S0 > S1", &["without sign"]),
        Op2::KillGeUint => ("kill the pixel if S0 >= S1", &["without sign"]),
        Op2::PredSetEInt => ("predicate = S0 == S1", &[PASSED]),
        Op2::PredSetGtInt => ("predicate = S0 > S1", &["with sign", PASSED]),
        Op2::PredSetGeInt => ("predicate = S0 >= S1", &["with sign", PASSED]),
        Op2::PredSetNeInt => ("predicate = S0 != S1", &[PASSED]),
        Op2::KillEInt => ("kill the pixel if S0 == S1", &[]),
        Op2::KillGtInt => ("kill the pixel if S0 > S1", &["with sign"]),
        Op2::KillGeInt => ("kill the pixel if S0 >= S1", &["with sign"]),
        Op2::KillNeInt => ("kill the pixel if S0 != S1", &[]),
        Op2::PredSetEPushInt => {
            ("predicate = S0 == 0.0 and S1 == 0; D = 0.0 if so, else S0 + 1.0", &["S1 is an integer", COUNTED])
        }
        Op2::PredSetGtPushInt => {
            ("predicate = S0 == 0.0 and S1 > 0; D = 0.0 if so, else S0 + 1.0", &["S1 is an integer", COUNTED])
        }
        Op2::PredSetGePushInt => {
            ("predicate = S0 == 0.0 and S1 >= 0; D = 0.0 if so, else S0 + 1.0", &["S1 is an integer", COUNTED])
        }
        Op2::PredSetNePushInt => {
            ("predicate = S0 == 0.0 and S1 != 0; D = 0.0 if so, else S0 + 1.0", &["S1 is an integer", COUNTED])
        }
        Op2::PredSetLtPushInt => {
            ("predicate = S0 == 0.0 and S1 < 0; D = 0.0 if so, else S0 + 1.0", &["S1 is an integer", COUNTED])
        }
        Op2::PredSetLePushInt => {
            ("predicate = S0 == 0.0 and S1 <= 0; D = 0.0 if so, else S0 + 1.0", &["S1 is an integer", COUNTED])
        }
        Op2::Dot4 => (
            "D = S0.x * S1.x + S0.y * S1.y + S0.z * S1.z + S0.w * S1.w, in all four units",
            &["summed from left to right", ROUNDED, ZERO],
        ),
        Op2::Dot4Ieee => (
            "D = S0.x * S1.x + S0.y * S1.y + S0.z * S1.z + S0.w * S1.w, in all four units",
            &["summed from left to right", ROUNDED, "zero times infinity is NaN"],
        ),
        Op2::Cube => (
            "x = t, y = s, z = 2 * major axis, w = face 0 to 5",
            &["the direction's z, z, x, y are S0 and its y, x, z, z S1", "faces are +X, -X, +Y, -Y, +Z, -Z"],
        ),
        Op2::Max4 => ("D = the largest of S0.x, S0.y, S0.z, S0.w, in all four units", &[]),
        Op2::MovAGprInt => ("", &[ABSENT]),
        Op2::ExpIeee => ("D = 2 ^ S0", &[FUNCTION]),
        Op2::LogClamped => ("D = log2(S0)", &["zeros give the lowest finite number, numbers below 0 NaN", FUNCTION]),
        Op2::LogIeee => ("D = log2(S0)", &["zeros give -infinity, numbers below 0 NaN", FUNCTION]),
        Op2::RecipClamped => ("D = 1 / S0", &["correctly rounded; the largest number in place of infinity"]),
        Op2::RecipFf => ("D = 1 / S0", &["correctly rounded; zero in place of infinity"]),
        Op2::RecipIeee => ("D = 1 / S0", &["correctly rounded; zeros give infinity of their sign"]),
        Op2::RecipSqrtClamped => (
            "D = 1 / sqrt(S0)",
            &["root and quotient are rounded; the largest number in place of infinity, numbers below 0 give NaN"],
        ),
        Op2::RecipSqrtFf => (
            "D = 1 / sqrt(S0)",
            &["root and quotient are rounded; zero in place of infinity, numbers below 0 give NaN"],
        ),
        Op2::RecipSqrtIeee => {
            ("D = 1 / sqrt(S0)", &["root and quotient are rounded; zeros give infinities, numbers below 0 NaN"])
        }
        Op2::SqrtIeee => ("D = sqrt(S0)", &["correctly rounded; -0 stays, numbers below 0 give NaN"]),
        Op2::FltToInt => ("D = integer(S0)", &["towards 0, inside of the range of numbers with sign; NaN gives 0"]),
        Op2::IntToFlt => ("D = float(S0)", &["with sign; to the nearest, ties to even"]),
        Op2::UintToFlt => ("D = float(S0)", &["without sign; to the nearest, ties to even"]),
        Op2::Sin => (
            "D = sin(2 * pi * S0)",
            &["S0 is in turns: 1.0 is a whole circle, and magnitudes end at 256; on R600 it is in radians", FUNCTION],
        ),
        Op2::Cos => (
            "D = cos(2 * pi * S0)",
            &["S0 is in turns: 1.0 is a whole circle, and magnitudes end at 256; on R600 it is in radians", FUNCTION],
        ),
        Op2::AshrInt => ("D = S0 >> S1", &["copies of the sign come in", SHIFTED]),
        Op2::LshrInt => ("D = S0 >> S1", &["zeros come in", SHIFTED]),
        Op2::LshlInt => ("D = S0 << S1", &[SHIFTED]),
        Op2::MulLoInt => ("D = lower word of S0 * S1", &[]),
        Op2::MulHiInt => ("D = upper word of S0 * S1", &["with sign"]),
        Op2::MulLoUint => ("D = lower word of S0 * S1", &[]),
        Op2::MulHiUint => ("D = upper word of S0 * S1", &["without sign"]),
        Op2::RecipInt => ("D = sign(S0) * floor(2^31 / |S0|)", &["at most 2^31 - 1, which 0 gives as well"]),
        Op2::RecipUint => ("D = floor(2^32 / S0)", &["at most 2^32 - 1, which 0 gives as well"]),
        Op2::FltToUint => ("D = integer(S0)", &["towards 0, inside of the range of numbers without sign; NaN gives 0"]),
        Op2::Frexp64
        | Op2::Add64
        | Op2::Mul64
        | Op2::Flt64ToFlt32
        | Op2::Flt32ToFlt64
        | Op2::Ldexp64
        | Op2::Fract64
        | Op2::PredSetGt64
        | Op2::PredSetE64
        | Op2::PredSetGe64 => ("", &["double precision", ABSENT]),
    }
}

fn op3(op: Op3) -> Words {
    const LIT: &[&str] =
        &["the lowest finite number where S1 is that, -infinity or NaN, or S2 is not above zero", ROUNDED, ZERO];
    match op {
        Op3::MulAdd64 | Op3::MulAdd64M2 | Op3::MulAdd64M4 | Op3::MulAdd64D2 => ("", &["double precision", ABSENT]),
        Op3::MulLit => ("D = S0 * S1", LIT),
        Op3::MulLitM2 => ("D = S0 * S1 * 2", LIT),
        Op3::MulLitM4 => ("D = S0 * S1 * 4", LIT),
        Op3::MulLitD2 => ("D = S0 * S1 / 2", LIT),
        Op3::MulAdd => ("D = S0 * S1 + S2", &["the product is rounded, then the sum", ROUNDED, ZERO]),
        Op3::MulAddM2 => ("D = (S0 * S1 + S2) * 2", &["the product is rounded, then the sum", ROUNDED, ZERO]),
        Op3::MulAddM4 => ("D = (S0 * S1 + S2) * 4", &["the product is rounded, then the sum", ROUNDED, ZERO]),
        Op3::MulAddD2 => ("D = (S0 * S1 + S2) / 2", &["the product is rounded, then the sum", ROUNDED, ZERO]),
        Op3::MulAddIeee => {
            ("D = S0 * S1 + S2", &["the product is rounded, then the sum", ROUNDED, "zero times infinity is NaN"])
        }
        Op3::MulAddIeeeM2 => {
            ("D = (S0 * S1 + S2) * 2", &["the product is rounded, then the sum", ROUNDED, "zero times infinity is NaN"])
        }
        Op3::MulAddIeeeM4 => {
            ("D = (S0 * S1 + S2) * 4", &["the product is rounded, then the sum", ROUNDED, "zero times infinity is NaN"])
        }
        Op3::MulAddIeeeD2 => {
            ("D = (S0 * S1 + S2) / 2", &["the product is rounded, then the sum", ROUNDED, "zero times infinity is NaN"])
        }
        Op3::CndE => ("D = S0 == 0.0 ? S1 : S2", &[CONDITION_NAN]),
        Op3::CndGt => ("D = S0 > 0.0 ? S1 : S2", &[CONDITION_NAN]),
        Op3::CndGe => ("D = S0 >= 0.0 ? S1 : S2", &[CONDITION_NAN]),
        Op3::CndEInt => ("D = S0 == 0 ? S1 : S2", &[]),
        Op3::CndGtInt => ("D = S0 > 0 ? S1 : S2", &["with sign"]),
        Op3::CndGeInt => ("D = S0 >= 0 ? S1 : S2", &["with sign"]),
    }
}

fn cf(op: CfOp) -> Words {
    match op {
        CfOp::Nop => ("", &["it does nothing"]),
        CfOp::Tex => ("execute the fetches of a texture clause", &[]),
        CfOp::Vtx => ("execute the fetches of a vertex clause", &[]),
        CfOp::VtxTc => ("execute the fetches of a vertex clause, through the texture cache", &[]),
        CfOp::LoopStart => (
            "if there is no pass, or no pixel passes: pop POP_COUNT, go to ADDR; else push, aL = first",
            &["the loop constant has count, first and step of aL"],
        ),
        CfOp::LoopEnd => ("aL = aL + step; if passes are left: go to ADDR; else pop", &[]),
        CfOp::LoopStartDx10 => (
            "if no pixel passes: pop POP_COUNT, go to ADDR; else push",
            &["passes are not counted: BREAK ends the loop"],
        ),
        CfOp::LoopStartNoAl => (
            "if there is no pass, or no pixel passes: pop POP_COUNT, go to ADDR; else push",
            &["as LOOP_START, and aL stays"],
        ),
        CfOp::LoopContinue => ("pixels that pass wait for the end of the pass; if none is left: go to ADDR", &[]),
        CfOp::LoopBreak => ("pixels that pass wait for the end of the loop; if none is left: go to ADDR", &[]),
        CfOp::Jump => ("if no pixel passes: pop POP_COUNT, go to ADDR", &[]),
        CfOp::Push => (
            "if no pixel passes: pop POP_COUNT, go to ADDR; else push the mask, and pixels that do not pass leave",
            &[],
        ),
        CfOp::PushElse => (
            "push the mask; pixels that pass leave; if none is left: pop POP_COUNT, go to ADDR",
            &["PUSH and ELSE in one; the order is decision R11"],
        ),
        CfOp::Else => (
            "of the pixels in the mask on top, active ones and others change places; if none is active: pop POP_COUNT, go to ADDR",
            &[],
        ),
        CfOp::Pop => ("pop POP_COUNT masks; pixels that do not pass leave", &[]),
        CfOp::PopJump => ("pop POP_COUNT masks; if no pixel passes: go to ADDR", &[]),
        CfOp::PopPush => (
            "pop POP_COUNT masks; if no pixel passes: go to ADDR; else push the mask, and pixels that do not pass leave",
            &[],
        ),
        CfOp::PopPushElse => {
            ("pop POP_COUNT masks; push the mask; pixels that pass leave; if none is left: go to ADDR", &[])
        }
        CfOp::Call => {
            ("if a pixel passes: push the next address, go to ADDR", &["CALL_COUNT is added to the depth of calls"])
        }
        CfOp::CallFs => ("if a pixel passes: execute the fetch program", &["nothing happens without one"]),
        CfOp::Return => ("if all active pixels pass: go to the address that the call pushed", &[]),
        CfOp::EmitVertex => ("emit a vertex", &["geometry programs"]),
        CfOp::EmitCutVertex => ("emit a vertex, and end the strip", &["geometry programs"]),
        CfOp::CutVertex => ("end the strip", &["geometry programs"]),
        CfOp::Kill => ("kill the pixels that pass; if none is left: go to ADDR", &[]),
        CfOp::EndProgram => ("end the program", &[]),
        CfOp::WaitAck => ("wait for writes to be acknowledged", &["it does nothing here"]),
        CfOp::TexAck => ("as TEX, and wait for acknowledgement", &[]),
        CfOp::VtxAck => ("as VTX, and wait for acknowledgement", &[]),
        CfOp::VtxTcAck => ("as VTX_TC, and wait for acknowledgement", &[]),
    }
}

fn cf_alu(op: CfAluOp) -> Words {
    match op {
        CfAluOp::Alu => ("execute the groups of an ALU clause", &[]),
        CfAluOp::PushBefore => ("push the mask, then as ALU", &[]),
        CfAluOp::PopAfter => ("as ALU, then pop one mask", &[]),
        CfAluOp::Pop2After => ("as ALU, then pop two masks", &[]),
        CfAluOp::Continue => ("as ALU; pixels that the clause makes inactive wait for the end of the pass", &[]),
        CfAluOp::Break => ("as ALU; pixels that the clause makes inactive wait for the end of the loop", &[]),
        CfAluOp::ElseAfter => ("as ALU, then as ELSE without jump", &[]),
    }
}

fn export(op: CfExportOp) -> Words {
    match op {
        CfExportOp::MemStream0 => ("write to stream-output buffer 0", &[]),
        CfExportOp::MemStream1 => ("write to stream-output buffer 1", &[]),
        CfExportOp::MemStream2 => ("write to stream-output buffer 2", &[]),
        CfExportOp::MemStream3 => ("write to stream-output buffer 3", &[]),
        CfExportOp::MemScratch => ("write to scratch memory", &[]),
        CfExportOp::MemReduction => ("write to the reduction buffer", &[]),
        CfExportOp::MemRing => ("write to the ring between the stages", &[]),
        CfExportOp::Export => ("export registers: a colour (PIX), a position (POS), a parameter (PARAM)", &[]),
        CfExportOp::ExportDone => ("as EXP, and the last export of its kind", &[]),
        CfExportOp::MemExport => ("write to memory at computed addresses", &[]),
    }
}

/// Whether a fetch is executed, and its formula.
fn fetch(op: FetchOp) -> Words {
    const COORDINATES: &str = "coordinates are in [0, 1] or in texels, as the COORD_TYPE fields say; the sampler says how texels are filtered and coordinates wrapped";
    const GRADIENTS: &str = "samples of the clause after it that have _G take their level from it";
    match op {
        FetchOp::VtxFetch => ("D = element S of the buffer", &["beyond the buffer's end it reads 0"]),
        FetchOp::VtxSemantic => {
            ("D of the semantic = element S of the buffer", &["beyond the buffer's end it reads 0"])
        }
        FetchOp::Mem => ("", &["MEM_OP says what"]),
        FetchOp::Ld => (
            "D = texel (S.x, S.y, S.z) of level S.w",
            &[
                "coordinates are whole numbers; outside of the texture it gives 0; where texels have several samples, S.w is the sample",
            ],
        ),
        FetchOp::GetTextureInfo => (
            "D = width, height, depth, number of levels",
            &[
                "the sizes are those of level S.x, a whole number",
                "layers are the height of 1D arrays, the depth of others",
            ],
        ),
        FetchOp::GetGradientsH => ("D = S of the right pixel of the quad's row - S of the left one", &[]),
        FetchOp::GetGradientsV => ("D = S of the lower pixel of the quad's column - S of the upper one", &[]),
        FetchOp::SetGradientsH => ("gradients to the right = S", &[GRADIENTS]),
        FetchOp::SetGradientsV => ("gradients down = S", &[GRADIENTS]),
        FetchOp::GetSampleInfo => ("D.w = samples of a texel", &[]),
        FetchOp::GetCompTexLod => ("D.x = level of the quad at S; D.y = the level that a sample takes", &[]),
        FetchOp::Sample => ("D = filtered texel at S", &[COORDINATES]),
        FetchOp::SampleL => ("D = filtered texel at S, level S.w", &[COORDINATES]),
        FetchOp::SampleLb => ("D = filtered texel at S, level of the quad + S.w", &[COORDINATES]),
        FetchOp::SampleLz => ("D = filtered texel at S, level 0", &[COORDINATES]),
        FetchOp::SampleG => ("D = filtered texel at S, level of the gradients", &[COORDINATES]),
        FetchOp::SampleC => ("D = filtered comparison of the texels at S with S.w", &[COORDINATES]),
        FetchOp::SampleCL => ("D = filtered comparison of the texels at S, level S.w, with S.z", &[COORDINATES]),
        FetchOp::SampleCLb => {
            ("D = filtered comparison of the texels at S, level of the quad + S.w, with S.z", &[COORDINATES])
        }
        FetchOp::SampleCG => {
            ("D = filtered comparison of the texels at S, level of the gradients, with S.w", &[COORDINATES])
        }
        FetchOp::SampleCLz => ("D = filtered comparison of the texels at S, level 0, with S.w", &[COORDINATES]),
        FetchOp::SampleGL => ("D = filtered texel at S, level S.w", &[COORDINATES]),
        FetchOp::SampleGLb => ("D = filtered texel at S, level of the gradients + S.w", &[COORDINATES]),
        FetchOp::SampleGLz => ("D = filtered texel at S, level 0", &[COORDINATES]),
        FetchOp::SampleCGL => ("D = filtered comparison of the texels at S, level S.w, with S.z", &[COORDINATES]),
        FetchOp::SampleCGLb => {
            ("D = filtered comparison of the texels at S, level of the gradients + S.w, with S.z", &[COORDINATES])
        }
        FetchOp::SampleCGLz => ("D = filtered comparison of the texels at S, level 0, with S.w", &[COORDINATES]),
        FetchOp::Fetch4 => (
            "D.z, D.x, D.y, D.w = the texels that a linear filter takes at S: lower left, lower right, upper right, upper left",
            &[
                "of each texel the first channel, after the texture's own selectors",
                "the texels are those of level 0, whatever the sampler says of levels and filters",
                "D.zxyw is what textureGather of GLSL gives",
            ],
        ),
        FetchOp::SetCubemapIndex => {
            ("", &["chooses one of several cubes of a texture; textures here have one, so that it has no effect"])
        }
        FetchOp::GetLerp | FetchOp::KeepGradients | FetchOp::Pass => ("", &[ABSENT]),
    }
}

/// Registers: name, meaning.
const REGISTERS: &[(&str, &str)] = &[
    (
        "Rn",
        "One of 128 registers of four channels, x, y, z, w, of 32 bits each. In pixel shaders R0 holds the position at the start: x in R0.x, y in R0.y. \
         What is written to R123 is discarded where the program has fewer registers.",
    ),
    (
        "Tn",
        "Clause temporary n of four, registers 124 to 127: where the program reserves them, they keep their values inside of one ALU clause only.",
    ),
    ("PV", "The results of the vector units in the group before: PV.x to PV.w."),
    ("PS", "The result of the trans unit in the group before."),
    (
        "AR",
        "The address register, which MOVA sets: what relative operands add. It is there from the group after on, to the end of the clause.",
    ),
    ("AL", "The loop index, which LOOP_START sets and LOOP_END steps."),
    ("KC0", "A constant through window 0 of the constant cache, KC0[n], which the clause's ALU instruction opens."),
    ("KC1", "A constant through window 1 of the constant cache, KC1[n]."),
    ("Cn", "Constant n of the constant file, of four channels."),
];

fn bits(field: &Field) -> String {
    let bits =
        if field.hi == field.lo { format!("bit {}", field.hi) } else { format!("bits {}:{}", field.hi, field.lo) };
    format!("{}, dword {} {bits}", field.name, field.word)
}

fn topic(name: &str, kind: &'static str, meaning: String, (formula, rules): Words, encoding: String) -> Topic {
    Topic {
        name: name.to_owned(),
        kind,
        meaning,
        formula: (!formula.is_empty()).then(|| formula.to_owned()),
        rules: rules.iter().map(|&rule| rule.to_owned()).collect(),
        encoding: vec![encoding],
        source: "AMD R700-Family Instruction Set Architecture, chapters 3 to 9; Mesa's r600_sq.h and r700_sq.h"
            .to_owned(),
        ..Topic::default()
    }
}

fn units(units: Units) -> &'static str {
    match units {
        Units::Any => "any unit",
        Units::Vector => "the vector unit of its channel",
        Units::Trans => "the trans unit",
        Units::Reduction(_) => "the four vector units together",
    }
}

fn families(families: Families) -> &'static str {
    match families {
        Families::Both => "",
        Families::Only(Family::R600) => " R600 only.",
        Families::Only(Family::R700) => " R700 only.",
    }
}

/// What an element of a data format holds.
fn layout(layout: FormatLayout) -> String {
    let widths = |widths: &[u8]| widths.iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
    match layout {
        FormatLayout::Integer(&[width]) => {
            format!("In FORMAT: an integer of {width} bits; NUM_FORMAT_ALL says what it stands for.")
        }
        FormatLayout::Integer(bits) => {
            format!(
                "In FORMAT: integers of {} bits, the lowest first; NUM_FORMAT_ALL says what they stand for.",
                widths(bits)
            )
        }
        FormatLayout::Float(&[width]) => format!("In FORMAT: a float of {width} bits."),
        FormatLayout::Float(bits) => format!("In FORMAT: floats of {} bits, the lowest first.", widths(bits)),
        FormatLayout::Other => "In FORMAT: a layout of its own, which the name says.".to_owned(),
    }
}

fn field(form: &str, field: &Field) -> Topic {
    let values = (0..=field.max().min(31))
        .filter_map(|value| Some(NamedValue { value, name: (field.spell)(value)?, meaning: (field.about)(value)? }));
    let topic = topic(field.name, "field", format!("Of {form}: {}.", field.doc), ("", &[]), bits(field));
    Topic { values: values.collect(), ..topic }
}

/// Everything that the language names, kind by kind.
pub fn topics() -> Vec<Topic> {
    let mut topics = Vec::new();
    let mut alu = |name, kind, about: &AluProperties, words, place| {
        let operands = ["none", "S0", "S0, S1", "S0, S1, S2"][usize::from(about.sources)];
        let meaning = format!("Operation of {}.{}", units(about.units), families(about.families));
        let topic = topic(name, kind, meaning, words, place);
        topics.push(Topic { operands: Some(operands.to_owned()), ..topic });
    };
    for &op in Op2::ALL {
        let place = format!("ALU_INST, dword 1 bits 17:7 = {:#x}; on R600 bits 17:8", op.code());
        alu(op.name(), "ALU operation of up to two sources", op.properties(), op2(op), place);
    }
    for &op in Op3::ALL {
        let place = format!("ALU_INST, dword 1 bits 17:13 = {:#x}", op.code());
        alu(op.name(), "ALU operation of three sources", op.properties(), op3(op), place);
    }
    for &op in CfOp::ALL {
        let place = format!("CF_INST, dword 1 bits 29:23 = {:#x}", op.code());
        let meaning = format!("Control flow.{}", families(op.properties().families));
        topics.push(topic(op.name(), "control-flow instruction", meaning, cf(op), place));
    }
    for &op in CfAluOp::ALL {
        let place = format!("CF_INST, dword 1 bits 29:26 = {:#x}", op.code());
        topics.push(topic(
            op.name(),
            "ALU clause instruction",
            "Control flow: a clause of groups.".to_owned(),
            cf_alu(op),
            place,
        ));
    }
    for &op in CfExportOp::ALL {
        let place = format!("CF_INST, dword 1 bits 29:23 = {:#x}", op.code());
        let meaning = format!("Control flow: a write.{}", families(op.properties().families));
        topics.push(topic(op.name(), "export instruction", meaning, export(op), place));
    }
    for op in FetchOp::ALL {
        let place = format!("TEX_INST or VTX_INST, dword 0 bits 4:0 = {:#x}", op.to_raw());
        topics.push(topic(op.name(), "fetch instruction", op.about().trim().to_owned(), fetch(op), place));
    }
    for op in MemOp::ALL {
        let place = format!("MEM_OP, dword 0 bits 10:8 = {:#x}", op.to_raw());
        topics.push(topic(op.name(), "memory instruction", op.about().trim().to_owned(), ("", &[]), place));
    }
    for &(name, meaning) in REGISTERS {
        topics.push(Topic {
            encoding: Vec::new(),
            ..topic(name, "register", meaning.to_owned(), ("", &[]), String::new())
        });
    }
    let plain = |name: &str, kind, meaning| Topic {
        encoding: Vec::new(),
        ..topic(name, kind, meaning, ("", &[]), String::new())
    };
    topics.extend(syntax::SYNTAX.iter().map(|&(kind, name, meaning)| plain(name, kind, meaning.to_owned())));
    topics.extend(aliases().map(|(alias, name)| plain(alias, "other name", format!("Other tools' name of `{name}`."))));
    for stage in Stage::ALL {
        topics.push(plain(stage.name(), "stage", format!("In `.stage`: a {}.", stage.properties())));
    }
    for (family, chips) in [(Family::R600, "RV610 to RV670 and Latte"), (Family::R700, "RV710 to RV790")] {
        topics.push(plain(family.name(), "family", format!("In `.family`: the encoding of {chips}.")));
    }
    for format in DataFormat::ALL {
        let (kind, place) = ("data format", format!("DATA_FORMAT = {}", format.code()));
        topics.push(topic(format.name(), kind, layout(*format.properties()), ("", &[]), place));
    }
    for &special in Special::ALL {
        let meaning = match special.properties() {
            SpecialValue::Constant(bits) => format!("A source that is the constant {bits:#010x}."),
            SpecialValue::Undocumented => {
                "A source that has a name, but whose meaning on these machines is not published.".to_owned()
            }
        };
        let place = format!("SRC_SEL = {}", special.code());
        topics.push(topic(special.name(), "source", meaning, ("", &[]), place));
    }
    for (form, fields) in [
        ("ALU operations", AluFields::FIELDS),
        ("ALU operations of up to two sources", Op2Fields::FIELDS),
        ("ALU operations of three sources", Op3Fields::FIELDS),
        ("control-flow instructions", CfFields::FIELDS),
        ("ALU clause instructions", CfAluFields::FIELDS),
        ("exports and writes", CfExportFields::FIELDS),
        ("exports", ExportSwizzle::FIELDS),
        ("writes", ExportBuffer::FIELDS),
        ("vertex fetches", Vtx::FIELDS),
        ("texture fetches", TexFields::FIELDS),
        ("memory reads", MemRead::FIELDS),
    ] {
        topics.extend(fields.iter().map(|row| field(form, row)));
    }
    topics
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_the_language_has_a_page() {
        let topics = topics();
        let words = crate::text::vocabulary::words();
        let missing: Vec<_> =
            words.iter().filter(|word| ctm_text::topic::find(&topics, |topic| topic, word).is_empty()).collect();
        assert!(words.len() > 300 && missing.is_empty(), "{missing:?}");
    }
}
