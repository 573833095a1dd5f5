//! Names of special registers.

/// The registers that have names, with their numbers.
const NAMES: &[(u8, &str)] = &[
    (0x00, "SR_LANEID"),
    (0x01, "SR_CLOCK"),
    (0x02, "SR_VIRTCFG"),
    (0x03, "SR_VIRTID"),
    (0x04, "SR_PM0"),
    (0x05, "SR_PM1"),
    (0x06, "SR_PM2"),
    (0x07, "SR_PM3"),
    (0x08, "SR_PM4"),
    (0x09, "SR_PM5"),
    (0x0a, "SR_PM6"),
    (0x0b, "SR_PM7"),
    (0x10, "SR_PRIM_TYPE"),
    (0x11, "SR_INVOCATION_ID"),
    (0x12, "SR_Y_DIRECTION"),
    (0x13, "SR_THREAD_KILL"),
    (0x14, "SM_SHADER_TYPE"),
    (0x15, "SR_DIRECTCBEWRITEADDRESSLOW"),
    (0x16, "SR_DIRECTCBEWRITEADDRESSHIGH"),
    (0x17, "SR_DIRECTCBEWRITEENABLED"),
    (0x18, "SR_MACHINE_ID_0"),
    (0x19, "SR_MACHINE_ID_1"),
    (0x1a, "SR_MACHINE_ID_2"),
    (0x1b, "SR_MACHINE_ID_3"),
    (0x1c, "SR_AFFINITY"),
    (0x1d, "SR_INVOCATION_INFO"),
    (0x1e, "SR_WSCALEFACTOR_XY"),
    (0x1f, "SR_WSCALEFACTOR_Z"),
    (0x20, "SR_TID"),
    (0x21, "SR_TID.X"),
    (0x22, "SR_TID.Y"),
    (0x23, "SR_TID.Z"),
    (0x24, "SR_CTA_PARAM"),
    (0x25, "SR_CTAID.X"),
    (0x26, "SR_CTAID.Y"),
    (0x27, "SR_CTAID.Z"),
    (0x28, "SR_NTID"),
    (0x29, "SR_CirQueueIncrMinusOne"),
    (0x2a, "SR_NLATC"),
    (0x30, "SR_SWINLO"),
    (0x31, "SR_SWINSZ"),
    (0x32, "SR_SMEMSZ"),
    (0x33, "SR_SMEMBANKS"),
    (0x34, "SR_LWINLO"),
    (0x35, "SR_LWINSZ"),
    (0x36, "SR_LMEMLOSZ"),
    (0x37, "SR_LMEMHIOFF"),
    (0x38, "SR_EQMASK"),
    (0x39, "SR_LTMASK"),
    (0x3a, "SR_LEMASK"),
    (0x3b, "SR_GTMASK"),
    (0x3c, "SR_GEMASK"),
    (0x3d, "SR_REGALLOC"),
    (0x3e, "SR_CTXADDR"),
    (0x40, "SR_GLOBALERRORSTATUS"),
    (0x42, "SR_WARPERRORSTATUS"),
    (0x43, "SR_WARPERRORSTATUSCLEAR"),
    (0x48, "SR_PM_HI0"),
    (0x49, "SR_PM_HI1"),
    (0x4a, "SR_PM_HI2"),
    (0x4b, "SR_PM_HI3"),
    (0x4c, "SR_PM_HI4"),
    (0x4d, "SR_PM_HI5"),
    (0x4e, "SR_PM_HI6"),
    (0x4f, "SR_PM_HI7"),
    (0x50, "SR_CLOCKLO"),
    (0x51, "SR_CLOCKHI"),
    (0x52, "SR_GLOBALTIMERLO"),
    (0x53, "SR_GLOBALTIMERHI"),
    (0x60, "SR_HWTASKID"),
    (0x61, "SR_CIRCULARQUEUEENTRYINDEX"),
    (0x62, "SR_CIRCULARQUEUEENTRYADDRESSLOW"),
    (0x63, "SR_CIRCULARQUEUEENTRYADDRESSHIGH"),
];

/// The name of a special register; those without a name are `SR` and the number.
pub fn special_register_name(number: u8) -> String {
    match NAMES.binary_search_by_key(&number, |&(number, _)| number) {
        Ok(place) => NAMES[place].1.to_owned(),
        Err(_) => format!("SR{number}"),
    }
}

/// The number of the special register with this name; case matters not.
pub fn special_register_number(name: &str) -> Option<u8> {
    if let Some(&(number, _)) = NAMES.iter().find(|(_, known)| known.eq_ignore_ascii_case(name)) {
        return Some(number);
    }
    name.get(..2).filter(|prefix| prefix.eq_ignore_ascii_case("SR")).and_then(|_| name[2..].parse().ok())
}

/// The names that special registers have.
pub(crate) fn special_register_names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().map(|&(_, name)| name)
}
