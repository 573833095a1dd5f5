//! Requests of the kernel's driver `radeon`.

mod abi;
mod gem;
mod info;
mod submit;

use super::abi::{Answer, Argument, Errno};
use crate::device::Device;

/// Answers a request.
pub fn answer(device: &Device, client: u64, number: u64, argument: Argument) -> Answer {
    match number {
        0x5C => argument.answer(gem::info),
        0x5D => argument.answer(|request| gem::create(device, client, request)),
        0x5E => argument.answer(|request| gem::map(device, client, request)),
        0x63 => argument.answer(|request| gem::set_domain(device, client, request)),
        0x64 => argument.answer(|request| gem::wait_idle(device, client, request)),
        0x66 => argument.answer(|request| submit::submit(device, client, request)),
        0x67 => argument.answer(|request| info::info(device, request)),
        0x68 => argument.answer(|request| gem::set_tiling(device, client, request)),
        0x69 => argument.answer(|request| gem::tiling(device, client, request)),
        0x6A => argument.answer(|request| gem::busy(device, client, request)),
        0x6C => argument.answer(|request| gem::operation(device, client, request)),
        // Among them user pointers, which drivers try out and do without.
        _ => Err(Errno(libc::EINVAL)),
    }
}
