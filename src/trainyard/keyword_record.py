"""Records whose values are given by name, for what every start of the command line makes.

They are declared as frozen dataclasses are, and type checkers hold them to the same: every value is given, and none is
assigned later. A dataclass compiles its methods anew at every start, which costs milliseconds where it has many fields.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self, dataclass_transform


@dataclass_transform(kw_only_default=True, frozen_default=True, eq_default=False)
class KeywordRecord:
    """A record with a value for each annotated name of its class; two of them are equal only if they are the same."""

    _defaults: ClassVar[dict[str, Any]] = {}
    _names: ClassVar[frozenset[str]] = frozenset()

    def __init_subclass__(cls) -> None:
        """Take the names of values from the annotations, and the defaults from what the class says of them."""
        names = cls.__annotations__
        cls._names |= names.keys()
        own = {name: cls.__dict__[name] for name in names if name in cls.__dict__}
        # A name that a class declares again, without a default, has to be given from there on.
        cls._defaults = {name: default for name, default in cls._defaults.items() if name not in names} | own

    def __init__(self, **values: Any) -> None:
        """Take a value for each name.

        Raises:
            TypeError: a name is not one of the class, or one without a default is not given
        """
        complete = {**self._defaults, **values}
        if complete.keys() != self._names:
            names = ", ".join(sorted(complete.keys() ^ self._names))
            raise TypeError(f"{type(self).__name__} lacks values or does not know them: {names}")
        self.__dict__.update(complete)

    def with_values(self, **values: Any) -> Self:
        """Return the same record with other values of some names."""
        return type(self)(**{**self.__dict__, **values})
