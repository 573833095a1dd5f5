//! A run needs its surfaces, and little more. The only test of its process, so that nothing else takes memory.
#![cfg(target_os = "linux")]

use ctm_memory::{Format, Tiling};
use ctm_testkit::buffers::Buffers;
use ctm_testkit::{engines, targets};
use ctm_x1k::{Domain, Job, RunOptions};

const SIDE: u32 = 2048;

/// Most memory that the process has had so far, in KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn a_run_takes_at_most_two_bytes_for_a_lane() {
    let mut buffers = Buffers::new(160 << 20);
    let [input, output] = [Tiling::Linear, Tiling::Tiled].map(|tiling| {
        let surface = buffers.allocate(SIDE, SIDE, Format::Float32_4, tiling);
        buffers.fill(&surface, SIDE, |x, y| [x, y, x ^ y, 1]);
        surface
    });
    let program = targets::copy_program();
    let mut job = Job::new(&program, Domain::of_size(SIDE, SIDE).unwrap(), buffers.space());
    (job.inputs[0], job.outputs[0]) = (Some(input), Some(output));
    for engine in engines() {
        buffers.fill(&output, SIDE, |_, _| [0; 4]);
        let before = peak();
        assert!(before > 2 * 16 * u64::from(SIDE * SIDE) / 1024, "the surfaces are in memory");
        let stats = engine.run(&job, &RunOptions::default()).unwrap();
        let taken = peak() - before;
        assert!(taken * 1024 <= 2 * stats.lanes, "{}: {taken} KiB", engine.name());
        assert_eq!(buffers.read(&output, 1001, 77), buffers.read(&input, 1001, 77));
    }
}
