//! Buffer objects and the clients' handles of them.

use crate::heap::{Heap, LARGE};
use crate::memory::Memory;
use ctm_card::Object;
use std::collections::HashMap;

/// A buffer object.
#[derive(Clone, Copy, Debug)]
pub struct Buffer {
    /// Where it lies.
    pub object: Object,
    /// The domain that it was made in.
    pub domain: u32,
    /// Tiling flags and pitch, kept for clients that import it.
    pub tiling: (u32, u32),
    /// Handles and submissions that need it.
    references: usize,
    /// Submissions that have named it, as far as they are counted.
    submissions: u32,
}

/// How many submissions name a large object before it is moved to huge pages, which takes a millisecond for each MiB.
const LASTING: u32 = 8;

/// The handles of one opening of the node.
#[derive(Default)]
struct Client {
    /// Addresses of objects by handle.
    handles: HashMap<u32, u32>,
    last: u32,
}

/// All buffer objects.
pub struct Objects {
    heap: Heap,
    /// By address.
    buffers: HashMap<u32, Buffer>,
    clients: Vec<Client>,
}

impl Objects {
    /// None.
    pub fn new() -> Self {
        Objects { heap: Heap::new(), buffers: HashMap::new(), clients: Vec::new() }
    }

    /// A client that has no handles yet.
    pub fn add_client(&mut self) -> u64 {
        self.clients.push(Client::default());
        self.clients.len() as u64 - 1
    }

    /// Makes an object, and gives its handle. `None` if there is no room.
    pub fn create(&mut self, client: u64, (size, alignment): (u64, u64), domain: u32) -> Option<u32> {
        let object = self.heap.take(size, alignment)?;
        self.buffers.insert(object.address, Buffer { object, domain, tiling: (0, 0), references: 0, submissions: 0 });
        self.add_handle(client, object.address)
    }

    /// The client's handle of the object at an address, which may be new. `None` if there is no such object.
    pub fn handle_of(&mut self, client: u64, address: u32) -> Option<u32> {
        let handles = &self.clients.get(usize::try_from(client).ok()?)?.handles;
        let known = handles.iter().find(|&(_, &object)| object == address).map(|(&handle, _)| handle);
        known.or_else(|| self.add_handle(client, address))
    }

    fn add_handle(&mut self, client: u64, address: u32) -> Option<u32> {
        let client = self.clients.get_mut(usize::try_from(client).ok()?)?;
        let buffer = self.buffers.get_mut(&address)?;
        client.last = client.last.checked_add(1)?;
        client.handles.insert(client.last, address);
        buffer.references += 1;
        Some(client.last)
    }

    /// The object of a handle.
    pub fn get(&mut self, client: u64, handle: u32) -> Option<&mut Buffer> {
        let client = self.clients.get(usize::try_from(client).ok()?)?;
        self.buffers.get_mut(client.handles.get(&handle)?)
    }

    /// The object at an address.
    pub fn at(&self, address: u32) -> Option<Buffer> {
        self.buffers.get(&address).copied()
    }

    /// Objects of these handles, kept until [`Objects::release`]. `None`, and none kept, if a handle is none.
    pub fn keep(&mut self, client: u64, handles: impl Iterator<Item = u32>) -> Option<Vec<Object>> {
        let objects: Option<Vec<Object>> = handles.map(|handle| Some(self.get(client, handle)?.object)).collect();
        for object in objects.iter().flatten() {
            self.buffers.get_mut(&object.address)?.references += 1;
        }
        objects
    }

    /// Counts a submission that names these objects, and gives those that it shows to be large and lasting: each of them once.
    pub fn lasting(&mut self, objects: &[Object]) -> Vec<Object> {
        let mut lasting = Vec::new();
        for object in objects.iter().filter(|object| object.size >= LARGE) {
            if let Some(buffer) = self.buffers.get_mut(&object.address)
                && buffer.submissions < LASTING
            {
                buffer.submissions += 1;
                lasting.extend((buffer.submissions == LASTING).then_some(*object));
            }
        }
        lasting
    }

    /// Ends what [`Objects::keep`] began.
    pub fn release(&mut self, objects: &[Object], memory: &Memory) {
        for object in objects {
            self.drop_reference(object.address, memory);
        }
    }

    /// Closes a handle; false if there is no such.
    pub fn close(&mut self, client: u64, handle: u32, memory: &Memory) -> bool {
        let client = usize::try_from(client).ok().and_then(|client| self.clients.get_mut(client));
        let Some(address) = client.and_then(|client| client.handles.remove(&handle)) else { return false };
        self.drop_reference(address, memory);
        true
    }

    /// An object that nobody needs any more is free. What cannot be cleared stays in use, since its next owner would see
    /// what it holds.
    fn drop_reference(&mut self, address: u32, memory: &Memory) {
        let Some(buffer) = self.buffers.get_mut(&address) else { return };
        buffer.references -= 1;
        if buffer.references == 0 {
            let object = buffer.object;
            self.buffers.remove(&address);
            if memory.clear(object).is_ok() {
                self.heap.give_back(object);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::GRANULE;

    #[test]
    fn objects_live_as_long_as_handles_and_submissions() {
        let (mut objects, memory) = (Objects::new(), Memory::new().unwrap());
        let [one, other] = [objects.add_client(), objects.add_client()];
        let handle = objects.create(one, (5, 1), 4).unwrap();
        let object = objects.get(one, handle).unwrap().object;
        assert!(objects.get(other, handle).is_none(), "handles are a client's own");
        let imported = objects.handle_of(other, object.address).unwrap();
        assert_eq!(objects.handle_of(other, object.address), Some(imported), "one handle for each client");

        assert!(memory.arena().write_u32(object.address, 7));
        assert!(objects.keep(one, [handle, 99].into_iter()).is_none());
        let kept = objects.keep(one, [handle, handle].into_iter()).unwrap();
        assert!(objects.close(one, handle, &memory) && !objects.close(one, handle, &memory));
        assert!(objects.close(other, imported, &memory));
        assert_eq!(memory.arena().read_u32(object.address), Some(7), "the submission needs it");
        objects.release(&kept, &memory);
        assert!(objects.at(object.address).is_none());
        let next = objects.create(one, (5, 1), 4).unwrap();
        assert_eq!(objects.get(one, next).unwrap().object, object);
        assert_eq!(memory.arena().read_u32(object.address), Some(0));
    }

    #[test]
    fn large_objects_that_many_submissions_name_are_lasting_once() {
        let mut objects = Objects::new();
        let client = objects.add_client();
        let handles = [LARGE, LARGE - GRANULE].map(|size| objects.create(client, (size.into(), 1), 4).unwrap());
        let [large, small] = handles.map(|handle| objects.get(client, handle).unwrap().object);
        let lasting = [[large, small]; 20].map(|named| objects.lasting(&named));
        for (number, lasting) in (1..).zip(lasting) {
            assert_eq!(lasting, if number == LASTING { vec![large] } else { vec![] }, "submission {number}");
        }
    }
}
