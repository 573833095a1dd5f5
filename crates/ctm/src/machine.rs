//! The machines.

use ctm_object::probe::{Content, Language};
use ctm_object::sm50::{CODE_FILE, HEADER_FILE};
use std::fmt;
use std::path::Path;

/// A machine whose programs run here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Machine {
    /// ATI X1K (R5xx) fragment programs.
    X1k,
    /// ATI R700 and R600 shaders.
    R700,
    /// NVIDIA SM50 (Maxwell) compute code and shaders.
    Sm50,
    /// Vertex programs of ATI's R3xx to R5xx cards.
    Pvs,
}

impl Machine {
    /// All of them.
    pub const ALL: [Machine; 4] = [Machine::X1k, Machine::R700, Machine::Sm50, Machine::Pvs];

    /// Its name, which is also how names of its texts end, after the dot.
    pub const fn name(self) -> &'static str {
        match self {
            Machine::X1k => "x1k",
            Machine::R700 => "r700",
            Machine::Sm50 => "sm50",
            Machine::Pvs => "pvs",
        }
    }

    /// The machine of a file, as far as the ending of its name shows.
    pub(crate) fn of_name(path: &Path) -> Option<Machine> {
        let name = path.file_name()?.to_string_lossy();
        let sm50 = [HEADER_FILE, CODE_FILE, ".sph"];
        if sm50.iter().any(|ending| name.ends_with(ending)) {
            return Some(Machine::Sm50);
        }
        Language::of_name(path).and_then(Machine::of_language)
    }

    /// The machine that texts in this language are assembled for.
    pub(crate) const fn of_language(language: Language) -> Option<Machine> {
        match language {
            Language::X1k => Some(Machine::X1k),
            Language::R700 => Some(Machine::R700),
            Language::Sm50 => Some(Machine::Sm50),
            Language::Pvs => Some(Machine::Pvs),
            Language::Commands | Language::Glsl | Language::Wgsl | Language::PixelShader => None,
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name().to_uppercase())
    }
}

/// The language of a file: what its name says, unless other languages use its ending too; else what the text shows.
pub(crate) fn language_of(path: &Path, content: Content) -> Option<Language> {
    let named = Language::of_name(path);
    let shown = match content {
        Content::Source(language) => Some(language),
        _ => None,
    };
    if Language::shares_name(path) { shown.or(named) } else { named.or(shown) }
}
