"""How the site is built from these pages: Sphinx, Markdown by MyST, the theme Furo, no network."""

import sys
from pathlib import Path

import nonmarkov

sys.path.insert(0, str(Path(__file__).parent / "tools"))

project = "nonmarkov"
author = "The nonmarkov developers"
project_copyright = author
version = release = nonmarkov.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "docstrings", "reference", "signatures"]
exclude_patterns = ["tools", "static"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
highlight_language = "none"  # what is only indented is a formula
default_role = "py:obj"  # `names` in docstrings: linked if there is a page about them
toc_object_entries = False

add_module_names = False
autoclass_content = "both"
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
maximum_signature_line_length = 70
python_use_unqualified_type_names = True

html_theme = "furo"
html_title = "nonmarkov"
html_copy_source = False
html_show_search_summary = False  # summaries would be fetched, which files cannot be
html_show_sphinx = False
html_static_path = ["static"]
html_css_files = ["site.css"]
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0072b2", "color-brand-content": "#0068a3"},
    "dark_css_variables": {"color-brand-primary": "#56b4e9", "color-brand-content": "#56b4e9"},
}
