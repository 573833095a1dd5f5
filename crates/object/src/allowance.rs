//! A bound on what a container may ask a loader to look at. Tables of a file may name the same bytes any number of times, so that a
//! small file would be read for hours, or into more memory than there is.

/// Bytes that are still to be looked at.
pub struct Allowance {
    left: usize,
}

/// More was asked for than is allowed.
#[derive(Debug)]
pub struct Exhausted;

impl Allowance {
    /// What the contents of all parts of a file may have together: parts that do not overlap have no more than the file.
    pub fn of_contents(file: &[u8]) -> Self {
        Allowance { left: file.len() }
    }

    /// What all names in a file may have together. Linkers let names share their ends, so this is more than the file.
    pub fn of_names(file: &[u8]) -> Self {
        Allowance { left: file.len().saturating_mul(4) }
    }

    /// Takes so many bytes.
    pub fn take(&mut self, bytes: usize) -> Result<(), Exhausted> {
        self.left = self.left.checked_sub(bytes).ok_or(Exhausted)?;
        Ok(())
    }
}
