//! Limits on steps in machine code.
#![cfg(target_arch = "x86_64")]

use crate::support;

use ctm_engine::{Bindings, Grouping, Kernel, Launch, Runtime, Stop};
use ctm_lane::Function;
use ctm_lane::domain::Lanes;
use ctm_lane::run::RunOptions;
use ctm_memory::{Arena, Buffer, Space};

const BASE: u32 = 0x1000_0000;

/// Groups that are known to be short are not interrupted, and do not exceed a limit that is shorter all the same.
#[test]
fn limits_count_the_steps_of_a_group_without_loops() {
    let text = "buffers 1\nb0:\n%0 = pos_x\n%1 = lane 4\n%2 = imul %0, %1\n%3 = covered\n\
        buffer_store m0, %2, %0, %3\nsteps 4, 7, %3\nreturn";
    for backend in support::backends() {
        let function: Function = text.parse().unwrap_or_else(|error| panic!("{error:?}"));
        let runtime = Runtime::with_backend(Box::new(backend));
        let kernel = Kernel::new(function, Grouping::Independent, &[], None, &runtime);
        assert!(kernel.is_compiled());
        let mut space = Space::default();
        space.map(Arena::new(BASE, 2048).unwrap()).unwrap();
        let run = |step_limit| {
            let buffers = vec![Buffer::new(&space, BASE, 160).unwrap()];
            let bindings = Bindings { surfaces: Vec::new(), tables: Vec::new(), buffers };
            let options = RunOptions { step_limit, group_width: 16, threads: 1, ..RunOptions::default() };
            kernel.run(&Launch { lanes: Lanes::Line(40), bindings, max_steps: None }, &options)
        };
        assert_eq!(run(4).map(|stats| stats.instructions), Ok(160));
        assert_eq!(run(3), Err(Stop::StepLimit { pc: 10, x: 0, y: 0 }));
    }
}
