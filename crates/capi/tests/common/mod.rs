//! A device behind the C interface, for tests.
#![allow(dead_code, reason = "not every test binary uses all of it")]

use ctm::*;
use ctm_device::command::{Command, FormatCode, TilingCode, encode};
use std::ffi::{CStr, CString, c_void};
use std::ptr;

/// An open device that is closed in the end.
pub struct Device {
    pub handle: AMmanagedDevice,
    pub info: AMmanagedDeviceInfo,
}

// The handle of a device can be used by any thread: that is what some tests test.
unsafe impl Send for Device {}
unsafe impl Sync for Device {}

pub const NO_INFO: AMmanagedDeviceInfo = AMmanagedDeviceInfo {
    baseAddressGPU: 0,
    arenaSizeGPU: 0,
    baseAddressGPUb: 1,
    arenaSizeGPUb: 1,
    baseAddressSYS: 1,
    arenaSizeSYS: 1,
    baseAddressCPU: ptr::null_mut(),
    baseAddressSYSc: 0,
    arenaSizeSYSc: 0,
    baseAddressCPUc: ptr::null_mut(),
    reserved0: 1,
    reserved1: 1,
};

/// The options of small devices, which are quick to open.
pub fn options() -> AMXoptions {
    let mut options = std::mem::MaybeUninit::uninit();
    // SAFETY: the function fills all of it.
    let mut options = unsafe {
        amxDefaultOptions(options.as_mut_ptr());
        options.assume_init()
    };
    options.localBytes = 1 << 20;
    options.hostBytes = 1 << 20;
    options
}

impl Device {
    pub fn open() -> Self {
        Self::with(&options())
    }

    pub fn with(options: &AMXoptions) -> Self {
        let mut info = NO_INFO;
        // SAFETY: both references live during the call.
        let handle = unsafe { amxOpenManagedConnection(c"/dev/pcie0".as_ptr(), &mut info, options) };
        assert!(!handle.is_null(), "{}", message());
        Device { handle, info }
    }

    /// A GPU address in host-visible memory.
    pub fn at(&self, offset: u32) -> u32 {
        self.info.baseAddressSYSc + offset
    }

    /// Writes words to host-visible memory, as a client would.
    pub fn write(&self, offset: u32, words: &[u32]) {
        assert!(offset as usize + 4 * words.len() <= self.info.arenaSizeSYSc as usize);
        for (n, word) in words.iter().enumerate() {
            // SAFETY: inside the arena, which lives as long as the device is open.
            unsafe { self.info.baseAddressCPUc.byte_add(offset as usize).cast::<u32>().add(n).write_volatile(*word) };
        }
    }

    /// Reads words of any memory.
    pub fn read(&self, address: u32, count: usize) -> Vec<u32> {
        let first = amxLocalPointer(self.handle, address).cast::<u32>();
        assert!(!first.is_null(), "{}", message());
        // SAFETY: the tests read inside an arena.
        (0..count).map(|n| unsafe { first.add(n).read_volatile() }).collect()
    }

    /// Writes commands to host-visible memory and submits them.
    pub fn submit(&self, offset: u32, commands: impl IntoIterator<Item = Command>) -> u32 {
        let words = encode(commands);
        self.write(offset, &words);
        amSubmitCommandBuffer(self.handle, self.at(offset), words.len() as u32)
    }

    /// Polls until a buffer is consumed.
    pub fn wait(&self, id: u32) {
        assert_ne!(id, 0, "{}", message());
        while amCommandBufferConsumed(self.handle, id) == 0 {
            std::thread::yield_now();
        }
    }

    /// Takes the sticky error with its detail and text.
    pub fn error(&self) -> Option<(u32, u32, String)> {
        let mut detail = 0xFFFF_FFFF;
        // SAFETY: the reference lives during the call.
        let code = unsafe { amxGetError(self.handle, &mut detail) };
        (code != 0).then(|| (code, detail, message()))
    }

    /// The oldest report of strict mode.
    pub fn report(&self) -> Option<String> {
        let mut text = [0u8; 1024];
        // SAFETY: the buffer has as many bytes.
        let needed = unsafe { amxGetReport(self.handle, text.as_mut_ptr().cast(), text.len() as u32) };
        (needed > 0).then(|| CStr::from_bytes_until_nul(&text).unwrap().to_str().unwrap().to_owned())
    }

    /// Puts a program's image to an offset, and gives the commands that make it the current one.
    pub fn program(&self, offset: u32, source: &str) -> [Command; 2] {
        let image = assemble(source).unwrap();
        let words: Vec<u32> = image.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
        self.write(offset, &words);
        let (format, tiling, pitch) = (FormatCode::default(), TilingCode::default(), 0);
        [Command::SetInstFmt { base: self.at(offset), format, tiling, pitch }, Command::InvInstCache]
    }

    /// The command for an output of 16 by 16 floats.
    pub fn output(&self, base: u32) -> Command {
        Command::SetOutFmt {
            output: 0,
            base,
            format: FormatCode::Float32_1,
            tiling: TilingCode::Linear,
            pitch: 16,
            height: 16,
        }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        amCloseManagedConnection(self.handle);
    }
}

/// This thread's message.
pub fn message() -> String {
    let mut text = [0u8; 1024];
    // SAFETY: the buffer has as many bytes.
    let needed = unsafe { amxGetMessage(text.as_mut_ptr().cast(), text.len() as u32) };
    let text = CStr::from_bytes_until_nul(&text).unwrap().to_str().unwrap();
    assert_eq!(needed as usize, text.len() + 1);
    text.to_owned()
}

/// The image of a text, as a program image of `amuAsmAssemble`.
pub fn assemble(source: &str) -> Result<Vec<u8>, String> {
    let (mut size, mut binary) = (7, ptr::dangling_mut::<c_void>());
    // SAFETY: the text has as many bytes; the references live during the call.
    let done = unsafe { amuAsmAssemble(source.as_ptr().cast(), source.len() as u32, &mut size, &mut binary, None) };
    if done == 0 {
        assert_eq!((size, binary), (7, ptr::dangling_mut()), "a failed call changes nothing");
        return Err(message());
    }
    // SAFETY: the image has as many bytes.
    let image = unsafe { std::slice::from_raw_parts(binary.cast::<u8>(), size as usize) }.to_vec();
    // SAFETY: the image was made above.
    unsafe { amxFree(binary) };
    Ok(image)
}

/// A path as C has it.
pub fn c_path(path: &std::path::Path) -> CString {
    CString::new(path.to_str().unwrap()).unwrap()
}

/// Writes (i, 0, 0, 0) plus float constant 0 to output 0.
pub const POSITION: &str = "OUT TEX_SEM_WAIT src0.rgb = temp[0], src1.rgb = const[0] :
  out[0].rgb = MAD src0.r__ src0.1__ src1.r__ ;";
