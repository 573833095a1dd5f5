//! What the lane holds: variables of the source, and registers.

use super::panel;
use crate::app::App;
use ctm_debug::{Register, Value};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

/// Columns of a number, so that four of them fit.
const NUMBER: usize = 5;
/// Columns of a name.
const NAME: usize = 7;

pub(super) fn draw(app: &App, frame: &mut Frame, area: Rect) {
    if !app.session.has_variables() {
        return draw_registers(app, frame, area);
    }
    let lines = lines(app, &app.now.variables, &app.before_variables, 0);
    let most = (area.height / 2).max(3);
    let height = Constraint::Length((lines.len() as u16).saturating_add(2).clamp(3, most));
    let [upper, lower] = Layout::vertical([height, Constraint::Min(0)]).areas(area);
    let first = app.variable_scroll.min(lines.len().saturating_sub(1));
    let shown: Vec<Line> = lines.into_iter().skip(first).collect();
    frame.render_widget(Paragraph::new(shown).block(panel(app, " variables ")), upper);
    draw_registers(app, frame, lower);
}

fn draw_registers(app: &App, frame: &mut Frame, area: Rect) {
    let mut lines = lines(app, &app.now.registers, &app.before, app.scroll);
    if lines.is_empty() {
        lines.push(Line::raw("the lane does not run here"));
    }
    frame.render_widget(Paragraph::new(lines).block(panel(app, " registers ")), area);
}

/// Registers, or variables, from one on; what the last movement has changed is green.
fn lines<'l>(app: &App, all: &'l [Register], before: &[(String, Vec<u32>)], first: usize) -> Vec<Line<'l>> {
    let mut lines = Vec::new();
    for Register { name, values } in all.iter().skip(first) {
        let texts: Vec<String> =
            values.iter().map(|value| short(value, app.hexadecimal, values.len() == 1) + " ").collect();
        // Two of eight digits fit beside the name.
        let row = if texts.iter().any(|text| text.len() > NUMBER + 1) { 2 } else { 4 };
        let old = before.iter().find(|(old, _)| old == name).map(|(_, bits)| bits);
        let spans: Vec<Span> = values
            .iter()
            .zip(texts)
            .enumerate()
            .map(|(number, (value, text))| {
                let changed = old.and_then(|bits| bits.get(number)).is_some_and(|before| *before != value.bits);
                let style = Style::new().fg(Color::Green).add_modifier(Modifier::BOLD);
                let style = if changed { style } else { Style::new() };
                Span::styled(text, style)
            })
            .collect();
        // A long name has a line of its own.
        let is_long = name.chars().count() > NAME;
        if is_long && !name.starts_with("temp[") {
            lines.push(Line::raw(name.as_str()));
        }
        for (line, spans) in spans.chunks(row).enumerate() {
            let name = if line == 0 && (!is_long || name.starts_with("temp[")) { name.as_str() } else { "" };
            lines.push(Line::from_iter(std::iter::once(Span::raw(format!("{name:<NAME$} "))).chain(spans.to_vec())));
        }
    }
    lines
}

/// A value in few columns; one that stands alone has more.
fn short(value: &Value, hexadecimal: bool, alone: bool) -> String {
    if hexadecimal && value.kind != "absent" {
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
