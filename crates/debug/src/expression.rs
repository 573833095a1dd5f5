//! Expressions over what a lane holds: `temp[0].r * 2 > c`.
//!
//! They are total: whatever is calculated has a value. Numbers are binary64 and registers are read as their [`ValueKind`] says, words as
//! integers; where [`as a float`](Expression) is wanted of a word, `float(r0)` reads its bits as binary32, and `bits(x)` gives the bits
//! of a register as an integer. Truth is 1 and 0.

use ctm_follow::{Cell, ValueKind};
use thiserror::Error;

/// Deepest nesting of an expression.
const DEPTH: usize = 64;

/// An expression that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// As it was written.
    pub text: String,
    root: Node,
}

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Number(f64),
    Cell(usize, ValueKind),
    Unary(Unary, Box<Node>),
    Binary(Binary, Box<Node>, Box<Node>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Unary {
    Minus,
    Not,
    Absolute,
    IsNan,
    SquareRoot,
    Floor,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Binary {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Plus,
    Minus,
    Times,
    Over,
    Remainder,
    Minimum,
    Maximum,
}

/// Why a text is not an expression.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ExpressionError {
    /// Something else belongs here.
    #[error("column {column}: unexpected {found}; expressions are like 'r0.x * 2 > 1'")]
    Unexpected {
        /// Column, from 1.
        column: usize,
        /// What is there.
        found: String,
    },
    /// There is no such register.
    #[error("column {column}: unknown register '{name}'; registers are {}", .some.join(", "))]
    Unknown {
        /// Column, from 1.
        column: usize,
        /// The name.
        name: String,
        /// Some names that it has.
        some: Vec<String>,
    },
    /// A function has another number of operands.
    #[error("column {column}: {name} takes {takes} operand(s)")]
    Operands {
        /// Column, from 1.
        column: usize,
        /// The function.
        name: String,
        /// How many it takes.
        takes: usize,
    },
    /// Parentheses nest too deep.
    #[error("the expression nests more than {DEPTH} deep: split it")]
    Depth,
}

/// How people write a cell: register and channel.
pub fn cell_name(cell: &Cell) -> String {
    let register = cell.register();
    cell.channel.map_or(register.clone(), |channel| format!("{register}.{channel}"))
}

/// The number of the cell with this name. Channels may also be written x, y, z and w.
pub fn find_cell(cells: &[Cell], name: &str) -> Option<usize> {
    let exact = cells.iter().position(|cell| cell_name(cell) == name);
    exact.or_else(|| {
        let (register, channel) = name.rsplit_once('.')?;
        let channel = ["x", "y", "z", "w"].iter().zip(['r', 'g', 'b', 'a']).find(|(from, _)| **from == channel)?.1;
        cells.iter().position(|cell| cell.channel == Some(channel) && cell.register() == register)
    })
}

/// The number that bits of a cell are.
pub fn number_of(kind: ValueKind, bits: u32) -> f64 {
    match kind {
        ValueKind::Float => f32::from_bits(bits).into(),
        ValueKind::Integer => bits.cast_signed().into(),
        ValueKind::Truth => f64::from(u8::from(bits != 0)),
        ValueKind::Word => bits.into(),
    }
}

impl Expression {
    /// Reads an expression over these cells.
    ///
    /// # Errors
    /// The text is none, or names what is not there.
    pub fn parse(text: &str, cells: &[Cell]) -> Result<Self, ExpressionError> {
        let mut parser = Parser { text, at: 0, cells, depth: 0 };
        let root = parser.binary(0)?;
        parser.space();
        if parser.at < text.len() {
            Err(parser.unexpected())
        } else {
            Ok(Expression { text: text.trim().into(), root })
        }
    }

    /// Its value, where `read` gives the bits of a cell.
    pub fn value(&self, read: &dyn Fn(usize) -> u32) -> f64 {
        self.root.value(read)
    }

    /// Whether it holds: it is neither 0 nor a NaN.
    pub fn holds(&self, read: &dyn Fn(usize) -> u32) -> bool {
        let value = self.value(read);
        value != 0.0 && !value.is_nan()
    }

    /// The cell that it is, if it is nothing else.
    pub fn cell(&self) -> Option<usize> {
        match self.root {
            Node::Cell(cell, _) => Some(cell),
            Node::Number(_) | Node::Unary(..) | Node::Binary(..) => None,
        }
    }
}

impl Node {
    fn value(&self, read: &dyn Fn(usize) -> u32) -> f64 {
        let truth = |holds: bool| f64::from(u8::from(holds));
        let holds = |value: f64| value != 0.0 && !value.is_nan();
        match self {
            Node::Number(number) => *number,
            Node::Cell(cell, kind) => number_of(*kind, read(*cell)),
            Node::Unary(op, operand) => {
                let value = operand.value(read);
                match op {
                    Unary::Minus => -value,
                    Unary::Not => truth(!holds(value)),
                    Unary::Absolute => value.abs(),
                    Unary::IsNan => truth(value.is_nan()),
                    Unary::SquareRoot => value.sqrt(),
                    Unary::Floor => value.floor(),
                }
            }
            Node::Binary(op, a, b) => {
                let (a, b) = (a.value(read), b.value(read));
                match op {
                    Binary::Or => truth(holds(a) || holds(b)),
                    Binary::And => truth(holds(a) && holds(b)),
                    Binary::Equal => truth(a == b),
                    Binary::Unequal => truth(a != b),
                    Binary::Less => truth(a < b),
                    Binary::AtMost => truth(a <= b),
                    Binary::Greater => truth(a > b),
                    Binary::AtLeast => truth(a >= b),
                    Binary::Plus => a + b,
                    Binary::Minus => a - b,
                    Binary::Times => a * b,
                    Binary::Over => a / b,
                    Binary::Remainder => a % b,
                    Binary::Minimum => a.min(b),
                    Binary::Maximum => a.max(b),
                }
            }
        }
    }
}

/// Operators by how strongly they bind; longer ones before those that they begin with.
const OPERATORS: [&[(&str, Binary)]; 5] = [
    &[("||", Binary::Or)],
    &[("&&", Binary::And)],
    &[
        ("==", Binary::Equal),
        ("!=", Binary::Unequal),
        ("<=", Binary::AtMost),
        (">=", Binary::AtLeast),
        ("<", Binary::Less),
        (">", Binary::Greater),
    ],
    &[("+", Binary::Plus), ("-", Binary::Minus)],
    &[("*", Binary::Times), ("/", Binary::Over), ("%", Binary::Remainder)],
];

struct Parser<'t> {
    text: &'t str,
    at: usize,
    cells: &'t [Cell],
    depth: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn takes(&mut self, symbol: &str) -> bool {
        self.space();
        let found = self.rest().starts_with(symbol);
        self.at += if found { symbol.len() } else { 0 };
        found
    }

    fn column(&self) -> usize {
        self.text[..self.at].chars().count() + 1
    }

    fn unexpected(&self) -> ExpressionError {
        let found = self.rest().chars().next().map_or("end".into(), |c| format!("'{c}'"));
        ExpressionError::Unexpected { column: self.column(), found }
    }

    fn binary(&mut self, level: usize) -> Result<Node, ExpressionError> {
        let Some(operators) = OPERATORS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        let mut operands = 0;
        while let Some((_, op)) = operators.iter().find(|(symbol, _)| self.takes(symbol)) {
            operands += 1;
            if operands > DEPTH {
                return Err(ExpressionError::Depth);
            }
            left = Node::Binary(*op, Box::new(left), Box::new(self.binary(level + 1)?));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Node, ExpressionError> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(ExpressionError::Depth);
        }
        let node = if self.takes("-") {
            Node::Unary(Unary::Minus, Box::new(self.unary()?))
        } else if self.takes("!") {
            Node::Unary(Unary::Not, Box::new(self.unary()?))
        } else if self.takes("(") {
            self.closed()?
        } else {
            self.operand()?
        };
        self.depth -= 1;
        Ok(node)
    }

    fn closed(&mut self) -> Result<Node, ExpressionError> {
        let node = self.binary(0)?;
        if self.takes(")") { Ok(node) } else { Err(self.unexpected()) }
    }

    fn operand(&mut self) -> Result<Node, ExpressionError> {
        self.space();
        if let Some(digits) = self.rest().strip_prefix("0x") {
            let length = digits.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digits.len());
            let number = u64::from_str_radix(&digits[..length], 16).map_err(|_| self.unexpected())?;
            self.at += 2 + length;
            return Ok(Node::Number(number as f64));
        }
        if self.rest().starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            let bytes = self.rest().as_bytes();
            let is_part = |n: usize| match bytes[n] {
                b'0'..=b'9' | b'.' | b'e' | b'E' => true,
                b'+' | b'-' => matches!(bytes[n - 1], b'e' | b'E'),
                _ => false,
            };
            let length = (0..bytes.len()).find(|&n| !is_part(n)).unwrap_or(bytes.len());
            let number = self.rest()[..length].parse().map_err(|_| self.unexpected())?;
            self.at += length;
            return Ok(Node::Number(number));
        }
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']' | ':');
        let length = self.rest().find(|c: char| !is_name(c)).unwrap_or(self.rest().len());
        if length == 0 {
            return Err(self.unexpected());
        }
        let name = self.rest()[..length].to_owned();
        let column = self.column();
        self.at += length;
        if self.takes("(") { self.call(name, column) } else { self.named(name, column) }
    }

    fn named(&self, name: String, column: usize) -> Result<Node, ExpressionError> {
        match name.as_str() {
            "nan" => return Ok(Node::Number(f64::NAN)),
            "inf" => return Ok(Node::Number(f64::INFINITY)),
            _ => {}
        }
        if let Some(cell) = find_cell(self.cells, &name) {
            return Ok(Node::Cell(cell, self.cells[cell].kind));
        }
        let some = self.cells.iter().take(4).map(cell_name).collect();
        Err(ExpressionError::Unknown { column, name, some })
    }

    fn call(&mut self, name: String, column: usize) -> Result<Node, ExpressionError> {
        let mut operands = vec![self.binary(0)?];
        while self.takes(",") {
            operands.push(self.binary(0)?);
        }
        if !self.takes(")") {
            return Err(self.unexpected());
        }
        let count = operands.len();
        let wrong = |takes| ExpressionError::Operands { column, name: name.clone(), takes };
        let mut operands = operands.into_iter();
        let (Some(first), second) = (operands.next(), operands.next()) else { return Err(wrong(1)) };
        let unary = match name.as_str() {
            "abs" => Some(Unary::Absolute),
            "isnan" => Some(Unary::IsNan),
            "sqrt" => Some(Unary::SquareRoot),
            "floor" => Some(Unary::Floor),
            _ => None,
        };
        let binary = match name.as_str() {
            "min" => Some(Binary::Minimum),
            "max" => Some(Binary::Maximum),
            _ => None,
        };
        let reads = match name.as_str() {
            "float" => Some(ValueKind::Float),
            "int" => Some(ValueKind::Integer),
            "bits" => Some(ValueKind::Word),
            _ => None,
        };
        match (unary, binary, reads, second) {
            (Some(op), _, _, None) => Ok(Node::Unary(op, Box::new(first))),
            (_, Some(op), _, Some(second)) if count == 2 => Ok(Node::Binary(op, Box::new(first), Box::new(second))),
            (_, _, Some(kind), None) => match first {
                Node::Cell(cell, _) => Ok(Node::Cell(cell, kind)),
                _ => Err(ExpressionError::Unexpected {
                    column,
                    found: format!("{name} of something that is not a register"),
                }),
            },
            (Some(_), ..) | (_, _, Some(_), _) => Err(wrong(1)),
            (_, Some(_), ..) => Err(wrong(2)),
            (None, None, None, _) => {
                let found =
                    format!("function '{name}' (there are abs, min, max, sqrt, floor, isnan, float, int, bits)");
                Err(ExpressionError::Unexpected { column, found })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells() -> Vec<Cell> {
        let of = |pattern, number, channel, kind| Cell { pattern, number, channel, kind, echoes: false };
        vec![
            of("temp[#]", 0, Some('r'), ValueKind::Float),
            of("temp[#]", 0, Some('g'), ValueKind::Float),
            of("R#", 1, None, ValueKind::Word),
            of("aL", 0, None, ValueKind::Integer),
        ]
    }

    fn value(text: &str) -> f64 {
        let bits = [1.5f32.to_bits(), f32::NAN.to_bits(), 0x4000_0000, u32::MAX];
        Expression::parse(text, &cells()).unwrap_or_else(|error| panic!("{text}: {error}")).value(&|cell| bits[cell])
    }

    #[test]
    fn operators_bind_as_usual() {
        for (text, expected) in [
            ("1 + 2 * 3", 7.0),
            ("(1 + 2) * 3", 9.0),
            ("8 - 4 - 2", 2.0),
            ("temp[0].r * 2 > 2.5e0 && !(aL >= 0)", 1.0),
            ("temp[0].x", 1.5),
            ("R1", 1_073_741_824.0),
            ("float(R1)", 2.0),
            ("bits(temp[0].r) == 0x3fc00000", 1.0),
            ("-aL", 1.0),
            ("max(1, min(5, 3)) % 2", 1.0),
            ("isnan(temp[0].g) || 1 / 0 < 0", 1.0),
            ("temp[0].g == temp[0].g", 0.0),
            ("1e-2 * 100", 1.0),
            ("1 != 2 == 1", 1.0),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
        assert!(value("temp[0].g + 1").is_nan());
    }

    #[test]
    fn errors_name_column_and_cause() {
        for (text, message) in [
            ("", "column 1: unexpected end"),
            ("1 +", "column 4: unexpected end"),
            ("1 2", "column 3: unexpected '2'"),
            ("temp[9].r", "column 1: unknown register 'temp[9].r'"),
            ("min(1)", "column 1: min takes 2"),
            ("abs(1, 2)", "column 1: abs takes 1"),
            ("sin(1)", "function 'sin'"),
            ("float(1)", "float of something that is not a register"),
            ("1..2", "column 1"),
            ("0x", "column 1"),
            ("(1", "column 3: unexpected end"),
            ("é", "unknown register 'é'"),
        ] {
            let error = Expression::parse(text, &cells()).unwrap_err().to_string();
            assert!(error.contains(message), "{text}: {error}");
        }
        for deep in ["(".repeat(10_000), "-".repeat(10_000), "1+".repeat(10_000) + "1"] {
            assert_eq!(Expression::parse(&deep, &cells()), Err(ExpressionError::Depth));
        }
    }
}
