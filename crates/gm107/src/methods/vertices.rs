//! 3D class: vertex arrays, indices, and the beginning and end of draws.

use super::codes::PrimitiveType;
use ctm_card::registers;

registers! { "3D", VERTICES;
    PrimRestartWithDrawArrays "PRIM_RESTART_WITH_DRAW_ARRAYS" 0x0DE8, Fields, "restart indices count in ranges too" { ENABLE [0:0] enable: bool, "they do"; }
    VertexRunoutAddressHigh "VERTEX_RUNOUT_ADDRESS_HIGH" 0x0F84, Address ignored, "what is read outside of vertex arrays: upper half" { HIGH [31:0] high: u32, "address"; }
    VertexRunoutAddressLow "VERTEX_RUNOUT_ADDRESS_LOW" 0x0F88, Address ignored, "what is read outside of vertex arrays: lower half" { LOW [31:0] low: u32, "address"; }
    VertexIdBase "VERTEX_ID_BASE" 0x1118, Fields, "added to indices for vertex numbers" { VALUE [31:0] value: u32, "number"; }
    VtxAttrDefine "VTX_ATTR_DEFINE" 0x114C, Fields, "the attribute whose constant is set" {
        ATTR [7:0] attr: u8, "number";
        COMP [10:8] comp: u8, "components";
        SIZE [14:12] size: u8, "bits of a component";
        TYPE [18:16] kind: u8, "type of a component";
    }
    VtxAttrData "VTX_ATTR_DATA" 0x1150 [4, 4], Float, "a component of that constant" { VALUE [31:0] value: u32, "bits"; }
    VertexAttribFormat "VERTEX_ATTRIB_FORMAT" 0x1160 [32, 4], Fields, "a vertex attribute" {
        BUFFER [4:0] buffer: u8, "its array";
        CONST [6:6] constant: bool, "it is a constant";
        OFFSET [20:7] offset: u16, "where it lies in an element, in bytes";
        SIZE [26:21] size: u8, "bits of its components";
        TYPE [29:27] kind: u8, "what these are";
        BGRA [31:31] bgra: bool, "the first and third components change places";
    }
    VertexBufferFirst "VERTEX_BUFFER_FIRST" 0x0D74, Fields, "first index of a range" { VALUE [31:0] value: u32, "index"; }
    VertexBufferCount "VERTEX_BUFFER_COUNT" 0x0D78, Fields, "appends a range of indices" { VALUE [31:0] value: u32, "how many"; }
    DrawTfbBytes "DRAW_TFB_BYTES" 0x123C, Fields, "appends the vertices that feedback has written" { VALUE [31:0] value: u32, "bytes"; }
    DrawTfbBase "DRAW_TFB_BASE" 0x13A4, Fields, "where feedback began" { VALUE [31:0] value: u32, "bytes"; }
    DrawTfbStride "DRAW_TFB_STRIDE" 0x1318, Fields, "from one vertex of feedback to the next" { VALUE [31:0] value: u32, "bytes"; }
    VbElementU8 "VB_ELEMENT_U8" 0x1304, Bits, "appends four indices" { VALUE [31:0] value: u32, "a byte each"; }
    VbElementU32 "VB_ELEMENT_U32" 0x15E8, Bits, "appends an index" { VALUE [31:0] value: u32, "index"; }
    VbElementU16 "VB_ELEMENT_U16" 0x15F0, Bits, "appends two indices" { VALUE [31:0] value: u32, "16 bits each"; }
    VbElementBase "VB_ELEMENT_BASE" 0x1434, Fields, "added to indices for elements of arrays" { VALUE [31:0] value: u32, "number"; }
    VbInstanceBase "VB_INSTANCE_BASE" 0x1438, Fields, "added to instances for elements of arrays" { VALUE [31:0] value: u32, "number"; }
    Edgeflag "EDGEFLAG" 0x15E4, Fields, "vertices appended from now on begin an edge" { ENABLE [0:0] enable: bool, "they do"; }
    VertexEndGl "VERTEX_END_GL" 0x1614, Bits, "draws" { VALUE [31:0] value: u32, "ignored"; }
    VertexBeginGl "VERTEX_BEGIN_GL" 0x1618, Fields, "begins a draw" {
        PRIMITIVE [15:0] primitive: PrimitiveType, "what it draws";
        INSTANCE_NEXT [26:26] instance_next: bool, "the next instance";
        INSTANCE_CONT [27:27] instance_cont: bool, "the same instance";
    }
    VertexIdReplace "VERTEX_ID_REPLACE" 0x161C, Fields, "an attribute is the vertex number" {
        ENABLE [0:0] enable: bool, "it is";
        SOURCE [11:4] source: u8, "its component: a quarter of its address";
    }
    PrimRestartEnable "PRIM_RESTART_ENABLE" 0x1644, Fields, "an index begins a new primitive" { ENABLE [0:0] enable: bool, "it does"; }
    PrimRestartIndex "PRIM_RESTART_INDEX" 0x1648, Fields, "which index begins a new primitive" { VALUE [31:0] value: u32, "index"; }
    VertexIdGenMode "VERTEX_ID_GEN_MODE" 0x164C, Bits ignored, "how vertices are numbered" { VALUE [31:0] value: u32, "ignored"; }
    ProvokingVertexLast "PROVOKING_VERTEX_LAST" 0x1684, Fields, "the vertex that flat attributes are of" { ENABLE [0:0] enable: bool, "the last one"; }
    IndexArrayStartHigh "INDEX_ARRAY_START_HIGH" 0x17C8, Address, "where indices lie: upper half" { HIGH [31:0] high: u32, "address"; }
    IndexArrayStartLow "INDEX_ARRAY_START_LOW" 0x17CC, Address, "where indices lie: lower half" { LOW [31:0] low: u32, "address"; }
    IndexArrayLimitHigh "INDEX_ARRAY_LIMIT_HIGH" 0x17D0, Address, "the last byte of indices: upper half" { HIGH [31:0] high: u32, "address"; }
    IndexArrayLimitLow "INDEX_ARRAY_LIMIT_LOW" 0x17D4, Address, "the last byte of indices: lower half" { LOW [31:0] low: u32, "address"; }
    IndexArrayFormat "INDEX_ARRAY_FORMAT" 0x17D8, Fields, "width of indices" { BYTES_LOG2 [1:0] bytes_log2: u8, "log2 of their bytes"; }
    IndexBatchFirst "INDEX_BATCH_FIRST" 0x17DC, Fields, "the first index in memory" { VALUE [31:0] value: u32, "number"; }
    IndexBatchCount "INDEX_BATCH_COUNT" 0x17E0, Fields, "appends indices of the memory" { VALUE [31:0] value: u32, "how many"; }
    VertexArrayPerInstance "VERTEX_ARRAY_PER_INSTANCE" 0x1880 [32, 4], Fields, "an array has elements for instances" { ENABLE [0:0] enable: bool, "it has"; }
    VertexArrayFetch "VERTEX_ARRAY_FETCH" 0x1C00 [32, 0x10], Fields, "a vertex array" {
        STRIDE [11:0] stride: u16, "bytes from one element to the next";
        ENABLE [12:12] enable: bool, "it is there";
    }
    VertexArrayStartHigh "VERTEX_ARRAY_START_HIGH" 0x1C04 [32, 0x10], Address, "where a vertex array lies: upper half" { HIGH [31:0] high: u32, "address"; }
    VertexArrayStartLow "VERTEX_ARRAY_START_LOW" 0x1C08 [32, 0x10], Address, "where a vertex array lies: lower half" { LOW [31:0] low: u32, "address"; }
    VertexArrayDivisor "VERTEX_ARRAY_DIVISOR" 0x1C0C [32, 0x10], Fields, "instances of an array's element" { VALUE [31:0] value: u32, "how many"; }
    VertexArrayLimitHigh "VERTEX_ARRAY_LIMIT_HIGH" 0x1F00 [32, 8], Address, "the last byte of a vertex array: upper half" { HIGH [31:0] high: u32, "address"; }
    VertexArrayLimitLow "VERTEX_ARRAY_LIMIT_LOW" 0x1F04 [32, 8], Address, "the last byte of a vertex array: lower half" { LOW [31:0] low: u32, "address"; }
}
