"""The reference asks for everything that is public, wherever it comes from."""

import click

from docs.tools import reference


def test_packages_that_no_page_asks_for_are_found(tmp_path):
    (tmp_path / "core.md").write_text("# Core\n\n<!-- public names: core -->\n")
    others = reference.other_names(tmp_path)
    assert "<!-- public names: training -->" in others
    assert "core" not in others


def test_names_are_where_they_come_from():
    assert reference.home("RegularProcess") == reference.home("histories") == "core"
    assert reference.home("errors") == "errors"
    assert "autoclass:: nonmarkov.ProcessEnv" in reference.package_reference("envs")
    assert reference.package_reference("no_such_package") == ""


def test_members_of_bases_are_listed_and_those_of_other_libraries_are_not():
    entry = reference.package_reference("envs")
    assert ":members: reset, step, render" in entry
    assert "np_random" not in entry


def test_commands_are_described_with_their_options():
    @click.command()
    @click.argument("file")
    @click.option("--size", type=int, default=3, show_default=True, help="How [large] it `is`.")
    def cut(file, size):
        """Cut FILE.

        In two.
        """

    text = "\n".join(reference.command_reference(cut, "tool cut"))
    assert "## tool cut\n\nCut FILE.\n\nIn two.\n" in text
    assert "tool cut [OPTIONS] FILE" in text
    assert "`--size INTEGER`\n: How \\[large\\] it `is`. \\[default: 3\\]" in text
