//! When speculation on NaNs fails. That it does where it has to shows in results; that it does not elsewhere, only here.

use super::{Jit, VectorIsa};
use ctm_engine::{Bindings, Code, KernelSource, SurfaceLayout};
use ctm_lane::Function;
use ctm_lane::budget::{Budget, Meter, Poller};
use ctm_lane::domain::Domain;
use ctm_lane::{assume_covered, simplify};
use ctm_memory::{Arena, Bounds, Format, Space, Surface, Tiling, View};
use std::sync::atomic::Ordering::Relaxed;

/// Runs this body for a row of 16 columns, and gives whether some of them ran again. %7 is the column, %14 a number that a rule
/// about NaNs makes in column 5; %10 to %13 are the lanes whose column is less than 5, not less, less than 6, not less.
fn deoptimises(body: &str) -> bool {
    const BASE: u32 = 0x1000;
    let text = format!(
        "surface s0 whole\nb0:\n%0 = pos_x\n%1 = pos_y\n%2 = covered\n%3 = lane 0x40a00000\n%4 = lane 0x40c00000\n\
         %5 = lane 0x7f800000\n%6 = lane 0\n%7 = itof %0\n%8 = fsub.ftz %7, %3\n%9 = fadd.ftz %7, %5\n\
         %10 = fcmp.olt.ftz %7, %3\n%11 = fcmp.oge.ftz %7, %3\n%12 = fcmp.olt.ftz %7, %4\n%13 = fcmp.oge.ftz %7, %4\n\
         %14 = fmul.ftz.zx %8, %9\n{body}\nreturn\n"
    );
    let mut function: Function = text.parse().unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    assume_covered(&mut function);
    simplify(&mut function);
    let mut space = Space::default();
    space.map(Arena::new(BASE, 4096).unwrap()).unwrap();
    let surface = Surface {
        base: BASE,
        pitch: 64,
        height: 1,
        tiling: Tiling::Linear,
        superfine: false,
        format: Format::Float32_1,
    };
    let surfaces = [SurfaceLayout::of(&space, &surface, Bounds::Drop)];
    let source = KernelSource { function: &function, interior: &function, surfaces: &surfaces, may_stop: false };
    let kernel = Jit::avx512().unwrap().kernel(&source, &ctm_lane::effort::Effort::default()).unwrap();
    assert!(kernel.interior.speculates, "{function}");
    let views = vec![View::new(&space, surface, Bounds::Drop)];
    let bindings = Bindings { surfaces: views, tables: Vec::new(), buffers: Vec::new() };
    let meter = Meter::new(Budget::default(), None);
    let domain = Domain { i0: 0, j0: 0, i1: 15, j1: 0 };
    kernel.bind(&bindings).unwrap().run(domain, u64::MAX, &mut Poller::new(&meter)).unwrap();
    kernel.checks.deoptimised.load(Relaxed) != 0
}

/// A look at a value that is tainted in one lane only by choices: those of that lane decide.
#[test]
fn of_lanes_that_are_chosen() {
    if !VectorIsa::Avx512.is_supported() {
        return eprintln!("skipped: this host has no AVX-512, and the other form looks at all lanes");
    }
    let deoptimises = |body: &str| deoptimises(&format!("{body}\nsurface_store.r s0, %0, %1, %20, %6, %6, %6, %2"));
    assert!(deoptimises("%20 = iadd %14, %0"));
    // Column 5 is in the masks %11 and %12, and not in %10 and %13.
    for (mask, has) in [("%10", false), ("%11", true), ("%12", true), ("%13", false)] {
        assert_eq!(deoptimises(&format!("%15 = select {mask}, %14, %7\n%20 = iadd %15, %0")), has, "{mask}");
        assert_eq!(deoptimises(&format!("%15 = select {mask}, %7, %14\n%20 = iadd %15, %0")), !has, "not {mask}");
        for (outer, also) in [("%10", false), ("%11", true), ("%12", true), ("%13", false)] {
            let nested = |inner: &str, outer: &str| {
                format!("%15 = select {mask}, {inner}\n%16 = select {outer}\n%20 = iadd %16, %0")
            };
            assert_eq!(deoptimises(&nested("%14, %7", &format!("{outer}, %15, %0"))), has && also, "{mask} {outer}");
            assert_eq!(
                deoptimises(&nested("%7, %14", &format!("{outer}, %0, %15"))),
                !has && !also,
                "not {mask} {outer}"
            );
        }
    }
}

/// A store looks at the lanes that it writes.
#[test]
fn of_lanes_that_are_stored() {
    if !VectorIsa::Avx512.is_supported() {
        return eprintln!("skipped: this host has no AVX-512, and the other form looks at all lanes");
    }
    for (mask, has) in [("%10", false), ("%11", true)] {
        let cubed = "%15 = fmul.ftz.zx %14, %9\n%16 = fmul.ftz.zx %15, %9";
        let store = format!("surface_store.r s0, %0, %1, %16, %6, %6, %6, {mask}");
        assert_eq!(deoptimises(&format!("{cubed}\n{store}")), has, "{mask}");
    }
}
