//! The card behind the node of one process.

use crate::alarm::Alarm;
use crate::interface::Interface;
use crate::memory::{Descriptor, Memory};
use crate::objects::Objects;
use crate::options::Options;
use ctm_card::trace::TraceWriter;
use ctm_card::{Card, Identity, Object, Submission};
use ctm_cards::{CardOptions, Model};
use std::fs::{self, File};
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

/// A card with its memory.
pub struct Device {
    /// Which card it is.
    pub model: Model,
    /// What drivers are told.
    pub identity: Identity,
    /// The kernel's driver that stands in front of it.
    pub interface: Interface,
    /// The card's memory.
    pub memory: Memory,
    objects: Mutex<Objects>,
    worker: Mutex<Worker>,
    /// The card may hold something back since the last submission.
    is_holding: AtomicBool,
    /// When that is stored if nothing happens before.
    alarm: Alarm,
}

/// How long the card may hold back what programs wait for that only look at memory.
const HOLD: Duration = Duration::from_millis(10);

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
            Err(fs::TryLockError::WouldBlock) => return Ok(None),
            Err(fs::TryLockError::Error(error)) => return Err(error),
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
            slow_paths: options.log.is_some(),
            ..CardOptions::default()
        };
        let identity = options.model.identity();
        let card = Box::new(ctm_cards::Card::new(options.model, setup));
        let log = options.log.as_deref().map(open_log).transpose()?;
        let trace = options.trace.as_deref().map(|path| open_trace(path, &identity)).transpose()?;
        let interface = Interface::of(identity.kernel);
        Ok(Device {
            model: options.model,
            identity,
            interface,
            memory,
            objects: Mutex::new(Objects::new(interface.first_address)),
            worker: Mutex::new(Worker { card, log, trace, submissions: 0 }),
            is_holding: AtomicBool::new(false),
            alarm: Alarm::default(),
        })
    }

    /// Opens the node for a new client: a descriptor, with these flags.
    pub fn open(&self, flags: i32) -> io::Result<i32> {
        self.release();
        let mut objects = self.objects();
        objects.forget_closed(&self.memory);
        objects.add_client(|client| self.memory.open(Descriptor::Node(client), flags))
    }

    /// Notices what was closed, unless the objects are in use: then whoever opens the node next does.
    pub fn notice_closed(&self) {
        self.release();
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
        self.execute(&mut lock(&self.worker), words, objects)
    }

    /// As [`submit`](Device::submit), on a card that may hold back what tells drivers that their words are executed. It is stored when the client does
    /// anything by which it could wait for that, and otherwise after a while, by a thread that runs `keep_releasing`.
    pub fn submit_and_hold(&self, words: &[u32], objects: &[Object], keep_releasing: fn()) {
        let mut worker = lock(&self.worker);
        self.execute(&mut worker, words, objects);
        self.is_holding.store(true, Release);
        drop(worker);
        let start = || thread::Builder::new().name("ctm card".into()).spawn(keep_releasing).is_ok();
        if !self.alarm.set(start) {
            self.release();
        }
    }

    fn execute(&self, worker: &mut Worker, words: &[u32], objects: &[Object]) -> bool {
        // What is written to while others' words are executed is not overlooked.
        let (untouched, closed) = {
            let mut known = self.objects();
            (known.untouched(objects), known.take_closed_channels())
        };
        closed.into_iter().for_each(|channel| worker.card.close_channel(channel));
        worker.submit(&self.memory, &Submission { words, objects, untouched: &untouched })
    }

    /// Stores what the card holds back.
    pub fn release(&self) {
        if self.is_holding.load(Acquire) {
            self.release_of(lock(&self.worker));
        }
    }

    /// The same, unless the card is in use: then its user does more than wait.
    pub fn release_if_unused(&self) {
        if self.is_holding.load(Acquire) {
            self.is_idle();
        }
    }

    /// Stores what the card holds back whenever that has been long enough.
    pub fn keep_releasing(&self) {
        loop {
            self.alarm.wait(HOLD);
            self.release();
        }
    }

    /// Waits until what others submit is executed, and stores what the card holds back.
    pub fn wait(&self) {
        self.release_of(lock(&self.worker));
    }

    /// Whether nothing is being executed; then what the card holds back is stored.
    pub fn is_idle(&self) -> bool {
        let worker = match self.worker.try_lock() {
            Ok(worker) => worker,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return false,
        };
        self.release_of(worker);
        true
    }

    fn release_of(&self, mut worker: MutexGuard<Worker>) {
        if self.is_holding.swap(false, AcqRel) {
            worker.card.release(self.memory.arena());
        }
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
