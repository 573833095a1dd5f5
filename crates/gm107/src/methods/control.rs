//! 3D class: macros, conditions, queries, and what has no effect here.

use super::codes::ConditionMode;
use ctm_card::registers;

registers! { "3D", CONTROL;
    GraphMacroUploadPos "GRAPH_MACRO_UPLOAD_POS" 0x0114, Fields, "where code of macros is written" { VALUE [31:0] value: u32, "word"; }
    GraphMacroUploadData "GRAPH_MACRO_UPLOAD_DATA" 0x0118, Bits, "writes code of macros" { VALUE [31:0] value: u32, "an instruction"; }
    GraphMacroId "GRAPH_MACRO_ID" 0x011C, Fields, "the macro whose beginning is set" { VALUE [31:0] value: u32, "number"; }
    GraphMacroPos "GRAPH_MACRO_POS" 0x0120, Fields, "where that macro begins" { VALUE [31:0] value: u32, "word"; }
    SharedBase "SHARED_BASE" 0x0214, Bits ignored, "window of shared memory" { VALUE [31:0] value: u32, "ignored"; }
    MemBarrier "MEM_BARRIER" 0x021C, Bits ignored, "waits for stores" { VALUE [31:0] value: u32, "ignored"; }
    CacheSplit "CACHE_SPLIT" 0x0308, Bits ignored, "division of caches" { VALUE [31:0] value: u32, "ignored"; }
    LocalBase "LOCAL_BASE" 0x077C, Bits ignored, "window of local memory" { VALUE [31:0] value: u32, "ignored"; }
    TempAddress "TEMP_ADDRESS" 0x0790 [5, 4], Bits ignored, "where local memory lies" { VALUE [31:0] value: u32, "ignored"; }
    CounterReset "COUNTER_RESET" 0x1530, Fields, "sets a counter to 0" { COUNTER [7:0] counter: u8, "1: samples"; }
    CondAddressHigh "COND_ADDRESS_HIGH" 0x1550, Address, "what a condition looks at: upper half" { HIGH [31:0] high: u32, "address"; }
    CondAddressLow "COND_ADDRESS_LOW" 0x1554, Address, "what a condition looks at: lower half" { LOW [31:0] low: u32, "address"; }
    CondMode "COND_MODE" 0x1558, Fields, "when draws are drawn" { MODE [31:0] mode: ConditionMode, "mode"; }
    QueryAddressHigh "QUERY_ADDRESS_HIGH" 0x1B00, Address, "where a report is stored: upper half" { HIGH [31:0] high: u32, "address"; }
    QueryAddressLow "QUERY_ADDRESS_LOW" 0x1B04, Address, "where a report is stored: lower half" { LOW [31:0] low: u32, "address"; }
    QuerySequence "QUERY_SEQUENCE" 0x1B08, Fields, "number of a report" { VALUE [31:0] value: u32, "number"; }
    QueryGet "QUERY_GET" 0x1B0C, Fields, "stores a report" {
        MODE [1:0] mode: u8, "when";
        FENCE [4:4] fence: bool, "after all before it";
        STREAM [7:5] stream: u8, "stream, or feedback buffer";
        UNIT [15:12] unit: u8, "the unit that is asked";
        REPORT [27:23] report: u8, "what is asked";
        SHORT [28:28] short: bool, "the number alone";
    }
    MacroScratch "SCRATCH" 0x3400 [256, 4], Bits, "a word for macros" { VALUE [31:0] value: u32, "any"; }
    MacroCall "MACRO_*" 0x3800 [128, 8], Bits, "calls a macro" { VALUE [31:0] value: u32, "the first parameter"; }
    MacroParameter "MACRO_PARAMETER_*" 0x3804 [128, 8], Bits, "a parameter of a macro" { VALUE [31:0] value: u32, "any"; }
    Unk0218 "UNK0218" 0x0218, Bits ignored, "constant" { VALUE [31:0] value: u32, "ignored"; }
    Unk02d0 "UNK02D0" 0x02D0, Bits ignored, "constant" { VALUE [31:0] value: u32, "ignored"; }
    Unk02ec "UNK02EC" 0x02EC, Bits ignored, "set by macros" { VALUE [31:0] value: u32, "ignored"; }
    Unk0300 "UNK0300" 0x0300, Bits ignored, "constant" { VALUE [31:0] value: u32, "ignored"; }
    Unk030c "UNK030C" 0x030C, Bits ignored, "constant" { VALUE [31:0] value: u32, "ignored"; }
    Unk074c "UNK074C" 0x074C, Bits ignored, "constant" { VALUE [31:0] value: u32, "ignored"; }
    CallLimitLog "CALL_LIMIT_LOG" 0x0D64, Bits ignored, "depth of calls" { VALUE [31:0] value: u32, "ignored"; }
    WatchdogTimer "WATCHDOG_TIMER" 0x0DE4, Bits ignored, "time of programs" { VALUE [31:0] value: u32, "ignored"; }
    TexHeaderVersion "TEX_HEADER_VERSION" 0x0F10, Fields, "form of texture headers" { MAXWELL [0:0] maxwell: bool, "that of Maxwell"; }
    Unk0fdc "UNK0FDC" 0x0FDC, Bits ignored, "constant" { VALUE [31:0] value: u32, "ignored"; }
    Unk10cc "UNK10CC" 0x10CC, Bits ignored, "constant" { VALUE [31:0] value: u32, "ignored"; }
    Unk10e0 "UNK10E0" 0x10E0 [2, 4], Bits ignored, "constant" { VALUE [31:0] value: u32, "ignored"; }
    Unk10ec "UNK10EC" 0x10EC [2, 4], Bits ignored, "constant" { VALUE [31:0] value: u32, "ignored"; }
    Unk10fc "UNK10FC" 0x10FC, Bits ignored, "constant" { VALUE [31:0] value: u32, "ignored"; }
    Unk1140 "UNK1140" 0x1140, Bits ignored, "constant" { VALUE [31:0] value: u32, "ignored"; }
    Unk1290 "UNK1290" 0x1290, Bits ignored, "constant" { VALUE [31:0] value: u32, "ignored"; }
    Unk12d8 "UNK12D8" 0x12D8 [2, 4], Bits ignored, "constant" { VALUE [31:0] value: u32, "ignored"; }
    Unk1610 "UNK1610" 0x1610, Bits ignored, "constant" { VALUE [31:0] value: u32, "ignored"; }
    Unk16a8 "UNK16A8" 0x16A8, Bits ignored, "constant" { VALUE [31:0] value: u32, "ignored"; }
    Unk1794 "UNK1794" 0x1794, Bits ignored, "constant" { VALUE [31:0] value: u32, "ignored"; }
    Unk197c "UNK197C" 0x197C, Bits ignored, "constant" { VALUE [31:0] value: u32, "ignored"; }
    PixelOrder "PIXEL_ORDER" 0x19C0, Bits ignored, "constant" { VALUE [31:0] value: u32, "ignored"; }
}
