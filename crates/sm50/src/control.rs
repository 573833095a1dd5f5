//! Control words: how long each instruction of a bundle waits, and for what. They never change results.
//!
//! Sources: the maxas wiki ("Control Codes") and CuAssembler's documentation for the fields and their notation; NVIDIA's
//! disassembler for the reuse bits.
#![deny(clippy::wildcard_enum_match_arm)]

use crate::table::{
    AtomicOp, AttributeOp, BitsOp, CacheControlOp, Class, CompareOp, ConstantOp, DoubleOp, ExchangeOp, FloatOp,
    FragmentOp, GlobalOp, IntegerOp, LocalOp, Op, SharedOp, SpecialOp, SurfaceOp, SystemOp,
};
use std::fmt;

/// The control bits of one instruction: 21 bits of the control word of its bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Control(pub u32);

/// Which source registers stay in the operand caches; the bits of a control word in the order A, B, C.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Reuse {
    /// The one of operand A.
    pub a: bool,
    /// The one of operand B.
    pub b: bool,
    /// The one of operand C.
    pub c: bool,
}

/// Where an instruction shows how long it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Latency {
    /// It takes as long as it takes: stalling is enough.
    Fixed,
    /// A scoreboard tells when its result is there.
    Result,
    /// A scoreboard tells when its sources have been read.
    Sources,
}

/// How an instruction shows how long it takes.
pub const fn latency(op: Op) -> Latency {
    match op.class() {
        Class::Attribute(op) => match op {
            AttributeOp::Ast => Latency::Sources,
            AttributeOp::Ald | AttributeOp::Al2p | AttributeOp::Isberd | AttributeOp::Out => Latency::Result,
        },
        Class::Special(op) => match op {
            SpecialOp::S2r => Latency::Result,
            SpecialOp::Cs2r => Latency::Fixed,
        },
        Class::Local(op) => match op {
            LocalOp::Ldl => Latency::Result,
            LocalOp::Stl => Latency::Sources,
        },
        Class::Global(op) => match op {
            GlobalOp::Ld | GlobalOp::Ldg => Latency::Result,
            GlobalOp::St | GlobalOp::Stg => Latency::Sources,
        },
        Class::Shared(op) => match op {
            SharedOp::Lds => Latency::Result,
            SharedOp::Sts => Latency::Sources,
        },
        Class::Atomic(op) => match op {
            AtomicOp::Atom | AtomicOp::AtomCas | AtomicOp::Atoms | AtomicOp::AtomsCas => Latency::Result,
            AtomicOp::Red => Latency::Sources,
        },
        Class::Surface(op) => match op {
            SurfaceOp::Suld | SurfaceOp::Suatom | SurfaceOp::SuatomCas => Latency::Result,
            SurfaceOp::Sust | SurfaceOp::Sured => Latency::Sources,
        },
        Class::Cache(op) => match op {
            CacheControlOp::Cctl | CacheControlOp::Cctll => Latency::Sources,
            CacheControlOp::Cctlt => Latency::Fixed,
        },
        Class::Fragment(op) => match op {
            FragmentOp::Ipa | FragmentOp::Pixld => Latency::Result,
            FragmentOp::Fswzadd => Latency::Fixed,
        },
        Class::System(op) => {
            use SystemOp::*;
            match op {
                B2r | Lepc | Getcrsptr | Getlmembase => Latency::Result,
                R2b | Setcrsptr | Setlmembase => Latency::Sources,
                Rtt | Bpt | Ide | Stp => Latency::Fixed,
            }
        }
        Class::Texture(_) | Class::Video(_) => Latency::Result,
        Class::Float(op) => {
            use FloatOp::*;
            match op {
                Mufu | Rro => Latency::Result,
                Fadd | Fadd32i | Fmul | Fmul32i | Ffma | Ffma32i | Fmnmx => Latency::Fixed,
            }
        }
        Class::Compare(op) => {
            use CompareOp::*;
            match op {
                Dset | Dsetp => Latency::Result,
                Fset | Fsetp | Fcmp | Fchk | Isetp | Iset | Icmp | Psetp | Pset | Csetp | Cset => Latency::Fixed,
            }
        }
        Class::Integer(op) => {
            use IntegerOp::*;
            match op {
                Imul | Imul32i | Imad | Imad32i | Imadsp => Latency::Result,
                Iadd | Iadd32i | Iadd3 | Xmad | Iscadd | Iscadd32i | Lea | LeaHi | Imnmx => Latency::Fixed,
            }
        }
        Class::Bits(op) => {
            use BitsOp::*;
            match op {
                Popc | Flo => Latency::Result,
                Shl | Shr | ShfR | ShfL | Lop | Lop32i | Lop3 | Bfe | Bfi | Prmt => Latency::Fixed,
            }
        }
        Class::Exchange(op) => match op {
            ExchangeOp::Shfl => Latency::Result,
            ExchangeOp::Vote => Latency::Fixed,
        },
        Class::Constant(ConstantOp::Ldc) | Class::Double(_) | Class::Convert(_) => Latency::Result,
        Class::Raw | Class::Move(_) | Class::Flags(_) | Class::Flow(_) | Class::Order(_) => Latency::Fixed,
    }
}

/// Whether the disassembler shows which registers of an instruction stay in the operand caches.
pub(crate) const fn shows_reuse(op: Op) -> bool {
    match op.class() {
        Class::Attribute(op) => match op {
            AttributeOp::Out => false,
            AttributeOp::Ast | AttributeOp::Ald | AttributeOp::Al2p | AttributeOp::Isberd => true,
        },
        Class::Float(op) => {
            use FloatOp::*;
            match op {
                Mufu => false,
                Fadd | Fadd32i | Fmul | Fmul32i | Ffma | Ffma32i | Fmnmx | Rro => true,
            }
        }
        Class::Double(op) => match op {
            DoubleOp::Dmnmx => false,
            DoubleOp::Dadd | DoubleOp::Dmul | DoubleOp::Dfma => true,
        },
        Class::Compare(op) => {
            use CompareOp::*;
            match op {
                Dset | Dsetp => false,
                Fset | Fsetp | Fcmp | Fchk | Isetp | Iset | Icmp | Psetp | Pset | Csetp | Cset => true,
            }
        }
        Class::Integer(op) => {
            use IntegerOp::*;
            match op {
                Imul | Imul32i | Imad | Imad32i | Imadsp => false,
                Iadd | Iadd32i | Iadd3 | Xmad | Iscadd | Iscadd32i | Lea | LeaHi | Imnmx => true,
            }
        }
        Class::Bits(op) => {
            use BitsOp::*;
            match op {
                Flo | Popc => false,
                Shl | Shr | ShfR | ShfL | Lop | Lop32i | Lop3 | Bfe | Bfi | Prmt => true,
            }
        }
        Class::Convert(_) | Class::Video(_) => false,
        Class::Exchange(op) => match op {
            ExchangeOp::Shfl => false,
            ExchangeOp::Vote => true,
        },
        Class::Raw
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
        | Class::System(_)
        | Class::Flags(_)
        | Class::Flow(_)
        | Class::Order(_) => true,
    }
}

impl Reuse {
    /// The operand caches for the operands of an instruction, or the operands for the caches. Operand B of additions goes
    /// through the cache of operand C.
    pub(crate) const fn caches(self, op: Op) -> Self {
        if matches!(op, Op::Fadd | Op::Dadd) { Reuse { a: self.a, b: self.c, c: self.b } } else { self }
    }
}

impl Control {
    /// Bits of a control word that belong to one instruction.
    pub const BITS: u32 = 21;
    /// What has no effect: no stall, no barrier, no wait.
    pub const NEUTRAL: Control = Control(0x7e0);
    /// What an instruction gets that says nothing else: it stalls as long as one can, and sets no barrier.
    pub const CAREFUL: Control = Control(0x7ef);
    /// The number that stands for no scoreboard.
    pub const NO_BARRIER: u32 = 7;

    const MASK: u32 = (1 << Self::BITS) - 1;

    /// The bits of slot 0, 1 or 2 of a control word.
    pub const fn of_word(word: u64, slot: usize) -> Self {
        Control((word >> (Self::BITS as usize * slot)) as u32 & Self::MASK)
    }

    /// The control word with the bits of a slot replaced by these.
    pub const fn put(self, word: u64, slot: usize) -> u64 {
        let at = Self::BITS as usize * slot;
        word & !((Self::MASK as u64) << at) | ((self.0 & Self::MASK) as u64) << at
    }

    const fn field(self, lo: u32, width: u32) -> u32 {
        self.0 >> lo & ((1 << width) - 1)
    }

    const fn with(self, lo: u32, width: u32, value: u32) -> Self {
        let mask = ((1 << width) - 1) << lo;
        Control(self.0 & !mask | value << lo & mask)
    }

    /// Cycles before the next instruction, 0 to 15.
    pub const fn stall(self) -> u32 {
        self.field(0, 4)
    }

    /// With this many cycles before the next instruction.
    pub const fn with_stall(self, cycles: u32) -> Self {
        self.with(0, 4, cycles)
    }

    /// Whether another warp may go first: the bit is 0 then.
    pub const fn may_yield(self) -> bool {
        self.field(4, 1) == 0
    }

    /// With permission for another warp to go first.
    pub const fn with_yield(self, may: bool) -> Self {
        self.with(4, 1, !may as u32)
    }

    /// The scoreboard that is set until the result is there, 7 for none.
    pub const fn write_barrier(self) -> u32 {
        self.field(5, 3)
    }

    /// With this scoreboard set until the result is there.
    pub const fn with_write_barrier(self, barrier: u32) -> Self {
        self.with(5, 3, barrier)
    }

    /// The scoreboard that is set until the sources have been read, 7 for none.
    pub const fn read_barrier(self) -> u32 {
        self.field(8, 3)
    }

    /// With this scoreboard set until the sources have been read.
    pub const fn with_read_barrier(self, barrier: u32) -> Self {
        self.with(8, 3, barrier)
    }

    /// The scoreboards that the instruction waits for, a bit for each of the six.
    pub const fn wait_mask(self) -> u32 {
        self.field(11, 6)
    }

    /// With waiting for these scoreboards.
    pub const fn with_wait_mask(self, mask: u32) -> Self {
        self.with(11, 6, mask)
    }

    /// The registers that stay in the operand caches.
    pub const fn reuse(self) -> Reuse {
        Reuse { a: self.field(17, 1) != 0, b: self.field(18, 1) != 0, c: self.field(19, 1) != 0 }
    }

    /// With these registers staying in the operand caches.
    pub const fn with_reuse(self, reuse: Reuse) -> Self {
        self.with(17, 3, reuse.a as u32 | (reuse.b as u32) << 1 | (reuse.c as u32) << 2)
    }

    /// Without the bit that no notation has: bit 20, a reuse of no operand.
    pub(crate) const fn without_rest(self) -> Self {
        self.with(20, 1, 0)
    }

    /// Whether the instruction goes together with the next one.
    pub const fn dual_issue(self) -> bool {
        self.stall() == 0 && !self.may_yield()
    }
}

impl fmt::Display for Control {
    /// CuAssembler's notation, without the reuse bits: `B0--3--:R1:W0:Y:S04`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("B")?;
        for barrier in 0..6 {
            let waits = self.wait_mask() >> barrier & 1 != 0;
            if waits { write!(f, "{barrier}")? } else { f.write_str("-")? }
        }
        for (name, barrier) in [("R", self.read_barrier()), ("W", self.write_barrier())] {
            write!(f, ":{name}")?;
            if barrier == Self::NO_BARRIER { f.write_str("-")? } else { write!(f, "{barrier}")? }
        }
        write!(f, ":{}:S{:02}", if self.may_yield() { "Y" } else { "-" }, self.stall())
    }
}
