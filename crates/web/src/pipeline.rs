//! Pipelines of SM50, and what they draw.

use ctm_engine::Executor;
use ctm_lane::budget::Limits;
use ctm_lane::run::RunOptions;
use ctm_sm50::Stage;
use ctm_sm50::attributes::POSITION;
use ctm_sm50::launch::Shader;
use ctm_sm50::pipeline::{Capture, Draw, DrawError, Levels, Primitive, Spacing, TessDomain, Tessellation, Wireframe};
use serde::Deserialize;
use thiserror::Error;

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
    #[error("there is no {what} '{name}'")]
    Unknown {
        /// What it was to be.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// The draw did not complete.
    #[error(transparent)]
    Draw(#[from] DrawError),
}

/// Draws with the stages of a pipeline, and gives what there is to be seen.
///
/// # Errors
/// [`PipelineError`].
pub fn draw(
    stages: &[ctm_sm50::Program],
    settings: &DrawSettings,
    executor: &Executor,
    limits: &Limits,
) -> Result<Wireframe, PipelineError> {
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
    let drawn = draw.run(executor, &options)?;
    let (records, _) = drawn.words.as_chunks::<4>();
    let positions: Vec<[f32; 4]> = records.iter().map(|record| record.map(f32::from_bits)).collect();
    Ok(Wireframe::new(drawn.shape, &positions))
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
