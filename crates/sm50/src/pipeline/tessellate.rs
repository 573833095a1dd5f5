//! The tessellator: from levels to domain points and what connects them, by the rules of OpenGL 4.6, section 11.2.2.
//!
//! What the rules leave open: the two short segments of a fractional subdivision are the first and the last one, and a strip
//! between two subdivided edges goes on with whichever of its two next points comes first.

use super::primitive::Shape;

/// What a patch is cut into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TessDomain {
    /// A triangle, in barycentric coordinates (u, v, 1 - u - v).
    #[default]
    Triangles,
    /// The unit square.
    Quads,
    /// Lines of constant v across the unit square.
    Isolines,
}

/// How edges are subdivided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Spacing {
    /// Into equal segments.
    #[default]
    Equal,
    /// Into an odd number of segments, two of them shorter.
    FractionalOdd,
    /// Into an even number of segments, two of them shorter.
    FractionalEven,
}

/// The tessellator's state, which no program header holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tessellation {
    /// What a patch is cut into.
    pub domain: TessDomain,
    /// How edges are subdivided.
    pub spacing: Spacing,
    /// Points instead of lines or triangles.
    pub point_mode: bool,
    /// Triangles go clockwise in (u, v).
    pub clockwise: bool,
}

/// How finely a patch is cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Levels {
    /// Of the edges.
    pub outer: [f32; 4],
    /// Of the inside.
    pub inner: [f32; 2],
}

impl Default for Levels {
    fn default() -> Self {
        Levels { outer: [1.0; 4], inner: [1.0; 2] }
    }
}

/// A patch, cut up.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// Domain points.
    pub points: Vec<[f32; 2]>,
    /// What connects them.
    pub shape: Shape,
    /// The points of each primitive, one after the other.
    pub indices: Vec<u32>,
}

/// Highest level.
const MAX_LEVEL: f32 = 64.0;

/// A subdivided edge: where its points are, from 0 to 1.
fn subdivide(spacing: Spacing, level: f32) -> Vec<f64> {
    let clamp = |least: f32, greatest: f32| f64::from(level.max(least).min(greatest));
    let (level, segments) = match spacing {
        Spacing::Equal => {
            let whole = clamp(1.0, MAX_LEVEL).ceil();
            (whole, whole as usize)
        }
        Spacing::FractionalOdd => {
            let level = clamp(1.0, MAX_LEVEL - 1.0);
            (level, level.ceil() as usize | 1)
        }
        Spacing::FractionalEven => {
            let level = clamp(2.0, MAX_LEVEL);
            (level, (level.ceil() as usize).next_multiple_of(2))
        }
    };
    if segments == 1 {
        return vec![0.0, 1.0];
    }
    let short = (level - (segments - 2) as f64) / 2.0;
    let near = |i: usize| if i == 0 { 0.0 } else { (short + (i - 1) as f64) / level };
    // The farther half mirrors the nearer one, so that neighbouring patches meet whichever way round they run.
    let place = |i: usize| match (2 * i).cmp(&segments) {
        std::cmp::Ordering::Less => near(i),
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Greater => 1.0 - near(segments - i),
    };
    (0..=segments).map(place).collect()
}

/// The subdivision by an inner level where something else is subdivided: at least two segments.
fn subdivide_inner(spacing: Spacing, level: f32) -> Vec<f64> {
    let edge = subdivide(spacing, level);
    if edge.len() == 2 { subdivide(spacing, 1.0 + f32::EPSILON) } else { edge }
}

/// Points of an edge with their places along it.
struct Chain {
    points: Vec<u32>,
    places: Vec<f64>,
}

struct Builder {
    points: Vec<[f32; 2]>,
    triangles: Vec<u32>,
}

impl Builder {
    fn point(&mut self, u: f64, v: f64) -> u32 {
        self.points.push([u as f32, v as f32]);
        self.points.len() as u32 - 1
    }

    /// The closed line through `corners`, whose sides are subdivided; each corner is one point.
    fn ring<const N: usize>(&mut self, corners: [[f64; 2]; N], sides: [&[f64]; N], ends: [f64; 2]) -> [Chain; N] {
        let starts = corners.map(|[u, v]| self.point(u, v));
        std::array::from_fn(|side| {
            let next = (side + 1) % N;
            let (from, to, places) = (corners[side], corners[next], sides[side]);
            let (first, last) = (places[0], places[places.len() - 1]);
            let mut points = vec![starts[side]];
            for place in &places[1..places.len() - 1] {
                let along = (place - first) / (last - first);
                let mix = |axis: usize| from[axis] + (to[axis] - from[axis]) * along;
                points.push(self.point(mix(0), mix(1)));
            }
            points.push(starts[next]);
            let scale = |place: &f64| ends[0] + (ends[1] - ends[0]) * (place - first) / (last - first);
            Chain { points, places: places.iter().map(scale).collect() }
        })
    }

    /// The strip between an edge and the one next to it inside, both running counterclockwise.
    fn stitch(&mut self, outer: &Chain, inner: &Chain) {
        let (mut i, mut j) = (0, 0);
        while i + 1 < outer.points.len() || j + 1 < inner.points.len() {
            let outer_next = outer.places.get(i + 1).copied();
            let inner_next = inner.places.get(j + 1).copied();
            if inner_next.is_none_or(|inner| outer_next.is_some_and(|outer| outer <= inner)) {
                self.triangles.extend([outer.points[i], outer.points[i + 1], inner.points[j]]);
                i += 1;
            } else {
                self.triangles.extend([outer.points[i], inner.points[j + 1], inner.points[j]]);
                j += 1;
            }
        }
    }
}

/// Cuts a patch. A patch with an outer level that is not above zero is discarded: its mesh has no points.
pub fn tessellate(state: &Tessellation, levels: &Levels) -> Mesh {
    let edges = match state.domain {
        TessDomain::Triangles => 3,
        TessDomain::Quads => 4,
        TessDomain::Isolines => 2,
    };
    let mut builder = Builder { points: Vec::new(), triangles: Vec::new() };
    let kept = levels.outer[..edges].iter().all(|&level| level > 0.0);
    let mut lines = Vec::new();
    match state.domain {
        _ if !kept => {}
        TessDomain::Triangles => triangle(&mut builder, state.spacing, levels),
        TessDomain::Quads => quad(&mut builder, state.spacing, levels),
        TessDomain::Isolines => lines = isolines(&mut builder, state.spacing, levels),
    }
    let Builder { points, mut triangles } = builder;
    if state.clockwise {
        triangles.chunks_exact_mut(3).for_each(|triangle| triangle.swap(1, 2));
    }
    let shape = state.shape();
    let indices = match shape {
        Shape::Point => (0..points.len() as u32).collect(),
        Shape::Line => lines,
        Shape::Triangle => triangles,
    };
    Mesh { points, shape, indices }
}

fn triangle(builder: &mut Builder, spacing: Spacing, levels: &Levels) {
    // Counterclockwise from u = 1; the sides are w = 0, u = 0, v = 0.
    let corners = [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]];
    let outer = [2, 0, 1].map(|edge: usize| subdivide(spacing, levels.outer[edge]));
    let undivided = outer.iter().all(|edge| edge.len() == 2);
    let mut ring = builder.ring(corners, outer.each_ref().map(Vec::as_slice), [0.0, 1.0]);
    if undivided && subdivide(spacing, levels.inner[0]).len() == 2 {
        builder.triangles.extend(ring.map(|side| side.points[0]));
        return;
    }
    let inner = subdivide_inner(spacing, levels.inner[0]);
    let segments = inner.len() - 1;
    for k in 1..=segments / 2 {
        // The corner where the perpendiculars on two sides meet, each through the side's k-th point.
        let near = 2.0 * inner[k] / 3.0;
        let far = 1.0 - 2.0 * near;
        let next = if 2 * k == segments {
            let center = builder.point(1.0 / 3.0, 1.0 / 3.0);
            [(); 3].map(|()| Chain { points: vec![center], places: vec![0.5] })
        } else {
            let places = &inner[k..=segments - k];
            builder.ring([[far, near], [near, far], [near, near]], [places; 3], [inner[k], inner[segments - k]])
        };
        ring.iter().zip(&next).for_each(|(outer, inner)| builder.stitch(outer, inner));
        ring = next;
    }
    if segments % 2 == 1 {
        builder.triangles.extend(ring.map(|side| side.points[0]));
    }
}

fn quad(builder: &mut Builder, spacing: Spacing, levels: &Levels) {
    // Counterclockwise from the origin; the sides are v = 0, u = 1, v = 1, u = 0.
    let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let outer = [1, 2, 3, 0].map(|edge: usize| subdivide(spacing, levels.outer[edge]));
    let undivided = outer.iter().all(|edge| edge.len() == 2);
    let ring = builder.ring(corners, outer.each_ref().map(Vec::as_slice), [0.0, 1.0]);
    if undivided && levels.inner.iter().all(|&level| subdivide(spacing, level).len() == 2) {
        let [a, b, c, d] = ring.map(|side| side.points[0]);
        builder.triangles.extend([a, b, c, a, c, d]);
        return;
    }
    let [across, up] = levels.inner.map(|level| subdivide_inner(spacing, level));
    let (across, up) = (&across[1..across.len() - 1], &up[1..up.len() - 1]);
    let grid: Vec<Vec<u32>> = up.iter().map(|&v| across.iter().map(|&u| builder.point(u, v)).collect()).collect();
    for rows in grid.windows(2) {
        for (low, high) in rows[0].windows(2).zip(rows[1].windows(2)) {
            builder.triangles.extend([low[0], low[1], high[1], low[0], high[1], high[0]]);
        }
    }
    let column = |place: usize| grid.iter().map(|row| row[place]).collect::<Vec<u32>>();
    let mirrored = |places: &[f64]| places.iter().rev().map(|place| 1.0 - place).collect::<Vec<f64>>();
    let reversed = |points: Vec<u32>| points.into_iter().rev().collect::<Vec<u32>>();
    let sides = [
        Chain { points: grid[0].clone(), places: across.to_vec() },
        Chain { points: column(across.len() - 1), places: up.to_vec() },
        Chain { points: reversed(grid[up.len() - 1].clone()), places: mirrored(across) },
        Chain { points: reversed(column(0)), places: mirrored(up) },
    ];
    ring.iter().zip(&sides).for_each(|(outer, inner)| builder.stitch(outer, inner));
}

/// The points of the lines, and the points of each segment.
fn isolines(builder: &mut Builder, spacing: Spacing, levels: &Levels) -> Vec<u32> {
    let rows = subdivide(Spacing::Equal, levels.outer[0]);
    let places = subdivide(spacing, levels.outer[1]);
    let mut segments = Vec::new();
    // There is no line at v = 1.
    for &v in &rows[..rows.len() - 1] {
        let line: Vec<u32> = places.iter().map(|&u| builder.point(u, v)).collect();
        segments.extend(line.windows(2).flatten());
    }
    segments
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPACINGS: [Spacing; 3] = [Spacing::Equal, Spacing::FractionalOdd, Spacing::FractionalEven];

    fn mesh(domain: TessDomain, spacing: Spacing, outer: [f32; 4], inner: [f32; 2]) -> Mesh {
        tessellate(&Tessellation { domain, spacing, ..Tessellation::default() }, &Levels { outer, inner })
    }

    fn area(mesh: &Mesh, triangle: &[u32]) -> f64 {
        let [a, b, c] = [0, 1, 2].map(|n| mesh.points[triangle[n] as usize].map(f64::from));
        ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2.0
    }

    #[test]
    fn triangles_cover_the_domain_once_and_counterclockwise() {
        let levels = [0.3, 1.0, 1.5, 2.0, 3.0, 4.75, 7.0, 64.0, 100.0];
        for (n, &inner) in levels.iter().enumerate() {
            for (m, &other) in levels.iter().enumerate() {
                let outer = [levels[m], levels[(n + m) % 9], levels[(2 * n + m) % 9], levels[(n + 5) % 9]];
                for spacing in SPACINGS {
                    for (domain, whole) in [(TessDomain::Triangles, 0.5), (TessDomain::Quads, 1.0)] {
                        let mesh = mesh(domain, spacing, outer, [inner, other]);
                        let areas: Vec<f64> = mesh.indices.chunks(3).map(|triangle| area(&mesh, triangle)).collect();
                        let message = format!("{domain:?} {spacing:?} {outer:?} {inner} {other}");
                        assert!((areas.iter().sum::<f64>() - whole).abs() < 1e-4, "{message}");
                        assert!(areas.iter().all(|&area| area > -1e-7), "{message}");
                        let mut used = vec![false; mesh.points.len()];
                        mesh.indices.iter().for_each(|&point| used[point as usize] = true);
                        assert!(used.into_iter().all(|used| used), "{message}");
                    }
                }
            }
        }
    }

    #[test]
    fn edges_follow_their_own_levels() {
        let on =
            |mesh: &Mesh, test: &dyn Fn([f32; 2]) -> bool| mesh.points.iter().filter(|&&point| test(point)).count();
        let triangle = mesh(TessDomain::Triangles, Spacing::Equal, [2.0, 3.0, 5.0, 0.0], [4.0, 0.0]);
        assert_eq!(on(&triangle, &|[u, _]| u == 0.0), 3);
        assert_eq!(on(&triangle, &|[_, v]| v == 0.0), 4);
        assert_eq!(on(&triangle, &|[u, v]| (u + v - 1.0).abs() < 1e-6), 6);
        let quad = mesh(TessDomain::Quads, Spacing::Equal, [2.0, 3.0, 4.0, 5.0], [3.0, 2.0]);
        assert_eq!(on(&quad, &|[u, _]| u == 0.0), 3);
        assert_eq!(on(&quad, &|[_, v]| v == 0.0), 4);
        assert_eq!(on(&quad, &|[u, _]| u == 1.0), 5);
        assert_eq!(on(&quad, &|[_, v]| v == 1.0), 6);
        assert_eq!(quad.points.len(), 2 + 3 + 4 + 5 + 2, "the inner levels leave 2 x 1 points inside");
    }

    #[test]
    fn small_and_odd_levels() {
        let points = |domain, spacing, outer, inner| mesh(domain, spacing, outer, inner).points.len();
        assert_eq!(points(TessDomain::Triangles, Spacing::Equal, [1.0; 4], [1.0; 2]), 3);
        assert_eq!(points(TessDomain::Quads, Spacing::Equal, [1.0; 4], [1.0; 2]), 4);
        // An inner level of 1 counts as slightly more as soon as something else is subdivided.
        assert_eq!(points(TessDomain::Triangles, Spacing::Equal, [2.0, 1.0, 1.0, 1.0], [1.0; 2]), 4 + 1);
        assert_eq!(points(TessDomain::Triangles, Spacing::FractionalOdd, [3.0, 1.0, 1.0, 1.0], [1.0; 2]), 5 + 3);
        assert_eq!(points(TessDomain::Quads, Spacing::Equal, [1.0; 4], [1.0, 2.0]), 4 + 1);
        assert_eq!(points(TessDomain::Triangles, Spacing::FractionalEven, [1.0; 4], [1.0; 2]), 6 + 1);
        for bad in [0.0, -1.0, f32::NAN] {
            assert_eq!(points(TessDomain::Quads, Spacing::Equal, [1.0, 1.0, 1.0, bad], [1.0; 2]), 0);
            assert_eq!(points(TessDomain::Triangles, Spacing::Equal, [1.0, 1.0, 1.0, bad], [1.0; 2]), 3);
        }
    }

    #[test]
    fn fractional_segments_are_symmetric_and_two_are_short() {
        for level in [1.0, 2.0, 2.5, 3.0, 3.7, 8.1] {
            for (spacing, parity) in [(Spacing::FractionalOdd, 1), (Spacing::FractionalEven, 0)] {
                let edge = subdivide(spacing, level);
                let segments: Vec<f64> = edge.windows(2).map(|pair| pair[1] - pair[0]).collect();
                assert_eq!(segments.len() % 2, parity);
                assert!((segments.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                for (a, b) in segments.iter().zip(segments.iter().rev()) {
                    assert!((a - b).abs() < 1e-12, "{level} {segments:?}");
                }
                let long = segments.iter().copied().fold(0.0, f64::max);
                let short = segments.iter().filter(|&&segment| segment < long - 1e-9).count();
                assert!(short == 0 || short == 2 || segments.len() == 3 && short <= 2, "{level} {segments:?}");
            }
        }
    }

    #[test]
    fn isolines_run_along_u() {
        let mesh = mesh(TessDomain::Isolines, Spacing::Equal, [3.0, 2.0, 0.0, 0.0], [0.0; 2]);
        assert_eq!((mesh.shape, mesh.points.len(), mesh.indices.len()), (Shape::Line, 9, 12));
        assert!(mesh.points.iter().all(|point| point[1] < 1.0));
        let segment = [mesh.points[mesh.indices[2] as usize], mesh.points[mesh.indices[3] as usize]];
        assert_eq!(segment, [[0.5, 0.0], [1.0, 0.0]]);
    }

    #[test]
    fn point_mode_has_every_point_once_and_clockwise_turns_triangles() {
        let state = Tessellation { point_mode: true, ..Tessellation::default() };
        let levels = Levels { outer: [2.0; 4], inner: [3.0; 2] };
        let points = tessellate(&state, &levels);
        assert_eq!((points.shape, points.indices), (Shape::Point, (0..6 + 3).collect()));
        let clockwise = tessellate(&Tessellation { clockwise: true, ..Tessellation::default() }, &levels);
        assert!(clockwise.indices.chunks(3).all(|triangle| area(&clockwise, triangle) < 0.0));
    }
}
