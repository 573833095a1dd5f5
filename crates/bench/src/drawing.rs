//! A program that is measured: a process that draws a picture when it is told to.

use crate::guest::Texture;
use ctm_testkit::{picture, texels};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use thiserror::Error;

/// Why a program cannot be measured.
#[derive(Debug, Error)]
pub enum PeerError {
    /// The compiler is missing, or it found no headers or libraries.
    #[error(
        "the programs that draw by OpenGL do not compile: {0}\ninstall a C compiler and Mesa, on Debian with\n  apt-get install -y gcc \
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
    /// No compiler of C++, or it does not compile the native kernels.
    #[error(
        "the native kernels do not compile: {0}\ninstall a compiler of C++, on Debian with\n  apt-get install -y clang\nor measure \
         without --native"
    )]
    Native(String),
    /// There is no card.
    #[error("the card's library is missing: {0}\nbuild it with\n  cargo build --release -p ctm-drm")]
    Library(String),
}

/// What work took, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// By the clock.
    pub clock: f64,
    /// Of processor time, that of all threads together.
    pub processor: f64,
}

/// A file in the folder of this program.
pub fn beside(name: &str) -> io::Result<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name(name))
}

/// Sizes as the programs take them: columns and rows of the picture, then those of each texture.
pub fn sizes(picture: (u32, u32), textures: &[Texture]) -> impl Iterator<Item = String> {
    let sizes = textures.iter().flat_map(|texture| [texture.width, texture.height]);
    [picture.0, picture.1].into_iter().chain(sizes).map(|number| number.to_string())
}

/// The bytes of the textures' texels, one texture after the other.
pub fn texels(textures: &[Texture]) -> Vec<u8> {
    let texels = textures.iter().flat_map(|at| texels::data(&at.name, at.width, at.height));
    texels.flat_map(f32::to_le_bytes).collect()
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
    /// Starts a program with this data on its standard input.
    ///
    /// # Errors
    /// If it cannot be started, or does not say who draws.
    pub fn start(mut command: Command, what: &str, data: &[u8]) -> Result<Self, PeerError> {
        let failed = |cause| PeerError::Draw { what: what.to_owned(), cause };
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(failed)?;
        let (Some(commands), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed(io::ErrorKind::BrokenPipe.into()));
        };
        let (what, answers) = (what.to_owned(), BufReader::new(answers));
        let mut drawing = Drawing { child, commands, answers, what, driver: String::new() };
        drawing.driver = drawing.begin(data).map_err(|cause| drawing.failed(cause))?;
        Ok(drawing)
    }

    /// Gives it its data; it answers with its driver.
    fn begin(&mut self, data: &[u8]) -> io::Result<String> {
        self.commands.write_all(data)?;
        self.line()
    }

    /// Who draws, with its version: the driver, or the compiler of native kernels.
    pub fn driver(&self) -> &str {
        &self.driver
    }

    /// Draws so many times, and gives the seconds that it took by the clock.
    ///
    /// # Errors
    /// If the process is gone.
    pub fn draw(&mut self, times: u32) -> Result<f64, PeerError> {
        Ok(self.spend(times)?.clock)
    }

    /// Draws so many times, and gives what it took.
    ///
    /// # Errors
    /// If the process is gone.
    pub fn spend(&mut self, times: u32) -> Result<Spent, PeerError> {
        let answer = self.command(&format!("draw {times}\n")).and_then(|()| self.line());
        answer.and_then(|line| spent(&line)).map_err(|cause| self.failed(cause))
    }

    /// The bytes of the picture that was drawn last, row by row; of a shader, RGBA float32, of a scene, RGBA of bytes.
    fn bytes(&mut self, count: usize) -> Result<Vec<u8>, PeerError> {
        let mut bytes = vec![0; count];
        let read = self.command("picture\n").and_then(|()| self.answers.read_exact(&mut bytes));
        read.map_err(|cause| self.failed(cause))?;
        Ok(bytes)
    }

    /// The picture of a shader that was drawn last, row by row.
    ///
    /// # Errors
    /// If the process is gone.
    pub fn floats(&mut self, (width, height): (u32, u32)) -> Result<Vec<[f32; 4]>, PeerError> {
        let bytes = self.bytes(width as usize * height as usize * 16)?;
        Ok(picture::pixels(&bytes))
    }

    /// The pictures of a shader that were drawn last, one for each output, row by row.
    ///
    /// # Errors
    /// If the process is gone.
    pub fn outputs(&mut self, (width, height): (u32, u32), count: u32) -> Result<Vec<Vec<[f32; 4]>>, PeerError> {
        let pixels = width as usize * height as usize;
        let bytes = self.bytes(pixels * 16 * count as usize)?;
        Ok(picture::pixels(&bytes).chunks(pixels).map(<[_]>::to_vec).collect())
    }

    /// The picture of a scene that was drawn last, row by row, with channels from 0 to 255.
    ///
    /// # Errors
    /// If the process is gone.
    pub fn colours(&mut self, (width, height): (u32, u32)) -> Result<Vec<[f32; 4]>, PeerError> {
        let bytes = self.bytes(width as usize * height as usize * 4)?;
        Ok(bytes.as_chunks().0.iter().map(|pixel: &[u8; 4]| pixel.map(f32::from)).collect())
    }

    fn failed(&self, cause: io::Error) -> PeerError {
        PeerError::Draw { what: self.what.clone(), cause }
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

/// The answer to `draw`.
fn spent(line: &str) -> io::Result<Spent> {
    let nonsense = || io::Error::other(format!("expected seconds and seconds of processor time, found '{line}'"));
    let (clock, processor) = line.split_once(' ').ok_or_else(nonsense)?;
    let number = |text: &str| text.parse().map_err(|_| nonsense());
    Ok(Spent { clock: number(clock)?, processor: number(processor)? })
}

impl Drop for Drawing {
    fn drop(&mut self) {
        // It waits for commands; there is nothing to be saved.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_have_both_times() {
        assert_eq!(spent("0.5 0.25").unwrap(), Spent { clock: 0.5, processor: 0.25 });
        assert!(spent("0.5").is_err());
        assert!(spent("0.5 x").is_err());
    }
}
