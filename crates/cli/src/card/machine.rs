//! What this machine must have for programs to draw on a card.

use crate::report::Message;
use ctm_card::Identity;
use std::env;
use std::path::{Path, PathBuf, absolute};

/// The library with the card.
const LIBRARY: &str = "libctm_drm.so";
/// Where libraries are, besides where the environment says.
const DIRECTORIES: [&str; 6] = [
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/lib/x86_64-linux-gnu",
    "/usr/local/lib",
];

/// The file with the card.
pub fn library(given: Option<&Path>) -> Result<PathBuf, Message> {
    if !cfg!(all(target_os = "linux", target_pointer_width = "64")) {
        return Err(Message::error("programs run with a card on 64-bit Linux only")
            .help("'ctm card dis' and others read traces on any host"));
    }
    let candidates = match given {
        Some(path) => vec![path.to_owned()],
        None => {
            let beside = env::current_exe().ok().and_then(|program| Some(program.parent()?.to_owned()));
            beside.into_iter().flat_map(|folder| [folder.join(LIBRARY), folder.join("../lib").join(LIBRARY)]).collect()
        }
    };
    let found = candidates.iter().find(|path| path.is_file()).and_then(|path| absolute(path).ok());
    found.ok_or_else(|| {
        let names: Vec<_> = candidates.iter().map(|path| format!("'{}'", path.display())).collect();
        Message::error(format!("there is no library with the card: {}", names.join(", ")))
            .help("'cargo build --release -p ctm-drm' makes it; --library FILE names it where it is elsewhere")
    })
}

/// Warnings about what is not here that drivers and most programs need.
pub fn missing(card: &Identity) -> Vec<Message> {
    let paths = |variable: &str| -> Vec<PathBuf> {
        env::var_os(variable).map(|paths| env::split_paths(&paths).collect()).unwrap_or_default()
    };
    let mut libraries = paths("LD_LIBRARY_PATH");
    libraries.extend(DIRECTORIES.map(PathBuf::from));
    let mut drivers = paths("LIBGL_DRIVERS_PATH");
    drivers.extend(libraries.iter().map(|folder| folder.join("dri")));
    let driver = format!("{}_dri.so", card.driver);
    let needed = [
        (driver.as_str(), "Mesa's driver", "libgl1-mesa-dri", &drivers),
        ("libEGL.so.1", "what programs draw through without a window system", "libegl1 libegl-mesa0", &libraries),
        ("libgbm.so.1", "what others draw through", "libgbm1", &libraries),
    ];
    let is_missing = |(file, _, _, folders): &(&str, &str, &str, &Vec<PathBuf>)| {
        !folders.iter().any(|folder| folder.join(file).exists())
    };
    let warning = |(file, what, packages, _): (&str, &str, &str, &Vec<PathBuf>)| {
        Message::warning(format!("{file} is not here, {what}")).help(format!("Debian: apt-get install {packages}"))
    };
    needed.into_iter().filter(is_missing).map(warning).collect()
}
