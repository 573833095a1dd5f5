//! Draws, from a list of vertices to primitives: what the programs before the rasteriser make of them, what of that is written to memory,
//! and what is counted.

mod feedback;
mod fetch;
mod formats;
mod list;
mod receiver;
mod rows;
mod state;
mod window;

pub use list::{DrawList, Run, RunSource};

use crate::context::{DrawContext, DrawError};
use crate::methods::VertexBeginGl;
use crate::methods::codes::PrimitiveType;
use crate::state::Channel;
use ctm_card::DrawCounts;
use ctm_card::register::RegisterType;
use ctm_sm50::pipeline::{Pipeline, Primitive};
use fetch::VertexFetch;
use receiver::DrawReceiver;
use rows::{IndexBuffer, Restart, Rows};
use state::{DrawPrograms, environment};
use std::sync::PoisonError;

/// Primitives have numbers below this.
const PRIMITIVES: u32 = 15;

/// What the word of `VERTEX_BEGIN_GL` says that vertices are drawn as; `None` if that is nothing known.
fn primitive_of(begin: u32) -> Option<Primitive> {
    // Numbers that are none stand for points in the table of methods.
    if begin & 0xFFFF >= PRIMITIVES {
        return None;
    }
    Some(match VertexBeginGl::decode(begin).primitive {
        PrimitiveType::Points => Primitive::Points,
        PrimitiveType::Lines => Primitive::Lines,
        PrimitiveType::LineLoop => Primitive::LineLoop,
        PrimitiveType::LineStrip => Primitive::LineStrip,
        PrimitiveType::Triangles => Primitive::Triangles,
        PrimitiveType::TriangleStrip => Primitive::TriangleStrip,
        PrimitiveType::TriangleFan => Primitive::TriangleFan,
        PrimitiveType::Quads => Primitive::Quads,
        PrimitiveType::QuadStrip => Primitive::QuadStrip,
        PrimitiveType::Polygon => Primitive::Polygon,
        PrimitiveType::LinesAdjacency => Primitive::LinesAdjacency,
        PrimitiveType::LineStripAdjacency => Primitive::LineStripAdjacency,
        PrimitiveType::TrianglesAdjacency => Primitive::TrianglesAdjacency,
        PrimitiveType::TriangleStripAdjacency => Primitive::TriangleStripAdjacency,
        PrimitiveType::Patches => Primitive::Patches,
    })
}

/// Draws a list, and gives what that did.
///
/// # Errors
/// At what is not executed, and if the time is up or a program stops.
pub fn draw(channel: &mut Channel, context: &DrawContext, list: &DrawList) -> Result<DrawCounts, DrawError> {
    draw_all(channel, context, std::slice::from_ref(list))
}

/// Draws lists of the same primitives, one after the other, in the same state.
///
/// # Errors
/// As [`draw`].
pub fn draw_all(channel: &mut Channel, context: &DrawContext, lists: &[DrawList]) -> Result<DrawCounts, DrawError> {
    let primitive = lists.first().and_then(DrawList::primitive);
    let primitive = primitive.ok_or(DrawError::NotYet { what: "a draw of unknown primitives" })?;
    if lists.iter().any(DrawList::is_full) {
        return Err(DrawError::NotYet { what: "a draw of that many pieces" });
    }
    let (methods, objects) = (&channel.three_d, context.objects);
    let programs = DrawPrograms::of(channel, context, primitive)?;
    let environment = environment(channel, context, &programs);
    let state = programs.state(methods, primitive, &environment);
    let fetch = VertexFetch::new(channel, objects, programs.vertex.attributes);
    let mut receiver = DrawReceiver::new(channel, context, &environment, programs.choose_viewports())?;
    let mut batch = context.cache.batch.lock().unwrap_or_else(PoisonError::into_inner);
    let mut pipeline =
        Pipeline::new(&state, (&fetch, &mut receiver), (context.executor, &context.options), &mut batch)?;
    if context.probe.is_some() {
        pipeline = pipeline.with_origins();
    }
    let (indices, restart) = (IndexBuffer::of(methods, objects), Restart::of(methods));
    for list in lists {
        let mut id = 0;
        for row in Rows::new(list, indices.clone(), restart) {
            id = pipeline.add(&row, id)?;
        }
    }
    let (_, counts) = pipeline.finish()?;
    let done = receiver.finish()?;
    let vertices = lists.iter().map(DrawList::vertices).sum();
    done.put(channel, &counts, vertices, programs.has_tess_init());
    Ok(DrawCounts { vertices, primitives: counts.primitives, ..done.counts })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primitives_have_the_numbers_of_opengl() {
        let names: Vec<_> = (0..16).map(|number| primitive_of(number | 1 << 26).map(Primitive::name)).collect();
        let expected = [
            "points",
            "lines",
            "line_loop",
            "line_strip",
            "triangles",
            "triangle_strip",
            "triangle_fan",
            "quads",
            "quad_strip",
            "polygon",
            "lines_adjacency",
            "line_strip_adjacency",
            "triangles_adjacency",
            "triangle_strip_adjacency",
            "patches",
        ];
        assert_eq!(names[..15], expected.map(Some));
        assert_eq!(names[15], None);
    }
}
