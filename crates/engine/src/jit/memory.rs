//! Memory that holds code: written first, executable afterwards, never both.

use super::context::Context;

/// Machine code of the host that takes a context.
pub struct Executable {
    map: memmap2::Mmap,
    entry: usize,
}

impl Executable {
    /// Makes the bytes executable; `entry` is where the code starts. `None` if the host refuses.
    pub fn new(bytes: &[u8], entry: usize) -> Option<Self> {
        let mut map = memmap2::MmapMut::map_anon(bytes.len().max(1)).ok()?;
        map[..bytes.len()].copy_from_slice(bytes);
        Some(Self { map: map.make_exec().ok()?, entry })
    }

    /// The constants and the code.
    pub fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// Where the code starts in the bytes.
    pub fn entry(&self) -> usize {
        self.entry
    }

    /// Calls the code.
    ///
    /// # Safety
    /// The bytes have to be code for this host that keeps the rules of the System V calling convention, and the context
    /// has to hold what that code expects: pointers to live memory large enough for all of its accesses.
    pub unsafe fn call(&self, context: &mut Context) {
        // SAFETY: the entry lies in the map, which is executable; the caller answers for what the code does.
        unsafe {
            let entry = self.map.as_ptr().add(self.entry);
            let function: unsafe extern "sysv64" fn(*mut Context) = std::mem::transmute(entry);
            function(context);
        }
    }
}
