//! The pages of the causes that errors of a text name in brackets: `error[unknown-word]`.

use super::Topic;
use crate::Cause;

/// What the cause means, and what to do about it.
fn words(cause: Cause) -> (&'static str, &'static str) {
    match cause {
        Cause::Character => (
            "The text has a character that the language does not use.",
            "remove it; letters outside of ASCII can stand in comments only",
        ),
        Cause::Include => (
            "A file that `#include` names cannot be read, includes itself, or is nested too deep.",
            "give its folder with `-I`, or correct its name",
        ),
        Cause::Syntax => (
            "The text goes on with something else than the language expects at this place.",
            "the message names both: what is expected, and what is found",
        ),
        Cause::UnknownWord => (
            "The language does not have this word at this place: no such operation, register, directive or modifier.",
            "take the word that the message proposes, or look the list up with `ctm explain`",
        ),
        Cause::Range => (
            "A number does not fit: it is below the least or above the greatest value that the machine can hold here.",
            "take a number inside of the range that the message gives",
        ),
        Cause::Duplicate => ("Something is given twice that can be given once.", "remove one of the two"),
        Cause::Misplaced => (
            "A modifier, flag, operand or directive belongs to another kind of instruction or to another place of the text.",
            "move it to where the message says, or remove it",
        ),
        Cause::Operand => (
            "An operand is wrong: a swizzle or mask of the wrong length or letters, or too many or too few operands.",
            "write the operands as `ctm explain OPERATION` lists them",
        ),
        Cause::Unit => (
            "It is open or contradictory which unit of the machine executes an operation.",
            "choose a destination and operands of one unit",
        ),
        Cause::ReadPorts => (
            "The operands of an ALU group cannot be read in the three cycles that the register file has for a group.",
            "choose other bank swizzles, copy an operand to another register, or split the group",
        ),
        Cause::Address => (
            "Two pieces of code or data have the same address, or one lies outside of the image.",
            "correct or remove the address that is given",
        ),
        Cause::Raw => (
            "The raw words of an instruction are those of another instruction than the one that is named, or are missing.",
            "write the words of this instruction, or the name of theirs",
        ),
        Cause::InlineConstant => (
            "No inline constant has this value: X1K encodes numbers of 7 bits, an exponent of 4 and a mantissa of 3, in an instruction.",
            "write `const(x)`, for which the assembler finds a float constant, or take a number that the message proposes",
        ),
        Cause::NoConstantLeft => (
            "The text has more different values in `const(x)` than the machine has float constants: 256.",
            "calculate some of them, or give them as inputs",
        ),
        Cause::Condition => (
            "A condition tests several boolean constants or several channels of the predicate; an instruction can test one of each.",
            "split the condition over several instructions",
        ),
        Cause::Label => (
            "A label is not defined in the text, or lies where the instruction cannot reach.",
            "define it by its name and a colon in front of an instruction",
        ),
        Cause::Nesting => (
            "Statements that belong together do not enclose each other: an ELSE without IF, an ENDLOOP that ends a REP, a CALL of itself.",
            "close statements in the opposite order of their beginnings",
        ),
        Cause::TooLong => (
            "The text is longer than a program can be, nests too deep, or has so many errors that the rest of it was not read.",
            "correct the first errors, or make the text shorter",
        ),
    }
}

/// The page of each cause.
pub fn causes() -> Vec<Topic> {
    let topic = |cause: Cause| {
        let (meaning, remedy) = words(cause);
        Topic {
            name: cause.as_str().to_owned(),
            kind: "error of a text",
            meaning: format!("{meaning} Remedy: {remedy}."),
            source: "the assemblers of ctm".to_owned(),
            ..Topic::default()
        }
    };
    Cause::ALL.into_iter().map(topic).collect()
}
