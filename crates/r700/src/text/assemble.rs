//! A whole text: directives, labels, control flow with its clauses; then places.

use super::control::{self, Line, set_address, set_count};
use super::groups::{Body, skip_line};
use super::image::{Image, MOST_QWORDS};
use super::{Assembled, fetch, groups};
use crate::cf::{Cf, Qword};
use crate::codes::Family;
use crate::outline::ClauseKind;
use crate::program::{MAX_ALU_CLAUSE, Program, ProgramInfo, Stage};
use ctm_text::{Cause, Cursor, Diagnostic, MOST_DIAGNOSTICS, Reported, Severity, Span, TokenKind, excerpt};
use std::collections::BTreeMap;

/// A control-flow instruction with its clause.
struct Placed {
    address: u32,
    line: Line,
    /// The clause under it.
    body: Body,
}

#[derive(Default)]
struct Assembler {
    info: ProgramInfo,
    /// Address of the next control-flow instruction.
    next: u32,
    cf: Vec<Placed>,
    labels: BTreeMap<String, u32>,
    image: Image,
    /// Length of the image, if the text says it.
    size: u32,
    /// `END_OF_PROGRAM` stands in the text.
    end: Option<Span>,
}

/// What sets the end of the program on the last instruction.
pub(super) const END: &str = "END_OF_PROGRAM";

/// Every directive.
pub(super) const DIRECTIVES: [&str; 9] =
    ["family", "stage", "gprs", "stack", "prefer_vector", "dx10_clamp", "kill_enable", "qword", "size"];

/// Reads a whole text.
pub(super) fn assemble(mut cursor: Cursor) -> Result<Assembled, Vec<Diagnostic>> {
    let mut assembler = Assembler::default();
    while !cursor.at_end() && cursor.diagnostics.len() < MOST_DIAGNOSTICS {
        let first = cursor.peek();
        if assembler.statement(&mut cursor).is_err() {
            skip_line(&mut cursor, first);
        }
    }
    assembler.finish(cursor)
}

impl Assembler {
    fn statement(&mut self, cursor: &mut Cursor) -> Result<(), Reported> {
        if cursor.is_symbol(b'.') {
            return self.directive(cursor);
        }
        let first = cursor.peek();
        if cursor.is_word(END) {
            cursor.take();
            self.end = Some(first.into());
            return Ok(());
        }
        if first.kind != TokenKind::Word {
            return Err(cursor.expected("a control-flow instruction or a directive", ""));
        }
        let numbered = cursor.text(first).as_bytes()[0].is_ascii_digit();
        if !numbered && cursor.look(1).kind == TokenKind::Symbol(b':') && control::named(cursor.text(first)).is_none() {
            return self.label(cursor);
        }
        if numbered {
            let number = cursor.number("the address of the instruction", u32::MAX)?;
            if number != self.next {
                let message = format!("this is instruction {}, not {number}", self.next);
                cursor.error(Cause::Address, first, message, "the numbers of instructions can be left out");
            }
        }
        let address = self.next;
        // An invalid instruction keeps its place, so that those after it have theirs.
        self.next += 1;
        let name = cursor.peek();
        match control::read(cursor, self.info.family) {
            Ok(line) => {
                let body = self.body(cursor, &line.cf);
                self.cf.push(Placed { address, line, body });
            }
            Err(Reported) => {
                // The clause is read all the same, for what is wrong with it.
                let cf = control::named(cursor.text(name));
                skip_line(cursor, name);
                if let Some(cf) = cf {
                    self.body(cursor, &cf);
                }
            }
        }
        Ok(())
    }

    fn label(&mut self, cursor: &mut Cursor) -> Result<(), Reported> {
        let token = cursor.take();
        cursor.take();
        let name = cursor.text(token).to_owned();
        let unit = name.len() == 1 && "xyzwtXYZWT".contains(&name);
        if unit {
            return Err(cursor.error(
                Cause::Misplaced,
                token,
                "an ALU instruction outside an ALU clause",
                "write `ALU:` first",
            ));
        }
        let next = cursor.peek();
        let follows =
            next.kind == TokenKind::Word && !next.first_of_line && cursor.look(1).kind != TokenKind::Symbol(b':');
        let begins = |text: &str| {
            text.as_bytes()[0].is_ascii_digit() || text.eq_ignore_ascii_case(END) || control::named(text).is_some()
        };
        if follows && !begins(cursor.text(next)) {
            return Err(cursor.unknown_word(token, "a control-flow instruction", &control::names()));
        }
        if self.labels.insert(name.clone(), self.next).is_some() {
            let message = format!("the label `{}` is already defined", excerpt(&name));
            cursor.error(Cause::Duplicate, token, message, "each label has one place");
        }
        Ok(())
    }

    fn body(&mut self, cursor: &mut Cursor, cf: &Cf) -> Body {
        match cf {
            Cf::Alu(_) => groups::body(cursor, &self.info),
            Cf::Plain(plain) if plain.op.is_fetch() => fetch::body(cursor),
            Cf::Plain(_) | Cf::Export(_) | Cf::Reserved(_) => Body::default(),
        }
    }

    fn directive(&mut self, cursor: &mut Cursor) -> Result<(), Reported> {
        cursor.take();
        let token = cursor.peek();
        let name = DIRECTIVES[cursor.expect_name("a directive", &DIRECTIVES)?];
        if matches!(name, "family" | "prefer_vector") && !self.cf.is_empty() {
            let message = format!("`.{name}` after the first instruction");
            cursor.error(Cause::Misplaced, token, message, "it says how instructions are encoded: write it first");
        }
        match name {
            "family" => {
                self.info.family = Family::ALL[cursor.expect_name("a family", &Family::ALL.map(Family::name))?]
            }
            "stage" => {
                let names: Vec<&str> = Stage::ALL.iter().map(|stage| stage.name()).collect();
                self.info.stage = Stage::ALL[cursor.expect_name("a stage", &names)?];
            }
            "gprs" => self.info.num_gprs = cursor.number("the number of registers", 255)? as u8,
            "stack" => self.info.stack_size = Some(cursor.number("the number of stack entries", 255)? as u8),
            "prefer_vector" => self.info.prefer_vector = cursor.number("the switch", 1)? == 1,
            "dx10_clamp" => self.info.dx10_clamp = cursor.number("the switch", 1)? == 1,
            "kill_enable" => self.info.kill_enable = cursor.number("the switch", 1)? == 1,
            "size" => self.size = cursor.number("the size of the image", MOST_QWORDS)?,
            _ => {
                let address = cursor.number("the address of a qword", MOST_QWORDS - 1)?;
                cursor.expect_symbol(b',', "before the value")?;
                let qword = self.qword(cursor)?;
                let span = Span::from(token).to(cursor.last().into());
                self.image.put(cursor, address, qword, span);
                self.next += u32::from(address == self.next);
            }
        }
        Ok(())
    }

    /// A qword of up to 16 hexadecimal digits; the upper eight are the second dword.
    fn qword(&self, cursor: &mut Cursor) -> Result<Qword, Reported> {
        let token = cursor.expect_word("a qword", "such as `0x8020000000000000`")?;
        let text = cursor.text(token);
        let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).filter(|digits| digits.len() <= 16);
        match digits.and_then(|digits| u64::from_str_radix(digits, 16).ok()) {
            Some(value) => Ok([value as u32, (value >> 32) as u32]),
            None => {
                let message = format!("`{}` is not a qword", excerpt(text));
                Err(cursor.error(Cause::Syntax, token, message, "write `0x` and up to 16 hexadecimal digits"))
            }
        }
    }

    fn finish(mut self, mut cursor: Cursor) -> Result<Assembled, Vec<Diagnostic>> {
        let cursor = &mut cursor;
        if let Some(span) = self.end {
            self.end_program(cursor, span);
        }
        self.code_counts(cursor);
        self.place_clauses(cursor);
        for placed in &mut self.cf {
            let label = placed.line.label.take().filter(|_| cursor.diagnostics.len() < MOST_DIAGNOSTICS);
            let Some((label, span)) = label else { continue };
            match self.labels.get(&label) {
                Some(&address) => set_address(&mut placed.line.cf, address),
                None => {
                    let message = format!("unknown label `{}`", excerpt(&label));
                    let near = ctm_text::nearest(&label, self.labels.keys().map(String::as_str));
                    let help = near.map(|near| format!("did you mean `{near}`?")).unwrap_or_default();
                    cursor.error(Cause::Label, span, message, &help);
                }
            }
        }
        for placed in &self.cf {
            self.image.put(cursor, placed.address, placed.line.cf.encode(), placed.line.span);
        }
        let diagnostics = std::mem::take(&mut cursor.diagnostics);
        if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
            return Err(diagnostics);
        }
        let origins = std::mem::take(&mut self.image.origins);
        let program = Program { code: self.image.into_code(self.size), info: self.info };
        Ok(Assembled { program, origins, warnings: diagnostics })
    }

    /// Sets the end of the program on the last instruction, or on a NOP after it.
    fn end_program(&mut self, cursor: &mut Cursor, span: Span) {
        match self.cf.last_mut().map(|placed| &mut placed.line.cf) {
            Some(Cf::Plain(plain)) => plain.fields.end_of_program = true,
            Some(Cf::Export(export)) => export.fields.end_of_program = true,
            Some(Cf::Alu(_) | Cf::Reserved(_)) => {
                let Some(Cf::Plain(mut nop)) = control::named("NOP") else { unreachable!("NOP is a name") };
                nop.fields.end_of_program = true;
                let line = Line { cf: Cf::Plain(nop), label: None, addressed: false, counted: false, span };
                self.cf.push(Placed { address: self.next, line, body: Body::default() });
                self.next += 1;
            }
            None => {
                cursor.error(
                    Cause::Misplaced,
                    span,
                    "`END_OF_PROGRAM` without an instruction",
                    "write it after the last",
                );
            }
        }
    }

    /// Makes the lengths of clauses those of their bodies.
    fn code_counts(&mut self, cursor: &mut Cursor) {
        let family = self.info.family;
        for Placed { line, body, .. } in &mut self.cf {
            let Some(clause) = line.cf.clause(family).filter(|_| !body.damaged) else { continue };
            let body = &body.qwords;
            let name = line.cf.name().unwrap_or_default();
            if body.is_empty() {
                if !(line.addressed && line.counted) {
                    let message = format!("`{name}` has no clause");
                    let help = "write its instructions under it, or ADDR and CNT of a clause that stands elsewhere";
                    cursor.error(Cause::Address, line.span, message, help);
                }
                continue;
            }
            let (unit, most) = match (clause.kind, family) {
                (ClauseKind::Alu, _) => (1, MAX_ALU_CLAUSE),
                (ClauseKind::Fetch, Family::R700) => (2, 16),
                (ClauseKind::Fetch, Family::R600) => (2, 8),
            };
            let length = body.len() / unit;
            if length > most {
                let what = if unit == 1 { "qwords" } else { "instructions" };
                let message = format!("the clause of `{name}` has {length} {what}");
                cursor.error(
                    Cause::TooLong,
                    body[most * unit].1,
                    message,
                    &format!("{most} at most: begin a new clause"),
                );
            } else if clause.length as usize != body.len() || !line.counted {
                if line.counted {
                    let message = format!("the clause has a length of {length}, not {}", clause.length as usize / unit);
                    cursor.warning(Cause::Address, line.span, message, "its own length counts; CNT can be left out");
                }
                set_count(&mut line.cf, length as u32);
            }
        }
    }

    /// Gives a place to clauses that have none: fetch clauses, then ALU clauses, after everything that has one.
    fn place_clauses(&mut self, cursor: &mut Cursor) {
        let family = self.info.family;
        let mut free = self.next.max(self.image.end()).min(MOST_QWORDS);
        for Placed { line, body, .. } in &self.cf {
            if let Some(clause) = line.cf.clause(family).filter(|_| line.addressed && !body.qwords.is_empty()) {
                free = free.max(clause.address.saturating_add(body.qwords.len() as u32).min(MOST_QWORDS));
            }
        }
        free = free.next_multiple_of(2);
        for kind in [ClauseKind::Fetch, ClauseKind::Alu] {
            for Placed { line, body, .. } in &mut self.cf {
                let unplaced = line.cf.clause(family).is_some_and(|clause| clause.kind == kind) && !line.addressed;
                if unplaced {
                    set_address(&mut line.cf, free);
                    free = free.saturating_add(body.qwords.len() as u32);
                }
            }
        }
        for Placed { line, body, .. } in &self.cf {
            let Some(clause) = line.cf.clause(family) else { continue };
            for (place, &(qword, span)) in body.qwords.iter().enumerate() {
                self.image.put(cursor, clause.address.saturating_add(place as u32), qword, span);
            }
        }
    }
}
