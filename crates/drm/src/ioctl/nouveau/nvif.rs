//! The request that has requests of its own, about objects of the kernel's driver: the device, and classes of engines below a channel.

use super::channel;
use super::info::SIZE;
use crate::device::Device;
use crate::ioctl::abi::{Answer, Errno};
use ctm_card::CardProperty;

/// Bytes before what a request says: version, type, owner, route, token, object.
const HEADER: usize = 24;
/// Route: the token is a channel.
const BELOW_CHANNEL: u8 = 0xFF;
/// The class of devices.
const DEVICE: i32 = 0x80;
/// Classes that a channel has, with the versions of their structures: FIFO, inline to memory, copy, 2D, 3D, compute; and the software class.
const CLASSES: [(i32, i16); 7] =
    [(0xB06F, -1), (0xA140, -1), (0xB0B5, -1), (0x902D, -1), (0xB097, -1), (0xB0C0, -1), (-7, 0)];
/// In [`HEADER`]'s place of a list of classes: how many there is room for, and where they begin.
const CLASS_COUNT: usize = HEADER + 1;
const FIRST_CLASS: usize = 32;
/// Bytes of a class in the list.
const CLASS: usize = 8;

/// Answers a request in its place.
pub fn answer(device: &Device, client: u64, request: &mut [u8]) -> Answer {
    let [version, kind] = read(request, 0)?;
    if version != 0 {
        return Err(Errno(libc::ENOSYS));
    }
    match kind {
        // NOP
        0 => Ok(()),
        // SCLASS
        1 => list_classes(request),
        // NEW
        2 => make(device, client, request),
        // DEL: nothing is kept of objects.
        3 => Ok(()),
        // MTHD
        4 => call(device, request),
        _ => Err(Errno(libc::EINVAL)),
    }
}

/// So many bytes of the request.
fn read<const N: usize>(request: &[u8], at: usize) -> Result<[u8; N], Errno> {
    request.get(at..).and_then(|rest| rest.first_chunk::<N>()).copied().ok_or(Errno(libc::EINVAL))
}

/// Writes bytes into the request.
fn write(request: &mut [u8], at: usize, bytes: &[u8]) -> Answer {
    request.get_mut(at..at + bytes.len()).ok_or(Errno(libc::EINVAL))?.copy_from_slice(bytes);
    Ok(())
}

/// Lists as many classes as there is room for, and says how many there are.
fn list_classes(request: &mut [u8]) -> Answer {
    let [version, room] = read(request, HEADER)?;
    let space = request.len().saturating_sub(FIRST_CLASS) / CLASS;
    if version != 0 || usize::from(room) > space {
        return Err(Errno(libc::EINVAL));
    }
    for (at, (class, version)) in (FIRST_CLASS..).step_by(CLASS).zip(CLASSES).take(room.into()) {
        write(request, at, &class.to_le_bytes())?;
        write(request, at + 4, &version.to_le_bytes())?;
        write(request, at + 6, &version.to_le_bytes())?;
    }
    write(request, CLASS_COUNT, &[CLASSES.len() as u8])
}

/// Makes the device's object, or one of a class below a channel.
fn make(device: &Device, client: u64, request: &[u8]) -> Answer {
    let [route] = read(request, 7)?;
    let token = u64::from_le_bytes(read(request, 8)?);
    match (i32::from_le_bytes(read(request, HEADER + 28)?), route) {
        (DEVICE, 0) => Ok(()),
        (class, BELOW_CHANNEL) if CLASSES.iter().any(|&(known, _)| known == class) => {
            let channel = u32::try_from(token).map_err(|_| Errno(libc::EINVAL))?;
            channel::require(device, client, channel)
        }
        _ => Err(Errno(libc::EINVAL)),
    }
}

/// Calls a method of the device.
fn call(device: &Device, request: &mut [u8]) -> Answer {
    let [version, method] = read(request, HEADER)?;
    if version != 0 {
        return Err(Errno(libc::ENOSYS));
    }
    match method {
        // NV_DEVICE_V0_INFO
        0 => write(request, HEADER + 8, &information(device)?),
        // NV_DEVICE_V0_TIME
        1 => {
            let time = device.time_stamp().ok_or(Errno(libc::EINVAL))?;
            write(request, HEADER + 16, &time.to_le_bytes())
        }
        _ => Err(Errno(libc::EINVAL)),
    }
}

/// `nv_device_info_v0`.
fn information(device: &Device) -> Result<Vec<u8>, Errno> {
    /// PCI Express: others would have the driver use one kind of memory only.
    const PLATFORM: u8 = 3;
    /// Maxwell.
    const FAMILY: u8 = 9;
    let chipset = device.identity.property(CardProperty::Chipset).ok_or(Errno(libc::EINVAL))?;
    let name = device.identity.name.to_uppercase();
    let text = |bytes: usize| name.bytes().chain([0].into_iter().cycle()).take(bytes);
    let mut answer = vec![0, PLATFORM];
    answer.extend_from_slice(&(chipset as u16).to_le_bytes());
    answer.extend([device.interface.revision, FAMILY, 0, 0]);
    answer.extend([SIZE.to_le_bytes(); 2].concat());
    answer.extend(text(16).chain(text(64)));
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_listed_as_far_as_there_is_room() {
        let mut request = vec![0; FIRST_CLASS + 2 * CLASS];
        request[CLASS_COUNT] = 2;
        list_classes(&mut request).unwrap();
        assert_eq!((request[CLASS_COUNT], &request[FIRST_CLASS..][..6]), (7, &[0x6F, 0xB0, 0, 0, 0xFF, 0xFF][..]));
        assert_eq!(request[FIRST_CLASS + CLASS..], [0x40, 0xA1, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF]);
        request[CLASS_COUNT] = 3;
        assert_eq!(
            list_classes(&mut request),
            Err(Errno(libc::EINVAL)),
            "it says that there is more room than there is"
        );
        assert_eq!(list_classes(&mut request[..HEADER]), Err(Errno(libc::EINVAL)));

        let mut request = vec![0; FIRST_CLASS + 16 * CLASS];
        request[CLASS_COUNT] = 16;
        list_classes(&mut request).unwrap();
        assert_eq!(request[FIRST_CLASS + 6 * CLASS..][..CLASS], [0xF9, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]);
        assert!(request[FIRST_CLASS + 7 * CLASS..].iter().all(|&byte| byte == 0));
    }
}
