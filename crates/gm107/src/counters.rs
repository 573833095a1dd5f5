//! What queries ask for: counters that run with draws (decision D333).

/// Streams of primitives that a geometry program can make.
pub const STREAMS: usize = 4;

/// The counters of a channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Samples that survived every test, since the last reset.
    pub samples: u64,
    /// Primitives that transform feedback has written, by streams.
    pub written: [u64; STREAMS],
    /// Primitives that it was to write.
    pub needed: [u64; STREAMS],
    /// Primitives that came out of the last stage.
    pub generated: [u64; STREAMS],
    /// What programs and primitives there were.
    pub statistics: Statistics,
}

/// What pipeline statistics count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Vertices of draws.
    pub vertices: u64,
    /// Primitives of draws.
    pub primitives: u64,
    /// Vertices that the vertex program ran for.
    pub vertex_programs: u64,
    /// Patches that a tessellation control program ran for.
    pub patches: u64,
    /// Vertices that the tessellation evaluation program ran for.
    pub tessellation_programs: u64,
    /// Primitives that the geometry program ran for.
    pub geometry_programs: u64,
    /// Primitives that it made.
    pub geometry_primitives: u64,
    /// Primitives that came to clipping.
    pub clipped: u64,
    /// Primitives that clipping and culling by planes have left.
    pub clipping_left: u64,
    /// Pixels that the fragment program ran for, without those that help others.
    pub fragment_programs: u64,
}
