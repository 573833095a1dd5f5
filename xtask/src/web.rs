//! The browser page.

use crate::relaxed;
use anyhow::{Context, Result, bail};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::Command;
use wasm_bindgen_cli_support::Bindgen;

/// What the engine is compiled for.
const TARGET: &str = "wasm32-unknown-unknown";
/// Vectors of 128 bits for the interpreter; a stack that shaders nested as deeply as their front end allows fit on.
const FLAGS: &str = "-C target-feature=+simd128 -C link-arg=-zstack-size=8388608";

/// `web`.
#[derive(Args)]
pub struct WebArgs {
    /// Build the engine and its bindings only, not the page
    #[arg(long)]
    engine_only: bool,
    /// Serve the page on this machine afterwards
    #[arg(long, conflicts_with = "engine_only")]
    serve: bool,
}

/// Builds the engine into `web/src/engine`, and the page into `web/dist`.
pub fn build(args: &WebArgs) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let web = root.join("web");
    engine(&root, &web.join("src/engine"))?;
    if args.engine_only {
        return Ok(());
    }
    if !web.join("node_modules").exists() {
        run(Command::new("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(&web))?;
    }
    run(Command::new("npm").args(["run", "build"]).current_dir(&web))?;
    if args.serve {
        run(Command::new("npm").args(["run", "preview"]).current_dir(&web))?;
    }
    Ok(())
}

/// Compiles the engine, and makes its bindings for JavaScript and TypeScript.
fn engine(root: &Path, out: &Path) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let mut compile = Command::new(cargo);
    compile.args(["build", "--profile", "web", "--target", TARGET, "-p", "ctm-web", "--lib"]);
    run(compile.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", FLAGS).current_dir(root))?;
    let module = root.join(target).join(TARGET).join("web/ctm_web.wasm");
    let mut module = std::fs::read(module).context("the engine")?;
    relaxed::replace_calls(&mut module)?;
    let mut bindgen = Bindgen::new();
    bindgen
        .input_bytes("ctm_web", module)
        .typescript(true)
        .remove_name_section(true)
        .web(true)?
        .generate(out)
        .context("bindings of the engine")?;
    let engine = std::fs::read(out.join("ctm_web_bg.wasm")).context("the engine of the page")?;
    let places = relaxed::multiply_adds(&engine)?;
    std::fs::write(out.join("relaxed.json"), format!("{places:?}\n")).context("where its relaxed vectors are")
}

/// Runs a command to its end.
fn run(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().with_context(|| format!("cannot run {name}: is it installed?"))?;
    if !status.success() {
        bail!("{name} failed: {status}");
    }
    Ok(())
}
