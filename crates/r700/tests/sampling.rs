//! Samples of textures whose texels are vectors, against plain formulas in binary64.

use ctm_cases::{Result, Unstructured};
use ctm_engine::Engine;
use ctm_lane::domain::Domain;
use ctm_lane::run::RunOptions;
use ctm_memory::{Arena, Bounds, Format, Space, Surface, Tiling, View};
use ctm_r700::engine::NotCompiled;
use ctm_r700::lift::{Specialisation, lift};
use ctm_r700::{
    Compare, Dimension, Filter, Input, Job, MipFilter, Region, Sampler, Select, Stage, TexelNumbers, Texels, Texture,
    VectorForm, Wrap, reference, text,
};
use std::sync::Arc;

const BASE: u32 = 0x10_0000;
const BYTES: u32 = 1 << 20;
const TARGET: u32 = BASE + BYTES - 0x1000;
const BORDER: f64 = -7.5;
const WRAPS: [Wrap; 8] = [
    Wrap::Repeat,
    Wrap::Mirror,
    Wrap::Clamp,
    Wrap::MirrorOnce,
    Wrap::HalfBorder,
    Wrap::MirrorOnceHalfBorder,
    Wrap::Border,
    Wrap::MirrorOnceBorder,
];

/// What texel (x, y) of a slice of a level holds.
fn value(level: usize, [x, y, z]: [i64; 3]) -> f64 {
    (x + 64 * y + 4096 * z) as f64 + level as f64 / 16.0
}

/// A texture of these levels, whose texels hold their [`value`], at the beginning of memory.
fn texture(space: &Space, dimension: Dimension, size: [u32; 3], levels: usize) -> Texture {
    let region = Region { base: BASE, length: BYTES / 2 };
    let swizzle = [Select::X, Select::Y, Select::Z, Select::W];
    let texels = Texels::Vectors { region, form: VectorForm::Dwords, levels, samples: 1 };
    let texture = Texture { dimension, size, texels, numbers: TexelNumbers::Float, swizzle };
    let mut bytes = Vec::new();
    for level in 0..levels {
        let [width, height, depth] = texture.level_size(level).map(i64::from);
        for (z, y) in (0..depth).flat_map(|z| (0..height).map(move |y| (z, y))) {
            for value in (0..width).map(|x| value(level, [x, y, z]) as f32) {
                bytes.extend([value, -value, 1.0, 0.0].iter().flat_map(|part| part.to_le_bytes()));
            }
        }
    }
    assert!(bytes.len() as u32 <= region.length);
    space.write_bytes(BASE, &bytes).unwrap();
    texture
}

/// What a fetch instruction gives for these coordinates, in the four pixels of a quad.
fn fetch(instruction: &str, quad: [[f32; 4]; 4], sampler: Sampler, make: impl Fn(&Space) -> Texture) -> [[u32; 4]; 4] {
    let source = format!("TEX:\n  0 {instruction}\nEXP_DONE: PIX0, R1.xyzw\nEND_OF_PROGRAM\n");
    let mut program = text::parse(&source).unwrap_or_else(|errors| panic!("{errors:?}")).program;
    program.info.stage = Stage::Pixel;
    program.info.num_gprs = 8;
    let mut space = Space::default();
    space.map(Arc::new(Arena::new(BASE, BYTES).unwrap())).unwrap();
    let colours = Surface {
        base: TARGET,
        pitch: 8,
        height: 2,
        tiling: Tiling::Linear,
        superfine: false,
        format: Format::Float32_4,
    };
    let (texture, coordinates) = (make(&space), TARGET - 0x1000);
    let bytes: Vec<u8> = quad.iter().flatten().flat_map(|part| part.to_le_bytes()).collect();
    space.write_bytes(coordinates, &bytes).unwrap();
    let mut job = Job::new(&program, Domain { i0: 0, j0: 0, i1: 1, j1: 1 }, &space);
    job.quad_derivatives = true;
    job.inputs.insert(4, Input::Buffer(Region { base: coordinates, length: 64 }));
    job.bindings.textures.insert(3, texture);
    job.bindings.samplers.insert(1, sampler);
    job.targets.colours[0] = Some(colours);
    let options = RunOptions { threads: 1, ..RunOptions::default() };
    reference::run(&job, &options).unwrap();
    let view = View::new(&space, colours, Bounds::Drop);
    let pixels = || [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(x, y)| view.load(x, y));
    let found = pixels();
    (0..2).for_each(|y| (0..2).for_each(|x| view.store(x, y, [0; 4], 0xF)));
    let lifted = lift(&program, None, &Specialisation::of(&job)).unwrap();
    ctm_lane::verify(&lifted.function).unwrap();
    let engine = Engine::default();
    assert_eq!(engine.compiles(&job, &options), Err(NotCompiled::Refused), "lifted, and interpreted");
    engine.run(&job, &options).unwrap();
    assert_eq!(pixels(), found, "the engine's bits are those of the reference: {instruction}");
    found
}

/// The texel at an integer place of the plane that a wrap makes of a texture.
fn unfolded(wrap: Wrap, filter: Filter, place: i64, size: i64) -> Option<i64> {
    let inside = (0..size).contains(&place);
    match wrap {
        Wrap::Repeat => Some(((place % size) + size) % size),
        Wrap::Mirror => {
            let copy = place.div_euclid(size);
            let from_left = place - copy * size;
            Some(if copy % 2 == 0 { from_left } else { size - 1 - from_left })
        }
        Wrap::HalfBorder | Wrap::MirrorOnceHalfBorder if filter == Filter::Nearest => Some(place.clamp(0, size - 1)),
        Wrap::Clamp | Wrap::MirrorOnce => Some(place.clamp(0, size - 1)),
        Wrap::HalfBorder | Wrap::MirrorOnceHalfBorder | Wrap::Border | Wrap::MirrorOnceBorder => {
            inside.then_some(place)
        }
    }
}

/// Weighted texels of one axis, of a coordinate in texels.
fn weights(wrap: Wrap, filter: Filter, coordinate: f64, size: i64) -> Vec<(Option<i64>, f64)> {
    let end = size as f64;
    let coordinate = match wrap {
        Wrap::MirrorOnce | Wrap::MirrorOnceBorder => coordinate.abs(),
        Wrap::HalfBorder => coordinate.clamp(0.0, end),
        Wrap::MirrorOnceHalfBorder => coordinate.abs().clamp(0.0, end),
        Wrap::Repeat | Wrap::Mirror | Wrap::Clamp | Wrap::Border => coordinate,
    };
    match filter {
        Filter::Nearest => vec![(unfolded(wrap, filter, coordinate.floor() as i64, size), 1.0)],
        Filter::Linear => {
            let left = (coordinate - 0.5).floor();
            let weight = coordinate - 0.5 - left;
            let texel = |place: f64| unfolded(wrap, filter, place as i64, size);
            vec![(texel(left), 1.0 - weight), (texel(left + 1.0), weight)]
        }
    }
}

fn expected(wrap: [Wrap; 3], filter: Filter, level: usize, size: [u32; 3], axes: usize, texels: [f64; 3]) -> f64 {
    let axis = |n: usize| match n < axes {
        true => weights(wrap[n], filter, texels[n], size[n].into()),
        false => vec![(Some(0), 1.0)],
    };
    let mut sum = 0.0;
    for &(x, right) in &axis(0) {
        for &(y, below) in &axis(1) {
            for &(z, behind) in &axis(2) {
                let texel = match (x, y, z) {
                    (Some(x), Some(y), Some(z)) => value(level, [x, y, z]),
                    _ => BORDER,
                };
                sum += texel * right * below * behind;
            }
        }
    }
    sum
}

fn border() -> [u32; 4] {
    [BORDER as f32, -BORDER as f32, 1.0, 0.0].map(f32::to_bits)
}

fn size(u: &mut Unstructured, powers: bool) -> Result<u32> {
    Ok(if powers { 1 << u.int_in_range(0..=3)? } else { u.int_in_range(1..=9)? })
}

#[test]
fn wraps_filters_and_offsets_are_those_of_the_formulas() {
    ctm_cases::check(400, |u| {
        let normalized: bool = u.arbitrary()?;
        let dimension = *u.choose(&[Dimension::D1, Dimension::D2, Dimension::D3])?;
        let axes = dimension.axes();
        // Coordinates in parts of the texture are exact then.
        let mut sides = [size(u, normalized)?, size(u, normalized)?, size(u, normalized)?];
        sides[axes..].fill(1);
        let filter = *u.choose(&[Filter::Nearest, Filter::Linear])?;
        let wrap = [*u.choose(&WRAPS)?, *u.choose(&WRAPS)?, *u.choose(&WRAPS)?];
        // In 1/256 texel, so that weights are exact; points not on the border of two texels, which mirrors exchange.
        let beside = if filter == Filter::Nearest { 1.0 / 512.0 } else { 0.0 };
        let mut texels = [beside; 3];
        for (texels, side) in texels.iter_mut().zip(sides) {
            *texels += f64::from(u.int_in_range(-3 * 256..=3 * 256)?) / 256.0;
            *texels += f64::from(side) * f64::from(u.int_in_range(-3..=3)?);
        }
        let offset = f64::from(*u.choose(&[0, 0, -3, 5])?);
        let divisor = |n: usize| if normalized { f64::from(sides[n]) } else { 1.0 };
        let place: [f32; 3] = std::array::from_fn(|n| (texels[n] / divisor(n)) as f32);
        let sampler = Sampler { wrap, border: border(), ..Sampler::with_filter(filter) };
        let kind = if normalized { "" } else { "DENORM(XYZ)" };
        let instruction = format!("SAMPLE R1.xyzw, R4.xyz0, t3, s1 {kind} XOFFSET({offset})");
        let quad = [[place[0], place[1], place[2], 0.0]; 4];
        let found = fetch(&instruction, quad, sampler, |space| texture(space, dimension, sides, 1))[3];
        let found = found.map(f32::from_bits);
        let exact = expected(wrap, filter, 0, sides, axes, [texels[0] + offset, texels[1], texels[2]]);
        let close = (f64::from(found[0]) - exact).abs() <= exact.abs() * 1e-6 + 1e-4;
        assert!(close, "{found:?}, not {exact}: {sampler:?} {sides:?} {texels:?} {offset}");
        assert_eq!((found[1], found[2], found[3]), (-found[0], 1.0, 0.0));
        Ok(())
    });
}

/// The level that is looked at, by texels that hold its number.
/// The texture's selectors choose among the components of texels, not among those of the border.
#[test]
fn borders_are_not_selected() {
    let swizzle = [Select::Zero, Select::One, Select::One, Select::X];
    let sample = |operation: &str, filter: Filter, x: f32| {
        let sampler = Sampler { wrap: [Wrap::Border; 3], border: border(), ..Sampler::with_filter(filter) };
        let instruction = format!("{operation} R1.xyzw, R4.xy00, t3, s1 DENORM(XYZ)");
        let made = |space: &Space| Texture { swizzle, ..texture(space, Dimension::D2, [4, 4, 1], 1) };
        fetch(&instruction, [[x, 1.5, 0.0, 0.0]; 4], sampler, made)[3].map(f32::from_bits)
    };
    let (far, texel) = (BORDER as f32, value(0, [0, 1, 0]) as f32);
    assert_eq!(sample("SAMPLE", Filter::Nearest, 9.0), [far, -far, 1.0, 0.0]);
    assert_eq!(sample("SAMPLE", Filter::Nearest, 0.5), [0.0, 1.0, 1.0, texel]);
    assert_eq!(sample("SAMPLE", Filter::Linear, 0.0), [far / 2.0, (1.0 - far) / 2.0, 1.0, texel / 2.0]);
    // A comparison has one result, which is selected.
    assert_eq!(sample("SAMPLE_C", Filter::Nearest, 9.0)[..3], [0.0, 1.0, 1.0]);
}

fn levels(instruction: &str, quad: [[f32; 4]; 4], sampler: Sampler) -> [f32; 4] {
    let make = |space: &Space| {
        let plain = texture(space, Dimension::D2, [64, 32, 1], 7);
        let offsets = plain.level_offsets();
        for (level, ends) in offsets.windows(2).enumerate() {
            for vector in ends[0]..ends[1] {
                let bytes: Vec<u8> = [level as f32; 4].iter().flat_map(|part| part.to_le_bytes()).collect();
                space.write_bytes(BASE + 16 * vector, &bytes).unwrap();
            }
        }
        plain
    };
    fetch(instruction, quad, sampler, make).map(|pixel| f32::from_bits(pixel[0]))
}

/// A quad whose coordinates move by (`dx`, 0) and (0, `dy`), with `w` in w.
fn moving(dx: f32, dy: f32, w: f32) -> [[f32; 4]; 4] {
    [(0.0, 0.0), (dx, 0.0), (0.0, dy), (dx, dy)].map(|(s, t)| [0.25 + s, 0.5 + t, 0.0, w])
}

#[test]
fn levels_have_biases_and_limits() {
    let trilinear = Sampler { mip: MipFilter::Linear, wrap: [Wrap::Repeat; 3], ..Sampler::default() };
    let nearest = Sampler { mip: MipFilter::Nearest, ..trilinear };
    let one = |instruction: &str, quad, sampler| {
        let found = levels(instruction, quad, sampler);
        assert!(found.iter().all(|level| *level == found[0]), "{found:?}");
        found[0]
    };
    let sample = "SAMPLE R1.xyzw, R4.xyz0, t3, s1";
    let of_level = "SAMPLE_L R1.xyzw, R4.xyzw, t3, s1";
    let biased = "SAMPLE_LB R1.xyzw, R4.xyzw, t3, s1";
    // Four texels of 64 to the right, two of 32 down.
    let quad = |w: f32| moving(4.0 / 64.0, 2.0 / 32.0, w);
    assert_eq!(one(sample, quad(0.0), trilinear), 2.0);
    assert_eq!(one(sample, quad(0.0), Sampler { bias: -32, ..trilinear }), 1.5);
    assert_eq!(one(sample, quad(0.0), Sampler { bias: -512, ..trilinear }), 0.0);
    assert_eq!(one(biased, quad(1.25), Sampler { bias: 64, ..trilinear }), 4.25);
    assert_eq!(one(sample, quad(0.0), Sampler { least_level: 240, ..trilinear }), 3.75);
    assert_eq!(one(sample, quad(0.0), Sampler { greatest_level: 16, ..trilinear }), 0.25);
    assert_eq!(one(of_level, quad(100.0), trilinear), 6.0);
    assert_eq!(one(of_level, quad(f32::NAN), trilinear), 0.0);
    assert_eq!(one(of_level, quad(2.0 + 511.0 / 512.0), trilinear), 2.0 + 255.0 / 256.0, "weights have 8 bits");
    // Of two levels that are as near, the finer one.
    for (level, expected) in [(0.5, 0.0), (0.51, 1.0), (2.5, 2.0), (2.75, 3.0)] {
        assert_eq!(one(of_level, quad(level), nearest), expected);
    }
    assert_eq!(one(of_level, quad(3.0), Sampler { mip: MipFilter::None, ..trilinear }), 0.0);
    assert_eq!(one("SAMPLE_LZ R1.xyzw, R4.xyzw, t3, s1", quad(3.0), trilinear), 0.0);
    let set = "SET_GRADIENTS_H R0.____, R4.w000, t3, s1\n  1 SET_GRADIENTS_V R0.____, R4.0w00, t3, s1\n  2";
    let given = format!("{set} SAMPLE_G R1.xyzw, R4.xyz0, t3, s1");
    assert_eq!(one(&given, quad(8.0 / 64.0), trilinear), 3.0);
    // A level that is given counts more than gradients; a bias is added to theirs.
    let given = |operation: &str| format!("{set} {operation} R1.xyzw, R4.xyzw, t3, s1");
    assert_eq!(one(&given("SAMPLE_G_L"), quad(2.0), trilinear), 2.0);
    assert_eq!(one(&given("SAMPLE_G_LZ"), quad(2.0), trilinear), 0.0);
    assert_eq!(one(&given("SAMPLE_G_LB"), quad(1.0 / 32.0), trilinear), 1.0 + 8.0 / 256.0);
    let query = levels("GET_COMP_TEX_LOD R1.xyzw, R4.xyz0, t3, s1", quad(0.0), Sampler { bias: -192, ..trilinear });
    assert_eq!(query, [-1.0; 4], "before limits");
    let query = levels("GET_COMP_TEX_LOD R1.yyyy, R4.xyz0, t3, s1", quad(0.0), Sampler { bias: 48, ..nearest });
    assert_eq!(query, [3.0; 4]);
}

#[test]
fn magnification_and_minification_have_filters_of_their_own() {
    let sampler = Sampler { magnification: Filter::Linear, wrap: [Wrap::Repeat; 3], ..Sampler::default() };
    let at = |level: f32| {
        let quad = [[0.5, 0.375, 0.0, level]; 4];
        let make = |space: &Space| texture(space, Dimension::D2, [4, 4, 1], 1);
        f32::from_bits(fetch("SAMPLE_L R1.xyzw, R4.xyzw, t3, s1", quad, sampler, make)[0][0])
    };
    assert_eq!((at(0.0), at(1.0 / 64.0)), (1.5 + 64.0, 2.0 + 64.0));
}

/// `D.zxyw` is what textureGather gives: the texels of a linear filter, counter-clockwise from the lower left one (GLSL 4.60, 8.9.4).
#[test]
fn four_texels_of_a_filter() {
    let gather = |at: [f32; 2], wrap: Wrap, swizzle: [Select; 4]| {
        let sampler = Sampler { wrap: [wrap; 3], border: border(), least_level: 64, ..Sampler::default() };
        let made = |space: &Space| Texture { swizzle, ..texture(space, Dimension::D2, [4, 4, 1], 2) };
        let quad = [[at[0], at[1], 0.0, 0.0]; 4];
        fetch("FETCH4 R1.zxyw, R4.xy00, t3, s1 DENORM(XYZ)", quad, sampler, made)[0].map(f32::from_bits)
    };
    let plain = [Select::X, Select::Y, Select::Z, Select::W];
    let texels = |places: [[i64; 2]; 4]| places.map(|[x, y]| value(0, [x, y, 0]) as f32);
    assert_eq!(gather([2.0, 1.0], Wrap::Repeat, plain), texels([[1, 1], [2, 1], [2, 0], [1, 0]]));
    assert_eq!(gather([2.49, 1.49], Wrap::Repeat, plain), texels([[1, 1], [2, 1], [2, 0], [1, 0]]));
    assert_eq!(gather([0.25, 0.25], Wrap::Repeat, plain), texels([[3, 0], [0, 0], [0, 3], [3, 3]]));
    let [_, _, _, outside] = gather([0.25, 0.25], Wrap::Border, plain);
    assert_eq!(outside, BORDER as f32);
    // One channel of each, which the texture's selectors choose.
    let negated = texels([[1, 1], [2, 1], [2, 0], [1, 0]]).map(|texel| -texel);
    assert_eq!(gather([2.0, 1.0], Wrap::Repeat, [Select::Y, Select::X, Select::X, Select::X]), negated);
}

/// Face and place of a direction, from the table of GL: major axis, then the parts that lead across and down.
const FACES: [([f64; 3], [f64; 3], [f64; 3]); 6] = [
    ([1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, -1.0, 0.0]),
    ([-1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]),
    ([0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]),
    ([0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]),
    ([0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]),
    ([0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]),
];

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The point of a face at these texels of `size`, on a cube from -1 to 1.
fn on_cube(face: usize, x: f64, y: f64, size: f64) -> [f64; 3] {
    let (major, across, down) = FACES[face];
    let [u, v] = [x, y].map(|at| 2.0 * at / size - 1.0);
    std::array::from_fn(|n| major[n] + u * across[n] + v * down[n])
}

/// The texel of the face beyond an edge that a point there belongs to.
fn beyond(face: usize, x: i64, y: i64, size: i64) -> (usize, i64, i64) {
    let point = on_cube(face, x as f64 + 0.5, y as f64 + 0.5, size as f64);
    // Folded along the edge, a point beyond it is as far after it.
    let other = (0..6).max_by(|&a, &b| dot(FACES[a].0, point).total_cmp(&dot(FACES[b].0, point))).unwrap();
    let (_, across, down) = FACES[other];
    let texel = |part: [f64; 3]| ((dot(part, point) + 1.0) / 2.0 * size as f64).floor().clamp(0.0, size as f64 - 1.0);
    (other, texel(across) as i64, texel(down) as i64)
}

#[test]
fn filters_go_across_the_edges_of_cubes() {
    const SIZE: i64 = 4;
    for (face, seamless) in (0..6).flat_map(|face| [(face, false), (face, true)]) {
        let sampler = Sampler { seamless, ..Sampler::with_filter(Filter::Linear) };
        // On the edge, halfway between two texels of the face: the middle of the left, right, upper and lower edge.
        for (x, y) in [(0.0, 2.0), (4.0, 2.0), (2.0, 0.0), (2.0, 4.0)] {
            let quad = [[1.0 + x / 4.0, 1.0 + y / 4.0, face as f32, 0.0]; 4];
            let make = |space: &Space| texture(space, Dimension::Cube, [4, 4, 6], 1);
            let found = f32::from_bits(fetch("SAMPLE R1.xyzw, R4.xyz0, t3, s1", quad, sampler, make)[0][0]);
            let taps = [(-0.5, -0.5), (0.5, -0.5), (-0.5, 0.5), (0.5, 0.5)].map(|(dx, dy)| {
                let (x, y) = ((x + dx).floor() as i64, (y + dy).floor() as i64);
                match seamless && !((0..SIZE).contains(&x) && (0..SIZE).contains(&y)) {
                    true => {
                        let (face, x, y) = beyond(face, x, y, SIZE);
                        value(0, [x, y, face as i64])
                    }
                    false => value(0, [x.clamp(0, SIZE - 1), y.clamp(0, SIZE - 1), face as i64]),
                }
            });
            let exact = taps.iter().sum::<f64>() / 4.0;
            assert_eq!(f64::from(found), exact, "face {face} at {x}, {y}, seamless: {seamless}");
        }
    }
}

#[test]
fn loads_of_levels_and_samples() {
    let load = |[x, y, z, w]: [i32; 4], make: &dyn Fn(&Space) -> Texture| {
        let place = [x, y, z, w].map(|part| f32::from_bits(part.cast_unsigned()));
        fetch("LD R1.xyzw, R4.xyzw, t3, s1", [place; 4], Sampler::default(), make)[0]
    };
    let volume = |space: &Space| texture(space, Dimension::D3, [5, 4, 3], 3);
    assert_eq!(f32::from_bits(load([4, 3, 2, 0], &volume)[0]), value(0, [4, 3, 2]) as f32);
    assert_eq!(f32::from_bits(load([1, 1, 0, 1], &volume)[0]), value(1, [1, 1, 0]) as f32);
    for outside in [[5, 0, 0, 0], [0, -1, 0, 0], [0, 0, 3, 0], [2, 0, 0, 1], [0, 0, 0, 3], [0, 0, 0, -1]] {
        assert_eq!(load(outside, &volume), [0; 4], "{outside:?}");
    }
    // Selectors come after that.
    let with_one =
        |space: &Space| Texture { swizzle: [Select::X, Select::X, Select::Zero, Select::One], ..volume(space) };
    assert_eq!(load([5, 0, 0, 0], &with_one), [0, 0, 0, 1.0f32.to_bits()]);
    let integer = |space: &Space| Texture { numbers: TexelNumbers::Integer, ..with_one(space) };
    assert_eq!(load([5, 0, 0, 0], &integer), [0, 0, 0, 1]);
    let samples = |space: &Space| {
        let plain = integer(space);
        let region = Region { base: BASE, length: 16 * 24 };
        let words: Vec<u8> = (0..96u32).flat_map(u32::to_le_bytes).collect();
        space.write_bytes(BASE, &words).unwrap();
        let texels = Texels::Vectors { region, form: VectorForm::Dwords, levels: 1, samples: 4 };
        Texture { size: [3, 2, 1], dimension: Dimension::D2, texels, ..plain }
    };
    assert_eq!(load([2, 1, 0, 3], &samples)[0], 4 * (5 * 4 + 3));
    assert_eq!(load([2, 1, 0, 4], &samples)[0], 0);
    let count = fetch("GET_SAMPLE_INFO R1.xyzw, R4.xyzw, t3, s1", [[0.0; 4]; 4], Sampler::default(), samples);
    assert_eq!(count[0][3], 4);
}

/// Bytes give what vectors of fractions of 255 give.
#[test]
fn bytes_are_fractions() {
    const SIDE: u32 = 32;
    let texture = |space: &Space, form: VectorForm| {
        let bytes = (0..4 * SIDE * SIDE).map(|n| (n.wrapping_mul(0x9E37_79B9) >> 20) as u8);
        let stored: Vec<u8> = match form {
            VectorForm::Bytes | VectorForm::Scalar => bytes.collect(),
            VectorForm::Dwords => bytes.flat_map(|byte| (f32::from(byte) / 255.0).to_le_bytes()).collect(),
        };
        space.write_bytes(BASE, &stored).unwrap();
        let region = Region { base: BASE, length: stored.len() as u32 };
        let texels = Texels::Vectors { region, form, levels: 1, samples: 1 };
        let swizzle = [Select::X, Select::Y, Select::Z, Select::W];
        Texture { dimension: Dimension::D2, size: [SIDE, SIDE, 1], texels, numbers: TexelNumbers::Fraction, swizzle }
    };
    for (filter, wrap) in
        [(Filter::Nearest, Wrap::Repeat), (Filter::Linear, Wrap::Repeat), (Filter::Linear, Wrap::Border)]
    {
        let sampler = Sampler {
            magnification: filter,
            minification: filter,
            wrap: [wrap; 3],
            border: border(),
            ..Sampler::default()
        };
        for y in 0..SIDE {
            let quad = [0, 1, 2, 3].map(|pixel| {
                let x = (7 * y + pixel) as f32 / 20.0;
                [x, y as f32 / SIDE as f32 + x / 99.0, 0.0, 0.0]
            });
            let sample = |form| fetch("SAMPLE R1.xyzw, R4.xyzw, t3, s1", quad, sampler, |space| texture(space, form));
            assert_eq!(sample(VectorForm::Bytes), sample(VectorForm::Dwords), "{filter:?} {wrap:?} {y}");
        }
    }
}

/// Samples of any texture with any sampler: [`fetch`] compares the engine with the reference.
#[test]
fn engine_and_reference_agree() {
    const OPERATIONS: [&str; 19] = [
        "SAMPLE",
        "SAMPLE",
        "SAMPLE_L",
        "SAMPLE_LB",
        "SAMPLE_LZ",
        "SAMPLE_G",
        "SAMPLE_C",
        "SAMPLE_C_L",
        "SAMPLE_C_LB",
        "SAMPLE_C_LZ",
        "SAMPLE_C_G",
        "SAMPLE_G_L",
        "SAMPLE_G_LB",
        "SAMPLE_C_G_LB",
        "FETCH4",
        "FETCH4",
        "LD",
        "GET_TEXTURE_INFO",
        "GET_COMP_TEX_LOD",
    ];
    const PROPERTIES: [&str; 6] =
        ["", "", "", "XOFFSET(2) YOFFSET(-1.5)", "DENORM(XYZ)", "DENORM(Y) XOFFSET(-7) LOD(-1.5)"];
    const DIMENSIONS: [Dimension; 7] = [
        Dimension::D1,
        Dimension::D2,
        Dimension::D2,
        Dimension::D3,
        Dimension::D1Array,
        Dimension::D2Array,
        Dimension::Cube,
    ];
    const COMPARES: [Compare; 8] = [
        Compare::Never,
        Compare::Less,
        Compare::Equal,
        Compare::LessEqual,
        Compare::Greater,
        Compare::NotEqual,
        Compare::GreaterEqual,
        Compare::Always,
    ];
    const FILTERS: [Filter; 2] = [Filter::Nearest, Filter::Linear];
    ctm_cases::check(5000, |u| {
        let dimension = *u.choose(&DIMENSIONS)?;
        let [x, y, z] = [u.int_in_range(1..=9)?, u.int_in_range(1..=9)?, u.int_in_range(1..=5)?];
        let sides = match dimension {
            Dimension::D1 => [x, 1, 1],
            Dimension::D2 => [x, y, 1],
            Dimension::D3 | Dimension::D2Array => [x, y, z],
            Dimension::D1Array => [x, 1, z],
            Dimension::Cube => [x, x, 6],
        };
        let levels = u.int_in_range(1..=4)?;
        let sampler = Sampler {
            magnification: *u.choose(&FILTERS)?,
            minification: *u.choose(&FILTERS)?,
            mip: *u.choose(&[MipFilter::None, MipFilter::Nearest, MipFilter::Linear])?,
            wrap: [*u.choose(&WRAPS)?, *u.choose(&WRAPS)?, *u.choose(&WRAPS)?],
            border: border(),
            compare: *u.choose(&COMPARES)?,
            least_level: *u.choose(&[0, 0, 20])?,
            greatest_level: *u.choose(&[1023, 100])?,
            bias: *u.choose(&[0, 0, 50, -50])?,
            seamless: u.arbitrary()?,
        };
        let numbers =
            *u.choose(&[TexelNumbers::Float, TexelNumbers::Float, TexelNumbers::Fraction, TexelNumbers::Integer])?;
        let swizzle = *u.choose(&[[0, 1, 2, 3], [2, 5, 0, 4]])?;
        let operation = *u.choose(&OPERATIONS)?;
        let gradients = "SET_GRADIENTS_H R0.____, R4.yzw0, t3, s1\n  1 SET_GRADIENTS_V R0.____, R4.wyx0, t3, s1\n  2";
        let set = if operation.ends_with("_G") { gradients } else { "" };
        let instruction = format!("{set} {operation} R1.xyz1, R4.xyzw, t3, s1 {}", u.choose(&PROPERTIES)?);
        let mut quad = [[0.0; 4]; 4];
        let reach = *u.choose(&[1.0, 2.5, 8.0])?;
        for part in quad.iter_mut().flatten() {
            let value = f64::from(u.int_in_range(-1000..=1000)?) / 1000.0 * reach;
            *part = match (dimension, u.int_in_range(0..=40)?) {
                (_, 0) => *u.choose(&[f32::NAN, f32::INFINITY, -1e30, 1e9, -0.0, 1e-40])?,
                // Places on faces, and faces.
                (Dimension::Cube, _) => (1.5 + value.abs()) as f32,
                _ => value as f32,
            };
        }
        if operation == "LD" || operation == "GET_TEXTURE_INFO" {
            quad = quad.map(|pixel| pixel.map(|part| f32::from_bits((part as i32).cast_unsigned())));
        }
        let form = *u.choose(&VectorForm::ALL)?;
        let are_surfaces: bool = u.arbitrary()?;
        fetch(&instruction, quad, sampler, |space| {
            let texture = texture(space, dimension, sides, levels);
            let region = Region { base: BASE, length: BYTES / 2 };
            let surface = |level: usize| {
                let [width, height, depth] = texture.level_size(level);
                let (pitch, base) = (width.next_multiple_of(8), BASE + 0x1000 * level as u32);
                let format = if form == VectorForm::Bytes { Format::Uint8_4 } else { Format::Float32_4 };
                Surface { base, pitch, height: height * depth, tiling: Tiling::Linear, superfine: false, format }
            };
            let texels = match are_surfaces {
                true => Texels::Surfaces((0..levels).map(surface).collect()),
                false => Texels::Vectors { region, form, levels, samples: 1 },
            };
            Texture { numbers, swizzle: swizzle.map(|select| Select::ALL[select]), texels, ..texture }
        });
        Ok(())
    });
}
