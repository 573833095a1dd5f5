//! Names of files: what the kernel would show of the card is kept in a directory of the user's own, and names of the
//! kernel's files lead there.

use crate::device::Device;
use crate::files::{self, Entry};
use crate::interface::Interface;
use crate::process;
use ctm_card::Identity;
use std::ffi::{CStr, CString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The device number of the node.
pub const NODE: (u32, u32) = (226, 128);
/// The node.
const NODE_PATH: &[u8] = b"/dev/dri/renderD128";
/// Directories of the kernel's, each with the place in the card's directory that stands for it.
const DIRECTORIES: [(&[u8], &str); 2] = [(b"/dev/dri", "dri"), (b"/sys/dev/char/226:128", "sys")];

/// Where a name leads.
pub enum Redirection {
    /// To what it names.
    Itself,
    /// To a file in the card's directory.
    Private(CString),
    /// To the node; with the file in the card's directory that lies in its place.
    Node(CString),
}

/// Where a name leads.
pub fn redirection(name: &CStr) -> Redirection {
    let name = name.to_bytes();
    let below = |&(directory, own): &(&[u8], &'static str)| {
        let rest = name.strip_prefix(directory)?;
        (rest.is_empty() || rest.starts_with(b"/")).then_some((own, rest))
    };
    let Some((own, rest)) = DIRECTORIES.iter().find_map(below) else { return Redirection::Itself };
    // Without a card names lead to nothing, never to a card of the host's.
    let files = process::files(directory).unwrap_or(Path::new("/proc/self/no-card"));
    let mut path = files.join(own).as_os_str().as_bytes().to_vec();
    path.extend_from_slice(rest);
    let Ok(path) = CString::new(path) else { return Redirection::Itself };
    if name == NODE_PATH { Redirection::Node(path) } else { Redirection::Private(path) }
}

/// The directory with the card's files.
fn directory(device: &Device) -> Result<PathBuf, String> {
    let Identity { vendor, device: card, .. } = device.identity;
    let Interface { name, subsystem, revision, .. } = device.interface;
    let uevent = format!(
        "DRIVER={name}\nPCI_CLASS=30000\nPCI_ID={vendor:04X}:{card:04X}\nPCI_SUBSYS_ID={vendor:04X}:{subsystem:04X}\n\
         PCI_SLOT_NAME=0000:01:00.0\n"
    );
    let number = |number: u16| Entry::File(format!("{number:#06x}\n"));
    let entries = [
        ("dri", Entry::Directory),
        ("dri/renderD128", Entry::File(String::new())),
        ("sys", Entry::Directory),
        ("sys/device", Entry::Directory),
        ("sys/device/drm", Entry::Directory),
        ("sys/device/drm/renderD128", Entry::Directory),
        // The last component of what the link leads to is the name of the bus.
        ("sys/device/subsystem", Entry::Link("/sys/bus/pci")),
        ("sys/device/uevent", Entry::File(uevent)),
        ("sys/device/vendor", number(vendor)),
        ("sys/device/device", number(card)),
        ("sys/device/subsystem_vendor", number(vendor)),
        ("sys/device/subsystem_device", number(subsystem)),
        ("sys/device/revision", Entry::File(format!("{revision:#04x}\n"))),
    ];
    files::directory(&format!("card-{card:04x}"), &entries)
}
