//! The reference of the language: every operation, register, directive and field. The words stand by the tables' rows.

use crate::instruction::Instruction;
use crate::operation::{MathOp, Operation, VectorOp};
use crate::program::FlowOp;
use ctm_bits::Field;
use ctm_text::topic::{NamedValue, Topic};

const ROUNDS: &str = "each step rounds once, to the nearest, ties to even; denormal operands and results are zeros; every NaN is 0x7FFFFFFF";
const ZERO_TIMES: &str = "zero times anything is zero, infinity and NaN too";
const TWICE: &str = "the product rounds before the sum";
const FUNCTION: &str = "a fixed sequence of rounded steps, the same as for X1K; errors are in docs/accuracy.md";
const SCALAR: &str = "s is component w of the source, after swizzle and signs: write `.xxxx` for x";
const LEVELS: &str =
    "for nested conditions: the destination counts the conditions that do not hold, from the outermost one on";
const OFF_BY_NAME: &str = "what it gives for operands that Mesa's compiler does not emit is a decision";

/// Rounding, special values, and whatever else has to be known of an operation.
fn rules(operation: Operation) -> &'static [&'static str] {
    match operation {
        Operation::Vector(op) => match op {
            VectorOp::NoOp => &["Mesa's compiler leaves one where flow control acts"],
            VectorOp::DotProduct => &["a sum from x to w, of which each step rounds", ROUNDS, ZERO_TIMES],
            VectorOp::Multiply | VectorOp::DistanceVector => &[ROUNDS, ZERO_TIMES],
            VectorOp::Add => &[ROUNDS, "with `.0000` as second source it is a move"],
            VectorOp::MultiplyAdd | VectorOp::MultiplyX2Add => &[TWICE, ROUNDS, ZERO_TIMES],
            VectorOp::MultiplyClamp => &[ROUNDS, ZERO_TIMES, OFF_BY_NAME],
            VectorOp::Fraction => {
                &["the result is in [0, 1): what would round to 1 is the largest number below 1", ROUNDS]
            }
            VectorOp::Maximum | VectorOp::Minimum => &["a NaN gives b; zeros of either sign are equal"],
            VectorOp::SetGreaterThanEqual
            | VectorOp::SetLessThan
            | VectorOp::SetGreaterThan
            | VectorOp::SetEqual
            | VectorOp::SetNotEqual => &["false with a NaN, but for !=; zeros of either sign are equal"],
            VectorOp::FloatToFixed | VectorOp::FloatToFixedRound => {
                &["a0 gets the integer, the nearest one that it holds; a NaN gives 0"]
            }
            VectorOp::PredSetEqPush | VectorOp::PredSetGtPush | VectorOp::PredSetGtePush | VectorOp::PredSetNeqPush => {
                &[LEVELS, "infinity plus 1 stays infinity: so breaks last to the end of a loop"]
            }
            VectorOp::CondWriteEq | VectorOp::CondWriteGt | VectorOp::CondWriteGte | VectorOp::CondWriteNeq => {
                &["other components keep what they hold", OFF_BY_NAME]
            }
            VectorOp::CondMuxEq | VectorOp::CondMuxGt | VectorOp::CondMuxGte => &["a NaN gives c", OFF_BY_NAME],
        },
        Operation::Math(op) => match op {
            MathOp::NoOp => &[],
            MathOp::ExpBase2Dx | MathOp::LogBase2Dx | MathOp::ExpBase2FullDx | MathOp::ExpBaseEFf => {
                &[SCALAR, FUNCTION]
            }
            MathOp::LogBase2FullDx => &[SCALAR, FUNCTION],
            MathOp::LogBase2Ieee => &[SCALAR, "numbers below 0 give NaN", FUNCTION],
            MathOp::LightCoeffDx => &["0^0 is 1", FUNCTION],
            MathOp::PowerFuncFf => &["2 ^ (c.w * log2(s)), with zero times anything zero", SCALAR, FUNCTION],
            MathOp::PowerFuncFfClampB | MathOp::PowerFuncFfClampB1 | MathOp::PowerFuncFfClamp01 => {
                &["2 ^ (c.w * log2(s)), with zero times anything zero", SCALAR, FUNCTION, OFF_BY_NAME]
            }
            MathOp::RecipDx
            | MathOp::RecipFf
            | MathOp::RecipIeee
            | MathOp::RecipSqrtDx
            | MathOp::RecipSqrtFf
            | MathOp::RecipSqrtIeee => {
                &[SCALAR, "zeros of either sign give the same", "correctly rounded; roots round before"]
            }
            MathOp::Multiply => &[SCALAR, ROUNDS, ZERO_TIMES],
            MathOp::Sin | MathOp::Cos => &[SCALAR, "s / (2 pi) rounds, and is reduced exactly", FUNCTION],
            MathOp::PredSetEq | MathOp::PredSetGt | MathOp::PredSetGte | MathOp::PredSetNeq => {
                &[SCALAR, "false with a NaN, but for !="]
            }
            MathOp::PredSetClr => &["everything in conditions that count levels is off until it is restored"],
            MathOp::PredSetInv | MathOp::PredSetPop | MathOp::PredSetRestore => &[SCALAR, LEVELS],
        },
        Operation::Macro(_) => &[TWICE, ROUNDS, ZERO_TIMES, "it takes two cycles, and may read three temporaries"],
        Operation::Reserved => &[],
    }
}

fn kind(operation: Operation) -> &'static str {
    match operation {
        Operation::Vector(_) => "operation of the vector engine",
        Operation::Math(_) => "operation of the math engine",
        Operation::Macro(_) => "operation in two cycles",
        Operation::Reserved => "reserved",
    }
}

fn operands(operation: Operation) -> Option<String> {
    let names = match (operation, operation.sources()) {
        (_, 0) => return None,
        (Operation::Math(_), 1) => "a source whose w is s",
        (_, 1) => "a",
        (_, 2) => "a, b",
        _ => "a, b, c",
    };
    Some(names.to_owned())
}

/// Registers and what else instructions name.
const NAMES: &[(&str, &str)] = &[
    (
        "temp[n]",
        "One of 128 temporaries of four floats, which begin as 0. Compilers use the first 32. `temp[a0.x + n]` adds a component of a0.",
    ),
    ("input[n]", "One of 32 input vectors of the vertex."),
    (
        "const[n]",
        "One of 256 constants. `.const cN = ...` gives it a value. `const[a0.x + n]` adds a component of a0, `const[aL + n]` the loop \
         index; what is below 0 or above `.max_const` reads 0.",
    ),
    ("alt[n]", "One of 4 alternate temporaries."),
    ("alt_temp[n]", "The long name of alt[n]."),
    (
        "out[n]",
        "One of 16 output vectors, numbered in the order position, point size, colours, texture coordinates, as far as they are \
                present. What is not written is (0, 0, 0, 1).",
    ),
    ("outx[n]", "An output vector, whose components all get component x of the result."),
    ("a0", "The address register: four integers, which VE_FLT2FIX sets."),
    (
        "aL",
        "The loop index: what the innermost loop counts from its first value by its step. It is added to the number of a register.",
    ),
    (
        "p",
        "The predicate: one bit, which PRED_SET operations set. `(p)` in front of an instruction executes it where the bit is 1, `(!p)` \
           where it is 0.",
    ),
];

/// What a text says beside operations and registers: kind, name, meaning.
const SYNTAX: &[(&str, &str, &str)] = &[
    ("modifier", "SAT", "Clamps results to [0, 1]: `VE_ADD.SAT`. NaNs become 0."),
    ("form", "RAW", "Gives the four dwords of an instruction: `RAW 0x... 0x... 0x... 0x... ;`."),
    ("directive", ".const", "`.const c0 = 1.0, 0.5, 0.0, 1.0` gives a constant its four values."),
    (
        "directive",
        ".flow",
        "`.flow n OP act=i ...`: entry n of the flow-control table, which acts after instruction i. It says `count`, `resume`, `last`, `index` and `step` of \
         loops, `target` of jumps and calls.",
    ),
    ("directive", ".first", "`.first n` or a label: the first instruction that is executed, by default 0."),
    ("directive", ".last", "`.last n` or a label: the last instruction, by default the last of the text."),
    ("directive", ".max_const", "`.max_const n`: constants above n read 0 where they are addressed by a0 or aL."),
    ("part of a flow-control entry", "act", "`act=i`: the instruction after which the entry acts."),
    ("part of a flow-control entry", "count", "`count=n`: passes of a loop."),
    ("part of a flow-control entry", "target", "`target=i`: where a jump or call goes."),
    ("part of a flow-control entry", "last", "`last=i`: the last instruction of a loop's body or of a subroutine."),
    (
        "part of a flow-control entry",
        "resume",
        "`resume=i`: where the program goes on after the entry: the beginning of a loop's body, or the instruction after a call.",
    ),
    ("part of a flow-control entry", "index", "`index=n`: the first value of the loop index."),
    ("part of a flow-control entry", "step", "`step=n`: what each pass adds to the loop index, -128 to 127."),
    ("part of a flow-control entry", "inherit", "`inherit=1`: the loop goes on with the index of the loop around it."),
];

/// What an entry of the flow-control table does.
fn flow_meaning(op: FlowOp) -> &'static str {
    match op {
        FlowOp::None => "In `.flow`: the entry does nothing.",
        FlowOp::Jump => "In `.flow`: after instruction `act` the program goes on at `target`.",
        FlowOp::Loop => {
            "In `.flow`: after instruction `act`, those from `resume` to `last` are executed `count` times; aL begins with `index` and grows by `step`."
        }
        FlowOp::Call => {
            "In `.flow`: after instruction `act`, those from `target` to `last` are executed, then the program goes on at `resume`."
        }
    }
}

fn bits(field: &Field) -> String {
    let bits =
        if field.hi == field.lo { format!("bit {}", field.hi) } else { format!("bits {}:{}", field.hi, field.lo) };
    format!("{}, dword {} {bits}", field.name, field.word)
}

fn opcode(operation: Operation) -> Vec<String> {
    let mut instruction = Instruction::default();
    instruction.set_operation(operation);
    let named = ["PVS_DST_OPCODE", "PVS_DST_MATH_INST", "PVS_DST_MACRO_INST"];
    let fields = instruction.fields().filter(|(field, _)| named.contains(&field.name));
    fields.map(|(field, value)| format!("{} = {value}", bits(field))).collect()
}

fn field(field: &Field) -> Topic {
    let values = (0..=field.max().min(15))
        .filter_map(|value| Some(NamedValue { value, name: (field.spell)(value)?, meaning: (field.about)(value)? }));
    Topic {
        name: field.name.to_owned(),
        kind: "field",
        meaning: format!("Of every instruction: {}.", field.doc),
        encoding: vec![bits(field)],
        values: values.collect(),
        source: "R5xx register tables".to_owned(),
        ..Topic::default()
    }
}

/// Everything that the language names, kind by kind.
pub fn topics() -> Vec<Topic> {
    let operations = Operation::all().map(|operation| Topic {
        name: operation.name().unwrap_or_default().to_owned(),
        kind: kind(operation),
        meaning: operation.about().to_owned(),
        operands: operands(operation),
        rules: rules(operation).iter().map(|&rule| rule.to_owned()).collect(),
        encoding: opcode(operation),
        source:
            "R5xx register tables; what it calculates: Mesa's r300 driver, and operations of the same names of R600"
                .to_owned(),
        ..Topic::default()
    });
    let names = NAMES.iter().map(|&(name, meaning)| Topic {
        name: name.to_owned(),
        kind: "register",
        meaning: meaning.to_owned(),
        source: "R5xx register tables".to_owned(),
        ..Topic::default()
    });
    let plain = |name: &str, kind, meaning: &str| Topic {
        name: name.to_owned(),
        kind,
        meaning: meaning.to_owned(),
        source: "docs/pvs-assembly.md; R5xx register tables".to_owned(),
        ..Topic::default()
    };
    let syntax = SYNTAX.iter().map(|&(kind, name, meaning)| plain(name, kind, meaning));
    let flow = FlowOp::ALL.map(|op| plain(op.name(), "kind of flow-control entry", flow_meaning(op)));
    let all = operations.chain(names).chain(syntax).chain(flow);
    all.chain(Instruction::FIELDS.iter().map(field)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_has_words() {
        for operation in Operation::all() {
            assert!(operation.about().ends_with('.'), "{operation:?}");
            let is_nop = matches!(operation, Operation::Math(MathOp::NoOp));
            assert!(is_nop || !rules(operation).is_empty(), "{operation:?}");
        }
        let topics = topics();
        let of = |name: &str| topics.iter().find(|topic| topic.is_named(name)).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(of("ve_mad").encoding[0], "PVS_DST_OPCODE, dword 0 bits 5:0 = 4");
        assert_eq!(of("ME_SIN").encoding[1], "PVS_DST_MATH_INST, dword 0 bit 6 = 1");
        assert!(of("temp[3]").meaning.contains("128"));
    }

    #[test]
    fn every_word_of_the_language_has_a_page() {
        let topics = topics();
        let words = crate::text::vocabulary::words();
        let missing: Vec<_> =
            words.iter().filter(|word| ctm_text::topic::find(&topics, |topic| topic, word).is_empty()).collect();
        assert!(words.len() > 80 && missing.is_empty(), "{missing:?}");
    }
}
