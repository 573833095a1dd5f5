//! Mesa as a person builds it: where a build folder, or one that it was installed to, has what programs load.

use crate::failure::cause;
use crate::report::Message;
use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf, absolute};

/// Libraries that programs and drivers load by name; which of them there are depends on version and options of the build.
const LIBRARIES: [&str; 7] = [
    "libEGL_mesa.so.0",
    "libEGL.so.1",
    "libGLX_mesa.so.0",
    "libGL.so.1",
    "libGLESv2.so.2",
    "libgbm.so.1",
    "libglapi.so.0",
];
/// The part of GBM that has drivers.
const GBM_BACKEND: &str = "dri_gbm.so";
/// By which libglvnd finds Mesa's EGL.
const EGL_VENDOR: &str = "50_mesa.json";
/// A folder with the C library is a system of its own, whose libraries do not go together with this one's.
const C_LIBRARY: &str = "libc.so.6";

/// Folders below the given one that are looked into, and entries that are looked at: many times those of a build.
const DEPTH: usize = 8;
const ENTRIES: usize = 1 << 20;

/// A build of Mesa.
#[derive(Debug, Default)]
pub struct MesaBuild {
    /// Folders with libraries.
    pub libraries: BTreeSet<PathBuf>,
    /// The file with the driver: its own one, or with Mesa 24.3 and newer the one with all drivers.
    pub driver: PathBuf,
    /// The folder of drivers that are files of their own.
    pub drivers: Option<PathBuf>,
    gbm_backends: Option<PathBuf>,
    egl_vendor: Option<PathBuf>,
}

impl MesaBuild {
    /// What a folder has for a driver.
    ///
    /// # Errors
    /// It cannot be read, has no such driver, or is a system of its own.
    pub fn find(folder: &Path, driver: &str) -> Result<Self, Message> {
        let name = folder.display();
        let unread = |error: io::Error| Message::error(format!("cannot read '{name}': {}", cause(&error)));
        let mut walk =
            Walk { found: MesaBuild::default(), own: format!("{driver}_dri.so"), entries: 0, is_system: false };
        walk.enter(&absolute(folder).map_err(unread)?, DEPTH).map_err(unread)?;
        if walk.is_system {
            return Err(Message::error(format!("'{name}' has a C library of its own ({C_LIBRARY})"))
                .help("run ctm in it, by chroot or in a container; --mesa takes the folder of a build of Mesa"));
        }
        if walk.found.driver.as_os_str().is_empty() {
            return Err(Message::error(format!(
                "'{name}' has no Mesa with the driver {driver}: {driver}_dri.so or libgallium-VERSION.so"
            ))
            .help(format!("meson setup build -Dgallium-drivers={driver} && ninja -C build; then --mesa build")));
        }
        Ok(walk.found)
    }

    /// The variables by which a program loads it.
    pub fn environment(&self) -> Vec<(&'static str, OsString)> {
        let before = env::var_os("LD_LIBRARY_PATH").filter(|paths| !paths.is_empty());
        let others = before.iter().flat_map(env::split_paths).collect::<Vec<_>>();
        let libraries = env::join_paths(self.libraries.iter().chain(&others));
        let folder = |name, path: &Option<PathBuf>| Some((name, path.clone()?.into_os_string()));
        let variables = [
            libraries.ok().map(|libraries| ("LD_LIBRARY_PATH", libraries)),
            folder("LIBGL_DRIVERS_PATH", &self.drivers),
            folder("GBM_BACKENDS_PATH", &self.gbm_backends),
            folder("__EGL_VENDOR_LIBRARY_FILENAMES", &self.egl_vendor),
        ];
        variables.into_iter().flatten().collect()
    }
}

/// A walk through a folder.
struct Walk {
    found: MesaBuild,
    /// The name of the driver's own file.
    own: String,
    entries: usize,
    is_system: bool,
}

impl Walk {
    fn enter(&mut self, folder: &Path, depth: usize) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            self.entries += 1;
            if self.entries > ENTRIES {
                return Err(io::Error::other(format!("it has more than {ENTRIES} entries")));
            }
            let (name, kind) = (entry.file_name(), entry.file_type()?);
            let Some(name) = name.to_str() else { continue };
            // What folders cannot be read below the given one has nothing that a program could load.
            if kind.is_dir() && depth > 0 && !name.starts_with('.') {
                let _ = self.enter(&entry.path(), depth - 1);
            } else if !kind.is_dir() {
                self.note(folder, name);
            }
        }
        Ok(())
    }

    fn note(&mut self, folder: &Path, name: &str) {
        let found = &mut self.found;
        let path = folder.join(name);
        let is_all_drivers = name.starts_with("libgallium-") && name.ends_with(".so");
        if LIBRARIES.contains(&name) || is_all_drivers {
            found.libraries.insert(folder.to_owned());
        }
        if is_all_drivers {
            found.driver = path;
        } else if name == self.own {
            found.drivers = Some(folder.to_owned());
            if found.driver.as_os_str().is_empty() {
                found.driver = path;
            }
        } else if name == GBM_BACKEND {
            found.gbm_backends = Some(folder.to_owned());
        } else if name == EGL_VENDOR {
            found.egl_vendor = Some(path);
        } else if name == C_LIBRARY {
            self.is_system = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with empty files.
    fn folder(name: &str, files: &[&str]) -> PathBuf {
        let root = env::temp_dir().join(format!("ctm-mesa-{name}-{}", std::process::id()));
        for file in files {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        root
    }

    #[test]
    fn build_folders_of_new_versions_have_one_file_with_all_drivers() {
        let files = [
            "src/egl/libEGL_mesa.so.0",
            "src/egl/50_mesa.json",
            "src/gbm/libgbm.so.1",
            "src/gbm/backends/dri/dri_gbm.so",
            "src/glx/libGLX_mesa.so.0",
            "src/gallium/targets/dri/libgallium-26.2.0.so",
            "src/gallium/targets/dri/libgallium-26.2.0.so.p/x.o",
        ];
        let root = folder("new", &files);
        let build = MesaBuild::find(&root, "r600").unwrap();
        let dri = root.join("src/gallium/targets/dri");
        let folders = ["src/egl", "src/gallium/targets/dri", "src/gbm", "src/glx"].map(|name| root.join(name));
        assert_eq!(build.libraries.iter().cloned().collect::<Vec<_>>(), folders);
        assert_eq!((build.driver.clone(), &build.drivers), (dri.join("libgallium-26.2.0.so"), &None));
        let names: Vec<_> = build.environment().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["LD_LIBRARY_PATH", "GBM_BACKENDS_PATH", "__EGL_VENDOR_LIBRARY_FILENAMES"]);
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn installed_folders_of_old_versions_have_a_file_for_each_driver() {
        let files = ["lib/libEGL_mesa.so.0", "lib/libgbm.so.1", "lib/dri/r300_dri.so", "lib/dri/r600_dri.so"];
        let root = folder("old", &files);
        let build = MesaBuild::find(&root, "r300").unwrap();
        assert_eq!(build.driver, root.join("lib/dri/r300_dri.so"));
        let drivers = root.join("lib/dri").into_os_string();
        assert!(build.environment().contains(&("LIBGL_DRIVERS_PATH", drivers)));
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn other_folders_are_refused() {
        let refused = |name: &str, files: &[&str]| {
            let root = folder(name, files);
            let error = MesaBuild::find(&root, "r300").unwrap_err().title;
            fs::remove_dir_all(root).unwrap();
            error
        };
        assert!(refused("none", &["lib/dri/r600_dri.so"]).contains("no Mesa with the driver r300"));
        assert!(refused("root", &["lib/libc.so.6", "lib/dri/r300_dri.so"]).contains("a C library of its own"));
        assert!(MesaBuild::find(Path::new("/does/not/exist"), "r300").is_err());
    }
}
