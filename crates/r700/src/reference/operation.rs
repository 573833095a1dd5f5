//! What each ALU operation computes from the operands of one pixel (R700 guide chapter 4).

use crate::alu::{AluOp, Op2, Op3, Reduction};
use crate::codes::{Family, OutputModifier};
use crate::job::TrapKind;
use ctm_num::r700::{self as num, Predicate, TrigRange};

const ONE: u32 = 0x3F80_0000;

/// What an operation gives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum OpResult {
    /// A result.
    Value(u32),
    /// A component of the address register.
    Address(i32),
    /// A predicate and a result.
    Predicate(Predicate),
    /// Whether the pixel is killed.
    Kill(bool),
}

/// Computes an operation that works on the operands of one unit. `args` beyond the operation's sources count nothing.
pub(super) fn scalar(op: AluOp, family: Family, args: [u32; 3]) -> Result<OpResult, TrapKind> {
    match op {
        AluOp::Op2(op) if op.properties().families.has(family) => op2(op, family, args[0], args[1]),
        AluOp::Op3(op) => op3(op, args).map(OpResult::Value),
        AluOp::Op2(_) | AluOp::Reserved2(_) | AluOp::Reserved3(_) => Err(TrapKind::BadOpcode),
    }
}

fn op2(op: Op2, family: Family, a: u32, b: u32) -> Result<OpResult, TrapKind> {
    use OpResult::{Address, Kill, Value};
    let (sa, sb) = (a.cast_signed(), b.cast_signed());
    let float = |condition: bool| Value(if condition { ONE } else { 0 });
    let mask = |condition: bool| Value(if condition { u32::MAX } else { 0 });
    let test = |condition: bool| OpResult::Predicate(num::simple(condition));
    let push = |condition: bool| OpResult::Predicate(num::set_push(a, condition));
    let trig = match family {
        Family::R600 => TrigRange::Radians,
        Family::R700 => TrigRange::Turns,
    };
    Ok(match op {
        Op2::Add => Value(num::add(a, b)),
        Op2::Mul => Value(num::mul(a, b)),
        Op2::MulIeee => Value(num::mul_ieee(a, b)),
        Op2::Max => Value(num::max(a, b)),
        Op2::Min => Value(num::min(a, b)),
        Op2::MaxDx10 => Value(num::max_dx10(a, b)),
        Op2::MinDx10 => Value(num::min_dx10(a, b)),
        Op2::SetE => float(num::equal(a, b)),
        Op2::SetGt => float(num::greater(a, b)),
        Op2::SetGe => float(num::greater_equal(a, b)),
        Op2::SetNe => float(num::not_equal(a, b)),
        Op2::SetEDx10 => mask(num::equal(a, b)),
        Op2::SetGtDx10 => mask(num::greater(a, b)),
        Op2::SetGeDx10 => mask(num::greater_equal(a, b)),
        Op2::SetNeDx10 => mask(num::not_equal(a, b)),
        Op2::Fract => Value(num::fract(a)),
        Op2::Trunc => Value(num::trunc(a)),
        Op2::Ceil => Value(num::ceil(a)),
        Op2::RndNe => Value(num::rndne(a)),
        Op2::Floor => Value(num::floor(a)),
        Op2::MovA => Address(num::mova(a)),
        Op2::MovAFloor => Address(num::mova_floor(a)),
        Op2::MovAInt => Address(num::mova_int(a)),
        Op2::Mov => Value(a),
        Op2::Nop => Value(0),
        Op2::PredSetGtUint => test(a > b),
        Op2::PredSetGeUint => test(a >= b),
        Op2::PredSetE => test(num::equal(a, b)),
        Op2::PredSetGt => test(num::greater(a, b)),
        Op2::PredSetGe => test(num::greater_equal(a, b)),
        Op2::PredSetNe => test(num::not_equal(a, b)),
        Op2::PredSetInv => OpResult::Predicate(num::set_inv(a)),
        Op2::PredSetPop => OpResult::Predicate(num::set_pop(a, b)),
        Op2::PredSetClr => OpResult::Predicate(num::set_clr()),
        Op2::PredSetRestore => OpResult::Predicate(num::set_restore(a)),
        Op2::PredSetEPush => push(num::equal(b, 0)),
        Op2::PredSetGtPush => push(num::greater(b, 0)),
        Op2::PredSetGePush => push(num::greater_equal(b, 0)),
        Op2::PredSetNePush => push(num::not_equal(b, 0)),
        Op2::KillE => Kill(num::equal(a, b)),
        Op2::KillGt => Kill(num::greater(a, b)),
        Op2::KillGe => Kill(num::greater_equal(a, b)),
        Op2::KillNe => Kill(num::not_equal(a, b)),
        Op2::AndInt => Value(a & b),
        Op2::OrInt => Value(a | b),
        Op2::XorInt => Value(a ^ b),
        Op2::NotInt => Value(!a),
        Op2::AddInt => Value(a.wrapping_add(b)),
        Op2::SubInt => Value(a.wrapping_sub(b)),
        Op2::MaxInt => Value(sa.max(sb).cast_unsigned()),
        Op2::MinInt => Value(sa.min(sb).cast_unsigned()),
        Op2::MaxUint => Value(a.max(b)),
        Op2::MinUint => Value(a.min(b)),
        Op2::SetEInt => mask(a == b),
        Op2::SetGtInt => mask(sa > sb),
        Op2::SetGeInt => mask(sa >= sb),
        Op2::SetNeInt => mask(a != b),
        Op2::SetGtUint => mask(a > b),
        Op2::SetGeUint => mask(a >= b),
        Op2::KillGtUint => Kill(a > b),
        Op2::KillGeUint => Kill(a >= b),
        Op2::PredSetEInt => test(a == b),
        Op2::PredSetGtInt => test(sa > sb),
        Op2::PredSetGeInt => test(sa >= sb),
        Op2::PredSetNeInt => test(a != b),
        Op2::KillEInt => Kill(a == b),
        Op2::KillGtInt => Kill(sa > sb),
        Op2::KillGeInt => Kill(sa >= sb),
        Op2::KillNeInt => Kill(a != b),
        Op2::PredSetEPushInt => push(sb == 0),
        Op2::PredSetGtPushInt => push(sb > 0),
        Op2::PredSetGePushInt => push(sb >= 0),
        Op2::PredSetNePushInt => push(sb != 0),
        Op2::PredSetLtPushInt => push(sb < 0),
        Op2::PredSetLePushInt => push(sb <= 0),
        Op2::ExpIeee => Value(num::exp(a)),
        Op2::LogClamped => Value(num::log_clamped(a)),
        Op2::LogIeee => Value(num::log(a)),
        Op2::RecipClamped => Value(num::recip_clamped(a)),
        Op2::RecipFf => Value(num::recip_ff(a)),
        Op2::RecipIeee => Value(num::recip(a)),
        Op2::RecipSqrtClamped => Value(num::recipsqrt_clamped(a)),
        Op2::RecipSqrtFf => Value(num::recipsqrt_ff(a)),
        Op2::RecipSqrtIeee => Value(num::recipsqrt(a)),
        Op2::SqrtIeee => Value(num::sqrt(a)),
        Op2::FltToInt => Value(num::float_to_int(a)),
        Op2::IntToFlt => Value(num::int_to_float(a)),
        Op2::UintToFlt => Value(num::uint_to_float(a)),
        Op2::Sin => Value(num::sin(trig, a)),
        Op2::Cos => Value(num::cos(trig, a)),
        Op2::AshrInt => Value(num::ashr(a, b)),
        Op2::LshrInt => Value(num::lshr(a, b)),
        Op2::LshlInt => Value(num::lshl(a, b)),
        Op2::MulLoInt | Op2::MulLoUint => Value(a.wrapping_mul(b)),
        Op2::MulHiInt => Value(num::mulhi_int(a, b)),
        Op2::MulHiUint => Value(num::mulhi_uint(a, b)),
        Op2::RecipInt => Value(num::recip_int(a)),
        Op2::RecipUint => Value(num::recip_uint(a)),
        Op2::FltToUint => Value(num::float_to_uint(a)),
        Op2::Dot4 | Op2::Dot4Ieee | Op2::Cube | Op2::Max4 => return Err(TrapKind::BadOpcode),
        Op2::MovAGprInt
        | Op2::Frexp64
        | Op2::Add64
        | Op2::Mul64
        | Op2::Flt64ToFlt32
        | Op2::Flt32ToFlt64
        | Op2::Ldexp64
        | Op2::Fract64
        | Op2::PredSetGt64
        | Op2::PredSetE64
        | Op2::PredSetGe64 => return Err(TrapKind::Unsupported(op.name())),
    })
}

fn op3(op: Op3, [a, b, c]: [u32; 3]) -> Result<u32, TrapKind> {
    let choose = |condition: bool| if condition { b } else { c };
    Ok(match op {
        Op3::MulLit => num::mul_lit(a, b, c),
        Op3::MulLitM2 => num::scale(1, num::mul_lit(a, b, c)),
        Op3::MulLitM4 => num::scale(2, num::mul_lit(a, b, c)),
        Op3::MulLitD2 => num::scale(-1, num::mul_lit(a, b, c)),
        Op3::MulAdd => num::muladd(a, b, c),
        Op3::MulAddM2 => num::scale(1, num::muladd(a, b, c)),
        Op3::MulAddM4 => num::scale(2, num::muladd(a, b, c)),
        Op3::MulAddD2 => num::scale(-1, num::muladd(a, b, c)),
        Op3::MulAddIeee => num::muladd_ieee(a, b, c),
        Op3::MulAddIeeeM2 => num::scale(1, num::muladd_ieee(a, b, c)),
        Op3::MulAddIeeeM4 => num::scale(2, num::muladd_ieee(a, b, c)),
        Op3::MulAddIeeeD2 => num::scale(-1, num::muladd_ieee(a, b, c)),
        Op3::CndE => choose(num::equal(a, 0)),
        Op3::CndGt => choose(num::greater(a, 0)),
        Op3::CndGe => choose(num::greater_equal(a, 0)),
        Op3::CndEInt => choose(a == 0),
        Op3::CndGtInt => choose(a.cast_signed() > 0),
        Op3::CndGeInt => choose(a.cast_signed() >= 0),
        Op3::MulAdd64 | Op3::MulAdd64M2 | Op3::MulAdd64M4 | Op3::MulAdd64D2 => {
            return Err(TrapKind::Unsupported(op.name()));
        }
    })
}

/// Computes a reduction from the operands of units x, y, z, w: what each of them gives.
pub(super) fn reduction(op: Reduction, a: [u32; 4], b: [u32; 4]) -> [u32; 4] {
    match op {
        Reduction::Dot4 => [num::dot4(a, b); 4],
        Reduction::Dot4Ieee => [num::dot4_ieee(a, b); 4],
        Reduction::Cube => num::cube([a[2], a[3], a[0]]),
        Reduction::Max4 => [num::max4(a); 4],
    }
}

/// The output modifier, then the clamp. A result without either keeps its bits.
pub(super) fn modify(value: u32, omod: OutputModifier, clamp: bool, dx10_clamp: bool) -> u32 {
    let scaled = match omod {
        OutputModifier::None => value,
        OutputModifier::Mul2 => num::scale(1, value),
        OutputModifier::Mul4 => num::scale(2, value),
        OutputModifier::Div2 => num::scale(-1, value),
    };
    if clamp { num::clamp(dx10_clamp, scaled) } else { scaled }
}
