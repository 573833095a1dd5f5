//! PA and SC: clipping, viewports, set-up of primitives, scissors, samples.

use super::codes::{PolygonMode, StippleReset};
use ctm_card::registers;

registers! { "PA", PA;
    PaScScreenScissorTl "PA_SC_SCREEN_SCISSOR_TL" 0x28030, Fields, "the screen's left top corner" {
        TL_X [14:0] tl_x: u16, "column";
        TL_Y [30:16] tl_y: u16, "row";
    }
    PaScScreenScissorBr "PA_SC_SCREEN_SCISSOR_BR" 0x28034, Fields, "the screen's right bottom corner, which is outside" {
        BR_X [14:0] br_x: u16, "column";
        BR_Y [30:16] br_y: u16, "row";
    }
    PaScWindowOffset "PA_SC_WINDOW_OFFSET" 0x28200, Fields, "what is added to window coordinates" {
        WINDOW_X_OFFSET [14:0] window_x_offset: u16, "columns";
        WINDOW_Y_OFFSET [30:16] window_y_offset: u16, "rows";
    }
    PaScWindowScissorTl "PA_SC_WINDOW_SCISSOR_TL" 0x28204, Fields, "the window's left top corner" {
        TL_X [13:0] tl_x: u16, "column";
        TL_Y [29:16] tl_y: u16, "row";
        WINDOW_OFFSET_DISABLE [31:31] window_offset_disable: bool, "PA_SC_WINDOW_OFFSET is not added";
    }
    PaScWindowScissorBr "PA_SC_WINDOW_SCISSOR_BR" 0x28208, Fields, "the window's right bottom corner, which is outside" {
        BR_X [13:0] br_x: u16, "column";
        BR_Y [29:16] br_y: u16, "row";
    }
    PaScCliprectRule "PA_SC_CLIPRECT_RULE" 0x2820C, Bits, "which sides of the clip rectangles are drawn to" {
        VALUE [31:0] value: u32, "a bit for each case";
    }
    PaScEdgerule "PA_SC_EDGERULE" 0x28230, Bits ignored, "edges that belong to their primitive" {
        VALUE [31:0] value: u32, "2 bits for each direction";
    }
    PaScGenericScissorTl "PA_SC_GENERIC_SCISSOR_TL" 0x28240, Fields, "another rectangle's left top corner" {
        TL_X [13:0] tl_x: u16, "column";
        TL_Y [29:16] tl_y: u16, "row";
        WINDOW_OFFSET_DISABLE [31:31] window_offset_disable: bool, "PA_SC_WINDOW_OFFSET is not added";
    }
    PaScGenericScissorBr "PA_SC_GENERIC_SCISSOR_BR" 0x28244, Fields, "another rectangle's right bottom corner, which is outside" {
        BR_X [13:0] br_x: u16, "column";
        BR_Y [29:16] br_y: u16, "row";
    }
    PaScVportScissorTl "PA_SC_VPORT_SCISSOR_TL" 0x28250 [16, 8], Fields, "left top corner of a viewport's scissor" {
        TL_X [13:0] tl_x: u16, "column";
        TL_Y [29:16] tl_y: u16, "row";
        WINDOW_OFFSET_DISABLE [31:31] window_offset_disable: bool, "PA_SC_WINDOW_OFFSET is not added";
    }
    PaScVportScissorBr "PA_SC_VPORT_SCISSOR_BR" 0x28254 [16, 8], Fields, "right bottom corner of a viewport's scissor, which is outside" {
        BR_X [13:0] br_x: u16, "column";
        BR_Y [29:16] br_y: u16, "row";
    }
    PaScVportZmin "PA_SC_VPORT_ZMIN" 0x282D0 [16, 8], Float, "least depth of a viewport" { VALUE [31:0] value: u32, "binary32"; }
    PaScVportZmax "PA_SC_VPORT_ZMAX" 0x282D4 [16, 8], Float, "greatest depth of a viewport" { VALUE [31:0] value: u32, "binary32"; }
    PaClVportXscale "PA_CL_VPORT_XSCALE" 0x2843C [16, 24], Float, "viewport: factor of x" { VALUE [31:0] value: u32, "binary32"; }
    PaClVportXoffset "PA_CL_VPORT_XOFFSET" 0x28440 [16, 24], Float, "viewport: x of the middle" { VALUE [31:0] value: u32, "binary32"; }
    PaClVportYscale "PA_CL_VPORT_YSCALE" 0x28444 [16, 24], Float, "viewport: factor of y" { VALUE [31:0] value: u32, "binary32"; }
    PaClVportYoffset "PA_CL_VPORT_YOFFSET" 0x28448 [16, 24], Float, "viewport: y of the middle" { VALUE [31:0] value: u32, "binary32"; }
    PaClVportZscale "PA_CL_VPORT_ZSCALE" 0x2844C [16, 24], Float, "viewport: factor of z" { VALUE [31:0] value: u32, "binary32"; }
    PaClVportZoffset "PA_CL_VPORT_ZOFFSET" 0x28450 [16, 24], Float, "viewport: z of the middle" { VALUE [31:0] value: u32, "binary32"; }
    PaClClipCntl "PA_CL_CLIP_CNTL" 0x28810, Fields, "clipping" {
        UCP_ENA_0 [0:0] ucp_ena_0: bool, "by user plane 0";
        UCP_ENA_1 [1:1] ucp_ena_1: bool, "by user plane 1";
        UCP_ENA_2 [2:2] ucp_ena_2: bool, "by user plane 2";
        UCP_ENA_3 [3:3] ucp_ena_3: bool, "by user plane 3";
        UCP_ENA_4 [4:4] ucp_ena_4: bool, "by user plane 4";
        UCP_ENA_5 [5:5] ucp_ena_5: bool, "by user plane 5";
        PS_UCP_Y_SCALE_NEG [13:13] ps_ucp_y_scale_neg: bool, "user planes are turned upside down for points";
        PS_UCP_MODE [15:14] ps_ucp_mode: u8, "how user planes clip points";
        CLIP_DISABLE [16:16] clip_disable: bool, "nothing is clipped";
        UCP_CULL_ONLY_ENA [17:17] ucp_cull_only_ena: bool, "user planes drop whole primitives only";
        BOUNDARY_EDGE_FLAG_ENA [18:18] boundary_edge_flag_ena: bool, "edges along planes are drawn";
        DX_CLIP_SPACE_DEF [19:19] dx_clip_space_def: bool, "depth in clip space begins with 0";
        DIS_CLIP_ERR_DETECT [20:20] dis_clip_err_detect: bool, "no look for errors";
        VTX_KILL_OR [21:21] vtx_kill_or: bool, "one killed vertex drops a primitive";
        DX_RASTERIZATION_KILL [22:22] dx_rasterization_kill: bool, "nothing is drawn";
        DX_LINEAR_ATTR_CLIP_ENA [24:24] dx_linear_attr_clip_ena: bool, "linear attributes stay linear";
        VTE_VPORT_PROVOKE_DISABLE [25:25] vte_vport_provoke_disable: bool, "viewport of which vertex";
        ZCLIP_NEAR_DISABLE [26:26] zclip_near_disable: bool, "the near plane does not clip";
        ZCLIP_FAR_DISABLE [27:27] zclip_far_disable: bool, "the far plane does not clip";
    }
    PaSuScModeCntl "PA_SU_SC_MODE_CNTL" 0x28814, Fields, "polygons" {
        CULL_FRONT [0:0] cull_front: bool, "front faces are dropped";
        CULL_BACK [1:1] cull_back: bool, "back faces are dropped";
        FACE [2:2] face: bool, "faces of positive area are front";
        POLY_MODE [4:3] poly_mode: u8, "0: filled; 1: as the faces say";
        POLYMODE_FRONT_PTYPE [7:5] polymode_front_ptype: PolygonMode, "front faces";
        POLYMODE_BACK_PTYPE [10:8] polymode_back_ptype: PolygonMode, "back faces";
        POLY_OFFSET_FRONT_ENABLE [11:11] poly_offset_front_enable: bool, "depth of front faces is moved";
        POLY_OFFSET_BACK_ENABLE [12:12] poly_offset_back_enable: bool, "depth of back faces is moved";
        POLY_OFFSET_PARA_ENABLE [13:13] poly_offset_para_enable: bool, "depth of points and lines is moved";
        VTX_WINDOW_OFFSET_ENABLE [16:16] vtx_window_offset_enable: bool, "PA_SC_WINDOW_OFFSET is added";
        PROVOKING_VTX_LAST [19:19] provoking_vtx_last: bool, "the last vertex gives flat attributes";
        PERSP_CORR_DIS [20:20] persp_corr_dis: bool, "no perspective";
        MULTI_PRIM_IB_ENA [21:21] multi_prim_ib_ena: bool, "several primitives in an index buffer";
    }
    PaClVteCntl "PA_CL_VTE_CNTL" 0x28818, Fields, "from clip space to the window" {
        VPORT_X_SCALE_ENA [0:0] vport_x_scale_ena: bool, "x is multiplied";
        VPORT_X_OFFSET_ENA [1:1] vport_x_offset_ena: bool, "x is moved";
        VPORT_Y_SCALE_ENA [2:2] vport_y_scale_ena: bool, "y is multiplied";
        VPORT_Y_OFFSET_ENA [3:3] vport_y_offset_ena: bool, "y is moved";
        VPORT_Z_SCALE_ENA [4:4] vport_z_scale_ena: bool, "z is multiplied";
        VPORT_Z_OFFSET_ENA [5:5] vport_z_offset_ena: bool, "z is moved";
        VTX_XY_FMT [8:8] vtx_xy_fmt: bool, "x and y are divided already";
        VTX_Z_FMT [9:9] vtx_z_fmt: bool, "z is divided already";
        VTX_W0_FMT [10:10] vtx_w0_fmt: bool, "w is w, and not 1/w";
    }
    PaClVsOutCntl "PA_CL_VS_OUT_CNTL" 0x2881C, Fields, "what vertex programs export besides the position" {
        CLIP_DIST_ENA_0 [0:0] clip_dist_ena_0: bool, "distance 0 clips";
        CLIP_DIST_ENA_1 [1:1] clip_dist_ena_1: bool, "distance 1 clips";
        CLIP_DIST_ENA_2 [2:2] clip_dist_ena_2: bool, "distance 2 clips";
        CLIP_DIST_ENA_3 [3:3] clip_dist_ena_3: bool, "distance 3 clips";
        CLIP_DIST_ENA_4 [4:4] clip_dist_ena_4: bool, "distance 4 clips";
        CLIP_DIST_ENA_5 [5:5] clip_dist_ena_5: bool, "distance 5 clips";
        CLIP_DIST_ENA_6 [6:6] clip_dist_ena_6: bool, "distance 6 clips";
        CLIP_DIST_ENA_7 [7:7] clip_dist_ena_7: bool, "distance 7 clips";
        CULL_DIST_ENA_0 [8:8] cull_dist_ena_0: bool, "distance 0 culls";
        CULL_DIST_ENA_1 [9:9] cull_dist_ena_1: bool, "distance 1 culls";
        CULL_DIST_ENA_2 [10:10] cull_dist_ena_2: bool, "distance 2 culls";
        CULL_DIST_ENA_3 [11:11] cull_dist_ena_3: bool, "distance 3 culls";
        CULL_DIST_ENA_4 [12:12] cull_dist_ena_4: bool, "distance 4 culls";
        CULL_DIST_ENA_5 [13:13] cull_dist_ena_5: bool, "distance 5 culls";
        CULL_DIST_ENA_6 [14:14] cull_dist_ena_6: bool, "distance 6 culls";
        CULL_DIST_ENA_7 [15:15] cull_dist_ena_7: bool, "distance 7 culls";
        USE_VTX_POINT_SIZE [16:16] use_vtx_point_size: bool, "sizes of points";
        USE_VTX_EDGE_FLAG [17:17] use_vtx_edge_flag: bool, "which edges are drawn";
        USE_VTX_RENDER_TARGET_INDX [18:18] use_vtx_render_target_indx: bool, "layers of targets";
        USE_VTX_VIEWPORT_INDX [19:19] use_vtx_viewport_indx: bool, "viewports";
        USE_VTX_KILL_FLAG [20:20] use_vtx_kill_flag: bool, "which vertices are killed";
        VS_OUT_MISC_VEC_ENA [21:21] vs_out_misc_vec_ena: bool, "there is the vector of these";
        VS_OUT_CCDIST0_VEC_ENA [22:22] vs_out_ccdist0_vec_ena: bool, "there are distances 0 to 3";
        VS_OUT_CCDIST1_VEC_ENA [23:23] vs_out_ccdist1_vec_ena: bool, "there are distances 4 to 7";
    }
    PaClNaninfCntl "PA_CL_NANINF_CNTL" 0x28820, Bits ignored, "NaNs and infinities of positions" { VALUE [31:0] value: u32, "bits"; }
    PaSuPointSize "PA_SU_POINT_SIZE" 0x28A00, Fields, "size of points, in sixteenths of a pixel" {
        HEIGHT [15:0] height: u16, "half height";
        WIDTH [31:16] width: u16, "half width";
    }
    PaSuPointMinmax "PA_SU_POINT_MINMAX" 0x28A04, Fields, "bounds of point sizes, in sixteenths of a pixel" {
        MIN_SIZE [15:0] min_size: u16, "least half size";
        MAX_SIZE [31:16] max_size: u16, "greatest half size";
    }
    PaSuLineCntl "PA_SU_LINE_CNTL" 0x28A08, Fields, "width of lines, in sixteenths of a pixel" { WIDTH [15:0] width: u16, "half width"; }
    PaScLineStipple "PA_SC_LINE_STIPPLE" 0x28A0C, Fields, "line stipple" {
        LINE_PATTERN [15:0] line_pattern: u16, "a bit for each step";
        REPEAT_COUNT [23:16] repeat_count: u8, "pixels of a step, - 1";
        PATTERN_BIT_ORDER [28:28] pattern_bit_order: bool, "the high bit is first";
        AUTO_RESET_CNTL [30:29] auto_reset_cntl: StippleReset, "when the pattern begins anew";
    }
    PaScMpassPsCntl "PA_SC_MPASS_PS_CNTL" 0x28A48, Bits ignored, "passes of pixel programs" { VALUE [31:0] value: u32, "bits"; }
    PaScModeCntl "PA_SC_MODE_CNTL" 0x28A4C, Fields, "how primitives become pixels" {
        MSAA_ENABLE [0:0] msaa_enable: bool, "samples are covered one by one";
        CLIPRECT_ENABLE [1:1] cliprect_enable: bool, "clip rectangles count";
        LINE_STIPPLE_ENABLE [2:2] line_stipple_enable: bool, "lines are stippled";
        MULTI_CHIP_PRIM_DISCARD_ENAB [3:3] multi_chip_prim_discard_enab: bool, "several chips share primitives";
        WALK_ORDER_ENABLE [4:4] walk_order_enable: bool, "order of tiles";
        HALVE_DETAIL_SAMPLE_PERF [5:5] halve_detail_sample_perf: bool, "speed of samples";
        WALK_SIZE [6:6] walk_size: bool, "size of steps";
        WALK_ALIGNMENT [7:7] walk_alignment: bool, "alignment of steps";
        WALK_ALIGN8_PRIM_FITS_ST [8:8] walk_align8_prim_fits_st: bool, "alignment of small primitives";
        TILE_COVER_NO_SCISSOR [9:9] tile_cover_no_scissor: bool, "scissors and whole tiles";
        KILL_PIX_POST_HI_Z [10:10] kill_pix_post_hi_z: bool, "pixels end after coarse depth";
        KILL_PIX_POST_DETAIL_MASK [11:11] kill_pix_post_detail_mask: bool, "pixels end after coverage";
        MULTI_CHIP_SUPERTILE_ENABLE [12:12] multi_chip_supertile_enable: bool, "several chips share tiles";
        TILE_COVER_DISABLE [13:13] tile_cover_disable: bool, "whole tiles are not known";
        FORCE_EOV_CNTDWN_ENABLE [14:14] force_eov_cntdwn_enable: bool, "vectors end by a counter";
        FORCE_EOV_TILE_ENABLE [15:15] force_eov_tile_enable: bool, "vectors end with tiles";
        FORCE_EOV_REZ_ENABLE [16:16] force_eov_rez_enable: bool, "vectors end with depth";
        PS_ITER_SAMPLE [17:17] ps_iter_sample: bool, "the pixel program runs for each sample";
        R700_ZMM_LINE_OFFSET [20:20] r700_zmm_line_offset: bool, "coarse depth of lines";
        R700_VPORT_SCISSOR_ENABLE [22:22] r700_vport_scissor_enable: bool, "scissors of viewports count";
    }
    PaScLineCntl "PA_SC_LINE_CNTL" 0x28C00, Fields, "lines" {
        EXPAND_LINE_WIDTH [9:9] expand_line_width: bool, "they are as wide across, if samples are covered one by one";
        LAST_PIXEL [10:10] last_pixel: bool, "the last pixel is drawn";
    }
    PaScAaConfig "PA_SC_AA_CONFIG" 0x28C04, Fields, "multisampling" {
        MSAA_NUM_SAMPLES [1:0] msaa_num_samples: u8, "log2 of the samples of a pixel";
        AA_MASK_CENTROID_DTMN [4:4] aa_mask_centroid_dtmn: bool, "the mask decides about centroids";
        MAX_SAMPLE_DIST [16:13] max_sample_dist: u8, "distance of the farthest sample from the centre";
    }
    PaSuVtxCntl "PA_SU_VTX_CNTL" 0x28C08, Fields, "grid of positions" {
        PIX_CENTER_HALF [0:0] pix_center_half: bool, "pixel centres are at halves";
        QUANT_MODE [5:3] quant_mode: u8, "5: 1/256 pixel";
    }
    PaClGbVertClipAdj "PA_CL_GB_VERT_CLIP_ADJ" 0x28C0C, Float ignored, "guard band, vertical, for clipping" { VALUE [31:0] value: u32, "binary32"; }
    PaClGbVertDiscAdj "PA_CL_GB_VERT_DISC_ADJ" 0x28C10, Float ignored, "guard band, vertical, for dropping" { VALUE [31:0] value: u32, "binary32"; }
    PaClGbHorzClipAdj "PA_CL_GB_HORZ_CLIP_ADJ" 0x28C14, Float ignored, "guard band, horizontal, for clipping" { VALUE [31:0] value: u32, "binary32"; }
    PaClGbHorzDiscAdj "PA_CL_GB_HORZ_DISC_ADJ" 0x28C18, Float ignored, "guard band, horizontal, for dropping" { VALUE [31:0] value: u32, "binary32"; }
    PaScAaSampleLocsMctx "PA_SC_AA_SAMPLE_LOCS_MCTX" 0x28C1C, Fields, "places of samples 0 to 3, in sixteenths of a pixel from the centre" {
        S0_X [3:0] s0_x: u8, "column of sample 0";
        S0_Y [7:4] s0_y: u8, "row of sample 0";
        S1_X [11:8] s1_x: u8, "column of sample 1";
        S1_Y [15:12] s1_y: u8, "row of sample 1";
        S2_X [19:16] s2_x: u8, "column of sample 2";
        S2_Y [23:20] s2_y: u8, "row of sample 2";
        S3_X [27:24] s3_x: u8, "column of sample 3";
        S3_Y [31:28] s3_y: u8, "row of sample 3";
    }
    PaScAaSampleLocs8dWd1Mctx "PA_SC_AA_SAMPLE_LOCS_8D_WD1_MCTX" 0x28C20, Fields, "places of samples 4 to 7, in sixteenths of a pixel from the centre" {
        S4_X [3:0] s4_x: u8, "column of sample 4";
        S4_Y [7:4] s4_y: u8, "row of sample 4";
        S5_X [11:8] s5_x: u8, "column of sample 5";
        S5_Y [15:12] s5_y: u8, "row of sample 5";
        S6_X [19:16] s6_x: u8, "column of sample 6";
        S6_Y [23:20] s6_y: u8, "row of sample 6";
        S7_X [27:24] s7_x: u8, "column of sample 7";
        S7_Y [31:28] s7_y: u8, "row of sample 7";
    }
    PaScAaMask "PA_SC_AA_MASK" 0x28C48, Fields, "samples that are drawn to" {
        MASK [7:0] mask: u8, "of the left upper pixel of a quad; those of the others are the same";
    }
    PaSuPolyOffsetDbFmtCntl "PA_SU_POLY_OFFSET_DB_FMT_CNTL" 0x28DF8, Fields, "how depth is stored, for polygon offset" {
        POLY_OFFSET_NEG_NUM_DB_BITS [7:0] poly_offset_neg_num_db_bits: u8, "bits, negative";
        POLY_OFFSET_DB_IS_FLOAT_FMT [8:8] poly_offset_db_is_float_fmt: bool, "as binary32";
    }
    PaSuPolyOffsetClamp "PA_SU_POLY_OFFSET_CLAMP" 0x28DFC, Float, "polygon offset: bound" { VALUE [31:0] value: u32, "binary32"; }
    PaSuPolyOffsetFrontScale "PA_SU_POLY_OFFSET_FRONT_SCALE" 0x28E00, Float, "polygon offset of front faces: 16 times the factor of the slope" {
        VALUE [31:0] value: u32, "binary32";
    }
    PaSuPolyOffsetFrontOffset "PA_SU_POLY_OFFSET_FRONT_OFFSET" 0x28E04, Float, "polygon offset of front faces: constant" {
        VALUE [31:0] value: u32, "binary32";
    }
    PaSuPolyOffsetBackScale "PA_SU_POLY_OFFSET_BACK_SCALE" 0x28E08, Float, "polygon offset of back faces: 16 times the factor of the slope" {
        VALUE [31:0] value: u32, "binary32";
    }
    PaSuPolyOffsetBackOffset "PA_SU_POLY_OFFSET_BACK_OFFSET" 0x28E0C, Float, "polygon offset of back faces: constant" {
        VALUE [31:0] value: u32, "binary32";
    }
    PaClUcpX "PA_CL_UCP_X" 0x28E20 [6, 16], Float, "user clip plane: factor of x" { VALUE [31:0] value: u32, "binary32"; }
    PaClUcpY "PA_CL_UCP_Y" 0x28E24 [6, 16], Float, "user clip plane: factor of y" { VALUE [31:0] value: u32, "binary32"; }
    PaClUcpZ "PA_CL_UCP_Z" 0x28E28 [6, 16], Float, "user clip plane: factor of z" { VALUE [31:0] value: u32, "binary32"; }
    PaClUcpW "PA_CL_UCP_W" 0x28E2C [6, 16], Float, "user clip plane: factor of w" { VALUE [31:0] value: u32, "binary32"; }
}
