//! Which lanes of a launch are which invocations of primitives.

use super::DrawError;
use super::tessellate::Mesh;
use crate::attributes::Words;
use crate::launch::{Column, Invocations, MAX_HANDLES, NO_INVOCATION, WARP};
use ctm_memory::Buffer;

/// How the lanes of primitives fill warps: all lanes of a primitive in one warp, next to each other.
#[derive(Clone, Copy)]
pub(super) struct Packing {
    /// Lanes of a primitive.
    threads: u32,
    /// Vertices of a primitive.
    vertices: u32,
    /// Primitives of a warp.
    pub primitives: u32,
}

impl Packing {
    pub fn new(threads: u32, vertices: u32) -> Self {
        Packing { threads, vertices, primitives: (WARP / threads).min(MAX_HANDLES / vertices) }
    }

    /// The invocation of a primitive's lane.
    pub fn invocation(&self, primitive: u32, thread: u32) -> u32 {
        primitive / self.primitives * WARP + primitive % self.primitives * self.threads + thread
    }

    pub fn invocations(&self, primitives: u32) -> Result<Invocations, DrawError> {
        let count = if primitives == 0 { 0 } else { self.invocation(primitives - 1, self.threads - 1) + 1 };
        invocations(count, |columns| {
            for primitive in 0..primitives {
                let first = primitive - primitive % self.primitives;
                let handles = self.primitives.min(primitives - first) * self.vertices;
                for thread in 0..self.threads {
                    let lane = self.invocation(primitive, thread);
                    columns.place(lane, primitive, first, handles);
                    columns.set(Column::Invocation, lane, thread);
                }
            }
        })
    }
}

/// Facts about invocations, in the making.
struct Columns<'a> {
    count: u32,
    buffer: Buffer<'a>,
}

/// `count` lanes, of which those are invocations that `place` gives a place.
fn invocations(count: u32, place: impl FnOnce(&Columns)) -> Result<Invocations, DrawError> {
    let words = Words::new(u64::from(count) * u64::from(Column::COUNT))?;
    let columns = Columns { count, buffer: words.buffer() };
    (0..count).for_each(|lane| columns.set(Column::Primitive, lane, NO_INVOCATION));
    place(&columns);
    Ok(Invocations { count, columns: Some(words) })
}

impl Columns<'_> {
    fn set(&self, column: Column, lane: u32, value: u32) {
        self.buffer.store(4 * (column as u32 * self.count + lane), value);
    }

    fn place(&self, lane: u32, primitive: u32, first: u32, handles: u32) {
        self.set(Column::Primitive, lane, primitive);
        self.set(Column::FirstPrimitive, lane, first);
        self.set(Column::Handles, lane, handles);
    }
}

/// Domain points that wait for evaluation.
#[derive(Default)]
pub(super) struct Points {
    /// Patch and coordinates of every lane, with lanes left free where a warp cannot have more patches.
    pub coordinates: Vec<(Option<u32>, [f32; 2])>,
    /// Vertices of a patch.
    patch_vertices: u32,
    /// Lanes of the primitives' vertices.
    pub indices: Vec<u32>,
    /// Numbers of the primitives' patches.
    pub ids: Vec<u32>,
}

impl Points {
    pub fn add(&mut self, patch: u32, id: u32, mesh: &Mesh, patch_vertices: u32) {
        self.patch_vertices = patch_vertices;
        let mut lanes = Vec::with_capacity(mesh.points.len());
        for &point in &mesh.points {
            let lane = self.coordinates.len();
            let start = lane - lane % WARP as usize;
            if let Some(&(Some(first), _)) = self.coordinates.get(start)
                && (patch - first + 1) * patch_vertices > MAX_HANDLES
            {
                self.coordinates.resize(start + WARP as usize, (None, [0.0; 2]));
            }
            lanes.push(self.coordinates.len() as u32);
            self.coordinates.push((Some(patch), point));
        }
        self.indices.extend(mesh.indices.iter().map(|&point| lanes[point as usize]));
        let primitives = mesh.indices.len() / mesh.shape.vertices() as usize;
        self.ids.extend(std::iter::repeat_n(id, primitives));
    }

    pub fn invocations(&self) -> Result<Invocations, DrawError> {
        invocations(self.coordinates.len() as u32, |columns| {
            for (warp, lanes) in (0..).zip(self.coordinates.chunks(WARP as usize)) {
                let mut patches = lanes.iter().filter_map(|&(patch, _)| patch);
                let Some(first) = patches.next() else { continue };
                let last = patches.next_back().unwrap_or(first);
                let handles = (last - first + 1) * self.patch_vertices;
                for (lane, &(patch, uv)) in (warp * WARP..).zip(lanes) {
                    if let Some(patch) = patch {
                        columns.place(lane, patch, first, handles);
                        columns.set(Column::U, lane, uv[0].to_bits());
                        columns.set(Column::V, lane, uv[1].to_bits());
                    }
                }
            }
        })
    }
}
