//! What accesses, inputs of fragments, textures, parts of words and system instructions give.

use super::words::{ALIGNED, FLAGS, FTZ, WIDE, Words, words};
use crate::table::*;

const NOT_EXECUTED: &str = "it is not executed here: a run that gets to it ends with the trap Unsupported";
const ATOMIC: &str = "Rd is the value from before; lanes come one after the other, in ascending order";
const COUNTERS: &str =
    "INC gives 0 from the operand on, else one more; DEC gives the operand at 0 and above the operand, else one less";
const TEXELS: &str =
    "results are packed: the first component of the mask goes to Rd, the next one to the register after it";
const GROUPS: &str = "A begins a group of registers: the array's layer, then the coordinates; B one of what else there is: handle, sample, level or bias, \
     offsets, reference, in this order";
const PARTS: &str = "the types say how parts are extended; words with sign go without saying";
const MERGED: &str = "`.MRG_16H`, `.MRG_16L`, `.MRG_8B0`, `.MRG_8B2` put the result into C, `.ACC` adds C, `.MIN` and `.MAX` compare with C";

pub(super) fn shared(op: SharedOp) -> Words {
    match op {
        SharedOp::Lds => words("Rd = shared memory at A + offset", &[ALIGNED, "past its end it reads 0"]),
        SharedOp::Sts => words("shared memory at A + offset = data", &[ALIGNED, "past its end it does nothing"]),
    }
}

pub(super) fn atomic(op: AtomicOp) -> Words {
    match op {
        AtomicOp::Atom => words("Rd = memory at A + offset; memory = op(memory, B)", &[ATOMIC, COUNTERS, WIDE]),
        AtomicOp::AtomCas => words(
            "Rd = memory at A + offset; memory = Rd == B ? value after B : memory",
            &[ATOMIC, WIDE, "values follow each other in registers: pairs with `.64`"],
        ),
        AtomicOp::Red => words("memory at A + offset = op(memory, data)", &[COUNTERS, WIDE]),
        AtomicOp::Atoms => {
            words("Rd = shared memory at A + offset; shared memory = op(shared memory, B)", &[ATOMIC, COUNTERS])
        }
        AtomicOp::AtomsCas => words(
            "Rd = shared memory at A + offset; shared memory = Rd == B ? value after B : shared memory",
            &[ATOMIC, "values follow each other in registers: pairs with `.64`", "CAST is not executed"],
        ),
    }
}

pub(super) fn surface(op: SurfaceOp) -> Words {
    const TYPE: &str = "`.P` has the type of the image, `.D` names it";
    const OUTSIDE: &str =
        "outside of the image nothing is read or written, and loads give 0; with `.TRAP` the run ends there";
    const PLACE: &str = "the registers from A on are the coordinates, then the layer; the handle is in a register, or in a word of the bank of handles";
    match op {
        SurfaceOp::Suld => words("Rd... = texel", &[PLACE, "`.P` converts it, `.D` takes its bytes", OUTSIDE]),
        SurfaceOp::Sust => words("texel = data...", &[PLACE, "`.P` converts it, `.D` takes its bytes", OUTSIDE]),
        SurfaceOp::Sured => words("texel = op(texel, data)", &[ATOMIC, PLACE, TYPE, OUTSIDE]),
        SurfaceOp::Suatom => words("Rd = texel; texel = op(texel, B)", &[ATOMIC, PLACE, TYPE, OUTSIDE]),
        SurfaceOp::SuatomCas => {
            words("Rd = texel; texel = Rd == B ? value after B : texel", &[ATOMIC, PLACE, TYPE, OUTSIDE])
        }
    }
}

pub(super) fn fragment(op: FragmentOp) -> Words {
    match op {
        FragmentOp::Ipa => words(
            "Rd = plane of the input at the place * B",
            &[
                "`.PASS` does not multiply, `.CONSTANT` takes the provoking vertex' bits, `.SC` is what the shade model says",
                "the place is the pixel's centre, a covered one (`.CENTROID`), or the centre and the offset in C (`.OFFSET`)",
                "with `.IDX` the address is in a register",
            ],
        ),
        FragmentOp::Pixld => words("Rd = what is asked of the pixel", &["samples are numbered A + offset"]),
        FragmentOp::Fswzadd => words(
            "Rd = +-A +-B",
            &["two letters for each lane of the quad: `PP` A + B, `NP` B - A, `PN` A - B, `ZP` B", FTZ],
        ),
    }
}

pub(super) fn texture(op: TextureOp) -> Words {
    use TextureOp::*;
    match op {
        Tex | TexB => words(
            "Rd... = filtered texel",
            &[GROUPS, TEXELS, "the level is that of the quad's differences, `.LZ` 0, `.LB` with a bias, `.LL` given"],
        ),
        Texs => words("Rd... , Rd2... = filtered texel", &["two components go to Rd, the others to Rd2"]),
        Tld | TldB => words("Rd... = texel", &[GROUPS, TEXELS, "coordinates are whole numbers"]),
        Tlds => words("Rd..., Rd2... = texel", &["two components go to Rd, the others to Rd2"]),
        Tld4 | Tld4B => words(
            "Rd... = a component of four texels",
            &[GROUPS, "the texels are (x0, y1), (x1, y1), (x1, y0), (x0, y0)"],
        ),
        Tld4s => words("Rd, Rd + 1, Rd2, Rd2 + 1 = a component of four texels", &["see TLD4"]),
        Txd | TxdB => words(
            "Rd... = filtered texel",
            &[
                "A begins handle, coordinates, layer and offsets, B the derivatives, those by x and y of a coordinate together",
                TEXELS,
            ],
        ),
        Txq | TxqB => words("Rd... = size and levels, or number of samples", &["A is the level", TEXELS]),
        Tmml | TmmlB => words("Rd = level of detail * 256; the next one = level that is read * 256", &[GROUPS, TEXELS]),
        Txa => words("", &[NOT_EXECUTED]),
    }
}

pub(super) fn video(op: VideoOp) -> Words {
    use VideoOp::*;
    match op {
        Vadd => words("Rd = +-A +-B", &[PARTS, MERGED, FLAGS]),
        Vmnmx => words("Rd = min(A, B)", &["`.MX` gives the maximum", PARTS, MERGED]),
        Vset => words("Rd = A compares with B ? 1 : 0", &[PARTS, MERGED]),
        Vsetp => words("Pd = (A compares with B) bool P; Pq = !(A compares with B) bool P", &[PARTS]),
        Vshl => words("Rd = A << B", &[PARTS, MERGED]),
        Vshr => words("Rd = A >> B", &[PARTS, MERGED]),
        Vabsdiff => words("Rd = |A - B|", &[PARTS, MERGED]),
        Vabsdiff4 => words("Rd = |A - B|, byte by byte", &["`.ACC` adds their sum to C"]),
        Vmad => words("Rd = +-A * B +-C", &[PARTS, "`.SHR_7` and `.SHR_15` shift the result right"]),
    }
}

pub(super) fn system(op: SystemOp) -> Words {
    use SystemOp::*;
    match op {
        Lepc => words("Rd = address of the next instruction", &["addresses count from the start of the code"]),
        Ide => words("", &["it does nothing here: there are no interrupts"]),
        Stp => words("", &["it does nothing here: there are no counters"]),
        B2r => words(
            "Rd = what the last BAR.RED found",
            &["a count for POPC, else 1 for true; Pd is its truth", "`.RESULT` alone is executed here"],
        ),
        R2b | Getcrsptr | Getlmembase | Setcrsptr | Setlmembase | Rtt | Bpt => words("", &[NOT_EXECUTED]),
    }
}
