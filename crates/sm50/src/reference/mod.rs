//! The scalar reference: the rules of the machine as plain code over decoded instructions, one warp at a time. It is the
//! judge of every other executor.
//!
//! An instruction executes lane by lane, in ascending order, and in each lane reads all its operands before it writes. So a
//! store that several lanes make to one place leaves the value of the highest one (decision: one of them wins, and the
//! machine does not say which).

mod arithmetic;
mod attribute;
mod bits;
mod compare;
mod conversion;
mod exchange;
mod flow;
mod memory;
mod operand;
mod special;
mod warp;

use crate::launch::{Executor, Launch, Outcome, Stop};
use ctm_lane::run::RunOptions;
use std::sync::atomic::Ordering::Relaxed;
use warp::Warp;

/// The reference as an executor. It uses one thread, and of the options the step limit, the progress report and the cancel
/// flag.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reference;

impl Executor for Reference {
    fn run(&self, launch: &Launch, options: &RunOptions) -> Result<Outcome, Stop> {
        let mut warp = Warp::new(launch, options);
        let warps = launch.invocations.warps();
        for number in 0..warps {
            if options.cancel.is_some_and(|cancel| cancel.load(Relaxed)) {
                return Err(Stop::Cancelled);
            }
            warp.run(number)?;
            if let Some(progress) = options.progress {
                progress(u64::from(number) + 1, u64::from(warps));
            }
        }
        Ok(warp.finish())
    }
}
