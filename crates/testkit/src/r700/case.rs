//! Pixel shaders of a real driver, in folders: `program.u32`, `meta.json`, and for corpus cases the pictures that another
//! implementation made.

use crate::buffers::Buffers;
use crate::expected::{self, Expected, Texture, dword, dwords, list, number, pixel};
use ctm_lane::domain::Domain;
use ctm_memory::{Format, Surface, Tiling};
use ctm_r700::{COLOURS, FLOW_CONSTANTS, Input, Job, Known, LoopConstant, Program};
use std::path::Path;

/// A program with its environment.
#[derive(Debug)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// The program.
    pub program: Program,
    /// Where it runs.
    pub domain: Domain,
    /// The register that holds the position.
    pub position: Option<u8>,
    /// The textures that it samples.
    pub textures: Vec<Texture>,
    /// The one value of all loop constants.
    pub loop_constant: LoopConstant,
    /// Colour targets that it writes.
    pub outputs: usize,
    /// What they hold before the run.
    pub initial_output: u32,
    /// The results that it must give, if they are known.
    pub expected: Expected,
}

impl Case {
    /// Reads the folder.
    pub fn load(folder: &Path) -> Self {
        let meta = expected::meta(folder);
        let mut program = Program::from_dwords(&dwords(&folder.join("program.u32")));
        program.info.set_resources(dword(&meta["registers"]["SQ_PGM_RESOURCES_PS"]));
        let loop_constant = list(&meta["loop_constants"]).first().map(dword);
        Case {
            name: meta["name"].as_str().expect("name").to_owned(),
            program,
            domain: expected::domain(&meta),
            position: meta["position_register"].as_u64().map(|register| register as u8),
            textures: expected::textures(&meta),
            loop_constant: loop_constant.map(LoopConstant::from_dword).unwrap_or_default(),
            outputs: number(&meta["outputs"]) as usize,
            initial_output: expected::initial_output(&meta),
            expected: Expected::load(folder, &meta),
        }
    }

    /// Textures and colour targets in memory; `texture` gives the floats of a texture.
    pub fn environment(&self, tiling: Tiling, texture: impl Fn(&Texture) -> Vec<f32>) -> Environment {
        let (width, height) = (self.domain.i1 + 1, self.domain.j1 + 1);
        let areas = self.textures.iter().map(|input| input.width * input.height).sum::<u32>()
            + width * height * self.outputs as u32;
        // Rows of tiles and gaps take less than what is added; memory that nothing touches costs nothing.
        let mut buffers = Buffers::new(areas * Format::Float32_4.bytes_per_element() + (1 << 26));
        let mut textures = Vec::new();
        for input in &self.textures {
            let surface = buffers.allocate(input.width, input.height, Format::Float32_4, tiling);
            let data = texture(input);
            buffers.fill(&surface, input.width, |x, y| pixel(&data, (y * input.width + x) as usize).map(f32::to_bits));
            textures.push((input.unit as u8, ctm_r700::Texture::flat(input.width, input.height, surface)));
        }
        let colours = std::array::from_fn(|output| {
            (output < self.outputs).then(|| {
                let surface = buffers.allocate(width, height, Format::Float32_4, tiling);
                buffers.fill(&surface, width, |_, _| [self.initial_output; 4]);
                surface
            })
        });
        Environment { buffers, textures, colours }
    }

    /// Compares the colour targets with the known results, and says what is wrong.
    pub fn compare(&self, environment: &Environment) -> Result<(), String> {
        self.expected.compare(self.domain, |output, i, j| {
            environment.colours[output].map(|surface| environment.buffers.read(&surface, i, j))
        })
    }
}

/// The memory of a case.
#[derive(Debug)]
pub struct Environment {
    buffers: Buffers,
    textures: Vec<(u8, ctm_r700::Texture)>,
    colours: [Option<Surface>; COLOURS],
}

impl Environment {
    /// The elements of the colour targets that the case's domain covers.
    pub fn pixels(&self, case: &Case) -> Vec<[u32; 4]> {
        let Domain { i0, j0, i1, j1 } = case.domain;
        let places = || (j0..=j1).flat_map(|j| (i0..=i1).map(move |i| (i, j)));
        let of_target = |surface| places().map(move |(i, j)| self.buffers.read(surface, i, j));
        self.colours.iter().flatten().flat_map(of_target).collect()
    }

    /// The case as a job.
    pub fn job<'a>(&'a self, case: &'a Case) -> Job<'a> {
        self.job_of(Known::of(&case.program), case)
    }

    /// The same of its program, of which more may be known.
    pub fn job_of<'a>(&'a self, known: Known<'a>, case: &Case) -> Job<'a> {
        let mut job = Job::of(known, case.domain, self.buffers.space());
        job.inputs.extend(case.position.map(|register| (register, Input::Position)));
        job.loops = [case.loop_constant; FLOW_CONSTANTS];
        job.bindings.textures.extend(self.textures.iter().cloned());
        job.targets.colours = self.colours;
        job
    }
}
