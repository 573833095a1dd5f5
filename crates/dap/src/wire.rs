//! Messages on a stream: a header with the length, then JSON.

use serde_json::Value;
use std::io::{self, BufRead, Read, Write};
use thiserror::Error;

/// Bytes of the longest message that is read.
const LONGEST: u64 = 16 << 20;
/// Bytes of the longest line of a header.
const HEADER: u64 = 256;
/// Characters of a line that is not a header which are shown.
const SHOWN: usize = 40;

/// Why the talk with a client ended before its time.
#[derive(Debug, Error)]
pub enum WireError {
    /// The stream failed.
    #[error("the client cannot be reached: {0}")]
    Stream(#[from] io::Error),
    /// Nothing has come for too long.
    #[error("the client sent no 'initialize' request")]
    Silent,
    /// What comes is not what a message begins with.
    #[error("expected a message of the Debug Adapter Protocol, which begins with 'Content-Length: N', found '{0}'")]
    Header(String),
    /// A message is too long.
    #[error("a message of the client has {0} bytes, which is more than {LONGEST}")]
    TooLong(u64),
    /// A message is not JSON.
    #[error("a message of the client is not JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// A message is not a request.
    #[error("a message of the client is not a request")]
    Request,
    /// The first request is another one.
    #[error("the first request of the client is '{0}', but 'initialize' comes first")]
    Uninitialized(String),
}

/// Reads a request; none at the end of the stream. Anything that is not of the protocol is an error: what speaks another one, such as a
/// page in a browser, does not get to say anything.
///
/// # Errors
/// What comes is not a request, or the stream fails.
pub fn read(input: &mut dyn BufRead) -> Result<Option<Value>, WireError> {
    let Some(first) = line(input)? else { return Ok(None) };
    let length = length(&first).ok_or_else(|| shown(&first))?;
    let second = line(input)?.unwrap_or_default();
    if !second.trim_ascii_end().is_empty() || !second.ends_with(b"\n") {
        return Err(shown(&second));
    }
    if length > LONGEST {
        return Err(WireError::TooLong(length));
    }
    let mut body = vec![0; length as usize];
    input.read_exact(&mut body)?;
    let message: Value = serde_json::from_slice(&body)?;
    let is_request = message["type"] == "request" && message["command"].is_string();
    if is_request { Ok(Some(message)) } else { Err(WireError::Request) }
}

/// The next line with its end, as far as it may be long; none at the end of the stream.
fn line(input: &mut dyn BufRead) -> Result<Option<Vec<u8>>, WireError> {
    let mut line = Vec::new();
    Read::take(&mut *input, HEADER).read_until(b'\n', &mut line).map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => WireError::Silent,
        _ => WireError::Stream(error),
    })?;
    Ok((!line.is_empty()).then_some(line))
}

/// The length that the header of a message gives. The protocol has no other field.
fn length(line: &[u8]) -> Option<u64> {
    let (name, value) = str::from_utf8(line).ok()?.strip_suffix('\n')?.split_once(':')?;
    let digits = value.trim();
    let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    (name.eq_ignore_ascii_case("content-length") && is_number).then(|| digits.parse().unwrap_or(u64::MAX))
}

fn shown(line: &[u8]) -> WireError {
    let text = String::from_utf8_lossy(line);
    WireError::Header(text.trim_end().chars().take(SHOWN).collect::<String>().escape_debug().to_string())
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
        let message = json!({"seq": 1, "type": "request", "command": "next", "text": "Grüße\n"});
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
        let body = r#"{"seq": 1, "type": "request", "command": "launch"}"#;
        let length = format!("Content-Length: {}", body.len());
        for (text, found) in [
            ("GET / HTTP/1.1\r\n\r\n".to_owned(), "GET / HTTP/1.1"),
            // Of a page: the length is right, and the body is a request.
            (format!("POST / HTTP/1.1\r\nHost: a\r\n{length}\r\n\r\n{body}"), "POST / HTTP/1.1"),
            (format!("{length}\r\nHost: a\r\n\r\n{body}"), "Host: a"),
            (format!("{length}\r\n{length}\r\n\r\n{body}"), "Content-Length: 50"),
            (format!("Content-Type: a\r\n{length}\r\n\r\n{body}"), "Content-Type: a"),
            (format!("\r\n{length}\r\n\r\n{body}"), ""),
            (length.clone(), "Content-Length: 50"),
            (format!("{length}\r\n"), ""),
            ("Content-Length: +5\r\n\r\n".into(), "Content-Length: +5"),
            ("Content-Length:\r\n\r\n".into(), "Content-Length:"),
            ("Content-Length 5\r\n\r\n".into(), "Content-Length 5"),
            ("\u{16}\u{3}\u{1}".into(), "\\u{16}\\u{3}\\u{1}"),
            ("x".repeat(100_000), &"x".repeat(SHOWN)),
        ] {
            let error = of(&text);
            assert!(error.ends_with(&format!("found '{found}'")), "{text:?}: {error}");
        }
        assert!(of("Content-Length: 99999999999\r\n\r\n").contains("more than"));
        assert!(of("Content-Length: 99999999999999999999999\r\n\r\n").contains("more than"));
        assert!(of("Content-Length: 5\r\n\r\n{").contains("cannot be reached"));
        assert!(of("Content-Length: 1\r\n\r\n{").contains("not JSON"));
        for text in ["{}", "[]", "1", r#"{"type":"event","command":"a"}"#, r#"{"type":"request","command":1}"#] {
            assert!(of(&format!("Content-Length: {}\r\n\r\n{text}", text.len())).contains("not a request"), "{text}");
        }
    }
}
