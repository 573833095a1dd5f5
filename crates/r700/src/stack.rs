//! How many entries of the hardware's stack a wavefront's open branches, loops and calls take.
//!
//! Sources: R700 guide 3-15 with table 3.5; Mesa's `callstack_update_max_depth`; LLVM's `CFStack`.

/// Pixels of a physical wavefront. It is a property of the chip and decides how large the entries of the stack are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wavefront {
    /// RV610, RV620, RS780, RS880.
    W16,
    /// RV630, RV635, RV710, RV730.
    W32,
    /// A width that table 3.5 lists.
    W48,
    /// R600, RV670, RV740, RV770, RV790, Latte.
    #[default]
    W64,
}

impl Wavefront {
    /// Every width.
    pub const ALL: [Wavefront; 4] = [Wavefront::W16, Wavefront::W32, Wavefront::W48, Wavefront::W64];

    /// Number of pixels.
    pub const fn pixels(self) -> u32 {
        match self {
            Wavefront::W16 => 16,
            Wavefront::W32 => 32,
            Wavefront::W48 => 48,
            Wavefront::W64 => 64,
        }
    }

    /// Sub-entries of a stack entry.
    const fn sub_entries(self) -> u32 {
        match self {
            Wavefront::W16 | Wavefront::W32 => 8,
            Wavefront::W48 | Wavefront::W64 => 4,
        }
    }

    /// Sub-entries of a return address, which has more than 16 bits.
    const fn call_sub_entries(self) -> u32 {
        match self {
            Wavefront::W16 => 2,
            _ => 1,
        }
    }
}

/// Sub-entries of an entry as the hardware reads STACK_SIZE, whatever the wavefront (found by Mesa; LLVM does the same).
const SUB_ENTRIES_OF_SIZE: u32 = 4;
/// Sub-entries that the first mask on the stack reserves for the current masks of active and continuing pixels.
const RESERVED_SUB_ENTRIES: u32 = 2;

/// What a frame is, as far as its size goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FrameKind {
    /// An active mask.
    Mask,
    /// An active mask pushed in whole-quad mode.
    QuadMask,
    /// A loop.
    Loop,
    /// A return address.
    Return,
}

/// Frames that are open at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct StackUse {
    masks: u32,
    whole_entries: u32,
    returns: u32,
}

impl StackUse {
    fn of(&mut self, kind: FrameKind) -> &mut u32 {
        match kind {
            FrameKind::Mask => &mut self.masks,
            FrameKind::QuadMask | FrameKind::Loop => &mut self.whole_entries,
            FrameKind::Return => &mut self.returns,
        }
    }

    /// Counts a frame.
    pub fn push(&mut self, kind: FrameKind) {
        *self.of(kind) += 1;
    }

    /// Takes off a frame that was counted.
    pub fn pop(&mut self, kind: FrameKind) {
        *self.of(kind) -= 1;
    }

    fn sub_entries(&self, wavefront: Wavefront) -> u32 {
        let reserved = if self.masks > 0 { RESERVED_SUB_ENTRIES } else { 0 };
        self.masks + reserved + self.returns * wavefront.call_sub_entries()
    }

    /// The entries that these frames take by table 3.5: no program may use more than its STACK_SIZE.
    pub fn entries(&self, wavefront: Wavefront) -> u32 {
        self.whole_entries + self.sub_entries(wavefront).div_ceil(wavefront.sub_entries())
    }

    /// The STACK_SIZE to ask for (decision R8): as [`entries`](Self::entries), with four sub-entries to the entry on every chip.
    pub fn stack_size(&self, wavefront: Wavefront) -> u32 {
        self.whole_entries + self.sub_entries(wavefront).div_ceil(SUB_ENTRIES_OF_SIZE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(frames: &[FrameKind]) -> StackUse {
        let mut stack = StackUse::default();
        frames.iter().for_each(|&kind| stack.push(kind));
        stack
    }

    #[test]
    fn sizes_that_llvm_emits() {
        use FrameKind::{Loop, Mask};
        assert_eq!(with(&[Loop, Mask]).stack_size(Wavefront::W64), 2);
        assert_eq!(with(&[Loop, Loop, Mask, Mask]).stack_size(Wavefront::W64), 3);
    }

    #[test]
    fn the_width_decides() {
        use FrameKind::{Mask, QuadMask, Return};
        let frames = with(&[Mask, Mask, Return, Return, QuadMask]);
        assert_eq!(Wavefront::ALL.map(|width| frames.entries(width)), [2, 2, 3, 3]);
        assert_eq!(Wavefront::ALL.map(|width| frames.stack_size(width)), [3, 3, 3, 3]);
        let full = with(&[Mask, Mask, Return, Return, Return, Mask]);
        assert_eq!([full.entries(Wavefront::W16), full.entries(Wavefront::W32)], [2, 1], "addresses of 2 sub-entries");
    }

    #[test]
    fn popping_undoes_pushing() {
        let mut stack = with(&[FrameKind::Mask, FrameKind::Loop]);
        stack.pop(FrameKind::Mask);
        assert_eq!(stack, with(&[FrameKind::Loop]));
        assert_eq!(stack.entries(Wavefront::W64), 1, "the reservation goes with the last mask");
    }
}
