//! 3D class: colour targets, depth buffer, clears.

use ctm_card::registers;

registers! { "3D", TARGETS;
    RtAddressHigh "RT_ADDRESS_HIGH_*" 0x0800 [8, 0x40], Address, "where a colour target lies: upper half" { HIGH [31:0] high: u32, "address"; }
    RtAddressLow "RT_ADDRESS_LOW_*" 0x0804 [8, 0x40], Address, "where a colour target lies: lower half" { LOW [31:0] low: u32, "address"; }
    RtHoriz "RT_HORIZ_*" 0x0808 [8, 0x40], Fields, "width of a colour target: pixels, or bytes of a row if it is linear" { WIDTH [31:0] width: u32, "pixels or bytes"; }
    RtVert "RT_VERT_*" 0x080C [8, 0x40], Fields, "height of a colour target" { HEIGHT [31:0] height: u32, "rows"; }
    RtFormat "RT_FORMAT_*" 0x0810 [8, 0x40], Fields, "format of a colour target" { FORMAT [7:0] format: u8, "0: there is no target"; }
    RtTileMode "RT_TILE_MODE_*" 0x0814 [8, 0x40], Fields, "layout of a colour target" {
        HEIGHT_LOG2 [7:4] height_log2: u8, "GOBs of a block's height";
        DEPTH_LOG2 [11:8] depth_log2: u8, "GOBs of a block's depth";
        LINEAR [12:12] linear: bool, "row by row";
        VOLUME [16:16] volume: bool, "layers are slices";
    }
    RtArrayMode "RT_ARRAY_MODE_*" 0x0818 [8, 0x40], Fields, "layers of a colour target" {
        LAYERS [15:0] layers: u16, "how many";
        VOLUME [16:16] volume: bool, "they are slices";
    }
    RtLayerStride "RT_LAYER_STRIDE_*" 0x081C [8, 0x40], Fields, "from one layer of a colour target to the next" { WORDS [31:0] words: u32, "words"; }
    RtBaseLayer "RT_BASE_LAYER_*" 0x0820 [8, 0x40], Fields, "the first layer of a colour target" { LAYER [15:0] layer: u16, "number"; }
    ZetaAddressHigh "ZETA_ADDRESS_HIGH" 0x0FE0, Address, "where the depth buffer lies: upper half" { HIGH [31:0] high: u32, "address"; }
    ZetaAddressLow "ZETA_ADDRESS_LOW" 0x0FE4, Address, "where the depth buffer lies: lower half" { LOW [31:0] low: u32, "address"; }
    ZetaFormat "ZETA_FORMAT" 0x0FE8, Fields, "format of the depth buffer" { FORMAT [7:0] format: u8, "format"; }
    ZetaTileMode "ZETA_TILE_MODE" 0x0FEC, Fields, "layout of the depth buffer" {
        HEIGHT_LOG2 [7:4] height_log2: u8, "GOBs of a block's height";
        DEPTH_LOG2 [11:8] depth_log2: u8, "GOBs of a block's depth";
    }
    ZetaLayerStride "ZETA_LAYER_STRIDE" 0x0FF0, Fields, "from one layer of the depth buffer to the next" { WORDS [31:0] words: u32, "words"; }
    ZetaHoriz "ZETA_HORIZ" 0x1228, Fields, "width of the depth buffer" { WIDTH [31:0] width: u32, "pixels"; }
    ZetaVert "ZETA_VERT" 0x122C, Fields, "height of the depth buffer" { HEIGHT [31:0] height: u32, "rows"; }
    ZetaArrayMode "ZETA_ARRAY_MODE" 0x1230, Fields, "layers of the depth buffer" {
        LAYERS [15:0] layers: u16, "how many";
        VOLUME [16:16] volume: bool, "they are slices";
    }
    ZetaBaseLayer "ZETA_BASE_LAYER" 0x179C, Fields, "the first layer of the depth buffer" { LAYER [15:0] layer: u16, "number"; }
    ZetaEnable "ZETA_ENABLE" 0x1538, Fields, "there is a depth buffer" { ENABLE [0:0] enable: bool, "it is there"; }
    ZetaCompEnable "ZETA_COMP_ENABLE" 0x19CC, Bits ignored, "depth is compressed" { VALUE [31:0] value: u32, "ignored"; }
    RtCompEnable "RT_COMP_ENABLE_*" 0x19E0 [8, 4], Bits ignored, "colour is compressed" { VALUE [31:0] value: u32, "ignored"; }
    RtSeparateFragData "RT_SEPARATE_FRAG_DATA" 0x0FAC, Fields, "every output has a target of its own" { ENABLE [0:0] enable: bool, "it has"; }
    RtControl "RT_CONTROL" 0x121C, Fields, "which targets there are" {
        COUNT [3:0] count: u8, "how many";
        MAP0 [6:4] map0: u8, "the target of output 0";
        MAP1 [9:7] map1: u8, "the target of output 1";
        MAP2 [12:10] map2: u8, "the target of output 2";
        MAP3 [15:13] map3: u8, "the target of output 3";
        MAP4 [18:16] map4: u8, "the target of output 4";
        MAP5 [21:19] map5: u8, "the target of output 5";
        MAP6 [24:22] map6: u8, "the target of output 6";
        MAP7 [27:25] map7: u8, "the target of output 7";
    }
    ClearColor "CLEAR_COLOR" 0x0D80 [4, 4], Float, "what colour targets are cleared to: red, green, blue, alpha" { VALUE [31:0] value: u32, "binary32, or an integer"; }
    ClearDepth "CLEAR_DEPTH" 0x0D90, Float, "what depth is cleared to" { VALUE [31:0] value: u32, "binary32"; }
    ClearStencil "CLEAR_STENCIL" 0x0DA0, Fields, "what stencil values are cleared to" { VALUE [7:0] value: u8, "value"; }
    ClearFlags "CLEAR_FLAGS" 0x10F8, Fields, "what clears obey besides the screen scissor" {
        STENCIL_MASK [0:0] stencil_mask: bool, "the mask of stencil values";
        SCISSOR [8:8] scissor: bool, "the scissor of viewport 0";
        VIEWPORT [12:12] viewport: bool, "viewport 0";
    }
    ClearBuffers "CLEAR_BUFFERS" 0x19D0, Fields, "clears" {
        Z [0:0] z: bool, "depth";
        S [1:1] s: bool, "stencil values";
        R [2:2] r: bool, "red";
        G [3:3] g: bool, "green";
        B [4:4] b: bool, "blue";
        A [5:5] a: bool, "alpha";
        RT [9:6] rt: u8, "the colour target";
        LAYER [20:10] layer: u16, "the layer, from the first one on";
    }
    Layer "LAYER" 0x15CC, Fields, "the layer that is drawn to" {
        LAYER [15:0] layer: u16, "number";
        USE_GP [16:16] use_gp: bool, "programs say which";
    }
}
