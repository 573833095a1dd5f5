//! Code enumerations of method fields (envytools' rnndb `gf100_3d.xml`; NVIDIA's class header `cl9097.h`).

use ctm_bits::FieldValue;

/// Declares an enumeration of words, each with one code or several and its name. Words that are none of these stand for the first.
macro_rules! word_codes {
    ($(#[$meta:meta])* pub enum $ty:ident {
        $($(#[doc = $about:literal])+ $($code:literal)|+ $variant:ident $name:literal),+ $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum $ty {
            #[default]
            $($(#[doc = $about])+ $variant),+
        }

        impl $ty {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }

        impl FieldValue for $ty {
            fn from_raw(raw: u32) -> Self {
                match raw {
                    $($($code)|+ => Self::$variant,)+
                    _ => Self::default(),
                }
            }
            fn to_raw(self) -> u32 {
                match self { $(Self::$variant => [$($code),+][0]),+ }
            }
            fn spell_raw(raw: u32) -> Option<&'static str> {
                match raw {
                    $($($code)|+ => Some($name),)+
                    _ => None,
                }
            }
            fn about_raw(raw: u32) -> Option<&'static str> {
                match raw {
                    $($($code)|+ => Some(concat!($($about),+).trim_ascii()),)+
                    _ => None,
                }
            }
        }
    };
}

word_codes! {
    /// Comparisons of depth, stencil values and alpha: codes of OpenGL, and those of Direct3D.
    pub enum Comparison {
        /// No value passes.
        0x200 | 1 Never "never",
        /// The new value is less.
        0x201 | 2 Less "<",
        /// They are equal.
        0x202 | 3 Equal "=",
        /// The new value is not greater.
        0x203 | 4 LessEqual "<=",
        /// The new value is greater.
        0x204 | 5 Greater ">",
        /// They differ.
        0x205 | 6 NotEqual "!=",
        /// The new value is not less.
        0x206 | 7 GreaterEqual ">=",
        /// Every value passes.
        0x207 | 8 Always "always",
    }
}

word_codes! {
    /// What becomes of a stencil value.
    pub enum StencilOperation {
        /// It stays.
        0x1E00 | 1 Keep "keep",
        /// It becomes 0.
        0 | 2 Zero "zero",
        /// It becomes the reference.
        0x1E01 | 3 Replace "replace",
        /// It grows, up to 255.
        0x1E02 | 4 Increment "increment",
        /// It shrinks, down to 0.
        0x1E03 | 5 Decrement "decrement",
        /// Its bits are inverted.
        0x150A | 6 Invert "invert",
        /// It grows, and 255 becomes 0.
        0x8507 | 7 IncrementWrap "increment, wrap",
        /// It shrinks, and 0 becomes 255.
        0x8508 | 8 DecrementWrap "decrement, wrap",
    }
}

word_codes! {
    /// How source and destination are combined.
    pub enum BlendEquation {
        /// Their sum.
        0x8006 | 1 Add "add",
        /// The lesser.
        0x8007 | 4 Minimum "minimum",
        /// The greater.
        0x8008 | 5 Maximum "maximum",
        /// Source minus destination.
        0x800A | 2 Subtract "subtract",
        /// Destination minus source.
        0x800B | 3 ReverseSubtract "reverse subtract",
    }
}

word_codes! {
    /// What source and destination are multiplied by.
    pub enum BlendFactor {
        /// 0.
        0x4000 | 1 Zero "0",
        /// 1.
        0x4001 | 2 One "1",
        /// The source's colour.
        0x4300 | 3 SourceColour "source",
        /// 1 minus that.
        0x4301 | 4 OneMinusSourceColour "(1 - source)",
        /// The source's alpha.
        0x4302 | 5 SourceAlpha "source alpha",
        /// 1 minus that.
        0x4303 | 6 OneMinusSourceAlpha "(1 - source alpha)",
        /// The destination's alpha.
        0x4304 | 7 DestinationAlpha "destination alpha",
        /// 1 minus that.
        0x4305 | 8 OneMinusDestinationAlpha "(1 - destination alpha)",
        /// The destination's colour.
        0x4306 | 9 DestinationColour "destination",
        /// 1 minus that.
        0x4307 | 10 OneMinusDestinationColour "(1 - destination)",
        /// The lesser of the source's alpha and 1 minus the destination's.
        0x4308 | 11 SourceAlphaSaturate "source alpha saturate",
        /// The constant colour.
        0xC001 ConstantColour "constant",
        /// 1 minus that.
        0xC002 OneMinusConstantColour "(1 - constant)",
        /// The constant alpha.
        0xC003 ConstantAlpha "constant alpha",
        /// 1 minus that.
        0xC004 OneMinusConstantAlpha "(1 - constant alpha)",
        /// The second source's colour.
        0xC900 | 0x10 Source1Colour "source 1",
        /// 1 minus that.
        0xC901 | 0x11 OneMinusSource1Colour "(1 - source 1)",
        /// The second source's alpha.
        0xC902 | 0x12 Source1Alpha "source 1 alpha",
        /// 1 minus that.
        0xC903 | 0x13 OneMinusSource1Alpha "(1 - source 1 alpha)",
    }
}

word_codes! {
    /// What polygons are drawn as.
    pub enum PolygonMode {
        /// Filled.
        0x1B02 Fill "fill",
        /// Their edges.
        0x1B01 Line "line",
        /// Their corners.
        0x1B00 Point "point",
    }
}

word_codes! {
    /// Which corners of a polygon go round the front.
    pub enum FrontFace {
        /// Against the clock.
        0x901 CounterClockwise "counter-clockwise",
        /// With the clock.
        0x900 Clockwise "clockwise",
    }
}

word_codes! {
    /// Faces that are not drawn.
    pub enum CullFace {
        /// Back faces.
        0x405 Back "back",
        /// Front faces.
        0x404 Front "front",
        /// Both.
        0x408 Both "both",
    }
}

word_codes! {
    /// How colours vary over a primitive.
    pub enum ShadeModel {
        /// They are interpolated.
        0x1D01 Smooth "smooth",
        /// They are those of one vertex.
        0x1D00 Flat "flat",
    }
}

word_codes! {
    /// Operations on the bits of source and destination.
    pub enum LogicOperation {
        /// The source.
        0x1503 Copy "copy",
        /// Zeros.
        0x1500 Clear "clear",
        /// Both.
        0x1501 And "and",
        /// The source without the destination.
        0x1502 AndReverse "and reverse",
        /// The destination without the source.
        0x1504 AndInverted "and inverted",
        /// The destination.
        0x1505 Nothing "noop",
        /// One of them alone.
        0x1506 Xor "xor",
        /// One of them.
        0x1507 Or "or",
        /// None of them.
        0x1508 Nor "nor",
        /// Both or none of them.
        0x1509 Equivalent "equivalent",
        /// What the destination is not.
        0x150A Invert "invert",
        /// The source, or what the destination is not.
        0x150B OrReverse "or reverse",
        /// What the source is not.
        0x150C CopyInverted "copy inverted",
        /// The destination, or what the source is not.
        0x150D OrInverted "or inverted",
        /// Not both.
        0x150E Nand "nand",
        /// Ones.
        0x150F Set "set",
    }
}

word_codes! {
    /// When what is conditional is done.
    pub enum ConditionMode {
        /// Always.
        1 | 5 Always "always",
        /// Never.
        0 Never "never",
        /// If the result is not 0.
        2 NotZero "result is not 0",
        /// If two results are equal.
        3 Equal "results are equal",
        /// If two results differ.
        4 NotEqual "results differ",
    }
}

word_codes! {
    /// What a draw makes of its vertices.
    pub enum PrimitiveType {
        /// Points.
        0 Points "points",
        /// Separate lines.
        1 Lines "lines",
        /// Connected lines, the last one back to the first vertex.
        2 LineLoop "line loop",
        /// Connected lines.
        3 LineStrip "line strip",
        /// Separate triangles.
        4 Triangles "triangles",
        /// Connected triangles.
        5 TriangleStrip "triangle strip",
        /// Triangles around the first vertex.
        6 TriangleFan "triangle fan",
        /// Separate quads.
        7 Quads "quads",
        /// Connected quads.
        8 QuadStrip "quad strip",
        /// One polygon.
        9 Polygon "polygon",
        /// Separate lines, each with the vertices beside it.
        10 LinesAdjacency "lines with neighbours",
        /// Connected lines, with the vertices beside them.
        11 LineStripAdjacency "line strip with neighbours",
        /// Separate triangles, each with the vertices beside it.
        12 TrianglesAdjacency "triangles with neighbours",
        /// Connected triangles, with the vertices beside them.
        13 TriangleStripAdjacency "triangle strip with neighbours",
        /// Patches.
        14 Patches "patches",
    }
}

word_codes! {
    /// What a blit does with source and destination.
    pub enum BlitOperation {
        /// The source is copied.
        3 Copy "copy",
        /// The source is copied where a colour is not left out.
        0 CopyAnd "copy and",
        /// A raster operation.
        1 RopAnd "raster operation and",
        /// Blending.
        2 BlendAnd "blend and",
        /// A raster operation.
        4 Rop "raster operation",
        /// Components are multiplied.
        5 CopyPremultiplied "copy, multiplied",
        /// Blending with multiplied components.
        6 BlendPremultiplied "blend, multiplied",
    }
}
