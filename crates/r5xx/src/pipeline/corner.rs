//! Vertices with what clipping and the viewport make of them.

use super::clip::Clip;
use super::vertex::Vertex;
use super::window::{Viewport, WindowVertex};
use crate::state::State;

/// A vertex that primitives have as a corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corner {
    /// In clip coordinates.
    pub vertex: Vertex,
    /// It is inside of all planes.
    pub is_inside: bool,
    /// Its place in the window; `None` if it cannot be represented: then its primitive is dropped.
    pub window: Option<WindowVertex>,
}

impl Corner {
    /// One whose vertex has no vectors.
    pub const NONE: Corner = Corner { vertex: Vertex::NONE, is_inside: false, window: None };
}

/// From clip coordinates to the window.
pub struct Projection {
    clip: Clip,
    viewport: Viewport,
}

impl Projection {
    /// As the registers say.
    pub fn of(state: &State) -> Self {
        Projection { clip: Clip::of(state), viewport: Viewport::of(&state.registers) }
    }

    /// What becomes of a vertex.
    #[inline(always)]
    pub fn corner(&self, vertex: Vertex) -> Corner {
        let mut corner = Corner { vertex, ..Corner::NONE };
        self.place(&mut corner);
        corner
    }

    /// Works out what becomes of a corner's vertex.
    #[inline(always)]
    pub fn place(&self, corner: &mut Corner) {
        corner.is_inside = self.clip.keeps_point(corner.vertex.position);
        corner.window = self.viewport.window(corner.vertex.position);
    }

    /// What is left of a convex polygon with these corners (two for a line), of which not all are inside.
    pub fn cut(&self, corners: &[&Corner]) -> Vec<Corner> {
        let mut vertices = corners.iter().map(|corner| corner.vertex).collect();
        if !self.clip.polygon(&mut vertices) {
            return Vec::new();
        }
        vertices.into_iter().map(|vertex| self.corner(vertex)).collect()
    }
}
