#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| ctm_testkit::targets::run("compile_call", data));
