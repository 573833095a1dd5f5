//! 3D class: what becomes of fragments: tests, blending, samples.

use super::codes::{BlendEquation, BlendFactor, Comparison, LogicOperation, StencilOperation};
use ctm_card::registers;

registers! { "3D", PIXELS;
    ForceEarlyFragmentTests "FORCE_EARLY_FRAGMENT_TESTS" 0x0210, Fields, "depth and stencil values are tested before the program runs" { ENABLE [0:0] enable: bool, "they are"; }
    SampleShading "SAMPLE_SHADING" 0x0754, Fields, "the program runs for samples" {
        MIN_SAMPLES [3:0] min_samples: u8, "groups of samples that it runs for";
        ENABLE [4:4] enable: bool, "it does";
    }
    StencilBackFuncRef "STENCIL_BACK_FUNC_REF" 0x0F54, Fields, "stencil test of back faces: reference" { VALUE [7:0] value: u8, "reference"; }
    StencilBackMask "STENCIL_BACK_MASK" 0x0F58, Fields, "stencil test of back faces: bits that are written" { MASK [7:0] mask: u8, "bits"; }
    StencilBackFuncMask "STENCIL_BACK_FUNC_MASK" 0x0F5C, Fields, "stencil test of back faces: bits that are compared" { MASK [7:0] mask: u8, "bits"; }
    ColorMaskCommon "COLOR_MASK_COMMON" 0x0F90, Fields, "the mask of target 0 holds for all targets" { ENABLE [0:0] enable: bool, "it does"; }
    ColorMask "COLOR_MASK" 0x1A00 [8, 4], Fields, "which colours are written" {
        R [3:0] r: bool, "red";
        G [7:4] g: bool, "green";
        B [11:8] b: bool, "blue";
        A [15:12] a: bool, "alpha";
    }
    DepthBounds "DEPTH_BOUNDS" 0x0F9C [2, 4], Float, "least and greatest depth that must be stored" { VALUE [31:0] value: u32, "binary32"; }
    DepthBoundsEn "DEPTH_BOUNDS_EN" 0x19BC, Fields, "stored depth is tested" { ENABLE [0:0] enable: bool, "it is"; }
    MsaaMask "MSAA_MASK" 0x0FBC [4, 4], Fields, "samples that may be written" { MASK [15:0] mask: u16, "a bit for each"; }
    DepthTestEnable "DEPTH_TEST_ENABLE" 0x12CC, Fields, "depth is tested" { ENABLE [0:0] enable: bool, "it is"; }
    DepthWriteEnable "DEPTH_WRITE_ENABLE" 0x12E8, Fields, "depth is written" { ENABLE [0:0] enable: bool, "it is"; }
    DepthTestFunc "DEPTH_TEST_FUNC" 0x130C, Fields, "comparison of depth" { FUNC [31:0] func: Comparison, "comparison"; }
    AlphaTestEnable "ALPHA_TEST_ENABLE" 0x12EC, Fields, "alpha is tested" { ENABLE [0:0] enable: bool, "it is"; }
    AlphaTestRef "ALPHA_TEST_REF" 0x1310, Float, "what alpha is compared with" { VALUE [31:0] value: u32, "binary32"; }
    AlphaTestFunc "ALPHA_TEST_FUNC" 0x1314, Fields, "comparison of alpha" { FUNC [31:0] func: Comparison, "comparison"; }
    BlendIndependent "BLEND_INDEPENDENT" 0x12E4, Fields, "every target has a blending of its own" { ENABLE [0:0] enable: bool, "it has"; }
    BlendColor "BLEND_COLOR" 0x131C [4, 4], Float, "constant colour of blending" { VALUE [31:0] value: u32, "binary32"; }
    BlendSeparateAlpha "BLEND_SEPARATE_ALPHA" 0x133C, Fields, "alpha has a blending of its own" { ENABLE [0:0] enable: bool, "it has"; }
    BlendEquationRgb "BLEND_EQUATION_RGB" 0x1340, Fields, "blending of colours: equation" { EQUATION [31:0] equation: BlendEquation, "equation"; }
    BlendFuncSrcRgb "BLEND_FUNC_SRC_RGB" 0x1344, Fields, "blending of colours: factor of the source" { FACTOR [31:0] factor: BlendFactor, "factor"; }
    BlendFuncDstRgb "BLEND_FUNC_DST_RGB" 0x1348, Fields, "blending of colours: factor of the destination" { FACTOR [31:0] factor: BlendFactor, "factor"; }
    BlendEquationAlpha "BLEND_EQUATION_ALPHA" 0x134C, Fields, "blending of alpha: equation" { EQUATION [31:0] equation: BlendEquation, "equation"; }
    BlendFuncSrcAlpha "BLEND_FUNC_SRC_ALPHA" 0x1350, Fields, "blending of alpha: factor of the source" { FACTOR [31:0] factor: BlendFactor, "factor"; }
    BlendFuncDstAlpha "BLEND_FUNC_DST_ALPHA" 0x1358, Fields, "blending of alpha: factor of the destination" { FACTOR [31:0] factor: BlendFactor, "factor"; }
    BlendEnableCommon "BLEND_ENABLE_COMMON" 0x135C, Fields, "all targets are blended as target 0" { ENABLE [0:0] enable: bool, "they are"; }
    BlendEnable "BLEND_ENABLE" 0x1360 [8, 4], Fields, "a target is blended" { ENABLE [0:0] enable: bool, "it is"; }
    IblendSeparateAlpha "IBLEND_SEPARATE_ALPHA" 0x1E00 [8, 0x20], Fields, "of a target: alpha has a blending of its own" { ENABLE [0:0] enable: bool, "it has"; }
    IblendEquationRgb "IBLEND_EQUATION_RGB" 0x1E04 [8, 0x20], Fields, "of a target: blending of colours: equation" { EQUATION [31:0] equation: BlendEquation, "equation"; }
    IblendFuncSrcRgb "IBLEND_FUNC_SRC_RGB" 0x1E08 [8, 0x20], Fields, "of a target: blending of colours: factor of the source" { FACTOR [31:0] factor: BlendFactor, "factor"; }
    IblendFuncDstRgb "IBLEND_FUNC_DST_RGB" 0x1E0C [8, 0x20], Fields, "of a target: blending of colours: factor of the destination" { FACTOR [31:0] factor: BlendFactor, "factor"; }
    IblendEquationAlpha "IBLEND_EQUATION_ALPHA" 0x1E10 [8, 0x20], Fields, "of a target: blending of alpha: equation" { EQUATION [31:0] equation: BlendEquation, "equation"; }
    IblendFuncSrcAlpha "IBLEND_FUNC_SRC_ALPHA" 0x1E14 [8, 0x20], Fields, "of a target: blending of alpha: factor of the source" { FACTOR [31:0] factor: BlendFactor, "factor"; }
    IblendFuncDstAlpha "IBLEND_FUNC_DST_ALPHA" 0x1E18 [8, 0x20], Fields, "of a target: blending of alpha: factor of the destination" { FACTOR [31:0] factor: BlendFactor, "factor"; }
    StencilEnable "STENCIL_ENABLE" 0x1380, Fields, "stencil values are tested" { ENABLE [0:0] enable: bool, "they are"; }
    StencilFrontOpFail "STENCIL_FRONT_OP_FAIL" 0x1384, Fields, "stencil values where their test fails" { OPERATION [31:0] operation: StencilOperation, "operation"; }
    StencilFrontOpZfail "STENCIL_FRONT_OP_ZFAIL" 0x1388, Fields, "stencil values where depth fails" { OPERATION [31:0] operation: StencilOperation, "operation"; }
    StencilFrontOpZpass "STENCIL_FRONT_OP_ZPASS" 0x138C, Fields, "stencil values where both pass" { OPERATION [31:0] operation: StencilOperation, "operation"; }
    StencilFrontFuncFunc "STENCIL_FRONT_FUNC_FUNC" 0x1390, Fields, "comparison of stencil values" { FUNC [31:0] func: Comparison, "comparison"; }
    StencilFrontFuncRef "STENCIL_FRONT_FUNC_REF" 0x1394, Fields, "stencil test: reference" { VALUE [7:0] value: u8, "reference"; }
    StencilFrontFuncMask "STENCIL_FRONT_FUNC_MASK" 0x1398, Fields, "stencil test: bits that are compared" { MASK [7:0] mask: u8, "bits"; }
    StencilFrontMask "STENCIL_FRONT_MASK" 0x139C, Fields, "stencil test: bits that are written" { MASK [7:0] mask: u8, "bits"; }
    StencilTwoSideEnable "STENCIL_TWO_SIDE_ENABLE" 0x1594, Fields, "back faces have a stencil test of their own" { ENABLE [0:0] enable: bool, "they have"; }
    StencilBackOpFail "STENCIL_BACK_OP_FAIL" 0x1598, Fields, "stencil values of back faces where their test fails" { OPERATION [31:0] operation: StencilOperation, "operation"; }
    StencilBackOpZfail "STENCIL_BACK_OP_ZFAIL" 0x159C, Fields, "stencil values of back faces where depth fails" { OPERATION [31:0] operation: StencilOperation, "operation"; }
    StencilBackOpZpass "STENCIL_BACK_OP_ZPASS" 0x15A0, Fields, "stencil values of back faces where both pass" { OPERATION [31:0] operation: StencilOperation, "operation"; }
    StencilBackFuncFunc "STENCIL_BACK_FUNC_FUNC" 0x15A4, Fields, "comparison of stencil values of back faces" { FUNC [31:0] func: Comparison, "comparison"; }
    FragColorClampEn "FRAG_COLOR_CLAMP_EN" 0x13A8, Fields, "colours of fragments are clamped to 0 to 1" {
        RT0 [0:0] rt0: bool, "of output 0";
        RT1 [4:4] rt1: bool, "of output 1";
        RT2 [8:8] rt2: bool, "of output 2";
        RT3 [12:12] rt3: bool, "of output 3";
        RT4 [16:16] rt4: bool, "of output 4";
        RT5 [20:20] rt5: bool, "of output 5";
        RT6 [24:24] rt6: bool, "of output 6";
        RT7 [28:28] rt7: bool, "of output 7";
    }
    SamplecntEnable "SAMPLECNT_ENABLE" 0x1514, Fields, "samples that survive are counted" { ENABLE [0:0] enable: bool, "they are"; }
    MultisampleEnable "MULTISAMPLE_ENABLE" 0x1534, Fields, "every sample is covered by itself" { ENABLE [0:0] enable: bool, "it is"; }
    MultisampleMode "MULTISAMPLE_MODE" 0x15D0, Fields, "samples of a pixel" { SAMPLES_LOG2 [3:0] samples_log2: u8, "log2 of their number"; }
    MultisampleCtrl "MULTISAMPLE_CTRL" 0x153C, Fields, "what alpha has to do with samples" {
        ALPHA_TO_COVERAGE [0:0] alpha_to_coverage: bool, "it covers some of them";
        ALPHA_TO_ONE [4:4] alpha_to_one: bool, "it becomes 1";
    }
    MultisampleCsaa "MULTISAMPLE_CSAA" 0x15B4, Bits ignored, "coverage of more samples than are stored" { VALUE [31:0] value: u32, "ignored"; }
    LogicOpEnable "LOGIC_OP_ENABLE" 0x19C4, Fields, "bits are combined instead of blended" { ENABLE [0:0] enable: bool, "they are"; }
    LogicOp "LOGIC_OP" 0x19C8, Fields, "how bits are combined" { OPERATION [31:0] operation: LogicOperation, "operation"; }
}
