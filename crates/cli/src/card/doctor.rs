//! `ctm card doctor`: what this machine has for programs that draw on a card, and what it lacks.

use super::machine::{self, Folders};
use super::mesa::MesaBuild;
use crate::args::CardDoctorArgs;
use crate::{Console, Failure};
use serde_json::json;
use std::env;
use std::fs;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

/// Bytes of addresses that a process with a card needs: the card's memory twice, and room for the program.
const ADDRESSES: u64 = 8 << 30;
/// Bytes of the file in memory that is the card's memory.
const MEMORY: u64 = 3 << 30;
/// Variables by which programs get Mesa's software renderer, or another driver.
const OTHERS: [&str; 3] = ["LIBGL_ALWAYS_SOFTWARE", "MESA_LOADER_DRIVER_OVERRIDE", "GALLIUM_DRIVER"];

/// What was found of one thing.
struct Finding {
    /// What it is.
    name: &'static str,
    state: State,
    /// What is there, or is not.
    text: String,
    /// What to do.
    remedy: Option<String>,
}

/// How it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Good,
    /// Some programs do without it.
    Limited,
    /// No program draws on the card.
    Missing,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            State::Good => "ok",
            State::Limited => "limited",
            State::Missing => "missing",
        }
    }
}

impl Finding {
    fn good(name: &'static str, text: impl Into<String>) -> Self {
        Finding { name, state: State::Good, text: text.into(), remedy: None }
    }

    fn new(name: &'static str, state: State, text: impl Into<String>, remedy: impl Into<String>) -> Self {
        Finding { name, state, text: text.into(), remedy: Some(remedy.into()) }
    }
}

/// Looks at the machine, and says what is there.
pub fn doctor(args: &CardDoctorArgs, console: &mut Console) -> Result<(), Failure> {
    let card = args.card.identity();
    let mesa = args.mesa.as_deref().map(|folder| MesaBuild::find(folder, card.driver)).transpose()?;
    let folders = Folders::new(mesa.as_ref());
    let [driver, egl, gbm] = folders.needed(&card);
    let library = match machine::library(args.library.as_deref()) {
        Ok(path) => Finding::good("card", format!("{}: {}", card.name, path.display())),
        Err(_) => Finding::new(
            "card",
            State::Missing,
            "libctm_drm.so is neither beside ctm nor in ../lib",
            "cargo build --release -p ctm-drm, or --library FILE",
        ),
    };
    let driver = match &driver.found {
        Some(path) => Finding::good("driver", format!("{}, Mesa {}", path.display(), machine::mesa_version(path))),
        None => Finding::new(
            "driver",
            State::Missing,
            format!("{} is not here", driver.file),
            "Debian: apt-get install libgl1-mesa-dri; a build of your own: --mesa FOLDER",
        ),
    };
    let interfaces = [("EGL", egl), ("GBM", gbm)].map(|(name, needed)| match needed.found {
        Some(path) => Finding::good(name, path.display().to_string()),
        None => Finding::new(
            name,
            State::Limited,
            format!("{} is not here", needed.file),
            format!("Debian: apt-get install {}", needed.packages),
        ),
    });
    let glx = match folders.library("libGLX_mesa.so.0") {
        Some(path) => Finding::good("GLX", path.display().to_string()),
        None => {
            Finding::new("GLX", State::Limited, "libGLX_mesa.so.0 is not here", "Debian: apt-get install libglx-mesa0")
        }
    };
    let mut findings = vec![library, driver];
    findings.extend(interfaces);
    findings.extend([glx, x_server(), wayland(), limits(), processes(), environment()]);
    if args.json {
        let all: Vec<_> = findings
            .iter()
            .map(|finding| {
                json!({
                    "name": finding.name, "state": finding.state.name(), "text": finding.text, "remedy": finding.remedy,
                })
            })
            .collect();
        console.json(&json!({ "card": card.name, "findings": all }))?;
    } else {
        for Finding { name, state, text, remedy } in &findings {
            writeln!(console.out, "{:<8} {name:<12} {text}", state.name())?;
            if let Some(remedy) = remedy {
                writeln!(console.out, "{:<21} -> {remedy}", "")?;
            }
        }
    }
    match findings.iter().any(|finding| finding.state == State::Missing) {
        true => Err(Failure::Program(1)),
        false => Ok(()),
    }
}

/// The X server.
fn x_server() -> Finding {
    let Some(display) = env::var_os("DISPLAY").filter(|display| !display.is_empty()) else {
        return Finding::new(
            "X",
            State::Limited,
            "DISPLAY is not set: programs open no windows",
            "Xvfb :1 & export DISPLAY=:1",
        );
    };
    let display = display.to_string_lossy().into_owned();
    let number = display.strip_prefix("unix:").or(display.strip_prefix(':'));
    let Some(number) = number.and_then(|rest| rest.split('.').next()) else {
        return Finding::good("X", format!("{display}, on another host: pictures are sent, without shared memory"));
    };
    let socket = format!("/tmp/.X11-unix/X{number}");
    match UnixStream::connect(&socket) {
        Ok(_) => Finding::good("X", format!("{display}, windows by GLX and EGL")),
        Err(error) => Finding::new(
            "X",
            State::Limited,
            format!("{display}: no server at {socket}: {error}"),
            "start one, or correct DISPLAY",
        ),
    }
}

/// The Wayland compositor. It shows buffers of the card only if it draws on one itself.
fn wayland() -> Finding {
    let is_set = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    let Some(display) = is_set("WAYLAND_DISPLAY") else {
        return Finding::good("Wayland", "WAYLAND_DISPLAY is not set");
    };
    let socket = PathBuf::from(is_set("XDG_RUNTIME_DIR").unwrap_or_default()).join(&display);
    let limited = |text: &str, remedy: &str| {
        Finding::new("Wayland", State::Limited, format!("{}: {text}", socket.display()), remedy)
    };
    let unset = "ctm card run -- weston, or unset WAYLAND_DISPLAY, so that programs use X";
    match UnixStream::connect(&socket) {
        Err(error) => limited(&format!("no compositor: {error}"), unset),
        Ok(stream) if is_on_card(&stream) => Finding::good("Wayland", format!("{}: on the card", socket.display())),
        Ok(_) => limited("the compositor does not run on the card", unset),
    }
}

/// Whether the process at the other end of a socket has the card's library.
fn is_on_card(stream: &UnixStream) -> bool {
    let maps = rustix::net::sockopt::socket_peercred(stream)
        .ok()
        .and_then(|peer| fs::read_to_string(format!("/proc/{}/maps", peer.pid.as_raw_nonzero())).ok());
    maps.is_some_and(|maps| maps.contains("libctm_drm.so"))
}

/// Limits of processes.
fn limits() -> Finding {
    use rustix::process::{Resource, getrlimit};
    let is_less = |resource, least: u64| getrlimit(resource).current.is_some_and(|limit| limit < least);
    if is_less(Resource::As, ADDRESSES) {
        return Finding::new("limits", State::Missing, "less than 8 GiB of addresses", "ulimit -v unlimited");
    }
    if is_less(Resource::Fsize, MEMORY) {
        return Finding::new(
            "limits",
            State::Missing,
            "files of less than 3 GiB, as the card's memory is",
            "ulimit -f unlimited",
        );
    }
    Finding::good("limits", "addresses and files are large enough")
}

/// The file system of processes.
fn processes() -> Finding {
    match fs::read_link("/proc/self/exe") {
        Ok(_) => Finding::good("/proc", "there"),
        Err(_) => Finding::new(
            "/proc",
            State::Missing,
            "not there: the card's memory is opened by it",
            "mount -t proc proc /proc",
        ),
    }
}

/// Variables that ask for other drivers.
fn environment() -> Finding {
    let is_set =
        |name: &&&str| env::var_os(**name).is_some_and(|value| !value.is_empty() && value != "0" && value != "false");
    match OTHERS.iter().find(is_set) {
        None => Finding::good("environment", "asks for no other driver"),
        Some(name) => Finding::new(
            "environment",
            State::Missing,
            format!("{name} is set: Mesa takes another driver"),
            format!("unset {name}"),
        ),
    }
}
