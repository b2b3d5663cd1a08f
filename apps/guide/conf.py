"""Configuration of the documentation site. The target docs runs Sphinx with it. The source folder is the project's folder, so the links
between all documents of the project are checked.

Environment, set by scripts/cmake/documents.cmake:
  EIGEN_G_VERSION      version of the project
  EIGEN_G_DOXYGEN_XML  folder with Doxygen's XML of the public headers
  EIGEN_G_COMMAND      the command, whose help texts become a page; without it the page says that the command was not built
  PYTHONPATH           has the Python package; without it the page of the package says that it was not built
"""
import ast
import importlib
import inspect
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
package = root / "apps/python/eigen_g"

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
    pairs, columns = [], set()
    for row in rows:
        if match := re.match(r"(\S+(?:,? \S+)*) {2,}(?=\S)", row):
            pairs.append((match[1], row[match.end():]))
            columns.add(match.end())
        elif pairs and len(row) - len(row.lstrip()) in columns:
            pairs[-1] = (pairs[-1][0], f"{pairs[-1][1]} {row.lstrip()}")
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
    items = [nodes.definition_list_item("", nodes.term("", name), nodes.definition("", nodes.paragraph("", text.replace("`", "")))) for name, text in pairs]
    return nodes.definition_list("", *items, classes=["arguments"])


def tidy_reference(app, doctree):
    """Lists of arguments become readable, and the members of the namespace eigen_g stand directly below their header."""
    if not app.env.docname.startswith("apps/guide/reference/"):
        return
    for block in list(doctree.findall(nodes.literal_block)):
        if "command" not in block["classes"]:
            block.replace_self(contract(block.astext()))
    for paragraph in list(doctree.findall(nodes.paragraph)):
        if paragraph.astext().startswith("#include"):  # without the folder eigen_g
            paragraph.parent.remove(paragraph)
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


def stub_comments():
    """Class.property -> its docstring in the stub of the extension module, which has types only."""
    tree = ast.parse((package / "_core.pyi").read_text())
    return {f"{c.name}.{f.name}": ast.get_docstring(f) for c in tree.body if isinstance(c, ast.ClassDef) for f in c.body if isinstance(f, ast.FunctionDef)}


def plain(docstring):
    """A docstring as reStructuredText. Docstrings are plain text: equations and lists of arguments are indented or aligned and keep their
    layout, and >>> begins an example."""
    out = []
    for block in re.split(r"\n\s*\n", docstring):
        rows = block.strip("\n").split("\n")
        if rows[0].lstrip().startswith(">>>"):
            out += rows
        elif any(re.match(r" {3,}|\S(.*\S)? {2,}\S", row) for row in rows):
            out += ["::", "", *("    " + row for row in rows)]
        else:
            out += [re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``", re.sub(r"([\\*_|])(?![^`]*`[^`]*$)", r"\\\1", row)) for row in rows]
        out.append("")
    return out


def plain_docstring(app, what, name, obj, options, lines):
    text = "\n".join(lines)
    if not (getattr(obj, "__module__", None) or "eigen_g").startswith("eigen_g"):
        text = lines[0]  # NumPy's LinAlgError
    if match := re.fullmatch(r"\(self\) -> (.*)", text.strip()):
        comment = stub_comments().get(name.removeprefix("eigen_g.").removeprefix("_core."))
        text = f"{match[1]}. {comment}" if comment else match[1]
    lines[:] = plain(text)


class CommandHelp(SphinxDirective):
    """`command-help`: the help text of a subcommand."""
    required_arguments = 1
    final_argument_whitespace = True

    def run(self):
        self.env.note_reread()
        command = os.environ.get("EIGEN_G_COMMAND")
        if not command:
            return [nodes.paragraph(text="The command was not built with this site.")]
        text = subprocess.run([command, *self.arguments[0].split(), "--help"], capture_output=True, text=True, check=True).stdout
        return [nodes.literal_block(text, text, language="none", classes=["command"])]


class PythonModule(SphinxDirective):
    """`python-module`: functions, classes and exceptions of the package, or of a module of the package. A module is read and not
    imported, because it may need a framework that is not installed."""
    required_arguments = 1

    def run(self):
        self.env.note_reread()
        name = self.arguments[0]
        return self.parse_text_to_nodes("\n".join(self.package(name) if "." not in name else self.module(name)), allow_section_headings=True)

    def package(self, name):
        try:
            module = importlib.import_module(name)
        except ImportError as error:
            return [f"The Python package was not built with this site: {error}."]
        public = [(key, value) for key, value in vars(module).items() if key in module.__all__]
        errors = [key for key, value in public if isinstance(value, type) and issubclass(value, Exception)]
        classes = [key for key, value in public if isinstance(value, type) and key not in errors]
        functions = [key for key, value in public if callable(value) and not isinstance(value, type)]
        functions.sort(key=lambda key: not inspect.isfunction(getattr(module, key)))  # functions of the extension module are last
        lines = plain(module.__doc__)
        for title, kind, keys in (("Functions", "function", functions), ("Classes", "class", classes), ("Exceptions", "exception", errors)):
            lines += [title, "-" * len(title), ""]
            for key in keys:
                lines += [f".. auto{kind}:: {name}.{key}", *(["   :members:"] if kind == "class" else []), ""]
        return lines

    def module(self, name):
        file = package / f"{name.split('.')[1]}.py"
        if not file.exists():
            return []
        tree = ast.parse(file.read_text())
        lines = [name, "-" * len(name), "", *plain(ast.get_docstring(tree))]
        for f in tree.body:
            if isinstance(f, ast.FunctionDef) and not f.name.startswith("_") and ast.get_docstring(f):
                for argument in (*f.args.posonlyargs, *f.args.args, *f.args.kwonlyargs):
                    argument.annotation = None
                lines += [f".. py:function:: {name}.{f.name}({ast.unparse(f.args)})", "", *("   " + line for line in plain(ast.get_docstring(f))), ""]
        return lines


def redirect(app, error):
    """The site's own folder leads to the start page."""
    if app.builder.name == "html" and not error:
        (pathlib.Path(app.outdir) / "index.html").write_text(f'<!doctype html><meta http-equiv="refresh" content="0; url={root_doc}.html">\n')


def setup(app):
    app.connect("build-finished", redirect)
    directives.register_directive("command-help", CommandHelp)
    directives.register_directive("python-module", PythonModule)
    app.connect("source-read", link_to_readme)
    app.connect("doctree-read", tidy_reference)
    app.connect("doctree-resolved", resolve_files)
    app.connect("autodoc-process-docstring", plain_docstring)
