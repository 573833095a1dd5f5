//! Programs from text, run by the reference: eight lanes that export a vector each.
#![allow(dead_code, reason = "each test uses a part")]

use ctm_lane::domain::Lanes;
use ctm_lane::run::RunOptions;
use ctm_memory::{Arena, Space};
use ctm_r700::{Input, Job, Program, Region, RunError, Stage, Trap, reference, text};

/// Lanes of a run.
pub const LANES: usize = 8;
/// Where memory begins.
pub const BASE: u32 = 0x1_0000;
/// Where PARAM0 goes.
pub const RESULTS: Region = Region { base: BASE, length: LANES as u32 * 16 };
/// Memory for everything else.
pub const FREE: u32 = BASE + 0x1000;

/// A program from text, as a vertex shader, whose killed lanes export as well. `@name` stands for the address of the line
/// after `name:`.
pub fn assemble(source: &str) -> Program {
    let mut labels = Vec::new();
    let mut lines: Vec<String> = Vec::new();
    let mut address = 0;
    for line in source.lines().filter(|line| !line.trim().is_empty()) {
        if let Some(name) = line.strip_suffix(':').filter(|name| name.chars().all(|c| c.is_ascii_lowercase())) {
            labels.push((format!("@{name}"), address));
            continue;
        }
        let counts = line.starts_with(|c: char| c.is_ascii_uppercase()) && line != "END_OF_PROGRAM";
        address += u32::from(counts);
        lines.push(line.to_owned());
    }
    let mut source = lines.join("\n");
    for (name, address) in labels {
        source = source.replace(&name, &address.to_string());
    }
    let mut program =
        text::parse(&format!("{source}\n")).unwrap_or_else(|problems| panic!("{source}\n{problems:#?}")).program;
    program.info.stage = Stage::Vertex;
    program
}

/// 64 KiB of memory.
pub fn memory() -> Space {
    let mut space = Space::default();
    space.map(Arena::new(BASE, 0x1_0000).unwrap()).unwrap();
    space
}

/// A job for eight lanes; R0.x is the lane's number, as an integer, R3.x as a float.
pub fn job<'a>(program: &'a Program, memory: &'a Space) -> Job<'a> {
    let mut job = Job::new(program, Lanes::Line(LANES as u32), memory);
    job.inputs.insert(0, Input::Vertex { first: 0, instance: 7 });
    job.inputs.insert(3, Input::Position);
    job.targets.parameters[0] = Some(RESULTS);
    job
}

/// Runs a job in one wavefront, and gives what each lane exported to PARAM0.
pub fn run(job: &Job) -> Result<[[u32; 4]; LANES], RunError> {
    let options = RunOptions { threads: 1, ..RunOptions::default() };
    reference::run(job, &options)?;
    let mut bytes = vec![0; RESULTS.length as usize];
    job.memory.read_bytes(RESULTS.base, &mut bytes).unwrap();
    let words: Vec<u32> = bytes.as_chunks().0.iter().map(|&chunk| u32::from_le_bytes(chunk)).collect();
    Ok(std::array::from_fn(|lane| std::array::from_fn(|channel| words[lane * 4 + channel])))
}

/// What each lane of a program exports in channel x, as a float.
pub fn marks(source: &str, prepare: impl FnOnce(&mut Job)) -> [f32; LANES] {
    let (program, memory) = (assemble(source), memory());
    let mut job = job(&program, &memory);
    prepare(&mut job);
    let results = run(&job).unwrap_or_else(|error| panic!("{error}\n{source}"));
    results.map(|vector| f32::from_bits(vector[0]))
}

/// The trap of a program.
pub fn trap(source: &str, prepare: impl FnOnce(&mut Job)) -> Trap {
    let (program, memory) = (assemble(source), memory());
    let mut job = job(&program, &memory);
    prepare(&mut job);
    match run(&job) {
        Err(RunError::Trap(trap)) => trap,
        other => panic!("{other:?}\n{source}"),
    }
}
