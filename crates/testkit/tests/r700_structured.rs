//! Random structured programs, written in the idioms of Mesa and LLVM, do to each lane what their statements say.

use ctm_lane::domain::Domain;
use ctm_lane::run::RunOptions;
use ctm_memory::{Format, Tiling};
use ctm_r700::check::{self, Severity};
use ctm_r700::{Input, Job, Wavefront, reference};
use ctm_testkit::buffers::Buffers;
use ctm_testkit::r700::structured::{CONSTANTS, Structured, compile, constant, oracle};
use ctm_testkit::random::Random;
use ctm_testkit::{GROUP_WIDTHS, THREADS};

const PROGRAMS: u64 = 200;
const UNTOUCHED: u32 = 0xDEAD_BEEF;

#[test]
fn structured_programs() {
    let domain = Domain { i0: 1, j0: 0, i1: 9, j1: 4 };
    for seed in 0..PROGRAMS {
        let structured = Structured::random(&mut Random::new(seed));
        let mut program = compile(&structured);
        let need = check::stack_need(&program, Wavefront::W64);
        program.info.stack_size = Some(need.entries as u8);
        let findings = check::check(&program, Wavefront::W64);
        let errors: Vec<_> = findings.iter().filter(|finding| finding.severity == Severity::Error).collect();
        assert!(errors.is_empty(), "seed {seed}: {errors:#?}");
        let expected: Vec<Option<f32>> = (domain.j0..=domain.j1)
            .flat_map(|j| (domain.i0..=domain.i1).map(move |i| (i, j)))
            .map(|(i, j)| oracle(&structured, i, j))
            .collect();
        let mut instructions = None;
        for (group_width, threads) in GROUP_WIDTHS.into_iter().zip(THREADS.into_iter().cycle()) {
            let mut buffers = Buffers::new(1 << 20);
            let surface = buffers.allocate(domain.i1 + 1, domain.j1 + 1, Format::Float32_1, Tiling::Linear);
            buffers.fill(&surface, surface.pitch, |_, _| [UNTOUCHED; 4]);
            let mut job = Job::new(&program, domain, buffers.space());
            job.inputs.insert(0, Input::Position);
            job.loops = structured.loops;
            job.bindings.constants = (0..CONSTANTS).map(|n| [constant(n).to_bits(); 4]).collect();
            job.targets.colours[0] = Some(surface);
            let options = RunOptions { group_width, threads, ..RunOptions::default() };
            let stats = reference::run(&job, &options).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            assert_eq!(stats.lanes, domain.lanes());
            let positions = (domain.j0..=domain.j1).flat_map(|j| (domain.i0..=domain.i1).map(move |i| (i, j)));
            for ((i, j), expected) in positions.zip(&expected) {
                let found = buffers.read(&surface, i, j)[0];
                let expected = expected.map_or(UNTOUCHED, f32::to_bits);
                assert_eq!(found, expected, "seed {seed}, lane ({i}, {j}), width {group_width}: {structured:#?}");
            }
            assert_eq!(*instructions.get_or_insert(stats.instructions), stats.instructions, "seed {seed}");
        }
    }
}
