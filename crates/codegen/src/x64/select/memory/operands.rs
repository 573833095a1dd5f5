//! Rows in memory whose vectors are operands of the instructions that want them.

use super::*;

/// Rows that are read where they are wanted.
#[derive(Default)]
pub struct Operands {
    rows: Vec<Row>,
}

impl Selector<'_> {
    /// The vectors of a row that the elements of a load are: operands if nothing is written before they are wanted.
    pub(super) fn operands_of_row(&mut self, format: Format, row: &Row, load: Value) -> Vec<Val> {
        if !self.keeps_rows(load) {
            return self.load_rows(format, row).into_iter().map(Val::Reg).collect();
        }
        let number = self.operands.rows.len();
        self.operands.rows.push(*row);
        (0..format.channels() as u8).map(|vector| Val::Vector(number, vector)).collect()
    }

    /// A vector of a row. The first one that is wanted makes the address for the others.
    pub(in crate::x64::select) fn vector_of_row(&mut self, row: usize, vector: u8) -> Mem {
        let bytes = self.isa.bytes();
        let mut found = self.operands.rows[row];
        let first = found.pieces[0];
        if let (Base::Reg(base), Some(index), 1, 31) = (first.base, first.index, first.scale, found.piece_log2)
            && index != self.x16
        {
            let address = self.tied_general(Code::Add_r64_rm64, &[Arg::Reg(index), Arg::Reg(base)]);
            found = Row::whole(Mem::at(Base::Reg(address), first.disp));
            self.operands.rows[row] = found;
        }
        found.at(bytes * i32::from(vector))
    }
}
