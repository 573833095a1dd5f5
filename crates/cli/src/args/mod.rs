//! The command line: commands, options, and the texts of `--help`.

pub mod budget;
pub mod draw;
pub mod replay;
pub mod run;
pub mod values;

use budget::BudgetArgs;
use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use draw::DrawArgs;
use replay::ReplayArgs;
use run::RunArgs;
use std::path::PathBuf;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Assembles, disassembles, checks, runs and explains native GPU programs, without the GPU.
#[derive(Debug, Parser)]
#[command(name = "ctm", version, styles = STYLES, max_term_width = 110, after_help = EXAMPLES)]
pub struct Cli {
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
}

const EXAMPLES: &str = "\
Examples:
  ctm run examples/mandelbrot.x1k -o mandelbrot.png
  ctm asm program.x1k -o program.elf
  ctm dis program.elf
  ctm check program.x1k
  ctm replay client.ctmtrace

Exit codes: 0 done, 1 the program or an input is wrong, 2 usage, 3 trap while running, 4 a limit of the run was reached
(--timeout, --group-timeout, --instruction-limit, --memory, or what this machine has), 5 ended by --sandbox, 6 a bug
of ctm was stopped, 130 interrupted.
'ctm COMMAND --help' tells more about a command.";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Assemble text into an ELF image, raw words or a command buffer
    Asm(AsmArgs),
    /// Disassemble an ELF image, raw words or a command buffer
    Dis(DisArgs),
    /// Report what is wrong or suspicious in a program
    Check(CheckArgs),
    /// Explain the code of an error or warning
    Explain(ExplainArgs),
    /// Tell what a program contains and uses
    Info(InfoArgs),
    /// Turn a compiler's dump into assembly
    #[command(subcommand)]
    Import(ImportCommand),
    /// Run a program over a domain
    Run(Box<RunArgs>),
    /// Draw with the programs of a graphics pipeline
    Draw(Box<DrawArgs>),
    /// Execute what a trace has recorded, and compare the results
    Replay(ReplayArgs),
    /// Print the completions of a shell
    Completions(CompletionsArgs),
}

impl Command {
    /// Whether it is to be executed in a sandbox.
    pub fn wants_sandbox(&self) -> bool {
        match self {
            Command::Run(args) => args.execution.sandbox,
            Command::Draw(args) => args.sandbox,
            Command::Replay(args) => args.sandbox,
            // These execute nothing, and have no sandbox.
            Command::Asm(_)
            | Command::Dis(_)
            | Command::Check(_)
            | Command::Explain(_)
            | Command::Info(_)
            | Command::Import(_)
            | Command::Completions(_) => false,
        }
    }

    /// What each of its runs may use, if it executes programs.
    pub fn budget(&self) -> Option<&BudgetArgs> {
        match self {
            Command::Run(args) => Some(&args.execution.budget),
            Command::Draw(args) => Some(&args.budget),
            Command::Replay(args) => Some(&args.budget),
            Command::Asm(_)
            | Command::Dis(_)
            | Command::Check(_)
            | Command::Explain(_)
            | Command::Info(_)
            | Command::Import(_)
            | Command::Completions(_) => None,
        }
    }
}

/// An instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Isa {
    /// ATI X1K (R5xx) fragment programs
    X1k,
    /// ATI R700 and R600 (Wii U "Latte") shader programs
    R700,
    /// NVIDIA SM50 (Maxwell) programs, with their headers or as compute code
    Sm50,
    /// CTM command buffers (ctm dis)
    Ctm,
}

/// How a program file is to be read.
#[derive(Debug, Args)]
pub struct ProgramArgs {
    /// Program: assembly text, ELF image, or raw dwords, little-endian (.u32) or as hexadecimal text; R700 programs also as an
    /// object of LLVM, a shader file of the Wii U, or a listing of Mesa; SM50 programs as header and code in one file or in two
    /// (.sph.u32 and .code.u32), or as a cubin
    #[arg(value_name = "PROGRAM", value_hint = ValueHint::FilePath)]
    pub program: PathBuf,
    /// Instruction set of the file; what is neither a known container nor text is then taken as raw dwords
    #[arg(long, value_name = "ISA")]
    pub isa: Option<Isa>,
    /// Which program of a file that has several: its name, or for R700 its number from 0
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
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
    /// Assembly text, or the text of a command buffer ('-' reads standard input)
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub source: PathBuf,
    /// Instruction set of the text [default: what its name says: .r700, .sm50, .ctmcb, else X1K]
    #[arg(long, value_name = "ISA")]
    pub isa: Option<Isa>,
    /// Where to write: an ELF image, or raw dwords if the name ends in .u32; '-' is standard output [default: the source's
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
  ctm dis words.bin --isa x1k          raw little-endian dwords
  ctm dis shaders.gsh --kernel 1       the second program of a Wii U shader file
  ctm dis copy.bin                     the text of a command buffer
  ctm dis blur.elf --json | jq '.instructions[0].text'")]
pub struct DisArgs {
    /// The program.
    #[command(flatten)]
    pub program: ProgramArgs,
    /// Print a table of every field of every instruction
    #[arg(long)]
    pub fields: bool,
    /// Print one JSON object
    #[arg(long, conflicts_with = "fields")]
    pub json: bool,
    /// Add the address of each instruction as a comment
    #[arg(long, conflicts_with_all = ["fields", "json"])]
    pub addresses: bool,
    /// Add the dwords of each instruction as a comment
    #[arg(long, conflicts_with_all = ["fields", "json"])]
    pub words: bool,
}

/// `ctm check`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ctm check blur.x1k
  ctm check blur.elf --json

Of a file with several programs all are checked, unless --kernel chooses one. The exit code is 1 if there is an error, and 0
if there are only warnings and notes.
'ctm explain CODE' tells what a finding means.")]
pub struct CheckArgs {
    /// The program.
    #[command(flatten)]
    pub program: ProgramArgs,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// `ctm explain`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ctm explain             lists all codes
  ctm explain X1K001      explains one")]
pub struct ExplainArgs {
    /// Code of an error or warning; without it, all codes are listed
    #[arg(value_name = "CODE")]
    pub code: Option<String>,
}

/// `ctm info`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ctm info blur.elf
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
    /// Text that Mesa's drivers print: r300 with RADEON_DEBUG=fp, r600 with R600_DEBUG=ps,vs
    Mesa(ImportMesaArgs),
}

/// `ctm import mesa`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  RADEON_DEBUG=fp glxgears 2> dump.txt
  ctm import mesa dump.txt -o shader.x1k
  ctm import mesa dump.txt --index 2 -o third.x1k     the third program of the dump
  R600_DEBUG=ps,vs glxgears 2> dump.txt
  ctm import mesa dump.txt -o shader.r700")]
pub struct ImportMesaArgs {
    /// The dump ('-' reads standard input)
    #[arg(value_name = "DUMP", value_hint = ValueHint::FilePath)]
    pub dump: PathBuf,
    /// Where to write the assembly ('-' is standard output)
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// Which program of the dump, counted from 0 [default: the last one]
    #[arg(long, value_name = "N")]
    pub index: Option<usize>,
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
