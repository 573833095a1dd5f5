//! Domains: their points, ring by ring from the outside in, and the strips between the rings.
//!
//! A ring starts at its corner of smallest u and largest v and goes counterclockwise.

use super::stitch::{Row, Triangles};
use super::subdivision::{HALF, ONE, Subdivision};
use super::{Levels, Spacing};

/// 1/3 and 2/3 with 16 fraction bits.
const THIRD: u32 = 0x5555;
const TWO_THIRDS: u32 = 0xAAAA;

/// A level above this subdivides: half a step of the fixed point above 1.
const UNDIVIDED: f32 = 1.0 + 0.5 / ONE as f32;

/// Domain points, and the triangles between them.
#[derive(Debug, Default)]
pub struct Domain {
    /// Coordinates with 16 fraction bits.
    pub points: Vec<[u32; 2]>,
    /// Triangles, counterclockwise in (u, v).
    pub triangles: Triangles,
}

impl Domain {
    fn next(&self) -> u32 {
        self.points.len() as u32
    }

    /// Reserves space for what comes with so many points on the edges and inside of them. (By Euler's formula for planar graphs.)
    fn reserve(&mut self, edges: &[Subdivision], inside: u32) {
        let edges: u32 = edges.iter().map(Subdivision::segments).sum();
        self.points.reserve((edges + inside) as usize);
        self.triangles.0.reserve(3 * (edges + 2 * inside - 2) as usize);
    }

    /// The points of a ring, given side by side without the last one of each side, which is the first one of the next side.
    fn ring<const N: usize>(&mut self, segments: [u32; N], place: impl Fn(usize, u32) -> [u32; 2]) -> [Row; N] {
        let start = self.next();
        let mut rows = [Row::point(start); N];
        for (side, row) in rows.iter_mut().enumerate() {
            let first = self.next();
            self.points.extend((0..segments[side]).map(|point| place(side, point)));
            *row = Row::new(first, segments[side], self.next());
        }
        rows[N - 1].last = start;
        rows
    }

    /// The strips between two rings. The sides of the outermost one have subdivisions of their own.
    fn strips<const N: usize>(&mut self, outer: &[Row; N], inner: &[Row; N], edges: Option<[[&Subdivision; N]; 2]>) {
        for side in 0..N {
            match edges {
                Some([edges, inside]) => {
                    self.triangles.transition(&outer[side], &inner[side], edges[side], inside[side]);
                }
                None => self.triangles.trapezoid(&outer[side], &inner[side]),
            }
        }
    }

    /// The triangle.
    pub fn triangle(&mut self, spacing: Spacing, levels: &Levels) {
        if !is_divided(spacing, levels.outer[..3].iter().chain(&levels.inner[..1])) {
            self.points.extend([[0, ONE], [0, 0], [ONE, 0]]);
            self.triangles.push([0, 1, 2]);
            return;
        }
        let edges = [0, 1, 2].map(|edge| Subdivision::new(spacing, levels.outer[edge]));
        let inside = Subdivision::inside(spacing, levels.inner[0]);
        self.reserve(&edges, (3 * (inside.segments() - 1).pow(2)).div_ceil(4));
        let place = |side: usize, along: u32, inset: u32| match side {
            0 => [inset, along],
            1 => [along, inset],
            _ => [along, ONE - (along + inset)],
        };
        // The sides 0 and 2 go down their coordinates.
        let forward = |side: usize, segments: u32, point: u32| if side == 1 { point } else { segments - point };
        let mut outer = self.ring(edges.each_ref().map(Subdivision::segments), |side, point| {
            place(side, edges[side].position(forward(side, edges[side].segments(), point)), 0)
        });
        let mut edges = Some([edges.each_ref(), [&inside; 3]]);
        let segments = inside.segments();
        for ring in 1..=segments / 2 {
            let left = segments - 2 * ring;
            let inner = if left == 0 {
                self.points.push([THIRD, THIRD]);
                [Row::point(self.next() - 1); 3]
            } else {
                let inset = (inside.position(ring) * TWO_THIRDS + HALF) / ONE;
                self.ring([left; 3], |side, point| {
                    let along = inside.position(ring + forward(side, left, point));
                    place(side, along - inset.div_ceil(2), inset)
                })
            };
            self.strips(&outer, &inner, edges.take());
            outer = inner;
        }
        if inside.is_odd() {
            self.triangles.push(outer.map(|row| row.first));
        }
    }

    /// The square.
    pub fn quad(&mut self, spacing: Spacing, levels: &Levels) {
        if !is_divided(spacing, levels.outer.iter().chain(&levels.inner)) {
            self.points.extend([[0, 0], [ONE, 0], [ONE, ONE], [0, ONE]]);
            self.triangles.push([0, 1, 3]);
            self.triangles.push([1, 2, 3]);
            return;
        }
        let edges = levels.outer.map(|level| Subdivision::new(spacing, level));
        let [across, up] = levels.inner.map(|level| Subdivision::inside(spacing, level));
        self.reserve(&edges, (across.segments() - 1) * (up.segments() - 1));
        let inside = [&up, &across, &up, &across];
        let mut outer = self.square(edges.each_ref(), &across, &up, 0);
        let mut edges = Some([edges.each_ref(), inside]);
        let is_wide = across.segments() > up.segments();
        let (long, short) = if is_wide { (&across, &up) } else { (&up, &across) };
        for ring in 1..short.segments().div_ceil(2) {
            let inner = self.square(inside, &across, &up, ring);
            self.strips(&outer, &inner, edges.take());
            outer = inner;
        }
        let [left, lower, right, upper] = outer;
        match (short.is_odd(), is_wide) {
            (false, _) => {
                let inner = self.middle(long, short, is_wide);
                self.strips(&outer, &inner, edges);
            }
            (true, true) => self.triangles.quads(&lower, &upper.reversed()),
            (true, false) if long.is_odd() => self.triangles.turned_quads(&left, &right.reversed()),
            (true, false) => self.triangles.quads(&left, &right.reversed()),
        }
    }

    /// A ring of the square.
    fn square(&mut self, sides: [&Subdivision; 4], across: &Subdivision, up: &Subdivision, ring: u32) -> [Row; 4] {
        let insets = [
            across.position(ring),
            up.position(ring),
            across.position(across.segments() - ring),
            up.position(up.segments() - ring),
        ];
        self.ring(sides.map(|side| side.segments() - 2 * ring), |side, point| {
            // The sides 0 and 3 go down their coordinates.
            let point = if matches!(side, 1 | 2) { ring + point } else { sides[side].segments() - ring - point };
            let along = sides[side].position(point);
            if matches!(side, 1 | 3) { [along, insets[side]] } else { [insets[side], along] }
        })
    }

    /// The row in the middle of a square whose shorter axis has a point there: what its sides are to the ring around it.
    fn middle(&mut self, long: &Subdivision, short: &Subdivision, is_wide: bool) -> [Row; 4] {
        let first = self.next();
        let positions = (short.half()..=long.segments() - short.half()).map(|point| long.position(point));
        if is_wide {
            self.points.extend(positions.map(|u| [u, HALF]));
        } else {
            self.points.extend(positions.rev().map(|v| [HALF, v]));
        }
        let last = self.next() - 1;
        let (row, [first, last]) = (Row::new(first, last - first, last), [first, last].map(Row::point));
        if is_wide { [first, row, last, row.reversed()] } else { [row, last, row.reversed(), first] }
    }

    /// Lines of constant v. Gives the points of each segment.
    pub fn isolines(&mut self, spacing: Spacing, levels: &Levels) -> Vec<u32> {
        let lines = Subdivision::new(Spacing::Equal, levels.outer[0]);
        let along = Subdivision::new(spacing, levels.outer[1]);
        let mut segments = Vec::new();
        // There is no line at v = 1.
        for line in 0..lines.segments() {
            let first = self.next();
            self.points.extend((0..=along.segments()).map(|point| [along.position(point), lines.position(line)]));
            segments.extend((0..along.segments()).flat_map(|point| [first + point, first + point + 1]));
        }
        segments
    }
}

/// Whether one of the levels subdivides what it is for.
fn is_divided<'a>(spacing: Spacing, mut levels: impl Iterator<Item = &'a f32>) -> bool {
    match spacing {
        Spacing::Equal => levels.any(|&level| level > 1.0),
        Spacing::FractionalOdd => levels.any(|&level| level > UNDIVIDED),
        Spacing::FractionalEven => true,
    }
}
