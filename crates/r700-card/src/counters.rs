//! What queries ask for: counters that run with draws.

/// In a counter that was stored: it is there. Drivers wait for this bit.
const STORED: u64 = 1 << 63;

/// The counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Samples that passed depth and stencil tests, since reset.
    pub passed: u64,
    /// Whether the counters below stand: the driver's own draws are not counted.
    pub stopped: bool,
    /// Primitives that streamout was to write.
    pub needed: u64,
    /// Primitives that it has written.
    pub written: u64,
    /// Pixel programs, primitives that clipping gives and gets, vertex programs, geometry programs, primitives of these,
    /// primitives and vertices of draws: in the order in which they are stored.
    pub statistics: [u64; 8],
}

impl Counters {
    /// What `ZPASS_DONE` stores: the count of the only back end.
    pub fn occlusion(&self) -> [u64; 1] {
        [self.passed | STORED]
    }

    /// What `SAMPLE_STREAMOUTSTATS` stores.
    pub fn streamout(&self) -> [u64; 2] {
        [self.needed | STORED, self.written | STORED]
    }

    /// What `SAMPLE_PIPELINESTAT` stores.
    pub fn pipeline(&self) -> [u64; 8] {
        self.statistics
    }
}
