#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ctm_testkit::r700::doors::engines(bytes));
