//! The program: its listing, or the text that it comes from.

use super::panel;
use crate::app::{App, View};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

/// A line of the panel.
struct Entry {
    /// What stands in front of the text.
    head: String,
    text: String,
    is_next: bool,
    is_cursor: bool,
}

pub(super) fn draw(app: &App, frame: &mut Frame, area: Rect) {
    let (entries, cursor, title) = match app.view {
        View::Listing => listing(app),
        View::Source(source) => text(app, source),
    };
    let (width, height) = (usize::from(area.width.saturating_sub(2)), usize::from(area.height.saturating_sub(2)));
    let first = cursor.saturating_sub(height / 2).min(entries.len().saturating_sub(height));
    let mut lines: Vec<Line> = Vec::new();
    let mut cursor_end = 0;
    for entry in entries.iter().skip(first).take(height) {
        let style = match (entry.is_next, entry.is_cursor) {
            (true, _) => Style::new().fg(Color::Yellow).add_modifier(Modifier::BOLD),
            (false, true) => Style::new().add_modifier(Modifier::UNDERLINED),
            (false, false) => Style::new(),
        };
        let wraps = entry.is_next || entry.is_cursor;
        lines.extend(cut(entry, width, wraps, app.signs.more).into_iter().map(|line| Line::styled(line, style)));
        if wraps {
            cursor_end = lines.len();
        }
    }
    // BreakpointKind goes on over several lines may not push itself out of the panel.
    lines.drain(..cursor_end.saturating_sub(height).min(lines.len()));
    frame.render_widget(Paragraph::new(lines).block(panel(app, &title)), area);
}

/// A line in so many columns: all of it in several lines, or as much as fits.
fn cut(entry: &Entry, width: usize, wraps: bool, more: &str) -> Vec<String> {
    let head = entry.head.chars().count();
    let room = width.saturating_sub(head);
    let text: Vec<char> = entry.text.chars().collect();
    if text.len() <= room || room < 8 {
        return vec![format!("{}{}", entry.head, entry.text)];
    }
    if !wraps {
        let some: String = text[..room - 1].iter().collect();
        return vec![format!("{}{some}{more}", entry.head)];
    }
    let part = |(number, part): (usize, &[char])| {
        let head = if number == 0 { entry.head.clone() } else { " ".repeat(head) };
        head + &part.iter().collect::<String>()
    };
    text.chunks(room).enumerate().map(part).collect()
}

fn listing(app: &App) -> (Vec<Entry>, usize, String) {
    let rows = &app.session.guest().listing().rows;
    let most = app.counts.iter().max().copied().unwrap_or(0);
    let counts = if app.counts.is_empty() { 0 } else { most.to_string().len() };
    let digits = rows.iter().map(|row| row.address.len()).max().unwrap_or(1);
    let entry = |(number, row): (usize, &ctm_debug::ListingRow)| {
        let is_next = app.now.row == Some(number);
        let next = if is_next { app.signs.next } else { ' ' };
        let point = if app.breakpoint_at(number).is_some() { app.signs.point } else { ' ' };
        let count = match app.counts.get(number) {
            Some(0) => " ".repeat(counts + 1),
            Some(count) => format!("{count:>counts$} "),
            None => String::new(),
        };
        let head = format!("{point}{next}{count}{:>digits$} ", row.address);
        Entry { head, text: app.signs.text(&row.text).into_owned(), is_next, is_cursor: app.cursor == number }
    };
    let title = if counts > 0 { " program, with counts of lanes " } else { " program " };
    (rows.iter().enumerate().map(entry).collect(), app.cursor, title.to_owned())
}

fn text(app: &App, source: usize) -> (Vec<Entry>, usize, String) {
    let listing = app.session.guest().listing();
    let Some(text) = listing.sources.get(source) else { return (Vec::new(), 0, String::new()) };
    let digits = text.text.lines().count().to_string().len();
    let now = app.now.row.and_then(|row| listing.rows.get(row)?.line).filter(|(of, _)| *of == source);
    let entry = |(line, text): (usize, &str)| {
        let number = line as u32 + 1;
        let is_next = now.is_some_and(|(_, now)| now == number);
        let next = if is_next { app.signs.next } else { ' ' };
        let point = if app.breakpoint_in_line(source, number).is_some() { app.signs.point } else { ' ' };
        let head = format!("{point}{next}{number:>digits$} ");
        let text = app.signs.text(&text.replace('\t', "    ")).into_owned();
        Entry { head, text, is_next, is_cursor: app.line_cursor == number }
    };
    let entries = text.text.lines().enumerate().map(entry).collect();
    let name = text.name.rsplit(['/', '\\']).next().unwrap_or_default();
    (entries, app.line_cursor.saturating_sub(1) as usize, format!(" {} ", app.signs.text(name)))
}
