"""The tools for notebooks."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

from recording import SHOP
from tool_case import Case

from tui_agent.changes import FileChange

PATH = f"{SHOP}/sales.ipynb"
OLD = "import pandas as pd\n\nsales = pd.read_csv('sales.csv')\nsales.groupby('month').sum()"
NEW = """\
import pandas as pd

sales = pd.read_csv('sales.csv', parse_dates=['day'])
sales.groupby(sales.day.dt.month).total.sum()"""


def picture(width: int = 40, height: int = 24) -> dict[str, Any]:
    """A preview like that of a chart: bars over a light ground."""
    rows = [
        (70, 110, 200) if column % 8 < 6 and height - row < 4 + column * 37 % 17 else (235, 235, 230)
        for row in range(height)
        for column in range(width)
    ]
    return {
        "mediaType": "image/png",
        "originalSize": 18_240,
        "dimensions": {"originalWidth": 640, "originalHeight": 384, "displayWidth": 640, "displayHeight": 384},
        "sentType": "image/png",
        "sentSize": 18_240,
        "preview": {"width": width, "height": height, "rgb": b64encode(bytes(sum(rows, ()))).decode()},
    }


CELLS = [
    {
        "cell_id": "intro",
        "cellType": "markdown",
        "source": "# Sales\n\nHow the *shop* did this year.",
        "execution_count": None,
        "language": "markdown",
        "outputs": [],
    },
    {
        "cell_id": "4f9c21aa",
        "cellType": "code",
        "source": OLD,
        "execution_count": 3,
        "language": "python",
        "outputs": [
            {"output_type": "execute_result", "text": "       total\nmonth       \n1      412.3\n2      388.1"},
            {"output_type": "display_data", "image": picture()},
        ],
    },
    {
        "cell_id": "b07d11e3",
        "cellType": "code",
        "source": "sales.lost",
        "execution_count": 4,
        "language": "python",
        "outputs": [
            {
                "output_type": "error",
                "text": "AttributeError: 'DataFrame' object has no attribute 'lost'",
            }
        ],
    },
]
SHOWN = {
    "type": "notebook",
    "file": {"filePath": PATH, "cells": CELLS, "language": "python", "format": "4.5", "totalCells": 3},
}


def written(source: str) -> str:
    cell = {"cell_type": "code", "id": "4f9c21aa", "source": source.splitlines(keepends=True)}
    return json.dumps({"cells": [cell], "nbformat": 4, "nbformat_minor": 5}, indent=1)


CASES = {
    "NotebookRead": Case(
        {"notebook_path": PATH},
        "A notebook of 3 cells",
        SHOWN,
        f"<tool_use_error>{PATH} cannot be read: it is not a notebook: it has no list of cells.</tool_use_error>",
        "validation",
        {"code": "bad_notebook"},
    ),
    "NotebookEdit": Case(
        {"notebook_path": PATH, "cell_id": "4f9c21aa", "new_source": NEW},
        f"Replaced the source of the code cell 4f9c21aa in {PATH}.",
        {
            "cell_id": "4f9c21aa",
            "cell_type": "code",
            "language": "python",
            "edit_mode": "replace",
            "old_source": OLD,
            "new_source": NEW,
            "userModified": False,
        },
        f"<tool_use_error>{PATH} cannot be changed: there is no cell '4f9c21aa'; its cells are intro, cell-1."
        "</tool_use_error>",
        "validation",
        {"code": "no_cell"},
        changes=(FileChange.between(PATH, written(OLD), written(NEW), before_hash="0" * 64),),
        suggestions=("Edit(/sales.ipynb)",),
    ),
}
