//! Scan conversion and interpolation: SC and RS.

use ctm_card::registers;

registers! { "SC", SC;
    RsIp "RS_IP" 0x4074 [8, 4], Fields, "what an interpolator takes" {
        TEX_PTR_S [5:0] s: u8, "component that is S; 62: 0.0, 63: 1.0";
        TEX_PTR_T [11:6] t: u8, "component that is T";
        TEX_PTR_R [17:12] r: u8, "component that is R";
        TEX_PTR_Q [23:18] q: u8, "component that is Q";
        COL_PTR [26:24] colour: u8, "colour";
        COL_FMT [30:27] format: u8, "which of its channels are constant";
        OFFSET_EN [31:31] offset: bool, "not used";
    }
    RsCount "RS_COUNT" 0x4300, Fields, "what is interpolated" {
        IT_COUNT [6:0] components: u8, "components of texture coordinates";
        IC_COUNT [10:7] colours: u8, "colours";
        W_ADDR [17:12] w_address: u8, "where W goes";
        HIRES_EN [18:18] high_resolution: bool, "more bits";
    }
    RsInstCount "RS_INST_COUNT" 0x4304, Fields, "instructions of the interpolator" {
        INST_COUNT [3:0] last: u8, "number of the last";
        TX_OFFSET [7:5] offset: u8, "offset of texture coordinates";
    }
    RsInst "RS_INST" 0x4320 [16, 4], Fields, "an instruction of the interpolator" {
        TEX_ID [3:0] texture: u8, "interpolator with the texture coordinate";
        TEX_CN [4:4] writes_texture: bool, "it is written to a temporary";
        TEX_ADDR [11:5] texture_address: u8, "number of that temporary";
        COL_ID [15:12] colour: u8, "interpolator with the colour";
        COL_CN [17:16] writes_colour: u8, "0: nothing, 1: the colour, 2: the position, 3: the facing is written to a temporary";
        COL_ADDR [24:18] colour_address: u8, "number of that temporary";
        TEX_ADJ [25:25] adjusted: bool, "sampled at the centre of what is covered";
        W_CN [26:26] writes_w: bool, "W is written";
    }
    ScHyperz "SC_HYPERZ" 0x43A4, Bits ignored, "coarse depth test" { VALUE [31:0] value: u32, "bits"; }
    ScEdgerule "SC_EDGERULE" 0x43A8, Fields, "samples exactly on edges" {
        ER_TRI [4:0] triangles: u8, "triangles";
        ER_POINT [9:5] points: u8, "points";
        ER_LINE_LR [14:10] lines_right: u8, "lines from left to right";
        ER_LINE_RL [19:15] lines_left: u8, "lines from right to left";
        ER_LINE_TB [24:20] lines_down: u8, "lines from top to bottom";
        ER_LINE_BT [29:25] lines_up: u8, "lines from bottom to top";
    }
    ScCliprectTl "SC_CLIPRECT_TL" 0x43B0 [4, 8], Fields, "upper left corner of a clip rectangle" {
        X [12:0] x: u16, "column";
        Y [25:13] y: u16, "row";
    }
    ScCliprectBr "SC_CLIPRECT_BR" 0x43B4 [4, 8], Fields, "lower right corner of a clip rectangle, inclusive" {
        X [12:0] x: u16, "column";
        Y [25:13] y: u16, "row";
    }
    ScClipRule "SC_CLIP_RULE" 0x43D0, Fields, "which pixels are visible" {
        CLIP_RULE [15:0] rule: u16, "bit k: those whose four flags, inside of rectangle n or not, are k";
    }
    ScScissorsTl "SC_SCISSORS_TL" 0x43E0, Fields, "upper left corner of the framebuffer" {
        X [12:0] x: u16, "column";
        Y [25:13] y: u16, "row";
    }
    ScScissorsBr "SC_SCISSORS_BR" 0x43E4, Fields, "lower right corner of the framebuffer, inclusive" {
        X [12:0] x: u16, "column";
        Y [25:13] y: u16, "row";
    }
    ScScreendoor "SC_SCREENDOOR" 0x43E8, Fields, "sample mask of the pixels of a quad, six bits each" {
        SCREENDOOR [23:0] mask: u32, "samples that may be covered";
    }
}
