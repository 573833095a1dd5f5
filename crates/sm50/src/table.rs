//! The table of instructions. Decoding, encoding, text both ways, and the generators of tests come from it.
//!
//! A row reads: name, forms with the upper sixteen bits (value/mask), fields with their bits, the fields that are
//! appended to the name in the order of the text, the operands in the order of the text. Fields that have no bits here
//! are in their usual place, or follow from others (`PO`, `PHYS`).
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
        Bits::split($hi, $lo, $top)
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
    /// Global memory.
    Global(GlobalOp) {
        /// Load from global memory.
        Ldg { "LDG" [N 0xeed0/0xfff8] RD RA OFFSET[43:20] E[45] LOAD_CACHE[47:46] MEMORY_SIZE[50:48];
            E LOAD_CACHE MEMORY_SIZE; Rd, Memory; }
        /// Store to global memory.
        Stg { "STG" [N 0xeed8/0xfff8] RD RA OFFSET[43:20] E[45] STORE_CACHE[47:46] MEMORY_SIZE[50:48];
            E STORE_CACHE MEMORY_SIZE; Memory, Data; }
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
                let follows = matches!(id, FieldId::PO | FieldId::PHYS);
                let there = |pattern: &Pattern| row.bits_of(pattern.shape, id).is_some();
                assert!(follows || row.patterns.iter().all(there), "{} {id:?}", row.name);
            }
        }
    }
}
