//! Registers that belong to no unit of the pipeline.

use ctm_card::registers;

registers! { "RBBM", RBBM;
    WaitUntil "WAIT_UNTIL" 0x1720, Bits ignored, "waits until units are idle" { VALUE [31:0] value: u32, "bits"; }
}
