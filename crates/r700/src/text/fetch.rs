//! Instructions of fetch clauses.

use super::groups::{Body, skip_line};
use super::operand::*;
use crate::codes::*;
use crate::fetch::*;
use ctm_text::{Cause, Cursor, Reported, Span, Token, TokenKind};

/// What may follow the operands.
pub(super) const PROPERTIES: [&str; 26] = [
    "LOD",
    "DENORM",
    "XOFFSET",
    "YOFFSET",
    "ZOFFSET",
    "WHOLE_QUAD",
    "BC_FRAC_MODE",
    "ALT_CONST",
    "FETCH_TYPE",
    "FORMAT",
    "USE_CONST_FIELDS",
    "MEGA",
    "MINI",
    "OFFSET",
    "ENDIAN_SWAP",
    "CONST_BUF_NO_STRIDE",
    "ARRAY_BASE",
    "ARRAY_SIZE",
    "ELEM_SIZE",
    "BURSTCNT",
    "UNCACHED",
    "INDEXED",
    "SEL_Y",
    "LDS_REQ",
    "COALESCED_READ",
    "RAW",
];

/// Names that other tools give operations.
pub(super) const ALIASES: [(&str, &str); 2] = [("VTX_FETCH", "FETCH"), ("VTX_SEMANTIC", "SEMANTIC")];

/// What a mnemonic stands for.
#[derive(Clone, Copy)]
enum Mnemonic {
    Fetch(FetchOp),
    Mem(MemOp),
}

fn mnemonic(word: &str) -> Option<Mnemonic> {
    let alias = ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(word));
    let word = alias.map_or(word, |(_, name)| name);
    let fetch = FetchOp::parse(word).filter(|&op| op != FetchOp::Mem).map(Mnemonic::Fetch);
    fetch.or_else(|| MemOp::parse(word).map(Mnemonic::Mem))
}

/// Reads the body of a fetch clause.
pub(super) fn body(cursor: &mut Cursor) -> Body {
    let mut body = Body::default();
    loop {
        let first = cursor.peek();
        let numbered = first.kind == TokenKind::Word && cursor.text(first).as_bytes()[0].is_ascii_digit();
        if cursor.word_ahead(usize::from(numbered)).and_then(mnemonic).is_none() {
            break;
        }
        if numbered {
            cursor.take();
        }
        match instruction(cursor) {
            Ok(fetch) => {
                let [x, y, z, w] = fetch.encode();
                let span = Span::from(first).to(cursor.last().into());
                body.qwords.extend([([x, y], span), ([z, w], span)]);
            }
            Err(Reported) => {
                body.damaged = true;
                skip_line(cursor, first);
            }
        }
    }
    body
}

/// The instruction of a text that [`print`](super::print) made.
pub(super) fn single(text: &str) -> Option<Fetch> {
    super::single(text, instruction)
}

fn instruction(cursor: &mut Cursor) -> Result<Fetch, Reported> {
    let token = cursor.take();
    let mut fetch = match mnemonic(cursor.text(token)).ok_or(Reported)? {
        Mnemonic::Fetch(FetchOp::VtxFetch) => vertex(cursor, false)?,
        Mnemonic::Fetch(FetchOp::VtxSemantic) => vertex(cursor, true)?,
        Mnemonic::Fetch(op) => texture(cursor, op)?,
        Mnemonic::Mem(op) if op.is_read() => memory(cursor, op)?,
        Mnemonic::Mem(op) => Fetch::MemRaw(op, [0; 4]),
    };
    let mut raw_here = false;
    while let Some(word) = cursor.word_ahead(0).map(str::to_ascii_uppercase) {
        let token = cursor.peek();
        if token.first_of_line {
            break;
        }
        cursor.take();
        if word == "RAW" {
            let words = raw::<4>(cursor)?;
            let found = Fetch::decode(&words);
            if found.name() != fetch.name() {
                other_instruction(cursor, token.into(), fetch.name(), Some(found.name()));
            }
            (fetch, raw_here) = (found, true);
            continue;
        }
        if !PROPERTIES.contains(&word.as_str()) {
            return Err(cursor.unknown_word(token, "a property of a fetch", &PROPERTIES));
        }
        let known = match &mut fetch {
            Fetch::Vtx(vtx) => vertex_property(cursor, vtx, &word)?,
            Fetch::Tex(tex) => texture_property(cursor, &mut tex.fields, &word)?,
            Fetch::Mem(read) => memory_property(cursor, read, &word)?,
            Fetch::MemRaw(..) => false,
        };
        if !known {
            let message = format!("`{}` has no `{word}`", fetch.name());
            return Err(cursor.error(Cause::Misplaced, token, message, ""));
        }
    }
    if let Fetch::MemRaw(op, _) = fetch
        && !raw_here
    {
        let message = format!("`{}` needs its words", op.name());
        let help = "its layout is not published: write `RAW(word, word, word, word)`";
        return Err(cursor.error(Cause::Raw, token, message, help));
    }
    Ok(fetch)
}

/// `R1.xyzw`, `R1[AL].x___`, or `____`.
fn destination(cursor: &mut Cursor) -> Result<(FetchRegister, [Select; 4]), Reported> {
    if cursor.accept_word("____") {
        return Ok((FetchRegister::default(), [Select::Mask; 4]));
    }
    Ok((fetch_register(cursor)?, selects(cursor)?))
}

fn comma(cursor: &mut Cursor, what: &str) -> Result<(), Reported> {
    cursor.expect_symbol(b',', format_args!("before {what}"))
}

fn texture(cursor: &mut Cursor, op: FetchOp) -> Result<Fetch, Reported> {
    let mut fields = TexFields { normalized: [true; 4], ..TexFields::default() };
    (fields.dst, fields.dst_sel) = destination(cursor)?;
    comma(cursor, "the coordinates")?;
    (fields.src, fields.src_sel) = (fetch_register(cursor)?, selects(cursor)?);
    comma(cursor, "the texture")?;
    fields.resource_id = expect_numbered(cursor, "t", "a texture", 255)? as u8;
    comma(cursor, "the sampler")?;
    fields.sampler_id = expect_numbered(cursor, "s", "a sampler", 31)? as u8;
    Ok(Fetch::Tex(Tex { op, fields }))
}

fn vertex(cursor: &mut Cursor, semantic: bool) -> Result<Fetch, Reported> {
    let mut vtx = Vtx { semantic, ..Vtx::default() };
    if semantic {
        if !cursor.accept_word("SEM") {
            return Err(cursor.expected("`SEM[n]`", "such as `SEM[3].xyzw`"));
        }
        cursor.expect_symbol(b'[', "after `SEM`")?;
        vtx.set_semantic_id(cursor.number("a semantic", 255)? as u8);
        cursor.expect_symbol(b']', "after the semantic")?;
        vtx.dst_sel = selects(cursor)?;
    } else {
        (vtx.dst, vtx.dst_sel) = destination(cursor)?;
    }
    comma(cursor, "the index")?;
    (vtx.src, vtx.src_sel) = (fetch_register(cursor)?, channel(cursor)?);
    comma(cursor, "the buffer")?;
    vtx.buffer_id = expect_numbered(cursor, "b", "a buffer", 255)? as u8;
    Ok(Fetch::Vtx(vtx))
}

fn memory(cursor: &mut Cursor, op: MemOp) -> Result<Fetch, Reported> {
    let mut read = MemRead { op, ..MemRead::default() };
    (read.dst, read.dst_sel) = destination(cursor)?;
    comma(cursor, "the index")?;
    (read.src, read.src_sel_x) = (fetch_register(cursor)?, channel(cursor)?);
    Ok(Fetch::Mem(read))
}

fn texture_property(cursor: &mut Cursor, tex: &mut TexFields, word: &str) -> Result<bool, Reported> {
    match word {
        "LOD" => tex.lod_bias = fraction(cursor, "the level bias", 8.0, -64, 63)? as u8 & 0x7F,
        "XOFFSET" | "YOFFSET" | "ZOFFSET" => {
            let axis = usize::from(word.as_bytes()[0] - b'X');
            tex.offset[axis] = fraction(cursor, "an offset", 2.0, -16, 15)? as u8 & 0x1F;
        }
        "DENORM" => {
            cursor.expect_symbol(b'(', "after `DENORM`")?;
            let token = cursor.expect_word("coordinates", "such as `DENORM(XY)`")?;
            for letter in cursor.text(token).to_owned().chars() {
                match Channel::parse(&letter.to_string()) {
                    Some(chan) => tex.normalized[chan as usize] = false,
                    None => return Err(cursor.unknown_word(token, "a list of coordinates", &["X", "Y", "Z", "W"])),
                }
            }
            cursor.expect_symbol(b')', "after the coordinates")?;
        }
        "WHOLE_QUAD" => tex.whole_quad = true,
        "BC_FRAC_MODE" => tex.bc_frac_mode = true,
        "ALT_CONST" => tex.alt_const = true,
        _ => return Ok(false),
    }
    Ok(true)
}

fn vertex_property(cursor: &mut Cursor, vtx: &mut Vtx, word: &str) -> Result<bool, Reported> {
    match word {
        "FETCH_TYPE" => {
            let token = parenthesized_word(cursor)?;
            let Some(fetch_type) = FetchType::parse(cursor.text(token)) else {
                return Err(cursor.unknown_word(token, "a fetch type", &FetchType::ALL.map(FetchType::name)));
            };
            vtx.fetch_type = fetch_type;
        }
        "FORMAT" => vtx.format = format(cursor)?,
        "USE_CONST_FIELDS" => vtx.use_const_fields = true,
        "MEGA" | "MINI" => {
            vtx.mega_fetch = word == "MEGA";
            let bytes = argument(cursor, "the number of bytes", 64)?;
            vtx.mega_fetch_count = bytes.saturating_sub(1) as u8;
        }
        "OFFSET" => vtx.offset = argument(cursor, "the offset", 0xFFFF)? as u16,
        "ENDIAN_SWAP" => vtx.endian_swap = endian_swap(cursor)?,
        "CONST_BUF_NO_STRIDE" => vtx.const_buf_no_stride = true,
        "ALT_CONST" => vtx.alt_const = true,
        "WHOLE_QUAD" => vtx.whole_quad = true,
        _ => return Ok(false),
    }
    Ok(true)
}

fn memory_property(cursor: &mut Cursor, read: &mut MemRead, word: &str) -> Result<bool, Reported> {
    match word {
        "ELEM_SIZE" => read.elem_size = argument(cursor, "the element size", 3)? as u8,
        "BURSTCNT" => read.burst_count = argument(cursor, "the burst count", 15)? as u8,
        "ARRAY_BASE" => read.array_base = argument(cursor, "the array base", 0x1FFF)? as u16,
        "ARRAY_SIZE" => read.array_size = argument(cursor, "the array size", 0xFFF)? as u16,
        "FORMAT" => read.format = format(cursor)?,
        "ENDIAN_SWAP" => read.endian_swap = endian_swap(cursor)?,
        "UNCACHED" => read.uncached = true,
        "INDEXED" => read.indexed = true,
        "LDS_REQ" => read.lds_req = true,
        "COALESCED_READ" => read.coalesced_read = true,
        "WHOLE_QUAD" => read.whole_quad = true,
        "SEL_Y" => {
            let token = parenthesized_word(cursor)?;
            let Some(chan) = Channel::parse(cursor.text(token)) else {
                return Err(cursor.unknown_word(token, "a channel", &Channel::ALL.map(Channel::name)));
            };
            read.src_sel_y = chan;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn parenthesized_word(cursor: &mut Cursor) -> Result<Token, Reported> {
    cursor.expect_symbol(b'(', "before a name")?;
    let token = cursor.expect_word("a name", "")?;
    cursor.expect_symbol(b')', "after the name")?;
    Ok(token)
}

fn endian_swap(cursor: &mut Cursor) -> Result<EndianSwap, Reported> {
    let token = parenthesized_word(cursor)?;
    match EndianSwap::parse(cursor.text(token)) {
        Some(swap) => Ok(swap),
        None => Err(cursor.unknown_word(token, "a byte order", &EndianSwap::ALL.map(EndianSwap::name))),
    }
}

/// The prefix of reserved data formats.
const RESERVED_FORMAT: &str = "DATA_FORMAT";
pub(super) const SIGNS: [&str; 2] = ["UNSIGNED", "SIGNED"];
pub(super) const ZEROS: [&str; 2] = ["ZERO_CLAMP_MINUS_ONE", "NO_ZERO"];

/// `(32_32_32_32_FLOAT SCALED SIGNED NO_ZERO)`
fn format(cursor: &mut Cursor) -> Result<ElementFormat, Reported> {
    cursor.expect_symbol(b'(', "after `FORMAT`")?;
    let token = cursor.expect_word("a data format", "such as `32_32_32_32_FLOAT`")?;
    let word = cursor.text(token);
    let reserved = || numbered(word, RESERVED_FORMAT).filter(|&code| code < 64).map(|code| code as u8);
    let Some(data_format) = DataFormat::parse(word).map(DataFormat::code).or_else(reserved) else {
        let names: Vec<&str> = DataFormat::ALL.iter().map(|format| format.name()).collect();
        return Err(cursor.unknown_word(token, "a data format", &names));
    };
    let mut format = ElementFormat { data_format, ..ElementFormat::default() };
    while !cursor.accept_symbol(b')') {
        let token = cursor.expect_word("a property of the format, or `)`", "")?;
        let word = cursor.text(token);
        let is = |name: &&str| name.eq_ignore_ascii_case(word);
        if let Some(number) = NumberFormat::parse(word) {
            format.number = number;
        } else if let Some(sign) = SIGNS.iter().position(is) {
            format.signed = sign == 1;
        } else if let Some(zero) = ZEROS.iter().position(is) {
            format.no_zero = zero == 1;
        } else {
            let names: Vec<&str> =
                NumberFormat::ALL.map(NumberFormat::name).into_iter().chain(SIGNS).chain(ZEROS).collect();
            return Err(cursor.unknown_word(token, "a property of the format", &names));
        }
    }
    Ok(format)
}

fn spell_format(format: ElementFormat) -> String {
    let name = match format.format() {
        Some(format) => format.name().to_owned(),
        None => format!("{RESERVED_FORMAT}{}", format.data_format),
    };
    let (sign, zero) = (SIGNS[usize::from(format.signed)], ZEROS[usize::from(format.no_zero)]);
    format!("FORMAT({name} {} {sign} {zero})", format.number.name())
}

/// Spells an instruction, without what the language has no words for.
pub(super) fn spell(fetch: &Fetch) -> String {
    let mut parts = vec![fetch.name().to_owned()];
    let mut say = |said: bool, part: String| {
        if said {
            parts.push(part);
        }
    };
    let register =
        |register: FetchRegister, selects| format!("{}.{}", spell_fetch_register(register), spell_selects(selects));
    match fetch {
        Fetch::Tex(Tex { fields, .. }) => {
            let (dst, src) = (register(fields.dst, fields.dst_sel), register(fields.src, fields.src_sel));
            say(true, format!("{dst}, {src}, t{}, s{}", fields.resource_id, fields.sampler_id));
            let bias = f32::from(fields.lod_bias_eighths()) / 8.0;
            say(bias != 0.0, format!("LOD({bias:?})"));
            for (axis, name) in ["XOFFSET", "YOFFSET", "ZOFFSET"].into_iter().enumerate() {
                let offset = f32::from(fields.offset_halves(axis)) / 2.0;
                say(offset != 0.0, format!("{name}({offset:?})"));
            }
            let denorm: String =
                "XYZW".chars().zip(fields.normalized).filter(|&(_, normal)| !normal).map(|(c, _)| c).collect();
            say(!denorm.is_empty(), format!("DENORM({denorm})"));
            say(fields.whole_quad, "WHOLE_QUAD".into());
            say(fields.bc_frac_mode, "BC_FRAC_MODE".into());
            say(fields.alt_const, "ALT_CONST".into());
        }
        Fetch::Vtx(vtx) => {
            let dst = match vtx.semantic {
                true => format!("SEM[{}].{}", vtx.semantic_id(), spell_selects(vtx.dst_sel)),
                false => register(vtx.dst, vtx.dst_sel),
            };
            let index = format!("{}.{}", spell_fetch_register(vtx.src), vtx.src_sel.name());
            say(true, format!("{dst}, {index}, b{}", vtx.buffer_id));
            say(vtx.fetch_type != FetchType::VertexData, format!("FETCH_TYPE({})", vtx.fetch_type.name()));
            say(vtx.format != ElementFormat::default(), spell_format(vtx.format));
            say(vtx.use_const_fields, "USE_CONST_FIELDS".into());
            let kind = if vtx.mega_fetch { "MEGA" } else { "MINI" };
            say(vtx.mega_fetch || vtx.mega_fetch_count != 0, format!("{kind}({})", vtx.mega_fetch_count + 1));
            say(vtx.offset != 0, format!("OFFSET({})", vtx.offset));
            say(vtx.endian_swap != EndianSwap::None, format!("ENDIAN_SWAP({})", vtx.endian_swap.name()));
            say(vtx.const_buf_no_stride, "CONST_BUF_NO_STRIDE".into());
            say(vtx.whole_quad, "WHOLE_QUAD".into());
            say(vtx.alt_const, "ALT_CONST".into());
        }
        Fetch::Mem(read) => {
            let index = format!("{}.{}", spell_fetch_register(read.src), read.src_sel_x.name());
            say(true, format!("{}, {index}", register(read.dst, read.dst_sel)));
            say(read.array_base != 0, format!("ARRAY_BASE({})", read.array_base));
            say(read.array_size != 0, format!("ARRAY_SIZE({})", read.array_size));
            say(read.elem_size != 0, format!("ELEM_SIZE({})", read.elem_size));
            say(read.burst_count != 0, format!("BURSTCNT({})", read.burst_count));
            say(read.format != ElementFormat::default(), spell_format(read.format));
            say(read.endian_swap != EndianSwap::None, format!("ENDIAN_SWAP({})", read.endian_swap.name()));
            say(read.uncached, "UNCACHED".into());
            say(read.indexed, "INDEXED".into());
            say(read.src_sel_y != Channel::X, format!("SEL_Y({})", read.src_sel_y.name()));
            say(read.lds_req, "LDS_REQ".into());
            say(read.coalesced_read, "COALESCED_READ".into());
            say(read.whole_quad, "WHOLE_QUAD".into());
        }
        Fetch::MemRaw(..) => {}
    }
    parts.join(" ")
}
