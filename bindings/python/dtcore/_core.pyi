# The extension module: typed where the package calls it.
from typing import Any

def __getattr__(name: str) -> Any: ...
