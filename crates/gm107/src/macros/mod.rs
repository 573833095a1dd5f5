//! Macros: small programs that drivers upload, which write methods. They are executed from the code that was uploaded, whatever their
//! numbers are (decision D339).

pub mod instruction;
pub mod machine;

pub use machine::{MacroError, Port, run};

use std::sync::Arc;

/// Instructions that there is room for.
pub const CODE_WORDS: usize = 2048;
/// Macros.
pub const MACROS: usize = 128;

/// The macros of a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Macros {
    code: Arc<Vec<u32>>,
    starts: [u32; MACROS],
    /// Where the next word of code goes.
    position: u32,
    /// The macro whose beginning is set next.
    number: u32,
}

impl Default for Macros {
    fn default() -> Self {
        Macros { code: Arc::default(), starts: [0; MACROS], position: 0, number: 0 }
    }
}

impl Macros {
    /// Code is written here from now on.
    pub fn set_position(&mut self, position: u32) {
        self.position = position;
    }

    /// Writes a word of code. Nothing is written where there is no room.
    pub fn upload(&mut self, word: u32) {
        let position = self.position as usize;
        self.position = self.position.saturating_add(1);
        if position >= CODE_WORDS {
            return;
        }
        let code = Arc::make_mut(&mut self.code);
        if code.len() <= position {
            code.resize(position + 1, 0);
        }
        code[position] = word;
    }

    /// The beginning of this macro is set next.
    pub fn set_number(&mut self, number: u32) {
        self.number = number;
    }

    /// Sets where the macro begins.
    pub fn set_start(&mut self, start: u32) {
        if let Some(slot) = self.starts.get_mut(self.number as usize) {
            *slot = start;
        }
    }

    /// The code of all macros.
    pub fn code(&self) -> &Arc<Vec<u32>> {
        &self.code
    }

    /// Where a macro begins.
    pub fn start(&self, number: u32) -> Option<u32> {
        self.starts.get(number as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_goes_where_there_is_room() {
        let mut macros = Macros::default();
        macros.set_position(2047);
        (5..8).for_each(|word| macros.upload(word));
        assert_eq!((macros.code().len(), macros.code()[2047], macros.code()[0]), (2048, 5, 0));
        macros.set_position(u32::MAX);
        (5..8).for_each(|word| macros.upload(word));
        macros.set_number(3);
        macros.set_start(7);
        macros.set_number(128);
        macros.set_start(9);
        assert_eq!((macros.start(3), macros.start(4), macros.start(128)), (Some(7), Some(0), None));
        assert_eq!(macros.code().len(), 2048);
    }
}
