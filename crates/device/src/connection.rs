//! A connection to a device: memory, a queue of command buffers, and the thread that executes them.

use crate::command::words_of;
use crate::fault::{Cause, Fault};
use crate::open::{OpenError, map};
use crate::options::{HOST_BASE, Options};
use crate::processor::Processor;
use crate::recorder::Patch;
use crate::report::Report;
use crate::trace::{Recording, Trace};
use ctm_lane::budget::Limits;
use ctm_memory::{RangeError, Space};
use std::any::Any;
use std::collections::VecDeque;
use std::fmt;
use std::num::NonZeroU32;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use thiserror::Error;

/// Names of submissions: 1 to this, then from 1 again.
const IDS: u64 = u32::MAX as u64;
/// The name of a submitted command buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BufferId(NonZeroU32);

impl BufferId {
    /// The number that stands for the name in the C interface. Never 0.
    pub const fn get(self) -> u32 {
        self.0.get()
    }
}

impl From<NonZeroU32> for BufferId {
    /// The name that a number stands for, whether or not a submission has it.
    fn from(id: NonZeroU32) -> Self {
        BufferId(id)
    }
}

/// Why a command buffer was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SubmitError {
    /// It has no words.
    #[error("a command buffer of 0 words: it needs at least one command")]
    Empty,
    /// Its address is not a multiple of 4.
    #[error("the command buffer's address {0:#010x} is not a multiple of 4")]
    Misaligned(u32),
    /// It is not in host-visible memory.
    #[error("{words} words at {address:#010x} are not in host-visible memory, where command buffers must be")]
    Outside {
        /// Address of the first word.
        address: u32,
        /// Number of words.
        words: u32,
    },
}

/// A device with its memory.
///
/// Any number of devices can be open at the same time, and any number of threads can use one. Command buffers are
/// executed one after the other, in the order in which [`submit`](Self::submit) took them. Dropping the connection waits
/// until all of them are done.
///
/// ```
/// use ctm_device::command::{Command, encode};
/// use ctm_device::{Connection, HOST_BASE, Options};
///
/// let device = Connection::open(Options::default())?;
/// let words = encode([Command::SetOutMask { mask: 0x3 }, Command::WaitForIdle]);
/// device.write_words(HOST_BASE, &words)?;
/// let id = device.submit(HOST_BASE, words.len() as u32)?;
/// device.wait(id);
/// assert!(device.consumed(id.get()));
/// assert_eq!(device.take_fault(), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Connection {
    memory: Space,
    options: Options,
    shared: Arc<Shared>,
    worker: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    /// There is work, or the connection closes.
    work: Condvar,
    /// A buffer was consumed.
    progress: Condvar,
    /// Buffers submitted so far.
    submitted: AtomicU64,
    /// Buffers consumed so far.
    consumed: AtomicU64,
}

/// What a device tells while it executes.
#[derive(Clone, Copy, Debug)]
pub enum Notice<'a> {
    /// An error, sticky or not: all are told.
    Fault(&'a Fault),
    /// What strict mode has found.
    Report(&'a Report),
}

/// Who is told.
#[derive(Clone)]
struct Log(Arc<dyn Fn(Notice) + Send + Sync>);

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Log")
    }
}

#[derive(Debug, Default)]
struct Queue {
    waiting: VecDeque<Submission>,
    closing: bool,
    worker_sleeps: bool,
    clients_sleep: bool,
    fault: Option<Fault>,
    reports: Vec<Report>,
    recording: Option<Recording>,
    limits: Limits,
    log: Option<Log>,
}

#[derive(Clone, Copy, Debug)]
struct Submission {
    id: u32,
    address: u32,
    words: u32,
}

/// The name of the `n`th buffer, counted from 0.
const fn id_of(n: u64) -> u32 {
    (n % IDS) as u32 + 1
}

impl Connection {
    /// Opens a device of its own: memory zero, registers as after reset.
    pub fn open(options: Options) -> Result<Self, OpenError> {
        Self::start(options, None)
    }

    /// Opens a device that records everything it executes, for [`take_trace`](Self::take_trace).
    pub fn open_recording(options: Options) -> Result<Self, OpenError> {
        Self::start(options, Some(Recording::new(options)))
    }

    fn start(options: Options, recording: Option<Recording>) -> Result<Self, OpenError> {
        // A program that faults must not take the client with it.
        ctm_codegen::fault::install();
        let memory = map(&options)?;
        let mut processor = Processor::new(memory.clone(), options)?;
        if recording.is_some() {
            processor.record();
        }
        let queue = Mutex::new(Queue { recording, limits: options.limits, ..Queue::default() });
        let shared = Arc::new(Shared { queue, ..Shared::default() });
        let for_worker = shared.clone();
        let worker = std::thread::Builder::new()
            .name("ctm-device".to_string())
            .spawn(move || {
                for_worker.work(|submission| {
                    let limits = for_worker.lock().limits;
                    processor.set_limits(limits);
                    execute(&mut processor, submission)
                });
            })
            .map_err(|error| OpenError::Thread(error.to_string()))?;
        Ok(Connection { memory, options, shared, worker: Some(worker) })
    }

    /// The options that the device was opened with.
    pub const fn options(&self) -> &Options {
        &self.options
    }

    /// The device's address space: local memory from [`LOCAL_BASE`](crate::LOCAL_BASE) on, host-visible memory from [`HOST_BASE`] on. Access
    /// while a buffer is executed is allowed and unordered.
    pub const fn memory(&self) -> &Space {
        &self.memory
    }

    /// Writes words to consecutive addresses.
    pub fn write_words(&self, address: u32, words: &[u32]) -> Result<(), RangeError> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.memory.write_bytes(address, &bytes)
    }

    /// Reads `count` words from consecutive addresses.
    pub fn read_words(&self, address: u32, count: usize) -> Result<Vec<u32>, RangeError> {
        let length = count.saturating_mul(4);
        self.memory.check_range(address, length)?;
        let mut bytes = vec![0; length];
        self.memory.read_bytes(address, &mut bytes)?;
        Ok(words_of(&bytes))
    }

    /// Queues the command buffer of `words` 32-bit words at `address`, and does not wait for it. The words, and all memory
    /// that they name, must stay as they are until the buffer is consumed.
    pub fn submit(&self, address: u32, words: u32) -> Result<BufferId, SubmitError> {
        if words == 0 {
            return Err(SubmitError::Empty);
        }
        if !address.is_multiple_of(4) {
            return Err(SubmitError::Misaligned(address));
        }
        let bytes = words.checked_mul(4).filter(|_| address >= HOST_BASE);
        if bytes.and_then(|bytes| self.memory.arena_of(address, bytes)).is_none() {
            return Err(SubmitError::Outside { address, words });
        }
        let mut queue = self.shared.lock();
        let id = id_of(self.shared.submitted.load(Ordering::Relaxed));
        queue.waiting.push_back(Submission { id, address, words });
        // Under the lock, so that ids count up in the order of the queue.
        self.shared.submitted.fetch_add(1, Ordering::Release);
        let wake = queue.worker_sleeps;
        drop(queue);
        if wake {
            self.shared.work.notify_one();
        }
        Ok(BufferId(NonZeroU32::new(id).expect("ids begin with 1")))
    }

    /// Whether the buffer has been executed and all that it did is in memory. True for numbers that are not an id.
    pub fn consumed(&self, id: u32) -> bool {
        // In this order: a buffer that is submitted between the two looks does not count as consumed.
        let consumed = self.shared.consumed.load(Ordering::Acquire);
        let submitted = self.shared.submitted.load(Ordering::Acquire);
        let Some(place) = u64::from(id).checked_sub(1) else { return true };
        // How many buffers after the first one that is not consumed.
        let ahead = (place + IDS - consumed % IDS) % IDS;
        ahead >= submitted - consumed
    }

    /// Waits until a buffer is consumed.
    pub fn wait(&self, id: BufferId) {
        let mut queue = self.shared.lock();
        while !self.consumed(id.get()) {
            queue.clients_sleep = true;
            queue = self.shared.progress.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until every buffer that was submitted before is consumed.
    pub fn wait_all(&self) {
        let submitted = self.shared.submitted.load(Ordering::Acquire);
        if let Some(id) = submitted.checked_sub(1).and_then(|last| NonZeroU32::new(id_of(last))) {
            self.wait(BufferId(id));
        }
    }

    /// Changes what each start of a program may use, from the next command buffer on.
    pub fn set_limits(&self, limits: Limits) {
        self.shared.lock().limits = limits;
    }

    /// What each start of a program may use, from the next command buffer on.
    pub fn limits(&self) -> Limits {
        self.shared.lock().limits
    }

    /// From now on calls this with every error and report, from the device's own thread, before the buffer that it is about counts as
    /// consumed. It must not wait for this device.
    pub fn set_log(&self, log: impl Fn(Notice) + Send + Sync + 'static) {
        self.shared.lock().log = Some(Log(Arc::new(log)));
    }

    /// Takes the sticky error: the first one since it was last taken (decision C14).
    pub fn take_fault(&self) -> Option<Fault> {
        self.shared.lock().fault.take()
    }

    /// Takes what strict mode has found in the buffers consumed so far.
    pub fn take_reports(&self) -> Vec<Report> {
        std::mem::take(&mut self.shared.lock().reports)
    }

    /// Waits for everything submitted so far, and gives the record of all that was executed since the device was opened.
    /// None if it was not opened with [`open_recording`](Self::open_recording).
    pub fn take_trace(&self) -> Option<Trace> {
        self.wait_all();
        self.shared.lock().recording.as_ref().map(Recording::trace)
    }
}

impl Drop for Connection {
    /// Waits until everything submitted is done.
    fn drop(&mut self) {
        self.shared.lock().closing = true;
        self.shared.work.notify_one();
        if let Some(worker) = self.worker.take() {
            // The thread guards itself against panics.
            let _ = worker.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        // Nothing is left half done in the queue wherever a thread might end.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next buffer to execute. Without work the thread sleeps at once: looking for more first does not pay, because
    /// it takes a core from the client. None when the connection closes and nothing is left.
    fn next(&self) -> Option<Submission> {
        let mut queue = self.lock();
        loop {
            match queue.waiting.pop_front() {
                Some(submission) => return Some(submission),
                None if queue.closing => return None,
                None => {
                    queue.worker_sleeps = true;
                    queue = self.work.wait(queue).unwrap_or_else(PoisonError::into_inner);
                    queue.worker_sleeps = false;
                }
            }
        }
    }

    /// What the worker thread does. If executing a buffer panics, the device is broken: it consumes all buffers from then
    /// on without executing them, so that nobody waits for ever, and each of them gives an error.
    fn work(&self, mut execute: impl FnMut(Submission) -> Executed) {
        let mut broken = None;
        while let Some(submission) = self.next() {
            if broken.is_none() {
                match catch_unwind(AssertUnwindSafe(|| execute(submission))) {
                    Ok(executed) => self.finish(submission, executed),
                    Err(panic) => broken = Some(panic_text(&*panic)),
                }
            }
            if let Some(text) = &broken {
                let fault = Fault { buffer: submission.id, offset: 0, cause: Cause::Internal(text.clone()) };
                self.finish(submission, Executed { result: Err(fault), reports: Vec::new(), patches: None });
            }
        }
    }

    /// Makes known what a buffer did, and that it is consumed.
    fn finish(&self, submission: Submission, Executed { result, reports, patches }: Executed) {
        let log = self.lock().log.clone();
        if let Some(Log(log)) = log {
            reports.iter().for_each(|report| log(Notice::Report(report)));
            result.as_ref().err().into_iter().for_each(|fault| log(Notice::Fault(fault)));
        }
        let mut queue = self.lock();
        if let (Some(recording), Some((before, after))) = (&mut queue.recording, patches) {
            recording.add(before, submission.address, submission.words, after, result.as_ref().err());
        }
        queue.reports.extend(reports);
        if let Err(fault) = result {
            queue.fault.get_or_insert(fault);
        }
        self.consumed.fetch_add(1, Ordering::Release);
        if std::mem::take(&mut queue.clients_sleep) {
            self.progress.notify_all();
        }
    }
}

/// What came of a submission.
struct Executed {
    result: Result<(), Fault>,
    reports: Vec<Report>,
    /// How memory was before, and how it changed, if that is recorded.
    patches: Option<(Vec<Patch>, Vec<Patch>)>,
}

fn execute(processor: &mut Processor, Submission { id, address, words }: Submission) -> Executed {
    let result = processor.execute_at(id, address, words);
    Executed { result, reports: processor.take_reports(), patches: processor.end_record() }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorCode;

    #[test]
    fn a_panic_leaves_nobody_waiting() {
        let shared = Shared::default();
        {
            let mut queue = shared.lock();
            queue.waiting.extend((1..=3).map(|id| Submission { id, address: 0, words: 1 }));
            queue.closing = true;
        }
        shared.submitted.store(3, Ordering::Release);
        let mut executed = Vec::new();
        shared.work(|submission| {
            executed.push(submission.id);
            assert!(submission.id != 2, "something impossible");
            Executed { result: Ok(()), reports: Vec::new(), patches: None }
        });
        assert_eq!(executed, [1, 2], "nothing runs on a broken device");
        assert_eq!(shared.consumed.load(Ordering::Acquire), 3);
        let fault = shared.lock().fault.take().unwrap();
        assert_eq!((fault.buffer, fault.code()), (2, ErrorCode::Internal));
        assert!(fault.to_string().contains("something impossible"), "{fault}");
    }
}
