//! The texture unit.

use ctm_card::registers;

registers! { "TX", TX;
    TxInvaltags "TX_INVALTAGS" 0x4100, Bits ignored, "empties the texture cache" { VALUE [31:0] value: u32, "anything"; }
    TxEnable "TX_ENABLE" 0x4104, Fields, "textures in use" { TEX_ENABLE [15:0] units: u16, "a bit each"; }
    TxFilter0 "TX_FILTER0" 0x4400 [16, 4], Fields, "wraps and filters" {
        CLAMP_S [2:0] wrap_s: u8, "wrap of S";
        CLAMP_T [5:3] wrap_t: u8, "wrap of T";
        CLAMP_R [8:6] wrap_r: u8, "wrap of R";
        MAG_FILTER [10:9] magnification: u8, "0: filter4, 1: point, 2: linear, 3: anisotropic";
        MIN_FILTER [12:11] minification: u8, "as above";
        MIP_FILTER [14:13] mip: u8, "0: none, 1: point, 2: linear";
        VOL_FILTER [16:15] volume: u8, "0: as MAG and MIN say";
        MAX_MIP_LEVEL [20:17] finest: u8, "finest level";
        MAX_ANISO [23:21] anisotropy: u8, "binary logarithm";
        ID [31:28] id: u8, "number of the texture";
    }
    TxFilter1 "TX_FILTER1" 0x4440 [16, 4], Fields, "more of filters" {
        CHROMA_KEY_MODE [1:0] chroma_key: u8, "0: none";
        MC_ROUND [2:2] round: bool, "rounding of motion compensation";
        LOD_BIAS [12:3] bias: u16, "signed, in 32nds of a level";
        TRI_PERF [16:15] trilinear: u8, "threshold of trilinear filters";
        DXTC_SWIZZLE [21:21] blocks_bgr: bool, "blocks of DXT give B, G, R, A";
        MACRO_SWITCH [22:22] macro_switch: bool, "0: as R350 and later";
        BORDER_FIX [31:31] border_fix: bool, "borders of linear filters";
    }
    TxFormat0 "TX_FORMAT0" 0x4480 [16, 4], Fields, "size" {
        TXWIDTH [10:0] width: u16, "width - 1, low bits";
        TXHEIGHT [21:11] height: u16, "height - 1, low bits";
        TXDEPTH [25:22] depth: u8, "binary logarithm of the depth";
        NUM_LEVELS [29:26] last_level: u8, "coarsest level";
        PROJECTED [30:30] projected: bool, "not used";
        TXPITCH_EN [31:31] has_pitch: bool, "the pitch is that of TX_FORMAT2";
    }
    TxFormat1 "TX_FORMAT1" 0x44C0 [16, 4], Fields, "format" {
        TXFORMAT [4:0] format: u8, "format of texels, low bits";
        SIGNED_COMP0 [5:5] signed_0: bool, "component 0 has a sign";
        SIGNED_COMP1 [6:6] signed_1: bool, "component 1 has a sign";
        SIGNED_COMP2 [7:7] signed_2: bool, "component 2 has a sign";
        SIGNED_COMP3 [8:8] signed_3: bool, "component 3 has a sign";
        SEL_ALPHA [11:9] alpha: u8, "what alpha is: 0 to 3 component, 4 zero, 5 one";
        SEL_RED [14:12] red: u8, "what red is";
        SEL_GREEN [17:15] green: u8, "what green is";
        SEL_BLUE [20:18] blue: u8, "what blue is";
        GAMMA [21:21] gamma: bool, "red, green and blue are sRGB";
        YUV_TO_RGB [23:22] yuv: u8, "conversion of YUV";
        SWAP_YUV [24:24] swap_yuv: bool, "order of YUV";
        TEX_COORD_TYPE [26:25] kind: u8, "0: 2D, 1: 3D, 2: cube";
        CACHE [31:27] cache: u8, "share of the cache";
    }
    TxFormat2 "TX_FORMAT2" 0x4500 [16, 4], Fields, "pitch, and high bits" {
        TXPITCH [13:0] pitch: u16, "pitch - 1 in texels";
        TXFORMAT_MSB [14:14] format_high: bool, "bit 5 of the format";
        TXWIDTH_11 [15:15] width_high: bool, "bit 11 of width - 1";
        TXHEIGHT_11 [16:16] height_high: bool, "bit 11 of height - 1";
        POW2FIX2FLT [17:17] fix_to_float: bool, "coordinates of powers of two";
        SEL_FILTER4 [19:18] filter4: u8, "kernel of filter4";
    }
    TxOffset "TX_OFFSET" 0x4540 [16, 4], Address, "where level 0 lies, with bits of tiling" {
        ENDIAN_SWAP [1:0] swap: u8, "order of bytes";
        MACRO_TILE [2:2] macro_tile: bool, "macro tiles";
        MICRO_TILE [4:3] micro_tile: u8, "0: linear, 1: tiled, 2: square";
        TXOFFSET [31:5] offset: u32, "address in units of 32 bytes";
    }
    TxChromaKey "TX_CHROMA_KEY" 0x4580 [16, 4], Bits ignored, "key colour" { VALUE [31:0] value: u32, "texel"; }
    TxBorderColor "TX_BORDER_COLOR" 0x45C0 [16, 4], Bits, "border colour" { VALUE [31:0] value: u32, "texel"; }
}
