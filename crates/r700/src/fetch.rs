//! Instructions of fetch clauses: vertex, texture and memory fetches, four dwords each.
//!
//! Sources: R700 guide, chapters 5, 6 and 9; Mesa's `r600_sq.h`, `r700_sq.h` and `r700_asm.c`; decaf-emu's
//! `latte_instructions.h`.

use crate::cf::masked;
use crate::codes::*;
use ctm_bits::{Field, extract, field_table};

/// The four dwords of an instruction of a fetch clause.
pub type FetchWords = [u32; 4];

/// A register of a fetch instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FetchRegister {
    /// Register.
    pub gpr: u8,
    /// Add aL.
    pub relative: bool,
}

/// The format fields that vertex and memory fetches share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ElementFormat {
    /// `DATA_FORMAT`, see [`ElementFormat::format`].
    pub data_format: u8,
    /// What integer components stand for.
    pub number: NumberFormat,
    /// Components are signed.
    pub signed: bool,
    /// `SRF_MODE_ALL`: the signed NORM format has no zero; otherwise its least value is clamped to -1.
    pub no_zero: bool,
}

impl ElementFormat {
    /// Layout of the element; none for reserved codes.
    pub fn format(self) -> Option<DataFormat> {
        DataFormat::from_code(self.data_format)
    }
}

/// A vertex fetch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Vtx {
    /// The destination is a semantic, see [`Vtx::semantic_id`]; otherwise the register `dst`.
    pub semantic: bool,
    /// What is added to the index.
    pub fetch_type: FetchType,
    /// Fetch for all pixels of a quad of which one is active.
    pub whole_quad: bool,
    /// Number of the buffer.
    pub buffer_id: u8,
    /// Register with the index.
    pub src: FetchRegister,
    /// Channel with the index.
    pub src_sel: Channel,
    /// Bytes of the mega fetch, less one; a hint.
    pub mega_fetch_count: u8,
    /// Destination.
    pub dst: FetchRegister,
    /// What goes to x, y, z, w of the destination.
    pub dst_sel: [Select; 4],
    /// The format stands in the resource.
    pub use_const_fields: bool,
    /// The format.
    pub format: ElementFormat,
    /// Bytes from the start of the element.
    pub offset: u16,
    /// Bytes that change places.
    pub endian_swap: EndianSwap,
    /// The index does not count.
    pub const_buf_no_stride: bool,
    /// A hint.
    pub mega_fetch: bool,
    /// Resources of the other stage (R700).
    pub alt_const: bool,
    /// Bits that no field describes.
    pub reserved: FetchWords,
}

field_table! { Vtx, words 4;
    FETCH_TYPE,          0 [6:5],   {fetch_type},          FetchType,    "what is added to the index";
    FETCH_WHOLE_QUAD,    0 [7:7],   {whole_quad},          bool,         "fetch for whole quads";
    BUFFER_ID,           0 [15:8],  {buffer_id},           u8,           "number of the buffer";
    SRC_GPR,             0 [22:16], {src.gpr},             u8,           "register with the index";
    SRC_REL,             0 [23:23], {src.relative},        bool,         "source: add aL";
    SRC_SEL_X,           0 [25:24], {src_sel},             Channel,      "channel with the index";
    MEGA_FETCH_COUNT,    0 [31:26], {mega_fetch_count},    u8,           "bytes of the mega fetch less one";
    DST_GPR,             1 [6:0],   {dst.gpr},             u8,           "destination; SEMANTIC: bits 6:0 of the semantic";
    DST_REL,             1 [7:7],   {dst.relative},        bool,         "destination: add aL; SEMANTIC: bit 7 of the semantic";
    DST_SEL_X,           1 [11:9],  {dst_sel[0]},          Select,       "what goes to x";
    DST_SEL_Y,           1 [14:12], {dst_sel[1]},          Select,       "what goes to y";
    DST_SEL_Z,           1 [17:15], {dst_sel[2]},          Select,       "what goes to z";
    DST_SEL_W,           1 [20:18], {dst_sel[3]},          Select,       "what goes to w";
    USE_CONST_FIELDS,    1 [21:21], {use_const_fields},    bool,         "the format stands in the resource";
    DATA_FORMAT,         1 [27:22], {format.data_format},  u8,           "layout of the element";
    NUM_FORMAT_ALL,      1 [29:28], {format.number},       NumberFormat, "what integer components stand for";
    FORMAT_COMP_ALL,     1 [30:30], {format.signed},       bool,         "components are signed";
    SRF_MODE_ALL,        1 [31:31], {format.no_zero},      bool,         "signed NORM without zero";
    OFFSET,              2 [15:0],  {offset},              u16,          "bytes from the start of the element";
    ENDIAN_SWAP,         2 [17:16], {endian_swap},         EndianSwap,   "bytes that change places";
    CONST_BUF_NO_STRIDE, 2 [18:18], {const_buf_no_stride}, bool,         "the index does not count";
    MEGA_FETCH,          2 [19:19], {mega_fetch},          bool,         "a hint";
    ALT_CONST,           2 [20:20], {alt_const},           bool,         "resources of the other stage (R700)";
}

impl Vtx {
    /// `SEMANTIC_ID` of a SEMANTIC fetch.
    pub const fn semantic_id(&self) -> u8 {
        self.dst.gpr | (self.dst.relative as u8) << 7
    }

    /// Sets `SEMANTIC_ID`.
    pub const fn set_semantic_id(&mut self, id: u8) {
        self.dst = FetchRegister { gpr: id & 0x7F, relative: id & 0x80 != 0 };
    }
}

/// A texture fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tex {
    /// The operation, one of [`FetchOp::Ld`] and up.
    pub op: FetchOp,
    /// Its fields.
    pub fields: TexFields,
}

/// The fields of a texture fetch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TexFields {
    /// A fraction of block-compressed formats.
    pub bc_frac_mode: bool,
    /// Fetch for all pixels of a quad of which one is active.
    pub whole_quad: bool,
    /// Number of the texture.
    pub resource_id: u8,
    /// Register with the coordinates.
    pub src: FetchRegister,
    /// Resources of the other stage (R700).
    pub alt_const: bool,
    /// Destination.
    pub dst: FetchRegister,
    /// What goes to x, y, z, w of the destination.
    pub dst_sel: [Select; 4],
    /// Level bias in eighths, 7-bit two's complement, see [`TexFields::lod_bias_eighths`].
    pub lod_bias: u8,
    /// Coordinates x, y, z, w are normalised; otherwise in texels.
    pub normalized: [bool; 4],
    /// Offset of x, y, z in half texels, 5-bit two's complement, see [`TexFields::offset_halves`].
    pub offset: [u8; 3],
    /// Number of the sampler.
    pub sampler_id: u8,
    /// What coordinates x, y, z, w are.
    pub src_sel: [Select; 4],
    /// Bits that no field describes.
    pub reserved: FetchWords,
}

field_table! { TexFields, words 4;
    BC_FRAC_MODE,     0 [5:5],   {bc_frac_mode},  bool,   "a fraction of block-compressed formats";
    FETCH_WHOLE_QUAD, 0 [7:7],   {whole_quad},    bool,   "fetch for whole quads";
    RESOURCE_ID,      0 [15:8],  {resource_id},   u8,     "number of the texture";
    SRC_GPR,          0 [22:16], {src.gpr},       u8,     "register with the coordinates";
    SRC_REL,          0 [23:23], {src.relative},  bool,   "source: add aL";
    ALT_CONST,        0 [24:24], {alt_const},     bool,   "resources of the other stage (R700)";
    DST_GPR,          1 [6:0],   {dst.gpr},       u8,     "destination";
    DST_REL,          1 [7:7],   {dst.relative},  bool,   "destination: add aL";
    DST_SEL_X,        1 [11:9],  {dst_sel[0]},    Select, "what goes to x";
    DST_SEL_Y,        1 [14:12], {dst_sel[1]},    Select, "what goes to y";
    DST_SEL_Z,        1 [17:15], {dst_sel[2]},    Select, "what goes to z";
    DST_SEL_W,        1 [20:18], {dst_sel[3]},    Select, "what goes to w";
    LOD_BIAS,         1 [27:21], {lod_bias},      u8,     "level bias in eighths, two's complement";
    COORD_TYPE_X,     1 [28:28], {normalized[0]}, bool,   "x is normalised";
    COORD_TYPE_Y,     1 [29:29], {normalized[1]}, bool,   "y is normalised";
    COORD_TYPE_Z,     1 [30:30], {normalized[2]}, bool,   "z is normalised";
    COORD_TYPE_W,     1 [31:31], {normalized[3]}, bool,   "w is normalised";
    OFFSET_X,         2 [4:0],   {offset[0]},     u8,     "offset of x in half texels, two's complement";
    OFFSET_Y,         2 [9:5],   {offset[1]},     u8,     "offset of y in half texels, two's complement";
    OFFSET_Z,         2 [14:10], {offset[2]},     u8,     "offset of z in half texels, two's complement";
    SAMPLER_ID,       2 [19:15], {sampler_id},    u8,     "number of the sampler";
    SRC_SEL_X,        2 [22:20], {src_sel[0]},    Select, "what x is";
    SRC_SEL_Y,        2 [25:23], {src_sel[1]},    Select, "what y is";
    SRC_SEL_Z,        2 [28:26], {src_sel[2]},    Select, "what z is";
    SRC_SEL_W,        2 [31:29], {src_sel[3]},    Select, "what w is";
}

impl TexFields {
    /// Level bias, in eighths of a level: -64..=63.
    pub const fn lod_bias_eighths(&self) -> i8 {
        ((self.lod_bias << 1) as i8) >> 1
    }

    /// Offset of coordinate `axis` (0 to 2), in half texels: -16..=15.
    pub const fn offset_halves(&self, axis: usize) -> i8 {
        ((self.offset[axis] << 3) as i8) >> 3
    }
}

/// A read of scratch, reduction or scatter memory (R700).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MemRead {
    /// The operation, one of [`MemOp::is_read`].
    pub op: MemOp,
    /// Dwords of an element, less one.
    pub elem_size: u8,
    /// Fetch for all pixels of a quad of which one is active.
    pub whole_quad: bool,
    /// Bypass the cache.
    pub uncached: bool,
    /// Add the index register.
    pub indexed: bool,
    /// Channel with the second index.
    pub src_sel_y: Channel,
    /// Register with the index.
    pub src: FetchRegister,
    /// Channel with the index.
    pub src_sel_x: Channel,
    /// Registers that are read, less one.
    pub burst_count: u8,
    /// The request goes to local memory.
    pub lds_req: bool,
    /// Reads of neighbouring pixels are merged.
    pub coalesced_read: bool,
    /// Destination.
    pub dst: FetchRegister,
    /// What goes to x, y, z, w of the destination.
    pub dst_sel: [Select; 4],
    /// The format.
    pub format: ElementFormat,
    /// First element.
    pub array_base: u16,
    /// Bytes that change places.
    pub endian_swap: EndianSwap,
    /// Elements of the array, less one.
    pub array_size: u16,
    /// Bits that no field describes.
    pub reserved: FetchWords,
}

field_table! { MemRead, words 4;
    ELEM_SIZE,        0 [6:5],   {elem_size},          u8,           "dwords of an element less one";
    FETCH_WHOLE_QUAD, 0 [7:7],   {whole_quad},         bool,         "fetch for whole quads";
    MEM_OP,           0 [10:8],  {op},                 MemOp,        "operation";
    UNCACHED,         0 [11:11], {uncached},           bool,         "bypass the cache";
    INDEXED,          0 [12:12], {indexed},            bool,         "add the index register";
    SRC_SEL_Y,        0 [14:13], {src_sel_y},          Channel,      "channel with the second index";
    SRC_GPR,          0 [22:16], {src.gpr},            u8,           "register with the index";
    SRC_REL,          0 [23:23], {src.relative},       bool,         "source: add aL";
    SRC_SEL_X,        0 [25:24], {src_sel_x},          Channel,      "channel with the index";
    BURST_COUNT,      0 [29:26], {burst_count},        u8,           "registers less one";
    LDS_REQ,          0 [30:30], {lds_req},            bool,         "the request goes to local memory";
    COALESCED_READ,   0 [31:31], {coalesced_read},     bool,         "reads of neighbouring pixels are merged";
    DST_GPR,          1 [6:0],   {dst.gpr},            u8,           "destination";
    DST_REL,          1 [7:7],   {dst.relative},       bool,         "destination: add aL";
    DST_SEL_X,        1 [11:9],  {dst_sel[0]},         Select,       "what goes to x";
    DST_SEL_Y,        1 [14:12], {dst_sel[1]},         Select,       "what goes to y";
    DST_SEL_Z,        1 [17:15], {dst_sel[2]},         Select,       "what goes to z";
    DST_SEL_W,        1 [20:18], {dst_sel[3]},         Select,       "what goes to w";
    DATA_FORMAT,      1 [27:22], {format.data_format}, u8,           "layout of the element";
    NUM_FORMAT_ALL,   1 [29:28], {format.number},      NumberFormat, "what integer components stand for";
    FORMAT_COMP_ALL,  1 [30:30], {format.signed},      bool,         "components are signed";
    SRF_MODE_ALL,     1 [31:31], {format.no_zero},     bool,         "signed NORM without zero";
    ARRAY_BASE,       2 [12:0],  {array_base},         u16,          "first element";
    ENDIAN_SWAP,      2 [17:16], {endian_swap},        EndianSwap,   "bytes that change places";
    ARRAY_SIZE,       2 [31:20], {array_size},         u16,          "elements of the array less one";
}

/// An instruction of a fetch clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fetch {
    /// FETCH, SEMANTIC.
    Vtx(Vtx),
    /// Texture fetches.
    Tex(Tex),
    /// Memory reads.
    Mem(MemRead),
    /// Memory instructions whose layout is not published, and the reserved one.
    MemRaw(MemOp, FetchWords),
}

/// The opcode, in the first dword of all kinds.
const INST: u32 = 0x1F;
const MEM_OP: (u32, u32) = (10, 8);

const fn reserved_bits(covered: FetchWords) -> FetchWords {
    [!covered[0] & !INST, !covered[1], !covered[2], !covered[3]]
}

const VTX_RESERVED: FetchWords = reserved_bits(Vtx::COVERED);
const TEX_RESERVED: FetchWords = reserved_bits(TexFields::COVERED);
const MEM_RESERVED: FetchWords = reserved_bits(MemRead::COVERED);

impl Fetch {
    /// Decodes four dwords. Every value is an instruction; [`encode`](Self::encode) gives the same words back.
    ///
    /// ```
    /// use ctm_r700::{Fetch, FetchOp};
    /// let Fetch::Tex(tex) = Fetch::decode(&[0x0001_0110, 0xF00D_1000, 0x6880_8000, 0]) else { panic!() };
    /// assert_eq!((tex.op, tex.fields.resource_id, tex.fields.sampler_id), (FetchOp::Sample, 1, 1));
    /// ```
    pub fn decode(words: &FetchWords) -> Self {
        match FetchOp::ALL[(words[0] & INST) as usize] {
            op @ (FetchOp::VtxFetch | FetchOp::VtxSemantic) => {
                let reserved = masked(words, VTX_RESERVED);
                Fetch::Vtx(Vtx { semantic: op == FetchOp::VtxSemantic, reserved, ..Vtx::read(words) })
            }
            FetchOp::Mem => match MemOp::ALL[extract(words[0], MEM_OP.0, MEM_OP.1) as usize] {
                op if op.is_read() => {
                    Fetch::Mem(MemRead { reserved: masked(words, MEM_RESERVED), ..MemRead::read(words) })
                }
                op => Fetch::MemRaw(op, *words),
            },
            op => {
                let reserved = masked(words, TEX_RESERVED);
                Fetch::Tex(Tex { op, fields: TexFields { reserved, ..TexFields::read(words) } })
            }
        }
    }

    /// Encodes into four dwords.
    pub fn encode(&self) -> FetchWords {
        let mut words = match self {
            Fetch::Vtx(vtx) => {
                let mut words = vtx.reserved;
                vtx.write(&mut words);
                words
            }
            Fetch::Tex(tex) => {
                let mut words = tex.fields.reserved;
                tex.fields.write(&mut words);
                words
            }
            Fetch::Mem(read) => {
                let mut words = read.reserved;
                read.write(&mut words);
                words
            }
            Fetch::MemRaw(_, words) => return *words,
        };
        words[0] = words[0] & !INST | self.op() as u32;
        words
    }

    /// The opcode.
    pub const fn op(&self) -> FetchOp {
        match self {
            Fetch::Vtx(Vtx { semantic: false, .. }) => FetchOp::VtxFetch,
            Fetch::Vtx(_) => FetchOp::VtxSemantic,
            Fetch::Tex(tex) => tex.op,
            Fetch::Mem(_) | Fetch::MemRaw(..) => FetchOp::Mem,
        }
    }

    /// The spelling of the operation in assembly text.
    pub const fn name(&self) -> &'static str {
        match self {
            Fetch::Mem(MemRead { op, .. }) | Fetch::MemRaw(op, _) => op.name(),
            Fetch::Vtx(_) | Fetch::Tex(_) => self.op().name(),
        }
    }

    /// The fields of the instruction's format, without the opcode; none where the layout is not published.
    pub const fn fields(&self) -> &'static [Field] {
        match self {
            Fetch::Vtx(_) => Vtx::FIELDS,
            Fetch::Tex(_) => TexFields::FIELDS,
            Fetch::Mem(_) => MemRead::FIELDS,
            Fetch::MemRaw(..) => &[],
        }
    }
}
