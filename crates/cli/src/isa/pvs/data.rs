//! The vertices of a run: arrays into inputs, outputs into arrays.

use crate::files;
use crate::host::Host;
use crate::options::values::{Extent, InputSource};
use crate::options::{Generator, RunArgs};
use crate::report::Message;
use crate::run::{Memory, once_each, output_files, require_inputs};
use crate::wording::number_of;
use crate::{Console, Failure};
use ctm_array::{Array, FileSpec};
use ctm_memory::Buffer;
use ctm_pvs::lift::Layout;
use ctm_pvs::reference::Constants;
use ctm_pvs::{CONSTANTS, INPUTS, Job, OUTPUTS, Program};
use std::collections::{BTreeMap, BTreeSet};

/// Components of a vector.
const COMPONENTS: usize = 4;
/// What components are that an array lacks, as in vertex arrays: 0, 0, 0, 1.
const DEFAULT: [u32; COMPONENTS] = [0, 0, 0, 0x3F80_0000];

/// The memory of a run.
pub struct Data {
    /// What inputs and outputs lie in.
    pub memory: Memory,
    /// The vectors of each vertex.
    pub layout: Layout,
    /// Number of vertices.
    pub vertices: u32,
    /// Where the vectors of vertices begin: those that they bring, and those that they get.
    places: [u32; 2],
    /// Outputs that files receive: the place among a vertex's outputs, and where its array begins.
    kept: Vec<(usize, u32)>,
}

impl Data {
    /// Reads the inputs, makes memory for the outputs, and makes sure that their files can be written.
    pub fn prepare(args: &RunArgs, program: &Program, console: &mut Console) -> Result<Self, Failure> {
        let Layout { inputs: read, outputs: written } = Layout::of(program);
        let inputs = args.numbered_inputs();
        let given = once_each("input", &inputs, INPUTS)?;
        let files = output_files(args, OUTPUTS)?;
        report_differences((&read, &written), &given, &files, console)?;

        let mut arrays = BTreeMap::new();
        for (&number, source) in &given {
            match source {
                InputSource::File(file) => _ = arrays.insert(number, vectors(console.host, number, file)?),
                InputSource::Made(_) => {}
                InputSource::Output(_) => {
                    let message = format!("input {number} cannot be an output: vertices see no others");
                    return Err(Failure::Usage(Message::error(message).help("run twice, with a file in between")));
                }
            }
        }
        let vertices = vertices(args.domain, &arrays)?;
        let mut made = |number, generator: Generator| {
            let Extent { width, height } = args.domain.unwrap_or(Extent { width: vertices, height: 1 });
            let array = generator.array(width, height);
            arrays.insert(number, rows(&array).unwrap_or_default());
        };
        for (&number, source) in &given {
            if let InputSource::Made(generator) = source {
                made(number, *generator);
            }
        }

        // What programs compute the numbers of is there, too, if it is given or wanted.
        let union = |named: Vec<u8>, more: &mut dyn Iterator<Item = u8>| -> Vec<u8> {
            named.into_iter().chain(more).collect::<BTreeSet<u8>>().into_iter().collect()
        };
        let layout = Layout {
            inputs: union(read, &mut given.keys().copied()),
            outputs: union(written, &mut files.keys().copied()),
        };
        let mut memory = Memory::new(args, console.host);
        length(&layout.inputs, vertices)?;
        let inputs = memory.add_bytes(&interleaved(&layout.inputs, &arrays, vertices))?;
        let outputs = memory.add_bytes(&vec![0; length(&layout.outputs, vertices)? as usize])?;
        let mut kept = Vec::new();
        for (place, number) in layout.outputs.iter().enumerate() {
            let file = files.get(number).copied();
            if file.is_some() || args.execution.recorder.is_some() {
                let name = format!("output {number}");
                kept.push((place, memory.add_rows(console.host, name, file, vertices, COMPONENTS as u32)?));
            }
        }
        Ok(Data { memory, layout, vertices, places: [inputs, outputs], kept })
    }

    /// A run with these constants.
    pub fn job<'a>(
        &'a self,
        program: &'a Program,
        constants: &'a [[u32; COMPONENTS]; CONSTANTS],
    ) -> Result<Job<'a>, Failure> {
        let buffer = |numbers: &[u8], place: usize| -> Result<_, Failure> {
            let length = length(numbers, self.vertices)?;
            Buffer::new(&self.memory.space, self.places[place], length)
                .map_err(|error| Message::error(error.to_string()).into())
        };
        Ok(Job {
            program,
            constants: Constants { memory: constants, base: 0 },
            layout: &self.layout,
            vertices: self.vertices,
            inputs: buffer(&self.layout.inputs, 0)?,
            outputs: buffer(&self.layout.outputs, 1)?,
            memory: &self.memory.space,
        })
    }

    /// Puts the vectors of each output that a file receives one after another.
    pub fn gather(&self, outputs: Buffer) {
        let count = self.layout.outputs.len();
        for &(place, base) in &self.kept {
            let rows = Buffer::new(&self.memory.space, base, 16 * self.vertices).expect("the rows were allocated");
            for vertex in 0..self.vertices {
                for component in (0..16).step_by(4) {
                    let from = (vertex * count as u32 + place as u32) * 16 + component;
                    rows.store(16 * vertex + component, outputs.load(from));
                }
            }
        }
    }
}

/// Bytes of these vectors of all vertices.
fn length(numbers: &[u8], vertices: u32) -> Result<u32, Failure> {
    u32::try_from(u64::from(vertices) * numbers.len() as u64 * 16).map_err(|_| {
        let message = format!("the vectors of {vertices} vertices need more memory than there is");
        Message::error(message).help("the device addresses 4 GiB; run fewer vertices at a time").into()
    })
}

/// How many vertices there are: as many as the domain has places, else as the arrays have vectors.
fn vertices(domain: Option<Extent>, arrays: &BTreeMap<u8, Vec<[u32; COMPONENTS]>>) -> Result<u32, Failure> {
    let usage = |message: String, help: &str| Err(Failure::Usage(Message::error(message).help(help)));
    let wanted = domain.map(|Extent { width, height }| width as usize * height as usize);
    let Some(count) = wanted.or_else(|| arrays.values().next().map(Vec::len)) else {
        return usage("nothing says how many vertices there are".into(), "--domain 36x1 gives 36 vertices");
    };
    for (number, array) in arrays {
        if array.len() < count || wanted.is_none() && array.len() != count {
            let message = format!("input {number} has {}, and there are {count}", number_of(array.len(), "vector"));
            return usage(message, "a row of an array is a vertex; --domain Nx1 runs the first N");
        }
    }
    match u32::try_from(count) {
        Ok(count) if count > 0 => Ok(count),
        _ => usage(format!("there cannot be {count} vertices"), "--domain 36x1 gives 36 vertices"),
    }
}

/// The vectors that a file holds.
fn vectors(host: &dyn Host, number: u8, file: &str) -> Result<Vec<[u32; COMPONENTS]>, Failure> {
    let spec = FileSpec::parse(file).map_err(|error| Message::error(error.to_string()))?;
    let array = files::read(host, &spec).map_err(Message::from)?;
    rows(&array).ok_or_else(|| {
        let message =
            format!("input {number} ('{}') holds no vectors: its shape is {}", spec.path.display(), array.shape);
        Message::error(message)
            .help("a vertex is a row of an array of N x 1 to 4, or an element of H x W x 1 to 4")
            .into()
    })
}

/// The vectors of an array: its rows if it has one channel, else its elements.
fn rows(array: &Array) -> Option<Vec<[u32; COMPONENTS]>> {
    let components = if array.shape.channels == 1 { array.shape.width } else { array.shape.channels };
    let vector = |row: &[u32]| std::array::from_fn(|n| row.get(n).copied().unwrap_or(DEFAULT[n]));
    (components <= COMPONENTS).then(|| array.data.to_f32().chunks(components.max(1)).map(vector).collect())
}

/// The inputs of vertex 0, of vertex 1, and so on. Inputs that nothing is given for are as components that an array lacks.
fn interleaved(inputs: &[u8], arrays: &BTreeMap<u8, Vec<[u32; COMPONENTS]>>, vertices: u32) -> Vec<u8> {
    let vector = |number: &u8, vertex: usize| arrays.get(number).map_or(DEFAULT, |array| array[vertex]);
    let vectors = (0..vertices as usize).flat_map(|vertex| inputs.iter().map(move |number| vector(number, vertex)));
    vectors.flatten().flat_map(u32::to_le_bytes).collect()
}

/// Compares what the program reads and writes with what the command line gives. A missing input is an error.
fn report_differences(
    (read, written): (&[u8], &[u8]),
    given: &BTreeMap<u8, &InputSource>,
    files: &BTreeMap<u8, &FileSpec>,
    console: &mut Console,
) -> Result<(), Failure> {
    require_inputs(read, given, console)?;
    for (number, file) in files.iter().filter(|(number, _)| !written.contains(number)) {
        let file = file.path.display();
        let message = format!("the program does not write output {number}; '{file}' receives 0, 0, 0, 1");
        console.report(&Message::warning(message));
    }
    Ok(())
}
