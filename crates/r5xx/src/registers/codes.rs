//! Code enumerations of register fields.

use ctm_bits::codes;

codes! {
    /// `PRIM_TYPE`: what a draw draws.
    pub enum PrimitiveType: 4 {
        /// Nothing.
        0 None "none",
        /// Points.
        1 Points "points",
        /// Separate lines.
        2 Lines "lines",
        /// Connected lines.
        3 LineStrip "line strip",
        /// Separate triangles.
        4 Triangles "triangles",
        /// Triangles around the first vertex.
        5 TriangleFan "triangle fan",
        /// Connected triangles.
        6 TriangleStrip "triangle strip",
        /// Triangles with flags.
        7 TrianglesWithFlags "triangles with flags",
        /// Reserved.
        8 Reserved8 "reserved 8",
        /// Reserved.
        9 Reserved9 "reserved 9",
        /// Reserved.
        10 Reserved10 "reserved 10",
        /// Reserved.
        11 Reserved11 "reserved 11",
        /// Connected lines, the last one back to the first vertex.
        12 LineLoop "line loop",
        /// Separate quads.
        13 Quads "quads",
        /// Connected quads.
        14 QuadStrip "quad strip",
        /// One polygon.
        15 Polygon "polygon",
    }
}

codes! {
    /// `PRIM_WALK`: where the vertices of a draw come from.
    pub enum PrimitiveWalk: 2 {
        /// The state.
        0 State "state",
        /// Arrays, by indices.
        1 Indices "indices",
        /// Arrays, in order.
        2 List "list",
        /// The packet.
        3 Embedded "embedded",
    }
}

codes! {
    /// Comparisons of the alpha test.
    pub enum AlphaFunction: 3 {
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
    /// Comparisons of depth and stencil.
    pub enum ZFunction: 3 {
        /// Never true.
        0 Never "never",
        /// a < b.
        1 Less "less",
        /// a <= b.
        2 LessEqual "less or equal",
        /// a = b.
        3 Equal "equal",
        /// a >= b.
        4 GreaterEqual "greater or equal",
        /// a > b.
        5 Greater "greater",
        /// a != b.
        6 NotEqual "not equal",
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
    /// What becomes of a polygon's outline.
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
    /// How a colour is interpolated.
    pub enum Shading: 2 {
        /// One for the draw.
        0 Solid "solid",
        /// That of the provoking vertex.
        1 Flat "flat",
        /// Linear.
        2 Gouraud "Gouraud",
        /// Reserved.
        3 Reserved3 "reserved 3",
    }
}

codes! {
    /// Which vertex gives a primitive's flat colours.
    pub enum ProvokingVertex: 2 {
        /// The first.
        0 First "first",
        /// The second.
        1 Second "second",
        /// The third.
        2 Third "third",
        /// The last.
        3 Last "last",
    }
}

codes! {
    /// Where the components of a texture coordinate come from.
    pub enum TextureSource: 2 {
        /// The vertices.
        0 Vertex "vertex",
        /// Two generated ones.
        1 StuffedSt "S, T",
        /// Three generated ones.
        2 StuffedStr "S, T, R",
        /// Reserved.
        3 Reserved3 "reserved 3",
    }
}

codes! {
    /// The shape of the ends of lines.
    pub enum LineEnd: 2 {
        /// Horizontal.
        0 Horizontal "horizontal",
        /// Vertical.
        1 Vertical "vertical",
        /// As the line's major axis says.
        2 Square "square",
        /// Perpendicular to the line.
        3 Perpendicular "perpendicular",
    }
}
