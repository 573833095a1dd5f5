//! Pipelines of SM50, and what they draw.

use crate::source::ListedInstruction;
use crate::trail::Trail;
use ctm_debug::Session;
use ctm_engine::Executor;
use ctm_lane::budget::Limits;
use ctm_lane::run::RunOptions;
use ctm_sm50::attributes::{NoMemory, POSITION};
use ctm_sm50::debug::{DebugError, LaunchCopy, listing, session};
use ctm_sm50::launch::{LaunchReport, Shader, StageLaunch, StageRunner, Stop};
use ctm_sm50::pipeline::{
    Capture, Draw, DrawError, Drawn, Levels, Primitive, Spacing, TessDomain, Tessellation, Wireframe,
};
use ctm_sm50::reference::Reference;
use ctm_sm50::{Program, Stage};
use serde::{Deserialize, Serialize};
use std::sync::{Mutex, PoisonError};
use thiserror::Error;

/// Launches of a draw that are told apart.
const MOST_LAUNCHES: usize = 1000;

/// What a draw needs beside its programs.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct DrawSettings {
    /// What vertices are drawn as: the name of a [`Primitive`].
    pub primitive: String,
    /// How many there are.
    pub vertices: u32,
    /// Vertices of a patch.
    pub patch_vertices: u32,
    /// What a patch is cut into: the name of a [`TessDomain`].
    pub domain: String,
    /// How edges are cut: the name of a [`Spacing`].
    pub spacing: String,
    /// Levels where no program sets them: four outer, two inner.
    pub levels: [f32; 6],
}

impl Default for DrawSettings {
    fn default() -> Self {
        DrawSettings {
            primitive: Primitive::Triangles.name().to_owned(),
            vertices: 3,
            patch_vertices: 3,
            domain: TessDomain::default().name().to_owned(),
            spacing: Spacing::default().name().to_owned(),
            levels: [1.0; 6],
        }
    }
}

/// Why a pipeline draws nothing.
#[derive(Debug, Error)]
pub enum PipelineError {
    /// No stage is the vertex program.
    #[error("the pipeline has no vertex program: begin one with `.stage vertex`")]
    NoVertex,
    /// A name is none.
    #[error("unknown {what} '{name}'")]
    Unknown {
        /// What it was to be.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// The draw did not complete.
    #[error(transparent)]
    Draw(#[from] DrawError),
    /// There is no such launch.
    #[error("the draw has no launch {0}: it has {1}")]
    NoLaunch(usize, usize),
    /// There is no such invocation.
    #[error("the launch has no invocation {0}: the last one is {1}")]
    NoInvocation(u32, u32),
    /// There is no memory for a copy of a launch.
    #[error(transparent)]
    Copy(#[from] NoMemory),
    /// A launch cannot be looked at.
    #[error(transparent)]
    Debug(#[from] DebugError),
}

/// A launch of a draw: a stage that runs for a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LaunchOf {
    /// The stage, by its place in the text.
    pub stage: usize,
    /// How often it runs.
    pub invocations: u32,
}

/// What is followed: a launch of the draw, and an invocation of it.
type Wanted = (usize, u32);

/// Runs launches as its executor does, and looks at one of them on the way.
struct Watching<'a> {
    executor: &'a Executor,
    stages: &'a [Program],
    listing: &'a [ListedInstruction],
    wanted: Option<Wanted>,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    launches: Vec<LaunchOf>,
    /// The one that is wanted, as it was before it ran.
    copy: Option<Result<LaunchCopy, NoMemory>>,
    trail: Trail,
}

impl StageRunner for Watching<'_> {
    fn run(&self, launch: &StageLaunch, options: &RunOptions) -> Result<LaunchReport, Stop> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let stage = launch.shader.stage();
        let is_of = |program: &Program| program.header.is_some_and(|header| header.stage == stage);
        let stage = self.stages.iter().position(is_of).unwrap_or(0);
        let number = seen.launches.len();
        if number < MOST_LAUNCHES {
            seen.launches.push(LaunchOf { stage, invocations: launch.invocations.count });
        }
        match self.wanted.filter(|&(wanted, _)| wanted == number) {
            Some((_, invocation)) => {
                seen.copy = Some(LaunchCopy::of(launch, 0));
                seen.trail = Trail::new(self.listing, stage);
                Reference.run_observed(launch, options, invocation, &mut seen.trail)
            }
            None => {
                drop(seen);
                self.executor.run(launch, options)
            }
        }
    }
}

/// The launches of a draw, in the order in which they run; at most 1000.
///
/// # Errors
/// [`PipelineError`].
pub fn launches(
    stages: &[Program],
    settings: &DrawSettings,
    executor: &Executor,
    limits: &Limits,
) -> Result<Vec<LaunchOf>, PipelineError> {
    let watching = Watching { executor, stages, listing: &[], wanted: None, seen: Mutex::default() };
    run(stages, settings, &watching, limits)?;
    Ok(watching.seen.into_inner().unwrap_or_else(PoisonError::into_inner).launches)
}

/// Follows an invocation of a launch, and opens a session over its warp. What stops the draw after that is not an error.
///
/// # Errors
/// [`PipelineError`].
pub fn follow(
    stages: &[Program],
    settings: &DrawSettings,
    executor: &Executor,
    limits: &Limits,
    (launch, invocation): Wanted,
    lines: &[ListedInstruction],
) -> Result<(Trail, Session), PipelineError> {
    let wanted = Some((launch, invocation));
    let watching = Watching { executor, stages, listing: lines, wanted, seen: Mutex::default() };
    let drawn = run(stages, settings, &watching, limits);
    let Seen { launches, copy, trail } = watching.seen.into_inner().unwrap_or_else(PoisonError::into_inner);
    let Some(copy) = copy else {
        return Err(drawn.err().unwrap_or(PipelineError::NoLaunch(launch, launches.len())));
    };
    let LaunchOf { stage, invocations } = launches[launch];
    if invocation >= invocations {
        return Err(PipelineError::NoInvocation(invocation, invocations.saturating_sub(1)));
    }
    let listing = listing(&[(&stages[stage]).into()]);
    let session = session(vec![copy?], None, Vec::new(), &Draw::options(), listing, (invocation, 0))?;
    Ok((trail, session))
}

/// Draws with the stages of a pipeline, and gives what there is to be seen.
///
/// # Errors
/// [`PipelineError`].
pub fn draw(
    stages: &[Program],
    settings: &DrawSettings,
    executor: &Executor,
    limits: &Limits,
) -> Result<Wireframe, PipelineError> {
    let drawn = run(stages, settings, executor, limits)?;
    let (records, _) = drawn.words.as_chunks::<4>();
    let positions: Vec<[f32; 4]> = records.iter().map(|record| record.map(f32::from_bits)).collect();
    Ok(Wireframe::new(drawn.shape, &positions))
}

fn run(
    stages: &[Program],
    settings: &DrawSettings,
    runner: &dyn StageRunner,
    limits: &Limits,
) -> Result<Drawn, PipelineError> {
    let stage = |wanted| -> Option<Shader> {
        let program = stages.iter().find(|program| program.header.is_some_and(|header| header.stage == wanted))?;
        Some(program.into())
    };
    let vertex = stage(Stage::Vertex).ok_or(PipelineError::NoVertex)?;
    let [a, b, c, d, e, f] = settings.levels;
    let draw = Draw {
        tess_init: stage(Stage::TessellationInit),
        tessellation: stage(Stage::Tessellation),
        geometry: stage(Stage::Geometry),
        primitive: named("primitive", Primitive::ALL, Primitive::name, &settings.primitive)?,
        patch_vertices: settings.patch_vertices,
        tessellator: Tessellation {
            domain: named("domain of patches", TessDomain::ALL, TessDomain::name, &settings.domain)?,
            spacing: named("spacing", Spacing::ALL, Spacing::name, &settings.spacing)?,
            point_mode: false,
            clockwise: false,
        },
        levels: Levels { outer: [a, b, c, d], inner: [e, f] },
        capture: &[Capture { address: POSITION, words: 4 }],
        ..Draw::new(vertex, settings.vertices)
    };
    let options = RunOptions { threads: 1, budget: limits.start(), ..Draw::options() };
    Ok(draw.run(runner, &options)?)
}

fn named<T: Copy>(
    what: &'static str,
    all: &[T],
    name: fn(T) -> &'static str,
    wanted: &str,
) -> Result<T, PipelineError> {
    let found = all.iter().copied().find(|&one| name(one) == wanted);
    found.ok_or_else(|| PipelineError::Unknown { what, name: wanted.to_owned() })
}
