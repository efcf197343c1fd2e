"""The version of this package; needs a libmuster of the same major and at least the same minor."""

__version__ = "0.1.0"
