#!/usr/bin/env python3
"""Writes data/valid and data/invalid. Plain Python; data/README.md describes each file.

usage: scripts/make_data.py [FOLDER]      FOLDER: data, by default the one of this project
"""
import io
import math
import struct
import sys
import zipfile
from pathlib import Path


# Matrices as lists of rows.

def minij(n):
    return [[float(min(i, j) + 1) for j in range(n)] for i in range(n)]


def tridiagonal(d, e):
    n = len(d)
    a = [[0.0] * n for _ in range(n)]
    for i in range(n):
        a[i][i] = float(d[i])
        if i + 1 < n:
            a[i][i + 1] = a[i + 1][i] = float(e[i])
    return a


def poisson(m):
    n = m * m
    a = [[0.0] * n for _ in range(n)]
    for x in range(m):
        for y in range(m):
            a[x * m + y][x * m + y] = 4.0
            for u, v in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)):
                if 0 <= u < m and 0 <= v < m:
                    a[x * m + y][u * m + v] = -1.0
    return a


def pei(n, alpha):
    return [[1.0 + (alpha if i == j else 0.0) for j in range(n)] for i in range(n)]


def complete(n):
    return [[0.0 if i == j else 1.0 for j in range(n)] for i in range(n)]


def exchange(n):
    return [[1.0 if i + j == n - 1 else 0.0 for j in range(n)] for i in range(n)]


def hypercube(d):
    n = 1 << d
    return [[float(d) if i == j else -1.0 if bin(i ^ j).count("1") == 1 else 0.0 for j in range(n)]
            for i in range(n)]


ROSSER = [[611, 196, -192, 407, -8, -52, -49, 29], [196, 899, 113, -192, -71, -43, -8, -44],
          [-192, 113, 899, 196, 61, 49, 8, 52], [407, -192, 196, 611, 8, 44, 59, -23],
          [-8, -71, 61, 8, 411, -599, 208, 208], [-52, -43, 49, 44, -599, 411, 208, 208],
          [-49, -8, 8, 59, 208, 208, 99, -911], [29, -44, 52, -23, 208, 208, -911, 99]]


# Formats.

def mtx_coordinate(a, field="real"):
    n = len(a)
    entries = [(i, j) for j in range(n) for i in range(j, n) if a[i][j] != 0]
    lines = [f"%%MatrixMarket matrix coordinate {field} symmetric", f"{n} {n} {len(entries)}"]
    for i, j in entries:
        lines.append(f"{i + 1} {j + 1}" + ("" if field == "pattern" else f" {a[i][j]!r}"))
    return "\n".join(lines) + "\n"


def mtx_array(a, field="real", symmetry="symmetric"):
    n = len(a)
    rows = (lambda j: range(j, n)) if symmetry == "symmetric" else (lambda j: range(n))
    text = (lambda v: str(int(v))) if field == "integer" else repr
    lines = [f"%%MatrixMarket matrix array {field} {symmetry}", f"{n} {n}"]
    lines += [text(a[i][j]) for j in range(n) for i in rows(j)]
    return "\n".join(lines) + "\n"


def npy_header(dictionary, version=1, alignment=64):
    prefix = 10 if version == 1 else 12
    body = dictionary.encode()
    body += b" " * (-(prefix + len(body) + 1) % alignment) + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(body)) + body


def npy(a, descr="<f8", fortran=False, version=1, alignment=64, shape=None):
    n, m = len(a), len(a[0])
    dictionary = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (descr, fortran, shape or (n, m))
    values = [a[i][j] for j in range(m) for i in range(n)] if fortran else [v for row in a for v in row]
    code = {"f8": "d", "f4": "f", "i1": "b", "i2": "h", "i4": "i", "i8": "q",
            "c16": "d", "u1": "B", "u2": "H", "u4": "I", "u8": "Q", "b1": "?"}[descr[1:]]
    values = [v if code in "df" else bool(v) if code == "?" else int(v) for v in values]
    if descr[1:] == "c16":
        values = [part for v in values for part in (complex(v).real, complex(v).imag)]
    order = ">" if descr[0] == ">" else "<"
    return npy_header(dictionary, version, alignment) + struct.pack(f"{order}{len(values)}{code}", *values)


def raw(a):
    n = len(a)
    return struct.pack(f"<{n * n}d", *[a[i][j] for j in range(n) for i in range(n)])


def csc(a, word="q", starts=None, rows=None, kind=0, nonzeros=None):
    n = len(a)
    entries = [(i, j) for j in range(n) for i in range(n) if a[i][j] != 0]
    if starts is None:
        starts = [1 + sum(1 for (_, c) in entries if c < j) for j in range(n)]
    rows = rows or [i + 1 for i, _ in entries]
    nnz = len(entries) if nonzeros is None else nonzeros
    header = [170915, -910910, kind, n, n // 2, nnz, -910910, -910910] + [0] * 8
    values = [a[i][j] for i, j in entries]
    if kind == 1:
        values = [part for value in values for part in (complex(value).real, complex(value).imag)]
    return (struct.pack(f"<16{word}", *header) + struct.pack(f"<{n}{word}", *starts) +
            struct.pack(f"<{len(rows)}i", *rows) + struct.pack(f"<{len(values)}d", *values))


def npy_line(values, descr="<i4"):
    return npy([values], descr, shape=f"({len(values)},)")


def zip_of(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name + ".npy", (1980, 1, 1, 0, 0, 0)), content)
    return out.getvalue()


def npz(a, form="csr", index="<i4", shape=None, descr="<f8", **other):
    """The bytes of SciPy's save_npz(..., compressed=False); `other` replaces a member."""
    n = len(a)
    by_rows = form != "csc"
    entries = [(i, j) if by_rows else (j, i) for i in range(n) for j in range(n)
               if (a[i][j] if by_rows else a[j][i]) != 0]
    data = npy_line([a[i][j] for i, j in entries], descr)
    outer = [i if by_rows else j for i, j in entries]
    inner = [j if by_rows else i for i, j in entries]
    members = {"format": npy_header("{'descr': '|S3', 'fortran_order': False, 'shape': (), }") + form.encode(),
               "shape": npy_line(shape or [n, n], "<i8"), "data": data}
    if form == "coo":
        members.update(row=npy_line(outer, index), col=npy_line(inner, index))
    else:
        starts = [sum(1 for o in outer if o < k) for k in range(n + 1)]
        members.update(indices=npy_line(inner, index), indptr=npy_line(starts, index))
    members.update(other)
    return zip_of({name: content for name, content in members.items() if content is not None})


def dat(d, e):
    e = list(e) + [0.0]
    return f"{len(d):6d}\n" + "".join(f"{i + 1:6d} {d[i]:23.15E} {e[i]:23.15E}\n" for i in range(len(d)))


# The 1-2-1 matrix of order 5 with everything that a reader must allow.
LENIENT = ("  %MatrixMarket MATRIX Coordinate Double SYMMETRIC\r\n"
           "% one percent sign, leading blanks, capitals, CR LF\r\n"
           "\r\n"
           "%\r\n"
           "   5   5   11  \r\n"
           "1 1 2\r\n"
           "\t2 2 +2.0\r\n"
           "\r\n"
           "3 3 0.2D1\r\n"
           "4  4  2.d+0\r\n"
           "% a comment within the body\r\n"
           "5 5 +20E-1\r\n"
           "2 1 -1\r\n"
           "2 3 -1.0\r\n"
           "+4 +3 -1\r\n"
           "5 4 -.25\r\n"
           "5 4 -.5\r\n"
           "5 4 -2.5e-1")


# The 1-2-1 matrix of order 3.
HARWELL_BOEING = ("1-2-1".ljust(72) + "121_3   \n" + "".join(f"{cards:14d}" for cards in (4, 1, 1, 2, 0)) + "\n" +
                  "RSA".ljust(14) + "".join(f"{size:14d}" for size in (3, 3, 5, 0)) + "\n" +
                  "(4I8)           (5I8)           (4E20.12)\n" +
                  "".join(f"{start:8d}" for start in (1, 3, 5, 6)) + "\n" +
                  "".join(f"{row:8d}" for row in (1, 2, 2, 3, 3)) + "\n" +
                  "".join(f"{value:20.12E}" for value in (2, -1, 2, -1)) + f"\n{2:20.12E}\n")


def valid_files():
    clement = [math.sqrt(i * (21 - i)) for i in range(1, 21)]
    yield "poisson_6x6.mtx", mtx_coordinate(poisson(6))
    yield "ring_10_pattern.mtx", mtx_coordinate(
        [[1.0 if abs(i - j) in (1, 9) else 0.0 for j in range(10)] for i in range(10)], "pattern")
    yield "rosser_integer.mtx", mtx_array(ROSSER, "integer")
    yield "minij_12.mtx", mtx_array(minij(12))
    yield "pei_10_general.mtx", mtx_array(pei(10, 0.5), "real", "general")
    yield "lenient_121_5.mtx", LENIENT
    yield "complete_8_unsigned.mtx", mtx_array([[int(x) for x in row] for row in complete(8)], "unsigned-integer")
    yield "minij_12_fortran.npy", npy(minij(12), fortran=True)
    yield "hypercube_16.npy", npy(hypercube(4))
    yield "pei_10_big_endian.npy", npy(pei(10, 0.5), ">f8")
    yield "pei_10_f4.npy", npy(pei(10, 0.5), "<f4", alignment=16)
    yield "rosser_i4.npy", npy(ROSSER, "<i4")
    yield "rosser_i2_big_endian.npy", npy(ROSSER, ">i2")
    yield "exchange_7_version_2.npy", npy(exchange(7), "|i1", version=2)
    yield "complete_8_bool_version_3.npy", npy(complete(8), "|b1", version=3)
    yield "toeplitz_20.raw", raw(tridiagonal([2.0] * 20, [-1.0] * 19))
    yield "poisson_4x4.csc", csc(poisson(4))
    yield "poisson_4x4_int4.csc", csc(poisson(4), "i")
    yield "poisson_4x4_complex.csc", csc(poisson(4), kind=1)
    yield "clement_21.dat", dat([0.0] * 21, clement)
    yield "wilkinson_21.dat", dat([float(abs(i - 10)) for i in range(21)], [1.0] * 20)
    yield "pei_10.csv", "# comment\n" + "\n".join(",".join(map(repr, row)) for row in pei(10, 0.5)) + "\n"
    yield "rosser.txt", "\r\n".join("\t".join(map(str, row)) for row in ROSSER)
    yield "poisson_6x6_csr.npz", npz(poisson(6))
    yield "poisson_4x4_csc.npz", npz(poisson(4), "csc", "<i8")
    yield "poisson_4x4_complex.npz", npz(poisson(4), descr="<c16")
    yield "rosser_coo.npz", npz([[float(x) for x in row] for row in ROSSER], "coo")


def invalid_files():
    real = "%%MatrixMarket matrix coordinate real symmetric\n"
    general = "%%MatrixMarket matrix coordinate real general\n"
    array = "%%MatrixMarket matrix array real symmetric\n"

    def banner(*words):
        return " ".join(("%%MatrixMarket",) + words) + "\n3 3 1\n1 1 1.0\n"

    yield "no_banner.mtx", "3 3 1\n1 1 1.0\n"
    yield "short_banner.mtx", banner("matrix", "coordinate", "real")
    yield "bad_object.mtx", banner("tensor", "coordinate", "real", "symmetric")
    yield "vector_object.mtx", banner("vector", "coordinate", "real", "general")
    yield "bad_format.mtx", banner("matrix", "dense", "real", "symmetric")
    yield "bad_field.mtx", banner("matrix", "coordinate", "quaternion", "symmetric")
    yield "bad_symmetry.mtx", banner("matrix", "coordinate", "real", "upper")
    yield "both_triangles.mtx", real + "3 3 5\n1 1 1.0\n2 1 2.0\n3 2 4.0\n2 3 4.0\n1 2 2.0\n"
    yield "harwell_boeing.rsa", HARWELL_BOEING
    yield "complex.mtx", "%%MatrixMarket matrix coordinate complex hermitian\n1 1 1\n1 1 1.00\n"
    yield "hermitian.mtx", banner("matrix", "coordinate", "real", "hermitian")
    yield "skew_symmetric.mtx", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 1.0\n"
    yield "array_pattern.mtx", "%%MatrixMarket matrix array pattern general\n2 2\n"

    yield "size_missing.mtx", real + "% nothing follows\n\n"
    yield "size_short.mtx", real + "3 3\n1 1 1.0\n"
    yield "size_long.mtx", array + "2 2 3\n1\n2\n3\n"
    yield "size_not_a_number.mtx", real + "3 three 1\n1 1 1.0\n"
    yield "size_negative.mtx", real + "% comment\n-3 -3 1\n1 1 1.0\n"
    yield "size_overflow.mtx", real + "36893488147419103232 36893488147419103232 1\n1 1 1.0\n"
    yield "size_beyond_memory.mtx", real + "3000000000 3000000000 1\n1 1 1.0\n"
    yield "entries_negative.mtx", real + "3 3 -1\n1 1 1.0\n"
    yield "entries_announced_too_many.mtx", real + "100 100 5050\n1 1 1.0\n"
    yield "not_square.mtx", general + "3 4 1\n1 1 1.0\n"
    yield "not_square_symmetric.mtx", real + "3 4 1\n1 1 1.0\n"

    yield "index_zero.mtx", real + "3 3 2\n1 1 1.0\n0 1 2.0\n"
    yield "index_too_large.mtx", real + "3 3 2\n1 1 1.0\n3 4 2.0\n"
    yield "index_negative.mtx", real + "3 3 2\n-1 1 1.0\n3 3 2.0\n"
    yield "index_overflow.mtx", real + "3 3 2\n1 1 1.0\n18446744073709551617 1 2.0\n"
    yield "index_not_an_integer.mtx", real + "3 3 2\n1 1 1.0\n\n% comment\n2.5 1 2.0\n"
    yield "column_index_missing.mtx", real + "3 3 2\n1 1 1.0625\n2\n"
    yield "value_missing.mtx", real + "3 3 2\n1 1\n3 3 2.0\n"
    yield "value_not_a_number.mtx", real + "3 3 2\n1 1 1.0\n3 3 two\n"
    yield "value_out_of_range.mtx", real + "3 3 2\n1 1 1.0\n3 3 1e400\n"
    yield "value_not_an_integer.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n3 3 2\n1 1 1\n3 3 2.5\n"
    yield "text_behind_entry.mtx", real + "3 3 2\n1 1 1.0\n3 3 2.0 7.0\n"
    yield "value_in_pattern.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n1 1\n3 3 2.0\n"
    yield "two_values_on_a_line.mtx", array + "2 2\n1.0\n2.0 3.0\n"
    yield "truncated.mtx", real + "3 3 3\n1 1 1.25\n2 2 1.25\n"
    yield "truncated_in_an_entry.mtx", real + "3 3 2\n1 1 1.0\n3 3"
    yield "truncated_array.mtx", array + "3 3\n1.0\n2.0\n3.0\n4.0\n5.0\n"
    yield "too_many_entries.mtx", real + "3 3 2\n1 1 1.0\n2 2 1.0\n% comment\n3 3 1.0\n"
    yield "too_many_values_array.mtx", array + "2 2\n1.0\n2.0\n3.0\n4.0\n"
    yield "not_symmetric.mtx", general + "3 3 5\n1 1 1.0\n2 2 1.0\n3 3 1.0\n3 1 0.5\n1 3 0.25\n"
    lotkin = [[1.0 if i == 0 else 1.0 / (i + j + 1) for j in range(5)] for i in range(5)]
    yield "not_symmetric_array.mtx", mtx_array(lotkin, "real", "general")
    yield "nan_entry.mtx", real + "3 3 3\n1 1 1.0\n3 2 NaN\n3 3 1.0\n"
    yield "infinite_entry.mtx", real + "3 3 3\n1 1 1.0\n2 2 -Inf\n3 3 1.0\n"
    yield "nan_above_diagonal.mtx", general + "3 3 3\n1 1 1.0\n1 3 nan\n3 3 1.0\n"

    pair = [[1.0, 2.0], [2.0, 1.0]]
    values = struct.pack("<4d", 1.0, 2.0, 2.0, 1.0)

    def header(descr="'<f8'", order="False", shape="(2, 2)"):
        return npy_header("{'descr': %s, 'fortran_order': %s, 'shape': %s, }" % (descr, order, shape))

    yield "npy_bad_magic.npy", b"\x94NUMPY" + npy(pair)[6:]
    yield "npy_bad_version.npy", npy(pair)[:6] + b"\x04" + npy(pair)[7:]
    yield "npy_cut_in_magic.npy", npy(pair)[:8]
    yield "npy_cut_in_header.npy", npy(pair)[:50]
    yield "npy_header_not_a_dict.npy", npy_header("['<f8', False, (2, 2)]") + values
    yield "npy_key_missing.npy", npy_header("{'descr': '<f8', 'shape': (2, 2), }") + values
    yield "npy_key_unknown.npy", npy_header("{'descr': '<f8', 'order': 'F', 'shape': (2, 2), }") + values
    yield "npy_key_twice.npy", npy_header("{'descr': '<f8', 'descr': '<f8', 'shape': (2, 2), }") + values
    yield "npy_order_not_a_bool.npy", header(order="1") + values
    yield "npy_shape_not_a_tuple.npy", header(shape="[2, 2]") + values
    yield "npy_shape_negative.npy", header(shape="(-2, 2)") + values
    yield "npy_shape_overflow.npy", header(shape="(4294967296, 4294967296)") + values
    yield "npy_object.npy", header("'|O'") + values
    yield "npy_structured.npy", header("[('a', '<f8')]") + values
    yield "npy_complex.npy", header("'<c16'") + values * 2
    yield "npy_half.npy", header("'<f2'") + values[:8]
    yield "npy_string.npy", header("'<U2'") + values
    yield "npy_byte_order.npy", header("'?f8'") + values
    yield "npy_truncated.npy", npy(pair)[:-1]
    yield "npy_trailing_bytes.npy", npy(pair) + b"\0"
    yield "npy_scalar.npy", header(shape="()") + values[:8]
    yield "npy_vector.npy", header(shape="(4,)") + values
    yield "npy_three_dimensions.npy", header(shape="(2, 2, 1)") + values
    yield "npy_not_square.npy", header(shape="(1, 4)") + values
    yield "npy_not_symmetric.npy", npy([[1.0, 2.0], [3.0, 1.0]])
    yield "npy_nan.npy", npy([[1.0, 2.0], [2.0, math.nan]])

    yield "raw_odd_size.raw", raw(pair)[:-3]
    yield "raw_not_square.raw", raw(pair) + values[:8]
    yield "raw_not_symmetric.raw", raw([[1.0, 2.0], [3.0, 1.0]])

    small = [[2.0, -1.0], [-1.0, 2.0]]
    yield "csc_bad_magic.csc", b"\0" * len(csc(small))
    yield "csc_cut_in_header.csc", csc(small)[:100]
    yield "csc_truncated.csc", csc(small)[:-8]
    yield "csc_trailing_bytes.csc", csc(small) + b"\0"
    yield "csc_bad_type.csc", csc(small, kind=7)
    yield "csc_negative_nonzeros.csc", csc(small, nonzeros=-4)
    yield "csc_first_column.csc", csc(small, starts=[2, 3])
    yield "csc_columns_decrease.csc", csc(small, starts=[1, -2])
    yield "csc_column_beyond_end.csc", csc(small, starts=[1, 9])
    yield "csc_row_zero.csc", csc(small, rows=[1, 0, 1, 2])
    yield "csc_row_too_large_int4.csc", csc(small, "i", rows=[1, 2, 3, 2])
    yield "csc_not_symmetric.csc", csc([[2.0, -1.0], [-0.5, 2.0]])

    yield "dat_order_missing.dat", "% nothing follows\n"
    yield "dat_order_not_a_number.dat", "three\n1 1.0 1.0\n"
    yield "dat_order_negative.dat", "-3\n1 1.0 1.0\n"
    yield "dat_order_too_large.dat", "1000\n1 1.0 1.0\n"
    yield "dat_truncated.dat", "3\n1 1.0 1.0\n2 1.0 1.0\n"
    yield "dat_too_many_rows.dat", "2\n1 1.0 1.0\n2 1.0 0.0\n3 1.0 0.0\n"
    yield "dat_row_order.dat", "3\n1 1.0 1.0\n3 1.0 1.0\n2 1.0 0.0\n"
    yield "dat_off_diagonal_missing.dat", "2\n1 1.0\n2 1.0\n"
    yield "dat_not_a_number.dat", "2\n1 1.0 x\n2 1.0\n"
    yield "dat_extra_number.dat", "2\n1 1.0 1.0 1.0\n2 1.0\n"

    yield "text_not_a_number.csv", "2,x\n1,2\n"
    yield "text_entry_missing.csv", "2,1\n1,\n"
    yield "text_uneven.csv", "2,1\n1,2,3\n"
    yield "text_not_square.txt", "1 2 3\n4 5 6\n"
    yield "text_not_symmetric.txt", "1 2\n3 4\n"
    yield "text_complex.csv", "2,0,0,1\n0,-1,2,0\n"

    yield "npz_cut.npz", npz(small)[:-30]
    yield "npz_no_format.npz", npz(small, format=None)
    yield "npz_bsr.npz", npz(small, "bsr")
    yield "npz_not_square.npz", npz(small, shape=[2, 3])
    yield "npz_index_too_large.npz", npz(small, indices=npy_line([0, 1, 0, 2]))
    yield "npz_index_negative.npz", npz(small, "coo", "<i8", row=npy_line([0, 0, -1, 1], "<i8"))
    yield "npz_indices_are_reals.npz", npz(small, indices=npy_line([0.0, 1.0, 0.0, 1.0], "<f8"))
    yield "npz_starts_decrease.npz", npz(small, indptr=npy_line([0, 3, 2]))
    yield "npz_starts_too_few.npz", npz(small, indptr=npy_line([0, 4]))
    yield "npz_starts_end_early.npz", npz(small, indptr=npy_line([0, 2, 3]))
    yield "npz_data_too_few.npz", npz(small, data=npy_line([1.0, 2.0, 3.0], "<f8"))
    yield "npz_not_symmetric.npz", npz([[2.0, -1.0], [-0.5, 2.0]], "csc")

    yield "empty.mtx", ""
    yield "gzip.mtx.gz", bytes.fromhex("1f8b08000000000000ff03000000000000000000")
    yield "bzip2.mtx.bz2", bytes.fromhex("425a683917724538509000000000")
    yield "zip.npz", bytes.fromhex("504b0304") + b"\0" * 26
    yield "hdf5.h5", b"\x89HDF\r\n\x1a\n" + b"\0" * 56
    yield "matlab.mat", b"MATLAB 5.0 MAT-file, Platform: GLNXA64" + b" " * 86 + b"\0\1IM"
    yield "unknown_text.txt", "one, two\nthree, four\n"


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent / "data")
    for kind, files in (("valid", valid_files()), ("invalid", invalid_files())):
        (folder / kind).mkdir(parents=True, exist_ok=True)
        for name, content in files:
            (folder / kind / name).write_bytes(content if isinstance(content, bytes) else content.encode())


if __name__ == "__main__":
    main()
