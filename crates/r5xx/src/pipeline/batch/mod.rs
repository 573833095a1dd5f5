//! Quads of many primitives on the engine: the fragment program with its texture fetches, and all that comes behind it, are one kernel, which
//! runs over up to [`QUADS`](planes::QUADS) quads of different places at once. What quads bring, with what is in memory at their places, is
//! laid out for it before; what it gives goes to memory behind it.
//!
//! What the kernel can do is a part of what the card can; everything else is left to the pipeline that goes quad by quad. Both give the same
//! bits.

mod lift;
mod merge;
mod planes;

use super::area::{fetches, program_tables, texture_of};
use super::counts::Counts;
use super::fragment::AlphaTest;
use super::interpolate::Routing;
use super::pixels::{Covering, Pixels};
use super::window::{GRID, MAX_DEPTH};
use crate::object::ObjectBytes;
use crate::surface::Surface;
use crate::tx::{AreaTexture, Textures};
use ctm_engine::{Bindings, Compiled, Engine, Grouping, GuestJob, Kernel, Launch, Runtime, SHORT, SurfaceLayout};
use ctm_lane::domain::{Domain, Lanes};
use ctm_memory::{Bounds, Space, View};
use ctm_raster::colour::ColourState;
use ctm_raster::coverage;
use ctm_raster::depth::{DepthStencilState, Facing};
use ctm_raster::row::Row;
use ctm_x1k::fragments::{Fetch, FragmentJob, TextureUnit};
use ctm_x1k::lift::{Lifted, lift_fragments};
use ctm_x1k::{
    Body, Constants, Effects, INPUTS, Instruction, Operand, Program, ProgramInfo, ReadPath, References, RunError,
    RunOptions, WriteMode,
};
use lift::{Lifting, Prefetch};
use planes::{Line, PLANES, PlaneWords, Planes, QUADS, Side};
use std::cell::{RefCell, RefMut};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

/// The plane with what is known of each fragment.
const FLAGS: usize = 0;
/// The plane with the stored depth and stencil.
const DEPTH: usize = 1;
/// The first plane behind these.
const OTHERS: usize = 2;
/// Quads that launches are a multiple of: no vector of any engine is wider.
const MULTIPLE: usize = 32;
/// Quads of draws of a kind from which on kernels draw them.
const MANY: u64 = 1024;
/// Kinds of draws that are counted.
const KINDS: usize = 4096;

/// Bits of the words of plane [`FLAGS`].
struct Flags;

impl Flags {
    /// The fragment's depth, in units of the depth buffer.
    const DEPTH: u32 = 0x00FF_FFFF;
    /// Its primitive shows its back.
    const BACK: u32 = 1 << 24;
    /// There is a depth buffer at its place.
    const EXISTS: u32 = 1 << 25;
    /// It is covered.
    const COVERED: u32 = 1 << 26;

    /// Of results: the word for the depth buffer is to be stored.
    const TESTED: u32 = 1;
    /// Of results: it passed the tests.
    const COUNTED: u32 = 2;
    /// Of results: its colours are to be stored.
    const WRITTEN: u32 = 4;
}

/// What a component of a temporary is at program start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Component {
    /// It is the same for all fragments, or does not matter.
    Constant(u32),
    /// It is in this plane.
    Plane(usize),
}

/// A colour buffer of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct BatchTarget {
    /// The program's output that goes there.
    output: usize,
    /// Which of its channels each channel of the buffer is.
    selects: [usize; 4],
    /// What happens to it on the way.
    state: ColourState,
    /// The planes with the words that are there: none if they do not matter.
    memory: Range<usize>,
    /// The planes of results with the words that are to be stored.
    results: Range<usize>,
}

/// Everything that decides what a kernel does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    code: Vec<Instruction>,
    info: ProgramInfo,
    /// Per channel: no constant is an infinity or a NaN.
    finite: [bool; 4],
    /// The temporaries that are filled.
    presets: Vec<(u8, [Component; 4])>,
    /// Bases of all surfaces are 0.
    textures: Vec<Option<AreaTexture>>,
    texture_layouts: Vec<SurfaceLayout>,
    plane_layouts: [SurfaceLayout; 2],
    /// Depth and stencil are tested before the program runs.
    early: bool,
    depth_stencil: Option<DepthStencilState>,
    /// The depth buffer has 16 bits.
    sixteen_bits: bool,
    /// Depth is the program's W.
    depth_from_program: bool,
    alpha: Option<AlphaTest>,
    targets: Vec<BatchTarget>,
    /// Planes that are read, but for those of texels.
    planes: usize,
}

/// What outlives draws: memory for quads, and what kinds of draws there were.
pub struct Memory {
    planes: Planes,
    marks: Marks,
    /// Quads that were drawn, by the hash of their key.
    drawn: HashMap<u64, u64>,
    /// Quads of draws of a kind from which on kernels draw them.
    many: u64,
}

impl Memory {
    /// New memory; `None` if the host has none.
    pub fn new() -> Option<Self> {
        Some(Memory { planes: Planes::new()?, marks: Marks::default(), drawn: HashMap::new(), many: MANY })
    }

    /// Adds quads to those of this kind, and gives all of them.
    fn count(&mut self, kind: u64, quads: u64) -> u64 {
        if self.drawn.len() >= KINDS {
            self.drawn.clear();
        }
        let drawn = self.drawn.entry(kind).or_default();
        *drawn = drawn.saturating_add(quads);
        *drawn
    }
}

/// The places of quads that wait.
#[derive(Default)]
struct Marks {
    /// By row and column of quads: the round in which one was there last.
    rounds: Vec<u32>,
    columns: usize,
    round: u32,
}

impl Marks {
    /// Forgets all places, of a framebuffer with so many columns and rows of pixels.
    fn begin(&mut self, columns: u32, rows: u32) {
        self.columns = columns.div_ceil(2) as usize;
        self.rounds.resize(self.columns * rows.div_ceil(2) as usize, 0);
        self.next();
    }

    fn next(&mut self) {
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.rounds.fill(0);
            self.round = 1;
        }
    }

    /// Notes the places of neighbouring quads from this one on up to the first that was noted before; gives their number.
    fn insert(&mut self, x: u32, y: u32, quads: usize) -> usize {
        let first = y as usize / 2 * self.columns + x as usize / 2;
        let Some(rounds) = self.rounds.get_mut(first..first + quads) else { return quads };
        let new = rounds.iter().take_while(|&&round| round != self.round).count();
        rounds[..new].fill(self.round);
        new
    }
}

/// What draws have in common whose quads kernels can draw.
pub struct BatchState<'a> {
    program: &'a Program,
    constants: &'a Constants,
    /// Those that kernels fetch from.
    textures: Vec<Option<AreaTexture>>,
    /// What fetches from the others.
    unit: &'a dyn TextureUnit,
    /// The memory that textures lie in.
    space: &'a Space,
    memory: &'a RefCell<Memory>,
    engine: &'a Engine,
    options: &'a RunOptions<'a>,
    presets: Vec<(u8, [Component; 4])>,
    /// The components that are in planes: input and channel.
    components: Vec<(usize, usize)>,
    targets: Vec<BatchTarget>,
    planes: usize,
}

/// The components of temporaries that a program may read, as bits by temporary.
fn read_components(program: &Program) -> [u8; 128] {
    let mut components = [0; 128];
    for instruction in &program.code {
        for read in Effects::of(instruction, WriteMode::default()).reads {
            let channels = match (&instruction.body, read.path) {
                // How many coordinates count is the texture's affair.
                (Body::Tex(tex), ReadPath::Coordinate) => {
                    tex.src.swizzle.iter().fold(0, |channels, &channel| channels | 1 << channel as u8)
                }
                _ => read.channels,
            };
            match read.operand {
                Operand::Temp { index, relative: false } => components[usize::from(index) % 128] |= channels,
                Operand::Temp { relative: true, .. } => return [0xF; 128],
                Operand::Const { .. } | Operand::Inline(_) => {}
            }
        }
    }
    components
}

impl<'a> BatchState<'a> {
    /// Of a draw, if kernels can draw its quads.
    pub fn of(
        job: &FragmentJob<'a>,
        textures: &Textures,
        pixels: &Pixels,
        routings: &[Routing],
        (space, memory): (&'a Space, &'a RefCell<Memory>),
        (engine, options): (&'a Engine, &'a RunOptions<'a>),
    ) -> Option<Self> {
        if !pixels.is_plain() {
            return None;
        }
        let mut units = vec![None; INPUTS];
        let mut used = [false; INPUTS];
        for tex in fetches(job.program) {
            let (number, texture) = (usize::from(tex.id) % INPUTS, texture_of(tex, textures, space));
            // If kernels cannot do one of its fetches, they do none.
            units[number] = if used[number] { units[number].and(texture) } else { texture };
            used[number] = true;
        }
        // What is read or written must not be what is written elsewhere.
        let depth = pixels.depth().map(|(_, surface)| surface);
        let written: Vec<&Surface> = pixels.targets().iter().map(|target| target.surface()).chain(depth).collect();
        let overlaps = |bytes: &ObjectBytes, of: &[&Surface]| of.iter().any(|surface| surface.bytes().overlaps(bytes));
        let aliased = (1..written.len()).any(|n| overlaps(written[n].bytes(), &written[..n]));
        let read = |unit: usize| textures.unit(unit as u8).filter(|_| used[unit]);
        let shared = written.iter().any(|surface| !surface.has_own_places());
        if shared || aliased || (0..INPUTS).filter_map(read).any(|texture| overlaps(texture.bytes(), &written)) {
            return None;
        }
        let mut planes = OTHERS;
        let mut take = |count: usize| {
            planes += count;
            planes - count..planes
        };
        let mut results = OTHERS;
        let mut targets = Vec::new();
        for target in pixels.targets() {
            let state = *target.state();
            if !merge::is_supported(&state) {
                return None;
            }
            let words = state.format().bytes.div_ceil(4) as usize;
            results += words;
            targets.push(BatchTarget {
                output: target.output,
                selects: target.selects(),
                state,
                memory: take(if state.reads_memory() { words } else { 0 }),
                results: results - words..results,
            });
        }
        let read = read_components(job.program);
        let mut components = Vec::new();
        let mut presets = Vec::new();
        for (input, &temporary) in job.presets.iter().enumerate() {
            let component = |channel: usize| {
                let constant = routings[0].constant(input, channel);
                if read[usize::from(temporary) % 128] >> channel & 1 == 0 {
                    return Component::Constant(0);
                }
                if let Some(bits) =
                    constant.filter(|_| routings.iter().all(|other| other.constant(input, channel) == constant))
                {
                    return Component::Constant(bits);
                }
                components.push((input, channel));
                Component::Plane(take(1).start)
            };
            presets.push((temporary, [0, 1, 2, 3].map(component)));
        }
        (planes <= PLANES && results <= PLANES).then_some(BatchState {
            program: job.program,
            constants: job.constants,
            textures: units,
            unit: job.textures,
            space,
            memory,
            engine,
            options,
            presets,
            components,
            targets,
            planes,
        })
    }

    fn key(&self, pixels: &Pixels, planes: &Planes) -> Key {
        let BatchState { program, constants, textures, space, .. } = self;
        let plane = |side, bounds| SurfaceLayout::of(planes.space(), &planes.surface(side), bounds);
        let surfaces = textures.iter().flatten().map(|texture| &texture.surface);
        Key {
            code: program.code.clone(),
            info: program.info,
            finite: std::array::from_fn(|channel| {
                constants.floats.iter().all(|value| f32::from_bits(value[channel]).is_finite())
            }),
            presets: self.presets.clone(),
            textures: textures.iter().map(|texture| texture.map(AreaTexture::at_base_0)).collect(),
            texture_layouts: surfaces.map(|surface| SurfaceLayout::of(space, surface, Bounds::Clamp)).collect(),
            plane_layouts: [plane(Side::Input, Bounds::Clamp), plane(Side::Output, Bounds::Drop)],
            early: pixels.tests_early(),
            depth_stencil: pixels.depth().map(|(depth, _)| *depth.state()),
            sixteen_bits: pixels.depth().is_some_and(|(depth, _)| depth.has_sixteen_bits()),
            depth_from_program: pixels.depth_from_program(),
            alpha: pixels.alpha_test(),
            targets: self.targets.clone(),
            planes: self.planes,
        }
    }
}

/// A kernel, if the program has one.
pub struct BatchKernel {
    kernel: Kernel,
    lifted: Lifted,
    prefetches: Vec<Prefetch>,
}

/// A launch.
struct BatchJob<'a> {
    state: &'a BatchState<'a>,
    key: &'a Key,
    planes: &'a Planes,
    quads: usize,
}

impl GuestJob for BatchJob<'_> {
    type Key = Key;
    type KeyRef<'k>
        = &'k Key
    where
        Self: 'k;
    type Kernels = Option<BatchKernel>;
    /// Whether it ran.
    type Output = bool;
    type Error = RunError;
    type NotCompiled = ();

    fn key(&self) -> Result<&Key, ()> {
        Ok(self.key)
    }

    fn to_owned(key: &Key) -> Key {
        key.clone()
    }

    fn matches(key: &&Key, kept: &Key) -> bool {
        *key == kept
    }

    fn compile(key: &Key, runtime: &Runtime) -> Option<BatchKernel> {
        let program = Program {
            code: key.code.clone(),
            info: key.info,
            references: References { outputs: (0..ctm_x1k::OUTPUTS as u8).collect(), ..References::default() },
            ..Program::default()
        };
        let lifting = Lifting::new(key);
        let mut lifted = lift_fragments(&program, key.finite, &lifting).ok()?;
        let prefetches = lifting.prefetches()?;
        let function = std::mem::take(&mut lifted.function);
        let layouts: Vec<SurfaceLayout> = key.texture_layouts.iter().chain(&key.plane_layouts).copied().collect();
        let kernel = Kernel::new(function, Grouping::Independent, &layouts, Some(SHORT), runtime);
        Some(BatchKernel { kernel, lifted, prefetches })
    }

    fn bytes(kernel: &Option<BatchKernel>) -> usize {
        kernel.as_ref().map_or(0, |kernel| kernel.kernel.bytes())
    }

    fn is_compiled(&self, kernel: &Option<BatchKernel>, _: &RunOptions, _: &Runtime) -> Result<(), ()> {
        kernel.as_ref().filter(|kernel| kernel.kernel.is_compiled()).map(|_| ()).ok_or(())
    }

    fn run(&self, kernel: &Option<BatchKernel>, options: &RunOptions, _: &Runtime) -> Result<bool, RunError> {
        let Some(BatchKernel { kernel, lifted, .. }) = kernel else { return Ok(false) };
        let BatchState { constants, textures, space, .. } = self.state;
        let max_steps = lifted.max_steps(|int| constants.ints[usize::from(int)].count);
        if max_steps > SHORT {
            return Ok(false);
        }
        let Some(last) = (2 * self.quads as u32).checked_sub(1) else { return Ok(true) };
        let texture = |texture: &AreaTexture| View::new(space, texture.surface, Bounds::Clamp);
        let plane = |side, bounds| View::new(self.planes.space(), self.planes.surface(side), bounds);
        let planes = [plane(Side::Input, Bounds::Clamp), plane(Side::Output, Bounds::Drop)];
        let bindings = Bindings {
            surfaces: textures.iter().flatten().map(texture).chain(planes).collect(),
            tables: program_tables(constants),
            buffers: Vec::new(),
        };
        let domain = Domain { i0: 0, j0: 0, i1: last, j1: 1 };
        kernel.run(&Launch { lanes: Lanes::Area(domain), bindings, max_steps: Some(max_steps) }, options)?;
        Ok(true)
    }

    fn reference(&self, _: &RunOptions) -> Result<bool, RunError> {
        Ok(false)
    }
}

/// Quads that wait for their kernel, no two of which have the same place.
pub struct KernelBatch<'s> {
    state: &'s BatchState<'s>,
    pixels: &'s Pixels<'s>,
    memory: RefMut<'s, Memory>,
    key: Key,
    kind: u64,
    compiled: Compiled<Key, Option<BatchKernel>>,
    /// Neighbours that came together.
    runs: Vec<Run>,
    /// Quads of all of them.
    count: usize,
    row: Row,
    /// What was done with pixels.
    counts: Counts,
    /// Every pixel has its place in the depth buffer.
    has_depths: bool,
}

/// Neighbouring quads of a row, from the one whose upper left pixel this is.
#[derive(Clone, Copy)]
struct Run {
    x: u32,
    y: u32,
    quads: usize,
}

impl<'s> KernelBatch<'s> {
    /// Begins, if so many quads of a draw so far, with those of earlier draws of its kind, are worth a kernel, and if there is one.
    ///
    /// # Errors
    /// If the time is up.
    pub fn begin(state: &'s BatchState<'s>, pixels: &'s Pixels<'s>, quads: u64) -> Result<Option<Self>, RunError> {
        let Ok(mut memory) = state.memory.try_borrow_mut() else { return Ok(None) };
        let key = state.key(pixels, &memory.planes);
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        let kind = hasher.finish();
        if memory.count(kind, quads) < memory.many {
            return Ok(None);
        }
        let job = BatchJob { state, key: &key, planes: &memory.planes, quads: 0 };
        let compiled = state.engine.compile(&job)?;
        if !compiled.run(&job, state.options)? {
            return Ok(None);
        }
        let framebuffer = pixels.framebuffer();
        memory.marks.begin(framebuffer.right, framebuffer.bottom);
        let has_depths = pixels.depth().is_some_and(|(_, surface)| surface.holds(framebuffer));
        let (runs, row, counts) = (Vec::new(), Row::default(), Counts::default());
        Ok(Some(KernelBatch { state, pixels, memory, key, kind, compiled, runs, count: 0, row, counts, has_depths }))
    }

    /// Draws a primitive.
    ///
    /// # Errors
    /// If the time is up.
    pub fn draw(&mut self, covering: &Covering) -> Result<(), RunError> {
        let pixels = self.pixels;
        let mut result = Ok(());
        coverage::quad_spans(GRID, covering.shape, &pixels.framebuffer(), pixels.sample(), |y, spans| {
            if result.is_ok() {
                result = self.add(covering, y, &spans);
            }
        });
        result
    }

    /// Adds a row of quads in which a primitive covers these columns of the upper and of the lower pixels.
    ///
    /// # Errors
    /// If the time is up.
    pub fn add(&mut self, covering: &Covering, y: u32, spans: &[Range<u32>; 2]) -> Result<(), RunError> {
        let covered = || spans.iter().filter(|span| !span.is_empty());
        let mut x = covered().map(|span| span.start & !1).min().unwrap_or_default();
        let end = covered().map(|span| span.end).max().unwrap_or_default();
        while x < end {
            let most = ((end - x).div_ceil(2) as usize).min(QUADS - self.count);
            let quads = self.memory.marks.insert(x, y, most);
            if quads == 0 {
                // What comes before at the same place comes first.
                self.flush()?;
                continue;
            }
            self.fill(covering, Run { x, y, quads }, spans);
            x += 2 * quads as u32;
        }
        Ok(())
    }

    /// Lays out what quads bring.
    fn fill(&mut self, covering: &Covering, run: Run, spans: &[Range<u32>; 2]) {
        let KernelBatch { state, pixels, memory, row, .. } = self;
        let Some([mut inputs, _]) = memory.planes.words() else { return };
        let columns = run.x..run.x + 2 * run.quads as u32;
        if let Some(setup) = &covering.depth.setup {
            row.set_columns(setup, GRID.centre(run.x), columns.len());
        }
        for (line, span) in spans.iter().enumerate() {
            let y = run.y + line as u32;
            let line = Line { row: line, quad: self.count, quads: run.quads };
            if let Some(setup) = &covering.depth.setup {
                row.set_line(setup, covering.inputs.perspective(), GRID.centre(y));
            }
            let flags = inputs.of_mut(line, FLAGS);
            flags.fill(0);
            if let Some((_, surface)) = pixels.depth() {
                match covering.depth.setup {
                    Some(_) => row.depth(&covering.depth.plane, MAX_DEPTH, flags),
                    None => flags.fill(pixels.depth_of(covering, run.x, y)),
                }
                let side = if covering.depth.facing == Facing::Back { Flags::BACK } else { 0 };
                let stored = surface.row(y);
                for (x, flags) in columns.clone().zip(&mut *flags) {
                    let exists = self.has_depths || stored.is_some_and(|stored| stored.contains(x));
                    *flags |= side | if exists { Flags::EXISTS } else { 0 };
                }
            }
            let covered = span.start.clamp(columns.start, columns.end)..span.end.clamp(columns.start, columns.end);
            let all = pixels.shows_all(covering);
            for x in covered {
                if all || pixels.shows(covering, x, y) {
                    flags[(x - run.x) as usize] |= Flags::COVERED;
                }
            }
            if let Some(stored) = pixels.depth().and_then(|(_, surface)| surface.row(y)) {
                stored.read(run.x, 0, inputs.of_mut(line, DEPTH));
            }
            for (target, key) in pixels.targets().iter().zip(&state.targets) {
                let Some(stored) = target.surface().row(y) else { continue };
                for (word, plane) in key.memory.clone().enumerate() {
                    stored.read(run.x, word, inputs.of_mut(line, plane));
                }
            }
            let first = OTHERS + state.targets.iter().map(|target| target.memory.len()).sum::<usize>();
            for (plane, &component) in (first..).zip(&state.components) {
                covering.inputs.component_along(component, row, run.x, y, inputs.of_mut(line, plane));
            }
        }
        if let Some(Some(kernel)) = self.compiled.kernels() {
            let lines = [0, 1].map(|row| Line { row, quad: self.count, quads: run.quads });
            for (prefetch, plane) in kernel.prefetches.iter().zip((state.planes..).step_by(4)) {
                fetch(prefetch, state.unit, &mut inputs, lines, plane);
            }
        }
        self.count += run.quads;
        self.runs.push(run);
    }

    /// What was done with pixels since this was asked for last.
    pub fn take_counts(&mut self) -> Counts {
        std::mem::take(&mut self.counts)
    }

    /// Draws what waits.
    ///
    /// # Errors
    /// If the time is up.
    pub fn flush(&mut self) -> Result<(), RunError> {
        if self.count == 0 {
            return Ok(());
        }
        let KernelBatch { state, pixels, memory, key, compiled, .. } = self;
        let quads = self.count.next_multiple_of(MULTIPLE);
        if let Some([mut inputs, _]) = memory.planes.words() {
            for row in 0..2 {
                inputs.of_mut(Line { row, quad: self.count, quads: quads - self.count }, FLAGS).fill(0);
            }
        }
        compiled.run(&BatchJob { state, key, planes: &memory.planes, quads }, state.options)?;
        let mut quad = 0;
        if let Some([inputs, results]) = memory.planes.words() {
            for run in self.runs.drain(..) {
                for row in 0..2 {
                    let line = Line { row, quad, quads: run.quads };
                    self.counts.add_pixels(store(pixels, state, [&inputs, &results], run, line));
                }
                quad += run.quads;
            }
        }
        memory.count(self.kind, self.count as u64);
        memory.marks.next();
        self.count = 0;
        Ok(())
    }
}

/// Fetches what a kernel expects in four planes from this one on.
fn fetch(
    prefetch: &Prefetch,
    unit: &dyn TextureUnit,
    inputs: &mut PlaneWords,
    [upper, lower]: [Line; 2],
    plane: usize,
) {
    let Prefetch { unit: number, op, unscaled, coordinates } = *prefetch;
    for left in (0..2 * upper.quads).step_by(2) {
        let mut vectors = [[0; 4]; 4];
        for (channel, component) in coordinates.into_iter().enumerate() {
            let values = match component {
                Component::Constant(bits) => [bits; 4],
                Component::Plane(plane) => {
                    let (upper, lower) = (inputs.of(upper, plane), inputs.of(lower, plane));
                    [upper[left], upper[left + 1], lower[left], lower[left + 1]]
                }
            };
            vectors.iter_mut().zip(values).for_each(|(vector, value)| vector[channel] = value);
        }
        let (dx, dy) = ([[0; 4]; 4], [[0; 4]; 4]);
        let texels = unit.fetch(&Fetch { unit: number, op, unscaled, coordinates: vectors, dx, dy });
        for channel in 0..4 {
            let [a, b, c, d] = texels.map(|texel| texel[channel]);
            inputs.of_mut(upper, plane + channel)[left..left + 2].copy_from_slice(&[a, b]);
            inputs.of_mut(lower, plane + channel)[left..left + 2].copy_from_slice(&[c, d]);
        }
    }
}

/// Stores what became of a row of neighbouring quads.
fn store(
    pixels: &Pixels,
    state: &BatchState,
    [inputs, results]: [&PlaneWords; 2],
    Run { x, y, .. }: Run,
    line: Line,
) -> Counts {
    let y = y + line.row as u32;
    let flags = results.of(line, FLAGS);
    if let Some(stored) = pixels.depth().and_then(|(_, surface)| surface.row(y)) {
        let (new, old) = (results.of(line, DEPTH), inputs.of(line, DEPTH));
        stored.write_words(x, new, |n| flags[n] & Flags::TESTED != 0 && new[n] != old[n]);
    }
    for (target, key) in pixels.targets().iter().zip(&state.targets) {
        let Some(stored) = target.surface().row(y) else { continue };
        let is_written = |n: usize| flags[n] & Flags::WRITTEN != 0;
        if key.results.len() == 1 {
            stored.write_words(x, results.of(line, key.results.start), is_written);
            continue;
        }
        for n in (0..flags.len()).filter(|&n| is_written(n)) {
            let mut texel = [0; 4];
            for (word, plane) in texel.iter_mut().zip(key.results.clone()) {
                *word = results.of(line, plane)[n];
            }
            stored.write(x + n as u32, texel);
        }
    }
    let count = |flags: &[u32], flag: u32| flags.iter().map(|&flags| u64::from(flags & flag != 0)).sum();
    let covered = count(inputs.of(line, FLAGS), Flags::COVERED);
    let passed = count(flags, Flags::COUNTED);
    let fragments = match (pixels.shades(), pixels.tests_early()) {
        (false, _) => 0,
        (true, true) => passed,
        (true, false) => covered,
    };
    Counts { pixels: covered, fragments, passed, ..Counts::default() }
}

#[cfg(test)]
mod tests;
