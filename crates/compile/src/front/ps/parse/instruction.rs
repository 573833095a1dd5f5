//! Instructions: names with their modifiers, and operands as the table has them.

use super::Parser;
use crate::front::ps::ast::{Comparison, Condition, Dest, File, Instruction, Source, Statement};
use crate::front::ps::table::{ELSEWHERE, Op, OperandKind, Row, TABLE};
use crate::front::ps::version::Version;
use ctm_text::{Cause, Reported, Span, Token, excerpt, instead};

/// A name taken apart.
struct Named {
    row: &'static Row,
    comparison: Option<Comparison>,
    saturate: bool,
}

impl Parser {
    /// One instruction or statement.
    pub(super) fn instruction(&mut self) -> Result<(), Reported> {
        let first = self.cursor.peek();
        let line = self.line_of(first);
        let guard = self.guard()?;
        let token = self.cursor.expect_word("an instruction", "such as `mov r0, c0`")?;
        let named = self.named(token)?;
        let row = named.row;
        let (mut dest, mut sources) = (None, Vec::new());
        for (place, what) in row.places.iter().enumerate() {
            if place > 0 {
                self.cursor.expect_symbol(b',', format!("and operand {} of `{}`", place + 1, row.name))?;
            }
            self.operand(row, *what, &mut dest, &mut sources)?;
        }
        // Before version 3.0 the constants of its series follow, of which no use is made.
        if row.op == Op::SinCos && self.shader.version < Version::Ps30 {
            while self.cursor.accept_symbol(b',') {
                self.source()?;
            }
        }
        let span = Span::from(first).to(self.cursor.last().into());
        self.in_place(row, span)?;
        if guard.is_some() && dest.is_none() && row.op != Op::TexKill {
            let message = format!("`{}` takes no predicate", row.name);
            let help = "use `if`, `breakp` or `callnz`";
            return Err(self.cursor.error(Cause::Misplaced, span, message, help));
        }
        let Named { comparison, saturate, .. } = named;
        let instruction = Instruction { op: row.op, comparison, saturate, dest, sources, guard, span, line };
        self.statement(instruction)
    }

    /// Labels and returns stand where no other instruction does.
    fn in_place(&mut self, row: &Row, span: Span) -> Result<(), Reported> {
        if matches!(row.op, Op::LabelOf | Op::Ret) { Ok(()) } else { self.in_some_part(span) }
    }

    fn named(&mut self, token: Token) -> Result<Named, Reported> {
        let word = self.cursor.text(token).to_ascii_lowercase();
        let mut parts = word.split('_');
        let base = parts.next().unwrap_or_default();
        let (mut comparison, mut saturate, mut unknown) = (None, false, None);
        for part in parts {
            let compared = Comparison::SPELLINGS.iter().find(|(name, _)| *name == part);
            match (part, compared) {
                ("sat", _) => saturate = true,
                ("pp" | "centroid", _) => {}
                (_, Some(&(_, test))) if comparison.is_none() => comparison = Some(test),
                _ => unknown = Some(part.to_owned()),
            }
        }
        let rows: Vec<&'static Row> = TABLE.iter().filter(|row| row.name == base).collect();
        if rows.is_empty() {
            let names = TABLE.iter().map(|row| row.name);
            let message = format!("unknown instruction `{}`", excerpt(base));
            let help = instead(base, ELSEWHERE, names);
            return Err(self.cursor.error(Cause::UnknownWord, token, message, &help));
        }
        if let Some(part) = unknown {
            let message = format!("`{base}` has no modifier `_{}`", excerpt(&part));
            let help = "modifiers are `_sat` and `_pp`, and comparisons such as `_gt`";
            return Err(self.cursor.error(Cause::UnknownWord, token, message, help));
        }
        let Some(&row) = rows.iter().find(|row| row.compares == comparison.is_some()) else {
            let (message, help) = match comparison {
                Some(_) => (format!("`{base}` compares nothing"), "leave the comparison out"),
                None => {
                    (format!("`{base}` does not say how to compare"), "add `_gt`, `_lt`, `_ge`, `_le`, `_eq` or `_ne`")
                }
            };
            return Err(self.cursor.error(Cause::Syntax, token, message, help));
        };
        if !row.versions.contains(self.shader.version) {
            let message = format!("{} has no instruction `{word}`", self.shader.version.name());
            let help = format!("use {}", row.versions.first().name());
            return Err(self.cursor.error(Cause::Misplaced, token, message, &help));
        }
        if saturate && !row.places.contains(&OperandKind::Result) {
            let message = format!("`{base}` has no result that `_sat` could change");
            return Err(self.cursor.error(Cause::Misplaced, token, message, ""));
        }
        Ok(Named { row, comparison, saturate })
    }

    fn operand(
        &mut self,
        row: &Row,
        place: OperandKind,
        dest: &mut Option<Dest>,
        sources: &mut Vec<Source>,
    ) -> Result<(), Reported> {
        match place {
            OperandKind::Result => {
                let result = self.dest()?;
                self.check_result(row, &result)?;
                *dest = Some(result);
            }
            OperandKind::Predicate => {
                let result = self.dest()?;
                if result.register.file != File::Predicate {
                    let message = "the result goes to the predicate register";
                    return Err(self.cursor.error(Cause::Operand, result.span, message, "write `p0`"));
                }
                *dest = Some(result);
            }
            OperandKind::Vector
            | OperandKind::Scalar
            | OperandKind::Rows(_)
            | OperandKind::Sampler
            | OperandKind::Kill
            | OperandKind::Condition
            | OperandKind::PredicateChannel
            | OperandKind::Passes
            | OperandKind::Counter
            | OperandKind::Label => {
                let source = self.source()?;
                self.check_source(row, place, &source)?;
                sources.push(source);
            }
        }
        Ok(())
    }

    fn check_result(&mut self, row: &Row, dest: &Dest) -> Result<(), Reported> {
        let version = self.shader.version;
        let fetches = row.places.contains(&OperandKind::Sampler);
        let (message, help) = match dest.register.file {
            File::Temporary => return self.check_mask(row, dest),
            File::Depth if fetches => ("what is fetched goes to a temporary or a colour", "fetch to `r0` and `mov` it"),
            File::Colour | File::Depth if version < Version::Ps30 && row.op != Op::Mov => {
                ("outputs are written by `mov` only, before ps_3_0", "calculate in a temporary and `mov` it")
            }
            File::Depth if dest.mask & 1 == 0 => ("oDepth has one channel", "write `oDepth`"),
            File::Colour | File::Depth => return self.check_mask(row, dest),
            _ => ("this register cannot be written", "results go to temporaries `r` and outputs `oC`"),
        };
        Err(self.cursor.error(Cause::Operand, dest.span, message, help))
    }

    /// Some instructions have results in some channels only.
    fn check_mask(&mut self, row: &Row, dest: &Dest) -> Result<(), Reported> {
        let (most, help) = match row.op {
            Op::SinCos => (0b0011, "the cosine goes to x, the sine to y: write `.x`, `.y` or `.xy`"),
            Op::Crs | Op::M3x3 | Op::M4x3 => (0b0111, "the result has three channels: write `.xyz`, or some of these"),
            Op::M3x2 => (0b0011, "the result has two channels: write `.xy`"),
            _ => return Ok(()),
        };
        if dest.mask & !most == 0 {
            return Ok(());
        }
        let message = format!("`{}` has no result for all of these channels", row.name);
        Err(self.cursor.error(Cause::Operand, dest.span, message, help))
    }

    fn check_source(&mut self, row: &Row, place: OperandKind, source: &Source) -> Result<(), Reported> {
        let file = source.register.file;
        let plain = !source.negate && !source.absolute && !source.relative;
        let bare = plain && !source.has_swizzle && !source.invert;
        let replicates = source.swizzle.iter().all(|channel| *channel == source.swizzle[0]);
        let (fits, message, help) = match place {
            OperandKind::Vector => (
                file.holds_numbers() && file != File::Counter,
                "numbers are expected here",
                "registers of numbers are `r`, `v`, `t`, `c`, `vPos` and `vFace`",
            ),
            OperandKind::Scalar => {
                let one = file == File::Face || (source.has_swizzle && replicates);
                (
                    file.holds_numbers() && file != File::Counter && one,
                    "one channel of a register of numbers is expected here",
                    "write one, such as `r0.x`",
                )
            }
            OperandKind::Rows(rows) => {
                let last = source.register.index + u16::from(rows) - 1;
                let fits = matches!(file, File::Constant | File::Temporary | File::Input | File::Texture);
                (
                    fits && bare && last < self.shader.version.registers(file),
                    "the rows of a matrix are expected here: consecutive registers",
                    "write the first one, without swizzle or modifiers",
                )
            }
            OperandKind::Sampler => {
                (file == File::Sampler && plain && !source.invert, "a sampler is expected here", "write `s0`")
            }
            OperandKind::Kill => {
                let fits = matches!(file, File::Temporary | File::Texture | File::Input);
                (fits && plain, "a temporary or an input is expected here", "write `r0`, without modifiers")
            }
            OperandKind::Condition | OperandKind::PredicateChannel => {
                let boolean = file == File::Boolean && place == OperandKind::Condition && !source.has_swizzle;
                let predicate = file == File::Predicate && source.has_swizzle && replicates;
                (
                    (boolean || predicate) && plain,
                    "a condition is expected here",
                    match place {
                        OperandKind::PredicateChannel => "write a channel of the predicate register, `p0.x`",
                        _ => "write a boolean constant, `b0`, or a channel of the predicate register, `p0.x`",
                    },
                )
            }
            OperandKind::Passes => {
                (file == File::Integer && bare, "an integer constant is expected here", "write `i0`")
            }
            OperandKind::Counter => {
                (file == File::Counter && bare, "the loop counter is expected here", "write `loop aL, i0`")
            }
            OperandKind::Label => (file == File::Label && bare, "a label is expected here", "write `l0`"),
            OperandKind::Result | OperandKind::Predicate => return Ok(()),
        };
        if fits {
            return Ok(());
        }
        let message = format!("{message} (`{}`)", row.name);
        Err(self.cursor.error(Cause::Operand, source.span, message, help))
    }

    /// Puts an instruction where it belongs.
    fn statement(&mut self, instruction: Instruction) -> Result<(), Reported> {
        let (line, span) = (instruction.line, instruction.span);
        match instruction.op {
            Op::Nop => Ok(()),
            Op::If | Op::IfCompare => {
                let condition = condition(&instruction, 0);
                self.begin_if(condition, line, span)
            }
            Op::Else => self.begin_else(span),
            Op::EndIf => self.end_if(span),
            Op::Rep => self.begin_repeat(instruction.sources[0].register.index, false, line, span),
            Op::Loop => self.begin_repeat(instruction.sources[1].register.index, true, line, span),
            Op::EndRep => self.end_repeat(false, span),
            Op::EndLoop => self.end_repeat(true, span),
            Op::Break => self.add_break(None, line, span),
            Op::BreakCompare | Op::BreakPredicate => {
                let condition = condition(&instruction, 0);
                self.add_break(Some(condition), line, span)
            }
            Op::Call | Op::CallIf => {
                let label = instruction.sources[0].register.index;
                let condition = (instruction.op == Op::CallIf).then(|| condition(&instruction, 1));
                self.add(Statement::Call { label, condition, line });
                Ok(())
            }
            Op::LabelOf => self.begin_subroutine(instruction.sources[0].register.index, span),
            Op::Ret => self.end_part(span),
            _ => {
                self.add(Statement::Do(instruction));
                Ok(())
            }
        }
    }
}

/// The condition that stands at this operand.
fn condition(instruction: &Instruction, at: usize) -> Condition {
    let source = instruction.sources[at];
    match (instruction.comparison, source.register.file) {
        (Some(comparison), _) => Condition::Compare(comparison, source, instruction.sources[at + 1]),
        (None, File::Boolean) => Condition::Boolean { index: source.register.index, invert: source.invert },
        (None, _) => Condition::Predicate { channel: source.swizzle[0], invert: source.invert },
    }
}
