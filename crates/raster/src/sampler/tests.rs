//! Sampling against plain formulas in binary64.

use super::*;
use ctm_cases::{Result, Unstructured};

/// Texels whose number tells where they are.
struct Numbered;

fn value(level: u32, layer: u32, x: u32, y: u32) -> f64 {
    f64::from(x + 64 * y + 4096 * layer) + f64::from(level) / 16.0
}

impl Texels for Numbered {
    fn texel(&self, level: u32, layer: u32, x: u32, y: u32) -> [u32; 4] {
        let value = value(level, layer, x, y) as f32;
        [value, -value, 1.0, 0.0].map(f32::to_bits)
    }
}

const WRAPS: [Wrap; 8] = [
    Wrap::Repeat,
    Wrap::Mirror,
    Wrap::ClampToEdge,
    Wrap::MirrorOnceToEdge,
    Wrap::Clamp,
    Wrap::MirrorOnceClamp,
    Wrap::ClampToBorder,
    Wrap::MirrorOnceToBorder,
];
const BORDER: f64 = -7.5;

fn sampler(wrap: [Wrap; 3], filter: Filter) -> Sampler {
    let border = [BORDER as f32, -BORDER as f32, 1.0, 0.0].map(f32::to_bits);
    Sampler { border, ..Sampler::new(filter, wrap) }
}

/// The texel at an integer place of the plane that a wrap makes of a texture.
fn unfolded(wrap: Wrap, place: i64, size: i64) -> Option<i64> {
    let inside = (0..size).contains(&place);
    match wrap {
        Wrap::Repeat => Some(((place % size) + size) % size),
        Wrap::Mirror => {
            let copy = place.div_euclid(size);
            let from_left = place - copy * size;
            Some(if copy % 2 == 0 { from_left } else { size - 1 - from_left })
        }
        Wrap::ClampToEdge | Wrap::MirrorOnceToEdge => Some(place.clamp(0, size - 1)),
        Wrap::Clamp | Wrap::MirrorOnceClamp | Wrap::ClampToBorder | Wrap::MirrorOnceToBorder => inside.then_some(place),
    }
}

/// Weighted texels of one direction, of a coordinate in texels.
fn weights(wrap: Wrap, filter: Filter, coordinate: f64, size: i64) -> Vec<(Option<i64>, f64)> {
    let end = size as f64;
    let coordinate = match wrap {
        Wrap::MirrorOnceToEdge | Wrap::MirrorOnceToBorder => coordinate.abs(),
        Wrap::Clamp => coordinate.clamp(0.0, end),
        Wrap::MirrorOnceClamp => coordinate.abs().clamp(0.0, end),
        Wrap::Repeat | Wrap::Mirror | Wrap::ClampToEdge | Wrap::ClampToBorder => coordinate,
    };
    match filter {
        Filter::Point => {
            let place = coordinate.floor() as i64;
            let clamps = matches!(wrap, Wrap::Clamp | Wrap::MirrorOnceClamp);
            vec![(unfolded(wrap, if clamps { place.min(size - 1) } else { place }, size), 1.0)]
        }
        Filter::Linear => {
            let left = (coordinate - 0.5).floor();
            let weight = coordinate - 0.5 - left;
            let texel = |place: f64| unfolded(wrap, place as i64, size);
            vec![(texel(left), 1.0 - weight), (texel(left + 1.0), weight)]
        }
    }
}

fn expected(sampler: &Sampler, filter: Filter, size: [u32; 3], volume: bool, texels: [f64; 3]) -> f64 {
    let direction = |n: usize| weights(sampler.wrap[n], filter, texels[n], i64::from(size[n]));
    let deep = if volume { direction(2) } else { vec![(Some(0), 1.0)] };
    let mut sum = 0.0;
    for &(x, right) in &direction(0) {
        for &(y, below) in &direction(1) {
            for &(layer, behind) in &deep {
                let texel = match (x, y, layer) {
                    (Some(x), Some(y), Some(layer)) => value(0, layer as u32, x as u32, y as u32),
                    _ => BORDER,
                };
                sum += texel * right * below * behind;
            }
        }
    }
    sum
}

const NO_BIAS: LevelOfDetail = LevelOfDetail::Differences { bias: [0; 4] };

fn same(place: [f64; 3]) -> [[u32; 4]; 4] {
    let [s, t, r] = place.map(|v| (v as f32).to_bits());
    [[s, t, r, 0]; 4]
}

fn size(u: &mut Unstructured, powers: bool) -> Result<u32> {
    Ok(if powers { 1 << u.int_in_range(0..=5)? } else { u.int_in_range(1..=40)? })
}

#[test]
fn wraps_and_filters_are_those_of_the_formulas() {
    ctm_cases::check(4000, |u| {
        let volume: bool = u.arbitrary()?;
        let scale = if u.arbitrary()? { Scale::Texture } else { Scale::Texels };
        // Then coordinates in parts of the texture are exact.
        let powers = scale == Scale::Texture;
        let shape = TextureShape {
            kind: if volume { TextureKind::Volume } else { TextureKind::Flat },
            size: [size(u, powers)?, size(u, powers)?, size(u, powers)?],
            last_level: 0,
        };
        let filter = if u.arbitrary()? { Filter::Point } else { Filter::Linear };
        let sampler = sampler([*u.choose(&WRAPS)?, *u.choose(&WRAPS)?, *u.choose(&WRAPS)?], filter);
        // In 1/256 texel, so that weights are exact, but for points not on the border of two texels, which mirrors exchange.
        let beside = if filter == Filter::Point { 1.0 / 512.0 } else { 0.0 };
        let mut texels = [beside; 3];
        for (texels, size) in texels.iter_mut().zip(shape.size) {
            *texels += f64::from(u.int_in_range(-3 * 256..=3 * 256)?) / 256.0;
            *texels += f64::from(size) * f64::from(u.int_in_range(-3..=3)?);
        }
        let divisor = |n: usize| if powers { f64::from(shape.size[n]) } else { 1.0 };
        let coordinates = same([texels[0] / divisor(0), texels[1] / divisor(1), texels[2] / divisor(2)]);
        let found = sample_quad(&sampler, &shape, &Numbered, &coordinates, scale, NO_BIAS)[3].map(f32::from_bits);
        let exact = expected(&sampler, filter, shape.size, volume, texels);
        assert!(
            (f64::from(found[0]) - exact).abs() <= exact.abs() * 1e-6 + 1e-5,
            "{found:?}, not {exact}: {sampler:?}"
        );
        assert_eq!((found[1], found[2], found[3]), (-found[0], 1.0, 0.0));
        Ok(())
    });
}

#[test]
fn weights_have_eight_bits() {
    let shape = TextureShape { kind: TextureKind::Flat, size: [4, 1, 1], last_level: 0 };
    let sampler = sampler([Wrap::Repeat; 3], Filter::Linear);
    for (coordinate, expected) in [(1.5, 1.0), (1.5 + 1.0 / 256.0, 1.003_906_3), (1.5 + 1.9 / 256.0, 1.003_906_3)] {
        let found = sample_quad(&sampler, &shape, &Numbered, &same([coordinate, 0.5, 0.0]), Scale::Texels, NO_BIAS);
        assert_eq!(f32::from_bits(found[0][0]), expected);
    }
}

#[test]
fn numbers_that_are_none_stay_inside() {
    let shape = TextureShape { kind: TextureKind::Volume, size: [5, 3, 2], last_level: 0 };
    for wrap in WRAPS {
        for filter in [Filter::Point, Filter::Linear] {
            for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e30, -1e30, 1e9] {
                for scale in [Scale::Texture, Scale::Texels] {
                    let sampler = sampler([wrap; 3], filter);
                    let found = sample_quad(&sampler, &shape, &Numbered, &same([odd; 3]), scale, NO_BIAS);
                    assert!(f32::from_bits(found[0][0]).is_finite());
                }
            }
        }
    }
}

/// Texels that hold the number of their level.
struct Levels;

impl Texels for Levels {
    fn texel(&self, level: u32, _layer: u32, _x: u32, _y: u32) -> [u32; 4] {
        [(level as f32).to_bits(); 4]
    }
}

const MIPS: TextureShape = TextureShape { kind: TextureKind::Flat, size: [256, 128, 1], last_level: 8 };

fn mip_sampler(mip: MipFilter) -> Sampler {
    Sampler { mip, ..sampler([Wrap::Repeat; 3], Filter::Point) }
}

/// A quad around (0.3, 0.4) whose coordinates move by (`dx`, 0) and (0, `dy`).
fn moving(dx: f32, dy: f32) -> [[u32; 4]; 4] {
    [(0.0, 0.0), (dx, 0.0), (0.0, dy), (dx, dy)].map(|(s, t)| [0.25 + s, 0.5 + t, 0.0, 1.0].map(f32::to_bits))
}

fn level(sampler: &Sampler, coordinates: &[[u32; 4]; 4], lod: LevelOfDetail) -> f32 {
    let found = sample_quad(sampler, &MIPS, &Levels, coordinates, Scale::Texture, lod);
    f32::from_bits(found[2][1])
}

#[test]
fn levels_are_logarithms_of_ways() {
    ctm_cases::check(4000, |u| {
        let mut way = || u.int_in_range(-60_000..=60_000).map(|v| v as f32 / 65536.0 / 4.0);
        let (dx, dy) = (way()?, way()?);
        let longer = f64::from((dx * 256.0).abs().max((dy * 128.0).abs()));
        let exact = longer.log2().max(0.0);
        let trilinear = level(&mip_sampler(MipFilter::Linear), &moving(dx, dy), NO_BIAS);
        let low = (exact * 32.0 - 1e-3).floor() / 32.0;
        let high = (exact * 32.0 + 1e-3).floor() / 32.0;
        assert!([low, high].contains(&f64::from(trilinear).max(0.0)), "{trilinear} for {exact}");
        let nearest = level(&mip_sampler(MipFilter::Point), &moving(dx, dy), NO_BIAS);
        assert_eq!(nearest, (trilinear + 0.5).floor());
        assert_eq!(level(&mip_sampler(MipFilter::None), &moving(dx, dy), NO_BIAS), 0.0);
        let ways = |s: f32, t: f32| [[s, t, 0.0, 0.0].map(f32::to_bits); 4];
        let (dx, dy) = (ways(dx, 0.0), ways(0.0, dy));
        let lod = LevelOfDetail::Derivatives { dx: &dx, dy: &dy };
        assert_eq!(level(&mip_sampler(MipFilter::Linear), &moving(9.0, 9.0), lod), trilinear);
        Ok(())
    });
}

#[test]
fn biases_limits_and_given_levels() {
    let one = moving(1.0 / 128.0, 0.0);
    let sampler = mip_sampler(MipFilter::Linear);
    let biased = |bias: f32| LevelOfDetail::Differences { bias: [bias.to_bits(); 4] };
    assert_eq!(level(&sampler, &one, NO_BIAS), 1.0);
    assert_eq!(level(&sampler, &one, biased(2.5)), 3.5);
    assert_eq!(level(&Sampler { bias: 0.25f32.to_bits(), ..sampler }, &one, biased(2.5)), 3.75);
    assert_eq!(level(&sampler, &one, biased(-3.0)), 0.0);
    assert_eq!(level(&sampler, &one, biased(100.0)), 8.0);
    assert_eq!(level(&Sampler { finest: 3, ..sampler }, &one, NO_BIAS), 3.0);
    assert_eq!(level(&Sampler { finest: 3, ..sampler }, &one, biased(-5.0)), 3.0);
    assert_eq!(level(&Sampler { finest: 30, ..sampler }, &one, NO_BIAS), 8.0);
    let given = |level: f32| LevelOfDetail::Explicit([0, 0, level.to_bits(), 0]);
    assert_eq!(level(&sampler, &one, given(2.99)), 2.0 + 31.0 / 32.0, "rounded down");
    assert_eq!(level(&Sampler { bias: 1.0f32.to_bits(), ..sampler }, &one, given(2.0)), 3.0);
    assert_eq!(level(&sampler, &one, given(f32::NAN)), 0.0);
    assert_eq!(level(&sampler, &one, given(f32::INFINITY)), 8.0);
}

#[test]
fn magnification_and_minification_have_filters_of_their_own() {
    let sampler = Sampler { magnification: Filter::Linear, ..sampler([Wrap::Repeat; 3], Filter::Point) };
    let shape = TextureShape { kind: TextureKind::Flat, size: [4, 4, 1], last_level: 0 };
    let at = |lod: f32| {
        let lod = LevelOfDetail::Explicit([lod.to_bits(); 4]);
        f32::from_bits(sample_quad(&sampler, &shape, &Numbered, &same([0.5, 0.375, 0.0]), Scale::Texture, lod)[0][0])
    };
    assert_eq!((at(0.0), at(1.0 / 32.0)), (1.5 + 64.0, 2.0 + 64.0));
}

/// Face and place of a direction, from the table of GL: major axis, then the parts that lead across and down.
fn face_of(direction: [f64; 3]) -> (u32, f64, f64) {
    let faces: [([f64; 3], [f64; 3], [f64; 3]); 6] = [
        ([1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, -1.0, 0.0]),
        ([-1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]),
        ([0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]),
        ([0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]),
        ([0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]),
        ([0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]),
    ];
    let dot = |a: [f64; 3]| a[0] * direction[0] + a[1] * direction[1] + a[2] * direction[2];
    let best = (0..6).max_by(|&a, &b| dot(faces[a].0).total_cmp(&dot(faces[b].0))).unwrap();
    let (major, across, down) = faces[best];
    (best as u32, (dot(across) / dot(major) + 1.0) / 2.0, (dot(down) / dot(major) + 1.0) / 2.0)
}

#[test]
fn directions_point_to_texels_of_faces() {
    let shape = TextureShape { kind: TextureKind::Cube, size: [8, 8, 1], last_level: 0 };
    let sampler = sampler([Wrap::ClampToEdge; 3], Filter::Point);
    let mut faces = [0; 6];
    ctm_cases::check(4000, |u| {
        let mut part = || u.int_in_range(-1000..=1000).map(|v| f64::from(v) + 0.3);
        let direction = [part()?, part()?, part()?];
        let (face, s, t) = face_of(direction);
        let found = sample_quad(&sampler, &shape, &Numbered, &same(direction), Scale::Texture, NO_BIAS);
        let texel = |place: f64| ((place * 8.0) as u32).min(7);
        assert_eq!(f64::from(f32::from_bits(found[0][0])), value(0, face, texel(s), texel(t)), "{direction:?}");
        faces[face as usize] += 1;
        Ok(())
    });
    assert!(faces.iter().all(|&count| count > 0));
    // Of parts of the same length the last one counts.
    let layer = |direction| {
        (f32::from_bits(sample_quad(&sampler, &shape, &Numbered, &same(direction), Scale::Texture, NO_BIAS)[0][0])
            / 4096.0) as u32
    };
    assert_eq!([layer([1.0, 1.0, 1.0]), layer([-1.0, -1.0, 0.5]), layer([1.0, 1.0, -1.0])], [4, 3, 5]);
}

#[test]
fn quads_across_an_edge_of_a_cube_keep_their_level() {
    // Directions on the plane x = 1 that go beyond the face +x: seen from its pixels, one texel of 64 to the next pixel.
    let shape = TextureShape { kind: TextureKind::Cube, size: [64, 64, 1], last_level: 6 };
    let sampler = mip_sampler(MipFilter::Linear);
    let step = 2.0 * 4.0 / 64.0;
    let quad =
        [(0.0, 0.0), (step, 0.0), (0.0, step), (step, step)].map(|(s, t)| [1.0, t, 0.95 + s, 0.0].map(f32::to_bits));
    let found = sample_quad(&sampler, &shape, &Levels, &quad, Scale::Texture, NO_BIAS);
    assert_eq!(f32::from_bits(found[0][0]), 2.0);
    assert_eq!(f32::from_bits(found[2][0]), 2.0);
    assert_ne!(found[1][0], found[0][0], "the pixel on the other face measures there");
    let ways = |r: f32, t: f32| [[0.0, t, r, 0.0].map(f32::to_bits); 4];
    let (dx, dy) = (ways(step, 0.0), ways(0.0, step));
    let lod = LevelOfDetail::Derivatives { dx: &dx, dy: &dy };
    assert_eq!(f32::from_bits(sample_quad(&sampler, &shape, &Levels, &quad, Scale::Texture, lod)[0][0]), 2.0);
}
