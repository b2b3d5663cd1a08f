"""Configuration of the documentation site. The target docs runs Sphinx with it. The source folder is the project's folder, so the links
between all documents of the project are checked.

Environment, set by scripts/cmake/documents.cmake:
  EIGEN_G_VERSION      version of the project
  EIGEN_G_DOXYGEN_XML  folder with Doxygen's XML of the public headers
  EIGEN_G_COMMAND      the command, whose help texts become a page; without it the page says that the command was not built
  PYTHONPATH           has the Python package; without it the page of the package says that it was not built
"""
import importlib.util
import os
import pathlib
import re
import subprocess

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

guide = pathlib.Path(__file__).resolve().parent
root = guide.parents[1]

project = author = "eigen_g"
version = release = os.environ.get("EIGEN_G_VERSION", "")
extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc"]
root_doc = "apps/guide/index"
include_patterns = ["*.md", "apps/**.md", "apps/guide/reference/*.rst", "blas2/**.md", "gemm_df/**.md", "solver/**.md", "tests/**.md", "data/**.md"]
exclude_patterns = ["build*", ".*"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
highlight_language = "none"
# Each header declares the namespace eigen_g.
suppress_warnings = ["duplicate_declaration.cpp"]
breathe_projects = {"eigen_g": os.environ.get("EIGEN_G_DOXYGEN_XML", "")}
breathe_default_project = "eigen_g"
autodoc_typehints = "none"

html_theme = "furo"
html_title = f"eigen_g {version}"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_show_copyright = False


def link_to_readme(app, document, source):
    """Links to a folder become links to its README.md; without such a file they become text."""
    folder = (root / document).parent

    def link(match):
        target = folder / match["target"]
        if not target.is_dir():
            return match[0]
        return f"[{match['text']}]({match['target']}/README.md)" if (target / "README.md").exists() else match["text"]

    source[0] = re.sub(r"\[(?P<text>[^\]]+)\]\((?P<target>[\w./-]+)\)", link, source[0])


def header_pages():
    """Header's name -> page of the reference that shows it."""
    pages = {}
    for page in (guide / "reference").glob("*.md"):
        for header in re.findall(r"^:::\{doxygenfile\} (\S+)$", page.read_text(), re.MULTILINE):
            pages[header] = f"apps/guide/reference/{page.stem}"
    return pages


def arguments(rows):
    """The rows "name  text" of a contract, with text that continues below itself, as (name, text) pairs. None for another layout."""
    starts = [re.match(r"(\S+(?:,? \S+)*) {2,}(?=\S)", row) for row in rows]
    columns = {match.end() for match in starts if match}
    if len(columns) != 1 or not starts[0]:
        return None
    column, pairs = columns.pop(), []
    for row, match in zip(rows, starts):
        if match:
            pairs.append((match[1], row[column:]))
        elif row.strip() and row[:column].strip() == "" and row[column] != " ":
            pairs[-1] = (pairs[-1][0], f"{pairs[-1][1]} {row[column:]}")
        else:
            return None
    return None if any(re.search(r"\S {2,}\S", text) for _, text in pairs) else pairs


def contract(text):
    """A literal block of a contract without comment marks and indentation; a list of arguments as a definition list."""
    rows = [row.rstrip() for row in re.sub(r"(?m)^///", "", text).strip("\n").split("\n")]
    indent = min((len(row) - len(row.lstrip()) for row in rows if row), default=0)
    rows = [row[indent:] for row in rows]
    pairs = arguments([row for row in rows if row])
    if pairs is None:
        text = "\n".join(rows).rstrip()
        return nodes.literal_block(text, text, language="none")
    items = [nodes.definition_list_item("", nodes.term("", name), nodes.definition("", nodes.paragraph("", text))) for name, text in pairs]
    return nodes.definition_list("", *items, classes=["arguments"])


def tidy_reference(app, doctree):
    """Lists of arguments become readable, and the members of the namespace eigen_g stand directly below their header."""
    if not app.env.docname.startswith("apps/guide/reference/"):
        return
    for block in list(doctree.findall(nodes.literal_block)):
        if "command" not in block["classes"]:
            block.replace_self(contract(block.astext()))
    for desc in list(doctree.findall(addnodes.desc)):
        if desc.get("domain") == "cpp" and desc[0].astext().strip() == "namespace eigen_g":
            desc.replace_self([child for child in desc[-1].children if not isinstance(child, nodes.paragraph)])


def resolve_files(app, doctree, document):
    """Links to public headers lead to the reference. Drawings become a part of their page, and take its colours."""
    pages = header_pages()
    for link in list(doctree.findall(addnodes.download_reference)):
        name = pathlib.PurePath(link["reftarget"]).name
        if name in pages:
            uri = f"{app.builder.get_relative_uri(document, pages[name])}#{nodes.make_id(name)}"
            link.replace_self(nodes.reference("", "", *link.children, internal=True, refuri=uri))
    for image in list(doctree.findall(nodes.image)):
        if image["uri"].endswith(".svg"):
            svg = re.sub(r"<\?xml.*?\?>|<style>.*?</style>", "", (root / image["uri"]).read_text(), flags=re.DOTALL)
            image.replace_self(nodes.raw("", f'<div class="drawing">{svg}</div>', format="html"))


def plain_docstring(app, what, name, obj, options, lines):
    """The docstrings are plain text: equations and tables of arguments are indented or aligned, and keep their layout."""
    if not (getattr(obj, "__module__", None) or "eigen_g").startswith("eigen_g"):
        del lines[1:]  # NumPy's LinAlgError
    out = []
    for block in re.split(r"\n\s*\n", re.sub(r"\A\(self\) -> (.*)", r"Type: \1", "\n".join(lines))):
        rows = block.strip("\n").split("\n")
        if rows[0].lstrip().startswith(">>>"):
            out += rows
        elif any(re.match(r" {3,}|\S.*\S {2,}\S", row) for row in rows):
            out += ["::", "", *("    " + row for row in rows)]
        else:
            out += [re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``", re.sub(r"([\\*_|])(?![^`]*`[^`]*$)", r"\\\1", row)) for row in rows]
        out.append("")
    lines[:] = out


class CommandHelp(SphinxDirective):
    """`command-help`: the help text of a subcommand."""
    required_arguments = 1
    final_argument_whitespace = True

    def run(self):
        command = os.environ.get("EIGEN_G_COMMAND")
        if not command:
            return [nodes.paragraph(text="The command was not built with this site.")]
        text = subprocess.run([command, *self.arguments[0].split(), "--help"], capture_output=True, text=True, check=True).stdout
        return [nodes.literal_block(text, text, language="none", classes=["command"])]


class PythonModule(SphinxDirective):
    """`python-module`: the documentation of all public names of a module."""
    required_arguments = 1

    def run(self):
        if importlib.util.find_spec(self.arguments[0].split(".")[0]) is None:
            return [nodes.paragraph(text="The Python package was not built with this site.")]
        return self.parse_text_to_nodes(f".. automodule:: {self.arguments[0]}\n   :members:\n")


def setup(app):
    directives.register_directive("command-help", CommandHelp)
    directives.register_directive("python-module", PythonModule)
    app.connect("source-read", link_to_readme)
    app.connect("doctree-read", tidy_reference)
    app.connect("doctree-resolved", resolve_files)
    app.connect("autodoc-process-docstring", plain_docstring)
