//! Options of a device.

use ctm_codegen::EngineName;
use ctm_lane::budget::Limits;
use ctm_x1k::RunOptions;

/// Address of the first byte of local memory.
pub const LOCAL_BASE: u32 = 0x1000_0000;
/// Address of the first byte of host-visible memory.
pub const HOST_BASE: u32 = 0x8000_0000;
/// Most bytes of local memory: up to the host-visible memory.
pub const MOST_LOCAL_BYTES: u32 = HOST_BASE - LOCAL_BASE;
/// Most bytes of host-visible memory.
pub const MOST_HOST_BYTES: u32 = 0x4000_0000;

/// Options of a device. The default is the device that the C interface opens.
///
/// None but `unfused` and `strict` changes what a correct program within the limits leaves in memory; `deterministic_clock` changes what
/// performance counters count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Bytes of local memory: a multiple of 2048. It takes host memory only where it is written.
    pub local_bytes: u32,
    /// Bytes of host-visible memory: a multiple of 2048, at most [`MOST_HOST_BYTES`].
    pub host_bytes: u32,
    /// What executes programs. All engines give the same results; a device whose engine the host cannot have does not open.
    pub engine: EngineName,
    /// Lanes of a group.
    pub group_width: usize,
    /// Worker threads of one run, at most 1024; 0 is one per core.
    pub threads: usize,
    /// Instructions that a group may execute; one more traps.
    pub step_limit: u64,
    /// What each start of a program may use. One that would use more ends with an error.
    pub limits: Limits,
    /// Multiply-add, dot products and BIAS round twice.
    pub unfused: bool,
    /// Performance counters count executed instructions instead of time.
    pub deterministic_clock: bool,
    /// Caches keep what they hold until a command says otherwise, and missing commands are reported. See
    /// [`Report`](crate::Report).
    pub strict: bool,
}

impl Default for Options {
    fn default() -> Self {
        let run = RunOptions::default();
        Options {
            local_bytes: 0x2000_0000,
            host_bytes: 0x1000_0000,
            engine: EngineName::fastest(),
            group_width: run.group_width,
            threads: run.threads,
            step_limit: run.step_limit,
            limits: Limits::default(),
            unfused: false,
            deterministic_clock: false,
            strict: false,
        }
    }
}
