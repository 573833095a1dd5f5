//! Programs that draw by OpenGL, each in a process of its own that draws when it is told to: a shader in GLSL over a picture, or a scene
//! of triangles. Mesa draws, with its driver for CPUs, or with the one for the card that ctm is.

use crate::drawing::{Drawing, PeerError, beside, sizes, texels};
use crate::guest;
use crate::kernel::{Isa, Kernel};
use ctm_testkit::shaders::{Shader, Texture};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the programs' sources.
const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/gl");

/// Who draws.
#[derive(Clone, Debug)]
pub enum Driver {
    /// Mesa's driver for CPUs.
    Llvmpipe,
    /// Mesa's driver for a card, on that card of ctm.
    Card {
        /// Which card.
        model: CardModel,
        /// The library that has the card.
        library: PathBuf,
        /// How the driver lays textures and colour buffers out.
        layout: Layout,
    },
}

/// A card that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum CardModel {
    /// R580, whose fragment programs are X1K.
    R580,
    /// RV770, whose programs are R700.
    Rv770,
    /// GM107, whose programs are SM50.
    Gm107,
}

impl CardModel {
    /// All of them.
    pub const ALL: [CardModel; 3] = [CardModel::R580, CardModel::Rv770, CardModel::Gm107];
    /// The Radeons.
    pub const RADEONS: [CardModel; 2] = [CardModel::R580, CardModel::Rv770];

    /// Its name as `CTM_CARD` has it.
    pub const fn name(self) -> &'static str {
        match self {
            CardModel::R580 => "r580",
            CardModel::Rv770 => "rv770",
            CardModel::Gm107 => "gm107",
        }
    }

    /// What its pixel programs are, if kernels are compiled to that.
    pub const fn isa(self) -> Option<Isa> {
        match self {
            CardModel::R580 => Some(Isa::X1k),
            CardModel::Rv770 => Some(Isa::R700),
            CardModel::Gm107 => None,
        }
    }

    /// The name by which Mesa calls it, or a part of it.
    pub const fn renderer(self) -> &'static str {
        match self {
            CardModel::R580 => "R580",
            CardModel::Rv770 => "RV770",
            CardModel::Gm107 => "NV117",
        }
    }

    /// The variable that tells its driver how to lay memory out, if there is one.
    const fn variable(self) -> Option<&'static str> {
        match self {
            CardModel::R580 => Some("RADEON_DEBUG"),
            CardModel::Rv770 => Some("R600_DEBUG"),
            CardModel::Gm107 => None,
        }
    }
}

/// How a card's driver lays textures and colour buffers out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// In tiles, as it does unless it is told otherwise.
    Tiles,
    /// Row after row (`RADEON_DEBUG=notiling`, `R600_DEBUG=notiling`).
    Rows,
}

impl Driver {
    /// A card whose library lies beside this program.
    ///
    /// # Errors
    /// If it does not.
    pub fn card(model: CardModel, layout: Layout) -> Result<Self, PeerError> {
        let library = beside("libctm_drm.so").map_err(|error| PeerError::Library(error.to_string()))?;
        match library.exists() {
            true => Ok(Driver::Card { model, library, layout }),
            false => Err(PeerError::Library(format!("{} does not exist", library.display()))),
        }
    }

    /// Its name here.
    pub fn name(&self) -> &'static str {
        match self {
            Driver::Llvmpipe => "llvmpipe",
            Driver::Card { model, .. } => model.name(),
        }
    }

    /// The name by which Mesa calls what draws, or a part of it.
    pub fn renderer(&self) -> &'static str {
        match self {
            Driver::Llvmpipe => "llvmpipe",
            Driver::Card { model, .. } => model.renderer(),
        }
    }

    /// The variable that says how many threads a card has.
    pub fn card_threads(threads: usize) -> (&'static str, String) {
        ("CTM_CARD_THREADS", threads.to_string())
    }

    /// The variables by which a program is drawn by it.
    pub fn environment(&self, threads: usize) -> Vec<(&'static str, String)> {
        match self {
            Driver::Llvmpipe => vec![
                ("LIBGL_ALWAYS_SOFTWARE", "1".to_owned()),
                ("GALLIUM_DRIVER", "llvmpipe".to_owned()),
                ("LP_NUM_THREADS", threads.to_string()),
            ],
            Driver::Card { model, library, layout } => {
                let layout = if *layout == Layout::Rows { "notiling" } else { "" };
                let card = [
                    ("LD_PRELOAD", library.display().to_string()),
                    ("CTM_CARD", model.name().to_owned()),
                    Driver::card_threads(threads),
                ];
                card.into_iter().chain(model.variable().map(|variable| (variable, layout.to_owned()))).collect()
            }
        }
    }
}

/// The compiled programs.
#[derive(Debug)]
pub struct Programs {
    kernel: PathBuf,
    scene: PathBuf,
    cost: PathBuf,
}

impl Programs {
    /// Compiles them with `cc`, next to this program.
    ///
    /// # Errors
    /// If that fails.
    pub fn build() -> Result<Self, PeerError> {
        Ok(Programs { kernel: compiled("kernel")?, scene: compiled("scene")?, cost: compiled("cost")? })
    }

    /// Starts a kernel's shader for a picture of this size.
    ///
    /// # Errors
    /// If the shader cannot be drawn, or not by this driver.
    pub fn kernel(
        &self,
        kernel: &Kernel,
        size: (u32, u32),
        textures: &[guest::Texture],
        (driver, threads): (&Driver, usize),
    ) -> Result<Drawing, PeerError> {
        // A varying is what the programs for cards were compiled with.
        let position = match driver {
            Driver::Llvmpipe => "position",
            Driver::Card { .. } => "varying",
        };
        let mut command = Command::new(&self.kernel);
        command.arg(kernel.shader()).arg(position).args(sizes(size, &[])).arg("1");
        for (unit, texture) in textures.iter().enumerate() {
            let sides = [texture.width, texture.height].map(|side| side.to_string());
            command.arg("texture").arg(format!("tex{unit}")).args(sides);
        }
        started(command, kernel.name, &texels(textures), (driver, threads))
    }

    /// Starts a shader of the suite, on one thread. `IJ` is a varying if `varying` says so, else it comes from `gl_FragCoord`; `prepare`
    /// may add to the command.
    ///
    /// # Errors
    /// If the shader cannot be drawn, or not by this driver.
    pub fn shader(
        &self,
        shader: &Shader,
        varying: bool,
        driver: &Driver,
        prepare: impl FnOnce(&mut Command),
    ) -> Result<Drawing, PeerError> {
        let mut command = Command::new(&self.kernel);
        command.arg(&shader.path).arg(if varying { "varying" } else { "position" });
        command.args([shader.size.0, shader.size.1, shader.outputs].map(|number| number.to_string()));
        for texture in &shader.textures {
            let sides = [texture.width, texture.height].map(|side| side.to_string());
            command.arg("texture").arg(&texture.name).args(sides);
        }
        for (name, values) in &shader.uniforms {
            command.arg("uniform").arg(name).args(values.iter().map(f32::to_string));
        }
        prepare(&mut command);
        let texels: Vec<u8> = shader.textures.iter().flat_map(Texture::texels).flat_map(f32::to_le_bytes).collect();
        started(command, &shader.name, &texels, (driver, 1))
    }

    /// Starts a scene for a picture of this size.
    ///
    /// # Errors
    /// If it cannot be drawn, or not by this driver.
    pub fn scene(&self, name: &str, size: (u32, u32), driver: (&Driver, usize)) -> Result<Drawing, PeerError> {
        let mut command = Command::new(&self.scene);
        command.arg(name).args(sizes(size, &[]));
        started(command, name, &[], driver)
    }

    /// Starts so many of an item of the cost model.
    ///
    /// # Errors
    /// If it cannot be drawn, or not by this driver.
    pub fn cost(&self, item: &str, count: u32, driver: (&Driver, usize)) -> Result<Drawing, PeerError> {
        let mut command = Command::new(&self.cost);
        command.arg(item).arg(count.to_string());
        started(command, item, &[], driver)
    }
}

/// Starts a program that is to be drawn by this driver, and no other.
fn started(
    mut command: Command,
    what: &str,
    data: &[u8],
    (driver, threads): (&Driver, usize),
) -> Result<Drawing, PeerError> {
    command.envs(driver.environment(threads));
    let drawing = Drawing::start(command, what, data)?;
    match drawing.driver().contains(driver.renderer()) {
        true => Ok(drawing),
        false => Err(PeerError::OtherDriver { wanted: driver.renderer(), found: drawing.driver().to_owned() }),
    }
}

/// Compiles a program, and gives its path.
fn compiled(name: &str) -> Result<PathBuf, PeerError> {
    let failed = |error: io::Error| PeerError::Build(error.to_string());
    let program = beside(&format!("ctm-bench-{name}")).map_err(failed)?;
    let source = Path::new(SOURCES).join(name).with_extension("c");
    let arguments = [OsStr::new("-O2"), OsStr::new("-o"), program.as_os_str(), source.as_os_str()];
    let output = Command::new("cc").args(arguments).args(["-lEGL", "-lGL", "-lm"]).output().map_err(failed)?;
    match output.status.success() {
        true => Ok(program),
        false => Err(PeerError::Build(String::from_utf8_lossy(&output.stderr).into_owned())),
    }
}
