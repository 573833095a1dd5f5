//! Requests to the node, as drivers make them.

use std::ffi::CStr;
use std::io;
use std::os::fd::RawFd;

pub const NODE: &CStr = c"/dev/dri/renderD128";

pub const CLOSE: u64 = 0x09;
pub const CREATE: u64 = 0x5D;
pub const MMAP: u64 = 0x5E;
pub const CS: u64 = 0x66;
pub const INFO: u64 = 0x67;
pub const EXPORT: u64 = 0x2D;
pub const IMPORT: u64 = 0x2E;

/// Commands that do nothing: fillers.
pub const NOTHING: [u32; 8] = [0x8000_0000; 8];

/// Makes a request with a structure of 64-bit words; gives 0 or the error's number.
pub fn ask(node: RawFd, number: u64, words: &mut [u64]) -> i32 {
    ask_at(node, number, words.as_mut_ptr(), size_of_val(words))
}

/// As [`ask`], with a structure of so many bytes.
pub fn ask_at(node: RawFd, number: u64, words: *mut u64, size: usize) -> i32 {
    let request = 3 << 30 | (size as u64) << 16 | u64::from(b'd') << 8 | number;
    // SAFETY: the structure is the caller's, or a null pointer, and has so many bytes.
    match unsafe { libc::ioctl(node, request, words) } {
        0 => 0,
        _ => io::Error::last_os_error().raw_os_error().unwrap(),
    }
}

pub fn open() -> RawFd {
    // SAFETY: the name is a string that ends with 0.
    let node = unsafe { libc::open(NODE.as_ptr(), libc::O_RDWR | libc::O_CLOEXEC) };
    assert!(node >= 0, "{}", io::Error::last_os_error());
    node
}

/// Makes an object: its handle, or the error.
pub fn create(node: RawFd, size: u64, alignment: u64) -> Result<u64, i32> {
    let mut words = [size, alignment, 4 << 32, 0];
    match ask(node, CREATE, &mut words) {
        0 => Ok(words[2] & 0xFFFF_FFFF),
        error => Err(error),
    }
}

pub fn close(node: RawFd, handle: u64) -> i32 {
    ask(node, CLOSE, &mut [handle])
}

/// Maps an object of one page.
pub fn map(node: RawFd, handle: u64) -> *mut u32 {
    let mut words = [handle, 0, 4096, 0];
    assert_eq!(ask(node, MMAP, &mut words), 0);
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let offset = words[3] as libc::off_t;
    // SAFETY: a new mapping touches no other.
    let address = unsafe { libc::mmap(std::ptr::null_mut(), 4096, access, libc::MAP_SHARED, node, offset) };
    assert_ne!(address, libc::MAP_FAILED);
    address.cast()
}

/// Closes a descriptor.
pub fn close_file(descriptor: RawFd) {
    // SAFETY: the call takes a number.
    assert_eq!(unsafe { libc::close(descriptor) }, 0);
}

/// Exports an object: a descriptor.
pub fn export(node: RawFd, handle: u64) -> RawFd {
    let mut words = [handle | (libc::O_CLOEXEC as u64) << 32, 0];
    assert_eq!(ask_at(node, EXPORT, words.as_mut_ptr(), 12), 0);
    words[1] as RawFd
}

/// Imports an object: its handle, or the error.
pub fn import(node: RawFd, exported: RawFd) -> Result<u64, i32> {
    let mut words = [0, exported as u64];
    match ask_at(node, IMPORT, words.as_mut_ptr(), 12) {
        0 => Ok(words[0] & 0xFFFF_FFFF),
        error => Err(error),
    }
}

/// Runs something in a child, which must end well.
pub fn in_child(run: impl FnOnce()) {
    // SAFETY: the child runs only what a test has written for it, and ends there.
    match unsafe { libc::fork() } {
        0 => {
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
            // SAFETY: the call takes a number.
            unsafe { libc::_exit(i32::from(result.is_err())) }
        }
        child => {
            let mut status = 0;
            // SAFETY: the number is there.
            assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
            assert_eq!(status, 0, "the child failed");
        }
    }
}

/// Submits commands with objects: 0 or the error's number.
pub fn submit(node: RawFd, commands: &[u32], handles: &[u64]) -> i32 {
    let relocations: Vec<u32> = handles.iter().flat_map(|&handle| [handle as u32, 4, 4, 0]).collect();
    submit_chunks(node, &[(2, commands), (1, &relocations), (3, &[1, 0])])
}

pub fn submit_chunks(node: RawFd, chunks: &[(u64, &[u32])]) -> i32 {
    let chunk = |&(id, dwords): &(u64, &[u32])| [id | (dwords.len() as u64) << 32, dwords.as_ptr() as u64];
    let chunks: Vec<_> = chunks.iter().map(chunk).collect();
    let pointers: Vec<_> = chunks.iter().map(|chunk| chunk.as_ptr() as u64).collect();
    ask(node, CS, &mut [pointers.len() as u64, pointers.as_ptr() as u64, 0, 0])
}

/// Sends a descriptor.
pub fn send(socket: RawFd, descriptor: RawFd) {
    // SAFETY: all structures are there, and as long as they say.
    unsafe {
        let (mut control, mut byte) = ([0u64; 8], 0u8);
        let mut data = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
        let mut message: libc::msghdr = std::mem::zeroed();
        (message.msg_iov, message.msg_iovlen) = (&raw mut data, 1);
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = libc::CMSG_SPACE(4) as _;
        let header = libc::CMSG_FIRSTHDR(&message);
        (*header).cmsg_level = libc::SOL_SOCKET;
        (*header).cmsg_type = libc::SCM_RIGHTS;
        (*header).cmsg_len = libc::CMSG_LEN(4) as _;
        libc::CMSG_DATA(header).cast::<RawFd>().write_unaligned(descriptor);
        assert_eq!(libc::sendmsg(socket, &message, 0), 1);
    }
}

/// Receives a descriptor.
pub fn receive(socket: RawFd) -> RawFd {
    // SAFETY: all structures are there, and as long as they say.
    unsafe {
        let (mut control, mut byte) = ([0u64; 8], 0u8);
        let mut data = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
        let mut message: libc::msghdr = std::mem::zeroed();
        (message.msg_iov, message.msg_iovlen) = (&raw mut data, 1);
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = size_of_val(&control) as _;
        assert_eq!(libc::recvmsg(socket, &mut message, libc::MSG_CMSG_CLOEXEC), 1);
        libc::CMSG_DATA(libc::CMSG_FIRSTHDR(&message)).cast::<RawFd>().read_unaligned()
    }
}
