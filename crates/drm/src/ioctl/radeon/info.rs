//! What a driver asks of the card.

use super::abi::Info;
use crate::device::Device;
use crate::ioctl::abi::{self, Answer, Errno};
use ctm_card::CardProperty;

/// Answers a question with a number.
pub fn info(device: &Device, request: &mut Info) -> Answer {
    let card = &device.identity;
    let property = |property: CardProperty| card.property(property).ok_or(Errno(libc::EINVAL));
    let value = match request.request {
        // DEVICE_ID
        0x00 => card.device.into(),
        // NUM_GB_PIPES, NUM_Z_PIPES
        0x01 => property(CardProperty::PixelPipes)?,
        0x02 => property(CardProperty::DepthPipes)?,
        // ACCEL_WORKING, ACCEL_WORKING2
        0x03 | 0x05 => 1,
        // TILING_CONFIG
        0x06 => property(CardProperty::TilingConfig)?,
        // WANT_HYPERZ, WANT_CMASK: never granted, since nothing is faster with them.
        0x07 | 0x08 => 0,
        // CLOCK_CRYSTAL_FREQ
        0x09 => property(CardProperty::TimeStampClock)?,
        // NUM_BACKENDS, NUM_TILE_PIPES, BACKEND_MAP
        0x0A => property(CardProperty::Backends)?,
        0x0B => property(CardProperty::TilePipes)?,
        0x0D => property(CardProperty::BackendMap)?,
        // MAX_PIPES
        0x10 => property(CardProperty::ShaderPipes)?,
        // TIMESTAMP, the only answer of 64 bits
        0x11 => {
            let now = device.time_stamp().ok_or(Errno(libc::EINVAL))?;
            return abi::write(request.value, &now.to_le_bytes());
        }
        // MAX_SE
        0x12 => property(CardProperty::ShaderEngines)?,
        // RING_WORKING: of the rings that are asked for, those of video, there is none.
        0x15 => 0,
        // MAX_SCLK
        0x1A => property(CardProperty::ShaderClock)?,
        // NUM_BYTES_MOVED, VRAM_USAGE, GTT_USAGE; CURRENT_GPU_TEMP, _SCLK, _MCLK; GPU_RESET_COUNTER
        0x1D..=0x1F | 0x21..=0x23 | 0x26 => 0,
        _ => return Err(Errno(libc::EINVAL)),
    };
    abi::write(request.value, &value.to_le_bytes())
}
