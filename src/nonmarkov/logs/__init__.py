"""Logs: episodes that somebody else has recorded, read from files one by one."""

from nonmarkov.core.alphabet import RESET
from nonmarkov.logs.aalpy_lists import from_aalpy
from nonmarkov.logs.episode import LoggedEpisode
from nonmarkov.logs.jsonl import write_log
from nonmarkov.logs.reading import FORMATS, read_log

__all__ = ["FORMATS", "RESET", "LoggedEpisode", "from_aalpy", "read_log", "write_log"]
