//! The table of instructions. Decoding, encoding, text both ways, and the generators of tests come from it.
//!
//! A row reads: name, forms with the upper sixteen bits (value/mask), fields with their bits, the fields that are
//! appended to the name in the order of the text, the operands in the order of the text. Fields that have no bits here
//! are in their usual place, or follow from others (`PO`, `PHYS`) or from the row (`BINDLESS`, `CAS`).
//!
//! Sources: the encodings of Mesa's nouveau (`nv50_ir_emit_gm107.cpp`) and NAK (`sm50.rs`), envytools
//! (`envydis/gm107.c`), and, for every field and every spelling, what NVIDIA's disassembler makes of words that differ in
//! single bits.

use crate::field::{Bits, Field, FieldId};
use crate::form::{Arg, Imm, Pattern, Shape};

/// One row of the table: an instruction in all forms that share their fields.
#[derive(Debug)]
pub struct Row {
    /// The instruction.
    pub op: Op,
    /// Its name in text.
    pub name: &'static str,
    /// The forms, with what their upper sixteen bits look like.
    pub patterns: &'static [Pattern],
    /// The fields, without guard and operand B.
    pub fields: &'static [Field],
    /// Fields that the name gets appended, in the order of the text.
    pub suffixes: &'static [FieldId],
    /// Operands, in the order of the text.
    pub args: &'static [Arg],
}

impl Row {
    /// The fields of a form: those of the shape, then those of the row.
    pub fn fields(&self, shape: Shape) -> impl Iterator<Item = Field> + use<> {
        shape.fields().iter().chain(self.fields).copied()
    }

    /// Where a form has a field.
    pub fn bits_of(&self, shape: Shape, id: FieldId) -> Option<Bits> {
        self.fields(shape).find(|field| field.id == id).map(|field| field.bits)
    }

    /// Whether the instruction's name is appended this field.
    pub fn has_suffix(&self, id: FieldId) -> bool {
        self.suffixes.contains(&id)
    }
}

const N: Shape = Shape::Plain;
const U: Shape = Shape::Unguarded;
const R: Shape = Shape::Register;
const I: Shape = Shape::Immediate(Imm::Signed);
const IU: Shape = Shape::Immediate(Imm::Unsigned);
const F: Shape = Shape::Immediate(Imm::Float);
const D: Shape = Shape::Immediate(Imm::Double);
const V: Shape = Shape::Immediate(Imm::Converted);
const H: Shape = Shape::Immediate(Imm::Half);
const VH: Shape = Shape::Immediate(Imm::VideoHalf);
const K: Shape = Shape::Immediate(Imm::Count);
const WI: Shape = Shape::Immediate(Imm::WideSigned);
const WU: Shape = Shape::Immediate(Imm::WideUnsigned);
const WF: Shape = Shape::Immediate(Imm::WideFloat);
const C: Shape = Shape::Constant;
const RC: Shape = Shape::ConstantC;

/// The usual place of a field.
const fn usual(id: FieldId) -> Bits {
    match id {
        FieldId::RD => Bits::new(7, 0),
        FieldId::RA => Bits::new(15, 8),
        FieldId::RC => Bits::new(46, 39),
        FieldId::PQ => Bits::new(2, 0),
        FieldId::PD => Bits::new(5, 3),
        FieldId::PC => Bits::new(41, 39),
        FieldId::PC_NOT => Bits::new(42, 42),
        FieldId::CC => Bits::new(47, 47),
        _ => panic!("this field has no usual place"),
    }
}

macro_rules! bits {
    ($id:expr,) => {
        usual($id)
    };
    ($id:expr, $bit:literal) => {
        Bits::new($bit, $bit)
    };
    ($id:expr, $hi:literal : $lo:literal) => {
        Bits::new($hi, $lo)
    };
    ($id:expr, $hi:literal : $lo:literal + $top:literal) => {
        Bits::split($hi, $lo, $top, $top)
    };
    ($id:expr, $hi:literal : $lo:literal + $top_hi:literal : $top_lo:literal) => {
        Bits::split($hi, $lo, $top_hi, $top_lo)
    };
}

macro_rules! instructions {
    ($($(#[$about:meta])* $class:ident($ops:ident) {
        $($(#[doc = $about_op:literal])+ $op:ident {
            $($name:literal [$($shape:ident $base:literal / $mask:literal),+]
                $($field:ident $([$($bits:tt)+])?)*; $($suffix:ident)*; $($arg:ident $(($param:ident))?),*;)+
        })+
    })+) => {
        /// The instructions.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Op {
            /// A word that is not an instruction.
            Raw,
            $($($(#[doc = $about_op])+ $op,)+)+
        }

        $(
            $(#[$about])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub enum $ops { $($(#[doc = $about_op])+ $op),+ }
        )+

        /// The instructions by what they mean. Whoever gives them a meaning (the reference, the lift, checks, latencies)
        /// matches classes and their operations without wildcards, so that a new row does not build until each has one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Class {
            /// A word that is not an instruction.
            Raw,
            $($(#[$about])* $class($ops)),+
        }

        impl Op {
            /// What the instruction does, in a few words: those that stand above its rows.
            pub const fn about(self) -> &'static str {
                match self {
                    Op::Raw => "A word that is not an instruction.",
                    $($(Op::$op => concat!($($about_op),+).trim_ascii(),)+)+
                }
            }

            /// What the instruction means.
            pub const fn class(self) -> Class {
                match self {
                    Op::Raw => Class::Raw,
                    $($(Op::$op => Class::$class($ops::$op),)+)+
                }
            }
        }

        /// All rows. No word is of two forms.
        pub static ROWS: &[Row] = &[$($($(Row {
            op: Op::$op,
            name: $name,
            patterns: &[$(Pattern { shape: $shape, base: $base, mask: $mask }),+],
            fields: &[$(Field { id: FieldId::$field, bits: bits!(FieldId::$field, $($($bits)+)?) }),*],
            suffixes: &[$(FieldId::$suffix),*],
            args: &[$(Arg::$arg $((FieldId::$param))?),*],
        },)+)+)+];
    };
}

/// The row of words that are not an instruction.
pub(crate) static RAW: Row = Row { op: Op::Raw, name: ".raw", patterns: &[], fields: &[], suffixes: &[], args: &[] };

instructions! {
    /// Attribute memory.
    Attribute(AttributeOp) {
        /// Attribute store.
        Ast { "AST" [N 0xeff0/0xfff8] RD RA OFFSET[30:20] PATCH[31] RC ATTRIBUTE_SIZE[48:47];
            PATCH PHYS ATTRIBUTE_SIZE; Attribute, Data, RcUnlessZero; }
        /// Attribute load.
        Ald { "ALD" [N 0xefd8/0xfff8] RD RA OFFSET[30:20] PATCH[31] O[32] RC ATTRIBUTE_SIZE[48:47];
            O PATCH PHYS ATTRIBUTE_SIZE; Rd, Attribute, RcUnlessZero; }
        /// Logical to physical attribute address.
        Al2p { "AL2P" [N 0xefa0/0xfff8] RD RA OFFSET[30:20] O[32] PD[46:44] ATTRIBUTE_SIZE[48:47];
            O ATTRIBUTE_SIZE; PdUnlessTrue, Rd, Logical; }
        /// Reads the internal store of vertex handles.
        Isberd { "ISBERD" [N 0xefd0/0xfff8] RD RA SKEW[31] O[32] ISBE_MODE[34:33] ISBE_SIZE[48:47];
            O ISBE_MODE SKEW ISBE_SIZE; Rd, Bracketed; }
        /// Emits vertices and ends strips.
        Out { "OUT" [R 0xfbe0/0xfff8, I 0xf6e0/0xfef8, C 0xebe0/0xfff8] RD RA OUT_STYLE[40:39];
            OUT_STYLE; Rd, A, B; }
    }
    /// Special registers.
    Special(SpecialOp) {
        /// Special register to register.
        S2r { "S2R" [N 0xf0c8/0xfff8] RD SPECIAL[27:20]; ; Rd, Special; }
        /// Special register to register, of those that are quick to read.
        Cs2r { "CS2R" [N 0x50c8/0xfff8] RD SPECIAL[27:20]; ; Rd, Special; }
    }
    /// Moves and selections.
    Move(MoveOp) {
        /// Move.
        Mov { "MOV" [R 0x5c98/0xfff8, I 0x3898/0xfef8, C 0x4c98/0xfff8] RD QUAD_MASK[42:39]; ; Rd, B, QuadMask; }
        /// Move of 32 immediate bits.
        Mov32i { "MOV32I" [WU 0x0100/0xfff0] RD QUAD_MASK[15:12]; ; Rd, B, QuadMask; }
        /// Chooses by a predicate.
        Sel { "SEL" [R 0x5ca0/0xfff8, I 0x38a0/0xfef8, C 0x4ca0/0xfff8] RD RA PC PC_NOT; ; Rd, A, B, Pc; }
    }
    /// Constant banks by a computed address.
    Constant(ConstantOp) {
        /// Load from a constant bank.
        Ldc { "LDC" [N 0xef90/0xfff8] RD RA OFFSET[35:20] BANK[40:36] CONSTANT_MODE[45:44] MEMORY_SIZE[50:48];
            MEMORY_SIZE CONSTANT_MODE; Rd, ConstantMemory; }
    }
    /// Local memory.
    Local(LocalOp) {
        /// Load from local memory.
        Ldl { "LDL" [N 0xef40/0xfff8] RD RA OFFSET[43:20] LOCAL_CACHE[45:44] MEMORY_SIZE[50:48];
            LOCAL_CACHE MEMORY_SIZE; Rd, Memory; }
        /// Store to local memory.
        Stl { "STL" [N 0xef50/0xfff8] RD RA OFFSET[43:20] STORE_CACHE[45:44] MEMORY_SIZE[50:48];
            STORE_CACHE MEMORY_SIZE; Memory, Data; }
    }
    /// Global memory, and generic addresses, which are global ones here.
    Global(GlobalOp) {
        /// Load from a generic address.
        Ld { "LD" [N 0x8000/0xe000] RD RA OFFSET[51:20] E[52] MEMORY_SIZE[55:53] LOAD_CACHE[57:56] PD[60:58];
            E LOAD_CACHE MEMORY_SIZE; Rd, Memory, PdUnlessTrue; }
        /// Store to a generic address.
        St { "ST" [N 0xa000/0xe000] RD RA OFFSET[51:20] E[52] MEMORY_SIZE[55:53] STORE_CACHE[57:56] PB[60:58];
            E STORE_CACHE MEMORY_SIZE; Memory, Data, PbUnlessTrue; }
        /// Load from global memory.
        Ldg { "LDG" [N 0xeed0/0xfff8] RD RA OFFSET[43:20] E[45] LOAD_CACHE[47:46] MEMORY_SIZE[50:48];
            E LOAD_CACHE MEMORY_SIZE; Rd, Memory; }
        /// Store to global memory.
        Stg { "STG" [N 0xeed8/0xfff8] RD RA OFFSET[43:20] E[45] STORE_CACHE[47:46] MEMORY_SIZE[50:48];
            E STORE_CACHE MEMORY_SIZE; Memory, Data; }
    }
    /// Shared memory of a thread block.
    Shared(SharedOp) {
        /// Load from shared memory.
        Lds { "LDS" [N 0xef48/0xfff8] RD RA OFFSET[43:20] U[44] MEMORY_SIZE[50:48]; U MEMORY_SIZE; Rd, Memory; }
        /// Store to shared memory.
        Sts { "STS" [N 0xef58/0xfff8] RD RA OFFSET[43:20] MEMORY_SIZE[50:48]; MEMORY_SIZE; Memory, Data; }
    }
    /// Accesses that read, change and write without another one between.
    Atomic(AtomicOp) {
        /// Atomic operation on global memory.
        Atom { "ATOM" [N 0xed00/0xff00] RD RA RB[27:20] OFFSET[47:28] E[48] ATOM_TYPE[51:49] ATOM_OP[55:52];
            E ATOM_OP ATOM_TYPE; Rd, Memory, Register(RB); }
        /// Comparison and exchange in global memory.
        AtomCas { "ATOM" [N 0xeef0/0xfff0] RD RA RB[27:20] OFFSET[47:28] E[48] WIDE[49] CAS_OPERANDS[51:50];
            E CAS WIDE; Rd, Memory, CasValues; }
        /// Atomic operation on global memory without result.
        Red { "RED" [N 0xebf8/0xfffe] RD RA ATOM_TYPE[22:20] ATOM_OP[25:23] OFFSET[47:28] E[48];
            E ATOM_OP ATOM_TYPE; Memory, Data; }
        /// Atomic operation on shared memory.
        Atoms { "ATOMS" [N 0xec00/0xff00] RD RA RB[27:20] SHARED_TYPE[29:28] WORD_OFFSET[51:30] ATOM_OP[55:52];
            ATOM_OP SHARED_TYPE; Rd, Memory, Register(RB); }
        /// Comparison and exchange in shared memory.
        AtomsCas { "ATOMS" [N 0xee00/0xff80] RD RA RB[27:20] CAS_OPERANDS[29:28] WORD_OFFSET[51:30] WIDE[52] CAST[54:53];
            CAST WIDE; Rd, Memory, CasValues; }
    }
    /// Images.
    Surface(SurfaceOp) {
        /// Load from an image.
        Suld {
            "SULD.P" [N 0xeb00/0xfff8] RD RA SURFACE_MASK[23:20] LOAD_CACHE[25:24] SURFACE_DIM[35:33] RC SURFACE_CLAMP[50:49];
                SURFACE_DIM LOAD_CACHE SURFACE_MASK SURFACE_CLAMP; Rd, Bracketed, Register(RC);
            "SULD.P" [N 0xeb08/0xfff8] RD RA SURFACE_MASK[23:20] LOAD_CACHE[25:24] SURFACE_DIM[35:33] HANDLE[48:36] SURFACE_CLAMP[50:49];
                SURFACE_DIM LOAD_CACHE SURFACE_MASK SURFACE_CLAMP; Rd, Bracketed, Number(HANDLE);
            "SULD.D" [N 0xeb10/0xfff8] RD RA MEMORY_SIZE[22:20] BA[23] LOAD_CACHE[25:24] SURFACE_DIM[35:33] RC SURFACE_CLAMP[50:49];
                BA SURFACE_DIM LOAD_CACHE MEMORY_SIZE SURFACE_CLAMP; Rd, Bracketed, Register(RC);
            "SULD.D" [N 0xeb18/0xfff8] RD RA MEMORY_SIZE[22:20] BA[23] LOAD_CACHE[25:24] SURFACE_DIM[35:33] HANDLE[48:36] SURFACE_CLAMP[50:49];
                BA SURFACE_DIM LOAD_CACHE MEMORY_SIZE SURFACE_CLAMP; Rd, Bracketed, Number(HANDLE);
        }
        /// Store to an image.
        Sust {
            "SUST.P" [N 0xeb20/0xfff8] RD RA SURFACE_MASK[23:20] STORE_CACHE[25:24] SURFACE_DIM[35:33] RC SURFACE_CLAMP[50:49];
                SURFACE_DIM STORE_CACHE SURFACE_MASK SURFACE_CLAMP; Bracketed, Data, Register(RC);
            "SUST.P" [N 0xeb28/0xfff8] RD RA SURFACE_MASK[23:20] STORE_CACHE[25:24] SURFACE_DIM[35:33] HANDLE[48:36] SURFACE_CLAMP[50:49];
                SURFACE_DIM STORE_CACHE SURFACE_MASK SURFACE_CLAMP; Bracketed, Data, Number(HANDLE);
            "SUST.D" [N 0xeb30/0xfff8] RD RA MEMORY_SIZE[22:20] BA[23] STORE_CACHE[25:24] SURFACE_DIM[35:33] RC SURFACE_CLAMP[50:49];
                BA SURFACE_DIM STORE_CACHE MEMORY_SIZE SURFACE_CLAMP; Bracketed, Data, Register(RC);
            "SUST.D" [N 0xeb38/0xfff8] RD RA MEMORY_SIZE[22:20] BA[23] STORE_CACHE[25:24] SURFACE_DIM[35:33] HANDLE[48:36] SURFACE_CLAMP[50:49];
                BA SURFACE_DIM STORE_CACHE MEMORY_SIZE SURFACE_CLAMP; Bracketed, Data, Number(HANDLE);
        }
        /// Atomic operation on an image without result.
        Sured {
            "SURED.P" [N 0xeb40/0xfff8] RD RA ATOM_OP[26:24] SURFACE_DIM[35:33] RC SURFACE_CLAMP[50:49];
                SURFACE_DIM ATOM_OP SURFACE_CLAMP; Bracketed, Data, Register(RC);
            "SURED.P" [N 0xeb48/0xfff8] RD RA ATOM_OP[26:24] SURFACE_DIM[35:33] HANDLE[48:36] SURFACE_CLAMP[50:49];
                SURFACE_DIM ATOM_OP SURFACE_CLAMP; Bracketed, Data, Number(HANDLE);
            "SURED.D" [N 0xeb50/0xfff8] RD RA SURFACE_TYPE[22:20] BA[23] ATOM_OP[26:24] SURFACE_DIM[35:33] RC SURFACE_CLAMP[50:49];
                BA SURFACE_DIM ATOM_OP SURFACE_TYPE SURFACE_CLAMP; Bracketed, Data, Register(RC);
            "SURED.D" [N 0xeb58/0xfff8] RD RA SURFACE_TYPE[22:20] BA[23] ATOM_OP[26:24] SURFACE_DIM[35:33] HANDLE[48:36] SURFACE_CLAMP[50:49];
                BA SURFACE_DIM ATOM_OP SURFACE_TYPE SURFACE_CLAMP; Bracketed, Data, Number(HANDLE);
        }
        /// Atomic operation on an image.
        Suatom {
            "SUATOM.P" [N 0xea60/0xfff8] RD RA RB[27:20] ATOM_OP[32:29] SURFACE_DIM[35:33] RC SURFACE_CLAMP[50:49];
                SURFACE_DIM ATOM_OP SURFACE_CLAMP; Rd, Bracketed, Register(RB), Register(RC);
            "SUATOM.P" [N 0xea68/0xfff8] RD RA RB[27:20] ATOM_OP[32:29] SURFACE_DIM[35:33] HANDLE[48:36] SURFACE_CLAMP[50:49];
                SURFACE_DIM ATOM_OP SURFACE_CLAMP; Rd, Bracketed, Register(RB), Number(HANDLE);
            "SUATOM.D" [N 0xea70/0xfff8] RD RA RB[27:20] BA[28] ATOM_OP[32:29] SURFACE_DIM[35:33] SURFACE_TYPE[38:36] RC SURFACE_CLAMP[50:49];
                BA SURFACE_DIM ATOM_OP SURFACE_TYPE SURFACE_CLAMP; Rd, Bracketed, Register(RB), Register(RC);
            "SUATOM.D" [N 0xea00/0xffc0] RD RA RB[27:20] BA[28] ATOM_OP[32:29] SURFACE_DIM[35:33] HANDLE[48:36] SURFACE_CLAMP[50:49] SURFACE_TYPE[53:51];
                BA SURFACE_DIM ATOM_OP SURFACE_TYPE SURFACE_CLAMP; Rd, Bracketed, Register(RB), Number(HANDLE);
        }
        /// Comparison and exchange in an image.
        SuatomCas {
            "SUATOM.P" [N 0xeac0/0xfff8] RD RA RB[27:20] SURFACE_DIM[35:33] RC SURFACE_CLAMP[50:49];
                SURFACE_DIM CAS SURFACE_CLAMP; Rd, Bracketed, Register(RB), Register(RC);
            "SUATOM.P" [N 0xeac8/0xfff8] RD RA RB[27:20] SURFACE_DIM[35:33] HANDLE[48:36] SURFACE_CLAMP[50:49];
                SURFACE_DIM CAS SURFACE_CLAMP; Rd, Bracketed, Register(RB), Number(HANDLE);
            "SUATOM.D" [N 0xead0/0xfff8] RD RA RB[27:20] BA[28] SURFACE_DIM[35:33] SURFACE_TYPE[38:36] RC SURFACE_CLAMP[50:49];
                BA SURFACE_DIM CAS SURFACE_TYPE SURFACE_CLAMP; Rd, Bracketed, Register(RB), Register(RC);
            "SUATOM.D" [N 0xea80/0xffc0] RD RA RB[27:20] BA[28] SURFACE_DIM[35:33] HANDLE[48:36] SURFACE_CLAMP[50:49] SURFACE_TYPE[53:51];
                BA SURFACE_DIM CAS SURFACE_TYPE SURFACE_CLAMP; Rd, Bracketed, Register(RB), Number(HANDLE);
        }
    }
    /// Caches, which there are none of here.
    Cache(CacheControlOp) {
        /// Cache control.
        Cctl { "CCTL" [N 0xef60/0xffe0] CACHE_OP[3:0] CACHE_KIND[6:4] RA WORD_OFFSET[51:22] E[52];
            E CACHE_KIND CACHE_OP; CacheAddress; }
        /// Cache control of local memory.
        Cctll { "CCTLL" [N 0xef80/0xfff8] LOCAL_CACHE_OP[3:0] RA WORD_OFFSET[43:22]; LOCAL_CACHE_OP; Memory; }
        /// Cache control of textures.
        Cctlt { "CCTLT" [N 0xebf0/0xfff8] TEXTURE_CACHE_OP[1:0] HANDLE[48:36]; TEXTURE_CACHE_OP; CacheHeader; }
    }
    /// Inputs and pixels of fragment programs.
    Fragment(FragmentOp) {
        /// Evaluates an input at a place of the pixel.
        Ipa { "IPA" [N 0xe000/0xff00]
            RD RA RB[27:20] OFFSET[37:28] IDX[38] RC PC[49:47] PC_NOT[50] SAT[51] IPA_PLACE[53:52] IPA_MODE[55:54];
            IDX IPA_MODE IPA_PLACE SAT; Rd, Input, Register(RB), RegisterUnlessZero(RC), InputPredicate; }
        /// Asks about the pixel and its samples.
        Pixld { "PIXLD" [N 0xefe8/0xfff8] RD RA OFFSET[27:20] PIXEL_QUERY[33:31] PD[47:45];
            PIXEL_QUERY; Rd, PdUnlessTrue, Memory; }
        /// Adds with the signs of each lane of a quad.
        Fswzadd { "FSWZADD" [N 0x50f8/0xfff8] RD RA RB[27:20] SWIZZLE[35:28] NDV[38] ROUND[40:39] FTZ[44] CC;
            FTZ ROUND NDV; Rd, Register(RA), Register(RB), Swizzle; }
    }
    /// Textures.
    Texture(TextureOp) {
        /// Samples a texture.
        Tex { "TEX" [N 0xc038/0xfc38] RD RA RB[27:20] TEXTURE_DIM[30:29+28] TEXTURE_MASK[34:31] NDV[35] HANDLE[48:36]
            NODEP[49] DC[50] AOFFI[54] LOD_MODE[57:55];
            LOD_MODE AOFFI DC NDV NODEP; Rd, Register(RA), RegisterUnlessZero(RB), Number(HANDLE), Name(TEXTURE_DIM), Number(TEXTURE_MASK); }
        /// Samples a texture whose handle is in a register.
        TexB { "TEX.B" [N 0xdeb8/0xfff8] RD RA RB[27:20] TEXTURE_DIM[30:29+28] TEXTURE_MASK[34:31] NDV[35] AOFFI[36]
            LOD_MODE[39:37] NODEP[49] DC[50];
            LOD_MODE AOFFI DC NDV NODEP; Rd, Register(RA), RegisterUnlessZero(RB), Number(HANDLE), Name(TEXTURE_DIM), Number(TEXTURE_MASK); }
        /// Samples a texture, in the scalar form.
        Texs { "TEXS" [N 0xd800/0xfe00] RD RA RB[27:20] RD2[35:28] HANDLE[48:36] NODEP[49] SCALAR_MASK[52:50] TEXS_KIND[56:53];
            TEXS_KIND NODEP; Register(RD2), Rd, Register(RA), RegisterUnlessZero(RB), Number(HANDLE), ScalarDim, Name(SCALAR_MASK); }
        /// Fetches a texel.
        Tld { "TLD" [N 0xdc38/0xff38] RD RA RB[27:20] TEXTURE_DIM[30:29+28] TEXTURE_MASK[34:31] AOFFI[35] HANDLE[48:36]
            NODEP[49] MS[50] CL[54] FETCH_LOD[55];
            FETCH_LOD AOFFI MS CL NODEP; Rd, Register(RA), RegisterUnlessZero(RB), Number(HANDLE), Name(TEXTURE_DIM), Number(TEXTURE_MASK); }
        /// Fetches a texel of a texture whose handle is in a register.
        TldB { "TLD.B" [N 0xdd38/0xff38] RD RA RB[27:20] TEXTURE_DIM[30:29+28] TEXTURE_MASK[34:31] AOFFI[35] NODEP[49] MS[50]
            CL[54] FETCH_LOD[55];
            FETCH_LOD AOFFI MS CL NODEP; Rd, Register(RA), RegisterUnlessZero(RB), Number(HANDLE), Name(TEXTURE_DIM), Number(TEXTURE_MASK); }
        /// Fetches a texel, in the scalar form.
        Tlds { "TLDS" [N 0xda00/0xfe00] RD RA RB[27:20] RD2[35:28] HANDLE[48:36] NODEP[49] SCALAR_MASK[52:50] TLDS_KIND[56:53];
            TLDS_KIND NODEP; Register(RD2), Rd, Register(RA), RegisterUnlessZero(RB), Number(HANDLE), ScalarDim, Name(SCALAR_MASK); }
        /// Gathers a component of four texels.
        Tld4 { "TLD4" [N 0xc838/0xfc38] RD RA RB[27:20] TEXTURE_DIM[30:29+28] TEXTURE_MASK[34:31] NDV[35] HANDLE[48:36]
            NODEP[49] DC[50] GATHER_OFFSET[55:54] GATHER[57:56];
            GATHER GATHER_OFFSET DC NDV NODEP; Rd, Register(RA), RegisterUnlessZero(RB), Number(HANDLE), Name(TEXTURE_DIM), Number(TEXTURE_MASK); }
        /// Gathers a component of four texels of a texture whose handle is in a register.
        Tld4B { "TLD4" [N 0xdef8/0xfff8] RD RA RB[27:20] TEXTURE_DIM[30:29+28] TEXTURE_MASK[34:31] NDV[35] GATHER_OFFSET[37:36]
            GATHER[39:38] NODEP[49] DC[50];
            GATHER BINDLESS GATHER_OFFSET DC NDV NODEP; Rd, Register(RA), RegisterUnlessZero(RB), Number(HANDLE), Name(TEXTURE_DIM), Number(TEXTURE_MASK); }
        /// Gathers a component of four texels, in the scalar form.
        Tld4s { "TLD4S" [N 0xdf00/0xffc0] RD RA RB[27:20] RD2[35:28] HANDLE[48:36] NODEP[49] DC[50] AOFFI[51] GATHER[53:52];
            GATHER AOFFI DC NODEP; Register(RD2), Rd, Register(RA), Register(RB), Number(HANDLE); }
        /// Samples a texture with derivatives.
        Txd { "TXD" [N 0xde38/0xfffc] RD RA RB[27:20] TEXTURE_DIM[30:29+28] TEXTURE_MASK[34:31] AOFFI[35] HANDLE[48:36] NODEP[49];
            AOFFI NODEP; Rd, Register(RA), Register(RB), Number(HANDLE), Name(TEXTURE_DIM), Number(TEXTURE_MASK); }
        /// Samples a texture, whose handle is in a register, with derivatives.
        TxdB { "TXD.B" [N 0xde78/0xfffc] RD RA RB[27:20] TEXTURE_DIM[30:29+28] TEXTURE_MASK[34:31] AOFFI[35] NODEP[49];
            AOFFI NODEP; Rd, Register(RA), Register(RB), Number(HANDLE), Name(TEXTURE_DIM), Number(TEXTURE_MASK); }
        /// Asks about a texture.
        Txq { "TXQ" [N 0xdf48/0xfff8] RD RA QUERY[27:22] TEXTURE_MASK[34:31] HANDLE[48:36] NODEP[49];
            NODEP; Rd, Register(RA), Name(QUERY), Number(HANDLE), Number(TEXTURE_MASK); }
        /// Asks about a texture whose handle is in a register.
        TxqB { "TXQ.B" [N 0xdf50/0xfff8] RD RA QUERY[27:22] TEXTURE_MASK[34:31] NODEP[49];
            NODEP; Rd, Register(RA), Name(QUERY), Number(HANDLE), Number(TEXTURE_MASK); }
        /// Level of detail.
        Tmml { "TMML.LOD" [N 0xdf58/0xfff8] RD RA RB[27:20] TEXTURE_DIM[30:29+28] TEXTURE_MASK[34:31] NDV[35] HANDLE[48:36] NODEP[49];
            NDV NODEP; Rd, Register(RA), Number(HANDLE), Name(TEXTURE_DIM), Number(TEXTURE_MASK); }
        /// Level of detail of a texture whose handle is in a register.
        TmmlB { "TMML.B.LOD" [N 0xdf60/0xfff8] RD RA RB[27:20] TEXTURE_DIM[30:29+28] TEXTURE_MASK[34:31] NDV[35] NODEP[49];
            NDV NODEP; Rd, Register(RA), RegisterUnlessZero(RB), Number(HANDLE), Name(TEXTURE_DIM), Number(TEXTURE_MASK); }
        /// Addresses of texels; not executed here.
        Txa { "TXA" [N 0xdf40/0xfff8] RD RA TEXTURE_MASK[34:31] NDV[35] HANDLE[48:36] NODEP[49];
            NDV NODEP; Rd, Register(RA), Number(HANDLE), Number(TEXTURE_MASK); }
    }
    /// Parts of words: the video instructions.
    Video(VideoOp) {
        /// Addition of parts.
        Vadd {
            "VADD" [R 0x2004/0xfc04] RD RA RC CC VIDEO_B[30:28+49] VIDEO_A[38:36+48] MERGE[53:51] UNSIGNED_RESULT[54] SAT[55]
                NEG_B[56] NEG_A[57]; UNSIGNED_RESULT VIDEO_A VIDEO_B PO SAT MERGE; Rd, A, B, C;
            "VADD" [H 0x2000/0xfc04] RD RA RC CC VIDEO_A[38:36+48] VIDEO_IMM[49] MERGE[53:51] UNSIGNED_RESULT[54] SAT[55]
                NEG_B[56] NEG_A[57]; UNSIGNED_RESULT VIDEO_A VIDEO_IMM PO SAT MERGE; Rd, A, B, C;
        }
        /// Minimum or maximum of parts.
        Vmnmx {
            "VMNMX" [R 0x3a04/0xfe04] RD RA RC CC VIDEO_B[30:28+49] VIDEO_A[38:36+48] MERGE[53:51] UNSIGNED_RESULT[54] SAT[55]
                MX[56]; UNSIGNED_RESULT VIDEO_A VIDEO_B MX SAT MERGE; Rd, A, B, C;
            "VMNMX" [VH 0x3a00/0xfe04] RD RA RC CC VIDEO_A[38:36+48] VIDEO_IMM[49] MERGE[53:51] UNSIGNED_RESULT[54] SAT[55]
                MX[56]; UNSIGNED_RESULT VIDEO_A VIDEO_IMM MX SAT MERGE; Rd, A, B, C;
        }
        /// Comparison of parts to a register.
        Vset {
            "VSET" [R 0x4004/0xfe04] RD RA RC CC VIDEO_B[30:28+49] VIDEO_A[38:36+48] MERGE[53:51] INT_CONDITION[56:54];
                INT_CONDITION VIDEO_A VIDEO_B MERGE; Rd, A, B, C;
            "VSET" [VH 0x4000/0xfe04] RD RA RC CC VIDEO_A[38:36+48] VIDEO_IMM[49] MERGE[53:51] INT_CONDITION[56:54];
                INT_CONDITION VIDEO_A VIDEO_IMM MERGE; Rd, A, B, C;
        }
        /// Comparison of parts to predicates.
        Vsetp {
            "VSETP" [R 0x50f4/0xfffc] PQ PD RA VIDEO_B[30:28+49] VIDEO_A[38:36+48] PC PC_NOT INT_CONDITION[44:43+47] BOOL[46:45];
                INT_CONDITION VIDEO_A VIDEO_B BOOL; Pd, Pq, A, B, Pc;
            "VSETP" [VH 0x50f0/0xfffc] PQ PD RA VIDEO_A[38:36+48] VIDEO_IMM[49] PC PC_NOT INT_CONDITION[44:43+47] BOOL[46:45];
                INT_CONDITION VIDEO_A VIDEO_IMM BOOL; Pd, Pq, A, B, Pc;
        }
        /// Shift left of parts.
        Vshl {
            "VSHL" [R 0x5704/0xff04] RD RA RC CC VIDEO_B[30:28] VIDEO_A[38:36+48] W[49] MERGE[53:51] UNSIGNED_RESULT[54] SAT[55];
                UNSIGNED_RESULT VIDEO_A VIDEO_B W SAT MERGE; Rd, A, B, C;
            "VSHL" [H 0x5700/0xff04] RD RA RC CC VIDEO_A[38:36+48] W[49] MERGE[53:51] UNSIGNED_RESULT[54] SAT[55];
                UNSIGNED_RESULT VIDEO_A VIDEO_IMM W SAT MERGE; Rd, A, B, C;
        }
        /// Shift right of parts.
        Vshr {
            "VSHR" [R 0x5604/0xff04] RD RA RC CC VIDEO_B[30:28] VIDEO_A[38:36+48] W[49] MERGE[53:51] UNSIGNED_RESULT[54] SAT[55];
                UNSIGNED_RESULT VIDEO_A VIDEO_B W SAT MERGE; Rd, A, B, C;
            "VSHR" [H 0x5600/0xff04] RD RA RC CC VIDEO_A[38:36+48] W[49] MERGE[53:51] UNSIGNED_RESULT[54] SAT[55];
                UNSIGNED_RESULT VIDEO_A VIDEO_IMM W SAT MERGE; Rd, A, B, C;
        }
        /// Absolute difference of parts.
        Vabsdiff {
            "VABSDIFF" [R 0x5404/0xff04] RD RA RC CC VIDEO_B[30:28+49] VIDEO_A[38:36+48] MERGE[53:51] SD[54] SAT[55];
                SD VIDEO_A VIDEO_B SAT MERGE; Rd, A, B, C;
            "VABSDIFF" [VH 0x5400/0xff04] RD RA RC CC VIDEO_A[38:36+48] VIDEO_IMM[49] MERGE[53:51] SD[54] SAT[55];
                SD VIDEO_A VIDEO_IMM SAT MERGE; Rd, A, B, C;
        }
        /// Absolute differences of four bytes.
        Vabsdiff4 { "VABSDIFF4" [R 0x5000/0xff80] RD RA RC CC SELECT_B[31:28] SELECT_A[35:32] BYTE_LANES[52:51+37:36] SD[38]
            BYTE_SIGNS[49:48] SAT[50] ACC[53]; SD BYTE_SIGNS SAT ACC BYTE_LANES; Rd, BytesA, BytesB, C; }
        /// Product of parts, and addition.
        Vmad {
            "VMAD" [R 0x5f04/0xff04] RD RA RC CC VIDEO_B[30:28+49] VIDEO_A[38:36+48] VMAD_SHIFT[52:51] NEG_C[53] NEG_A[54] SAT[55];
                VIDEO_A VIDEO_B PO VMAD_SHIFT SAT; Rd, A, B, C;
            "VMAD" [H 0x5f00/0xff04] RD RA RC CC VIDEO_A[38:36+48] VIDEO_IMM[49] VMAD_SHIFT[52:51] NEG_C[53] NEG_A[54] SAT[55];
                VIDEO_A VIDEO_IMM PO VMAD_SHIFT SAT; Rd, A, B, C;
        }
    }
    /// What only systems use.
    System(SystemOp) {
        /// State of a barrier into a register.
        B2r { "B2R" [N 0xf0b8/0xfff8] RD BARRIER_ID[15:8] B2R_MODE[33:32] PD[47:45]; B2R_MODE; Rd, NamedBarrier, PdUnlessTrue; }
        /// Register into the state of a barrier.
        R2b { "R2B" [N 0xf0c0/0xfff8] RB[27:20] BARRIER_ID[31:28] R2B_MODE[33:32]; R2B_MODE; Number(BARRIER_ID), Register(RB); }
        /// The address of the next instruction.
        Lepc { "LEPC" [N 0x50d0/0xfff8] RD; ; Rd; }
        /// Reads where the call stack is.
        Getcrsptr { "GETCRSPTR" [U 0xe2c0/0xfff0] RD; ; Rd; }
        /// Reads where local memory is.
        Getlmembase { "GETLMEMBASE" [U 0xe2d0/0xfff0] RD; ; Rd; }
        /// Says where the call stack is.
        Setcrsptr { "SETCRSPTR" [U 0xe2e0/0xfff0] RA; ; Register(RA); }
        /// Says where local memory is.
        Setlmembase { "SETLMEMBASE" [U 0xe2f0/0xfff0] RA; ; Register(RA); }
        /// Returns from a trap handler.
        Rtt { "RTT" [U 0xe360/0xfff0] RTT_MODE[1:0]; RTT_MODE; ; }
        /// Breakpoint.
        Bpt { "BPT" [U 0xe3a0/0xfff0] BPT_MODE[8:6] BPT_IMM[39:20]; BPT_MODE; NumberUnlessZero(BPT_IMM); }
        /// Enables or disables interrupts.
        Ide { "IDE" [U 0xe390/0xfff0] IDE_MODE[5] SYSTEM_IMM[35:20]; IDE_MODE; Number(SYSTEM_IMM); }
        /// Sets a performance counter's trigger.
        Stp { "STP" [N 0xeea0/0xfff8] SYSTEM_IMM[27:20] WAIT[31]; WAIT; Number(SYSTEM_IMM); }
    }
    /// Arithmetic of floats.
    Float(FloatOp) {
        /// Float addition.
        Fadd { "FADD" [R 0x5c58/0xfff8, F 0x3858/0xfef8, C 0x4c58/0xfff8]
            RD RA CC ROUND[40:39] FTZ[44] NEG_B[45] ABS_A[46] NEG_A[48] ABS_B[49] SAT[50]; FTZ ROUND SAT; Rd, A, B; }
        /// Float addition of a whole immediate.
        Fadd32i { "FADD32I" [WF 0x0800/0xfc00]
            RD RA CC[52] NEG_B[53] ABS_A[54] FTZ[55] NEG_A[56] ABS_B[57]; FTZ; Rd, A, B; }
        /// Float multiplication.
        Fmul { "FMUL" [R 0x5c68/0xfff8, F 0x3868/0xfef8, C 0x4c68/0xfff8]
            RD RA CC ROUND[40:39] SCALE[43:41] FMZ[45:44] NEG_B[48] SAT[50]; FMZ SCALE ROUND SAT; Rd, A, B; }
        /// Float multiplication with a whole immediate.
        Fmul32i { "FMUL32I" [WF 0x1e00/0xff00] RD RA CC[52] FMZ[54:53] SAT[55]; FMZ SAT; Rd, A, B; }
        /// Fused float multiplication and addition.
        Ffma { "FFMA" [R 0x5980/0xff80, F 0x3280/0xfe80, C 0x4980/0xff80, RC 0x5180/0xff80]
            RD RA RC CC NEG_B[48] NEG_C[49] SAT[50] ROUND[52:51] FMZ[54:53]; FMZ ROUND SAT; Rd, A, B, C; }
        /// Fused float multiplication with a whole immediate, and addition of the destination.
        Ffma32i { "FFMA32I" [WF 0x0c00/0xfc00] RD RA CC[52] FMZ[54:53] SAT[55] NEG_A[56] NEG_C[57];
            FMZ SAT; Rd, A, B, RdAgain; }
        /// Float minimum (predicate true) or maximum.
        Fmnmx { "FMNMX" [R 0x5c60/0xfff8, F 0x3860/0xfef8, C 0x4c60/0xfff8]
            RD RA CC PC PC_NOT FTZ[44] NEG_B[45] ABS_A[46] NEG_A[48] ABS_B[49]; FTZ; Rd, A, B, Pc; }
        /// Function of the multi-function unit.
        Mufu { "MUFU" [N 0x5080/0xfff8] RD RA MUFU_OP[23:20] ABS_A[46] NEG_A[48] SAT[50]; MUFU_OP SAT; Rd, A; }
        /// Range reduction for the multi-function unit.
        Rro { "RRO" [R 0x5c90/0xfff8, F 0x3890/0xfef8, C 0x4c90/0xfff8] RD RRO_OP[39] NEG_B[45] ABS_B[49];
            RRO_OP; Rd, B; }
    }
    /// Arithmetic of double precision. Registers are the lower ones of pairs.
    Double(DoubleOp) {
        /// Double addition.
        Dadd { "DADD" [R 0x5c70/0xfff8, D 0x3870/0xfef8, C 0x4c70/0xfff8]
            RD RA CC ROUND[40:39] NEG_B[45] ABS_A[46] NEG_A[48] ABS_B[49]; ROUND; Rd, A, B; }
        /// Double multiplication.
        Dmul { "DMUL" [R 0x5c80/0xfff8, D 0x3880/0xfef8, C 0x4c80/0xfff8] RD RA CC ROUND[40:39] NEG_B[48];
            ROUND; Rd, A, B; }
        /// Fused double multiplication and addition.
        Dfma { "DFMA" [R 0x5b70/0xfff0, D 0x3670/0xfef0, C 0x4b70/0xfff0, RC 0x5370/0xfff0]
            RD RA RC CC NEG_B[48] NEG_C[49] ROUND[51:50]; ROUND; Rd, A, B, C; }
        /// Double minimum (predicate true) or maximum.
        Dmnmx { "DMNMX" [R 0x5c50/0xfff8, D 0x3850/0xfef8, C 0x4c50/0xfff8]
            RD RA CC PC PC_NOT NEG_B[45] ABS_A[46] NEG_A[48] ABS_B[49]; ; Rd, A, B, Pc; }
    }
    /// Comparisons, and the logic of predicates.
    Compare(CompareOp) {
        /// Float comparison to a register.
        Fset { "FSET" [R 0x5800/0xff00, F 0x3000/0xfe00, C 0x4800/0xff00]
            RD RA PC PC_NOT NEG_A[43] ABS_B[44] BOOL[46:45] CC FLOAT_CONDITION[51:48] BF[52] NEG_B[53] ABS_A[54] FTZ[55];
            BF FLOAT_CONDITION FTZ BOOL; Rd, A, B, Pc; }
        /// Float comparison to predicates.
        Fsetp { "FSETP" [R 0x5bb0/0xfff0, F 0x36b0/0xfef0, C 0x4bb0/0xfff0]
            PQ PD NEG_B[6] ABS_A[7] RA PC PC_NOT NEG_A[43] ABS_B[44] BOOL[46:45] FTZ[47] FLOAT_CONDITION[51:48];
            FLOAT_CONDITION FTZ BOOL; Pd, Pq, A, B, Pc; }
        /// Chooses by comparing C with zero.
        Fcmp { "FCMP" [R 0x5ba0/0xfff0, F 0x36a0/0xfef0, C 0x4ba0/0xfff0, RC 0x53a0/0xfff0]
            RD RA RC FTZ[47] FLOAT_CONDITION[51:48]; FLOAT_CONDITION FTZ; Rd, A, B, C; }
        /// Whether a division needs the long way.
        Fchk { "FCHK" [R 0x5c88/0xfff8, F 0x3888/0xfef8, C 0x4c88/0xfff8]
            PD RA FCHK_OP[44:39] NEG_B[45] ABS_A[46] NEG_A[48] ABS_B[49]; FCHK_OP; Pd, A, B; }
        /// Double comparison to a register.
        Dset { "DSET" [R 0x5900/0xff80, D 0x3200/0xfe80, C 0x4900/0xff80]
            RD RA PC PC_NOT NEG_A[43] ABS_B[44] BOOL[46:45] CC FLOAT_CONDITION[51:48] BF[52] NEG_B[53] ABS_A[54];
            BF FLOAT_CONDITION BOOL; Rd, A, B, Pc; }
        /// Double comparison to predicates.
        Dsetp { "DSETP" [R 0x5b80/0xfff0, D 0x3680/0xfef0, C 0x4b80/0xfff0]
            PQ PD NEG_B[6] ABS_A[7] RA PC PC_NOT NEG_A[43] ABS_B[44] BOOL[46:45] FLOAT_CONDITION[51:48];
            FLOAT_CONDITION BOOL; Pd, Pq, A, B, Pc; }
        /// Integer comparison to predicates.
        Isetp { "ISETP" [R 0x5b60/0xfff0, I 0x3660/0xfef0, C 0x4b60/0xfff0]
            PQ PD RA PC PC_NOT X[43] BOOL[46:45] SIGNED[48] INT_CONDITION[51:49];
            INT_CONDITION SIGNED X BOOL; Pd, Pq, A, B, Pc; }
        /// Integer comparison to a register.
        Iset { "ISET" [R 0x5b50/0xfff0, I 0x3650/0xfef0, C 0x4b50/0xfff0]
            RD RA PC PC_NOT X[43] BF[44] BOOL[46:45] CC SIGNED[48] INT_CONDITION[51:49];
            BF INT_CONDITION SIGNED X BOOL; Rd, A, B, Pc; }
        /// Chooses by comparing C with zero.
        Icmp { "ICMP" [R 0x5b40/0xfff0, I 0x3640/0xfef0, C 0x4b40/0xfff0, RC 0x5340/0xfff0]
            RD RA RC SIGNED[48] INT_CONDITION[51:49]; INT_CONDITION SIGNED; Rd, A, B, C; }
        /// Logic of predicates.
        Psetp { "PSETP" [N 0x5090/0xfff8]
            PQ PD PA[14:12] PA_NOT[15] BOOL_AB[25:24] PB[31:29] PB_NOT[32] PC PC_NOT BOOL[46:45];
            BOOL_AB BOOL; Pd, Pq, Pa, Pb, Pc; }
        /// Logic of predicates to a register.
        Pset { "PSET" [N 0x5088/0xfff8]
            RD PA[14:12] PA_NOT[15] BOOL_AB[25:24] PB[31:29] PB_NOT[32] PC PC_NOT BF[44] BOOL[46:45] CC;
            BF BOOL_AB BOOL; Rd, Pa, Pb, Pc; }
        /// Test of the condition code to predicates.
        Csetp { "CSETP" [N 0x50a0/0xfff8] PQ PD TEST[12:8] PC PC_NOT BOOL[46:45]; TEST BOOL; Pd, Pq, Cc, Pc; }
        /// Test of the condition code to a register.
        Cset { "CSET" [N 0x5098/0xfff8] RD TEST[12:8] PC PC_NOT BF[44] BOOL[46:45] CC; BF TEST BOOL; Rd, Cc, Pc; }
    }
    /// Arithmetic of integers.
    Integer(IntegerOp) {
        /// Addition.
        Iadd { "IADD" [R 0x5c10/0xfff8, I 0x3810/0xfef8, C 0x4c10/0xfff8]
            RD RA X[43] CC NEG_B[48] NEG_A[49] SAT[50]; PO SAT X; Rd, A, B; }
        /// Addition of a whole immediate.
        Iadd32i { "IADD32I" [WI 0x1c00/0xfe00] RD RA CC[52] X[53] SAT[54] NEG_B[55] NEG_A[56]; PO SAT X; Rd, A, B; }
        /// Addition of three numbers.
        Iadd3 {
            "IADD3" [R 0x5cc0/0xfff0] RD RA HALF_C[32:31] HALF_B[34:33] HALF_A[36:35] IADD3_SHIFT[38:37] RC CC X[48]
                NEG_C[49] NEG_B[50] NEG_A[51]; IADD3_SHIFT X; Rd, A, B, C;
            "IADD3" [IU 0x38c0/0xfef0, C 0x4cc0/0xfff0] RD RA RC CC X[48] NEG_C[49] NEG_B[50] NEG_A[51]; X; Rd, A, B, C;
        }
        /// Multiplication of half words, and addition.
        Xmad {
            "XMAD" [R 0x5b00/0xffc0] RD RA HIGH_B[35] PSL[36] MRG[37] X[38] RC CC HALF_FACTORS[49:48] XMAD_MODE[52:50]
                HIGH_A[53]; HALF_FACTORS PSL XMAD_MODE MRG X; Rd, A, SpacedB, C;
            "XMAD" [H 0x3600/0xfec0] RD RA PSL[36] MRG[37] X[38] RC CC HALF_FACTORS[49:48] XMAD_MODE[52:50]
                HIGH_A[53]; HALF_FACTORS PSL XMAD_MODE MRG X; Rd, A, SpacedB, C;
            "XMAD" [C 0x4e00/0xfe00] RD RA RC CC HALF_FACTORS[49:48] XMAD_MODE[51:50] HIGH_B[52] HIGH_A[53] X[54] PSL[55]
                MRG[56]; HALF_FACTORS PSL XMAD_MODE MRG X; Rd, A, SpacedB, C;
            "XMAD" [RC 0x5100/0xff80] RD RA RC CC HALF_FACTORS[49:48] XMAD_MODE[51:50] HIGH_B[52] HIGH_A[53] X[54];
                HALF_FACTORS XMAD_MODE X; Rd, A, B, C;
        }
        /// Shift left and addition.
        Iscadd { "ISCADD" [R 0x5c18/0xfff8, I 0x3818/0xfef8, C 0x4c18/0xfff8]
            RD RA SHIFT[43:39] CC NEG_B[48] NEG_A[49]; PO; Rd, A, B, Number(SHIFT); }
        /// Shift left and addition of a whole immediate.
        Iscadd32i { "ISCADD32I" [WI 0x1400/0xfc00] RD RA CC[52] SHIFT[57:53]; ; Rd, A, B, Number(SHIFT); }
        /// Shift left and addition with carry.
        Lea { "LEA" [R 0x5bd0/0xfff8, I 0x36d0/0xfef8, C 0x4bd0/0xfff8]
            RD RA SHIFT[43:39] NEG_A[45] X[46] CC PD[50:48]; X; PdUnlessTrue, Rd, A, B, NumberUnlessZero(SHIFT); }
        /// Shift left of two words, and addition of the high one.
        LeaHi {
            "LEA.HI" [R 0x5bd8/0xfff8] RD RA SHIFT[32:28] NEG_A[37] X[38] RC CC PD[50:48];
                X; PdUnlessTrue, Rd, A, B, C, NumberUnlessZero(SHIFT);
            "LEA.HI" [C 0x1800/0xfc00] RD RA RC CC PD[50:48] SHIFT[55:51] NEG_A[56] X[57];
                X; PdUnlessTrue, Rd, A, B, C, NumberUnlessZero(SHIFT);
        }
        /// Multiplication.
        Imul { "IMUL" [R 0x5c38/0xfff8, I 0x3838/0xfef8, C 0x4c38/0xfff8] RD RA HI[39] FACTORS[41:40] CC;
            FACTORS HI; Rd, A, B; }
        /// Multiplication with a whole immediate.
        Imul32i { "IMUL32I" [WI 0x1f00/0xff00] RD RA CC[52] HI[53] FACTORS[55:54]; FACTORS HI; Rd, A, B; }
        /// Multiplication and addition.
        Imad { "IMAD" [R 0x5a00/0xff80, I 0x3400/0xfe80, C 0x4a00/0xff80, RC 0x5200/0xff80]
            RD RA RC CC FACTORS[48:48+53] X[49] SAT[50] NEG_C[51] NEG_A[52] HI[54]; FACTORS HI PO SAT X; Rd, A, B, C; }
        /// Multiplication with a whole immediate, and addition of the destination.
        Imad32i { "IMAD32I" [WI 0x1000/0xfc00] RD RA CC[52] HI[53] FACTORS[54:54+57] NEG_C[55] NEG_A[56];
            FACTORS HI PO; Rd, A, B, RdAgain; }
        /// Multiplication and addition of parts of words.
        Imadsp { "IMADSP" [R 0x5a80/0xff80, I 0x3480/0xfe80, C 0x4a80/0xff80, RC 0x5280/0xff80]
            RD RA RC CC SP_A[50:48] SP_C[52:51] SP_B[54:53]; SP_A SP_B SP_C; Rd, A, B, C; }
        /// Integer minimum (predicate true) or maximum.
        Imnmx { "IMNMX" [R 0x5c20/0xfff8, I 0x3820/0xfef8, C 0x4c20/0xfff8]
            RD RA PC PC_NOT MINMAX_EXTEND[44:43] CC SIGNED[48]; SIGNED MINMAX_EXTEND; Rd, A, B, Pc; }
    }
    /// Shifts, logic, bit fields, bytes.
    Bits(BitsOp) {
        /// Shift left.
        Shl { "SHL" [R 0x5c48/0xfff8, I 0x3848/0xfef8, C 0x4c48/0xfff8] RD RA W[39] X[43] CC; W X; Rd, A, B; }
        /// Shift right.
        Shr { "SHR" [R 0x5c28/0xfff8, I 0x3828/0xfef8, C 0x4c28/0xfff8]
            RD RA W[39] BREV[40] SHIFT_EXTEND[44:43] CC SIGNED[48]; SIGNED W SHIFT_EXTEND BREV; Rd, A, B; }
        /// Funnel shift right.
        ShfR { "SHF.R" [R 0x5cf8/0xfff8, K 0x38f8/0xfef8] RD RA FUNNEL_TYPE[38:37] RC CC FUNNEL_PART[49:48] W[50];
            W FUNNEL_TYPE FUNNEL_PART; Rd, A, B, C; }
        /// Funnel shift left.
        ShfL { "SHF.L" [R 0x5bf8/0xfff8, K 0x36f8/0xfef8] RD RA FUNNEL_TYPE[38:37] RC CC FUNNEL_PART[49:48] W[50];
            W FUNNEL_TYPE FUNNEL_PART; Rd, A, B, C; }
        /// Bitwise operation.
        Lop { "LOP" [R 0x5c40/0xfff8, I 0x3840/0xfef8, C 0x4c40/0xfff8]
            RD RA INV_A[39] INV_B[40] LOGIC_OP[42:41] X[43] PREDICATE_MODE[45:44] CC PD[50:48];
            LOGIC_OP X PREDICATE_MODE; PdUnlessTrue, Rd, A, B; }
        /// Bitwise operation with a whole immediate.
        Lop32i { "LOP32I" [WU 0x0400/0xfc00] RD RA CC[52] LOGIC_OP[54:53] INV_A[55] INV_B[56] X[57];
            LOGIC_OP X; Rd, A, B; }
        /// Any bitwise operation of three operands.
        Lop3 {
            "LOP3.LUT" [R 0x5be0/0xfff8] RD RA LUT[35:28] PREDICATE_MODE[37:36] X[38] RC CC PD[50:48];
                X PREDICATE_MODE; PdUnlessTrue, Rd, A, B, C, Number(LUT);
            "LOP3.LUT" [I 0x3c00/0xfc00] RD RA RC CC LUT[55:48] X[57]; X; Rd, A, B, C, Number(LUT);
            "LOP3.LUT" [C 0x0200/0xfe00] RD RA RC CC LUT[55:48] X[56]; X; Rd, A, B, C, Number(LUT);
        }
        /// Bit field extract.
        Bfe { "BFE" [R 0x5c00/0xfff8, I 0x3800/0xfef8, C 0x4c00/0xfff8] RD RA BREV[40] CC SIGNED[48];
            SIGNED BREV; Rd, A, B; }
        /// Bit field insert.
        Bfi { "BFI" [R 0x5bf0/0xfff8, I 0x36f0/0xfef8, C 0x4bf0/0xfff8, RC 0x53f0/0xfff8] RD RA RC CC; ; Rd, A, B, C; }
        /// Find leading one.
        Flo { "FLO" [R 0x5c30/0xfff8, I 0x3830/0xfef8, C 0x4c30/0xfff8] RD INV_B[40] SH[41] CC SIGNED[48];
            SIGNED SH; Rd, B; }
        /// Population count.
        Popc { "POPC" [R 0x5c08/0xfff8, I 0x3808/0xfef8, C 0x4c08/0xfff8] RD INV_B[40]; ; Rd, B; }
        /// Permutes bytes.
        Prmt { "PRMT" [R 0x5bc0/0xfff0, I 0x36c0/0xfef0, C 0x4bc0/0xfff0, RC 0x53c0/0xfff0] RD RA RC PRMT_MODE[51:48];
            PRMT_MODE; Rd, A, B, C; }
    }
    /// Conversions between types of numbers.
    Convert(ConvertOp) {
        /// Integer to float.
        I2f { "I2F" [R 0x5cb8/0xfff8, I 0x38b8/0xfef8, C 0x4cb8/0xfff8]
            RD TO_FLOAT[9:8] FROM_INT[11:10+13] ROUND[40:39] BYTE_B[42:41] NEG_B[45] CC ABS_B[49];
            TO_FLOAT FROM_INT ROUND; Rd, SpacedB; }
        /// Float to integer.
        F2i { "F2I" [R 0x5cb0/0xfff8, V 0x38b0/0xfef8, C 0x4cb0/0xfff8]
            RD TO_INT[9:8+12] FROM_FLOAT[11:10] INT_ROUND[40:39] HIGH_B[41] FTZ[44] NEG_B[45] CC ABS_B[49];
            FTZ TO_INT FROM_FLOAT INT_ROUND; Rd, SpacedB; }
        /// Float to float.
        F2f { "F2F" [R 0x5ca8/0xfff8, V 0x38a8/0xfef8, C 0x4ca8/0xfff8]
            RD TO_FLOAT[9:8] FROM_FLOAT[11:10] F2F_ROUND[40:39+42] HIGH_B[41] FTZ[44] NEG_B[45] CC ABS_B[49] SAT[50];
            FTZ TO_FLOAT FROM_FLOAT F2F_ROUND SAT; Rd, ConvertedB; }
        /// Integer to integer.
        I2i { "I2I" [R 0x5ce0/0xfff8, I 0x38e0/0xfef8, C 0x4ce0/0xfff8]
            RD TO_INT[9:8+12] FROM_INT[11:10+13] BYTE_B[42:41] NEG_B[45] CC ABS_B[49] SAT[50];
            TO_INT FROM_INT SAT; Rd, SpacedB; }
    }
    /// Predicates and condition code to and from registers.
    Flags(FlagsOp) {
        /// Predicates or condition code into a register.
        P2r { "P2R" [R 0x5ce8/0xfff8, I 0x38e8/0xfef8, C 0x4ce8/0xfff8] RD RA FLAGS[40] BYTE[42:41]; BYTE; Rd, Flags, A, B; }
        /// Register into predicates or condition code.
        R2p { "R2P" [R 0x5cf0/0xfff8, IU 0x38f0/0xfef8, C 0x4cf0/0xfff8] RA FLAGS[40] BYTE_A[42:41]; ; Flags, A, B; }
    }
    /// Values of the other lanes of a warp.
    Exchange(ExchangeOp) {
        /// Vote of the active lanes.
        Vote { "VOTE" [N 0x50d8/0xfff8] RD PC PC_NOT PD[47:45] VOTE_MODE[49:48]; VOTE_MODE; RdUnlessZero, Pd, Pc; }
        /// Value of another lane.
        Shfl { "SHFL" [N 0xef10/0xfff8]
            RD RA RB[27:20] LANE_IS_IMM[28] CLAMP_IS_IMM[29] SHUFFLE_MODE[31:30] CLAMP_IMM[46:34] PD[50:48];
            SHUFFLE_MODE; Pd, Rd, A, Lane, Clamp; }
    }
    /// Flow control.
    Flow(FlowOp) {
        /// Branch.
        Bra { "BRA" [N 0xe240/0xfff0] TEST[4:0] TARGET_CONST[5] LMT[6] U[7] TARGET[43:20]; U LMT; Test, Target; }
        /// Branch to a register plus an offset.
        Brx { "BRX" [N 0xe250/0xfff0] TEST[4:0] TARGET_CONST[5] LMT[6] RA TARGET[43:20]; LMT; Test, IndexedTarget; }
        /// Absolute branch.
        Jmp { "JMP" [N 0xe210/0xfff0] TEST[4:0] TARGET_CONST[5] LMT[6] U[7] ABSOLUTE[51:20]; U LMT; Test, Absolute; }
        /// Absolute branch to a register plus an offset.
        Jmx { "JMX" [N 0xe200/0xfff0] TEST[4:0] TARGET_CONST[5] LMT[6] RA ABSOLUTE[51:20]; LMT; Test, IndexedAbsolute; }
        /// Says where lanes meet again.
        Ssy { "SSY" [U 0xe290/0xfff0] TARGET_CONST[5] TARGET[43:20]; ; Target; }
        /// Says where `BRK` goes.
        Pbk { "PBK" [U 0xe2a0/0xfff0] TARGET_CONST[5] TARGET[43:20]; ; Target; }
        /// Says where `CONT` goes.
        Pcnt { "PCNT" [U 0xe2b0/0xfff0] TARGET_CONST[5] TARGET[43:20]; ; Target; }
        /// Says where `RET` goes.
        Pret { "PRET" [U 0xe270/0xfff0] TARGET_CONST[5] CALL_COUNT[6] TARGET[43:20]; CALL_COUNT; Target; }
        /// Call.
        Cal { "CAL" [U 0xe260/0xfff0] TARGET_CONST[5] CALL_COUNT[6] TARGET[43:20]; CALL_COUNT; Target; }
        /// Absolute call.
        Jcal { "JCAL" [U 0xe220/0xfff0] TARGET_CONST[5] CALL_COUNT[6] ABSOLUTE[51:20]; CALL_COUNT; Absolute; }
        /// Says where an exit goes.
        Pexit { "PEXIT" [U 0xe230/0xfff0] TARGET[43:20]; ; Target; }
        /// Says where `LONGJMP` goes.
        Plongjmp { "PLONGJMP" [U 0xe280/0xfff0] TARGET_CONST[5] TARGET[43:20]; ; Target; }
        /// Waits for the lanes of the last `SSY`.
        Sync { "SYNC" [N 0xf0f8/0xfff8] TEST[4:0]; ; Test; }
        /// Leaves a loop.
        Brk { "BRK" [N 0xe340/0xfff0] TEST[4:0]; ; Test; }
        /// Goes on with a loop.
        Cont { "CONT" [N 0xe350/0xfff0] TEST[4:0]; ; Test; }
        /// Return.
        Ret { "RET" [N 0xe320/0xfff0] TEST[4:0]; ; Test; }
        /// Ends lanes.
        Exit { "EXIT" [N 0xe300/0xfff0] TEST[4:0] KEEP_REF_COUNT[5]; KEEP_REF_COUNT; Test; }
        /// Ends lanes without output.
        Kil { "KIL" [N 0xe330/0xfff0] TEST[4:0]; ; Test; }
        /// Makes all lanes of the active quads active.
        Sam { "SAM" [U 0xe370/0xfff0]; ; ; }
        /// Makes the lanes active that `SAM` found active.
        Ram { "RAM" [U 0xe380/0xfff0]; ; ; }
        /// Goes to where `PLONGJMP` says.
        Longjmp { "LONGJMP" [N 0xe310/0xfff0] TEST[4:0]; ; Test; }
    }
    /// What orders other instructions, and what does nothing.
    Order(OrderOp) {
        /// Nothing.
        Nop { "NOP" [N 0x50b0/0xfff8] TEST[12:8] TRIG[13] NOP_IMM[35:20]; TRIG; Test, NumberUnlessZero(NOP_IMM); }
        /// Vote of the vertex stages; does nothing.
        VoteVtg { "VOTE.VTG" [N 0x50e0/0xfff8] VTG_IMM[47:20] VTG_MODE[49:48]; VTG_MODE; Number(VTG_IMM); }
        /// Barrier of a thread block.
        Bar { "BAR" [N 0xf0a8/0xfff8] BARRIER_ID[15:8] BARRIER_COUNT[31:20] BARRIER_OP[34:32] BARRIER_REDUCTION[36:35]
            PC PC_NOT BARRIER_COUNT_IMM[43] BARRIER_ID_IMM[44];
            BARRIER_OP BARRIER_REDUCTION; BarrierId, BarrierCount, BarrierPredicate; }
        /// Waits for scoreboards.
        Depbar { "DEPBAR" [N 0xf0f0/0xfff8] SCOREBOARD_SET[5:0] SCOREBOARD_COUNT[25:20] SCOREBOARD[28:26] LE[29];
            LE; Scoreboard, ScoreboardSet; }
        /// Orders memory accesses.
        Membar { "MEMBAR" [N 0xef98/0xfff8] MEMBAR_INVALIDATE[1:0] MEMBAR_SCOPE[9:8]; MEMBAR_SCOPE MEMBAR_INVALIDATE; ; }
    }
}

impl Op {
    /// Whether the instruction is arithmetic of double precision.
    pub const fn is_double(self) -> bool {
        use CompareOp::*;
        match self.class() {
            Class::Double(_) => true,
            Class::Compare(op) => match op {
                Dset | Dsetp => true,
                Fset | Fsetp | Fcmp | Fchk | Isetp | Iset | Icmp | Psetp | Pset | Csetp | Cset => false,
            },
            Class::Raw
            | Class::Attribute(_)
            | Class::Special(_)
            | Class::Move(_)
            | Class::Constant(_)
            | Class::Local(_)
            | Class::Global(_)
            | Class::Shared(_)
            | Class::Atomic(_)
            | Class::Surface(_)
            | Class::Cache(_)
            | Class::Fragment(_)
            | Class::Texture(_)
            | Class::Video(_)
            | Class::System(_)
            | Class::Float(_)
            | Class::Integer(_)
            | Class::Bits(_)
            | Class::Convert(_)
            | Class::Flags(_)
            | Class::Exchange(_)
            | Class::Flow(_)
            | Class::Order(_) => false,
        }
    }
}

impl Op {
    /// Whether the instruction writes memory that launches share: headers announce it by DOES_GLOBAL_STORE.
    pub const fn stores_globally(self) -> bool {
        use Op::*;
        matches!(self, St | Stg | Atom | AtomCas | Red | Sust | Sured | Suatom | SuatomCas)
    }

    /// Whether the instruction writes memory, and nothing else.
    pub const fn is_store(self) -> bool {
        matches!(self, Op::St | Op::Stg | Op::Sts | Op::Red | Op::Sust | Op::Sured)
    }

    /// Whether the instruction loads or stores: headers announce it by DOES_LOAD_OR_STORE.
    pub const fn loads_or_stores(self) -> bool {
        matches!(
            self.class(),
            Class::Local(_)
                | Class::Global(_)
                | Class::Shared(_)
                | Class::Atomic(_)
                | Class::Surface(_)
                | Class::Cache(_)
        )
    }
}

impl GlobalOp {
    /// Whether the instruction writes memory.
    pub const fn stores(self) -> bool {
        match self {
            GlobalOp::St | GlobalOp::Stg => true,
            GlobalOp::Ld | GlobalOp::Ldg => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_is_of_two_forms() {
        for upper in 0..=u16::MAX {
            let word = u64::from(upper) << 48;
            let patterns = ROWS.iter().flat_map(|row| row.patterns.iter().map(move |pattern| (row.name, pattern)));
            let found: Vec<&str> =
                patterns.filter(|(_, pattern)| pattern.matches(word)).map(|(name, _)| name).collect();
            assert!(found.len() <= 1, "{upper:04x}: {found:?}");
        }
    }

    #[test]
    fn no_bit_is_of_two_fields() {
        for row in ROWS {
            for pattern in row.patterns {
                let mut taken = u64::from(pattern.mask) << 48;
                for field in row.fields(pattern.shape) {
                    let mask = field.bits.mask();
                    assert_eq!(taken & mask, 0, "{} {:?}", row.name, field.id);
                    taken |= mask;
                }
            }
        }
    }

    #[test]
    fn every_suffix_is_a_field_of_its_form() {
        for row in ROWS {
            for &id in row.suffixes {
                let follows =
                    matches!(id, FieldId::PO | FieldId::PHYS | FieldId::BINDLESS | FieldId::CAS | FieldId::VIDEO_IMM);
                let there = |pattern: &Pattern| row.bits_of(pattern.shape, id).is_some();
                assert!(follows || row.patterns.iter().all(there), "{} {id:?}", row.name);
            }
        }
    }
}
