//! Collects what instruction sets add to the command line: options of `ctm run`, and commands.

use super::{File, Isa, no_program};
use crate::execution::{Execution, NamedFiles};
use crate::options::RunArgs;
use crate::options::values::FollowedLane;
use crate::report::Message;
use crate::run::Debugged;
use crate::{Console, Failure};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches, Subcommand};
use std::fmt;

/// The options that an instruction set has for itself in `ctm run`, which run its programs.
pub trait Runner: fmt::Debug {
    /// Runs the program of a file and writes its outputs.
    ///
    /// # Errors
    /// The program or its inputs are wrong, or the run ended before its time.
    fn run(&self, file: File, args: &RunArgs, console: &mut Console) -> Result<(), Failure>;

    /// Opens a debugger's session over the run, at this lane or the first one. With `shows`, counts and picture are made too.
    ///
    /// # Errors
    /// The program or its inputs are wrong, or there is no such lane.
    fn debug(
        &self,
        file: File,
        args: &RunArgs,
        lane: Option<FollowedLane>,
        shows: bool,
        console: &mut Console,
    ) -> Result<Debugged, Failure>;

    /// Whether inputs and constants of the program in this file have names.
    fn takes_names(&self, _file: &File) -> bool {
        false
    }

    /// The files that these options name, and those of the shared options that this instruction set spells its own way.
    fn files(&self, args: &RunArgs) -> NamedFiles;
}

/// A command that an instruction set has for itself.
pub trait IsaCommand: Execution + fmt::Debug {
    /// Executes it.
    ///
    /// # Errors
    /// As all commands.
    fn execute(&self, console: &mut Console) -> Result<(), Failure>;

    /// Opens a debugger's session over what it executes, for an editor.
    ///
    /// # Errors
    /// As [`execute`](Self::execute), or the command has no debugger.
    fn debug(&self, _console: &mut Console) -> Result<Debugged, Failure> {
        Err(Failure::Usage(Message::error("this command has no debugger").help("'ctm debug' and 'ctm draw' have one")))
    }
}

/// A type of options that is a [`Runner`].
pub struct RunnerEntry {
    augment: fn(Command) -> Command,
    parse: fn(&ArgMatches) -> Result<Given, Error>,
}

/// Options as they were given.
#[derive(Debug)]
struct Given {
    runner: Box<dyn Runner>,
    /// The names of all of them.
    names: Vec<String>,
    /// The name of the first one that was given.
    first: Option<String>,
}

/// Options that mean the same for programs of different instruction sets.
const COUNTERPARTS: [(&str, &str); 3] = [("bconst", "bool-const"), ("iconst", "loop-const"), ("kcache", "bank")];

/// What takes the place of an option of another instruction set, if one of `names` does.
fn counterpart<'n>(option: &str, names: &'n [String]) -> Option<&'n String> {
    names.iter().find(|name| {
        COUNTERPARTS.iter().any(|&pair| pair == (option, name.as_str()) || pair == (name.as_str(), option))
    })
}

impl RunnerEntry {
    /// The entry of a type.
    pub fn of<T: Args + Default + Runner + 'static>() -> Self {
        RunnerEntry {
            augment: T::augment_args,
            parse: |matches| {
                let command = T::augment_args(Command::new(""));
                let name = |arg: &Arg| arg.get_long().unwrap_or(arg.get_id().as_str()).to_owned();
                let is_given =
                    |arg: &&Arg| matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
                let first = command.get_arguments().find(is_given).map(name);
                // A group has the options of the type alone, and not those of types that it has parts of.
                let has_group = T::group_id().is_some_and(|group| matches.contains_id(group.as_str()));
                let options = if has_group || first.is_some() { T::from_arg_matches(matches)? } else { T::default() };
                let names = command.get_arguments().map(name).collect();
                Ok(Given { runner: Box::new(options), names, first })
            },
        }
    }
}

/// A type of options that is a command.
pub struct CommandEntry {
    name: &'static str,
    about: &'static str,
    augment: fn(Command) -> Command,
    parse: fn(&ArgMatches) -> Result<Box<dyn IsaCommand>, Error>,
}

impl CommandEntry {
    /// The entry of a type, with the name of the command and what it does.
    pub fn of<T: Args + IsaCommand + 'static>(name: &'static str, about: &'static str) -> Self {
        CommandEntry {
            name,
            about,
            augment: T::augment_args,
            parse: |matches| Ok(Box::new(T::from_arg_matches(matches)?)),
        }
    }

    fn all() -> impl Iterator<Item = CommandEntry> {
        Isa::all().flat_map(|isa| isa.commands())
    }
}

/// The options that all instruction sets add to `ctm run`.
#[derive(Debug)]
pub struct IsaOptions(Vec<(Isa, Given)>);

impl IsaOptions {
    /// The options that programs of this instruction set run with.
    ///
    /// # Errors
    /// Options of another one are given, or it has no programs.
    pub fn runner(&self, isa: Isa) -> Result<&dyn Runner, Failure> {
        let Some((_, own)) = self.0.iter().find(|(own, _)| *own == isa) else { return Err(no_program(&*isa)) };
        let others = self.0.iter().filter(|(other, _)| *other != isa);
        let wrong =
            others.filter_map(|(other, given)| Some((other.name().to_uppercase(), given.first.as_ref()?))).next();
        let Some((other, option)) = wrong else { return Ok(&*own.runner) };
        let isa = isa.name().to_uppercase();
        let message = format!("--{option} is an option of {other} programs, but this is one of {isa}");
        Err(Failure::Usage(Message::error(message).help(match counterpart(option, &own.names) {
            Some(option) => format!("{isa} programs have --{option}"),
            None => format!("'ctm run --help' lists the options of {isa} programs"),
        })))
    }

    /// The files that the options of any instruction set name.
    pub fn files(&self, args: &RunArgs) -> NamedFiles {
        let mut files = NamedFiles::default();
        self.0.iter().for_each(|(_, given)| files.add(given.runner.files(args)));
        files
    }
}

impl FromArgMatches for IsaOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let given = |isa: Isa| Some((isa.runner()?.parse)(matches).map(|given| (isa, given)));
        Isa::all().filter_map(given).collect::<Result<_, Error>>().map(IsaOptions)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for IsaOptions {
    fn augment_args(command: Command) -> Command {
        Isa::all().filter_map(|isa| isa.runner()).fold(command, |command, entry| (entry.augment)(command))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// The commands that instruction sets add.
#[derive(Debug)]
pub struct IsaCommands(pub Box<dyn IsaCommand>);

impl FromArgMatches for IsaCommands {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let chosen = matches.subcommand().and_then(|(name, matches)| {
            let entry = CommandEntry::all().find(|entry| entry.name == name)?;
            Some((entry.parse)(matches))
        });
        chosen.unwrap_or_else(|| Err(Error::new(ErrorKind::MissingSubcommand))).map(IsaCommands)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Subcommand for IsaCommands {
    fn augment_subcommands(command: Command) -> Command {
        CommandEntry::all().fold(command, |command, CommandEntry { name, about, augment, .. }| {
            command.subcommand(augment(Command::new(name)).about(about))
        })
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        CommandEntry::all().any(|entry| entry.name == name)
    }
}
