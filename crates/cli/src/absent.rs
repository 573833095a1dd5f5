//! What a build of ctm lacks that was made without one of its features.

use crate::Failure;
use crate::report::Message;
use clap::Args;
use std::ffi::OsString;

/// A command that is not in this build: it takes any arguments.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub struct AbsentCommand {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    arguments: Vec<OsString>,
}

impl AbsentCommand {
    /// Whether it would print for machines.
    pub fn is_json(&self) -> bool {
        self.arguments.iter().any(|argument| argument == "--json")
    }
}

/// The failure that something is not in this build, as a feature was left out.
pub fn absent(what: &str, feature: &str) -> Failure {
    let message = Message::error(format!("this ctm was built without {what}"));
    let remedy = "cargo install --path crates/cli --features";
    Failure::Usage(message.help(format!("the feature '{feature}' brings it: {remedy} {feature}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Command, Error, FromArgMatches};

    fn parse(arguments: &[&str]) -> Result<AbsentCommand, Error> {
        let command = AbsentCommand::augment_args(Command::new("card"));
        AbsentCommand::from_arg_matches(&command.try_get_matches_from(arguments)?)
    }

    #[test]
    fn an_absent_command_takes_any_arguments() {
        assert!(!parse(&["card"]).unwrap().is_json());
        assert!(!parse(&["card", "--help"]).unwrap().is_json());
        assert!(parse(&["card", "stats", "scene.ctmcard", "--json"]).unwrap().is_json());
    }

    #[test]
    fn what_is_absent_is_named_with_the_remedy() {
        let Failure::Usage(message) = absent("its graphics cards", "cards") else {
            panic!("it is about how ctm was built")
        };
        let text = message.render();
        assert!(text.contains("this ctm was built without its graphics cards"), "{text}");
        assert!(text.contains("cargo install --path crates/cli --features cards"), "{text}");
    }
}
