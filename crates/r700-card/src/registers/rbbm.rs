//! RBBM and CP: waits and the command processor.

use ctm_card::registers;

registers! { "RBBM", RBBM;
    WaitUntil "WAIT_UNTIL" 0x08040, Bits ignored, "waits until units are idle" {
        WAIT_CP_DMA_IDLE [8:8] wait_cp_dma_idle: bool, "copies of the command processor";
        WAIT_CMDFIFO [10:10] wait_cmdfifo: bool, "the queue of commands";
        WAIT_2D_IDLE [14:14] wait_2d_idle: bool, "2D units";
        WAIT_3D_IDLE [15:15] wait_3d_idle: bool, "3D units";
        WAIT_2D_IDLECLEAN [16:16] wait_2d_idleclean: bool, "2D units, with empty caches";
        WAIT_3D_IDLECLEAN [17:17] wait_3d_idleclean: bool, "3D units, with empty caches";
        WAIT_EXTERN_SIG [19:19] wait_extern_sig: bool, "a signal from outside";
        CMDFIFO_ENTRIES [24:20] cmdfifo_entries: u8, "how full the queue may be";
    }
    CpStrmoutCntl "CP_STRMOUT_CNTL" 0x08490, Bits ignored, "whether streamout's offsets are up to date" { VALUE [31:0] value: u32, "bits"; }
}
