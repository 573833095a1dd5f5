//! What was made last, by what it was made from.

use std::sync::{Arc, Mutex};

/// Values that are kept.
const KEPT: usize = 64;

/// The values that were used last, each with its key.
#[derive(Debug)]
pub(crate) struct Recent<K, V> {
    /// The one that was used last comes last.
    values: Mutex<Vec<(K, Arc<V>)>>,
}

impl<K, V> Default for Recent<K, V> {
    fn default() -> Self {
        Recent { values: Mutex::default() }
    }
}

impl<K: PartialEq, V> Recent<K, V> {
    /// The value of this key, made if it is not there. Whoever wants one while another is made waits.
    pub fn get(&self, key: K, make: impl FnOnce(&K) -> V) -> Arc<V> {
        let mut values = self.values.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let entry = match values.iter().rposition(|(known, _)| *known == key) {
            Some(at) => values.remove(at),
            None => {
                let value = Arc::new(make(&key));
                (key, value)
            }
        };
        let value = entry.1.clone();
        values.push(entry);
        if values.len() > KEPT {
            values.remove(0);
        }
        value
    }
}
