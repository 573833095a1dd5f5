//! What outputs hold, and what their names promise.

use crate::Failure;
use crate::report::Message;
use std::path::Path;

/// What a file holds that a command writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
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
const ENDINGS: [(&str, Form); 15] = [
    ("npy", Form::Array),
    ("f32", Form::Array),
    ("png", Form::Array),
    ("svg", Form::Svg),
    ("obj", Form::Obj),
    ("ctmtrace", Form::Trace),
    ("ctmcard", Form::CardTrace),
    ("x1k", Form::Assembly),
    ("r700", Form::Assembly),
    ("sm50", Form::Assembly),
    ("ctmcb", Form::Assembly),
    ("elf", Form::Program),
    ("u32", Form::Program),
    ("sph", Form::Program),
    ("bin", Form::Program),
];

impl Form {
    fn about(self) -> &'static str {
        match self {
            Form::Array => "an array or a picture",
            Form::Svg => "a drawing (SVG)",
            Form::Obj => "a mesh (Wavefront OBJ)",
            Form::Trace => "a trace",
            Form::CardTrace => "a trace of a card",
            Form::Assembly => "assembly",
            Form::Program => "a program in words",
            Form::Text => "text",
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
