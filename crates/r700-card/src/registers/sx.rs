//! SX: what is between pixel programs and targets.

use super::codes::Function;
use ctm_card::registers;

registers! { "SX", SX;
    SxMisc "SX_MISC" 0x28350, Bits ignored, "how many pixels" { VALUE [31:0] value: u32, "bits"; }
    SxSurfaceSync "SX_SURFACE_SYNC" 0x28354, Bits ignored, "which surfaces wait for each other" { VALUE [31:0] value: u32, "bits"; }
    SxAlphaTestControl "SX_ALPHA_TEST_CONTROL" 0x28410, Fields, "alpha test" {
        ALPHA_FUNC [2:0] alpha_func: Function, "comparison with SX_ALPHA_REF";
        ALPHA_TEST_ENABLE [3:3] alpha_test_enable: bool, "pixels are tested";
        ALPHA_TEST_BYPASS [8:8] alpha_test_bypass: bool, "and yet are not";
    }
    SxAlphaRef "SX_ALPHA_REF" 0x28438, Float, "what alpha is compared with" { VALUE [31:0] value: u32, "binary32"; }
}
