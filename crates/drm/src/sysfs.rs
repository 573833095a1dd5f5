//! Names of files: what the kernel would show of the card is kept in a directory of the process's own, and names of the
//! kernel's files lead there.

use crate::device::{complain, device};
use crate::private;
use ctm_card::Identity;
use std::ffi::{CStr, CString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;

/// The device number of the node.
pub const NODE: (u32, u32) = (226, 128);
/// The node.
const NODE_PATH: &[u8] = b"/dev/dri/renderD128";
/// Directories of the kernel's, each with the place in the private directory that stands for it.
const DIRECTORIES: [(&[u8], &str); 2] = [(b"/dev/dri", "dri"), (b"/sys/dev/char/226:128", "sys")];
/// PCI numbers that all cards here have.
const VENDOR: u16 = 0x1002;
const SUBSYSTEM: u16 = 0x0B12;

/// Where a name leads.
pub enum Place {
    /// To what it names.
    Itself,
    /// To a file in the private directory.
    Private(CString),
    /// To the node; with the file in the private directory that lies in its place.
    Node(CString),
}

/// Where a name leads.
pub fn place(name: &CStr) -> Place {
    let name = name.to_bytes();
    let below = |&(directory, own): &(&[u8], &'static str)| {
        let rest = name.strip_prefix(directory)?;
        (rest.is_empty() || rest.starts_with(b"/")).then_some((own, rest))
    };
    let Some((own, rest)) = DIRECTORIES.iter().find_map(below) else { return Place::Itself };
    // Without a card names lead to nothing, never to a card of the host's.
    let private = private_directory().unwrap_or(Path::new("/proc/self/no-card"));
    let mut path = private.join(own).as_os_str().as_bytes().to_vec();
    path.extend_from_slice(rest);
    let Ok(path) = CString::new(path) else { return Place::Itself };
    if name == NODE_PATH { Place::Node(path) } else { Place::Private(path) }
}

/// The private directory. `None` where there is no device or no place for it, which is written to standard error once.
fn private_directory() -> Option<&'static Path> {
    let identity = &device()?.identity;
    let report = |parent: &Path, error| {
        complain(&format!(
            "{}: no directory for the card's files: {error}; TMPDIR names another place",
            parent.display()
        ));
    };
    private::directory(|root| fill(root, identity), report)
}

/// Fills the private directory.
fn fill(root: &Path, card: &Identity) -> io::Result<()> {
    let device = root.join("sys/device");
    fs::create_dir_all(device.join("drm/renderD128"))?;
    fs::create_dir(root.join("dri"))?;
    fs::write(root.join("dri/renderD128"), "")?;
    // The last component of what the link leads to is the name of the bus.
    symlink("/sys/bus/pci", device.join("subsystem"))?;
    let uevent = format!(
        "DRIVER=radeon\nPCI_CLASS=30000\nPCI_ID={VENDOR:04X}:{:04X}\nPCI_SUBSYS_ID={VENDOR:04X}:{SUBSYSTEM:04X}\n\
         PCI_SLOT_NAME=0000:01:00.0\n",
        card.device
    );
    fs::write(device.join("uevent"), uevent)?;
    let numbers =
        [("vendor", VENDOR), ("device", card.device), ("subsystem_vendor", VENDOR), ("subsystem_device", SUBSYSTEM)];
    for (name, number) in numbers {
        fs::write(device.join(name), format!("{number:#06x}\n"))?;
    }
    fs::write(device.join("revision"), "0x00\n")?;
    Ok(())
}
