//! The vertex assembler and processor.

use super::codes::{PrimitiveType, PrimitiveWalk};
use ctm_card::registers;

registers! { "VAP", VAP;
    PortXScale "SE_VPORT_XSCALE" 0x1D98, Float, "scale of x" { VALUE [31:0] value: u32, "binary32"; }
    PortXOffset "SE_VPORT_XOFFSET" 0x1D9C, Float, "offset of x" { VALUE [31:0] value: u32, "binary32"; }
    PortYScale "SE_VPORT_YSCALE" 0x1DA0, Float, "scale of y" { VALUE [31:0] value: u32, "binary32"; }
    PortYOffset "SE_VPORT_YOFFSET" 0x1DA4, Float, "offset of y" { VALUE [31:0] value: u32, "binary32"; }
    PortZScale "SE_VPORT_ZSCALE" 0x1DA8, Float, "scale of z" { VALUE [31:0] value: u32, "binary32"; }
    PortZOffset "SE_VPORT_ZOFFSET" 0x1DAC, Float, "offset of z" { VALUE [31:0] value: u32, "binary32"; }
    VapPortIdx0 "VAP_PORT_IDX0" 0x2040, Bits, "where packets of indices go" { VALUE [31:0] value: u32, "index"; }
    VapCntl "VAP_CNTL" 0x2080, Fields, "how the vertex processor shares its memory" {
        PVS_NUM_SLOTS [3:0] slots: u8, "vertices in flight";
        PVS_NUM_CNTLRS [7:4] controllers: u8, "controllers";
        PVS_NUM_FPUS [11:8] fpus: u8, "arithmetic units";
        VAP_NO_RENDER [17:17] no_render: bool, "primitives are dropped";
        VF_MAX_VTX_NUM [21:18] max_vertices: u8, "size of the vertex memory";
        DX_CLIP_SPACE_DEF [22:22] dx_clip_space: bool, "clip space begins at z = 0, not at -w";
        TCL_STATE_OPTIMIZATION [23:23] state_optimisation: bool, "state is kept between draws";
    }
    VapAltNumVertices "VAP_ALT_NUM_VERTICES" 0x2088, Fields, "vertices of a draw above 65535" {
        NUM_VERTICES [23:0] count: u32, "number of vertices";
    }
    VapIndexOffset "VAP_INDEX_OFFSET" 0x208C, Fields, "what is added to every index" {
        INDEX_OFFSET [24:0] offset: u32, "two's complement";
    }
    VapOutputVtxFmt0 "VAP_OUTPUT_VTX_FMT_0" 0x2090, Fields, "vectors that the vertex program gives" {
        VTX_POS_PRESENT [0:0] position: bool, "a position";
        VTX_COLOR_0_PRESENT [1:1] colour_0: bool, "colour 0";
        VTX_COLOR_1_PRESENT [2:2] colour_1: bool, "colour 1";
        VTX_COLOR_2_PRESENT [3:3] colour_2: bool, "colour 2";
        VTX_COLOR_3_PRESENT [4:4] colour_3: bool, "colour 3";
        VTX_PT_SIZE_PRESENT [16:16] point_size: bool, "a point size";
    }
    VapOutputVtxFmt1 "VAP_OUTPUT_VTX_FMT_1" 0x2094, Fields, "components of the texture coordinates that it gives" {
        TEX_0_COMP_CNT [2:0] texture_0: u8, "components of texture coordinate 0";
        TEX_1_COMP_CNT [5:3] texture_1: u8, "components of texture coordinate 1";
        TEX_2_COMP_CNT [8:6] texture_2: u8, "components of texture coordinate 2";
        TEX_3_COMP_CNT [11:9] texture_3: u8, "components of texture coordinate 3";
        TEX_4_COMP_CNT [14:12] texture_4: u8, "components of texture coordinate 4";
        TEX_5_COMP_CNT [17:15] texture_5: u8, "components of texture coordinate 5";
        TEX_6_COMP_CNT [20:18] texture_6: u8, "components of texture coordinate 6";
        TEX_7_COMP_CNT [23:21] texture_7: u8, "components of texture coordinate 7";
    }
    VapVteCntl "VAP_VTE_CNTL" 0x20B0, Fields, "the viewport transformation" {
        VPORT_X_SCALE_ENA [0:0] x_scale: bool, "x is scaled";
        VPORT_X_OFFSET_ENA [1:1] x_offset: bool, "x is moved";
        VPORT_Y_SCALE_ENA [2:2] y_scale: bool, "y is scaled";
        VPORT_Y_OFFSET_ENA [3:3] y_offset: bool, "y is moved";
        VPORT_Z_SCALE_ENA [4:4] z_scale: bool, "z is scaled";
        VPORT_Z_OFFSET_ENA [5:5] z_offset: bool, "z is moved";
        VTX_XY_FMT [8:8] xy_divided: bool, "x and y are divided by w already";
        VTX_Z_FMT [9:9] z_divided: bool, "z is divided by w already";
        VTX_W0_FMT [10:10] w_is_w: bool, "w is w, not 1/w";
    }
    VapVtxSize "VAP_VTX_SIZE" 0x20B4, Fields, "size of vertices that lie in packets" {
        DWORDS_PER_VTX [6:0] dwords: u8, "dwords";
    }
    VapVfMaxVtxIndx "VAP_VF_MAX_VTX_INDX" 0x2134, Fields, "the greatest index" { MAX_INDX [23:0] index: u32, "index"; }
    VapVfMinVtxIndx "VAP_VF_MIN_VTX_INDX" 0x2138, Fields, "the least index" { MIN_INDX [23:0] index: u32, "index"; }
    VapCntlStatus "VAP_CNTL_STATUS" 0x2140, Fields, "bypass of the vertex processor" {
        VC_SWAP [1:0] swap: u8, "order of bytes";
        PVS_BYPASS [8:8] bypass: bool, "vertices are window coordinates; no program runs";
    }
    VapProgStreamCntl "VAP_PROG_STREAM_CNTL" 0x2150 [8, 4], Fields, "two elements of a vertex" {
        DATA_TYPE_0 [3:0] type_0: u8, "type of the even element";
        SKIP_DWORDS_0 [7:4] skip_0: u8, "dwords after it";
        DST_VEC_LOC_0 [12:8] location_0: u8, "its input register";
        LAST_VEC_0 [13:13] last_0: bool, "it is the last";
        SIGNED_0 [14:14] signed_0: bool, "its fixed-point numbers have signs";
        NORMALIZE_0 [15:15] normalise_0: bool, "its fixed-point numbers are fractions";
        DATA_TYPE_1 [19:16] type_1: u8, "type of the odd element";
        SKIP_DWORDS_1 [23:20] skip_1: u8, "dwords after it";
        DST_VEC_LOC_1 [28:24] location_1: u8, "its input register";
        LAST_VEC_1 [29:29] last_1: bool, "it is the last";
        SIGNED_1 [30:30] signed_1: bool, "its fixed-point numbers have signs";
        NORMALIZE_1 [31:31] normalise_1: bool, "its fixed-point numbers are fractions";
    }
    VapVtxStateCntl "VAP_VTX_STATE_CNTL" 0x2180, Bits ignored, "where colours come from" { VALUE [31:0] value: u32, "two bits each"; }
    VapVsmVtxAssm "VAP_VSM_VTX_ASSM" 0x2184, Bits ignored, "vectors of a vertex, once more" { VALUE [31:0] value: u32, "a bit each"; }
    VapPscSgnNormCntl "VAP_PSC_SGN_NORM_CNTL" 0x21DC, Bits, "how signed fractions are meant, two bits for each element" {
        VALUE [31:0] value: u32, "0 and 1: divided by the greatest number; 2: no zero";
    }
    VapProgStreamCntlExt "VAP_PROG_STREAM_CNTL_EXT" 0x21E0 [8, 4], Fields, "swizzles of two elements" {
        SWIZZLE_SELECT_X_0 [2:0] x_0: u8, "0 to 3: component; 4: 0.0; 5: 1.0";
        SWIZZLE_SELECT_Y_0 [5:3] y_0: u8, "as above";
        SWIZZLE_SELECT_Z_0 [8:6] z_0: u8, "as above";
        SWIZZLE_SELECT_W_0 [11:9] w_0: u8, "as above";
        WRITE_ENA_0 [15:12] mask_0: u8, "components that are written";
        SWIZZLE_SELECT_X_1 [18:16] x_1: u8, "0 to 3: component; 4: 0.0; 5: 1.0";
        SWIZZLE_SELECT_Y_1 [21:19] y_1: u8, "as above";
        SWIZZLE_SELECT_Z_1 [24:22] z_1: u8, "as above";
        SWIZZLE_SELECT_W_1 [27:25] w_1: u8, "as above";
        WRITE_ENA_1 [31:28] mask_1: u8, "components that are written";
    }
    VapPvsVectorIndx "VAP_PVS_VECTOR_INDX_REG" 0x2200, Fields, "where the next vector of the vertex processor's memory goes" {
        OCTWORD_OFFSET [10:0] index: u16, "in units of 128 bits";
    }
    VapPvsUploadData "VAP_PVS_UPLOAD_DATA" 0x2208, Bits, "the vertex processor's memory" { VALUE [31:0] value: u32, "a dword of a vector"; }
    VapTexToColorCntl "VAP_TEX_TO_COLOR_CNTL" 0x2218, Bits ignored, "texture coordinates as colours" { VALUE [31:0] value: u32, "a bit each"; }
    VapClipCntl "VAP_CLIP_CNTL" 0x221C, Fields, "clipping" {
        UCP_ENA [5:0] user_planes: u8, "user clip planes, a bit each";
        PS_UCP_MODE [15:14] point_mode: u8, "points against user clip planes";
        CLIP_DISABLE [16:16] disable: bool, "nothing is clipped";
        UCP_CULL_ONLY_ENA [17:17] cull_only: bool, "user clip planes drop whole primitives";
        BOUNDARY_EDGE_FLAG_ENA [18:18] boundary_edges: bool, "edges made by clipping are edges";
        COLOR2_IS_TEXTURE [20:20] colour_2_is_texture: bool, "colour 2 is a texture coordinate";
        COLOR3_IS_TEXTURE [21:21] colour_3_is_texture: bool, "colour 3 is a texture coordinate";
    }
    VapGbVertClipAdj "VAP_GB_VERT_CLIP_ADJ" 0x2220, Float ignored, "guard band, vertical, of clipping" { VALUE [31:0] value: u32, "binary32"; }
    VapGbVertDiscAdj "VAP_GB_VERT_DISC_ADJ" 0x2224, Float ignored, "guard band, vertical, of discarding" { VALUE [31:0] value: u32, "binary32"; }
    VapGbHorzClipAdj "VAP_GB_HORZ_CLIP_ADJ" 0x2228, Float ignored, "guard band, horizontal, of clipping" { VALUE [31:0] value: u32, "binary32"; }
    VapGbHorzDiscAdj "VAP_GB_HORZ_DISC_ADJ" 0x222C, Float ignored, "guard band, horizontal, of discarding" { VALUE [31:0] value: u32, "binary32"; }
    VapPvsStateFlush "VAP_PVS_STATE_FLUSH_REG" 0x2284, Bits ignored, "waits for the vertex processor" { VALUE [31:0] value: u32, "anything"; }
    VapPvsVtxTimeout "VAP_PVS_VTX_TIMEOUT_REG" 0x2288, Bits ignored, "clocks that a vertex waits for others" { VALUE [31:0] value: u32, "clocks"; }
    VapPvsFlowCntlLoopIndex "VAP_PVS_FLOW_CNTL_LOOP_INDEX" 0x2290 [16, 4], Fields, "the loop index of a flow-control entry" {
        LOOP_INIT [7:0] index: u8, "the index in the first pass";
        LOOP_STEP [15:8] step: u8, "what a pass adds, signed";
        LOOP_REPEAT_NO_FLI [31:31] inherits: bool, "the index of the loop around is kept";
    }
    VapPvsCodeCntl0 "VAP_PVS_CODE_CNTL_0" 0x22D0, Fields, "the vertex program's code" {
        PVS_FIRST_INST [9:0] first: u16, "first instruction";
        PVS_XYZW_VALID_INST [19:10] position_valid: u16, "after this one the position stands";
        PVS_LAST_INST [29:20] last: u16, "last instruction";
    }
    VapPvsConstCntl "VAP_PVS_CONST_CNTL" 0x22D4, Fields, "the vertex program's constants" {
        PVS_CONST_BASE_OFFSET [7:0] base: u8, "added to every number";
        PVS_MAX_CONST_ADDR [23:16] max: u8, "the greatest number";
    }
    VapPvsCodeCntl1 "VAP_PVS_CODE_CNTL_1" 0x22D8, Fields ignored, "the vertex program's inputs" {
        PVS_LAST_VTX_SRC_INST [9:0] last_source: u16, "the last instruction that reads inputs";
    }
    VapPvsFlowCntlOpc "VAP_PVS_FLOW_CNTL_OPC" 0x22DC, Bits, "what the flow-control entries do, two bits each" {
        VALUE [31:0] value: u32, "0 nothing, 1 JUMP, 2 LOOP, 3 JSR";
    }
    VapPvsFlowCntlAddrsLw "VAP_PVS_FLOW_CNTL_ADDRS_LW" 0x2500 [16, 8], Fields, "a flow-control entry" {
        ACT_ADRS [15:0] act: u16, "it acts after this instruction";
        LOOP_CNT_JMP_INST [31:16] count_or_target: u16, "passes of a loop, or where a jump or call goes";
    }
    VapPvsFlowCntlAddrsUw "VAP_PVS_FLOW_CNTL_ADDRS_UW" 0x2504 [16, 8], Fields, "a flow-control entry" {
        LAST_INST [15:0] last: u16, "last instruction of the loop or subroutine";
        RTN_INST [31:16] resume: u16, "first instruction of the loop, or where a subroutine returns to";
    }
}

ctm_bits::field_table! { VapVfCntl, words 1;
    PRIM_TYPE, 0 [3:0], {primitive}, PrimitiveType, "what is drawn";
    PRIM_WALK, 0 [5:4], {walk}, PrimitiveWalk, "where vertices come from";
    INDEX_SIZE, 0 [11:11], {wide_indices}, bool, "indices have 32 bits";
    USE_ALT_NUM_VERTS, 0 [14:14], {alternate_count}, bool, "the count is VAP_ALT_NUM_VERTICES";
    NUM_VERTICES, 0 [31:16], {count}, u16, "number of vertices";
}

/// `VAP_VF_CNTL`, the first dword of draw packets.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VapVfCntl {
    /// What is drawn.
    pub primitive: PrimitiveType,
    /// Where vertices come from.
    pub walk: PrimitiveWalk,
    /// Indices have 32 bits.
    pub wide_indices: bool,
    /// The count is that of `VAP_ALT_NUM_VERTICES`.
    pub alternate_count: bool,
    /// Number of vertices.
    pub count: u16,
}
