//! Memory that is handed to C: blocks of `malloc`, so that a client may also use `free`.

use crate::call::CallError;
use std::ffi::c_void;

unsafe extern "C" {
    fn malloc(bytes: usize) -> *mut c_void;
    fn free(block: *mut c_void);
}

/// A copy of the items, as a C array; NULL if there are none.
pub(crate) fn hand_out<T: Copy>(items: &[T]) -> Result<*mut T, CallError> {
    const { assert!(align_of::<T>() <= align_of::<u64>()) };
    if items.is_empty() {
        return Ok(std::ptr::null_mut());
    }
    let bytes = size_of_val(items);
    // SAFETY: malloc can be called with any size.
    let block = unsafe { malloc(bytes) }.cast::<T>();
    if block.is_null() {
        return Err(CallError::NoMemory(bytes));
    }
    // SAFETY: the block is new, has space for the items, and is aligned for all types of at most 8 bytes' alignment.
    unsafe { block.copy_from_nonoverlapping(items.as_ptr(), items.len()) };
    Ok(block)
}

/// Frees a block that `libctm` has made: an image, or a list of constants. NULL is ignored.
///
/// # Safety
/// The block comes from a function of this library and was not freed before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amxFree(block: *mut c_void) {
    // SAFETY: the caller's promise; free ignores NULL.
    unsafe { free(block) };
}
