//! Statements.

use super::places::Place;
use super::{Breakable, Frame, LowerError, Lowering, Operand, Result, types};
use crate::ir::Passes;
use naga::{Block, Expression, Handle, Statement, SwitchCase, SwitchValue};

/// Whether a body returns from anywhere but its end.
pub(super) fn returns_early(body: &Block) -> bool {
    let count = body.len();
    body.iter().enumerate().any(|(i, statement)| match statement {
        Statement::Return { .. } => i + 1 != count,
        Statement::Block(block) if i + 1 == count => returns_early(block),
        _ => has(statement, &|statement| matches!(statement, Statement::Return { .. }), true),
    })
}

/// Whether a statement or one inside of it is wanted; `loops` says whether to look into loops.
fn has(statement: &Statement, wanted: &dyn Fn(&Statement) -> bool, loops: bool) -> bool {
    let any = |block: &Block| block.iter().any(|statement| has(statement, wanted, loops));
    wanted(statement)
        || match statement {
            Statement::Block(block) => any(block),
            Statement::If { accept, reject, .. } => any(accept) || any(reject),
            Statement::Switch { cases, .. } => cases.iter().any(|case| any(&case.body)),
            Statement::Loop { body, continuing, .. } => loops && (any(body) || any(continuing)),
            _ => false,
        }
}

/// Whether nobody gets after a block.
fn ends(block: &Block) -> bool {
    block.last().is_some_and(|last| match last {
        Statement::Return { .. } | Statement::Break | Statement::Continue => true,
        Statement::Block(block) => ends(block),
        Statement::If { accept, reject, .. } => ends(accept) && ends(reject),
        _ => false,
    })
}

/// How many statements a block has in all.
fn weight(block: &Block) -> usize {
    block.iter().map(|statement| 1 + inside(statement)).sum()
}

fn inside(statement: &Statement) -> usize {
    match statement {
        Statement::Block(block) => weight(block),
        Statement::If { accept, reject, .. } => weight(accept) + weight(reject),
        Statement::Switch { cases, .. } => cases.iter().map(|case| weight(&case.body)).sum(),
        Statement::Loop { body, continuing, .. } => weight(body) + weight(continuing),
        _ => 0,
    }
}

/// Statements of a `continuing` block that are repeated for each `continue` rather than reached by leaving the rest.
const REPEATED: usize = 6;

impl<'m> Lowering<'m> {
    pub(super) fn block(&mut self, frame: &mut Frame<'m>, block: &'m Block) -> Result<()> {
        let statements: Vec<_> = block.span_iter().collect();
        self.sequence(frame, &statements)
    }

    fn sequence(&mut self, frame: &mut Frame<'m>, statements: &[(&'m Statement, &'m naga::Span)]) -> Result<()> {
        for (i, (statement, span)) in statements.iter().enumerate() {
            self.check_size()?;
            self.at(**span);
            if let Statement::If { condition, accept, reject } = statement
                && (ends(accept) || ends(reject))
            {
                // The rest belongs to the side that goes on.
                return self.choice(frame, *condition, accept, reject, &statements[i + 1..]);
            }
            self.statement(frame, statement)?;
        }
        Ok(())
    }

    /// An `if` with what follows it, for whoever gets there.
    fn choice(
        &mut self,
        frame: &mut Frame<'m>,
        condition: Handle<Expression>,
        accept: &'m Block,
        reject: &'m Block,
        rest: &[(&'m Statement, &'m naga::Span)],
    ) -> Result<()> {
        let condition = self.values(frame, condition)?[0];
        if let Some(known) = self.builder.known(condition) {
            let taken = if known != 0 { accept } else { reject };
            self.block(frame, taken)?;
            return if ends(taken) { Ok(()) } else { self.sequence(frame, rest) };
        }
        let (accept_ends, reject_ends) = (ends(accept), ends(reject));
        self.builder.begin_if(condition);
        self.block(frame, accept)?;
        if !accept_ends && reject_ends {
            self.sequence(frame, rest)?;
        }
        self.builder.begin_else();
        self.block(frame, reject)?;
        if accept_ends && !reject_ends {
            self.sequence(frame, rest)?;
        }
        self.builder.end_if();
        if !accept_ends && !reject_ends {
            self.sequence(frame, rest)?;
        }
        Ok(())
    }

    fn statement(&mut self, frame: &mut Frame<'m>, statement: &'m Statement) -> Result<()> {
        match statement {
            Statement::Emit(range) => {
                for handle in range.clone() {
                    self.at(frame.function.expressions.get_span(handle));
                    self.check_size()?;
                    let operand = self.evaluate(frame, handle)?;
                    if let Operand::Values(values) = &operand {
                        self.name_expression(frame, handle, values);
                    }
                    frame.values.insert(handle, operand);
                }
                Ok(())
            }
            Statement::Block(block) => self.block(frame, block),
            Statement::If { condition, accept, reject } => self.conditional(frame, *condition, accept, reject),
            Statement::Switch { selector, cases } => self.switch(frame, *selector, cases),
            Statement::Loop { body, continuing, break_if } => self.repeat(frame, body, continuing, *break_if),
            Statement::Break => {
                match frame.breakable.last() {
                    Some(Breakable::Loop { .. }) => self.builder.break_loop(),
                    Some(Breakable::Switch(block)) => self.builder.leave(*block),
                    None => return Err(LowerError::Malformed("a break outside of loops")),
                }
                Ok(())
            }
            Statement::Continue => self.proceed(frame),
            Statement::Return { value } => {
                if let Some(value) = value {
                    let values = self.values(frame, *value)?;
                    for (variable, &value) in frame.result.clone().into_iter().zip(values.iter()) {
                        self.builder.store(variable, value);
                    }
                }
                if let Some(exit) = frame.exit {
                    self.builder.leave(exit);
                }
                Ok(())
            }
            Statement::Kill => {
                let yes = self.builder.boolean(true);
                self.builder.kill_if(yes);
                Ok(())
            }
            Statement::Store { pointer, value } => {
                let values = self.values(frame, *value)?;
                match self.operand(frame, *pointer)? {
                    Operand::Place(place) => self.store(&place, &values),
                    _ => Err(LowerError::Malformed("a store to a value")),
                }
            }
            Statement::Call { function, arguments, result } => {
                let mut operands = Vec::new();
                for argument in arguments {
                    operands.push(self.operand(frame, *argument)?);
                }
                let copies =
                    if self.source.copies { self.copy_in(frame, arguments, &mut operands)? } else { Vec::new() };
                let callee = &self.module.functions[*function];
                let values = self.inline(callee, &self.source.info[*function], operands)?;
                for (place, copy) in copies {
                    self.copy_out(&place, &copy)?;
                }
                if let Some(result) = result {
                    self.name_expression(frame, *result, &values);
                    frame.values.insert(*result, values.into());
                }
                Ok(())
            }
            Statement::ControlBarrier(_) | Statement::MemoryBarrier(_) => Err(LowerError::Unsupported("barriers")),
            Statement::ImageStore { .. } => Err(LowerError::Unsupported("stores to images; write outputs")),
            Statement::Atomic { .. } | Statement::ImageAtomic { .. } => Err(LowerError::Unsupported("atomics")),
            Statement::WorkGroupUniformLoad { .. } => Err(LowerError::Unsupported("memory of work groups")),
            Statement::RayQuery { .. } | Statement::RayPipelineFunction(_) => {
                Err(LowerError::Unsupported("ray queries"))
            }
            Statement::SubgroupBallot { .. }
            | Statement::SubgroupGather { .. }
            | Statement::SubgroupCollectiveOperation { .. } => Err(LowerError::Unsupported("operations of subgroups")),
            Statement::CooperativeStore { .. } => Err(LowerError::Unsupported("cooperative matrices")),
        }
    }

    /// Variables of the call's own for arguments that it may write, with the places that they are copied back to.
    fn copy_in(
        &mut self,
        frame: &Frame<'m>,
        arguments: &[Handle<Expression>],
        operands: &mut [Operand],
    ) -> Result<Vec<(Place, Place)>> {
        let mut copies = Vec::new();
        for (&argument, operand) in arguments.iter().zip(operands) {
            let Operand::Place(place) = operand else { continue };
            let count = types::slots(self.module, &self.pointee(frame, argument)?)?;
            let values = self.load(place, count)?;
            let copy = self.variable(&values);
            copies.push((std::mem::replace(place, copy.clone()), copy));
        }
        Ok(copies)
    }

    /// Writes back what a call left in its own variable, if it wrote that.
    fn copy_out(&mut self, place: &Place, copy: &Place) -> Result<()> {
        if !copy.all().iter().any(|variable| self.written.contains(variable)) {
            return Ok(());
        }
        let values: Vec<_> = copy.all().iter().map(|&variable| self.builder.load(variable)).collect();
        self.store(place, &values)
    }

    fn conditional(
        &mut self,
        frame: &mut Frame<'m>,
        condition: Handle<Expression>,
        accept: &'m Block,
        reject: &'m Block,
    ) -> Result<()> {
        let condition = self.values(frame, condition)?[0];
        if let Some(known) = self.builder.known(condition) {
            return self.block(frame, if known != 0 { accept } else { reject });
        }
        let statements: Vec<_> = accept.iter().collect();
        if let ([Statement::Kill], true) = (statements.as_slice(), reject.is_empty()) {
            self.builder.kill_if(condition);
            return Ok(());
        }
        self.builder.begin_if(condition);
        self.block(frame, accept)?;
        self.builder.begin_else();
        self.block(frame, reject)?;
        self.builder.end_if();
        Ok(())
    }

    fn repeat(
        &mut self,
        frame: &mut Frame<'m>,
        body: &'m Block,
        continuing: &'m Block,
        break_if: Option<Handle<Expression>>,
    ) -> Result<()> {
        let continues =
            body.iter().any(|statement| has(statement, &|statement| matches!(statement, Statement::Continue), false));
        self.builder.begin_loop(Passes::Endless);
        let skips = continues && weight(continuing) > REPEATED;
        let rest = skips.then(|| self.builder.begin_block());
        frame.breakable.push(Breakable::Loop { continuing, break_if, rest });
        self.block(frame, body)?;
        frame.breakable.pop();
        if skips {
            self.builder.end_block();
        }
        self.continuing(frame, continuing, break_if)?;
        self.builder.end_loop();
        Ok(())
    }

    fn continuing(
        &mut self,
        frame: &mut Frame<'m>,
        continuing: &'m Block,
        break_if: Option<Handle<Expression>>,
    ) -> Result<()> {
        self.block(frame, continuing)?;
        if let Some(condition) = break_if
            && !self.builder.is_dead()
        {
            let condition = self.values(frame, condition)?[0];
            self.builder.begin_if(condition);
            self.builder.break_loop();
            self.builder.end_if();
        }
        Ok(())
    }

    /// `continue`
    fn proceed(&mut self, frame: &mut Frame<'m>) -> Result<()> {
        let around = frame.breakable.iter().rev().find_map(|around| match around {
            Breakable::Loop { continuing, break_if, rest } => Some((*continuing, *break_if, *rest)),
            Breakable::Switch(_) => None,
        });
        match around {
            Some((_, _, Some(rest))) => self.builder.leave(rest),
            Some((continuing, break_if, None)) => {
                self.continuing(frame, continuing, break_if)?;
                self.builder.continue_loop();
            }
            None => return Err(LowerError::Malformed("a continue outside of loops")),
        }
        Ok(())
    }

    fn switch(&mut self, frame: &mut Frame<'m>, selector: Handle<Expression>, cases: &'m [SwitchCase]) -> Result<()> {
        let selector = self.values(frame, selector)?[0];
        let block = self.builder.begin_block();
        frame.breakable.push(Breakable::Switch(block));
        // Whether a case before this one was entered, and whether any case is meant at all.
        let mut meant = Vec::new();
        let mut any = self.builder.boolean(false);
        for case in cases {
            let this = match case.value {
                SwitchValue::Default => None,
                SwitchValue::I32(number) => Some(self.whole(i128::from(number))?),
                SwitchValue::U32(number) => Some(self.whole(i128::from(number))?),
            };
            let this = this.map(|number| self.builder.equal(selector, number));
            if let Some(this) = this {
                any = self.builder.or(any, this);
            }
            meant.push(this);
        }
        let none = self.builder.not(any);
        let mut falls = self.builder.boolean(false);
        let mut open = 0;
        for (case, meant) in cases.iter().zip(meant) {
            self.check_size()?;
            let this = meant.unwrap_or(none);
            falls = self.builder.or(falls, this);
            if case.fall_through && case.body.is_empty() {
                continue;
            }
            let entered = falls;
            if case.fall_through {
                // Who comes from here enters the next case too.
                self.builder.begin_if(entered);
                self.block(frame, &case.body)?;
                self.builder.end_if();
                continue;
            }
            falls = self.builder.boolean(false);
            self.builder.begin_if(entered);
            self.case_body(frame, &case.body)?;
            self.builder.begin_else();
            open += 1;
        }
        for _ in 0..open {
            self.builder.end_if();
        }
        frame.breakable.pop();
        self.builder.end_block();
        Ok(())
    }

    /// The body of a case whose `break` at the end goes where it would go anyway.
    fn case_body(&mut self, frame: &mut Frame<'m>, body: &'m Block) -> Result<()> {
        let statements: Vec<_> = body.span_iter().collect();
        let count = statements.len();
        let kept = if matches!(statements.last(), Some((Statement::Break, _))) { count - 1 } else { count };
        self.sequence(frame, &statements[..kept])
    }
}
