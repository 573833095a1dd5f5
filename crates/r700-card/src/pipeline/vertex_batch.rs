//! Primitives that are drawn together, and the vertices that they share.

use super::assemble::{Assembly, Primitive};
use super::geometry::InputPrimitive;

/// Vertices that are remembered at most: a power of two.
const REMEMBERED: usize = 1 << 12;
/// Vertices of a primitive at most.
pub const CORNERS: usize = 6;

/// What a vertex that is remembered is.
#[derive(Clone, Copy)]
struct CachedVertex {
    instance: u32,
    number: u32,
    lane: usize,
    /// The batch that it is in.
    batch: u64,
}

/// How much a batch holds.
#[derive(Clone, Copy, Debug)]
pub struct BatchLimits {
    /// Vertices.
    pub vertices: usize,
    /// Primitives.
    pub primitives: usize,
}

/// Which vertices of a draw primitives share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VertexSharing {
    /// Those with the same number.
    Numbers,
    /// None: programs get the number of the primitive in R0.z (decision D205).
    Nothing,
}

/// Primitives that wait.
pub struct VertexBatch {
    limits: BatchLimits,
    sharing: VertexSharing,
    remembered: Vec<CachedVertex>,
    /// Vertices that this draw remembers: a power of two.
    places: usize,
    batch: u64,
    /// Vertices and primitives of draws before this one.
    before: [usize; 2],
    /// R0 of the vertices.
    pub vertices: Vec<[u32; 4]>,
    /// Primitives as they are drawn.
    pub primitives: Vec<Primitive>,
    /// The same as geometry programs get them, if there is one.
    pub inputs: Vec<InputPrimitive>,
}

impl VertexBatch {
    /// An empty one.
    pub fn new(sharing: VertexSharing) -> Self {
        VertexBatch {
            limits: BatchLimits { vertices: 0, primitives: 0 },
            sharing,
            remembered: Vec::new(),
            places: 1,
            batch: 0,
            before: [0; 2],
            vertices: Vec::new(),
            primitives: Vec::new(),
            inputs: Vec::new(),
        }
    }

    /// Begins a draw of so many vertices, behind what waits of others. It shares none of their vertices.
    pub fn begin(&mut self, limits: BatchLimits, vertices: usize) {
        self.limits = limits;
        self.places = match self.sharing {
            VertexSharing::Numbers => vertices.next_power_of_two().min(REMEMBERED),
            VertexSharing::Nothing => 1,
        };
        if self.remembered.len() < self.places {
            let nothing = CachedVertex { instance: 0, number: 0, lane: 0, batch: 0 };
            self.remembered.resize(self.places, nothing);
        }
        self.batch += 1;
        self.before = self.waiting();
    }

    /// Which vertices of a draw primitives share.
    pub fn sharing(&self) -> VertexSharing {
        self.sharing
    }

    /// Vertices and primitives that wait.
    fn waiting(&self) -> [usize; 2] {
        [self.vertices.len(), self.primitives.len().max(self.inputs.len())]
    }

    /// Whether another primitive of the draw may be too much.
    pub fn is_full(&self) -> bool {
        let [vertices, primitives] = self.waiting();
        let [vertices_before, primitives_before] = self.before;
        vertices - vertices_before + CORNERS > self.limits.vertices.max(CORNERS)
            || primitives - primitives_before >= self.limits.primitives.max(1)
    }

    /// Adds primitive `n` of a part with vertices of these numbers; it is the one with `number` of its instance.
    pub fn primitive(&mut self, assembly: &Assembly, n: usize, part: &[u32], instance: u32, number: u32) {
        let primitive = assembly.get(n).map(|vertex| self.vertex(part[vertex], instance, number));
        self.primitives.push(primitive);
    }

    /// Adds triangles of a list from number `n` on, as many as there is place for, but one at least; gives how many that are. No two vertices have the
    /// same number.
    pub fn triangles(&mut self, assembly: &Assembly, n: usize, part: &[u32], instance: u32) -> usize {
        let [vertices, primitives] = self.waiting();
        let [vertices_before, primitives_before] = self.before;
        let most = self.limits.vertices.max(CORNERS) - CORNERS;
        let for_vertices = most.saturating_sub(vertices - vertices_before) / 3 + 1;
        let for_primitives = self.limits.primitives.saturating_sub(primitives - primitives_before);
        let count = for_vertices.min(for_primitives).max(1).min(assembly.len().saturating_sub(n));
        let lane = self.vertices.len();
        self.vertices.extend(part[3 * n..3 * (n + count)].iter().map(|&number| [number, 0, 0, instance]));
        let first = assembly.get(0);
        self.primitives.extend((0..count).map(|k| first.moved(lane + 3 * k)));
        count
    }

    /// Adds it for a geometry program.
    pub fn input(&mut self, assembly: &Assembly, n: usize, part: &[u32], instance: u32, number: u32) {
        let mut vertices = [0; CORNERS];
        for (place, vertex) in vertices.iter_mut().zip(assembly.with_neighbours(n)).take(assembly.inputs()) {
            *place = self.vertex(part[vertex], instance, number);
        }
        self.inputs.push(InputPrimitive { number, vertices });
    }

    fn vertex(&mut self, number: u32, instance: u32, primitive: u32) -> usize {
        let lane = self.vertices.len();
        match self.sharing {
            VertexSharing::Nothing => self.vertices.push([number, 0, primitive, instance]),
            VertexSharing::Numbers => {
                let place = number as usize & (self.places - 1);
                let found = &mut self.remembered[place];
                if (found.batch, found.instance, found.number) == (self.batch, instance, number) {
                    return found.lane;
                }
                *found = CachedVertex { instance, number, lane, batch: self.batch };
                self.vertices.push([number, 0, 0, instance]);
            }
        }
        lane
    }

    /// Begins anew.
    pub fn clear(&mut self) {
        self.batch += 1;
        self.before = [0; 2];
        self.vertices.clear();
        self.primitives.clear();
        self.inputs.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registers::codes::PrimitiveType;

    #[test]
    fn vertices_are_shared_by_number() {
        let limits = BatchLimits { vertices: 8, primitives: 3 };
        let strip = Assembly::new(PrimitiveType(6), 4, true).unwrap();
        let part = [7, 8, 7 + 4096, 8];
        let mut batch = VertexBatch::new(VertexSharing::Numbers);
        batch.begin(limits, 4);
        batch.primitive(&strip, 0, &part, 2, 0);
        batch.primitive(&strip, 1, &part, 2, 1);
        assert_eq!(batch.vertices, [[7, 0, 0, 2], [8, 0, 0, 2], [4103, 0, 0, 2]]);
        assert_eq!(batch.primitives[1].form.vertices(), [2, 1, 1]);
        assert!(batch.is_full(), "there is no place for six more");
        batch.clear();
        batch.input(&strip, 1, &part, 3, 5);
        assert_eq!(
            (batch.vertices.len(), &batch.inputs[..]),
            (2, &[InputPrimitive { number: 5, vertices: [0, 1, 1, 0, 0, 0] }][..])
        );
        assert!(!batch.is_full());
    }

    #[test]
    fn lists_of_triangles_are_what_their_triangles_are() {
        let list = Assembly::new(PrimitiveType::TRIANGLES, 16, true).unwrap();
        let part: Vec<u32> = (20..36).collect();
        for limits in [(9, 100), (11, 100), (100, 2), (3, 1), (0, 0)] {
            let limits = BatchLimits { vertices: limits.0, primitives: limits.1 };
            let mut batches = [0, 1].map(|_| VertexBatch::new(VertexSharing::Numbers));
            batches.iter_mut().for_each(|batch| batch.begin(limits, part.len()));
            let [together, one_by_one] = &mut batches;
            let mut n = 0;
            while n < list.len() {
                let count = together.triangles(&list, n, &part, 3);
                for n in n..n + count {
                    assert!(n == 0 || !one_by_one.is_full() || one_by_one.vertices.is_empty());
                    one_by_one.primitive(&list, n, &part, 3, n as u32);
                }
                n += count;
                assert_eq!((&together.vertices, &together.primitives), (&one_by_one.vertices, &one_by_one.primitives));
                assert_eq!(together.is_full(), one_by_one.is_full());
                assert!(together.is_full() || n == list.len());
                together.clear();
                one_by_one.clear();
            }
        }
    }

    #[test]
    fn draws_that_wait_together_share_no_vertices() {
        let limits = BatchLimits { vertices: 9, primitives: 1 };
        let triangle = Assembly::new(PrimitiveType(4), 3, true).unwrap();
        let mut batch = VertexBatch::new(VertexSharing::Numbers);
        for draw in 1..4 {
            batch.begin(limits, 3);
            assert!(!batch.is_full(), "a draw has its own limits");
            batch.primitive(&triangle, 0, &[5, 6, 5], 0, 0);
            assert_eq!((batch.vertices.len(), batch.is_full()), (2 * draw, true));
        }
        batch.clear();
        assert!(!batch.is_full());
        batch.primitive(&triangle, 0, &[5, 6, 5], 0, 0);
        assert_eq!((batch.vertices.len(), batch.is_full()), (2, true));
    }

    #[test]
    fn vertices_with_numbers_of_primitives_are_not_shared() {
        let mut batch = VertexBatch::new(VertexSharing::Nothing);
        batch.begin(BatchLimits { vertices: 6, primitives: 8 }, 4);
        let strip = Assembly::new(PrimitiveType(6), 4, true).unwrap();
        batch.primitive(&strip, 0, &[5; 4], 1, 9);
        assert_eq!((&batch.vertices[..], batch.is_full()), (&[[5, 0, 9, 1]; 3][..], true));
    }
}
