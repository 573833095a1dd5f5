//! Attribute memory: AST, ALD, AL2P, ISBERD, OUT, and the end of geometry lanes.

use super::machine::LiftState;
use super::resume::ENDED;
use super::specialisation::{ABSENT, BufferBinding, FORBIDDEN, LaunchEntry, TableBinding};
use crate::attributes::{PRIMITIVE_ID, Slots, TESS_COORD_U, TESS_COORD_V, WORDS};
use crate::codes::{IsbeMode, IsbeSize, OutStyle};
use crate::field::{FieldId, key};
use crate::header::Stage;
use crate::instruction::Instruction;
use crate::launch::{Column, WARP};
use crate::operand::Reg;
use ctm_lane::{IntTest, Value};

/// Bytes of the attribute space.
const SPACE: u32 = 4 * WORDS as u32;
/// Bits of a geometry state that number the vertex. One event more is the next higher bit.
const VERTEX_MASK: u32 = 0xFFF;
const ONE_EVENT: u32 = 0x1000;

/// Whether an input word of this stage comes from elsewhere than the input records.
pub(super) fn is_special(stage: Stage, address: u32) -> bool {
    match address & !3 {
        TESS_COORD_U | TESS_COORD_V => stage == Stage::Tessellation,
        PRIMITIVE_ID => stage != Stage::Vertex,
        _ => false,
    }
}

/// The address of an attribute word.
#[derive(Clone, Copy)]
enum Address {
    Fixed(u32),
    /// Each lane has its own.
    Lanes(Value),
}

/// Which of several records.
#[derive(Clone, Copy)]
struct Record {
    number: Value,
    /// The lanes that have such a record.
    exists: Value,
}

impl LiftState<'_> {
    /// The addresses and data registers of an access, word by word.
    fn attribute_words(&mut self, instruction: &Instruction) -> Vec<(Address, Reg)> {
        let size = instruction.get(key::ATTRIBUTE_SIZE);
        let (words, align, register) = (size.words(), size.alignment(), instruction.reg(key::RA));
        let data = instruction.dst();
        let base = if data.is_zero() { data } else { Reg(data.0 & !(words.next_power_of_two() - 1)) };
        let first = if register.is_zero() {
            Address::Fixed(instruction.value(FieldId::OFFSET) & 0x3FF & !(align - 1))
        } else {
            let register = self.reg(register);
            let address = self.plus(register, instruction.signed(FieldId::OFFSET).cast_unsigned());
            Address::Lanes(self.only(address, !(align - 1)))
        };
        let word = |k: u8| {
            let address = match first {
                Address::Fixed(first) => Address::Fixed(first + 4 * u32::from(k)),
                Address::Lanes(first) => Address::Lanes(self.plus(first, 4 * u32::from(k))),
            };
            (address, self.element(base, k))
        };
        (0..words).map(word).collect()
    }

    fn is_attribute_program(&self) -> bool {
        let stage = self.specialisation.stage;
        matches!(stage, Stage::Vertex | Stage::TessellationInit | Stage::Tessellation | Stage::Geometry)
    }

    /// The lane's own record.
    fn own_record(&mut self) -> Record {
        Record { number: self.number, exists: self.live }
    }

    /// The patch record of the lane's primitive.
    fn patch_record(&mut self) -> Record {
        let (number, count) = (self.column(Column::Primitive), self.launch_entry(LaunchEntry::Patches));
        Record { number, exists: self.b.icmp(IntTest::Ult, number, count) }
    }

    /// The byte address of a record's word, and the lanes in which there is one. Lanes that must not access it trap.
    fn place(&mut self, binding: TableBinding, slots: &Slots, address: Address, record: Record) -> Option<[Value; 2]> {
        let mut exists = self.b.mask_and(self.taken, record.exists);
        let first = match address {
            Address::Fixed(address) => {
                let slot = slots.slot(address)?;
                let table = self.table(binding.by_slot(), slots.count().next_power_of_two());
                self.b.table_splat(table, slot)
            }
            Address::Lanes(address) => {
                let (table, index) = (self.table(binding, WORDS as u32), self.shifted_right(address, 2));
                let first = self.b.table_gather(table, index);
                let space = self.b.constant(SPACE);
                let inside = self.b.icmp(IntTest::Ult, address, space);
                let [absent, forbidden] = [ABSENT, FORBIDDEN].map(|mark| {
                    let mark = self.b.constant(mark);
                    self.b.icmp(IntTest::Eq, first, mark)
                });
                let forbidden = self.b.mask_and(forbidden, inside);
                self.trap_where(forbidden);
                exists = self.b.mask_and(exists, inside);
                exists = self.b.mask_andnot(exists, absent);
                first
            }
        };
        let offset = self.byte(record.number);
        Some([self.b.iadd(first, offset), exists])
    }

    fn load_word(&mut self, binding: TableBinding, slots: Option<&Slots>, address: Address, record: Record) -> Value {
        let buffer = match binding {
            TableBinding::Inputs => BufferBinding::Inputs,
            TableBinding::Patches => BufferBinding::Patches,
            TableBinding::Outputs | TableBinding::Stores => BufferBinding::Outputs,
            TableBinding::StageLaunch
            | TableBinding::Bank(_)
            | TableBinding::Coefficients
            | TableBinding::StoreRanges
            | TableBinding::PixelInputs
            | TableBinding::InputSlots
            | TableBinding::OutputSlots
            | TableBinding::PatchSlots => {
                unreachable!("{binding:?} has no attribute words")
            }
        };
        match slots.and_then(|slots| self.place(binding, slots, address, record)) {
            Some([place, exists]) => {
                let buffer = self.buffer(buffer);
                self.b.buffer_load(buffer, place, exists)
            }
            None => self.b.constant(0),
        }
    }

    /// AST.
    pub fn store_attributes(&mut self, instruction: &Instruction) {
        let specialisation = self.specialisation;
        let accesses = self.attribute_words(instruction);
        let patch = instruction.get(key::PATCH);
        let allowed = if patch { specialisation.stage == Stage::TessellationInit } else { self.is_attribute_program() };
        if !allowed {
            return self.trap();
        }
        let is_fixed = matches!(accesses[0].0, Address::Fixed(_));
        if patch {
            // Lanes of one patch write the same words; with addresses of their own, not even in the order of the words.
            self.depends |= specialisation.header.threads_per_input_primitive != 1;
            self.disordered |= !is_fixed && accesses.len() > 1;
        }
        for (address, reg) in accesses {
            let value = self.reg(reg);
            if patch {
                self.check_patch_count(address);
                let record = self.patch_record();
                self.store_word(TableBinding::Patches, specialisation.patches.as_ref(), address, record, value);
                continue;
            }
            if let Address::Fixed(address) = address
                && !specialisation.surviving.contains(address)
            {
                continue;
            }
            let record = if specialisation.stage == Stage::Geometry {
                self.vertex_record(instruction)
            } else {
                self.own_record()
            };
            self.store_word(TableBinding::Stores, specialisation.outputs.as_ref(), address, record, value);
        }
    }

    fn store_word(
        &mut self,
        binding: TableBinding,
        slots: Option<&Slots>,
        address: Address,
        record: Record,
        value: Value,
    ) {
        let buffer = if binding == TableBinding::Patches { BufferBinding::Patches } else { BufferBinding::Outputs };
        if let Some([place, exists]) = slots.and_then(|slots| self.place(binding, slots, address, record)) {
            let buffer = self.buffer(buffer);
            self.b.buffer_store(buffer, place, value, exists);
        }
    }

    /// Stores beyond the patch words that the header declares are for the reference, which warns of them.
    fn check_patch_count(&mut self, address: Address) {
        let count = 4 * u32::from(self.specialisation.header.per_patch_attribute_count);
        match address {
            Address::Fixed(address) if address >= count && address < SPACE => self.trap(),
            Address::Fixed(_) => {}
            Address::Lanes(address) => {
                let count = self.b.constant(count);
                let beyond = self.b.icmp(IntTest::Uge, address, count);
                self.trap_where(beyond);
            }
        }
    }

    /// The record of the vertex that the state names. It must be one that was begun.
    fn vertex_record(&mut self, instruction: &Instruction) -> Record {
        let state = self.reg(instruction.reg(key::RC));
        let last = self.b.get(self.output.state);
        let (vertex, emitted) = (self.only(state, VERTEX_MASK), self.only(last, VERTEX_MASK));
        let stale = self.b.icmp(IntTest::Ugt, vertex, emitted);
        self.trap_where(stale);
        let vertices = self.b.constant(self.specialisation.header.max_output_vertex_count.into());
        let exists = self.b.icmp(IntTest::Ult, vertex, vertices);
        let first = self.b.imul(self.number, vertices);
        Record { number: self.b.iadd(first, vertex), exists }
    }

    /// ALD.
    pub fn load_attributes(&mut self, instruction: &Instruction) {
        let specialisation = self.specialisation;
        let accesses = self.attribute_words(instruction);
        let handle = instruction.reg(key::RC);
        let (patch, output) = (instruction.get(key::PATCH), instruction.get(key::O));
        let allowed = match (patch, output) {
            (true, false) => specialisation.stage == Stage::Tessellation,
            (true, true) => specialisation.stage == Stage::TessellationInit,
            (false, true) => self.is_attribute_program() && specialisation.stage != Stage::Geometry,
            (false, false) => self.is_attribute_program(),
        };
        if !allowed {
            return self.trap();
        }
        self.reads_back |= output;
        self.depends |= output && (patch || !handle.is_zero());
        let handle = (!handle.is_zero()).then(|| {
            let handle = self.reg(handle);
            self.only(handle, 0xFF)
        });
        let mut values = Vec::new();
        for &(address, _) in &accesses {
            values.push(match (patch, output) {
                (true, _) => {
                    let record = self.patch_record();
                    self.load_word(TableBinding::Patches, specialisation.patches.as_ref(), address, record)
                }
                (false, true) => {
                    let record = self.neighbour(handle);
                    self.load_word(TableBinding::Outputs, specialisation.outputs.as_ref(), address, record)
                }
                (false, false) => self.input_word(handle, address),
            });
        }
        for (value, (_, reg)) in values.into_iter().zip(accesses) {
            self.set_reg(reg, value);
        }
    }

    /// The record of the lane of the warp that a handle names, or of the lane itself.
    fn neighbour(&mut self, handle: Option<Value>) -> Record {
        let Some(handle) = handle else { return self.own_record() };
        let (warp, width) = (self.only(self.number, !(WARP - 1)), self.b.constant(WARP));
        let number = self.b.or(warp, handle);
        let mut exists = self.b.icmp(IntTest::Ult, handle, width);
        let count = self.launch_entry(LaunchEntry::Invocations);
        let is_lane = self.b.icmp(IntTest::Ult, number, count);
        exists = self.b.mask_and(exists, is_lane);
        if self.specialisation.has_columns {
            let primitive = self.column_of(Column::Primitive, number);
            let none = self.b.constant(crate::launch::NO_INVOCATION);
            let is_live = self.b.icmp(IntTest::Ne, primitive, none);
            exists = self.b.mask_and(exists, is_live);
        }
        let missing = self.b.mask_not(exists);
        self.trap_where(missing);
        Record { number, exists }
    }

    /// A word of an input vertex. Without a handle it is the lane's own vertex, or the first of its primitive.
    fn input_word(&mut self, handle: Option<Value>, address: Address) -> Value {
        let specialisation = self.specialisation;
        if let Address::Fixed(address) = address {
            if address >= SPACE {
                return self.b.constant(0);
            }
            if specialisation.stage == Stage::Tessellation && matches!(address, TESS_COORD_U | TESS_COORD_V) {
                return self.column(if address == TESS_COORD_U { Column::U } else { Column::V });
            }
            if !specialisation.header.imap.contains(address) {
                self.trap();
                return self.b.constant(0);
            }
            if is_special(specialisation.stage, address) {
                return self.primitive_id();
            }
        }
        let record =
            if specialisation.stage == Stage::Vertex { self.neighbour(handle) } else { self.input_vertex(handle) };
        self.load_word(TableBinding::Inputs, specialisation.inputs.as_ref(), address, record)
    }

    fn primitive_id(&mut self) -> Value {
        if self.specialisation.primitive_vertices.is_none() {
            return self.b.constant(0);
        }
        let primitive = self.column(Column::Primitive);
        let (buffer, address) = (self.buffer(BufferBinding::Ids), self.byte(primitive));
        self.b.buffer_load(buffer, address, self.live)
    }

    /// The record of an input vertex of the warp, the first one of the lane's primitive if there is no handle.
    fn input_vertex(&mut self, handle: Option<Value>) -> Record {
        let vertices = self.b.constant(self.specialisation.primitive_vertices.unwrap_or(0));
        let (first, handles) = (self.column(Column::FirstPrimitive), self.column(Column::Handles));
        let handle = handle.unwrap_or_else(|| {
            let primitive = self.column(Column::Primitive);
            let primitive = self.b.isub(primitive, first);
            self.b.imul(primitive, vertices)
        });
        let outside = self.b.icmp(IntTest::Uge, handle, handles);
        self.trap_where(outside);
        let start = self.b.imul(first, vertices);
        let entry = self.b.iadd(start, handle);
        let (buffer, place) = (self.buffer(BufferBinding::Indices), self.byte(entry));
        let number = self.b.buffer_load(buffer, place, self.live);
        let count = self.launch_entry(LaunchEntry::Inputs);
        Record { number, exists: self.b.icmp(IntTest::Ult, number, count) }
    }

    /// AL2P.
    pub fn attribute_address(&mut self, instruction: &Instruction) {
        let register = self.reg(instruction.reg(key::RA));
        let address = self.plus(register, instruction.signed(FieldId::OFFSET).cast_unsigned());
        let space = self.b.constant(SPACE);
        let inside = self.b.icmp(IntTest::Ult, address, space);
        self.set_reg(instruction.dst(), address);
        self.set_pred(instruction.pred(key::PD), inside);
    }

    /// ISBERD of the map of vertex handles, which is the identity.
    pub fn vertex_handle(&mut self, instruction: &Instruction) {
        let plain = instruction.get(key::ISBE_MODE) == IsbeMode::Map
            && instruction.get(key::ISBE_SIZE) == IsbeSize::U8
            && !instruction.get(key::O)
            && !instruction.get(key::SKEW);
        if !plain {
            return self.trap();
        }
        let (index, handles) = (self.reg(instruction.reg(key::RA)), self.column(Column::Handles));
        let outside = self.b.icmp(IntTest::Uge, index, handles);
        self.trap_where(outside);
        self.set_reg(instruction.dst(), index);
    }

    /// OUT. A state that is not the last one is for the reference, so the log only grows.
    pub fn emit(&mut self, instruction: &Instruction) {
        let max_vertices = u32::from(self.specialisation.header.max_output_vertex_count);
        if self.specialisation.stage != Stage::Geometry || max_vertices > VERTEX_MASK {
            return self.trap();
        }
        let stream = self.word(instruction.b().value);
        let stream = self.only(stream, 3);
        let (state, last) = (self.reg(instruction.reg(key::RA)), self.b.get(self.output.state));
        let stale = self.b.icmp(IntTest::Ne, state, last);
        self.trap_where(stale);
        let style = instruction.get(key::OUT_STYLE);
        let of_stream: [Value; 4] = std::array::from_fn(|number| {
            let number = self.b.constant(number as u32);
            self.b.icmp(IntTest::Eq, stream, number)
        });
        let (mut new, zero) = (state, self.b.constant(0));
        if matches!(style, OutStyle::Emit | OutStyle::EmitThenCut) {
            let (vertex, limit) = (self.only(state, VERTEX_MASK), self.b.constant(max_vertices));
            let has_capacity = self.b.icmp(IntTest::Ult, vertex, limit);
            let emitting = self.b.mask_and(self.taken, has_capacity);
            let event = self.shifted_left(vertex, 3);
            let event = self.b.or(event, stream);
            self.log(event, emitting);
            for (open, of_stream) in self.output.open.into_iter().zip(of_stream) {
                let (old, opened) = (self.b.get(open), self.b.mask_and(emitting, of_stream));
                let now = self.b.mask_or(old, opened);
                self.b.set(open, now);
            }
            let step = self.b.constant(ONE_EVENT + 1);
            let step = self.b.select(has_capacity, step, zero);
            new = self.b.iadd(new, step);
        }
        if matches!(style, OutStyle::Cut | OutStyle::EmitThenCut) {
            // Cuts of nothing are events that the host does not get.
            let mut cutting = self.b.mask_constant(false);
            for (open, of_stream) in self.output.open.into_iter().zip(of_stream) {
                let (old, cut) = (self.b.get(open), self.b.mask_and(self.taken, of_stream));
                let ended = self.b.mask_and(old, cut);
                cutting = self.b.mask_or(cutting, ended);
                let now = self.b.mask_andnot(old, cut);
                self.b.set(open, now);
            }
            let mark = self.b.constant(4);
            let event = self.b.or(stream, mark);
            self.log(event, cutting);
            new = self.plus(new, ONE_EVENT);
        }
        let overrun = self.b.icmp(IntTest::Ult, new, state);
        self.trap_where(overrun);
        let kept = self.b.select(self.taken, new, last);
        self.b.set(self.output.state, kept);
        self.set_reg(instruction.dst(), new);
    }

    /// Appends an event to the log for the host.
    fn log(&mut self, event: Value, lanes: Value) {
        if !self.specialisation.emits {
            return;
        }
        let (count, stride) = (self.b.get(self.output.count), self.launch_entry(LaunchEntry::Emissions));
        let next = self.plus(count, 1);
        let row = self.b.imul(next, stride);
        let dword = self.b.iadd(row, self.number);
        let (buffer, place) = (self.buffer(BufferBinding::Emissions), self.byte(dword));
        self.b.buffer_store(buffer, place, event, lanes);
        let count = self.b.select(lanes, next, count);
        self.b.set(self.output.count, count);
    }

    /// The end of lanes. A geometry program leaves its state in R0, a fragment its outputs in registers.
    pub fn exit(&mut self, lanes: Value) {
        self.put_out(lanes);
        self.leave_at(ENDED, lanes);
        if self.specialisation.stage != Stage::Geometry {
            return;
        }
        let (state, last) = (self.reg(Reg(0)), self.b.get(self.output.state));
        let stale = self.b.icmp(IntTest::Ne, state, last);
        let stale = self.b.mask_and(lanes, stale);
        self.trap_in(stale);
        if self.specialisation.emits {
            let count = self.b.get(self.output.count);
            let (buffer, place) = (self.buffer(BufferBinding::Emissions), self.byte(self.number));
            self.b.buffer_store(buffer, place, count, lanes);
        }
    }
}
