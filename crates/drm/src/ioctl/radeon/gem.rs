//! Requests about buffer objects.

use super::abi::{GemBusy, GemCreate, GemInfo, GemMmap, GemOp, GemSetDomain, GemTiling, GemWaitIdle};
use crate::device::Device;
use crate::ioctl::abi::{Answer, Errno};
use crate::objects::Buffer;

/// Bytes of the card's own memory, and of the host's that it reaches, as drivers are told. They refuse to draw with more.
const SIZE: u64 = 512 << 20;

/// The operation that asks for the domain in which an object was made.
const GET_INITIAL_DOMAIN: u32 = 0;

/// Runs with the object of a handle.
fn with(device: &Device, client: u64, handle: u32, run: impl FnOnce(&mut Buffer) -> Answer) -> Answer {
    run(device.objects().get(client, handle).ok_or(Errno(libc::ENOENT))?)
}

/// How much memory there is.
pub fn info(request: &mut GemInfo) -> Answer {
    *request = GemInfo { gart_size: SIZE, vram_size: SIZE, vram_visible: SIZE };
    Ok(())
}

/// Makes an object, of zeros.
pub fn create(device: &Device, client: u64, request: &mut GemCreate) -> Answer {
    let alignment = request.alignment.max(1).checked_next_power_of_two().ok_or(Errno(libc::EINVAL))?;
    if request.size == 0 {
        return Err(Errno(libc::EINVAL));
    }
    let size = (request.size, alignment);
    let made = device.objects().create(client, size, request.initial_domain, &device.memory);
    request.handle = made.ok_or(Errno(libc::ENOMEM))?;
    Ok(())
}

/// Where the client maps an object from: its place in the memory file.
pub fn map(device: &Device, client: u64, request: &mut GemMmap) -> Answer {
    let (offset, size) = (request.offset, request.size);
    with(device, client, request.handle, |buffer| {
        if offset.checked_add(size).is_none_or(|end| end > buffer.object.size.into()) {
            return Err(Errno(libc::EINVAL));
        }
        buffer.share();
        request.address = u64::from(buffer.object.address) + offset;
        Ok(())
    })
}

/// Waits until no submission uses an object. None does, since submissions are complete when they return.
pub fn wait_idle(device: &Device, client: u64, request: &mut GemWaitIdle) -> Answer {
    with(device, client, request.handle, |_| Ok(()))
}

/// Whether a submission uses an object: none does.
pub fn busy(device: &Device, client: u64, request: &mut GemBusy) -> Answer {
    with(device, client, request.handle, |buffer| {
        request.domain = buffer.domain;
        Ok(())
    })
}

/// Where an object is used next. All memory is the same.
pub fn set_domain(device: &Device, client: u64, request: &mut GemSetDomain) -> Answer {
    with(device, client, request.handle, |_| Ok(()))
}

/// Notes an object's tiling for those who import it.
pub fn set_tiling(device: &Device, client: u64, request: &mut GemTiling) -> Answer {
    with(device, client, request.handle, |buffer| {
        buffer.tiling = [request.flags, request.pitch];
        Ok(())
    })
}

/// The tiling that was noted.
pub fn tiling(device: &Device, client: u64, request: &mut GemTiling) -> Answer {
    with(device, client, request.handle, |buffer| {
        [request.flags, request.pitch] = buffer.tiling;
        Ok(())
    })
}

/// The domain in which an object was made.
pub fn operation(device: &Device, client: u64, request: &mut GemOp) -> Answer {
    with(device, client, request.handle, |buffer| {
        if request.operation != GET_INITIAL_DOMAIN {
            return Err(Errno(libc::EINVAL));
        }
        request.value = buffer.domain.into();
        Ok(())
    })
}
