//! `ctm run`.

use crate::execution::{Execution, NamedFiles};
use crate::isa::{IsaOptions, ProgramArgs, program_files};
use crate::options::values::Emit;
use crate::options::{BudgetArgs, GivenOptions, RunArgs};
use crate::run::frame_file;
use clap::Args;

/// `ctm run`.
#[derive(Debug, Args)]
#[command(
    allow_negative_numbers = true,
    after_help = "\
Examples:
  ctm run mandelbrot.x1k -o mandelbrot.png
  ctm run blur.elf --domain 640x480 --input 0=photo.png -o blurred.png
  ctm run step.x1k --domain 64x64 --input 0=a.npy --output 0=b.npy --output 1=c.npy
  ctm run count.x1k --domain 1x512 --input 0=photo.png --input 1=@0 -o bins.npy:64x512x1
  ctm run program.u32 --domain 64x64 --consts c.f32 --zero-times-anything -o out.f32
  ctm run mandelbrot.x1k --domain 2048x2048 --repeat 9 --stats
  ctm run plasma.x1k --frames 50 --uniform 0=time -o plasma.apng
  ctm run plasma.x1k --frames 50 --uniform 0=time -o frame-%04d.png
  ctm run julia.frag --frames 90 --fps 30 --uniform zoom=1:8 -o julia.apng
  ctm run mandelbrot.x1k --watch -o mandelbrot.png
  ctm run mandelbrot.x1k --emit asm | less
  ctm run mandelbrot.x1k --follow 256,200 | less -S
  ctm run mandelbrot.x1k --counts --heat heat.png
  ctm run transform.pvs --input 0=positions.npy --input 1=normals.npy -o clip.npy
  ctm run shader.u32 --isa r700 --domain 640x480 --input 18=photo.png -o out.png
  ctm run fog.r700 --domain 640x480 --input 3=volume.npy:3d --sampler 3=linear -o out.png
  ctm run kernel.o --kernel blend --interp 1=weights.npy -o out.npy
  ctm run kernels.cubin --kernel scale --block 64 --bank 0=arguments.u32 \\
      --global 0x10000=in.npy --global-output 0x10000:128=out.npy
  ctm run scene.r700 --stage vs --vertices 36 --buffer 0=cube.npy --position-output 0=clip.npy

Files:
  .npy   array of float32, uint8 or uint16, H x W or H x W x C
  .f32   little-endian float32 and nothing else; an input needs its shape,
         as in FILE.f32:640x480x4 (width, height, channels)
  .png   picture; float outputs are clamped to 0..1, or to the range that
         --tonemap gives
  .apng  animation, for --frames: a picture that browsers show moving
An output is as large as the domain and has 4 float32 channels, unless a shape
after its name or --output-format says otherwise (uint16_1, uint8_4, float32_1,
float32_2, float32_4). ':tiled' after a name lays the surface out in tiles in
the memory of the device; results do not depend on it. A fetch buffer may also be a file of any bytes."
)]
pub struct RunCommand {
    /// What the command line gives.
    #[command(flatten)]
    pub given: GivenOptions,
    /// The program.
    #[command(flatten)]
    pub program: ProgramArgs,
    /// What it runs over, and how.
    #[command(flatten)]
    pub run: RunArgs,
    /// Run again whenever the program, or another file that it reads, changes, until Ctrl-C. Errors are shown, and do not end the
    /// command
    #[arg(long, help_heading = "Execution")]
    pub watch: bool,
    /// The options that instruction sets have for themselves.
    #[command(flatten)]
    pub isa_options: IsaOptions,
}

impl RunCommand {
    /// The files that receive what a run leaves, and those that instruction sets read for it.
    pub fn results(&self) -> NamedFiles {
        let mut files = self.isa_options.files(&self.run);
        let outputs = self.run.outputs.iter().map(|output| &output.value).chain(&self.run.output0);
        let outputs = outputs.chain(&self.run.depth_output);
        files.write(outputs.map(|file| &file.path));
        files
    }
}

impl Execution for RunCommand {
    fn is_sandboxed(&self) -> bool {
        self.run.execution.sandbox
    }

    fn is_json(&self) -> bool {
        self.run.execution.json
    }

    fn budget(&self) -> &BudgetArgs {
        &self.run.execution.budget
    }

    fn files(&self) -> NamedFiles {
        let mut files = self.results();
        if let Some(frames) = self.run.frames.frames {
            let numbered = files.writes.iter().flat_map(|path| (0..frames).filter_map(|frame| frame_file(path, frame)));
            files.writes = numbered.chain(files.writes.clone()).collect();
        }
        files.reads.extend(program_files(&self.program.program));
        files.read(&self.run.consts);
        files.write(&self.run.execution.heat);
        if let Some(Emit { path: Some(path), .. }) = &self.run.execution.emit {
            files.write([path]);
        }
        files
    }
}
