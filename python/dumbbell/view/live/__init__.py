"""`--live`: the page of a command that still runs, on loopback.

`server` answers the browser, `news` is what the page has not seen, `series` begins the page of a
run, `points` that of a study.
"""

from .session import Live as Live
from .session import session as session
