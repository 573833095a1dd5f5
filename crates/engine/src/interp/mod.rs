//! The portable interpreter: operations one after the other, each over all lanes of a group.

mod code;
mod lanes;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wide;

pub use code::Code;

use crate::backend::Bindings;
use crate::stop::Stop;
use code::{Edge, End, Move, Step, needs_buffer, source, target};
use ctm_follow::InstructionPlace;
use ctm_lane::budget::{Halt, Meter, Poller, allocate};
use ctm_lane::counts::{InstructionCounts, Tally};
use ctm_lane::domain::{Domain, QUAD};
use ctm_lane::{Channels, ElementTest, ElementWrite, Op, Type, evaluate, evaluate_pair};

/// Lanes of a warp.
const WARP: usize = 32;

/// A run of a function: its code with everything bound, shared by all threads.
pub struct Program<'a> {
    code: &'a Code,
    bindings: &'a Bindings<'a>,
}

impl<'a> Program<'a> {
    /// Binds code to memory and constants.
    pub fn new(code: &'a Code, bindings: &'a Bindings<'a>) -> Self {
        Program { code, bindings }
    }
}

/// One thread's group, used again for one set of lanes after the other.
pub struct Group<'a> {
    program: &'a Program<'a>,
    rows: Vec<Vec<u32>>,
    uniforms: Vec<i32>,
    /// Arrays of lanes and masks: a row per entry.
    arrays: Vec<Vec<Vec<u32>>>,
    uniform_arrays: Vec<Vec<i32>>,
    /// Columns of the lanes.
    x: Vec<u32>,
    /// Rows of the lanes.
    y: Vec<u32>,
    /// All bits set in lanes that are covered.
    covered: Vec<u32>,
    step_limit: u64,
    poller: Poller<'a>,
    steps: u64,
    /// Instructions executed, summed over lanes and groups.
    pub instructions: u64,
    buffer: Vec<Vec<u32>>,
    counting: Option<Counting<'a>>,
}

/// Counts the instructions of groups one by one.
struct Counting<'a> {
    tally: Tally<'a>,
    /// Where the guest instruction with a number stands.
    place: &'a dyn Fn(u32) -> InstructionPlace,
}

impl<'a> Group<'a> {
    /// Bytes that a group of this width takes.
    pub fn bytes(program: &Program, width: usize) -> u64 {
        let entries = |ty| -> u64 {
            let of_type = program.code.arrays.iter().filter(|array| (array.ty == Type::Uniform) == ty);
            of_type.map(|array| u64::from(array.entries)).sum()
        };
        let row = (size_of::<Vec<u32>>() + width * size_of::<u32>()) as u64;
        row * (program.code.rows as u64 + entries(false)) + size_of::<i32>() as u64 * entries(true)
    }

    /// A group of `width` lanes, a multiple of 4 if the code uses quads, in a run that is watched.
    ///
    /// # Errors
    /// If the host has no memory for it.
    pub fn new(program: &'a Program<'a>, width: usize, step_limit: u64, meter: &'a Meter<'a>) -> Result<Self, Halt> {
        let code = program.code;
        let rows_of = |ty: Type, entries: u32| if ty == Type::Uniform { 0 } else { entries as usize };
        let uniforms_of = |ty: Type, entries: u32| if ty == Type::Uniform { entries as usize } else { 0 };
        let rows = |count: usize| -> Result<Vec<Vec<u32>>, Halt> {
            let mut rows: Vec<Vec<u32>> = allocate(count)?;
            rows.iter_mut().try_for_each(|row| allocate(width).map(|zeros| *row = zeros))?;
            Ok(rows)
        };
        let arrays = code.arrays.iter().map(|array| rows(rows_of(array.ty, array.entries)));
        let uniform_arrays = code.arrays.iter().map(|array| allocate(uniforms_of(array.ty, array.entries)));
        let mut group = Group {
            program,
            rows: rows(code.rows)?,
            uniforms: vec![0; code.uniforms],
            arrays: arrays.collect::<Result<_, _>>()?,
            uniform_arrays: uniform_arrays.collect::<Result<_, _>>()?,
            x: vec![0; width],
            y: vec![0; width],
            covered: vec![0; width],
            step_limit,
            poller: Poller::new(meter),
            steps: 0,
            instructions: 0,
            buffer: Vec::new(),
            counting: None,
        };
        for step in &code.constants {
            group.row_op(step);
        }
        Ok(group)
    }

    /// The same group, which counts its instructions, if that is wanted; `place` says where the one with a number stands.
    pub fn with_counts(
        mut self,
        counts: Option<&'a InstructionCounts>,
        place: &'a dyn Fn(u32) -> InstructionPlace,
    ) -> Self {
        let width = self.x.len();
        self.counting = counts.map(|counts| Counting { tally: Tally::new(counts, width), place });
        self
    }

    /// Puts lanes at these positions, and gives the number of those that are covered. Lanes that are left over are not.
    pub fn set_positions(
        &mut self,
        positions: impl Iterator<Item = (u32, u32)>,
        mut is_covered: impl FnMut(u32, u32) -> bool,
    ) -> u64 {
        let (mut count, mut covered) = (0, 0);
        for (lane, (i, j)) in positions.enumerate() {
            let belongs = is_covered(i, j);
            (self.x[lane], self.y[lane]) = (i, j);
            self.covered[lane] = if belongs { u32::MAX } else { 0 };
            covered += u64::from(belongs);
            count = lane + 1;
        }
        self.covered[count..].fill(0);
        covered
    }

    /// Puts lanes at the positions of a rectangle from number `first` on, counted row by row. Lanes that are left over are
    /// not covered.
    pub fn set_rows(&mut self, rectangle: Domain, first: u64) {
        let across = u64::from(rectangle.i1 - rectangle.i0 + 1);
        let count = (rectangle.lanes() - first).min(self.x.len() as u64) as usize;
        let (mut i, mut j) = (rectangle.i0 + (first % across) as u32, rectangle.j0 + (first / across) as u32);
        let mut lane = 0;
        while lane < count {
            let end = count.min(lane + (rectangle.i1 - i + 1) as usize);
            self.x[lane..end].iter_mut().zip(i..).for_each(|(x, i)| *x = i);
            self.y[lane..end].fill(j);
            (lane, i, j) = (end, rectangle.i0, j + 1);
        }
        self.covered[..count].fill(u32::MAX);
        self.covered[count..].fill(0);
    }

    /// Runs the function for the lanes where they were put.
    pub fn run(&mut self) -> Result<(), Stop> {
        self.steps = 0;
        self.poller.begin_group();
        for array in &mut self.arrays {
            array.iter_mut().for_each(|row| row.fill(0));
        }
        self.uniform_arrays.iter_mut().for_each(|array| array.fill(0));
        let done = pulp::Arch::new().dispatch(Run(self));
        if let Some(Counting { tally, .. }) = &mut self.counting {
            match done {
                Ok(()) => tally.finish(self.x.iter().copied().zip(self.y.iter().copied())),
                Err(_) => tally.discard(),
            }
        }
        done
    }

    #[inline(always)]
    fn execute(&mut self) -> Result<(), Stop> {
        let program = self.program;
        let mut at = 0;
        loop {
            let block = &program.code.blocks[at];
            for step in &block.steps {
                self.step(step)?;
            }
            let edge = match &block.end {
                End::Jump(edge) => edge,
                End::If { test, a, b, then, otherwise } => {
                    let [a, b] = [a, b].map(|at| self.uniforms[*at as usize].cast_unsigned());
                    if test.holds(a, b) { then } else { otherwise }
                }
                End::Any { mask, then, otherwise } => {
                    let any = self.rows[*mask as usize].iter().fold(0, |any, lane| any | lane);
                    if any != 0 { then } else { otherwise }
                }
                End::Return => return Ok(()),
                End::Trap { code, pc, mask } => {
                    let (x, y) = self.first_of(*mask);
                    return Err(Stop::Trap { code: *code, pc: *pc, x, y });
                }
            };
            self.pass(edge);
            at = edge.block;
        }
    }

    /// Where the first lane of a mask is, else the first covered one.
    fn first_of(&self, mask: u32) -> (u32, u32) {
        let first = |row: &[u32]| row.iter().position(|lane| *lane != 0);
        let lane = first(&self.rows[mask as usize]).or_else(|| first(&self.covered)).unwrap_or_default();
        (self.x[lane], self.y[lane])
    }

    #[inline(always)]
    fn pass(&mut self, edge: &Edge) {
        if edge.moves.len() > 1 && needs_buffer(&edge.moves) {
            return self.pass_buffered(edge);
        }
        for &step in &edge.moves {
            match step {
                Move::Swap { to, from } => self.rows.swap(to as usize, from as usize),
                Move::Copy { to, from } => {
                    let mut row = std::mem::take(&mut self.rows[to as usize]);
                    row.copy_from_slice(&self.rows[from as usize]);
                    self.rows[to as usize] = row;
                }
                Move::Uniform { to, from } => self.uniforms[to as usize] = self.uniforms[from as usize],
            }
        }
    }

    /// Reads all arguments before it writes any parameter.
    fn pass_buffered(&mut self, edge: &Edge) {
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut uniforms = Vec::new();
        buffer.resize_with(edge.moves.len(), Vec::new);
        for (&step, row) in edge.moves.iter().zip(&mut buffer) {
            match source(step) {
                (from, true) => uniforms.push(self.uniforms[from as usize]),
                (from, false) => row.clone_from(&self.rows[from as usize]),
            }
        }
        let mut uniforms = uniforms.into_iter();
        for (&step, row) in edge.moves.iter().zip(&buffer) {
            match target(step) {
                (to, true) => self.uniforms[to as usize] = uniforms.next().unwrap_or_default(),
                (to, false) => self.rows[to as usize].clone_from(row),
            }
        }
        self.buffer = buffer;
    }

    #[inline(always)]
    fn step(&mut self, step: &Step) -> Result<(), Stop> {
        let [first, second, third, ..] = step.args.map(|arg| arg as usize);
        match step.op {
            Op::Steps { count, pc } => return self.count(count, pc, first),
            Op::SurfaceLoad { surface } => self.load(step, surface.index()),
            Op::SurfaceLoad2x2 { surface } => self.load_2x2(step, surface.index()),
            Op::SurfaceStore { surface, channels } => self.store(step, surface.index(), channels),
            Op::SurfaceTest { surface, test, write } => self.request(step, surface.index(), test, write),
            Op::Uniform { value } => self.uniforms[step.results[0] as usize] = value,
            Op::TableUniform { table, index } => {
                let value = self.program.bindings.tables[table.index()][index as usize];
                self.uniforms[step.results[0] as usize] = value.cast_signed();
            }
            Op::UniformAdd {} | Op::UniformSub {} | Op::UniformMul {} | Op::UniformAnd {} => {
                let args = [first, second].map(|at| self.uniforms[at].cast_unsigned());
                self.uniforms[step.results[0] as usize] = evaluate(&step.op, &args).unwrap_or_default().cast_signed();
            }
            Op::ArrayWrite { array } => {
                let entries = &mut self.arrays[array.index()];
                let at = self.uniforms[first] as usize & (entries.len() - 1);
                let (values, lanes) = (&self.rows[second], &self.rows[third]);
                for ((old, &value), &lane) in entries[at].iter_mut().zip(values).zip(lanes) {
                    *old = (value & lane) | (*old & !lane);
                }
            }
            Op::MaskArrayWrite { array } => {
                let entries = &mut self.arrays[array.index()];
                let at = self.uniforms[first] as usize & (entries.len() - 1);
                entries[at].copy_from_slice(&self.rows[second]);
            }
            Op::ArrayScatter { array } => {
                let entries = &mut self.arrays[array.index()];
                let last = entries.len() - 1;
                for lane in (0..self.x.len()).filter(|&lane| self.rows[third][lane] != 0) {
                    entries[self.rows[first][lane] as usize & last][lane] = self.rows[second][lane];
                }
            }
            Op::UniformArrayRead { array } => {
                let entries = &self.uniform_arrays[array.index()];
                let at = self.uniforms[first] as usize & (entries.len() - 1);
                self.uniforms[step.results[0] as usize] = entries[at];
            }
            Op::UniformArrayWrite { array } => {
                let entries = &mut self.uniform_arrays[array.index()];
                let at = self.uniforms[first] as usize & (entries.len() - 1);
                entries[at] = self.uniforms[second];
            }
            Op::BufferStore { buffer } => {
                let buffer = &self.program.bindings.buffers[buffer.index()];
                for lane in (0..self.x.len()).filter(|&lane| self.rows[third][lane] != 0) {
                    buffer.store(self.rows[first][lane], self.rows[second][lane]);
                }
            }
            Op::Ftod {}
            | Op::Itod {}
            | Op::Utod {}
            | Op::Dadd { .. }
            | Op::Dmul { .. }
            | Op::Dfma { .. }
            | Op::Ddiv {}
            | Op::Dsqrt {}
            | Op::Dround { .. } => self.pair_op(step),
            _ => self.row_op(step),
        }
        Ok(())
    }

    /// An operation that gives two words in each lane, as it is defined.
    #[inline(never)]
    fn pair_op(&mut self, step: &Step) {
        let count = step.op.info().operands.len();
        let [mut low, mut high] = [0, 1].map(|at| std::mem::take(&mut self.rows[step.results[at] as usize]));
        for (lane, (low, high)) in low.iter_mut().zip(&mut high).enumerate() {
            let args =
                step.args.map(|at| self.rows.get(at as usize).and_then(|row| row.get(lane)).copied().unwrap_or(0));
            [*low, *high] = evaluate_pair(&step.op, &args[..count]).unwrap_or_default();
        }
        for (at, row) in [low, high].into_iter().enumerate() {
            self.rows[step.results[at] as usize] = row;
        }
    }

    #[inline(always)]
    fn count(&mut self, count: u32, pc: u32, mask: usize) -> Result<(), Stop> {
        let lanes: u32 = self.rows[mask].iter().map(|lane| lane & 1).sum();
        self.instructions += u64::from(count) * u64::from(lanes);
        if let Some(Counting { tally, place }) = self.counting.as_mut().filter(|_| lanes > 0) {
            for number in pc..pc + count {
                let lanes = self.rows[mask].iter().enumerate();
                tally.add(place(number), lanes.filter(|(_, lane)| **lane != 0).map(|(lane, _)| lane));
            }
        }
        let before = self.steps;
        self.steps += u64::from(count);
        if self.steps > self.step_limit {
            let pc = pc + (self.step_limit - before) as u32;
            let (x, y) = self.first_of(mask as u32);
            return Err(Stop::StepLimit { pc, x, y });
        }
        let Group { poller, instructions, x, y, covered, .. } = self;
        let place = || covered.iter().position(|lane| *lane != 0).map_or((0, 0), |lane| (x[lane], y[lane]));
        Ok(poller.step(count, *instructions, place)?)
    }

    /// An operation that gives one row.
    #[inline(always)]
    fn row_op(&mut self, step: &Step) {
        let mut row = std::mem::take(&mut self.rows[step.results[0] as usize]);
        self.fill_row(step, &mut row);
        self.rows[step.results[0] as usize] = row;
    }

    #[inline(always)]
    fn fill_row(&self, step: &Step, row: &mut [u32]) {
        // Operands that the operation does not have, and uniforms, name some row that nobody reads.
        let arg = |at: usize| self.rows.get(step.args[at] as usize).map_or([].as_slice(), |row| row.as_slice());
        match step.op {
            Op::Lane { bits } => row.fill(bits.0),
            Op::Mask { value } => row.fill(if value { u32::MAX } else { 0 }),
            Op::PosX {} => row.copy_from_slice(&self.x),
            Op::PosY {} => row.copy_from_slice(&self.y),
            Op::Covered {} => row.copy_from_slice(&self.covered),
            Op::Splat {} => row.fill(self.uniforms[step.args[0] as usize].cast_unsigned()),
            Op::TableSplat { table, index } => {
                row.fill(self.program.bindings.tables[table.index()][index as usize]);
            }
            Op::TableAt { table } => {
                let entries = &self.program.bindings.tables[table.index()];
                row.fill(entries[self.uniforms[step.args[0] as usize] as usize & (entries.len() - 1)]);
            }
            Op::TableGather { table } => {
                let entries = &self.program.bindings.tables[table.index()];
                for (value, &at) in row.iter_mut().zip(arg(0)) {
                    *value = entries[at as usize & (entries.len() - 1)];
                }
            }
            Op::BufferLoad { buffer } => {
                let buffer = &self.program.bindings.buffers[buffer.index()];
                for ((value, &at), &lane) in row.iter_mut().zip(arg(0)).zip(arg(1)) {
                    *value = if lane == 0 { 0 } else { buffer.load(at) };
                }
            }
            Op::Quad { order } => {
                for (quad, values) in row.chunks_exact_mut(QUAD).zip(arg(0).chunks_exact(QUAD)) {
                    for (value, lane) in quad.iter_mut().zip(order.0) {
                        *value = values[usize::from(lane)];
                    }
                }
            }
            Op::Ballot {} => {
                for (warp, lanes) in row.chunks_mut(WARP).zip(arg(0).chunks(WARP)) {
                    warp.fill(lanes.iter().rev().fold(0, |ballot, lane| ballot << 1 | lane & 1));
                }
            }
            Op::Shuffle {} => {
                let warps = row.chunks_mut(WARP).zip(arg(0).chunks(WARP)).zip(arg(1).chunks(WARP));
                for ((warp, values), lanes) in warps {
                    for (value, &lane) in warp.iter_mut().zip(lanes) {
                        *value = values.get(lane as usize % WARP).copied().unwrap_or(0);
                    }
                }
            }
            Op::ArrayRead { array } | Op::MaskArrayRead { array } => {
                let entries = &self.arrays[array.index()];
                row.copy_from_slice(&entries[self.uniforms[step.args[0] as usize] as usize & (entries.len() - 1)]);
            }
            Op::ArrayGather { array } => {
                let entries = &self.arrays[array.index()];
                for (lane, (value, &at)) in row.iter_mut().zip(arg(0)).enumerate() {
                    *value = entries[at as usize & (entries.len() - 1)][lane];
                }
            }
            _ => {
                if !lanes::fast(&step.op, step.normal, row, arg(0), arg(1), arg(2)) {
                    by_definition(&step.op, row, [arg(0), arg(1), arg(2), arg(3)]);
                }
            }
        }
    }

    #[inline(always)]
    fn load(&mut self, step: &Step, surface: usize) {
        let mut results = step.results.map(|at| std::mem::take(&mut self.rows[at as usize]));
        let [x, y, lanes] = [0, 1, 2].map(|at| self.rows[step.args[at] as usize].as_slice());
        self.program.bindings.surfaces[surface].load_lanes(
            x,
            y,
            lanes,
            results.each_mut().map(|row| row.as_mut_slice()),
        );
        for (at, row) in step.results.into_iter().zip(results) {
            self.rows[at as usize] = row;
        }
    }

    #[inline(never)]
    fn load_2x2(&mut self, step: &Step, surface: usize) {
        let view = &self.program.bindings.surfaces[surface];
        for lane in 0..self.x.len() {
            let [x, y, lanes] = [0, 1, 2].map(|at| self.rows[step.args[at] as usize][lane]);
            let (x, y) = (x.cast_signed().into(), y.cast_signed().into());
            let elements = if lanes == 0 { [0; 4] } else { view.load_2x2(x, y) };
            for (at, value) in step.results.into_iter().zip(elements) {
                self.rows[at as usize][lane] = value;
            }
        }
    }

    #[inline(always)]
    fn store(&mut self, step: &Step, surface: usize, channels: Channels) {
        let view = &self.program.bindings.surfaces[surface];
        let [x, y, red, green, blue, alpha, lanes] = step.args.map(|at| self.rows[at as usize].as_slice());
        view.store_lanes(x, y, lanes, [red, green, blue, alpha], channels.0);
    }

    fn request(&mut self, step: &Step, surface: usize, test: ElementTest, write: ElementWrite) {
        let mut passed = std::mem::take(&mut self.rows[step.results[0] as usize]);
        let view = &self.program.bindings.surfaces[surface];
        let [x, y, values, lanes] = [0, 1, 2, 3].map(|at| &self.rows[step.args[at] as usize]);
        for lane in 0..x.len() {
            let (x, y, value) = (x[lane].into(), y[lane].into(), values[lane]);
            let order = || if test.reads() { view.compare(x, y, value) } else { None };
            let passes = lanes[lane] != 0 && test.passes(order());
            if passes && write == ElementWrite::Yes {
                view.replace(x, y, value);
            }
            passed[lane] = if passes { u32::MAX } else { 0 };
        }
        self.rows[step.results[0] as usize] = passed;
    }
}

/// An operation lane by lane, as it is defined. Masks are 0 or 1 there.
#[inline(never)]
fn by_definition(op: &Op, row: &mut [u32], rows: [&[u32]; 4]) {
    let info = op.info();
    let gives_mask = info.results == [Type::Mask];
    for (lane, result) in row.iter_mut().enumerate() {
        let mut args = [0; 4];
        for ((arg, row), (_, ty)) in args.iter_mut().zip(rows).zip(info.operands) {
            *arg = if *ty == Type::Mask { row[lane] & 1 } else { row[lane] };
        }
        let value = evaluate(op, &args[..info.operands.len()]).unwrap_or_default();
        *result = if gives_mask && value != 0 { u32::MAX } else { value };
    }
}

/// The run of a group, compiled for the widest vectors that the host has.
struct Run<'g, 'a>(&'g mut Group<'a>);

impl pulp::NullaryFnOnce for Run<'_, '_> {
    type Output = Result<(), Stop>;

    #[inline(always)]
    fn call(self) -> Self::Output {
        self.0.execute()
    }
}
