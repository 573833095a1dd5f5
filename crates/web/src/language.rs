//! The languages of the page.

use ctm_text::topic::Topic;
use serde::{Deserialize, Serialize};

/// What a text is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// Assembly of X1K.
    X1k,
    /// Assembly of R700.
    R700,
    /// Assembly of SM50: compute code, or the stages of a pipeline one after the other.
    Sm50,
    /// GLSL for fragments.
    Glsl,
    /// WGSL for fragments.
    Wgsl,
    /// Pixel shader text of Direct3D 9.
    Ps,
}

/// A language as a menu shows it.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Described {
    /// The language.
    pub id: Language,
    /// Its name for people.
    pub name: &'static str,
    /// What comments begin with.
    pub comment: &'static str,
    /// Whether it is compiled, and not assembled.
    pub compiled: bool,
}

impl Language {
    /// All of them, in the order of menus.
    pub const ALL: [Language; 6] =
        [Language::X1k, Language::R700, Language::Sm50, Language::Glsl, Language::Wgsl, Language::Ps];

    /// What is to be known of it.
    pub const fn described(self) -> Described {
        let (name, comment, compiled) = match self {
            Language::X1k => ("X1K assembly", "--", false),
            Language::R700 => ("R700 assembly", ";", false),
            Language::Sm50 => ("SM50 assembly", "//", false),
            Language::Glsl => ("GLSL", "//", true),
            Language::Wgsl => ("WGSL", "//", true),
            Language::Ps => ("Direct3D 9 pixel shader", "//", true),
        };
        Described { id: self, name, comment, compiled }
    }

    /// What its reference has pages about: the names of its own assembly, or of that which it is compiled to.
    pub fn topics(self) -> Vec<Topic> {
        match self {
            Language::X1k | Language::Glsl | Language::Wgsl | Language::Ps => ctm_x1k::topics::topics(),
            Language::R700 => ctm_r700::topics::topics(),
            Language::Sm50 => ctm_sm50::topics::topics(),
        }
    }

    /// The page about a finding, if it has one with this code.
    pub fn finding(self, code: &str) -> Option<&'static str> {
        let is = |id: &str| id.eq_ignore_ascii_case(code);
        match self {
            Language::X1k | Language::Glsl | Language::Wgsl | Language::Ps => {
                ctm_x1k::check::FindingCode::ALL.iter().find(|one| is(one.as_str())).map(|one| one.explain())
            }
            Language::R700 => {
                ctm_r700::check::FindingCode::ALL.iter().find(|one| is(one.as_str())).map(|one| one.explain())
            }
            Language::Sm50 => {
                ctm_sm50::check::FindingCode::ALL.iter().find(|one| is(one.as_str())).map(|one| one.explain())
            }
        }
    }
}
