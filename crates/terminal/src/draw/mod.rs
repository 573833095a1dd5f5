//! The screen. Panels share the room that there is; 80 columns and 24 rows are enough.

mod group;
mod program;
mod values;

use crate::app::{App, KEYS};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::widgets::{Block, Clear, Paragraph, Wrap};

/// Rows of the lanes and the picture, with their frame, at least.
const LOWER: u16 = 7;
/// Columns of the registers, with their frame, at least.
const REGISTERS: u16 = 34;

/// Draws all of it.
pub fn draw(app: &App, frame: &mut Frame) {
    let size = frame.area();
    // The message, which is often the whole instruction, has up to three lines where that takes little of the room.
    let message_text = app.input.as_ref().map_or(app.message.clone(), |input| format!(":{input}_"));
    let message_text = app.signs.text(&message_text).into_owned();
    let wanted = message_text.chars().count().div_ceil(usize::from(size.width.max(1))).max(1) as u16;
    let message_rows = wanted.min(3).min((size.height / 8).max(1));
    let rows = [
        Constraint::Length(1),
        Constraint::Min(4),
        Constraint::Length((size.height / 3).max(LOWER)),
        Constraint::Length(1),
        Constraint::Length(message_rows),
        Constraint::Length(1),
    ];
    let [title, middle, lower, time, message, keys] = Layout::vertical(rows).areas(size);
    let right = Constraint::Length((size.width / 3).max(REGISTERS));
    let [listing, registers] = Layout::horizontal([Constraint::Min(20), right]).areas(middle);
    let [lanes, picture] =
        Layout::horizontal([Constraint::Min(20), Constraint::Length(picture_columns(app, size, lower))]).areas(lower);
    draw_title(app, frame, title);
    program::draw(app, frame, listing);
    values::draw(app, frame, registers);
    group::draw_lanes(app, frame, lanes);
    group::draw_picture(app, frame, picture);
    draw_time(app, frame, time);
    frame.render_widget(Paragraph::new(message_text).wrap(Wrap { trim: false }), message);
    let keys_text = app.signs.text(KEYS);
    frame.render_widget(Paragraph::new(keys_text).style(Style::new().add_modifier(Modifier::DIM)), keys);
    if let Some(page) = &app.page {
        let area = size;
        let height = (page.lines().count() as u16 + 2).min(area.height.saturating_sub(2));
        let area = Rect { x: area.x + 1, y: area.y + 1, width: area.width.saturating_sub(2), height };
        frame.render_widget(Clear, area);
        let text = Paragraph::new(app.signs.text(page)).wrap(Wrap { trim: false });
        frame.render_widget(text.block(panel(app, " any key closes ")), area);
    }
}

/// A frame with a title.
fn panel<'t>(app: &App, title: &'t str) -> Block<'t> {
    Block::bordered().border_set(app.signs.frame).title(title)
}

/// Columns of the picture, with its frame: as many as its height asks for, up to half of the screen.
fn picture_columns(app: &App, size: Rect, lower: Rect) -> u16 {
    let inner = u32::from(lower.height.saturating_sub(2)) * 2;
    let wanted = app.picture.as_ref().map_or(0, |picture| (inner * picture.columns).div_ceil(picture.rows.max(1)));
    (wanted.min(u16::MAX.into()) as u16).saturating_add(2).clamp(REGISTERS, (size.width / 2).max(REGISTERS))
}

fn draw_title(app: &App, frame: &mut Frame, area: Rect) {
    let now = &app.now;
    let (i, j) = app.session.focus();
    let mut text =
        format!(" {}  group {} of {}  step {}  lane ({i}, {j})", now.machine, now.group, now.groups, now.step);
    match now.pass {
        Some((_, pass, Some(of))) => text += &format!("  pass {pass} of {of}"),
        Some((_, pass, None)) => text += &format!("  pass {pass}"),
        None => {}
    }
    if now.edited {
        text += "  changed by hand";
    }
    if now.trap.is_some() {
        text += "  trapped";
    } else if app.is_over() {
        text += "  ended";
    }
    frame.render_widget(Paragraph::new(text).style(Style::new().add_modifier(Modifier::REVERSED)), area);
}

fn draw_time(app: &App, frame: &mut Frame, area: Rect) {
    let known = app.known.max(app.now.step).max(1);
    let text = format!(" {} / {known} ", app.now.step);
    let width = usize::from(area.width).saturating_sub(text.chars().count() + 2);
    let done = (app.now.step as usize * width) / known as usize;
    let [over, to_come] = app.signs.time;
    let bar = format!("[{}{}]{text}", over.repeat(done), to_come.repeat(width - done));
    frame.render_widget(Paragraph::new(bar).style(Style::new().fg(Color::Cyan)), area);
}
