//! The float constants of uniforms.

use super::error::LowerError;

/// Float constants of a program.
const REGISTERS: u16 = 256;
/// Hands out float constants.
#[derive(Debug, Default)]
pub(super) struct Allotment {
    /// The first register that nothing uses.
    next: u16,
    /// Registers with free channels, and the first of those.
    open: Vec<(u8, u8)>,
}

impl Allotment {
    /// Whole registers.
    pub(super) fn registers(&mut self, count: usize) -> Result<u8, LowerError> {
        let end = usize::from(self.next) + count;
        if end > usize::from(REGISTERS) {
            return Err(LowerError::Limit { what: "float constants for its uniforms", limit: usize::from(REGISTERS) });
        }
        let register = self.next;
        self.next = end as u16;
        Ok(register as u8)
    }

    /// Neighbouring channels of one register.
    pub(super) fn channels(&mut self, count: u8) -> Result<(u8, u8), LowerError> {
        if let Some(entry) = self.open.iter_mut().find(|entry| 4 - entry.1 >= count) {
            let place = *entry;
            entry.1 += count;
            return Ok(place);
        }
        let register = self.registers(1)?;
        self.open.push((register, count));
        Ok((register, 0))
    }

    /// How many registers are handed out.
    pub(super) fn used(&self) -> u16 {
        self.next
    }
}
