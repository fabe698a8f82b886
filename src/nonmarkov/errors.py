"""The exceptions of the library: all say what was expected, what came, and what to do."""


class NonMarkovError(Exception):
    """Base of every error raised on purpose by this library."""


class InvalidParameterError(NonMarkovError, ValueError):
    """Raised when an argument has a wrong type or lies outside its range."""


class UnknownNameError(NonMarkovError, LookupError):
    """Raised when a name is not registered; suggests the closest one."""


class AlphabetError(NonMarkovError, ValueError):
    """Raised when an action, observation or reward does not belong to an alphabet."""


class InvalidProcessError(NonMarkovError, ValueError):
    """Raised when tables or functions do not describe a decision process."""


class EndlessProcessError(InvalidProcessError):
    """Raised when some policy could avoid termination for ever."""


class TooManyBeliefsError(InvalidProcessError):
    """Raised when a POMDP reaches more beliefs than the limit, possibly infinitely many."""


class ImpossibleHistoryError(NonMarkovError, ValueError):
    """Raised when a history has probability zero, so nothing can be said beyond it."""


class NotMarkovError(NonMarkovError, ValueError):
    """Raised when an automaton is not a Markov abstraction of the process it is used on."""


class FileFormatError(NonMarkovError, ValueError):
    """Raised when a file is truncated, tampered with, or not one of ours."""


class LogError(NonMarkovError, ValueError):
    """Raised when a log does not hold episodes; names the file, the line and the field."""


class StorageError(NonMarkovError, OSError):
    """Raised when something cannot be written: no space, no permission, no such folder."""


class UnreadableFileError(NonMarkovError, OSError):
    """Raised when a file cannot be read, whatever is in it: no permission, or it is a folder."""


class MissingFileError(UnreadableFileError, FileNotFoundError):
    """Raised when a file to be read is not there."""


class FormulaError(NonMarkovError, ValueError):
    """Raised when a formula of temporal logic cannot be read; names the column."""


class FolderInUseError(NonMarkovError):
    """Raised when another sweep is at work in a folder of results."""


class MissingExtraError(NonMarkovError, ImportError):
    """Raised when an optional dependency is needed and not installed."""


class UnsuitableEnvironmentError(NonMarkovError, ValueError):
    """Raised when an environment is too rich to be learned as it is; says how to wrap it."""


class FaultyEnvironmentError(NonMarkovError, RuntimeError):
    """Raised when an environment breaks its own rules, or raises an error, while it is played."""


class EndlessEpisodesWarning(UserWarning):
    """Given when no episode of an environment has ended by itself; they are cut off."""


class UnvariedActionsWarning(UserWarning):
    """Given when logged actions were not varied enough to tell all states apart."""
