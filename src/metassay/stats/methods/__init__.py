"""Methods: intervals of statistics and tests of two metrics, one object each, for studies, simulations and plans alike.

`names` is light; `base` says what a method is, one module per family holds them, and `registry` finds them by name.
"""
