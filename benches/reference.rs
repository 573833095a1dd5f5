//! Speed of the scalar reference on programs of a real driver, in lanes x instructions per second.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ctm_memory::Tiling;
use ctm_testkit::case::Case;
use ctm_testkit::{project_path, random::Random};
use ctm_x1k::{Domain, RunOptions, reference};

fn reference(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("reference");
    group.sample_size(10);
    for name in ["mandelbrot", "mad", "sgemm"] {
        let mut case = Case::load(&project_path("benches/x1k").join(name));
        // Rows of the whole picture from its middle, enough for steady timing.
        let middle = (case.domain.j0 + case.domain.j1) / 2;
        case.domain = Domain { j0: middle, j1: middle + 7, ..case.domain };
        let environment = case.environment(Tiling::Linear, |texture| {
            let mut random = Random::new(1);
            let count = texture.width * texture.height * 4;
            (0..count).map(|_| random.bits() as f32 / u32::MAX as f32).collect()
        });
        let job = environment.job(&case);
        let options = RunOptions { threads: 1, ..RunOptions::default() };
        let instructions = reference::run(&job, &options).unwrap().instructions;
        group.throughput(Throughput::Elements(instructions));
        group.bench_function(name, |bencher| bencher.iter(|| reference::run(&job, &options).unwrap()));
    }
    group.finish();
}

criterion_group!(benches, reference);
criterion_main!(benches);
