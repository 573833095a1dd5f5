//! A job with everything that it names bound to memory; shared by all workers.

use super::control::Image;
use crate::cf::Qword;
use crate::gradient::Gradient;
use crate::job::{Bindings, Input, Items, Job, KCACHE_BANKS, Memories, VECTOR_BYTES};
use crate::program::ProgramInfo;
use crate::resource::{Region, Texels, Texture, VectorForm};
use crate::target::{PARAMETERS, POSITIONS};
use ctm_memory::{Bounds, Buffer, Space, Surface, View};
use ctm_num::convert::unorm8_to_f32;
use std::collections::BTreeMap;

/// A texture with its texels.
pub(super) struct BoundTexture<'a> {
    pub texture: &'a Texture,
    texels: BoundTexels<'a>,
}

enum BoundTexels<'a> {
    /// A surface for each level.
    Surfaces(Vec<View<'a>>),
    /// Vectors, and how many of them lie before each level.
    Vectors { buffer: Buffer<'a>, form: VectorForm, offsets: Vec<u32> },
}

impl<'a> BoundTexture<'a> {
    fn new(texture: &'a Texture, memory: &'a Space) -> Self {
        let view = |&level: &Surface| View::new(memory, level, Bounds::Drop);
        let texels = match &texture.texels {
            Texels::Surfaces(levels) => BoundTexels::Surfaces(levels.iter().map(view).collect()),
            Texels::Vectors { region, form, .. } => {
                let (buffer, offsets) = (buffer(memory, *region), texture.level_offsets());
                BoundTexels::Vectors { buffer, form: *form, offsets }
            }
        };
        BoundTexture { texture, texels }
    }

    /// A sample of the texel at (x, y) of slice z of a level. All of them are inside of the texture.
    pub fn texel(&self, level: usize, [x, y, z]: [i64; 3], sample: u32) -> [u32; 4] {
        let [width, height, _] = self.texture.level_size(level);
        let row = z * i64::from(height) + y;
        match &self.texels {
            BoundTexels::Surfaces(levels) => levels.get(level).map_or([0; 4], |level| level.load(x, row)),
            BoundTexels::Vectors { buffer, form, offsets } => {
                let texel = row * i64::from(width) + x;
                let first = offsets.get(level).copied().unwrap_or(0);
                let vector = i64::from(first) + texel * i64::from(self.texture.samples()) + i64::from(sample);
                match form {
                    VectorForm::Dwords => {
                        std::array::from_fn(|channel| load_dword(buffer, 4 * vector + channel as i64))
                    }
                    VectorForm::Bytes => load_dword(buffer, vector).to_le_bytes().map(unorm8_to_f32),
                    VectorForm::Scalar => [load_dword(buffer, vector), 0, 0, 0],
                }
            }
        }
    }

    fn views(&self) -> &[View<'a>] {
        match &self.texels {
            BoundTexels::Surfaces(levels) => levels,
            BoundTexels::Vectors { .. } => &[],
        }
    }
}

/// What a stage's instructions name by number.
pub(super) struct Bound<'a> {
    pub constants: &'a [[u32; 4]],
    kcache: [Option<Buffer<'a>>; KCACHE_BANKS],
    textures: BTreeMap<u8, BoundTexture<'a>>,
    pub source: &'a Bindings,
}

impl<'a> Bound<'a> {
    fn new(source: &'a Bindings, memory: &'a Space) -> Self {
        Bound {
            constants: &source.constants,
            kcache: source.kcache.map(|region| region.map(|region| buffer(memory, region))),
            textures: source
                .textures
                .iter()
                .map(|(&number, bound)| (number, BoundTexture::new(bound, memory)))
                .collect(),
            source,
        }
    }

    /// A constant buffer.
    pub fn bank(&self, number: u8) -> Option<&Buffer<'a>> {
        self.kcache.get(usize::from(number))?.as_ref()
    }

    /// A texture resource.
    pub fn texture(&self, number: u8) -> Option<&BoundTexture<'a>> {
        self.textures.get(&number)
    }
}

/// A buffer with an item for every lane.
#[derive(Clone, Copy)]
pub(super) struct BoundItems<'a> {
    buffer: Buffer<'a>,
    item_dwords: u32,
}

impl BoundItems<'_> {
    /// Writes dword `offset` from the start of a lane's item; what is outside of the item, or of the buffer, is dropped.
    pub fn store(&self, lane_number: u32, offset: i64, value: u32) {
        if (0..i64::from(self.item_dwords)).contains(&offset) {
            store_dword(&self.buffer, i64::from(lane_number) * i64::from(self.item_dwords) + offset, value);
        }
    }

    /// Adds an event to a lane's item: dword 0 counts all events, those that fit follow.
    pub fn append(&self, lane_number: u32, event: u32) {
        let count = load_dword(&self.buffer, i64::from(lane_number) * i64::from(self.item_dwords)).wrapping_add(1);
        if count < self.item_dwords {
            self.store(lane_number, count.into(), event);
        }
        store_dword(&self.buffer, i64::from(lane_number) * i64::from(self.item_dwords), count);
    }
}

/// A dword of a buffer by its number; 0 outside.
pub(super) fn load_dword(buffer: &Buffer, dword: i64) -> u32 {
    u32::try_from(dword * 4).map_or(0, |address| buffer.load(address))
}

/// Writes a dword of a buffer; outside, nothing happens.
pub(super) fn store_dword(buffer: &Buffer, dword: i64, value: u32) {
    if let Ok(address) = u32::try_from(dword * 4) {
        buffer.store(address, value);
    }
}

/// What an input is read from.
pub(super) enum BoundInput<'a> {
    Position([u32; 2]),
    Vertex { first: u32, instance: u32 },
    Surface(View<'a>),
    Channels(Box<[View<'a>; 4]>),
    Buffer(Buffer<'a>),
    Value([u32; 4]),
    Gradient(Gradient),
}

/// A job, bound.
pub(super) struct BoundJob<'a> {
    pub job: &'a Job<'a>,
    own: Bound<'a>,
    alternate: Bound<'a>,
    pub inputs: Vec<(usize, BoundInput<'a>)>,
    pub colours: Vec<Option<View<'a>>>,
    pub colour_channels: Vec<Option<[View<'a>; 4]>>,
    pub depth: Option<View<'a>>,
    pub positions: [Option<Buffer<'a>>; POSITIONS],
    pub parameters: [Option<Buffer<'a>>; PARAMETERS],
    pub valid: Option<Buffer<'a>>,
    pub ring: Option<BoundItems<'a>>,
    pub streams: Vec<Option<BoundItems<'a>>>,
    pub reduction: Option<Buffer<'a>>,
    pub export: Option<Buffer<'a>>,
    pub strips: Option<BoundItems<'a>>,
}

/// The job's check has seen that its regions are mapped; one that is not is empty.
fn buffer(memory: &Space, region: Region) -> Buffer<'_> {
    let empty = || Buffer::new(memory, 0, 0).expect("no bytes are in every memory");
    Buffer::new(memory, region.base, region.length).unwrap_or_else(|_| empty())
}

impl<'a> BoundJob<'a> {
    /// Binds a job that has been checked.
    pub fn new(job: &'a Job<'a>) -> Self {
        let memory = job.memory;
        let bind = |region: Option<Region>| region.map(|region| buffer(memory, region));
        let items = |items: Option<Items>| {
            items.map(|Items { region, item_dwords }| BoundItems { buffer: buffer(memory, region), item_dwords })
        };
        let output = |surface: Option<Surface>| surface.map(|surface| View::new(memory, surface, Bounds::Drop));
        let channels = |surfaces: [Surface; 4]| surfaces.map(|surface| View::new(memory, surface, Bounds::Drop));
        let input = |input: &Input| match *input {
            Input::Position => BoundInput::Position([0; 2]),
            Input::PositionFrom(first) => BoundInput::Position(first),
            Input::Vertex { first, instance } => BoundInput::Vertex { first, instance },
            Input::Surface(surface) => BoundInput::Surface(View::new(memory, surface, Bounds::Clamp)),
            Input::Channels(surfaces) => {
                BoundInput::Channels(Box::new(surfaces.map(|surface| View::new(memory, surface, Bounds::Clamp))))
            }
            Input::Buffer(region) => BoundInput::Buffer(buffer(memory, region)),
            Input::Value(value) => BoundInput::Value(value),
            Input::Gradient(gradient) => BoundInput::Gradient(gradient),
        };
        let Memories { ring, streams, reduction, export, strips, .. } = job.memories;
        BoundJob {
            job,
            own: Bound::new(&job.bindings, memory),
            alternate: Bound::new(&job.alternate, memory),
            inputs: job.inputs.iter().map(|(&register, source)| (register.into(), input(source))).collect(),
            colours: job.targets.colours.iter().map(|surface| output(*surface)).collect(),
            colour_channels: job.targets.colour_channels.iter().map(|surfaces| surfaces.map(channels)).collect(),
            depth: output(job.targets.depth),
            positions: job.targets.positions.map(bind),
            parameters: job.targets.parameters.map(bind),
            valid: bind(job.targets.valid),
            ring: items(ring),
            streams: streams.iter().map(|stream| items(*stream)).collect(),
            reduction: bind(reduction),
            export: bind(export),
            strips: items(strips),
        }
    }

    /// Program information; the fetch program runs with that of the program which calls it.
    pub fn info(&self) -> &'a ProgramInfo {
        &self.job.program.info
    }

    /// The qwords of an image.
    pub fn code(&self, image: Image) -> &'a [Qword] {
        match image {
            Image::Main => &self.job.program.code,
            Image::Fetch => self.job.fetch_program.map_or(&[], |program| &program.code),
        }
    }

    /// The resources that an instruction names: those of its own stage, or with ALT_CONST of the other.
    pub fn bindings(&self, alternate: bool) -> &Bound<'a> {
        if alternate { &self.alternate } else { &self.own }
    }

    /// The initial value of a register in the lane at (i, j).
    pub fn input(&self, input: &BoundInput, i: u32, j: u32) -> [u32; 4] {
        match input {
            BoundInput::Position([first_i, first_j]) => {
                let [x, y] =
                    [(i, first_i), (j, first_j)].map(|(place, &first)| (place as f32 + first as f32).to_bits());
                [x, y, 0, 0]
            }
            BoundInput::Vertex { first, instance } => [first.wrapping_add(self.job.lane_number(i, j)), 0, 0, *instance],
            BoundInput::Surface(view) => view.load(i.into(), j.into()),
            BoundInput::Channels(views) => views.each_ref().map(|view| view.load(i.into(), j.into())[0]),
            BoundInput::Buffer(buffer) => {
                let first = i64::from(self.job.lane_number(i, j)) * 4;
                std::array::from_fn(|channel| load_dword(buffer, first + channel as i64))
            }
            BoundInput::Value(value) => *value,
            BoundInput::Gradient(gradient) => gradient.at(i, j),
        }
    }

    /// True if some access left the mapped memory.
    pub fn out_of_range(&self) -> bool {
        let textures = [&self.own, &self.alternate].into_iter().flat_map(|bound| bound.textures.values());
        let levels = textures.flat_map(BoundTexture::views);
        let inputs = self.inputs.iter().flat_map(|(_, input)| match input {
            BoundInput::Surface(view) => std::slice::from_ref(view),
            BoundInput::Channels(views) => &views[..],
            BoundInput::Position(_)
            | BoundInput::Vertex { .. }
            | BoundInput::Buffer(_)
            | BoundInput::Value(_)
            | BoundInput::Gradient(_) => &[],
        });
        let channels = self.colour_channels.iter().flatten().flatten();
        let outputs = self.colours.iter().flatten().chain(channels).chain(&self.depth);
        levels.chain(inputs).chain(outputs).any(View::out_of_range)
    }

    /// Writes channels of a lane's vector in a target of vertices.
    pub fn store_vector(target: &Buffer, lane_number: u32, values: [Option<u32>; 4]) {
        let first = i64::from(lane_number) * i64::from(VECTOR_BYTES / 4);
        for (channel, value) in values.into_iter().enumerate() {
            if let Some(value) = value {
                store_dword(target, first + channel as i64, value);
            }
        }
    }
}
