//! Command streams, checked as a whole before anything of them runs: packets with their relocations become commands.

use crate::packets::{Opcode, Packet, PacketError, packets};
use crate::registers::codes::PrimitiveWalk;
use crate::registers::{self, ValueFormat, VapVfCntl};
use ctm_bits::extract;
use ctm_card::{Object, Submission};
use thiserror::Error;

/// Most vertex arrays of a packet.
pub const MAX_ARRAYS: usize = 16;

/// Dwords of the packet that says where indices lie: `VAP_PORT_IDX0`, as the target of one write.
const INDEX_PORT: u32 = 0x8000_0810;

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
    /// Values go to one register.
    Upload {
        /// Byte offset of the register.
        address: u32,
        /// The values.
        values: &'a [u32],
    },
    /// Vertices come from these arrays.
    VertexArrays(Vec<VertexArray>),
    /// A draw.
    Draw(Draw<'a>),
}

/// An array of vertex data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexArray {
    /// Dwords that each vertex takes from it.
    pub size: u32,
    /// Dwords from one vertex to the next; with 0 all of them take the same.
    pub stride: u32,
    /// Byte offset in the object.
    pub offset: u32,
    /// Where it lies.
    pub object: Object,
}

/// A draw packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Draw<'a> {
    /// The dword of the stream that it begins at.
    pub at: usize,
    /// What is drawn.
    pub control: VapVfCntl,
    /// Where vertices or their indices are.
    pub vertices: VertexSource<'a>,
}

/// Where the vertices of a draw are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum VertexSource<'a> {
    /// In arrays, in order.
    List,
    /// In these dwords.
    Embedded(&'a [u32]),
    /// In arrays; these dwords are the indices.
    EmbeddedIndices(&'a [u32]),
    /// In arrays; their indices lie in an object.
    IndexBuffer {
        /// Byte offset in the object.
        offset: u32,
        /// Dwords of indices.
        dwords: u32,
        /// The object.
        object: Object,
    },
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
    /// A vertex array packet whose length is not what its count says.
    #[error(
        "3D_LOAD_VBPNTR names {arrays} arrays in {dwords} dwords; there may be {MAX_ARRAYS}, in three dwords for two"
    )]
    VertexArrays {
        /// Arrays that it names.
        arrays: usize,
        /// Dwords of its body.
        dwords: usize,
    },
    /// A draw by indices without any, and no packet after it that says where they are.
    #[error("3D_DRAW_INDX_2 without indices must be followed by INDX_BUFFER")]
    NoIndices,
    /// An index buffer for another register.
    #[error("INDX_BUFFER for {target:#010x}; it must be for VAP_PORT_IDX0 ({INDEX_PORT:#010x})")]
    IndexPort {
        /// What stands in the packet.
        target: u32,
    },
    /// An index buffer after something else than a draw.
    #[error("INDX_BUFFER must come after a 3D_DRAW_INDX_2 without indices")]
    StrayIndexBuffer,
    /// A draw whose vertices come from elsewhere than its opcode says.
    #[error("{} says that vertices are those of the {}", opcode.info().name, walk.name())]
    Walk {
        /// The packet.
        opcode: Opcode,
        /// Where its control word says that vertices are.
        walk: PrimitiveWalk,
    },
}

/// The commands of a stream.
///
/// # Errors
/// At the first packet that is none, or whose relocations are missing or out of range.
pub fn commands<'a>(submission: &Submission<'a>) -> Result<Vec<Command<'a>>, StreamError> {
    let mut reader = Reader { submission, packets: Vec::new(), next: 0 };
    for (at, packet) in packets(submission.words) {
        let packet = packet.map_err(|error| StreamError { at, cause: error.into() })?;
        if packet != Packet::Filler {
            reader.packets.push((at, packet));
        }
    }
    let mut commands = Vec::with_capacity(reader.packets.len());
    while let Some((at, packet)) = reader.take() {
        reader.command(at, packet, &mut commands).map_err(|cause| StreamError { at, cause })?;
    }
    Ok(commands)
}

struct Reader<'a, 's> {
    submission: &'s Submission<'a>,
    packets: Vec<(usize, Packet<'a>)>,
    next: usize,
}

impl<'a> Reader<'a, '_> {
    fn take(&mut self) -> Option<(usize, Packet<'a>)> {
        let packet = self.packets.get(self.next).copied();
        self.next += 1;
        packet
    }

    fn peek(&self) -> Option<Packet<'a>> {
        self.packets.get(self.next).map(|&(_, packet)| packet)
    }

    /// The object that the relocation which comes next names, if one comes.
    fn relocation(&mut self) -> Result<Option<Object>, StreamErrorCause> {
        let Some(Packet::Command { opcode: Opcode::Nop, body: &[index, ..] }) = self.peek() else { return Ok(None) };
        self.next += 1;
        let objects = self.submission.objects;
        let out_of_range = StreamErrorCause::RelocationOutOfRange { index, count: objects.len() };
        if !index.is_multiple_of(4) {
            return Err(out_of_range);
        }
        objects.get((index / 4) as usize).map(|&object| Some(object)).ok_or(out_of_range)
    }

    fn needed_relocation(&mut self, what: &'static str) -> Result<Object, StreamErrorCause> {
        self.relocation()?.ok_or(StreamErrorCause::NoRelocation { what })
    }

    fn command(
        &mut self,
        at: usize,
        packet: Packet<'a>,
        commands: &mut Vec<Command<'a>>,
    ) -> Result<(), StreamErrorCause> {
        match packet {
            Packet::Filler => {}
            Packet::Write { address, one_register: true, values } => commands.push(Command::Upload { address, values }),
            Packet::Write { address, one_register: false, values } => {
                for (address, &value) in (address..).step_by(4).zip(values) {
                    let register = registers::map().at(address);
                    let object = match register {
                        Some((register, _)) if register.shown == ValueFormat::Address => {
                            Some(self.needed_relocation(register.name)?)
                        }
                        // The kernel may put bits of tiling here; it is told not to.
                        Some((register, _)) if matches!(register.name, "RB3D_COLORPITCH" | "ZB_DEPTHPITCH") => {
                            self.relocation()?;
                            None
                        }
                        _ => None,
                    };
                    commands.push(Command::Write { address, value, object });
                }
            }
            Packet::Command { opcode, body } => match opcode {
                Opcode::Nop | Opcode::ClearZmask | Opcode::ClearHiz | Opcode::ClearCmask => {}
                Opcode::LoadVbpntr => commands.push(self.vertex_arrays(body)?),
                Opcode::IndxBuffer => return Err(StreamErrorCause::StrayIndexBuffer),
                Opcode::DrawVbuf | Opcode::DrawImmd | Opcode::DrawIndx => {
                    commands.push(self.draw(at, opcode, &body[1..])?);
                }
                Opcode::DrawVbuf2 | Opcode::DrawImmd2 | Opcode::DrawIndx2 => {
                    commands.push(self.draw(at, opcode, body)?)
                }
            },
        }
        Ok(())
    }

    fn vertex_arrays(&mut self, body: &[u32]) -> Result<Command<'a>, StreamErrorCause> {
        let arrays = extract(body[0], 4, 0) as usize;
        let dwords = body.len();
        if arrays == 0 || arrays > MAX_ARRAYS || dwords < 1 + arrays / 2 * 3 + arrays % 2 * 2 {
            return Err(StreamErrorCause::VertexArrays { arrays, dwords });
        }
        let array = |number: usize| {
            let pair = &body[1 + number / 2 * 3..];
            let shift = number as u32 % 2 * 16;
            let field = |low: u32| extract(pair[0], shift + low + 7, shift + low);
            (field(0), field(8), pair[1 + number % 2])
        };
        let arrays = (0..arrays).map(|number| {
            let (size, stride, offset) = array(number);
            Ok(VertexArray { size, stride, offset, object: self.needed_relocation("each array of 3D_LOAD_VBPNTR")? })
        });
        Ok(Command::VertexArrays(arrays.collect::<Result<_, StreamErrorCause>>()?))
    }

    fn draw(&mut self, at: usize, opcode: Opcode, body: &'a [u32]) -> Result<Command<'a>, StreamErrorCause> {
        let control = VapVfCntl::read(&[body[0]]);
        let data = &body[1..];
        let vertices = match (opcode, control.walk) {
            (Opcode::DrawVbuf | Opcode::DrawVbuf2, PrimitiveWalk::List) => VertexSource::List,
            (Opcode::DrawImmd | Opcode::DrawImmd2, PrimitiveWalk::Embedded) => VertexSource::Embedded(data),
            (Opcode::DrawIndx | Opcode::DrawIndx2, PrimitiveWalk::Indices) if !data.is_empty() => {
                VertexSource::EmbeddedIndices(data)
            }
            (Opcode::DrawIndx | Opcode::DrawIndx2, PrimitiveWalk::Indices) => self.index_buffer()?,
            (_, walk) => return Err(StreamErrorCause::Walk { opcode, walk }),
        };
        Ok(Command::Draw(Draw { at, control, vertices }))
    }

    fn index_buffer(&mut self) -> Result<VertexSource<'a>, StreamErrorCause> {
        let Some(Packet::Command { opcode: Opcode::IndxBuffer, body: &[target, offset, dwords, ..] }) = self.peek()
        else {
            return Err(StreamErrorCause::NoIndices);
        };
        if target != INDEX_PORT {
            return Err(StreamErrorCause::IndexPort { target });
        }
        self.next += 1;
        Ok(VertexSource::IndexBuffer { offset, dwords, object: self.needed_relocation("INDX_BUFFER")? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBJECT: Object = Object { address: 0x2000, size: 0x1000 };

    fn of(words: &[u32]) -> Result<Vec<Command<'_>>, StreamError> {
        commands(&Submission { words, objects: &[OBJECT, Object { address: 0x4000, size: 64 }], untouched: &[] })
    }

    #[test]
    fn relocations_belong_to_what_stands_before_them() {
        // RB3D_COLOROFFSET_0, RB3D_COLORPITCH_0, SC_CLIP_RULE.
        let stream = [0x138A, 32, 0xC000_1000, 4, 0x138E, 0x40, 0xC000_1000, 0, 0x10F4, 0xFFFF];
        let second = Object { address: 0x4000, size: 64 };
        assert_eq!(
            of(&stream).unwrap(),
            [
                Command::Write { address: 0x4E28, value: 32, object: Some(second) },
                Command::Write { address: 0x4E38, value: 0x40, object: None },
                Command::Write { address: 0x43D0, value: 0xFFFF, object: None },
            ]
        );
        let cause = |words: &[u32]| of(words).unwrap_err();
        assert_eq!(
            cause(&[0x8000_0000, 0x138A, 32, 0x10F4, 0]),
            StreamError { at: 1, cause: StreamErrorCause::NoRelocation { what: "RB3D_COLOROFFSET" } }
        );
        for index in [8, 1] {
            let out_of_range = StreamErrorCause::RelocationOutOfRange { index, count: 2 };
            assert_eq!(cause(&[0x138A, 32, 0xC000_1000, index]), StreamError { at: 0, cause: out_of_range });
        }
    }

    #[test]
    fn vertex_arrays_come_in_pairs() {
        let words = [0xC003_2F00, 0x22, 0x0004_0804, 0x10, 0x20, 0xC000_1000, 0, 0xC000_1000, 4];
        let Command::VertexArrays(arrays) = of(&words).unwrap().remove(0) else { panic!("no arrays") };
        let of = |array: &VertexArray| (array.size, array.stride, array.offset, array.object.address);
        assert_eq!(arrays.iter().map(of).collect::<Vec<_>>(), [(4, 8, 0x10, 0x2000), (4, 0, 0x20, 0x4000)]);
    }

    #[test]
    fn indices_are_in_the_packet_or_behind_it() {
        let embedded = [0xC001_3600, 0x0002_0014, 0x0001_0000];
        let buffer = [0xC000_3600, 0x0002_0014, 0xC002_3300, INDEX_PORT, 8, 1, 0xC000_1000, 0];
        let source = |words: &'static [u32]| match of(words).map(|mut commands| commands.remove(0)) {
            Ok(Command::Draw(draw)) => Ok(draw.vertices),
            Ok(other) => panic!("{other:?}"),
            Err(error) => Err(error.cause),
        };
        assert_eq!(source(embedded.to_vec().leak()), Ok(VertexSource::EmbeddedIndices(&[0x0001_0000])));
        let expected = VertexSource::IndexBuffer { offset: 8, dwords: 1, object: OBJECT };
        assert_eq!(source(buffer.to_vec().leak()), Ok(expected));
        assert_eq!(source(&[0xC000_3600, 0x0002_0014]), Err(StreamErrorCause::NoIndices));
        assert_eq!(source(&[0xC002_3300, INDEX_PORT, 8, 1]), Err(StreamErrorCause::StrayIndexBuffer));
        let walk = StreamErrorCause::Walk { opcode: Opcode::DrawVbuf2, walk: PrimitiveWalk::Embedded };
        assert_eq!(source(&[0xC000_3400, 0x0003_0034]), Err(walk));
    }
}
