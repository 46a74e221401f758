"""What the app and its tests need from Linux itself, and how Debian provides it."""

from __future__ import annotations

import ctypes
import enum
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

APT_LOCK_TIMEOUT_SECONDS = 300


class Level(enum.Enum):
    """How much to install: RUN for the app, TEST for everything the tests use as well."""

    RUN = "run"
    TEST = "test"


class SetupError(Exception):
    """The set-up cannot go on; the text says what to do."""


QT_LIBRARIES: Mapping[str, str] = {
    "libglib-2.0.so.0": "libglib2.0-0",
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libfreetype.so.6": "libfreetype6",
    "libfontconfig.so.1": "libfontconfig1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libgssapi_krb5.so.2": "libgssapi-krb5-2",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
}

TEST_PROGRAMS: Mapping[str, str] = {
    "Xvfb": "xvfb",
    "xauth": "xauth",
    "openbox": "openbox",
    "picom": "picom",
    "xdotool": "xdotool",
    "wmctrl": "wmctrl",
    "xdpyinfo": "x11-utils",
    "xrandr": "x11-xserver-utils",
    "import": "imagemagick",
    "pcmanfm": "pcmanfm",
    "dbus-run-session": "dbus-daemon",
    "gnome-keyring-daemon": "gnome-keyring",
    "secret-tool": "libsecret-tools",
    "desktop-file-validate": "desktop-file-utils",
    "git": "git",
}

FONT_FOLDERS = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"))
FONTS: Mapping[str, str] = {
    "opentype/inter/Inter-Regular.otf": "fonts-inter",
    "truetype/noto/NotoSansDevanagari-Regular.ttf": "fonts-noto-core",
    "truetype/noto/NotoColorEmoji.ttf": "fonts-noto-color-emoji",
}


def provide(level: Level) -> None:
    """See to it that Linux has what `level` needs; does nothing elsewhere.

    Installs Debian packages when it may (root, or sudo without a password). Raises
    SetupError with the line to run when it may not.
    """
    if not sys.platform.startswith("linux"):
        return
    absent = missing(level)
    if not absent:
        return
    if shutil.which("apt-get") is None:
        raise SetupError(
            "This machine lacks: " + ", ".join(absent) + ".\n"
            "Install them with its package manager and start this again."
        )
    install(sorted(set(absent.values())))
    if still := missing(level):
        raise SetupError("Still missing after the installation: " + ", ".join(still))


def missing(level: Level) -> dict[str, str]:
    """What is not there: its name, and the Debian package that brings it."""
    absent = {
        soname: package for soname, package in QT_LIBRARIES.items() if not has_library(soname)
    }
    if importlib.util.find_spec("ensurepip") is None:
        absent["the Python module ensurepip"] = "python{}.{}-venv".format(*sys.version_info)
    if level is Level.TEST:
        absent |= {name: pkg for name, pkg in TEST_PROGRAMS.items() if not shutil.which(name)}
        absent |= {name: pkg for name, pkg in FONTS.items() if not has_font(name)}
    elif not has_any_font():
        absent |= FONTS
    return absent


def has_library(soname: str) -> bool:
    try:
        ctypes.CDLL(soname)
    except OSError:
        return False
    return True


def has_font(name: str) -> bool:
    return any((folder / name).exists() for folder in FONT_FOLDERS)


def has_any_font() -> bool:
    """False on a bare machine, where every letter would be drawn as a box."""
    homes = (Path.home() / ".fonts", Path.home() / ".local/share/fonts")
    return any(
        path.suffix in {".ttf", ".otf", ".ttc"}
        for folder in (*FONT_FOLDERS, *homes)
        for path in folder.rglob("*")
    )


def install(packages: list[str]) -> None:
    """Install Debian packages, or raise SetupError with the line that would."""
    step = ["apt-get", "install", "-y", "--no-install-recommends"]
    by_hand = f"sudo apt-get update && sudo {shlex.join([*step, *packages])}"
    if os.geteuid() == 0:
        prefix = ["env"]
    elif may_use_sudo():
        prefix = ["sudo", "-n", "env"]
    else:
        raise SetupError(
            f"Some Debian packages are missing. Run this line, then start again:\n{by_hand}"
        )
    print("Installing Debian packages: " + " ".join(packages), file=sys.stderr)
    prefix.append("DEBIAN_FRONTEND=noninteractive")
    patience = ["-o", f"DPkg::Lock::Timeout={APT_LOCK_TIMEOUT_SECONDS}"]
    # A failed update can still leave lists that are good enough for the installation.
    run_unattended([*prefix, "apt-get", "-q", "update"])
    if run_unattended([*prefix, *step, "-q", *patience, *packages]) != 0:
        raise SetupError(
            f"The Debian packages could not be installed. Try this line by hand:\n{by_hand}"
        )


def run_unattended(command: list[str]) -> int:
    """Run without input, with all output on standard error; the exit code."""
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=sys.stderr).returncode


def may_use_sudo() -> bool:
    """True when sudo asks for no password."""
    if shutil.which("sudo") is None:
        return False
    return subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode == 0
