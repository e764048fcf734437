//! Version control: a plain repo, a worktree whose git folder lies elsewhere, a submodule.

use crate::tools::need;
use crate::world::{World, everybody};

fn repo(world: &World) {
    need(&["git", "bash"]);
    world.shell("git init -q . && echo one > one && git add . && git commit -qm first");
}

#[test]
fn a_day_with_git() {
    everybody(|world| {
        repo(&world);
        world.work(
            "echo two > two; git add two; git commit -qm second
             git switch -qc topic; echo three > three; git add .; git commit -qm third
             git switch -q main; echo more >> one; git commit -qam fourth
             git merge -q --no-edit topic; git tag -am tag v1
             echo scratch >> one; git stash -q; git stash pop -q; git checkout -q one
             git rebase -q --force-rebase HEAD~1; git revert --no-edit HEAD >/dev/null; git reset -q --hard HEAD~1
             git gc -q; git fsck --no-progress >/dev/null; git bisect start HEAD HEAD~1 >/dev/null; git bisect reset 2>/dev/null
             git notes add -m note; git format-patch -q -1 -o patches",
        );
        assert_eq!(world.shell("git log --format=%s -n 1 topic; git describe --tags v1"), "third\nv1\n");
        assert_eq!(world.shell("git show --stat --format=%an v1^{} | head -1"), "Somebody\n");
    });
}

/// Names that are kept free are no business of version control's.
#[test]
fn a_clean_repo_looks_clean_inside() {
    everybody(|world| {
        repo(&world);
        assert_eq!(world.work("git status --porcelain --ignored"), "");
        world.work("git add -A; git diff --cached --exit-code; git clean -fdxq; git stash -uq");
        assert_eq!(world.shell("git status --porcelain --ignored; git log --format=%s"), "first\n");
    });
}

#[test]
fn a_commit_in_a_worktree() {
    everybody(|mut world| {
        repo(&world);
        world.shell("git worktree add -q ../tree -b side");
        let main = world.repo();
        world.cwd = world.home().join("tree");
        assert_eq!(world.work("echo side > side; git add side; git commit -qm side; git status --porcelain"), "");
        assert_eq!(world.work("git branch more; git switch -q more; git log --format=%s"), "side\nfirst\n");
        world.cwd = main;
        assert_eq!(world.shell("git log --format=%s side"), "side\nfirst\n");
        assert_eq!(world.shell("git status --porcelain"), "");
    });
}

/// What git runs by itself stays out of reach, in the folder that all worktrees share too.
#[test]
fn hooks_stay_out_of_reach_of_a_worktree() {
    everybody(|mut world| {
        repo(&world);
        world.shell("git worktree add -q ../tree -b side");
        let main = world.repo();
        world.cwd = world.home().join("tree");
        let planted = world.try_to(&format!("echo 'exit 1' > '{}/.git/hooks/pre-commit'", main.display()));
        assert!(!planted.status.success());
        assert!(!main.join(".git/hooks/pre-commit").exists());
    });
}

#[test]
fn a_commit_in_a_submodule() {
    everybody(|world| {
        repo(&world);
        world.shell(
            "git init -q ../origin; cd ../origin; echo a > a; git add a; git commit -qm origin
             cd - >/dev/null; git submodule --quiet add ../origin sub; git commit -qm 'with a module'",
        );
        world.work(
            "cd sub; echo b > b; git add b; git commit -qm inside; cd ..
             git add sub; git commit -qm moved; git submodule status; git submodule foreach --quiet git status
             git -C sub checkout -q HEAD~1; git diff --exit-code --quiet && exit 1; git -C sub switch -q main",
        );
        assert_eq!(world.shell("git -C sub log --format=%s; git log --format=%s -n 1"), "inside\norigin\nmoved\n");
        assert_eq!(world.shell("git status --porcelain"), "");
    });
}

#[test]
fn new_repos_below_the_repo() {
    everybody(|world| {
        repo(&world);
        world.work(
            "git clone -q . copy; cd copy; echo x > x; git add x; git commit -qm copy; git push -q origin HEAD:pushed",
        );
        world.work(
            "git init -q fresh; cd fresh; git config user.name Fresh; echo x > x; git add x; git commit -qm fresh",
        );
        assert_eq!(world.shell("git log --format=%s pushed; git -C fresh log --format=%an"), "copy\nfirst\nFresh\n");
    });
}
