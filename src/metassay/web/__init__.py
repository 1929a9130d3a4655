"""The report for people who do not use a terminal: files go in and a report comes out, in the browser.

::

    browser -app-> sessions (folders that are deleted) -worker-> worker_main (a process of its own) -> report.html

`security` decides who may ask, `pages` fills the templates that people see, `choices` reads what they choose, `serving`
opens the door and closes it. Files of strangers are read in `worker_main` only: a process with bounded memory and time
that is thrown away afterwards.
"""
