//! What the headers of shaders hold: registers, in the order in which they stand, and tables of what the shader names.
//!
//! Sources: wut's `gx2/shaders.h` for the structures, `r600d.h` of Linux for the fields of registers, and decaf-emu's latte-assembler for
//! the names that its comments give them.

/// A field of a register: its name, its highest and its lowest bit.
pub type Field = (&'static str, u32, u32);

/// Some words of a header.
#[derive(Clone, Copy, Debug)]
pub enum Entry {
    /// A register with fields.
    Register(&'static str, &'static [Field]),
    /// So many registers with the same fields.
    Registers(&'static str, usize, &'static [Field]),
    /// A number.
    Value(&'static str),
    /// So many numbers.
    Values(&'static str, usize),
    /// The size of the program, and a place for its address.
    Program,
    /// Number and place of the rows of a table.
    Table(&'static Table),
    /// Words that the system fills in.
    Hidden(usize),
}

impl Entry {
    /// How many words it is.
    pub const fn words(&self) -> usize {
        match self {
            Entry::Register(..) | Entry::Value(_) => 1,
            Entry::Registers(_, count, _) | Entry::Values(_, count) | Entry::Hidden(count) => *count,
            Entry::Program | Entry::Table(_) => 2,
        }
    }
}

/// A table of what a shader names.
#[derive(Debug)]
pub struct Table {
    /// Its name in comments.
    pub name: &'static str,
    /// What a row has, in order, with what it is if nothing is said; the first column of most is a name.
    pub columns: &'static [Column],
}

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Column {
    /// The name of what the row is about.
    Name,
    /// A type of variables.
    Type(u32),
    /// A type of samplers.
    Sampler(u32),
    /// A number, by this name.
    Number(&'static str, u32),
    /// A number that is the row's own if nothing is said.
    Index(&'static str),
    /// A float, by this name.
    Float(&'static str),
}

const UNIFORM_BLOCKS: Table =
    Table { name: "UNIFORM_BLOCKS", columns: &[Column::Name, Column::Number("OFFSET", 1), Column::Number("SIZE", 16)] };
const UNIFORM_VARS: Table = Table {
    name: "UNIFORM_VARS",
    columns: &[
        Column::Name,
        Column::Type(11),
        Column::Number("COUNT", 1),
        Column::Number("OFFSET", 0),
        Column::Number("BLOCK", u32::MAX),
    ],
};
const INITIAL_VALUES: Table = Table {
    name: "INITIAL_VALUES",
    columns: &[
        Column::Float("VALUE[0]"),
        Column::Float("VALUE[1]"),
        Column::Float("VALUE[2]"),
        Column::Float("VALUE[3]"),
        Column::Number("OFFSET", 0),
    ],
};
const LOOP_VARS: Table = Table { name: "LOOP_VARS", columns: &[Column::Index("OFFSET"), Column::Number("VALUE", 0)] };
const SAMPLER_VARS: Table =
    Table { name: "SAMPLER_VARS", columns: &[Column::Name, Column::Sampler(1), Column::Index("LOCATION")] };
const ATTRIB_VARS: Table = Table {
    name: "ATTRIB_VARS",
    columns: &[Column::Name, Column::Type(11), Column::Number("COUNT", 0), Column::Index("LOCATION")],
};

/// Types of variables, by their numbers; the second names are those of GLSL.
pub const TYPES: [(&str, &str); 39] = [
    ("Void", "void"),
    ("Bool", "bool"),
    ("Int", "int"),
    ("Uint", "uint"),
    ("Float", "float"),
    ("Double", "double"),
    ("Double2", "dvec2"),
    ("Double3", "dvec3"),
    ("Double4", "dvec4"),
    ("Float2", "vec2"),
    ("Float3", "vec3"),
    ("Float4", "vec4"),
    ("Bool2", "bvec2"),
    ("Bool3", "bvec3"),
    ("Bool4", "bvec4"),
    ("Int2", "ivec2"),
    ("Int3", "ivec3"),
    ("Int4", "ivec4"),
    ("Uint2", "uvec2"),
    ("Uint3", "uvec3"),
    ("Uint4", "uvec4"),
    ("Matrix2x2", "mat2"),
    ("Matrix2x3", "mat2x3"),
    ("Matrix2x4", "mat2x4"),
    ("Matrix3x2", "mat3x2"),
    ("Matrix3x3", "mat3"),
    ("Matrix3x4", "mat3x4"),
    ("Matrix4x2", "mat4x2"),
    ("Matrix4x3", "mat4x3"),
    ("Matrix4x4", "mat4"),
    ("Double2x2", "dmat2"),
    ("Double2x3", "dmat2x3"),
    ("Double2x4", "dmat2x4"),
    ("Double3x2", "dmat3x2"),
    ("Double3x3", "dmat3"),
    ("Double3x4", "dmat3x4"),
    ("Double4x2", "dmat4x2"),
    ("Double4x3", "dmat4x3"),
    ("Double4x4", "dmat4"),
];

/// Types of samplers, with their numbers.
pub const SAMPLERS: [(&str, u32); 4] = [("sampler1D", 0), ("sampler2D", 1), ("sampler3D", 3), ("samplerCube", 4)];

/// Names of values, by the name of what has them.
pub const NAMED: [(&str, &[&str]); 3] = [
    ("MODE", &["UniformRegister", "UniformBlock", "GeometryShader", "ComputeShader"]),
    ("BARYC_SAMPLE_CNTL", &["CENTROIDS_ONLY", "CENTERS_ONLY", "CENTROIDS_AND_CENTERS"]),
    ("Z_ORDER", &["LATE_Z", "EARLY_Z_THEN_LATE_Z", "RE_Z", "EARLY_Z_THEN_RE_Z"]),
];

const RESOURCES: &[Field] = &[
    ("NUM_GPRS", 7, 0),
    ("STACK_SIZE", 15, 8),
    ("DX10_CLAMP", 21, 21),
    ("PRIME_CACHE_PGM_EN", 22, 22),
    ("PRIME_CACHE_ON_DRAW", 23, 23),
    ("FETCH_CACHE_LINES", 26, 24),
    ("UNCACHED_FIRST_INST", 28, 28),
    ("PRIME_CACHE_ENABLE", 29, 29),
    ("PRIME_CACHE_ON_CONST", 30, 30),
    ("CLAMP_CONSTS", 31, 31),
];

/// The header of a vertex shader.
pub const VERTEX: &[Entry] = &[
    Entry::Register("SQ_PGM_RESOURCES_VS", RESOURCES),
    Entry::Register("VGT_PRIMITIVEID_EN", &[("PRIMITIVEID_EN", 0, 0)]),
    Entry::Register(
        "SPI_VS_OUT_CONFIG",
        &[
            ("VS_PER_COMPONENT", 0, 0),
            ("VS_EXPORT_COUNT", 5, 1),
            ("VS_EXPORTS_FOG", 8, 8),
            ("VS_OUT_FOG_VEC_ADDR", 13, 9),
        ],
    ),
    Entry::Value("NUM_SPI_VS_OUT_ID"),
    Entry::Registers(
        "SPI_VS_OUT_ID",
        10,
        &[("SEMANTIC_0", 7, 0), ("SEMANTIC_1", 15, 8), ("SEMANTIC_2", 23, 16), ("SEMANTIC_3", 31, 24)],
    ),
    Entry::Register(
        "PA_CL_VS_OUT_CNTL",
        &[
            ("CLIP_DIST_ENA_0", 0, 0),
            ("CLIP_DIST_ENA_1", 1, 1),
            ("CLIP_DIST_ENA_2", 2, 2),
            ("CLIP_DIST_ENA_3", 3, 3),
            ("CLIP_DIST_ENA_4", 4, 4),
            ("CLIP_DIST_ENA_5", 5, 5),
            ("CLIP_DIST_ENA_6", 6, 6),
            ("CLIP_DIST_ENA_7", 7, 7),
            ("CULL_DIST_ENA_0", 8, 8),
            ("CULL_DIST_ENA_1", 9, 9),
            ("CULL_DIST_ENA_2", 10, 10),
            ("CULL_DIST_ENA_3", 11, 11),
            ("CULL_DIST_ENA_4", 12, 12),
            ("CULL_DIST_ENA_5", 13, 13),
            ("CULL_DIST_ENA_6", 14, 14),
            ("CULL_DIST_ENA_7", 15, 15),
            ("USE_VTX_POINT_SIZE", 16, 16),
            ("USE_VTX_EDGE_FLAG", 17, 17),
            ("USE_VTX_RENDER_TARGET_INDX", 18, 18),
            ("USE_VTX_VIEWPORT_INDX", 19, 19),
            ("USE_VTX_KILL_FLAG", 20, 20),
            ("VS_OUT_MISC_VEC_ENA", 21, 21),
            ("VS_OUT_CCDIST0_VEC_ENA", 22, 22),
            ("VS_OUT_CCDIST1_VEC_ENA", 23, 23),
            ("VS_OUT_MISC_SIDE_BUS_ENA", 24, 24),
            ("USE_VTX_GS_CUT_FLAG", 25, 25),
        ],
    ),
    Entry::Value("SQ_VTX_SEMANTIC_CLEAR"),
    Entry::Value("NUM_SQ_VTX_SEMANTIC"),
    Entry::Registers("SQ_VTX_SEMANTIC", 32, &[("SEMANTIC_ID", 7, 0)]),
    Entry::Register(
        "VGT_STRMOUT_BUFFER_EN",
        &[("BUFFER_0_EN", 0, 0), ("BUFFER_1_EN", 1, 1), ("BUFFER_2_EN", 2, 2), ("BUFFER_3_EN", 3, 3)],
    ),
    Entry::Register("VGT_VERTEX_REUSE_BLOCK_CNTL", &[("VTX_REUSE_DEPTH", 7, 0)]),
    Entry::Register("VGT_HOS_REUSE_DEPTH", &[("REUSE_DEPTH", 7, 0)]),
    Entry::Program,
    Entry::Value("MODE"),
    Entry::Table(&UNIFORM_BLOCKS),
    Entry::Table(&UNIFORM_VARS),
    Entry::Table(&INITIAL_VALUES),
    Entry::Table(&LOOP_VARS),
    Entry::Table(&SAMPLER_VARS),
    Entry::Table(&ATTRIB_VARS),
    Entry::Value("RING_ITEM_SIZE"),
    Entry::Value("HAS_STREAM_OUT"),
    Entry::Values("STREAM_OUT_STRIDE", 4),
    Entry::Hidden(4),
];

/// The header of a pixel shader.
pub const PIXEL: &[Entry] = &[
    Entry::Register("SQ_PGM_RESOURCES_PS", RESOURCES),
    Entry::Register("SQ_PGM_EXPORTS_PS", &[("EXPORT_MODE", 4, 0)]),
    Entry::Register(
        "SPI_PS_IN_CONTROL_0",
        &[
            ("NUM_INTERP", 5, 0),
            ("POSITION_ENA", 8, 8),
            ("POSITION_CENTROID", 9, 9),
            ("POSITION_ADDR", 14, 10),
            ("PARAM_GEN", 18, 15),
            ("PARAM_GEN_ADDR", 25, 19),
            ("BARYC_SAMPLE_CNTL", 27, 26),
            ("PERSP_GRADIENT_ENA", 28, 28),
            ("LINEAR_GRADIENT_ENA", 29, 29),
            ("POSITION_SAMPLE", 30, 30),
            ("BARYC_AT_SAMPLE_ENA", 31, 31),
        ],
    ),
    Entry::Register(
        "SPI_PS_IN_CONTROL_1",
        &[
            ("GEN_INDEX_PIX", 0, 0),
            ("GEN_INDEX_PIX_ADDR", 7, 1),
            ("FRONT_FACE_ENA", 8, 8),
            ("FRONT_FACE_CHAN", 10, 9),
            ("FRONT_FACE_ALL_BITS", 11, 11),
            ("FRONT_FACE_ADDR", 16, 12),
            ("FOG_ADDR", 23, 17),
            ("FIXED_PT_POSITION_ENA", 24, 24),
            ("FIXED_PT_POSITION_ADDR", 29, 25),
            ("POSITION_ULC", 30, 30),
        ],
    ),
    Entry::Value("NUM_SPI_PS_INPUT_CNTL"),
    Entry::Registers(
        "SPI_PS_INPUT_CNTL",
        32,
        &[
            ("SEMANTIC", 7, 0),
            ("DEFAULT_VAL", 9, 8),
            ("FLAT_SHADE", 10, 10),
            ("SEL_CENTROID", 11, 11),
            ("SEL_LINEAR", 12, 12),
            ("CYL_WRAP", 16, 13),
            ("PT_SPRITE_TEX", 17, 17),
            ("SEL_SAMPLE", 18, 18),
        ],
    ),
    Entry::Register(
        "CB_SHADER_MASK",
        &[
            ("OUTPUT0_ENABLE", 3, 0),
            ("OUTPUT1_ENABLE", 7, 4),
            ("OUTPUT2_ENABLE", 11, 8),
            ("OUTPUT3_ENABLE", 15, 12),
            ("OUTPUT4_ENABLE", 19, 16),
            ("OUTPUT5_ENABLE", 23, 20),
            ("OUTPUT6_ENABLE", 27, 24),
            ("OUTPUT7_ENABLE", 31, 28),
        ],
    ),
    Entry::Register(
        "CB_SHADER_CONTROL",
        &[
            ("RT0_ENABLE", 0, 0),
            ("RT1_ENABLE", 1, 1),
            ("RT2_ENABLE", 2, 2),
            ("RT3_ENABLE", 3, 3),
            ("RT4_ENABLE", 4, 4),
            ("RT5_ENABLE", 5, 5),
            ("RT6_ENABLE", 6, 6),
            ("RT7_ENABLE", 7, 7),
        ],
    ),
    Entry::Register(
        "DB_SHADER_CONTROL",
        &[
            ("Z_EXPORT_ENABLE", 0, 0),
            ("STENCIL_REF_EXPORT_ENABLE", 1, 1),
            ("Z_ORDER", 5, 4),
            ("KILL_ENABLE", 6, 6),
            ("COVERAGE_TO_MASK_ENABLE", 7, 7),
            ("MASK_EXPORT_ENABLE", 8, 8),
            ("DUAL_EXPORT_ENABLE", 9, 9),
            ("EXEC_ON_HIER_FAIL", 10, 10),
            ("EXEC_ON_NOOP", 11, 11),
            ("ALPHA_TO_MASK_DISABLE", 12, 12),
        ],
    ),
    Entry::Register("SPI_INPUT_Z", &[("PROVIDE_Z_TO_SPI", 0, 0)]),
    Entry::Program,
    Entry::Value("MODE"),
    Entry::Table(&UNIFORM_BLOCKS),
    Entry::Table(&UNIFORM_VARS),
    Entry::Table(&INITIAL_VALUES),
    Entry::Table(&LOOP_VARS),
    Entry::Table(&SAMPLER_VARS),
    Entry::Hidden(4),
];
