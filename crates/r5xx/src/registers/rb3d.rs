//! Colour buffers.

use ctm_card::registers;

registers! { "RB3D", RB3D;
    Rb3dCctl "RB3D_CCTL" 0x4E00, Fields, "colour buffers" {
        NUM_MULTIWRITES [6:5] multiwrites: u8, "buffers that get output A, - 1";
        CLRCMP_FLIPE [7:7] compare_flip: bool, "not used";
        AA_COMPRESSION_ENABLE [9:9] compression: bool, "samples are compressed";
        CMASK_ENABLE [10:10] colour_mask: bool, "fast clears";
        INDEPENDENT_COLOR_CHANNEL_MASK_ENABLE [12:12] independent_masks: bool, "each buffer has a channel mask";
        WRITE_COMPRESSION_DISABLE [13:13] no_write_compression: bool, "not used";
        INDEPENDENT_COLORFORMAT_ENABLE [14:14] independent_formats: bool, "each buffer has a format";
    }
    Rb3dCblend "RB3D_CBLEND" 0x4E04, Fields, "blending of colour" {
        ALPHA_BLEND_ENABLE [0:0] enable: bool, "pixels are blended";
        SEPARATE_ALPHA_ENABLE [1:1] separate_alpha: bool, "alpha is blended as RB3D_ABLEND says";
        READ_ENABLE [2:2] read: bool, "the buffer is read";
        DISCARD_SRC_PIXELS [5:3] discard: u8, "which pixels change nothing";
        COMB_FCN [14:12] function: u8, "function";
        SRCBLEND [21:16] source: u8, "factor of the source";
        DESTBLEND [29:24] destination: u8, "factor of the destination";
        SRC_ALPHA_0_NO_READ [30:30] no_read_0: bool, "nothing is read where alpha is 0";
        SRC_ALPHA_1_NO_READ [31:31] no_read_1: bool, "nothing is read where alpha is 1";
    }
    Rb3dAblend "RB3D_ABLEND" 0x4E08, Fields, "blending of alpha" {
        COMB_FCN [14:12] function: u8, "function";
        SRCBLEND [21:16] source: u8, "factor of the source";
        DESTBLEND [29:24] destination: u8, "factor of the destination";
    }
    Rb3dColorChannelMask "RB3D_COLOR_CHANNEL_MASK" 0x4E0C, Fields, "channels that are written" {
        MASK_0 [3:0] mask_0: u8, "of buffer 0, or of all";
        MASK_1 [7:4] mask_1: u8, "of buffer 1";
        MASK_2 [11:8] mask_2: u8, "of buffer 2";
        MASK_3 [15:12] mask_3: u8, "of buffer 3";
    }
    Rb3dRopcntl "RB3D_ROPCNTL" 0x4E18, Fields, "logic operations" {
        ROP_ENABLE [2:2] enable: bool, "bits are combined";
        ROP [11:8] operation: u8, "truth table: bit 2 * source + destination";
    }
    Rb3dColoroffset "RB3D_COLOROFFSET" 0x4E28 [4, 4], Address, "where a colour buffer lies" { COLOROFFSET [31:5] offset: u32, "in units of 32 bytes"; }
    Rb3dColorpitch "RB3D_COLORPITCH" 0x4E38 [4, 4], Fields, "form of a colour buffer" {
        COLORPITCH [13:1] pitch: u16, "half of the pitch in pixels";
        COLORTILE [16:16] macro_tile: bool, "macro tiles";
        COLORMICROTILE [18:17] micro_tile: u8, "0: linear, 1: tiled, 2: square";
        COLORENDIAN [20:19] swap: u8, "order of bytes";
        COLORFORMAT [24:21] format: u8, "format";
    }
    Rb3dDstcacheCtlstat "RB3D_DSTCACHE_CTLSTAT" 0x4E4C, Bits ignored, "flushes the colour cache" { VALUE [31:0] value: u32, "bits"; }
    Rb3dDitherCtl "RB3D_DITHER_CTL" 0x4E50, Bits ignored, "dithering" { VALUE [31:0] value: u32, "0: low bits are dropped"; }
    Rb3dAaresolveOffset "RB3D_AARESOLVE_OFFSET" 0x4E80, Address, "where resolved pixels go" { OFFSET [31:5] offset: u32, "in units of 32 bytes"; }
    Rb3dAaresolvePitch "RB3D_AARESOLVE_PITCH" 0x4E84, Fields, "form of resolved pixels" { PITCH [13:1] pitch: u16, "half of the pitch in pixels"; }
    Rb3dAaresolveCtl "RB3D_AARESOLVE_CTL" 0x4E88, Fields, "resolving of samples" {
        AARESOLVE_MODE [0:0] resolve: bool, "draws resolve";
        AARESOLVE_GAMMA [1:1] gamma: bool, "averages are of linear light";
        AARESOLVE_ALPHA [2:2] average_alpha: bool, "alpha is averaged";
    }
    Rb3dDiscardLte "RB3D_DISCARD_SRC_PIXEL_LTE_THRESHOLD" 0x4EA0, Bits ignored, "which pixels change nothing, below" { VALUE [31:0] value: u32, "four channels"; }
    Rb3dDiscardGte "RB3D_DISCARD_SRC_PIXEL_GTE_THRESHOLD" 0x4EA4, Bits ignored, "which pixels change nothing, above" { VALUE [31:0] value: u32, "four channels"; }
    Rb3dConstantColorAr "RB3D_CONSTANT_COLOR_AR" 0x4EF8, Fields, "constant colour of blending" {
        RED [15:0] red: u16, "0.10 fixed point, or binary16";
        ALPHA [31:16] alpha: u16, "as above";
    }
    Rb3dConstantColorGb "RB3D_CONSTANT_COLOR_GB" 0x4EFC, Fields, "constant colour of blending" {
        BLUE [15:0] blue: u16, "0.10 fixed point, or binary16";
        GREEN [31:16] green: u16, "as above";
    }
}
