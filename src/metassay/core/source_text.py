"""The source of a module, from which declarations are read without importing it."""

from __future__ import annotations

from importlib.util import find_spec


def source_of(module: str) -> str:
    """Return the source of a module, wherever it was installed, be it a folder or a zip; say so if there is none."""
    spec = find_spec(module)
    read = None if spec is None else getattr(spec.loader, "get_source", None)
    source: str | None = None if read is None else read(module)
    if source is None:
        raise ImportError(
            f"the source of {module} is missing, and metassay reads its commands, views and public names from there; "
            "install it with its .py files",
            name=module,
        )
    return source
