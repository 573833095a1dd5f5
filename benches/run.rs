//! Speed of every engine on every kernel, in lanes times instructions per second and thread.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ctm_bench::kernel::{Isa, KERNELS};
use ctm_memory::Tiling;
use ctm_testkit::case::Case;
use ctm_testkit::engines;
use ctm_testkit::texels;
use ctm_x1k::{Domain, RunOptions};

/// Rows from the middle of the picture, which are enough for steady timing.
const ROWS: u32 = 8;

fn run(criterion: &mut Criterion) {
    for engine in engines() {
        let mut group = criterion.benchmark_group(engine.name());
        group.sample_size(10);
        for kernel in KERNELS.iter().filter(|kernel| kernel.size.is_none()) {
            let mut case = Case::load(&kernel.folder(Isa::X1k));
            let middle = (case.domain.j0 + case.domain.j1) / 2;
            case.domain = Domain { j0: middle, j1: middle + ROWS - 1, ..case.domain };
            let environment =
                case.environment(Tiling::Linear, |input| texels::data(&input.file, input.width, input.height));
            let job = environment.job(&case);
            let options = RunOptions { threads: 1, ..RunOptions::default() };
            let instructions = engine.run(&job, &options).expect("kernels run").instructions;
            group.throughput(Throughput::Elements(instructions));
            group.bench_function(kernel.name, |bencher| bencher.iter(|| engine.run(&job, &options)));
        }
        group.finish();
    }
}

criterion_group!(benches, run);
criterion_main!(benches);
