//! Commands that people type: the same in editors, terminals and pages.

use crate::{
    Breakpoint, BreakpointKind, Expression, Listing, Position, Session, SessionError, Value, Write, WriteTarget,
    find_cell, parse_bits,
};
use ctm_follow::{InstructionPlace, ValueKind};

/// What there is to type.
pub const HELP: &str = "\
who WHAT, memory WHAT      the last step that changed it; what is there now
history                    all changes of the lane's outputs
lane X,Y; goto STEP        looks at another lane; goes to a step
break PLACE [if EXPR]      stops at an address, a label, or line 12
when EXPR, watch WHAT      stops when it begins to hold; when it changes
nan, leaves                stop at the first NaN; when the lane leaves
breakpoints, delete N      lists breakpoints; takes one away
set REGISTER VALUE         changes a register from here on
WHAT: temp[0].r or temp[0]; memory as 0x10000, 0x10000:4 (words); an output
as output 0, of another lane as output 0 at 3,4
everything else is an expression, like temp[0].r * 2 or colour.x";

/// What a command says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// For people.
    pub text: String,
    /// The session is at another moment, or looks at another lane.
    pub moved: bool,
}

/// Executes a command; none if the text is not a command.
///
/// # Errors
/// What is wrong with it, for people.
pub fn command(session: &mut Session, input: &str) -> Result<Option<Answer>, String> {
    let (word, rest) = input.trim().split_once(' ').unwrap_or((input.trim(), ""));
    let rest = rest.trim();
    let failed = |error: SessionError| error.to_string();
    let moved = |text: String| Answer { text, moved: true };
    let said = |text: String| Answer { text, moved: false };
    let expression = |session: &Session, text: &str| {
        Expression::parse(text, session.guest().cells()).map_err(|error| error.to_string())
    };
    // Variables are where they are in front of the row.
    let located = |session: &Session, text: &str, row| expression(session, &session.with_registers(text, row)?);
    let target = |session: &Session, text: &str| {
        WriteTarget::parse(session.guest(), session.focus(), text).map_err(|error| error.to_string())
    };
    let cell = |session: &Session, name: &str| {
        let missing = || format!("unknown register '{name}'; registers are like temp[0].r");
        find_cell(session.guest().cells(), name).ok_or_else(missing)
    };
    let add = |session: &mut Session, what, condition| {
        let number = session.add_breakpoint(Breakpoint { kind: what, lane: None, condition });
        said(format!("breakpoint {number}"))
    };
    Ok(Some(match word {
        "who" => {
            let target = target(session, rest)?;
            let reach = match (&target, session.guest().is_independent()) {
                (WriteTarget::Memory { .. }, false) => "run's",
                _ => "group's",
            };
            match session.last_write(&target).map_err(failed)? {
                Some(write) => said(describe(session, &write)),
                None => said(format!("nothing has changed {rest} since the {reach} start")),
            }
        }
        "memory" => {
            let target = target(session, rest)?;
            let words = spell(session, &target, &session.words(&target));
            said(format!("{}: {words}", target.name(session.guest(), session.focus())))
        }
        "history" => {
            let writes = session.history().map_err(failed)?;
            let lines: Vec<String> = writes.iter().map(|write| describe(session, write)).collect();
            said(if lines.is_empty() { "the lane's outputs do not change".into() } else { lines.join("\n") })
        }
        "lane" => {
            let at = rest.split_once(',').and_then(|(i, j)| Some((i.trim().parse().ok()?, j.trim().parse().ok()?)));
            session.set_focus(at.ok_or("a lane is column and row: lane 3,4")?).map_err(failed)?;
            moved(format!("lane {rest}"))
        }
        "goto" => {
            let step = rest.parse().map_err(|_| "a step is a number: goto 100")?;
            let here = session.position();
            if let Err(error) = session.go_to(Position { step, ..here }) {
                session.go_to(here).map_err(failed)?;
                return Err(error.to_string());
            }
            moved(format!("step {step}"))
        }
        "break" => {
            let (place, condition) = rest.split_once(" if ").map_or((rest, None), |(place, text)| (place, Some(text)));
            let listing = session.guest().listing();
            let place = match source_line(listing, place.trim()) {
                Some(found) => found?,
                None => {
                    let missing =
                        || format!("the program has no label, address or line '{rest}': break 3, break line 12");
                    listing.find(place.trim()).ok_or_else(missing)?
                }
            };
            let row = listing.row(place);
            let condition = condition.map(|text| located(session, text, row)).transpose()?;
            add(session, BreakpointKind::Place(place), condition)
        }
        "when" => {
            let expression = expression(session, rest)?;
            add(session, BreakpointKind::Holds(expression), None)
        }
        "watch" => {
            let target = target(session, rest)?;
            add(session, BreakpointKind::Changes(target), None)
        }
        "nan" if rest.is_empty() => add(session, BreakpointKind::Nan, None),
        "leaves" if rest.is_empty() => add(session, BreakpointKind::Leaves, None),
        "breakpoints" => {
            let lines: Vec<String> = session
                .breakpoints()
                .iter()
                .map(|(number, point)| format!("{number}: {}", words(session, point)))
                .collect();
            said(if lines.is_empty() { "there are no breakpoints".into() } else { lines.join("\n") })
        }
        "delete" => {
            let number = rest.parse().map_err(|_| "a breakpoint has a number: delete 1")?;
            if !session.remove_breakpoint(number) {
                return Err(format!("there is no breakpoint {number}"));
            }
            said(format!("breakpoint {number} is gone"))
        }
        "set" => {
            let (name, value) = rest.split_once(' ').ok_or("a register and a value: set temp[0].r 0.5")?;
            let number = cell(session, name)?;
            let bits = parse_bits(session.guest().cells()[number].kind, value)?;
            session.set(number, bits).map_err(failed)?;
            moved(format!("{name} is {}", Value::new(number, &session.guest().cells()[number], bits).text()))
        }
        "help" => said(HELP.into()),
        _ => return Ok(None),
    }))
}

/// The place of a line of the source: `line 12`, or `plasma.frag:12`; none if the text is not one.
fn source_line(listing: &Listing, text: &str) -> Option<Result<InstructionPlace, String>> {
    let (source, line) = match text.strip_prefix("line ") {
        Some(line) => (0, line),
        None => {
            let (name, line) = text.rsplit_once(':')?;
            let is_named = |path: &str| path == name || path.ends_with(&format!("/{name}"));
            (listing.sources.iter().position(|source| is_named(&source.name))?, line)
        }
    };
    let found = listing.place_of_line(source, line.trim().parse().ok()?).map(|(place, _)| place);
    Some(found.ok_or_else(|| format!("no instruction comes from '{text}' or a later line")))
}

/// A breakpoint, for people.
fn words(session: &Session, point: &Breakpoint) -> String {
    let what = match &point.kind {
        BreakpointKind::Place(place) => {
            let listing = session.guest().listing();
            let row = listing.row(*place).map(|row| &listing.rows[row]);
            row.map_or("somewhere".into(), |row| format!("at {}: {}", row.address, row.text))
        }
        BreakpointKind::Holds(expression) => format!("when {}", expression.text),
        BreakpointKind::Nan => "at the first NaN".into(),
        BreakpointKind::Leaves => "when the lane leaves".into(),
        BreakpointKind::Changes(target) => {
            format!("when {} changes", target.name(session.guest(), point.lane.unwrap_or(session.focus())))
        }
    };
    point.condition.as_ref().map_or(what.clone(), |condition| format!("{what} if {}", condition.text))
}

/// A write, for people.
fn describe(session: &Session, write: &Write) -> String {
    let listing = session.guest().listing();
    let row = write.place.and_then(|place| listing.row(place)).map(|row| &listing.rows[row]);
    let instruction = row.map_or("(no instruction)".into(), |row| format!("{}: {}", row.address, row.text));
    let name = write.target.name(session.guest(), session.focus());
    let [old, new] = [&write.old, &write.new].map(|words| spell(session, &write.target, words));
    let group = match write.before.group {
        group if group == session.position().group => String::new(),
        group => format!("group {group}, "),
    };
    format!("{group}step {}: {instruction}\n  {name}: {old} -> {new}", write.before.step)
}

/// Words of a target, for people.
fn spell(session: &Session, target: &WriteTarget, words: &[u32]) -> String {
    let word = |(place, &word): (usize, &u32)| match target {
        WriteTarget::Cells(cells) => {
            let number = cells.start + place;
            let cell = session.guest().cells().get(number);
            cell.map_or(String::new(), |cell| Value::new(number, cell, word).text())
        }
        WriteTarget::Memory { .. } => ctm_follow::words::value(ValueKind::Word, word),
    };
    words.iter().enumerate().map(word).collect::<Vec<_>>().join(", ")
}
