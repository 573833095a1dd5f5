//! The structures of requests, those that all devices have as the kernel's header `drm.h` has them, and what lies in the client's memory.

use std::ffi::c_void;

/// An error number of the host's, which the client finds in `errno`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errno(pub i32);

/// What a request leads to.
pub type Answer = Result<(), Errno>;

/// # Safety
/// Any bytes are a value of the type.
pub unsafe trait Pod: Copy {}

/// Structures of the kernel's headers, all of whose fields are numbers, arrays of them, or such structures.
macro_rules! structures {
    ($($(#[$meta:meta])* $name:ident { $($field:ident: $type:ty,)* })*) => {$(
        $(#[$meta])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug)]
        pub struct $name { $(pub $field: $type,)* }
        // SAFETY: all fields are numbers, arrays of them, or such structures.
        unsafe impl $crate::ioctl::abi::Pod for $name {}
    )*};
}
pub(crate) use structures;

structures! {
    /// `drm_version`.
    Version {
        major: i32, minor: i32, patch: i32, padding: u32,
        name_length: u64, name: u64, date_length: u64, date: u64, description_length: u64, description: u64,
    }
    /// `drm_gem_close`.
    GemClose { handle: u32, padding: u32, }
    /// `drm_get_cap`.
    GetCap { capability: u64, value: u64, }
    /// `drm_prime_handle`.
    PrimeHandle { handle: u32, flags: u32, descriptor: i32, }
}

// SAFETY: it is a number.
unsafe impl Pod for u8 {}
// SAFETY: it is a number.
unsafe impl Pod for u32 {}
// SAFETY: it is a number.
unsafe impl Pod for u64 {}

/// The structure that a request points to, with the bytes that the client says it has.
#[derive(Clone, Copy)]
pub struct Argument {
    pub pointer: *mut c_void,
    pub size: usize,
}

impl Argument {
    /// Reads the structure, lets it be answered, and writes it back, also if the answer is an error. As in the kernel,
    /// clients may have shorter structures, of which the rest is 0, and longer ones.
    pub fn answer<T: Pod>(self, answer: impl FnOnce(&mut T) -> Answer) -> Answer {
        if self.pointer.is_null() {
            return Err(Errno(libc::EFAULT));
        }
        let size = self.size.min(size_of::<T>());
        // SAFETY: all bytes zero are a value of plain types.
        let mut value: T = unsafe { std::mem::zeroed() };
        // SAFETY: the client's structure has `size` bytes, as has the value, which any bytes make.
        unsafe { std::ptr::copy_nonoverlapping(self.pointer.cast::<u8>(), (&raw mut value).cast(), size) };
        let result = answer(&mut value);
        // SAFETY: as above.
        unsafe { std::ptr::copy_nonoverlapping((&raw const value).cast::<u8>(), self.pointer.cast(), size) };
        result
    }
}

impl Argument {
    /// Reads all bytes that the client says the structure has, at most 16 KiB, lets them be answered, and writes them back, also if the answer is
    /// an error.
    pub fn answer_bytes(self, answer: impl FnOnce(&mut [u8]) -> Answer) -> Answer {
        let mut bytes = read::<u8>(self.pointer as u64, self.size)?;
        let result = answer(&mut bytes);
        if !bytes.is_empty() {
            write(self.pointer as u64, &bytes)?;
        }
        result
    }
}

/// Reads values of the client's memory, whose number the caller has bounded.
pub fn read<T: Pod>(pointer: u64, count: usize) -> Result<Vec<T>, Errno> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if pointer == 0 {
        return Err(Errno(libc::EFAULT));
    }
    let mut values: Vec<T> = Vec::with_capacity(count);
    // SAFETY: the client says that so many values lie there, and any bytes make one; the copy needs no alignment.
    unsafe {
        let bytes = count * size_of::<T>();
        std::ptr::copy_nonoverlapping(pointer as *const u8, values.as_mut_ptr().cast(), bytes);
        values.set_len(count);
    }
    Ok(values)
}

/// Writes bytes to the client's memory, where it says that there is space for them.
pub fn write(pointer: u64, bytes: &[u8]) -> Answer {
    if pointer == 0 {
        return Err(Errno(libc::EFAULT));
    }
    // SAFETY: the client says that the bytes have space there.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), pointer as *mut u8, bytes.len()) };
    Ok(())
}
