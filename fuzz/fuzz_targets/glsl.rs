#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| ctm_testkit::targets::run("glsl", data));
