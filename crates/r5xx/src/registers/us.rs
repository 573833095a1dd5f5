//! The fragment processor and what follows it: US and FG.

use super::codes::AlphaFunction;
use ctm_card::registers;

registers! { "US", US;
    UsConfig "US_CONFIG" 0x4600, Fields, "number rules" {
        ZERO_TIMES_ANYTHING_EQUALS_ZERO [1:1] zero_times_anything: bool, "zero times anything is zero";
    }
    UsPixsize "US_PIXSIZE" 0x4604, Fields, "size of fragments" { PIX_SIZE [6:0] last_temporary: u8, "greatest number of a temporary"; }
    UsFcBoolConst "US_FC_BOOL_CONST" 0x4620, Bits, "boolean constants" { VALUE [31:0] value: u32, "a bit each"; }
    UsFcCtrl "US_FC_CTRL" 0x4624, Fields, "flow control" {
        TEST_EN [30:30] test: bool, "test mode";
        FULL_FC_EN [31:31] full: bool, "loops and subroutines";
    }
    UsCodeAddr "US_CODE_ADDR" 0x4630, Fields, "the program" {
        START_ADDR [8:0] start: u16, "first instruction";
        END_ADDR [24:16] end: u16, "last instruction";
    }
    UsCodeRange "US_CODE_RANGE" 0x4634, Fields, "the program's part of the code memory" {
        CODE_ADDR [8:0] start: u16, "first instruction";
        CODE_SIZE [24:16] size: u16, "number of instructions - 1";
    }
    UsCodeOffset "US_CODE_OFFSET" 0x4638, Fields, "what is added to addresses" { OFFSET_ADDR [8:0] offset: u16, "instructions"; }
    UsOutFmt "US_OUT_FMT" 0x46A4 [4, 4], Fields, "form of an output" {
        OUT_FMT [4:0] format: u8, "format";
        C0_SEL [9:8] c0: u8, "what C0 is: 0 alpha, 1 red, 2 green, 3 blue";
        C1_SEL [11:10] c1: u8, "what C1 is";
        C2_SEL [13:12] c2: u8, "what C2 is";
        C3_SEL [15:14] c3: u8, "what C3 is";
        OUT_SIGN [19:16] signed: u8, "channels with a sign, a bit each";
    }
    UsWFmt "US_W_FMT" 0x46B4, Fields, "form of W" {
        W_FMT [1:0] format: u8, "0: zero, 1: 24-bit fixed point, 2: 24-bit floating point";
        W_SRC [2:2] source: bool, "where W comes from";
    }
    FgFogBlend "FG_FOG_BLEND" 0x4BC0, Fields, "fog" { ENABLE [0:0] enable: bool, "fog is applied"; }
    FgAlphaFunc "FG_ALPHA_FUNC" 0x4BD4, Fields, "the alpha test" {
        AF_VAL [7:0] reference: u8, "reference";
        AF_FUNC [10:8] function: AlphaFunction, "which fragments pass";
        AF_EN [11:11] enable: bool, "the test is made";
        AF_EN_8BIT [12:12] eight_bits: bool, "8 bits are compared";
        AM_EN [16:16] to_mask: bool, "alpha makes a sample mask";
        AM_CFG [17:17] mask_config: bool, "3 or 6 samples";
        DITH_EN [20:20] dither: bool, "alpha is dithered";
        FP16_EN [28:28] float16: bool, "binary16 numbers are compared";
    }
    FgDepthSrc "FG_DEPTH_SRC" 0x4BD8, Fields, "where depth comes from" { DEPTH_SRC [0:0] program: bool, "the program's W"; }
    FgAlphaValue "FG_ALPHA_VALUE" 0x4BE0, Fields, "the reference of the alpha test" { AF_VAL [15:0] reference: u16, "binary16"; }
    FgZbregDest "FG_ZBREG_DEST" 0x4BE8, Fields, "depth units that take register writes, on RV530" { SELECT [1:0] units: u8, "a bit each"; }
    UsFcIntConst "US_FC_INT_CONST" 0x4C00 [32, 4], Fields, "an integer constant" {
        KR [7:0] count: u8, "passes of a loop";
        KG [15:8] start: u8, "aL in the first pass";
        KB [23:16] step: u8, "what a pass adds, signed";
    }
}
