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
    /// What programs and primitives there were.
    pub statistics: Statistics,
}

/// What pipeline statistics count (decision D230).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Pixels that the pixel program ran for, without those that help others.
    pub pixel_programs: u64,
    /// Points, lines and triangles that clipping has left.
    pub clipping_left: u64,
    /// Primitives that were clipped.
    pub clipped: u64,
    /// Vertices that the first program ran for.
    pub vertex_programs: u64,
    /// Primitives that the geometry program ran for.
    pub geometry_programs: u64,
    /// Primitives that it made.
    pub geometry_primitives: u64,
    /// Primitives of draws.
    pub primitives: u64,
    /// Vertices of draws.
    pub vertices: u64,
}

impl Statistics {
    /// In the order in which they are stored.
    fn stored(&self) -> [u64; 8] {
        [
            self.pixel_programs,
            self.clipping_left,
            self.clipped,
            self.vertex_programs,
            self.geometry_programs,
            self.geometry_primitives,
            self.primitives,
            self.vertices,
        ]
    }
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
        self.statistics.stored()
    }

    /// Counts what a draw did.
    pub fn add(&mut self, draw: &Statistics) {
        if self.stopped {
            return;
        }
        let all = &mut self.statistics;
        all.pixel_programs += draw.pixel_programs;
        all.clipping_left += draw.clipping_left;
        all.clipped += draw.clipped;
        all.vertex_programs += draw.vertex_programs;
        all.geometry_programs += draw.geometry_programs;
        all.geometry_primitives += draw.geometry_primitives;
        all.primitives += draw.primitives;
        all.vertices += draw.vertices;
    }
}
