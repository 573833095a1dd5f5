//! The shader program header: twenty dwords before the code that tell what the program reads, writes and needs.
//!
//! Sources: NVIDIA's open document "Shader Program Header"; `clb097.h` and `cla097sph.h`; what Mesa's nouveau writes
//! (`nvc0_program.c`) for the fields that the document reserves.

mod pixel;

pub use pixel::{Interpolation, PixelMaps};

use crate::codes::IpaMode;
use crate::field::key;
use crate::instruction::Instruction;
use crate::table::Op;
use ctm_bits::{codes, field_table};
use std::fmt;

codes! {
    /// The stage that a program is for.
    pub enum Stage: 4 {
        /// No stage: compute code, which has no header.
        0 None "none",
        /// Vertex.
        1 Vertex "vertex",
        /// Tessellation initialisation: tessellation control in OpenGL.
        2 TessellationInit "tess_init",
        /// Tessellation: tessellation evaluation in OpenGL.
        3 Tessellation "tessellation",
        /// Geometry.
        4 Geometry "geometry",
        /// Pixel.
        5 Pixel "pixel",
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

codes! {
    /// What a geometry program puts out.
    pub enum Topology: 4 {
        /// Nothing.
        0 None "none",
        /// Points.
        1 Points "points",
        /// Reserved.
        2 Reserved2 "reserved2",
        /// Reserved.
        3 Reserved3 "reserved3",
        /// Reserved.
        4 Reserved4 "reserved4",
        /// Reserved.
        5 Reserved5 "reserved5",
        /// Line strips.
        6 LineStrip "line_strip",
        /// Triangle strips.
        7 TriangleStrip "triangle_strip",
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

/// A set of attributes, one bit for each word of the addresses 0x000 to 0x3bf.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct AttributeMap([u32; 8]);

impl AttributeMap {
    /// Number of attributes that have a bit.
    pub const LEN: u32 = 240;

    /// All attributes that have a bit.
    pub const ALL: AttributeMap =
        AttributeMap([u32::MAX, u32::MAX, u32::MAX, u32::MAX, u32::MAX, u32::MAX, u32::MAX, 0xffff]);

    /// Whether the attribute at this byte address is in the set. Addresses without a bit are not.
    pub const fn contains(&self, address: u32) -> bool {
        let word = address / 4;
        word < Self::LEN && self.0[(word / 32) as usize] >> (word % 32) & 1 != 0
    }

    /// Puts the attribute at this byte address into the set; gives whether it has a bit.
    pub const fn insert(&mut self, address: u32) -> bool {
        let word = address / 4;
        if word < Self::LEN {
            self.0[(word / 32) as usize] |= 1 << (word % 32);
        }
        word < Self::LEN
    }

    /// The byte addresses of the set, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).step_by(32).zip(self.0).flat_map(|(first, mut bits)| {
            std::iter::from_fn(move || {
                let word = first + bits.trailing_zeros();
                // The lowest bit is done.
                let is_there = bits != 0;
                bits &= bits.wrapping_sub(1);
                is_there.then_some(4 * word)
            })
        })
    }

    /// The set, a bit for each word of the addresses.
    pub(crate) const fn bits(&self) -> [u32; 8] {
        self.0
    }

    /// What is in both sets.
    pub const fn and(&self, other: &AttributeMap) -> AttributeMap {
        let mut both = *self;
        let mut n = 0;
        while n < both.0.len() {
            both.0[n] &= other.0[n];
            n += 1;
        }
        both
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 8]
    }

    /// Takes the 240 bits from bit `first` of the header on.
    fn read(words: &Words, first: u32) -> Self {
        let mut map = AttributeMap::default();
        for word in 0..Self::LEN {
            let bit = first + word;
            map.0[(word / 32) as usize] |= (words[(bit / 32) as usize] >> (bit % 32) & 1) << (word % 32);
        }
        map
    }

    fn write(&self, words: &mut Words, first: u32) {
        for word in 0..Self::LEN {
            let (place, bit) = (((first + word) / 32) as usize, (first + word) % 32);
            let set = self.0[(word / 32) as usize] >> (word % 32) & 1;
            words[place] = words[place] & !(1 << bit) | set << bit;
        }
    }
}

impl FromIterator<u32> for AttributeMap {
    /// Addresses without a bit are left out.
    fn from_iter<I: IntoIterator<Item = u32>>(addresses: I) -> Self {
        let mut map = AttributeMap::default();
        for address in addresses {
            map.insert(address);
        }
        map
    }
}

impl fmt::Debug for AttributeMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(|address| format!("{address:#05x}"))).finish()
    }
}

/// The words of a header.
pub type Words = [u32; Header::DWORDS];

/// A shader program header. Every twenty dwords are one; [`encode`](Self::encode) gives them back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Header {
    /// 1 vertex, tessellation and geometry programs, 2 pixel programs.
    pub sph_type: u8,
    /// Version of the header, 3.
    pub version: u8,
    /// The stage.
    pub stage: Stage,
    /// Pixel programs: several targets.
    pub mrt_enable: bool,
    /// `KIL` works.
    pub kills_pixels: bool,
    /// Stores to global memory work.
    pub does_global_store: bool,
    /// Version of the instruction set, 1 in real headers.
    pub sass_version: u8,
    /// Reserved bits 25:21.
    pub reserved_a: u8,
    /// Loads and stores work.
    pub does_load_or_store: bool,
    /// Arithmetic of double precision works.
    pub does_fp64: bool,
    /// Geometry: bit s enables output stream s.
    pub stream_out_mask: u8,
    /// Local memory, in bytes for each thread.
    pub local_memory_low_size: u32,
    /// Tessellation initialisation: words of the patch record.
    pub per_patch_attribute_count: u8,
    /// Local memory, in bytes for each thread.
    pub local_memory_high_size: u32,
    /// Tessellation initialisation: threads for each patch; geometry: instances for each primitive.
    pub threads_per_input_primitive: u8,
    /// Call and return stack outside the chip, in bytes for each warp, a multiple of 512.
    pub local_memory_crs_size: u32,
    /// Geometry: what is put out.
    pub output_topology: Topology,
    /// Reserved bits 127:124; the low nibble of the patch words in real tessellation initialisation headers.
    pub reserved_b: u8,
    /// Geometry: vertices that a thread may emit, 1 to 1024.
    pub max_output_vertex_count: u16,
    /// First attribute (address / 4) that is stored whatever the next stage reads.
    pub store_req_start: u8,
    /// Reserved bits 151:148; the high nibble of the patch words in real tessellation initialisation headers.
    pub reserved_c: u8,
    /// Last attribute that is stored whatever the next stage reads; below the first one, none is.
    pub store_req_end: u8,
    /// Attributes that the program reads; none in headers of type 2.
    pub imap: AttributeMap,
    /// Attributes that the program writes; none in headers of type 2.
    pub omap: AttributeMap,
    /// Inputs and outputs of headers of type 2, those of fragment programs; none in others.
    pub pixel: PixelMaps,
}

field_table! { Header, words 20;
    SPH_TYPE,                    0 [4:0],   {sph_type},                    u8,    "1 vertex to geometry, 2 pixel";
    VERSION,                     0 [9:5],   {version},                     u8,    "version of the header, 3";
    SHADER_TYPE,                 0 [13:10], {stage},                       Stage, "stage";
    MRT_ENABLE,                  0 [14:14], {mrt_enable},                  bool,  "pixel programs: several targets";
    KILLS_PIXELS,                0 [15:15], {kills_pixels},                bool,  "KIL works";
    DOES_GLOBAL_STORE,           0 [16:16], {does_global_store},           bool,  "stores to global memory work";
    SASS_VERSION,                0 [20:17], {sass_version},                u8,    "version of the instruction set, 1";
    RESERVED_A,                  0 [25:21], {reserved_a},                  u8,    "reserved";
    DOES_LOAD_OR_STORE,          0 [26:26], {does_load_or_store},          bool,  "loads and stores work";
    DOES_FP64,                   0 [27:27], {does_fp64},                   bool,  "arithmetic of double precision works";
    STREAM_OUT_MASK,             0 [31:28], {stream_out_mask},             u8,    "geometry: output streams";
    LOCAL_MEMORY_LOW_SIZE,       1 [23:0],  {local_memory_low_size},       u32,   "local memory, bytes for each thread";
    PER_PATCH_ATTRIBUTE_COUNT,   1 [31:24], {per_patch_attribute_count},   u8,    "words of the patch record";
    LOCAL_MEMORY_HIGH_SIZE,      2 [23:0],  {local_memory_high_size},      u32,   "local memory, bytes for each thread";
    THREADS_PER_INPUT_PRIMITIVE, 2 [31:24], {threads_per_input_primitive}, u8,    "threads of a patch, or instances";
    LOCAL_MEMORY_CRS_SIZE,       3 [23:0],  {local_memory_crs_size},       u32,   "call stack, bytes for each warp";
    OUTPUT_TOPOLOGY,             3 [27:24], {output_topology},             Topology, "geometry: what is put out";
    RESERVED_B,                  3 [31:28], {reserved_b},                  u8,    "reserved; patch words, low nibble";
    MAX_OUTPUT_VERTEX_COUNT,     4 [11:0],  {max_output_vertex_count},     u16,   "geometry: vertices of a thread";
    STORE_REQ_START,             4 [19:12], {store_req_start},             u8,    "first attribute that is always stored";
    RESERVED_C,                  4 [23:20], {reserved_c},                  u8,    "reserved; patch words, high nibble";
    STORE_REQ_END,               4 [31:24], {store_req_end},               u8,    "last attribute that is always stored";
}

const IMAP_BIT: u32 = 160;
const OMAP_BIT: u32 = 400;

impl Header {
    /// Dwords of a header.
    pub const DWORDS: usize = 20;
    /// Bytes of a header.
    pub const BYTES: usize = 80;
    /// The type of headers of fragment programs, whose maps are [`PixelMaps`].
    pub const PIXEL_TYPE: u8 = 2;

    /// Takes a header apart.
    ///
    /// ```
    /// use ctm_sm50::{Header, Stage};
    /// let mut words = [0; 20];
    /// (words[0], words[4], words[13]) = (0x0002_0461, 0x000f_f000, 0x000f_f000);
    /// let header = Header::decode(&words);
    /// assert_eq!(header.stage, Stage::Vertex);
    /// assert!(header.omap.contains(0x70) && !header.omap.contains(0x90));
    /// assert_eq!(header.encode(), words);
    /// ```
    pub fn decode(words: &Words) -> Self {
        let mut header = Header::read(words);
        if header.sph_type == Self::PIXEL_TYPE {
            header.pixel = PixelMaps::of(words);
        } else {
            header.imap = AttributeMap::read(words, IMAP_BIT);
            header.omap = AttributeMap::read(words, OMAP_BIT);
        }
        header
    }

    /// Puts a header together. Values that do not fit their fields lose their upper bits.
    pub fn encode(&self) -> Words {
        let mut words = [0; Self::DWORDS];
        self.write(&mut words);
        if self.sph_type == Self::PIXEL_TYPE {
            self.pixel.put(&mut words);
        } else {
            self.imap.write(&mut words, IMAP_BIT);
            self.omap.write(&mut words, OMAP_BIT);
        }
        words
    }

    /// What compilers write for a stage whose program does nothing: no attributes, no requests to store.
    pub fn new(stage: Stage) -> Self {
        Header {
            sph_type: if stage == Stage::Pixel { Self::PIXEL_TYPE } else { 1 },
            version: 3,
            stage,
            sass_version: 1,
            store_req_start: if stage == Stage::Pixel { 0 } else { 0xff },
            ..Header::default()
        }
    }

    /// What the code alone says: [`new`](Self::new) with the attributes that it accesses by fixed addresses, and with the
    /// flags of the kinds of instructions that it has.
    pub fn implied(stage: Stage, code: &[Instruction]) -> Self {
        let mut header = Header::new(stage);
        if stage == Stage::Pixel {
            // The driver needs w in any case.
            header.pixel.set(0x7c, Interpolation::Linear);
            (header.mrt_enable, header.pixel.targets) = (true, 0xf);
        }
        for instruction in code {
            match instruction.op() {
                Op::Ald | Op::Ast if !instruction.get(key::PATCH) => {
                    let output = instruction.op() == Op::Ast || instruction.get(key::O);
                    let map = if output { &mut header.omap } else { &mut header.imap };
                    instruction.fixed_attributes().for_each(|address| _ = map.insert(address));
                }
                Op::Ipa if stage == Stage::Pixel && !instruction.get(key::IDX) => {
                    let interpolation = match instruction.get(key::IPA_MODE) {
                        IpaMode::Pass => Interpolation::Linear,
                        IpaMode::Multiply | IpaMode::Sc => Interpolation::Perspective,
                        IpaMode::Constant => Interpolation::Constant,
                    };
                    header.pixel.set(instruction.get(key::OFFSET) & !3, interpolation);
                }
                op if op.loads_or_stores() => {
                    header.does_load_or_store = true;
                    header.does_global_store |= op.stores_globally();
                }
                op if op.is_double() => header.does_fp64 = true,
                Op::Kil => header.kills_pixels = stage == Stage::Pixel,
                _ => {}
            }
        }
        header
    }

    /// The attributes that the program reads, whatever the type of the header.
    pub fn inputs(&self) -> AttributeMap {
        self.imap.iter().chain(self.pixel.inputs().map(|(address, _)| address)).collect()
    }

    /// The nibbles of the patch words as real tessellation initialisation headers repeat them in reserved fields; the other
    /// stages have zeros there.
    pub fn patch_nibbles(&self) -> (u8, u8) {
        let words = if self.stage == Stage::TessellationInit { self.per_patch_attribute_count } else { 0 };
        (words & 15, words >> 4)
    }

    /// Whether the attribute at this byte address is stored whatever the next stage reads. Geometry programs have no such
    /// attributes.
    pub fn store_required(&self, address: u32) -> bool {
        let word = address / 4;
        self.stage != Stage::Geometry && (u32::from(self.store_req_start)..=self.store_req_end.into()).contains(&word)
    }
}
