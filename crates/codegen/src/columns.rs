//! How many columns of a rectangle run before the next ones.
//!
//! A loop that goes down the columns of a surface, as a product of matrices does, reads as many of them as a row of groups is wide, and all of them
//! again for the next row. A surface that the host's cache does not hold comes from farther away each time. Here only as many columns as the cache
//! holds run for all rows before the next ones do.

use ctm_engine::SurfaceLayout;
use ctm_lane::{Axis, Block, Function, Graph, LaneShape, LaneShapes, Op};
use std::collections::HashSet;

/// Bytes of surfaces that a cache of a host's core holds: half of the second one.
const CACHE: u64 = 1 << 19;

/// The most columns for which loops read no more than the cache holds; `None` if none goes down the columns of a surface.
pub fn columns_at_a_time(function: &Function, layouts: &[SurfaceLayout]) -> Option<u32> {
    let loads = |block: Block| {
        let loads = function.insts(block).iter().map(|&inst| (function.op(inst), function.args(inst)));
        loads.filter_map(|(op, args)| if let Op::SurfaceLoad { surface } = *op { Some((surface, args)) } else { None })
    };
    function.blocks().flat_map(loads).next()?;
    let graph = Graph::new(function);
    graph.loop_heads().next()?;
    let shapes = LaneShapes::new(function, &graph);
    let goes_across = |shape| {
        matches!(
            shape,
            LaneShape::Index { axis: Axis::X, .. }
                | LaneShape::Coordinate { axis: Axis::X, .. }
                | LaneShape::Along(Axis::X)
        )
    };
    let loops = graph.looping_blocks();
    let surfaces: HashSet<usize> = loops
        .into_iter()
        .flat_map(loads)
        .filter(|(_, args)| goes_across(shapes.get(args[0])) && shapes.is_uniform(args[1]))
        .map(|(surface, _)| surface.index())
        .collect();
    let bytes_of_column = |surface: usize| {
        let surface = &layouts[surface].surface;
        surface.bytes() / u64::from(surface.pitch).max(1)
    };
    let bytes: u64 = surfaces.into_iter().map(bytes_of_column).sum();
    (bytes != 0).then(|| u32::try_from(CACHE / bytes).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctm_memory::{Bounds, Format, Surface, Tiling};

    /// A loop of eight passes that loads from a column and a row of a surface of 1024 rows of 16 bytes, and a load after it.
    fn columns(in_loop: (&str, &str), behind: (&str, &str)) -> Option<u32> {
        let text = format!(
            "surface s0 whole\nb0:\n%x = pos_x\n%y = pos_y\n%c = covered\n%zero = uniform 0\n%one = uniform 1\n\
             %eight = uniform 8\njump b1(%zero)\nb1(%k: uniform):\n%row = splat %k\n\
             %a, %b, %d, %e = surface_load s0, {}, {}, %c\nsurface_store.rgba s0, %x, %y, %a, %b, %d, %e, %c\n\
             %next = uniform_add %k, %one\nif.slt %next, %eight, b1(%next), b2\nb2:\n%last = splat %next\n\
             %f, %g, %h, %i = surface_load s0, {}, {}, %c\nsurface_store.rgba s0, %x, %y, %f, %g, %h, %i, %c\nreturn\n",
            in_loop.0, in_loop.1, behind.0, behind.1
        );
        let function: Function = text.parse().unwrap_or_else(|error| panic!("{error:?}\n{text}"));
        let (tiling, format) = (Tiling::Linear, Format::Float32_4);
        let surface = Surface { base: 0, pitch: 64, height: 1024, tiling, superfine: false, format };
        columns_at_a_time(&function, &[SurfaceLayout { surface, bounds: Bounds::Clamp, whole: true, aligned: true }])
    }

    #[test]
    fn loops_go_down_columns() {
        assert_eq!(columns(("%x", "%row"), ("%x", "%y")), Some(32));
        assert_eq!(columns(("%x", "%y"), ("%x", "%y")), None, "the loop stays in the lane's row");
        assert_eq!(columns(("%row", "%y"), ("%x", "%y")), None, "it goes along the lane's row");
        assert_eq!(columns(("%row", "%row"), ("%x", "%y")), None, "all lanes read the same");
        assert_eq!(columns(("%x", "%y"), ("%x", "%last")), None, "only what is after the loop reads another row");
    }
}
