//! The command line: commands, options, and the texts of `--help`.

#[cfg(feature = "cards")]
mod card;
#[cfg(feature = "debugger")]
mod debug;
mod diff;
mod run;

#[cfg(feature = "cards")]
pub use card::{
    CardCommand, CardDisArgs, CardDoctorArgs, CardExecutionArgs, CardRecordArgs, CardReplayArgs, CardRunArgs,
    CardStatsArgs, CardTraceArgs, ClientArgs, StatsColumn,
};
#[cfg(feature = "debugger")]
pub use debug::{DapArgs, DebugCommand};
pub use diff::DiffCommand;
pub use run::RunCommand;

#[cfg(not(all(feature = "cards", feature = "debugger")))]
use crate::absent::AbsentCommand;
use crate::execution::Execution;
use crate::isa::{Isa, IsaChoice, IsaCommands, ProgramArgs};
use crate::options::{KeptGlobals, ListingArgs, with_kept_options};
use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueHint};
use clap_complete::Shell;
use std::path::PathBuf;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Assembles, disassembles, checks, runs and explains native GPU programs, without the GPU.
#[derive(Debug, Parser)]
#[command(name = "ctm", version, styles = STYLES, max_term_width = 110, after_help = EXAMPLES)]
#[command(mut_subcommands = with_kept_options)]
pub struct Cli {
    /// What its command keeps of the options below.
    #[command(flatten)]
    pub kept: KeptGlobals,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// This process is the child of one that was asked for a sandbox.
    #[arg(long, hide = true)]
    pub in_sandbox: bool,
    /// Directory that assembly may include files from, besides the directory of the text itself and what is below it; may be
    /// given several times
    #[arg(short = 'I', long = "include", value_name = "DIR", value_hint = ValueHint::DirPath, global = true)]
    pub include: Vec<PathBuf>,
    /// Let warnings be errors: nothing is written after one, and the exit code is 1. What would read 0 or do nothing in an SM50
    /// program ends with a trap
    #[arg(long, global = true)]
    pub strict: bool,
}

const EXAMPLES: &str = "\
Examples:
  ctm run examples/mandelbrot.x1k -o mandelbrot.png
  ctm asm program.x1k -o program.elf
  ctm dis program.elf
  ctm check program.x1k
  ctm debug mandelbrot.x1k --lane 256,200
  ctm diff before.x1k after.x1k --domain 64x64
  ctm replay client.ctmtrace
  ctm card run -- ./triangle

Exit codes: 0 done, 1 the program or an input is wrong (with --strict also a warning), 2 usage, 3 trap while running, 4 a limit of the run was reached
(--timeout, --group-timeout, --instruction-limit, --memory, or what this machine has), 5 ended by --sandbox, 6 a bug
of ctm was stopped, 130 interrupted.
'ctm COMMAND --help' shows more about a command.";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Assemble text into an ELF image, raw words or a command buffer
    Asm(AsmArgs),
    /// Disassemble an ELF image, raw words or a command buffer
    Dis(DisArgs),
    /// Report what is wrong or suspicious in a program
    Check(CheckArgs),
    /// Explain the code of an error or warning, or a name of an assembly language
    Explain(ExplainArgs),
    /// Show what a program contains and uses
    Info(InfoArgs),
    /// Turn a compiler's dump into assembly
    #[command(subcommand)]
    Import(ImportCommand),
    /// Run a program over a domain
    Run(Box<RunCommand>),
    /// Look at a run step by step, forward and back, in the terminal
    #[cfg(feature = "debugger")]
    Debug(Box<DebugCommand>),
    /// Not in this build: look at a run step by step
    #[cfg(not(feature = "debugger"))]
    #[command(hide = true)]
    Debug(AbsentCommand),
    /// Serve editors that debug programs, by the Debug Adapter Protocol
    #[cfg(feature = "debugger")]
    Dap(DapArgs),
    /// Not in this build: serve editors that debug programs
    #[cfg(not(feature = "debugger"))]
    #[command(hide = true)]
    Dap(AbsentCommand),
    /// Run two programs, or one in two ways, and compare what they leave
    Diff(DiffCommand),
    /// Run programs that draw on a graphics card in software, and look at what their drivers submit
    #[cfg(feature = "cards")]
    #[command(subcommand)]
    Card(CardCommand),
    /// Not in this build: graphics cards in software
    #[cfg(not(feature = "cards"))]
    #[command(hide = true)]
    Card(AbsentCommand),
    /// A command that one instruction set has for itself.
    #[command(flatten)]
    Isa(IsaCommands),
    /// Print the completions of a shell
    Completions(CompletionsArgs),
    /// Print the manual page of ctm or of a command
    Man(ManArgs),
}

impl Command {
    /// Whether it prints for machines.
    pub fn is_json(&self) -> bool {
        match self {
            Command::Dis(args) => args.listing.json,
            Command::Check(args) => args.json,
            Command::Explain(args) => args.json,
            Command::Info(args) => args.json,
            Command::Run(command) => command.is_json(),
            Command::Diff(command) => command.is_json(),
            Command::Card(command) => command.is_json(),
            Command::Isa(IsaCommands(command)) => command.is_json(),
            Command::Asm(_)
            | Command::Import(_)
            | Command::Debug(_)
            | Command::Dap(_)
            | Command::Completions(_)
            | Command::Man(_) => false,
        }
    }

    /// Whether it is to be executed again when a file changes.
    pub fn is_watched(&self) -> bool {
        matches!(self, Command::Run(command) if command.watch)
    }

    /// The command as one that executes programs, if it does.
    pub fn execution(&self) -> Option<&dyn Execution> {
        match self {
            Command::Run(command) => Some(&**command),
            Command::Isa(IsaCommands(command)) => Some(&**command),
            Command::Asm(_)
            | Command::Dis(_)
            | Command::Check(_)
            | Command::Explain(_)
            | Command::Info(_)
            | Command::Import(_)
            | Command::Debug(_)
            | Command::Dap(_)
            | Command::Diff(_)
            | Command::Card(_)
            | Command::Completions(_)
            | Command::Man(_) => None,
        }
    }
}

/// `ctm asm`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ctm asm blur.x1k                 writes blur.elf
  ctm asm blur.x1k -o blur.u32     writes the instruction words alone
  ctm asm blur.x1k -o - | xxd      writes the image to standard output
  ctm asm rings.r700               an R700 program: writes rings.elf, an object like those of LLVM
  ctm asm wave.sm50                an SM50 program: writes wave.sph, header and code
  ctm asm wave.sm50 -o w.sph.u32   header in w.sph.u32, code in w.code.u32
  ctm asm copy.ctmcb               a command buffer: writes copy.bin")]
pub struct AsmArgs {
    /// Assembly text, or the text of a command buffer ('-' reads standard input); several for the shaders of a .gsh file
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, required = true)]
    pub sources: Vec<PathBuf>,
    /// Instruction set of the text [default: what its name says, else what the text shows, else X1K]
    #[arg(long, value_name = "ISA", value_parser = IsaChoice::parser())]
    pub isa: Option<IsaChoice>,
    /// Where to write: an ELF image, raw dwords if the name ends in .u32, a shader file of the Wii U if it ends in .gsh; '-' is standard output [default: the source's
    /// name with .elf, with .bin for a command buffer, with .sph for an SM50 program, with .code.u32 for SM50 compute code]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
}

/// `ctm dis`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ctm dis blur.elf                     prints assembly that assembles to the same program
  ctm dis blur.elf --fields | less     every field of every instruction, with its meaning
  ctm dis blur.elf -o blur.x1k         writes the assembly to a file
  ctm dis words.bin --isa x1k          raw little-endian dwords
  ctm dis shaders.gsh --kernel 1       the second program of a Wii U shader file
  ctm dis copy.bin                     the text of a command buffer
  ctm dis blur.elf --json | jq '.instructions[0].text'")]
pub struct DisArgs {
    /// The program.
    #[command(flatten)]
    pub program: ProgramArgs,
    /// What of it is printed.
    #[command(flatten)]
    pub listing: ListingArgs,
    /// File that receives it ('-' is standard output)
    #[arg(short, long, value_name = "FILE", default_value = "-", hide_default_value = true, value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
}

/// `ctm check`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ctm check blur.x1k
  ctm check shaders/*.x1k              several files
  ctm check blur.elf --json

Of a file with several programs all are checked, unless --kernel chooses one. The exit code is 1 if there is an error, and 0
if there are only warnings and notes.
'ctm explain CODE' explains a finding.")]
pub struct CheckArgs {
    /// The program.
    #[command(flatten)]
    pub program: ProgramArgs,
    /// Further programs, read likewise
    #[arg(value_name = "MORE", value_hint = ValueHint::FilePath)]
    pub more: Vec<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// `ctm explain`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ctm explain                 lists all codes of errors and warnings, and all concepts
  ctm explain X1K001          explains one
  ctm explain CMP             explains an operation, register, field, directive or modifier, of every instruction set that has it
  ctm explain branch stack    explains a concept, and lists the pages that mention it
  ctm explain angle turns     lists the pages that are about these words
  ctm explain MUFU --isa sm50
docs/reference has the same as pages.")]
pub struct ExplainArgs {
    /// Code of an error or warning, name of an assembly language, concept, or words to search for; without it, all codes are listed
    #[arg(value_name = "CODE|NAME|WORDS")]
    pub words: Vec<String>,
    /// Instruction set whose name or code it is
    #[arg(long, value_name = "ISA", value_parser = Isa::parser())]
    pub isa: Option<Isa>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// `ctm info`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ctm info blur.elf
  ctm info dump/shaders                a folder: a line for each program of its files
  ctm info blur.elf --json | jq .registers")]
pub struct InfoArgs {
    /// The program.
    #[command(flatten)]
    pub program: ProgramArgs,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// `ctm import`.
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  ctm import mesa dump.txt -o shader.x1k
  ctm import mesa --help")]
pub enum ImportCommand {
    /// Text that Mesa's drivers print: r300 with RADEON_DEBUG=fp,vp, r600 with R600_DEBUG=ps,vs,fs
    Mesa(ImportMesaArgs),
    /// A listing of SM50 code: cuobjdump -sass, nvdisasm, CuAssembler, maxas
    Sass(ImportSassArgs),
}

/// `ctm import mesa`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  RADEON_DEBUG=fp,vp glxgears 2> dump.txt
  ctm import mesa dump.txt --list                     the programs of the dump: number, stage, length
  ctm import mesa dump.txt -o shader.x1k
  ctm import mesa dump.txt --index 2 -o third.x1k     the third program of the dump
  RADEON_DEBUG=fp ctm card record glxgears.ctmcard -- glxgears 2> dump.txt
  ctm import mesa dump.txt --constants glxgears.ctmcard -o shader.x1k     with the constants of the draw
  R600_DEBUG=ps,vs glxgears 2> dump.txt
  ctm import mesa dump.txt -o shader.r700")]
pub struct ImportMesaArgs {
    /// The dump ('-' reads standard input)
    #[arg(value_name = "DUMP", value_hint = ValueHint::FilePath)]
    pub dump: PathBuf,
    /// Where to write the assembly ('-' is standard output)
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::FilePath, required_unless_present = "list")]
    pub output: Option<PathBuf>,
    /// Which program of the dump, counted from 0 [default: the last fragment program of r300's, the last of r600's]
    #[arg(long, value_name = "N")]
    pub index: Option<usize>,
    /// Take the constants of a fragment program of r300, which a dump rounds or leaves out, from the first draw with this program in a
    /// trace ('ctm card record')
    #[arg(long, value_name = "TRACE", value_hint = ValueHint::FilePath)]
    pub constants: Option<PathBuf>,
    /// List the programs of the dump
    #[arg(long, conflicts_with_all = ["output", "index", "constants"])]
    pub list: bool,
}

/// `ctm import sass`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cuobjdump -sass program > listing.sass
  ctm import sass listing.sass -o program.sm50
  ctm import sass listing.sass --kernel _Z4copyPfS_ -o copy.sm50

Where the listing has the word of every instruction, as cuobjdump's has, the words count,
control words included. Other listings are assembled; control bits are those of the listing,
in the notation of CuAssembler or maxas, or careful ones where it has none.")]
pub struct ImportSassArgs {
    /// The listing ('-' reads standard input)
    #[arg(value_name = "LISTING", value_hint = ValueHint::FilePath)]
    pub listing: PathBuf,
    /// Where to write the assembly ('-' is standard output)
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// Which function of a listing that has several: its name, or its number from 0
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
}

/// `ctm completions`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ctm completions bash > ~/.local/share/bash-completion/completions/ctm
  ctm completions zsh > ~/.zfunc/_ctm
  ctm completions fish > ~/.config/fish/completions/ctm.fish")]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

/// `ctm man`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ctm man > ~/.local/share/man/man1/ctm.1
  ctm man run | man -l -
  ctm man import mesa")]
pub struct ManArgs {
    /// The command, and the command of it if it has some; without one, the page is that of ctm
    #[arg(value_name = "COMMAND")]
    pub command: Vec<String>,
}
