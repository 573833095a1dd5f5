//! `--heat`: a picture of how many instructions lanes executed.

use crate::Failure;
use crate::host::Host;
use crate::outputs::{OutputKind, Sink};
use crate::report::Message;
use ctm_array::{Array, Data, FileKind, Shape, WriteOptions, heat_map};
use std::path::{Path, PathBuf};

/// The file that receives the picture.
pub struct Heat {
    path: PathBuf,
    kind: FileKind,
    sink: Sink,
}

impl Heat {
    /// Makes sure that the file can be written.
    pub fn open(host: &dyn Host, path: &Path) -> Result<Self, Failure> {
        let kind = FileKind::of(path).map_err(|error| Failure::Usage(Message::error(error.to_string())))?;
        Ok(Heat { path: path.into(), kind, sink: Sink::open(host, path, OutputKind::Array)? })
    }

    /// Writes the counts of lanes: as numbers, or as a picture from black (none) through red and yellow to white (most).
    pub fn paint(mut self, lanes: &[u64], shape: Shape) -> Result<Sink, Failure> {
        let array = match self.kind {
            FileKind::Png | FileKind::Apng => {
                Array { shape: Shape { channels: 3, ..shape }, data: Data::U8(heat_map(lanes)) }
            }
            FileKind::Npy | FileKind::Raw => {
                let counts = lanes.iter().map(|&lane| (lane as f32).to_bits()).collect();
                Array { shape, data: Data::F32(counts) }
            }
        };
        let bytes = ctm_array::encode(self.kind, &array, &WriteOptions::default());
        let bytes =
            bytes.map_err(|error| Message::error(format!("cannot write '{}': {error}", self.path.display())))?;
        self.sink.write(&bytes)?;
        Ok(self.sink)
    }
}
