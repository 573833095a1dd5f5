//! The operations of R700 programs by name, for counters.

use ctm_r700::{
    AluOp, Cf, CfAluOp, CfExportOp, CfOp, ClauseKind, Fetch, FetchOp, MemOp, Op2, Op3, Outline, Program, clause_groups,
    fetches,
};

/// All that there are.
pub fn all() -> impl Iterator<Item = String> {
    let control = CfOp::ALL.iter().map(|op| op.name()).chain(CfAluOp::ALL.iter().map(|op| op.name()));
    let control = control.chain(CfExportOp::ALL.iter().map(|op| op.name())).map(|name| format!("cf {name}"));
    let alu = Op2::ALL.iter().map(|op| op.name()).chain(Op3::ALL.iter().map(|op| op.name()));
    let alu = alu.map(|name| format!("alu {name}"));
    // Memory reads have operations of their own.
    let fetch = FetchOp::ALL.iter().filter(|&&op| op != FetchOp::Mem).map(|op| format!("fetch {op:?}"));
    let memory = MemOp::ALL.iter().map(|op| format!("fetch {op:?}"));
    control.chain(alu).chain(fetch).chain(memory)
}

/// Those of a program, as often as it has them.
pub fn of(program: &Program) -> impl Iterator<Item = String> {
    let (code, family) = (&program.code, program.info.family);
    let outline = Outline::of(code, family);
    let mut names = Vec::new();
    for cf in &outline.cf {
        let name = match cf {
            Cf::Plain(plain) => plain.op.name(),
            Cf::Alu(alu) => alu.op.name(),
            Cf::Export(export) => export.op.name(),
            Cf::Reserved(_) => continue,
        };
        names.push(format!("cf {name}"));
    }
    for clause in outline.clauses.keys() {
        match clause.kind {
            ClauseKind::Alu => {
                let groups = clause_groups(code, clause, family).unwrap_or_default();
                let ops = groups.iter().flat_map(|group| &group.slots).filter_map(|slot| AluOp::name(slot.op));
                names.extend(ops.map(|name| format!("alu {name}")));
            }
            ClauseKind::Fetch => {
                let body = clause.range(code.len()).map_or(&[][..], |range| &code[range]);
                names.extend(fetches(body).map(|fetch| match fetch {
                    Fetch::Vtx(vtx) if vtx.semantic => format!("fetch {:?}", FetchOp::VtxSemantic),
                    Fetch::Vtx(_) => format!("fetch {:?}", FetchOp::VtxFetch),
                    Fetch::Tex(tex) => format!("fetch {:?}", tex.op),
                    Fetch::Mem(read) => format!("fetch {:?}", read.op),
                    Fetch::MemRaw(op, _) => format!("fetch {op:?}"),
                }));
            }
        }
    }
    names.into_iter()
}
