//! Texts of pixel shaders at random, from the table of instructions.

use super::evaluate::FIRST_ROUNDED;
use ctm_cases::{Result, Unstructured};
use ctm_compile::front::ps::table::{Op, OperandKind, Row, TABLE};
use ctm_compile::front::ps::version::Version;

/// Inputs v0 to v3 are texture coordinates, s0 and s1 are declared.
const INPUTS: u16 = 4;
const SAMPLERS: u16 = 2;
const TEMPORARIES: u16 = 14;
const LETTERS: &[u8; 4] = b"xyzw";

/// Instructions whose results are exact, or rounded once in the same way everywhere, if their operands are.
const EXACT: [Op; 15] = [
    Op::Abs,
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::Mad,
    Op::Mov,
    Op::Max,
    Op::Min,
    Op::Cmp,
    Op::Frc,
    Op::TexLd,
    Op::TexLdB,
    Op::TexLdL,
    Op::TexLdD,
    Op::SetP,
];

struct Generator<'a, 'b> {
    u: &'a mut Unstructured<'b>,
    text: String,
    /// Levels of statements, loops and counting loops that are open.
    depth: usize,
    loops: usize,
    counting: usize,
    left: usize,
    in_subroutine: bool,
}

pub fn program(u: &mut Unstructured<'_>) -> Result<String> {
    let left = u.int_in_range(1..=30)?;
    let mut g = Generator { u, text: String::new(), depth: 0, loops: 0, counting: 0, left, in_subroutine: false };
    g.head()?;
    g.statements()?;
    for output in 0..4 {
        let register = g.u.int_in_range(0..=TEMPORARIES - 1)?;
        g.line(&format!("mov oC{output}, r{register}"));
    }
    if g.u.ratio(1, 4)? {
        g.line("mov oDepth, r9.y");
    }
    g.line("ret");
    g.in_subroutine = true;
    for label in 0..2 {
        g.line(&format!("label l{label}"));
        g.left = g.u.int_in_range(0..=4)?;
        while g.left > 0 {
            g.instruction()?;
        }
        g.line("ret");
    }
    Ok(g.text)
}

impl Generator<'_, '_> {
    fn line(&mut self, line: &str) {
        self.text += line;
        self.text.push('\n');
    }

    fn head(&mut self) -> Result<()> {
        self.line("ps_3_0 // generated");
        self.line("def c0, 0.5, -1, 2, 0.25");
        self.line("defi i0, 3, 0, 1, 0\ndefi i1, 2, 1, -1, 0\ndefb b0, true");
        for input in 0..INPUTS {
            self.line(&format!("dcl_texcoord{} v{input}", input * 2 % 7));
        }
        self.line("dcl vPos.xy\ndcl vFace");
        for sampler in 0..SAMPLERS {
            self.line(&format!("dcl_2d s{sampler}"));
        }
        for register in 0..TEMPORARIES {
            let (kind, number) = *self.u.choose(&[('c', 0), ('c', 5), ('v', 1), ('v', 3)])?;
            self.line(&format!("mov r{register}, {kind}{number}"));
        }
        self.line("setp_gt p0, r0, c0");
        // Derivatives stand where all lanes of a quad are.
        for op in ["dsx", "dsy"] {
            if self.u.ratio(1, 3)? {
                let source = self.source(false, false)?;
                self.line(&format!("{op} r12, {source}"));
            }
        }
        Ok(())
    }

    fn statements(&mut self) -> Result<()> {
        while self.left > 0 {
            match self.u.int_in_range(0..=11)? {
                0 | 1 if self.depth < 4 => self.choice()?,
                2 if self.depth < 4 && self.loops < 3 => self.repeat()?,
                3 => {
                    let label = self.u.int_in_range(0..=1)?;
                    let condition = self.condition()?;
                    let call = if self.u.arbitrary()? {
                        format!("call l{label}")
                    } else {
                        format!("callnz l{label}, {condition}")
                    };
                    self.line(&call);
                    self.left = self.left.saturating_sub(1);
                }
                4 if self.loops > 0 && self.u.ratio(1, 2)? => {
                    let line = match self.u.int_in_range(0..=5)? {
                        0 => "break".to_owned(),
                        1 | 2 => format!("breakp {}", self.predicate(true)?),
                        _ => self.comparison("break")?,
                    };
                    self.line(&line);
                    self.left = self.left.saturating_sub(1);
                }
                5 if self.depth > 0 && self.u.ratio(1, 3)? => return Ok(()),
                _ => self.instruction()?,
            }
        }
        Ok(())
    }

    fn choice(&mut self) -> Result<()> {
        let head = if self.u.arbitrary()? { self.comparison("if")? } else { format!("if {}", self.condition()?) };
        self.line(&head);
        self.depth += 1;
        self.statements()?;
        if self.u.arbitrary()? {
            self.line("else");
            self.statements()?;
        }
        self.depth -= 1;
        self.line("endif");
        Ok(())
    }

    fn repeat(&mut self) -> Result<()> {
        let counts: bool = self.u.arbitrary()?;
        let constant = if counts { self.u.int_in_range(0..=1)? } else { self.u.int_in_range(0..=3)? };
        self.line(&if counts { format!("loop aL, i{constant}") } else { format!("rep i{constant}") });
        self.depth += 1;
        self.loops += 1;
        self.counting += usize::from(counts);
        self.statements()?;
        self.depth -= 1;
        self.loops -= 1;
        self.counting -= usize::from(counts);
        self.line(if counts { "endloop" } else { "endrep" });
        Ok(())
    }

    fn comparison(&mut self, name: &str) -> Result<String> {
        let test = *self.u.choose(&["gt", "lt", "ge", "le", "eq", "ne"])?;
        let (a, b) = (self.source(true, true)?, self.source(true, true)?);
        Ok(format!("{name}_{test} {a}, {b}"))
    }

    fn condition(&mut self) -> Result<String> {
        if self.u.arbitrary()? {
            return self.predicate(true);
        }
        let invert = if self.u.arbitrary()? { "!" } else { "" };
        Ok(format!("{invert}b{}", self.u.int_in_range(0..=3)?))
    }

    fn predicate(&mut self, one: bool) -> Result<String> {
        let invert = if self.u.arbitrary()? { "!" } else { "" };
        let swizzle = if one || self.u.arbitrary()? { format!(".{}", self.letter()?) } else { String::new() };
        Ok(format!("{invert}p0{swizzle}"))
    }

    fn letter(&mut self) -> Result<char> {
        Ok(char::from(*self.u.choose(LETTERS)?))
    }

    /// A register of numbers, with a swizzle: of one letter if the place wants one channel.
    fn source(&mut self, exact: bool, one: bool) -> Result<String> {
        let negate = if self.u.ratio(1, 4)? { "-" } else { "" };
        let most = if exact { FIRST_ROUNDED } else { TEMPORARIES };
        let relative = self.counting > 0 && !self.in_subroutine && self.u.ratio(1, 4)?;
        let register = match self.u.int_in_range(0..=9)? {
            _ if relative => format!("v[aL+{}]", self.u.int_in_range(0..=1)?),
            0 => format!("v{}", self.u.int_in_range(0..=INPUTS - 1)?),
            1 | 2 => format!("c{}", self.u.int_in_range(0..=9)?),
            3 if !one => "vPos".to_owned(),
            4 => "vFace".to_owned(),
            _ => format!("r{}", self.u.int_in_range(0..=most - 1)?),
        };
        let absolute = if self.u.ratio(1, 8)? { "_abs" } else { "" };
        let swizzle = match register.as_str() {
            "vPos" => [".x", ".y", ".xy", ".yxyx"][self.u.int_in_range(0..=3)?].to_owned(),
            "vFace" => ".x".to_owned(),
            _ if one => format!(".{}", self.letter()?),
            _ if self.u.arbitrary()? => String::new(),
            _ => {
                let count = self.u.int_in_range(1..=4)?;
                let letters: Result<String> = (0..count).map(|_| self.letter()).collect();
                format!(".{}", letters?)
            }
        };
        let swizzle = if register == "vPos" && one { ".x".to_owned() } else { swizzle };
        Ok(format!("{negate}{register}{absolute}{swizzle}"))
    }

    /// A mask out of these channels, with a point in front, or nothing for all four.
    fn mask(&mut self, channels: u8) -> Result<String> {
        if channels == 0xF && self.u.arbitrary()? {
            return Ok(String::new());
        }
        let mut mask = String::from(".");
        for (channel, letter) in LETTERS.iter().enumerate() {
            if channels >> channel & 1 != 0 && self.u.arbitrary()? {
                mask.push(char::from(*letter));
            }
        }
        if mask == "." {
            mask.push('x');
        }
        Ok(mask)
    }

    fn instruction(&mut self) -> Result<()> {
        self.left = self.left.saturating_sub(1);
        let exact = self.u.ratio(2, 5)?;
        let usable = |row: &&Row| {
            let calculates = row
                .places
                .iter()
                .any(|place| matches!(place, OperandKind::Result | OperandKind::Predicate | OperandKind::Kill));
            let alone = matches!(row.op, Op::Dsx | Op::Dsy);
            let fits = if exact { EXACT.contains(&row.op) } else { row.op != Op::SetP };
            // What a quotient is rounded to decides which element is fetched.
            calculates && !alone && fits && row.op != Op::TexLdP && row.versions.contains(Version::Ps30)
        };
        let rows: Vec<&Row> = TABLE.iter().filter(usable).collect();
        let row = *self.u.choose(&rows)?;
        if row.op == Op::TexKill && !self.u.ratio(1, 4)? {
            return Ok(());
        }
        let fetches = row.places.contains(&OperandKind::Sampler);
        let mut operands = Vec::new();
        for place in row.places {
            let operand = match place {
                OperandKind::Result => {
                    let channels = match row.op {
                        Op::SinCos => 0b0011,
                        Op::M3x2 => 0b0011,
                        Op::Crs | Op::M3x3 | Op::M4x3 => 0b0111,
                        _ => 0xF,
                    };
                    // The last temporaries get what may not be written where it is read.
                    let separate = matches!(row.op, Op::Crs | Op::Nrm)
                        || row.places.iter().any(|place| matches!(place, OperandKind::Rows(_)));
                    let register = match (exact, separate) {
                        (true, _) => self.u.int_in_range(0..=FIRST_ROUNDED - 1)?,
                        (false, true) => 20 + self.u.int_in_range(0..=3)?,
                        (false, false) => self.u.int_in_range(FIRST_ROUNDED..=TEMPORARIES - 1)?,
                    };
                    format!("r{register}{}", self.mask(channels)?)
                }
                OperandKind::Predicate => format!("p0{}", self.mask(0xF)?),
                OperandKind::Vector => self.source(exact || fetches, false)?,
                OperandKind::Scalar => self.source(exact, true)?,
                OperandKind::Rows(_) => format!("c{}", self.u.int_in_range(0..=12)?),
                OperandKind::Sampler => format!("s{}", self.u.int_in_range(0..=SAMPLERS - 1)?),
                OperandKind::Kill => format!("r{}", self.u.int_in_range(0..=FIRST_ROUNDED - 1)?),
                OperandKind::Condition
                | OperandKind::PredicateChannel
                | OperandKind::Passes
                | OperandKind::Counter
                | OperandKind::Label => continue,
            };
            operands.push(operand);
        }
        let guard = if self.u.ratio(1, 6)? { format!("({}) ", self.predicate(false)?) } else { String::new() };
        let test = if row.compares {
            format!("_{}", self.u.choose(&["gt", "lt", "ge", "le", "eq", "ne"])?)
        } else {
            String::new()
        };
        let saturate = if row.places.contains(&OperandKind::Result) && self.u.ratio(1, 6)? { "_sat" } else { "" };
        let precise = if self.u.ratio(1, 8)? { "_pp" } else { "" };
        self.line(&format!("{guard}{}{test}{saturate}{precise} {}", row.name, operands.join(", ")));
        // Results of instructions that may not write what they read go on into the others.
        if let Some(register) =
            operands.first().filter(|operand| operand.starts_with("r2") && operand.len() >= 3 && &operand[1..3] >= "20")
        {
            let to = self.u.int_in_range(FIRST_ROUNDED..=TEMPORARIES - 1)?;
            let (name, mask) = register
                .split_once('.')
                .map_or((register.as_str(), String::new()), |(name, mask)| (name, format!(".{mask}")));
            let line = format!("mov r{to}{mask}, {name}");
            self.line(&line);
        }
        Ok(())
    }
}
