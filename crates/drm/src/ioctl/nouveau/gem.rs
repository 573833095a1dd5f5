//! Requests about buffer objects.

use super::abi::{CpuFinish, CpuPrepare, GemInfo, GemNew};
use crate::device::Device;
use crate::ioctl::abi::{Answer, Errno};
use crate::objects::Buffer;

/// Domains: the card's own memory, the host's.
const VRAM: u32 = 2;
const GART: u32 = 4;
/// What objects in the card's own memory, and those whose pixels lie in blocks, begin at multiples of, as those of the kernel's driver do.
const LARGE_PAGE: u64 = 128 << 10;
/// In an object's flags: how its pixels lie. 0 is row by row.
const KIND: u32 = 0xFF00;
/// A driver does not wait.
const NO_WAIT: u32 = 1;

/// Makes an object, of zeros. Its place in the memory file is its address on the card, and where clients map it from.
pub fn create(device: &Device, client: u64, request: &mut GemNew) -> Answer {
    let GemInfo { size, domain, tile_mode, tile_flags, .. } = request.info;
    let alignment = request.alignment.max(1).checked_next_power_of_two().ok_or(Errno(libc::EINVAL))?;
    if size == 0 {
        return Err(Errno(libc::EINVAL));
    }
    let least = if domain & VRAM != 0 || tile_flags & KIND != 0 { LARGE_PAGE } else { 1 };
    let place = if domain & VRAM != 0 { VRAM } else { GART };
    let mut objects = device.objects();
    let made = objects.create(client, (size, least.max(alignment.into())), place, &device.memory);
    let handle = made.ok_or(Errno(libc::ENOMEM))?;
    let buffer = objects.get(client, handle).ok_or(Errno(libc::ENOENT))?;
    buffer.tiling = [tile_mode, tile_flags];
    request.info = describe(handle, buffer);
    Ok(())
}

/// What there is to know of an object.
pub fn info(device: &Device, client: u64, request: &mut GemInfo) -> Answer {
    *request = describe(request.handle, device.objects().get(client, request.handle).ok_or(Errno(libc::ENOENT))?);
    Ok(())
}

fn describe(handle: u32, buffer: &Buffer) -> GemInfo {
    let (place, [tile_mode, tile_flags]) = (buffer.object.address.into(), buffer.tiling);
    let size = buffer.object.size.into();
    GemInfo { handle, domain: buffer.domain, size, offset: place, map_handle: place, tile_mode, tile_flags }
}

/// Waits until all submissions are complete that may use an object, with the values by which drivers learn that.
pub fn prepare(device: &Device, client: u64, request: &mut CpuPrepare) -> Answer {
    device.objects().get(client, request.handle).ok_or(Errno(libc::ENOENT))?;
    if request.flags & NO_WAIT == 0 {
        device.wait();
        return Ok(());
    }
    if device.is_idle() { Ok(()) } else { Err(Errno(libc::EBUSY)) }
}

/// Ends what [`prepare`] began.
pub fn finish(device: &Device, client: u64, request: &mut CpuFinish) -> Answer {
    device.objects().get(client, request.handle).map(|_| ()).ok_or(Errno(libc::ENOENT))
}
