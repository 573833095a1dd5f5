//! Results of single instructions that were measured on a GM20B, on the reference and every engine. `vectors.txt` says how to
//! read it and where it comes from; docs/sm50-hardware.md lists what is not in it.

use ctm_lane::run::RunOptions;
use ctm_memory::{Arena, Space};
use ctm_sm50::launch::{Environment, Grid, Invocations, Mode, Shader, StageLaunch, StageRunner};
use ctm_sm50::{Code, Control, Instruction, Op, Program, text};
use ctm_testkit::hunt::tally::Tally;
use ctm_testkit::sm50::comparison::ComparingRunner;

const VECTORS: &str = include_str!("sm50_hardware/vectors.txt");
/// Where programs store.
const BASE: u32 = 0x1_0000;
/// Dwords that they may store: a page.
const STORED: u32 = 1024;
/// Dwords of a constant bank: their offsets are 64 KiB.
const BANK: usize = 0x4000;

/// What stands around the words of a program.
struct Frame {
    threads: u32,
    before: Vec<u64>,
    behind: Vec<u64>,
}

impl Frame {
    fn read(line: &str) -> Option<Frame> {
        let (options, words) = line.strip_prefix("frame")?.split_once(':')?;
        let (before, behind) = words.split_once('_')?;
        let threads = options.strip_prefix(" threads ").map_or(Some(1), |threads| threads.parse().ok())?;
        Some(Frame { threads, before: instructions(before)?, behind: instructions(behind)? })
    }

    fn around(&self, words: &[u64]) -> Program {
        let words = self.before.iter().chain(words).chain(&self.behind);
        Program {
            header: None,
            code: Code::new(words.map(|&word| (Instruction::decode(word), Control::NEUTRAL))),
            constants: Vec::new(),
        }
    }
}

fn instructions(words: &str) -> Option<Vec<u64>> {
    words.split_whitespace().map(|word| u64::from_str_radix(word, 16).ok()).collect()
}

/// The banks from 2 on.
fn constants(list: &str) -> Option<Vec<Vec<u32>>> {
    let bank = |bank: &str| -> Option<Vec<u32>> {
        let mut words = Vec::new();
        for entry in bank.split_whitespace().filter(|&entry| entry != "-") {
            let (word, count) = entry.split_once('*').unwrap_or((entry, "1"));
            words.resize(words.len() + count.parse::<usize>().ok()?, u32::from_str_radix(word, 16).ok()?);
        }
        Some(words)
    };
    list.split('/').map(bank).collect()
}

/// What the hardware's result is known to be.
enum Expected {
    Number { bits: u32, low: u64, high: u64 },
    Nan { bits: u32 },
    Zero { bits: u32 },
}

impl Expected {
    fn read(entry: &str) -> Option<Expected> {
        if let Some(bits) = entry.strip_prefix("nan") {
            return Some(Expected::Nan { bits: bits.parse().ok()? });
        }
        if let Some(bits) = entry.strip_prefix("zero") {
            return Some(Expected::Zero { bits: bits.parse().ok()? });
        }
        let (low, high) = entry.split_once("..").unwrap_or((entry, entry));
        let number = |digits| u64::from_str_radix(digits, 16).ok();
        Some(Expected::Number { bits: 4 * low.len() as u32, low: number(low)?, high: number(high)? })
    }

    fn bits(&self) -> u32 {
        match *self {
            Expected::Number { bits, .. } | Expected::Nan { bits } | Expected::Zero { bits } => bits,
        }
    }

    /// Whether the number in these dwords, of which it takes as many as it has, is so.
    fn holds(&self, words: &mut impl Iterator<Item = u32>) -> bool {
        let low = u64::from(words.next().unwrap_or_default());
        let bits = self.bits();
        let value = match bits {
            64 => low | u64::from(words.next().unwrap_or_default()) << 32,
            _ => low & u64::MAX >> (64 - bits),
        };
        let magnitude = value & ((1 << (bits - 1)) - 1);
        let infinity = match bits {
            16 => 0x7C00,
            32 => 0x7F80_0000,
            _ => 0x7FF0_0000_0000_0000,
        };
        match *self {
            Expected::Number { low, high, .. } => (low..=high).contains(&value),
            Expected::Nan { .. } => magnitude > infinity,
            Expected::Zero { .. } => magnitude == 0,
        }
    }
}

/// The dwords that a program leaves, which all engines have to leave.
fn run(runner: &ComparingRunner, program: &Program, threads: u32, banks: &[Vec<u32>]) -> Result<Vec<u32>, String> {
    let mut memory = Space::default();
    memory.map(Arena::new(BASE, 4 * STORED).expect("memory")).expect("one arena");
    let mut environment = Environment { memory: Some(&memory), mode: Mode::Lenient, ..Environment::default() };
    let mut arguments = vec![0; 0x148 / 4];
    arguments[0x140 / 4] = BASE;
    environment.constants.set_bank(0, arguments);
    for (bank, words) in (2..).zip(banks) {
        let mut words = words.clone();
        words.resize(BANK, 0);
        environment.constants.set_bank(bank, words);
    }
    let grid = Grid::new([1; 3], [threads, 1, 1]).ok_or("not a block")?;
    let invocations = Invocations { count: grid.invocations(), columns: None };
    let launch = StageLaunch {
        grid: Some(grid),
        ..StageLaunch::new(Shader::from(program), &environment, &invocations, Default::default())
    };
    let options = RunOptions { step_limit: 10_000, ..ctm_testkit::untimed() };
    runner.run(&launch, &options).map_err(|stop| stop.to_string())?;
    let mut words = vec![0; 4 * STORED as usize];
    memory.read_bytes(BASE, &mut words).map_err(|error| error.to_string())?;
    Ok(words.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect())
}

/// A program, and what it gives of constants.
struct Group {
    threads: u32,
    words: Vec<u64>,
    program: Program,
    cases: Vec<Case>,
}

struct Case {
    /// Its number and text.
    line: (usize, &'static str),
    banks: Vec<Vec<u32>>,
    expected: Vec<Expected>,
}

/// The groups of a file.
fn read(file: &'static str) -> Result<Vec<Group>, String> {
    let (mut frame, mut groups) = (None, Vec::<Group>::new());
    for line @ (number, text) in (1..).zip(file.lines()).filter(|(_, text)| !text.is_empty() && !text.starts_with('#'))
    {
        let read = if text.starts_with("frame") {
            frame = Frame::read(text);
            frame.is_some()
        } else if let Some((list, results)) = text.split_once('>') {
            let expected: Option<Vec<Expected>> = results.split_whitespace().map(Expected::read).collect();
            let case = constants(list).zip(expected).map(|(banks, expected)| Case { line, banks, expected });
            groups.last_mut().zip(case).map(|(group, case)| group.cases.push(case)).is_some()
        } else {
            let group = frame.as_ref().zip(instructions(text)).map(|(frame, words)| Group {
                threads: frame.threads,
                program: frame.around(&words),
                words,
                cases: Vec::new(),
            });
            group.map(|group| groups.push(group)).is_some()
        };
        if !read {
            return Err(format!("line {number}: {text}"));
        }
    }
    Ok(groups)
}

/// What differs from the hardware in a case, if something does.
fn difference(runner: &ComparingRunner, group: &Group, case: &Case) -> Option<String> {
    let got = run(runner, &group.program, group.threads, &case.banks);
    let right = got.as_ref().is_ok_and(|got| {
        let mut got = got.iter().copied();
        case.expected.iter().all(|expected| expected.holds(&mut got))
    });
    if right {
        return None;
    }
    let count = case.expected.iter().map(|expected| expected.bits().div_ceil(32) as usize).sum();
    let print = |&word: &u64| text::print_instruction(&Instruction::decode(word), 0);
    let shown: Vec<String> = group.words.iter().map(print).collect();
    let got = got.map(|got| format!("{:08x?}", &got[..count]));
    Some(format!("line {}: {} of {} gives {got:?}", case.line.0, shown.join(" "), case.line.1.trim()))
}

#[test]
fn results_are_those_of_the_hardware() {
    let runner = ComparingRunner::new();
    let groups = read(VECTORS).unwrap_or_else(|error| panic!("{error}"));
    let is_known =
        |group: &Group| group.program.code.instructions().iter().all(|instruction| instruction.op() != Op::Raw);
    assert!(groups.iter().all(is_known));
    let cases = groups.iter().flat_map(|group| group.cases.iter().map(move |case| (group, case)));
    let wrong: Vec<String> = cases.filter_map(|(group, case)| difference(&runner, group, case)).collect();
    assert!(wrong.is_empty(), "{} results differ:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!((groups.len(), runner.launches()), (1879, 4820));
    let mut tally = Tally::default();
    runner.count(&mut tally);
    let (lifted, compiled) = (runner.lifted(), runner.compiled());
    assert!(lifted >= 4813 && compiled >= 4770, "{lifted} lifted, {compiled} compiled: {:?}", tally.refused);
}
