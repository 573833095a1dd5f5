//! How long each stage takes on a program's way from dwords to what an engine runs.

use criterion::{Criterion, criterion_group, criterion_main};
use ctm_bench::kernel::{Isa, KERNELS};
use ctm_codegen::EngineName;
use ctm_engine::SurfaceLayout;
use ctm_lane::simplify;
use ctm_memory::{Bounds, Tiling};
use ctm_testkit::case::Case;
use ctm_testkit::texels;
use ctm_x1k::lift::{LiftedForm, Specialisation, lift};
use ctm_x1k::{Instruction, Job, Words};
use std::collections::BTreeMap;

/// What the lift may rely on for a job without a conditional unit.
fn specialisation(job: &Job) -> Specialisation {
    let input = |surface| {
        let specialisation = SurfaceLayout::of(job.memory, surface, Bounds::Clamp);
        (specialisation.surface, specialisation.whole)
    };
    Specialisation {
        inputs: job.inputs.each_ref().map(|surface| surface.as_ref().map(input)),
        samplers: BTreeMap::new(),
        outputs: job.outputs.each_ref().map(Option::is_some),
        out_mask: job.out_mask,
        test: job.conditional.test,
        location: job.conditional.location,
        write: job.conditional.write,
        unfused: job.unfused,
        finite: [true; 4],
        has_origin: job.origin != [0; 2],
    }
}

fn stages(criterion: &mut Criterion) {
    for kernel in KERNELS.iter().filter(|kernel| kernel.size.is_none()) {
        let mut group = criterion.benchmark_group(kernel.name);
        group.sample_size(20);
        let case = Case::load(&kernel.folder(Isa::X1k));
        let environment =
            case.environment(Tiling::Linear, |input| texels::data(&input.file, input.width, input.height));
        let job = environment.job(&case);
        let words: Vec<Words> = case.program.code.iter().map(Instruction::encode).collect();
        group.bench_function("decode", |bencher| {
            bencher.iter(|| words.iter().map(Instruction::decode).collect::<Vec<_>>());
        });
        let specialisation = specialisation(&job);
        let lifted =
            || lift(&case.program, &specialisation, LiftedForm::Independent).expect("kernels are structured").function;
        group.bench_function("lift", |bencher| bencher.iter(lifted));
        group.bench_function("simplify", |bencher| {
            bencher.iter_batched(lifted, |mut function| simplify(&mut function), criterion::BatchSize::SmallInput);
        });
        // Lift, simplification, and what comes after them.
        for name in EngineName::ALL.into_iter().filter(|&name| name != EngineName::Reference) {
            if name.executor().is_ok() {
                let compile = || name.executor().map(|engine| engine.compile(&job));
                group.bench_function(format!("compile for {}", name.name()), |bencher| bencher.iter(compile));
            }
        }
        group.finish();
    }
}

criterion_group!(benches, stages);
criterion_main!(benches);
