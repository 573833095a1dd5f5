//! How many columns of a rectangle run before the next ones.
//!
//! A loop that goes down the columns of a surface, as a product of matrices does, reads as many of them as a row of groups is wide, and all of them
//! again for the next row. A surface that the host's cache does not hold comes from farther away each time. Here only as many columns as the cache
//! holds run for all rows before the next ones do.

use ctm_engine::SurfaceLayout;
use ctm_lane::{Axis, Block, Function, Graph, Op, Shape, Shapes};
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
    let shapes = Shapes::new(function, &graph);
    let goes_across = |shape| {
        matches!(
            shape,
            Shape::Index { axis: Axis::X, .. } | Shape::Coordinate { axis: Axis::X, .. } | Shape::Along(Axis::X)
        )
    };
    let loops: HashSet<Block> = graph.loop_heads().filter_map(|head| graph.natural_loop(head)).flatten().collect();
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
