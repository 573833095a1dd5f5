//! Small pieces of text that several commands print.

/// Instruction text without the line breaks that make it easy to read in a file.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `no errors`, `1 error`, `2 errors`.
pub fn number_of(count: usize, thing: &str) -> String {
    match count {
        0 => format!("no {thing}s"),
        1 => format!("1 {thing}"),
        _ => format!("{count} {thing}s"),
    }
}

/// Numbers with runs drawn together: `c0-c3, c7`; `none` if there are none. The numbers must ascend.
pub fn ranges(prefix: &str, numbers: impl IntoIterator<Item = u8>) -> String {
    let mut runs: Vec<(u8, u8)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let run = |&(first, last): &(u8, u8)| match last - first {
        0 => format!("{prefix}{first}"),
        _ => format!("{prefix}{first}-{prefix}{last}"),
    };
    if runs.is_empty() { "none".into() } else { runs.iter().map(run).collect::<Vec<_>>().join(", ") }
}

/// A name that a file gives a program, as far as people read: it may be as long as the file, and stands in each message.
pub fn title(name: &str) -> String {
    const LONGEST: usize = 1000;
    match name.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &name[..end]),
        None => name.to_owned(),
    }
}

/// Things with commas between, as many as people read.
pub fn listing(things: impl IntoIterator<Item = String>) -> String {
    const LONGEST: usize = 4000;
    let mut text = String::new();
    for thing in things {
        let comma = if text.is_empty() { "" } else { ", " };
        if text.len() + thing.len() > LONGEST {
            return text + comma + "...";
        }
        text = text + comma + &thing;
    }
    text
}
