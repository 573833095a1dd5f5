//! The table of packets: what each is, and the fields of its body.

use super::{MAX_BODY, OpcodeInfo};
use ctm_bits::codes;

codes! {
    /// Where the indices of a draw are.
    pub enum IndexSource: 2 {
        /// In memory.
        0 Memory "memory",
        /// In the packet.
        1 Packet "packet",
        /// There are none: vertices are counted.
        2 Auto "counted",
        /// Reserved.
        3 Reserved3 "reserved 3",
    }
}

codes! {
    /// How wide indices are.
    pub enum IndexWidth: 2 {
        /// 16 bits.
        0 Bits16 "16 bits",
        /// 32 bits.
        1 Bits32 "32 bits",
        /// Reserved.
        2 Reserved2 "reserved 2",
        /// Reserved.
        3 Reserved3 "reserved 3",
    }
}

codes! {
    /// What a predicate is made of.
    pub enum PredicateOp: 3 {
        /// Nothing: all is drawn.
        0 Clear "clear",
        /// Samples that passed.
        1 Passed "samples passed",
        /// Primitives of streamout.
        2 Primitives "primitives",
        /// Reserved.
        3 Reserved3 "reserved 3",
        /// Reserved.
        4 Reserved4 "reserved 4",
        /// Reserved.
        5 Reserved5 "reserved 5",
        /// Reserved.
        6 Reserved6 "reserved 6",
        /// Reserved.
        7 Reserved7 "reserved 7",
    }
}

codes! {
    /// What the end of the pipeline stores.
    pub enum StoredData: 3 {
        /// Nothing.
        0 Nothing "nothing",
        /// The packet's low 32 bits.
        1 Low "32 bits",
        /// The packet's 64 bits.
        2 Whole "64 bits",
        /// The clock.
        3 Clock "clock",
        /// Reserved.
        4 Reserved4 "reserved 4",
        /// Reserved.
        5 Reserved5 "reserved 5",
        /// Reserved.
        6 Reserved6 "reserved 6",
        /// Reserved.
        7 Reserved7 "reserved 7",
    }
}

codes! {
    /// Where the offset of a streamout buffer comes from.
    pub enum OffsetSource: 2 {
        /// The packet, in dwords.
        0 Packet "packet",
        /// What streamout has written.
        1 Filled "filled",
        /// Memory, in bytes.
        2 Memory "memory",
        /// It stays.
        3 None "none",
    }
}

macro_rules! packets {
    ($($ty:ident $code:literal $name:literal $min:literal ..= $max:expr, words $words:literal, $doc:literal {
        $($field_name:ident $word:literal [$hi:literal : $lo:literal] $field:ident: $field_ty:ty, $field_doc:literal;)*
    })+) => {
        /// What a packet of type 3 does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Opcode {
            $(#[doc = concat!("`", $name, "`: ", $doc, ".")] $ty,)+
        }

        impl Opcode {
            /// Every packet of type 3.
            pub const TABLE: &'static [OpcodeInfo] = &[$(OpcodeInfo {
                opcode: Opcode::$ty, code: $code, name: $name, doc: $doc, min_dwords: $min, max_dwords: $max,
                fields: $ty::FIELDS,
            }),+];

            /// Its row.
            pub const fn info(self) -> &'static OpcodeInfo {
                &Self::TABLE[self as usize]
            }
        }

        $(
            #[doc = concat!("The body of `", $name, "`: ", $doc, ".")]
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
            pub struct $ty {
                $(#[doc = concat!("`", stringify!($field_name), "`: ", $field_doc, ".")] pub $field: $field_ty,)*
            }
            ctm_bits::field_table! { $ty, words $words;
                $($field_name, $word [$hi:$lo], {$field}, $field_ty, $field_doc;)*
            }
            impl $ty {
                /// The fields of a body; those of dwords that it lacks are 0.
                pub fn of(body: &[u32]) -> Self {
                    Self::read(&std::array::from_fn(|n| body.get(n).copied().unwrap_or_default()))
                }
            }
        )+
    };
}

packets! {
    Nop 0x10 "NOP" 1..=MAX_BODY, words 1, "nothing, or the relocation of what stands before it" {
        RELOCATION 0 [31:0] relocation: u32, "four times the number of the object";
    }
    SetPredication 0x20 "SET_PREDICATION" 2..=2, words 2, "which draws are dropped" {
        ADDRESS 0 [31:0] address: u32, "where results of queries lie";
        ADDRESS_HI 1 [7:0] address_high: u8, "high bits of the address";
        VISIBLE 1 [8:8] visible: bool, "what is visible is drawn, else what is not";
        HINT 1 [12:12] hint: bool, "results need not be waited for";
        OP 1 [18:16] op: PredicateOp, "what decides";
        CONTINUE 1 [31:31] combine: bool, "added to the last one";
    }
    Start3dCmdbuf 0x24 "START_3D_CMDBUF" 1..=1, words 1, "begins a stream of older cards" {
        VALUE 0 [31:0] value: u32, "bits";
    }
    ContextControl 0x28 "CONTEXT_CONTROL" 2..=2, words 2, "which state is loaded and kept" {
        LOAD 0 [31:0] load: u32, "loaded";
        SHADOW 1 [31:0] shadow: u32, "kept";
    }
    IndexType 0x2A "INDEX_TYPE" 1..=1, words 1, "how wide indices are" {
        TYPE 0 [1:0] width: IndexWidth, "bits of an index";
        SWAP 0 [3:2] swap: u8, "order of bytes";
    }
    DrawIndex 0x2B "DRAW_INDEX" 4..=4, words 4, "a draw with indices in memory" {
        ADDRESS 0 [31:0] address: u32, "where indices lie";
        ADDRESS_HI 1 [7:0] address_high: u8, "high bits of the address";
        COUNT 2 [31:0] count: u32, "indices";
        SOURCE 3 [1:0] source: IndexSource, "where indices are";
        USE_OPAQUE 3 [6:6] opaque: bool, "the count is what streamout wrote";
    }
    DrawIndexAuto 0x2D "DRAW_INDEX_AUTO" 2..=2, words 2, "a draw without indices" {
        COUNT 0 [31:0] count: u32, "vertices";
        SOURCE 1 [1:0] source: IndexSource, "where indices are";
        USE_OPAQUE 1 [6:6] opaque: bool, "the count is what streamout wrote";
    }
    DrawIndexImmd 0x2E "DRAW_INDEX_IMMD" 2..=MAX_BODY, words 2, "a draw with indices in the packet" {
        COUNT 0 [31:0] count: u32, "indices";
        SOURCE 1 [1:0] source: IndexSource, "where indices are";
        USE_OPAQUE 1 [6:6] opaque: bool, "the count is what streamout wrote";
    }
    NumInstances 0x2F "NUM_INSTANCES" 1..=1, words 1, "how often draws are drawn" {
        INSTANCES 0 [31:0] instances: u32, "number; 0 is 1";
    }
    StrmoutBufferUpdate 0x34 "STRMOUT_BUFFER_UPDATE" 5..=5, words 5, "stores and sets how full a streamout buffer is" {
        STORE 0 [0:0] store: bool, "it is stored first";
        SOURCE 0 [2:1] source: OffsetSource, "what it is set to";
        BUFFER 0 [9:8] buffer: u8, "which buffer";
        STORE_ADDRESS 1 [31:0] store_address: u32, "where it is stored";
        STORE_ADDRESS_HI 2 [7:0] store_address_high: u8, "high bits of the address";
        OFFSET 3 [31:0] offset: u32, "dwords, or where bytes lie";
        OFFSET_HI 4 [7:0] offset_high: u8, "high bits of the address";
    }
    MemSemaphore 0x39 "MEM_SEMAPHORE" 2..=2, words 2, "waits for another ring" {
        ADDRESS 0 [31:0] address: u32, "where it lies";
        ADDRESS_HI 1 [7:0] address_high: u8, "high bits of the address";
    }
    CopyDw 0x3B "COPY_DW" 5..=5, words 5, "copies a dword" {
        SOURCE_MEMORY 0 [0:0] from_memory: bool, "from memory, else from a register";
        DESTINATION_MEMORY 0 [1:1] to_memory: bool, "to memory, else to a register";
        SOURCE 1 [31:0] source: u32, "address, or a quarter of the register's";
        SOURCE_HI 2 [7:0] source_high: u8, "high bits of the address";
        DESTINATION 3 [31:0] destination: u32, "address, or a quarter of the register's";
        DESTINATION_HI 4 [7:0] destination_high: u8, "high bits of the address";
    }
    WaitRegMem 0x3C "WAIT_REG_MEM" 6..=6, words 6, "waits for a value" {
        FUNCTION 0 [2:0] function: u8, "comparison";
        MEMORY 0 [4:4] memory: bool, "in memory, else in a register";
        ADDRESS 1 [31:0] address: u32, "where the value is";
        ADDRESS_HI 2 [7:0] address_high: u8, "high bits of the address";
        REFERENCE 3 [31:0] reference: u32, "what it is compared with";
        MASK 4 [31:0] bits: u32, "bits that are compared";
        INTERVAL 5 [15:0] interval: u16, "clocks between two looks";
    }
    MemWrite 0x3D "MEM_WRITE" 4..=4, words 4, "stores a number" {
        ADDRESS 0 [31:0] address: u32, "where to";
        ADDRESS_HI 1 [7:0] address_high: u8, "high bits of the address";
        CONFIRM 1 [17:17] confirm: bool, "it is waited for";
        DATA_32 1 [18:18] narrow: bool, "32 bits, else 64";
        DATA 2 [31:0] data: u32, "low bits";
        DATA_HI 3 [31:0] data_high: u32, "high bits";
    }
    CpDma 0x41 "CP_DMA" 5..=5, words 5, "copies bytes" {
        SOURCE 0 [31:0] source: u32, "address";
        SOURCE_HI 1 [7:0] source_high: u8, "high bits of the address";
        SYNC 1 [31:31] sync: bool, "it is waited for";
        DESTINATION 2 [31:0] destination: u32, "address";
        DESTINATION_HI 3 [7:0] destination_high: u8, "high bits of the address";
        BYTES 4 [20:0] bytes: u32, "how many";
    }
    SurfaceSync 0x43 "SURFACE_SYNC" 4..=4, words 4, "waits for caches" {
        CONTROL 0 [31:0] control: u32, "which caches";
        SIZE 1 [31:0] size: u32, "in units of 256 bytes";
        BASE 2 [31:0] base: u32, "in units of 256 bytes";
        INTERVAL 3 [15:0] interval: u16, "clocks between two looks";
    }
    EventWrite 0x46 "EVENT_WRITE" 1..=3, words 3, "flushes, or stores counters" {
        EVENT 0 [5:0] event: Event, "what is done";
        INDEX 0 [11:8] index: u8, "kind of event";
        ADDRESS 1 [31:0] address: u32, "where counters are stored";
        ADDRESS_HI 2 [7:0] address_high: u8, "high bits of the address";
    }
    EventWriteEop 0x47 "EVENT_WRITE_EOP" 5..=5, words 5, "stores a number when all before is done" {
        EVENT 0 [5:0] event: Event, "what is done";
        INDEX 0 [11:8] index: u8, "kind of event";
        ADDRESS 1 [31:0] address: u32, "where to";
        ADDRESS_HI 2 [7:0] address_high: u8, "high bits of the address";
        INTERRUPT 2 [25:24] interrupt: u8, "whether the host is told";
        DATA_SELECT 2 [31:29] stored: StoredData, "what is stored";
        DATA 3 [31:0] data: u32, "low bits";
        DATA_HI 4 [31:0] data_high: u32, "high bits";
    }
    SetConfigReg 0x68 "SET_CONFIG_REG" 1..=MAX_BODY, words 1, "writes registers of the whole card" {
        OFFSET 0 [15:0] offset: u16, "dword of the first register";
    }
    SetContextReg 0x69 "SET_CONTEXT_REG" 1..=MAX_BODY, words 1, "writes registers of draws" {
        OFFSET 0 [15:0] offset: u16, "dword of the first register";
    }
    SetAluConst 0x6A "SET_ALU_CONST" 1..=MAX_BODY, words 1, "writes constants in registers" {
        OFFSET 0 [15:0] offset: u16, "dword of the first register";
    }
    SetBoolConst 0x6B "SET_BOOL_CONST" 1..=MAX_BODY, words 1, "writes truth values" {
        OFFSET 0 [15:0] offset: u16, "dword of the first register";
    }
    SetLoopConst 0x6C "SET_LOOP_CONST" 1..=MAX_BODY, words 1, "writes counts of loops" {
        OFFSET 0 [15:0] offset: u16, "dword of the first register";
    }
    SetResource 0x6D "SET_RESOURCE" 1..=MAX_BODY, words 1, "says what textures and buffers are" {
        OFFSET 0 [15:0] offset: u16, "dword of the first register";
    }
    SetSampler 0x6E "SET_SAMPLER" 1..=MAX_BODY, words 1, "says how textures are sampled" {
        OFFSET 0 [15:0] offset: u16, "dword of the first register";
    }
    SetCtlConst 0x6F "SET_CTL_CONST" 1..=MAX_BODY, words 1, "writes what is added to indices" {
        OFFSET 0 [15:0] offset: u16, "dword of the first register";
    }
    StrmoutBaseUpdate 0x72 "STRMOUT_BASE_UPDATE" 2..=2, words 2, "says once more where a streamout buffer lies" {
        BUFFER 0 [1:0] buffer: u8, "which buffer";
        BASE 1 [31:0] base: u32, "in units of 256 bytes";
    }
    SurfaceBaseUpdate 0x73 "SURFACE_BASE_UPDATE" 1..=1, words 1, "says which surfaces are new, on older cards" {
        VALUE 0 [31:0] value: u32, "a bit each";
    }
}

/// What an event does. Those without a name are flushes of caches, which do nothing here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Event(pub u8);

impl Event {
    /// The count of samples is stored.
    pub const ZPASS_DONE: Event = Event(0x15);
    /// Counters of statistics run.
    pub const PIPELINESTAT_START: Event = Event(0x19);
    /// Counters of statistics stand.
    pub const PIPELINESTAT_STOP: Event = Event(0x1A);
    /// Counters of statistics are stored.
    pub const SAMPLE_PIPELINESTAT: Event = Event(0x1E);
    /// Counters of streamout are stored.
    pub const SAMPLE_STREAMOUTSTATS: Event = Event(0x20);
    /// Every event with a name: `r600d.h`.
    const NAMES: [(u8, &'static str, &'static str); 14] = [
        (0x0F, "VS_PARTIAL_FLUSH", "vertex programs are waited for"),
        (0x10, "PS_PARTIAL_FLUSH", "pixel programs are waited for"),
        (0x14, "CACHE_FLUSH_AND_INV_TS", "caches are written back and emptied, and a number is stored"),
        (0x15, "ZPASS_DONE", "the count of samples is stored"),
        (0x16, "CACHE_FLUSH_AND_INV_EVENT", "caches are written back and emptied"),
        (0x19, "PIPELINESTAT_START", "counters of statistics run"),
        (0x1A, "PIPELINESTAT_STOP", "counters of statistics stand"),
        (0x1E, "SAMPLE_PIPELINESTAT", "counters of statistics are stored"),
        (0x1F, "SO_VGTSTREAMOUT_FLUSH", "offsets of streamout are brought up to date"),
        (0x20, "SAMPLE_STREAMOUTSTATS", "counters of streamout are stored"),
        (0x24, "VGT_FLUSH", "vertices are waited for"),
        (0x28, "BOTTOM_OF_PIPE_TS", "everything before is done"),
        (0x2C, "FLUSH_AND_INV_DB_META", "the cache of coarse depth is emptied"),
        (0x2E, "FLUSH_AND_INV_CB_META", "the cache of compressed colours is emptied"),
    ];
}

impl ctm_bits::FieldValue for Event {
    fn from_raw(raw: u32) -> Self {
        Event(raw as u8)
    }
    fn to_raw(self) -> u32 {
        self.0.into()
    }
    fn spell_raw(raw: u32) -> Option<&'static str> {
        Self::NAMES.iter().find(|(code, ..)| u32::from(*code) == raw).map(|(_, name, _)| *name)
    }
    fn about_raw(raw: u32) -> Option<&'static str> {
        Self::NAMES.iter().find(|(code, ..)| u32::from(*code) == raw).map(|(.., about)| *about)
    }
}
