//! Where vertices are, eight at a time: their places in the window, and the planes of the volume that they are outside of. Most primitives of a scene are
//! outside of a plane or seen from behind: nothing else is looked at for these.

use super::clip::{Projection, WindowVertex};
use super::pixels::GRID;
use super::viewports::Viewport;
use ctm_raster::coverage::LIMIT;
use ctm_raster::grid::Point;
use ctm_raster::simd::{LANES, LaneWords, Simd, SimdTask, dispatch};

/// Columns and rows beyond this are beyond [`LIMIT`], too, and those up to it have sub-pixels of 32 bits.
const FAR: f32 = (4 * LIMIT / GRID.per_pixel) as f32 / 2.0;

/// Where eight vertices are.
#[derive(Clone, Default)]
struct PlaceBlock {
    /// Columns, rows and depths, bits.
    place: [LaneWords; 3],
    /// 1/w, bits.
    reciprocal: LaneWords,
    /// Columns and rows on the grid.
    point: [LaneWords; 2],
    /// Planes that each is outside of.
    outside: LaneWords,
    /// Bit n: nothing of vertex n is clipped, and it has a place.
    is_placed: u8,
}

/// Where vertices are.
#[derive(Default)]
pub struct VertexPlaces {
    blocks: Vec<PlaceBlock>,
    count: usize,
}

impl VertexPlaces {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.count = 0;
    }

    /// Adds vertices with these positions, bits, in a viewport. `centre` is added to coordinates on the grid.
    pub fn add_all(&mut self, projection: &Projection, (viewport, centre): (&Viewport, i64), positions: &[[u32; 4]]) {
        self.clear();
        self.count = positions.len();
        dispatch(Placing { projection, viewport, centre, positions, blocks: &mut self.blocks });
    }

    /// Adds a vertex with its place, if nothing of it is clipped and it has one, and the planes that it is outside of.
    pub fn add(&mut self, window: Option<(WindowVertex, Point)>, outside: u8) {
        let lane = self.count % LANES;
        if lane == 0 {
            self.blocks.push(PlaceBlock::default());
        }
        self.count += 1;
        let Some(block) = self.blocks.last_mut() else { return };
        block.outside[lane] = outside.into();
        if let Some((window, Point { x, y })) = window {
            block.is_placed |= 1 << lane;
            block.place.iter_mut().zip(window.place).for_each(|(words, place)| words[lane] = place.to_bits());
            block.reciprocal[lane] = window.reciprocal.to_bits();
            // They are within the limit.
            block.point.iter_mut().zip([x, y]).for_each(|(words, place)| words[lane] = place as u32);
        }
    }

    /// Where a vertex is in the window, if nothing is clipped there.
    #[inline(always)]
    pub fn window(&self, number: usize) -> Option<(WindowVertex, Point)> {
        let (block, lane) = (self.blocks.get(number / LANES)?, number % LANES);
        if block.is_placed >> lane & 1 == 0 {
            return None;
        }
        let single = |words: &LaneWords| f32::from_bits(words[lane]);
        let [column, row, depth] = &block.place;
        let window =
            WindowVertex { place: [single(column), single(row), single(depth)], reciprocal: single(&block.reciprocal) };
        Some((window, block.grid_point(lane)))
    }

    /// Where vertices are on the grid, if nothing of any is clipped.
    #[inline(always)]
    pub fn points(&self, [a, b, c]: [usize; 3]) -> Option<[Point; 3]> {
        Some([self.point(a)?, self.point(b)?, self.point(c)?])
    }

    #[inline(always)]
    fn point(&self, number: usize) -> Option<Point> {
        let (block, lane) = (self.blocks.get(number / LANES)?, number % LANES);
        (block.is_placed >> lane & 1 != 0).then(|| block.grid_point(lane))
    }

    /// The planes that a vertex is outside of; none if that is not known.
    #[inline(always)]
    pub fn outside(&self, number: usize) -> u32 {
        self.blocks.get(number / LANES).map_or(0, |block| block.outside[number % LANES])
    }
}

impl PlaceBlock {
    #[inline(always)]
    fn grid_point(&self, lane: usize) -> Point {
        let [x, y] = &self.point;
        Point { x: x[lane].cast_signed().into(), y: y[lane].cast_signed().into() }
    }
}

/// Vertices whose places are found: a task that is faster on hosts with wide vectors.
struct Placing<'p> {
    projection: &'p Projection,
    viewport: &'p Viewport,
    centre: i64,
    positions: &'p [[u32; 4]],
    blocks: &'p mut Vec<PlaceBlock>,
}

impl SimdTask for Placing<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: impl Simd) {
        let Placing { projection, viewport, centre, positions, blocks } = self;
        blocks.resize_with(positions.len().div_ceil(LANES), PlaceBlock::default);
        let (whole, rest) = positions.as_chunks::<LANES>();
        for (positions, block) in whole.iter().zip(&mut *blocks) {
            place(simd, projection, (viewport, centre), positions, block);
        }
        if let (false, Some(block)) = (rest.is_empty(), blocks.last_mut()) {
            let mut positions = [[0; 4]; LANES];
            positions[..rest.len()].copy_from_slice(rest);
            place(simd, projection, (viewport, centre), &positions, block);
        }
    }
}

/// Finds the places of eight vertices.
#[inline(always)]
fn place<S: Simd>(
    simd: S,
    projection: &Projection,
    (viewport, centre): (&Viewport, i64),
    positions: &[[u32; 4]; LANES],
    block: &mut PlaceBlock,
) {
    let [x, y, z, w] = simd.components(positions);
    let position = [simd.singles(x), simd.singles(y), simd.singles(z), simd.singles(w)];
    let (held, outside) = projection.sides(simd, position);
    let ([column, row, depth, reciprocal], is_finite) = projection.windows(simd, position, viewport);
    let (x, x_is_near) = on_grid(simd, column, centre);
    let (y, y_is_near) = on_grid(simd, row, centre);
    let has_place = simd.and(is_finite, simd.and(x_is_near, y_is_near));
    block.place = [simd.array(column), simd.array(row), simd.array(depth)];
    block.reciprocal = simd.array(reciprocal);
    block.point = [simd.array(x), simd.array(y)];
    block.outside = simd.array(outside);
    block.is_placed = held & simd.bits(has_place);
}

/// Coordinates, bits, on the [grid](ctm_raster::grid::Grid::snap), and which of them are within its limit.
#[inline(always)]
fn on_grid<S: Simd>(simd: S, coordinates: S::Words, centre: i64) -> (S::Words, S::Words) {
    let singles = simd.singles(coordinates);
    let sub_pixels = simd.mul(simd.widened(singles), simd.number(GRID.per_pixel as f64));
    let place = simd
        .add_words(simd.floors(simd.add(sub_pixels, simd.number(0.5))), simd.splat((centre as i32).cast_unsigned()));
    let magnitude = simd.singles(simd.and(coordinates, simd.splat(u32::MAX >> 1)));
    let limit = |limit: i64| simd.splat((limit as i32).cast_unsigned());
    let within = simd.and(simd.greater(place, limit(-LIMIT - 1)), simd.greater(limit(LIMIT + 1), place));
    (place, simd.and(simd.at_least(simd.single(FAR), magnitude), within))
}
