//! The codes of findings.

use ctm_text::finding_codes;
pub use ctm_text::findings::Severity;

finding_codes! {
    CodeSize "X1K001" Error "no instructions, or more than the machine holds";
    AddressRange "X1K002" Error "start or end address outside the code";
    EndNotOut "X1K003" Error "the last instruction is not an OUT";
    ReservedOperation "X1K004" Error "reserved operation code";
    SopWithoutTranscendental "X1K005" Error "SOP without a transcendental in the alpha unit";
    DpWithoutDotProduct "X1K006" Error "DP without a dot product in the RGB unit";
    ExactModifierMisused "X1K007" Error "bit-exact output modifier on an operation that computes";
    TargetPastEnd "X1K008" Error "jump beyond the end address";
    PerChannelCondition "X1K009" Error "flow control on a per-channel predicate";
    ReservedFlowField "X1K010" Error "reserved stack operation";
    NeedsFullFlowControl "X1K011" Error "loop or call in a program with partial flow control";
    PartialUmrtMask "X1K012" Error "immediate write with some channels only";
    UmrtOutputs "X1K013" Error "program of immediate writes with other outputs";
    NumberOutOfRange "X1K014" Error "input, output or constant that the machine does not have";
    EndWithoutWait "X1K101" Warning "the last instruction does not wait for fetches";
    FetchReadBeforeWait "X1K102" Warning "fetched value read before it has landed";
    AcquireWithoutWait "X1K103" Warning "semaphore acquired without waiting";
    MissingNop "X1K104" Warning "presubtract of a value that was just written";
    UninitialisedRead "X1K105" Warning "register read before it is written";
    UnusedWrite "X1K106" Warning "written value never read";
    NoEffect "X1K107" Warning "instruction without effect";
    Unreachable "X1K108" Warning "instructions that nothing reaches";
    Undeclared "X1K109" Warning "input, output or constant missing in its note";
    UnwrittenOutput "X1K110" Warning "declared output never written";
    LoopTargetsItsEnd "X1K111" Warning "loop head that skips to its own loop end";
    LastWithoutEarlyExit "X1K112" Warning "LAST bit without effect";
    BranchNesting "X1K113" Warning "branches nested too deep";
    StackOverflow "X1K114" Warning "loops or calls nested too deep";
    UnmatchedFlow "X1K115" Warning "flow control without its counterpart";
    StaleAluResult "X1K116" Warning "condition on a stale ALU result";
    UnsetPredicate "X1K117" Warning "predicate bit read before it is written";
    CondValueLost "X1K118" Warning "conditional value written but not used";
    CondValueMissing "X1K119" Warning "conditional value used but not written";
    TempBeyondCount "X1K120" Warning "register beyond the program's register count";
    QuadOperation "X1K201" Note "screen derivative";
    CountUnknown "X1K202" Note "loop count that does not travel with the program";
    SmallInlineConstant "X1K203" Note "inline constant that tools disagree on";
}
