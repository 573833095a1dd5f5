//! The registers of a wavefront.

use crate::job::TrapKind;
use crate::program::{GPRS, ProgramInfo};

#[derive(Clone)]
pub(super) struct Registers {
    /// Those of pixel 0, then those of pixel 1, ...
    gprs: Vec<[u32; 4]>,
    predicates: Vec<bool>,
    info: ProgramInfo,
    /// Relative addressing stays among them.
    clamps: bool,
}

impl Registers {
    /// All 0, for so many pixels.
    pub fn new(pixels: usize, info: &ProgramInfo, clamps: bool) -> Self {
        Registers { gprs: vec![[0; 4]; pixels * GPRS], predicates: vec![false; pixels], info: *info, clamps }
    }

    /// The register that an instruction reads, the index of relative addressing added.
    pub fn source(&self, gpr: u8, index: Option<i32>) -> Result<usize, TrapKind> {
        self.named(gpr, index, self.info.can_read(gpr))
    }

    /// The register that an instruction writes. Nothing reads one that discards writes, so that it may hold them.
    pub fn destination(&self, gpr: u8, index: Option<i32>) -> Result<usize, TrapKind> {
        self.named(gpr, index, self.info.can_write(gpr))
    }

    /// The register with this number, or the one that the index leads to; `exists` speaks of the number.
    fn named(&self, gpr: u8, index: Option<i32>, exists: bool) -> Result<usize, TrapKind> {
        let gpr = usize::from(gpr);
        let register = match (index, self.count().checked_sub(1)) {
            (Some(index), Some(last)) if self.clamps => Some(gpr.saturating_add_signed(index as isize).min(last)),
            (Some(index), _) => gpr.checked_add_signed(index as isize).filter(|&register| register < self.count()),
            (None, _) => exists.then_some(gpr),
        };
        register.ok_or(TrapKind::GprOutOfRange)
    }

    /// The register so many after another one that is there: the others of a burst are counted ones.
    pub fn following(&self, register: usize, k: usize) -> Result<usize, TrapKind> {
        Some(register + k).filter(|&register| k == 0 || register < self.count()).ok_or(TrapKind::GprOutOfRange)
    }

    fn count(&self) -> usize {
        self.info.counted_gprs().into()
    }

    /// The registers that instructions can read.
    pub fn existing(&self) -> impl Iterator<Item = usize> {
        (0..GPRS).filter(|&gpr| self.info.can_read(gpr as u8))
    }

    pub fn gpr(&self, pixel: usize, gpr: usize) -> [u32; 4] {
        self.gprs[pixel * GPRS + gpr]
    }

    pub fn gpr_mut(&mut self, pixel: usize, gpr: usize) -> &mut [u32; 4] {
        &mut self.gprs[pixel * GPRS + gpr]
    }

    /// The predicate bit. It outlives the clause.
    pub fn predicate(&self, pixel: usize) -> bool {
        self.predicates[pixel]
    }

    pub fn set_predicate(&mut self, pixel: usize, predicate: bool) {
        self.predicates[pixel] = predicate;
    }
}
