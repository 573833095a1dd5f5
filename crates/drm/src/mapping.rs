//! Where clients map buffer objects from.

use crate::foreign::size;
use crate::memory::Descriptor;
use crate::process::Opened;

/// Where a client that maps `length` bytes of a descriptor from `offset` on finds them: a descriptor, and the place in its file. `None` if they are
/// not there.
pub fn place(opened: Opened, descriptor: i32, offset: i64, length: usize) -> Option<(i32, i64)> {
    match opened {
        Opened::Own(device, Descriptor::Node(_)) => {
            let (mut objects, address) = (device.objects(), u64::try_from(offset).ok()?);
            objects.share(address, length as u64);
            Some(objects.foreign_place(address, length as u64).unwrap_or((descriptor, offset)))
        }
        Opened::Own(_, Descriptor::Export(export)) | Opened::Foreign(Descriptor::Export(export)) => {
            let end = u64::try_from(offset).ok()?.checked_add(length as u64)?;
            let is_inside = end <= size(descriptor, export)?.into();
            is_inside.then_some((descriptor, i64::from(export.address) + offset))
        }
        Opened::Foreign(Descriptor::Node(_)) => Some((descriptor, offset)),
    }
}
