//! What generated code is told by its caller, and tells it.

/// Most tables, surfaces and arrays that a function may have.
pub const TABLES: usize = 8;
pub const SURFACES: usize = 32;
pub const ARRAYS: usize = 8;

/// The argument of generated code.
#[repr(C)]
#[derive(Debug)]
pub struct Context {
    /// Position of the first lane of the first group.
    pub x: u32,
    /// The groups' first lanes lie before this.
    pub x_end: u32,
    /// Row of the groups.
    pub y: u32,
    /// Modes of the floating-point unit for the code, without flags.
    pub mode: u32,
    /// Modes of the caller.
    pub saved_mode: u32,
    /// Modes and flags at the end of the code.
    pub flags: u32,
    /// The domain: covered lanes lie inside, bounds inclusive.
    pub domain: [u32; 4],
    /// Instructions executed by all lanes.
    pub instructions: u64,
    /// First entries of the tables.
    pub tables: [*const u32; TABLES],
    /// Elements (0, 0) of the surfaces.
    pub surfaces: [*mut u8; SURFACES],
    /// The arrays of a group.
    pub arrays: [*mut u8; ARRAYS],
}

/// Denormals are zeros, results that would be are flushed, rounding to nearest, no exception traps.
pub const MODE: u32 = 0x9FC0;
/// The flag of MXCSR that an invalid operation leaves.
pub const INVALID: u32 = 1;

macro_rules! offset {
    ($name:ident, $field:ident) => {
        pub const $name: i32 = std::mem::offset_of!(Context, $field) as i32;
    };
}
offset!(X, x);
offset!(X_END, x_end);
offset!(Y, y);
offset!(MODE_AT, mode);
offset!(SAVED_MODE, saved_mode);
offset!(FLAGS, flags);
offset!(DOMAIN, domain);
offset!(INSTRUCTIONS, instructions);
offset!(TABLES_AT, tables);
offset!(SURFACES_AT, surfaces);
offset!(ARRAYS_AT, arrays);
