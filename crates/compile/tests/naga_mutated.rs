//! Damaged sources end in a program or in an error, soon: no panic, no hang. `CTM_MUTATIONS=100000` tries so many instead of a
//! few hundred; `CTM_MUTATIONS_FIRST` is the first seed.

use ctm_compile::front::naga::ReadError;
use ctm_compile::{CompileError, Language, Options, compile};
use std::time::{Duration, Instant};

/// Longer than any source may take, on a slow and busy machine.
const LONGEST: Duration = Duration::from_secs(60);

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % n.max(1) as u64) as usize
    }
}

fn sources() -> Vec<(String, Language)> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut sources = Vec::new();
    for (folder, language) in [
        ("tests/shaders/glsl", Language::Glsl),
        ("benches/glsl", Language::Glsl),
        ("tests/shaders/wgsl", Language::Wgsl),
    ] {
        let files = std::fs::read_dir(root.join(folder)).expect("the folder is there");
        let mut paths: Vec<_> = files.map(|file| file.expect("the folder can be read").path()).collect();
        paths.sort();
        sources.extend(paths.iter().filter_map(|path| Some((std::fs::read_to_string(path).ok()?, language))));
    }
    assert!(sources.len() > 300);
    sources
}

/// Pieces that sources are damaged with.
const PIECES: [&str; 44] = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ",",
    ".",
    "=",
    "==",
    "-",
    "!",
    "~",
    "<<",
    "%",
    "&",
    "0",
    "1.5",
    "-1",
    "4294967295",
    "1e38",
    "99999999999999999999",
    "vec4",
    "mat2",
    "float",
    "int",
    "const",
    "uniform",
    "struct S",
    "sampler2D",
    "return",
    "discard",
    "for",
    "if",
    "else",
    "switch",
    "break",
    "continue",
    "#define A",
    "\n#if ",
    "\n#endif\n",
    "/*",
    "\u{e9}",
];

fn words(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut start = 0;
    let class = |c: char| {
        if c.is_alphanumeric() || c == '_' {
            1
        } else if c.is_whitespace() {
            2
        } else {
            3
        }
    };
    let mut last = 0;
    for (at, c) in text.char_indices() {
        let this = class(c);
        if at > start && (this != last || this == 3) {
            out.push(&text[start..at]);
            start = at;
        }
        last = this;
    }
    out.push(&text[start..]);
    out
}

fn damaged(random: &mut Random, text: &str, other: &str) -> String {
    let others = words(other);
    let mut words: Vec<&str> = words(text);
    for _ in 0..1 + random.below(4) {
        let at = random.below(words.len());
        match random.below(8) {
            0 => _ = words.remove(at),
            1 => words.insert(at, words[at]),
            2 => words.insert(at, PIECES[random.below(PIECES.len())]),
            3 => words[at] = PIECES[random.below(PIECES.len())],
            4 => {
                let with = random.below(words.len());
                words.swap(at, with);
            }
            5 => words[at] = words[random.below(words.len())],
            6 => words[at] = others[random.below(others.len())],
            _ => {
                let end = (at + random.below(12)).min(words.len());
                words.drain(at..end);
            }
        }
        if words.is_empty() {
            break;
        }
    }
    words.concat()
}

#[test]
fn damaged_sources_end_soon() {
    let number =
        |name: &str, default: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (first, count) = (number("CTM_MUTATIONS_FIRST", 0), number("CTM_MUTATIONS", 300));
    let sources = sources();
    let options = Options { defines: vec![("IJ".into(), "ctm_Pixel".into())], ..Options::default() };
    let (mut compiled, mut failed, mut slowest) = (0, Vec::new(), Duration::ZERO);
    for seed in first..first + count {
        let mut random = Random(seed);
        let (text, language) = &sources[random.below(sources.len())];
        let other = &sources[random.below(sources.len())].0;
        let text = damaged(&mut random, text, other);
        let start = Instant::now();
        match compile(&text, *language, &options) {
            Ok(_) => compiled += 1,
            Err(CompileError::Read(failure)) if failure.error == ReadError::Failed => failed.push((seed, text.clone())),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
        let took = start.elapsed();
        slowest = slowest.max(took);
        assert!(took < LONGEST, "seed {seed} takes {took:?}\n{text}");
    }
    println!("{compiled} of {count} compiled, {} broke naga, the slowest took {slowest:?}", failed.len());
    for (seed, text) in &failed {
        println!("---- seed {seed}\n{text}");
    }
    assert!(
        compiled > count / 20 && failed.len() as u64 <= count / 100,
        "{compiled} compiled, {} failed",
        failed.len()
    );
}
