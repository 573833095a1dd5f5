//! Set-up of primitives: GB, GA and SU.

use super::codes::{LineEnd, PolygonMode, ProvokingVertex, Shading, TextureSource};
use ctm_card::registers;

registers! { "GA", GA;
    GbEnable "GB_ENABLE" 0x4008, Fields, "generated texture coordinates" {
        POINT_STUFF_ENABLE [0:0] points: bool, "points have them";
        LINE_STUFF_ENABLE [1:1] lines: bool, "lines have them";
        TRIANGLE_STUFF_ENABLE [2:2] triangles: bool, "triangles have them";
        STENCIL_AUTO [5:4] stencil_auto: u8, "stencil values of facing primitives";
        TEX0_SOURCE [17:16] texture_0: TextureSource, "where texture coordinate 0 comes from";
        TEX1_SOURCE [19:18] texture_1: TextureSource, "where texture coordinate 1 comes from";
        TEX2_SOURCE [21:20] texture_2: TextureSource, "where texture coordinate 2 comes from";
        TEX3_SOURCE [23:22] texture_3: TextureSource, "where texture coordinate 3 comes from";
        TEX4_SOURCE [25:24] texture_4: TextureSource, "where texture coordinate 4 comes from";
        TEX5_SOURCE [27:26] texture_5: TextureSource, "where texture coordinate 5 comes from";
        TEX6_SOURCE [29:28] texture_6: TextureSource, "where texture coordinate 6 comes from";
        TEX7_SOURCE [31:30] texture_7: TextureSource, "where texture coordinate 7 comes from";
    }
    GbMspos0 "GB_MSPOS0" 0x4010, Fields, "places of samples 0 to 2 in twelfths of a pixel" {
        MS_X0 [3:0] x0: u8, "column of sample 0";
        MS_Y0 [7:4] y0: u8, "row of sample 0";
        MS_X1 [11:8] x1: u8, "column of sample 1";
        MS_Y1 [15:12] y1: u8, "row of sample 1";
        MS_X2 [19:16] x2: u8, "column of sample 2";
        MS_Y2 [23:20] y2: u8, "row of sample 2";
        MSBD0_Y [27:24] distance_y: u8, "distance to the edge";
        MSBD0_X [31:28] distance_x: u8, "distance to the edge";
    }
    GbMspos1 "GB_MSPOS1" 0x4014, Fields, "places of samples 3 to 5 in twelfths of a pixel" {
        MS_X3 [3:0] x3: u8, "column of sample 3";
        MS_Y3 [7:4] y3: u8, "row of sample 3";
        MS_X4 [11:8] x4: u8, "column of sample 4";
        MS_Y4 [15:12] y4: u8, "row of sample 4";
        MS_X5 [19:16] x5: u8, "column of sample 5";
        MS_Y5 [23:20] y5: u8, "row of sample 5";
        MSBD1 [27:24] distance: u8, "distance to the edge";
    }
    GbSelect "GB_SELECT" 0x401C, Bits ignored, "what fog and depth are made of" { VALUE [31:0] value: u32, "selects"; }
    GbAaConfig "GB_AA_CONFIG" 0x4020, Fields, "multisampling" {
        AA_ENABLE [0:0] enable: bool, "there are several samples in a pixel";
        NUM_AA_SUBSAMPLES [2:1] samples: u8, "0: 2, 1: 3, 2: 4, 3: 6";
    }
    GbZPeqConfig "GB_Z_PEQ_CONFIG" 0x4028, Bits ignored, "how depth planes are kept" { VALUE [31:0] value: u32, "0: 4 by 4 pixels"; }
    SuTexWrapPs3 "SU_TEX_WRAP_PS3" 0x4114, Bits ignored, "cylindrical wrap of texture coordinates" { VALUE [31:0] value: u32, "a bit each"; }
    GaPointS0 "GA_POINT_S0" 0x4200, Float, "S at the left side of a point" { VALUE [31:0] value: u32, "binary32"; }
    GaPointT0 "GA_POINT_T0" 0x4204, Float, "T at the bottom of a point" { VALUE [31:0] value: u32, "binary32"; }
    GaPointS1 "GA_POINT_S1" 0x4208, Float, "S at the right side of a point" { VALUE [31:0] value: u32, "binary32"; }
    GaPointT1 "GA_POINT_T1" 0x420C, Float, "T at the top of a point" { VALUE [31:0] value: u32, "binary32"; }
    GaPointSize "GA_POINT_SIZE" 0x421C, Fields, "size of points in twelfths of a pixel" {
        HEIGHT [15:0] half_height: u16, "half height";
        WIDTH [31:16] half_width: u16, "half width";
    }
    GaPointMinmax "GA_POINT_MINMAX" 0x4230, Fields, "bounds of point sizes that vertices give" {
        MIN_SIZE [15:0] min: u16, "least radius";
        MAX_SIZE [31:16] max: u16, "greatest radius";
    }
    GaLineCntl "GA_LINE_CNTL" 0x4234, Fields, "lines" {
        WIDTH [15:0] half_width: u16, "half width in twelfths of a pixel";
        END_TYPE [17:16] end: LineEnd, "shape of the ends";
        SORT [18:18] sort: bool, "ends are sorted";
    }
    GaLineStippleConfig "GA_LINE_STIPPLE_CONFIG" 0x4238, Fields, "line stipple" {
        LINE_RESET [1:0] reset: u8, "0: never, 1: at each line, 2: at each packet";
        STIPPLE_SCALE [31:2] scale: u32, "binary32 without its two low bits";
    }
    GaUsVectorIndex "GA_US_VECTOR_INDEX" 0x4250, Fields, "where the next element of the fragment processor's memory goes" {
        INDEX [8:0] index: u16, "number of the element";
        TYPE [16:16] constants: bool, "constants, not instructions";
        CLAMP [17:17] clamp: bool, "constants are clamped";
    }
    GaUsVectorData "GA_US_VECTOR_DATA" 0x4254, Bits, "the fragment processor's memory" { VALUE [31:0] value: u32, "a dword of an element"; }
    GaColorControlPs3 "GA_COLOR_CONTROL_PS3" 0x4258, Bits ignored, "colours of texture coordinates" { VALUE [31:0] value: u32, "bits"; }
    GaLineStippleValue "GA_LINE_STIPPLE_VALUE" 0x4260, Bits, "the stipple pattern" { VALUE [31:0] value: u32, "a bit for each pixel, low one first"; }
    GaColorControl "GA_COLOR_CONTROL" 0x4278, Fields, "how colours are interpolated" {
        RGB0_SHADING [1:0] rgb_0: Shading, "red, green and blue of colour 0";
        ALPHA0_SHADING [3:2] alpha_0: Shading, "alpha of colour 0";
        RGB1_SHADING [5:4] rgb_1: Shading, "red, green and blue of colour 1";
        ALPHA1_SHADING [7:6] alpha_1: Shading, "alpha of colour 1";
        RGB2_SHADING [9:8] rgb_2: Shading, "red, green and blue of colour 2";
        ALPHA2_SHADING [11:10] alpha_2: Shading, "alpha of colour 2";
        RGB3_SHADING [13:12] rgb_3: Shading, "red, green and blue of colour 3";
        ALPHA3_SHADING [15:14] alpha_3: Shading, "alpha of colour 3";
        PROVOKING_VERTEX [17:16] provoking: ProvokingVertex, "which vertex gives flat colours";
    }
    GaPolyMode "GA_POLY_MODE" 0x4288, Fields, "how polygons are drawn" {
        POLY_MODE [1:0] mode: u8, "0: filled; 1: as the faces say";
        FRONT_PTYPE [6:4] front: PolygonMode, "front faces";
        BACK_PTYPE [9:7] back: PolygonMode, "back faces";
    }
    GaRoundMode "GA_ROUND_MODE" 0x428C, Bits ignored, "rounding of coordinates and colours" { VALUE [31:0] value: u32, "bits"; }
    GaOffset "GA_OFFSET" 0x4290, Bits ignored, "offset of coordinates" { VALUE [31:0] value: u32, "x and y"; }
    SuTexWrap "SU_TEX_WRAP" 0x42A0, Bits ignored, "cylindrical wrap of texture coordinates" { VALUE [31:0] value: u32, "a bit each"; }
    SuPolyOffsetFrontScale "SU_POLY_OFFSET_FRONT_SCALE" 0x42A4, Float, "polygon offset of front faces: factor of the slope" { VALUE [31:0] value: u32, "binary32"; }
    SuPolyOffsetFrontOffset "SU_POLY_OFFSET_FRONT_OFFSET" 0x42A8, Float, "polygon offset of front faces: constant" { VALUE [31:0] value: u32, "binary32"; }
    SuPolyOffsetBackScale "SU_POLY_OFFSET_BACK_SCALE" 0x42AC, Float, "polygon offset of back faces: factor of the slope" { VALUE [31:0] value: u32, "binary32"; }
    SuPolyOffsetBackOffset "SU_POLY_OFFSET_BACK_OFFSET" 0x42B0, Float, "polygon offset of back faces: constant" { VALUE [31:0] value: u32, "binary32"; }
    SuPolyOffsetEnable "SU_POLY_OFFSET_ENABLE" 0x42B4, Fields, "polygon offset" {
        FRONT_ENABLE [0:0] front: bool, "of front faces";
        BACK_ENABLE [1:1] back: bool, "of back faces";
        PARA_ENABLE [2:2] parallel: bool, "of points and lines";
    }
    SuCullMode "SU_CULL_MODE" 0x42B8, Fields, "culling" {
        CULL_FRONT [0:0] front: bool, "front faces are dropped";
        CULL_BACK [1:1] back: bool, "back faces are dropped";
        FACE [2:2] positive_is_front: bool, "which faces are front: those with positive area";
    }
    SuDepthScale "SU_DEPTH_SCALE" 0x42C0, Float, "scale of depth" { VALUE [31:0] value: u32, "binary32"; }
    SuDepthOffset "SU_DEPTH_OFFSET" 0x42C4, Float, "offset of depth" { VALUE [31:0] value: u32, "binary32"; }
    SuRegDest "SU_REG_DEST" 0x42C8, Fields, "pipes that take register writes" { SELECT [3:0] pipes: u8, "a bit each"; }
}
