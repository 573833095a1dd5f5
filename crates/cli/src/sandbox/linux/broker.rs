//! The supervisor's answers: files that the command line names, and those that texts may include.

use super::protocol::{Answer, Request, named_text};
use crate::execution::NamedFiles;
use crate::host::{AccessError, Host, Output};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// Most bytes of an output: what the address space of a guest holds, and the header of a file.
const LARGEST_OUTPUT: u64 = 5 << 30;

/// Answers requests, of which any may come from a child that was taken over.
pub struct Broker<'h> {
    host: &'h dyn Host,
    granted: NamedFiles,
    /// Texts that were included; they may include others.
    included: BTreeSet<PathBuf>,
    outputs: Vec<Option<Receiving>>,
}

/// A file that is being written.
struct Receiving {
    output: Box<dyn Output>,
    left: u64,
}

impl<'h> Broker<'h> {
    /// A broker that gives what is granted.
    pub fn new(host: &'h dyn Host, granted: NamedFiles) -> Self {
        Broker { host, granted, included: BTreeSet::new(), outputs: Vec::new() }
    }

    /// Does what a request asks for, if it is granted.
    pub fn answer(&mut self, request: Request) -> Answer {
        match request {
            Request::Read(path, limit) => {
                self.require(self.granted.reads.contains(&path), &path)?;
                self.host.read(&path, limit)
            }
            Request::ReadStandardInput(limit) => {
                self.require(self.granted.reads.contains(Path::new("-")), Path::new("-"))?;
                self.host.read_standard_input(limit)
            }
            Request::Include(including, wanted) => {
                let is_known = self.granted.reads.contains(&including) || self.included.contains(&including);
                self.require(is_known, &including)?;
                let source = self.host.include(&including, &wanted).map_err(io::Error::other)?;
                self.included.insert(source.name.as_str().into());
                Ok(named_text(&source.name, &source.text))
            }
            Request::Exists(path) => {
                let exists = self.granted.reads.contains(&path) && self.host.exists(&path);
                Ok(if exists { b"yes".to_vec() } else { Vec::new() })
            }
            Request::Create(path) => {
                self.require(self.granted.writes.contains(&path), &path)?;
                let output = self.host.create(&path)?;
                self.outputs.push(Some(Receiving { output, left: LARGEST_OUTPUT }));
                Ok(Vec::new())
            }
            Request::Write(file, bytes) => {
                let receiving = self.receiving(file)?;
                receiving.left = receiving.left.checked_sub(bytes.len() as u64).ok_or(AccessError::TooLarge)?;
                receiving.output.write(&bytes)?;
                Ok(Vec::new())
            }
            Request::Finish(file) => {
                self.receiving(file)?.output.finish()?;
                Ok(Vec::new())
            }
            Request::Commit(file) => {
                self.take(file)?.output.commit()?;
                Ok(Vec::new())
            }
            Request::Discard(file) => {
                self.take(file)?;
                Ok(Vec::new())
            }
        }
    }

    fn receiving(&mut self, file: u32) -> io::Result<&mut Receiving> {
        self.outputs.get_mut(file as usize).and_then(Option::as_mut).ok_or_else(no_file)
    }

    fn take(&mut self, file: u32) -> io::Result<Receiving> {
        self.outputs.get_mut(file as usize).and_then(Option::take).ok_or_else(no_file)
    }

    fn require(&self, is_granted: bool, path: &Path) -> io::Result<()> {
        if is_granted {
            return Ok(());
        }
        let message =
            format!("the sandbox allows only files that the command line names, and not '{}'", path.display());
        Err(io::Error::new(io::ErrorKind::PermissionDenied, message))
    }
}

fn no_file() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "no such file is being written")
}
