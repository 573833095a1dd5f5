//! Strict mode: the caches of the device, which serve and hold back what they must not, and report which command would
//! have helped.
//!
//! A run in strict mode sees copies of its buffers: inputs as the input cache has them, outputs with what waits to be
//! flushed. What it changed in the copies goes into the write caches. So nothing else in the device knows of caches.

mod pages;
mod shadow;

use crate::command::Command;
use crate::fault::MemoryClient;
use crate::region::{Region, Use};
use crate::report::Report;
use ctm_memory::{Space, Surface};
use ctm_x1k::{Job, RunError, RunStats, WriteMode};
use pages::{ReadCache, WriteCache, bytes_in, keep_region};
use shadow::Shadow;

/// Reports that are kept until they are taken.
const MOST_REPORTS: usize = 1000;

/// All caches of the device.
#[derive(Debug)]
pub(crate) struct Caches {
    memory: Space,
    inst: ReadCache,
    inputs: ReadCache,
    constf: ReadCache,
    consti: ReadCache,
    constb: ReadCache,
    cond_reads: ReadCache,
    cond_writes: WriteCache,
    outputs: WriteCache,
    /// A program was started and not waited for.
    busy: bool,
    buffer: u32,
    /// Where the current command begins.
    offset: usize,
    /// Where the buffer ends, as far as commands were read.
    end: usize,
    reports: Vec<Report>,
}

impl Caches {
    pub fn new(memory: Space) -> Self {
        Caches {
            memory,
            inst: ReadCache::default(),
            inputs: ReadCache::default(),
            constf: ReadCache::default(),
            consti: ReadCache::default(),
            constb: ReadCache::default(),
            cond_reads: ReadCache::default(),
            cond_writes: WriteCache::default(),
            outputs: WriteCache::default(),
            busy: false,
            buffer: 0,
            offset: 0,
            end: 0,
            reports: Vec::new(),
        }
    }

    pub fn take_reports(&mut self) -> Vec<Report> {
        std::mem::take(&mut self.reports)
    }

    pub fn begin_buffer(&mut self, buffer: u32) {
        (self.buffer, self.offset, self.end) = (buffer, 0, 0);
    }

    /// What a consumed buffer promises: everything is in memory.
    pub fn end_buffer(&mut self) {
        self.offset = self.end;
        let unflushed = [
            (Command::FlushOutCache, self.outputs.is_empty(), self.outputs.first()),
            (Command::FlushCondOutCache, self.cond_writes.is_empty(), self.cond_writes.first()),
        ];
        for (flush, _, address) in unflushed.into_iter().filter(|(_, empty, _)| !empty) {
            let message = format!("the buffer ends while values for {address:#010x} and on are still in the cache");
            self.report(flush, None, message, format!("append {}", flush.info().name));
        }
        self.wait();
    }

    /// Notes a command that is about to be executed, and does what it says to the caches.
    pub fn command(&mut self, offset: usize, command: &Command) {
        let info = command.info();
        (self.offset, self.end) = (offset, offset + 1 + info.parameters);
        if !info.pipelined && self.busy {
            let message = format!("{} is issued while a program may be running", info.name);
            let remedy = format!("insert wait_for_idle between start_program and {}", info.name);
            self.report(Command::WaitForIdle, None, message, remedy);
            self.wait();
        }
        match command {
            Command::StartProgram => self.busy = true,
            Command::WaitForIdle => self.wait(),
            Command::FlushOutCache => self.flush_outputs(),
            Command::FlushCondOutCache => self.flush_cond_out(),
            Command::InvInstCache => self.inst.invalidate(),
            Command::InvConstfCache => self.constf.invalidate(),
            Command::InvConstiCache => self.consti.invalidate(),
            Command::InvConstbCache => self.constb.invalidate(),
            Command::InvInpCache => self.inputs.invalidate(),
            Command::InvCondOutCache => {
                if !self.cond_writes.is_empty() {
                    let message = "the cache is invalidated while it holds values that are not in memory".to_string();
                    let remedy = "insert flush_cond_out_cache before inv_cond_out_cache".to_string();
                    self.report(Command::FlushCondOutCache, Some(MemoryClient::CondOut), message, remedy);
                    self.flush_cond_out();
                }
                self.cond_reads.invalidate();
            }
            _ => {}
        }
    }

    /// Reports if what a client sees of a region is not what memory has or is about to have.
    pub fn check_read(&mut self, client: MemoryClient, region: Region) {
        let (mut stale, mut unflushed, mut cond_unflushed) = (None, None, None);
        for part in parts(&self.memory, &region) {
            let mut served = vec![0; part.bytes as usize];
            self.read(client, &part, &mut served);
            let current = bytes_in(&self.memory, &part);
            let mut expected = current.clone();
            if client == MemoryClient::CondOut {
                self.cond_writes.overlay(&part, &mut expected);
            }
            stale = stale.or(first_difference(&part, &served, &expected));
            unflushed = unflushed.or_else(|| self.outputs.hides(&part, &current, &served));
            if client != MemoryClient::CondOut {
                cond_unflushed = cond_unflushed.or_else(|| self.cond_writes.hides(&part, &current, &served));
            }
        }
        for (flush, place) in [(Command::FlushOutCache, unflushed), (Command::FlushCondOutCache, cond_unflushed)] {
            if let Some(address) = place {
                let message = format!("{client} misses what an earlier program wrote at {address:#010x}");
                let name = flush.info().name;
                let remedy =
                    format!("insert {name}, then {}, after the program that writes", invalidate(client).info().name);
                self.report(flush, Some(client), message, remedy);
            }
        }
        if let Some(address) = stale {
            let command = invalidate(client);
            let message =
                format!("memory of {client} changed at {address:#010x}, but its cache still has the old bytes");
            let remedy = format!("insert {} between the change and this command", command.info().name);
            self.report(command, Some(client), message, remedy);
        }
    }

    /// Lets the caches keep what is about to change in memory after them.
    pub fn before_write(&mut self, region: Region) {
        let memory = self.memory.clone();
        let mut readers = self.readers();
        keep_region(&memory, &region, &mut readers);
    }

    /// Runs a job as the caches let it see memory. `uses` are the buffers that it can reach.
    pub fn run(
        &mut self,
        job: &Job,
        uses: &[Use],
        run: impl FnOnce(&Job) -> Result<RunStats, RunError>,
    ) -> Result<RunStats, RunError> {
        uses.iter().filter(|used| used.read).for_each(|used| self.check_read(used.client, used.region));
        // Uncached writes go to memory at once, and so do reads of what they write.
        let uncached = match job.program.info.write_mode {
            WriteMode::Umrt => uses.iter().find(|used| used.client == MemoryClient::Output(0)).map(|used| used.region),
            WriteMode::Cached => None,
        };
        if let Some(region) = uncached {
            self.before_write(region);
        }
        let cached = |used: &&Use| !uncached.is_some_and(|region| region.overlaps(&used.region));
        let mut shadow = Shadow::new(&self.memory);
        let mut copies = Vec::new();
        for used in uses.iter().filter(cached) {
            if let Some(copied) = shadow.place(&self.memory, &used.region) {
                for part in parts(&self.memory, &used.region) {
                    let mut bytes = vec![0; part.bytes as usize];
                    self.read(used.client, &part, &mut bytes);
                    // The copy is zero at first, and takes memory only where it is written.
                    if bytes.iter().any(|&byte| byte != 0) {
                        let _ = shadow.space.write_bytes(copied.part(&part).base, &bytes);
                    }
                }
                copies.push((used, copied));
            }
        }
        let mut job = Job { memory: &shadow.space, ..job.clone() };
        for (used, copied) in &copies {
            let surface = Some(Surface { base: copied.base, ..used.surface });
            match used.client {
                MemoryClient::Input(n) => job.inputs[usize::from(n)] = surface,
                MemoryClient::Output(n) => job.outputs[usize::from(n)] = surface,
                _ => job.conditional.surface = surface,
            }
        }
        let result = run(&job);
        for (used, copied) in copies.into_iter().filter(|(used, _)| used.written) {
            for part in parts(&self.memory, &used.region) {
                let mut before = vec![0; part.bytes as usize];
                self.read(used.client, &part, &mut before);
                let after = bytes_in(&shadow.space, &copied.part(&part));
                let cache = match used.client {
                    MemoryClient::CondOut => &mut self.cond_writes,
                    _ => &mut self.outputs,
                };
                cache.write(&part, &before, &after);
            }
        }
        result
    }

    /// Copies what a client's caches have for a region.
    pub fn read(&mut self, client: MemoryClient, region: &Region, bytes: &mut [u8]) {
        for part in parts(&self.memory, region) {
            let at = (part.base - region.base) as usize;
            let bytes = &mut bytes[at..at + part.bytes as usize];
            let reads = match client {
                MemoryClient::Inst => &mut self.inst,
                MemoryClient::Input(_) => &mut self.inputs,
                MemoryClient::ConstF => &mut self.constf,
                MemoryClient::ConstI => &mut self.consti,
                MemoryClient::ConstB => &mut self.constb,
                MemoryClient::CondOut => &mut self.cond_reads,
                MemoryClient::Output(_) | MemoryClient::Params | MemoryClient::Counters => {
                    bytes.copy_from_slice(&bytes_in(&self.memory, &part));
                    self.outputs.overlay(&part, bytes);
                    continue;
                }
            };
            bytes.copy_from_slice(&reads.read(&self.memory, &part));
            if client == MemoryClient::CondOut {
                self.cond_writes.overlay(&part, bytes);
            }
        }
    }

    fn wait(&mut self) {
        self.busy = false;
        self.flush_outputs();
        self.flush_cond_out();
    }

    fn flush_outputs(&mut self) {
        let memory = self.memory.clone();
        let mut outputs = std::mem::take(&mut self.outputs);
        outputs.flush(&memory, &mut self.readers(), None);
    }

    fn flush_cond_out(&mut self) {
        let Caches { memory, inst, inputs, constf, consti, constb, cond_reads, cond_writes, .. } = self;
        cond_writes.flush(memory, &mut [inst, inputs, constf, consti, constb], Some(cond_reads));
    }

    fn readers(&mut self) -> [&mut ReadCache; 6] {
        let Caches { inst, inputs, constf, consti, constb, cond_reads, .. } = self;
        [inst, inputs, constf, consti, constb, cond_reads]
    }

    fn report(&mut self, missing: Command, client: Option<MemoryClient>, message: String, remedy: String) {
        let missing = missing.info().name;
        let report = Report { buffer: self.buffer, offset: self.offset, missing, client, message, remedy };
        if self.reports.len() < MOST_REPORTS {
            self.reports.push(report);
        }
    }
}

/// The mapped parts of a region, page by page.
fn parts(memory: &Space, region: &Region) -> Vec<Region> {
    region.mapped(memory).flat_map(|mapped| mapped.pages()).collect()
}

/// The first address of a region at which two versions of it differ.
fn first_difference(part: &Region, a: &[u8], b: &[u8]) -> Option<u32> {
    Some(part.base + a.iter().zip(b).position(|(a, b)| a != b)? as u32)
}

/// The command that invalidates a client's cache.
const fn invalidate(client: MemoryClient) -> Command {
    match client {
        MemoryClient::Inst => Command::InvInstCache,
        MemoryClient::ConstF => Command::InvConstfCache,
        MemoryClient::ConstI => Command::InvConstiCache,
        MemoryClient::ConstB => Command::InvConstbCache,
        MemoryClient::CondOut => Command::InvCondOutCache,
        MemoryClient::Input(_) | MemoryClient::Output(_) | MemoryClient::Params | MemoryClient::Counters => {
            Command::InvInpCache
        }
    }
}
