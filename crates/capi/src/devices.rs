//! The devices that are open, by their handles.

use crate::call::CallError;
use crate::log;
use ctm_device::{Connection, Options};
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

/// The handles begin here: on hosts of today, no object of a process has an address above.
const FIRST_HANDLE: usize = usize::MAX / 2 + 1;

/// The devices of the process. C has handles where Rust has values, so somebody must keep the values.
static DEVICES: RwLock<Devices> = RwLock::new(Devices { open: BTreeMap::new(), opened: 0 });

struct Devices {
    open: BTreeMap<usize, Arc<Device>>,
    /// Devices that were opened so far.
    opened: usize,
}

/// An open device.
pub(crate) struct Device {
    /// Nothing is left in it once the device is closed. Calls hold the lock for reading as long as they use the
    /// connection, so that the closing one waits for them.
    connection: RwLock<Option<Connection>>,
    /// Texts of reports that nobody has asked for yet.
    reports: Mutex<VecDeque<String>>,
    /// Where a trace goes when the device is closed.
    trace_path: Option<PathBuf>,
}

/// Opens a device and returns its handle. If there is a path, the device records, and its trace is written there when it
/// is closed; the second device of the process takes the name with `.2` after it, and so on.
pub(crate) fn open(options: Options, record: bool, trace_path: Option<PathBuf>) -> Result<usize, CallError> {
    let connection = match record || trace_path.is_some() {
        true => Connection::open_recording(options)?,
        false => Connection::open(options)?,
    };
    log::attach(&connection);
    let mut devices = DEVICES.write().unwrap_or_else(PoisonError::into_inner);
    devices.opened += 1;
    // Odd, so that it is not an address of anything that is aligned.
    let handle = FIRST_HANDLE.wrapping_add(2 * devices.opened - 1);
    let trace_path = trace_path.map(|path| match devices.opened {
        1 => path,
        n => {
            let mut name = path.into_os_string();
            name.push(format!(".{n}"));
            name.into()
        }
    });
    let device = Device { connection: RwLock::new(Some(connection)), reports: Mutex::default(), trace_path };
    devices.open.insert(handle, Arc::new(device));
    Ok(handle)
}

/// Does something with an open device.
pub(crate) fn with<T>(
    handle: usize,
    body: impl FnOnce(&Device, &Connection) -> Result<T, CallError>,
) -> Result<T, CallError> {
    let closed = CallError::NoDevice(handle);
    let device = {
        let devices = DEVICES.read().unwrap_or_else(PoisonError::into_inner);
        devices.open.get(&handle).cloned()
    };
    let Some(device) = device else { return Err(closed) };
    let connection = device.connection.read().unwrap_or_else(PoisonError::into_inner);
    body(&device, connection.as_ref().ok_or(closed)?)
}

/// Closes a device: waits for the calls that use it and for everything submitted, writes the trace, and releases the
/// memory.
pub(crate) fn close(handle: usize) -> Result<(), CallError> {
    let device = {
        let mut devices = DEVICES.write().unwrap_or_else(PoisonError::into_inner);
        devices.open.remove(&handle)
    };
    let device = device.ok_or(CallError::NoDevice(handle))?;
    let connection = device.connection.write().unwrap_or_else(PoisonError::into_inner).take();
    match (connection, &device.trace_path) {
        (Some(connection), Some(path)) => write_trace(&connection, path.clone()),
        _ => Ok(()),
    }
}

/// Writes what a device has executed so far.
pub(crate) fn write_trace(connection: &Connection, path: PathBuf) -> Result<(), CallError> {
    let trace = connection.take_trace().ok_or(CallError::NotRecording)?;
    std::fs::write(&path, trace.to_bytes()).map_err(|error| CallError::Write(path, error))
}

impl Device {
    /// The reports' texts, those of the device's last finds among them.
    pub fn reports(&self, connection: &Connection) -> MutexGuard<'_, VecDeque<String>> {
        let mut reports = self.reports.lock().unwrap_or_else(PoisonError::into_inner);
        reports.extend(connection.take_reports().iter().map(ToString::to_string));
        reports
    }
}
