//! Addresses that an analysis has to look at (again).

use std::collections::VecDeque;

/// A queue of addresses, each in it once at most.
pub struct Worklist {
    queue: VecDeque<usize>,
    queued: Vec<bool>,
}

impl Worklist {
    /// A queue for a program of so many instructions, with these addresses in it.
    pub fn new(count: usize, first: impl IntoIterator<Item = usize>) -> Self {
        let mut list = Worklist { queue: VecDeque::new(), queued: vec![false; count] };
        list.extend(first);
        list
    }

    /// Puts an address at the end, unless it is in the queue.
    pub fn push(&mut self, pc: usize) {
        if !std::mem::replace(&mut self.queued[pc], true) {
            self.queue.push_back(pc);
        }
    }

    /// Puts addresses at the end.
    pub fn extend(&mut self, addresses: impl IntoIterator<Item = usize>) {
        addresses.into_iter().for_each(|pc| self.push(pc));
    }

    /// Takes the first address.
    pub fn pop(&mut self) -> Option<usize> {
        let pc = self.queue.pop_front()?;
        self.queued[pc] = false;
        Some(pc)
    }
}
