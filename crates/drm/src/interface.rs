//! The kernel's drivers behind whose interfaces cards stand: what programs learn of them before they ask anything of a card.

use ctm_card::Kernel;

/// A driver of the kernel's.
#[derive(Clone, Copy, Debug)]
pub struct Interface {
    /// Its name, by which Mesa's loader and libdrm choose theirs.
    pub name: &'static str,
    /// The version of its interface: what it can do.
    pub version: (i32, i32, i32),
    /// The date of that.
    pub date: &'static str,
    /// What it drives, in words.
    pub description: &'static str,
    /// PCI device number of the board that a card is on; its vendor is that of the card.
    pub subsystem: u16,
    /// PCI revision of the card.
    pub revision: u8,
    /// The card address of the first object: those before are used by nobody.
    pub first_address: u64,
}

impl Interface {
    /// The driver of a kernel's interface.
    pub const fn of(kernel: Kernel) -> Self {
        match kernel {
            Kernel::Radeon => Interface {
                name: "radeon",
                version: (2, 50, 0),
                date: "20080528",
                description: "ATI Radeon",
                subsystem: 0x0B12,
                revision: 0,
                first_address: 0x1000,
            },
            // The first version with the requests of `nvif/ioctl.h`, without which Mesa 25 does not begin.
            Kernel::Nouveau => Interface {
                name: "nouveau",
                version: (1, 3, 1),
                date: "20120801",
                description: "nVidia Riva/TNT/GeForce/Quadro/Tesla/Tegra K1+",
                subsystem: 0x1065,
                revision: 0xA2,
                first_address: 16 << 20,
            },
        }
    }
}
