//! What the environment says.

use ctm_cards::Model;
use ctm_codegen::EngineName;
use ctm_engine::Executor;
use std::env;
use std::path::PathBuf;
use std::time::Duration;

/// The card where nothing else is said: the fastest.
const DEFAULT: &str = "r580";

/// Time that a submission may take where nothing else is said. Drivers give cards up after 10 s.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// What the environment says.
pub struct Options {
    /// `CTM_CARD`: which card.
    pub model: Model,
    /// `CTM_CARD_ENGINE`: what draws primitives of many pixels. Pictures do not depend on it.
    pub executor: Executor,
    /// `CTM_CARD_THREADS`: threads of the engine; 0 is one per processor. Pictures do not depend on them.
    pub threads: usize,
    /// `CTM_CARD_TIME_LIMIT`: seconds that a submission may take; `None` if there is no limit.
    pub time_limit: Option<Duration>,
    /// `CTM_CARD_LOG`: the file that warnings are appended to.
    pub log: Option<PathBuf>,
    /// `CTM_CARD_TRACE`: the file that submissions are recorded in.
    pub trace: Option<PathBuf>,
}

impl Options {
    /// Reads the environment. The error is a sentence.
    pub fn read() -> Result<Self, String> {
        let path = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let name = env::var_os("CTM_CARD").filter(|value| !value.is_empty()).unwrap_or_else(|| DEFAULT.into());
        let model = name
            .to_str()
            .and_then(Model::named)
            .ok_or_else(|| format!("unknown card {name:?} in CTM_CARD; known are {}", Model::names()))?;
        let engine = match env::var_os("CTM_CARD_ENGINE").filter(|value| !value.is_empty()) {
            None => EngineName::fastest(),
            Some(name) => EngineName::ALL.into_iter().find(|engine| name == engine.name()).ok_or_else(|| {
                let known = EngineName::ALL.map(EngineName::name).join(", ");
                format!("unknown engine {name:?} in CTM_CARD_ENGINE; known are {known}")
            })?,
        };
        let executor = engine.executor().map_err(|error| format!("CTM_CARD_ENGINE: {error}"))?;
        let threads = match env::var_os("CTM_CARD_THREADS").filter(|value| !value.is_empty()) {
            None => 0,
            Some(value) => {
                value.to_str().and_then(|value| value.parse::<u16>().ok()).map(usize::from).ok_or_else(|| {
                    format!("CTM_CARD_THREADS: expected a number of threads (0 for one per processor), found {value:?}")
                })?
            }
        };
        let time_limit = match env::var_os("CTM_CARD_TIME_LIMIT").filter(|value| !value.is_empty()) {
            None => Some(TIME_LIMIT),
            Some(value) => {
                let seconds = value.to_str().and_then(|value| value.parse::<u32>().ok());
                let seconds = seconds.ok_or_else(|| {
                    format!("CTM_CARD_TIME_LIMIT: expected a number of seconds (0 for no limit), found {value:?}")
                })?;
                (seconds != 0).then(|| Duration::from_secs(seconds.into()))
            }
        };
        Ok(Options { model, executor, threads, time_limit, log: path("CTM_CARD_LOG"), trace: path("CTM_CARD_TRACE") })
    }
}
