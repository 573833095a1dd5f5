//! The screen.

use crate::app::{App, KEYS, Picture};
use ctm_debug::{Register, Value};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph, Wrap};

/// Rows of the lanes, with their frame.
const LANES: u16 = 7;
/// Columns of the registers, with their frame.
const REGISTERS: u16 = 34;
/// Columns of the picture, with its frame.
const PICTURE: u16 = 34;

/// Draws all of it.
pub fn draw(app: &App, frame: &mut Frame) {
    let rows = [
        Constraint::Length(1),
        Constraint::Min(4),
        Constraint::Length(LANES),
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Length(1),
    ];
    let [title, middle, lower, time, message, keys] = Layout::vertical(rows).areas(frame.area());
    let [listing, registers] = Layout::horizontal([Constraint::Min(20), Constraint::Length(REGISTERS)]).areas(middle);
    let [lanes, picture] = Layout::horizontal([Constraint::Min(20), Constraint::Length(PICTURE)]).areas(lower);
    draw_title(app, frame, title);
    draw_listing(app, frame, listing);
    draw_registers(app, frame, registers);
    draw_lanes(app, frame, lanes);
    draw_picture(app, frame, picture);
    draw_time(app, frame, time);
    let text = app.input.as_ref().map_or(app.message.clone(), |input| format!(":{input}_"));
    frame.render_widget(Paragraph::new(text), message);
    frame.render_widget(Paragraph::new(KEYS).style(Style::new().add_modifier(Modifier::DIM)), keys);
    if let Some(page) = &app.page {
        let area = frame.area();
        let height = (page.lines().count() as u16 + 2).min(area.height.saturating_sub(2));
        let area = Rect { x: area.x + 1, y: area.y + 1, width: area.width.saturating_sub(2), height };
        frame.render_widget(Clear, area);
        let text = Paragraph::new(page.as_str()).wrap(Wrap { trim: false });
        frame.render_widget(text.block(Block::bordered().title(" any key closes ")), area);
    }
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

fn draw_listing(app: &App, frame: &mut Frame, area: Rect) {
    let rows = &app.session.guest().listing().rows;
    let height = usize::from(area.height.saturating_sub(2));
    let first = app.cursor.saturating_sub(height / 2).min(rows.len().saturating_sub(height));
    let most = app.counts.iter().max().copied().unwrap_or(0);
    let counts = if app.counts.is_empty() { 0 } else { most.to_string().len() };
    let digits = rows.iter().map(|row| row.address.len()).max().unwrap_or(1);
    let line = |(number, row): (usize, &ctm_debug::ListingRow)| {
        let next = if app.now.row == Some(number) { '▶' } else { ' ' };
        let point = if app.breakpoint_at(number).is_some() { '●' } else { ' ' };
        let count = match app.counts.get(number) {
            Some(0) => " ".repeat(counts + 1),
            Some(count) => format!("{count:>counts$} "),
            None => String::new(),
        };
        let text = format!("{point}{next}{count}{:>digits$} {}", row.address, row.text);
        let style = match (app.now.row == Some(number), app.cursor == number) {
            (true, _) => Style::new().fg(Color::Yellow).add_modifier(Modifier::BOLD),
            (false, true) => Style::new().add_modifier(Modifier::UNDERLINED),
            (false, false) => Style::new(),
        };
        Line::styled(text, style)
    };
    let lines: Vec<Line> = rows.iter().enumerate().skip(first).take(height).map(line).collect();
    let title = if counts > 0 { " program, with counts of lanes " } else { " program " };
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(title)), area);
}

/// Columns of a number, so that four of them fit.
const NUMBER: usize = 5;

/// A value in few columns; one that stands alone has more.
fn short(value: &Value, hexadecimal: bool, alone: bool) -> String {
    if hexadecimal {
        return format!("{:08x}", value.bits);
    }
    let text = value.text();
    if alone || text.len() <= NUMBER || !value.is_float() {
        return text;
    }
    let number = f32::from_bits(value.bits);
    if number.is_nan() {
        return "NaN".into();
    }
    let rounded = (0..=3).rev().map(|digits| format!("{number:.digits$}")).find(|text| text.len() <= NUMBER);
    // Zeros after the point would say nothing of small numbers.
    rounded.filter(|_| number.abs() >= 0.05).unwrap_or_else(|| format!("{number:.0e}"))
}

fn draw_registers(app: &App, frame: &mut Frame, area: Rect) {
    let mut number = 0;
    let mut lines = Vec::new();
    for (at, Register { name, values }) in app.now.registers.iter().enumerate() {
        let texts: Vec<String> =
            values.iter().map(|value| short(value, app.hexadecimal, values.len() == 1) + " ").collect();
        // Two of eight digits fit beside the name.
        let row = if texts.iter().any(|text| text.len() > NUMBER + 1) { 2 } else { 4 };
        let spans: Vec<Span> = values
            .iter()
            .zip(texts)
            .map(|(value, text)| {
                let changed = app.before.get(number).is_some_and(|before| *before != value.bits);
                number += 1;
                let style = Style::new().fg(Color::Green).add_modifier(Modifier::BOLD);
                let style = if changed { style } else { Style::new() };
                Span::styled(text, style)
            })
            .collect();
        if at < app.scroll {
            continue;
        }
        for (line, spans) in spans.chunks(row).enumerate() {
            let name = if line == 0 { name.as_str() } else { "" };
            lines.push(Line::from_iter(std::iter::once(Span::raw(format!("{name:<7} "))).chain(spans.to_vec())));
        }
    }
    if lines.is_empty() {
        lines.push(Line::raw("the lane does not run here"));
    }
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(" registers ")), area);
}

fn draw_lanes(app: &App, frame: &mut Frame, area: Rect) {
    let lanes = &app.now.lanes;
    let columns = lanes.iter().map(|lane| lane.i).min().zip(lanes.iter().map(|lane| lane.i).max());
    let rows = lanes.iter().map(|lane| lane.j).min().zip(lanes.iter().map(|lane| lane.j).max());
    let executing = lanes.iter().filter(|lane| lane.executes && lane.runs).count();
    let running = lanes.iter().filter(|lane| lane.runs).count();
    let mut lines = Vec::new();
    if let (Some((left, right)), Some((top, bottom))) = (columns, rows) {
        let width = u32::from(area.width.saturating_sub(2)).max(1);
        let (i, _) = app.session.focus();
        // Groups may be wider than the screen: the lane that is looked at stays visible.
        let left =
            if right - left >= width { i.saturating_sub(width / 2).clamp(left, right + 1 - width) } else { left };
        for row in top..=bottom.min(top + u32::from(LANES)) {
            let cell = |column| {
                let lane = lanes.iter().enumerate().find(|(_, lane)| (lane.i, lane.j) == (column, row));
                let Some((number, lane)) = lane else { return Span::raw(" ") };
                let sign = match (lane.runs, lane.executes, lane.standing) {
                    (false, ..) => "·",
                    (true, true, _) => "█",
                    (true, false, "ended") => "×",
                    (true, false, "break" | "continue") => "○",
                    (true, false, _) => "░",
                };
                let is_looked_at = app.now.lane == Some(number);
                Span::styled(sign, if is_looked_at { Style::new().fg(Color::Yellow) } else { Style::new() })
            };
            lines.push(Line::from((left..=right.min(left + width - 1)).map(cell).collect::<Vec<_>>()));
        }
    }
    lines.truncate(usize::from(LANES) - 3);
    lines.push(Line::styled("█ executes ░ branch ○ left loop × ended", Style::new().add_modifier(Modifier::DIM)));
    let title = format!(" lanes: {executing} of {running} execute ");
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(title)), area);
}

fn draw_picture(app: &App, frame: &mut Frame, area: Rect) {
    let block = Block::bordered().title(" picture ");
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let Some(Picture { columns, rows, colours }) = &app.picture else {
        frame.render_widget(Paragraph::new("no picture"), inner);
        return;
    };
    let (width, height) = (u32::from(inner.width), u32::from(inner.height) * 2);
    if width == 0 || height == 0 || *columns == 0 || *rows == 0 {
        return;
    }
    // Both directions by the same factor, so that squares stay squares: two rows of the picture in one of the screen.
    let factor = (f64::from(*columns) / f64::from(width)).max(f64::from(*rows) / f64::from(height)).max(1e-9);
    let (shown_columns, shown_rows) = (f64::from(*columns) / factor, f64::from(*rows) / factor);
    let first = app.session.guest().extent().first;
    let (i, j) = app.session.focus();
    let mark = (i.wrapping_sub(first.0), j.wrapping_sub(first.1));
    let scaled = |at: u32| (f64::from(at) / factor) as u32;
    let colour = |column: u32, row: u32| {
        if (column, row) == (scaled(mark.0), scaled(mark.1)) {
            return Some(Color::Yellow);
        }
        let inside = f64::from(column) < shown_columns && f64::from(row) < shown_rows;
        let (x, y) = ((f64::from(column) * factor) as u32, (f64::from(row) * factor) as u32);
        let at = (y.min(rows - 1) * columns + x.min(columns - 1)) as usize;
        inside.then(|| colours.get(at).map(|&[r, g, b]| Color::Rgb(r, g, b)))?
    };
    let line = |row: u32| {
        let cell = |column| match (colour(column, row * 2), colour(column, row * 2 + 1)) {
            (None, None) => Span::raw(" "),
            (upper, lower) => {
                let style = Style::new().fg(upper.unwrap_or(Color::Reset)).bg(lower.unwrap_or(Color::Reset));
                Span::styled("▀", style)
            }
        };
        Line::from((0..width).map(cell).collect::<Vec<_>>())
    };
    let lines: Vec<Line> = (0..u32::from(inner.height)).map(line).collect();
    frame.render_widget(Paragraph::new(lines), inner);
}

fn draw_time(app: &App, frame: &mut Frame, area: Rect) {
    let known = app.known.max(app.now.step).max(1);
    let text = format!(" {} / {known} ", app.now.step);
    let width = usize::from(area.width).saturating_sub(text.chars().count() + 2);
    let done = (app.now.step as usize * width) / known as usize;
    let bar = format!("[{}{}]{text}", "━".repeat(done), "─".repeat(width - done));
    frame.render_widget(Paragraph::new(bar).style(Style::new().fg(Color::Cyan)), area);
}
