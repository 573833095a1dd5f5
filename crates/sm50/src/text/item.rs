//! Operands as the text has them, before it is known which instruction they belong to.

use ctm_text::{Cause, Cursor, Reported, Span, TokenKind};

/// An operand of the text.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub span: Span,
    /// `!`
    pub not: bool,
    /// `~`
    pub inv: bool,
    /// `-`
    pub neg: bool,
    /// `|...|`
    pub abs: bool,
    pub base: Base,
    /// The words after it, each after a dot.
    pub suffixes: Vec<String>,
    /// The number after it, without a comma.
    pub displacement: Option<i64>,
}

/// What an operand is without its modifiers.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Base {
    Register(u8),
    Predicate(u8),
    /// A name: a label, a special register, `PR`, `CC`, `SB0`.
    Word(String),
    /// A number as it is spelled, without sign.
    Number(String),
    /// `c[bank][register + offset]`
    Constant {
        bank: i64,
        address: Address,
    },
    /// `a[register + offset]`
    Attribute(Address),
    /// `[register + offset]`
    Memory(Address),
    /// `{1,0}`, a bit for each member.
    Set(u8),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Address {
    pub register: Option<u8>,
    pub offset: i64,
}

/// Whether the next token goes directly on the last one.
pub(super) fn adjacent(cursor: &Cursor) -> bool {
    let (last, next) = (cursor.last(), cursor.peek());
    next.kind != TokenKind::End && last.file == next.file && last.end == next.start
}

/// Whether an instruction ends here: at `;`, or at the end of its line.
pub(super) fn at_statement_end(cursor: &Cursor) -> bool {
    cursor.at_end() || cursor.is_symbol(b';') || cursor.peek().first_of_line
}

/// All operands up to the end of the instruction.
pub(super) fn read_items(cursor: &mut Cursor) -> Result<Vec<Item>, Reported> {
    let mut items = Vec::new();
    if at_statement_end(cursor) {
        return Ok(items);
    }
    loop {
        items.push(read_item(cursor)?);
        if at_statement_end(cursor) {
            return Ok(items);
        }
        cursor.expect_symbol(b',', "or the end of the instruction")?;
    }
}

fn read_item(cursor: &mut Cursor) -> Result<Item, Reported> {
    let first = Span::from(cursor.peek());
    let mut item = Item {
        span: first,
        not: false,
        inv: false,
        neg: false,
        abs: false,
        base: Base::Set(0),
        suffixes: Vec::new(),
        displacement: None,
    };
    loop {
        if cursor.accept_symbol(b'!') {
            item.not = true;
        } else if cursor.accept_symbol(b'~') {
            item.inv = true;
        } else if cursor.accept_symbol(b'-') {
            item.neg = true;
        } else if cursor.accept_symbol(b'|') {
            item.abs = true;
        } else if !cursor.accept_symbol(b'+') {
            break;
        }
    }
    item.base = read_base(cursor)?;
    read_suffixes(cursor, &mut item.suffixes)?;
    if item.abs {
        cursor.expect_symbol(b'|', "after an operand without sign")?;
        read_suffixes(cursor, &mut item.suffixes)?;
    }
    if matches!(item.base, Base::Register(_) | Base::Word(_)) && !at_statement_end(cursor) && !cursor.is_symbol(b',') {
        item.displacement = Some(signed_number(cursor, "a displacement")?);
    }
    item.span = first.to(cursor.last().into());
    Ok(item)
}

fn read_suffixes(cursor: &mut Cursor, suffixes: &mut Vec<String>) -> Result<(), Reported> {
    while cursor.is_symbol(b'.') && !cursor.peek().first_of_line {
        cursor.take();
        let word = cursor.expect_word("a modifier after `.`", "such as `.H1` or `.reuse`")?;
        suffixes.push(cursor.text(word).to_ascii_uppercase());
    }
    Ok(())
}

fn read_base(cursor: &mut Cursor) -> Result<Base, Reported> {
    if cursor.is_symbol(b'[') {
        return Ok(Base::Memory(read_address(cursor)?));
    }
    if cursor.accept_symbol(b'{') {
        return read_set(cursor);
    }
    let token = cursor.peek();
    if token.kind != TokenKind::Word || at_statement_end(cursor) {
        return Err(cursor.expected("an operand", "such as `R0`, `c[0x0][0x10]`, `a[0x80]`, `1.5`"));
    }
    let text = cursor.text(token).to_owned();
    // What follows the dot after a hexadecimal number is a modifier: there are no hexadecimal fractions here.
    let hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    if text.as_bytes()[0].is_ascii_digit() && !hexadecimal {
        let (spelled, _) = cursor.numeral().unwrap_or((text, token.into()));
        return Ok(Base::Number(spelled));
    }
    if hexadecimal {
        cursor.take();
        return Ok(Base::Number(text));
    }
    cursor.take();
    if cursor.is_symbol(b'[') {
        if text.eq_ignore_ascii_case("a") {
            return Ok(Base::Attribute(read_address(cursor)?));
        }
        if text.eq_ignore_ascii_case("c") {
            cursor.take();
            let bank = signed_number(cursor, "the constant bank")?;
            cursor.expect_symbol(b']', "after the constant bank")?;
            return Ok(Base::Constant { bank, address: read_address(cursor)? });
        }
    }
    if ["INF", "QNAN", "SNAN"].iter().any(|name| name.eq_ignore_ascii_case(&text)) {
        return Ok(Base::Number(text.to_ascii_uppercase()));
    }
    Ok(register(&text)
        .map(Base::Register)
        .or_else(|| predicate(&text).map(Base::Predicate))
        .unwrap_or(Base::Word(text)))
}

/// `{5,1,0}`, from after the brace on.
fn read_set(cursor: &mut Cursor) -> Result<Base, Reported> {
    let mut set = 0;
    while !cursor.accept_symbol(b'}') {
        set |= 1 << cursor.number("a scoreboard", 5)?;
        if !cursor.accept_symbol(b',') && !cursor.is_symbol(b'}') {
            return Err(cursor.expected("`,` or `}` in a set of scoreboards", "such as `{1,0}`"));
        }
    }
    Ok(Base::Set(set))
}

/// `[register + offset]`, either of which may be missing.
fn read_address(cursor: &mut Cursor) -> Result<Address, Reported> {
    cursor.expect_symbol(b'[', "before an address")?;
    let register = cursor.word_ahead(0).and_then(register);
    if register.is_some() {
        cursor.take();
    }
    let mut offset = 0;
    if register.is_none() || !cursor.is_symbol(b']') {
        offset = signed_number(cursor, "the offset of an address")?;
    }
    cursor.expect_symbol(b']', "after an address")?;
    Ok(Address { register, offset })
}

/// A whole number after any signs.
fn signed_number(cursor: &mut Cursor, what: &str) -> Result<i64, Reported> {
    let mut negative = false;
    while cursor.is_symbol(b'+') || cursor.is_symbol(b'-') {
        negative ^= cursor.take().kind == TokenKind::Symbol(b'-');
    }
    let value = i64::from(cursor.number(what, u32::MAX)?);
    Ok(if negative { -value } else { value })
}

fn register(text: &str) -> Option<u8> {
    if text.eq_ignore_ascii_case("RZ") { Some(255) } else { numbered(text, b'R').filter(|&number| number < 255) }
}

fn predicate(text: &str) -> Option<u8> {
    if text.eq_ignore_ascii_case("PT") { Some(7) } else { numbered(text, b'P').filter(|&number| number < 7) }
}

/// The number of `R12`.
pub(super) fn numbered(text: &str, letter: u8) -> Option<u8> {
    let (first, digits) = text.split_at_checked(1)?;
    let plain = digits.bytes().all(|digit| digit.is_ascii_digit());
    (plain && first.as_bytes()[0].eq_ignore_ascii_case(&letter)).then(|| digits.parse().ok())?
}

/// Reads the guard, `@!P0`, if one is there: predicate and negation.
pub(super) fn read_guard(cursor: &mut Cursor) -> Result<Option<(u8, bool)>, Reported> {
    if !cursor.accept_symbol(b'@') {
        return Ok(None);
    }
    let not = cursor.accept_symbol(b'!');
    let token = cursor.expect_word("a predicate after `@`", "`P0` to `P6`, or `PT`")?;
    match predicate(cursor.text(token)) {
        Some(predicate) => Ok(Some((predicate, not))),
        None => Err(cursor.error(
            Cause::UnknownWord,
            token,
            "this is not a predicate",
            "predicates are `P0` to `P6`, and `PT`",
        )),
    }
}
