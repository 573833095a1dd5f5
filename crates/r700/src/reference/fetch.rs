//! Fetch clauses: vertex and memory fetches, and what texture instructions do without a texture (R700 guide chapters 5
//! and 6).

use super::element::{MAX_ELEMENT, channels, element_bytes, one, swap};
use super::level::Change;
use super::machine::load_dword;
use super::sample::{self, Request};
use super::view::in_clause;
use super::wavefront::Wave;
use crate::cf::CfPlain;
use crate::codes::{FetchType, LevelSource, MemOp, Select, TextureClass};
use crate::fetch::{Fetch, FetchRegister, MemRead, Tex, Vtx};
use crate::job::TrapKind;
use crate::resource::TexelNumbers;
use ctm_follow::{MemoryAccess, StepPart, ValueKind, note};
use ctm_lane::domain::QUAD;
use ctm_num::r700 as num;

const ONE: u32 = 0x3F80_0000;

/// A register and what goes to its channels.
type Write = (usize, [Option<u32>; 4]);

/// What the selectors of a destination take from a fetched value.
fn select(sel: [Select; 4], value: [u32; 4], one: u32) -> [Option<u32>; 4] {
    sel.map(|sel| match (sel.channel(), sel) {
        (Some(channel), _) => Some(value[channel as usize]),
        (None, Select::Mask) => None,
        (None, Select::One) => Some(one),
        (None, _) => Some(0),
    })
}

impl Wave<'_, '_> {
    /// Executes an instruction of the clause, by its number, for the pixels that pass the test of its instruction. Says whether it is the last one.
    pub(super) fn step_fetch_clause(
        &mut self,
        cf: &CfPlain,
        passing: &[bool],
        number: usize,
    ) -> Result<bool, TrapKind> {
        let instructions = self.fetch_instructions(cf)?;
        let Some(fetch) = instructions.get(number) else { return Ok(true) };
        if number == 0 {
            self.state.gradients.fill([[0; 4]; 2]);
        }
        let executing = self.fetching(fetch, passing);
        let at = cf.fields.addr + 2 * number as u32;
        self.begin_slot(at, &executing)?;
        self.tell_before((at, StepPart::Clause), false, &executing, None, |_, _| String::new());
        let done = self.run_fetch(fetch, &executing);
        self.report_after(|| in_clause(&done), None);
        done?;
        Ok(number + 1 >= instructions.len())
    }

    /// The pixels that execute a fetch instruction, of those that pass the test of its clause's.
    pub(super) fn fetching(&self, fetch: &Fetch, passing: &[bool]) -> Vec<bool> {
        match fetch.whole_quad() {
            false => passing.to_vec(),
            // Invalid pixels of a quad get data, too; others that do not pass keep their registers.
            true => self.state.control.pixels().map(|pixel| passing[pixel] || self.helps(pixel, passing)).collect(),
        }
    }

    /// Executes a fetch instruction for the pixels that run it.
    fn run_fetch(&mut self, fetch: &Fetch, executing: &[bool]) -> Result<(), TrapKind> {
        let mut writes: Vec<(usize, Write)> = Vec::new();
        for pixel in self.state.control.pixels().filter(|&pixel| executing[pixel]) {
            writes.extend(self.fetch(fetch, pixel)?.into_iter().map(|write| (pixel, write)));
        }
        for (pixel, (register, values)) in writes {
            let gpr = self.state.registers.gpr_mut(pixel, register);
            for (channel, value) in gpr.iter_mut().zip(values) {
                *channel = value.unwrap_or(*channel);
            }
        }
        Ok(())
    }

    /// True for an invalid pixel with a neighbour in its quad that executes.
    fn helps(&self, pixel: usize, passing: &[bool]) -> bool {
        !self.state.control.valid[pixel] && self.state.control.quad(pixel).any(|neighbour| passing[neighbour])
    }

    fn fetch(&mut self, fetch: &Fetch, pixel: usize) -> Result<Vec<Write>, TrapKind> {
        match fetch {
            Fetch::Vtx(vtx) => self.vertex_fetch(vtx, pixel),
            Fetch::Tex(tex) => self.texture_instruction(tex, pixel),
            Fetch::Mem(read) => self.memory_read(read, pixel),
            Fetch::MemRaw(op, _) => Err(TrapKind::Unsupported(op.name())),
        }
    }

    /// The register that a fetch instruction reads, aL added.
    fn source(&self, register: FetchRegister) -> Result<usize, TrapKind> {
        self.state.registers.source(register.gpr, register.relative.then(|| self.state.control.al()))
    }

    /// The register that a fetch instruction writes, aL added.
    fn destination(&self, register: FetchRegister) -> Result<usize, TrapKind> {
        self.state.registers.destination(register.gpr, register.relative.then(|| self.state.control.al()))
    }

    fn vertex_fetch(&mut self, vtx: &Vtx, pixel: usize) -> Result<Vec<Write>, TrapKind> {
        let job = self.machine.job;
        let base = match vtx.fetch_type {
            FetchType::VertexData => job.base_vertex,
            FetchType::InstanceData => job.start_instance,
            FetchType::NoIndexOffset | FetchType::Reserved3 => 0,
        };
        let index = self.state.registers.gpr(pixel, self.source(vtx.src)?)[vtx.src_sel as usize].wrapping_add(base);
        let destination = if vtx.semantic {
            let Some(place) = job.semantics.iter().position(|&id| id == vtx.semantic_id()) else {
                return Ok(Vec::new());
            };
            self.state.registers.destination((place + 1).try_into().unwrap_or(u8::MAX), None)?
        } else {
            self.destination(vtx.dst)?
        };
        let buffer = self.machine.bindings(vtx.alt_const).source.buffers.get(&vtx.buffer_id);
        let buffer = buffer.copied().unwrap_or_default();
        let (format, endian_swap) = match vtx.use_const_fields {
            true => (buffer.format, buffer.endian_swap),
            false => (vtx.format, vtx.endian_swap),
        };
        let bytes = element_bytes(&format)?;
        let stride = if vtx.const_buf_no_stride { 0 } else { u64::from(buffer.stride) };
        let start = u64::from(vtx.offset) + u64::from(index) * stride;
        let mut element = [0; MAX_ELEMENT];
        let mut value = [0; 4];
        if buffer.last_start(bytes as u32).is_some_and(|last| start <= last.into()) {
            let address = buffer.region.base.wrapping_add(start as u32);
            let there = u64::from(buffer.region.length).saturating_sub(start).min(bytes as u64) as usize;
            if there == 0 || job.memory.read_bytes(address, &mut element[..there]).is_ok() {
                swap(endian_swap, &mut element[..bytes]);
                value = channels(&format, &element);
            }
        }
        let place = || format!("buffer {} element {index} (byte {start})", vtx.buffer_id);
        note(self.follow, pixel, || MemoryAccess::read(place(), ValueKind::Word, value));
        Ok(vec![(destination, select(vtx.dst_sel, value, one(&format)))])
    }

    /// Reads of scratch, reduction and scatter memory: elements one after the other into registers one after the other.
    fn memory_read(&mut self, read: &MemRead, pixel: usize) -> Result<Vec<Write>, TrapKind> {
        let dwords = i64::from(read.elem_size) + 1;
        let index = match read.indexed {
            true => i64::from(self.state.registers.gpr(pixel, self.source(read.src)?)[read.src_sel_x as usize]),
            false => 0,
        };
        let inside = index <= i64::from(read.array_size) || !read.indexed;
        let bytes = element_bytes(&read.format)?;
        let mut writes = Vec::new();
        for k in 0..=i64::from(read.burst_count) {
            let element = i64::from(read.array_base) + index;
            let dword = match read.op {
                // Scatter memory has an address where the others have the number of an element.
                MemOp::RdScatter => element + k * dwords,
                MemOp::RdScratch
                | MemOp::RdReduc
                | MemOp::Reserved3
                | MemOp::LocalDsWrite
                | MemOp::LocalDsRead
                | MemOp::DsGlobalWrite
                | MemOp::DsGlobalRead => (element + k) * dwords,
            };
            let mut value = [0; 4];
            if inside {
                let mut element = [0; MAX_ELEMENT];
                for (k, word) in element.chunks_exact_mut(4).enumerate().take(bytes.div_ceil(4)) {
                    word.copy_from_slice(&self.memory_dword(read.op, pixel, dword + k as i64).to_le_bytes());
                }
                swap(read.endian_swap, &mut element[..bytes]);
                value = channels(&read.format, &element);
            }
            let place = || format!("{} dword {dword}", memory_name(read.op));
            note(self.follow, pixel, || MemoryAccess::read(place(), ValueKind::Word, value));
            let dst = self.destination(read.dst)?;
            let register = self.state.registers.following(dst, k as usize)?;
            writes.push((register, select(read.dst_sel, value, one(&read.format))));
        }
        Ok(writes)
    }

    fn memory_dword(&self, op: MemOp, pixel: usize, dword: i64) -> u32 {
        let buffer = match op {
            MemOp::RdScratch => return self.scratch_dword(pixel, dword),
            MemOp::RdReduc => &self.machine.reduction,
            MemOp::RdScatter
            | MemOp::Reserved3
            | MemOp::LocalDsWrite
            | MemOp::LocalDsRead
            | MemOp::DsGlobalWrite
            | MemOp::DsGlobalRead => &self.machine.export,
        };
        buffer.as_ref().map_or(0, |buffer| load_dword(buffer, dword))
    }

    fn texture_instruction(&mut self, tex: &Tex, pixel: usize) -> Result<Vec<Write>, TrapKind> {
        let fields = &tex.fields;
        let source = self.source(fields.src)?;
        let coordinates = |pixel: usize| -> [u32; 4] {
            let gpr = self.state.registers.gpr(pixel, source);
            fields.src_sel.map(|sel| match (sel.channel(), sel) {
                (Some(channel), _) => gpr[channel as usize],
                (None, Select::One) => ONE,
                (None, _) => 0,
            })
        };
        let difference = |from: usize, to: usize| -> [u32; 4] {
            let (from, to) = (coordinates(from), coordinates(to));
            std::array::from_fn(|channel| num::sub(to[channel], from[channel]))
        };
        let first = pixel / QUAD * QUAD;
        let across = || {
            let left = first + (pixel % QUAD) / 2 * 2;
            difference(left, left + 1)
        };
        let down = || {
            let top = first + pixel % 2;
            difference(top, top + 2)
        };
        let bindings = self.machine.bindings(fields.alt_const);
        let texture = bindings.texture(fields.resource_id);
        let sampler = bindings.source.samplers.get(&fields.sampler_id).copied().unwrap_or_default();
        let class = tex.op.texture_class();
        let quad = || {
            let takes = self.machine.job.takes_derivatives();
            takes.then(|| Change::Quad([0, 1, 2].map(|lane| coordinates(first + lane))))
        };
        let request = || {
            let change = match class {
                TextureClass::LevelOfDetail => quad(),
                TextureClass::Sample(op) => match op.level {
                    LevelSource::Detail | LevelSource::Biased => quad(),
                    LevelSource::Gradients | LevelSource::BiasedGradients => {
                        Some(Change::Given(self.state.gradients[pixel]))
                    }
                    LevelSource::Given | LevelSource::Zero => None,
                },
                TextureClass::Load
                | TextureClass::Info
                | TextureClass::Samples
                | TextureClass::GradientsH
                | TextureClass::GradientsV
                | TextureClass::SetGradientsH
                | TextureClass::SetGradientsV
                | TextureClass::Gather
                | TextureClass::SetCubeIndex
                | TextureClass::Unsupported => None,
            };
            Request { fields, coordinates: coordinates(pixel), change, sampler: &sampler }
        };
        let one = if texture.is_some_and(|texture| texture.texture.numbers == TexelNumbers::Integer) { 1 } else { ONE };
        let (value, one, reads) = match class {
            TextureClass::SetGradientsH | TextureClass::SetGradientsV => {
                let (value, axis) = (coordinates(pixel), usize::from(class == TextureClass::SetGradientsV));
                self.state.gradients[pixel][axis] = value;
                return Ok(Vec::new());
            }
            TextureClass::SetCubeIndex => return Ok(Vec::new()),
            TextureClass::GradientsH => (across(), ONE, false),
            TextureClass::GradientsV => (down(), ONE, false),
            TextureClass::Load => (sample::execute_load(&request(), texture), one, true),
            TextureClass::Info => (sample::execute_info(&request(), texture), 1, true),
            TextureClass::Samples => (sample::execute_samples(texture), 1, true),
            TextureClass::LevelOfDetail => (sample::execute_level(&request(), texture), ONE, true),
            TextureClass::Sample(op) => (sample::execute_sample(op, &request(), texture), one, true),
            TextureClass::Gather => (sample::execute_gather(&request(), texture), one, true),
            TextureClass::Unsupported => return Err(TrapKind::Unsupported(tex.op.name())),
        };
        if reads {
            let coordinates = coordinates(pixel);
            let place = || format!("texture {}", fields.resource_id);
            note(self.follow, pixel, || MemoryAccess::read(place(), ValueKind::Word, value).at(coordinates));
        }
        Ok(vec![(self.destination(fields.dst)?, select(fields.dst_sel, value, one))])
    }
}

fn memory_name(op: MemOp) -> &'static str {
    match op {
        MemOp::RdScratch => "scratch",
        MemOp::RdReduc => "reduction",
        MemOp::RdScatter
        | MemOp::Reserved3
        | MemOp::LocalDsWrite
        | MemOp::LocalDsRead
        | MemOp::DsGlobalWrite
        | MemOp::DsGlobalRead => "export memory",
    }
}

impl Fetch {
    /// FETCH_WHOLE_QUAD.
    pub(crate) const fn whole_quad(&self) -> bool {
        match self {
            Fetch::Vtx(vtx) => vtx.whole_quad,
            Fetch::Tex(tex) => tex.fields.whole_quad,
            Fetch::Mem(read) => read.whole_quad,
            Fetch::MemRaw(..) => false,
        }
    }
}
