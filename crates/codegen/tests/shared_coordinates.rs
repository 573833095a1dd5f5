//! Loads by one coordinate from surfaces of different sizes: each access clamps to its own surface.
#![cfg(target_arch = "x86_64")]

use crate::support::*;
use ctm_lane::{Function, domain::Domain};
use ctm_memory::{Bounds, Format, Tiling};

/// Two loads by coordinates that lie likely, but not surely, in a row (%10) and at one place (%11).
fn function(x: &str, y: &str) -> Function {
    let text = format!(
        "surface s0 whole\nsurface s1 whole\nsurface s2 whole\ntable t0 4\nb0:\n%0 = pos_x\n%1 = pos_y\n%2 = covered\n\
         %3 = utof %0\n%4 = utof %1\n%5 = table_splat t0, 0\n%6 = fadd.ftz %3, %5\n%7 = fadd.ftz %4, %5\n\
         %10 = float_to_coordinate %6\n%11 = float_to_coordinate %7\n\
         %20, %21, %22, %23 = surface_load s0, {x}, {y}, %2\n%24, %25, %26, %27 = surface_load s1, {x}, {y}, %2\n\
         surface_store.rgba s2, %0, %1, %20, %24, %21, %25, %2\nreturn\n"
    );
    text.parse().unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

#[test]
fn each_surface_clamps_by_its_own_size() {
    let domain = Domain { i0: 0, j0: 0, i1: 100, j1: 70 };
    let sizes = [(8, 64), (32, 2), (256, 96)];
    for backend in backends() {
        for (x, y) in [("%10", "%11"), ("%11", "%10"), ("%10", "%10"), ("%11", "%11")] {
            let function = function(x, y);
            for (width, height) in sizes {
                for (other_width, other_height) in sizes {
                    let kinds = [
                        (Format::Float32_1, Tiling::Linear, width, height, Bounds::Clamp),
                        (Format::Float32_1, Tiling::Linear, other_width, other_height, Bounds::Clamp),
                        (Format::Float32_4, Tiling::Linear, 128, 96, Bounds::Drop),
                    ];
                    let surfaces = surfaces(&kinds);
                    for shift in [0.0f32, -3.0] {
                        let tables = vec![vec![shift.to_bits(), 0, 0, 0]];
                        let (expected, found) = (space(1, Data::Wild), space(1, Data::Wild));
                        let setup = Setup {
                            function: &function,
                            surfaces: &surfaces,
                            tables: &tables,
                            domain,
                            budget: u64::MAX,
                        };
                        let code = run_code(&backend, setup, &found).expect("machine code");
                        assert_eq!(code, run_plain(backend.lanes(), setup, &expected));
                        if let Some(difference) = difference(&expected, &found) {
                            panic!("{difference}, {kinds:?} {shift} on {}\n{function}", backend.lanes());
                        }
                    }
                }
            }
        }
    }
}
