//! 2D class.

use super::codes::{BlitOperation, ConditionMode};
use ctm_card::registers;

registers! { "2D", TWO_D;
    DstFormat "DST_FORMAT" 0x0200, Fields, "format of the destination" { FORMAT [7:0] format: u8, "format of surfaces"; }
    DstLinear "DST_LINEAR" 0x0204, Fields, "layout of the destination" { LINEAR [0:0] linear: bool, "row by row"; }
    DstTileMode "DST_TILE_MODE" 0x0208, Fields, "blocks of the destination" {
        HEIGHT_LOG2 [7:4] height_log2: u8, "GOBs of a block's height";
        DEPTH_LOG2 [11:8] depth_log2: u8, "GOBs of a block's depth";
    }
    DstDepth "DST_DEPTH" 0x020C, Fields, "slices of the destination" { DEPTH [31:0] depth: u32, "how many"; }
    DstLayer "DST_LAYER" 0x0210, Fields, "slice of the destination" { LAYER [31:0] layer: u32, "number"; }
    DstPitch "DST_PITCH" 0x0214, Fields, "from one row of a linear destination to the next" { BYTES [31:0] bytes: u32, "bytes"; }
    DstWidth "DST_WIDTH" 0x0218, Fields, "width of the destination" { WIDTH [31:0] width: u32, "samples"; }
    DstHeight "DST_HEIGHT" 0x021C, Fields, "height of the destination" { HEIGHT [31:0] height: u32, "samples"; }
    DstAddressHigh "DST_ADDRESS_HIGH" 0x0220, Address, "where the destination lies: upper half" { HIGH [31:0] high: u32, "address"; }
    DstAddressLow "DST_ADDRESS_LOW" 0x0224, Address, "where the destination lies: lower half" { LOW [31:0] low: u32, "address"; }
    SrcFormat "SRC_FORMAT" 0x0230, Fields, "format of the source" { FORMAT [7:0] format: u8, "format of surfaces"; }
    SrcLinear "SRC_LINEAR" 0x0234, Fields, "layout of the source" { LINEAR [0:0] linear: bool, "row by row"; }
    SrcTileMode "SRC_TILE_MODE" 0x0238, Fields, "blocks of the source" {
        HEIGHT_LOG2 [7:4] height_log2: u8, "GOBs of a block's height";
        DEPTH_LOG2 [11:8] depth_log2: u8, "GOBs of a block's depth";
    }
    SrcDepth "SRC_DEPTH" 0x023C, Fields, "slices of the source" { DEPTH [31:0] depth: u32, "how many"; }
    SrcLayer "SRC_LAYER" 0x0240, Fields, "slice of the source" { LAYER [31:0] layer: u32, "number"; }
    SrcPitch "SRC_PITCH" 0x0244, Fields, "from one row of a linear source to the next" { BYTES [31:0] bytes: u32, "bytes"; }
    SrcWidth "SRC_WIDTH" 0x0248, Fields, "width of the source" { WIDTH [31:0] width: u32, "samples"; }
    SrcHeight "SRC_HEIGHT" 0x024C, Fields, "height of the source" { HEIGHT [31:0] height: u32, "samples"; }
    SrcAddressHigh "SRC_ADDRESS_HIGH" 0x0250, Address, "where the source lies: upper half" { HIGH [31:0] high: u32, "address"; }
    SrcAddressLow "SRC_ADDRESS_LOW" 0x0254, Address, "where the source lies: lower half" { LOW [31:0] low: u32, "address"; }
    TwoDUnk0258 "UNK0258" 0x0258, Bits ignored, "constant" { VALUE [31:0] value: u32, "ignored"; }
    Unk0260 "UNK0260" 0x0260, Bits ignored, "Mesa sets it once" { VALUE [31:0] value: u32, "ignored"; }
    TwoDCondAddressHigh "COND_ADDRESS_HIGH" 0x0264, Address, "what a condition looks at: upper half" { HIGH [31:0] high: u32, "address"; }
    TwoDCondAddressLow "COND_ADDRESS_LOW" 0x0268, Address, "what a condition looks at: lower half" { LOW [31:0] low: u32, "address"; }
    TwoDCondMode "COND_MODE" 0x026C, Fields, "when blits are done" { MODE [31:0] mode: ConditionMode, "mode"; }
    ClipX "CLIP_X" 0x0280, Fields, "clip of the destination: first column" { VALUE [31:0] value: u32, "column"; }
    ClipY "CLIP_Y" 0x0284, Fields, "clip of the destination: first row" { VALUE [31:0] value: u32, "row"; }
    ClipW "CLIP_W" 0x0288, Fields, "clip of the destination: width" { VALUE [31:0] value: u32, "columns"; }
    ClipH "CLIP_H" 0x028C, Fields, "clip of the destination: height" { VALUE [31:0] value: u32, "rows"; }
    ClipEnable "CLIP_ENABLE" 0x0290, Fields, "the destination is clipped" { ENABLE [0:0] enable: bool, "it is"; }
    ColorKeyFormat "COLOR_KEY_FORMAT" 0x0294 [2, 4], Bits ignored, "colours that are left out" { VALUE [31:0] value: u32, "ignored"; }
    ColorKeyEnable "COLOR_KEY_ENABLE" 0x029C, Bits ignored, "a colour is left out" { VALUE [31:0] value: u32, "ignored"; }
    Rop "ROP" 0x02A0, Fields, "raster operation" { ROP [7:0] rop: u8, "a bit for each case of pattern, source and destination"; }
    Beta1 "BETA1" 0x02A4, Bits ignored, "factor of all components" { VALUE [31:0] value: u32, "ignored"; }
    Beta4 "BETA4" 0x02A8, Fields, "factors of components" {
        B [7:0] b: u8, "blue";
        G [15:8] g: u8, "green";
        R [23:16] r: u8, "red";
        A [31:24] a: u8, "alpha";
    }
    Operation "OPERATION" 0x02AC, Fields, "what is done with source and destination" { OPERATION [2:0] operation: BlitOperation, "operation"; }
    TwoDUnk02b8 "UNK02B8" 0x02B8, Bits ignored, "the destination is depth" { VALUE [31:0] value: u32, "ignored"; }
    PatternOffset "PATTERN_OFFSET" 0x02B0 [2, 4], Bits ignored, "where the pattern begins" { VALUE [31:0] value: u32, "ignored"; }
    PatternColorFormat "PATTERN_COLOR_FORMAT" 0x02E8, Bits ignored, "format of the pattern's colours" { VALUE [31:0] value: u32, "ignored"; }
    PatternBitmapFormat "PATTERN_BITMAP_FORMAT" 0x02EC, Bits ignored, "order of the pattern's bits" { VALUE [31:0] value: u32, "ignored"; }
    PatternColor "PATTERN_COLOR" 0x02F0 [2, 4], Bits, "colours of the pattern" { VALUE [31:0] value: u32, "bits"; }
    PatternBitmap "PATTERN_BITMAP" 0x02F8 [2, 4], Bits, "bits of the pattern" { VALUE [31:0] value: u32, "bits"; }
    BlitControl "BLIT_CONTROL" 0x088C, Fields, "how the source is sampled" {
        ORIGIN_CORNER [0:0] origin_corner: bool, "texel centres lie on halves";
        BILINEAR [4:4] bilinear: bool, "of four texels";
    }
    BlitDstX "BLIT_DST_X" 0x08B0, Fields, "first column of a blit" { VALUE [31:0] value: u32, "column"; }
    BlitDstY "BLIT_DST_Y" 0x08B4, Fields, "first row of a blit" { VALUE [31:0] value: u32, "row"; }
    BlitDstW "BLIT_DST_W" 0x08B8, Fields, "width of a blit" { VALUE [31:0] value: u32, "columns"; }
    BlitDstH "BLIT_DST_H" 0x08BC, Fields, "height of a blit" { VALUE [31:0] value: u32, "rows"; }
    BlitDuDxFract "BLIT_DU_DX_FRACT" 0x08C0, Bits, "columns of the source for each column: fraction" { VALUE [31:0] value: u32, "of 2^32"; }
    BlitDuDxInt "BLIT_DU_DX_INT" 0x08C4, Fields, "columns of the source for each column" { VALUE [31:0] value: u32, "columns"; }
    BlitDvDyFract "BLIT_DV_DY_FRACT" 0x08C8, Bits, "rows of the source for each row: fraction" { VALUE [31:0] value: u32, "of 2^32"; }
    BlitDvDyInt "BLIT_DV_DY_INT" 0x08CC, Fields, "rows of the source for each row" { VALUE [31:0] value: u32, "rows"; }
    BlitSrcXFract "BLIT_SRC_X_FRACT" 0x08D0, Bits, "first column of the source: fraction" { VALUE [31:0] value: u32, "of 2^32"; }
    BlitSrcXInt "BLIT_SRC_X_INT" 0x08D4, Fields, "first column of the source" { VALUE [31:0] value: u32, "column"; }
    BlitSrcYFract "BLIT_SRC_Y_FRACT" 0x08D8, Bits, "first row of the source: fraction" { VALUE [31:0] value: u32, "of 2^32"; }
    BlitSrcYInt "BLIT_SRC_Y_INT" 0x08DC, Fields, "first row of the source; blits" { VALUE [31:0] value: u32, "row"; }
    TwoDUnk0884 "UNK0884" 0x0884, Bits ignored, "constant" { VALUE [31:0] value: u32, "ignored"; }
    TwoDUnk0888 "UNK0888" 0x0888, Bits ignored, "constant" { VALUE [31:0] value: u32, "ignored"; }
}
