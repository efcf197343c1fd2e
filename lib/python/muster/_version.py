"""The version of this package; it needs a libmuster with the same major version and at least the same minor."""

__version__ = "0.2.0"
