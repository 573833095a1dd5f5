//! VGT: indices, primitives, geometry programs' order, streamout.

use super::codes::{GeometryMode, OutputPrimitive, PrimitiveType};
use ctm_card::registers;

registers! { "VGT", VGT;
    VgtGsPerEs "VGT_GS_PER_ES" 0x088C8, Bits ignored, "geometry programs for each batch of export programs" { VALUE [31:0] value: u32, "number"; }
    VgtEsPerGs "VGT_ES_PER_GS" 0x088CC, Bits ignored, "export programs for each batch of geometry programs" { VALUE [31:0] value: u32, "number"; }
    VgtGsPerVs "VGT_GS_PER_VS" 0x088E8, Bits ignored, "geometry programs for each batch of copy programs" { VALUE [31:0] value: u32, "number"; }
    VgtPrimitiveType "VGT_PRIMITIVE_TYPE" 0x08958, Fields, "what draws draw" { PRIM_TYPE [5:0] prim_type: PrimitiveType, "kind of primitives"; }
    VgtMaxVtxIndx "VGT_MAX_VTX_INDX" 0x28400, Bits, "greatest index" { VALUE [31:0] value: u32, "index"; }
    VgtMinVtxIndx "VGT_MIN_VTX_INDX" 0x28404, Bits, "least index" { VALUE [31:0] value: u32, "index"; }
    VgtIndxOffset "VGT_INDX_OFFSET" 0x28408, Bits, "what is added to each index; for draws without indices the first vertex" {
        VALUE [31:0] value: u32, "two's complement";
    }
    VgtMultiPrimIbResetIndx "VGT_MULTI_PRIM_IB_RESET_INDX" 0x2840C, Bits, "the index that ends a primitive" {
        VALUE [31:0] value: u32, "index as it is read";
    }
    VgtOutputPathCntl "VGT_OUTPUT_PATH_CNTL" 0x28A10, Bits ignored, "where primitives go" { VALUE [31:0] value: u32, "bits"; }
    VgtHosCntl "VGT_HOS_CNTL" 0x28A14, Bits ignored, "tessellation" { VALUE [31:0] value: u32, "bits"; }
    VgtHosMaxTessLevel "VGT_HOS_MAX_TESS_LEVEL" 0x28A18, Float ignored, "greatest level of tessellation" { VALUE [31:0] value: u32, "binary32"; }
    VgtHosMinTessLevel "VGT_HOS_MIN_TESS_LEVEL" 0x28A1C, Float ignored, "least level of tessellation" { VALUE [31:0] value: u32, "binary32"; }
    VgtHosReuseDepth "VGT_HOS_REUSE_DEPTH" 0x28A20, Bits ignored, "reuse of tessellated vertices" { VALUE [31:0] value: u32, "bits"; }
    VgtGroupPrimType "VGT_GROUP_PRIM_TYPE" 0x28A24, Fields ignored, "primitives of grouped vertices" {
        PRIM_TYPE [4:0] prim_type: u8, "kind of primitives";
        RETAIN_ORDER [14:14] retain_order: bool, "order is kept";
        RETAIN_QUADS [15:15] retain_quads: bool, "quads are kept";
        PRIM_ORDER [18:16] prim_order: u8, "order of vertices";
    }
    VgtGroupFirstDecr "VGT_GROUP_FIRST_DECR" 0x28A28, Bits ignored, "grouped vertices: taken away for the first group" {
        VALUE [31:0] value: u32, "number";
    }
    VgtGroupDecr "VGT_GROUP_DECR" 0x28A2C, Bits ignored, "grouped vertices: taken away for each group" { VALUE [31:0] value: u32, "number"; }
    VgtGroupVect0Cntl "VGT_GROUP_VECT_0_CNTL" 0x28A30, Fields ignored, "grouped vertices: the first vector" {
        COMP_X_EN [0:0] comp_x_en: bool, "there is an x";
        COMP_Y_EN [1:1] comp_y_en: bool, "there is a y";
        COMP_Z_EN [2:2] comp_z_en: bool, "there is a z";
        COMP_W_EN [3:3] comp_w_en: bool, "there is a w";
        STRIDE [15:8] stride: u8, "distance of groups";
        SHIFT [23:16] shift: u8, "how far it is moved";
    }
    VgtGroupVect1Cntl "VGT_GROUP_VECT_1_CNTL" 0x28A34, Fields ignored, "grouped vertices: the second vector" {
        COMP_X_EN [0:0] comp_x_en: bool, "there is an x";
        COMP_Y_EN [1:1] comp_y_en: bool, "there is a y";
        COMP_Z_EN [2:2] comp_z_en: bool, "there is a z";
        COMP_W_EN [3:3] comp_w_en: bool, "there is a w";
        STRIDE [15:8] stride: u8, "distance of groups";
        SHIFT [23:16] shift: u8, "how far it is moved";
    }
    VgtGroupVect0FmtCntl "VGT_GROUP_VECT_0_FMT_CNTL" 0x28A38, Fields ignored, "grouped vertices: form of the first vector" {
        X_CONV [3:0] x_conv: u8, "conversion of x";
        X_OFFSET [7:4] x_offset: u8, "place of x";
        Y_CONV [11:8] y_conv: u8, "conversion of y";
        Y_OFFSET [15:12] y_offset: u8, "place of y";
        Z_CONV [19:16] z_conv: u8, "conversion of z";
        Z_OFFSET [23:20] z_offset: u8, "place of z";
        W_CONV [27:24] w_conv: u8, "conversion of w";
        W_OFFSET [31:28] w_offset: u8, "place of w";
    }
    VgtGroupVect1FmtCntl "VGT_GROUP_VECT_1_FMT_CNTL" 0x28A3C, Fields ignored, "grouped vertices: form of the second vector" {
        X_CONV [3:0] x_conv: u8, "conversion of x";
        X_OFFSET [7:4] x_offset: u8, "place of x";
        Y_CONV [11:8] y_conv: u8, "conversion of y";
        Y_OFFSET [15:12] y_offset: u8, "place of y";
        Z_CONV [19:16] z_conv: u8, "conversion of z";
        Z_OFFSET [23:20] z_offset: u8, "place of z";
        W_CONV [27:24] w_conv: u8, "conversion of w";
        W_OFFSET [31:28] w_offset: u8, "place of w";
    }
    VgtGsMode "VGT_GS_MODE" 0x28A40, Fields, "geometry programs" {
        MODE [1:0] mode: GeometryMode, "whether there is one, and for what";
        ES_PASSTHRU [2:2] es_passthru: bool, "export programs hand their input on";
        CUT_MODE [4:3] cut_mode: u8, "size of strips";
    }
    VgtEnhance "VGT_ENHANCE" 0x28A50, Bits ignored, "switches for tests" { VALUE [31:0] value: u32, "bits"; }
    VgtGsOutPrimType "VGT_GS_OUT_PRIM_TYPE" 0x28A6C, Fields, "what geometry programs make" {
        OUTPRIM_TYPE [1:0] outprim_type: OutputPrimitive, "kind of primitives";
    }
    VgtPrimitiveidEn "VGT_PRIMITIVEID_EN" 0x28A84, Fields, "numbers of primitives" { ENABLE [0:0] enable: bool, "programs get them"; }
    VgtMultiPrimIbResetEn "VGT_MULTI_PRIM_IB_RESET_EN" 0x28A94, Fields, "primitive restart" {
        ENABLE [0:0] enable: bool, "the index VGT_MULTI_PRIM_IB_RESET_INDX ends a primitive";
    }
    VgtInstanceStepRate "VGT_INSTANCE_STEP_RATE" 0x28AA0 [2, 4], Bits ignored, "instances that share data; divisors are the fetch program's work" {
        VALUE [31:0] value: u32, "number";
    }
    VgtStrmoutEn "VGT_STRMOUT_EN" 0x28AB0, Fields, "streamout" { ENABLE [0:0] enable: bool, "vertices are written to buffers and counted"; }
    VgtReuseOff "VGT_REUSE_OFF" 0x28AB4, Bits ignored, "vertices are not shared" { VALUE [31:0] value: u32, "bits"; }
    VgtVtxCntEn "VGT_VTX_CNT_EN" 0x28AB8, Bits ignored, "vertices of geometry programs are counted" { VALUE [31:0] value: u32, "bits"; }
    VgtStrmoutBufferSize "VGT_STRMOUT_BUFFER_SIZE" 0x28AD0 [4, 16], Bits, "size of a streamout buffer, from the beginning of the object to the end of the range" {
        VALUE [31:0] value: u32, "dwords";
    }
    VgtStrmoutVtxStride "VGT_STRMOUT_VTX_STRIDE" 0x28AD4 [4, 16], Bits, "distance of vertices in a streamout buffer" {
        VALUE [31:0] value: u32, "dwords";
    }
    VgtStrmoutBufferBase "VGT_STRMOUT_BUFFER_BASE" 0x28AD8 [4, 16], Address, "where a streamout buffer lies" {
        BASE [31:0] base: u32, "in units of 256 bytes";
    }
    VgtStrmoutBufferEn "VGT_STRMOUT_BUFFER_EN" 0x28B20, Fields, "streamout buffers" {
        BUFFER_0_EN [0:0] buffer_0_en: bool, "there is buffer 0";
        BUFFER_1_EN [1:1] buffer_1_en: bool, "there is buffer 1";
        BUFFER_2_EN [2:2] buffer_2_en: bool, "there is buffer 2";
        BUFFER_3_EN [3:3] buffer_3_en: bool, "there is buffer 3";
    }
    VgtStrmoutDrawOpaqueOffset "VGT_STRMOUT_DRAW_OPAQUE_OFFSET" 0x28B28, Bits, "draws of what streamout wrote: where that begins" {
        VALUE [31:0] value: u32, "bytes";
    }
    VgtStrmoutDrawOpaqueBufferFilledSize "VGT_STRMOUT_DRAW_OPAQUE_BUFFER_FILLED_SIZE" 0x28B2C, Bits, "draws of what streamout wrote: where that ends" {
        VALUE [31:0] value: u32, "bytes";
    }
    VgtStrmoutDrawOpaqueVertexStride "VGT_STRMOUT_DRAW_OPAQUE_VERTEX_STRIDE" 0x28B30, Bits, "draws of what streamout wrote: distance of vertices" {
        VALUE [31:0] value: u32, "dwords";
    }
    VgtGsMaxVertOut "VGT_GS_MAX_VERT_OUT" 0x28B38, Fields, "vertices that a geometry program makes at most" {
        MAX_VERT_OUT [10:0] max_vert_out: u16, "number";
    }
}
