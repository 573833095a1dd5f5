//! What naga does to the thread and to the process that read a text: its readers recurse, and some texts make them panic. Such a panic
//! stays here, prints nothing, and becomes an error with the place in the text that it comes from.

/// Stack of the thread that reads a text; `limits` says how deep texts may be.
#[cfg(not(target_family = "wasm"))]
const STACK: usize = 256 << 20;

/// A panic, whose text nobody needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Panicked;

/// Runs on the caller's stack: WebAssembly has no threads of the standard library, and whoever embeds it ends what panics.
#[cfg(target_family = "wasm")]
pub(super) fn contained<T>(run: impl FnOnce() -> T) -> Result<T, Panicked> {
    Ok(run())
}

/// Runs on a thread with enough stack, in which a panic is silent.
#[cfg(not(target_family = "wasm"))]
pub(super) fn contained<T: Send>(run: impl FnOnce() -> T + Send) -> Result<T, Panicked> {
    silence::panics();
    let silent = || {
        silence::this_thread();
        run()
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("shader reader".into()).stack_size(STACK);
        let thread = thread.spawn_scoped(scope, silent).map_err(|_| Panicked)?;
        thread.join().map_err(|_| Panicked)
    })
}

/// Where a text makes its reader panic: the beginning of the line that does, by the shortest row of its lines with which it happens.
/// What follows a place does not matter to a reader that has not got there.
pub(super) fn place_of_panic(text: &str, read: impl Fn(&str) + Sync) -> Option<usize> {
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).chain([text.len()]).collect();
    let panics = |end: usize| contained(|| read(&text[..end])).is_err();
    let first = ends.partition_point(|&end| !panics(end));
    ends.get(first)?;
    Some(first.checked_sub(1).map_or(0, |before| ends[before]))
}

/// The process has one hook that prints panics: it is left as it is but for the threads that are named here.
#[cfg(not(target_family = "wasm"))]
mod silence {
    use std::cell::Cell;
    use std::panic::{set_hook, take_hook};
    use std::sync::Once;

    thread_local! {
        static SILENT: Cell<bool> = const { Cell::new(false) };
    }

    /// Makes the hook ask threads, once in a process.
    pub(super) fn panics() {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let print = take_hook();
            set_hook(Box::new(move |panic| {
                if !SILENT.get() {
                    print(panic);
                }
            }));
        });
    }

    /// Panics of this thread print nothing.
    pub(super) fn this_thread() {
        SILENT.set(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_stay_and_have_a_place() {
        assert_eq!(contained(|| 5), Ok(5));
        assert_eq!(contained(|| panic!("nobody reads this")), Err::<(), _>(Panicked));
        let read = |text: &str| assert!(!text.contains("bad"), "nobody reads this");
        let text = "one\ntwo\nthree bad\nfour\n";
        assert_eq!(place_of_panic(text, read), text.find("three"));
        assert_eq!(place_of_panic("bad", read), Some(0));
        assert_eq!(place_of_panic("good\n", read), None);
    }
}
