//! PVS instructions: the field table, and what it decodes to.
//!
//! An instruction is four dwords: operation and destination, then three sources. The rows below are the only description of
//! the words in the project. Sources: R5xx register tables, `PVS_DST_*` and `PVS_SRC_*`.

use crate::codes::{Component, DestinationKind, Select, SourceKind};
use crate::operation::{MacroOp, MathOp, Operation, VectorOp};
use ctm_bits::{Field, field_table};

/// Number of dwords of an instruction.
pub const DWORDS: usize = 4;

/// The dwords of an instruction.
pub type Words = [u32; DWORDS];

/// Sources of an instruction.
pub const SOURCES: usize = 3;

/// What is added to a register number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressMode {
    /// Nothing.
    Absolute,
    /// A component of A0.
    A0(Component),
    /// The loop index.
    LoopIndex,
    /// Reserved.
    Reserved,
}

impl AddressMode {
    const fn of(low: bool, high: bool, component: Component) -> Self {
        match (high, low) {
            (false, false) => AddressMode::Absolute,
            (false, true) => AddressMode::A0(component),
            (true, false) => AddressMode::LoopIndex,
            (true, true) => AddressMode::Reserved,
        }
    }

    /// The two bits of the field, low one first.
    const fn bits(self) -> (bool, bool) {
        match self {
            AddressMode::Absolute => (false, false),
            AddressMode::A0(_) => (true, false),
            AddressMode::LoopIndex => (false, true),
            AddressMode::Reserved => (true, true),
        }
    }
}

/// What is written, and when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Destination {
    /// The kind of register.
    pub kind: DestinationKind,
    /// Low bit of the address mode.
    pub mode_low: bool,
    /// High bit of the address mode.
    pub mode_high: bool,
    /// The component of A0 that the address mode may add.
    pub addr_sel: Component,
    /// Number of the register.
    pub offset: u8,
    /// Bit k: component k is written.
    pub mask: u8,
    /// Results of the vector engine are clamped to [0, 1].
    pub vector_saturate: bool,
    /// Results of the math engine are clamped to [0, 1].
    pub math_saturate: bool,
    /// The instruction executes only where the predicate is `predicate_sense`.
    pub predicated: bool,
    /// See `predicated`.
    pub predicate_sense: bool,
}

impl Destination {
    /// What is added to the number.
    pub const fn mode(&self) -> AddressMode {
        AddressMode::of(self.mode_low, self.mode_high, self.addr_sel)
    }

    /// Sets what is added to the number.
    pub const fn set_mode(&mut self, mode: AddressMode) {
        (self.mode_low, self.mode_high) = mode.bits();
        if let AddressMode::A0(component) = mode {
            self.addr_sel = component;
        }
    }
}

/// A source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// The kind of register.
    pub kind: SourceKind,
    /// `SPARE_0`: not used.
    pub spare: bool,
    /// Absolute values of all components, before the sign.
    pub absolute: bool,
    /// Low bit of the address mode.
    pub mode_low: bool,
    /// High bit of the address mode.
    pub mode_high: bool,
    /// The component of A0 that the address mode may add.
    pub addr_sel: Component,
    /// Number of the register.
    pub offset: u8,
    /// Where each component comes from.
    pub swizzle: [Select; 4],
    /// Which components are negated.
    pub negate: [bool; 4],
}

impl Default for Source {
    fn default() -> Self {
        Source {
            kind: SourceKind::Temporary,
            spare: false,
            absolute: false,
            mode_low: false,
            mode_high: false,
            addr_sel: Component::X,
            offset: 0,
            swizzle: [Select::X; 4],
            negate: [false; 4],
        }
    }
}

impl Source {
    /// The register as it is.
    pub const IDENTITY: [Select; 4] = [Select::X, Select::Y, Select::Z, Select::W];

    /// What is added to the number.
    pub const fn mode(&self) -> AddressMode {
        AddressMode::of(self.mode_low, self.mode_high, self.addr_sel)
    }

    /// Sets what is added to the number.
    pub const fn set_mode(&mut self, mode: AddressMode) {
        (self.mode_low, self.mode_high) = mode.bits();
        if let AddressMode::A0(component) = mode {
            self.addr_sel = component;
        }
    }

    /// Whether any component comes from the register.
    pub fn reads_register(&self) -> bool {
        self.swizzle.iter().any(|select| match select {
            Select::X | Select::Y | Select::Z | Select::W => true,
            Select::Zero | Select::One | Select::Reserved6 | Select::Unused => false,
        })
    }
}

/// An instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// `PVS_DST_OPCODE`, of the engine that the next two name.
    pub opcode: u8,
    /// The math engine executes it.
    pub math: bool,
    /// It takes two cycles.
    pub macro_op: bool,
    /// The last dword is a second operation, of the math engine.
    pub dual_math: bool,
    /// What is written.
    pub destination: Destination,
    /// What is read.
    pub sources: [Source; SOURCES],
}

field_table! { Instruction, words 4;
    PVS_DST_OPCODE,       0 [5:0],   {opcode},                      u8,              "operation of the engine";
    PVS_DST_MATH_INST,    0 [6:6],   {math},                        bool,            "the math engine executes it";
    PVS_DST_MACRO_INST,   0 [7:7],   {macro_op},                    bool,            "an operation that takes two cycles";
    PVS_DST_REG_TYPE,     0 [11:8],  {destination.kind},            DestinationKind, "what is written";
    PVS_DST_ADDR_MODE_1,  0 [12:12], {destination.mode_high},       bool,            "high bit of the address mode: add the loop index";
    PVS_DST_OFFSET,       0 [19:13], {destination.offset},          u8,              "number of the register";
    PVS_DST_WE,           0 [23:20], {destination.mask},            u8,              "components that are written: bit 0 is x";
    PVS_DST_VE_SAT,       0 [24:24], {destination.vector_saturate}, bool,            "clamp results of the vector engine to [0,1]";
    PVS_DST_ME_SAT,       0 [25:25], {destination.math_saturate},   bool,            "clamp results of the math engine to [0,1]";
    PVS_DST_PRED_ENABLE,  0 [26:26], {destination.predicated},      bool,            "execute where the predicate is PVS_DST_PRED_SENSE";
    PVS_DST_PRED_SENSE,   0 [27:27], {destination.predicate_sense}, bool,            "see PVS_DST_PRED_ENABLE";
    PVS_DST_DUAL_MATH_OP, 0 [28:28], {dual_math},                   bool,            "the last dword is a second operation";
    PVS_DST_ADDR_SEL,     0 [30:29], {destination.addr_sel},        Component,       "component of A0 that is added";
    PVS_DST_ADDR_MODE_0,  0 [31:31], {destination.mode_low},        bool,            "low bit of the address mode: add a component of A0";

    PVS_SRC0_REG_TYPE,    1 [1:0],   {sources[0].kind},       SourceKind, "what source 0 reads";
    PVS_SRC0_SPARE_0,     1 [2:2],   {sources[0].spare},      bool,       "not used";
    PVS_SRC0_ABS_XYZW,    1 [3:3],   {sources[0].absolute},   bool,       "absolute values, before the sign";
    PVS_SRC0_ADDR_MODE_0, 1 [4:4],   {sources[0].mode_low},   bool,       "low bit of the address mode: add a component of A0";
    PVS_SRC0_OFFSET,      1 [12:5],  {sources[0].offset},     u8,         "number of the register";
    PVS_SRC0_SWIZZLE_X,   1 [15:13], {sources[0].swizzle[0]}, Select,     "where x comes from";
    PVS_SRC0_SWIZZLE_Y,   1 [18:16], {sources[0].swizzle[1]}, Select,     "where y comes from";
    PVS_SRC0_SWIZZLE_Z,   1 [21:19], {sources[0].swizzle[2]}, Select,     "where z comes from";
    PVS_SRC0_SWIZZLE_W,   1 [24:22], {sources[0].swizzle[3]}, Select,     "where w comes from";
    PVS_SRC0_MODIFIER_X,  1 [25:25], {sources[0].negate[0]},  bool,       "negate x";
    PVS_SRC0_MODIFIER_Y,  1 [26:26], {sources[0].negate[1]},  bool,       "negate y";
    PVS_SRC0_MODIFIER_Z,  1 [27:27], {sources[0].negate[2]},  bool,       "negate z";
    PVS_SRC0_MODIFIER_W,  1 [28:28], {sources[0].negate[3]},  bool,       "negate w";
    PVS_SRC0_ADDR_SEL,    1 [30:29], {sources[0].addr_sel},   Component,  "component of A0 that is added";
    PVS_SRC0_ADDR_MODE_1, 1 [31:31], {sources[0].mode_high},  bool,       "high bit of the address mode: add the loop index";

    PVS_SRC1_REG_TYPE,    2 [1:0],   {sources[1].kind},       SourceKind, "what source 1 reads";
    PVS_SRC1_SPARE_0,     2 [2:2],   {sources[1].spare},      bool,       "not used";
    PVS_SRC1_ABS_XYZW,    2 [3:3],   {sources[1].absolute},   bool,       "absolute values, before the sign";
    PVS_SRC1_ADDR_MODE_0, 2 [4:4],   {sources[1].mode_low},   bool,       "low bit of the address mode: add a component of A0";
    PVS_SRC1_OFFSET,      2 [12:5],  {sources[1].offset},     u8,         "number of the register";
    PVS_SRC1_SWIZZLE_X,   2 [15:13], {sources[1].swizzle[0]}, Select,     "where x comes from";
    PVS_SRC1_SWIZZLE_Y,   2 [18:16], {sources[1].swizzle[1]}, Select,     "where y comes from";
    PVS_SRC1_SWIZZLE_Z,   2 [21:19], {sources[1].swizzle[2]}, Select,     "where z comes from";
    PVS_SRC1_SWIZZLE_W,   2 [24:22], {sources[1].swizzle[3]}, Select,     "where w comes from";
    PVS_SRC1_MODIFIER_X,  2 [25:25], {sources[1].negate[0]},  bool,       "negate x";
    PVS_SRC1_MODIFIER_Y,  2 [26:26], {sources[1].negate[1]},  bool,       "negate y";
    PVS_SRC1_MODIFIER_Z,  2 [27:27], {sources[1].negate[2]},  bool,       "negate z";
    PVS_SRC1_MODIFIER_W,  2 [28:28], {sources[1].negate[3]},  bool,       "negate w";
    PVS_SRC1_ADDR_SEL,    2 [30:29], {sources[1].addr_sel},   Component,  "component of A0 that is added";
    PVS_SRC1_ADDR_MODE_1, 2 [31:31], {sources[1].mode_high},  bool,       "high bit of the address mode: add the loop index";

    PVS_SRC2_REG_TYPE,    3 [1:0],   {sources[2].kind},       SourceKind, "what source 2 reads";
    PVS_SRC2_SPARE_0,     3 [2:2],   {sources[2].spare},      bool,       "not used";
    PVS_SRC2_ABS_XYZW,    3 [3:3],   {sources[2].absolute},   bool,       "absolute values, before the sign";
    PVS_SRC2_ADDR_MODE_0, 3 [4:4],   {sources[2].mode_low},   bool,       "low bit of the address mode: add a component of A0";
    PVS_SRC2_OFFSET,      3 [12:5],  {sources[2].offset},     u8,         "number of the register";
    PVS_SRC2_SWIZZLE_X,   3 [15:13], {sources[2].swizzle[0]}, Select,     "where x comes from";
    PVS_SRC2_SWIZZLE_Y,   3 [18:16], {sources[2].swizzle[1]}, Select,     "where y comes from";
    PVS_SRC2_SWIZZLE_Z,   3 [21:19], {sources[2].swizzle[2]}, Select,     "where z comes from";
    PVS_SRC2_SWIZZLE_W,   3 [24:22], {sources[2].swizzle[3]}, Select,     "where w comes from";
    PVS_SRC2_MODIFIER_X,  3 [25:25], {sources[2].negate[0]},  bool,       "negate x";
    PVS_SRC2_MODIFIER_Y,  3 [26:26], {sources[2].negate[1]},  bool,       "negate y";
    PVS_SRC2_MODIFIER_Z,  3 [27:27], {sources[2].negate[2]},  bool,       "negate z";
    PVS_SRC2_MODIFIER_W,  3 [28:28], {sources[2].negate[3]},  bool,       "negate w";
    PVS_SRC2_ADDR_SEL,    3 [30:29], {sources[2].addr_sel},   Component,  "component of A0 that is added";
    PVS_SRC2_ADDR_MODE_1, 3 [31:31], {sources[2].mode_high},  bool,       "high bit of the address mode: add the loop index";
}

impl Instruction {
    /// The instruction that these words are: every word means something.
    pub fn decode(words: &Words) -> Self {
        Self::read(words)
    }

    /// The words. `encode(decode(words))` gives the words back, as every bit belongs to a field.
    pub fn encode(&self) -> Words {
        let mut words = [0; DWORDS];
        self.write(&mut words);
        words
    }

    /// What it does.
    pub fn operation(&self) -> Operation {
        let operation = match (self.math, self.macro_op) {
            (false, false) => VectorOp::from_opcode(self.opcode).map(Operation::Vector),
            (true, false) => MathOp::from_opcode(self.opcode).map(Operation::Math),
            (false, true) => MacroOp::from_opcode(self.opcode).map(Operation::Macro),
            (true, true) => None,
        };
        operation.unwrap_or(Operation::Reserved)
    }

    /// Sets what it does; nothing for [`Operation::Reserved`].
    pub fn set_operation(&mut self, operation: Operation) {
        (self.opcode, self.math, self.macro_op) = match operation {
            Operation::Vector(op) => (op.opcode(), false, false),
            Operation::Math(op) => (op.opcode(), true, false),
            Operation::Macro(op) => (op.opcode(), false, true),
            Operation::Reserved => return,
        };
    }

    /// Whether it may write a register.
    pub fn writes(&self) -> bool {
        self.destination.mask != 0 && !self.operation().does_nothing()
    }

    /// The sources that the operation reads, with their numbers.
    pub fn sources_read(&self) -> impl Iterator<Item = (usize, &Source)> {
        let operation = self.operation();
        // Powers have the exponent in the third source, and leave the second one out.
        let skips_second = match operation {
            Operation::Math(
                MathOp::PowerFuncFf
                | MathOp::PowerFuncFfClampB
                | MathOp::PowerFuncFfClampB1
                | MathOp::PowerFuncFfClamp01,
            ) => true,
            Operation::Vector(_) | Operation::Math(_) | Operation::Macro(_) | Operation::Reserved => false,
        };
        let read = self.sources.iter().enumerate().take(operation.sources());
        read.filter(move |&(number, _)| !(skips_second && number == 1))
    }

    /// Every field, with its value.
    pub fn fields(&self) -> impl Iterator<Item = (&'static Field, u32)> {
        let words = self.encode();
        Self::FIELDS.iter().map(move |field| (field, field.get(&words)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_belongs_to_a_field() {
        assert_eq!(Instruction::COVERED, [u32::MAX; DWORDS]);
    }

    #[test]
    fn words_come_back() {
        ctm_cases::check(4000, |u| {
            let words: Words = u.arbitrary()?;
            assert_eq!(Instruction::decode(&words).encode(), words);
            Ok(())
        });
    }

    /// `(p=1) SIN T5.y, T4.yyyy, T4.0000, T4.0000`, as Mesa's r300 driver makes it.
    #[test]
    fn fields_are_where_a_compiler_puts_them() {
        let instruction = Instruction::decode(&[0x0C20_A050, 0x0049_2080, 0x0124_8080, 0x0124_8080]);
        assert_eq!(instruction.operation(), Operation::Math(MathOp::Sin));
        let Destination { kind, offset, mask, predicated, predicate_sense, .. } = instruction.destination;
        assert_eq!((kind, offset, mask), (DestinationKind::Temporary, 5, 0b0010));
        assert!(predicated && predicate_sense);
        let [first, second, _] = instruction.sources;
        assert_eq!((first.kind, first.offset, first.swizzle), (SourceKind::Temporary, 4, [Select::Y; 4]));
        assert_eq!(second.swizzle, [Select::Zero; 4]);
        // c[1 + A0.x].
        let constant = Instruction::decode(&[0x0CF0_6003, 0x00D1_0000, 0x00D1_0032, 0x0124_8032]).sources[1];
        assert_eq!((constant.kind, constant.offset), (SourceKind::Constant, 1));
        assert_eq!(constant.mode(), AddressMode::A0(Component::X));
    }
}
