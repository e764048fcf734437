//! Compilers and what drives them.

use crate::registry::{Registry, archive, digest};
use crate::tools::{self, need};
use crate::world::{World, everybody};

#[test]
fn make_and_gcc() {
    everybody(|world| {
        need(&["make", "gcc", "g++", "ar"]);
        world.file(
            "Makefile",
            "all: hello libx.so\nhello: main.o x.o\n\tgcc -o $@ $^\nlibx.so: x.c\n\tgcc -shared -fPIC -o $@ $<\n",
        );
        world.file("main.c", "#include <stdio.h>\nint x(void);\nint main(void) { printf(\"x is %d\\n\", x()); }\n");
        world.file("x.c", "int x(void) { return 42; }\n");
        world.file("m.cc", "#include <iostream>\n#include <thread>\nint main() { std::thread t([] { std::cout << \"c++\\n\"; }); t.join(); }\n");
        let said =
            world.work("make -s -j2; ./hello; g++ -pipe -flto -pthread -o m m.cc; ./m; ar rc libx.a x.o; make -s -q");
        assert_eq!(said, "x is 42\nc++\n");
        assert!(world.repo().join("libx.so").exists() && world.repo().join("libx.a").exists());
    });
}

/// A crate with a build script, a path dependency and one from a registry.
fn crates(world: &mut World) -> Registry {
    let registry = Registry::start();
    let package = archive(
        "greet-1.0.0",
        &[
            ("Cargo.toml", "[package]\nname = \"greet\"\nversion = \"1.0.0\"\nedition = \"2021\"\n"),
            ("src/lib.rs", "pub fn greet() -> &'static str { \"from the registry\" }\n"),
        ],
    );
    let entry = format!(
        "{{\"name\":\"greet\",\"vers\":\"1.0.0\",\"deps\":[],\"cksum\":\"{}\",\"features\":{{}},\"yanked\":false}}\n",
        digest("sha256sum", &package)
    );
    let address = registry.address();
    registry.page(
        "/cargo/config.json",
        "application/json",
        format!("{{\"dl\":\"{address}/dl/{{crate}}-{{version}}\"}}"),
    );
    registry.page("/cargo/gr/ee/greet", "text/plain", entry);
    registry.page("/dl/greet-1.0.0", "application/gzip", package);
    world.reach(&registry);
    world.file(".cargo/config.toml", format!("[registries.local]\nindex = \"sparse+{address}/cargo/\"\n"));
    world.file(
        "Cargo.toml",
        "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\nnear = { path = \"near\" }\n\
         greet = { version = \"1\", registry = \"local\" }\n",
    );
    world.file("build.rs", "fn main() { println!(\"cargo:rustc-env=BUILT=by a script\"); }\n");
    world.file(
        "src/main.rs",
        "fn main() { println!(\"{} {} {}\", greet::greet(), near::near(), env!(\"BUILT\")); }\n\
         #[test]\nfn it_holds() { assert_eq!(near::near(), \"near\"); }\n",
    );
    world.file("near/Cargo.toml", "[package]\nname = \"near\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    world.file("near/src/lib.rs", "pub fn near() -> &'static str { \"near\" }\n");
    registry
}

#[test]
fn cargo_with_a_registry() {
    everybody(|mut world| {
        need(&["cc"]);
        let into = world.home().join(".rustup/toolchains/shared");
        world.programs.push(tools::rust_for_anybody(&into));
        let registry = crates(&mut world);
        assert_eq!(world.work("cargo build -q; target/debug/app"), "from the registry near by a script\n");
        assert!(registry.was_asked_for("/dl/greet-1.0.0"));
        let tested = world.work("cargo test -q 2>&1; cargo run -q; cargo --version");
        assert!(tested.contains("1 passed") && tested.contains("from the registry"), "{tested}");
        assert!(!world.home().join(".cargo/registry").exists(), "what a run downloads stays with the run");
    });
}

/// The toolchain where rustup put it, with its shims and the caches of whoever runs the tests.
#[test]
fn cargo_as_installed() {
    let (Some(cargo_home), Some(rustup_home)) = (home("CARGO_HOME", ".cargo"), home("RUSTUP_HOME", ".rustup")) else {
        eprintln!("SKIPPED, this toolchain is not rustup's: {}", tools::sysroot().display());
        return;
    };
    let user = crate::world::myself();
    let mut world = World::of(user);
    world.programs.push(cargo_home.join("bin"));
    for (name, path) in [("CARGO_HOME", cargo_home), ("RUSTUP_HOME", rustup_home)] {
        world.variables.push((name.into(), path.to_str().expect("UTF-8").into()));
    }
    let toolchain = tools::sysroot();
    let toolchain = toolchain.file_name().and_then(|n| n.to_str()).expect("a toolchain's name");
    world.variables.push(("RUSTUP_TOOLCHAIN".into(), toolchain.into()));
    let _registry = crates(&mut world);
    assert_eq!(world.work("cargo run -q"), "from the registry near by a script\n");
}

fn home(variable: &str, default: &str) -> Option<std::path::PathBuf> {
    let named = std::env::var_os(variable).map(std::path::PathBuf::from);
    let path = named.or_else(|| Some(std::env::home_dir()?.join(default)))?;
    let is_rustups = path.join("bin/rustup").exists() || tools::sysroot().starts_with(&path);
    is_rustups.then_some(path)
}
