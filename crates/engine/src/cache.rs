//! The cache of compiled programs, by specialisation key.
//!
//! Its lock is held for look-ups alone. Who wants a program that another thread is compiling waits for that program; nobody
//! waits for another one.

use crate::budgeted_once::BudgetedOnce;
use crate::guest::GuestJob;
use crate::runtime::Runtime;
use crate::use_counts::UseCounts;
use ctm_lane::clock::Instant;
use ctm_lane::effort::Effort;
use hashbrown::{DefaultHashBuilder, HashTable};
use std::any::{Any, TypeId};
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// Bytes of compiled programs that are kept, about.
const LIMIT: usize = 256 << 20;
/// Programs that are kept. The guard regions around each piece of machine code take 52 GiB of addresses, of which a process has
/// 128 TiB.
const MOST_PROGRAMS: usize = 256;
/// Bytes that are counted for each program beside its own: its key, and what allocations cost.
const ENTRY_BYTES: usize = 4 << 10;

/// A compiled program with its key.
pub(crate) struct Program<K, V> {
    pub key: Arc<K>,
    pub kernels: V,
}

/// A program that is compiled, or is being compiled.
struct Entry<K, V> {
    key: Arc<K>,
    program: BudgetedOnce<Arc<Program<K, V>>>,
}

/// What a cache has done, and what it holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheStats {
    /// Look-ups that found their program.
    pub hits: u64,
    /// Look-ups after which a program was compiled.
    pub misses: u64,
    /// Programs that were dropped for others.
    pub evictions: u64,
    /// Programs that it holds.
    pub entries: usize,
    /// Bytes that these take, about.
    pub bytes: usize,
    /// Time that compiling took, summed over threads.
    pub compile_time: Duration,
}

/// Compiled programs of all guests; the least recently used ones are dropped.
#[derive(Default)]
pub(crate) struct ProgramCache {
    hasher: DefaultHashBuilder,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    slots: HashTable<Slot>,
    /// Lanes of jobs whose programs are not there, by the hashes of their keys.
    waiting: UseCounts,
    /// Look-ups so far.
    clock: u64,
    stats: CacheStats,
}

struct Slot {
    hash: u64,
    /// The look-up that used it last.
    used: u64,
    bytes: usize,
    /// An [`Entry`].
    entry: Arc<dyn Any + Send + Sync>,
}

impl ProgramCache {
    /// The compiled program of this key, which is compiled if it is not there; `None` if a limit of the run that wants it comes first.
    pub fn get<J: GuestJob>(
        &self,
        key: J::KeyRef<'_>,
        runtime: &Runtime,
        effort: &Effort,
    ) -> Option<Arc<Program<J::Key, J::Kernels>>> {
        self.get_hashed::<J>(self.hash::<J>(&key), key, runtime, effort)
    }

    /// The same, if it is there or jobs with the key have had so many lanes.
    pub fn get_if_worth<J: GuestJob>(
        &self,
        key: J::KeyRef<'_>,
        (lanes, many): (u64, u64),
        runtime: &Runtime,
        effort: &Effort,
    ) -> Option<Arc<Program<J::Key, J::Kernels>>> {
        let hash = self.hash::<J>(&key);
        let mut state = self.lock();
        let is_there = state.slots.find(hash, |slot| slot.hash == hash).is_some();
        if !is_there && state.waiting.add(hash, lanes) < many {
            return None;
        }
        drop(state);
        self.get_hashed::<J>(hash, key, runtime, effort)
    }

    fn hash<J: GuestJob>(&self, key: &J::KeyRef<'_>) -> u64 {
        self.hasher.hash_one((TypeId::of::<Entry<J::Key, J::Kernels>>(), key))
    }

    fn get_hashed<J: GuestJob>(
        &self,
        hash: u64,
        key: J::KeyRef<'_>,
        runtime: &Runtime,
        effort: &Effort,
    ) -> Option<Arc<Program<J::Key, J::Kernels>>> {
        let entry = self.find_or_insert::<J>(hash, key);
        let mut made = None;
        let program = entry.program.get_or_make(effort, || {
            let start = Instant::now();
            let kernels = J::compile(&entry.key, runtime, effort);
            made = Some(start.elapsed());
            Arc::new(Program { key: entry.key.clone(), kernels })
        });
        runtime.note_cut(effort);
        if let Some(time) = made {
            let bytes = program.map_or(0, |program| J::bytes(&program.kernels));
            self.weigh(hash, &*entry, bytes, time);
        }
        program.cloned()
    }

    pub fn stats(&self) -> CacheStats {
        let state = self.lock();
        CacheStats { entries: state.slots.len(), ..state.stats }
    }

    fn find_or_insert<J: GuestJob>(&self, hash: u64, key: J::KeyRef<'_>) -> Arc<Entry<J::Key, J::Kernels>> {
        let mut state = self.lock();
        state.clock += 1;
        let clock = state.clock;
        let is_key = |slot: &Slot| {
            let entry = slot.entry.downcast_ref::<Entry<J::Key, J::Kernels>>();
            slot.hash == hash && entry.is_some_and(|entry| J::matches(&key, &entry.key))
        };
        if let Some(slot) = state.slots.find_mut(hash, is_key)
            && let Ok(entry) = slot.entry.clone().downcast()
        {
            slot.used = clock;
            state.stats.hits += 1;
            return entry;
        }
        let entry = Arc::new(Entry { key: Arc::new(J::to_owned(key)), program: BudgetedOnce::default() });
        let slot = Slot { hash, used: clock, bytes: ENTRY_BYTES, entry: entry.clone() };
        state.slots.insert_unique(hash, slot, |slot| slot.hash);
        state.stats.misses += 1;
        state.stats.bytes += ENTRY_BYTES;
        entry
    }

    /// Notes how large a program has become, and drops others until all of them fit.
    fn weigh<K, V>(&self, hash: u64, entry: &Entry<K, V>, bytes: usize, time: Duration) {
        let mut dropped = Vec::new();
        let mut state = self.lock();
        state.stats.compile_time += time;
        let is_entry = |slot: &Slot| std::ptr::addr_eq(Arc::as_ptr(&slot.entry), entry);
        if let Some(slot) = state.slots.find_mut(hash, is_entry) {
            slot.bytes += bytes;
            state.stats.bytes += bytes;
        }
        while state.stats.bytes > LIMIT || state.slots.len() > MOST_PROGRAMS {
            let others = state.slots.iter().filter(|slot| !is_entry(slot));
            let Some((hash, used)) = others.map(|slot| (slot.hash, slot.used)).min_by_key(|&(_, used)| used) else {
                break;
            };
            let Ok(slot) = state.slots.find_entry(hash, |slot| slot.used == used) else { break };
            let (slot, _) = slot.remove();
            state.stats.bytes -= slot.bytes;
            state.stats.evictions += 1;
            // Programs are freed after the lock.
            dropped.push(slot);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
