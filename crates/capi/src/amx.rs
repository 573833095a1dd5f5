//! `amxExtensions.h`: what this device has beyond the CTM interface.

use crate::am::{self, AMmanagedDevice, AMmanagedDeviceInfo};
use crate::call::{self, CallError, call, copy_text, text_at};
use crate::{AMuint32, devices};
use ctm_codegen::EngineName;
use ctm_device::{BufferId, Options};
use std::ffi::{c_char, c_void};
use std::num::NonZeroU32;
use std::ptr;
use std::time::Duration;

/// How a device is made and how it runs. [`amxDefaultOptions`] fills it with what `amOpenManagedConnection` uses.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct AMXoptions {
    /// `sizeof(AMXoptions)`.
    pub size: AMuint32,
    /// Bytes of local memory: a multiple of 2048.
    pub localBytes: AMuint32,
    /// Bytes of host-visible memory: a multiple of 2048, at most 0x40000000.
    pub hostBytes: AMuint32,
    /// Worker threads of one run; 0 is one per core.
    pub threads: AMuint32,
    /// Lanes of a group.
    pub groupWidth: AMuint32,
    /// Instructions that a group may execute before it traps; 0 is the default, 2^32.
    pub stepLimit: AMuint32,
    /// Not 0: multiply-add, dot products and BIAS round twice.
    pub unfused: AMuint32,
    /// Not 0: performance counters count executed instructions instead of time.
    pub deterministicClock: AMuint32,
    /// Not 0: missing cache and wait commands show, and are reported by [`amxGetReport`].
    pub strict: AMuint32,
    /// Not 0: the device records, for [`amxWriteTrace`].
    pub record: AMuint32,
    /// What executes programs, one of the codes `AMX_ENGINE_...`; 0 is the fastest that the host has.
    pub engine: AMuint32,
}

/// Instructions of a program, summed over its lanes.
pub const AMX_LIMIT_INSTRUCTIONS: AMuint32 = 1;
/// Seconds of a program.
pub const AMX_LIMIT_RUN_TIME: AMuint32 = 2;
/// Seconds of a single group of lanes.
pub const AMX_LIMIT_GROUP_TIME: AMuint32 = 3;
/// Bytes that executing a program takes besides the device's memory.
pub const AMX_LIMIT_MEMORY: AMuint32 = 4;

/// The size of [`AMXoptions`].
const OPTIONS_SIZE: u32 = size_of::<AMXoptions>() as u32;

impl AMXoptions {
    /// What the options say of the device.
    fn of_device(&self) -> Result<Options, CallError> {
        let default = Options::default();
        let engine = match self.engine {
            0 => Some(default.engine),
            code => EngineName::ALL.into_iter().find(|&engine| engine as u32 == code),
        };
        Ok(Options {
            engine: engine.ok_or(CallError::Engine(self.engine))?,
            local_bytes: self.localBytes,
            host_bytes: self.hostBytes,
            group_width: self.groupWidth as usize,
            threads: self.threads as usize,
            step_limit: match self.stepLimit {
                0 => default.step_limit,
                limit => limit.into(),
            },
            limits: default.limits,
            unfused: self.unfused != 0,
            deterministic_clock: self.deterministicClock != 0,
            strict: self.strict != 0,
        })
    }
}

/// Fills options with their defaults. NULL is ignored.
///
/// # Safety
/// `options` is NULL or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amxDefaultOptions(options: *mut AMXoptions) {
    let default = Options::default();
    let filled = AMXoptions {
        size: OPTIONS_SIZE,
        localBytes: default.local_bytes,
        hostBytes: default.host_bytes,
        threads: default.threads as u32,
        groupWidth: default.group_width as u32,
        stepLimit: 0,
        unfused: default.unfused.into(),
        deterministicClock: default.deterministic_clock.into(),
        strict: default.strict.into(),
        record: 0,
        engine: 0,
    };
    if !options.is_null() {
        // SAFETY: not NULL, so the caller lets it be written.
        unsafe { options.write(filled) };
    }
}

/// Opens a device as `amOpenManagedConnection` does, with options; NULL options are the defaults.
///
/// # Safety
/// As `amOpenManagedConnection`; `options` is NULL or begins with its size, and as many bytes of it can be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amxOpenManagedConnection(
    name: *const c_char,
    info: *mut AMmanagedDeviceInfo,
    options: *const AMXoptions,
) -> AMmanagedDevice {
    call(ptr::null_mut(), || {
        let (options, record) = match options.is_null() {
            true => (Options::default(), false),
            false => {
                // SAFETY: the caller's promise: the size is there.
                let found = unsafe { options.cast::<AMuint32>().read() };
                if found != OPTIONS_SIZE {
                    return Err(CallError::OptionsSize { found, expected: OPTIONS_SIZE });
                }
                // SAFETY: the caller's promise: as many bytes as the size says are there.
                let options = unsafe { options.read() };
                (options.of_device()?, options.record != 0)
            }
        };
        // SAFETY: the caller's promise.
        unsafe { am::open(name, info, options, record) }
    })
}

/// Sets what each start of a program may use, from the next command buffer on. `limit` is one of the codes `AMX_LIMIT_...`;
/// `value` are instructions, seconds or bytes, and 0 means no limit. 1 if that is done, 0 if it fails.
#[unsafe(no_mangle)]
pub extern "C" fn amxSetLimit(dev: AMmanagedDevice, limit: AMuint32, value: f64) -> AMuint32 {
    call(0, || {
        let wrong = CallError::Limit { limit, value };
        let time = Duration::try_from_secs_f64(value).map_err(|_| CallError::Limit { limit, value })?;
        let time = (!time.is_zero()).then_some(time);
        // Conversion saturates, and a duration is neither negative nor NaN.
        let count = if value == 0.0 { u64::MAX } else { value as u64 };
        devices::with(dev.addr(), |_, connection| {
            let mut limits = connection.limits();
            match limit {
                AMX_LIMIT_INSTRUCTIONS => limits.instructions = count,
                AMX_LIMIT_RUN_TIME => limits.run_time = time,
                AMX_LIMIT_GROUP_TIME => limits.group_time = time,
                AMX_LIMIT_MEMORY => limits.memory = count,
                _ => return Err(wrong),
            }
            connection.set_limits(limits);
            Ok(1)
        })
    })
}

/// Takes the device's sticky error: the code of the first error since the last call, or 0. `detail`, if it is not NULL,
/// becomes the program counter for a trap, else the offset of the offending command in its buffer, in words.
/// [`amxGetMessage`] then gives the error's text.
///
/// # Safety
/// `detail` is NULL or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amxGetError(dev: AMmanagedDevice, detail: *mut AMuint32) -> AMuint32 {
    call(0, || {
        let Some(fault) = devices::with(dev.addr(), |_, connection| Ok(connection.take_fault()))? else { return Ok(0) };
        call::tell(fault.to_string());
        if !detail.is_null() {
            // SAFETY: not NULL, so the caller lets it be written.
            unsafe { detail.write(fault.detail()) };
        }
        Ok(fault.code() as u32)
    })
}

/// Copies the text of what went wrong last in a call of this thread, or of the error that it last took with
/// [`amxGetError`]: as much of it as fits into `size` bytes, with a NUL. Returns the bytes that all of it needs, NUL
/// included.
///
/// # Safety
/// `size` bytes at `text` can be written, or `text` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amxGetMessage(text: *mut c_char, size: AMuint32) -> AMuint32 {
    // SAFETY: the caller's promise.
    call(0, || Ok(unsafe { copy_text(&call::message(), text, size) }))
}

/// Copies the text of the oldest report of strict mode that was not taken before, and takes it if all of it fits into
/// `size` bytes with its NUL. Returns the bytes that it needs; 0 if there is no report.
///
/// # Safety
/// `size` bytes at `text` can be written, or `text` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amxGetReport(dev: AMmanagedDevice, text: *mut c_char, size: AMuint32) -> AMuint32 {
    call(0, || {
        devices::with(dev.addr(), |device, connection| {
            let mut reports = device.reports(connection);
            let Some(report) = reports.front() else { return Ok(0) };
            // SAFETY: the caller's promise.
            let needed = unsafe { copy_text(report, text, size) };
            if !text.is_null() && needed <= size {
                reports.pop_front();
            }
            Ok(needed)
        })
    })
}

/// The host address of a GPU address in any arena, valid until the device is closed; NULL if nothing is there.
#[unsafe(no_mangle)]
pub extern "C" fn amxLocalPointer(dev: AMmanagedDevice, gpuAddr: AMuint32) -> *mut c_void {
    call(ptr::null_mut(), || {
        devices::with(dev.addr(), |_, connection| {
            let arena = connection.memory().arena_of(gpuAddr, 1).ok_or(CallError::Unmapped(gpuAddr))?;
            Ok(arena.as_ptr().wrapping_add((gpuAddr - arena.base()) as usize).cast())
        })
    })
}

/// Waits until a buffer is consumed. Does not wait for what is not an id of a buffer, or not an open device.
#[unsafe(no_mangle)]
pub extern "C" fn amxWaitCommandBuffer(dev: AMmanagedDevice, buf: AMuint32) {
    call((), || {
        devices::with(dev.addr(), |_, connection| {
            if let Some(id) = NonZeroU32::new(buf) {
                connection.wait(BufferId::from(id));
            }
            Ok(())
        })
    });
}

/// Waits for everything submitted so far, and writes what the device has executed to a trace file, for `ctm replay`. The
/// device must have been opened with [`AMXoptions::record`]. 1 if that is done, 0 if it fails.
///
/// # Safety
/// `path` is NULL, which is an error, or a text that ends with a NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amxWriteTrace(dev: AMmanagedDevice, path: *const c_char) -> AMuint32 {
    call(0, || {
        // SAFETY: the caller's promise.
        let path = unsafe { text_at(path) }.ok_or(CallError::Null("path"))?;
        let path = path.to_str().map_err(|_| CallError::Text("path"))?;
        devices::with(dev.addr(), |_, connection| devices::write_trace(connection, path.into()))?;
        Ok(1)
    })
}
