//! Requests of the kernel's driver `nouveau`.

mod abi;
mod channel;
mod gem;
mod info;
mod nvif;
mod submit;

use super::abi::{Answer, Argument, Errno};
use crate::device::Device;

/// Answers a request.
pub fn answer(device: &Device, client: u64, number: u64, argument: Argument) -> Answer {
    match number {
        0x40 => argument.answer(|request| info::parameter(device, request)),
        0x42 => argument.answer(|request| channel::allocate(device, client, request)),
        0x43 => argument.answer(|request| channel::free(device, client, request)),
        // What drivers use of older versions of the interface in place of 0x47.
        0x44 => argument.answer(|request| channel::engine_object(device, client, request)),
        0x45 => argument.answer(|request| channel::notifier(device, client, request)),
        0x46 => argument.answer(|request| channel::free_object(device, client, request)),
        0x47 => argument.answer_bytes(|request| nvif::answer(device, client, request)),
        0x80 => argument.answer(|request| gem::create(device, client, request)),
        0x81 => argument.answer(|request| submit::submit(device, client, request)),
        0x82 => argument.answer(|request| gem::prepare(device, client, request)),
        0x83 => argument.answer(|request| gem::finish(device, client, request)),
        0x84 => argument.answer(|request| gem::info(device, client, request)),
        // Among them VM_INIT (0x50), without which Vulkan drivers know no card, and pass on.
        _ => Err(Errno(libc::EINVAL)),
    }
}
