//! Rectangles of many pixels on the engine: interpolation, the fragment program with its texture fetches and the writes to colour buffers are
//! one kernel, which runs over all of the pixels.
//!
//! What the kernel can do is a part of what the card can; everything else is left to the pipeline that goes quad by quad. Both give the same
//! bits.

mod detiled;
mod fetch;
mod halves;
mod lift;

pub use detiled::RectangleMemory;
pub use fetch::{coordinates, fetch_texture, scale};
pub use halves::{PendingHalf, rectangle};

use super::attributes::{Component, Inputs};
use super::detiled::DetiledTextures;
use super::known::KnownProgram;
use crate::tx::{KernelTexture, Textures};
use ctm_engine::{Bindings, Engine, Grouping, GuestJob, Kernel, Launch, Runtime, SHORT, SurfaceLayout};
use ctm_lane::domain::{Domain, Lanes, QUAD};
use ctm_lane::effort::Effort;
use ctm_lane::run::{RunOptions, RunStats};
use ctm_memory::{Aliasing, Bounds, Space, Surface, View};
use ctm_raster::grid::Point;
use ctm_raster::plane::Plane;
use ctm_raster::sampler::Wrap;
use ctm_x1k::fragments::FragmentJob;
use ctm_x1k::lift::{FLOAT_TABLES, Lifted, lift_fragments};
use ctm_x1k::{Body, Constants, INPUTS, IntConstant, OUTPUTS, Program, References, RunError, Tex, TexOp};
use std::cell::{OnceCell, RefCell};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Temporaries that are filled at most: their columns fit in a table of 65536 entries.
const MAX_INPUTS: usize = 4;
/// Columns and rows of the card's surfaces at most.
const MAX_SIZE: usize = 4096;

/// A colour buffer that a kernel writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RectangleTarget {
    /// The program's output that goes there.
    pub output: usize,
    /// Which of its channels each channel of the buffer is.
    pub selects: [usize; 4],
    /// The buffer.
    pub surface: Surface,
}

/// Everything that decides what a kernel does, but the numbers of a primitive.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    program: Arc<KnownProgram<Program>>,
    /// Per channel: no constant is an infinity or a NaN.
    finite: [bool; 4],
    /// The temporaries that are filled, and the kinds of their components.
    presets: Vec<(u8, [ComponentKind; 4])>,
    /// Attributes are divided by the plane of 1/w.
    perspective: bool,
    /// Bases of all surfaces are 0.
    textures: Vec<Option<KernelTexture>>,
    targets: Vec<RectangleTarget>,
    texture_layouts: Vec<SurfaceLayout>,
    target_layouts: Vec<SurfaceLayout>,
}

/// How a component of a temporary is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum ComponentKind {
    /// It is the same everywhere.
    Constant,
    /// It is the column (0) or row, plus a number (bits).
    Pixel(usize, u32),
    /// It is the same in all rows of a column.
    OfColumn,
    /// It is the same in all columns of a row.
    OfRow,
    /// By its plane.
    Varying,
}

/// What draws have in common whose primitives kernels can draw.
pub struct RectangleState<'a> {
    /// The program.
    pub program: &'a Arc<KnownProgram<Program>>,
    /// Its constants.
    pub constants: &'a Constants,
    /// The temporaries that are filled.
    pub presets: &'a [u8],
    /// Textures by unit.
    pub textures: Vec<Option<KernelTexture>>,
    /// Colour buffers.
    pub targets: Vec<RectangleTarget>,
    /// The memory that all of them lie in.
    pub space: &'a Space,
    /// Memory for copies of textures; `None` if there are none.
    memory: Option<&'a RefCell<RectangleMemory>>,
    /// The copies, from some time on; `None` in it if textures cannot be copied.
    copies: OnceCell<Option<DetiledTextures>>,
    /// What runs kernels.
    pub engine: &'a Engine,
    /// How it runs them.
    pub options: &'a RunOptions<'a>,
}

/// What a program fetches from, by unit, if kernels can do all of its fetches.
pub fn textures_of(program: &Program, textures: &Textures, space: &Space) -> Option<Vec<Option<KernelTexture>>> {
    let mut units = vec![None; INPUTS];
    for tex in fetches(program) {
        units[usize::from(tex.id) % INPUTS] = Some(texture_of(tex, textures, space)?);
    }
    Some(units)
}

/// The instructions of a program that fetch.
pub fn fetches(program: &Program) -> impl Iterator<Item = &Tex> {
    program.code.iter().filter_map(|instruction| match &instruction.body {
        Body::Tex(tex) => (!matches!(tex.op, TexOp::Nop | TexOp::Texkill)).then_some(tex),
        Body::Alu(_) | Body::Out(_) | Body::Flow(_) => None,
    })
}

/// What an instruction fetches from, if kernels can do it.
pub fn texture_of(tex: &Tex, textures: &Textures, space: &Space) -> Option<KernelTexture> {
    let texture = match tex.op {
        TexOp::Nop | TexOp::Texkill | TexOp::Reserved7 => return None,
        TexOp::Ld | TexOp::Proj | TexOp::Lodbias | TexOp::Lod | TexOp::Dxdy => textures.unit(tex.id)?.area(space)?,
    };
    // Texels are not counted modulo the size.
    (!tex.unscaled || texture.wrap == [Wrap::ClampToEdge; 2]).then_some(texture)
}

/// Per channel: whether no constant is an infinity or a NaN.
pub fn finite_channels(constants: &Constants) -> [bool; 4] {
    const INFINITY: u32 = f32::INFINITY.to_bits();
    let greatest = constants.floats.iter().fold([0; 4], |greatest: [u32; 4], value| {
        std::array::from_fn(|channel| greatest[channel].max(value[channel] & (u32::MAX >> 1)))
    });
    greatest.map(|bits| bits < INFINITY)
}

/// The tables of a program with these constants.
pub fn program_tables(constants: &Constants) -> Vec<Vec<u32>> {
    let mut tables = vec![vec![0; constants.floats.len()]; FLOAT_TABLES];
    for (number, value) in constants.floats.iter().enumerate() {
        tables.iter_mut().zip(value).for_each(|(table, channel)| table[number] = *channel);
    }
    let fields =
        |int: &IntConstant| [u32::from(int.count), u32::from(int.init), i32::from(int.step).cast_unsigned(), 0];
    tables.push(constants.ints.iter().flat_map(fields).collect());
    tables.push(constants.bools.iter().map(|&set| u32::from(set)).collect());
    tables.push(vec![0]);
    tables
}

impl<'a> RectangleState<'a> {
    /// Of a draw with these colour buffers, if kernels can draw its primitives.
    pub fn of(
        (job, program): (&FragmentJob<'a>, &'a Arc<KnownProgram<Program>>),
        textures: &Textures,
        targets: Vec<RectangleTarget>,
        (space, memory): (&'a Space, Option<&'a RefCell<RectangleMemory>>),
        (engine, options): (&'a Engine, &'a RunOptions<'a>),
    ) -> Option<Self> {
        let units = textures_of(job.program, textures, space)?;
        let bytes = |surface: &Surface, bounds| {
            let begin = u64::from(surface.base);
            begin..begin + SurfaceLayout::of(space, surface, bounds).bytes()
        };
        // What a program reads must not be what it writes.
        let overlaps = targets.iter().any(|target| {
            let written = bytes(&target.surface, Bounds::Drop);
            let mut read = units.iter().flatten().map(|texture| bytes(&texture.surface, Bounds::Clamp));
            read.any(|read| read.start < written.end && written.start < read.end)
        });
        let FragmentJob { constants, presets, .. } = *job;
        (!overlaps).then_some(RectangleState {
            program,
            constants,
            presets,
            textures: units,
            targets,
            space,
            memory,
            copies: OnceCell::new(),
            engine,
            options,
        })
    }

    /// Draws the pixels of a rectangle for which the program gets this; says whether it could.
    ///
    /// # Errors
    /// If the program does what the machine cannot do.
    pub fn draw(&self, area: Domain, inputs: &Inputs) -> Result<bool, RunError> {
        if area.i1 >= MAX_SIZE as u32 || area.j1 >= MAX_SIZE as u32 || inputs.count() > MAX_INPUTS {
            return Ok(false);
        }
        self.copy_textures(pixels(area));
        self.engine.run(&RectangleJob::new(self, inputs, area), self.options)
    }
}

/// The pixels of a rectangle.
struct RectangleJob<'a> {
    state: &'a RectangleState<'a>,
    inputs: &'a Inputs<'a>,
    area: Domain,
    /// How the components of the temporaries are computed.
    kinds: Vec<[ComponentKind; 4]>,
}

/// A kernel, if the program has one.
struct RectangleKernel {
    kernel: Kernel,
    lifted: Lifted,
}

/// The layout of a surface at any base.
fn layout(surface: Surface) -> Surface {
    Surface { base: 0, ..surface }
}

/// How a component of a temporary is computed in an area.
fn kind(inputs: &Inputs, Domain { i0, j0, i1, j1 }: Domain, input: usize, channel: usize) -> ComponentKind {
    let pixel = |axis, mut values: RangeInclusive<u32>, of: &dyn Fn(u32) -> Option<u32>| {
        let first = *values.start();
        let offset = f32::from_bits(of(first)?) - first as f32;
        let is_pixel = values.all(|at| of(at) == Some((at as f32 + offset).to_bits()));
        is_pixel.then_some(ComponentKind::Pixel(axis, offset.to_bits()))
    };
    if let Component::Constant(_) = inputs.component(input, channel) {
        return ComponentKind::Constant;
    }
    for axis in 0..2 {
        if let Some(offset) = inputs.pixel_offset(input, channel, axis) {
            return ComponentKind::Pixel(axis, offset.to_bits());
        }
    }
    let of_column = |x| inputs.of_column(input, channel, x);
    let of_row = |y| inputs.of_row(input, channel, y);
    if of_column(i0).is_some() {
        return pixel(0, i0..=i1, &of_column).unwrap_or(ComponentKind::OfColumn);
    }
    if of_row(j0).is_some() {
        return pixel(1, j0..=j1, &of_row).unwrap_or(ComponentKind::OfRow);
    }
    ComponentKind::Varying
}

/// How many pixels a rectangle has.
pub fn pixels(Domain { i0, j0, i1, j1 }: Domain) -> u64 {
    u64::from(i1 - i0 + 1) * u64::from(j1 - j0 + 1)
}

/// The rectangle of the quads that have pixels in this one.
fn whole_quads(area: Domain) -> Domain {
    Domain { i0: area.i0 & !1, j0: area.j0 & !1, i1: area.i1 | 1, j1: area.j1 | 1 }
}

impl<'a> RectangleJob<'a> {
    fn new(state: &'a RectangleState<'a>, inputs: &'a Inputs<'a>, area: Domain) -> Self {
        let kind = |input| std::array::from_fn(|channel| kind(inputs, whole_quads(area), input, channel));
        let kinds = (0..inputs.count()).map(kind).collect();
        RectangleJob { state, inputs, area, kinds }
    }

    fn max_steps(&self, lifted: &Lifted) -> u64 {
        lifted.max_steps(|int| self.state.constants.ints[usize::from(int)].count)
    }

    /// The tables of the program, then the values and numbers of the primitive.
    fn tables(&self) -> Vec<Vec<u32>> {
        let mut tables = program_tables(self.state.constants);
        tables.extend(self.values());
        tables
    }

    /// The values of columns and of rows, and the numbers of planes.
    fn values(&self) -> [Vec<u32>; 3] {
        let Domain { i0, j0, i1, j1 } = whole_quads(self.area);
        let Point { x, y } = self.inputs.origin();
        let mut numbers = vec![x as u32, y as u32];
        let put = |numbers: &mut Vec<u32>, Plane { value, dx, dy }: Plane| {
            let dwords = [value, dx, dy].map(f64::to_bits).map(|bits| [bits as u32, (bits >> 32) as u32]);
            numbers.extend(dwords.as_flattened());
        };
        put(&mut numbers, self.inputs.divisor().unwrap_or(Plane::constant(1.0)));
        let (mut columns, mut rows) = (Vec::new(), Vec::new());
        for (input, kinds) in self.kinds.iter().enumerate() {
            for (channel, &kind) in kinds.iter().enumerate() {
                match (kind, self.inputs.component(input, channel)) {
                    (ComponentKind::Constant, Component::Constant(bits)) => numbers.push(bits),
                    (ComponentKind::Varying, Component::Varying(plane)) => put(&mut numbers, plane),
                    (ComponentKind::Constant | ComponentKind::Varying | ComponentKind::Pixel(..), _) => {}
                    (ComponentKind::OfColumn, _) => {
                        let first = columns.len();
                        columns.resize(first + MAX_SIZE, 0);
                        for (x, value) in (i0..=i1).zip(&mut columns[first + i0 as usize..]) {
                            *value = self.inputs.of_column(input, channel, x).unwrap_or_default();
                        }
                    }
                    (ComponentKind::OfRow, _) => {
                        let first = rows.len();
                        rows.resize(first + MAX_SIZE, 0);
                        for (y, value) in (j0..=j1).zip(&mut rows[first + j0 as usize..]) {
                            *value = self.inputs.of_row(input, channel, y).unwrap_or_default();
                        }
                    }
                }
            }
        }
        [columns, rows, numbers].map(|mut table| {
            table.resize(table.len().next_power_of_two(), 0);
            table
        })
    }

    fn surfaces(&self) -> impl Iterator<Item = View<'_>> {
        let textures = self.state.bound().flatten();
        let textures = textures.map(|(texture, space)| View::new(space, texture.surface, Bounds::Clamp));
        let target = |target: &RectangleTarget| View::new(self.state.space, target.surface, Bounds::Drop);
        textures.chain(self.state.targets.iter().map(target))
    }
}

impl GuestJob for RectangleJob<'_> {
    type Key = Key;
    type KeyRef<'k>
        = Key
    where
        Self: 'k;
    type Kernels = Option<RectangleKernel>;
    /// Whether it was drawn: otherwise it is left to the scalar pipeline.
    type Output = bool;
    type Error = RunError;
    type NotCompiled = ();

    const GROUP_WIDTH: usize = QUAD;

    /// What a program reads is not what it writes: that is looked at when the state is made.
    fn order(&self) -> Option<Aliasing> {
        None
    }

    fn key(&self) -> Result<Key, ()> {
        let RectangleState { program, constants, presets, targets, space, .. } = self.state;
        let texture_layout =
            |(texture, space): (KernelTexture, &Space)| SurfaceLayout::of(space, &texture.surface, Bounds::Clamp);
        let target_layout = |target: &RectangleTarget| SurfaceLayout::of(space, &target.surface, Bounds::Drop);
        Ok(Key {
            program: Arc::clone(program),
            finite: finite_channels(constants),
            presets: presets.iter().copied().zip(self.kinds.iter().copied()).collect(),
            perspective: self.inputs.divisor().is_some(),
            textures: self.state.bound().map(|texture| texture.map(|(texture, _)| texture.at_base_0())).collect(),
            targets: targets
                .iter()
                .map(|target| RectangleTarget { surface: layout(target.surface), ..*target })
                .collect(),
            texture_layouts: self.state.bound().flatten().map(texture_layout).collect(),
            target_layouts: targets.iter().map(target_layout).collect(),
        })
    }

    fn to_owned(key: Key) -> Key {
        key
    }

    fn matches(key: &Key, kept: &Key) -> bool {
        key == kept
    }

    fn compile(key: &Key, runtime: &Runtime, effort: &Effort) -> Option<RectangleKernel> {
        let program = Program {
            code: key.program.program.code.clone(),
            info: key.program.program.info,
            references: References { outputs: (0..OUTPUTS as u8).collect(), ..References::default() },
            ..Program::default()
        };
        let mut lifted = lift_fragments(&program, key.finite, key, effort).ok()?;
        let function = std::mem::take(&mut lifted.function);
        let surfaces: Vec<SurfaceLayout> = key.texture_layouts.iter().chain(&key.target_layouts).copied().collect();
        let kernel = Kernel::within(function, (Grouping::Independent, &surfaces, Some(SHORT)), runtime, effort);
        Some(RectangleKernel { kernel, lifted })
    }

    fn bytes(kernel: &Option<RectangleKernel>) -> usize {
        kernel.as_ref().map_or(0, |kernel| kernel.kernel.bytes())
    }

    fn is_compiled(&self, kernel: &Option<RectangleKernel>, _: &RunOptions, _: &Runtime) -> Result<(), ()> {
        kernel.as_ref().filter(|kernel| kernel.kernel.is_compiled()).map(|_| ()).ok_or(())
    }

    fn run(
        &self,
        kernel: &Option<RectangleKernel>,
        _: Option<Aliasing>,
        options: &RunOptions,
        _: &Runtime,
    ) -> Result<bool, RunError> {
        let Some(RectangleKernel { kernel, lifted }) = kernel else { return Ok(false) };
        let max_steps = self.max_steps(lifted);
        if max_steps > SHORT {
            return Ok(false);
        }
        let bindings = Bindings { surfaces: self.surfaces().collect(), tables: self.tables(), buffers: Vec::new() };
        let launch = Launch { lanes: Lanes::Area(self.area), bindings, max_steps: Some(max_steps) };
        let _: RunStats = kernel.run(&launch, options)?;
        Ok(true)
    }

    fn reference(&self, _: &RunOptions) -> Result<bool, RunError> {
        Ok(false)
    }
}

#[cfg(test)]
pub mod tests;
