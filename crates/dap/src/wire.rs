//! Messages on a stream: a header with the length, then JSON.

use serde_json::Value;
use std::io::{self, BufRead, Read, Write};
use thiserror::Error;

/// Bytes of the longest message that is read.
const LONGEST: u64 = 16 << 20;
/// Bytes of the longest line of a header.
const HEADER: u64 = 4096;

/// Why the talk with a client ended before its time.
#[derive(Debug, Error)]
pub enum WireError {
    /// The stream failed.
    #[error("the client cannot be reached: {0}")]
    Stream(#[from] io::Error),
    /// A header says no length.
    #[error("a message of the client has no header 'Content-Length: N'; is it a client of the Debug Adapter Protocol?")]
    Header,
    /// A message is too long.
    #[error("a message of the client has {0} bytes, which is more than {LONGEST}")]
    TooLong(u64),
    /// A message is no JSON.
    #[error("a message of the client is no JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// Reads a message; none at the end of the stream.
///
/// # Errors
/// There is none, or the stream fails.
pub fn read(input: &mut dyn BufRead) -> Result<Option<Value>, WireError> {
    let mut length = None;
    let mut first = true;
    loop {
        let mut line = Vec::new();
        Read::take(&mut *input, HEADER).read_until(b'\n', &mut line)?;
        if line.is_empty() && first {
            return Ok(None);
        }
        first = false;
        if !line.ends_with(b"\n") {
            return Err(WireError::Header);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse::<u64>().ok();
        }
    }
    let length = length.ok_or(WireError::Header)?;
    if length > LONGEST {
        return Err(WireError::TooLong(length));
    }
    let mut body = vec![0; length as usize];
    input.read_exact(&mut body)?;
    Ok(Some(serde_json::from_slice(&body)?))
}

/// Writes a message.
///
/// # Errors
/// The stream fails.
pub fn write(output: &mut dyn Write, message: &Value) -> Result<(), WireError> {
    let body = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    Ok(output.flush()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn messages_come_back() {
        let message = json!({"seq": 1, "text": "Grüße\n"});
        let mut bytes = Vec::new();
        write(&mut bytes, &message).unwrap();
        write(&mut bytes, &message).unwrap();
        let mut input = &bytes[..];
        assert_eq!(read(&mut input).unwrap(), Some(message.clone()));
        assert_eq!(read(&mut input).unwrap(), Some(message));
        assert_eq!(read(&mut input).unwrap(), None);
    }

    #[test]
    fn what_is_no_message_is_an_error() {
        let of = |text: &str| read(&mut text.as_bytes()).unwrap_err().to_string();
        assert!(of("GET / HTTP/1.1\r\n\r\n").contains("no header"));
        assert!(of("Content-Length: 99999999999\r\n\r\n").contains("more than"));
        assert!(of("Content-Length: 5\r\n\r\n{").contains("cannot be reached"));
        assert!(of("Content-Length: 1\r\n\r\n{").contains("no JSON"));
        assert!(of(&"x".repeat(100_000)).contains("no header"));
    }
}
