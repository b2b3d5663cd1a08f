#!/usr/bin/env python3
"""Writes data/hdf5 by h5py (on Debian python3-h5py), which is not the writer of this project; data/README.md describes each file.

usage: scripts/make_hdf5_data.py [FOLDER]      FOLDER: data, by default the one of this project
"""
import sys
from pathlib import Path

import h5py
import numpy as np

MATLAB = b"MATLAB 7.3 MAT-file, Platform: GLNXA64, Created on: Thu Jan  1 00:00:00 1970 HDF5 schema 1.00 ."


def one_two_one(n):
    return 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent / "data") / "hdf5"
    folder.mkdir(parents=True, exist_ok=True)
    indices = np.arange(1, 7)
    minij = np.minimum.outer(indices, indices).astype("<f8")
    ring = np.roll(np.eye(4), 1, axis=0) * 1j
    hermitian = ring + ring.conj().T

    with h5py.File(folder / "minij_6.h5", "w") as f:
        f.create_dataset("group/H", data=minij)
    with h5py.File(folder / "minij_6_latest.h5", "w", libver="latest") as f:
        f.create_dataset("H", data=minij.astype(">i2"))
    with h5py.File(folder / "ring_4_v112.h5", "w", libver=("v112", "v112")) as f:
        f.create_dataset("H", data=hermitian)
    with h5py.File(folder / "minij_6_gzip.h5", "w") as f:
        f.create_dataset("H", data=minij.astype("<f4"), chunks=(4, 4), compression="gzip", shuffle=True, fletcher32=True)
    with h5py.File(folder / "links.h5", "w") as f:
        f["other"] = np.full((20, 20), 7.0)
        f["H"] = h5py.ExternalLink("minij_6.h5", "/group/H")
        f["soft"] = h5py.SoftLink("/H")
        f["linked"] = h5py.ExternalLink("minij_6.h5", "/group")
    with h5py.File(folder / "ring_4.h5", "w") as f:
        f.create_dataset("H", data=hermitian)
    with h5py.File(folder / "result_5.h5", "w") as f:
        values, vectors = np.linalg.eigh(one_two_one(5))
        f["values"], f["vectors"] = values, vectors
    with h5py.File(folder / "ring_4.mat", "w", userblock_size=512) as f:
        columns = np.asfortranarray(hermitian).T  # the layout of MATLAB
        pairs = np.empty(columns.shape, dtype=[("real", "<f8"), ("imag", "<f8")])
        pairs["real"], pairs["imag"] = columns.real, columns.imag
        f.create_dataset("H", data=pairs).attrs["MATLAB_class"] = np.bytes_("double")
    with open(folder / "ring_4.mat", "r+b") as f:
        f.write(MATLAB.ljust(124) + b"\0\2IM")


if __name__ == "__main__":
    main()
