//! Vertex programs of PVS.

use crate::{Engine, Error, Program, ProgramUse};
use ctm_lane::run::RunStats;
use ctm_memory::{Buffer, Space};
use ctm_pvs::lift::Layout;
use ctm_pvs::reference::Constants;
use ctm_pvs::{CONSTANTS, INPUTS, Job};
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of a vector.
const VECTOR: u32 = 16;

/// A vertex program of PVS over vertices, with the vectors that these bring.
///
/// ```
/// use ctm_gpu::{Engine, Machine, Program, Vertices};
/// let double = Program::assemble(Machine::Pvs, "out[0].xyzw = VE_ADD input[0] input[0] ;")?;
/// let given = Vertices::new(double, 2)?.input(0, &[[1.0, 2.0, 3.0, 1.0], [0.5; 4]])?.run(&Engine::fastest())?;
/// assert_eq!(given.outputs[&0], [[2.0, 4.0, 6.0, 2.0], [1.0; 4]]);
/// # Ok::<(), ctm_gpu::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Vertices {
    program: ctm_pvs::Program,
    count: u32,
    inputs: BTreeMap<u8, Vec<[f32; 4]>>,
    constants: BTreeMap<u8, [f32; 4]>,
}

/// What vertices get.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct VertexOutputs {
    /// The vectors of each output that the program writes: one for each vertex.
    pub outputs: BTreeMap<u8, Vec<[f32; 4]>>,
    /// What the run did.
    pub stats: RunStats,
}

impl Vertices {
    /// So many vertices.
    ///
    /// # Errors
    /// The program is one of another machine, or its check finds errors.
    pub fn new(program: Program, count: u32) -> Result<Self, Error> {
        program.require_no_errors()?;
        match program {
            Program::Pvs(program) => {
                Ok(Vertices { program, count, inputs: BTreeMap::new(), constants: BTreeMap::new() })
            }
            Program::X1k(_) | Program::R700(_) | Program::Sm50(_) => {
                Err(Error::Machine { machine: program.machine(), wanted: ProgramUse::Vertices })
            }
        }
    }

    /// The vectors of an input, one for each vertex. Inputs that nobody gives are (0, 0, 0, 1).
    ///
    /// # Errors
    /// There are more or fewer, or there is no such input.
    pub fn input(mut self, number: u8, vectors: &[[f32; 4]]) -> Result<Self, Error> {
        if usize::from(number) >= INPUTS {
            return Err(Error::Number { what: "input", number, limit: INPUTS });
        }
        if vectors.len() != self.count as usize {
            return Err(Error::Vertices { input: number, expected: self.count, found: vectors.len() });
        }
        self.inputs.insert(number, vectors.to_vec());
        Ok(self)
    }

    /// The value of a constant, instead of the one that the program carries. Constants without a value are 0.
    pub fn constant(mut self, number: u8, value: [f32; 4]) -> Self {
        self.constants.insert(number, value);
        self
    }

    /// Runs the program for all vertices.
    ///
    /// # Errors
    /// A vertex traps, or a limit of the engine is reached.
    pub fn run(&self, engine: &Engine) -> Result<VertexOutputs, Error> {
        let Layout { inputs, outputs } = Layout::of(&self.program);
        // What programs compute the numbers of is there, too, if it is given.
        let inputs: BTreeSet<u8> = inputs.into_iter().chain(self.inputs.keys().copied()).collect();
        let layout = Layout { inputs: inputs.into_iter().collect(), outputs };
        let mut space = Space::default();
        let [read, written] = [self.place(&layout.inputs, &mut space)?, self.place(&layout.outputs, &mut space)?];
        let (read, written) = (Buffer::new(&space, read.0, read.1)?, Buffer::new(&space, written.0, written.1)?);
        for vertex in 0..self.count as usize {
            for (place, number) in layout.inputs.iter().enumerate() {
                let vector = self.inputs.get(number).map_or([0.0, 0.0, 0.0, 1.0], |vectors| vectors[vertex]);
                let at = (vertex * layout.inputs.len() + place) as u32 * VECTOR;
                for (component, at) in vector.into_iter().zip((at..).step_by(4)) {
                    read.store(at, component.to_bits());
                }
            }
        }
        let mut constants = [[0; 4]; CONSTANTS];
        self.program.constants.iter().for_each(|(&number, &value)| constants[usize::from(number)] = value);
        for (&number, value) in &self.constants {
            constants[usize::from(number)] = value.map(f32::to_bits);
        }
        let job = Job {
            program: &self.program,
            constants: Constants { memory: &constants, base: 0 },
            layout: &layout,
            vertices: self.count,
            inputs: read,
            outputs: written,
            memory: &space,
        };
        let stats = engine.run(&job)?;
        let count = layout.outputs.len();
        let vector = |vertex: u32, place: usize| {
            let at = (vertex as usize * count + place) as u32 * VECTOR;
            std::array::from_fn(|component| f32::from_bits(written.load(at + 4 * component as u32)))
        };
        let vectors = |place: usize| (0..self.count).map(|vertex| vector(vertex, place)).collect();
        let outputs = layout.outputs.iter().enumerate().map(|(place, &number)| (number, vectors(place))).collect();
        Ok(VertexOutputs { outputs, stats })
    }

    /// Memory for these vectors of all vertices: where it begins, and its bytes.
    fn place(&self, numbers: &[u8], space: &mut Space) -> Result<(u32, u32), Error> {
        let bytes = u64::from(self.count) * numbers.len() as u64 * u64::from(VECTOR);
        let bytes = u32::try_from(bytes).map_err(|_| Error::TooManyVertices { vertices: self.count })?;
        Ok((space.append(bytes.max(1).into())?, bytes))
    }
}
