//! What a program is made of: its control-flow program, the clauses that it runs, and the rest.

use crate::cf::{AddressUse, Cf, Qword};
use crate::codes::Family;
use crate::fetch::{Fetch, FetchWords};
use crate::group::{Group, groups};
use std::collections::BTreeMap;
use std::ops::Range;

/// What a clause holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ClauseKind {
    /// ALU instructions.
    Alu,
    /// Vertex, texture or memory fetches.
    Fetch,
}

/// The clause that a control-flow instruction names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Clause {
    /// Qword address.
    pub address: u32,
    /// Length in qwords.
    pub length: u32,
    /// What it holds.
    pub kind: ClauseKind,
}

impl Clause {
    /// The qwords of the clause; none if it leaves the image, or if it is a fetch clause at an odd address.
    pub fn range(&self, image: usize) -> Option<Range<usize>> {
        let start = self.address as usize;
        let end = start + self.length as usize;
        let aligned = self.kind == ClauseKind::Alu || start.is_multiple_of(2);
        (end <= image && aligned).then_some(start..end)
    }
}

impl Cf {
    /// The clause that the instruction runs, if it runs one.
    pub fn clause(&self, family: Family) -> Option<Clause> {
        match self {
            Cf::Alu(alu) => {
                let fields = &alu.fields;
                Some(Clause { address: fields.addr, length: fields.length(), kind: ClauseKind::Alu })
            }
            Cf::Plain(plain) if plain.op.is_fetch() => {
                let fields = &plain.fields;
                let length = fields.fetch_count(family) * 2;
                Some(Clause { address: fields.addr, length, kind: ClauseKind::Fetch })
            }
            Cf::Plain(_) | Cf::Export(_) | Cf::Reserved(_) => None,
        }
    }

    /// Where the instruction may jump or call to.
    pub const fn target(&self) -> Option<u32> {
        match self {
            Cf::Plain(plain) => match plain.op.properties().address {
                AddressUse::Jump | AddressUse::Call => Some(plain.fields.addr),
                AddressUse::None | AddressUse::Clause => None,
            },
            Cf::Alu(_) | Cf::Export(_) | Cf::Reserved(_) => None,
        }
    }
}

/// A program taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// The control-flow program: the instructions from address 0 on.
    pub cf: Vec<Cf>,
    /// The clauses inside the image that it names, each with the addresses of the instructions that name it.
    pub clauses: BTreeMap<Clause, Vec<u32>>,
}

impl Outline {
    /// Walks the control-flow program of an image.
    ///
    /// The walk goes on until an instruction ends the program and no jump or call leads further, until it meets a clause
    /// that it has seen, or until the image ends.
    pub fn of(code: &[Qword], family: Family) -> Outline {
        let mut outline = Outline { cf: Vec::new(), clauses: BTreeMap::new() };
        // The farthest place that a jump leads to, and the nearest clause.
        let (mut farthest, mut nearest) = (0, code.len());
        let mut ended = false;
        while outline.cf.len() < nearest {
            let address = outline.cf.len();
            let cf = Cf::decode(&code[address]);
            outline.cf.push(cf);
            if let Some(clause) = cf.clause(family)
                && clause.range(code.len()).is_some()
            {
                outline.clauses.entry(clause).or_default().push(address as u32);
                nearest = nearest.min((clause.address as usize).max(address + 1));
            }
            if let Some(target) = cf.target().filter(|&target| (target as usize) < code.len()) {
                farthest = farthest.max(target as usize);
            }
            let returns = matches!(cf, Cf::Plain(plain) if plain.op == crate::CfOp::Return);
            ended |= cf.ends_program();
            if ended && address >= farthest && (cf.ends_program() || returns) {
                break;
            }
        }
        outline
    }
}

/// The instructions of a fetch clause; qwords after the last whole instruction are dropped.
pub fn fetches(clause: &[Qword]) -> impl Iterator<Item = Fetch> {
    clause.chunks_exact(2).map(|pair| {
        let words: FetchWords = [pair[0][0], pair[0][1], pair[1][0], pair[1][1]];
        Fetch::decode(&words)
    })
}

/// The groups of an ALU clause of an image; see [`groups`].
pub fn clause_groups(code: &[Qword], clause: &Clause, family: Family) -> Option<Vec<Group>> {
    Some(groups(&code[clause.range(code.len())?], family))
}
