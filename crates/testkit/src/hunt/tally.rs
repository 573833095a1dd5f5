//! Counters of a hunt, and the line of JSON by which workers report them to the campaign.

use ctm_engine::CodeCounts;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Counters of one entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Programs, or inputs of a fuzz target.
    pub programs: u64,
    /// Those that ran as machine code of all forms.
    pub compiled: u64,
    /// Those that trapped, or did not come to their end for another reason.
    pub trapped: u64,
    /// Microseconds.
    pub micros: u64,
    /// Those that did not run as machine code, by reason.
    pub refused: BTreeMap<String, u64>,
    /// Traps by kind.
    pub traps: BTreeMap<String, u64>,
    /// How often programs had each operation.
    pub operations: BTreeMap<String, u64>,
    /// Pieces of machine code by form, by what the checker of accesses could show, and by the passes that changed them.
    pub checks: BTreeMap<String, u64>,
}

impl Tally {
    /// Adds what a form's backend has counted.
    pub fn check(&mut self, form: &str, counts: CodeCounts) {
        let CodeCounts { proven, explicit, refused, interleaved, speculating, deoptimised, .. } = counts;
        let shown = [("proven", proven), ("explicit", explicit), ("refused", refused)];
        let passes = [("interleaved", interleaved), ("speculating", speculating), ("calls deoptimised", deoptimised)];
        for (what, count) in shown.into_iter().chain(passes) {
            *self.checks.entry(format!("{form} {what}")).or_default() += count;
        }
    }

    /// Adds the counters of another worker.
    pub fn add(&mut self, other: &Tally) {
        self.programs += other.programs;
        self.compiled += other.compiled;
        self.trapped += other.trapped;
        self.micros += other.micros;
        let maps = [
            (&mut self.refused, &other.refused),
            (&mut self.traps, &other.traps),
            (&mut self.operations, &other.operations),
            (&mut self.checks, &other.checks),
        ];
        for (to, from) in maps {
            add(to, from);
        }
    }

    /// As JSON.
    pub fn to_json(&self) -> Value {
        let Tally { programs, compiled, trapped, micros, refused, traps, operations, checks } = self;
        json!({
            "programs": programs, "compiled": compiled, "trapped": trapped, "micros": micros,
            "refused": refused, "traps": traps, "operations": operations, "checks": checks,
        })
    }

    /// From [`to_json`](Self::to_json); what is missing is 0.
    pub fn from_json(value: &Value) -> Self {
        let number = |name: &str| value[name].as_u64().unwrap_or(0);
        let map = |name: &str| {
            let entries = value[name].as_object().into_iter().flatten();
            entries.map(|(name, count)| (name.clone(), count.as_u64().unwrap_or(0))).collect()
        };
        Tally {
            programs: number("programs"),
            compiled: number("compiled"),
            trapped: number("trapped"),
            micros: number("micros"),
            refused: map("refused"),
            traps: map("traps"),
            operations: map("operations"),
            checks: map("checks"),
        }
    }
}

/// Adds counters by name.
pub fn add(to: &mut BTreeMap<String, u64>, from: &BTreeMap<String, u64>) {
    from.iter().for_each(|(name, count)| *to.entry(name.clone()).or_default() += count);
}

/// Counts one more of a name.
pub fn one_more(of: &mut BTreeMap<String, u64>, name: impl Into<String>) {
    *of.entry(name.into()).or_default() += 1;
}
