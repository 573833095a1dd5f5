//! One instruction to text.

use super::number::{float, signed, single};
use crate::codes::*;
use crate::control::Reuse;
use crate::field::{FieldId, key};
use crate::form::{Arg, Imm, Shape};
use crate::instruction::Instruction;
use crate::operand::{PredSource, Reg, Value};
use crate::special::special_register_name;
use crate::table::Op;
use ctm_num::ieee::{BINARY16, BINARY64, Rounding};

/// How an instruction is to be spelled.
#[derive(Clone, Copy)]
pub(super) struct Context<'c> {
    /// Byte address of the instruction.
    pub at: u32,
    /// What the target is called, if it has a name.
    pub label: Option<&'c str>,
    /// Registers to be kept in the operand caches.
    pub reuse: Reuse,
}

/// Spells an instruction, without what ends it.
pub(super) fn spell(instruction: &Instruction, context: Context<'_>) -> String {
    if instruction.op() == Op::Raw {
        return format!(".raw {:#018x}", instruction.encode());
    }
    let guard = instruction.guard();
    let mut text = if guard == PredSource::TRUE { String::new() } else { format!("@{guard} ") };
    text += &instruction.mnemonic();
    let printer = Printer { instruction, context };
    let args: Vec<String> = instruction.row().args.iter().filter_map(|&arg| printer.arg(arg)).collect();
    if !args.is_empty() {
        // The disassembler leaves no blank here.
        let asks = instruction.op() == Op::Cctl && instruction.get(key::CACHE_OP) == CacheOp::Qry1;
        text += if asks { "" } else { " " };
        text += &args.join(", ");
    }
    text.truncate(text.trim_end().len());
    text
}

struct Printer<'p> {
    instruction: &'p Instruction,
    context: Context<'p>,
}

impl Printer<'_> {
    /// Spells an operand; `None` if it is one that goes without saying.
    fn arg(&self, arg: Arg) -> Option<String> {
        let i = self.instruction;
        Some(match arg {
            Arg::Rd => format!("{}{}", i.dst(), if i.get(key::CC) { ".CC" } else { "" }),
            Arg::RdUnlessZero => (!i.dst().is_zero()).then(|| i.dst().to_string())?,
            Arg::Data => i.dst().to_string(),
            Arg::Register(id) => self.register(id).to_string(),
            Arg::RegisterUnlessZero(id) => {
                let register = self.register(id);
                (!register.is_zero()).then(|| register.to_string())?
            }
            Arg::Name(id) => i.spelling(id).into(),
            Arg::ScalarDim => scalar_dim(i).name().into(),
            Arg::PbUnlessTrue => (!i.pred(key::PB).is_true()).then(|| i.pred(key::PB).to_string())?,
            Arg::InputPredicate => {
                (i.get(key::IDX) || i.pred_c() != PredSource::TRUE).then(|| i.pred_c().to_string())?
            }
            Arg::Input if i.get(key::IDX) => format!("a[{}]", i.reg(key::RA)),
            Arg::Input if i.get(key::OFFSET) == 0 => "a[RZ]".into(),
            Arg::Input => format!("a[{:#x}]", i.get(key::OFFSET)),
            Arg::CasValues => self.cas_values(),
            Arg::CacheAddress => (i.get(key::CACHE_OP) != CacheOp::IvAll).then(|| self.memory())?,
            Arg::CacheHeader => {
                let named = i.get(key::TEXTURE_CACHE_OP) != TextureCacheOp::IvAll;
                named.then(|| format!("{:#x}", i.get(key::HANDLE)))?
            }
            Arg::NamedBarrier => {
                (i.get(key::B2R_MODE) == BarrierRead::Number).then(|| format!("{:#x}", i.get(key::BARRIER_ID)))?
            }
            Arg::Swizzle => swizzle(i.get(key::SWIZZLE)),
            Arg::BytesA => i.reg(key::RA).to_string() + i.spelling(FieldId::SELECT_A),
            Arg::BytesB if i.get(key::SELECT_B) == SelectB::Imm => self.immediate_byte(),
            Arg::BytesB => i.reg(key::RB).to_string() + i.spelling(FieldId::SELECT_B),
            Arg::RdAgain => self.source_c(),
            Arg::A => self.source_a(),
            Arg::B => self.source_b(false),
            Arg::SpacedB => self.source_b(true),
            Arg::ConvertedB => self.source_b(i.get(key::FROM_FLOAT) == FloatType::F16),
            Arg::C => self.source_c(),
            Arg::RcUnlessZero => (!i.reg(key::RC).is_zero()).then(|| i.reg(key::RC).to_string())?,
            Arg::Pd => i.pred(key::PD).to_string(),
            Arg::PdUnlessTrue if i.has(FieldId::B2R_MODE) && i.get(key::B2R_MODE) != BarrierRead::Result => None?,
            Arg::PdUnlessTrue => (!i.pred(key::PD).is_true()).then(|| i.pred(key::PD).to_string())?,
            Arg::Pq => i.pred(key::PQ).to_string(),
            Arg::Pc => i.pred_c().to_string(),
            Arg::Pa => i.pred_a().to_string(),
            Arg::Pb => i.pred_b().to_string(),
            Arg::Cc => "CC".into(),
            Arg::Flags => i.get(key::FLAGS).name().into(),
            Arg::Number(id) => format!("{:#x}", i.value(id)),
            Arg::NumberUnlessZero(id) => (i.value(id) != 0).then(|| format!("{:#x}", i.value(id)))?,
            Arg::QuadMask => (i.get(key::QUAD_MASK) != 15).then(|| format!("{:#x}", i.get(key::QUAD_MASK)))?,
            Arg::Attribute => self.attribute(),
            Arg::Logical => self.logical(),
            Arg::Bracketed => format!("[{}]", i.reg(key::RA)),
            Arg::Memory => self.memory(),
            Arg::ConstantMemory => {
                let bank = format!("c[{:#x}]", i.get(key::BANK));
                address(&bank, i.reg(key::RA), i.signed(FieldId::OFFSET).into())
            }
            Arg::Special => special_register_name(i.get(key::SPECIAL)),
            Arg::Test => (i.test() != Test::T).then(|| format!("CC{}", i.test().name()))?,
            Arg::Target | Arg::Absolute => self.target(),
            Arg::IndexedTarget => self.indexed(i.signed(FieldId::TARGET)),
            Arg::IndexedAbsolute => self.indexed(i.signed(FieldId::ABSOLUTE)),
            Arg::BarrierId if i.get(key::BARRIER_ID_IMM) => format!("{:#x}", i.get(key::BARRIER_ID)),
            Arg::BarrierId => Reg(i.get(key::BARRIER_ID)).to_string(),
            Arg::BarrierCount => self.barrier_count()?,
            Arg::BarrierPredicate => {
                let takes = matches!(i.get(key::BARRIER_OP), BarrierOp::Red | BarrierOp::Scan);
                takes.then(|| i.pred_c().to_string())?
            }
            Arg::Scoreboard => {
                let spelled = || format!("SB{}, {:#x}", i.get(key::SCOREBOARD), i.get(key::SCOREBOARD_COUNT));
                i.get(key::LE).then(spelled)?
            }
            Arg::ScoreboardSet => {
                let set = i.get(key::SCOREBOARD_SET);
                let members: Vec<String> = (0..6).rev().filter(|n| set >> n & 1 != 0).map(|n| n.to_string()).collect();
                (set != 0).then(|| format!("{{{}}}", members.join(",")))?
            }
            Arg::Lane if i.get(key::LANE_IS_IMM) => format!("{:#x}", i.value(FieldId::RB) & 31),
            Arg::Lane => i.reg(key::RB).to_string(),
            Arg::Clamp if i.get(key::CLAMP_IS_IMM) => format!("{:#x}", i.get(key::CLAMP_IMM)),
            Arg::Clamp => Reg((i.get(key::CLAMP_IMM) >> 5) as u8).to_string(),
        })
    }

    fn register(&self, id: FieldId) -> Reg {
        Reg(self.instruction.value(id) as u8)
    }

    /// An address in memory; without a register, offsets have no sign.
    fn memory(&self) -> String {
        let i = self.instruction;
        let (id, scale) = offset_of(i);
        match (i.reg(key::RA), i.value(id)) {
            (register, 0) if register.is_zero() => "[RZ]".into(),
            (register, offset) if register.is_zero() => address("", register, scale * i64::from(offset)),
            (register, _) => address("", register, scale * i64::from(i.signed(id))),
        }
    }

    fn cas_values(&self) -> String {
        let i = self.instruction;
        let first = i.reg(key::RB);
        match i.get(key::CAS_OPERANDS) {
            CasOperands::Both | CasOperands::Invalid => format!("{first}, {}", i.cas_store()),
            CasOperands::Compare => format!("{first}, RZ"),
            CasOperands::Store => format!("RZ, {first}"),
        }
    }

    fn immediate_byte(&self) -> String {
        let i = self.instruction;
        let byte = i.value(FieldId::RB) as u8;
        let has_sign = matches!(i.get(key::BYTE_SIGNS), ByteSigns::U8S8 | ByteSigns::S8S8);
        signed(if has_sign { (byte as i8).into() } else { byte.into() })
    }

    fn source_a(&self) -> String {
        let i = self.instruction;
        let a = i.a();
        let mut text = i.reg(key::RA).to_string();
        if i.has(FieldId::HALF_A) {
            text += i.get(key::HALF_A).name();
        } else if i.get(key::HIGH_A) {
            text += ".H1";
        } else if i.has(FieldId::BYTE_A) {
            text += i.get(key::BYTE_A).name();
        } else if i.has(FieldId::VIDEO_A) {
            text += i.get(key::VIDEO_A).part_name();
        }
        let text = if a.inv { format!("~{text}") } else { signed_operand(a.neg, a.abs, &text) };
        text + reused(self.context.reuse.a)
    }

    fn source_b(&self, spaced: bool) -> String {
        let i = self.instruction;
        let b = i.b();
        let part = self.part_of_b();
        match b.value {
            Value::Imm(_) => {
                let mut text = self.immediate();
                for (is, name) in [(b.neg, ".NEG"), (b.abs, ".ABS"), (b.inv, ".INV")] {
                    text += if is { name } else { "" };
                }
                text + part
            }
            _ => {
                let text = self.value(b.value, spaced) + part;
                let text = if b.inv { format!("~{text}") } else { signed_operand(b.neg, b.abs, &text) };
                text + reused(self.context.reuse.b)
            }
        }
    }

    /// The part of B that is taken, as a suffix.
    fn part_of_b(&self) -> &'static str {
        let i = self.instruction;
        if i.has(FieldId::HALF_B) {
            i.get(key::HALF_B).name()
        } else if i.has(FieldId::VIDEO_B) {
            i.get(key::VIDEO_B).part_name()
        } else if i.get(key::HIGH_B) && (i.op() != Op::F2f || i.get(key::FROM_FLOAT) == FloatType::F16) {
            ".H1"
        } else if i.has(FieldId::BYTE_B) {
            match (i.get(key::FROM_INT).bits(), i.get(key::BYTE_B)) {
                (16, Byte::B2) => ".H1",
                (_, byte) => byte.name(),
            }
        } else {
            ""
        }
    }

    fn source_c(&self) -> String {
        let i = self.instruction;
        let c = i.c();
        let text = self.value(c.value, false) + i.get(key::HALF_C).name();
        signed_operand(c.neg, false, &text) + reused(self.context.reuse.c)
    }

    fn value(&self, value: Value, spaced: bool) -> String {
        match value {
            Value::Reg(reg) => reg.to_string(),
            Value::Imm(_) => self.immediate(),
            Value::Const { bank, offset } => {
                let blank = if spaced { " " } else { "" };
                format!("c[{bank:#x}]{blank}[{}]", signed((offset as i16).into()))
            }
        }
    }

    fn immediate(&self) -> String {
        let i = self.instruction;
        let (Shape::Immediate(imm), Value::Imm(value)) = (i.shape(), i.b().value) else { return String::new() };
        let raw = imm.field().bits.get(i.encode());
        let double = || float(f64::from_bits(u64::from(value) << 32));
        match imm {
            Imm::Signed | Imm::WideSigned => signed((value as i32).into()),
            Imm::Half if i.value(FieldId::HALF_FACTORS) & 2 != 0 => signed((value as i16).into()),
            Imm::VideoHalf if i.get(key::VIDEO_IMM) == VideoImm::S16 => signed((value as i16).into()),
            Imm::Unsigned | Imm::Half | Imm::VideoHalf | Imm::Count | Imm::WideUnsigned => format!("{raw:#x}"),
            Imm::Float | Imm::WideFloat => single(value),
            Imm::Double => double(),
            Imm::Converted => match i.get(key::FROM_FLOAT) {
                FloatType::F16 => float(half_to_f64(value as u16)),
                FloatType::F64 => double(),
                _ => single(value),
            },
        }
    }

    fn attribute(&self) -> String {
        let i = self.instruction;
        let register = i.reg(key::RA);
        let offset =
            if register.is_zero() { i.value(FieldId::OFFSET) as i32 & 0x3ff } else { i.signed(FieldId::OFFSET) };
        if register.is_zero() && offset == 0 { "a[RZ]".into() } else { address("a", register, offset.into()) }
    }

    fn logical(&self) -> String {
        let i = self.instruction;
        let offset = i.signed(FieldId::OFFSET);
        match (i.reg(key::RA), offset) {
            (register, _) if register.is_zero() => format!("{:#x}", offset & 0x3ff),
            (register, 0) => register.to_string(),
            (register, _) => format!("{register}, {}", signed(offset.into())),
        }
    }

    fn target(&self) -> String {
        let i = self.instruction;
        match (self.context.label, i.target(self.context.at)) {
            (Some(label), _) => label.to_owned(),
            (None, Some(target)) if i.has(FieldId::ABSOLUTE) => format!("{target:#x}"),
            (None, Some(target)) => signed((target as i32).into()),
            (None, None) => {
                let (bank, offset) = i.target_constant();
                format!("c[{bank:#x}][{}]", signed(offset.into()))
            }
        }
    }

    fn indexed(&self, offset: i32) -> String {
        let i = self.instruction;
        let register = i.reg(key::RA);
        if i.get(key::TARGET_CONST) {
            let (bank, offset) = i.target_constant();
            return address(&format!("c[{bank:#x}]"), register, offset.into());
        }
        if offset == 0 { register.to_string() } else { format!("{register} {}", signed(offset.into())) }
    }

    fn barrier_count(&self) -> Option<String> {
        let i = self.instruction;
        let count = i.get(key::BARRIER_COUNT);
        let always = matches!(i.get(key::BARRIER_OP), BarrierOp::Arv | BarrierOp::Scan);
        if i.get(key::BARRIER_COUNT_IMM) {
            (always || count != 0).then(|| format!("{count:#x}"))
        } else {
            let register = Reg(count as u8);
            Some(register.to_string())
        }
    }
}

/// The field that holds the offset of an address in memory, and the number of bytes that it counts.
pub(super) fn offset_of(instruction: &Instruction) -> (FieldId, i64) {
    if instruction.has(FieldId::WORD_OFFSET) { (FieldId::WORD_OFFSET, 4) } else { (FieldId::OFFSET, 1) }
}

/// The dimensions of a scalar texture access.
pub(super) fn scalar_dim(instruction: &Instruction) -> TextureDim {
    if instruction.has(FieldId::TEXS_KIND) {
        instruction.get(key::TEXS_KIND).dim()
    } else {
        instruction.get(key::TLDS_KIND).dim()
    }
}

/// What the lanes of a quad add: two letters for each, the signs of A and of B. Lane 0 has the upper bits.
pub(super) const SWIZZLES: [&str; 4] = ["PP", "NP", "PN", "ZP"];

fn swizzle(bits: u8) -> String {
    (0..4).rev().map(|lane| SWIZZLES[usize::from(bits >> (2 * lane) & 3)]).collect()
}

fn reused(reuse: bool) -> &'static str {
    if reuse { ".reuse" } else { "" }
}

fn signed_operand(neg: bool, abs: bool, text: &str) -> String {
    let sign = if neg { "-" } else { "" };
    if abs { format!("{sign}|{text}|") } else { format!("{sign}{text}") }
}

/// `before[R1+0x10]`, without what is RZ or 0 in it.
fn address(before: &str, register: Reg, offset: i64) -> String {
    match (register.is_zero(), offset) {
        (true, _) => format!("{before}[{}]", signed(offset)),
        (false, 0) => format!("{before}[{register}]"),
        (false, _) => format!("{before}[{register}+{}]", signed(offset)),
    }
}

/// The value of a binary16.
pub(super) fn half_to_f64(bits: u16) -> f64 {
    let value = BINARY16.convert(Rounding::NearestEven, bits.into(), BINARY64);
    value.map_or(f64::NAN, f64::from_bits)
}
