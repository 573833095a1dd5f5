//! Primitives that become pixels, with values that are computed by hand.

use ctm_memory::{Arena, Bounds, Format, Space, Surface, Tiling, View};
use ctm_raster::blend::{BlendEquation, BlendFactor, BlendFunction, BlendState};
use ctm_raster::depth::CompareFunction;
use ctm_sm50::launch::{Environment, Mode, Shader};
use ctm_sm50::pipeline::{
    ColourTarget, Cull, DepthTarget, Draw, DrawError, Fragment, FragmentCounts, FragmentStage, Fragments, FrontFace,
    Primitive, RasterState, Targets, VertexArray,
};
use ctm_sm50::reference::Reference;
use ctm_sm50::{Program, Stage, text};
use std::collections::BTreeMap;

/// Hands a position and a vector on.
const VERTEX: &str = ".stage vertex
    ALD.128 R0, a[0x80];
    ALD.128 R4, a[0x90];
    AST.128 a[0x70], R0;
    AST.128 a[0x80], R4;
    EXIT;";
/// The vector, with perspective.
const SMOOTH: &str = ".stage pixel
    IPA.PASS R4, a[0x7c], RZ;
    MUFU.RCP R4, R4;
    IPA R0, a[0x80], R4;
    IPA R1, a[0x84], R4;
    IPA R2, a[0x88], R4;
    IPA R3, a[0x8c], R4;
    EXIT;";

/// Columns and rows of the window.
const SIDE: u32 = 8;

type Vertex = ([f32; 4], [f32; 4]);
/// What was left at each pixel: depth and colours.
type Pixel = (f32, Vec<u32>);

fn program(code: &str) -> Program {
    text::parse(code).unwrap_or_else(|errors| panic!("{code}\n{errors:?}")).program
}

/// Keeps all fragments, those of a pixel in their order.
#[derive(Default)]
struct All(BTreeMap<(u32, u32), Vec<Pixel>>);

impl Fragments for All {
    fn take(&mut self, fragment: &Fragment) {
        self.0.entry(fragment.pixel).or_default().push((fragment.depth, fragment.colours.to_vec()));
    }
}

/// Draws vertices, and hands the fragments on.
fn draw_into(
    [vertex, fragment]: [&str; 2],
    primitive: Primitive,
    vertices: &[Vertex],
    state: RasterState,
    fragments: &mut dyn Fragments,
) -> Result<(), DrawError> {
    let (vertex, fragment) = (program(vertex), program(fragment));
    let array = |address, value: fn(&Vertex) -> [f32; 4]| VertexArray {
        address,
        components: 4,
        values: vertices.iter().flat_map(value).map(f32::to_bits).collect(),
    };
    let arrays = [array(0x80, |vertex| vertex.0), array(0x90, |vertex| vertex.1)];
    let environment = Environment { mode: Mode::Strict, ..Environment::default() };
    let draw = Draw {
        primitive,
        arrays: &arrays,
        environment: environment.clone(),
        ..Draw::new(Shader::from(&vertex), vertices.len() as u32)
    };
    let stage = FragmentStage { shader: Shader::from(&fragment), environment: &environment, state };
    draw.rasterise(&stage, fragments, &Reference, &Draw::options()).map(|_| ())
}

/// The fragments of a draw in a window of 8x8 pixels.
fn fragments(code: &str, primitive: Primitive, vertices: &[Vertex]) -> BTreeMap<(u32, u32), Vec<Pixel>> {
    fragments_in(code, primitive, vertices, RasterState::new(SIDE, SIDE))
}

fn fragments_in(
    code: &str,
    primitive: Primitive,
    vertices: &[Vertex],
    state: RasterState,
) -> BTreeMap<(u32, u32), Vec<Pixel>> {
    let mut all = All::default();
    draw_into([VERTEX, code], primitive, vertices, state, &mut all).unwrap_or_else(|error| panic!("{error}"));
    all.0
}

/// A vertex at a place of the window of 8x8 pixels, with y downwards.
fn at(x: f32, y: f32, vector: [f32; 4]) -> Vertex {
    ([x / 4.0 - 1.0, 1.0 - y / 4.0, 0.0, 1.0], vector)
}

/// The same at a depth from 0 to 1, with this w.
fn deep((position, vector): Vertex, depth: f32, w: f32) -> Vertex {
    ([position[0] * w, position[1] * w, (2.0 * depth - 1.0) * w, w], vector)
}

fn floats(pixel: &Pixel) -> [f32; 4] {
    std::array::from_fn(|n| f32::from_bits(pixel.1[n]))
}

fn pixels(wanted: impl Fn(u32, u32) -> bool) -> Vec<(u32, u32)> {
    (0..SIDE).flat_map(|x| (0..SIDE).map(move |y| (x, y))).filter(|&(x, y)| wanted(x, y)).collect()
}

const NONE: [f32; 4] = [0.0; 4];

/// Centres on the edge between two triangles belong to the one whose left or top edge that is.
#[test]
fn triangles_cover_pixels_by_their_centres() {
    let corner = |x, y| at(x, y, NONE);
    let below = [corner(0.0, 0.0), corner(8.0, 8.0), corner(0.0, 8.0)];
    let above = [corner(0.0, 0.0), corner(8.0, 0.0), corner(8.0, 8.0)];
    let covered = |vertices: &[Vertex]| Vec::from_iter(fragments(SMOOTH, Primitive::Triangles, vertices).into_keys());
    assert_eq!(covered(&below), pixels(|x, y| x < y));
    assert_eq!(covered(&above), pixels(|x, y| x >= y));
    assert_eq!(covered(&[below, above].concat()), pixels(|_, _| true));
    // No centre lies between 1.6 and 2.4; just one does between 1.4 and 2.4.
    let small = |left: f32| [corner(left, left), corner(left, 2.4), corner(2.4, 2.4), corner(2.4, left)];
    let of = |left| Vec::from_iter(fragments(SMOOTH, Primitive::TriangleFan, &small(left)).into_keys());
    assert_eq!((of(1.6), of(1.4)), (vec![], vec![(1, 1)]));
    // Larger than the window, and than what clipping leaves of it.
    let large = [corner(-900.0, -900.0), corner(2000.0, -900.0), corner(-900.0, 2000.0)];
    assert_eq!(covered(&large), pixels(|_, _| true));
}

/// Planes go through the corners; with perspective, the program multiplies with w.
#[test]
fn inputs_are_planes_at_the_centres() {
    let code = ".stage pixel
        IPA.PASS R4, a[0x7c], RZ;
        MUFU.RCP R5, R4;
        IPA R0, a[0x80], R5;
        IPA.PASS R1, a[0x84], RZ;
        IPA.CONSTANT R2, a[0x88], RZ;
        MOV R3, R4;
        EXIT;";
    // w is 1 on the left and 4 on the right.
    let vertices = [
        deep(at(0.0, 0.0, [0.0, 1.0, 5.0, 0.0]), 0.0, 1.0),
        deep(at(0.0, 16.0, [0.0, 1.0, 6.0, 0.0]), 0.0, 1.0),
        deep(at(16.0, 0.0, [1.0, 17.0, 7.0, 0.0]), 0.0, 4.0),
    ];
    let found = fragments(code, Primitive::Triangles, &vertices);
    assert_eq!(found.len(), 64);
    for (&(x, _), fragments) in &found {
        let part = (x as f32 + 0.5) / 16.0;
        let reciprocal = 1.0 - part + part / 4.0;
        let [smooth, over_w, flat, w] = floats(&fragments[0]);
        let close = |found: f32, expected: f32| (found - expected).abs() < 1e-6 * expected.abs().max(1.0);
        assert!(close(w, reciprocal), "{w}");
        assert!(close(smooth, part / 4.0 / reciprocal), "{smooth} at {x}");
        // Of IPA.PASS, the header says that the plane is linear.
        assert!(close(over_w, 1.0 + 16.0 * part), "{over_w}");
        assert_eq!(flat, 7.0);
    }
}

#[test]
fn fragments_know_where_they_are() {
    let code = ".stage pixel
        IPA.PASS R0, a[0x70], RZ;
        IPA.PASS R1, a[0x74], RZ;
        IPA.PASS R2, a[0x78], RZ;
        IPA.CONSTANT R3, a[0x3fc], RZ;
        IPA.CONSTANT R4, a[0x60], RZ;
        EXIT;
        ";
    let code = code.replace(".stage pixel", ".stage pixel\n.omap_targets 0xff");
    let corner = |x, y, depth| deep(at(x, y, NONE), depth, 1.0);
    // Counter-clockwise as it is seen, then clockwise.
    let vertices = [
        corner(0.0, 0.0, 0.25),
        corner(0.0, 16.0, 0.25),
        corner(16.0, 0.0, 0.75),
        corner(0.0, 0.0, 0.5),
        corner(16.0, 0.0, 0.5),
        corner(0.0, 16.0, 0.5),
    ];
    let found = fragments(&code, Primitive::Triangles, &vertices);
    for (&(x, y), fragments) in &found {
        let depth = 0.25 + 0.5 * (x as f32 + 0.5) / 16.0;
        let expected = |depth: f32, front: u32, id: u32| {
            let place = [x as f32 + 0.5, y as f32 + 0.5, depth].map(f32::to_bits);
            (depth, vec![place[0], place[1], place[2], front, id, 0, 0, 0])
        };
        assert_eq!(fragments[..], [expected(depth, u32::MAX, 0), expected(0.5, 0, 1)], "{x}, {y}");
    }
    // Which of them are drawn.
    for (front, cull, counts) in [
        (FrontFace::CounterClockwise, Cull::Back, [64, 0]),
        (FrontFace::CounterClockwise, Cull::Front, [0, 64]),
        (FrontFace::Clockwise, Cull::Back, [0, 64]),
        (FrontFace::CounterClockwise, Cull::FrontAndBack, [0, 0]),
    ] {
        let state = RasterState { front, cull, ..RasterState::new(SIDE, SIDE) };
        let found = fragments_in(&code, Primitive::Triangles, &vertices, state);
        let count = |id: u32| found.values().flatten().filter(|(_, colours)| colours[4] == id).count();
        assert_eq!([count(0), count(1)], counts, "{front:?} {cull:?}");
    }
}

/// Half of a triangle is behind the eye: what is in front is as if it had not been cut.
#[test]
fn what_is_behind_the_eye_is_cut_off() {
    let vertex = |x: f32, y: f32, w: f32, u: f32| ([x, y, 0.0, w], [u, 0.0, 0.0, 0.0]);
    let vertices = [vertex(-4.0, 0.0, 4.0, 0.0), vertex(4.0, 0.0, 4.0, 4.0), vertex(0.0, 4.0, -4.0, 2.0)];
    let found = fragments(SMOOTH, Primitive::Triangles, &vertices);
    assert_eq!(found.len(), 32, "the upper half of the window");
    for (&(x, y), fragments) in &found {
        // On the ground, x = w * (x of the window), and the triangle is where u = 2 + x / 2.
        let (x, y) = ((x as f32 + 0.5) / 4.0 - 1.0, 1.0 - (y as f32 + 0.5) / 4.0);
        let w = 4.0 / (1.0 + 2.0 * y);
        let expected = 2.0 + x * w / 2.0;
        assert!((floats(&fragments[0])[0] - expected).abs() < 1e-5, "{} for {expected}", floats(&fragments[0])[0]);
    }
    // Before the near plane, and beyond the far one.
    let flat = |depth: f32| [(0.0, 0.0), (0.0, 8.0), (8.0, 0.0)].map(|(x, y)| deep(at(x, y, NONE), depth, 1.0));
    for (depth, is_seen) in [(-0.1, false), (0.0, true), (1.0, true), (1.1, false), (f32::NAN, false)] {
        let found = fragments(SMOOTH, Primitive::Triangles, &flat(depth));
        assert_eq!(!found.is_empty(), is_seen, "{depth}");
    }
}

/// What the far plane leaves has the planes of the whole, those without perspective too.
#[test]
fn planes_go_on_where_primitives_are_cut() {
    let code = ".stage pixel
        IPA.PASS R4, a[0x7c], RZ;
        MUFU.RCP R5, R4;
        IPA R0, a[0x80], R5;
        IPA.PASS R1, a[0x84], RZ;
        EXIT;";
    let vertices = [
        deep(at(0.0, 0.0, [0.0, 1.0, 0.0, 0.0]), 0.0, 1.0),
        deep(at(0.0, 16.0, [0.0, 1.0, 0.0, 0.0]), 0.0, 1.0),
        deep(at(16.0, 0.0, [1.0, 17.0, 0.0, 0.0]), 4.0, 4.0),
    ];
    let found = fragments(code, Primitive::Triangles, &vertices);
    assert_eq!(Vec::from_iter(found.keys().copied()), pixels(|x, _| x < 4));
    for (&(x, _), fragments) in &found {
        let part = (x as f32 + 0.5) / 16.0;
        let [smooth, linear, ..] = floats(&fragments[0]);
        assert!((smooth - part / 4.0 / (1.0 - part + part / 4.0)).abs() < 1e-4, "{smooth} at {x}");
        assert!((linear - (1.0 + 16.0 * part)).abs() < 1e-3, "{linear} at {x}");
        assert!((fragments[0].0 - 4.0 * part).abs() < 1e-4);
    }
}

/// Whatever positions are: a primitive has a pixel of the window once, however it is cut, at a depth from 0 to 1.
#[test]
fn any_primitive_covers_a_pixel_once() {
    let code = ".stage pixel\n IPA.PASS R0, a[0x7c], RZ; EXIT;";
    let mut counts = [0; 3];
    ctm_cases::check(600, |u| {
        let mut number = || {
            Ok(match u.int_in_range(0..=30)? {
                0 => f32::from_bits(u.arbitrary()?),
                1 => 1e30,
                _ => u.int_in_range(-4096..=4096)? as f32 / 1024.0,
            })
        };
        let mut vertices = Vec::new();
        for _ in 0..3 {
            vertices.push(([number()?, number()?, number()?, number()? + 1.0], NONE));
        }
        let state = RasterState { point_size: 5.0, line_width: 3, ..RasterState::new(SIDE, SIDE) };
        for (n, (primitive, count)) in
            [(Primitive::Points, 1), (Primitive::Lines, 2), (Primitive::Triangles, 3)].into_iter().enumerate()
        {
            let found = fragments_in(code, primitive, &vertices[..count], state);
            counts[n] += found.len();
            for (&(x, y), fragments) in &found {
                assert!(x < SIDE && y < SIDE && fragments.len() == 1, "{x}, {y}: {vertices:?}");
                assert!((0.0..=1.0).contains(&fragments[0].0), "{:?}", fragments[0]);
            }
        }
        Ok(())
    });
    assert!(counts.iter().all(|&count| count > 500), "{counts:?}");
}

/// A distance that the vertex program writes cuts where it is negative.
#[test]
fn clip_distances_cut() {
    let vertex = VERTEX.replace("AST.128 a[0x80], R4;", "AST a[0x2c0], R4;");
    let code = ".stage pixel\n MOV32I R0, 0x3f800000; EXIT;";
    let corner = |x: f32, y: f32| at(x, y, [x - 4.0, 0.0, 0.0, 0.0]);
    let vertices = [corner(0.0, 0.0), corner(0.0, 16.0), corner(16.0, 0.0)];
    let mut all = All::default();
    draw_into([&vertex, code], Primitive::Triangles, &vertices, RasterState::new(SIDE, SIDE), &mut all).unwrap();
    assert_eq!(Vec::from_iter(all.0.into_keys()), pixels(|x, _| x >= 4));
}

#[test]
fn lines_and_points_have_their_outlines() {
    let covered = |primitive, vertices: &[Vertex], state| {
        Vec::from_iter(fragments_in(SMOOTH, primitive, vertices, state).into_keys())
    };
    let state = RasterState::new(SIDE, SIDE);
    // From centre to centre: the last pixel is not part of it.
    let line = [at(1.5, 2.5, NONE), at(5.5, 2.5, NONE)];
    assert_eq!(covered(Primitive::Lines, &line, state), [(1, 2), (2, 2), (3, 2), (4, 2)]);
    let back = [line[1], line[0]];
    assert_eq!(covered(Primitive::Lines, &back, state), [(2, 2), (3, 2), (4, 2), (5, 2)]);
    let steep = [at(1.5, 6.5, NONE), at(2.5, 2.5, NONE)];
    assert_eq!(covered(Primitive::Lines, &steep, state), [(1, 4), (1, 5), (1, 6), (2, 3)]);
    let wide = RasterState { line_width: 3, ..state };
    assert_eq!(covered(Primitive::Lines, &line, wide).len(), 12);
    assert_eq!(covered(Primitive::Points, &[at(3.5, 4.5, NONE)], state), [(3, 4)]);
    let large = RasterState { point_size: 4.0, ..state };
    let square = pixels(|x, y| (2..6).contains(&x) && (2..6).contains(&y));
    assert_eq!(covered(Primitive::Points, &[at(4.0, 4.0, NONE)], large), square);
    // Where in the point a fragment is, from the upper left corner.
    let code = ".stage pixel
        IPA.PASS R4, a[0x7c], RZ;
        MUFU.RCP R4, R4;
        IPA R0, a[0x2e0], R4;
        IPA R1, a[0x2e4], R4;
        EXIT;";
    let found = fragments_in(code, Primitive::Points, &[deep(at(4.0, 4.0, NONE), 0.5, 2.0)], large);
    assert_eq!(found.len(), 16);
    for (&(x, y), fragments) in &found {
        assert_eq!(floats(&fragments[0])[..2], [(x as f32 - 1.5) / 4.0, (y as f32 - 1.5) / 4.0]);
    }
}

/// What programs put out beside colours: a mask without the sample drops the fragment; the depth replaces that of the plane.
#[test]
fn masks_and_depths_of_programs() {
    let code = ".stage pixel
        .omap_sample_mask yes
        .omap_depth yes
        IPA.PASS R6, a[0x70], RZ;
        FSETP.LT.AND P0, PT, R6, 2.0, PT;
        MOV32I R0, 0x3f800000;
        MOV32I R4, 0x6;
        @P0 MOV32I R4, 0x5;
        FMUL R5, R6, 0.5;
        EXIT;";
    let vertices = [at(0.0, 0.0, NONE), at(0.0, 16.0, NONE), at(16.0, 0.0, NONE)];
    let found = fragments(code, Primitive::Triangles, &vertices);
    assert_eq!(Vec::from_iter(found.keys().copied()), pixels(|x, _| x < 2));
    assert_eq!((found[&(0, 0)][0].0, found[&(1, 3)][0].0), (0.25, 0.75));
    let far = fragments(&code.replace("0x6;", "0x1;"), Primitive::Triangles, &vertices);
    assert_eq!(far[&(7, 0)][0].0, 1.0, "depths end at 1");
}

/// Helpers outside of the triangle give those at its edge their differences.
#[test]
fn differences_at_edges_are_those_of_the_plane() {
    let code = ".stage pixel
        IPA.PASS R2, a[0x80], RZ;
        SHFL.BFLY PT, R3, R2, 0x1, 0x1c03;
        FSWZADD R0, R3, R2, PNNPPNNP;
        SHFL.BFLY PT, R3, R2, 0x2, 0x1c03;
        FSWZADD R1, R3, R2, PNPNNPNP;
        EXIT;";
    let corner = |x: f32, y: f32| at(x, y, [3.0 * x - 5.0 * y, 0.0, 0.0, 0.0]);
    let vertices = [corner(0.0, 0.0), corner(8.0, 8.0), corner(0.0, 8.0)];
    let found = fragments(code, Primitive::Triangles, &vertices);
    assert_eq!(found.len(), 28);
    for fragments in found.values() {
        let [right, down, ..] = floats(&fragments[0]);
        assert!((right - 3.0).abs() < 1e-4 && (down + 5.0).abs() < 1e-4, "{right} {down}");
    }
}

/// A surface of the window's size.
fn surface(space: &mut Space, base: u32, format: Format) -> Surface {
    let surface = Surface { base, pitch: SIDE, height: SIDE, tiling: Tiling::Linear, superfine: false, format };
    space.map(Arena::new(base, 0x1000).unwrap()).unwrap();
    surface
}

#[test]
fn fragments_are_tested_and_blended_in_order() {
    let mut space = Space::default();
    let [float, bytes, depth] = [
        surface(&mut space, 0x1_0000, Format::Float32_4),
        surface(&mut space, 0x2_0000, Format::Uint8_4),
        surface(&mut space, 0x3_0000, Format::Float32_1),
    ];
    let view = |surface| View::new(&space, surface, Bounds::Drop);
    let clear = |colour: f32, far: f32| {
        for (x, y) in pixels(|_, _| true) {
            let at = (i64::from(x), i64::from(y));
            for surface in [float, bytes] {
                view(surface).store(at.0, at.1, [colour.to_bits(); 4], 0xf);
            }
            view(depth).store(at.0, at.1, [far.to_bits(); 4], 1);
        }
    };
    let equation = |function, source, destination| BlendEquation { function, source, destination, clamp: false };
    let state = |equation| BlendState { colour: equation, alpha: equation };
    let over = state(equation(BlendFunction::Add, BlendFactor::SourceAlpha, BlendFactor::OneMinusSourceAlpha));
    let constant = state(equation(BlendFunction::ReverseSubtract, BlendFactor::ConstantAlpha, BlendFactor::One));
    let flat = |depth: f32, vector: [f32; 4]| {
        [(0.0, 0.0), (0.0, 16.0), (16.0, 0.0)].map(|(x, y)| deep(at(x, y, vector), depth, 1.0))
    };
    let near = flat(0.25, [1.0, 0.5, 2.0, 0.5]);
    let far = flat(0.75, [0.0, 1.0, 0.5, 0.25]);
    let draw = |vertices: &[Vertex], function: Option<CompareFunction>, blend: Option<BlendState>| {
        let target = |surface| ColourTarget { view: view(surface), blend, constant: [0.0, 0.0, 0.0, 0.25] };
        let mut targets = Targets {
            colours: vec![target(float), target(bytes)],
            broadcast: true,
            counts: FragmentCounts::default(),
            depth: function.map(|function| DepthTarget { view: view(depth), function }),
        };
        let state = RasterState::new(SIDE, SIDE);
        draw_into([VERTEX, SMOOTH], Primitive::Triangles, vertices, state, &mut targets).unwrap();
        (
            view(float).load(3, 5).map(f32::from_bits),
            view(bytes).load_raw(3, 5)[0].to_le_bytes(),
            f32::from_bits(view(depth).load(3, 5)[0]),
        )
    };
    let both = [near, far].concat();
    clear(0.0, 1.0);
    assert_eq!(draw(&both, None, None), ([0.0, 1.0, 0.5, 0.25], [0, 255, 128, 64], 1.0), "the last one");
    clear(0.0, 1.0);
    let found = draw(&both, Some(CompareFunction::Less), None);
    assert_eq!(found, ([1.0, 0.5, 2.0, 0.5], [255, 128, 255, 128], 0.25), "the nearest one");
    clear(0.0, 0.5);
    assert_eq!(draw(&both, Some(CompareFunction::Greater), None).0, [0.0, 1.0, 0.5, 0.25]);
    // First half of the near one, then a quarter of the far one over it. Bytes have no 2, and round.
    clear(0.0, 1.0);
    let found = draw(&both, None, Some(over));
    assert_eq!(found.0, [0.375, 0.4375, 0.875, 0.25 * 0.25 + 0.75 * 0.25]);
    assert_eq!(found.1, [96, 112, 128, 64]);
    clear(1.0, 1.0);
    assert_eq!(draw(&near, None, Some(constant)).0, [0.75, 0.875, 0.5, 0.875]);
}

/// What a fragment stores in memory is there in the order of primitives; those that are not covered store nothing.
#[test]
fn primitives_meet_in_memory_in_their_order() {
    let code = ".stage pixel
        IPA.CONSTANT R0, a[0x60], RZ;
        MOV32I R1, 0x10000;
        ST [R1], R0;
        MOV32I R2, 0x1;
        RED.ADD [R1+0x4], R2;
        EXIT;";
    let program = [program(VERTEX), program(code)];
    let mut memory = Space::default();
    memory.map(Arena::new(0x1_0000, 0x1000).unwrap()).unwrap();
    let environment = Environment { memory: Some(&memory), ..Environment::default() };
    let triangle = [at(0.0, 0.0, NONE), at(8.0, 8.0, NONE), at(0.0, 8.0, NONE)];
    let values: Vec<u32> =
        [triangle; 5].as_flattened().iter().flat_map(|(position, _)| position.map(f32::to_bits)).collect();
    let arrays = [VertexArray { address: 0x80, components: 4, values }];
    let draw = Draw { primitive: Primitive::Triangles, arrays: &arrays, ..Draw::new(Shader::from(&program[0]), 15) };
    let stage = FragmentStage {
        shader: Shader::from(&program[1]),
        environment: &environment,
        state: RasterState::new(SIDE, SIDE),
    };
    draw.rasterise(&stage, &mut All::default(), &Reference, &Draw::options()).unwrap();
    let mut bytes = [0; 8];
    memory.read_bytes(0x1_0000, &mut bytes).unwrap();
    assert_eq!(bytes, [4, 0, 0, 0, 5 * 28, 0, 0, 0]);
}

#[test]
fn the_last_stage_is_one_of_fragments() {
    let error = draw_into([VERTEX, VERTEX], Primitive::Points, &[], RasterState::new(1, 1), &mut All::default());
    assert_eq!(error, Err(DrawError::WrongStage { expected: Stage::Pixel, found: Stage::Vertex }));
}
