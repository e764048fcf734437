//! Links the program statically where the C library allows it.
//!
//! A sandbox starts as often as an agent calls a tool, and the dynamic loader takes its part of each start. In: the
//! linker that rustc will call. Out: link arguments for the program alone, and `cfg(static_link)`; nothing where the
//! static libraries are missing (some systems package them apart), and the program is then linked as usual.
//!
//! The compiler's own way (`crt-static`) cannot be chosen by a package, and moves the program out of `target/release`.

use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs, io};

/// Asks the linker for the packed list of addresses.
const PACKED: &str = "-Wl,-z,pack-relative-relocs";

/// What rustc names when it links, whether a program needs it or not.
const LIBRARIES: [&str; 6] = ["c", "m", "util", "rt", "pthread", "dl"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=RINGFENCE_DYNAMIC");
    println!("cargo::rustc-check-cfg=cfg(static_link)");
    let var = |name: &str| env::var(name).unwrap_or_default();
    let here = var("HOST") == var("TARGET");
    let gnu = var("CARGO_CFG_TARGET_OS") == "linux" && var("CARGO_CFG_TARGET_ENV") == "gnu";
    let asked_otherwise = env::var_os("RINGFENCE_DYNAMIC").is_some();
    let sanitized = var("CARGO_ENCODED_RUSTFLAGS").contains("sanitizer");
    let already = var("CARGO_CFG_TARGET_FEATURE").split(',').any(|f| f == "crt-static");
    if !here || !gnu || asked_otherwise || sanitized || already {
        return;
    }
    let linker = env::var("RUSTC_LINKER").unwrap_or_else(|_| "cc".to_owned());
    let folder = Path::new(&var("OUT_DIR")).join("static");
    if archives(&linker, &folder).is_ok() && links(&linker, &folder, &[]) {
        // The list of addresses to set right at each start, as a bit for each; newer C libraries read it.
        if links(&linker, &folder, &[PACKED]) {
            println!("cargo::rustc-link-arg-bins={PACKED}");
        }
        println!("cargo::rustc-link-arg-bins=-static-pie");
        println!("cargo::rustc-link-arg-bins=-L{}", folder.display());
        println!("cargo::rustc-cfg=static_link");
    }
}

/// A folder with the static libraries and no shared ones: rustc asks for shared ones first, and finds these.
fn archives(linker: &str, folder: &Path) -> io::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    for library in LIBRARIES {
        let file = format!("lib{library}.a");
        let found = Command::new(linker).arg(format!("-print-file-name={file}")).output()?;
        let path = String::from_utf8_lossy(&found.stdout).trim().to_owned();
        if !Path::new(&path).is_absolute() {
            return Err(io::Error::from(io::ErrorKind::NotFound));
        }
        std::os::unix::fs::symlink(&path, folder.join(&file))?;
    }
    // The unwinder has another name in its static form.
    fs::write(folder.join("libgcc_s.a"), "INPUT(-lgcc_eh)\n")
}

/// A program that is well only where addresses in its data were set right.
const TRY: &str = "#include <math.h>
static int one, two;
static int *const volatile table[] = { &one, &two, &one };
int main(int c, char **v) { return !v[0] || cos(c) > 2 || table[0] != &one || table[1] != &two || table[2] != &one; }
";

/// Whether a program that is linked like that works here.
fn links(linker: &str, folder: &Path, more: &[&str]) -> bool {
    let source = folder.join("try.c");
    let program = folder.join("try");
    fs::write(&source, TRY).is_ok()
        && Command::new(linker)
            .args(["-static-pie", "-fPIE", "-o"])
            .args([&program, &source])
            .args(more)
            .arg(format!("-L{}", folder.display()))
            .args(["-lgcc_s", "-lm", "-lc"])
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
        && Command::new(&program).status().is_ok_and(|status| status.success())
}
