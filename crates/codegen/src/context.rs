//! The memory that generated code shares with its caller: arguments and results.

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
    /// Modes and flags at the end of the code, and where it calls `poll`.
    pub flags: u32,
    /// The domain: covered lanes lie inside, bounds inclusive.
    pub domain: [u32; 4],
    /// Instructions executed by all lanes.
    pub instructions: u64,
    /// Steps that a group may execute.
    pub step_limit: i64,
    /// Those of them that a group has at first.
    pub slice: i64,
    /// Those that the group in the making was given later.
    pub granted: i64,
    /// The address of what gives it more, by the target's calling convention, and what that looks at: a `Monitor`.
    pub poll: *const (),
    pub monitor: *mut std::ffi::c_void,
    /// Not 0 if a group trapped or executed more steps than that.
    pub stopped: u32,
    /// First entries of the tables, elements (0, 0) of the surfaces, first bytes of the buffers, and the arrays of a group,
    /// in this order.
    pub pointers: *const *mut u8,
    /// For each buffer, how many byte addresses have a whole word.
    pub words: *const u32,
}

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
offset!(SLICE, slice);
offset!(GRANTED, granted);
offset!(POLL, poll);
offset!(STOPPED, stopped);
offset!(POINTERS, pointers);
offset!(WORDS, words);
