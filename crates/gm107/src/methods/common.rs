//! Methods that several classes have.

use ctm_card::registers;

registers! { "common", COMMON;
    Object "OBJECT" 0x0000, Fields, "the class of the subchannel" { CLASS [15:0] class: u16, "class"; }
    SemaphoreAddressHigh "SEMAPHORE_ADDRESS_HIGH" 0x0010, Address, "where a semaphore lies: upper half" { HIGH [31:0] high: u32, "address"; }
    SemaphoreAddressLow "SEMAPHORE_ADDRESS_LOW" 0x0014, Address, "where a semaphore lies: lower half" { LOW [31:0] low: u32, "address"; }
    SemaphoreSequence "SEMAPHORE_SEQUENCE" 0x0018, Bits, "what a semaphore is compared with, or gets" { VALUE [31:0] value: u32, "number"; }
    SemaphoreTrigger "SEMAPHORE_TRIGGER" 0x001C, Fields, "does something with a semaphore" { OPERATION [3:0] operation: u8, "1, 4: waits for it; 2: sets it"; }
    RefCnt "REF_CNT" 0x0050, Bits ignored, "counts what is done, when all before is" { VALUE [31:0] value: u32, "number"; }
    Nop "NOP" 0x0100, Bits ignored, "nothing" { VALUE [31:0] value: u32, "ignored"; }
    NotifyAddressHigh "NOTIFY_ADDRESS_HIGH" 0x0104, Bits ignored, "where notifications go: upper half" { HIGH [31:0] high: u32, "address"; }
    NotifyAddressLow "NOTIFY_ADDRESS_LOW" 0x0108, Bits ignored, "where notifications go: lower half" { LOW [31:0] low: u32, "address"; }
    Notify "NOTIFY" 0x010C, Bits ignored, "notifies" { VALUE [31:0] value: u32, "kind"; }
    Serialize "SERIALIZE" 0x0110, Bits ignored, "waits for what was begun" { VALUE [31:0] value: u32, "ignored"; }
}

registers! { "upload", UPLOAD;
    UploadLineLengthIn "UPLOAD_LINE_LENGTH_IN" 0x0180, Fields, "inline upload: length of a line" { BYTES [31:0] bytes: u32, "bytes"; }
    UploadLineCount "UPLOAD_LINE_COUNT" 0x0184, Fields, "inline upload: lines" { COUNT [31:0] count: u32, "lines"; }
    UploadDstAddressHigh "UPLOAD_DST_ADDRESS_HIGH" 0x0188, Address, "inline upload: destination, upper half" { HIGH [31:0] high: u32, "address"; }
    UploadDstAddressLow "UPLOAD_DST_ADDRESS_LOW" 0x018C, Address, "inline upload: destination, lower half" { LOW [31:0] low: u32, "address"; }
    UploadDstPitch "UPLOAD_DST_PITCH" 0x0190, Fields, "inline upload: from one line to the next" { BYTES [31:0] bytes: u32, "bytes"; }
    UploadDstLayout "UPLOAD_DST_LAYOUT" 0x0194 [7, 4], Bits ignored, "inline upload: layout of a destination that is not linear" { VALUE [31:0] value: u32, "ignored"; }
    UploadExec "UPLOAD_EXEC" 0x01B0, Fields, "inline upload: begins" { LINEAR [0:0] linear: bool, "the destination is linear"; }
    UploadData "UPLOAD_DATA" 0x01B4, Bits, "inline upload: data" { DATA [31:0] data: u32, "four bytes"; }
}
