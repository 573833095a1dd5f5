//! ALU and OUT instructions: sources, a colon, and up to one operation per unit.

use super::assemble::{Literal, Pending, Side};
use super::header::{Form, Header};
use super::operand;
use super::substitutes::SUBSTITUTES;
use crate::codes::*;
use crate::instruction::*;
use ctm_text::{Cause, Cursor, Reported, Span, Substitute, Token, excerpt, instead, list, spell_float};

/// The kinds of immediate writes, by RGB target code (CTM Guide p.32).
pub(super) const UMRT_KINDS: [&str; 4] =
    ["same_idx", "same_idx_tex_sem_acquire", "per_processor_idx", "per_processor_idx_tex_sem_acquire"];

pub(super) const SOURCE_WORDS: [&str; 4] = ["src0", "src1", "src2", "srcp"];

/// The words that begin a destination with a number in brackets.
pub(super) const DESTINATION_WORDS: [&str; 5] = ["temp", "out", "pred", "result", "umrt"];

/// The registers and constants that a source is set to.
pub(super) const REGISTER_WORDS: [&str; 3] = ["temp", "const", "float"];

/// Where an operation's result goes.
enum DestKind {
    Temp {
        index: u8,
        relative: bool,
    },
    /// Output register, kind of immediate write, or predicate test.
    Target(u8),
    Result(ZeroTest),
    ConditionalValue,
}

struct Dest {
    kind: DestKind,
    /// Channels of the mask, and where it stands; the ALU result and the conditional value need none.
    mask: Option<(u8, Token)>,
    span: Span,
}

struct Argument {
    modifier: InputModifier,
    sel: Select,
    swizzle: Token,
}

/// An operation whose unit is not known yet.
struct Operation {
    dests: Vec<Dest>,
    clamp: bool,
    omod: OutputModifier,
    rgb_op: Option<RgbOp>,
    alpha_op: Option<AlphaOp>,
    opcode: Token,
    args: Vec<Argument>,
}

/// Reads sources and operations; the header was read already.
pub(super) fn read(cursor: &mut Cursor, header: &Header) -> Result<Pending, Reported> {
    header.check(cursor, Form::Arithmetic);
    let mut alu = Alu::default();
    alu.rgb.src = [Source::UNUSED; 3];
    alu.alpha.src = [Source::UNUSED; 3];
    let mut literals = Vec::new();
    read_sources(cursor, &mut alu, &mut literals)?;

    let mut operations = Vec::new();
    let mut umrt = false;
    while !cursor.is_symbol(b';') {
        operations.push(read_operation(cursor, header.out, &mut umrt)?);
        if !cursor.accept_symbol(b',') {
            break;
        }
    }
    cursor.expect_symbol(b';', "at the end of the instruction")?;

    let mut common = header.common;
    for (side, operation) in sides(cursor, operations)? {
        match side {
            Side::Rgb => {
                let op = operation.rgb_op.unwrap_or_default();
                alu.rgb.op = op;
                fill(cursor, &mut alu.rgb, &mut common.rgb, &operation, op.operands());
            }
            Side::Alpha => {
                let op = operation.alpha_op.unwrap_or_default();
                alu.alpha.op = op;
                fill(cursor, &mut alu.alpha, &mut common.alpha, &operation, op.operands());
            }
        }
        fill_special(cursor, &mut alu, &mut common, side, &operation);
    }
    let body = if header.out { Body::Out(alu) } else { Body::Alu(alu) };
    let mut pending = Pending::of(Instruction { common, body, reserved: [0; DWORDS] });
    pending.literals = literals;
    pending.umrt = umrt;
    Ok(pending)
}

fn read_sources(cursor: &mut Cursor, alu: &mut Alu, literals: &mut Vec<Literal>) -> Result<(), Reported> {
    let mut given = [[false; 4]; 2];
    while !cursor.accept_symbol(b':') {
        let first = cursor.peek();
        let token = cursor.expect_word(
            "a source such as `src0.rgb = temp[0]`, or `:`",
            "sources come first, then `:`, then operations, then `;`",
        )?;
        let Some(number) = SOURCE_WORDS.iter().position(|word| word.eq_ignore_ascii_case(cursor.text(token))) else {
            let word = cursor.text(token);
            if FlowOp::parse(word).is_some() {
                let message = format!("unexpected `{word}`");
                let help = "raw flow control begins with `FC`, as in `FC JUMP label, when = always ;`";
                return Err(cursor.error(Cause::UnknownWord, token, message, help));
            }
            let substitute = Substitute::of(word, SUBSTITUTES);
            if RgbOp::parse(word).is_some() || AlphaOp::parse(word).is_some() || substitute.is_some() {
                let message = format!("unexpected `{}`", excerpt(word));
                let help = "sources come first, then operations with their destinations, as in `src0.rgb = temp[0] : temp[1].rgb = \
                            MAX src0.rgb src0.rgb ;`";
                let help = match substitute {
                    Some(substitute) => format!("{}; {help}", substitute.help),
                    None => help.to_owned(),
                };
                return Err(cursor.error(Cause::UnknownWord, token, message, &help));
            }
            let mut words: Vec<&str> = super::header::flag_names().collect();
            words.extend(SOURCE_WORDS);
            words.extend(super::statements::WORDS);
            words.extend(super::assemble::FORMS);
            return Err(cursor.unknown_word(token, "an instruction or source", &words));
        };
        cursor.expect_symbol(b'.', "after the source")?;
        let side = [Side::Rgb, Side::Alpha][cursor.expect_name("a side of a source", &["rgb", "a"])?];
        let span = Span::from(first).to(cursor.last().into());
        if std::mem::replace(&mut given[side as usize][number], true) {
            cursor.error(Cause::Duplicate, span, "this source is given twice", "each side of a source is set once");
        }
        cursor.expect_symbol(b'=', "after the source")?;
        let (sources, presubtract) = match side {
            Side::Rgb => (&mut alu.rgb.src, &mut alu.rgb.srcp),
            Side::Alpha => (&mut alu.alpha.src, &mut alu.alpha.srcp),
        };
        match sources.get_mut(number) {
            Some(source) => match read_source(cursor)? {
                Value::Source(value) => *source = value,
                Value::Floats(values, span) => literals.push(Literal { side, source: number, values, span }),
            },
            None => {
                let names = Presubtract::ALL.map(Presubtract::name);
                *presubtract = Presubtract::ALL[cursor.expect_name("a presubtract operation", &names)?];
            }
        }
        if !cursor.accept_symbol(b',') && !cursor.is_symbol(b':') {
            return Err(cursor.expected("`,` or `:` after the source", ""));
        }
    }
    Ok(())
}

/// What a source is set to.
enum Value {
    Source(Source),
    /// A float constant with these values.
    Floats([u32; 4], Span),
}

fn read_source(cursor: &mut Cursor) -> Result<Value, Reported> {
    const HELP: &str =
        "a source is `temp[n]`, `const[n]`, `const(value)`, `float(code)` or an inline constant such as `0.5`";
    let first = cursor.peek();
    let word = cursor.word_ahead(0).unwrap_or_default().to_ascii_lowercase();
    let source = match word.as_str() {
        "temp" => {
            let (addr, relative) = operand::temp(cursor)?;
            Source { addr, constant: false, relative }
        }
        "const" => {
            cursor.take();
            if cursor.accept_symbol(b'(') {
                let values = read_values(cursor)?;
                cursor.expect_symbol(b')', "after the values")?;
                return Ok(Value::Floats(values, Span::from(first).to(cursor.last().into())));
            }
            cursor.expect_symbol(b'[', "or `(` after `const`")?;
            let (addr, relative) = operand::index(cursor, "a float constant", 255, b']')?;
            Source { addr, constant: true, relative }
        }
        "float" => {
            cursor.take();
            cursor.expect_symbol(b'(', "after `float`")?;
            let (code, relative) = operand::index(cursor, "the code of an inline constant", 127, b')')?;
            Source { addr: 0x80 | code, constant: false, relative }
        }
        "" if !cursor.is_symbol(b'-') => return Err(cursor.expected("a source", HELP)),
        "" | "inf" => inline_source(cursor)?,
        _ if word.as_bytes()[0].is_ascii_digit() => inline_source(cursor)?,
        _ => return Err(cursor.unknown_word(first, "a source", &REGISTER_WORDS)),
    };
    Ok(Value::Source(source))
}

fn inline_source(cursor: &mut Cursor) -> Result<Source, Reported> {
    let (bits, span) = cursor.float("an inline constant")?;
    let code = operand::inline_code(f32::from_bits(bits)).unwrap_or_else(|help| {
        let message = format!("no inline constant is {}", spell_float(bits));
        cursor.error(Cause::InlineConstant, span, message, &help);
        0
    });
    Ok(Source { addr: 0x80 | code, constant: false, relative: false })
}

/// One value for all four channels, or four values.
pub(super) fn read_values(cursor: &mut Cursor) -> Result<[u32; 4], Reported> {
    let first = cursor.peek();
    let mut values = Vec::new();
    loop {
        values.push(cursor.float("the value of a constant")?.0);
        if !cursor.accept_symbol(b',') {
            break;
        }
    }
    match values[..] {
        [value] => Ok([value; 4]),
        [r, g, b, a] => Ok([r, g, b, a]),
        _ => {
            let span = Span::from(first).to(cursor.last().into());
            let message = format!("a float constant has four values, found {}", values.len());
            cursor.error(Cause::Operand, span, message, "give one value for all four channels, or four");
            Ok([0; 4])
        }
    }
}

fn read_operation(cursor: &mut Cursor, out: bool, umrt: &mut bool) -> Result<Operation, Reported> {
    let mut dests = Vec::new();
    while let Some(dest) = read_dest(cursor, out, umrt)? {
        dests.push(dest);
    }
    let clamp = cursor.accept_word("clamp");
    let omod = read_omod(cursor)?;
    let opcode = cursor.expect_word("an operation", "such as `MAD src0.rgb src1.rgb src2.rgb`")?;
    let name = cursor.text(opcode);
    let (rgb_op, alpha_op) = (RgbOp::parse(name), AlphaOp::parse(name));
    if rgb_op.is_none() && alpha_op.is_none() {
        let mut names: Vec<&str> = RgbOp::ALL.map(RgbOp::name).to_vec();
        names.extend(AlphaOp::ALL.map(AlphaOp::name));
        names.extend(["temp", "out", "pred", "result", "clamp", "exact"]);
        let help = instead(name, SUBSTITUTES, names);
        let message = format!("unknown operation or destination `{}`", excerpt(name));
        return Err(cursor.error(Cause::UnknownWord, opcode, message, &help));
    }
    let mut args = Vec::new();
    while !cursor.is_symbol(b',') && !cursor.is_symbol(b';') {
        let argument = read_argument(cursor)?;
        if args.len() == 3 {
            let message = "an operation has three operands at most";
            return Err(cursor.error(Cause::Operand, argument.swizzle, message, "remove this one"));
        }
        args.push(argument);
    }
    Ok(Operation { dests, clamp, omod, rgb_op, alpha_op, opcode, args })
}

fn read_omod(cursor: &mut Cursor) -> Result<OutputModifier, Reported> {
    let first = cursor.peek();
    let omod = if cursor.accept_word(OutputModifier::Disabled.name()) {
        Some(OutputModifier::Disabled)
    } else if cursor.word_ahead(0).is_some_and(|word| word.as_bytes()[0].is_ascii_digit()) {
        let (bits, _) = cursor.float("an output modifier")?;
        OutputModifier::ALL.into_iter().find(|omod| omod.name().parse() == Ok(f32::from_bits(bits)))
    } else {
        return Ok(OutputModifier::X1);
    };
    let omod = omod.unwrap_or_else(|| {
        let names = OutputModifier::ALL.map(OutputModifier::name);
        let span = Span::from(first).to(cursor.last().into());
        let help = format!("it can be {}", list(&names));
        cursor.error(Cause::Range, span, "there is no such output modifier", &help);
        OutputModifier::X1
    });
    cursor.expect_symbol(b'*', "after the output modifier")?;
    Ok(omod)
}

/// Reads a destination and the `=` after it, if a destination is here.
fn read_dest(cursor: &mut Cursor, out: bool, umrt: &mut bool) -> Result<Option<Dest>, Reported> {
    let first = cursor.peek();
    let next = cursor.look(1);
    let word = cursor.word_ahead(0).unwrap_or_default().to_ascii_lowercase();
    if word == "w" {
        cursor.take();
        cursor.expect_symbol(b'=', "after `w`")?;
        return Ok(Some(Dest { kind: DestKind::ConditionalValue, mask: None, span: first.into() }));
    }
    if next.kind != ctm_text::TokenKind::Symbol(b'[') {
        return Ok(None);
    }
    let misplaced = |cursor: &mut Cursor, help| {
        let message = format!("{} instructions have no `{word}` destination", if out { "OUT" } else { "ALU" });
        cursor.error(Cause::Misplaced, first, message, help);
    };
    let kind = match word.as_str() {
        "temp" => {
            let (index, relative) = operand::temp(cursor)?;
            DestKind::Temp { index, relative }
        }
        "out" => {
            cursor.take();
            DestKind::Target(operand::bracketed(cursor, "an output", 3)?)
        }
        "pred" => {
            if out {
                misplaced(cursor, "OUT writes output registers; use an ALU instruction to set predicates");
            }
            DestKind::Target(read_code(cursor, "a comparison with zero", &ZeroTest::ALL.map(ZeroTest::name))?)
        }
        "umrt" => {
            if !out {
                misplaced(cursor, "only OUT instructions write to memory");
            }
            *umrt = true;
            DestKind::Target(read_code(cursor, "a kind of immediate write", &UMRT_KINDS)?)
        }
        "result" => {
            let test = read_code(cursor, "a comparison with zero", &ZeroTest::ALL.map(ZeroTest::name))?;
            DestKind::Result(ZeroTest::ALL[usize::from(test)])
        }
        _ => return Err(cursor.unknown_word(first, "a destination", &DESTINATION_WORDS)),
    };
    let mask = match kind {
        DestKind::Result(_) if !cursor.is_symbol(b'.') => None,
        _ => Some(operand::mask(cursor)?),
    };
    let span = Span::from(first).to(cursor.last().into());
    cursor.expect_symbol(b'=', "after the destination")?;
    Ok(Some(Dest { kind, mask, span }))
}

/// `word[name]`: the number of the name.
fn read_code(cursor: &mut Cursor, what: &str, names: &[&str]) -> Result<u8, Reported> {
    cursor.take();
    cursor.expect_symbol(b'[', format_args!("before {what}"))?;
    let code = cursor.expect_name(what, names)?;
    cursor.expect_symbol(b']', format_args!("after {what}"))?;
    Ok(code as u8)
}

fn read_argument(cursor: &mut Cursor) -> Result<Argument, Reported> {
    let negative = cursor.accept_symbol(b'-');
    let absolute = cursor.accept_symbol(b'|');
    let token = cursor.expect_word("an operand such as `src0.rgb`, or `,` or `;`", "")?;
    let Some(sel) = Select::parse(cursor.text(token)) else {
        return Err(cursor.unknown_word(token, "an operand", &SOURCE_WORDS));
    };
    cursor.expect_symbol(b'.', "after the source")?;
    let swizzle = cursor.expect_word("a swizzle", "made of `r`, `g`, `b`, `a`, `0`, `h`, `1` and `_`")?;
    if absolute {
        cursor.expect_symbol(b'|', "after the operand whose absolute value is taken")?;
    }
    let modifier = match (negative, absolute) {
        (false, false) => InputModifier::None,
        (true, false) => InputModifier::Negate,
        (false, true) => InputModifier::Absolute,
        (true, true) => InputModifier::NegateAbsolute,
    };
    Ok(Argument { modifier, sel, swizzle })
}

/// Gives each operation its unit: by its name, else by its destinations, else by its operands, else the other one.
fn sides(cursor: &mut Cursor, operations: Vec<Operation>) -> Result<Vec<(Side, Operation)>, Reported> {
    if let Some(third) = operations.get(2) {
        let message = "an instruction has at most two operations, one per unit";
        return Err(cursor.error(Cause::Unit, third.opcode, message, "begin a new instruction"));
    }
    let mut found = Vec::new();
    for operation in &operations {
        found.push(side(cursor, operation)?);
    }
    match found[..] {
        [Some(a), Some(b)] if a == b => {
            let message = format!("both operations belong to the {} unit", a.name());
            let help = "an instruction has one RGB and one alpha operation";
            return Err(cursor.error(Cause::Unit, operations[1].opcode, message, help));
        }
        [None] | [None, None] => {
            let message = "nothing tells which unit this operation belongs to";
            let help = "give it a destination: `temp[0].rgb =` for the RGB unit, `temp[0].a =` for the alpha unit";
            return Err(cursor.error(Cause::Unit, operations[0].opcode, message, help));
        }
        _ => {}
    }
    let known = found.iter().flatten().next().copied();
    let side = |side: Option<Side>| side.or(known.map(Side::other)).unwrap_or(Side::Rgb);
    Ok(found.into_iter().map(side).zip(operations).collect())
}

fn side(cursor: &mut Cursor, operation: &Operation) -> Result<Option<Side>, Reported> {
    let by_name = match (operation.rgb_op, operation.alpha_op) {
        (Some(_), None) => Some(Side::Rgb),
        (None, Some(_)) => Some(Side::Alpha),
        _ => None,
    };
    let mut known = by_name;
    let mut agree = |cursor: &mut Cursor, side: Side, at: Span| {
        if known.is_some_and(|known| known != side) {
            let message = format!("this belongs to the {} unit, but the operation to the other", side.name());
            let help = "the RGB unit has r, g and b, the alpha unit a; DP copies a dot product to the alpha unit, SOP an alpha \
                        result to the RGB unit";
            return Err(cursor.error(Cause::Unit, at, message, help));
        }
        known = Some(side);
        Ok(())
    };
    for dest in &operation.dests {
        if let DestKind::ConditionalValue = dest.kind {
            agree(cursor, Side::Alpha, dest.span)?;
        }
        if let Some((mask, _)) = dest.mask {
            if mask & 7 != 0 {
                agree(cursor, Side::Rgb, dest.span)?;
            }
            if mask & 8 != 0 {
                agree(cursor, Side::Alpha, dest.span)?;
            }
        }
    }
    Ok(known.or_else(|| match operation.args.first().map(|arg| cursor.text(arg.swizzle).len()) {
        Some(3) => Some(Side::Rgb),
        Some(1) => Some(Side::Alpha),
        _ => None,
    }))
}

/// Puts an operation's destinations, modifiers and operands into its unit.
fn fill<Op, const N: usize>(
    cursor: &mut Cursor,
    unit: &mut Unit<Op, N>,
    control: &mut UnitControl,
    operation: &Operation,
    operands: usize,
) {
    control.clamp = operation.clamp;
    unit.omod = operation.omod;
    let (mut temp_given, mut target_given) = (false, false);
    for dest in &operation.dests {
        // The alpha unit's only channel is bit 3 of a mask.
        let bits = dest.mask.map_or(0, |(mask, _)| if N == 3 { mask & 7 } else { mask >> 3 });
        let given = match dest.kind {
            DestKind::Temp { index, relative } => {
                (unit.dest, unit.dest_relative, control.wmask) = (index, relative, bits);
                &mut temp_given
            }
            DestKind::Target(target) => {
                (unit.target, control.omask) = (target, bits);
                &mut target_given
            }
            DestKind::Result(_) | DestKind::ConditionalValue => continue,
        };
        if std::mem::replace(given, true) {
            let help = "an operation writes one temporary and one output or predicate";
            cursor.error(Cause::Duplicate, dest.span, "the operation has such a destination already", help);
        }
    }
    for (argument, arg) in operation.args.iter().zip(&mut unit.arg) {
        *arg = Arg { sel: argument.sel, modifier: argument.modifier, swizzle: read_swizzle(cursor, argument.swizzle) };
    }
    if operation.args.len() < operands {
        let name = cursor.text(operation.opcode).to_ascii_uppercase();
        let message = format!("{name} takes {operands} operands, found {}", operation.args.len());
        cursor.warning(Cause::Operand, operation.opcode, message, "those left out read the red channel of `src0`");
    }
}

fn read_swizzle<const N: usize>(cursor: &mut Cursor, token: Token) -> [Swizzle; N] {
    let text = cursor.text(token);
    let letters: Option<Vec<Swizzle>> = (0..text.len()).map(|at| Swizzle::parse(&text[at..=at])).collect();
    letters.and_then(|letters| letters.try_into().ok()).unwrap_or_else(|| {
        let text = excerpt(cursor.text(token));
        let message = format!("`{text}` is not a swizzle of {N} channel{}", if N == 1 { "" } else { "s" });
        let help = format!("write {N} of the letters `r`, `g`, `b`, `a`, `0`, `h`, `1`, `_`");
        cursor.error(Cause::Operand, token, message, &help);
        [Swizzle::R; N]
    })
}

/// The ALU result and the conditional value, which are fields of the whole instruction.
fn fill_special(cursor: &mut Cursor, alu: &mut Alu, common: &mut Common, side: Side, operation: &Operation) {
    for dest in &operation.dests {
        match dest.kind {
            DestKind::ConditionalValue => alu.w_omask = true,
            DestKind::Result(test) => {
                if alu.alu_wmask || common.result_op != ZeroTest::Equal || common.result_sel != ResultChannel::Red {
                    cursor.error(
                        Cause::Duplicate,
                        dest.span,
                        "the ALU result is written already",
                        "there is one ALU result",
                    );
                }
                if let Some((mask, token)) = dest.mask.filter(|(mask, _)| !matches!(mask, 0 | 1 | 8)) {
                    let message = format!("the ALU result has no channels `{}`", operand::spell_mask(mask));
                    let help = "it is made of red or alpha: `.r`, `.a` or `.none`";
                    cursor.error(Cause::Operand, token, message, help);
                }
                alu.alu_wmask = dest.mask.is_none_or(|(mask, _)| mask != 0);
                common.result_op = test;
                common.result_sel = if side == Side::Rgb { ResultChannel::Red } else { ResultChannel::Alpha };
            }
            DestKind::Temp { .. } | DestKind::Target(_) => {}
        }
    }
}
