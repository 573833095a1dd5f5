//! Compute class.

use super::codes::ConditionMode;
use ctm_card::registers;

registers! { "compute", COMPUTE;
    ComputeSharedBase "SHARED_BASE" 0x0214, Bits ignored, "window of shared memory" { VALUE [31:0] value: u32, "ignored"; }
    ComputeMemBarrier "MEM_BARRIER" 0x021C, Bits ignored, "waits for stores" { VALUE [31:0] value: u32, "ignored"; }
    ComputeUnk0248 "UNK0248" 0x0248, Bits ignored, "set at the start" { VALUE [31:0] value: u32, "ignored"; }
    LaunchDescAddress "LAUNCH_DESC_ADDRESS" 0x02B4, Bits, "where the description of a launch lies" { ADDRESS [31:0] address: u32, "in units of 256 bytes"; }
    Launch "LAUNCH" 0x02BC, Bits, "launches a program" { VALUE [31:0] value: u32, "3"; }
    ComputeTempSize "MP_TEMP_SIZE" 0x02E4 [6, 4], Bits ignored, "size of local memory" { VALUE [31:0] value: u32, "ignored"; }
    ComputeUnk0310 "UNK0310" 0x0310, Bits ignored, "constant" { VALUE [31:0] value: u32, "ignored"; }
    ComputeLocalBase "LOCAL_BASE" 0x077C, Bits ignored, "window of local memory" { VALUE [31:0] value: u32, "ignored"; }
    ComputeTempAddress "TEMP_ADDRESS" 0x0790 [2, 4], Bits ignored, "where local memory lies" { VALUE [31:0] value: u32, "ignored"; }
    ComputeTscFlush "TSC_FLUSH" 0x1330, Bits ignored, "forgets samplers" { VALUE [31:0] value: u32, "ignored"; }
    ComputeTicFlush "TIC_FLUSH" 0x1334, Bits ignored, "forgets textures" { VALUE [31:0] value: u32, "ignored"; }
    ComputeTexCacheCtl "TEX_CACHE_CTL" 0x1338, Bits ignored, "forgets texels" { VALUE [31:0] value: u32, "ignored"; }
    ComputeCondAddressHigh "COND_ADDRESS_HIGH" 0x1550, Address, "what a condition looks at: upper half" { HIGH [31:0] high: u32, "address"; }
    ComputeCondAddressLow "COND_ADDRESS_LOW" 0x1554, Address, "what a condition looks at: lower half" { LOW [31:0] low: u32, "address"; }
    ComputeCondMode "COND_MODE" 0x1558, Fields, "when programs are launched" { MODE [31:0] mode: ConditionMode, "mode"; }
    ComputeTscAddressHigh "TSC_ADDRESS_HIGH" 0x155C, Address, "where samplers lie: upper half" { HIGH [31:0] high: u32, "address"; }
    ComputeTscAddressLow "TSC_ADDRESS_LOW" 0x1560, Address, "where samplers lie: lower half" { LOW [31:0] low: u32, "address"; }
    ComputeTscLimit "TSC_LIMIT" 0x1564, Fields, "the last sampler" { VALUE [31:0] value: u32, "number"; }
    ComputeTicAddressHigh "TIC_ADDRESS_HIGH" 0x1574, Address, "where textures lie: upper half" { HIGH [31:0] high: u32, "address"; }
    ComputeTicAddressLow "TIC_ADDRESS_LOW" 0x1578, Address, "where textures lie: lower half" { LOW [31:0] low: u32, "address"; }
    ComputeTicLimit "TIC_LIMIT" 0x157C, Fields, "the last texture" { VALUE [31:0] value: u32, "number"; }
    ComputeCodeAddressHigh "CODE_ADDRESS_HIGH" 0x1608, Address, "where programs lie: upper half" { HIGH [31:0] high: u32, "address"; }
    ComputeCodeAddressLow "CODE_ADDRESS_LOW" 0x160C, Address, "where programs lie: lower half" { LOW [31:0] low: u32, "address"; }
    ComputeFlush "FLUSH" 0x1698, Bits ignored, "empties caches" { VALUE [31:0] value: u32, "ignored"; }
    ComputeTexCbIndex "TEX_CB_INDEX" 0x2608, Fields, "the bank that handles of textures lie in" { INDEX [4:0] index: u8, "bank"; }
}
