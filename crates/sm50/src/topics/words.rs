//! What instructions give, as formulas and rules, by the table's own classes.

use super::access::{atomic, fragment, shared, surface, system, texture, video};
use crate::table::*;

/// A formula, and what has to be known beside it.
pub struct Words {
    /// The result.
    pub formula: &'static str,
    /// Rounding, special values, suffixes.
    pub rules: &'static [&'static str],
}

pub(super) const fn words(formula: &'static str, rules: &'static [&'static str]) -> Words {
    Words { formula, rules }
}

const ROUNDED: &str =
    "rounds once, to the nearest, ties to even, or as `.RM` (down), `.RP` (up), `.RZ` (towards 0) say";
pub(super) const FTZ: &str =
    "denormals count, but with `.FTZ` they are zeros of their sign, as operands and as results";
const FMZ: &str = "`.FMZ` does as `.FTZ`, and a factor of zero makes the product +0 whatever the other one is";
const NAN: &str = "a NaN that it computes is 0x7fffffff";
const NAN64: &str = "a NaN that it computes is 0x7fffffffffffffff";
const SAT: &str = "`.SAT` clamps to [0, 1]; NaN becomes +0";
const PAIR: &str = "values of 64 bits are in pairs of registers, of which the even one is named and has the lower half; of an immediate, and of a \
                    constant whose offset is not a multiple of 8, there is only the upper half";
pub(super) const FLAGS: &str =
    "`.CC` after the destination sets the condition code: zero, sign, carry and overflow of a sum; else zero and sign";
const FLOAT_FLAGS: &str =
    "`.CC` after the destination sets zero and sign of the condition code; a NaN sets both, -0 only zero";
const COMBINED: &str =
    "`.AND`, `.OR`, `.XOR` combine the comparison with the predicate; `Pq` gets the opposite comparison, so combined";
const UNORDERED: &str =
    "with a NaN comparisons are false, those whose names end in U true; `NUM` and `NAN` ask whether there is one";
const WHOLE: &str = "`.BF` gives 1.0 for true instead of all ones";
const SELECTED: &str = "what is chosen keeps its bits";
const COUNTS: &str = "a count of 32 or more shifts everything out; with `.W` counts are taken modulo 32";

fn attribute(op: AttributeOp) -> Words {
    match op {
        AttributeOp::Ast => words(
            "a[address + 4 * i] = R(data + i), for the words of the access",
            &[
                "the address is rounded down to a multiple of the access's size; .96 is aligned to 128 bits",
                "only attributes that the next stage reads, or that StoreReq names, are kept; `.P` stores to the patch record",
                "geometry programs give the state of the last OUT as the third operand",
            ],
        ),
        AttributeOp::Ald => words(
            "R(d + i) = a[address + 4 * i] of the vertex whose handle is the third operand",
            &[
                "the address is rounded down to a multiple of the access's size",
                "an attribute that the input map does not have reads 0; `.O` reads outputs, `.P` the patch record",
            ],
        ),
        AttributeOp::Al2p => words(
            "Rd = A + offset; Pd = whether that is an address, 0 to 0x3ff",
            &["the number is what accesses with `.PHYS` take; here it is the address itself"],
        ),
        AttributeOp::Isberd => {
            words("Rd = entry A of the store", &["entry h is handle h, which programs only pass on"])
        }
        AttributeOp::Out => words(
            "emit the vertex that was stored, cut the strip, or both; Rd = the new state",
            &[
                "A is the state that the last OUT gave, 0 at the start; B is the stream in bits 1:0",
                "at the end of the program R0 holds the last state",
            ],
        ),
    }
}

fn moves(op: MoveOp) -> Words {
    match op {
        MoveOp::Mov => words("Rd = B", &["with a mask, only in lanes L with bit L % 4 of it set"]),
        MoveOp::Mov32i => words(
            "Rd = B",
            &[
                "B has all 32 bits: a whole number, or a float such as 0.1",
                "with a mask, only in lanes L with bit L % 4 of it set",
            ],
        ),
        MoveOp::Sel => words("Rd = P ? A : B", &[SELECTED]),
    }
}

pub(super) const ALIGNED: &str = "an address that is not a multiple of the size is rounded down (a trap with --strict); U8 and U16 extend with zeros, S8 and \
                      S16 with the sign";
pub(super) const WIDE: &str = "`.E` takes a 64-bit address from the pair A, A + 1";

fn constant(op: ConstantOp) -> Words {
    match op {
        ConstantOp::Ldc => words(
            "Rd = c[bank][A + offset]",
            &[
                ALIGNED,
                "past the end of the bank it reads 0 (a trap with --strict)",
                "`.IL`, `.IS` and `.ISL` add A's upper half to the bank and its lower half to the offset",
            ],
        ),
    }
}

fn local(op: LocalOp) -> Words {
    match op {
        LocalOp::Ldl => words(
            "Rd = local memory of the lane at A + offset",
            &[ALIGNED, "outside of the lane's local memory it reads 0 (a trap with --strict)"],
        ),
        LocalOp::Stl => words(
            "local memory of the lane at A + offset = data",
            &[ALIGNED, "outside of the lane's local memory it does nothing (a trap with --strict)"],
        ),
    }
}

fn global(op: GlobalOp) -> Words {
    match op {
        GlobalOp::Ld | GlobalOp::Ldg => words(
            "Rd = global memory at A + offset",
            &[ALIGNED, WIDE, "where no memory is, it reads 0 (a trap with --strict)"],
        ),
        GlobalOp::St | GlobalOp::Stg => words(
            "global memory at A + offset = data",
            &[ALIGNED, WIDE, "where no memory is, it does nothing (a trap with --strict)"],
        ),
    }
}

fn float(op: FloatOp) -> Words {
    match op {
        FloatOp::Fadd => words("Rd = A + B", &[ROUNDED, FTZ, NAN, SAT]),
        FloatOp::Fadd32i => words("Rd = A + B", &["rounds once, to the nearest, ties to even", FTZ, NAN]),
        FloatOp::Fmul => words(
            "Rd = A * B * scale",
            &[
                ROUNDED,
                FTZ,
                FMZ,
                NAN,
                SAT,
                "`.D2`, `.D4`, `.D8` divide and `.M2`, `.M4`, `.M8` multiply, before the one rounding",
            ],
        ),
        FloatOp::Fmul32i => words("Rd = A * B", &["rounds once, to the nearest, ties to even", FTZ, FMZ, NAN, SAT]),
        FloatOp::Ffma => words("Rd = A * B + C", &["the product is not rounded", ROUNDED, FTZ, FMZ, NAN, SAT]),
        FloatOp::Ffma32i => {
            words("Rd = A * B + Rd", &["rounds once, to the nearest, ties to even", FTZ, FMZ, NAN, SAT])
        }
        FloatOp::Fmnmx => words(
            "Rd = P ? min(A, B) : max(A, B)",
            &["one NaN gives the other operand, two give 0x7fffffff; -0 is below +0", FTZ],
        ),
        FloatOp::Mufu => words(
            "Rd = function(A)",
            &[
                "COS, SIN (of an angle that RRO.SINCOS prepared), EX2 (2 ^ A), LG2 (log2 A), RCP (1 / A), RSQ (1 / sqrt A); RCP64H and RSQ64H are of the upper half of a double",
                "the bits are those of the machine's tables; denormals count as zeros; RCP of zero is infinity of its sign, RSQ and LG2 of numbers below 0 are NaN",
                NAN,
                SAT,
            ],
        ),
        FloatOp::Rro => words("Rd = A, prepared for MUFU", &["only MUFU understands the result"]),
    }
}

fn double(op: DoubleOp) -> Words {
    match op {
        DoubleOp::Dadd => words("Rd = A + B", &[PAIR, ROUNDED, NAN64]),
        DoubleOp::Dmul => words("Rd = A * B", &[PAIR, ROUNDED, NAN64]),
        DoubleOp::Dfma => words("Rd = A * B + C", &[PAIR, "the product is not rounded", ROUNDED, NAN64]),
        DoubleOp::Dmnmx => {
            words("Rd = P ? min(A, B) : max(A, B)", &[PAIR, "one NaN gives the other operand; -0 is below +0"])
        }
    }
}

fn compare(op: CompareOp) -> Words {
    const TESTS: &str = "zero and sign together mean unordered: tests whose names end in U are true then, those of the same names without it false";
    match op {
        CompareOp::Fset => words("Rd = (A condition B) bool P ? -1 : 0", &[UNORDERED, WHOLE, FTZ]),
        CompareOp::Fsetp => {
            words("Pd = (A condition B) bool P; Pq = !(A condition B) bool P", &[UNORDERED, COMBINED, FTZ])
        }
        CompareOp::Fcmp => {
            words("Rd = (C condition 0.0) ? A : B", &[UNORDERED, SELECTED, "without a condition it is GT"])
        }
        CompareOp::Fchk => words(
            "Pd = A / B is not to be had by multiplying with the reciprocal",
            &[
                "true where an exponent is extreme, or the two differ by 126 or more; code that follows is right either way",
            ],
        ),
        CompareOp::Dset => words("Rd = (A condition B) bool P ? -1 : 0", &[PAIR, UNORDERED, WHOLE]),
        CompareOp::Dsetp => {
            words("Pd = (A condition B) bool P; Pq = !(A condition B) bool P", &[PAIR, UNORDERED, COMBINED])
        }
        CompareOp::Isetp => words(
            "Pd = (A condition B) bool P; Pq = !(A condition B) bool P",
            &[
                "with sign, or without it by `.U32`",
                COMBINED,
                "`.X` compares the upper words of numbers whose lower words were subtracted with `.CC`",
            ],
        ),
        CompareOp::Iset => {
            words("Rd = (A condition B) bool P ? -1 : 0", &["with sign, or without it by `.U32`", WHOLE])
        }
        CompareOp::Icmp => words("Rd = (C condition 0) ? A : B", &["with sign, or without it by `.U32`", SELECTED]),
        CompareOp::Psetp => words(
            "Pd = (Pa bool Pb) bool Pc; Pq = (!Pa bool Pb) bool Pc",
            &["the first of the two suffixes is for Pa and Pb, the second for Pc"],
        ),
        CompareOp::Pset => words(
            "Rd = (Pa bool Pb) bool Pc ? -1 : 0",
            &["the first of the two suffixes is for Pa and Pb, the second for Pc", WHOLE],
        ),
        CompareOp::Csetp => {
            words("Pd = test(CC) bool P; Pq = !test(CC) bool P", &["the tests are those of flow control", TESTS])
        }
        CompareOp::Cset => {
            words("Rd = test(CC) bool P ? -1 : 0", &["the tests are those of flow control", TESTS, WHOLE])
        }
    }
}

fn integer(op: IntegerOp) -> Words {
    const CARRY: &str = "`.X` adds the carry of the condition code: upper words of long numbers";
    const ONE_MORE: &str = "`.PO` adds 1";
    match op {
        IntegerOp::Iadd => words(
            "Rd = A + B",
            &["modulo 2^32; `.SAT` clamps to the range of numbers with sign", CARRY, ONE_MORE, FLAGS],
        ),
        IntegerOp::Iadd32i => words(
            "Rd = A + B",
            &["modulo 2^32; `.SAT` clamps to the range of numbers with sign", CARRY, ONE_MORE, FLAGS],
        ),
        IntegerOp::Iadd3 => words(
            "Rd = A + B + C",
            &[
                "modulo 2^32; `.H0` and `.H1` take a half without sign",
                "`.RS` shifts A + B right by 16 before C is added, `.LS` left",
                CARRY,
                "`.CC` sets zero, sign, and a carry for each sum: overflow is that of A + B, carry that of the second one",
            ],
        ),
        IntegerOp::Xmad => words(
            "Rd = half(A) * half(B) + c",
            &[
                "`.H1` takes the upper half of a factor, else it is the lower one; `.S16` takes it with sign; three of them make a product of 32 bits",
                "`.PSL` shifts the product left by 16; `.MRG` puts B's lower half into the result's upper half",
                "c is C; with `.CLO` its lower half, `.CHI` its upper half, `.CBCC` C + (B << 16), `.CSFU` C corrected for signs",
                CARRY,
                FLAGS,
            ],
        ),
        IntegerOp::Iscadd => words("Rd = (A << shift) + B", &[ONE_MORE, FLAGS]),
        IntegerOp::Iscadd32i => words("Rd = (A << shift) + B", &[FLAGS]),
        IntegerOp::Lea => words("Rd = (A << shift) + B; Pd = carry", &[CARRY, FLAGS]),
        IntegerOp::LeaHi => words("Rd = upper word of ((C:A) << shift) + B; Pd = carry", &[CARRY, FLAGS]),
        IntegerOp::Imul => words(
            "Rd = A * B",
            &[
                "the lower word of the product, or the upper one with `.HI`",
                "`.U32` and `.S32` say how the factors are taken",
            ],
        ),
        IntegerOp::Imul32i => words(
            "Rd = A * B",
            &[
                "the lower word of the product, or the upper one with `.HI`",
                "`.U32` and `.S32` say how the factors are taken",
            ],
        ),
        IntegerOp::Imad32i => {
            words("Rd = A * B + Rd", &["the low word of the product, with `.HI` the high one", FLAGS])
        }
        IntegerOp::Imadsp => words(
            "Rd = A * B + C",
            &[
                "the types say which part of each operand is taken, and whether it has a sign",
                "the low word of the product",
                FLAGS,
            ],
        ),
        IntegerOp::Imad => words(
            "Rd = A * B + C",
            &["the lower word of the product, or the upper one with `.HI`", CARRY, ONE_MORE, FLAGS],
        ),
        IntegerOp::Imnmx => words(
            "Rd = P ? min(A, B) : max(A, B)",
            &[
                "with sign, or without it by `.U32`",
                "`.XLO`, `.XMED`, `.XHI` are the steps of longer numbers, from the highest word down",
            ],
        ),
    }
}

fn bits(op: BitsOp) -> Words {
    match op {
        BitsOp::Shl => words("Rd = A << B", &[COUNTS, "`.X` is not executed"]),
        BitsOp::Shr => words(
            "Rd = A >> B",
            &[
                "with the sign, or with zeros by `.U32`",
                COUNTS,
                "`.BREV` reverses the bits of A first",
                "`.X` and `.XHI` are not executed",
            ],
        ),
        BitsOp::ShfR => words(
            "Rd = lower word of (C:A) >> B",
            &[
                "C is the upper word; `.HI` gives the upper word of the result",
                "counts end at 32, or at 64 with `.U64` and `.S64`; with `.W` they are taken modulo that",
            ],
        ),
        BitsOp::ShfL => words(
            "Rd = upper word of (C:A) << B",
            &[
                "C is the upper word",
                "counts end at 32, or at 64 with `.U64` and `.S64`; with `.W` they are taken modulo that",
            ],
        ),
        BitsOp::Lop => words(
            "Rd = A op B",
            &[
                "`.AND`, `.OR`, `.XOR`, `.PASS_B`; `~` inverts an operand first",
                "Pd is whether the result is zero (`.Z`), not zero (`.NZ`), or true (`.T`)",
            ],
        ),
        BitsOp::Lop32i => words("Rd = A op B", &["`.AND`, `.OR`, `.XOR`, `.PASS_B`; `~` inverts an operand first"]),
        BitsOp::Lop3 => words(
            "bit i of Rd = bit (4 * A[i] + 2 * B[i] + C[i]) of lut",
            &["the table of an operation is that operation of 0xf0, 0xcc and 0xaa: A & B | C is 0xea"],
        ),
        BitsOp::Bfe => words(
            "Rd = B[15:8] bits of A from bit B[7:0] on",
            &[
                "with the sign of the field, or with zeros by `.U32`; no bits give 0",
                "`.BREV` reverses the bits of A first",
            ],
        ),
        BitsOp::Bfi => words(
            "Rd = C with B[15:8] bits from bit B[7:0] on replaced by A's lowest",
            &["bits beyond 31 are left out"],
        ),
        BitsOp::Flo => words(
            "Rd = number of the highest bit set",
            &[
                "of numbers with sign, the highest bit unlike the sign; `.U32` takes them without",
                "no bit gives -1; `.SH` gives 31 minus the number",
            ],
        ),
        BitsOp::Popc => words("Rd = number of bits set in B", &["`~` counts the bits not set"]),
        BitsOp::Prmt => words(
            "byte i of Rd = byte (B >> 4 * i & 7) of C:A",
            &[
                "bytes 0 to 3 are A's, 4 to 7 are C's; bit 3 of a selector repeats the byte's sign bit instead",
                "modes `.F4E`, `.B4E`, `.RC8`, `.ECL`, `.ECR`, `.RC16` take the selectors from B's two lowest bits",
            ],
        ),
    }
}

fn convert(op: ConvertOp) -> Words {
    const OWN_NEGATIVE: &str = "the least number of a type with sign is its own negative, and its own magnitude";
    const UPPER: &str = "an immediate of 64 bits is the upper half of the number";
    match op {
        ConvertOp::I2f => words(
            "Rd = float(B)",
            &[
                "the source's type says how it is taken; `.B1`, `.H1` and so on take a part",
                OWN_NEGATIVE,
                UPPER,
                ROUNDED,
                FLOAT_FLAGS,
            ],
        ),
        ConvertOp::F2i => words(
            "Rd = integer(B)",
            &[
                "to the nearest, ties to even, or `.FLOOR`, `.CEIL`, `.TRUNC`",
                "what is outside of the type's range is clamped to it; NaN gives 0, but 0x8000000000000000 as 64 bits, and 0x80000000 as 32 bits of a double",
                "from F16 to 64 bits and from F64 to 8 or 16 bits it is not executed",
                FTZ,
                FLAGS,
            ],
        ),
        ConvertOp::F2f => words(
            "Rd = float(B)",
            &[
                "between equal types `.ROUND`, `.FLOOR`, `.CEIL`, `.TRUNC` round to whole numbers",
                "between F16 and F64 it is not executed; with an F64, `.FTZ` and `.SAT` do nothing",
                ROUNDED,
                FTZ,
                SAT,
                FLOAT_FLAGS,
            ],
        ),
        ConvertOp::I2i => words(
            "Rd = B, taken as one type and given as the other",
            &[
                "`.SAT` clamps to the type's range, and numbers with sign keep it in the upper bits of the register; else bits above the type's are 0",
                OWN_NEGATIVE,
                UPPER,
                FLAGS,
            ],
        ),
    }
}

fn flags(op: FlagsOp) -> Words {
    match op {
        FlagsOp::P2r => words(
            "Rd = A & ~B | predicates & B",
            &[
                "bit n is predicate n; of the condition code bits 0 to 3 are zero, sign, carry, overflow",
                "`.B1`, `.B2`, `.B3` put them into that byte of A",
            ],
        ),
        FlagsOp::R2p => {
            words("for each bit n of B: predicate n = bit n of A", &["`A.B1` and so on take them from that byte"])
        }
    }
}

fn exchange(op: ExchangeOp) -> Words {
    match op {
        ExchangeOp::Vote => words(
            "Rd = bit n for each active lane n with P; Pd = all, any or equal",
            &["lanes that are not active count for nothing"],
        ),
        ExchangeOp::Shfl => words(
            "Rd = A of another lane; Pd = whether that lane is inside of the segment",
            &[
                "`.IDX` names it, `.UP` and `.DOWN` count from the own lane, `.BFLY` is the exclusive or with it",
                "the last operand has a clamp in bits 4:0 and a segment mask in bits 12:8, as PTX's shfl; outside of the segment it is the own value",
            ],
        ),
    }
}

fn flow(op: FlowOp) -> Words {
    const TESTED: &str = "with a test of the condition code (`CC.NE`) it is for lanes where guard and test hold";
    const STACK: &str = "targets that wait are on one stack; an instruction that finds none of its kind is a trap";
    match op {
        FlowOp::Bra => words("pc = target", &[TESTED, "where lanes disagree, one part of them waits for the other"]),
        FlowOp::Brx => words("pc = A + offset", &[TESTED]),
        FlowOp::Jmp => words("pc = target", &[TESTED, "targets count from the start of the code"]),
        FlowOp::Jmx => words("pc = A + offset", &[TESTED, "targets count from the start of the code"]),
        FlowOp::Ssy => words("push (join, target)", &[STACK]),
        FlowOp::Pbk => words("push (break, target)", &[STACK]),
        FlowOp::Pcnt => words("push (continue, target)", &[STACK]),
        FlowOp::Pret => words("push (return, target)", &[STACK]),
        FlowOp::Cal => words("push (return, next instruction); pc = target", &[STACK]),
        FlowOp::Jcal => {
            words("push (return, next instruction); pc = target", &[STACK, "targets count from the start of the code"])
        }
        FlowOp::Pexit => words("push (exit, target)", &[STACK]),
        FlowOp::Plongjmp => words("push (long jump, target)", &[STACK]),
        FlowOp::Sync => words("lanes wait; when all are there, pc = target of the SSY", &[TESTED, STACK]),
        FlowOp::Brk => words("lanes wait; when all are there, pc = target of the PBK", &[TESTED, STACK]),
        FlowOp::Cont => words("lanes wait; when all are there, pc = target of the PCNT", &[TESTED, STACK]),
        FlowOp::Ret => words("pc = where the call came from", &[TESTED, STACK]),
        FlowOp::Exit => words("lanes end", &[TESTED]),
        FlowOp::Kil => {
            words("lanes end without output", &[TESTED, "without KillsPixels in the header it does nothing"])
        }
        FlowOp::Sam => words("active lanes = all lanes of quads with an active one", &["RAM undoes it"]),
        FlowOp::Ram => words("active lanes = those from before SAM", &[]),
        FlowOp::Longjmp => words("pc = target of the PLONGJMP", &[TESTED, STACK]),
    }
}

fn order(op: OrderOp) -> Words {
    match op {
        OrderOp::Nop => words("", &["it does nothing"]),
        OrderOp::VoteVtg => words("", &["it does nothing here"]),
        OrderOp::Bar => words(
            "",
            &[
                "a warp waits until all warps of its block, or as many threads as the count says, have come to this barrier; ARV does not wait",
                "RED finds out in how many lanes the predicate holds, or whether in all, or in one: `B2R.RESULT` reads it",
                "SCAN is not executed",
            ],
        ),
        OrderOp::Depbar => words("", &["it does nothing here: results are there when instructions end"]),
        OrderOp::Membar => words("", &["it does nothing here: accesses happen in order, and all warps see them"]),
    }
}

/// The words for an instruction.
pub fn of(op: Op) -> Words {
    match op.class() {
        Class::Raw => {
            words("", &["words that are not an instruction stay as they are: `.raw`; executing one is a trap"])
        }
        Class::Attribute(op) => attribute(op),
        Class::Special(SpecialOp::S2r | SpecialOp::Cs2r) => {
            words("Rd = special register", &["a register that has no value here reads 0, with a warning"])
        }
        Class::Move(op) => moves(op),
        Class::Constant(op) => constant(op),
        Class::Local(op) => local(op),
        Class::Global(op) => global(op),
        Class::Shared(op) => shared(op),
        Class::Atomic(op) => atomic(op),
        Class::Surface(op) => surface(op),
        Class::Cache(CacheControlOp::Cctl | CacheControlOp::Cctll | CacheControlOp::Cctlt) => {
            words("", &["it does nothing here: there are no caches"])
        }
        Class::Fragment(op) => fragment(op),
        Class::Texture(op) => texture(op),
        Class::Video(op) => video(op),
        Class::System(op) => system(op),
        Class::Float(op) => float(op),
        Class::Double(op) => double(op),
        Class::Compare(op) => compare(op),
        Class::Integer(op) => integer(op),
        Class::Bits(op) => bits(op),
        Class::Convert(op) => convert(op),
        Class::Flags(op) => flags(op),
        Class::Exchange(op) => exchange(op),
        Class::Flow(op) => flow(op),
        Class::Order(op) => order(op),
    }
}
