//! Submissions of command words.

use super::abi::{Chunk, CommandStream, Relocation};
use crate::device::Device;
use crate::ioctl::abi::{self, Answer, Errno};
use crate::x11::imports;

/// Chunks of one submission; drivers make three.
const CHUNKS: u32 = 16;
/// Dwords of the commands of one submission.
const COMMANDS: usize = 16 << 10;
/// Objects of one submission.
const RELOCATIONS: usize = 64 << 10;
/// Dwords of a relocation.
const RELOCATION_DWORDS: usize = size_of::<Relocation>() / 4;

/// Flag: the submission uses virtual addresses, which cards here have not.
const USE_VM: u32 = 2;
/// The ring of drawing commands.
const RING_GFX: u32 = 0;

/// What the chunks of a submission hold.
#[derive(Default)]
struct Content {
    words: Option<Vec<u32>>,
    relocations: Option<Vec<Relocation>>,
}

/// Executes a submission. It is complete when this returns.
pub fn submit(device: &Device, client: u64, request: &mut CommandStream) -> Answer {
    let content = read(request)?;
    let (words, relocations) = (content.words.ok_or(Errno(libc::EINVAL))?, content.relocations.unwrap_or_default());
    let handles = relocations.iter().map(|relocation| relocation.handle);
    let objects = device.objects().keep(client, handles).ok_or(Errno(libc::ENOENT))?;
    let lasting = device.objects().lasting(&objects);
    lasting.into_iter().for_each(|object| device.memory.collapse(object));
    if imports::is_needed() {
        let written = relocations.iter().zip(&objects).filter(|(relocation, _)| relocation.write_domain != 0);
        written.for_each(|(_, object)| imports::note_drawn(object.address));
    }
    let executed = device.submit(&words, &objects);
    device.objects().release(&objects, &device.memory);
    if executed { Ok(()) } else { Err(Errno(libc::EINVAL)) }
}

/// Copies what the client submits, in bounds.
fn read(request: &CommandStream) -> Result<Content, Errno> {
    let invalid = Errno(libc::EINVAL);
    if request.chunks > CHUNKS {
        return Err(invalid);
    }
    let mut content = Content::default();
    for pointer in abi::read::<u64>(request.chunk_pointers, request.chunks as usize)? {
        let chunk = abi::read::<Chunk>(pointer, 1)?[0];
        let dwords = chunk.dwords as usize;
        match chunk.id {
            1 => {
                let count = dwords / RELOCATION_DWORDS;
                if !dwords.is_multiple_of(RELOCATION_DWORDS) || count > RELOCATIONS || content.relocations.is_some() {
                    return Err(invalid);
                }
                content.relocations = Some(abi::read(chunk.data, count)?);
            }
            2 => {
                if dwords > COMMANDS || content.words.is_some() {
                    return Err(invalid);
                }
                content.words = Some(abi::read(chunk.data, dwords)?);
            }
            3 => {
                let flags = abi::read::<u32>(chunk.data, dwords.min(2))?;
                let ring = flags.get(1).copied().unwrap_or(RING_GFX);
                if flags.first().is_some_and(|flags| flags & USE_VM != 0) || ring != RING_GFX {
                    return Err(invalid);
                }
            }
            _ => return Err(invalid),
        }
    }
    Ok(content)
}
