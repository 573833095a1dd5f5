//! The image that a text makes: qwords at places, and where each came from.

use crate::cf::Qword;
use ctm_text::{Cause, Cursor, Origin, Span};
use std::collections::BTreeMap;

/// Most qwords of an image: what the address of an ALU clause reaches.
pub(super) const MOST_QWORDS: u32 = 1 << 22;

#[derive(Default)]
pub(super) struct Image {
    qwords: BTreeMap<u32, Qword>,
    pub origins: BTreeMap<u32, Origin>,
}

impl Image {
    /// The place after the last.
    pub fn end(&self) -> u32 {
        self.qwords.last_key_value().map_or(0, |(&last, _)| last + 1)
    }

    /// Puts a qword at its place.
    pub fn put(&mut self, cursor: &mut Cursor, address: u32, qword: Qword, span: Span) {
        if address >= MOST_QWORDS {
            let message = format!("address {address} is out of range (0 to {})", MOST_QWORDS - 1);
            cursor.error(Cause::Address, span, message, "");
            return;
        }
        if *self.qwords.entry(address).or_insert(qword) != qword {
            let message = format!("something else is at address {address} already");
            cursor.error(Cause::Address, span, message, "what overlaps must be the same, word for word");
        }
        self.origins.entry(address).or_insert_with(|| cursor.origin(span));
    }

    /// The whole image, of at least this size, gaps filled with zeros.
    pub fn into_code(self, size: u32) -> Vec<Qword> {
        let mut code = vec![[0; 2]; self.end().max(size) as usize];
        for (address, qword) in self.qwords {
            code[address as usize] = qword;
        }
        code
    }
}
