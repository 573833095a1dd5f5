//! `amuABI.h`: the constants that a program image wants.

use crate::AMuint32;
use crate::call::{CallError, call};
use crate::memory::hand_out;
use ctm_device::read_image;
use ctm_object::elf;
use ctm_x1k::{INSTRUCTION_BYTES, MAX_INSTRUCTIONS, Program};
use std::ffi::{c_char, c_uint, c_void};
use std::ptr;

/// No image is longer: code and notes of the largest program need a small part of it. What claims to be longer is no
/// image, and is not read.
const MOST_IMAGE_BYTES: usize = 8 * MAX_INSTRUCTIONS * INSTRUCTION_BYTES;

/// The kind of a constant: an enum of C, whose values are the constants below.
pub type AMUabiDataType = c_uint;
/// Four floats.
pub const AMU_ABI_FLOAT32: AMUabiDataType = 0;
/// Four small integers: passes, first aL, step of aL, and an unused one.
pub const AMU_ABI_INT32: AMUabiDataType = 1;
/// One boolean.
pub const AMU_ABI_BOOL32: AMUabiDataType = 2;

/// The name of a constant.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct AMUabiName {
    /// The text, with a NUL.
    pub str: [c_char; 32],
}

/// A constant that the program reads and the client must set.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct AMUabiUserConst {
    /// The name: the kind's letter `c`, `i` or `b`, and the number.
    pub name: AMUabiName,
    /// The kind.
    pub r#type: AMUabiDataType,
    /// The number.
    pub addr: AMuint32,
}

/// The value of a constant, by its kind.
#[repr(C)]
#[derive(Clone, Copy)]
pub union AMUabiConstValue {
    /// Four floats.
    pub float32: [f32; 4],
    /// Four bytes, a word for each.
    pub int32: [AMuint32; 4],
    /// 0 or 1, and nothing.
    pub bool32: [AMuint32; 4],
}

/// A constant whose value travels with the program.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AMUabiLiteralConst {
    /// The kind.
    pub r#type: AMUabiDataType,
    /// The number.
    pub addr: AMuint32,
    /// The value.
    pub value: AMUabiConstValue,
}

/// The constants of a program image. The lists are to be freed with `amxFree`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct AMUabiConstsInfo {
    /// Constants that the client must set.
    pub userConsts: *mut AMUabiUserConst,
    /// How many.
    pub userConstsCount: AMuint32,
    /// Constants with values.
    pub litConsts: *mut AMUabiLiteralConst,
    /// How many.
    pub litConstsCount: AMuint32,
}

const NO_CONSTANTS: AMUabiConstsInfo =
    AMUabiConstsInfo { userConsts: ptr::null_mut(), userConstsCount: 0, litConsts: ptr::null_mut(), litConstsCount: 0 };

/// The bytes of the program image that begins at a pointer, as far as its headers tell; empty if it begins none.
///
/// # Safety
/// The pointer is NULL, or at least 52 bytes are there, and if they begin a program image, all of it is there.
pub(crate) unsafe fn image_at(binary: *const c_void) -> Result<Vec<u8>, CallError> {
    if binary.is_null() {
        return Err(CallError::Null("binary"));
    }
    Ok(read_image(0, |offset, bytes: &mut [u8]| {
        let offset = offset as usize;
        if offset + bytes.len() > MOST_IMAGE_BYTES {
            return 0;
        }
        // SAFETY: the bytes belong to the image, which is there as the caller promises.
        let source = unsafe { std::slice::from_raw_parts(binary.cast::<u8>().add(offset), bytes.len()) };
        bytes.copy_from_slice(source);
        bytes.len()
    }))
}

/// Lists the constants of a program image: those whose values travel with it, and those that it reads besides. Empty if
/// there is no program image; `amxGetMessage` then tells why.
///
/// # Safety
/// `binary` is NULL or points to all of a program image, or to at least 52 bytes that do not begin one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amuABIExtractConstants(binary: *const c_void) -> AMUabiConstsInfo {
    call(NO_CONSTANTS, || {
        // SAFETY: the caller's promise.
        let program = elf::read(&unsafe { image_at(binary) }?)?;
        let (users, literals) = (user_constants(&program), literal_constants(&program));
        let userConsts = hand_out(&users)?;
        let litConsts = hand_out(&literals).inspect_err(|_| {
            // SAFETY: the list was made above, and nobody else has it.
            unsafe { crate::amxFree(userConsts.cast()) };
        })?;
        Ok(AMUabiConstsInfo {
            userConsts,
            userConstsCount: users.len() as u32,
            litConsts,
            litConstsCount: literals.len() as u32,
        })
    })
}

fn user_constants(program: &Program) -> Vec<AMUabiUserConst> {
    let (read, values) = (&program.references, &program.constants);
    let floats = read.float_constants.iter().filter(|n| !values.floats.contains_key(n)).map(|n| (AMU_ABI_FLOAT32, n));
    let ints = read.int_constants.iter().filter(|n| !values.ints.contains_key(n)).map(|n| (AMU_ABI_INT32, n));
    let bools = read.bool_constants.iter().filter(|n| !values.bools.contains_key(n)).map(|n| (AMU_ABI_BOOL32, n));
    let all = floats.chain(ints).chain(bools);
    all.map(|(kind, &number)| AMUabiUserConst { name: name(kind, number), r#type: kind, addr: number.into() }).collect()
}

fn name(kind: AMUabiDataType, number: u8) -> AMUabiName {
    let letter = match kind {
        AMU_ABI_FLOAT32 => 'c',
        AMU_ABI_INT32 => 'i',
        _ => 'b',
    };
    let mut name = AMUabiName { str: [0; 32] };
    let text = format!("{letter}{number}");
    name.str.iter_mut().zip(text.bytes()).for_each(|(place, byte)| *place = byte as c_char);
    name
}

fn literal_constants(program: &Program) -> Vec<AMUabiLiteralConst> {
    let values = &program.constants;
    let literal = |kind, number: u8, value| AMUabiLiteralConst { r#type: kind, addr: number.into(), value };
    let floats = values.floats.iter().map(|(&number, value)| {
        literal(AMU_ABI_FLOAT32, number, AMUabiConstValue { float32: value.map(f32::from_bits) })
    });
    let ints = values.ints.iter().map(|(&number, value)| {
        let bytes = value.to_dword().to_le_bytes();
        literal(AMU_ABI_INT32, number, AMUabiConstValue { int32: bytes.map(AMuint32::from) })
    });
    let bools = values
        .bools
        .iter()
        .map(|(&number, &value)| literal(AMU_ABI_BOOL32, number, AMUabiConstValue { bool32: [value.into(), 0, 0, 0] }));
    floats.chain(ints).chain(bools).collect()
}

/// Writes the values that travel with a program to where the device reads constants: 16 bytes for each float constant,
/// 4 for each integer constant, and the first of 4 for each boolean constant. A kind whose pointer is NULL is left out.
///
/// # Safety
/// `info` comes from [`amuABIExtractConstants`] and its lists were not freed. A pointer that is not NULL points to memory
/// that can be written as far as constants of the kind have values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amuABISetLiteralConstants(
    info: AMUabiConstsInfo,
    floats: *mut c_void,
    ints: *mut c_void,
    bools: *mut c_void,
) {
    call((), || {
        if info.litConsts.is_null() {
            return Ok(());
        }
        // SAFETY: the list has as many entries, as the caller promises.
        let literals = unsafe { std::slice::from_raw_parts(info.litConsts, info.litConstsCount as usize) };
        for literal in literals {
            // SAFETY: all members of the union are four words, and any bits are a word.
            let words = unsafe { literal.value.int32 };
            let (base, stride, bytes) = match literal.r#type {
                AMU_ABI_FLOAT32 => (floats, 16, words.map(u32::to_ne_bytes).concat()),
                AMU_ABI_INT32 => (ints, 4, words.map(|word| word as u8).to_vec()),
                AMU_ABI_BOOL32 => (bools, 4, vec![u8::from(words[0] != 0)]),
                _ => continue,
            };
            if !base.is_null() {
                let place = base.cast::<u8>().wrapping_add(stride * literal.addr as usize);
                // SAFETY: the constant's place can be written, as the caller promises.
                unsafe { place.copy_from(bytes.as_ptr(), bytes.len()) };
            }
        }
        Ok(())
    });
}
