//! Repos in odd places, with odd names in them.

use crate::world::{World, describe, everybody, myself};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

#[test]
fn a_path_with_spaces_and_more() {
    let name = OsStr::new("it's a \"repo\" with $HOME, \\ and ü");
    everybody(|world| {
        let world = World::in_folder(world.user, name);
        world.shell("git init -q .; echo a > 'a file'; git add .; git commit -qm first");
        assert_eq!(
            world.work("cat 'a file'; git log --format=%s; basename \"$PWD\""),
            format!("a\nfirst\n{}\n", name.display())
        );
    });
}

/// Names are bytes.
#[test]
fn names_that_are_not_text() {
    let name = OsStr::from_bytes(b"caf\xe9\n\x01");
    everybody(|world| {
        let world = World::in_folder(world.user, name);
        let file = OsStr::from_bytes(b"\xff\xfe");
        let output = world.boxed([OsStr::new("touch"), file]).output().expect("it starts");
        assert!(output.status.success(), "{}", describe(&output));
        assert!(world.repo().join(file).exists());
        let output = world.boxed([OsStr::new("ls"), OsStr::new("--"), file]).output().expect("it starts");
        assert_eq!(output.stdout, b"\xff\xfe\n");
    });
}

/// The command starts where its user stands.
#[test]
fn a_folder_inside_the_repo() {
    everybody(|mut world| {
        let repo = world.repo();
        world.shell("mkdir -p deep/er; git init -q .");
        let mut command = world.boxed(["sh", "-c", "pwd; git rev-parse --show-prefix; echo x > ../up"]);
        let output = command.current_dir(repo.join("deep/er")).output().expect("it starts");
        assert_eq!(String::from_utf8_lossy(&output.stdout), format!("{}\ndeep/er/\n", repo.join("deep/er").display()));
        world.cwd = repo;
        assert_eq!(world.read("deep/up"), "x\n");
    });
}

/// The repo may be the home directory's own child or lie far from it; scratch places are there and private.
#[test]
fn scratch_places() {
    everybody(|world| {
        let said = world.work("cd; echo x > file; cat file; mktemp -d >/dev/null; echo y > /dev/shm/y; echo z > /var/tmp/z; cat /dev/shm/y /tmp/z");
        assert_eq!(said, "x\ny\nz\n");
        assert!(!world.home().join("file").exists());
    });
}

/// The run's own copies of the system's files are as far out of its reach as the system's: not written, not cut short.
#[test]
fn files_of_the_system_stay_whole() {
    everybody(|world| {
        let line = "for file in /etc/passwd /etc/hosts /etc/hostname /usr/bin/env; do
                        chmod u+w $file 2>/dev/null || true
                        if truncate -s 0 $file 2>/dev/null; then echo cut $file; fi
                        if (: > $file) 2>/dev/null; then echo written $file; fi
                        test -s $file || echo empty $file
                    done
                    if (: > /etc/new) 2>/dev/null; then echo made; fi
                    if rm /etc/hosts 2>/dev/null; then echo removed; fi";
        assert_eq!(world.work(line), "");
    });
}

/// Files made inside are as they would be outside: owner, mode by the umask, times, links.
#[test]
fn files_are_as_outside() {
    everybody(|world| {
        let line = "umask 027; touch new; mkdir folder; ln -s new link; ln new hard; mkfifo pipe; chmod 4755 hard; touch -d @1000000000 folder
                    truncate -s 1M sparse; setfattr -n user.x -v y new 2>/dev/null || true; stat -c '%n %u %g %a %h %F' new folder link hard pipe sparse; stat -c %Y folder";
        let inside = world.work(line);
        world.shell("rm -r *");
        assert_eq!(inside, world.shell(line));
    });
}

#[test]
fn the_environment_of_tools() {
    let world = World::of(myself());
    let said = world.work("echo $HOME; echo ${#PATH}; getent passwd $(id -u) | cut -d: -f1; getent hosts localhost >/dev/null; date +%Z; locale charmap; nproc >/dev/null; df . >/dev/null; free >/dev/null; ps -e >/dev/null");
    assert!(said.starts_with(&world.home().display().to_string()), "{said}");
    assert!(said.contains("UTF-8"), "{said}");
}
