//! Compute code of SM50.

use crate::{Counts, Engine, Error, Program, ProgramUse, listing};
use ctm_follow::Observer;
use ctm_lane::counts;
use ctm_lane::domain::Lanes;
use ctm_lane::run::RunOptions;
use ctm_memory::{Arena, BASE_ALIGNMENT, Space};
use ctm_sm50::launch::{
    Constants, Environment, Grid, Invocations, LaunchReport, MAX_SHARED_MEMORY, Shader, StageLaunch,
};
use ctm_sm50::reference::Reference;
use ctm_sm50::{AttributeMap, Stage};

/// Compute code of SM50 with a grid of blocks of threads, global memory, and constant banks. It runs as often as wanted; memory
/// keeps what it holds from run to run.
///
/// What the driver writes into bank 0 for each launch, such as the sizes of block and grid, is there.
pub struct Threads {
    program: ctm_sm50::Program,
    grid: Grid,
    space: Space,
    constants: Constants,
    shared_memory: u32,
}

impl Threads {
    /// A launch of `blocks` blocks of `threads` threads along x, y and z.
    ///
    /// # Errors
    /// The program is not compute code, its check finds errors, or the sizes are not a launch.
    pub fn new(program: Program, blocks: [u32; 3], threads: [u32; 3]) -> Result<Self, Error> {
        let machine = program.machine();
        program.require_no_errors()?;
        match program {
            Program::Sm50(program) if program.header.is_none() => {
                let grid = Grid::new(blocks, threads).ok_or(Error::Grid)?;
                Ok(Threads {
                    program,
                    grid,
                    space: Space::default(),
                    constants: Constants::default(),
                    shared_memory: 0,
                })
            }
            Program::Sm50(program) => Err(Error::Compute(program.header.map_or(Stage::None, |header| header.stage))),
            Program::X1k(_) | Program::R700(_) => Err(Error::Machine { machine, wanted: ProgramUse::Threads }),
            Program::Pvs(_) => Err(Error::Machine { machine, wanted: ProgramUse::Threads }),
        }
    }

    /// Maps words at an address of global memory: a multiple of 2048, not 0.
    ///
    /// # Errors
    /// Nothing can be there, or something is.
    pub fn memory(mut self, address: u32, words: &[u32]) -> Result<Self, Error> {
        let size = (4 * words.len() as u64).max(1).next_multiple_of(BASE_ALIGNMENT.into());
        let size = u32::try_from(size).map_err(|_| ctm_memory::AppendError::Addresses { bytes: size })?;
        self.space.map(Arena::new(address, size)?)?;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.space.write_bytes(address, &bytes)?;
        Ok(self)
    }

    /// Gives a constant bank its words. Arguments of a kernel begin at byte 0x140 of bank 0.
    pub fn bank(mut self, bank: u8, words: &[u32]) -> Self {
        self.constants.set_bank(bank, words.to_vec());
        self
    }

    /// Gives each block so many bytes of shared memory. Without, blocks have none.
    ///
    /// # Errors
    /// They are more than 49152.
    pub fn shared_memory(mut self, bytes: u32) -> Result<Self, Error> {
        if bytes > MAX_SHARED_MEMORY {
            return Err(Error::SharedMemory(bytes));
        }
        self.shared_memory = bytes;
        Ok(self)
    }

    /// Runs all threads.
    ///
    /// # Errors
    /// A thread traps, or a limit of the engine is reached.
    pub fn run(&mut self, engine: &Engine) -> Result<LaunchReport, Error> {
        self.launch(|launch| Ok(engine.executor().run(launch, &engine.options())?))
    }

    /// Runs all threads by the reference, to the same results, and reports on one of them. Threads are counted block after
    /// block.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn follow(&mut self, engine: &Engine, thread: u32, observer: &mut dyn Observer) -> Result<LaunchReport, Error> {
        let invocation = self.grid.invocation_of(thread);
        self.launch(|launch| Ok(Reference.run_observed(launch, &engine.options(), invocation, observer)?))
    }

    /// Runs all threads by the reference, to the same results, and counts how often each instruction executed. Lanes are threads,
    /// counted block after block.
    ///
    /// # Errors
    /// As [`run`](Self::run), or there is no memory for the counts of the threads.
    pub fn count(&mut self, engine: &Engine) -> Result<(LaunchReport, Counts), Error> {
        let options = engine.options();
        let counts = counts::InstructionCounts::new(Lanes::Line(self.grid.invocations()), &options.budget)?;
        let options = RunOptions { counts: Some(&counts), ..options };
        let report = self.launch(|launch| Ok(engine.executor().run(launch, &options)?))?;
        let Counts { instructions, lanes } = Counts::new(listing::sm50(&self.program.code), &counts);
        let of_thread = |thread| lanes[self.grid.invocation_of(thread) as usize];
        Ok((report, Counts { instructions, lanes: (0..self.grid.threads()).map(of_thread).collect() }))
    }

    /// `count` words of global memory from an address on.
    ///
    /// # Errors
    /// They are not all mapped.
    pub fn read(&self, address: u32, count: usize) -> Result<Vec<u32>, Error> {
        self.space.check_range(address, count.saturating_mul(4))?;
        let mut bytes = vec![0; 4 * count];
        self.space.read_bytes(address, &mut bytes)?;
        Ok(bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect())
    }

    fn launch(&self, run: impl FnOnce(&StageLaunch) -> Result<LaunchReport, Error>) -> Result<LaunchReport, Error> {
        let constants = self.constants.clone();
        let environment = Environment { constants, memory: Some(&self.space), ..Environment::default() };
        let invocations = Invocations { count: self.grid.invocations(), columns: None };
        let shader = Shader { shared_memory: self.shared_memory, ..Shader::from(&self.program) };
        let launch = StageLaunch {
            grid: Some(self.grid),
            ..StageLaunch::new(shader, &environment, &invocations, AttributeMap::default())
        };
        if let Some(own) = launch.constants() {
            own.fit(&environment.constants)?;
        }
        run(&launch)
    }
}
