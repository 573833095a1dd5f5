//! Which options mean something where. A debugger's session, a launch request of an editor and a run of `ctm diff` take the options of
//! `ctm run`, and `ctm draw` has a debugger too; what they cannot keep is refused by the tables here, and nowhere else.

use crate::Failure;
use crate::report::Message;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches};

/// What the options of a run are used for, besides the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunUse {
    /// A debugger's session in the terminal. All of the run is executed too, for its counts and its picture.
    Screen,
    /// A session that an editor launches.
    Editor,
    /// One of the runs that `ctm diff` compares.
    Side,
}
use RunUse::{Editor, Screen, Side};

impl RunUse {
    fn what(self) -> &'static str {
        match self {
            Screen => "a debugger's session",
            Editor => "a debugger's session in an editor",
            Side => "one run of 'ctm diff'",
        }
    }
}

/// An option that some uses do not keep: its name in the code, as it is spelled, those uses, and what to do without it.
type Row = (&'static str, &'static str, &'static [RunUse], &'static str);

/// Options of `ctm run`. All others mean the same everywhere.
pub const RUN: &[Row] = &[
    ("sandbox", "--sandbox", &[Screen, Editor, Side], "'ctm run' takes it, with --follow too"),
    ("outputs", "--output", &[Screen, Editor], "a session works on a copy, and writes no output; 'ctm run' does"),
    ("output0", "-o", &[Screen, Editor], "a session works on a copy, and writes no output; 'ctm run' does"),
    ("tonemap", "--tonemap", &[Screen, Editor, Side], "it says what pictures in files show, and no file is written"),
    ("frames", "--frames", &[Side], "each side is one frame"),
    ("fps", "--fps", &[Screen, Editor, Side], "no file is written"),
    ("engine", "--engine", &[Editor], "the reference executes sessions; all engines give the same bits"),
    ("check_code", "--check-code", &[Editor], "the reference executes sessions, and no machine code runs"),
    ("threads", "--threads", &[Editor], "a session has one thread"),
    ("repeat", "--repeat", &[Screen, Editor, Side], "'ctm run --stats' measures"),
    ("emit", "--emit", &[Screen, Editor, Side], "'ctm run' shows it"),
    ("follow", "--follow", &[Screen, Editor, Side], "--lane names the lane"),
    ("follow_steps", "--follow-steps", &[Screen, Editor, Side], "--lane names the lane"),
    ("counts", "--counts", &[Screen, Editor, Side], "'ctm run' shows them, and the screen of 'ctm debug'"),
    ("heat", "--heat", &[Screen, Editor, Side], "'ctm run' writes it"),
    ("stats", "--stats", &[Screen, Editor, Side], "'ctm run' shows them"),
    ("utilisation", "--utilisation", &[Screen, Editor, Side], "'ctm run' shows it"),
    ("races", "--races", &[Screen, Editor, Side], "'ctm run' warns of them"),
    ("json", "--json", &[Screen, Editor], "'ctm run' prints it"),
    ("group_timeout", "--group-timeout", &[Editor], "--step-limit ends groups, and --timeout what an editor asks for"),
    ("instruction_limit", "--instruction-limit", &[Editor], "--timeout ends what an editor asks for"),
    ("memory", "--memory", &[Editor], "limit the memory of 'ctm dap' itself, as by 'ulimit -d'"),
    ("emit_trace", "--emit-trace", &[Screen, Editor, Side], "'ctm run' records"),
    ("watch", "--watch", &[Side], "run 'ctm diff' again"),
    ("include", "--include", &[Side], "give it before the programs"),
    ("strict", "--strict", &[Side], "give it before the programs"),
];

/// Why sessions of draws take no option of pixels.
const PIXELS: &str = "it is for pixels, and the debugger does not step fragments of draws yet";

/// Options of `ctm draw`.
pub const DRAW: &[Row] = &[
    (
        "fs",
        "--fs",
        &[Screen, Editor],
        "the debugger does not step fragments of draws yet; without --fs it steps the other stages",
    ),
    ("outputs", "--output", &[Screen, Editor], "a session writes no file; 'ctm draw' does"),
    ("obj", "--obj", &[Screen, Editor], "a session writes no file; 'ctm draw' does"),
    ("svg", "--svg", &[Screen, Editor], "a session writes no file; 'ctm draw' does"),
    ("global_outputs", "--global-output", &[Screen, Editor], "a session works on a copy; 'ctm draw' writes it"),
    ("size", "--size", &[Screen, Editor], PIXELS),
    ("output_formats", "--output-format", &[Screen, Editor], PIXELS),
    ("clear", "--clear", &[Screen, Editor], PIXELS),
    ("tonemap", "--tonemap", &[Screen, Editor], PIXELS),
    ("depth", "--depth", &[Screen, Editor], PIXELS),
    ("clear_depth", "--clear-depth", &[Screen, Editor], PIXELS),
    ("depth_output", "--depth-output", &[Screen, Editor], PIXELS),
    ("blend", "--blend", &[Screen, Editor], PIXELS),
    ("blend_color", "--blend-color", &[Screen, Editor], PIXELS),
    ("cull_face", "--cull-face", &[Screen, Editor], PIXELS),
    ("front_face", "--front-face", &[Screen, Editor], PIXELS),
    ("line_width", "--line-width", &[Screen, Editor], PIXELS),
    ("point_size", "--point-size", &[Screen, Editor], PIXELS),
    ("json", "--json", &[Screen, Editor], "'ctm draw' prints it"),
    ("sandbox", "--sandbox", &[Screen, Editor], "'ctm draw' takes it without --debug"),
];

/// The options that a command line gives, by their names in the code. Of a command's parts it stands first: those that come before take their
/// options out.
#[derive(Clone, Debug, Default)]
pub struct GivenOptions(Vec<String>);

impl GivenOptions {
    /// Refuses an option that is given and that this use does not keep.
    ///
    /// # Errors
    /// There is one.
    pub fn require_kept(&self, rows: &[Row], how: RunUse) -> Result<(), Failure> {
        let is_lost = |(id, _, lost_in, _): &&Row| lost_in.contains(&how) && self.0.iter().any(|given| given == id);
        match rows.iter().find(is_lost) {
            Some((_, option, _, help)) => {
                let message = Message::error(format!("{} does not take {option}", how.what()));
                Err(Failure::Usage(message.help(*help)))
            }
            None => Ok(()),
        }
    }
}

impl FromArgMatches for GivenOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let is_given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
        Ok(GivenOptions(matches.ids().map(|id| id.as_str().to_owned()).filter(|id| is_given(id)).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for GivenOptions {
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
    use crate::args;
    use clap::{CommandFactory, Parser};
    use std::collections::BTreeSet;

    /// Options of `ctm run` that are kept wherever they stand. What only names a file for results gives the run its memory.
    const KEPT: &str = "
        program isa kernel domain inputs bottom_up output_formats clear position floats consts uniforms group step_limit timeout
        cond_output ints bools varyings linked texel_coordinates precise start end flow zero_times_anything mad
        stage vertices interps samplers mips quad_derivatives clamp_gpr kill_stops_pixel buffers kcaches loop_constants bool_constants
        depth_output positions parameters streams ring strips fetch_program
        grid block banks globals global_outputs mask_output local_memory shared_memory attributes images origin libraries";
    /// The same of `ctm draw`.
    const KEPT_BY_DRAW: &str = "
        vs tcs tes gs primitive vertices first instances attributes constants patch_vertices tess_domain tess_spacing point_mode cw
        tess_levels capture stream debug lane engine threads timeout group_timeout instruction_limit memory
        inputs mips globals images";

    fn options(command: &str) -> BTreeSet<String> {
        let cli = Cli::command();
        let command = cli.find_subcommand(command).expect("a command");
        command.get_arguments().map(|arg| arg.get_id().to_string()).collect()
    }

    /// Whoever adds an option decides here what it means where.
    #[test]
    fn each_option_is_kept_or_refused() {
        for (command, rows, kept, global) in
            [("run", RUN, KEPT, &["include", "strict"][..]), ("draw", DRAW, KEPT_BY_DRAW, &[])]
        {
            let kept: BTreeSet<String> = kept.split_whitespace().map(str::to_owned).collect();
            let lost: BTreeSet<String> = rows.iter().map(|(id, ..)| id.to_string()).collect();
            assert_eq!(lost.len(), rows.len());
            assert_eq!(kept.intersection(&lost).next(), None, "{command}");
            let mut known: BTreeSet<String> = kept.union(&lost).cloned().collect();
            global.iter().for_each(|id| _ = known.remove(*id));
            assert_eq!(known, options(command), "{command}");
        }
        let of_debug: BTreeSet<String> = options("debug").difference(&options("run")).cloned().collect();
        assert_eq!(of_debug.into_iter().collect::<Vec<_>>(), ["lane"]);
    }

    #[test]
    fn options_are_spelled_as_they_are() {
        for (command, rows) in [("run", RUN), ("draw", DRAW)] {
            let cli = Cli::command();
            let command = cli.find_subcommand(command).expect("a command");
            for (id, spelled, ..) in rows {
                let of_command = command.get_arguments().find(|arg| arg.get_id() == id);
                let arg = of_command.or_else(|| cli.get_arguments().find(|arg| arg.get_id() == id)).expect(id);
                let long = arg.get_long().map(|long| format!("--{long}"));
                let short = arg.get_short().map(|short| format!("-{short}"));
                assert!([long, short].contains(&Some(spelled.to_string())), "{id}: {spelled}");
            }
        }
    }

    #[test]
    fn only_what_the_command_line_gives_counts() {
        let refused = |line: &str, how: RunUse| {
            let cli = Cli::try_parse_from(line.split_whitespace()).unwrap_or_else(|error| panic!("{line}: {error}"));
            let args::Command::Debug(command) = cli.command else { panic!("{line}") };
            command.given.require_kept(RUN, how).err().map(|failure| failure.into_messages()[0].title.clone())
        };
        assert_eq!(refused("ctm debug a.x1k --domain 8x8 --engine interp -I x --strict", Screen), None);
        for (option, how) in [
            ("--sandbox", Screen),
            ("--sandbox", Editor),
            ("--output 0=a.npy", Screen),
            ("-o a.npy", Editor),
            ("--tonemap 0,1", Screen),
            ("--repeat 1", Screen),
            ("--emit asm", Screen),
            ("--follow 1,1", Editor),
            ("--counts", Screen),
            ("--heat a.png", Screen),
            ("--stats --json", Screen),
            ("--engine jit", Editor),
            ("--threads 2", Editor),
            ("--memory 1G", Editor),
            ("--emit-trace a", Screen),
        ] {
            let spelled = option.split(' ').next().expect("an option");
            let expected = format!("{} does not take {spelled}", how.what());
            assert_eq!(refused(&format!("ctm debug a.x1k {option}"), how), Some(expected));
        }
    }
}
