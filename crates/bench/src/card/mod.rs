//! The card: kernels drawn by OpenGL beside runs of the same program words, and scenes of triangles beside llvmpipe.

mod report;

pub use report::{json, page, text};

use crate::drawing::{Drawing, PeerError};
use crate::gl::{CardModel, Driver, Layout, Programs};
use crate::guest::{self, Guest};
use crate::kernel::{KERNELS, Kernel};
use crate::machine::Machine;
use crate::sample::Sample;
use crate::turn::{their_turn, turn};
use ctm_codegen::EngineName;
use ctm_testkit::picture::{Comparison, Tolerance};

/// Columns and rows of a scene's picture.
const SIZE: (u32, u32) = (1024, 1024);
/// Seconds that one side works before it is the other's turn, about: so long that caches are its own, as in a run of many pictures.
const TURN: f64 = 0.04;
/// How many times as long as a run a kernel may take on the card.
const MOST: f64 = 1.15;

/// A scene of `gl/scene.c`.
#[derive(Debug)]
pub struct Scene {
    /// Its name.
    pub name: &'static str,
    /// Share of the pixels that may be far from llvmpipe's: those at the edges of triangles, as cards count places in other steps.
    outliers: f64,
}

/// All scenes.
pub const SCENES: [Scene; 3] = [
    Scene { name: "mesh", outliers: 0.001 },
    Scene { name: "random", outliers: 0.03 },
    Scene { name: "gouraud", outliers: 0.01 },
];

/// Channels of 0 to 255 that match although colours are rounded several times.
const CLOSE: f32 = 8.0;

/// What is measured, and how.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The cards; none for all.
    pub cards: Vec<CardModel>,
    /// The names of kernels and scenes; none for all.
    pub only: Vec<String>,
    /// Threads of each side.
    pub threads: usize,
    /// Turns of each side.
    pub rounds: usize,
}

/// What one kernel did.
#[derive(Debug)]
pub struct KernelRow {
    /// The kernel.
    pub kernel: &'static Kernel,
    /// Times of runs of its words.
    pub run: Sample,
    /// Times of draws from and to memory row by row.
    pub rows: Sample,
    /// Times of draws from and to tiles.
    pub tiles: Sample,
    /// Pixels with other bits than the run's, in either drawing.
    pub wrong: usize,
}

impl KernelRow {
    /// How many times as long as a run a draw takes.
    pub fn ratio(&self) -> f64 {
        self.rows.least() / self.run.least()
    }
}

/// What one scene did.
#[derive(Debug)]
pub struct SceneRow {
    /// The scene.
    pub scene: &'static Scene,
    /// Times with textures and buffers row by row.
    pub rows: Sample,
    /// Times with tiles.
    pub tiles: Sample,
    /// Times of llvmpipe.
    pub llvmpipe: Sample,
    /// The card's picture, compared with llvmpipe's.
    pub comparison: Comparison,
}

impl SceneRow {
    /// How many times as fast as llvmpipe the card is.
    pub fn ratio(&self) -> f64 {
        self.llvmpipe.least() / self.rows.least()
    }
}

/// What a card did.
#[derive(Debug)]
pub struct CardRows {
    /// Which one.
    pub model: CardModel,
    /// Its driver.
    pub driver: String,
    /// The kernels.
    pub kernels: Vec<KernelRow>,
    /// The scenes.
    pub scenes: Vec<SceneRow>,
}

/// Everything that was measured.
#[derive(Debug)]
pub struct Measurement {
    /// What was asked for.
    pub plan: Plan,
    /// Where.
    pub machine: Machine,
    /// The driver that scenes are compared with.
    pub llvmpipe: String,
    /// The cards.
    pub cards: Vec<CardRows>,
}

/// The names of what can be measured.
pub fn names() -> Vec<&'static str> {
    kernels().map(|kernel| kernel.name).chain(SCENES.iter().map(|scene| scene.name)).collect()
}

/// The kernels that fit on the card.
fn kernels() -> impl Iterator<Item = &'static Kernel> {
    KERNELS.iter().filter(|kernel| kernel.size.is_none())
}

/// Who draws.
struct Drivers {
    programs: Programs,
    rows: Driver,
    tiles: Driver,
    threads: usize,
}

impl Measurement {
    /// Measures. `progress` is told the name of what comes next.
    ///
    /// # Errors
    /// If the card or llvmpipe cannot be measured.
    pub fn new(plan: Plan, progress: impl Fn(&str)) -> Result<Self, PeerError> {
        let machine = Machine::new();
        let is_wanted = |name: &str| plan.only.is_empty() || plan.only.iter().any(|wanted| wanted == name);
        let is_chosen = |model: &CardModel| plan.cards.is_empty() || plan.cards.contains(model);
        let (mut llvmpipe, mut cards) = (String::new(), Vec::new());
        for model in CardModel::RADEONS.into_iter().filter(is_chosen) {
            let (rows, tiles) = (Driver::card(model, Layout::Rows)?, Driver::card(model, Layout::Tiles)?);
            let drivers = Drivers { programs: Programs::build()?, rows, tiles, threads: plan.threads };
            let mut names = [String::new(), String::new()];
            let mut kernel_rows = Vec::new();
            for kernel in kernels().filter(|kernel| is_wanted(kernel.name)) {
                let run = model.isa().and_then(|isa| guest::load(kernel, isa, EngineName::fastest()));
                let Some(run) = run else { continue };
                progress(&format!("{} on {}", kernel.name, model.name()));
                kernel_rows.push(drivers.kernel(kernel, &*run, plan.rounds, &mut names)?);
            }
            let mut scene_rows = Vec::new();
            for scene in SCENES.iter().filter(|scene| is_wanted(scene.name)) {
                progress(&format!("{} on {}", scene.name, model.name()));
                scene_rows.push(drivers.scene(scene, plan.rounds, &mut names)?);
            }
            let [driver, other] = names;
            if !other.is_empty() {
                llvmpipe = other;
            }
            cards.push(CardRows { model, driver, kernels: kernel_rows, scenes: scene_rows });
        }
        Ok(Measurement { plan, machine, llvmpipe, cards })
    }

    /// Whether all pictures are right.
    pub fn pictures_agree(&self) -> bool {
        self.cards.iter().all(|card| {
            card.kernels.iter().all(|row| row.wrong == 0) && card.scenes.iter().all(|row| row.comparison.passes)
        })
    }
}

impl Drivers {
    fn kernel(
        &self,
        kernel: &'static Kernel,
        run: &dyn Guest,
        rounds: usize,
        names: &mut [String; 2],
    ) -> Result<KernelRow, PeerError> {
        let size = run.size();
        let start = |driver| self.programs.kernel(kernel, size, &run.textures(), (driver, self.threads));
        let mut drawings = [start(&self.rows)?, start(&self.tiles)?];
        drawings[0].driver().clone_into(&mut names[0]);
        run.run(self.threads);
        let wanted = run.picture();
        let mut wrong = 0;
        for drawing in &mut drawings {
            drawing.draw(1)?;
            let picture = drawing.floats(size)?;
            let differs = |(one, other): &(&[f32; 4], &[f32; 4])| one.map(f32::to_bits) != other.map(f32::to_bits);
            wrong += picture.iter().zip(&wanted).filter(differs).count() + picture.len().abs_diff(wanted.len());
        }
        let [mut own, mut rows, mut tiles] = [(); 3].map(|()| Sample::default());
        for _ in 0..rounds {
            own.add(turn(TURN, run, self.threads));
            let times = take_turns(&mut drawings)?;
            rows.add(times[0]);
            tiles.add(times[1]);
        }
        Ok(KernelRow { kernel, run: own, rows, tiles, wrong })
    }

    fn scene(&self, scene: &'static Scene, rounds: usize, names: &mut [String; 2]) -> Result<SceneRow, PeerError> {
        let start = |driver| self.programs.scene(scene.name, SIZE, (driver, self.threads));
        let mut drawings = [start(&self.rows)?, start(&self.tiles)?, start(&Driver::Llvmpipe)?];
        *names = [&drawings[0], &drawings[2]].map(|drawing| drawing.driver().to_owned());
        let mut pictures = Vec::new();
        for drawing in &mut drawings {
            drawing.draw(1)?;
            pictures.push(drawing.colours(SIZE)?);
        }
        let tolerance = Tolerance { absolute: CLOSE, relative: 0.0, outliers: scene.outliers };
        let [in_rows, in_tiles] = [0, 1].map(|card| tolerance.compare(&pictures[card], &pictures[2]));
        let comparison = if in_rows.wrong > in_tiles.wrong { in_rows } else { in_tiles };
        let [mut rows, mut tiles, mut llvmpipe] = [(); 3].map(|()| Sample::default());
        for _ in 0..rounds {
            let times = take_turns(&mut drawings)?;
            rows.add(times[0]);
            tiles.add(times[1]);
            llvmpipe.add(times[2]);
        }
        Ok(SceneRow { scene, rows, tiles, llvmpipe, comparison })
    }
}

/// The seconds that each takes for a picture.
fn take_turns<const N: usize>(drawings: &mut [Drawing; N]) -> Result<[f64; N], PeerError> {
    let mut times = [0.0; N];
    for (time, drawing) in times.iter_mut().zip(drawings) {
        *time = their_turn(TURN, drawing)?;
    }
    Ok(times)
}
