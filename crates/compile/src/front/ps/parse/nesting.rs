//! Statements in statements, and subroutines.

use super::Parser;
use crate::front::ps::ast::{Condition, Statement};
use ctm_text::{Cause, Reported, Span};

/// A statement that is open.
struct Open {
    kind: Kind,
    /// What came before it.
    before: Vec<Statement>,
    line: u32,
    span: Span,
}

enum Kind {
    If(Condition),
    Else(Condition, Vec<Statement>),
    Repeat { passes: u16, counts: bool },
}

/// What is being read: the program, or a subroutine.
#[derive(Clone, Copy)]
enum Part {
    Main,
    /// Between two subroutines.
    Nothing,
    Subroutine(u16, Span),
}

/// Where the next statement belongs.
pub(super) struct Nesting {
    open: Vec<Open>,
    statements: Vec<Statement>,
    part: Part,
}

impl Default for Nesting {
    fn default() -> Self {
        Nesting { open: Vec::new(), statements: Vec::new(), part: Part::Main }
    }
}

impl Nesting {
    /// Adds a statement.
    pub fn add(&mut self, statement: Statement) {
        self.statements.push(statement);
    }

    /// Whether aL counts here.
    pub fn is_in_counting_loop(&self) -> bool {
        self.open.iter().any(|open| matches!(open.kind, Kind::Repeat { counts: true, .. }))
    }

    /// Whether this is a subroutine, which has the aL of its caller.
    pub fn is_in_subroutine(&self) -> bool {
        matches!(self.part, Part::Subroutine(..))
    }

    fn is_in_loop(&self) -> bool {
        self.open.iter().any(|open| matches!(open.kind, Kind::Repeat { .. }))
    }

    fn begin(&mut self, kind: Kind, line: u32, span: Span) {
        let before = std::mem::take(&mut self.statements);
        self.open.push(Open { kind, before, line, span });
    }
}

impl Parser {
    fn count(&self, is_loop: bool) -> usize {
        let open = &self.nesting.open;
        open.iter().filter(|open| matches!(open.kind, Kind::Repeat { .. }) == is_loop).count()
    }

    /// Complains about a statement between a `ret` and a `label`.
    pub(super) fn in_some_part(&mut self, span: Span) -> Result<(), Reported> {
        if matches!(self.nesting.part, Part::Nothing) {
            let message = "nothing reaches this instruction";
            return Err(self.cursor.error(Cause::Misplaced, span, message, "a `label` follows `ret`"));
        }
        Ok(())
    }

    pub(super) fn begin_if(&mut self, condition: Condition, line: u32, span: Span) -> Result<(), Reported> {
        let most = self.shader.version.branch_depth();
        if self.count(false) >= most {
            let message = format!("more than {most} `if`s stand in each other");
            return Err(self.cursor.error(Cause::Nesting, span, message, "join conditions"));
        }
        self.nesting.begin(Kind::If(condition), line, span);
        Ok(())
    }

    pub(super) fn begin_repeat(&mut self, passes: u16, counts: bool, line: u32, span: Span) -> Result<(), Reported> {
        let most = self.shader.version.loop_depth();
        if self.count(true) >= most {
            let message = format!("more than {most} loops stand in each other");
            return Err(self.cursor.error(Cause::Nesting, span, message, "join loops"));
        }
        self.nesting.begin(Kind::Repeat { passes, counts }, line, span);
        Ok(())
    }

    pub(super) fn begin_else(&mut self, span: Span) -> Result<(), Reported> {
        match self.nesting.open.pop() {
            Some(Open { kind: Kind::If(condition), before, line, span }) => {
                let then = std::mem::take(&mut self.nesting.statements);
                self.nesting.open.push(Open { kind: Kind::Else(condition, then), before, line, span });
                Ok(())
            }
            other => {
                self.nesting.open.extend(other);
                Err(self.cursor.error(Cause::Nesting, span, "no `if` is open here", "`else` follows an `if`"))
            }
        }
    }

    pub(super) fn end_if(&mut self, span: Span) -> Result<(), Reported> {
        let (condition, then, otherwise, before, line) = match self.nesting.open.pop() {
            Some(Open { kind: Kind::If(condition), before, line, .. }) => {
                (condition, std::mem::take(&mut self.nesting.statements), Vec::new(), before, line)
            }
            Some(Open { kind: Kind::Else(condition, then), before, line, .. }) => {
                (condition, then, std::mem::take(&mut self.nesting.statements), before, line)
            }
            other => {
                self.nesting.open.extend(other);
                return Err(self.cursor.error(Cause::Nesting, span, "no `if` is open here", "`endif` ends an `if`"));
            }
        };
        self.nesting.statements = before;
        self.nesting.add(Statement::If { condition, then, otherwise, line });
        Ok(())
    }

    pub(super) fn end_repeat(&mut self, counting: bool, span: Span) -> Result<(), Reported> {
        match self.nesting.open.pop() {
            Some(Open { kind: Kind::Repeat { passes, counts }, before, line, .. }) if counts == counting => {
                let body = std::mem::replace(&mut self.nesting.statements, before);
                self.nesting.add(Statement::Repeat { passes, counts, body, line });
                Ok(())
            }
            other => {
                self.nesting.open.extend(other);
                let (end, begin) = if counting { ("endloop", "loop") } else { ("endrep", "rep") };
                let message = format!("`{end}` ends no `{begin}` here");
                Err(self.cursor.error(
                    Cause::Nesting,
                    span,
                    message,
                    "statements end in the order of their beginnings, backwards",
                ))
            }
        }
    }

    pub(super) fn add_break(&mut self, condition: Option<Condition>, line: u32, span: Span) -> Result<(), Reported> {
        if !self.nesting.is_in_loop() {
            return Err(self.cursor.error(Cause::Nesting, span, "there is no loop here to leave", ""));
        }
        self.nesting.add(Statement::Break { condition, line });
        Ok(())
    }

    /// `label`
    pub(super) fn begin_subroutine(&mut self, label: u16, span: Span) -> Result<(), Reported> {
        match self.nesting.part {
            Part::Nothing => {}
            Part::Main | Part::Subroutine(..) => {
                let message = "a `ret` is missing in front of this `label`";
                return Err(self.cursor.error(
                    Cause::Nesting,
                    span,
                    message,
                    "the program and each subroutine end in `ret`",
                ));
            }
        }
        if self.shader.subroutines.contains_key(&label) {
            return Err(self.cursor.error(
                Cause::Duplicate,
                span,
                format!("the label `l{label}` is there already"),
                "",
            ));
        }
        self.nesting.part = Part::Subroutine(label, span);
        Ok(())
    }

    /// `ret`
    pub(super) fn end_part(&mut self, span: Span) -> Result<(), Reported> {
        if let Some(open) = self.nesting.open.last() {
            let (message, at) = ("`ret` stands in a statement that is not ended", open.span);
            self.cursor.error(Cause::Nesting, span, message, "programs and subroutines end outside of statements");
            return Err(self.cursor.error(Cause::Nesting, at, "this is not ended", ""));
        }
        let statements = std::mem::take(&mut self.nesting.statements);
        match self.nesting.part {
            Part::Main => self.shader.body = statements,
            Part::Subroutine(label, _) => {
                self.shader.subroutines.insert(label, statements);
            }
            Part::Nothing => {
                return Err(self.cursor.error(Cause::Misplaced, span, "there is nothing to return from", ""));
            }
        }
        self.nesting.part = Part::Nothing;
        Ok(())
    }

    /// The end of the text ends the program; a subroutine needs its `ret`.
    pub(super) fn end_of_text(&mut self) {
        for at in 0..self.nesting.open.len() {
            let span = self.nesting.open[at].span;
            let help = "`if` ends with `endif`, `rep` with `endrep`, `loop` with `endloop`";
            self.cursor.error(Cause::Nesting, span, "this is not ended", help);
        }
        match self.nesting.part {
            Part::Main => self.shader.body = std::mem::take(&mut self.nesting.statements),
            Part::Subroutine(label, span) => {
                let statements = std::mem::take(&mut self.nesting.statements);
                self.shader.subroutines.insert(label, statements);
                self.cursor.error(Cause::Nesting, span, "this subroutine has no end", "it ends with `ret`");
            }
            Part::Nothing => {}
        }
    }
}
