//! Code enumerations of register fields (Mesa `r600d.h`).

use ctm_bits::{FieldValue, codes};

/// `PRIM_TYPE`: what a draw draws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PrimitiveType(pub u8);

impl PrimitiveType {
    /// Points.
    pub const POINTS: PrimitiveType = PrimitiveType(1);
    /// Connected lines.
    pub const LINE_STRIP: PrimitiveType = PrimitiveType(3);
    /// Separate triangles.
    pub const TRIANGLES: PrimitiveType = PrimitiveType(4);
    /// Connected triangles.
    pub const TRIANGLE_STRIP: PrimitiveType = PrimitiveType(6);

    /// Kinds that there are, with their names.
    const NAMES: [(u8, &'static str, &'static str); 16] = [
        (0, "none", "Nothing."),
        (1, "points", "Points."),
        (2, "lines", "Separate lines."),
        (3, "line strip", "Connected lines."),
        (4, "triangles", "Separate triangles."),
        (5, "triangle fan", "Triangles around the first vertex."),
        (6, "triangle strip", "Connected triangles."),
        (10, "lines with neighbours", "Separate lines, each with the vertices beside it."),
        (11, "line strip with neighbours", "Connected lines, with the vertices beside them."),
        (12, "triangles with neighbours", "Separate triangles, each with the vertices beside it."),
        (13, "triangle strip with neighbours", "Connected triangles, with the vertices beside them."),
        (17, "rectangles", "Rectangles: three corners each."),
        (18, "line loop", "Connected lines, the last one back to the first vertex."),
        (19, "quads", "Separate quads."),
        (20, "quad strip", "Connected quads."),
        (21, "polygon", "One polygon."),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::spell_raw(self.to_raw()).unwrap_or("unknown primitives")
    }
}

impl FieldValue for PrimitiveType {
    fn from_raw(raw: u32) -> Self {
        PrimitiveType(raw as u8)
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

codes! {
    /// `MODE` of `VGT_GS_MODE`: geometry programs.
    pub enum GeometryMode: 2 {
        /// There is none.
        0 Off "none",
        /// There is none, and vertex programs get the number of the primitive.
        1 ScenarioA "scenario A",
        /// Not used.
        2 ScenarioB "scenario B",
        /// There is one.
        3 ScenarioG "scenario G",
    }
}

codes! {
    /// `OUTPRIM_TYPE`: what geometry programs make.
    pub enum OutputPrimitive: 2 {
        /// Points.
        0 Points "points",
        /// Connected lines.
        1 LineStrip "line strip",
        /// Connected triangles.
        2 TriangleStrip "triangle strip",
        /// Reserved.
        3 Reserved3 "reserved 3",
    }
}

codes! {
    /// `POLYMODE_..._PTYPE`: what becomes of polygons.
    pub enum PolygonMode: 3 {
        /// Points at its vertices.
        0 Points "points",
        /// Lines along its edges.
        1 Lines "lines",
        /// It is filled.
        2 Filled "triangles",
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
    /// `AUTO_RESET_CNTL`: when the stipple pattern begins anew.
    pub enum StippleReset: 2 {
        /// Never.
        0 Never "never",
        /// With each primitive.
        1 Primitive "each primitive",
        /// With each packet.
        2 Packet "each packet",
        /// Reserved.
        3 Reserved3 "reserved 3",
    }
}

codes! {
    /// Comparisons of depth, stencil values, alpha and texels.
    pub enum Function: 3 {
        /// Never true.
        0 Never "never",
        /// a < b.
        1 Less "less",
        /// a = b.
        2 Equal "equal",
        /// a <= b.
        3 LessEqual "less or equal",
        /// a > b.
        4 Greater "greater",
        /// a != b.
        5 NotEqual "not equal",
        /// a >= b.
        6 GreaterEqual "greater or equal",
        /// Always true.
        7 Always "always",
    }
}

codes! {
    /// What becomes of a stencil value.
    pub enum StencilOp: 3 {
        /// It stays.
        0 Keep "keep",
        /// 0.
        1 Zero "zero",
        /// The reference.
        2 Replace "replace",
        /// One more, 255 at most.
        3 IncrementClamp "increment",
        /// One less, 0 at least.
        4 DecrementClamp "decrement",
        /// All bits flipped.
        5 Invert "invert",
        /// One more, 0 after 255.
        6 IncrementWrap "increment, wrap",
        /// One less, 255 below 0.
        7 DecrementWrap "decrement, wrap",
    }
}

codes! {
    /// `FORMAT` of `DB_DEPTH_INFO`: what a depth buffer holds.
    pub enum DepthFormat: 3 {
        /// There is none.
        0 None "none",
        /// Depth of 16 bits.
        1 Unorm16 "16",
        /// Depth of 24 bits.
        2 UnormX24 "X8_24",
        /// Depth of 24 bits, and stencil values.
        3 Unorm24Stencil8 "8_24",
        /// Depth of 24 bits, floating.
        4 FloatX24 "X8_24_FLOAT",
        /// Depth of 24 bits, floating, and stencil values.
        5 Float24Stencil8 "8_24_FLOAT",
        /// Depth in binary32.
        6 Float32 "32_FLOAT",
        /// Depth in binary32, and stencil values.
        7 Float32Stencil8 "X24_8_32_FLOAT",
    }
}

codes! {
    /// `ARRAY_MODE`: the order in which pixels lie.
    pub enum ArrayMode: 4 {
        /// Row by row, from any place on.
        0 LinearGeneral "linear general",
        /// Row by row.
        1 LinearAligned "linear aligned",
        /// Tiles of 8x8, row by row.
        2 Tiled1d "1D tiled",
        /// Reserved.
        3 Reserved3 "reserved 3",
        /// Tiles of 8x8 over banks and pipes.
        4 Tiled2d "2D tiled",
        /// Reserved.
        5 Reserved5 "reserved 5",
        /// Reserved.
        6 Reserved6 "reserved 6",
        /// Reserved.
        7 Reserved7 "reserved 7",
        /// Reserved.
        8 Reserved8 "reserved 8",
        /// Reserved.
        9 Reserved9 "reserved 9",
        /// Reserved.
        10 Reserved10 "reserved 10",
        /// Reserved.
        11 Reserved11 "reserved 11",
        /// Reserved.
        12 Reserved12 "reserved 12",
        /// Reserved.
        13 Reserved13 "reserved 13",
        /// Reserved.
        14 Reserved14 "reserved 14",
        /// Reserved.
        15 Reserved15 "reserved 15",
    }
}

codes! {
    /// `NUMBER_TYPE`: what the numbers of a target are.
    pub enum NumberType: 3 {
        /// Unsigned fractions.
        0 Unorm "UNORM",
        /// Signed fractions.
        1 Snorm "SNORM",
        /// Unsigned integers as numbers.
        2 Uscaled "USCALED",
        /// Signed integers as numbers.
        3 Sscaled "SSCALED",
        /// Unsigned integers.
        4 Uint "UINT",
        /// Signed integers.
        5 Sint "SINT",
        /// Unsigned fractions, sRGB.
        6 Srgb "SRGB",
        /// Floating-point numbers.
        7 Float "FLOAT",
    }
}

codes! {
    /// `..._COMB_FCN`: how source and destination are combined.
    pub enum BlendFunction: 3 {
        /// Source + destination.
        0 Add "source + destination",
        /// Source - destination.
        1 Subtract "source - destination",
        /// The smaller one, without factors.
        2 Min "min",
        /// The larger one, without factors.
        3 Max "max",
        /// Destination - source.
        4 ReverseSubtract "destination - source",
        /// Reserved.
        5 Reserved5 "reserved 5",
        /// Reserved.
        6 Reserved6 "reserved 6",
        /// Reserved.
        7 Reserved7 "reserved 7",
    }
}

codes! {
    /// `SPECIAL_OP`: what draws do with colours.
    pub enum SpecialOp: 3 {
        /// They draw.
        0 Normal "normal",
        /// Nothing.
        1 Disable "disable",
        /// Reserved.
        2 Reserved2 "reserved 2",
        /// Reserved.
        3 Reserved3 "reserved 3",
        /// Reserved.
        4 Reserved4 "reserved 4",
        /// Reserved.
        5 Reserved5 "reserved 5",
        /// Samples are stored whole.
        6 ExpandSamples "expand samples",
        /// Target 1 gets the averages of target 0's samples.
        7 Resolve "resolve",
    }
}

codes! {
    /// `CLAMP_...`: what coordinates outside of a texture mean.
    pub enum Wrap: 3 {
        /// It is repeated.
        0 Repeat "wrap",
        /// It is repeated, every second time mirrored.
        1 Mirror "mirror",
        /// The last texel.
        2 ClampToEdge "clamp",
        /// Mirrored once, then the last texel.
        3 MirrorClampToEdge "mirror once, clamp",
        /// Half of the last texel, half of the border.
        4 HalfBorder "half border",
        /// Mirrored once, then half of both.
        5 MirrorHalfBorder "mirror once, half border",
        /// The border.
        6 Border "border",
        /// Mirrored once, then the border.
        7 MirrorBorder "mirror once, border",
    }
}
