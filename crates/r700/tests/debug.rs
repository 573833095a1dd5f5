//! Debugger sessions over an R700 program: forward as the reference runs, back to where they were, who wrote what.

use ctm_debug::{Direction, Position, Session, StopReason, WriteTarget, find_cell};
use ctm_lane::domain::Domain;
use ctm_lane::run::RunOptions;
use ctm_memory::{Buffer, Format, Space, Surface, Tiling};
use ctm_r700::{Input, Job, Program, debug, reference, text};

const SIDE: u32 = 8;

fn program() -> Program {
    let source = include_str!("../../../examples/newton.r700");
    text::parse(source).unwrap_or_else(|errors| panic!("{errors:#?}")).program
}

/// Space for the output, and a job with it.
fn with_job<R>(body: impl FnOnce(&Job, &RunOptions, u32) -> R) -> R {
    let (program, mut memory) = (program(), Space::default());
    let base = memory.append(1 << 16).expect("memory");
    let mut job = Job::new(&program, Domain::of_size(SIDE, SIDE).expect("a domain"), &memory);
    let surface = Surface {
        base,
        pitch: SIDE,
        height: SIDE,
        tiling: Tiling::Linear,
        superfine: false,
        format: Format::Float32_4,
    };
    job.targets.colours[0] = Some(surface);
    job.inputs.insert(0, Input::PositionFrom([200, 170]));
    let options = RunOptions { group_width: 16, ..RunOptions::default() };
    body(&job, &options, base)
}

fn session(job: &Job, options: &RunOptions, lane: (u32, u32)) -> Session {
    debug::session(job, options, debug::listing(job.program, None), lane).expect("a session")
}

fn words(memory: &Space, base: u32) -> Vec<u32> {
    let buffer = Buffer::new(memory, base, SIDE * SIDE * 16).expect("mapped");
    (0..SIDE * SIDE * 4).map(|n| buffer.load(4 * n)).collect()
}

/// Everything that the lanes of the group hold, and where it is.
fn moment(session: &Session) -> (Option<u32>, Vec<u32>) {
    let guest = session.guest();
    let lanes = 0..guest.lanes().len();
    let cells = lanes.flat_map(|lane| (0..guest.cells().len()).map(move |cell| (lane, cell)));
    (guest.place().map(|place| place.at.pc), cells.map(|(lane, cell)| guest.read(lane, cell)).collect())
}

#[test]
fn a_session_goes_where_the_reference_goes() {
    with_job(|job, options, base| {
        let lanes = (0..SIDE).flat_map(|j| (0..SIDE).map(move |i| (i, j)));
        let found: Vec<u32> = lanes
            .flat_map(|(i, j)| {
                let mut session = session(job, options, (i, j));
                assert_eq!(session.run(Direction::Forward), StopReason::End);
                let first = (4 * (j * SIDE + i)) as usize;
                words(session.guest().memory(), base)[first..first + 4].to_vec()
            })
            .collect();
        assert!(words(job.memory, base).iter().all(|&word| word == 0), "sessions have memory of their own");
        reference::run(job, options).expect("the program runs");
        assert_eq!(found, words(job.memory, base));
        assert!(found.iter().any(|&word| word != 0));
    });
}

#[test]
fn moments_are_the_same_in_both_directions() {
    with_job(|job, options, base| {
        let mut session = session(job, options, (5, 3));
        let group = session.position().group;
        let mut moments = Vec::new();
        let mut step = 0;
        loop {
            session.go_to(Position { group, step }).expect("a step");
            moments.push((moment(&session), words(session.guest().memory(), base)));
            if session.guest().place().is_none() {
                break;
            }
            step += 1;
        }
        assert!(moments.len() > 60, "{}", moments.len());
        let rows = session.guest().listing();
        assert!(moments.iter().any(|((pc, _), _)| *pc != moments[0].0.0), "it goes on");
        assert!(rows.rows.is_sorted_by_key(|row| row.place));
        let mut at = 1usize;
        for _ in 0..300 {
            at = at.wrapping_mul(0x5851_F42D).wrapping_add(12_345) % moments.len();
            session.go_to(Position { group, step: at as u64 }).expect("a step");
            assert_eq!((moment(&session), words(session.guest().memory(), base)), moments[at], "step {at}");
        }
    });
}

#[test]
fn who_wrote_a_register_is_known() {
    with_job(|job, options, _| {
        let mut session = session(job, options, (2, 2));
        assert!(matches!(session.run(Direction::Forward), StopReason::End));
        let cell = find_cell(session.guest().cells(), "R1.w").expect("a register");
        let lane = session.lane_number((2, 2)).expect("a lane");
        let value = session.guest().read(lane, cell);
        let write = session.last_write(&WriteTarget::cell(cell)).expect("it is found").expect("it was written");
        let place = write.place.expect("an instruction");
        let row = session.guest().listing().row(place).expect("an instruction");
        assert!(session.guest().listing().rows[row].text.contains("R1.w"), "{:?}", session.guest().listing().rows[row]);
        assert_ne!(value, 0);
    });
}
