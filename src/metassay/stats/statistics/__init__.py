"""Statistics of agreement: what each of them is called, where it is defined, and how it is computed under weights.

`names` is light; `base` says what a statistic is, one module per family holds the built-in ones, and `registry` finds
them, and those of users, by name.
"""
