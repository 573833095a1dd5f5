//! Random environments for R700 programs: everything that a job may have beside its program, all of it in one small piece
//! of memory.

use crate::r700::directive::WRAPS;
use crate::r700::generate::element_format;
use crate::random::Random;
use ctm_lane::domain::{Domain, Lanes};
use ctm_memory::{Arena, BASE_ALIGNMENT, Format, Space, Surface, Tiling};
use ctm_r700::*;

const BASE: u32 = 0x2000_0000;
const BYTES: u32 = 1 << 19;
/// Contents of memory that there are.
const IMAGES: u64 = 4;
/// Floats in memory before they repeat: no multiple of a row.
const FLOATS: u32 = 4099;
/// Bytes between one thing and the next, so that writes beyond an end are seen.
const GAP: u32 = 256;

/// Columns and rows of targets.
pub const SIDE: u32 = 48;

/// Memory whose contents are the same before every run of a job.
#[derive(Debug)]
pub struct Memory {
    space: Space,
    /// Contents that jobs choose from.
    images: Vec<Vec<u8>>,
    chosen: usize,
    next: u32,
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

impl Memory {
    /// Memory full of floats of every kind.
    pub fn new() -> Self {
        let mut space = Space::default();
        space.map(Arena::new(BASE, BYTES).expect("an arena")).expect("an empty space takes an arena");
        let image = |seed| {
            let mut data = Random::new(seed);
            let floats: Vec<u8> = (0..FLOATS).flat_map(|_| data.float().to_le_bytes()).collect();
            floats.into_iter().cycle().take(BYTES as usize).collect()
        };
        Memory { space, images: (0..IMAGES).map(image).collect(), chosen: 0, next: BASE }
    }

    /// Forgets what is in it, for another job.
    pub fn start(&mut self, random: &mut Random) {
        self.choose(random.below(self.images.len()));
    }

    /// The same with the contents of this number, and all of memory is the job's.
    ///
    /// # Errors
    /// There are no such contents.
    pub fn start_with(&mut self, image: usize) -> Result<(), String> {
        if image >= self.images.len() {
            return Err(format!("memory has contents 0 to {}", self.images.len() - 1));
        }
        self.choose(image);
        self.next = BASE + BYTES - BASE_ALIGNMENT - GAP;
        Ok(())
    }

    /// The number of what is in it.
    pub fn image(&self) -> usize {
        self.chosen
    }

    /// The same with the contents of this number.
    fn choose(&mut self, image: usize) {
        self.chosen = image;
        self.next = BASE;
        self.space.write_bytes(BASE, &self.images[image]).expect("mapped memory");
    }

    /// The memory.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Bytes from the first on that are compared, a gap after all that the job has; then there are those of the last block.
    fn used(&self) -> usize {
        (self.next - BASE + GAP) as usize
    }

    /// Puts everything back.
    pub fn reset(&self) {
        let image = &self.images[self.chosen];
        let last = (BYTES - BASE_ALIGNMENT) as usize;
        self.space.write_bytes(BASE, &image[..self.used()]).expect("mapped memory");
        self.space.write_bytes(BASE + last as u32, &image[last..]).expect("mapped memory");
    }

    /// The first address of a job's rest of memory, which runs must leave alone, that does not hold what it held before.
    /// All of memory is then as it was before.
    pub fn stray_write(&self) -> Option<u32> {
        let image = &self.images[self.chosen];
        let rest = self.used()..(BYTES - BASE_ALIGNMENT) as usize;
        let mut bytes = vec![0; rest.len()];
        self.space.read_bytes(BASE + rest.start as u32, &mut bytes).expect("mapped memory");
        let at = bytes.iter().zip(&image[rest.clone()]).position(|(found, expected)| found != expected)?;
        self.space.write_bytes(BASE, image).expect("mapped memory");
        Some(BASE + (rest.start + at) as u32)
    }

    /// All that a job may write.
    pub fn contents(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.used() + BASE_ALIGNMENT as usize];
        let (used, last) = bytes.split_at_mut(self.used());
        self.space.read_bytes(BASE, used).expect("mapped memory");
        self.space.read_bytes(BASE + BYTES - BASE_ALIGNMENT, last).expect("mapped memory");
        bytes
    }

    /// The GPU address of a byte of [`contents`](Self::contents).
    pub fn address_of(&self, at: usize) -> u32 {
        match at.checked_sub(self.used()) {
            None => BASE + at as u32,
            Some(at) => BASE + BYTES - BASE_ALIGNMENT + at as u32,
        }
    }

    fn take(&mut self, bytes: u32) -> u32 {
        let base = self.next;
        self.next += bytes.next_multiple_of(GAP) + GAP;
        assert!(self.next + GAP <= BASE + BYTES - BASE_ALIGNMENT, "the memory is too small");
        base
    }

    /// Counts what ends there as the job's, if it lies in memory that jobs may write.
    pub fn cover(&mut self, end: u64) -> bool {
        let fits = end + u64::from(GAP) <= u64::from(BASE + BYTES - BASE_ALIGNMENT);
        if fits {
            self.next = self.next.max(end as u32);
        }
        fits
    }

    /// So many bytes.
    pub fn region(&mut self, bytes: u32) -> Region {
        Region { base: self.take(bytes), length: bytes }
    }

    /// A surface of at least these sides.
    pub fn surface(&mut self, random: &mut Random, format: Format, width: u32, height: u32) -> Surface {
        let tiling = random.pick(&[Tiling::Linear, Tiling::Linear, Tiling::Tiled]);
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
                tail: random.pick(&[0, 0, 15, 100]),
                beyond: random.pick(&[0, 0, 15, 3]),
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
        let input = match random.below(7) {
            0 => Input::Vertex { first: random.pick(&[0, 7, u32::MAX]), instance: 3 },
            1 => Input::Surface(memory.surface(random, Format::Float32_4, 8, 8)),
            2 => Input::Buffer(memory.region(random.pick(&[1024, 61]))),
            3 => Input::Gradient(gradient(random)),
            4 => Input::Channels(std::array::from_fn(|_| memory.surface(random, Format::Float32_1, 8, 8))),
            _ => Input::Value(std::array::from_fn(|_| random.float())),
        };
        job.inputs.insert(register, input);
    }
    let lanes = job.lanes.count() as u32;
    for colour in &mut job.targets.colours[..3] {
        let format = random.pick(&[Format::Float32_4, Format::Float32_4, Format::Uint8_4, Format::Float32_1]);
        let (width, height) = target_sides(random);
        *colour = (!random.one_in(8)).then(|| memory.surface(random, format, width, height));
    }
    for channels in &mut job.targets.colour_channels[..2] {
        let (width, height) = target_sides(random);
        let mut channel = || memory.surface(random, Format::Float32_1, width, height);
        let surfaces = [channel(), channel(), channel(), channel()];
        *channels = random.one_in(2).then_some(surfaces);
    }
    let (width, height) = target_sides(random);
    let format = random.pick(&[Format::Float32_1, Format::Float32_2, Format::Float32_4]);
    job.targets.depth = random.one_in(2).then(|| memory.surface(random, format, width, height));
    let mut vectors = |memory: &mut Memory| (!random.one_in(4)).then(|| memory.region(lanes * 16));
    job.targets.positions[0] = vectors(memory);
    job.targets.parameters[..2].fill_with(|| vectors(memory));
    job.targets.valid = random.one_in(2).then(|| memory.region(lanes * 4));
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

/// Columns and rows of a target: mostly those of the lanes and more.
fn target_sides(random: &mut Random) -> (u32, u32) {
    match random.one_in(3) {
        true => (random.pick(&[SIDE, 16, 32, 64]), random.pick(&[1, 3, 8])),
        false => (SIDE, 10),
    }
}

fn texture(random: &mut Random, memory: &mut Memory) -> Texture {
    use Dimension::*;
    let dimension = random.pick(&[D1, D2, D2, D2, D2, D3, D1Array, D2Array, Cube]);
    let (x, y, z) = sides(random, dimension);
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
    if random.one_in(2) {
        return vectors(random, memory, Texture { dimension, size, swizzle, ..no_texels() });
    }
    let texture = Texture { dimension, size, swizzle, ..no_texels() };
    let mut surfaces = Vec::new();
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
        surfaces.push(surface);
    }
    Texture { texels: Texels::Surfaces(surfaces), ..texture }
}

/// A texture that has no texels yet.
fn no_texels() -> Texture {
    let nothing = Region::default();
    Texture {
        dimension: Dimension::D2,
        size: [1; 3],
        texels: Texels::Vectors { region: nothing, form: VectorForm::Dwords, levels: 1, samples: 1 },
        numbers: TexelNumbers::Float,
        swizzle: [Select::X, Select::Y, Select::Z, Select::W],
    }
}

/// A texture of these dimensions whose texels are vectors: with all of its levels or with some, or with several samples.
fn vectors(random: &mut Random, memory: &mut Memory, shape: Texture) -> Texture {
    let numbers =
        random.pick(&[TexelNumbers::Float, TexelNumbers::Float, TexelNumbers::Fraction, TexelNumbers::Integer]);
    let samples = if shape.dimension.axes() == 2 && random.one_in(8) { random.pick(&[2, 4]) } else { 1 };
    let levels = if samples > 1 { 1 } else { random.pick(&[1, 1, 2, 3, 7]) };
    let form = random.pick(&VectorForm::ALL);
    let texels = |region| Texels::Vectors { region, form, levels, samples };
    let empty = Texture { numbers, texels: texels(Region::default()), ..shape };
    let bytes = form.bytes() * empty.level_offsets()[levels];
    // Some texels are in no memory.
    let region = memory.region(if random.one_in(12) { bytes / 2 } else { bytes });
    Texture { texels: texels(region), ..empty }
}

/// A two-dimensional texture of one level with linear rows: what texels are found at depends on nothing but its size.
pub(super) fn plain_texture(random: &mut Random, memory: &mut Memory) -> Texture {
    let (width, height) = random.pick(&[(33, 2), (64, 1), (64, 5), (16, 33), (48, 8), (40, 16), (5, 7), (2, 64)]);
    let format = random.pick(&Format::ALL);
    let surface = Surface { tiling: Tiling::Linear, ..memory.surface(random, format, width, height) };
    // Rows of tiles are at least as long as rows of elements, so that these fit.
    let pitch = width.next_multiple_of(Surface::pitch_granule(Tiling::Linear, format));
    Texture::flat(width, height, Surface { pitch, ..surface })
}

/// Texels on each axis: small sides, and long ones of few texels in all.
fn sides(random: &mut Random, dimension: Dimension) -> (u32, u32, u32) {
    let small = |random: &mut Random| random.pick(&[1, 2, 4, 5, 7]);
    let (x, y, z) = (small(random), small(random), small(random));
    match dimension {
        Dimension::D3 | Dimension::D2Array | Dimension::Cube => (x, y, z),
        Dimension::D1 | Dimension::D1Array => (random.pick(&[x, 33, 64]), 1, z),
        Dimension::D2 => match random.below(3) {
            0 => (x, y, 1),
            1 => (random.pick(&[8, 33, 64]), random.pick(&[1, 2, 3, 8]), 1),
            _ => (random.pick(&[x, 16, 33]), random.pick(&[8, 33]), 1),
        },
    }
}

fn sampler(random: &mut Random) -> Sampler {
    use Compare::*;
    let filter = random.pick(&[Filter::Nearest, Filter::Linear]);
    let other = random.pick(&[filter, Filter::Nearest, Filter::Linear]);
    Sampler {
        magnification: filter,
        minification: other,
        mip: random.pick(&[MipFilter::None, MipFilter::Nearest, MipFilter::Nearest, MipFilter::Linear]),
        wrap: std::array::from_fn(|_| random.pick(&WRAPS)),
        border: std::array::from_fn(|_| random.float()),
        compare: random.pick(&[Never, Less, Equal, LessEqual, Greater, NotEqual, GreaterEqual, Always]),
        least_level: random.pick(&[0, 0, 0, 40, 200]),
        greatest_level: random.pick(&[1023, 1023, 90, 0]),
        bias: random.pick(&[0, 0, 31, -100]),
        seamless: random.one_in(2),
    }
}

/// A gradient of any components.
fn gradient(random: &mut Random) -> Gradient {
    let number = |random: &mut Random| match random.below(8) {
        0 => f64::from(f32::from_bits(random.float())).to_bits(),
        1 => random.pick(&[0, 1 << 63, f64::NAN.to_bits(), f64::MAX.to_bits(), 1]),
        _ => f64::from(f32::from_bits(random.number())).to_bits(),
    };
    let plane = |random: &mut Random| LinearPlane { value: number(random), dx: number(random), dy: number(random) };
    let component = |random: &mut Random| match random.below(4) {
        0 => Component::Value(random.float()),
        1 => Component::Column(random.float()),
        2 => Component::Row(random.float()),
        _ => Component::Plane(plane(random)),
    };
    Gradient {
        first: random.pick(&[[0, 0], [3, 0], [64, 1000], [5000, 8191]]),
        offset: [number(random), number(random)],
        divisor: random.one_in(2).then(|| plane(random)),
        components: std::array::from_fn(|_| component(random)),
    }
}
