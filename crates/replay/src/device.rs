//! Traces of the CTM device.

use crate::{Extent, Line, Stop};
use ctm_array::Array;
use ctm_device::command::{Command, decode, print_packet};
use ctm_device::{
    HOST_BASE, LOCAL_BASE, MOST_HOST_BYTES, MOST_LOCAL_BYTES, OpenError, Options, Patch, Processor, State, Trace,
    TraceError,
};
use ctm_memory::{Arena, BASE_ALIGNMENT, RangeError, Space, Surface};
use ctm_x1k::FLOAT_CONSTANTS;
use std::collections::BTreeMap;

/// Bytes of a page of what is known of memory.
const PAGE: usize = 4096;
/// Dwords of a command buffer of which some are known to hold commands: zeros are none, so that no command comes after a page of them.
const PAGE_DWORDS: usize = PAGE / 4;
/// Bytes that an image of a program takes at most: 12288 of code, and what says which registers it uses.
const IMAGE_BYTES: u64 = 64 << 10;
/// Bytes of constants, of counters or of the corners of interpolated inputs, at most.
const BLOCK_BYTES: u64 = 16 * FLOAT_CONSTANTS as u64;
/// Pixels of a surface that are made a picture, at most.
const MOST_PIXELS: u64 = 1 << 22;

/// A trace, looked through.
#[derive(Debug)]
pub struct DeviceTrace {
    trace: Trace,
    buffers: Vec<Vec<u32>>,
    starts: Vec<Stop>,
    local: Extent,
    host: Extent,
}

/// A device that has executed a trace, or the beginning of one.
#[derive(Debug)]
pub struct Execution {
    /// The device.
    pub processor: Processor,
    /// Submissions that were executed.
    pub submissions: usize,
    /// What is worth attention in them, a sentence each: errors, and results that the trace has otherwise.
    pub warnings: Vec<String>,
}

/// A surface that a program may read or write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// `output 0`, `input 3`.
    pub name: String,
    /// Columns that are looked at.
    pub width: u32,
    /// Rows that are looked at.
    pub height: u32,
    /// Where and how it lies in memory.
    pub surface: Surface,
}

impl DeviceTrace {
    /// Looks through the bytes of a trace's file.
    ///
    /// # Errors
    /// They are not a trace, or damaged.
    pub fn read(bytes: &[u8]) -> Result<Self, TraceError> {
        let trace = Trace::from_bytes(bytes)?;
        let (local, host) = Default::default();
        let mut read = DeviceTrace { buffers: Vec::new(), starts: Vec::new(), local, host, trace };
        let (mut known, mut state) = (Known::default(), State::default());
        for submission in 0..read.trace.steps.len() {
            let step = &read.trace.steps[submission];
            let (before, after) = (&step.before, &step.after);
            before.iter().for_each(|patch| known.write(patch));
            let words = known.words(step.address, step.words);
            let mut reached: Vec<_> =
                before.iter().chain(after).map(|patch| (patch.address, patch.bytes.len() as u64)).collect();
            reached.push((step.address, 4 * words.len() as u64));
            let mut starts = Vec::new();
            for (dword, packet) in decode(&words).flatten() {
                state.set(&packet.command);
                reached.extend(reach(&packet.command, &state));
                if packet.command == Command::StartProgram {
                    starts.push(Stop { submission, dword });
                }
            }
            after.iter().for_each(|patch| known.write(patch));
            reached.into_iter().for_each(|(address, bytes)| read.reach(address, bytes));
            read.starts.extend(starts);
            read.buffers.push(words);
        }
        Ok(read)
    }

    fn reach(&mut self, address: u32, bytes: u64) {
        let extent = if address < HOST_BASE { &mut self.local } else { &mut self.host };
        extent.add(address, bytes);
    }

    /// The options of the device.
    pub fn options(&self) -> Options {
        self.trace.options
    }

    /// The command words of each submission.
    pub fn buffers(&self) -> &[Vec<u32>] {
        &self.buffers
    }

    /// The starts of programs, in order.
    pub fn starts(&self) -> &[Stop] {
        &self.starts
    }

    /// First address and bytes of local and of host-visible memory, as far as commands reach: never more than the device had.
    pub fn memory(&self) -> [(u32, u32); 2] {
        let Options { local_bytes, host_bytes, .. } = self.trace.options;
        [(LOCAL_BASE, local_bytes, self.local), (HOST_BASE, host_bytes, self.host)].map(|(base, most, extent)| {
            let end = extent.range.map_or(0, |(_, end)| end);
            let bytes = end.saturating_sub(base.into()).max(1).next_multiple_of(BASE_ALIGNMENT.into());
            (base, bytes.min(most.into()) as u32)
        })
    }

    /// Executes the trace up to and with the start of a program `last`, counted from 0, or all of it, on a new device with these options.
    ///
    /// # Errors
    /// There is no such device.
    pub fn execute(&self, options: Options, last: Option<usize>) -> Result<Execution, OpenError> {
        let last = last.and_then(|last| self.starts.get(last));
        let Options { local_bytes, host_bytes, .. } = options;
        if local_bytes > MOST_LOCAL_BYTES {
            return Err(OpenError::LocalBytes(local_bytes));
        }
        if host_bytes > MOST_HOST_BYTES {
            return Err(OpenError::HostBytes(host_bytes));
        }
        let mut memory = Space::default();
        for (base, bytes) in self.memory() {
            memory.map(Arena::new(base, bytes)?).expect("the two arenas are apart");
        }
        let processor = Processor::new(memory.clone(), options)?;
        let mut execution = Execution { processor, submissions: 0, warnings: Vec::new() };
        for (submission, (step, words)) in self.trace.steps.iter().zip(&self.buffers).enumerate() {
            for patch in &step.before {
                if memory.write_bytes(patch.address, &patch.bytes).is_err() {
                    let Patch { address, .. } = patch;
                    execution.warn(submission, format!("{address:#010x} is outside of the device's memory"));
                }
            }
            let stop = last.filter(|last| last.submission == submission);
            // The packet of a start is two dwords.
            let words = stop.map_or(&words[..], |stop| &words[..words.len().min(stop.dword + 2)]);
            let fault = execution.processor.execute(submission as u32 + 1, words).err();
            let reports = execution.processor.take_reports();
            for report in reports {
                execution.warn(submission, format!("{} is missing: {}", report.missing, report.message));
            }
            if let Some(fault) = &fault {
                execution.warn(submission, fault.to_string());
            }
            execution.submissions += 1;
            if stop.is_some() {
                break;
            }
            let differs = step.after.iter().map(|patch| differences(&memory, patch)).sum::<usize>();
            if differs > 0 {
                let bytes: usize = step.after.iter().map(|patch| patch.bytes.len()).sum();
                execution
                    .warn(submission, format!("{differs} of {bytes} bytes of its results are not as in the trace"));
            }
        }
        Ok(execution)
    }
}

impl Execution {
    fn warn(&mut self, submission: usize, what: String) {
        self.warnings.push(format!("submission {submission}: {what}"));
    }

    /// The surfaces that the next start of a program would have: outputs, then inputs.
    pub fn surfaces(&self) -> Vec<Bound> {
        let State { outputs, inputs, domain, .. } = self.processor.state();
        let (columns, rows) = (domain.i1 + 1, domain.j1 + 1);
        let outputs = outputs.iter().enumerate().filter_map(|(n, binding)| {
            let surface = binding.surface()?;
            let (width, height) =
                (surface.pitch.min(columns), if surface.height == 0 { rows } else { surface.height.min(rows) });
            Some(Bound { name: format!("output {n}"), width, height, surface })
        });
        let inputs = inputs.iter().enumerate().filter_map(|(n, binding)| {
            let surface = binding.surface()?;
            Some(Bound { name: format!("input {n}"), width: surface.pitch, height: surface.height, surface })
        });
        outputs.chain(inputs).filter(Bound::can_be_seen).collect()
    }

    /// What a surface holds.
    ///
    /// # Errors
    /// Not all of it is in memory.
    pub fn picture(&self, bound: &Bound) -> Result<Array, RangeError> {
        ctm_array::download(self.processor.memory(), bound.surface, bound.width as usize, bound.height as usize)
    }
}

impl Bound {
    fn can_be_seen(&self) -> bool {
        (1..=MOST_PIXELS).contains(&(u64::from(self.width) * u64::from(self.height)))
    }
}

/// What the words of a submission say, and what that means.
pub fn lines(words: &[u32]) -> Vec<Line> {
    let line = |item| match item {
        Ok((dword, packet)) => {
            let packet: ctm_device::command::Packet = packet;
            Line { dword, text: print_packet(&packet), meaning: packet.command.info().doc }
        }
        Err(error) => {
            let error: ctm_device::command::DecodeError = error;
            Line { dword: error.offset(), text: format!("error: {error}"), meaning: "" }
        }
    };
    decode(words).map(line).collect()
}

/// What a command makes the device reach: addresses, and bytes from there on.
fn reach(command: &Command, state: &State) -> Vec<(u32, u64)> {
    match *command {
        Command::StartProgram => {
            let State { inputs, outputs, cond_out, inst, constf, consti, constb, params, domain, .. } = state;
            let rows = domain.j1 + 1;
            let surfaces = inputs.iter().chain(outputs).chain([cond_out]).filter_map(|binding| {
                let surface = binding.surface()?;
                let height = if surface.height == 0 { rows } else { surface.height };
                Some((surface.base, Surface { height, ..surface }.bytes()))
            });
            let blocks = [constf, consti, constb, params].into_iter().flatten().map(|&base| (base, BLOCK_BYTES));
            surfaces.chain(blocks).chain(inst.map(|base| (base, IMAGE_BYTES))).collect()
        }
        Command::ReadPerfCounters { base } => vec![(base, BLOCK_BYTES)],
        _ => Vec::new(),
    }
}

/// How many bytes in memory are not those of a patch.
fn differences(memory: &Space, patch: &Patch) -> usize {
    let mut bytes = vec![0; patch.bytes.len()];
    match memory.read_bytes(patch.address, &mut bytes) {
        Ok(()) => bytes.iter().zip(&patch.bytes).filter(|(a, b)| a != b).count(),
        Err(_) => bytes.len(),
    }
}

/// What a trace says of memory.
#[derive(Default)]
struct Known {
    pages: BTreeMap<usize, Box<[u8; PAGE]>>,
}

impl Known {
    fn write(&mut self, patch: &Patch) {
        for (at, &byte) in (patch.address as usize..).zip(&patch.bytes) {
            self.pages.entry(at / PAGE).or_insert_with(|| Box::new([0; PAGE]))[at % PAGE] = byte;
        }
    }

    /// The dwords at an address, up to the first page of which nothing is known.
    fn words(&self, address: u32, count: u32) -> Vec<u32> {
        let mut words = Vec::new();
        let start = address as usize & !3;
        while words.len() < count as usize {
            let at = start + 4 * words.len();
            let Some(page) = self.pages.get(&(at / PAGE)) else { break };
            let left = (count as usize - words.len()).min(PAGE_DWORDS - at % PAGE / 4);
            let (dwords, _) = page[at % PAGE..].as_chunks::<4>();
            words.extend(dwords[..left].iter().map(|&bytes| u32::from_le_bytes(bytes)));
        }
        words
    }
}
