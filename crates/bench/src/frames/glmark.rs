//! Runs of glmark2: so many frames of one scene, in a window.

use super::FramesError;
use super::display::Display;
use super::scenes::Scene;
use crate::drawing::{PeerError, Spent, beside};
use crate::gl::Driver;
use crate::machine::children_time;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Instant;

/// Seconds after which glmark2 ends a scene whatever its frames. Scenes that move by the clock go at a pace that depends on it.
const DURATION: u32 = 100;
/// Lines of a failed run that an error tells.
const LINES: usize = 6;

/// What glmark2 says of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// Who drew.
    pub renderer: String,
    /// The version of OpenGL.
    pub version: String,
    /// Milliseconds per frame, by the clock; none if the driver does not have what the scene needs.
    pub frame: Option<f64>,
}

/// Programs and display of all runs.
#[derive(Debug)]
pub struct Glmark {
    display: Display,
    ctm: PathBuf,
    threads: usize,
}

impl Glmark {
    /// Starts a display.
    ///
    /// # Errors
    /// If there is no display, or no `ctm` beside this program.
    pub fn new(threads: usize) -> Result<Self, FramesError> {
        let ctm = beside("ctm").map_err(|error| FramesError::Command(error.to_string()))?;
        match ctm.exists() {
            true => Ok(Glmark { display: Display::start()?, ctm, threads }),
            false => Err(FramesError::Command(format!("{} does not exist", ctm.display()))),
        }
    }

    /// Draws so many frames of a scene, and gives what the whole run took; no time if the driver does not have what the scene needs.
    ///
    /// # Errors
    /// If glmark2 cannot be run, or another driver draws.
    pub fn run(&self, scene: &Scene, driver: &Driver, frames: u32) -> Result<(Told, Option<Spent>), FramesError> {
        let failed = |cause: String| FramesError::Scene { scene: scene.name, side: driver.name(), cause };
        let mut command = self.command(driver);
        command.arg("-b").arg(format!("{}:nframes={frames}:duration={DURATION}", scene.benchmark));
        command.env("DISPLAY", self.display.name());
        let before = children_time();
        let start = Instant::now();
        let output = command.output().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => FramesError::Glmark(error),
            _ => failed(error.to_string()),
        })?;
        let clock = start.elapsed().as_secs_f64();
        let processor = before.zip(children_time()).map(|(before, after)| after - before);
        let processor = processor.ok_or_else(|| failed("/proc/self/stat cannot be read".to_owned()))?;
        let told = told(&String::from_utf8_lossy(&output.stdout)).filter(|_| output.status.success());
        let told = told.ok_or_else(|| failed(last_lines(&output)))?;
        if !told.renderer.contains(driver.renderer()) {
            return Err(PeerError::OtherDriver { wanted: driver.renderer(), found: told.renderer }.into());
        }
        let is_whole = |frame: f64| frame * f64::from(frames) < 1e3 * f64::from(DURATION);
        match told.frame {
            Some(frame) if !is_whole(frame) => {
                Err(failed(format!("{frames} frames take longer than {DURATION} s; the machine is too busy")))
            }
            frame => Ok((told, frame.map(|_| Spent { clock, processor }))),
        }
    }

    /// What runs glmark2 with a driver, as users do.
    fn command(&self, driver: &Driver) -> Command {
        let (mut command, threads) = match driver {
            Driver::Llvmpipe => (Command::new("glmark2"), driver.environment(self.threads)),
            Driver::Card { model, library, .. } => {
                let mut command = Command::new(&self.ctm);
                command.args(["card", "run", "--card", model.name(), "--library"]).arg(library).args(["--", "glmark2"]);
                (command, vec![Driver::card_threads(self.threads)])
            }
        };
        command.envs(threads);
        command
    }
}

/// What glmark2's output says; none if that is not a whole run.
fn told(output: &str) -> Option<Told> {
    let after = |name: &str| output.lines().find_map(|line| line.trim().strip_prefix(name)).map(str::trim);
    let result = output.lines().find(|line| line.starts_with('['))?;
    let frame = match result.split_once("FrameTime:") {
        Some((_, time)) => Some(time.trim().strip_suffix("ms")?.trim().parse().ok()?),
        None if result.ends_with("Unsupported") => None,
        None => return None,
    };
    Some(Told { renderer: after("GL_RENDERER:")?.to_owned(), version: after("GL_VERSION:")?.to_owned(), frame })
}

/// The end of what a run printed, in one line.
fn last_lines(output: &Output) -> String {
    let text = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat();
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("===")).collect();
    let end = lines[lines.len().saturating_sub(LINES)..].join("; ");
    format!("glmark2 ended with {}: {end}", output.status)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "\
** GLX does not support GLX_EXT_swap_control or GLX_MESA_swap_control!
=======================================================
    glmark2 2023.01
=======================================================
    OpenGL Information
    GL_VENDOR:      X.Org R300 Project
    GL_RENDERER:    ATI R580
    GL_VERSION:     2.1 Mesa 22.3.6
    Surface Size:   800x600 windowed
=======================================================
";

    fn of(result: &str) -> Option<Told> {
        told(&format!("{HEAD}{result}\n"))
    }

    #[test]
    fn runs_have_a_renderer_and_a_time() {
        let got = of("[build] duration=100:nframes=520: FPS: 47 FrameTime: 21.545 ms").unwrap();
        assert_eq!((got.renderer.as_str(), got.version.as_str()), ("ATI R580", "2.1 Mesa 22.3.6"));
        assert_eq!(got.frame, Some(21.545));
    }

    #[test]
    fn scenes_that_the_driver_cannot_draw_have_no_time() {
        assert_eq!(of("[terrain] duration=100:nframes=3: Unsupported").unwrap().frame, None);
    }

    #[test]
    fn anything_else_is_not_a_run() {
        assert_eq!(of("[build] duration=100: Set up failed"), None);
        assert_eq!(of("[build] duration=100: FPS: 47 FrameTime: x ms"), None);
        assert_eq!(of("Error: main: Could not initialize canvas"), None);
        assert_eq!(told("[build] duration=100:nframes=520: FPS: 47 FrameTime: 21.545 ms"), None);
    }
}
