//! Random launches of threads and fragments, as hunts check them and files hold them: the code as text, after a line that says what it runs on.
//!
//! ```text
//! //; agree: blocks 17
//! ```
//!
//! The number is the seed of everything but the code.

use crate::random::Random;
use crate::sm50::comparison::ComparingRunner;
use crate::sm50::fragments::Looks;
use crate::sm50::{fragments, grids, images, textures};
use ctm_lane::run::RunOptions;
use ctm_sm50::launch::{Environment, Grid, Invocations, LaunchReport, Mode, Shader, StageLaunch, StageRunner, Stop};
use ctm_sm50::text;
use ctm_sm50::textures::{COMPUTE_HANDLE_BANK, HANDLE_BANK};
use std::path::Path;

const MARK: &str = "//; agree: ";

/// What a launch is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaunchKind {
    /// Fragments that look at others of their quad.
    Fragments,
    /// The same, which sample textures.
    Textures,
    /// The same, which access images, and do what else functions call for.
    Pictures,
    /// Threads that access images.
    Images,
    /// Threads with global memory.
    Threads,
    /// Threads that share memory, change it in atomic ways, and wait for each other.
    Sharing,
    /// The same, mostly without races.
    Blocks,
}

impl LaunchKind {
    /// All kinds.
    pub const ALL: [LaunchKind; 7] = [
        LaunchKind::Fragments,
        LaunchKind::Textures,
        LaunchKind::Threads,
        LaunchKind::Sharing,
        LaunchKind::Blocks,
        LaunchKind::Pictures,
        LaunchKind::Images,
    ];

    fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

/// A launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchDraft {
    /// What it is of.
    pub kind: LaunchKind,
    /// The seed of what the code runs on.
    pub seed: u64,
    /// The code.
    pub code: String,
}

impl LaunchDraft {
    /// A random one.
    pub fn random(kind: LaunchKind, seed: u64) -> Self {
        let random = &mut Random::new(seed);
        let code = match kind {
            LaunchKind::Fragments => fragments::program(random, Looks::AtNothing),
            LaunchKind::Textures => fragments::program(random, Looks::AtTextures),
            LaunchKind::Pictures => fragments::program(random, Looks::AtImages),
            LaunchKind::Images => images::kernel(random, grids::START),
            LaunchKind::Threads => grids::kernel(random),
            LaunchKind::Sharing => grids::block_kernel(random),
            LaunchKind::Blocks => grids::phase_kernel(random),
        };
        LaunchDraft { kind, seed, code }
    }

    /// Runs the launch.
    ///
    /// # Errors
    /// What it comes to, if not to its end.
    ///
    /// # Panics
    /// The code has mistakes, or the host has no memory for it.
    pub fn run(&self, runner: &dyn StageRunner) -> Result<LaunchReport, Stop> {
        let random = &mut Random::new(!self.seed);
        let program = text::parse(&self.code).unwrap_or_else(|errors| panic!("{}\n{errors:?}", self.code)).program;
        let memory = grids::memory(random);
        let mode = random.pick(&[Mode::Strict, Mode::Lenient]);
        let (textures, mut handles) = textures::textures(random);
        let mut environment = Environment { memory: Some(&memory), mode, textures, ..Environment::default() };
        let (images, image_handles) = images::images(random);
        environment.images = images;
        handles.resize(images::FIRST_HANDLE as usize, 0);
        handles.extend(image_handles);
        environment.constants.set_bank(COMPUTE_HANDLE_BANK, handles.clone());
        environment.constants.set_bank(HANDLE_BANK, handles);
        if random.one_in(2) {
            environment.constants.set_bank(0, vec![0; random.below(100)]);
        }
        let side = |random: &mut Random, most: usize| 1 + random.below(most) as u32;
        let grid = match self.kind {
            LaunchKind::Fragments | LaunchKind::Textures | LaunchKind::Pictures => None,
            LaunchKind::Threads | LaunchKind::Images => Some(grids::grid(random)),
            LaunchKind::Sharing | LaunchKind::Blocks => Grid::new([side(random, 5), 1, 1], [side(random, 128), 1, 1]),
        };
        let maps = program.header.map(|header| header.pixel).unwrap_or_default();
        let pixels = grid.is_none().then(|| fragments::pixels(random, &maps));
        let count = grid.map(|grid| grid.invocations()).or(pixels.as_ref().map(|pixels| pixels.invocations()));
        let invocations = Invocations { count: count.unwrap_or_default(), columns: None };
        let shader = Shader { shared_memory: grids::SHARED, ..Shader::from(&program) };
        let launch = StageLaunch {
            grid,
            pixels: pixels.as_ref(),
            ..StageLaunch::new(shader, &environment, &invocations, Default::default())
        };
        runner.run(&launch, &RunOptions { step_limit: 4000, ..crate::untimed() })
    }

    /// The launch as a file has it.
    pub fn print(&self) -> String {
        format!("{MARK}{} {}\n{}\n", self.kind.name(), self.seed, self.code)
    }

    /// The launch of a file.
    ///
    /// # Errors
    /// There is none in it.
    pub fn read(source: &str) -> Result<Self, String> {
        let (first, code) = source.split_once('\n').ok_or("there is no code")?;
        let line = first.strip_prefix(MARK).ok_or_else(|| format!("the first line does not begin with `{MARK}`"))?;
        let (kind, seed) = line.split_once(' ').ok_or("there is no seed")?;
        let known = LaunchKind::ALL.into_iter().find(|known| known.name() == kind);
        let kind = known.ok_or_else(|| format!("unknown kind of launch `{kind}`"))?;
        let seed = seed.trim().parse().map_err(|error| format!("the seed: {error}"))?;
        text::parse(code).map_err(|errors| errors[0].to_string())?;
        Ok(LaunchDraft { kind, seed, code: code.to_owned() })
    }

    /// Runs the launch of a file on all engines.
    ///
    /// # Errors
    /// There is none in it.
    ///
    /// # Panics
    /// An engine differs from the reference.
    pub fn check_file(path: &Path) -> Result<(), String> {
        let name = path.display();
        let source = std::fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
        let draft = Self::read(&source).map_err(|error| format!("{name}: {error}"))?;
        // That it traps is as good as that it ends: the engines agree.
        drop(draft.run(&ComparingRunner::new()));
        Ok(())
    }
}
