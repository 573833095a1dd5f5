//! Loads and stores for many lanes at once: the same as one after the other, in loops over rows of lanes.
//!
//! Elements are found first, all by one rule; most lie in the arena of the surface's base. The few that are outside or
//! elsewhere go the way of single accesses, and elements that follow each other, or are all the same, are done as a piece.
//! The functions are inlined, so that the caller's vector instructions serve.

use super::{Bounds, View};
use crate::words::{read_word, write_word};
use crate::{Format, Layout, ONE};
use ctm_num::convert::{f32_to_unorm8, f32_to_unorm16, unorm8_to_f32};
use std::sync::atomic::AtomicU32;

/// Lanes that are done together.
const CHUNK: usize = 64;
/// Coordinates wrap after this one.
const MAX_COORDINATE: u32 = 0xFFF;
/// The place of an element that no loop can reach. No arena is so large.
const NOWHERE: u32 = u32::MAX;

/// Rows of lanes: coordinates, and all bits set for those that take part.
#[derive(Clone, Copy)]
struct Lanes<'l> {
    x: &'l [u32],
    y: &'l [u32],
    mask: &'l [u32],
}

impl View<'_> {
    /// [`load`](Self::load) at the signed coordinates `x`, `y` of every lane whose `mask` is all ones, into a row for each
    /// channel. Other lanes, whose mask is 0, get 0.
    #[inline(always)]
    pub fn load_lanes(&self, x: &[u32], y: &[u32], mask: &[u32], channels: [&mut [u32]; 4]) {
        let [red, green, blue, alpha] = channels;
        let count = x.len();
        for start in (0..count).step_by(CHUNK) {
            let part = start..(start + CHUNK).min(count);
            let lanes = Lanes { x: &x[part.clone()], y: &y[part.clone()], mask: &mask[part.clone()] };
            let rows = [&mut red[part.clone()], &mut green[part.clone()], &mut blue[part.clone()], &mut alpha[part]];
            self.load_chunk(lanes, rows);
        }
    }

    /// [`store`](Self::store) of a row for each channel at the signed coordinates `x`, `y` of every lane whose `mask` is all
    /// ones, in ascending order; other lanes, whose mask is 0, store nothing.
    #[inline(always)]
    pub fn store_lanes(&self, x: &[u32], y: &[u32], mask: &[u32], channels: [&[u32]; 4], written: u8) {
        let count = x.len();
        for start in (0..count).step_by(CHUNK) {
            let part = start..(start + CHUNK).min(count);
            let lanes = Lanes { x: &x[part.clone()], y: &y[part.clone()], mask: &mask[part.clone()] };
            self.store_chunk(lanes, channels.map(|row| &row[part.clone()]), written);
        }
    }

    #[inline(always)]
    fn load_chunk(&self, lanes: Lanes, rows: [&mut [u32]; 4]) {
        let [red, green, blue, alpha] = rows;
        match self.surface.format {
            Format::Float32_4 => self.gather(lanes, [red, green, blue, alpha]),
            Format::Float32_2 => {
                self.gather(lanes, [red, green]);
                missing(lanes, [blue, alpha]);
            }
            Format::Float32_1 => {
                self.gather(lanes, [red]);
                missing(lanes, [green, blue, alpha]);
            }
            Format::Uint8_4 => {
                self.gather(lanes, [&mut *red]);
                for lane in 0..red.len() {
                    let codes = red[lane];
                    red[lane] = unorm8_to_f32(codes as u8);
                    green[lane] = unorm8_to_f32((codes >> 8) as u8);
                    blue[lane] = unorm8_to_f32((codes >> 16) as u8);
                    alpha[lane] = unorm8_to_f32((codes >> 24) as u8);
                }
            }
            // Two elements share a word.
            Format::Uint16_1 => {
                for ((value, (&x, &y)), &mask) in red.iter_mut().zip(lanes.x.iter().zip(lanes.y)).zip(lanes.mask) {
                    *value = if mask == 0 { 0 } else { self.load(signed(x), signed(y))[0] };
                }
                missing(lanes, [green, blue, alpha]);
            }
        }
    }

    #[inline(always)]
    fn store_chunk(&self, lanes: Lanes, rows: [&[u32]; 4], written: u8) {
        let bits = self.surface.format.stored_bits(written);
        match self.surface.format {
            Format::Float32_4 => self.scatter(lanes, rows, bits),
            Format::Float32_2 => self.scatter(lanes, [rows[0], rows[1]], bits),
            Format::Float32_1 => self.scatter(lanes, [rows[0]], bits),
            Format::Uint8_4 => {
                let mut words = [0; CHUNK];
                let words = &mut words[..lanes.x.len()];
                for (lane, word) in words.iter_mut().enumerate() {
                    *word = u32::from_le_bytes(rows.map(|row| f32_to_unorm8(row[lane])));
                }
                self.scatter(lanes, [&*words], bits);
            }
            Format::Uint16_1 => {
                for lane in (0..lanes.x.len()).filter(|&lane| lanes.mask[lane] != 0) {
                    let raw = [f32_to_unorm16(rows[0][lane]).into(), 0, 0, 0];
                    self.store_bits(signed(lanes.x[lane]), signed(lanes.y[lane]), raw, bits);
                }
            }
        }
    }

    /// Greatest coordinates inside, none if there is nothing inside.
    #[inline(always)]
    fn last(&self) -> Option<[u32; 2]> {
        let last = |at: i64| u32::try_from(at.min(i32::MAX.into())).ok();
        Some([last(self.last.0)?, last(self.last.1)?])
    }

    /// For each lane the byte of its element in the home arena, or [`NOWHERE`] if it is not surely there.
    #[inline(always)]
    fn places(&self, lanes: Lanes) -> [u32; CHUNK] {
        match self.layout {
            Layout::Linear(layout) => self.places_by(lanes, |x, y| layout.address(x, y)),
            Layout::Tiled(layout) => self.places_by(lanes, |x, y| layout.address(x, y)),
        }
    }

    #[inline(always)]
    fn places_by(&self, lanes: Lanes, address: impl Fn(u32, u32) -> u32) -> [u32; CHUNK] {
        let mut places = [NOWHERE; CHUNK];
        let Some([last_x, last_y]) = self.last() else { return places };
        let (home, places_of_lanes) = (self.home.0, &mut places[..lanes.x.len()]);
        let lanes = places_of_lanes.iter_mut().zip(lanes.x).zip(lanes.y);
        match self.bounds {
            Bounds::Clamp => {
                let clamp = |at: u32, last: u32| at.cast_signed().clamp(0, last.cast_signed()).cast_unsigned();
                for ((place, &x), &y) in lanes {
                    *place = address(clamp(x, last_x), clamp(y, last_y)).wrapping_sub(home);
                }
            }
            Bounds::Drop => {
                for ((place, &x), &y) in lanes {
                    // Negative coordinates are great unsigned ones.
                    let inside = (x <= last_x) & (y <= last_y);
                    *place = if inside { address(x, y).wrapping_sub(home) } else { NOWHERE };
                }
            }
        }
        places
    }

    /// The words of all elements, if all lanes take part, and the elements lie side by side in a row of memory (`step` 1), or
    /// all are the same (`step` 0). Each has `N` words.
    #[inline(always)]
    fn row<const N: usize>(&self, lanes: Lanes, step: u32) -> Option<&[[AtomicU32; N]]> {
        let count = lanes.x.len();
        let (xs, ys, mask) = (lanes.x, &lanes.y[..count], &lanes.mask[..count]);
        let (&x, &y) = (xs.first()?, ys.first()?);
        let mut strays = 0;
        for lane in 0..count {
            strays |= xs[lane] ^ x.wrapping_add(lane as u32 * step) | ys[lane] ^ y | !mask[lane];
        }
        let [last_x, last_y] = self.last()?.map(|last| last.min(MAX_COORDINATE));
        let end = x.checked_add((count as u32 - 1) * step)?;
        if strays != 0 || end > last_x || y > last_y || step != 0 && !matches!(self.layout, Layout::Linear(_)) {
            return None;
        }
        let first = (self.layout.address(x, y).wrapping_sub(self.home.0) >> 2) as usize;
        let words = self.home.1.get(first, if step == 0 { N } else { N * count })?;
        Some(words.as_chunks().0)
    }

    /// The words of each lane's element, one row for each.
    #[inline(always)]
    fn gather<const N: usize>(&self, lanes: Lanes, rows: [&mut [u32]; N]) {
        let count = lanes.x.len();
        let rows = rows.map(|row| &mut row[..count]);
        if let Some(elements) = self.row::<N>(lanes, 1) {
            for (lane, element) in elements.iter().enumerate() {
                for at in 0..N {
                    rows[at][lane] = read_word(&element[at]);
                }
            }
            return;
        }
        if let Some([element]) = self.row::<N>(lanes, 0) {
            for (row, word) in rows.into_iter().zip(element) {
                row.fill(read_word(word));
            }
            return;
        }
        let places = self.places(lanes);
        for lane in 0..count {
            let first = (places[lane] >> 2) as usize;
            let element: [u32; N] = match self.home.1.get(first, N) {
                _ if lanes.mask[lane] == 0 => [0; N],
                Some(words) => std::array::from_fn(|at| read_word(&words[at])),
                None => {
                    let raw = self.load_raw(signed(lanes.x[lane]), signed(lanes.y[lane]));
                    std::array::from_fn(|at| raw[at])
                }
            };
            for at in 0..N {
                rows[at][lane] = element[at];
            }
        }
    }

    /// Replaces the `bits` of the words of each lane's element.
    #[inline(always)]
    fn scatter<const N: usize>(&self, lanes: Lanes, rows: [&[u32]; N], bits: [u32; 4]) {
        let count = lanes.x.len();
        let rows = rows.map(|row| &row[..count]);
        if bits[..N] == [u32::MAX; N]
            && let Some(elements) = self.row::<N>(lanes, 1)
        {
            for (lane, element) in elements.iter().enumerate() {
                for at in 0..N {
                    write_word(&element[at], rows[at][lane], u32::MAX);
                }
            }
            return;
        }
        let places = self.places(lanes);
        for lane in (0..count).filter(|&lane| lanes.mask[lane] != 0) {
            let first = (places[lane] >> 2) as usize;
            match self.home.1.get(first, N) {
                Some(words) => {
                    for at in 0..N {
                        write_word(&words[at], rows[at][lane], bits[at]);
                    }
                }
                None => {
                    let raw = std::array::from_fn(|at| rows.get(at).map_or(0, |row| row[lane]));
                    self.store_bits(signed(lanes.x[lane]), signed(lanes.y[lane]), raw, bits);
                }
            }
        }
    }
}

fn signed(at: u32) -> i64 {
    at.cast_signed().into()
}

/// Channels that the format lacks.
#[inline(always)]
fn missing<const N: usize>(lanes: Lanes, rows: [&mut [u32]; N]) {
    for row in rows {
        for (value, mask) in row.iter_mut().zip(lanes.mask) {
            *value = ONE & mask;
        }
    }
}
