//! The fuzz target of the C interface, see [`crate::targets`]: calls as a C client makes them. What the header asks of a
//! client is kept (pointers that are not NULL point to what the functions say); everything else is up to the bytes.
#![allow(unsafe_code, reason = "calls the functions of the C interface, as C would")]

use ctm::*;
use ctm_x1k::check::Severity;
use ctm_x1k::{INSTRUCTION_BYTES, MAX_INSTRUCTIONS};
use std::ffi::{CStr, c_char, c_void};
use std::ptr;

/// Calls of one input.
const MOST_CALLS: usize = 40;
/// Devices that are open at a time.
const MOST_DEVICES: usize = 3;
/// Seconds that a program may take: what the bytes choose is checked, and does not hold for longer than the call.
const RUN_SECONDS: f64 = 0.02;
/// What is not an image may be shorter, and what begins one, but says that it is longer, is all there.
const IMAGE_BYTES: usize = 8 * MAX_INSTRUCTIONS * INSTRUCTION_BYTES;
/// Bytes of all constants of a kind.
const CONSTANT_BYTES: usize = 256 * 16;

/// The bytes that are left.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    fn word(&mut self) -> u32 {
        u32::from_le_bytes([0; 4].map(|_| self.byte()))
    }

    /// One of these, or any word.
    fn near(&mut self, words: &[u32]) -> u32 {
        let choice = usize::from(self.byte());
        words.get(choice).copied().unwrap_or_else(|| self.word())
    }

    /// So many bytes, as far as there are some.
    fn bytes(&mut self, most: usize) -> Vec<u8> {
        let (taken, rest) = self.0.split_at(most.min(self.0.len()));
        self.0 = rest;
        taken.to_vec()
    }
}

/// An open device, and where its memory is.
struct Open {
    handle: AMmanagedDevice,
    info: AMmanagedDeviceInfo,
}

/// Whatever is called with whatever arguments, no call panics or hangs, and the device goes on.
pub fn c_calls(bytes: &[u8]) {
    let mut input = Input(bytes);
    let (mut open, mut closed): (Vec<Open>, Vec<AMmanagedDevice>) = (Vec::new(), Vec::new());
    for _ in 0..MOST_CALLS {
        if input.0.is_empty() {
            break;
        }
        step(&mut input, &mut open, &mut closed);
        let message = message(256);
        assert!(!message.starts_with("a bug in libctm"), "{message}");
    }
    open.iter().for_each(|device| amCloseManagedConnection(device.handle));
}

/// A handle that is open, or not any more, or never was.
fn handle(input: &mut Input, open: &[Open], closed: &[AMmanagedDevice]) -> AMmanagedDevice {
    let all: Vec<AMmanagedDevice> = open.iter().map(|device| device.handle).chain(closed.iter().copied()).collect();
    match usize::from(input.byte()) {
        0xFE => ptr::null_mut(),
        0xFF => ptr::without_provenance_mut(input.word() as usize),
        choice if all.is_empty() => ptr::without_provenance_mut(choice),
        choice => all[choice % all.len()],
    }
}

fn step(input: &mut Input, open: &mut Vec<Open>, closed: &mut Vec<AMmanagedDevice>) {
    let call = input.byte() % 14;
    if call == 0 {
        return open_device(input, open);
    }
    let device = handle(input, open, closed);
    match call {
        1 => {
            amCloseManagedConnection(device);
            if let Some(at) = open.iter().position(|open| open.handle == device) {
                closed.push(open.swap_remove(at).handle);
            }
        }
        2 | 3 => {
            let (address, size) =
                (input.near(&[0x8000_0000, 0x8000_0100, 0x1000_0000]), input.near(&[0, 1, 4, 16, 64]));
            let id = amSubmitCommandBuffer(device, address, size);
            if input.byte() & 1 == 0 {
                amxWaitCommandBuffer(device, id);
                assert_eq!(amCommandBufferConsumed(device, id), 1);
            }
        }
        4 => {
            assert!(amCommandBufferConsumed(device, input.near(&[0, 1, 2, 3])) <= 1);
        }
        5 => amxWaitCommandBuffer(device, input.near(&[0, 1, 2, 3])),
        6 => {
            let mut detail = 0;
            let pointer = if input.byte() & 1 == 0 { ptr::null_mut() } else { &raw mut detail };
            // SAFETY: NULL, or a word.
            unsafe { amxGetError(device, pointer) };
        }
        7 => {
            let mut text: Vec<c_char> = vec![1; usize::from(input.byte())];
            // SAFETY: as many bytes are there.
            let needed = unsafe { amxGetReport(device, text.as_mut_ptr(), text.len() as u32) };
            assert!(needed == 0 || text.is_empty() || text.contains(&0), "a text has an end");
        }
        8 => drop(message(usize::from(input.byte()))),
        9 => {
            let bits = u64::from(input.word()) << 32 | u64::from(input.word());
            let limit = input.near(&[0, 1, 2, 3, 4, 5]);
            amxSetLimit(device, limit, f64::from_bits(bits));
            bound(device);
        }
        10 => {
            let path = input.byte();
            let paths = [ptr::null(), c"".as_ptr(), c"/nonexistent/ctm/trace".as_ptr(), c"\xFF".as_ptr()];
            // SAFETY: NULL, or a text with its end.
            unsafe { amxWriteTrace(device, paths[usize::from(path) % paths.len()]) };
        }
        11 => assemble(input),
        12 => image(input),
        _ => write(input, device, open),
    }
}

/// Programs of the device do not take long, whatever limits the bytes have set.
fn bound(device: AMmanagedDevice) {
    amxSetLimit(device, AMX_LIMIT_RUN_TIME, RUN_SECONDS);
    amxSetLimit(device, AMX_LIMIT_MEMORY, f64::from(1 << 26));
}

fn open_device(input: &mut Input, open: &mut Vec<Open>) {
    let mut options = std::mem::MaybeUninit::uninit();
    // SAFETY: the function fills all of it.
    let mut options: AMXoptions = unsafe {
        amxDefaultOptions(options.as_mut_ptr());
        options.assume_init()
    };
    options.localBytes = input.near(&[1 << 20, 0, 2048]);
    options.hostBytes = input.near(&[1 << 20, 0, 2048, 0x4000_0000]);
    options.threads = input.near(&[1, 0, 2]);
    options.groupWidth = input.near(&[16, 0, 4]);
    options.stepLimit = 1 + u32::from(input.byte());
    options.unfused = u32::from(input.byte() & 1);
    options.strict = u32::from(input.byte() & 1);
    options.record = u32::from(input.byte() & 1);
    options.deterministicClock = u32::from(input.byte() & 1);
    options.engine = input.near(&[0, 1, 2, 3, 4]);
    if input.byte() == 0xFF {
        // What says that it is longer is refused, and not read.
        options.size = input.word().max(options.size);
    }
    let names = [ptr::null(), c"".as_ptr(), c"/dev/pcie0".as_ptr(), c"/dev/pcie1".as_ptr(), c"\xFF".as_ptr()];
    let name = names[usize::from(input.byte()) % names.len()];
    let mut info = std::mem::MaybeUninit::uninit();
    let info_pointer = if input.byte() == 0xFF { ptr::null_mut() } else { info.as_mut_ptr() };
    // SAFETY: the name is NULL or a text, the pointer to the information is NULL or valid, the options are all there.
    let handle = unsafe { amxOpenManagedConnection(name, info_pointer, &raw const options) };
    if handle.is_null() {
        return;
    }
    bound(handle);
    // SAFETY: a device is not open unless its description was written.
    open.push(Open { handle, info: unsafe { info.assume_init() } });
    if open.len() > MOST_DEVICES {
        amCloseManagedConnection(open.remove(0).handle);
    }
}

/// Writes to memory of a device, where a pointer says that there is some.
fn write(input: &mut Input, device: AMmanagedDevice, open: &[Open]) {
    let address = input.near(&[0x8000_0000, 0x8000_0100, 0x1000_0000, 0x8000_8000]);
    let pointer = amxLocalPointer(device, address).cast::<u8>();
    let Some(Open { info, .. }) = open.iter().find(|open| open.handle == device).filter(|_| !pointer.is_null()) else {
        assert!(pointer.is_null(), "only open devices have memory");
        return;
    };
    let arenas = [(info.baseAddressGPU, info.arenaSizeGPU), (info.baseAddressSYSc, info.arenaSizeSYSc)];
    let inside = arenas.into_iter().find_map(|(base, size)| size.checked_sub(address.checked_sub(base)?));
    let length = usize::from(input.byte()) * 16;
    let bytes = input.bytes(length.min(inside.unwrap_or(0) as usize));
    for (at, byte) in bytes.into_iter().enumerate() {
        // SAFETY: the arena reaches as far, and lives as long as the device is open.
        unsafe { pointer.add(at).write_volatile(byte) };
    }
}

/// This thread's message, as far as it fits into so many bytes.
fn message(size: usize) -> String {
    let mut text: Vec<c_char> = vec![1; size];
    // SAFETY: as many bytes are there.
    unsafe { amxGetMessage(text.as_mut_ptr(), text.len() as u32) };
    if text.is_empty() {
        return String::new();
    }
    assert!(text.contains(&0), "a text has an end");
    // SAFETY: there is a NUL.
    unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy().into_owned()
}

extern "C" fn log(line: *const c_char) {
    // SAFETY: the function gives a text with its end.
    let line = unsafe { CStr::from_ptr(line) };
    assert!(line.to_bytes().ends_with(b"\n"));
}

fn assemble(input: &mut Input) {
    let (missing, log) =
        (input.byte(), if input.byte() & 1 == 0 { Some(log as extern "C" fn(*const c_char)) } else { None });
    let length = usize::from(input.byte()) * 4;
    let source = input.bytes(length);
    let (mut size, mut binary) = (0, ptr::null_mut());
    let source_pointer = if missing == 0xFD { ptr::null() } else { source.as_ptr().cast() };
    let size_pointer = if missing == 0xFE { ptr::null_mut() } else { &raw mut size };
    let binary_pointer = if missing == 0xFF { ptr::null_mut() } else { &raw mut binary };
    // SAFETY: NULL, or so many bytes, and places that can be written.
    let done = unsafe { amuAsmAssemble(source_pointer, source.len() as u32, size_pointer, binary_pointer, log) };
    if done == 1 {
        // SAFETY: an image of so many bytes, which nobody else frees.
        let image = unsafe { std::slice::from_raw_parts(binary.cast::<u8>(), size as usize) }.to_vec();
        // SAFETY: as above.
        unsafe { amxFree(binary) };
        inspect(image, log);
    } else {
        assert!(binary.is_null() && size == 0);
    }
}

/// Whatever the text and the arguments are, the compiler gives an image that can be taken apart, or 0.
pub fn compile(bytes: &[u8]) {
    let Some((&kind, source)) = bytes.split_first() else { return };
    let log = if kind & 1 == 0 { Some(log as extern "C" fn(*const c_char)) } else { None };
    let (mut size, mut binary) = (0, ptr::null_mut());
    let (name, value) = (c"AMU_LANG_PS3", if kind == 0xF1 { c"2" } else { c"1" });
    let end = AMUcompMacro { name: ptr::null(), value: ptr::null() };
    let definitions = [AMUcompMacro { name: name.as_ptr(), value: value.as_ptr() }, end];
    let entry = match kind {
        0xF2 => c"other".as_ptr(),
        0xF3 => ptr::null(),
        _ => c"main".as_ptr(),
    };
    let compiler = if kind == 0xF4 { ptr::null_mut() } else { amuCompOpenCompiler() };
    let definitions = if kind == 0xF5 { ptr::null() } else { definitions.as_ptr() };
    let reserved = if kind == 0xF6 { source.as_ptr().cast() } else { ptr::null() };
    let source_pointer = if kind == 0xF7 { ptr::null() } else { source.as_ptr().cast() };
    let size_pointer = if kind == 0xF8 { ptr::null_mut() } else { &raw mut size };
    let binary_pointer = if kind == 0xF9 { ptr::null_mut() } else { &raw mut binary };
    // SAFETY: NULL, or so many bytes, lists and texts with their ends, and places that can be written.
    let done = unsafe {
        amuCompCompile(
            compiler,
            source_pointer,
            source.len() as u32,
            definitions,
            reserved,
            entry,
            size_pointer,
            binary_pointer,
            log,
        )
    };
    let message = message(256);
    assert!(!message.starts_with("a bug in libctm"), "{message}");
    if done == 0 {
        assert!(binary.is_null() && size == 0 && !message.is_empty());
        return;
    }
    // SAFETY: an image of so many bytes, which nobody else frees.
    let image = unsafe { std::slice::from_raw_parts(binary.cast::<u8>(), size as usize) }.to_vec();
    // SAFETY: as above.
    unsafe { amxFree(binary) };
    let program = ctm_object::elf::read(&image).expect("the compiler writes images that load");
    assert!(ctm_x1k::check::check(&program).iter().all(|finding| finding.severity != Severity::Error));
    inspect(image, log);
}

fn image(input: &mut Input) {
    let length = input.word() as usize % 4096;
    inspect(input.bytes(length), Some(log));
}

/// Takes an image, or what is none, apart.
fn inspect(mut image: Vec<u8>, log: AMUlogFunction) {
    image.resize(image.len().max(IMAGE_BYTES), 0);
    let binary = image.as_ptr().cast::<c_void>();
    let mut kinds = [0; 3].map(|_| vec![0u8; CONSTANT_BYTES]);
    // SAFETY: as many bytes are there as an image can have. The lists are those of the function, and freed once; places for
    // constants of all numbers are there.
    unsafe {
        amuAsmDisassemble(binary, log);
        let info = amuABIExtractConstants(binary);
        let [floats, ints, bools] = kinds.each_mut().map(|kind| kind.as_mut_ptr().cast());
        amuABISetLiteralConstants(info, floats, ints, bools);
        amuABISetLiteralConstants(info, ptr::null_mut(), ints, ptr::null_mut());
        amxFree(info.userConsts.cast());
        amxFree(info.litConsts.cast());
    }
}
