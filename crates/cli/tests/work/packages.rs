//! Package managers of Node and Python, and a test runner on what they installed.

use crate::registry::{Registry, archive, digest, wheel};
use crate::tools::{need, python};
use crate::world::everybody;

#[test]
fn npm_ci() {
    everybody(|mut world| {
        need(&["node", "npm", "tar"]);
        let registry = Registry::start();
        let address = registry.address();
        let manifest =
            r#"{"name":"greet","version":"1.0.0","bin":{"greet":"cli.js"},"scripts":{"postinstall":"node made.js"}}"#;
        let package = archive(
            "package",
            &[
                ("package.json", manifest),
                ("index.js", "module.exports = () => 'from the registry';\n"),
                ("cli.js", "#!/usr/bin/env node\nconsole.log('a program');\n"),
                ("made.js", "require('fs').writeFileSync('made', 'by a script');\n"),
            ],
        );
        let integrity = format!("sha512-{}", base64(&digest("sha512sum", &package)));
        let tarball = format!("{address}/npm/greet/-/greet-1.0.0.tgz");
        let packument = format!(
            r#"{{"name":"greet","dist-tags":{{"latest":"1.0.0"}},"versions":{{"1.0.0":{{"name":"greet","version":"1.0.0",
            "bin":{{"greet":"cli.js"}},"hasInstallScript":true,"dist":{{"tarball":"{tarball}","integrity":"{integrity}"}}}}}}}}"#
        );
        registry.page("/npm/greet", "application/json", packument);
        registry.page("/npm/greet/-/greet-1.0.0.tgz", "application/octet-stream", package);
        world.reach(&registry);
        world.file(".npmrc", format!("registry={address}/npm/\n"));
        world.file(
            "package.json",
            r#"{"name":"app","version":"1.0.0","dependencies":{"greet":"^1.0.0"},
            "scripts":{"start":"node -p \"require('greet')()\"","test":"greet"}}"#,
        );
        world.file(
            "package-lock.json",
            format!(
                r#"{{"name":"app","version":"1.0.0","lockfileVersion":3,"requires":true,"packages":{{
                "":{{"name":"app","version":"1.0.0","dependencies":{{"greet":"^1.0.0"}}}},
                "node_modules/greet":{{"version":"1.0.0","resolved":"{tarball}","integrity":"{integrity}",
                "hasInstallScript":true,"bin":{{"greet":"cli.js"}}}}}}}}"#
            ),
        );
        world.work("npm ci --no-audit --no-fund");
        assert!(registry.was_asked_for("/npm/greet/-/greet-1.0.0.tgz"));
        assert_eq!(world.work("npm run -s start; npm test -s"), "from the registry\na program\n");
        assert_eq!(world.read("node_modules/greet/made"), "by a script");
        world.work("rm -r node_modules package-lock.json; npm install --no-fund greet; npx --no greet");
        assert!(registry.was_asked_for("/npm/greet"));
    });
}

#[test]
fn pip_install_and_pytest() {
    everybody(|mut world| {
        let python = python("venv, ensurepip, pytest");
        let registry = Registry::start();
        let package = wheel(
            python,
            &[
                (
                    "greet/__init__.py",
                    "def greet():\n    return 'from the registry'\ndef main():\n    print(greet())\n",
                ),
                ("greet-1.0.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: greet\nVersion: 1.0.0\n"),
                ("greet-1.0.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"),
                ("greet-1.0.0.dist-info/entry_points.txt", "[console_scripts]\ngreet = greet:main\n"),
                ("greet-1.0.0.dist-info/RECORD", "greet/__init__.py,,\n"),
            ],
        );
        let name = "greet-1.0.0-py3-none-any.whl";
        let page = format!("<a href=\"/pip/{name}#sha256={}\">{name}</a>", digest("sha256sum", &package));
        registry.page("/pip/simple/greet/", "text/html", page);
        registry.page(&format!("/pip/{name}"), "application/octet-stream", package);
        world.reach(&registry);
        world.file(
            "test_greet.py",
            "import greet, tempfile, subprocess, sys, multiprocessing\n\
             def test_greeting(tmp_path):\n    (tmp_path / 'x').write_text(greet.greet())\n    \
             assert (tmp_path / 'x').read_text() == 'from the registry'\n\
             def test_processes():\n    assert multiprocessing.Pool(2).map(abs, [1, -2]) == [1, 2]\n    \
             assert subprocess.run([sys.executable, '-c', 'exit(3)']).returncode == 3\n\
             def test_that_fails():\n    assert greet.greet() == 'something else'\n",
        );
        let install = format!(
            "{python} -m venv --system-site-packages .venv; . .venv/bin/activate
             pip install --disable-pip-version-check -q --index-url {}/pip/simple/ --trusted-host registry.test greet
             greet",
            registry.address()
        );
        assert_eq!(world.work(&install), "from the registry\n");
        assert!(registry.was_asked_for(&format!("/pip/{name}")));
        let tested = world.try_to(". .venv/bin/activate; python -m pytest -q; echo unreachable");
        let said = String::from_utf8_lossy(&tested.stdout).into_owned();
        assert!(
            said.contains("1 failed, 2 passed") && !said.contains("unreachable"),
            "{}",
            crate::world::describe(&tested)
        );
        assert_eq!(tested.status.code(), Some(1), "as pytest says that a test failed");
    });
}

/// Hexadecimal digits as Base64.
fn base64(hex: &str) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits: String = hex.chars().filter_map(|c| Some(format!("{:04b}", c.to_digit(16)?))).collect();
    let digit = |bits: &[u8]| {
        let value = bits.iter().fold(0usize, |v, b| v * 2 + usize::from(*b == b'1')) << (6 - bits.len());
        char::from(*DIGITS.get(value).expect("six bits"))
    };
    let mut text: String = bits.as_bytes().chunks(6).map(digit).collect();
    text.push_str("=".repeat((4 - text.len() % 4) % 4).as_str());
    text
}
