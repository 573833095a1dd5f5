//! The copy engine: elements from one place to another, between layouts.

use super::{Late, Patience};
use crate::layout::{BlockLayout, Layout};
use crate::methods::{
    CopyDstAddressHigh, CopyDstHeight, CopyDstLayer, CopyDstOrigin, CopyDstPitch, CopyDstTileMode, CopyDstWidth,
    CopyExec, CopySrcAddressHigh, CopySrcHeight, CopySrcLayer, CopySrcOrigin, CopySrcPitch, CopySrcTileMode,
    CopySrcWidth, CopySwizzle, CopyXCount, CopyYCount,
};
use crate::objects::Objects;
use crate::state::Methods;
use crate::surface::{Area, Plane};
use std::ops::Range;

/// Bytes of a row that are copied together.
const CHUNK: u64 = 1 << 16;
/// Bytes that are read before anything is written, at most, if both sides may be the same memory.
const MOST_BYTES: u64 = 1 << 26;

/// A side of a copy.
#[derive(Clone, Copy)]
struct Side<'a> {
    plane: Plane<'a>,
    address: u64,
    /// The first byte of rows.
    x: u64,
    /// The first row.
    y: u64,
    z: u64,
}

impl Side<'_> {
    /// The addresses that so many rows of so many bytes may lie at.
    fn range(&self, bytes: u64, rows: u64) -> Range<u64> {
        let end = match self.plane.layout() {
            Layout::Linear { pitch } => rows.saturating_sub(1).saturating_mul((*pitch).into()).saturating_add(bytes),
            Layout::Blocks(blocks) => blocks.bytes(self.z.saturating_add(1)),
        };
        self.address..self.address.saturating_add(end)
    }

    fn read(&self, row: u64, first: u64, bytes: &mut [u8]) {
        self.plane.read_row(self.x + first, self.y + row, self.z, bytes);
    }

    fn write(&self, row: u64, first: u64, bytes: &[u8]) {
        self.plane.write_row(self.x + first, self.y + row, self.z, bytes);
    }
}

/// Copies what the methods say. Gives the addresses that it may have written.
///
/// # Errors
/// The time is up.
pub fn copy(methods: &Methods, objects: &Objects, exec: CopyExec, patience: &mut Patience) -> Result<Range<u64>, Late> {
    if exec.copy_mode == 0 {
        return Ok(0..0);
    }
    let swizzle = methods.get::<CopySwizzle>();
    let element = match exec.swizzle {
        true => (u64::from(swizzle.component_size) + 1) * (u64::from(swizzle.dst_components) + 1),
        false => 1,
    };
    let bytes = u64::from(methods.get::<CopyXCount>().count) * element;
    let rows = if exec.multi_line { methods.get::<CopyYCount>().count.into() } else { 1 };
    let source = source(methods, objects, exec, element);
    let destination = destination(methods, objects, exec, element);
    let Side { x, y, z, .. } = destination;
    let reached = destination.plane.reachable(&Area { columns: x..x + bytes, rows: y..y + rows, slice: z });
    let bytes = reached.columns.end.saturating_sub(x);
    let rows = reached.rows.end.saturating_sub(y);
    let (from, to) = (source.range(bytes, rows), destination.range(bytes, rows));
    let meet = from.start < to.end && to.start < from.end;
    match bytes.checked_mul(rows).filter(|&all| meet && all <= MOST_BYTES) {
        Some(_) => at_once(&source, &destination, bytes, rows, patience)?,
        None => by_rows(&source, &destination, bytes, rows, patience)?,
    }
    Ok(to)
}

fn by_rows(source: &Side, destination: &Side, bytes: u64, rows: u64, patience: &mut Patience) -> Result<(), Late> {
    let mut row = vec![0; bytes.min(CHUNK) as usize];
    for y in 0..rows {
        for first in (0..bytes).step_by(CHUNK as usize) {
            let part = &mut row[..(bytes - first).min(CHUNK) as usize];
            source.read(y, first, part);
            destination.write(y, first, part);
            patience.row()?;
        }
    }
    Ok(())
}

/// The same, with everything read before anything is written (decision D315).
fn at_once(source: &Side, destination: &Side, bytes: u64, rows: u64, patience: &mut Patience) -> Result<(), Late> {
    let mut all = vec![0; (bytes * rows) as usize];
    let row = (bytes as usize).max(1);
    for (y, row) in (0..).zip(all.chunks_mut(row)) {
        source.read(y, 0, row);
        patience.row()?;
    }
    for (y, row) in (0..).zip(all.chunks(row)) {
        destination.write(y, 0, row);
        patience.row()?;
    }
    Ok(())
}

/// A side that lies row by row.
fn linear(objects: &Objects, address: u64, pitch: u32) -> Side<'_> {
    Side { plane: Plane::new(objects, address, Layout::Linear { pitch }), address, x: 0, y: 0, z: 0 }
}

fn source<'a>(methods: &Methods, objects: &'a Objects, exec: CopyExec, element: u64) -> Side<'a> {
    let address = methods.address_at::<CopySrcAddressHigh>(0);
    if exec.src_linear || !exec.multi_line {
        return linear(objects, address, methods.get::<CopySrcPitch>().bytes);
    }
    let (tiles, origin) = (methods.get::<CopySrcTileMode>(), methods.get::<CopySrcOrigin>());
    let row = u64::from(methods.get::<CopySrcWidth>().width) * element;
    let rows = methods.get::<CopySrcHeight>().height.into();
    let layout = Layout::Blocks(BlockLayout::new(row, rows, tiles.height_log2, tiles.depth_log2));
    let (x, z) = (u64::from(origin.x) * element, methods.get::<CopySrcLayer>().layer.into());
    Side { plane: Plane::new(objects, address, layout), address, x, y: origin.y.into(), z }
}

fn destination<'a>(methods: &Methods, objects: &'a Objects, exec: CopyExec, element: u64) -> Side<'a> {
    let address = methods.address_at::<CopyDstAddressHigh>(0);
    if exec.dst_linear || !exec.multi_line {
        return linear(objects, address, methods.get::<CopyDstPitch>().bytes);
    }
    let (tiles, origin) = (methods.get::<CopyDstTileMode>(), methods.get::<CopyDstOrigin>());
    let row = u64::from(methods.get::<CopyDstWidth>().width) * element;
    let rows = methods.get::<CopyDstHeight>().height.into();
    let layout = Layout::Blocks(BlockLayout::new(row, rows, tiles.height_log2, tiles.depth_log2));
    let (x, z) = (u64::from(origin.x) * element, methods.get::<CopyDstLayer>().layer.into());
    Side { plane: Plane::new(objects, address, layout), address, x, y: origin.y.into(), z }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::RegisterType;
    use ctm_card::Object;
    use ctm_lane::run::RunOptions;
    use ctm_memory::Arena;
    use std::sync::Arc;

    const BASE: u32 = 0x10_0000;

    fn objects() -> Objects {
        let memory = Arc::new(Arena::new(BASE, 0x10_0000).unwrap());
        Objects::new(&memory, &[Object { address: BASE, size: 0x8_0000 }])
    }

    fn run(objects: &Objects, exec: u32, words: &[(u32, u32)]) {
        let mut methods = Methods::default();
        words.iter().for_each(|&(method, word)| methods.write(method, word));
        let mut patience = Patience::new(&RunOptions::default());
        assert!(copy(&methods, objects, CopyExec::decode(exec), &mut patience).is_ok());
    }

    fn fill(objects: &Objects) {
        (0..0x1000).for_each(|n| objects.set_word((BASE + 4 * n).into(), n));
    }

    #[test]
    fn bytes_are_copied_also_over_themselves() {
        let objects = objects();
        fill(&objects);
        run(&objects, 0x186, &[(0x404, BASE), (0x40C, BASE + 8), (0x418, 0x3FF8), (0x41C, 9)]);
        assert_eq!([0, 4, 8, 0x3FFC].map(|at| objects.word((BASE + at).into())), [0, 1, 0, 0xFFD]);
        // What is not there reads 0, and is not written.
        run(&objects, 0x186, &[(0x404, BASE - 4), (0x40C, BASE + 0x7_FFF8), (0x418, u32::MAX)]);
        assert_eq!(objects.memory().read_u32(BASE + 0x8_0000), Some(0));
    }

    /// The copy of Debian's driver of a target of 64x64 pixels to rows, and one back to another place.
    #[test]
    fn blocks_become_rows_and_rows_blocks() {
        let objects = objects();
        fill(&objects);
        let blocks = [(0x728, 0x1030), (0x72C, 64), (0x730, 64), (0x734, 1), (0x708, 0x0330_3210)];
        let sides = [(0x404, BASE), (0x40C, BASE + 0x1_0000), (0x410, 256), (0x414, 256), (0x418, 64), (0x41C, 64)];
        run(&objects, 0x706, &[&blocks[..], &sides].concat());
        let layout = BlockLayout::new(256, 64, 3, 0);
        for (x, y) in [(0, 0), (1, 0), (17, 5), (63, 63)] {
            let expected = (layout.row(y, 0) + layout.column(4 * x)) as u32 / 4;
            assert_eq!(objects.word(u64::from(BASE) + 0x1_0000 + 256 * y + 4 * x), expected);
        }
        let blocks = [(0x70C, 0x1030), (0x710, 64), (0x714, 64), (0x720, 3 | 2 << 16), (0x708, 0x0330_3210)];
        let sides = [(0x404, BASE + 0x1_0000), (0x40C, BASE + 0x2_0000), (0x410, 256), (0x418, 60), (0x41C, 60)];
        run(&objects, 0x686, &[&blocks[..], &sides].concat());
        let place = layout.row(2 + 5, 0) + layout.column(4 * (3 + 17));
        let expected = (layout.row(5, 0) + layout.column(4 * 17)) as u32 / 4;
        assert_eq!(objects.word(u64::from(BASE) + 0x2_0000 + place), expected);
        assert_eq!(objects.word(u64::from(BASE) + 0x2_0000 + layout.row(7, 0) + layout.column(8)), 0);
    }

    #[test]
    fn wild_copies_end() {
        let objects = objects();
        let all: Vec<_> = (0x400..0x740).step_by(4).map(|method| (method, 0xFFFF_FFF7)).collect();
        for exec in [0x606, 0x686, 0x706, 0x786] {
            run(&objects, exec, &all);
            run(&objects, exec, &[&all[..], &[(0x400, 0), (0x404, BASE), (0x408, 0), (0x40C, BASE)]].concat());
        }
    }
}
