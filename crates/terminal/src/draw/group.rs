//! The lanes of the group, and the picture that the run leaves.

use super::panel;
use crate::app::{App, Picture};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

pub(super) fn draw_lanes(app: &App, frame: &mut Frame, area: Rect) {
    let lanes = &app.now.lanes;
    let columns = lanes.iter().map(|lane| lane.i).min().zip(lanes.iter().map(|lane| lane.i).max());
    let rows = lanes.iter().map(|lane| lane.j).min().zip(lanes.iter().map(|lane| lane.j).max());
    let executing = lanes.iter().filter(|lane| lane.executes && lane.runs).count();
    let running = lanes.iter().filter(|lane| lane.runs).count();
    let [executes, branch, left_loop, ended, absent] = app.signs.lanes;
    let mut lines = Vec::new();
    // The last row says what the signs mean.
    let height = u32::from(area.height.saturating_sub(3)).max(1);
    if let (Some((left, right)), Some((top, bottom))) = (columns, rows) {
        let width = u32::from(area.width.saturating_sub(2)).max(1);
        let (i, j) = app.session.focus();
        // Groups may be larger than the panel: the lane that is looked at stays visible.
        let from = |first: u32, last: u32, room: u32, at: u32| {
            if last - first >= room { at.saturating_sub(room / 2).clamp(first, last + 1 - room) } else { first }
        };
        let (left, top) = (from(left, right, width, i), from(top, bottom, height, j));
        for row in top..=bottom.min(top + height - 1) {
            let cell = |column| {
                let lane = lanes.iter().enumerate().find(|(_, lane)| (lane.i, lane.j) == (column, row));
                let Some((number, lane)) = lane else { return Span::raw(" ") };
                let sign = match (lane.runs, lane.executes, lane.standing) {
                    (false, ..) => absent,
                    (true, true, _) => executes,
                    (true, false, "ended") => ended,
                    (true, false, "break" | "continue") => left_loop,
                    (true, false, _) => branch,
                };
                let is_looked_at = app.now.lane == Some(number);
                Span::styled(sign, if is_looked_at { Style::new().fg(Color::Yellow) } else { Style::new() })
            };
            lines.push(Line::from((left..=right.min(left + width - 1)).map(cell).collect::<Vec<_>>()));
        }
    }
    let meanings = format!("{executes} executes {branch} branch {left_loop} left loop {ended} ended");
    lines.push(Line::styled(meanings, Style::new().add_modifier(Modifier::DIM)));
    let title = format!(" lanes: {executing} of {running} execute ");
    frame.render_widget(Paragraph::new(lines).block(panel(app, &title)), area);
}

pub(super) fn draw_picture(app: &App, frame: &mut Frame, area: Rect) {
    let block = panel(app, " picture ");
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
        let marked = scaled(mark.1);
        // Where a cell shows one row, the mark is in it, whichever of the two it is.
        let is_row = if app.signs.halves.is_some() { row == marked } else { row == marked / 2 * 2 };
        if is_row && column == scaled(mark.0) {
            return Some(Color::Yellow);
        }
        let inside = f64::from(column) < shown_columns && f64::from(row) < shown_rows;
        let (x, y) = ((f64::from(column) * factor) as u32, (f64::from(row) * factor) as u32);
        let at = (y.min(rows - 1) * columns + x.min(columns - 1)) as usize;
        inside.then(|| colours.get(at).map(|&[r, g, b]| Color::Rgb(r, g, b)))?
    };
    let line = |row: u32| {
        let cell = |column| {
            let (upper, lower) = (colour(column, row * 2), colour(column, row * 2 + 1));
            match (app.signs.halves, upper, lower) {
                (_, None, None) | (None, None, _) => Span::raw(" "),
                (Some(sign), upper, lower) => {
                    let style = Style::new().fg(upper.unwrap_or(Color::Reset)).bg(lower.unwrap_or(Color::Reset));
                    Span::styled(sign, style)
                }
                (None, Some(colour), _) => Span::styled(" ", Style::new().bg(colour)),
            }
        };
        Line::from((0..width).map(cell).collect::<Vec<_>>())
    };
    let lines: Vec<Line> = (0..u32::from(inner.height)).map(line).collect();
    frame.render_widget(Paragraph::new(lines), inner);
}
