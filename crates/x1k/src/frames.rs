//! Pictures that programs make for each other in frames.

use ctm_memory::Surface;

/// The two pictures of a buffer: programs that read it while it is made find what the frame before left.
#[derive(Clone, Copy, Debug)]
pub struct FrameBuffer(pub [Surface; 2]);

impl FrameBuffer {
    /// The picture that a frame makes.
    pub fn made(&self, frame: u32) -> Surface {
        self.0[frame as usize % 2]
    }

    /// The picture that a program reads in a frame: that of the frame, if the buffer runs before the program, else that of the frame before.
    pub fn read(&self, frame: u32, runs_before: bool) -> Surface {
        self.0[(frame as usize + usize::from(!runs_before)) % 2]
    }
}
