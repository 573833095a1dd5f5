//! What an instruction really reads and writes.
//!
//! Many fields of an instruction are there whether they matter or not: a multiply has three source addresses although
//! its operands may select only one, and an operation whose result goes nowhere reads nothing that counts. [`Effects`]
//! sorts that out once, for the notes of a program, for checks, and for everything else that follows values.
#![deny(clippy::wildcard_enum_match_arm)]

use crate::codes::*;
use crate::instruction::*;
use crate::program::{ProgramInfo, WriteMode};
use ctm_raster::sampler::TextureKind;

/// The way that a source takes into an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReadPath {
    /// An operand selects it.
    Operand,
    /// An operand selects the presubtract result, which is made of it.
    Presubtract,
    /// MDH and MDV take it from the lanes of the quad.
    Quad,
    /// It holds coordinates of a texture instruction.
    Coordinate,
}

/// A source that is read, with the channels that matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Read {
    /// Register, constant or inline constant.
    pub operand: Operand,
    /// Bit 0 red, 1 green, 2 blue, 3 alpha.
    pub channels: u8,
    /// How the value gets into the operation.
    pub path: ReadPath,
}

/// A temporary that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TempWrite {
    /// Register number.
    pub index: u8,
    /// aL is added.
    pub relative: bool,
    /// Bit 0 red, 1 green, 2 blue, 3 alpha.
    pub channels: u8,
}

/// What one instruction reads and writes. Channel masks have bit 0 red, 1 green, 2 blue, 3 alpha.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// Sources that the result depends on.
    pub reads: Vec<Read>,
    /// Temporaries.
    pub temps: Vec<TempWrite>,
    /// Channels written per output; of an immediate (UMRT) write, all that it enables, at output 0.
    pub outputs: [u8; 4],
    /// Channels whose writes a predicate gates.
    pub gated: u8,
    /// Predicate bits that gates or a jump condition depend on.
    pub predicates_read: u8,
    /// Predicate bits written.
    pub predicates_written: u8,
    /// A jump condition depends on the ALU result.
    pub alu_result_read: bool,
    /// The ALU result is written.
    pub alu_result_written: bool,
    /// The conditional value is written.
    pub cond_value_written: bool,
    /// Channels of the RGB unit's result that something takes.
    pub rgb_used: u8,
    /// Something takes the alpha unit's result.
    pub alpha_used: bool,
    /// Input that is fetched from.
    pub input: Option<u8>,
    /// Lanes may be killed.
    pub kills: bool,
    /// Integer constant that the instruction names as the one it counts with.
    pub int_constant: Option<u8>,
    /// Boolean constant that the jump condition depends on.
    pub bool_constant: Option<u8>,
}

impl Effects {
    /// The effects of an instruction in a program with these outputs.
    pub fn of(instruction: &Instruction, write_mode: WriteMode) -> Self {
        let common = &instruction.common;
        match &instruction.body {
            Body::Alu(alu) => arithmetic(common, alu, None),
            Body::Out(alu) => arithmetic(common, alu, Some(write_mode)),
            Body::Flow(flow) => flow_control(common, flow),
            Body::Tex(tex) => texture(common, tex, false),
        }
    }

    /// The effects of an instruction of a program, which may say that lookups in an input have three coordinates.
    pub fn in_program(instruction: &Instruction, info: &ProgramInfo) -> Self {
        match &instruction.body {
            Body::Tex(tex) => {
                let kind = info.textures.get(usize::from(tex.id)).copied().flatten();
                let is_deep = matches!(kind, Some(TextureKind::Volume | TextureKind::Cube));
                texture(&instruction.common, tex, is_deep)
            }
            Body::Alu(_) | Body::Out(_) | Body::Flow(_) => Self::of(instruction, info.write_mode),
        }
    }

    /// True if nothing but the order of instructions depends on this one. Flow control is never idle.
    pub fn is_idle(&self) -> bool {
        self.temps.is_empty()
            && self.outputs == [0; 4]
            && self.predicates_written == 0
            && !(self.alu_result_written || self.cond_value_written || self.kills)
    }
}

impl Flow {
    /// True if some pair of entries of `JUMP_FUNC` that differ only in the boolean differ.
    pub const fn depends_on_boolean(&self) -> bool {
        (self.jump_func ^ self.jump_func >> 1) & 0x55 != 0
    }

    /// True if some pair of entries of `JUMP_FUNC` that differ only in the predicate differ.
    pub const fn depends_on_predicate(&self) -> bool {
        (self.jump_func ^ self.jump_func >> 2) & 0x33 != 0
    }

    /// True if some pair of entries of `JUMP_FUNC` that differ only in the ALU result differ.
    pub const fn depends_on_alu_result(&self) -> bool {
        (self.jump_func ^ self.jump_func >> 4) & 0x0F != 0
    }
}

/// The number of temporaries that the code uses: the highest register number plus one, or 128 with relative addresses.
pub fn temps_used(code: &[Instruction]) -> usize {
    let mut count = 0;
    let mut use_register = |index: u8, relative: bool| {
        count = count.max(if relative { crate::TEMPS } else { usize::from(index) + 1 });
    };
    for instruction in code {
        let effects = Effects::of(instruction, WriteMode::Cached);
        for read in &effects.reads {
            if let Operand::Temp { index, relative } = read.operand {
                use_register(index, relative);
            }
        }
        for write in &effects.temps {
            use_register(write.index, write.relative);
        }
    }
    count
}

/// Channels per source number: the RGB bits belong to the source of the RGB unit, the alpha bit to the alpha unit's.
type SourceChannels = [u8; 3];

/// The channels of a source vector that an operand takes with these of its own channels.
fn selected<const N: usize>(arg: &Arg<N>, channels: u8) -> u8 {
    let mut taken = 0;
    for (channel, swizzle) in arg.swizzle.iter().enumerate() {
        if channels >> channel & 1 == 1 && *swizzle as u8 <= Swizzle::A as u8 {
            taken |= 1 << *swizzle as u8;
        }
    }
    taken
}

fn arithmetic(common: &Common, alu: &Alu, out: Option<WriteMode>) -> Effects {
    let mut effects = Effects::default();
    let result_from = |channel| alu.alu_wmask && common.result_sel == channel;
    let rgb_used = common.rgb.wmask | common.rgb.omask | u8::from(result_from(ResultChannel::Red));
    let alpha_used = common.alpha.wmask | common.alpha.omask != 0 || alu.w_omask || result_from(ResultChannel::Alpha);
    (effects.rgb_used, effects.alpha_used) = (rgb_used, alpha_used);

    add_reads(&mut effects.reads, alu, rgb_used, alpha_used);

    let wmask = common.rgb.wmask | common.alpha.wmask << 3;
    let omask = common.rgb.omask | common.alpha.omask << 3;
    for (unit_mask, index, relative) in
        [(wmask & 7, alu.rgb.dest, alu.rgb.dest_relative), (wmask & 8, alu.alpha.dest, alu.alpha.dest_relative)]
    {
        if unit_mask != 0 {
            effects.temps.push(TempWrite { index, relative, channels: unit_mask });
        }
    }
    match out {
        None => effects.predicates_written = omask,
        Some(WriteMode::Umrt) => effects.outputs[0] = omask,
        Some(WriteMode::Cached) => {
            effects.outputs[usize::from(alu.rgb.target & 3)] |= omask & 7;
            effects.outputs[usize::from(alu.alpha.target & 3)] |= omask & 8;
        }
    }
    effects.alu_result_written = alu.alu_wmask;
    effects.cond_value_written = alu.w_omask;

    let gateable = wmask | if out.is_some() { omask } else { 0 } | u8::from(alu.w_omask) << 3;
    (effects.gated, effects.predicates_read) = gates(common, gateable);
    effects
}

fn add_reads(reads: &mut Vec<Read>, alu: &Alu, rgb_used: u8, alpha_used: bool) {
    let (rgb, alpha) = (&alu.rgb, &alu.alpha);
    let mut rgb_args = [0u8; 3];
    let mut alpha_args = [false; 3];
    let mut quad = 0u8;

    let dot_product_used = rgb_used != 0 || alpha_used && alpha.op == AlphaOp::Dp;
    match rgb.op {
        RgbOp::Dp3 if dot_product_used => rgb_args = [7, 7, 0],
        RgbOp::Dp4 if dot_product_used => {
            rgb_args = [7, 7, 0];
            alpha_args[..2].fill(true);
        }
        RgbOp::D2a if dot_product_used => rgb_args = [3, 3, 4],
        RgbOp::Dp3 | RgbOp::Dp4 | RgbOp::D2a => {}
        RgbOp::Sop => alpha_args[0] = rgb_used != 0 && alpha.op.is_transcendental(),
        RgbOp::Mdh | RgbOp::Mdv => {
            rgb_args[1] = rgb_used;
            quad |= rgb_used;
        }
        RgbOp::Mad
        | RgbOp::Min
        | RgbOp::Max
        | RgbOp::Cnd
        | RgbOp::Cmp
        | RgbOp::Frc
        | RgbOp::Reserved6
        | RgbOp::Reserved13
        | RgbOp::Reserved14
        | RgbOp::Reserved15 => rgb_args[..rgb.op.operands()].fill(rgb_used),
    }
    if alpha_used {
        match alpha.op {
            AlphaOp::Mdh | AlphaOp::Mdv => {
                alpha_args[1] = true;
                quad |= 8;
            }
            AlphaOp::Mad
            | AlphaOp::Dp
            | AlphaOp::Min
            | AlphaOp::Max
            | AlphaOp::Reserved4
            | AlphaOp::Cnd
            | AlphaOp::Cmp
            | AlphaOp::Frc
            | AlphaOp::Ex2
            | AlphaOp::Ln2
            | AlphaOp::Rcp
            | AlphaOp::Rsq
            | AlphaOp::Sin
            | AlphaOp::Cos => alpha_args[..alpha.op.operands()].fill(true),
        }
    }

    let mut operand: SourceChannels = [0; 3];
    let mut presubtract = 0;
    let mut take = |sel: Select, channels: u8| match sel {
        Select::Srcp => presubtract |= channels,
        Select::Src0 | Select::Src1 | Select::Src2 => operand[sel as usize] |= channels,
    };
    for (arg, channels) in rgb.arg.iter().zip(rgb_args) {
        take(arg.sel, selected(arg, channels));
    }
    for (arg, used) in alpha.arg.iter().zip(alpha_args) {
        take(arg.sel, selected(arg, used.into()));
    }

    let both = |op: Presubtract| matches!(op, Presubtract::Sub | Presubtract::Add);
    let src1_bits = if both(rgb.srcp) { 7 } else { 0 } | if both(alpha.srcp) { 8 } else { 0 };
    let paths = [
        (ReadPath::Operand, operand),
        (ReadPath::Presubtract, [presubtract, presubtract & src1_bits, 0]),
        (ReadPath::Quad, [quad, 0, 0]),
    ];
    for (path, sources) in paths {
        for (number, channels) in sources.into_iter().enumerate() {
            for (bits, source) in [(channels & 7, rgb.src[number]), (channels & 8, alpha.src[number])] {
                if bits != 0 {
                    reads.push(Read { operand: source.operand(), channels: bits, path });
                }
            }
        }
    }
}

/// Of the channels in `writes`: those that a predicate gates, and the predicate bits that decide.
fn gates(common: &Common, writes: u8) -> (u8, u8) {
    let (mut gated, mut bits) = (0, 0);
    for channel in 0..4 {
        let own = 1u8 << channel;
        if writes & own == 0 {
            continue;
        }
        let unit = if channel == 3 { &common.alpha } else { &common.rgb };
        let bit = match unit.pred_sel {
            PredicateSelect::None | PredicateSelect::Reserved6 | PredicateSelect::Reserved7 => continue,
            PredicateSelect::PerChannel => own,
            replicate @ (PredicateSelect::Red
            | PredicateSelect::Green
            | PredicateSelect::Blue
            | PredicateSelect::Alpha) => 1 << (replicate as u8 - PredicateSelect::Red as u8),
        };
        gated |= own;
        bits |= bit;
    }
    (gated, bits)
}

fn flow_control(common: &Common, flow: &Flow) -> Effects {
    let counts = matches!(flow.op, FlowOp::Loop | FlowOp::Rep | FlowOp::EndLoop | FlowOp::EndRep);
    let predicate = if flow.depends_on_predicate() {
        match common.rgb.pred_sel {
            PredicateSelect::None | PredicateSelect::Reserved6 | PredicateSelect::Reserved7 => 0,
            PredicateSelect::PerChannel => 0xF,
            replicate @ (PredicateSelect::Red
            | PredicateSelect::Green
            | PredicateSelect::Blue
            | PredicateSelect::Alpha) => 1 << (replicate as u8 - PredicateSelect::Red as u8),
        }
    } else {
        0
    };
    Effects {
        predicates_read: predicate,
        alu_result_read: flow.depends_on_alu_result(),
        int_constant: counts.then_some(flow.int_addr),
        bool_constant: flow.depends_on_boolean().then_some(flow.bool_addr),
        ..Effects::default()
    }
}

/// `is_deep`: R matters as S and T do.
fn texture(common: &Common, tex: &Tex, is_deep: bool) -> Effects {
    let mut effects = Effects::default();
    let wmask = common.rgb.wmask | common.alpha.wmask << 3;
    let fetches = !matches!(tex.op, TexOp::Nop | TexOp::Texkill | TexOp::Reserved7);
    // Which of S, T, R, Q matter. The bias and level of LODBIAS and LOD are in Q; they change nothing on a machine
    // without mip levels, but the program means them to be read.
    let coordinates = match tex.op {
        TexOp::Nop | TexOp::Reserved7 => 0,
        TexOp::Texkill => 0xF,
        _ if wmask == 0 => 0,
        TexOp::Ld | TexOp::Dxdy => 0b0011,
        TexOp::Proj | TexOp::Lodbias | TexOp::Lod => 0b1011,
    };
    let coordinates = if is_deep && coordinates != 0 { coordinates | 0b0100 } else { coordinates };
    let mut read = |register: &TexRegister, coordinates: u8| {
        let mut channels = 0;
        for (number, swizzle) in register.swizzle.iter().enumerate() {
            if coordinates >> number & 1 == 1 {
                channels |= 1 << *swizzle as u8;
            }
        }
        if channels != 0 {
            let operand = Operand::Temp { index: register.addr, relative: register.relative };
            effects.reads.push(Read { operand, channels, path: ReadPath::Coordinate });
        }
    };
    read(&tex.src, coordinates);
    if tex.op == TexOp::Dxdy {
        read(&tex.dx, coordinates);
        read(&tex.dy, coordinates);
    }
    if fetches {
        effects.input = Some(tex.id);
        if wmask != 0 {
            let (index, relative) = (tex.dst.addr, tex.dst.relative);
            effects.temps.push(TempWrite { index, relative, channels: wmask });
        }
    }
    effects.kills = tex.op == TexOp::Texkill;
    let gateable = if effects.kills {
        0xF
    } else if fetches {
        wmask
    } else {
        0
    };
    (effects.gated, effects.predicates_read) = gates(common, gateable);
    effects
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effects(words: Words) -> Effects {
        Effects::of(&Instruction::decode(&words), WriteMode::Cached)
    }

    fn temp(index: u8) -> Operand {
        Operand::Temp { index, relative: false }
    }

    #[test]
    fn only_selected_channels_are_read() {
        // temp[0].xy = src0.xy * const[0].xy + const[0].zw: the alpha side of the constant gives w.
        let found = effects([0x1800, 0x0804_0000, 0x0804_0080, 0x0084_2420, 0, 0x0046_9000]);
        let constant = Operand::Const { index: 0, relative: false };
        let read = |operand, channels| Read { operand, channels, path: ReadPath::Operand };
        assert_eq!(found.reads, [read(temp(0), 0b0011), read(constant, 0b0111), read(constant, 0b1000)]);
        assert_eq!(found.temps, [TempWrite { index: 0, relative: false, channels: 0b0011 }]);
    }

    #[test]
    fn a_result_that_goes_nowhere_reads_nothing() {
        let found = effects([0, 0x0804_0000, 0x0804_0080, 0x0084_2420, 0, 0x0046_9000]);
        assert_eq!(found.reads, []);
        assert!(found.is_idle());
    }

    #[test]
    fn sop_reads_for_the_alpha_unit() {
        let mut alu = Alu::default();
        alu.rgb.op = RgbOp::Sop;
        alu.alpha.op = AlphaOp::Rcp;
        alu.alpha.src[0].addr = 9;
        alu.alpha.arg[0].swizzle = [Swizzle::A];
        let mut common = Common::default();
        common.rgb.wmask = 1;
        let found = arithmetic(&common, &alu, None);
        assert_eq!(found.reads, [Read { operand: temp(9), channels: 8, path: ReadPath::Operand }]);
        assert!(!found.alpha_used, "the alpha unit's own result goes nowhere");
    }

    #[test]
    fn presubtract_reads_both_sources_only_for_sums() {
        let mut alu = Alu::default();
        alu.rgb.op = RgbOp::Frc;
        alu.rgb.src = [1, 2, 3].map(|addr| Source { addr, ..Source::default() });
        alu.rgb.arg[0] = Arg { sel: Select::Srcp, swizzle: [Swizzle::G; 3], modifier: InputModifier::None };
        let mut common = Common::default();
        common.rgb.wmask = 1;
        let read = |index| Read { operand: temp(index), channels: 0b0010, path: ReadPath::Presubtract };
        for (op, expected) in [(Presubtract::Inv, vec![read(1)]), (Presubtract::Sub, vec![read(1), read(2)])] {
            alu.rgb.srcp = op;
            assert_eq!(arithmetic(&common, &alu, None).reads, expected);
        }
    }

    #[test]
    fn predicate_bits_of_gates() {
        let mut common = Common::default();
        common.rgb.pred_sel = PredicateSelect::PerChannel;
        common.alpha.pred_sel = PredicateSelect::Green;
        assert_eq!(gates(&common, 0b1101), (0b1101, 0b0111));
        assert_eq!(gates(&Common::default(), 0xF), (0, 0));
    }

    #[test]
    fn truth_tables() {
        for (table, expected) in [
            (0x00, [false, false, false]),
            (0x0F, [true, false, false]),
            (0x33, [false, true, false]),
            (0xAA, [false, false, true]),
            (0x80, [true, true, true]),
        ] {
            let flow = Flow { jump_func: table, ..Flow::default() };
            assert_eq!(
                [flow.depends_on_alu_result(), flow.depends_on_predicate(), flow.depends_on_boolean()],
                expected,
                "{table:#04x}"
            );
        }
    }

    #[test]
    fn volumes_and_cubes_have_a_third_coordinate() {
        let swizzle = [TexSwizzle::R, TexSwizzle::G, TexSwizzle::B, TexSwizzle::A];
        let tex = Tex { id: 3, op: TexOp::Ld, src: TexRegister { swizzle, ..Default::default() }, ..Tex::default() };
        let mut common = Common::default();
        common.rgb.wmask = 7;
        let instruction = Instruction { common, body: Body::Tex(tex), reserved: Words::default() };
        let mut info = ProgramInfo::default();
        let mut channels = |kind| {
            info.textures[3] = kind;
            Effects::in_program(&instruction, &info).reads[0].channels
        };
        assert_eq!([None, Some(TextureKind::Flat)].map(&mut channels), [0b0011; 2]);
        assert_eq!([Some(TextureKind::Volume), Some(TextureKind::Cube)].map(&mut channels), [0b0111; 2]);
    }
}
