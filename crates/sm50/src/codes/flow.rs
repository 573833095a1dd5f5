//! Truth values, votes, barriers and calls: what lanes decide, and what they do together.

use ctm_bits::codes;

codes! {
    /// How two truth values combine.
    #[allow(missing_docs)]
    pub enum BoolOp: 2 {
        0 And ".AND",
        1 Or ".OR",
        2 Xor ".XOR",
        3 Invalid "?",
    }
}

codes! {
    /// Tests of the condition code.
    #[allow(missing_docs)]
    pub enum Test: 5 {
        0 F ".F",
        1 Lt ".LT",
        2 Eq ".EQ",
        3 Le ".LE",
        4 Gt ".GT",
        5 Ne ".NE",
        6 Ge ".GE",
        7 Num ".NUM",
        8 Nan ".NAN",
        9 Ltu ".LTU",
        10 Equ ".EQU",
        11 Leu ".LEU",
        12 Gtu ".GTU",
        13 Neu ".NEU",
        14 Geu ".GEU",
        15 T ".T",
        16 Off ".OFF",
        17 Lo ".LO",
        18 Sff ".SFF",
        19 Ls ".LS",
        20 Hi ".HI",
        21 Sft ".SFT",
        22 Hs ".HS",
        23 Oft ".OFT",
        24 CsmTa ".CSM_TA",
        25 CsmTr ".CSM_TR",
        26 CsmMx ".CSM_MX",
        27 FcsmTa ".FCSM_TA",
        28 FcsmTr ".FCSM_TR",
        29 FcsmMx ".FCSM_MX",
        30 Rle ".RLE",
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
