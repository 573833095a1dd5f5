//! The lines at the beginning of a source.

use super::{Language, Shader, Texture};
use crate::picture::Tolerance;
use std::path::Path;
use std::str::FromStr;
use thiserror::Error;

/// What is wrong with the lines at the beginning of a source.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HeaderError {
    /// A line that nobody knows.
    #[error(
        "line {line}: unknown key `{key}`; keys are purpose, size, texture, uniform, outputs, tolerance, counterpart, r300"
    )]
    Key {
        /// Number of the line, from 1.
        line: usize,
        /// What it begins with.
        key: String,
    },
    /// A value that makes no sense.
    #[error("line {line}: {key} wants {wanted}, not `{value}`")]
    Value {
        /// Number of the line, from 1.
        line: usize,
        /// The key.
        key: &'static str,
        /// What stands there.
        value: String,
        /// What should.
        wanted: &'static str,
    },
    /// There is no line of a kind that there has to be.
    #[error("there is no line `//! {0}: ...`")]
    Missing(&'static str),
}

/// A line of the header.
struct Line<'a> {
    number: usize,
    key: &'static str,
    value: &'a str,
}

impl Line<'_> {
    fn error(&self, wanted: &'static str) -> HeaderError {
        HeaderError::Value { line: self.number, key: self.key, value: self.value.to_owned(), wanted }
    }

    fn numbers<T: FromStr>(&self, words: &[&str], wanted: &'static str) -> Result<Vec<T>, HeaderError> {
        words.iter().map(|word| word.parse().map_err(|_| self.error(wanted))).collect()
    }
}

const KEYS: [&str; 8] = ["purpose", "size", "texture", "uniform", "outputs", "tolerance", "counterpart", "r300"];

impl Shader {
    /// Reads the lines at the beginning of a source.
    ///
    /// # Errors
    /// If they make no sense, or if one is missing.
    pub fn parse(path: &Path, language: Language, text: String) -> Result<Self, HeaderError> {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut shader = Shader {
            name,
            path: path.to_owned(),
            language,
            text: String::new(),
            purpose: String::new(),
            size: (0, 0),
            textures: Vec::new(),
            uniforms: Vec::new(),
            outputs: 1,
            tolerance: Self::CLOSE,
            counterpart: None,
            r300: true,
        };
        for (number, line) in (1..).zip(text.lines()) {
            let Some(line) = line.strip_prefix("//!") else { break };
            let (key, value) = line.split_once(':').unwrap_or((line, ""));
            let known = KEYS.into_iter().find(|&known| known == key.trim());
            let key = known.ok_or_else(|| HeaderError::Key { line: number, key: key.trim().to_owned() })?;
            shader.add(&Line { number, key, value: value.trim() })?;
        }
        shader.text = text;
        match &shader {
            Shader { purpose, .. } if purpose.is_empty() => Err(HeaderError::Missing("purpose")),
            Shader { size: (0, _) | (_, 0), .. } => Err(HeaderError::Missing("size")),
            Shader { language: Language::Wgsl, counterpart: None, .. } => Err(HeaderError::Missing("counterpart")),
            _ => Ok(shader),
        }
    }

    fn add(&mut self, line: &Line) -> Result<(), HeaderError> {
        let words: Vec<&str> = line.value.split_whitespace().collect();
        match (line.key, &words[..]) {
            ("purpose", _) => line.value.clone_into(&mut self.purpose),
            ("size", [_, _]) => {
                let sides = line.numbers(&words, "columns and rows")?;
                self.size = (sides[0], sides[1]);
            }
            ("texture", [name, data, sides @ ..]) if sides.len() == 2 => {
                let sides = line.numbers(sides, "numbers of columns and rows")?;
                let [name, data] = [name, data].map(|&word| word.to_owned());
                self.textures.push(Texture { name, data, width: sides[0], height: sides[1] });
            }
            ("uniform", [name, values @ ..]) if !values.is_empty() => {
                self.uniforms.push(((*name).to_owned(), line.numbers(values, "a name and numbers")?));
            }
            ("outputs", [_]) => self.outputs = line.numbers(&words, "a number")?[0],
            ("tolerance", [distance, share @ ..]) if share.len() <= 1 => {
                let distance = line.numbers(&[distance], "numbers")?[0];
                let outliers = line.numbers(share, "numbers")?.first().copied().unwrap_or(0.0);
                self.tolerance = Tolerance { absolute: distance, relative: distance, outliers };
            }
            ("counterpart", [name]) => self.counterpart = Some((*name).to_owned()),
            ("r300", ["no"]) => self.r300 = false,
            ("size", _) => return Err(line.error("columns and rows")),
            ("texture", _) => return Err(line.error("a name, data, columns and rows")),
            ("uniform", _) => return Err(line.error("a name and numbers")),
            ("outputs", _) => return Err(line.error("a number")),
            ("tolerance", _) => return Err(line.error("a distance, and a share of pixels")),
            ("counterpart", _) => return Err(line.error("a name")),
            _ => return Err(line.error("`no`")),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Shader, HeaderError> {
        Shader::parse(Path::new("glsl/name.frag"), Language::Glsl, text.to_owned())
    }

    #[test]
    fn headers_are_read() {
        let text = "//! purpose: all of it\n//! size: 64 32\n//! texture: image unit 8 4\n//! uniform: k 1 -2.5\n//! outputs: 2\n\
                    //! tolerance: 0.01 0.1\n//! r300: no\n\nvoid main() {}\n//! nothing\n";
        let shader = parse(text).unwrap();
        assert_eq!((shader.name.as_str(), shader.size, shader.outputs, shader.r300), ("name", (64, 32), 2, false));
        let texture = Texture { name: "image".into(), data: "unit".into(), width: 8, height: 4 };
        assert_eq!(shader.textures, [texture]);
        assert_eq!(shader.uniforms, [("k".to_owned(), vec![1.0, -2.5])]);
        assert_eq!((shader.tolerance.absolute, shader.tolerance.outliers), (0.01, 0.1));
    }

    #[test]
    fn mistakes_are_found() {
        let head = "//! purpose: x\n//! size: 4 4\n";
        let error = |line: &str| parse(&format!("{head}{line}\n")).unwrap_err().to_string();
        assert_eq!(error("//! uniform: k one"), "line 3: uniform wants a name and numbers, not `k one`");
        assert!(error("//! texture: t unit 8").contains("wants a name, data, columns and rows"));
        assert!(error("//! colour: red").starts_with("line 3: unknown key `colour`"));
        assert_eq!(parse("//! purpose: x\n").unwrap_err(), HeaderError::Missing("size"));
    }

    #[test]
    fn large_pictures_are_sampled_at_odd_and_even_places() {
        let shader = parse("//! purpose: x\n//! size: 64 8\n").unwrap();
        let places = shader.places();
        assert_eq!(places.len(), 16 * 8);
        assert!(places.iter().all(|&(i, j)| i < 64 && j < 8));
        let odd = places.iter().filter(|(i, _)| i % 2 == 1).count();
        assert!((32..=96).contains(&odd), "{odd} of 128");
    }
}
