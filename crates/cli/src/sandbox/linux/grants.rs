//! The files that a command line names, and that the sandbox therefore gives to the child.

use crate::args::draw::DrawArgs;
use crate::args::run::RunArgs;
use crate::args::values::{Emit, InputSource};
use crate::args::{Command, replay::ReplayArgs};
use crate::isa::sm50::halves;
use crate::run::texture_file;
use ctm_array::FileSpec;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What a child may read and write. Paths are as the command line has them.
#[derive(Debug, Default)]
pub struct Grants {
    /// Files to be read; `-` is standard input.
    pub reads: BTreeSet<PathBuf>,
    /// Files to be written.
    pub writes: BTreeSet<PathBuf>,
}

impl Grants {
    /// The files of a command.
    pub fn of(command: &Command) -> Self {
        let mut grants = Grants::default();
        match command {
            Command::Run(args) => grants.run(args),
            Command::Draw(args) => grants.draw(args),
            Command::Replay(ReplayArgs { trace, .. }) => grants.read([trace]),
            // These execute nothing, and have no sandbox.
            Command::Asm(_)
            | Command::Dis(_)
            | Command::Check(_)
            | Command::Explain(_)
            | Command::Info(_)
            | Command::Import(_)
            | Command::Completions(_) => {}
        }
        grants
    }

    fn read<'p>(&mut self, paths: impl IntoIterator<Item = &'p PathBuf>) {
        self.reads.extend(paths.into_iter().cloned());
    }

    fn write<'p>(&mut self, paths: impl IntoIterator<Item = &'p PathBuf>) {
        self.writes.extend(paths.into_iter().cloned());
    }

    /// A program, which may be in two files.
    fn program(&mut self, path: &Path) {
        self.reads.insert(path.into());
        self.reads.extend(halves(path).into_iter().flatten());
    }

    fn run(&mut self, args: &RunArgs) {
        self.program(&args.program.program);
        let outputs = args.outputs.iter().map(|output| &output.value).chain(&args.output0);
        self.write(outputs.map(|file| &file.path));
        self.read(&args.consts);
        let inputs = args.inputs.iter().filter_map(|input| match &input.value {
            InputSource::File(file) => texture_file(file),
            InputSource::Output(_) => None,
        });
        self.reads.extend(inputs);
        if let Some(Emit { path: Some(path), .. }) = &args.execution.emit {
            self.write([path]);
        }
        if let Some(x1k) = &args.x1k {
            self.write(x1k.cond_output.iter().map(|file| &file.path).chain(&x1k.emit_trace));
        }
        if let Some(r700) = &args.r700 {
            self.reads.extend(r700.mips.iter().filter_map(|mip| texture_file(&mip.value)));
            // Of pixels the value is a file with a shape, of vertices a mere name.
            self.reads.extend(r700.interps.iter().filter_map(|interp| Some(FileSpec::parse(&interp.value).ok()?.path)));
            self.reads.extend(r700.interps.iter().map(|interp| PathBuf::from(&interp.value)));
            self.read(r700.buffers.iter().map(|buffer| &buffer.value.path));
            self.read(r700.kcaches.iter().map(|kcache| &kcache.value));
            r700.fetch_program.iter().for_each(|path| self.program(path));
            let parameters = r700.parameters.iter().map(|export| &export.value);
            let files = r700.positions.iter().map(|export| &export.value).chain(parameters);
            let files = files.chain(&r700.depth_output).chain(r700.items().map(|items| &items.file));
            self.write(files.map(|file| &file.path));
        }
        if let Some(sm50) = &args.sm50 {
            self.read(sm50.banks.iter().map(|bank| &bank.value));
            self.read(sm50.globals.iter().map(|global| &global.path));
            self.write(sm50.global_outputs.iter().map(|output| &output.path));
        }
    }

    fn draw(&mut self, args: &DrawArgs) {
        [Some(&args.vs), args.tcs.as_ref(), args.tes.as_ref(), args.gs.as_ref()]
            .into_iter()
            .flatten()
            .for_each(|path| self.program(path));
        self.read(args.attributes.iter().map(|attribute| &attribute.path));
        self.read(args.constants.iter().map(|bank| &bank.value));
        self.write([&args.output, &args.obj, &args.svg].into_iter().flatten());
    }
}
