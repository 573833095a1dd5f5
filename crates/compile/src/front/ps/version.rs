//! The versions of pixel shaders, and the registers that each has.

use super::ast::File;

/// A version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// `ps_2_0`
    Ps20,
    /// `ps_2_x`, with what any of its capabilities adds; also `ps_2_a`, `ps_2_b` and `ps_2_sw`.
    Ps2x,
    /// `ps_3_0`, also `ps_3_sw`.
    Ps30,
}

/// A version and all later ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Versions(Version);

/// All versions.
pub const SINCE_2_0: Versions = Versions(Version::Ps20);
/// Version 2.x and 3.0.
pub const SINCE_2_X: Versions = Versions(Version::Ps2x);
/// Version 3.0.
pub const SINCE_3_0: Versions = Versions(Version::Ps30);

impl Versions {
    /// Whether `version` is one of them.
    pub fn contains(self, version: Version) -> bool {
        version >= self.0
    }

    /// The first of them.
    pub fn first(self) -> Version {
        self.0
    }
}

/// The spellings of versions, in the order of lines that begin a text.
pub const SPELLINGS: &[(&str, Version)] = &[
    ("ps_2_0", Version::Ps20),
    ("ps_2_x", Version::Ps2x),
    ("ps_2_a", Version::Ps2x),
    ("ps_2_b", Version::Ps2x),
    ("ps_2_sw", Version::Ps2x),
    ("ps_3_0", Version::Ps30),
    ("ps_3_sw", Version::Ps30),
];

impl Version {
    /// Its usual spelling.
    pub fn name(self) -> &'static str {
        match self {
            Version::Ps20 => "ps_2_0",
            Version::Ps2x => "ps_2_x",
            Version::Ps30 => "ps_3_0",
        }
    }

    /// How many registers of a file it has.
    pub fn registers(self, file: File) -> u16 {
        match (file, self) {
            (File::Input, Version::Ps30) => 10,
            (File::Input, Version::Ps20 | Version::Ps2x) => 2,
            (File::Texture, Version::Ps30) => 0,
            (File::Texture, Version::Ps20 | Version::Ps2x) => 8,
            (File::Temporary, Version::Ps20) => 12,
            (File::Temporary, Version::Ps2x | Version::Ps30) => 32,
            (File::Constant, Version::Ps30) => 224,
            (File::Constant, Version::Ps20 | Version::Ps2x) => 32,
            (File::Integer | File::Boolean, Version::Ps20) => 0,
            (File::Integer | File::Boolean, Version::Ps2x | Version::Ps30) => 16,
            (File::Predicate, Version::Ps20) => 0,
            (File::Predicate, Version::Ps2x | Version::Ps30) => 1,
            (File::Counter | File::Position | File::Face, Version::Ps20 | Version::Ps2x) => 0,
            (File::Counter | File::Position | File::Face, Version::Ps30) => 1,
            (File::Sampler, Version::Ps20 | Version::Ps2x | Version::Ps30) => 16,
            (File::Colour, Version::Ps20 | Version::Ps2x | Version::Ps30) => 4,
            (File::Depth, Version::Ps20 | Version::Ps2x | Version::Ps30) => 1,
            (File::Label, Version::Ps20) => 0,
            (File::Label, Version::Ps2x) => 16,
            (File::Label, Version::Ps30) => 2048,
        }
    }

    /// How deep calls nest.
    pub fn call_depth(self) -> usize {
        match self {
            Version::Ps20 => 0,
            Version::Ps2x | Version::Ps30 => 4,
        }
    }

    /// How deep loops nest.
    pub fn loop_depth(self) -> usize {
        match self {
            Version::Ps20 => 0,
            Version::Ps2x | Version::Ps30 => 4,
        }
    }

    /// How deep `if`s nest.
    pub fn branch_depth(self) -> usize {
        match self {
            Version::Ps20 => 0,
            Version::Ps2x | Version::Ps30 => 24,
        }
    }
}
