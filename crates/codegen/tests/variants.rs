//! Code for known constants: a kernel that runs again with the same ones gets it, and other constants do not.
#![cfg(target_arch = "x86_64")]

use crate::support::*;
use ctm_engine::{Bindings, Grouping, Kernel, Launch, Runtime, SurfaceLayout};
use ctm_lane::Function;
use ctm_lane::domain::Domain;
use ctm_lane::run::RunOptions;
use ctm_memory::{Bounds, Format, Tiling};

const SIDE: u32 = 256;

/// Sums of elements at distances that are constants.
const SUM: &str = "surface s0 whole\nsurface s1 whole\ntable t0 4\ntable t1 4\nb0:\n%x = pos_x\n%y = pos_y\n%c = covered\n\
    steps 3, 0, %c\n%u = utof %x\n%v = utof %y\n%k0 = table_splat t0, 0\n%k1 = table_splat t0, 1\n%k2 = table_splat t1, 2\n\
    %u0 = fadd.ftz %u, %k0\n%u1 = fadd.ftz %u, %k1\n%v0 = fadd.ftz %v, %k2\n\
    %i0 = float_to_index 256, %u0\n%i1 = float_to_index 256, %u1\n%j = float_to_index 256, %v0\n\
    %a0, %a1, %a2, %a3 = surface_load s0, %i0, %j, %c\n%b0, %b1, %b2, %b3 = surface_load s0, %i1, %y, %c\n\
    %f = table_splat t1, 3\n%s = fma.ftz %a0, %f, %b0\n%o = canon_nan 0x7fffffff, %s\n\
    surface_store.r s1, %x, %y, %o, %o, %o, %o, %c\nreturn\n";

/// Sums of rows that a loop counts from constants on.
const ROWS: &str = "surface s0 whole\nsurface s1 whole\ntable t0 4\ntable t1 4\nb0:\n%x = pos_x\n%y = pos_y\n%c = covered\n\
    steps 3, 0, %c\n%zero = lane 0\n%one = lane 0x3f800000\n%four = lane 0x40800000\n%nine = lane 0x41100000\njump b1(%zero, %zero)\n\
    b1(%k: lane, %sum: lane):\n%m = fcmp.uge.ftz %k, %nine\nany %m, b3, b2\n\
    b2:\n%k0 = table_splat t0, 0\n%k1 = table_splat t0, 1\n%k2 = table_splat t1, 2\n%r0 = fma.ftz %k, %four, %k0\n%r1 = fadd.ftz %k, %k1\n\
    %r2 = fadd.ftz %r1, %k2\n%j0 = float_to_index 256, %r0\n%j1 = float_to_index 256, %r2\n\
    %a0, %a1, %a2, %a3 = surface_load s0, %x, %j0, %c\n%b0, %b1, %b2, %b3 = surface_load s0, %x, %j1, %c\n\
    %s = fadd.ftz %a0, %b0\n%t = fadd.ftz %sum, %s\n%n = fadd.ftz %k, %one\njump b1(%n, %t)\n\
    b3:\n%f = table_splat t1, 3\n%p = fmul.ftz %sum, %f\n%o = canon_nan 0x7fffffff, %p\n\
    surface_store.r s1, %x, %y, %o, %o, %o, %o, %c\nreturn\n";

fn kernel(text: &str, runtime: &Runtime, layouts: &[SurfaceLayout]) -> Kernel {
    let function: Function = text.parse().unwrap_or_else(|error| panic!("{error:?}"));
    Kernel::new(function, Grouping::Independent, layouts, Some(3), runtime)
}

#[test]
fn constants_that_stay_make_code_of_their_own() {
    let surfaces = surfaces(&[(Format::Float32_1, Tiling::Linear, SIDE, SIDE, Bounds::Clamp); 2]);
    let tables = |shift: [f32; 3], factor: f32| {
        vec![vec![shift[0].to_bits(), shift[1].to_bits(), 0, 0], vec![0, 0, shift[2].to_bits(), factor.to_bits()]]
    };
    let domain = Domain { i0: 0, j0: 0, i1: SIDE - 1, j1: SIDE - 1 };
    let shifts = [[-0.5, 1.5, 2.5], [-3.5, 0.25, -1.0]];
    // Constants, a factor that no coordinate is made of, and whether code is made before the run comes to its end.
    let runs = [
        (0, 1.0, false),
        (1, 1.0, false),
        (0, 1.0, false),
        (0, 2.0, false),
        (0, 1.0, false),
        (0, 3.0, true),
        (0, 1.0, false),
        (1, 1.0, false),
        (1, 3.0, false),
        (0, 3.0, false),
    ];
    for (text, backend) in
        [SUM, ROWS].into_iter().flat_map(|text| backends().into_iter().map(move |backend| (text, backend)))
    {
        let (space, expected) = (space(1, Data::Tame), space(1, Data::Tame));
        let layouts: Vec<SurfaceLayout> =
            surfaces.iter().map(|(surface, bounds)| SurfaceLayout::of(&space, surface, *bounds)).collect();
        let runtime = Runtime::with_backend(Box::new(backend));
        let (code, plain) = (kernel(text, &runtime, &layouts), kernel(text, &Runtime::interpreter(), &layouts));
        assert!(code.is_compiled());
        let made = || runtime.backend().map_or(0, |backend| backend.code_counts().proven);
        for (number, (shift, factor, makes)) in runs.into_iter().enumerate() {
            let before = made();
            let run = |kernel: &Kernel, space| {
                let bindings = Bindings {
                    surfaces: views(space, &surfaces),
                    tables: tables(shifts[shift], factor),
                    buffers: Vec::new(),
                };
                let launch = Launch { lanes: domain.into(), bindings, max_steps: Some(3) };
                kernel.run(&launch, &RunOptions::default()).unwrap()
            };
            let (found, wanted) = (run(&code, &space), run(&plain, &expected));
            assert_eq!(found.instructions, wanted.instructions, "run {number}");
            if let Some(difference) = difference(&expected, &space) {
                panic!("run {number}: {difference}");
            }
            assert_eq!(made() > before, makes, "run {number}");
        }
    }
}
