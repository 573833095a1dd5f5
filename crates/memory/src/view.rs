//! Views: surfaces bound to memory, with loads and stores of elements.

mod lanes;
mod value;

use crate::words::{Words, read_word, write_word};
use crate::{Format, Journal, Layout, Space, Surface};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

/// What happens to an access whose coordinates lie outside its surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bounds {
    /// It goes to the nearest element inside. Inputs do this; a pitch or height of 0 counts as 1.
    Clamp,
    /// It does not happen; memory reads as zero bytes. Outputs and the conditional buffer do this; a height of 0 means that
    /// there is no bound.
    Drop,
}

/// A surface bound to its space: cheap access to elements. Views can be shared between threads.
///
/// Coordinates are signed so that what lies left of or above a surface is told from what lies inside. Coordinates
/// that a surface's pitch and height allow beyond 4095 wrap there, as addresses do.
#[derive(Debug)]
pub struct View<'a> {
    space: &'a Space,
    surface: Surface,
    bounds: Bounds,
    layout: Layout,
    /// Greatest coordinates inside.
    last: (i64, i64),
    /// The arena of the base address: its first address and its words.
    home: (u32, Words<'a>),
    out_of_range: AtomicBool,
    journal: Option<&'a Journal>,
}

impl<'a> View<'a> {
    /// Binds a surface. Whether its memory is mapped shows only in accesses.
    pub fn new(space: &'a Space, surface: Surface, bounds: Bounds) -> Self {
        let (pitch, height) = (i64::from(surface.pitch), i64::from(surface.height));
        let last = match bounds {
            Bounds::Clamp => (pitch.max(1) - 1, height.max(1) - 1),
            Bounds::Drop => (pitch - 1, if height == 0 { i64::MAX } else { height - 1 }),
        };
        let home = space.arena_of(surface.base, 1).map_or((0, Words::NONE), |arena| (arena.base(), arena.words()));
        let out_of_range = AtomicBool::new(false);
        View { space, surface, bounds, layout: surface.layout(), last, home, out_of_range, journal: space.journal() }
    }

    /// The surface.
    pub fn surface(&self) -> &Surface {
        &self.surface
    }

    /// The memory that it is bound to.
    pub fn space(&self) -> &'a Space {
        self.space
    }

    /// What happens outside the surface.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Whether any access so far left the mapped memory: such reads gave 0, such writes were dropped. (Accesses outside
    /// the surface's own bounds do not count.)
    pub fn out_of_range(&self) -> bool {
        self.out_of_range.load(Relaxed)
    }

    /// What a lookup at (`x`, `y`) returns: [`load_2x2`](Self::load_2x2) if this is an input with the superfine
    /// option and a format of one channel, else [`load`](Self::load).
    #[inline]
    pub fn fetch(&self, x: i64, y: i64) -> [u32; 4] {
        if self.surface.superfine && self.bounds == Bounds::Clamp && self.surface.format.channels() == 1 {
            self.load_2x2(x, y)
        } else {
            self.load(x, y)
        }
    }

    /// The four channels of element (`x`, `y`), converted as [`Format::unpack`] says. Memory that is not there reads as
    /// zero bytes.
    #[inline]
    pub fn load(&self, x: i64, y: i64) -> [u32; 4] {
        self.surface.format.unpack(self.load_raw(x, y))
    }

    /// Channel 0 of the elements (x+1, y), (x, y+1), (x+1, y+1) and (x, y), in this order (CTM Guide p.13).
    #[inline]
    pub fn load_2x2(&self, x: i64, y: i64) -> [u32; 4] {
        [(1, 0), (0, 1), (1, 1), (0, 0)]
            .map(|(right, down)| self.load(x.saturating_add(right), y.saturating_add(down))[0])
    }

    /// Stores channels into element (`x`, `y`), converted as [`Format::pack`] says. Channels whose bit in `mask` is 0
    /// keep what memory holds.
    #[inline]
    pub fn store(&self, x: i64, y: i64, channels: [u32; 4], mask: u8) {
        let format = self.surface.format;
        self.store_bits(x, y, format.pack(channels), format.stored_bits(mask));
    }

    /// The stored words of element (`x`, `y`), without conversion; UINT16_1 fills the low half of the first. All 0 if
    /// the access is dropped or outside of memory.
    #[inline]
    pub fn load_raw(&self, x: i64, y: i64) -> [u32; 4] {
        let Some(address) = self.address(x, y) else { return [0; 4] };
        match self.words(address) {
            // Only elements of two bytes begin inside a word.
            Some([word]) if self.surface.format == Format::Uint16_1 => {
                [read_word(word) >> ((address & 2) * 8) & 0xFFFF, 0, 0, 0]
            }
            Some([word]) => [read_word(word), 0, 0, 0],
            Some([first, second]) => [read_word(first), read_word(second), 0, 0],
            Some([first, second, third, fourth]) => [first, second, third, fourth].map(read_word),
            _ => [0; 4],
        }
    }

    /// Stores the words of element (`x`, `y`) without conversion; the inverse of [`load_raw`](Self::load_raw).
    #[inline]
    pub fn store_raw(&self, x: i64, y: i64, raw: [u32; 4]) {
        self.store_bits(x, y, raw, self.surface.format.stored_bits(0xF));
    }

    #[inline]
    fn store_bits(&self, x: i64, y: i64, raw: [u32; 4], bits: [u32; 4]) {
        let Some(address) = self.address(x, y) else { return };
        let Some(words) = self.words(address) else { return };
        // Only elements of two bytes begin inside a word.
        let shift = (address & 2) * 8;
        for (n, ((word, value), bits)) in words.iter().zip(raw).zip(bits).enumerate() {
            match self.journal {
                None => write_word(word, value << shift, bits << shift),
                Some(journal) if bits != 0 => {
                    journal.store((address & !3) + n as u32 * 4, word, value << shift, bits << shift);
                }
                Some(_) => {}
            }
        }
    }

    /// Address of the element that an access at (`x`, `y`) reaches, if it reaches one.
    #[inline]
    fn address(&self, x: i64, y: i64) -> Option<u32> {
        let (last_x, last_y) = self.last;
        let (x, y) = match self.bounds {
            Bounds::Clamp => (x.clamp(0, last_x), y.clamp(0, last_y)),
            Bounds::Drop if (0..=last_x).contains(&x) && (0..=last_y).contains(&y) => (x, y),
            Bounds::Drop => return None,
        };
        Some(self.layout.address(x as u32, y as u32))
    }

    /// The words of the element at `address`. Elements are aligned to their size and arenas to much more, so an
    /// element is in an arena wholly or not at all.
    #[inline]
    fn words(&self, address: u32) -> Option<&'a [AtomicU32]> {
        let count = self.surface.format.bytes_per_element().div_ceil(4) as usize;
        let (base, words) = self.home;
        let first = (address.wrapping_sub(base) >> 2) as usize;
        words.get(first, count).or_else(|| self.words_elsewhere(address, count))
    }

    /// A surface may reach into an arena that is not the one of its base address.
    #[cold]
    fn words_elsewhere(&self, address: u32, count: usize) -> Option<&'a [AtomicU32]> {
        let Some(arena) = self.space.arena_of(address, 1) else {
            self.out_of_range.store(true, Relaxed);
            return None;
        };
        arena.words_at(address, count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arena, ONE, Tiling};

    const BASE: u32 = 0x1000_0000;
    const FORMATS_AND_TILINGS: [(Format, Tiling); 10] = {
        let mut all = [(Format::Uint16_1, Tiling::Linear); 10];
        let mut n = 0;
        while n < 10 {
            all[n] = (Format::ALL[n / 2], if n % 2 == 0 { Tiling::Linear } else { Tiling::Tiled });
            n += 1;
        }
        all
    };

    /// One out of how many cases is taken where they are many: all of them, but under Miri, which is a thousand times slower.
    const STEP: usize = if cfg!(miri) { 601 } else { 1 };

    fn space() -> Space {
        space_of(0x2_0000)
    }

    fn space_of(size: u32) -> Space {
        let mut space = Space::default();
        space.map(Arena::new(BASE, size).unwrap()).unwrap();
        space
    }

    /// Elements of the surface.
    fn places() -> impl Iterator<Item = (i64, i64)> {
        (0..64 * 64).step_by(STEP).map(|n| (n % 64, n / 64))
    }

    fn surface(format: Format, tiling: Tiling) -> Surface {
        Surface { base: BASE, pitch: 64, height: 64, tiling, superfine: false, format }
    }

    fn f(value: f32) -> u32 {
        value.to_bits()
    }

    #[test]
    fn every_element_has_its_own_place() {
        for (format, tiling) in FORMATS_AND_TILINGS {
            let space = space();
            let view = View::new(&space, surface(format, tiling), Bounds::Drop);
            let value = |x: i64, y: i64| f((y * 64 + x) as f32 / 65535.0);
            for (x, y) in places() {
                view.store(x, y, [value(x, y); 4], 0xF);
            }
            for (x, y) in places() {
                let stored = format.pack([value(x, y); 4]);
                assert_eq!(view.load_raw(x, y), stored, "{format} {tiling:?} ({x},{y})");
                assert_eq!(view.load(x, y), format.unpack(stored));
                let address = view.surface().address(x as u32, y as u32);
                let bytes: Vec<u8> = stored.iter().flat_map(|word| word.to_le_bytes()).collect();
                let mut found = vec![0; format.bytes_per_element() as usize];
                space.read_bytes(address, &mut found).unwrap();
                assert_eq!(found, bytes[..found.len()]);
            }
            assert!(!view.out_of_range() && std::ptr::eq(view.space(), &space));
        }
    }

    #[test]
    fn inputs_clamp_to_their_edges() {
        for (format, tiling) in FORMATS_AND_TILINGS {
            let space = space();
            let surface = Surface { height: 3, ..surface(format, tiling) };
            View::new(&space, surface, Bounds::Drop).store(63, 2, [ONE; 4], 0xF);
            View::new(&space, surface, Bounds::Drop).store(0, 0, [f(0.2); 4], 0xF);
            let view = View::new(&space, surface, Bounds::Clamp);
            for (x, y) in [(63, 2), (64, 3), (i64::MAX, i64::MAX)] {
                assert_eq!(view.load(x, y), [ONE; 4]);
            }
            assert_eq!(view.load(-1, i64::MIN), view.load(0, 0));
            assert_ne!(view.load(0, 0), [ONE; 4]);
            let single = View::new(&space, Surface { pitch: 0, height: 0, ..surface }, Bounds::Clamp);
            assert_eq!(single.load(9, 9), view.load(0, 0), "0 counts as 1");
        }
    }

    #[test]
    fn outputs_drop_what_is_outside() {
        let space = space();
        let surface = Surface { height: 8, ..surface(Format::Float32_1, Tiling::Linear) };
        let view = View::new(&space, surface, Bounds::Drop);
        for (x, y) in [(64, 0), (0, 8), (-1, 0), (0, -1), (i64::MAX, 0)] {
            view.store(x, y, [ONE; 4], 0xF);
            assert_eq!(view.load_raw(x, y), [0; 4]);
        }
        let unbounded = View::new(&space, Surface { height: 0, ..surface }, Bounds::Drop);
        unbounded.store(0, -1, [ONE; 4], 0xF);
        let mut bytes = vec![0; 0x2_0000];
        space.read_bytes(BASE, &mut bytes).unwrap();
        assert!(bytes.iter().all(|byte| *byte == 0));
        unbounded.store(1, 100, [ONE; 4], 0xF);
        assert_eq!(unbounded.load_raw(1, 100)[0], ONE, "height 0 is not a bound");
        assert!(!view.out_of_range() && !unbounded.out_of_range(), "leaving a surface is not a fault");
    }

    #[test]
    fn masks_keep_channels() {
        for (format, tiling) in FORMATS_AND_TILINGS {
            for mask in 0..16u8 {
                let space = space_of(0x4000);
                let view = View::new(&space, surface(format, tiling), Bounds::Drop);
                view.store(4, 5, [f(0.2); 4], 0xF);
                view.store(5, 5, [f(0.4); 4], 0xF);
                let (old, right) = (view.load(4, 5), view.load_raw(5, 5));
                view.store(4, 5, [ONE; 4], mask);
                let expected: Vec<u32> =
                    old.iter().enumerate().map(|(k, old)| if mask >> k & 1 != 0 { ONE } else { *old }).collect();
                let channels = format.channels();
                assert_eq!(view.load(4, 5)[..channels], expected[..channels], "{format} mask {mask:#x}");
                assert_eq!(view.load_raw(5, 5), right, "the neighbour is untouched");
            }
        }
    }

    #[test]
    fn superfine_lookups_return_four_neighbours() {
        for (format, tiling) in FORMATS_AND_TILINGS {
            let space = space();
            let surface = Surface { superfine: true, ..surface(format, tiling) };
            let plain = View::new(&space, surface, Bounds::Drop);
            for (x, y) in places() {
                plain.store(x, y, [f((y * 64 + x) as f32 / 65535.0); 4], 0xF);
            }
            let value = |x, y| plain.load(x, y)[0];
            let view = View::new(&space, surface, Bounds::Clamp);
            assert_eq!(view.load_2x2(9, 20), [value(10, 20), value(9, 21), value(10, 21), value(9, 20)]);
            assert_eq!(view.load_2x2(63, 7), [value(63, 7), value(63, 8), value(63, 8), value(63, 7)]);
            assert_eq!(view.load_2x2(8, 63), [value(9, 63), value(8, 63), value(9, 63), value(8, 63)]);
            assert_eq!(view.load_2x2(63, 63), [value(63, 63); 4]);
            let one_channel = format.channels() == 1;
            assert_eq!(view.fetch(9, 20), if one_channel { view.load_2x2(9, 20) } else { view.load(9, 20) });
            assert_eq!(plain.fetch(9, 20), plain.load(9, 20), "an output has no such option");
        }
    }

    #[test]
    fn unmapped_memory_reads_zero_and_is_reported() {
        let space = space();
        let mapped_rows = 0x2_0000 / (64 * 4);
        let surface = Surface { height: mapped_rows + 1, ..surface(Format::Float32_1, Tiling::Linear) };
        let view = View::new(&space, surface, Bounds::Clamp);
        view.store(63, i64::from(mapped_rows) - 1, [ONE; 4], 0xF);
        assert!(!view.out_of_range());
        view.store(0, mapped_rows.into(), [ONE; 4], 0xF);
        assert!(view.out_of_range());

        let nowhere = View::new(&space, Surface { base: 0, ..surface }, Bounds::Clamp);
        assert_eq!(nowhere.load(0, 0), [0, ONE, ONE, ONE]);
        assert!(nowhere.out_of_range());

        let wrapping = Surface { base: 0xFFFF_F800, format: Format::Float32_4, ..surface };
        let mut space = Space::default();
        space.map(Arena::new(0xFFFF_F800, 0x800).unwrap()).unwrap();
        let view = View::new(&space, wrapping, Bounds::Clamp);
        view.store(63, 1, [ONE; 4], 0xF);
        assert_eq!(view.load_raw(63, 1), [ONE; 4]);
        assert!(!view.out_of_range());
        assert_eq!(view.load_raw(0, 2), [0; 4], "address 0 is never mapped");
        assert!(view.out_of_range());
    }

    #[test]
    fn surfaces_may_reach_into_the_next_arena() {
        let mut space = space();
        space.map(Arena::new(BASE + 0x2_0000, 0x800).unwrap()).unwrap();
        let surface = Surface { base: BASE + 0x1_F800, ..surface(Format::Float32_2, Tiling::Linear) };
        let view = View::new(&space, surface, Bounds::Drop);
        view.store(63, 7, [7, 8, 0, 0], 0xF);
        assert_eq!(view.load_raw(63, 7), [7, 8, 0, 0]);
        assert!(!view.out_of_range());
        view.store(0, 8, [7, 8, 0, 0], 0xF);
        assert!(view.out_of_range());
    }

    /// Loads and stores of many lanes are those of single ones, wherever the lanes are and whoever takes part.
    #[test]
    fn rows_of_lanes_are_single_accesses() {
        const LANES: usize = if cfg!(miri) { 14 } else { 134 };
        let scattered: Vec<u32> = (0..LANES as u32 * 3 / 2).map(|n| n.wrapping_mul(0x9E37_79B9) >> 25).collect();
        let strange = [u32::MAX, i32::MIN.cast_unsigned(), 63, 64, 4096, i32::MAX.cast_unsigned()];
        let mixed: Vec<u32> = strange.into_iter().chain(scattered.iter().copied()).collect();
        let other: Vec<u32> = scattered.iter().copied().chain(strange).collect();
        let some: Vec<u32> = (0..mixed.len()).map(|n| if n % 5 == 3 { 0 } else { u32::MAX }).collect();
        let (along, all) = ((0..64).chain(0..70).take(LANES).collect::<Vec<u32>>(), vec![u32::MAX; LANES]);
        rows_are_single_accesses(&mixed, &other, &some);
        rows_are_single_accesses(&along, &[7; LANES], &all);
        rows_are_single_accesses(&[63; LANES], &[19; LANES], &all);
        rows_are_single_accesses(&[64; LANES], &[30; LANES], &all);
        // Nearly a row, or nearly one element: one lane takes no part, or is in another row or column.
        let all_but_one =
            |last: u32, other: u32| (0..LANES).map(|n| if n % 64 == 5 { other } else { last }).collect::<Vec<_>>();
        for y in [0, 7] {
            for x in [&along[..], &[9; LANES]] {
                rows_are_single_accesses(x, &[y; LANES], &all_but_one(u32::MAX, 0));
                rows_are_single_accesses(x, &[y; LANES], &[0; LANES]);
                rows_are_single_accesses(x, &all_but_one(y, 12), &all);
            }
            rows_are_single_accesses(&all_but_one(9, 2), &[y; LANES], &all);
        }
        // Along a diagonal.
        rows_are_single_accesses(&along, &along, &all);
        // Above, and below all rows.
        for y in [u32::MAX, 20, 100] {
            rows_are_single_accesses(&along, &[y; LANES], &all);
        }
    }

    fn rows_are_single_accesses(x: &[u32], y: &[u32], mask: &[u32]) {
        const SIZE: u32 = if cfg!(miri) { 0x2000 } else { 0x2_0000 };
        let values =
            [0, 1, 2, 3].map(|k| x.iter().zip(y).map(|(x, y)| f((x ^ y.wrapping_mul(4) ^ k) as f32 / 70.0)).collect());
        let rows: [&[u32]; 4] = values.each_ref().map(|row: &Vec<u32>| row.as_slice());
        for (format, tiling) in FORMATS_AND_TILINGS.into_iter().step_by(if cfg!(miri) { 9 } else { 1 }) {
            for (bounds, height, written) in [(Bounds::Drop, 20, 0xF), (Bounds::Drop, 0, 0x5), (Bounds::Clamp, 77, 0xE)]
            {
                // The end of the last surface lies outside of the memory.
                for base in [BASE, BASE + SIZE - 0x1000] {
                    let surface = Surface { base, height, ..surface(format, tiling) };
                    let (space, other) = (space_of(SIZE), space_of(SIZE));
                    let (view, single) = (View::new(&space, surface, bounds), View::new(&other, surface, bounds));
                    view.store_lanes(x, y, mask, rows, written);
                    let at = |row: &[u32], lane: usize| i64::from(row[lane].cast_signed());
                    for lane in (0..x.len()).filter(|&lane| mask[lane] != 0) {
                        single.store(at(x, lane), at(y, lane), rows.map(|row| row[lane]), written);
                    }
                    let [mut bytes, mut expected] = [(); 2].map(|_| vec![0; SIZE as usize]);
                    space.read_bytes(BASE, &mut bytes).unwrap();
                    other.read_bytes(BASE, &mut expected).unwrap();
                    assert!(bytes == expected, "{surface:?}");
                    let mut loaded: [Vec<u32>; 4] = [(); 4].map(|_| vec![7; x.len()]);
                    view.load_lanes(x, y, mask, loaded.each_mut().map(|row| row.as_mut_slice()));
                    for lane in 0..x.len() {
                        let none = mask[lane] == 0;
                        let expected = if none { [0; 4] } else { single.load(at(x, lane), at(y, lane)) };
                        assert_eq!(loaded.each_ref().map(|row| row[lane]), expected, "{surface:?} lane {lane}");
                    }
                    assert_eq!(view.out_of_range(), single.out_of_range(), "{surface:?}");
                }
            }
        }
    }

    #[test]
    fn neighbouring_elements_can_be_written_by_different_threads() {
        let space = space();
        let view = View::new(&space, surface(Format::Uint16_1, Tiling::Linear), Bounds::Drop);
        let count = if cfg!(miri) { 32 } else { 64 * 64 };
        std::thread::scope(|scope| {
            for start in 0..2 {
                let view = &view;
                scope.spawn(move || {
                    for n in (start..count).step_by(2) {
                        view.store_raw(n % 64, n / 64, [n as u32, 0, 0, 0]);
                    }
                });
            }
        });
        for n in 0..count {
            assert_eq!(view.load_raw(n % 64, n / 64)[0], n as u32);
        }
    }
}
