//! What is left to read of one line, and what can be wrong with it.

/// Why a line is not part of a function.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseCause {
    /// Something else stands where this should.
    #[error("expected {0}")]
    Expected(&'static str),
    /// No operation has this name.
    #[error("unknown operation `{0}`")]
    UnknownOperation(String),
    /// The operation has no such suffix.
    #[error("unknown suffix `{0}` for this operation")]
    UnknownSuffix(String),
    /// Too many operands, or text after the end.
    #[error("unexpected `{0}`")]
    Surplus(String),
    /// The instruction names more or fewer results than the operation has.
    #[error("the operation has {has} results, not {written}")]
    Results {
        /// What the operation has.
        has: usize,
        /// What the line names.
        written: usize,
    },
    /// A number does not fit.
    #[error("the number is out of range")]
    NumberRange,
    /// A value has no definition.
    #[error("`{0}` is not defined")]
    UndefinedValue(String),
    /// A value has two definitions.
    #[error("`{0}` is defined twice")]
    RedefinedValue(String),
    /// A block does not exist.
    #[error("unknown block `{0}`")]
    UndefinedBlock(String),
    /// Blocks and declarations are numbered from 0 in order.
    #[error("expected `{0}` here: blocks and declarations are numbered in order")]
    OutOfOrder(String),
    /// An instruction before the first block, or after the block's end.
    #[error("an instruction belongs in a block that has not ended")]
    OutsideBlock,
    /// The block before this line has no end.
    #[error("the block before has no terminator")]
    Unterminated,
}

/// A line that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {cause}")]
pub struct ParseError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub cause: ParseCause,
}

/// The suffixes and operands of one instruction that are not read yet.
pub struct Cursor<'a> {
    suffixes: Vec<&'a str>,
    operands: Vec<&'a str>,
}

impl<'a> Cursor<'a> {
    /// Over `suffixes` separated by dots, and `operands` separated by commas outside parentheses.
    pub(crate) fn new(suffixes: &'a str, operands: &'a str) -> Self {
        let mut suffixes: Vec<_> = suffixes.split('.').filter(|word| !word.is_empty()).collect();
        let mut operands = split_operands(operands);
        suffixes.reverse();
        operands.reverse();
        Self { suffixes, operands }
    }

    /// The next suffix.
    pub fn peek_suffix(&self) -> Option<&'a str> {
        self.suffixes.last().copied()
    }

    /// Goes past the next suffix.
    pub fn take_suffix(&mut self) {
        self.suffixes.pop();
    }

    /// Reads the next operand.
    ///
    /// # Errors
    /// When there is none.
    pub fn operand(&mut self) -> Result<&'a str, ParseCause> {
        self.operands.pop().ok_or(ParseCause::Expected("one more operand"))
    }

    /// Reads the next operand as a decimal or hexadecimal number in -2^31..2^32.
    ///
    /// # Errors
    /// When there is none, or it is not such a number.
    pub fn number(&mut self) -> Result<i64, ParseCause> {
        number(self.operand()?)
    }

    /// # Errors
    /// When something is left.
    pub(crate) fn end(&self) -> Result<(), ParseCause> {
        if let Some(suffix) = self.peek_suffix() {
            return Err(ParseCause::UnknownSuffix(suffix.to_owned()));
        }
        self.operands.last().map_or(Ok(()), |operand| Err(ParseCause::Surplus((*operand).to_owned())))
    }
}

/// A decimal or hexadecimal number in -2^31..2^32.
pub(crate) fn number(text: &str) -> Result<i64, ParseCause> {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok().map(i64::from),
        None => text.parse::<i64>().ok(),
    };
    match parsed {
        Some(number) if (i64::from(i32::MIN)..=i64::from(u32::MAX)).contains(&number) => Ok(number),
        Some(_) => Err(ParseCause::NumberRange),
        None => Err(ParseCause::Expected("a number")),
    }
}

/// Splits at commas that are not inside parentheses.
pub(crate) fn split_operands(text: &str) -> Vec<&str> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    let mut depth = 0i32;
    let outside = |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    };
    text.split(outside).map(str::trim).collect()
}
