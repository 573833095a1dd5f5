//! How primitives come out of the stages: what a rasteriser is given, and what transform feedback captures.
//!
//! A card's rasteriser is a [`Receiver`]. It gets primitives in the order of the draw, some thousands at a time, as numbers of attribute
//! records; what it needs of these it reads while it receives them, because the next primitives have records of their own. Its fragment
//! launches go through [`Stages`], so that they count for the draw and end with its budget.

use super::stages::Stages;
use super::{DrawError, Shape};
use crate::attributes::View;

/// Primitives that come out of the stages, in order.
#[derive(Clone, Copy, Debug)]
pub struct Assembled<'a> {
    /// What they are.
    pub shape: Shape,
    /// The stream that a geometry program put them out to; 0 if there is none. Only stream 0 is rasterised.
    pub stream: u8,
    /// The attributes of vertices, by record.
    pub records: View<'a>,
    /// The record of each vertex, primitive by primitive.
    pub vertices: &'a [u32],
    /// For each primitive, the number of the one in the draw that it comes from.
    pub ids: &'a [u32],
    /// Which vertex of each primitive provokes: it gives flat attributes, the layer and the viewport.
    pub provoking: u32,
    /// What of the outline of each primitive there is. Those beyond the end are whole.
    pub outlines: &'a [Outline],
}

impl<'a> Assembled<'a> {
    /// The records of the vertices of each primitive.
    pub fn primitives(&self) -> std::slice::ChunksExact<'a, u32> {
        self.vertices.chunks_exact(self.shape.vertices() as usize)
    }

    /// What of the outline of a primitive there is.
    pub fn outline(&self, primitive: usize) -> Outline {
        self.outlines.get(primitive).copied().unwrap_or_default()
    }

    /// A word of the vertex that provokes a primitive; 0 where there is none.
    pub fn provoking_word(&self, primitive: usize, address: u32) -> u32 {
        let vertex = primitive * self.shape.vertices() as usize + self.provoking as usize;
        self.vertices.get(vertex).map_or(0, |&record| self.records.get(record, address))
    }
}

/// What of the outline of a primitive there is, where triangles are drawn as lines or points, and whether lines follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outline(u8);

impl Outline {
    /// Every edge; a line that follows none.
    pub const WHOLE: Outline = Outline(0b111);
    const CONTINUES: u8 = 0b1000;

    /// The edges from these vertices to the next ones: bit n for vertex n.
    pub const fn of_edges(edges: u8) -> Self {
        Outline(edges & 0b111)
    }

    /// A line of a strip, behind its first one: stipples go on from the line before.
    pub const fn continued() -> Self {
        Outline(0b111 | Self::CONTINUES)
    }

    /// Whether the edge from vertex `n` to the next one is drawn, and vertex `n` where corners are.
    pub const fn has_edge(self, n: u32) -> bool {
        self.0 >> n & 1 != 0
    }

    /// Whether a line begins where the one before it in its strip ended.
    pub const fn continues(self) -> bool {
        self.0 & Self::CONTINUES != 0
    }
}

impl Default for Outline {
    fn default() -> Self {
        Outline::WHOLE
    }
}

/// Something that takes what comes out of the stages.
pub trait Receiver {
    /// Takes some primitives; it may launch a stage of its own.
    ///
    /// # Errors
    /// Those of its launches, and of the host's memory. They end the draw.
    fn receive(&mut self, stages: &mut Stages, assembled: &Assembled) -> Result<(), DrawError>;

    /// Bytes that it keeps.
    fn bytes(&self) -> u64;
}
