//! Launches of kernels that belong to no guest: lines of lanes, warps, traps and limits, buffers.

use ctm_engine::{Bindings, Grouping, Kernel, Launch, Runtime, Stop, SurfaceLayout};
use ctm_lane::domain::{Domain, Lanes};
use ctm_lane::run::{RunOptions, RunStats};
use ctm_lane::{Function, evaluate, evaluate_pair, verify};
use ctm_memory::{Arena, Bounds, Buffer, Format, Space, Surface, Tiling};

const BASE: u32 = 0x1000_0000;

fn kernel(text: &str, grouping: Grouping) -> Kernel {
    let function: Function = text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&function).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Kernel::new(function, grouping, &[], None, &Runtime::interpreter())
}

/// Runs a kernel with one buffer over all of the memory, which has `bytes`, and gives its words afterwards.
fn run(kernel: &Kernel, lanes: Lanes, bytes: u32, options: &RunOptions) -> (Result<RunStats, Stop>, Vec<u32>) {
    let mut space = Space::default();
    space.map(Arena::new(BASE, bytes.next_multiple_of(2048)).unwrap()).unwrap();
    let result = run_in(kernel, lanes, &space, bytes, options);
    let arena = space.arena_of(BASE, 1).unwrap();
    (result, (0..bytes / 4).map(|word| arena.read_u32(BASE + 4 * word).unwrap()).collect())
}

fn run_in(kernel: &Kernel, lanes: Lanes, space: &Space, bytes: u32, options: &RunOptions) -> Result<RunStats, Stop> {
    let buffers = vec![Buffer::new(space, BASE, bytes).unwrap()];
    let bindings = Bindings { surfaces: Vec::new(), tables: Vec::new(), buffers };
    kernel.run(&Launch { lanes, bindings, max_steps: None }, options)
}

fn options(group_width: usize, threads: usize) -> RunOptions<'static> {
    RunOptions { group_width, threads, ..RunOptions::default() }
}

/// Every lane writes its number.
const NUMBERS: &str = "buffers 1
b0:
    %0 = pos_x
    %1 = pos_y
    %2 = covered
    %3 = lane 16
    %4 = shl %1, %3
    %5 = or %4, %0
    %6 = lane 4
    %7 = imul %5, %6
    buffer_store m0, %7, %5, %2
    steps 1, 0, %2
    return";

#[test]
fn every_lane_of_a_line_runs_once() {
    let count = 3 * 65_536 + 77;
    for (grouping, threads) in [(Grouping::Independent, 3), (Grouping::Independent, 1), (Grouping::Lockstep(32), 2)] {
        let kernel = kernel(NUMBERS, grouping);
        // Space for more, so that lanes beyond the end would be seen.
        let (stats, words) = run(&kernel, Lanes::Line(count), 4 * count + 400, &options(32, threads));
        let lanes = u64::from(count);
        let groups = lanes.div_ceil(32);
        assert_eq!(stats, Ok(RunStats { lanes, instructions: lanes, groups, out_of_range: false }));
        assert!(words[..count as usize].iter().enumerate().all(|(number, word)| *word == number as u32));
        assert!(words[count as usize..].iter().all(|word| *word == 0));
    }
}

#[test]
fn warps_run_in_lockstep() {
    // Each lane writes to memory, reads what its neighbour wrote, and asks the warp.
    let kernel = kernel(
        "buffers 1
        b0:
            %0 = pos_x
            %1 = covered
            %2 = lane 16
            %3 = imul %0, %2
            buffer_store m0, %3, %0, %1
            %4 = lane 1
            %5 = xor %0, %4
            %6 = imul %5, %2
            %7 = buffer_load m0, %6, %1
            %8 = lane 3
            %9 = and %0, %8
            %10 = lane 0
            %11 = icmp.eq %9, %10
            %12 = mask_and %11, %1
            %13 = ballot %12
            %14 = lane 31
            %15 = isub %14, %0
            %16 = shuffle %0, %15
            %17 = lane 4
            %18 = iadd %3, %17
            buffer_store m0, %18, %7, %1
            %19 = lane 8
            %20 = iadd %3, %19
            buffer_store m0, %20, %13, %1
            %21 = lane 12
            %22 = iadd %3, %21
            buffer_store m0, %22, %16, %1
            return",
        Grouping::Lockstep(32),
    );
    let (stats, words) = run(&kernel, Lanes::Line(70), 16 * 70, &options(7, 2));
    assert_eq!(stats.map(|stats| stats.groups), Ok(3));
    for lane in 0..70u32 {
        let ballot = if lane < 64 { 0x1111_1111 } else { 0x11 };
        let other = lane / 32 * 32 + 31 - lane % 32;
        assert_eq!(words[4 * lane as usize..][..4], [lane, lane ^ 1, ballot, other], "lane {lane}");
    }
}

#[test]
fn traps_are_those_of_the_named_groups() {
    // Lanes at multiples of 50 trap, the others write.
    let text = "buffers 1
        b0:
            %0 = pos_x
            %1 = covered
            %2 = lane 50
            %3 = udiv %0, %2
            %4 = imul %3, %2
            %5 = icmp.eq %4, %0
            %6 = mask_and %5, %1
            %7 = lane 0
            %8 = icmp.ugt %0, %7
            %9 = mask_and %6, %8
            any %9, b1, b2
        b1:
            trap 7, 9, %9
        b2:
            %10 = lane 4
            %11 = imul %0, %10
            %12 = lane 1
            buffer_store m0, %11, %12, %1
            return";
    for threads in [1, 3] {
        let (result, words) = run(&kernel(text, Grouping::Independent), Lanes::Line(1000), 4000, &options(40, threads));
        assert_eq!(result, Err(Stop::Trap { code: 7, pc: 9, x: 50, y: 0 }));
        assert!(words[..40].iter().all(|word| *word == 1), "the group before is complete");
        let (result, _) = run(&kernel(text, Grouping::Independent), Lanes::Line(50), 4000, &options(40, threads));
        assert!(result.is_ok());
    }
}

#[test]
fn limits_count_the_steps_of_a_group() {
    // Lane x goes round x times.
    let kernel = kernel(
        "b0:
            %0 = pos_x
            %1 = covered
            %2 = lane 0
            jump b1(%2, %1)
        b1(%3: lane, %4: mask):
            steps 1, 5, %4
            %5 = lane 1
            %6 = iadd %3, %5
            %7 = icmp.slt %6, %0
            %8 = mask_and %7, %4
            any %8, b1(%6, %8), b2
        b2:
            return",
        Grouping::Independent,
    );
    let limited = |step_limit, threads| RunOptions { step_limit, ..options(16, threads) };
    for threads in [1, 2] {
        let lanes = Lanes::Line(100);
        assert_eq!(run(&kernel, lanes, 4, &limited(99, threads)).0.map(|stats| stats.groups), Ok(7));
        let stop = Stop::StepLimit { pc: 5, x: 41, y: 0 };
        assert_eq!(run(&kernel, lanes, 4, &limited(40, threads)).0, Err(stop), "lane 41 is the first that goes on");
        let area = Lanes::Area(Domain { i0: 0, j0: 0, i1: 30, j1: 1 });
        assert!(run(&kernel, area, 4, &limited(30, threads)).0.is_ok());
        assert!(run(&kernel, area, 4, &limited(29, threads)).0.is_err());
    }
}

/// Groups that are known to be short are not interrupted, and do not exceed a limit that is shorter all the same.
#[test]
fn limits_count_the_steps_of_a_group_without_loops() {
    let kernel = kernel(&NUMBERS.replace("steps 1, 0", "steps 4, 7"), Grouping::Independent);
    let limited = |step_limit| RunOptions { step_limit, ..options(16, 1) };
    let run = |step_limit| run(&kernel, Lanes::Line(40), 160, &limited(step_limit)).0;
    assert_eq!(run(4).map(|stats| stats.instructions), Ok(160));
    assert_eq!(run(3), Err(Stop::StepLimit { pc: 10, x: 0, y: 0 }));
}

/// Operations that have no loops of their own in the interpreter give what their definition gives.
#[test]
fn operations_follow_their_definition() {
    let values = [0, 1, 0x8000_0000, 0x3F80_0000, 0x7F80_0000, 0xFFC0_0001, 0x0000_3C01, 77, u32::MAX, 0x41F0_0000];
    let rows: Vec<[u32; 6]> =
        (0..values.len()).map(|row| std::array::from_fn(|at| values[(row + at * 3) % values.len()])).collect();
    let cases = [
        "fadd_rounded.down %10, %11",
        "fma_rounded.up %10, %11, %12",
        "ftod %10",
        "utod %10",
        "dtof.zero %10, %11",
        "dtou %10, %11",
        "dfma.up %10, %11, %12, %13, %14, %15",
        "ddiv %10, %11, %12, %13",
        "dcmp.ule %10, %11, %12, %13",
        "htof %10",
        "ftoh.down %10",
        "udiv %10, %11",
        "clz %10",
        "bit_reverse %10",
        "popcount %10",
    ];
    for case in cases {
        let loads: String = (0..6u32)
            .map(|at| {
                let offset = at * 4;
                format!(
                    "%{} = lane {offset}\n%{} = iadd %4, %{0}\n%{} = buffer_load m0, %{1}, %1\n",
                    20 + at,
                    30 + at,
                    10 + at
                )
            })
            .collect();
        let is_pair = ["ftod", "utod", "dfma", "ddiv"].iter().any(|name| case.starts_with(name));
        let (results, value) = match case {
            _ if is_pair => ("%40, %41", "%70 = xor %40, %41"),
            _ if case.starts_with("dcmp") => ("%40", "%41 = lane 1\n%42 = lane 0\n%70 = select %40, %41, %42"),
            _ if case.contains("_rounded") => ("%40", "%70 = canon_nan 0x7fc00000, %40"),
            _ => ("%40", "%41 = lane 0\n%70 = or %40, %41"),
        };
        let text = format!(
            "buffers 1\nb0:\n%0 = pos_x\n%1 = covered\n%2 = lane 32\n%4 = imul %0, %2\n{loads}{results} = {case}\n{value}\n\
             %50 = lane 28\n%51 = iadd %4, %50\nbuffer_store m0, %51, %70, %1\nreturn"
        );
        let kernel = kernel(&text, Grouping::Independent);
        let mut space = Space::default();
        space.map(Arena::new(BASE, 2048).unwrap()).unwrap();
        let arena = space.arena_of(BASE, 2048).unwrap();
        for (row, values) in rows.iter().enumerate() {
            for (at, &value) in values.iter().enumerate() {
                arena.write_u32(BASE + 32 * row as u32 + 4 * at as u32, value);
            }
        }
        run_in(&kernel, Lanes::Line(rows.len() as u32), &space, 2048, &options(64, 1)).unwrap();
        let function: Function = text.parse().unwrap();
        let op = function
            .insts(Function::ENTRY)
            .iter()
            .map(|&inst| function.op(inst))
            .find(|op| case.starts_with(op.name()));
        let op = op.unwrap();
        for (row, values) in rows.iter().enumerate() {
            let args = &values[..op.info().operands.len()];
            let expected = match evaluate_pair(op, args) {
                Some([low, high]) => low ^ high,
                None => evaluate(op, args).unwrap(),
            };
            assert_eq!(arena.read_u32(BASE + 32 * row as u32 + 28), Some(expected), "{case} {args:x?}");
        }
    }
}

/// Whether every lane is known to replace its element of a surface, which these lines write to.
fn replaces(lines: &str) -> bool {
    let text = format!(
        "surface s0
        b0:
            %0 = pos_x
            %1 = pos_y
            %2 = covered
            %3 = lane 5
            %4 = icmp.ult %0, %3
            %5 = mask_and %4, %2
            {lines}"
    );
    let function: Function = text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&function).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let (tiling, format) = (Tiling::Linear, Format::Float32_4);
    let surface = Surface { base: 0, pitch: 8, height: 8, tiling, superfine: false, format };
    let layout = SurfaceLayout { surface, bounds: Bounds::Drop, whole: true, aligned: true };
    let kernel = Kernel::new(function, Grouping::Independent, &[layout], None, &Runtime::interpreter());
    kernel.replaces(ctm_lane::Surface::new(0))
}

#[test]
fn kernels_know_what_every_lane_replaces() {
    let store = "surface_store.rgba s0, %0, %1, %3, %3, %3, %3, %2";
    assert!(replaces(&format!("{store}\nreturn")));
    // Other channels, lanes and places; one of two ways.
    for other in [
        "surface_store.rgb s0, %0, %1, %3, %3, %3, %3, %2",
        "surface_store.rgba s0, %0, %1, %3, %3, %3, %3, %5",
        "surface_store.rgba s0, %1, %0, %3, %3, %3, %3, %2",
        "surface_store.rgba s0, %0, %3, %3, %3, %3, %3, %2",
    ] {
        assert!(!replaces(&format!("{other}\nreturn")), "{other}");
    }
    let ways = |one: &str, other: &str| replaces(&format!("any %5, b1, b2\nb1:\n{one}\nreturn\nb2:\n{other}\nreturn"));
    assert!(ways(store, store) && !ways(store, "") && !ways("", store));
}
