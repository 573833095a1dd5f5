//! Fetch clauses: vertex and memory fetches, and what texture instructions do without a texture (R700 guide chapters 5
//! and 6).

use super::Walked;
use super::context::CodeAddress;
use super::control::Walk;
use super::element::{Extent, Words};
use super::level::Change;
use super::machine::{Index, Register};
use super::sample::Request;
use super::specialisation::{BufferBinding, BufferLayout};
use crate::cf::{Cf, CfPlain};
use crate::codes::{FetchType, LevelSource, MemOp, Select, TextureClass};
use crate::fetch::{Fetch, FetchRegister, MemRead, Tex, Vtx};
use crate::job::TrapKind;
use crate::outline::fetches;
use crate::reference::{element_bytes, one};
use crate::resource::TexelNumbers;
use ctm_lane::{IntTest, QuadOrder, Value};

const ONE: u32 = 0x3F80_0000;

/// A clause that is lifted.
struct Clause {
    address: CodeAddress,
    /// Address of the instruction.
    slot: u32,
    /// The pixels that execute it.
    lanes: Value,
}

impl Walk<'_> {
    /// Lifts a clause for the pixels that pass.
    pub(super) fn fetch_clause(&mut self, cf: &CfPlain, passing: Value) -> Walked<()> {
        let address = self.here.address;
        let code = self.m.code(address.in_fetch_program);
        let range = Cf::Plain(*cf).clause(self.m.program.info.family).and_then(|clause| clause.range(code.len()));
        let Some(range) = range else { return self.trap(TrapKind::ClauseOutOfRange, None) };
        let mut gradients = [[self.m.b.constant(0); 4]; 2];
        for (k, fetch) in fetches(&code[range]).enumerate() {
            let lanes = if fetch.whole_quad() { self.with_helpers(passing) } else { passing };
            let clause = Clause { address, slot: cf.fields.addr + 2 * k as u32, lanes };
            let counted = if fetch.whole_quad() { self.m.b.mask_and(lanes, self.m.covered) } else { lanes };
            self.m.steps(address, Some(clause.slot), counted);
            match fetch {
                Fetch::Vtx(vtx) => self.vertex_fetch(&clause, &vtx)?,
                Fetch::Tex(tex) => self.texture_instruction(&clause, &tex, &mut gradients),
                Fetch::Mem(read) => self.memory_read(&clause, &read),
                Fetch::MemRaw(op, _) => {
                    self.trap_lanes(TrapKind::Unsupported(op.name()), address, clause.slot, lanes);
                }
            }
        }
        Ok(())
    }

    /// These lanes, and the invalid ones of their quads.
    fn with_helpers(&mut self, passing: Value) -> Value {
        let valid = self.m.b.get(self.m.valid);
        let quads = self.m.quads_of(passing);
        let helpers = self.m.b.mask_andnot(quads, valid);
        self.m.b.mask_or(passing, helpers)
    }

    /// The register that a fetch instruction reads, aL added; lanes without it trap.
    fn fetch_source(&mut self, clause: &Clause, register: FetchRegister) -> Register {
        let index = register.relative.then(|| Index::Uniform(self.al()));
        let (register, missing) = self.m.source(register.gpr, index);
        self.trap_missing(clause, missing);
        register
    }

    /// The register that a fetch instruction writes, aL added; lanes without it trap.
    fn fetch_destination(&mut self, clause: &Clause, register: FetchRegister) -> Register {
        let index = register.relative.then(|| Index::Uniform(self.al()));
        let (register, missing) = self.m.destination(register.gpr, index);
        self.trap_missing(clause, missing);
        register
    }

    fn trap_missing(&mut self, clause: &Clause, missing: Option<Value>) {
        if let Some(missing) = missing {
            let lanes = self.m.b.mask_and(clause.lanes, missing);
            self.trap_lanes(TrapKind::GprOutOfRange, clause.address, clause.slot, lanes);
        }
    }

    /// Writes what the selectors of a destination take from a fetched value.
    fn write_selected(&mut self, clause: &Clause, register: Register, sel: [Select; 4], value: [Value; 4], one: u32) {
        for (channel, sel) in sel.into_iter().enumerate() {
            let value = match (sel.channel(), sel) {
                (Some(from), _) => value[from as usize],
                (None, Select::Mask) => continue,
                (None, Select::One) => self.m.b.constant(one),
                (None, _) => self.m.b.constant(0),
            };
            self.m.write(register, channel, value, Some(clause.lanes));
        }
    }

    fn vertex_fetch(&mut self, clause: &Clause, vtx: &Vtx) -> Walked<()> {
        let source = self.fetch_source(clause, vtx.src);
        let index = self.m.read(source, vtx.src_sel as usize);
        let index = match vtx.fetch_type {
            FetchType::VertexData => {
                let base = self.m.launch_entry(3);
                self.m.b.iadd(index, base)
            }
            FetchType::InstanceData => {
                let base = self.m.launch_entry(4);
                self.m.b.iadd(index, base)
            }
            FetchType::NoIndexOffset | FetchType::Reserved3 => index,
        };
        let destination = if vtx.semantic {
            let Some(address) = self.m.specialisation.semantics.iter().position(|&id| id == vtx.semantic_id()) else {
                return Ok(());
            };
            let (register, missing) = self.m.destination((address + 1).try_into().unwrap_or(u8::MAX), None);
            self.trap_missing(clause, missing);
            register
        } else {
            self.fetch_destination(clause, vtx.dst)
        };
        let alternate = vtx.alt_const;
        let layout = self.m.specialisation.bindings[usize::from(alternate)].buffers.get(&vtx.buffer_id).copied();
        let BufferLayout { is_short, tail, beyond, stride, format, endian_swap } = layout.unwrap_or_default();
        let (format, endian_swap) = match vtx.use_const_fields {
            true => (format, endian_swap),
            false => (vtx.format, vtx.endian_swap),
        };
        let bytes = match element_bytes(&format) {
            Ok(bytes) => bytes as u32,
            Err(kind) => {
                self.trap_lanes(kind, clause.address, clause.slot, clause.lanes);
                return Ok(());
            }
        };
        let Some(there) = self.m.buffer_length(alternate, vtx.buffer_id) else {
            let value = Words::zero(&mut self.m).0;
            self.write_selected(clause, destination, vtx.dst_sel, value, one(&format));
            return Ok(());
        };
        let length = match beyond {
            0 => there,
            _ => {
                let beyond = self.m.b.constant(beyond);
                self.m.b.iadd(there, beyond)
            }
        };
        let stride = self.m.b.constant(if vtx.const_buf_no_stride { 0 } else { stride });
        let (low, high) = (self.m.b.imul(index, stride), self.m.b.umul_high(index, stride));
        let offset = self.m.b.constant(vtx.offset.into());
        let start = self.m.b.iadd(low, offset);
        // Inside: no carry in the sum, no high word of the product, and the last byte is there.
        let (zero, element) = (self.m.b.constant(0), self.m.b.constant(bytes.max(tail.saturating_add(1))));
        let last = self.m.b.isub(length, element);
        let fits = self.m.b.icmp(IntTest::Eq, high, zero);
        let no_carry = self.m.b.icmp(IntTest::Uge, start, low);
        let has_one = self.m.b.icmp(IntTest::Uge, length, element);
        let ends = self.m.b.icmp(IntTest::Ule, start, last);
        let inside = self.m.b.mask_and(fits, no_carry);
        let inside = self.m.b.mask_and(inside, has_one);
        let inside = self.m.b.mask_and(inside, ends);
        let lanes = self.m.b.mask_and(clause.lanes, inside);
        let buffer = self.m.buffer(BufferBinding::Fetch { alternate, number: vtx.buffer_id });
        let extent = Extent { length: (!is_short).then_some(there), is_exceeded: beyond != 0 };
        let mut words = Words::load(&mut self.m, buffer, start, bytes, extent, lanes)?;
        words.swap(&mut self.m, endian_swap, bytes);
        let value = words.channels(&mut self.m, &format);
        let value = value.map(|value| self.m.b.select(inside, value, zero));
        self.write_selected(clause, destination, vtx.dst_sel, value, one(&format));
        Ok(())
    }

    /// Reads of scratch, reduction and scatter memory: elements one after the other into registers one after the other.
    fn memory_read(&mut self, clause: &Clause, read: &MemRead) {
        let dwords = u32::from(read.elem_size) + 1;
        let zero = self.m.b.constant(0);
        let (index, inside) = match read.indexed {
            true => {
                let source = self.fetch_source(clause, read.src);
                let index = self.m.read(source, read.src_sel_x as usize);
                let size = self.m.b.constant(read.array_size.into());
                (index, Some(self.m.b.icmp(IntTest::Ule, index, size)))
            }
            false => (zero, None),
        };
        let bytes = match element_bytes(&read.format) {
            Ok(bytes) => bytes,
            Err(kind) => {
                self.trap_lanes(kind, clause.address, clause.slot, clause.lanes);
                return;
            }
        };
        let lanes = match inside {
            Some(inside) => self.m.b.mask_and(clause.lanes, inside),
            None => clause.lanes,
        };
        let mut writes = Vec::new();
        for k in 0..=u32::from(read.burst_count) {
            let base = u32::from(read.array_base);
            // Scatter memory has an address where the others have the number of an element.
            let (first, scale) = match read.op {
                MemOp::RdScatter => (base + k * dwords, 1),
                MemOp::RdScratch
                | MemOp::RdReduc
                | MemOp::Reserved3
                | MemOp::LocalDsWrite
                | MemOp::LocalDsRead
                | MemOp::DsGlobalWrite
                | MemOp::DsGlobalRead => ((base + k) * dwords, dwords),
            };
            let (first, scale) = (self.m.b.constant(first), self.m.b.constant(scale));
            let offset = self.m.b.imul(index, scale);
            let dword = self.m.b.iadd(first, offset);
            let mut words = Words::zero(&mut self.m);
            for at in 0..bytes.div_ceil(4) {
                let at_constant = self.m.b.constant(at as u32);
                let dword = self.m.b.iadd(dword, at_constant);
                words.0[at] = self.memory_dword(read.op, dword, lanes);
            }
            words.swap(&mut self.m, read.endian_swap, bytes as u32);
            let mut value = words.channels(&mut self.m, &read.format);
            if let Some(inside) = inside {
                value = value.map(|value| self.m.b.select(inside, value, zero));
            }
            let destination = self.fetch_destination(clause, read.dst);
            let (register, missing) = self.m.register_after(destination, k as u8);
            self.trap_missing(clause, missing);
            writes.push((register, value));
        }
        for (register, value) in writes {
            self.write_selected(clause, register, read.dst_sel, value, one(&read.format));
        }
    }

    fn memory_dword(&mut self, op: MemOp, dword: Value, lanes: Value) -> Value {
        let binding = match op {
            MemOp::RdScratch => return self.m.scratch_dword(dword),
            MemOp::RdReduc => BufferBinding::Reduction,
            MemOp::RdScatter
            | MemOp::Reserved3
            | MemOp::LocalDsWrite
            | MemOp::LocalDsRead
            | MemOp::DsGlobalWrite
            | MemOp::DsGlobalRead => BufferBinding::Export,
        };
        self.m.shared_dword(binding, dword, lanes)
    }

    fn texture_instruction(&mut self, clause: &Clause, tex: &Tex, gradients: &mut [[Value; 4]; 2]) {
        let fields = &tex.fields;
        let source = self.fetch_source(clause, fields.src);
        let coordinates: [Value; 4] = fields.src_sel.map(|sel| match (sel.channel(), sel) {
            (Some(channel), _) => self.m.read(source, channel as usize),
            (None, Select::One) => self.m.b.constant(ONE),
            (None, _) => self.m.b.constant(0),
        });
        let bindings = &self.m.specialisation.bindings[usize::from(fields.alt_const)];
        let texture = bindings.textures.get(&fields.resource_id);
        let of_texels = if texture.is_some_and(|texture| texture.numbers == TexelNumbers::Integer) { 1 } else { ONE };
        let sampler = bindings.samplers.get(&fields.sampler_id).copied().unwrap_or_default();
        let quad = self.m.specialisation.takes_derivatives.then_some(Change::Quad);
        let request = |change| Request { fields, coordinates, change, sampler, lanes: clause.lanes };
        let (value, one) = match tex.op.texture_class() {
            class @ (TextureClass::SetGradientsH | TextureClass::SetGradientsV) => {
                let set = &mut gradients[usize::from(class == TextureClass::SetGradientsV)];
                for (set, value) in set.iter_mut().zip(coordinates) {
                    *set = self.m.b.select(clause.lanes, value, *set);
                }
                return;
            }
            TextureClass::SetCubeIndex => return,
            TextureClass::Gather => (self.m.gather(&request(None)), of_texels),
            TextureClass::GradientsH => (self.across(coordinates), ONE),
            TextureClass::GradientsV => (self.down(coordinates), ONE),
            TextureClass::Load => (self.m.load_texel(&request(None)), of_texels),
            TextureClass::Info => (self.m.texture_info(&request(None)), 1),
            TextureClass::Samples => (self.m.texture_samples(&request(None)), 1),
            TextureClass::LevelOfDetail => (self.m.level_query(&request(quad)), ONE),
            TextureClass::Sample(op) => {
                let change = match op.level {
                    LevelSource::Detail | LevelSource::Biased => quad,
                    LevelSource::Gradients | LevelSource::BiasedGradients => Some(Change::Given(*gradients)),
                    LevelSource::Given | LevelSource::Zero => None,
                };
                (self.m.sample(op, &request(change)), of_texels)
            }
            TextureClass::Unsupported => {
                let kind = TrapKind::Unsupported(tex.op.name());
                self.trap_lanes(kind, clause.address, clause.slot, clause.lanes);
                return;
            }
        };
        let destination = self.fetch_destination(clause, fields.dst);
        self.write_selected(clause, destination, fields.dst_sel, value, one);
    }

    /// What coordinates have more on the right of the quad than on the left, in the row of each lane.
    fn across(&mut self, coordinates: [Value; 4]) -> [Value; 4] {
        self.differences(coordinates, [0, 0, 2, 2], [1, 1, 3, 3])
    }

    /// What coordinates have more at the bottom of the quad than at the top, in the column of each lane.
    fn down(&mut self, coordinates: [Value; 4]) -> [Value; 4] {
        self.differences(coordinates, [0, 1, 0, 1], [2, 3, 2, 3])
    }

    /// What coordinates have in these lanes of the quad more than in those.
    fn differences(&mut self, coordinates: [Value; 4], from: [u8; 4], to: [u8; 4]) -> [Value; 4] {
        coordinates.map(|coordinate| {
            let [from, to] = [from, to].map(|lanes| self.m.b.quad(QuadOrder(lanes), coordinate));
            self.m.sub_floats(to, from)
        })
    }
}
