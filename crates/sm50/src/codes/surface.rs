//! Images, atomic accesses, caches.

use ctm_bits::codes;

codes! {
    /// Dimensions of an image.
    pub enum SurfaceDim: 3 {
        /// One.
        0 D1 ".1D",
        /// A buffer.
        1 Buffer ".1D_BUFFER",
        /// Layers of one.
        2 Array1 ".1D_ARRAY",
        /// Two.
        3 D2 ".2D",
        /// Layers of two.
        4 Array2 ".2D_ARRAY",
        /// Three.
        5 D3 ".3D",
        /// No code.
        6 Invalid6 "?",
        /// No code.
        7 Invalid7 "?",
    }
}

impl SurfaceDim {
    /// Registers of a texel's coordinates: along each axis, and the layer.
    pub(crate) const fn coordinates(self) -> u8 {
        match self {
            SurfaceDim::D1 | SurfaceDim::Buffer => 1,
            SurfaceDim::D2 | SurfaceDim::Array1 => 2,
            SurfaceDim::D3 | SurfaceDim::Array2 | SurfaceDim::Invalid6 | SurfaceDim::Invalid7 => 3,
        }
    }
}

codes! {
    /// Components of an image access.
    pub enum SurfaceMask: 4 {
        /// No component.
        0 Invalid "?",
        /// R.
        1 R ".R",
        /// G.
        2 G ".G",
        /// RG.
        3 Rg ".RG",
        /// B.
        4 B ".B",
        /// RB.
        5 Rb ".RB",
        /// GB.
        6 Gb ".GB",
        /// RGB.
        7 Rgb ".RGB",
        /// A.
        8 A ".A",
        /// RA.
        9 Ra ".RA",
        /// GA.
        10 Ga ".GA",
        /// RGA.
        11 Rga ".RGA",
        /// BA.
        12 Ba ".BA",
        /// RBA.
        13 Rba ".RBA",
        /// GBA.
        14 Gba ".GBA",
        /// RGBA.
        15 Rgba "",
    }
}

codes! {
    /// What happens outside of an image.
    pub enum SurfaceClamp: 2 {
        /// Nothing is read or written.
        0 Ignore ".IGN",
        /// The nearest texel.
        1 Near "",
        /// A trap.
        2 Trap ".TRAP",
        /// No rule.
        3 Invalid "?",
    }
}

codes! {
    /// What an atomic access does.
    pub enum AtomOp: 4 {
        /// Adds.
        0 Add ".ADD",
        /// Minimum.
        1 Min ".MIN",
        /// Maximum.
        2 Max ".MAX",
        /// Counts up to the operand, then from 0.
        3 Inc ".INC",
        /// Counts down from the operand.
        4 Dec ".DEC",
        /// And.
        5 And ".AND",
        /// Or.
        6 Or ".OR",
        /// Exclusive or.
        7 Xor ".XOR",
        /// Exchanges.
        8 Exch ".EXCH",
        /// No operation.
        9 Invalid9 "?",
        /// Adds unless that overflows.
        10 SafeAdd ".SAFEADD",
        /// No code.
        11 Invalid11 "?",
        /// No code.
        12 Invalid12 "?",
        /// No code.
        13 Invalid13 "?",
        /// No code.
        14 Invalid14 "?",
        /// No code.
        15 Invalid15 "?",
    }
}

codes! {
    /// Type of an atomic access.
    pub enum AtomType: 3 {
        /// 32 bits without sign.
        0 U32 "",
        /// 32 bits with sign.
        1 S32 ".S32",
        /// 64 bits without sign.
        2 U64 ".U64",
        /// Float.
        3 F32 ".F32.FTZ.RN",
        /// 128 bits.
        4 U128 ".U128",
        /// 64 bits with sign.
        5 S64 ".S64",
        /// No code.
        6 Invalid6 "?",
        /// No code.
        7 Invalid7 "?",
    }
}

codes! {
    /// Type of an atomic access to shared memory.
    pub enum SharedType: 2 {
        /// 32 bits without sign.
        0 U32 "",
        /// 32 bits with sign.
        1 S32 ".S32",
        /// 64 bits without sign.
        2 U64 ".U64",
        /// 64 bits with sign.
        3 S64 ".S64",
    }
}

codes! {
    /// Type of an atomic access to an image.
    pub enum SurfaceType: 3 {
        /// 32 bits without sign.
        0 U32 "",
        /// 32 bits with sign.
        1 S32 ".S32",
        /// 64 bits without sign.
        2 U64 ".U64",
        /// Float.
        3 F32 ".F32.FTZ.RN",
        /// No type.
        4 Invalid "?",
        /// 64 bits with sign.
        5 S64 ".S64",
        /// 32 bits, not executed here.
        6 Sd32 ".SD32",
        /// 64 bits, not executed here.
        7 Sd64 ".SD64",
    }
}

codes! {
    /// How shared memory compares and exchanges.
    pub enum Cast: 2 {
        /// Takes a lock.
        0 Cast ".CAST",
        /// Takes a lock, waiting.
        1 CastSpin ".CAST.SPIN",
        /// Compares and exchanges.
        2 Cas ".CAS",
        /// No kind.
        3 Invalid "?",
    }
}

codes! {
    /// Which operands a comparison with exchange has.
    pub enum CasOperands: 2 {
        /// The value to compare with, then the one to store.
        0 Both "",
        /// The value to compare with.
        1 Compare "",
        /// The value to store.
        2 Store "",
        /// No operands.
        3 Invalid "?",
    }
}

codes! {
    /// What happens to a cache.
    pub enum CacheOp: 4 {
        /// Asks.
        0 Qry1 ".QRY1",
        /// Prefetches.
        1 Pf1 ".PF1",
        /// Prefetches.
        2 Pf15 ".PF1.5",
        /// Prefetches.
        3 Pf2 ".PF2",
        /// Writes back.
        4 Wb ".WB",
        /// Invalidates.
        5 Iv ".IV",
        /// Invalidates everything.
        6 IvAll ".IVALL",
        /// Resets.
        7 Rs ".RS",
        /// No operation.
        8 Invalid8 "?",
        /// Resets.
        9 Rslb ".RSLB",
        /// No code.
        10 Invalid10 "?",
        /// No code.
        11 Invalid11 "?",
        /// No code.
        12 Invalid12 "?",
        /// No code.
        13 Invalid13 "?",
        /// No code.
        14 Invalid14 "?",
        /// No code.
        15 Invalid15 "?",
    }
}

codes! {
    /// What happens to the cache of local memory.
    pub enum LocalCacheOp: 4 {
        /// No operation.
        0 Invalid0 "?",
        /// Prefetches.
        1 Pf1 ".PF1",
        /// Prefetches.
        2 Pf15 ".PF1.5",
        /// Prefetches.
        3 Pf2 ".PF2",
        /// Writes back.
        4 Wb ".WB",
        /// Invalidates.
        5 Iv ".IV",
        /// No operation.
        6 Invalid6 "?",
        /// Resets.
        7 Rs ".RS",
        /// No operation.
        8 Invalid8 "?",
        /// Resets.
        9 Rslb ".RSLB",
        /// No code.
        10 Invalid10 "?",
        /// No code.
        11 Invalid11 "?",
        /// No code.
        12 Invalid12 "?",
        /// No code.
        13 Invalid13 "?",
        /// No code.
        14 Invalid14 "?",
        /// No code.
        15 Invalid15 "?",
    }
}

codes! {
    /// What happens to the texture cache.
    pub enum TextureCacheOp: 2 {
        /// Invalidates everything.
        0 IvAll ".IVALL",
        /// Invalidates a texture header.
        1 IvTh ".IVTH",
        /// No code.
        2 Invalid2 "?",
        /// No code.
        3 Invalid3 "?",
    }
}

codes! {
    /// Which cache.
    pub enum CacheKind: 3 {
        /// The default.
        0 Default "",
        /// Uniform.
        1 U ".U",
        /// Constants.
        2 C ".C",
        /// Instructions.
        3 I ".I",
        /// Call stack.
        4 Crs ".CRS",
        /// No code.
        5 Invalid5 "?",
        /// No code.
        6 Invalid6 "?",
        /// No code.
        7 Invalid7 "?",
    }
}
