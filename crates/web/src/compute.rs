//! Compute code of SM50: threads over one piece of global memory.

use ctm_debug::Session;
use ctm_follow::Observer;
use ctm_gpu::{Counts, Engine, Error, Program, Threads};
use ctm_lane::run::RunOptions;
use ctm_memory::{Arena, BASE_ALIGNMENT, Space};
use ctm_sm50::AttributeMap;
use ctm_sm50::debug::{DebugError, LaunchCopy, listing, session};
use ctm_sm50::launch::{DEFAULT_STEP_LIMIT, Environment, Grid, Invocations, Shader, StageLaunch};
use serde::Deserialize;

/// What a launch needs beside its program.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(default)]
pub struct LaunchSettings {
    /// Blocks along x, y, z.
    pub blocks: [u32; 3],
    /// Threads of a block along x, y, z.
    pub threads: [u32; 3],
    /// Where global memory begins.
    pub address: u32,
    /// How many words it has.
    pub words: u32,
}

impl Default for LaunchSettings {
    fn default() -> Self {
        LaunchSettings { blocks: [1; 3], threads: [32, 1, 1], address: 0x10000, words: 64 }
    }
}

/// Most words of memory that a page shows.
const MOST_WORDS: u32 = 1 << 20;

impl LaunchSettings {
    fn threads(&self, program: &Program) -> Result<Threads, Error> {
        let words = vec![0; self.words.min(MOST_WORDS) as usize];
        Threads::new(program.clone(), self.blocks, self.threads)?.memory(self.address, &words)
    }

    /// Runs all threads, and gives the words that they leave.
    ///
    /// # Errors
    /// The settings are not a launch of the program, or a thread traps.
    pub fn run(&self, program: &Program, engine: &Engine) -> Result<Vec<u32>, Error> {
        let mut threads = self.threads(program)?;
        threads.run(engine)?;
        threads.read(self.address, self.words.min(MOST_WORDS) as usize)
    }

    /// Counts the instructions of all threads.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn count(&self, program: &Program, engine: &Engine) -> Result<Counts, Error> {
        Ok(self.threads(program)?.count(engine)?.1)
    }

    /// Follows a thread.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn follow(
        &self,
        program: &Program,
        engine: &Engine,
        thread: u32,
        observer: &mut dyn Observer,
    ) -> Result<(), Error> {
        self.threads(program)?.follow(engine, thread, observer).map(drop)
    }

    /// A debugger session over the warp of a thread; `None` if the settings are not a launch of the program.
    ///
    /// # Errors
    /// There is no memory for it, or no such thread.
    pub fn session(&self, program: &Program, thread: u32) -> Result<Option<Session>, DebugError> {
        let (Program::Sm50(program), Some(grid)) = (program, Grid::new(self.blocks, self.threads)) else {
            return Ok(None);
        };
        let mut space = Space::default();
        let bytes = (4 * self.words.clamp(1, MOST_WORDS)).next_multiple_of(BASE_ALIGNMENT);
        let Ok(arena) = Arena::new(self.address, bytes) else { return Ok(None) };
        space.map(arena).expect("nothing else is there");
        let environment = Environment { memory: Some(&space), ..Environment::default() };
        let invocations = Invocations { count: grid.invocations(), columns: None };
        let shader = Shader::from(program);
        let launch = StageLaunch {
            grid: Some(grid),
            ..StageLaunch::new(shader, &environment, &invocations, AttributeMap::default())
        };
        let copy = LaunchCopy::of(&launch, 0)?;
        let options = RunOptions { step_limit: DEFAULT_STEP_LIMIT, ..RunOptions::default() };
        session(vec![copy], Some(&space), Vec::new(), &options, listing(&[shader]), (thread, 0)).map(Some)
    }
}
