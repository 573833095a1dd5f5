//! What outputs hold, and what their names promise.

use crate::Failure;
use crate::report::Message;
use std::path::Path;

/// What a file holds that a command writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputKind {
    /// An array or a picture.
    Array,
    /// A drawing.
    Svg,
    /// A mesh.
    Obj,
    /// A record of a device.
    Trace,
    /// A record of a card.
    CardTrace,
    /// Assembly of programs or command buffers.
    Assembly,
    /// A program or command buffer in words.
    Program,
    /// Text of other kinds.
    Text,
}

/// Endings of names that promise a form.
const ENDINGS: [(&str, OutputKind); 15] = [
    ("npy", OutputKind::Array),
    ("f32", OutputKind::Array),
    ("png", OutputKind::Array),
    ("svg", OutputKind::Svg),
    ("obj", OutputKind::Obj),
    ("ctmtrace", OutputKind::Trace),
    ("ctmcard", OutputKind::CardTrace),
    ("x1k", OutputKind::Assembly),
    ("r700", OutputKind::Assembly),
    ("sm50", OutputKind::Assembly),
    ("ctmcb", OutputKind::Assembly),
    ("elf", OutputKind::Program),
    ("u32", OutputKind::Program),
    ("sph", OutputKind::Program),
    ("bin", OutputKind::Program),
];

impl OutputKind {
    fn about(self) -> &'static str {
        match self {
            OutputKind::Array => "an array or a picture",
            OutputKind::Svg => "a drawing (SVG)",
            OutputKind::Obj => "a mesh (Wavefront OBJ)",
            OutputKind::Trace => "a trace",
            OutputKind::CardTrace => "a trace of a card",
            OutputKind::Assembly => "assembly",
            OutputKind::Program => "a program in words",
            OutputKind::Text => "text",
        }
    }

    /// Refuses a name whose ending promises something else.
    ///
    /// # Errors
    /// What it promises.
    pub fn require(self, path: &Path) -> Result<(), Failure> {
        let ending = path.extension().unwrap_or_default();
        let promised = ENDINGS.iter().find(|(known, _)| ending.eq_ignore_ascii_case(known)).map(|&(_, form)| form);
        let Some(promised) = promised.filter(|&promised| promised != self) else { return Ok(()) };
        let message =
            format!("'{}' is the name of {}, but this output is {}", path.display(), promised.about(), self.about());
        let endings = ENDINGS.iter().filter(|(_, form)| *form == self).map(|(ending, _)| format!(".{ending}"));
        let endings = endings.collect::<Vec<_>>().join(", ");
        let help = if endings.is_empty() {
            "use another ending, such as .txt".into()
        } else {
            format!("such names end in {endings}")
        };
        Err(Failure::Usage(Message::error(message).help(help)))
    }
}
