//! From rows of vertices to batches of primitives: which vertices a batch has, and which of them each primitive.

use super::assembled::Outline;
use super::primitive::{Primitive, Provoking, Window};
use crate::attributes::View;
use std::ops::Range;

/// Vertices of a batch, about.
pub(super) const BATCH_VERTICES: u32 = 1 << 16;
/// Patches of a batch: a patch record has 1 KiB.
const BATCH_PATCHES: u32 = 1 << 12;
/// Vertices of which equal ones are found, by the lower bits of their numbers.
const SHARED: usize = 1 << 14;

/// A vertex of a draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Vertex {
    /// Its number.
    pub number: u32,
    /// The instance that it belongs to.
    pub instance: u32,
    /// The number is from a list of indices, and not one of a range.
    pub is_indexed: bool,
}

/// Vertices in a row, that primitives are made of: those of one instance, between two restarts.
pub trait VertexRow {
    /// How many there are.
    fn count(&self) -> u32;

    /// Appends the vertices with these places in the row.
    fn append(&self, places: Range<u32>, vertices: &mut Vec<Vertex>);

    /// Whether vertices may come several times, so that their programs need to run only once.
    fn repeats(&self) -> bool {
        false
    }

    /// Whether some edge flag is not set.
    fn hides_edges(&self) -> bool {
        false
    }

    /// The edge flag of the vertex at a place.
    fn has_edge(&self, place: u32) -> bool {
        _ = place;
        true
    }
}

/// Where the words of vertices come from.
pub trait VertexFeed {
    /// Writes the input records of vertices, in their order: of the words that records have, all of which are 0 before.
    fn feed(&self, vertices: &[Vertex], records: &View);
}

/// The vertices and primitives of a batch. Memory for the next ones stays.
#[derive(Debug, Default)]
pub struct BatchMemory {
    /// The vertices, each once if they are shared.
    pub(super) vertices: Vec<Vertex>,
    /// The vertices of each primitive.
    pub(super) indices: Vec<u32>,
    /// The number of each primitive in the draw.
    pub(super) ids: Vec<u32>,
    /// What of the outline of each primitive there is, if it is not whole.
    pub(super) outlines: Vec<Outline>,
    /// The vertices of a window.
    window: Vec<Vertex>,
    /// Where they are in the batch.
    places: Vec<u32>,
    shared: SharedVertices,
}

/// How vertices become primitives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gathering {
    pub primitive: Primitive,
    pub patch_vertices: u32,
    pub provoking: Provoking,
    /// Outlines are of use.
    pub has_outlines: bool,
}

impl Gathering {
    /// Number of primitives that vertices make.
    pub fn count(&self, vertices: u32) -> u32 {
        self.primitive.count(vertices, self.patch_vertices)
    }

    /// Primitives of a batch.
    fn most(&self) -> u32 {
        match self.primitive {
            Primitive::Patches => BATCH_PATCHES,
            primitive => BATCH_VERTICES / primitive.vertices(self.patch_vertices),
        }
    }
}

impl BatchMemory {
    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.vertices.clear();
        self.indices.clear();
        self.ids.clear();
        self.outlines.clear();
        self.shared.forget();
    }

    /// How many primitives of a row fit behind what there is.
    pub(super) fn room(&self, gathering: &Gathering) -> u32 {
        let most = gathering.most() as usize;
        let left = BATCH_VERTICES.saturating_sub(self.vertices.len() as u32)
            / gathering.primitive.vertices(gathering.patch_vertices).max(1);
        most.saturating_sub(self.ids.len()).min(left as usize) as u32
    }

    /// Adds some primitives of a row. The first one of the row has the number `first_id`.
    pub(super) fn add(&mut self, gathering: &Gathering, row: &dyn VertexRow, some: Range<u32>, first_id: u32) {
        let Gathering { primitive, patch_vertices, provoking, has_outlines } = *gathering;
        let count = row.count();
        let window = primitive.window(some.clone(), count, patch_vertices);
        self.window.clear();
        row.append(window.range.clone(), &mut self.window);
        if window.with_first {
            row.append(0..1, &mut self.window);
        }
        self.place(row.repeats());
        let before = self.indices.len();
        let hides_edges = row.hides_edges() && primitive.has_edge_flags();
        let has_outlines = has_outlines && (hides_edges || primitive != Primitive::Triangles);
        if has_outlines {
            self.outlines.resize(self.ids.len(), Outline::WHOLE);
        }
        for k in some {
            let of_primitive = self.indices.len();
            primitive.assemble(k, (count, patch_vertices), provoking, &window, &mut self.indices);
            self.ids.push(first_id.wrapping_add(primitive.id(k)));
            if has_outlines {
                let outline = primitive.outline(k, count, provoking);
                let places = &self.indices[of_primitive..];
                self.outlines.push(if hides_edges { flagged(outline, places, &window, row) } else { outline });
            }
        }
        self.indices[before..].iter_mut().for_each(|place| *place = self.places[*place as usize]);
    }

    /// Gives the vertices of the window their places in the batch.
    fn place(&mut self, repeats: bool) {
        self.places.clear();
        if !repeats {
            let first = self.vertices.len() as u32;
            self.places.extend((first..).take(self.window.len()));
            self.vertices.extend(&self.window);
            return;
        }
        for vertex in &self.window {
            let next = self.vertices.len() as u32;
            let place = self.shared.place(vertex, next);
            if place == next {
                self.vertices.push(*vertex);
            }
            self.places.push(place);
        }
    }
}

/// The outline without the edges whose flags are not set.
fn flagged(outline: Outline, places: &[u32], window: &Window, row: &dyn VertexRow) -> Outline {
    let has_edge = |n: u32| {
        let place = places.get(n as usize).map_or(0, |&place| window.vertex(place));
        outline.has_edge(n) && row.has_edge(place)
    };
    Outline::of_edges((0..3).fold(0, |edges, n| edges | u8::from(has_edge(n)) << n))
}

/// Where vertices are that came before, by the lower bits of their numbers: of two with the same bits it knows the one that came last.
#[derive(Debug, Default)]
struct SharedVertices {
    slots: Vec<SharedVertex>,
    /// Slots of other batches have others.
    batch: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct SharedVertex {
    batch: u32,
    vertex: Vertex,
    place: u32,
}

impl SharedVertices {
    /// Forgets all of them.
    fn forget(&mut self) {
        self.batch = self.batch.wrapping_add(1);
        if self.batch == 0 {
            self.slots.clear();
        }
    }

    /// The place of a vertex, which is `next` if it has not come yet.
    fn place(&mut self, vertex: &Vertex, next: u32) -> u32 {
        if self.slots.is_empty() {
            self.slots.resize(SHARED, SharedVertex::default());
            self.batch = self.batch.max(1);
        }
        let batch = self.batch;
        let slot = &mut self.slots[vertex.number as usize % SHARED];
        if slot.batch != batch || slot.vertex != *vertex {
            *slot = SharedVertex { batch, vertex: *vertex, place: next };
        }
        slot.place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Indices, with edge flags.
    struct List(Vec<u32>, Vec<bool>);

    impl VertexRow for List {
        fn count(&self) -> u32 {
            self.0.len() as u32
        }

        fn append(&self, places: Range<u32>, vertices: &mut Vec<Vertex>) {
            let numbers = &self.0[places.start as usize..places.end as usize];
            vertices.extend(numbers.iter().map(|&number| Vertex { number, instance: 3, is_indexed: true }));
        }

        fn repeats(&self) -> bool {
            true
        }

        fn hides_edges(&self) -> bool {
            self.1.contains(&false)
        }

        fn has_edge(&self, place: u32) -> bool {
            self.1[place as usize]
        }
    }

    fn gathering(primitive: Primitive) -> Gathering {
        Gathering { primitive, patch_vertices: 3, provoking: Provoking::Last, has_outlines: true }
    }

    fn numbers(memory: &BatchMemory) -> Vec<u32> {
        memory.indices.iter().map(|&place| memory.vertices[place as usize].number).collect()
    }

    #[test]
    fn equal_vertices_are_one() {
        let mut memory = BatchMemory::default();
        let row = List(vec![7, 8, 9, 9, 8, 7 + SHARED as u32, 7, 8, 9], vec![true; 9]);
        memory.add(&gathering(Primitive::Triangles), &row, 0..3, 10);
        assert_eq!(numbers(&memory), row.0);
        let vertices: Vec<u32> = memory.vertices.iter().map(|vertex| vertex.number).collect();
        assert_eq!(
            (vertices, &memory.ids),
            (vec![7, 8, 9, 7 + SHARED as u32, 7], &vec![10, 11, 12]),
            "7 was pushed out"
        );
        memory.clear();
        memory.add(&gathering(Primitive::Triangles), &row, 1..2, 0);
        assert_eq!((numbers(&memory), memory.vertices.len()), (vec![9, 8, 7 + SHARED as u32], 3));
    }

    #[test]
    fn rows_follow_each_other() {
        let mut memory = BatchMemory::default();
        let row = |numbers: &[u32]| List(numbers.to_vec(), vec![true; numbers.len()]);
        memory.add(&gathering(Primitive::TriangleFan), &row(&[5, 1, 2, 3]), 0..2, 0);
        memory.add(&gathering(Primitive::TriangleFan), &row(&[6, 2, 3, 4, 5]), 1..3, 2);
        assert_eq!(numbers(&memory), [5, 1, 2, 5, 2, 3, 6, 3, 4, 6, 4, 5]);
        assert_eq!(memory.ids, [0, 1, 3, 4]);
    }

    #[test]
    fn edge_flags_hide_edges_of_triangles_quads_and_polygons() {
        let edges = |primitive: Primitive, flags: [bool; 4]| {
            let mut memory = BatchMemory::default();
            let gathering = gathering(primitive);
            memory.add(&gathering, &List(vec![0, 1, 2, 3], flags.to_vec()), 0..gathering.count(4), 0);
            let edges = |outline: &Outline| (0..3).map(|n| u32::from(outline.has_edge(n)) << n).sum::<u32>();
            memory.outlines.iter().map(edges).collect::<Vec<_>>()
        };
        assert_eq!(edges(Primitive::Triangles, [true, false, true, true]), [0b101]);
        assert_eq!(edges(Primitive::Quads, [true; 4]), [0b101, 0b011]);
        assert_eq!(edges(Primitive::Quads, [false, true, false, true]), [0b100, 0b001]);
        assert_eq!(edges(Primitive::Polygon, [true, false, true, false]), [0b001, 0b010]);
        assert_eq!(edges(Primitive::TriangleStrip, [false; 4]), [0b111, 0b111]);
    }
}
