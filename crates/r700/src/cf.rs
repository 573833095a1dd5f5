//! Control-flow instructions: the opcode tables and the field tables of the three formats.
//!
//! A control-flow instruction is two dwords. Bit 29 of the second tells the ALU format from the others, whose opcode in
//! bits 29:23 tells exports and memory writes from the rest. Sources: R700 guide, chapters 3 and 9; Mesa's `r600_sq.h`,
//! `r700_sq.h`, `r600_isa.h`; decaf-emu's `latte_instructions.h`.

use crate::codes::*;
use crate::opcodes::opcodes;
use ctm_bits::{Field, extract, field_table, insert};

/// The two dwords of a control-flow or ALU instruction, or of a pair of literals.
pub type Qword = [u32; 2];

/// What a control-flow instruction does with `ADDR`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressUse {
    /// Nothing.
    None,
    /// The start of a fetch clause that runs.
    Clause,
    /// Where it may jump.
    Jump,
    /// The subroutine that it may enter.
    Call,
}

/// Properties of a control-flow instruction of the plain format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CfProperties {
    /// What `ADDR` is.
    pub address: AddressUse,
    /// `POP_COUNT` means something.
    pub pops: bool,
    /// `CF_CONST` names a loop constant.
    pub loop_constant: bool,
    /// `COND` may be other than ACTIVE.
    pub conditional: bool,
    /// `CALL_COUNT` means something.
    pub calls: bool,
    /// The families that have it.
    pub families: Families,
}

const PLAIN: CfProperties = CfProperties {
    address: AddressUse::None,
    pops: false,
    loop_constant: false,
    conditional: false,
    calls: false,
    families: Families::Both,
};
const CLAUSE: CfProperties = CfProperties { address: AddressUse::Clause, ..PLAIN };
const R700_ONLY: Families = Families::Only(Family::R700);
/// Loops and what leaves them.
const LOOP: CfProperties = CfProperties { address: AddressUse::Jump, conditional: true, ..PLAIN };
/// Branches.
const BRANCH: CfProperties = CfProperties { pops: true, ..LOOP };

opcodes! {
    /// `CF_INST` of the plain format (R700 guide, table of branch and loop instructions; Mesa `r600_isa.h`).
    pub enum CfOp: u8 => CfProperties {
        0x00 Nop "NOP" PLAIN;
        0x01 Tex "TEX" CLAUSE;
        0x02 Vtx "VTX" CLAUSE;
        0x03 VtxTc "VTX_TC" CLAUSE;
        0x04 LoopStart "LOOP_START" CfProperties { loop_constant: true, ..BRANCH };
        0x05 LoopEnd "LOOP_END" CfProperties { loop_constant: true, ..LOOP };
        0x06 LoopStartDx10 "LOOP_START_DX10" BRANCH;
        0x07 LoopStartNoAl "LOOP_START_NO_AL" CfProperties { loop_constant: true, ..BRANCH };
        0x08 LoopContinue "LOOP_CONTINUE" LOOP;
        0x09 LoopBreak "LOOP_BREAK" LOOP;
        0x0A Jump "JUMP" BRANCH;
        0x0B Push "PUSH" BRANCH;
        0x0C PushElse "PUSH_ELSE" BRANCH;
        0x0D Else "ELSE" BRANCH;
        0x0E Pop "POP" CfProperties { pops: true, conditional: true, ..PLAIN };
        0x0F PopJump "POP_JUMP" BRANCH;
        0x10 PopPush "POP_PUSH" BRANCH;
        0x11 PopPushElse "POP_PUSH_ELSE" BRANCH;
        0x12 Call "CALL" CfProperties { address: AddressUse::Call, conditional: true, calls: true, ..PLAIN };
        0x13 CallFs "CALL_FS" CfProperties { conditional: true, calls: true, ..PLAIN };
        0x14 Return "RETURN" CfProperties { conditional: true, ..PLAIN };
        0x15 EmitVertex "EMIT_VERTEX" PLAIN;
        0x16 EmitCutVertex "EMIT_CUT_VERTEX" PLAIN;
        0x17 CutVertex "CUT_VERTEX" PLAIN;
        0x18 Kill "KILL" LOOP;
        /// Not in the guide; ends the program.
        0x19 EndProgram "END_PROGRAM" PLAIN;
        0x1A WaitAck "WAIT_ACK" CfProperties { families: R700_ONLY, ..PLAIN };
        0x1B TexAck "TEX_ACK" CfProperties { families: R700_ONLY, ..CLAUSE };
        0x1C VtxAck "VTX_ACK" CfProperties { families: R700_ONLY, ..CLAUSE };
        0x1D VtxTcAck "VTX_TC_ACK" CfProperties { families: R700_ONLY, ..CLAUSE };
    }
}

impl CfOp {
    /// True for the three instructions that begin a loop.
    pub const fn is_loop_start(self) -> bool {
        matches!(self, CfOp::LoopStart | CfOp::LoopStartDx10 | CfOp::LoopStartNoAl)
    }

    /// True if the instruction runs a fetch clause.
    pub const fn is_fetch(self) -> bool {
        matches!(self.properties().address, AddressUse::Clause)
    }
}

/// A control-flow instruction of the plain format (`CF_DWORD0`, `CF_DWORD1`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CfPlain {
    /// The operation.
    pub op: CfOp,
    /// Its fields.
    pub fields: CfFields,
}

/// The fields of the plain format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CfFields {
    /// Qword address of a clause, a jump or a call.
    pub addr: u32,
    /// Mask frames to pop.
    pub pop_count: u8,
    /// Number of the boolean or loop constant.
    pub cf_const: u8,
    /// Condition test.
    pub cond: Condition,
    /// Bits 2:0 of the length of the fetch clause, less one.
    pub count: u8,
    /// Added to the depth of calls.
    pub call_count: u8,
    /// Bit 3 of the length of the fetch clause, less one (R600: reserved).
    pub count_3: bool,
    /// The program ends after this instruction.
    pub end_of_program: bool,
    /// Only valid pixels pass the condition test.
    pub valid_pixel_mode: bool,
    /// Pixels pass if any of their quad is active.
    pub whole_quad_mode: bool,
    /// Wait for earlier instructions.
    pub barrier: bool,
    /// Bits that no field describes.
    pub reserved: Qword,
}

field_table! { CfFields, words 2;
    ADDR,             0 [31:0],  {addr},             u32,       "qword address of a clause, a jump or a call";
    POP_COUNT,        1 [2:0],   {pop_count},        u8,        "mask frames to pop";
    CF_CONST,         1 [7:3],   {cf_const},         u8,        "boolean or loop constant";
    COND,             1 [9:8],   {cond},             Condition, "condition test";
    COUNT,            1 [12:10], {count},            u8,        "length of the fetch clause less one, bits 2:0";
    CALL_COUNT,       1 [18:13], {call_count},       u8,        "added to the depth of calls";
    COUNT_3,          1 [19:19], {count_3},          bool,      "length of the fetch clause less one, bit 3; R600: reserved";
    END_OF_PROGRAM,   1 [21:21], {end_of_program},   bool,      "the program ends after this instruction";
    VALID_PIXEL_MODE, 1 [22:22], {valid_pixel_mode}, bool,      "only valid pixels pass the condition test";
    WHOLE_QUAD_MODE,  1 [30:30], {whole_quad_mode},  bool,      "pixels pass if any of their quad is active";
    BARRIER,          1 [31:31], {barrier},          bool,      "wait for earlier instructions";
}

impl CfFields {
    /// Instructions of the fetch clause: 1 to 16, on R600 1 to 8.
    pub const fn fetch_count(&self, family: Family) -> u32 {
        let high = match family {
            Family::R600 => 0,
            Family::R700 => (self.count_3 as u32) << 3,
        };
        (self.count as u32 | high) + 1
    }

    /// Sets the length of the fetch clause, 1 to 16 instructions.
    pub fn set_fetch_count(&mut self, count: u32) {
        self.count = (count.wrapping_sub(1) & 7) as u8;
        self.count_3 = count.wrapping_sub(1) & 8 != 0;
    }
}

/// What the stack does around an ALU clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CfAluProperties {
    /// The active mask is pushed before the clause.
    pub pushes: bool,
    /// Mask frames popped after the clause.
    pub pops: u8,
}

const ALU: CfAluProperties = CfAluProperties { pushes: false, pops: 0 };

opcodes! {
    /// `CF_INST` of the ALU format (R700 guide 3-15, 3-17).
    pub enum CfAluOp: u8 => CfAluProperties {
        0x8 Alu "ALU" ALU;
        0x9 PushBefore "ALU_PUSH_BEFORE" CfAluProperties { pushes: true, ..ALU };
        0xA PopAfter "ALU_POP_AFTER" CfAluProperties { pops: 1, ..ALU };
        0xB Pop2After "ALU_POP2_AFTER" CfAluProperties { pops: 2, ..ALU };
        0xD Continue "ALU_CONTINUE" ALU;
        0xE Break "ALU_BREAK" ALU;
        0xF ElseAfter "ALU_ELSE_AFTER" ALU;
    }
}

/// One constant-cache window of an ALU clause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Kcache {
    /// Constant buffer.
    pub bank: u8,
    /// What the window holds.
    pub mode: KcacheMode,
    /// Line of 16 constants where it begins.
    pub addr: u8,
}

/// A control-flow instruction of the ALU format (`CF_ALU_DWORD0`, `CF_ALU_DWORD1`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CfAlu {
    /// The operation.
    pub op: CfAluOp,
    /// Its fields.
    pub fields: CfAluFields,
}

/// The fields of the ALU format. Every bit has a meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CfAluFields {
    /// Qword address of the clause.
    pub addr: u32,
    /// The two constant-cache windows.
    pub kcache: [Kcache; 2],
    /// Length of the clause in qwords, less one.
    pub count: u8,
    /// R700: constants of the other stage; R600: the clause uses waterfall.
    pub alt_const: bool,
    /// Pixels pass if any of their quad is active.
    pub whole_quad_mode: bool,
    /// Wait for earlier instructions.
    pub barrier: bool,
}

field_table! { CfAluFields, words 2;
    ADDR,            0 [21:0],  {addr},            u32,        "qword address of the clause";
    KCACHE_BANK0,    0 [25:22], {kcache[0].bank},  u8,         "constant buffer of window 0";
    KCACHE_BANK1,    0 [29:26], {kcache[1].bank},  u8,         "constant buffer of window 1";
    KCACHE_MODE0,    0 [31:30], {kcache[0].mode},  KcacheMode, "what window 0 holds";
    KCACHE_MODE1,    1 [1:0],   {kcache[1].mode},  KcacheMode, "what window 1 holds";
    KCACHE_ADDR0,    1 [9:2],   {kcache[0].addr},  u8,         "first line of window 0, in units of 16 constants";
    KCACHE_ADDR1,    1 [17:10], {kcache[1].addr},  u8,         "first line of window 1, in units of 16 constants";
    COUNT,           1 [24:18], {count},           u8,         "length of the clause in qwords less one";
    ALT_CONST,       1 [25:25], {alt_const},       bool,       "R700: constants of the other stage; R600: uses waterfall";
    WHOLE_QUAD_MODE, 1 [30:30], {whole_quad_mode}, bool,       "pixels pass if any of their quad is active";
    BARRIER,         1 [31:31], {barrier},         bool,       "wait for earlier instructions";
}

impl CfAluFields {
    /// Qwords of the clause, 1 to 128.
    pub const fn length(&self) -> u32 {
        self.count as u32 + 1
    }
}

/// What a memory write or export goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CfExportProperties {
    /// It exports, in the SWIZ variant; otherwise it accesses memory, in the BUF variant.
    pub exports: bool,
    /// The families that have it.
    pub families: Families,
}

const MEMORY: CfExportProperties = CfExportProperties { exports: false, families: Families::Both };
const EXPORT: CfExportProperties = CfExportProperties { exports: true, ..MEMORY };

opcodes! {
    /// `CF_INST` of exports and memory writes (Mesa `r600_isa.h`).
    pub enum CfExportOp: u8 => CfExportProperties {
        0x20 MemStream0 "MEM_STREAM0" MEMORY;
        0x21 MemStream1 "MEM_STREAM1" MEMORY;
        0x22 MemStream2 "MEM_STREAM2" MEMORY;
        0x23 MemStream3 "MEM_STREAM3" MEMORY;
        0x24 MemScratch "MEM_SCRATCH" MEMORY;
        0x25 MemReduction "MEM_REDUCTION" MEMORY;
        0x26 MemRing "MEM_RING" MEMORY;
        0x27 Export "EXP" EXPORT;
        0x28 ExportDone "EXP_DONE" EXPORT;
        0x3A MemExport "MEM_EXPORT" CfExportProperties { families: R700_ONLY, ..MEMORY };
    }
}

/// An export or memory write (`CF_ALLOC_EXPORT_DWORD0`, `CF_ALLOC_EXPORT_DWORD1`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CfExport {
    /// The operation.
    pub op: CfExportOp,
    /// The fields that both variants have.
    pub fields: CfExportFields,
    /// The others.
    pub variant: ExportVariant,
}

/// The fields that both variants of exports have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CfExportFields {
    /// Number of the export target, or address in memory.
    pub array_base: u16,
    /// `TYPE`: see [`CfExport::export_type`] and [`CfExport::memory_type`].
    pub kind: u8,
    /// First register.
    pub gpr: u8,
    /// Add aL to the register.
    pub relative: bool,
    /// Register with the index of indexed writes, in x.
    pub index_gpr: u8,
    /// Dwords of an array element, less one.
    pub elem_size: u8,
    /// Registers, less one.
    pub burst_count: u8,
    /// The program ends after this instruction.
    pub end_of_program: bool,
    /// Only valid pixels pass.
    pub valid_pixel_mode: bool,
    /// Pixels pass if any of their quad is active.
    pub whole_quad_mode: bool,
    /// Wait for earlier instructions.
    pub barrier: bool,
}

field_table! { CfExportFields, words 2;
    ARRAY_BASE,       0 [12:0],  {array_base},       u16,  "number of the export target, or address in memory";
    TYPE,             0 [14:13], {kind},             u8,   "kind of export or memory access";
    RW_GPR,           0 [21:15], {gpr},              u8,   "first register";
    RW_REL,           0 [22:22], {relative},         bool, "add aL to the register";
    INDEX_GPR,        0 [29:23], {index_gpr},        u8,   "register with the index of indexed writes";
    ELEM_SIZE,        0 [31:30], {elem_size},        u8,   "dwords of an array element less one";
    BURST_COUNT,      1 [20:17], {burst_count},      u8,   "registers less one";
    END_OF_PROGRAM,   1 [21:21], {end_of_program},   bool, "the program ends after this instruction";
    VALID_PIXEL_MODE, 1 [22:22], {valid_pixel_mode}, bool, "only valid pixels pass";
    WHOLE_QUAD_MODE,  1 [30:30], {whole_quad_mode},  bool, "pixels pass if any of their quad is active";
    BARRIER,          1 [31:31], {barrier},          bool, "wait for earlier instructions";
}

/// The fields that depend on the opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExportVariant {
    /// EXP, EXP_DONE.
    Swizzle(ExportSwizzle),
    /// Memory writes.
    Buffer(ExportBuffer),
}

/// The SWIZ variant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ExportSwizzle {
    /// What goes to x, y, z, w of the target.
    pub sel: [Select; 4],
    /// Bits that no field describes.
    pub reserved: Qword,
}

field_table! { ExportSwizzle, words 2;
    SEL_X, 1 [2:0],  {sel[0]}, Select, "what goes to x";
    SEL_Y, 1 [5:3],  {sel[1]}, Select, "what goes to y";
    SEL_Z, 1 [8:6],  {sel[2]}, Select, "what goes to z";
    SEL_W, 1 [11:9], {sel[3]}, Select, "what goes to w";
}

/// The BUF variant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ExportBuffer {
    /// Elements of the array, less one.
    pub array_size: u16,
    /// Components that are written; bit 0 is x.
    pub comp_mask: u8,
    /// Bits that no field describes.
    pub reserved: Qword,
}

field_table! { ExportBuffer, words 2;
    ARRAY_SIZE, 1 [11:0],  {array_size}, u16, "elements of the array less one";
    COMP_MASK,  1 [15:12], {comp_mask},  u8,  "components that are written";
}

impl CfExport {
    /// `TYPE` of an export.
    pub const fn export_type(&self) -> ExportType {
        ExportType::ALL[(self.fields.kind & 3) as usize]
    }

    /// `TYPE` of a memory write.
    pub const fn memory_type(&self) -> MemoryType {
        MemoryType::ALL[(self.fields.kind & 3) as usize]
    }

    /// Registers that are written out, 1 to 16.
    pub const fn registers(&self) -> u32 {
        self.fields.burst_count as u32 + 1
    }
}

/// A control-flow instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cf {
    /// Branches, loops, calls, fetch clauses.
    Plain(CfPlain),
    /// ALU clauses.
    Alu(CfAlu),
    /// Exports and memory writes.
    Export(CfExport),
    /// A reserved opcode.
    Reserved(Qword),
}

/// The bits of CF_DWORD1 that hold the opcode of the plain and export formats.
const CF_INST: (u32, u32) = (29, 23);
/// The same of the ALU format.
const CF_ALU_INST: (u32, u32) = (29, 26);

const fn opcode_mask((hi, lo): (u32, u32)) -> Qword {
    [0, insert(0, hi, lo, u32::MAX)]
}

const fn uncovered(tables: &[Qword], opcode: (u32, u32)) -> Qword {
    let mut bits = opcode_mask(opcode);
    let mut i = 0;
    while i < tables.len() {
        bits = [bits[0] | tables[i][0], bits[1] | tables[i][1]];
        i += 1;
    }
    [!bits[0], !bits[1]]
}

const PLAIN_RESERVED: Qword = uncovered(&[CfFields::COVERED], CF_INST);
const SWIZZLE_RESERVED: Qword = uncovered(&[CfExportFields::COVERED, ExportSwizzle::COVERED], CF_INST);
const BUFFER_RESERVED: Qword = uncovered(&[CfExportFields::COVERED, ExportBuffer::COVERED], CF_INST);
const _: () = {
    let rest = uncovered(&[CfAluFields::COVERED], CF_ALU_INST);
    assert!(rest[0] == 0 && rest[1] == 0, "the ALU format has no reserved bits");
};

pub(crate) fn masked<const N: usize>(words: &[u32; N], mask: [u32; N]) -> [u32; N] {
    std::array::from_fn(|i| words[i] & mask[i])
}

impl Cf {
    /// Decodes a qword. Every value is an instruction; [`encode`](Self::encode) gives the same words back.
    ///
    /// ```
    /// use ctm_r700::{Cf, CfOp};
    /// let Cf::Plain(jump) = Cf::decode(&[0x0000_0006, 0x8500_0001]) else { panic!() };
    /// assert_eq!((jump.op, jump.fields.addr, jump.fields.pop_count), (CfOp::Jump, 6, 1));
    /// ```
    pub fn decode(words: &Qword) -> Self {
        if extract(words[1], 29, 29) == 1 {
            let code = extract(words[1], CF_ALU_INST.0, CF_ALU_INST.1) as u8;
            return match CfAluOp::from_code(code) {
                Some(op) => Cf::Alu(CfAlu { op, fields: CfAluFields::read(words) }),
                None => Cf::Reserved(*words),
            };
        }
        let code = extract(words[1], CF_INST.0, CF_INST.1) as u8;
        if let Some(op) = CfOp::from_code(code) {
            let fields = CfFields { reserved: masked(words, PLAIN_RESERVED), ..CfFields::read(words) };
            return Cf::Plain(CfPlain { op, fields });
        }
        let Some(op) = CfExportOp::from_code(code) else { return Cf::Reserved(*words) };
        let variant = if op.properties().exports {
            let reserved = masked(words, SWIZZLE_RESERVED);
            ExportVariant::Swizzle(ExportSwizzle { reserved, ..ExportSwizzle::read(words) })
        } else {
            let reserved = masked(words, BUFFER_RESERVED);
            ExportVariant::Buffer(ExportBuffer { reserved, ..ExportBuffer::read(words) })
        };
        Cf::Export(CfExport { op, fields: CfExportFields::read(words), variant })
    }

    /// Encodes into a qword.
    pub fn encode(&self) -> Qword {
        match self {
            Cf::Plain(CfPlain { op, fields }) => {
                let mut words = fields.reserved;
                fields.write(&mut words);
                words[1] = insert(words[1], CF_INST.0, CF_INST.1, op.code().into());
                words
            }
            Cf::Alu(CfAlu { op, fields }) => {
                let mut words = [0; 2];
                fields.write(&mut words);
                words[1] = insert(words[1], CF_ALU_INST.0, CF_ALU_INST.1, op.code().into());
                words
            }
            Cf::Export(CfExport { op, fields, variant }) => {
                let mut words = match variant {
                    ExportVariant::Swizzle(swizzle) => swizzle.reserved,
                    ExportVariant::Buffer(buffer) => buffer.reserved,
                };
                fields.write(&mut words);
                match variant {
                    ExportVariant::Swizzle(swizzle) => swizzle.write(&mut words),
                    ExportVariant::Buffer(buffer) => buffer.write(&mut words),
                }
                words[1] = insert(words[1], CF_INST.0, CF_INST.1, op.code().into());
                words
            }
            Cf::Reserved(words) => *words,
        }
    }

    /// The opcode's spelling; none if it is reserved.
    pub const fn name(&self) -> Option<&'static str> {
        match self {
            Cf::Plain(plain) => Some(plain.op.name()),
            Cf::Alu(alu) => Some(alu.op.name()),
            Cf::Export(export) => Some(export.op.name()),
            Cf::Reserved(_) => None,
        }
    }

    /// The fields of the instruction's format, without the opcode.
    pub fn fields(&self) -> impl Iterator<Item = &'static Field> + use<> {
        let (common, rest): (&'static [Field], &'static [Field]) = match self {
            Cf::Plain(_) => (CfFields::FIELDS, &[]),
            Cf::Alu(_) => (CfAluFields::FIELDS, &[]),
            Cf::Export(CfExport { variant: ExportVariant::Swizzle(_), .. }) => {
                (CfExportFields::FIELDS, ExportSwizzle::FIELDS)
            }
            Cf::Export(CfExport { variant: ExportVariant::Buffer(_), .. }) => {
                (CfExportFields::FIELDS, ExportBuffer::FIELDS)
            }
            Cf::Reserved(_) => (&[], &[]),
        };
        common.iter().chain(rest)
    }

    /// `END_OF_PROGRAM`: the program ends after this instruction. ALU clauses have no such bit.
    pub const fn ends_program(&self) -> bool {
        match self {
            Cf::Plain(plain) => plain.fields.end_of_program,
            Cf::Export(export) => export.fields.end_of_program,
            Cf::Alu(_) | Cf::Reserved(_) => false,
        }
    }
}
