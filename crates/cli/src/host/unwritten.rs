//! A host whose files are read, and none is written.

use super::{AccessError, Host, Output};
use ctm_text::SourceFile;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Another host, of which outputs change nothing.
pub struct Unwritten<'h>(pub &'h dyn Host);

impl Host for Unwritten<'_> {
    fn read(&self, path: &Path, limit: u64) -> Result<Vec<u8>, AccessError> {
        self.0.read(path, limit)
    }

    fn read_standard_input(&self, limit: u64) -> Result<Vec<u8>, AccessError> {
        self.0.read_standard_input(limit)
    }

    fn include(&self, including: &Path, wanted: &str) -> Result<SourceFile, String> {
        self.0.include(including, wanted)
    }

    fn folder(&self, path: &Path) -> io::Result<Option<Vec<PathBuf>>> {
        self.0.folder(path)
    }

    fn exists(&self, path: &Path) -> bool {
        self.0.exists(path)
    }

    fn create(&self, _: &Path) -> Result<Box<dyn Output>, AccessError> {
        Ok(Box::new(Nowhere))
    }

    fn memory(&self) -> Option<u64> {
        self.0.memory()
    }

    fn interrupt(&self) -> Arc<AtomicBool> {
        self.0.interrupt()
    }
}

/// An output that is not kept.
struct Nowhere;

impl Output for Nowhere {
    fn write(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn commit(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}
