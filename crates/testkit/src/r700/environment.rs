//! Random environments for R700 programs: everything that a job may have beside its program, all of it in one small piece
//! of memory.

use crate::r700::generate::element_format;
use crate::random::Random;
use ctm_lane::domain::{Domain, Lanes};
use ctm_memory::{Arena, BASE_ALIGNMENT, Format, Space, Surface, Tiling};
use ctm_r700::*;

const BASE: u32 = 0x2000_0000;
const BYTES: u32 = 1 << 19;
/// Floats in memory before they repeat: no multiple of a row.
const FLOATS: u32 = 4099;
/// Bytes between one thing and the next, so that writes beyond an end are seen.
const GAP: u32 = 256;

/// Columns and rows of targets.
pub const SIDE: u32 = 48;

/// Memory whose contents are the same before every run.
#[derive(Debug)]
pub struct Memory {
    space: Space,
    initial: Vec<u8>,
    next: u32,
}

impl Memory {
    /// Memory full of floats of every kind.
    pub fn random(random: &mut Random) -> Self {
        let mut space = Space::default();
        space.map(Arena::new(BASE, BYTES).expect("an arena")).expect("an empty space has room");
        // What fuzzers choose are decisions, not data.
        let mut data = Random::new(random.bits64());
        let floats: Vec<u8> = (0..FLOATS).flat_map(|_| data.float().to_le_bytes()).collect();
        let initial = floats.into_iter().cycle().take(BYTES as usize).collect();
        Memory { space, initial, next: BASE }
    }

    /// The memory.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Puts everything back.
    pub fn reset(&self) {
        self.space.write_bytes(BASE, &self.initial).expect("mapped memory");
    }

    /// All of it.
    pub fn contents(&self) -> Vec<u8> {
        let mut bytes = vec![0; BYTES as usize];
        self.space.read_bytes(BASE, &mut bytes).expect("mapped memory");
        bytes
    }

    fn take(&mut self, bytes: u32) -> u32 {
        let base = self.next;
        self.next += bytes.next_multiple_of(GAP) + GAP;
        assert!(self.next <= BASE + BYTES, "the memory is too small");
        base
    }

    /// So many bytes.
    pub fn region(&mut self, bytes: u32) -> Region {
        Region { base: self.take(bytes), length: bytes }
    }

    /// A surface of at least these sides.
    pub fn surface(&mut self, random: &mut Random, format: Format, width: u32, height: u32) -> Surface {
        let tiling = random.pick(&[Tiling::Linear, Tiling::Tiled]);
        let pitch = width.next_multiple_of(Surface::pitch_granule(tiling, format));
        let mut surface = Surface { base: 0, pitch, height, tiling, superfine: false, format };
        self.next = self.next.next_multiple_of(BASE_ALIGNMENT);
        surface.base = self.take(surface.bytes() as u32);
        surface
    }
}

/// Lanes of every kind: areas that start anywhere, with quads cut by their edges, and lines.
pub fn lanes(random: &mut Random) -> Lanes {
    if random.one_in(4) {
        return Lanes::Line(1 + random.below(90) as u32);
    }
    let (i0, j0) = (random.below(4) as u32, random.below(4) as u32);
    let columns = random.pick(&[3, 10, SIDE as usize - 4]);
    Lanes::Area(Domain { i0, j0, i1: i0 + random.below(columns) as u32, j1: j0 + random.below(6) as u32 })
}

/// Gives the job everything that its program names, and more.
pub fn fill<'a>(random: &mut Random, memory: &mut Memory, job: &mut Job<'a>) {
    let uses = [Some(job.program), job.fetch_program].map(|program| program.map(Uses::of).unwrap_or_default());
    let constants = (0..random.pick(&[256, 256, 7])).map(|_| std::array::from_fn(|_| random.float())).collect();
    job.bindings.constants = constants;
    job.alternate.constants = (0..256).map(|_| [random.float(); 4]).collect();
    let named =
        |of_other: bool| uses.iter().map(move |uses| if of_other { &uses.of_other_stage } else { &uses.of_stage });
    for (bindings, of_other) in [(&mut job.bindings, false), (&mut job.alternate, true)] {
        for bank in named(of_other).flat_map(|named| &named.banks) {
            bindings.kcache[usize::from(*bank)] = Some(memory.region(random.pick(&[1024, 700, 16, 6, 0])));
        }
        for &number in named(of_other).flat_map(|named| &named.textures) {
            bindings.textures.entry(number).or_insert_with(|| texture(random, memory));
        }
        for &number in named(of_other).flat_map(|named| &named.buffers) {
            let buffer = VertexBuffer {
                region: memory.region(random.pick(&[512, 512, 333, 30, 3, 0])),
                stride: random.pick(&[0, 3, 4, 8, 16, 16, 20, 0x8000_0001]),
                format: element_format(random),
                endian_swap: random.pick(&[EndianSwap::None, EndianSwap::In16, EndianSwap::In32]),
            };
            bindings.buffers.insert(number, buffer);
        }
        for number in 0..16 {
            bindings.samplers.insert(number, sampler(random));
        }
    }
    job.bools = std::array::from_fn(|_| random.one_in(2));
    job.quad_derivatives = random.one_in(2);
    job.base_vertex = random.pick(&[0, 1, u32::MAX]);
    job.start_instance = random.pick(&[0, 2]);
    job.semantics = vec![5, 3, 200];
    for register in 1..4 {
        let input = match random.below(5) {
            0 => Input::Vertex { first: random.pick(&[0, 7, u32::MAX]), instance: 3 },
            1 => Input::Surface(memory.surface(random, Format::Float32_4, 8, 8)),
            2 => Input::Buffer(memory.region(random.pick(&[1024, 61]))),
            _ => Input::Value(std::array::from_fn(|_| random.float())),
        };
        job.inputs.insert(register, input);
    }
    let lanes = job.lanes.count() as u32;
    for colour in &mut job.targets.colours[..3] {
        let format = random.pick(&[Format::Float32_4, Format::Float32_4, Format::Uint8_4, Format::Float32_1]);
        *colour = (!random.one_in(8)).then(|| memory.surface(random, format, SIDE, 10));
    }
    job.targets.depth = random.one_in(2).then(|| memory.surface(random, Format::Float32_1, SIDE, 10));
    let mut vectors = |memory: &mut Memory| (!random.one_in(4)).then(|| memory.region(lanes * 16));
    job.targets.positions[0] = vectors(memory);
    job.targets.parameters[..2].fill_with(|| vectors(memory));
    let items = |random: &mut Random, memory: &mut Memory| {
        let item_dwords = random.pick(&[0, 8, 16, 16, 16, 24]);
        let region = memory.region(lanes * item_dwords * 4);
        (!random.one_in(4)).then_some(Items { region, item_dwords })
    };
    job.memories.ring = items(random, memory);
    job.memories.streams[1] = items(random, memory);
    job.memories.strips = items(random, memory);
    job.memories.reduction = random.one_in(2).then(|| memory.region(640));
    job.memories.export = random.one_in(2).then(|| memory.region(640));
    job.memories.scratch_elements = random.pick(&[0, 3, 8]);
}

fn texture(random: &mut Random, memory: &mut Memory) -> Texture {
    use Dimension::*;
    let dimension = random.pick(&[D1, D2, D2, D3, D1Array, D2Array, Cube]);
    let mut side = || random.pick(&[1, 2, 4, 5, 7]);
    let (x, y, z) = (side(), side(), side());
    let size = match dimension {
        D1 => [x, 1, 1],
        D2 => [x, y, 1],
        D3 | D2Array => [x, y, z],
        D1Array => [x, 1, z],
        Cube => [x, x, 6],
    };
    let swizzle = match random.one_in(2) {
        true => [Select::X, Select::Y, Select::Z, Select::W],
        false => std::array::from_fn(|_| random.pick(&Select::ALL[..6])),
    };
    let mut texture = Texture { dimension, size, levels: Vec::new(), swizzle };
    let format = random.pick(&Format::ALL);
    for level in 0..random.pick(&[1, 1, 3]) {
        let [width, height, depth] = texture.level_size(level);
        let mut surface = memory.surface(random, format, width, height * depth);
        match random.below(12) {
            // Some texels are in no surface.
            0 => surface.height = surface.height.div_ceil(2),
            1 => surface.base = BASE + BYTES - BASE_ALIGNMENT,
            _ => {}
        }
        texture.levels.push(surface);
    }
    texture
}

fn sampler(random: &mut Random) -> Sampler {
    use Compare::*;
    Sampler {
        filter: random.pick(&[Filter::Nearest, Filter::Linear]),
        wrap: std::array::from_fn(|_| random.pick(&[Wrap::Repeat, Wrap::Mirror, Wrap::Clamp, Wrap::Border])),
        border: std::array::from_fn(|_| random.float()),
        compare: random.pick(&[Never, Less, Equal, LessEqual, Greater, NotEqual, GreaterEqual, Always]),
    }
}
