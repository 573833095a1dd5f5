//! Constants from files and arrays into files, for drawing and running.

use crate::Failure;
use crate::files::read_dwords;
use crate::host::Host;
use crate::options::values::Numbered;
use crate::report::Message;
use ctm_array::FileKind;
use ctm_sm50::launch::Constants;
use std::path::{Path, PathBuf};

/// Number of constant banks.
pub const BANKS: usize = Constants::BANKS as usize;
/// Most dwords of a bank: 64 KiB.
pub const MAX_WORDS: usize = 1 << 14;

/// Reads the files of constant banks.
pub fn constants<'f>(
    host: &dyn Host,
    files: impl IntoIterator<Item = &'f Numbered<PathBuf, BANKS>>,
) -> Result<Constants, Failure> {
    let mut constants = Constants::default();
    for Numbered { number, value: path } in files {
        if constants.bank(*number).is_some() {
            return Err(Failure::Usage(Message::error(format!("constant bank {number} is given twice"))));
        }
        let words = read_dwords(host, path, None).map_err(Message::from)?;
        if words.len() > MAX_WORDS {
            let (file, words) = (path.display(), words.len());
            let message = format!("'{file}' has {words} dwords; a constant bank has at most {MAX_WORDS}");
            return Err(Message::error(message).into());
        }
        constants.set_bank(*number, words);
    }
    Ok(constants)
}

/// How dwords are to be written down in the file of this name.
pub fn array_kind(path: &Path) -> Result<FileKind, Failure> {
    match FileKind::of(path) {
        Ok(kind @ (FileKind::Npy | FileKind::Raw)) => Ok(kind),
        _ => {
            let message = format!("'{}' cannot hold an array of dwords", path.display());
            Err(Failure::Usage(Message::error(message).help("names end in .npy or .f32")))
        }
    }
}
