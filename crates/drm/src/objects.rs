//! Buffer objects and who needs them: handles of clients, exports, submissions.

use crate::foreign::{Description, Foreign};
use crate::heap::{Heap, LARGE};
use crate::memory::{Descriptor, Export, GRANULE, Memory};
use ctm_card::Object;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::{io, mem};

/// A buffer object.
#[derive(Clone, Copy, Debug)]
pub struct Buffer {
    /// Where it lies.
    pub object: Object,
    /// The domain that it was made in.
    pub domain: u32,
    /// What drivers have noted of its tiling, kept for clients that import it: see [`SharedImage`](ctm_card::SharedImage).
    pub tiling: [u32; 2],
    /// Handles, exports and submissions that need it.
    references: usize,
    /// Submissions that have named it, as far as they are counted.
    submissions: u32,
    /// Others than the card may have written to it since the last of them.
    touched: bool,
    /// Others than the card may write to it at any time.
    shared: bool,
}

impl Buffer {
    /// One that nobody needs yet.
    fn new(object: Object, domain: u32) -> Self {
        Buffer { object, domain, tiling: [0; 2], references: 0, submissions: 0, touched: true, shared: false }
    }

    /// Others than the card may write to it from now on.
    pub fn share(&mut self) {
        (self.touched, self.shared) = (true, true);
    }
}

/// The domain of the host's memory that the card reaches (`RADEON_GEM_DOMAIN_GTT`), in which foreign objects are.
const HOST_DOMAIN: u32 = 2;

/// How many submissions name a large object before it is moved to huge pages, which takes a millisecond for each MiB.
const LASTING: u32 = 8;

/// Objects of one page that submissions of a client reach though they do not list them, at most.
const PAGES: usize = 64;

/// Channels that there are at most, as many as the kernel's driver has.
const CHANNELS: usize = 127;

/// The handles of one opening of the node.
#[derive(Default)]
struct Client {
    /// Addresses of objects by handle.
    handles: HashMap<u32, u32>,
    /// The largest handle that there was.
    last: u32,
    /// Those below that were closed, which are used again, the smallest first.
    closed: BTreeSet<u32>,
    /// Addresses of objects of one page that submissions have listed to write to, the last ones.
    pages: VecDeque<u32>,
}

impl Client {
    /// Adds a handle. `None` if there are no more.
    fn add(&mut self, address: u32) -> Option<u32> {
        let handle = match self.closed.pop_first() {
            Some(handle) => handle,
            None => {
                self.last = self.last.checked_add(1)?;
                self.last
            }
        };
        self.handles.insert(handle, address);
        Some(handle)
    }

    /// Closes a handle, and gives the address of its object.
    fn close(&mut self, handle: u32) -> Option<u32> {
        let address = self.handles.remove(&handle)?;
        self.closed.insert(handle);
        self.pages.retain(|&page| page != address);
        Some(address)
    }
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
    /// Those of other processes' cards, by their address here.
    foreign: HashMap<u32, Foreign>,
    /// By number; no number is used twice.
    openings: HashMap<u64, Opening>,
    next: u64,
    /// The clients of channels, by number; no number is used twice.
    channels: HashMap<u32, u64>,
    next_channel: u32,
    /// Channels that were closed, and of which the card does not know that.
    closed_channels: Vec<u32>,
}

impl Objects {
    /// None; the first will lie at this address.
    pub fn new(first: u64) -> Self {
        Objects {
            heap: Heap::new(first),
            buffers: HashMap::new(),
            foreign: HashMap::new(),
            openings: HashMap::new(),
            next: 0,
            channels: HashMap::new(),
            next_channel: 0,
            closed_channels: Vec::new(),
        }
    }

    /// A client that has no handles yet, as what `open` makes of its number.
    pub fn add_client<T, E>(&mut self, open: impl FnOnce(u64) -> Result<T, E>) -> Result<T, E> {
        self.add(Opening::Node(Client::default()), open)
    }

    /// Exports the object of a handle as a descriptor, with these flags. `device` is the number of the card. `None` if there is no such object.
    pub fn export(
        &mut self,
        (client, handle): (u64, u32),
        (device, flags): (u16, i32),
        memory: &Memory,
    ) -> Option<io::Result<i32>> {
        let buffer = self.get(client, handle)?;
        buffer.share();
        let Buffer { object, tiling, .. } = *buffer;
        let address = object.address;
        if let Some(foreign) = self.foreign.get(&address) {
            return Some(foreign.export(flags));
        }
        Description { size: object.size, tiling, device }.write(memory, address);
        let open = |number| memory.open(Descriptor::Export(Export { number, address }), flags);
        let opened = self.add(Opening::Export(address), open);
        if opened.is_ok() {
            self.add_reference(address);
        }
        Some(opened)
    }

    /// Makes an object and exports it, with these flags: it lives as long as the descriptor, and what imports that. `None` if there is no space.
    pub fn create_exported(
        &mut self,
        size: u64,
        (device, flags): (u16, i32),
        memory: &Memory,
    ) -> Option<io::Result<i32>> {
        let object = self.take(size, 1, memory)?;
        let address = object.address;
        self.buffers.insert(address, Buffer { shared: true, ..Buffer::new(object, HOST_DOMAIN) });
        Description { size: object.size, tiling: [0; 2], device }.write(memory, address);
        self.add_reference(address);
        let open = |number| memory.open(Descriptor::Export(Export { number, address }), flags);
        let opened = self.add(Opening::Export(address), open);
        if opened.is_err() {
            self.drop_reference(address, memory);
        }
        Some(opened)
    }

    /// Whether nobody needs an object but its export.
    pub fn is_only_exported(&self, export: u64) -> bool {
        self.exported(export).is_some_and(|buffer| buffer.references == 1)
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
            !memory.is_open(match *opening {
                Opening::Node(_) => Descriptor::Node(number),
                Opening::Export(address) => Descriptor::Export(Export { number, address }),
            })
        });
        let needed: Vec<u32> = closed
            .flat_map(|(_, opening)| match opening {
                Opening::Node(client) => client.handles.into_values().collect(),
                Opening::Export(address) => vec![address],
            })
            .collect();
        needed.into_iter().for_each(|address| self.drop_reference(address, memory));
        let openings = &self.openings;
        let closed = self.channels.extract_if(|_, client| !openings.contains_key(client));
        self.closed_channels.extend(closed.map(|(channel, _)| channel));
    }

    /// A new channel of a client. `None` if there are too many.
    pub fn add_channel(&mut self, client: u64) -> Option<u32> {
        if self.channels.len() >= CHANNELS {
            return None;
        }
        let channel = self.next_channel;
        self.next_channel = channel.checked_add(1)?;
        self.channels.insert(channel, client);
        Some(channel)
    }

    /// Whether a client has a channel.
    pub fn has_channel(&self, client: u64, channel: u32) -> bool {
        self.channels.get(&channel) == Some(&client)
    }

    /// Closes a client's channel; false if it has none of this number.
    pub fn close_channel(&mut self, client: u64, channel: u32) -> bool {
        let is_there = self.has_channel(client, channel);
        if is_there {
            self.channels.remove(&channel);
            self.closed_channels.push(channel);
        }
        is_there
    }

    /// Channels that were closed since the last time.
    pub fn take_closed_channels(&mut self) -> Vec<u32> {
        mem::take(&mut self.closed_channels)
    }

    /// Makes an object, and gives its handle. `None` if there is no space.
    pub fn create(&mut self, client: u64, (size, alignment): (u64, u64), domain: u32, memory: &Memory) -> Option<u32> {
        let object = self.take(size, alignment, memory)?;
        self.insert(client, Buffer::new(object, domain))
    }

    fn take(&mut self, size: u64, alignment: u64, memory: &Memory) -> Option<Object> {
        self.heap.take(size, alignment).or_else(|| {
            self.forget_closed(memory);
            self.heap.take(size, alignment)
        })
    }

    /// A client's handle of a new object. `None`, and the object's addresses are free, if the client can have none.
    fn insert(&mut self, client: u64, buffer: Buffer) -> Option<u32> {
        let object = buffer.object;
        self.buffers.insert(object.address, buffer);
        let handle = self.add_handle(client, object.address);
        if handle.is_none() {
            self.buffers.remove(&object.address);
            self.heap.give_back(object);
        }
        handle
    }

    /// The client's handle of an object of another process's card, which may be new. `None` if there is no space.
    pub fn import_foreign(&mut self, client: u64, foreign: Foreign, memory: &Memory) -> Option<u32> {
        self.forget_closed(memory);
        let known = self.foreign.iter().find(|(_, known)| known.identity() == foreign.identity());
        if let Some((&address, _)) = known {
            return self.handle_of(client, address);
        }
        let Description { size, tiling, device: _ } = foreign.description;
        let object = self.take(size.into(), 1, memory)?;
        if foreign.map(memory, object).is_err() {
            self.heap.give_back(object);
            return None;
        }
        let buffer = Buffer { tiling, shared: true, ..Buffer::new(object, HOST_DOMAIN) };
        self.foreign.insert(object.address, foreign);
        let handle = self.insert(client, buffer);
        if handle.is_none() {
            self.foreign.remove(&object.address);
            // What cannot be taken back stays what it is until its next owner's pages come in its place.
            let _ = memory.unmap(object);
        }
        handle
    }

    /// The client's handle of an exported object, which may be new. `None` if there is no such export.
    pub fn import(&mut self, client: u64, export: u64) -> Option<u32> {
        let address = self.exported(export)?.object.address;
        self.handle_of(client, address)
    }

    /// The client's handle of an object, which may be new.
    fn handle_of(&mut self, client: u64, address: u32) -> Option<u32> {
        let handles = &self.client(client)?.handles;
        let known = handles.iter().find(|&(_, &object)| object == address).map(|(&handle, _)| handle);
        known.or_else(|| self.add_handle(client, address))
    }

    /// Where clients map `length` bytes from an address on, if they are of another process's card: a descriptor, and the place in its file.
    pub fn foreign_place(&self, address: u64, length: u64) -> Option<(i32, i64)> {
        self.foreign.iter().find_map(|(&first, foreign)| {
            let offset = address.checked_sub(first.into())?;
            let is_inside = offset.checked_add(length)? <= foreign.description.size.into();
            is_inside.then(|| foreign.place(offset as u32))
        })
    }

    /// Others than the card may write to these bytes from now on.
    pub fn share(&mut self, address: u64, length: u64) {
        let first = u32::try_from(address).ok().and_then(|address| self.buffers.get_mut(&address));
        // Drivers map whole objects; whoever maps something else has touched all that it lies in.
        if let Some(buffer) = first.filter(|buffer| length <= buffer.object.size.into()) {
            return buffer.share();
        }
        let end = address.saturating_add(length);
        let is_in = |object: Object| {
            address < u64::from(object.address) + u64::from(object.size) && u64::from(object.address) < end
        };
        self.buffers.values_mut().filter(|buffer| is_in(buffer.object)).for_each(Buffer::share);
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
        let handle = self.client(client)?.add(address)?;
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

    /// Keeps, with the objects of a submission, those of one page that the client's last submissions have listed to write to, and notes the ones that
    /// this one does. On a card a client's objects can all be reached, and nouveau relies on it: where it stores that a submission is executed is
    /// listed by those that draw only.
    pub fn keep_pages(&mut self, client: u64, objects: &mut Vec<Object>, is_written: impl Fn(usize) -> bool) {
        let is_page = |object: &Object| object.size == GRANULE;
        let listed: Vec<(bool, u32)> = objects
            .iter()
            .enumerate()
            .filter(|(_, object)| is_page(object))
            .map(|(number, object)| (is_written(number), object.address))
            .collect();
        let Some(client) = self.client(client) else { return };
        let is_listed = |page: &u32| listed.iter().any(|(_, address)| address == page);
        let unlisted: Vec<u32> = client.pages.iter().copied().filter(|page| !is_listed(page)).collect();
        for &(_, address) in listed.iter().filter(|(is_written, _)| *is_written) {
            client.pages.retain(|&page| page != address);
            client.pages.push_back(address);
        }
        let surplus = client.pages.len().saturating_sub(PAGES);
        client.pages.drain(..surplus);
        for address in unlisted {
            self.add_reference(address);
            objects.push(Object { address, size: GRANULE });
        }
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

    /// Of objects that a submission names now, those to which nobody but the card can have written since the last one that named them.
    pub fn untouched(&mut self, objects: &[Object]) -> Vec<Object> {
        let is_untouched = |object: &&Object| self.buffers.get(&object.address).is_some_and(|buffer| !buffer.touched);
        let untouched = objects.iter().filter(is_untouched).copied().collect();
        for object in objects {
            if let Some(buffer) = self.buffers.get_mut(&object.address) {
                buffer.touched = buffer.shared;
            }
        }
        untouched
    }

    /// Ends what [`Objects::keep`] began.
    pub fn release(&mut self, objects: &[Object], memory: &Memory) {
        for object in objects {
            self.drop_reference(object.address, memory);
        }
    }

    /// Closes a handle; false if there is no such.
    pub fn close(&mut self, client: u64, handle: u32, memory: &Memory) -> bool {
        let Some(address) = self.client(client).and_then(|client| client.close(handle)) else { return false };
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
            let cleared = match self.foreign.remove(&address) {
                Some(_) => memory.unmap(object),
                None => memory.clear(object),
            };
            if cleared.is_ok() {
                self.heap.give_back(object);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{FIRST, descriptor};

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
        let (mut objects, memory) = (Objects::new(FIRST), Memory::new().unwrap());
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
    fn pages_that_submissions_have_written_to_are_reached_by_later_ones() {
        let (mut objects, memory) = (Objects::new(FIRST), Memory::new().unwrap());
        let [(one, _), (other, _)] = [(); 2].map(|()| client(&mut objects, &memory));
        let sizes = [4096, 4096, 8192, 4096];
        let handles = sizes.map(|size| objects.create(one, (size, 1), 4, &memory).unwrap());
        let named = handles.map(|handle| objects.get(one, handle).unwrap().object);
        let reached = |objects: &mut Objects, client, listed: &[usize], written: usize| {
            let mut reached: Vec<Object> = listed.iter().map(|&n| named[n]).collect();
            let first = reached.len();
            objects.keep_pages(client, &mut reached, |n| listed[n] == written);
            objects.release(&reached[first..], &memory);
            reached.split_off(first)
        };
        assert_eq!(reached(&mut objects, one, &[0, 1, 2], 0), []);
        assert_eq!(reached(&mut objects, one, &[1, 2], 2), named[..1], "neither what was read nor larger ones");
        assert_eq!(reached(&mut objects, one, &[0], 0), []);
        assert_eq!(reached(&mut objects, other, &[1], 1), [], "they are a client's own");
        assert_eq!(reached(&mut objects, one, &[3], 3), named[..1]);
        assert!(objects.close(one, handles[0], &memory));
        assert_eq!(reached(&mut objects, one, &[2], 2), named[3..]);
        let many: Vec<u32> = (0..PAGES).map(|_| objects.create(one, (4096, 1), 4, &memory).unwrap()).collect();
        for handle in many {
            let mut listed = vec![objects.get(one, handle).unwrap().object];
            objects.keep_pages(one, &mut listed, |_| true);
            objects.release(&listed[1..], &memory);
            assert!(listed.len() <= 1 + PAGES);
        }
        assert!(!reached(&mut objects, one, &[], 0).contains(&named[3]), "only the last ones");
    }

    #[test]
    fn exports_keep_objects() {
        let (mut objects, memory) = (Objects::new(FIRST), Memory::new().unwrap());
        let [(one, _), (other, _)] = [(); 2].map(|()| client(&mut objects, &memory));
        let handle = objects.create(one, (5, 1), 4, &memory).unwrap();
        let address = objects.get(one, handle).unwrap().object.address;
        let exported = objects.export((one, handle), (0x7140, 0), &memory).unwrap().unwrap();
        let Some(Descriptor::Export(Export { number: export, .. })) = descriptor(exported) else { panic!() };
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
        assert!(objects.export((one, handle), (0x7140, 0), &memory).is_none());
    }

    #[test]
    fn new_exports_live_until_the_last_import_goes() {
        let (mut objects, memory) = (Objects::new(FIRST), Memory::new().unwrap());
        let (one, _) = client(&mut objects, &memory);
        let exported = objects.create_exported(5, (0x7140, 0), &memory).unwrap().unwrap();
        let Some(Descriptor::Export(Export { number: export, .. })) = descriptor(exported) else { panic!() };
        assert!(objects.is_only_exported(export));
        let handle = objects.import(one, export).unwrap();
        assert!(!objects.is_only_exported(export));
        assert!(objects.close(one, handle, &memory));
        assert!(objects.is_only_exported(export));
        close(exported);
        objects.forget_closed(&memory);
        assert!(objects.exported(export).is_none() && !objects.is_only_exported(export));
        assert!(objects.buffers.is_empty());
    }

    #[test]
    fn objects_of_other_cards_are_one_object_until_the_last_handle_goes() {
        let (mut theirs, their_memory) = (Objects::new(FIRST), Memory::new().unwrap());
        let (mut ours, our_memory) = (Objects::new(FIRST), Memory::new().unwrap());
        let (their_client, _) = client(&mut theirs, &their_memory);
        let [(one, _), (other, _)] = [(); 2].map(|()| client(&mut ours, &our_memory));
        let handle = theirs.create(their_client, (0x3000, 1), 4, &their_memory).unwrap();
        let object = theirs.get(their_client, handle).unwrap();
        object.tiling = [3, 512];
        let their_address = object.object.address;
        let exported = theirs.export((their_client, handle), (0x7140, 0), &their_memory).unwrap().unwrap();
        let Some(Descriptor::Export(export)) = descriptor(exported) else { panic!() };
        let foreign = || Foreign::new(exported, export).unwrap();

        let first = ours.import_foreign(one, foreign(), &our_memory).unwrap();
        assert_eq!(ours.import_foreign(one, foreign(), &our_memory), Some(first), "one handle for each client");
        let second = ours.import_foreign(other, foreign(), &our_memory).unwrap();
        let buffer = *ours.get(other, second).unwrap();
        let address = buffer.object.address;
        assert_eq!((buffer.object.size, buffer.tiling), (0x3000, [3, 512]));
        assert!(their_memory.arena().write_u32(their_address + 8, 7));
        assert_eq!(our_memory.arena().read_u32(address + 8), Some(7));
        let place = i64::from(their_address);
        assert_eq!(ours.foreign_place(u64::from(address) + 0x1000, 0x2000).map(|(_, at)| at), Some(place + 0x1000));
        assert_eq!(ours.foreign_place(u64::from(address) + 0x1000, 0x2001), None);

        let again = ours.export((other, second), (0x7140, libc::O_CLOEXEC), &our_memory).unwrap().unwrap();
        assert_eq!(descriptor(again), Some(Descriptor::Export(export)), "it is still that of the other card");
        [exported, again].into_iter().for_each(close);
        assert!(theirs.close(their_client, handle, &their_memory));
        theirs.forget_closed(&their_memory);
        assert_eq!(theirs.buffers.len(), 1, "others need it");
        assert!(ours.close(one, first, &our_memory) && ours.close(other, second, &our_memory));
        assert_eq!(our_memory.arena().read_u32(address + 8), Some(0));
        theirs.forget_closed(&their_memory);
        assert!(theirs.buffers.is_empty() && ours.buffers.is_empty() && ours.foreign.is_empty());
    }

    #[test]
    fn closed_clients_are_forgotten() {
        let (mut objects, memory) = (Objects::new(FIRST), Memory::new().unwrap());
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
    fn nobody_but_the_card_writes_to_what_is_not_mapped() {
        let (mut objects, memory) = (Objects::new(FIRST), Memory::new().unwrap());
        let (client, _) = client(&mut objects, &memory);
        let [own, mapped] = [(); 2].map(|()| objects.create(client, (0x1000, 1), 4, &memory).unwrap());
        let both = [own, mapped].map(|handle| objects.get(client, handle).unwrap().object);
        assert_eq!(objects.untouched(&both), [], "they are new");
        assert_eq!(objects.untouched(&both), both);
        objects.get(client, mapped).unwrap().share();
        for _ in 0..3 {
            assert_eq!(objects.untouched(&both), both[..1]);
        }
        let exported = objects.export((client, own), (0x7140, 0), &memory).unwrap().unwrap();
        assert_eq!(objects.untouched(&both), []);
        close(exported);
    }

    #[test]
    fn large_objects_that_many_submissions_name_are_lasting_once() {
        let (mut objects, memory) = (Objects::new(FIRST), Memory::new().unwrap());
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
