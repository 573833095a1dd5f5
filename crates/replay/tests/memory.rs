//! What all of a card's memory holds after each draw of the traces in `tests/card`, by any number of threads, and when kernels that earlier draws did
//! not have are there: `tests/card/memory.txt`. `CTM_BLESS=1` writes the file anew.

use ctm_card::trace::TraceReader;
use ctm_cards::{Card, CardOptions};
use ctm_codegen::EngineName;
use ctm_memory::Arena;
use ctm_replay::card::{Player, Survey};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How often a trace is executed on the same card: draws of a kind get their kernels when there were enough of them.
const ROUNDS: usize = 4;
const THREADS: [usize; 2] = [1, 2];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/card")
}

/// The traces of a folder, by name.
fn traces(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut traces: Vec<_> = files.filter(|path| path.extension().is_some_and(|end| end == "ctmcard")).collect();
    traces.sort();
    traces
}

/// A number that other words have with hardly any probability (FNV-1a, word by word).
fn hash(memory: &Arena) -> u64 {
    let mut words = vec![0; memory.size() as usize / 4];
    assert!(memory.read_words(memory.base(), &mut words));
    words.iter().fold(0xCBF2_9CE4_8422_2325, |hash, &word| (hash ^ u64::from(word)).wrapping_mul(0x100_0000_01B3))
}

/// The hashes after each draw, of each round.
fn rounds(bytes: &[u8], threads: usize) -> Vec<Vec<u64>> {
    let survey = Survey::of(bytes).unwrap();
    let executor = Some(EngineName::fastest().executor().unwrap());
    let card = Card::new(survey.model.unwrap(), CardOptions { executor, threads, ..CardOptions::default() });
    let records = TraceReader::new(bytes).unwrap().collect::<Result<_, _>>().unwrap();
    let mut player = Player::new(records, card, Arc::new(survey.arena().unwrap()));
    let mut after = |draw: usize| {
        player.go(draw);
        hash(player.memory())
    };
    (0..ROUNDS).map(|_| (0..survey.draws.len()).map(&mut after).collect()).collect()
}

#[test]
fn memory_after_each_draw_is_as_it_was() {
    let mut found = String::new();
    for path in ["", "rv770", "gm107"].into_iter().flat_map(|card| traces(&folder().join(card))) {
        let name = path.strip_prefix(folder()).unwrap().display().to_string();
        let bytes = std::fs::read(&path).unwrap();
        let mut all = THREADS.into_iter().flat_map(|threads| rounds(&bytes, threads));
        let first = all.next().unwrap();
        all.enumerate().for_each(|(n, other)| assert_eq!(other, first, "{name}, {} rounds later", n + 1));
        for (draw, hash) in first.iter().enumerate() {
            writeln!(found, "{name} {draw} {hash:016x}").unwrap();
        }
    }
    let file = folder().join("memory.txt");
    if std::env::var_os("CTM_BLESS").is_some() {
        std::fs::write(&file, &found).unwrap();
    }
    let expected = std::fs::read_to_string(file).unwrap();
    for (found, expected) in found.lines().zip(expected.lines()) {
        assert_eq!(found, expected, "trace, draw, hash of memory");
    }
    assert_eq!(found.lines().count(), expected.lines().count());
}
