//! A warp: its registers, and the way from instruction to instruction.

use super::block::{Arrival, Reduced};
use super::call::Access;
use super::flow::{Control, Next};
use super::races::{Races, SharedAccess};
use crate::attributes::{Log, View};
use crate::header::{Header, Stage};
use crate::images::Image;
use crate::instruction::Instruction;
use crate::launch::{
    Column, LaunchReport, MAX_SHARED_MEMORY, Mode, NO_INVOCATION, Shader, StageLaunch, Stop, Trap, TrapKind, WARP,
    WarningKind,
};
use crate::operand::PredSource;
use crate::program::Code;
use crate::refused::refusal;
use crate::table::{AttributeOp, Class, ConstantOp, OrderOp, SpecialOp};
use ctm_follow::Follow;
use ctm_lane::budget::{Meter, Poller, allocate};
use ctm_lane::counts::Tally;
use ctm_lane::domain::AXIS;
use ctm_lane::run::RunOptions;
use ctm_memory::{Buffer, Space};
use ctm_num::sm50::Flags;
use std::ops::Range;

/// Lanes of a warp, as a length.
pub(super) const LANES: usize = WARP as usize;
/// Registers, RZ included.
const REGISTERS: usize = 256;

/// The lanes of a mask, ascending.
pub(super) fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..LANES).filter(move |lane| mask >> lane & 1 != 0)
}

/// A lane's place in its launch.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Invocation {
    /// The primitive in the warp.
    pub primitive: u32,
    /// SR_INVOCATION_ID.
    pub invocation: u32,
    /// Domain point.
    pub uv: [u32; 2],
}

/// Everything that decides what a warp does next, but memory.
#[derive(Clone)]
pub(super) struct State {
    /// Its number in the launch.
    pub number: u32,
    pub places: [Invocation; LANES],
    /// Lanes that have an invocation.
    pub live: u32,
    pub first_primitive: u32,
    /// Length of the map of vertex handles.
    pub handles: u32,

    pub control: Control,
    /// Instructions executed.
    pub clock: u64,
    pub registers: Vec<[u32; LANES]>,
    /// A mask of lanes for each predicate, PT included.
    pub predicates: [u32; 8],
    pub flags: [Flags; LANES],
    /// Bytes of each lane's local memory, one lane after the other.
    pub local: Vec<u8>,
    /// Bytes of the block's shared memory.
    pub shared: Vec<u8>,
    /// Lanes that put nothing out: those outside of the primitive, and killed ones.
    pub helpers: u32,
    /// The barrier to which the warp has just come.
    pub arrival: Option<Arrival>,
    /// Where it did.
    pub barrier_pc: u32,
    /// What `BAR.RED` found out.
    pub reduced: Reduced,
    pub logs: Vec<Log>,
}

impl State {
    /// Of warps of a launch, none of which has started.
    pub fn new(launch: &StageLaunch, meter: &Meter) -> Result<Self, Stop> {
        let local_size = local_size(launch);
        let shared_size = launch.shader.shared_memory.min(MAX_SHARED_MEMORY);
        meter.reserve(u64::from(WARP) * local_size as u64 + u64::from(shared_size))?;
        Ok(State {
            number: 0,
            places: [Invocation::default(); LANES],
            live: 0,
            first_primitive: 0,
            handles: 0,
            control: Control::default(),
            clock: 0,
            registers: vec![[0; LANES]; REGISTERS],
            predicates: [0; 8],
            flags: [Flags::default(); LANES],
            local: allocate(local_size * LANES)?,
            shared: allocate(shared_size as usize)?,
            helpers: 0,
            arrival: None,
            barrier_pc: 0,
            reduced: Reduced::default(),
            logs: vec![Log::default(); LANES],
        })
    }

    /// The lanes where a predicate holds.
    pub fn mask_of(&self, source: PredSource) -> u32 {
        let mask = self.predicates[usize::from(source.pred.0)];
        if source.not { !mask } else { mask }
    }

    /// About how many bytes it takes.
    pub fn bytes(&self) -> usize {
        size_of::<Self>()
            + size_of_val(&self.registers[..])
            + self.local.len()
            + self.shared.len()
            + size_of_val(&self.logs[..])
    }
}

/// Bytes of local memory that each lane of a launch needs: none, if no instruction accesses it.
pub(super) fn local_size(launch: &StageLaunch) -> usize {
    let Shader { code, local_memory, .. } = launch.shader;
    let uses_local = code.instructions().iter().any(|instruction| matches!(instruction.op().class(), Class::Local(_)));
    if uses_local { local_memory as usize } else { 0 }
}

/// A warp that runs, reused for one after the other.
pub(super) struct Warp<'a> {
    pub launch: &'a StageLaunch<'a>,
    options: &'a RunOptions<'a>,
    poller: Poller<'a>,
    pub header: Header,
    pub stage: Stage,
    pub strict: bool,
    pub code: &'a Code,
    pub inputs: Option<View<'a>>,
    pub outputs: Option<View<'a>>,
    pub patches: Option<View<'a>>,
    /// Index list and primitive numbers.
    pub primitives: Option<(Buffer<'a>, Buffer<'a>)>,
    pub state: State,
    /// The instruction that executes.
    pub pc: u32,
    /// The lane that executes it.
    pub lane: usize,
    report: LaunchReport,
    pub follow: Option<Follow<'a>>,
    tally: Option<Tally<'a>>,
    /// The image that was named last, with its handle: a card has to look for it.
    pub image: Option<(u32, Option<Image>)>,
    /// What warps do with shared memory, if somebody wants to know whether they race.
    pub races: Option<Races>,
    /// What the lane that executes has accessed of memory, if somebody wants to know.
    pub access: Option<Access<'a>>,
}

impl<'a> Warp<'a> {
    /// A warp in this state.
    pub fn new(
        launch: &'a StageLaunch<'a>,
        options: &'a RunOptions<'a>,
        meter: &'a Meter<'a>,
        follow: Option<Follow<'a>>,
        state: State,
    ) -> Self {
        Warp {
            launch,
            options,
            poller: Poller::new(meter),
            header: launch.shader.header.unwrap_or_default(),
            stage: launch.shader.stage(),
            strict: launch.environment.mode == Mode::Strict,
            code: launch.shader.code,
            inputs: launch.inputs.map(|records| records.view()),
            outputs: launch.outputs.map(|records| records.view()),
            patches: launch.patches.map(|records| records.view()),
            primitives: launch.primitives.map(|all| (all.indices.buffer(), all.ids.buffer())),
            state,
            pc: 0,
            lane: 0,
            report: LaunchReport::default(),
            follow,
            tally: options.counts.map(|counts| Tally::new(counts, LANES)),
            image: None,
            races: None,
            access: None,
        }
    }

    /// Leaves the warp where it is.
    pub fn leave(self) -> State {
        self.state
    }

    /// What all warps did.
    pub fn into_report(self) -> LaunchReport {
        self.report
    }

    /// The time of a group begins.
    pub fn begin_group(&mut self) {
        self.poller.begin_group();
    }

    /// Goes on to the next barrier where the warp waits, and says whether there was one: after the end there is none. `arrive` is told
    /// of barriers, and says whether the warp waits there.
    pub fn run_to_barrier(&mut self, mut arrive: impl FnMut(&Arrival) -> bool) -> Result<bool, Stop> {
        while self.step()? {
            if self.state.arrival.take().is_some_and(|arrival| arrive(&arrival)) && self.state.control.pc().is_some() {
                return Ok(true);
            }
        }
        self.finish();
        Ok(false)
    }

    /// Counts what the warp has executed.
    pub fn tally(&mut self) {
        if let Some(tally) = &mut self.tally {
            tally.finish((self.state.number * WARP..).take(LANES).map(|number| (number % AXIS, number / AXIS)));
        }
    }

    /// Runs warp `number` from its first instruction to the exit of its last lane.
    pub fn run(&mut self, number: u32) -> Result<(), Stop> {
        self.start(number);
        self.poller.begin_group();
        self.tell_start();
        let done = self.run_program();
        self.tell_end(done.as_ref().err().map(ToString::to_string));
        done?;
        self.tally();
        self.finish();
        Ok(())
    }

    fn run_program(&mut self) -> Result<(), Stop> {
        while self.step()? {}
        Ok(())
    }

    /// Executes the next instruction, and says whether there was one.
    pub fn step(&mut self) -> Result<bool, Stop> {
        let Some(pc) = self.state.control.pc() else { return Ok(false) };
        let first = self.state.number * WARP;
        self.poller.step(1, self.report.stats.instructions, || (first % AXIS, first / AXIS))?;
        let done = self.execute_at(pc).map_err(|kind| Trap {
            kind,
            stage: self.stage,
            pc: self.pc,
            warp: self.state.number,
            lane: self.lane as u32,
        });
        Ok(done.map(|()| true)?)
    }

    /// Writes down what the lanes have emitted, after the exit of the last one.
    pub fn finish(&self) {
        if let Some(emissions) = self.launch.emissions {
            for lane in lanes(self.state.live) {
                emissions.record(self.state.number * WARP + lane as u32, &self.state.logs[lane]);
            }
        }
    }

    /// Goes to the first instruction of warp `number`.
    pub fn start(&mut self, number: u32) {
        self.state.number = number;
        self.place_lanes();
        self.place_helpers();
        self.state.control = Control::new(self.state.live);
        self.state.clock = 0;
        self.state.registers.fill([0; LANES]);
        self.state.predicates = [0, 0, 0, 0, 0, 0, 0, u32::MAX];
        self.state.flags = [Flags::default(); LANES];
        self.state.local.fill(0);
        // The warps of a block start one after the other.
        if self.launch.grid.is_none_or(|grid| (number * WARP).is_multiple_of(grid.block_invocations())) {
            self.state.shared.fill(0);
        }
        (self.state.arrival, self.state.reduced) = (None, Reduced::default());
        self.state.logs.iter_mut().for_each(Log::clear);
        self.report.stats.groups += 1;
        self.report.stats.lanes += u64::from(self.state.live.count_ones());
    }

    fn place_lanes(&mut self) {
        let invocations = self.launch.invocations;
        self.state.live = 0;
        for lane in 0..LANES {
            let number = self.state.number * WARP + lane as u32;
            let primitive = invocations.get(Column::Primitive, number);
            let in_block = self.launch.grid.is_none_or(|grid| grid.has_thread(number));
            if primitive == NO_INVOCATION || !in_block {
                continue;
            }
            let get = |column| invocations.get(column, number);
            self.state.live |= 1 << lane;
            self.state.first_primitive = get(Column::FirstPrimitive);
            self.state.handles = get(Column::Handles);
            self.state.places[lane] = Invocation {
                primitive: primitive.wrapping_sub(self.state.first_primitive),
                invocation: get(Column::Invocation),
                uv: [get(Column::U), get(Column::V)],
            };
        }
    }

    /// Executes the instruction at `pc`, a byte address.
    fn execute_at(&mut self, pc: u32) -> Result<(), TrapKind> {
        let active = self.state.control.active();
        self.lane = active.trailing_zeros() as usize;
        self.pc = pc;
        if !pc.is_multiple_of(8) {
            return Err(TrapKind::MisalignedPc);
        }
        let index = self.code.index_at(pc).ok_or(TrapKind::PcOverflow)?;
        let instruction = self.code.instructions()[index];
        self.pc = Code::address(index);
        if self.state.clock >= self.options.step_limit {
            return Err(TrapKind::StepLimit);
        }
        self.state.clock += 1;
        self.report.stats.instructions += u64::from(active.count_ones());

        let mut taken = active & self.state.mask_of(instruction.guard());
        self.tell_before(&instruction, taken);
        let place = self.pc;
        self.tally.iter_mut().for_each(|tally| tally.add(place, lanes(taken)));
        let next = self.execute(&instruction, &mut taken);
        let done = next.and_then(|next| self.state.control.go(next, taken, Code::address(index + 1)));
        self.report_after(index, done);
        done
    }

    /// Executes the instruction in the lanes of `taken`, which loses those that a test of flow control excludes.
    fn execute(&mut self, instruction: &Instruction, taken: &mut u32) -> Result<Next, TrapKind> {
        // What only helps writes no memory.
        let lanes = if instruction.op().is_store() { *taken & !self.state.helpers } else { *taken };
        if refusal(instruction).is_some() {
            self.each(lanes, |_| Err(TrapKind::IllegalInstrEncoding))?;
            return Ok(Next::Following);
        }
        match instruction.op().class() {
            Class::Flow(op) => return self.flow(op, instruction, taken),
            Class::Exchange(op) => self.exchange(op, instruction, lanes),
            Class::Raw => self.each(lanes, |_| Err(TrapKind::IllegalInstrEncoding))?,
            Class::Attribute(op) => self.each(lanes, |warp| match op {
                AttributeOp::Ast => warp.store_attributes(instruction),
                AttributeOp::Ald => warp.load_attributes(instruction),
                AttributeOp::Al2p => warp.attribute_address(instruction),
                AttributeOp::Isberd => warp.vertex_handle(instruction),
                AttributeOp::Out => warp.emit(instruction),
            })?,
            Class::Special(SpecialOp::S2r | SpecialOp::Cs2r) => {
                self.each(lanes, |warp| warp.special_register(instruction))?;
            }
            Class::Move(op) => self.each(lanes, |warp| warp.choose(op, instruction))?,
            Class::Constant(ConstantOp::Ldc) => self.each(lanes, |warp| warp.load_constant(instruction))?,
            Class::Local(op) => self.each(lanes, |warp| warp.local_memory(op, instruction))?,
            Class::Global(op) => self.each(lanes, |warp| warp.global_memory(op, instruction))?,
            // There are no caches.
            Class::Cache(_) => {}
            Class::Video(op) => self.each(lanes, |warp| warp.video(op, instruction))?,
            Class::System(op) => self.each(lanes, |warp| warp.system(op, instruction))?,
            Class::Shared(op) => self.each(lanes, |warp| warp.shared_memory(op, instruction))?,
            Class::Atomic(op) => self.each(lanes, |warp| warp.atomic(op, instruction))?,
            Class::Fragment(op) => self.each(lanes, |warp| warp.fragment(op, instruction))?,
            Class::Texture(op) => self.texture(op, instruction, lanes)?,
            Class::Surface(op) => self.each(lanes, |warp| warp.surface(op, instruction))?,
            Class::Float(op) => self.each(lanes, |warp| warp.float(op, instruction))?,
            Class::Double(op) => self.each(lanes, |warp| warp.double(op, instruction))?,
            Class::Compare(op) => self.each(lanes, |warp| warp.compare(op, instruction))?,
            Class::Integer(op) => self.each(lanes, |warp| warp.integer(op, instruction))?,
            Class::Bits(op) => self.each(lanes, |warp| warp.bitwise(op, instruction))?,
            Class::Convert(op) => self.each(lanes, |warp| warp.convert(op, instruction))?,
            Class::Flags(op) => self.each(lanes, |warp| warp.transfer_flags(op, instruction))?,
            Class::Order(op) => match op {
                OrderOp::Nop | OrderOp::VoteVtg | OrderOp::Depbar | OrderOp::Membar => {}
                OrderOp::Bar => self.barrier(instruction, lanes)?,
            },
        }
        Ok(Next::Following)
    }

    /// Executes an instruction in these lanes, wherever the warp is. Gives whether nothing was wrong with that.
    pub fn execute_alone(&mut self, index: usize, mut lanes: u32) -> bool {
        let instruction = self.code.instructions()[index];
        self.pc = Code::address(index);
        self.lane = lanes.trailing_zeros() as usize;
        self.execute(&instruction, &mut lanes).is_ok() && self.report.warnings.is_empty()
    }

    /// Notes that the lane accesses bytes of memory; it does not if what was there cannot be kept.
    pub fn note_access(&mut self, space: &Space, address: u32, bytes: u32) -> Result<(), TrapKind> {
        self.access.as_mut().map_or(Ok(()), |access| access.note(space, address, bytes))
    }

    /// The number of the warp in its block.
    pub fn warp_of_block(&self) -> usize {
        let warps = self.launch.grid.map_or(1, |grid| grid.block_invocations() / WARP);
        (self.state.number % warps) as usize
    }

    /// Notes that the lane accesses bytes of shared memory.
    pub fn note_shared(&mut self, access: SharedAccess, bytes: Range<usize>) {
        let warp = self.warp_of_block();
        let Some(races) = &mut self.races else { return };
        let found = races.access((warp, self.pc), access, bytes);
        found.into_iter().for_each(|kind| self.warn(kind));
    }

    /// Executes something in each of these lanes.
    fn each(&mut self, mask: u32, mut execute: impl FnMut(&mut Self) -> Result<(), TrapKind>) -> Result<(), TrapKind> {
        for lane in lanes(mask) {
            self.lane = lane;
            execute(self)?;
        }
        Ok(())
    }

    /// Something that ends a strict run, and that a lenient one notes.
    pub fn violation(&mut self, kind: TrapKind) -> Result<(), TrapKind> {
        if self.strict {
            return Err(kind);
        }
        self.warn(WarningKind::Violation(kind));
        Ok(())
    }

    pub fn warn(&mut self, kind: WarningKind) {
        self.report.warnings.note(self.stage, self.pc, kind, self.state.number, self.lane as u32);
    }
}
