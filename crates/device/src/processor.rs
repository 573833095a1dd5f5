//! The processor execution unit: runs command buffers.

use crate::cache::Caches;
use crate::command::{Command, Notation, Packet, decode, words_of};
use crate::counters::{Clock, Counters};
use crate::fault::{Cause, Fault, MemoryClient, ProgramError, StateError};
use crate::options::Options;
use crate::params;
use crate::program::{ProgramCache, read_image};
use crate::recorder::{Patch, Recorder};
use crate::region::{self, PAGE, Region, Use};
use crate::report::Report;
use crate::state::State;
use ctm_codegen::NoEngine;
use ctm_engine::Executor;
use ctm_lane::budget::{Halt, Limits};
use ctm_lane::clock::Instant;
use ctm_memory::Space;
use ctm_x1k::{Constants, IntConstant, Interpolants, Job, Program, RunError, RunOptions};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Threads of a run, at most.
const MOST_THREADS: usize = 1024;

/// Executes command buffers on an address space, in the order given, each to its end.
///
/// This is the device without its connection: no queue, no thread. Whatever the words are, execution ends (each group
/// of lanes within the step limit and the time of the options) and leaves at most a [`Fault`].
///
/// Every `start_program` runs to its end before the next command is read; so state that changes later never affects
/// it, and `wait_for_idle` has nothing to wait for. Commands that should wait for it and do not are executed all the
/// same.
#[derive(Debug)]
pub struct Processor {
    memory: Space,
    options: Options,
    state: State,
    clock: Clock,
    counters: Counters,
    programs: ProgramCache,
    /// Keeps the kernels of the programs that ran last.
    executor: Executor,
    caches: Option<Caches>,
    recorder: Option<Recorder>,
}

impl Processor {
    /// A device after reset.
    ///
    /// # Errors
    /// If the host cannot have the engine of the options.
    pub fn new(memory: Space, options: Options) -> Result<Self, NoEngine> {
        let clock = if options.deterministic_clock { Clock::Deterministic(0) } else { Clock::Real(Instant::now()) };
        Ok(Processor {
            caches: options.strict.then(|| Caches::new(memory.clone())),
            memory,
            options,
            state: State::default(),
            clock,
            counters: Counters::default(),
            programs: ProgramCache::default(),
            executor: options.engine.executor()?,
            recorder: None,
        })
    }

    /// The address space.
    pub fn memory(&self) -> &Space {
        &self.memory
    }

    /// The registers.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Changes what each start of a program may use, from the next one on.
    pub fn set_limits(&mut self, limits: Limits) {
        self.options.limits = limits;
    }

    /// Takes what strict mode has found so far.
    pub fn take_reports(&mut self) -> Vec<Report> {
        self.caches.as_mut().map(Caches::take_reports).unwrap_or_default()
    }

    /// Keeps a record of the memory that commands reach, from here on.
    pub(crate) fn record(&mut self) {
        self.recorder = Some(Recorder::new(self.memory.clone()));
    }

    /// Ends the record of a buffer, if one is kept: how memory was before it, and how the buffer changed it.
    pub(crate) fn end_record(&mut self) -> Option<(Vec<Patch>, Vec<Patch>)> {
        self.recorder.as_mut().map(Recorder::end_buffer)
    }

    /// Executes the command buffer of `words` words that is in memory at `address`; it ends where the memory ends.
    pub(crate) fn execute_at(&mut self, buffer: u32, address: u32, words: u32) -> Result<(), Fault> {
        let region = available(&self.memory, address, 4 * u64::from(words));
        if let Some(recorder) = &mut self.recorder {
            recorder.reads(region);
        }
        let halted = |halt| Fault { buffer, offset: 0, cause: Cause::Limit(halt) };
        let words = copy_words(&self.memory, region).map_err(halted)?;
        self.execute(buffer, &words)
    }

    /// Executes a command buffer. `buffer` names it in errors and reports.
    ///
    /// At its end all that it started has finished and is in memory.
    ///
    /// # Errors
    ///
    /// The first thing that went wrong. Commands with errors have no effect, but for those that the [`ErrorCode`] names;
    /// the commands after them were executed all the same, except after [`ErrorCode::Opcode`].
    ///
    /// [`ErrorCode`]: crate::ErrorCode
    /// [`ErrorCode::Opcode`]: crate::ErrorCode::Opcode
    pub fn execute(&mut self, buffer: u32, words: &[u32]) -> Result<(), Fault> {
        let mut first = None;
        if let Some(caches) = &mut self.caches {
            caches.begin_buffer(buffer);
        }
        for item in decode(words) {
            let (offset, result) = match item {
                Ok((offset, packet)) => (offset, aligned(&packet).and_then(|()| self.command(offset, &packet.command))),
                Err(error) => (error.offset(), Err(error.into())),
            };
            if let Err(cause) = result {
                first.get_or_insert(Fault { buffer, offset, cause });
            }
        }
        if let Some(caches) = &mut self.caches {
            caches.end_buffer();
        }
        first.map_or(Ok(()), Err)
    }

    fn command(&mut self, offset: usize, command: &Command) -> Result<(), Cause> {
        if let Some(caches) = &mut self.caches {
            caches.command(offset, command);
        }
        match *command {
            Command::StartProgram => return self.start_program(),
            Command::InitPerfCounters { enable } => self.counters.init(enable),
            Command::StartPerfCounters => self.counters.start(self.clock.now()),
            Command::StopPerfCounters => self.counters.stop(self.clock.now()),
            Command::ReadPerfCounters { base } => return self.read_counters(base),
            _ => self.state.set(command),
        }
        Ok(())
    }

    fn read_counters(&mut self, base: u32) -> Result<(), Cause> {
        let Some(counters) = self.counters.read(self.clock.now()) else { return Ok(()) };
        let bytes: Vec<u8> = counters.into_iter().flat_map(u32::to_le_bytes).collect();
        let region = Region { base, bytes: bytes.len() as u64 };
        if let Some(caches) = &mut self.caches {
            caches.before_write(region);
        }
        if let Some(recorder) = self.recorder.as_mut().filter(|_| self.options.deterministic_clock) {
            recorder.writes(region);
        }
        self.memory.write_bytes(base, &bytes).map_err(|_| Cause::Address { client: MemoryClient::Counters, base })
    }

    /// Runs the current program over the domain. An empty domain asks for nothing, not even a program.
    fn start_program(&mut self) -> Result<(), Cause> {
        if self.state.domain.is_empty() {
            return Ok(());
        }
        let started = self.clock.now();
        let program = self.program()?;
        self.state.check(&program.references)?;
        let (constants, outside) = self.constants(&program);
        let interpolants = self.interpolants(&program)?;
        let memory = self.memory.clone();
        let job = Job {
            constants,
            interpolants,
            inputs: self.state.inputs.map(|binding| binding.surface()),
            outputs: self.state.outputs.map(|binding| binding.surface()),
            out_mask: self.state.out_mask,
            conditional: self.state.conditional(),
            unfused: self.options.unfused,
            ..Job::new(&program, self.state.domain, &memory)
        };
        job.check().map_err(|error| Cause::State(error.into()))?;
        let uses = region::uses(&job);
        if let Some(recorder) = &mut self.recorder {
            uses.iter().for_each(|used| recorder.uses(used));
        }
        let options = self.run_options();
        let run = |job: &Job| self.executor.run(job, &options);
        let result = match &mut self.caches {
            None => run(&job),
            Some(caches) => caches.run(&job, &uses, run),
        };
        let stats = result.map_err(|error| match error {
            RunError::State(error) => Cause::State(error.into()),
            RunError::Trap(trap) => Cause::Trap(trap),
            RunError::Halted(halt) => Cause::Limit(halt),
        });
        if let Ok(stats) = &stats {
            self.clock.executed(stats.instructions);
        }
        self.counters.busy(self.clock.now().saturating_sub(started));
        let left_memory = stats?.out_of_range.then(|| self.outside(&uses)).flatten();
        match outside.or(left_memory) {
            Some(cause) => Err(cause),
            None => Ok(()),
        }
    }

    fn run_options(&self) -> RunOptions<'static> {
        RunOptions {
            group_width: self.options.group_width,
            threads: self.options.threads.min(MOST_THREADS),
            step_limit: self.options.step_limit,
            budget: self.options.limits.start(),
            ..RunOptions::default()
        }
    }

    /// The client whose buffer leaves the mapped memory: one of those that the program's notes name, or an input that they
    /// do not name.
    fn outside(&self, uses: &[Use]) -> Option<Cause> {
        let inputs = (0..).zip(&self.state.inputs).filter_map(|(n, binding)| Some((n, binding.surface()?)));
        let unnamed = inputs.map(|(n, surface)| (MemoryClient::Input(n), surface, Region::of_input(&surface)));
        let named = uses.iter().map(|used| (used.client, used.surface, used.region));
        let (client, surface, _) = named.chain(unnamed).find(|(_, _, region)| !region.is_mapped(&self.memory))?;
        Some(Cause::Address { client, base: surface.base })
    }

    /// The program whose image is at the address of `set_inst_fmt`.
    fn program(&mut self) -> Result<Arc<Program>, Cause> {
        let address = self.state.inst.ok_or(ProgramError::NoneSet)?;
        if self.memory.arena_of(address, 1).is_none() {
            return Err(Cause::Address { client: MemoryClient::Inst, base: address });
        }
        let image = read_image(address, |address, bytes| self.fetch(MemoryClient::Inst, address, bytes));
        if let Some(caches) = &mut self.caches {
            // What the cache has may not be an image, or a shorter one.
            let in_memory = read_image(address, |address, bytes| {
                let length = available(&self.memory, address, bytes.len() as u64).bytes as usize;
                self.memory.read_bytes(address, &mut bytes[..length]).map_or(0, |()| length)
            });
            let bytes = image.len().max(in_memory.len()) as u64;
            caches.check_read(MemoryClient::Inst, Region { base: address, bytes });
        }
        Ok(self.programs.load(image, address)?)
    }

    /// The constants as memory has them, and what of them the program wants and memory has not.
    fn constants(&mut self, program: &Program) -> (Constants, Option<Cause>) {
        let mut constants = Constants::default();
        let notes = &program.references;
        let last = |indices: &BTreeSet<u8>| indices.last().map(|&index| usize::from(index));
        let State { constf, consti, constb, .. } = self.state;
        let mut outside = None;
        let mut read = |client, base: Option<u32>, last: Option<usize>, size: usize, bytes: &mut [u8]| {
            let Some(base) = base else { return };
            let found = self.fetch(client, base, bytes);
            let wanted = last.map_or(0, |last| (last + 1) * size);
            if let Some(caches) = &mut self.caches {
                caches.check_read(client, Region { base, bytes: wanted as u64 });
            }
            if wanted > found {
                outside.get_or_insert(Cause::Address { client, base });
            }
        };
        let mut floats = [0; size_of::<[[u32; 4]; ctm_x1k::FLOAT_CONSTANTS]>()];
        read(MemoryClient::ConstF, constf, last(&notes.float_constants), 16, &mut floats);
        for (constant, bytes) in constants.floats.as_flattened_mut().iter_mut().zip(floats.as_chunks().0) {
            *constant = u32::from_le_bytes(*bytes);
        }
        let mut ints = [0; 4 * ctm_x1k::INT_CONSTANTS];
        read(MemoryClient::ConstI, consti, last(&notes.int_constants), 4, &mut ints);
        for (constant, bytes) in constants.ints.iter_mut().zip(ints.as_chunks().0) {
            *constant = IntConstant::from_dword(u32::from_le_bytes(*bytes));
        }
        let mut bools = [0; 4 * ctm_x1k::BOOL_CONSTANTS];
        read(MemoryClient::ConstB, constb, last(&notes.bool_constants), 4, &mut bools);
        for (constant, bytes) in constants.bools.iter_mut().zip(bools.as_chunks::<4>().0) {
            *constant = bytes[0] != 0;
        }
        (constants, outside)
    }

    /// The interpolated inputs, if the program takes some.
    fn interpolants(&mut self, program: &Program) -> Result<Option<Interpolants>, Cause> {
        if !program.info.takes_interpolants() {
            return Ok(None);
        }
        let base = self.state.params.ok_or(StateError::NoParams)?;
        let mut bytes = [0; params::BLOCK_BYTES];
        let found = self.fetch(params::CLIENT, base, &mut bytes);
        if found == 0 {
            return Err(Cause::Address { client: params::CLIENT, base });
        }
        Ok(Some(params::read(base, &bytes[..found], &program.info)?))
    }

    /// Copies what a client sees from `address` on, as far as one arena goes; returns how many bytes that were.
    fn fetch(&mut self, client: MemoryClient, address: u32, bytes: &mut [u8]) -> usize {
        let region = available(&self.memory, address, bytes.len() as u64);
        let bytes = &mut bytes[..region.bytes as usize];
        if let Some(recorder) = &mut self.recorder {
            recorder.reads(region);
        }
        match &mut self.caches {
            Some(caches) => caches.read(client, &region, bytes),
            // All of these bytes are mapped, or there are none.
            None => self.memory.read_bytes(address, bytes).unwrap_or_default(),
        }
        bytes.len()
    }
}

/// The words of a region that is mapped, or has no bytes.
fn copy_words(memory: &Space, region: Region) -> Result<Vec<u32>, Halt> {
    let mut words = Vec::new();
    let no_memory = |_| Halt::NoMemory { bytes: region.bytes };
    words.try_reserve_exact((region.bytes / 4) as usize).map_err(no_memory)?;
    for page in region.pages() {
        let mut bytes = [0; PAGE as usize];
        let bytes = &mut bytes[..page.bytes as usize];
        memory.read_bytes(page.base, bytes).unwrap_or_default();
        words.extend(words_of(bytes));
    }
    Ok(words)
}

/// As much of `bytes` bytes at `address` as one arena has.
fn available(memory: &Space, address: u32, bytes: u64) -> Region {
    let arena = memory.arena_of(address, 1);
    let rest = arena.map_or(0, |arena| u64::from(arena.size() - (address - arena.base())));
    Region { base: address, bytes: bytes.min(rest) }
}

/// Refuses an address whose lower bits its field does not hold.
fn aligned(packet: &Packet) -> Result<(), Cause> {
    let parameters = packet.command.parameters();
    let addresses = packet.command.info().fields.iter().filter(|row| row.notation == Notation::Hex && row.shift > 0);
    for row in addresses {
        let multiple = 1 << row.shift;
        let low = packet.reserved[row.field.word] & (multiple - 1);
        if low != 0 {
            return Err(Cause::Misaligned { field: row.field.name, value: row.get(&parameters) | low, multiple });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_that_the_host_has_no_memory_for_is_an_error() {
        let region = Region { base: 0, bytes: 1 << 62 };
        assert_eq!(copy_words(&Space::default(), region), Err(Halt::NoMemory { bytes: 1 << 62 }));
    }
}
