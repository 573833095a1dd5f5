//! Exports, memory writes, and what geometry shaders emit.

use super::Walked;
use super::control::Walk;
use super::machine::{Index, LiftState, Register};
use super::specialisation::{BufferBinding, SurfaceBinding};
use crate::cf::{CfExport, CfExportOp, ExportBuffer, ExportSwizzle, ExportVariant};
use crate::codes::Select;
use crate::job::TrapKind;
use crate::target::ExportTarget;
use ctm_lane::{Buffer, Channels, IntTest, Value};

const ONE: u32 = 0x3F80_0000;
/// Dwords from one register of a burst to the next, and of an exported vector.
const VECTOR_DWORDS: u32 = 4;
/// Dwords that byte addresses of 32 bits reach.
const DWORDS: u32 = 1 << 30;

impl Walk<'_> {
    /// An export or memory write of the pixels that pass.
    pub(super) fn export(&mut self, export: &CfExport, passing: Value) -> Walked<()> {
        let address = self.here.address;
        let index = export.fields.relative.then(|| Index::Uniform(self.al()));
        let (first, missing) = self.m.source(export.fields.gpr, index);
        for k in 0..export.registers() {
            let (register, missing_here) = self.m.register_after(first, k as u8);
            for missing in missing.into_iter().chain(missing_here) {
                let lanes = self.m.b.mask_and(passing, missing);
                self.trap_cf(TrapKind::GprOutOfRange, address, lanes);
            }
            let done = match &export.variant {
                ExportVariant::Swizzle(swizzle) => self.m.export_vector(export, swizzle, passing, register, k),
                ExportVariant::Buffer(buffer) => self.m.access_memory(export, buffer, passing, register, k),
            };
            if let Err(kind) = done {
                self.trap_cf(kind, address, passing);
            }
        }
        Ok(())
    }
}

impl LiftState<'_> {
    fn export_vector(
        &mut self,
        export: &CfExport,
        swizzle: &ExportSwizzle,
        passing: Value,
        register: Register,
        k: u32,
    ) -> Result<(), TrapKind> {
        let values = swizzle.sel.map(|sel| match (sel.channel(), sel) {
            (Some(channel), _) => Some(self.read(register, channel as usize)),
            (None, Select::Mask) => None,
            (None, Select::One) => Some(self.b.constant(ONE)),
            (None, _) => Some(self.b.constant(0)),
        });
        match ExportTarget::new(export.export_type(), export.fields.array_base + k as u16)
            .map_err(TrapKind::Unsupported)?
        {
            ExportTarget::Colour(colour) => {
                if self.specialisation.colours[colour] {
                    self.export_pixel(SurfaceBinding::Colour(colour), values, passing);
                }
                if self.specialisation.colour_channels[colour] {
                    for (channel, value) in values.into_iter().enumerate() {
                        let values = [value, None, None, None];
                        self.export_pixel(SurfaceBinding::ColourChannel(colour, channel), values, passing);
                    }
                }
            }
            ExportTarget::Depth if self.specialisation.depth => {
                self.export_pixel(SurfaceBinding::Depth, values, passing)
            }
            ExportTarget::Position(position) if self.specialisation.positions[position] => {
                self.store_vector(BufferBinding::Position(position), values, passing);
            }
            ExportTarget::Parameter(parameter) if self.specialisation.parameters[parameter] => {
                self.store_vector(BufferBinding::Parameter(parameter), values, passing);
            }
            ExportTarget::Depth | ExportTarget::Position(_) | ExportTarget::Parameter(_) => {}
        }
        Ok(())
    }

    /// Writes channels at a pixel's place. Those of invalid pixels are dropped.
    fn export_pixel(&mut self, binding: SurfaceBinding, values: [Option<Value>; 4], passing: Value) {
        let mask = values.iter().rev().fold(0, |mask, value| mask << 1 | u8::from(value.is_some()));
        if mask == 0 {
            return;
        }
        let surface = self.target(binding);
        let (x, y, zero) = (self.b.pos_x(), self.b.pos_y(), self.b.constant(0));
        let valid = self.b.get(self.valid);
        let lanes = self.b.mask_and(passing, valid);
        let [red, green, blue, alpha] = values.map(|value| value.unwrap_or(zero));
        self.b.surface_store(surface, Channels(mask), x, y, red, green, blue, alpha, lanes);
    }

    /// The end of the program: notes which lanes are valid, if somebody asks.
    pub fn end(&mut self) {
        if self.specialisation.valid {
            let valid = self.b.get(self.valid);
            let (zero, one) = (self.b.constant(0), self.b.constant(1));
            let buffer = self.buffer(BufferBinding::Valid);
            self.store_own(buffer, 1, zero, 0, one, valid);
        }
        self.b.ret();
    }

    /// Writes channels of a lane's vector in a target of vertices.
    fn store_vector(&mut self, binding: BufferBinding, values: [Option<Value>; 4], lanes: Value) {
        let buffer = self.buffer(binding);
        for (channel, value) in values.into_iter().enumerate() {
            if let Some(value) = value {
                let zero = self.b.constant(0);
                self.store_item(buffer, VECTOR_DWORDS, zero, channel as u32, value, lanes);
            }
        }
    }

    fn access_memory(
        &mut self,
        export: &CfExport,
        buffer: &ExportBuffer,
        passing: Value,
        register: Register,
        k: u32,
    ) -> Result<(), TrapKind> {
        let fields = &export.fields;
        let kind = export.memory_type();
        let zero = self.b.constant(0);
        let (index, lanes) = match kind.is_indexed() {
            true => {
                let index = self.read(Register::Fixed(fields.index_gpr), 0);
                let size = self.b.constant(buffer.array_size.into());
                let inside = self.b.icmp(IntTest::Ule, index, size);
                (index, self.b.mask_and(passing, inside))
            }
            false => (zero, passing),
        };
        let base = u32::from(fields.array_base);
        let four = self.b.constant(4);
        let (element, dword) = (
            {
                let (first, offset) = (self.b.constant((base + k) * 4), self.b.imul(index, four));
                self.b.iadd(first, offset)
            },
            {
                let scale = self.b.constant(u32::from(fields.elem_size) + 1);
                let (first, offset) = (self.b.constant(base + k * VECTOR_DWORDS), self.b.imul(index, scale));
                self.b.iadd(first, offset)
            },
        );
        let channels = (0..4).filter(|channel| buffer.comp_mask >> channel & 1 != 0);
        if kind.is_read(self.program.info.family) {
            let binding = match export.op {
                CfExportOp::MemScratch => None,
                CfExportOp::MemReduction => Some(BufferBinding::Reduction),
                CfExportOp::MemStream0
                | CfExportOp::MemStream1
                | CfExportOp::MemStream2
                | CfExportOp::MemStream3
                | CfExportOp::MemRing
                | CfExportOp::Export
                | CfExportOp::ExportDone
                | CfExportOp::MemExport => return Err(TrapKind::Unsupported("a read of this memory")),
            };
            for channel in channels {
                let offset = self.b.constant(channel);
                let dword = self.b.iadd(element, offset);
                let value = match binding {
                    None => {
                        let value = self.scratch_dword(dword);
                        self.b.select(lanes, value, zero)
                    }
                    Some(binding) => self.shared_dword(binding, dword, lanes),
                };
                self.write(register, channel as usize, value, Some(passing));
            }
            return Ok(());
        }
        let items = match export.op {
            CfExportOp::MemRing => self.specialisation.ring,
            CfExportOp::MemStream0 | CfExportOp::MemStream1 | CfExportOp::MemStream2 | CfExportOp::MemStream3 => {
                self.specialisation.streams[stream_of(export.op)]
            }
            CfExportOp::MemScratch
            | CfExportOp::MemReduction
            | CfExportOp::Export
            | CfExportOp::ExportDone
            | CfExportOp::MemExport => None,
        };
        for channel in channels {
            let value = self.read(register, channel as usize);
            match export.op {
                CfExportOp::MemScratch => self.store_scratch(element, channel, value, lanes),
                CfExportOp::MemReduction if self.specialisation.reduction => {
                    self.store_shared(BufferBinding::Reduction, element, channel, value, lanes);
                }
                CfExportOp::MemExport if self.specialisation.export => {
                    self.store_shared(BufferBinding::Export, dword, channel, value, lanes);
                }
                CfExportOp::MemRing => self.store_in(BufferBinding::Ring, items, dword, channel, value, lanes),
                CfExportOp::MemStream0 | CfExportOp::MemStream1 | CfExportOp::MemStream2 | CfExportOp::MemStream3 => {
                    let binding = BufferBinding::Stream(stream_of(export.op));
                    self.store_in(binding, items, dword, channel, value, lanes);
                }
                CfExportOp::MemReduction | CfExportOp::Export | CfExportOp::ExportDone | CfExportOp::MemExport => {}
            }
        }
        Ok(())
    }

    fn store_in(
        &mut self,
        binding: BufferBinding,
        item_dwords: Option<u32>,
        dword: Value,
        channel: u32,
        value: Value,
        lanes: Value,
    ) {
        if let Some(item_dwords) = item_dwords {
            let buffer = self.buffer(binding);
            let (offset, limit) = (self.b.constant(channel), self.b.constant(item_dwords));
            let place = self.b.iadd(dword, offset);
            let inside = self.b.icmp(IntTest::Ult, place, limit);
            let lanes = self.b.mask_and(lanes, inside);
            self.store_item(buffer, item_dwords, dword, channel, value, lanes);
        }
    }

    /// Writes dword `dword + offset` from the start of the lane's item.
    fn store_item(&mut self, buffer: Buffer, item_dwords: u32, dword: Value, offset: u32, value: Value, lanes: Value) {
        // Lanes that whole-quad mode brings in may have the number of another.
        self.writes_shared |= self.widens;
        self.store_own(buffer, item_dwords, dword, offset, value, lanes);
    }

    /// Writes a dword of a lane's item, where no two lanes have the same.
    fn store_own(&mut self, buffer: Buffer, item_dwords: u32, dword: Value, offset: u32, value: Value, lanes: Value) {
        let number = self.lane_number();
        let (first, fits) = self.item(number, item_dwords);
        let offset = self.b.constant(offset);
        let dword = self.b.iadd(dword, offset);
        let dword = self.b.iadd(first, dword);
        let lanes = self.b.mask_and(lanes, fits);
        self.store_dword(buffer, dword, value, lanes);
    }

    /// Writes a dword of a buffer; outside, nothing happens.
    fn store_dword(&mut self, buffer: Buffer, dword: Value, value: Value, lanes: Value) {
        let limit = self.b.constant(DWORDS);
        let inside = self.b.icmp(IntTest::Ult, dword, limit);
        let lanes = self.b.mask_and(lanes, inside);
        let address = self.byte(dword);
        self.b.buffer_store(buffer, address, value, lanes);
    }

    fn store_shared(&mut self, binding: BufferBinding, dword: Value, channel: u32, value: Value, lanes: Value) {
        self.writes_shared = true;
        let buffer = self.buffer(binding);
        let offset = self.b.constant(channel);
        let dword = self.b.iadd(dword, offset);
        self.store_dword(buffer, dword, value, lanes);
    }

    /// A dword of memory that all lanes share; 0 outside, or if there is none.
    pub fn shared_dword(&mut self, binding: BufferBinding, dword: Value, lanes: Value) -> Value {
        let is_set = if binding == BufferBinding::Reduction {
            self.specialisation.reduction
        } else {
            self.specialisation.export
        };
        if !is_set {
            return self.b.constant(0);
        }
        let buffer = self.buffer(binding);
        let limit = self.b.constant(DWORDS);
        let inside = self.b.icmp(IntTest::Ult, dword, limit);
        let lanes = self.b.mask_and(lanes, inside);
        let address = self.byte(dword);
        self.b.buffer_load(buffer, address, lanes)
    }

    fn store_scratch(&mut self, element: Value, channel: u32, value: Value, lanes: Value) {
        let Some(array) = self.scratch else { return };
        let offset = self.b.constant(channel);
        let dword = self.b.iadd(element, offset);
        let limit = self.b.constant(self.specialisation.scratch_elements * 4);
        let inside = self.b.icmp(IntTest::Ult, dword, limit);
        let lanes = self.b.mask_and(lanes, inside);
        self.b.array_scatter(array, dword, value, lanes);
    }

    /// A dword of a lane's scratch memory; 0 outside.
    pub fn scratch_dword(&mut self, dword: Value) -> Value {
        let zero = self.b.constant(0);
        let Some(array) = self.scratch else { return zero };
        let limit = self.b.constant(self.specialisation.scratch_elements * 4);
        let inside = self.b.icmp(IntTest::Ult, dword, limit);
        let value = self.b.array_gather(array, dword);
        self.b.select(inside, value, zero)
    }

    /// Appends [events](crate::STRIP_VERTEX) to the strips of the pixels that pass.
    pub fn note_strip_events(&mut self, events: &[u32], passing: Value) {
        let Some(item_dwords) = self.specialisation.strips else { return };
        self.writes_shared |= item_dwords == 0 || self.widens;
        let buffer = self.buffer(BufferBinding::Strips);
        for &event in events {
            let number = self.lane_number();
            let (first, fits) = self.item(number, item_dwords);
            let (one, limit, most) = (self.b.constant(1), self.b.constant(item_dwords), self.b.constant(DWORDS));
            let lanes = self.b.mask_and(passing, fits);
            let address = self.byte(first);
            let count = self.b.buffer_load(buffer, address, lanes);
            let count = self.b.iadd(count, one);
            let is_below_limit = self.b.icmp(IntTest::Ult, count, limit);
            let dword = self.b.iadd(first, count);
            let inside = self.b.icmp(IntTest::Ult, dword, most);
            let is_below_limit = self.b.mask_and(is_below_limit, inside);
            let noted = self.b.mask_and(lanes, is_below_limit);
            let place = self.byte(dword);
            let event = self.b.constant(event);
            self.b.buffer_store(buffer, place, event, noted);
            self.b.buffer_store(buffer, address, count, lanes);
        }
    }
}

/// The stream that an instruction writes.
fn stream_of(op: CfExportOp) -> usize {
    usize::from(op.code() - CfExportOp::MemStream0.code())
}
