//! Loads and stores of every format by coordinates of every shape, against a plain evaluator.
#![cfg(target_arch = "x86_64")]

use crate::support;

use ctm_codegen::x64::Jit;
use ctm_lane::Function;
use ctm_lane::domain::Domain;
use ctm_memory::{Arena, Bounds, Format, Space, Surface, Tiling};
use support::*;

/// Computations of coordinates %10 and %11 from positions %0, %1 (integers) and %3, %4 (floats).
const COORDINATES: [&str; 9] = [
    "%10 = float_to_index 64, %3\n%11 = float_to_index 24, %4",
    "%8 = lane 0x40000000\n%9 = fadd.ftz %3, %8\n%10 = float_to_index 64, %9\n%11 = float_to_index 24, %4",
    "%8 = lane 0xc0400000\n%9 = fadd.ftz %3, %8\n%10 = float_to_index 64, %9\n%12 = fadd.ftz %4, %8\n%11 = float_to_index 24, %12",
    "%8 = table_splat t0, 0\n%9 = fadd.ftz %3, %8\n%10 = float_to_index 64, %9\n%11 = float_to_index 24, %4",
    "%8 = table_splat t0, 1\n%9 = fadd.ftz %4, %8\n%10 = float_to_index 64, %3\n%11 = float_to_index 24, %9",
    "%8 = table_splat t0, 2\n%10 = float_to_index 64, %8\n%11 = float_to_index 24, %4",
    "%8 = table_splat t0, 2\n%10 = float_to_index 64, %4\n%11 = float_to_index 24, %8",
    "%8 = lane 0x3f000000\n%9 = fmul.ftz %3, %8\n%10 = float_to_index 64, %9\n%11 = float_to_index 24, %4",
    "%10 = float_to_coordinate %4\n%11 = float_to_coordinate %3",
];

fn function(coordinates: &str, lanes: &str, order: &str) -> Function {
    let text = format!(
        "surface s0 whole\nsurface s1 whole\nsurface s2 whole\ntable t0 4\nb0:\n%0 = pos_x\n%1 = pos_y\n%2 = covered\n\
         %3 = utof %0\n%4 = utof %1\n%5 = lane 0x41a00000\n%6 = fcmp.olt.ftz %3, %5\n%7 = mask_and %6, %2\n\
         {coordinates}\n%20, %21, %22, %23 = surface_load s0, %10, %11, {lanes}\n\
         %24, %25, %26, %27 = surface_load_2x2 s0, %10, %11, {lanes}\n\
         surface_store.{order} s1, %0, %1, %20, %21, %22, %23, {lanes}\n\
         surface_store.rgba s2, %0, %1, %20, %25, %26, %27, %2\nreturn\n"
    );
    text.parse().unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

#[test]
fn accesses() {
    backends().iter().for_each(accesses_of);
}

fn accesses_of(backend: &Jit) {
    let domain = Domain { i0: 1, j0: 0, i1: 62, j1: 23 };
    let tables: Vec<Vec<u32>> = vec![[-1.5f32, 2.0, 13.25, 0.0].map(f32::to_bits).to_vec()];
    let mut compiled = 0;
    for (number, format) in Format::ALL.into_iter().enumerate() {
        for (tiling, pitch) in [(Tiling::Linear, 64), (Tiling::Tiled, 64), (Tiling::Tiled, 96)] {
            for bounds in [Bounds::Clamp, Bounds::Drop] {
                for (place, coordinates) in COORDINATES.into_iter().enumerate() {
                    for (lanes, order) in [("%2", "rgba"), ("%7", "ga")] {
                        let function = function(coordinates, lanes, order);
                        let out = Format::ALL[(number + place) % 5];
                        let kinds = [
                            (format, tiling, pitch, 24, bounds),
                            (out, tiling, pitch, 24, Bounds::Drop),
                            (Format::Float32_4, Tiling::Linear, 64, 24, Bounds::Drop),
                        ];
                        let surfaces = surfaces(&kinds);
                        let seed = compiled as u32 % 16;
                        let (first, second) = (space(seed, Data::Wild), space(seed, Data::Wild));
                        let (surfaces, tables) = (&surfaces, &tables);
                        let setup = Setup { function: &function, surfaces, tables, domain, budget: u64::MAX };
                        let Some(found) = run_code(backend, setup, &second) else { continue };
                        compiled += 1;
                        let expected = run_plain(backend.lanes(), setup, &first);
                        assert_eq!(found, expected);
                        if let Some(difference) = difference(&first, &second) {
                            panic!("{difference}, {kinds:?}\n{function}");
                        }
                    }
                }
            }
        }
    }
    assert!(compiled == 540, "{compiled} of 540 were compiled");
}

/// Code whose groups are quads: elements at the lanes' own positions, and at others, of all of them or of some.
#[test]
fn quads_access_rows() {
    for backend in backends() {
        for (number, (format, out)) in
            Format::ALL.into_iter().flat_map(|one| Format::ALL.map(|two| (one, two))).enumerate()
        {
            for (column, line, lanes) in [(0, 0, "%2"), (0, 2, "%2"), (3, 1, "%2"), (-1, 5, "%2"), (0, 2, "%7")] {
                let text = format!(
                    "surface s0 whole\nsurface s1 whole\nb0:\n%0 = pos_x\n%1 = pos_y\n%2 = covered\n%3 = utof %0\n\
                     %5 = lane 0x41a00000\n%6 = fcmp.olt.ftz %3, %5\n%7 = mask_and %6, %2\n\
                     %8 = lane {column}\n%9 = lane {line}\n%10 = iadd %0, %8\n%11 = iadd %1, %9\n\
                     %12, %13, %14, %15 = surface_load s0, %10, %11, {lanes}\n%16 = quad.1032 %12\n\
                     surface_store.rgba s1, %10, %11, %12, %16, %14, %15, {lanes}\nreturn\n"
                );
                let function = text.parse().unwrap_or_else(|error| panic!("{error:?}\n{text}"));
                let bounds = if number % 2 == 0 { Bounds::Clamp } else { Bounds::Drop };
                let kinds = [(format, Tiling::Linear, 64, 24, bounds), (out, Tiling::Linear, 64, 24, Bounds::Drop)];
                let surfaces = surfaces(&kinds);
                let domain = Domain { i0: 1, j0: 0, i1: 62, j1: 19 };
                let setup = Setup { function: &function, surfaces: &surfaces, tables: &[], domain, budget: u64::MAX };
                let [first, second] = [(); 2].map(|()| space(number as u32 % 16, Data::Wild));
                let found = run_code(&backend, setup, &second).expect("code");
                assert_eq!(found, run_plain(backend.lanes(), setup, &first));
                if let Some(difference) = difference(&first, &second) {
                    panic!("{difference}, {kinds:?}\n{function}");
                }
            }
        }
    }
}

/// Stores to a surface that caches do not hold go past them, which processors do only where vectors are aligned: those of tiles are, as low
/// bits of the surface's address do not count; those of rows are, if the surface and its rows begin so, and groups do.
#[test]
fn surfaces_that_caches_do_not_hold() {
    const TARGET: u32 = 0x2000_0000;
    let source = support::surfaces(&[(Format::Float32_4, Tiling::Tiled, 64, 24, Bounds::Clamp)])[0];
    let tiles = Surface { base: TARGET, pitch: 1024, height: 512, ..source.0 };
    let rows = Surface { tiling: Tiling::Linear, pitch: 4096, ..tiles };
    let domain = Domain { i0: 1, j0: 0, i1: 62, j1: 23 };
    let cases = [(tiles, 0, 0), (tiles, 16, 0), (rows, 0, 0), (rows, 32, 0), (rows, 0, 1)];
    for backend in backends() {
        for (target, low_bits, offset) in cases {
            let text = format!(
                "surface s0 whole\nsurface s1 whole\nb0:\n%0 = pos_x\n%1 = pos_y\n%2 = covered\n\
                 %3, %4, %5, %6 = surface_load s0, %0, %1, %2\n%7 = iadd %3, %0\n%8 = lane {offset}\n%9 = iadd %0, %8\n\
                 surface_store.rgba s1, %9, %1, %7, %6, %5, %4, %2\nreturn\n"
            );
            let function = text.parse().unwrap_or_else(|error| panic!("{error:?}\n{text}"));
            let surfaces = [source, (Surface { base: TARGET + low_bits, ..target }, Bounds::Drop)];
            let setup = Setup { function: &function, surfaces: &surfaces, tables: &[], domain, budget: u64::MAX };
            let memory = || {
                let mut space = Space::default();
                space.map(Arena::new(source.0.base, 0x10_0000).unwrap()).unwrap();
                space.map(Arena::new(TARGET, target.bytes() as u32 + 0x1000).unwrap()).unwrap();
                let words = (0..0x4_0000).flat_map(|word| content(1, word, Data::Wild).to_le_bytes());
                space.write_bytes(source.0.base, &words.collect::<Vec<_>>()).unwrap();
                space
            };
            let (first, second) = (memory(), memory());
            assert!(run_code(&backend, setup, &second).flatten().is_some());
            run_plain(backend.lanes(), setup, &first);
            let written = |space: &Space| {
                let mut bytes = vec![0; 0x20_0000];
                space.read_bytes(TARGET, &mut bytes).unwrap();
                bytes
            };
            assert!(written(&first) == written(&second), "{:?}, low bits {low_bits}, {offset}", target.tiling);
        }
    }
}
