//! What commands keep of the options that all of them have, and what their help lists: nothing that a command never keeps.

use super::given::{RUN, RunUse};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches, value_parser};
use std::path::PathBuf;

/// An option that some commands do not keep: its name in the code, as it is spelled, those commands, and why.
type Row = (&'static str, &'static str, &'static [&'static str], &'static str);

/// Options of `ctm` itself. All others are kept by all commands.
const GLOBAL: [Row; 2] = [
    (
        "include",
        "--include",
        &["card", "compile", "completions", "explain", "import", "man", "replay"],
        "it reads no assembly that includes files",
    ),
    ("strict", "--strict", &["completions", "explain", "man"], "it has no warnings"),
];

/// A command whose help lists no option that it never keeps.
pub fn with_kept_options(command: Command) -> Command {
    let name = command.get_name().to_owned();
    let of_session =
        |id: &str| RUN.iter().any(|(known, _, lost_in, _)| *known == id && lost_in.contains(&RunUse::Screen));
    let command = if name == "debug" {
        command.mut_args(|arg| if of_session(arg.get_id().as_str()) { arg.hide(true) } else { arg })
    } else {
        command
    };
    let unkept = GLOBAL.iter().filter(|(_, _, commands, _)| commands.contains(&name.as_str()));
    unkept.fold(command, |command, (id, ..)| command.arg(hidden(id)))
}

/// An option of `ctm` itself in the place of the one that a command would get; commands of the command get it too.
fn hidden(id: &'static str) -> Arg {
    let arg = Arg::new(id).long(id).global(true).hide(true);
    match id {
        "include" => arg.short('I').action(ArgAction::Append).value_parser(value_parser!(PathBuf)),
        _ => arg.action(ArgAction::SetTrue),
    }
}

/// That a command line gives its command no option of `ctm` itself that it does not keep. It stands before these options, which take what is
/// given out of a command line.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeptGlobals;

impl FromArgMatches for KeptGlobals {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let name = matches.subcommand_name().unwrap_or_default();
        let is_given = |id: &str| matches.value_source(id) == Some(clap::parser::ValueSource::CommandLine);
        match GLOBAL.iter().find(|(id, _, commands, _)| commands.contains(&name) && is_given(id)) {
            Some((_, option, _, why)) => {
                let message = format!("'ctm {name}' does not take {option}: {why}\n");
                Err(Error::raw(ErrorKind::UnknownArgument, message))
            }
            None => Ok(KeptGlobals),
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for KeptGlobals {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cli;
    use clap::{CommandFactory, Parser};

    /// A command line of each command.
    const LINES: [&str; 17] = [
        "asm a.x1k",
        "dis a",
        "check a",
        "explain",
        "info a",
        "import mesa a --list",
        "run a",
        "debug a",
        "dap",
        "diff a",
        "card info a",
        "draw --vs a --primitive points --vertices 3",
        "compile a.frag -o b",
        "replay a",
        "completions bash",
        "man",
        "import sass a -o b",
    ];

    /// The help of a command of a command line, as users read it.
    fn help(line: &str) -> String {
        let mut cli = Cli::command();
        cli.build();
        let mut command = &cli;
        while let Some(next) = line.split(' ').find_map(|word| command.find_subcommand(word)) {
            command = next;
        }
        command.clone().render_long_help().to_string()
    }

    fn lists(help: &str, option: &str) -> bool {
        help.split(|c: char| c.is_whitespace() || c == ',').any(|word| word == option)
    }

    #[test]
    fn help_lists_the_options_that_a_command_keeps() {
        let cli = Cli::command();
        for command in cli.get_subcommands().map(Command::get_name) {
            assert!(LINES.iter().any(|line| line.split(' ').next() == Some(command)), "{command} has no line here");
        }
        for line in LINES {
            let help = help(line);
            for (id, option, ..) in GLOBAL {
                let given = if id == "include" { "-I x" } else { option };
                for whole in [format!("ctm {line} {given}"), format!("ctm {given} {line}")] {
                    // What follows the program is an option of the runs.
                    if line.starts_with("diff") && whole.ends_with(given) {
                        continue;
                    }
                    match Cli::try_parse_from(whole.split(' ')) {
                        Ok(_) => assert!(lists(&help, option), "{whole}: {help}"),
                        Err(error) => {
                            assert!(!lists(&help, option), "{whole}: {help}");
                            let expected =
                                format!("'ctm {}' does not take {option}", line.split(' ').next().unwrap_or_default());
                            assert!(error.to_string().contains(&expected), "{whole}: {error}");
                        }
                    }
                }
            }
        }
    }

    #[cfg(feature = "debugger")]
    #[test]
    fn help_of_the_debugger_lists_what_a_session_keeps() {
        let (run, debug) = (help("run a"), help("debug a"));
        let cli = Cli::command();
        let command = cli.find_subcommand("debug").expect("a command");
        let rows = RUN.iter().filter(|(id, ..)| command.get_arguments().any(|arg| arg.get_id() == id));
        let found = rows.map(|(_, option, lost_in, _)| {
            assert_eq!(lists(&debug, option), !lost_in.contains(&RunUse::Screen), "{option}: {debug}");
        });
        assert!(found.count() > 20);
        let is_debuggers = |word: &str| word.starts_with("--") && lists(&debug, word);
        let words = run.split(|c: char| c.is_whitespace() || c == ',');
        assert!(words.filter(|word| is_debuggers(word)).count() > 40, "{debug}");
    }
}
