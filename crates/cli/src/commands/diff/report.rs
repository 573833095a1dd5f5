//! What two runs have otherwise, for people and for machines.

use super::MOST_STEPS;
use crate::options::values::FollowedLane;
use crate::recorder::{FollowedSteps, Layout, Output};
use crate::run::follow::{accesses, address, changes, effects, value};
use ctm_array::{Array, Data, Difference};
use ctm_follow::{Change, ListedStep, Step, ValueKind, divergence, last_write, words};
use serde_json::{Value, json};

/// What was found.
pub struct Report<'r> {
    /// All outputs, with what differs.
    pub outputs: Vec<(&'r Output, &'r Option<Difference>)>,
    /// The lane that was followed.
    pub lane: Option<FollowedLane>,
    /// What it went through in both runs.
    pub followed: &'r [Option<FollowedSteps>; 2],
}

impl Report<'_> {
    /// The first output that differs.
    fn first(&self) -> Option<(&Output, &Difference)> {
        self.outputs.iter().find_map(|(output, difference)| Some((*output, difference.as_ref()?)))
    }

    /// The steps where the lane's paths diverge, and the last ones that left the values that differ; in both runs.
    fn steps(&self) -> Option<[[Option<&ListedStep>; 2]; 2]> {
        let [Some(a), Some(b)] = self.followed else { return None };
        let (_, difference) = self.first()?;
        let [of_a, of_b] = difference.bits;
        Some([divergence(&a.steps, &b.steps), [last_write(&a.steps, of_a), last_write(&b.steps, of_b)]])
    }

    /// The page.
    pub fn page(&self) -> String {
        let mut page = String::new();
        for (output, difference) in &self.outputs {
            page += &match difference {
                None => format!("{}: equal\n", output.name),
                Some(difference) => told_difference(output, difference),
            };
        }
        let Some([divergence, written]) = self.steps() else { return page };
        let lane = self.lane.map(|lane| lane.to_string()).unwrap_or_default();
        let is_cut =
            self.followed.iter().flatten().any(|followed_steps| followed_steps.steps.len() as u64 == MOST_STEPS);
        page += &match divergence {
            steps if is_cut && steps.contains(&None) => {
                format!("the first {MOST_STEPS} steps of lane {lane} are alike; later ones were not compared\n")
            }
            [None, None] => format!("lane {lane} goes the same way in both runs, as the reference executes them\n"),
            steps => format!("lane {lane} diverges at\n{}", self.lines(steps, ["the run has ended"; 2])),
        };
        page + "the values were written by\n" + &self.lines(written, self.unwritten())
    }

    /// Of each run, why no step of the lane wrote the value that differs, where none did.
    fn unwritten(&self) -> [&'static str; 2] {
        let bits = self.first().map(|(_, difference)| difference.bits).unwrap_or_default();
        [0, 1].map(|run| {
            let mut at_end = self.followed[run]
                .iter()
                .flat_map(|followed_steps| &followed_steps.end)
                .flat_map(|access| &access.values);
            match at_end.any(|value| *value == bits[run]) {
                true => "no step: the output register held the value from the start",
                false => "no step of this lane: the value was there before, or another lane wrote it",
            }
        })
    }

    fn lines(&self, steps: [Option<&ListedStep>; 2], none: [&str; 2]) -> String {
        let line = |(name, (followed_steps, step), none): (
            &str,
            (&Option<FollowedSteps>, Option<&ListedStep>),
            &str,
        )| match (followed_steps, step) {
            (Some(followed_steps), Some(ListedStep { step, text })) => {
                let text = text.lines().map(str::trim).collect::<Vec<_>>().join("; ");
                let came = came(step).join("; ");
                format!(
                    "  {name}: step {}, {}  {text}\n     {came}\n",
                    step.number,
                    (followed_steps.address)(step.event.at)
                )
            }
            _ => format!("  {name}: {none}\n"),
        };
        let [of_a, of_b] = steps;
        let [none_a, none_b] = none;
        let [way_a, way_b] = self.followed;
        [("A", (way_a, of_a), none_a), ("B", (way_b, of_b), none_b)].into_iter().map(line).collect()
    }

    /// For machines.
    pub fn json(&self) -> Value {
        let outputs = self.outputs.iter().map(|(output, difference)| {
            let difference = difference.as_ref().map(|difference| {
                let [x, y, channel] = difference.first;
                json!({
                    "first": [x, y],
                    "channel": channel,
                    "bits": difference.bits.map(|bits| format!("{bits:#010x}")),
                    "values": difference.bits.map(|bits| number(&output.array, bits)),
                    "elements": difference.elements,
                    "largest": difference.largest,
                    "largest_ulps": difference.largest_ulps,
                })
            });
            let elements = output.array.shape.width * output.array.shape.height;
            json!({ "name": output.name, "elements": elements, "difference": difference })
        });
        let outputs: Vec<Value> = outputs.collect();
        let steps = self.steps().map(|steps| steps.map(|pair| pair.map(|step| step.map(step_json))));
        let [divergence, written] = steps.map_or([None, None], |steps| steps.map(Some));
        json!({
            "equal": self.first().is_none(),
            "outputs": outputs,
            "lane": self.lane.filter(|_| divergence.is_some()).map(|lane| lane.to_string()),
            "parting": divergence,
            "written": written,
        })
    }
}

fn told_difference(output: &Output, difference: &Difference) -> String {
    let &Difference { first: [x, y, channel], bits: [a, b], elements, largest, largest_ulps } = difference;
    let shape = output.array.shape;
    let place = match output.layout {
        Layout::Positions => format!("lane ({x}, {y}), channel {channel}"),
        Layout::Rows => format!("row {y}, component {x}"),
        Layout::Words(base) => format!("word {x}, at {:#x}", base as usize + 4 * x),
    };
    let kind = match (&output.array.data, output.layout) {
        (Data::U8(_) | Data::U16(_), _) => ValueKind::Integer,
        (Data::F32(_), Layout::Words(_)) => ValueKind::Word,
        (Data::F32(_), Layout::Positions | Layout::Rows) => ValueKind::Float,
    };
    let [a, b] = [a, b].map(|bits| value(kind, bits));
    let largest = largest.map(|largest| {
        let largest = largest as f32;
        let ulps = largest_ulps.map_or_else(String::new, |ulps| format!(", {ulps} ulp"));
        format!("\n  the largest difference is {largest}{ulps}")
    });
    format!(
        "{}: {elements} of {} differ, the first at {place}: {a} in A, {b} in B{}\n",
        output.name,
        shape.width * shape.height,
        largest.unwrap_or_default()
    )
}

/// What came of a step, and what it wrote that was there before.
fn came(step: &Step) -> Vec<String> {
    let is_new = |result: &&Change| step.changes.contains(result);
    let old: Vec<Change> = step.results.iter().filter(|result| !is_new(result)).copied().collect();
    let as_before = words::changes(&old).into_iter().map(|text| format!("{text}, as before"));
    effects(step).into_iter().chain(as_before).collect()
}

fn step_json(ListedStep { step, text }: &ListedStep) -> Value {
    json!({
        "step": step.number,
        "address": address(step.event.at),
        "text": text,
        "changes": changes(&step.changes),
        "results": changes(&step.results),
        "accesses": accesses(&step.accesses),
    })
}

/// A value of an array, if JSON has it.
fn number(array: &Array, bits: u32) -> Value {
    match array.data {
        Data::U8(_) | Data::U16(_) => json!(bits),
        Data::F32(_) => json!(f32::from_bits(bits)),
    }
}
