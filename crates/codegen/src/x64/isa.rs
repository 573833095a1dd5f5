//! The vector extensions that code is made for: how wide vectors are, what masks are made of, and which instructions do what.
//!
//! Selection names vector instructions by what they do ([`Vop`]); the table here has the instruction of each extension. Where
//! one needs another sequence of instructions, that lies in `select/masks.rs` (everything about masks),
//! `select/lower.rs` and `select/bits.rs` (operations that only one has), `select/transcendental.rs`, `select/double.rs` (masks of pairs of lanes)
//! and `select/memory/rows.rs` (elements of several words), and for gathers and scatters in the encoder.

use super::InstKind;
use crate::allocate::Registers;
use iced_x86::{Code, Mnemonic, Register};

/// A vector extension of x86-64 that code is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VectorIsa {
    /// AVX2, FMA, F16C, BMI1 and POPCNT: 8 lanes in a vector register; a mask is a vector of zeros and ones, all bits of a
    /// lane alike.
    Avx2,
    /// AVX-512 (F, CD, DQ, VL and BW) and POPCNT: 16 lanes in a vector register; masks in mask registers.
    Avx512,
}

/// Numbers from `first` on, in order.
const fn numbers<const COUNT: usize>(first: u8) -> [u8; COUNT] {
    let mut all = [0; COUNT];
    let mut at = 0;
    while at < COUNT {
        all[at] = first + at as u8;
        at += 1;
    }
    all
}

/// Registers for the allocator, best first.
pub fn registers(isa: VectorIsa, counts_steps: bool) -> Registers {
    let general = if counts_steps { &GENERALS[..GENERALS.len() - 1] } else { GENERALS };
    match isa {
        VectorIsa::Avx2 => Registers { vector: YMMS, mask: &[], general },
        VectorIsa::Avx512 => Registers { vector: ZMMS, mask: MASKS, general },
    }
}

/// Registers that the encoder keeps for itself.
pub const fn scratch(isa: VectorIsa) -> Registers {
    match isa {
        VectorIsa::Avx2 => Registers { vector: &[15, 14], mask: &[], general: &[0, 1, 2] },
        VectorIsa::Avx512 => Registers { vector: &[31, 30, 29], mask: &[7, 0], general: &[0, 1, 2] },
    }
}

/// Denormals are zeros, results that would be are flushed, rounding to nearest, no exception traps.
pub const FLOAT_MODE: u32 = 0x9FC0;
/// The bits of MXCSR that make denormals, as operands and as results, zeros.
pub const FLUSHES: u32 = 0x8040;
/// Where MXCSR has the direction of rounding.
pub const DIRECTION_AT: u32 = 13;
/// The flag of MXCSR that an invalid operation leaves.
pub const INVALID: u32 = 1;

/// The copy of a mask register.
pub const MASK_COPY: Code = Code::VEX_Kmovw_kr_km16;

/// General registers but for the stack pointer (4), the context (15) and those that the encoder keeps.
const GENERALS: &[u8] = &[3, 5, 6, 7, 8, 9, 10, 11, 12, STEPS];
/// The general register of the instructions that all lanes have executed.
pub const EXECUTED: u8 = 13;
/// The general register of the steps that a group may still execute, in code that counts them.
pub const STEPS: u8 = 14;
/// Vector and mask registers but for those that the encoder keeps.
const YMMS: &[u8] = &numbers::<14>(0);
const ZMMS: &[u8] = &numbers::<29>(0);
const MASKS: &[u8] = &numbers::<6>(1);

impl VectorIsa {
    /// The forms, best first.
    pub const ALL: [Self; 2] = [Self::Avx512, Self::Avx2];

    /// Whether this host can run code of the form.
    pub fn is_supported(self) -> bool {
        is_x86_feature_detected!("popcnt")
            && match self {
                Self::Avx2 => {
                    is_x86_feature_detected!("avx2")
                        && is_x86_feature_detected!("fma")
                        && is_x86_feature_detected!("f16c")
                        && is_x86_feature_detected!("bmi1")
                }
                Self::Avx512 => {
                    is_x86_feature_detected!("avx512f")
                        && is_x86_feature_detected!("avx512cd")
                        && is_x86_feature_detected!("avx512dq")
                        && is_x86_feature_detected!("avx512vl")
                        && is_x86_feature_detected!("avx512bw")
                }
            }
    }

    /// The whole vector register with this number.
    pub fn vector(self, number: u8) -> Register {
        let first = match self {
            Self::Avx2 => Register::YMM0,
            Self::Avx512 => Register::ZMM0,
        };
        first + u32::from(number)
    }

    /// Whether instructions can read one element of memory for all lanes.
    pub const fn broadcasts(self) -> bool {
        matches!(self, Self::Avx512)
    }

    /// Whether instructions can say that they raise no flags, if they read registers only.
    pub const fn can_be_quiet(self) -> bool {
        matches!(self, Self::Avx512)
    }
}

macro_rules! vector_operations {
    ($($(#[doc = $doc:literal])+ $name:ident $avx512:ident $avx2:ident;)+) => {
        /// What a vector instruction does, in every form.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Vop { $($(#[doc = $doc])+ $name),+ }

        impl VectorIsa {
            /// The instruction of this form.
            pub const fn code(self, operation: Vop) -> Code {
                match (self, operation) {
                    $((Self::Avx512, Vop::$name) => Code::$avx512, (Self::Avx2, Vop::$name) => Code::$avx2,)+
                }
            }
        }
    };
}

vector_operations! {
    /// Sum of floats.
    Add EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er VEX_Vaddps_ymm_ymm_ymmm256;
    /// Difference of floats.
    Sub EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er VEX_Vsubps_ymm_ymm_ymmm256;
    /// Product of floats.
    Mul EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er VEX_Vmulps_ymm_ymm_ymmm256;
    /// Quotient of floats.
    Div EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er VEX_Vdivps_ymm_ymm_ymmm256;
    /// Square root.
    Sqrt EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er VEX_Vsqrtps_ymm_ymmm256;
    /// First operand if it is less, else the second.
    Min EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae VEX_Vminps_ymm_ymm_ymmm256;
    /// First operand if it is greater, else the second.
    Max EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae VEX_Vmaxps_ymm_ymm_ymmm256;
    /// Rounding to an integral value; the immediate says which way.
    Round EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae VEX_Vroundps_ymm_ymmm256_imm8;
    /// Signed integer to float.
    FromInt EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er VEX_Vcvtdq2ps_ymm_ymmm256;
    /// Float to signed integer, toward zero; 0x80000000 for what has none.
    ToInt EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae VEX_Vcvttps2dq_ymm_ymmm256;
    /// Sum of integers.
    IntAdd EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32 VEX_Vpaddd_ymm_ymm_ymmm256;
    /// Difference of integers.
    IntSub EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32 VEX_Vpsubd_ymm_ymm_ymmm256;
    /// Low half of the product of integers.
    IntMul EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32 VEX_Vpmulld_ymm_ymm_ymmm256;
    /// Signed products of the even lanes, 64 bits each.
    SignedMulEven EVEX_Vpmuldq_zmm_k1z_zmm_zmmm512b64 VEX_Vpmuldq_ymm_ymm_ymmm256;
    /// Unsigned products of the even lanes, 64 bits each.
    UnsignedMulEven EVEX_Vpmuludq_zmm_k1z_zmm_zmmm512b64 VEX_Vpmuludq_ymm_ymm_ymmm256;
    /// Smaller signed integer.
    SignedMin EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32 VEX_Vpminsd_ymm_ymm_ymmm256;
    /// Larger signed integer.
    SignedMax EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32 VEX_Vpmaxsd_ymm_ymm_ymmm256;
    /// Smaller unsigned integer.
    UnsignedMin EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32 VEX_Vpminud_ymm_ymm_ymmm256;
    /// Larger unsigned integer.
    UnsignedMax EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32 VEX_Vpmaxud_ymm_ymm_ymmm256;
    /// Bitwise and.
    And EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32 VEX_Vpand_ymm_ymm_ymmm256;
    /// Bitwise or.
    Or EVEX_Vpord_zmm_k1z_zmm_zmmm512b32 VEX_Vpor_ymm_ymm_ymmm256;
    /// Bitwise exclusive or.
    Xor EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32 VEX_Vpxor_ymm_ymm_ymmm256;
    /// Left shift by an immediate.
    ShiftLeft EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8 VEX_Vpslld_ymm_ymm_imm8;
    /// Right shift by an immediate, zeros coming in.
    ShiftRight EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8 VEX_Vpsrld_ymm_ymm_imm8;
    /// Right shift by an immediate, signs coming in.
    ShiftRightSigned EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8 VEX_Vpsrad_ymm_ymm_imm8;
    /// Right shift of 64-bit lanes by an immediate, zeros coming in.
    ShiftRightWide EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8 VEX_Vpsrlq_ymm_ymm_imm8;
    /// Left shift by the lane's count; 0 from 32 on.
    ShiftLeftBy EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32 VEX_Vpsllvd_ymm_ymm_ymmm256;
    /// Right shift by the lane's count, zeros coming in; 0 from 32 on.
    ShiftRightBy EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32 VEX_Vpsrlvd_ymm_ymm_ymmm256;
    /// Right shift by the lane's count, signs coming in; all sign from 32 on.
    ShiftRightSignedBy EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32 VEX_Vpsravd_ymm_ymm_ymmm256;
    /// Exchange inside quads by an immediate.
    PermuteQuad EVEX_Vpermilps_zmm_k1z_zmmm512b32_imm8 VEX_Vpermilps_ymm_ymmm256_imm8;
    /// Compare of floats; the immediate is the predicate. Gives a mask.
    Compare EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae VEX_Vcmpps_ymm_ymm_ymmm256_imm8;
    /// Copy between registers, or between a register and aligned memory.
    Move EVEX_Vmovaps_zmm_k1z_zmmm512 VEX_Vmovaps_ymm_ymmm256;
    /// Copy of a register to aligned memory.
    Spill EVEX_Vmovaps_zmmm512_k1z_zmm VEX_Vmovaps_ymmm256_ymm;
    /// Load.
    Load EVEX_Vmovups_zmm_k1z_zmmm512 VEX_Vmovups_ymm_ymmm256;
    /// Store.
    Store EVEX_Vmovups_zmmm512_k1z_zmm VEX_Vmovups_ymmm256_ymm;
    /// Store that goes past the caches, to a multiple of a vector's bytes.
    NonTemporalStore EVEX_Vmovntps_m512_zmm VEX_Vmovntps_m256_ymm;
    /// One word of memory in every lane.
    Broadcast EVEX_Vbroadcastss_zmm_k1z_xmmm32 VEX_Vbroadcastss_ymm_m32;
    /// One half word of memory in every half of every lane.
    BroadcastHalf EVEX_Vpbroadcastw_zmm_k1z_xmmm16 VEX_Vpbroadcastw_ymm_xmmm16;
    /// Half words of memory, one for each lane.
    LoadHalves EVEX_Vpmovzxwd_zmm_k1z_ymmm256 VEX_Vpmovzxwd_ymm_xmmm128;
    /// Bytes of the first operand, by the low half of each byte of the second, inside every 16 bytes.
    ShuffleBytes EVEX_Vpshufb_zmm_k1z_zmm_zmmm512 VEX_Vpshufb_ymm_ymm_ymmm256;
    /// Lanes of the second operand, by the index that each lane of the first has.
    Permute EVEX_Vpermd_zmm_k1z_zmm_zmmm512b32 VEX_Vpermd_ymm_ymm_ymmm256;
    /// Lanes 0 and 1 of every four of the first operand, each followed by that of the second.
    InterleaveFirst EVEX_Vpunpckldq_zmm_k1z_zmm_zmmm512b32 VEX_Vpunpckldq_ymm_ymm_ymmm256;
    /// Lanes 2 and 3 of every four of the first operand, each followed by that of the second.
    InterleaveLast EVEX_Vpunpckhdq_zmm_k1z_zmm_zmmm512b32 VEX_Vpunpckhdq_ymm_ymm_ymmm256;
    /// Two lanes of every four of the first operand, then two of the second; the immediate says which.
    PickWords EVEX_Vshufps_zmm_k1z_zmm_zmmm512b32_imm8 VEX_Vshufps_ymm_ymm_ymmm256_imm8;
    /// The half of a vector that the immediate numbers, as the first half.
    LastHalf EVEX_Vextractf32x8_ymmm256_k1z_zmm_imm8 VEX_Vextractf128_xmmm128_ymm_imm8;
    /// The first operand with the second, half a vector, in the half that the immediate numbers.
    JoinHalves EVEX_Vinsertf32x8_zmm_k1z_zmm_ymmm256_imm8 VEX_Vinsertf128_ymm_ymm_xmmm128_imm8;
    /// Half a vector of floats to binary64.
    Widen EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae VEX_Vcvtps2pd_ymm_xmmm128;
    /// binary64 to half a vector of floats.
    Narrow EVEX_Vcvtpd2ps_ymm_k1z_zmmm512b64_er VEX_Vcvtpd2ps_xmm_ymmm256;
    /// Half a vector of binary16 to floats.
    FromHalf EVEX_Vcvtph2ps_zmm_k1z_ymmm256_sae VEX_Vcvtph2ps_ymm_xmmm128;
    /// Floats to half a vector of binary16; the immediate 4 leaves the direction to the mode.
    ToHalf EVEX_Vcvtps2ph_ymmm256_k1z_zmm_imm8_sae VEX_Vcvtps2ph_xmmm128_ymm_imm8;
    /// Sum in binary64.
    WideAdd EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er VEX_Vaddpd_ymm_ymm_ymmm256;
    /// Difference in binary64.
    WideSub EVEX_Vsubpd_zmm_k1z_zmm_zmmm512b64_er VEX_Vsubpd_ymm_ymm_ymmm256;
    /// Product in binary64.
    WideMul EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er VEX_Vmulpd_ymm_ymm_ymmm256;
    /// Quotient in binary64.
    WideDiv EVEX_Vdivpd_zmm_k1z_zmm_zmmm512b64_er VEX_Vdivpd_ymm_ymm_ymmm256;
    /// Square root in binary64.
    WideSqrt EVEX_Vsqrtpd_zmm_k1z_zmmm512b64_er VEX_Vsqrtpd_ymm_ymmm256;
    /// Product of the definition and the second operand, plus the third, in binary64.
    WideMultiplyAdd EVEX_Vfmadd213pd_zmm_k1z_zmm_zmmm512b64_er VEX_Vfmadd213pd_ymm_ymm_ymmm256;
    /// First operand if it is less, else the second, in binary64.
    WideMin EVEX_Vminpd_zmm_k1z_zmm_zmmm512b64_sae VEX_Vminpd_ymm_ymm_ymmm256;
    /// First operand if it is greater, else the second, in binary64.
    WideMax EVEX_Vmaxpd_zmm_k1z_zmm_zmmm512b64_sae VEX_Vmaxpd_ymm_ymm_ymmm256;
    /// Rounding to an integral value in binary64; the immediate says which way.
    WideRound EVEX_Vrndscalepd_zmm_k1z_zmmm512b64_imm8_sae VEX_Vroundpd_ymm_ymmm256_imm8;
    /// Compare in binary64; the immediate is the predicate. Gives a mask of half as many lanes.
    WideCompare EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae VEX_Vcmppd_ymm_ymm_ymmm256_imm8;
    /// The second operand in the lanes of such a mask, the first in the others.
    WideBlend EVEX_Vblendmpd_zmm_k1z_zmm_zmmm512b64 VEX_Vblendvpd_ymm_ymm_ymmm256_ymm;
    /// The first lane in a general register.
    FirstLane EVEX_Vmovd_rm32_xmm VEX_Vmovd_rm32_xmm;
}

/// The three orders of operands of a fused multiply-add: 132, 213, 231.
pub const fn multiply_add(isa: VectorIsa, negate_product: bool, negate_addend: bool) -> [Code; 3] {
    macro_rules! orders {
        ($a:ident $b:ident $c:ident) => {
            [Code::$a, Code::$b, Code::$c]
        };
    }
    match (isa, negate_product, negate_addend) {
        (VectorIsa::Avx512, false, false) => {
            orders!(EVEX_Vfmadd132ps_zmm_k1z_zmm_zmmm512b32_er EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er EVEX_Vfmadd231ps_zmm_k1z_zmm_zmmm512b32_er)
        }
        (VectorIsa::Avx512, false, true) => {
            orders!(EVEX_Vfmsub132ps_zmm_k1z_zmm_zmmm512b32_er EVEX_Vfmsub213ps_zmm_k1z_zmm_zmmm512b32_er EVEX_Vfmsub231ps_zmm_k1z_zmm_zmmm512b32_er)
        }
        (VectorIsa::Avx512, true, false) => {
            orders!(EVEX_Vfnmadd132ps_zmm_k1z_zmm_zmmm512b32_er EVEX_Vfnmadd213ps_zmm_k1z_zmm_zmmm512b32_er EVEX_Vfnmadd231ps_zmm_k1z_zmm_zmmm512b32_er)
        }
        (VectorIsa::Avx512, true, true) => {
            orders!(EVEX_Vfnmsub132ps_zmm_k1z_zmm_zmmm512b32_er EVEX_Vfnmsub213ps_zmm_k1z_zmm_zmmm512b32_er EVEX_Vfnmsub231ps_zmm_k1z_zmm_zmmm512b32_er)
        }
        (VectorIsa::Avx2, false, false) => {
            orders!(VEX_Vfmadd132ps_ymm_ymm_ymmm256 VEX_Vfmadd213ps_ymm_ymm_ymmm256 VEX_Vfmadd231ps_ymm_ymm_ymmm256)
        }
        (VectorIsa::Avx2, false, true) => {
            orders!(VEX_Vfmsub132ps_ymm_ymm_ymmm256 VEX_Vfmsub213ps_ymm_ymm_ymmm256 VEX_Vfmsub231ps_ymm_ymm_ymmm256)
        }
        (VectorIsa::Avx2, true, false) => {
            orders!(VEX_Vfnmadd132ps_ymm_ymm_ymmm256 VEX_Vfnmadd213ps_ymm_ymm_ymmm256 VEX_Vfnmadd231ps_ymm_ymm_ymmm256)
        }
        (VectorIsa::Avx2, true, true) => {
            orders!(VEX_Vfnmsub132ps_ymm_ymm_ymmm256 VEX_Vfnmsub213ps_ymm_ymm_ymmm256 VEX_Vfnmsub231ps_ymm_ymm_ymmm256)
        }
    }
}

/// Whether the last register that the instruction reads can be memory instead.
pub const fn takes_memory(code: Code) -> bool {
    use Code::*;
    !matches!(
        code,
        EVEX_Vpbroadcastd_zmm_k1z_r32
            | EVEX_Vmovd_rm32_xmm
            | VEX_Vmovd_rm32_xmm
            | VEX_Vpslld_ymm_ymm_imm8
            | VEX_Vpsrld_ymm_ymm_imm8
            | VEX_Vpsrad_ymm_ymm_imm8
            | VEX_Vpsrlq_ymm_ymm_imm8
            | VEX_Vextractf128_xmmm128_ymm_imm8
            | EVEX_Vextractf32x8_ymmm256_k1z_zmm_imm8
            | VEX_Vcvtps2ph_xmmm128_ymm_imm8
            | EVEX_Vcvtps2ph_ymmm256_k1z_zmm_imm8_sae
            | EVEX_Vpmovdw_ymmm256_k1z_zmm
            | EVEX_Vpmovm2q_zmm_kr
            | EVEX_Vpbroadcastmw2d_zmm_kr
            | EVEX_Vpmovd2m_kr_zmm
            | VEX_Vmovmskps_r32_ymm
    )
}

/// The vector register with this number, as wide as operand `at` of the instruction.
pub fn vector_operand(isa: VectorIsa, code: Code, at: usize, number: u8) -> Register {
    use Code::*;
    let narrow = matches!(
        (code, at),
        (EVEX_Vmovd_rm32_xmm | VEX_Vmovd_rm32_xmm, _)
            | (
                VEX_Vmovd_xmm_rm32
                    | VEX_Vcvttpd2dq_xmm_ymmm256
                    | VEX_Vextractf128_xmmm128_ymm_imm8
                    | VEX_Vcvtpd2ps_xmm_ymmm256
                    | VEX_Vcvtps2ph_xmmm128_ymm_imm8,
                0,
            )
            | (
                EVEX_Vbroadcastss_zmm_k1z_xmmm32
                    | EVEX_Vpbroadcastd_zmm_k1z_xmmm32
                    | VEX_Vpbroadcastd_ymm_xmmm32
                    | VEX_Vcvtps2pd_ymm_xmmm128
                    | VEX_Vcvtph2ps_ymm_xmmm128
                    | VEX_Vpmovzxwd_ymm_xmmm128
                    | VEX_Vmovups_xmmm128_xmm,
                1,
            )
            | (VEX_Vmovups_xmm_xmmm128, _)
            | (VEX_Vinsertf128_ymm_ymm_xmmm128_imm8 | VEX_Vinserti128_ymm_ymm_xmmm128_imm8, 2)
    );
    let half = matches!(
        (code, at),
        (
            EVEX_Vextractf32x8_ymmm256_k1z_zmm_imm8
                | EVEX_Vcvtpd2ps_ymm_k1z_zmmm512b64_er
                | EVEX_Vcvtps2ph_ymmm256_k1z_zmm_imm8_sae
                | EVEX_Vpmovdw_ymmm256_k1z_zmm,
            0,
        ) | (
            EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae
                | EVEX_Vcvtph2ps_zmm_k1z_ymmm256_sae
                | EVEX_Vpmovzxwd_zmm_k1z_ymmm256
                | EVEX_Vmovups_ymmm256_k1z_ymm,
            1,
        ) | (EVEX_Vmovups_ymm_k1z_ymmm256, _)
            | (EVEX_Vinsertf32x8_zmm_k1z_zmm_ymmm256_imm8, 2)
    );
    let first = match (narrow, half) {
        (true, _) => Register::XMM0,
        (_, true) => Register::YMM0,
        _ => isa.vector(0),
    };
    first + u32::from(number)
}

/// Cycles from operands to results, about, on processors from 2017 on; those of other instructions take one.
const LATENCIES: &[(u32, &[Mnemonic])] = {
    use Mnemonic::*;
    &[
        (18, &[Vsqrtps, Vsqrtpd, Vdivps, Vdivpd]),
        (7, &[Vrcp14ps]),
        (4, &[Vaddps, Vsubps, Vmulps, Vminps, Vmaxps, Vaddpd, Vsubpd, Vmulpd, Vminpd, Vmaxpd]),
        (4, &[Vrndscaleps, Vroundps, Vreduceps, Vcvtdq2ps, Vcvttps2dq, Vfixupimmps, Vscalefps]),
        (3, &[Vcmpps, Vpcmpd, Vpcmpud, Vpermps, Vpermd, Kmovw]),
    ]
};

/// Cycles from an instruction's operands to its result, about.
pub fn latency(kind: InstKind) -> u32 {
    match kind {
        InstKind::Plain(code) | InstKind::Tied(code) => {
            let mnemonic = code.mnemonic();
            LATENCIES.iter().find(|(_, mnemonics)| mnemonics.contains(&mnemonic)).map_or(1, |&(cycles, _)| cycles)
        }
        InstKind::Fma { .. } => 4,
        InstKind::Gather => 20,
        InstKind::Scatter | InstKind::Count(_) | InstKind::Steps(_) => 0,
    }
}
