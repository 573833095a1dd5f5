//! A draw as differentials check it and filetests hold it.

use ctm_lane::run::RunOptions;
use ctm_sm50::launch::{Environment, Mode, Shader, StageRunner};
use ctm_sm50::pipeline::{Capture, Draw, DrawError, Drawn, Primitive, Tessellation, VertexArray};
use ctm_sm50::{Program, Stage};

/// Input words of a vertex, from attribute 0x80 on.
pub const INPUTS: u32 = 16;
/// Constant banks and their words, if there are inputs: the first ones of these.
pub const BANKS: [(u8, usize); 5] = [(0, 1120), (1, 3), (3, 5), (5, 17), (6, 64)];

/// Programs of a pipeline, and what they run on.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// The programs, in the order of the pipeline; their headers say what stages they are for.
    pub programs: Vec<Program>,
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
    /// What is captured of each vertex.
    pub capture: Vec<Capture>,
    /// The input words of the vertices, one vertex after the other, which constant banks are full of too; nothing if the
    /// programs have neither.
    pub inputs: Vec<u32>,
    /// What accesses outside of memory do.
    pub mode: Mode,
    /// Instructions that a warp may execute.
    pub step_limit: u64,
}

impl Draft {
    /// A draw of so many points with nothing captured and no inputs.
    pub fn new(programs: Vec<Program>, vertices: u32) -> Self {
        Draft {
            programs,
            primitive: Primitive::Points,
            patch_vertices: 3,
            first: 0,
            vertices,
            instances: 1,
            tessellator: Tessellation::default(),
            capture: Vec::new(),
            inputs: Vec::new(),
            mode: Mode::default(),
            step_limit: 4000,
        }
    }

    /// The program of a stage.
    pub fn shader(&self, stage: Stage) -> Option<Shader<'_>> {
        self.programs.iter().map(Shader::from).find(|shader| shader.stage() == stage)
    }

    /// Runs the draw.
    ///
    /// # Errors
    /// What it comes to, if not to its end.
    ///
    /// # Panics
    /// There is no vertex program.
    pub fn run(&self, executor: &dyn StageRunner) -> Result<Drawn, DrawError> {
        let words = INPUTS as usize;
        let array = |array: usize| VertexArray {
            address: 0x80 + 16 * array as u32,
            components: 4,
            values: self.inputs.chunks(words).flat_map(|vertex| vertex[4 * array..4 * array + 4].to_vec()).collect(),
        };
        let arrays: Vec<VertexArray> = (0..if self.inputs.is_empty() { 0 } else { words / 4 }).map(array).collect();
        let mut environment = Environment { mode: self.mode, ..Environment::default() };
        for (bank, words) in BANKS.iter().filter(|_| !self.inputs.is_empty()) {
            environment.constants.set_bank(*bank, self.inputs[..*words.min(&self.inputs.len())].to_vec());
        }
        let draw = Draw {
            tess_init: self.shader(Stage::TessellationInit),
            tessellation: self.shader(Stage::Tessellation),
            geometry: self.shader(Stage::Geometry),
            primitive: self.primitive,
            patch_vertices: self.patch_vertices,
            first: self.first,
            instances: self.instances,
            tessellator: self.tessellator,
            arrays: &arrays,
            capture: &self.capture,
            environment,
            ..Draw::new(self.shader(Stage::Vertex).expect("a vertex program"), self.vertices)
        };
        draw.run(executor, &RunOptions { step_limit: self.step_limit, ..crate::untimed() })
    }
}
