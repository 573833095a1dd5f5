//! Code enumerations of PVS instruction words. Sources: R5xx register tables, `PVS_DST_*` and `PVS_SRC_*`.

use ctm_bits::codes;

codes! {
    /// `PVS_DST_REG_TYPE`: what is written.
    pub enum DestinationKind: 4 {
        /// A temporary.
        0 Temporary "temp",
        /// The address register A0.
        1 Address "a0",
        /// An output vector.
        2 Output "out",
        /// An output vector, whose components all get what x would get.
        3 OutputReplicated "outx",
        /// An alternate temporary.
        4 Alternate "alt",
        /// An input vector.
        5 Input "input",
        /// Reserved.
        6 Reserved6 "reserved6",
        /// Reserved.
        7 Reserved7 "reserved7",
        /// Reserved.
        8 Reserved8 "reserved8",
        /// Reserved.
        9 Reserved9 "reserved9",
        /// Reserved.
        10 Reserved10 "reserved10",
        /// Reserved.
        11 Reserved11 "reserved11",
        /// Reserved.
        12 Reserved12 "reserved12",
        /// Reserved.
        13 Reserved13 "reserved13",
        /// Reserved.
        14 Reserved14 "reserved14",
        /// Reserved.
        15 Reserved15 "reserved15",
    }
}

/// The registers that an instruction can write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DestinationRegisters {
    /// Temporaries.
    Temporaries,
    /// The address register.
    Address,
    /// Output vectors.
    Outputs {
        /// All components get what x would get.
        replicated: bool,
    },
    /// Alternate temporaries.
    Alternates,
    /// Input vectors.
    Inputs,
}

impl DestinationKind {
    /// What is written; none for reserved codes.
    pub const fn written(self) -> Option<DestinationRegisters> {
        match self {
            DestinationKind::Temporary => Some(DestinationRegisters::Temporaries),
            DestinationKind::Address => Some(DestinationRegisters::Address),
            DestinationKind::Output => Some(DestinationRegisters::Outputs { replicated: false }),
            DestinationKind::OutputReplicated => Some(DestinationRegisters::Outputs { replicated: true }),
            DestinationKind::Alternate => Some(DestinationRegisters::Alternates),
            DestinationKind::Input => Some(DestinationRegisters::Inputs),
            DestinationKind::Reserved6
            | DestinationKind::Reserved7
            | DestinationKind::Reserved8
            | DestinationKind::Reserved9
            | DestinationKind::Reserved10
            | DestinationKind::Reserved11
            | DestinationKind::Reserved12
            | DestinationKind::Reserved13
            | DestinationKind::Reserved14
            | DestinationKind::Reserved15 => None,
        }
    }
}

codes! {
    /// `PVS_SRC_REG_TYPE`: what is read.
    pub enum SourceKind: 2 {
        /// A temporary.
        0 Temporary "temp",
        /// An input vector.
        1 Input "input",
        /// A constant.
        2 Constant "const",
        /// An alternate temporary.
        3 Alternate "alt",
    }
}

codes! {
    /// `PVS_SRC_SWIZZLE_*`: where a component of an operand comes from.
    pub enum Select: 3 {
        /// Component x.
        0 X "x",
        /// Component y.
        1 Y "y",
        /// Component z.
        2 Z "z",
        /// Component w.
        3 W "w",
        /// 0.0.
        4 Zero "0",
        /// 1.0.
        5 One "1",
        /// Reserved, reads 0.0.
        6 Reserved6 "r",
        /// Nothing: the operation does not read the component. It reads 0.0.
        7 Unused "_",
    }
}

codes! {
    /// `PVS_DST_ADDR_SEL`, `PVS_SRC_ADDR_SEL`: the component of A0 that is added to a register number.
    pub enum Component: 2 {
        /// Component x.
        0 X "x",
        /// Component y.
        1 Y "y",
        /// Component z.
        2 Z "z",
        /// Component w.
        3 W "w",
    }
}
