//! What instructions do, as far as the check of accesses needs it. The check takes nothing from selection, so this is stated
//! apart from it.

use super::{Inst, InstKind};
use crate::mir::{Arg, Condition};
use crate::target::{Operation, Semantics};
use iced_x86::Code;

/// A row of the table of what instructions do.
#[derive(Clone, Copy)]
enum Row {
    Is(Semantics),
    /// A comparison of signed integers; the predicate is the third operand.
    SignedTest,
    /// The same of unsigned integers.
    UnsignedTest,
}

/// Instructions that do something about addresses, or about the masks of accesses.
const ROWS: &[(Code, Row)] = {
    use Code::*;
    use Semantics::Integers;
    &[
        (EVEX_Vmovaps_zmm_k1z_zmmm512, Row::Is(Integers(Operation::Copy))),
        (VEX_Vmovaps_ymm_ymmm256, Row::Is(Integers(Operation::Copy))),
        (VEX_Kmovw_kr_km16, Row::Is(Integers(Operation::Copy))),
        (EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32, Row::Is(Integers(Operation::Add))),
        (VEX_Vpaddd_ymm_ymm_ymmm256, Row::Is(Integers(Operation::Add))),
        (Add_r32_rm32, Row::Is(Integers(Operation::Add))),
        (EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32, Row::Is(Integers(Operation::Sub))),
        (VEX_Vpsubd_ymm_ymm_ymmm256, Row::Is(Integers(Operation::Sub))),
        (Sub_r32_rm32, Row::Is(Integers(Operation::Sub))),
        (EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32, Row::Is(Integers(Operation::Mul))),
        (VEX_Vpmulld_ymm_ymm_ymmm256, Row::Is(Integers(Operation::Mul))),
        (Imul_r32_rm32, Row::Is(Integers(Operation::Mul))),
        (Imul_r32_rm32_imm32, Row::Is(Integers(Operation::Mul))),
        (EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, Row::Is(Integers(Operation::And))),
        (VEX_Vpand_ymm_ymm_ymmm256, Row::Is(Integers(Operation::And))),
        (VEX_Kandw_kr_kr_kr, Row::Is(Integers(Operation::And))),
        (And_r32_rm32, Row::Is(Integers(Operation::And))),
        (And_rm32_imm32, Row::Is(Integers(Operation::And))),
        (EVEX_Vpord_zmm_k1z_zmm_zmmm512b32, Row::Is(Integers(Operation::Or))),
        (VEX_Vpor_ymm_ymm_ymmm256, Row::Is(Integers(Operation::Or))),
        (VEX_Korw_kr_kr_kr, Row::Is(Integers(Operation::Or))),
        (EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32, Row::Is(Integers(Operation::Xor))),
        (VEX_Vpxor_ymm_ymm_ymmm256, Row::Is(Integers(Operation::Xor))),
        (Xor_r32_rm32, Row::Is(Integers(Operation::Xor))),
        (Xor_rm32_imm32, Row::Is(Integers(Operation::Xor))),
        (EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8, Row::Is(Integers(Operation::ShiftLeft))),
        (VEX_Vpslld_ymm_ymm_imm8, Row::Is(Integers(Operation::ShiftLeft))),
        (Shl_rm32_imm8, Row::Is(Integers(Operation::ShiftLeft))),
        (Shr_rm32_imm8, Row::Is(Integers(Operation::ShiftRight))),
        (EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8, Row::Is(Integers(Operation::ShiftRight))),
        (VEX_Vpsrld_ymm_ymm_imm8, Row::Is(Integers(Operation::ShiftRight))),
        (EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8, Row::Is(Integers(Operation::ShiftRightSigned))),
        (VEX_Vpsrad_ymm_ymm_imm8, Row::Is(Integers(Operation::ShiftRightSigned))),
        (EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32, Row::Is(Integers(Operation::SignedMin))),
        (VEX_Vpminsd_ymm_ymm_ymmm256, Row::Is(Integers(Operation::SignedMin))),
        (EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32, Row::Is(Integers(Operation::SignedMax))),
        (VEX_Vpmaxsd_ymm_ymm_ymmm256, Row::Is(Integers(Operation::SignedMax))),
        (EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32, Row::Is(Integers(Operation::UnsignedMin))),
        (VEX_Vpminud_ymm_ymm_ymmm256, Row::Is(Integers(Operation::UnsignedMin))),
        (EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32, Row::Is(Integers(Operation::UnsignedMax))),
        (VEX_Vpmaxud_ymm_ymm_ymmm256, Row::Is(Integers(Operation::UnsignedMax))),
        (VEX_Kandnw_kr_kr_kr, Row::Is(Semantics::AndNot)),
        (VEX_Vpandn_ymm_ymm_ymmm256, Row::Is(Semantics::AndNot)),
        (VEX_Knotw_kr_kr, Row::Is(Semantics::Not)),
        (Add_rm32_imm32, Row::Is(Semantics::Step)),
        (EVEX_Vpbroadcastd_zmm_k1z_r32, Row::Is(Semantics::Repeat)),
        (VEX_Vpbroadcastd_ymm_xmmm32, Row::Is(Semantics::RepeatFirst)),
        (VEX_Vmovd_xmm_rm32, Row::Is(Semantics::SetFirst)),
        (Mov_r32_rm32, Row::Is(Semantics::Load)),
        (EVEX_Vmovd_rm32_xmm, Row::Is(Semantics::Load)),
        (VEX_Vmovd_rm32_xmm, Row::Is(Semantics::Load)),
        (EVEX_Vmovups_zmm_k1z_zmmm512, Row::Is(Semantics::Load)),
        (VEX_Vmovups_ymm_ymmm256, Row::Is(Semantics::Load)),
        (EVEX_Vbroadcastss_zmm_k1z_xmmm32, Row::Is(Semantics::Load)),
        (VEX_Vbroadcastss_ymm_m32, Row::Is(Semantics::Load)),
        (Mov_r64_rm64, Row::Is(Semantics::LoadPointer)),
        (Add_r64_rm64, Row::Is(Semantics::AddPointer)),
        (Lea_r64_m, Row::Is(Semantics::Address)),
        (Prefetcht0_m8, Row::Is(Semantics::Address)),
        (Prefetchw_m8, Row::Is(Semantics::Address)),
        (EVEX_Vblendmps_zmm_k1z_zmm_zmmm512b32, Row::Is(Semantics::Choose)),
        (VEX_Vblendvps_ymm_ymm_ymmm256_ymm, Row::Is(Semantics::Choose)),
        (EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae, Row::Is(Semantics::FloatMax)),
        (VEX_Vmaxps_ymm_ymm_ymmm256, Row::Is(Semantics::FloatMax)),
        (EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae, Row::Is(Semantics::FloatMin)),
        (VEX_Vminps_ymm_ymm_ymmm256, Row::Is(Semantics::FloatMin)),
        (EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae, Row::Is(Semantics::Truncate)),
        (VEX_Vcvttps2dq_ymm_ymmm256, Row::Is(Semantics::Truncate)),
        (EVEX_Vpmovzxwd_zmm_k1z_ymmm256, Row::Is(Semantics::Within(0, 0xFFFF))),
        (VEX_Vpmovzxwd_ymm_xmmm128, Row::Is(Semantics::Within(0, 0xFFFF))),
        (EVEX_Vplzcntd_zmm_k1z_zmmm512b32, Row::Is(Semantics::Within(0, 32))),
        (EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8, Row::SignedTest),
        (EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8, Row::UnsignedTest),
        (VEX_Vpcmpgtd_ymm_ymm_ymmm256, Row::Is(Semantics::Compare(Condition::Greater))),
        (VEX_Vpcmpeqd_ymm_ymm_ymmm256, Row::Is(Semantics::Compare(Condition::Equal))),
        (VEX_Vcmpps_ymm_ymm_ymmm256_imm8, Row::Is(Semantics::Within(-1, 0))),
        (Cmp_r32_rm32, Row::Is(Semantics::CompareGeneral)),
        (Cmp_rm32_imm32, Row::Is(Semantics::CompareGeneral)),
        (VEX_Kortestw_kr_kr, Row::Is(Semantics::TestEither)),
        (VEX_Vptest_ymm_ymmm256, Row::Is(Semantics::TestCommon)),
    ]
};

const COUNT: usize = {
    let (mut count, mut at) = (0, 0);
    while at < ROWS.len() {
        let number = ROWS[at].0 as usize + 1;
        count = if number > count { number } else { count };
        at += 1;
    }
    count
};

/// By the instruction's number, as a look-up costs less than a jump by it.
static TABLE: [Row; COUNT] = {
    let mut table = [Row::Is(Semantics::Unknown); COUNT];
    let mut at = 0;
    while at < ROWS.len() {
        table[ROWS[at].0 as usize] = ROWS[at].1;
        at += 1;
    }
    table
};

/// What an instruction does; unknown for all that neither addresses nor the masks of accesses are made of.
pub fn semantics(inst: &Inst) -> Semantics {
    let (InstKind::Plain(code) | InstKind::Tied(code)) = inst.kind else { return Semantics::Unknown };
    let test = |signed| condition(inst.args[2], signed).map_or(Semantics::Unknown, Semantics::Compare);
    match TABLE.get(code as usize) {
        Some(&Row::Is(semantics)) => semantics,
        Some(Row::SignedTest) => test(true),
        Some(Row::UnsignedTest) => test(false),
        None => Semantics::Unknown,
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
