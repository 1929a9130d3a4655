"""The report for people who do not use a terminal: files go in and a report comes out, in the browser.

::

    browser -app-> sessions (folders that are deleted) -workshop-> task (a process of its own) -> report.html

`guard` decides who may ask, `pages` writes what people see, `serving` opens the door and closes it. Files of strangers
are read in `task` only: a process with bounded memory and time that is thrown away afterwards.
"""
