//! `--heat`: a picture of how many instructions lanes executed.

use crate::Failure;
use crate::host::Host;
use crate::outputs::{OutputKind, Sink};
use crate::report::Message;
use ctm_array::{Array, Data, FileKind, Shape, WriteOptions};
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
                let most = lanes.iter().max().copied().unwrap_or_default().max(1) as f64;
                let colours = lanes.iter().flat_map(|&lane| colour(lane as f64 / most)).collect();
                Array { shape: Shape { channels: 3, ..shape }, data: Data::U8(colours) }
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

/// Red, green and blue of a part from 0 to 1.
fn colour(part: f64) -> [u8; 3] {
    [0.0, 1.0, 2.0].map(|before| ((3.0 * part - before).clamp(0.0, 1.0) * 255.0).round() as u8)
}
