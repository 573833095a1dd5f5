//! Names of special registers, and what several executors make them of.

/// Three coordinates in one word: x in 16 bits, y in 10, z in 6, as Mesa's nouveau takes SR_TID apart. (Decision S57: SR_NTID is
/// laid out like it, and a size that its bits cannot hold loses its upper bits.)
pub(crate) fn packed([x, y, z]: [u32; 3]) -> u32 {
    x & 0xFFFF | (y & 0x3FF) << 16 | (z & 0x3F) << 26
}

/// What registers hold that have a name, but no value here.
const NO_VALUE: &str = "It has no value here: it reads 0, with a warning.";

/// The registers that have names: numbers, names, and what they hold.
pub(crate) const SPECIAL_REGISTERS: &[(u8, &str, &str)] = &[
    (0x00, "SR_LANEID", "The number of the lane in its warp, 0 to 31."),
    (0x01, "SR_CLOCK", "The lower word of the clock: instructions that the warp executed before."),
    (0x02, "SR_VIRTCFG", NO_VALUE),
    (0x03, "SR_VIRTID", NO_VALUE),
    (0x04, "SR_PM0", NO_VALUE),
    (0x05, "SR_PM1", NO_VALUE),
    (0x06, "SR_PM2", NO_VALUE),
    (0x07, "SR_PM3", NO_VALUE),
    (0x08, "SR_PM4", NO_VALUE),
    (0x09, "SR_PM5", NO_VALUE),
    (0x0a, "SR_PM6", NO_VALUE),
    (0x0b, "SR_PM7", NO_VALUE),
    (0x10, "SR_PRIM_TYPE", "In tessellation programs the vertices of a patch, in bits 15:8; else 0."),
    (0x11, "SR_INVOCATION_ID", "The number of the invocation: in its patch, or the instance of a geometry program."),
    (0x12, "SR_Y_DIRECTION", "1.0 or -1.0: which way y goes."),
    (0x13, "SR_THREAD_KILL", "0 here; of pixel programs, whether the lane is a helper."),
    (0x14, "SM_SHADER_TYPE", NO_VALUE),
    (0x15, "SR_DIRECTCBEWRITEADDRESSLOW", NO_VALUE),
    (0x16, "SR_DIRECTCBEWRITEADDRESSHIGH", NO_VALUE),
    (0x17, "SR_DIRECTCBEWRITEENABLED", NO_VALUE),
    (0x18, "SR_MACHINE_ID_0", NO_VALUE),
    (0x19, "SR_MACHINE_ID_1", NO_VALUE),
    (0x1a, "SR_MACHINE_ID_2", NO_VALUE),
    (0x1b, "SR_MACHINE_ID_3", NO_VALUE),
    (0x1c, "SR_AFFINITY", NO_VALUE),
    (0x1d, "SR_INVOCATION_INFO", "The primitive in its warp in bits 7:0, vertices of a primitive in bits 23:16."),
    (0x1e, "SR_WSCALEFACTOR_XY", "0 here."),
    (0x1f, "SR_WSCALEFACTOR_Z", "0 here."),
    (0x20, "SR_TID", "The thread's place in its block in one word: x in bits 15:0, y in 25:16, z in 31:26."),
    (0x21, "SR_TID.X", "The thread's place in its block along x."),
    (0x22, "SR_TID.Y", "The thread's place in its block along y."),
    (0x23, "SR_TID.Z", "The thread's place in its block along z."),
    (0x24, "SR_CTA_PARAM", NO_VALUE),
    (0x25, "SR_CTAID.X", "The block's place in the grid along x."),
    (0x26, "SR_CTAID.Y", "The block's place in the grid along y."),
    (0x27, "SR_CTAID.Z", "The block's place in the grid along z."),
    (0x28, "SR_NTID", "The block's size in one word: x in bits 15:0, y in 25:16, z in 31:26."),
    (0x29, "SR_CirQueueIncrMinusOne", NO_VALUE),
    (0x2a, "SR_NLATC", NO_VALUE),
    (0x30, "SR_SWINLO", NO_VALUE),
    (0x31, "SR_SWINSZ", NO_VALUE),
    (0x32, "SR_SMEMSZ", NO_VALUE),
    (0x33, "SR_SMEMBANKS", NO_VALUE),
    (0x34, "SR_LWINLO", NO_VALUE),
    (0x35, "SR_LWINSZ", NO_VALUE),
    (0x36, "SR_LMEMLOSZ", NO_VALUE),
    (0x37, "SR_LMEMHIOFF", NO_VALUE),
    (0x38, "SR_EQMASK", "A bit for the lane itself."),
    (0x39, "SR_LTMASK", "Bits for all lanes below."),
    (0x3a, "SR_LEMASK", "Bits for the lane and all below."),
    (0x3b, "SR_GTMASK", "Bits for all lanes above."),
    (0x3c, "SR_GEMASK", "Bits for the lane and all above."),
    (0x3d, "SR_REGALLOC", NO_VALUE),
    (0x3e, "SR_CTXADDR", NO_VALUE),
    (0x40, "SR_GLOBALERRORSTATUS", NO_VALUE),
    (0x42, "SR_WARPERRORSTATUS", NO_VALUE),
    (0x43, "SR_WARPERRORSTATUSCLEAR", NO_VALUE),
    (0x48, "SR_PM_HI0", NO_VALUE),
    (0x49, "SR_PM_HI1", NO_VALUE),
    (0x4a, "SR_PM_HI2", NO_VALUE),
    (0x4b, "SR_PM_HI3", NO_VALUE),
    (0x4c, "SR_PM_HI4", NO_VALUE),
    (0x4d, "SR_PM_HI5", NO_VALUE),
    (0x4e, "SR_PM_HI6", NO_VALUE),
    (0x4f, "SR_PM_HI7", NO_VALUE),
    (0x50, "SR_CLOCKLO", "The lower word of the clock: instructions that the warp executed before."),
    (0x51, "SR_CLOCKHI", "The upper word of the clock."),
    (0x52, "SR_GLOBALTIMERLO", NO_VALUE),
    (0x53, "SR_GLOBALTIMERHI", NO_VALUE),
    (0x60, "SR_HWTASKID", NO_VALUE),
    (0x61, "SR_CIRCULARQUEUEENTRYINDEX", NO_VALUE),
    (0x62, "SR_CIRCULARQUEUEENTRYADDRESSLOW", NO_VALUE),
    (0x63, "SR_CIRCULARQUEUEENTRYADDRESSHIGH", NO_VALUE),
];

/// The name of a special register; those without a name are `SR` and the number.
pub fn special_register_name(number: u8) -> String {
    match SPECIAL_REGISTERS.binary_search_by_key(&number, |&(number, ..)| number) {
        Ok(place) => SPECIAL_REGISTERS[place].1.to_owned(),
        Err(_) => format!("SR{number}"),
    }
}

/// The number of the special register with this name; case is not significant.
pub fn special_register_number(name: &str) -> Option<u8> {
    if let Some(&(number, ..)) = SPECIAL_REGISTERS.iter().find(|(_, known, _)| known.eq_ignore_ascii_case(name)) {
        return Some(number);
    }
    name.get(..2).filter(|prefix| prefix.eq_ignore_ascii_case("SR")).and_then(|_| name[2..].parse().ok())
}

/// The names that special registers have.
pub(crate) fn special_register_names() -> impl Iterator<Item = &'static str> {
    SPECIAL_REGISTERS.iter().map(|&(_, name, _)| name)
}
