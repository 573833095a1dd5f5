"""The options that several functions take: each name and type stands here once."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ParamSpec, TypedDict, TypeVar

from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from ctm._result import Result
    from ctm._run import Job
    from ctm._texture import Texture

_Parameters = ParamSpec("_Parameters")
_Returned = TypeVar("_Returned")


class EngineOptions(TypedDict, total=False):
    """What executes a run, and its limits."""

    engine: str | None
    threads: int | None
    seconds: float | None
    instructions: int | None
    memory: int | None


class JobOptions(EngineOptions, total=False):
    """What a run over a rectangle depends on besides its program and its domain."""

    inputs: Mapping[int | str, ArrayLike] | None
    textures: Mapping[int | str, Texture] | None
    constants: Mapping[int | str, ArrayLike] | None
    uniforms: Mapping[str, ArrayLike] | None
    varyings: Mapping[int | str, ArrayLike] | None
    outputs: Mapping[int, str] | None
    like: Job | Result | None
    origin: tuple[int, int] | None
    time: float | None
    mouse: Sequence[float] | None


class LaunchOptions(TypedDict, total=False):
    """What a launch of threads depends on besides its program and their number. `memory` is that of the threads."""

    memory: Mapping[int, ArrayLike] | None
    banks: Mapping[int, ArrayLike] | None
    shared_memory: int | None
    engine: str | None
    threads_of_host: int | None
    seconds: float | None
    instructions: int | None
    memory_limit: int | None


def takes(options: type) -> Callable[[Callable[_Parameters, _Returned]], Callable[_Parameters, _Returned]]:
    """Lets a function that ends in `**options: Unpack[...]` show these options in its signature, each None by default, in front of the keywords that it
    names itself. Others raise TypeError."""

    def decorate(function: Callable[_Parameters, _Returned]) -> Callable[_Parameters, _Returned]:
        signature = inspect.signature(function)
        own = [one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
        named = [
            # Annotations are text until somebody evaluates them.
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=getattr(kind, "__forward_arg__", kind))
            for name, kind in options.__annotations__.items()
        ]
        first = next((at for at, one in enumerate(own) if one.kind is inspect.Parameter.KEYWORD_ONLY), len(own))
        known = {one.name for one in [*own, *named]}

        @functools.wraps(function)
        def checked(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Returned:
            unknown = kwargs.keys() - known
            if unknown:
                raise TypeError(f"{function.__name__}() got an unexpected keyword argument {min(unknown)!r}")
            return function(*args, **kwargs)

        shown: Any = checked
        shown.__signature__ = signature.replace(parameters=[*own[:first], *named, *own[first:]])
        return checked

    return decorate
