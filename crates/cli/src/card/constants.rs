//! The constants that a fragment program had when a card drew with it.

use super::trace::Trace;
use crate::report::Message;
use crate::{Console, Failure};
use ctm_card::trace::TraceError;
use ctm_cards::{Card, CardOptions};
use ctm_object::probe::{Content, Language};
use ctm_replay::card::Player;
use ctm_x1k::{Constants, Instruction};
use std::path::Path;
use std::sync::Arc;

/// The constants at the first draw of a trace whose fragment program has this code, and the number of that draw.
///
/// # Errors
/// The file is not a trace of a card with such programs, or no draw has the code.
fn of_program(path: &Path, code: &[Instruction], console: &Console) -> Result<(usize, Constants), Failure> {
    let trace = Trace::read(path, console)?;
    let survey = trace.survey()?;
    let model = trace.model(&survey)?;
    let memory = Arc::new(trace.memory(&survey)?);
    let records = trace.reader()?.collect::<Result<_, TraceError>>().map_err(|error| trace.wrong(error))?;
    let mut player = Player::new(records, Card::new(model, CardOptions::default()), memory);
    for draw in 0..survey.draws.len() {
        player.go(draw);
        let Card::R5xx(card) = player.card() else {
            let message = trace.wrong("the trace is of a card whose programs have no fragment constants of this kind");
            return Err(message.help("record one of an r580, rv530 or rv515: ctm card record, without --card").into());
        };
        let program = ctm_r5xx::fragment_program(card.state());
        let first = usize::from(program.info.code_offset + program.info.start);
        let last = usize::from(program.info.code_offset + program.info.end);
        if program.code.get(first..=last) == Some(code) {
            return Ok((draw, ctm_r5xx::fragment_constants(card.state())));
        }
    }
    let message = trace.wrong(format!("none of the {} draws of the trace has this program", survey.draws.len()));
    Err(Message::help(message, "record the trace and the log in the same run of the same driver").into())
}

/// The assembly of a fragment program with the float constants that it had when a card drew with it, as a trace has recorded it.
///
/// # Errors
/// The text is of another kind of program, or as of [`of_program`].
pub fn with_constants(assembly: &str, trace: &Path, console: &mut Console) -> Result<String, Failure> {
    if !matches!(ctm_object::probe(assembly.as_bytes()), Content::Source(Language::X1k)) {
        let message = Message::error("--constants is for fragment programs of r300");
        return Err(Failure::Usage(message.help("leave it out, or choose one with --index")));
    }
    let mut program = ctm_x1k::text::parse(assembly)?.program;
    let (draw, constants) = of_program(trace, &program.code, console)?;
    for &number in &program.references.float_constants {
        program.constants.floats.insert(number, constants.floats[usize::from(number)]);
    }
    // The comments of the log come first, but for those of its rounded constants.
    let is_rounded = |line: &&str| line.contains("rounded to four decimals") || line.starts_with("--   CONST[");
    let comments = assembly.lines().take_while(|line| line.starts_with("--")).filter(|line| !is_rounded(line));
    let mut text: String = comments.flat_map(|line| [line, "\n"]).collect();
    text += &format!("-- Constants are those of draw {draw} of '{}'.\n\n", trace.display());
    text += &ctm_x1k::text::print_program(&program);
    Ok(text)
}
