//! Fuzz targets of cards, see [`crate::targets`].

use ctm_card::trace::{PAGE, TraceReader, TraceRecord};
use ctm_card::{Card, Object};
use ctm_cards::{Card as AnyCard, CardOptions, Model};
use ctm_memory::Arena;
use std::sync::Arc;
use std::time::Duration;

/// Longest time of a submission.
const TIME_LIMIT: Duration = Duration::from_secs(5);
/// The first card address that is used, and the bytes of memory from there on.
const MEMORY: (u32, u32) = (0x1000, 2 << 20);
/// The same of cards whose drivers begin further behind.
const LATE_MEMORY: (u32, u32) = (16 << 20, 16 << 20);

/// A trace is read to its end or an error. What it submits is listed, and executed or rejected, on the card that it is of, or the first there
/// is; no memory is written but that of the objects that it names and the pages that it brings. Programs of some cards may store to all of memory.
pub fn trace(bytes: &[u8]) {
    let Ok(reader) = TraceReader::new(bytes) else { return };
    let Some(model) = Model::named(reader.card()).or_else(|| Model::all().next()) else { return };
    let records: Vec<TraceRecord> = reader.map_while(Result::ok).collect();
    let (first, bytes) = if model.has_commands_in_memory() { LATE_MEMORY } else { MEMORY };
    let memory = Arc::new(Arena::new(first, bytes).expect("memory"));
    let mut card = AnyCard::new(model, CardOptions { time_limit: Some(TIME_LIMIT), ..CardOptions::default() });
    for record in &records {
        record.write_pages(&memory);
        model.listing(&record.submission(), &memory);
        // Rejected or not, the card goes on.
        let _ = card.submit(&memory, &record.submission());
    }
    if model.has_commands_in_memory() {
        return;
    }
    for address in (first..first + bytes).step_by(PAGE) {
        let is_in = |object: &Object| {
            object.address < address + PAGE as u32
                && u64::from(object.address) + u64::from(object.size) > address.into()
        };
        let may_change = |record: &TraceRecord| {
            record.objects.iter().any(is_in) || record.pages.iter().any(|page| page.address == address)
        };
        let mut page = [0; PAGE];
        if !records.iter().any(may_change) && memory.read_bytes(address, &mut page) {
            assert!(page.iter().all(|&byte| byte == 0), "memory at {address:#010x} was written");
        }
    }
}
