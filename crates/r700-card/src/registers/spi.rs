//! SPI: what pixel programs get.

use ctm_card::registers;

registers! { "SPI", SPI;
    SpiVsOutId "SPI_VS_OUT_ID" 0x28614 [10, 4], Fields, "semantics of what vertex programs export, four in a register" {
        SEMANTIC_0 [7:0] semantic_0: u8, "of the first";
        SEMANTIC_1 [15:8] semantic_1: u8, "of the second";
        SEMANTIC_2 [23:16] semantic_2: u8, "of the third";
        SEMANTIC_3 [31:24] semantic_3: u8, "of the fourth";
    }
    SpiPsInputCntl "SPI_PS_INPUT_CNTL" 0x28644 [32, 4], Fields, "an input of pixel programs" {
        SEMANTIC [7:0] semantic: u8, "which export it is";
        DEFAULT_VAL [9:8] default_val: u8, "what it is if there is no such export";
        FLAT_SHADE [10:10] flat_shade: bool, "it is that of the provoking vertex";
        SEL_CENTROID [11:11] sel_centroid: bool, "it is taken inside of the primitive";
        SEL_LINEAR [12:12] sel_linear: bool, "without perspective";
        CYL_WRAP [16:13] cyl_wrap: u8, "which components wrap";
        PT_SPRITE_TEX [17:17] pt_sprite_tex: bool, "a coordinate on points";
        SEL_SAMPLE [18:18] sel_sample: bool, "it is taken at the sample";
    }
    SpiVsOutConfig "SPI_VS_OUT_CONFIG" 0x286C4, Fields, "what vertex programs export" {
        VS_PER_COMPONENT [0:0] vs_per_component: bool, "semantics are of components";
        VS_EXPORT_COUNT [5:1] vs_export_count: u8, "parameters, - 1";
        VS_EXPORTS_FOG [8:8] vs_exports_fog: bool, "one is fog";
        VS_OUT_FOG_VEC_ADDR [13:9] vs_out_fog_vec_addr: u8, "which is fog";
    }
    SpiThreadGrouping "SPI_THREAD_GROUPING" 0x286C8, Fields ignored, "grouping of threads" {
        PS_GROUPING [4:0] ps_grouping: u8, "of pixel programs";
        VS_GROUPING [12:8] vs_grouping: u8, "of vertex programs";
        GS_GROUPING [20:16] gs_grouping: u8, "of geometry programs";
        ES_GROUPING [28:24] es_grouping: u8, "of export programs";
    }
    SpiPsInControl0 "SPI_PS_IN_CONTROL_0" 0x286CC, Fields, "inputs of pixel programs" {
        NUM_INTERP [5:0] num_interp: u8, "interpolated ones";
        POSITION_ENA [8:8] position_ena: bool, "there is the position";
        POSITION_CENTROID [9:9] position_centroid: bool, "inside of the primitive";
        POSITION_ADDR [14:10] position_addr: u8, "its register";
        PARAM_GEN [18:15] param_gen: u8, "generated coordinates";
        PARAM_GEN_ADDR [25:19] param_gen_addr: u8, "their register";
        BARYC_SAMPLE_CNTL [27:26] baryc_sample_cntl: u8, "where barycentric coordinates are taken";
        PERSP_GRADIENT_ENA [28:28] persp_gradient_ena: bool, "some have perspective";
        LINEAR_GRADIENT_ENA [29:29] linear_gradient_ena: bool, "some have none";
        POSITION_SAMPLE [30:30] position_sample: bool, "the position is the sample's";
        BARYC_AT_SAMPLE_ENA [31:31] baryc_at_sample_ena: bool, "barycentric coordinates are the sample's";
    }
    SpiPsInControl1 "SPI_PS_IN_CONTROL_1" 0x286D0, Fields, "further inputs of pixel programs" {
        GEN_INDEX_PIX [0:0] gen_index_pix: bool, "there is a number of the pixel";
        GEN_INDEX_PIX_ADDR [7:1] gen_index_pix_addr: u8, "its register";
        FRONT_FACE_ENA [8:8] front_face_ena: bool, "there is the face";
        FRONT_FACE_CHAN [10:9] front_face_chan: u8, "its component";
        FRONT_FACE_ALL_BITS [11:11] front_face_all_bits: bool, "it fills a word";
        FRONT_FACE_ADDR [16:12] front_face_addr: u8, "its register";
        FOG_ADDR [23:17] fog_addr: u8, "register of fog";
        FIXED_PT_POSITION_ENA [24:24] fixed_pt_position_ena: bool, "there is the position as a number";
        FIXED_PT_POSITION_ADDR [29:25] fixed_pt_position_addr: u8, "its register";
    }
    SpiInterpControl0 "SPI_INTERP_CONTROL_0" 0x286D4, Fields, "flat attributes and points" {
        FLAT_SHADE_ENA [0:0] flat_shade_ena: bool, "there are flat attributes";
        PNT_SPRITE_ENA [1:1] pnt_sprite_ena: bool, "coordinates on points";
        PNT_SPRITE_OVRD_X [4:2] pnt_sprite_ovrd_x: u8, "their x";
        PNT_SPRITE_OVRD_Y [7:5] pnt_sprite_ovrd_y: u8, "their y";
        PNT_SPRITE_OVRD_Z [10:8] pnt_sprite_ovrd_z: u8, "their z";
        PNT_SPRITE_OVRD_W [13:11] pnt_sprite_ovrd_w: u8, "their w";
        PNT_SPRITE_TOP_1 [14:14] pnt_sprite_top_1: bool, "T is 1 at the top";
    }
    SpiInputZ "SPI_INPUT_Z" 0x286D8, Bits ignored, "depth as an input" { VALUE [31:0] value: u32, "bits"; }
    SpiFogCntl "SPI_FOG_CNTL" 0x286DC, Fields ignored, "fog" {
        PASS_FOG_THROUGH_PS [0:0] pass_fog_through_ps: bool, "programs make it";
        PIXEL_FOG_FUNC [2:1] pixel_fog_func: u8, "function";
        PIXEL_FOG_SRC_SEL [3:3] pixel_fog_src_sel: bool, "what it is made of";
        VS_FOG_CLAMP_DISABLE [4:4] vs_fog_clamp_disable: bool, "it is not clamped";
    }
    SpiFogFuncScale "SPI_FOG_FUNC_SCALE" 0x286E0, Float ignored, "fog: factor" { VALUE [31:0] value: u32, "binary32"; }
    SpiFogFuncBias "SPI_FOG_FUNC_BIAS" 0x286E4, Float ignored, "fog: constant" { VALUE [31:0] value: u32, "binary32"; }
}
