//! The state of a pipeline: programs, and what their headers do not hold.

use super::primitive::{MAX_PATCH_VERTICES, Primitive, Provoking, Shape};
use super::tessellate::{Levels, Tessellation};
use super::{DrawError, MAX_OUTPUT_VERTICES, require_stage, strips, threads};
use crate::header::Stage;
use crate::launch::{Environment, Shader, WARP};

/// What is the same for all vertices of a draw, or of several draws.
#[derive(Clone, Copy, Debug)]
pub struct PipelineState<'a> {
    /// The vertex program.
    pub vertex: Shader<'a>,
    /// The tessellation initialisation program (OpenGL: tessellation control).
    pub tess_init: Option<Shader<'a>>,
    /// The tessellation program (OpenGL: tessellation evaluation).
    pub tessellation: Option<Shader<'a>>,
    /// The geometry program.
    pub geometry: Option<Shader<'a>>,
    /// What the vertices are drawn as.
    pub primitive: Primitive,
    /// Vertices of a patch.
    pub patch_vertices: u32,
    /// Which vertex of a primitive provokes.
    pub provoking: Provoking,
    /// State of the tessellator.
    pub tessellator: Tessellation,
    /// Levels of patches that no tessellation initialisation program sets.
    pub levels: Levels,
    /// Points to evaluate in every patch, instead of those of the tessellator.
    pub domain_points: Option<&'a [[f32; 2]]>,
    /// Streams of a geometry program whose primitives are handed on: bit s for stream s.
    pub streams: u8,
    /// Constants, memory, mode.
    pub environment: &'a Environment<'a>,
}

impl<'a> PipelineState<'a> {
    /// A state that draws points by a vertex program.
    pub fn new(vertex: Shader<'a>, environment: &'a Environment<'a>) -> Self {
        PipelineState {
            vertex,
            tess_init: None,
            tessellation: None,
            geometry: None,
            primitive: Primitive::Points,
            patch_vertices: 3,
            provoking: Provoking::Last,
            tessellator: Tessellation::default(),
            levels: Levels::default(),
            domain_points: None,
            streams: 1,
            environment,
        }
    }

    /// What comes out, if everything fits together.
    pub(super) fn check(&self) -> Result<Shape, DrawError> {
        let stages = [
            (Some(self.vertex), Stage::Vertex),
            (self.tess_init, Stage::TessellationInit),
            (self.tessellation, Stage::Tessellation),
            (self.geometry, Stage::Geometry),
        ];
        for (shader, expected) in stages {
            shader.map_or(Ok(()), |shader| require_stage(shader, expected))?;
        }
        if self.tess_init.is_some() && self.tessellation.is_none() {
            return Err(DrawError::NoTessellation);
        }
        if self.tessellation.is_some() != (self.primitive == Primitive::Patches) {
            return Err(DrawError::PatchesAndTessellation { primitive: self.primitive });
        }
        if self.primitive == Primitive::Patches && !(1..=MAX_PATCH_VERTICES).contains(&self.patch_vertices) {
            return Err(DrawError::PatchVertices(self.patch_vertices));
        }
        for shader in [self.tess_init, self.geometry].into_iter().flatten() {
            let threads = threads(&shader);
            if !(1..=WARP).contains(&threads) {
                return Err(DrawError::Threads { stage: shader.stage(), threads });
            }
        }
        let assembled = match self.tessellation {
            None => self.primitive.shape().map_or(Shape::Point, |(shape, _)| shape),
            Some(_) => self.mesh_shape(),
        };
        match self.geometry.and_then(|shader| shader.header) {
            None => Ok(assembled),
            Some(header) => {
                let vertices = header.max_output_vertex_count.into();
                if !(1..=MAX_OUTPUT_VERTICES).contains(&vertices) {
                    return Err(DrawError::OutputVertices(vertices));
                }
                strips::topology(header.output_topology).ok_or(DrawError::Topology(header.output_topology))
            }
        }
    }

    /// What comes out of tessellation.
    pub(super) fn mesh_shape(&self) -> Shape {
        if self.domain_points.is_some() { Shape::Point } else { self.tessellator.shape() }
    }

    /// Which vertex of what comes out provokes.
    pub(super) fn provoking_of(&self, shape: Shape) -> u32 {
        match (self.geometry, self.tessellation, self.provoking) {
            (None, None, provoking) => self.primitive.provoking(provoking),
            (_, _, Provoking::Last) => shape.vertices() - 1,
            (_, _, Provoking::First) => 0,
        }
    }

    /// Whether primitives of vertices may not be whole.
    pub(super) fn has_outlines(&self) -> bool {
        use Primitive::*;
        match self.primitive {
            LineStrip | LineLoop | LineStripAdjacency | Triangles | Quads | QuadStrip | Polygon => true,
            Points
            | Lines
            | TriangleStrip
            | TriangleFan
            | LinesAdjacency
            | TrianglesAdjacency
            | TriangleStripAdjacency
            | Patches => false,
        }
    }
}
