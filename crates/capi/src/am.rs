//! `amDeviceManaged.h`: the managed connection (CTM Guide p.51-52).

use crate::AMuint32;
use crate::call::{CallError, call, text_at};
use crate::devices;
use ctm_device::{Connection, HOST_BASE, LOCAL_BASE, Options};
use std::ffi::{c_char, c_void};
use std::path::PathBuf;
use std::ptr;

/// The environment variable that makes every device write a trace when it is closed.
const TRACE_VARIABLE: &str = "CTM_TRACE";
/// The name of the device.
const DEVICE_NAME: &[u8] = b"/dev/pcie0";

/// What a handle points to, as far as C knows. There is no such object.
#[repr(C)]
pub struct AMmanagedDeviceRec {
    opaque: [u8; 0],
}

/// The handle of an open device: not an address, and never the same twice.
pub type AMmanagedDevice = *mut AMmanagedDeviceRec;

/// Where a device's memory is. Sizes are in bytes; an arena of size 0 is not there.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct AMmanagedDeviceInfo {
    /// Local memory.
    pub baseAddressGPU: AMuint32,
    /// Its size.
    pub arenaSizeGPU: AMuint32,
    /// A second local arena: not there.
    pub baseAddressGPUb: AMuint32,
    /// Its size: 0.
    pub arenaSizeGPUb: AMuint32,
    /// Uncached host-visible memory: the same as the cached one.
    pub baseAddressSYS: AMuint32,
    /// Its size.
    pub arenaSizeSYS: AMuint32,
    /// Its host address, valid until the device is closed.
    pub baseAddressCPU: *mut c_void,
    /// Cached host-visible memory.
    pub baseAddressSYSc: AMuint32,
    /// Its size.
    pub arenaSizeSYSc: AMuint32,
    /// Its host address: the same.
    pub baseAddressCPUc: *mut c_void,
    /// 0.
    pub reserved0: AMuint32,
    /// 0.
    pub reserved1: AMuint32,
}

/// Opens a device of its own and tells where its memory is. NULL if that fails; `amxGetMessage` tells why.
///
/// `name` is `/dev/pcie0`, empty or NULL.
///
/// # Safety
/// `name` is NULL or a text that ends with a NUL; `info` is NULL, which is an error, or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amOpenManagedConnection(
    name: *const c_char,
    info: *mut AMmanagedDeviceInfo,
) -> AMmanagedDevice {
    // SAFETY: the caller's promise.
    call(ptr::null_mut(), || unsafe { open(name, info, Options::default(), false) })
}

/// Opens a device with options.
///
/// # Safety
/// As [`amOpenManagedConnection`].
pub(crate) unsafe fn open(
    name: *const c_char,
    info: *mut AMmanagedDeviceInfo,
    options: Options,
    record: bool,
) -> Result<AMmanagedDevice, CallError> {
    if info.is_null() {
        return Err(CallError::Null("info"));
    }
    // SAFETY: the caller's promise.
    if let Some(name) = unsafe { text_at(name) }
        && !name.is_empty()
        && name.to_bytes() != DEVICE_NAME
    {
        return Err(CallError::Name(name.to_string_lossy().into_owned()));
    }
    let trace_path = std::env::var_os(TRACE_VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
    let handle = devices::open(options, record, trace_path)?;
    let described = devices::with(handle, |_, connection| Ok(describe(connection)))?;
    // SAFETY: not NULL, so the caller lets it be written.
    unsafe { info.write(described) };
    Ok(ptr::without_provenance_mut(handle))
}

fn describe(connection: &Connection) -> AMmanagedDeviceInfo {
    let Options { local_bytes, host_bytes, .. } = *connection.options();
    let host = connection.memory().arena_of(HOST_BASE, 1).map_or(ptr::null_mut(), |arena| arena.as_ptr());
    AMmanagedDeviceInfo {
        baseAddressGPU: LOCAL_BASE,
        arenaSizeGPU: local_bytes,
        baseAddressGPUb: 0,
        arenaSizeGPUb: 0,
        // Clients calculate with the base of one and the host address of the other.
        baseAddressSYS: HOST_BASE,
        arenaSizeSYS: host_bytes,
        baseAddressCPU: host.cast(),
        baseAddressSYSc: HOST_BASE,
        arenaSizeSYSc: host_bytes,
        baseAddressCPUc: host.cast(),
        reserved0: 0,
        reserved1: 0,
    }
}

/// Waits until everything submitted is done, and releases the device and its memory. NULL, and what is not an open device,
/// is ignored. Calls of other threads that are under way end first; later ones fail.
#[unsafe(no_mangle)]
pub extern "C" fn amCloseManagedConnection(dev: AMmanagedDevice) {
    if dev.is_null() {
        return;
    }
    call((), || {
        let closed = devices::close(dev.addr());
        if let Err(error @ CallError::Write(..)) = &closed {
            // Who has asked for a trace by the environment variable has no other way to learn that there is none.
            eprintln!("ctm: {TRACE_VARIABLE}: {error}");
        }
        closed
    });
}

/// Queues the command buffer of `size` 32-bit words at GPU address `addr`, which is in host-visible memory, and returns
/// its id; 0 if it is not taken.
#[unsafe(no_mangle)]
pub extern "C" fn amSubmitCommandBuffer(dev: AMmanagedDevice, addr: AMuint32, size: AMuint32) -> AMuint32 {
    call(0, || devices::with(dev.addr(), |_, connection| Ok(connection.submit(addr, size)?.get())))
}

/// 1 if a buffer is consumed: executed, and all that it did is in memory. 0 if not yet. 1 for what is not an id of a buffer,
/// and no open device, so that nobody waits for it.
#[unsafe(no_mangle)]
pub extern "C" fn amCommandBufferConsumed(dev: AMmanagedDevice, buf: AMuint32) -> AMuint32 {
    call(1, || devices::with(dev.addr(), |_, connection| Ok(connection.consumed(buf).into())))
}
