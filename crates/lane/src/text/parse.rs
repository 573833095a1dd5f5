//! Parsing: a first walk finds blocks and definitions, so that instructions may use values that are defined further down.

use crate::attribute::{Attribute, IntTest};
use crate::cursor::{Cursor, ParseCause, ParseError, number, split_operands};
use crate::entity::{Block, Type, Value};
use crate::function::{ArrayDecl, BranchTarget, Function, SurfaceDecl, TableDecl, Terminator};
use crate::op::Op;
use std::collections::HashMap;
use std::str::FromStr;

impl FromStr for Function {
    type Err = ParseError;

    /// Reads the text form. The result is well-formed, but not verified.
    fn from_str(text: &str) -> Result<Self, ParseError> {
        let mut parser = Parser::default();
        let lines = || {
            let stripped = text.lines().map(|line| line.split(';').next().unwrap_or("").trim());
            (1..).zip(stripped).filter(|(_, line)| !line.is_empty())
        };
        for (number, line) in lines() {
            parser.declare(line).map_err(|cause| ParseError { line: number, cause })?;
        }
        for (number, line) in lines() {
            parser.line(line).map_err(|cause| ParseError { line: number, cause })?;
        }
        let last = text.lines().count();
        parser.end_block().map_err(|cause| ParseError { line: last, cause })?;
        Ok(parser.function)
    }
}

#[derive(Default)]
struct Parser<'a> {
    function: Function,
    /// Values by name. The first walk numbers them; the second makes them in the same order.
    values: HashMap<&'a str, Value>,
    /// Number of blocks that the first walk saw.
    blocks: usize,
    here: Option<Block>,
}

type Parsed<T = ()> = Result<T, ParseCause>;

/// The results and the rest of a line.
fn split_results(line: &str) -> (&str, &str) {
    line.split_once('=').map_or(("", line), |(results, rest)| (results.trim(), rest.trim()))
}

/// A block's head: its name and its parameters' text.
fn split_head(head: &str) -> Parsed<(&str, &str)> {
    match head.split_once('(') {
        None => Ok((head.trim(), "")),
        Some((name, params)) => {
            let params = params.strip_suffix(')').ok_or(ParseCause::Expected("`)`"))?;
            Ok((name.trim(), params))
        }
    }
}

/// A parameter: its name and type.
fn split_param(param: &str) -> Parsed<(&str, Type)> {
    let (name, ty) = param.split_once(':').ok_or(ParseCause::Expected("a type: `%0: lane`"))?;
    let ty = Type::parse(ty.trim()).ok_or(ParseCause::Expected("`lane`, `mask` or `uniform`"))?;
    Ok((name.trim(), ty))
}

fn in_order(name: &str, expected: String) -> Parsed {
    if name == expected { Ok(()) } else { Err(ParseCause::OutOfOrder(expected)) }
}

impl<'a> Parser<'a> {
    /// First walk: numbers the values that a line defines.
    fn declare(&mut self, line: &'a str) -> Parsed {
        if let Some(head) = line.strip_suffix(':') {
            self.blocks += 1;
            for param in split_operands(split_head(head)?.1) {
                self.define(split_param(param)?.0)?;
            }
            return Ok(());
        }
        let (results, _) = split_results(line);
        split_operands(results).into_iter().try_for_each(|name| self.define(name))
    }

    fn define(&mut self, name: &'a str) -> Parsed {
        if name.len() < 2 || !name.starts_with(Value::PREFIX) {
            return Err(ParseCause::Expected("a value, as in `%0`"));
        }
        let value = Value::new(self.values.len());
        match self.values.insert(name, value) {
            None => Ok(()),
            Some(_) => Err(ParseCause::RedefinedValue(name.to_owned())),
        }
    }

    fn value(&self, name: &str) -> Parsed<Value> {
        if !name.starts_with(Value::PREFIX) {
            return Err(ParseCause::Expected("a value, as in `%0`"));
        }
        self.values.get(name).copied().ok_or_else(|| ParseCause::UndefinedValue(name.to_owned()))
    }

    fn target(&self, text: &str) -> Parsed<BranchTarget> {
        let (name, args) = split_head(text)?;
        let number = name.strip_prefix(Block::PREFIX).and_then(|number| number.parse::<usize>().ok());
        match number {
            Some(number) if number < self.blocks => {
                let args = split_operands(args).into_iter().map(|arg| self.value(arg)).collect::<Parsed<_>>()?;
                Ok(BranchTarget { block: Block::new(number), args })
            }
            Some(_) => Err(ParseCause::UndefinedBlock(name.to_owned())),
            None => Err(ParseCause::Expected("a block, as in `b0`")),
        }
    }

    /// Second walk.
    fn line(&mut self, line: &'a str) -> Parsed {
        if let Some(head) = line.strip_suffix(':') {
            return self.block(head);
        }
        let (results, rest) = split_results(line);
        let (word, operands) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        if self.here.is_none() && self.function.blocks.is_empty() {
            return self.declaration(word, operands);
        }
        let here = self.here.ok_or(ParseCause::OutsideBlock)?;
        let (name, suffixes) = word.split_once('.').unwrap_or((word, ""));
        let mut cursor = Cursor::new(suffixes, operands);
        if let Some(terminator) = self.terminator(name, &mut cursor)? {
            if !results.is_empty() {
                return Err(ParseCause::Results { has: 0, written: split_operands(results).len() });
            }
            cursor.end()?;
            self.function.blocks[here.index()].terminator = Some(terminator);
            self.here = None;
            return Ok(());
        }
        let op = Op::parse(name, &mut cursor).ok_or_else(|| ParseCause::UnknownOperation(name.to_owned()))??;
        let args = op.info().operands.iter().map(|_| self.value(cursor.operand()?)).collect::<Parsed<Vec<_>>>()?;
        cursor.end()?;
        let (has, written) = (op.info().results.len(), split_operands(results).len());
        if has != written {
            return Err(ParseCause::Results { has, written });
        }
        let inst = self.function.make_inst(op, &args);
        self.function.blocks[here.index()].insts.push(inst);
        Ok(())
    }

    fn end_block(&mut self) -> Parsed {
        if self.here.is_some() || self.function.blocks.is_empty() {
            return Err(ParseCause::Unterminated);
        }
        Ok(())
    }

    fn block(&mut self, head: &str) -> Parsed {
        if self.here.is_some() {
            return Err(ParseCause::Unterminated);
        }
        let (name, params) = split_head(head)?;
        let block = self.function.add_block();
        in_order(name, block.to_string())?;
        for param in split_operands(params) {
            self.function.add_param(block, split_param(param)?.1);
        }
        self.here = Some(block);
        Ok(())
    }

    fn declaration(&mut self, word: &str, rest: &str) -> Parsed {
        let mut words = rest.split_whitespace();
        let mut next = |what| words.next().ok_or(ParseCause::Expected(what));
        let count = |text: &str| number(text)?.try_into().map_err(|_| ParseCause::NumberRange);
        let declared = [self.function.surfaces.len(), self.function.tables.len(), self.function.arrays.len()];
        if declared.contains(&usize::from(u16::MAX)) {
            return Err(ParseCause::NumberRange);
        }
        match word {
            "surface" => {
                in_order(next("a surface")?, format!("s{}", self.function.surfaces.len()))?;
                let mut decl = SurfaceDecl::default();
                for word in words.by_ref() {
                    match word {
                        "unit" => decl.unit = true,
                        "whole" => decl.whole = true,
                        _ => return Err(ParseCause::Expected("`unit` or `whole`")),
                    }
                }
                self.function.add_surface(decl);
            }
            "table" => {
                in_order(next("a table")?, format!("t{}", self.function.tables.len()))?;
                let entries = count(next("a number of entries")?)?;
                let finite = match words.next() {
                    None => false,
                    Some("finite") => true,
                    Some(_) => return Err(ParseCause::Expected("`finite`")),
                };
                self.function.add_table(TableDecl { entries, finite });
            }
            "array" => {
                in_order(next("an array")?, format!("a{}", self.function.arrays.len()))?;
                let entries = count(next("a number of entries")?)?;
                let ty = Type::parse(next("a type")?).ok_or(ParseCause::Expected("`lane`, `mask` or `uniform`"))?;
                self.function.add_array(ArrayDecl { entries, ty });
            }
            "buffers" => {
                let number = count(next("a number of buffers")?)?;
                self.function.buffers = number.try_into().map_err(|_| ParseCause::NumberRange)?;
            }
            _ => return Err(ParseCause::Expected("`surface`, `table`, `array`, `buffers` or a block, as in `b0:`")),
        }
        words.next().map_or(Ok(()), |word| Err(ParseCause::Surplus(word.to_owned())))
    }

    fn terminator(&self, name: &str, cursor: &mut Cursor<'_>) -> Parsed<Option<Terminator>> {
        Ok(Some(match name {
            "jump" => Terminator::Jump(self.target(cursor.operand()?)?),
            "if" => Terminator::If {
                test: IntTest::parse(cursor)?,
                a: self.value(cursor.operand()?)?,
                b: self.value(cursor.operand()?)?,
                then: self.target(cursor.operand()?)?,
                otherwise: self.target(cursor.operand()?)?,
            },
            "any" => Terminator::Any {
                mask: self.value(cursor.operand()?)?,
                then: self.target(cursor.operand()?)?,
                otherwise: self.target(cursor.operand()?)?,
            },
            "return" => Terminator::Return,
            "trap" => Terminator::Trap {
                code: cursor.number()?.try_into().map_err(|_| ParseCause::NumberRange)?,
                pc: u32::parse(cursor)?,
                mask: self.value(cursor.operand()?)?,
            },
            _ => return Ok(None),
        }))
    }
}
