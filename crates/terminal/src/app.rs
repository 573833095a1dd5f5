//! What is shown of a session, and what keys do.

use crate::signs::{Signs, UNICODE};
use ctm_debug::{
    Answer, Breakpoint, BreakpointKind, Direction, Expression, HELP, Position, Register, Session, Snapshot, StepKind,
    StepOutcome, StopReason, Value, command,
};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Keys, for the last line and for help.
pub const KEYS: &str = "→ step  ← back  n over  p pass  c/C run  b break  : command  ? help  q quit";

/// More about them.
const MORE: &str = "\
right, left, s, S   a step of the lane; back
i, I                an instruction of the group; back
n, N                over calls; back       u, U   out of the call
l, L                a source line; back    p, P   a pass of the loop; back
c, C                to the next breakpoint; back
home, end           the start and end of the group
up, down, j, k      the cursor in the program     b   a breakpoint there
[ ]                 the lane before; the next     page up, down   registers
v, x, ( )           source or listing; bits; variables   :   a command:
";

/// The whole domain, as it looks at the end of the run.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// Columns.
    pub columns: u32,
    /// Rows.
    pub rows: u32,
    /// Red, green and blue of each position, row by row.
    pub colours: Vec<[u8; 3]>,
}

/// What the program is shown as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Its instructions.
    Listing,
    /// The source text with this number.
    Source(usize),
}

/// Registers by their names, with their bits.
type Bits = Vec<(String, Vec<u32>)>;

/// Whether the user stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// There is more.
    Stay,
    /// The session is over.
    Leave,
}

/// A session as it is shown.
pub struct App {
    /// The session.
    pub session: Session,
    /// The moment that is shown.
    pub now: Snapshot,
    /// What registers held before the last movement, to show what has changed.
    pub before: Bits,
    /// The same of the variables of the source.
    pub before_variables: Bits,
    /// Whether the listing is shown, or a source.
    pub view: View,
    /// The row of the listing that keys are about.
    pub cursor: usize,
    /// The line of the source that they are about, from 1.
    pub line_cursor: u32,
    /// What it is drawn with.
    pub signs: &'static Signs,
    /// How often each row of the listing was executed by lanes, if that is known.
    pub counts: Vec<u64>,
    /// The picture, if there is one.
    pub picture: Option<Picture>,
    /// What is said, below.
    pub message: String,
    /// A command that is being typed.
    pub input: Option<String>,
    /// Help is shown, or an answer that has several lines.
    pub page: Option<String>,
    /// Bits instead of numbers.
    pub hexadecimal: bool,
    /// Registers that are scrolled over.
    pub scroll: usize,
    /// Lines of variables that are.
    pub variable_scroll: usize,
    /// Most steps of the group that were seen.
    pub known: u64,
}

impl App {
    /// Of a session, with counts for the rows of its listing, and a picture.
    pub fn new(session: Session, counts: Vec<u64>, picture: Option<Picture>) -> Self {
        let now = session.snapshot();
        let mut app = App {
            cursor: now.row.unwrap_or(0),
            session,
            now,
            before: Vec::new(),
            before_variables: Vec::new(),
            view: View::Listing,
            line_cursor: 1,
            signs: &UNICODE,
            counts,
            picture,
            message: "? shows all keys".into(),
            input: None,
            page: None,
            hexadecimal: false,
            scroll: 0,
            variable_scroll: 0,
            known: 0,
        };
        app.remember();
        // Who has variables wrote the source.
        if app.session.has_variables() {
            app.change_view();
        }
        app
    }

    /// Notes what the lane holds.
    fn remember(&mut self) {
        let bits = |registers: &[Register]| {
            let one =
                |register: &Register| (register.name.clone(), register.values.iter().map(|value| value.bits).collect());
            registers.iter().map(one).collect()
        };
        (self.before, self.before_variables) = (bits(&self.now.registers), bits(&self.now.variables));
    }

    /// The source line of the row that is next.
    fn line(&self) -> Option<(usize, u32)> {
        self.session.guest().listing().rows.get(self.now.row?)?.line
    }

    /// Shows the source in place of the listing, or the other way round.
    fn change_view(&mut self) {
        let sources = self.session.guest().listing().sources.len();
        self.view = match (self.view, self.line()) {
            (View::Listing, Some((source, line))) => {
                self.line_cursor = line;
                View::Source(source)
            }
            (View::Listing, None) if sources > 0 => View::Source(0),
            (View::Listing, None) => {
                self.message = "the program has no source, only its listing".into();
                View::Listing
            }
            (View::Source(_), _) => View::Listing,
        };
    }

    /// Shows the session as it is now.
    fn show(&mut self, text: String) {
        self.remember();
        self.now = self.session.snapshot();
        self.cursor = self.now.row.unwrap_or(self.cursor);
        if let (View::Source(_), Some((source, line))) = (self.view, self.line()) {
            (self.view, self.line_cursor) = (View::Source(source), line);
        }
        let rows = &self.session.guest().listing().rows;
        // The listing is often too narrow for a whole instruction.
        let next = self.now.row.and_then(|row| rows.get(row)).map(|row| format!("{}: {}", row.address, row.text));
        self.message = if text.is_empty() { next.unwrap_or_default() } else { text };
    }

    /// A key is pressed.
    pub fn key(&mut self, key: KeyEvent) -> Flow {
        self.session.begin_request();
        if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c') {
            return Flow::Leave;
        }
        if self.page.take().is_some() {
            return Flow::Stay;
        }
        if let Some(mut input) = self.input.take() {
            match key.code {
                KeyCode::Enter => self.command(&input),
                KeyCode::Esc => {}
                KeyCode::Backspace if input.is_empty() => {}
                KeyCode::Backspace => {
                    input.pop();
                    self.input = Some(input);
                }
                KeyCode::Char(c) => {
                    input.push(c);
                    self.input = Some(input);
                }
                _ => self.input = Some(input),
            }
            return Flow::Stay;
        }
        match key.code {
            KeyCode::Char('q') => return Flow::Leave,
            KeyCode::Char('?') => self.page = Some(format!("{MORE}{HELP}")),
            KeyCode::Char(':') => self.input = Some(String::new()),
            KeyCode::Right | KeyCode::Char('s') => self.step(StepKind::Lane, Direction::Forward),
            KeyCode::Left | KeyCode::Char('S') => self.step(StepKind::Lane, Direction::Back),
            KeyCode::Char('i') => self.step(StepKind::Instruction, Direction::Forward),
            KeyCode::Char('I') => self.step(StepKind::Instruction, Direction::Back),
            KeyCode::Char('n') => self.step(StepKind::Over, Direction::Forward),
            KeyCode::Char('N') => self.step(StepKind::Over, Direction::Back),
            KeyCode::Char('u') => self.step(StepKind::Out, Direction::Forward),
            KeyCode::Char('U') => self.step(StepKind::Out, Direction::Back),
            KeyCode::Char('l') => self.step(StepKind::Line, Direction::Forward),
            KeyCode::Char('L') => self.step(StepKind::Line, Direction::Back),
            KeyCode::Char('p') => self.step(StepKind::Pass, Direction::Forward),
            KeyCode::Char('P') => self.step(StepKind::Pass, Direction::Back),
            KeyCode::Char('c') => self.run(Direction::Forward),
            KeyCode::Char('C') => self.run(Direction::Back),
            KeyCode::Home => self.go(Position { step: 0, ..self.session.position() }),
            KeyCode::End => {
                let text =
                    self.session.go_to_end().err().map_or("the end of the group".into(), |error| error.to_string());
                self.show(text);
            }
            KeyCode::Up | KeyCode::Char('k') => self.move_cursor(-1),
            KeyCode::Down | KeyCode::Char('j') => self.move_cursor(1),
            KeyCode::Char('v') => self.change_view(),
            KeyCode::Char('(') => self.variable_scroll = self.variable_scroll.saturating_sub(4),
            KeyCode::Char(')') => {
                self.variable_scroll = (self.variable_scroll + 4).min(self.now.variables.len().saturating_sub(1));
            }
            KeyCode::PageUp => self.scroll = self.scroll.saturating_sub(4),
            KeyCode::PageDown => self.scroll = (self.scroll + 4).min(self.now.registers.len().saturating_sub(1)),
            KeyCode::Char('b' | ' ') => self.toggle_breakpoint(),
            KeyCode::Char('[') => self.next_lane(-1),
            KeyCode::Char(']') => self.next_lane(1),
            KeyCode::Char('x') => self.hexadecimal = !self.hexadecimal,
            _ => self.message = "? shows all keys".into(),
        }
        self.known = self.known.max(self.session.position().step);
        Flow::Stay
    }

    fn step(&mut self, unit: StepKind, direction: Direction) {
        let reason = self.session.step(unit, direction);
        self.tell(&reason);
    }

    fn run(&mut self, direction: Direction) {
        let reason = self.session.run(direction);
        self.tell(&reason);
    }

    fn go(&mut self, to: Position) {
        let text = self.session.go_to(to).err().map_or(String::new(), |error| error.to_string());
        self.show(text);
    }

    fn tell(&mut self, reason: &StopReason) {
        let text = match reason {
            StopReason::Step => String::new(),
            StopReason::Breakpoint(hits) => {
                hits.iter().map(|(number, text)| format!("{number}: {text}")).collect::<Vec<_>>().join("; ")
            }
            StopReason::End => "the group has ended; ← goes back".into(),
            StopReason::Start => "the group's start".into(),
            StopReason::Trap(trap) => format!("trap: {trap}"),
            StopReason::Limit => "it took the steps, or the time, that one request may; again goes on".into(),
        };
        self.show(text);
    }

    /// The number of the breakpoint at a row of the listing, if there is one.
    pub fn breakpoint_at(&self, row: usize) -> Option<u32> {
        let place = self.session.guest().listing().rows.get(row)?.place;
        let is_there = |(_, point): &(&u32, &Breakpoint)| point.kind == BreakpointKind::Place(place);
        self.session.breakpoints().iter().find(is_there).map(|(number, _)| *number)
    }

    /// The number of the breakpoint at a line of a source, if there is one.
    pub fn breakpoint_in_line(&self, source: usize, line: u32) -> Option<u32> {
        let rows = self.session.guest().listing().rows.iter().enumerate();
        rows.filter(|(_, row)| row.line == Some((source, line))).find_map(|(number, _)| self.breakpoint_at(number))
    }

    fn move_cursor(&mut self, by: i32) {
        let listing = self.session.guest().listing();
        match self.view {
            View::Listing => {
                let last = listing.rows.len().saturating_sub(1);
                self.cursor = self.cursor.saturating_add_signed(by as isize).min(last);
            }
            View::Source(source) => {
                let last = listing.sources.get(source).map_or(1, |source| source.text.lines().count().max(1));
                self.line_cursor = self.line_cursor.saturating_add_signed(by).clamp(1, last as u32);
            }
        }
    }

    fn toggle_breakpoint(&mut self) {
        match self.view {
            View::Listing => self.toggle_row(),
            View::Source(source) => match self.breakpoint_in_line(source, self.line_cursor) {
                Some(number) => {
                    self.session.remove_breakpoint(number);
                    self.message = format!("breakpoint {number} is gone");
                }
                None => match self.session.guest().listing().place_of_line(source, self.line_cursor) {
                    Some((place, line)) => {
                        let what = BreakpointKind::Place(place);
                        let number =
                            self.session.add_breakpoint(Breakpoint { kind: what, lane: None, condition: None });
                        self.message = format!("breakpoint {number} in line {line}");
                        self.line_cursor = line;
                    }
                    None => self.message = "no instruction comes from this line or a later one".into(),
                },
            },
        }
    }

    fn toggle_row(&mut self) {
        if let Some(number) = self.breakpoint_at(self.cursor) {
            self.session.remove_breakpoint(number);
            self.message = format!("breakpoint {number} is gone");
        } else if let Some(row) = self.session.guest().listing().rows.get(self.cursor) {
            let what = BreakpointKind::Place(row.place);
            let number = self.session.add_breakpoint(Breakpoint { kind: what, lane: None, condition: None });
            self.message = format!("breakpoint {number}");
        }
    }

    fn next_lane(&mut self, by: isize) {
        let running: Vec<usize> = (0..self.now.lanes.len()).filter(|&lane| self.now.lanes[lane].runs).collect();
        let here = running.iter().position(|&lane| Some(lane) == self.now.lane).unwrap_or(0);
        let next = (here as isize + by).rem_euclid(running.len().max(1) as isize) as usize;
        if let Some(lane) = running.get(next).map(|&lane| &self.now.lanes[lane]) {
            let at = (lane.i, lane.j);
            let text = self.session.set_focus(at).err().map_or(format!("lane {at:?}"), |error| error.to_string());
            self.show(text);
            self.remember();
        }
    }

    fn command(&mut self, input: &str) {
        match command(&mut self.session, input) {
            Ok(Some(Answer { text, moved })) => {
                if moved {
                    self.show(text);
                } else if text.lines().count() > 2 {
                    self.page = Some(text);
                } else {
                    self.message = text.lines().map(str::trim).collect::<Vec<_>>().join("  ");
                }
            }
            Ok(None) => self.message = self.value(input),
            Err(why) => self.message = why,
        }
    }

    /// The value of an expression.
    fn value(&self, input: &str) -> String {
        let guest = self.session.guest();
        let Some(lane) = self.now.lane else { return "the lane does not run here".into() };
        if let Some(variable) = self.now.variables.iter().find(|variable| variable.name == input) {
            let values: Vec<String> = variable.values.iter().map(Value::text).collect();
            return format!("{input} = {}", values.join(", "));
        }
        let located = match self.session.with_registers(input, self.now.row) {
            Ok(located) => located,
            Err(why) => return why,
        };
        match Expression::parse(&located, guest.cells()) {
            Ok(expression) => format!("{input} = {}", expression.value(&|cell| guest.read(lane, cell))),
            Err(error) => error.to_string(),
        }
    }

    /// Whether the group has ended.
    pub fn is_over(&self) -> bool {
        self.session.outcome() != &StepOutcome::Going
    }
}
