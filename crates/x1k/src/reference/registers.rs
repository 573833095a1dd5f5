//! The registers of a group: for every register channel one row with a value per lane.

use crate::program::{OUTPUTS, TEMPS};

/// All values are binary32 bits.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Registers {
    width: usize,
    /// Rows of register 0 red, green, blue, alpha, register 1 red, ...
    temps: Vec<u32>,
    /// Rows of output A red, green, ...
    outputs: Vec<u32>,
    /// Rows of predicate bits R, G, B, A.
    pub predicates: [Vec<bool>; 4],
    pub alu_result: Vec<bool>,
    pub cond_value: Vec<u32>,
}

impl Registers {
    /// `temps` is the number of temporaries that the program can reach; the others do not exist here.
    pub fn new(width: usize, temps: usize) -> Self {
        Registers {
            width,
            temps: vec![0; temps * 4 * width],
            outputs: vec![0; OUTPUTS * 4 * width],
            predicates: std::array::from_fn(|_| vec![false; width]),
            alu_result: vec![false; width],
            cond_value: vec![0; width],
        }
    }

    /// About how many bytes they take.
    pub fn bytes(&self) -> usize {
        (self.temps.len() + self.outputs.len() + self.width) * size_of::<u32>() + self.width * 5
    }

    /// Number of lanes.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of temporaries.
    pub fn temps(&self) -> usize {
        self.temps.len() / (4 * self.width)
    }

    /// The state at program start: everything 0, but the conditional value.
    pub fn start(&mut self, cond_value: u32) {
        self.temps.fill(0);
        self.outputs.fill(0);
        self.predicates.iter_mut().for_each(|bits| bits.fill(false));
        self.alu_result.fill(false);
        self.cond_value.fill(cond_value);
    }

    /// One channel of a temporary, per lane.
    pub fn temp(&self, index: usize, channel: usize) -> &[u32] {
        &self.temps[(index * 4 + channel) * self.width..][..self.width]
    }

    pub fn temp_mut(&mut self, index: usize, channel: usize) -> &mut [u32] {
        &mut self.temps[(index * 4 + channel) * self.width..][..self.width]
    }

    /// One channel of an output register, per lane.
    pub fn output_mut(&mut self, index: usize, channel: usize) -> &mut [u32] {
        &mut self.outputs[(index * 4 + channel) * self.width..][..self.width]
    }

    /// An output register of one lane.
    pub fn output_of(&self, index: usize, lane: usize) -> [u32; 4] {
        std::array::from_fn(|channel| self.outputs[(index * 4 + channel) * self.width + lane])
    }
}

/// A temporary's number with aL added, modulo the number of temporaries.
pub(super) fn temp_index(index: u8, relative: bool, al: i32) -> usize {
    let index = i32::from(index);
    let index = if relative { index.wrapping_add(al) } else { index };
    index.rem_euclid(TEMPS as i32) as usize
}
