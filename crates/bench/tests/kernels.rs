//! Every engine makes the same picture of a kernel, bit for bit.

use ctm_bench::kernel::{Isa, KERNELS};
use ctm_memory::Tiling;
use ctm_testkit::case::Case;
use ctm_testkit::texels;
use ctm_testkit::{THREADS, engines};
use ctm_x1k::{Domain, RunOptions};

/// A piece of every picture: groups of machine code that are whole and some that the edge cuts, at the edge of inputs and
/// in the middle.
const WIDTH: u32 = 45;
const HEIGHT: u32 = 5;

#[test]
fn engines_agree_on_kernels() {
    for kernel in KERNELS.iter().filter(|kernel| kernel.size.is_none()) {
        let whole = Case::load(&kernel.folder(Isa::X1k));
        let middle = (whole.domain.i1 / 2 + 3, whole.domain.j1 / 2);
        for (i0, j0) in [(0, 0), middle] {
            let mut case = Case::load(&kernel.folder(Isa::X1k));
            case.domain = Domain { i0, j0, i1: i0 + WIDTH - 1, j1: j0 + HEIGHT - 1 };
            let environment =
                case.environment(Tiling::Linear, |input| texels::data(&input.file, input.width, input.height));
            let job = environment.job(&case);
            let output = job.outputs[0].unwrap();
            let mut wanted = None;
            for engine in engines() {
                for threads in THREADS {
                    let mut picture = vec![0xEE; output.bytes() as usize];
                    job.memory.write_bytes(output.base, &picture).unwrap();
                    let stats = engine.run(&job, &RunOptions { threads, ..RunOptions::default() }).unwrap();
                    job.memory.read_bytes(output.base, &mut picture).unwrap();
                    let got = (stats, picture);
                    let wanted = wanted.get_or_insert_with(|| got.clone());
                    assert!(got == *wanted, "{} by {} with {threads} threads", kernel.name, engine.name());
                }
            }
        }
    }
}
