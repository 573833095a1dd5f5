//! Programs of a real driver, in folders: `program.u32`, `constants.f32`, `meta.json`, and for corpus cases the pictures
//! `expected0.f32` and so on, which another implementation made.

use crate::buffers::Buffers;
use crate::expected::{self, Expected, dword, dwords, list, number, pixel};
use ctm_memory::{Format, Surface, Tiling};
use ctm_x1k::{
    ConstantValues, Domain, Instruction, IntConstant, Job, Program, ProgramInfo, References, Words, WriteMode,
};
use std::path::Path;

pub use crate::expected::Texture;

/// A program with its environment.
#[derive(Debug)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// The program, with its constants.
    pub program: Program,
    /// Where it runs.
    pub domain: Domain,
    /// The inputs that it reads.
    pub textures: Vec<Texture>,
    /// What outputs hold before the run.
    pub initial_output: u32,
    /// The results that it must give, if they are known.
    pub expected: Expected,
}

impl Case {
    /// Reads the folder.
    pub fn load(folder: &Path) -> Self {
        let meta = expected::meta(folder);
        let words = dwords(&folder.join("program.u32"));
        let code: Vec<Instruction> =
            words.as_chunks().0.iter().map(|words: &Words| Instruction::decode(words)).collect();
        let info = ProgramInfo {
            start: number(&meta["start"]) as u16,
            end: number(&meta["end"]) as u16,
            full_flow_control: number(&meta["full_flow_control"]) != 0,
            zero_times_anything: number(&meta["zero_times_anything_is_zero"]) != 0,
            position: meta["position_register"].as_u64().map(|register| register as u8),
            ..ProgramInfo::default()
        };
        assert_eq!(info.write_mode, WriteMode::Cached);
        let mut constants = ConstantValues::default();
        let values = dwords(&folder.join("constants.f32"));
        constants.floats.extend((0..).zip(values.as_chunks().0.iter().copied()));
        let ints = list(&meta["int_constants"]).iter().map(|value| IntConstant::from_dword(dword(value)));
        constants.ints.extend((0..).zip(ints));
        let bools = dword(&meta["bool_constants"]);
        constants.bools.extend((0..32).map(|bit| (bit, bools >> bit & 1 != 0)));
        Case {
            name: meta["name"].as_str().expect("name").to_owned(),
            program: Program { references: References::of(&code, &info), code, info, constants },
            domain: expected::domain(&meta),
            textures: expected::textures(&meta),
            initial_output: expected::initial_output(&meta),
            expected: Expected::load(folder, &meta),
        }
    }

    /// Inputs and outputs in memory; `texture` gives the floats of an input.
    pub fn environment(&self, tiling: Tiling, texture: impl Fn(&Texture) -> Vec<f32>) -> Environment {
        let (width, height) = (self.domain.i1 + 1, self.domain.j1 + 1);
        let areas = self.textures.iter().map(|input| input.width * input.height).sum::<u32>()
            + width * height * self.program.references.outputs.len() as u32;
        // Rows of tiles and gaps take less than what is added; memory that nothing touches costs nothing.
        let mut buffers = Buffers::new(areas * Format::Float32_4.bytes_per_element() + (1 << 26));
        let mut inputs = [None; ctm_x1k::INPUTS];
        for input in &self.textures {
            let surface = buffers.allocate(input.width, input.height, Format::Float32_4, tiling);
            // The clamped edge of an input is its pitch.
            assert_eq!(surface.pitch, input.width, "{}: input {} needs padding", self.name, input.unit);
            let data = texture(input);
            buffers.fill(&surface, input.width, |x, y| pixel(&data, (y * input.width + x) as usize).map(f32::to_bits));
            inputs[input.unit] = Some(surface);
        }
        let outputs = std::array::from_fn(|output| {
            self.program.references.outputs.contains(&(output as u8)).then(|| {
                let surface = buffers.allocate(width, height, Format::Float32_4, tiling);
                buffers.fill(&surface, width, |_, _| [self.initial_output; 4]);
                surface
            })
        });
        Environment { buffers, inputs, outputs }
    }

    /// Compares the outputs with the known results, and says what is wrong.
    pub fn compare(&self, environment: &Environment) -> Result<(), String> {
        self.expected.compare(self.domain, |output, i, j| {
            environment.outputs[output].map(|surface| environment.buffers.read(&surface, i, j))
        })
    }
}

/// The memory of a case.
#[derive(Debug)]
pub struct Environment {
    buffers: Buffers,
    inputs: [Option<Surface>; ctm_x1k::INPUTS],
    outputs: [Option<Surface>; ctm_x1k::OUTPUTS],
}

impl Environment {
    /// The case as a job.
    pub fn job<'a>(&'a self, case: &'a Case) -> Job<'a> {
        let job = Job::new(&case.program, case.domain, self.buffers.space());
        Job { inputs: self.inputs, outputs: self.outputs, ..job }
    }
}
