//! The kernels written by hand for this processor, in C++ with AVX-512, compiled when they are wanted.

use crate::drawing::{Drawing, PeerError, beside, sizes, texels};
use crate::guest::Texture;
use crate::kernel::Kernel;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Their source.
const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/native/kernels.cpp");
/// Compilers of C++; the first that is installed is taken.
const COMPILERS: [&str; 3] = ["clang++", "g++", "c++"];
/// For this processor alone, with a multiply-add wherever the source has a product and a sum.
const OPTIONS: [&str; 6] =
    ["-std=c++20", "-O3", "-march=native", "-mprefer-vector-width=512", "-ffp-contract=fast", "-pthread"];

/// The compiled kernels.
#[derive(Debug)]
pub struct Native {
    program: PathBuf,
}

impl Native {
    /// Compiles them, next to this program.
    ///
    /// # Errors
    /// If there is no compiler, or it refuses the source, which needs AVX-512.
    pub fn build() -> Result<Self, PeerError> {
        let failed = |error: io::Error| PeerError::Native(error.to_string());
        let program = beside("ctm-bench-native").map_err(failed)?;
        for compiler in COMPILERS {
            match Command::new(compiler).args(OPTIONS).arg(Path::new(SOURCE)).arg("-o").arg(&program).output() {
                Ok(output) if output.status.success() => return Ok(Native { program }),
                Ok(output) => return Err(PeerError::Native(String::from_utf8_lossy(&output.stderr).into_owned())),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(failed(error)),
            }
        }
        Err(PeerError::Native(format!("none of {} is there", COMPILERS.join(", "))))
    }

    /// Starts a kernel for a picture of this size.
    ///
    /// # Errors
    /// If it does not start, or is not made for this size.
    pub fn kernel(
        &self,
        kernel: &Kernel,
        size: (u32, u32),
        textures: &[Texture],
        threads: usize,
    ) -> Result<Drawing, PeerError> {
        let mut command = Command::new(&self.program);
        command.arg(kernel.program).arg(threads.to_string()).args(sizes(size, textures));
        Drawing::start(command, kernel.name, &texels(textures))
    }
}
