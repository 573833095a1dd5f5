//! DB: depth and stencil.

use super::codes::{ArrayMode, DepthFormat, Function, StencilOp};
use ctm_card::registers;

registers! { "DB", DB;
    DbDebug "DB_DEBUG" 0x09830, Bits ignored, "switches for tests" { VALUE [31:0] value: u32, "bits"; }
    DbWatermarks "DB_WATERMARKS" 0x09838, Bits ignored, "queues" {
        DEPTH_FREE [4:0] depth_free: u8, "depth";
        DEPTH_FLUSH [10:5] depth_flush: u8, "flushes";
        FORCE_SUMMARIZE [14:11] force_summarize: u8, "summaries";
        DEPTH_PENDING_FREE [19:15] depth_pending_free: u8, "pending depth";
        DEPTH_CACHELINE_FREE [24:20] depth_cacheline_free: u8, "cache lines";
        EARLY_Z_PANIC_DISABLE [25:25] early_z_panic_disable: bool, "early depth";
        LATE_Z_PANIC_DISABLE [26:26] late_z_panic_disable: bool, "late depth";
        RE_Z_PANIC_DISABLE [27:27] re_z_panic_disable: bool, "repeated depth";
        DB_EXTRA_DEBUG [31:28] db_extra_debug: u8, "switches for tests";
    }
    DbDepthSize "DB_DEPTH_SIZE" 0x28000, Fields, "size of the depth buffer" {
        PITCH_TILE_MAX [9:0] pitch_tile_max: u16, "an eighth of the pitch, - 1";
        SLICE_TILE_MAX [29:10] slice_tile_max: u32, "tiles of a slice, - 1";
    }
    DbDepthView "DB_DEPTH_VIEW" 0x28004, Fields, "layers of the depth buffer" {
        SLICE_START [10:0] slice_start: u16, "the first";
        SLICE_MAX [23:13] slice_max: u16, "the last";
    }
    DbDepthBase "DB_DEPTH_BASE" 0x2800C, Address, "where the depth buffer lies" { BASE [31:0] base: u32, "in units of 256 bytes"; }
    DbDepthInfo "DB_DEPTH_INFO" 0x28010, Fields, "form of the depth buffer" {
        FORMAT [2:0] format: DepthFormat, "what it holds";
        READ_SIZE [3:3] read_size: bool, "512 bytes at once";
        ARRAY_MODE [18:15] array_mode: ArrayMode, "order of pixels";
        TILE_SURFACE_ENABLE [25:25] tile_surface_enable: bool, "there is coarse depth";
        TILE_COMPACT [26:26] tile_compact: bool, "coarse depth is packed";
        ZRANGE_PRECISION [31:31] zrange_precision: bool, "precision of coarse depth";
    }
    DbHtileDataBase "DB_HTILE_DATA_BASE" 0x28014, Address, "where coarse depth lies" { BASE [31:0] base: u32, "in units of 256 bytes"; }
    DbStencilClear "DB_STENCIL_CLEAR" 0x28028, Bits ignored, "what stencil values are where tiles are clear" { CLEAR [7:0] clear: u8, "value"; }
    DbDepthClear "DB_DEPTH_CLEAR" 0x2802C, Float ignored, "what depth is where tiles are clear" { VALUE [31:0] value: u32, "binary32"; }
    DbStencilrefmask "DB_STENCILREFMASK" 0x28430, Fields, "stencil: reference and masks" {
        STENCILREF [7:0] stencilref: u8, "reference";
        STENCILMASK [15:8] stencilmask: u8, "bits that are compared";
        STENCILWRITEMASK [23:16] stencilwritemask: u8, "bits that are written";
    }
    DbStencilrefmaskBf "DB_STENCILREFMASK_BF" 0x28434, Fields, "stencil of back faces: reference and masks" {
        STENCILREF_BF [7:0] stencilref_bf: u8, "reference";
        STENCILMASK_BF [15:8] stencilmask_bf: u8, "bits that are compared";
        STENCILWRITEMASK_BF [23:16] stencilwritemask_bf: u8, "bits that are written";
    }
    DbDepthControl "DB_DEPTH_CONTROL" 0x28800, Fields, "depth and stencil tests" {
        STENCIL_ENABLE [0:0] stencil_enable: bool, "stencil values are tested";
        Z_ENABLE [1:1] z_enable: bool, "depth is tested";
        Z_WRITE_ENABLE [2:2] z_write_enable: bool, "depth is written";
        ZFUNC [6:4] zfunc: Function, "comparison of depth";
        BACKFACE_ENABLE [7:7] backface_enable: bool, "back faces have a stencil test of their own";
        STENCILFUNC [10:8] stencilfunc: Function, "comparison of stencil values";
        STENCILFAIL [13:11] stencilfail: StencilOp, "where that fails";
        STENCILZPASS [16:14] stencilzpass: StencilOp, "where both pass";
        STENCILZFAIL [19:17] stencilzfail: StencilOp, "where depth fails";
        STENCILFUNC_BF [22:20] stencilfunc_bf: Function, "comparison, back faces";
        STENCILFAIL_BF [25:23] stencilfail_bf: StencilOp, "where that fails";
        STENCILZPASS_BF [28:26] stencilzpass_bf: StencilOp, "where both pass";
        STENCILZFAIL_BF [31:29] stencilzfail_bf: StencilOp, "where depth fails";
    }
    DbShaderControl "DB_SHADER_CONTROL" 0x2880C, Fields, "what pixel programs do to depth and coverage" {
        Z_EXPORT_ENABLE [0:0] z_export_enable: bool, "they export depth";
        STENCIL_REF_EXPORT_ENABLE [1:1] stencil_ref_export_enable: bool, "they export a reference";
        Z_ORDER [5:4] z_order: u8, "when tests are";
        KILL_ENABLE [6:6] kill_enable: bool, "they kill pixels";
        MASK_EXPORT_ENABLE [8:8] mask_export_enable: bool, "they export a mask of samples";
        DUAL_EXPORT_ENABLE [9:9] dual_export_enable: bool, "two exports at once";
    }
    DbRenderControl "DB_RENDER_CONTROL" 0x28D0C, Fields, "what draws do with depth" {
        DEPTH_CLEAR_ENABLE [0:0] depth_clear_enable: bool, "they clear it";
        STENCIL_CLEAR_ENABLE [1:1] stencil_clear_enable: bool, "they clear stencil values";
        DEPTH_COPY_ENABLE [2:2] depth_copy_enable: bool, "they copy it to a colour buffer";
        STENCIL_COPY_ENABLE [3:3] stencil_copy_enable: bool, "they copy stencil values to a colour buffer";
        RESUMMARIZE_ENABLE [4:4] resummarize_enable: bool, "coarse depth is made anew";
        STENCIL_COMPRESS_DISABLE [5:5] stencil_compress_disable: bool, "stencil values are stored whole";
        DEPTH_COMPRESS_DISABLE [6:6] depth_compress_disable: bool, "depth is stored whole";
        COPY_CENTROID [7:7] copy_centroid: bool, "copies are of covered samples";
        COPY_SAMPLE [9:8] copy_sample: u8, "copies are of this sample";
        ZPASS_INCREMENT_DISABLE [11:11] zpass_increment_disable: bool, "samples are not counted";
        CONSERVATIVE_Z_EXPORT [14:13] conservative_z_export: u8, "bounds of exported depth";
        R700_PERFECT_ZPASS_COUNTS [15:15] r700_perfect_zpass_counts: bool, "counts are exact";
    }
    DbRenderOverride "DB_RENDER_OVERRIDE" 0x28D10, Fields ignored, "what coarse depth may do" {
        FORCE_HIZ_ENABLE [1:0] force_hiz_enable: u8, "coarse depth";
        FORCE_HIS_ENABLE0 [3:2] force_his_enable0: u8, "coarse stencil values, test 0";
        FORCE_HIS_ENABLE1 [5:4] force_his_enable1: u8, "coarse stencil values, test 1";
        FORCE_SHADER_Z_ORDER [6:6] force_shader_z_order: bool, "when tests are";
        FAST_Z_DISABLE [7:7] fast_z_disable: bool, "depth without programs";
        FAST_STENCIL_DISABLE [8:8] fast_stencil_disable: bool, "stencil values without programs";
        NOOP_CULL_DISABLE [9:9] noop_cull_disable: bool, "draws without effect";
        FORCE_COLOR_KILL [10:10] force_color_kill: bool, "no colours";
        FORCE_Z_READ [11:11] force_z_read: bool, "depth is read";
        FORCE_STENCIL_READ [12:12] force_stencil_read: bool, "stencil values are read";
        FORCE_FULL_Z_RANGE [14:13] force_full_z_range: u8, "whole range of depth";
        FORCE_QC_SMASK_CONFLICT [15:15] force_qc_smask_conflict: bool, "conflicts";
        DISABLE_VIEWPORT_CLAMP [16:16] disable_viewport_clamp: bool, "depth is not clamped";
        IGNORE_SC_ZRANGE [17:17] ignore_sc_zrange: bool, "ranges of primitives";
        MAX_TILES_IN_DTT [25:21] max_tiles_in_dtt: u8, "tiles in flight";
    }
    DbHtileSurface "DB_HTILE_SURFACE" 0x28D24, Fields ignored, "coarse depth" {
        HTILE_WIDTH [0:0] htile_width: bool, "width of its tiles";
        HTILE_HEIGHT [1:1] htile_height: bool, "height of its tiles";
        LINEAR [2:2] linear: bool, "row by row";
        FULL_CACHE [3:3] full_cache: bool, "it has the whole cache";
        HTILE_USES_PRELOAD_WIN [4:4] htile_uses_preload_win: bool, "a part is loaded ahead";
        PRELOAD [5:5] preload: bool, "it is loaded ahead";
        PREFETCH_WIDTH [11:6] prefetch_width: u8, "width of what is fetched ahead";
        PREFETCH_HEIGHT [17:12] prefetch_height: u8, "height of what is fetched ahead";
    }
    DbSresultsCompareState0 "DB_SRESULTS_COMPARE_STATE0" 0x28D28, Bits ignored, "coarse stencil values, test 0" { VALUE [31:0] value: u32, "bits"; }
    DbSresultsCompareState1 "DB_SRESULTS_COMPARE_STATE1" 0x28D2C, Bits ignored, "coarse stencil values, test 1" { VALUE [31:0] value: u32, "bits"; }
    DbPreloadControl "DB_PRELOAD_CONTROL" 0x28D30, Bits ignored, "what is loaded ahead" { VALUE [31:0] value: u32, "bits"; }
    DbPrefetchLimit "DB_PREFETCH_LIMIT" 0x28D34, Fields ignored, "where fetching ahead ends" {
        DEPTH_HEIGHT_TILE_MAX [9:0] depth_height_tile_max: u16, "rows of tiles, - 1";
    }
    DbAlphaToMask "DB_ALPHA_TO_MASK" 0x28D44, Fields, "alpha makes a mask of samples" {
        ALPHA_TO_MASK_ENABLE [0:0] alpha_to_mask_enable: bool, "it does";
        ALPHA_TO_MASK_OFFSET0 [9:8] alpha_to_mask_offset0: u8, "dithering of the first pixel of a quad";
        ALPHA_TO_MASK_OFFSET1 [11:10] alpha_to_mask_offset1: u8, "of the second";
        ALPHA_TO_MASK_OFFSET2 [13:12] alpha_to_mask_offset2: u8, "of the third";
        ALPHA_TO_MASK_OFFSET3 [15:14] alpha_to_mask_offset3: u8, "of the fourth";
        OFFSET_ROUND [16:16] offset_round: bool, "rounding";
    }
}
