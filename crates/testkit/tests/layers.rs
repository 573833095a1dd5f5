//! The layers that ARCHITECTURE.md draws: which crate may know which, and that the modules of a crate depend on each
//! other in no cycle. And that every file of tests is one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The crates, each with those that it may use in the layers before it. Crates of one layer do not know each other.
const LAYERS: [&[&str]; 13] = [
    &["features"],
    &["cases"],
    &["bits", "num", "follow"],
    &["text", "memory"],
    &["raster", "lane", "array", "debug"],
    &["card", "engine", "sampling"],
    &["codegen", "pipeline", "x1k", "r700", "sm50", "pvs"],
    &["object", "r5xx", "r700-card", "gm107", "compile", "dap", "terminal"],
    &["device", "cards"],
    &["replay"],
    &["capi", "cli", "ctm", "drm"],
    &["testkit", "python", "web"],
    &["bench"],
];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The crates of this project that a crate depends on, also those of its tests.
fn dependencies(name: &str) -> Vec<String> {
    let manifest = read(&crates().join(name).join("Cargo.toml"));
    let sections = manifest.split("\n[").filter(|section| section.contains("dependencies]\n"));
    let lines = sections.flat_map(str::lines);
    let package = |line: &str| Some(line.strip_prefix("ctm-")?.split(['.', ' ']).next()?.to_owned());
    // The only package that has another name than its folder.
    let folder = |name: String| if name == "gpu" { "ctm".to_owned() } else { name };
    lines.filter_map(package).map(folder).collect()
}

#[test]
fn crates_know_the_layers_below() {
    let layer = |name: &str| LAYERS.iter().position(|layer| layer.contains(&name));
    let folders = fs::read_dir(crates()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    for name in folders {
        let own = layer(&name).unwrap_or_else(|| panic!("crate {name} is in no layer"));
        for used in dependencies(&name) {
            let below = layer(&used).unwrap_or_else(|| panic!("crate {used} is in no layer")) < own;
            assert!(below, "crate {name} knows {used}");
        }
    }
}

/// Modules of a crate, at the top, with those that they name.
fn modules(sources: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    let mut root = String::new();
    for path in files(sources) {
        if path.extension().is_some_and(|extension| extension == "rs") {
            let top = path.strip_prefix(sources).unwrap().iter().next().unwrap();
            let top = Path::new(top).file_stem().unwrap().to_str().unwrap().to_owned();
            let text = read(&path);
            let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
            let code = text.lines().map(|line| line.split("//").next().unwrap()).collect::<Vec<_>>().join("\n");
            match top.as_str() {
                "lib" => root = code,
                "main" => {}
                _ if path.ends_with("tests.rs") || path.ends_with("faults.rs") => {}
                _ => *texts.entry(top).or_default() += &code,
            }
        }
    }
    let exports = exports(&root, &texts);
    let names = |text: &str| -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for rest in text.split("crate::").skip(1) {
            let list = rest.strip_prefix('{').map(|list| list.split('}').next().unwrap());
            let word = |text: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap().to_owned();
            match list {
                Some(list) => names.extend(list.split(',').map(|name| word(name.trim()))),
                None => _ = names.insert(word(rest)),
            }
        }
        let module = |name: String| if texts.contains_key(&name) { Some(name) } else { exports.get(&name).cloned() };
        names.into_iter().filter_map(module).collect()
    };
    let own = |(name, text): (&String, &String)| {
        let mut used = names(text);
        used.remove(name);
        (name.clone(), used)
    };
    texts.iter().map(own).collect()
}

/// What the crate's root takes from its modules, by name.
fn exports(root: &str, texts: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut exports = BTreeMap::new();
    for line in root.split("pub use ").skip(1) {
        let taken = line.split(';').next().and_then(|line| line.split_once("::"));
        // What other crates have belongs to no module.
        let Some((module, names)) = taken.filter(|(module, _)| texts.contains_key(*module)) else { continue };
        let names = names.trim_matches(['{', '}', '\n', ' ']);
        if names == "*" {
            for item in texts.get(module).into_iter().flat_map(|text| text.split("\npub ").skip(1)) {
                let name = item.split_whitespace().nth(1).unwrap_or_default();
                let name = name.split(['<', '(', ':', ';']).next().unwrap_or_default();
                exports.insert(name.to_owned(), module.to_owned());
            }
        } else {
            exports.extend(names.split(',').map(|name| (name.trim().to_owned(), module.to_owned())));
        }
    }
    exports
}

/// Modules that reach each other, in groups.
fn cycles(modules: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<Vec<String>> {
    let reach = |from: &String| {
        let mut reached = BTreeSet::new();
        let mut next: Vec<&String> = modules[from].iter().collect();
        while let Some(name) = next.pop() {
            if reached.insert(name.clone()) {
                next.extend(&modules[name]);
            }
        }
        reached
    };
    let reached: BTreeMap<&String, BTreeSet<String>> = modules.keys().map(|name| (name, reach(name))).collect();
    let cycle = |name: &String| -> Vec<String> {
        let mutual = |other: &&String| reached[name].contains(*other) && reached[*other].contains(name);
        modules.keys().filter(mutual).cloned().collect()
    };
    modules.keys().map(cycle).filter(|cycle| cycle.len() > 1).collect()
}

#[test]
fn modules_form_no_cycles() {
    // The testkit is tests.
    for name in LAYERS.iter().flat_map(|layer| layer.iter()).filter(|&&name| name != "testkit") {
        let cycles = cycles(&modules(&crates().join(name).join("src")));
        assert!(cycles.is_empty(), "modules of {name} that depend on each other: {cycles:?}");
    }
}

/// A cycle that is there is found.
#[test]
fn cycles_are_found() {
    let modules = [("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")];
    let modules = modules.map(|(name, used)| (name.to_owned(), BTreeSet::from([used.to_owned()])));
    assert_eq!(cycles(&modules.into()), BTreeSet::from([["a", "b", "c"].map(str::to_owned).to_vec()]));
}

/// The files of a folder and of those in it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let (mut files, mut next) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(path) = next.pop() {
        match path.is_dir() {
            true => next.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path())),
            false => files.push(path),
        }
    }
    files
}

/// Commands and the command line reach instruction sets through the registry only.
#[test]
fn commands_know_no_instruction_set() {
    let sources = crates().join("cli/src");
    for folder in ["commands", "args", "sandbox", "lib.rs", "main.rs"] {
        for file in files(&sources.join(folder)) {
            let text = read(&file);
            for name in ["x1k", "r700", "sm50", "pvs"] {
                let known =
                    [format!("ctm_{name}"), format!("isa::{name}")].into_iter().find(|path| text.contains(path));
                assert_eq!(known, None, "{}", file.display());
            }
        }
    }
}

/// Where the tests of a crate are one program, cargo no longer looks for their files: one that nobody names would never run.
#[test]
fn every_file_of_tests_is_part_of_a_program() {
    let mut programs = 0;
    for entry in fs::read_dir(crates()).unwrap() {
        let folder = entry.unwrap().path();
        let all = folder.join("tests/all.rs");
        if !all.exists() {
            continue;
        }
        programs += 1;
        let (all, manifest) = (read(&all), read(&folder.join("Cargo.toml")));
        for entry in fs::read_dir(folder.join("tests")).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap();
            let named = match path.extension() {
                None => !path.join("main.rs").exists() || all.contains(&format!("\"{name}/main.rs\"")),
                Some(extension) => extension != "rs" || name == "all" || all.contains(&format!("\nmod {name};\n")),
            };
            let alone = manifest.contains(&format!("path = \"tests/{name}.rs\""));
            assert!(named || alone, "{}: add `mod {name};` to all.rs", path.display());
        }
    }
    assert!(programs > 10, "{programs}");
}
