//! What executes packets: methods are kept, and some of them do something.

use crate::compute;
use crate::context::{DrawContext, DrawError};
use crate::draw::{self, DrawList};
use crate::engines::blit::BlitError;
use crate::engines::upload::Upload;
use crate::engines::{Patience, blit, clear, copy};
use crate::fences::{FENCE, Fence};
use crate::history::Probe;
use crate::log::Log;
use crate::macros::{self, MacroError};
use crate::methods::codes::ConditionMode;
use crate::methods::*;
use crate::picture::draw_target;
use crate::queries;
use crate::raster::{FragmentProgram, targets_at};
use crate::state::{Channel, ConstantBank};
use crate::storage::programs_store;
use crate::stream::{Header, Kind, Stream};
use crate::targets;
use crate::textures::bound_handles;
use crate::written::Written;
use ctm_card::history::PixelLog;
use ctm_card::{DrawCounts, DrawStats};
use ctm_lane::clock::Instant;
use thiserror::Error;

/// Dwords between two looks at the clock.
const DWORDS_PER_CHECK: usize = 1 << 12;
/// Parameters of a macro: those of a packet.
const MAX_PARAMETERS: usize = 1 << 13;

/// What a channel holds that draws do not see.
#[derive(Clone, Debug, Default)]
pub struct Unfinished {
    /// The vertices of the draw that has begun.
    pub list: DrawList,
    /// The dword that it begins at.
    pub list_at: usize,
    /// The upload that has begun.
    pub upload: Option<Upload>,
    /// The fence of the channel.
    pub fence: Fence,
}

/// What time stamps count.
#[derive(Clone, Copy, Debug)]
pub enum Clock {
    /// Dwords of commands.
    Commands(u64),
    /// The host's time since then.
    Host(Instant),
}

impl Clock {
    /// The time in nanoseconds.
    pub fn now(&self) -> u64 {
        match self {
            Clock::Commands(count) => *count,
            Clock::Host(start) => u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX),
        }
    }
}

/// Why the rest of a submission is not executed.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Ending {
    /// It is not what streams are: the card goes on with the next submission.
    #[error("{0}")]
    Dropped(String),
    /// It takes too long.
    #[error("the submission takes longer than its time limit (an infinite loop in a program?)")]
    TimeIsUp,
}

/// Executes the packets of a submission.
pub struct Processor<'a> {
    /// What the channel holds.
    pub channel: &'a mut Channel,
    /// What draws do not see of it.
    pub unfinished: &'a mut Unfinished,
    /// What draws run with.
    pub context: DrawContext<'a>,
    /// What time stamps count.
    pub clock: &'a mut Clock,
    /// What is worth attention.
    pub log: &'a mut Log,
    /// What draws do, if that is kept.
    pub stats: Option<&'a mut Vec<DrawStats>>,
    /// The pixel that is watched, with what draws do to it.
    pub pixel_log: Option<&'a PixelLog>,
    /// What was written since textures were looked at.
    pub written: Written,
    /// The dword of the packet that is executed.
    pub at: usize,
    /// Draws between which nothing has changed: they are drawn together when something does.
    pub waiting: WaitingDraws,
}

/// Draws that wait.
#[derive(Default)]
pub struct WaitingDraws {
    lists: Vec<DrawList>,
    /// The dword that the first one begins at.
    at: usize,
    vertices: u64,
}

/// Draws that wait, at most, and their vertices, about.
const MOST_WAITING: usize = 1 << 12;
const MOST_VERTICES: u64 = 1 << 16;

/// Methods that name vertices: they change nothing of draws that wait.
const VERTICES: [u32; 10] = [
    VertexBeginGl::ADDRESS,
    VertexEndGl::ADDRESS,
    VertexBufferFirst::ADDRESS,
    VertexBufferCount::ADDRESS,
    IndexBatchFirst::ADDRESS,
    IndexBatchCount::ADDRESS,
    VbElementU8::ADDRESS,
    VbElementU16::ADDRESS,
    VbElementU32::ADDRESS,
    Edgeflag::ADDRESS,
];
/// Methods that drivers write between draws, with the same word most often.
const REPEATED: [u32; 6] = [
    VbElementBase::ADDRESS,
    VbInstanceBase::ADDRESS,
    VertexIdBase::ADDRESS,
    PrimRestartEnable::ADDRESS,
    PrimRestartIndex::ADDRESS,
    PrimRestartWithDrawArrays::ADDRESS,
];

impl Processor<'_> {
    /// Executes what is left of a stream.
    ///
    /// # Errors
    /// If something of it is not executed.
    pub fn run(&mut self, stream: &mut Stream) -> Result<(), Ending> {
        let done = self.packets(stream);
        if done != Err(Ending::TimeIsUp) {
            self.draw_waiting()?;
        }
        done
    }

    fn packets(&mut self, stream: &mut Stream) -> Result<(), Ending> {
        loop {
            self.at = stream.at();
            let Some(word) = self.take(stream)? else { return Ok(()) };
            let header = Header::of(word).map_err(|error| Ending::Dropped(error.to_string()))?;
            if let Some(header) = header {
                self.packet(&header, stream)?;
            }
        }
    }

    /// The next dword. A fence value is there before it is read.
    fn take(&mut self, stream: &mut Stream) -> Result<Option<u32>, Ending> {
        if let Some(read) = stream.next_read() {
            self.draw_waiting()?;
            self.unfinished.fence.release_for(self.context.objects.memory(), &read);
        }
        if stream.at().is_multiple_of(DWORDS_PER_CHECK) && self.is_late() {
            return Err(Ending::TimeIsUp);
        }
        let word = stream.take();
        if let (Clock::Commands(count), Some(_)) = (&mut *self.clock, word) {
            *count += 1;
        }
        Ok(word)
    }

    fn store_word(&mut self, address: u64, word: u32) {
        self.context.objects.set_word(address, word);
        self.written.add(address..address.saturating_add(4));
    }

    /// Tells programs and textures what was written.
    pub fn look_again(&mut self) {
        for range in self.written.take() {
            self.context.cache.programs.written(&range);
            self.context.cache.textures.written(range);
        }
    }

    fn is_late(&self) -> bool {
        self.context.options.budget.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn packet(&mut self, header: &Header, stream: &mut Stream) -> Result<(), Ending> {
        if header.subchannel == 0 && header.method >= MACROS {
            return self.macro_packet(header, stream);
        }
        if let Kind::Immediate(word) = header.kind {
            self.method(header.subchannel, header.method, word)?;
        }
        for number in 0..header.count {
            let Some(word) = self.take(stream)? else { break };
            self.method(header.subchannel, header.method_of(number), word)?;
        }
        if let Some(upload) = &mut self.unfinished.upload {
            upload.store(self.context.objects, &mut self.written);
        }
        Ok(())
    }

    /// A packet that calls a macro: all of its data are parameters (decision D310).
    fn macro_packet(&mut self, header: &Header, stream: &mut Stream) -> Result<(), Ending> {
        let mut parameters = Vec::with_capacity(MAX_PARAMETERS.min(header.count as usize));
        if let Kind::Immediate(word) = header.kind {
            parameters.push(word);
        }
        for _ in 0..header.count {
            let Some(word) = self.take(stream)? else {
                self.log.warn(format!(
                    "the macro at dword {} does not run: its parameters end with the submission",
                    self.at
                ));
                return Ok(());
            };
            parameters.push(word);
        }
        if parameters.is_empty() {
            return Ok(());
        }
        let number = (header.method - MACROS) / 8;
        let Some(start) = self.channel.macros.start(number) else {
            self.log.unknown(0, header.method, Class::ThreeD.name());
            return Ok(());
        };
        // Its code is not replaced while it runs.
        let code = self.channel.macros.code().clone();
        macros::run(&code, start, &parameters, &mut MacroPort(self)).map_err(|error| match error {
            MacroError::Sent(ending) => ending,
            MacroError::Late => Ending::TimeIsUp,
            MacroError::Unknown { .. } | MacroError::Outside { .. } | MacroError::Endless => {
                Ending::Dropped(format!("macro {number} is ended: {error}"))
            }
        })
    }

    /// Writes a method of a subchannel's class.
    fn method(&mut self, subchannel: u32, method: u32, word: u32) -> Result<(), Ending> {
        let Some(class) = Class::of_subchannel(subchannel) else {
            self.log.unknown(subchannel, method, &format!("of subchannel {subchannel}"));
            return Ok(());
        };
        if class.map().at(method).is_none() {
            self.log.unknown(subchannel, method, class.name());
        }
        if !self.waiting.lists.is_empty() && !self.changes_nothing(class, method, word) {
            self.draw_waiting()?;
        }
        if let Some(methods) = self.channel.methods_mut(class) {
            methods.write(method, word);
        }
        if self.common(class, method, word) {
            return Ok(());
        }
        match class {
            Class::ThreeD => self.three_d(method, word),
            Class::Compute => self.compute(method),
            Class::TwoD => self.two_d(method),
            Class::Copy => self.copy(method, word),
            Class::Upload | Class::Software => Ok(()),
        }
    }

    /// Does what methods of several classes do; whether this is one.
    fn common(&mut self, class: Class, method: u32, word: u32) -> bool {
        match method {
            Object::ADDRESS => {
                if Object::decode(word).class != class.number() {
                    self.log.warn(format!("class {word:#06x} is bound where {} is expected", class.name()));
                }
            }
            SemaphoreTrigger::ADDRESS => {
                // Semaphores that are waited for have come: all before is done (decision D302).
                if let Some(methods) =
                    self.channel.methods(class).filter(|_| SemaphoreTrigger::decode(word).operation == 2)
                {
                    let address = methods.address(SemaphoreAddressHigh::ADDRESS);
                    let word = methods.word(SemaphoreSequence::ADDRESS);
                    self.store_word(address, word);
                }
            }
            UploadExec::ADDRESS | UploadData::ADDRESS if class.has_uploads() => self.upload(class, method, word),
            _ => return false,
        }
        true
    }

    fn upload(&mut self, class: Class, method: u32, word: u32) {
        let Some(methods) = self.channel.methods(class) else { return };
        let objects = self.context.objects;
        match (&mut self.unfinished.upload, method) {
            (Some(upload), UploadData::ADDRESS) => upload.data(objects, &mut self.written, word),
            (None, UploadData::ADDRESS) => {}
            (upload, _) => *upload = Some(Upload::begin(methods)),
        }
    }

    fn three_d(&mut self, method: u32, word: u32) -> Result<(), Ending> {
        if self.vertices(method, word)? || self.constants(method, word) || self.reports(method, word) {
            return Ok(());
        }
        let macros = &mut self.channel.macros;
        match method {
            GraphMacroUploadPos::ADDRESS => macros.set_position(word),
            GraphMacroUploadData::ADDRESS => macros.upload(word),
            GraphMacroId::ADDRESS => macros.set_number(word),
            GraphMacroPos::ADDRESS => macros.set_start(word),
            ClearBuffers::ADDRESS if self.channel.condition => {
                targets::ranges(&self.channel.three_d).for_each(|range| self.written.add(range));
                let done = clear::clear(&self.channel.three_d, self.context.objects, ClearBuffers::decode(word));
                if let Err(format) = done {
                    self.log
                        .warn(format!("the clear at dword {} is dropped: format {format:#04x} is not known", self.at));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Methods of vertices and draws; whether this is one.
    fn vertices(&mut self, method: u32, word: u32) -> Result<bool, Ending> {
        let methods = &self.channel.three_d;
        let edge = methods.get::<Edgeflag>().enable;
        let list = &mut self.unfinished.list;
        match method {
            VertexBeginGl::ADDRESS => {
                list.begin(word);
                self.unfinished.list_at = self.at;
            }
            VertexBufferCount::ADDRESS => list.arrays(methods.get::<VertexBufferFirst>().value, word, edge),
            IndexBatchCount::ADDRESS => list.elements(methods.get::<IndexBatchFirst>().value, word, edge),
            VbElementU32::ADDRESS => list.inline_u32(word, edge),
            VbElementU16::ADDRESS => list.inline_u16(word, edge),
            VbElementU8::ADDRESS => list.inline_u8(word, edge),
            DrawTfbBytes::ADDRESS => list.feedback_bytes(self.channel, word, edge),
            VertexEndGl::ADDRESS => self.draw()?,
            _ => {
                if let Some(component) = index_of::<VtxAttrData>(method) {
                    let attribute = usize::from(methods.get::<VtxAttrDefine>().attr);
                    let slot = self.channel.attributes.get_mut(attribute);
                    if let Some(slot) = slot.and_then(|constant| constant.get_mut(component)) {
                        *slot = word;
                    }
                    return Ok(true);
                }
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a method leaves draws that wait what they are.
    fn changes_nothing(&self, class: Class, method: u32, word: u32) -> bool {
        let is_same = || self.channel.three_d.word(method) == word;
        class == Class::ThreeD && (VERTICES.contains(&method) || REPEATED.contains(&method) && is_same())
    }

    fn draw(&mut self) -> Result<(), Ending> {
        if !self.channel.condition {
            return Ok(());
        }
        let list = &self.unfinished.list;
        let waiting = &self.waiting;
        let is_other = waiting.lists.first().is_some_and(|first| first.primitive() != list.primitive());
        if is_other || waiting.lists.len() >= MOST_WAITING || waiting.vertices >= MOST_VERTICES {
            self.draw_waiting()?;
        }
        let (list, methods) = (&self.unfinished.list, &self.channel.three_d);
        let is_first = self.waiting.lists.is_empty();
        if is_first {
            (self.waiting.at, self.waiting.vertices) = (self.unfinished.list_at, 0);
        }
        self.waiting.vertices = self.waiting.vertices.saturating_add(list.vertices());
        self.waiting.lists.push(list.clone());
        // What holds for the first one holds for those after it.
        let is_alone = list.is_full()
            || is_first
                && (self.stats.is_some()
                    || self.pixel_log.is_some()
                    || methods.get::<TfbEnable>().enable
                    || programs_store(methods, self.context.objects));
        if is_alone { self.draw_waiting() } else { Ok(()) }
    }

    /// Draws what waits.
    fn draw_waiting(&mut self) -> Result<(), Ending> {
        if self.waiting.lists.is_empty() {
            return Ok(());
        }
        let WaitingDraws { lists, at, .. } = std::mem::take(&mut self.waiting);
        let start = Instant::now();
        self.look_again();
        self.written.add_draw(&self.channel.three_d, self.context.objects);
        let probe = self.pixel_log.map(|pixel_log| {
            Probe::new(pixel_log, at, targets_at(&self.channel.three_d, self.context.objects, pixel_log.pixel()))
        });
        let context = DrawContext { probe: probe.as_ref(), ..self.context };
        let done = draw::draw_all(self.channel, &context, &lists);
        let slow = self.context.slow.take();
        self.log.slow(at, slow);
        if let Some(stats) = &mut self.stats {
            let vertices = lists.iter().map(DrawList::vertices).sum();
            let counts = done.as_ref().copied().unwrap_or(DrawCounts { vertices, ..DrawCounts::default() });
            let target = draw_target(self.channel);
            let program = FragmentProgram::of(self.channel, &self.context).ok().flatten();
            let textures = program.map_or(0, |program| bound_handles(&program.shader()).len() as u32);
            stats.push(DrawStats { at, time: start.elapsed(), counts, target, textures, slow });
        }
        self.note("draw", at, done.map(|_| ()))
    }

    /// Notes why something is dropped; gives what ends the submission.
    fn note(&mut self, what: &str, at: usize, done: Result<(), DrawError>) -> Result<(), Ending> {
        match done {
            Ok(()) => Ok(()),
            Err(DrawError::TimeIsUp) => Err(Ending::TimeIsUp),
            Err(error) => {
                self.log.warn(format!("the {what} at dword {at} is dropped: {error}"));
                Ok(())
            }
        }
    }

    /// Methods of constants and of feedback; whether this is one.
    fn constants(&mut self, method: u32, word: u32) -> bool {
        let methods = &mut self.channel.three_d;
        let (address, size) = (methods.address_at::<CbAddressHigh>(0), methods.get::<CbSize>().bytes);
        if index_of::<CbData>(method).is_some() {
            let position = methods.get::<CbPos>().bytes;
            methods.write(CbPos::ADDRESS, position.wrapping_add(4));
            self.store_word(address.saturating_add(position.into()), word);
        } else if let Some(stage) = index_of::<CbBind>(method) {
            let bind = CbBind::decode(word);
            let bound = if bind.valid { ConstantBank { address, size } } else { ConstantBank::default() };
            if let Some(slot) =
                self.channel.constants.get_mut(stage).and_then(|banks| banks.get_mut(usize::from(bind.index)))
            {
                *slot = bound;
            }
        } else if let Some(buffer) = index_of::<TfbBufferOffset>(method) {
            self.channel.feedback[buffer] = word;
        } else {
            return false;
        }
        true
    }

    /// Methods of conditions and reports; whether this is one.
    fn reports(&mut self, method: u32, word: u32) -> bool {
        match method {
            CondAddressHigh::ADDRESS | CondAddressLow::ADDRESS | CondMode::ADDRESS => {
                let mode = self.channel.three_d.get::<CondMode>().mode;
                self.channel.condition = self.holds(Class::ThreeD, CondAddressHigh::ADDRESS, mode);
            }
            CounterReset::ADDRESS => {
                if CounterReset::decode(word).counter == 1 {
                    self.channel.counters.samples = 0;
                }
            }
            QueryGet::ADDRESS => self.report(word),
            _ => return false,
        }
        true
    }

    /// Whether the condition at the address in a class's methods holds.
    fn holds(&self, class: Class, address: u32, mode: ConditionMode) -> bool {
        let address = self.channel.methods(class).map_or(0, |methods| methods.address(address));
        queries::holds(self.context.objects, address, mode)
    }

    fn report(&mut self, word: u32) {
        let get = QueryGet::decode(word);
        let (address, sequence) = queries::place(&self.channel.three_d);
        let objects = self.context.objects;
        if get.short {
            if word != FENCE || !self.unfinished.fence.hold(objects, address, sequence) {
                self.store_word(address, sequence);
            }
            return;
        }
        match queries::value(self.channel, get, sequence) {
            Some(value) => {
                queries::store(objects, address, value, self.clock.now());
                self.written.add(address..address.saturating_add(queries::REPORT_BYTES));
            }
            None => self.log.warn(format!("the report {:#04x} at dword {} is not known", get.report, self.at)),
        }
    }

    fn compute(&mut self, method: u32) -> Result<(), Ending> {
        match method {
            Launch::ADDRESS if self.channel.compute_condition => {
                self.look_again();
                self.written.add_all();
                let done = compute::launch(self.channel, &self.context);
                self.note("launch", self.at, done)
            }
            ComputeCondAddressHigh::ADDRESS | ComputeCondAddressLow::ADDRESS | ComputeCondMode::ADDRESS => {
                let mode = self.channel.compute.get::<ComputeCondMode>().mode;
                self.channel.compute_condition = self.holds(Class::Compute, ComputeCondAddressHigh::ADDRESS, mode);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn two_d(&mut self, method: u32) -> Result<(), Ending> {
        match method {
            BlitSrcYInt::ADDRESS if self.channel.two_d_condition => {
                let mut patience = Patience::new(&self.context.options);
                match blit::blit(&self.channel.two_d, self.context.objects, &mut patience) {
                    Ok(range) => {
                        self.written.add(range);
                        Ok(())
                    }
                    Err(BlitError::Late) => Err(Ending::TimeIsUp),
                    Err(error @ (BlitError::Format(_) | BlitError::Operation(_))) => {
                        self.log.warn(format!("the blit at dword {} is dropped: {error}", self.at));
                        Ok(())
                    }
                }
            }
            TwoDCondAddressHigh::ADDRESS | TwoDCondAddressLow::ADDRESS | TwoDCondMode::ADDRESS => {
                let mode = self.channel.two_d.get::<TwoDCondMode>().mode;
                self.channel.two_d_condition = self.holds(Class::TwoD, TwoDCondAddressHigh::ADDRESS, mode);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn copy(&mut self, method: u32, word: u32) -> Result<(), Ending> {
        if method != CopyExec::ADDRESS {
            return Ok(());
        }
        let mut patience = Patience::new(&self.context.options);
        let done = copy::copy(&self.channel.copy, self.context.objects, CopyExec::decode(word), &mut patience);
        self.written.add(done.map_err(|_| Ending::TimeIsUp)?);
        Ok(())
    }
}

/// The number of a method among those of a row.
fn index_of<R: RegisterType>(method: u32) -> Option<usize> {
    let offset = method.checked_sub(R::ADDRESS)?;
    let index = offset / R::STRIDE;
    (offset.is_multiple_of(R::STRIDE) && index < R::COUNT).then_some(index as usize)
}

/// What macros read and write: methods of the 3D class. They call no macros.
struct MacroPort<'p, 'a>(&'p mut Processor<'a>);

impl macros::Port for MacroPort<'_, '_> {
    type Error = Ending;

    fn read(&self, number: u32) -> u32 {
        self.0.channel.three_d.word(4 * number)
    }

    fn send(&mut self, number: u32, word: u32) -> Result<(), Ending> {
        let method = 4 * number;
        if method >= MACROS {
            self.0.log.unknown(0, method, "macros");
            return Ok(());
        }
        self.0.method(0, method, word)
    }

    fn is_late(&self) -> bool {
        self.0.is_late()
    }
}
