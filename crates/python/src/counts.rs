//! How often instructions execute.

use ctm_gpu::Counts;
use pyo3::prelude::{Bound, Python, pyfunction};
use pyo3::types::PyBytes;

/// An instruction: address, whether it is one of a clause, text, executions by groups and by lanes.
type PyCounted = (u32, bool, String, u64, u64);
/// All instructions, and how many instructions each lane executed.
pub type PyCounts = (Vec<PyCounted>, Vec<u64>);

/// What Python gets of counts.
pub fn counts(counts: Counts) -> PyCounts {
    let instructions = counts.instructions.into_iter().map(|counted| {
        let (place, count) = (counted.place, counted.count);
        (place.at.pc, place.in_clause, counted.text, count.executions, count.lanes)
    });
    (instructions.collect(), counts.lanes)
}

/// Red, green and blue of each lane of a heat map.
#[pyfunction]
pub fn heat_map(py: Python<'_>, lanes: Vec<u64>) -> Bound<'_, PyBytes> {
    PyBytes::new(py, &ctm_gpu::array::heat_map(&lanes))
}
