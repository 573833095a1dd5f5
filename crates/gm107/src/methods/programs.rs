//! 3D class: programs, their constants and textures, tessellation, transform feedback.

use ctm_card::registers;

registers! { "3D", PROGRAMS;
    TessMode "TESS_MODE" 0x0320, Fields, "how patches are divided" {
        PRIM [1:0] prim: u8, "0: isolines, 1: triangles, 2: quads";
        SPACING [5:4] spacing: u8, "0: equal, 1: fractional odd, 2: fractional even";
        CW [8:8] cw: bool, "triangles go with the clock; isolines are connected";
        CONNECTED [9:9] connected: bool, "triangles; else points";
    }
    TessLevelOuter "TESS_LEVEL_OUTER" 0x0324 [4, 4], Float, "levels of a patch's edges" { VALUE [31:0] value: u32, "binary32"; }
    TessLevelInner "TESS_LEVEL_INNER" 0x0334 [2, 4], Float, "levels of a patch's inside" { VALUE [31:0] value: u32, "binary32"; }
    PatchVertices "PATCH_VERTICES" 0x0DCC, Fields, "vertices of a patch" { VALUE [31:0] value: u32, "how many"; }
    FpControl "FP_CONTROL" 0x0360 [2, 4], Bits ignored, "scheduling of fragment programs" { VALUE [31:0] value: u32, "ignored"; }
    TfbEnable "TFB_ENABLE" 0x0744, Fields, "primitives are written to memory" { ENABLE [0:0] enable: bool, "they are"; }
    TfbBufferEnable "TFB_BUFFER_ENABLE" 0x0380 [4, 0x20], Fields, "a feedback buffer" { ENABLE [0:0] enable: bool, "it is written"; }
    TfbAddressHigh "TFB_ADDRESS_HIGH" 0x0384 [4, 0x20], Address, "where a feedback buffer lies: upper half" { HIGH [31:0] high: u32, "address"; }
    TfbAddressLow "TFB_ADDRESS_LOW" 0x0388 [4, 0x20], Address, "where a feedback buffer lies: lower half" { LOW [31:0] low: u32, "address"; }
    TfbBufferSize "TFB_BUFFER_SIZE" 0x038C [4, 0x20], Fields, "size of a feedback buffer" { BYTES [31:0] bytes: u32, "bytes"; }
    TfbBufferOffset "TFB_BUFFER_OFFSET" 0x0390 [4, 0x20], Fields, "where writing goes on in a feedback buffer" { BYTES [31:0] bytes: u32, "bytes"; }
    TfbStream "TFB_STREAM" 0x0700 [4, 0x10], Fields, "the stream of a feedback buffer" { STREAM [1:0] stream: u8, "number"; }
    TfbVaryingCount "TFB_VARYING_COUNT" 0x0704 [4, 0x10], Fields, "words of a vertex in a feedback buffer" { COUNT [7:0] count: u8, "words"; }
    TfbBufferStride "TFB_BUFFER_STRIDE" 0x0708 [4, 0x10], Fields, "from one vertex in a feedback buffer to the next" { BYTES [31:0] bytes: u32, "bytes"; }
    TfbVaryingLocs "TFB_VARYING_LOCS" 0x2800 [128, 4], Fields, "words of a vertex that feedback writes, 32 words for each buffer" {
        LOC0 [7:0] loc0: u8, "a quarter of its address; 255: none";
        LOC1 [15:8] loc1: u8, "likewise";
        LOC2 [23:16] loc2: u8, "likewise";
        LOC3 [31:24] loc3: u8, "likewise";
    }
    CodeAddressHigh "CODE_ADDRESS_HIGH" 0x1608, Address, "where programs lie: upper half" { HIGH [31:0] high: u32, "address"; }
    CodeAddressLow "CODE_ADDRESS_LOW" 0x160C, Address, "where programs lie: lower half" { LOW [31:0] low: u32, "address"; }
    SpSelect "SP_SELECT" 0x2000 [6, 0x40], Fields, "a stage's program" {
        ENABLE [0:0] enable: bool, "it runs";
        PROGRAM [7:4] program: u8, "the stage";
    }
    SpStartId "SP_START_ID" 0x2004 [6, 0x40], Fields, "where a stage's program begins" { OFFSET [31:0] offset: u32, "bytes from where programs lie"; }
    SpGprAlloc "SP_GPR_ALLOC" 0x200C [6, 0x40], Fields ignored, "registers of a stage's program" { COUNT [31:0] count: u32, "how many"; }
    CbSize "CB_SIZE" 0x2380, Fields, "size of the constant buffer that is written or bound" { BYTES [31:0] bytes: u32, "bytes"; }
    CbAddressHigh "CB_ADDRESS_HIGH" 0x2384, Address, "where that constant buffer lies: upper half" { HIGH [31:0] high: u32, "address"; }
    CbAddressLow "CB_ADDRESS_LOW" 0x2388, Address, "where that constant buffer lies: lower half" { LOW [31:0] low: u32, "address"; }
    CbPos "CB_POS" 0x238C, Fields, "where constants are written" { BYTES [31:0] bytes: u32, "bytes from the buffer's beginning"; }
    CbData "CB_DATA" 0x2390 [16, 4], Bits, "writes a constant" { DATA [31:0] data: u32, "four bytes"; }
    CbBind "CB_BIND" 0x2410 [5, 0x20], Fields, "binds a constant buffer to a stage" {
        VALID [0:0] valid: bool, "it is bound; else the bank is empty";
        INDEX [8:4] index: u8, "bank";
    }
    TexCbIndex "TEX_CB_INDEX" 0x2608, Fields, "the bank that handles of textures lie in" { INDEX [4:0] index: u8, "bank"; }
    TscAddressHigh "TSC_ADDRESS_HIGH" 0x155C, Address, "where samplers lie: upper half" { HIGH [31:0] high: u32, "address"; }
    TscAddressLow "TSC_ADDRESS_LOW" 0x1560, Address, "where samplers lie: lower half" { LOW [31:0] low: u32, "address"; }
    TscLimit "TSC_LIMIT" 0x1564, Fields, "the last sampler" { VALUE [31:0] value: u32, "number"; }
    TicAddressHigh "TIC_ADDRESS_HIGH" 0x1574, Address, "where textures lie: upper half" { HIGH [31:0] high: u32, "address"; }
    TicAddressLow "TIC_ADDRESS_LOW" 0x1578, Address, "where textures lie: lower half" { LOW [31:0] low: u32, "address"; }
    TicLimit "TIC_LIMIT" 0x157C, Fields, "the last texture" { VALUE [31:0] value: u32, "number"; }
    LinkedTsc "LINKED_TSC" 0x1234, Fields, "samplers have the numbers of textures" { ENABLE [0:0] enable: bool, "they have"; }
    TscFlush "TSC_FLUSH" 0x1330, Bits ignored, "forgets samplers" { VALUE [31:0] value: u32, "ignored"; }
    TicFlush "TIC_FLUSH" 0x1334, Bits ignored, "forgets textures" { VALUE [31:0] value: u32, "ignored"; }
    TexCacheCtl "TEX_CACHE_CTL" 0x1338, Bits ignored, "forgets texels" { VALUE [31:0] value: u32, "ignored"; }
    TexLimits "TEX_LIMITS" 0x2200 [5, 0x10], Bits ignored, "textures of a stage" { VALUE [31:0] value: u32, "ignored"; }
}
