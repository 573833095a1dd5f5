//! How long a debugger's session takes to go back, after a million steps.

use ctm_debug::{Direction, Position, Session, StepKind, StopReason, WriteTarget, find_cell};
use ctm_memory::{Format, Space, Surface, Tiling};
use ctm_x1k::{Domain, Job, RunOptions, debug, text};
use serde_json::{Value, json};
use std::time::Instant;

/// Steps after which the session goes back.
const STEPS: u64 = 1_000_000;
/// Milliseconds that one step back may take.
const MOST: f64 = 100.0;
/// Steps back that are measured; each comes from another place between two checkpoints.
const TRIES: u64 = 20;

/// Three loops, one in the other, over additions and products.
const PROGRAM: &str = "
.int i0 = 255, 0, 1
.int i1 = 255, 0, 1
.int i2 = 255, 0, 1
LOOP i[0];
LOOP i[1];
LOOP i[2];
  src0.rgb = temp[0], src1.rgb = temp[1] : temp[1].rgb = MAD src0.rgb src1.hhh src1.111 ;
  src0.rgb = temp[1], src1.rgb = temp[2] : temp[2].rgb = MAD src0.rgb src1.1h1 src1.gbr ;
  src0.rgb = temp[2] : temp[3].rgb = FRC src0.rgb ;
ENDLOOP;
ENDLOOP;
ENDLOOP;
OUT TEX_SEM_WAIT src0.rgb = temp[3] : out[0].rgb = MAX src0.rgb src0.rgb ;
";

/// What was measured, in milliseconds.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// A million steps forward, one after the other.
    pub forward: f64,
    /// One step back, in the mean and at most.
    pub back: [f64; 2],
    /// A million steps back at once.
    pub far_back: f64,
    /// Who wrote a register last that has not changed for almost all of these steps.
    pub writer: f64,
}

impl Measured {
    /// Whether a step back took no more than it may.
    pub fn is_quick(&self) -> bool {
        self.back[1] <= MOST && self.far_back <= MOST
    }

    /// For machines.
    pub fn json(&self) -> Value {
        json!({
            "steps": STEPS,
            "forwardMs": self.forward,
            "backMeanMs": self.back[0],
            "backMostMs": self.back[1],
            "farBackMs": self.far_back,
            "writerMs": self.writer,
        })
    }

    /// For people.
    pub fn text(&self) -> String {
        let Measured { forward, back: [mean, most], far_back, writer } = self;
        format!(
            "a group of 64 lanes, {STEPS} steps forward: {forward:.0} ms\none step back: {mean:.2} ms in the mean, {most:.2} ms at most\n\
             all steps back at once: {far_back:.2} ms\nwho wrote a register at the beginning: {writer:.0} ms"
        )
    }
}

fn milliseconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}

fn session() -> Session {
    let program = text::parse(PROGRAM).unwrap_or_else(|errors| panic!("the program assembles: {errors:?}")).program;
    let mut memory = Space::default();
    let base = memory.append(1 << 16).expect("memory for a small output");
    let mut job = Job::new(&program, Domain::of_size(8, 8).expect("a size"), &memory);
    let (tiling, format) = (Tiling::Linear, Format::Float32_4);
    job.outputs[0] = Some(Surface { base, pitch: 8, height: 8, tiling, superfine: false, format });
    let options = RunOptions { group_width: 64, ..RunOptions::default() };
    debug::session(&job, &options, debug::listing(&program), (3, 3)).expect("a session over a legal job")
}

/// Measures.
pub fn measure() -> Measured {
    let mut session = session();
    let start = Instant::now();
    session.go_to(Position { group: 0, step: STEPS }).expect("the program has more steps");
    let forward = milliseconds(start);
    let mut back = Vec::new();
    for n in 0..TRIES {
        session.go_to(Position { group: 0, step: STEPS - n * 37 }).expect("known steps");
        let start = Instant::now();
        let reason = session.step(StepKind::Instruction, Direction::Back);
        back.push(milliseconds(start));
        assert_eq!(reason, StopReason::Step);
    }
    let register = find_cell(session.guest().cells(), "temp[1].r").expect("the program has it");
    let start = Instant::now();
    let write = session.last_write(&WriteTarget::cell(register)).expect("near");
    let writer = milliseconds(start);
    assert!(write.is_some());
    session.go_to(Position { group: 0, step: STEPS }).expect("known steps");
    let start = Instant::now();
    session.go_to(Position { group: 0, step: 0 }).expect("known steps");
    let far_back = milliseconds(start);
    let most = back.iter().copied().fold(0.0, f64::max);
    Measured { forward, back: [back.iter().sum::<f64>() / TRIES as f64, most], far_back, writer }
}
