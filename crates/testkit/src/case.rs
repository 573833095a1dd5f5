//! Programs of a real driver, in folders: `program.u32`, `constants.f32`, `meta.json`, and for corpus cases the pictures
//! `expected0.f32` and so on, which another implementation made.

use crate::buffers::Buffers;
use ctm_memory::{Format, Surface, Tiling};
use ctm_x1k::{
    ConstantValues, Domain, Instruction, IntConstant, Job, Program, ProgramInfo, References, Words, WriteMode,
};
use serde_json::Value;
use std::path::Path;

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
    /// The results that it must give, if they are known: per output, four channels per pair, row by row.
    pub expected: Vec<Vec<f32>>,
    tolerance: (f32, f32),
    tolerant_fraction: f64,
}

/// An input: RGBA floats.
#[derive(Debug)]
pub struct Texture {
    /// Number of the input.
    pub unit: usize,
    /// Name of the file with the data.
    pub file: String,
    /// Elements in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

fn bytes(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn dwords(path: &Path) -> Vec<u32> {
    bytes(path).as_chunks().0.iter().map(|&chunk| u32::from_le_bytes(chunk)).collect()
}

/// The floats of a little-endian file.
pub fn floats(path: &Path) -> Vec<f32> {
    dwords(path).into_iter().map(f32::from_bits).collect()
}

fn dword(text: &Value) -> u32 {
    let text = text.as_str().expect("a dword as text");
    u32::from_str_radix(text.trim_start_matches("0x"), 16).expect("a dword")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], |list| list)
}

fn number(value: &Value) -> u32 {
    u32::try_from(value.as_u64().expect("a number")).expect("a number of 32 bits")
}

impl Case {
    /// Reads the folder.
    pub fn load(folder: &Path) -> Self {
        let meta: Value = serde_json::from_slice(&bytes(&folder.join("meta.json"))).expect("meta.json");
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
        let domain = &meta["domain"];
        let expected = (0..number(&meta["outputs"])).map(|output| folder.join(format!("expected{output}.f32")));
        let float = |value: &Value| value.as_f64().unwrap_or(0.0) as f32;
        Case {
            name: meta["name"].as_str().expect("name").to_owned(),
            program: Program { references: References::of(&code, &info), code, info, constants },
            domain: Domain {
                i0: number(&domain["i0"]),
                j0: number(&domain["j0"]),
                i1: number(&domain["i1"]),
                j1: number(&domain["j1"]),
            },
            textures: list(&meta["textures"])
                .iter()
                .map(|texture| Texture {
                    unit: number(&texture["unit"]) as usize,
                    file: texture["file"].as_str().expect("file").to_owned(),
                    width: number(&texture["w"]),
                    height: number(&texture["h"]),
                })
                .collect(),
            initial_output: float(&meta["initial_output"]).to_bits(),
            expected: expected.filter(|path| path.exists()).map(|path| floats(&path)).collect(),
            tolerance: (float(&meta["tolerance"]["abs"]), float(&meta["tolerance"]["rel"])),
            tolerant_fraction: meta["tolerant_fraction"].as_f64().unwrap_or(0.0),
        }
    }

    /// Inputs and outputs in memory; `texture` gives the floats of an input.
    pub fn environment(&self, tiling: Tiling, texture: impl Fn(&Texture) -> Vec<f32>) -> Environment {
        let mut buffers = Buffers::new(1 << 26);
        let mut inputs = [None; ctm_x1k::INPUTS];
        for input in &self.textures {
            let surface = buffers.allocate(input.width, input.height, Format::Float32_4, tiling);
            // The clamped edge of an input is its pitch.
            assert_eq!(surface.pitch, input.width, "{}: input {} needs padding", self.name, input.unit);
            let data = texture(input);
            buffers.fill(&surface, input.width, |x, y| pixel(&data, (y * input.width + x) as usize).map(f32::to_bits));
            inputs[input.unit] = Some(surface);
        }
        let (width, height) = (self.domain.i1 + 1, self.domain.j1 + 1);
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
        for (output, expected) in self.expected.iter().enumerate() {
            let Some(surface) = &environment.outputs[output] else {
                return Err(format!("{}: output {output} is never written", self.name));
            };
            let Domain { i0, j0, i1, j1 } = self.domain;
            let mut failures = Vec::new();
            for (n, (j, i)) in (j0..=j1).flat_map(|j| (i0..=i1).map(move |i| (j, i))).enumerate() {
                let got = environment.buffers.read(surface, i, j).map(f32::from_bits);
                let wanted = pixel(expected, n);
                if !got.iter().zip(&wanted).all(|(&got, &wanted)| self.matches(got, wanted)) {
                    failures.push(format!("output {output} at ({i}, {j}): {got:?} instead of {wanted:?}"));
                }
            }
            if failures.len() as f64 > self.tolerant_fraction * self.domain.lanes() as f64 {
                return Err(format!("{}: {} pairs are wrong, first {}", self.name, failures.len(), failures[0]));
            }
        }
        Ok(())
    }

    fn matches(&self, got: f32, wanted: f32) -> bool {
        let (absolute, relative) = self.tolerance;
        (got - wanted).abs() <= absolute + relative * wanted.abs()
    }
}

fn pixel(data: &[f32], n: usize) -> [f32; 4] {
    data[n * 4..][..4].try_into().expect("four channels")
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
