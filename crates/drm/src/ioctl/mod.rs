//! Requests to the node.

pub mod abi;
mod core;
mod gem;
mod info;
mod submit;

use crate::device::Device;
use crate::memory::Descriptor;
use crate::process::{Opened, complain_of_foreign, opened};
use crate::real::set_errno;
use abi::{Answer, Argument, Errno};
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The type of requests to graphics devices.
const DRM: u64 = b'd' as u64;

/// Answers a request if it is one to an open node: what `ioctl` returns. `None` if the descriptor is not one of the node.
pub fn ioctl(descriptor: i32, request: u64, pointer: *mut c_void) -> Option<i32> {
    if request >> 8 & 0xFF != DRM {
        return None;
    }
    let argument = Argument { pointer, size: (request >> 16 & 0x3FFF) as usize };
    let answer = match opened(descriptor)? {
        Opened::Own(device, Descriptor::Node(client)) => {
            // The locks of what was being done are usable afterwards, and the client learns that its request failed.
            let answer = catch_unwind(AssertUnwindSafe(|| dispatch(device, client, request & 0xFF, argument)));
            answer.unwrap_or(Err(Errno(libc::EIO)))
        }
        Opened::Foreign(Descriptor::Node(_)) => {
            complain_of_foreign(descriptor);
            Err(Errno(libc::ENODEV))
        }
        Opened::Own(_, Descriptor::Export(_)) | Opened::Foreign(Descriptor::Export(_)) => return None,
    };
    match answer {
        Ok(()) => Some(0),
        Err(Errno(code)) => {
            set_errno(code);
            Some(-1)
        }
    }
}

fn dispatch(device: &Device, client: u64, number: u64, argument: Argument) -> Answer {
    match number {
        0x00 => argument.answer(core::version),
        0x09 => argument.answer(|request| gem::close(device, client, request)),
        0x0C => argument.answer(core::capability),
        0x2D => argument.answer(|request| core::export(device, client, request)),
        0x2E => argument.answer(|request| core::import(device, client, request)),
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
