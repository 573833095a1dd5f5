//! Commands that people type: the same in editors, terminals and pages.

use crate::{
    Breakpoint, Expression, Position, Session, SessionError, Target, Value, What, Write, cell_name, find_cell,
    parse_bits,
};

/// What there is to type.
pub const HELP: &str = "\
who REGISTER               the last step that changed it
history                    all changes of the lane's outputs
lane X,Y                   looks at another lane
goto STEP                  goes to a step of the group
break PLACE [if EXPR]      stops at an address or label
when EXPR                  stops when it begins to hold
watch REGISTER             stops when it changes
nan, leaves                stop at the first NaN; when the lane leaves
breakpoints, delete N      lists breakpoints; takes one away
set REGISTER VALUE         changes a register from here on
everything else is an expression, like temp[0].r * 2";

/// What a command says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// For people.
    pub text: String,
    /// The session is at another moment, or looks at another lane.
    pub moved: bool,
}

/// Executes a command; none if the text is no command.
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
    let cell = |session: &Session, name: &str| {
        let missing = || format!("there is no register '{name}'; registers are like temp[0].r");
        find_cell(session.guest().cells(), name).ok_or_else(missing)
    };
    let add = |session: &mut Session, what, condition| {
        let number = session.add_breakpoint(Breakpoint { what, lane: None, condition });
        said(format!("breakpoint {number}"))
    };
    Ok(Some(match word {
        "who" => {
            let cell = cell(session, rest)?;
            match session.last_write(&Target::Cell(cell)).map_err(failed)? {
                Some(write) => said(describe(session, &write)),
                None => said(format!("nothing has changed {rest} since the group's start")),
            }
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
            let condition = condition.map(|text| expression(session, text)).transpose()?;
            let place = session.guest().listing().find(place.trim());
            let place = place.ok_or_else(|| format!("the program has no label or address '{rest}': break 3"))?;
            add(session, What::Place(place), condition)
        }
        "when" => {
            let expression = expression(session, rest)?;
            add(session, What::Holds(expression), None)
        }
        "watch" => {
            let cell = cell(session, rest)?;
            add(session, What::Cell(cell), None)
        }
        "nan" if rest.is_empty() => add(session, What::Nan, None),
        "leaves" if rest.is_empty() => add(session, What::Leaves, None),
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

/// A breakpoint, for people.
fn words(session: &Session, point: &Breakpoint) -> String {
    let cells = session.guest().cells();
    let what = match &point.what {
        What::Place(place) => {
            let listing = session.guest().listing();
            let row = listing.row(*place).map(|row| &listing.rows[row]);
            row.map_or("somewhere".into(), |row| format!("at {}: {}", row.address, row.text))
        }
        What::Holds(expression) => format!("when {}", expression.text),
        What::Nan => "at the first NaN".into(),
        What::Leaves => "when the lane leaves".into(),
        What::Cell(cell) => format!("when {} changes", cells.get(*cell).map(cell_name).unwrap_or_default()),
        What::Memory { address, bytes } => format!("when {bytes} bytes at {address:#010x} change"),
    };
    point.condition.as_ref().map_or(what.clone(), |condition| format!("{what} if {}", condition.text))
}

/// A write, for people.
fn describe(session: &Session, write: &Write) -> String {
    let listing = session.guest().listing();
    let row = write.place.and_then(|place| listing.row(place)).map(|row| &listing.rows[row]);
    let instruction = row.map_or("(no instruction)".into(), |row| format!("{}: {}", row.address, row.text));
    let (name, cell) = match &write.target {
        Target::Cell(number) => {
            let cell = session.guest().cells().get(*number);
            (cell.map(cell_name).unwrap_or_default(), cell.map(|cell| (*number, cell)))
        }
        Target::Memory { address, .. } => (format!("memory at {address:#010x}"), None),
    };
    let word = |word: &u32| match cell {
        Some((number, cell)) => Value::new(number, cell, *word).text(),
        None => format!("{:?} ({word:#010x})", f32::from_bits(*word)),
    };
    let all = |words: &[u32]| words.iter().map(word).collect::<Vec<_>>().join(", ");
    format!("step {}: {instruction}\n  {name}: {} -> {}", write.before.step, all(&write.old), all(&write.new))
}
