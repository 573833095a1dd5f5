//! Scenes of glmark2, with the options that its own list gives them.

/// A scene that is measured.
#[derive(Debug)]
pub struct Scene {
    /// Its name here.
    pub name: &'static str,
    /// What `glmark2 -b` takes: its name there, and options.
    pub benchmark: &'static str,
}

/// One or two variants of each scene in the list that glmark2 runs if it is not told what.
pub const SCENES: [Scene; 24] = [
    Scene { name: "build", benchmark: "build:use-vbo=false" },
    Scene { name: "build-vbo", benchmark: "build:use-vbo=true" },
    Scene { name: "texture-nearest", benchmark: "texture:texture-filter=nearest" },
    Scene { name: "texture-mipmap", benchmark: "texture:texture-filter=mipmap" },
    Scene { name: "gouraud", benchmark: "shading:shading=gouraud" },
    Scene { name: "phong", benchmark: "shading:shading=phong" },
    Scene { name: "bump-poly", benchmark: "bump:bump-render=high-poly" },
    Scene { name: "bump-normals", benchmark: "bump:bump-render=normals" },
    Scene { name: "effect2d-edge", benchmark: "effect2d:kernel=0,1,0;1,-4,1;0,1,0;" },
    Scene { name: "effect2d-blur", benchmark: "effect2d:kernel=1,1,1,1,1;1,1,1,1,1;1,1,1,1,1;" },
    Scene { name: "pulsar", benchmark: "pulsar:quads=5:texture=false:light=false" },
    Scene { name: "desktop-blur", benchmark: "desktop:windows=4:effect=blur:blur-radius=5:passes=1:separable=true" },
    Scene { name: "desktop-shadow", benchmark: "desktop:windows=4:effect=shadow" },
    Scene {
        name: "buffer-map",
        benchmark: "buffer:update-fraction=0.5:update-dispersion=0.9:columns=200:update-method=map:interleave=false",
    },
    Scene { name: "ideas", benchmark: "ideas:speed=duration" },
    Scene { name: "jellyfish", benchmark: "jellyfish" },
    Scene { name: "terrain", benchmark: "terrain" },
    Scene { name: "shadow", benchmark: "shadow" },
    Scene { name: "refract", benchmark: "refract" },
    Scene { name: "conditionals-vertex", benchmark: "conditionals:vertex-steps=5:fragment-steps=0" },
    Scene { name: "conditionals-pixel", benchmark: "conditionals:vertex-steps=0:fragment-steps=5" },
    Scene { name: "function", benchmark: "function:fragment-steps=5:fragment-complexity=medium" },
    Scene { name: "loop", benchmark: "loop:vertex-steps=5:fragment-steps=5:fragment-loop=false" },
    Scene { name: "loop-uniform", benchmark: "loop:vertex-steps=5:fragment-steps=5:fragment-uniform=true" },
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_begin_with_the_scene_or_its_option() {
        let names: BTreeSet<&str> = SCENES.iter().map(|scene| scene.name).collect();
        assert_eq!(names.len(), SCENES.len());
        for scene in &SCENES {
            let first = scene.name.split('-').next().unwrap();
            assert!(scene.benchmark.contains(first), "{} is {}", scene.name, scene.benchmark);
        }
    }
}
