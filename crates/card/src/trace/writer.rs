//! Writes trace files.

use super::{FRAME, MAGIC, NAME, PAGE, RECORD, VERSION, ZEROS};
use crate::{Identity, Object, Submission};
use ctm_memory::Arena;
use std::collections::HashMap;
use std::io::{self, Write};

/// A page's bytes.
type Bytes = [u8; PAGE];

/// Writes a trace file. Each record is one write, so that a file whose writer was ended has all records before.
pub struct TraceWriter<W> {
    file: W,
    /// What executing the file up to here leaves in memory, but for pages of zeros.
    memory: HashMap<u32, Box<Bytes>>,
}

impl<W: Write> TraceWriter<W> {
    /// Begins a file of what is submitted to a card.
    pub fn new(mut file: W, card: &Identity) -> io::Result<Self> {
        let mut name = [0; NAME];
        for (byte, letter) in name.iter_mut().zip(card.name.bytes()) {
            *byte = letter;
        }
        let header = [&MAGIC[..], &VERSION.to_le_bytes(), &u32::from(card.device).to_le_bytes(), &name].concat();
        file.write_all(&header)?;
        Ok(TraceWriter { file, memory: HashMap::new() })
    }

    /// Writes a record of a submission that is about to be executed.
    pub fn record(&mut self, memory: &Arena, submission: &Submission) -> io::Result<()> {
        let mut pages = Vec::new();
        let mut count: u32 = 0;
        self.update(memory, submission.objects, |address, bytes| {
            count += 1;
            if bytes.iter().all(|&byte| byte == 0) {
                pages.extend_from_slice(&(address | ZEROS).to_le_bytes());
            } else {
                pages.extend_from_slice(&address.to_le_bytes());
                pages.extend_from_slice(bytes);
            }
        });
        let (words, objects) = (submission.words, submission.objects);
        let mut record = RECORD.to_vec();
        let objects_dwords = objects.iter().flat_map(|object| [object.address, object.size]);
        let counts = [words.len() as u32, objects.len() as u32, count];
        for dword in counts.into_iter().chain(words.iter().copied()).chain(objects_dwords) {
            record.extend_from_slice(&dword.to_le_bytes());
        }
        record.append(&mut pages);
        self.file.write_all(&record)
    }

    /// Marks that a frame was presented.
    pub fn frame(&mut self) -> io::Result<()> {
        self.file.write_all(&FRAME)
    }

    /// Notes what the submission that was recorded last has left in its objects.
    pub fn executed(&mut self, memory: &Arena, objects: &[Object]) {
        self.update(memory, objects, |_, _| {});
    }

    /// Takes over the pages of objects that are not as they were, and reports them.
    fn update(&mut self, memory: &Arena, objects: &[Object], mut changed: impl FnMut(u32, &Bytes)) {
        let mut bytes = [0; PAGE];
        for object in objects {
            let end = u64::from(object.address) + u64::from(object.size);
            let first = u64::from(object.address) / PAGE as u64 * PAGE as u64;
            for address in (first..end).step_by(PAGE).map(|address| address as u32) {
                if !memory.read_bytes(address, &mut bytes) {
                    continue;
                }
                let known = self.memory.get(&address).map_or(&[0; PAGE], |bytes| &**bytes);
                if *known != bytes {
                    self.memory.insert(address, Box::new(bytes));
                    changed(address, &bytes);
                }
            }
        }
    }
}
