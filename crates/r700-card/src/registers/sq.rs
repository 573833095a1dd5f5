//! SQ: programs, their constants, their shares of the machine, rings.

use ctm_card::registers;

registers! { "SQ", SQ;
    SqConfig "SQ_CONFIG" 0x08C00, Fields ignored, "the sequencer" {
        VC_ENABLE [0:0] vc_enable: bool, "vertex fetches have a cache of their own";
        EXPORT_SRC_C [1:1] export_src_c: bool, "exports read by port C";
        DX9_CONSTS [2:2] dx9_consts: bool, "constants are in registers";
        ALU_INST_PREFER_VECTOR [3:3] alu_inst_prefer_vector: bool, "vector units are filled first";
        DX10_CLAMP [4:4] dx10_clamp: bool, "clamping a NaN gives 0";
        CLAUSE_SEQ_PRIO [9:8] clause_seq_prio: u8, "order of clauses";
        PS_PRIO [25:24] ps_prio: u8, "priority of pixel programs";
        VS_PRIO [27:26] vs_prio: u8, "priority of vertex programs";
        GS_PRIO [29:28] gs_prio: u8, "priority of geometry programs";
        ES_PRIO [31:30] es_prio: u8, "priority of export programs";
    }
    SqGprResourceMgmt1 "SQ_GPR_RESOURCE_MGMT_1" 0x08C04, Fields ignored, "shares of registers" {
        NUM_PS_GPRS [7:0] num_ps_gprs: u8, "of pixel programs";
        NUM_VS_GPRS [23:16] num_vs_gprs: u8, "of vertex programs";
        NUM_CLAUSE_TEMP_GPRS [31:28] num_clause_temp_gprs: u8, "of values inside of clauses";
    }
    SqGprResourceMgmt2 "SQ_GPR_RESOURCE_MGMT_2" 0x08C08, Fields ignored, "shares of registers" {
        NUM_GS_GPRS [7:0] num_gs_gprs: u8, "of geometry programs";
        NUM_ES_GPRS [23:16] num_es_gprs: u8, "of export programs";
    }
    SqThreadResourceMgmt "SQ_THREAD_RESOURCE_MGMT" 0x08C0C, Fields ignored, "shares of threads" {
        NUM_PS_THREADS [7:0] num_ps_threads: u8, "of pixel programs";
        NUM_VS_THREADS [15:8] num_vs_threads: u8, "of vertex programs";
        NUM_GS_THREADS [23:16] num_gs_threads: u8, "of geometry programs";
        NUM_ES_THREADS [31:24] num_es_threads: u8, "of export programs";
    }
    SqStackResourceMgmt1 "SQ_STACK_RESOURCE_MGMT_1" 0x08C10, Fields ignored, "shares of the stack" {
        NUM_PS_STACK_ENTRIES [11:0] num_ps_stack_entries: u16, "of pixel programs";
        NUM_VS_STACK_ENTRIES [27:16] num_vs_stack_entries: u16, "of vertex programs";
    }
    SqStackResourceMgmt2 "SQ_STACK_RESOURCE_MGMT_2" 0x08C14, Fields ignored, "shares of the stack" {
        NUM_GS_STACK_ENTRIES [11:0] num_gs_stack_entries: u16, "of geometry programs";
        NUM_ES_STACK_ENTRIES [27:16] num_es_stack_entries: u16, "of export programs";
    }
    SqEsgsRingBase "SQ_ESGS_RING_BASE" 0x08C40, Address, "where export programs leave vertices for geometry programs" {
        BASE [31:0] base: u32, "in units of 256 bytes";
    }
    SqEsgsRingSize "SQ_ESGS_RING_SIZE" 0x08C44, Bits, "size of that ring" { VALUE [31:0] value: u32, "in units of 256 bytes"; }
    SqGsvsRingBase "SQ_GSVS_RING_BASE" 0x08C48, Address, "where geometry programs leave vertices for the copy program" {
        BASE [31:0] base: u32, "in units of 256 bytes";
    }
    SqGsvsRingSize "SQ_GSVS_RING_SIZE" 0x08C4C, Bits, "size of that ring" { VALUE [31:0] value: u32, "in units of 256 bytes"; }
    SqEstmpRingBase "SQ_ESTMP_RING_BASE" 0x08C50, Address, "scratch memory of export programs" { BASE [31:0] base: u32, "in units of 256 bytes"; }
    SqEstmpRingSize "SQ_ESTMP_RING_SIZE" 0x08C54, Bits, "size of that ring" { VALUE [31:0] value: u32, "in units of 256 bytes"; }
    SqGstmpRingBase "SQ_GSTMP_RING_BASE" 0x08C58, Address, "scratch memory of geometry programs" { BASE [31:0] base: u32, "in units of 256 bytes"; }
    SqGstmpRingSize "SQ_GSTMP_RING_SIZE" 0x08C5C, Bits, "size of that ring" { VALUE [31:0] value: u32, "in units of 256 bytes"; }
    SqVstmpRingBase "SQ_VSTMP_RING_BASE" 0x08C60, Address, "scratch memory of vertex programs" { BASE [31:0] base: u32, "in units of 256 bytes"; }
    SqVstmpRingSize "SQ_VSTMP_RING_SIZE" 0x08C64, Bits, "size of that ring" { VALUE [31:0] value: u32, "in units of 256 bytes"; }
    SqPstmpRingBase "SQ_PSTMP_RING_BASE" 0x08C68, Address, "scratch memory of pixel programs" { BASE [31:0] base: u32, "in units of 256 bytes"; }
    SqPstmpRingSize "SQ_PSTMP_RING_SIZE" 0x08C6C, Bits, "size of that ring" { VALUE [31:0] value: u32, "in units of 256 bytes"; }
    SqDynGprCntlPsFlushReq "SQ_DYN_GPR_CNTL_PS_FLUSH_REQ" 0x08D8C, Bits ignored, "dynamic shares of registers" {
        RING0_OFFSET [7:0] ring0_offset: u8, "offset";
        ISOLATE_ES_ENABLE [12:12] isolate_es_enable: bool, "export programs have theirs alone";
        ISOLATE_GS_ENABLE [13:13] isolate_gs_enable: bool, "geometry programs have theirs alone";
        VS_PC_LIMIT_ENABLE [14:14] vs_pc_limit_enable: bool, "parameters of vertex programs are limited";
    }
    SqAluConstBufferSizePs "SQ_ALU_CONST_BUFFER_SIZE_PS" 0x28140 [16, 4], Bits, "size of a constant buffer of pixel programs" {
        VALUE [31:0] value: u32, "in units of 256 bytes";
    }
    SqAluConstBufferSizeVs "SQ_ALU_CONST_BUFFER_SIZE_VS" 0x28180 [16, 4], Bits, "size of a constant buffer of vertex programs" {
        VALUE [31:0] value: u32, "in units of 256 bytes";
    }
    SqAluConstBufferSizeGs "SQ_ALU_CONST_BUFFER_SIZE_GS" 0x281C0 [16, 4], Bits, "size of a constant buffer of geometry programs" {
        VALUE [31:0] value: u32, "in units of 256 bytes";
    }
    SqPgmStartPs "SQ_PGM_START_PS" 0x28840, Address, "where the pixel program begins" { START [31:0] start: u32, "in units of 256 bytes"; }
    SqPgmResourcesPs "SQ_PGM_RESOURCES_PS" 0x28850, Fields, "what the pixel program needs" {
        NUM_GPRS [7:0] num_gprs: u8, "registers";
        STACK_SIZE [15:8] stack_size: u8, "entries of the stack";
        DX10_CLAMP [21:21] dx10_clamp: bool, "clamping a NaN gives 0";
        FETCH_CACHE_LINES [26:24] fetch_cache_lines: u8, "lines of the fetch cache";
        UNCACHED_FIRST_INST [28:28] uncached_first_inst: bool, "the first instruction is not from the cache";
        CLAMP_CONSTS [31:31] clamp_consts: bool, "constants are clamped";
    }
    SqPgmExportsPs "SQ_PGM_EXPORTS_PS" 0x28854, Fields, "what the pixel program exports" {
        EXPORT_Z [0:0] export_z: bool, "depth";
        EXPORT_COLORS [4:1] export_colors: u8, "colours, and one for depth";
    }
    SqPgmStartVs "SQ_PGM_START_VS" 0x28858, Address, "where the vertex program begins; with a geometry program, the copy program" {
        START [31:0] start: u32, "in units of 256 bytes";
    }
    SqPgmResourcesVs "SQ_PGM_RESOURCES_VS" 0x28868, Fields, "what the vertex program needs" {
        NUM_GPRS [7:0] num_gprs: u8, "registers";
        STACK_SIZE [15:8] stack_size: u8, "entries of the stack";
        DX10_CLAMP [21:21] dx10_clamp: bool, "clamping a NaN gives 0";
        FETCH_CACHE_LINES [26:24] fetch_cache_lines: u8, "lines of the fetch cache";
        UNCACHED_FIRST_INST [28:28] uncached_first_inst: bool, "the first instruction is not from the cache";
    }
    SqPgmStartGs "SQ_PGM_START_GS" 0x2886C, Address, "where the geometry program begins" { START [31:0] start: u32, "in units of 256 bytes"; }
    SqPgmResourcesGs "SQ_PGM_RESOURCES_GS" 0x2887C, Fields, "what the geometry program needs" {
        NUM_GPRS [7:0] num_gprs: u8, "registers";
        STACK_SIZE [15:8] stack_size: u8, "entries of the stack";
        DX10_CLAMP [21:21] dx10_clamp: bool, "clamping a NaN gives 0";
    }
    SqPgmStartEs "SQ_PGM_START_ES" 0x28880, Address, "where the export program begins" { START [31:0] start: u32, "in units of 256 bytes"; }
    SqPgmResourcesEs "SQ_PGM_RESOURCES_ES" 0x28890, Fields, "what the export program needs" {
        NUM_GPRS [7:0] num_gprs: u8, "registers";
        STACK_SIZE [15:8] stack_size: u8, "entries of the stack";
        DX10_CLAMP [21:21] dx10_clamp: bool, "clamping a NaN gives 0";
    }
    SqPgmStartFs "SQ_PGM_START_FS" 0x28894, Address, "where the fetch program begins" { START [31:0] start: u32, "in units of 256 bytes"; }
    SqPgmResourcesFs "SQ_PGM_RESOURCES_FS" 0x288A4, Fields, "what the fetch program needs" {
        NUM_GPRS [7:0] num_gprs: u8, "registers";
        STACK_SIZE [15:8] stack_size: u8, "entries of the stack";
        DX10_CLAMP [21:21] dx10_clamp: bool, "clamping a NaN gives 0";
    }
    SqEsgsRingItemsize "SQ_ESGS_RING_ITEMSIZE" 0x288A8, Bits, "what an export program leaves for a vertex" { VALUE [31:0] value: u32, "dwords"; }
    SqGsvsRingItemsize "SQ_GSVS_RING_ITEMSIZE" 0x288AC, Bits, "what a geometry program leaves" { VALUE [31:0] value: u32, "dwords"; }
    SqEstmpRingItemsize "SQ_ESTMP_RING_ITEMSIZE" 0x288B0, Bits, "scratch memory of an export program" { VALUE [31:0] value: u32, "dwords"; }
    SqGstmpRingItemsize "SQ_GSTMP_RING_ITEMSIZE" 0x288B4, Bits, "scratch memory of a geometry program" { VALUE [31:0] value: u32, "dwords"; }
    SqVstmpRingItemsize "SQ_VSTMP_RING_ITEMSIZE" 0x288B8, Bits, "scratch memory of a vertex program" { VALUE [31:0] value: u32, "dwords"; }
    SqPstmpRingItemsize "SQ_PSTMP_RING_ITEMSIZE" 0x288BC, Bits, "scratch memory of a pixel program" { VALUE [31:0] value: u32, "dwords"; }
    SqFbufRingItemsize "SQ_FBUF_RING_ITEMSIZE" 0x288C0, Bits ignored, "the frame buffer's ring" { VALUE [31:0] value: u32, "dwords"; }
    SqReducRingItemsize "SQ_REDUC_RING_ITEMSIZE" 0x288C4, Bits ignored, "the ring of reductions" { VALUE [31:0] value: u32, "dwords"; }
    SqGsVertItemsize "SQ_GS_VERT_ITEMSIZE" 0x288C8, Bits, "what a geometry program leaves for one vertex" { VALUE [31:0] value: u32, "dwords"; }
    SqPgmCfOffsetPs "SQ_PGM_CF_OFFSET_PS" 0x288CC, Bits, "where the control flow of the pixel program begins" {
        VALUE [31:0] value: u32, "in units of 8 bytes";
    }
    SqPgmCfOffsetVs "SQ_PGM_CF_OFFSET_VS" 0x288D0, Bits, "where the control flow of the vertex program begins" {
        VALUE [31:0] value: u32, "in units of 8 bytes";
    }
    SqPgmCfOffsetGs "SQ_PGM_CF_OFFSET_GS" 0x288D4, Bits, "where the control flow of the geometry program begins" {
        VALUE [31:0] value: u32, "in units of 8 bytes";
    }
    SqPgmCfOffsetEs "SQ_PGM_CF_OFFSET_ES" 0x288D8, Bits, "where the control flow of the export program begins" {
        VALUE [31:0] value: u32, "in units of 8 bytes";
    }
    SqPgmCfOffsetFs "SQ_PGM_CF_OFFSET_FS" 0x288DC, Bits, "where the control flow of the fetch program begins" {
        VALUE [31:0] value: u32, "in units of 8 bytes";
    }
    SqVtxSemanticClear "SQ_VTX_SEMANTIC_CLEAR" 0x288E0, Bits ignored, "forgets semantics of vertex elements" { VALUE [31:0] value: u32, "a bit each"; }
    SqAluConstCachePs "SQ_ALU_CONST_CACHE_PS" 0x28940 [16, 4], Address, "where a constant buffer of pixel programs lies" {
        BASE [31:0] base: u32, "in units of 256 bytes";
    }
    SqAluConstCacheVs "SQ_ALU_CONST_CACHE_VS" 0x28980 [16, 4], Address, "where a constant buffer of vertex programs lies" {
        BASE [31:0] base: u32, "in units of 256 bytes";
    }
    SqAluConstCacheGs "SQ_ALU_CONST_CACHE_GS" 0x289C0 [16, 4], Address, "where a constant buffer of geometry programs lies" {
        BASE [31:0] base: u32, "in units of 256 bytes";
    }
    SqVtxBaseVtxLoc "SQ_VTX_BASE_VTX_LOC" 0x3CFF0, Bits, "what is added to indices of fetches by vertex" { VALUE [31:0] value: u32, "number"; }
    SqVtxStartInstLoc "SQ_VTX_START_INST_LOC" 0x3CFF4, Bits, "what is added to indices of fetches by instance" { VALUE [31:0] value: u32, "number"; }
    SqLoopConst "SQ_LOOP_CONST" 0x3E200 [96, 4], Bits, "counts of loops: 32 each of pixel, vertex and geometry programs" {
        COUNT [11:0] count: u16, "passes";
        INIT [23:12] init: u16, "first value of the counter";
        INC [31:24] inc: u8, "step of the counter";
    }
    SqBoolConst "SQ_BOOL_CONST" 0x3E380 [3, 4], Bits, "truth values of pixel, vertex and geometry programs" { VALUE [31:0] value: u32, "a bit each"; }
}
