//! The codes of findings.

ctm_text::finding_codes! {
    Empty "R700001" Error "no instructions";
    ReservedOpcode "R700002" Error "reserved opcode";
    AddressOutside "R700003" Error "control flow leaves the code";
    ClauseOutside "R700004" Error "clause outside the code or at an odd address";
    IntoClause "R700005" Error "control flow runs into a clause";
    StackUnderflow "R700006" Error "pop, ELSE or RETURN with nothing on the stack";
    StackMismatch "R700007" Error "the innermost branch, loop or call is not what an instruction ends";
    NoLoop "R700008" Error "loop instruction outside any loop";
    StackSize "R700009" Error "STACK_SIZE too small";
    BothModes "R700010" Error "whole-quad and valid-pixel mode together";
    CallPops "R700011" Error "CALL that pops";
    WrongStage "R700012" Error "instruction that the stage does not have";
    GroupIllegal "R700013" Error "ALU group that cannot be issued";
    ReadPorts "R700014" Error "operands that cannot be read in three cycles";
    ConstantPorts "R700015" Error "too many constants in a group";
    Unlocked "R700016" Error "constant outside the locked windows";
    RegisterBeyondCount "R700017" Error "register beyond NUM_GPRS";
    ClauseCondition "R700101" Warning "condition on an instruction that has none";
    Unreachable "R700102" Warning "instructions that nothing reaches";
    StackSizeOfHardware "R700103" Warning "STACK_SIZE smaller than hardware reads it";
    UnevenJoin "R700104" Warning "paths that meet with different stacks";
    ConstantHalves "R700105" Warning "more constant halves than compilers use in a group";
    IndexModes "R700106" Warning "several index modes in a group";
    SlotOrder "R700107" Warning "instructions of a group out of order";
    IntegerModifier "R700108" Warning "float modifier on an integer or predicate operation";
    StalePrevious "R700109" Warning "PV or PS that the group before did not produce";
    StalePredicate "R700110" Warning "predicate that the clause did not set";
    StaleAddress "R700111" Warning "address register that the clause did not set";
    NoLoopIndex "R700112" Warning "loop index outside any loop that has one";
    EarlyUpdate "R700113" Warning "predicate or mask update before the last group";
    IgnoredUpdate "R700114" Warning "update bits on an operation that sets no predicate";
    ReservedBits "R700115" Warning "reserved bits that are set";
    ExportsNotDone "R700116" Warning "exports without one last of their kind";
    Unsupported "R700201" Note "instruction that is not executed here";
    ShiftCount "R700202" Note "shift count that may exceed 31";
    Undocumented "R700203" Note "opcode that the guide does not have";
    Gradients "R700204" Note "differences across the quad";
}
