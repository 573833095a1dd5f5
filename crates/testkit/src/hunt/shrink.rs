//! Makes what was found smaller while it is still found: filetests line by line, word by word and number by number, and the
//! inputs of fuzz targets byte by byte (delta debugging, Zeller and Hildebrandt, 2002).

use std::time::Instant;

/// The smallest list of parts that was found to fail, by removing runs of them.
fn without_parts<T: Clone>(parts: Vec<T>, end: Instant, fails: &mut dyn FnMut(&[T]) -> bool) -> Vec<T> {
    let mut parts = parts;
    let mut run = parts.len().div_ceil(2).max(1);
    loop {
        let mut at = 0;
        let before = parts.len();
        while at < parts.len() && Instant::now() < end {
            let mut fewer = parts.clone();
            fewer.drain(at..(at + run).min(parts.len()));
            if !fewer.is_empty() && fails(&fewer) {
                parts = fewer;
            } else {
                at += run;
            }
        }
        if Instant::now() >= end || run == 1 && parts.len() == before {
            return parts;
        }
        run = (run / 2).max(1);
    }
}

/// Shrinks the input of a fuzz target.
pub fn bytes(input: Vec<u8>, end: Instant, mut fails: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    without_parts(input, end, &mut |bytes| fails(bytes))
}

/// Shrinks a filetest: lines, then words, then numbers, and all of it again, as long as that helps. A text that is no
/// filetest any more does not fail, it is invalid.
pub fn text(text: &str, end: Instant, mut fails: impl FnMut(&str) -> bool) -> String {
    let mut text = text.to_owned();
    loop {
        let smaller = pass(&text, end, &mut fails);
        if smaller == text || Instant::now() >= end {
            return smaller;
        }
        text = smaller;
    }
}

/// Lines, words and numbers once.
fn pass(text: &str, end: Instant, fails: &mut dyn FnMut(&str) -> bool) -> String {
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut lines = without_parts(lines, end, &mut |lines| fails(&lines.join("\n")));
    for at in 0..lines.len() {
        let with = |line: String, lines: &[String]| {
            let mut lines = lines.to_vec();
            lines[at] = line;
            lines
        };
        let words: Vec<String> = lines[at].split(' ').map(str::to_owned).collect();
        let fewer = without_parts(words, end, &mut |words| fails(&with(words.join(" "), &lines).join("\n")));
        lines = with(fewer.join(" "), &lines);
        let mut from = 0;
        while let Some((start, number)) = next_number(&lines[at], from) {
            from = start + number.len();
            for simpler in simpler(number) {
                let mut line = lines[at].clone();
                line.replace_range(start..from, &simpler);
                let candidate = with(line, &lines);
                if Instant::now() < end && fails(&candidate.join("\n")) {
                    (lines, from) = (candidate, start);
                    break;
                }
            }
        }
    }
    lines.join("\n") + "\n"
}

/// The next number of a line, decimal or hexadecimal.
fn next_number(line: &str, from: usize) -> Option<(usize, &str)> {
    let bytes = line.as_bytes();
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let starts = |at: &usize| bytes[*at].is_ascii_digit() && (*at == 0 || !is_part(bytes[*at - 1]));
    let start = (from..bytes.len()).find(starts)?;
    let length = bytes[start..].iter().take_while(|byte| is_part(**byte)).count();
    Some((start, &line[start..start + length]))
}

/// Numbers to try in place of one.
fn simpler(number: &str) -> Vec<String> {
    let (digits, radix) = number.strip_prefix("0x").map_or((number, 10), |digits| (digits, 16));
    let Ok(value) = u64::from_str_radix(digits, radix) else { return Vec::new() };
    let mut values = vec![0, 1, value / 2, value.saturating_sub(1)];
    values.dedup();
    let spell = |value: u64| if radix == 16 { format!("{value:#x}") } else { value.to_string() };
    values.into_iter().filter(|&other| other < value).map(spell).collect()
}

#[cfg(test)]
mod tests {
    use super::{bytes, text};
    use std::time::{Duration, Instant};

    #[test]
    fn what_matters_is_left() {
        let end = Instant::now() + Duration::from_secs(20);
        let input: Vec<u8> = (0..200).collect();
        assert_eq!(bytes(input, end, |bytes| bytes.contains(&7) && bytes.contains(&150)), [7, 150]);
        let source = "first line\nADD R1, R2 here\nlast 12 0x40 33\n";
        let fails = |text: &str| text.contains("R2") && text.contains("last") && !text.contains(" 0 ");
        assert_eq!(text(source, end, fails), "R2\nlast\n");
        let at_least_5 = |text: &str| text.trim().parse::<u32>().is_ok_and(|number| number >= 5);
        assert_eq!(text("1000", end, at_least_5), "5\n");
    }
}
