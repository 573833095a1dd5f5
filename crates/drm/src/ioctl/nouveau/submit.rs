//! Submissions: lists of pieces of memory that hold commands.

use super::abi::{Listed, Push, Pushes};
use super::channel;
use super::info::SIZE;
use crate::device::Device;
use crate::ioctl::abi::{self, Answer, Errno};
use crate::process::existing;
use crate::x11::imports;
use ctm_card::Object;

/// Limits of the kernel's driver.
const MAX_BUFFERS: u32 = 1024;
const MAX_RELOCATIONS: u32 = 1024;
const MAX_PUSHES: u32 = 512;
/// The bytes in the length of a piece. A flag stands above: the piece is read when its turn comes, which all are.
const LENGTH: u64 = 0x7F_FFFF;

/// Executes a submission. It is complete when this returns, but for what the card holds back.
///
/// Wrong commands do not fail it: the card drops them, as its driver looks for an error at no other place than the result.
pub fn submit(device: &Device, client: u64, request: &mut Pushes) -> Answer {
    let invalid = Errno(libc::EINVAL);
    let Pushes { channel, buffer_count, buffers, relocation_count, push_count, pushes, .. } = *request;
    channel::require(device, client, channel)?;
    // Addresses of objects do not change, so that there is nothing that relocations change.
    if buffer_count > MAX_BUFFERS || push_count > MAX_PUSHES || relocation_count > MAX_RELOCATIONS {
        return Err(invalid);
    }
    let listed = abi::read::<Listed>(buffers, buffer_count as usize)?;
    let pushes = abi::read::<Push>(pushes, push_count as usize)?;
    let handles = listed.iter().map(|buffer| buffer.handle);
    let mut known = device.objects();
    let mut objects = known.keep(client, handles).ok_or(Errno(libc::ENOENT))?;
    let words = words(channel, &pushes, &objects);
    known.keep_pages(client, &mut objects, |number| listed[number].write_domains != 0);
    drop(known);
    if let Some(words) = words.as_ref().filter(|words| words.len() > 1) {
        let lasting = device.objects().lasting(&objects);
        lasting.into_iter().for_each(|object| device.memory.collapse(object));
        if imports::is_needed() {
            let written = listed.iter().zip(&objects).filter(|(buffer, _)| buffer.write_domains != 0);
            written.for_each(|(_, object)| imports::note_drawn(object.address));
        }
        device.submit_and_hold(words, &objects, keep_releasing);
    }
    device.objects().release(&objects, &device.memory);
    // No commands are to be put after the driver's own, and there is memory.
    (request.suffixes, request.vram_available, request.gart_available) = ([0; 2], SIZE, SIZE);
    words.map(|_| ()).ok_or(invalid)
}

/// What a thread does for the card of this process.
fn keep_releasing() {
    if let Some(device) = existing() {
        device.keep_releasing();
    }
}

/// The words of a submission. `None` if a piece is not in the object that it names, or not of whole words.
fn words(channel: u32, pushes: &[Push], objects: &[Object]) -> Option<Vec<u32>> {
    let mut words = vec![channel];
    for push in pushes {
        let object = objects.get(push.buffer as usize)?;
        let bytes = push.length & LENGTH;
        let is_inside = push.offset.checked_add(bytes)? <= object.size.into();
        if !is_inside || !push.offset.is_multiple_of(4) || !bytes.is_multiple_of(4) {
            return None;
        }
        words.extend([object.address + push.offset as u32, bytes as u32]);
    }
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_lie_in_their_objects() {
        let objects = [Object { address: 0x100_0000, size: 0x1000 }, Object { address: 0x200_0000, size: 0x1000 }];
        let push = |buffer, offset, length| Push { buffer, padding: 0, offset, length };
        let both = [push(1, 8, 0x80_0010), push(0, 0xFFC, 4)];
        assert_eq!(words(3, &both, &objects), Some(vec![3, 0x200_0008, 16, 0x100_0FFC, 4]));
        assert_eq!(words(3, &[], &objects), Some(vec![3]));
        for bad in [
            push(2, 0, 4),
            push(u32::MAX, 0, 4),
            push(0, 0xFFC, 8),
            push(0, u64::MAX - 3, 4),
            push(0, 0, LENGTH - 3),
            push(0, 2, 4),
            push(0, 0, 6),
        ] {
            assert_eq!(words(3, &[bad], &objects), None, "{bad:?}");
        }
    }
}
