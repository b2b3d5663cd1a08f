"""repr and notebook tables (_repr_html_) of results, reports, verifications and solvers."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _core, _frameworks

if TYPE_CHECKING:
    from ._eigh import EighResult
    from ._solver import Solver
    from ._sparse_report import SparseReport
    from .sparse import Solver as SparseSolver
    from ._types import DeviceWork


class Table(NamedTuple):
    """A title, facts with their names, and rows of columns. bars: lengths from 0 to 1, one for each row, for the notebook."""

    title: str
    facts: list[tuple[str, str]] = []
    columns: tuple[str, ...] = ()
    rows: Sequence[tuple[str, ...]] = []
    bars: list[float] = []

    def text(self) -> str:
        lines = [self.title]
        names = max((len(name) for name, _ in self.facts), default=0)
        lines += [f"  {name:<{names}}  {fact}" for name, fact in self.facts]
        if self.rows:
            widths = [max(map(len, cells)) for cells in zip(self.columns, *self.rows)]
            for row in (self.columns, *self.rows):
                cells = [f"{row[0]:<{widths[0]}}", *(f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:]))]
                lines.append("  " + "  ".join(cells).rstrip())
        return "\n".join(lines)

    def html(self) -> str:
        lines = [f"<div><strong>{escape(self.title)}</strong>"]
        if self.facts:
            cells = (f"<tr><td>{escape(name)}</td><td style='text-align:left'>{escape(fact)}</td></tr>" for name, fact in self.facts)
            lines.append(f"<table>{''.join(cells)}</table>")
        if self.rows:
            head = "".join(f"<th{'' if at else _left}>{escape(column)}</th>" for at, column in enumerate(self.columns))
            lines.append(f"<table><thead><tr>{head}{'<th></th>' if self.bars else ''}</tr></thead><tbody>")
            for k, row in enumerate(self.rows):
                cells = (f"<td{'' if at else _left}>{escape(cell)}</td>" for at, cell in enumerate(row))
                lines.append(f"<tr>{''.join(cells)}{_bar(self.bars[k]) if self.bars else ''}</tr>")
            lines.append("</tbody></table>")
        return "\n".join([*lines, "</div>"])


_left = " style='text-align:left'"


def _bar(length: float) -> str:
    style = f"background:#0072b2;height:0.8em;width:{10 * length:.2f}em"
    return f"<td style='text-align:left;min-width:10em'><div style='{style}'></div></td>"


def _seconds(value: float) -> str:
    return f"{value:.3g} s" if value >= 1 else f"{1e3 * value:.3g} ms"


def _short(count: float) -> str:
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            break
        count /= 1024
    else:
        unit = "GiB"
    return f"{count:.4g} {unit}"


def _bytes(host: int, device: int) -> str:
    return _short(host) + " host" + (f", {_short(device)} device" if device else "")


def _pairs(count: int) -> str:
    return f"{count} pair{'' if count == 1 else 's'}"


def _devices(report: _core.Report | _core.BatchReport) -> str:
    return ", ".join(device["name"] for device in report.devices) or "no device"


def _device(work: DeviceWork) -> tuple[str, str]:
    if not work["stages"]:
        return "share", f"{100 * work['share']:.3g} % of the products, {_seconds(work['seconds'])}, {work['name']}"
    facts = _seconds(work["seconds"]), f"{work['flops'] * 1e-12:.3g} Tflop", _short(work["bytes"]), work["name"]
    return f"GPU {work['gpu']}", ", ".join(facts)


def _report_title(r: _core.Report) -> str:
    if r.bad_minor:
        state = f"b's leading minor of order {r.bad_minor} is not positive definite"
    else:
        state = f"converged, {_pairs(r.m)}" if r.converged else f"not converged (info {r.info})"
    return f"Report: {state}, {_seconds(r.seconds)}, {_devices(r)}"


def _report(r: _core.Report) -> Table:
    facts = [("path", r.path.replace("_", "-")), ("workspace", _bytes(*r.workspace_bytes))]
    if r.mode != "in_core":
        facts.append(("memory", f"{r.mode}, with data in host memory"))
    if r.refinement["result"] != "native":
        facts.append(("precision", f"mixed: {r.refinement['result'].replace('_', ' ')}, {r.refinement['steps']} steps"))
    if r.fallbacks:
        facts.append(("fallbacks", ", ".join(name.replace("_", " ") for name in r.fallbacks)))
    if len(r.devices) > 1:
        facts += [_device(x) for x in r.devices]
    stages: dict[str, float] = {}
    for name, seconds in r.stages:
        stages[name] = stages.get(name, 0.0) + seconds
    shares = [seconds / r.seconds if r.seconds > 0 else 0.0 for seconds in stages.values()]
    rows = [(name.replace("_", " "), f"{s:.6f}", f"{100 * share:.1f}") for (name, s), share in zip(stages.items(), shares)]
    return Table(_report_title(r), facts, ("stage", "seconds", "%"), rows, shares)


def _batch_title(r: _core.BatchReport) -> str:
    failed = f", {r.failed} failed, first {r.first_failed}" if r.failed else ""
    return f"BatchReport: {r.count} matrices, {_pairs(r.m)} each{failed}, {_seconds(r.seconds)}, {_devices(r)}"


def _batch(r: _core.BatchReport) -> Table:
    return Table(_batch_title(r), [("workspace", _bytes(*r.workspace_bytes))])


def _checked(name: str, v: _core.Verification | _core.GeneralisedVerification, ratios: list[tuple[str, float, float]]) -> Table:
    title = f"{name}: {'passed' if v.passed else 'FAILED'}, {v.m} of {v.n} pairs on the {'GPU' if v.on_gpu else 'CPU'}, {_seconds(v.seconds)}"
    facts = [] if v.ascending else [("values", "do not ascend")]
    facts += [] if v.finite else [("finite", "no: there is a NaN or an infinity")]
    rows = [(what, f"{ratio:.3g}", f"{limit:.3g}", "pass" if ratio <= limit else "FAIL") for what, ratio, limit in ratios]
    bars = [min(1.0, ratio / limit) if ratio >= 0 and limit > 0 else 1.0 for _, ratio, limit in ratios]
    return Table(title, facts, ("ratio", "found", "limit", ""), rows, bars)


def _verification(v: _core.Verification) -> Table:
    ratios = [("residual (LAPACK)", v.lapack_residual, v.limit), ("orthogonality (LAPACK)", v.lapack_orthogonality, v.limit)]
    table = _checked("Verification", v, ratios)
    table.facts.append(("worst pair", f"{v.worst_index}, |a v - w v| / |a| = {v.worst_residual:.3g}"))
    return table


def _generalised(v: _core.GeneralisedVerification) -> Table:
    ratios = [("residual", v.residual, v.residual_limit), ("b-orthogonality", v.orthogonality, v.orthogonality_limit)]
    table = _checked("GeneralisedVerification", v, [] if v.bad_minor else ratios)
    minor = f"b's leading minor of order {v.bad_minor} is not positive definite"
    table.facts.append(("type", str(v.type)))
    table.facts.append(("b", minor if v.bad_minor else f"condition {v.condition:.3g}"))
    return table


_tables: list[tuple[Any, Any]] = [
    (_core.Report, _report),
    (_core.BatchReport, _batch),
    (_core.Verification, _verification),
    (_core.GeneralisedVerification, _generalised),
]
for _kind, _table in _tables:
    _kind.__repr__ = lambda self, table=_table: table(self).text()
    _kind._repr_html_ = lambda self, table=_table: table(self).html()


def title_of(report: object) -> str:
    """The report in one line."""
    if isinstance(report, _core.Report):
        return f"<{_report_title(report)}>"
    if isinstance(report, _core.BatchReport):
        return f"<{_batch_title(report)}>"
    return f"<{len(report)} reports>" if isinstance(report, tuple) else repr(report)


def fields_text(record: Any, **fields: str) -> str:
    """The repr of a named tuple, in which these fields have other texts."""
    parts = (f"{name}={fields.pop(name, None) or repr(value)}" for name, value in zip(record._fields, record))
    return f"{type(record).__name__}({', '.join([*parts, *(f'{name}={text}' for name, text in fields.items())])})"


def result_text(result: EighResult[Any, Any]) -> str:
    others = {"report": title_of(result.report)}
    if result.status is not None:
        others["status"] = repr(result.status)
    if result.factor is not None:
        others["factor"] = f"<CholeskyFactor: {'lower' if result.factor.lower else 'upper'} triangle>"
    return fields_text(result, **others)


def result_html(result: EighResult[Any, Any]) -> str:
    w, v = result
    framework, w = _frameworks.of(w)
    facts = [
        ("eigenvalues", f"{framework.view(w).dtype} {tuple(w.shape)}"),
        ("eigenvectors", f"{framework.view(v).dtype} {tuple(v.shape)}"),
        ("arrays of", f"{framework.name} on {_frameworks.place(framework.view(w).gpu)}"),
    ]
    if len(w.shape) == 1 and w.shape[0]:
        ends = framework.to_host(w)[[0, -1]]
        facts += [("lowest", f"{ends[0]:.9g}"), ("highest", f"{ends[1]:.9g}")]
    if result.status is not None:
        facts.append(("status", str(result.status)))
    html = Table("EighResult", facts).html()
    reports = result.report if isinstance(result.report, tuple) else (result.report,)
    shown = "".join(report._repr_html_() for report in reports[:3] if report is not None)
    return html + shown + (f"<div>... {len(reports)} reports</div>" if len(reports) > 3 else "")


def sparse_report_table(r: SparseReport) -> Table:
    library = f" with {r.library}" if r.library != "none" else ""
    proof = "complete" if r.proven else "not proven to be complete"
    facts = [] if r.proven or not r.proof_reason else [("not proven", r.proof_reason)]
    if r.shift_reason:
        facts.append(("shift", f"{r.shift_wished:.9g} wished, {r.shift_used:.9g} used: {r.shift_reason}"))
    elif library:
        facts.append(("shift", f"{r.shift_used:.9g}"))
    if library and r.found:
        facts.append(("counted", f"{r.count_high - r.count_low} values from {r.low:.9g} to {r.high:.9g}, {r.found} found"))
    for name, errors in (("residual", r.residuals), ("bound", r.error_bounds)):
        if len(errors):
            facts.append((name, f"at most {errors.max():.2g}"))
    if r.factorisations:
        facts.append(("factor", f"{r.factor_entries} entries of L, {_short(r.factor_bytes)}, {r.factorisations} factorisations"))
    if r.products:
        facts.append(("solves" if library else "products", str(r.products)))
    return Table(f"SparseReport: {_pairs(len(r.residuals))} by {r.method}{library}, {proof}, {_seconds(r.seconds)}", facts)


def sparse_solver_table(solver: SparseSolver) -> Table:
    problem, options = solver._problem, solver._problem.options
    if options.buckling:
        name = "A v = w M v, buckling"
    else:
        name = "A v = w v" if problem.m is None else "A v = w M v"
    facts = [
        ("problem", f"{name}, {'complex Hermitian' if problem.is_complex else 'real'}"),
        ("library", options.library),
        ("factor", f"{solver.factor_entries} entries of L, {_short(solver.factor_bytes)}, as predicted"),
        ("proof", options.proof),
    ]
    return Table(f"Solver: sparse matrices of order {solver.n}", facts)


def solver_table(solver: Solver[Any, Any]) -> Table:
    wanted, n = solver._wanted, solver._n
    problem = f"generalised problems of type {wanted.itype}" if wanted.itype else "standard problems"
    facts = [
        ("matrices", f"{solver._dtype} of {solver._framework.name} on {_frameworks.place(solver._gpu)}"),
        ("problem", problem + (", b is set" if solver._b is not None else "")),
        ("triangle", "lower" if wanted.lower else "upper"),
        ("finds", f"{'pairs' if wanted.vectors else 'values'}, at most {wanted.plan(solver._dtype).max_count(n)}"),
        ("solves on", "a GPU" if solver.on_gpu else "the CPU"),
        ("workspace", _bytes(*solver.workspace_bytes)),
    ]
    defaults = type(wanted.where)._field_defaults
    others = {name: value for name, value in wanted.where._asdict().items() if value != defaults[name]}
    if others:
        facts.append(("options", ", ".join(f"{name}={value!r}" for name, value in others.items())))
    return Table(f"Solver: matrices of order {n}", facts)
