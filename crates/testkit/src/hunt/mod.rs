//! Long hunts: random programs of all guests on all engines, and mutated files on all fuzz targets, for as long as one likes.
//!
//! A hunt is a process that starts others: [`worker`]s check one seed after the other and note it in a file before they
//! begin, so that a crash or a hang (which a [`watchdog`] ends) has a seed; [`campaign`] starts them, gathers what they count and
//! find, and has finds [shrunk](shrink) by processes of their own. A smaller file shows a find if its check [fails](failure)
//! in the same way.

pub mod campaign;
pub mod failure;
pub mod program;
pub mod shrink;
pub mod subject;
pub mod tally;
pub mod watchdog;
pub mod worker;
