//! What a program names by number: textures, buffers, constant buffers, export targets, scratch memory.

use crate::alu::Selector;
use crate::cf::{Cf, CfExport, CfExportOp, CfOp, ExportVariant};
use crate::codes::{Condition, Family, FetchOp, KcacheMode, MemOp};
use crate::fetch::{ElementFormat, Fetch};
use crate::outline::{ClauseKind, Outline, clause_groups, fetches};
use crate::program::{Program, SINK};
use crate::target::{ExportTarget, STREAMS};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::sync::{Arc, OnceLock};

/// Resources that instructions name, of one stage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// Texture resources.
    pub textures: BTreeSet<u8>,
    /// Samplers.
    pub samplers: BTreeSet<u8>,
    /// Fetch buffers.
    pub buffers: BTreeSet<u8>,
    /// Constant buffers.
    pub banks: BTreeSet<u8>,
    /// What is fetched from the fetch buffers, each once.
    pub elements: Vec<BufferElement>,
}

/// What of the elements of a fetch buffer an instruction fetches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BufferElement {
    /// The buffer.
    pub buffer: u8,
    /// Bytes from the start of each element.
    pub offset: u16,
    /// The format; none if the resource has it.
    pub format: Option<ElementFormat>,
    /// The index counts.
    pub indexed: bool,
}

/// What a program uses, reachable or not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// Resources of its own stage.
    pub of_stage: Named,
    /// Resources of the other stage (ALT_CONST).
    pub of_other_stage: Named,
    /// Targets of exports, in the order in which they are first named.
    pub exports: Vec<ExportTarget>,
    /// Registers from R0 to the highest that its instructions name, apart from clause temporaries and [`SINK`].
    pub registers: u8,
    /// It reads the constant file.
    pub constant_file: bool,
    /// It has loops that take their count from loop constants, or conditions on boolean constants.
    pub flow_constants: bool,
    /// Loop constants that its loops take their count from.
    pub loop_constants: BTreeSet<u8>,
    /// Elements of 16 bytes of scratch memory that its instructions can reach.
    pub scratch_elements: u32,
    /// Its instructions write reduction memory.
    pub writes_reduction: bool,
    /// Its instructions write export memory.
    pub writes_export: bool,
    /// Its instructions write the ring.
    pub writes_ring: bool,
    /// Its instructions emit vertices or cut strips.
    pub emits: bool,
    /// Whole-quad mode may bring in pixels that are not in the job.
    pub whole_quads: bool,
    /// Dwords of a lane's item of each stream that its instructions can write.
    pub streams: [BTreeSet<u32>; STREAMS],
}

impl Uses {
    /// What a program uses.
    pub fn of(program: &Program) -> Self {
        let mut uses = Uses::default();
        uses.add(program);
        uses
    }

    /// Counts registers up to this one.
    fn register(&mut self, number: u32) {
        if number < u32::from(SINK) {
            self.registers = self.registers.max(number as u8 + 1);
        }
    }

    fn named(&mut self, other_stage: bool) -> &mut Named {
        if other_stage { &mut self.of_other_stage } else { &mut self.of_stage }
    }

    fn add(&mut self, program: &Program) {
        let family = program.info.family;
        let outline = Outline::of(&program.code, family);
        for cf in &outline.cf {
            match cf {
                Cf::Alu(alu) => {
                    self.whole_quads |= alu.fields.whole_quad_mode;
                    for window in alu.fields.kcache.iter().filter(|window| window.mode != KcacheMode::Nop) {
                        self.named(alu.fields.alt_const).banks.insert(window.bank);
                    }
                }
                Cf::Export(export) => {
                    self.whole_quads |= export.fields.whole_quad_mode;
                    self.export(export, family);
                }
                Cf::Plain(plain) => {
                    let conditional = matches!(plain.fields.cond, Condition::Bool | Condition::NotBool);
                    self.whole_quads |= plain.fields.whole_quad_mode;
                    self.emits |= matches!(plain.op, CfOp::EmitVertex | CfOp::EmitCutVertex | CfOp::CutVertex);
                    self.flow_constants |= plain.op.properties().loop_constant || conditional;
                    if matches!(plain.op, CfOp::LoopStart | CfOp::LoopStartNoAl) {
                        self.loop_constants.insert(plain.fields.cf_const);
                    }
                }
                Cf::Reserved(_) => {}
            }
        }
        let mut elements = HashSet::new();
        for clause in outline.clauses.keys() {
            match clause.kind {
                ClauseKind::Alu => {
                    let groups = clause_groups(&program.code, clause, family).unwrap_or_default();
                    for slot in groups.iter().flat_map(|group| &group.slots) {
                        let named = slot.operands().filter_map(|operand| match operand.selector {
                            Selector::Gpr(number) => Some(number),
                            _ => None,
                        });
                        let written = slot.writes().then_some(slot.fields.dst.gpr);
                        named.chain(written).for_each(|number| self.register(number.into()));
                    }
                    let mut operands = groups.iter().flat_map(|group| &group.slots).flat_map(|slot| slot.operands());
                    self.constant_file |= operands.any(|operand| matches!(operand.selector, Selector::Constant(_)));
                }
                ClauseKind::Fetch => {
                    let code = clause.range(program.code.len()).map_or(&[][..], |range| &program.code[range]);
                    fetches(code).for_each(|fetch| self.fetch(&fetch, &mut elements));
                }
            }
        }
    }

    fn export(&mut self, export: &CfExport, family: Family) {
        let registers = export.registers();
        self.register(u32::from(export.fields.gpr) + registers - 1);
        match &export.variant {
            ExportVariant::Swizzle(_) => {
                let base = export.fields.array_base;
                let targets = (base..).take(registers as usize);
                for target in targets.filter_map(|number| ExportTarget::new(export.export_type(), number).ok()) {
                    if !self.exports.contains(&target) {
                        self.exports.push(target);
                    }
                }
            }
            ExportVariant::Buffer(buffer) if export.op == CfExportOp::MemScratch => {
                let index = if export.memory_type().is_indexed() { buffer.array_size.into() } else { 0 };
                self.scratch(u32::from(export.fields.array_base) + index + registers);
            }
            ExportVariant::Buffer(buffer) => {
                match export.op {
                    CfExportOp::MemReduction => self.writes_reduction |= !export.memory_type().is_read(family),
                    CfExportOp::MemExport => self.writes_export |= !export.memory_type().is_read(family),
                    CfExportOp::MemRing => self.writes_ring = true,
                    CfExportOp::MemStream0
                    | CfExportOp::MemStream1
                    | CfExportOp::MemStream2
                    | CfExportOp::MemStream3
                    | CfExportOp::MemScratch
                    | CfExportOp::Export
                    | CfExportOp::ExportDone => {}
                }
                let Some(stream) = stream_number(export.op) else { return };
                let indices = if export.memory_type().is_indexed() { buffer.array_size.into() } else { 0 };
                let scale = u32::from(export.fields.elem_size) + 1;
                for first in (0..=indices).map(|index| u32::from(export.fields.array_base) + index * scale) {
                    let channels = (0..4).filter(|channel| buffer.comp_mask >> channel & 1 != 0);
                    let vectors = (0..registers).map(|k| first + 4 * k);
                    let dwords = channels.flat_map(|channel| vectors.clone().map(move |vector| vector + channel));
                    self.streams[stream].extend(dwords);
                }
            }
        }
    }

    /// Adds what a fetch names; `elements` are the known ones of both stages.
    fn fetch(&mut self, fetch: &Fetch, elements: &mut HashSet<(bool, BufferElement)>) {
        let named = match fetch {
            Fetch::Vtx(vtx) => [Some(vtx.src), (!vtx.semantic).then_some(vtx.dst)],
            Fetch::Tex(tex) => [Some(tex.fields.src), Some(tex.fields.dst)],
            Fetch::Mem(read) => [read.indexed.then_some(read.src), Some(read.dst)],
            Fetch::MemRaw(..) => [None; 2],
        };
        named.into_iter().flatten().for_each(|register| self.register(register.gpr.into()));
        match fetch {
            Fetch::Vtx(vtx) => {
                let named = self.named(vtx.alt_const);
                named.buffers.insert(vtx.buffer_id);
                let element = BufferElement {
                    buffer: vtx.buffer_id,
                    offset: vtx.offset,
                    format: (!vtx.use_const_fields).then_some(vtx.format),
                    indexed: !vtx.const_buf_no_stride,
                };
                if elements.insert((vtx.alt_const, element)) {
                    named.elements.push(element);
                }
            }
            Fetch::Tex(tex) if reads_texture(tex.op) => {
                let named = self.named(tex.fields.alt_const);
                named.textures.insert(tex.fields.resource_id);
                if !matches!(tex.op, FetchOp::Ld | FetchOp::GetTextureInfo | FetchOp::GetSampleInfo) {
                    named.samplers.insert(tex.fields.sampler_id);
                }
            }
            Fetch::Mem(read) if read.op == MemOp::RdScratch => {
                let index = if read.indexed { read.array_size.into() } else { 0 };
                let elements = u32::from(read.array_base) + index + u32::from(read.burst_count) + 1;
                let dwords = elements * (u32::from(read.elem_size) + 1);
                self.scratch(dwords.div_ceil(4));
            }
            Fetch::Tex(_) | Fetch::Mem(_) | Fetch::MemRaw(..) => {}
        }
    }

    fn scratch(&mut self, elements: u32) {
        self.scratch_elements = self.scratch_elements.max(elements);
    }
}

/// The stream that an instruction writes.
const fn stream_number(op: CfExportOp) -> Option<usize> {
    match op {
        CfExportOp::MemStream0 => Some(0),
        CfExportOp::MemStream1 => Some(1),
        CfExportOp::MemStream2 => Some(2),
        CfExportOp::MemStream3 => Some(3),
        CfExportOp::MemScratch
        | CfExportOp::MemReduction
        | CfExportOp::MemRing
        | CfExportOp::Export
        | CfExportOp::ExportDone
        | CfExportOp::MemExport => None,
    }
}

/// A program with what it uses, once that was asked for, so that it need not be looked through for each run.
#[derive(Clone, Debug)]
pub struct Known<'a> {
    program: &'a Program,
    uses: Arc<OnceLock<Uses>>,
}

impl<'a> Known<'a> {
    /// Of a program, of which nothing is known yet.
    pub fn of(program: &'a Program) -> Self {
        Known { program, uses: Arc::default() }
    }

    /// Of a program; what it uses is kept there, and taken from there if it is known.
    pub fn kept(program: &'a Program, uses: &Arc<OnceLock<Uses>>) -> Self {
        Known { program, uses: Arc::clone(uses) }
    }

    /// The program.
    pub fn program(&self) -> &'a Program {
        self.program
    }

    /// What it uses.
    pub fn uses(&self) -> &Uses {
        self.uses.get_or_init(|| Uses::of(self.program))
    }

    /// What a program uses: of one that is not this one that is found anew.
    pub(crate) fn uses_of(&self, program: &Program) -> Cow<'_, Uses> {
        match std::ptr::eq(program, self.program) {
            true => Cow::Borrowed(self.uses()),
            false => Cow::Owned(Uses::of(program)),
        }
    }
}

/// True if the instruction looks at a texture; the others of the texture format work on registers alone.
const fn reads_texture(op: FetchOp) -> bool {
    !matches!(
        op,
        FetchOp::GetGradientsH
            | FetchOp::GetGradientsV
            | FetchOp::SetGradientsH
            | FetchOp::SetGradientsV
            | FetchOp::KeepGradients
            | FetchOp::SetCubemapIndex
            | FetchOp::Pass
    )
}
