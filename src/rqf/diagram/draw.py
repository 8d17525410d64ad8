"""The picture of a phase diagram: lines of theory over what tokens were seen to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

PANELS = (
    ("polarity", "polarity |mean x|: 1 where all tokens are together"),
    ("bipolarity", "bipolarity: 1 where all tokens lie on one axis"),
)
LINES = {
    "together": ("-", "λ₁ = 0: beyond it nothing clusters"),
    "opposite": ("--", "antipodal pairs stop attracting"),
}


def draw(ds: xr.Dataset) -> Figure:
    """Two panels, polarity and bipolarity, with the critical lines and the names of the phases."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.2, 4.2), layout="constrained")
    panels = figure.subplots(1, 2, sharex=True, sharey=True)
    for axes, (name, title) in zip(panels, PANELS, strict=True):
        if name in ds:
            mesh = axes.pcolormesh(
                ds["x_measured"], ds["y_measured"], ds[name],
                cmap="cividis", vmin=0.0, vmax=1.0, shading="nearest", rasterized=True,
            )  # fmt: skip
            figure.colorbar(mesh, ax=axes, shrink=0.9)
        for kind, (style, label) in LINES.items():
            for index, vertices in enumerate(_curves(ds, kind)):
                axes.plot(
                    *vertices.T, style, color="white", linewidth=3.4, solid_capstyle="butt"
                )
                axes.plot(
                    *vertices.T, style, color="black", linewidth=1.4,
                    label=label if index == 0 else None,
                )
        if "lifetime" in ds and np.isfinite(ds["lifetime"]).any():
            _lifetimes(axes, ds)
        axes.set_title(title, fontsize=9)
        axes.set_xscale("log" if ds["x"].attrs["log"] else "linear")
        axes.set_yscale("log" if ds["y"].attrs["log"] else "linear")
        axes.set_xlabel(ds["x"].attrs["long_name"])
        _regions(axes, ds)
    if np.unique(ds["phase"]).size == 1:
        figure.suptitle(f"{ds['phase'].values[0, 0]} everywhere", fontsize=10)
    panels[0].set_ylabel(ds["y"].attrs["long_name"])
    handles, labels = panels[0].get_legend_handles_labels()
    if handles:
        figure.legend(handles, labels, loc="outside lower center", ncols=2, fontsize=8)
    return figure


def _curves(ds: xr.Dataset, kind: str) -> list[np.ndarray]:
    """The critical lines of one kind, each an array of vertices."""
    chosen = ds["line_kind"].values == kind
    numbers = ds["line_number"].values[chosen]
    vertices = np.stack([ds["line_x"].values[chosen], ds["line_y"].values[chosen]], axis=-1)
    return [vertices[numbers == number] for number in np.unique(numbers)]


def _lifetimes(axes, ds: xr.Dataset) -> None:  # type: ignore[no-untyped-def]
    """Contours of the lifetime of the bipolar state, one a decade."""
    from matplotlib.patheffects import withStroke

    values = np.log10(ds["lifetime"].values)
    low, high = np.floor(np.nanmin(values)), np.ceil(np.nanmax(values))
    lines = axes.contour(
        ds["x"], ds["y"], values, levels=np.arange(low, high + 1.0), colors="black",
        linewidths=1.0, linestyles="dotted",
    )  # fmt: skip
    lines.set_path_effects([withStroke(linewidth=2.4, foreground="white")])
    labels = axes.clabel(lines, fmt=lambda level: f"lifetime $10^{{{level:.0f}}}$", fontsize=7)
    for label in labels:
        label.set_path_effects([withStroke(linewidth=2.4, foreground="white")])


def _regions(axes, ds: xr.Dataset) -> None:  # type: ignore[no-untyped-def]
    """The name of every phase in the middle of its region, if there are several."""
    phases = ds["phase"].values
    if np.unique(phases).size == 1:
        return
    for phase in np.unique(phases):
        rows, columns = np.nonzero(phases == phase)
        middle = np.median(rows), np.median(columns)
        nearest = np.argmin((rows - middle[0]) ** 2 + (columns - middle[1]) ** 2)
        axes.text(
            ds["x"].values[columns[nearest]], ds["y"].values[rows[nearest]], phase,
            ha="center", va="center", fontsize=9,
            bbox={"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 1.5},
        )  # fmt: skip
