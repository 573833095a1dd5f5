//! Truth values, votes, barriers and calls: what lanes decide, and what they do together.

use ctm_bits::codes;

codes! {
    /// How two truth values combine.
    pub enum BoolOp: 2 {
        /// Both.
        0 And ".AND",
        /// One of them at least.
        1 Or ".OR",
        /// One of them alone.
        2 Xor ".XOR",
        /// Nothing.
        3 Invalid "?",
    }
}

codes! {
    /// Tests of the condition code: of its flags zero, sign, carry and overflow, of which zero and sign together are those of a
    /// NaN.
    pub enum Test: 5 {
        /// Never.
        0 F ".F",
        /// Negative and not zero, unlike overflow.
        1 Lt ".LT",
        /// Zero and not negative.
        2 Eq ".EQ",
        /// Sign, unlike zero or overflow.
        3 Le ".LE",
        /// Not zero, and sign like overflow.
        4 Gt ".GT",
        /// Not zero.
        5 Ne ".NE",
        /// Sign like overflow.
        6 Ge ".GE",
        /// Not zero and negative together: a number.
        7 Num ".NUM",
        /// Zero and negative together: a NaN.
        8 Nan ".NAN",
        /// Not GE.
        9 Ltu ".LTU",
        /// Not NE: zero.
        10 Equ ".EQU",
        /// Not GT.
        11 Leu ".LEU",
        /// Not LE.
        12 Gtu ".GTU",
        /// Not EQ.
        13 Neu ".NEU",
        /// Not LT.
        14 Geu ".GEU",
        /// Always.
        15 T ".T",
        /// No overflow.
        16 Off ".OFF",
        /// No carry: lower, without sign.
        17 Lo ".LO",
        /// No sign.
        18 Sff ".SFF",
        /// No carry, or zero: lower or the same.
        19 Ls ".LS",
        /// Carry, and not zero: higher.
        20 Hi ".HI",
        /// Sign.
        21 Sft ".SFT",
        /// Carry: higher or the same.
        22 Hs ".HS",
        /// Overflow.
        23 Oft ".OFT",
        /// Not executed.
        24 CsmTa ".CSM_TA",
        /// Not executed.
        25 CsmTr ".CSM_TR",
        /// Not executed.
        26 CsmMx ".CSM_MX",
        /// Not executed.
        27 FcsmTa ".FCSM_TA",
        /// Not executed.
        28 FcsmTr ".FCSM_TR",
        /// Not executed.
        29 FcsmMx ".FCSM_MX",
        /// Zero or negative.
        30 Rle ".RLE",
        /// Neither zero nor negative.
        31 Rgt ".RGT",
    }
}

codes! {
    /// What a vote asks of the active lanes.
    pub enum VoteMode: 2 {
        /// All lanes say true.
        0 All ".ALL",
        /// Some lane says true.
        1 Any ".ANY",
        /// All lanes say the same.
        2 Eq ".EQ",
        /// No question.
        3 Invalid "?",
    }
}

codes! {
    /// Kinds of `VOTE.VTG`.
    pub enum VtgMode: 2 {
        /// R.
        0 R ".R",
        /// A.
        1 A ".A",
        /// RA.
        2 Ra ".RA",
        /// No kind.
        3 Invalid "?",
    }
}

codes! {
    /// From which lane `SHFL` reads.
    pub enum ShuffleMode: 2 {
        /// The lane with this number.
        0 Idx ".IDX",
        /// So many lanes lower.
        1 Up ".UP",
        /// So many lanes higher.
        2 Down ".DOWN",
        /// The lane number exclusive-or this.
        3 Bfly ".BFLY",
    }
}

codes! {
    /// What a barrier does.
    pub enum BarrierOp: 3 {
        /// Arrives and waits.
        0 Sync ".SYNC",
        /// Arrives.
        1 Arv ".ARV",
        /// Arrives, waits, and reduces a predicate.
        2 Red ".RED",
        /// Scans.
        3 Scan ".SCAN",
        /// No operation.
        4 Invalid4 "?",
        /// No operation.
        5 Invalid5 "?",
        /// No operation.
        6 Invalid6 "?",
        /// No operation.
        7 Invalid7 "?",
    }
}

codes! {
    /// How `BAR.RED` reduces.
    pub enum BarrierReduction: 2 {
        /// Counts.
        0 Popc ".POPC",
        /// All.
        1 And ".AND",
        /// Any.
        2 Or ".OR",
        /// No reduction.
        3 Invalid "?",
    }
}

codes! {
    /// Whether a call counts, for calls and `PRET`.
    pub enum CallCount: 1 {
        /// It does not.
        0 NoInc ".NOINC",
        /// It does.
        1 Inc "",
    }
}

codes! {
    /// What a flag transfer moves.
    pub enum Flags: 1 {
        /// The predicates.
        0 Pr "PR",
        /// The condition code.
        1 Cc "CC",
    }
}
