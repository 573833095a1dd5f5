//! Attributes, constants and memory.

use ctm_bits::codes;

codes! {
    /// Words of an attribute access.
    pub enum AttributeSize: 2 {
        /// One word.
        0 B32 "",
        /// Two words.
        1 B64 ".64",
        /// Three words.
        2 B96 ".96",
        /// Four words.
        3 B128 ".128",
    }
}

impl AttributeSize {
    /// Number of 32-bit words, 1 to 4.
    pub const fn words(self) -> u8 {
        self as u8 + 1
    }

    /// What the address of the access is a multiple of; its lower bits are dropped.
    pub const fn alignment(self) -> u32 {
        match self {
            Self::B32 => 4,
            Self::B64 => 8,
            Self::B96 | Self::B128 => 16,
        }
    }
}

codes! {
    /// What `ISBERD` reads.
    pub enum IsbeMode: 2 {
        /// The map of vertex handles.
        0 Map "",
        /// Patch data.
        1 Patch ".PATCH",
        /// Primitive data.
        2 Prim ".PRIM",
        /// Attributes.
        3 Attr ".ATTR",
    }
}

codes! {
    /// Size of an `ISBERD` access.
    pub enum IsbeSize: 2 {
        /// One byte.
        0 U8 "",
        /// Two bytes.
        1 U16 ".U16",
        /// Four bytes.
        2 B32 ".32",
        /// No size.
        3 Invalid "?",
    }
}

codes! {
    /// What `OUT` does with the geometry output.
    pub enum OutStyle: 2 {
        /// No style: not an instruction.
        0 Invalid "?",
        /// Emits a vertex.
        1 Emit ".EMIT",
        /// Ends the strip.
        2 Cut ".CUT",
        /// Emits a vertex, then ends the strip.
        3 EmitThenCut ".EMIT_THEN_CUT",
    }
}

codes! {
    /// How `LDC` makes an address.
    pub enum ConstantMode: 2 {
        /// Plain.
        0 Plain "",
        /// Indexed linear: the register's upper half adds to the bank.
        1 Il ".IL",
        /// Indexed segmented: as IL (decision S44).
        2 Is ".IS",
        /// Indexed segmented linear: as IL (decision S44).
        3 Isl ".ISL",
    }
}

codes! {
    /// Size and extension of a memory access.
    pub enum MemorySize: 3 {
        /// A byte, extended with zeros.
        0 U8 ".U8",
        /// A byte, extended with its sign.
        1 S8 ".S8",
        /// Two bytes, extended with zeros.
        2 U16 ".U16",
        /// Two bytes, extended with their sign.
        3 S16 ".S16",
        /// Four bytes.
        4 B32 "",
        /// Eight bytes.
        5 B64 ".64",
        /// Sixteen bytes.
        6 B128 ".128",
        /// Sixteen bytes through the read-only path.
        7 U128 ".U.128",
    }
}

impl MemorySize {
    /// Number of bytes: 1, 2, 4, 8 or 16.
    pub const fn bytes(self) -> u32 {
        match self {
            Self::U8 | Self::S8 => 1,
            Self::U16 | Self::S16 => 2,
            Self::B32 => 4,
            Self::B64 => 8,
            Self::B128 | Self::U128 => 16,
        }
    }
}

codes! {
    /// Cache rule of a load; ignored here.
    pub enum LoadCache: 2 {
        /// The default.
        0 Default "",
        /// Cache globally.
        1 Cg ".CG",
        /// Cache, invalidate.
        2 Ci ".CI",
        /// Volatile.
        3 Cv ".CV",
    }
}

codes! {
    /// Cache rule of a load from local memory; ignored here.
    pub enum LocalCache: 2 {
        /// The default.
        0 Default "",
        /// Last use.
        1 Lu ".LU",
        /// Cache, invalidate.
        2 Ci ".CI",
        /// Volatile.
        3 Cv ".CV",
    }
}

codes! {
    /// Cache rule of a store; ignored here.
    pub enum StoreCache: 2 {
        /// The default.
        0 Default "",
        /// Cache globally.
        1 Cg ".CG",
        /// Cache streaming.
        2 Cs ".CS",
        /// Write through.
        3 Wt ".WT",
    }
}

codes! {
    /// How far a memory barrier reaches.
    pub enum MembarScope: 2 {
        /// The thread block.
        0 Cta ".CTA",
        /// The device.
        1 Gl ".GL",
        /// The system.
        2 Sys ".SYS",
        /// The virtual channel.
        3 Vc ".VC",
    }
}

codes! {
    /// What a memory barrier invalidates.
    pub enum MembarInvalidate: 2 {
        /// Nothing.
        0 None "",
        /// Data.
        1 D ".IVALLD",
        /// Textures.
        2 T ".IVALLT",
        /// Textures and data.
        3 Td ".IVALLTD",
    }
}
