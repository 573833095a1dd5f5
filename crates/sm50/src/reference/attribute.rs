//! Attribute memory: AST, ALD, AL2P, ISBERD, OUT, and the end of geometry lanes.

use super::warp::Warp;
use crate::attributes::{PRIMITIVE_ID, State, TESS_COORD_U, TESS_COORD_V, WORDS};
use crate::codes::{IsbeMode, IsbeSize};
use crate::field::{FieldId, key};
use crate::header::Stage;
use crate::instruction::Instruction;
use crate::launch::{TrapKind, WARP, WarningKind};
use crate::operand::Reg;
use ctm_follow::{MemoryAccess, ValueKind, note};

/// Bytes of the attribute space.
const SPACE: i64 = 4 * WORDS as i64;

/// One word of an attribute access.
#[derive(Clone, Copy)]
struct Access {
    /// Its byte address; none outside the space.
    address: Option<u32>,
    /// Its data register; none past R254.
    reg: Option<Reg>,
}

impl Warp<'_> {
    /// The byte address of an access, aligned down to its size (three words as four). It may lie outside the space.
    fn attribute_base(&self, instruction: &Instruction) -> i64 {
        let register = instruction.reg(key::RA);
        let base = if register.is_zero() {
            i64::from(instruction.value(FieldId::OFFSET) & 0x3FF)
        } else {
            // Numbers that AL2P gave are addresses here, and physical accesses have no offset.
            i64::from(self.reg(register).cast_signed()) + i64::from(instruction.signed(FieldId::OFFSET))
        };
        base & !(i64::from(instruction.get(key::ATTRIBUTE_SIZE).alignment()) - 1)
    }

    /// The words of an access. Registers of attribute accesses are aligned down without a word.
    fn attribute_words(&mut self, instruction: &Instruction) -> Result<[Option<Access>; 4], TrapKind> {
        let words = instruction.get(key::ATTRIBUTE_SIZE).words();
        let first = self.attribute_base(instruction);
        let data = instruction.dst();
        let base = if data.is_zero() { data } else { Reg(data.0 & !(words.next_power_of_two() - 1)) };
        let mut accesses = [None; 4];
        for (access, k) in accesses.iter_mut().zip(0..words) {
            let address = first + 4 * i64::from(k);
            let address = (0..SPACE).contains(&address).then_some(address as u32);
            *access = Some(Access { address, reg: self.element(base, k)? });
        }
        Ok(accesses)
    }

    fn attribute_program(&self) -> bool {
        matches!(self.stage, Stage::Vertex | Stage::TessellationInit | Stage::Tessellation | Stage::Geometry)
    }

    /// The record of a lane's outputs.
    fn own_record(&self, lane: u32) -> u32 {
        self.state.number * WARP + lane
    }

    fn patch_record(&self) -> u32 {
        self.state.first_primitive + self.state.places[self.lane].primitive
    }

    /// AST: stores that the maps let through, first word first. Those outside the space vanish.
    pub fn store_attributes(&mut self, instruction: &Instruction) -> Result<(), TrapKind> {
        let accesses = self.attribute_words(instruction)?;
        let patch = instruction.get(key::PATCH);
        let allowed = if patch { self.stage == Stage::TessellationInit } else { self.attribute_program() };
        let state = State::from(self.reg(instruction.reg(key::RC)));
        for access in accesses.into_iter().flatten() {
            let (Some(address), Some(reg)) = (access.address, access.reg) else { continue };
            if !allowed {
                self.violation(TrapKind::IllegalSphInstrCombo)?;
                continue;
            }
            let value = self.reg(reg);
            let name = || format!("{}a[{address:#05x}]", if patch { "patch " } else { "" });
            note(&mut self.follow, self.lane, || MemoryAccess::write(name(), ValueKind::Word, [value]));
            if patch {
                if address / 4 >= u32::from(self.header.per_patch_attribute_count) {
                    self.warn(WarningKind::PatchBeyondCount);
                }
                if let Some(patches) = self.patches {
                    patches.set(self.patch_record(), address, value);
                }
                continue;
            }
            if !self.launch.surviving.contains(address) {
                continue;
            }
            let record = if self.stage == Stage::Geometry {
                if state.vertex > self.state.logs[self.lane].emitted() {
                    self.violation(TrapKind::GeometryError)?;
                }
                let vertices = u32::from(self.header.max_output_vertex_count);
                (state.vertex < vertices).then(|| self.own_record(self.lane as u32) * vertices + state.vertex)
            } else {
                Some(self.own_record(self.lane as u32))
            };
            if let (Some(outputs), Some(record)) = (self.outputs, record) {
                outputs.set(record, address, value);
            }
        }
        Ok(())
    }

    /// ALD: all words are read before any register is written.
    pub fn load_attributes(&mut self, instruction: &Instruction) -> Result<(), TrapKind> {
        let accesses = self.attribute_words(instruction)?;
        let handle_register = instruction.reg(key::RC);
        let handle = (!handle_register.is_zero()).then(|| self.reg(handle_register) & 0xFF);
        let (patch, output) = (instruction.get(key::PATCH), instruction.get(key::O));
        let allowed = match (patch, output) {
            (true, false) => self.stage == Stage::Tessellation,
            (true, true) => self.stage == Stage::TessellationInit,
            (false, true) => self.attribute_program() && self.stage != Stage::Geometry,
            (false, false) => self.attribute_program(),
        };
        let mut values = [0; 4];
        for (value, access) in values.iter_mut().zip(accesses.iter().flatten()) {
            let Some(address) = access.address else { continue };
            *value = match (patch, output) {
                _ if !allowed => {
                    self.violation(TrapKind::IllegalSphInstrCombo)?;
                    0
                }
                (true, _) => self.patches.map_or(0, |patches| patches.get(self.patch_record(), address)),
                (false, true) => self.output_word(handle, address)?,
                (false, false) => self.input_word(handle, address)?,
            };
        }
        for (value, access) in values.into_iter().zip(accesses.iter().flatten()) {
            if let Some(reg) = access.reg {
                self.set_reg(reg, value);
            }
        }
        Ok(())
    }

    /// A word of a lane's outputs so far. The handle is the number of the lane; without, it is the lane itself.
    fn output_word(&mut self, handle: Option<u32>, address: u32) -> Result<u32, TrapKind> {
        let lane = handle.unwrap_or(self.lane as u32);
        if lane >= WARP || self.state.live >> lane & 1 == 0 {
            return self.violation(TrapKind::OutOfRangeAddr).map(|()| 0);
        }
        Ok(self.outputs.map_or(0, |outputs| outputs.get(self.own_record(lane), address)))
    }

    /// A word of an input vertex. Without a handle it is the lane's own vertex, or the first of its primitive.
    fn input_word(&mut self, handle: Option<u32>, address: u32) -> Result<u32, TrapKind> {
        let place = self.state.places[self.lane];
        if self.stage == Stage::Tessellation && matches!(address, TESS_COORD_U | TESS_COORD_V) {
            return Ok(place.uv[usize::from(address == TESS_COORD_V)]);
        }
        if !self.header.imap.contains(address) {
            return self.violation(TrapKind::IllegalSphInstrCombo).map(|()| 0);
        }
        if address == PRIMITIVE_ID && self.stage != Stage::Vertex {
            let primitive = self.state.first_primitive + place.primitive;
            return Ok(self.primitives.map_or(0, |(_, ids)| ids.load(4 * primitive)));
        }
        let record = if self.stage == Stage::Vertex {
            let lane = handle.unwrap_or(self.lane as u32);
            (lane < WARP && self.state.live >> lane & 1 != 0).then(|| self.own_record(lane))
        } else {
            let handle = handle.unwrap_or(place.primitive * self.vertices_per_primitive());
            let entry = self.state.first_primitive * self.vertices_per_primitive() + handle;
            self.primitives.filter(|_| handle < self.state.handles).map(|(indices, _)| indices.load(4 * entry))
        };
        match record {
            Some(record) => Ok(self.inputs.map_or(0, |inputs| inputs.get(record, address))),
            None => self.violation(TrapKind::OutOfRangeAddr).map(|()| 0),
        }
    }

    /// Vertices of each input primitive; 0 in vertex programs.
    pub fn vertices_per_primitive(&self) -> u32 {
        self.launch.primitives.map_or(0, |primitives| primitives.vertices)
    }

    /// AL2P. (Decision S25: what the machine makes of the address only PHYS accesses can read; here it is the address. The
    /// predicate says whether it is inside the space.)
    pub fn attribute_address(&mut self, instruction: &Instruction) -> Result<(), TrapKind> {
        let address = self.reg(instruction.reg(key::RA)).wrapping_add_signed(instruction.signed(FieldId::OFFSET));
        self.set_reg(instruction.dst(), address);
        self.set_pred(instruction.pred(key::PD), i64::from(address) < SPACE);
        Ok(())
    }

    /// ISBERD of the map of vertex handles, which is the identity. The other modes are those of later machines.
    pub fn vertex_handle(&mut self, instruction: &Instruction) -> Result<(), TrapKind> {
        let plain = instruction.get(key::ISBE_MODE) == IsbeMode::Map
            && instruction.get(key::ISBE_SIZE) == IsbeSize::U8
            && !instruction.get(key::O)
            && !instruction.get(key::SKEW);
        if !plain {
            return Err(TrapKind::Unsupported);
        }
        let index = self.reg(instruction.reg(key::RA));
        let handle = if index < self.state.handles {
            index
        } else {
            self.violation(TrapKind::OutOfRangeAddr)?;
            0
        };
        self.set_reg(instruction.dst(), handle);
        Ok(())
    }

    /// OUT.
    pub fn emit(&mut self, instruction: &Instruction) -> Result<(), TrapKind> {
        if self.stage != Stage::Geometry {
            return self.violation(TrapKind::IllegalSphInstrCombo);
        }
        let stream = self.word(instruction.b().value)?;
        let state = self.reg(instruction.reg(key::RA));
        let vertices = self.header.max_output_vertex_count.into();
        let (state, sound) = self.state.logs[self.lane].out(instruction.get(key::OUT_STYLE), state, stream, vertices);
        if sound.is_err() {
            self.violation(TrapKind::GeometryError)?;
        }
        self.set_reg(instruction.dst(), state);
        Ok(())
    }

    /// The end of the lane. A geometry program leaves its state in R0.
    pub fn exit_lane(&mut self) -> Result<(), TrapKind> {
        let state = self.reg(Reg(0));
        if self.stage == Stage::Geometry && self.state.logs[self.lane].exit(state).is_err() {
            self.violation(TrapKind::GeometryError)?;
        }
        if self.stage == Stage::Pixel {
            self.put_out();
        }
        Ok(())
    }
}
