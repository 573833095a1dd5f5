//! Programs that draw by OpenGL, each in a process of its own that draws when it is told to: a shader in GLSL over a picture, or a scene
//! of triangles. Mesa draws, with its driver for CPUs, or with the one for the card that ctm is.

use crate::guest::Texture;
use crate::kernel::Kernel;
use crate::{picture, texture};
use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use thiserror::Error;

/// The folder of the programs' sources.
const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/gl");

/// Who draws.
#[derive(Clone, Debug)]
pub enum Driver {
    /// Mesa's driver for CPUs.
    Llvmpipe,
    /// Mesa's driver for Radeons, on a card of ctm.
    Card {
        /// The library that has the card.
        library: PathBuf,
        /// How the driver lays textures and colour buffers out.
        layout: Layout,
    },
}

/// How a card's driver lays textures and colour buffers out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// In tiles, as it does unless it is told otherwise.
    Tiles,
    /// Row after row (`RADEON_DEBUG=notiling`).
    Rows,
}

impl Driver {
    /// The card whose library lies beside this program.
    ///
    /// # Errors
    /// If it does not.
    pub fn card(layout: Layout) -> Result<Self, GlError> {
        let library = beside("libctm_drm.so").map_err(|error| GlError::Library(error.to_string()))?;
        match library.exists() {
            true => Ok(Driver::Card { library, layout }),
            false => Err(GlError::Library(format!("{} does not exist", library.display()))),
        }
    }

    /// The name by which Mesa calls what draws, or a part of it.
    fn renderer(&self) -> &'static str {
        match self {
            Driver::Llvmpipe => "llvmpipe",
            Driver::Card { .. } => "R580",
        }
    }

    fn environment(&self, threads: usize) -> Vec<(&'static str, String)> {
        match self {
            Driver::Llvmpipe => vec![
                ("LIBGL_ALWAYS_SOFTWARE", "1".to_owned()),
                ("GALLIUM_DRIVER", "llvmpipe".to_owned()),
                ("LP_NUM_THREADS", threads.to_string()),
            ],
            Driver::Card { library, layout } => vec![
                ("LD_PRELOAD", library.display().to_string()),
                ("CTM_CARD", "r580".to_owned()),
                ("CTM_CARD_THREADS", threads.to_string()),
                ("RADEON_DEBUG", if *layout == Layout::Rows { "notiling".to_owned() } else { String::new() }),
            ],
        }
    }
}

/// Why a program cannot be measured.
#[derive(Debug, Error)]
pub enum GlError {
    /// The compiler is missing, or it found no headers or libraries.
    #[error(
        "the programs of {SOURCES} do not compile: {0}\ninstall a C compiler and Mesa, on Debian with\n  apt-get install -y gcc \
         libc6-dev libegl1 libegl-dev libgl-dev libgbm-dev libgl1-mesa-dri"
    )]
    Build(String),
    /// The program ended, or said what makes no sense.
    #[error(
        "{what} is not drawn: {cause}\nif Mesa's drivers are missing, install them, on Debian with\n  apt-get install -y libegl1 \
         libgl1-mesa-dri"
    )]
    Draw {
        /// The shader or scene.
        what: String,
        /// What happened.
        cause: io::Error,
    },
    /// Another driver answered.
    #[error("OpenGL is to be drawn by {wanted} here, but it is drawn by {found}")]
    OtherDriver {
        /// The driver that was asked for.
        wanted: &'static str,
        /// The one that there is.
        found: String,
    },
    /// There is no card.
    #[error("the card's library is missing: {0}\nbuild it with\n  cargo build --release -p ctm-drm")]
    Library(String),
}

/// A file in the folder of this program.
fn beside(name: &str) -> io::Result<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name(name))
}

/// The compiled programs.
#[derive(Debug)]
pub struct Programs {
    kernel: PathBuf,
    scene: PathBuf,
}

impl Programs {
    /// Compiles them with `cc`, next to this program.
    ///
    /// # Errors
    /// If that fails.
    pub fn build() -> Result<Self, GlError> {
        Ok(Programs { kernel: compiled("kernel")?, scene: compiled("scene")? })
    }

    /// Starts a kernel's shader for a picture of this size.
    ///
    /// # Errors
    /// If the shader cannot be drawn, or not by this driver.
    pub fn kernel(
        &self,
        kernel: &Kernel,
        size: (u32, u32),
        textures: &[Texture],
        (driver, threads): (&Driver, usize),
    ) -> Result<Drawing, GlError> {
        // A varying is what the programs for cards were compiled with.
        let position = match driver {
            Driver::Llvmpipe => "position",
            Driver::Card { .. } => "varying",
        };
        let sizes = textures.iter().flat_map(|texture| [texture.width, texture.height]);
        let sizes = [size.0, size.1].into_iter().chain(sizes).map(|number| number.to_string());
        let mut command = Command::new(&self.kernel);
        command.arg(kernel.shader()).arg(position).args(sizes);
        let texels = textures.iter().flat_map(|at| texture::data(&at.name, at.width, at.height));
        let bytes: Vec<u8> = texels.flat_map(f32::to_le_bytes).collect();
        Drawing::start(command, kernel.name, &bytes, (driver, threads))
    }

    /// Starts a scene for a picture of this size.
    ///
    /// # Errors
    /// If it cannot be drawn, or not by this driver.
    pub fn scene(&self, name: &str, size: (u32, u32), driver: (&Driver, usize)) -> Result<Drawing, GlError> {
        let mut command = Command::new(&self.scene);
        command.arg(name).args([size.0, size.1].map(|number| number.to_string()));
        Drawing::start(command, name, &[], driver)
    }
}

/// Compiles a program, and gives its path.
fn compiled(name: &str) -> Result<PathBuf, GlError> {
    let failed = |error: io::Error| GlError::Build(error.to_string());
    let program = beside(&format!("ctm-bench-{name}")).map_err(failed)?;
    let source = Path::new(SOURCES).join(name).with_extension("c");
    let arguments = [OsStr::new("-O2"), OsStr::new("-o"), program.as_os_str(), source.as_os_str()];
    let output = Command::new("cc").args(arguments).args(["-lEGL", "-lGL", "-lm"]).output().map_err(failed)?;
    match output.status.success() {
        true => Ok(program),
        false => Err(GlError::Build(String::from_utf8_lossy(&output.stderr).into_owned())),
    }
}

/// A shader or scene that waits to be drawn.
#[derive(Debug)]
pub struct Drawing {
    child: Child,
    commands: ChildStdin,
    answers: BufReader<ChildStdout>,
    what: String,
    driver: String,
}

impl Drawing {
    fn start(
        mut command: Command,
        what: &str,
        data: &[u8],
        (driver, threads): (&Driver, usize),
    ) -> Result<Self, GlError> {
        let failed = |cause| GlError::Draw { what: what.to_owned(), cause };
        let command = command.envs(driver.environment(threads)).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(failed)?;
        let (Some(commands), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed(io::ErrorKind::BrokenPipe.into()));
        };
        let (what, answers) = (what.to_owned(), BufReader::new(answers));
        let mut drawing = Drawing { child, commands, answers, what, driver: String::new() };
        drawing.driver = drawing.begin(data).map_err(|cause| drawing.failed(cause))?;
        match drawing.driver.contains(driver.renderer()) {
            true => Ok(drawing),
            false => Err(GlError::OtherDriver { wanted: driver.renderer(), found: drawing.driver.clone() }),
        }
    }

    /// Gives it its data; it answers with its driver.
    fn begin(&mut self, data: &[u8]) -> io::Result<String> {
        self.commands.write_all(data)?;
        self.line()
    }

    /// The driver that draws, with its version.
    pub fn driver(&self) -> &str {
        &self.driver
    }

    /// Draws so many times, and gives the seconds that it took.
    ///
    /// # Errors
    /// If the process is gone.
    pub fn draw(&mut self, times: u32) -> Result<f64, GlError> {
        let answer = self.command(&format!("draw {times}\n")).and_then(|()| self.line());
        let seconds = answer.and_then(|line| line.parse().map_err(io::Error::other));
        seconds.map_err(|cause| self.failed(cause))
    }

    /// The bytes of the picture that was drawn last, row by row; of a shader, RGBA float32, of a scene, RGBA of bytes.
    fn bytes(&mut self, count: usize) -> Result<Vec<u8>, GlError> {
        let mut bytes = vec![0; count];
        let read = self.command("picture\n").and_then(|()| self.answers.read_exact(&mut bytes));
        read.map_err(|cause| self.failed(cause))?;
        Ok(bytes)
    }

    /// The picture of a shader that was drawn last, row by row.
    ///
    /// # Errors
    /// If the process is gone.
    pub fn floats(&mut self, (width, height): (u32, u32)) -> Result<Vec<[f32; 4]>, GlError> {
        let bytes = self.bytes(width as usize * height as usize * 16)?;
        Ok(picture::pixels(&bytes))
    }

    /// The picture of a scene that was drawn last, row by row, with channels from 0 to 255.
    ///
    /// # Errors
    /// If the process is gone.
    pub fn colours(&mut self, (width, height): (u32, u32)) -> Result<Vec<[f32; 4]>, GlError> {
        let bytes = self.bytes(width as usize * height as usize * 4)?;
        Ok(bytes.as_chunks().0.iter().map(|pixel: &[u8; 4]| pixel.map(f32::from)).collect())
    }

    fn failed(&self, cause: io::Error) -> GlError {
        GlError::Draw { what: self.what.clone(), cause }
    }

    fn command(&mut self, line: &str) -> io::Result<()> {
        self.commands.write_all(line.as_bytes())?;
        self.commands.flush()
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        match self.answers.read_line(&mut line)? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(line.trim_end().to_owned()),
        }
    }
}

impl Drop for Drawing {
    fn drop(&mut self) {
        // It waits for commands; there is nothing to be saved.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
