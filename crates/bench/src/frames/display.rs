//! An X server without a screen, for as long as the measurement takes.

use super::FramesError;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The screen of the server; windows are smaller.
const SCREEN: &str = "1024x768x24";
/// How a client of X begins: little endian, version 11.0, no authorization.
const GREETING: [u8; 12] = [b'l', 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0];
/// How long the server may take to end.
const PATIENCE: Duration = Duration::from_secs(10);

/// Xvfb, on a display that was free.
#[derive(Debug)]
pub struct Display {
    server: Child,
    number: u32,
    /// A client that does nothing. The server ends with its last client, so it ends with this process, however that ends.
    client: Option<UnixStream>,
}

impl Display {
    /// Starts the server, and waits until it serves.
    ///
    /// # Errors
    /// If there is no Xvfb, or it does not start.
    pub fn start() -> Result<Self, FramesError> {
        let mut command = Command::new("Xvfb");
        // With -displayfd it chooses a free number, and writes it there once it serves.
        command.args(["-displayfd", "1", "-screen", "0", SCREEN, "-nolisten", "tcp", "-terminate"]);
        let server = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let server = server.map_err(FramesError::Display)?;
        let mut display = Display { server, number: 0, client: None };
        display.greet().map_err(FramesError::Display)?;
        Ok(display)
    }

    fn greet(&mut self) -> io::Result<()> {
        let stdout = self.server.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        self.number = line.trim().parse().map_err(|_| io::Error::other("it ended without a display"))?;
        let mut client = UnixStream::connect(format!("/tmp/.X11-unix/X{}", self.number))?;
        client.write_all(&GREETING)?;
        let mut answer = [0];
        client.read_exact(&mut answer)?;
        self.client = Some(client);
        match answer {
            [1] => Ok(()),
            _ => Err(io::Error::other("it refuses clients")),
        }
    }

    /// The display as `DISPLAY` has it.
    pub fn name(&self) -> String {
        format!(":{}", self.number)
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        // Without its last client it ends and removes its files; a killed one would leave them. One that nobody greeted does not end.
        if self.client.take().is_some() {
            let start = Instant::now();
            while start.elapsed() < PATIENCE {
                if let Ok(Some(_)) = self.server.try_wait() {
                    return;
                }
                sleep(Duration::from_millis(10));
            }
        }
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
