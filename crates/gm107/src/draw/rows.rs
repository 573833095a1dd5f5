//! From a list to rows of vertices: where indices restart primitives, a new row begins.

use super::list::{DrawList, Run, RunSource};
use super::window::MemoryWindow;
use crate::methods::{
    IndexArrayFormat, IndexArrayLimitHigh, IndexArrayStartHigh, PrimRestartEnable, PrimRestartIndex,
    PrimRestartWithDrawArrays,
};
use crate::objects::Objects;
use crate::state::Methods;
use ctm_card::register::RegisterType;
use ctm_sm50::pipeline::{Vertex, VertexRow};
use std::ops::Range;

/// Indices in memory.
#[derive(Clone, Debug)]
pub struct IndexBuffer<'a> {
    memory: Option<MemoryWindow<'a>>,
    start: u64,
    /// Address of the last byte.
    limit: u64,
    bytes: u32,
}

impl<'a> IndexBuffer<'a> {
    /// The one that is bound.
    pub fn of(methods: &Methods, objects: &'a Objects) -> Self {
        let start = methods.address(IndexArrayStartHigh::ADDRESS);
        IndexBuffer {
            memory: MemoryWindow::around(objects, start),
            start,
            limit: methods.address(IndexArrayLimitHigh::ADDRESS),
            bytes: 1 << methods.get::<IndexArrayFormat>().bytes_log2.min(2),
        }
    }

    /// How many there are.
    fn count(&self) -> u64 {
        let bytes = if self.start <= self.limit { (self.limit - self.start).saturating_add(1) } else { 0 };
        bytes / u64::from(self.bytes)
    }

    /// An index; 0 beyond the last one.
    #[inline]
    fn get(&self, number: u64) -> u32 {
        let address = self.start.wrapping_add(number * u64::from(self.bytes));
        let is_inside = number < self.count();
        self.memory.as_ref().filter(|_| is_inside).map_or(0, |memory| memory.bytes(address, self.bytes))
    }
}

/// How indices restart primitives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Restart {
    index: u32,
    /// It is one of a range, too.
    in_ranges: bool,
}

impl Restart {
    /// What the methods say.
    pub fn of(methods: &Methods) -> Option<Self> {
        let is_enabled = methods.get::<PrimRestartEnable>().enable;
        is_enabled.then(|| Restart {
            index: methods.get::<PrimRestartIndex>().value,
            in_ranges: methods.get::<PrimRestartWithDrawArrays>().enable,
        })
    }
}

/// A part of a row.
#[derive(Clone, Copy, Debug)]
struct Piece {
    /// The place of its first vertex in the row.
    place: u32,
    run: Run,
    /// Vertices of the run before it.
    skipped: u32,
}

/// The rows of a list.
pub struct Rows<'a> {
    list: &'a DrawList,
    indices: IndexBuffer<'a>,
    restart: Option<Restart>,
    /// The next run, and how many vertices of it are done.
    next: (usize, u32),
}

/// Vertices between two restarts.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    list: &'a DrawList,
    indices: IndexBuffer<'a>,
    pieces: Vec<Piece>,
    count: u32,
}

impl<'a> Rows<'a> {
    /// Of a list.
    pub fn new(list: &'a DrawList, indices: IndexBuffer<'a>, restart: Option<Restart>) -> Self {
        Rows { list, indices, restart, next: (0, 0) }
    }

    /// Vertices of a run, of which so many are done, before the next restart; whether there is one.
    fn before_restart(&self, run: &Run, done: u32) -> (u32, bool) {
        let left = run.count - done;
        let Some(restart) = self.restart else { return (left, false) };
        let found = match run.source {
            RunSource::Range(first) => {
                let place = restart.index.wrapping_sub(first.wrapping_add(done));
                (restart.in_ranges && place < left).then_some(place)
            }
            RunSource::Stream(first) => {
                let indices = self.list.indices().get(first + done as usize..).unwrap_or_default();
                indices.iter().take(left as usize).position(|&index| index == restart.index).map(|place| place as u32)
            }
            RunSource::Memory(first) => {
                let first = u64::from(first) + u64::from(done);
                let end = first + u64::from(left);
                // Beyond the last index all are 0.
                let read = end.min(self.indices.count());
                let found = (first..read).find(|&number| self.indices.get(number) == restart.index);
                let found = found.or((restart.index == 0 && read < end).then_some(read.max(first)));
                found.map(|number| (number - first) as u32)
            }
        };
        found.map_or((left, false), |place| (place, true))
    }

    /// Whether all of a run that is left are restarts: they are beyond the last index.
    fn restarts_forever(&self, run: &Run, done: u32) -> bool {
        match run.source {
            RunSource::Memory(first) => {
                self.restart.is_some_and(|restart| restart.index == 0)
                    && u64::from(first) + u64::from(done) >= self.indices.count()
            }
            RunSource::Range(_) | RunSource::Stream(_) => false,
        }
    }
}

impl<'a> Iterator for Rows<'a> {
    type Item = Row<'a>;

    fn next(&mut self) -> Option<Row<'a>> {
        let (mut pieces, mut count) = (Vec::new(), 0u32);
        while let Some(run) = self.list.runs().get(self.next.0) {
            let done = self.next.1;
            if self.restarts_forever(run, done) {
                self.next = (self.next.0 + 1, 0);
                if count > 0 {
                    break;
                }
                continue;
            }
            let (vertices, ends) = self.before_restart(run, done);
            // A row has no more than can be counted.
            let vertices_taken = vertices.min(u32::MAX - count);
            if vertices_taken > 0 {
                let taken = Run { count: vertices_taken, ..*run };
                pieces.push(Piece { place: count, run: taken, skipped: done });
                count += vertices_taken;
            }
            let done = u64::from(done) + u64::from(vertices) + u64::from(ends);
            self.next = if done >= u64::from(run.count) { (self.next.0 + 1, 0) } else { (self.next.0, done as u32) };
            if ends && count > 0 {
                break;
            }
        }
        (count > 0).then(|| Row { list: self.list, indices: self.indices.clone(), pieces, count })
    }
}

impl Row<'_> {
    /// The piece that has the vertex at a place, by its number.
    fn piece(&self, place: u32) -> usize {
        self.pieces.partition_point(|piece| piece.place <= place).saturating_sub(1)
    }
}

impl VertexRow for Row<'_> {
    fn count(&self) -> u32 {
        self.count
    }

    fn append(&self, places: Range<u32>, vertices: &mut Vec<Vertex>) {
        let instance = self.list.instance();
        for piece in &self.pieces[self.piece(places.start)..] {
            if piece.place >= places.end {
                break;
            }
            // In the run: vertices before, and after the last one.
            let first = places.start.saturating_sub(piece.place) + piece.skipped;
            let last = (places.end - piece.place).min(piece.run.count) + piece.skipped;
            let numbers = first..last;
            match piece.run.source {
                RunSource::Range(start) => vertices.extend(numbers.map(|number| Vertex {
                    number: start.wrapping_add(number),
                    instance,
                    is_indexed: false,
                })),
                RunSource::Stream(start) => {
                    let of = |number: u32| self.list.indices().get(start + number as usize).copied().unwrap_or(0);
                    vertices.extend(numbers.map(|number| Vertex { number: of(number), instance, is_indexed: true }));
                }
                RunSource::Memory(start) => {
                    let of = |number: u32| self.indices.get(u64::from(start) + u64::from(number));
                    vertices.extend(numbers.map(|number| Vertex { number: of(number), instance, is_indexed: true }));
                }
            }
        }
    }

    fn repeats(&self) -> bool {
        self.pieces.iter().any(|piece| !matches!(piece.run.source, RunSource::Range(_)))
    }

    fn hides_edges(&self) -> bool {
        self.pieces.iter().any(|piece| !piece.run.edge)
    }

    fn has_edge(&self, place: u32) -> bool {
        self.pieces.get(self.piece(place)).is_none_or(|piece| piece.run.edge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::{IndexArrayLimitLow, IndexArrayStartLow};
    use ctm_card::Object;
    use ctm_memory::Arena;
    use std::sync::Arc;

    const BASE: u32 = 0x1_0000;

    fn objects() -> Objects {
        let memory = Arc::new(Arena::new(BASE, 0x1000).unwrap());
        let indices = [3u16, 4, 0xFFFF, 0xFFFF, 5, 6, 7, 0xFFFF, 8];
        let bytes: Vec<u8> = indices.iter().flat_map(|index| index.to_le_bytes()).collect();
        memory.write_bytes(BASE + 2, &bytes);
        Objects::new(&memory, &[Object { address: BASE, size: 0x100 }])
    }

    fn methods(restart: Option<u32>) -> Methods {
        let mut methods = Methods::default();
        methods.write(IndexArrayStartLow::ADDRESS, BASE + 2);
        methods.write(IndexArrayLimitLow::ADDRESS, BASE + 2 + 17);
        methods.write(IndexArrayFormat::ADDRESS, 1);
        methods.write(PrimRestartWithDrawArrays::ADDRESS, 1);
        if let Some(index) = restart {
            methods.write(PrimRestartEnable::ADDRESS, 1);
            methods.write(PrimRestartIndex::ADDRESS, index);
        }
        methods
    }

    fn rows(list: &DrawList, restart: Option<u32>) -> Vec<Vec<u32>> {
        let (objects, methods) = (objects(), methods(restart));
        let rows = Rows::new(list, IndexBuffer::of(&methods, &objects), Restart::of(&methods));
        rows.map(|row| {
            let mut vertices = Vec::new();
            row.append(0..row.count(), &mut vertices);
            // In pieces they are the same.
            let mut pieces = Vec::new();
            (0..row.count()).for_each(|place| row.append(place..place + 1, &mut pieces));
            assert_eq!(vertices, pieces);
            vertices.iter().map(|vertex| vertex.number).collect()
        })
        .collect()
    }

    fn list(make: impl FnOnce(&mut DrawList)) -> DrawList {
        let mut list = DrawList::default();
        list.begin(0);
        make(&mut list);
        list
    }

    #[test]
    fn restarts_end_rows() {
        let elements = list(|list| list.elements(0, 9, true));
        assert_eq!(rows(&elements, None), [[3, 4, 0xFFFF, 0xFFFF, 5, 6, 7, 0xFFFF, 8]]);
        assert_eq!(rows(&elements, Some(0xFFFF)), [vec![3, 4], vec![5, 6, 7], vec![8]]);
        assert_eq!(rows(&elements, Some(u32::MAX)).len(), 1, "indices have 16 bits");
        let range = list(|list| list.arrays(4, 6, true));
        assert_eq!(rows(&range, Some(6)), [[4, 5].as_slice(), &[7, 8, 9]]);
        assert_eq!(
            (rows(&range, Some(4)), rows(&range, Some(9))),
            (vec![vec![5, 6, 7, 8, 9]], vec![vec![4, 5, 6, 7, 8]])
        );
        let inline = list(|list| [1, 2, 9, 9, 3].iter().for_each(|&index| list.inline_u32(index, true)));
        assert_eq!(rows(&inline, Some(9)), [[1, 2].as_slice(), &[3]]);
    }

    #[test]
    fn rows_go_on_over_runs() {
        let mixed = list(|list| {
            list.arrays(10, 2, true);
            list.inline_u16(0x0002_0001, true);
            list.elements(0, 3, false);
            list.arrays(20, 2, true);
        });
        assert_eq!(rows(&mixed, Some(0xFFFF)), [[10, 11, 1, 2, 3, 4].as_slice(), &[20, 21]]);
        let (objects, methods) = (objects(), methods(None));
        let row = Rows::new(&mixed, IndexBuffer::of(&methods, &objects), None).next().unwrap();
        let flags: Vec<bool> = (0..row.count()).map(|place| row.has_edge(place)).collect();
        assert_eq!(flags, [true, true, true, true, false, false, false, true, true]);
        assert!(row.hides_edges() && row.repeats());
    }

    #[test]
    fn indices_end_with_their_buffer() {
        let beyond = list(|list| list.elements(8, 4, true));
        assert_eq!(rows(&beyond, None), [[8, 0, 0, 0]]);
        assert_eq!(rows(&beyond, Some(0)), [[8]]);
        let endless = list(|list| list.elements(7, u32::MAX, true));
        assert_eq!(rows(&endless, Some(0)), [[0xFFFF, 8]]);
        let (objects, methods) = (objects(), methods(Some(1)));
        let rows: Vec<_> = Rows::new(&endless, IndexBuffer::of(&methods, &objects), Restart::of(&methods)).collect();
        assert_eq!((rows.len(), rows[0].count()), (1, u32::MAX));
    }

    #[test]
    fn memory_outside_of_objects_has_zeros() {
        let memory = Arc::new(Arena::new(BASE, 0x1000).unwrap());
        memory.fill_words(BASE, 0x400, 7, u32::MAX);
        let objects = Objects::new(&memory, &[]);
        let buffer = IndexBuffer::of(&methods(None), &objects);
        assert_eq!((buffer.get(0), buffer.count()), (0, 9));
    }
}
