//! TA, TD, VC: texture and vertex fetches, with the words of resources and samplers.

use super::codes::{Function, Wrap};
use ctm_card::registers;

registers! { "TX", TX;
    TaCntlAux "TA_CNTL_AUX" 0x09508, Fields, "texture addresses" {
        DISABLE_CUBE_WRAP [0:0] disable_cube_wrap: bool, "filters stay inside of a cube's face";
        DISABLE_CUBE_ANISO [1:1] disable_cube_aniso: bool, "no anisotropic filters on cubes";
        SYNC_GRADIENT [24:24] sync_gradient: bool, "order of differences";
        SYNC_WALKER [25:25] sync_walker: bool, "order of texels";
        SYNC_ALIGNER [26:26] sync_aligner: bool, "order of quads";
        BILINEAR_PRECISION [31:31] bilinear_precision: bool, "precision of filters";
    }
    VcEnhance "VC_ENHANCE" 0x09714, Bits ignored, "the vertex cache" { VALUE [31:0] value: u32, "bits"; }
    TdPsSamplerBorderRed "TD_PS_SAMPLER*_BORDER_RED" 0x0A400 [18, 16], Float, "border colour of pixel programs' samplers: red" {
        VALUE [31:0] value: u32, "binary32, or an integer";
    }
    TdPsSamplerBorderGreen "TD_PS_SAMPLER*_BORDER_GREEN" 0x0A404 [18, 16], Float, "border colour of pixel programs' samplers: green" {
        VALUE [31:0] value: u32, "binary32, or an integer";
    }
    TdPsSamplerBorderBlue "TD_PS_SAMPLER*_BORDER_BLUE" 0x0A408 [18, 16], Float, "border colour of pixel programs' samplers: blue" {
        VALUE [31:0] value: u32, "binary32, or an integer";
    }
    TdPsSamplerBorderAlpha "TD_PS_SAMPLER*_BORDER_ALPHA" 0x0A40C [18, 16], Float, "border colour of pixel programs' samplers: alpha" {
        VALUE [31:0] value: u32, "binary32, or an integer";
    }
    TdVsSamplerBorderRed "TD_VS_SAMPLER*_BORDER_RED" 0x0A600 [18, 16], Float, "border colour of vertex programs' samplers: red" {
        VALUE [31:0] value: u32, "binary32, or an integer";
    }
    TdVsSamplerBorderGreen "TD_VS_SAMPLER*_BORDER_GREEN" 0x0A604 [18, 16], Float, "border colour of vertex programs' samplers: green" {
        VALUE [31:0] value: u32, "binary32, or an integer";
    }
    TdVsSamplerBorderBlue "TD_VS_SAMPLER*_BORDER_BLUE" 0x0A608 [18, 16], Float, "border colour of vertex programs' samplers: blue" {
        VALUE [31:0] value: u32, "binary32, or an integer";
    }
    TdVsSamplerBorderAlpha "TD_VS_SAMPLER*_BORDER_ALPHA" 0x0A60C [18, 16], Float, "border colour of vertex programs' samplers: alpha" {
        VALUE [31:0] value: u32, "binary32, or an integer";
    }
    TdGsSamplerBorderRed "TD_GS_SAMPLER*_BORDER_RED" 0x0A800 [18, 16], Float, "border colour of geometry programs' samplers: red" {
        VALUE [31:0] value: u32, "binary32, or an integer";
    }
    TdGsSamplerBorderGreen "TD_GS_SAMPLER*_BORDER_GREEN" 0x0A804 [18, 16], Float, "border colour of geometry programs' samplers: green" {
        VALUE [31:0] value: u32, "binary32, or an integer";
    }
    TdGsSamplerBorderBlue "TD_GS_SAMPLER*_BORDER_BLUE" 0x0A808 [18, 16], Float, "border colour of geometry programs' samplers: blue" {
        VALUE [31:0] value: u32, "binary32, or an integer";
    }
    TdGsSamplerBorderAlpha "TD_GS_SAMPLER*_BORDER_ALPHA" 0x0A80C [18, 16], Float, "border colour of geometry programs' samplers: alpha" {
        VALUE [31:0] value: u32, "binary32, or an integer";
    }
    SqTexSamplerWord0 "SQ_TEX_SAMPLER_WORD0" 0x3C000 [54, 12], Fields, "a sampler: wraps and filters" {
        CLAMP_X [2:0] clamp_x: Wrap, "wrap of x";
        CLAMP_Y [5:3] clamp_y: Wrap, "wrap of y";
        CLAMP_Z [8:6] clamp_z: Wrap, "wrap of z";
        XY_MAG_FILTER [11:9] xy_mag_filter: u8, "filter where texels are larger than pixels";
        XY_MIN_FILTER [14:12] xy_min_filter: u8, "filter where they are smaller";
        Z_FILTER [16:15] z_filter: u8, "filter between slices";
        MIP_FILTER [18:17] mip_filter: u8, "filter between levels";
        MAX_ANISO_RATIO [21:19] max_aniso_ratio: u8, "log2 of the anisotropy";
        BORDER_COLOR_TYPE [23:22] border_color_type: u8, "where the border's colour comes from";
        POINT_SAMPLING_CLAMP [24:24] point_sampling_clamp: bool, "rounding of coordinates";
        TEX_ARRAY_OVERRIDE [25:25] tex_array_override: bool, "layers are clamped";
        DEPTH_COMPARE_FUNCTION [28:26] depth_compare_function: Function, "comparison with texels";
        CHROMA_KEY [30:29] chroma_key: u8, "colours that are left out";
        LOD_USES_MINOR_AXIS [31:31] lod_uses_minor_axis: bool, "level of detail by the shorter axis";
    }
    SqTexSamplerWord1 "SQ_TEX_SAMPLER_WORD1" 0x3C004 [54, 12], Fields, "a sampler: levels" {
        MIN_LOD [9:0] min_lod: u16, "least level in 1/64";
        MAX_LOD [19:10] max_lod: u16, "greatest level in 1/64";
        LOD_BIAS [31:20] lod_bias: u16, "two's complement in 1/64";
    }
    SqTexSamplerWord2 "SQ_TEX_SAMPLER_WORD2" 0x3C008 [54, 12], Fields, "a sampler: the rest" {
        LOD_BIAS_SEC [11:0] lod_bias_sec: u16, "second bias of the level";
        MC_COORD_TRUNCATE [12:12] mc_coord_truncate: bool, "coordinates are truncated";
        FORCE_DEGAMMA [13:13] force_degamma: bool, "texels are sRGB";
        HIGH_PRECISION_FILTER [14:14] high_precision_filter: bool, "precision of filters";
        PERF_MIP [17:15] perf_mip: u8, "speed of levels";
        PERF_Z [19:18] perf_z: u8, "speed of slices";
        FETCH_4 [26:26] fetch_4: bool, "four texels instead of one";
        SAMPLE_IS_PCF [27:27] sample_is_pcf: bool, "comparisons are filtered";
        TYPE [31:31] kind: bool, "it is a sampler";
    }
}
