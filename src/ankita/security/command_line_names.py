"""The words that make even a simple command one of those that always ask: data only."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SYSTEM_FOLDERS = ("/bin/", "/sbin/", "/usr/")
"""Where programs lie that only the system's owner replaces."""

LAUNCHERS = _words(
    "coproc select function eval exec source . "
    "command builtin trap alias unalias set env xargs sudo doas su pkexec run0 "
    "runuser parallel watch timeout gtimeout nice ionice nohup setsid chrt taskset stdbuf unbuffer "
    "script expect time strace ltrace gdb lldb valgrind perf flock chroot unshare nsenter "
    "systemd-run at batch crontab chpst setpriv cgexec firejail bwrap proot fakeroot faketime "
    "start-stop-daemon run-parts dbus-run-session dbus-launch xvfb-run screen tmux busybox toybox "
    "xdg-open open gio gtk-launch osascript launchctl caffeinate ld.so ld-linux ssh sshpass mosh "
    "docker podman nerdctl kubectl lxc incus flatpak flatpak-spawn snap toolbox distrobox vagrant "
    "ansible fzf entr inotifywait hyperfine direnv nix nix-shell wsl cmd start call conhost "
    "rundll32 regsvr32 mshta forfiles schtasks msiexec wmic psexec runas pcalua iex icm saps sajb "
    "ii iwmi rjb explorer mmc wt conemu control hh installutil regasm regsvcs odbcconf "
    "setarch linux sg newgrp prlimit choom uclampset numactl softlimit cpulimit chronic "
    "eatmydata fakechroot dtach abduco zellij mpirun mpiexec orterun srun sbatch qsub "
    "xterm uxterm urxvt konsole gnome-terminal xfce4-terminal kitty alacritty foot wezterm "
    "x-terminal-emulator tar bsdtar gtar zip gcc g++ cc c++ clang clang++"
)
"""Run what their arguments name."""

INTERPRETERS = _words(
    "sh bash dash zsh ksh mksh fish csh tcsh ash rbash nu elvish xonsh powershell pwsh python "
    "pythonw py pypy ipython perl ruby irb node nodejs deno bun php lua luajit tclsh wish awk gawk "
    "mawk nawk sed ed ex vi vim nvim emacs nano less more man rscript r julia guile racket sbcl "
    "clisp clojure scala groovy kotlin java jshell javaw dotnet csi erl elixir iex ghci runghc "
    "ocaml swift go cargo rustc bc dc m4 octave gnuplot sqlite psql mysql mongosh redis-cli "
    "wscript cscript autohotkey msbuild"
)
"""Run what is written in their arguments or in files that a tool can change."""

LOADERS = ("ld-linux", "ld-musl")
"""Beginnings of the names of the programs that load others and run them."""

RUNNERS = _words(
    "make gmake nmake cmake ctest ninja meson bazel buck gradle gradlew mvn mvnw ant sbt lein rake "
    "invoke nox tox pytest pre-commit just task npm npx pnpm pnpx yarn corepack bunx pip pipx uv "
    "uvx poetry pdm hatch conda mamba composer bundle gem cpan stack cabal mix rebar zig dune tsc "
    "jest vitest mocha eslint vite webpack gulp grunt turbo nx lerna scons waf vcpkg mypy pylint "
    "flake8 sphinx-build sphinx-autobuild mkdocs coverage alembic django-admin flask gunicorn "
    "uvicorn celery snakemake doit fab behave rspec rails rubocop jekyll bats tsx ts-node nyc "
    "playwright cypress karma ava prettier rollup esbuild tex latex pdftex pdflatex xelatex "
    "lualatex latexmk terraform tofu packer phpunit"
)
"""Run what a project's own files say."""

SENDERS = _words(
    "curl wget aria2c http https httpie xh scp sftp rsync ftp tftp lftp nc ncat netcat socat "
    "telnet rclone gh glab hub aws gcloud az gsutil mail sendmail mutt msmtp swaks irc iwr irm "
    "bitsadmin certutil"
)
"""Reach another machine."""

LOSING = _words(
    "dd mkfs mv cp tee install kill killall pkill xkill halt poweroff init telinit chmod chown "
    "chgrp chattr setfacl umount mount fdisk parted sfdisk wipefs mkswap swapoff rd ri sp sc reg "
    "takeown icacls attrib diskpart vssadmin bcdedit ren fsutil cipher"
)
"""Replace, end or take away; what the common lists of verbs do not name."""

LAUNCHING_OPTIONS = (
    "-exec",
    "-ok",
    "--exec",
    "--command",
    "--checkpoint-action",
    "--to-command",
    "--use-compress-program",
    "--rsh",
    "--upload-pack",
    "--receive-pack",
    "--open-files-in-pager",
    "--pager",
    "--pre",
    "--editor",
    "--ext-diff",
    "--textconv",
    "--config",
    "--compress-program",
    "--filter",
    "--run",
    "--eval",
    "-fprint",
    "-fls",
    "--output",
)
"""Beginnings of options that run or write what follows them, of whatever program."""

POWERSHELL_STARTS = (
    "invoke-",
    "start-",
    "register-",
    "import-",
    "new-",
    "set-",
    "add-",
    "out-",
    "enter-",
    "foreach-",
    "where-",
    "trace-",
    "measure-command",
    "export-",
    "debug-",
    "use-",
    "stop-",
    "restart-",
    "resume-",
    "suspend-",
    "copy-",
    "tee-",
    "install-",
    "update-",
    "save-",
    "receive-",
    "expand-",
    "show-command",
)
"""Beginnings of cmdlets that run, define or write something."""

POWERSHELL_ALIASES = _words(
    "ac asnp cat cd cfs chdir clc clear clhy cli clp cls clv cnsn compare copy cp cpi cpp curl "
    "cvpa dbp del diff dir dnsn ebp echo epal epcsv epsn erase etsn exsn fc fhx fl foreach ft "
    "fw gal gbp gc gcb gci gcm gcs gdr gerr ghy gi gin gjb gl gm gmo gp gps gpv group gsn gsnp "
    "gsv gtz gu gv gwmi h history icm iex ihy ii ipal ipcsv ipmo ipsn irm ise iwmi iwr kill lp "
    "ls man md measure mi mount move mp mv nal ndr ni nmo npssc nsn nv ogv oh popd ps pushd pwd "
    "r rbp rcjb rcsn rd rdr ren ri rjb rm rmdir rmo rni rnp rp rsn rsnp rujb rv rvpa rwmi sajb "
    "sal saps sasv sbp sc scb select set shcm si sl sleep sls sort sp spjb spps spsv start stz "
    "sujb sv swmi tee trcm type wget where wjb write"
)
"""Other names of cmdlets, as PowerShell comes."""
