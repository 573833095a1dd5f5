//! Channels: what a driver has of the card for itself.

use super::abi::{ChannelAlloc, ChannelFree, EngineObject, Notifier, ObjectFree};
use crate::device::Device;
use crate::ioctl::abi::{Answer, Errno};

/// In place of a framebuffer: the engine is named.
const BY_ENGINE: u32 = u32::MAX;
/// The engine that draws.
const GRAPHICS: u32 = 1;
/// Where the commands may lie: in the card's memory, and in the host's.
const PUSH_DOMAINS: u32 = 2 | 4;

/// Makes a channel.
pub fn allocate(device: &Device, client: u64, request: &mut ChannelAlloc) -> Answer {
    if request.framebuffer == BY_ENGINE && request.engines & GRAPHICS == 0 {
        return Err(Errno(libc::ENOSYS));
    }
    let number = device.objects().add_channel(client).ok_or(Errno(libc::ENOSPC))?;
    request.channel = i32::try_from(number).map_err(|_| Errno(libc::ENOSPC))?;
    (request.push_domains, request.notifier, request.subchannel_count) = (PUSH_DOMAINS, 0, 0);
    Ok(())
}

/// Frees a channel, with all that was made in it.
pub fn free(device: &Device, client: u64, request: &mut ChannelFree) -> Answer {
    let was_there = device.objects().close_channel(client, request.channel as u32);
    if was_there { Ok(()) } else { Err(Errno(libc::ENOENT)) }
}

/// Makes an object of a class in a channel: all that there are, every channel has from its beginning.
pub fn engine_object(device: &Device, client: u64, request: &mut EngineObject) -> Answer {
    require(device, client, request.channel as u32)
}

/// Makes memory for notifications in a channel. There are none.
pub fn notifier(device: &Device, client: u64, request: &mut Notifier) -> Answer {
    require(device, client, request.channel)?;
    request.offset = 0;
    Ok(())
}

/// Frees an object of a channel.
pub fn free_object(device: &Device, client: u64, request: &mut ObjectFree) -> Answer {
    require(device, client, request.channel as u32)
}

/// Refuses channels that the client does not have.
pub fn require(device: &Device, client: u64, channel: u32) -> Answer {
    if device.objects().has_channel(client, channel) { Ok(()) } else { Err(Errno(libc::ENOENT)) }
}
