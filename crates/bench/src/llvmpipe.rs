//! The other side: a shader in GLSL on Mesa's llvmpipe, in a process of its own that draws when it is told to.

use crate::guest::Texture;
use crate::{picture, texture};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use thiserror::Error;

/// The program's source.
const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/llvmpipe/draw.c");

/// Why llvmpipe cannot be measured.
#[derive(Debug, Error)]
pub enum LlvmpipeError {
    /// The compiler is missing, or it found no headers or libraries.
    #[error(
        "{SOURCE} does not compile: {0}\ninstall a C compiler and Mesa, on Debian with\n  apt-get install -y gcc libc6-dev \
         libegl1 libegl-dev libgl-dev libgbm-dev libgl1-mesa-dri"
    )]
    Build(String),
    /// The program ended, or said what makes no sense.
    #[error(
        "llvmpipe does not draw {shader}: {cause}\nif Mesa's drivers are missing, install them, on Debian with\n  apt-get \
         install -y libegl1 libgl1-mesa-dri"
    )]
    Draw {
        /// The shader.
        shader: PathBuf,
        /// What happened.
        cause: io::Error,
    },
    /// Another driver answered.
    #[error("OpenGL is not drawn by llvmpipe here, but by {0}")]
    OtherDriver(String),
}

/// The compiled program.
#[derive(Debug)]
pub struct Program(PathBuf);

impl Program {
    /// Compiles it with `cc`, next to this program.
    ///
    /// # Errors
    /// If that fails.
    pub fn build() -> Result<Self, LlvmpipeError> {
        let failed = |error: io::Error| LlvmpipeError::Build(error.to_string());
        let path = std::env::current_exe().map_err(failed)?.with_file_name("ctm-bench-llvmpipe");
        let output = Command::new("cc")
            .args(["-O2", "-o"])
            .arg(&path)
            .args([SOURCE, "-lEGL", "-lGL"])
            .output()
            .map_err(failed)?;
        if !output.status.success() {
            return Err(LlvmpipeError::Build(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        Ok(Program(path))
    }

    /// Starts it for a shader and a picture of this size.
    ///
    /// # Errors
    /// If the shader cannot be drawn, or not by llvmpipe.
    pub fn start(
        &self,
        shader: &Path,
        size: (u32, u32),
        textures: &[Texture],
        threads: usize,
    ) -> Result<Drawing, LlvmpipeError> {
        let failed = |cause| LlvmpipeError::Draw { shader: shader.to_owned(), cause };
        let sizes = textures.iter().flat_map(|texture| [texture.width, texture.height]);
        let mut child = Command::new(&self.0)
            .arg(shader)
            .args([size.0, size.1].into_iter().chain(sizes).map(|number| number.to_string()))
            .env("LIBGL_ALWAYS_SOFTWARE", "1")
            .env("GALLIUM_DRIVER", "llvmpipe")
            .env("LP_NUM_THREADS", threads.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let (Some(commands), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed(io::ErrorKind::BrokenPipe.into()));
        };
        let mut drawing = Drawing {
            child,
            commands,
            answers: BufReader::new(answers),
            shader: shader.to_owned(),
            size,
            driver: String::new(),
        };
        for texture in textures {
            let data = texture::data(&texture.name, texture.width, texture.height);
            let bytes: Vec<u8> = data.iter().flat_map(|value| value.to_le_bytes()).collect();
            drawing.commands.write_all(&bytes).map_err(failed)?;
        }
        drawing.driver = drawing.line().map_err(failed)?;
        if !drawing.driver.contains("llvmpipe") {
            return Err(LlvmpipeError::OtherDriver(drawing.driver.clone()));
        }
        Ok(drawing)
    }
}

/// A shader that waits to be drawn.
#[derive(Debug)]
pub struct Drawing {
    child: Child,
    commands: ChildStdin,
    answers: BufReader<ChildStdout>,
    shader: PathBuf,
    size: (u32, u32),
    driver: String,
}

impl Drawing {
    /// The driver that draws, with its version.
    pub fn driver(&self) -> &str {
        &self.driver
    }

    /// Draws so many times, and gives the seconds that it took.
    ///
    /// # Errors
    /// If the process is gone.
    pub fn draw(&mut self, times: u32) -> Result<f64, LlvmpipeError> {
        let answer = self.command(&format!("draw {times}\n")).and_then(|()| self.line());
        let seconds = answer.and_then(|line| line.parse().map_err(io::Error::other));
        seconds.map_err(|cause| self.failed(cause))
    }

    /// The picture that was drawn last, row by row.
    ///
    /// # Errors
    /// If the process is gone.
    pub fn picture(&mut self) -> Result<Vec<[f32; 4]>, LlvmpipeError> {
        let mut bytes = vec![0; self.size.0 as usize * self.size.1 as usize * 16];
        let read = self.command("picture\n").and_then(|()| self.answers.read_exact(&mut bytes));
        read.map_err(|cause| self.failed(cause))?;
        Ok(picture::pixels(&bytes))
    }

    fn failed(&self, cause: io::Error) -> LlvmpipeError {
        LlvmpipeError::Draw { shader: self.shader.clone(), cause }
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
