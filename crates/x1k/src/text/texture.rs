//! TEX instructions.

use super::assemble::Pending;
use super::header::{Form, Header};
use super::operand;
use crate::codes::{TexOp, TexSwizzle};
use crate::instruction::{Body, DWORDS, Instruction, Tex, TexRegister};
use ctm_text::{Cause, Cursor, Reported, excerpt};

/// Reads what follows the word TEX; gives the header as well.
pub(super) fn read(cursor: &mut Cursor) -> Result<(Pending, Header), Reported> {
    let header = Header::read(cursor, Some(Form::Tex))?;
    let mut common = header.common;
    let mut tex = Tex {
        sem_acquire: header.sem_acquire,
        ignore_uncovered: header.ignore_uncovered,
        unscaled: header.unscaled,
        ..Tex::default()
    };
    if cursor.is_word("temp") {
        (tex.dst.addr, tex.dst.relative) = operand::temp(cursor)?;
        let (mask, _) = operand::mask(cursor)?;
        (common.rgb.wmask, common.alpha.wmask) = (mask & 7, mask >> 3);
        cursor.expect_symbol(b'=', "after the destination")?;
    }
    let token = cursor.expect_word("a texture operation", "such as `LD tex[0].rgba temp[0].rgaa`")?;
    let Some(op) = TexOp::parse(cursor.text(token)) else {
        let mut names: Vec<&str> = TexOp::ALL.map(TexOp::name).to_vec();
        names.push("temp");
        names.extend(super::header::flag_names());
        return Err(cursor.unknown_word(token, "a texture operation", &names));
    };
    tex.op = op;
    if !cursor.accept_word("tex") {
        return Err(
            cursor.expected("`tex[n]`", "the input comes after the operation, as in `LD tex[0].rgba temp[0].rgaa`")
        );
    }
    tex.id = operand::bracketed(cursor, "an input", 15)?;
    tex.dst.swizzle = read_swizzle(cursor)?;
    tex.src = read_register(cursor)?;
    if !cursor.is_symbol(b';') {
        tex.dx = read_register(cursor)?;
        tex.dy = read_register(cursor)?;
    }
    cursor.expect_symbol(b';', "at the end of the instruction")?;
    Ok((Pending::of(Instruction { common, body: Body::Tex(tex), reserved: [0; DWORDS] }), header))
}

fn read_register(cursor: &mut Cursor) -> Result<TexRegister, Reported> {
    let (addr, relative) = operand::temp(cursor)?;
    Ok(TexRegister { addr, relative, swizzle: read_swizzle(cursor)? })
}

fn read_swizzle(cursor: &mut Cursor) -> Result<[TexSwizzle; 4], Reported> {
    const HELP: &str = "write four of the letters `r`, `g`, `b`, `a`";
    cursor.expect_symbol(b'.', "before the swizzle")?;
    let token = cursor.expect_word("a swizzle", HELP)?;
    let text = cursor.text(token);
    let letters: Option<Vec<_>> = (0..text.len()).map(|at| TexSwizzle::parse(&text[at..=at])).collect();
    letters.and_then(|letters| letters.try_into().ok()).ok_or(()).map_err(|()| {
        let message = format!("`{}` is not a swizzle of four channels", excerpt(cursor.text(token)));
        cursor.error(Cause::Operand, token, message, HELP)
    })
}
