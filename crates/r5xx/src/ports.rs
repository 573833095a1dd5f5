//! Memories accessed through a pair of registers: an index, and data that go to it and on.

use crate::registers::{
    GaUsVectorData, GaUsVectorIndex, RegisterType, VapPvsUploadData, VapPvsVectorIndx, ZbZpassAddr, ZbZpassData,
};

/// A memory of elements of `N` dwords.
#[derive(Clone, Debug)]
pub struct PortMemory<const N: usize> {
    elements: Vec<[u32; N]>,
}

impl<const N: usize> PortMemory<N> {
    /// So many elements of zeros.
    pub fn new(elements: usize) -> Self {
        PortMemory { elements: vec![[0; N]; elements] }
    }

    /// An element; zeros beyond the last.
    pub fn get(&self, index: usize) -> [u32; N] {
        self.elements.get(index).copied().unwrap_or([0; N])
    }

    /// All elements.
    pub fn elements(&self) -> &[[u32; N]] {
        &self.elements
    }

    fn set(&mut self, index: usize, element: [u32; N]) {
        if let Some(slot) = self.elements.get_mut(index) {
            *slot = element;
        }
    }
}

/// The place where the next dword goes. Elements are written when they are whole.
#[derive(Clone, Debug)]
pub struct Cursor<const N: usize> {
    index: usize,
    element: [u32; N],
    filled: usize,
}

impl<const N: usize> Default for Cursor<N> {
    fn default() -> Self {
        Cursor { index: 0, element: [0; N], filled: 0 }
    }
}

impl<const N: usize> Cursor<N> {
    /// The cursor before an element. What was begun of another is dropped.
    pub fn at(index: usize) -> Self {
        Cursor { index, ..Cursor::default() }
    }

    /// Takes a dword. Elements beyond the memory are dropped.
    pub fn put(&mut self, memory: &mut PortMemory<N>, value: u32) {
        self.element[self.filled] = value;
        self.filled += 1;
        if self.filled == N {
            memory.set(self.index, self.element);
            self.index += 1;
            self.filled = 0;
        }
    }
}

/// Registers that do something each time when they are written.
#[derive(Clone, Copy)]
pub enum Port {
    /// Where vectors of the vertex processor go.
    VertexIndex,
    /// Their words.
    VertexData,
    /// Where instructions and constants of the fragment processor go.
    FragmentIndex,
    /// Their words.
    FragmentData,
    /// What samples have been counted.
    Count,
    /// Where that is stored.
    StoreCount,
}

impl Port {
    /// The one at this byte offset, if it is such a register.
    pub fn of(address: u32) -> Option<Self> {
        match address {
            VapPvsVectorIndx::ADDRESS => Some(Port::VertexIndex),
            VapPvsUploadData::ADDRESS => Some(Port::VertexData),
            GaUsVectorIndex::ADDRESS => Some(Port::FragmentIndex),
            GaUsVectorData::ADDRESS => Some(Port::FragmentData),
            ZbZpassData::ADDRESS => Some(Port::Count),
            ZbZpassAddr::ADDRESS => Some(Port::StoreCount),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_written_when_they_are_whole() {
        let mut memory = PortMemory::<2>::new(3);
        let mut cursor = Cursor::at(1);
        cursor.put(&mut memory, 5);
        assert_eq!(memory.get(1), [0, 0]);
        (6..11).for_each(|value| cursor.put(&mut memory, value));
        assert_eq!(memory.elements(), [[0, 0], [5, 6], [7, 8]]);
        assert_eq!(memory.get(3), [0, 0], "beyond the memory");
    }
}
