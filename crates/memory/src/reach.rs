//! What memory a run reaches, and whether the order of its lanes counts there.
//!
//! A guest says what its lanes read, what they write, and whether each lane keeps to a place of its own. The answer is the same for all
//! guests: where a lane can read or write what another one writes, the order of lanes decides what is left in memory.

use crate::surface::BASE_ALIGNMENT;
use crate::{Arena, Layout, Space, Surface};
use std::ops::Range;
use thiserror::Error;

/// Coordinates that an address map tells apart: greater ones wrap.
const COORDINATES: u32 = 4096;
/// Pitches that an address map tells apart.
const PITCHES: u32 = 1 << 14;
/// Bytes of the address space.
const ADDRESSES: u64 = 1 << 32;

/// How lanes of a run meet in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Error)]
pub enum Aliasing {
    /// Two things that are written share memory.
    #[error("outputs share memory")]
    Outputs,
    /// Lanes choose where they write.
    #[error("lanes write wherever they want")]
    Anywhere,
    /// Something that is read shares memory with something that is written.
    #[error("an input and an output share memory")]
    Input,
    /// Lanes write different elements of a surface, which share memory.
    #[error("elements of an output share memory")]
    Elements,
}

/// What one run reaches of a space.
#[derive(Clone, Debug)]
pub struct Reach<'a> {
    /// Arenas whose memory may be mapped at several addresses.
    shared: Vec<&'a Arena>,
    uses: Vec<Use>,
    /// Number of the next use.
    next: usize,
    aliasing: Option<Aliasing>,
}

/// Bytes of one thing that lanes access.
#[derive(Clone, Debug)]
struct Use {
    /// Which thing: what is mapped at several addresses is there several times.
    number: usize,
    bytes: Range<u64>,
    is_written: bool,
}

impl Use {
    /// Whether the two have bytes in common. Addresses wrap, so what goes past the end may be anywhere.
    fn meets(&self, other: &Use) -> bool {
        let wraps = |bytes: &Range<u64>| bytes.end > ADDRESSES;
        let (a, b) = (&self.bytes, &other.bytes);
        a.start < b.end && b.start < a.end || wraps(a) || wraps(b)
    }
}

impl<'a> Reach<'a> {
    /// Of a run that reaches nothing yet.
    pub fn of(space: &'a Space) -> Self {
        let shared = space.arenas().iter().map(|arena| &**arena).filter(|arena| arena.is_shared());
        Reach { shared: shared.collect(), uses: Vec::new(), next: 0, aliasing: None }
    }

    /// Bytes that any lane may read.
    pub fn read(&mut self, bytes: Range<u64>) {
        self.access(bytes, false);
    }

    /// Bytes of which each lane writes its own. It may read them as well.
    pub fn write(&mut self, bytes: Range<u64>) {
        self.access(bytes, true);
    }

    /// Elements of a surface of which each lane writes its own, left of a column and above a row. The lane may read it as well.
    pub fn write_elements(&mut self, surface: &Surface, columns: u32, rows: u32) {
        let (columns, rows) = surface.inside(columns, rows);
        let granule = Surface::pitch_granule(surface.tiling, surface.format);
        let is_regular = surface.base.is_multiple_of(BASE_ALIGNMENT)
            && surface.pitch.is_multiple_of(granule)
            && surface.pitch < PITCHES
            && columns <= COORDINATES
            && rows <= COORDINATES;
        if !is_regular {
            self.share(Aliasing::Elements);
        }
        self.access(surface.range(columns, rows), true);
    }

    /// Something else makes lanes meet.
    pub fn share(&mut self, aliasing: Aliasing) {
        self.aliasing = Some(self.aliasing.map_or(aliasing, |known| known.min(aliasing)));
    }

    fn access(&mut self, bytes: Range<u64>, is_written: bool) {
        if bytes.is_empty() {
            return;
        }
        let number = self.next;
        self.next += 1;
        for (n, arena) in self.shared.iter().enumerate() {
            let base = u64::from(arena.base());
            let (start, end) = (bytes.start.max(base), bytes.end.min(base + u64::from(arena.size())));
            let alias = self.shared[..n].iter().find(|other| other.shares_memory(arena));
            if let (true, Some(alias)) = (start < end, alias) {
                let moved = |address: u64| address - base + u64::from(alias.base());
                self.uses.push(Use { number, bytes: moved(start)..moved(end), is_written });
            }
        }
        self.uses.push(Use { number, bytes, is_written });
    }

    /// How lanes meet, if they may; of several ways the first one that [`Aliasing`] lists. Then the order of lanes counts.
    pub fn aliasing(&self) -> Option<Aliasing> {
        let met = self.uses.iter().filter(|a| a.is_written).flat_map(|a| {
            let others = self.uses.iter().filter(|b| a.number != b.number && a.meets(b));
            others.map(|b| if b.is_written { Aliasing::Outputs } else { Aliasing::Input })
        });
        met.chain(self.aliasing).min()
    }
}

impl Surface {
    /// So many columns and rows, or as many as the surface has: without a height, it has any number of rows.
    fn inside(&self, columns: u32, rows: u32) -> (u32, u32) {
        (columns.min(self.pitch), if self.height == 0 { rows } else { rows.min(self.height) })
    }

    /// The bytes of the elements left of a column and above a row. They may go past the end of the address space.
    pub fn range(&self, columns: u32, rows: u32) -> Range<u64> {
        // Addresses grow with both coordinates, so the last element (or its tile) is the end.
        let last = |count: u32| u64::from(count.min(COORDINATES)).checked_sub(1);
        let (base, offset, bytes) = match (self.layout(), last(columns), last(rows)) {
            (_, None, _) | (_, _, None) => return u64::from(self.base)..u64::from(self.base),
            (Layout::Linear(layout), Some(x), Some(y)) => {
                let offset = y * u64::from(layout.row_bytes) + (x << layout.element_log2);
                (layout.base, offset, 1 << layout.element_log2)
            }
            (Layout::Tiled(layout), Some(x), Some(y)) => {
                let tile = u64::from(BASE_ALIGNMENT);
                let row = (y >> layout.tile_height_log2) * u64::from(layout.tile_row_bytes);
                (layout.base, row + (x >> layout.tile_width_log2) * tile, tile)
            }
        };
        u64::from(base)..u64::from(base) + offset + bytes
    }

    /// The bytes of all its elements: without a height, of as many rows as addresses tell apart.
    pub fn range_of_all(&self) -> Range<u64> {
        let (columns, rows) = self.inside(COORDINATES, COORDINATES);
        self.range(columns, rows)
    }

    /// The bytes that lookups in an input can reach: coordinates outside go to the nearest element.
    pub fn range_of_input(&self) -> Range<u64> {
        self.range(self.pitch.max(1), self.height.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, Tiling};

    const BASE: u32 = 0x1000_0000;
    const SURFACE: Surface = Surface {
        base: BASE,
        pitch: 64,
        height: 8,
        tiling: Tiling::Linear,
        superfine: false,
        format: Format::Float32_1,
    };
    /// Bytes of the surface.
    const BYTES: u32 = 64 * 8 * 4;

    fn aliasing(reach: impl Fn(&mut Reach)) -> Option<Aliasing> {
        aliasing_in(&Space::default(), reach)
    }

    fn aliasing_in(space: &Space, reach: impl Fn(&mut Reach)) -> Option<Aliasing> {
        let mut all = Reach::of(space);
        reach(&mut all);
        all.aliasing()
    }

    #[test]
    fn a_range_ends_with_the_last_element_or_tile() {
        for tiling in [Tiling::Linear, Tiling::Tiled] {
            for format in Format::ALL {
                for (pitch, columns, rows) in
                    [(64, 64, 64), (12, 12, 5), (100, 37, 20), (8188, 8188, 8191), (64, 0, 3), (64, 3, 0)]
                {
                    let surface = Surface { base: 0x1000, pitch, height: rows, tiling, superfine: false, format };
                    let range = surface.range(columns, rows);
                    let rows = (0..rows.min(4096)).step_by(if rows > 100 { 455 } else { 1 });
                    let ends = rows.flat_map(|y| (0..columns.min(4096)).map(move |x| (x, y)));
                    let end = ends.map(|(x, y)| surface.address(x, y) + format.bytes_per_element()).max();
                    let needed = u64::from(end.unwrap_or(0x1000));
                    let slack = if tiling == Tiling::Tiled { u64::from(BASE_ALIGNMENT) } else { 1 };
                    assert!(range.start == 0x1000, "{surface:?}");
                    assert!(needed <= range.end && range.end < needed + slack, "{surface:?} {needed} {range:?}");
                }
            }
        }
    }

    #[test]
    fn ranges_of_whole_surfaces() {
        let from_base = |bytes: u32| u64::from(BASE)..u64::from(BASE + bytes);
        assert_eq!((SURFACE.range_of_all(), SURFACE.range_of_input()), (from_base(BYTES), from_base(BYTES)));
        // Without a height, outputs have all rows, and inputs one.
        let unbounded = Surface { height: 0, ..SURFACE };
        assert_eq!((unbounded.range_of_all(), unbounded.range_of_input()), (from_base(4096 * 256), from_base(256)));
        assert_eq!(Surface { pitch: 0, ..SURFACE }.range_of_input(), from_base(4));
    }

    #[test]
    fn lanes_meet_where_bytes_are_the_same() {
        let behind = Surface { base: BASE + BYTES, ..SURFACE };
        let last_row = Surface { base: BASE + BYTES - 2048, ..SURFACE };
        let write = |reach: &mut Reach, surface: &Surface| reach.write_elements(surface, 64, 8);
        let read = |reach: &mut Reach, surface: &Surface| reach.read(surface.range_of_input());
        let both = |a: fn(&mut Reach, &Surface), b: fn(&mut Reach, &Surface), second: Surface| {
            aliasing(|reach| {
                a(reach, &SURFACE);
                b(reach, &second);
            })
        };
        let write: fn(&mut Reach, &Surface) = write;
        let read: fn(&mut Reach, &Surface) = read;
        assert_eq!(both(write, read, behind), None);
        assert_eq!(both(write, write, behind), None);
        assert_eq!(both(read, read, SURFACE), None);
        assert_eq!(both(write, read, SURFACE), Some(Aliasing::Input));
        assert_eq!(both(read, write, last_row), Some(Aliasing::Input));
        assert_eq!(both(write, write, last_row), Some(Aliasing::Outputs));
        let few_rows = aliasing(|reach| {
            reach.write_elements(&Surface { height: 0, ..SURFACE }, 64, 8);
            reach.read(behind.range_of_input());
        });
        assert_eq!(few_rows, None, "rows that no lane is in are not written");
        let all = aliasing(|reach| {
            write(reach, &SURFACE);
            read(reach, &SURFACE);
            reach.share(Aliasing::Elements);
            write(reach, &SURFACE);
        });
        assert_eq!(all, Some(Aliasing::Outputs), "the first one of the list");
    }

    #[test]
    fn elements_meet_where_addresses_do() {
        let of = |surface: Surface, columns, rows| aliasing(|reach| reach.write_elements(&surface, columns, rows));
        let large = Surface { pitch: 8000, height: 8000, ..SURFACE };
        assert_eq!(of(large, 4096, 4096), None);
        assert_eq!(of(large, 4097, 1), Some(Aliasing::Elements), "columns wrap");
        assert_eq!(of(large, 1, 4097), Some(Aliasing::Elements), "rows wrap");
        assert_eq!(of(SURFACE, 5000, 5000), None, "as many as there are");
        assert_eq!(of(Surface { pitch: 60, ..SURFACE }, 60, 8), Some(Aliasing::Elements));
        assert_eq!(of(Surface { base: BASE + 64, ..SURFACE }, 64, 8), Some(Aliasing::Elements));
        let last = Surface { base: 0xFFFF_F800, height: 0, ..SURFACE };
        assert_eq!(of(last, 64, 100), None, "one thing alone");
        assert_eq!(
            of(Surface { pitch: PITCHES, height: 0, ..SURFACE }, 64, 2),
            Some(Aliasing::Elements),
            "pitches wrap"
        );
        let up_to_the_end = aliasing(|reach| {
            reach.write_elements(&last, 64, 8);
            reach.read(SURFACE.range_of_input());
        });
        assert_eq!(up_to_the_end, None, "the last address is one of its own");
        let elsewhere = aliasing(|reach| {
            reach.write_elements(&last, 64, 100);
            reach.read(SURFACE.range_of_input());
        });
        assert_eq!(elsewhere, Some(Aliasing::Input), "addresses wrap");
    }

    #[test]
    fn memory_at_several_addresses_is_the_same() {
        let mut space = Space::default();
        space.map(Arena::new(BASE, 0x1000).unwrap()).unwrap();
        space.map(Arena::new(BASE + 0x1000, 0x1000).unwrap()).unwrap();
        let again = space.append_shared(&space.arenas()[1].clone()).unwrap();
        let meet_in = |space: &Space, written: u32, read: u32| {
            aliasing_in(space, |reach| {
                reach.write(written.into()..u64::from(written) + 16);
                reach.read(read.into()..u64::from(read) + 16);
            })
        };
        let meet = |written, read| meet_in(&space, written, read);
        assert_eq!(meet(BASE + 0x1000, again), Some(Aliasing::Input));
        assert_eq!(meet(again + 0x20, BASE + 0x1018), Some(Aliasing::Input));
        assert_eq!(meet(again, BASE + 0x1010), None);
        assert_eq!(meet(again, BASE), None);
        // What ends where an arena begins is nowhere in it, and what goes past its end is elsewhere from there on.
        assert_eq!(meet(again - 0x10, BASE + 0xFF8), None);
        assert_eq!(meet(again + 0xFF8, again), None);
        // Another memory at two addresses.
        let first_again = space.append_shared(&space.arenas()[0].clone()).unwrap();
        assert_eq!(meet_in(&space, first_again, BASE), Some(Aliasing::Input));
        assert_eq!(meet_in(&space, first_again, again), None);
    }
}
