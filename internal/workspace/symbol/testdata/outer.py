"""Module."""
import os

LIMIT: int = 3
name = "x"  # trailing


# About the class.
@dataclass
@other(a=1)
class Outer:
    """Doc."""

    field: int = 0

    class Inner:
        # First in its class.
        def deep(self):
            pass

    @property
    def value(self) -> int:
        return 1

    @value.setter
    def value(self, v): self._v = v

    async def go(self):
        def nested():
            pass
        return nested


async def main(x, *, y=1):
    pass

if True:
    def conditional():
        pass

type Pair[T] = tuple[T, T]
handler = lambda x: x
