//! The command table: names, opcodes, parameters. The only description of the command words in the project.
//!
//! Source: CTM Guide v1.01 p.8-22; `set_params` is a command of later clients, whose opcode was never published and is the next free one here.

use ctm_bits::{Field, FieldValue, codes, extract, insert};

/// Most parameters that a command has.
pub const MAX_PARAMETERS: usize = 4;

/// The parameter dwords of a command; those it does not have are 0.
pub type Parameters = [u32; MAX_PARAMETERS];

codes! {
    /// `format` of a buffer: how an element lies in memory (CTM Guide p.13).
    pub enum FormatCode: 3 {
        /// One 16-bit unsigned normalized channel.
        0 Uint16_1 "UINT16_1",
        /// Four 8-bit unsigned normalized channels.
        1 Uint8_4 "UINT8_4",
        /// One binary32 channel.
        2 Float32_1 "FLOAT32_1",
        /// Two binary32 channels.
        3 Float32_2 "FLOAT32_2",
        /// Four binary32 channels.
        4 Float32_4 "FLOAT32_4",
        /// Reserved.
        5 Reserved5 "RESERVED5",
        /// Reserved.
        6 Reserved6 "RESERVED6",
        /// Reserved.
        7 Reserved7 "RESERVED7",
    }
}

codes! {
    /// `tiling` of a buffer: how elements follow each other in memory (CTM Guide p.13).
    pub enum TilingCode: 2 {
        /// Row after row.
        0 Linear "LINEAR",
        /// In tiles of 2048 bytes.
        1 Tiled "TILED",
        /// Linear; an input of one channel returns the four elements at and around the coordinates.
        2 LinearInp2x2 "LINEAR_INP_2X2",
        /// Tiled; an input of one channel returns the four elements at and around the coordinates.
        3 TiledInp2x2 "TILED_INP_2X2",
    }
}

codes! {
    /// The conditional test: the client's value against the buffer's (CTM Guide p.22).
    pub enum TestCode: 3 {
        /// Never passes.
        0 Never "NEVER",
        /// Client's value less than the buffer's.
        1 Less "LESS",
        /// Less or equal.
        2 LessOrEqual "LESS_OR_EQUAL",
        /// Equal.
        3 Equal "EQUAL",
        /// Greater or equal.
        4 GreaterOrEqual "GREATER_OR_EQUAL",
        /// Greater.
        5 Greater "GREATER",
        /// Not equal.
        6 NotEqual "NOT_EQUAL",
        /// Always passes.
        7 Always "ALWAYS",
    }
}

codes! {
    /// Which client of the conditional unit is selected (CTM Guide p.22).
    pub enum LocationCode: 1 {
        /// The processors: conditional output.
        0 Dpp "DPP",
        /// The processor execution unit: conditional execution.
        1 Pe "PE",
    }
}

/// How the text of a command buffer writes the values of a field whose codes have no names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// As a decimal number.
    Decimal,
    /// As a hexadecimal number.
    Hex,
    /// As a binary32 number; as hexadecimal bits where it is not finite.
    Float,
}

/// One field of a command's parameters, as a table row describes it.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Name, dword (counted from the first parameter), bits, meaning.
    pub field: Field,
    /// The field's value is its bits shifted left by this.
    pub shift: u32,
    /// How text writes the value.
    pub notation: Notation,
    /// Text may leave the field out, which means 0.
    pub optional: bool,
}

impl Parameter {
    /// The field's value.
    pub fn get(&self, words: &Parameters) -> u32 {
        self.field.get(words) << self.shift
    }

    /// Writes the field's value; bits of `value` outside the field are dropped.
    pub fn set(&self, words: &mut Parameters, value: u32) {
        self.field.set(words, value >> self.shift);
    }

    /// Whether the field can hold this value.
    pub const fn holds(&self, value: u32) -> bool {
        (value >> self.shift) << self.shift == value && value >> self.shift <= self.field.max()
    }
}

/// One command, as the table describes it.
#[derive(Clone, Copy, Debug)]
pub struct CommandInfo {
    /// The guide's name.
    pub name: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// First dword, as the guide prints it.
    pub opcode: u32,
    /// A second opcode that is accepted: two opcodes of the guide have a count field that says one parameter more than
    /// the guide lists; this is the one whose count field agrees with the list.
    pub consistent_opcode: Option<u32>,
    /// May be issued at any time. Otherwise `wait_for_idle` must come first (CTM Guide p.8-10).
    pub pipelined: bool,
    /// Number of parameter dwords.
    pub parameters: usize,
    /// Fields of the parameters.
    pub fields: &'static [Parameter],
    /// Per parameter, the bits that no field describes. The device ignores them, but for those below an address.
    pub reserved: Parameters,
}

/// Per dword, the bits outside every field.
const fn reserved_bits(parameters: usize, fields: &[Parameter]) -> Parameters {
    let mut reserved = [0; MAX_PARAMETERS];
    let mut word = 0;
    while word < parameters {
        reserved[word] = u32::MAX;
        word += 1;
    }
    let mut i = 0;
    while i < fields.len() {
        let (word, mask) = (fields[i].field.word, fields[i].field.mask());
        assert!(reserved[word] & mask == mask, "a field overlaps another one or lies outside the parameters");
        reserved[word] &= !mask;
        i += 1;
    }
    reserved
}

const fn is_optional(mark: &str) -> bool {
    !mark.is_empty()
}

/// Declares [`Command`] and [`COMMANDS`].
///
/// A command is `Variant "name" opcode | second opcode, pipelined?, [parameters] { fields }`; a field is
/// `name: Type = dword [hi:lo] << shift, Notation, optional?, "meaning";`.
macro_rules! commands {
    ($(#[doc = $about:literal] $variant:ident $name:literal $opcode:literal $(| $second:literal)?, $pipelined:literal,
        [$count:literal] $({ $($field:ident : $ty:ty = $word:literal [$hi:literal : $lo:literal] $(<< $shift:literal)?,
        $notation:ident $(, $optional:ident)?, $doc:literal;)+ })?)+) => {
        /// A command with its parameters (CTM Guide p.8-22).
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Command {
            $(#[doc = $about] $variant $({ $(#[doc = $doc] $field: $ty),+ })?),+
        }

        #[derive(Clone, Copy)]
        enum Index { $($variant),+ }

        /// Every command, in the order of the guide.
        pub const COMMANDS: &[CommandInfo] = &[$({
            const FIELDS: &[Parameter] = &[$($(Parameter {
                field: Field { name: stringify!($field), word: $word, hi: $hi, lo: $lo, doc: $doc,
                    spell: <$ty as FieldValue>::spell_raw, about: <$ty as FieldValue>::about_raw },
                shift: 0 $(+ $shift)?,
                notation: Notation::$notation,
                optional: is_optional(concat!($(stringify!($optional))?)),
            }),+)?];
            CommandInfo {
                name: $name, doc: $about.trim_ascii(), opcode: $opcode, consistent_opcode: [$(Some($second),)? None][0], pipelined: $pipelined,
                parameters: $count, fields: FIELDS, reserved: reserved_bits($count, FIELDS),
            }
        }),+];

        impl Command {
            /// The table's row of the command.
            pub const fn info(&self) -> &'static CommandInfo {
                &COMMANDS[match self { $(Command::$variant { .. } => Index::$variant as usize),+ }]
            }

            /// The command of a row of [`COMMANDS`] with these parameters. Reserved bits are ignored.
            pub(super) fn read(row: usize, words: &Parameters) -> Option<Command> {
                $(if row == Index::$variant as usize {
                    return Some(Command::$variant $({ $($field: <$ty as FieldValue>::from_raw(
                        extract(words[$word], $hi, $lo) $(<< $shift)?)),+ })?);
                })+
                None
            }

            /// The parameters' words, reserved bits 0. Bits of a value that its field does not hold are dropped.
            #[allow(unused_mut, reason = "commands without fields")]
            pub fn parameters(&self) -> Parameters {
                let mut words = [0; MAX_PARAMETERS];
                match *self {
                    $(Command::$variant $({ $($field),+ })? => {
                        $($(words[$word] = insert(words[$word], $hi, $lo,
                            <$ty as FieldValue>::to_raw($field) $(>> $shift)?);)+)?
                    }),+
                }
                words
            }
        }
    };
}

commands! {
    /// Enables or disables the performance counters; both become 0 and stop (p.11).
    InitPerfCounters "init_perf_counters" 0xC001_0200 | 0xC000_0200, true, [1] {
        enable: bool = 0 [0:0], Decimal, "the counters work; otherwise start, stop and read do nothing";
    }
    /// Zeroes and starts the performance counters (p.12).
    StartPerfCounters "start_perf_counters" 0xC000_0300, true, [1]
    /// Stops the performance counters (p.12).
    StopPerfCounters "stop_perf_counters" 0xC000_0400, true, [1]
    /// Writes the performance counters, two dwords, to memory (p.12).
    ReadPerfCounters "read_perf_counters" 0xC001_0500 | 0xC000_0500, false, [1] {
        base: u32 = 0 [31:11] << 11, Hex, "address of the two dwords, a multiple of 2048";
    }
    /// Sets the conditional value of the processor execution unit (p.10).
    SetCondVal "set_cond_val" 0xC000_0600, true, [1] {
        value: u32 = 0 [31:0], Float, "the value, as binary32 bits";
    }
    /// Sets the domain of execution, bounds inclusive (p.10-11).
    SetDomain "set_domain" 0xC003_0700, true, [4] {
        i0: u16 = 0 [11:0], Decimal, "first column";
        j0: u16 = 1 [11:0], Decimal, "first row";
        i1: u16 = 2 [11:0], Decimal, "last column";
        j1: u16 = 3 [11:0], Decimal, "last row";
    }
    /// Runs the current program over the domain (p.11).
    StartProgram "start_program" 0xC000_0800, true, [1]
    /// Waits until all processors are idle (p.11).
    WaitForIdle "wait_for_idle" 0xC000_0900, true, [1]
    /// Says where the program's image is (p.13-14).
    SetInstFmt "set_inst_fmt" 0xC001_0A00, false, [2] {
        base: u32 = 0 [31:11] << 11, Hex, "address, a multiple of 2048";
        format: FormatCode = 1 [26:24], Decimal, optional, "not used";
        tiling: TilingCode = 1 [17:16], Decimal, optional, "not used";
        pitch: u16 = 1 [12:2] << 2, Decimal, optional, "not used";
    }
    /// Sets address and layout of an input (p.15-16).
    SetInpFmt "set_inp_fmt" 0xC003_0B00, false, [4] {
        input: u8 = 0 [3:0], Decimal, "input 0 to 15";
        base: u32 = 1 [31:11] << 11, Hex, "address, a multiple of 2048";
        format: FormatCode = 2 [26:24], Decimal, "format of an element";
        tiling: TilingCode = 2 [17:16], Decimal, "order of the elements";
        pitch: u16 = 2 [12:2] << 2, Decimal, "elements per row, a multiple of 4";
        height: u16 = 3 [12:0], Decimal, "rows";
    }
    /// Sets address and layout of an output (p.17).
    SetOutFmt "set_out_fmt" 0xC003_0C00, false, [4] {
        output: u8 = 0 [1:0], Decimal, "output 0 to 3";
        base: u32 = 1 [31:11] << 11, Hex, "address, a multiple of 2048";
        format: FormatCode = 2 [26:24], Decimal, "format of an element";
        tiling: TilingCode = 2 [17:16], Decimal, "order of the elements";
        pitch: u16 = 2 [12:2] << 2, Decimal, "elements per row, a multiple of 4";
        height: u16 = 3 [12:0], Decimal, "rows; 0 means no bound";
    }
    /// Sets address and layout of the conditional output buffer (p.18).
    SetCondOutFmt "set_cond_out_fmt" 0xC002_0D00, false, [3] {
        base: u32 = 0 [31:11] << 11, Hex, "address, a multiple of 2048";
        format: FormatCode = 1 [26:24], Decimal, "format of an element";
        tiling: TilingCode = 1 [17:16], Decimal, "order of the elements";
        pitch: u16 = 1 [12:2] << 2, Decimal, "elements per row, a multiple of 4";
        height: u16 = 2 [12:0], Decimal, "rows; 0 means no bound";
    }
    /// Says where the float constants are: 16 bytes each (p.19).
    SetConstfFmt "set_constf_fmt" 0xC001_0E00, false, [2] {
        base: u32 = 0 [31:11] << 11, Hex, "address, a multiple of 2048";
        format: FormatCode = 1 [26:24], Decimal, optional, "not used";
        tiling: TilingCode = 1 [17:16], Decimal, optional, "not used";
        pitch: u16 = 1 [12:2] << 2, Decimal, optional, "not used";
    }
    /// Says where the integer constants are: 4 bytes each (p.19).
    SetConstiFmt "set_consti_fmt" 0xC001_0F00, false, [2] {
        base: u32 = 0 [31:11] << 11, Hex, "address, a multiple of 2048";
        format: FormatCode = 1 [26:24], Decimal, optional, "not used";
        tiling: TilingCode = 1 [17:16], Decimal, optional, "not used";
        pitch: u16 = 1 [12:2] << 2, Decimal, optional, "not used";
    }
    /// Says where the boolean constants are: 4 bytes each (p.19).
    SetConstbFmt "set_constb_fmt" 0xC001_1000, false, [2] {
        base: u32 = 0 [31:11] << 11, Hex, "address, a multiple of 2048";
        format: FormatCode = 1 [26:24], Decimal, optional, "not used";
        tiling: TilingCode = 1 [17:16], Decimal, optional, "not used";
        pitch: u16 = 1 [12:2] << 2, Decimal, optional, "not used";
    }
    /// Invalidates the instruction cache (p.20).
    InvInstCache "inv_inst_cache" 0xC000_1100, true, [1]
    /// Invalidates the float constant cache (p.20).
    InvConstfCache "inv_constf_cache" 0xC000_1200, true, [1]
    /// Invalidates the integer constant cache (p.20).
    InvConstiCache "inv_consti_cache" 0xC000_1300, true, [1]
    /// Invalidates the boolean constant cache (p.20).
    InvConstbCache "inv_constb_cache" 0xC000_1400, true, [1]
    /// Invalidates the cache of the conditional output buffer (p.20).
    InvCondOutCache "inv_cond_out_cache" 0xC000_1500, true, [1]
    /// Invalidates the cache of the inputs (p.20).
    InvInpCache "inv_inp_cache" 0xC000_1600, true, [1]
    /// Flushes the cache of the outputs (p.20).
    FlushOutCache "flush_out_cache" 0xC000_1700, true, [1]
    /// Flushes the cache of the conditional output buffer (p.20).
    FlushCondOutCache "flush_cond_out_cache" 0xC000_1800, true, [1]
    /// Sets which channels of the outputs are written (p.21).
    SetOutMask "set_out_mask" 0xC000_1900, true, [1] {
        mask: u8 = 0 [3:0], Hex, "bit k: channel k is written";
    }
    /// Sets whether the conditional output buffer is written (p.21).
    SetCondOutMask "set_cond_out_mask" 0xC000_1A00, true, [1] {
        mask: bool = 0 [0:0], Decimal, "1: passing tests write the buffer";
    }
    /// Sets the conditional test (p.22).
    SetCondTest "set_cond_test" 0xC000_1B00, true, [1] {
        test: TestCode = 0 [2:0], Decimal, "the test";
    }
    /// Selects the client of the conditional unit (p.22).
    SetCondLoc "set_cond_loc" 0xC000_1C00, true, [1] {
        location: LocationCode = 0 [0:0], Decimal, "the client";
    }
    /// Says where the values of interpolated inputs are: three vertices of 32 or 36 floats. Not in the guide; the opcode is this project's.
    SetParams "set_params" 0xC000_1D00, true, [1] {
        base: u32 = 0 [31:2] << 2, Hex, "address, a multiple of 4";
    }
}
