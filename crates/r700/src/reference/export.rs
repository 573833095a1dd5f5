//! Exports, memory writes, and what geometry shaders emit (Mesa `r600_shader.c`; decaf-emu's export units).

use super::machine::{BoundItems, BoundJob, load_dword, store_dword};
use super::wavefront::Wave;
use crate::cf::{CfExport, CfExportOp, ExportBuffer, ExportSwizzle, ExportVariant};
use crate::codes::Select;
use crate::job::TrapKind;
use crate::target::ExportTarget;
use ctm_follow::{MemoryAccess, ValueKind, note};
use ctm_memory::{Buffer, View};

const ONE: u32 = 0x3F80_0000;
/// Dwords from one register of a burst to the next.
const BURST_DWORDS: i64 = 4;

impl Wave<'_, '_> {
    /// Executes an export or memory write for the pixels that pass its test.
    pub(super) fn export(&mut self, export: &CfExport, passing: &[bool]) -> Result<(), TrapKind> {
        let relative = export.fields.relative.then(|| self.state.control.al());
        for pixel in self.state.control.pixels().filter(|&pixel| passing[pixel]) {
            for k in 0..export.registers() {
                let first = self.state.registers.source(export.fields.gpr, relative)?;
                let register = self.state.registers.following(first, k as usize)?;
                match &export.variant {
                    ExportVariant::Swizzle(swizzle) => self.export_vector(export, swizzle, pixel, register, k)?,
                    ExportVariant::Buffer(buffer) => self.access_memory(export, buffer, pixel, register, k)?,
                }
            }
        }
        Ok(())
    }

    fn export_vector(
        &mut self,
        export: &CfExport,
        swizzle: &ExportSwizzle,
        pixel: usize,
        register: usize,
        k: u32,
    ) -> Result<(), TrapKind> {
        let gpr = self.state.registers.gpr(pixel, register);
        let values = swizzle.sel.map(|sel| match (sel.channel(), sel) {
            (Some(channel), _) => Some(gpr[channel as usize]),
            (None, Select::Mask) => None,
            (None, Select::One) => Some(ONE),
            (None, _) => Some(0),
        });
        let machine = self.machine;
        let target = ExportTarget::new(export.export_type(), export.fields.array_base + k as u16)
            .map_err(TrapKind::Unsupported)?;
        let is_dropped =
            matches!(target, ExportTarget::Colour(_) | ExportTarget::Depth) && !self.state.control.valid[pixel];
        note(self.follow, pixel, || {
            let written = ['x', 'y', 'z', 'w'].into_iter().zip(values).filter(|(_, value)| value.is_some());
            let channels: String = written.map(|(channel, _)| channel).collect();
            let dropped = if is_dropped { " in vain, as the pixel is not valid" } else { "" };
            let place = format!("{target}.{channels}{dropped}");
            MemoryAccess::write(place, ValueKind::Word, values.into_iter().flatten().collect::<Vec<_>>())
        });
        match target {
            ExportTarget::Colour(colour) => {
                self.export_pixel(&machine.colours[colour], pixel, values);
                self.export_channels(&machine.colour_channels[colour], pixel, values);
            }
            ExportTarget::Depth => self.export_pixel(&machine.depth, pixel, values),
            ExportTarget::Position(position) => self.export_vertex(&machine.positions[position], pixel, values),
            ExportTarget::Parameter(parameter) => self.export_vertex(&machine.parameters[parameter], pixel, values),
        }
        Ok(())
    }

    /// Writes channels at a pixel's place. Those of invalid pixels are dropped.
    fn export_pixel(&self, target: &Option<View>, pixel: usize, values: [Option<u32>; 4]) {
        if let Some(surface) = target.as_ref().filter(|_| self.state.control.valid[pixel]) {
            let lane = self.state.lanes[pixel];
            let mask = values.iter().rev().fold(0, |mask, value| mask << 1 | u8::from(value.is_some()));
            surface.store(lane.i.into(), lane.j.into(), values.map(Option::unwrap_or_default), mask);
        }
    }

    /// Writes channels at a pixel's place, each to its own surface.
    fn export_channels(&self, target: &Option<[View; 4]>, pixel: usize, values: [Option<u32>; 4]) {
        let Some(surfaces) = target.as_ref().filter(|_| self.state.control.valid[pixel]) else { return };
        let lane = self.state.lanes[pixel];
        for (surface, value) in surfaces.iter().zip(values) {
            if let Some(value) = value {
                surface.store(lane.i.into(), lane.j.into(), [value, 0, 0, 0], 1);
            }
        }
    }

    /// Writes channels of a vertex's vector.
    fn export_vertex(&self, target: &Option<Buffer>, vertex: usize, values: [Option<u32>; 4]) {
        if let Some(buffer) = target {
            let lane = self.state.lanes[vertex];
            BoundJob::store_vector(buffer, self.machine.job.lane_number(lane.i, lane.j), values);
        }
    }

    fn access_memory(
        &mut self,
        export: &CfExport,
        buffer: &ExportBuffer,
        pixel: usize,
        register: usize,
        k: u32,
    ) -> Result<(), TrapKind> {
        let fields = &export.fields;
        let kind = export.memory_type();
        let index = match kind.is_indexed() {
            true => i64::from(self.state.registers.gpr(pixel, fields.index_gpr.into())[0].cast_signed()),
            false => 0,
        };
        let inside = !kind.is_indexed() || (0..=i64::from(buffer.array_size)).contains(&index);
        let (base, k) = (i64::from(fields.array_base), i64::from(k));
        let element = (base + index + k) * 4;
        let dword = base + index * (i64::from(fields.elem_size) + 1) + k * BURST_DWORDS;
        if kind.is_read(self.info().family) {
            return self.read_memory(export, buffer, pixel, register, inside.then_some(element));
        }
        let values = self.state.registers.gpr(pixel, register);
        let written = (0..4).filter(|channel| inside && buffer.comp_mask >> channel & 1 != 0);
        for channel in written {
            let (value, offset) = (values[channel], channel as i64);
            note(self.follow, pixel, || {
                let base = match export.op {
                    CfExportOp::MemScratch | CfExportOp::MemReduction => element,
                    CfExportOp::MemStream0
                    | CfExportOp::MemStream1
                    | CfExportOp::MemStream2
                    | CfExportOp::MemStream3
                    | CfExportOp::MemRing
                    | CfExportOp::Export
                    | CfExportOp::ExportDone
                    | CfExportOp::MemExport => dword,
                };
                MemoryAccess::write(format!("{} dword {}", export.op.name(), base + offset), ValueKind::Word, [value])
            });
            match export.op {
                CfExportOp::MemScratch => {
                    if let Some(place) = self.scratch_place(pixel, element + offset) {
                        self.state.scratch[place] = value;
                    }
                }
                CfExportOp::MemReduction => {
                    if let Some(reduction) = &self.machine.reduction {
                        store_dword(reduction, element + offset, value);
                    }
                }
                CfExportOp::MemExport => {
                    if let Some(export) = &self.machine.export {
                        store_dword(export, dword + offset, value);
                    }
                }
                CfExportOp::MemRing => self.store_item(&self.machine.ring, pixel, dword + offset, value),
                CfExportOp::MemStream0 => self.store_item(&self.machine.streams[0], pixel, dword + offset, value),
                CfExportOp::MemStream1 => self.store_item(&self.machine.streams[1], pixel, dword + offset, value),
                CfExportOp::MemStream2 => self.store_item(&self.machine.streams[2], pixel, dword + offset, value),
                CfExportOp::MemStream3 => self.store_item(&self.machine.streams[3], pixel, dword + offset, value),
                CfExportOp::Export | CfExportOp::ExportDone => {}
            }
        }
        Ok(())
    }

    /// The acknowledged forms, which on R600 read. What is outside reads 0.
    fn read_memory(
        &mut self,
        export: &CfExport,
        buffer: &ExportBuffer,
        pixel: usize,
        register: usize,
        element: Option<i64>,
    ) -> Result<(), TrapKind> {
        let mut values = [0; 4];
        for (channel, value) in values.iter_mut().enumerate() {
            let dword = element.map(|element| element + channel as i64);
            *value = match (export.op, dword) {
                (CfExportOp::MemScratch, Some(dword)) => self.scratch_dword(pixel, dword),
                (CfExportOp::MemReduction, Some(dword)) => {
                    self.machine.reduction.as_ref().map_or(0, |buffer| load_dword(buffer, dword))
                }
                (CfExportOp::MemScratch | CfExportOp::MemReduction, None) => 0,
                _ => return Err(TrapKind::Unsupported("a read of this memory")),
            };
        }
        let gpr = self.state.registers.gpr_mut(pixel, register);
        for channel in (0..4).filter(|channel| buffer.comp_mask >> channel & 1 != 0) {
            gpr[channel] = values[channel];
        }
        Ok(())
    }

    fn store_item(&self, items: &Option<BoundItems>, pixel: usize, dword: i64, value: u32) {
        if let Some(items) = items {
            let lane = self.state.lanes[pixel];
            items.store(self.machine.job.lane_number(lane.i, lane.j), dword, value);
        }
    }

    /// Where a dword of a lane's scratch memory is, if it is anywhere.
    fn scratch_place(&self, pixel: usize, dword: i64) -> Option<usize> {
        let dwords = self.machine.job.memories.scratch_elements as usize * 4;
        usize::try_from(dword).ok().filter(|&dword| dword < dwords).map(|dword| pixel * dwords + dword)
    }

    /// A dword of a lane's scratch memory; 0 outside.
    pub(super) fn scratch_dword(&self, pixel: usize, dword: i64) -> u32 {
        self.scratch_place(pixel, dword).map_or(0, |place| self.state.scratch[place])
    }

    /// Notes which lanes are valid at the end of the program, if somebody asks.
    pub(super) fn note_valid(&self) {
        let Some(valid) = &self.machine.valid else { return };
        for pixel in self.state.control.pixels().filter(|&pixel| self.state.control.valid[pixel]) {
            let lane = self.state.lanes[pixel];
            store_dword(valid, self.machine.job.lane_number(lane.i, lane.j).into(), 1);
        }
    }

    /// Appends [events](crate::STRIP_VERTEX) to the strips of the pixels that pass.
    pub(super) fn note_strip_events(&self, events: &[u32], passing: &[bool]) {
        let Some(strips) = &self.machine.strips else { return };
        for pixel in self.state.control.pixels().filter(|&pixel| passing[pixel]) {
            let lane = self.state.lanes[pixel];
            let number = self.machine.job.lane_number(lane.i, lane.j);
            for &event in events {
                strips.append(number, event);
            }
        }
    }
}
