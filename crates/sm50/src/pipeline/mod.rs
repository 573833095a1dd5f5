//! Draws: vertices through all programs of a pipeline to captured records.
//!
//! A draw goes through in batches of primitives, so that memory does not grow with the draw. In a batch the vertex program
//! runs for each vertex once; then come tessellation initialisation, the tessellator, and the tessellation program, if there
//! are any; then the geometry program; and what comes out is captured as transform feedback captures it: primitive by
//! primitive, each a separate point, line or triangle. With a [`FragmentStage`] it also becomes pixels.

/// An enumeration whose values have names; the first is the default.
macro_rules! named {
    ($(#[$of:meta])* $name:ident: $($(#[$doc:meta])* $variant:ident $text:literal),+ $(,)?) => {
        $(#[$of])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum $name {
            #[default]
            $($(#[$doc])* $variant),+
        }

        impl $name {
            /// All of them.
            pub const ALL: &[$name] = &[$($name::$variant),+];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text),+ }
            }
        }
    };
}

mod assembled;
mod batch;
mod capture;
mod feed;
mod gather;
mod origins;
mod packing;
mod primitive;
mod raster;
mod stages;
mod state;
mod strips;
mod tessellate;
mod wireframe;

pub use assembled::{Assembled, Outline, Receiver};
pub use batch::{Pipeline, StageCounts};
pub use capture::{Capture, Drawn};
pub use feed::VertexArray;
pub use gather::{BatchMemory, Vertex, VertexFeed, VertexRow};
pub use origins::{FollowError, Maker, Origins};
pub use primitive::{MAX_PATCH_VERTICES, Primitive, Provoking, Shape};
pub use raster::{
    ColourTarget, Cull, DepthTarget, Fragment, FragmentCounts, FragmentStage, Fragments, FrontFace, RasterState,
    Targets, Viewport,
};
pub use raster::{clip, inputs};
pub use stages::Stages;
pub use state::PipelineState;
pub use tessellate::{Levels, Mesh, Spacing, TessDomain, Tessellation, tessellate};
pub use wireframe::Wireframe;

use crate::attributes::{NoMemory, WORDS};
use crate::header::{Stage, Topology};
use crate::launch::{DEFAULT_STEP_LIMIT, Environment, LaunchReport, Shader, StageRunner, Stop};
use capture::Captured;
use ctm_lane::budget::Halt;
use ctm_lane::run::RunOptions;
use feed::{ArrayFeed, Counted};
use raster::Rasteriser;
use thiserror::Error;

/// Vertices that a geometry lane may emit at most.
pub const MAX_OUTPUT_VERTICES: u32 = 1024;

/// A draw: the programs, the state that their headers do not hold, and what of the result is kept.
#[derive(Clone, Debug)]
pub struct Draw<'a> {
    /// The vertex program.
    pub vertex: Shader<'a>,
    /// The tessellation initialisation program (OpenGL: tessellation control).
    pub tess_init: Option<Shader<'a>>,
    /// The tessellation program (OpenGL: tessellation evaluation).
    pub tessellation: Option<Shader<'a>>,
    /// The geometry program.
    pub geometry: Option<Shader<'a>>,
    /// What the vertices are drawn as.
    pub primitive: Primitive,
    /// Vertices of a patch.
    pub patch_vertices: u32,
    /// Number of the first vertex.
    pub first: u32,
    /// How many vertices are drawn.
    pub vertices: u32,
    /// How often.
    pub instances: u32,
    /// State of the tessellator.
    pub tessellator: Tessellation,
    /// Levels of patches that no tessellation initialisation program sets.
    pub levels: Levels,
    /// Points to evaluate in every patch, instead of those of the tessellator.
    pub domain_points: Option<&'a [[f32; 2]]>,
    /// Vertex attributes.
    pub arrays: &'a [VertexArray],
    /// What is captured of each vertex.
    pub capture: &'a [Capture],
    /// The stream of a geometry program that is captured.
    pub stream: u8,
    /// Constants, memory, mode.
    pub environment: Environment<'a>,
}

impl<'a> Draw<'a> {
    /// A draw of `vertices` points by a vertex program, with nothing captured.
    pub fn new(vertex: Shader<'a>, vertices: u32) -> Self {
        Draw {
            vertex,
            tess_init: None,
            tessellation: None,
            geometry: None,
            primitive: Primitive::Points,
            patch_vertices: 3,
            first: 0,
            vertices,
            instances: 1,
            tessellator: Tessellation::default(),
            levels: Levels::default(),
            domain_points: None,
            arrays: &[],
            capture: &[],
            stream: 0,
            environment: Environment::default(),
        }
    }

    /// Runs the draw. Primitives come out in the order in which they go in, instance by instance. The progress that the options
    /// ask for counts them. Instructions are not counted one by one.
    ///
    /// # Errors
    /// If the programs and the state do not fit together, a program traps, the run is cancelled, or its budget or the host's
    /// memory is used up. The budget is that of the whole draw.
    pub fn run(&self, executor: &dyn StageRunner, options: &RunOptions) -> Result<Drawn, DrawError> {
        let mut captured = Captured::new(self.check()?, self.capture);
        let report = self.hand_on(&mut captured, executor, options)?;
        Ok(captured.finish(report))
    }

    /// Runs the draw, as [`run`](Self::run) does, and hands on the fragments of what comes out.
    ///
    /// # Errors
    /// As there; also if the program is not one of fragments.
    pub fn rasterise(
        &self,
        stage: &FragmentStage,
        fragments: &mut dyn Fragments,
        executor: &dyn StageRunner,
        options: &RunOptions,
    ) -> Result<Drawn, DrawError> {
        let shape = self.check()?;
        require_stage(stage.shader, Stage::Pixel)?;
        let mut rasteriser = Rasteriser::new(stage, fragments, Captured::new(shape, self.capture));
        let report = self.hand_on(&mut rasteriser, executor, options)?;
        Ok(rasteriser.captured.finish(report))
    }

    /// Runs the draw, and hands its primitives to a rasteriser. What is captured is the receiver's affair. Gives what the launches of all
    /// stages did, those of the receiver among them.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn hand_on(
        &self,
        receiver: &mut dyn Receiver,
        executor: &dyn StageRunner,
        options: &RunOptions,
    ) -> Result<LaunchReport, DrawError> {
        let state = self.state();
        let feed = ArrayFeed { arrays: self.arrays, first: self.first };
        let mut memory = BatchMemory::default();
        let mut pipeline = Pipeline::new(&state, (&feed, receiver), (executor, options), &mut memory)?;
        let primitives = u64::from(self.primitive.count(self.vertices, self.patch_vertices));
        for instance in 0..if primitives == 0 { 0 } else { self.instances } {
            pipeline.expect(u64::from(instance) * primitives, u64::from(self.instances) * primitives);
            pipeline.add(&Counted { count: self.vertices, instance }, 0)?;
            pipeline.flush()?;
        }
        Ok(pipeline.finish()?.0)
    }

    /// What of the draw is the same for all of its vertices.
    fn state(&self) -> PipelineState<'_> {
        PipelineState {
            tess_init: self.tess_init,
            tessellation: self.tessellation,
            geometry: self.geometry,
            primitive: self.primitive,
            patch_vertices: self.patch_vertices,
            tessellator: self.tessellator,
            levels: self.levels,
            domain_points: self.domain_points,
            streams: 1 << (self.stream & 3),
            ..PipelineState::new(self.vertex, &self.environment)
        }
    }

    /// Options with the step limit that real programs never reach.
    pub fn options() -> RunOptions<'a> {
        RunOptions { step_limit: DEFAULT_STEP_LIMIT, ..RunOptions::default() }
    }

    /// What comes out of the draw, if everything fits together.
    fn check(&self) -> Result<Shape, DrawError> {
        for capture in self.capture {
            let end = u64::from(capture.address) + 4 * u64::from(capture.words);
            if !capture.address.is_multiple_of(4) || end > 4 * WORDS as u64 {
                return Err(DrawError::Capture(*capture));
            }
        }
        if self.stream > 3 {
            return Err(DrawError::Stream(self.stream));
        }
        self.state().check()
    }
}

fn require_stage(shader: Shader, expected: Stage) -> Result<(), DrawError> {
    let found = shader.stage();
    if found == expected { Ok(()) } else { Err(DrawError::WrongStage { expected, found }) }
}

/// Lanes that a program has for each input primitive. Geometry programs that name none have one.
fn threads(shader: &Shader) -> u32 {
    let least = u32::from(shader.stage() == Stage::Geometry);
    shader.header.map_or(0, |header| u32::from(header.threads_per_input_primitive).max(least))
}

/// Why a draw did not complete.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DrawError {
    /// A program of another stage.
    #[error("the {} program is one for stage {}: give each program by the option of its stage", expected.name(), found.name())]
    WrongStage {
        /// The stage it was given for.
        expected: Stage,
        /// The stage that its header names.
        found: Stage,
    },
    /// A tessellation initialisation program alone.
    #[error("a tessellation control program needs a tessellation evaluation program after it")]
    NoTessellation,
    /// Patches and tessellation go together.
    #[error("drawing {primitive}: patches are drawn by a tessellation evaluation program, and it draws only patches")]
    PatchesAndTessellation {
        /// What is drawn.
        primitive: Primitive,
    },
    /// Patches of no vertices, or of too many.
    #[error("patches of {0} vertices: a patch has 1 to 32")]
    PatchVertices(u32),
    /// A header with no threads for a primitive, or with more than a warp has.
    #[error("the {} program's header asks for {threads} threads for each primitive: it can have 1 to 32", stage.name())]
    Threads {
        /// The stage.
        stage: Stage,
        /// How many threads.
        threads: u32,
    },
    /// A header that lets a geometry program emit nothing, or too much.
    #[error("the geometry program's header says that it emits up to {0} vertices: that can be 1 to 1024")]
    OutputVertices(u32),
    /// A geometry header with an unknown output.
    #[error("the geometry program's header has output topology {}: known are 1 (points), 6 (line strips), 7 (triangle strips)", _0.name())]
    Topology(Topology),
    /// A stream that is not there.
    #[error("stream {0} cannot be captured: streams are 0 to 3")]
    Stream(u8),
    /// A capture outside the attribute space.
    #[error(
        "{words} words from attribute address {address:#05x} cannot be captured: addresses are multiples of 4, and end at 0x400",
        words = _0.words, address = _0.address
    )]
    Capture(Capture),
    /// A program trapped, or the run was ended from outside.
    #[error(transparent)]
    Stop(#[from] Stop),
    /// The host has no memory left.
    #[error(transparent)]
    NoMemory(#[from] NoMemory),
}

impl From<Halt> for DrawError {
    fn from(halt: Halt) -> Self {
        Stop::from(halt).into()
    }
}

impl Tessellation {
    /// What the tessellator makes.
    pub const fn shape(&self) -> Shape {
        match self.domain {
            _ if self.point_mode => Shape::Point,
            TessDomain::Isolines => Shape::Line,
            TessDomain::Triangles | TessDomain::Quads => Shape::Triangle,
        }
    }
}
