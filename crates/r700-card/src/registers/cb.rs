//! CB: colour targets.

use super::codes::{ArrayMode, BlendFunction, NumberType, SpecialOp};
use ctm_card::registers;

registers! { "CB", CB;
    CbColorBase "CB_COLOR*_BASE" 0x28040 [8, 4], Address, "where a target lies" { BASE [31:0] base: u32, "in units of 256 bytes"; }
    CbColorSize "CB_COLOR*_SIZE" 0x28060 [8, 4], Fields, "size of a target" {
        PITCH_TILE_MAX [9:0] pitch_tile_max: u16, "an eighth of the pitch, - 1";
        SLICE_TILE_MAX [29:10] slice_tile_max: u32, "tiles of a slice, - 1";
    }
    CbColorView "CB_COLOR*_VIEW" 0x28080 [8, 4], Fields, "layers of a target" {
        SLICE_START [10:0] slice_start: u16, "the first";
        SLICE_MAX [23:13] slice_max: u16, "the last";
    }
    CbColorInfo "CB_COLOR*_INFO" 0x280A0 [8, 4], Fields, "form of a target" {
        ENDIAN [1:0] endian: u8, "order of bytes";
        FORMAT [7:2] format: u8, "what its pixels are";
        ARRAY_MODE [11:8] array_mode: ArrayMode, "order of pixels";
        NUMBER_TYPE [14:12] number_type: NumberType, "what its numbers are";
        READ_SIZE [15:15] read_size: bool, "512 bytes at once";
        COMP_SWAP [17:16] comp_swap: u8, "order of components";
        TILE_MODE [19:18] tile_mode: u8, "compression";
        BLEND_CLAMP [20:20] blend_clamp: bool, "colours are clamped for blending";
        CLEAR_COLOR [21:21] clear_color: bool, "fast clears";
        BLEND_BYPASS [22:22] blend_bypass: bool, "no blending";
        BLEND_FLOAT32 [23:23] blend_float32: bool, "precision of blending";
        SIMPLE_FLOAT [24:24] simple_float: bool, "rules of blending";
        ROUND_MODE [25:25] round_mode: bool, "rounding";
        TILE_COMPACT [26:26] tile_compact: bool, "compression is packed";
        SOURCE_FORMAT [27:27] source_format: bool, "precision of exports";
    }
    CbColorTile "CB_COLOR*_TILE" 0x280C0 [8, 4], Address, "where compression of clears lies" { BASE [31:0] base: u32, "in units of 256 bytes"; }
    CbColorFrag "CB_COLOR*_FRAG" 0x280E0 [8, 4], Address, "where compression of samples lies" { BASE [31:0] base: u32, "in units of 256 bytes"; }
    CbColorMask "CB_COLOR*_MASK" 0x28100 [8, 4], Fields ignored, "size of compression" {
        CMASK_BLOCK_MAX [11:0] cmask_block_max: u16, "of clears";
        FMASK_TILE_MAX [31:12] fmask_tile_max: u32, "of samples";
    }
    CbTargetMask "CB_TARGET_MASK" 0x28238, Fields, "components of targets that are written" {
        TARGET0 [3:0] target0: u8, "of target 0";
        TARGET1 [7:4] target1: u8, "of target 1";
        TARGET2 [11:8] target2: u8, "of target 2";
        TARGET3 [15:12] target3: u8, "of target 3";
        TARGET4 [19:16] target4: u8, "of target 4";
        TARGET5 [23:20] target5: u8, "of target 5";
        TARGET6 [27:24] target6: u8, "of target 6";
        TARGET7 [31:28] target7: u8, "of target 7";
    }
    CbShaderMask "CB_SHADER_MASK" 0x2823C, Fields, "components that pixel programs export" {
        OUTPUT0 [3:0] output0: u8, "for target 0";
        OUTPUT1 [7:4] output1: u8, "for target 1";
        OUTPUT2 [11:8] output2: u8, "for target 2";
        OUTPUT3 [15:12] output3: u8, "for target 3";
        OUTPUT4 [19:16] output4: u8, "for target 4";
        OUTPUT5 [23:20] output5: u8, "for target 5";
        OUTPUT6 [27:24] output6: u8, "for target 6";
        OUTPUT7 [31:28] output7: u8, "for target 7";
    }
    CbBlendRed "CB_BLEND_RED" 0x28414, Float, "constant colour of blending: red" { VALUE [31:0] value: u32, "binary32"; }
    CbBlendGreen "CB_BLEND_GREEN" 0x28418, Float, "constant colour of blending: green" { VALUE [31:0] value: u32, "binary32"; }
    CbBlendBlue "CB_BLEND_BLUE" 0x2841C, Float, "constant colour of blending: blue" { VALUE [31:0] value: u32, "binary32"; }
    CbBlendAlpha "CB_BLEND_ALPHA" 0x28420, Float, "constant colour of blending: alpha" { VALUE [31:0] value: u32, "binary32"; }
    CbTargetBlendControl "CB_BLEND*_CONTROL" 0x28780 [8, 4], Fields, "blending of a target" {
        COLOR_SRCBLEND [4:0] color_srcblend: u8, "factor of the source";
        COLOR_COMB_FCN [7:5] color_comb_fcn: BlendFunction, "function";
        COLOR_DESTBLEND [12:8] color_destblend: u8, "factor of the destination";
        ALPHA_SRCBLEND [20:16] alpha_srcblend: u8, "alpha: factor of the source";
        ALPHA_COMB_FCN [23:21] alpha_comb_fcn: BlendFunction, "alpha: function";
        ALPHA_DESTBLEND [28:24] alpha_destblend: u8, "alpha: factor of the destination";
        SEPARATE_ALPHA_BLEND [29:29] separate_alpha_blend: bool, "alpha is blended otherwise";
    }
    CbShaderControl "CB_SHADER_CONTROL" 0x287A0, Fields ignored, "targets that pixel programs export to" {
        RT0_ENABLE [0:0] rt0_enable: bool, "target 0";
        RT1_ENABLE [1:1] rt1_enable: bool, "target 1";
        RT2_ENABLE [2:2] rt2_enable: bool, "target 2";
        RT3_ENABLE [3:3] rt3_enable: bool, "target 3";
        RT4_ENABLE [4:4] rt4_enable: bool, "target 4";
        RT5_ENABLE [5:5] rt5_enable: bool, "target 5";
        RT6_ENABLE [6:6] rt6_enable: bool, "target 6";
        RT7_ENABLE [7:7] rt7_enable: bool, "target 7";
    }
    CbBlendControl "CB_BLEND_CONTROL" 0x28804, Fields, "blending of all targets" {
        COLOR_SRCBLEND [4:0] color_srcblend: u8, "factor of the source";
        COLOR_COMB_FCN [7:5] color_comb_fcn: BlendFunction, "function";
        COLOR_DESTBLEND [12:8] color_destblend: u8, "factor of the destination";
        OPACITY_WEIGHT [13:13] opacity_weight: bool, "not used";
        ALPHA_SRCBLEND [20:16] alpha_srcblend: u8, "alpha: factor of the source";
        ALPHA_COMB_FCN [23:21] alpha_comb_fcn: BlendFunction, "alpha: function";
        ALPHA_DESTBLEND [28:24] alpha_destblend: u8, "alpha: factor of the destination";
        SEPARATE_ALPHA_BLEND [29:29] separate_alpha_blend: bool, "alpha is blended otherwise";
    }
    CbColorControl "CB_COLOR_CONTROL" 0x28808, Fields, "what becomes of colours" {
        FOG_ENABLE [0:0] fog_enable: bool, "fog";
        MULTIWRITE_ENABLE [1:1] multiwrite_enable: bool, "export 0 goes to all targets";
        DITHER_ENABLE [2:2] dither_enable: bool, "dithering";
        DEGAMMA_ENABLE [3:3] degamma_enable: bool, "sRGB";
        SPECIAL_OP [6:4] special_op: SpecialOp, "something else than drawing";
        PER_MRT_BLEND [7:7] per_mrt_blend: bool, "each target is blended its way";
        TARGET_BLEND_ENABLE [15:8] target_blend_enable: u8, "which targets are blended";
        ROP3 [23:16] rop3: u8, "truth table of bits";
    }
    CbClrcmpControl "CB_CLRCMP_CONTROL" 0x28C30, Fields ignored, "comparison of colours" {
        CLRCMP_FCN_SRC [2:0] clrcmp_fcn_src: u8, "of the source";
        CLRCMP_FCN_DST [10:8] clrcmp_fcn_dst: u8, "of the destination";
        CLRCMP_FCN_SEL [25:24] clrcmp_fcn_sel: u8, "which counts";
    }
    CbClrcmpSrc "CB_CLRCMP_SRC" 0x28C34, Bits ignored, "comparison of colours: source" { VALUE [31:0] value: u32, "colour"; }
    CbClrcmpDst "CB_CLRCMP_DST" 0x28C38, Bits ignored, "comparison of colours: destination" { VALUE [31:0] value: u32, "colour"; }
    CbClrcmpMsk "CB_CLRCMP_MSK" 0x28C3C, Bits ignored, "comparison of colours: bits" { VALUE [31:0] value: u32, "mask"; }
}
