//! Sessions over X1K programs.

use crate::debugger::lane_trace::{LaneTrace, STEPS, bytes, check, check_whole, each};
use ctm_debug::SessionError;
use ctm_memory::{Format, Surface, Tiling};
use ctm_testkit::buffers::Buffers;
use ctm_testkit::emit::emit;
use ctm_testkit::generate;
use ctm_testkit::oracle;
use ctm_testkit::random::Random;
use ctm_testkit::structured::{INPUT_WIDTH, Options, Structured};
use ctm_x1k::debug::{self, DebugError};
use ctm_x1k::{Domain, Job, OUTPUTS, RunOptions, WriteMode, reference};

/// Odd bounds, so that quads stick out on every side.
const DOMAIN: Domain = Domain { i0: 3, j0: 1, i1: 11, j1: 5 };

struct X1k {
    buffers: Buffers,
    input: Surface,
    outputs: [Surface; OUTPUTS],
}

impl X1k {
    fn new() -> Self {
        let mut buffers = Buffers::new(1 << 20);
        let input = buffers.allocate(INPUT_WIDTH, 1, Format::Float32_4, Tiling::Linear);
        buffers.fill(&input, INPUT_WIDTH, |x, _| [0, 0, 0, oracle::input(x).to_bits()]);
        let outputs = std::array::from_fn(|_| buffers.allocate(16, 8, Format::Float32_4, Tiling::Linear));
        X1k { buffers, input, outputs }
    }

    /// The steps of a session over the program, if there is one.
    fn check(&self, program: &ctm_x1k::Program, random: &mut Random) -> Option<u64> {
        let mut job = Job::new(program, DOMAIN, self.buffers.space());
        job.inputs = [Some(self.input); _];
        job.outputs = self.outputs.map(Some);
        if program.info.write_mode == WriteMode::Umrt {
            job.outputs[0] = Some(Surface { format: Format::Float32_1, ..self.outputs[0] });
        }
        if job.check().is_err() {
            return None;
        }
        self.outputs.iter().for_each(|output| self.buffers.fill(output, 16, |_, _| [7; 4]));
        let width = random.pick(&[1, 4, 16, 64]);
        let options = RunOptions { group_width: width, threads: 1, step_limit: STEPS, ..RunOptions::default() };
        let lane = (DOMAIN.i0 + random.below(9) as u32, DOMAIN.j0 + random.below(5) as u32);
        let before = bytes(self.buffers.space());
        let open = |lane| debug::session(&job, &options, debug::listing(program), lane);
        let (lane, session) = match open(lane) {
            // A group before the lane's traps.
            Err(DebugError::Session(SessionError::Before { .. })) => {
                let first = (DOMAIN.i0, DOMAIN.j0);
                (first, open(first))
            }
            session => (lane, session),
        };
        let mut session = session.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(bytes(self.buffers.space()), before, "a session has memory of its own");
        let mut way = LaneTrace::default();
        let run = reference::run_observed(&job, &options, lane, &mut way);
        // Lanes that conditional execution leaves out have no way, and lanes in later parts of a group have one of their own.
        if way.start.is_empty() || session.lane_number(lane).is_none() {
            return None;
        }
        let steps = check(&mut session, Some(&way), random);
        if run.is_ok() {
            check_whole(&mut session, self.buffers.space());
        }
        Some(steps)
    }
}

#[test]
fn sessions_over_x1k() {
    let fixture = X1k::new();
    each("X1K", 120, |number| {
        let seed = number / 2;
        if number % 2 == 0 {
            let random = &mut Random::new(seed);
            let options = Options { full_flow_control: seed % 3 != 0, derivatives: seed % 2 == 0 };
            let mut program = emit(&Structured::random(random, options));
            program.info.full_flow_control = options.full_flow_control;
            return fixture.check(&program, random);
        }
        let random = &mut Random::new(1_000_000 + seed);
        let mode = if seed % 4 == 0 { WriteMode::Umrt } else { WriteMode::Cached };
        let count = 8 + random.below(20);
        fixture.check(&generate::program(random, count, mode), random)
    });
}
