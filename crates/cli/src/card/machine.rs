//! What this machine must have for programs to draw on a card.

use super::mesa::MesaBuild;
use crate::report::Message;
use ctm_card::Identity;
use std::env;
use std::fs;
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

/// Where the loader finds libraries, and Mesa its drivers.
pub struct Folders {
    libraries: Vec<PathBuf>,
    drivers: Vec<PathBuf>,
    /// The driver of a build of Mesa.
    driver: Option<PathBuf>,
}

/// A file that programs with a card need.
pub struct RequiredFile {
    /// Its name.
    pub file: String,
    /// What it is.
    pub what: &'static str,
    /// The packages of Debian that have it.
    pub packages: &'static str,
    /// Where it is, if it is here.
    pub found: Option<PathBuf>,
}

impl Folders {
    /// As the environment says; before that a build of Mesa.
    pub fn new(mesa: Option<&MesaBuild>) -> Self {
        let paths = |variable: &str| -> Vec<PathBuf> {
            env::var_os(variable).map(|paths| env::split_paths(&paths).collect()).unwrap_or_default()
        };
        let mut libraries: Vec<PathBuf> = mesa.iter().flat_map(|mesa| mesa.libraries.iter().cloned()).collect();
        libraries.extend(paths("LD_LIBRARY_PATH"));
        libraries.extend(DIRECTORIES.map(PathBuf::from));
        let mut drivers = paths("LIBGL_DRIVERS_PATH");
        drivers.extend(libraries.iter().map(|folder| folder.join("dri")));
        Folders { libraries, drivers, driver: mesa.map(|mesa| mesa.driver.clone()) }
    }

    /// A library, if it is here.
    pub fn library(&self, file: &str) -> Option<PathBuf> {
        find(&self.libraries, file)
    }

    /// What most programs need that draw on a card: its driver first.
    pub fn needed(&self, card: &Identity) -> [RequiredFile; 3] {
        let driver = format!("{}_dri.so", card.driver);
        let library = |file: &str, what, packages| RequiredFile {
            file: file.to_owned(),
            what,
            packages,
            found: self.library(file),
        };
        [
            RequiredFile {
                found: self.driver.clone().or_else(|| find(&self.drivers, &driver)),
                file: driver,
                what: "Mesa's driver",
                packages: "libgl1-mesa-dri",
            },
            library("libEGL.so.1", "what programs draw through without a window system", "libegl1 libegl-mesa0"),
            library("libgbm.so.1", "what others draw through", "libgbm1"),
        ]
    }
}

fn find(folders: &[PathBuf], file: &str) -> Option<PathBuf> {
    folders.iter().map(|folder| folder.join(file)).find(|path| path.exists())
}

/// Warnings about what is not here that drivers and most programs need.
pub fn missing(card: &Identity, mesa: Option<&MesaBuild>) -> Vec<Message> {
    let missing = Folders::new(mesa).needed(card).into_iter().filter(|needed| needed.found.is_none());
    let warning = |needed: RequiredFile| {
        Message::warning(format!("{} is not here, {}", needed.file, needed.what))
            .help(format!("Debian: apt-get install {}", needed.packages))
    };
    missing.map(warning).collect()
}

/// The version of Mesa that a driver says it is.
pub fn mesa_version(driver: &Path) -> String {
    let bytes = fs::read(driver).unwrap_or_default();
    let after = |at: usize| bytes[at + 5..].iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.');
    let found =
        bytes.windows(7).enumerate().find(|(_, window)| window.starts_with(b"Mesa ") && window[5].is_ascii_digit());
    match found {
        Some((at, _)) => after(at).map(|&byte| char::from(byte)).collect(),
        None => "of an unknown version".to_owned(),
    }
}
