//! `ctm diff`.

use super::{Cli, Command, RunCommand};
use crate::Failure;
use crate::options::values::FollowedLane;
use crate::options::{RUN, RunUse};
use crate::report::{Message, usage};
use clap::{Args, Parser};
use std::ffi::OsString;

/// `ctm diff`.
#[derive(Debug, Args)]
#[command(
    override_usage = "ctm diff [--json] [--lane I,J|N] A [B] [OPTIONS OF 'ctm run'] [--a OPTIONS] [--b OPTIONS]",
    after_help = "\
Examples:
  ctm diff before.x1k after.x1k --domain 64x64 --input 0=photo.png
  ctm diff shader.r700 --domain 64x64 --b --engine interp
  ctm diff mandelbrot.x1k --domain 64x64 --a --mad fused --b --mad unfused
  ctm diff old.sm50 new.sm50 --block 64 --global 0x10000=in.npy --global-output 0x10000:64=out.npy

Options of 'ctm run' after the programs are those of both runs, after --a those of the first one, and after --b those of the
second one. No file is written; all that the programs write is compared, of SM50 what --global-output names.

The exit code is 0 if all outputs are equal, bit for bit, 1 if one differs, and else as of all commands, but 2 where the programs
or inputs are wrong."
)]
pub struct DiffCommand {
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Lane to follow to the instruction where the runs diverge [default: the first one that differs]
    #[arg(long, value_name = "I,J|N")]
    pub lane: Option<FollowedLane>,
    /// The programs, or one that runs twice, and the options of 'ctm run' that they run with
    #[arg(value_name = "A [B] [OPTIONS]", required = true, num_args = 1.., trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<OsString>,
}

impl DiffCommand {
    /// Whether it prints for machines.
    pub fn is_json(&self) -> bool {
        self.json || self.words.iter().any(|word| word == "--json")
    }

    /// The two runs.
    ///
    /// # Errors
    /// They make no sense.
    pub fn sides(&self) -> Result<[RunCommand; 2], Failure> {
        let is_option = |word: &OsString| word.as_encoded_bytes().starts_with(b"-");
        let programs: Vec<&OsString> = self.words.iter().take_while(|word| !is_option(word)).collect();
        let [a, b] = match programs[..] {
            [one] => [one, one],
            [one, other] => [one, other],
            _ => {
                let message = format!("'ctm diff' takes one or two programs, but is given {}", programs.len());
                return Err(Failure::Usage(Message::error(message).help("options come after them")));
            }
        };
        let mut options = [Vec::new(), Vec::new()];
        let mut of = &[0, 1][..];
        for word in self.words[programs.len()..].iter().filter(|word| *word != "--json") {
            match word.to_str() {
                Some("--a") => of = &[0],
                Some("--b") => of = &[1],
                _ => of.iter().for_each(|&side| options[side].push(word)),
            }
        }
        let [of_a, of_b] = options;
        Ok([side(a, &of_a)?, side(b, &of_b)?])
    }
}

/// A run of a program with these options.
fn side(program: &OsString, options: &[&OsString]) -> Result<RunCommand, Failure> {
    let command = ["ctm", "run"].map(OsString::from);
    let words = command.iter().chain([program]).chain(options.iter().copied());
    let cli = Cli::try_parse_from(words).map_err(|error| Failure::Usage(usage(&error)))?;
    let Command::Run(command) = cli.command else {
        let message = Message::error("'ctm diff' runs programs and no other commands");
        return Err(Failure::Usage(message.help("the options after the programs are those of 'ctm run'")));
    };
    command.given.require_kept(RUN, RunUse::Side)?;
    Ok(*command)
}
