//! Files that appear complete or not at all.

use super::OutputKind;
use crate::failure::cause;
use crate::host::{AccessError, Host, Output};
use crate::report::Message;
use crate::source::is_standard;
use crate::{Console, Failure};
use std::io;
use std::path::{Path, PathBuf};

/// A file to be written in one go. Until [`commit`](Sink::commit), what stands under its name stays untouched, and a
/// sink that is dropped before leaves nothing behind.
pub struct Sink {
    path: PathBuf,
    output: Box<dyn Output>,
}

impl Sink {
    /// Makes sure that `path` can be written, without changing what stands there.
    ///
    /// # Errors
    /// It cannot be written, is standard output, has a name that promises something else, or the command reads it, or writes
    /// it already.
    pub fn open(host: &dyn Host, path: &Path, form: OutputKind) -> Result<Self, Failure> {
        if is_standard(path) {
            let message = Message::error("this output cannot go to standard output ('-')");
            return Err(Failure::Usage(message.help("name a file; one that is called '-' is './-'")));
        }
        match host.create(path) {
            Ok(output) => {
                form.require(path)?;
                Ok(Sink { path: path.into(), output })
            }
            Err(AccessError::System(error)) => Err(unwritable(path, &error).into()),
            Err(error) => {
                let message = Message::error(format!("cannot write '{}': {error}", path.display()));
                Err(Failure::Usage(message.help("give each output a file of its own")))
            }
        }
    }

    /// Writes whole files, which appear together.
    ///
    /// # Errors
    /// As [`open`](Sink::open) and [`commit`](Sink::commit), or the system does not take the bytes.
    pub fn store<'f>(
        form: OutputKind,
        files: impl IntoIterator<Item = (&'f Path, &'f [u8])>,
        console: &Console,
    ) -> Result<(), Failure> {
        let open = |(path, bytes)| {
            let mut sink = Sink::open(console.host, path, form)?;
            sink.write(bytes)?;
            Ok(sink)
        };
        let sinks = files.into_iter().map(open).collect::<Result<Vec<_>, Failure>>()?;
        Sink::commit(sinks, console)
    }

    /// Writes all of the content, still out of sight.
    ///
    /// # Errors
    /// What the system says.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Message> {
        let written = self.output.write(bytes).and_then(|()| self.output.finish());
        written.map_err(|error| unwritable(&self.path, &error))
    }

    /// Gives the files their names.
    ///
    /// # Errors
    /// What the system says, or there was a warning, and warnings are errors.
    pub fn commit(sinks: impl IntoIterator<Item = Sink>, console: &Console) -> Result<(), Failure> {
        console.require_no_warnings()?;
        for Sink { path, output } in sinks {
            output.commit().map_err(|error| unwritable(&path, &error))?;
        }
        Ok(())
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Message {
    let message = Message::error(format!("cannot write '{}': {}", path.display(), cause(error)));
    match error.kind() {
        io::ErrorKind::NotFound => message.help("the folder must exist"),
        _ => message,
    }
}
