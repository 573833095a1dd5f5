//! Several sources of one shader, which are compiled as one text.

/// Sources one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// All of them.
    pub text: String,
    /// Where those after the first one begin in the text, as [`Options::sources`](crate::Options::sources) takes it.
    pub starts: Vec<usize>,
    /// The number of the first line of each, from 1.
    first_lines: Vec<u32>,
}

impl Sources {
    /// Of these texts, in order.
    pub fn new<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut sources = Sources::default();
        let mut line = 1;
        for text in texts {
            if !sources.first_lines.is_empty() {
                sources.text.push('\n');
                sources.starts.push(sources.text.len());
                line += 1;
            }
            sources.first_lines.push(line);
            sources.text += text;
            line += text.matches('\n').count() as u32;
        }
        sources
    }

    /// The source of a line of the text, and the line there, from 1; line 0 is that of the first source.
    pub fn place(&self, line: u32) -> (usize, u32) {
        let source = self.first_lines.partition_point(|&first| first <= line).saturating_sub(1);
        let before = self.first_lines.get(source).map_or(0, |first| first - 1);
        (source, line.saturating_sub(before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_belong_to_sources() {
        let texts = ["a\nb", "", "c\n", "d"];
        let sources = Sources::new(texts);
        assert_eq!((sources.text.as_str(), &sources.starts[..]), ("a\nb\n\nc\n\nd", &[4, 5, 8][..]));
        let places: Vec<_> = (0..=6).map(|line| sources.place(line)).collect();
        assert_eq!(places, [(0, 0), (0, 1), (0, 2), (1, 1), (2, 1), (2, 2), (3, 1)]);
        for (line, text) in sources.text.lines().enumerate() {
            let (source, line) = sources.place(line as u32 + 1);
            assert_eq!(texts[source].split('\n').nth(line as usize - 1), Some(text));
        }
    }
}
