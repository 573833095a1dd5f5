//! Tables and lists in Markdown.

/// A table, the first line being its head, that is aligned for the terminal too: the first column on the left, the others on
/// the right.
pub fn table(lines: &[Vec<String>]) -> String {
    let columns = lines.first().map_or(0, Vec::len);
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for (at, line) in lines.iter().enumerate() {
        for (column, (cell, &width)) in line.iter().zip(&widths).enumerate() {
            text += &if column == 0 { format!("| {cell:width$} ") } else { format!("| {cell:>width$} ") };
        }
        text += "|\n";
        if at == 0 {
            for (column, width) in widths.iter().enumerate() {
                let dashes = "-".repeat(width + 1);
                text += &if column == 0 { format!("|{dashes}-") } else { format!("|{dashes}:") };
            }
            text += "|\n";
        }
    }
    text
}

/// A list, a line for each.
pub fn list(lines: impl IntoIterator<Item = String>) -> String {
    lines.into_iter().map(|line| format!("- {line}\n")).collect()
}
