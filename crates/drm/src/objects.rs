//! Buffer objects and who needs them: handles of clients, exports, submissions.

use crate::heap::{Heap, LARGE};
use crate::memory::{Descriptor, Memory};
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
    /// Handles, exports and submissions that need it.
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

/// What an opening of the memory file needs as long as it is there.
enum Opening {
    /// The node was opened.
    Node(Client),
    /// The object at this address was exported.
    Export(u32),
}

/// All buffer objects.
pub struct Objects {
    heap: Heap,
    /// By address.
    buffers: HashMap<u32, Buffer>,
    /// By number; no number is used twice.
    openings: HashMap<u64, Opening>,
    next: u64,
}

impl Objects {
    /// None.
    pub fn new() -> Self {
        Objects { heap: Heap::new(), buffers: HashMap::new(), openings: HashMap::new(), next: 0 }
    }

    /// A client that has no handles yet, as what `open` makes of its number.
    pub fn add_client<T, E>(&mut self, open: impl FnOnce(u64) -> Result<T, E>) -> Result<T, E> {
        self.add(Opening::Node(Client::default()), open)
    }

    /// Exports the object at an address, as what `open` makes of a number. `None` if there is no such object.
    pub fn export<T, E>(&mut self, address: u32, open: impl FnOnce(u64) -> Result<T, E>) -> Option<Result<T, E>> {
        self.buffers.contains_key(&address).then(|| {
            let opened = self.add(Opening::Export(address), open)?;
            self.add_reference(address);
            Ok(opened)
        })
    }

    fn add<T, E>(&mut self, opening: Opening, open: impl FnOnce(u64) -> Result<T, E>) -> Result<T, E> {
        let opened = open(self.next)?;
        self.openings.insert(self.next, opening);
        self.next += 1;
        Ok(opened)
    }

    /// Gives up what openings had that are there no more: the last descriptor of each was closed, and the last mapping removed.
    pub fn forget_closed(&mut self, memory: &Memory) {
        let closed = self.openings.extract_if(|&number, opening| {
            !memory.is_open(match opening {
                Opening::Node(_) => Descriptor::Node(number),
                Opening::Export(_) => Descriptor::Export(number),
            })
        });
        let needed: Vec<u32> = closed
            .flat_map(|(_, opening)| match opening {
                Opening::Node(client) => client.handles.into_values().collect(),
                Opening::Export(address) => vec![address],
            })
            .collect();
        needed.into_iter().for_each(|address| self.drop_reference(address, memory));
    }

    /// Makes an object, and gives its handle. `None` if there is no space.
    pub fn create(&mut self, client: u64, (size, alignment): (u64, u64), domain: u32, memory: &Memory) -> Option<u32> {
        let object = self.heap.take(size, alignment).or_else(|| {
            self.forget_closed(memory);
            self.heap.take(size, alignment)
        })?;
        self.buffers.insert(object.address, Buffer { object, domain, tiling: (0, 0), references: 0, submissions: 0 });
        let handle = self.add_handle(client, object.address);
        if handle.is_none() {
            self.buffers.remove(&object.address);
            self.heap.give_back(object);
        }
        handle
    }

    /// The client's handle of an exported object, which may be new. `None` if there is no such export.
    pub fn import(&mut self, client: u64, export: u64) -> Option<u32> {
        let address = self.exported(export)?.object.address;
        let handles = &self.client(client)?.handles;
        let known = handles.iter().find(|&(_, &object)| object == address).map(|(&handle, _)| handle);
        known.or_else(|| self.add_handle(client, address))
    }

    /// An exported object.
    pub fn exported(&self, export: u64) -> Option<Buffer> {
        match self.openings.get(&export)? {
            Opening::Export(address) => self.buffers.get(address).copied(),
            Opening::Node(_) => None,
        }
    }

    fn client(&mut self, client: u64) -> Option<&mut Client> {
        match self.openings.get_mut(&client)? {
            Opening::Node(client) => Some(client),
            Opening::Export(_) => None,
        }
    }

    fn add_handle(&mut self, client: u64, address: u32) -> Option<u32> {
        let client = self.client(client)?;
        client.last = client.last.checked_add(1)?;
        let handle = client.last;
        client.handles.insert(handle, address);
        self.add_reference(address);
        Some(handle)
    }

    fn add_reference(&mut self, address: u32) {
        if let Some(buffer) = self.buffers.get_mut(&address) {
            buffer.references += 1;
        }
    }

    /// The object of a handle.
    pub fn get(&mut self, client: u64, handle: u32) -> Option<&mut Buffer> {
        let address = *self.client(client)?.handles.get(&handle)?;
        self.buffers.get_mut(&address)
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
        let Some(address) = self.client(client).and_then(|client| client.handles.remove(&handle)) else { return false };
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

    /// A client, with a descriptor.
    fn client(objects: &mut Objects, memory: &Memory) -> (u64, i32) {
        let open = |number| memory.open(Descriptor::Node(number), libc::O_CLOEXEC).map(|opened| (number, opened));
        objects.add_client(open).unwrap()
    }

    fn close(descriptor: i32) {
        // SAFETY: the descriptor is a test's own.
        assert_eq!(unsafe { libc::close(descriptor) }, 0);
    }

    #[test]
    fn objects_live_as_long_as_handles_and_submissions() {
        let (mut objects, memory) = (Objects::new(), Memory::new().unwrap());
        let [(one, _), (other, _)] = [(); 2].map(|()| client(&mut objects, &memory));
        let handle = objects.create(one, (5, 1), 4, &memory).unwrap();
        let object = objects.get(one, handle).unwrap().object;
        assert!(objects.get(other, handle).is_none(), "handles are a client's own");

        assert!(memory.arena().write_u32(object.address, 7));
        assert!(objects.keep(one, [handle, 99].into_iter()).is_none());
        let kept = objects.keep(one, [handle, handle].into_iter()).unwrap();
        assert!(objects.close(one, handle, &memory) && !objects.close(one, handle, &memory));
        assert_eq!(memory.arena().read_u32(object.address), Some(7), "the submission needs it");
        objects.release(&kept, &memory);
        assert!(objects.buffers.is_empty());
        let next = objects.create(one, (5, 1), 4, &memory).unwrap();
        assert_eq!(objects.get(one, next).unwrap().object, object);
        assert_eq!(memory.arena().read_u32(object.address), Some(0));
    }

    #[test]
    fn exports_keep_objects() {
        let (mut objects, memory) = (Objects::new(), Memory::new().unwrap());
        let [(one, _), (other, _)] = [(); 2].map(|()| client(&mut objects, &memory));
        let handle = objects.create(one, (5, 1), 4, &memory).unwrap();
        let address = objects.get(one, handle).unwrap().object.address;
        let open = |number| memory.open(Descriptor::Export(number), 0).map(|opened| (number, opened));
        let (export, exported) = objects.export(address, open).unwrap().unwrap();
        assert!(memory.arena().write_u32(address, 7));
        assert!(objects.close(one, handle, &memory));
        let imported = objects.import(other, export).unwrap();
        assert_eq!(objects.import(other, export), Some(imported), "one handle for each client");
        assert_eq!(memory.arena().read_u32(address), Some(7));
        assert!(objects.close(other, imported, &memory));
        objects.forget_closed(&memory);
        assert_eq!(objects.exported(export).map(|buffer| buffer.object.address), Some(address));
        close(exported);
        objects.forget_closed(&memory);
        assert!(objects.exported(export).is_none() && objects.buffers.is_empty());
        assert_eq!(memory.arena().read_u32(address), Some(0));
        assert!(objects.export(address, |_| Ok::<_, ()>(())).is_none());
    }

    #[test]
    fn closed_clients_are_forgotten() {
        let (mut objects, memory) = (Objects::new(), Memory::new().unwrap());
        let [(one, descriptor), (other, _)] = [(); 2].map(|()| client(&mut objects, &memory));
        let [of_one, of_other] = [one, other].map(|client| objects.create(client, (1 << 31, 1), 4, &memory));
        assert!(of_one.is_some() && of_other.is_none());
        close(descriptor);
        assert!(objects.create(other, (1 << 31, 1), 4, &memory).is_some(), "there is space again");
        assert!(objects.get(one, of_one.unwrap()).is_none());
        assert_eq!(objects.create(one, (5, 1), 4, &memory), None);
        assert_eq!(objects.openings.len(), 1);
    }

    #[test]
    fn large_objects_that_many_submissions_name_are_lasting_once() {
        let (mut objects, memory) = (Objects::new(), Memory::new().unwrap());
        let (client, _) = client(&mut objects, &memory);
        let handles =
            [LARGE, LARGE - GRANULE].map(|size| objects.create(client, (size.into(), 1), 4, &memory).unwrap());
        let [large, small] = handles.map(|handle| objects.get(client, handle).unwrap().object);
        let lasting = [[large, small]; 20].map(|named| objects.lasting(&named));
        for (number, lasting) in (1..).zip(lasting) {
            assert_eq!(lasting, if number == LASTING { vec![large] } else { vec![] }, "submission {number}");
        }
    }
}
