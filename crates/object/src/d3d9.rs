//! Code of Direct3D 9 pixel shaders, as `fxc /Fo` and Direct3D's assembler write it: tokens of 32 bits, turned into the text
//! that stands for them, one line for each instruction.
//!
//! Sources: "Direct3D Shader Codes" of the driver kit's documentation, and the enumerations of `d3d9types.h`, for the numbers.
//! Names and registers are those of the "Asm Shader Reference".

use ctm_text::spell_float;
use std::fmt::Write;
use thiserror::Error;

/// Why bytes are not pixel shader that has a text. Offsets are in dwords from the start.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CodeError {
    /// The last dword is cut off.
    #[error("{0} bytes are not whole dwords")]
    PartialDword(usize),
    /// No version token, or one of another kind of shader.
    #[error("the file does not begin with the version of a pixel shader")]
    NoVersion,
    /// A version that has another encoding.
    #[error("pixel shaders of version {major}.{minor} are not supported: compile for ps_2_0, ps_2_a, ps_2_b or ps_3_0")]
    Version {
        /// Its first number.
        major: u8,
        /// Its second number.
        minor: u8,
    },
    /// The code ends inside an instruction, or without its end.
    #[error("dword {0}: the code ends here, but not with its end token; is the file cut off?")]
    CutOff(usize),
    /// An instruction that pixel shaders lack.
    #[error("dword {offset}: opcode {opcode} is not an instruction of pixel shaders")]
    Opcode {
        /// Where.
        offset: usize,
        /// The opcode.
        opcode: u16,
    },
    /// A register that pixel shaders lack.
    #[error("dword {offset}: register type {kind} is not one of pixel shaders")]
    Register {
        /// Where.
        offset: usize,
        /// The type.
        kind: u32,
    },
    /// A modifier that the version lacks.
    #[error("dword {offset}: {what} {code} has no meaning in this version")]
    Modifier {
        /// Where.
        offset: usize,
        /// What it is.
        what: &'static str,
        /// Its code.
        code: u32,
    },
    /// An instruction has another number of operands.
    #[error("dword {offset}: `{name}` has {found} dwords of operands, expected {expected}")]
    Operands {
        /// Where.
        offset: usize,
        /// The instruction.
        name: &'static str,
        /// Dwords that there are.
        found: usize,
        /// What should be there.
        expected: &'static str,
    },
}

/// The upper half of the version token of pixel shaders.
const PIXEL: u32 = 0xFFFF;
const END: u32 = 0x0000_FFFF;
const COMMENT: u32 = 0xFFFE;

/// Whether bytes begin with the version token of a pixel shader.
pub fn begins_pixel_shader(bytes: &[u8]) -> bool {
    bytes.len() >= 8 && matches!(bytes, [0..=4 | 0xFF, 1..=3, 0xFF, 0xFF, ..])
}

/// Operands of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// A result, then sources.
    Result,
    /// Sources alone.
    Sources,
    /// One register, written like a result.
    Kill,
    /// Four floats, or whole numbers, or a flag, of a constant.
    Define,
    /// A declaration.
    Declare,
}

/// Instructions by opcode (`D3DSHADER_INSTRUCTION_OPCODE_TYPE`).
const INSTRUCTIONS: [(u16, &str, Shape); 61] = [
    (0, "nop", Shape::Sources),
    (1, "mov", Shape::Result),
    (2, "add", Shape::Result),
    (3, "sub", Shape::Result),
    (4, "mad", Shape::Result),
    (5, "mul", Shape::Result),
    (6, "rcp", Shape::Result),
    (7, "rsq", Shape::Result),
    (8, "dp3", Shape::Result),
    (9, "dp4", Shape::Result),
    (10, "min", Shape::Result),
    (11, "max", Shape::Result),
    (14, "exp", Shape::Result),
    (15, "log", Shape::Result),
    (18, "lrp", Shape::Result),
    (19, "frc", Shape::Result),
    (20, "m4x4", Shape::Result),
    (21, "m4x3", Shape::Result),
    (22, "m3x4", Shape::Result),
    (23, "m3x3", Shape::Result),
    (24, "m3x2", Shape::Result),
    (25, "call", Shape::Sources),
    (26, "callnz", Shape::Sources),
    (27, "loop", Shape::Sources),
    (28, "ret", Shape::Sources),
    (29, "endloop", Shape::Sources),
    (30, "label", Shape::Sources),
    (31, "dcl", Shape::Declare),
    (32, "pow", Shape::Result),
    (33, "crs", Shape::Result),
    (35, "abs", Shape::Result),
    (36, "nrm", Shape::Result),
    (37, "sincos", Shape::Result),
    (38, "rep", Shape::Sources),
    (39, "endrep", Shape::Sources),
    (40, "if", Shape::Sources),
    (41, "if", Shape::Sources),
    (42, "else", Shape::Sources),
    (43, "endif", Shape::Sources),
    (44, "break", Shape::Sources),
    (45, "break", Shape::Sources),
    (47, "defb", Shape::Define),
    (48, "defi", Shape::Define),
    (65, "texkill", Shape::Kill),
    (66, "texld", Shape::Result),
    (81, "def", Shape::Define),
    (88, "cmp", Shape::Result),
    (90, "dp2add", Shape::Result),
    (91, "dsx", Shape::Result),
    (92, "dsy", Shape::Result),
    (93, "texldd", Shape::Result),
    (94, "setp", Shape::Result),
    (95, "texldl", Shape::Result),
    (96, "breakp", Shape::Sources),
    // Those of vertex shaders and version 1, whose names say what is wrong.
    (12, "slt", Shape::Result),
    (13, "sge", Shape::Result),
    (16, "lit", Shape::Result),
    (17, "dst", Shape::Result),
    (34, "sgn", Shape::Result),
    (46, "mova", Shape::Result),
    (80, "cnd", Shape::Result),
];

const CHANNELS: [char; 4] = ['x', 'y', 'z', 'w'];
const COMPARISONS: [&str; 7] = ["", "_gt", "_eq", "_ge", "_lt", "_ne", "_le"];
const USAGES: [&str; 14] = [
    "position",
    "blendweight",
    "blendindices",
    "normal",
    "psize",
    "texcoord",
    "tangent",
    "binormal",
    "tessfactor",
    "positiont",
    "color",
    "fog",
    "depth",
    "sample",
];

const fn bits(token: u32, low: u32, count: u32) -> u32 {
    token >> low & ((1 << count) - 1)
}

/// Turns the code of a pixel shader, of version 2.0 or later, into its text.
///
/// # Errors
/// See [`CodeError`].
pub fn read(bytes: &[u8]) -> Result<String, CodeError> {
    let (dwords, []) = bytes.as_chunks::<4>() else { return Err(CodeError::PartialDword(bytes.len())) };
    let dwords: Vec<u32> = dwords.iter().map(|dword| u32::from_le_bytes(*dword)).collect();
    let version = *dwords.first().filter(|&&version| version >> 16 == PIXEL).ok_or(CodeError::NoVersion)?;
    let (major, minor) = ((version >> 8) as u8, version as u8);
    let name = match (major, minor) {
        (2, 0) => "ps_2_0",
        (2, 1) => "ps_2_x",
        (2, 0xFF) => "ps_2_sw",
        (3, 0) => "ps_3_0",
        (3, 0xFF) => "ps_3_sw",
        _ => return Err(CodeError::Version { major, minor }),
    };
    let mut text = format!("{name}\n");
    let mut at = 1;
    loop {
        let token = *dwords.get(at).ok_or(CodeError::CutOff(at))?;
        if token == END {
            return Ok(text);
        }
        let is_comment = token & 0xFFFF == COMMENT;
        let length = if is_comment { bits(token, 16, 15) } else { bits(token, 24, 4) } as usize;
        let operands = dwords.get(at + 1..at + 1 + length).ok_or(CodeError::CutOff(dwords.len()))?;
        if !is_comment {
            let instruction = Instruction { offset: at, token, operands, major };
            writeln!(text, "{}", instruction.spell()?).expect("writing to a string");
        }
        at += 1 + length;
    }
}

/// An instruction and the dwords that belong to it.
struct Instruction<'d> {
    offset: usize,
    token: u32,
    operands: &'d [u32],
    major: u8,
}

impl Instruction<'_> {
    fn spell(&self) -> Result<String, CodeError> {
        let opcode = self.token as u16;
        let known = INSTRUCTIONS.iter().find(|(code, ..)| *code == opcode);
        let &(_, name, shape) = known.ok_or(CodeError::Opcode { offset: self.offset, opcode })?;
        match shape {
            Shape::Define => self.define(name),
            Shape::Declare => self.declare(),
            Shape::Result | Shape::Sources | Shape::Kill => self.calculate(opcode, name, shape),
        }
    }

    fn wrong_operands(&self, name: &'static str, expected: &'static str) -> CodeError {
        CodeError::Operands { offset: self.offset, name, found: self.operands.len(), expected }
    }

    /// `def c0, 1.0, 0.0, 0.5, 2.0`
    fn define(&self, name: &'static str) -> Result<String, CodeError> {
        let Some((&register, values)) = self.operands.split_first() else {
            return Err(self.wrong_operands(name, "a register"));
        };
        let register = self.register(register, self.offset + 1)?;
        let values: Vec<String> = match (name, values) {
            ("def", values @ [_, _, _, _]) => values.iter().map(|&bits| spell_float(bits)).collect(),
            ("defi", values @ [_, _, _, _]) => values.iter().map(|&bits| (bits as i32).to_string()).collect(),
            ("defb", &[value]) => vec![(value != 0).to_string()],
            ("defb", _) => return Err(self.wrong_operands(name, "a register and a value")),
            _ => return Err(self.wrong_operands(name, "a register and four values")),
        };
        Ok(format!("{name} {register}, {}", values.join(", ")))
    }

    /// `dcl_texcoord0 v0.xy`, `dcl_2d s0`, `dcl t0.xy`
    fn declare(&self) -> Result<String, CodeError> {
        let &[usage, dest] = self.operands else {
            return Err(self.wrong_operands("dcl", "what it is for and a register"));
        };
        let (register, at) = (self.register(dest, self.offset + 2)?, self.offset + 1);
        let kind = register_type(dest);
        let modifiers = result_modifiers(dest, self.offset + 2)?.replace("_sat", "");
        let mask = mask(dest);
        if kind == SAMPLER {
            let dimension = match bits(usage, 27, 4) {
                2 => "2d",
                3 => "cube",
                4 => "volume",
                code => return Err(CodeError::Modifier { offset: at, what: "texture type", code }),
            };
            return Ok(format!("dcl_{dimension} {register}"));
        }
        if self.major < 3 || kind != INPUT {
            return Ok(format!("dcl{modifiers} {register}{mask}"));
        }
        let code = bits(usage, 0, 5);
        let name = USAGES.get(code as usize).ok_or(CodeError::Modifier { offset: at, what: "usage", code })?;
        let index = bits(usage, 16, 4);
        Ok(format!("dcl_{name}{index}{modifiers} {register}{mask}"))
    }

    fn calculate(&self, opcode: u16, name: &'static str, shape: Shape) -> Result<String, CodeError> {
        let control = bits(self.token, 16, 8);
        let suffix = match opcode {
            41 | 45 | 94 => *COMPARISONS
                .get(control as usize)
                .filter(|name| !name.is_empty())
                .ok_or(CodeError::Modifier { offset: self.offset, what: "comparison", code: control })?,
            66 => match control {
                0 => "",
                1 => "p",
                2 => "b",
                code => return Err(CodeError::Modifier { offset: self.offset, what: "kind of look-up", code }),
            },
            _ => "",
        };
        let mut at = 0;
        let mut operands = Vec::new();
        let mut modifiers = String::new();
        if shape != Shape::Sources {
            let &dest = self.operands.first().ok_or_else(|| self.wrong_operands(name, "a result"))?;
            at = 1;
            if bits(dest, 13, 1) != 0 {
                return Err(CodeError::Modifier { offset: self.offset + 1, what: "relative result", code: 1 });
            }
            modifiers = result_modifiers(dest, self.offset + 1)?;
            operands.push(format!("{}{}", self.register(dest, self.offset + 1)?, mask(dest)));
        }
        let mut guard = String::new();
        if bits(self.token, 28, 1) != 0 {
            let &token = self.operands.get(at).ok_or_else(|| self.wrong_operands(name, "a predicate"))?;
            guard = format!("({}) ", self.source(token, None, self.offset + 1 + at)?);
            at += 1;
        }
        while let Some(&token) = self.operands.get(at) {
            let offset = self.offset + 1 + at;
            at += 1;
            let index = if bits(token, 13, 1) != 0 {
                let &index = self.operands.get(at).ok_or_else(|| self.wrong_operands(name, "an index"))?;
                at += 1;
                Some(index)
            } else {
                None
            };
            operands.push(self.source(token, index, offset)?);
        }
        let blank = if operands.is_empty() { "" } else { " " };
        Ok(format!("{guard}{name}{suffix}{modifiers}{blank}{}", operands.join(", ")))
    }

    /// The register of an operand.
    fn register(&self, token: u32, offset: usize) -> Result<String, CodeError> {
        let (kind, number) = (register_type(token), bits(token, 0, 11));
        let letters = letters(kind, number).ok_or(CodeError::Register { offset, kind })?;
        Ok(if is_numbered(kind) { format!("{letters}{number}") } else { letters.to_owned() })
    }

    fn source(&self, token: u32, index: Option<u32>, offset: usize) -> Result<String, CodeError> {
        let kind = register_type(token);
        let (sign, after) = match bits(token, 24, 4) {
            0 => ("", ""),
            1 => ("-", ""),
            11 => ("", "_abs"),
            12 => ("-", "_abs"),
            13 => ("!", ""),
            code => return Err(CodeError::Modifier { offset, what: "modifier", code }),
        };
        let register = match index {
            None => self.register(token, offset)?,
            Some(index) if register_type(index) == LOOP => {
                let number = bits(token, 0, 11);
                let letters = letters(kind, number).ok_or(CodeError::Register { offset, kind })?;
                format!("{letters}[aL + {number}]")
            }
            Some(index) => return Err(CodeError::Register { offset: offset + 1, kind: register_type(index) }),
        };
        // Samplers, labels, counters and constants of flow control have no channels.
        let swizzle = match kind {
            SAMPLER | LABEL | LOOP | CONST_INT | CONST_BOOL => String::new(),
            _ => swizzle(bits(token, 16, 8)),
        };
        Ok(format!("{sign}{register}{after}{swizzle}"))
    }
}

const INPUT: u32 = 1;
const CONST_INT: u32 = 7;
const SAMPLER: u32 = 10;
const CONST_BOOL: u32 = 14;
const LOOP: u32 = 15;
const LABEL: u32 = 18;

/// `D3DSHADER_PARAM_REGISTER_TYPE`, which stands in two fields.
const fn register_type(token: u32) -> u32 {
    bits(token, 28, 3) | bits(token, 11, 2) << 3
}

/// How registers of a type are spelled, before their number.
fn letters(kind: u32, number: u32) -> Option<&'static str> {
    Some(match (kind, number) {
        (0, _) => "r",
        (INPUT, _) => "v",
        (2, _) => "c",
        (3, _) => "t",
        (CONST_INT, _) => "i",
        (8, _) => "oC",
        (9, 0) => "oDepth",
        (SAMPLER, _) => "s",
        (CONST_BOOL, _) => "b",
        (LOOP, 0) => "aL",
        (17, 0) => "vPos",
        (17, 1) => "vFace",
        (LABEL, _) => "l",
        (19, _) => "p",
        _ => return None,
    })
}

const fn is_numbered(kind: u32) -> bool {
    !matches!(kind, 9 | LOOP | 17)
}

/// `_sat`, `_pp`, `_centroid`: bits of a result. Shifts are of version 1.
fn result_modifiers(dest: u32, offset: usize) -> Result<String, CodeError> {
    let (modifiers, shift) = (bits(dest, 20, 4), bits(dest, 24, 4));
    if shift != 0 {
        return Err(CodeError::Modifier { offset, what: "shift", code: shift });
    }
    if modifiers > 7 {
        return Err(CodeError::Modifier { offset, what: "modifier", code: modifiers });
    }
    let names = [(1, "_sat"), (2, "_pp"), (4, "_centroid")];
    Ok(names.iter().filter(|(bit, _)| modifiers & bit != 0).map(|(_, name)| *name).collect())
}

fn mask(dest: u32) -> String {
    let mask = bits(dest, 16, 4);
    // All channels go without saying, and so do those of registers that have one.
    if matches!(mask, 0 | 0xF) || register_type(dest) == 9 {
        return String::new();
    }
    let written = CHANNELS.iter().enumerate().filter(|(channel, _)| mask >> channel & 1 != 0);
    std::iter::once('.').chain(written.map(|(_, letter)| *letter)).collect()
}

fn swizzle(swizzle: u32) -> String {
    let channels: Vec<usize> = (0..4).map(|place| bits(swizzle, 2 * place, 2) as usize).collect();
    if channels == [0, 1, 2, 3] {
        return String::new();
    }
    let kept = 4 - channels.iter().rev().skip(1).take_while(|&&channel| channel == channels[3]).count();
    std::iter::once('.').chain(channels[..kept].iter().map(|&channel| CHANNELS[channel])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(dwords: &[u32]) -> Vec<u8> {
        dwords.iter().flat_map(|dword| dword.to_le_bytes()).collect()
    }

    /// Words as the driver kit's documentation puts them together.
    #[test]
    fn text_of_tokens() {
        let tokens = [
            0xFFFF_0300, // ps_3_0
            0x0002_FFFE,
            0x4241_5443,
            0, // a comment of two dwords
            0x0500_0051,
            0xA00F_0000,
            0x3F80_0000,
            0xBF00_0000,
            0,
            0x7FC0_0001, // def c0
            0x0200_001F,
            0x8001_0005,
            0x9003_0000, // dcl_texcoord1 v0.xy
            0x0200_001F,
            0x9000_0000,
            0xA00F_0801, // dcl_2d s1
            0x0300_0042,
            0x800F_0000,
            0x90E4_0000,
            0xA0E4_0801, // texld r0, v0, s1
            0x0301_0042,
            0x800F_0001,
            0x90E4_0000,
            0xA0E4_0801, // texldp r1, v0, s1
            0x0204_0029,
            0x8000_0000,
            0x8155_0001, // if_lt r0.x, -r1.y
            0x0400_0004,
            0x8037_0802,
            0x8BE4_0000,
            0xA000_0000,
            0xA0AA_0000, // mad_sat_pp: oC2.xyz
            0x0000_002B, // endif
            0x0000_FFFF,
        ];
        assert_eq!(
            read(&code(&tokens)).unwrap(),
            "ps_3_0\ndef c0, 1.0, -0.5, 0.0, 0x7fc00001\ndcl_texcoord1 v0.xy\ndcl_2d s1\ntexld r0, v0, s1\n\
             texldp r1, v0, s1\nif_lt r0.x, -r1.y\nmad_sat_pp oC2.xyz, r0_abs, c0.x, c0.z\nendif\n"
        );
        assert!(begins_pixel_shader(&code(&tokens)));
    }

    #[test]
    fn predicates_and_indices() {
        let tokens = [
            0xFFFF_0300,
            0x0303_005E,
            0xB00F_1000,
            0x80E4_0000,
            0xA0E4_0000, // setp_ge p0, r0, c0
            0x1300_0001,
            0x800F_0000,
            0xBDFF_1000,
            0x80E4_0001, // (!p0.w) mov r0, r1
            0x0200_001B,
            0xF0E4_0800,
            0xF0E4_0000, // loop aL, i0
            0x0300_0001,
            0x800F_0000,
            0x90E4_2002,
            0xF0E4_0800, // mov r0, v[aL + 2]
            0x0000_001D, // endloop
            0x0100_0041,
            0x8007_0000, // texkill r0.xyz
            0x0000_FFFF,
        ];
        let text = read(&code(&tokens)).unwrap();
        assert_eq!(
            text,
            "ps_3_0\nsetp_ge p0, r0, c0\n(!p0.w) mov r0, r1\nloop aL, i0\nmov r0, v[aL + 2]\nendloop\ntexkill r0.xyz\n"
        );
    }

    #[test]
    fn what_is_wrong_is_told() {
        let error = |dwords: &[u32]| read(&code(dwords)).unwrap_err();
        assert_eq!(error(&[0xFFFF_0104, END]), CodeError::Version { major: 1, minor: 4 });
        assert_eq!(error(&[0xFFFE_0300, END]), CodeError::NoVersion);
        assert_eq!(error(&[0xFFFF_0300]), CodeError::CutOff(1));
        assert_eq!(error(&[0xFFFF_0300, 0x0F00_0001]), CodeError::CutOff(2));
        assert_eq!(error(&[0xFFFF_0300, 0x7FFF_FFFE]), CodeError::CutOff(2));
        assert_eq!(error(&[0xFFFF_0300, 99, END]), CodeError::Opcode { offset: 1, opcode: 99 });
        assert_eq!(error(&[0xFFFF_0300, 0x0200_0001, 0xC00F_0000, 0, END]), CodeError::Register { offset: 2, kind: 4 });
        assert_eq!(read(&[0; 3]), Err(CodeError::PartialDword(3)));
    }

    #[test]
    fn any_bytes_give_a_text_or_an_error() {
        ctm_cases::check(4000, |bytes| {
            let mut code = 0xFFFF_0300u32.to_le_bytes().to_vec();
            code.extend(bytes.arbitrary::<&[u8]>()?);
            code.truncate(code.len() & !3);
            _ = read(&code);
            Ok(())
        });
    }
}
