//! Requests to the node: those that all devices have, and those of the kernel's drivers.

pub mod abi;
mod core;
mod nouveau;
mod radeon;

use crate::device::Device;
use crate::memory::Descriptor;
use crate::process::{Opened, complain_of_foreign, opened};
use crate::real::set_errno;
use abi::{Answer, Argument, Errno};
use ctm_card::Kernel;
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
    // Who asks for something has seen, or will look for, what was executed before.
    device.release();
    match number {
        0x00 => argument.answer(|request| core::version(device, request)),
        0x09 => argument.answer(|request| core::close(device, client, request)),
        0x0C => argument.answer(core::capability),
        0x2D => argument.answer(|request| core::export(device, client, request)),
        0x2E => argument.answer(|request| core::import(device, client, request)),
        _ => match device.identity.kernel {
            Kernel::Radeon => radeon::answer(device, client, number, argument),
            Kernel::Nouveau => nouveau::answer(device, client, number, argument),
        },
    }
}
