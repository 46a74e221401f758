"""Looks at the machine and the profile and says what works; changes nothing, imports no Qt.

Each check is a function from `Subject` to `Finding` in a file of its own matter;
`examination.py` lists them, runs them side by side and bounds them in time.
"""
