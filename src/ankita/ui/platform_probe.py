"""Makes a Qt application and says which platform it runs on; for a child process.

Qt ends the process where it finds no platform, so nobody else should try.
"""

from __future__ import annotations

import json
import sys


def main() -> int:
    """Print one line of JSON: "qt" and "platform". Aborts where no window can be shown."""
    if sys.platform != "win32":
        import resource

        # An abort is an answer here; it need not leave a memory image behind.
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    from PySide6.QtCore import qVersion
    from PySide6.QtWidgets import QApplication

    application = QApplication(["ankita-probe"])
    print(json.dumps({"qt": qVersion(), "platform": application.platformName()}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
