//! What instructions do, as far as the check of accesses needs it. The check takes nothing from selection, so this is stated
//! apart from it.

use super::{Inst, Kind};
use crate::mir::{Arg, Condition};
use crate::target::{Meaning, Operation};
use iced_x86::Code;

/// What an instruction does; unknown for all that neither addresses nor the masks of accesses are made of.
#[allow(clippy::wildcard_enum_match_arm, reason = "the encoder has thousands of instructions")]
pub fn meaning(inst: &Inst) -> Meaning {
    use Code::*;
    use Meaning::Integers;
    let (Kind::Plain(code) | Kind::Tied(code)) = inst.kind else { return Meaning::Unknown };
    match code {
        EVEX_Vmovaps_zmm_k1z_zmmm512 | VEX_Vmovaps_ymm_ymmm256 | VEX_Kmovw_kr_km16 => Integers(Operation::Copy),
        EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32 | VEX_Vpaddd_ymm_ymm_ymmm256 | Add_r32_rm32 => Integers(Operation::Add),
        EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32 | VEX_Vpsubd_ymm_ymm_ymmm256 | Sub_r32_rm32 => Integers(Operation::Sub),
        EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32 | VEX_Vpmulld_ymm_ymm_ymmm256 | Imul_r32_rm32 | Imul_r32_rm32_imm32 => {
            Integers(Operation::Mul)
        }
        EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32
        | VEX_Vpand_ymm_ymm_ymmm256
        | VEX_Kandw_kr_kr_kr
        | And_r32_rm32
        | And_rm32_imm32 => Integers(Operation::And),
        EVEX_Vpord_zmm_k1z_zmm_zmmm512b32 | VEX_Vpor_ymm_ymm_ymmm256 | VEX_Korw_kr_kr_kr => Integers(Operation::Or),
        EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32 | VEX_Vpxor_ymm_ymm_ymmm256 => Integers(Operation::Xor),
        EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8 | VEX_Vpslld_ymm_ymm_imm8 | Shl_rm32_imm8 => Integers(Operation::ShiftLeft),
        EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8 | VEX_Vpsrld_ymm_ymm_imm8 => Integers(Operation::ShiftRight),
        EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8 | VEX_Vpsrad_ymm_ymm_imm8 => Integers(Operation::ShiftRightSigned),
        EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32 | VEX_Vpminsd_ymm_ymm_ymmm256 => Integers(Operation::SignedMin),
        EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32 | VEX_Vpmaxsd_ymm_ymm_ymmm256 => Integers(Operation::SignedMax),
        EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32 | VEX_Vpminud_ymm_ymm_ymmm256 => Integers(Operation::UnsignedMin),
        EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32 | VEX_Vpmaxud_ymm_ymm_ymmm256 => Integers(Operation::UnsignedMax),
        VEX_Kandnw_kr_kr_kr | VEX_Vpandn_ymm_ymm_ymmm256 => Meaning::AndNot,
        VEX_Knotw_kr_kr => Meaning::Not,
        Add_rm32_imm32 => Meaning::Step,
        EVEX_Vpbroadcastd_zmm_k1z_r32 => Meaning::Repeat,
        VEX_Vpbroadcastd_ymm_xmmm32 => Meaning::RepeatFirst,
        VEX_Vmovd_xmm_rm32 => Meaning::SetFirst,
        Mov_r32_rm32
        | EVEX_Vmovd_rm32_xmm
        | VEX_Vmovd_rm32_xmm
        | EVEX_Vmovups_zmm_k1z_zmmm512
        | VEX_Vmovups_ymm_ymmm256
        | EVEX_Vbroadcastss_zmm_k1z_xmmm32
        | VEX_Vbroadcastss_ymm_m32 => Meaning::Load,
        Mov_r64_rm64 => Meaning::LoadPointer,
        Add_r64_rm64 => Meaning::AddPointer,
        Lea_r64_m => Meaning::Address,
        EVEX_Vblendmps_zmm_k1z_zmm_zmmm512b32 | VEX_Vblendvps_ymm_ymm_ymmm256_ymm => Meaning::Choose,
        EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae | VEX_Vmaxps_ymm_ymm_ymmm256 => Meaning::FloatMax,
        EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae | VEX_Vminps_ymm_ymm_ymmm256 => Meaning::FloatMin,
        EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae | VEX_Vcvttps2dq_ymm_ymmm256 => Meaning::Truncate,
        EVEX_Vpmovzxwd_zmm_k1z_ymmm256 | VEX_Vpmovzxwd_ymm_xmmm128 => Meaning::Within(0, 0xFFFF),
        EVEX_Vplzcntd_zmm_k1z_zmmm512b32 => Meaning::Within(0, 32),
        // The predicate is the third operand.
        EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8 => {
            condition(inst.args[2], true).map_or(Meaning::Unknown, Meaning::Compare)
        }
        EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8 => {
            condition(inst.args[2], false).map_or(Meaning::Unknown, Meaning::Compare)
        }
        VEX_Vpcmpgtd_ymm_ymm_ymmm256 => Meaning::Compare(Condition::Greater),
        VEX_Vpcmpeqd_ymm_ymm_ymmm256 => Meaning::Compare(Condition::Equal),
        Cmp_r32_rm32 | Cmp_rm32_imm32 => Meaning::CompareGeneral,
        VEX_Kortestw_kr_kr => Meaning::TestEither,
        VEX_Vptest_ymm_ymmm256 => Meaning::TestCommon,
        _ => Meaning::Unknown,
    }
}

/// The condition of a predicate, as AVX-512 numbers them.
fn condition(predicate: Arg, signed: bool) -> Option<Condition> {
    let Arg::Imm(number) = predicate else { return None };
    Some(match (number, signed) {
        (0, _) => Condition::Equal,
        (4, _) => Condition::NotEqual,
        (1, true) => Condition::Less,
        (2, true) => Condition::LessEqual,
        (5, true) => Condition::GreaterEqual,
        (6, true) => Condition::Greater,
        (1, false) => Condition::Below,
        (2, false) => Condition::BelowEqual,
        (5, false) => Condition::AboveEqual,
        (6, false) => Condition::Above,
        _ => return None,
    })
}
