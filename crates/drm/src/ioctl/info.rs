//! What a driver asks of the card.

use super::abi::{self, Answer, Errno, Info};
use ctm_card::Identity;

/// The card's clock in kHz. Nothing runs by it.
const CLOCK: u32 = 650_000;

/// Answers a question with one word.
pub fn info(card: &Identity, request: &mut Info) -> Answer {
    let value = match request.request {
        // DEVICE_ID
        0x00 => card.device.into(),
        // NUM_GB_PIPES, NUM_Z_PIPES
        0x01 => card.pixel_pipes,
        0x02 => card.depth_pipes,
        // ACCEL_WORKING, ACCEL_WORKING2
        0x03 | 0x05 => 1,
        // WANT_HYPERZ, WANT_CMASK: never granted, since nothing is faster with them.
        0x07 | 0x08 => 0,
        // RING_WORKING: of the rings that are asked for, those of video, there is none.
        0x15 => 0,
        // MAX_SCLK
        0x1A => CLOCK,
        // NUM_BYTES_MOVED, VRAM_USAGE, GTT_USAGE; CURRENT_GPU_TEMP, _SCLK, _MCLK; GPU_RESET_COUNTER
        0x1D..=0x1F | 0x21..=0x23 | 0x26 => 0,
        _ => return Err(Errno(libc::EINVAL)),
    };
    abi::write(request.value, &value.to_le_bytes())
}
