//! Requests that all graphics devices have.

use super::abi::{self, Answer, Errno, GemClose, GetCap, PrimeHandle, Version};
use crate::device::{Device, complain};
use crate::foreign::Foreign;
use crate::interface::Interface;
use crate::memory::{Descriptor, Export};
use crate::process::{Opened, complain_of_foreign, opened};
use std::sync::Once;

/// The capability of exporting and importing buffer objects, and its value: both.
const PRIME: (u64, u64) = (5, 3);

/// Which driver answers, and its version. Clients ask for the lengths of the texts first.
pub fn version(device: &Device, request: &mut Version) -> Answer {
    let Interface { name, version, date, description, .. } = device.interface;
    (request.major, request.minor, request.patch) = version;
    copy_text(name, request.name, &mut request.name_length)?;
    copy_text(date, request.date, &mut request.date_length)?;
    copy_text(description, request.description, &mut request.description_length)
}

/// Copies as much of a text as there is space for, if the client has any, and says how long it is.
fn copy_text(text: &str, pointer: u64, length: &mut u64) -> Answer {
    let room = usize::try_from(*length).unwrap_or(usize::MAX).min(text.len());
    *length = text.len() as u64;
    if pointer == 0 || room == 0 { Ok(()) } else { abi::write(pointer, &text.as_bytes()[..room]) }
}

/// What the device can do beyond what all can.
pub fn capability(request: &mut GetCap) -> Answer {
    request.value = if request.capability == PRIME.0 { PRIME.1 } else { 0 };
    Ok(())
}

/// Closes a handle.
pub fn close(device: &Device, client: u64, request: &mut GemClose) -> Answer {
    let closed = device.objects().close(client, request.handle, &device.memory);
    if closed { Ok(()) } else { Err(Errno(libc::EINVAL)) }
}

/// Exports an object as a descriptor.
pub fn export(device: &Device, client: u64, request: &mut PrimeHandle) -> Answer {
    let mut objects = device.objects();
    objects.forget_closed(&device.memory);
    let how = (device.identity.device, request.flags as i32);
    let opened = objects.export((client, request.handle), how, &device.memory).ok_or(Errno(libc::ENOENT))?;
    request.descriptor = opened.map_err(|error| Errno(error.raw_os_error().unwrap_or(libc::EIO)))?;
    Ok(())
}

/// Imports an object that was exported.
pub fn import(device: &Device, client: u64, request: &mut PrimeHandle) -> Answer {
    match opened(request.descriptor) {
        Some(Opened::Own(_, Descriptor::Export(Export { number, .. }))) => {
            request.handle = device.objects().import(client, number).ok_or(Errno(libc::ENOENT))?;
            Ok(())
        }
        Some(Opened::Foreign(Descriptor::Export(export))) => {
            let foreign = Foreign::new(request.descriptor, export).ok_or(Errno(libc::EINVAL))?;
            require_same_card(device, &foreign)?;
            let imported = device.objects().import_foreign(client, foreign, &device.memory);
            request.handle = imported.ok_or(Errno(libc::ENOMEM))?;
            Ok(())
        }
        Some(Opened::Foreign(Descriptor::Node(_))) => {
            complain_of_foreign(request.descriptor);
            Err(Errno(libc::ENODEV))
        }
        Some(Opened::Own(_, Descriptor::Node(_))) | None => Err(Errno(libc::EINVAL)),
    }
}

/// Refuses an object of a card of another kind, and says so, once: its tiles lie in other ways.
fn require_same_card(device: &Device, foreign: &Foreign) -> Answer {
    static COMPLAINED: Once = Once::new();
    let (own, other) = (device.identity.device, foreign.description.device);
    if own == other {
        return Ok(());
    }
    COMPLAINED.call_once(|| {
        complain(&format!(
            "a buffer of another process's card (PCI device {other:04x}) cannot be used by this one ({own:04x}): run both programs with \
             the same --card"
        ));
    });
    Err(Errno(libc::EINVAL))
}
