//! Copy class.

use ctm_card::registers;

registers! { "copy", COPY;
    CopyExec "EXEC" 0x0300, Fields, "copies" {
        COPY_MODE [1:0] copy_mode: u8, "0: nothing";
        FLUSH [2:2] flush: bool, "waits for stores";
        QUERY [4:3] query: u8, "a semaphore afterwards";
        SRC_LINEAR [7:7] src_linear: bool, "the source lies row by row";
        DST_LINEAR [8:8] dst_linear: bool, "the destination lies row by row";
        MULTI_LINE [9:9] multi_line: bool, "several rows";
        SWIZZLE [10:10] swizzle: bool, "elements have components";
    }
    CopySrcAddressHigh "SRC_ADDRESS_HIGH" 0x0400, Address, "where the source lies: upper half" { HIGH [31:0] high: u32, "address"; }
    CopySrcAddressLow "SRC_ADDRESS_LOW" 0x0404, Address, "where the source lies: lower half" { LOW [31:0] low: u32, "address"; }
    CopyDstAddressHigh "DST_ADDRESS_HIGH" 0x0408, Address, "where the destination lies: upper half" { HIGH [31:0] high: u32, "address"; }
    CopyDstAddressLow "DST_ADDRESS_LOW" 0x040C, Address, "where the destination lies: lower half" { LOW [31:0] low: u32, "address"; }
    CopySrcPitch "SRC_PITCH" 0x0410, Fields, "from one row of the source to the next" { BYTES [31:0] bytes: u32, "bytes"; }
    CopyDstPitch "DST_PITCH" 0x0414, Fields, "from one row of the destination to the next" { BYTES [31:0] bytes: u32, "bytes"; }
    CopyXCount "X_COUNT" 0x0418, Fields, "elements of a row" { COUNT [31:0] count: u32, "how many"; }
    CopyYCount "Y_COUNT" 0x041C, Fields, "rows" { COUNT [31:0] count: u32, "how many"; }
    CopyConst "CONST" 0x0700 [2, 4], Bits, "constants of components" { VALUE [31:0] value: u32, "bits"; }
    CopySwizzle "SWIZZLE" 0x0708, Fields, "components of elements" {
        DST_X [2:0] dst_x: u8, "what the first component is";
        DST_Y [6:4] dst_y: u8, "what the second component is";
        DST_Z [10:8] dst_z: u8, "what the third component is";
        DST_W [14:12] dst_w: u8, "what the fourth component is";
        COMPONENT_SIZE [17:16] component_size: u8, "bytes of a component, - 1";
        SRC_COMPONENTS [21:20] src_components: u8, "components in the source, - 1";
        DST_COMPONENTS [25:24] dst_components: u8, "components in the destination, - 1";
    }
    CopyDstTileMode "DST_TILE_MODE" 0x070C, Fields, "blocks of the destination" {
        HEIGHT_LOG2 [7:4] height_log2: u8, "GOBs of a block's height";
        DEPTH_LOG2 [11:8] depth_log2: u8, "GOBs of a block's depth";
        GOB_HEIGHT [15:12] gob_height: u8, "1: GOBs of eight rows";
    }
    CopyDstWidth "DST_WIDTH" 0x0710, Fields, "elements of a row of the destination" { WIDTH [31:0] width: u32, "how many"; }
    CopyDstHeight "DST_HEIGHT" 0x0714, Fields, "rows of the destination" { HEIGHT [31:0] height: u32, "how many"; }
    CopyDstDepth "DST_DEPTH" 0x0718, Fields, "slices of the destination" { DEPTH [31:0] depth: u32, "how many"; }
    CopyDstLayer "DST_LAYER" 0x071C, Fields, "slice of the destination" { LAYER [31:0] layer: u32, "number"; }
    CopyDstOrigin "DST_ORIGIN" 0x0720, Fields, "where the destination begins" {
        X [15:0] x: u16, "element";
        Y [31:16] y: u16, "row";
    }
    CopySrcTileMode "SRC_TILE_MODE" 0x0728, Fields, "blocks of the source" {
        HEIGHT_LOG2 [7:4] height_log2: u8, "GOBs of a block's height";
        DEPTH_LOG2 [11:8] depth_log2: u8, "GOBs of a block's depth";
        GOB_HEIGHT [15:12] gob_height: u8, "1: GOBs of eight rows";
    }
    CopySrcWidth "SRC_WIDTH" 0x072C, Fields, "elements of a row of the source" { WIDTH [31:0] width: u32, "how many"; }
    CopySrcHeight "SRC_HEIGHT" 0x0730, Fields, "rows of the source" { HEIGHT [31:0] height: u32, "how many"; }
    CopySrcDepth "SRC_DEPTH" 0x0734, Fields, "slices of the source" { DEPTH [31:0] depth: u32, "how many"; }
    CopySrcLayer "SRC_LAYER" 0x0738, Fields, "slice of the source" { LAYER [31:0] layer: u32, "number"; }
    CopySrcOrigin "SRC_ORIGIN" 0x073C, Fields, "where the source begins" {
        X [15:0] x: u16, "element";
        Y [31:16] y: u16, "row";
    }
}
