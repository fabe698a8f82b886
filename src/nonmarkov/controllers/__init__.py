"""Policies as tables that run without this library: JSON, C99, Python."""

from nonmarkov.controllers.table import UNKNOWN, ControllerTable
from nonmarkov.controllers.writing import save_controller

__all__ = ["UNKNOWN", "ControllerTable", "save_controller"]
