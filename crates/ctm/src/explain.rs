//! Pages about names and codes.

use crate::Machine;
use ctm_text::topic::{self, Topic};
use std::fmt::Write;

/// The page of a code of [`Program::check`](crate::Program::check) (`X1K105`), of an error of a text (`unknown-word`), or of a name of a machine's
/// assembly language (`MAD`), as Markdown: what `ctm explain` prints. Without a machine these are the pages of all machines that have the
/// name. `None` if nothing has.
///
/// ```
/// use ctm_gpu::{Machine, explain};
/// assert!(explain("X1K105", None).is_some_and(|page| page.contains("hardware")));
/// assert!(explain("MUFU.RCP", Some(Machine::Sm50)).is_some_and(|page| page.starts_with("# MUFU")));
/// assert_eq!(explain("nothing", None), None);
/// ```
pub fn explain(name: &str, machine: Option<Machine>) -> Option<String> {
    let machines = || Machine::ALL.into_iter().filter(|one| machine.is_none_or(|machine| machine == *one));
    if let Some(page) = machines().find_map(|machine| code(machine, name)) {
        return Some(page.to_owned());
    }
    let common = topic::concepts().into_iter().chain(topic::causes()).map(|topic| (None, topic));
    let own = machines().flat_map(|machine| topics(machine).into_iter().map(move |topic| (Some(machine), topic)));
    let pages: Vec<(Option<Machine>, Topic)> = common.chain(own).collect();
    let mut text = String::new();
    for (machine, topic) in topic::find(&pages, |(_, topic)| topic, name) {
        let of = machine.map(|machine| format!(" of {}", machine.name())).unwrap_or_default();
        let gap = if text.is_empty() { "" } else { "\n" };
        write!(text, "{gap}# {}: {}{of}\n\n{}\n", topic.name, topic.kind, topic.text().trim_end()).ok()?;
    }
    (!text.is_empty()).then_some(text)
}

fn topics(machine: Machine) -> Vec<Topic> {
    match machine {
        Machine::X1k => ctm_x1k::topics::topics(),
        Machine::R700 => ctm_r700::topics::topics(),
        Machine::Sm50 => ctm_sm50::topics::topics(),
        Machine::Pvs => ctm_pvs::topics::topics(),
    }
}

/// The page of a code of a machine's checks.
fn code(machine: Machine, name: &str) -> Option<&'static str> {
    macro_rules! page {
        ($codes:ty) => {
            <$codes>::ALL.into_iter().find(|code| code.as_str().eq_ignore_ascii_case(name)).map(|code| code.explain())
        };
    }
    match machine {
        Machine::X1k => page!(ctm_x1k::check::FindingCode),
        Machine::R700 => page!(ctm_r700::check::FindingCode),
        Machine::Sm50 => page!(ctm_sm50::check::FindingCode),
        Machine::Pvs => page!(ctm_pvs::check::FindingCode),
    }
}
