//! The card behind the node of one process.

use crate::memory::{Descriptor, Memory};
use crate::objects::Objects;
use crate::options::Options;
use ctm_card::trace::TraceWriter;
use ctm_card::{Card, Identity, Object, Submission};
use ctm_cards::{CardOptions, Model};
use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A card with its memory.
pub struct Device {
    /// Which card it is.
    pub model: Model,
    /// What drivers are told.
    pub identity: Identity,
    /// The card's memory.
    pub memory: Memory,
    objects: Mutex<Objects>,
    worker: Mutex<Worker>,
}

/// What executes submissions.
struct Worker {
    card: Box<dyn Card>,
    log: Option<File>,
    trace: Option<TraceWriter<File>>,
    submissions: u64,
}

/// Writes a sentence to standard error. Where that is not possible nothing is lost that the program needs.
pub fn complain(sentence: &str) {
    let _ = writeln!(io::stderr(), "ctm card: {sentence}");
}

/// A lock whose owner panicked protects what is still usable: clients see the failure as that of their submission.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens the file that warnings are appended to.
fn open_log(path: &Path) -> Result<File, String> {
    let opened = File::options().append(true).create(true).open(path);
    opened.map_err(|error| format!("{}: cannot be written: {error}; CTM_CARD_LOG names it", path.display()))
}

/// Begins the trace. A file that another process is writing its trace to is left to it, and the process's number is added to
/// the name.
fn open_trace(path: &Path, card: &Identity) -> Result<TraceWriter<File>, String> {
    let begin = |path: &Path| -> io::Result<Option<TraceWriter<File>>> {
        let file = File::options().write(true).create(true).truncate(false).open(path)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
            Ok(()) => {}
        }
        file.set_len(0)?;
        TraceWriter::new(file, card).map(Some)
    };
    let message = |path: &Path, error| format!("{}: {error}; CTM_CARD_TRACE names it", path.display());
    if let Some(trace) = begin(path).map_err(|error| message(path, error))? {
        return Ok(trace);
    }
    let mut own = path.as_os_str().to_owned();
    own.push(format!(".{}", process::id()));
    let own = Path::new(&own);
    let trace = begin(own).map_err(|error| message(own, error))?;
    complain(&format!("{} is another process's trace; this one's is {}", path.display(), own.display()));
    trace.ok_or_else(|| message(own, io::Error::from(io::ErrorKind::ResourceBusy)))
}

impl Device {
    /// The device that the environment asks for.
    ///
    /// # Errors
    /// A sentence that says why there is none.
    pub fn new() -> Result<Self, String> {
        let options = Options::read()?;
        let memory = Memory::new().map_err(|error| format!("no memory for the card: {error}"))?;
        let setup = CardOptions {
            executor: Some(options.executor),
            time_limit: options.time_limit,
            threads: options.threads,
            host_clock: true,
            ..CardOptions::default()
        };
        let identity = options.model.identity();
        let card = Box::new(ctm_cards::Card::new(options.model, setup));
        let log = options.log.as_deref().map(open_log).transpose()?;
        let trace = options.trace.as_deref().map(|path| open_trace(path, &identity)).transpose()?;
        let worker = Mutex::new(Worker { card, log, trace, submissions: 0 });
        Ok(Device { model: options.model, identity, memory, objects: Mutex::new(Objects::new()), worker })
    }

    /// Opens the node for a new client: a descriptor, with these flags.
    pub fn open(&self, flags: i32) -> io::Result<i32> {
        let mut objects = self.objects();
        objects.forget_closed(&self.memory);
        objects.add_client(|client| self.memory.open(Descriptor::Node(client), flags))
    }

    /// Notices what was closed, unless the objects are in use: then whoever opens the node next does.
    pub fn notice_closed(&self) {
        if let Ok(mut objects) = self.objects.try_lock() {
            objects.forget_closed(&self.memory);
        }
    }

    /// The buffer objects, which nobody else uses meanwhile.
    pub fn objects(&self) -> MutexGuard<'_, Objects> {
        lock(&self.objects)
    }

    /// The time that the card's time stamps have now; `None` if it has none.
    pub fn time_stamp(&self) -> Option<u64> {
        lock(&self.worker).card.time_stamp()
    }

    /// How many submissions there were.
    pub fn submissions(&self) -> u64 {
        lock(&self.worker).submissions
    }

    /// Notes that a frame was presented.
    pub fn end_frame(&self) {
        lock(&self.worker).record(TraceWriter::frame);
    }

    /// Executes a client's words with objects that are kept; false if they are rejected.
    pub fn submit(&self, words: &[u32], objects: &[Object]) -> bool {
        let mut worker = lock(&self.worker);
        // What is written to while others' words are executed is not overlooked.
        let untouched = self.objects().untouched(objects);
        worker.submit(&self.memory, &Submission { words, objects, untouched: &untouched })
    }
}

impl Worker {
    fn submit(&mut self, memory: &Memory, submission: &Submission) -> bool {
        let number = self.submissions;
        self.record(|trace| trace.record(memory.arena(), submission));
        let run = AssertUnwindSafe(|| self.card.submit(memory.arena(), submission));
        let failure = match catch_unwind(run) {
            Ok(Ok(())) => None,
            Ok(Err(rejected)) => Some(rejected.to_string()),
            // The hook of panics has written what happened.
            Err(_) => Some("internal error of the card (a bug in ctm): please report it".to_owned()),
        };
        self.record(|trace| {
            trace.executed(memory.arena(), submission.objects);
            Ok(())
        });
        let failure = failure.map(|failure| format!("submission {number} was rejected: {failure}"));
        if let Some(failure) = &failure {
            complain(failure);
        }
        for line in self.card.take_warnings().into_iter().chain(failure.clone()) {
            if let Some(log) = &mut self.log
                && let Err(error) = log.write_all(format!("{line}\n").as_bytes())
            {
                complain(&format!("the file of CTM_CARD_LOG can no longer be written: {error}"));
                self.log = None;
            }
        }
        self.submissions += 1;
        failure.is_none()
    }

    /// Writes to the trace, if there is one. It ends where that fails.
    fn record(&mut self, write: impl FnOnce(&mut TraceWriter<File>) -> io::Result<()>) {
        if let Some(trace) = &mut self.trace
            && let Err(error) = write(trace)
        {
            complain(&format!("the trace ends at submission {}: {error}", self.submissions));
            self.trace = None;
        }
    }
}
