//! Traces executed again, up to any draw of a [`card`] or any start of a program on the CTM [`device`]: what their commands are, what is in
//! memory then, what was done to a pixel.
//!
//! A trace is looked through before it is executed: how much memory its commands can reach is known then, and no more is taken.
#![forbid(unsafe_code)]

pub mod card;
pub mod device;

use std::num::Saturating;

/// A draw of a card, or a start of a program on the device: execution can stop after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The number of its submission, from 0.
    pub submission: usize,
    /// The dword of the submission that it begins at.
    pub dword: usize,
}

/// A line of what a submission says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The dword of the submission that it is about.
    pub dword: usize,
    /// What stands there.
    pub text: String,
    /// What that means, in a sentence; empty where the text says it.
    pub meaning: &'static str,
}

/// A first address and an end, which grow with what they are to hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Extent {
    range: Option<(u64, u64)>,
}

impl Extent {
    fn add(&mut self, address: u32, bytes: u64) {
        let start = u64::from(address);
        let end = (Saturating(start) + Saturating(bytes)).0.min(1 << 32);
        let (first, last) = self.range.unwrap_or((start, end));
        self.range = Some((first.min(start), last.max(end)));
    }
}
