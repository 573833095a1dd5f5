//! Random programs with divergence: every vertex goes its own way, as if it were alone.

use ctm_sm50::reference::Reference;
use ctm_testkit::random::Random;
use ctm_testkit::sm50::structured::generate;

/// Three warps, the last one not full.
const VERTICES: u32 = 70;

#[test]
fn vertices_go_their_own_ways() {
    let mut different = 0;
    for seed in 0..200 {
        let program = generate(&mut Random::new(seed));
        let traces = program.run(&Reference, VERTICES).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        for (vertex, trace) in (0..).zip(&traces) {
            assert_eq!(*trace, program.expect(vertex), "vertex {vertex} of seed {seed}");
        }
        different += usize::from(traces.iter().any(|trace| *trace != traces[0]));
    }
    assert!(different > 50, "programs hardly diverge: {different}");
}
