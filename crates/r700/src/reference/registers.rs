//! The registers of a wavefront.

use crate::job::TrapKind;
use crate::program::{GPRS, ProgramInfo};

/// First of the registers that may serve as clause temporaries; they exist whatever NUM_GPRS says.
const FIRST_TEMPORARY: usize = 124;

#[derive(Clone)]
pub(super) struct Registers {
    /// Those of pixel 0, then those of pixel 1, ...
    gprs: Vec<[u32; 4]>,
    predicates: Vec<bool>,
    /// NUM_GPRS.
    count: usize,
    /// Relative addressing stays among them.
    clamps: bool,
}

impl Registers {
    /// All 0, for so many pixels.
    pub fn new(pixels: usize, info: &ProgramInfo, clamps: bool) -> Self {
        Registers {
            gprs: vec![[0; 4]; pixels * GPRS],
            predicates: vec![false; pixels],
            count: usize::from(info.num_gprs).min(GPRS),
            clamps,
        }
    }

    /// The register that an instruction names, the index of relative addressing added.
    pub fn index(&self, gpr: u8, index: Option<i32>) -> Result<usize, TrapKind> {
        let gpr = usize::from(gpr);
        let register = match (index, self.count.checked_sub(1)) {
            (Some(index), Some(last)) if self.clamps => Some(gpr.saturating_add_signed(index as isize).min(last)),
            (Some(index), _) => gpr.checked_add_signed(index as isize).filter(|&register| register < self.count),
            (None, _) => {
                Some(gpr).filter(|&register| register < self.count || (FIRST_TEMPORARY..GPRS).contains(&register))
            }
        };
        register.ok_or(TrapKind::GprOutOfRange)
    }

    /// The register so many after another one that is there.
    pub fn following(&self, register: usize, k: usize) -> Result<usize, TrapKind> {
        Some(register + k).filter(|&register| register < self.count).ok_or(TrapKind::GprOutOfRange)
    }

    /// The registers that instructions can name.
    pub fn existing(&self) -> impl Iterator<Item = usize> {
        (0..self.count).chain(self.count.max(FIRST_TEMPORARY)..GPRS)
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
