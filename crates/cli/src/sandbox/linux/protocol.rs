//! The messages between child and supervisor: a request of the child, then the answer. Neither trusts the lengths that the other sends.

use crate::host::AccessError;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// Most bytes of a name or a message.
const LONGEST_TEXT: u64 = 1 << 16;
/// Most bytes of an output that travel at a time.
pub const LONGEST_PIECE: usize = 1 << 20;
/// Most bytes of an answer: the largest file that any command reads, a surface of 4096 x 4096 elements, and its header.
const LONGEST_ANSWER: u64 = 1 << 29;

/// What the child asks for.
#[derive(Debug, PartialEq, Eq)]
pub enum Request {
    /// The content of a file with at most so many bytes.
    Read(PathBuf, u64),
    /// The content of standard input, likewise.
    ReadStandardInput(u64),
    /// The text that a file includes by this name. The answer is its own name, a NUL, and the text.
    Include(PathBuf, String),
    /// Whether there is a file: the answer is empty, or "yes".
    Exists(PathBuf),
    /// A file to be written. The answer is empty; the files have numbers in the order of these requests, from 0.
    Create(PathBuf),
    /// More bytes of the file with this number.
    Write(u32, Vec<u8>),
    /// The file with this number is complete.
    Commit(u32),
    /// The file with this number is not wanted.
    Discard(u32),
    /// No more bytes of the file with this number come.
    Finish(u32),
}

impl Request {
    /// Sends the request.
    pub fn send(&self, to: &mut impl Write) -> io::Result<()> {
        let (tag, number, first, second): (u8, u64, &[u8], &[u8]) = match self {
            Request::Read(path, limit) => (0, *limit, path.as_os_str().as_bytes(), &[]),
            Request::ReadStandardInput(limit) => (1, *limit, &[], &[]),
            Request::Include(path, wanted) => (2, 0, path.as_os_str().as_bytes(), wanted.as_bytes()),
            Request::Exists(path) => (3, 0, path.as_os_str().as_bytes(), &[]),
            Request::Create(path) => (4, 0, path.as_os_str().as_bytes(), &[]),
            Request::Write(file, bytes) => (5, u64::from(*file), bytes, &[]),
            Request::Commit(file) => (6, u64::from(*file), &[], &[]),
            Request::Discard(file) => (7, u64::from(*file), &[], &[]),
            Request::Finish(file) => (8, u64::from(*file), &[], &[]),
        };
        to.write_all(&[tag])?;
        to.write_all(&number.to_le_bytes())?;
        send_bytes(to, first)?;
        send_bytes(to, second)
    }

    /// The next request; `None` if there is none any more.
    ///
    /// # Errors
    /// What comes is not a request.
    pub fn receive(from: &mut impl Read) -> io::Result<Option<Self>> {
        let mut tag = [0];
        match from.read_exact(&mut tag) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            read => read?,
        }
        let mut number = [0; 8];
        from.read_exact(&mut number)?;
        let number = u64::from_le_bytes(number);
        let first = receive_bytes(from, LONGEST_TEXT.max(LONGEST_PIECE as u64))?;
        let second = receive_bytes(from, LONGEST_TEXT)?;
        let path = || PathBuf::from(OsString::from_vec(first.clone()));
        let file = u32::try_from(number).map_err(|_| malformed());
        Ok(Some(match tag[0] {
            0 => Request::Read(path(), number),
            1 => Request::ReadStandardInput(number),
            2 => Request::Include(path(), String::from_utf8(second).map_err(|_| malformed())?),
            3 => Request::Exists(path()),
            4 => Request::Create(path()),
            5 => Request::Write(file?, first),
            6 => Request::Commit(file?),
            7 => Request::Discard(file?),
            8 => Request::Finish(file?),
            _ => return Err(malformed()),
        }))
    }
}

/// What the supervisor answers.
pub type Answer = Result<Vec<u8>, AccessError>;

/// Sends an answer.
pub fn send_answer(to: &mut impl Write, answer: &Answer) -> io::Result<()> {
    let (tag, code, bytes): (u8, i32, &[u8]) = match answer {
        Ok(bytes) => (0, 0, bytes),
        Err(AccessError::TooLarge) => (1, 0, &[]),
        Err(AccessError::NotRegular) => (2, 0, &[]),
        Err(AccessError::System(error)) => match error.raw_os_error() {
            Some(code) => (3, code, &[]),
            None => (4, 0, &error.to_string().into_bytes()),
        },
        Err(AccessError::InputAndOutput) => (5, 0, &[]),
        Err(AccessError::TwoOutputs) => (6, 0, &[]),
    };
    to.write_all(&[tag])?;
    to.write_all(&code.to_le_bytes())?;
    send_bytes(to, bytes)
}

/// Receives an answer.
pub fn receive_answer(from: &mut impl Read) -> Answer {
    let mut head = [0; 5];
    from.read_exact(&mut head)?;
    let [tag, code @ ..] = head;
    let bytes = receive_bytes(from, LONGEST_ANSWER)?;
    match tag {
        0 => Ok(bytes),
        1 => Err(AccessError::TooLarge),
        2 => Err(AccessError::NotRegular),
        3 => Err(io::Error::from_raw_os_error(i32::from_le_bytes(code)).into()),
        5 => Err(AccessError::InputAndOutput),
        6 => Err(AccessError::TwoOutputs),
        _ => Err(io::Error::other(String::from_utf8_lossy(&bytes).into_owned()).into()),
    }
}

/// A text and its name in one answer.
pub fn named_text(name: &str, text: &str) -> Vec<u8> {
    [name.as_bytes(), b"\0", text.as_bytes()].concat()
}

/// Name and text of [`named_text`].
pub fn split_named_text(bytes: Vec<u8>) -> Option<(String, String)> {
    let mut text = String::from_utf8(bytes).ok()?;
    let end = text.find('\0')?;
    let rest = text.split_off(end + 1);
    text.truncate(end);
    Some((text, rest))
}

fn send_bytes(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(&(bytes.len() as u64).to_le_bytes())?;
    to.write_all(bytes)
}

fn receive_bytes(from: &mut impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut length = [0; 8];
    from.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    if length > limit {
        return Err(malformed());
    }
    let mut bytes = vec![0; length as usize];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a message between the processes of the sandbox is malformed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_come_back() {
        for request in [
            Request::Read("a b".into(), u64::MAX),
            Request::ReadStandardInput(7),
            Request::Include("dir/a".into(), "b".into()),
            Request::Exists("c".into()),
            Request::Create("d".into()),
            Request::Write(3, vec![0, 1, 255]),
            Request::Commit(u32::MAX),
            Request::Discard(0),
        ] {
            let mut bytes = Vec::new();
            request.send(&mut bytes).unwrap();
            assert_eq!(Request::receive(&mut &bytes[..]).unwrap(), Some(request));
        }
        assert_eq!(Request::receive(&mut &b""[..]).unwrap(), None);
    }

    /// The supervisor allocates nothing by the word of a child that was taken over.
    #[test]
    fn lengths_are_not_believed() {
        let mut request = vec![5; 9];
        request.extend(u64::MAX.to_le_bytes());
        assert_eq!(Request::receive(&mut &request[..]).unwrap_err().kind(), io::ErrorKind::InvalidData);
        let mut bytes = Vec::new();
        Request::Read("a".into(), 1).send(&mut bytes).unwrap();
        bytes[0] = 99;
        assert_eq!(Request::receive(&mut &bytes[..]).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn answers_come_back() {
        let exchange = |answer: Answer| {
            let mut bytes = Vec::new();
            send_answer(&mut bytes, &answer).unwrap();
            receive_answer(&mut &bytes[..])
        };
        assert_eq!(exchange(Ok(vec![1, 2])).unwrap(), [1, 2]);
        assert!(matches!(exchange(Err(AccessError::TooLarge)), Err(AccessError::TooLarge)));
        assert!(matches!(exchange(Err(AccessError::NotRegular)), Err(AccessError::NotRegular)));
        assert!(matches!(exchange(Err(AccessError::InputAndOutput)), Err(AccessError::InputAndOutput)));
        assert!(matches!(exchange(Err(AccessError::TwoOutputs)), Err(AccessError::TwoOutputs)));
        let missing = exchange(Err(io::Error::from_raw_os_error(2).into()));
        assert!(matches!(missing, Err(AccessError::System(error)) if error.kind() == io::ErrorKind::NotFound));
        let other = exchange(Err(io::Error::other("words").into()));
        assert_eq!(other.unwrap_err().to_string(), "words");
        assert_eq!(split_named_text(named_text("a", "b\0c")), Some(("a".into(), "b\0c".into())));
    }
}
