//! How long it takes from submitting an (almost) empty buffer to seeing it consumed.

use criterion::{Criterion, criterion_group, criterion_main};
use ctm_device::command::{Command, encode};
use ctm_device::{Connection, HOST_BASE, Options};
use std::time::{Duration, Instant};

/// Long enough for the worker thread to go to sleep.
const PAUSE: Duration = Duration::from_micros(500);

fn device() -> Connection {
    let device = Connection::open(Options::default()).expect("memory and a thread");
    device.write_words(HOST_BASE, &encode([Command::WaitForIdle])).expect("mapped");
    device
}

fn submit(c: &mut Criterion) {
    let mut group = c.benchmark_group("submit to consumed");
    let polled = |device: &Connection| {
        let id = device.submit(HOST_BASE, 2).expect("a good submission").get();
        while !device.consumed(id) {
            std::hint::spin_loop();
        }
    };
    let waited = |device: &Connection| device.wait(device.submit(HOST_BASE, 2).expect("a good submission"));
    for (name, client) in [("polled", &polled as &dyn Fn(&Connection)), ("waited for", &waited)] {
        let busy = device();
        group.bench_function(format!("one after the other, {name}"), |b| b.iter(|| client(&busy)));
        let idle = device();
        group.bench_function(format!("after a pause, {name}"), |b| {
            b.iter_custom(|iterations| {
                let one = |_| {
                    std::thread::sleep(PAUSE);
                    let start = Instant::now();
                    client(&idle);
                    start.elapsed()
                };
                (0..iterations).map(one).sum()
            });
        });
    }
    let device = device();
    group.bench_function("a queue of 100", |b| {
        b.iter(|| {
            for _ in 0..100 {
                device.submit(HOST_BASE, 2).expect("a good submission");
            }
            device.wait_all();
        });
    });
    group.finish();
}

criterion_group!(benches, submit);
criterion_main!(benches);
