//! Decoded programs of the corpus, compared with the listings that the driver printed of them.

use ctm_r700::*;
use std::path::{Path, PathBuf};

fn corpus() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/r700")
}

/// A line of a listing: the place of its first dword, its dwords, and what follows.
fn code_line(line: &str) -> Option<(usize, Vec<u32>, &str)> {
    let place = line.split_whitespace().next()?.parse().ok()?;
    let mut rest = line.trim_start().get(4..)?.trim_start();
    let mut dwords = Vec::new();
    while let Some(word) = rest.get(..8).filter(|word| word.bytes().all(|byte| byte.is_ascii_hexdigit())) {
        dwords.push(u32::from_str_radix(word, 16).ok()?);
        rest = rest[8..].trim_start();
    }
    (!dwords.is_empty()).then_some((place, dwords, rest))
}

/// An operand in the listing's own way.
fn operand(operand: &Operand, literals: &[u32; 4]) -> String {
    let chan = operand.chan.name();
    let value = match operand.selector {
        Selector::Gpr(register) => format!("R{register}.{chan}"),
        Selector::PreviousVector => format!("PV.{chan}"),
        Selector::PreviousScalar => "PS".into(),
        Selector::Literal => format!("[0x{:08x}", literals[operand.chan as usize]),
        Selector::Special(Special::Zero) => "0".into(),
        Selector::Special(Special::One) => "1.0".into(),
        Selector::Special(Special::OneInt) => "1".into(),
        Selector::Special(Special::MinusOneInt) => "-1".into(),
        Selector::Special(Special::Half) => "0.5".into(),
        other => format!("{other:?}"),
    };
    let value = if operand.abs { format!("|{value}|") } else { value };
    if operand.negate { format!("-{value}") } else { value }
}

/// `[0xbf000000 -0.5].x` as `[0xbf000000`, `T1.x` as `R125.x`, `__.w` as `____.w`.
fn normal(operand: &str) -> String {
    let mut operand = operand.trim().to_owned();
    if let Some(at) = operand.find('[') {
        operand = format!("{}{}", &operand[..at], operand[at..][..11].to_lowercase());
    }
    for temporary in 0..4 {
        operand = operand.replace(&format!("T{temporary}."), &format!("R{}.", 124 + temporary));
    }
    operand.trim_start_matches('_').to_owned()
}

fn compare_alu(slot: &Alu, unit: Unit, literals: &[u32; 4], listed: &str, place: &str) {
    let listed = listed.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
    let (listed_unit, listed) = listed.split_once(':').expect(place);
    assert_eq!(listed_unit, unit.name(), "{place}");
    // `M` and `P` stand for the updates of the active mask and of the predicate.
    let (updates, listed) = listed.split_at(listed.find(' ').expect(place));
    let op2 = slot.op2().copied().unwrap_or_default();
    assert_eq!(updates.contains('M'), op2.update_execute_mask, "{place}");
    assert_eq!(updates.contains('P'), op2.update_pred, "{place}");
    let (name, listed) = listed.trim().split_once(' ').expect(place);
    let clamp = if slot.fields.clamp { "_sat" } else { "" };
    assert_eq!(name, format!("{}{clamp}", slot.op.name().expect(place)), "{place}");
    let swizzle = listed.split_once("BS:").map_or("0", |(_, code)| code.trim());
    let swizzle = swizzle.split_whitespace().next().expect(place);
    let ours = slot.fields.bank_swizzle;
    assert!(swizzle == ours.0.to_string() || ours.name(unit == Unit::T) == Some(swizzle), "{place}");
    let operands: Vec<&str> = listed.split("  BS:").next().expect(place).split(',').collect();
    let mut expected = vec![match slot.writes() {
        true => format!("R{}.{}", slot.fields.dst.gpr, slot.fields.dst.chan.name()),
        false => format!(".{}", slot.fields.dst.chan.name()),
    }];
    expected.extend(slot.operands().map(|op| operand(&op, literals)));
    let operands: Vec<String> =
        operands.into_iter().map(normal).map(|op| op.split("  ").next().unwrap().to_owned()).collect();
    assert_eq!(operands, expected, "{place}");
}

fn compare(case: &Path) -> usize {
    let listing = std::fs::read_to_string(case.join("listing.txt")).unwrap();
    let bytes = std::fs::read(case.join("program.u32")).unwrap();
    let dwords: Vec<u32> = bytes.as_chunks().0.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect();
    let program = Program::from_dwords(&dwords);
    let outline = Outline::of(&program.code, Family::R700);
    let mut slots = std::collections::BTreeMap::new();
    for clause in outline.clauses.keys().filter(|clause| clause.kind == ClauseKind::Alu) {
        for group in clause_groups(&program.code, clause, Family::R700).unwrap() {
            assert!(!group.cut_off);
            let units = assign_units(&group.slots, Family::R700, true).unwrap();
            for (number, (slot, unit)) in group.slots.iter().zip(units).enumerate() {
                let place = clause.address as usize + group.start + number;
                slots.insert(place, (*slot, unit, group.literals));
            }
        }
    }
    let mut compared = 0;
    for line in listing.lines() {
        let Some((place, words, listed)) = code_line(line) else { continue };
        assert_eq!(dwords[place..place + words.len()], words, "{line}");
        let place = place / 2;
        compared += 1;
        if let Some((slot, unit, literals)) = slots.get(&place) {
            compare_alu(slot, *unit, literals, listed, line);
            continue;
        }
        let name = listed.split_whitespace().next().unwrap_or_default();
        if let Some(cf) = outline.cf.get(place) {
            let name = name.replace("EXPORT", "EXP");
            assert_eq!(cf.name(), Some(name.as_str()), "{line}");
            if let Some(target) = cf.target() {
                assert!(listed.contains(&format!("@{}", target * 2)), "{line}");
            }
            if let Some(clause) = cf.clause(Family::R700) {
                let length = if clause.kind == ClauseKind::Fetch { clause.length / 2 } else { clause.length };
                let tail: Vec<&str> = listed.split([' ', '@']).filter(|word| !word.is_empty()).collect();
                let expected = [length.to_string(), (clause.address * 2).to_string()];
                assert_eq!(tail[1..3], [expected[0].as_str(), expected[1].as_str()], "{line}");
            }
        } else if words.len() == 3 {
            let Fetch::Tex(tex) = Fetch::decode(&[words[0], words[1], words[2], 0]) else { panic!("{line}") };
            let TexFields { dst, dst_sel, src, src_sel, .. } = tex.fields;
            let selects = |selects: [Select; 4]| selects.map(Select::name).concat();
            let ids = format!("RID:{}, SID:{}", tex.fields.resource_id, tex.fields.sampler_id);
            let operands = format!("R{}.{}, R{}.{}", dst.gpr, selects(dst_sel), src.gpr, selects(src_sel));
            let types: String = tex.fields.normalized.map(|normal| if normal { 'N' } else { 'U' }).iter().collect();
            for part in [tex.op.name(), &operands, &ids, &types] {
                assert!(listed.contains(part), "{part}: {line}");
            }
        } else {
            assert!(words.len() == 1, "no literal: {line}");
        }
    }
    compared
}

#[test]
fn the_corpus() {
    let mut compared = 0;
    for case in std::fs::read_dir(corpus()).unwrap() {
        compared += compare(&case.unwrap().path());
    }
    assert!(compared > 250, "{compared} lines");
}
