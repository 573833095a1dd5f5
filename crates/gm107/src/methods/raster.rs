//! 3D class: viewports, scissors, points, lines, polygons.

use super::codes::{CullFace, FrontFace, PolygonMode, ShadeModel};
use ctm_card::registers;

registers! { "3D", RASTER;
    LineWidthSeparate "LINE_WIDTH_SEPARATE" 0x020C, Fields, "smooth lines have a width of their own" { ENABLE [0:0] enable: bool, "they have"; }
    RasterizeEnable "RASTERIZE_ENABLE" 0x037C, Fields, "primitives are drawn" { ENABLE [0:0] enable: bool, "they are"; }
    ViewportScaleX "VIEWPORT_SCALE_X" 0x0A00 [16, 0x20], Float, "viewport: half its width" { VALUE [31:0] value: u32, "binary32"; }
    ViewportScaleY "VIEWPORT_SCALE_Y" 0x0A04 [16, 0x20], Float, "viewport: half its height" { VALUE [31:0] value: u32, "binary32"; }
    ViewportScaleZ "VIEWPORT_SCALE_Z" 0x0A08 [16, 0x20], Float, "viewport: scale of depth" { VALUE [31:0] value: u32, "binary32"; }
    ViewportTranslateX "VIEWPORT_TRANSLATE_X" 0x0A0C [16, 0x20], Float, "viewport: column of its centre" { VALUE [31:0] value: u32, "binary32"; }
    ViewportTranslateY "VIEWPORT_TRANSLATE_Y" 0x0A10 [16, 0x20], Float, "viewport: row of its centre" { VALUE [31:0] value: u32, "binary32"; }
    ViewportTranslateZ "VIEWPORT_TRANSLATE_Z" 0x0A14 [16, 0x20], Float, "viewport: depth of its centre" { VALUE [31:0] value: u32, "binary32"; }
    ViewportHoriz "VIEWPORT_HORIZ" 0x0C00 [16, 0x10], Fields, "columns of a viewport" {
        X [15:0] x: u16, "the first";
        W [31:16] w: u16, "how many";
    }
    ViewportVert "VIEWPORT_VERT" 0x0C04 [16, 0x10], Fields, "rows of a viewport" {
        Y [15:0] y: u16, "the first";
        H [31:16] h: u16, "how many";
    }
    DepthRangeNear "DEPTH_RANGE_NEAR" 0x0C08 [16, 0x10], Float, "viewport: depth of the near plane" { VALUE [31:0] value: u32, "binary32"; }
    DepthRangeFar "DEPTH_RANGE_FAR" 0x0C0C [16, 0x10], Float, "viewport: depth of the far plane" { VALUE [31:0] value: u32, "binary32"; }
    ClipRectHoriz "CLIP_RECT_HORIZ" 0x0D00 [8, 8], Fields, "columns of a window rectangle" {
        MIN [15:0] min: u16, "the first";
        MAX [31:16] max: u16, "the one after the last";
    }
    ClipRectVert "CLIP_RECT_VERT" 0x0D04 [8, 8], Fields, "rows of a window rectangle" {
        MIN [15:0] min: u16, "the first";
        MAX [31:16] max: u16, "the one after the last";
    }
    ClipRectsEn "CLIP_RECTS_EN" 0x194C, Fields, "window rectangles limit what is drawn" { ENABLE [0:0] enable: bool, "they do"; }
    ClipRectsMode "CLIP_RECTS_MODE" 0x1950, Fields, "where window rectangles let draw" { OUTSIDE_ALL [0:0] outside_all: bool, "outside of all of them; else inside of one"; }
    DepthClipNegativeZ "DEPTH_CLIP_NEGATIVE_Z" 0x0D7C, Fields, "where the near plane is" { ZERO [0:0] zero: bool, "at z = 0; else at z = -w"; }
    PolygonModeFront "POLYGON_MODE_FRONT" 0x0DAC, Fields, "what front faces are drawn as" { MODE [31:0] mode: PolygonMode, "mode"; }
    PolygonModeBack "POLYGON_MODE_BACK" 0x0DB0, Fields, "what back faces are drawn as" { MODE [31:0] mode: PolygonMode, "mode"; }
    PolygonSmoothEnable "POLYGON_SMOOTH_ENABLE" 0x0DB4, Fields ignored, "polygons have smooth edges" { ENABLE [0:0] enable: bool, "they have"; }
    PolygonOffsetPointEnable "POLYGON_OFFSET_POINT_ENABLE" 0x0DC0, Fields, "polygons drawn as points have a depth offset" { ENABLE [0:0] enable: bool, "they have"; }
    PolygonOffsetLineEnable "POLYGON_OFFSET_LINE_ENABLE" 0x0DC4, Fields, "polygons drawn as lines have a depth offset" { ENABLE [0:0] enable: bool, "they have"; }
    PolygonOffsetFillEnable "POLYGON_OFFSET_FILL_ENABLE" 0x0DC8, Fields, "filled polygons have a depth offset" { ENABLE [0:0] enable: bool, "they have"; }
    ScissorEnable "SCISSOR_ENABLE" 0x0E00 [16, 0x10], Fields, "a viewport has a scissor" { ENABLE [0:0] enable: bool, "it has"; }
    ScissorHoriz "SCISSOR_HORIZ" 0x0E04 [16, 0x10], Fields, "columns of a viewport's scissor" {
        MIN [15:0] min: u16, "the first";
        MAX [31:16] max: u16, "the one after the last";
    }
    ScissorVert "SCISSOR_VERT" 0x0E08 [16, 0x10], Fields, "rows of a viewport's scissor" {
        MIN [15:0] min: u16, "the first";
        MAX [31:16] max: u16, "the one after the last";
    }
    ScreenScissorHoriz "SCREEN_SCISSOR_HORIZ" 0x0FF4, Fields, "columns of the framebuffer" {
        X [15:0] x: u16, "the first";
        W [31:16] w: u16, "how many";
    }
    ScreenScissorVert "SCREEN_SCISSOR_VERT" 0x0FF8, Fields, "rows of the framebuffer" {
        Y [15:0] y: u16, "the first";
        H [31:16] h: u16, "how many";
    }
    ShadeModelMethod "SHADE_MODEL" 0x12D4, Fields, "how colours vary" { MODEL [31:0] model: ShadeModel, "model"; }
    ScreenYControl "SCREEN_Y_CONTROL" 0x13AC, Fields ignored, "where the first row is" { VALUE [31:0] value: u32, "ignored"; }
    WindowOffset "WINDOW_OFFSET" 0x0DF8 [2, 4], Fields ignored, "where the window lies" { VALUE [31:0] value: u32, "ignored"; }
    LineWidthSmooth "LINE_WIDTH_SMOOTH" 0x13B0, Float, "width of smooth lines" { VALUE [31:0] value: u32, "binary32"; }
    LineWidthAliased "LINE_WIDTH_ALIASED" 0x13B4, Float, "width of lines" { VALUE [31:0] value: u32, "binary32"; }
    LineSmoothEnable "LINE_SMOOTH_ENABLE" 0x1570, Fields, "lines are smooth" { ENABLE [0:0] enable: bool, "they are"; }
    ClipDistanceEnable "CLIP_DISTANCE_ENABLE" 0x1510, Fields, "distances that clip or cull" { PLANES [7:0] planes: u8, "a bit for each"; }
    ClipDistanceMode "CLIP_DISTANCE_MODE" 0x1940, Fields, "what distances do" {
        CULL0 [0:0] cull0: bool, "distance 0 culls";
        CULL1 [4:4] cull1: bool, "distance 1 culls";
        CULL2 [8:8] cull2: bool, "distance 2 culls";
        CULL3 [12:12] cull3: bool, "distance 3 culls";
        CULL4 [16:16] cull4: bool, "distance 4 culls";
        CULL5 [20:20] cull5: bool, "distance 5 culls";
        CULL6 [24:24] cull6: bool, "distance 6 culls";
        CULL7 [28:28] cull7: bool, "distance 7 culls";
    }
    PointSize "POINT_SIZE" 0x1518, Float, "size of points" { VALUE [31:0] value: u32, "binary32"; }
    VpPointSize "VP_POINT_SIZE" 0x1910, Fields, "programs say how large points are" { ENABLE [0:0] enable: bool, "they do"; }
    PointSpriteEnable "POINT_SPRITE_ENABLE" 0x1520, Fields, "points are squares" { ENABLE [0:0] enable: bool, "they are"; }
    PointCoordReplace "POINT_COORD_REPLACE" 0x1604, Fields, "coordinates in points" {
        UPPER_LEFT [2:2] upper_left: bool, "they begin at the top";
        TEXTURES [10:3] textures: u8, "texture coordinates that they replace, a bit for each";
    }
    PointSmoothEnable "POINT_SMOOTH_ENABLE" 0x1658, Fields, "points are round" { ENABLE [0:0] enable: bool, "they are"; }
    PointRasterRules "POINT_RASTER_RULES" 0x165C, Fields ignored, "how points are covered" { VALUE [31:0] value: u32, "ignored"; }
    PolygonOffsetFactor "POLYGON_OFFSET_FACTOR" 0x156C, Float, "depth offset: share of the slope" { VALUE [31:0] value: u32, "binary32"; }
    PolygonOffsetUnits "POLYGON_OFFSET_UNITS" 0x15BC, Float, "depth offset: half units" { VALUE [31:0] value: u32, "binary32"; }
    PolygonOffsetClamp "POLYGON_OFFSET_CLAMP" 0x187C, Float, "depth offset: its limit" { VALUE [31:0] value: u32, "binary32"; }
    LineStippleEnable "LINE_STIPPLE_ENABLE" 0x166C, Fields, "lines have gaps" { ENABLE [0:0] enable: bool, "they have"; }
    LineStipplePattern "LINE_STIPPLE_PATTERN" 0x1680, Fields, "gaps of lines" {
        FACTOR [7:0] factor: u8, "pixels of a bit";
        PATTERN [23:8] pattern: u16, "bits of what is drawn";
    }
    VertexTwoSideEnable "VERTEX_TWO_SIDE_ENABLE" 0x1688, Fields, "back faces have colours of their own" { ENABLE [0:0] enable: bool, "they have"; }
    VertColorClampEn "VERT_COLOR_CLAMP_EN" 0x2600, Fields, "colours of vertices are clamped to 0 to 1" { ENABLE [0:0] enable: bool, "they are"; }
    PolygonStippleEnable "POLYGON_STIPPLE_ENABLE" 0x168C, Fields, "polygons have holes" { ENABLE [0:0] enable: bool, "they have"; }
    PolygonStipplePattern "POLYGON_STIPPLE_PATTERN" 0x1700 [32, 4], Bits, "holes of polygons, a row" { BITS [31:0] bits: u32, "a bit for each pixel that is drawn"; }
    CullFaceEnable "CULL_FACE_ENABLE" 0x1918, Fields, "faces are culled" { ENABLE [0:0] enable: bool, "they are"; }
    FrontFaceMethod "FRONT_FACE" 0x191C, Fields, "which faces are front faces" { FACE [31:0] face: FrontFace, "order of their corners"; }
    CullFaceMethod "CULL_FACE" 0x1920, Fields, "which faces are culled" { FACE [31:0] face: CullFace, "faces"; }
    PixelCenterInteger "PIXEL_CENTER_INTEGER" 0x1924, Fields, "where pixel centres are" { ENABLE [0:0] enable: bool, "at whole numbers"; }
    ViewportTransformEn "VIEWPORT_TRANSFORM_EN" 0x192C, Fields, "positions are clipped and divided" { ENABLE [0:0] enable: bool, "they are; else they are window coordinates"; }
    ViewVolumeClipCtrl "VIEW_VOLUME_CLIP_CTRL" 0x193C, Fields, "clipping by planes of depth" {
        UNK0 [0:0] unk0: bool, "not known";
        DEPTH_RANGE [1:1] depth_range: bool, "depth is clamped to the viewport";
        DEPTH_CLAMP_NEAR [3:3] depth_clamp_near: bool, "the near plane does not clip";
        DEPTH_CLAMP_FAR [4:4] depth_clamp_far: bool, "the far plane does not clip";
    }
    ZcullTestMask "ZCULL_TEST_MASK" 0x196C, Bits ignored, "coarse depth" { VALUE [31:0] value: u32, "ignored"; }
    ZcullRegion "ZCULL_REGION" 0x07C0 [16, 4], Bits ignored, "coarse depth: where it lies" { VALUE [31:0] value: u32, "ignored"; }
    ZcullRegionId "ZCULL_REGION_ID" 0x1590, Bits ignored, "coarse depth: region" { VALUE [31:0] value: u32, "ignored"; }
    ZcullStatCtrsEnable "ZCULL_STATCTRS_ENABLE" 0x151C, Bits ignored, "coarse depth: statistics" { VALUE [31:0] value: u32, "ignored"; }
    ClipidEnable "CLIPID_ENABLE" 0x1944, Bits ignored, "window numbers" { VALUE [31:0] value: u32, "ignored"; }
}
