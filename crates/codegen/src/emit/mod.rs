//! From machine instructions with locations for their registers to bytes: the order of the code, its frame, the moves between
//! blocks, and jumps. What an instruction becomes is the target's.

mod flow;

use crate::allocate::{Allocation, Location};
use crate::mir::{Class, Condition, Edge, Inst, MachineFunction, Mem, Reg};
use crate::target::Target;
use ctm_engine::Refusal;

/// The host's smallest pages.
pub const PAGE: i32 = 4096;
/// Longest frame: threads have 1 MiB of stack and more.
const MAX_FRAME: i32 = 64 * PAGE;

/// How a target encodes.
pub trait Encoding: Target {
    /// What encodes instructions into the bytes of an [`Emitter`]. AArch64: nothing, as a word is its fields.
    type Encoder: Default;
    /// The way in: registers of the caller are kept, the frame is there, the mode is that of the context.
    fn prologue(emitter: &mut Emitter<Self>) -> Result<(), Unencodable>;

    /// The way out.
    fn epilogue(emitter: &mut Emitter<Self>) -> Result<(), Unencodable>;

    /// An instruction, with moves between frame and registers that it needs. AArch64 would make a gather by one load for each
    /// lane.
    fn inst(emitter: &mut Emitter<Self>, inst: &Inst<Self::Op>) -> Result<(), Unencodable>;

    /// A copy between locations of a class, through a scratch register where it needs one.
    fn copy(emitter: &mut Emitter<Self>, class: Class, to: MoveOperand, from: MoveOperand) -> Result<(), Unencodable>;

    /// A jump, to be given its target by [`Encoding::link`]; on a condition if there is one.
    fn jump(emitter: &mut Emitter<Self>, condition: Option<Condition>) -> Result<(), Unencodable>;

    /// Lets the jump or call that ends at byte `end` go to another byte. AArch64: by words, 1 MiB away at most on a condition.
    fn link(bytes: &mut [u8], end: usize, to: usize);

    /// Calls what [`Encoding::poll_call`] makes, which [`Label::Poll`] names, and sets the flags to
    /// "greater or equal" if the group may go on.
    fn poll_stub(emitter: &mut Emitter<Self>) -> Result<(), Unencodable>;

    /// What calls [`poll`](crate::poll::poll) from the middle of a group, where registers have to survive.
    fn poll_call(emitter: &mut Emitter<Self>) -> Result<(), Unencodable>;
}

/// Bytes: constants, then code.
pub struct Emitted {
    pub bytes: Vec<u8>,
    pub entry: usize,
    /// Where the instructions of each block start, and the end of the block, in the order of the blocks.
    pub marks: Vec<usize>,
    /// A way out of the code from anywhere between prologue and exit.
    pub exit: usize,
    /// From which byte on the code belongs to which guest instruction, in ascending order.
    pub origins: Vec<(u32, Option<u32>)>,
    /// Bytes of the frame that code uses: a save area of two vectors, then the slots of each class.
    pub frame: i32,
    /// Where the slots of each class start in the frame.
    slots: [i32; 3],
}

impl Emitted {
    /// Where the slots of a class start in the frame, and the bytes of one, for vectors of so many bytes.
    pub fn slots(&self, class: Class, vector: i32) -> (i64, i64) {
        let start = slot_at(&self.slots, class, 0, vector);
        (start.into(), i64::from(slot_at(&self.slots, class, 1, vector) - start))
    }
}

fn slot_at(starts: &[i32; 3], class: Class, slot: u32, vector: i32) -> i32 {
    let (start, size) = match class {
        Class::Vector => (starts[0], vector),
        Class::Mask => (starts[1], 8),
        Class::General => (starts[2], 8),
    };
    start + slot as i32 * size
}

/// The instruction cannot be encoded; a fault of selection.
#[derive(Debug)]
pub struct Unencodable;

impl From<Unencodable> for Refusal {
    fn from(_: Unencodable) -> Self {
        Refusal::Unsupported
    }
}

/// Encodes a machine function.
pub fn emit<T: Encoding>(
    machine: &MachineFunction<T::Op>,
    allocation: &Allocation,
    target: T,
) -> Result<Emitted, Refusal> {
    let mut bytes: Vec<u8> = machine.pool.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.resize(bytes.len().next_multiple_of(64), 0);
    let entry = bytes.len();
    let [vectors, masks, generals] = allocation.slots.map(|slots| slots as i32);
    let vector_slots = 2 * target.bytes();
    let mask_slots = vector_slots + vectors * target.bytes();
    let general_slots = mask_slots + masks * 8;
    let mut emitter = Emitter {
        target,
        machine,
        allocation,
        encoder: T::Encoder::default(),
        bytes,
        starts: vec![0; machine.blocks.len()],
        marks: Vec::new(),
        jumps: Vec::new(),
        stubs: Vec::new(),
        slots: [vector_slots, mask_slots, general_slots],
        stack: general_slots + generals * 8,
        exit: 0,
    };
    if emitter.stack > MAX_FRAME {
        return Err(Refusal::Frame { bytes: emitter.stack as u64, limit: MAX_FRAME as u64 });
    }
    let mut origins = vec![(0, None)];
    T::prologue(&mut emitter)?;
    for at in 0..machine.blocks.len() {
        emitter.starts[at] = emitter.bytes.len();
        for inst in &machine.blocks[at].insts {
            emitter.marks.push(emitter.bytes.len());
            if origins.last().is_none_or(|&(_, pc)| pc != inst.pc) {
                origins.push((emitter.bytes.len() as u32, inst.pc));
            }
            T::inst(&mut emitter, inst)?;
        }
        emitter.marks.push(emitter.bytes.len());
        emitter.end(at)?;
    }
    emitter.finish()?;
    let Emitter { bytes, exit, marks, stack: frame, slots, .. } = emitter;
    Ok(Emitted { bytes, entry, marks, exit, origins, frame, slots })
}

/// Where a jump goes.
pub enum Label {
    Block(usize),
    Stub(usize),
    /// A byte of the code.
    Offset(usize),
    /// What calls `poll`.
    Poll,
}

/// Code out of line.
enum Stub<'a> {
    /// The moves of an edge.
    Moves(&'a Edge),
    /// A look at the budget; on at this byte, or along the edge.
    Poll(usize, &'a Edge),
}

/// Emission at work. What is the same for all targets is here; a target encodes.
pub struct Emitter<'a, T: Encoding> {
    pub target: T,
    pub machine: &'a MachineFunction<T::Op>,
    pub allocation: &'a Allocation,
    pub encoder: T::Encoder,
    pub bytes: Vec<u8>,
    starts: Vec<usize>,
    /// Where instructions start, and the ends of blocks.
    marks: Vec<usize>,
    /// Ends of jumps, whose last four bytes are the distance.
    jumps: Vec<(usize, Label)>,
    stubs: Vec<Stub<'a>>,
    /// Where the slots of each class start in the frame. In front of them is a save area of two vectors.
    slots: [i32; 3],
    /// Bytes of the frame.
    pub stack: i32,
    /// Where an epilogue begins, or 0.
    pub exit: usize,
}

/// A source or a destination of a move between locations, or what an edge gives from memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MoveOperand {
    Register(u8),
    Slot(u32),
    Memory(Mem),
}

impl<T: Encoding> Emitter<'_, T> {
    /// A register that the encoder keeps for itself.
    pub fn scratch(&self, class: Class, number: usize) -> u8 {
        self.target.scratch().of(class).get(number).copied().unwrap_or_default()
    }

    pub fn class(&self, reg: Reg) -> Class {
        self.machine.classes[reg.index()]
    }

    pub fn move_operand(&self, reg: Reg) -> MoveOperand {
        match self.allocation.locations[reg.index()] {
            Location::Register(number) => MoveOperand::Register(number),
            Location::Slot(slot) => MoveOperand::Slot(slot),
            // Whatever is never read may be anywhere.
            Location::Nowhere => MoveOperand::Register(self.scratch(self.class(reg), 0)),
        }
    }

    /// The jump or call that was encoded last goes to a label.
    pub fn label(&mut self, label: Label) {
        self.jumps.push((self.bytes.len(), label));
    }

    /// Where a slot is in the frame.
    pub fn slot_offset(&self, class: Class, slot: u32) -> i32 {
        slot_at(&self.slots, class, slot, self.target.bytes())
    }

    /// The register that a definition is computed in, and the slot where it goes then.
    pub fn definition(&self, def: Reg) -> (u8, Option<u32>) {
        match self.move_operand(def) {
            MoveOperand::Register(number) => (number, None),
            MoveOperand::Slot(slot) => (self.scratch(self.class(def), 0), Some(slot)),
            MoveOperand::Memory(_) => (0, None),
        }
    }
}
