//! The tessellator: from levels to domain points and what connects them.
//!
//! It is the fixed-function tessellator that Direct3D 11 prescribes (Direct3D 11.3 Functional Specification, chapter
//! "Tessellator"), to the bit and in its order of points and triangles: coordinates have 16 fraction bits, fractional levels are
//! rounded to them, and where the short segments lie follows from how points come up as levels grow. Levels, edges and windings
//! are OpenGL's (4.6, section 11.2.2), as Mesa maps them; `tests/tessellator` compares with Mesa's llvmpipe.

mod domain;
mod stitch;
mod subdivision;

use super::primitive::Shape;
use domain::Domain;
use stitch::Triangles;
use subdivision::ONE;

named! {
    /// What a patch is cut into.
    TessDomain:
    /// A triangle, in barycentric coordinates (u, v, 1 - u - v).
    Triangles "triangles",
    /// The unit square.
    Quads "quads",
    /// Lines of constant v across the unit square.
    Isolines "isolines",
}

named! {
    /// How edges are subdivided.
    Spacing:
    /// Into equal segments.
    Equal "equal",
    /// Into an odd number of segments, of which two are shorter: next to the point that came up last in either half.
    FractionalOdd "fractional-odd",
    /// Into an even number of segments, likewise.
    FractionalEven "fractional-even",
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
    /// Domain points: ring by ring from the outside in, a ring from its corner of least u and greatest v on, counterclockwise.
    /// Lines of isolines one after the other.
    pub points: Vec<[f32; 2]>,
    /// What connects them.
    pub shape: Shape,
    /// The points of each primitive, one after the other.
    pub indices: Vec<u32>,
}

/// Cuts a patch. A patch with an outer level that is not above zero is discarded: its mesh has no points.
pub fn tessellate(state: &Tessellation, levels: &Levels) -> Mesh {
    let edges = match state.domain {
        TessDomain::Triangles => 3,
        TessDomain::Quads => 4,
        TessDomain::Isolines => 2,
    };
    let mut domain = Domain::default();
    let kept = levels.outer[..edges].iter().all(|&level| level > 0.0);
    let mut lines = Vec::new();
    match state.domain {
        _ if !kept => {}
        TessDomain::Triangles => domain.triangle(state.spacing, levels),
        TessDomain::Quads => domain.quad(state.spacing, levels),
        TessDomain::Isolines => lines = domain.isolines(state.spacing, levels),
    }
    let Domain { points, triangles: Triangles(mut triangles) } = domain;
    if state.clockwise {
        triangles.as_chunks_mut::<3>().0.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    }
    let shape = state.shape();
    let indices = match shape {
        Shape::Point => (0..points.len() as u32).collect(),
        Shape::Line => lines,
        Shape::Triangle => triangles,
    };
    let points = points.into_iter().map(|point| point.map(|place| place as f32 / ONE as f32)).collect();
    Mesh { points, shape, indices }
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
