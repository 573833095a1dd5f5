//! Command streams, checked as a whole before anything of them runs: packets with their relocations become commands.

use crate::packets::{
    CopyDw, CpDma, DrawIndex, DrawIndexAuto, DrawIndexImmd, Event, EventWrite, EventWriteEop, IndexSource, IndexWidth,
    MemWrite, Nop, NumInstances, OffsetSource, Opcode, Packet, PacketError, PredicateOp, SetPredication, StoredData,
    StrmoutBufferUpdate, packets,
};
use crate::registers::{self, ValueFormat};
use crate::resources;
use ctm_card::{Object, Submission};
use thiserror::Error;

/// Dwords of a packet that stores counters.
const EVENT_WITH_ADDRESS: usize = 3;

/// A place in an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectOffset {
    /// The object.
    pub object: Object,
    /// Byte offset in it, which may be beyond its end.
    pub offset: u64,
}

/// What a stream does, step by step.
#[derive(Clone, Debug, PartialEq)]
pub enum Command<'a> {
    /// A value goes to a register; a relocation names an object.
    Write {
        /// Byte offset of the register.
        address: u32,
        /// The value.
        value: u32,
        /// The object that the register is now bound to.
        object: Option<Object>,
    },
    /// Indices are so wide from now on.
    IndexWidth(IndexWidth),
    /// Draws are drawn so often from now on.
    Instances(u32),
    /// A draw.
    Draw(Draw<'a>),
    /// An event, and where counters go that it stores.
    Event {
        /// What is done.
        event: Event,
        /// Where counters go.
        target: Option<ObjectOffset>,
    },
    /// A number is stored.
    Store {
        /// Where to.
        target: ObjectOffset,
        /// What.
        number: Number,
    },
    /// Bytes are copied.
    Copy {
        /// Where from.
        source: ObjectOffset,
        /// Where to.
        destination: ObjectOffset,
        /// How many.
        bytes: u32,
    },
    /// A dword is copied.
    CopyDword {
        /// Where from.
        source: DwordPlace,
        /// Where to.
        destination: DwordPlace,
    },
    /// Which draws are dropped from now on.
    Predicate(Predicate),
    /// A streamout buffer's offset is stored and set.
    Streamout {
        /// The buffer's number, 0 to 3.
        buffer: u8,
        /// Where the offset is stored first, in bytes.
        store: Option<ObjectOffset>,
        /// What it is then.
        offset: StreamoutOffset,
    },
}

/// A number that is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// 32 bits.
    Narrow(u32),
    /// 64 bits.
    Wide(u64),
    /// The clock, in 64 bits.
    Clock,
}

/// Where a dword is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DwordPlace {
    /// In the register at this byte offset.
    Register(u32),
    /// In memory.
    Memory(ObjectOffset),
}

/// What draws are dropped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Predicate {
    /// Nothing: none is dropped.
    Clear,
    /// Results of queries.
    Results {
        /// Where the results lie.
        results: ObjectOffset,
        /// Primitives of streamout, instead of samples.
        primitives: bool,
        /// What is visible is drawn; else what is not.
        visible: bool,
        /// Together with those before.
        combine: bool,
    },
}

/// What the offset of a streamout buffer becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamoutOffset {
    /// It stays.
    Kept,
    /// So many dwords.
    Dwords(u32),
    /// What lies there, in bytes.
    Memory(ObjectOffset),
}

/// A draw packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Draw<'a> {
    /// The dword of the stream that it begins at.
    pub at: usize,
    /// The dword after it and its relocation.
    pub end: usize,
    /// The predicate may drop it.
    pub predicated: bool,
    /// Indices or vertices.
    pub count: u32,
    /// Their number is what streamout wrote.
    pub opaque: bool,
    /// Where indices are.
    pub indices: Indices<'a>,
}

/// Where the indices of a draw are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Indices<'a> {
    /// There are none: vertices are counted.
    Counted,
    /// In memory.
    Memory(ObjectOffset),
    /// In these dwords, low ones first.
    Packet(&'a [u32]),
}

/// A stream that is refused: nothing of it has run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("dword {at}: {cause}")]
pub struct StreamError {
    /// The dword where the packet begins.
    pub at: usize,
    /// What is wrong.
    pub cause: StreamErrorCause,
}

/// What is wrong with a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum StreamErrorCause {
    /// The dwords are not a packet.
    #[error(transparent)]
    Packet(#[from] PacketError),
    /// No relocation stands where one must.
    #[error("{what} must be followed by a relocation")]
    NoRelocation {
        /// What needs it.
        what: &'static str,
    },
    /// A relocation names no object.
    #[error("the relocation's index {index} is beyond the {count} relocations of the submission")]
    RelocationOutOfRange {
        /// What stands in the stream.
        index: u32,
        /// Relocations that there are.
        count: usize,
    },
    /// Registers that are not of the packet's space.
    #[error(
        "{name} writes {count} registers from {first:#07x} on; it may write those from {start:#07x} to {end:#07x}",
        name = opcode.info().name
    )]
    Registers {
        /// The packet.
        opcode: Opcode,
        /// Byte offset of the first register.
        first: u32,
        /// How many.
        count: usize,
        /// Where the space begins.
        start: u32,
        /// Where it ends.
        end: u32,
    },
    /// Not whole resources.
    #[error("SET_RESOURCE has {dwords} dwords from dword {offset} on; resources are whole, and have 7 dwords")]
    Resource {
        /// The first dword.
        offset: u32,
        /// Dwords.
        dwords: usize,
    },
    /// An event with half an address.
    #[error("EVENT_WRITE has 2 dwords; it has 1, or 3 with an address")]
    Event,
    /// A draw whose indices come from elsewhere than its opcode says.
    #[error("{} says that indices are {}", opcode.info().name, source_of_indices.name())]
    IndexSource {
        /// The packet.
        opcode: Opcode,
        /// Where its initiator says that indices are.
        source_of_indices: IndexSource,
    },
    /// More indices than the packet has.
    #[error("DRAW_INDEX_IMMD has {count} indices of {width} in {dwords} dwords", width = width.name())]
    Indices {
        /// How many it says.
        count: u32,
        /// How wide they are.
        width: IndexWidth,
        /// Dwords of indices.
        dwords: usize,
    },
    /// A width of indices that there is not.
    #[error("INDEX_TYPE is {}; indices have 16 or 32 bits", width.name())]
    IndexWidth {
        /// The width.
        width: IndexWidth,
    },
    /// A predicate that there is not.
    #[error("SET_PREDICATION has operation {}; there are clear, samples passed, primitives", op.name())]
    Predicate {
        /// The operation.
        op: PredicateOp,
    },
    /// Data that is not there.
    #[error("EVENT_WRITE_EOP stores {}; it stores nothing, 32 bits, 64 bits or the clock", stored.name())]
    Stored {
        /// What it says.
        stored: StoredData,
    },
}

/// The commands of a stream.
///
/// # Errors
/// At the first packet that is none, or whose relocations are missing or out of range.
pub fn commands<'a>(submission: &Submission<'a>) -> Result<Vec<Command<'a>>, StreamError> {
    let mut reader =
        Reader { submission, packets: Vec::new(), next: 0, width: IndexWidth::Bits16, commands: Vec::new() };
    for (at, packet) in packets(submission.words) {
        match packet {
            Ok(Packet::Filler) => {}
            Ok(Packet::Command { opcode, predicated, body }) => {
                reader.packets.push(Whole { at, opcode, predicated, body });
            }
            Err(error) => return Err(StreamError { at, cause: error.into() }),
        }
    }
    while let Some(&packet) = reader.packets.get(reader.next) {
        reader.next += 1;
        reader.command(&packet).map_err(|cause| StreamError { at: packet.at, cause })?;
    }
    Ok(reader.commands)
}

/// A packet, and where it begins.
#[derive(Clone, Copy)]
struct Whole<'a> {
    at: usize,
    opcode: Opcode,
    predicated: bool,
    body: &'a [u32],
}

struct Reader<'a, 's> {
    submission: &'s Submission<'a>,
    packets: Vec<Whole<'a>>,
    next: usize,
    /// How wide indices are.
    width: IndexWidth,
    commands: Vec<Command<'a>>,
}

impl<'a> Reader<'a, '_> {
    /// The object that the relocation which comes next names.
    fn relocation(&mut self, what: &'static str) -> Result<Object, StreamErrorCause> {
        let Some(&Whole { opcode: Opcode::Nop, body, .. }) = self.packets.get(self.next) else {
            return Err(StreamErrorCause::NoRelocation { what });
        };
        self.next += 1;
        let index = Nop::of(body).relocation;
        let objects = self.submission.objects;
        let object = if index.is_multiple_of(4) { objects.get((index / 4) as usize) } else { None };
        object.copied().ok_or(StreamErrorCause::RelocationOutOfRange { index, count: objects.len() })
    }

    fn place(&mut self, what: Opcode, low: u32, high: u8) -> Result<ObjectOffset, StreamErrorCause> {
        let object = self.relocation(what.info().name)?;
        Ok(ObjectOffset { object, offset: u64::from(low) | u64::from(high) << 32 })
    }

    fn command(&mut self, packet: &Whole<'a>) -> Result<(), StreamErrorCause> {
        let &Whole { opcode, body, .. } = packet;
        match opcode {
            // A relocation that nothing wants, and what does nothing here: streams are executed in order.
            Opcode::Nop
            | Opcode::Start3dCmdbuf
            | Opcode::ContextControl
            | Opcode::MemSemaphore
            | Opcode::WaitRegMem
            | Opcode::SurfaceSync
            | Opcode::StrmoutBaseUpdate
            | Opcode::SurfaceBaseUpdate => {}
            Opcode::SetConfigReg
            | Opcode::SetContextReg
            | Opcode::SetAluConst
            | Opcode::SetBoolConst
            | Opcode::SetLoopConst
            | Opcode::SetSampler
            | Opcode::SetCtlConst => self.registers(opcode, body)?,
            Opcode::SetResource => self.resources(body)?,
            Opcode::IndexType => {
                self.width = crate::packets::IndexType::of(body).width;
                if !matches!(self.width, IndexWidth::Bits16 | IndexWidth::Bits32) {
                    return Err(StreamErrorCause::IndexWidth { width: self.width });
                }
                self.commands.push(Command::IndexWidth(self.width));
            }
            Opcode::NumInstances => self.commands.push(Command::Instances(NumInstances::of(body).instances.max(1))),
            Opcode::DrawIndexAuto => self.draw(packet, DrawIndexAuto::of(body))?,
            Opcode::DrawIndex => {
                let DrawIndex { count, source, opaque, .. } = DrawIndex::of(body);
                self.draw(packet, DrawIndexAuto { count, source, opaque })?;
            }
            Opcode::DrawIndexImmd => {
                let DrawIndexImmd { count, source, opaque } = DrawIndexImmd::of(body);
                self.draw(packet, DrawIndexAuto { count, source, opaque })?;
            }
            Opcode::SetPredication => self.predicate(body)?,
            Opcode::StrmoutBufferUpdate => self.streamout(body)?,
            Opcode::CopyDw => self.copy_dword(body)?,
            Opcode::MemWrite => {
                let fields = MemWrite::of(body);
                let target = self.place(opcode, fields.address, fields.address_high)?;
                let number = match fields.narrow {
                    true => Number::Narrow(fields.data),
                    false => Number::Wide(wide(fields.data, fields.data_high)),
                };
                self.commands.push(Command::Store { target, number });
            }
            Opcode::CpDma => {
                let fields = CpDma::of(body);
                let source = self.place(opcode, fields.source, fields.source_high)?;
                let destination = self.place(opcode, fields.destination, fields.destination_high)?;
                self.commands.push(Command::Copy { source, destination, bytes: fields.bytes });
            }
            Opcode::EventWrite => {
                let fields = EventWrite::of(body);
                let target = match body.len() {
                    1 => None,
                    EVENT_WITH_ADDRESS => Some(self.place(opcode, fields.address, fields.address_high)?),
                    _ => return Err(StreamErrorCause::Event),
                };
                self.commands.push(Command::Event { event: fields.event, target });
            }
            Opcode::EventWriteEop => self.end_of_pipe(body)?,
        }
        Ok(())
    }

    fn registers(&mut self, opcode: Opcode, body: &[u32]) -> Result<(), StreamErrorCause> {
        let Some((first, values)) = self.space(opcode, body)? else { return Ok(()) };
        for (address, &value) in (first..).step_by(4).zip(values) {
            let object = match registers::map().at(address) {
                Some((register, _)) if register.shown == ValueFormat::Address => Some(self.relocation(register.name)?),
                Some(_) | None => None,
            };
            self.commands.push(Command::Write { address, value, object });
        }
        Ok(())
    }

    /// The byte offset of the first register that a packet writes, and the values.
    fn space<'b>(&self, opcode: Opcode, body: &'b [u32]) -> Result<Option<(u32, &'b [u32])>, StreamErrorCause> {
        let (Some((start, end)), Some((&offset, values))) = (opcode.register_space(), body.split_first()) else {
            return Ok(None);
        };
        // Above bit 15 stand flags.
        let first = start + 4 * ctm_bits::extract(offset, 15, 0);
        let count = values.len();
        if u64::from(first) + 4 * count as u64 > end.into() {
            return Err(StreamErrorCause::Registers { opcode, first, count, start, end });
        }
        Ok(Some((first, values)))
    }

    fn resources(&mut self, body: &[u32]) -> Result<(), StreamErrorCause> {
        let Some((first, values)) = self.space(Opcode::SetResource, body)? else { return Ok(()) };
        let offset = (first - resources::ADDRESS) / 4;
        let (whole, rest) = values.as_chunks::<{ resources::WORDS }>();
        if !offset.is_multiple_of(resources::WORDS as u32) || !rest.is_empty() {
            return Err(StreamErrorCause::Resource { offset, dwords: values.len() });
        }
        for (start, words) in (first..).step_by(4 * resources::WORDS).zip(whole) {
            let relocated = resources::relocated(resources::kind(words));
            for (word, &value) in words.iter().enumerate() {
                let object = match relocated.contains(&word) {
                    true => Some(self.relocation("an address of a resource")?),
                    false => None,
                };
                self.commands.push(Command::Write { address: start + 4 * word as u32, value, object });
            }
        }
        Ok(())
    }

    /// A draw, with the fields that all draws have.
    fn draw(&mut self, packet: &Whole<'a>, fields: DrawIndexAuto) -> Result<(), StreamErrorCause> {
        let &Whole { at, opcode, predicated, body } = packet;
        let DrawIndexAuto { count, source, opaque } = fields;
        let indices = match (opcode, source) {
            (Opcode::DrawIndex, IndexSource::Memory) => {
                let DrawIndex { address, address_high, .. } = DrawIndex::of(body);
                Indices::Memory(self.place(opcode, address, address_high)?)
            }
            (Opcode::DrawIndexImmd, IndexSource::Packet) => {
                let data = body.get(2..).unwrap_or_default();
                let dwords = match self.width {
                    IndexWidth::Bits32 => count.into(),
                    IndexWidth::Bits16 | IndexWidth::Reserved2 | IndexWidth::Reserved3 => u64::from(count).div_ceil(2),
                };
                if dwords > data.len() as u64 {
                    return Err(StreamErrorCause::Indices { count, width: self.width, dwords: data.len() });
                }
                Indices::Packet(data)
            }
            (Opcode::DrawIndexAuto, IndexSource::Auto) => Indices::Counted,
            (opcode, source_of_indices) => return Err(StreamErrorCause::IndexSource { opcode, source_of_indices }),
        };
        let end = self.packets.get(self.next).map_or(self.submission.words.len(), |next| next.at);
        self.commands.push(Command::Draw(Draw { at, end, predicated, count, opaque, indices }));
        Ok(())
    }

    fn predicate(&mut self, body: &[u32]) -> Result<(), StreamErrorCause> {
        let fields = SetPredication::of(body);
        let primitives = match fields.op {
            PredicateOp::Clear => {
                self.commands.push(Command::Predicate(Predicate::Clear));
                return Ok(());
            }
            PredicateOp::Passed => false,
            PredicateOp::Primitives => true,
            op => return Err(StreamErrorCause::Predicate { op }),
        };
        let results = self.place(Opcode::SetPredication, fields.address, fields.address_high)?;
        let SetPredication { visible, combine, .. } = fields;
        self.commands.push(Command::Predicate(Predicate::Results { results, primitives, visible, combine }));
        Ok(())
    }

    fn streamout(&mut self, body: &[u32]) -> Result<(), StreamErrorCause> {
        let (opcode, fields) = (Opcode::StrmoutBufferUpdate, StrmoutBufferUpdate::of(body));
        let store = match fields.store {
            true => Some(self.place(opcode, fields.store_address, fields.store_address_high)?),
            false => None,
        };
        let offset = match fields.source {
            OffsetSource::Packet => StreamoutOffset::Dwords(fields.offset),
            OffsetSource::Memory => StreamoutOffset::Memory(self.place(opcode, fields.offset, fields.offset_high)?),
            OffsetSource::Filled | OffsetSource::None => StreamoutOffset::Kept,
        };
        self.commands.push(Command::Streamout { buffer: fields.buffer, store, offset });
        Ok(())
    }

    fn copy_dword(&mut self, body: &[u32]) -> Result<(), StreamErrorCause> {
        let (opcode, fields) = (Opcode::CopyDw, CopyDw::of(body));
        let mut place = |memory: bool, low: u32, high: u8| match memory {
            true => self.place(opcode, low, high).map(DwordPlace::Memory),
            false => Ok(DwordPlace::Register(low.saturating_mul(4))),
        };
        let source = place(fields.from_memory, fields.source, fields.source_high)?;
        let destination = place(fields.to_memory, fields.destination, fields.destination_high)?;
        self.commands.push(Command::CopyDword { source, destination });
        Ok(())
    }

    fn end_of_pipe(&mut self, body: &[u32]) -> Result<(), StreamErrorCause> {
        let fields = EventWriteEop::of(body);
        let number = match fields.stored {
            StoredData::Nothing => return Ok(()),
            StoredData::Low => Number::Narrow(fields.data),
            StoredData::Whole => Number::Wide(wide(fields.data, fields.data_high)),
            StoredData::Clock => Number::Clock,
            stored => return Err(StreamErrorCause::Stored { stored }),
        };
        let target = self.place(Opcode::EventWriteEop, fields.address, fields.address_high)?;
        self.commands.push(Command::Store { target, number });
        Ok(())
    }
}

fn wide(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

#[cfg(test)]
mod tests;
