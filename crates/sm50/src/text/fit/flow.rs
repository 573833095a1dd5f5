//! Operands of flow control and of barriers.

use super::{Fit, Fitting, Label, misfit, other_kind};
use crate::codes::{BarrierOp, Test};
use crate::field::{FieldId, key};
use crate::form::{Arg, Shape};
use crate::table::Row;
use crate::text::item::{Address, Base, Item, numbered};
use crate::text::literal::integer;
use ctm_bits::FieldValue;
use ctm_text::Span;

impl Fitting<'_> {
    pub(super) fn test(&mut self) -> Fit {
        let Some(item) = self.peek() else { return Ok(()) };
        if !matches!(&item.base, Base::Word(word) if word.eq_ignore_ascii_case("CC")) || item.suffixes.len() != 1 {
            return Ok(());
        }
        let names = Test::ALL.map(Test::name);
        let found = Test::parse(&format!(".{}", item.suffixes[0]));
        let test = found.ok_or_else(|| {
            let near = ctm_text::nearest(&format!(".{}", item.suffixes[0]), names);
            let help = near.map(|near| format!("did you mean `CC{near}`?")).unwrap_or_default();
            misfit(item.span, format!("there is no test `{}` of the condition code", item.suffixes[0]), &help)
        })?;
        self.set(FieldId::TEST, test.to_raw());
        self.next += 1;
        Ok(())
    }

    pub(super) fn target(&mut self, span: Span) -> Fit {
        let item = self.take("a target", span)?;
        match &item.base {
            Base::Word(name) if item.suffixes.is_empty() => {
                let displacement = item.displacement.unwrap_or(0);
                self.label = Some(Label { name: name.clone(), displacement, span: item.span });
                Ok(())
            }
            Base::Constant { bank, address } if address.register.is_none() => {
                self.target_constant(item, *bank, *address)
            }
            _ => {
                let value = integer(item)?;
                let placed = place_target(self.row, self.shape, self.word, self.at, value);
                self.word = placed.map_err(|message| misfit(item.span, message, ""))?;
                Ok(())
            }
        }
    }

    fn target_constant(&mut self, item: &Item, bank: i64, address: Address) -> Fit {
        let reachable = (0..32).contains(&bank) && (-0x8000..=0xffff).contains(&address.offset);
        if !reachable || !self.has(FieldId::TARGET_CONST) {
            return Err(misfit(item.span, "this target cannot be a constant".into(), ""));
        }
        self.set(FieldId::TARGET_CONST, 1);
        let value = (bank as u32) << 16 | u32::from(address.offset as u16);
        self.set(FieldId::TARGET, value);
        self.set(FieldId::ABSOLUTE, value);
        Ok(())
    }

    /// A register plus a displacement, or a constant at such a place.
    pub(super) fn indexed(&mut self, span: Span) -> Fit {
        let item = self.take("a register", span)?;
        match item.base {
            Base::Register(number) => {
                let displacement = item.displacement.unwrap_or(0);
                let id = if self.has(FieldId::TARGET) { FieldId::TARGET } else { FieldId::ABSOLUTE };
                let most = self.row.bits_of(self.shape, id).map_or(0, |bits| i64::from(bits.max() / 2));
                if !(-most - 1..=most).contains(&displacement) {
                    return Err(misfit(item.span, format!("{displacement} is too far"), ""));
                }
                self.set(FieldId::RA, number.into());
                self.set(id, displacement as u32);
                Ok(())
            }
            Base::Constant { bank, address } => {
                self.set(FieldId::RA, address.register.unwrap_or(255).into());
                self.target_constant(item, bank, address)
            }
            _ => Err(other_kind(item, "a register", "such as `R0 0x10`")),
        }
    }

    pub(super) fn barrier(&mut self, arg: Arg, span: Span) -> Fit {
        let predicated = matches!(self.get(key::BARRIER_OP), BarrierOp::Red | BarrierOp::Scan);
        let counted = matches!(self.get(key::BARRIER_OP), BarrierOp::Arv | BarrierOp::Scan);
        let at_predicate = matches!(self.peek(), None | Some(Item { base: Base::Predicate(_), .. }));
        match arg {
            Arg::BarrierId => self.number_or_register(FieldId::BARRIER_ID_IMM, FieldId::BARRIER_ID, 0, 255, span),
            Arg::BarrierCount if at_predicate && !counted => {
                self.set(FieldId::BARRIER_COUNT_IMM, 1);
                Ok(())
            }
            Arg::BarrierCount => {
                self.number_or_register(FieldId::BARRIER_COUNT_IMM, FieldId::BARRIER_COUNT, 0, 0xfff, span)
            }
            _ if predicated => self.predicate(FieldId::PC, Some(FieldId::PC_NOT), span),
            _ => Ok(()),
        }
    }

    pub(super) fn scoreboards(&mut self, arg: Arg, span: Span) -> Fit {
        if arg == Arg::ScoreboardSet {
            let Some(item) = self.peek() else { return Ok(()) };
            let Base::Set(set) = item.base else {
                return Err(other_kind(item, "a set of scoreboards", "such as `{1,0}`"));
            };
            self.next += 1;
            self.set(FieldId::SCOREBOARD_SET, set.into());
            return Ok(());
        }
        if !self.get(key::LE) {
            return Ok(());
        }
        let item = self.take("a scoreboard", span)?;
        let number = match &item.base {
            Base::Word(word) if word.is_char_boundary(1) && word[..1].eq_ignore_ascii_case("S") => {
                numbered(&word[1..], b'B')
            }
            _ => None,
        };
        let help = "`SB0` to `SB5`";
        let number = number.filter(|&number| number < 6);
        let number = number.ok_or_else(|| other_kind(item, "a scoreboard", help))?;
        self.set(FieldId::SCOREBOARD, number.into());
        self.number(FieldId::SCOREBOARD_COUNT, span)
    }
}

/// Puts a target into a word of flow control at byte address `at`.
pub(in crate::text) fn place_target(row: &Row, shape: Shape, word: u64, at: u32, target: i64) -> Result<u64, String> {
    if let Some(bits) = row.bits_of(shape, FieldId::TARGET) {
        let distance = target - i64::from(at) - 8;
        if !(-0x80_0000..0x80_0000).contains(&distance) {
            return Err(format!("the target is {distance} bytes away, more than 8388607"));
        }
        return Ok(bits.set(word, distance as u32));
    }
    match (row.bits_of(shape, FieldId::ABSOLUTE), u32::try_from(target)) {
        (Some(bits), Ok(target)) => Ok(bits.set(word, target)),
        _ => Err("this target is out of reach".into()),
    }
}
