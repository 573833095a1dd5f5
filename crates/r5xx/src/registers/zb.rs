//! Depth and stencil.

use super::codes::{StencilOp, ZFunction};
use ctm_card::registers;

registers! { "ZB", ZB;
    ZbCntl "ZB_CNTL" 0x4F00, Fields, "which tests are made" {
        STENCIL_ENABLE [0:0] stencil: bool, "the stencil test";
        Z_ENABLE [1:1] depth: bool, "the depth test";
        ZWRITEENABLE [2:2] depth_write: bool, "depth is written";
        ZSIGNED_COMPARE [3:3] signed: bool, "depth has a sign";
        STENCIL_FRONT_BACK [4:4] two_sided: bool, "back faces have their own functions and operations";
        STENCIL_REFMASK_FRONT_BACK [6:6] two_references: bool, "back faces have their own reference and masks";
    }
    ZbZstencilcntl "ZB_ZSTENCILCNTL" 0x4F04, Fields, "functions and operations" {
        ZFUNC [2:0] depth: ZFunction, "the depth test";
        STENCILFUNC [5:3] front: ZFunction, "the stencil test of front faces";
        STENCILFAIL [8:6] front_fail: StencilOp, "front faces that fail it";
        STENCILZPASS [11:9] front_pass: StencilOp, "front faces that pass both tests";
        STENCILZFAIL [14:12] front_depth_fail: StencilOp, "front faces that fail the depth test";
        STENCILFUNC_BF [17:15] back: ZFunction, "the stencil test of back faces";
        STENCILFAIL_BF [20:18] back_fail: StencilOp, "back faces that fail it";
        STENCILZPASS_BF [23:21] back_pass: StencilOp, "back faces that pass both tests";
        STENCILZFAIL_BF [26:24] back_depth_fail: StencilOp, "back faces that fail the depth test";
        ZERO_OUTPUT_MASK [27:27] zero_output: bool, "not used";
    }
    ZbStencilrefmask "ZB_STENCILREFMASK" 0x4F08, Fields, "reference and masks of the stencil" {
        STENCILREF [7:0] reference: u8, "reference";
        STENCILMASK [15:8] mask: u8, "bits that are compared";
        STENCILWRITEMASK [23:16] write_mask: u8, "bits that are written";
    }
    ZbFormat "ZB_FORMAT" 0x4F10, Fields, "form of the depth buffer" { DEPTHFORMAT [3:0] format: u8, "0: 16 bits, 2: 24 bits and 8 of stencil"; }
    ZbZtop "ZB_ZTOP" 0x4F14, Fields, "when the tests are made" { ZTOP [0:0] before_program: bool, "before the program"; }
    ZbZcacheCtlstat "ZB_ZCACHE_CTLSTAT" 0x4F18, Bits ignored, "flushes the depth cache" { VALUE [31:0] value: u32, "bits"; }
    ZbBwCntl "ZB_BW_CNTL" 0x4F1C, Fields, "coarse depth, compression and clears" {
        HIZ_ENABLE [0:0] coarse: bool, "coarse depth test";
        HIZ_MIN [1:1] coarse_min: bool, "its function";
        FAST_FILL [2:2] fast_fill: bool, "fast clears";
        RD_COMP_ENABLE [3:3] read_compression: bool, "compressed depth is read";
        WR_COMP_ENABLE [4:4] write_compression: bool, "depth is compressed";
        ZB_CB_CLEAR [5:5] clears_colour: bool, "each covered pixel gets ZB_DEPTHCLEARVALUE";
    }
    ZbDepthoffset "ZB_DEPTHOFFSET" 0x4F20, Address, "where the depth buffer lies" { DEPTHOFFSET [31:5] offset: u32, "in units of 32 bytes"; }
    ZbDepthpitch "ZB_DEPTHPITCH" 0x4F24, Fields, "form of the depth buffer" {
        DEPTHPITCH [13:2] pitch: u16, "a quarter of the pitch in pixels";
        DEPTHMACROTILE [16:16] macro_tile: bool, "macro tiles";
        DEPTHMICROTILE [18:17] micro_tile: u8, "0: linear, 1: tiled, 2: square";
        DEPTHENDIAN [20:19] swap: u8, "order of bytes";
    }
    ZbDepthclearvalue "ZB_DEPTHCLEARVALUE" 0x4F28, Bits, "what clears write" { VALUE [31:0] value: u32, "a pixel"; }
    ZbZpassData "ZB_ZPASS_DATA" 0x4F58, Bits, "counter of samples that pass" { VALUE [31:0] value: u32, "count"; }
    ZbZpassAddr "ZB_ZPASS_ADDR" 0x4F5C, Address, "stores the counter" { ZPASS_ADDR [31:2] offset: u32, "in units of 4 bytes"; }
    ZbStencilrefmaskBf "ZB_STENCILREFMASK_BF" 0x4FD4, Fields, "reference and masks of the stencil of back faces" {
        STENCILREF [7:0] reference: u8, "reference";
        STENCILMASK [15:8] mask: u8, "bits that are compared";
        STENCILWRITEMASK [23:16] write_mask: u8, "bits that are written";
    }
}
