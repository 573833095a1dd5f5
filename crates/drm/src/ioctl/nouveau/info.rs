//! What a driver asks of the card by numbers.

use super::abi::GetParam;
use crate::device::Device;
use crate::ioctl::abi::{Answer, Errno};
use ctm_card::CardProperty;

/// Bytes of the card's own memory, and of the host's that it reaches, as drivers are told.
pub const SIZE: u64 = 2 << 30;

/// Answers a question with a number.
pub fn parameter(device: &Device, request: &mut GetParam) -> Answer {
    let card = &device.identity;
    let property = |property: CardProperty| card.property(property).map(u64::from).ok_or(Errno(libc::EINVAL));
    request.value = match request.parameter {
        // PCI_VENDOR, PCI_DEVICE
        3 => card.vendor.into(),
        4 => card.device.into(),
        // BUS_TYPE: PCI Express
        5 => 2,
        // FB_SIZE, AGP_SIZE
        8 | 9 => SIZE,
        // CHIPSET_ID
        11 => property(CardProperty::Chipset)?,
        // VM_VRAM_BASE
        12 => 0,
        // GRAPH_UNITS
        13 => property(CardProperty::GraphicsUnits)?,
        // PTIMER_TIME
        14 => device.time_stamp().ok_or(Errno(libc::EINVAL))?,
        // HAS_BO_USAGE, HAS_PAGEFLIP
        15 | 16 => 1,
        // Among them HAS_VMA_TILEMODE (20): Mesa 26 takes another driver where there is such.
        _ => return Err(Errno(libc::EINVAL)),
    };
    Ok(())
}
