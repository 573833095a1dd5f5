//! Random instructions, from the field tables: every field takes every value, and then what the machine refuses is put
//! right.

use crate::random::Random;
use ctm_r700::*;

/// What a random ALU group may have beside arithmetic on registers 0 to 7, literals and constants of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Allow {
    /// PV and PS.
    pub previous: bool,
    /// Updates of the predicate and the active mask, kills, writes of the address register.
    pub effects: bool,
    /// Entries 0 to 15 of both constant-cache windows.
    pub windows: bool,
}

fn qword(random: &mut Random) -> Qword {
    [random.bits(), random.bits()]
}

/// A control-flow instruction of any opcode, with every field that it has.
pub fn control(random: &mut Random) -> Cf {
    loop {
        let mut cf = Cf::decode(&qword(random));
        match &mut cf {
            Cf::Plain(plain) => plain.fields.reserved = [0; 2],
            Cf::Alu(alu) => {
                for window in alu.fields.kcache.iter_mut().filter(|window| window.mode == KcacheMode::Nop) {
                    *window = Kcache::default();
                }
            }
            Cf::Export(export) => {
                match &mut export.variant {
                    ExportVariant::Swizzle(swizzle) => {
                        swizzle.reserved = [0; 2];
                        swizzle.sel.iter_mut().for_each(|select| *select = legal_select(*select));
                    }
                    ExportVariant::Buffer(buffer) => buffer.reserved = [0; 2],
                }
                if export.op.properties().exports {
                    export.fields.kind %= ExportType::Reserved3 as u8;
                    if export.export_type() == ExportType::Position {
                        let position = ExportTarget::Position(usize::from(export.fields.array_base) % POSITIONS);
                        export.fields.array_base = position.array_base();
                    }
                }
            }
            Cf::Reserved(_) => continue,
        }
        return cf;
    }
}

fn legal_select(select: Select) -> Select {
    if select == Select::Reserved6 { Select::Mask } else { select }
}

/// An instruction of a fetch clause, of any kind whose words are described.
pub fn fetch(random: &mut Random) -> Fetch {
    loop {
        let words = std::array::from_fn(|_| random.bits());
        let mut fetch = Fetch::decode(&words);
        match &mut fetch {
            Fetch::Vtx(vtx) => {
                vtx.reserved = [0; 4];
                vtx.dst_sel = vtx.dst_sel.map(legal_select);
                legal_format(random, &mut vtx.format);
                if vtx.fetch_type == FetchType::Reserved3 {
                    vtx.fetch_type = FetchType::NoIndexOffset;
                }
                if vtx.endian_swap == EndianSwap::Reserved3 {
                    vtx.endian_swap = EndianSwap::In32;
                }
            }
            Fetch::Tex(tex) => {
                tex.fields.reserved = [0; 4];
                tex.fields.dst_sel = tex.fields.dst_sel.map(legal_select);
                tex.fields.src_sel = tex.fields.src_sel.map(legal_select);
            }
            Fetch::Mem(read) => {
                read.reserved = [0; 4];
                read.dst_sel = read.dst_sel.map(legal_select);
                legal_format(random, &mut read.format);
                if read.endian_swap == EndianSwap::Reserved3 {
                    read.endian_swap = EndianSwap::In32;
                }
            }
            Fetch::MemRaw(..) => continue,
        }
        return fetch;
    }
}

/// The format of elements in memory, mostly one that can be fetched.
pub fn element_format(random: &mut Random) -> ElementFormat {
    let can_be = |format: &DataFormat| matches!(format.properties(), FormatLayout::Integer(_) | FormatLayout::Float(_));
    let data_format = loop {
        let format = random.pick(DataFormat::ALL);
        if can_be(&format) || random.one_in(4) {
            break format.code();
        }
    };
    ElementFormat {
        data_format,
        number: random.pick(&[NumberFormat::Norm, NumberFormat::Scaled, NumberFormat::Int]),
        signed: random.one_in(2),
        no_zero: random.one_in(2),
    }
}

fn legal_format(random: &mut Random, format: &mut ElementFormat) {
    format.data_format = random.pick(DataFormat::ALL).code();
    if format.number == NumberFormat::Reserved3 {
        format.number = NumberFormat::Int;
    }
}

/// A group that every unit can issue, with the literals that it needs. Bank swizzles are left at 0.
pub fn group(random: &mut Random, allow: Allow) -> Group {
    let reductions: Vec<Op2> =
        Op2::ALL.iter().copied().filter(|&op| AluOp::Op2(op).properties().reduction().is_some()).collect();
    loop {
        let mut slots = Vec::new();
        let reduction = random.one_in(12).then(|| random.pick(&reductions));
        for unit in Unit::ALL {
            match reduction {
                Some(op) if unit != Unit::T => slots.push(slot(random, AluOp::Op2(op), unit, allow)),
                _ if random.one_in(2) => {
                    let op = operation(random, unit, allow);
                    slots.push(slot(random, op, unit, allow));
                }
                _ => {}
            }
        }
        if reduction.is_some() {
            // The four instructions of a reduction share their modifiers.
            let (clamp, omod) = (slots[0].fields.clamp, slots[0].omod());
            for slot in &mut slots[..4] {
                slot.fields.clamp = clamp;
                if let AluForm::Op2(op2) = &mut slot.form {
                    op2.omod = omod;
                }
            }
        }
        let Some(last) = slots.last_mut() else { continue };
        last.fields.last = true;
        let literal_qwords = literal_qwords(&slots);
        let mut literals = [0; 4];
        for slot in &slots {
            for operand in slot.operands().filter(|operand| operand.selector == Selector::Literal) {
                let integer = slot.op.properties().operands == Number::Integer;
                literals[operand.chan as usize] = if integer { random.bits() } else { random.float() };
            }
        }
        let group = Group { start: 0, slots, literals, literal_qwords, cut_off: false };
        if legal_group(&group, &ProgramInfo::default()).is_ok() {
            return group;
        }
    }
}

/// The qwords of a group.
pub fn encode(group: &Group) -> Vec<Qword> {
    let slots = group.slots.iter().map(|slot| slot.encode(Family::R700));
    let literals = group.literals.chunks_exact(2).map(|pair| [pair[0], pair[1]]).take(group.literal_qwords);
    slots.chain(literals).collect()
}

/// An operation that this unit can execute.
fn operation(random: &mut Random, unit: Unit, allow: Allow) -> AluOp {
    loop {
        let op = match random.one_in(4) {
            true => AluOp::Op3(random.pick(Op3::ALL)),
            false => AluOp::Op2(random.pick(Op2::ALL)),
        };
        let properties = op.properties();
        let fits = match properties.units {
            Units::Any => true,
            Units::Trans => unit == Unit::T,
            Units::Vector => unit != Unit::T,
            Units::Reduction(_) => false,
        };
        let double = properties.operands == Number::Double || properties.result == Number::Double;
        let effect = allow.effects || matches!(properties.effect, Effect::None);
        if fits && !double && effect && properties.families.has(Family::R700) {
            return op;
        }
    }
}

fn slot(random: &mut Random, op: AluOp, unit: Unit, allow: Allow) -> Alu {
    let properties = op.properties();
    let mut words = qword(random);
    // The bits that distinguish OP3 from OP2 are those of the opcode.
    words[1] &= !(7 << 15);
    words[1] |= u32::from(op.is_op3()) << 17;
    let decoded = Alu::decode(&words, Family::R700);
    let mut alu = Alu { op, ..decoded };
    let fields = &mut alu.fields;
    (fields.last, fields.bank_swizzle, fields.pred_sel) = (false, BankSwizzle(0), PredicateSelect::Off);
    fields.index_mode = IndexMode::ArX;
    fields.dst = Destination { gpr: fields.dst.gpr & 7, relative: false, ..fields.dst };
    if unit != Unit::T {
        fields.dst.chan = Channel::ALL[unit as usize];
    }
    let float = properties.result == Number::Float;
    fields.clamp &= float;
    if let AluForm::Op2(op2) = &mut alu.form {
        let predicate = properties.effect == Effect::Predicate;
        (op2.update_execute_mask, op2.update_pred) =
            (op2.update_execute_mask && predicate, op2.update_pred && predicate);
        if !float || predicate {
            op2.omod = OutputModifier::None;
        }
        if properties.operands != Number::Float {
            op2.abs = [false; 2];
        }
        if properties.effect == Effect::Address {
            op2.write_mask = false;
        }
        for source in usize::from(properties.sources)..2 {
            op2.abs[source] = false;
        }
        if !op2.write_mask {
            alu.fields.dst.gpr = 0;
        }
    }
    for number in 0..if op.is_op3() { 3 } else { 2 } {
        let used = number < usize::from(properties.sources);
        let source = if used { source(random, properties.operands, allow) } else { Source::default() };
        *alu.source_mut(number) = source;
    }
    alu
}

fn source(random: &mut Random, number: Number, allow: Allow) -> Source {
    let special = [Special::Zero, Special::One, Special::OneInt, Special::MinusOneInt, Special::Half];
    let selector = match random.below(8) {
        0 => Selector::Literal,
        1 => Selector::Special(random.pick(&special)),
        2 if allow.previous => Selector::PreviousVector,
        3 if allow.previous => Selector::PreviousScalar,
        4 if allow.windows => Selector::Kcache { window: random.below(2) as u8, entry: random.below(16) as u8 },
        _ => Selector::Gpr(random.below(8) as u8),
    };
    let channels = !matches!(selector, Selector::Special(_) | Selector::PreviousScalar);
    let chan = if channels { random.pick(&Channel::ALL) } else { Channel::X };
    // The constant -1 takes no sign: `-1` is its own name.
    let signed = number == Number::Float && !matches!(selector, Selector::Special(Special::OneInt));
    Source { sel: selector.encode(), relative: false, chan, negate: signed && random.one_in(4) }
}
