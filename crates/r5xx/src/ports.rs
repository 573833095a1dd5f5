//! Memories accessed through a pair of registers: an index, and data that go to it and on.

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
