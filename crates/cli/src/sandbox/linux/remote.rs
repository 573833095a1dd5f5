//! The host as the child has it: everything comes from the supervisor.

use super::protocol::{Answer, LONGEST_PIECE, Request, receive_answer, split_named_text};
use crate::host::{AccessError, Host, Output};
use ctm_text::SourceFile;
use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The supervisor's side of things.
pub struct Remote {
    channel: Rc<RefCell<File>>,
    /// Files that were created.
    outputs: Cell<u32>,
    /// Bytes of memory of the machine.
    memory: Option<u64>,
}

impl Remote {
    /// A host at the other end of this socket, on a machine with so many bytes of memory.
    pub fn new(channel: File, memory: Option<u64>) -> Self {
        Remote { channel: Rc::new(RefCell::new(channel)), outputs: Cell::new(0), memory }
    }
}

fn ask(channel: &RefCell<File>, request: &Request) -> Answer {
    let channel = &mut *channel.borrow_mut();
    request.send(channel)?;
    receive_answer(channel)
}

/// What the system says of a request that no limit applies to.
fn done(answer: Answer) -> io::Result<()> {
    match answer {
        Ok(_) => Ok(()),
        Err(AccessError::System(error)) => Err(error),
        Err(error) => Err(io::Error::other(error)),
    }
}

impl Host for Remote {
    fn read(&self, path: &Path, limit: u64) -> Result<Vec<u8>, AccessError> {
        ask(&self.channel, &Request::Read(path.into(), limit))
    }

    fn read_standard_input(&self, limit: u64) -> Result<Vec<u8>, AccessError> {
        ask(&self.channel, &Request::ReadStandardInput(limit))
    }

    fn include(&self, including: &Path, wanted: &str) -> Result<SourceFile, String> {
        let answer = ask(&self.channel, &Request::Include(including.into(), wanted.into()));
        let (name, text) = answer
            .map_err(|error| match error {
                // The supervisor's own words.
                AccessError::System(error) => error.to_string(),
                error => error.to_string(),
            })
            .and_then(|bytes| split_named_text(bytes).ok_or_else(|| "the supervisor gives no text".to_string()))?;
        Ok(SourceFile { name, text })
    }

    /// No command that runs in a sandbox looks into folders.
    fn folder(&self, _: &Path) -> io::Result<Option<Vec<PathBuf>>> {
        Ok(None)
    }

    fn exists(&self, path: &Path) -> bool {
        ask(&self.channel, &Request::Exists(path.into())).is_ok_and(|answer| !answer.is_empty())
    }

    fn create(&self, path: &Path) -> Result<Box<dyn Output>, AccessError> {
        ask(&self.channel, &Request::Create(path.into()))?;
        let number = self.outputs.get();
        self.outputs.set(number + 1);
        Ok(Box::new(RemoteOutput { channel: Rc::clone(&self.channel), number, is_open: true }))
    }

    fn memory(&self) -> Option<u64> {
        self.memory
    }

    /// The supervisor ends the child when the user interrupts it.
    fn interrupt(&self) -> Arc<AtomicBool> {
        Arc::default()
    }
}

/// A file that the supervisor writes.
struct RemoteOutput {
    channel: Rc<RefCell<File>>,
    number: u32,
    is_open: bool,
}

impl Output for RemoteOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        bytes
            .chunks(LONGEST_PIECE)
            .try_for_each(|piece| done(ask(&self.channel, &Request::Write(self.number, piece.into()))))
    }

    fn finish(&mut self) -> io::Result<()> {
        done(ask(&self.channel, &Request::Finish(self.number)))
    }

    fn commit(mut self: Box<Self>) -> io::Result<()> {
        self.is_open = false;
        done(ask(&self.channel, &Request::Commit(self.number)))
    }
}

impl Drop for RemoteOutput {
    fn drop(&mut self) {
        if self.is_open {
            let _ = ask(&self.channel, &Request::Discard(self.number));
        }
    }
}
