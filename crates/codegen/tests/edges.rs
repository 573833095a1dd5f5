//! Code for groups at the edges is made once, when some thread of a run first has such a group.
#![cfg(target_arch = "x86_64")]

use crate::support::*;
use ctm_engine::{Bindings, Grouping, Kernel, Launch, Runtime, SurfaceLayout};
use ctm_lane::Function;
use ctm_lane::domain::Domain;
use ctm_lane::run::RunOptions;
use ctm_memory::{Bounds, Format, Tiling};

const SIDE: u32 = 256;

/// One number per element, that depends on where it is and on an element beside it.
const FUNCTION: &str = "surface s0 whole\nsurface s1 whole\nb0:\n%x = pos_x\n%y = pos_y\n%c = covered\nsteps 2, 0, %c\n\
    %one = lane 1\n%i = iadd %x, %one\n%a0, %a1, %a2, %a3 = surface_load s0, %i, %y, %c\n\
    %u = utof %x\n%v = utof %y\n%f = fma.ftz %u, %v, %a0\n%o = canon_nan 0x7fffffff, %f\n\
    surface_store.r s1, %x, %y, %o, %o, %o, %o, %c\nreturn\n";

#[test]
fn code_for_edges_is_made_when_threads_need_it() {
    let surfaces = surfaces(&[(Format::Float32_1, Tiling::Linear, SIDE, SIDE, Bounds::Clamp); 2]);
    let whole = Domain { i0: 0, j0: 0, i1: SIDE / 2 - 1, j1: SIDE - 1 };
    let edges = Domain { i0: 3, j0: 1, i1: SIDE - 2, j1: SIDE - 2 };
    for (threads, backend) in [1, 4].into_iter().flat_map(|threads| backends().into_iter().map(move |b| (threads, b))) {
        let (space, expected) = (space(1, Data::Tame), space(1, Data::Tame));
        let layouts: Vec<SurfaceLayout> =
            surfaces.iter().map(|(surface, bounds)| SurfaceLayout::of(&space, surface, *bounds)).collect();
        let kernel = |runtime: &Runtime| {
            let function: Function = FUNCTION.parse().unwrap_or_else(|error| panic!("{error:?}"));
            Kernel::new(function, Grouping::Independent, &layouts, Some(2), runtime)
        };
        let runtime = Runtime::with_backend(Box::new(backend));
        let (code, plain) = (kernel(&runtime), kernel(&Runtime::interpreter()));
        let made = || runtime.backend().map_or(0, |backend| backend.code_counts().proven);
        // Pieces of code that there are after the run.
        for (domain, pieces) in [(whole, 1), (edges, 2), (edges, 2), (whole, 2)] {
            let run = |kernel: &Kernel, space| {
                let bindings = Bindings { surfaces: views(space, &surfaces), tables: Vec::new(), buffers: Vec::new() };
                let launch = Launch { lanes: domain.into(), bindings, max_steps: Some(2) };
                kernel.run(&launch, &RunOptions { threads, ..RunOptions::default() }).unwrap()
            };
            let (found, wanted) = (run(&code, &space), run(&plain, &expected));
            assert_eq!(found.instructions, wanted.instructions, "{domain:?}");
            if let Some(difference) = difference(&expected, &space) {
                panic!("{domain:?}: {difference}");
            }
            assert_eq!(made(), pieces, "{domain:?} in {threads} threads");
        }
    }
}
