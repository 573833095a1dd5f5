//! The terminal of the process.

use crate::app::{App, Flow};
use crate::draw::draw;
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use std::io;

/// Shows a session until the user leaves it. The terminal is as before then.
///
/// # Errors
/// The process has no terminal, or it fails.
pub fn run(app: &mut App) -> io::Result<()> {
    let mut terminal = ratatui::try_init()?;
    let result = loop {
        if let Err(error) = terminal.draw(|frame| draw(app, frame)) {
            break Err(error);
        }
        match event::read() {
            Ok(Event::Key(key)) if key.kind != KeyEventKind::Release => {
                if app.key(key) == Flow::Leave {
                    break Ok(());
                }
            }
            Ok(_) => {}
            Err(error) => break Err(error),
        }
    };
    ratatui::try_restore()?;
    result
}
