//! A pixel shader as its text says it: declarations, constants, statements.

use super::table::Op;
use super::version::Version;
use ctm_text::Span;
use std::collections::BTreeMap;

/// A kind of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum File {
    /// `rN`
    Temporary,
    /// `vN`: colours before version 3.0, any input in 3.0.
    Input,
    /// `tN`: texture coordinates, before version 3.0.
    Texture,
    /// `cN`
    Constant,
    /// `iN`
    Integer,
    /// `bN`
    Boolean,
    /// `p0`
    Predicate,
    /// `sN`
    Sampler,
    /// `aL`
    Counter,
    /// `vPos`
    Position,
    /// `vFace`
    Face,
    /// `oCN`
    Colour,
    /// `oDepth`
    Depth,
    /// `lN`
    Label,
}

impl File {
    /// All of them.
    pub const ALL: [File; 14] = [
        File::Temporary,
        File::Input,
        File::Texture,
        File::Constant,
        File::Integer,
        File::Boolean,
        File::Predicate,
        File::Sampler,
        File::Counter,
        File::Position,
        File::Face,
        File::Colour,
        File::Depth,
        File::Label,
    ];

    /// How its registers are spelled, before their numbers.
    pub const fn letters(self) -> &'static str {
        match self {
            File::Temporary => "r",
            File::Input => "v",
            File::Texture => "t",
            File::Constant => "c",
            File::Integer => "i",
            File::Boolean => "b",
            File::Predicate => "p",
            File::Sampler => "s",
            File::Counter => "aL",
            File::Position => "vPos",
            File::Face => "vFace",
            File::Colour => "oC",
            File::Depth => "oDepth",
            File::Label => "l",
        }
    }

    /// Whether its registers have numbers.
    pub const fn is_numbered(self) -> bool {
        !matches!(self, File::Counter | File::Position | File::Face | File::Depth)
    }

    /// Whether its registers hold four numbers (or, of `vFace`, one) that instructions calculate with.
    pub const fn holds_numbers(self) -> bool {
        matches!(
            self,
            File::Temporary
                | File::Input
                | File::Texture
                | File::Constant
                | File::Position
                | File::Face
                | File::Counter
        )
    }
}

/// A register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Register {
    /// Its kind.
    pub file: File,
    /// Its number; 0 if the kind has no numbers.
    pub index: u16,
}

impl std::fmt::Display for Register {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.file.letters())?;
        if self.file.is_numbered() { write!(f, "{}", self.index) } else { Ok(()) }
    }
}

/// A register that gets a result.
#[derive(Clone, Copy, Debug)]
pub struct Dest {
    /// The register.
    pub register: Register,
    /// Bit k: channel k is written.
    pub mask: u8,
    /// Where it stands.
    pub span: Span,
}

impl Dest {
    /// The channels that are written.
    pub fn channels(&self) -> impl Iterator<Item = usize> + use<> {
        let mask = self.mask;
        (0..4).filter(move |channel| mask >> channel & 1 != 0)
    }
}

/// What an instruction reads.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// The register.
    pub register: Register,
    /// aL is added to its number.
    pub relative: bool,
    /// Per channel the channel that is read.
    pub swizzle: [u8; 4],
    /// A swizzle was written.
    pub has_swizzle: bool,
    /// `_abs`
    pub absolute: bool,
    /// `-`
    pub negate: bool,
    /// `!`, of booleans and predicates.
    pub invert: bool,
    /// Where it stands.
    pub span: Span,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `_gt`
    Greater,
    /// `_lt`
    Less,
    /// `_ge`
    GreaterEqual,
    /// `_le`
    LessEqual,
    /// `_eq`
    Equal,
    /// `_ne`
    NotEqual,
}

impl Comparison {
    /// All of them, with their spellings.
    pub const SPELLINGS: [(&str, Comparison); 6] = [
        ("gt", Comparison::Greater),
        ("lt", Comparison::Less),
        ("ge", Comparison::GreaterEqual),
        ("le", Comparison::LessEqual),
        ("eq", Comparison::Equal),
        ("ne", Comparison::NotEqual),
    ];
}

/// The channel of the predicate register that decides over an instruction: each channel's own, or one for all.
#[derive(Clone, Copy, Debug)]
pub struct Guard {
    /// Per channel the channel of the predicate register.
    pub swizzle: [u8; 4],
    /// The instruction runs where the predicate does not hold.
    pub invert: bool,
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// What it does.
    pub op: Op,
    /// Of instructions that compare.
    pub comparison: Option<Comparison>,
    /// `_sat`
    pub saturate: bool,
    /// What gets the result.
    pub dest: Option<Dest>,
    /// What it reads, in order; of `texkill` the register that it looks at.
    pub sources: Vec<Source>,
    /// The predicate that decides over it.
    pub guard: Option<Guard>,
    /// All of it.
    pub span: Span,
    /// Its line in the text, from 1.
    pub line: u32,
}

/// What decides over a statement.
#[derive(Clone, Debug)]
pub enum Condition {
    /// A boolean constant.
    Boolean {
        /// Its number.
        index: u16,
        /// It must not hold.
        invert: bool,
    },
    /// A channel of the predicate register.
    Predicate {
        /// The channel.
        channel: u8,
        /// It must not hold.
        invert: bool,
    },
    /// Two numbers.
    Compare(Comparison, Source, Source),
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Statement {
    /// An instruction that calculates, fetches or kills.
    Do(Instruction),
    /// `if`
    If {
        /// What decides.
        condition: Condition,
        /// What runs where it holds.
        then: Vec<Statement>,
        /// What runs elsewhere.
        otherwise: Vec<Statement>,
        /// Line of the text.
        line: u32,
    },
    /// `rep` or `loop`
    Repeat {
        /// The integer constant.
        passes: u16,
        /// It is `loop`, which counts in aL.
        counts: bool,
        /// What repeats.
        body: Vec<Statement>,
        /// Line of the text.
        line: u32,
    },
    /// `break`
    Break {
        /// Where; everywhere if there is none.
        condition: Option<Condition>,
        /// Line of the text.
        line: u32,
    },
    /// `call`
    Call {
        /// The label.
        label: u16,
        /// Where; everywhere if there is none.
        condition: Option<Condition>,
        /// Line of the text.
        line: u32,
    },
}

/// What a declared input means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Usage {
    /// Texture coordinates of this number.
    TexCoord(u8),
    /// A colour of this number.
    Colour(u8),
    /// Anything else that a vertex shader may give: its place in [`OTHER_USAGES`] and its number.
    Other(u8, u8),
    /// `vPos`: the pixel.
    Position,
    /// `vFace`: which face of a triangle is seen.
    Face,
}

/// What vertex shaders may give beside texture coordinates and colours.
pub const OTHER_USAGES: [&str; 12] = [
    "position",
    "blendweight",
    "blendindices",
    "normal",
    "psize",
    "tangent",
    "binormal",
    "tessfactor",
    "positiont",
    "fog",
    "depth",
    "sample",
];

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Usage::TexCoord(index) => write!(f, "texcoord{index}"),
            Usage::Colour(index) => write!(f, "color{index}"),
            Usage::Other(usage, index) => write!(f, "{}{index}", OTHER_USAGES[usize::from(usage)]),
            Usage::Position => f.write_str("vPos"),
            Usage::Face => f.write_str("vFace"),
        }
    }
}

/// A declared input.
#[derive(Clone, Copy, Debug)]
pub struct Input {
    /// The register.
    pub register: Register,
    /// What it means.
    pub usage: Usage,
    /// Channels that may be read.
    pub mask: u8,
    /// Where it is declared.
    pub span: Span,
}

/// What a sampler samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// `dcl_2d`
    Plane,
    /// `dcl_cube`
    Cube,
    /// `dcl_volume`
    Volume,
}

impl Dimension {
    /// How many coordinates a lookup has.
    pub const fn coordinates(self) -> usize {
        match self {
            Dimension::Plane => 2,
            Dimension::Cube | Dimension::Volume => 3,
        }
    }
}

/// A pixel shader.
#[derive(Clone, Debug)]
pub struct Shader {
    /// Its version.
    pub version: Version,
    /// Declared inputs, by register.
    pub inputs: BTreeMap<Register, Input>,
    /// Declared samplers.
    pub samplers: BTreeMap<u16, Dimension>,
    /// `def`: constants by number, as bits.
    pub floats: BTreeMap<u16, [u32; 4]>,
    /// `defi`
    pub integers: BTreeMap<u16, [i32; 4]>,
    /// `defb`
    pub booleans: BTreeMap<u16, bool>,
    /// What it does.
    pub body: Vec<Statement>,
    /// Its subroutines, by label.
    pub subroutines: BTreeMap<u16, Vec<Statement>>,
}
