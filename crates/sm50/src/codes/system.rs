//! Fragments, and what belongs to the system.

use ctm_bits::codes;

codes! {
    /// How an input is evaluated.
    pub enum IpaMode: 2 {
        /// Linear in the window.
        0 Pass ".PASS",
        /// Linear in the window, times B.
        1 Multiply "",
        /// The provoking vertex' value.
        2 Constant ".CONSTANT",
        /// As the shade model says.
        3 Sc ".SC",
    }
}

codes! {
    /// Where an input is evaluated.
    pub enum IpaPlace: 2 {
        /// The centre of the pixel.
        0 Pixel "",
        /// A covered place.
        1 Centroid ".CENTROID",
        /// The centre and an offset.
        2 Offset ".OFFSET",
        /// No place.
        3 Invalid "?",
    }
}

codes! {
    /// What is asked of a pixel.
    pub enum PixelQuery: 3 {
        /// Number of samples.
        0 Count "",
        /// Coverage, a bit for each sample.
        1 CovMask ".COVMASK",
        /// Whether a sample is covered.
        2 Covered ".COVERED",
        /// Position of a sample.
        3 Offset ".OFFSET",
        /// Position of the centroid.
        4 CentroidOffset ".CENTROID_OFFSET",
        /// The lane's sample.
        5 MyIndex ".MY_INDEX",
        /// No code.
        6 Invalid6 "?",
        /// No code.
        7 Invalid7 "?",
    }
}

codes! {
    /// What is read of a barrier.
    pub enum BarrierRead: 2 {
        /// Its state.
        0 Number "",
        /// What BAR.RED found.
        1 Result ".RESULT",
        /// The warp's state.
        2 Warp ".WARP",
        /// Nothing.
        3 Invalid "?",
    }
}

codes! {
    /// What is written of a barrier.
    pub enum BarrierWrite: 2 {
        /// Its state.
        0 Number "",
        /// Its result.
        1 Result ".RESULT",
        /// The warp's state.
        2 Warp ".WARP",
        /// Nothing.
        3 Invalid "?",
    }
}

codes! {
    /// How a trap handler returns.
    pub enum RttMode: 2 {
        /// It returns.
        0 Plain "",
        /// It ends the warp.
        1 Terminate ".TERMINATE",
        /// It goes on.
        2 Fallthrough ".FALLTHROUGH",
        /// It was preempted.
        3 Preempted ".PREEMPTED",
    }
}

codes! {
    /// Kind of a breakpoint.
    pub enum BptMode: 3 {
        /// Drains; illegal.
        0 DrainIllegal ".DRAIN_ILLEGAL",
        /// Call.
        1 Cal ".CAL",
        /// Pause.
        2 Pause ".PAUSE",
        /// Trap.
        3 Trap ".TRAP",
        /// Interrupt.
        4 Int ".INT",
        /// Drains.
        5 Drain ".DRAIN",
        /// No code.
        6 Invalid6 "?",
        /// No code.
        7 Invalid7 "?",
    }
}

codes! {
    /// Whether interrupts are enabled.
    pub enum IdeMode: 1 {
        /// They are.
        0 Enable ".EN",
        /// They are not.
        1 Disable "",
    }
}
