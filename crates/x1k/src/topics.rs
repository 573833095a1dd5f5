//! The reference of the language: every operation, register and field, with its meaning, rules, encoding and source. The words
//! stand here by the tables' own classes, without wildcards, so that a new row does not build until it has some; encodings, values
//! and the meanings of fields come from the tables.

mod syntax;

use crate::codes::*;
use crate::instruction::{Alu, Common, Flow, Instruction, Tex};
use ctm_bits::Field;
use ctm_text::topic::{NamedValue, Topic};

/// What is said of an operation.
struct Words {
    meaning: &'static str,
    formula: &'static str,
    operands: &'static str,
    rules: &'static [&'static str],
    source: &'static str,
}

const ONCE: &str =
    "it rounds once, to the nearest, ties to even; denormal operands and results are zeros of their sign";
const NAN: &str = "a NaN that it computes is the standard NaN, 0x7FFFFFFF";
const ZERO_TIMES: &str = "0 times infinity or NaN is NaN, or 0 with `.zero_times_anything yes`";
const BITS: &str = "with `exact *` what is chosen keeps all its bits, denormals and NaN payloads too; otherwise denormals become zeros, and a NaN the standard one";
const FUNCTION: &str = "a fixed sequence of rounded steps, the same on every engine; errors are in docs/accuracy.md";

fn per_channel(op: ChannelOp) -> Words {
    match op {
        ChannelOp::Mad => Words {
            meaning: "Multiplies and adds. A product is a MAD with C 0; a sum is a MAD with B 1.",
            formula: "D = A * B + C",
            operands: "A, B, C; one that is left out has fields of zeros, which is `src0.rrr`",
            rules: &[ONCE, NAN, ZERO_TIMES],
            source: "CTM Guide p.28, 41; that it rounds once is decision C51",
        },
        ChannelOp::Min => Words {
            meaning: "The smaller of two values.",
            formula: "D = A < B ? A : B",
            operands: "A, B",
            rules: &["a NaN, or two zeros, give B; denormals compare as zeros", BITS],
            source: "CTM Guide p.28, 42",
        },
        ChannelOp::Max => Words {
            meaning: "The greater of two values. MAX of a value with itself is a move; `exact *` in front keeps every bit.",
            formula: "D = A > B ? A : B",
            operands: "A, B",
            rules: &["a NaN, or two zeros, give B; denormals compare as zeros", BITS],
            source: "CTM Guide p.28, 42",
        },
        ChannelOp::Cnd => Words {
            meaning: "Chooses by whether C is above one half.",
            formula: "D = C > 0.5 ? A : B",
            operands: "A, B, C",
            rules: &["a NaN in C gives B", BITS],
            source: "CTM Guide p.28",
        },
        ChannelOp::Cmp => Words {
            meaning: "Chooses by the sign of C.",
            formula: "D = C >= 0 ? A : B",
            operands: "A, B, C",
            rules: &["zeros of either sign, and denormals, give A; a NaN in C gives B", BITS],
            source: "CTM Guide p.28",
        },
        ChannelOp::Frc => Words {
            meaning: "The fraction: how far a value is above the next whole one below it.",
            formula: "D = A - floor(A)",
            operands: "A",
            rules: &[
                "the result is in [0, 1): what would round to 1 is the largest number below 1",
                "zeros give +0; infinities and NaN give NaN",
            ],
            source: "CTM Guide p.29; the greatest result is decision C54",
        },
        ChannelOp::Mdh => Words {
            meaning: "Multiplies and adds across a quad: with B -1 or 1, the difference from left to right in the upper row.",
            formula: "D = src0(top left) * B + src0(top right)",
            operands: "A and C are source 0 of those lanes of the quad, with the input modifiers of A and C; B as it is",
            rules: &[ONCE, "all four lanes of a quad get the value by its upper row"],
            source: "R5xx register tables; the CTM Guide leaves it out",
        },
        ChannelOp::Mdv => Words {
            meaning: "Multiplies and adds across a quad: with B -1 or 1, the difference from top to bottom in the left column.",
            formula: "D = src0(top left) * B + src0(bottom left)",
            operands: "A and C are source 0 of those lanes of the quad, with the input modifiers of A and C; B as it is",
            rules: &[ONCE, "all four lanes of a quad get the value by its left column"],
            source: "R5xx register tables; the CTM Guide leaves it out",
        },
    }
}

fn dot(op: DotOp) -> Words {
    let (meaning, formula, operands) = match op {
        DotOp::Dp3 => ("Dot product of three terms.", "D.rgb = A.r * B.r + A.g * B.g + A.b * B.b", "A, B"),
        DotOp::Dp4 => (
            "Dot product of four terms. The fourth factors are the operands of the alpha unit.",
            "D.rgb = A.r * B.r + A.g * B.g + A.b * B.b + A.a * B.a",
            "A, B",
        ),
        DotOp::D2a => ("Dot product of two terms, and an addend.", "D.rgb = A.r * B.r + A.g * B.g + C.b", "A, B, C"),
    };
    let rules = &["a chain of multiply-adds from the left, of which each rounds as MAD does", NAN, ZERO_TIMES];
    Words { meaning, formula, operands, rules, source: "CTM Guide p.28, 41; the order of the sum is a decision" }
}

fn transcendental(op: TranscendentalOp) -> Words {
    let (meaning, formula, rules): (_, _, &[&str]) = match op {
        TranscendentalOp::Ex2 => (
            "Two to a power.",
            "D = 2 ^ A",
            &[
                "exact for whole numbers",
                "-inf gives +0, +inf gives +inf, zeros give 1; results that would be denormal are +0",
                FUNCTION,
            ],
        ),
        TranscendentalOp::Ln2 => (
            "Logarithm to base 2.",
            "D = log2(A)",
            &["exact for powers of two", "zeros give -inf, numbers below 0 NaN, +inf gives +inf", FUNCTION],
        ),
        TranscendentalOp::Rcp => (
            "Reciprocal.",
            "D = 1 / A",
            &["exact for powers of two", "zeros give infinity of their sign, infinities zero of their sign", FUNCTION],
        ),
        TranscendentalOp::Rsq => (
            "Reciprocal of the square root.",
            "D = 1 / sqrt(A)",
            &[
                "exact for even powers of two",
                "+0 gives +inf and -0 gives -inf, numbers below 0 give NaN, +inf gives +0",
                FUNCTION,
            ],
        ),
        TranscendentalOp::Sin => (
            "Sine of an angle in turns: 1.0 is a whole circle. An angle in radians is first multiplied by 1 / (2 pi).",
            "D = sin(2 * pi * A)",
            &["exact for multiples of a quarter", "zeros keep their sign; infinities give NaN", FUNCTION],
        ),
        TranscendentalOp::Cos => (
            "Cosine of an angle in turns: 1.0 is a whole circle. An angle in radians is first multiplied by 1 / (2 pi).",
            "D = cos(2 * pi * A)",
            &["exact for multiples of a quarter", "infinities give NaN", FUNCTION],
        ),
    };
    Words { meaning, formula, operands: "A", rules, source: "CTM Guide p.29, 42-43" }
}

const RESERVED: Words = Words {
    meaning: "A code that the guide reserves. Programs with it are not run.",
    formula: "",
    operands: "",
    rules: &[],
    source: "CTM Guide p.28-29; R5xx register tables",
};

fn rgb(op: RgbOp) -> Words {
    match op.class() {
        RgbClass::PerChannel(op) => per_channel(op),
        RgbClass::Dot(op) => dot(op),
        RgbClass::CopyAlpha => Words {
            meaning: "Copies the result of the alpha unit, which is one of EX2, LN2, RCP, RSQ, SIN and COS, to the three channels.",
            formula: "D.rgb = result of the alpha unit",
            operands: "",
            rules: &["the RGB unit's own output modifier and clamp apply"],
            source: "CTM Guide p.28",
        },
        RgbClass::Reserved => RESERVED,
    }
}

fn alpha(op: AlphaOp) -> Words {
    match op.class() {
        AlphaClass::PerChannel(op) => per_channel(op),
        AlphaClass::Transcendental(op) => transcendental(op),
        AlphaClass::CopyDot => Words {
            meaning: "Copies the dot product of the RGB unit, which is one of DP3, DP4 and D2A.",
            formula: "D.a = dot product of the RGB unit",
            operands: "",
            rules: &["the alpha unit's own output modifier and clamp apply"],
            source: "CTM Guide p.29",
        },
        AlphaClass::Reserved => RESERVED,
    }
}

fn texture(op: TexOp) -> Words {
    const FETCH: &str = "D = element of tex[n] at (S, T)";
    const SCALED: &str = "S and T are multiplied by the surface's width and height, unless UNSCALED is set; their floors, inside of the surface, are the element";
    const OPERANDS: &str = "tex[n] with the channels that go to r, g, b, a; the temporary with S, T, R, Q";
    const SOURCE: &str = "CTM Guide p.32-33; R5xx US_TEX_INST";
    let words = |meaning, formula, rules| Words { meaning, formula, operands: OPERANDS, rules, source: SOURCE };
    match op {
        TexOp::Nop => words("Fetches nothing.", "", &["the destination keeps its value"]),
        TexOp::Ld => words("Fetches an element.", FETCH, &[SCALED]),
        TexOp::Texkill => words(
            "Ends lanes without output where a coordinate is negative.",
            "kill if S < 0 or T < 0 or R < 0 or Q < 0",
            &["-0 and NaN are not negative"],
        ),
        TexOp::Proj => {
            words("Fetches an element at divided coordinates.", "D = element of tex[n] at (S / Q, T / Q)", &[SCALED])
        }
        TexOp::Lodbias => words("As LD: there are no levels of detail, and the bias is ignored.", FETCH, &[SCALED]),
        TexOp::Lod => words("As LD: there are no levels of detail, and the level is ignored.", FETCH, &[SCALED]),
        TexOp::Dxdy => Words {
            operands: "tex[n] with its channels; the temporaries with the coordinates, the derivatives in x, the derivatives in y",
            ..words("As LD: there are no levels of detail, and the derivatives are ignored.", FETCH, &[SCALED])
        },
        TexOp::Reserved7 => RESERVED,
    }
}

fn flow(op: FlowOp) -> Words {
    const SOURCE: &str = "CTM Guide p.34-40";
    let words = |meaning, formula, operands, rules| Words { meaning, formula, operands, rules, source: SOURCE };
    const LOOP_RULES: &[&str] = &["the integer constant gives the count of passes, the first aL and its step"];
    match op {
        FlowOp::Jump => words(
            "Jumps where the condition says so. IF, ELSE, ENDIF, CALL and RETURN are made of it.",
            "if all active lanes want to (with `any`: one of them): go to the target",
            "target; items: when, any, stay, jump, pop_count, address, else, b[n], global",
            &["what lanes want is JUMP_FUNC's bit 4 * ALU result + 2 * predicate + boolean constant"],
        ),
        FlowOp::Loop => words(
            "Head of a loop that counts and sets aL.",
            "aL = first; skip the loop if there are no passes",
            "target, i[n]",
            LOOP_RULES,
        ),
        FlowOp::EndLoop => words(
            "End of a loop that steps aL.",
            "aL = aL + step; go to the target if passes are left",
            "target, i[n]",
            LOOP_RULES,
        ),
        FlowOp::Rep => words(
            "Head of a loop that counts, and leaves aL alone.",
            "skip the loop if there are no passes",
            "target, i[n]",
            LOOP_RULES,
        ),
        FlowOp::EndRep => words(
            "End of a loop that counts, and leaves aL alone.",
            "go to the target if passes are left",
            "target, i[n]",
            LOOP_RULES,
        ),
        FlowOp::BreakLoop => words(
            "Leaves a LOOP, and gives aL back its value of before.",
            "lanes that want to wait for the end of the loop",
            "target; items as of JUMP",
            &[],
        ),
        FlowOp::BreakRep => {
            words("Leaves a REP.", "lanes that want to wait for the end of the loop", "target; items as of JUMP", &[])
        }
        FlowOp::Continue => words(
            "Goes to the end of a loop's body.",
            "lanes that want to wait for the end of the pass",
            "target; items as of JUMP",
            &[],
        ),
    }
}

/// Registers and what else instructions name: name, meaning, source.
const REGISTERS: &[(&str, &str, &str)] = &[
    (
        "temp[n]",
        "One of 128 temporaries of four floats: r, g, b, a. At the start temp[0] (`.position` names another) holds the lane's position in the \
                 domain, x in r and y in g as whole numbers; its other channels, and all other temporaries, hold 0; `.interpolant` names temporaries that hold interpolated inputs. `temp[n + aL]` adds the \
                 loop variable, modulo 128.",
        "CTM Guide p.25-26",
    ),
    (
        "const[n]",
        "One of 256 float constants of four channels. `.const cN = ...` gives it a value, and so does `--const cN=...`; `const[n + aL]` adds \
                  the loop variable, modulo 256.",
        "CTM Guide p.26",
    ),
    ("const(x)", "A float constant with this value, which the assembler places.", "assembly language"),
    (
        "float(n)",
        "An inline constant by its 7-bit code: an exponent of 4 bits and a mantissa of 3, from 0 to 480. A number written as such is looked \
                  up: 0.5 is float(48).",
        "CTM Guide p.26",
    ),
    (
        "src0",
        "The first of three source addresses that the operands of a unit choose from; src1 and src2 likewise. Each has an `rgb` side and an `a` \
              side. One that is not set is inline constant 0.",
        "CTM Guide p.25-27",
    ),
    ("src1", "The second source address, see src0.", "CTM Guide p.25-27"),
    ("src2", "The third source address, see src0.", "CTM Guide p.25-27"),
    (
        "srcp",
        "The presubtract result of src0 and src1: `neg2` 1 - 2 src0, `sub` src1 - src0, `add` src1 + src0, `neg` 1 - src0.",
        "CTM Guide p.26",
    ),
    ("tex[n]", "One of 16 inputs, which `--input N=...` gives a surface.", "CTM Guide p.32-33"),
    ("out[n]", "One of 4 outputs, which `--output N=...` keeps. OUT instructions write it.", "CTM Guide p.30, 32"),
    (
        "pred",
        "Four predicate bits, r, g, b and a. `pred[test].mask =` sets those of the mask by a test of the result with zero; `PRED(...)` gates writes \
              by them.",
        "CTM Guide p.31",
    ),
    ("umrt", "An immediate write to an output, for programs that write as they go.", "CTM Guide p.32"),
    (
        "result",
        "The ALU result: one bit, set by a test of the red or the alpha result with zero, which the next flow-control instruction consumes.",
        "CTM Guide p.31, 36",
    ),
    ("w", "The conditional value of the lane, which the conditional unit tests.", "CTM Guide p.22, 32"),
    (
        "aL",
        "The loop variable, which LOOP sets and ENDLOOP steps. It is added to the number of a temporary or constant.",
        "CTM Guide p.38-40",
    ),
    ("i[n]", "One of 32 integer constants: passes, the first aL, the step of aL; 8 bits each.", "CTM Guide p.38"),
    ("b[n]", "One of 32 boolean constants.", "CTM Guide p.36, 38"),
];

/// A topic of an operation.
fn operation(name: &str, kind: &'static str, words: Words, encoding: Vec<String>) -> Topic {
    let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Topic {
        name: name.to_owned(),
        kind,
        meaning: words.meaning.to_owned(),
        formula: given(words.formula),
        operands: given(words.operands),
        rules: words.rules.iter().map(|&rule| rule.to_owned()).collect(),
        encoding,
        values: Vec::new(),
        source: words.source.to_owned(),
    }
}

fn bits(field: &Field) -> String {
    let bits =
        if field.hi == field.lo { format!("bit {}", field.hi) } else { format!("bits {}:{}", field.hi, field.lo) };
    format!("{}, dword {} {bits}", field.name, field.word)
}

fn code(fields: &[Field], name: &str, code: u32) -> String {
    let field = fields.iter().find(|field| field.name == name).expect("a field of the table");
    format!("{} = {code}", bits(field))
}

fn field(form: &str, field: &Field) -> Topic {
    let values = (0..=field.max().min(15))
        .filter_map(|value| Some(NamedValue { value, name: (field.spell)(value)?, meaning: (field.about)(value)? }));
    Topic {
        name: field.name.to_owned(),
        kind: "field",
        meaning: format!("Of {form}: {}.", field.doc),
        encoding: vec![bits(field)],
        values: values.collect(),
        source: "CTM Guide p.23-38; R5xx register tables".to_owned(),
        ..Topic::default()
    }
}

/// Everything that the language names, kind by kind.
pub fn topics() -> Vec<Topic> {
    let mut topics = Vec::new();
    for op in RgbOp::ALL {
        topics.push(operation(
            op.name(),
            "operation of the RGB unit",
            rgb(op),
            vec![code(Alu::FIELDS, "RGB_OP", op as u32)],
        ));
    }
    for op in AlphaOp::ALL {
        let encoding = vec![code(Alu::FIELDS, "ALPHA_OP", op as u32)];
        topics.push(operation(op.name(), "operation of the alpha unit", alpha(op), encoding));
    }
    for op in TexOp::ALL {
        topics.push(operation(op.name(), "texture operation", texture(op), vec![code(Tex::FIELDS, "INST", op as u32)]));
    }
    for op in FlowOp::ALL {
        topics.push(operation(
            op.name(),
            "flow-control operation",
            flow(op),
            vec![code(Flow::FIELDS, "OP", op as u32)],
        ));
    }
    topics.extend(REGISTERS.iter().map(|&(name, meaning, source)| Topic {
        name: name.to_owned(),
        kind: "register",
        meaning: meaning.to_owned(),
        source: source.to_owned(),
        ..Topic::default()
    }));
    topics.extend(syntax::SYNTAX.iter().map(|&(kind, name, meaning, source)| Topic {
        name: name.to_owned(),
        kind,
        meaning: meaning.to_owned(),
        source: source.to_owned(),
        ..Topic::default()
    }));
    topics.push(field("every instruction", &Instruction::TYPE));
    for (form, fields) in [
        ("every instruction", Common::FIELDS),
        ("arithmetic instructions", Alu::FIELDS),
        ("flow-control instructions", Flow::FIELDS),
        ("texture instructions", Tex::FIELDS),
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
        assert!(words.len() > 100 && missing.is_empty(), "{missing:?}");
    }
}
